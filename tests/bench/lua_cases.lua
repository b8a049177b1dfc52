-- build/tandem lua tests/bench/lua_cases.lua CASE [ARG]: one measurement of what users reach
-- through Lua, in a fresh process. Prints lines of key=value, as engine.c does; run.lua reads them.

package.path = "./?.lua;" .. package.path
local core = require "tandem.core"
local td = require "tandem"

local stage_names = { "pre", "h2d", "compute", "d2h", "post" }
local means = { 0.8, 0.6, 4.0, 0.5, 0.7 }
local servers = { 1, 1, 4, 1, 1 }

local function pools()
  local list = {}
  for i, name in ipairs(stage_names) do
    list[i] = td.pool(name .. " pool") { servers = servers[i] }
  end
  return list
end

---T5 with a cost of the caller's making: cost(i) is the i-th stage's.
---@param requests integer
---@param cost fun(i: integer): any
---@param jitter boolean|nil multiply each by an exponential of mean 1
---@param attrs table|nil
---@return table model
local function t5(requests, cost, jitter, attrs)
  local pipeline = {}
  for i, name in ipairs(stage_names) do
    pipeline[i] = td.stage(name) { on = name .. " pool", cost = cost(i),
      jitter = jitter and td.exponential(1) or nil }
  end
  return td.scenario "t5" { workload = td.poisson { rps = 0.9, requests = requests },
    attrs = attrs, resources = pools(), pipeline = pipeline }
end

local function exponential(i) return td.exponential(means[i]) end

---Runs a model and prints how long that took.
---@param model table
---@param options table
---@param amount number
---@return table result
local function timed(model, options, amount)
  collectgarbage()
  local cpu, from = os.clock(), core.clock()
  local result, trace = core.run(model, options)
  local wall = core.clock() - from
  if not result then error(trace, 0) end
  print(("amount=%d seconds=%.9f cpu=%.9f"):format(amount, wall, os.clock() - cpu))
  return result
end

local event = { replications = 1, threads = 1, engine = "event" }

---Costs that are Lua functions. Traced ones have become data in the model; the others are functions
---still, because they remember something from one request to the next.
local function lua_costs(requests, cost, traced, attrs)
  local model = t5(requests, cost, true, attrs):model()
  for _, step in ipairs(model.classes[1].route) do
    assert(type(step.cost) == (traced and "number" or "function")
      or traced and type(step.cost) == "table", "the cost of this case is not what it says")
  end
  timed(model, event, requests)
end

local function plain(i)
  local mean = means[i]
  return function() return mean end
end
local function counting(i)
  local mean, calls = means[i], 0
  return function()
    calls = calls + 1
    return mean
  end
end
local function reading(i)
  local mean = means[i]
  return function(r) return mean * r.size end
end
local function counting_reading(i)
  local mean, calls = means[i], 0
  return function(r)
    calls = calls + 1
    return mean * r.size
  end
end

---Both thread counts, one right after the other.
local function threads(options, requests)
  local model = t5(requests, exponential):model()
  local total = options.replications * requests
  for count = 1, 2 do
    options.threads = count
    timed(model, options, total)
  end
end

---Peak of this process, from the kernel.
local function peak_memory()
  for line in io.lines "/proc/self/status" do
    local kib = line:match "^VmHWM:%s*(%d+) kB"
    if kib then return tonumber(kib) * 1024 end
  end
  error("/proc/self/status has no VmHWM", 0)
end

local function memory(engine, requests)
  local options = { replications = 1, threads = 1, engine = engine }
  timed(t5(requests, exponential):model(), options, requests)
  print(("bytes=%d"):format(peak_memory()))
end

local cases = {}

cases["lua-protected"] = function() lua_costs(1000000, counting, false) end
cases["lua-traced"] = function() lua_costs(2000000, plain, true) end
cases["lua-protected-attr"] = function()
  lua_costs(1000000, counting_reading, false, { size = 1 })
end
cases["lua-traced-attr"] = function() lua_costs(2000000, reading, true, { size = 1 }) end

