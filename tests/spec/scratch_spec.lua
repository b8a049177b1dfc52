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

  it("that cannot be removed is tried again at the end, and named then", function()
    local folder <close> = scratch.new ".lua"
    local above = folder.path:match "^(.*)/"
    local function run(script)
      local file <close> = assert(io.open(folder.path, "w"))
      file:write(script)
      file:close()
      local out <close> = assert(io.popen(("%s lua %s %s 2>&1"):format(
        (os.getenv "BUILD" or "build") .. "/tandem", folder.path, above)))
      return out:read "a"
    end
    local discard = [[
      local files, above = require("tandem.core").files, ...
      assert(files.make(above .. "/full"))
      assert(io.open(above .. "/full/x", "w")):close()
      files.discard(above .. "/full")
      files.discard(above .. "/none")]]
    assert.equal(("tandem: cannot remove the temporary file %s/full: Directory not empty\n"):format(
      above), run(discard))
    assert.equal("", run "os.remove(... .. '/full/x'); os.remove(... .. '/full')")
    assert.equal("", run(discard .. " os.remove(above .. '/full/x')"))
    assert.is_nil(core.files.list(above .. "/full"))
  end)

  it("lies in TMPDIR, where nobody else reads it, and in /tmp where that takes none", function()
    local above = scratch.new ".above"
    local folder = above.path:match "^(.*)/"
    local script = [[
      local new = require("tandem.io.scratch").new
      local a, b = new(), new ".db"
      assert(io.open(b.path, "w")):close()
      os.execute(("stat -c %%a %s %s %s"):format(a.path, b.path, b.path:match "^(.*)/"))
      print(a.path, b.path)]]
    local program = scratch.new ".lua"
    local file <close> = assert(io.open(program.path, "w"))
    file:write(script)
    file:close()
    local function run(where)
      local out <close> = assert(io.popen(("umask 0; TMPDIR=%s %s lua %s"):format(where,
        (os.getenv "BUILD" or "build") .. "/tandem", program.path)))
      return out:read "a"
    end
    local inside, elsewhere = run(folder), run "/dev/null"
    assert.matches("^600\n600\n700\n", inside)
    assert.equal(2, select(2, inside:gsub(folder:gsub("%p", "%%%0") .. "/tandem%-", "")))
    assert.matches("/tmp/tandem%-%w+\t/tmp/tandem%-%w+/tandem%.db\n$", elsewhere)
    above:close()
    assert.is_nil(core.files.list(folder))
    program:close()
  end)

  it("beside what it becomes has a name that nobody had, and goes when that is stopped", function()
    local folder <close> = scratch.new ".txt"
    local outfile = require "tandem.io.outfile"
    local old = folder.path .. ".tmp"
    write(old)
    assert.is_true(outfile.write(folder.path, "new"))
    assert.equal(1, core.files.size(old))
    os.remove(old)
    assert.has_error(function() outfile.write(folder.path, {}) end)
    assert.equal(3, core.files.size(folder.path))
    assert.same({ "tandem.txt" }, core.files.list(folder.path:match "^(.*)/"))
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
