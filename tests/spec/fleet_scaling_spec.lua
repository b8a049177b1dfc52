-- GPUs that come and go: by a schedule, by a rule, and what each hour of a day needs.
local td = require "tandem"

local function day(autoscale, changes)
  local body = {
    workload = td.diurnal { mean = 8, peak = 15, peak_at = "14min", period = "24min",
      duration = "24min" },
    target = td.gpu "L4" { count = 6, price = "1$/h", autoscale = autoscale },
    router = "least_outstanding",
    pipeline = { td.stage "infer" { on = "gpu", cost = td.gamma { mean = "150ms", cv = 0.5 } } },
    slo = { deadline = "1s", met = 0.97 }, warmup = "none", replications = 4,
  }
  for key, value in pairs(changes or {}) do body[key] = value end
  return td.scenario "a day" (body)
end

local function held(result, index)
  local sum = 0
  for _, station in ipairs(result.windows.stations) do
    sum = sum + (station.held and station.held[index] or 0)
  end
  return sum
end

describe("GPUs that come and go", function()
  it("follow a schedule", function()
    local result = assert(day { schedule = { { 0, 2 }, { "8min", 4 }, { "20min", 3 } } }
      :run { windows = 60 })
    for index, wanted in pairs { [1] = 2, [8] = 2, [9] = 4, [20] = 4, [24] = 3 } do
      assert(math.abs(held(result, index) - wanted) < 0.02, ("%d: %g"):format(index,
        held(result, index)))
    end
    assert.equal(4, result.gpus_held.peak.value)
    assert(math.abs(result.gpus_held.mean.value - (8 * 2 + 12 * 4 + 4 * 3) / 24) < 0.01)
    assert.truthy(tostring(result):find("GPUs held", 1, true))
  end)

  it("are told of from the end of the warm-up on", function()
    local result = assert(day({ schedule = { { 0, 2 }, { "8min", 4 }, { "20min", 3 } } },
      { warmup = "6min" }):run { windows = 60 })
    local first = result.windows.items[1].from_s
    assert.equal(360, first)
    assert.equal(18, #result.windows.items)
    for _, station in ipairs(result.windows.stations) do
      if station.held then assert.equal(18, #station.held) end
      assert.equal(18, #station.busy)
    end
    for index, wanted in pairs { [1] = 2, [2] = 2, [3] = 4, [14] = 4, [18] = 3 } do
      assert(math.abs(held(result, index) - wanted) < 0.02, ("%d: %g"):format(index,
        held(result, index)))
    end
  end)

  -- Once as many as there may be are there, they serve as a fleet of that many does.
  it("serve as a fleet of so many", function()
    local always = assert(day(nil, { target = td.gpu "L4" { count = 3 } }):run { windows = 60 })
    local stepped = assert(day { schedule = { { 0, 3 } } }:run { windows = 60 })
    assert.equal(always.latency.p99.value, stepped.latency.p99.value)
    assert.equal(always.latency.mean.value, stepped.latency.mean.value)
  end)

  it("follow a rule after its delay", function()
    local rule = { metric = "utilization", target = 0.6, every = "5s", provision = "20s",
      down_after = "60s" }
    local quick = assert(day(rule):run { windows = 60 })
    rule.provision = "4min"
    local slow = assert(day(rule):run { windows = 60 })
    assert(quick.gpus_held.mean.value < 5 and quick.gpus_held.mean.value > 2)
    assert(slow.latency.p99.value > quick.latency.p99.value)
    assert.equal(quick.requests, slow.requests) -- nobody is left behind on a GPU that goes
    assert.is_true(quick.checks.ok and slow.checks.ok)
  end)

  -- Two GPUs take requests shortly before 10 s; then one is enough, and the second finishes what it
  -- has. What waits there and how busy it is no longer counts; what it has not finished does.
  it("count for their rule as it says", function()
    local function fleet(metric, target, arrivals)
      local rows = { { arrival = 0, work = 0.001 } }
      for _, one in ipairs(arrivals) do
        for _ = 1, one.times or 1 do rows[#rows + 1] = { arrival = one[1], work = one[2] } end
      end
      local result = assert(day({ metric = metric, target = target, tolerance = 0, start = 2,
        every = "10s", down_after = 0, provision = 0 }, { workload = td.replay { rows = rows },
        replications = 1, pipeline = { td.stage "infer" { on = "gpu",
        cost = function(r) return r.work end } } }):run { windows = 10 })
      local out = {}
      for index = 1, 3 do out[index] = math.floor(held(result, index) * 1000 + 0.5) / 1000 end
      return out
    end
    -- Busy for 0.1 of 10 s each, then for 0.4: wanted are 0.2 / 0.6, then 0.4 / 0.6 of a GPU.
    assert.same({ 2, 1.4, 1 }, fleet("utilization", 0.6, { { 9, 5, times = 2 }, { 35, 1 } }))
    -- Two wait, one at each GPU, then a third at the first: 2 / 2 and 2 / 2, not 3 / 2. The second
    -- is done at 24 s.
    local busy = { { 9, 11.5 }, { 9, 30 }, { 9, 3.5 }, { 9, 30 }, { 12, 1 }, { 35, 1 } }
    assert.same({ 2, 2, 1.4 }, fleet("queue", 2, busy))
    -- Of four requests one is enough, of five two are wanted: the second stays.
    assert.same({ 2, 2, 2 }, fleet("outstanding", 4, busy))
  end)

  it("are refused with a reason", function()
    local function wrong(autoscale, changes)
      local ok, problems = pcall(day, autoscale, changes)
      return ok and "fine" or tostring(problems)
    end
    assert.truthy(wrong({}):find("target", 1, true))
    assert.truthy(wrong({ target = 2, metric = "utilization" }):find("is a share", 1, true))
    assert.truthy(wrong({ target = 2 }, { target = td.gpu "L4" { count = 2, outages = { { 5, 5 } },
      autoscale = { target = 2 } } }):find("outages are of GPUs that are there", 1, true))
    assert.truthy(wrong({ target = 2, start = 9 }):find("starts with 9 of 6", 1, true))
    assert.truthy(wrong({ schedule = { { 0, 9 } } }):find("9 of 6 GPUs", 1, true))
    assert.truthy(wrong({ schedule = { { 1, 2 } } }):find("from 0 on", 1, true))
    assert.truthy(wrong(nil, { target = td.fleet "f" { td.gpu "L4" { count = 2,
      autoscale = { target = 2 } } } }):find("one kind of GPU", 1, true))
  end)
end)

describe("the series of a day", function()
  it("keeps the objective in every step, and with one fewer does not", function()
    local rule = { metric = "utilization", target = 0.6, every = "5s", provision = "20s",
      down_after = "60s" }
    local scenario = day(rule, { workload = td.curve { { 0, 6.3 }, { 299, 6.3 }, { 300, 19 },
      { 600, 19 }, duration = "10min" } })
    local search = require "tandem.plan.schedule"
    local out = search.of { scenario = scenario, step = 300 }
    assert.is_true(out.found and out.series.keeps)
    assert.equal(2, #out.steps)
    assert(out.steps[1].gpus < out.steps[2].gpus)
    assert.equal((out.steps[1].gpus + out.steps[2].gpus) / 2, out.series.mean)
    assert.equal(out.steps[2].gpus, out.constant.peak)
    assert(out.rule.gpu_hours > 0)
    -- Ten minutes at a dollar an hour.
    for _, one in ipairs { out.series, out.constant, out.rule } do
      assert.near(one.mean / 6, one.gpu_hours, 1e-9)
      assert.near(one.gpu_hours, one.usd, 1e-6)
    end
    for index = 1, 2 do
      local counts = { out.steps[1].gpus, out.steps[2].gpus }
      counts[index] = counts[index] - 1
      if counts[index] > 0 then
        local fewer = day({ schedule = { { 0, counts[1] }, { 300, counts[2] } } },
          { workload = scenario.workload, replications = 16 })
        local items = assert(fewer:run { windows = 300 }).windows
        local met = items.items[index].slo_met
        assert(met.value - met.half < 0.97, ("step %d: %g"):format(index, met.value))
      end
    end
  end)

  it("comes down to what the work takes, however many GPUs it began with", function()
    -- Each takes a second and has a second: forty come in each of the first sixty, then twenty. A
    -- search begins with ten percent more than are busy, five too many and three.
    local function searched(first, second)
      local rows = {}
      for i = 0, 60 * first - 1 do rows[#rows + 1] = { arrival = i / first } end
      for i = 0, 60 * second - 1 do rows[#rows + 1] = { arrival = 60 + i / second } end
      local scenario = td.scenario "two minutes" { warmup = "none", replications = 2,
        router = "least_outstanding", slo = { deadline = "1.001s", met = 0.9 },
        workload = td.replay { rows = rows, duration = "2min" },
        target = td.gpu "L4" { count = 50, autoscale = { schedule = { { 0, 50 } } } },
        pipeline = { td.stage "work" { on = "gpu", cost = "1s" } } }
      return scenario, require("tandem.plan.schedule").of { scenario = scenario, step = 60 }
    end
    local _, quiet = searched(4, 0.5) -- one GPU is the least
    assert.same({ 4, 1 }, { quiet.steps[1].gpus, quiet.steps[2].gpus })
    local scenario, out = searched(40, 20)
    assert.is_true(out.found and out.series.keeps)
    assert.same({ 40, 20 }, { out.steps[1].gpus, out.steps[2].gpus })
    -- One fewer of the first and a fortieth of its requests wait; of the second, a twentieth.
    for index, counts in ipairs { { 39, 20 }, { 40, 19 } } do
      local fewer = scenario:with { ["target.autoscale"] = { schedule = { { 0, counts[1] },
        { 60, counts[2] } } } }
      assert.is_true(assert(fewer:run { windows = 60 }).windows.items[index].slo_met.value < 0.9)
    end
  end)

  it("has the steps that are asked for, of its objectives' windows, or that fit the day", function()
    local search = require "tandem.plan.schedule"
    local function step(slo, wanted)
      local scenario = day({ schedule = { { 0, 2 } } }, { slo = slo })
      return search.of({ scenario = scenario, step = wanted, time_limit = 1e-9 }).step_s
    end
    local fitting = require("tandem.scenario.windows").fitting(24 * 60)
    assert.equal(120, step { p99 = "1s", within = "2min" })
    local share = { windows = "2min", share = "90%" }
    assert.equal(fitting, step { p99 = "1s", within = share })
    assert.equal(fitting, step { p99 = "1s" })
    assert.equal(360, step({ p99 = "1s", within = "2min" }, 360))
    assert.not_equal(120, fitting)
  end)

  it("is answered with the best series so far when it is stopped", function()
    local core = require "tandem.core"
    local search = require "tandem.plan.schedule"
    local style = require("tandem.plot.style").new {}
    local scenario = day({ schedule = { { 0, 2 } } }, { workload = td.curve { { 0, 6.3 },
      { 299, 6.3 }, { 300, 19 }, { 600, 19 }, duration = "10min" } })
    local whole = search.of { scenario = scenario, step = 300 }
    local told = {}
    local out = search.of { scenario = scenario, step = 300, tell = function(done, _, share, words)
      told[#told + 1] = { done = done, share = share, words = words() }
      if done == 2 then core.interrupt() end
    end }
    core.interrupt_clear()
    assert.equal("interrupted", out.stopped)
    assert.equal(2, out.simulations)
    assert.is_true(out.found and out.series.keeps)
    assert(out.series.mean >= whole.series.mean)
    local said = search.report(out, style)
    assert.matches("Interrupted: this is the best series so far", said, 1, true)
    assert.equal("no series is known to keep the objectives", told[1].words)
    assert.matches("^[36] GPUs at the mean keep the objectives", told[#told].words)
    for i = 2, #told do assert(told[i].share >= told[i - 1].share) end

    local none = search.of { scenario = scenario, step = 300, time_limit = 1e-9 }
    assert.equal("time", none.stopped)
    assert.is_false(none.found)
    assert.equal(0, none.simulations)
    assert.matches("There is no answer: the search was stopped before the first simulation",
      search.report(none, style), 1, true)
    assert.is_false(core.interrupted())
  end)
end)
