--- Kernel rules: PyTorch, eager and compiled. Fields and priorities: lib/rules.lua. Eager kernels
-- carry at::native::, compiled ones the operations that were fused: triton_poi_fused_add_relu_0
-- (poi: pointwise, red and per: reductions, tem: a template).
local td = require "tandem"

return td.rules "torch" {
  about = "PyTorch: ATen, its fused attention, optimizers, Inductor's Triton, FBGEMM",
  extends = { "amd", "cuda_libraries" },
  { id = "symmetric-memory", match = "(multimem|one_shot|two_shot)_(all_|reduce_)|symm_mem|"
    .. "multimem_", category = "communication", library = "torch", priority = 100,
    why = "collectives of torch's symmetric memory" },
  { id = "flash-attention", match = "pytorch_flash::|\\bflash_(fwd|bwd)|FlashAttn(Fwd|Bwd)|"
    .. "flash::(enable|compute|convert|flash)|^attn_(fwd|bwd)|fmha_cutlass[FB]|"
    .. "AttentionKernel<|efficient_attention|_scaled_dot_product_.*_kernel",
    category = "attention", priority = 10,
    why = "scaled_dot_product_attention: FlashAttention, memory-efficient, AOTriton" },
  { id = "flex-attention", match = "triton_tem_fused_.*flex_attention|flex_decoding",
    category = "attention", library = "inductor", priority = 13, why = "FlexAttention's template" },
  { id = "inductor-gemm", match = "^triton_tem_fused|^triton_mm|^triton_bmm|^extern_kernels",
    category = "gemm", library = "inductor", priority = 13, why = "Inductor's GEMM templates" },
  { id = "inductor-norm", match = "^triton_\\w*fused.*(layer_norm|rms_norm|group_norm|batch_norm|"
    .. "mean_mul_pow_rsqrt|pow_rsqrt|rsqrt.*mean|mean.*rsqrt)", category = "norm",
    library = "inductor", priority = 12,
    why = "normalizations, written out or named, fused with neighbours" },
  { id = "inductor-softmax", match = "^triton_(red|per)_fused.*softmax", category = "softmax",
    library = "inductor", priority = 12, why = "softmax fused with neighbours" },
  { id = "inductor-rope", match = "^triton_poi_fused.*(cos.*sin|sin.*cos)", category = "rope",
    library = "inductor", priority = 12,
    why = "sine and cosine in one kernel: rotary or sinusoidal positions" },
  { id = "inductor-activation", match = "^triton_poi_fused.*(silu|gelu|relu|sigmoid|swiglu)",
    category = "activation", library = "inductor", priority = 12,
    why = "an activation and its neighbours" },
  { id = "inductor-reduce", match = "^triton_(red|per|split_scan)_", category = "reduce",
    library = "inductor", priority = 11, why = "any other fused reduction" },
  { id = "inductor-pointwise", match = "^triton_(poi|for|unk)_", category = "elementwise",
    library = "inductor", priority = 11, why = "any other fused pointwise work" },
  { id = "inductor", match = "^triton_(poi|red|per|tem|for|unk)_", library = "inductor",
    why = "Inductor's prefixes" },
  { id = "triton", match = "^triton_", category = "triton", library = "triton", priority = -10,
    why = "a Triton kernel whose name says no more" },
  { id = "softmax", match = "soft_?max|SoftMax", any_case = true, category = "softmax",
    why = "softmax, forward and backward" },
  { id = "norm", match = "layer_norm|LayerNorm|GroupNorm|group_?norm|batch_?norm|BatchNorm|"
    .. "RowwiseMoments|GammaBeta|rms_?norm|RmsNorm|ComputeFusedParams|WelfordOps|"
    .. "ComputeInternalGradients", category = "norm", priority = 1,
    why = "ATen's normalizations and the moments they need" },
  { id = "embedding", match = "split_embedding|embedding_(bag|backward)|EmbeddingBag|"
    .. "bounds_check_indices|linearize_index|permute_pooled_embs|tbe_|compute_grad_weight",
    category = "embedding", priority = 10, why = "embedding tables, FBGEMM's and ATen's" },
  { id = "fbgemm-quantize", match = "fbgemm_gpu::.*(FP8|hfp8|bfloat16|quantize|rowwise)",
    category = "quantize", library = "fbgemm", priority = 10, why = "quantized communication" },
  { id = "fbgemm-indexing", match = "fbgemm_gpu::|recat_|to_dense_representation|block_bucketize",
    category = "indexing", library = "fbgemm", why = "sparse features permuted and padded" },
  { id = "optimizer", match = "AdamFunctor|FusedAdam|[Ff]usedAdam|fused_adam|FusedSgd|FusedSGD|"
    .. "adagrad_update|LAMB|multi_tensor_apply_kernel<.*(Adam|Sgd|Adagrad|Lamb|Novograd)",
    category = "optimizer", phase = "optimizer", priority = 11,
    why = "fused optimizer steps, torch's and Apex's" },
  { id = "foreach", match = "multi_tensor_apply_kernel", category = "elementwise",
    why = "an operation over a list of tensors" },
  { id = "loss", match = "nll_loss|NLLCriterion|cross_entropy|mse_loss|smooth_l1|ctc_loss",
    category = "loss", priority = 2, why = "loss functions" },
  { id = "concat", match = "CatArrayBatchedCopy", category = "concat", why = "torch.cat" },
  { id = "random", match = "distribution_(elementwise|nullary)|[Dd]ropout|bernoulli|philox|"
    .. "random_from_to|normal_and_transform|exponential_kernel|multinomial|randperm",
    category = "random", priority = 2, why = "random numbers and dropout" },
  { id = "sort", match = "bitonicSort|radixSort|RadixSort|sort_postprocess|gatherTopK|sbtopk|"
    .. "mbtopk|radixFindKth|searchsorted|kthvalue|SegmentedSort|unique_", category = "sort",
    priority = 2, why = "sorting, top-k, searching" },
  { id = "indexing", match = "index_(elementwise|put|copy|select|add|fill)|indexSelect|indexFunc|"
    .. "index_kernel|gather_kernel|_scatter_gather|scatter_kernel|masked_(select|scatter)|"
    .. "krn_partial|take_|roll_cuda|flip_|tril|triu|nonzero|IndexToOffset_copy",
    category = "indexing", priority = 1, why = "elements picked or placed by index" },
  { id = "scan", match = "cumsum|cumprod|scan_(innermost|outer)|tensor_kernel_scan",
    category = "scan", priority = 1, why = "running sums" },
  { id = "pooling", match = "max_pool|avg_pool|average_pool|AvgPool|MaxPool|upsample_|"
    .. "interpolate|grid_sampl|im2col|col2im", category = "pooling", priority = 1,
    why = "windows over images: pooling, resampling" },
  { id = "convolution", match = "conv_depthwise|DepthwiseConv|slow_conv|at::native::.*conv[123]d",
    category = "convolution", priority = 1, why = "ATen's own convolutions" },
  { id = "fill", match = "FillFunctor|arange_cuda|fill_kernel|linspace|eye_kernel|zero_kernel",
    category = "fill", why = "constants and ranges" },
  { id = "copy-kernel", match = "direct_copy_kernel|copy_device_to_device|bfloat16\\w*_copy|"
    .. "float16_copy|float8_copy|CopyFunctor|UnaryOpFunctor<.*Copy<|copy_kernel|contiguous_copy",
    category = "copy_kernel", why = "copies between layouts and types" },
  { id = "activation", match = "[Gg]elu|silu|[Rr]elu|sigmoid|hardswish|hardtanh|leaky|elu_kernel|"
    .. "mish|softplus|threshold_kernel|log_sigmoid|glu_kernel", category = "activation",
    why = "activation functions, forward and backward" },
  { id = "reduce", match = "reduce_kernel|ReduceOp<|ReduceAdd|reduction_prod|mean_kernel|"
    .. "norm_kernel|argm(ax|in)", category = "reduce", why = "reductions" },
  { id = "elementwise", match = "elementwise|pointwise|CUDAFunctor|BinaryFunctor|UnaryFunctor|"
    .. "compare_scalar|where_kernel|bitwise", category = "elementwise", priority = -5,
    why = "any other work element by element" },
  { id = "spin", match = "spin_kernel|cuda_sleep", category = "wait",
    why = "torch.cuda._sleep: a kernel that waits" },
  { id = "library-fbgemm", match = "fbgemm_gpu::|split_embedding_", library = "fbgemm",
    why = "its namespace and generated names" },
  { id = "library", match = "at::native|at::cuda|c10::|pytorch_flash", library = "torch",
    priority = -5, why = "ATen's namespaces" },
  { id = "backward", match = "[Bb]ackward|_bwd|GradInput|grad_input|_grad_|dgrad|wgrad|_bw_",
    phase = "backward", why = "words for gradients" },
  { id = "forward", match = "[Ff]orward|_fwd|fprop|updateOutput|_fw_", phase = "forward",
    priority = -5, why = "words for results" },
}
