-- Several stations: Jackson and Burke, closed networks, fork and join, routers.
local td = require "tandem"
local check = require "tests.theory.support.check"
local formulas = require "tests.theory.support.formulas"

--- A chain of pools: { { mean, servers }, … }.
local function tandem(name, rps, steps, deadline)
  local resources, pipeline = {}, {}
  for i, step in ipairs(steps) do
    resources[i] = td.pool("p" .. i) { servers = step[2] }
    pipeline[i] = td.stage("s" .. i) { on = "p" .. i, cost = td.exponential(step[1]) }
  end
  return td.scenario(name) {
    workload = td.poisson { rps = rps }, resources = resources, pipeline = pipeline,
    slo = deadline and { deadline = deadline .. "s" },
  }
end

describe("a tandem", function()
  it("of five stations, T5, takes the sum of its parts", function()
    local steps = { { 0.8, 1 }, { 0.6, 1 }, { 4, 4 }, { 0.5, 1 }, { 0.7, 1 } }
    local exact = 0
    for _, step in ipairs(steps) do
      exact = exact + step[1] + formulas.mmc_wait(0.9, 1 / step[1], step[2])
    end
    check.same(exact, 18.840006)
    local r = check.run(tandem("T5", 0.9, steps), { requests = 2500000, warmup = 20000 })
    check.agrees(r.latency.mean, exact, nil, "latency")
    for i, step in ipairs(steps) do
      check.agrees(r.stages[i].wait.mean, formulas.mmc_wait(0.9, 1 / step[1], step[2]), 0.02,
        r.stages[i].name)
    end
  end)

  it("of two stations has independent sojourns", function()
    local a, b = 0.3, 0.55
    local function tail(t) return (b * math.exp(-a * t) - a * math.exp(-b * t)) / (b - a) end
    check.same(tail(5), 0.414173)
    check.same(tail(15), 0.024126)
    for _, t in ipairs { 5, 15 } do
      local r = check.run(tandem("two stations", 0.7, { { 1, 1 }, { 0.8, 1 } }, t),
        { requests = 4000000, warmup = 4000 })
      check.agrees(r.latency.mean, 1 / a + 1 / b, nil, "latency")
      check.rest(r.slo_met, tail(t), nil, "P(T > " .. t .. ")")
    end
  end)

  it("leaves as it came, by Burke", function()
    local r = check.run(tandem("Burke", 3.2, { { 1, 4 }, { 0.25, 1 } }),
      { requests = 2000000, warmup = 1500 })
    check.agrees(r.throughput_rps, 3.2, 0.005, "departures")
    -- Poisson departures: the second station is M/M/1 and no other.
    check.agrees(r.stages[2].wait.mean, 0.8 / (4 - 3.2), nil, "wait behind M/M/4")
  end)
end)

describe("a network", function()
  it("with feedback has product form", function()
    local r = check.run(td.scenario "feedback" {
      workload = td.poisson { rps = 0.6 }, resources = { td.pool "p" {} },
      pipeline = { td.loop "again" { again = 0.25,
        td.stage "work" { on = "p", cost = td.exponential(1) } } },
    }, { requests = 800000, warmup = 5000 })
    check.agrees(r.in_system, 4, 0.015, "in system")
    check.agrees(r.latency.mean, 4 / 0.6, 0.015, "latency")
    check.agrees(r.resources[1].utilization, 0.8, nil, "utilization")
  end)

  it("closed is solved by mean values, inside its bounds", function()
    local demands, users, think = { 1, 0.6, 0.4 }, 6, 4
    local queue, x = { 0, 0, 0 }, 0
    for n = 1, users do
      local total, stay = think, {}
      for k, d in ipairs(demands) do
        stay[k] = d * (1 + queue[k])
        total = total + stay[k]
      end
      x = n / total
      for k in ipairs(demands) do queue[k] = x * stay[k] end
    end
    assert.is_true(x <= math.min(1 / 1, users / (2 + think)))
    local resources, pipeline = {}, {}
    for k, d in ipairs(demands) do
      resources[k] = td.pool("p" .. k) {}
      pipeline[k] = td.stage("s" .. k) { on = "p" .. k, cost = td.exponential(d) }
    end
    local r = check.run(td.scenario "closed" {
      workload = td.closed { users = users, think = td.exponential(think) },
      resources = resources, pipeline = pipeline,
    }, { duration = 80000, warmup = 500 })
    check.agrees(r.throughput_rps, x, nil, "throughput")
    check.agrees(r.latency.mean, users / x - think, nil, "response")
    for k in ipairs(demands) do
      check.agrees(r.resources[k].utilization, x * demands[k], nil, "utilization")
    end
  end)

  it("that forks to two M/M/1 joins by Flatto and Hahn", function()
    local exact = (12 - 0.7) / 8 / 0.3
    check.same(exact, 4.708333)
    local r = check.run(td.scenario "fork and join" {
      workload = td.poisson { rps = 0.7 }, resources = { td.pool "a" {}, td.pool "b" {} },
      pipeline = { td.fork "both" {
        { td.stage "left" { on = "a", cost = td.exponential(1) } },
        { td.stage "right" { on = "b", cost = td.exponential(1) } } } },
    }, { requests = 500000, warmup = 2000 })
    check.agrees(r.latency.mean, exact, nil, "latency")
  end)
end)

describe("a router", function()
  local function fleet(count, router, rps)
    return td.scenario(router .. " of " .. count) {
      workload = td.poisson { rps = rps },
      target = td.fleet "fleet" { td.gpu "L40" { count = count }, router = router },
      pipeline = { td.stage "work" { on = "gpu", cost = td.exponential(1) } },
    }
  end

  it("at random makes independent M/M/1", function()
    local r = check.run(fleet(4, "random", 3.2), { requests = 1000000, warmup = 2000 })
    check.agrees(r.latency.mean, 5, nil, "latency")
  end)

  it("to the shortest queue lies between one queue and two choices", function()
    local pooled = 1 + formulas.mmc_wait(3.2, 1, 4)
    local jsq = check.run(fleet(4, "least_outstanding", 3.2),
      { requests = 250000, warmup = 1500 }).latency.mean
    local two = check.run(fleet(4, "power_of_two", 3.2),
      { requests = 250000, warmup = 1500 }).latency.mean
    assert.is_true(jsq.value - jsq.half > pooled)
    assert.is_true(jsq.value + jsq.half < two.value - two.half)
    assert.is_true(two.value + two.half < 5)
  end)

  it("with two choices tends to the limit of many", function()
    local limit = 0
    for k = 1, 12 do limit = limit + 0.9 ^ (2 ^ k - 1) / 0.9 end
    check.same(limit, 2.614057)
    local small = check.run(fleet(25, "power_of_two", 22.5), { requests = 400000, warmup = 500 })
    local large = check.run(fleet(50, "power_of_two", 45), { requests = 400000, warmup = 300 })
    local near, far = large.latency.mean, small.latency.mean
    -- The bias is of order 1/N: twice the size, half of it; what is left is of order 1/N².
    local value = 2 * near.value - far.value
    local half = math.sqrt(4 * near.half ^ 2 + far.half ^ 2)
    assert.is_true(far.value > near.value and near.value > limit)
    check.agrees({ value = value, half = half + 0.005 * limit }, limit, 0.04, "extrapolated")
  end)
end)
