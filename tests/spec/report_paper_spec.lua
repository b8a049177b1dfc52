--- Whole reports of results made by hand, word for word: tests/data/reports_on_paper.txt has each
--- under the name of its case. What is judged, and at which thresholds, is below.
local cjson = require "cjson"
local columns = require "tandem.report.columns"
local fixture = require "tests.spec.support.result_fixture"
local infile = require "tandem.io.infile"
local judgement = require "tandem.report.judgement"
local llm = require "tandem.report.llm"
local requests = require "tandem.report.requests"
local result = require "tandem.result"
local styles = require "tandem.plot.style"
local td = require "tandem"
local timeline = require "tandem.report.timeline"

local willing = { try_with = function(self) return self end }

local function est(value, half) return { value = value, half = half } end

-- Two GPUs of a replica, a class less sure than the other, more of everything than nothing.
local function server(fields)
  local function times(scale)
    return { mean = est(0.2 * scale, 0.01 * scale), p50 = est(0.1 * scale), p90 = est(0.5 * scale),
      p99 = est(0.9 * scale, 0.1 * scale), max = 2 * scale }
  end
  local out = { name = "chat", replicas = 2, gpus = 4, ttft = times(1), tpot = times(0.1),
    itl = times(0.1), e2e = times(10), queueing = times(0.01), classes = {},
    output_tokens_per_s = est(1000, 20), output_tokens_per_s_gpu = est(250),
    prompt_tokens_per_s = est(4000, 50), cached = est(0), batch = est(12.5, 0.5),
    step_s = est(0.02), kv_mean = est(0.4, 0.01), kv_blocks = 5000, block_tokens = 16,
    kv_peak = est(0.9), replicas_mean = est(2), replicas_peak = est(2), gpu_seconds = est(7200),
    restarts = est(0), preemptions = est(0), swapped_out = est(0), accepted = {},
    adapter_loads = est(0) }
  for key, value in pairs(fields or {}) do out[key] = value end
  return out
end

local function tenant(name, scale)
  local of = server()
  return { name = name, output_tokens_per_s = est(100 * scale, 5), goodput_rps = est(2 * scale),
    queueing = of.queueing, ttft = of.ttft, tpot = of.tpot, itl = {}, e2e = of.e2e }
end

local function busy_server()
  local function held(blocks, seqs)
    return { blocks = est(blocks), seqs = est(seqs), tokens = est(0), rule = est(0) }
  end
  return server { cached = est(0.25), usd_per_million_tokens = est(1.5, 0.1), usd_per_hour = 5.4,
    fairness = est(0.98), tenants = { tenant("ann", 1), tenant("bob", 3), tenant("others", 1) },
    held = held(0.2, 0.3), replicas_mean = est(1.5, 0.1), restarts = est(0.01),
    preemptions = est(0.5, 0.1), swapped_out = est(30), accepted = est(0.7, 0.01),
    adapter_loads = est(0.1), power_w = est(900, 10), joules_per_output_token = est(0.9),
    api = est(0.95), transfer_bytes_per_s = est(3e9), pools = {
      { name = "chat prefill", role = "prefill", batch = est(2), step_s = est(0.05), gpus = 2,
        kv_peak = est(0.3) },
      { name = "chat decode", role = "decode", batch = est(20), step_s = est(0.02), gpus = 0,
        kv_peak = est(0.95) } },
    classes = { { name = "short", ttft = server().ttft }, { name = "long", e2e = server().e2e } } }
end

local CASES <const> = {
  { "the demo", function(raw) return raw end, { width = 96 }, { file = "demo.lua" } },
  { "the demo on a narrow terminal in ASCII", function(raw) return raw end,
    { width = 60, unicode = false }, { file = "demo.lua", settings = { "rps=3", "gpus=2" } } },
  { "an overloaded demo", function() return fixture.overloaded() end, { width = 96 },
    { file = "demo.lua", trace = "t.json", settings = { "workload.rps = 150" } } },
  { "a fleet of two kinds and classes", function() return fixture.fleet() end, { width = 96 },
    { timeline = false } },
  { "one replication that was interrupted", function(raw)
    raw.replications, raw.interrupted, raw.warmup_s, raw.warmup_requests = 1, true, 0, 0
    raw.latency.mean.half = nil
    raw.checks = { little = -0.03, conservation = false, ok = false }
    raw.recorded = { depth = { count = 12, mean = 2.5, min = 1, max = 4 } }
    raw.classes[1].slo[1].met = nil
    raw.unsettled = { resource = "L40#1 gpu", reason = "L40#1 gpu has ever more inside" }
    return raw
  end, { width = 96 }, { advice = false } },
  { "requests that were lost", function(raw)
    local class = raw.classes[1]
    class.arrived, class.dropped, class.abandoned, class.timed_out = 2000, 30, 1, 9
    class.slo[1].lost = 0.02
    raw.offered_rps, raw.warmup_unsettled, raw.warmup_requests = est(2.1, 0.04), true, 0
    raw.resources[3].utilization, raw.resources[3].queue = est(0.95, 0.01), est(1.5, 0.2)
    raw.resources[1].down, raw.resources[3].down = 0, 0.05
    raw.requests = 5
    return raw
  end, { width = 96 }, { file = "-" } },
  { "servers of language models", function(raw)
    raw.llm = { busy_server(), server { name = "small", gpus = 0, replicas = 1 } }
    raw.stages[3].batch = est(3.25)
    return raw
  end, { width = 110 }, { timeline = false, advice = false } },
  { "nothing that was served", function(raw)
    raw.classes[1].completed, raw.requests = 0, 0
    raw.classes[1].slo[1].value, raw.classes[1].slo[1].met = {}, false
    raw.series, raw.checks, raw.latency.max = nil, { conservation = true, ok = true }, nil
    raw.offered_rps, raw.carried_rps, raw.throughput_rps = est(0), est(0), est(0)
    for _, resource in ipairs(raw.resources) do resource.servers = math.huge end
    return raw
  end, { width = 96 }, {} },
}

