-- The statistics themselves: do intervals cover, does the warm-up end where it should, do common
-- random numbers help?
local td = require "tandem"
local check = require "tests.theory.support.check"
local formulas = require "tests.theory.support.formulas"

local function queue(rho)
  return check.station {
    name = "M/M/1 at " .. rho, workload = td.poisson { rps = rho }, time = td.exponential(1),
  }
end

describe("an interval over replications", function()
  it("covers the exact mean as often as it says", function()
    local scenario, runs, covered = queue(0.5), 200, 0
    for seed = 1, runs do
      local r = assert(scenario:run { requests = 6000, replications = 8, seed = seed,
        warmup = 60, confidence = 0.9 })
      local mean = r.latency.mean
      if math.abs(mean.value - 2) <= mean.half then covered = covered + 1 end
    end
    -- 185 expected (skew and few excursions make it a little longer), standard deviation 3.8.
    assert.is_true(covered > 163 and covered < 197, covered .. " of " .. runs)
  end)

  it("narrows with the square root of the run", function()
    local short = check.run(queue(0.5), { requests = 20000, warmup = 100 }).latency.mean.half
    local long = check.run(queue(0.5), { requests = 320000, warmup = 100 }).latency.mean.half
    assert.is_true(short / long > 2.4 and short / long < 6.5, short / long)
  end)

  it("of one long run by batch means agrees as well", function()
    local r = check.run(queue(0.8), { requests = 20000000, warmup = 1000, replications = 1 })
    check.agrees(r.latency.mean, 5, 0.03, "latency")
  end)
end)

describe("the warm-up", function()
  it("found by MSER covers the transient of an empty start", function()
    local r = check.run(queue(0.9), { requests = 100000, replications = 48, warmup = "auto" })
    check.agrees(r.stages[1].wait.mean, 9, 0.06, "wait")
    -- Customers arriving when it ends wait as long as any, within 2 %.
    local customer = math.min(math.floor(r.warmup_s * 0.9), 700)
    assert.is_true(formulas.transient_wait(0.9, 1, customer) > 0.98 * 9, customer)
    assert.is_nil(r.warmup_unsettled)
  end)

  it("is said to be unsettled when the run is too short to tell", function()
    local r = check.run(queue(0.9), { requests = 200, replications = 48, warmup = "auto" })
    assert.is_true(r.warmup_unsettled)
  end)
end)

describe("common random numbers", function()
  it("make the difference of two settings more certain", function()
    local base = check.station {
      name = "M/M/c", workload = td.poisson { rps = 3.6 }, time = td.exponential(1), servers = 4,
    }
    local more = base:with { ["resources.station.servers"] = 5 }
    local function latency(scenario, seed)
      return assert(scenario:run { requests = 20000, replications = 1, seed = seed,
        warmup = 200 }).latency.mean.value
    end
    local function variance(values)
      local mean, sum = 0, 0
      for _, v in ipairs(values) do mean = mean + v / #values end
      for _, v in ipairs(values) do sum = sum + (v - mean) ^ 2 end
      return sum / (#values - 1)
    end
    local common, alone = {}, {}
    for seed = 1, 60 do
      local four = latency(base, seed)
      common[seed] = four - latency(more, seed)
      alone[seed] = four - latency(more, seed + 1000)
      assert.is_true(common[seed] > 0) -- a server more never delays anybody
    end
    assert.is_true(variance(common) < variance(alone))
  end)
end)
