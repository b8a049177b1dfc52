-- Windows, sparse, compressed and linear attention: what a decoding sequence reads, and what its
-- cache takes, as functions of its context; by the sizes in each config.json, counted by hand.

local core = require "tandem.core"
local td = require "tandem"

local function entry(name)
  for _, one in ipairs(require "lib.models") do if one.name == name then return one end end
  error(name)
end

local BANDWIDTH <const> = 1e12

-- Attention of one sequence's decode step where arithmetic costs nothing, seconds.
local function decode_s(name, context)
  local architecture = require("tandem.llm.config").architecture(entry(name).config)
  local rates = { bandwidth = BANDWIDTH, matrix_efficiency = 1, expert_efficiency = 1,
    attention_efficiency = 1, weight_bandwidth = 1, expert_bandwidth = 1, kv_bandwidth = 1,
    step_s = 0, layer_s = 0, expert_layer_s = 0, sequence_s = 0 }
  for _, part in ipairs { "attention", "ffn", "expert", "head", "pair" } do
    rates[part .. "_flops"] = 1e30
  end
  local model = assert(core.llm.step { kind = "roofline", architecture = architecture,
    rates = rates, link = { latency_s = 0, hop_s = 0, bandwidth = 1 } })
  local batch = { decode = { context } }
  local one = model:explain(batch).decode_attention
  -- A run of steps is the sum of its steps.
  local run, sum = model:decode_run_s(batch, 300) - 300 * (model:step_s(batch) - one), 0
  for i = 0, 299 do sum = sum + model:explain { decode = { context + i } }.decode_attention end
  assert(math.abs(run / sum - 1) < 1e-6, name .. " " .. context)
  return one
end

-- Bytes that all layers read: 16-bit caches, 8-bit keys of indexers, 32-bit states read and
-- written.
local reads = {
  ["DeepSeek-V3.2"] = function(n) return 61 * (math.min(n, 2048) * 576 * 2 + n * 128) end,
  ["DeepSeek-V4-Flash"] = function(n)
    return 21 * (math.min(n / 4, 512) * 1024 + n / 4 * 128) + 20 * n / 128 * 1024
      + 43 * math.min(n, 128) * 1024
  end,
  ["DeepSeek-V4-Pro"] = function(n)
    return 30 * (math.min(n / 4, 1024) * 1024 + n / 4 * 128) + 31 * n / 128 * 1024
      + 61 * math.min(n, 128) * 1024
  end,
  ["Gemma-4-31B"] = function(n)
    return 10 * n * 2 * 4 * 512 * 2 + 50 * math.min(n, 1024) * 2 * 16 * 256 * 2
  end,
  ["Qwen3-Next-80B-A3B"] = function(n)
    return 12 * n * 2 * 2 * 256 * 2 + 36 * 2 * 32 * 128 * 128 * 4
  end,
  ["Kimi-Linear-48B-A3B"] = function(n) return 7 * n * 576 * 2 + 20 * 2 * 32 * 128 * 128 * 4 end,
  ["gpt-oss-120b"] = function(n) return 18 * (n + math.min(n, 128)) * 2 * 8 * 64 * 2 end,
}

describe("attention", function()
  for name, bytes in pairs(reads) do
    it("of " .. name .. " reads what its layers keep", function()
      for _, context in ipairs { 64, 1000, 4000, 60000, 1000000 } do
        local expected, got = bytes(context) / BANDWIDTH, decode_s(name, context)
        assert(math.abs(got / expected - 1) < 1e-6,
          ("%d: %g for %g"):format(context, got, expected))
      end
    end)
  end

  it("of DeepSeek V4 keeps a tenth of what V3 keeps, as its makers say", function()
    local function kv(name)
      local a = require("tandem.llm.config").architecture(entry(name).config)
      local s = core.llm.shard(a)
      return s.kv_bytes_token * 1e6 + s.state_bytes_seq
    end
    local share = kv "DeepSeek-V4-Pro" / kv "DeepSeek-V3.2"
    assert(share > 0.08 and share < 0.13, share)
  end)
end)

describe("the KV cache of", function()
  local function settled(model, gpu, keys)
    local step = { model = model, prompt = 1, output = 1 }
    for key, value in pairs(keys or {}) do step[key] = value end
    local s, problems = td.check { name = "cache", target = gpu,
      workload = td.paced { rps = 1, duration = "1s" }, pipeline = { td.generate "answer"(step) } }
    assert(s, tostring(problems))
    local checked = rawget(s, "checked")
    local pool = require("tandem.llm.pools").plan(checked)[1].pools[1]
    local params = require("tandem.language.resources").gpu_params(checked.target)
    return assert(require("tandem.llm.deployment").settle(pool.shape, params, 8)).config,
      core.llm.shard(pool.shape.model.architecture, { tensor = step.tp or 1 })
  end

  it("layers with windows keeps a window a sequence where that holds more", function()
    local config, shard = settled(td.llm "gpt-oss-120b", td.gpu "H100 SXM" {},
      { engine = { max_seqs = 256 } })
    local left = 0.9 * 80 * 2 ^ 30 - shard.weights_bytes
    local windows, layer = 256 * 128 * 18, 2 * 8 * 64 * 2
    assert.equal(math.floor((left - windows * layer) / (18 * layer * 16)), config.blocks)
    assert.equal(256, config.max_seqs)
    -- Windows of 1,024 tokens in 50 of 60 layers for 256 sequences do not fit: all alike.
    config, shard = settled(td.llm "Gemma-4-31B", td.gpu "H100 SXM" {},
      { engine = { max_seqs = 256 } })
    left = 0.9 * 80 * 2 ^ 30 - shard.weights_bytes
    assert.equal(math.floor(left / (shard.kv_bytes_token * 16)), config.blocks)
  end)

  it("linear attention has states beside it, which may limit the sequences", function()
    local config, shard = settled(td.llm "Qwen3-Next-80B-A3B" { weights = "fp8" },
      td.gpu "H100 SXM" { count = 2 }, { tp = 2, engine = { max_seqs = 1024 } })
    local state = 36 * 16 * 128 * 128 * 4
    assert.equal(state, shard.state_bytes_seq)
    local left = 0.9 * 80 * 2 ^ 30 - shard.weights_bytes
    assert.equal(math.floor(left / 2 / state), config.max_seqs)
    assert.equal(math.floor((left - config.max_seqs * state) / (shard.kv_bytes_token * 16)),
      config.blocks)
    config = settled(td.llm "Qwen3-Next-80B-A3B" { weights = "fp8" },
      td.gpu "H100 SXM" { count = 2 }, { tp = 2, engine = { max_seqs = 64 } })
    assert.equal(64, config.max_seqs)
  end)
end)
