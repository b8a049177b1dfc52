--- Kernel rules: SGLang, with FlashInfer, its usual attention. Fields and priorities:
-- lib/rules.lua.
local td = require "tandem"

return td.rules "sglang" {
  about = "SGLang: sgl-kernel, its Triton kernels, FlashInfer, DeepGEMM, DeepEP",
  extends = { "vllm" },
  { id = "expert-parallel", match = "deep_ep::|(intranode|internode)(_ll)?::(dispatch|combine|"
    .. "notify|cached_notify)", category = "communication", library = "deep_ep", priority = 100,
    why = "tokens to the GPUs of their experts and back" },
  { id = "flashinfer-allreduce", match = "flashinfer::(trtllm_)?(allreduce|comm)|sgl.*all_?reduce",
    category = "communication", library = "flashinfer", priority = 100,
    why = "all-reduce over peer memory" },
  { id = "kv-indices", match = "create_flashinfer_kv_indices|create_flashmla_kv_indices|"
    .. "get_num_kv_splits|write_req_to_token|assign_req_to_token|assign_extend_cache|"
    .. "alloc_(extend|decode)_kernel|compute_position|clamp_position|resolve_future_token|"
    .. "create_extend_after_decode|build_tree_kernel|get_last_loc|compute_cuda_kernel",
    category = "input_preparation", library = "sglang", priority = 10,
    why = "tables of pages and positions for the next step" },
  { id = "kv-store", match = "store_kv_?cache|set_kv_buffer|set_mla_kv|copy_all_layer_kv|"
    .. "transfer_kernel_impl|AppendPagedKVCache",
    category = "kv_cache", library = "sglang", priority = 10,
    why = "writing keys and values, moving them between host and GPU" },
  { id = "flashinfer-prefill",
    match = "BatchPrefillWith|SinglePrefillWith|PrefillWithKVCacheKernel",
    category = "attention", library = "flashinfer", phase = "prefill",
    why = "FlashInfer on prompts" },
  { id = "flashinfer-decode", match = "BatchDecodeWith|SingleDecodeWith|DecodeWithKVCache",
    category = "attention", library = "flashinfer", phase = "decode",
    why = "FlashInfer on one token a request" },
  { id = "flashinfer-merge", match = "flashinfer::.*(Merge|VariableLengthMerge|PersistentVariable)",
    category = "attention", library = "flashinfer", why = "partial results of split attention" },
  { id = "triton-attention", match = "^_fwd_kernel|_fwd_kernel_stage[12]|_fwd_grouped_kernel|"
    .. "extend_attention|decode_attention",
    category = "attention", library = "sglang", why = "the Triton backend" },
  { id = "rope", match = "BatchQKApplyRotary|ApplyRope|fused_rope|fused_qk_norm_rope",
    category = "rope", why = "rotary position embedding of FlashInfer" },
  { id = "norm", match = "RMSNormKernel|FusedAddRMSNorm|GemmaRMSNorm|_norm_kernel",
    category = "norm", why = "normalizations of FlashInfer and sgl-kernel" },
  { id = "sampling", match = "TopKTopPSampling|TopPSampling|TopKSampling|MinPSampling|"
    .. "SamplingFromProb|TopKRenorm|TopPRenorm|TopKMask|ChainSpeculative|TreeSpeculative",
    category = "sampling", library = "flashinfer", priority = 10, why = "FlashInfer's samplers" },
  { id = "deep-gemm", match = "deep_gemm::|fp8_gemm_kernel|sm(90|100)_fp8_gemm|"
    .. "fp8_blockwise_scaled_mm", category = "gemm", library = "deep_gemm", tensor_core = true,
    why = "GEMMs with scales by block" },
  { id = "deep-gemm-moe", match = "deep_gemm::.*(Grouped|grouped|Masked|Contiguous)|"
    .. "m_grouped_", category = "moe_gemm", library = "deep_gemm", priority = 10,
    tensor_core = true, why = "the same for experts" },
  { id = "moe-routing", match = "moe_fused_gate|biased_grouped_topk|ep_(scatter|gather|moe)|"
    .. "deepep_|compute_(seg_indptr|src2dst|m_range|masked_m)|pre_reorder|post_reorder|"
    .. "fill_gateup_input|silu_and_mul_(masked_)?post_per_tensor",
    category = "moe_routing", library = "sglang", priority = 10,
    why = "which tokens go to which expert, and back" },
  { id = "library", match = "sgl_(kernel|hip)|sglang", library = "sglang",
    why = "namespaces of sgl-kernel" },
  { id = "flashinfer", match = "flashinfer", library = "flashinfer", why = "its namespace" },
}
