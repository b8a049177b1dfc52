--- The decision rule of every plan by hand: bounds, what short runs add to them, what decides.
local core = require "tandem.core"
local verdict = require "tandem.plan.verdict"

local VALUES <const> = { 0.90, 1.00, 1.10, 0.95, 1.05, 1.00, 0.98, 1.02 }

local function limit(of, quantile, least)
  return { key = "p99", path = "latency.p99", label = "p99", quantile = quantile, limit = of,
    least = least or false, kind = "time" }
end

-- Mean, standard deviation, standard error.
local function moments()
  local sum, squares = 0, 0
  for _, v in ipairs(VALUES) do sum = sum + v end
  local mean = sum / #VALUES
  for _, v in ipairs(VALUES) do squares = squares + (v - mean) ^ 2 end
  local sd = (squares / (#VALUES - 1)) ^ 0.5
  return mean, sd, sd / (#VALUES) ^ 0.5
end

local function near(wanted, got)
  assert.is_true(math.abs(wanted - got) < 1e-12 * math.abs(wanted))
end

describe("a figure of a plan", function()
  local mean, sd, se = moments()
  local bias = 0.5 * (sd / mean) ^ 2 * math.log(100) * mean
  local up = core.stats.student_quantile(0.99, #VALUES - 1) * se
  local down = core.stats.student_quantile(0.999, #VALUES - 1) * se
  local function state(of, quantile, least)
    return verdict.figure(limit(of, quantile, least), VALUES, 0.01, 0.001, 0.95).state
  end

  it("has an interval that is wider for a quantile by what short runs take off it", function()
    local _, half = core.stats.interval(VALUES, 0.95)
    local plain = verdict.figure(limit(2), VALUES, 0.01, 0.001, 0.95)
    local tail = verdict.figure(limit(2, 0.99), VALUES, 0.01, 0.001, 0.95)
    near(half, plain.half)
    assert.equal(0, plain.bias)
    near(half + bias, tail.half)
    near(bias, tail.bias)
    near(up, tail.reach)
    near(mean, tail.value)
    near(1 - mean / 2, tail.margin)
    near(mean / 0.5 - 1, verdict.figure(limit(0.5, nil, true), VALUES, 0.01, 0.001, 0.95).margin)
  end)

  it("meets a limit that its bound does not reach, widened for a quantile", function()
    assert.equal("meets", state(mean + up + 1e-9))
    assert.equal("undecided", state(mean + up - 1e-9))
    assert.equal("undecided", state(mean + up + 1e-9, 0.99))
    assert.equal("meets", state(mean + up + bias + 1e-9, 0.99))
    assert.equal("undecided", state(mean + up + bias - 1e-9, 0.99))
    assert.equal("meets", state(mean - up - 1e-9, nil, true))
    assert.equal("undecided", state(mean - up + 1e-9, nil, true))
  end)

  it("misses a limit that its other bound is beyond", function()
    assert.equal("misses", state(mean - down - 1e-9))
    assert.equal("undecided", state(mean - down + 1e-9))
    assert.equal("misses", state(mean + down + 1e-9, nil, true))
    assert.equal("undecided", state(mean + down - 1e-9, nil, true))
  end)

  it("decides nothing on one replication, and misses where nothing completed", function()
    local one = verdict.figure(limit(2), { 1 }, 0.01, 0.001, 0.95)
    assert.same({ "undecided", math.huge }, { one.state, one.reach })
    local none = verdict.figure(limit(2), { 1, 0 / 0 }, 0.01, 0.001, 0.95)
    assert.same({ "misses", math.huge, -math.huge }, { none.state, none.value, none.margin })
  end)

  it("spends what may be wrong over all candidates and looks", function()
    local sum = 0
    for candidate = 1, 400 do
      for look = 1, 400 do sum = sum + verdict.alpha(0.95, candidate, look) end
    end
    assert.is_true(sum < 0.05 and sum > 0.0497)
    near(0.05 / 2 / 2, verdict.alpha(0.95, 1, 1))
    near(0.05 / 7 / 12, verdict.alpha_of(0.95, 7, 3))
  end)
end)
