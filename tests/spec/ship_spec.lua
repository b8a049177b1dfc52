--- Functions carried from one Lua state to another: closures, shared variables, tables, globals.
local core = require "tandem.core"
local td = require "tandem"

local call = core.ship_call
-- Globals named in shipped code travel, and a spec's environment leads to all of the test runner.
local math_type, text_of = math.type, tostring

describe("carrying functions", function()
  it("keeps constants, arguments and results", function()
    local function f(a, b) return a + b, "x", true, nil, 2.5 end
    assert.same({ 3, "x", true, nil, 2.5 }, { call(f, 1, 2) })
  end)

  -- What code names is looked for by its length in a binary chunk: one byte up to 126 characters.
  it("carries globals whatever the length of their names, and no others", function()
    for _, length in ipairs { 1, 39, 40, 41, 118, 119, 120, 121, 126, 127, 300 } do
      local name = ("x"):rep(length)
      local env = { [name] = length, [("y"):rep(length)] = coroutine.create(print) }
      local f = assert(load(("return function() return %s end"):format(name), "=f", "t", env))()
      assert.equal(length, call(f))
    end
  end)

  it("carries upvalues of every plain kind", function()
    local n, f, s, b, none = 7, 0.5, "text\0with zero", true, nil
    assert.same({ 7, 0.5, "text\0with zero", true, nil },
      { call(function() return n, f, s, b, none end) })
    assert.equal("integer", call(function() return math_type(n) end))
    assert.equal("float", call(function() return math_type(f) end))
  end)

  it("keeps tables with cycles, shared parts and metatables", function()
    local leaf = { 1, 2, 3 }
    local t = { a = leaf, b = leaf, [2.5] = "half", [true] = "yes" }
    t.self = t
    setmetatable(t, { __index = function(_, k) return k .. "!" end,
      __len = function() return 42 end })
    assert.same({ true, true, 3, "half", "yes", "missing!", 42 }, { call(function()
      return t.self == t, t.a == t.b, #t.a, t[2.5], t[true], t.missing, #t
    end) })
  end)

  it("keeps variables that functions share", function()
    local count = 0
    local function up() count = count + 1 end
    local function get() return count end
    assert.equal(2, call(function() up() up() return get() end))
    assert.equal(0, count)
  end)

  it("carries recursion, closures over closures and functions as keys", function()
    local function fact(n) return n < 2 and 1 or n * fact(n - 1) end
    local function adder(x) return function(y) return x + y end end
    local add5 = adder(5)
    local set = { [fact] = "fact" }
    assert.same({ 120, 12, "fact" }, { call(function() return fact(5), add5(7), set[fact] end) })
  end)

  it("finds the standard library and tandem by name", function()
    local max, find, si, tdmax = math.max, string.find, td.si, td.max
    assert.same({ 9, 2, 0.005, 4 }, { call(function()
      return max(1, 9), (find("abc", "b")), si "5ms", tdmax(4, 2)
    end) })
    local lib = math
    assert.is_true(call(function() return td.si == si and lib.max == max end))
  end)

  it("carries distributions that the library knows again", function()
    local d = td.exponential "2ms"
    assert.equal('td.exponential { mean = "2ms" }', call(function() return text_of(d) end))
  end)

  it("carries the globals that the code names, and no others", function()
    local env = setmetatable({ other = 5, file = io.stdout, unnamed = coroutine.create(print) },
      { __index = _G })
    local f = load("function helper() return other end\n"
      .. "return function() used = helper() return used, type(print), _G ~= nil end", "=x", "t",
      env)()
    assert.same({ 5, "function", true }, { call(f) })
    assert.is_nil(rawget(env, "used"))
  end)

  it("gives each opening its own environment", function()
    local f = load("return function() leak = (leak or 0) + 1 math.pi2 = (math.pi2 or 0) + 1\n"
      .. "return leak, math.pi2 end")()
    assert.same({ 1, 1 }, { call(f) })
    assert.same({ 1, 1 }, { call(f) })
    assert.is_nil(rawget(_G, "leak"))
    assert.is_nil(rawget(math, "pi2"))
  end)

  it("keeps the user's lines in errors", function()
    local f = load("return function()\n\n  error 'no' end", "@user.lua")()
    local ok, message = call(f)
    assert.is_nil(ok)
    assert.equal("user.lua:3: no", message)
  end)

  it("says what cannot be carried, where, and what to do", function()
    local source = "local c = coroutine.create(print)\nlocal t = { deep = { c } }\n"
      .. "return function() return t end"
    local ok, message, code = call(load(source, "@user.lua")())
    assert.is_nil(ok)
    assert.equal("invalid", code)
    assert.equal("a coroutine cannot be carried to the threads that run replications: "
      .. "field '[1]' in field 'deep' in upvalue 't' of the function at user.lua:3; make it "
      .. "inside the function that uses it", message)
    local file <close> = io.tmpfile()
    message = select(2, call(function() return file end))
    assert.matches("^an open file cannot be carried .*upvalue 'file' of the function at .*"
      .. "ship_spec.lua:%d+; open it inside", message)
    local iterator = ("a b"):gmatch "%a"
    message = select(2, call(function() return iterator() end))
    assert.matches("^a function written in C that holds state cannot be carried", message)
  end)

  it("carries a sandboxed script's functions with what the sandbox withholds withheld", function()
    local sandbox = require "tandem.sandbox"
    local env = sandbox.environment()
    local f = load("local td = require 'tandem' local k = 3\n"
      .. "return function(x) return td.max(x, k) + math.floor(2.5) end", "@s.lua", "t", env)()
    assert.equal(6, call(f, 4))
    local g = load("return function() return os.time() end", "@s.lua", "t", env)()
    local ok, message = call(g)
    assert.is_nil(ok)
    assert.matches("s.lua:1: 'os' is not available in scenarios", message)
  end)

  it("is small for small functions", function()
    local k = 2
    assert.is_true(core.ship_bytes(function(r) return r.tokens * k end) < 2000)
  end)
end)
