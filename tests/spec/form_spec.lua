-- A scenario as what a form shows and sends back: nothing of its meaning is lost on the way.
local expr = require "tandem.expr"
local form = require "tandem.scenario.form"
local json = require "tandem.io.json"
local sandbox = require "tandem.sandbox"
local td = require "tandem"

local function load_text(text)
  return assert(sandbox.load_scenario("form", { text = text, directory = "scenarios" }))
end

describe("a scenario as a form's data", function()
  it("means the same when it is read again, as data and as Lua text", function()
    local scripts = {}
    for _, one in ipairs(require("tandem.scenario.locate").shipped()) do
      local loaded = assert(sandbox.load_scenario(one.path))
      local made = form.of(loaded)
      if #made.functions > 0 then
        scripts[#scripts + 1] = one.short
        assert.truthy(made.script:find("td.scenario", 1, true))
      else
        assert.equal(loaded:hash(), load_text(json.encode(made.data)):hash(), one.name)
        assert.equal(loaded:hash(), load_text(made.lua):hash(), one.name)
      end
    end
    assert.same({ "own-policy", "coroutine", "llm-own-scheduler" }, scripts)
  end)

  it("has costs as formulas, and those that draw as data", function()
    local made = form.of(td.scenario "x" {
      workload = td.poisson { rps = 2, duration = "2s" }, target = td.gpu "L40" {},
      attrs = { tokens = 5 },
      pipeline = {
        td.stage "a" { on = "gpu", cost = function(r) return 0.004 + 0.0005 * r.tokens end },
        td.stage "b" { on = "gpu", cost = function() return td.exponential "2ms" * 3 end },
        td.delay "c" { time = td.exponential "1ms" },
      },
    })
    assert.equal("0.004 + 0.0005 * r.tokens", made.data.pipeline[1].cost)
    assert.equal("expr", made.data.pipeline[2].cost.type)
    assert.same({ type = "exponential", mean = "1ms" }, made.data.pipeline[3].time)
  end)

  it("keeps a queue without end", function()
    local made = form.of(td.scenario "x" {
      workload = td.poisson { rps = 2, duration = "2s" }, cpu = { workers = math.huge },
      target = td.gpu "L40" {}, pipeline = { td.fixed "a" { time = "1ms" } },
    })
    assert.equal("inf", json.decode(json.encode(made.data)).cpu.workers)
    assert.equal(math.huge, load_text(json.encode(made.data)).checked.cpu.workers)
  end)
end)

describe("the text of a formula", function()
  local a, b = { "attr", "a" }, { "attr", "b" }
  local cases = {
    { { "sub", a, { "sub", b, 1 } }, "r.a - (r.b - 1)" },
    { { "sub", { "sub", a, b }, 1 }, "r.a - r.b - 1" },
    { { "mul", { "add", a, 1 }, { "div", b, 3 } }, "(r.a + 1) * (r.b / 3)" },
    { { "div", { "mul", a, b }, 3 }, "r.a * r.b / 3" },
    { { "pow", { "neg", a }, { "pow", b, 2 } }, "(-(r.a))^(r.b^2)" },
    { { "add", a, -2.5 }, "r.a + (-2.5)" },
    { { "select", { "lt", a, b }, { "max", a, 0.1 }, { "mod", a, 7 } },
      "select(lt(r.a, r.b), max(r.a, 0.1), r.a % 7)" },
    { { "interp", { "sum", "a" }, { 1, 0.5, 2, 0.25 } }, "interp(r.sum.a, {1, 0.5, 2, 0.25})" },
    { { "mul", { "batch" }, { "gpu", "bandwidth" } }, "r.batch * r.gpu.bandwidth" },
  }
  for _, case in ipairs(cases) do
    it("is " .. case[2], function()
      assert.equal(case[2], expr.source(case[1]))
      local chunk = assert(load("local r = ...\nreturn " .. case[2], "=formula", "t",
        expr.functions))
      local r = setmetatable({ batch = expr.symbol { "batch" } }, { __index = function(_, key)
        if key == "sum" or key == "gpu" then
          return setmetatable({}, { __index = function(_, name)
            return expr.symbol { key, name }
          end })
        end
        return expr.symbol { "attr", key }
      end })
      assert.same(case[1], chunk(r).expr)
    end)
  end

  it("is none where it draws", function()
    assert.is_nil(expr.source { "mul", 2, { "draw", { type = "exponential", mean = 1 } } })
  end)
end)
