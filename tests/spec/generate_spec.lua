-- td.generate: LLM servers in scenarios, against theory, against the scheduler alone, and in words.

local core = require "tandem.core"
local td = require "tandem"

local function checked(extra)
  local raw = { name = "llm", workload = td.poisson { rps = 10, duration = "60s" },
    attrs = { prompt_tokens = 40, output_tokens = 10 } }
  for k, v in pairs(extra) do raw[k] = v end
  local s, problems = td.check(raw)
  assert(s, tostring(problems))
  return s
end

local function refused(extra, pattern)
  local raw = { name = "llm", workload = td.poisson { rps = 10, duration = "60s" },
    attrs = { prompt_tokens = 40, output_tokens = 10 } }
  for k, v in pairs(extra) do raw[k] = v end
  local s, problems = td.check(raw)
  assert.is_nil(s)
  assert.matches(pattern, tostring(problems), 1, true)
end

-- Some arrivals that come close together now and then, the same in every test.
local function rows(count)
  local list, at, state = {}, 0, 12345
  for i = 1, count do
    state = (state * 1103515245 + 12345) % (1 << 31)
    at = at + state % 1000 * 2e-4
    list[i] = { arrival = at, prompt_tokens = 1 + state % 300, output_tokens = 1 + state % 53 }
  end
  return list
end

local affine = { step = "2ms", prefill_tokens = "30us", decode_seqs = "50us",
  decode_context = "10ns" }
local engine = { max_seqs = 8, max_batched_tokens = 128, kv_blocks = 90 }

local function server(extra)
  local body = { step = td.affine(affine), engine = engine }
  for k, v in pairs(extra or {}) do body[k] = v end
  return td.generate "answer" (body)
end

