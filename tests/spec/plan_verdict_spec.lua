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
  local function state(of, quantile, least)
    return verdict.figure(limit(of, quantile, least), { values = VALUES }, 0.01).state
  end

  it("is the mean and the deviation of its values, which one has not", function()
    local got, deviation = core.stats.moments(VALUES)
    near(mean, got)
    near(sd, deviation)
    assert.same({ 7.0 }, { core.stats.moments { 7 } })
  end)

  it("has an interval that is wider for a quantile by what short runs take off it", function()
    local plain = verdict.figure(limit(2), { values = VALUES }, 0.01)
    local tail = verdict.figure(limit(2, 0.99), { values = VALUES }, 0.01)
    near(up, plain.half)
    assert.equal(0, plain.bias)
    near(up + bias, tail.half)
    near(bias, tail.bias)
    near(mean, tail.value)
    near(1 - mean / 2, tail.margin)
    near(mean / 0.5 - 1, verdict.figure(limit(0.5, nil, true), { values = VALUES }, 0.01).margin)
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
    assert.equal("misses", state(mean - up - 1e-9))
    assert.equal("undecided", state(mean - up + 1e-9))
    assert.equal("misses", state(mean + up + 1e-9, nil, true))
    assert.equal("undecided", state(mean + up - 1e-9, nil, true))
  end)

  it("decides nothing on one replication, and misses where nothing completed", function()
    local one = verdict.figure(limit(2), { values = { 1 } }, 0.01)
    assert.same({ "undecided" }, { one.state, one.half })
    local none = verdict.figure(limit(2), { values = { 1, 0 / 0 } }, 0.01)
    assert.same({ "misses", math.huge, -math.huge }, { none.state, none.value, none.margin })
  end)

  it("is decided by the interval of its run, where there is one", function()
    local function of(value, half, bound, least)
      return verdict.figure(limit(bound, 0.99, least), { value = value, half = half,
        values = VALUES }, 0.01)
    end
    assert.same({ 3, 0.5, 0, "meets" }, { of(3, 0.5, 3.5).value, of(3, 0.5, 3.5).half,
      of(3, 0.5, 3.5).bias, of(3, 0.5, 3.5).state })
    assert.equal("undecided", of(3, 0.5, 3.4).state)
    assert.equal("undecided", of(3, 0.5, 2.6).state)
    assert.equal("misses", of(3, 0.5, 2.4).state)
    assert.equal("meets", of(3, 0.5, 2.5, true).state)
    assert.equal("misses", of(3, 0.5, 3.6, true).state)
  end)

  it("is open where the run withholds its interval, but for what is sure without", function()
    local needs = { requests = 9000, by = "length" }
    local function of(bound, met, last)
      return verdict.figure(limit(bound), { value = 3, needs = needs, met = met,
        values = VALUES }, 0.01, last)
    end
    local open = of(1.01)
    assert.same({ 3, "undecided", 9000 }, { open.value, open.state, open.needs.requests })
    assert.is_nil(open.half)
    assert.equal("meets", of(3.1, true).state)
    assert.equal("misses", of(1.01, false).state)
    -- Short runs make times too small: what all replications miss is missed.
    assert.equal("misses", of(mean - up - 1e-9).state)
    assert.equal("undecided", of(mean - up + 1e-9).state)
    -- There will be no longer ones: the values decide.
    assert.equal("meets", of(mean + up + 1e-9, nil, true).state)
    near(mean, of(mean + up + 1e-9, nil, true).value)
  end)

  it("is held again where it still moves towards its limit", function()
    local function seen(value, bound, least)
      return { figures = { { value = value, limit = bound, least = least } } }
    end
    assert.is_true(verdict.settled(seen(1.0, 2), seen(1.5, 2)))
    assert.is_false(verdict.settled(seen(1.0, 2), seen(1.51, 2)))
    assert.is_true(verdict.settled(seen(3, 2), seen(1.99, 2)))
    assert.is_false(verdict.settled(seen(3, 2, true), seen(2.4, 2, true)))
    assert.is_true(verdict.settled(seen(3, 2, true), seen(2.5, 2, true)))
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
