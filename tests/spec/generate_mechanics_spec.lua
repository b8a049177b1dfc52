-- Swapping, speculative decoding and LoRA adapters of td.generate: against closed forms, and in
-- words. The scheduler itself is compared with a slow one in tests/c/test_serving_random.c.

local td = require "tandem"

local function check(engine, extra)
  engine.kv_blocks = engine.kv_blocks or 10000
  local raw = { name = "llm", workload = td.poisson { rps = 10, duration = "60s" },
    attrs = { prompt_tokens = 40, output_tokens = 10 } }
  for k, v in pairs(extra or {}) do raw[k] = v end
  raw.pipeline = raw.pipeline or { td.generate "answer" { step = td.affine(raw.step or
    { step = "2ms", prefill_tokens = "30us", decode_seqs = "50us" }), engine = engine } }
  raw.step = nil
  return td.check(raw)
end

local function run(engine, extra, options)
  local s, problems = check(engine, extra)
  assert(s, tostring(problems))
  return s:run(options or { replications = 1, warmup = "none" })
end

local function refused(engine, pattern, extra)
  local s, problems = check(engine, extra)
  assert.is_nil(s)
  assert.matches(pattern, tostring(problems), 1, true)
end

describe("speculative decoding", function()
  -- Steps to get n tokens, each of 1 … k + 1: by how many of the first step's are right.
  local function steps(n, k, a)
    local expected = { [0] = 0 }
    for left = 1, n do
      local sum = 1
      for right = 0, k do
        local p = a ^ right * (right < k and 1 - a or 1)
        sum = sum + p * expected[math.max(0, left - right - 1)]
      end
      expected[left] = sum
    end
    return expected[n]
  end

  it("takes as many steps as truncated geometric numbers of tokens need", function()
    for _, case in ipairs { { k = 3, a = 0.7 }, { k = 5, a = 0.9 }, { k = 2, a = 0 },
      { k = 4, a = 1 } } do
      -- One request at a time: every request's tokens after the first take steps of 10 ms.
      local result = run({ max_seqs = 1, speculation = { tokens = case.k, acceptance = case.a,
        time = "1ms", share = 0.1 } }, { step = { step = "10ms" },
        workload = td.poisson { rps = 0.2, duration = "20000s" },
        attrs = { prompt_tokens = 8, output_tokens = 41 } }, { replications = 4 })
      -- A pass of the draft is a tenth of the model's; each step drafts k times.
      local each = 0.010 * (1 + 0.1 * case.k) + 0.001 * case.k
      local mean = steps(40, case.k, case.a) * each / 40
      local found = result.llm[1].tpot.mean
      assert.near(mean, found.value, math.max(2.5 * (found.half or 0), 1e-9))
      -- Leviathan, Kalman and Matias: (1 − a^(k+1))/(1 − a) tokens a step, but for the last one.
      local tokens = case.a < 1 and (1 - case.a ^ (case.k + 1)) / (1 - case.a) or case.k + 1
      assert.near(40 / tokens, steps(40, case.k, case.a), 0.9)
      assert.near((tokens - 1) / case.k, result:get "llm.answer.accepted", 0.003)
      assert.near(41 * 0.2, result:get "llm.answer.output_tokens_per_s", 0.2)
    end
  end)

  it("changes no request's luck with its neighbours, nor with threads", function()
    local list = {}
    for i = 1, 40 do list[i] = { arrival = i * 0.013, prompt_tokens = 30, output_tokens = 60 } end
    local function accepted(engine)
      engine.speculation = { tokens = 3, acceptance = 0.6 }
      local result = run(engine, { attrs = {}, workload = td.replay { rows = list } })
      assert.equal(40, result.requests)
      return result
    end
    local alone, together = accepted { max_seqs = 1 }, accepted { max_seqs = 16 }
    assert.equal(alone:get "llm.answer.accepted", together:get "llm.answer.accepted")
    local s = assert(check({ max_seqs = 8, kv_blocks = 40, swap = { space = 1e6, block = 1e4,
      bandwidth = "10GB/s" }, speculation = { tokens = 2, acceptance = 0.5 } }, {
      workload = td.poisson { rps = 12, duration = "40s" }, replications = 4,
      attrs = { prompt_tokens = td.lognormal { p50 = 60, p99 = 120 },
        output_tokens = td.lognormal { p50 = 20, p99 = 100 } } }))
    assert.equal(s:run({ threads = 1 }):to_json(), s:run({ threads = 4 }):to_json())
  end)

  it("is verified in less time than its tokens one by one", function()
    local function tpot(engine)
      return run(engine, { target = "H100 SXM", pipeline = { td.generate "answer" {
        model = td.llm "Llama-3.1-8B", engine = engine } } }):get "llm.answer.tpot.mean"
    end
    local plain = tpot {}
    assert.is_true(tpot { speculation = { tokens = 4, acceptance = 1 } } < plain / 4)
    assert.near(plain, tpot { speculation = { tokens = 4, acceptance = 0 } }, plain * 0.02)
  end)

  local function drafting(tokens, tp)
    return td.generate "answer" { model = td.llm "Llama-3.1-8B", tp = tp,
      step = td.affine { step = "10ms" }, engine = { max_seqs = 1, speculation = {
        tokens = tokens, acceptance = 0, draft = td.llm "Llama-3.2-3B" } } }
  end

  it("by a model takes that model's own steps, one after the other", function()
    local llm = require "tandem.llm"
    local architecture = assert(require("tandem.language.generation").architecture "Llama-3.2-3B")
    for _, case in ipairs { { k = 4, tp = 1 }, { k = 1, tp = 2 } } do
      local draft = assert(llm.roofline { architecture = architecture, gpu = "H100 SXM",
        parallelism = { tensor = case.tp } })
      local function passes(first, context)
        return 10e-3 + draft:step_s(first)
          + draft:decode_run_s({ decode = { context } }, case.k - 1)
      end
      local ttft, rest = passes({ prefill = { { 100, 0, true } } }, 101), 0
      for context = 101, 140 do rest = rest + passes({ decode = { context } }, context + 1) end
      local result = run({}, { target = td.gpu "H100 SXM" { count = case.tp },
        workload = td.paced { rps = 0.2, duration = "100s" },
        attrs = { prompt_tokens = 100, output_tokens = 41 },
        pipeline = { drafting(case.k, case.tp) } })
      assert.near(ttft, result:get "llm.answer.ttft.mean", 1e-8)
      assert.near(rest / 40, result:get "llm.answer.tpot.mean", 1e-8)
    end
  end)

  it("by the model's own next layer takes a layer and the head a token", function()
    local llm, core = require "tandem.llm", require "tandem.core"
    local whole = assert(require("tandem.language.generation").architecture "Qwen3-8B")
    local layer = {}
    for key, value in pairs(whole) do layer[key] = value end
    layer.layers, layer.dense_layers, layer.tied = 1, 1, 1
    local draft = assert(llm.roofline { architecture = layer, gpu = "H100 SXM" })
    local ttft, rest = 10e-3 + draft:step_s { prefill = { { 100, 0, true } } }
      + draft:decode_run_s({ decode = { 101 } }, 1), 0
    for context = 101, 140 do
      rest = rest + 10e-3 + draft:step_s { decode = { context } }
        + draft:step_s { decode = { context + 1 } }
    end
    local result = run({}, { target = td.gpu "H100 SXM" {},
      workload = td.paced { rps = 0.2, duration = "100s" },
      attrs = { prompt_tokens = 100, output_tokens = 41 },
      pipeline = { td.generate "answer" { model = td.llm "Qwen3-8B",
        step = td.affine { step = "10ms" }, engine = { max_seqs = 1, speculation = {
          tokens = 2, acceptance = 0, mtp = true } } } } })
    assert.near(ttft, result:get "llm.answer.ttft.mean", 1e-8)
    assert.near(rest / 40, result:get "llm.answer.tpot.mean", 1e-8)
    -- Beside the 36 layers one more, with neither embedding nor head.
    local model, one = core.llm.shard(whole), core.llm.shard(layer)
    local more = one.weights_bytes - 2 * layer.hidden * layer.vocabulary
    local blocks = (80 * 2 ^ 30 * 0.9 - model.weights_bytes - more)
      / (37 / 36 * model.kv_bytes_token * 16)
    assert.near(blocks, result.llm[1].kv_blocks, 1)
  end)

  it("by a model has its weights and KV cache beside the other's", function()
    local core, precision = require "tandem.core", require "tandem.llm.precision"
    local function shard(name)
      local architecture = {}
      for k, v in pairs(assert(require("tandem.language.generation").architecture(name))) do
        architecture[k] = v
      end
      precision.apply(architecture, "bf16", "bf16")
      return core.llm.shard(architecture, { tensor = 2 })
    end
    local large, small = shard "Llama-3.1-8B", shard "Llama-3.2-3B"
    local result = run({}, { target = td.gpu "H100 SXM" { count = 2, memory = "80GB" },
      pipeline = { drafting(2, 2) } })
    assert.equal(math.floor((80e9 * 0.9 - large.weights_bytes - small.weights_bytes)
      / ((large.kv_bytes_token + small.kv_bytes_token) * 16)), result.llm[1].kv_blocks)
  end)
end)

