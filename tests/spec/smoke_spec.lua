-- The binary itself: embedded modules, the core, arguments.
local core = require "tandem.core"
local embedded = require "tandem.embedded"

describe("the binary", function()
  it("knows its version and features", function()
    assert.matches("^%d+%.%d+%.%d+$", core.version())
    local features = core.features()
    assert.equal(_VERSION:match "%d+%.%d+", features.lua:match "^%d+%.%d+")
    assert.matches("^3%.", features.sqlite)
    assert.is_boolean(features.libedit)
    assert.matches("^%a+ %d+", features.compiler)
  end)

  it("carries argparse and cjson", function()
    assert.equal("usage", require("argparse")("x"):get_usage():lower():match "^usage")
    assert.equal('{"a":1}', require("cjson").encode { a = 1 })
  end)

  it("lists what it carries, sorted, and reads it", function()
    local names = embedded.list "lua/"
    assert.is_true(#names > 0)
    for i, name in ipairs(names) do
      assert.equal("lua/", name:sub(1, 4))
      assert.is_true(i == 1 or names[i - 1] < name)
      local file = assert(io.open(name, "rb"))
      assert.equal(file:read "a", embedded.read(name))
      file:close()
    end
  end)

  it("carries modules compiled, with the lines and names of their sources", function()
    local describe_line = 0
    for line in embedded.read("lua/tandem/units/init.lua"):gmatch "([^\n]*)\n" do
      describe_line = describe_line + 1
      if line:find("^function units%.describe") then break end
    end
    local info = debug.getinfo(require("tandem.units").describe, "S")
    assert.equal("@lua/tandem/units/init.lua", info.source)
    assert.equal(describe_line, info.linedefined)
    assert.equal("dim", debug.getlocal(require("tandem.units").describe, 1))
    assert.equal("@argparse.lua", debug.getinfo(require("argparse")().parse, "S").source)
    local _, trace = xpcall(require("tandem.units").format, debug.traceback, {}, "s")
    assert.matches("^lua/tandem/units/init%.lua:%d+: ", trace)
  end)

  it("says what it does not carry", function()
    local text, message = embedded.read "lua/no/such.lua"
    assert.is_nil(text)
    assert.matches("lua/no/such.lua", message, 1, true)
    local ok, err = pcall(require, "tandem.no_such_module")
    assert.is_false(ok)
    assert.matches("no embedded module 'tandem.no_such_module'", err, 1, true)
  end)

  it("is not interrupted", function()
    assert.is_false(core.interrupted())
  end)
end)
