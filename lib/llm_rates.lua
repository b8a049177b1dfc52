--- Constants of the roofline by GPU and engine, from measurements; made by
-- tests/accuracy/calibrate/run.lua, which says how, from 3324 points of 362 configurations and the
-- kernel tables of ai-dynamo/aiconfigurator @ 095f58a51 (Apache-2.0). Do not edit.
--
-- `gpus`: `constants`, `root`: which of those above; `points`, `configurations`: how many measured
-- this GPU with this engine; `near`: how many GPUs of its architecture were measured; `kernels`:
-- the engine's version whose kernels were measured on it. "": a GPU that nobody knows. `roots`: the
-- covariance of the logarithms of `parameters` is the sum of the vectors' outer products; see
-- written.lua there. `models`: factors on all times of models, by their sizes (rates.fingerprint):
-- with any engine, with one; `served`: with one on a GPU in a precision. Each beside the standard
-- deviation of its logarithm. …_spread: standard deviations of logarithms of what nobody knows of a
-- deployment before it is measured: of its own factor, of a batch beside others, and of models and
-- architectures that were not measured; `request_spread`: of request_s, by engine. `versions`:
-- factors of versions of an engine (its first two numbers; any: nobody says which),
-- `version_spread` of others. Read by tandem.llm.rates.