describe("swapping", function()
  -- Four at once need 16 blocks each at the end and have 40 together.
  local crowd = {}
  for i = 1, 4 do crowd[i] = { arrival = 0, prompt_tokens = 128, output_tokens = 129 } end
  local function crowded(extra)
    local engine = { max_seqs = 4, max_batched_tokens = 2048, kv_blocks = 40,
      prefix_caching = false }
    for k, v in pairs(extra or {}) do engine[k] = v end
    return run(engine, { attrs = {}, workload = td.replay { rows = crowd },
      step = { step = "1ms", prefill_tokens = "100us" } })
  end

  it("moves what recomputing would compute again", function()
    local anew, moved = crowded(), crowded { swap = { space = "1GB", bandwidth = "1GB/s",
      block = "2MB" } }
    assert.equal(0, anew:get "llm.answer.swapped_out")
    assert.is_true(anew:get "llm.answer.preemptions" > 0)
    assert.is_true(moved:get "llm.answer.preemptions" > 0)
    local out = moved:get "llm.answer.swapped_out"
    assert.is_true(out > 0)
    assert.equal(out, moved:get "llm.answer.swapped_in")
    -- Each block takes 2 ms either way: that much longer than if moving took no time.
    local free = crowded { swap = { space = "1GB", bandwidth = 1e30, block = "2MB" } }
    local busy = function(r) return r:get "resources.answer.utilization" * r.duration_s end
    assert.near(2 * out * 4 / 16 * 2e-3, busy(moved) - busy(free), 1e-6)
    assert.is_true(free:get "llm.answer.e2e.max" < anew:get "llm.answer.e2e.max")
  end)

  it("without room in host memory computes anew", function()
    local anew, none = crowded(), crowded { swap = { space = "1MB", bandwidth = "1GB/s",
      block = "2MB" } }
    assert.equal(0, none:get "llm.answer.swapped_out")
    assert.equal(anew:get "llm.answer.e2e.mean", none:get "llm.answer.e2e.mean")
  end)

  it("knows blocks and links from the model and the GPU", function()
    local s = assert(td.check { name = "llm", target = "H100 SXM",
      workload = td.poisson { rps = 1, duration = "10s" },
      attrs = { prompt_tokens = 40, output_tokens = 10 },
      pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B",
        engine = { swap = "4GiB" } } } })
    local config = s:model().servers[1].pools[1].config
    -- 32 layers × 2 × 8 heads × 128 numbers of 2 bytes a token.
    assert.equal(4 * 1024 ^ 3 // (16 * 131072), config.host_blocks)
    assert.near(16 * 131072 / td.gpu "H100 SXM".h2d, config.swap_block_s, 1e-9)
  end)
