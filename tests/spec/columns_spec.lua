-- Tables as files for data frames: what each form makes of values that are whole, real, texts,
-- true, not there, infinite or mixed. That others' libraries read the binary ones is tests/web's.
local columns = require "tandem.io.columns"
local core = require "tandem.core"

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

describe("a table of columns", function()
  local list = { { name = "whole", cells = { 1, 2 } }, { name = "real", cells = { 0.5, 3 } },
    { name = "text, quoted", cells = { "a", nil } }, { name = "flag", cells = { true, false } },
    { name = "mixed", cells = { 7, "x" } }, { name = "none", cells = {} },
    { name = "endless", cells = { math.huge, 0 / 0 } } }

  it("is CSV with a line of names", function()
    assert.equal('whole,real,"text, quoted",flag,mixed,none,endless\n'
      .. "1,0.5,a,true,7,,inf\n2,3,,false,x,,nan\n", columns.csv(list, 2))
  end)

  it("is packed by the types that its cells have", function()
    local path, told = os.tmpname(), nil
    local pack = core.pack_columns
    core.pack_columns = function(format, rows, made)
      told = { format = format, rows = rows, made = made }
      return pack(format, rows, made)
    end
    for ending, format in pairs { parquet = "parquet", arrow = "arrow", feather = "arrow",
      ARROW = "arrow" } do
      local file = path .. "." .. ending
      assert(columns.write(file, list, 2))
      assert.equal(format, told.format)
      assert.equal(2, told.rows)
      local types = {}
      for i, one in ipairs(told.made) do types[i] = one[2] end
      assert.same({ "int", "real", "text", "int", "text", "int", "real" }, types)
      assert.same({ 1, 0 }, told.made[4][3])
      assert.same({ "7", "x" }, told.made[5][3])
      assert.same({}, told.made[6][3])
      local mark = format == "arrow" and "ARROW1" or "PAR1"
      local bytes = read(file)
      assert.equal(mark, bytes:sub(1, #mark))
      assert.equal(mark, bytes:sub(-#mark))
      os.remove(file)
    end
    core.pack_columns = pack
    os.remove(path)
  end)

  it("has no rows, and says which form a file lacks and where it cannot be", function()
    local path = os.tmpname()
    assert(columns.write(path .. ".parquet", { { name = "a", cells = {} } }, 0))
    assert.equal("PAR1", read(path .. ".parquet"):sub(1, 4))
    os.remove(path .. ".parquet")
    local done, message, code = columns.write(path .. ".txt", list, 2)
    assert.is_nil(done)
    assert.matches("which form? FILE.parquet", message, 1, true)
    assert.equal(2, code)
    done, message, code = columns.write("/none/such/a.csv", list, 2)
    assert.is_nil(done)
    assert.matches("cannot write /none/such/a.csv", message, 1, true)
    assert.equal(4, code)
    os.remove(path)
  end)
end)