cases["lua-process"] = function()
  local draws = {}
  for i, mean in ipairs(means) do draws[i] = td.exponential(mean) end
  local pre, h2d, compute, d2h, post = table.unpack(draws)
  local requests = 500000
  local scenario = td.scenario "t5" { workload = td.poisson { rps = 0.9, requests = requests },
    resources = pools(), pipeline = { td.process "all" { fn = function(p)
      p:use("pre pool", pre)
      p:use("h2d pool", h2d)
      p:use("compute pool", compute)
      p:use("d2h pool", d2h)
      p:use("post pool", post)
    end } } }
  timed(scenario:model(), event, requests)
end

-- A point: T5 at some load, 10,000 requests, one replication.
local point_requests = 10000

local function sweep(points, count)
  local cpu, from = os.clock(), core.clock()
  local done = td.sweep { scenario = t5(point_requests, exponential), replications = 1,
    over = { rps = td.range(0.5, 0.8, points) }, threads = count }
  local wall = core.clock() - from
  assert(#done.rows == points and #done.failed == 0)
  return wall, os.clock() - cpu
end

cases["sweep-core"] = function()
  local points = 500
  print(("amount=%d seconds=%.9f cpu=%.9f"):format(points * point_requests, sweep(points, 1)))
end

cases["sweep-all"] = function()
  local points = 10000
  local wall, cpu = sweep(points)
  print(("amount=%d seconds=%.9f cpu=%.9f"):format(points, wall, cpu / core.processors()))
end

cases["sweep-threads"] = function()
  for count = 1, 2 do
    print(("amount=1000 seconds=%.9f cpu=%.9f"):format(sweep(1000, count)))
  end
end

---The same sweep as a program, on one rank and on two. mpirun's own start is part of both.
cases["sweep-mpi"] = function(scenario)
  local program = core.executable()
  if not os.execute "command -v mpirun > /dev/null 2>&1" then
    print "absent=Open MPI (mpirun)"
    return
  end
  local built = io.open(program:match "^(.*)/[^/]*$" .. "/mpi.so")
  if not built then
    print "absent=mpi.so, which make builds where Open MPI's headers are"
    return
  end
  built:close()
  local file <close> = assert(io.open(scenario, "w"))
  file:write(t5(point_requests, exponential):to_json())
  file:flush()
  for ranks = 1, 2 do
    local from = core.clock()
    assert(os.execute(("mpirun --allow-run-as-root --oversubscribe -n %d '%s' sweep '%s' "
      .. "--over rps=0.5:0.8:6000 --replications 1 --threads 1 --no-store --json > /dev/null")
      :format(ranks, program, scenario)))
    local wall = core.clock() - from
    print(("amount=6000 seconds=%.9f cpu=%.9f"):format(wall, wall * ranks))
  end
end

cases.plan = function()
  local demo = assert(td.load "demo")
  local cpu, from = os.clock(), core.clock()
  local answer = td.plan.gpus { scenario = demo, kinds = { "L40", "L40S", "H100 SXM", "A10" },
    max = 64, confidence = 0.95 }
  local wall = core.clock() - from
  assert(#answer.rows == 4)
  print(("amount=1 seconds=%.9f cpu=%.9f"):format(wall, os.clock() - cpu))
end

cases["threads-event"] = function()
  threads({ replications = 16, engine = "event" }, 125000)
end
cases["threads-lowered"] = function()
  threads({ replications = 16, engine = "lowered" }, 2000000)
end

-- Conversations of Mooncake with the blocks of their prompts, over and over, on eight replicas of
-- an 8B model on an H100.
local function mooncake(repeats)
  return td.scenario "mooncake" {
    workload = td.replay { file = "scenarios/data/mooncake-conversation-4000.jsonl.gz",
      repeats = repeats },
    pipeline = { td.generate "llm" { replicas = 8, route = "least_outstanding",
      engine = { kv_blocks = 29000 }, step = td.affine { step = 6.2e-3, prefill_tokens = 32e-6,
        prefill_attention = 1.1e-9, decode_seqs = 35e-6, decode_context = 49e-9 } } },
  }:model()
end

---Reading and packing out are not the run's: both happen once, whatever the repeats.
cases["serving-mooncake"] = function()
  local result = timed(mooncake(50), event, 4000 * 50)
  assert(result.requests == 4000 * 50)
end

---A turn is what counts: a session has 105, 48 of them its sub-agents'.
cases["serving-agents"] = function()
  local sessions <const>, turns <const> = 2000, 105
  local sizes = td.resample { file = "tests/data/agents/trace_0274.json.gz", order = "recorded" }
  local result = timed(td.scenario "agents" {
    workload = td.closed { users = 8, sizes = sizes, requests = sessions },
    pipeline = { td.loop { times = "r.turns", td.delay "between" { time = "r.wait" },
      td.generate "llm" { engine = { kv_blocks = 100000 }, step = td.affine { step = 6.2e-3,
        prefill_tokens = 32e-6, prefill_attention = 1.1e-9, decode_seqs = 35e-6,
        decode_context = 49e-9 } } } },
  }:model(), { replications = 1, threads = 1, engine = "event", warmup = 0 }, sessions * turns)
  assert(result.requests == sessions)
end

---Requests of `serving`, at eight times the rate on eight instances.
cases["serving-weighted"] = function()
  local function around(mean, deviation)
    local half = deviation * math.sqrt(3)
    return td.uniform(mean - half, mean + half)
  end
  local requests = 200000
  timed(td.scenario "eight" { workload = td.poisson { rps = 160, requests = requests },
    attrs = { prompt_tokens = around(512, 128), output_tokens = around(256, 64) },
    pipeline = { td.generate "llm" { replicas = 8, route = "weighted",
      engine = { kv_blocks = 20000 }, step = td.affine { step = 6.2e-3, prefill_tokens = 32e-6,
        prefill_attention = 1.1e-9, decode_seqs = 35e-6, decode_context = 49e-9 } } },
  }:model(), event, requests)
end

---Ends the program when 1 M requests need more memory than a tenth of them, by more than a tenth.
cases["serving-mooncake-memory"] = function()
  assert(core.run(mooncake(25), event))
  collectgarbage()
  local before, cpu, from = peak_memory(), os.clock(), core.clock()
  assert(core.run(mooncake(250), event))
  print(("amount=1000000 seconds=%.9f cpu=%.9f"):format(core.clock() - from, os.clock() - cpu))
  local after = peak_memory()
  if after > before * 1.1 then
    error(("100,000 requests took %d bytes, 1,000,000 took %d"):format(before, after), 0)
  end
  print(("bytes=%d"):format(after))
end

cases["memory-lowered"] = function() memory("lowered", 100000000) end
cases["memory-event"] = function() memory("event", 20000000) end

---Writes a trace to the file named by the argument and removes it.
cases["chrome"] = function(path)
  local model = t5(200000, exponential):model()
  local result, trace = core.run(model, { replications = 1, threads = 1, trace = true })
  if not result then error(trace, 0) end
  local cpu, from = os.clock(), core.clock()
  assert(trace:chrome(path, {}))
  local wall = core.clock() - from
  local used = os.clock() - cpu
  local file = assert(io.open(path, "rb"))
  local bytes = file:seek "end"
  file:close()
  os.remove(path)
  print(("amount=%d seconds=%.9f cpu=%.9f"):format(bytes, wall, used))
  print(("spans=%d"):format((trace:counts())))
end

-- What the time goes to: every breakdown, and kernels, on one view.
local breakdowns = { "kernels", "breakdown", "overlap", "idle", "gaps", "queue", "launch_delay",
  "utilization", "bandwidth" }

local function import(store, file)
  assert(core.import { store = store, files = { file }, name = "bench", version = core.version(),
    created_utc_ns = 0 })
end

local function break_down(path)
  local store <close> = assert(td.store(path))
  local run = assert(store:run "last")
  for _, name in ipairs(breakdowns) do
    local answer = assert(run[name](run))
    assert(not answer:abstains(), name)
  end
end

---From a store beside the capture; it is made when it is not there.
cases["breakdowns"] = function(path)
  local kept = path .. ".db"
  local there = io.open(kept)
  if there then there:close() else import(kept, path) end
  local cpu, from = os.clock(), core.clock()
  break_down(kept)
  print(("amount=1 seconds=%.9f cpu=%.9f"):format(core.clock() - from, os.clock() - cpu))
end

cases["breakdowns-kineto"] = function()
  local path = os.tmpname()
  os.remove(path)
  local cpu, from = os.clock(), core.clock()
  import(path, "tests/data/kineto/df_index_resolver__df_index_resolver.json.gz")
  break_down(path)
  local wall, used = core.clock() - from, os.clock() - cpu
  for _, ending in ipairs { "", "-wal", "-shm" } do os.remove(path .. ending) end
  print(("amount=1 seconds=%.9f cpu=%.9f"):format(wall, used))
end

cases["json"] = function()
  local result = assert(t5(100000, exponential):run { replications = 8 })
  local cpu, from = os.clock(), core.clock()
  local text = result:to_json()
  print(("amount=1 seconds=%.9f cpu=%.9f"):format(core.clock() - from, os.clock() - cpu))
  print(("bytes=%d"):format(#text))
end

---The run of a trace in a store beside it, which is made at the first call.
local function stored(trace)
  local path = trace .. ".db"
  local there = io.open(path)
  if there then
    there:close()
  else
    assert(core.import { store = path .. ".new", files = { trace }, name = "trace", version = "",
      created_utc_ns = 0, without = {} })
    assert(os.rename(path .. ".new", path))
  end
  return assert(td.store(path)):run "last"
end

---All that `tandem categories` does before it writes: rules compiled, rows loaded, counted.
cases["analysis-categories"] = function(trace)
  local run = stored(trace)
  local cpu, from = os.clock(), core.clock()
  local answer = assert(run:categories())
  print(("amount=1 seconds=%.9f cpu=%.9f"):format(core.clock() - from, os.clock() - cpu))
  assert(answer:frame("time").rows[1].unmatched_ns == 0)
end

---What people ask of a large capture, from a store that is there: time, and the peak of a process.
local large = {
  report = function(run) return require("tandem.page.report").of(run) end,
  view = function(run)
    return require("tandem.page.timeline").of(assert(require("tandem.timeline").of(run)))
  end,
  path = function(run) return run:critical_path() end,
}
for name, work in pairs(large) do
  cases["large-" .. name] = function(trace)
    local run = stored(trace)
    local cpu, from = os.clock(), core.clock()
    assert(work(run))
    print(("amount=1 seconds=%.9f cpu=%.9f"):format(core.clock() - from, os.clock() - cpu))
    print(("bytes=%d"):format(peak_memory()))
  end
end

---The GPU work of a trace and a simulated run of a million spans, in a store beside it.
local function stored_pair(trace)
  local path = trace .. ".overlay.db"
  local there = io.open(path)
  if there then
    there:close()
  else
    local new = path .. ".new"
    assert(core.import { store = new, files = { trace }, name = "trace", version = "",
      created_utc_ns = 0, without = { "api", "nvtx", "osrt", "cpu" } })
    local scenario = td.scenario "copies and kernels" { workload = td.poisson { rps = 400,
      requests = 334000 }, target = td.gpu "H100" { count = 2 }, pipeline = {
        td.fixed "weights" { time = "2ms", on = "h2d", jitter = 0.2 },
        td.fixed "gemm" { time = "1ms", on = "gpu", jitter = 0.2 },
        td.fixed "result" { time = "500us", on = "d2h", jitter = 0.2 } } }
    assert(scenario:run { store = new, spans = "all", replications = 1, seed = 1 })
    assert(os.rename(new, path))
  end
  local store = assert(td.store(path))
  return store, assert(store:run((store.db:one "SELECT id FROM run WHERE number = 1").id)),
    assert(store:run "last")
end

local function overlay(align)
  return function(trace)
    local store, real, sim = stored_pair(trace)
    assert(real.span_count >= 1000000 and sim.span_count >= 1000000)
    local cpu, from = os.clock(), core.clock()
    local made = td.overlay(real, sim, { align = align })
    local wall, used = core.clock() - from, os.clock() - cpu
    assert(made or align == "activity")
    print(("amount=1 seconds=%.9f cpu=%.9f"):format(wall, used))
    print(("real_spans=%d\nsimulated_spans=%d"):format(real.span_count, sim.span_count))
    store:close()
  end
end

---All that `tandem overlay` does before it prints: both runs loaded, aligned, compared, binned.
cases["overlay"] = overlay()
cases["overlay-activity"] = overlay "activity"

---A run of some millions of spans to the page of its timeline, from a store that is there.
local function timeline(requests)
  return function()
    local scenario = td.load "scenarios/01-demo.lua"
    local path = os.tmpname()
    os.remove(path)
    assert(scenario:run { store = path, spans = "all", replications = 1, requests = requests })
    local store = assert(td.store(path))
    local run = assert(store:run "last")
    local cpu, from = os.clock(), core.clock()
    local text = require("tandem.page.timeline").of(assert(require("tandem.timeline").of(run)))
    print(("amount=%d seconds=%.9f cpu=%.9f"):format(run.span_count, core.clock() - from,
      os.clock() - cpu))
    print(("bytes=%d"):format(#text))
    store:close()
    for _, ending in ipairs { "", "-wal", "-shm" } do os.remove(path .. ending) end
  end
end
cases["timeline"] = timeline(76500)
cases["timeline-large"] = timeline(765000)

---The simulated mean time in the system, to be compared with the exact one.
cases["theory"] = function()
  local scenario = t5(4000000, exponential)
  local result = assert(scenario:run { replications = 16, engine = "lowered" })
  print(("mean=%.9f half=%.9f"):format(result.latency.mean.value, result.latency.mean.half))
end

---What Tab asks for at places of every kind, each for the first time in the process; the slowest.
cases["complete"] = function()
  local path = os.tmpname()
  os.remove(path)
  local session = require("tandem.shell.evaluate").new()
  session.env.base = td.load "scenarios/01-demo.lua"
  session.env.r = session.env.base:run { replications = 1, requests = 1000, store = path }
  session.env.s = assert(td.store(path))
  local slowest, cpu_of = 0, 0
  for _, text in ipairs { "td.", "whi", "base:with { ", 'td.gpu "', 'td.link "', 'td.llm "',
    'td.load "', 's:run "', 'r:get "stages.', 'r:table "', 'r:plot "', 'io.open "src/', ":load ",
    "?td.g", "r:bot", 'td.scenario "x" { pipeline = { td.fixed "a" { ' } do
    local cpu, from = os.clock(), core.clock()
    local found = require("tandem.shell.complete").at(session, text)
    local wall = core.clock() - from
    assert(#found.matches > 0, text)
    if wall > slowest then slowest, cpu_of = wall, os.clock() - cpu end
  end
  print(("amount=1 seconds=%.9f cpu=%.9f"):format(slowest, cpu_of))
  session.env.s:close()
  for _, ending in ipairs { "", "-wal", "-shm" } do os.remove(path .. ending) end
end

---Requests to `tandem serve`.
for _, kind in ipairs { "requests", "upload" } do
  cases["serve-" .. kind] = function() require("tests.bench.serve")[kind]() end
end

---Files of many ranks.
cases["ranks"] = function() require("tests.bench.ranks").all() end
cases["ranks-one"] = function(words) require("tests.bench.ranks").one(words) end

---Captures of many tracks.
cases["tracks"] = function() require("tests.bench.tracks").all() end
cases["tracks-one"] = function(words) require("tests.bench.tracks").one(words) end

---Scenarios of many stages.
cases["stages"] = function() require("tests.bench.stages").all() end
cases["stages-one"] = function(words) require("tests.bench.stages").one(words) end

---Calls of a traced program.
for name, measure in pairs(require "tests.bench.capture") do cases["capture-" .. name] = measure end

local name, argument = ...
local case = cases[name]
if not case then error("no such case: " .. tostring(name), 0) end
case(argument)
