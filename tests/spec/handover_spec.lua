-- Prefill and decode replicas of td.generate: against servers that do both, against arithmetic, and
-- whether anything is lost on the way.

local td = require "tandem"

local function checked(extra)
  local raw = { name = "split", workload = td.poisson { rps = 10, duration = "60s" },
    attrs = { prompt_tokens = 40, output_tokens = 10 } }
  for k, v in pairs(extra) do raw[k] = v end
  local s, problems = td.check(raw)
  assert(s, tostring(problems))
  return s
end

local function refused(generate, pattern)
  local s, problems = td.check { name = "split", workload = td.poisson { rps = 1, duration = "1s" },
    attrs = { prompt_tokens = 40, output_tokens = 10 }, pipeline = { generate } }
  assert.is_nil(s)
  assert.matches(pattern, tostring(problems), 1, true)
end

local affine = { step = "2ms", prefill_tokens = "30us", decode_seqs = "50us",
  decode_context = "10ns" }
local ample = { max_seqs = 64, max_batched_tokens = 2048, kv_blocks = 10000,
  prefix_caching = false }

-- A server with one replica of each kind by default.
local function split(extra)
  local body = { step = td.affine(affine), engine = ample, prefill = { replicas = 1 },
    decode = { replicas = 1 },
    handover = { link = td.link "net" { bandwidth = 1e18 }, token_bytes = 1000 } }
  for k, v in pairs(extra or {}) do body[k] = v end
  return td.generate "answer" (body)
end

