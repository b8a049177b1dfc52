--- A Hugging Face config.json as an architecture.
-- Owns which families of models are known and how their keys are spelled. Reads text that somebody
-- else has opened; numbers of bytes come from tandem.llm.precision. Called by tandem.llm.

local nearest = require "tandem.text.nearest"

local config = {}

---@class tandem.llm.Architecture
---@field layers integer
---@field hidden integer
---@field vocabulary integer
---@field tied? integer                 1: input embedding and output head are one matrix
---@field heads? integer
---@field kv_heads? integer
---@field head_size? integer
---@field q_gate? integer               1: attention has an output gate as wide as the queries
---@field q_rank? integer               latent attention, with the next four
---@field kv_rank? integer
---@field nope_size? integer
---@field rope_size? integer
---@field value_size? integer
---@field shared_kv? integer            1: the keys' projection makes the values as well
---@field window? integer               keys that tokens see in window_layers of the layers
---@field window_layers? integer
---@field window_kv_heads? integer      of these layers, where they differ
---@field window_head_size? integer
---@field top_keys? integer             keys that an indexer picks for a query
---@field index_heads? integer
---@field index_size? integer
---@field o_rank? integer               compressed attention, with the next four
---@field o_groups? integer
---@field key_stride? integer           tokens that a key stands for
---@field coarse_layers? integer        layers in which it stands for coarse_stride
---@field coarse_stride? integer
---@field linear_layers? integer        layers with linear attention
---@field linear_key_heads? integer
---@field linear_key_size? integer
---@field linear_value_heads? integer
---@field linear_value_size? integer
---@field linear_gate_rank? integer     its two gates are products of matrices of this rank
---@field dense_layers? integer         layers without experts
---@field intermediate? integer         their width
---@field experts? integer
---@field experts_active? integer
---@field expert_intermediate? integer
---@field shared_intermediate? integer
---@field attention_bytes? number       bytes a number: weights, cache, state, activations
---@field ffn_bytes? number
---@field expert_bytes? number
---@field embedding_bytes? number
---@field kv_bytes? number
---@field state_bytes? number
---@field activation_bytes? number

-- JSON's null reads as a userdata. Sizes that must be there must not be 0 either.
local function number(c, key, fallback)
  local value = c[key]
  value = math.type(value) and math.tointeger(value)
  if value and value > (fallback and -1 or 0) and value < 1 << 40 then return value end
  if fallback == nil then error({ missing = key }, 0) end
  return fallback
end

local function flag(c, key) return c[key] == true end

local function count(list, value)
  local n = 0
  for _, item in ipairs(type(list) == "table" and list or {}) do
    if item == value then n = n + 1 end
  end
  return n
end

-- ---- parts