return {
  date = "2026-11-26",
  parameters = {
    "matrix", "expert", "slices", "attention", "weights", "experts_read", "cache", "excess",
    "layer", "quantize_8", "quantize_4", "expert_layer", "sequence", "link_start", "link",
  },
  configuration_spread = { dense = 0.04, moe = 0.155 },
  model_spread = 0.106,
  shape_spread = 0.085,
  architecture_spread = 0.27,
  version_spread = 0.0938,
  request_spread = { vllm = 0.252, sglang = 0.839, trtllm = 0.839 },
  models = {
    ["24x2880-201088-32"] = {
      any = { 0.992, 0.066 }, trtllm = { 0.985, 0.064 },
    },
    ["28x3584-152064-0"] = {
      any = { 1.007, 0.066 }, vllm = { 1.014, 0.065 },
    },
    ["32x4096-128256-0"] = {
      any = { 1.026, 0.065 }, vllm = { 1.029, 0.062 }, sglang = { 1.050, 0.063 },
      trtllm = { 1.024, 0.063 },
    },
    ["32x4096-32000-0"] = {
      any = { 1.000, 0.066 }, vllm = { 1.000, 0.065 },
    },
    ["32x4096-32000-8"] = {
      any = { 0.988, 0.066 }, vllm = { 0.977, 0.064 },
    },
    ["36x2880-201088-128"] = {
      any = { 0.973, 0.064 }, vllm = { 0.953, 0.059 }, trtllm = { 0.969, 0.060 },
    },
    ["36x4096-151936-0"] = {
      any = { 1.002, 0.066 }, vllm = { 1.004, 0.063 },
    },
    ["40x5120-131072-0"] = {
      any = { 0.996, 0.066 }, vllm = { 0.993, 0.064 },
    },
    ["40x5120-151936-0"] = {
      any = { 1.002, 0.065 }, vllm = { 1.005, 0.062 },
    },
    ["48x2048-151936-128"] = {
      any = { 0.996, 0.066 }, trtllm = { 0.993, 0.063 },
    },
    ["48x3840-262144-0"] = {
      any = { 0.996, 0.066 }, vllm = { 0.993, 0.063 },
    },
    ["48x5120-202048-128"] = {
      any = { 0.990, 0.066 }, trtllm = { 0.981, 0.064 },
    },
    ["48x5120-202048-16"] = {
      any = { 1.022, 0.066 }, vllm = { 1.044, 0.063 },
    },
    ["48x8192-32000-0"] = {
      any = { 0.997, 0.066 }, vllm = { 0.993, 0.063 },
    },
    ["56x6144-32768-8"] = {
      any = { 0.994, 0.066 }, vllm = { 0.989, 0.064 },
    },
    ["60x4096-248320-512"] = {
      any = { 0.993, 0.065 }, sglang = { 0.986, 0.059 },
    },
    ["60x7168-64000-0"] = {
      any = { 1.001, 0.066 }, vllm = { 1.003, 0.064 },
    },
    ["61x7168-129280-256"] = {
      any = { 0.999, 0.064 }, vllm = { 1.015, 0.063 }, sglang = { 0.986, 0.058 },
      trtllm = { 0.995, 0.058 },
    },
    ["61x7168-163840-384"] = {
      any = { 0.973, 0.065 }, vllm = { 0.961, 0.060 }, trtllm = { 0.960, 0.063 },
    },
    ["62x3072-200064-256"] = {
      any = { 0.984, 0.065 }, vllm = { 0.970, 0.058 },
    },
    ["64x5120-151936-0"] = {
      any = { 1.014, 0.065 }, vllm = { 1.015, 0.063 }, sglang = { 1.016, 0.063 },
      trtllm = { 1.025, 0.062 },
    },
    ["78x6144-154880-256"] = {
      any = { 1.040, 0.065 }, sglang = { 1.079, 0.061 },
    },
    ["80x8192-128256-0"] = {
      any = { 0.960, 0.064 }, vllm = { 0.936, 0.058 }, trtllm = { 0.949, 0.060 },
    },
    ["80x8192-32000-0"] = {
      any = { 1.004, 0.066 }, vllm = { 1.007, 0.064 },
    },
    ["94x4096-151936-128"] = {
      any = { 1.011, 0.064 }, vllm = { 1.051, 0.061 }, sglang = { 0.997, 0.062 },
      trtllm = { 0.998, 0.061 },
    },
  },
  served = {
    ["24x2880-201088-32 trtllm"] = {
      ["B200 mxfp4"] = { 0.984, 0.060 }, ["GB200 mxfp4"] = { 0.982, 0.060 },
      ["H100 SXM mxfp4"] = { 0.959, 0.058 }, ["H200 SXM mxfp4"] = { 0.993, 0.059 },
    },
    ["28x3584-152064-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.035, 0.053 },
    },
    ["32x4096-128256-0 sglang"] = {
      ["H200 SXM fp8"] = { 1.124, 0.047 },
    },
    ["32x4096-128256-0 trtllm"] = {
      ["H100 SXM bf16"] = { 1.018, 0.044 },
    },
    ["32x4096-128256-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.034, 0.043 }, ["L40S bf16"] = { 1.034, 0.054 },
    },
    ["32x4096-32000-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.000, 0.052 },
    },
    ["32x4096-32000-8 vllm"] = {
      ["H100 SXM bf16"] = { 0.944, 0.047 },
    },
    ["36x2880-201088-128 trtllm"] = {
      ["B200 mxfp4"] = { 0.890, 0.039 }, ["GB200 mxfp4"] = { 0.985, 0.056 },
      ["H100 SXM mxfp4"] = { 1.000, 0.056 }, ["H200 SXM mxfp4"] = { 0.995, 0.039 },
    },
    ["36x2880-201088-128 vllm"] = {
      ["B200 mxfp4"] = { 0.909, 0.038 }, ["H100 SXM mxfp4"] = { 0.920, 0.039 },
      ["H200 SXM mxfp4"] = { 0.970, 0.042 },
    },
    ["36x4096-151936-0 vllm"] = {
      ["B200 bf16"] = { 1.040, 0.054 }, ["H100 SXM bf16"] = { 0.976, 0.052 },
    },
    ["40x5120-131072-0 vllm"] = {
      ["H100 SXM bf16"] = { 0.983, 0.050 },
    },
    ["40x5120-151936-0 vllm"] = {
      ["A100 80GB SXM bf16"] = { 1.031, 0.053 }, ["B200 bf16"] = { 0.996, 0.052 },
      ["H100 SXM bf16"] = { 0.995, 0.044 },
    },
    ["48x2048-151936-128 trtllm"] = {
      ["B200 fp4"] = { 0.987, 0.057 }, ["GB200 fp4"] = { 1.004, 0.058 },
      ["RTX PRO 6000 Server fp4"] = { 0.979, 0.053 },
    },
    ["48x3840-262144-0 vllm"] = {
      ["B200 bf16"] = { 0.998, 0.054 }, ["H100 SXM bf16"] = { 0.978, 0.054 },
    },
    ["48x5120-202048-128 trtllm"] = {
      ["B200 fp4"] = { 0.973, 0.059 }, ["GB200 fp4"] = { 0.977, 0.059 },
      ["H200 SXM fp8"] = { 0.967, 0.060 },
    },
    ["48x5120-202048-16 vllm"] = {
      ["H100 SXM bf16"] = { 1.119, 0.049 }, ["H100 SXM fp8"] = { 1.036, 0.051 },
    },
    ["48x8192-32000-0 vllm"] = {
      ["A100 80GB SXM bf16"] = { 0.993, 0.053 }, ["H100 SXM bf16"] = { 0.985, 0.048 },
    },
    ["56x6144-32768-8 vllm"] = {
      ["H100 SXM bf16"] = { 0.973, 0.052 },
    },
    ["60x4096-248320-512 sglang"] = {
      ["B200 bf16"] = { 1.007, 0.045 }, ["B200 fp4"] = { 0.965, 0.048 },
      ["B200 fp8"] = { 0.991, 0.044 }, ["B300 bf16"] = { 0.947, 0.046 },
      ["B300 fp4"] = { 1.018, 0.047 }, ["B300 fp8"] = { 0.935, 0.045 },
      ["H200 SXM fp8"] = { 1.020, 0.049 },
    },
    ["60x7168-64000-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.007, 0.050 },
    },
    ["61x7168-129280-256 sglang"] = {
      ["B200 fp4-latent"] = { 0.971, 0.035 }, ["B200 fp8"] = { 0.984, 0.037 },
      ["B300 fp4-latent"] = { 1.050, 0.046 }, ["B300 fp8"] = { 1.041, 0.049 },
      ["GB200 fp4-latent"] = { 0.929, 0.046 }, ["GB200 fp8"] = { 0.950, 0.048 },
      ["GB300 fp4-latent"] = { 0.979, 0.052 }, ["GB300 fp8"] = { 0.944, 0.049 },
      ["H200 SXM fp8"] = { 0.934, 0.040 }, ["MI300X fp8"] = { 1.053, 0.053 },
    },
    ["61x7168-129280-256 trtllm"] = {
      ["B200 fp4-latent"] = { 0.961, 0.033 }, ["B200 fp8"] = { 1.116, 0.037 },
      ["GB200 fp4-latent"] = { 0.911, 0.040 }, ["GB200 fp8"] = { 1.012, 0.044 },
      ["GB300 fp4-latent"] = { 0.907, 0.046 }, ["GB300 fp8"] = { 1.013, 0.047 },
      ["H200 SXM fp8"] = { 1.049, 0.035 },
    },
    ["61x7168-129280-256 vllm"] = {
      ["B200 fp8"] = { 1.062, 0.055 },
    },
    ["61x7168-163840-384 trtllm"] = {
      ["GB200 fp4-latent"] = { 0.923, 0.049 },
    },
    ["61x7168-163840-384 vllm"] = {
      ["B200 fp4-latent"] = { 0.916, 0.045 }, ["B200 int4"] = { 0.992, 0.058 },
      ["B300 fp4-latent"] = { 0.943, 0.042 }, ["GB200 fp4-latent"] = { 0.945, 0.051 },
      ["H200 SXM int4"] = { 0.975, 0.051 },
    },
    ["62x3072-200064-256 vllm"] = {
      ["B200 fp4"] = { 0.934, 0.036 }, ["B200 fp8"] = { 0.996, 0.039 },
      ["B300 fp4"] = { 0.930, 0.040 }, ["B300 fp8"] = { 0.998, 0.038 },
      ["H100 SXM fp8"] = { 0.960, 0.044 }, ["H200 SXM fp8"] = { 0.961, 0.044 },
    },
    ["64x5120-151936-0 sglang"] = {
      ["H100 SXM bf16"] = { 1.022, 0.047 },
    },
    ["64x5120-151936-0 trtllm"] = {
      ["B200 fp4"] = { 1.003, 0.056 }, ["GB200 fp4"] = { 1.051, 0.055 },
      ["H100 SXM fp8"] = { 1.055, 0.044 },
    },
    ["64x5120-151936-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.018, 0.050 },
    },
    ["78x6144-154880-256 sglang"] = {
      ["B200 fp4-latent"] = { 1.129, 0.056 }, ["B200 fp8"] = { 1.111, 0.049 },
      ["B300 fp8"] = { 1.093, 0.050 }, ["H200 SXM fp8"] = { 1.100, 0.049 },
    },
    ["80x8192-128256-0 trtllm"] = {
      ["B200 fp4"] = { 1.008, 0.040 }, ["B200 fp8"] = { 0.914, 0.041 },
      ["GB200 fp4"] = { 0.948, 0.056 }, ["H100 SXM fp8"] = { 0.934, 0.058 },
      ["H200 SXM fp8"] = { 0.899, 0.042 }, ["RTX PRO 6000 Server fp4"] = { 0.960, 0.054 },
    },
    ["80x8192-128256-0 vllm"] = {
      ["B200 bf16"] = { 0.900, 0.047 }, ["B200 fp4"] = { 0.988, 0.041 },
      ["B200 fp8"] = { 0.863, 0.040 }, ["H100 SXM bf16"] = { 0.907, 0.042 },
      ["H100 SXM fp8"] = { 0.957, 0.039 }, ["H200 SXM fp8"] = { 0.933, 0.042 },
    },
    ["80x8192-32000-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.018, 0.049 },
    },
    ["94x4096-151936-128 sglang"] = {
      ["H200 SXM fp8"] = { 0.956, 0.046 },
    },
    ["94x4096-151936-128 trtllm"] = {
      ["B200 fp4"] = { 1.015, 0.055 }, ["GB200 fp4"] = { 1.014, 0.057 },
      ["H100 SXM fp8"] = { 0.931, 0.048 }, ["H200 SXM fp8"] = { 0.965, 0.058 },
      ["RTX PRO 6000 Server fp4"] = { 1.030, 0.053 },
    },
    ["94x4096-151936-128 vllm"] = {
      ["B200 fp8"] = { 1.123, 0.046 }, ["H100 SXM fp8"] = { 1.075, 0.045 },
      ["H200 SXM fp8"] = { 1.076, 0.050 },
    },
  },
  versions = {
    vllm = {
      any = { 1.000, 0.104 }, ["0.11"] = { 1.162, 0.029 }, ["0.12"] = { 1.092, 0.050 },
      ["0.15"] = { 0.957, 0.032 }, ["0.16"] = { 1.057, 0.053 }, ["0.17"] = { 0.991, 0.039 },
      ["0.18"] = { 0.906, 0.034 }, ["0.19"] = { 0.915, 0.029 },
    },
    sglang = {
      any = { 0.895, 0.022 }, ["0.5"] = { 0.895, 0.022 },
    },
    trtllm = {
      any = { 0.909, 0.053 }, ["1.0"] = { 0.858, 0.048 }, ["1.1"] = { 0.878, 0.027 },
      ["1.2"] = { 0.948, 0.024 }, ["1.3"] = { 0.929, 0.034 },
    },
  },
  constants = {
    {
      attention_efficiency = 0.4642, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8741, expert_efficiency = 0.3442, expert_excess = 0.2188,
      expert_half = 21.45, expert_layer_s = 4.873e-05, expert_width = 109.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8358,
      layer_4_s = 1.919e-05, layer_8_s = 2.342e-05, layer_s = 4.006e-05,
      link_efficiency = 0.5226, link_hop_s = 6.139e-07, link_latency_s = 2.089e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.9008, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008986, sequence_s = 2.101e-05,
      step_s = 0.0001, weight_bandwidth = 0.7902,
    },
    {
      attention_efficiency = 0.3873, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.8465, expert_efficiency = 0.1759, expert_excess = 0.2479,
      expert_half = 19.34, expert_layer_s = 6.326e-05, expert_width = 273.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8114,
      layer_4_s = 1.006e-05, layer_8_s = 2.164e-05, layer_s = 4.025e-05,
      link_efficiency = 0.5009, link_hop_s = 6.328e-07, link_latency_s = 1.61e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.7495, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.008986, sequence_s = 1.373e-05,
      step_s = 0.0001, weight_bandwidth = 0.7606,
    },
    {
      attention_efficiency = 0.6173, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8585, expert_efficiency = 0.3817, expert_excess = 0.1381,
      expert_half = 28.24, expert_layer_s = 4.838e-05, expert_width = 329.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7778,
      layer_4_s = 2.481e-05, layer_8_s = 2.765e-05, layer_s = 3.178e-05,
      link_efficiency = 0.5116, link_hop_s = 5.413e-07, link_latency_s = 1.489e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7523, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008986, sequence_s = 1.942e-05,
      step_s = 0.0001, weight_bandwidth = 0.7574,
    },
    {
      attention_efficiency = 0.3917, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7869, expert_efficiency = 0.04198, expert_excess = 0.2188,
      expert_half = 17.66, expert_layer_s = 5.528e-05, expert_width = 112.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8268,
      layer_4_s = 8.767e-06, layer_8_s = 1.168e-07, layer_s = 5.775e-05,
      link_efficiency = 0.4797, link_hop_s = 6e-07, link_latency_s = 2.647e-06,
      matrix_4 = 0.4789, matrix_8 = 0.5272, matrix_efficiency = 0.9443, matrix_half = 79.83,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008986, sequence_s = 2.17e-05,
      step_s = 0.0001, weight_bandwidth = 0.7431,
    },
    {
      attention_efficiency = 0.3032, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7988, expert_efficiency = 0.03893, expert_excess = 0.2479,
      expert_half = 13.71, expert_layer_s = 7.537e-05, expert_width = 253.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7883,
      layer_4_s = 0, layer_8_s = 1.083e-05, layer_s = 6.032e-05, link_efficiency = 0.388,
      link_hop_s = 6.623e-07, link_latency_s = 2.922e-06, matrix_4 = 0.4542, matrix_8 = 0.7283,
      matrix_efficiency = 0.8145, matrix_half = 79.83, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008986, sequence_s = 1.418e-05, step_s = 0.0001,
      weight_bandwidth = 0.7257,
    },
    {
      attention_efficiency = 0.6152, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7703, expert_efficiency = 0.03667, expert_excess = 0.1381,
      expert_half = 22.37, expert_layer_s = 5.799e-05, expert_width = 194.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7899,
      layer_4_s = 1.391e-05, layer_8_s = 1.9e-05, layer_s = 4.729e-05, link_efficiency = 0.522,
      link_hop_s = 5.666e-07, link_latency_s = 2.5e-06, matrix_4 = 0.4411, matrix_8 = 0.6476,
      matrix_efficiency = 0.8121, matrix_half = 79.83, matrix_half_4 = 13.46,
      matrix_half_8 = 15.42, request_s = 0.008986, sequence_s = 2.006e-05, step_s = 0.0001,
      weight_bandwidth = 0.7514,
    },
    {
      attention_efficiency = 0.3917, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7869, expert_efficiency = 0.04198, expert_excess = 0.2188,
      expert_half = 17.66, expert_layer_s = 5.528e-05, expert_width = 112.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8188,
      layer_4_s = 9.18e-06, layer_8_s = 1.041e-06, layer_s = 5.507e-05, link_efficiency = 0.5038,
      link_hop_s = 5.713e-07, link_latency_s = 2.807e-06, matrix_4 = 0.4742, matrix_8 = 0.5221,
      matrix_efficiency = 0.9536, matrix_half = 60.69, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008986, sequence_s = 2.17e-05, step_s = 0.0001,
      weight_bandwidth = 0.7287,
    },
    {
      attention_efficiency = 0.3032, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7988, expert_efficiency = 0.03893, expert_excess = 0.2479,
      expert_half = 13.71, expert_layer_s = 7.537e-05, expert_width = 253.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7807,
      layer_4_s = 0, layer_8_s = 9.912e-06, layer_s = 5.954e-05, link_efficiency = 0.4583,
      link_hop_s = 6.495e-07, link_latency_s = 3.191e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.7987, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008986, sequence_s = 1.418e-05, step_s = 0.0001,
      weight_bandwidth = 0.7116,
    },
    {
      attention_efficiency = 0.6152, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7703, expert_efficiency = 0.03667, expert_excess = 0.1381,
      expert_half = 22.37, expert_layer_s = 5.799e-05, expert_width = 194.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8055,
      layer_4_s = 1.431e-05, layer_8_s = 1.931e-05, layer_s = 5.096e-05,
      link_efficiency = 0.4208, link_hop_s = 6.068e-07, link_latency_s = 2.158e-06,
      matrix_4 = 0.4368, matrix_8 = 0.6413, matrix_efficiency = 0.8201, matrix_half = 72.39,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008986, sequence_s = 2.006e-05,
      step_s = 0.0001, weight_bandwidth = 0.7814,
    },
    {
      attention_efficiency = 0.3916, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7869, expert_efficiency = 0.04198, expert_excess = 0.2188,
      expert_half = 17.66, expert_layer_s = 5.528e-05, expert_width = 112.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8137,
      layer_4_s = 9.18e-06, layer_8_s = 1.041e-06, layer_s = 5.614e-05, link_efficiency = 0.5042,
      link_hop_s = 5.713e-07, link_latency_s = 2.807e-06, matrix_4 = 0.4742, matrix_8 = 0.5221,
      matrix_efficiency = 0.9466, matrix_half = 60.69, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008986, sequence_s = 2.275e-05, step_s = 0.0001,
      weight_bandwidth = 0.7175,
    },
    {
      attention_efficiency = 0.3031, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7988, expert_efficiency = 0.03893, expert_excess = 0.2479,
      expert_half = 13.71, expert_layer_s = 7.537e-05, expert_width = 253.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7782,
      layer_4_s = 0, layer_8_s = 9.912e-06, layer_s = 6.011e-05, link_efficiency = 0.4585,
      link_hop_s = 6.495e-07, link_latency_s = 3.191e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.7957, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008986, sequence_s = 1.452e-05, step_s = 0.0001,
      weight_bandwidth = 0.7061,
    },
    {
      attention_efficiency = 0.6151, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7703, expert_efficiency = 0.03667, expert_excess = 0.1381,
      expert_half = 22.37, expert_layer_s = 5.799e-05, expert_width = 194.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.803,
      layer_4_s = 1.431e-05, layer_8_s = 1.931e-05, layer_s = 5.146e-05, link_efficiency = 0.421,
      link_hop_s = 6.068e-07, link_latency_s = 2.158e-06, matrix_4 = 0.4368, matrix_8 = 0.6413,
      matrix_efficiency = 0.8171, matrix_half = 72.39, matrix_half_4 = 13.46,
      matrix_half_8 = 15.42, request_s = 0.008986, sequence_s = 2.054e-05, step_s = 0.0001,
      weight_bandwidth = 0.7754,
    },
    {
      attention_efficiency = 0.4665, expert_4 = 1.092, expert_8 = 0.7239,
      expert_bandwidth = 0.9773, expert_efficiency = 0.2681, expert_excess = 0.2337,
      expert_half = 55.39, expert_layer_s = 3.927e-05, expert_width = 84.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8759,
      layer_4_s = 1.694e-05, layer_8_s = 3.252e-05, layer_s = 3.735e-05,
      link_efficiency = 0.3573, link_hop_s = 3.836e-07, link_latency_s = 4.045e-06,
      matrix_4 = 0.5723, matrix_8 = 0.5088, matrix_efficiency = 1, matrix_half = 58.93,
      matrix_half_4 = 49.41, matrix_half_8 = 35.77, request_s = 0.008986, sequence_s = 2.439e-05,
      step_s = 0.0001, weight_bandwidth = 0.7324,
    },
    {
      attention_efficiency = 0.3881, expert_4 = 0.7906, expert_8 = 0.3088,
      expert_bandwidth = 0.8821, expert_efficiency = 0.1892, expert_excess = 0.2118,
      expert_half = 15.21, expert_layer_s = 5.219e-05, expert_width = 369.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8247,
      layer_4_s = 8.541e-06, layer_8_s = 3.548e-05, layer_s = 3.925e-05,
      link_efficiency = 0.3702, link_hop_s = 3.946e-07, link_latency_s = 2.678e-06,
      matrix_4 = 0.5557, matrix_8 = 0.9156, matrix_efficiency = 0.8034, matrix_half = 50.88,
      matrix_half_4 = 119.3, matrix_half_8 = 33.95, request_s = 0.008986, sequence_s = 1.469e-05,
      step_s = 0.0001, weight_bandwidth = 0.7293,
    },
    {
      attention_efficiency = 0.6538, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.8832, expert_efficiency = 0.2882, expert_excess = 0.146,
      expert_half = 47.49, expert_layer_s = 4.092e-05, expert_width = 130.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7525,
      layer_4_s = 2.657e-05, layer_8_s = 2.854e-05, layer_s = 2.293e-05,
      link_efficiency = 0.4289, link_hop_s = 3.347e-07, link_latency_s = 2.339e-06,
      matrix_4 = 0.5723, matrix_8 = 0.7239, matrix_efficiency = 0.7986, matrix_half = 30.88,
      matrix_half_4 = 42.95, matrix_half_8 = 62.5, request_s = 0.008986, sequence_s = 1.559e-05,
      step_s = 0.0001, weight_bandwidth = 0.7033,
    },
    {
      attention_efficiency = 0.616, expert_4 = 0.625, expert_8 = 0.7906, expert_bandwidth = 0.89,
      expert_efficiency = 0.3253, expert_excess = 0.2263, expert_half = 26.57,
      expert_layer_s = 3.912e-05, expert_width = 69.53, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.7843, layer_4_s = 1.462e-05,
      layer_8_s = 2.719e-05, layer_s = 3.838e-05, link_efficiency = 0.4204,
      link_hop_s = 3.335e-07, link_latency_s = 4.32e-06, matrix_4 = 0.3683, matrix_8 = 0.4659,
      matrix_efficiency = 1, matrix_half = 1.637, matrix_half_4 = 25.14, matrix_half_8 = 17.16,
      request_s = 0.008986, sequence_s = 2.23e-05, step_s = 0.0001, weight_bandwidth = 0.767,
    },
    {
      attention_efficiency = 0.5062, expert_4 = 0.524, expert_8 = 0.2912,
      expert_bandwidth = 0.8874, expert_efficiency = 0.3032, expert_excess = 0.3072,
      expert_half = 21.42, expert_layer_s = 4.888e-05, expert_width = 285.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7739,
      layer_4_s = 4.753e-06, layer_8_s = 4.458e-05, layer_s = 4.089e-05,
      link_efficiency = 0.3767, link_hop_s = 3.658e-07, link_latency_s = 2.876e-06,
      matrix_4 = 0.3473, matrix_8 = 0.8891, matrix_efficiency = 0.9249, matrix_half = 2.276,
      matrix_half_4 = 202.4, matrix_half_8 = 214.6, request_s = 0.008986, sequence_s = 1.559e-05,
      step_s = 0.0001, weight_bandwidth = 0.7487,
    },
    {
      attention_efficiency = 0.8032, expert_4 = 0.8033, expert_8 = 0.5723,
      expert_bandwidth = 0.8733, expert_efficiency = 0.2981, expert_excess = 0.1469,
      expert_half = 50.36, expert_layer_s = 4.512e-05, expert_width = 117,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7718,
      layer_4_s = 2.734e-05, layer_8_s = 3.282e-05, layer_s = 2.991e-05,
      link_efficiency = 0.4887, link_hop_s = 3.307e-07, link_latency_s = 2.6e-06,
      matrix_4 = 0.3577, matrix_8 = 0.6826, matrix_efficiency = 0.8268, matrix_half = 36.83,
      matrix_half_4 = 88.91, matrix_half_8 = 68.26, request_s = 0.008986, sequence_s = 1.933e-05,
      step_s = 0.0001, weight_bandwidth = 0.6906,
    },
    {
      attention_efficiency = 0.5194, expert_4 = 0.9711, expert_8 = 1.03,
      expert_bandwidth = 0.9958, expert_efficiency = 0.4433, expert_excess = 0.1666,
      expert_half = 44.38, expert_layer_s = 4.061e-05, expert_width = 55.23,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8638,
      layer_4_s = 1.739e-05, layer_8_s = 2.986e-05, layer_s = 4.043e-05,
      link_efficiency = 0.3229, link_hop_s = 2.343e-07, link_latency_s = 3.219e-06,
      matrix_4 = 0.524, matrix_8 = 0.4659, matrix_efficiency = 0.9908, matrix_half = 100,
      matrix_half_4 = 46.59, matrix_half_8 = 23.02, request_s = 0.008986, sequence_s = 1.061e-05,
      step_s = 0.0001, weight_bandwidth = 0.7716,
    },
    {
      attention_efficiency = 0.4935, expert_4 = 0.7677, expert_8 = 0.3473,
      expert_bandwidth = 0.942, expert_efficiency = 0.5761, expert_excess = 0.1958,
      expert_half = 27.2, expert_layer_s = 4.521e-05, expert_width = 206.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8533,
      layer_4_s = 6.621e-06, layer_8_s = 5.343e-05, layer_s = 3.849e-05,
      link_efficiency = 0.5189, link_hop_s = 9.579e-08, link_latency_s = 2.995e-06,
      matrix_4 = 0.5396, matrix_8 = 0.8384, matrix_efficiency = 0.8112, matrix_half = 88.91,
      matrix_half_4 = 241.4, matrix_half_8 = 164.8, request_s = 0.008986, sequence_s = 7.791e-06,
      step_s = 0.0001, weight_bandwidth = 0.7518,
    },
    {
      attention_efficiency = 0.8374, expert_4 = 0.3232, expert_8 = 0.5723,
      expert_bandwidth = 0.8774, expert_efficiency = 0.4949, expert_excess = 0.106,
      expert_half = 35.06, expert_layer_s = 4.057e-05, expert_width = 71.04,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8063,
      layer_4_s = 2.237e-05, layer_8_s = 3.449e-05, layer_s = 2.99e-05, link_efficiency = 0.7506,
      link_hop_s = 2.365e-07, link_latency_s = 2.568e-06, matrix_4 = 0.4941, matrix_8 = 0.6628,
      matrix_efficiency = 0.793, matrix_half = 70.29, matrix_half_4 = 1, matrix_half_8 = 70.29,
      request_s = 0.008986, sequence_s = 1.124e-05, step_s = 0.0001, weight_bandwidth = 0.6921,
    },
    {
      attention_efficiency = 0.6896, expert_4 = 0.5557, expert_8 = 0.8891,
      expert_bandwidth = 0.8957, expert_efficiency = 0.5823, expert_excess = 0.1896,
      expert_half = 34.41, expert_layer_s = 3.371e-05, expert_width = 71.08,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8338,
      layer_4_s = 1.516e-05, layer_8_s = 2.962e-05, layer_s = 3.59e-05, link_efficiency = 0.4618,
      link_hop_s = 5.013e-07, link_latency_s = 4.304e-06, matrix_4 = 0.3683, matrix_8 = 0.4659,
      matrix_efficiency = 1, matrix_half = 33.73, matrix_half_4 = 55.57, matrix_half_8 = 20.47,
      request_s = 0.008986, sequence_s = 1.402e-05, step_s = 0.0001, weight_bandwidth = 0.7699,
    },
    {
      attention_efficiency = 0.5535, expert_4 = 0.4023, expert_8 = 0.2828,
      expert_bandwidth = 0.8685, expert_efficiency = 0.7458, expert_excess = 0.203,
      expert_half = 30.3, expert_layer_s = 4.327e-05, expert_width = 209.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8209,
      layer_4_s = 4.684e-06, layer_8_s = 5.254e-05, layer_s = 3.731e-05,
      link_efficiency = 0.4724, link_hop_s = 4.016e-07, link_latency_s = 2.219e-06,
      matrix_4 = 0.318, matrix_8 = 0.7906, matrix_efficiency = 0.9067, matrix_half = 112.5,
      matrix_half_4 = 164.8, matrix_half_8 = 26.84, request_s = 0.008986, sequence_s = 8.303e-06,
      step_s = 0.0001, weight_bandwidth = 0.7504,
    },
    {
      attention_efficiency = 0.9811, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.8698, expert_efficiency = 0.5539, expert_excess = 0.1166,
      expert_half = 53.6, expert_layer_s = 3.756e-05, expert_width = 104.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7994,
      layer_4_s = 2.188e-05, layer_8_s = 3.656e-05, layer_s = 2.759e-05,
      link_efficiency = 0.6922, link_hop_s = 2.524e-07, link_latency_s = 2.51e-06,
      matrix_4 = 0.3275, matrix_8 = 0.6628, matrix_efficiency = 0.9063, matrix_half = 94.29,
      matrix_half_4 = 115.8, matrix_half_8 = 1.265, request_s = 0.008986, sequence_s = 1.167e-05,
      step_s = 0.0001, weight_bandwidth = 0.6927,
    },
    {
      attention_efficiency = 0.4311, expert_4 = 0.8141, expert_8 = 0.4728,
      expert_bandwidth = 0.8634, expert_efficiency = 0.2907, expert_excess = 0.2317,
      expert_half = 16.07, expert_layer_s = 6.102e-05, expert_width = 149.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8682,
      layer_4_s = 1.682e-05, layer_8_s = 2.07e-05, layer_s = 4.823e-05, link_efficiency = 0.5905,
      link_hop_s = 2.357e-07, link_latency_s = 2.675e-06, matrix_4 = 0.4742, matrix_8 = 0.5723,
      matrix_efficiency = 0.8828, matrix_half = 1, matrix_half_4 = 36.03, matrix_half_8 = 160,
      request_s = 0.008986, sequence_s = 2.7e-05, step_s = 0.0001, weight_bandwidth = 0.8598,
    },
    {
      attention_efficiency = 0.324, expert_4 = 2.337, expert_8 = 1.937,
      expert_bandwidth = 0.8302, expert_efficiency = 0.07967, expert_excess = 0.2626,
      expert_half = 16.54, expert_layer_s = 7.476e-05, expert_width = 334.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8157,
      layer_4_s = 6.564e-06, layer_8_s = 9.337e-06, layer_s = 4.9e-05, link_efficiency = 0.514,
      link_hop_s = 3.543e-07, link_latency_s = 1.525e-06, matrix_4 = 0.477, matrix_8 = 0.6927,
      matrix_efficiency = 0.7179, matrix_half = 15.48, matrix_half_4 = 145.8,
      matrix_half_8 = 174.7, request_s = 0.008986, sequence_s = 1.765e-05, step_s = 0.0001,
      weight_bandwidth = 0.852,
    },
    {
      attention_efficiency = 0.5594, expert_4 = 0.4538, expert_8 = 0.5723,
      expert_bandwidth = 0.8643, expert_efficiency = 0.3887, expert_excess = 0.1462,
      expert_half = 44.04, expert_layer_s = 5.354e-05, expert_width = 478.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7267,
      layer_4_s = 2.179e-05, layer_8_s = 2.107e-05, layer_s = 3.789e-05,
      link_efficiency = 0.5712, link_hop_s = 2.009e-07, link_latency_s = 1.556e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6927, matrix_efficiency = 0.7372, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008986, sequence_s = 2.496e-05,
      step_s = 0.0001, weight_bandwidth = 0.8442,
    },
    {
      attention_efficiency = 0.4395, expert_4 = 0.8141, expert_8 = 0.4659,
      expert_bandwidth = 0.9585, expert_efficiency = 0.2745, expert_excess = 0.1933,
      expert_half = 29.11, expert_layer_s = 5.181e-05, expert_width = 178.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.9058,
      layer_4_s = 1.739e-05, layer_8_s = 1.823e-05, layer_s = 5.208e-05,
      link_efficiency = 0.6865, link_hop_s = 2.253e-07, link_latency_s = 2.595e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5557, matrix_efficiency = 0.8632, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 146.5, request_s = 0.008986, sequence_s = 2.785e-05,
      step_s = 0.0001, weight_bandwidth = 0.9055,
    },
    {
      attention_efficiency = 0.3214, expert_4 = 2.515, expert_8 = 1.965,
      expert_bandwidth = 0.8921, expert_efficiency = 0.06381, expert_excess = 0.2165,
      expert_half = 15.6, expert_layer_s = 6.46e-05, expert_width = 447.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8192,
      layer_4_s = 7.004e-06, layer_8_s = 7.743e-06, layer_s = 5.798e-05,
      link_efficiency = 0.5905, link_hop_s = 3.456e-07, link_latency_s = 1.555e-06,
      matrix_4 = 0.477, matrix_8 = 0.6628, matrix_efficiency = 0.7251, matrix_half = 10.73,
      matrix_half_4 = 145.8, matrix_half_8 = 169.7, request_s = 0.008986, sequence_s = 1.965e-05,
      step_s = 0.0001, weight_bandwidth = 0.8658,
    },
    {
      attention_efficiency = 0.5906, expert_4 = 0.4883, expert_8 = 0.5893,
      expert_bandwidth = 0.9107, expert_efficiency = 0.245, expert_excess = 0.09826,
      expert_half = 41.12, expert_layer_s = 4.029e-05, expert_width = 707.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8641,
      layer_4_s = 2.284e-05, layer_8_s = 1.413e-05, layer_s = 5.569e-05,
      link_efficiency = 0.5807, link_hop_s = 1.957e-07, link_latency_s = 1.631e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6826, matrix_efficiency = 0.6688, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008986, sequence_s = 3.731e-05,
      step_s = 0.0001, weight_bandwidth = 0.8315,
    },
    {
      attention_efficiency = 0.3672, expert_4 = 0.8141, expert_8 = 0.4798,
      expert_bandwidth = 0.7504, expert_efficiency = 0.3133, expert_excess = 0.309,
      expert_half = 8.869, expert_layer_s = 6.039e-05, expert_width = 130.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8137,
      layer_4_s = 1.622e-05, layer_8_s = 2.411e-05, layer_s = 3.975e-05,
      link_efficiency = 0.5338, link_hop_s = 2.271e-07, link_latency_s = 2.54e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5893, matrix_efficiency = 0.8634, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 174.7, request_s = 0.008986, sequence_s = 3.172e-05,
      step_s = 0.0001, weight_bandwidth = 0.8537,
    },
    {
      attention_efficiency = 0.2351, expert_4 = 2.172, expert_8 = 1.908,
      expert_bandwidth = 0.7986, expert_efficiency = 0.08631, expert_excess = 0.4044,
      expert_half = 17.55, expert_layer_s = 8.007e-05, expert_width = 239.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.83,
      layer_4_s = 6.11e-06, layer_8_s = 1.018e-05, layer_s = 4.278e-05, link_efficiency = 0.4181,
      link_hop_s = 3.515e-07, link_latency_s = 1.448e-06, matrix_4 = 0.477, matrix_8 = 0.7239,
      matrix_efficiency = 0.6489, matrix_half = 22.35, matrix_half_4 = 145.8,
      matrix_half_8 = 179.9, request_s = 0.008986, sequence_s = 1.543e-05, step_s = 0.0001,
      weight_bandwidth = 0.8507,
    },
    {
      attention_efficiency = 0.5164, expert_4 = 0.4216, expert_8 = 0.5557,
      expert_bandwidth = 0.8195, expert_efficiency = 0.4114, expert_excess = 0.1824,
      expert_half = 47.16, expert_layer_s = 8.785e-05, expert_width = 390.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.6581,
      layer_4_s = 2.064e-05, layer_8_s = 2.263e-05, layer_s = 3.13e-05, link_efficiency = 0.499,
      link_hop_s = 2.009e-07, link_latency_s = 1.446e-06, matrix_4 = 0.4498, matrix_8 = 0.7029,
      matrix_efficiency = 0.7312, matrix_half = 1, matrix_half_4 = 13.46, matrix_half_8 = 1,
      request_s = 0.008986, sequence_s = 2.959e-05, step_s = 0.0001, weight_bandwidth = 0.8633,
    },
    {
      attention_efficiency = 0.4196, expert_4 = 1.05, expert_8 = 1.02, expert_bandwidth = 0.8194,
      expert_efficiency = 0.2698, expert_excess = 0.2188, expert_half = 32.16,
      expert_layer_s = 3.823e-05, expert_width = 81.22, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.7948, layer_4_s = 2.667e-05,
      layer_8_s = 1.741e-05, layer_s = 2.495e-05, link_efficiency = 0.6807,
      link_hop_s = 4.644e-06, link_latency_s = 3.677e-07, matrix_4 = 0.6424, matrix_8 = 0.731,
      matrix_efficiency = 0.707, matrix_half = 33.88, matrix_half_4 = 36.03,
      matrix_half_8 = 83.02, request_s = 0.008986, sequence_s = 2.124e-05, step_s = 0.0001,
      weight_bandwidth = 0.7468,
    },
    {
      attention_efficiency = 0.3247, expert_4 = 0.8909, expert_8 = 1.02,
      expert_bandwidth = 0.8659, expert_efficiency = 0.2502, expert_excess = 0.2479,
      expert_half = 30.53, expert_layer_s = 4.799e-05, expert_width = 110.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7578,
      layer_4_s = 1.826e-05, layer_8_s = 8.427e-06, layer_s = 2.606e-05,
      link_efficiency = 0.5506, link_hop_s = 5.127e-06, link_latency_s = 4.059e-07,
      matrix_4 = 0.6093, matrix_8 = 0.731, matrix_efficiency = 0.6097, matrix_half = 33.88,
      matrix_half_4 = 145.8, matrix_half_8 = 83.02, request_s = 0.008986, sequence_s = 1.388e-05,
      step_s = 0.0001, weight_bandwidth = 0.7293,
    },
    {
      attention_efficiency = 0.6589, expert_4 = 0.8961, expert_8 = 1.02,
      expert_bandwidth = 0.8083, expert_efficiency = 0.2356, expert_excess = 0.1381,
      expert_half = 47.24, expert_layer_s = 4.284e-05, expert_width = 72.11,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7593,
      layer_4_s = 3.102e-05, layer_8_s = 5.905e-06, layer_s = 2.043e-05,
      link_efficiency = 0.7406, link_hop_s = 4.386e-06, link_latency_s = 3.473e-07,
      matrix_4 = 0.5917, matrix_8 = 0.731, matrix_efficiency = 0.608, matrix_half = 33.88,
      matrix_half_4 = 13.46, matrix_half_8 = 83.02, request_s = 0.008986, sequence_s = 1.963e-05,
      step_s = 0.0001, weight_bandwidth = 0.7552,
    },
    {
      attention_efficiency = 0.4406, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.8141, expert_efficiency = 0.525, expert_excess = 0.2188,
      expert_half = 76.74, expert_layer_s = 4.5e-05, expert_width = 70.44,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7948,
      layer_4_s = 2.667e-05, layer_8_s = 1.835e-05, layer_s = 2.773e-05, link_efficiency = 1,
      link_hop_s = 4.599e-06, link_latency_s = 3.509e-07, matrix_4 = 0.6177, matrix_8 = 0.6628,
      matrix_efficiency = 0.7352, matrix_half = 76.77, matrix_half_4 = 36.03,
      matrix_half_8 = 94.29, request_s = 0.008986, sequence_s = 2.124e-05, step_s = 0.0001,
      weight_bandwidth = 0.7797,
    },
    {
      attention_efficiency = 0.395, expert_4 = 1.717, expert_8 = 1.965,
      expert_bandwidth = 0.8436, expert_efficiency = 0.1298, expert_excess = 0.2479,
      expert_half = 45.67, expert_layer_s = 4.645e-05, expert_width = 36.46,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7804,
      layer_4_s = 1.826e-05, layer_8_s = 2.228e-07, layer_s = 2.365e-05,
      link_efficiency = 0.8587, link_hop_s = 5.545e-06, link_latency_s = 3.873e-07,
      matrix_4 = 0.6589, matrix_8 = 0.7455, matrix_efficiency = 0.5638, matrix_half = 7.371,
      matrix_half_4 = 145.8, matrix_half_8 = 49.41, request_s = 0.008986, sequence_s = 1.388e-05,
      step_s = 0.0001, weight_bandwidth = 0.677,
    },
    {
      attention_efficiency = 0.5158, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.8351, expert_efficiency = 0.2333, expert_excess = 0.1381,
      expert_half = 13.24, expert_layer_s = 3.76e-05, expert_width = 251.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7373,
      layer_4_s = 3.102e-05, layer_8_s = 2.278e-05, layer_s = 2.058e-05,
      link_efficiency = 0.3045, link_hop_s = 4.095e-06, link_latency_s = 3.814e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.6323, matrix_half = 68.72,
      matrix_half_4 = 13.46, matrix_half_8 = 122.8, request_s = 0.008986, sequence_s = 1.963e-05,
      step_s = 0.0001, weight_bandwidth = 0.7792,
    },
    {
      attention_efficiency = 0.4406, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.8141, expert_efficiency = 0.525, expert_excess = 0.2188,
      expert_half = 76.74, expert_layer_s = 4.5e-05, expert_width = 70.44,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7895,
      layer_4_s = 2.667e-05, layer_8_s = 1.835e-05, layer_s = 2.775e-05, link_efficiency = 1,
      link_hop_s = 4.599e-06, link_latency_s = 3.509e-07, matrix_4 = 0.6177, matrix_8 = 0.6628,
      matrix_efficiency = 0.7343, matrix_half = 76.77, matrix_half_4 = 36.03,
      matrix_half_8 = 94.29, request_s = 0.008986, sequence_s = 2.157e-05, step_s = 0.0001,
      weight_bandwidth = 0.7779,
    },
    {
      attention_efficiency = 0.395, expert_4 = 1.717, expert_8 = 1.965,
      expert_bandwidth = 0.8436, expert_efficiency = 0.1298, expert_excess = 0.2479,
      expert_half = 45.67, expert_layer_s = 4.645e-05, expert_width = 36.46,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7778,
      layer_4_s = 1.826e-05, layer_8_s = 2.228e-07, layer_s = 2.366e-05,
      link_efficiency = 0.8587, link_hop_s = 5.545e-06, link_latency_s = 3.873e-07,
      matrix_4 = 0.6589, matrix_8 = 0.7455, matrix_efficiency = 0.5635, matrix_half = 7.371,
      matrix_half_4 = 145.8, matrix_half_8 = 49.41, request_s = 0.008986, sequence_s = 1.399e-05,
      step_s = 0.0001, weight_bandwidth = 0.6762,
    },
    {
      attention_efficiency = 0.5158, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.8351, expert_efficiency = 0.2333, expert_excess = 0.1381,
      expert_half = 13.24, expert_layer_s = 3.76e-05, expert_width = 251.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7348,
      layer_4_s = 3.102e-05, layer_8_s = 2.278e-05, layer_s = 2.059e-05,
      link_efficiency = 0.3045, link_hop_s = 4.095e-06, link_latency_s = 3.814e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.6319, matrix_half = 68.72,
      matrix_half_4 = 13.46, matrix_half_8 = 122.8, request_s = 0.008986, sequence_s = 1.978e-05,
      step_s = 0.0001, weight_bandwidth = 0.7782,
    },
    {
      attention_efficiency = 0.4559, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8608, expert_efficiency = 0.2925, expert_excess = 0.2188,
      expert_half = 21.45, expert_layer_s = 7.26e-05, expert_width = 152.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8277,
      layer_4_s = 1.919e-05, layer_8_s = 2.774e-05, layer_s = 4.557e-05,
      link_efficiency = 0.5103, link_hop_s = 6.37e-07, link_latency_s = 2.167e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.8982, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008986, sequence_s = 2.132e-05,
      step_s = 0.0001, weight_bandwidth = 0.7874,
    },
    {
      attention_efficiency = 0.3774, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.8283, expert_efficiency = 0.1395, expert_excess = 0.2479,
      expert_half = 19.34, expert_layer_s = 0.0001116, expert_width = 435.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8003,
      layer_4_s = 1.006e-05, layer_8_s = 2.754e-05, layer_s = 4.836e-05,
      link_efficiency = 0.4841, link_hop_s = 6.67e-07, link_latency_s = 1.697e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.7465, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.008986, sequence_s = 1.402e-05,
      step_s = 0.0001, weight_bandwidth = 0.7567,
    },
    {
      attention_efficiency = 0.6062, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8455, expert_efficiency = 0.3244, expert_excess = 0.1381,
      expert_half = 28.24, expert_layer_s = 7.208e-05, expert_width = 457.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7703,
      layer_4_s = 2.481e-05, layer_8_s = 3.274e-05, layer_s = 3.615e-05,
      link_efficiency = 0.4995, link_hop_s = 5.617e-07, link_latency_s = 1.545e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7501, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008986, sequence_s = 1.971e-05,
      step_s = 0.0001, weight_bandwidth = 0.7546,
    },
    {
      attention_efficiency = 0.4594, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8664, expert_efficiency = 0.3134, expert_excess = 0.2188,
      expert_half = 21.45, expert_layer_s = 6.132e-05, expert_width = 132.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8311,
      layer_4_s = 1.919e-05, layer_8_s = 2.582e-05, layer_s = 4.315e-05,
      link_efficiency = 0.5155, link_hop_s = 6.271e-07, link_latency_s = 2.134e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.8993, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008986, sequence_s = 2.119e-05,
      step_s = 0.0001, weight_bandwidth = 0.7886,
    },
    {
      attention_efficiency = 0.3833, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.8391, expert_efficiency = 0.1601, expert_excess = 0.2479,
      expert_half = 19.34, expert_layer_s = 7.96e-05, expert_width = 330.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8069,
      layer_4_s = 1.006e-05, layer_8_s = 2.386e-05, layer_s = 4.335e-05, link_efficiency = 0.494,
      link_hop_s = 6.464e-07, link_latency_s = 1.645e-06, matrix_4 = 0.496, matrix_8 = 0.7954,
      matrix_efficiency = 0.7483, matrix_half = 30.63, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008986, sequence_s = 1.385e-05, step_s = 0.0001,
      weight_bandwidth = 0.759,
    },
    {
      attention_efficiency = 0.6108, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.851, expert_efficiency = 0.3475, expert_excess = 0.1381,
      expert_half = 28.24, expert_layer_s = 6.088e-05, expert_width = 398,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7735,
      layer_4_s = 2.481e-05, layer_8_s = 3.048e-05, layer_s = 3.423e-05,
      link_efficiency = 0.5046, link_hop_s = 5.53e-07, link_latency_s = 1.521e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.751, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008986, sequence_s = 1.959e-05,
      step_s = 0.0001, weight_bandwidth = 0.7558,
    },
    {
      attention_efficiency = 0.6153, expert_4 = 1.6, expert_8 = 0.8384,
      expert_bandwidth = 0.8593, expert_efficiency = 0.3387, expert_excess = 0.2058,
      expert_half = 1.006, expert_layer_s = 5.19e-05, expert_width = 159.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8044,
      layer_4_s = 2.753e-05, layer_8_s = 2.697e-05, layer_s = 3.485e-05,
      link_efficiency = 0.8579, link_hop_s = 4.32e-06, link_latency_s = 3.394e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8634, matrix_efficiency = 1, matrix_half = 81.41,
      matrix_half_4 = 18.87, matrix_half_8 = 134.1, request_s = 0.008986, sequence_s = 1.719e-05,
      step_s = 0.0001, weight_bandwidth = 0.8077,
    },
    {
      attention_efficiency = 0.6203, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.8677, expert_efficiency = 0.4214, expert_excess = 0.2332,
      expert_half = 11.45, expert_layer_s = 7.13e-05, expert_width = 262.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.767,
      layer_4_s = 2.714e-05, layer_8_s = 4.695e-05, layer_s = 2.83e-05, link_efficiency = 0.6939,
      link_hop_s = 4.91e-06, link_latency_s = 3.746e-07, matrix_4 = 0.7906, matrix_8 = 0.8891,
      matrix_efficiency = 0.8861, matrix_half = 100, matrix_half_4 = 68.72,
      matrix_half_8 = 17.16, request_s = 0.008986, sequence_s = 1.123e-05, step_s = 0.0001,
      weight_bandwidth = 0.7526,
    },
    {
      attention_efficiency = 0.6995, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.8647, expert_efficiency = 0.502, expert_excess = 0.1299,
      expert_half = 3.685, expert_layer_s = 5.171e-05, expert_width = 243.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7684,
      layer_4_s = 2.29e-05, layer_8_s = 2.91e-05, layer_s = 2.31e-05, link_efficiency = 0.8059,
      link_hop_s = 4.201e-06, link_latency_s = 3.205e-07, matrix_4 = 0.7906, matrix_8 = 0.7906,
      matrix_efficiency = 0.8835, matrix_half = 103, matrix_half_4 = 1, matrix_half_8 = 68.72,
      request_s = 0.008986, sequence_s = 1.589e-05, step_s = 0.0001, weight_bandwidth = 0.7931,
    },
    {
      attention_efficiency = 0.6221, expert_4 = 1.6, expert_8 = 0.8384,
      expert_bandwidth = 0.8564, expert_efficiency = 0.3352, expert_excess = 0.2108,
      expert_half = 1.006, expert_layer_s = 5.231e-05, expert_width = 159.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8016,
      layer_4_s = 2.773e-05, layer_8_s = 2.697e-05, layer_s = 3.498e-05,
      link_efficiency = 0.8579, link_hop_s = 4.339e-06, link_latency_s = 3.409e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8634, matrix_efficiency = 1, matrix_half = 81.41,
      matrix_half_4 = 18.87, matrix_half_8 = 134.1, request_s = 0.008986, sequence_s = 1.734e-05,
      step_s = 0.0001, weight_bandwidth = 0.8065,
    },
    {
      attention_efficiency = 0.6271, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.8647, expert_efficiency = 0.4171, expert_excess = 0.2388,
      expert_half = 11.45, expert_layer_s = 7.186e-05, expert_width = 263.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7643,
      layer_4_s = 2.734e-05, layer_8_s = 4.695e-05, layer_s = 2.84e-05, link_efficiency = 0.6939,
      link_hop_s = 4.932e-06, link_latency_s = 3.763e-07, matrix_4 = 0.7906, matrix_8 = 0.8891,
      matrix_efficiency = 0.8812, matrix_half = 100, matrix_half_4 = 68.72,
      matrix_half_8 = 17.16, request_s = 0.008986, sequence_s = 1.133e-05, step_s = 0.0001,
      weight_bandwidth = 0.7514,
    },
    {
      attention_efficiency = 0.7149, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.8588, expert_efficiency = 0.4917, expert_excess = 0.1362,
      expert_half = 3.685, expert_layer_s = 5.253e-05, expert_width = 244.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7631,
      layer_4_s = 2.323e-05, layer_8_s = 2.91e-05, layer_s = 2.327e-05, link_efficiency = 0.8059,
      link_hop_s = 4.239e-06, link_latency_s = 3.234e-07, matrix_4 = 0.7906, matrix_8 = 0.7906,
      matrix_efficiency = 0.8738, matrix_half = 103, matrix_half_4 = 1, matrix_half_8 = 68.72,
      request_s = 0.008986, sequence_s = 1.616e-05, step_s = 0.0001, weight_bandwidth = 0.7907,
    },
  },
  roots = {
    [[
      212 1 -3 -8 2 1 0 0 -3 -1 2 3 2 -3 -6;516 24 -5 0 1 0 4 0 -1 3 -4 1 2 -3;1124 0 0 0 0 5 -1
      1 -2 3 1 2 5;440 0 1 -3 -1 -2 1 -2 -1 -7 3 -4;106 2 2 -1 8 -1 -1 -5 2 -14 0;206 0 9 -1 1 1
      -3 1 -2 1;156 -1 0 -4 -4 -2 3 -5 -1;843 0 2 5 1 1 -1 0;418 -8 -14 -13 1 -26 -3;624 17 -1 0
      -6 0;663 -2 0 -7 -1;515 3 -5 1;817 -1 2;571 -3;420]],
    [[
      215 -2 -3 -4 2 1 2 0 -4 0 0 1 0 -2 -8;513 25 1 0 1 0 5 0 -4 0 -2 3 0 -2;1046 1 0 0 0 9 1 1
      0 2 1 1 3;423 -1 1 -1 3 -3 -1 -2 -1 -6 1 -2;111 0 2 3 12 -2 2 -3 -2 -9 -2;207 0 8 -2 -1 1
      -3 5 -1 0;160 -4 -5 -1 -2 -1 12 -1 1;845 1 2 2 2 -1 -1 1;428 -3 -9 -28 0 -29 -3;625 12 -6 1
      -2 1;688 -2 1 -5 -2;518 3 -9 -1;829 -1 0;599 0;428]],
    [[
      210 -2 -2 -1 3 0 1 -3 -4 -2 0 2 -1 0 -2;515 39 -2 0 1 0 3 1 0 1 -3 2 0 -3;1098 -2 0 0 1 9
      -1 3 1 3 0 -1 2;418 0 1 -1 0 0 -3 -3 -2 -3 1 -2;107 0 3 0 6 2 3 -2 -2 -19 -2;210 0 11 0 0
      -2 -2 1 -2 1;158 -2 -3 -1 1 1 4 0 2;845 0 5 3 4 -1 -3 -1;421 -15 -16 -13 2 -30 -3;627 18 -2
      0 -9 -2;650 -2 -1 -9 -2;514 2 -3 1;817 0 1;591 0;414]],
    [[
      138 2 -5 -12 3 1 0 0 -4 -2 3 5 6 -5 -9;325 38 -7 0 2 -1 6 -1 -1 4 -6 1 4 -4;787 0 0 0 1 7
      -1 1 -3 5 2 2 8;301 0 1 -4 -2 -3 1 -3 -2 -11 4 -6;66 3 2 -1 21 -2 -1 -9 10 -19 -1;130 1 15
      -2 2 2 -4 1 -3 2;100 -2 1 -6 -6 -4 6 -7 -2;547 -1 3 8 2 1 -2 -1;266 -13 -22 -19 -1 -41
      -4;397 26 -2 0 -10 0;456 -3 -1 -11 -2;322 5 -9 2;504 -2 3;405 -5;271]],
    [[
      142 -3 -4 -6 3 1 2 -1 -6 0 -1 2 2 -3 -13;321 40 1 0 1 -1 7 -1 -6 0 -3 5 0 -3;671 2 1 0 0 13
      2 2 0 4 2 1 5;276 -1 1 -2 4 -4 -1 -3 -2 -10 1 -3;75 1 2 4 25 -3 2 -5 3 -12 -3;130 0 13 -3
      -1 1 -5 7 -2 0;106 -6 -7 -2 -3 -1 20 -1 2;549 1 3 4 4 -1 -1 1;282 -5 -14 -42 -1 -44 -4;398
      18 -10 1 -3 2;491 -3 2 -7 -2;326 5 -17 -2;523 -1 0;443 0;283]],
    [[
      135 -3 -3 -2 4 0 1 -5 -6 -3 0 4 1 0 -3;323 62 -3 0 2 0 5 1 0 1 -5 3 0 -5;748 -2 1 0 1 13 -2
      4 2 5 0 -1 2;268 0 1 -2 0 0 -4 -4 -3 -5 2 -3;69 0 4 0 16 3 5 -3 3 -27 -3;135 -1 17 0 0 -2
      -4 2 -4 2;102 -3 -5 -2 1 2 8 1 3;550 -1 7 5 6 -2 -4 -2;271 -24 -25 -20 1 -47 -5;402 27 -3
      -1 -16 -3;435 -3 -1 -14 -2;321 3 -7 2;504 0 2;431 0;262]],
    [[
      137 2 -5 -12 1 1 -1 0 -2 -2 3 5 16 -4 -10;325 38 -7 0 2 0 6 -1 -1 4 -6 1 4 -4;787 0 0 0 1 7
      -1 1 -3 5 2 2 8;301 0 1 -4 -2 -3 1 -3 -2 -10 4 -6;57 4 0 0 51 -2 -1 -11 35 -17 -2;130 1 15
      -4 2 2 -4 0 -3 2;100 -2 2 -7 -6 -4 12 -8 -3;547 -1 3 8 2 1 -2 -1;257 -13 -23 -18 -12 -42
      -3;397 26 -2 0 -10 0;456 -3 -1 -11 -2;322 5 -9 2;497 -3 4;405 -5;271]],
    [[
      142 -3 -4 -6 2 1 2 -1 -5 0 -1 2 5 -3 -13;321 40 1 0 1 -1 7 -1 -6 0 -3 5 0 -3;671 2 1 0 0 13
      2 2 0 4 2 1 5;276 -1 1 -2 4 -4 -1 -3 -2 -10 1 -3;72 1 1 4 34 -3 2 -6 10 -10 -4;130 0 13 -3
      -1 1 -5 7 -2 0;106 -6 -6 -2 -3 -1 22 -1 2;549 1 3 4 4 -1 -1 1;279 -5 -14 -42 -4 -45 -4;398
      18 -10 1 -3 2;491 -3 2 -7 -2;326 5 -18 -2;521 -1 0;443 0;283]],
    [[
      134 -3 -3 -2 3 0 1 -5 -5 -3 0 4 5 1 -4;323 62 -3 0 2 0 5 1 0 1 -5 3 0 -5;748 -2 1 0 1 13 -2
      4 2 5 0 -1 2;268 0 1 -2 0 0 -4 -4 -3 -5 2 -3;66 0 4 0 26 3 5 -4 11 -26 -4;135 -1 17 0 0 -2
      -4 2 -4 2;102 -3 -5 -2 1 2 10 1 3;550 -1 7 5 6 -2 -4 -2;269 -24 -25 -20 -2 -47 -5;402 27 -3
      -1 -16 -3;435 -3 -1 -15 -2;321 3 -7 2;502 -1 2;431 0;262]],
    [[
      90 5 -13 -24 11 2 -2 1 -16 -4 7 21 8 -8 -24;141 132 -16 -2 8 -3 42 1 -21 25 -33 10 8
      -28;606 1 1 -2 1 8 -2 6 -13 14 0 5 19;221 0 4 -13 0 -8 3 -6 -8 -21 14 -22;49 5 6 -7 53 -5
      -13 -38 -5 -79 0;46 8 111 -11 3 3 -19 -2 -11 16;52 -19 -19 -24 -35 -2 8 12 -21;297 -1 4 29
      11 4 -9 -6;130 -48 -107 -60 14 -143 -21;146 89 -15 4 -93 -10;209 -5 -4 -80 -21;94 30 -148
      -6;77 63 23;181 -53;121]],
    [[
      113 -11 -13 3 7 2 2 4 -13 6 -5 8 -6 -5 -27;96 142 28 0 6 -2 63 -3 -30 3 -15 -7 8 -44;161 -8
      2 -12 -5 41 7 41 -13 20 -29 6 36;139 -6 3 -9 -16 -6 2 -14 -5 -2 3 -1;65 0 4 0 35 -6 6 -11
      -4 -37 -5;50 -2 76 -6 7 6 -17 80 -6 13;71 -12 -14 -2 -20 -5 68 6 0;333 2 14 15 9 -10 -4
      7;208 -20 -55 -133 13 -98 -12;165 108 -43 14 -27 -2;338 -16 6 -25 -11;94 93 -241 -37;262 89
      16;278 -43;191]],
    [[
      82 -21 -12 4 13 0 0 -6 -23 -7 -9 16 -6 -3 -24;130 177 0 -1 14 2 50 5 -3 4 -31 -8 -2 -32;519
      -8 2 -7 1 27 -8 15 3 18 5 -1 19;132 -2 6 -4 18 7 -12 -19 -15 -5 8 -15;50 0 13 14 42 21 14
      -18 -9 -84 -4;50 -1 62 1 -1 -5 -19 9 -22 25;56 -15 -25 -23 -21 13 29 20 10;341 -8 18 17 17
      5 -6 -3;171 -91 -101 -59 21 -127 -8;179 48 -3 2 -125 -20;139 5 2 -114 -26;88 30 -133 1;98
      62 22;247 -30;104]],
    [[
      122 -4 -2 -13 5 2 -1 3 -7 -2 4 8 4 -6 -14;223 81 -19 -1 3 -19 22 -4 -25 17 -15 12 4 -18;646
      2 1 -1 2 10 0 6 -7 6 2 2 19;256 -1 2 -14 -13 -6 1 -7 -8 -31 8 -18;62 3 0 -7 21 -2 -2 -11 1
      -35 -7;98 2 26 -1 4 5 -5 -1 -4 4;63 -10 -15 -16 -23 -31 0 -1 -37;368 2 4 16 6 -1 -7 -3;201
      -46 -86 -137 11 -92 -12;236 134 -58 14 -45 -6;306 -53 1 -35 -9;134 50 -202 -33;150 79
      38;253 -53;194]],
    [[
      129 -4 5 -5 4 1 2 6 -10 1 -2 4 -3 -4 -21;159 181 2 1 -3 -15 6 2 -25 3 -9 85 1 2;252 7 5 -3
      -1 33 13 33 -6 19 14 1 61;225 -3 3 -6 3 -5 -1 -6 -3 -19 3 -13;70 1 2 3 24 -3 3 -8 -9 -23
      -14;66 -2 79 -8 7 10 -20 95 -5 6;85 -5 -10 -3 -9 -7 64 3 -4;356 4 0 9 9 -32 -1 9;226 -17
      -40 -163 11 -88 -13;174 83 -43 10 -22 0;402 -16 5 -16 -7;125 81 -219 -39;293 64 4;327
      -32;219]],
    [[
      118 -7 0 -2 6 1 1 -3 -10 -3 -1 6 -2 -1 -8;236 93 -6 0 3 -4 11 1 -7 4 -8 16 0 -11;603 -2 2
      -1 1 18 -1 7 1 6 5 -2 10;214 -1 2 -5 -2 0 -5 -8 -6 -12 4 -11;64 0 5 1 17 5 7 -5 -4 -42
      -7;101 -1 43 1 2 -2 -6 11 -6 4;82 -4 -8 -3 -2 -3 14 6 -3;433 -1 8 9 8 -5 -6 0;229 -41 -52
      -72 6 -77 -6;295 62 -15 1 -34 -4;331 -17 0 -29 -6;230 12 -47 -2;342 3 6;383 -2;210]],
    [[
      121 -8 -10 -14 5 2 0 1 -7 -3 3 7 4 -7 -13;232 47 -13 0 6 0 21 -1 -11 9 -9 9 4 -14;669 2 1
      -1 1 10 -1 0 -3 5 3 3 8;246 -1 3 -8 -2 -4 3 -4 -2 -15 7 -16;62 3 3 -4 24 -3 0 -6 -2 -34
      -3;93 0 90 -7 7 -5 -11 13 -6 7;81 0 2 -5 -7 -9 28 -3 -8;421 5 3 20 12 -12 -2 -2;211 -28 -86
      -98 5 -75 -5;298 60 -19 0 -23 -1;343 -58 4 -38 -6;194 23 -77 -3;326 5 26;351 -7;210]],
    [[
      126 -23 -18 -4 5 1 3 3 -10 -3 -1 4 1 -6 -17;134 76 18 3 11 7 105 -11 -65 0 -21 33 -4 -3;412
      12 4 -7 -1 13 5 3 0 7 -4 1 3;193 -6 4 -9 6 -5 14 -7 -2 7 3 -10;69 1 1 2 30 -2 6 4 -2 -21
      -6;85 -1 26 4 22 -1 5 11 -1 5;89 -15 -2 10 -1 -2 39 3 0;426 5 21 9 12 -20 -1 2;234 -29 -54
      -130 0 -76 -6;218 73 -65 6 -23 1;401 -27 3 -20 -6;174 22 -114 -9;375 7 5;392 -4;236]],
    [[
      112 -24 -8 -6 6 2 2 -1 -10 -4 0 7 3 -3 -9;173 76 -32 -1 16 3 41 -1 -15 1 -10 58 -3 -44;626
      1 2 -1 1 14 -2 4 2 4 -5 -1 4;162 -2 7 -7 11 -4 -11 -13 -12 -5 0 -44;62 0 5 2 21 3 13 1 -2
      -40 -11;73 -5 183 -2 13 -20 -8 28 -8 27;79 8 9 0 18 -13 41 7 -1;394 1 4 24 17 -32 -3 -4;218
      -63 -101 -101 -4 -87 -5;265 95 -59 1 -52 -11;261 -80 -2 -55 -5;137 35 -160 -25;215 27
      28;348 -17;162]],
    [[
      122 -4 -6 -14 5 2 0 1 -7 -3 3 8 5 -6 -12;241 49 -16 0 5 -2 24 -1 -10 9 -10 24 3 -10;692 1 1
      -1 0 8 -1 1 -4 5 1 3 9;254 -1 2 -8 0 -4 1 -6 -5 -3 7 -15;63 3 3 -2 22 -2 -1 -8 -1 -34
      -3;102 1 31 -2 5 2 -5 3 -4 4;83 -2 -2 -7 -11 -5 9 -3 -6;448 0 4 13 4 -9 -5 -2;224 -29 -52
      -63 4 -66 -6;299 57 -20 4 -23 -1;360 -20 1 -25 -6;240 12 -37 -1;378 0 12;360 -6;220]],
    [[
      129 -12 -6 -6 5 2 2 3 -9 -1 -1 5 2 -5 -17;160 75 -24 2 13 0 93 -7 -39 1 -15 90 -5 1;519 8 1
      -4 -2 2 4 8 -1 6 -10 2 5;214 -3 5 -6 25 -7 -7 -7 -8 17 2 -9;70 0 2 6 30 0 6 2 -6 -21 -6;87
      -2 4 -1 20 0 -6 3 -1 4;91 -6 -8 -2 -7 -3 31 2 1;437 4 12 8 9 -35 -2 0;235 -29 -45 -130 7
      -76 -6;227 61 -60 28 -23 2;408 -22 3 -18 -6;185 41 -105 -7;392 15 7;394 -4;239]],
    [[
      118 -15 -5 -6 6 1 1 -4 -9 -3 -1 6 6 -1 -9;212 75 -18 0 8 1 29 1 -16 8 -11 74 -3 -25;649 -1
      1 -1 1 14 -2 6 2 5 -5 -1 4;190 -2 4 -5 5 -2 -6 -17 -14 46 2 -30;64 0 5 3 20 4 14 2 -2 -40
      -10;104 -2 56 0 2 -5 -7 5 -6 10;86 2 -5 -2 -3 0 23 5 -1;441 -1 11 10 9 -36 -5 -4;224 -64
      -79 -96 8 -82 -5;268 83 -67 16 -53 -8;288 -57 7 -40 -9;173 49 -112 -14;316 26 47;369
      -11;177]],
    [[
      114 3 -7 -19 6 2 0 -1 -5 -4 3 6 2 -8 -14;263 74 -12 0 2 0 9 -1 2 5 -7 2 7 -5;742 0 1 -1 1
      10 -2 2 -3 8 2 2 10;271 0 2 -5 1 -4 1 -2 -1 -13 5 -7;60 3 6 -1 13 -3 -1 -11 -1 -26 0;106 1
      22 -3 5 3 -4 2 -5 3;83 -2 2 -11 -6 -4 6 -17 -1;467 -1 6 9 3 2 -2 0;217 -22 -16 -19 2 -55
      -7;336 22 1 1 -17 -1;456 -2 0 -9 -1;260 6 -14 3;402 -3 3;390 -7;225]],
    [[
      118 -2 -5 -13 5 1 4 -3 -8 0 0 2 -1 -5 -17;270 79 -2 0 2 -1 8 -1 -5 -1 -5 5 1 -5;630 1 1 -1
      0 19 1 3 0 5 2 1 6;243 -1 1 -2 8 -6 -2 -2 -1 -19 1 -5;69 1 4 5 22 -4 2 -7 -7 -17 -2;110 0
      27 -3 -1 1 -5 5 -2 0;90 -7 -10 -3 -2 1 20 -7 5;468 1 5 3 6 -1 -1 0;236 -12 -8 -43 1 -59
      -7;350 14 -11 1 -7 2;491 -2 2 -6 -2;271 5 -23 -2;420 -1 -2;431 -2;237]],
    [[
      110 -2 -4 -7 7 0 2 -8 -8 -6 0 5 -3 1 -4;264 119 -7 0 2 1 6 1 3 1 -7 2 1 -6;686 -3 1 0 1 17
      -3 5 2 8 0 -1 5;234 0 1 -2 3 -2 -6 -4 -1 -9 2 -1;62 0 8 0 10 3 5 -5 -7 -36 -3;117 -1 19 0 1
      -3 -3 1 -5 1;86 -5 -8 -2 1 4 7 -3 6;464 0 11 6 10 -2 -4 -3;222 -33 -21 -19 5 -63 -9;342 25
      -1 -1 -23 -5;436 -2 -1 -14 -2;260 3 -9 4;401 0 1;418 -2;214]],
    [[
      67 15 -11 -65 14 6 1 -3 -12 1 7 10 8 -23 -58;133 210 -18 1 4 2 44 -4 3 5 -28 34 31 -4;694 3
      0 -1 0 -3 0 -1 -4 18 -6 -7 8;246 3 3 -6 3 -10 5 0 1 -19 0 -24;39 7 17 0 31 -9 -1 -32 1 -20
      16;52 0 113 -11 14 9 5 0 -2 14;50 2 15 -33 -5 -6 31 -73 -11;353 2 15 9 9 1 -8 -1;78 -40 -8
      -35 0 -165 -52;258 22 -17 0 -55 -5;456 0 -1 -7 0;117 22 -107 14;101 23 17;308 -47;118]],
    [[
      80 0 -7 -41 16 2 3 -5 -40 0 2 11 -2 -9 -48;230 133 -2 0 2 0 18 0 -8 -1 -8 5 4 -4;605 0 1 -1
      0 15 0 5 0 10 2 0 5;227 2 1 -5 6 -21 -2 -2 4 -42 0 -16;57 1 9 3 55 -9 1 -18 -16 -17 7;99 0
      38 -2 0 2 -5 4 -1 2;75 -8 -25 -3 -1 5 47 -17 5;436 1 9 3 10 0 -3 -1;122 -7 -1 -30 19 -148
      -70;319 13 -19 1 -8 2;491 -1 1 -4 -1;235 5 -35 0;258 11 14;401 -30;172]],
    [[
      55 -1 -8 -38 28 0 9 -41 -39 -28 5 18 -29 13 3;141 534 -9 -1 3 1 49 3 -3 2 -29 8 6 -9;358 1
      2 -3 1 -54 -4 17 1 78 -9 -11 17;213 6 1 -4 -7 -15 -15 -3 3 -25 7 1;41 1 13 12 39 8 3 -35 -3
      -78 -17;105 0 23 0 2 -3 1 -1 -4 1;66 -14 -22 12 4 13 10 0 18;383 3 19 6 49 -1 -5 -5;77 -86
      -12 -15 28 -163 -66;247 26 -37 5 -70 -31;436 0 -1 -11 1;140 14 -51 -6;77 71 5;360 -43;75]],
    [[
      89 1 -16 -29 12 2 -4 -2 -18 -17 3 21 9 -13 -29;136 209 -59 -1 13 1 17 -7 23 8 -29 -9 9
      -34;670 17 2 -7 2 15 -4 -1 -5 22 8 2 35;228 0 9 -8 11 -8 -1 -1 -8 -19 5 -25;51 3 10 1 35 5
      -2 -25 -6 -39 6;57 0 34 -10 22 5 -13 52 -24 25;64 0 -15 -28 -6 -2 12 -17 -11;371 -1 2 9 2 2
      0 -2;154 -107 -15 -79 13 -114 -23;194 19 -4 17 -105 -25;456 0 -1 -6 0;95 66 -145 -19;149 80
      27;309 -39;146]],
    [[
      90 -5 -4 -26 6 0 13 -9 2 2 -1 -5 -6 -8 -29;184 224 -13 0 4 -4 -6 -6 -5 0 -12 9 0 -29;536 6
      2 -3 3 48 3 7 0 11 -6 3 25;180 -2 -2 1 24 -7 -7 -3 -6 -58 0 -15;66 0 4 15 28 0 2 -8 -9 -22
      -2;65 -2 128 -6 -2 1 -8 5 -7 -2;64 -10 -26 -12 -3 4 31 -8 22;273 4 10 3 23 -1 2 -4;205 -52
      -7 -100 -6 -81 8;305 13 -37 -2 -26 4;491 0 1 -5 -1;92 15 -147 -25;146 6 -33;397 -5;153]],
    [[
      81 -3 -12 -11 13 0 -2 -12 -18 -17 0 12 3 0 -27;137 261 -45 -2 3 1 -9 3 26 4 -23 8 3 -44;573
      14 3 -2 3 46 -8 -5 1 21 -10 -2 34;160 0 2 -5 10 1 -15 -5 -10 -22 3 -14;53 0 14 10 32 27 5
      -15 -17 -50 5;101 -1 13 -1 2 -3 -1 -2 -8 2;64 -8 -28 -23 0 11 22 5 9;304 -9 29 10 17 -14 -3
      -12;167 -137 -24 -53 25 -100 -17;210 23 -5 13 -103 -26;436 0 -1 -12 -1;68 53 -106 -11;137
      64 29;371 -20;120]],
    [[
      138 2 -5 -12 4 1 0 0 -4 -2 3 5 3 -5 -9;325 38 -7 0 2 0 6 -1 -1 4 -6 1 4 -4;787 0 0 0 1 7 -1
      1 -3 5 2 2 8;301 0 1 -4 -2 -3 1 -3 -2 -11 4 -6;67 3 1 -1 14 -1 0 -8 7 -20 0;130 1 15 -2 2 2
      -4 1 -3 2;99 -2 0 -6 -6 -4 10 -7 -2;547 0 3 8 2 1 -2 -1;267 -13 -22 -19 1 -41 -4;397 26 -2
      0 -10 0;456 -3 -1 -10 -2;322 4 -9 2;505 -2 2;405 -5;271]],
    [[
      143 -3 -4 -6 3 1 2 -1 -6 0 -1 2 0 -3 -13;321 40 1 0 1 -1 7 -1 -6 0 -3 5 0 -3;671 2 1 0 0 13
      2 2 0 4 2 1 5;276 -1 1 -2 4 -4 -1 -3 -2 -10 1 -3;75 1 1 4 19 -3 3 -5 1 -12 -2;130 0 13 -2
      -1 1 -5 7 -2 0;105 -6 -7 -2 -3 -1 22 -1 2;549 1 3 4 4 -1 -1 1;283 -5 -14 -42 0 -44 -5;398
      18 -10 1 -3 2;491 -3 2 -7 -2;326 5 -17 -2;524 -1 -1;443 -1;283]],
    [[
      135 -3 -2 -2 4 0 1 -5 -6 -3 0 4 -1 0 -3;323 62 -3 0 2 0 5 1 0 1 -5 3 0 -5;748 -2 1 0 1 13
      -2 4 2 5 0 -1 2;268 0 1 -2 0 0 -4 -4 -3 -5 2 -3;70 0 4 0 10 3 5 -3 1 -27 -3;135 -1 17 0 0
      -2 -4 2 -4 2;102 -3 -5 -2 1 2 11 1 3;550 -1 7 5 6 -2 -4 -2;273 -24 -25 -20 3 -46 -5;402 27
      -3 -1 -16 -3;435 -3 -1 -14 -2;321 3 -7 2;505 0 2;431 0;262]],
    [[
      138 2 -5 -12 3 1 -1 0 -4 -2 3 5 5 -5 -9;325 38 -7 0 2 0 6 -1 -1 4 -6 1 4 -4;787 0 0 0 1 7
      -1 1 -3 5 2 2 8;301 0 1 -4 -2 -3 1 -3 -2 -11 4 -6;60 4 -5 0 19 0 1 -8 23 -19 1;130 1 15 -2
      2 2 -4 0 -3 2;95 -2 2 -6 -5 -4 27 -8 -2;547 -1 3 8 2 1 -2 -1;267 -13 -22 -19 0 -41 -4;397
      26 -2 0 -10 0;456 -3 -1 -10 -2;322 5 -9 2;500 -2 2;405 -5;271]],
    [[
      143 -3 -4 -6 3 1 2 -1 -6 0 -1 2 0 -3 -13;321 40 1 0 1 -1 7 -1 -6 0 -3 5 0 -3;671 2 1 0 0 13
      2 2 0 4 2 1 5;276 -1 1 -2 4 -4 -1 -3 -2 -10 1 -3;73 1 0 4 21 -3 3 -5 5 -11 -2;130 0 13 -2
      -1 1 -5 7 -2 0;104 -6 -7 -2 -3 -1 27 -1 2;549 1 3 4 4 -1 -1 1;283 -5 -14 -42 0 -44 -5;398
      18 -10 1 -3 2;491 -3 2 -7 -2;326 5 -17 -2;522 -1 -1;443 -1;283]],
    [[
      135 -3 -2 -2 4 0 1 -5 -6 -3 0 4 0 0 -3;323 62 -3 0 2 0 5 1 0 1 -5 3 0 -5;748 -2 1 0 1 13 -2
      4 2 5 0 -1 2;268 0 1 -2 0 0 -4 -4 -3 -5 2 -3;68 0 2 0 12 3 5 -3 6 -27 -3;135 0 17 0 0 -2 -4
      2 -4 2;100 -3 -5 -2 1 2 16 1 3;550 -1 7 5 6 -2 -4 -2;273 -24 -25 -20 3 -46 -5;402 27 -3 -1
      -16 -3;435 -3 -1 -14 -2;321 3 -7 2;503 0 2;431 0;262]],
    [[
      138 0 -2 -12 4 1 0 0 -4 -2 3 4 3 -5 -9;306 108 -10 0 -3 -2 6 -2 -4 5 -12 7 3 -10;749 4 0 4
      3 7 1 5 -3 13 -3 3 14;301 0 1 -5 -2 -3 1 -3 -3 -10 4 -7;69 3 2 -1 13 -1 -1 -6 2 -20 0;121 0
      15 -2 1 2 -5 14 -3 -1;99 -2 -1 -8 -6 -8 6 -8 -4;547 -1 3 8 2 1 -2 -1;263 -27 -22 -52 3 -44
      -5;390 25 -35 2 -15 -1;456 -3 0 -10 -2;269 11 -28 -1;504 -1 3;404 -5;270]],
    [[
      143 -5 1 -6 3 1 2 -1 -7 0 -1 1 -1 -3 -13;282 192 -5 0 -9 -4 6 -4 -11 -1 -16 16 0 -14;562 13
      1 14 7 17 8 14 0 28 -12 3 23;275 -1 1 -4 3 -5 -3 -3 -6 -10 1 -6;77 1 2 4 19 -2 2 -2 -3 -13
      -3;109 -3 7 -5 -6 0 -12 38 -2 -9;104 -7 -10 -7 -3 -12 23 -3 -3;549 1 3 4 3 0 -1 0;276 -29
      -13 -100 4 -49 -7;384 19 -80 6 -11 0;491 0 2 -7 -2;183 32 -78 -16;519 5 3;436 -4;280]],
    [[
      135 -4 0 -2 5 0 1 -5 -6 -3 0 3 -1 0 -3;305 131 -6 0 -2 -1 5 0 -2 1 -11 8 0 -11;706 2 1 5 4
      14 0 8 2 13 -5 0 9;267 0 1 -2 0 -1 -5 -4 -4 -5 2 -4;71 0 5 0 10 4 5 -1 -3 -28 -3;126 -2 17
      0 -1 -3 -5 15 -4 -1;102 -4 -6 -4 1 -2 9 1 1;550 -1 7 5 5 -2 -4 -2;268 -37 -25 -51 4 -50
      -6;395 27 -37 1 -21 -4;435 -3 -1 -14 -2;268 9 -27 -1;504 1 3;430 -1;261]],
    [[
      138 1 -3 -12 4 1 0 0 -4 -2 3 4 3 -5 -9;317 67 -9 0 0 -1 6 -1 -2 5 -8 4 3 -6;771 2 0 2 2 7 0
      3 -3 8 0 2 10;301 0 1 -4 -2 -3 1 -3 -2 -10 4 -6;69 3 2 -1 13 -2 -1 -7 2 -20 0;126 0 14 -2 2
      2 -4 6 -3 1;100 -2 0 -7 -6 -5 5 -8 -3;547 0 3 8 2 1 -2 -1;265 -19 -22 -33 2 -42 -4;394 26
      -16 1 -12 0;456 -3 0 -10 -2;301 7 -16 1;505 -2 3;405 -5;271]],
    [[
      143 -3 -3 -6 3 1 3 -1 -7 0 -1 2 -1 -3 -13;311 76 0 0 -1 -1 7 -1 -7 0 -6 8 0 -5;647 4 1 3 2
      14 3 5 0 9 0 1 8;276 -1 2 -2 4 -4 -1 -3 -3 -10 1 -4;77 1 2 4 18 -3 2 -4 -3 -13 -3;125 0 11
      -3 -2 1 -6 14 -2 -1;105 -6 -8 -3 -3 -3 19 -2 1;549 1 3 4 3 -1 -1 1;282 -10 -13 -56 1 -45
      -5;395 19 -27 2 -5 2;491 -2 2 -7 -2;299 8 -25 -4;524 0 0;443 -1;283]],
    [[
      135 -3 -1 -2 5 0 1 -5 -6 -3 0 3 -2 0 -3;316 91 -5 0 0 0 5 0 -1 1 -7 5 0 -7;731 -1 1 2 2 13
      -1 5 2 8 -2 -1 5;268 0 1 -2 0 0 -4 -4 -3 -5 2 -4;71 0 5 0 9 3 5 -2 -3 -28 -3;132 -1 17 0 0
      -3 -4 7 -4 1;102 -3 -6 -3 1 0 8 1 2;550 -1 7 5 6 -2 -4 -2;271 -29 -25 -33 4 -48 -5;399 27
      -17 0 -18 -3;435 -3 -1 -14 -2;300 5 -14 1;505 0 2;431 -1;262]],
    [[
      123 -1 -6 -13 5 1 0 0 -7 -2 3 8 3 -6 -12;263 42 -9 0 3 -2 12 0 -5 7 -8 4 4 -8;693 0 1 -1 0
      9 -1 1 -4 5 3 3 9;261 -1 2 -7 -4 -4 2 -4 -3 -14 7 -11;63 3 3 -3 20 -2 -2 -12 0 -35 -2;106 1
      28 -2 2 2 -6 1 -4 3;84 -4 -2 -7 -11 -5 6 -3 -5;455 0 3 13 3 0 -4 -1;230 -20 -44 -41 2 -62
      -5;320 48 -4 1 -18 0;371 -9 0 -22 -5;262 7 -21 1;394 -2 5;363 -6;228]],
    [[
      129 -7 -7 -4 5 1 2 1 -9 0 -1 5 -1 -4 -17;247 33 2 1 3 -1 17 0 -10 0 -5 12 0 -3;523 3 1 -2
      -1 17 2 2 -1 3 4 1 6;227 -3 3 -4 4 -5 -1 -5 -3 -8 3 -6;71 1 3 4 25 -3 4 -6 -4 -23 -5;103 0
      20 -3 0 2 -8 13 -2 2;92 -8 -8 -2 -6 -2 28 2 1;459 1 5 7 5 -3 -2 2;251 -8 -32 -71 1 -64
      -6;308 38 -9 2 -7 3;420 -10 3 -15 -5;266 9 -36 -4;424 0 1;410 -2;246]],
    [[
      118 -7 -5 -1 6 1 1 -4 -10 -3 -1 6 -2 -1 -7;258 62 -4 0 4 0 12 2 -2 2 -7 8 0 -9;650 -3 1 0 1
      17 -2 5 2 5 1 -1 3;215 -1 2 -3 0 0 -5 -8 -5 -6 3 -9;64 0 6 1 17 4 7 -5 -3 -42 -5;109 -1 37
      1 0 -4 -6 4 -6 4;86 -4 -5 -4 0 1 13 6 2;465 -1 8 9 7 -4 -6 -2;239 -36 -46 -41 3 -68 -5;326
      47 -6 0 -28 -4;342 -9 -1 -27 -5;259 6 -20 1;394 0 5;393 -1;216]],
    [[
      122 -1 -6 -13 5 2 -1 0 -7 -2 4 8 4 -6 -12;262 44 -9 0 3 -2 13 0 -5 7 -8 7 4 -8;692 1 1 -1 1
      9 -1 1 -4 5 1 3 9;254 -1 2 -7 -4 -4 2 -4 -3 -19 7 -11;63 3 2 -3 20 -2 -2 -11 1 -35 -2;106 1
      29 -2 2 3 -5 2 -4 3;82 -2 -1 -7 -9 -3 14 -2 -6;454 0 3 13 3 -1 -5 -1;230 -20 -44 -41 2 -62
      -5;320 48 -4 1 -18 0;371 -10 -1 -22 -5;261 5 -21 1;386 -2 5;363 -6;228]],
    [[
      128 -7 -7 -4 4 1 2 1 -9 0 -1 5 0 -4 -17;246 34 2 1 3 -1 17 0 -10 0 -5 15 1 -3;523 4 1 -2 -1
      17 2 2 -1 3 3 1 6;220 -3 3 -5 3 -5 -1 -4 -3 -14 3 -6;71 1 2 4 25 -3 4 -6 -3 -23 -5;103 0 21
      -3 0 2 -7 13 -2 2;91 -6 -8 -2 -4 0 35 3 0;458 1 5 7 4 -4 -3 2;251 -8 -32 -71 1 -64 -6;308
      38 -9 2 -7 3;420 -10 2 -15 -5;265 7 -37 -4;417 -1 1;410 -2;246]],
    [[
      115 -6 -3 -2 5 1 -1 -6 -9 -3 1 6 4 -1 -7;255 67 -5 0 4 0 14 2 -2 2 -7 19 0 -9;649 -1 1 0 2
      16 -2 5 2 4 -5 -1 4;185 -1 2 -6 -3 0 -5 -7 -6 -30 3 -9;64 0 4 2 17 4 9 -4 2 -42 -5;108 -2
      44 1 0 -2 -4 6 -5 4;82 4 -4 -4 6 8 42 9 1;460 -2 9 7 4 -7 -7 -2;239 -36 -47 -41 1 -69
      -5;326 47 -6 0 -28 -4;341 -11 -6 -28 -5;257 -1 -22 1;364 -2 6;393 -1;216]],
  },
  gpus = {
    [""] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
    ["A10"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 4, root = 4 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 5, root = 5 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 6, root = 6 },
    },
    ["A100 40GB PCIe"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 7, root = 4 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 8, root = 5 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 9, root = 6 },
    },
    ["A100 40GB SXM"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 7, root = 4 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 8, root = 5 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 9, root = 6 },
    },
    ["A100 80GB PCIe"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 7, root = 4 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 8, root = 5 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 9, root = 6 },
    },
    ["A100 80GB SXM"] = {
      vllm = { points = 4, configurations = 2, near = 1, constants = 10, root = 7,
        kernels = "0.14.0" },
      sglang = { points = 0, configurations = 0, near = 1, constants = 11, root = 8,
        kernels = "0.5.10" },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 12, root = 9,
        kernels = "1.0.0" },
    },
    ["A10G"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 4, root = 4 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 5, root = 5 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 6, root = 6 },
    },
    ["A30"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 7, root = 4 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 8, root = 5 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 9, root = 6 },
    },
    ["B200"] = {
      vllm = { points = 576, configurations = 45, near = 5, constants = 13, root = 10,
        kernels = "0.24.0" },
      sglang = { points = 311, configurations = 36, near = 5, constants = 14, root = 11,
        kernels = "0.5.14" },
      trtllm = { points = 401, configurations = 69, near = 5, constants = 15, root = 12,
        kernels = "1.3.0rc20" },
    },
    ["B300"] = {
      vllm = { points = 132, configurations = 17, near = 5, constants = 16, root = 13,
        kernels = "0.24.0" },
      sglang = { points = 123, configurations = 13, near = 5, constants = 17, root = 14,
        kernels = "0.5.14" },
      trtllm = { points = 0, configurations = 0, near = 5, constants = 18, root = 15,
        kernels = "1.3.0rc20" },
    },
    ["GB200"] = {
      vllm = { points = 14, configurations = 2, near = 5, constants = 19, root = 16,
        kernels = "0.24.0" },
      sglang = { points = 29, configurations = 11, near = 5, constants = 20, root = 17,
        kernels = "0.5.14" },
      trtllm = { points = 81, configurations = 27, near = 5, constants = 21, root = 18,
        kernels = "1.3.0rc20" },
    },
    ["GB300"] = {
      vllm = { points = 0, configurations = 0, near = 5, constants = 22, root = 19,
        kernels = "0.24.0" },
      sglang = { points = 24, configurations = 4, near = 5, constants = 23, root = 20,
        kernels = "0.5.14" },
      trtllm = { points = 30, configurations = 9, near = 5, constants = 24, root = 21,
        kernels = "1.3.0rc20" },
    },
    ["GH200"] = {
      vllm = { points = 0, configurations = 0, near = 2, constants = 25, root = 22 },
      sglang = { points = 0, configurations = 0, near = 2, constants = 26, root = 23 },
      trtllm = { points = 0, configurations = 0, near = 2, constants = 27, root = 24 },
    },
    ["Gaudi 2"] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
    ["Gaudi 3"] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
    ["H100 NVL"] = {
      vllm = { points = 0, configurations = 0, near = 2, constants = 25, root = 22 },
      sglang = { points = 0, configurations = 0, near = 2, constants = 26, root = 23 },
      trtllm = { points = 0, configurations = 0, near = 2, constants = 27, root = 24 },
    },
    ["H100 PCIe"] = {
      vllm = { points = 0, configurations = 0, near = 2, constants = 25, root = 22 },
      sglang = { points = 0, configurations = 0, near = 2, constants = 26, root = 23 },
      trtllm = { points = 0, configurations = 0, near = 2, constants = 27, root = 24 },
    },
    ["H100 SXM"] = {
      vllm = { points = 364, configurations = 39, near = 2, constants = 28, root = 25,
        kernels = "0.24.0" },
      sglang = { points = 78, configurations = 3, near = 2, constants = 29, root = 26,
        kernels = "0.5.14" },
      trtllm = { points = 487, configurations = 15, near = 2, constants = 30, root = 27,
        kernels = "1.3.0rc20" },
    },
    ["H20"] = {
      vllm = { points = 0, configurations = 0, near = 2, constants = 25, root = 22 },
      sglang = { points = 0, configurations = 0, near = 2, constants = 26, root = 23 },
      trtllm = { points = 0, configurations = 0, near = 2, constants = 27, root = 24 },
    },
    ["H200 SXM"] = {
      vllm = { points = 252, configurations = 17, near = 2, constants = 31, root = 28,
        kernels = "0.24.0" },
      sglang = { points = 138, configurations = 14, near = 2, constants = 32, root = 29,
        kernels = "0.5.14" },
      trtllm = { points = 250, configurations = 28, near = 2, constants = 33, root = 30,
        kernels = "1.3.0rc20" },
    },
    ["L4"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 34, root = 31 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 35, root = 32 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 36, root = 33 },
    },
    ["L40"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 37, root = 31 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 38, root = 32 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 39, root = 33 },
    },
    ["L40S"] = {
      vllm = { points = 2, configurations = 1, near = 1, constants = 40, root = 34,
        kernels = "0.24.0" },
      sglang = { points = 0, configurations = 0, near = 1, constants = 41, root = 35,
        kernels = "0.5.14" },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 42, root = 36,
        kernels = "1.3.0rc20" },
    },
    ["MI250X"] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
    ["MI300X"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 43, root = 37 },
      sglang = { points = 15, configurations = 2, near = 1, constants = 44, root = 38 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 45, root = 39 },
    },
    ["MI325X"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 46, root = 40 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 47, root = 41 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 48, root = 42 },
    },
    ["MI355X"] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
    ["RTX 4090"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 37, root = 31 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 38, root = 32 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 39, root = 33 },
    },
    ["RTX 6000 Ada"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 37, root = 31 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 38, root = 32 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 39, root = 33 },
    },
    ["RTX PRO 6000"] = {
      vllm = { points = 0, configurations = 0, near = 5, constants = 49, root = 43 },
      sglang = { points = 0, configurations = 0, near = 5, constants = 50, root = 44 },
      trtllm = { points = 0, configurations = 0, near = 5, constants = 51, root = 45 },
    },
    ["RTX PRO 6000 Server"] = {
      vllm = { points = 0, configurations = 0, near = 5, constants = 52, root = 46,
        kernels = "0.24.0" },
      sglang = { points = 0, configurations = 0, near = 5, constants = 53, root = 47,
        kernels = "0.5.14" },
      trtllm = { points = 13, configurations = 8, near = 5, constants = 54, root = 48,
        kernels = "1.3.0rc20" },
    },
    ["T4"] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
    ["TPU v5e"] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
    ["TPU v6e"] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
    ["TPU7x"] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
    ["V100 PCIe"] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
    ["V100 SXM2"] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
  },
}
