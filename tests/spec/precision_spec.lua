-- Runs that go on until their figures are as sure as was asked for: what is meant, what the next
-- look is, when it ends. That the intervals then hold is tests/theory/precision_spec's.
local td = require "tandem"
local precision = require "tandem.scenario.precision"

local function queue(fields)
  local body = { workload = td.poisson { rps = 0.5 }, cpu = { workers = 1 },
    pipeline = { td.fixed "work" { time = td.exponential(1) } }, requests = 2000 }
  for key, value in pairs(fields or {}) do body[key] = value end
  return td.scenario "queue" (body)
end

local function names(result)
  local out = {}
  for i, one in ipairs(result.precision.figures) do out[i] = one.name end
  return table.concat(out, " ")
end

describe("a precision", function()
  it("goes on until the figures are that sure", function()
    local looks = {}
    local r = assert(queue():run { precision = { p99 = "8%", mean = 0.02 },
      looked = function(result, outcome, more)
        looks[#looks + 1] = { result.requests, outcome.looks, more }
      end })
    assert.is_true(r.precision.reached)
    assert.is_true(r.latency.p99.half <= 0.08 * r.latency.p99.value)
    assert.is_true(r.latency.mean.half <= 0.02 * r.latency.mean.value)
    assert.equal("mean p99", names(r))
    assert.equal(r.precision.looks, #looks)
    assert.is_true(#looks >= 2 and #looks <= 5, #looks)
    assert.is_false(looks[#looks][3])
    assert.is_true(looks[1][3] and looks[1][1] < looks[2][1])
    local sum = 0
    for _, one in ipairs(looks) do sum = sum + one[1] end
    assert.is_true(r.precision.simulated >= sum)
    assert.is_true(r.precision.confidence > 0.95 and r.confidence == 0.95)
  end)

  it("ends at once where the first run suffices", function()
    local r = assert(queue():run { precision = "50%", requests = 50000 })
    assert.equal(1, r.precision.looks)
    assert.near(0.99, r.precision.confidence, 1e-12)
  end)

  it("means the objectives, or mean and p99", function()
    assert.equal("mean p99", names(assert(queue():run { precision = "30%", requests = 30000 })))
    local with = queue { slo = { p90 = "9s", met = 0.5, deadline = "3s", max = "1000s" } }
    assert.equal("met p90", names(assert(with:run { precision = "30%", requests = 30000 })))
    local mixed = assert(with:run { precision = { every = "30%", mean = "20%" },
      requests = 30000 })
    assert.equal("mean met p90", names(mixed))
    local two = td.scenario "two" { cpu = { workers = 1 }, slo = { p50 = "9s" },
      classes = { { name = "a", workload = td.poisson { rps = 0.2 } },
        { name = "b", workload = td.poisson { rps = 0.2 } } },
      pipeline = { td.fixed "work" { time = td.exponential(1) } }, requests = 20000 }
    assert.equal("a p50 b p50", names(assert(two:run { precision = "30%" })))
  end)

  it("is a key of scenarios, which sweeps leave alone", function()
    local scenario = queue { precision = "4%" }
    local r = assert(scenario:run {})
    assert.is_true(r.precision.reached and r.requests > 8 * 2000)
    assert.is_nil(assert(scenario:run { precision = false }).precision)
    assert.equal("tandem.Scenario", getmetatable(scenario).__name)
    local again = assert(require("tandem.scenario").check(
      require("tandem.scenario.json").read_scenario(scenario:to_json(), "=x")))
    assert.equal(scenario:hash(), again:hash())
    local swept = assert(td.sweep { scenario = scenario, over = { rps = { 0.5 } },
      replications = 8 })
    assert.is_true(swept.rows[1].requests <= 8 * 2000)
  end)

  it("gives the same bytes on any number of threads", function()
    local texts = {}
    for i, threads in ipairs { 1, 3 } do
      texts[i] = assert(queue():run { precision = "10%", threads = threads }):to_json()
    end
    assert.equal(texts[1], texts[2])
  end)

  it("keeps its bound, and says so", function()
    local r = assert(queue():run { precision = { p99 = "0.1%", requests = 200000 } })
    assert.is_false(r.precision.reached)
    assert.is_true(r.precision.simulated <= 200000)
    local text = r:report { style = require("tandem.plot.style").new { width = 200 } }
    assert.truthy(text:find("UNSURE    p99", 1, true))
    assert.truthy(text:find("200,000 requests that it may simulate", 1, true))
  end)

  it("does not wait for what never comes", function()
    local over = assert(queue { workload = td.poisson { rps = 2 } }:run { precision = "5%" })
    assert.is_false(over.precision.reached)
    assert.truthy(over.precision.why:find "overloaded")
    assert.equal(1, over.precision.looks)
  end)

  it("of a load that moves repeats it, and makes it no longer", function()
    local day = queue { workload = td.diurnal { mean = "0.3rps", peak = "0.5rps", period = "1h" },
      requests = 100000, duration = "2h", replications = 1 }
    local r = assert(day:run { precision = { mean = "20%" } })
    assert.is_true(r.precision.reached, r.precision.why)
    assert.is_true(r.replications >= 8)
    assert.near(7200, r.duration_s, 120)
  end)

  it("refuses what no run has", function()
    local ok, problems = pcall(queue().run, queue(), { precision = { p98 = "5%" } })
    assert.is_false(ok)
    assert.truthy(tostring(problems[1].message):find("did you mean 'p99'", 1, true))
    local r, message = queue():run { precision = { ["resources.gpu.utilization"] = "5%" } }
    assert.is_nil(r)
    assert.truthy(message:find("a run has no 'resources.gpu.utilization'", 1, true))
    ok = pcall(queue, { precision = { requests = 5 } })
    assert.is_false(ok)
  end)

  it("reads what a command line says", function()
    assert.equal("5%", precision.read "5%")
    assert.same({ every = "5%", mean = "2%", requests = 1e6 },
      precision.read "5%, mean=2%,requests=1e6")
    assert.is_nil(precision.read "p99=1%,p99=2%")
    assert.is_nil(precision.read "=5%")
  end)
end)

-- Student's quantiles at 97.5 %, from a table.
local STUDENT <const> = { [2] = 12.7062, [8] = 2.36462, [63] = 1.99897, [64] = 1.99834 }

describe("an interval of what is averaged over time", function()
  -- How far runs differ, by Student, which is all that is to be said of steady figures; what queues
  -- up is looked at within runs, too, until there are 64 of them.
  it("is of the runs, and of their parts where they are few", function()
    local s = td.scenario "two" { workload = td.poisson { rps = 1.5, duration = "60s" },
      cpu = { workers = 2 }, pipeline = { td.fixed "work" { time = td.exponential(1) } } }
    for runs, quantile in pairs(STUDENT) do
      local result = s:run { replications = runs, seed = 3, values = true }
      local function of_runs(estimate)
        local mean, squares = 0, 0
        assert.equal(runs, #estimate.values)
        for _, value in ipairs(estimate.values) do mean = mean + value / runs end
        for _, value in ipairs(estimate.values) do squares = squares + (value - mean) ^ 2 end
        assert.near(mean, estimate.value, 1e-12 * mean)
        return quantile * math.sqrt(squares / (runs - 1) / runs)
      end
      local steady, queued = result.throughput_rps, result.in_system
      local busy = result.resources[1].utilization
      assert.near(1, steady.half / of_runs(steady), 1e-5)
      assert.near(1, busy.half / of_runs(busy), 1e-5)
      local ratio = queued.seen.half / of_runs(queued)
      assert.equal(runs == 64, math.abs(ratio - 1) < 1e-5)
      assert.is_true(ratio > 0 and (not queued.half or queued.half >= queued.seen.half))
    end
  end)

  it("of one run is of its parts, and of none where the run has no end to its growth", function()
    local function one(rps)
      return td.scenario "one" { workload = td.poisson { rps = rps, duration = "960s" },
        cpu = { workers = 2 }, pipeline = { td.fixed "work" { time = td.exponential(1) } } }
        :run { replications = 1, seed = 5 }
    end
    -- Departures of such a queue are as random as its arrivals: Student's of some twenty parts.
    local half = one(1.5).throughput_rps.half / math.sqrt(1.5 / 960)
    assert.is_true(half > 2.1 / 1.8 and half < 2.1 * 1.8, half)
    local grown = one(3)
    assert.is_table(grown.overload)
    assert.is_nil(grown.throughput_rps.half)
    assert.is_nil(grown.in_system.half)
  end)
end)
