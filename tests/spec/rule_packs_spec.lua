--- The shipped packs of kernel rules, on names of real kernels: from captures of tests/data, and
--- for engines without one here, names as their kernels are known.
local choose = require "tandem.categories.choose"
local fixture = require "tests.spec.support.analysis_fixture"
local packs = require "lib.rules"

-- By pack: category → beginnings or whole names of real kernels.
local KNOWN <const> = {
  vllm = {
    moe_gemm = { "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu", "fused_moe_kernel",
      "void cutlass::device_kernel<GroupProblemShape<cute::tuple<int, int, int>>>" },
    moe_routing = { "_combined_routing_compute", "_topk_forward", "_sum_bitmatrix_rows",
      "_finalize_matmul_scatter_bf16",
      "void vllm::moe::topkGatingSoftmax<8, 128, 4, 16, int>(float const*, bool const*)" },
    attention = { "kernel_unified_attention_2d", "kernel_unified_attention_3d", "reduce_segments",
      "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>>",
      "void vllm::paged_attention_v1_kernel<unsigned short, unsigned short, 128, 16, 128>" },
    kv_cache = { "void vllm::reshape_and_cache_flash_kernel<__hip_bfloat16, __hip_bfloat16>" },
    rope = { "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)" },
    norm = { "void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*)",
      "triton_red_fused_add_mean_mul_pow_rsqrt_0" },
    activation = { "void vllm::act_and_mul_kernel<c10::BFloat16, &vllm::silu_kernel>" },
    quantize = { "void vllm::dynamic_scaled_fp8_quant_kernel<c10::BFloat16>(float*)" },
    gemm = { "void marlin::Marlin<__nv_bfloat16, 256, 1, 8, 8, 4>", "nvjet_tst_128x256_64x4_1x2_h",
      "cutlass::device_kernel<vllm::cutlass_3x_gemm_fp8_blockwise<cute::tuple<int>>>" },
    communication = { "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(RankData*)",
      "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)" },
    elementwise = { "triton_poi_fused_constant_pad_nd_moe_forward_0" },
    memcpy = { "[CUDA memcpy Host-to-Device]" },
  },
  sglang = {
    input_preparation = { "create_flashinfer_kv_indices_triton",
      "void (anonymous namespace)::clamp_position_kernel<long>(long*, long const*)",
      "void (anonymous namespace)::resolve_future_token_ids_kernel<long>(long*)" },
    kv_cache = { "void (anonymous namespace)::store_kvcache<2048l, 4, false, long>(Params)" },
    activation = { "_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_E" },
    attention = { "void flashinfer::BatchPrefillWithPagedKVCacheKernel<KTraits, Params>",
      "void flashinfer::BatchDecodeWithPagedKVCacheKernel<2u, 4u, 8u>", "_fwd_kernel_stage2",
      "_fwd_grouped_kernel_stage1", "_fwd_kernel" },
    norm = { "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>" },
    sampling = { "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u>" },
    gemm = { "void deep_gemm::fp8_gemm_kernel<7168u, 2048u, 128u>" },
    communication = { "void deep_ep::internode_ll::dispatch<true, 7168>(void*, float*)" },
  },
  tensorrt_llm = {
    attention = { "fmhaSm100aKernel_QkvBfloat16OBfloat16H128PagedKvCausalVarSeqQ128Kv128Persistent",
      "fmha_v2_flash_attention_bf16_64_128_S_qkv_128_causal_sm90_kernel",
      "void tensorrt_llm::kernels::mmha::masked_multihead_attention_kernel<__half, 128>" },
    communication = { "void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 8>",
      "void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_oneshot_lamport<8>" },
    kv_cache = { "void tensorrt_llm::kernels::applyBiasRopeUpdateKVCacheV2<__half, 128>" },
    moe_routing = { "void tensorrt_llm::kernels::expandInputRowsKernel<__half, __half>",
      "void tensorrt_llm::kernels::finalizeMoeRoutingKernel<__half>" },
    norm = { "void tensorrt_llm::kernels::generalRmsNorm<__half2, signed char>" },
    gemm = { "void tensorrt_llm::kernels::weight_only::fpA_intB_gemv<Details, 1>",
      "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute" },
    sampling = { "void tensorrt_llm::kernels::topKStage1<float, 128, 8>" },
    elementwise = { "generatedNativePointwise" },
  },
  jax = {
    gemm = { "gemm_fusion_dot_12", "triton_gemm_dot_4", "cutlass_80_tensorop_s1688gemm_64x64" },
    softmax = { "triton_softmax_5" },
    reduce = { "input_reduce_fusion_3", "loop_multiply_reduce_fusion" },
    layout = { "wrapped_transpose", "input_transpose_fusion_1", "loop_transpose_fusion" },
    elementwise = { "loop_add_fusion", "fusion_42", "loop_multiply_fusion_7", "wrapped_add" },
    copy_kernel = { "loop_convert_fusion", "wrapped_convert", "copy_fusion_1" },
    fill = { "loop_broadcast_fusion", "wrapped_iota" },
    indexing = { "input_scatter_fusion", "loop_dynamic_update_slice_fusion_2", "wrapped_gather" },
    concat = { "input_concatenate_fusion" },
    communication = { "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)" },
  },
  torch = {
    elementwise = { "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add"
      .. "<float>, at::detail::Array<char*, 3> >(int)", "triton_poi_fused_0",
      "triton_poi_fused__scaled_dot_product_flash_attention_cat_transpose_view_10" },
    reduce = { "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
      .. "at::native::MaxOps<float>, unsigned int, float, 4> >" },
    norm = { "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>",
      "triton_red_fused_add_addmm_mul_native_layer_norm_split_unsqueeze_view_6" },
    softmax = { "void (anonymous namespace)::softmax_warp_backward<float, float, 10, true>" },
    activation = { "triton_poi_fused_addmm_gelu_view_15",
      "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(X)>" },
    rope = { "triton_poi_fused_add_cos_sin_0" },
    concat = { "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int>" },
    fill = { "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<long> >" },
    indexing = { "void at::native::(anonymous namespace)::indexSelectLargeIndex<float, int>",
      "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*)" },
    embedding = { "void split_embedding_codegen_forward_weighted_kernel<float, float, long>" },
    optimizer = { "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float> >" },
    loss = { "void cunn_ClassNLLCriterion_updateOutput_kernel<float, float>(float*, float*)" },
    attention = { "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64> >",
      "attn_fwd" },
    random = { "void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, float>" },
    pooling = { "void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>" },
    wait = { "at::cuda::(anonymous namespace)::spin_kernel(long)" },
  },
  amd = {
    gemm = { "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT16x16x256_MI16x16x1_SN_LDSB1" },
    convolution = { "Im2d2Col_v2",
      "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2",
      "_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3I" },
    layout = { "batched_transpose_16x32_half", "SubTensorOpWithScalar1d" },
    norm = { "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEvPT0_PT_",
      "_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOnePassINS_27Rmsnorm" },
    attention = { "void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16>" },
    scan = { "void rocprim::ROCPRIM_400200_NS::detail::trampoline_kernel<rocprim::"
      .. "ROCPRIM_400200_NS::detail::wrapped_scan_config<rocprim::default_config, long>" },
    memcpy = { "__amd_rocclr_copyBuffer" },
  },
  cuda_libraries = {
    memcpy = { "[CUDA memcpy Device-to-Host]", "Memcpy HtoD (Pageable -> Device)" },
    memset = { "[CUDA memset]", "Memset (Device)" },
    communication = { "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)" },
    gemm = { "ampere_sgemm_128x64_nn", "volta_sgemm_32x32_sliced1x4_tn",
      "void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, true>",
      "void magma_sgemmEx_kernel<float, float, float, true, false, 6, 4, 6, 3, 4>(int)",
      "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 2, 2, false>" },
    convolution = { "cudnn_infer_volta_scudnn_128x64_relu_small_nn_v1",
      "void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1, false, true, true>(int)",
      "void fft2d_r2c_32x32<float, false, 0u, false>(float2*, float const*, int)",
      "sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16",
      "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(Params)" },
    norm = { "void cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>(cudnn::Args)" },
    layout = { "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(Params)" },
    sort = { "void cub::DeviceRadixSortHistogramKernel<cub::DeviceRadixSortPolicy<long> >" },
    scan = { "void cub::DeviceScanKernel<cub::AgentScanPolicy<128, 15, int> >" },
  },
}