local function grouped(a, c)
  a.heads = number(c, "num_attention_heads")
  a.kv_heads = number(c, "num_key_value_heads", a.heads)
  a.head_size = number(c, "head_dim", a.hidden // a.heads)
end

-- An indexer that picks keys.
local function picked(a, c)
  if number(c, "index_topk", 0) == 0 then return end
  a.top_keys = number(c, "index_topk")
  a.index_heads = number(c, "index_n_heads")
  a.index_size = number(c, "index_head_dim")
end

local function latent(a, c)
  a.heads = number(c, "num_attention_heads")
  a.q_rank = number(c, "q_lora_rank", 0)
  a.kv_rank = number(c, "kv_lora_rank")
  a.nope_size = number(c, "qk_nope_head_dim")
  a.rope_size = number(c, "qk_rope_head_dim")
  a.value_size = number(c, "v_head_dim")
  picked(a, c)
end

local function dense(a, c)
  a.dense_layers = a.layers
  a.intermediate = number(c, "intermediate_size")
end

--- Layers that have experts: all, those after the first few, or every n-th.
local function experts(a, c, names)
  a.experts = number(c, names.all)
  a.experts_active = number(c, names.active or "num_experts_per_tok")
  a.expert_intermediate = number(c, names.width or "moe_intermediate_size")
  a.shared_intermediate = number(c, "shared_expert_intermediate_size", 0)
  if a.shared_intermediate == 0 then
    a.shared_intermediate = number(c, "n_shared_experts", 0) * a.expert_intermediate
  end
  local step = math.max(1, number(c, names.step or "decoder_sparse_step", 1))
  a.dense_layers = number(c, "first_k_dense_replace", 0) + a.layers - a.layers // step
  local only = c.mlp_only_layers
  a.dense_layers = a.dense_layers + (type(only) == "table" and #only or 0)
  if a.dense_layers > 0 then
    a.intermediate = number(c, names.dense_width or "intermediate_size")
  end
end

local function windows(a, c, layers)
  local window = number(c, "sliding_window", 0)
  if window > 0 then a.window, a.window_layers = window, layers end
end

local function linear(a, c)
  local every = number(c, "full_attention_interval", 0)
  a.linear_layers = count(c.layer_types, "linear_attention")
  if a.linear_layers == 0 and every > 0 then a.linear_layers = a.layers - a.layers // every end
  a.linear_key_heads = number(c, "linear_num_key_heads")
  a.linear_key_size = number(c, "linear_key_head_dim")
  a.linear_value_heads = number(c, "linear_num_value_heads")
  a.linear_value_size = number(c, "linear_value_head_dim")
  a.q_gate = 1
end

--- Keys that stand for several tokens: compress_ratios has a number a layer, 0 where there is a
--- window alone, the least of the others in layers whose keys an indexer picks.
local function compressed(a, c)
  a.heads, a.kv_heads = number(c, "num_attention_heads"), 1
  a.head_size, a.q_rank = number(c, "head_dim"), number(c, "q_lora_rank")
  a.o_rank, a.o_groups = number(c, "o_lora_rank"), number(c, "o_groups")
  a.window = number(c, "sliding_window")
  local ratios, by = c.compress_ratios, {}
  for layer = 1, a.layers do
    local ratio = type(ratios) == "table" and math.type(ratios[layer])
      and math.tointeger(ratios[layer])
    if not ratio or ratio < 0 or ratio > 1 << 20 then error({ missing = "compress_ratios" }, 0) end
    by[ratio] = (by[ratio] or 0) + 1
  end
  a.window_layers, by[0] = by[0] or 0, nil
  local strides = require("tandem.text.nearest").sorted_keys(by)
  if #strides > 2 then error({ missing = "compress_ratios of two kinds" }, 0) end
  a.key_stride = strides[1]
  if strides[2] then a.coarse_layers, a.coarse_stride = by[strides[2]], strides[2] end
  if strides[1] then picked(a, c) end
end

-- ---- families

local function llama(a, c)
  grouped(a, c)
  dense(a, c)
end

local function mistral(a, c)
  llama(a, c)
  windows(a, c, a.layers)
end

local function qwen(a, c)
  llama(a, c)
  if flag(c, "use_sliding_window") then
    windows(a, c, a.layers - number(c, "max_window_layers", a.layers))
  end
end

local function mixtral(a, c)
  grouped(a, c)
  experts(a, c, { all = "num_local_experts", width = "intermediate_size" })
end

local function qwen_moe(a, c)
  grouped(a, c)
  experts(a, c, { all = "num_experts" })
end

local function qwen_next(a, c)
  qwen_moe(a, c)
  linear(a, c)
end

local function deepseek(a, c)
  latent(a, c)
  experts(a, c, { all = "n_routed_experts" })
end

local function glm_moe(a, c)
  grouped(a, c)
  experts(a, c, { all = "n_routed_experts" })
end

local function llama4(a, c)
  grouped(a, c)
  experts(a, c, { all = "num_local_experts", width = "intermediate_size",
    step = "interleave_moe_layer_step", dense_width = "intermediate_size_mlp" })
  a.shared_intermediate = a.expert_intermediate
  local chunk = number(c, "attention_chunk_size", 0)
  -- Three layers of four see their chunk; the fourth, without rotary positions, everything.
  if chunk > 0 then a.window, a.window_layers = chunk, a.layers - a.layers // 4 end
end

local function gpt_oss(a, c)
  grouped(a, c)
  experts(a, c, { all = "num_local_experts", width = "intermediate_size" })
  local sliding = count(c.layer_types, "sliding_attention")
  windows(a, c, sliding > 0 and sliding or a.layers // 2)
end

-- Every n-th layer sees everything, the others a window.
local function gemma3(a, c)
  llama(a, c)
  windows(a, c, a.layers - a.layers // math.max(1, number(c, "sliding_window_pattern", 6)))
end

local function deepseek_v4(a, c)
  compressed(a, c)
  experts(a, c, { all = "n_routed_experts" })
end

-- Layers that see everything have heads of their own, whose keys may serve as values.
local function gemma4(a, c)
  if number(c, "hidden_size_per_layer_input", 0) > 0 then
    error({ missing = "hidden_size_per_layer_input = 0 (embeddings a layer are not known)" }, 0)
  end
  llama(a, c)
  windows(a, c, count(c.layer_types, "sliding_attention"))
  a.window_kv_heads, a.window_head_size = a.kv_heads, a.head_size
  a.head_size = number(c, "global_head_dim", a.head_size)
  a.kv_heads = number(c, "num_global_key_value_heads", 0)
  if a.kv_heads == 0 then a.kv_heads = a.window_kv_heads end
  a.shared_kv = flag(c, "attention_k_eq_v") and 1 or 0
  if flag(c, "enable_moe_block") then
    experts(a, c, { all = "num_experts", active = "top_k_experts" })
    -- They stand beside a dense layer.
    a.dense_layers, a.shared_intermediate = 0, a.intermediate
  end
end

local function qwen_hybrid(a, c)
  llama(a, c)
  linear(a, c)
end

-- Delta attention with a gate for each number of a key, and latent attention.
local function kimi_linear(a, c)
  latent(a, c)
  experts(a, c, { all = "num_experts", active = "num_experts_per_token" })
  a.shared_intermediate = number(c, "num_shared_experts", 0) * a.expert_intermediate
  local part = type(c.linear_attn_config) == "table" and c.linear_attn_config or {}
  a.linear_layers = type(part.kda_layers) == "table" and #part.kda_layers or 0
  a.linear_key_heads = number(part, "num_heads")
  a.linear_key_size = number(part, "head_dim")
  a.linear_value_heads, a.linear_value_size = a.linear_key_heads, a.linear_key_size
  a.linear_gate_rank = a.linear_key_size
end

local families = {
  llama = llama, mistral = mistral, ministral = mistral, qwen2 = qwen, qwen3 = qwen,
  mixtral = mixtral, qwen2_moe = qwen_moe, qwen3_moe = qwen_moe, minimax_m2 = mixtral,
  qwen3_next = qwen_next, qwen3_5_moe = qwen_next, qwen3_5_moe_text = qwen_next,
  qwen3_5 = qwen_hybrid, qwen3_5_text = qwen_hybrid, kimi_linear = kimi_linear,
  deepseek_v4 = deepseek_v4, gemma4 = gemma4, gemma4_text = gemma4,
  deepseek_v2 = deepseek, deepseek_v3 = deepseek, deepseek_v32 = deepseek, kimi_k2 = deepseek,
  kimi_k25 = deepseek, glm_moe_dsa = deepseek, glm4_moe = glm_moe,
  gemma3 = gemma3, gemma3_text = gemma3, phi3 = mistral,
  llama4 = llama4, llama4_text = llama4, gpt_oss = gpt_oss,
}

--- Names of model_type that are known, sorted.
---@return string[]
local function family_names()
  local names = {}
  for name in pairs(families) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- ---- the whole

--- What a checkpoint's own quantization makes of its weights: a name for tandem.llm.precision.
local function stored_precision(c)
  if c.expert_dtype == "fp4" then return "fp8-mxfp4" end
  local q = c.quantization_config or c.compression_config
  if type(q) ~= "table" then return nil end
  -- A general method ("compressed-tensors") says the type in its format.
  local method = tostring(q.quant_method or "") .. " " .. tostring(q.format or "")
  if method:find "fp8" or method:find "float%-quantized" then return "fp8" end
  if method:find "mxfp4" then return "mxfp4" end
  if method:find "fp4" or method:find "modelopt" then return "fp4" end
  if method:find "awq" or method:find "gptq" or method:find "pack" then return "int4" end
  return nil
end

--- The architecture that a decoded config.json describes; weights are in the type that the second
--- result names. What cannot be used comes back as one line.
---@param c table
---@return tandem.llm.Architecture|nil, string precision or message
function config.architecture(c)
  local text = type(c.text_config) == "table" and c.text_config or c
  local kind = text.model_type or c.model_type
  local family = families[kind] or families[c.model_type]
  if not family then
    local names = family_names()
    if type(kind) ~= "string" then return nil, "config.json: model_type is missing" end
    local near = nearest.word(kind, names)
    return nil, ("config.json: model_type %q is not known%s; known are %s"):format(kind,
      near and (" (did you mean %q?)"):format(near) or "", table.concat(names, ", "))
  end
  local ok, result = pcall(function()
    local a = {
      layers = number(text, "num_hidden_layers"), hidden = number(text, "hidden_size"),
      vocabulary = number(text, "vocab_size"),
      tied = (flag(text, "tie_word_embeddings") or flag(c, "tie_word_embeddings")) and 1 or 0,
    }
    family(a, text)
    return a
  end)
  if not ok then
    if type(result) ~= "table" or not result.missing then error(result, 0) end
    return nil, ("config.json: %s models need %s, a whole number"):format(kind, result.missing)
  end
  return result, stored_precision(c) or stored_precision(text) or "bf16"
end

return config
