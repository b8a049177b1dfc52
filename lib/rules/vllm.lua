--- Kernel rules: vLLM. Fields and priorities: lib/rules.lua. Names as vLLM's own sources and its
-- Triton kernels spell them; what it calls from libraries comes from the packs it extends.
local td = require "tandem"

return td.rules "vllm" {
  about = "vLLM: its own CUDA, HIP and Triton kernels",
  extends = { "torch", "amd", "cuda_libraries" },
  { id = "custom-all-reduce", match = "cross_device_reduce|vllm::.*all_?reduce|quick_?reduce",
    category = "communication", library = "vllm", priority = 100,
    why = "vLLM's all-reduce over peer memory for small messages" },
  { id = "moe-gemm", match = "fused_moe_kernel|_matmul_ogs_|moe_wna16|moe.*(marlin|gemm|wgmma)|"
    .. "GroupProblemShape|_?group_gemm|fused_experts|batched_triton_kernel|bmm_.*(moe|swiglu|dynB)",
    category = "moe_gemm", priority = 10,
    why = "products with the weights of experts: Triton's fused kernel, gpt-oss's matmul_ogs, "
      .. "grouped GEMMs of CUTLASS" },
  { id = "moe-group-starts", match = "group_gemm_starts|get_group_gemm|expert_offsets",
    category = "moe_routing", priority = 11, why = "pointers and offsets for a grouped GEMM" },
  { id = "moe-routing", match = "topk_?[Gg]ating|topkGating|topk_softmax|topk_sigmoid|"
    .. "grouped_topk|moe_align_block|count_and_sort_expert|moe_sum|moe_(un)?permute|"
    .. "_topk_forward|_combined_routing|_sum_bitmatrix_rows|_compute_writeback_idx|"
    .. "_finalize_matmul_scatter|expandInputRows|finalizeMoeRouting|shuffleInputRows",
    category = "moe_routing", priority = 10,
    why = "which tokens go to which expert, and back" },
  { id = "kv-cache", match = "reshape_and_cache|concat_and_cache|gather_(and_.*)?cache|"
    .. "copy_blocks|swap_blocks|convert_fp8_kernel",
    category = "kv_cache", library = "vllm", priority = 10, why = "writing keys and values to "
      .. "their pages" },
  { id = "attention", match = "paged_attention|unified_attention|merge_attn_states|"
    .. "reduce_segments|_fwd_grouped_kernel|context_attention|_vllm_fa[234]|flash_mla|"
    .. "mla_(decode|combine)|prepare_varlen|cutlass_mla|triton_attn|lightning_attn",
    category = "attention", why = "paged and unified attention, its split reductions, MLA" },
  { id = "linear-attention", match = "selective_scan|causal_conv1d|_chunk_(scan|state|cumsum)|"
    .. "chunk_gated_delta|_state_passing|_bmm_chunk|chunk_fwd_kernel|fused_recurrent|"
    .. "l2norm_fwd|recompute_w_u|chunk_local_cumsum|solve_tril",
    category = "linear_attention", priority = 10, why = "Mamba, gated delta rule and their kin" },
  { id = "rope", match = "rotary_embedding|_rotary_kernel|Rotary|rope_kernel|_triton_.*rope",
    category = "rope", why = "rotary position embedding" },
  { id = "norm", match = "rms_?norm|RMSNorm|fused_add_rms|layernorm_kernel|_layer_norm_fwd",
    category = "norm", why = "vLLM's own normalizations, some with quantization" },
  { id = "activation", match = "act_and_mul|silu_and_mul|swigluoai|_swiglu|activation_kernel",
    category = "activation", why = "gated activations of the MLP" },
  { id = "quantize", match = "scaled_(fp8|int8|fp4)_quant|per_token_(group_)?quant|"
    .. "_quant_fp8|fp8_quant|cvt_fp16_to_fp4|silu_mul_.*quant|segmented_max_reduction|"
    .. "downcast_to_mxfp|upcast_from_mxfp",
    category = "quantize", why = "activations to fp8, int8 and fp4" },
  { id = "quantized-gemm", match = "[Mm]arlin|machete|awq_gemm|gptq.*gemm|_w8a8_|block_fp8|"
    .. "gemm_fp8_blockwise|scaled_mm|wvSplitK|LLGemm|exl2|gemm_half_q_half",
    category = "gemm", why = "GEMMs on packed or scaled weights" },
  { id = "sampling", match = "apply_(repetition_)?penalt|_topk_topp|top_k_top_p|rejection_|"
    .. "_sample_recovered|expand_kernel.*sampl|bincount|gumbel|_min_p|_temperature_kernel|"
    .. "apply_grammar_bitmask|_ranks_kernel|logprobs",
    category = "sampling", why = "the next token: penalties, top-k and top-p, speculative checks" },
  { id = "input", match = "advance_step|prepare_inputs|_prepare_|eagle_prepare|"
    .. "compute_slot_mapping|_gather_block_tables|copy_page_indices|_post_update",
    category = "input_preparation", why = "the batch of the next step, made on the GPU" },
  { id = "lora", match = "_lora_(shrink|expand)|bgmv_|sgmv_", category = "lora", priority = 10,
    why = "low-rank adapters" },
  { id = "library", match = "\\bvllm::|_vllm_", library = "vllm",
    why = "the C++ namespace of vLLM" },
}
