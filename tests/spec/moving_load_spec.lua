-- Loads that move: what is measured of whole runs, and what queueing theory says of their course.
local core = require "tandem.core"
local course = require "tandem.explain.course"
local td = require "tandem"

-- One server of 10 ms: 100 requests a second at most.
local function server(points, options)
  local raw = { workload = td.curve { points = points, duration = points[#points][1] },
    cpu = { workers = 1 }, pipeline = { td.fixed "work" { time = "10ms" } } }
  for key, value in pairs(options or {}) do raw[key] = value end
  return td.scenario "moving" (raw)
end

local function near(wanted, got, share)
  assert.is_true(math.abs(got - wanted) <= share * math.abs(wanted),
    ("%g, not %g"):format(got, wanted))
end

describe("a run of a load that moves", function()
  -- A quarter of an hour that rises from 10 to 90 a second.
  local ramp = { { 0, 10 }, { 900, 90 } }

  it("has no warm-up, so that what is offered is all of it", function()
    local r = server(ramp):run { replications = 4, seed = 3 }
    assert.is_true(r.moving)
    assert.equal(0, r.warmup_s)
    near(50, r.offered_rps.value, 0.02)
    local cut = server(ramp, { warmup = "300s" }):run { replications = 4, seed = 3 }
    assert.is_true(cut.warmup_s >= 300)
    assert.is_true(cut.offered_rps.value > 58)
    local steady = td.scenario "steady" { workload = td.poisson { rps = 50, requests = 4000 },
      pipeline = { td.fixed "work" { time = "10ms" } } }:run { replications = 2 }
    assert.is_nil(steady.moving)
  end)

  -- A day that ended after 10,000 requests was a night, and its plan a GPU too few.
  it("lasts until it has been seen whole where nothing says how long", function()
    local function extent(workload, more)
      local raw = { workload = workload, pipeline = { td.fixed "work" { time = "1ms" } } }
      for key, value in pairs(more or {}) do raw[key] = value end
      local model = td.scenario "extent"(raw):model()
      return model.duration, model.requests
    end
    assert.equal(86400, (extent(td.diurnal { mean = 4, peak = 7 })))
    -- 900 requests a minute, so 12 minutes for 10,000.
    assert.equal(720, (extent(td.diurnal { mean = 15, peak = 20, period = "60s" })))
    assert.equal(900, (extent(td.curve(ramp))))
    assert.same({ n = 2, nil, 10000 }, table.pack(extent(td.curve { { 0, 1 }, { 9, 3 } })))
    assert.same({ n = 2, nil, 500 }, table.pack(extent(td.curve(ramp), { requests = 500 })))
    assert.same({ n = 2, 60, nil }, table.pack(extent(td.curve(ramp), { duration = 60 })))
    assert.same({ n = 2, nil, 10000 }, table.pack(extent(td.poisson(5))))
  end)

  it("says that it ended before, in runs and in plans", function()
    local day = td.scenario "day" { workload = td.diurnal { mean = 4, peak = 7 },
      target = td.gpu "L40S" {}, pipeline = { td.stage "work" { on = "gpu", cost = "100ms" } },
      slo = { p99 = "1s" }, duration = "30min" }
    local r = day:run { replications = 2 }
    assert.equal(86400, r.course_s)
    local wanted = "takes 24 h to run its course and this run lasts 1,800 s.*%-%-duration 1d sees"
    assert.matches(wanted, (r:report():gsub("%s+", " ")))
    local text = tostring(td.plan.gpus { scenario = day, replications = 8 }):gsub("%s+", " ")
    assert.matches("takes 24 h to run its course and the scenario ends before", text)
    assert.is_nil(day:with { duration = "24h" }:run { replications = 1 }.course_s)
    assert.is_nil(server(ramp):run { replications = 1 }.course_s)
  end)

  it("has the intervals of whole runs, by how these differ", function()
    local scenario = server(ramp, { slo = { p99 = "2s" } })
    local r = scenario:run { replications = 6, seed = 3, values = true }
    for _, path in ipairs { "latency.mean", "latency.p50", "latency.p99" } do
      local figure = r:find(path)
      assert.is_true(figure.half > 0 and not figure.needs, path)
    end
    local _, half = core.stats.interval(r.in_system.values, 0.95)
    near(half, r.in_system.half, 1e-9)
    assert.is_true(r.classes[1].slo[1].met)
  end)

  it("says nothing of how runs differ where there is one", function()
    local r = server(ramp, { slo = { p99 = "2s" } }):run { replications = 1, seed = 3 }
    for _, path in ipairs { "latency.mean", "latency.p99", "in_system", "offered_rps",
      "throughput_rps" } do
      local figure = r:find(path)
      assert.is_nil(figure.half, path)
      assert.equal("replications", figure.needs.by, path)
    end
    assert.is_nil(r.classes[1].slo[1].met)
    local text = r:report { file = "moving.lua" }:gsub("%s+", " ")
    assert.matches("UNSURE p99 %S+ %S+ %(needs more replications%)", text)
    assert.matches("one run of a load that moves, and such runs differ", text)
    assert.matches("moving.lua %-%-replications 8 how much such runs differ", text)
  end)
end)

describe("a sweep of a load that moves", function()
  local ramp = { { 0, 10 }, { 300, 90 } }

  local function swept(replications)
    return td.sweep { scenario = server(ramp, { slo = { p99 = "2s" } }),
      over = { ["cpu.workers"] = { 1, 2 } }, replications = replications }
  end

  it("says that one run tells nothing sure", function()
    local sweep = swept(1)
    for _, row in ipairs(sweep.rows) do
      assert.is_true(row.unsure)
      assert.equal("replications", row.needs["latency.p99"].by)
    end
    local text = tostring(sweep)
    assert.matches("≈ yes", text)
    assert.matches("more replications would tell", text)
    assert.matches("not sure at 2 points", text)
  end)

  it("is sure where runs tell", function()
    for _, row in ipairs(swept(8).rows) do
      assert.is_false(row.unsure)
      assert.is_number(row.half["latency.p99"])
    end
  end)
end)

describe("the course of a load", function()
  it("that is too much for a while is Newell's", function()
    -- From 50 to 150 and back within 200 s: above 100 for 100 s, by 25 on average, so that 2,500
    -- wait; they are gone after √2 times as long.
    local scenario = server { { 0, 50 }, { 100, 150 }, { 200, 50 }, { 300, 50 } }
    local found = course.of(scenario:model())
    near(100, found.peak_s, 0.02)
    near(150, found.peak_rps, 0.02)
    near(100, found.over_s, 0.05)
    near(2500, found.backlog, 0.05)
    near(25, found.longest_s, 0.05)
    local text = scenario:explain():gsub("%s+", " ")
    assert.matches("At its peak, .- of 300 s, 150 /s arrive and cpu is offered 150 %%", text)
    assert.matches("More arrives than can be served for", text)
    local run = scenario:run { replications = 8, seed = 1 }
    near(run.latency.mean.value, 0.01 + found.wait_s, 0.06)
  end)

  it("sees the shortest peak, and those who are left when the last one has come", function()
    for _, workload in ipairs {
      td.spike { base = 20, peak = 300, at = "100s", width = "1s", duration = "600s" },
      td.ramp { from = 1, to = 400, duration = "100s" },
      td.curve { { 0, 10 }, { 9000, 10 }, { 9300, 400 }, { 9600, 10 }, { 20000, 10 },
        duration = "20000s" } } do
      local scenario = server({ { 0, 1 }, { 1, 1 } }, { workload = workload })
      local found = course.of(scenario:model())
      local run = scenario:run { replications = 16, seed = 1 }
      near(run.latency.mean.value, 0.01 + found.wait_s, 0.08)
    end
    local spike = course.of(server({ { 0, 1 }, { 1, 1 } }, { workload = td.spike { base = 20,
      peak = 300, at = "100s", width = "1s", duration = "600s" } }):model())
    assert.same({ 100, 300 }, { spike.peak_s, spike.peak_rps })
    near(200, spike.backlog, 1e-6)
    near(2, spike.longest_s, 1e-6)
    near(1, spike.over_s, 1e-6)
  end)

  it("tells no backlog of those who are turned away or give up", function()
    local scenario = server({ { 0, 50 }, { 100, 150 }, { 200, 50 } }, {
      resources = { td.pool "few" { servers = 1, queue = 5 } },
      pipeline = { td.fixed "work" { time = "10ms", on = "few" } } })
    assert.is_true(course.of(scenario:model()).lossy)
    local text = scenario:explain():gsub("%s+", " ")
    assert.matches("Requests are turned away or give up there; how many, a run tells", text)
    assert.is_nil(text:find("wait then", 1, true))
    assert.is_nil(text:find("Over its course", 1, true))
  end)

  it("is in the numbers, too", function()
    local model = server({ { 0, 50 }, { 100, 150 }, { 200, 50 } }):model()
    local numbers = require("tandem.explain").numbers(model)
    assert.equal("cpu", numbers.course.bottleneck)
    assert.equal(100, numbers.course.peak_s)
    assert.is_string(require("tandem.io.json").encode(numbers))
  end)

  it("counts those again who come to the queue again", function()
    local scenario = server({ { 0, 50 }, { 100, 150 }, { 200, 50 }, { 300, 50 } }, { pipeline = {
      td.fixed "work" { time = "8ms" }, td.fixed "rest" { time = "2ms" } } })
    local found = course.of(scenario:model())
    near(scenario:run { replications = 8, seed = 1 }.latency.mean.value, 0.01 + found.wait_s, 0.06)
    near(2500 * 10 * 2 / 12, found.backlog, 0.05)
  end)

  it("that is never too much is that of steady loads", function()
    local scenario = server({ { 0, 20 }, { 900, 90 }, { 1800, 20 } },
      { pipeline = { td.fixed "work" { time = td.exponential "10ms" } } })
    local found = course.of(scenario:model())
    assert.same({ 0, 0 }, { found.backlog, found.over_s })
    near(0.9, found.bottleneck.utilization, 0.02)
    local run = scenario:run { replications = 16, seed = 1 }
    near(run.latency.mean.value, 0.01 + found.wait_s, 0.06)
    assert.matches("cpu is busy 90 %%", (scenario:explain():gsub("%s+", " ")))
  end)

  it("is of what moves only", function()
    local steady = td.scenario "steady" { workload = td.poisson { rps = 50, requests = 4000 },
      cpu = { workers = 1 }, pipeline = { td.fixed "work" { time = "10ms" } } }
    assert.is_nil(course.of(steady:model()))
    -- Over one of its periods, however long it runs.
    local daily = td.scenario "daily" { workload = td.diurnal { mean = 50, peak = 80,
      peak_at = "14h", duration = "72h" },
      cpu = { workers = 1 }, pipeline = { td.fixed "work" { time = "10ms" } } }
    local found = course.of(daily:model())
    assert.equal(86400, found.length_s)
    near(14 * 3600, found.peak_s, 0.01)
    near(80, found.peak_rps, 0.01)
  end)
end)
