-- Temporary files go with whoever made them.
local core = require "tandem.core"
local scratch = require "tandem.io.scratch"

local function write(path)
  local file <close> = assert(io.open(path, "wb"))
  file:write "x"
end

describe("a temporary file", function()
  it("goes at the end of its block, with what a store lays beside it", function()
    local path
    do
      local file <close> = scratch.new ".db"
      path = file.path
      assert.matches("%.db$", path)
      assert.is_nil(core.files.size(path))
      for _, ending in ipairs { "", "-wal", "-shm" } do write(path .. ending) end
    end
    for _, ending in ipairs { "", "-wal", "-shm" } do
      assert.is_nil(core.files.size(path .. ending))
    end
  end)

  it("goes where its owner is stopped", function()
    local path
    assert.is_false(pcall(function()
      local file = scratch.new()
      path = file.path
      write(path)
      error "interrupted"
    end))
    assert.equal(1, core.files.size(path))
    collectgarbage()
    assert.is_nil(core.files.size(path))
  end)

  it("is nobody's once it is closed: another of its name stays", function()
    local file = scratch.new()
    local path = file.path
    file:close()
    write(path)
    file:close()
    assert.equal(1, core.files.size(path))
    os.remove(path)
  end)
end)
