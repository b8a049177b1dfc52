-- Arrival processes: checks, and what each lowers to.

local td = require "tandem"

local function scenario(workload, extra)
  local raw = { name = "a", workload = workload, pipeline = { td.fixed "s" { time = 1e-3 } } }
  for k, v in pairs(extra or {}) do raw[k] = v end
  return td.check(raw)
end

local function lowered(workload, extra)
  local s, problems = scenario(workload, extra)
  assert.equal("no problems", tostring(problems))
  local m = s:model()
  return m.classes[1].arrivals, m
end

local function refused(workload, pattern)
  local s, problems = scenario(workload)
  assert.is_nil(s)
  assert.matches(pattern, tostring(problems), 1, true)
end

describe("arrivals", function()
  it("lower to the engine's kinds", function()
    assert.same({ kind = "renewal", gap = { dist = "exponential", mean = 0.05 } },
      lowered(td.poisson { rps = 20 }))
    assert.same({ kind = "renewal", gap = { dist = "exponential", mean = 0.5 } },
      lowered(td.poisson(2)))
    assert.same({ kind = "constant", rps = 15 }, lowered(td.paced { rps = "15rps" }))
    assert.same({ kind = "renewal", gap = { dist = "gamma", mean = 0.1, cv = 2 } },
      lowered(td.renewal { rps = 10, cv = 2 }))
    assert.same({ kind = "renewal", gap = { dist = "weibull", mean = 0.1, cv = 2 } },
      lowered(td.renewal { rps = 10, cv = 2, shape = "weibull" }))
    assert.same({ kind = "renewal", gap = { dist = "uniform", min = 0.001, max = 0.003 } },
      lowered(td.renewal { gap = td.uniform("1ms", "3ms") }))
    assert.same({ kind = "mmpp", states = { 5, 2, 50, 0.5 } },
      lowered(td.mmpp { { 5, "2s" }, { 50, "500ms" } }))
    assert.same({ kind = "mmpp", states = { 100, 1, 0, 3 } },
      lowered(td.bursts { rps = 100, on = "1s", off = "3s" }))
    assert.same({ kind = "curve", points = { 0, 10, 60, 20 }, period = 120 },
      lowered(td.curve { { "0s", "10rps" }, { "1min", 20 }, period = "2min" }))
    assert.same({ kind = "curve", points = { 0, 0, 10, 100 } },
      lowered(td.ramp { from = 0, to = 100, duration = "10s" }))
    assert.same({ kind = "curve", points = { 0, 5, 10, 5, 10, 50, 12, 50, 12, 5 } },
      lowered(td.spike { base = 5, peak = 50, at = "10s", width = "2s" }))
    assert.same({ kind = "closed", users = 8, think = { dist = "constant", value = 0.1 } },
      lowered(td.closed { users = 8, think = "100ms" }))
  end)

  it("take batches and a start", function()
    local a = lowered(td.poisson { rps = 1, batch = td.uniform(1, 5), start = "3s" })
    assert.same({ dist = "uniform", min = 1, max = 5 }, a.batch)
    assert.equal(3, a.start)
  end)

  it("lower a day to a sine with its mean, peak and hour", function()
    local a = lowered(td.diurnal { mean = 10, peak = 18 })
    local area, best, best_t = 0, 0, nil
    for i = 3, #a.points, 2 do
      area = area + (a.points[i] - a.points[i - 2]) * (a.points[i + 1] + a.points[i - 1]) / 2
      if a.points[i + 1] > best then best, best_t = a.points[i + 1], a.points[i] end
    end
    assert.is_true(math.abs(area / 86400 - 10) < 1e-9)
    assert.is_true(math.abs(best - 18) < 1e-9)
    assert.equal(14 * 3600, best_t)
    assert.equal(86400, a.period)
  end)

  it("carry Lua functions and coroutines", function()
    local fn = function() return 1 end
    assert.same({ kind = "lua", fn = fn }, lowered(td.arrivals(fn)))
    assert.same({ kind = "lua", fn = fn, coroutine = true }, lowered(td.arrivals_coroutine(fn)))
  end)

  it("stop when the workload says, unless the scenario says", function()
    local _, m = lowered(td.poisson { rps = 1, duration = "10s" })
    assert.equal(10, m.duration)
    assert.is_nil(m.requests)
    _, m = lowered(td.poisson { rps = 1, duration = "10s" }, { requests = 7 })
    assert.is_nil(m.duration)
    assert.equal(7, m.requests)
    _, m = lowered(td.poisson { rps = 1 })
    assert.equal(10000, m.requests)
  end)

  it("come several at once, one class each", function()
    local s = assert(scenario { td.poisson { rps = 1, class = "a", duration = "5s" },
      td.paced { rps = 2, class = "b" } })
    local m = s:model()
    assert.equal("a", m.classes[1].name)
    assert.equal("b", m.classes[2].name)
    assert.equal(5, m.classes[1].arrivals.duration)
  end)

  it("refuse what cannot be", function()
    refused(td.poisson { rps = 0 }, "more than 0")
    refused(td.poisson { rps = "2ms" }, "is a time; wanted a rate")
    refused(td.poisson { rsp = 2 }, "did you mean 'rps'")
    refused(td.renewal { rps = 2 }, "or rps and cv")
    refused(td.renewal { rps = 2, cv = 1, gap = 1 }, "not both")
    refused(td.mmpp { { 0, 1 }, { 0, 2 } }, "nothing would ever arrive")
    refused(td.curve { { 1, 1 }, { 0, 2 } }, "earlier than the one before")
    refused(td.diurnal { mean = 10, peak = 30 }, "more than twice the mean")
    refused(td.closed { users = 1.5 }, "whole number")
    refused(td.exponential "1s", "wanted an arrival process")
    refused(nil, "who arrives")
  end)

  -- Durations end at 26 days, 2^51 ns; times of a run must not.
  it("come of a coroutine beside other classes", function()
    local s = assert(scenario({ td.paced { rps = 5, requests = 10, class = "a" },
      td.arrivals_coroutine { class = "b", fn = function()
        for _ = 1, 20 do coroutine.yield(0.1) end
      end } }, { warmup = "none", replications = 1 }))
    local result = assert(s:run())
    assert.equal(10, result.classes[1].arrived)
    assert.equal(20, result.classes[2].arrived)
  end)

  it("say in a line what they are", function()
    local rows = { { arrival = 0 }, { arrival = 3 }, { arrival = 4 }, { arrival = 9 } }
    for words, workload in pairs {
      ["poisson: 20 rps, batches of 3, for 10 s"] = td.poisson { rps = 20, batch = 3,
        duration = "10s" },
      ["closed: 8 users, think 100 ms, 50 requests"] = td.closed { users = 8, think = "100ms",
        requests = 50 },
      ["mmpp: 2 states"] = td.mmpp { { 5, "2s" }, { 50, "500ms" } },
      ["replay: from 2 s, to 5 s, rows, 2 requests"] = td.replay { rows = rows, from = 2, to = 5 },
    } do
      assert.matches("workload  " .. words .. "\n", tostring(scenario(workload)), 1, true)
    end
  end)

  it("go on for years at their rate", function()
    local rate = 1 / 3600
    for name, workload in pairs { paced = td.paced { rps = rate },
      mmpp = td.mmpp { { rate / 2, "10h" }, { rate * 1.5, "10h" } },
      curve = td.curve { { 0, rate }, { 10, rate } } } do
      workload.requests = 20000
      local result = assert(scenario(workload, { warmup = "none", replications = 1 })):run()
      assert.near(1, result.offered_rps.value / rate, name == "paced" and 1e-3 or 0.05, name)
      assert.near(1e-3, result.latency.max, 1e-9, name)
    end
  end)

  it("notice when they would stop before they begin", function()
    refused(td.poisson { rps = 1, start = "20s", duration = "10s" },
      "workload: arrivals of class 'default' begin at 20 s and stop at 10 s: there are none")
    assert.is_table(lowered(td.poisson { rps = 1, start = "20s", duration = "10s" },
      { duration = "30s" }))
  end)

  it("are as rare as one likes, and none comes after 146 years", function()
    for _, engine in ipairs { "lowered", "event" } do
      local function run(rps, requests)
        return td.scenario "rare" { workload = td.poisson { rps = rps, requests = requests },
          cpu = { workers = 1 }, pipeline = { td.fixed "work" { time = "10ms" } } }
          :run { replications = 4, seed = 2, engine = engine, warmup = "none" }
      end
      -- Gaps of 46 days, longer than a duration may be.
      local rare = run(2.5e-7, 200)
      assert.equal(800, rare.requests)
      assert.is_true(math.abs(rare.duration_s / (200 / 2.5e-7) - 1) < 0.15)
      -- Of 12,000 that would take 380 years.
      local never = run(1e-6, 12000)
      assert.is_true(math.abs(never.requests / 4 / (2 ^ 62 * 1e-15) - 1) < 0.05)
      assert.is_true(never.latency.max < 0.1)
    end
  end)
end)
