-- What must hold of every LLM server, tried on many random ones: engines, workloads, conversations,
-- routers, failures.

local random = require "tests.spec.support.random_scenarios"
local td = require "tandem"

local COUNT <const> = 150

local function engine_of(g)
  local max_seqs = g:int(1, 12)
  local block = g:of { 1, 4, 16, 32 }
  return { max_seqs = max_seqs, max_batched_tokens = max_seqs + g:of { 0, 1, 30, 200, 1000 },
    block_tokens = block, kv_blocks = g:int(300, 3000) // block + 2,
    prefix_caching = g:chance(0.7), chunked_prefill = g:chance(0.8),
    reserve_full_input = g:chance(0.5), long_prefill_tokens = g:of { 0, 0, 20 },
    max_partial_prefills = g:of { 0, 0, 1, 2 }, order = g:of { "fcfs", "priority" },
    plans_ahead = g:chance(0.3) }
end

local routes = { "round_robin", "least_outstanding", "least_kv", "random", "power_of_two",
  "weighted", "prefix_aware" }

local function tokens(g, mean)
  return g:of { mean, td.uniform(1, 2 * mean - 1), td.exponential(mean),
    td.lognormal { mean = mean, cv = 1.5 } }
end

local function arrivals(g)
  local rps = g:of { 0.5, 5, 30, 300 }
  local which = g:int(1, 6)
  if which == 1 then return td.closed { users = g:int(1, 20), requests = 150,
    think = td.exponential(g:of { 0.01, 1 }) } end
  if which == 2 then return td.poisson { rps = rps, requests = 40, batch = g:int(1, 5) } end
  if which == 3 then
    return td.replay { file = "tests/data/workloads/mooncake_conv_100.jsonl", rps = rps,
      repeats = g:int(1, 2), sample = g:of { 0.5, 1, 1.5 } }, true
  end
  if which == 4 then
    return td.poisson { rps = rps, requests = 150, sizes = td.resample {
      file = "tests/data/workloads/mooncake_conv_100.jsonl",
      order = g:of { "random", "recorded" } } }, true
  end
  return td.poisson { rps = rps, requests = 150 }
end

-- A step's time by everything that is in it, never nothing.
local function step_of(g)
  return td.affine { step = g:real(1e-4, 1e-2), prefill_tokens = g:of { 0, 1e-5 },
    prefill_attention = g:of { 0, 1e-8 }, decode_seqs = g:of { 0, 1e-4 },
    decode_context = g:of { 0, 1e-7 } }
end

-- A scenario, and what is known of it: whether tokens are one request's attributes.
local function scenario_of(n)
  local g = random.new(7000 + n)
  local workload, recorded = arrivals(g)
  local talks = not recorded and g:chance(0.4)
  local body = { engine = engine_of(g), step = step_of(g), replicas = g:int(1, 4),
    route = g:of(routes) }
  if recorded then -- long prompts
    body.engine.kv_blocks = body.engine.kv_blocks * g:of { 10, 100 }
    body.engine.block_tokens = 16
  end
  if talks then body.history = true end
  if not recorded and g:chance(0.4) then
    body.prefix, body.group = g:int(1, 60), g:of { 0, td.uniform(0, 3) }
  end
  local fails = g:chance(0.15)
  if fails then body.mtbf, body.mttr = td.exponential(20), td.exponential(1) end
  if g:chance(0.2) then -- prompts here, outputs there
    body.replicas = nil
    body.prefill, body.decode = { replicas = g:int(1, 2) }, { replicas = g:int(1, 2) }
    body.handover = { token_bytes = 1000, link = td.link "nic" {
      bandwidth = g:of { 1e5, 1e7, 1e9 }, shared = g:chance(0.5) } }
  end
  local function server(prompt, output)
    local one = {}
    for k, v in pairs(body) do one[k] = v end
    one.prompt, one.output = prompt, output
    return td.generate "llm" (one)
  end
  local count = td.delay "count" { time = "r.output_tokens * 1e-6" }
  local pipeline = { server(), count }
  if talks and g:chance(0.5) then
    pipeline = { td.loop { times = g:int(1, 4), server(), count } }
  elseif talks then
    pipeline = { server(), count, td.fork { { td.delay "tool" { time = td.exponential(0.5) },
      td.fixed "cpu" { time = 0.01 } }, { td.loop { times = 2, server(), count } } }, server(),
      td.delay "count " { time = "r.output_tokens * 1e-6" } }
  end
  local s, problems = td.check { name = "r" .. n, workload = workload, pipeline = pipeline,
    attrs = not recorded and { prompt_tokens = tokens(g, g:of { 5, 60, 200 }),
      output_tokens = td.zipf(g:of { 1, 9, 60 }, 0.5) } or nil,
    priority = g:int(0, 3), warmup = "none", replications = 2 }
  if not s then error(("%d: %s"):format(n, tostring(problems)), 0) end
  return s, { fails = fails, engine = body.engine }