end)

describe("LoRA adapters", function()
  -- Adapters 7, 8, 7, none and 8 at once; a step of 10 ms each gives everybody a token.
  local wanted = { 7, 8, 7, 0, 8 }
  local function ends(engine)
    local list = {}
    for i, adapter in ipairs(wanted) do
      list[i] = { arrival = 0, prompt_tokens = 8, output_tokens = 3, adapter = adapter }
    end
    engine.kv_blocks = 100
    local s, problems = td.check { name = "llm", workload = td.replay { rows = list },
      pipeline = { td.generate "answer" { step = td.affine { step = "10ms" },
        adapter = "r.adapter", engine = engine } } }
    assert(s, tostring(problems))
    local result = s:run { requests_log = "all", replications = 1, warmup = "none" }
    local out = {}
    for i = 1, #result.requests_log do
      out[i] = math.floor(result.requests_log[i].latency_s * 1e3 + 0.5)
    end
    table.sort(out)
    return out, result:get "llm.answer.adapter_loads"
  end

  it("keep those out that find no place, and let others pass", function()
    local together, loads = ends { lora = { max = 2 } }
    assert.same({ 30, 30, 30, 30, 30 }, together)
    assert.near(2 / 5, loads, 1e-12)
    -- With one place 7, 7 and none run first; both of 8 when these are done.
    assert.same({ 30, 30, 30, 60, 60 }, (ends { lora = 1 }))
  end)

  it("load before a step, and cost more of each", function()
    -- One load of 5 ms before the first of three steps of 11 ms, then the same again; or two loads
    -- and three steps of 14 ms.
    assert.same({ 38, 38, 38, 76, 76 }, (ends { lora = { max = 1, load = "5ms", step = "1ms" } }))
    assert.same({ 52, 52, 52, 52, 52 }, (ends { lora = { max = 2, load = "5ms", step = "2ms" } }))
  end)

  it("stay when they come again, the one used last the longest", function()
    -- One request a second: 1, 2, 3, 1, 2, 3 … never finds one of two places, 1, 2, 1, 2 … always.
    for count, loads in pairs { [3] = 30, [2] = 2 } do
      local list = {}
      for i = 1, 30 do
        list[i] = { arrival = i, prompt_tokens = 8, output_tokens = 3, adapter = 1 + i % count }
      end
      local s = assert(td.check { name = "llm", workload = td.replay { rows = list },
        pipeline = { td.generate "answer" { step = td.affine { step = "10ms" },
          adapter = "r.adapter", engine = { kv_blocks = 100, lora = 2 } } } })
      assert.near(loads / 30, s:run({ replications = 1, warmup = "none" }):get
        "llm.answer.adapter_loads", 1e-12)
    end
  end)
end)

