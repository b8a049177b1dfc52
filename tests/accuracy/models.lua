-- The models of the operating points as their config.json has them, cut to what sizes depend on.
-- Sources: the Hugging Face repositories of these names, November 2026, cross-checked against the
-- copies in ai-dynamo/aiconfigurator where it has one.

local function deepseek_v3()
  return { model_type = "deepseek_v3", num_hidden_layers = 61, hidden_size = 7168,
    vocab_size = 129280, num_attention_heads = 128, q_lora_rank = 1536, kv_lora_rank = 512,
    qk_nope_head_dim = 128, qk_rope_head_dim = 64, v_head_dim = 128, intermediate_size = 18432,
    moe_intermediate_size = 2048, n_routed_experts = 256, n_shared_experts = 1,
    num_experts_per_tok = 8, first_k_dense_replace = 3 }
end

local function llama_8b()
  return { model_type = "llama", num_hidden_layers = 32, hidden_size = 4096, vocab_size = 128256,
    num_attention_heads = 32, num_key_value_heads = 8, intermediate_size = 14336 }
end

local function qwen3_32b()
  return { model_type = "qwen3", num_hidden_layers = 64, hidden_size = 5120, vocab_size = 151936,
    num_attention_heads = 64, num_key_value_heads = 8, head_dim = 128, intermediate_size = 25600 }
end

local function qwen3_235b()
  return { model_type = "qwen3_moe", num_hidden_layers = 94, hidden_size = 4096,
    vocab_size = 151936, num_attention_heads = 64, num_key_value_heads = 4, head_dim = 128,
    num_experts = 128, num_experts_per_tok = 8, moe_intermediate_size = 1536 }
end

local function qwen3_30b_a3b()
  return { model_type = "qwen3_moe", num_hidden_layers = 48, hidden_size = 2048,
    vocab_size = 151936, num_attention_heads = 32, num_key_value_heads = 4, head_dim = 128,
    num_experts = 128, num_experts_per_tok = 8, moe_intermediate_size = 768 }
end

