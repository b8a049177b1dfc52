--- Language models by name: the sizes of their config.json, as published with the weights.
-- Owns these numbers; tandem.llm.config says what they mean. A model that is not here is read from
-- its own file: td.llm { config = "config.json" }. Read by tandem.generation.
--
-- An entry holds name, aliases (as td.gpu: upper and lower case, spaces and punctuation do not
-- matter), source (whose config.json; all were taken from the collection in inference-sim @
-- f90a1e3, and tests/spec/llm_config_spec.lua compares their sizes with the published ones), and
-- config: those of its keys that give sizes; quantization_config where weights have fewer bits.

return {
  {
    name = "Llama-3.1-8B", aliases = { "Llama-3.1-8B-Instruct" },
    source = "config.json of Llama-3.1-8B-Instruct",
    config = {
      model_type = "llama", hidden_size = 4096, intermediate_size = 14336,
      max_position_embeddings = 131072, num_attention_heads = 32, num_hidden_layers = 32,
      num_key_value_heads = 8, tie_word_embeddings = false, vocab_size = 128256,
    },
  },
  {
    name = "Llama-3.1-70B", aliases = { "Llama-3.1-70B-Instruct" },
    source = "config.json of Llama-3.1-70B-Instruct",
    config = {
      model_type = "llama", hidden_size = 8192, intermediate_size = 28672,
      max_position_embeddings = 131072, num_attention_heads = 64, num_hidden_layers = 80,
      num_key_value_heads = 8, tie_word_embeddings = false, vocab_size = 128256,
    },
  },
  {
    name = "Llama-4-Scout-17B-16E-FP8",
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
    source = "config.json of Mistral-Nemo-Instruct-2407",
    config = {
      model_type = "mistral", head_dim = 128, hidden_size = 5120, intermediate_size = 14336,
      max_position_embeddings = 131072, num_attention_heads = 32, num_hidden_layers = 40,
      num_key_value_heads = 8, tie_word_embeddings = false, vocab_size = 131072,
    },
  },
  {
    name = "Mixtral-8x7B", aliases = { "Mixtral-8x7B-v0.1" },
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
}
