-- Twins of servers other than vLLM, out of metrics in their own spelling: simulated servers, of
-- which all is known.

local compare = require "tandem.twin.compare"
local spelled = require "tests.spec.support.spelled"
local server = require "tandem.deploy.arguments"
local td = require "tandem"
local twin = require "tandem.twin"

local RPS <const> = 10

local function text_of(engine, seed, options)
  options = options or {}
  local path = os.tmpname()
  assert(td.scenario "known" {
    target = td.gpu "H100 SXM" { count = options.replicas or 1 },
    workload = td.poisson { rps = RPS, duration = 300 },
    attrs = { prompt_tokens = td.lognormal { mean = 700, cv = 1 },
      output_tokens = td.gamma { mean = 120, cv = 0.7 } },
    pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B",
      replicas = options.replicas, prefix = options.prefix, group = options.prefix and 1,
      engine = { server = engine },
      step = td.roofline { factor = 1.15, request = "8ms" } } } }:run { replications = 1,
      seed = seed, metrics = path, warmup = "none", metrics_of = options.of or "vllm" })
  local file <close> = assert(io.open(path))
  local text = file:read "a"
  os.remove(path)
  return text
end

local function twin_of(text, options)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  options = options or {}
  options.files, options.gpu = { path }, "H100 SXM"
  local answer, message, code = twin.run(options)
  os.remove(path)
  return answer, message, code
end

local function parameter(answer, name)
  for _, p in ipairs(answer.parameters) do
    if p.name == name then return p end
  end
  error("no parameter " .. name)
end

local function holds(answer, truth)
  for name, value in pairs(truth) do
    local p = parameter(answer, name)
    assert(p.low and p.low <= value and value <= p.high, ("%s: %s is not in %s … %s"):format(name,
      value, p.low, p.high))
  end
end

local function near(answer, keys, apart)
  local seen = {}
  for _, row in ipairs(answer.rows) do seen[row.key] = row.error end
  for _, key in ipairs(keys) do
    assert(seen[key] and math.abs(seen[key]) < 0.1, key .. " " .. tostring(seen[key]))
  end
  assert(compare.apart(answer.rows) <= (apart or 0.05))
end

describe("a twin of", function()
  it("SGLang counts each replica once and knows its cache", function()
    local text = spelled.sglang(text_of("sglang", 1, { prefix = 256 }), true)
    local answer = assert(twin_of(text))
    holds(answer, { rate = RPS, prompt = 700, output = 120, factor = 1.15, prefix = 256 })
    near(answer, { "ttft", "itl", "e2e" })
    local source = assert(answer:source())
    assert.matches('server = "sglang"', source, 1, true)
    assert.matches("kv_blocks = 31250", source, 1, true)
  end)

  it("SGLang without its histograms of tokens says that spreads are not known", function()
    local answer = assert(twin_of(spelled.sglang(text_of("sglang", 12), false)))
    holds(answer, { rate = RPS, prompt = 700, output = 120 })
    assert.matches("totals alone are counted", parameter(answer, "spread of prompt").why, 1, true)
    near(answer, { "ttft", "itl" })
  end)

  it("TensorRT-LLM goes by a request's mean time of a token", function()
    for i, prefix in ipairs { "trtllm_", "trtllm:" } do
      local answer = assert(twin_of(spelled.trtllm(text_of("tensorrt_llm", 2 + i), prefix)))
      holds(answer, { rate = RPS, prompt = 700, output = 120 })
      assert.matches('server = "tensorrt_llm"', (assert(answer:source())), 1, true)
      -- No metric of it tells a request's own time, 9 ms by the constants and 8 here: first tokens
      -- cross a bound of their histogram that much later.
      near(answer, { "ttft", "tpot" }, 0.08)
    end
  end)

  it("Dynamo is asked which model and how many workers", function()
    local text = spelled.dynamo(text_of("vllm", 5, { replicas = 2 }))
    local _, message, code = twin_of(text)
    assert.equal(3, code)
    assert.matches("several models (llama-3.1-8b, other-7b): --model says which", message, 1, true)
    _, message, code = twin_of(text, { model = "Llama-3.1-8B" })
    assert.equal(2, code)
    assert.matches("do not say how many servers stand behind it: --replicas", message, 1, true)
  end)

  it("llm-d counts requests once, whatever names they have beside", function()
    local answer = assert(twin_of(spelled.llm_d(text_of("vllm", 6)), { replicas = 1 }))
    holds(answer, { rate = RPS, prompt = 700, output = 120, factor = 1.15 })
    near(answer, { "ttft", "itl", "e2e" })
    assert.matches("do not say which server is behind", answer:report(), 1, true)
  end)
end)

describe("a twin out of what was exported by", function()
  it("SGLang has its parameters", function()
    local answer = assert(twin_of(text_of("sglang", 21, { prefix = 256, of = "sglang" })))
    holds(answer, { rate = RPS, prompt = 700, output = 120, factor = 1.15, prefix = 256 })
    near(answer, { "ttft", "itl", "e2e" })
    assert.matches('server = "sglang"', (assert(answer:source())), 1, true)
  end)

  it("TensorRT-LLM, too, whose lengths are totals alone", function()
    local answer = assert(twin_of(text_of("tensorrt_llm", 22, { prefix = 256,
      of = "tensorrt_llm" })))
    holds(answer, { rate = RPS, prompt = 700, output = 120, factor = 1.15 })
    local prefix = parameter(answer, "prefix") -- in blocks of 32 tokens, of longer prompts
    assert(prefix.low <= 288 and prefix.high >= 256, prefix.low)
    near(answer, { "ttft", "tpot" })
    assert.matches('server = "tensorrt_llm"', (assert(answer:source())), 1, true)
  end)
end)

describe("launch arguments of", function()
  it("SGLang and TensorRT-LLM are read", function()
    local read = assert(server.read("python3 -m sglang.launch_server --model-path "
      .. "meta-llama/Llama-3.1-8B --tp-size 2 --max-running-requests 64 --chunked-prefill-size 4096"
      .. " --page-size 16 --disable-radix-cache --mem-fraction-static 0.85"))
    assert.equal("sglang", read.server)
    assert.equal("Llama-3.1-8B", read.model)
    assert.equal(2, read.tp)
    assert.same({ max_seqs = 64, max_batched_tokens = 4096, block_tokens = 16,
      prefix_caching = false, memory = 0.85 }, read.engine)
    read = assert(server.read("trtllm-serve meta-llama/Llama-3.1-8B --backend pytorch --tp_size 4 "
      .. "--max_batch_size 128 --max_num_tokens 8192 --enable_chunked_prefill"))
    assert.equal("tensorrt_llm", read.server)
    assert.equal(4, read.tp)
    assert.same({ max_seqs = 128, max_batched_tokens = 8192, chunked_prefill = true }, read.engine)
    assert.same({ "--backend" }, read.unknown)
    read = assert(server.read("python -m sglang.launch_server --model m/M "
      .. "--chunked-prefill-size -1"))
    assert.same({ chunked_prefill = false }, read.engine)
  end)
end)
