--- Whole plans on simulations that are made up: which are asked for, what is concluded, every word
--- of it. The figures are simple functions of load and GPUs, so that answers follow by hand; the
--- texts are in tests/data/plans_on_paper.txt, each under the name of its case.
local infile = require "tandem.io.infile"
local paper = require "tests.spec.support.paper"
local styles = require "tandem.plot.style"
local td = require "tandem"

local STYLE <const> = styles.new { width = 88, unicode = true }

-- ---- scenarios

-- Each L40S has two places of 40 ms: 50 requests a second at most.
local function base(extra)
  local raw = {
    workload = td.poisson { rps = 40, requests = 4000 },
    target = td.gpu "L40S" { concurrency = 2 },
    pipeline = { td.fixed "work" { time = td.exponential "40ms", on = "gpu" } },
    slo = { p99 = "300ms" },
  }
  for key, value in pairs(extra or {}) do raw[key] = value end
  return td.scenario "base" (raw)
end

local function lossy() return base { target = td.gpu "L40S" { concurrency = 2, queue = 3 } } end

-- 20 a second that talk, 60 in bulk.
local function two_classes()
  return td.scenario "classes" {
    target = td.gpu "L40S" { concurrency = 2 },
    pipeline = { td.fixed "work" { time = td.exponential "40ms", on = "gpu" } },
    classes = { { name = "chat", workload = td.poisson { rps = 20 } },
      { name = "bulk", workload = td.poisson { rps = 60 } } },
    requests = 4000,
  }
end

local function users()
  return td.scenario "closed" {
    workload = td.closed { users = 10, think = td.exponential "1s", requests = 4000 },
    cpu = { workers = 1 }, pipeline = { td.fixed "work" { time = td.exponential "50ms" } },
    slo = { mean = "200ms" },
  }
end

local function chat(tp)
  return td.scenario "chat" {
    workload = td.poisson { rps = 12, duration = "60s" },
    attrs = { prompt_tokens = td.lognormal { p50 = 600, p99 = 5000 }, output_tokens = 100 },
    target = td.gpu "L4" { count = 8 }, slo = { ttft_p99 = "1500ms" },
    pipeline = { td.generate "chat" { model = td.llm "Qwen3-8B" } },
  }:with { tp = tp }
end

-- Two workers of 8 ms before the GPU: 250 requests a second at most.
local function with_cpu(rps)
  return td.scenario "cpu" {
    workload = td.poisson { rps = rps, duration = "30s" }, cpu = { workers = 2 },
    target = td.gpu "A10G" {}, slo = { p99 = "200ms" }, pipeline = {
      td.fixed "pre" { time = "8ms" },
      td.stage "work" { on = "gpu", cost = td.exponential "10ms" } },
  }
end

local function unpriced(name)
  return td.gpu (name) { flops = "100TFLOP/s", bandwidth = "1TB/s" }
end

-- ---- figures

-- Answers whose figures at p99 are those of a function of load and GPUs; `more` is laid over them;
-- `own` is the scenario's load, which a job that does not change it leaves out.
local function at(p99, more, own)
  return function(job)
    local rps, gpus = job.set["workload.rps"] or own or 40, job.set.gpus or 1
    local out = { utilization = rps * 0.02 / gpus, bottleneck = "L40S gpu", overload = false,
      requests = (job.set.requests or 1000) * job.replications, lost = 0, throughput_rps = rps,
      ["classes.default.lost"] = 0 }
    out["classes.default.slo.p99"] = p99 and { p99(rps, gpus, job), 0.002 }
    for path, value in pairs(more and more(rps, gpus, job) or {}) do out[path] = value end
    return out
  end
end

-- 10 ms for each request a second of a GPU's share: at 300 ms a GPU carries 30 /s.
local function shared(rps, gpus) return 0.01 * rps / gpus end

-- The same where so much load is what takes time at all.
local function shared_when_loaded(rps, gpus) return rps > 100 and shared(rps, gpus) or 0.1 end

-- An H100 is so many times as fast, and a fleet of both has a time of its own.
local function faster(times, fleet)
  return at(function(rps, gpus, job)
    if job.set.target then return fleet end
    return shared(rps, gpus) / (job.set.gpu == "H100" and times or 1)
  end)
end

local function p99_is(value, spread)
  return { ["classes.default.slo.p99"] = { value, spread } }
end

local function losing(share, spread)
  return { lost = { share, 0 }, ["classes.default.lost"] = { share, spread } }
end

-- ---- cases

