-- What `make bench` measures: names, bars, and how a sample becomes a value. Read by run.lua.

---@class bench.Case
---@field key string
---@field title string
---@field kind "rate"|"ns"|"ms"|"s"|"points"|"requests"|"speedup"|"ratio"|"memory"|"write"|"bytes"
---@field run string the command, without the program
---@field lua boolean|nil run is a case of lua_cases.lua
---@field bar number|nil
---@field once boolean|nil one sample is enough
---@field samples bench.Sample[]|nil
---@field extra table<string, number>|nil what else the last sample printed
---@field arguments string|nil more words of the command, after the file
---@field file string|nil a trace that run.lua makes first: its name in `files`
---@field absent string|nil what this machine lacks to run it
---@field failed string|nil how it failed

---@class bench.Sample
---@field value number
---@field by_cpu number the same with processor time for wall time
---@field share number processor time over wall time

---@type bench.Case[]
local cases = {
  { key = "t5-event", title = "T5, event engine", kind = "rate", bar = 4.2, run = "t5-event" },
  { key = "mm1-event", title = "MM1, event engine", kind = "rate", bar = 30, run = "mm1-event" },
  { key = "t5-lowered", title = "T5, lowered, scalar", kind = "rate", bar = 45, run = "t5-scalar" },
  { key = "t5-lowered-wide", title = "T5, lowered, 8 replications wide", kind = "rate", bar = 120,
    run = "t5-wide" },
  { key = "t5-lowered-spans", title = "T5, lowered, all spans to a sink", kind = "rate", bar = 35,
    run = "t5-spans" },
  { key = "t5-event-spans", title = "T5, event engine, all spans to a sink", kind = "rate",
    run = "t5-event-spans" },
  { key = "t5-lua-protected", title = "T5, Lua cost on 5 stages, protected", kind = "rate",
    bar = 2.5, run = "lua-protected", lua = true },
  { key = "t5-lua-protected-attr", title = "… reading an attribute", kind = "rate",
    run = "lua-protected-attr", lua = true },
  { key = "t5-lua-traced", title = "T5, Lua cost on 5 stages, traced", kind = "rate", bar = 4,
    run = "lua-traced", lua = true },
  { key = "t5-lua-traced-attr", title = "… reading an attribute", kind = "rate",
    run = "lua-traced-attr", lua = true },
  { key = "t5-lua-process", title = "T5, processes as Lua coroutines", kind = "rate", bar = 1.2,
    run = "lua-process", lua = true },
  { key = "peer-ns3", title = "T5 in ns-3, its fastest scheduler", kind = "rate",
    run = "peer-ns3" },
  { key = "peer-simpy", title = "T5 in SimPy", kind = "rate", run = "peer-simpy" },
  { key = "threads-event", title = "two threads against one, event", kind = "speedup", bar = 1.9,
    run = "threads-event", lua = true },
  { key = "threads-lowered", title = "two threads against one, lowered", kind = "speedup",
    bar = 1.9, run = "threads-lowered", lua = true },
  { key = "start-up", title = "start-up of a trivial scenario", kind = "ms", bar = 10,
    run = "startup", arguments = "--no-store" },
  { key = "start-up-kept", title = "… and kept in a store", kind = "ms", run = "startup",
    arguments = "--store build/bench/runs.db" },
  { key = "repl-start", title = "tandem repl, to its prompt", kind = "ms", bar = 30,
    run = "prompt" },
  { key = "repl-tab", title = "… from the first Tab to what it offers", kind = "ms", bar = 10,
    run = "prompt-tab" },
  { key = "repl-complete", title = "… the slowest kind of completion", kind = "ms", bar = 10,
    run = "complete", lua = true },
  { key = "memory-lowered", title = "peak memory, 100 M requests, lowered", kind = "memory",
    bar = 100, run = "memory-lowered", lua = true, once = true },
  { key = "memory-event", title = "peak memory, 20 M requests, event", kind = "memory", bar = 100,
    run = "memory-event", lua = true, once = true },
  { key = "plan", title = "GPU count of the demo: 1–64 GPUs, 4 kinds, 95 %", kind = "s", bar = 2,
    run = "plan", lua = true },
  { key = "sweep-core", title = "sweep of 10,000-request points, one thread", kind = "rate",
    run = "sweep-core", lua = true },
  { key = "sweep-all", title = "10,000 points of 10,000 requests, all cores", kind = "points",
    run = "sweep-all", lua = true, once = true },
  { key = "sweep-threads", title = "a sweep on two threads against one", kind = "speedup",
    bar = 1.8, run = "sweep-threads", lua = true },
  { key = "sweep-mpi", title = "a sweep on two MPI ranks against one", kind = "speedup",
    bar = 1.7, run = "sweep-mpi", lua = true, once = true },
  { key = "chrome", title = "writing a Chrome trace", kind = "write", run = "chrome", lua = true,
    bar = 300 },
  { key = "timeline", title = "spans of a stored run to a timeline, 500,000 of them",
    kind = "rate", run = "timeline", lua = true },
  { key = "timeline-large", title = "… 4.7 M", kind = "rate", run = "timeline-large", lua = true,
    once = true },
  { key = "store-write", title = "spans to a committed store", kind = "rate", bar = 8,
    run = "store-write" },
  { key = "store-scan", title = "rows of a full scan through SQL", kind = "rate", bar = 5,
    run = "store-scan" },
  { key = "nsys-plain", title = "236,000 kernels read plainly: SQLite, 15 columns, sorted",
    kind = "s", run = "plain-kernels", file = "nsys-236k" },
  { key = "nsys-gpu", title = "… kernels, copies, metrics imported into a store", kind = "s",
    bar = 0.15, run = "import-gpu", file = "nsys-236k" },
  { key = "nsys-all", title = "… and 440,000 API calls, 1.13 M NVTX ranges", kind = "s", bar = 1,
    run = "import", file = "nsys-236k" },
  { key = "nsys-1m", title = "1 M kernels, copies, metrics imported into a store", kind = "s",
    bar = 0.6, run = "import-gpu", file = "nsys-1m", once = true },
  { key = "kineto", title = "62 MB of a PyTorch trace, gzip'd, imported into a store", kind = "s",
    bar = 0.5, run = "import", file = "kineto.json.gz" },
  { key = "ranks", title = "events of 128 ranks imported, clocks aligned", kind = "rate",
    bar = 0.67, run = "ranks", lua = true, once = true },
  { key = "tracks", title = "a capture of 100,000 streams imported", kind = "s", run = "tracks",
    lua = true, once = true },
  { key = "stages", title = "two replications of 100,000 stages run", kind = "s", run = "stages",
    lua = true, once = true },
  { key = "analysis-projected", title = "1.13 M NVTX ranges projected onto 236,000 kernels",
    kind = "s", bar = 0.5, run = "analysis", file = "nsys-236k-joined", arguments = "projected" },
  { key = "analysis-summaries", title = "… all summaries", kind = "s", bar = 0.5,
    run = "analysis", file = "nsys-236k-joined", arguments = "kernels gpu api launches syncs "
      .. "ranges projected range_kernels ops osrt copies" },
  { key = "analysis-all", title = "… all summaries and breakdowns together", kind = "s",
    bar = 0.5, run = "analysis", file = "nsys-236k-joined", arguments = "kernels gpu api launches "
      .. "syncs ranges projected range_kernels ops osrt copies breakdown overlap idle gaps queue "
      .. "launch_delay utilization bandwidth" },
  { key = "analysis-breakdowns", title = "236,000 kernels, 1.13 M ranges: all breakdowns",
    kind = "s", bar = 0.5, run = "breakdowns", lua = true, file = "nsys-236k-joined" },
  { key = "analysis-kineto", title = "a PyTorch trace of 216,000 events: import and breakdowns",
    kind = "s", bar = 0.6, run = "breakdowns-kineto", lua = true },
  { key = "analysis-categories", title = "236,000 kernels in a store by category, with their rules",
    kind = "s", bar = 0.1, run = "analysis-categories", lua = true, file = "nsys-236k" },
  { key = "report-large", title = "report of a capture of 6.3 M spans", kind = "s", bar = 8,
    run = "large-report", lua = true, file = "nsys-791k", once = true },
  { key = "report-memory", title = "… its peak memory", kind = "memory", bar = 300,
    run = "large-report", lua = true, file = "nsys-791k", once = true },
  { key = "view-large", title = "its timeline", kind = "s", run = "large-view", lua = true,
    file = "nsys-791k", once = true },
  { key = "view-memory", title = "… its peak memory", kind = "memory", bar = 300,
    run = "large-view", lua = true, file = "nsys-791k", once = true },
  { key = "path-large", title = "its critical path", kind = "s", run = "large-path", lua = true,
    file = "nsys-791k", once = true },
  { key = "path-memory", title = "… its peak memory", kind = "memory", run = "large-path",
    lua = true, file = "nsys-791k", once = true },
  { key = "serving", title = "LLM serving: requests of 512/256 tokens at 20/s, 20,000 KV blocks",
    kind = "rate", bar = 0.15, run = "serving" },
  { key = "serving-blocks", title = "… 1 M KV blocks", kind = "rate", bar = 0.15,
    run = "serving-blocks" },
  { key = "serving-blocks-ratio", title = "… time with 1 M blocks over that with 20,000",
    kind = "ratio", bar = 1.2, run = "serving-blocks-ratio" },
  { key = "serving-weighted", title = "… eight instances behind a weighted router", kind = "rate",
    bar = 0.08, run = "serving-weighted", lua = true },
  { key = "serving-mooncake", title = "… Mooncake's conversations on 8 instances, prefix hashes",
    kind = "rate", bar = 0.03, run = "serving-mooncake", lua = true },
  { key = "serving-agents", title = "… turns of agents' sessions, 890 blocks a prompt, sub-agents",
    kind = "rate", bar = 0.05, run = "serving-agents", lua = true },
  { key = "serving-mooncake-memory", title = "peak memory, 1 M of them", kind = "memory",
    bar = 100, run = "serving-mooncake-memory", lua = true, once = true },
  { key = "serving-memory", title = "peak memory, 1 M served requests", kind = "memory", bar = 100,
    run = "serving-memory", once = true },
  { key = "overlay", title = "1.3 M GPU spans of a capture over 1 M simulated ones, from a store",
    kind = "s", bar = 1, run = "overlay", lua = true, file = "nsys-1m" },
  { key = "overlay-activity", title = "… with their clocks aligned by activity", kind = "s",
    run = "overlay-activity", lua = true, file = "nsys-1m" },
  { key = "serve-requests", title = "tandem serve: GET /v1/runs/{id}, 64 connections (wrk)",
    kind = "requests", bar = 2000, run = "serve-requests", lua = true },
  { key = "serve-upload", title = "… memory that an upload of 1 GB adds at its peak",
    kind = "memory", bar = 16, run = "serve-upload", lua = true, once = true },
  { key = "capture-call", title = "tandem capture: added to a call of the driver", kind = "ns",
    bar = 1000, run = "capture-call", lua = true },
  { key = "capture-launch", title = "… a launch, two records", kind = "ns", bar = 1000,
    run = "capture-launch", lua = true },
  { key = "capture-threads", title = "… on two threads at once", kind = "ns", bar = 1000,
    run = "capture-threads", lua = true },
  { key = "capture-events", title = "… with device times by events, without the driver's part",
    kind = "ns", run = "capture-events", lua = true },
  { key = "capture-paused", title = "… while nothing is recorded", kind = "ns",
    run = "capture-paused", lua = true },
  { key = "expr-one", title = "expression of 8 operations, one by one", kind = "ns",
    run = "expr-one" },
  { key = "expr-many", title = "… 1024 at once", kind = "ns", run = "expr-many" },
  { key = "json", title = "JSON of a T5 result", kind = "bytes", run = "json", lua = true,
    once = true },
}