end

local function must(condition, n, words, ...)
  if not condition then error(("server %d: "):format(n) .. words:format(...), 2) end
end

-- An estimate, or a number that is not estimated.
local function value(v)
  if type(v) == "table" then return v.value end
  return v
end

local scenarios, facts, results = {}, {}, {}
for n = 1, COUNT do
  scenarios[n], facts[n] = scenario_of(n)
  results[n] = assert(scenarios[n]:run { threads = 1 })
end

describe("every LLM server", function()
  it("lets everybody out who came in, or says that it dropped them", function()
    local completed, dropped = 0, 0
    for n, r in ipairs(results) do
      must(r.checks.ok and r.checks.conservation, n, "the books do not balance")
      local class = r.classes[1]
      must(class.completed + class.dropped == class.arrived, n, "%d came, %d left, %d were dropped",
        class.arrived, class.completed, class.dropped)
      completed, dropped = completed + class.completed, dropped + class.dropped
    end
    -- They do try what they are made to try.
    assert.is_true(completed > 100 * COUNT and dropped > 50)
    local preempting, caching, restarting = 0, 0, 0
    for _, r in ipairs(results) do
      local one = r.llm[1]
      if (value(one.preemptions) or 0) > 0 then preempting = preempting + 1 end
      if (value(one.cached) or 0) > 0 then caching = caching + 1 end
      if (value(one.restarts) or 0) > 0 then restarting = restarting + 1 end
    end
    assert.is_true(preempting > 10 and caching > 30 and restarting > 3)
  end)

  it("gives everybody the tokens asked for, no more", function()
    for n, s in ipairs(scenarios) do
      local r, asked = s:run { replications = 1 }, 0
      for _, stage in ipairs(r.stages) do
        if stage.name:find "^count" then
          asked = asked + (value(stage.service.mean) or 0) * value(stage.visits) * 1e6
        end
      end
      local given = value(r.llm[1].output_tokens_per_s) * r.duration_s
      local slack = r.classes[1].dropped > 0 and math.huge or 0
      must(given >= asked - 0.5 and (facts[n].fails or given <= asked + slack + 0.5), n,
        "%.1f tokens for %.1f", given, asked)
    end
  end)

  it("never begins before somebody is there, nor ends before it begins", function()
    for n, r in ipairs(results) do
      local one = r.llm[1]
      for _, q in ipairs { "mean", "p50", "p90", "p99", "max" } do
        local wait, first, all = value(one.queueing[q]), value(one.ttft[q]), value(one.e2e[q])
        if wait then
          must(wait >= 0 and wait < first and first <= all, n,
            "%s: waits %s, first token %s, last %s", q, wait, first, all)
        end
      end
    end
  end)

  it("holds no more than it has", function()
    for n, r in ipairs(results) do
      local one, engine = r.llm[1], facts[n].engine
      local mean, peak = value(one.kv_mean), value(one.kv_peak)
      local batch, cached = value(one.batch), value(one.cached)
      if batch and cached then
        must(peak <= 1 and mean <= peak, n, "KV %s of it, %s at most", mean, peak)
        must(batch <= engine.max_seqs, n, "%s in a batch", batch)
        must(cached >= 0 and cached < 1, n, "%s cached", cached)
        must(engine.prefix_caching or cached == 0, n, "caches nothing, finds something")
      end
    end
  end)

  it("has the same bytes at one thread, at four, and while it is traced", function()
    for n, s in ipairs(scenarios) do
      local text = results[n]:to_json()
      must(text == s:run({ threads = 4 }):to_json(), n, "threads differ")
    end
  end)

  it("makes one step at a time, in order, on each replica, as its trace shows", function()
    for n = 1, COUNT, 10 do
      local path = os.tmpname()
      local plain = scenarios[n]:run { replications = 1 }
      local traced = scenarios[n]:run { replications = 1, trace = path }
      local file <close> = assert(io.open(path))
      local events = require("cjson").decode(file:read "a")
      os.remove(path)
      must(plain:to_json() == traced:to_json(), n, "tracing changes it")
      local free, steps = {}, 0
      for _, event in ipairs(events.traceEvents or events) do
        if event.name == "step" then
          local track = event.pid .. "/" .. event.tid
          must(event.ts >= (free[track] or 0) - 1e-3, n, "a step begins before the last has ended")
          must(event.args.sequences <= facts[n].engine.max_seqs, n, "too many in a step")
          free[track], steps = event.ts + event.dur, steps + 1
        elseif event.name:find "KV blocks$" then
          local blocks = select(2, next(event.args))
          must(blocks <= facts[n].engine.kv_blocks, n, "%s blocks", blocks)
        end
      end
      must(steps > 0, n, "has no steps")
    end
  end)
end)
