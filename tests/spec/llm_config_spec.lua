-- config.json → architecture, against sizes that the models' makers published.
local config = require "tandem.llm.config"
local core = require "tandem.core"
local llm = require "tandem.llm"

local DATA <const> = "tests/data/serving/model_configs/"

-- Billions of parameters in all and met by one token, and KV bytes a token in 16 bits: model cards.
local published = {
  { "llama-3.1-8b-instruct", 8.03, 7.5, 131072 },
  { "llama-3.1-70b-instruct", 70.6, 69.5, 327680 },
  { "qwen2.5-7b-instruct", 7.61, 7.07, 57344 },
  { "qwen3-14b", 14.8, 14.0, 163840 },
  { "mistral-nemo-instruct-2407", 12.2, 11.6, 163840 },
  { "mixtral-8x7b-v0.1", 46.7, 12.9, 131072 },
  { "qwen3-30b-a3b", 30.5, 3.3, 98304 },
  { "deepseek-v2-lite", 15.7, 2.4, 27 * 576 * 2 },
  { "llama-4-scout-17b-16e-instruct-fp8-dynamic", 108, 17, 196608 },
  { "glm-5.2-fp8", 744, 40, 78 * 576 * 2 + 78 * 128 },
}

local function decoded(name)
  local file = assert(io.open(DATA .. name .. ".json"))
  local text = file:read "a"
  file:close()
  return require("cjson").decode(text)
end

-- The same of models that are known by name and have no file here. Cards round DeepSeek-V4-Pro to
-- 1.6 T, Kimi-K2 and K2.5 to 1 T and Kimi-Linear to 48 B: their sizes are counted layer by layer.
local named = {
  { "Llama-3.2-3B", 3.21 }, { "Llama-3.3-70B", 70.6 }, { "Llama-3.1-405B", 405.9 },
  { "Llama-4-Maverick", 400, 17 }, { "Qwen2.5-3B", 3.09 }, { "Qwen2.5-14B", 14.7 },
  { "Qwen2.5-32B", 32.5 }, { "Qwen2.5-72B", 72.7 }, { "Qwen3-4B", 4.0 }, { "Qwen3-8B", 8.2 },
  { "Qwen3-32B", 32.8 }, { "Qwen3-235B-A22B", 235, 22 }, { "Mistral-7B-v0.3", 7.25 },
  { "Mistral-Small-24B", 23.6 }, { "Mixtral-8x22B", 141, 39 }, { "DeepSeek-R1", 671, 37 },
  { "Kimi-K2", 1026, 32 }, { "gpt-oss-20b", 20.9, 3.6 }, { "gpt-oss-120b", 116.8, 5.1 },
  { "Gemma-3-27B", 27.0 }, { "Phi-4", 14.7 }, { "DeepSeek-V3.2", 671, 37 },
  { "DeepSeek-V4-Flash", 284, 13 }, { "DeepSeek-V4-Pro", 1573, 49 }, { "Kimi-K2.5", 1026, 32 },
  { "Kimi-Linear-48B-A3B", 49.1, 3 }, { "GLM-4.6", 355, 32 }, { "MiniMax-M2", 229, 10 },
  { "Mistral-Large-3", 673, 39 }, { "Qwen3-Next-80B-A3B", 80 },
  { "Qwen3.5-397B-A17B", 397, 17 }, { "Gemma-4-31B", 30.7 }, { "Gemma-4-26B-A4B", 25.2, 3.8 },
}

describe("lib/models", function()
  local known = {}
  for _, entry in ipairs(require "lib.models") do
    known[entry.name] = entry
    for _, alias in ipairs(entry.aliases or {}) do known[alias] = entry end
  end
  for _, row in ipairs(named) do
    it("has the published sizes of " .. row[1], function()
      local a = assert(config.architecture(assert(known[row[1]]).config))
      local s = assert(core.llm.shard(a))
      assert.is_true(math.abs(s.params / 1e9 / row[2] - 1) < 0.01, s.params / 1e9)
      if row[3] then
        -- Published to two digits, with or without the embedding.
        assert.is_true(math.abs(s.active_params / 1e9 / row[3] - 1) < 0.06, s.active_params / 1e9)
      end
    end)
  end

  it("says where each was read, and has been compared", function()
    local compared = {}
    for _, row in ipairs(named) do compared[assert(known[row[1]])] = true end
    for _, row in ipairs(published) do
      for name, entry in pairs(known) do
        if name:lower() == row[1] then compared[entry] = true end
      end
    end
    for _, entry in ipairs(require "lib.models") do
      assert(entry.source ~= "", entry.name)
      assert(compared[entry], entry.name .. " was compared with nothing")
    end
  end)
end)

