--- Constants of the roofline by GPU and engine, from measurements; made by
-- tests/accuracy/calibrate/run.lua, which says how, from 3121 points of 356 configurations and the
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
-- architectures that were not measured; `request_spread`: of request_s, by engine. `handed_steps`:
-- steps of decode that a request takes from a prefill engine to its first token. `versions`:
-- factors of versions of an engine (its first two numbers; any: nobody says which),
-- `version_spread` of others. Read by tandem.llm.rates.

return {
  date = "2026-11-28",
  parameters = {
    "matrix", "expert", "slices", "attention", "weights", "experts_read", "cache", "excess",
    "layer", "quantize_8", "quantize_4", "expert_layer", "sequence", "link_start", "link",
  },
  configuration_spread = { dense = 0.04, moe = 0.11 },
  model_spread = 0.109,
  shape_spread = 0.08,
  architecture_spread = 0.27,
  version_spread = 0.075,
  handed_steps = 15.2,
  request_spread = { vllm = 0.252, sglang = 0.839, trtllm = 0.839 },
  models = {
    ["24x2880-201088-32"] = {
      any = { 0.993, 0.076 }, trtllm = { 0.987, 0.074 },
    },
    ["28x3584-152064-0"] = {
      any = { 1.007, 0.076 }, vllm = { 1.014, 0.075 },
    },
    ["32x4096-128256-0"] = {
      any = { 1.023, 0.075 }, vllm = { 1.026, 0.073 }, sglang = { 1.047, 0.074 },
      trtllm = { 1.021, 0.074 },
    },
    ["32x4096-32000-0"] = {
      any = { 1.000, 0.076 }, vllm = { 0.999, 0.075 },
    },
    ["32x4096-32000-8"] = {
      any = { 0.989, 0.076 }, vllm = { 0.978, 0.075 },
    },
    ["36x2880-201088-128"] = {
      any = { 0.980, 0.075 }, vllm = { 0.958, 0.071 }, trtllm = { 0.981, 0.072 },
    },
    ["36x4096-151936-0"] = {
      any = { 1.003, 0.076 }, vllm = { 1.006, 0.074 },
    },
    ["40x5120-131072-0"] = {
      any = { 0.996, 0.076 }, vllm = { 0.993, 0.075 },
    },
    ["40x5120-151936-0"] = {
      any = { 1.003, 0.076 }, vllm = { 1.005, 0.073 },
    },
    ["48x2048-151936-128"] = {
      any = { 1.000, 0.076 }, trtllm = { 0.999, 0.074 },
    },
    ["48x3840-262144-0"] = {
      any = { 0.997, 0.076 }, vllm = { 0.995, 0.074 },
    },
    ["48x5120-202048-128"] = {
      any = { 0.990, 0.076 }, trtllm = { 0.980, 0.075 },
    },
    ["48x5120-202048-16"] = {
      any = { 1.021, 0.076 }, vllm = { 1.042, 0.074 },
    },
    ["48x8192-32000-0"] = {
      any = { 0.996, 0.076 }, vllm = { 0.992, 0.074 },
    },
    ["56x6144-32768-8"] = {
      any = { 0.994, 0.076 }, vllm = { 0.988, 0.075 },
    },
    ["60x4096-248320-512"] = {
      any = { 1.000, 0.075 }, sglang = { 1.000, 0.071 },
    },
    ["60x7168-64000-0"] = {
      any = { 1.001, 0.076 }, vllm = { 1.002, 0.075 },
    },
    ["61x7168-129280-256"] = {
      any = { 0.997, 0.074 }, vllm = { 1.014, 0.074 }, sglang = { 0.983, 0.070 },
      trtllm = { 0.992, 0.070 },
    },
    ["61x7168-163840-384"] = {
      any = { 0.972, 0.075 }, vllm = { 0.969, 0.071 }, trtllm = { 0.948, 0.074 },
    },
    ["62x3072-200064-256"] = {
      any = { 0.984, 0.075 }, vllm = { 0.969, 0.070 },
    },
    ["64x5120-151936-0"] = {
      any = { 1.015, 0.075 }, vllm = { 1.017, 0.074 }, sglang = { 1.019, 0.074 },
      trtllm = { 1.025, 0.073 },
    },
    ["78x6144-154880-256"] = {
      any = { 1.042, 0.076 }, sglang = { 1.086, 0.072 },
    },
    ["80x8192-128256-0"] = {
      any = { 0.960, 0.075 }, vllm = { 0.931, 0.070 }, trtllm = { 0.949, 0.071 },
    },
    ["80x8192-32000-0"] = {
      any = { 1.003, 0.076 }, vllm = { 1.006, 0.075 },
    },
    ["94x4096-151936-128"] = {
      any = { 1.012, 0.075 }, vllm = { 1.054, 0.072 }, sglang = { 0.997, 0.073 },
      trtllm = { 0.999, 0.072 },
    },
  },
  served = {
    ["24x2880-201088-32 trtllm"] = {
      ["B200 mxfp4"] = { 0.985, 0.068 }, ["GB200 mxfp4"] = { 0.982, 0.068 },
      ["H100 SXM mxfp4"] = { 0.947, 0.064 }, ["H200 SXM mxfp4"] = { 1.003, 0.067 },
    },
    ["28x3584-152064-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.046, 0.055 },
    },
    ["32x4096-128256-0 sglang"] = {
      ["H200 SXM fp8"] = { 1.160, 0.049 },
    },
    ["32x4096-128256-0 trtllm"] = {
      ["H100 SXM bf16"] = { 1.012, 0.046 },
    },
    ["32x4096-128256-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.035, 0.041 }, ["L40S bf16"] = { 1.029, 0.058 },
    },
    ["32x4096-32000-0 vllm"] = {
      ["H100 SXM bf16"] = { 0.998, 0.052 },
    },
    ["32x4096-32000-8 vllm"] = {
      ["H100 SXM bf16"] = { 0.928, 0.048 },
    },
    ["36x2880-201088-128 trtllm"] = {
      ["B200 mxfp4"] = { 0.896, 0.041 }, ["GB200 mxfp4"] = { 1.005, 0.064 },
      ["H100 SXM mxfp4"] = { 1.030, 0.065 }, ["H200 SXM mxfp4"] = { 1.006, 0.040 },
    },
    ["36x2880-201088-128 vllm"] = {
      ["B200 mxfp4"] = { 0.904, 0.039 }, ["H100 SXM mxfp4"] = { 0.908, 0.039 },
      ["H200 SXM mxfp4"] = { 0.969, 0.044 },
    },
    ["36x4096-151936-0 vllm"] = {
      ["B200 bf16"] = { 1.061, 0.057 }, ["H100 SXM bf16"] = { 0.966, 0.054 },
    },
    ["40x5120-131072-0 vllm"] = {
      ["H100 SXM bf16"] = { 0.977, 0.051 },
    },
    ["40x5120-151936-0 vllm"] = {
      ["A100 80GB SXM bf16"] = { 1.043, 0.057 }, ["B200 bf16"] = { 0.989, 0.056 },
      ["H100 SXM bf16"] = { 0.996, 0.044 },
    },
    ["48x2048-151936-128 trtllm"] = {
      ["B200 fp4"] = { 0.997, 0.063 }, ["GB200 fp4"] = { 1.017, 0.064 },
      ["RTX PRO 6000 Server fp4"] = { 0.981, 0.058 },
    },
    ["48x3840-262144-0 vllm"] = {
      ["B200 bf16"] = { 1.003, 0.057 }, ["H100 SXM bf16"] = { 0.975, 0.057 },
    },
    ["48x5120-202048-128 trtllm"] = {
      ["B200 fp4"] = { 0.965, 0.065 }, ["GB200 fp4"] = { 0.972, 0.066 },
      ["H200 SXM fp8"] = { 0.961, 0.067 },
    },
    ["48x5120-202048-16 vllm"] = {
      ["H100 SXM bf16"] = { 1.167, 0.050 }, ["H100 SXM fp8"] = { 1.020, 0.054 },
    },
    ["48x8192-32000-0 vllm"] = {
      ["A100 80GB SXM bf16"] = { 0.989, 0.057 }, ["H100 SXM bf16"] = { 0.976, 0.048 },
    },
    ["56x6144-32768-8 vllm"] = {
      ["H100 SXM bf16"] = { 0.963, 0.053 },
    },
    ["60x4096-248320-512 sglang"] = {
      ["B200 bf16"] = { 1.036, 0.048 }, ["B200 fp4"] = { 0.976, 0.050 },
      ["B200 fp8"] = { 1.007, 0.047 }, ["B300 bf16"] = { 0.955, 0.047 },
      ["B300 fp4"] = { 1.053, 0.049 }, ["B300 fp8"] = { 0.933, 0.047 },
      ["H200 SXM fp8"] = { 1.045, 0.052 },
    },
    ["60x7168-64000-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.005, 0.051 },
    },
    ["61x7168-129280-256 sglang"] = {
      ["B200 fp4-latent"] = { 0.970, 0.036 }, ["B200 fp8"] = { 0.947, 0.039 },
      ["B300 fp4-latent"] = { 1.085, 0.049 }, ["B300 fp8"] = { 1.061, 0.052 },
      ["GB200 fp4-latent"] = { 0.901, 0.051 }, ["GB200 fp8"] = { 0.916, 0.054 },
      ["GB300 fp4-latent"] = { 0.972, 0.057 }, ["GB300 fp8"] = { 0.911, 0.055 },
      ["H200 SXM fp8"] = { 0.919, 0.041 }, ["MI300X fp8"] = { 1.105, 0.060 },
    },
    ["61x7168-129280-256 trtllm"] = {
      ["B200 fp4-latent"] = { 0.935, 0.036 }, ["B200 fp8"] = { 1.146, 0.039 },
      ["GB200 fp4-latent"] = { 0.892, 0.042 }, ["GB200 fp8"] = { 1.041, 0.047 },
      ["GB300 fp4-latent"] = { 0.858, 0.050 }, ["GB300 fp8"] = { 1.020, 0.052 },
      ["H200 SXM fp8"] = { 1.058, 0.035 },
    },
    ["61x7168-129280-256 vllm"] = {
      ["B200 fp8"] = { 1.096, 0.060 },
    },
    ["61x7168-163840-384 trtllm"] = {
      ["GB200 fp4-latent"] = { 0.845, 0.052 },
    },
    ["61x7168-163840-384 vllm"] = {
      ["B200 fp4-latent"] = { 0.893, 0.045 }, ["B200 int4"] = { 1.042, 0.065 },
      ["B300 fp4-latent"] = { 0.934, 0.042 }, ["GB200 fp4-latent"] = { 0.979, 0.056 },
      ["H200 SXM int4"] = { 0.989, 0.053 },
    },
    ["62x3072-200064-256 vllm"] = {
      ["B200 fp4"] = { 0.926, 0.036 }, ["B200 fp8"] = { 0.996, 0.039 },
      ["B300 fp4"] = { 0.923, 0.041 }, ["B300 fp8"] = { 0.997, 0.039 },
      ["H100 SXM fp8"] = { 0.952, 0.046 }, ["H200 SXM fp8"] = { 0.953, 0.045 },
    },
    ["64x5120-151936-0 sglang"] = {
      ["H100 SXM bf16"] = { 1.034, 0.048 },
    },
    ["64x5120-151936-0 trtllm"] = {
      ["B200 fp4"] = { 0.996, 0.061 }, ["GB200 fp4"] = { 1.074, 0.060 },
      ["H100 SXM fp8"] = { 1.053, 0.046 },
    },
    ["64x5120-151936-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.025, 0.052 },
    },
    ["78x6144-154880-256 sglang"] = {
      ["B200 fp4-latent"] = { 1.203, 0.060 }, ["B200 fp8"] = { 1.144, 0.050 },
      ["B300 fp8"] = { 1.097, 0.053 }, ["H200 SXM fp8"] = { 1.113, 0.050 },
    },
    ["80x8192-128256-0 trtllm"] = {
      ["B200 fp4"] = { 1.007, 0.041 }, ["B200 fp8"] = { 0.911, 0.042 },
      ["GB200 fp4"] = { 0.943, 0.064 }, ["H100 SXM fp8"] = { 0.927, 0.067 },
      ["H200 SXM fp8"] = { 0.903, 0.043 }, ["RTX PRO 6000 Server fp4"] = { 0.961, 0.062 },
    },
    ["80x8192-128256-0 vllm"] = {
      ["B200 bf16"] = { 0.867, 0.050 }, ["B200 fp4"] = { 0.981, 0.041 },
      ["B200 fp8"] = { 0.839, 0.040 }, ["H100 SXM bf16"] = { 0.894, 0.042 },
      ["H100 SXM fp8"] = { 0.957, 0.039 }, ["H200 SXM fp8"] = { 0.928, 0.043 },
    },
    ["80x8192-32000-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.019, 0.050 },
    },
    ["94x4096-151936-128 sglang"] = {
      ["H200 SXM fp8"] = { 0.930, 0.047 },
    },
    ["94x4096-151936-128 trtllm"] = {
      ["B200 fp4"] = { 1.023, 0.062 }, ["GB200 fp4"] = { 1.023, 0.065 },
      ["H100 SXM fp8"] = { 0.902, 0.051 }, ["H200 SXM fp8"] = { 0.949, 0.066 },
      ["RTX PRO 6000 Server fp4"] = { 1.042, 0.059 },
    },
    ["94x4096-151936-128 vllm"] = {
      ["B200 fp8"] = { 1.161, 0.049 }, ["H100 SXM fp8"] = { 1.098, 0.046 },
      ["H200 SXM fp8"] = { 1.105, 0.054 },
    },
  },
  versions = {
    vllm = {
      any = { 1.003, 0.095 }, ["0.11"] = { 1.150, 0.028 }, ["0.12"] = { 1.079, 0.048 },
      ["0.15"] = { 0.957, 0.029 }, ["0.16"] = { 1.054, 0.047 }, ["0.17"] = { 1.005, 0.035 },
      ["0.18"] = { 0.921, 0.031 }, ["0.19"] = { 0.923, 0.025 },
    },
    sglang = {
      any = { 0.903, 0.020 }, ["0.5"] = { 0.903, 0.020 },
    },
    trtllm = {
      any = { 0.940, 0.045 }, ["1.0"] = { 0.884, 0.045 }, ["1.1"] = { 0.975, 0.028 },
      ["1.2"] = { 0.951, 0.021 }, ["1.3"] = { 0.931, 0.030 },
    },
  },
  constants = {
    {
      attention_efficiency = 0.488, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8549, expert_efficiency = 0.3354, expert_excess = 0.1859,
      expert_half = 21.45, expert_layer_s = 4.646e-05, expert_width = 73.88,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8287,
      layer_4_s = 1.922e-05, layer_8_s = 2.369e-05, layer_s = 3.875e-05,
      link_efficiency = 0.4951, link_hop_s = 7.15e-07, link_latency_s = 2.433e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.8577, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.134e-05,
      step_s = 0.0001, weight_bandwidth = 0.7816,
    },
    {
      attention_efficiency = 0.4027, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.8115, expert_efficiency = 0.196, expert_excess = 0.2154,
      expert_half = 19.34, expert_layer_s = 6.087e-05, expert_width = 151.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8286,
      layer_4_s = 1.028e-05, layer_8_s = 2.646e-05, layer_s = 3.84e-05, link_efficiency = 0.6199,
      link_hop_s = 7.024e-07, link_latency_s = 1.787e-06, matrix_4 = 0.496, matrix_8 = 0.7954,
      matrix_efficiency = 0.7018, matrix_half = 30.63, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.101e-05, step_s = 0.0001,
      weight_bandwidth = 0.7582,
    },
    {
      attention_efficiency = 0.6369, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8395, expert_efficiency = 0.391, expert_excess = 0.1393,
      expert_half = 28.24, expert_layer_s = 4.773e-05, expert_width = 293.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.789,
      layer_4_s = 2.699e-05, layer_8_s = 2.843e-05, layer_s = 2.991e-05,
      link_efficiency = 0.5246, link_hop_s = 6.208e-07, link_latency_s = 1.707e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7307, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.764e-05,
      step_s = 0.0001, weight_bandwidth = 0.762,
    },
    {
      attention_efficiency = 0.4118, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7696, expert_efficiency = 0.0409, expert_excess = 0.1859,
      expert_half = 17.66, expert_layer_s = 5.271e-05, expert_width = 75.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8153,
      layer_4_s = 8.781e-06, layer_8_s = 1.181e-07, layer_s = 5.563e-05,
      link_efficiency = 0.4545, link_hop_s = 6.987e-07, link_latency_s = 3.082e-06,
      matrix_4 = 0.4789, matrix_8 = 0.5272, matrix_efficiency = 0.8905, matrix_half = 79.83,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.171e-05,
      step_s = 0.0001, weight_bandwidth = 0.736,
    },
    {
      attention_efficiency = 0.3152, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7658, expert_efficiency = 0.04338, expert_excess = 0.2154,
      expert_half = 13.71, expert_layer_s = 7.252e-05, expert_width = 140.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8006,
      layer_4_s = 0, layer_8_s = 1.325e-05, layer_s = 5.732e-05, link_efficiency = 0.4803,
      link_hop_s = 7.351e-07, link_latency_s = 3.243e-06, matrix_4 = 0.4542, matrix_8 = 0.7283,
      matrix_efficiency = 0.7552, matrix_half = 79.83, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.12e-05, step_s = 0.0001,
      weight_bandwidth = 0.7243,
    },
    {
      attention_efficiency = 0.6348, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7532, expert_efficiency = 0.03756, expert_excess = 0.1393,
      expert_half = 22.37, expert_layer_s = 5.721e-05, expert_width = 173.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7968,
      layer_4_s = 1.514e-05, layer_8_s = 1.953e-05, layer_s = 4.433e-05,
      link_efficiency = 0.5353, link_hop_s = 6.497e-07, link_latency_s = 2.866e-06,
      matrix_4 = 0.4411, matrix_8 = 0.6476, matrix_efficiency = 0.7813, matrix_half = 79.83,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.795e-05,
      step_s = 0.0001, weight_bandwidth = 0.7571,
    },
    {
      attention_efficiency = 0.4118, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7696, expert_efficiency = 0.0409, expert_excess = 0.1859,
      expert_half = 17.66, expert_layer_s = 5.271e-05, expert_width = 75.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8074,
      layer_4_s = 9.194e-06, layer_8_s = 1.053e-06, layer_s = 5.306e-05,
      link_efficiency = 0.4773, link_hop_s = 6.653e-07, link_latency_s = 3.269e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5221, matrix_efficiency = 0.8992, matrix_half = 60.69,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.171e-05,
      step_s = 0.0001, weight_bandwidth = 0.7218,
    },
    {
      attention_efficiency = 0.3152, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7658, expert_efficiency = 0.04338, expert_excess = 0.2154,
      expert_half = 13.71, expert_layer_s = 7.252e-05, expert_width = 140.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7928,
      layer_4_s = 0, layer_8_s = 1.212e-05, layer_s = 5.658e-05, link_efficiency = 0.5673,
      link_hop_s = 7.208e-07, link_latency_s = 3.541e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.7406, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.12e-05, step_s = 0.0001,
      weight_bandwidth = 0.7103,
    },
    {
      attention_efficiency = 0.6348, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7532, expert_efficiency = 0.03756, expert_excess = 0.1393,
      expert_half = 22.37, expert_layer_s = 5.721e-05, expert_width = 173.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8126,
      layer_4_s = 1.557e-05, layer_8_s = 1.985e-05, layer_s = 4.778e-05,
      link_efficiency = 0.4315, link_hop_s = 6.958e-07, link_latency_s = 2.475e-06,
      matrix_4 = 0.4368, matrix_8 = 0.6413, matrix_efficiency = 0.789, matrix_half = 72.39,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.795e-05,
      step_s = 0.0001, weight_bandwidth = 0.7873,
    },
    {
      attention_efficiency = 0.4117, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7696, expert_efficiency = 0.0409, expert_excess = 0.1859,
      expert_half = 17.66, expert_layer_s = 5.271e-05, expert_width = 75.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.796,
      layer_4_s = 9.194e-06, layer_8_s = 1.053e-06, layer_s = 5.376e-05,
      link_efficiency = 0.4778, link_hop_s = 6.652e-07, link_latency_s = 3.268e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5221, matrix_efficiency = 0.88, matrix_half = 60.69,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.226e-05,
      step_s = 0.0001, weight_bandwidth = 0.7121,
    },
    {
      attention_efficiency = 0.3152, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7658, expert_efficiency = 0.04338, expert_excess = 0.2154,
      expert_half = 13.71, expert_layer_s = 7.252e-05, expert_width = 140.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7872,
      layer_4_s = 0, layer_8_s = 1.212e-05, layer_s = 5.695e-05, link_efficiency = 0.5675,
      link_hop_s = 7.207e-07, link_latency_s = 3.541e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.7326, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.134e-05, step_s = 0.0001,
      weight_bandwidth = 0.7055,
    },
    {
      attention_efficiency = 0.6347, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7532, expert_efficiency = 0.03756, expert_excess = 0.1393,
      expert_half = 22.37, expert_layer_s = 5.721e-05, expert_width = 173.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8068,
      layer_4_s = 1.557e-05, layer_8_s = 1.985e-05, layer_s = 4.809e-05,
      link_efficiency = 0.4317, link_hop_s = 6.957e-07, link_latency_s = 2.474e-06,
      matrix_4 = 0.4368, matrix_8 = 0.6413, matrix_efficiency = 0.7805, matrix_half = 72.39,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.818e-05,
      step_s = 0.0001, weight_bandwidth = 0.782,
    },
    {
      attention_efficiency = 0.5018, expert_4 = 1.092, expert_8 = 0.7239,
      expert_bandwidth = 0.9752, expert_efficiency = 0.2748, expert_excess = 0.2163,
      expert_half = 55.39, expert_layer_s = 3.913e-05, expert_width = 40.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8938,
      layer_4_s = 1.691e-05, layer_8_s = 3.121e-05, layer_s = 3.666e-05, link_efficiency = 0.308,
      link_hop_s = 4.411e-07, link_latency_s = 4.651e-06, matrix_4 = 0.5723, matrix_8 = 0.5088,
      matrix_efficiency = 0.9168, matrix_half = 58.93, matrix_half_4 = 49.41,
      matrix_half_8 = 35.77, request_s = 0.008985, sequence_s = 2.401e-05, step_s = 0.0001,
      weight_bandwidth = 0.7133,
    },
    {
      attention_efficiency = 0.414, expert_4 = 0.7906, expert_8 = 0.3088,
      expert_bandwidth = 0.8294, expert_efficiency = 0.2427, expert_excess = 0.2076,
      expert_half = 15.21, expert_layer_s = 5.193e-05, expert_width = 98.07,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.868,
      layer_4_s = 8.689e-06, layer_8_s = 4.564e-05, layer_s = 3.727e-05, link_efficiency = 0.39,
      link_hop_s = 4.277e-07, link_latency_s = 2.903e-06, matrix_4 = 0.5557, matrix_8 = 0.9156,
      matrix_efficiency = 0.6964, matrix_half = 50.88, matrix_half_4 = 119.3,
      matrix_half_8 = 33.95, request_s = 0.008985, sequence_s = 9e-06, step_s = 0.0001,
      weight_bandwidth = 0.7186,
    },
    {
      attention_efficiency = 0.693, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.8704, expert_efficiency = 0.3051, expert_excess = 0.19,
      expert_half = 47.49, expert_layer_s = 4.089e-05, expert_width = 90.22,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7739,
      layer_4_s = 2.955e-05, layer_8_s = 2.821e-05, layer_s = 2.104e-05,
      link_efficiency = 0.3976, link_hop_s = 3.796e-07, link_latency_s = 2.653e-06,
      matrix_4 = 0.5723, matrix_8 = 0.7239, matrix_efficiency = 0.7195, matrix_half = 30.88,
      matrix_half_4 = 42.95, matrix_half_8 = 62.5, request_s = 0.008985, sequence_s = 1.385e-05,
      step_s = 0.0001, weight_bandwidth = 0.6997,
    },
    {
      attention_efficiency = 0.6524, expert_4 = 0.625, expert_8 = 0.7906,
      expert_bandwidth = 0.8834, expert_efficiency = 0.3124, expert_excess = 0.2159,
      expert_half = 26.57, expert_layer_s = 3.771e-05, expert_width = 53.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7871,
      layer_4_s = 1.486e-05, layer_8_s = 2.732e-05, layer_s = 3.745e-05,
      link_efficiency = 0.3962, link_hop_s = 3.897e-07, link_latency_s = 5.048e-06,
      matrix_4 = 0.3683, matrix_8 = 0.4659, matrix_efficiency = 0.9326, matrix_half = 1.637,
      matrix_half_4 = 25.14, matrix_half_8 = 17.16, request_s = 0.008985, sequence_s = 2.139e-05,
      step_s = 0.0001, weight_bandwidth = 0.7524,
    },
    {
      attention_efficiency = 0.5281, expert_4 = 0.524, expert_8 = 0.2912,
      expert_bandwidth = 0.8739, expert_efficiency = 0.3228, expert_excess = 0.3117,
      expert_half = 21.42, expert_layer_s = 4.711e-05, expert_width = 215.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8025,
      layer_4_s = 4.874e-06, layer_8_s = 5.561e-05, layer_s = 3.875e-05,
      link_efficiency = 0.4422, link_hop_s = 4.037e-07, link_latency_s = 3.173e-06,
      matrix_4 = 0.3473, matrix_8 = 0.8891, matrix_efficiency = 0.8285, matrix_half = 2.276,
      matrix_half_4 = 202.4, matrix_half_8 = 214.6, request_s = 0.008985, sequence_s = 1.05e-05,
      step_s = 0.0001, weight_bandwidth = 0.7388,
    },
    {
      attention_efficiency = 0.8313, expert_4 = 0.8033, expert_8 = 0.5723,
      expert_bandwidth = 0.8666, expert_efficiency = 0.2978, expert_excess = 0.1664,
      expert_half = 50.36, expert_layer_s = 4.49e-05, expert_width = 118.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7928,
      layer_4_s = 3e-05, layer_8_s = 3.363e-05, layer_s = 2.817e-05, link_efficiency = 0.4973,
      link_hop_s = 3.783e-07, link_latency_s = 2.974e-06, matrix_4 = 0.3577, matrix_8 = 0.6826,
      matrix_efficiency = 0.7708, matrix_half = 36.83, matrix_half_4 = 88.91,
      matrix_half_8 = 68.26, request_s = 0.008985, sequence_s = 1.603e-05, step_s = 0.0001,
      weight_bandwidth = 0.6889,
    },
    {
      attention_efficiency = 0.5347, expert_4 = 0.9711, expert_8 = 1.03,
      expert_bandwidth = 0.9401, expert_efficiency = 0.3915, expert_excess = 0.1452,
      expert_half = 44.38, expert_layer_s = 3.747e-05, expert_width = 38.95,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8543,
      layer_4_s = 1.707e-05, layer_8_s = 2.918e-05, layer_s = 3.837e-05,
      link_efficiency = 0.3064, link_hop_s = 2.703e-07, link_latency_s = 3.713e-06,
      matrix_4 = 0.524, matrix_8 = 0.4659, matrix_efficiency = 0.901, matrix_half = 100,
      matrix_half_4 = 46.59, matrix_half_8 = 23.02, request_s = 0.008985, sequence_s = 1.303e-05,
      step_s = 0.0001, weight_bandwidth = 0.757,
    },
    {
      attention_efficiency = 0.505, expert_4 = 0.7677, expert_8 = 0.3473,
      expert_bandwidth = 0.8958, expert_efficiency = 0.579, expert_excess = 0.1782,
      expert_half = 27.2, expert_layer_s = 4.476e-05, expert_width = 130.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8749,
      layer_4_s = 6.798e-06, layer_8_s = 6.181e-05, layer_s = 3.712e-05,
      link_efficiency = 0.8225, link_hop_s = 1.063e-07, link_latency_s = 3.324e-06,
      matrix_4 = 0.5396, matrix_8 = 0.8384, matrix_efficiency = 0.7301, matrix_half = 88.91,
      matrix_half_4 = 241.4, matrix_half_8 = 164.8, request_s = 0.008985, sequence_s = 6.521e-06,
      step_s = 0.0001, weight_bandwidth = 0.7438,
    },
    {
      attention_efficiency = 0.8556, expert_4 = 0.3232, expert_8 = 0.5723,
      expert_bandwidth = 0.8402, expert_efficiency = 0.4821, expert_excess = 0.1111,
      expert_half = 35.06, expert_layer_s = 4.038e-05, expert_width = 66.08,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8205,
      layer_4_s = 2.424e-05, layer_8_s = 3.459e-05, layer_s = 2.826e-05,
      link_efficiency = 0.8526, link_hop_s = 2.71e-07, link_latency_s = 2.943e-06,
      matrix_4 = 0.4941, matrix_8 = 0.6628, matrix_efficiency = 0.7403, matrix_half = 70.29,
      matrix_half_4 = 1, matrix_half_8 = 70.29, request_s = 0.008985, sequence_s = 9.791e-06,
      step_s = 0.0001, weight_bandwidth = 0.6909,
    },
    {
      attention_efficiency = 0.7126, expert_4 = 0.5557, expert_8 = 0.8891,
      expert_bandwidth = 0.8847, expert_efficiency = 0.547, expert_excess = 0.1712,
      expert_half = 34.41, expert_layer_s = 3.293e-05, expert_width = 46.72,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.836,
      layer_4_s = 1.551e-05, layer_8_s = 2.83e-05, layer_s = 3.486e-05, link_efficiency = 0.5116,
      link_hop_s = 5.824e-07, link_latency_s = 5e-06, matrix_4 = 0.3683, matrix_8 = 0.4659,
      matrix_efficiency = 0.9582, matrix_half = 33.73, matrix_half_4 = 55.57,
      matrix_half_8 = 20.47, request_s = 0.008985, sequence_s = 1.347e-05, step_s = 0.0001,
      weight_bandwidth = 0.7555,
    },
    {
      attention_efficiency = 0.5618, expert_4 = 0.4023, expert_8 = 0.2828,
      expert_bandwidth = 0.8447, expert_efficiency = 0.7828, expert_excess = 0.1872,
      expert_half = 30.3, expert_layer_s = 4.24e-05, expert_width = 115.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.848,
      layer_4_s = 4.898e-06, layer_8_s = 5.901e-05, layer_s = 3.556e-05,
      link_efficiency = 0.7591, link_hop_s = 4.441e-07, link_latency_s = 2.454e-06,
      matrix_4 = 0.318, matrix_8 = 0.7906, matrix_efficiency = 0.8184, matrix_half = 112.5,
      matrix_half_4 = 164.8, matrix_half_8 = 26.84, request_s = 0.008985, sequence_s = 6.494e-06,
      step_s = 0.0001, weight_bandwidth = 0.7421,
    },
    {
      attention_efficiency = 0.9867, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.8613, expert_efficiency = 0.5486, expert_excess = 0.1232,
      expert_half = 53.6, expert_layer_s = 3.864e-05, expert_width = 90.61,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8204,
      layer_4_s = 2.467e-05, layer_8_s = 3.53e-05, layer_s = 2.629e-05, link_efficiency = 0.845,
      link_hop_s = 2.898e-07, link_latency_s = 2.881e-06, matrix_4 = 0.3275, matrix_8 = 0.6628,
      matrix_efficiency = 0.85, matrix_half = 94.29, matrix_half_4 = 115.8,
      matrix_half_8 = 1.265, request_s = 0.008985, sequence_s = 9.591e-06, step_s = 0.0001,
      weight_bandwidth = 0.6911,
    },
    {
      attention_efficiency = 0.4584, expert_4 = 0.8141, expert_8 = 0.4728,
      expert_bandwidth = 0.846, expert_efficiency = 0.283, expert_excess = 0.1793,
      expert_half = 16.07, expert_layer_s = 5.921e-05, expert_width = 101.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8609,
      layer_4_s = 1.685e-05, layer_8_s = 2.114e-05, layer_s = 4.655e-05,
      link_efficiency = 0.5505, link_hop_s = 2.828e-07, link_latency_s = 3.209e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5723, matrix_efficiency = 0.8749, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 160, request_s = 0.008985, sequence_s = 2.842e-05,
      step_s = 0.0001, weight_bandwidth = 0.8543,
    },
    {
      attention_efficiency = 0.3407, expert_4 = 2.337, expert_8 = 1.937,
      expert_bandwidth = 0.7974, expert_efficiency = 0.08869, expert_excess = 0.2077,
      expert_half = 16.54, expert_layer_s = 7.321e-05, expert_width = 187.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8331,
      layer_4_s = 6.711e-06, layer_8_s = 1.152e-05, layer_s = 4.665e-05, link_efficiency = 0.626,
      link_hop_s = 4.05e-07, link_latency_s = 1.743e-06, matrix_4 = 0.477, matrix_8 = 0.6927,
      matrix_efficiency = 0.6997, matrix_half = 15.48, matrix_half_4 = 145.8,
      matrix_half_8 = 174.7, request_s = 0.008985, sequence_s = 1.466e-05, step_s = 0.0001,
      weight_bandwidth = 0.8531,
    },
    {
      attention_efficiency = 0.5838, expert_4 = 0.4538, expert_8 = 0.5723,
      expert_bandwidth = 0.8467, expert_efficiency = 0.3979, expert_excess = 0.1343,
      expert_half = 44.04, expert_layer_s = 5.376e-05, expert_width = 431.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7372,
      layer_4_s = 2.371e-05, layer_8_s = 2.187e-05, layer_s = 3.559e-05,
      link_efficiency = 0.5764, link_hop_s = 2.373e-07, link_latency_s = 1.838e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6927, matrix_efficiency = 0.7454, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008985, sequence_s = 2.35e-05,
      step_s = 0.0001, weight_bandwidth = 0.8533,
    },
    {
      attention_efficiency = 0.467, expert_4 = 0.8141, expert_8 = 0.4659,
      expert_bandwidth = 0.941, expert_efficiency = 0.2638, expert_excess = 0.1514,
      expert_half = 29.11, expert_layer_s = 5.085e-05, expert_width = 122.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8943,
      layer_4_s = 1.742e-05, layer_8_s = 1.832e-05, layer_s = 5.049e-05,
      link_efficiency = 0.6673, link_hop_s = 2.855e-07, link_latency_s = 3.288e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5557, matrix_efficiency = 0.8631, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 146.5, request_s = 0.008985, sequence_s = 2.752e-05,
      step_s = 0.0001, weight_bandwidth = 0.8998,
    },
    {
      attention_efficiency = 0.3393, expert_4 = 2.515, expert_8 = 1.965,
      expert_bandwidth = 0.8576, expert_efficiency = 0.07027, expert_excess = 0.1714,
      expert_half = 15.6, expert_layer_s = 6.377e-05, expert_width = 257.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8332,
      layer_4_s = 7.161e-06, layer_8_s = 9.452e-06, layer_s = 5.488e-05,
      link_efficiency = 0.7204, link_hop_s = 4.06e-07, link_latency_s = 1.826e-06,
      matrix_4 = 0.477, matrix_8 = 0.6628, matrix_efficiency = 0.7091, matrix_half = 10.73,
      matrix_half_4 = 145.8, matrix_half_8 = 169.7, request_s = 0.008985, sequence_s = 1.742e-05,
      step_s = 0.0001, weight_bandwidth = 0.8686,
    },
    {
      attention_efficiency = 0.615, expert_4 = 0.4883, expert_8 = 0.5893,
      expert_bandwidth = 0.893, expert_efficiency = 0.2459, expert_excess = 0.08933,
      expert_half = 41.12, expert_layer_s = 4.096e-05, expert_width = 685.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.877,
      layer_4_s = 2.486e-05, layer_8_s = 1.442e-05, layer_s = 5.26e-05, link_efficiency = 0.5979,
      link_hop_s = 2.383e-07, link_latency_s = 1.987e-06, matrix_4 = 0.4498, matrix_8 = 0.6826,
      matrix_efficiency = 0.6826, matrix_half = 1, matrix_half_4 = 13.46, matrix_half_8 = 1,
      request_s = 0.008985, sequence_s = 3.616e-05, step_s = 0.0001, weight_bandwidth = 0.8421,
    },
    {
      attention_efficiency = 0.3968, expert_4 = 0.8141, expert_8 = 0.4798,
      expert_bandwidth = 0.7387, expert_efficiency = 0.3054, expert_excess = 0.2269,
      expert_half = 8.869, expert_layer_s = 5.911e-05, expert_width = 86.74,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8048,
      layer_4_s = 1.625e-05, layer_8_s = 2.531e-05, layer_s = 3.813e-05,
      link_efficiency = 0.4929, link_hop_s = 2.682e-07, link_latency_s = 2.999e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5893, matrix_efficiency = 0.8856, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 174.7, request_s = 0.008985, sequence_s = 3.067e-05,
      step_s = 0.0001, weight_bandwidth = 0.8489,
    },
    {
      attention_efficiency = 0.2501, expert_4 = 2.172, expert_8 = 1.908,
      expert_bandwidth = 0.7643, expert_efficiency = 0.09862, expert_excess = 0.2834,
      expert_half = 17.55, expert_layer_s = 7.908e-05, expert_width = 131.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8494,
      layer_4_s = 6.246e-06, layer_8_s = 1.292e-05, layer_s = 4.086e-05,
      link_efficiency = 0.4852, link_hop_s = 4.007e-07, link_latency_s = 1.65e-06,
      matrix_4 = 0.477, matrix_8 = 0.7239, matrix_efficiency = 0.6501, matrix_half = 22.35,
      matrix_half_4 = 145.8, matrix_half_8 = 179.9, request_s = 0.008985, sequence_s = 1.431e-05,
      step_s = 0.0001, weight_bandwidth = 0.8538,
    },
    {
      attention_efficiency = 0.5415, expert_4 = 0.4216, expert_8 = 0.5557,
      expert_bandwidth = 0.8032, expert_efficiency = 0.4272, expert_excess = 0.1507,
      expert_half = 47.16, expert_layer_s = 8.846e-05, expert_width = 342.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.6739,
      layer_4_s = 2.246e-05, layer_8_s = 2.389e-05, layer_s = 2.913e-05,
      link_efficiency = 0.4778, link_hop_s = 2.355e-07, link_latency_s = 1.695e-06,
      matrix_4 = 0.4498, matrix_8 = 0.7029, matrix_efficiency = 0.7651, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008985, sequence_s = 2.928e-05,
      step_s = 0.0001, weight_bandwidth = 0.8779,
    },
    {
      attention_efficiency = 0.4411, expert_4 = 1.05, expert_8 = 1.02, expert_bandwidth = 0.8014,
      expert_efficiency = 0.2629, expert_excess = 0.1859, expert_half = 32.16,
      expert_layer_s = 3.645e-05, expert_width = 54.63, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.7886, layer_4_s = 2.671e-05,
      layer_8_s = 1.761e-05, layer_s = 2.412e-05, link_efficiency = 0.6448,
      link_hop_s = 5.41e-06, link_latency_s = 4.283e-07, matrix_4 = 0.6424, matrix_8 = 0.731,
      matrix_efficiency = 0.6732, matrix_half = 33.88, matrix_half_4 = 36.03,
      matrix_half_8 = 83.02, request_s = 0.008985, sequence_s = 2.153e-05, step_s = 0.0001,
      weight_bandwidth = 0.7395,
    },
    {
      attention_efficiency = 0.3376, expert_4 = 0.8909, expert_8 = 1.02,
      expert_bandwidth = 0.8301, expert_efficiency = 0.2788, expert_excess = 0.2154,
      expert_half = 30.53, expert_layer_s = 4.618e-05, expert_width = 61.01,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7744,
      layer_4_s = 1.867e-05, layer_8_s = 1.03e-05, layer_s = 2.485e-05, link_efficiency = 0.6814,
      link_hop_s = 5.691e-06, link_latency_s = 4.506e-07, matrix_4 = 0.6093, matrix_8 = 0.731,
      matrix_efficiency = 0.5709, matrix_half = 33.88, matrix_half_4 = 145.8,
      matrix_half_8 = 83.02, request_s = 0.008985, sequence_s = 1.111e-05, step_s = 0.0001,
      weight_bandwidth = 0.7277,
    },
    {
      attention_efficiency = 0.6799, expert_4 = 0.8961, expert_8 = 1.02,
      expert_bandwidth = 0.7904, expert_efficiency = 0.2414, expert_excess = 0.1393,
      expert_half = 47.24, expert_layer_s = 4.227e-05, expert_width = 64.17,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7707,
      layer_4_s = 3.375e-05, layer_8_s = 6.072e-06, layer_s = 1.922e-05,
      link_efficiency = 0.7594, link_hop_s = 5.03e-06, link_latency_s = 3.983e-07,
      matrix_4 = 0.5917, matrix_8 = 0.731, matrix_efficiency = 0.5907, matrix_half = 33.88,
      matrix_half_4 = 13.46, matrix_half_8 = 83.02, request_s = 0.008985, sequence_s = 1.78e-05,
      step_s = 0.0001, weight_bandwidth = 0.7606,
    },
    {
      attention_efficiency = 0.4632, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.7962, expert_efficiency = 0.5115, expert_excess = 0.1859,
      expert_half = 76.74, expert_layer_s = 4.291e-05, expert_width = 47.38,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7886,
      layer_4_s = 2.671e-05, layer_8_s = 1.857e-05, layer_s = 2.681e-05, link_efficiency = 1,
      link_hop_s = 5.357e-06, link_latency_s = 4.087e-07, matrix_4 = 0.6177, matrix_8 = 0.6628,
      matrix_efficiency = 0.7001, matrix_half = 76.77, matrix_half_4 = 36.03,
      matrix_half_8 = 94.29, request_s = 0.008985, sequence_s = 2.153e-05, step_s = 0.0001,
      weight_bandwidth = 0.7721,
    },
    {
      attention_efficiency = 0.4107, expert_4 = 1.717, expert_8 = 1.965,
      expert_bandwidth = 0.8087, expert_efficiency = 0.1447, expert_excess = 0.2154,
      expert_half = 45.67, expert_layer_s = 4.47e-05, expert_width = 20.19,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7975,
      layer_4_s = 1.867e-05, layer_8_s = 2.724e-07, layer_s = 2.255e-05, link_efficiency = 1,
      link_hop_s = 6.155e-06, link_latency_s = 4.299e-07, matrix_4 = 0.6589, matrix_8 = 0.7455,
      matrix_efficiency = 0.5279, matrix_half = 7.371, matrix_half_4 = 145.8,
      matrix_half_8 = 49.41, request_s = 0.008985, sequence_s = 1.111e-05, step_s = 0.0001,
      weight_bandwidth = 0.6756,
    },
    {
      attention_efficiency = 0.5322, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.8166, expert_efficiency = 0.2391, expert_excess = 0.1393,
      expert_half = 13.24, expert_layer_s = 3.71e-05, expert_width = 223.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7484,
      layer_4_s = 3.375e-05, layer_8_s = 2.342e-05, layer_s = 1.937e-05,
      link_efficiency = 0.3122, link_hop_s = 4.697e-06, link_latency_s = 4.374e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.6142, matrix_half = 68.72,
      matrix_half_4 = 13.46, matrix_half_8 = 122.8, request_s = 0.008985, sequence_s = 1.78e-05,
      step_s = 0.0001, weight_bandwidth = 0.7848,
    },
    {
      attention_efficiency = 0.4632, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.7962, expert_efficiency = 0.5115, expert_excess = 0.1859,
      expert_half = 76.74, expert_layer_s = 4.291e-05, expert_width = 47.38,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7842,
      layer_4_s = 2.671e-05, layer_8_s = 1.857e-05, layer_s = 2.681e-05, link_efficiency = 1,
      link_hop_s = 5.357e-06, link_latency_s = 4.087e-07, matrix_4 = 0.6177, matrix_8 = 0.6628,
      matrix_efficiency = 0.6994, matrix_half = 76.77, matrix_half_4 = 36.03,
      matrix_half_8 = 94.29, request_s = 0.008985, sequence_s = 2.181e-05, step_s = 0.0001,
      weight_bandwidth = 0.7715,
    },
    {
      attention_efficiency = 0.4107, expert_4 = 1.717, expert_8 = 1.965,
      expert_bandwidth = 0.8087, expert_efficiency = 0.1447, expert_excess = 0.2154,
      expert_half = 45.67, expert_layer_s = 4.47e-05, expert_width = 20.19,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7953,
      layer_4_s = 1.867e-05, layer_8_s = 2.724e-07, layer_s = 2.255e-05, link_efficiency = 1,
      link_hop_s = 6.155e-06, link_latency_s = 4.299e-07, matrix_4 = 0.6589, matrix_8 = 0.7455,
      matrix_efficiency = 0.5277, matrix_half = 7.371, matrix_half_4 = 145.8,
      matrix_half_8 = 49.41, request_s = 0.008985, sequence_s = 1.118e-05, step_s = 0.0001,
      weight_bandwidth = 0.6753,
    },
    {
      attention_efficiency = 0.5322, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.8166, expert_efficiency = 0.2391, expert_excess = 0.1393,
      expert_half = 13.24, expert_layer_s = 3.71e-05, expert_width = 223.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7463,
      layer_4_s = 3.375e-05, layer_8_s = 2.342e-05, layer_s = 1.936e-05,
      link_efficiency = 0.3122, link_hop_s = 4.697e-06, link_latency_s = 4.374e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.614, matrix_half = 68.72,
      matrix_half_4 = 13.46, matrix_half_8 = 122.8, request_s = 0.008985, sequence_s = 1.792e-05,
      step_s = 0.0001, weight_bandwidth = 0.7845,
    },
    {
      attention_efficiency = 0.4769, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8282, expert_efficiency = 0.2967, expert_excess = 0.1859,
      expert_half = 21.45, expert_layer_s = 6.498e-05, expert_width = 96.14,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8144,
      layer_4_s = 1.922e-05, layer_8_s = 2.946e-05, layer_s = 4.402e-05,
      link_efficiency = 0.4765, link_hop_s = 7.405e-07, link_latency_s = 2.519e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.8544, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.186e-05,
      step_s = 0.0001, weight_bandwidth = 0.7785,
    },
    {
      attention_efficiency = 0.3897, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.7757, expert_efficiency = 0.1646, expert_excess = 0.2154,
      expert_half = 19.34, expert_layer_s = 9.811e-05, expert_width = 220.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8084,
      layer_4_s = 1.028e-05, layer_8_s = 3.61e-05, layer_s = 4.605e-05, link_efficiency = 0.5871,
      link_hop_s = 7.382e-07, link_latency_s = 1.878e-06, matrix_4 = 0.496, matrix_8 = 0.7954,
      matrix_efficiency = 0.6979, matrix_half = 30.63, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.14e-05, step_s = 0.0001,
      weight_bandwidth = 0.7539,
    },
    {
      attention_efficiency = 0.6223, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8132, expert_efficiency = 0.3459, expert_excess = 0.1393,
      expert_half = 28.24, expert_layer_s = 6.675e-05, expert_width = 381.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7754,
      layer_4_s = 2.699e-05, layer_8_s = 3.535e-05, layer_s = 3.398e-05,
      link_efficiency = 0.5049, link_hop_s = 6.429e-07, link_latency_s = 1.768e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7279, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.808e-05,
      step_s = 0.0001, weight_bandwidth = 0.759,
    },
    {
      attention_efficiency = 0.4816, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8394, expert_efficiency = 0.3125, expert_excess = 0.1859,
      expert_half = 21.45, expert_layer_s = 5.637e-05, expert_width = 85.99,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8204,
      layer_4_s = 1.922e-05, layer_8_s = 2.686e-05, layer_s = 4.171e-05,
      link_efficiency = 0.4843, link_hop_s = 7.296e-07, link_latency_s = 2.482e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.8558, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.164e-05,
      step_s = 0.0001, weight_bandwidth = 0.7798,
    },
    {
      attention_efficiency = 0.3974, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.7968, expert_efficiency = 0.1826, expert_excess = 0.2154,
      expert_half = 19.34, expert_layer_s = 7.385e-05, expert_width = 176.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8203,
      layer_4_s = 1.028e-05, layer_8_s = 3.001e-05, layer_s = 4.133e-05,
      link_efficiency = 0.6064, link_hop_s = 7.167e-07, link_latency_s = 1.824e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.7002, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.117e-05,
      step_s = 0.0001, weight_bandwidth = 0.7565,
    },
    {
      attention_efficiency = 0.6285, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8242, expert_efficiency = 0.3644, expert_excess = 0.1393,
      expert_half = 28.24, expert_layer_s = 5.791e-05, expert_width = 341.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7811,
      layer_4_s = 2.699e-05, layer_8_s = 3.223e-05, layer_s = 3.219e-05,
      link_efficiency = 0.5131, link_hop_s = 6.335e-07, link_latency_s = 1.742e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7291, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.789e-05,
      step_s = 0.0001, weight_bandwidth = 0.7603,
    },
    {
      attention_efficiency = 0.6459, expert_4 = 1.6, expert_8 = 0.8384,
      expert_bandwidth = 0.8426, expert_efficiency = 0.3247, expert_excess = 0.1887,
      expert_half = 1.006, expert_layer_s = 5.013e-05, expert_width = 103,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8059,
      layer_4_s = 2.775e-05, layer_8_s = 2.665e-05, layer_s = 3.37e-05, link_efficiency = 0.8416,
      link_hop_s = 5.007e-06, link_latency_s = 3.934e-07, matrix_4 = 0.7906, matrix_8 = 0.8634,
      matrix_efficiency = 0.9412, matrix_half = 81.41, matrix_half_4 = 18.87,
      matrix_half_8 = 134.1, request_s = 0.008985, sequence_s = 1.673e-05, step_s = 0.0001,
      weight_bandwidth = 0.793,
    },
    {
      attention_efficiency = 0.644, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.8339, expert_efficiency = 0.462, expert_excess = 0.2187,
      expert_half = 11.45, expert_layer_s = 6.95e-05, expert_width = 139.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7914,
      layer_4_s = 2.793e-05, layer_8_s = 5.608e-05, layer_s = 2.699e-05,
      link_efficiency = 0.8893, link_hop_s = 5.424e-06, link_latency_s = 4.138e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8891, matrix_efficiency = 0.7983, matrix_half = 100,
      matrix_half_4 = 68.72, matrix_half_8 = 17.16, request_s = 0.008985, sequence_s = 8.632e-06,
      step_s = 0.0001, weight_bandwidth = 0.7446,
    },
    {
      attention_efficiency = 0.7207, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.8477, expert_efficiency = 0.5061, expert_excess = 0.1414,
      expert_half = 3.685, expert_layer_s = 5.169e-05, expert_width = 208.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7876,
      layer_4_s = 2.507e-05, layer_8_s = 2.922e-05, layer_s = 2.174e-05,
      link_efficiency = 0.8557, link_hop_s = 4.794e-06, link_latency_s = 3.658e-07,
      matrix_4 = 0.7906, matrix_8 = 0.7906, matrix_efficiency = 0.8258, matrix_half = 103,
      matrix_half_4 = 1, matrix_half_8 = 68.72, request_s = 0.008985, sequence_s = 1.383e-05,
      step_s = 0.0001, weight_bandwidth = 0.792,
    },
    {
      attention_efficiency = 0.6533, expert_4 = 1.6, expert_8 = 0.8384,
      expert_bandwidth = 0.8397, expert_efficiency = 0.3215, expert_excess = 0.194,
      expert_half = 1.006, expert_layer_s = 5.046e-05, expert_width = 103.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8038,
      layer_4_s = 2.792e-05, layer_8_s = 2.665e-05, layer_s = 3.38e-05, link_efficiency = 0.8416,
      link_hop_s = 5.024e-06, link_latency_s = 3.948e-07, matrix_4 = 0.7906, matrix_8 = 0.8634,
      matrix_efficiency = 0.9376, matrix_half = 81.41, matrix_half_4 = 18.87,
      matrix_half_8 = 134.1, request_s = 0.008985, sequence_s = 1.689e-05, step_s = 0.0001,
      weight_bandwidth = 0.7921,
    },
    {
      attention_efficiency = 0.6514, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.831, expert_efficiency = 0.4574, expert_excess = 0.2248,
      expert_half = 11.45, expert_layer_s = 6.996e-05, expert_width = 140.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7894,
      layer_4_s = 2.81e-05, layer_8_s = 5.608e-05, layer_s = 2.707e-05, link_efficiency = 0.8893,
      link_hop_s = 5.443e-06, link_latency_s = 4.153e-07, matrix_4 = 0.7906, matrix_8 = 0.8891,
      matrix_efficiency = 0.7952, matrix_half = 100, matrix_half_4 = 68.72,
      matrix_half_8 = 17.16, request_s = 0.008985, sequence_s = 8.712e-06, step_s = 0.0001,
      weight_bandwidth = 0.7438,
    },
    {
      attention_efficiency = 0.7373, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.8418, expert_efficiency = 0.496, expert_excess = 0.1494,
      expert_half = 3.685, expert_layer_s = 5.237e-05, expert_width = 209.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7836,
      layer_4_s = 2.539e-05, layer_8_s = 2.922e-05, layer_s = 2.187e-05,
      link_efficiency = 0.8557, link_hop_s = 4.828e-06, link_latency_s = 3.684e-07,
      matrix_4 = 0.7906, matrix_8 = 0.7906, matrix_efficiency = 0.8194, matrix_half = 103,
      matrix_half_4 = 1, matrix_half_8 = 68.72, request_s = 0.008985, sequence_s = 1.409e-05,
      step_s = 0.0001, weight_bandwidth = 0.7903,
    },
  },
  roots = {
    [[
      212 1 -3 -7 2 1 0 0 -3 -2 1 4 3 -3 -5;517 21 -5 0 1 -1 4 0 -2 3 -4 1 0 -3;1137 1 0 0 0 5 -1
      1 0 3 1 0 3;443 0 1 -2 -2 -1 1 -2 -1 -6 2 -4;106 1 1 -1 10 -2 -1 -6 1 -18 0;207 0 7 -1 1 2
      -2 1 -2 1;156 -1 -3 -3 -4 -1 3 1 0;840 0 2 5 1 1 -2 -1;418 -10 -14 -15 -2 -30 -3;624 17 -1
      1 -5 0;663 -2 0 -6 -1;516 3 0 1;815 -1 1;567 0;416]],
    [[
      214 -3 -5 -3 2 0 1 -2 -5 1 -1 2 -1 -2 -5;518 43 3 0 1 0 8 0 -5 0 -2 0 -1 -5;1074 4 1 0 1 16
      1 1 0 2 -1 0 2;424 -1 1 -1 5 -2 -2 -1 -1 -7 1 -3;111 0 2 3 11 -2 1 -3 -3 -11 -2;207 0 9 -2
      -1 0 -4 5 -1 1;160 -2 -5 -1 -2 0 10 0 1;840 1 2 2 2 -1 -1 0;427 -4 -9 -29 -2 -29 -2;622 10
      -7 1 -1 1;689 -3 1 -4 -1;520 3 -7 -2;832 0 2;597 1;419]],
    [[
      210 -2 -2 -1 3 0 1 -3 -4 -2 -1 3 0 0 -2;516 42 -2 0 2 0 5 1 0 1 -3 1 -1 -3;1092 -1 1 0 1 9
      -1 3 2 3 0 -2 1;419 0 1 -1 1 0 -3 -3 -2 -2 1 -2;107 0 3 0 5 1 3 -1 -2 -20 -1;210 0 15 0 0
      -1 -3 1 -3 1;158 -2 -4 -1 1 2 4 0 1;838 0 4 3 3 0 -3 -1;420 -16 -15 -13 0 -30 -3;627 17 -2
      -1 -8 -2;648 -2 0 -8 -2;514 2 -2 1;816 0 1;588 1;413]],
    [[
      137 1 -5 -11 2 1 -2 0 -2 -2 2 6 15 -5 -7;326 33 -7 0 2 -1 6 0 -3 4 -7 1 0 -5;806 1 0 0 1 7
      -1 2 0 4 1 0 5;305 0 1 -3 -2 -2 1 -2 -2 -8 3 -7;66 2 0 -1 26 -4 -2 -10 9 -26 -1;130 1 11 -2
      1 3 -4 1 -3 1;99 -2 -3 -4 -6 -1 9 2 0;542 0 3 7 2 1 -3 -2;263 -15 -22 -22 -23 -45 -4;397 26
      -2 1 -9 -1;456 -3 0 -10 -2;325 5 -3 2;482 -1 3;399 0;265]],
    [[
      141 -5 -8 -4 3 0 1 -2 -6 1 -1 3 6 -4 -8;327 68 4 1 2 0 12 -1 -7 0 -3 1 -1 -8;713 5 1 0 1 23
      1 2 0 4 -1 0 3;278 -1 2 -2 7 -3 -3 -2 -2 -10 1 -5;75 1 2 4 24 -3 1 -5 1 -14 -2;130 0 14 -3
      -1 0 -6 7 -2 2;106 -3 -8 -2 -3 0 18 0 2;541 1 3 3 3 -2 -1 0;278 -5 -14 -45 -17 -44 -3;394
      15 -12 1 -2 1;492 -4 2 -6 -2;330 4 -15 -3;514 0 4;440 1;270]],
    [[
      134 -4 -4 -2 4 0 0 -4 -5 -4 -1 4 7 0 -3;324 67 -3 0 2 0 8 1 0 2 -5 1 -1 -5;739 -2 1 0 1 13
      -1 4 2 5 0 -3 2;270 0 1 -2 2 -1 -4 -5 -3 -4 2 -3;69 1 4 0 15 2 4 -2 2 -29 -1;135 -1 22 0 0
      -2 -4 1 -5 2;102 -3 -5 -2 1 2 9 1 2;539 -1 7 4 5 -1 -4 -1;268 -24 -23 -20 -14 -46 -4;401 26
      -3 -1 -15 -3;433 -3 -1 -13 -3;322 3 -5 1;487 0 2;428 1;260]],
    [[
      134 1 -5 -11 1 1 -5 0 3 -2 2 6 41 -5 -8;326 33 -7 0 2 -1 6 0 -3 4 -7 0 0 -5;806 1 0 0 1 7
      -1 2 0 4 1 0 5;305 0 1 -3 -2 -2 1 -2 -2 -7 3 -7;58 3 -2 0 60 -4 -2 -12 33 -25 -2;130 1 11
      -4 1 3 -4 0 -3 1;98 -2 1 -5 -6 -1 22 1 0;542 0 3 7 2 0 -3 -2;247 -15 -22 -21 -86 -46 -2;397
      26 -2 0 -9 -1;456 -3 -1 -10 -2;325 3 -3 2;408 -5 8;398 0;265]],
    [[
      140 -5 -8 -4 2 0 0 -2 -4 1 -1 3 15 -4 -8;327 68 4 1 2 0 12 -1 -7 0 -3 1 -1 -8;713 5 1 0 1
      23 1 2 0 4 -1 0 3;278 -1 2 -2 7 -3 -3 -2 -2 -10 1 -5;72 1 1 4 35 -3 1 -5 8 -13 -3;130 0 14
      -3 -1 0 -6 7 -2 2;105 -3 -7 -2 -3 0 22 0 2;541 1 3 3 3 -2 -1 0;273 -5 -14 -45 -37 -45
      -3;394 15 -12 1 -2 1;492 -4 1 -6 -2;330 2 -15 -3;491 -1 5;440 1;270]],
    [[
      133 -4 -4 -2 3 0 -1 -4 -3 -4 -1 4 17 0 -3;324 67 -3 0 2 0 8 1 0 2 -5 1 -1 -5;739 -2 1 0 1
      13 -1 4 2 5 0 -3 2;270 0 1 -2 2 -1 -4 -5 -3 -4 2 -3;66 1 3 0 26 1 4 -2 10 -29 -2;135 -1 22
      0 0 -2 -4 1 -5 2;102 -3 -5 -2 1 2 13 1 2;539 -1 7 4 5 -1 -4 -1;264 -25 -24 -20 -34 -47
      -3;401 26 -3 -2 -15 -3;433 -3 -2 -13 -3;322 2 -5 1;464 -1 4;428 1;260]],
    [[
      91 6 -11 -22 11 2 -4 2 -16 -8 7 28 9 -12 -16;162 95 -13 -2 10 -8 40 9 -36 18 -42 9 0
      -18;689 5 1 -1 1 7 -3 7 -2 9 0 0 8;228 -1 4 -10 0 -4 0 -6 -9 -20 5 -18;49 5 4 -3 49 -8 -15
      -37 -4 -90 3;51 6 88 -11 0 7 -21 -4 -9 13;50 -16 -20 -23 -33 -3 6 17 -15;258 1 5 24 11 5
      -11 -6;125 -52 -107 -67 16 -143 -21;150 94 -19 1 -91 -19;211 -8 -4 -73 -18;103 34 -131
      -7;79 56 22;177 -40;96]],
    [[
      112 -19 -23 7 6 1 1 0 -15 5 -5 10 -7 -6 -20;132 250 47 1 12 4 51 0 -28 1 -13 -18 -3 -61;450
      -7 3 -5 -1 37 2 20 -3 11 2 -1 39;132 -6 3 -14 -13 -6 -6 -8 -7 14 3 9;64 1 3 0 31 -6 3 -9 -6
      -41 -5;52 -3 81 -8 -4 0 -21 75 -9 17;72 -9 -17 1 -21 -7 55 1 -1;262 4 16 12 11 -13 -3 2;202
      -18 -61 -140 12 -96 -11;149 103 -43 0 -28 -6;345 -27 9 -25 -9;103 71 -216 -42;326 50 14;302
      -36;150]],
    [[
      82 -21 -14 -1 13 1 0 -8 -27 -9 -11 19 -5 -3 -17;145 195 1 -1 17 0 33 9 -6 6 -38 -6 -7
      -32;554 -2 3 -9 -1 19 -6 16 5 21 9 -4 20;149 -2 6 -5 30 2 -10 -16 -16 -14 9 -10;49 2 13 15
      34 15 13 -16 -10 -91 2;51 -3 67 1 -1 -3 -22 11 -27 26;55 -13 -24 -22 -20 15 33 15 8;258 -10
      24 19 20 5 -10 -5;167 -93 -98 -61 24 -127 -8;174 45 -3 -1 -123 -26;132 5 2 -107 -22;88 33
      -129 -4;103 55 19;243 -27;93]],
    [[
      122 -6 -7 -12 5 1 -2 2 -7 -3 3 10 4 -6 -10;224 99 -17 -1 4 -18 31 -4 -34 20 -18 11 -1
      -23;695 5 1 0 2 12 -1 7 -3 5 -1 -1 12;261 -1 2 -11 -13 -4 0 -5 -7 -28 4 -17;62 2 -1 -5 23
      -3 -3 -11 2 -42 -6;101 2 20 -1 4 6 -5 -1 -3 2;64 -8 -22 -10 -27 -27 -3 2 -34;338 5 5 14 7 0
      -9 -8;193 -52 -97 -148 15 -100 -15;229 133 -62 16 -47 -8;302 -57 2 -38 -9;144 52 -187
      -36;157 73 42;248 -47;175]],
    [[
      128 -13 -10 -2 4 0 1 1 -10 2 -2 6 0 -5 -13;202 318 7 1 3 -6 36 -2 -25 4 -8 8 -1 -31;372 7 4
      1 8 51 7 35 -6 16 -23 -1 45;228 -2 4 -6 3 -3 -2 -4 -3 -16 2 -11;70 1 1 0 22 -3 1 -7 -4 -26
      -11;76 -2 83 -11 4 9 -23 62 -6 2;87 0 -12 -4 -11 -7 33 1 -17;311 6 2 9 11 -33 -1 6;219 -15
      -43 -173 13 -89 -11;147 76 -44 11 -22 -4;404 -19 5 -16 -5;131 73 -208 -41;358 46 27;331
      -32;193]],
    [[
      118 -10 -7 -1 6 1 0 -3 -10 -3 -2 7 0 -2 -6;242 127 -4 0 5 -4 19 1 -9 6 -10 6 -2 -15;622 0 2
      0 1 20 -2 8 2 6 -2 -4 8;217 -1 3 -5 1 0 -4 -8 -6 -9 3 -9;64 1 5 0 14 3 6 -3 -4 -44 -5;102
      -2 51 1 2 -1 -8 9 -7 4;82 -2 -9 -3 -3 -2 11 3 -5;405 -1 8 8 8 -4 -7 -1;224 -41 -52 -74 7
      -76 -6;291 58 -15 1 -32 -4;327 -17 1 -26 -6;234 11 -43 -4;347 2 7;378 -1;203]],
    [[
      121 -10 -13 -12 5 1 -1 -3 -7 -4 3 9 2 -7 -14;231 34 -11 0 4 -1 12 2 -15 7 -12 4 -1 -30;700
      4 1 -1 1 12 -1 0 1 4 0 0 3;251 -1 2 -6 -8 -2 1 -4 -4 -6 3 -21;62 2 1 -5 25 -4 0 -7 -2 -40
      -5;100 1 35 -1 5 1 -5 4 -4 5;81 4 -1 -3 -5 -5 13 4 5;402 7 3 17 10 -14 -4 -13;206 -30 -93
      -102 2 -81 -6;296 59 -20 1 -22 -2;339 -59 2 -40 -5;206 15 -67 -6;354 3 -2;343 -3;174]],
    [[
      126 -25 -28 0 5 0 2 -3 -10 -2 -1 5 -4 -6 -13;147 101 32 4 8 9 104 -8 -71 1 -16 10 -6
      -44;474 12 5 -6 1 32 5 9 0 6 -6 -1 10;199 -5 4 -10 1 -4 9 -4 -3 9 2 -19;68 0 1 -1 27 -1 4 3
      -5 -23 -9;88 -1 27 1 21 -2 -2 14 -2 23;89 -9 -3 11 -2 -2 32 2 1;398 5 24 7 9 -17 -1 18;229
      -29 -57 -133 -1 -76 -9;199 68 -65 5 -23 -18;402 -31 2 -20 -2;188 16 -102 -29;393 5 16;391
      -10;154]],
    [[
      112 -28 -13 0 6 2 0 0 -9 -4 1 6 -5 -3 -10;163 88 -15 0 18 0 56 -1 -20 3 -14 28 -6 -54;628 1
      2 -1 1 11 -2 5 3 4 -4 -3 6;166 -2 7 -7 4 -4 -11 -14 -13 27 0 -30;62 1 5 1 17 2 12 2 -4 -42
      -10;76 -4 186 -1 12 -18 -8 25 -9 31;78 12 8 0 17 -12 38 4 -2;348 3 5 25 20 -27 -3 -4;215
      -65 -100 -102 -1 -85 -6;261 93 -63 4 -51 -13;252 -84 3 -52 -4;141 38 -151 -32;205 34 10;347
      -18;141]],
    [[
      122 -4 -9 -13 5 1 -1 0 -7 -3 1 10 12 -7 -10;243 38 -15 0 5 -3 29 1 -16 10 -13 21 -2 -17;730
      3 1 0 0 10 -1 1 0 3 1 0 4;259 -1 2 -6 0 -3 0 -6 -6 -4 3 -14;62 2 1 -1 23 -3 -2 -9 -1 -41
      -3;102 0 33 -2 4 3 -6 3 -4 6;83 -2 -6 -5 -11 -3 6 4 -2;431 2 4 10 3 -6 -6 -3;222 -31 -54
      -67 3 -69 -7;297 58 -19 2 -21 -3;358 -20 4 -24 -6;245 13 -29 -3;384 1 9;352 -1;201]],
    [[
      128 -15 -16 -4 5 1 2 -1 -9 0 -3 7 6 -5 -9;172 112 -15 3 13 0 113 -6 -51 4 -14 59 -7 -53;594
      11 2 -2 1 15 3 9 -1 6 -12 0 9;219 -3 4 -7 29 -6 -11 -6 -8 7 1 -15;70 0 2 6 27 0 4 2 -8 -23
      -4;87 -2 15 -3 20 -1 -9 7 -2 23;92 1 -9 -3 -8 -3 24 1 -1;407 5 20 5 9 -30 -2 17;229 -29 -47
      -134 5 -75 -8;208 59 -62 26 -23 -24;408 -25 3 -17 -2;194 33 -97 -25;419 11 24;392 -9;177]],
    [[
      117 -17 -9 -5 6 2 1 -4 -10 -1 -7 5 26 -2 -9;206 88 -17 0 12 -1 52 -1 -27 14 -17 72 -6
      -32;658 0 1 -1 1 11 -2 7 2 5 -7 -3 4;195 -2 4 -7 14 -5 -7 -21 -18 32 1 -28;63 1 5 3 16 2 12
      2 -5 -43 -8;91 -3 122 0 4 -6 -7 3 -7 20;85 7 -7 -3 -5 -1 19 3 -3;395 0 16 8 12 -32 -5
      -5;222 -67 -78 -98 13 -80 -7;265 82 -70 12 -51 -10;277 -60 20 -38 -13;174 63 -108 -27;337
      31 43;366 -15;155]],
    [[
      114 3 -5 -18 5 1 0 -1 -7 -4 3 8 3 -7 -12;263 67 -12 0 2 0 8 0 1 4 -8 2 0 -5;750 1 1 -1 1 11
      -2 4 0 7 1 0 8;277 0 1 -3 1 -3 0 -2 -1 -13 3 -8;60 2 3 -1 18 -6 -2 -13 -2 -38 0;106 1 19 -3
      4 3 -4 2 -5 3;83 -2 -7 -8 -5 1 6 2 3;467 0 6 7 3 2 -4 -1;220 -24 -16 -24 0 -66 -8;336 22 1
      1 -14 -1;456 -2 0 -8 -1;263 6 -3 4;401 -3 3;380 -1;219]],
    [[
      117 -4 -7 -11 5 0 4 -4 -10 1 0 4 -4 -5 -11;278 107 2 0 3 0 14 -1 -7 -1 -3 1 -1 -10;659 4 1
      -1 2 27 1 4 0 5 -1 0 5;247 -1 1 -2 12 -5 -4 -1 -1 -20 1 -6;69 1 4 5 20 -5 1 -7 -9 -23
      -1;111 0 26 -3 -1 1 -6 6 -3 2;90 -5 -13 -3 -3 3 17 -1 6;465 1 5 2 5 -1 -2 0;235 -14 -8 -45
      -1 -63 -6;346 10 -13 1 -6 1;492 -3 1 -5 -1;274 5 -18 -3;427 -1 2;427 0;224]],
    [[
      110 -2 -4 -7 7 0 3 -8 -9 -7 0 6 -3 0 -3;266 124 -6 0 3 0 9 1 3 2 -7 1 -1 -6;657 -3 1 0 1 19
      -3 6 2 8 0 -3 4;239 0 1 -2 5 -1 -6 -5 -2 -9 3 -2;62 0 7 -1 8 1 5 -4 -7 -41 0;117 -1 23 0 1
      -2 -3 1 -6 1;87 -5 -11 -3 1 5 6 2 5;457 -1 11 5 10 -1 -5 -2;222 -34 -20 -19 5 -66 -8;341 24
      -1 -1 -21 -5;433 -2 -1 -12 -2;261 3 -5 4;401 0 1;413 0;212]],
    [[
      66 13 -7 -62 11 5 2 -3 -18 1 7 17 7 -17 -52;133 181 -20 0 3 2 42 1 2 5 -32 40 -7 -2;708 4 0
      -1 0 0 -2 2 -1 16 -6 1 6;256 2 2 -4 3 -10 3 0 3 -18 0 -22;40 5 7 -4 51 -19 -2 -44 -1 -61
      6;56 2 104 -11 13 8 5 2 0 12;49 -1 -19 -16 -3 10 33 4 11;370 2 17 8 9 0 -7 -1;92 -48 -9 -51
      6 -196 -56;261 22 -18 1 -50 -5;456 0 -1 -6 0;121 20 -94 12;105 16 20;284 -40;109]],
    [[
      80 -1 -8 -37 15 1 3 -6 -45 1 1 14 -7 -9 -38;239 165 3 0 3 0 24 1 -10 -1 -7 2 -2 -9;626 2 1
      -1 1 21 0 6 0 10 0 0 5;234 2 1 -4 10 -18 -4 -1 4 -42 1 -15;57 1 7 3 53 -10 0 -19 -20 -29
      10;100 0 38 -2 0 1 -5 5 -2 4;76 -5 -28 0 -1 8 45 -1 8;433 1 9 3 10 -1 -3 -1;120 -8 -2 -34
      14 -155 -64;315 9 -20 1 -6 1;493 -2 1 -4 0;239 4 -26 -1;279 6 16;394 -25;157]],
    [[
      55 -2 -9 -37 27 0 9 -37 -41 -29 4 22 -29 11 7;156 515 -9 -1 3 0 46 3 -1 3 -22 7 -1 -7;298 1
      3 -3 2 -55 -4 17 1 82 -8 -6 16;220 6 1 -3 -4 -13 -14 -4 4 -24 8 -1;40 1 11 10 36 6 3 -33 -6
      -90 -9;106 0 26 0 2 -2 2 -1 -5 1;66 -11 -24 14 3 15 10 15 19;375 2 20 5 53 -2 -4 -3;75 -90
      -11 -15 25 -180 -57;246 25 -36 4 -77 -29;433 0 0 -9 0;137 14 -48 -6;78 62 7;342 -39;74]],
    [[
      91 -1 -14 -26 10 2 -2 -3 -21 -18 2 24 8 -13 -25;135 196 -56 -2 13 0 15 -8 23 8 -31 -12 3
      -31;675 17 2 -7 3 19 -4 2 -2 21 6 1 30;239 -1 8 -5 11 -7 -1 -1 -8 -18 3 -23;51 1 9 1 33 -1
      -3 -24 -9 -53 8;58 0 28 -10 20 5 -14 46 -22 24;64 -1 -24 -28 -5 4 12 2 -5;376 -1 3 8 2 2 -3
      -3;157 -109 -15 -83 14 -125 -21;192 19 -8 15 -107 -25;456 0 -1 -5 0;100 66 -132 -15;146 72
      30;301 -29;141]],
    [[
      90 -8 -3 -24 6 -1 14 -13 -2 3 -1 -3 -14 -9 -17;206 230 -4 0 6 -3 -4 -5 -4 -1 -6 4 -1
      -25;563 7 2 -6 4 56 1 8 0 8 -4 2 21;190 -2 -2 2 37 -7 -9 -2 -6 -58 0 -13;65 0 5 16 25 -1 1
      -6 -10 -27 0;66 -2 117 -6 0 0 -11 8 -7 0;64 -12 -29 -14 -3 7 28 -4 28;290 2 8 2 17 0 0
      -7;206 -56 -7 -98 -6 -83 9;298 9 -46 -3 -26 5;492 0 0 -5 -1;99 12 -128 -15;151 -2 -23;399
      1;142]],
    [[
      84 -5 -13 -10 13 0 4 -13 -22 -21 0 13 6 -5 -25;138 286 -41 -2 3 1 6 0 24 5 -23 2 2 -39;485
      17 4 -2 2 59 -9 -3 0 27 -11 -5 40;173 0 2 -4 14 0 -14 -4 -10 -23 4 -17;51 0 14 7 26 23 5
      -13 -19 -56 8;101 -1 18 0 3 -2 -1 -2 -9 2;67 -7 -31 -24 0 12 21 7 8;297 -11 31 8 18 -10 -5
      -9;168 -140 -23 -50 25 -104 -14;203 21 -5 13 -107 -29;433 0 -1 -10 -1;68 53 -101 -11;132 60
      29;365 -18;120]],
    [[
      138 1 -4 -11 3 1 -1 0 -4 -2 2 6 6 -5 -7;326 33 -7 0 2 -1 6 0 -3 4 -7 1 0 -5;806 1 0 0 1 7
      -1 2 0 4 1 0 5;305 0 1 -3 -2 -2 1 -2 -2 -9 3 -7;67 2 -1 -1 17 -3 -1 -9 7 -26 0;130 1 11 -2
      1 3 -4 1 -3 1;98 -2 -4 -4 -5 -1 10 2 1;542 0 3 7 2 1 -3 -2;268 -15 -22 -23 -4 -45 -5;397 26
      -2 1 -9 -1;456 -3 0 -10 -2;325 5 -3 2;501 -1 2;399 0;265]],
    [[
      142 -5 -8 -4 3 0 2 -2 -7 1 -1 3 -1 -4 -8;327 68 4 1 2 0 12 -1 -7 0 -3 1 -1 -8;713 5 1 0 1
      23 1 2 0 4 -1 0 3;278 -1 2 -2 7 -3 -3 -2 -2 -10 1 -5;75 1 1 4 18 -3 2 -4 -1 -15 -2;130 0 14
      -3 -1 0 -6 7 -2 2;105 -3 -8 -2 -3 0 19 0 2;541 1 3 3 3 -2 -1 0;282 -6 -14 -45 -3 -44 -4;394
      15 -12 1 -2 1;492 -4 1 -6 -2;330 5 -15 -3;529 0 3;441 1;270]],
    [[
      135 -4 -4 -2 4 0 1 -4 -7 -3 -1 4 1 0 -2;324 67 -3 0 2 0 8 1 0 2 -5 2 -1 -5;739 -2 1 0 1 13
      -2 4 2 5 0 -3 2;270 0 1 -2 2 -1 -4 -5 -3 -4 2 -3;69 1 4 0 8 2 4 -2 1 -29 -1;135 -1 22 0 0
      -2 -4 2 -5 2;102 -3 -6 -2 1 3 11 1 2;539 -1 7 4 5 -1 -4 -1;272 -24 -23 -20 1 -46 -4;401 26
      -3 -1 -15 -3;433 -3 0 -13 -3;322 3 -5 1;503 0 1;428 1;260]],
    [[
      138 1 -5 -11 3 1 -2 0 -4 -2 2 7 8 -5 -7;326 33 -7 0 2 -1 6 0 -3 4 -7 1 0 -5;806 1 0 0 1 7
      -1 2 0 4 1 0 5;305 0 1 -3 -2 -2 1 -2 -2 -10 3 -7;60 3 -6 -1 23 -3 0 -9 24 -26 0;130 1 11 -2
      1 3 -4 0 -3 1;95 -2 -3 -4 -5 -1 27 1 1;542 0 3 7 2 1 -3 -2;267 -15 -22 -23 -6 -45 -5;397 26
      -2 1 -9 -1;456 -3 0 -10 -2;325 5 -3 2;496 -1 2;399 0;265]],
    [[
      142 -5 -8 -4 3 0 2 -2 -7 1 -1 3 0 -4 -8;327 68 4 0 2 0 12 -1 -7 0 -3 1 -1 -8;713 5 1 0 1 23
      1 2 0 4 -1 0 3;278 -1 2 -2 7 -3 -3 -2 -2 -11 1 -5;73 1 0 4 20 -3 2 -4 4 -14 -2;130 0 14 -3
      -1 0 -6 7 -2 2;104 -3 -8 -1 -3 0 25 0 2;541 1 3 3 3 -2 -1 0;281 -6 -14 -45 -3 -44 -4;394 15
      -12 1 -2 1;492 -4 1 -6 -2;330 5 -15 -3;527 0 3;441 1;270]],
    [[
      135 -4 -4 -2 4 0 1 -4 -7 -3 -1 4 1 0 -2;324 67 -3 0 2 0 8 1 0 2 -5 2 -1 -5;739 -2 1 0 1 13
      -2 4 2 5 0 -3 2;270 0 1 -2 2 -1 -4 -5 -3 -4 2 -3;67 1 2 0 10 2 5 -2 6 -29 -1;135 -1 22 0 0
      -2 -4 2 -5 2;101 -3 -6 -2 1 3 16 1 2;539 -1 7 4 5 -1 -4 -1;272 -24 -23 -20 0 -46 -4;401 26
      -3 -1 -15 -3;433 -3 0 -13 -3;322 3 -5 1;501 0 1;428 1;260]],
    [[
      138 0 -2 -11 3 1 -1 0 -5 -3 2 6 5 -5 -8;313 79 -11 0 -3 -3 6 -1 -6 4 -12 4 -1 -11;785 5 1 3
      3 7 0 5 0 9 -1 1 11;304 0 1 -3 -2 -2 0 -2 -3 -9 2 -8;69 2 1 -2 16 -2 -2 -7 2 -27 -1;121 -1
      11 -3 0 3 -6 12 -3 -3;99 -2 -6 -7 -6 -5 6 1 -2;542 0 3 7 1 1 -3 -2;262 -35 -22 -54 -2 -50
      -6;383 26 -44 3 -16 -2;456 -2 0 -9 -2;280 10 -20 -2;501 0 3;397 -1;264]],
    [[
      142 -7 -3 -5 3 0 2 -2 -8 0 -1 2 -1 -4 -8;300 169 -2 0 -7 -3 12 -3 -13 0 -12 4 -2 -22;653 13
      2 9 7 24 6 12 0 18 -6 1 19;277 -1 1 -4 6 -4 -5 -2 -5 -10 0 -8;77 0 2 4 17 -1 1 -1 -5 -15
      -3;108 -4 9 -5 -7 -1 -14 34 -3 -9;104 -4 -12 -8 -3 -10 20 -2 -4;541 1 2 3 2 -1 -2 0;273 -42
      -13 -102 0 -51 -6;366 17 -107 6 -16 -3;492 0 2 -6 -2;204 25 -71 -18;526 4 6;433 -3;265]],
    [[
      135 -5 -1 -2 4 0 1 -4 -7 -4 -1 4 0 0 -3;312 112 -6 0 -2 -1 8 0 -3 2 -10 4 -2 -12;716 2 1 4
      3 13 0 8 2 10 -3 -2 9;270 0 1 -2 2 -1 -5 -5 -4 -4 2 -4;71 0 5 0 8 3 4 0 -3 -30 -1;125 -2 23
      0 -2 -2 -6 13 -5 -2;102 -3 -7 -5 1 -2 9 1 0;539 -1 7 4 5 -1 -4 -1;266 -44 -24 -50 2 -51
      -5;387 26 -46 1 -22 -5;433 -2 0 -12 -3;277 9 -25 -3;503 1 2;426 0;259]],
    [[
      138 1 -3 -11 3 1 -1 0 -4 -3 2 6 5 -5 -7;320 53 -9 0 0 -2 6 0 -4 4 -9 2 0 -7;797 3 1 1 1 7
      -1 4 0 6 0 0 7;305 0 1 -3 -2 -2 0 -2 -2 -9 3 -7;69 2 1 -2 16 -3 -2 -8 2 -27 0;127 0 11 -2 1
      3 -5 6 -3 0;99 -2 -5 -6 -6 -3 5 2 -1;542 0 3 7 1 1 -3 -2;265 -23 -22 -36 -3 -47 -5;391 26
      -19 2 -12 -1;456 -2 0 -10 -2;307 7 -9 0;502 -1 2;398 0;264]],
    [[
      142 -6 -6 -4 3 0 2 -2 -7 1 -1 3 -1 -4 -8;321 93 3 1 0 -1 12 -1 -9 0 -5 1 -1 -11;698 7 1 2 3
      23 2 4 0 7 -2 0 7;278 -1 2 -3 7 -4 -3 -2 -2 -10 1 -6;77 1 2 4 17 -3 1 -4 -5 -16 -2;125 -1
      12 -3 -3 0 -7 13 -2 0;106 -4 -9 -3 -3 -3 16 -1 0;541 1 3 3 2 -1 -1 0;280 -14 -14 -58 -2 -45
      -4;387 16 -34 2 -5 0;492 -3 2 -6 -2;306 7 -23 -5;529 0 3;440 0;269]],
    [[
      135 -4 -3 -2 4 0 1 -4 -7 -4 -1 4 0 0 -3;319 86 -4 0 1 0 8 1 -2 2 -7 2 -1 -8;730 0 1 2 2 13
      -1 6 2 7 -1 -2 5;270 0 1 -2 2 -1 -4 -5 -3 -4 2 -3;71 1 5 0 8 2 4 -1 -3 -30 -1;131 -1 22 0
      -1 -2 -5 6 -5 0;102 -3 -6 -3 1 1 7 1 1;539 -1 7 4 5 -1 -4 -1;270 -33 -23 -32 1 -48 -4;395
      26 -21 0 -18 -4;433 -3 0 -13 -3;304 5 -12 0;503 1 2;427 0;260]],
    [[
      123 -2 -8 -11 5 1 -1 0 -7 -3 3 10 4 -7 -9;265 40 -8 0 3 -3 13 2 -9 7 -11 3 0 -9;730 3 1 0 0
      10 -1 1 0 3 1 0 4;265 -1 2 -5 -4 -2 1 -4 -4 -12 4 -11;63 2 1 -3 22 -4 -3 -12 0 -42 -2;108 1
      19 -2 1 3 -6 1 -4 3;83 -4 -6 -5 -11 -2 4 4 -2;441 1 3 11 2 0 -5 -4;228 -22 -45 -45 1 -64
      -6;320 48 -4 1 -16 -1;371 -9 0 -21 -5;266 7 -13 1;395 -2 3;355 0;215]],
    [[
      128 -10 -15 -2 4 0 2 -2 -10 1 -2 6 -2 -5 -10;256 84 8 1 4 1 25 0 -12 1 -5 3 -2 -14;598 7 2
      0 1 32 2 2 0 3 -3 -1 3;229 -2 3 -5 6 -4 -4 -3 -4 -8 1 -8;71 1 2 4 22 -3 2 -5 -6 -26 -5;105
      0 22 -3 -1 1 -9 12 -3 6;92 -3 -9 -1 -7 -1 22 1 -1;439 1 4 5 3 -4 -3 2;247 -8 -33 -75 1 -62
      -5;302 33 -9 2 -6 1;422 -12 2 -14 -4;270 8 -33 -5;437 0 6;406 0;221]],
    [[
      118 -9 -8 -1 6 1 1 -4 -10 -3 -2 7 0 -2 -5;259 75 -2 0 5 0 16 2 -4 4 -9 5 -2 -10;659 -1 1 0
      1 17 -2 5 3 4 0 -4 2;218 -1 3 -3 3 0 -5 -8 -6 -3 3 -7;64 1 5 1 13 3 6 -3 -4 -45 -3;108 -1
      45 1 0 -2 -7 4 -7 5;86 -3 -6 -4 0 2 12 3 1;442 -1 8 7 6 -2 -7 -2;236 -36 -44 -41 3 -67
      -4;325 45 -6 -1 -26 -4;338 -9 0 -24 -5;260 6 -17 -1;396 0 3;390 0;210]],
    [[
      122 -2 -8 -12 4 1 -2 0 -7 -3 3 10 6 -6 -9;264 42 -9 0 3 -3 14 2 -9 7 -11 6 0 -9;730 3 1 0 1
      10 -1 1 0 3 -1 0 4;259 -1 2 -6 -5 -2 1 -4 -4 -16 4 -11;62 2 1 -2 22 -4 -3 -11 1 -42 -2;107
      0 22 -1 1 4 -5 1 -4 3;82 -1 -5 -5 -9 -1 11 5 -2;439 1 3 10 2 -1 -6 -4;228 -22 -45 -45 1 -64
      -6;320 48 -4 1 -16 -1;371 -10 -1 -21 -5;265 6 -14 1;390 -2 3;355 0;215]],
    [[
      127 -10 -15 -2 4 0 1 -2 -10 1 -1 6 -1 -5 -10;255 85 8 1 4 0 25 0 -12 1 -4 5 -2 -14;597 8 3
      0 1 31 2 2 -1 3 -4 -1 3;223 -2 3 -5 6 -4 -4 -3 -4 -13 1 -8;71 1 2 4 22 -3 2 -5 -5 -26
      -5;104 -1 25 -3 -1 2 -8 13 -3 6;91 -1 -8 -1 -5 0 28 2 -1;437 1 4 5 2 -5 -3 2;247 -8 -33 -75
      0 -62 -5;302 34 -9 2 -6 1;422 -12 1 -14 -4;269 7 -34 -5;432 0 6;406 0;221]],
    [[
      115 -8 -7 -2 5 1 -2 -6 -10 -3 0 6 5 -1 -5;256 81 -3 0 5 -1 18 2 -4 3 -9 14 -2 -11;657 1 2 0
      2 15 -2 5 3 4 -6 -4 3;191 -1 3 -6 -1 -1 -5 -8 -7 -25 3 -7;64 1 4 3 13 3 8 -3 1 -44 -3;107
      -3 56 2 0 0 -4 6 -7 4;82 8 -4 -4 7 8 36 5 0;433 -2 9 4 3 -6 -8 -1;236 -36 -45 -42 2 -67
      -4;325 45 -6 -1 -26 -4;337 -11 -4 -25 -5;259 0 -19 0;374 -1 4;389 0;210]],
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
      vllm = { points = 543, configurations = 45, near = 5, constants = 13, root = 10,
        kernels = "0.24.0" },
      sglang = { points = 217, configurations = 35, near = 5, constants = 14, root = 11,
        kernels = "0.5.14" },
      trtllm = { points = 380, configurations = 67, near = 5, constants = 15, root = 12,
        kernels = "1.3.0rc20" },
    },
    ["B300"] = {
      vllm = { points = 132, configurations = 17, near = 5, constants = 16, root = 13,
        kernels = "0.24.0" },
      sglang = { points = 111, configurations = 12, near = 5, constants = 17, root = 14,
        kernels = "0.5.14" },
      trtllm = { points = 0, configurations = 0, near = 5, constants = 18, root = 15,
        kernels = "1.3.0rc20" },
    },
    ["GB200"] = {
      vllm = { points = 11, configurations = 1, near = 5, constants = 19, root = 16,
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
      vllm = { points = 237, configurations = 17, near = 2, constants = 31, root = 28,
        kernels = "0.24.0" },
      sglang = { points = 123, configurations = 14, near = 2, constants = 32, root = 29,
        kernels = "0.5.14" },
      trtllm = { points = 240, configurations = 27, near = 2, constants = 33, root = 30,
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