local CASES <const> = {
  { "finds the fewest, and what a tenth more or less would take", "gpus", at(shared),
    { load = "160rps" } },
  { "takes the safe side of one that cannot be told", "gpus",
    at(shared, function(rps, gpus)
      return p99_is(0.031 + shared(rps, gpus), gpus == 6 and 0.05 or 0.002)
    end), { load = "160rps", sensitivity = false } },
  { "stops where the difference is less than the precision", "gpus",
    at(function(rps, gpus) return gpus == 6 and 0.3 or shared(rps, gpus) end),
    { load = "160rps", sensitivity = false, precision = 0.02 } },
  { "makes runs longer whose spread takes off the tail", "gpus",
    at(nil, function(rps, gpus, job)
      return p99_is(0.009 * rps / gpus, job.set.requests < 50000 and 0.1 or 0.001)
    end), { load = "160rps", sensitivity = false, max = 6 } },
  { "makes runs longer while queues still grow", "gpus",
    at(shared, function(_, gpus, job)
      local grows = gpus < 7 or job.set.requests < 60000
      return { ["unsettled.reason"] = grows and "its queue grows" or nil }
    end), { load = "160rps", sensitivity = false, max = 7 } },
  { "says that one request alone takes longer", "gpus", at(function() return 0.35 end),
    { load = "160rps", max = 6 } },
  { "says that all there may be are overloaded", "gpus", at(shared), { load = "160rps", max = 3 } },
  { "says what the most miss, and why", "gpus",
    at(shared_when_loaded, function()
      return { ["overload.reason"] = "the queue of L40S grows" }
    end), { load = "160rps", max = 5 } },
  { "says that times without end miss", "gpus",
    at(shared_when_loaded, function(rps, gpus) return { overload = rps > 100 and gpus < 8 } end),
    { load = "160rps", max = 9, sensitivity = false } },
  { "says that the most may suffice", "gpus",
    at(function(rps, gpus) return rps < 100 and 0.1 or gpus == 5 and 0.3 or 0.4 end),
    { load = "160rps", max = 5 } },
  { "stays within a budget of dollars", "gpus", at(shared_when_loaded),
    { load = "160rps", budget = { usd_per_hour = 7.9 } } },
  { "stays within a budget of watts", "gpus", at(shared),
    { load = "160rps", budget = { watts = "1.2kW" } } },
  { "stays within a budget of GPUs, which pays for the answer", "gpus", at(shared),
    { load = "160rps", budget = { gpus = 6 }, sensitivity = false } },
  { "does not pay for one", "gpus", at(shared), { load = "160rps", budget = { usd = 1.5 } } },
  { "stops when simulations are used up, before an answer", "gpus", at(shared),
    { load = "160rps", budget = { simulations = 3 } } },
  { "stops when simulations are used up, below an answer", "gpus",
    at(function(rps, gpus) return gpus > 15 and 0.2 or rps > 100 and 0.4 or 0.1 end),
    { load = "160rps", budget = { simulations = 9 } } },
  { "simulates nothing that the budget does not begin", "gpus", at(shared),
    { load = "160rps", kinds = { "L40S", "H100" }, budget = { simulations = 1 } } },
  { "goes through all numbers where more turned out worse", "gpus",
    at(function(_, gpus) return (gpus == 7 or gpus == 10 or gpus == 12) and 0.2 or 0.4 end),
    { load = "160rps", sensitivity = false, max = 12 } },
  { "tests every number where it is told to", "gpus", at(shared),
    { load = "160rps", sensitivity = false, max = 9, method = "scan", min = 2 } },
  { "repeats why nothing could be simulated", "gpus",
    function() return { message = "the disk is full" } end, { load = "160rps" } },
  { "names the figure that a run lacks", "gpus", at(nil), { load = "160rps" } },
  { "plans several loads and kinds, the cheapest of each", "gpus", faster(5),
    { load = { "50rps", "100rps" }, kinds = { "L40S", "H100" } } },
  { "examines every load when told to", "gpus", at(shared),
    { load = { "50rps", "100rps", "150rps", "200rps" }, sensitivity = true } },
  { "is short of what several loads take", "gpus", at(shared),
    { load = { "50rps", "100rps", "150rps", "200rps" }, sensitivity = false } },
  { "prefers fewer watts when told", "gpus", faster(5),
    { load = "100rps", kinds = { "L40S", "H100" }, minimize = "watts", sensitivity = false } },
  { "prefers fewer GPUs when told", "gpus", faster(5),
    { load = "100rps", kinds = { "L40S", "H100" }, minimize = "gpus", sensitivity = false } },
  { "compares what has no price by number", "gpus", at(shared),
    { load = "100rps", sensitivity = false, kinds = { unpriced "Ours", unpriced "Theirs" } } },
  { "compares what has a price with nothing that has none", "gpus", at(shared),
    { load = "100rps", sensitivity = false, kinds = { unpriced "Ours", "L40S" } } },
  { "mixes kinds where that is cheaper", "gpus", faster(2.5, 0.25),
    { load = "95rps", sensitivity = false, kinds = { "L40S", "H100" }, mix = true } },
  { "mixes kinds at a load though none is cheaper at the one before", "gpus", faster(2.5, 0.25),
    { load = { "40rps", "95rps" }, sensitivity = false, kinds = { "L40S", "H100" }, mix = true } },
  { "says that no mix meets the limits", "gpus", faster(2.5, 0.35),
    { load = "95rps", sensitivity = false, kinds = { "L40S", "H100" }, mix = true } },
  { "tries the 200 cheapest mixes of many", "gpus", faster(2.5, 0.35),
    { load = "1900rps", sensitivity = false, kinds = { "L40S", "H100" }, mix = true } },
  { "says that no mix is cheaper", "gpus", faster(2.5, 0.25),
    { load = "110rps", sensitivity = false, kinds = { "L40S", "H100" }, mix = true } },
  { "holds the requests that are lost", "gpus",
    at(function() return 0.2 end, function(_, gpus)
      return losing(gpus < 5 and 0.1 or gpus < 7 and 0.004 or 0, 0)
    end), { scenario = lossy(), load = "160rps", sensitivity = false, max = 9 } },
  { "says that requests are lost even where one is alone", "gpus",
    at(function() return 0.2 end, function() return losing(0.1, 0.0001) end),
    { scenario = lossy(), load = "160rps", max = 9 } },
  { "holds a figure of every GPU", "gpus",
    at(shared, function(rps, gpus)
      local out = {}
      for i = 1, gpus do
        out[("resources.L40S#%d gpu.utilization"):format(i)] = {
          0.018 * rps / gpus + (i == 2 and 0.02 or 0), 0.001 }
      end
      return out
    end), { load = "160rps", sensitivity = false,
      limits = { ["resources.gpu.utilization"] = { max = "50%" } } } },
  { "counts a setting as what it is", "gpus",
    at(function(rps, _, job) return shared(rps, job.set.concurrency) end),
    { scenario = base { target = "L40S" }, load = "60rps", count = "concurrency",
      sensitivity = false, max = 5 } },
  { "tells what of classes is tightest", "gpus",
    at(nil, function(_, gpus)
      return { ["classes.chat.slo.p95"] = { 0.5 / gpus, 0.001 },
        ["classes.bulk.slo.mean"] = { 5.9 / gpus, 0.01 } }
    end), { scenario = two_classes(), max = 6,
      slo = { chat = { p95 = "200ms" }, bulk = { mean = "2s" } } } },
  { "keeps a rate of good answers", "gpus",
    at(nil, function(rps, gpus)
      return { ["classes.default.slo.goodput"] = { math.min(rps, 31 * gpus), 0.5 } }
    end), { slo = { goodput = "150rps" }, load = "160rps", max = 8 } },
  { "counts in whole replicas, and finds the knee", "gpus",
    at(nil, function(rps, gpus)
      return { ["classes.default.slo.ttft_p99"] = { 2.3 * rps / gpus, 0.01 },
        ["overload.reason"] = rps > 9.4 and "the queue of chat grows" or nil }
    end), { scenario = chat(2), load = "9rps", max = 21, doubt = false } },
  { "has no room for a replica", "gpus", at(shared),
    { scenario = chat(8), max = 4, doubt = false } },
  { "finds no knee up to ten times the load", "gpus",
    at(nil, function() return { ["classes.default.slo.ttft_p99"] = { 0.3, 0.01 } } end),
    { scenario = chat(1), load = "2rps", max = 3, sensitivity = false,
      doubt = false } },
  { "names what limits where it is not a GPU", "gpus", at(shared), { scenario = with_cpu(300) } },
  { "names what is busiest where the most do not suffice", "gpus",
    at(function(rps) return rps > 100 and 0.6 or 0.1 end, function()
      return { bottleneck = "cpu", utilization = 0.96 }
    end, 240), { scenario = with_cpu(240), max = 4 } },
  { "says that more load is not for GPUs to carry", "gpus",
    at(function(rps, gpus) return rps > 250 and 0.6 or 0.4 / gpus end, function()
      return { bottleneck = "cpu", utilization = 0.96 }
    end, 240), { scenario = with_cpu(240), max = 4 } },

  { "finds the highest load", "load", at(shared), { gpus = 3 } },
  { "finds the highest of the loads of several kinds", "load", faster(1.25),
    { gpus = 3, kinds = { "L40S", "H100" } } },
  { "carries all that is tried", "load", at(shared), { gpus = 3, slo = { p99 = "30s" } } },
  { "says what more load misses", "load",
    at(function(rps) return rps > 100 and 0.5 or 0.2 end), { gpus = 3 } },
  { "says that no load meets the limits", "load", at(function() return 0.5 end),
    { gpus = 3, kinds = { "L40S" } } },
  { "says that the smallest load is too much", "load",
    at(function(rps) return rps > 1 and 0.5 or 0.1 end), { gpus = 3 } },
  { "says that the search for a load was stopped", "load", at(shared),
    { gpus = 3, budget = { simulations = 7 } } },
  { "says what a search for a load left open", "load",
    at(function(rps) return rps > 100 and 0.5 or 0.2 end),
    { gpus = 3, budget = { simulations = 9 } } },
  { "finds how many users there may be", "load",
    function(job)
      local count = job.set["workload.users"]
      return { utilization = 0.04 * count, bottleneck = "cpu", overload = false, requests = 4000,
        lost = 0, throughput_rps = count, ["classes.default.slo.mean"] = { 0.01 * count, 0.001 } }
    end, { scenario = users() } },
  { "says how many are lost at the highest load", "load",
    at(function() return 0.2 end, function(rps)
      return losing(rps > 120 and 0.1 or rps > 100 and 0.005 or 0, 0.0001)
    end), { scenario = lossy(), gpus = 3 } },

  { "finds the cheapest combination", "best", at(shared),
    { load = "160rps", over = { kind = { "L40S", "H100" }, gpus = td.range(3, 8) } } },
  { "finds the cheapest for each load, as far as simulations go", "best", at(shared),
    { load = { "80rps", "160rps" }, over = { gpus = td.range(2, 9) },
      budget = { simulations = 7 } } },
  { "drops what cannot be paid or told, or makes no sense", "best",
    at(nil, function(rps, gpus, job)
      local wide = job.set.kind == "L40S" and gpus == 5
      return p99_is(shared(rps, gpus), wide and 0.07 or 0.002)
    end), { load = "160rps", budget = { usd_per_hour = 30 }, over = { kind = { "L40S", "H100" },
      gpus = { 4, 5, 6, 20 }, ["pipeline.work.batch"] = { 0, 1 } } } },
  { "goes on with none that turned out dearer", "best",
    at(nil, function(rps, gpus) return p99_is(shared(rps, gpus), gpus > 6 and 0.15 or 0.002) end),
    { load = "160rps", over = { gpus = td.range(4, 12) } } },
  { "chooses the one with more room of two that cost the same", "best",
    at(function(_, _, job) return job.set.concurrency == 4 and 0.15 or 0.2 end),
    { load = "60rps", over = { gpus = { 3, 2 }, concurrency = { 2, 4, 3 } } } },
  { "chooses among what has no price by number", "best", at(shared),
    { load = "60rps", over = { gpu = { unpriced "Ours" }, gpus = { 2, 3, 4 } } } },
}