local function report_of(case)
  local options = { style = styles.new { width = case[3].width,
    unicode = case[3].unicode ~= false } }
  for key, value in pairs(case[4]) do options[key] = value end
  return result.wrap(case[2](fixture.demo()), willing):report(options)
end

describe("a report on paper of", function()
  local texts, name = {}, nil
  for line in assert(infile.read "tests/data/reports_on_paper.txt"):gmatch "([^\n]*)\n" do
    local begun = line:match "^== (.+)"
    if begun then name, texts[begun] = begun, {} else table.insert(texts[name], line) end
  end
  for _, case in ipairs(CASES) do
    it(case[1], function() assert.equal(table.concat(texts[case[1]], "\n"), report_of(case)) end)
  end
end)

-- A result with one resource so busy, of which requests wait a share of their time.
local function plain(fields)
  local raw = { classes = { { name = "a", arrived = 100, completed = 100 } },
    stages = { { name = "work", class = "a", lane = "GPU", station = "gpu", visits = 100,
      wait = { mean = est(fields.wait or 0) }, service = { mean = est(1) } } },
    resources = { { name = "gpu", lane = "GPU", servers = 1, utilization = est(fields.busy or 0.5),
      queue = est(0), max_wait = 1, down = fields.down } },
    offered_rps = est(fields.offered or 10), carried_rps = est(fields.carried or 10),
    throughput_rps = est(fields.throughput or 10), latency = { p99 = est(1, fields.half) },
    replications = 4, requests = 1000 }
  for key, value in pairs(fields.more or {}) do raw[key] = value end
  raw.scenario = function() return willing end
  raw.verdicts = function() return {} end
  return raw
end

local function words(fields)
  return table.concat(judgement.bottleneck(plain(fields)), " ")
end

