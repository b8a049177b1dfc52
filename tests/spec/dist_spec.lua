-- Distributions: canonical forms, units taken from where they stand, impossible parameters.

local td = require "tandem"
local check = require "tandem.check"

-- The checked form of a distribution used for a time, and the problems.
local function checked(d, dim)
  local ctx = check.context()
  ctx:push("scenario", {})
  return check.kinds.dist(ctx, d, { dim = dim or "s" }, "d"), ctx.problems
end

local function refused(d, pattern)
  local _, problems = checked(d)
  assert.is_true(#problems > 0, "accepted " .. tostring(d))
  assert.matches(pattern, tostring(problems), 1, true)
end

describe("distributions", function()
  it("become SI data", function()
    for _, case in ipairs {
      { td.constant "5ms", { dist = "constant", value = 0.005 } },
      { td.uniform("1ms", "3ms"), { dist = "uniform", min = 0.001, max = 0.003 } },
      { td.uniform { min = 0, max = 1 }, { dist = "uniform", min = 0, max = 1 } },
      { td.exponential "2ms", { dist = "exponential", mean = 0.002 } },
      { td.exponential { mean = "2ms" }, { dist = "exponential", mean = 0.002 } },
      { td.normal { mean = "2ms", sd = "1ms" },
        { dist = "normal", mean = 0.002, sd = 0.001, min = 0 } },
      { td.lognormal { mean = "2ms", cv = 1.5 }, { dist = "lognormal", mean = 0.002, cv = 1.5 } },
      { td.lognormal { p50 = "20ms", p99 = "180ms" },
        { dist = "lognormal", p50 = 0.02, p99 = 0.18 } },
      { td.gamma("2ms", 0.5), { dist = "gamma", mean = 0.002, cv = 0.5 } },
      { td.erlang { k = 3, mean = 1 }, { dist = "erlang", k = 3, mean = 1 } },
      { td.hyperexponential { { 0.9, "1ms" }, { 0.1, "20ms" } },
        { dist = "hyperexponential", weights = { 0.9, 0.1 }, means = { 0.001, 0.02 } } },
      { td.weibull { shape = 2, scale = "1s" }, { dist = "weibull", shape = 2, scale = 1 } },
      { td.pareto { min = 1, max = 100, alpha = 1.2 },
        { dist = "pareto", min = 1, max = 100, alpha = 1.2 } },
      { td.zipf(100, 1.1), { dist = "zipf", n = 100, s = 1.1 } },
      { td.empirical { "1ms", "2ms" }, { dist = "empirical", values = { 0.001, 0.002 } } },
      { td.empirical { values = { 1, 2 }, weights = { 3, 1 } },
        { dist = "empirical", values = { 1, 2 }, weights = { 3, 1 } } },
      { td.histogram { edges = { 0, 1, 3 }, counts = { 5, 2 } },
        { dist = "histogram", edges = { 0, 1, 3 }, counts = { 5, 2 } } },
      { td.mixture { { 0.3, td.exponential "1ms" }, { 0.7, "2ms" } },
        { dist = "mixture", weights = { 0.3, 0.7 }, parts = {
          { dist = "exponential", mean = 0.001 }, { dist = "constant", value = 0.002 } } } },
    } do
      local got, problems = checked(case[1])
      assert.equal("no problems", tostring(problems))
      assert.same(case[2], got)
    end
  end)

  it("carry a Lua function", function()
    local fn = function(u) return u end
    assert.same({ dist = "lua", fn = fn }, (checked(td.sample(fn))))
  end)

  it("refuse impossible parameters", function()
    refused(td.uniform("3ms", "1ms"), "is below min")
    refused(td.exponential(0), "more than 0")
    refused(td.exponential "2MB", "is a size; wanted a time")
    refused(td.lognormal { mean = 1 }, "wants cv beside mean")
    refused(td.lognormal { p50 = 2, p99 = 1 }, "is not above p50")
    refused(td.lognormal { p50 = 2 }, "exactly two percentiles")
    refused(td.lognormal { p50 = 2, p99 = 3, cv = 1 }, "not both")
    refused(td.lognormal { mean = 1, vc = 1 }, "did you mean 'cv'")
    refused(td.weibull { mean = 1, shape = 2 }, "give mean and cv, or shape and scale, not both")
    refused(td.weibull { shape = 2 }, "wants scale beside shape")
    refused(td.weibull {}, "wants mean and cv, or shape and scale")
    refused(td.empirical { values = { 1, 2 }, weights = { 1 } }, "are not as many as the values")
    refused(td.erlang { k = 2.5, mean = 1 }, "whole number")
    refused(td.hyperexponential { { 0, 1 }, { 0, 2 } }, "every weight is 0")
    refused(td.hyperexponential { { 0.5 }, { 0.5, 2 } }, "wanted {weight, mean}")
    refused(td.empirical {}, "is missing")
    refused(td.histogram { edges = { 0, 1 }, counts = { 1, 2 } }, "wants one more than counts")
    refused(td.histogram { edges = { 0, 0 }, counts = { 1 } }, "not above the one before")
    refused(td.pareto { min = 2, max = 1, alpha = 1 }, "is not above min")
    refused(td.mixture { { 0.5, td.fixed "x" { time = 1 } } }, "wanted a distribution")
    refused(td.exponential(0 / 0), "NaN")
    refused(td.normal(1, -1), "negative")
    refused(td.zipf { n = 10 }, "s: is missing")
  end)

  it("say what is wrong with them, and where when it is within", function()
    local problem = require("tandem.core").dist_problem
    assert.is_nil(problem { dist = "exponential", mean = 1 })
    assert.equal("exponential: mean must be positive and finite, not -1",
      problem { dist = "exponential", mean = -1 })
    assert.equal('there is no distribution "even"', problem { dist = "even", mean = 1 })
    assert.equal(".mean: a number is missing", problem { dist = "exponential" })
  end)

  it("are plain data that print themselves", function()
    assert.equal('td.exponential { mean = "2ms" }', tostring(td.exponential "2ms"))
    assert.equal("exponential", td.exponential("2ms").type)
  end)
end)
