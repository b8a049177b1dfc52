-- The editor stubs say what the checker accepts; `make` writes them to build/meta.

local td = require "tandem"
local node = require "tandem.language.node"
local stubs = require "tandem.help.stubs"

describe("the editor stubs", function()
  it("are those of the present specifications", function()
    local wanted = stubs.text()
    local program = require("tandem.core").executable()
    local pipe = assert(io.popen(("'%s' help --stubs"):format(program)))
    local text = pipe:read "a"
    assert.is_true(pipe:close())
    assert.equal(wanted, text)
    assert.is_function(load(text))
    local file = assert(io.open(program:match "^(.*)/" .. "/meta/tandem.lua"))
    assert.equal(wanted, file:read "a")
    file:close()
  end)

  it("know every function of td, and every method of the objects that these give", function()
    local text, methods = stubs.text(), 0
    for name, value in pairs(td) do
      if type(value) == "function" then
        assert.matches(("function td.%s("):format(name), text, 1, true)
      end
    end
    for _, one in ipairs(require("tandem.help.public").names()) do
      assert.matches(one.is_table and one.name .. " = {}"
        or ("function %s("):format(one.name), text, 1, true)
      methods = methods + (one.owner:find "^td" and 0 or 1)
    end
    assert.is_true(methods >= 180, methods)
  end)

  it("are what editors are pointed at", function()
    local file = assert(io.open(".luarc.json"))
    local settings = require("tandem.io.json").decode(file:read "a")
    file:close()
    assert.same({ "build/meta" }, settings["workspace.library"])
    assert.equal("Lua 5.4", settings["runtime.version"])
  end)

  it("have words for every type and key", function()
    for name, spec in pairs(node.types) do
      if not name:find("^seed") and name ~= "seed" then
        assert.is_string(spec.doc, name)
        for key, key_spec in pairs(spec.keys) do
          assert.is_string(key_spec.doc, name .. "." .. key)
        end
      end
    end
  end)
end)