return {
  ["deepseek-ai/DeepSeek-R1"] = deepseek_v3(),
  ["deepseek-ai/DeepSeek-V3"] = deepseek_v3(),
  ["nvidia/DeepSeek-R1-NVFP4"] = deepseek_v3(),
  ["nvidia/DeepSeek-V3.1-NVFP4"] = deepseek_v3(),
  ["meta-llama/Llama-3.1-8B-Instruct"] = llama_8b(),
  ["nvidia/Llama-3.1-8B-Instruct-FP8"] = llama_8b(),
  ["meta-llama/Llama-3.1-70B"] = { model_type = "llama", num_hidden_layers = 80,
    hidden_size = 8192, vocab_size = 128256, num_attention_heads = 64, num_key_value_heads = 8,
    intermediate_size = 28672 },
  ["Qwen/Qwen3-32B"] = qwen3_32b(),
  ["nvidia/Qwen3-32B-NVFP4"] = qwen3_32b(),
  ["Qwen/Qwen3.5-397B-A17B"] = { model_type = "qwen3_5_moe", text_config = {
    model_type = "qwen3_5_moe_text", num_hidden_layers = 60, hidden_size = 4096,
    vocab_size = 248320, num_attention_heads = 32, num_key_value_heads = 2, head_dim = 256,
    full_attention_interval = 4, linear_num_key_heads = 16, linear_key_head_dim = 128,
    linear_num_value_heads = 64, linear_value_head_dim = 128, num_experts = 512,
    num_experts_per_tok = 10, moe_intermediate_size = 1024,
    shared_expert_intermediate_size = 1024 } },
  ["moonshotai/Kimi-K2.5"] = { model_type = "kimi_k25", num_hidden_layers = 61,
    hidden_size = 7168, vocab_size = 163840, num_attention_heads = 64, q_lora_rank = 1536,
    kv_lora_rank = 512, qk_nope_head_dim = 128, qk_rope_head_dim = 64, v_head_dim = 128,
    intermediate_size = 18432, moe_intermediate_size = 2048, n_routed_experts = 384,
    n_shared_experts = 1, num_experts_per_tok = 8, first_k_dense_replace = 1 },
  ["zhipuai/GLM-5"] = { model_type = "glm_moe_dsa", num_hidden_layers = 78, hidden_size = 6144,
    vocab_size = 154880, num_attention_heads = 64, q_lora_rank = 2048, kv_lora_rank = 512,
    qk_nope_head_dim = 192, qk_rope_head_dim = 64, v_head_dim = 256, intermediate_size = 12288,
    moe_intermediate_size = 2048, n_routed_experts = 256, n_shared_experts = 1,
    num_experts_per_tok = 8, first_k_dense_replace = 3, index_topk = 2048, index_n_heads = 32,
    index_head_dim = 128 },
  ["openai/gpt-oss-120b"] = { model_type = "gpt_oss", num_hidden_layers = 36, hidden_size = 2880,
    vocab_size = 201088, num_attention_heads = 64, num_key_value_heads = 8, head_dim = 64,
    num_local_experts = 128, num_experts_per_tok = 4, intermediate_size = 2880,
    sliding_window = 128 },
  ["MiniMaxAI/MiniMax-M2.5"] = { model_type = "minimax_m2", num_hidden_layers = 62,
    hidden_size = 3072, vocab_size = 200064, num_attention_heads = 48, num_key_value_heads = 8,
    head_dim = 128, num_local_experts = 256, num_experts_per_tok = 8, intermediate_size = 1536 },
  ["meta-llama/Llama-2-7b-hf"] = { model_type = "llama", num_hidden_layers = 32,
    hidden_size = 4096, vocab_size = 32000, num_attention_heads = 32, intermediate_size = 11008 },
  ["meta-llama/Llama-2-70b-hf"] = { model_type = "llama", num_hidden_layers = 80,
    hidden_size = 8192, vocab_size = 32000, num_attention_heads = 64, num_key_value_heads = 8,
    intermediate_size = 28672 },
  ["codellama/CodeLlama-34b-Instruct-hf"] = { model_type = "llama", num_hidden_layers = 48,
    hidden_size = 8192, vocab_size = 32000, num_attention_heads = 64, num_key_value_heads = 8,
    intermediate_size = 22016 },
  ["01-ai/Yi-34B"] = { model_type = "llama", num_hidden_layers = 60, hidden_size = 7168,
    vocab_size = 64000, num_attention_heads = 56, num_key_value_heads = 8,
    intermediate_size = 20480 },
  ["google/gemma-3-12b-it"] = { model_type = "gemma3_text", num_hidden_layers = 48,
    hidden_size = 3840, vocab_size = 262144, num_attention_heads = 16, num_key_value_heads = 8,
    head_dim = 256, intermediate_size = 15360, sliding_window = 1024,
    tie_word_embeddings = true },
  ["Qwen/Qwen3-30B-A3B-Thinking-2507"] = qwen3_30b_a3b(),
  ["Qwen/Qwen3-235B-A22B-Instruct-2507-FP8"] = qwen3_235b(),
  ["Qwen/Qwen3-235B-A22B-Thinking-2507-FP8"] = qwen3_235b(),
  ["Qwen/Qwen3-235B-A22B-FP8"] = qwen3_235b(),
  ["meta-llama/Llama-4-Scout-17B-16E-Instruct"] = { model_type = "llama4_text",
    num_hidden_layers = 48, hidden_size = 5120, vocab_size = 202048, num_attention_heads = 40,
    num_key_value_heads = 8, head_dim = 128, intermediate_size = 8192,
    intermediate_size_mlp = 16384, num_local_experts = 16, num_experts_per_tok = 1,
    interleave_moe_layer_step = 1, attention_chunk_size = 8192 },
  ["mistralai/Mixtral-8x22B-Instruct-v0.1"] = { model_type = "mixtral", num_hidden_layers = 56,
    hidden_size = 6144, vocab_size = 32768, num_attention_heads = 48, num_key_value_heads = 8,
    intermediate_size = 16384, num_local_experts = 8, num_experts_per_tok = 2 },
}