describe("what a report judges", function()
  it("is the bottleneck from 70 %, and near no saturation below 30 %", function()
    local most = "Most of a request's time is work: 1 s of 1 s (100 %); only less work there, or "
      .. "faster hardware, makes requests faster."
    local help = "What would help: another GPU, a faster kind, batching, or a shorter kernel."
    assert.equal("gpu is the bottleneck: busy 70 % of the time. It saturates at about 14 /s, 1.4× "
      .. "this load. Requests hardly ever wait. " .. help, words { busy = 0.7 })
    assert.equal("gpu is the busiest: in use 69 % of the time. It saturates at about 14 /s, 1.4× "
      .. "this load. Requests hardly ever wait. " .. most, words { busy = 0.69 })
    assert.equal("gpu is the busiest: in use 30 % of the time. It saturates at about 33 /s, 3.3× "
      .. "this load. Requests hardly ever wait. " .. most, words { busy = 0.3 })
    assert.equal("Nothing is near saturation. gpu is the busiest: in use 29 % of the time. It "
      .. "saturates at about 34 /s, 3.4× this load. Requests hardly ever wait. " .. most,
      words { busy = 0.29 })
    assert.matches("It saturates at about 100 /s, 10× this load%.", words { busy = 0.1 })
    assert.matches("It saturates at about 99 /s, 9%.9× this load%.", words { busy = 0.101 })
  end)

  it("is what requests wait", function()
    assert.matches("Requests hardly ever wait%.", words { wait = 0.00099 })
    assert.matches("Requests wait 0%.1 %% of their time%.", words { wait = 0.00101 })
    assert.matches("Requests wait 50 %% of their time%..*work: 2 s of 2 s %(100 %%%); only",
      words { wait = 1 })
    assert.matches("work: 2%.10 s of 2%.10 s %(100 %%%), more than half of it waiting%.$",
      words { wait = 1.1 })
  end)

  it("is how much can be served where some is turned away", function()
    assert.matches("It can serve about 20 /s at most; 10 /s are offered%.",
      words { carried = 9.79 })
    assert.matches("It saturates at about 20 /s", words { carried = 9.81 })
    assert.is_nil(words({ throughput = 0 }):find("saturates", 1, true))
    assert.is_nil(words({ throughput = 0, carried = 0 }):find("serve", 1, true))
    assert.matches("time%. Requests", words { offered = 0, carried = 0 })
  end)

  it("counts only the time that it is up", function()
    assert.matches("in use 50 %% of the time and under repair 20 %%%. It saturates at about 16 /s",
      words { down = 0.2 })
    assert.is_nil(words({ down = 0.001 }):find("repair", 1, true))
    assert.matches("repair", words { down = 0.0011 })
    assert.is_nil(words({ down = 1 }):find("saturates", 1, true))
  end)

  it("is of all classes as they completed, stage by stage", function()
    local text = words { more = { classes = { { name = "a", arrived = 30, completed = 30 },
      { name = "b", arrived = 90, completed = 90 } },
      stages = { { name = "work", class = "a", lane = "GPU", visits = 60,
        wait = { mean = est(0.5) }, service = { mean = est(1) } },
        { name = "work", class = "b", lane = "GPU", visits = 90, wait = { mean = est(1) },
          service = { mean = est(0.2) } },
        { name = "rest", class = "b", lane = "CPU", visits = 45, wait = { mean = est(0) },
          service = { mean = est(1) } } } } }
    -- A quarter has 2 × 1.5 s, three quarters 1.2 s and half a second.
    assert.matches("Requests wait 49%.4 %% of their time%. Most of an average request's time is "
      .. "work: 1%.65 s of 2%.02 s %(81%.5 %%%), more than half of it waiting%.", text)
  end)

  it("says how many were lost, one or several", function()
    local function lost(fields)
      local class = { name = "a", arrived = 200, completed = 100 }
      for key, value in pairs(fields) do class[key] = value end
      return (words({ more = { classes = { class } } }):gsub("gpu is.*", ""))
    end
    assert.equal("1 request (0.5 %) was turned away. 2 requests (1 %) gave up waiting. 20 requests "
      .. "(10 %) timed out. ", lost { dropped = 1, abandoned = 2, timed_out = 20 })
    assert.equal("2 requests (1 %) were turned away. ", lost { dropped = 2, abandoned = 0 })
    assert.equal("", lost {})
  end)

  it("is overload, with what the system can carry", function()
    local function overload(load, offered, bound)
      return words { offered = offered, more = { overload = { load = load, reason = "it grows",
        resource = "gpu", bound = bound } } }
    end
    local help = " What would help: another GPU, a faster kind, batching, or a shorter kernel."
    assert.equal("it grows. It can carry about 50 /s; this load needs 2.0× the capacity." .. help,
      overload(2, 100))
    assert.equal("it grows. It can carry about 10 /s; this load needs 10× the capacity." .. help,
      overload(10, 100))
    assert.equal("it grows." .. help, overload(1, 100))
    assert.equal("it grows." .. help, overload(math.huge, 100))
    assert.matches("What would help: more replicas%.$", overload(1, 100, "rule"))
    assert.equal("a rule of its scheduler makes requests wait", judgement.bound { bound = "rule" })
    assert.is_nil(judgement.bound { bound = "none" })
  end)

  it("says later where batches fill up", function()
    local function later(fields)
      local stage = { name = "work", class = "a", lane = "GPU", station = "gpu", visits = 100,
        wait = { mean = est(0) }, service = { mean = est(1) }, batch = est(2) }
      for key, value in pairs(fields) do stage[key] = value end
      return words({ more = { stages = { stage } } }):find("or later as batches fill up", 1, true)
        ~= nil
    end
    assert.is_true(later {})
    assert.is_false(later { station = "cpu" })
    assert.is_false(later { batch = false })
    -- Of a GPU's station any stage of its lane tells.
    local function of_lane(lane, gpu)
      local stage = { name = "work", class = "a", lane = lane, visits = 100,
        wait = { mean = est(0) }, service = { mean = est(1) }, batch = est(2) }
      local raw = plain { more = { stages = { stage } } }
      raw.resources[1].gpu = gpu
      return table.concat(judgement.bottleneck(raw), " "):find("batches fill up", 1, true) ~= nil
    end
    assert.is_true(of_lane("GPU", "L40#1"))
    assert.is_false(of_lane("CPU", "L40#1"))
    assert.is_false(of_lane("GPU", nil))
  end)

  it("proposes a load where queues begin to matter, and more replications", function()
    local function advice(fields, options)
      options = options or {}
      options.file = options.file or "s.lua"
      local out = {}
      for i, one in ipairs(judgement.advice(plain(fields), options)) do out[i] = one.command end
      return out
    end
    assert.same({ "tandem run s.lua --set workload.rps=17", "tandem run s.lua --trace trace.json",
      "tandem explain s.lua", "tandem run s.lua --json" }, advice { half = 0.05 })
    assert.same({ "tandem run s.lua --set workload.rps=17", "tandem run s.lua --replications 16",
      "tandem run s.lua --trace trace.json", "tandem explain s.lua" }, advice { half = 0.051 })
    assert.same("tandem run s.lua --trace trace.json", advice({ busy = 0.6 })[1])
    assert.same("tandem run s.lua --set workload.rps=14", advice({ busy = 0.59 })[1])
    assert.same({ "tandem run s.lua --set gpus=2 workload.rps=4.20",
      "tandem explain s.lua --set gpus=2 'rps = 4'", "tandem run s.lua --set gpus=2 'rps = 4' "
        .. "--json" }, advice({ half = 1, more = { overload = { load = 2 } } },
      { settings = { "gpus=2", "rps = 4" }, trace = "t" }))
    assert.same({}, advice({}, { file = "-" }))
    -- An interval of nothing is not wide, and one that is not known neither.
    local trace = "tandem run s.lua --trace trace.json"
    assert.equal(trace, advice({ half = 1, more = { latency = { p99 = est(0, 1) } } })[2])
    assert.equal(trace, advice({ more = { latency = {} } })[2])
    assert.equal(trace, advice({ more = { overload = { load = math.huge } } })[1])
    assert.equal("tandem run s.lua --set workload.rps=8.50", advice({ more = {
      overload = { load = 1 } } })[1])
    assert.equal(trace, advice({ more = { scenario = false } })[2])
    assert.same("tandem run s.lua --trace trace.json", advice({ offered = 0, busy = 0.1 })[1])
  end)

  it("is how many requests the objectives lack, else p99", function()
    local trace = "tandem run s.lua --trace trace.json"
    local function proposed(verdicts, p99, more)
      local raw = plain { busy = 0.9, more = more }
      raw.latency = { p99 = p99 }
      raw.verdicts = function() return verdicts end
      local one = judgement.advice(raw, { file = "s.lua" })[1]
      return one.command:match "^tandem run s.lua (%-%-r.*)" or one.command, one.why
    end
    local function lacks(metric, count, met)
      return { metric = metric, met = met, value = { value = 1, needs = { requests = count } } }
    end
    -- 1,000 requests in 4 replications: for 5,000 in all each has 5 times its 250, and as
    -- much more as it is unsure how many excursions a run has.
    assert.same({ "--requests 2000", "as many requests as p99.9 needs" },
      { proposed { lacks("p95", 3000), lacks("p999", 5000), lacks("p99", 4000) } })
    assert.same({ "--requests 1200", "as many requests as p95 needs" },
      { proposed({ lacks("p95", 3000), lacks("p999", 5000, true), { metric = "mean" } },
        { value = 1, half = 1, needs = { requests = 9000 } }) })
    assert.same({ "--requests 4000", "as many requests as p99 needs" },
      { proposed({}, { value = 1, needs = { requests = 9000 } }) })
    assert.equal("--requests 4000", (proposed({ lacks("p99", 5000) }, nil,
      { warmup_requests = 1000 })))
    assert.equal(trace, (proposed { lacks("p99", 1.1e9) }))
    assert.equal(trace, (proposed({ lacks("p99", 5000) }, nil, { requests = 0 })))
    assert.equal(trace, (proposed({ lacks("p99", 5000) }, nil, { overload = { load = 1e400 } })))
  end)

  it("lengthens a run that has a duration, and multiplies a recorded one", function()
    local function proposed(workload, duration)
      local scenario = td.scenario "s" { workload = workload, duration = duration,
        target = td.gpu "L4" {}, pipeline = { td.fixed "work" { time = "1ms", on = "gpu" } } }
      local raw = plain { busy = 0.9 }
      raw.latency = { p99 = { value = 1, needs = { requests = 5000 } } }
      raw.scenario = function() return scenario end
      return judgement.advice(raw, { file = "s.lua" })[1].command
    end
    -- Five times what it has, times 1.1 + 2 √(5 ÷ 80) for its luck: eight times sixty seconds.
    assert.equal("tandem run s.lua --duration 480s",
      proposed(td.poisson { rps = 4 }, "60s"))
    assert.equal("tandem run s.lua --replications 32",
      proposed(td.replay { rows = { { arrival = 0 }, { arrival = 1 } } }))
  end)

  it("says what may fail and never did", function()
    local function station(name, fields)
      local out = { name = name, mtbf = 3600 }
      for key, value in pairs(fields or {}) do out[key] = value end
      return out
    end
    local function told(resources, seconds)
      local out = {}
      for i, text in ipairs(judgement.unseen { duration_s = seconds or 900, replications = 4,
        resources = resources }) do
        local who, time, count = text:match
          "^(.+) never failed in this run, of (.+) in all: .* so that (%S+) failures were to be"
        out[i] = ("%s, %s: %s"):format(who, time, count)
      end
      return out
    end
    local function gpu(i, lane, down)
      return station(("L40#%d %s"):format(i, lane), { kind = "L40", gpu = "L40#" .. i,
        down = down })
    end
    -- An hour in all, an hour between failures: one for each of them.
    assert.same({ "cpu, 1 h: 1" }, told { station "cpu", { name = "net" } })
    assert.same({ "L40 ×2, 1 h: 2" }, told { gpu(1, "gpu"), gpu(1, "h2d"), gpu(2, "gpu", 0),
      gpu(2, "h2d") })
    assert.same({}, told { gpu(1, "gpu"), gpu(2, "gpu", 0.01), gpu(3, "gpu", 0) })
    assert.same({ "chat ×2, 1,800 s: 1", "solo, 1,800 s: 0.5" }, told({ station("chat#1",
      { replica = true }), station("chat#2", { replica = true }),
      station("solo", { replica = true }) }, 450))
    assert.same({}, told({ station "cpu" }, 0))
    assert.same({}, judgement.unseen { replications = 4, resources = { station "cpu" } })
  end)

  it("finds the busiest that is limited, and calls what a replica computes by its steps", function()
    local raw = plain { busy = 0.5 }
    raw.resources[2] = { name = "desk", lane = "OTHER", servers = math.huge,
      utilization = est(7), queue = est(0) }
    raw.resources[3] = { name = "late", lane = "CPU", servers = 2, utilization = est(0.5),
      queue = est(0) }
    assert.equal("gpu", judgement.busiest(raw).name)
    raw.resources[3].utilization = est(0.51)
    assert.equal("late", judgement.busiest(raw).name)
    raw.resources = { { name = "chat#1", lane = "GPU", replica = true, servers = 1,
      utilization = est(0.9), queue = est(0) } }
    raw.llm = { { name = "chat", batch = est(7.5) }, { name = "other", batch = est(3) } }
    assert.equal("chat#1 computes 90 % of the time. Its steps hold 7.50 sequences on average and "
      .. "grow with the load, so being busy does not say how much more it can take: a higher rate "
      .. "does.", table.concat(judgement.bottleneck(raw), " "))
    raw.resources[1].name = "other prefill#1"
    raw.llm[2].pools = { { role = "decode", batch = est(1) }, { role = "prefill", batch = est(2) } }
    assert.matches("hold 2 sequences", table.concat(judgement.bottleneck(raw), " "))
  end)
end)

