-- A store that was made for a run that does not come is not left behind.
local core = require "tandem.core"
local fixture = require "tests.spec.support.store_fixture"

local files

before_each(function() files = fixture.new() end)
after_each(function() files:remove() end)

local function left(path)
  local out = {}
  for _, ending in ipairs { "", "-wal", "-shm", "-journal" } do
    if core.files.size(path .. ending) then out[#out + 1] = ending end
  end
  return out
end

describe("an import that fails", function()
  it("leaves no store behind that it made", function()
    local path = files:path "new.db"
    assert.equal(3, select(3, files:tandem("import", "Makefile", "--store", path)))
    assert.same({}, left(path))
  end)

  it("leaves a store that was there, empty as it is", function()
    local path = files:path "new.db"
    local db <close> = assert(core.database(path, { store = true }))
    db:close()
    assert.equal(3, select(3, files:tandem("import", "Makefile", "--store", path)))
    assert.same({ "" }, left(path))
  end)

  it("leaves what another has put into the store meanwhile", function()
    local path = files:path "new.db"
    local made = require "tandem.store.made"
    local done, why, code = made.by(path, function()
      local db <close> = assert(core.database(path, { store = true }))
      assert(db:run("INSERT INTO run(id, kind, name, state) VALUES('0000abcd', 'simulated', 'x',"
        .. " 'complete')"))
      return nil, "it failed", 4
    end)
    assert.same({ nil, "it failed", 4 }, { done, why, code })
    assert.same({ "" }, left(path))
    made.by(files:path "gone.db", function() -- and goes, if that was nothing
      local db <close> = assert(core.database(files:path "gone.db", { store = true }))
      db:close()
      return nil, "it failed", 4
    end)
    assert.same({}, left(files:path "gone.db"))
  end)
end)