---Pieces of T5 alone; `of` is the whole that they are pieces of.
---@type (bench.Case|{of: string})[]
local parts = {
  { key = "where-event-set", title = "its event set alone", kind = "ns", run = "part-events",
    of = "t5-event" },
  { key = "where-event-draws", title = "its six draws alone", kind = "ns",
    run = "part-draws-event", of = "t5-event" },
  { key = "where-lowered-draws", title = "its six draws alone", kind = "ns",
    run = "part-draws-lowered", of = "t5-lowered" },
}

---Per kind: unit, whether less is better, and the value of a sample.
local kinds = {
  rate = { unit = "M/s", value = function(s, time) return s.amount / s[time] / 1e6 end },
  ns = { unit = "ns", less = true, value = function(s, time) return s[time] / s.amount * 1e9 end },
  ms = { unit = "ms", less = true, value = function(s, time) return s[time] * 1e3 end },
  s = { unit = "s", less = true, value = function(s, time) return s[time] / s.amount end },
  points = { unit = "points/s", value = function(s, time) return s.amount / s[time] end },
  requests = { unit = "requests/s",
    value = function(s, time) return s.amount / s[time] end },
  speedup = { unit = "×" },
  ratio = { unit = "×", less = true },
  memory = { unit = "MB", less = true },
  write = { unit = "MB/s", value = function(s, time) return s.amount / s[time] / 1e6 end },
  bytes = { unit = "bytes", less = true },
}

---Traces that are made once for the benchmark, from small real ones: how.
local files = {
  ["nsys-236k"] = "tests/bench/nsys_export.lua %s",
  -- The base of this one has the calls that launched its kernels.
  ["nsys-236k-joined"] = "tests/bench/nsys_export.lua %s --base "
    .. "tests/data/nsys/h100_2gpu_1s.sqlite.gz",
  ["kineto.json.gz"] = "tests/bench/kineto_export.lua %s",
  ["nsys-791k"] = "tests/bench/nsys_export.lua %s --kernels 791000",
  ["nsys-1m"] = "tests/bench/nsys_export.lua %s --kernels 1000000",
}

return { cases = cases, parts = parts, kinds = kinds, files = files }