local function latencies(s)
  local result = s:run { requests_log = "all", replications = 1, warmup = "none" }
  local out = {}
  for _, one in ipairs(result.requests_log) do out[#out + 1] = one end
  table.sort(out, function(a, b) return a.arrival_s < b.arrival_s end)
  return out, result
end

describe("an LLM server", function()
  it("of one sequence at a time with constant steps is an M/D/1 queue", function()
    for _, load in ipairs { 0.4, 0.8 } do
      local service = 0.010
      local result = checked {
        workload = td.poisson { rps = load / service, duration = "400s" },
        attrs = { prompt_tokens = 8, output_tokens = 1 },
        pipeline = { td.generate "answer" { step = td.affine { step = service },
          engine = { max_seqs = 1, kv_blocks = 10 } } } }:run { replications = 12, threads = 2 }
      -- Pollaczek and Khinchine, without variance; five standard errors.
      local wait = load * service / (2 * (1 - load))
      local found = result.llm[1].queueing.mean
      assert.is_true(math.abs(found.value - wait) < 2.3 * found.half + 1e-6,
        ("%g, wanted %g ± %g"):format(found.value, wait, found.half))
      assert.near(load, result:get "resources.answer.utilization", 0.02)
      assert.near(result:get "llm.answer.ttft.mean", result:get "latency.mean", 1e-12)
      assert.near(1, result:get "llm.answer.batch", 1e-12)
    end
  end)

  it("does in a scenario what its scheduler does alone, to the nanosecond", function()
    local list = rows(400)
    local found = latencies(checked { attrs = {}, workload = td.replay { rows = list },
      pipeline = { server() } })
    local requests = {}
    for i, row in ipairs(list) do
      requests[i] = { at_ns = math.floor(row.arrival * 1e9 + 0.5), prompt = row.prompt_tokens,
        output = row.output_tokens }
    end
    local step = core.llm.step { kind = "affine", pieces = { { step = 2e-3, prefill_tokens = 30e-6,
      decode_seqs = 50e-6, decode_context = 10e-9 } } }
    local outcomes = core.serving.replay({ max_seqs = 8, max_batched_tokens = 128, blocks = 90 },
      step, requests)
    assert.equal(#list, #found)
    for i, outcome in ipairs(outcomes) do
      assert.near((outcome.finished_ns - requests[i].at_ns) * 1e-9, found[i].latency_s, 1e-12)
    end
  end)

  it("of two replicas in turn is two servers, each with every second request", function()
    local list, halves = rows(300), { {}, {} }
    for i, row in ipairs(list) do
      local half = halves[(i - 1) % 2 + 1]
      half[#half + 1] = row
    end
    local both = latencies(checked { attrs = {}, workload = td.replay { rows = list },
      pipeline = { server { replicas = 2 } } })
    for k, half in ipairs(halves) do
      local alone = latencies(checked { attrs = {}, workload = td.replay { rows = half },
        pipeline = { server() } })
      for i, one in ipairs(alone) do
        assert.equal(one.latency_s, both[2 * i - 2 + k].latency_s)
      end
    end
  end)

  -- At once: block by block it would take days.
  it("drops what is longer than any KV cache at once, however long its shared prefix", function()
    local result = checked { workload = td.paced { rps = 10, requests = 4 },
      attrs = { prompt_tokens = 9e11, output_tokens = 2 },
      pipeline = { server { prefix = 9e11, replicas = 2 } } }:run { replications = 1 }
    assert.equal(4, result.classes[1].dropped)
  end)

  it("gives every token that was asked for, and loses no request", function()
    for _, route in ipairs { "round_robin", "least_outstanding", "least_kv", "random",
      "power_of_two" } do
      local list, tokens, prompts = rows(300), 0, 0
      for _, row in ipairs(list) do
        tokens, prompts = tokens + row.output_tokens, prompts + row.prompt_tokens
      end
      local _, result = latencies(checked { attrs = {}, workload = td.replay { rows = list },
        pipeline = { server { replicas = 3, route = route } } })
      local one = result.llm[1]
      assert.near(tokens, one.output_tokens_per_s.value * result.duration_s, 1e-6)
      assert.near(prompts, one.prompt_tokens_per_s.value * result.duration_s, 1e-6)
      assert.equal(300, result.requests)
      assert.is_true(result.checks.ok)
      assert.is_true(one.kv_peak.value <= 1)
    end
  end)

  it("shows each step in a trace: every token computed once, one step at a time", function()
    local list, tokens = rows(120), 0
    for _, row in ipairs(list) do tokens = tokens + row.prompt_tokens + row.output_tokens - 1 end
    local s = checked { attrs = {}, workload = td.replay { rows = list }, pipeline = { server() } }
    local path = os.tmpname()
    local plain = s:run { replications = 1, warmup = "none" }
    local result = s:run { replications = 1, warmup = "none", trace = path }
    local file = assert(io.open(path))
    local trace = require("cjson").decode(file:read "a")
    file:close()
    os.remove(path)
    local found, last, running = 0, 0, 0
    for _, event in ipairs(trace.traceEvents or trace) do
      if event.name == "step" then
        found = found + event.args.tokens
        assert.is_true(event.ts >= last - 1e-3 and event.args.sequences <= 8)
        last = event.ts + event.dur
      elseif event.name == "answer running" then
        running = event.args.requests
      end
    end
    assert.equal(tokens, found)
    assert.equal(0, running)
    assert.equal(plain:to_json(), result:to_json())
  end)

  it("computes a shared prefix once while it is cached", function()
    -- One after the other: 64 of the 100 tokens are shared by the requests of a group.
    local list = {}
    for i = 1, 40 do
      list[i] = { arrival = i, prompt_tokens = 100, output_tokens = 2, whose = i % 2 }
    end
    local function cached(extra)
      local _, result = latencies(checked { attrs = {}, workload = td.replay { rows = list },
        pipeline = { server(extra) } })
      return result:get "llm.answer.cached", result:get "llm.answer.ttft.mean"
    end
    local none, slow = cached {}
    assert.equal(0, none)
    -- 70 shared tokens are four whole blocks of 16; the first of each group computes them.
    local share, fast = cached { prefix = 70, group = "r.whose" }
    assert.near(38 * 64 / 4000, share, 1e-12)
    assert.near(slow - fast, 38 / 40 * 64 * 30e-6, 1e-9)
    assert.near(39 * 64 / 4000, (cached { prefix = 70 }), 1e-12)
    assert.equal(0, (cached { prefix = 70, engine = { max_seqs = 8, max_batched_tokens = 128,
      kv_blocks = 90, prefix_caching = false } }))
  end)

  it("drops what could never run, as servers refuse it", function()
    local result = checked { attrs = { prompt_tokens = 40, output_tokens = 4000 },
      requests = 20, pipeline = { server() } }:run { replications = 1 }
    assert.equal(20, result.classes[1].dropped)
    assert.is_nil(result.llm[1].ttft.mean.value)
  end)

  it("preempts when its KV cache is full, and finishes everybody all the same", function()
    local list = {}
    for i = 1, 40 do list[i] = { arrival = 0, prompt_tokens = 100 + i, output_tokens = 60 } end
    local _, result = latencies(checked { attrs = {}, workload = td.replay { rows = list },
      pipeline = { server {
        engine = { max_seqs = 16, max_batched_tokens = 512, kv_blocks = 40 } } } })
    assert.is_true(result:get "llm.answer.preemptions" > 0)
    assert.equal(40, result.requests)
    assert.near(40 * 60, result:get "llm.answer.output_tokens_per_s" * result.duration_s, 1e-6)
  end)

  it("has the same bytes at one thread and at four", function()
    local s = checked { replications = 4, workload = td.poisson { rps = 12, duration = "40s" },
      attrs = { prompt_tokens = td.lognormal { p50 = 60, p99 = 120 },
        output_tokens = td.lognormal { p50 = 20, p99 = 100 } },
      pipeline = { server { replicas = 2, route = "power_of_two" } } }
    assert.equal(s:run({ threads = 1 }):to_json(), s:run({ threads = 4 }):to_json())
  end)

  it("is shared by classes, told apart in its figures", function()
    local result = checked {
      workload = { td.poisson { rps = 5, duration = "60s", class = "chat" },
        td.poisson { rps = 1, duration = "60s", class = "batch" } },
      classes = { { name = "chat" },
        { name = "batch", attrs = { prompt_tokens = 400, output_tokens = 30 } } },
      pipeline = { server() }, slo = { ttft_p99 = "1s", tpot_mean = "1s" } }:run()
    assert.equal(1, #result.llm)
    local chat, batch = result.llm[1].classes[1], result.llm[1].classes[2]
    assert.equal("chat", chat.name)
    assert.is_true(chat.ttft.mean.value < batch.ttft.mean.value)
    assert.equal(result:get "llm.answer.classes.batch.ttft.p99", batch.ttft.p99.value)
    assert.equal("tpot_mean", result.classes[2].slo[1].metric)
    assert.equal(batch.tpot.mean.value, result.classes[2].slo[1].value.value)
    assert.is_true(result:answer())
  end)

  it("counts as good only who meets every objective", function()
    local function goodput(slo)
      return checked { pipeline = { server() }, slo = slo }:run { replications = 2 }
    end
    local all = goodput { ttft_p99 = "10s" }
    assert.equal(1, all.llm[1].slo_met.value)
    assert.equal(0, goodput({ ttft_p99 = "1us" }).goodput_rps.value)
    assert.equal(0, goodput({ ttft_p99 = "10s", tpot_mean = "1us" }).goodput_rps.value)
  end)

  it("takes the KV cache from what the weights leave", function()
    local s = checked { target = td.gpu "H100 SXM" {},
      pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B" } } }
    local server_of = s:model().servers[1]
    -- 8.03e9 parameters of 2 bytes beside 32 layers × 2 × 8 heads × 128 numbers a token.
    local room = 0.9 * 80 * 1024 ^ 3 - 2 * 8.03e9
    assert.near(room / (16 * 131072), server_of.pools[1].config.blocks, 10)
    assert.equal(1, #server_of.pools[1].stations)
    local four = checked { target = td.gpu "H100 SXM" { count = 8 },
      pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-70B", tp = 4 } } }:model()
    assert.equal(2, #four.servers[1].pools[1].stations)
    assert.equal(5, four.stations[four.servers[1].pools[1].stations[2]].gpu)
  end)

  it("on GPUs of two kinds has steps and KV blocks by kind, each as it is alone", function()
    local list = {}
    for i = 1, 40 do
      list[i] = { arrival = i * 0.4, prompt_tokens = 100 + 7 * i, output_tokens = 9 + i % 5 }
    end
    local function times(target)
      return latencies(checked { attrs = {}, workload = td.replay { rows = list },
        target = target, pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B" } } })
    end
    local fast, slow = times(td.gpu "H100 SXM" {}), times(td.gpu "L40S" {})
    local mixed, result = times(td.fleet "f" { td.gpu "H100 SXM" {}, td.gpu "L40S" {} })
    for i, one in ipairs(mixed) do -- in turn, and never two at a time
      assert.equal((i % 2 == 1 and fast or slow)[i].latency_s, one.latency_s)
    end
    local pools = result.llm[1].pools
    assert.same({ "H100 SXM", "L40S" }, { pools[1].name, pools[2].name })
    assert.is_true(pools[1].kv_blocks > pools[2].kv_blocks)
    assert.is_true(result:get "llm.answer.pools.L40S.step_s" > 2 * pools[1].step_s.value)
    assert.near(result:get "llm.answer.output_tokens_per_s",
      pools[1].output_tokens_per_s.value + pools[2].output_tokens_per_s.value, 1e-9)
  end)

  it("keeps a replica on one kind of GPU and in one machine", function()
    local function gpus_of(gpus, extra)
      local body = { model = td.llm "Llama-3.1-70B", tp = 4 }
      for k, v in pairs(extra or {}) do body[k] = v end
      local model = checked { target = td.fleet "f" (gpus),
        pipeline = { td.generate "g" (body) } }:model()
      local out = {}
      for _, pool in ipairs(model.servers[1].pools) do
        for _, station in ipairs(pool.stations) do
          out[#out + 1] = model.stations[station].gpu
        end
      end
      return out
    end
    assert.same({ 1, 7 }, gpus_of { td.gpu "H100 SXM" { count = 6 }, td.gpu "H200" { count = 5 } })
    assert.same({ 1, 7, 13 }, gpus_of { td.gpu "H100 SXM" { count = 18, node = 6 } })
    assert.same({ 1, 7 }, gpus_of({ td.gpu "H100 SXM" { count = 18, node = 6 } },
      { replicas = 2 }))
    refused({ target = td.fleet "f" { td.gpu "H100 SXM" { count = 4 }, td.gpu "H200" {} },
      pipeline = { td.generate "g" { model = td.llm "Llama-3.1-70B", tp = 4 } } },
      "1 × H200 are too few for a replica of 4 GPUs")
    refused({ target = td.gpu "H100 SXM" { count = 8, node = 6 }, pipeline = {
      td.generate "g" { model = td.llm "Llama-3.1-70B", tp = 4, replicas = 2 } } },
      "of one machine if they fit")
  end)

  it("of a pipeline has a batch in flight for each stage, each as long as all stages", function()
    -- Steps of 10 ms, one sequence a lane: four lanes give 400 tokens a second when all are busy.
    local s = checked { workload = td.closed { users = 12, think = 0, duration = "60s" },
      attrs = { prompt_tokens = 8, output_tokens = 20 },
      pipeline = { td.generate "g" { pp = 4, step = td.affine { step = "10ms" },
        engine = { max_seqs = 4, kv_blocks = 400 } } } }
    local result = s:run { replications = 1 }
    assert.near(400, result:get "llm.g.output_tokens_per_s", 4)
    assert.near(0.01, result:get "llm.g.tpot.mean", 1e-9)
    assert.equal(1, result.llm[1].replicas)
    assert.equal(100, s:model().servers[1].pools[1].config.blocks)
    -- One alone has the latency of all stages, and the sends between them.
    local alone = checked { workload = td.replay { rows = { { arrival = 0 } } },
      target = td.gpu "H100 SXM" { count = 4 },
      pipeline = { td.generate "g" { model = td.llm "Llama-3.1-8B", pp = 4 } } }
    local made = alone:model().servers[1].pools[1]
    local step = core.llm.step(made.step)
    local seconds = step:step_s { prefill = { { 40, 0 } } } + step:decode_run_s(
      { decode = { 41 } }, 9) + alone:model().servers[1].request_s
    assert.near(seconds, alone:run({ replications = 1, warmup = "none" }):get "latency.mean", 1e-8)
    assert.equal(4, made.lanes)
    assert.equal(4, made.gpus)
  end)

  it("divides experts among data-parallel groups, which have requests of their own", function()
    local s = checked { target = td.gpu "H200" { count = 16 },
      pipeline = { td.generate "g" { model = td.llm "DeepSeek-V2-Lite", dp = 16, ep = 16,
        network = "InfiniBand NDR" } } }
    local model = s:model()
    local pool = model.servers[1].pools[1]
    assert.same({ 16, 16, 16 }, { #pool.stations, pool.lanes, pool.gpus })
    for k, station in ipairs(pool.stations) do assert.equal(k, model.stations[station].gpu) end
    -- Weights: 1/16 of the experts beside everything else; a cache of its own each.
    local shard = core.llm.shard(s.checked.resolved[1].pipeline[1].model.architecture,
      { data = 16, expert = 16 })
    local params = model.gpus[1].params
    assert.equal((0.9 * params.memory - shard.weights_bytes) // (16 * shard.kv_bytes_token),
      pool.config.blocks)
    assert.equal(8, pool.step.machine)
    assert.equal(1, s:run({ replications = 1 }).llm[1].replicas)
  end)

  it("says what cannot be cut, or is not joined", function()
    local h100 = td.gpu "H100 SXM" { count = 16 }
    local function generate(body)
      body.model = body.model or td.llm "Llama-3.1-70B"
      return { target = h100, pipeline = { td.generate "g" (body) } }
    end
    refused(generate { tp = 16 }, "say which network joins them")
    local odd = generate { tp = 16, network = "InfiniBand NDR" }
    odd.target = td.gpu "H100 SXM" { count = 24, node = 12 }
    refused(odd, "do not divide machines of 12")
    refused(generate { tp = 16, network = "Infiniband" }, "no link is called 'Infiniband'")
    refused(generate { tp = 16, network = "Ethernet 400G" }, "latency")
    refused(generate { tp = 4, ep = 4 }, "no experts to divide")
    refused(generate { tp = 2, pp = 4, step = td.step_table "x" {} }, "dense.csv")
    refused(generate { tp = 4, dp = 2, step = td.step_table "x" {} }, "of which the model has none")
    checked(generate { tp = 16, network = { bandwidth = "50GB/s", latency = "10us" } })
    checked(generate { tp = 8, pp = 2, network = "ndr" })
  end)

  it("is not lowered, and says why", function()
    assert.equal("an LLM server schedules its requests together",
      core.lowering(checked({ pipeline = { server() } }):model()))
  end)

  it("says what is wrong", function()
    refused({ pipeline = { td.generate "g" { model = td.llm "Llama-3.1-8" } },
      target = "H100 SXM" }, "did you mean 'Llama-3.1-8B'")
    refused({ pipeline = { td.generate "g" {} } }, "model")
    refused({ pipeline = { td.generate "g" { model = td.llm "Llama-3.1-70B" } },
      target = "H100 SXM" }, "leaves nothing")
    refused({ pipeline = { td.generate "g" { model = td.llm "Llama-3.1-8B", tp = 2 } },
      target = "H100 SXM" }, "wants 2 GPUs")
    refused({ pipeline = { server { engine = { max_seqs = 9, max_batched_tokens = 8 } } } },
      "is below max_seqs")
    refused({ pipeline = { server() }, attrs = { prompt_tokens = 4 } }, "output_tokens")
    refused({ pipeline = { td.delay "d" { time = 1 } }, slo = { ttft_p99 = "1s" } },
      "no td.generate")
    refused({ pipeline = { server() }, patience = 1 }, "patience")
    refused({ pipeline = { td.generate "g" { model = td.llm "Llama-3.1-8B" },
      td.tokens "t" { tokens = 4 } }, target = "H100 SXM" }, "has for itself")
  end)
end)