-- ---- what is said of them

-- Jobs as "kind GPUs at load: first replication + how many, of so many requests".
local function asked_for(jobs)
  local out = {}
  for i, job in ipairs(jobs) do
    local set, words = job.set, {}
    for _, key in ipairs { "kind", "gpu", "gpus", "concurrency" } do
      local value = set[key]
      words[#words + 1] = type(value) == "table" and "$" .. value["$"]
        or value and ("%s"):format(value) or nil
    end
    local load = set["workload.rps"] or set["workload.users"]
    words[#words + 1] = load and ("at %.6g"):format(load) or nil
    out[i] = ("%s: %d + %d of %s"):format(table.concat(words, " "), job.first, job.replications,
      set.requests and ("%d"):format(set.requests) or "its own")
    if job.base ~= 1 or job.seed ~= 1 or not job.values then out[i] = "another job: " .. out[i] end
  end
  return table.concat(out, "\n")
end

local function words_of(case)
  local options = {}
  for key, value in pairs(case[4]) do options[key] = value end
  options.scenario = options.scenario or base()
  local backend, jobs = paper.backend(case[3])
  options.backend = backend
  local answer = td.plan[case[2]](options)
  local text = answer:report(STYLE):gsub("\n─+\n", "\n"):gsub("%S+%.lua:%d+: ", "")
  return ("%s\n\n%s"):format(text, asked_for(jobs))
end

-- The texts by the names of their cases.
local function wanted()
  local out, name = {}, nil
  for line in assert(infile.read "tests/data/plans_on_paper.txt"):gmatch "([^\n]*)\n" do
    local begun = line:match "^== (.+)"
    if begun then name, out[begun] = begun, {}
    else table.insert(out[name], line) end
  end
  for case, lines in pairs(out) do out[case] = table.concat(lines, "\n") end
  return out
end

describe("a plan on paper", function()
  local texts = wanted()
  for _, case in ipairs(CASES) do
    it(case[1], function() assert.equal(texts[case[1]], words_of(case)) end)
  end
end)

return { cases = CASES, words_of = words_of }