describe("config.json", function()
  for _, row in ipairs(published) do
    it("gives the published sizes of " .. row[1], function()
      local a = assert(llm.architecture(DATA .. row[1] .. ".json"))
      local s = assert(core.llm.shard(a))
      assert.is_true(math.abs(s.params / 1e9 / row[2] - 1) < 0.02, s.params)
      assert.is_true(math.abs(s.active_params / 1e9 / row[3] - 1) < 0.08, s.active_params)
      assert.equal(row[4], s.kv_bytes_token)
    end)
  end

  it("says in which type weights are stored", function()
    local _, precision = llm.architecture(DATA .. "glm-5.2-fp8.json")
    assert.equal("fp8", precision)
    _, precision = llm.architecture(DATA .. "llama-4-scout-17b-16e-instruct-fp8-dynamic.json")
    assert.equal("fp8", precision)
    _, precision = llm.architecture(DATA .. "llama-3.1-8b-instruct.json")
    assert.equal("bf16", precision)
  end)

  it("refuses an unknown architecture in one line with the nearest known one", function()
    local c = decoded "qwen3-14b"
    c.model_type = "qwen33"
    local a, message = config.architecture(c)
    assert.is_nil(a)
    assert.matches('model_type "qwen33" is not known %(did you mean "qwen%d?"%?%)', message)
    assert.is_nil(message:find "\n")
    a, message = config.architecture {}
    assert.is_nil(a)
    assert.equal("config.json: model_type is missing", message)
  end)

  it("names a size that is missing", function()
    local c = decoded "qwen3-14b"
    c.intermediate_size = nil
    local a, message = config.architecture(c)
    assert.is_nil(a)
    assert.equal("config.json: qwen3 models need intermediate_size, a whole number", message)
  end)

  it("meets any values with words, never with an error", function()
    local odd = { 0, -1, 1e300, 0.5, "8", true, {}, require("cjson").null, 1 << 50 }
    for _, name in ipairs { "qwen3-14b", "deepseek-v2-lite", "qwen3-30b-a3b",
      "llama-4-scout-17b-16e-instruct-fp8-dynamic" } do
      for key in pairs(decoded(name).text_config or decoded(name)) do
        for _, value in ipairs(odd) do
          local c = decoded(name)
          local part = c.text_config or c
          part[key] = value
          local a, message = config.architecture(c)
          if a then
            local shard, why = core.llm.shard(a)
            assert.is_true(shard ~= nil or type(why) == "string")
          else
            assert.is_string(message)
          end
        end
      end
    end
  end)

  it("says what cannot be read", function()
    local a, message = llm.architecture "tests/data/serving/nothing.json"
    assert.is_nil(a)
    assert.matches("nothing.json: cannot be read", message)
    a, message = llm.architecture "tests/data/serving/README.md"
    assert.is_nil(a)
    assert.matches("is not a JSON object", message)
  end)

  it("counts layers with windows and with linear attention", function()
    local gpt_oss = assert(config.architecture { model_type = "gpt_oss", num_hidden_layers = 36,
      hidden_size = 2880, vocab_size = 201088, num_attention_heads = 64, num_key_value_heads = 8,
      head_dim = 64, num_local_experts = 128, num_experts_per_tok = 4, intermediate_size = 2880,
      sliding_window = 128 })
    assert.equal(18, gpt_oss.window_layers)
    local s = assert(core.llm.shard(gpt_oss))
    assert.is_true(math.abs(s.params / 116.8e9 - 1) < 0.02) -- model card: 116.8 B, 5.1 B active
    assert.is_true(math.abs(s.active_params / 5.1e9 - 1) < 0.12)
    local next_one = assert(config.architecture { model_type = "qwen3_5_moe", text_config = {
      model_type = "qwen3_5_moe_text", num_hidden_layers = 60, hidden_size = 4096,
      vocab_size = 248320, num_attention_heads = 32, num_key_value_heads = 2, head_dim = 256,
      full_attention_interval = 4, linear_num_key_heads = 16, linear_key_head_dim = 128,
      linear_num_value_heads = 64, linear_value_head_dim = 128, num_experts = 512,
      num_experts_per_tok = 10, moe_intermediate_size = 1024,
      shared_expert_intermediate_size = 1024 } })
    assert.equal(45, next_one.linear_layers)
    s = assert(core.llm.shard(next_one))
    assert.is_true(math.abs(s.params / 397e9 - 1) < 0.02)
    assert.is_true(math.abs(s.active_params / 17e9 - 1) < 0.08)
  end)
end)
