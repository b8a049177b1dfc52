--- Language models by name: the sizes of their config.json, as published with the weights.
-- Owns these numbers; tandem.llm.config says what they mean. A model that is not here is read from
-- its own file: td.llm { config = "config.json" }. Read by tandem.generation.
--
-- An entry holds name, aliases (as td.gpu: upper and lower case, spaces and punctuation do not
-- matter), repository (where the weights are on the Hugging Face hub; none where we are not sure:
-- plans then ask for it), source (whose config.json, and where it was read; in the collection of
-- inference-sim @ f90a1e3 unless it says; tests/spec/llm_config_spec.lua compares the sizes that
-- follow with the published ones), and config: those of its keys that give sizes;
-- quantization_config where weights have fewer bits.

-- compress_ratios of DeepSeek V4: two layers, then 4 and 128 in turns.
local function ratios(layers, first, second)
  local out = { first, second }
  for layer = 3, layers do out[layer] = layer % 2 == 1 and 4 or 128 end
  return out
end

-- layer_types in which every n-th sees everything.
local function every(layers, n)
  local out = {}
  for layer = 1, layers do
    out[layer] = layer % n == 0 and "full_attention" or "sliding_attention"
  end
  return out
end

return {
  {
    name = "Llama-3.1-8B", aliases = { "Llama-3.1-8B-Instruct" },
    repository = "meta-llama/Llama-3.1-8B-Instruct",
    source = "config.json of Llama-3.1-8B-Instruct",
    config = {
      model_type = "llama", hidden_size = 4096, intermediate_size = 14336,
      max_position_embeddings = 131072, num_attention_heads = 32, num_hidden_layers = 32,
      num_key_value_heads = 8, tie_word_embeddings = false, vocab_size = 128256,
    },
  },
  {
    name = "Llama-3.1-70B", aliases = { "Llama-3.1-70B-Instruct" },
    repository = "meta-llama/Llama-3.1-70B-Instruct",
    source = "config.json of Llama-3.1-70B-Instruct",
    config = {
      model_type = "llama", hidden_size = 8192, intermediate_size = 28672,
      max_position_embeddings = 131072, num_attention_heads = 64, num_hidden_layers = 80,
      num_key_value_heads = 8, tie_word_embeddings = false, vocab_size = 128256,
    },
  },
  {
    name = "Llama-4-Scout-17B-16E-FP8",
    repository = "RedHatAI/Llama-4-Scout-17B-16E-Instruct-FP8-dynamic",
    aliases = { "Llama-4-Scout-17B-16E-Instruct-FP8-dynamic", "Llama-4-Scout" },
    source = "config.json of Llama-4-Scout-17B-16E-Instruct-FP8-dynamic",
    config = {
      model_type = "llama4_text", attention_chunk_size = 8192, head_dim = 128, hidden_size = 5120,
      interleave_moe_layer_step = 1, intermediate_size = 8192, intermediate_size_mlp = 16384,
      max_position_embeddings = 10485760, num_attention_heads = 40, num_experts_per_tok = 1,
      num_hidden_layers = 48, num_key_value_heads = 8, num_local_experts = 16,
      vocab_size = 202048,
      quantization_config = { quant_method = "compressed-tensors", format = "float-quantized" },
    },
  },
  {
    name = "Qwen2.5-7B", aliases = { "Qwen2.5-7B-Instruct" },
    repository = "Qwen/Qwen2.5-7B-Instruct",
    source = "config.json of Qwen2.5-7B-Instruct",
    config = {
      model_type = "qwen2", hidden_size = 3584, intermediate_size = 18944,
      max_position_embeddings = 32768, max_window_layers = 28, num_attention_heads = 28,
      num_hidden_layers = 28, num_key_value_heads = 4, sliding_window = 131072,
      tie_word_embeddings = false, use_sliding_window = false, vocab_size = 152064,
    },
  },
  {
    name = "Qwen3-14B",
    repository = "Qwen/Qwen3-14B",
    source = "config.json of Qwen3-14B",
    config = {
      model_type = "qwen3", head_dim = 128, hidden_size = 5120, intermediate_size = 17408,
      max_position_embeddings = 40960, max_window_layers = 40, num_attention_heads = 40,
      num_hidden_layers = 40, num_key_value_heads = 8, tie_word_embeddings = false,
      use_sliding_window = false, vocab_size = 151936,
    },
  },
  {
    name = "Qwen3-30B-A3B",
    repository = "Qwen/Qwen3-30B-A3B",
    source = "config.json of Qwen3-30B-A3B",
    config = {
      model_type = "qwen3_moe", decoder_sparse_step = 1, head_dim = 128, hidden_size = 2048,
      intermediate_size = 6144, max_position_embeddings = 40960, max_window_layers = 48,
      moe_intermediate_size = 768, num_attention_heads = 32, num_experts = 128,
      num_experts_per_tok = 8, num_hidden_layers = 48, num_key_value_heads = 4,
      tie_word_embeddings = false, use_sliding_window = false, vocab_size = 151936,
    },
  },
  {
    name = "Mistral-Nemo-12B", aliases = { "Mistral-Nemo-Instruct-2407", "Mistral-Nemo" },
    repository = "mistralai/Mistral-Nemo-Instruct-2407",
    source = "config.json of Mistral-Nemo-Instruct-2407",
    config = {
      model_type = "mistral", head_dim = 128, hidden_size = 5120, intermediate_size = 14336,
      max_position_embeddings = 131072, num_attention_heads = 32, num_hidden_layers = 40,
      num_key_value_heads = 8, tie_word_embeddings = false, vocab_size = 131072,
    },
  },
  {
    name = "Mixtral-8x7B", aliases = { "Mixtral-8x7B-v0.1" },
    repository = "mistralai/Mixtral-8x7B-Instruct-v0.1",
    source = "config.json of Mixtral-8x7B-v0.1",
    config = {
      model_type = "mixtral", hidden_size = 4096, intermediate_size = 14336,
      max_position_embeddings = 32768, num_attention_heads = 32, num_experts_per_tok = 2,
      num_hidden_layers = 32, num_key_value_heads = 8, num_local_experts = 8,
      tie_word_embeddings = false, vocab_size = 32000,
    },
  },
  {
    name = "DeepSeek-V2-Lite",
    repository = "deepseek-ai/DeepSeek-V2-Lite",
    source = "config.json of DeepSeek-V2-Lite",
    config = {
      model_type = "deepseek_v2", first_k_dense_replace = 1, hidden_size = 2048,
      intermediate_size = 10944, kv_lora_rank = 512, max_position_embeddings = 163840,
      moe_intermediate_size = 1408, n_routed_experts = 64, n_shared_experts = 2,
      num_attention_heads = 16, num_experts_per_tok = 6, num_hidden_layers = 27,
      num_key_value_heads = 16, qk_nope_head_dim = 128, qk_rope_head_dim = 64,
      tie_word_embeddings = false, v_head_dim = 128, vocab_size = 102400,
    },
  },
  {
    name = "GLM-5.2-FP8", aliases = { "GLM-5.2" },
    source = "config.json of GLM-5.2-FP8",
    config = {
      model_type = "glm_moe_dsa", first_k_dense_replace = 3, head_dim = 192, hidden_size = 6144,
      index_head_dim = 128, index_n_heads = 32, index_topk = 2048, intermediate_size = 12288,
      kv_lora_rank = 512, max_position_embeddings = 1048576, moe_intermediate_size = 2048,
      n_routed_experts = 256, n_shared_experts = 1, num_attention_heads = 64,
      num_experts_per_tok = 8, num_hidden_layers = 78, num_key_value_heads = 64,
      q_lora_rank = 2048, qk_nope_head_dim = 192, qk_rope_head_dim = 64,
      tie_word_embeddings = false, v_head_dim = 256, vocab_size = 154880,
      quantization_config = { quant_method = "fp8" },
    },
  },
  {
    name = "Llama-3.2-3B", aliases = { "Llama-3.2-3B-Instruct" },
    repository = "meta-llama/Llama-3.2-3B-Instruct",
    source = "config.json of Llama-3.2-3B, in LLM-Prof @ 8434c8d",
    config = {
      model_type = "llama", head_dim = 128, hidden_size = 3072, intermediate_size = 8192,
      max_position_embeddings = 131072, num_attention_heads = 24, num_hidden_layers = 28,
      num_key_value_heads = 8, tie_word_embeddings = true, vocab_size = 128256,
    },
  },
  {
    name = "Llama-3.3-70B", aliases = { "Llama-3.3-70B-Instruct" },
    repository = "meta-llama/Llama-3.3-70B-Instruct",
    source = "config.json of Llama-3.3-70B-Instruct, in aiconfigurator @ f577ab8",
    config = {
      model_type = "llama", hidden_size = 8192, intermediate_size = 28672,
      max_position_embeddings = 131072, num_attention_heads = 64, num_hidden_layers = 80,
      num_key_value_heads = 8, tie_word_embeddings = false, vocab_size = 128256,
    },
  },
  {
    name = "Llama-3.1-405B", aliases = { "Llama-3.1-405B-Instruct" },
    repository = "meta-llama/Llama-3.1-405B-Instruct",
    source = "config.json of Llama-3.1-405B; as public repositories quote it",
    config = {
      model_type = "llama", hidden_size = 16384, intermediate_size = 53248,
      max_position_embeddings = 131072, num_attention_heads = 128, num_hidden_layers = 126,
      num_key_value_heads = 8, tie_word_embeddings = false, vocab_size = 128256,
    },
  },
  {
    name = "Llama-4-Maverick-17B-128E",
    repository = "meta-llama/Llama-4-Maverick-17B-128E-Instruct",
    aliases = { "Llama-4-Maverick-17B-128E-Instruct", "Llama-4-Maverick" },
    source = "config.json of Llama-4-Maverick-17B-128E-Instruct; as public repositories quote it",
    config = {
      model_type = "llama4_text", attention_chunk_size = 8192, head_dim = 128, hidden_size = 5120,
      interleave_moe_layer_step = 2, intermediate_size = 8192, intermediate_size_mlp = 16384,
      max_position_embeddings = 1048576, num_attention_heads = 40, num_experts_per_tok = 1,
      num_hidden_layers = 48, num_key_value_heads = 8, num_local_experts = 128,
      vocab_size = 202048,
    },
  },
  {
    name = "Qwen2.5-3B", aliases = { "Qwen2.5-3B-Instruct" },
    repository = "Qwen/Qwen2.5-3B-Instruct",
    source = "config.json of Qwen2.5-3B, in LLM-Prof @ 8434c8d",
    config = {
      model_type = "qwen2", hidden_size = 2048, intermediate_size = 11008,
      max_position_embeddings = 32768, num_attention_heads = 16, num_hidden_layers = 36,
      num_key_value_heads = 2, tie_word_embeddings = true, use_sliding_window = false,
      vocab_size = 151936,
    },
  },
  {
    name = "Qwen2.5-14B", aliases = { "Qwen2.5-14B-Instruct" },
    repository = "Qwen/Qwen2.5-14B-Instruct",
    source = "config.json of Qwen2.5-14B, in LLM-Prof @ 8434c8d",
    config = {
      model_type = "qwen2", hidden_size = 5120, intermediate_size = 13824,
      max_position_embeddings = 131072, num_attention_heads = 40, num_hidden_layers = 48,
      num_key_value_heads = 8, tie_word_embeddings = false, use_sliding_window = false,
      vocab_size = 152064,
    },
  },
  {
    name = "Qwen2.5-32B", aliases = { "Qwen2.5-32B-Instruct" },
    repository = "Qwen/Qwen2.5-32B-Instruct",
    source = "config.json of Qwen2.5-32B, in LLM-Prof @ 8434c8d",
    config = {
      model_type = "qwen2", hidden_size = 5120, intermediate_size = 27648,
      max_position_embeddings = 131072, num_attention_heads = 40, num_hidden_layers = 64,
      num_key_value_heads = 8, tie_word_embeddings = false, use_sliding_window = false,
      vocab_size = 152064,
    },
  },
  {
    name = "Qwen2.5-72B", aliases = { "Qwen2.5-72B-Instruct" },
    repository = "Qwen/Qwen2.5-72B-Instruct",
    source = "config.json of Qwen2.5-72B; as public repositories quote it",
    config = {
      model_type = "qwen2", hidden_size = 8192, intermediate_size = 29568,
      max_position_embeddings = 131072, num_attention_heads = 64, num_hidden_layers = 80,
      num_key_value_heads = 8, tie_word_embeddings = false, use_sliding_window = false,
      vocab_size = 152064,
    },
  },
  {
    name = "Qwen3-4B",
    repository = "Qwen/Qwen3-4B",
    source = "config.json of Qwen3-4B, in LLM-Prof @ 8434c8d",
    config = {
      model_type = "qwen3", head_dim = 128, hidden_size = 2560, intermediate_size = 9728,
      max_position_embeddings = 40960, num_attention_heads = 32, num_hidden_layers = 36,
      num_key_value_heads = 8, tie_word_embeddings = true, use_sliding_window = false,
      vocab_size = 151936,
    },
  },
  {
    name = "Qwen3-8B",
    repository = "Qwen/Qwen3-8B",
    source = "config.json of Qwen3-8B, in LLM-Prof @ 8434c8d",
    config = {
      model_type = "qwen3", head_dim = 128, hidden_size = 4096, intermediate_size = 12288,
      max_position_embeddings = 40960, num_attention_heads = 32, num_hidden_layers = 36,
      num_key_value_heads = 8, tie_word_embeddings = false, use_sliding_window = false,
      vocab_size = 151936,
    },
  },
  {
    name = "Qwen3-32B",
    repository = "Qwen/Qwen3-32B",
    source = "config.json of Qwen3-32B, in LLM-Prof @ 8434c8d",
    config = {
      model_type = "qwen3", head_dim = 128, hidden_size = 5120, intermediate_size = 25600,
      max_position_embeddings = 40960, num_attention_heads = 64, num_hidden_layers = 64,
      num_key_value_heads = 8, tie_word_embeddings = false, use_sliding_window = false,
      vocab_size = 151936,
    },
  },
  {
    name = "Qwen3-235B-A22B",
    repository = "Qwen/Qwen3-235B-A22B",
    source = "sizes of Qwen3-235B-A22B, in slime's scripts/models",
    config = {
      model_type = "qwen3_moe", decoder_sparse_step = 1, head_dim = 128, hidden_size = 4096,
      intermediate_size = 12288, max_position_embeddings = 40960, moe_intermediate_size = 1536,
      num_attention_heads = 64, num_experts = 128, num_experts_per_tok = 8,
      num_hidden_layers = 94, num_key_value_heads = 4, tie_word_embeddings = false,
      use_sliding_window = false, vocab_size = 151936,
    },
  },
  {
    name = "Mistral-7B", aliases = { "Mistral-7B-v0.3", "Mistral-7B-Instruct-v0.3" },
    repository = "mistralai/Mistral-7B-Instruct-v0.3",
    source = "config.json of Mistral-7B-v0.3; as public repositories quote it",
    config = {
      model_type = "mistral", hidden_size = 4096, intermediate_size = 14336,
      max_position_embeddings = 32768, num_attention_heads = 32, num_hidden_layers = 32,
      num_key_value_heads = 8, tie_word_embeddings = false, vocab_size = 32768,
    },
  },
  {
    name = "Mistral-Small-24B",
    repository = "mistralai/Mistral-Small-24B-Instruct-2501",
    aliases = { "Mistral-Small-24B-Instruct-2501", "Mistral-Small-24B-Base-2501" },
    source = "config.json of Mistral-Small-24B-Instruct-2501; as public repositories quote it",
    config = {
      model_type = "mistral", head_dim = 128, hidden_size = 5120, intermediate_size = 32768,
      max_position_embeddings = 32768, num_attention_heads = 32, num_hidden_layers = 40,
      num_key_value_heads = 8, tie_word_embeddings = false, vocab_size = 131072,
    },
  },
  {
    name = "Mixtral-8x22B", aliases = { "Mixtral-8x22B-v0.1" },
    repository = "mistralai/Mixtral-8x22B-Instruct-v0.1",
    source = "config.json of Mixtral-8x22B-v0.1; as public repositories quote it",
    config = {
      model_type = "mixtral", hidden_size = 6144, intermediate_size = 16384,
      max_position_embeddings = 65536, num_attention_heads = 48, num_experts_per_tok = 2,
      num_hidden_layers = 56, num_key_value_heads = 8, num_local_experts = 8,
      tie_word_embeddings = false, vocab_size = 32000,
    },
  },
  {
    name = "DeepSeek-V3", aliases = { "DeepSeek-R1", "DeepSeek-V3-0324", "DeepSeek-R1-0528" },
    repository = "deepseek-ai/DeepSeek-V3",
    source = "config.json of DeepSeek-V3; as public repositories quote it",
    config = {
      model_type = "deepseek_v3", first_k_dense_replace = 3, hidden_size = 7168,
      intermediate_size = 18432, kv_lora_rank = 512, max_position_embeddings = 163840,
      moe_intermediate_size = 2048, n_routed_experts = 256, n_shared_experts = 1,
      num_attention_heads = 128, num_experts_per_tok = 8, num_hidden_layers = 61,
      num_key_value_heads = 128, q_lora_rank = 1536, qk_nope_head_dim = 128,
      qk_rope_head_dim = 64, tie_word_embeddings = false, v_head_dim = 128, vocab_size = 129280,
      quantization_config = { quant_method = "fp8" },
    },
  },
  {
    name = "Kimi-K2", aliases = { "Kimi-K2-Instruct" },
    repository = "moonshotai/Kimi-K2-Instruct",
    source = "config.json of Kimi-K2-Instruct, in aiconfigurator @ 821eb9a; weights in fp8",
    config = {
      model_type = "kimi_k2", first_k_dense_replace = 1, hidden_size = 7168,
      intermediate_size = 18432, kv_lora_rank = 512, max_position_embeddings = 131072,
      moe_intermediate_size = 2048, n_routed_experts = 384, n_shared_experts = 1,
      num_attention_heads = 64, num_experts_per_tok = 8, num_hidden_layers = 61,
      num_key_value_heads = 64, q_lora_rank = 1536, qk_nope_head_dim = 128, qk_rope_head_dim = 64,
      tie_word_embeddings = false, v_head_dim = 128, vocab_size = 163840,
      quantization_config = { quant_method = "fp8" },
    },
  },
  {
    name = "gpt-oss-20b",
    repository = "openai/gpt-oss-20b",
    source = "config.json of gpt-oss-20b; as public repositories quote it",
    config = {
      model_type = "gpt_oss", head_dim = 64, hidden_size = 2880, intermediate_size = 2880,
      max_position_embeddings = 131072, num_attention_heads = 64, num_experts_per_tok = 4,
      num_hidden_layers = 24, num_key_value_heads = 8, num_local_experts = 32,
      sliding_window = 128, tie_word_embeddings = false, vocab_size = 201088,
      quantization_config = { quant_method = "mxfp4" },
    },
  },
  {
    name = "gpt-oss-120b",
    repository = "openai/gpt-oss-120b",
    source = "config.json of gpt-oss-120b; as public repositories quote it",
    config = {
      model_type = "gpt_oss", head_dim = 64, hidden_size = 2880, intermediate_size = 2880,
      max_position_embeddings = 131072, num_attention_heads = 64, num_experts_per_tok = 4,
      num_hidden_layers = 36, num_key_value_heads = 8, num_local_experts = 128,
      sliding_window = 128, tie_word_embeddings = false, vocab_size = 201088,
      quantization_config = { quant_method = "mxfp4" },
    },
  },
  {
    name = "Gemma-3-27B", aliases = { "gemma-3-27b-it" },
    repository = "google/gemma-3-27b-it",
    source = "config.json of gemma-3-27b-it, its text model; as public repositories quote it",
    config = {
      model_type = "gemma3_text", head_dim = 128, hidden_size = 5376, intermediate_size = 21504,
      max_position_embeddings = 131072, num_attention_heads = 32, num_hidden_layers = 62,
      num_key_value_heads = 16, sliding_window = 1024, sliding_window_pattern = 6,
      tie_word_embeddings = true, vocab_size = 262208,
    },
  },
  {
    name = "Phi-4",
    repository = "microsoft/phi-4",
    source = "config.json of phi-4; as public repositories quote it",
    config = {
      model_type = "phi3", hidden_size = 5120, intermediate_size = 17920,
      max_position_embeddings = 16384, num_attention_heads = 40, num_hidden_layers = 40,
      num_key_value_heads = 10, tie_word_embeddings = false, vocab_size = 100352,
    },
  },
  {
    name = "DeepSeek-V3.2", aliases = { "DeepSeek-V3.2-Exp" },
    repository = "deepseek-ai/DeepSeek-V3.2",
    source = "config.json of DeepSeek-V3.2; as public repositories quote it",
    config = {
      model_type = "deepseek_v32", first_k_dense_replace = 3, hidden_size = 7168, index_head_dim =
      128, index_n_heads = 64, index_topk = 2048, intermediate_size = 18432, kv_lora_rank = 512,
      max_position_embeddings = 163840, moe_intermediate_size = 2048, n_routed_experts = 256,
      n_shared_experts = 1, num_attention_heads = 128, num_experts_per_tok = 8, num_hidden_layers
      = 61, num_key_value_heads = 128, q_lora_rank = 1536, qk_nope_head_dim = 128,
      qk_rope_head_dim = 64, tie_word_embeddings = false, v_head_dim = 128, vocab_size = 129280,
      quantization_config = { quant_method = "fp8" },
    },
  },
  {
    name = "DeepSeek-V4-Flash",
    source = "config.json of DeepSeek-V4-Flash-NVFP4, in aiconfigurator @ 7b35965; own weights",
    config = {
      model_type = "deepseek_v4", expert_dtype = "fp4", head_dim = 512, hidden_size = 4096,
      index_head_dim = 128, index_n_heads = 64, index_topk = 512, max_position_embeddings =
      1048576, moe_intermediate_size = 2048, n_routed_experts = 256, n_shared_experts = 1,
      num_attention_heads = 64, num_experts_per_tok = 6, num_hidden_layers = 43,
      num_key_value_heads = 1, o_groups = 8, o_lora_rank = 1024, q_lora_rank = 1024,
      qk_rope_head_dim = 64, sliding_window = 128, tie_word_embeddings = false, vocab_size =
      129280,
      compress_ratios = ratios(43, 0, 0),
    },
  },
  {
    name = "DeepSeek-V4-Pro",
    source = "config.json of DeepSeek-V4-Pro-NVFP4, in aiconfigurator @ 7b35965; own weights",
    config = {
      model_type = "deepseek_v4", expert_dtype = "fp4", head_dim = 512, hidden_size = 7168,
      index_head_dim = 128, index_n_heads = 64, index_topk = 1024, max_position_embeddings =
      1048576, moe_intermediate_size = 3072, n_routed_experts = 384, n_shared_experts = 1,
      num_attention_heads = 128, num_experts_per_tok = 6, num_hidden_layers = 61,
      num_key_value_heads = 1, o_groups = 16, o_lora_rank = 1024, q_lora_rank = 1536,
      qk_rope_head_dim = 64, sliding_window = 128, tie_word_embeddings = false, vocab_size =
      129280,
      compress_ratios = ratios(61, 128, 128),
    },
  },
  {
    name = "Kimi-K2.5", aliases = { "Kimi-K2-Thinking" },
    source = "config.json of Kimi-K2.5, in aiconfigurator @ 997a02f; experts in int4",
    config = {
      model_type = "kimi_k25", first_k_dense_replace = 1, hidden_size = 7168, intermediate_size =
      18432, kv_lora_rank = 512, max_position_embeddings = 262144, moe_intermediate_size = 2048,
      n_routed_experts = 384, n_shared_experts = 1, num_attention_heads = 64, num_experts_per_tok
      = 8, num_hidden_layers = 61, num_key_value_heads = 64, q_lora_rank = 1536, qk_nope_head_dim
      = 128, qk_rope_head_dim = 64, tie_word_embeddings = false, v_head_dim = 128, vocab_size =
      163840,
      quantization_config = { quant_method = "compressed-tensors", format = "pack-quantized" },
    },
  },
  {
    name = "Kimi-Linear-48B-A3B", aliases = { "Kimi-Linear-48B-A3B-Instruct" },
    repository = "moonshotai/Kimi-Linear-48B-A3B-Instruct",
    source = "config.json of Kimi-Linear-48B-A3B-Instruct; as public repositories quote it",
    config = {
      model_type = "kimi_linear", first_k_dense_replace = 1, hidden_size = 2304, intermediate_size
      = 9216, kv_lora_rank = 512, max_position_embeddings = 1048576, moe_intermediate_size = 1024,
      num_attention_heads = 32, num_experts = 256, num_experts_per_token = 8, num_hidden_layers =
      27, num_key_value_heads = 32, num_shared_experts = 1, qk_nope_head_dim = 128,
      qk_rope_head_dim = 64, tie_word_embeddings = false, v_head_dim = 128, vocab_size = 163840,
      linear_attn_config = { head_dim = 128, num_heads = 32,
        kda_layers = { 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26 } },
    },
  },
  {
    name = "GLM-4.6", aliases = { "GLM-4.5", "GLM-4.7" },
    repository = "zai-org/GLM-4.6",
    source = "config.json of GLM-4.7-FP8, in aiconfigurator @ a0ba9ec; 4.5 and 4.6 have its sizes",
    config = {
      model_type = "glm4_moe", first_k_dense_replace = 3, head_dim = 128, hidden_size = 5120,
      intermediate_size = 12288, max_position_embeddings = 202752, moe_intermediate_size = 1536,
      n_routed_experts = 160, n_shared_experts = 1, num_attention_heads = 96, num_experts_per_tok
      = 8, num_hidden_layers = 92, num_key_value_heads = 8, tie_word_embeddings = false,
      vocab_size = 151552,
    },
  },
  {
    name = "MiniMax-M2", aliases = { "MiniMax-M2.1", "MiniMax-M2.5" },
    repository = "MiniMaxAI/MiniMax-M2",
    source = "config.json of MiniMax-M2; as public repositories quote it",
    config = {
      model_type = "minimax_m2", head_dim = 128, hidden_size = 3072, intermediate_size = 1536,
      max_position_embeddings = 196608, num_attention_heads = 48, num_experts_per_tok = 8,
      num_hidden_layers = 62, num_key_value_heads = 8, num_local_experts = 256,
      tie_word_embeddings = false, vocab_size = 200064,
      quantization_config = { quant_method = "fp8" },
    },
  },
  {
    name = "Mistral-Large-3-675B",
    aliases = { "Mistral-Large-3", "Mistral-Large-3-675B-Instruct-2512" },
    source = "sizes of DeepSeek-V3 with 128 experts twice as wide (S. Raschka on its config); text",
    config = {
      model_type = "deepseek_v3", first_k_dense_replace = 3, hidden_size = 7168, intermediate_size
      = 18432, kv_lora_rank = 512, max_position_embeddings = 262144, moe_intermediate_size = 4096,
      n_routed_experts = 128, n_shared_experts = 1, num_attention_heads = 128, num_experts_per_tok
      = 4, num_hidden_layers = 61, num_key_value_heads = 128, q_lora_rank = 1536, qk_nope_head_dim
      = 128, qk_rope_head_dim = 64, tie_word_embeddings = false, v_head_dim = 128, vocab_size =
      131072,
      quantization_config = { quant_method = "fp8" },
    },
  },
  {
    name = "Qwen3-Next-80B-A3B",
    repository = "Qwen/Qwen3-Next-80B-A3B-Instruct",
    aliases = { "Qwen3-Next-80B-A3B-Instruct", "Qwen3-Next-80B-A3B-Thinking" },
    source = "config.json of Qwen3-Next-80B-A3B-Thinking, in aiconfigurator @ 1b7cfb1",
    config = {
      model_type = "qwen3_next", decoder_sparse_step = 1, full_attention_interval = 4, head_dim =
      256, hidden_size = 2048, intermediate_size = 5120, linear_key_head_dim = 128,
      linear_num_key_heads = 16, linear_num_value_heads = 32, linear_value_head_dim = 128,
      max_position_embeddings = 262144, moe_intermediate_size = 512, num_attention_heads = 16,
      num_experts = 512, num_experts_per_tok = 10, num_hidden_layers = 48, num_key_value_heads =
      2, shared_expert_intermediate_size = 512, tie_word_embeddings = false, vocab_size = 151936,
    },
  },
  {
    name = "Qwen3.5-397B-A17B",
    source = "config.json of Qwen3.5-397B-A17B, in aiconfigurator @ 87fe4b0; its text model",
    config = {
      model_type = "qwen3_5_moe_text", full_attention_interval = 4, head_dim = 256, hidden_size =
      4096, linear_key_head_dim = 128, linear_num_key_heads = 16, linear_num_value_heads = 64,
      linear_value_head_dim = 128, max_position_embeddings = 262144, moe_intermediate_size = 1024,
      num_attention_heads = 32, num_experts = 512, num_experts_per_tok = 10, num_hidden_layers =
      60, num_key_value_heads = 2, shared_expert_intermediate_size = 1024, tie_word_embeddings =
      false, vocab_size = 248320,
    },
  },
  {
    name = "Gemma-4-31B", aliases = { "gemma-4-31b-it" },
    source = "config.json of gemma-4-31B-it, its text model; as public repositories quote it",
    config = {
      model_type = "gemma4_text", attention_k_eq_v = true, global_head_dim = 512, head_dim = 256,
      hidden_size = 5376, intermediate_size = 21504, max_position_embeddings = 262144,
      num_attention_heads = 32, num_global_key_value_heads = 4, num_hidden_layers = 60,
      num_key_value_heads = 16, sliding_window = 1024, tie_word_embeddings = true, vocab_size =
      262144,
      layer_types = every(60, 6),
    },
  },
  {
    name = "Gemma-4-26B-A4B", aliases = { "gemma-4-26b-a4b-it" },
    source = "config.json of gemma-4-26B-A4B-it, its text model; as public repositories quote it",
    config = {
      model_type = "gemma4_text", attention_k_eq_v = true, enable_moe_block = true,
      global_head_dim = 512, head_dim = 256, hidden_size = 2816, intermediate_size = 2112,
      max_position_embeddings = 262144, moe_intermediate_size = 704, num_attention_heads = 16,
      num_experts = 128, num_global_key_value_heads = 2, num_hidden_layers = 30,
      num_key_value_heads = 8, sliding_window = 1024, tie_word_embeddings = true, top_k_experts =
      8, vocab_size = 262144,
      layer_types = every(30, 6),
    },
  },
}