local function each(extra, pipeline)
  local all = { attrs = {}, pipeline = pipeline }
  for k, v in pairs(extra) do all[k] = v end
  local result = checked(all):run { requests_log = "all", replications = 1, warmup = "none" }
  local out = {}
  for _, one in ipairs(result.requests_log) do out[#out + 1] = one end
  table.sort(out, function(a, b) return a.arrival_s < b.arrival_s end)
  return out, result
end

local function rows(count, gap_s)
  local list, state = {}, 4711
  for i = 1, count do
    state = (state * 1103515245 + 12345) % (1 << 31)
    list[i] = { arrival = (i - 1) * gap_s, prompt_tokens = 1 + state % 300,
      output_tokens = 1 + state // 300 % 50 }
  end
  return list
end

describe("what is told of a server", function()
  it("has pools and transfers where requests are handed over, and only there", function()
    local run = { replications = 1 }
    local apart = checked { pipeline = { split() } }:run(run).llm[1]
    local whole = checked { pipeline = { td.generate "answer" { step = td.affine(affine),
      engine = ample } } }:run(run).llm[1]
    assert.equal(2, #apart.pools)
    assert.is_true(apart.transfer_bytes_per_s.value > 0)
    assert.is_nil(whole.pools)
    assert.is_nil(whole.transfer_bytes_per_s)
    assert.is_nil(whole.api)
  end)
end)

describe("prefill and decode replicas", function()
  it("with a link that takes no time serve who is alone as one replica does", function()
    local load = { workload = td.replay { rows = rows(60, 2) } }
    local one, whole = each(load, { td.generate "answer" { step = td.affine(affine),
      engine = ample } })
    local two, parts = each(load, { split() })
    for i = 1, 60 do assert.near(one[i].latency_s, two[i].latency_s, 3e-9) end
    for _, time in ipairs { "ttft", "tpot", "itl", "e2e", "queueing" } do
      assert.near(whole.llm[1][time].mean.value, parts.llm[1][time].mean.value, 1e-8)
    end
    assert.near(whole:get "llm.answer.output_tokens_per_s",
      parts:get "llm.answer.output_tokens_per_s", 1e-9)
    assert.near(whole:get "llm.answer.prompt_tokens_per_s",
      parts:get "llm.answer.prompt_tokens_per_s", 1e-9)
  end)

  it("add latency and bytes over bandwidth, behind the first token", function()
    local load = { workload = td.replay { rows = rows(60, 2) } }
    local function with(shared)
      return each(load, { split { handover = { latency = "3ms", token_bytes = 1000,
        link = td.link "net" { bandwidth = "1MB/s", shared = shared } } } })
    end
    local plain, quick = each(load, { split() })
    for _, shared in ipairs { true, false } do
      local slow, result = with(shared)
      local moved, bytes = 0, 0
      for i, row in ipairs(load.workload.rows) do
        local way = row.output_tokens > 1 and 3e-3 + row.prompt_tokens * 1e-3 or 0
        if way > 0 then moved, bytes = moved + 1, bytes + row.prompt_tokens * 1000 end
        assert.near(plain[i].latency_s + way, slow[i].latency_s, 1e-8)
      end
      assert.near(quick:get "llm.answer.ttft.mean", result:get "llm.answer.ttft.mean", 1e-12)
      assert.near(3e-3 + bytes / moved * 1e-6, result:get "llm.answer.transfer.mean", 1e-8)
      assert.near(bytes, result:get "llm.answer.transfer_bytes_per_s" * result.duration_s, 1)
      assert.near(moved / 60, result.stages[2].visits / result.stages[1].visits, 1e-12)
      assert.is_true(result.checks.ok)
    end
  end)

  it("are an M/D/1 queue for prompts, one at a time, whatever happens to outputs", function()
    local service, load = 0.010, 0.7
    local result = checked { workload = td.poisson { rps = load / service, duration = "300s" },
      attrs = { prompt_tokens = 8, output_tokens = 3 }, pipeline = { split {
        step = td.affine { step = service },
        prefill = { replicas = 1, engine = { max_seqs = 1, kv_blocks = 1000 } } } } }
      :run { replications = 12, threads = 2 }
    -- Pollaczek and Khinchine, without variance; five standard errors.
    local found, wait = result.llm[1].queueing.mean, load * service / (2 * (1 - load))
    assert.is_true(math.abs(found.value - wait) < 2.3 * found.half + 1e-6)
    assert.near(found.value + service, result:get "llm.answer.ttft.mean", 1e-9)
    -- Where the decode replica is busy, blocks are reserved when its step ends, half a step away on
    -- average, and what has come meanwhile takes part in the next but one: 3.5 steps for 2 tokens.
    assert.is_true(result:get "llm.answer.tpot.mean" <= 1.76 * service)
    assert.is_true(result:get "llm.answer.tpot.mean" >= service)
  end)

  it("share the link fairly, or take turns", function()
    -- Two prompts of 100 tokens, each on its own replica: 100 kB each, at 1 MB/s.
    local load = { workload = td.replay { rows = { { arrival = 0 }, { arrival = 0 } } },
      attrs = { prompt_tokens = 100, output_tokens = 2 } }
    local function ways(shared)
      local _, result = each(load, { split { prefill = { replicas = 2 },
        step = td.affine { step = "1ms" }, handover = { token_bytes = 1000,
          link = td.link "net" { bandwidth = "1MB/s", shared = shared } } } })
      return result:get "llm.answer.transfer.mean", result.llm[1].transfer.max
    end
    local mean, most = ways(true)
    assert.near(0.2, mean, 1e-8)
    assert.near(0.2, most, 1e-8)
    mean, most = ways(false)
    assert.near(0.15, mean, 1e-8)
    assert.near(0.2, most, 1e-8)
  end)

  it("hold prompts back when their KV caches cannot leave", function()
    -- 160 kB a prompt over 1 MB/s: the link takes 6.25 requests a second, whatever comes.
    local _, result = each({ workload = td.poisson { rps = 20, duration = "60s" },
      attrs = { prompt_tokens = 160, output_tokens = 2 } }, { split {
      step = td.affine { step = "1ms" },
      engine = { max_seqs = 8, max_batched_tokens = 512, kv_blocks = 40, prefix_caching = false },
      handover = { token_bytes = 1000, link = td.link "net" { bandwidth = "1MB/s" } } } })
    assert.near(6.25, result:get "throughput_rps", 0.1)
    local prefill = result.llm[1].pools[1]
    assert.equal("prefill", prefill.name)
    assert.is_true(prefill.kv_mean.value > 0.9 and prefill.kv_peak.value <= 1)
    assert.is_true(result:get "llm.answer.ttft.p50" > 1)
    assert.is_true(result.checks.ok)
  end)

  it("lose no request and no block, however scarce these are", function()
    local routes = { "round_robin", "least_kv", "power_of_two" }
    for trial = 1, 12 do
      local list, tokens, prompts = rows(150, 0.002 * trial), 0, 0
      for _, row in ipairs(list) do
        tokens, prompts = tokens + row.output_tokens, prompts + row.prompt_tokens
      end
      local engine = { max_seqs = 1 + trial % 5 * 3, max_batched_tokens = 64 + 32 * (trial % 3),
        kv_blocks = 24 + trial, prefix_caching = trial % 2 == 0, plans_ahead = trial % 3 == 0 }
      local _, result = each({ workload = td.replay { rows = list } }, { split {
        prefill = { replicas = 1 + trial % 2 },
        decode = { replicas = 1 + trial % 3, dp = 1 + trial % 2 },
        engine = engine, prefix = trial % 4 * 16,
        route = routes[trial % 3 + 1],
        handover = { latency = "1ms", token_bytes = 1000,
          link = td.link "net" { bandwidth = 3e5 * trial, shared = trial % 2 == 0 } } } })
      assert.equal(150, result.requests)
      assert.is_true(result.checks.ok)
      assert.near(tokens, result:get "llm.answer.output_tokens_per_s" * result.duration_s, 1e-6)
      assert.near(prompts, result:get "llm.answer.prompt_tokens_per_s" * result.duration_s, 1e-6)
    end
  end)

  it("go on when replicas fail or requests time out on their way", function()
    local result = checked { timeout = "400ms", replications = 2,
      workload = td.poisson { rps = 8, duration = "60s" },
      pipeline = { split { mtbf = td.exponential { mean = "5s" }, mttr = "500ms",
        prefill = { replicas = 2 }, decode = { replicas = 2 },
        engine = { max_seqs = 4, max_batched_tokens = 128, kv_blocks = 12 },
        handover = { token_bytes = 1000, link = td.link "net" { bandwidth = "500kB/s" } } } } }
      :run { threads = 1 }
    assert.is_true(result.checks.ok)
    assert.is_true(result:get "llm.answer.restarts" > 0)
    assert.is_true(result.classes[1].timed_out > 0)
    assert.is_true(result.requests > 300)
  end)

  it("remember conversations, each turn once, at both ends", function()
    local s = checked { workload = td.paced { rps = 0.05, requests = 4 }, attrs = {},
      pipeline = { td.loop { times = 3, td.generate "answer" { history = true, prompt = 64,
        output = 17, prefix = 16, step = td.affine(affine),
        engine = { max_seqs = 8, max_batched_tokens = 512, kv_blocks = 500 },
        prefill = { replicas = 1 }, decode = { replicas = 1 },
        handover = { link = td.link "net" { bandwidth = 1e9 }, token_bytes = 1000 } } } } }
    local result = s:run { replications = 1, warmup = "none" }
    -- Prompts of 80, 161 and 242 tokens; five and ten blocks of these are known from before.
    assert.near(4 * (80 + 161 + 242), result:get "llm.answer.prompt_tokens_per_s"
      * result.duration_s, 1e-6)
    local moved = result:get "llm.answer.transfer_bytes_per_s" * result.duration_s / 1000
    assert.near(4 * (80 + (161 - 96) + (242 - 176)) - 3 * 16, moved, 1e-6)
    assert.is_true(result.checks.ok)
  end)

  it("have the same bytes at one thread and at four", function()
    local s = checked { replications = 4, attrs = {
        prompt_tokens = td.lognormal { p50 = 60, p99 = 300 },
        output_tokens = td.lognormal { p50 = 20, p99 = 100 } },
      pipeline = { split { decode = { replicas = 2 }, handover = { token_bytes = 1000,
        link = td.link "net" { bandwidth = "5MB/s" } } } } }
    assert.equal(s:run({ threads = 1 }):to_json(), s:run({ threads = 4 }):to_json())
  end)

  it("show every way in a trace, with its bytes", function()
    local list, bytes = rows(50, 0.01), 0
    for _, row in ipairs(list) do
      if row.output_tokens > 1 then bytes = bytes + row.prompt_tokens * 1000 end
    end
    local path = os.tmpname()
    checked { attrs = {}, workload = td.replay { rows = list }, pipeline = { split {
      handover = { token_bytes = 1000, link = td.link "net" { bandwidth = "5MB/s" } } } } }
      :run { replications = 1, warmup = "none", trace = path }
    local file = assert(io.open(path))
    local trace = require("cjson").decode(file:read "a")
    file:close()
    os.remove(path)
    local found, answers = 0, 0
    for _, event in ipairs(trace.traceEvents or trace) do
      if event.name == "answer transfer" and event.args and event.args.bytes then
        found = found + event.args.bytes
      elseif event.name == "answer" and event.dur then
        answers = answers + 1
      end
    end
    assert.equal(bytes, found)
    assert.is_true(answers >= 99)
  end)

  it("take a token's KV cache from the model, and GPUs of their own", function()
    local model = checked { target = td.gpu "H100 SXM" { count = 8 }, pipeline = {
      td.generate "g" { model = td.llm "Llama-3.1-70B", prefill = { replicas = 1, tp = 4 },
        decode = { tp = 2, engine = { max_seqs = 64 } },
        handover = td.link "net" { bandwidth = "50GB/s" } } } }:model()
    local server = model.servers[1]
    assert.equal(80 * 2 * 8 * 128 * 2, server.handover.token_bytes)
    local prefill, decode = server.pools[1], server.pools[2]
    assert.same({ 1, 2, 4, 2 }, { #prefill.stations, #decode.stations, prefill.gpus, decode.gpus })
    assert.equal(5, model.stations[decode.stations[1]].gpu)
    assert.equal(64, decode.config.max_seqs)
    assert.is_true(prefill.config.blocks > decode.config.blocks)
  end)

  it("say what is wrong", function()
    refused(split { decode = false }, "decode")
    local step, link = td.affine(affine), td.link "net" { bandwidth = 1e9 }
    local function generate(extra)
      local body = { step = step, engine = { kv_blocks = 10 } }
      for k, v in pairs(extra) do body[k] = v end
      return td.generate "g" (body)
    end
    refused(generate { prefill = { replicas = 1 } }, "go together")
    refused(generate { prefill = {}, decode = {} }, "over which link")
    refused(generate { prefill = {}, decode = {}, handover = link }, "wants token_bytes")
    refused(generate { handover = link }, "without prefill and decode")
    refused(generate { prefill = {}, decode = {}, replicas = 2, handover = { link = link,
      token_bytes = 1 } }, "write it into them")
    refused(split { decode = { engine = { kv_blocks = 9, block_tokens = 32 } } }, "block_tokens")
    refused(split { handover = { token_bytes = 1,
      link = td.link "net" { bandwidth = 1, queue = 3 } } }, "whose queue has an end")
  end)
end)

describe("a handover on GPUs that were measured", function()
  local function first_token(extra)
    local body = { model = td.llm "Llama-3.1-8B" }
    for k, v in pairs(extra) do body[k] = v end
    return checked { workload = td.paced { rps = 0.1, requests = 4 }, target = td.gpu "H100 SXM" {
      count = 2 }, attrs = { prompt_tokens = 500, output_tokens = 20 },
      pipeline = { td.generate "answer" (body) } }:run { replications = 1, warmup = "none" }
      .llm[1].ttft.p50.value
  end
  local apart = { prefill = { replicas = 1 }, decode = { replicas = 1 },
    handover = td.link "net" { bandwidth = 1e18 } }

  it("takes as many steps of decode as it was measured to take", function()
    local llm, rates = require "tandem.llm", require "tandem.llm.rates"
    local architecture = require("tandem.language.generation").architecture "Llama-3.1-8B"
    local known = rates.known("H100 SXM", "vllm", architecture, "bf16")
    local model = assert(llm.roofline { architecture = architecture, gpu = "H100 SXM",
      constants = known })
    local step_s = model:step_s { decode_seqs = 32, decode_context = 32 * 1024,
      decode_context_max = 1024, sampled = 32 }
    assert.is_true(known.handed_steps > 1)
    local more = first_token(apart) - first_token { replicas = 1 }
    assert.near(known.handed_steps * step_s, more, 1e-6)
  end)

  it("is free where the scenario says what requests take beside their steps", function()
    local function silent(body)
      local out = { step = td.roofline { request = 0 } }
      for k, v in pairs(body) do out[k] = v end
      return out
    end
    assert.near(first_token(silent { replicas = 1 }), first_token(silent(apart)), 1e-6)
  end)
end)