describe("the facts of an LLM server", function()
  local function facts(fields)
    local out = {}
    for _, row in ipairs(llm.facts(server(fields))) do out[row[1]] = row[2] .. " | " .. row[3] end
    return out
  end

  it("are only those that there are", function()
    assert.same({ output = "1,000 ± 20 tokens/s | 250 a GPU (2 replicas on 4 GPUs)",
      prompts = "4,000 ± 50 tokens/s | ", batch = "12.5 ± 0.5 | sequences a step, of 20 ms",
      ["KV cache"] = "40.0 ± 1.0 % | of 5,000 blocks of 16 tokens; at most 90 %" }, facts())
    assert.equal("1,000 ± 20 tokens/s | 1 replica", facts({ gpus = 0, replicas = 1,
      replicas_mean = {} }).output)
  end)

  it("are in the words of each", function()
    local made = facts(busy_server())
    for name, text in pairs {
      prompts = "4,000 ± 50 tokens/s | 25 % of them found in the cache",
      cost = "$1.50 ± $0.10 | a million output tokens, at $5.40 an hour",
      fairness = "0.980 | Jain's index of the 2 tenants' tokens by shares: 1 when each had what "
        .. "was due to it",
      ["held back"] = "30 % | of the time: as many sequences run as may (max_seqs)",
      ["chat prefill"] = "2 | a step, of 50 ms; KV cache at most 30 %; 2 GPUs",
      ["chat decode"] = "20 | a step, of 20 ms; KV cache at most 95 %",
      ["KV caches"] = "2.79 GiB/s | from prefill to decode replicas",
      replicas = "1.50 ± 0.10 | of 2 on average, 2 at most: 2 GPU-hours",
      ["begun anew"] = "0.0100 | times a request, because a replica failed",
      power = "900 ± 10 W | of the GPUs; 0.900 J an output token",
      ["API server"] = "95 % | of its workers' time: it is what requests wait for",
      preempted = "0.50 ± 0.10 | times a request",
      swapped = "30 | tokens a request to host memory and back",
      accepted = "70.0 ± 1.0 % | of the drafted tokens", adapters = "0.100 | loads a request",
    } do assert.equal(text, made[name]) end
    assert.equal("90 % | of its workers' time", facts({ api = est(0.9) })["API server"])
    assert.is_nil(facts({ fairness = est(1), tenants = { tenant("ann", 1) } }).fairness)
    assert.matches("the 2 tenants'", facts({ fairness = est(1),
      tenants = { tenant("ann", 1), tenant("bob", 1) } }).fairness)
  end)

  it("say what holds requests back from a thousandth on", function()
    local function held(a, b)
      return { held = { blocks = est(a), seqs = est(b), tokens = est(0), rule = est(0) } }
    end
    assert.matches("^0%.1 %% | of the time: requests wait for KV blocks$",
      facts(held(0.001, 0.001))["held back"])
    assert.is_nil(facts(held(0.00099, 0))["held back"])
    assert.same({ "", 0 }, { llm.held_most(server()) })
  end)

  it("are of tenants where there are several, of classes where these share it", function()
    assert.same({}, select(2, llm.tenants(server { tenants = { tenant("ann", 1) } })))
    local titles, rows = llm.tenants(busy_server())
    assert.same({ "ann", "100 ± 5", "2 /s", "2.00 ± 0.10 ms", "200 ± 10 ms", "900 ± 100 ms",
      "20.0 ± 1.0 ms", "90 ± 10 ms", "–", "2.00 ± 0.10 s", "9.0 ± 1.0 s" }, rows[1])
    assert.same({ nil, nil, 6, 10 }, { titles[2].optional, titles[6].optional, titles[7].optional,
      titles[11].optional })
    local _, times = llm.times { llm = { busy_server() } }
    local names = {}
    for i, row in ipairs(times) do names[i] = row[1] end
    assert.same({ "chat TTFT", "  short", "chat TPOT", "chat ITL", "chat E2E", "  long",
      "chat queueing" }, names)
    assert.same({ "chat TTFT", "200 ± 10 ms", "100 ms", "500 ms", "900 ± 100 ms", "2 s" },
      times[1])
    local one = server { classes = { { name = "only", ttft = server().ttft } } }
    assert.equal(5, #select(2, llm.times { llm = { one } }))
  end)
end)

describe("the verdicts of a report", function()
  it("say why an objective has no figure", function()
    local function why(metric, fields, of)
      local raw = of or fixture.demo()
      for key, value in pairs(fields or {}) do raw.classes[1][key] = value end
      raw.classes[1].slo = { { metric = metric, limit = 0.1, value = {}, met = raw.met } }
      return result.wrap(raw, willing):report { style = styles.new { width = 200 } }
        :match "wanted <= 100 ms; ([^\n]+)"
    end
    local token = "no answer had a second token, so there is no time between tokens"
    local nothing = "nothing was measured that it could be judged by"
    assert.equal("no request completed, so there is nothing to judge",
      why("p99", { completed = 0 }))
    assert.equal(token, why "tpot_p99")
    assert.equal(token, why "itl_mean")
    assert.equal(nothing, why "ttft_p99")
    assert.equal(nothing, why "p99")
    -- What another class completed says nothing.
    local fleet = fixture.fleet()
    fleet.classes[2].completed = 0
    assert.equal(nothing, why("p99", {}, fleet))
    fleet = fixture.fleet()
    fleet.met = false
    assert.equal("no request was served: all that left were lost",
      why("p99", { completed = 0 }, fleet))
  end)

  it("say in what groups requests come", function()
    local function groups(...)
      local classes = {}
      for i, size in ipairs { ... } do
        classes[i] = { name = "c" .. i, arrivals = { batch = size or nil } }
      end
      local one = result.wrap(fixture.demo(), { resolved = classes,
        try_with = function(self) return self end })
      return one:report { style = styles.new { width = 200 } }:match "requests arrived([^\n]*)"
    end
    assert.equal("", groups(false))
    assert.equal(", in groups of 4; rps counts groups", groups(4))
    assert.equal(", in groups of 2.50 at the mean; rps counts groups",
      groups { dist = "lua", fn = function(u) return 5 * u end })
    assert.equal(", in groups; rps counts groups", groups {})
    assert.equal(", c1 in groups of 4, c3 in groups; rps counts groups", groups(4, false, {}))
  end)
end)

describe("the requests of a run as a file", function()
  local log = { { id = 1, class = "a, b", arrival_s = 0.5, latency_s = 0.25, outcome = "ok" },
    { id = 2, class = "c", arrival_s = 1.5, outcome = "dropped" } }

  it("are CSV with titles, or JSON Lines", function()
    assert.equal('id,class,arrival_s,latency_s,outcome\n1,"a, b",0.5,0.25,ok\n2,c,1.5,,dropped\n',
      requests.text(log, "x.csv"))
    assert.equal("id,class,arrival_s,latency_s,outcome\n", requests.text({}, "jsonl"))
    local lines = {}
    for line in requests.text(log, "x.jsonl"):gmatch "([^\n]*)\n" do
      lines[#lines + 1] = cjson.decode(line)
    end
    assert.same(log, lines)
    assert.equal("", requests.text({}, "x.jsonl"))
  end)
end)

describe("groups and lanes of a report", function()
  it("have cells of one figure, or of the least and the most", function()
    local function gpu(i, busy, queue)
      return { name = ("L40#%d gpu"):format(i), gpu = "L40#" .. i, kind = "L40", lane = "GPU",
        servers = 2, utilization = est(busy), queue = est(queue), max_wait = 1 }
    end
    local function row(...)
      local one = columns.resources({ resources = { ... } }, styles.new { width = 80 }).rows[1]
      return { one[4].text or one[4], one[4].color or "", one[6] }
    end
    assert.same({ "50 – 70 %", "yellow", "0.500 – 2" }, row(gpu(1, 0.5, 2), gpu(2, 0.7, 0.5)))
    assert.same({ "69 %", "", "0" }, row(gpu(1, 0.69, 0), gpu(2, 0.69, 0)))
    assert.same({ "89 – 90 %", "red", "< 0.0001" }, row(gpu(1, 0.89, 1e-5), gpu(2, 0.9, 9e-5)))
    assert.same({ "89 %", "yellow", "0.000100" }, row(gpu(1, 0.89, 1e-4), gpu(2, 0.89, 1e-4)))
    -- Shares are no counts.
    assert.same({ "90 %", "red", "< 0.0001" }, row(gpu(1, 0.9, 1e-5)))
    assert.same({ "0.005 %", "", "0" }, row(gpu(1, 5e-5, 0), gpu(2, 5e-5, 0)))
  end)

  it("fold the GPUs of a kind, with what is most and least", function()
    local function gpu(i, busy, queue, wait, down)
      return { name = ("L40#%d gpu"):format(i), gpu = "L40#" .. i, kind = "L40", lane = "GPU",
        servers = 2, utilization = busy and est(busy), queue = est(queue), max_wait = wait,
        down = down }
    end
    local groups = columns.groups { resources = { gpu(1, 0.5, 2, 1, 0.1), gpu(2, 0.75, 1, 3, 0.2),
      gpu(3, nil, 1.5, nil, nil), { name = "cpu", lane = "CPU", servers = 4,
        utilization = est(0.2), queue = est(0) } } }
    assert.equal(2, #groups)
    local one = groups[1]
    assert.same({ "L40 ×3 gpu", 0.75, 0, 2, 1, 3, 0.2 }, { one.name, one.utilization.value,
      one.least, one.queue.value, one.least_queue, one.max_wait, one.down })
    assert.same({ "cpu", 0.2, 0, nil }, { groups[2].name, groups[2].least, groups[2].max_wait,
      groups[2].down })
    -- Others stand alone: of no GPU, of no kind, of another name, other replicas' stations.
    local alone = columns.groups { resources = { { name = "L40#1 gpu", kind = "L40", servers = 1 },
      { name = "L40#2 gpu", kind = "L40", servers = 1 }, { name = "A#1 gpu", gpu = "A#1",
        servers = 1 }, { name = "A#2 gpu", gpu = "A#2", servers = 1 }, { name = "x gpu",
        gpu = "B#1", kind = "B", servers = 1 }, { name = "y gpu", gpu = "B#2", kind = "B",
        servers = 1 } } }
    assert.equal(6, #alone)
    local replicas = columns.groups { resources = { { name = "chat#1", replica = true,
      servers = 1 }, { name = "chat#2", replica = true, servers = 1 }, { name = "other",
      replica = true, servers = 1 } } }
    assert.same({ "chat ×2", "other" }, { replicas[1].name, replicas[2].name })
    local apart = gpu(4, 0.5, 0, 0)
    apart.servers = 3
    assert.equal(2, #columns.groups { resources = { gpu(1, 0.5, 0, 0), apart } })
  end)

  it("are busy by the servers of a lane, and as many as work where there is no limit", function()
    local list, from, to = timeline.lanes { resources = {
      { name = "a", lane = "GPU", servers = 1 }, { name = "b", lane = "GPU", servers = 3 },
      { name = "net", lane = "CPU", servers = math.huge } },
      series = { t = { 5, 7 }, dt_s = 2, stations = {
        { name = "a", utilization = { 0.5, 0 }, queue = { 1, 2 } },
        { name = "b", utilization = { 1, 0.5 }, queue = { 0.5, 0 } },
        { name = "net", utilization = { 2, 5 }, queue = { 0, 0 } },
        { name = "gone", utilization = { 9, 9 }, queue = { 0, 0.25 } } } } }
    assert.same({ 5, 9 }, { from, to })
    assert.same({ { label = "QUEUE", values = { 1.5, 2.25 }, note = "peak 2.2 waiting" },
      { label = "CPU", values = { 2, 5 }, note = "peak 5 busy" },
      { label = "GPU", values = { 3.5 / 4, 1.5 / 4 }, note = "peak 87.5 % busy" } }, list)
    assert.is_nil((timeline.lanes { resources = {}, series = { t = { 1 }, stations = {} } }))
    local idle = timeline.lanes { resources = {}, series = { t = { 0, 1 }, dt_s = 1,
      stations = {} } }
    assert.equal("nobody waits", idle[1].note)
  end)

  it("tell a percentile that no request is beyond", function()
    local function few(count, replications)
      local of = { requests = count, replications = replications, latency = {
        p99 = est(0.5), p999 = est(0.9), mean = est(0.2), max = 1 } }
      local out = {}
      for i, row in ipairs(columns.latency(of, styles.new { width = 80 }).rows) do
        out[i] = row[1] .. (row[5].text ~= "" and " few" or "")
      end
      return table.concat(out, ", ")
    end
    assert.equal("mean, p99, p99.9 few, max", few(1000, 10))
    assert.equal("mean, p99 few, p99.9 few, max", few(999, 10))
    assert.equal("mean, p99, p99.9, max", few(1000, 1))
    assert.equal("mean, p99, p99.9 few, max", few(999, 0))
  end)

  it("draw latencies beside the largest, or the finest percentile where there is none", function()
    local function cells(max)
      local rows = columns.latency({ requests = 1e6, replications = 1, latency = {
        mean = est(0.5), p999 = est(1), max = max } }, styles.new { width = 80 }).rows
      return select(2, rows[1][4](10):gsub("%S", "")), (select(2, rows[2][4](10):gsub("%S", "")))
    end
    assert.same({ 3, 5 }, { cells(2) })
    assert.same({ 5, 10 }, { cells(nil) })
    assert.same({ 5, 10 }, { cells(0 / 0) })
    assert.same({ 5, 10 }, { cells(0) })
  end)

  it("have the name at the left and the run at the right, where both have room", function()
    local function title(name)
      local raw = fixture.demo()
      raw.name = name
      return result.wrap(raw, willing):report { style = styles.new { width = 60 } }
        :match "^([^\n]*)\n([^\n]*)"
    end
    local facts = "seed 1 | 10 replications"
    local room = 60 - #facts
    assert.equal(("x"):rep(room - 2) .. "  " .. facts, (title(("x"):rep(room - 2))))
    assert.same({ ("x"):rep(room - 1), facts }, { title(("x"):rep(room - 1)) })
  end)

  it("have advice beside its commands where both have room", function()
    local function beside(width)
      local text = result.wrap(fixture.demo(), willing):report { file = "s.lua",
        style = styles.new { width = width } }
      return text:find("rps=89  a load", 1, true) ~= nil
    end
    -- "  tandem run s.lua --set workload.rps=89  a load where queues begin to matter"
    local line = "  tandem run s.lua --set workload.rps=89  a load where queues begin to matter"
    assert.is_true(beside(#line))
    assert.is_false(beside(#line - 1))
  end)

  it("have plots of where the time goes, of latencies and lanes", function()
    local plot, plots, kept = require "tandem.plot", require "tandem.report.plots", {}
    for _, kind in ipairs { "bar", "histogram", "cdf", "lanes" } do
      kept[kind] = plot[kind]
      plot[kind] = function(...) return { kind = kind, ... } end
    end
    local raw = plain { wait = 0.25 }
    raw.stages[1].visits, raw.histogram = 300, { edges_s = { 1, 2 }, counts = { 7 } }
    local ok, made = pcall(function()
      return { plots.of(raw, "stages"), plots.of(raw, "latency"), plots.of(raw, "cdf"),
        plots.of(fixture.demo(), "timeline") }
    end)
    for kind, own in pairs(kept) do plot[kind] = own end
    assert.is_true(ok, made)
    assert.same({ labels = { "work" }, values = { 3.75 }, notes = { "3.75 s" }, unit = "time" },
      made[1][1])
    assert.same({ "histogram", { edges = { 1, 2 }, counts = { 7 }, kind = "time" } },
      { made[2].kind, made[2][1] })
    assert.same({ "cdf", "lanes", 5, 0, 10 }, { made[3].kind, made[4].kind, #made[4][1],
      made[4][2], made[4][3] })
  end)
end)

return { cases = CASES, report_of = report_of }
