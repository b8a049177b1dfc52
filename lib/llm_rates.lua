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
-- architectures that were not measured; `request_spread`: of request_s, by engine. Read by
-- tandem.llm.rates.

return {
  date = "2026-11-26",
  parameters = {
    "matrix", "expert", "slices", "attention", "weights", "experts_read", "cache", "excess",
    "layer", "quantize_8", "quantize_4", "expert_layer", "sequence", "link_start", "link",
  },
  configuration_spread = { dense = 0.04, moe = 0.165 },
  model_spread = 0.128,
  shape_spread = 0.09,
  architecture_spread = 0.27,
  request_spread = { vllm = 0.281, sglang = 0.848, trtllm = 0.848 },
  models = {
    ["24x2880-201088-32"] = {
      any = { 0.993, 0.082 }, trtllm = { 0.969, 0.073 },
    },
    ["28x3584-152064-0"] = {
      any = { 1.005, 0.082 }, vllm = { 1.023, 0.075 },
    },
    ["32x4096-128256-0"] = {
      any = { 1.007, 0.081 }, vllm = { 1.017, 0.068 }, sglang = { 1.061, 0.072 },
      trtllm = { 0.973, 0.070 },
    },
    ["32x4096-32000-0"] = {
      any = { 0.999, 0.082 }, vllm = { 0.994, 0.074 },
    },
    ["32x4096-32000-8"] = {
      any = { 0.989, 0.082 }, vllm = { 0.948, 0.071 },
    },
    ["36x2880-201088-128"] = {
      any = { 0.977, 0.081 }, vllm = { 0.900, 0.062 }, trtllm = { 0.971, 0.064 },
    },
    ["36x4096-151936-0"] = {
      any = { 1.000, 0.082 }, vllm = { 1.001, 0.071 },
    },
    ["40x5120-131072-0"] = {
      any = { 0.995, 0.082 }, vllm = { 0.978, 0.074 },
    },
    ["40x5120-151936-0"] = {
      any = { 1.000, 0.082 }, vllm = { 0.998, 0.067 },
    },
    ["48x2048-151936-128"] = {
      any = { 0.997, 0.082 }, trtllm = { 0.986, 0.071 },
    },
    ["48x3840-262144-0"] = {
      any = { 0.996, 0.082 }, vllm = { 0.981, 0.072 },
    },
    ["48x5120-202048-128"] = {
      any = { 0.991, 0.082 }, trtllm = { 0.960, 0.073 },
    },
    ["48x5120-202048-16"] = {
      any = { 1.015, 0.082 }, vllm = { 1.071, 0.069 },
    },
    ["48x8192-32000-0"] = {
      any = { 0.996, 0.082 }, vllm = { 0.980, 0.070 },
    },
    ["56x6144-32768-8"] = {
      any = { 0.994, 0.082 }, vllm = { 0.972, 0.074 },
    },
    ["60x4096-248320-512"] = {
      any = { 0.994, 0.082 }, sglang = { 0.970, 0.064 },
    },
    ["60x7168-64000-0"] = {
      any = { 1.000, 0.082 }, vllm = { 0.998, 0.074 },
    },
    ["61x7168-129280-256"] = {
      any = { 1.001, 0.081 }, vllm = { 1.051, 0.076 }, sglang = { 0.962, 0.061 },
      trtllm = { 0.997, 0.060 },
    },
    ["61x7168-163840-384"] = {
      any = { 0.972, 0.082 }, vllm = { 0.940, 0.062 }, trtllm = { 0.902, 0.073 },
    },
    ["62x3072-200064-256"] = {
      any = { 0.982, 0.082 }, vllm = { 0.920, 0.060 },
    },
    ["64x5120-151936-0"] = {
      any = { 1.008, 0.081 }, vllm = { 1.063, 0.069 }, sglang = { 0.997, 0.072 },
      trtllm = { 0.995, 0.067 },
    },
    ["78x6144-154880-256"] = {
      any = { 1.034, 0.082 }, sglang = { 1.169, 0.066 },
    },
    ["80x8192-128256-0"] = {
      any = { 0.977, 0.081 }, vllm = { 0.921, 0.060 }, trtllm = { 0.951, 0.064 },
    },
    ["80x8192-32000-0"] = {
      any = { 1.001, 0.082 }, vllm = { 1.007, 0.073 },
    },
    ["94x4096-151936-128"] = {
      any = { 1.000, 0.081 }, vllm = { 1.104, 0.065 }, sglang = { 0.947, 0.072 },
      trtllm = { 0.957, 0.066 },
    },
  },
  served = {
    ["24x2880-201088-32 trtllm"] = {
      ["B200 mxfp4"] = { 0.968, 0.068 }, ["GB200 mxfp4"] = { 0.967, 0.068 },
      ["H100 SXM mxfp4"] = { 0.946, 0.065 }, ["H200 SXM mxfp4"] = { 0.975, 0.067 },
    },
    ["28x3584-152064-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.037, 0.060 },
    },
    ["32x4096-128256-0 sglang"] = {
      ["H200 SXM fp8"] = { 1.105, 0.052 },
    },
    ["32x4096-128256-0 trtllm"] = {
      ["H100 SXM bf16"] = { 0.948, 0.044 },
    },
    ["32x4096-128256-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.022, 0.045 }, ["L40S bf16"] = { 1.018, 0.059 },
    },
    ["32x4096-32000-0 vllm"] = {
      ["H100 SXM bf16"] = { 0.990, 0.058 },
    },
    ["32x4096-32000-8 vllm"] = {
      ["H100 SXM bf16"] = { 0.917, 0.047 },
    },
    ["36x2880-201088-128 trtllm"] = {
      ["B200 mxfp4"] = { 0.893, 0.040 }, ["GB200 mxfp4"] = { 0.986, 0.060 },
      ["H100 SXM mxfp4"] = { 1.003, 0.060 }, ["H200 SXM mxfp4"] = { 1.001, 0.041 },
    },
    ["36x2880-201088-128 vllm"] = {
      ["B200 mxfp4"] = { 0.876, 0.039 }, ["H100 SXM mxfp4"] = { 0.872, 0.037 },
      ["H200 SXM mxfp4"] = { 0.897, 0.042 },
    },
    ["36x4096-151936-0 vllm"] = {
      ["B200 bf16"] = { 1.031, 0.059 }, ["H100 SXM bf16"] = { 0.973, 0.058 },
    },
    ["40x5120-131072-0 vllm"] = {
      ["H100 SXM bf16"] = { 0.965, 0.056 },
    },
    ["40x5120-151936-0 vllm"] = {
      ["A100 80GB SXM bf16"] = { 1.020, 0.057 }, ["B200 bf16"] = { 0.984, 0.056 },
      ["H100 SXM bf16"] = { 0.990, 0.047 },
    },
    ["48x2048-151936-128 trtllm"] = {
      ["B200 fp4"] = { 0.981, 0.064 }, ["GB200 fp4"] = { 0.997, 0.064 },
      ["RTX PRO 6000 Server fp4"] = { 0.971, 0.059 },
    },
    ["48x3840-262144-0 vllm"] = {
      ["B200 bf16"] = { 0.982, 0.060 }, ["H100 SXM bf16"] = { 0.967, 0.060 },
    },
    ["48x5120-202048-128 trtllm"] = {
      ["B200 fp4"] = { 0.952, 0.067 }, ["GB200 fp4"] = { 0.957, 0.067 },
      ["H200 SXM fp8"] = { 0.947, 0.068 },
    },
    ["48x5120-202048-16 vllm"] = {
      ["H100 SXM bf16"] = { 1.143, 0.053 }, ["H100 SXM fp8"] = { 1.047, 0.055 },
    },
    ["48x8192-32000-0 vllm"] = {
      ["A100 80GB SXM bf16"] = { 0.977, 0.058 }, ["H100 SXM bf16"] = { 0.970, 0.052 },
    },
    ["56x6144-32768-8 vllm"] = {
      ["H100 SXM bf16"] = { 0.955, 0.056 },
    },
    ["60x4096-248320-512 sglang"] = {
      ["B200 bf16"] = { 1.019, 0.049 }, ["B200 fp4"] = { 0.964, 0.052 },
      ["B200 fp8"] = { 0.960, 0.048 }, ["B300 bf16"] = { 0.924, 0.051 },
      ["B300 fp4"] = { 0.996, 0.051 }, ["B300 fp8"] = { 0.919, 0.049 },
      ["H200 SXM fp8"] = { 0.995, 0.053 },
    },
    ["60x7168-64000-0 vllm"] = {
      ["H100 SXM bf16"] = { 0.997, 0.056 },
    },
    ["61x7168-129280-256 sglang"] = {
      ["B200 fp4-latent"] = { 0.936, 0.039 }, ["B200 fp8"] = { 0.984, 0.042 },
      ["B300 fp4-latent"] = { 1.024, 0.050 }, ["B300 fp8"] = { 1.015, 0.052 },
      ["GB200 fp4-latent"] = { 0.922, 0.049 }, ["GB200 fp8"] = { 0.925, 0.051 },
      ["GB300 fp4-latent"] = { 0.947, 0.055 }, ["GB300 fp8"] = { 0.915, 0.052 },
      ["H200 SXM fp8"] = { 0.911, 0.044 }, ["MI300X fp8"] = { 1.023, 0.056 },
    },
    ["61x7168-129280-256 trtllm"] = {
      ["B200 fp4-latent"] = { 0.946, 0.036 }, ["B200 fp8"] = { 1.109, 0.039 },
      ["GB200 fp4-latent"] = { 0.927, 0.042 }, ["GB200 fp8"] = { 1.026, 0.046 },
      ["GB300 fp4-latent"] = { 0.918, 0.048 }, ["GB300 fp8"] = { 1.025, 0.049 },
      ["H200 SXM fp8"] = { 1.040, 0.036 },
    },
    ["61x7168-129280-256 vllm"] = {
      ["B200 fp8"] = { 1.092, 0.065 },
    },
    ["61x7168-163840-384 trtllm"] = {
      ["GB200 fp4-latent"] = { 0.851, 0.053 },
    },
    ["61x7168-163840-384 vllm"] = {
      ["B200 fp4-latent"] = { 0.907, 0.038 }, ["B200 int4"] = { 0.971, 0.060 },
      ["B300 fp4-latent"] = { 0.916, 0.040 }, ["GB200 fp4-latent"] = { 0.909, 0.051 },
      ["H200 SXM int4"] = { 0.976, 0.049 },
    },
    ["62x3072-200064-256 vllm"] = {
      ["B200 fp4"] = { 0.882, 0.035 }, ["B200 fp8"] = { 0.935, 0.037 },
      ["B300 fp4"] = { 0.875, 0.038 }, ["B300 fp8"] = { 0.952, 0.037 },
      ["H100 SXM fp8"] = { 0.911, 0.043 }, ["H200 SXM fp8"] = { 0.919, 0.045 },
    },
    ["64x5120-151936-0 sglang"] = {
      ["H100 SXM bf16"] = { 0.989, 0.050 },
    },
    ["64x5120-151936-0 trtllm"] = {
      ["B200 fp4"] = { 0.971, 0.060 }, ["GB200 fp4"] = { 1.019, 0.059 },
      ["H100 SXM fp8"] = { 0.986, 0.043 },
    },
    ["64x5120-151936-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.109, 0.038 },
    },
    ["78x6144-154880-256 sglang"] = {
      ["B200 fp4-latent"] = { 1.230, 0.059 }, ["B200 fp8"] = { 1.194, 0.053 },
      ["B300 fp8"] = { 1.189, 0.054 }, ["H200 SXM fp8"] = { 1.179, 0.052 },
    },
    ["80x8192-128256-0 trtllm"] = {
      ["B200 fp4"] = { 1.010, 0.043 }, ["B200 fp8"] = { 0.924, 0.044 },
      ["GB200 fp4"] = { 0.947, 0.060 }, ["H100 SXM fp8"] = { 0.937, 0.061 },
      ["H200 SXM fp8"] = { 0.915, 0.044 }, ["RTX PRO 6000 Server fp4"] = { 0.958, 0.058 },
    },
    ["80x8192-128256-0 vllm"] = {
      ["B200 bf16"] = { 0.874, 0.049 }, ["B200 fp4"] = { 0.975, 0.042 },
      ["B200 fp8"] = { 0.857, 0.041 }, ["H100 SXM bf16"] = { 0.892, 0.043 },
      ["H100 SXM fp8"] = { 0.962, 0.039 }, ["H200 SXM fp8"] = { 0.932, 0.043 },
    },
    ["80x8192-32000-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.011, 0.055 },
    },
    ["94x4096-151936-128 sglang"] = {
      ["H200 SXM fp8"] = { 0.907, 0.052 },
    },
    ["94x4096-151936-128 trtllm"] = {
      ["B200 fp4"] = { 0.979, 0.060 }, ["GB200 fp4"] = { 0.976, 0.062 },
      ["H100 SXM fp8"] = { 0.881, 0.047 }, ["H200 SXM fp8"] = { 0.928, 0.062 },
      ["RTX PRO 6000 Server fp4"] = { 0.994, 0.058 },
    },
    ["94x4096-151936-128 vllm"] = {
      ["B200 fp8"] = { 1.151, 0.050 }, ["H100 SXM fp8"] = { 1.108, 0.048 },
      ["H200 SXM fp8"] = { 1.143, 0.046 },
    },
  },
  constants = {
    {
      attention_efficiency = 0.4907, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8394, expert_efficiency = 0.3416, expert_excess = 0.1675,
      expert_half = 21.45, expert_layer_s = 4.517e-05, expert_width = 78.68,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8509,
      layer_4_s = 1.876e-05, layer_8_s = 2.338e-05, layer_s = 3.896e-05,
      link_efficiency = 0.4952, link_hop_s = 7.577e-07, link_latency_s = 2.578e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.8932, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.009224, sequence_s = 1.993e-05,
      step_s = 0.0001, weight_bandwidth = 0.8019,
    },
    {
      attention_efficiency = 0.4025, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.8621, expert_efficiency = 0.1835, expert_excess = 0.2069,
      expert_half = 19.34, expert_layer_s = 5.836e-05, expert_width = 225.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8608,
      layer_4_s = 9.999e-06, layer_8_s = 1.915e-05, layer_s = 3.607e-05,
      link_efficiency = 0.4965, link_hop_s = 7.39e-07, link_latency_s = 1.88e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.7785, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.009224, sequence_s = 1.163e-05,
      step_s = 0.0001, weight_bandwidth = 0.778,
    },
    {
      attention_efficiency = 0.637, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8649, expert_efficiency = 0.4023, expert_excess = 0.108,
      expert_half = 28.24, expert_layer_s = 4.641e-05, expert_width = 289.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8133,
      layer_4_s = 2.532e-05, layer_8_s = 2.776e-05, layer_s = 2.958e-05,
      link_efficiency = 0.5013, link_hop_s = 6.305e-07, link_latency_s = 1.734e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7684, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.009224, sequence_s = 1.889e-05,
      step_s = 0.0001, weight_bandwidth = 0.7773,
    },
    {
      attention_efficiency = 0.414, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7557, expert_efficiency = 0.04166, expert_excess = 0.1675,
      expert_half = 17.66, expert_layer_s = 5.124e-05, expert_width = 80.83,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8424,
      layer_4_s = 8.571e-06, layer_8_s = 1.166e-07, layer_s = 5.6e-05, link_efficiency = 0.4545,
      link_hop_s = 7.402e-07, link_latency_s = 3.266e-06, matrix_4 = 0.4789, matrix_8 = 0.5272,
      matrix_efficiency = 0.9372, matrix_half = 79.83, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.009224, sequence_s = 2.054e-05, step_s = 0.0001,
      weight_bandwidth = 0.7563,
    },
    {
      attention_efficiency = 0.315, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.8135, expert_efficiency = 0.04063, expert_excess = 0.2069,
      expert_half = 13.71, expert_layer_s = 6.953e-05, expert_width = 209.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8368,
      layer_4_s = 0, layer_8_s = 9.583e-06, layer_s = 5.39e-05, link_efficiency = 0.3846,
      link_hop_s = 7.732e-07, link_latency_s = 3.411e-06, matrix_4 = 0.4542, matrix_8 = 0.7283,
      matrix_efficiency = 0.8467, matrix_half = 79.83, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.009224, sequence_s = 1.199e-05, step_s = 0.0001,
      weight_bandwidth = 0.7443,
    },
    {
      attention_efficiency = 0.6349, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7761, expert_efficiency = 0.03865, expert_excess = 0.108,
      expert_half = 22.37, expert_layer_s = 5.563e-05, expert_width = 171.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8264,
      layer_4_s = 1.42e-05, layer_8_s = 1.907e-05, layer_s = 4.389e-05, link_efficiency = 0.5115,
      link_hop_s = 6.596e-07, link_latency_s = 2.91e-06, matrix_4 = 0.4411, matrix_8 = 0.6476,
      matrix_efficiency = 0.8303, matrix_half = 79.83, matrix_half_4 = 13.46,
      matrix_half_8 = 15.42, request_s = 0.009224, sequence_s = 1.947e-05, step_s = 0.0001,
      weight_bandwidth = 0.7734,
    },
    {
      attention_efficiency = 0.414, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7557, expert_efficiency = 0.04166, expert_excess = 0.1675,
      expert_half = 17.66, expert_layer_s = 5.124e-05, expert_width = 80.83,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8342,
      layer_4_s = 8.975e-06, layer_8_s = 1.039e-06, layer_s = 5.34e-05, link_efficiency = 0.4773,
      link_hop_s = 7.049e-07, link_latency_s = 3.463e-06, matrix_4 = 0.4742, matrix_8 = 0.5221,
      matrix_efficiency = 0.9464, matrix_half = 60.69, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.009224, sequence_s = 2.054e-05, step_s = 0.0001,
      weight_bandwidth = 0.7416,
    },
    {
      attention_efficiency = 0.315, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.8135, expert_efficiency = 0.04063, expert_excess = 0.2069,
      expert_half = 13.71, expert_layer_s = 6.953e-05, expert_width = 209.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8287,
      layer_4_s = 0, layer_8_s = 8.768e-06, layer_s = 5.32e-05, link_efficiency = 0.4542,
      link_hop_s = 7.582e-07, link_latency_s = 3.725e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.8303, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.009224, sequence_s = 1.199e-05, step_s = 0.0001,
      weight_bandwidth = 0.7299,
    },
    {
      attention_efficiency = 0.6349, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7761, expert_efficiency = 0.03865, expert_excess = 0.108,
      expert_half = 22.37, expert_layer_s = 5.563e-05, expert_width = 171.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8427,
      layer_4_s = 1.461e-05, layer_8_s = 1.939e-05, layer_s = 4.73e-05, link_efficiency = 0.4123,
      link_hop_s = 7.064e-07, link_latency_s = 2.512e-06, matrix_4 = 0.4368, matrix_8 = 0.6413,
      matrix_efficiency = 0.8385, matrix_half = 72.39, matrix_half_4 = 13.46,
      matrix_half_8 = 15.42, request_s = 0.009224, sequence_s = 1.947e-05, step_s = 0.0001,
      weight_bandwidth = 0.8043,
    },
    {
      attention_efficiency = 0.4139, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7557, expert_efficiency = 0.04166, expert_excess = 0.1675,
      expert_half = 17.66, expert_layer_s = 5.124e-05, expert_width = 80.83,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8298,
      layer_4_s = 8.975e-06, layer_8_s = 1.039e-06, layer_s = 5.419e-05,
      link_efficiency = 0.4776, link_hop_s = 7.044e-07, link_latency_s = 3.461e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5221, matrix_efficiency = 0.9407, matrix_half = 60.69,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.009224, sequence_s = 2.147e-05,
      step_s = 0.0001, weight_bandwidth = 0.7333,
    },
    {
      attention_efficiency = 0.315, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.8135, expert_efficiency = 0.04063, expert_excess = 0.2069,
      expert_half = 13.71, expert_layer_s = 6.953e-05, expert_width = 209.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8265,
      layer_4_s = 0, layer_8_s = 8.768e-06, layer_s = 5.359e-05, link_efficiency = 0.4543,
      link_hop_s = 7.579e-07, link_latency_s = 3.724e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.8277, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.009224, sequence_s = 1.226e-05, step_s = 0.0001,
      weight_bandwidth = 0.7258,
    },
    {
      attention_efficiency = 0.6348, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7761, expert_efficiency = 0.03865, expert_excess = 0.108,
      expert_half = 22.37, expert_layer_s = 5.563e-05, expert_width = 171.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8405,
      layer_4_s = 1.461e-05, layer_8_s = 1.939e-05, layer_s = 4.764e-05,
      link_efficiency = 0.4125, link_hop_s = 7.062e-07, link_latency_s = 2.512e-06,
      matrix_4 = 0.4368, matrix_8 = 0.6413, matrix_efficiency = 0.8359, matrix_half = 72.39,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.009224, sequence_s = 1.99e-05,
      step_s = 0.0001, weight_bandwidth = 0.7998,
    },
    {
      attention_efficiency = 0.4932, expert_4 = 1.092, expert_8 = 0.7239,
      expert_bandwidth = 0.9603, expert_efficiency = 0.2797, expert_excess = 0.1651,
      expert_half = 55.39, expert_layer_s = 3.71e-05, expert_width = 52.01,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8877,
      layer_4_s = 1.699e-05, layer_8_s = 3.11e-05, layer_s = 3.688e-05, link_efficiency = 0.3217,
      link_hop_s = 4.717e-07, link_latency_s = 4.974e-06, matrix_4 = 0.5723, matrix_8 = 0.5088,
      matrix_efficiency = 0.9918, matrix_half = 58.93, matrix_half_4 = 49.41,
      matrix_half_8 = 35.77, request_s = 0.009224, sequence_s = 2.387e-05, step_s = 0.0001,
      weight_bandwidth = 0.7358,
    },
    {
      attention_efficiency = 0.3913, expert_4 = 0.7906, expert_8 = 0.3088,
      expert_bandwidth = 0.8888, expert_efficiency = 0.1907, expert_excess = 0.1682,
      expert_half = 15.21, expert_layer_s = 5.072e-05, expert_width = 285,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8735,
      layer_4_s = 8.631e-06, layer_8_s = 2.941e-05, layer_s = 3.626e-05,
      link_efficiency = 0.3366, link_hop_s = 4.609e-07, link_latency_s = 3.128e-06,
      matrix_4 = 0.5557, matrix_8 = 0.9156, matrix_efficiency = 0.8, matrix_half = 50.88,
      matrix_half_4 = 119.3, matrix_half_8 = 33.95, request_s = 0.009224, sequence_s = 1.225e-05,
      step_s = 0.0001, weight_bandwidth = 0.7385,
    },
    {
      attention_efficiency = 0.6426, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.9091, expert_efficiency = 0.3269, expert_excess = 0.1063,
      expert_half = 47.49, expert_layer_s = 3.866e-05, expert_width = 103.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7847,
      layer_4_s = 2.765e-05, layer_8_s = 2.771e-05, layer_s = 2.14e-05, link_efficiency = 0.3815,
      link_hop_s = 3.83e-07, link_latency_s = 2.677e-06, matrix_4 = 0.5723, matrix_8 = 0.7239,
      matrix_efficiency = 0.7687, matrix_half = 30.88, matrix_half_4 = 42.95,
      matrix_half_8 = 62.5, request_s = 0.009224, sequence_s = 1.457e-05, step_s = 0.0001,
      weight_bandwidth = 0.713,
    },
    {
      attention_efficiency = 0.6322, expert_4 = 0.625, expert_8 = 0.7906,
      expert_bandwidth = 0.876, expert_efficiency = 0.3278, expert_excess = 0.1801,
      expert_half = 26.57, expert_layer_s = 3.593e-05, expert_width = 51.21,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8106,
      layer_4_s = 1.406e-05, layer_8_s = 2.827e-05, layer_s = 3.721e-05,
      link_efficiency = 0.3796, link_hop_s = 4.122e-07, link_latency_s = 5.34e-06,
      matrix_4 = 0.3683, matrix_8 = 0.4659, matrix_efficiency = 0.9898, matrix_half = 1.637,
      matrix_half_4 = 25.14, matrix_half_8 = 17.16, request_s = 0.009224, sequence_s = 2.078e-05,
      step_s = 0.0001, weight_bandwidth = 0.7737,
    },
    {
      attention_efficiency = 0.5093, expert_4 = 0.524, expert_8 = 0.2912,
      expert_bandwidth = 0.9383, expert_efficiency = 0.3449, expert_excess = 0.2574,
      expert_half = 21.42, expert_layer_s = 4.379e-05, expert_width = 256.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8342,
      layer_4_s = 4.68e-06, layer_8_s = 4.006e-05, layer_s = 3.596e-05, link_efficiency = 0.3518,
      link_hop_s = 4.244e-07, link_latency_s = 3.336e-06, matrix_4 = 0.3473, matrix_8 = 0.8891,
      matrix_efficiency = 0.9395, matrix_half = 2.276, matrix_half_4 = 202.4,
      matrix_half_8 = 214.6, request_s = 0.009224, sequence_s = 1.198e-05, step_s = 0.0001,
      weight_bandwidth = 0.7609,
    },
    {
      attention_efficiency = 0.806, expert_4 = 0.8033, expert_8 = 0.5723,
      expert_bandwidth = 0.9018, expert_efficiency = 0.3277, expert_excess = 0.1165,
      expert_half = 50.36, expert_layer_s = 4.269e-05, expert_width = 105.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8163,
      layer_4_s = 2.767e-05, layer_8_s = 3.358e-05, layer_s = 2.761e-05,
      link_efficiency = 0.4549, link_hop_s = 3.84e-07, link_latency_s = 3.019e-06,
      matrix_4 = 0.3577, matrix_8 = 0.6826, matrix_efficiency = 0.8264, matrix_half = 36.83,
      matrix_half_4 = 88.91, matrix_half_8 = 68.26, request_s = 0.009224, sequence_s = 1.804e-05,
      step_s = 0.0001, weight_bandwidth = 0.7044,
    },
    {
      attention_efficiency = 0.53, expert_4 = 0.9711, expert_8 = 1.03, expert_bandwidth = 0.9546,
      expert_efficiency = 0.4502, expert_excess = 0.1267, expert_half = 44.38,
      expert_layer_s = 3.62e-05, expert_width = 38.47, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.8831, layer_4_s = 1.649e-05,
      layer_8_s = 3.014e-05, layer_s = 3.829e-05, link_efficiency = 0.2917,
      link_hop_s = 2.868e-07, link_latency_s = 3.939e-06, matrix_4 = 0.524, matrix_8 = 0.4659,
      matrix_efficiency = 0.9625, matrix_half = 100, matrix_half_4 = 46.59,
      matrix_half_8 = 23.02, request_s = 0.009224, sequence_s = 9.857e-06, step_s = 0.0001,
      weight_bandwidth = 0.7773,
    },
    {
      attention_efficiency = 0.4903, expert_4 = 0.7677, expert_8 = 0.3473,
      expert_bandwidth = 0.9588, expert_efficiency = 0.6211, expert_excess = 0.1655,
      expert_half = 27.2, expert_layer_s = 4.113e-05, expert_width = 165,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.9072,
      layer_4_s = 6.482e-06, layer_8_s = 4.753e-05, layer_s = 3.404e-05,
      link_efficiency = 0.4905, link_hop_s = 1.112e-07, link_latency_s = 3.477e-06,
      matrix_4 = 0.5396, matrix_8 = 0.8384, matrix_efficiency = 0.8258, matrix_half = 88.91,
      matrix_half_4 = 241.4, matrix_half_8 = 164.8, request_s = 0.009224, sequence_s = 6.624e-06,
      step_s = 0.0001, weight_bandwidth = 0.7617,
    },
    {
      attention_efficiency = 0.8355, expert_4 = 0.3232, expert_8 = 0.5723,
      expert_bandwidth = 0.8843, expert_efficiency = 0.5314, expert_excess = 0.08427,
      expert_half = 35.06, expert_layer_s = 3.9e-05, expert_width = 60.79,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8459,
      layer_4_s = 2.243e-05, layer_8_s = 3.559e-05, layer_s = 2.77e-05, link_efficiency = 0.7014,
      link_hop_s = 2.748e-07, link_latency_s = 2.984e-06, matrix_4 = 0.4941, matrix_8 = 0.6628,
      matrix_efficiency = 0.7945, matrix_half = 70.29, matrix_half_4 = 1, matrix_half_8 = 70.29,
      request_s = 0.009224, sequence_s = 1.094e-05, step_s = 0.0001, weight_bandwidth = 0.7048,
    },
    {
      attention_efficiency = 0.7119, expert_4 = 0.5557, expert_8 = 0.8891,
      expert_bandwidth = 0.8751, expert_efficiency = 0.591, expert_excess = 0.1476,
      expert_half = 34.41, expert_layer_s = 3.116e-05, expert_width = 49.73,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8514,
      layer_4_s = 1.493e-05, layer_8_s = 2.973e-05, layer_s = 3.481e-05,
      link_efficiency = 0.4149, link_hop_s = 6.16e-07, link_latency_s = 5.289e-06,
      matrix_4 = 0.3683, matrix_8 = 0.4659, matrix_efficiency = 1, matrix_half = 33.73,
      matrix_half_4 = 55.57, matrix_half_8 = 20.47, request_s = 0.009224, sequence_s = 1.345e-05,
      step_s = 0.0001, weight_bandwidth = 0.7766,
    },
    {
      attention_efficiency = 0.5643, expert_4 = 0.4023, expert_8 = 0.2828,
      expert_bandwidth = 0.906, expert_efficiency = 0.8004, expert_excess = 0.1724,
      expert_half = 30.3, expert_layer_s = 3.916e-05, expert_width = 168.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.874,
      layer_4_s = 4.679e-06, layer_8_s = 4.653e-05, layer_s = 3.298e-05,
      link_efficiency = 0.4441, link_hop_s = 4.656e-07, link_latency_s = 2.573e-06,
      matrix_4 = 0.318, matrix_8 = 0.7906, matrix_efficiency = 0.9213, matrix_half = 112.5,
      matrix_half_4 = 164.8, matrix_half_8 = 26.84, request_s = 0.009224, sequence_s = 7.002e-06,
      step_s = 0.0001, weight_bandwidth = 0.7634,
    },
    {
      attention_efficiency = 0.9837, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.8901, expert_efficiency = 0.5927, expert_excess = 0.09461,
      expert_half = 53.6, expert_layer_s = 3.654e-05, expert_width = 89.75,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8374,
      layer_4_s = 2.272e-05, layer_8_s = 3.725e-05, layer_s = 2.584e-05,
      link_efficiency = 0.6395, link_hop_s = 2.934e-07, link_latency_s = 2.918e-06,
      matrix_4 = 0.3275, matrix_8 = 0.6628, matrix_efficiency = 0.9053, matrix_half = 94.29,
      matrix_half_4 = 115.8, matrix_half_8 = 1.265, request_s = 0.009224, sequence_s = 1.191e-05,
      step_s = 0.0001, weight_bandwidth = 0.7064,
    },
    {
      attention_efficiency = 0.4696, expert_4 = 0.8141, expert_8 = 0.4728,
      expert_bandwidth = 0.8145, expert_efficiency = 0.2812, expert_excess = 0.1708,
      expert_half = 16.07, expert_layer_s = 5.652e-05, expert_width = 106.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8863,
      layer_4_s = 1.645e-05, layer_8_s = 2.048e-05, layer_s = 4.656e-05, link_efficiency = 0.583,
      link_hop_s = 3.004e-07, link_latency_s = 3.409e-06, matrix_4 = 0.4742, matrix_8 = 0.5723,
      matrix_efficiency = 0.8959, matrix_half = 1, matrix_half_4 = 36.03, matrix_half_8 = 160,
      request_s = 0.009224, sequence_s = 2.562e-05, step_s = 0.0001, weight_bandwidth = 0.8773,
    },
    {
      attention_efficiency = 0.347, expert_4 = 2.337, expert_8 = 1.937,
      expert_bandwidth = 0.8305, expert_efficiency = 0.08104, expert_excess = 0.2109,
      expert_half = 16.54, expert_layer_s = 6.891e-05, expert_width = 274.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8677,
      layer_4_s = 6.527e-06, layer_8_s = 8.185e-06, layer_s = 4.359e-05,
      link_efficiency = 0.5309, link_hop_s = 4.271e-07, link_latency_s = 1.839e-06,
      matrix_4 = 0.477, matrix_8 = 0.6927, matrix_efficiency = 0.7632, matrix_half = 15.48,
      matrix_half_4 = 145.8, matrix_half_8 = 174.7, request_s = 0.009224, sequence_s = 1.496e-05,
      step_s = 0.0001, weight_bandwidth = 0.8762,
    },
    {
      attention_efficiency = 0.595, expert_4 = 0.4538, expert_8 = 0.5723,
      expert_bandwidth = 0.8554, expert_efficiency = 0.3994, expert_excess = 0.1101,
      expert_half = 44.04, expert_layer_s = 5.132e-05, expert_width = 419.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7618,
      layer_4_s = 2.225e-05, layer_8_s = 2.097e-05, layer_s = 3.501e-05,
      link_efficiency = 0.5834, link_hop_s = 2.415e-07, link_latency_s = 1.871e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6927, matrix_efficiency = 0.7707, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.009224, sequence_s = 2.428e-05,
      step_s = 0.0001, weight_bandwidth = 0.8712,
    },
    {
      attention_efficiency = 0.4828, expert_4 = 0.8141, expert_8 = 0.4659,
      expert_bandwidth = 0.8641, expert_efficiency = 0.2716, expert_excess = 0.1302,
      expert_half = 29.11, expert_layer_s = 4.516e-05, expert_width = 130.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.9156,
      layer_4_s = 1.7e-05, layer_8_s = 1.797e-05, layer_s = 4.981e-05, link_efficiency = 0.6862,
      link_hop_s = 3.065e-07, link_latency_s = 3.53e-06, matrix_4 = 0.4742, matrix_8 = 0.5557,
      matrix_efficiency = 0.8696, matrix_half = 1, matrix_half_4 = 36.03, matrix_half_8 = 146.5,
      request_s = 0.009224, sequence_s = 2.558e-05, step_s = 0.0001, weight_bandwidth = 0.9269,
    },
    {
      attention_efficiency = 0.3488, expert_4 = 2.515, expert_8 = 1.965,
      expert_bandwidth = 0.8724, expert_efficiency = 0.065, expert_excess = 0.1644,
      expert_half = 15.6, expert_layer_s = 5.779e-05, expert_width = 378.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8702,
      layer_4_s = 6.965e-06, layer_8_s = 6.746e-06, layer_s = 4.979e-05,
      link_efficiency = 0.6307, link_hop_s = 4.313e-07, link_latency_s = 1.94e-06,
      matrix_4 = 0.477, matrix_8 = 0.6628, matrix_efficiency = 0.7782, matrix_half = 10.73,
      matrix_half_4 = 145.8, matrix_half_8 = 169.7, request_s = 0.009224, sequence_s = 1.662e-05,
      step_s = 0.0001, weight_bandwidth = 0.8993,
    },
    {
      attention_efficiency = 0.6421, expert_4 = 0.4883, expert_8 = 0.5893,
      expert_bandwidth = 0.881, expert_efficiency = 0.2472, expert_excess = 0.06834,
      expert_half = 41.12, expert_layer_s = 3.752e-05, expert_width = 656.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.909,
      layer_4_s = 2.332e-05, layer_8_s = 1.385e-05, layer_s = 4.857e-05,
      link_efficiency = 0.6329, link_hop_s = 2.45e-07, link_latency_s = 2.043e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6826, matrix_efficiency = 0.7171, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.009224, sequence_s = 3.401e-05,
      step_s = 0.0001, weight_bandwidth = 0.8701,
    },
    {
      attention_efficiency = 0.3999, expert_4 = 0.8141, expert_8 = 0.4798,
      expert_bandwidth = 0.7113, expert_efficiency = 0.2872, expert_excess = 0.2386,
      expert_half = 8.869, expert_layer_s = 5.981e-05, expert_width = 89.48,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8302,
      layer_4_s = 1.586e-05, layer_8_s = 2.393e-05, layer_s = 3.966e-05,
      link_efficiency = 0.5165, link_hop_s = 2.845e-07, link_latency_s = 3.182e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5893, matrix_efficiency = 0.8795, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 174.7, request_s = 0.009224, sequence_s = 3.004e-05,
      step_s = 0.0001, weight_bandwidth = 0.8667,
    },
    {
      attention_efficiency = 0.2581, expert_4 = 2.172, expert_8 = 1.908,
      expert_bandwidth = 0.8182, expert_efficiency = 0.0869, expert_excess = 0.3405,
      expert_half = 17.55, expert_layer_s = 7.51e-05, expert_width = 181.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8927,
      layer_4_s = 6.075e-06, layer_8_s = 8.855e-06, layer_s = 3.83e-05, link_efficiency = 0.4449,
      link_hop_s = 4.177e-07, link_latency_s = 1.72e-06, matrix_4 = 0.477, matrix_8 = 0.7239,
      matrix_efficiency = 0.7062, matrix_half = 22.35, matrix_half_4 = 145.8,
      matrix_half_8 = 179.9, request_s = 0.009224, sequence_s = 1.34e-05, step_s = 0.0001,
      weight_bandwidth = 0.8728,
    },
    {
      attention_efficiency = 0.5609, expert_4 = 0.4216, expert_8 = 0.5557,
      expert_bandwidth = 0.8189, expert_efficiency = 0.4161, expert_excess = 0.14,
      expert_half = 47.16, expert_layer_s = 8.703e-05, expert_width = 339.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.6935,
      layer_4_s = 2.107e-05, layer_8_s = 2.26e-05, layer_s = 3.009e-05, link_efficiency = 0.5103,
      link_hop_s = 2.377e-07, link_latency_s = 1.711e-06, matrix_4 = 0.4498, matrix_8 = 0.7029,
      matrix_efficiency = 0.7745, matrix_half = 1, matrix_half_4 = 13.46, matrix_half_8 = 1,
      request_s = 0.009224, sequence_s = 3.113e-05, step_s = 0.0001, weight_bandwidth = 0.8881,
    },
    {
      attention_efficiency = 0.4434, expert_4 = 1.05, expert_8 = 1.02, expert_bandwidth = 0.7869,
      expert_efficiency = 0.2677, expert_excess = 0.1675, expert_half = 32.16,
      expert_layer_s = 3.543e-05, expert_width = 58.18, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.8091, layer_4_s = 2.607e-05,
      layer_8_s = 1.738e-05, layer_s = 2.425e-05, link_efficiency = 0.6449,
      link_hop_s = 5.733e-06, link_latency_s = 4.539e-07, matrix_4 = 0.6424, matrix_8 = 0.731,
      matrix_efficiency = 0.701, matrix_half = 33.88, matrix_half_4 = 36.03,
      matrix_half_8 = 83.02, request_s = 0.009224, sequence_s = 2.013e-05, step_s = 0.0001,
      weight_bandwidth = 0.7589,
    },
    {
      attention_efficiency = 0.3374, expert_4 = 0.8909, expert_8 = 1.02,
      expert_bandwidth = 0.8818, expert_efficiency = 0.2611, expert_excess = 0.2069,
      expert_half = 30.53, expert_layer_s = 4.427e-05, expert_width = 90.95,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8038,
      layer_4_s = 1.816e-05, layer_8_s = 7.454e-06, layer_s = 2.334e-05,
      link_efficiency = 0.5457, link_hop_s = 5.988e-06, link_latency_s = 4.741e-07,
      matrix_4 = 0.6093, matrix_8 = 0.731, matrix_efficiency = 0.6333, matrix_half = 33.88,
      matrix_half_4 = 145.8, matrix_half_8 = 83.02, request_s = 0.009224, sequence_s = 1.175e-05,
      step_s = 0.0001, weight_bandwidth = 0.7469,
    },
    {
      attention_efficiency = 0.68, expert_4 = 0.8961, expert_8 = 1.02, expert_bandwidth = 0.8143,
      expert_efficiency = 0.2484, expert_excess = 0.108, expert_half = 47.24,
      expert_layer_s = 4.11e-05, expert_width = 63.42, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.7938, layer_4_s = 3.166e-05,
      layer_8_s = 5.93e-06, layer_s = 1.9e-05, link_efficiency = 0.7258, link_hop_s = 5.108e-06,
      link_latency_s = 4.045e-07, matrix_4 = 0.5917, matrix_8 = 0.731, matrix_efficiency = 0.621,
      matrix_half = 33.88, matrix_half_4 = 13.46, matrix_half_8 = 83.02, request_s = 0.009224,
      sequence_s = 1.908e-05, step_s = 0.0001, weight_bandwidth = 0.7761,
    },
    {
      attention_efficiency = 0.4657, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.7818, expert_efficiency = 0.5211, expert_excess = 0.1675,
      expert_half = 76.74, expert_layer_s = 4.171e-05, expert_width = 50.46,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8091,
      layer_4_s = 2.607e-05, layer_8_s = 1.832e-05, layer_s = 2.696e-05, link_efficiency = 1,
      link_hop_s = 5.677e-06, link_latency_s = 4.331e-07, matrix_4 = 0.6177, matrix_8 = 0.6628,
      matrix_efficiency = 0.729, matrix_half = 76.77, matrix_half_4 = 36.03,
      matrix_half_8 = 94.29, request_s = 0.009224, sequence_s = 2.013e-05, step_s = 0.0001,
      weight_bandwidth = 0.7923,
    },
    {
      attention_efficiency = 0.4104, expert_4 = 1.717, expert_8 = 1.965,
      expert_bandwidth = 0.8591, expert_efficiency = 0.1355, expert_excess = 0.2069,
      expert_half = 45.67, expert_layer_s = 4.285e-05, expert_width = 30.11,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8278,
      layer_4_s = 1.816e-05, layer_8_s = 1.971e-07, layer_s = 2.118e-05, link_efficiency = 0.851,
      link_hop_s = 6.476e-06, link_latency_s = 4.524e-07, matrix_4 = 0.6589, matrix_8 = 0.7455,
      matrix_efficiency = 0.5856, matrix_half = 7.371, matrix_half_4 = 145.8,
      matrix_half_8 = 49.41, request_s = 0.009224, sequence_s = 1.175e-05, step_s = 0.0001,
      weight_bandwidth = 0.6934,
    },
    {
      attention_efficiency = 0.5323, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.8413, expert_efficiency = 0.246, expert_excess = 0.108,
      expert_half = 13.24, expert_layer_s = 3.607e-05, expert_width = 220.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7708,
      layer_4_s = 3.166e-05, layer_8_s = 2.287e-05, layer_s = 1.915e-05,
      link_efficiency = 0.2984, link_hop_s = 4.77e-06, link_latency_s = 4.442e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.6459, matrix_half = 68.72,
      matrix_half_4 = 13.46, matrix_half_8 = 122.8, request_s = 0.009224, sequence_s = 1.908e-05,
      step_s = 0.0001, weight_bandwidth = 0.8008,
    },
    {
      attention_efficiency = 0.4657, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.7818, expert_efficiency = 0.5211, expert_excess = 0.1675,
      expert_half = 76.74, expert_layer_s = 4.171e-05, expert_width = 50.46,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8036,
      layer_4_s = 2.607e-05, layer_8_s = 1.832e-05, layer_s = 2.694e-05, link_efficiency = 1,
      link_hop_s = 5.677e-06, link_latency_s = 4.331e-07, matrix_4 = 0.6177, matrix_8 = 0.6628,
      matrix_efficiency = 0.7282, matrix_half = 76.77, matrix_half_4 = 36.03,
      matrix_half_8 = 94.29, request_s = 0.009224, sequence_s = 2.043e-05, step_s = 0.0001,
      weight_bandwidth = 0.7921,
    },
    {
      attention_efficiency = 0.4104, expert_4 = 1.717, expert_8 = 1.965,
      expert_bandwidth = 0.8591, expert_efficiency = 0.1355, expert_excess = 0.2069,
      expert_half = 45.67, expert_layer_s = 4.285e-05, expert_width = 30.11,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.825,
      layer_4_s = 1.816e-05, layer_8_s = 1.971e-07, layer_s = 2.118e-05, link_efficiency = 0.851,
      link_hop_s = 6.476e-06, link_latency_s = 4.524e-07, matrix_4 = 0.6589, matrix_8 = 0.7455,
      matrix_efficiency = 0.5852, matrix_half = 7.371, matrix_half_4 = 145.8,
      matrix_half_8 = 49.41, request_s = 0.009224, sequence_s = 1.184e-05, step_s = 0.0001,
      weight_bandwidth = 0.6933,
    },
    {
      attention_efficiency = 0.5323, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.8413, expert_efficiency = 0.246, expert_excess = 0.108,
      expert_half = 13.24, expert_layer_s = 3.607e-05, expert_width = 220.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7681,
      layer_4_s = 3.166e-05, layer_8_s = 2.287e-05, layer_s = 1.914e-05,
      link_efficiency = 0.2984, link_hop_s = 4.77e-06, link_latency_s = 4.442e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.6455, matrix_half = 68.72,
      matrix_half_4 = 13.46, matrix_half_8 = 122.8, request_s = 0.009224, sequence_s = 1.922e-05,
      step_s = 0.0001, weight_bandwidth = 0.8006,
    },
    {
      attention_efficiency = 0.4816, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8341, expert_efficiency = 0.2934, expert_excess = 0.1675,
      expert_half = 21.45, expert_layer_s = 6.639e-05, expert_width = 107,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8435,
      layer_4_s = 1.876e-05, layer_8_s = 2.779e-05, layer_s = 4.447e-05,
      link_efficiency = 0.4841, link_hop_s = 7.902e-07, link_latency_s = 2.689e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.8908, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.009224, sequence_s = 2.011e-05,
      step_s = 0.0001, weight_bandwidth = 0.799,
    },
    {
      attention_efficiency = 0.3919, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.8543, expert_efficiency = 0.1478, expert_excess = 0.2069,
      expert_half = 19.34, expert_layer_s = 0.000101, expert_width = 350,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8501,
      layer_4_s = 9.999e-06, layer_8_s = 2.449e-05, layer_s = 4.354e-05,
      link_efficiency = 0.4808, link_hop_s = 7.846e-07, link_latency_s = 1.996e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.7755, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.009224, sequence_s = 1.178e-05,
      step_s = 0.0001, weight_bandwidth = 0.774,
    },
    {
      attention_efficiency = 0.6253, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8594, expert_efficiency = 0.3455, expert_excess = 0.108,
      expert_half = 28.24, expert_layer_s = 6.821e-05, expert_width = 394.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8062,
      layer_4_s = 2.532e-05, layer_8_s = 3.3e-05, layer_s = 3.376e-05, link_efficiency = 0.4901,
      link_hop_s = 6.575e-07, link_latency_s = 1.808e-06, matrix_4 = 0.4786, matrix_8 = 0.7026,
      matrix_efficiency = 0.7664, matrix_half = 25.03, matrix_half_4 = 13.46,
      matrix_half_8 = 15.42, request_s = 0.009224, sequence_s = 1.906e-05, step_s = 0.0001,
      weight_bandwidth = 0.7745,
    },
    {
      attention_efficiency = 0.4854, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8363, expert_efficiency = 0.3129, expert_excess = 0.1675,
      expert_half = 21.45, expert_layer_s = 5.64e-05, expert_width = 93.95,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8467,
      layer_4_s = 1.876e-05, layer_8_s = 2.583e-05, layer_s = 4.205e-05,
      link_efficiency = 0.4888, link_hop_s = 7.763e-07, link_latency_s = 2.641e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.8918, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.009224, sequence_s = 2.003e-05,
      step_s = 0.0001, weight_bandwidth = 0.8002,
    },
    {
      attention_efficiency = 0.3982, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.8589, expert_efficiency = 0.1681, expert_excess = 0.2069,
      expert_half = 19.34, expert_layer_s = 7.286e-05, expert_width = 269.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8564,
      layer_4_s = 9.999e-06, layer_8_s = 2.115e-05, layer_s = 3.893e-05, link_efficiency = 0.49,
      link_hop_s = 7.571e-07, link_latency_s = 1.927e-06, matrix_4 = 0.496, matrix_8 = 0.7954,
      matrix_efficiency = 0.7773, matrix_half = 30.63, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.009224, sequence_s = 1.169e-05, step_s = 0.0001,
      weight_bandwidth = 0.7764,
    },
    {
      attention_efficiency = 0.6302, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8617, expert_efficiency = 0.3685, expert_excess = 0.108,
      expert_half = 28.24, expert_layer_s = 5.795e-05, expert_width = 346.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8092,
      layer_4_s = 2.532e-05, layer_8_s = 3.067e-05, layer_s = 3.192e-05,
      link_efficiency = 0.4949, link_hop_s = 6.459e-07, link_latency_s = 1.776e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7672, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.009224, sequence_s = 1.898e-05,
      step_s = 0.0001, weight_bandwidth = 0.7757,
    },
    {
      attention_efficiency = 0.6358, expert_4 = 1.6, expert_8 = 0.8384,
      expert_bandwidth = 0.8351, expert_efficiency = 0.3445, expert_excess = 0.1571,
      expert_half = 1.006, expert_layer_s = 4.796e-05, expert_width = 111.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8218,
      layer_4_s = 2.69e-05, layer_8_s = 2.692e-05, layer_s = 3.382e-05, link_efficiency = 0.7756,
      link_hop_s = 5.312e-06, link_latency_s = 4.173e-07, matrix_4 = 0.7906, matrix_8 = 0.8634,
      matrix_efficiency = 0.9973, matrix_half = 81.41, matrix_half_4 = 18.87,
      matrix_half_8 = 134.1, request_s = 0.009224, sequence_s = 1.616e-05, step_s = 0.0001,
      weight_bandwidth = 0.8146,
    },
    {
      attention_efficiency = 0.6302, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.8941, expert_efficiency = 0.4507, expert_excess = 0.1941,
      expert_half = 11.45, expert_layer_s = 6.557e-05, expert_width = 211.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8164,
      layer_4_s = 2.698e-05, layer_8_s = 4.153e-05, layer_s = 2.53e-05, link_efficiency = 0.6563,
      link_hop_s = 5.713e-06, link_latency_s = 4.359e-07, matrix_4 = 0.7906, matrix_8 = 0.8891,
      matrix_efficiency = 0.9009, matrix_half = 100, matrix_half_4 = 68.72,
      matrix_half_8 = 17.16, request_s = 0.009224, sequence_s = 9.432e-06, step_s = 0.0001,
      weight_bandwidth = 0.765,
    },
    {
      attention_efficiency = 0.7058, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.8816, expert_efficiency = 0.5423, expert_excess = 0.1013,
      expert_half = 3.685, expert_layer_s = 4.946e-05, expert_width = 209.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8062,
      layer_4_s = 2.336e-05, layer_8_s = 2.921e-05, layer_s = 2.145e-05,
      link_efficiency = 0.7536, link_hop_s = 4.874e-06, link_latency_s = 3.719e-07,
      matrix_4 = 0.7906, matrix_8 = 0.7906, matrix_efficiency = 0.8835, matrix_half = 103,
      matrix_half_4 = 1, matrix_half_8 = 68.72, request_s = 0.009224, sequence_s = 1.531e-05,
      step_s = 0.0001, weight_bandwidth = 0.8089,
    },
    {
      attention_efficiency = 0.6455, expert_4 = 1.6, expert_8 = 0.8384,
      expert_bandwidth = 0.8324, expert_efficiency = 0.3405, expert_excess = 0.1614,
      expert_half = 1.006, expert_layer_s = 4.846e-05, expert_width = 111.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8188,
      layer_4_s = 2.712e-05, layer_8_s = 2.692e-05, layer_s = 3.395e-05,
      link_efficiency = 0.7756, link_hop_s = 5.341e-06, link_latency_s = 4.196e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8634, matrix_efficiency = 0.9937, matrix_half = 81.41,
      matrix_half_4 = 18.87, matrix_half_8 = 134.1, request_s = 0.009224, sequence_s = 1.633e-05,
      step_s = 0.0001, weight_bandwidth = 0.8136,
    },
    {
      attention_efficiency = 0.6398, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.8913, expert_efficiency = 0.4455, expert_excess = 0.1993,
      expert_half = 11.45, expert_layer_s = 6.625e-05, expert_width = 212.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8134,
      layer_4_s = 2.72e-05, layer_8_s = 4.153e-05, layer_s = 2.54e-05, link_efficiency = 0.6563,
      link_hop_s = 5.745e-06, link_latency_s = 4.383e-07, matrix_4 = 0.7906, matrix_8 = 0.8891,
      matrix_efficiency = 0.8977, matrix_half = 100, matrix_half_4 = 68.72,
      matrix_half_8 = 17.16, request_s = 0.009224, sequence_s = 9.534e-06, step_s = 0.0001,
      weight_bandwidth = 0.7641,
    },
    {
      attention_efficiency = 0.7275, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.876, expert_efficiency = 0.5298, expert_excess = 0.1068,
      expert_half = 3.685, expert_layer_s = 5.049e-05, expert_width = 210.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8002,
      layer_4_s = 2.374e-05, layer_8_s = 2.921e-05, layer_s = 2.163e-05,
      link_efficiency = 0.7536, link_hop_s = 4.928e-06, link_latency_s = 3.76e-07,
      matrix_4 = 0.7906, matrix_8 = 0.7906, matrix_efficiency = 0.8771, matrix_half = 103,
      matrix_half_4 = 1, matrix_half_8 = 68.72, request_s = 0.009224, sequence_s = 1.565e-05,
      step_s = 0.0001, weight_bandwidth = 0.8069,
    },
  },
  roots = {
    [[
      212 0 -3 -8 2 0 -1 0 -2 -2 1 4 3 -2 -6;516 28 -5 0 1 0 4 0 -1 3 -4 1 1 -2;1110 0 0 0 0 5 -1
      1 -1 3 1 0 6;438 0 1 -3 -2 -2 1 -2 -1 -7 5 -5;105 0 0 -2 10 -3 -4 -4 3 -9 -1;208 0 9 -1 0 0
      -3 1 -1 1;157 -2 -1 -5 -5 -1 4 -2 -1;846 0 2 5 1 1 -2 -1;417 -8 -14 -13 1 -17 -3;624 17 -1
      1 -3 -1;665 -2 0 -4 -2;515 3 -6 1;817 -3 2;543 -2;420]],
    [[
      215 -2 -1 -3 2 0 2 1 -5 1 -1 2 0 -2 -8;514 24 1 0 1 0 5 0 -3 0 -3 1 0 -2;1044 1 0 -1 1 10 1
      2 -1 3 -1 1 2;422 -1 1 -1 2 -3 -1 -2 -2 -6 1 -2;111 0 2 3 12 -2 0 -3 -2 -6 -1;207 0 8 -1 -1
      1 -5 4 -1 0;161 -2 -5 -1 -2 0 11 -1 1;848 0 2 2 3 -1 0 1;428 -4 -9 -29 1 -25 -3;624 12 -6 1
      -1 1;689 -2 2 -3 -2;520 4 -10 -1;828 0 0;582 0;428]],
    [[
      210 -2 -1 -1 3 0 1 -1 -4 -3 -1 3 0 0 -1;515 38 -2 0 1 0 3 1 0 1 -4 1 0 -3;1091 -2 0 0 1 11
      -1 3 2 4 0 -1 1;417 0 1 -1 -1 0 -3 -3 -2 -3 1 -2;107 0 3 1 6 1 2 -1 -2 -16 -1;211 0 9 0 -1
      -2 -3 0 -2 1;158 -2 -4 -2 0 2 4 0 2;849 -1 6 4 5 -1 -2 -1;421 -15 -16 -13 2 -26 -3;628 19
      -1 0 -8 -2;651 -1 0 -8 -2;514 2 -3 2;817 0 1;574 0;415]],
    [[
      137 0 -4 -12 1 0 -2 0 -3 -3 1 7 9 -3 -9;326 44 -8 0 2 -1 6 0 -2 4 -6 1 1 -4;767 0 0 -1 0 7
      -1 2 -2 5 2 -1 9;298 0 1 -4 -2 -3 1 -3 -1 -10 7 -7;65 0 -1 -3 26 -5 -6 -6 13 -12 -2;133 1
      15 -1 0 1 -5 2 -1 2;100 -2 -1 -8 -7 -2 9 -3 -2;552 0 4 8 2 1 -3 -1;264 -13 -21 -20 -1 -26
      -4;397 26 -1 1 -5 -1;458 -3 0 -7 -3;323 4 -10 2;504 -4 3;366 -3;271]],
    [[
      142 -3 -2 -5 3 0 2 1 -7 1 -1 4 3 -3 -12;321 39 1 0 1 0 7 -1 -5 0 -4 2 0 -4;668 2 1 -1 1 16
      1 3 -1 5 -2 1 4;275 -1 2 -2 3 -5 -1 -2 -3 -10 1 -3;74 1 1 5 25 -3 0 -5 3 -8 -2;131 0 13 -2
      -2 1 -7 6 -1 0;106 -4 -7 -2 -4 0 19 -1 2;554 1 3 4 5 -2 0 1;281 -6 -14 -44 -1 -38 -5;398 18
      -10 2 -1 2;492 -3 2 -5 -3;328 6 -18 -2;522 -1 0;421 -1;283]],
    [[
      135 -4 -2 -2 4 0 0 -2 -6 -5 -2 5 3 0 -3;324 61 -3 0 2 0 4 1 1 2 -6 2 0 -6;738 -2 1 0 1 15
      -2 5 2 6 0 -2 2;267 0 2 -1 -2 0 -5 -5 -3 -5 2 -3;69 0 4 2 17 1 3 -2 4 -23 -2;136 0 14 0 -1
      -4 -5 1 -3 2;103 -3 -6 -3 0 3 9 1 3;556 -1 8 7 7 -1 -3 -2;271 -24 -25 -20 1 -41 -5;403 29
      -3 0 -14 -4;437 -3 -1 -13 -3;322 4 -7 2;504 0 2;409 -1;263]],
    [[
      133 1 -4 -12 -1 0 -5 0 -1 -3 1 7 22 -3 -11;326 44 -8 0 2 -1 6 0 -2 4 -6 1 1 -4;767 0 0 -1 0
      7 -1 2 -2 5 2 -1 9;298 0 1 -4 -2 -3 1 -3 -1 -10 7 -7;55 0 -5 -3 63 -6 -8 -8 42 -9 -5;133 1
      15 -1 0 1 -5 2 -1 2;99 -2 4 -8 -8 -2 21 -3 -3;552 0 4 8 2 1 -3 -1;252 -12 -21 -20 -17 -28
      -3;397 26 -1 1 -5 -1;458 -3 0 -7 -3;323 4 -10 2;497 -5 4;365 -3;271]],
    [[
      141 -3 -2 -5 2 0 1 1 -6 1 -1 4 8 -3 -13;321 39 1 0 1 0 7 -1 -5 0 -4 2 0 -4;668 2 1 -1 1 16
      1 3 -1 5 -2 1 4;275 -1 2 -2 3 -5 -1 -2 -3 -10 1 -3;72 1 0 5 35 -3 0 -5 11 -7 -3;131 0 13 -2
      -2 1 -7 6 -1 0;106 -4 -6 -2 -4 0 22 -1 2;554 0 3 4 5 -2 0 1;278 -6 -14 -44 -4 -39 -4;398 18
      -10 2 -1 2;492 -3 2 -5 -3;328 6 -18 -2;520 -1 1;421 -1;283]],
    [[
      133 -4 -2 -2 3 0 -1 -2 -5 -5 -2 5 8 0 -3;324 61 -3 0 2 0 4 1 1 2 -6 2 0 -6;738 -2 1 0 1 15
      -2 5 2 6 0 -2 2;267 0 2 -1 -2 0 -5 -5 -3 -5 2 -3;66 0 3 2 27 1 3 -3 12 -22 -3;136 0 14 0 -1
      -4 -5 1 -3 2;102 -3 -5 -3 0 3 12 1 3;556 -1 8 7 7 -1 -3 -2;268 -24 -25 -20 -2 -41 -5;403 29
      -3 -1 -14 -4;437 -3 -1 -13 -3;322 4 -7 2;503 0 2;409 -1;263]],
    [[
      91 4 -6 -25 10 1 -3 2 -15 -7 3 26 9 -6 -22;141 136 -21 -3 8 -6 45 5 -32 26 -38 11 7 -24;576
      1 1 -3 0 8 -3 7 -12 17 -1 5 22;213 -1 3 -11 0 -8 1 -5 -6 -20 14 -26;49 3 4 -8 54 -9 -19 -35
      -3 -65 0;45 7 109 -9 0 0 -20 -2 -9 17;52 -19 -20 -25 -37 -1 8 14 -19;324 -2 4 28 11 4 -6
      -5;127 -46 -107 -63 14 -121 -20;146 92 -17 4 -76 -15;216 -6 -4 -68 -20;95 31 -132 -7;79 55
      25;164 -53;119]],
    [[
      114 -9 -6 5 7 2 2 10 -15 6 -6 10 -7 -5 -26;89 127 31 1 5 0 55 -2 -29 1 -17 -10 11 -32;168
      -11 2 -15 -3 49 10 39 -16 28 -15 7 40;136 -5 4 -9 -20 -7 2 -13 -7 -1 2 0;65 1 4 1 32 -6 4
      -11 -5 -32 -3;54 1 80 -7 3 7 -22 78 -4 20;73 -13 -15 -3 -21 -4 63 4 2;353 1 11 15 10 -8 -2
      6;207 -20 -56 -135 15 -93 -13;160 108 -42 15 -23 -2;341 -16 7 -23 -11;100 102 -223 -37;239
      101 13;264 -45;192]],
    [[
      84 -23 -9 4 14 1 -1 -2 -29 -14 -12 21 -5 -2 -15;126 172 5 -1 13 1 50 6 -3 4 -32 -11 1
      -32;510 -9 3 -8 2 29 -8 16 4 20 7 -2 20;128 -2 8 -4 6 7 -14 -22 -18 -5 8 -13;51 1 14 12 39
      17 12 -18 -9 -77 -1;53 -1 60 -1 -6 -8 -20 7 -19 28;57 -17 -30 -25 -22 14 25 21 8;364 -8 19
      17 17 6 -5 -5;171 -91 -102 -59 22 -120 -11;180 54 -2 1 -119 -26;141 5 1 -104 -30;89 33 -123
      4;99 58 25;236 -36;104]],
    [[
      123 -5 -3 -13 4 0 -2 3 -7 -4 1 10 5 -4 -12;220 72 -21 -2 2 -13 21 -2 -19 13 -15 8 2 -22;629
      1 1 -2 2 13 -2 6 -6 7 1 1 16;252 -2 2 -14 -13 -6 1 -6 -7 -29 8 -20;62 1 -2 -6 23 -5 -7 -10
      3 -26 -7;100 2 26 -1 2 2 -7 -2 -1 4;65 -6 -17 -18 -24 -29 2 0 -34;386 2 5 14 6 -2 -6 -4;197
      -46 -90 -142 11 -78 -12;232 134 -56 17 -38 -8;311 -54 -1 -30 -10;140 49 -179 -33;147 71
      40;227 -53;193]],
    [[
      129 -6 3 -4 5 1 1 6 -10 2 -2 7 2 -4 -18;151 130 -3 -1 -7 -6 10 -4 -19 2 -11 1 7 -30;294 -1
      4 -4 5 46 7 28 -9 22 -37 7 35;224 -3 4 -6 1 -5 -1 -5 -5 -17 3 -10;71 1 1 2 23 -4 1 -8 -1
      -18 -9;68 -1 76 -9 3 10 -26 77 -2 -3;87 -2 -11 -7 -9 -7 42 3 -15;379 3 -1 9 10 -34 0 7;224
      -18 -42 -167 15 -85 -11;170 83 -43 23 -20 2;405 -17 3 -14 -7;133 95 -211 -36;308 72 30;306
      -37;223]],
    [[
      119 -9 -1 -1 6 1 0 0 -11 -5 -3 9 0 -1 -6;235 82 -6 -1 2 -2 10 1 -4 4 -10 6 2 -16;598 -3 1
      -1 2 23 -3 7 2 8 -3 -1 6;213 -1 3 -4 -5 0 -6 -9 -8 -12 3 -11;65 1 5 1 15 2 4 -4 -4 -37
      -5;102 -1 38 0 0 -4 -9 8 -4 5;83 -3 -9 -6 -3 -2 13 6 -4;446 -2 10 11 9 -6 -5 -2;228 -40 -53
      -73 6 -72 -7;296 64 -15 3 -32 -6;334 -17 0 -27 -7;233 13 -45 -3;342 4 8;364 -3;211]],
    [[
      121 -9 -8 -14 4 1 -1 1 -6 -5 1 10 5 -5 -12;232 54 -14 -1 6 0 19 1 -13 8 -10 8 2 -14;649 1 1
      -2 0 10 -1 0 -3 6 3 1 9;242 -2 3 -7 -3 -4 2 -4 -2 -14 8 -17;61 1 1 -5 26 -5 -5 -4 0 -24
      -4;98 0 69 -3 4 -5 -9 10 -3 7;82 0 0 -7 -8 -8 28 1 -6;435 4 4 19 10 -13 -2 -4;208 -27 -88
      -102 4 -62 -5;297 60 -18 1 -17 -2;347 -58 3 -33 -6;196 20 -74 -3;326 2 25;315 -6;209]],
    [[
      127 -23 -15 -2 5 1 2 5 -11 -3 -2 6 1 -5 -16;133 76 22 3 11 8 101 -12 -65 0 -24 25 -4 -5;411
      9 4 -8 0 16 4 4 -1 9 -8 3 2;190 -6 6 -8 -1 -6 15 -6 -5 8 3 -9;69 1 1 2 29 -2 4 3 -2 -16
      -4;87 -1 21 4 21 -1 1 7 0 5;89 -14 -3 9 -2 -2 36 3 0;439 5 20 9 13 -19 1 2;233 -30 -55 -132
      2 -72 -6;215 72 -65 8 -22 2;404 -27 3 -19 -6;181 28 -111 -8;371 9 6;372 -4;236]],
    [[
      114 -25 -7 -5 6 2 1 1 -11 -7 -3 9 4 -3 -6;174 73 -31 -1 16 2 34 -1 -15 2 -12 55 -2 -43;617
      0 2 -2 1 18 -2 5 3 6 -5 -1 3;161 -2 8 -6 4 -4 -13 -15 -16 -6 0 -43;63 1 6 2 19 0 10 2 -3
      -34 -9;73 -5 166 -2 11 -25 -12 27 -7 29;79 7 7 -2 17 -12 39 8 1;418 1 8 26 19 -27 -2 -8;218
      -61 -100 -103 -3 -82 -6;267 98 -57 3 -49 -14;265 -78 -1 -53 -6;142 39 -151 -27;213 30
      27;331 -20;163]],
    [[
      123 -5 -5 -14 4 0 -1 1 -6 -4 1 10 6 -4 -11;242 54 -17 -1 5 -2 22 0 -11 8 -11 24 1 -10;673 0
      1 -1 0 9 -1 2 -3 6 0 1 10;250 -1 2 -7 -2 -4 1 -6 -5 -1 8 -16;62 1 1 -4 24 -4 -6 -6 1 -25
      -3;104 1 25 -1 3 0 -7 1 -2 4;84 -3 -4 -9 -13 -4 9 0 -5;458 0 4 13 4 -8 -4 -3;222 -29 -53
      -65 4 -51 -6;298 57 -19 5 -17 -2;364 -20 2 -20 -7;242 13 -34 -1;375 -1 12;326 -5;220]],
    [[
      129 -13 -3 -5 5 1 2 5 -10 0 -2 8 2 -4 -16;162 67 -23 2 13 1 87 -7 -39 1 -17 88 -4 -1;519 6
      1 -5 0 7 3 8 -2 8 -17 4 3;213 -3 6 -5 21 -8 -7 -7 -10 18 2 -9;71 0 3 7 28 0 3 2 -6 -16
      -4;88 -1 0 -2 20 1 -9 -2 -1 3;92 -4 -9 -3 -7 -2 28 2 0;450 3 11 8 10 -34 0 0;233 -30 -46
      -132 8 -71 -6;225 60 -59 31 -22 2;410 -23 3 -16 -6;191 45 -103 -6;386 17 8;374 -4;239]],
    [[
      119 -16 -4 -6 6 1 1 -2 -11 -6 -4 9 6 -1 -6;214 72 -16 0 7 1 23 1 -15 8 -13 72 -1 -24;641 -2
      1 -1 1 18 -3 6 2 6 -5 -1 3;189 -1 5 -5 -2 -2 -7 -19 -17 45 1 -28;64 1 6 2 19 1 10 2 -3 -35
      -8;106 -1 33 -1 0 -6 -9 -5 -5 9;86 1 -7 -4 -4 0 21 5 0;456 -1 13 12 12 -28 -4 -6;224 -63
      -79 -97 8 -76 -6;270 86 -64 18 -49 -10;291 -55 9 -38 -10;177 55 -106 -16;309 29 48;352
      -13;180]],
    [[
      113 2 -7 -20 5 0 0 -2 -4 -5 1 8 4 -6 -14;265 86 -12 0 3 0 8 0 1 4 -8 2 1 -4;708 0 1 -1 1 11
      -3 4 -2 8 3 -3 14;267 0 2 -4 1 -4 -1 -3 -1 -12 9 -8;59 0 3 -3 17 -6 -6 -9 1 -15 -2;112 0 24
      -2 2 1 -6 4 -2 2;85 -2 -2 -13 -7 -1 8 -10 0;472 0 7 8 3 2 -4 -1;216 -22 -16 -20 3 -32
      -7;336 22 2 2 -7 -3;459 -2 0 -4 -2;261 5 -17 4;402 -7 3;324 -5;224]],
    [[
      118 -3 -2 -12 5 0 4 -1 -9 1 -1 4 -2 -5 -16;271 83 -1 0 2 0 9 -1 -5 -1 -5 2 0 -5;617 2 1 -1
      1 23 0 4 0 7 -1 0 6;241 -1 1 -2 8 -7 -3 -2 -1 -19 3 -4;69 0 4 6 21 -4 0 -6 -6 -11 -2;114 0
      29 -2 -1 1 -8 4 -2 0;90 -4 -12 -4 -3 3 19 -6 6;473 1 5 3 8 -1 -1 1;236 -14 -8 -44 2 -49
      -8;350 14 -11 2 -3 2;493 -2 2 -4 -2;273 6 -24 -1;419 -1 -1;391 -2;237]],
    [[
      110 -3 -3 -6 7 0 2 -4 -8 -7 -2 6 -2 -1 -4;265 119 -6 0 2 0 6 1 4 2 -8 1 0 -6;665 -3 1 -1 2
      20 -3 6 3 9 0 -3 5;232 0 2 -2 1 -2 -7 -6 -2 -9 4 -2;62 0 8 3 10 1 3 -4 -6 -30 -3;121 -1 16
      0 0 -4 -4 0 -4 1;87 -3 -9 -3 0 5 7 -2 6;470 -2 12 7 12 -1 -4 -2;223 -34 -21 -19 5 -52
      -9;344 28 -1 -1 -18 -5;437 -2 -1 -12 -2;261 4 -10 5;401 -1 1;378 -2;214]],
    [[
      66 10 -13 -68 10 1 -2 -7 -8 -3 3 14 11 -17 -62;138 236 -18 -1 5 0 36 0 6 6 -32 24 -6 -5;648
      4 1 -2 1 -3 -1 1 -4 20 -5 -8 11;239 2 2 -8 1 -8 1 -1 2 -16 13 -29;37 1 8 -5 41 -15 -9 -33 4
      -10 4;100 1 71 -1 0 2 2 4 -2 4;58 6 1 -32 -7 4 37 -41 -3;367 0 18 10 8 0 -8 1;75 -45 -6 -36
      6 -94 -53;257 22 -14 6 -16 -10;459 0 0 -1 -1;114 19 -116 19;91 -46 27;168 -31;117]],
    [[
      82 -1 -3 -41 16 1 3 -2 -42 2 1 15 -5 -11 -46;231 137 -1 0 3 0 18 1 -7 -1 -10 2 -1 -5;590 1
      1 -2 1 18 0 6 0 11 0 -2 6;223 3 1 -5 7 -23 -2 -2 4 -43 3 -16;57 0 8 5 55 -9 -1 -17 -17 -10
      7;110 0 39 -1 -1 2 -6 3 -2 1;77 -3 -27 -2 -2 9 45 -13 7;441 0 8 3 11 -1 -2 1;125 -11 -1 -31
      22 -125 -70;319 13 -18 1 -2 1;493 -1 1 -2 -1;237 4 -38 1;252 8 14;343 -31;171]],
    [[
      52 -1 -2 -44 26 0 7 -10 -29 -23 0 27 -20 8 -7;146 518 -8 -1 3 0 45 3 -1 3 -29 7 0 -8;335 2
      3 -3 2 -45 -5 17 2 81 -9 -12 19;207 6 2 -4 0 -13 -15 -6 5 -24 10 -3;41 1 13 13 40 6 2 -34
      -3 -64 -17;117 0 20 0 1 -4 1 -1 -4 1;67 -5 -22 12 2 17 12 3 17;395 -1 19 8 47 -4 -5 1;76
      -92 -10 -17 24 -146 -60;250 29 -37 3 -60 -30;437 0 0 -8 0;139 13 -53 -4;77 55 7;302 -42;75]],
    [[
      89 -2 -20 -29 11 1 -4 -2 -18 -18 -1 23 11 -12 -28;144 272 -59 -2 11 -1 18 -5 19 6 -25 -4 8
      -29;578 27 4 -8 5 17 -7 3 -4 28 11 -6 52;221 0 8 -8 11 -8 -3 -1 -7 -19 11 -29;50 0 7 0 37 3
      -8 -23 -6 -24 2;57 -1 36 -7 17 1 -14 57 -12 22;66 0 -16 -31 -9 -1 13 -10 -13;380 -1 3 9 2 1
      -3 -2;156 -106 -15 -79 14 -84 -20;196 20 -5 16 -82 -30;459 0 -1 -2 -1;92 63 -128 -21;154 57
      29;256 -38;142]],
    [[
      92 -7 3 -22 6 -1 15 -6 0 2 -2 -1 -9 -8 -24;192 253 -9 0 6 -3 0 -5 -2 0 -13 9 0 -26;483 11 2
      -5 5 60 2 9 -1 17 -10 2 31;175 -2 -1 2 26 -8 -7 -3 -5 -60 1 -13;65 0 4 15 27 0 0 -7 -9 -15
      -1;67 -2 132 -4 -2 1 -12 6 -5 -1;65 -7 -26 -12 -4 6 28 -8 25;279 3 10 3 25 -2 2 -3;207 -53
      -8 -100 -5 -69 7;305 13 -37 -2 -22 3;493 0 1 -3 -1;95 14 -137 -23;143 5 -35;358 -4;152]],
    [[
      84 -7 -13 -6 14 0 1 -10 -19 -21 -3 13 9 -3 -23;143 270 -41 -1 4 -1 -10 1 31 6 -24 4 4
      -40;519 15 3 -3 4 57 -10 -6 1 26 -9 -5 39;155 0 3 -2 7 0 -17 -7 -12 -25 4 -16;53 1 15 10 30
      25 3 -14 -18 -41 6;102 -1 12 -1 1 -5 -2 -4 -5 2;66 -9 -26 -23 -2 10 26 3 11;315 -10 32 12
      18 -10 -3 -11;171 -135 -24 -51 27 -89 -18;216 26 -4 15 -93 -28;437 0 -1 -9 -1;69 56 -93
      -10;137 61 30;335 -21;122]],
    [[
      138 0 -4 -12 2 0 -1 0 -3 -3 1 7 5 -4 -9;326 44 -8 0 2 -1 6 0 -2 4 -6 1 1 -4;767 0 0 -1 0 7
      -1 2 -2 5 2 -1 9;298 0 1 -4 -2 -3 1 -3 -1 -10 7 -7;66 1 -2 -3 17 -4 -5 -6 10 -12 -1;133 1
      15 -1 0 1 -5 2 -1 2;99 -2 -1 -8 -7 -2 11 -3 -1;552 0 4 8 2 1 -3 -1;266 -13 -22 -21 1 -26
      -4;397 26 -1 1 -5 -1;458 -3 0 -7 -3;323 4 -10 2;505 -4 3;366 -3;271]],
    [[
      143 -3 -2 -5 3 0 2 1 -7 1 -1 4 0 -3 -12;321 39 1 0 1 0 7 -1 -5 0 -4 2 0 -4;668 2 1 -1 1 16
      1 3 -1 5 -2 1 4;275 -1 2 -2 3 -5 -1 -2 -3 -10 1 -3;75 0 1 4 19 -3 1 -4 1 -8 -2;131 0 13 -2
      -2 1 -7 6 -1 0;105 -4 -8 -2 -3 0 21 -1 2;554 1 3 4 5 -2 0 1;283 -6 -14 -44 1 -38 -5;398 18
      -10 2 -1 2;492 -3 2 -5 -3;328 6 -18 -2;522 -1 0;421 -1;283]],
    [[
      135 -4 -2 -2 4 0 1 -2 -7 -5 -2 5 0 0 -2;324 61 -3 0 2 0 4 1 1 2 -6 2 0 -6;738 -2 1 0 1 15
      -2 5 2 6 0 -2 2;267 0 2 -1 -2 0 -5 -5 -3 -5 2 -3;70 0 4 2 10 1 3 -2 1 -23 -2;136 0 14 0 -1
      -4 -5 1 -3 2;102 -3 -6 -3 0 3 10 1 3;556 -1 8 7 7 -1 -3 -2;273 -24 -24 -20 3 -40 -5;403 29
      -3 0 -14 -4;437 -3 -1 -13 -3;322 4 -7 2;505 0 2;409 -1;263]],
    [[
      138 0 -4 -12 2 0 -2 0 -3 -3 1 7 7 -4 -9;326 44 -8 0 2 -1 6 0 -2 4 -6 1 1 -4;767 0 0 -1 0 7
      -1 2 -2 5 2 -1 9;298 0 1 -4 -2 -3 1 -3 -1 -10 7 -7;59 0 -7 -3 24 -4 -5 -5 26 -12 -1;133 1
      15 -1 0 1 -5 2 -1 2;96 -3 1 -8 -7 -2 27 -4 -1;552 0 4 8 2 1 -3 -1;266 -13 -22 -21 -1 -26
      -4;397 26 -1 1 -5 -1;458 -3 0 -7 -3;323 4 -10 2;501 -4 3;366 -3;271]],
    [[
      143 -3 -2 -5 3 0 2 1 -7 1 -1 4 1 -3 -12;321 39 1 0 1 0 7 -1 -5 0 -4 2 0 -4;668 2 1 -1 1 16
      1 3 -1 5 -2 1 4;275 -1 2 -2 3 -5 -1 -2 -3 -10 1 -3;73 1 -1 5 21 -3 1 -4 6 -8 -2;131 0 13 -2
      -2 1 -7 6 -1 0;104 -4 -7 -2 -3 0 25 -1 2;554 1 3 4 5 -2 0 1;283 -6 -14 -44 1 -38 -5;398 18
      -10 2 -1 2;492 -3 2 -5 -3;328 6 -18 -2;521 -1 0;421 -1;283]],
    [[
      135 -4 -2 -2 4 0 1 -2 -7 -5 -2 5 1 0 -2;324 61 -3 0 2 0 4 1 1 2 -6 2 0 -6;738 -2 1 0 1 15
      -2 5 2 6 0 -2 2;267 0 2 -1 -2 0 -5 -5 -3 -5 2 -3;68 0 2 2 12 1 3 -2 7 -23 -2;136 0 14 0 -1
      -4 -5 1 -3 2;101 -3 -5 -3 0 3 15 1 3;556 -1 8 7 7 -1 -3 -2;273 -24 -24 -20 2 -40 -5;403 29
      -3 0 -14 -4;437 -3 -1 -13 -3;322 4 -7 2;504 0 2;409 -1;263]],
    [[
      138 -1 -1 -12 3 0 -1 0 -4 -3 1 6 4 -4 -9;308 113 -11 0 -3 -2 6 -1 -5 4 -12 7 1 -9;728 5 1 4
      3 8 1 6 -2 13 -4 0 16;298 0 1 -4 -2 -3 0 -3 -3 -10 7 -8;68 0 0 -3 16 -4 -6 -4 4 -13 -2;123
      -1 14 -1 0 1 -6 16 -1 -2;100 -3 -3 -10 -7 -6 8 -4 -3;552 0 3 8 2 1 -3 -1;261 -28 -22 -54 3
      -30 -5;390 25 -35 3 -10 -2;458 -3 0 -7 -3;272 11 -28 -1;504 -3 4;364 -4;270]],
    [[
      143 -5 3 -5 3 0 2 1 -7 1 -1 3 0 -4 -12;284 191 -5 0 -9 -4 6 -4 -11 -1 -17 12 -1 -16;558 13
      1 14 9 19 7 15 0 29 -16 4 23;274 -1 2 -3 2 -6 -3 -2 -7 -10 1 -6;77 0 2 4 18 -2 0 -2 -3 -9
      -2;110 -3 7 -4 -5 0 -14 39 -2 -10;105 -5 -11 -7 -4 -11 22 -2 -3;554 0 3 4 3 -1 0 1;275 -32
      -13 -104 5 -44 -7;382 19 -83 7 -10 0;492 0 2 -5 -3;189 34 -79 -16;517 6 4;412 -5;280]],
    [[
      135 -5 1 -2 5 0 1 -2 -7 -5 -2 5 0 0 -2;306 130 -6 0 -3 -1 4 -1 -2 2 -12 8 0 -11;696 2 1 5 4
      16 0 8 2 14 -6 -1 9;266 0 2 -2 -2 -1 -5 -5 -5 -5 2 -4;71 0 5 2 10 2 3 0 -2 -24 -2;127 -2 13
      0 -2 -4 -5 14 -3 -1;102 -3 -7 -5 0 -2 9 1 2;556 -2 8 7 7 -1 -3 -2;268 -39 -25 -52 4 -44
      -6;395 29 -37 2 -19 -5;437 -2 0 -13 -3;271 11 -27 -1;504 1 3;408 -1;262]],
    [[
      138 0 -3 -12 3 0 -1 0 -4 -3 1 6 4 -4 -9;318 73 -9 0 0 -1 6 0 -3 4 -9 4 1 -6;751 2 0 1 2 8 0
      4 -2 8 0 0 12;298 0 1 -4 -2 -3 0 -3 -2 -10 7 -7;68 1 0 -3 16 -4 -6 -5 4 -13 -1;129 0 14 -1
      0 1 -5 8 -1 0;100 -3 -2 -9 -7 -4 7 -4 -2;552 0 4 8 2 1 -3 -1;264 -19 -22 -35 2 -27 -5;394
      26 -15 2 -7 -2;458 -3 0 -7 -3;303 7 -17 1;505 -4 3;365 -4;270]],
    [[
      143 -4 0 -5 3 0 2 1 -7 1 -1 3 0 -3 -12;312 75 0 0 -1 -1 7 -1 -6 0 -7 4 0 -6;644 4 1 2 3 17
      2 5 -1 10 -4 2 8;275 -1 2 -2 3 -5 -2 -2 -3 -10 1 -3;77 1 2 4 17 -3 1 -4 -3 -9 -2;126 0 11
      -2 -2 1 -8 13 -2 -1;106 -4 -8 -3 -4 -2 18 -1 1;555 1 3 4 4 -1 0 1;282 -12 -14 -58 2 -39
      -5;394 19 -27 3 -3 2;492 -2 2 -5 -3;302 9 -26 -3;522 0 0;420 -1;283]],
    [[
      135 -4 -1 -2 5 0 1 -2 -7 -5 -2 5 0 0 -2;316 89 -4 0 0 0 4 0 0 2 -8 4 0 -8;721 -1 1 2 2 16
      -1 6 2 9 -2 -1 5;267 0 2 -1 -2 0 -5 -5 -4 -5 2 -4;71 0 5 2 9 1 3 -1 -2 -24 -2;133 -1 14 0
      -1 -4 -5 6 -3 1;103 -3 -6 -3 0 1 7 1 3;556 -2 8 7 7 -1 -3 -2;271 -30 -25 -34 3 -42 -6;400
      29 -17 0 -16 -4;437 -3 0 -13 -3;302 6 -14 1;505 0 2;409 -1;262]],
    [[
      123 -2 -5 -13 4 0 -1 1 -6 -4 1 10 4 -4 -11;263 46 -10 -1 3 -2 12 1 -6 7 -9 3 2 -7;673 -1 1
      -1 0 10 -2 1 -3 6 2 1 10;257 -1 2 -6 -5 -4 1 -4 -3 -13 8 -12;62 1 1 -5 22 -5 -8 -9 1 -26
      -2;108 1 26 -1 0 1 -7 1 -2 3;84 -4 -4 -9 -12 -4 6 0 -4;464 0 4 13 3 -1 -4 -2;228 -20 -45
      -42 2 -46 -5;320 48 -4 2 -12 -2;375 -9 0 -17 -6;263 7 -19 1;393 -3 5;328 -5;227]],
    [[
      130 -7 -4 -3 5 1 2 3 -10 1 -2 7 -1 -4 -16;246 27 2 0 3 0 16 -1 -9 0 -6 4 1 -5;523 2 1 -3 0
      20 1 3 -2 5 -4 3 4;226 -2 3 -4 2 -5 -1 -5 -5 -8 2 -6;71 1 3 5 23 -4 1 -6 -4 -18 -3;104 1 19
      -3 -1 2 -11 10 -2 2;92 -5 -8 -2 -6 -1 25 2 0;469 1 4 7 6 -5 -1 2;250 -9 -33 -73 2 -58
      -6;307 38 -8 4 -5 3;422 -10 3 -13 -6;269 11 -36 -3;422 1 2;391 -2;246]],
    [[
      119 -8 -4 -1 6 1 1 -1 -11 -5 -3 9 -1 -1 -5;258 59 -3 0 4 1 10 2 -2 2 -8 6 1 -10;642 -3 1 -1
      1 20 -3 5 3 6 0 -1 2;214 -1 3 -3 -3 0 -6 -9 -7 -6 3 -8;65 1 6 2 15 2 5 -4 -4 -37 -3;109 -1
      31 0 -2 -5 -8 1 -4 5;87 -4 -7 -5 -1 2 12 6 2;476 -2 10 10 9 -3 -4 -3;239 -35 -46 -42 3 -62
      -5;327 50 -5 1 -26 -6;344 -9 -1 -25 -6;260 7 -19 1;394 1 5;375 -2;217]],
    [[
      122 -2 -4 -14 4 0 -2 1 -6 -4 2 10 6 -4 -11;262 47 -10 -1 3 -2 12 1 -6 7 -9 6 2 -7;673 0 1
      -1 0 10 -2 1 -3 6 1 1 10;251 -1 2 -7 -5 -4 1 -4 -3 -18 8 -12;62 1 1 -4 22 -5 -7 -9 3 -26
      -2;108 1 27 -1 0 1 -7 1 -2 3;83 -3 -3 -9 -11 -2 14 1 -4;463 0 4 13 3 -1 -4 -2;228 -20 -45
      -42 2 -46 -5;320 48 -4 2 -12 -2;375 -9 -1 -17 -6;263 5 -20 1;386 -3 5;328 -5;227]],
    [[
      129 -7 -4 -4 5 1 1 3 -10 1 -2 7 1 -4 -16;245 28 2 0 3 0 17 -1 -9 0 -6 7 1 -5;523 2 1 -3 0
      20 1 3 -2 5 -5 3 4;219 -2 3 -4 2 -6 -1 -4 -5 -14 2 -5;71 1 2 5 23 -4 2 -6 -3 -18 -3;104 0
      20 -3 -1 2 -10 11 -2 2;91 -3 -8 -3 -5 0 32 3 0;468 1 4 7 5 -6 -1 2;250 -9 -33 -73 2 -58
      -6;307 38 -8 4 -5 3;422 -11 3 -13 -6;268 9 -37 -3;414 0 2;390 -2;246]],
    [[
      116 -8 -2 -2 5 1 -1 -3 -11 -6 -1 8 5 -1 -4;255 63 -4 -1 4 0 11 2 -2 2 -9 16 1 -10;641 -1 1
      -1 2 19 -3 5 2 6 -5 -1 3;184 -1 3 -5 -6 -1 -6 -9 -8 -32 3 -8;64 1 5 3 15 2 6 -3 2 -37
      -3;109 -2 35 0 -2 -4 -7 2 -4 5;83 3 -5 -6 5 8 39 9 2;472 -2 10 9 7 -6 -5 -3;239 -35 -46 -42
      1 -62 -5;327 50 -5 1 -26 -6;343 -10 -5 -26 -6;259 1 -21 1;363 -1 6;374 -2;217]],
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
