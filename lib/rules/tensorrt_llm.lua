--- Kernel rules: TensorRT-LLM and TensorRT engines. Fields and priorities: lib/rules.lua. Names of
-- fused attention and batched GEMMs are those of the kernels that come compiled with it.
local td = require "tandem"

return td.rules "tensorrt_llm" {
  about = "TensorRT-LLM plugins and kernels, TensorRT's generated kernels",
  extends = { "torch", "cuda_libraries" },
  { id = "all-reduce", match = "oneShotAllReduce|twoShotAllReduce|allreduce_fusion|"
    .. "AllReduceNormKernel|lamport|userbuffers|moeAllToAll|mnnvl",
    category = "communication", library = "tensorrt_llm", priority = 100,
    why = "all-reduce over peer memory, some with normalization" },
  { id = "decode-attention", match = "masked_multihead_attention|mmha|kernel_mha|\\bxqa|"
    .. "fmhaSm.*(Gen|SwapsMmaAb|MultiCtasKv)|multi_block_mmha",
    category = "attention", phase = "decode", library = "tensorrt_llm", priority = 11,
    why = "attention of one token a request" },
  { id = "attention", match = "fmha_v2|fmhaSm|\\bfmha|flash_attention_.*sm(80|86|89|90|100)",
    category = "attention", library = "tensorrt_llm", tensor_core = true, priority = 10,
    why = "fused attention of the generated families fmha_v2 and fmhaSm" },
  { id = "kv-rope", match = "applyBiasRopeUpdateKVCache|updateKVCache|updateSparseKVCache|"
    .. "setPagedKVCache|kvCacheCopy|copyBlock",
    category = "kv_cache", library = "tensorrt_llm", priority = 10,
    why = "rotary embedding and the write to the cache in one kernel" },
  { id = "moe-gemm",
    match = "moe.*[Gg]emm|[Gg]rouped[Gg]emm|MoeFCGemm|bmm_.*(swiGlu|dynBatch|E[245]m)",
    category = "moe_gemm", library = "tensorrt_llm", priority = 10,
    why = "products with the weights of experts" },
  { id = "moe-routing", match = "routing(Main|Indices|Renormalize|Llama4|DeepSeek)|"
    .. "customMoeRouting|buildExpertMaps|expandInputRows|finalizeMoeRouting|"
    .. "computeStridesTma|blockExpertPrefixSum|globalExpertPrefixSum|mergeExpertPrefixSum|"
    .. "threeStepBuildExpertMaps|doActivationKernel|finalizeKernelVecLoad",
    category = "moe_routing", library = "tensorrt_llm", priority = 11,
    why = "which tokens go to which expert, and back" },
  { id = "norm", match = "generalRmsNorm|generalLayerNorm|fusedQKNorm|rmsNormKernel|layernorm",
    category = "norm", why = "normalizations of its plugins" },
  { id = "quantize", match = "quantizeWithBlockSize|perTokenQuantization|scaleMatrixPerTok|"
    .. "scale_1x128|cvt_fp(16|32)_to_fp4|quantize_with_block|fp8_1x128_cs",
    category = "quantize", why = "activations to fp8 and fp4" },
  { id = "gemm", match = "weightOnlyBatchedGemv|fpA_intB|gemm_swiglu|bmm_|sm(90|100)_.*gemm|"
    .. "fp8_gemm|cuda_core_gemm|cudaCoreGemm|low_latency_gemm",
    category = "gemm", library = "tensorrt_llm", why = "its own GEMMs" },
  { id = "sampling", match = "topKStage|samplingKernel|topPBeamSearch|batchApplyPenalty|"
    .. "addBiasSoftMax|beamStage|airTopP|topPSsampling|curandInitialize|acceptDraftTokens",
    category = "sampling", library = "tensorrt_llm", priority = 10, why = "the next token" },
  { id = "tensorrt-pointwise", match = "generatedNativePointwise|__myl_|PointWiseV2|"
    .. "\\btrt_pointwise", category = "elementwise", library = "tensorrt",
    why = "pointwise operations that TensorRT fused" },
  { id = "tensorrt-reformat", match = "copyPackedKernel|copyVectorizedKernel|genericReformat|"
    .. "cuInt8::|permutationKernel", category = "layout", library = "tensorrt",
    why = "tensors from one format to another" },
  { id = "tensorrt-conv", match = "trt_(volta|turing|ampere|ada|hopper).*(conv|scudnn|fprop)|"
    .. "^trt_.*h884cudnn", category = "convolution", library = "tensorrt", priority = 10,
    why = "convolutions that TensorRT brings along" },
  { id = "library", match = "tensorrt_llm|trtllm", library = "tensorrt_llm",
    why = "its namespace" },
  { id = "library-tensorrt", match = "^trt_|nvinfer", library = "tensorrt", why = "its prefix" },
}
