-- Defaults of LLM servers by version and GPU: against what the servers' sources say of a few, and
-- where a scenario has them.

local engines = require "tandem.llm.engines"
local td = require "tandem"

local GIB <const> = 1 << 30

local function defaults(server, version, gpu, gib, pp)
  local out = {}
  for _, one in ipairs(engines.defaults(server,
    { version = version, gpu = gpu, memory = gib * GIB, pp = pp })) do
    assert.is_nil(out[one.key], one.key)
    assert.is_true(#one.source > 0)
    out[one.key] = one.value
  end
  return out
end

local function settled(engine, gpu, more)
  local keys = { model = td.llm "Llama-3.1-8B", engine = engine }
  for k, v in pairs(more or {}) do keys[k] = v end
  local scenario = td.scenario "defaults" { workload = td.poisson { rps = 1, duration = "10s" },
    attrs = { prompt_tokens = 100, output_tokens = 10 }, target = td.gpu(gpu) { count = 2 },
    pipeline = { td.generate "answer" (keys) } }
  local model = require("tandem.lower").model(rawget(scenario, "checked"))
  return model.servers[1].pools[1].config, scenario
end

describe("defaults of LLM servers", function()
  it("are those of a version on a GPU", function()
    assert.same({ max_batched_tokens = 8192, max_seqs = 1024, plans_ahead = true },
      defaults("vllm", "0.15.1", "H100 SXM", 80))
    assert.same({ max_batched_tokens = 2048, max_seqs = 256, plans_ahead = true },
      defaults("vllm", "0.15.1", "A100 80GB SXM", 80))
    assert.same({ max_batched_tokens = 2048, max_seqs = 256, plans_ahead = false },
      defaults("vllm", "0.11.1", "L40S", 48))
    assert.same({ max_batched_tokens = 8192, max_seqs = 256, plans_ahead = false },
      defaults("vllm", "0.8.0", "H200 SXM", 141))
    assert.is_false(defaults("vllm", "0.14.0", "H100 SXM", 80, 2).plans_ahead)
    assert.is_true(defaults("vllm", nil, "H100 SXM", 80, 2).plans_ahead)
    assert.same({ 16384, 8192, 4096, 2048 }, {
      defaults("sglang", "v0.5.9", "B200", 180).max_batched_tokens,
      defaults("sglang", "0.5.9", "H100 SXM", 80).max_batched_tokens,
      defaults("sglang", "0.5.9", "L40S", 48).max_batched_tokens,
      defaults("sglang", "0.5.9", "L4", 24).max_batched_tokens })
    assert.same({ max_batched_tokens = 8192, max_seqs = 2048, plans_ahead = true },
      defaults("tensorrt_llm", "1.2.0rc6.post3", "B200", 180))
    assert.is_false(defaults("tensorrt_llm", "0.21.0", "B200", 180).plans_ahead)
  end)

  it("are taken where a scenario names its server, but for what it says itself", function()
    local config = settled({ server = "vllm" }, "H100 SXM")
    assert.same({ 1024, 8192, true },
      { config.max_seqs, config.max_batched_tokens, config.plans_ahead })
    config = settled({ version = "0.11.1" }, "A100 80GB SXM")
    assert.same({ 256, 2048, false },
      { config.max_seqs, config.max_batched_tokens, config.plans_ahead })
    config = settled({ server = "vllm", max_seqs = 32, plans_ahead = false }, "H100 SXM")
    assert.same({ 32, 8192, false },
      { config.max_seqs, config.max_batched_tokens, config.plans_ahead })
    config = settled({ server = "vllm", max_seqs = 4000 }, "L40S")
    assert.same({ 4000, 4000 }, { config.max_seqs, config.max_batched_tokens })
    config = settled({ server = "vllm", max_batched_tokens = 128 }, "L40S")
    assert.same({ 128, 128 }, { config.max_seqs, config.max_batched_tokens })
    config = settled({ server = "sglang", version = "0.5.9" }, "H100 SXM")
    assert.same({ 2048, 8192, true },
      { config.max_seqs, config.max_batched_tokens, config.plans_ahead })
    local before = settled({}, "H100 SXM")
    assert.same({ 256, 8192, false },
      { before.max_seqs, before.max_batched_tokens, before.plans_ahead })
    config = settled({ server = "vllm", speculation = { tokens = 2, acceptance = 0.5 } },
      "H100 SXM")
    assert.is_false(config.plans_ahead)
  end)

  it("are told before a run", function()
    local _, scenario = settled({ version = "0.15.1" }, "H100 SXM", { tp = 2 })
    local text = tostring(scenario:explain()):gsub("%s+", " ")
    assert.truthy(text:find("Left to vLLM 0.15.1: max_batched_tokens = 8,192, max_seqs = 1,024, "
      .. "plans_ahead = true.", 1, true), text)
    local ok, why = pcall(settled, { version = "newest" }, "H100 SXM")
    assert.is_false(ok)
    assert.truthy(tostring(why):find("engine.version: is 'newest'", 1, true), tostring(why))
  end)
end)