it("mechanics of an LLM engine say what is wrong", function()
  refused({ swap = "1GB" }, "engine.swap.block")
  refused({ swap = { space = "1GB", block = "1MB" } }, "engine.swap.bandwidth")
  refused({ swap = { bandwidth = "1GB/s" } }, "space")
  refused({ speculation = { tokens = 3 } }, "acceptance")
  refused({ speculation = { tokens = 0, acceptance = 0.5 } }, "tokens")
  refused({ speculation = { tokens = 3, acceptance = 1.5 } }, "acceptance")
  refused({ speculation = { tokens = 3, acceptance = 0.5 }, plans_ahead = true }, "plans_ahead")
  local drafted = { tokens = 3, acceptance = 0.5, draft = td.llm "Llama-3.2-3B" }
  refused({ speculation = drafted }, "a draft model wants a target GPU")
  refused({ speculation = { tokens = 1, acceptance = 0.8, mtp = true } }, "mtp wants a model")
  refused({}, "without pipeline stages", { target = td.gpu "H100 SXM" { count = 2 },
    pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B", pp = 2,
      engine = { speculation = drafted } } } })
  drafted.share = 0.1
  refused({ speculation = drafted }, "give one")
  refused({ batching = "static", swap = { space = "1GB", block = "1MB", bandwidth = "1GB/s" } },
    "is for continuous batching")
  refused({ lora = { max = 2, load = "1ms", size = "1MB" } }, "give one")
  refused({ lora = { max = 2, size = "1MB" } }, "engine.lora.load")
  refused({}, "how many adapters a GPU holds", { pipeline = { td.generate "answer" {
    adapter = "r.prompt_tokens", step = td.affine { step = "1ms" },
    engine = { kv_blocks = 10 } } } })
end)

it("preemptions of an LLM server are a counter in traces", function()
  local stores = require("tests.spec.support.store_fixture").new()
  local s = assert(check({ kv_blocks = 30 }, { replications = 1,
    attrs = { prompt_tokens = 40, output_tokens = 60 } }))
  local result = s:run { store = stores:path "a.db", spans = "all", warmup = "none" }
  local store <close> = td.store(stores:path "a.db")
  local last, most = 0, 0
  for row in store:query [[SELECT value FROM counter WHERE name = 'answer preemptions'
    ORDER BY time_ns]] do
    assert.is_true(row.value >= last)
    last = row.value
    most = math.max(most, last)
  end
  assert.is_true(most > 0)
  -- The figure leaves out what happens after the last arrival.
  local told = result:get "llm.answer.preemptions" * result:get "llm.answer.finished_rps" * 60
  assert.is_true(told <= most + 0.5)
  stores:remove()
end)

it("an LLM server that lacks nothing but time is told by how much", function()
  local function overload(load)
    -- A request takes 10 ms of prompt and 99 · 0.2 ms of outputs.
    local result = run({ max_seqs = 100000, max_batched_tokens = 200000, kv_blocks = 1000000 }, {
      step = { step = "2ms", prefill_tokens = "50us", decode_seqs = "200us" },
      workload = td.poisson { rps = load / (200 * 50e-6 + 99 * 200e-6), duration = "300s" },
      attrs = { prompt_tokens = td.uniform { min = 100, max = 300 },
        output_tokens = td.uniform { min = 50, max = 150 } } }, { replications = 8 })
    return result.overload
  end
  assert.is_nil(overload(0.9))
  assert.is_true(overload(1.3).load > 1.2)
end)