-- Names and what is known of them besides their category.
local LABELS <const> = {
  { "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT", { library = "cublas", tensor_core = true } },
  { "ampere_sgemm_128x64_nn", { library = "cublas", dtype = "fp32", tensor_core = false } },
  { "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8>",
    { library = "cutlass", dtype = "bf16", tensor_core = true } },
  { "void cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>",
    { library = "cutlass", dtype = "fp32", tensor_core = false } },
  { "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3_warpsize1x4x1_ffma_aligna4_"
    .. "alignc4_execute_kernel__5x_cublas", { library = "cublas", dtype = "fp32",
    tensor_core = false } },
  { "sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x64x64_"
    .. "stage4_warpsize2x2x1_g1_tensor16x8x8_execute_kernel_cudnn_train",
    { library = "cudnn", dtype = "tf32", tensor_core = true, phase = "backward" } },
  { "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x64x128_MI16x16x1_SN",
    { library = "tensile", dtype = "bf16", tensor_core = true } },
  { "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true>(float*)",
    { phase = "forward", dtype = "fp32" } },
}

describe("the shipped packs of kernel rules", function()
  for _, pack in ipairs(packs) do
    it("know real kernels: " .. pack.name, function()
      local rules = assert(choose.rules { engine = pack.name })
      local all = assert(choose.rules {})
      local known = assert(KNOWN[pack.name])
      for _, category in ipairs(require("tandem.text.nearest").sorted_keys(known)) do
        for _, name in ipairs(known[category]) do
          assert.equal(category, rules.set:match(name).category, name)
          assert.equal(category, all.set:match(name).category, name .. ", all packs")
        end
      end
    end)

    it("say why, and no category that others do not know: " .. pack.name, function()
      local listed = {}
      local file = assert(io.open "lib/rules.lua")
      local words = file:read("a"):match "Categories are the same words.-wait%."
      file:close()
      for word in words:gmatch "[%l_]+" do listed[word] = true end
      for _, rule in ipairs(pack.rules) do
        assert.is_string(rule.why, rule.id)
        assert.is_truthy(rule.category == nil or listed[rule.category], rule.category)
        assert.is_nil(rule.match:find "^%.%*$")
      end
    end)
  end

  it("know library, type, tensor cores and phase by the name", function()
    local rules = assert(choose.rules {})
    for _, case in ipairs(LABELS) do
      local labels = rules.set:match(case[1])
      for key, value in pairs(case[2]) do
        assert.equal(value, labels[key], case[1] .. ": " .. key)
      end
    end
  end)

  it("leave none of the captures' time unmatched", function()
    local captures = { "kineto/inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz",
      "kineto/inference__vllm_prefilldecode_piecewise__graph_execution.json.gz",
      "kineto/mi300__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
      "kineto/timeline_analysis__sampled_rank-0.json.gz", "nsys/h100_2gpu_1s.sqlite.gz" }
    local data = fixture.new(table.unpack(captures))
    for _, capture in ipairs(captures) do
      for _, time in ipairs(data:run(capture):categories():frame("time").rows) do
        assert.equal(0, time.unmatched_ns, capture)
        assert.is_true(time.gpu_ns > 0)
      end
    end
    data:remove()
  end)
end)
