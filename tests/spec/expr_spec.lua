-- Symbolic arithmetic, tracing, and the functions that must not be traced.

local td = require "tandem"
local bytecode = require "tandem.expr.bytecode"
local expr = require "tandem.expr"
local tracing = require "tandem.expr.tracing"

local function trace(fn, options) return tracing.trace(fn, options) end

describe("expressions", function()
  it("are built by operators and td functions", function()
    local x = td.attr "tokens"
    assert.same({ "add", { "mul", 2, { "attr", "tokens" } }, 1 }, (2 * x + 1).expr)
    assert.same({ "floor", { "div", { "attr", "tokens" }, 16 } }, (x // 16).expr)
    assert.same({ "max", { "neg", { "attr", "tokens" } }, 3, 4 }, td.max(-x, 3, 4).expr)
    assert.same({ "select", { "lt", { "attr", "tokens" }, 5 }, 1, 2 },
      td.select(td.lt(x, 5), 1, 2).expr)
    assert.same({ "mul", { "attr", "tokens" }, 0.002 }, (x * "2ms").expr)
  end)

  it("work on plain numbers as usual", function()
    assert.equal(5, td.max(3, 5))
    assert.equal(0.002, td.min("2ms", 1))
    assert.equal(2.0, td.floor(2.9))
    assert.equal(15, td.interp(1.5, { { 1, 10 }, { 2, 20 } }))
    assert.equal(10, td.interp(0, { { 1, 10 }, { 2, 20 } }))
    assert.equal(20, td.interp(9, { 1, 10, 2, 20 }))
    assert.equal(7, td.select(3 < 4, 7, 8))
    assert.equal(8, td.select(0, 7, 8))
  end)

  it("turn a distribution in arithmetic into a draw", function()
    local d = td.exponential "2ms"
    assert.same({ "mul", { "draw", d }, 3 }, (d * 3).expr)
    assert.same({ "draw", d }, expr.of(d))
  end)

  it("print as arithmetic", function()
    local x = td.attr "n"
    assert.equal("(r.n + 1) * 2", tostring((x + 1) * 2))
    assert.equal("r.n - (r.n - 1)", tostring(x - (x - 1)))
  end)
end)

describe("tracing", function()
  it("compiles plain arithmetic, constants and helpers included", function()
    local P, gpu = 7e9, { flops = 1e15 }
    local function twice(v) return 2 * v end
    local t = trace(function(r) return twice(P) * r.batch * r.sum.tokens / gpu.flops + 5e-6 end)
    assert.same({ "add", { "div", { "mul", { "mul", 14e9, { "batch" } }, { "sum", "tokens" } },
      1e15 }, 5e-6 }, t.expr)
    assert.is_nil(t.why)
    assert.same({ tokens = true }, t.attrs)
  end)

  it("accepts a constant, a unit string and a distribution", function()
    assert.equal(0.5, trace(function() return 0.5 end).expr)
    assert.equal(0.005, trace(function() return "5ms" end).expr)
    assert.equal("draw", trace(function() return td.exponential "1ms" end).expr[1])
  end)

  local refused = {
    ["if on data"] = function(r) if r.n > 3 then return 1 end return 2 end,
    ["equality"] = function(r) if r.n == 3 then return 1 end return 2 end,
    ["equality as a value"] = function(r) local same = r.n == r.m; return same and 1 or 2 end,
    ["truth"] = function(r) return (r.n and 1 or 2) + 0 end,
    ["or"] = function(r) return (r.n or 5) * 2 end,
    ["a loop that tests"] = function(r)
      local n = 0
      while n ~= 3 do n = n + 1 end
      return r.n * n
    end,
    ["id"] = function(r) return r.id * 1e-3 end,
    ["hidden in a local function"] = function(r)
      local function pick(v) if v == 1 then return 1 end return 2 end
      return pick(r.n)
    end,
  }
  for name, fn in pairs(refused) do
    it("refuses " .. name, function()
      local t = trace(fn)
      assert.is_nil(t.expr)
      assert.is_string(t.why)
      assert.is_nil(t.problem)
      assert.equal(fn, t.fn)
    end)
  end

  it("refuses a branch reached through an upvalue or a table", function()
    local function pick(v) if v == 1 then return 1 end return 2 end
    local lib = { deep = { pick = pick } }
    assert.matches("==", trace(function(r) return pick(r.n) end).why, 1, true)
    assert.matches("==", trace(function(r) return lib.deep.pick(r.n) end).why, 1, true)
  end)

  it("refuses a function that keeps state", function()
    local n = 0
    local t = trace(function(r) n = n + 1; return r.x * n end)
    assert.is_nil(t.expr)
    assert.matches("changes a variable", t.why, 1, true)
  end)

  it("refuses a function that reads what another one changes", function()
    local load, seen = 1, { n = 0 }
    local hook = function() load = load + 1; seen.n = seen.n + 1 end
    local shared = {}
    bytecode.collect_changes(hook, shared, function() return false end)
    assert.is_string(trace(function(r) return r.x * load end, { shared = shared }).why)
    assert.is_string(trace(function(r) return r.x * seen.n end, { shared = shared }).why)
    assert.is_nil(trace(function(r) return r.x * 2 end, { shared = shared }).why)
  end)

  it("refuses a program that disagrees with its function", function()
    local t = trace(function(r) return r.x * math.random() end)
    assert.is_nil(t.expr)
    assert.matches("disagrees", t.why, 1, true)
  end)

  it("reports a function that fails on every input", function()
    local t = trace(function(r) return r.x * nil end) -- luacheck: ignore
    assert.is_string(t.problem)
    assert.is_string(trace(function() end).problem)
    assert.is_string(trace(function() return {} end).problem)
  end)

  it("gives the function's own values on thousands of random programs", function()
    local state = 12345
    local function random(n)
      state = (state * 1103515245 + 12345) & 0x7fffffff
      return state // 65536 % n + 1
    end
    local function term(depth)
      local pick = depth == 0 and random(4) or random(10)
      if pick == 1 then return "r.a" elseif pick == 2 then return "r.b"
      elseif pick == 3 then return tostring(random(9)) elseif pick == 4 then return "r.batch" end
      local op = ({ "+", "-", "*", "/", "max", "min" })[pick - 4]
      local left, right = term(depth - 1), term(depth - 1)
      if #op > 1 then return ("td.%s(%s, %s)"):format(op, left, right) end
      return ("(%s %s %s)"):format(left, op, right)
    end
    local traced = 0
    for _ = 1, 500 do
      local text = "local td = ...; return function(r) return " .. term(5) .. " end"
      local fn = load(text)(td)
      local t = trace(fn)
      -- A program that is 0/0 everywhere is still a program; none of these may be refused.
      assert.is_nil(t.why, text)
      traced = traced + 1
      for _ = 1, 5 do
        local a, b, batch = random(1000) / 7, random(1000) - 0.5, random(64) + 0.0
        local direct = fn { a = a, b = b, batch = batch }
        local evaluated = expr.eval(t.expr, { batch = batch,
          attr = function(k) return k == "a" and a or b end })
        assert.is_true(direct == evaluated or (direct ~= direct and evaluated ~= evaluated), text)
      end
    end
    assert.equal(500, traced)
  end)
end)

describe("bytecode", function()
  it("sees opcodes of nested functions and assigned upvalues", function()
    local a, b = 1, 2
    local code = bytecode.read(function() return function() b = a end, b end)
    assert.is_true(code.ops[10])
    local assigned = 0
    for _ in pairs(code.assigns) do assigned = assigned + 1 end
    assert.equal(1, assigned)
  end)

  it("cannot read what is not a Lua function", function()
    assert.is_nil(bytecode.read(print))
  end)
end)
