-- The summary that tandem run prints.
local td = require "tandem"
local fixture = require "tests.spec.support.result_fixture"
local result = require "tandem.result"
local styles = require "tandem.plot.style"
local judgement = require "tandem.report.judgement"

-- A scenario that accepts every variation, as far as advice can tell.
local willing = { try_with = function(self) return self end }
local unwilling = { try_with = function() return nil, {} end }

local function report(raw, fields, options)
  options = options or {}
  local scenario = options.scenario or willing
  options.style, options.scenario = styles.new(fields or { unicode = true }), nil
  return result.wrap(raw, scenario):report(options)
end

local function has(text, part)
  return assert.is_true(text:find(part, 1, true) ~= nil, "missing: " .. part .. "\n" .. text)
end

describe("the report", function()
  it("says the verdict first", function()
    local lines = {}
    for line in report(fixture.demo()):gmatch "[^\n]*" do
      lines[#lines + 1] = line
    end
    assert.matches("^demo +seed 1 · 10 replications$", lines[1])
    assert.equal("MET       p99 71.2 ± 2.1 ms, wanted ≤ 250 ms", lines[3])
  end)

  it("has every part", function()
    local text = report(fixture.demo())
    for _, part in ipairs {
      "offered", "carried", "throughput", "goodput", "100 % of all arrivals within 250 ms",
      "1,960 requests in 10 × 9.80 s after 200 ms of warm-up (40 removed)",
      "p99.9", "42.31 ms  ± 0.12 ms", "Where the time goes", "waiting", "service", "Resources",
      "L40#1 gpu", "Bottleneck", "Over time", "QUEUE", "CPU", "H2D", "GPU", "D2H",
      "Little's law holds; every request accounted for",
    } do
      has(text, part)
    end
  end)

  it("says nothing of shares where nothing takes time", function()
    local text = tostring(td.scenario "zero" { cpu = 1, pipeline = { td.fixed "a" { time = 0 } },
      workload = td.paced { rps = 10, requests = 100 } }:run { replications = 1 })
    has(text, "in use 0 % of the time.")
    assert.is_nil(text:lower():find("nan", 1, true), text)
    assert.is_nil(text:find("Requests ", 1, true), text)
  end)

  -- A recording has its length, so that more of it are more replications.
  it("proposes what makes a run of recorded requests longer", function()
    local rows = {}
    for i = 1, 30 do rows[i] = { arrival = i * 0.1 } end
    local function proposed(workload)
      local text = td.scenario "rec" { workload = workload, cpu = 1, slo = { p99 = "300ms" },
        pipeline = { td.fixed "a" { time = td.exponential "50ms" } } }
        :run { replications = 3 }:report { file = "rec.lua" }
      return text:match "tandem run rec%.lua (%-%-%l+) [%d.]+%l* +as many requests as p99 needs"
    end
    assert.equal("--replications", proposed(td.replay { rows = rows }))
    assert.equal("--requests", proposed(td.poisson { rps = 10, requests = 30 }))
  end)

  it("says whether the precision that was asked for was reached", function()
    local function said(reached)
      local raw = fixture.demo()
      raw.precision = { reached = reached, looks = 2, simulated = 900, most = 900,
        confidence = 0.95,
        figures = { { name = "p99", within = 0.05, reached = reached and 0.04 or 0.06 } } }
      return report(raw, { color = true, unicode = true, width = 100 })
    end
    has(said(true), "\27[32mPRECISE ")
    has(said(false), "\27[33mUNSURE ")
  end)

  it("stays within the width, in Unicode and in ASCII", function()
    for _, make in ipairs { fixture.demo, fixture.overloaded, fixture.fleet } do
      for _, width in ipairs { 60, 80, 100 } do
        for _, unicode in ipairs { true, false } do
          local text = report(make(), { width = width, unicode = unicode }, { file = "demo" })
          for line in text:gmatch "[^\n]+" do
            -- Commands to copy are never cut.
            if not line:find("^  tandem ") then
              assert.is_true(styles.columns(line) <= width, line)
            end
            assert.is_true(unicode or not line:find "[\128-\255]", line)
            assert.is_nil(line:find "%s$")
          end
        end
      end
    end
  end)

  it("prints the same text twice", function()
    assert.equal(report(fixture.fleet()), report(fixture.fleet()))
  end)

  it("has no escape sequences unless it may be colored, nor from names", function()
    local raw = fixture.demo()
    raw.name, raw.stages[1].name, raw.resources[1].name = "x\27[2J", "y\27]0;z\7", "\27c"
    assert.is_nil(report(raw):find("\27", 1, true))
    has(report(fixture.demo(), { color = true, unicode = true }), "\27[32mMET     \27[0m")
  end)

  it("folds the GPUs of a kind", function()
    local text = report(fixture.fleet())
    has(text, "L40 ×3 gpu")
    has(text, "4 each")
    has(text, "60 – 80 %")
    has(text, "H100#4 gpu")
    assert.is_nil(text:find("L40#2", 1, true))
  end)

  it("keeps the rows of long tables that matter most, and counts the others", function()
    local pipeline = {}
    for i = 1, 70 do
      -- s8, s15, … s64 take longer than the others; of those the first come first.
      pipeline[i] = td.fixed("s" .. i) { time = i % 7 == 1 and "3us" or "1us" }
    end
    local run = td.scenario "long" { workload = td.poisson { rps = 10, requests = 20 },
      target = td.gpu "L40" {}, pipeline = pipeline, replications = 1 }:run {}
    local text = run:report { style = styles.new { unicode = true } }
    has(text, "… and 20 other stages")
    local seen = {}
    for number in text:gmatch "\n  s(%d+) +CPU" do seen[#seen + 1] = tonumber(number) end
    local wanted = {}
    for i = 1, 70 do
      -- 10 of 70 are long; 40 of the short ones: s2 … s47 without the long.
      if i % 7 == 1 or i <= 47 then wanted[#wanted + 1] = i end
    end
    assert.same(wanted, seen)
    assert.equal(70, #run:table("stages").rows)
  end)

  it("shows classes when there are several, each with its verdict", function()
    local text = report(fixture.fleet())
    has(text, "MET       chat p99")
    has(text, "MISSED    batch p95")
    has(text, "Classes")
    assert.is_nil(report(fixture.demo()):find("Classes", 1, true))
  end)

  it("states overload plainly", function()
    local text = report(fixture.overloaded())
    has(text, "OVERLOAD  L40#1 gpu is offered 144 % of what it can serve")
    has(text, "more about the run's length than the system")
    has((text:gsub("\n +", " ")), "It can carry about 100 /s; this load needs 1.4×")
  end)

  it("says when it cannot decide", function()
    local raw = fixture.demo()
    raw.classes[1].slo[1].met = nil
    has(report(raw), "UNSURE    p99")
    has(report(raw), "the interval contains the limit")
  end)

  it("says that it is partial when interrupted", function()
    local raw = fixture.demo()
    raw.interrupted = true
    has(report(raw), "PARTIAL")
  end)

  it("does not hide failed checks", function()
    local raw = fixture.demo()
    raw.checks = { little = 0.2, conservation = false, ok = false }
    has(report(raw), "FAILED  Little's law is off by 20 %; REQUESTS ARE MISSING")
  end)

  it("survives a run in which nothing was seen", function()
    local raw = fixture.demo()
    for _, resource in ipairs(raw.resources) do
      resource.utilization, resource.queue, resource.max_wait = {}, {}, nil
    end
    for _, stage in ipairs(raw.stages) do
      stage.wait, stage.service, stage.delayed = { mean = {} }, { mean = {} }, nil
    end
    raw.latency = { mean = {}, p50 = {}, p90 = {}, p95 = {}, p99 = {}, p999 = {} }
    raw.classes[1].latency, raw.classes[1].completed = raw.latency, 0
    raw.classes[1].slo[1].value, raw.classes[1].slo[1].met = {}, nil
    raw.offered_rps, raw.carried_rps, raw.throughput_rps, raw.goodput_rps = {}, {}, {}, {}
    raw.slo_met, raw.in_system, raw.duration_s, raw.requests = {}, {}, nil, 0
    has(report(raw), "0 requests")
    has(report(raw), "no request completed, so there is nothing to judge")
  end)

  it("shows memories by their size", function()
    local raw = fixture.demo()
    raw.resources[5] = { name = "L40#1 memory", lane = "MEMORY", servers = 1, gpu = "L40#1",
      kind = "L40", bytes = 48 * 2 ^ 30, utilization = { value = 0.93 }, queue = { value = 2.5 } }
    local text = report(raw)
    has(text, "48 GiB")
    has(text, "L40#1 memory is the bottleneck")
    has(text, "more memory")
  end)

  it("says when the run never settled", function()
    local raw = fixture.demo()
    raw.warmup_unsettled = true
    has(report(raw), "never settled down")
  end)

  it("sums up what hooks recorded", function()
    local raw = fixture.demo()
    raw.recorded = { depth = { count = 3, sum = 9, mean = 3, min = 1, max = 6,
      values = { 1, 2, 6 } } }
    has(report(raw), "depth  3 values  mean 3, from 1 to 6")
  end)

  it("counts goodput against the deadline, else the widest latency limit", function()
    local raw = fixture.demo()
    table.insert(raw.classes[1].slo,
      { metric = "p50", limit = 0.1, value = { value = 0.04 }, met = true })
    has(report(raw), "of all arrivals within 250 ms")
    local scenario = { try_with = willing.try_with, resolved = { { slo = { deadline = 0.5 } } } }
    has(report(fixture.demo(), nil, { scenario = scenario }), "of all arrivals within 500 ms")
  end)

  it("says where requests count that are served in time after the run's end", function()
    local raw = fixture.demo()
    assert.is_nil(report(raw):find("after the run's end", 1, true))
    raw.goodput_rps = { value = raw.throughput_rps.value * 1.01 }
    has(report(raw), "within 250 ms, some of them after")
  end)

  it("counts no goodput where nothing was wanted", function()
    local raw = fixture.demo()
    raw.classes[1].slo, raw.classes[1].slo_s = {}, nil
    assert.is_nil(report(raw):find("goodput", 1, true))
  end)

  it("leaves out what is not there", function()
    local raw = fixture.demo()
    raw.series, raw.checks, raw.classes[1].slo, raw.slo_met = nil, nil, nil, nil
    local text = report(raw)
    assert.is_nil(text:find("Over time", 1, true))
    assert.is_nil(text:find("Checks", 1, true))
    assert.is_nil(text:find("MET", 1, true))
  end)
end)

describe("the bottleneck in words", function()
  local function sentences(raw)
    return table.concat(judgement.bottleneck(result.wrap(raw)), " ")
  end

  it("says what saturates, when, and what would help", function()
    local raw = fixture.demo()
    raw.resources[3].utilization.value = 0.82
    local text = sentences(raw)
    has(text, "L40#1 gpu is the bottleneck: busy 82 % of the time")
    has(text, "It saturates at about 2.50 /s, 1.2× this load")
    has(text, "What would help: another GPU")
  end)

  it("says that nothing saturates, and where the time is instead", function()
    local text = sentences(fixture.demo())
    has(text, "Nothing is near saturation")
    has(text, "Most of a request's time is compute: 38.6 ms of 42.1 ms (91.8 %)")
  end)

  it("weighs classes by their requests", function()
    local raw = fixture.fleet()
    for index = 2, #raw.resources do
      raw.resources[index].utilization.value = 0.2
    end
    -- 42.1 ms less the two last stages for 1,960 requests, those two alone for 470.
    has(sentences(raw), "Most of an average request's time is compute: 31.1 ms of 33.3 ms")
    has(sentences(raw), "in use up to 20 % of the time")
  end)

  it("speaks of what is served where load is lost", function()
    local raw = fixture.demo()
    raw.offered_rps.value, raw.carried_rps.value, raw.throughput_rps.value = 50, 11.3, 11.3
    raw.resources[3].utilization.value = 0.9
    has(sentences(raw), "It can serve about 13 /s at most; 50 /s are offered.")
  end)

  it("does not count what is still queued as capacity", function()
    local raw = fixture.demo()
    raw.offered_rps.value, raw.carried_rps.value, raw.throughput_rps.value = 10, 10, 8
    raw.resources[3].utilization.value = 0.95
    has(sentences(raw), "It saturates at about 8.40 /s, 0.8× this load")
  end)

  it("says beside a verdict on a time how many have none", function()
    local s = td.scenario "lossy" { workload = td.poisson { rps = 100, duration = "20s" },
      target = td.gpu "A10G" { queue = 2 }, slo = { p99 = "600ms", met = 0.1 },
      pipeline = { td.stage "work" { on = "gpu", cost = td.exponential "50ms" } } }
    local r = s:run { replications = 4 }
    local share = 1 - r.carried_rps.value / r.offered_rps.value
    local by = {}
    for _, verdict in ipairs(r:verdicts()) do by[verdict.metric] = verdict end
    assert.near(share, by.p99.lost, 1e-9)
    assert.is_nil(by.met.lost)
    local text = tostring(r):gsub("%s+", " ")
    assert.matches("MET p99 ≈ %d+ ms, wanted ≤ 600 ms, of those served; 8[01]%.?%d? %% of "
      .. "requests are lost", text)
    assert.matches('"lost": 0.8', r:to_json(), 1, true)
    local whole = s:with { ["target.queue"] = 100000, rps = 10 }:run { replications = 2 }
    assert.is_nil(whole:to_json():find('"lost"', 1, true))
    assert.is_nil(tostring(whole):find("are lost", 1, true))
  end)

  it("says what was lost", function()
    has(sentences(fixture.fleet()), "20 requests (0.8 %) were turned away.")
  end)

  it("says when nothing is limited", function()
    local raw = fixture.demo()
    for _, resource in ipairs(raw.resources) do
      resource.servers = math.huge
    end
    has(sentences(raw), "No resource is limited")
  end)
end)

describe("advice", function()
  local function commands(raw, options, scenario)
    local found = {}
    for _, one in ipairs(judgement.advice(result.wrap(raw, scenario or willing), options)) do
      found[#found + 1] = one.command
    end
    return found
  end

  it("is two to four commands with the settings of this run", function()
    local found = commands(fixture.demo(), { file = "my file.lua", settings = { "a.b=1" } })
    assert.same({
      "tandem run 'my file.lua' --set a.b=1 workload.rps=89",
      "tandem run 'my file.lua' --set a.b=1 --trace trace.json",
      "tandem explain 'my file.lua' --set a.b=1",
      "tandem run 'my file.lua' --set a.b=1 --json",
    }, found)
  end)

  it("replaces the rate rather than setting it twice", function()
    assert.equal("tandem run demo --set workload.rps=89",
      commands(fixture.demo(), { file = "demo", settings = { "rps=2" } })[1])
  end)

  it("proposes no variation that the scenario refuses", function()
    for _, command in ipairs(commands(fixture.demo(), { file = "demo" }, unwilling)) do
      assert.is_nil(command:find("workload.rps", 1, true))
    end
  end)

  it("proposes more replications for wide intervals", function()
    local raw = fixture.demo()
    raw.latency.p99.half = 0.02
    local found = table.concat(commands(raw, { file = "demo" }), "\n")
    has(found, "tandem run demo --replications 40")
  end)

  it("has none for standard input", function()
    assert.same({}, commands(fixture.demo(), { file = "-" }))
  end)
end)

describe("a resource that is repaired", function()

  -- 20 a second while it is up, which it is 20 of 22 seconds: 18.2.
  local function run(rps)
    return assert(td.scenario "repaired" {
      workload = td.poisson { rps = rps, duration = "1000s" },
      target = td.gpu "A10G" { mtbf = "20s", mttr = "2s" },
      pipeline = { td.stage "work" { on = "gpu", cost = td.exponential "50ms" } },
    }:run { replications = 4 })
  end

  it("saturates at what it serves besides its repairs", function()
    local text = table.concat(judgement.bottleneck(run(15)), " ")
    has(text, "of the time and under repair 9")
    has(text, "It saturates at about 18 /s, 1.2× this load")
  end)

  it("is overloaded by more than that, though it is not always busy", function()
    local made = run(19)
    assert.is_true(made.resources[1].utilization.value < 0.95)
    assert.equal("A10G gpu", assert(made.overload).resource)
    assert.near(19 / (20 * 20 / 22), made.overload.load, 0.02)
    assert.is_nil(run(17).overload)
  end)
end)
