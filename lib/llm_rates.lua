--- Constants of the roofline by GPU and engine, from measurements; made by
-- tests/accuracy/calibrate/run.lua, which says how, from 3130 points of 358 configurations and the
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
  configuration_spread = { dense = 0.045, moe = 0.115 },
  model_spread = 0.105,
  shape_spread = 0.08,
  architecture_spread = 0.27,
  version_spread = 0.075,
  handed_steps = 13.9,
  request_spread = { vllm = 0.839, sglang = 0.839, trtllm = 0.839 },
  models = {
    ["24x2880-201088-32"] = {
      any = { 0.988, 0.079 }, trtllm = { 0.981, 0.077 },
    },
    ["28x3584-152064-0"] = {
      any = { 1.011, 0.079 }, vllm = { 1.017, 0.078 },
    },
    ["32x4096-128256-0"] = {
      any = { 1.028, 0.077 }, vllm = { 1.029, 0.074 }, sglang = { 1.048, 0.075 },
      trtllm = { 1.023, 0.075 },
    },
    ["32x4096-32000-0"] = {
      any = { 0.999, 0.079 }, vllm = { 0.998, 0.077 },
    },
    ["32x4096-32000-8"] = {
      any = { 0.982, 0.079 }, vllm = { 0.971, 0.077 },
    },
    ["36x2880-201088-128"] = {
      any = { 0.972, 0.076 }, vllm = { 0.951, 0.072 }, trtllm = { 0.976, 0.072 },
    },
    ["36x4096-151936-0"] = {
      any = { 1.004, 0.079 }, vllm = { 1.006, 0.076 },
    },
    ["40x5120-131072-0"] = {
      any = { 0.994, 0.079 }, vllm = { 0.990, 0.077 },
    },
    ["40x5120-151936-0"] = {
      any = { 1.002, 0.078 }, vllm = { 1.004, 0.074 },
    },
    ["48x2048-151936-128"] = {
      any = { 1.004, 0.079 }, trtllm = { 1.006, 0.076 },
    },
    ["48x3840-262144-0"] = {
      any = { 0.996, 0.079 }, vllm = { 0.993, 0.076 },
    },
    ["48x5120-202048-128"] = {
      any = { 0.992, 0.079 }, trtllm = { 0.987, 0.077 },
    },
    ["48x5120-202048-16"] = {
      any = { 1.030, 0.079 }, vllm = { 1.049, 0.075 },
    },
    ["48x8192-32000-0"] = {
      any = { 0.993, 0.079 }, vllm = { 0.988, 0.075 },
    },
    ["56x6144-32768-8"] = {
      any = { 0.990, 0.079 }, vllm = { 0.984, 0.077 },
    },
    ["60x4096-248320-512"] = {
      any = { 1.003, 0.077 }, sglang = { 1.005, 0.072 },
    },
    ["60x7168-64000-0"] = {
      any = { 1.001, 0.079 }, vllm = { 1.002, 0.077 },
    },
    ["61x7168-129280-256"] = {
      any = { 1.008, 0.075 }, vllm = { 1.024, 0.074 }, sglang = { 1.001, 0.071 },
      trtllm = { 1.002, 0.070 },
    },
    ["61x7168-163840-384"] = {
      any = { 0.958, 0.077 }, vllm = { 0.954, 0.072 }, trtllm = { 0.938, 0.075 },
    },
    ["62x3072-200064-256"] = {
      any = { 0.974, 0.077 }, vllm = { 0.959, 0.071 },
    },
    ["64x5120-151936-0"] = {
      any = { 1.015, 0.077 }, vllm = { 1.016, 0.076 }, sglang = { 1.016, 0.075 },
      trtllm = { 1.022, 0.074 },
    },
    ["78x6144-154880-256"] = {
      any = { 1.067, 0.078 }, sglang = { 1.110, 0.073 },
    },
    ["80x8192-128256-0"] = {
      any = { 0.934, 0.076 }, vllm = { 0.910, 0.071 }, trtllm = { 0.921, 0.072 },
    },
    ["80x8192-32000-0"] = {
      any = { 1.004, 0.079 }, vllm = { 1.006, 0.077 },
    },
    ["94x4096-151936-128"] = {
      any = { 1.017, 0.076 }, vllm = { 1.057, 0.073 }, sglang = { 1.003, 0.075 },
      trtllm = { 1.003, 0.073 },
    },
  },
  served = {
    ["24x2880-201088-32 trtllm"] = {
      ["B200 mxfp4"] = { 0.980, 0.070 }, ["GB200 mxfp4"] = { 0.975, 0.069 },
      ["H100 SXM mxfp4"] = { 0.939, 0.066 }, ["H200 SXM mxfp4"] = { 0.998, 0.069 },
    },
    ["28x3584-152064-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.047, 0.057 },
    },
    ["32x4096-128256-0 sglang"] = {
      ["H200 SXM fp8"] = { 1.147, 0.050 },
    },
    ["32x4096-128256-0 trtllm"] = {
      ["H100 SXM bf16"] = { 1.004, 0.047 },
    },
    ["32x4096-128256-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.033, 0.044 }, ["L40S bf16"] = { 1.029, 0.059 },
    },
    ["32x4096-32000-0 vllm"] = {
      ["H100 SXM bf16"] = { 0.995, 0.053 },
    },
    ["32x4096-32000-8 vllm"] = {
      ["H100 SXM bf16"] = { 0.922, 0.049 },
    },
    ["36x2880-201088-128 trtllm"] = {
      ["B200 mxfp4"] = { 0.899, 0.041 }, ["GB200 mxfp4"] = { 1.000, 0.065 },
      ["H100 SXM mxfp4"] = { 1.025, 0.066 }, ["H200 SXM mxfp4"] = { 1.006, 0.040 },
    },
    ["36x2880-201088-128 vllm"] = {
      ["B200 mxfp4"] = { 0.901, 0.039 }, ["H100 SXM mxfp4"] = { 0.901, 0.040 },
      ["H200 SXM mxfp4"] = { 0.957, 0.045 },
    },
    ["36x4096-151936-0 vllm"] = {
      ["B200 bf16"] = { 1.064, 0.058 }, ["H100 SXM bf16"] = { 0.963, 0.055 },
    },
    ["40x5120-131072-0 vllm"] = {
      ["H100 SXM bf16"] = { 0.973, 0.052 },
    },
    ["40x5120-151936-0 vllm"] = {
      ["A100 80GB SXM bf16"] = { 1.041, 0.057 }, ["B200 bf16"] = { 0.987, 0.057 },
      ["H100 SXM bf16"] = { 0.990, 0.044 },
    },
    ["48x2048-151936-128 trtllm"] = {
      ["B200 fp4"] = { 1.005, 0.065 }, ["GB200 fp4"] = { 1.020, 0.066 },
      ["RTX PRO 6000 Server fp4"] = { 1.004, 0.060 },
    },
    ["48x3840-262144-0 vllm"] = {
      ["B200 bf16"] = { 1.002, 0.059 }, ["H100 SXM bf16"] = { 0.972, 0.058 },
    },
    ["48x5120-202048-128 trtllm"] = {
      ["B200 fp4"] = { 0.980, 0.067 }, ["GB200 fp4"] = { 0.979, 0.068 },
      ["H200 SXM fp8"] = { 0.978, 0.069 },
    },
    ["48x5120-202048-16 vllm"] = {
      ["H100 SXM bf16"] = { 1.167, 0.051 }, ["H100 SXM fp8"] = { 1.026, 0.054 },
    },
    ["48x8192-32000-0 vllm"] = {
      ["A100 80GB SXM bf16"] = { 0.984, 0.058 }, ["H100 SXM bf16"] = { 0.974, 0.049 },
    },
    ["56x6144-32768-8 vllm"] = {
      ["H100 SXM bf16"] = { 0.958, 0.055 },
    },
    ["60x4096-248320-512 sglang"] = {
      ["B200 bf16"] = { 1.039, 0.049 }, ["B200 fp4"] = { 0.972, 0.051 },
      ["B200 fp8"] = { 1.019, 0.048 }, ["B300 bf16"] = { 0.963, 0.046 },
      ["B300 fp4"] = { 1.051, 0.049 }, ["B300 fp8"] = { 0.954, 0.047 },
      ["H200 SXM fp8"] = { 1.053, 0.052 },
    },
    ["60x7168-64000-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.004, 0.052 },
    },
    ["61x7168-129280-256 sglang"] = {
      ["B200 fp4-latent"] = { 0.966, 0.037 }, ["B200 fp8"] = { 0.956, 0.040 },
      ["B300 fp4-latent"] = { 1.089, 0.048 }, ["B300 fp8"] = { 1.084, 0.052 },
      ["GB200 fp4-latent"] = { 0.959, 0.050 }, ["GB200 fp8"] = { 0.950, 0.054 },
      ["GB300 fp4-latent"] = { 1.002, 0.053 }, ["GB300 fp8"] = { 0.942, 0.056 },
      ["H200 SXM fp8"] = { 0.932, 0.042 }, ["MI300X fp8"] = { 1.126, 0.060 },
    },
    ["61x7168-129280-256 trtllm"] = {
      ["B200 fp4-latent"] = { 0.922, 0.036 }, ["B200 fp8"] = { 1.142, 0.039 },
      ["GB200 fp4-latent"] = { 0.916, 0.042 }, ["GB200 fp8"] = { 1.060, 0.047 },
      ["GB300 fp4-latent"] = { 0.880, 0.049 }, ["GB300 fp8"] = { 1.042, 0.051 },
      ["H200 SXM fp8"] = { 1.058, 0.035 },
    },
    ["61x7168-129280-256 vllm"] = {
      ["B200 fp8"] = { 1.103, 0.061 },
    },
    ["61x7168-163840-384 trtllm"] = {
      ["GB200 fp4-latent"] = { 0.850, 0.052 },
    },
    ["61x7168-163840-384 vllm"] = {
      ["B200 fp4-latent"] = { 0.876, 0.046 }, ["B200 int4"] = { 1.024, 0.066 },
      ["B300 fp4-latent"] = { 0.917, 0.043 }, ["GB200 fp4-latent"] = { 0.967, 0.057 },
      ["H200 SXM int4"] = { 0.975, 0.054 },
    },
    ["62x3072-200064-256 vllm"] = {
      ["B200 fp4"] = { 0.912, 0.037 }, ["B200 fp8"] = { 0.986, 0.039 },
      ["B300 fp4"] = { 0.914, 0.041 }, ["B300 fp8"] = { 0.992, 0.039 },
      ["H100 SXM fp8"] = { 0.944, 0.046 }, ["H200 SXM fp8"] = { 0.941, 0.046 },
    },
    ["64x5120-151936-0 sglang"] = {
      ["H100 SXM bf16"] = { 1.020, 0.049 },
    },
    ["64x5120-151936-0 trtllm"] = {
      ["B200 fp4"] = { 0.990, 0.063 }, ["GB200 fp4"] = { 1.068, 0.061 },
      ["H100 SXM fp8"] = { 1.044, 0.047 },
    },
    ["64x5120-151936-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.020, 0.053 },
    },
    ["78x6144-154880-256 sglang"] = {
      ["B200 fp4-latent"] = { 1.235, 0.058 }, ["B200 fp8"] = { 1.163, 0.051 },
      ["B300 fp8"] = { 1.122, 0.052 }, ["H200 SXM fp8"] = { 1.131, 0.051 },
    },
    ["80x8192-128256-0 trtllm"] = {
      ["B200 fp4"] = { 0.967, 0.042 }, ["B200 fp8"] = { 0.881, 0.043 },
      ["GB200 fp4"] = { 0.913, 0.065 }, ["H100 SXM fp8"] = { 0.898, 0.068 },
      ["H200 SXM fp8"] = { 0.877, 0.044 }, ["RTX PRO 6000 Server fp4"] = { 0.930, 0.062 },
    },
    ["80x8192-128256-0 vllm"] = {
      ["B200 bf16"] = { 0.848, 0.050 }, ["B200 fp4"] = { 0.954, 0.042 },
      ["B200 fp8"] = { 0.821, 0.040 }, ["H100 SXM bf16"] = { 0.881, 0.043 },
      ["H100 SXM fp8"] = { 0.942, 0.039 }, ["H200 SXM fp8"] = { 0.911, 0.043 },
    },
    ["80x8192-32000-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.016, 0.051 },
    },
    ["94x4096-151936-128 sglang"] = {
      ["H200 SXM fp8"] = { 0.942, 0.048 },
    },
    ["94x4096-151936-128 trtllm"] = {
      ["B200 fp4"] = { 1.019, 0.063 }, ["GB200 fp4"] = { 1.010, 0.065 },
      ["H100 SXM fp8"] = { 0.909, 0.051 }, ["H200 SXM fp8"] = { 0.951, 0.067 },
      ["RTX PRO 6000 Server fp4"] = { 1.070, 0.061 },
    },
    ["94x4096-151936-128 vllm"] = {
      ["B200 fp8"] = { 1.161, 0.049 }, ["H100 SXM fp8"] = { 1.098, 0.047 },
      ["H200 SXM fp8"] = { 1.104, 0.055 },
    },
  },
  versions = {
    vllm = {
      any = { 0.998, 0.093 }, ["0.11"] = { 1.141, 0.028 }, ["0.12"] = { 1.067, 0.049 },
      ["0.15"] = { 0.945, 0.029 }, ["0.16"] = { 1.054, 0.047 }, ["0.17"] = { 1.005, 0.035 },
      ["0.18"] = { 0.920, 0.031 }, ["0.19"] = { 0.924, 0.025 },
    },
    sglang = {
      any = { 0.902, 0.019 }, ["0.5"] = { 0.902, 0.019 },
    },
    trtllm = {
      any = { 0.936, 0.050 }, ["1.0"] = { 0.870, 0.046 }, ["1.1"] = { 0.975, 0.028 },
      ["1.2"] = { 0.952, 0.021 }, ["1.3"] = { 0.929, 0.030 },
    },
  },
  constants = {
    {
      attention_efficiency = 0.451, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8421, expert_efficiency = 0.3436, expert_excess = 0.1921,
      expert_half = 21.45, expert_layer_s = 4.61e-05, expert_width = 53.45,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8393,
      layer_4_s = 1.959e-05, layer_8_s = 2.344e-05, layer_s = 3.942e-05, link_efficiency = 0.422,
      link_hop_s = 7.513e-07, link_latency_s = 2.556e-06, matrix_4 = 0.5045, matrix_8 = 0.5555,
      matrix_efficiency = 0.8647, matrix_half = 17.08, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.2e-05, step_s = 0.0001,
      weight_bandwidth = 0.7667,
    },
    {
      attention_efficiency = 0.3911, expert_4 = 1.032, expert_8 = 0.6268,
      expert_bandwidth = 0.8333, expert_efficiency = 0.2599, expert_excess = 0.2346,
      expert_half = 20.69, expert_layer_s = 6.06e-05, expert_width = 125.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8379,
      layer_4_s = 1.055e-05, layer_8_s = 2.462e-05, layer_s = 3.815e-05,
      link_efficiency = 0.4478, link_hop_s = 7.359e-07, link_latency_s = 1.873e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.733, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.112e-05,
      step_s = 0.0001, weight_bandwidth = 0.7309,
    },
    {
      attention_efficiency = 0.5888, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8434, expert_efficiency = 0.4191, expert_excess = 0.1478,
      expert_half = 28.24, expert_layer_s = 4.657e-05, expert_width = 288.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7866,
      layer_4_s = 2.702e-05, layer_8_s = 2.839e-05, layer_s = 3.037e-05,
      link_efficiency = 0.3885, link_hop_s = 6.487e-07, link_latency_s = 1.784e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7353, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.729e-05,
      step_s = 0.0001, weight_bandwidth = 0.739,
    },
    {
      attention_efficiency = 0.3806, expert_4 = 1.061, expert_8 = 0.8794,
      expert_bandwidth = 0.8119, expert_efficiency = 0.2667, expert_excess = 0.1921,
      expert_half = 32.41, expert_layer_s = 5.178e-05, expert_width = 43.41,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8315,
      layer_4_s = 8.952e-06, layer_8_s = 1.169e-07, layer_s = 5.676e-05,
      link_efficiency = 0.3876, link_hop_s = 7.341e-07, link_latency_s = 3.239e-06,
      matrix_4 = 0.4789, matrix_8 = 0.5272, matrix_efficiency = 0.9095, matrix_half = 79.83,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.271e-05,
      step_s = 0.0001, weight_bandwidth = 0.7244,
    },
    {
      attention_efficiency = 0.3061, expert_4 = 0.8996, expert_8 = 0.5465,
      expert_bandwidth = 0.8358, expert_efficiency = 0.2981, expert_excess = 0.2346,
      expert_half = 25.15, expert_layer_s = 7.158e-05, expert_width = 94.23,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8153,
      layer_4_s = 0, layer_8_s = 1.233e-05, layer_s = 5.71e-05, link_efficiency = 0.3471,
      link_hop_s = 7.701e-07, link_latency_s = 3.397e-06, matrix_4 = 0.4542, matrix_8 = 0.7283,
      matrix_efficiency = 0.7992, matrix_half = 79.83, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.148e-05, step_s = 0.0001,
      weight_bandwidth = 0.7006,
    },
    {
      attention_efficiency = 0.5868, expert_4 = 0.9049, expert_8 = 1.167,
      expert_bandwidth = 0.8105, expert_efficiency = 0.2563, expert_excess = 0.1478,
      expert_half = 41.04, expert_layer_s = 5.527e-05, expert_width = 134.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7999,
      layer_4_s = 1.515e-05, layer_8_s = 1.951e-05, layer_s = 4.514e-05,
      link_efficiency = 0.3966, link_hop_s = 6.789e-07, link_latency_s = 2.995e-06,
      matrix_4 = 0.4411, matrix_8 = 0.6476, matrix_efficiency = 0.7965, matrix_half = 79.83,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.785e-05,
      step_s = 0.0001, weight_bandwidth = 0.7366,
    },
    {
      attention_efficiency = 0.3806, expert_4 = 1.061, expert_8 = 0.8794,
      expert_bandwidth = 0.8119, expert_efficiency = 0.2667, expert_excess = 0.1921,
      expert_half = 32.41, expert_layer_s = 5.178e-05, expert_width = 43.41,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8234,
      layer_4_s = 9.374e-06, layer_8_s = 1.042e-06, layer_s = 5.413e-05, link_efficiency = 0.407,
      link_hop_s = 6.991e-07, link_latency_s = 3.435e-06, matrix_4 = 0.4742, matrix_8 = 0.5221,
      matrix_efficiency = 0.9185, matrix_half = 60.69, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.271e-05, step_s = 0.0001,
      weight_bandwidth = 0.7104,
    },
    {
      attention_efficiency = 0.3061, expert_4 = 0.8996, expert_8 = 0.5465,
      expert_bandwidth = 0.8358, expert_efficiency = 0.2981, expert_excess = 0.2346,
      expert_half = 25.15, expert_layer_s = 7.158e-05, expert_width = 94.23,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8073,
      layer_4_s = 0, layer_8_s = 1.128e-05, layer_s = 5.636e-05, link_efficiency = 0.41,
      link_hop_s = 7.551e-07, link_latency_s = 3.71e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.7837, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.148e-05, step_s = 0.0001,
      weight_bandwidth = 0.687,
    },
    {
      attention_efficiency = 0.5868, expert_4 = 0.9049, expert_8 = 1.167,
      expert_bandwidth = 0.8105, expert_efficiency = 0.2563, expert_excess = 0.1478,
      expert_half = 41.04, expert_layer_s = 5.527e-05, expert_width = 134.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8158,
      layer_4_s = 1.558e-05, layer_8_s = 1.983e-05, layer_s = 4.865e-05,
      link_efficiency = 0.3198, link_hop_s = 7.27e-07, link_latency_s = 2.586e-06,
      matrix_4 = 0.4368, matrix_8 = 0.6413, matrix_efficiency = 0.8044, matrix_half = 72.39,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.785e-05,
      step_s = 0.0001, weight_bandwidth = 0.766,
    },
    {
      attention_efficiency = 0.3805, expert_4 = 1.061, expert_8 = 0.8794,
      expert_bandwidth = 0.8119, expert_efficiency = 0.2667, expert_excess = 0.1921,
      expert_half = 32.41, expert_layer_s = 5.178e-05, expert_width = 43.41,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.82,
      layer_4_s = 9.374e-06, layer_8_s = 1.042e-06, layer_s = 5.507e-05,
      link_efficiency = 0.4077, link_hop_s = 6.987e-07, link_latency_s = 3.433e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5221, matrix_efficiency = 0.9163, matrix_half = 60.69,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.38e-05,
      step_s = 0.0001, weight_bandwidth = 0.7044,
    },
    {
      attention_efficiency = 0.3061, expert_4 = 0.8996, expert_8 = 0.5465,
      expert_bandwidth = 0.8358, expert_efficiency = 0.2981, expert_excess = 0.2346,
      expert_half = 25.15, expert_layer_s = 7.158e-05, expert_width = 94.23,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8057,
      layer_4_s = 0, layer_8_s = 1.128e-05, layer_s = 5.684e-05, link_efficiency = 0.4103,
      link_hop_s = 7.55e-07, link_latency_s = 3.709e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.7828, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.175e-05, step_s = 0.0001,
      weight_bandwidth = 0.6841,
    },
    {
      attention_efficiency = 0.5867, expert_4 = 0.9049, expert_8 = 1.167,
      expert_bandwidth = 0.8105, expert_efficiency = 0.2563, expert_excess = 0.1478,
      expert_half = 41.04, expert_layer_s = 5.527e-05, expert_width = 134.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8141,
      layer_4_s = 1.558e-05, layer_8_s = 1.983e-05, layer_s = 4.907e-05, link_efficiency = 0.32,
      link_hop_s = 7.269e-07, link_latency_s = 2.585e-06, matrix_4 = 0.4368, matrix_8 = 0.6413,
      matrix_efficiency = 0.8034, matrix_half = 72.39, matrix_half_4 = 13.46,
      matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.827e-05, step_s = 0.0001,
      weight_bandwidth = 0.7628,
    },
    {
      attention_efficiency = 0.4488, expert_4 = 1.092, expert_8 = 0.7239,
      expert_bandwidth = 0.9571, expert_efficiency = 0.2799, expert_excess = 0.2214,
      expert_half = 55.39, expert_layer_s = 3.888e-05, expert_width = 28.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.9109,
      layer_4_s = 1.779e-05, layer_8_s = 3.114e-05, layer_s = 3.708e-05,
      link_efficiency = 0.2636, link_hop_s = 4.691e-07, link_latency_s = 4.947e-06,
      matrix_4 = 0.5723, matrix_8 = 0.5088, matrix_efficiency = 0.9113, matrix_half = 58.93,
      matrix_half_4 = 49.41, matrix_half_8 = 35.77, request_s = 0.008985, sequence_s = 2.385e-05,
      step_s = 0.0001, weight_bandwidth = 0.6927,
    },
    {
      attention_efficiency = 0.408, expert_4 = 0.7906, expert_8 = 0.3088,
      expert_bandwidth = 0.8508, expert_efficiency = 0.2776, expert_excess = 0.224,
      expert_half = 15.21, expert_layer_s = 5.21e-05, expert_width = 80.64,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8893,
      layer_4_s = 9.224e-06, layer_8_s = 4.335e-05, layer_s = 3.698e-05, link_efficiency = 0.276,
      link_hop_s = 4.54e-07, link_latency_s = 3.082e-06, matrix_4 = 0.5557, matrix_8 = 0.9156,
      matrix_efficiency = 0.7263, matrix_half = 50.88, matrix_half_4 = 119.3,
      matrix_half_8 = 33.95, request_s = 0.008985, sequence_s = 8.514e-06, step_s = 0.0001,
      weight_bandwidth = 0.687,
    },
    {
      attention_efficiency = 0.6265, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.8687, expert_efficiency = 0.3533, expert_excess = 0.2007,
      expert_half = 47.49, expert_layer_s = 3.977e-05, expert_width = 84.47,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7781,
      layer_4_s = 3.122e-05, layer_8_s = 2.852e-05, layer_s = 2.119e-05,
      link_efficiency = 0.2907, link_hop_s = 4.009e-07, link_latency_s = 2.802e-06,
      matrix_4 = 0.5723, matrix_8 = 0.7239, matrix_efficiency = 0.7134, matrix_half = 30.88,
      matrix_half_4 = 42.95, matrix_half_8 = 62.5, request_s = 0.008985, sequence_s = 1.257e-05,
      step_s = 0.0001, weight_bandwidth = 0.6727,
    },
    {
      attention_efficiency = 0.5915, expert_4 = 0.625, expert_8 = 0.7906,
      expert_bandwidth = 0.8648, expert_efficiency = 0.3404, expert_excess = 0.2229,
      expert_half = 26.57, expert_layer_s = 3.761e-05, expert_width = 36.84,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8145,
      layer_4_s = 1.521e-05, layer_8_s = 2.721e-05, layer_s = 3.787e-05,
      link_efficiency = 0.2871, link_hop_s = 4.122e-07, link_latency_s = 5.339e-06,
      matrix_4 = 0.3683, matrix_8 = 0.4659, matrix_efficiency = 0.9463, matrix_half = 1.637,
      matrix_half_4 = 25.14, matrix_half_8 = 17.16, request_s = 0.008985, sequence_s = 2.117e-05,
      step_s = 0.0001, weight_bandwidth = 0.7294,
    },
    {
      attention_efficiency = 0.506, expert_4 = 0.524, expert_8 = 0.2912,
      expert_bandwidth = 0.8784, expert_efficiency = 0.3839, expert_excess = 0.3225,
      expert_half = 21.42, expert_layer_s = 4.727e-05, expert_width = 172.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8246,
      layer_4_s = 5.03e-06, layer_8_s = 5.219e-05, layer_s = 3.826e-05, link_efficiency = 0.2637,
      link_hop_s = 4.263e-07, link_latency_s = 3.351e-06, matrix_4 = 0.3473, matrix_8 = 0.8891,
      matrix_efficiency = 0.8747, matrix_half = 2.276, matrix_half_4 = 202.4,
      matrix_half_8 = 214.6, request_s = 0.008985, sequence_s = 1.036e-05, step_s = 0.0001,
      weight_bandwidth = 0.7046,
    },
    {
      attention_efficiency = 0.7523, expert_4 = 0.8033, expert_8 = 0.5723,
      expert_bandwidth = 0.8653, expert_efficiency = 0.3378, expert_excess = 0.1751,
      expert_half = 50.36, expert_layer_s = 4.398e-05, expert_width = 112.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8021,
      layer_4_s = 3.015e-05, layer_8_s = 3.38e-05, layer_s = 2.84e-05, link_efficiency = 0.3101,
      link_hop_s = 3.985e-07, link_latency_s = 3.132e-06, matrix_4 = 0.3577, matrix_8 = 0.6826,
      matrix_efficiency = 0.7807, matrix_half = 36.83, matrix_half_4 = 88.91,
      matrix_half_8 = 68.26, request_s = 0.008985, sequence_s = 1.53e-05, step_s = 0.0001,
      weight_bandwidth = 0.6601,
    },
    {
      attention_efficiency = 0.461, expert_4 = 0.9711, expert_8 = 1.03, expert_bandwidth = 0.934,
      expert_efficiency = 0.4086, expert_excess = 0.1599, expert_half = 44.38,
      expert_layer_s = 3.707e-05, expert_width = 27.74, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.868, layer_4_s = 1.72e-05,
      layer_8_s = 2.896e-05, layer_s = 3.841e-05, link_efficiency = 0.1954,
      link_hop_s = 2.87e-07, link_latency_s = 3.942e-06, matrix_4 = 0.524, matrix_8 = 0.4659,
      matrix_efficiency = 0.9148, matrix_half = 100, matrix_half_4 = 46.59,
      matrix_half_8 = 23.02, request_s = 0.008985, sequence_s = 1.354e-05, step_s = 0.0001,
      weight_bandwidth = 0.727,
    },
    {
      attention_efficiency = 0.4466, expert_4 = 0.7677, expert_8 = 0.3473,
      expert_bandwidth = 0.9205, expert_efficiency = 0.61, expert_excess = 0.2167,
      expert_half = 27.2, expert_layer_s = 4.431e-05, expert_width = 109.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8874,
      layer_4_s = 6.871e-06, layer_8_s = 5.748e-05, layer_s = 3.614e-05,
      link_efficiency = 0.4177, link_hop_s = 1.124e-07, link_latency_s = 3.516e-06,
      matrix_4 = 0.5396, matrix_8 = 0.8384, matrix_efficiency = 0.7669, matrix_half = 88.91,
      matrix_half_4 = 241.4, matrix_half_8 = 164.8, request_s = 0.008985, sequence_s = 6.756e-06,
      step_s = 0.0001, weight_bandwidth = 0.697,
    },
    {
      attention_efficiency = 0.7186, expert_4 = 0.3232, expert_8 = 0.5723,
      expert_bandwidth = 0.8575, expert_efficiency = 0.5193, expert_excess = 0.1229,
      expert_half = 35.06, expert_layer_s = 3.896e-05, expert_width = 64.11,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8222,
      layer_4_s = 2.346e-05, layer_8_s = 3.48e-05, layer_s = 2.79e-05, link_efficiency = 0.4394,
      link_hop_s = 2.851e-07, link_latency_s = 3.096e-06, matrix_4 = 0.4941, matrix_8 = 0.6628,
      matrix_efficiency = 0.7496, matrix_half = 70.29, matrix_half_4 = 1, matrix_half_8 = 70.29,
      request_s = 0.008985, sequence_s = 9.572e-06, step_s = 0.0001, weight_bandwidth = 0.6549,
    },
    {
      attention_efficiency = 0.6338, expert_4 = 0.5557, expert_8 = 0.8891,
      expert_bandwidth = 0.8735, expert_efficiency = 0.5484, expert_excess = 0.1879,
      expert_half = 34.41, expert_layer_s = 3.259e-05, expert_width = 33.87,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8513,
      layer_4_s = 1.565e-05, layer_8_s = 2.78e-05, layer_s = 3.498e-05, link_efficiency = 0.3384,
      link_hop_s = 6.198e-07, link_latency_s = 5.321e-06, matrix_4 = 0.3683, matrix_8 = 0.4659,
      matrix_efficiency = 0.9737, matrix_half = 33.73, matrix_half_4 = 55.57,
      matrix_half_8 = 20.47, request_s = 0.008985, sequence_s = 1.372e-05, step_s = 0.0001,
      weight_bandwidth = 0.7269,
    },
    {
      attention_efficiency = 0.5267, expert_4 = 0.4023, expert_8 = 0.2828,
      expert_bandwidth = 0.8664, expert_efficiency = 0.7989, expert_excess = 0.2225,
      expert_half = 30.3, expert_layer_s = 4.226e-05, expert_width = 99.67,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8626,
      layer_4_s = 4.981e-06, layer_8_s = 5.385e-05, layer_s = 3.489e-05,
      link_efficiency = 0.4079, link_hop_s = 4.735e-07, link_latency_s = 2.616e-06,
      matrix_4 = 0.318, matrix_8 = 0.7906, matrix_efficiency = 0.8644, matrix_half = 112.5,
      matrix_half_4 = 164.8, matrix_half_8 = 26.84, request_s = 0.008985, sequence_s = 6.482e-06,
      step_s = 0.0001, weight_bandwidth = 0.6989,
    },
    {
      attention_efficiency = 0.8689, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.8645, expert_efficiency = 0.5757, expert_excess = 0.1402,
      expert_half = 53.6, expert_layer_s = 3.741e-05, expert_width = 89.61,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8212,
      layer_4_s = 2.407e-05, layer_8_s = 3.508e-05, layer_s = 2.618e-05, link_efficiency = 0.462,
      link_hop_s = 3.062e-07, link_latency_s = 3.045e-06, matrix_4 = 0.3275, matrix_8 = 0.6628,
      matrix_efficiency = 0.8638, matrix_half = 94.29, matrix_half_4 = 115.8,
      matrix_half_8 = 1.265, request_s = 0.008985, sequence_s = 9.3e-06, step_s = 0.0001,
      weight_bandwidth = 0.656,
    },
    {
      attention_efficiency = 0.4324, expert_4 = 0.8141, expert_8 = 0.4728,
      expert_bandwidth = 0.8331, expert_efficiency = 0.2836, expert_excess = 0.1825,
      expert_half = 16.07, expert_layer_s = 5.849e-05, expert_width = 77.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8622,
      layer_4_s = 1.718e-05, layer_8_s = 2.105e-05, layer_s = 4.767e-05,
      link_efficiency = 0.5296, link_hop_s = 2.965e-07, link_latency_s = 3.365e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5723, matrix_efficiency = 0.8709, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 160, request_s = 0.008985, sequence_s = 2.928e-05,
      step_s = 0.0001, weight_bandwidth = 0.8414,
    },
    {
      attention_efficiency = 0.3377, expert_4 = 2.337, expert_8 = 1.937,
      expert_bandwidth = 0.8124, expert_efficiency = 0.09368, expert_excess = 0.2229,
      expert_half = 16.54, expert_layer_s = 7.264e-05, expert_width = 166.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8331,
      layer_4_s = 6.884e-06, layer_8_s = 1.079e-05, layer_s = 4.663e-05,
      link_efficiency = 0.5104, link_hop_s = 4.234e-07, link_latency_s = 1.823e-06,
      matrix_4 = 0.477, matrix_8 = 0.6927, matrix_efficiency = 0.7216, matrix_half = 15.48,
      matrix_half_4 = 145.8, matrix_half_8 = 174.7, request_s = 0.008985, sequence_s = 1.479e-05,
      step_s = 0.0001, weight_bandwidth = 0.8257,
    },
    {
      attention_efficiency = 0.5508, expert_4 = 0.4538, expert_8 = 0.5723,
      expert_bandwidth = 0.8505, expert_efficiency = 0.4172, expert_excess = 0.1405,
      expert_half = 44.04, expert_layer_s = 5.222e-05, expert_width = 445.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7268,
      layer_4_s = 2.373e-05, layer_8_s = 2.199e-05, layer_s = 3.637e-05,
      link_efficiency = 0.4819, link_hop_s = 2.474e-07, link_latency_s = 1.916e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6927, matrix_efficiency = 0.7406, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008985, sequence_s = 2.301e-05,
      step_s = 0.0001, weight_bandwidth = 0.8307,
    },
    {
      attention_efficiency = 0.4416, expert_4 = 0.8141, expert_8 = 0.4659,
      expert_bandwidth = 0.9193, expert_efficiency = 0.2674, expert_excess = 0.1512,
      expert_half = 29.11, expert_layer_s = 4.959e-05, expert_width = 95.11,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8936,
      layer_4_s = 1.776e-05, layer_8_s = 1.825e-05, layer_s = 5.175e-05,
      link_efficiency = 0.6725, link_hop_s = 2.996e-07, link_latency_s = 3.45e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5557, matrix_efficiency = 0.8454, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 146.5, request_s = 0.008985, sequence_s = 2.869e-05,
      step_s = 0.0001, weight_bandwidth = 0.8895,
    },
    {
      attention_efficiency = 0.3373, expert_4 = 2.515, expert_8 = 1.965,
      expert_bandwidth = 0.8703, expert_efficiency = 0.07387, expert_excess = 0.1828,
      expert_half = 15.6, expert_layer_s = 6.291e-05, expert_width = 231.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8315,
      layer_4_s = 7.347e-06, layer_8_s = 8.875e-06, layer_s = 5.478e-05, link_efficiency = 0.638,
      link_hop_s = 4.246e-07, link_latency_s = 1.91e-06, matrix_4 = 0.477, matrix_8 = 0.6628,
      matrix_efficiency = 0.7207, matrix_half = 10.73, matrix_half_4 = 145.8,
      matrix_half_8 = 169.7, request_s = 0.008985, sequence_s = 1.766e-05, step_s = 0.0001,
      weight_bandwidth = 0.8454,
    },
    {
      attention_efficiency = 0.5881, expert_4 = 0.4883, expert_8 = 0.5893,
      expert_bandwidth = 0.8934, expert_efficiency = 0.2514, expert_excess = 0.09346,
      expert_half = 41.12, expert_layer_s = 3.961e-05, expert_width = 714.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8596,
      layer_4_s = 2.488e-05, layer_8_s = 1.46e-05, layer_s = 5.442e-05, link_efficiency = 0.5577,
      link_hop_s = 2.49e-07, link_latency_s = 2.076e-06, matrix_4 = 0.4498, matrix_8 = 0.6826,
      matrix_efficiency = 0.6718, matrix_half = 1, matrix_half_4 = 13.46, matrix_half_8 = 1,
      request_s = 0.008985, sequence_s = 3.65e-05, step_s = 0.0001, weight_bandwidth = 0.8248,
    },
    {
      attention_efficiency = 0.3781, expert_4 = 0.8141, expert_8 = 0.4798,
      expert_bandwidth = 0.7281, expert_efficiency = 0.2993, expert_excess = 0.2298,
      expert_half = 8.869, expert_layer_s = 5.884e-05, expert_width = 60.72,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7977,
      layer_4_s = 1.657e-05, layer_8_s = 2.558e-05, layer_s = 3.918e-05,
      link_efficiency = 0.4864, link_hop_s = 2.814e-07, link_latency_s = 3.147e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5893, matrix_efficiency = 0.8793, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 174.7, request_s = 0.008985, sequence_s = 3.129e-05,
      step_s = 0.0001, weight_bandwidth = 0.8361,
    },
    {
      attention_efficiency = 0.2491, expert_4 = 2.172, expert_8 = 1.908,
      expert_bandwidth = 0.7869, expert_efficiency = 0.1029, expert_excess = 0.3005,
      expert_half = 17.55, expert_layer_s = 7.818e-05, expert_width = 124.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8425,
      layer_4_s = 6.408e-06, layer_8_s = 1.197e-05, layer_s = 4.047e-05,
      link_efficiency = 0.4198, link_hop_s = 4.159e-07, link_latency_s = 1.713e-06,
      matrix_4 = 0.477, matrix_8 = 0.7239, matrix_efficiency = 0.675, matrix_half = 22.35,
      matrix_half_4 = 145.8, matrix_half_8 = 179.9, request_s = 0.008985, sequence_s = 1.424e-05,
      step_s = 0.0001, weight_bandwidth = 0.826,
    },
    {
      attention_efficiency = 0.5244, expert_4 = 0.4216, expert_8 = 0.5557,
      expert_bandwidth = 0.8098, expert_efficiency = 0.4425, expert_excess = 0.1578,
      expert_half = 47.16, expert_layer_s = 8.645e-05, expert_width = 397.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.6615,
      layer_4_s = 2.248e-05, layer_8_s = 2.412e-05, layer_s = 3.015e-05,
      link_efficiency = 0.4127, link_hop_s = 2.448e-07, link_latency_s = 1.762e-06,
      matrix_4 = 0.4498, matrix_8 = 0.7029, matrix_efficiency = 0.7593, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008985, sequence_s = 2.794e-05,
      step_s = 0.0001, weight_bandwidth = 0.8523,
    },
    {
      attention_efficiency = 0.4076, expert_4 = 1.05, expert_8 = 1.02, expert_bandwidth = 0.7894,
      expert_efficiency = 0.2694, expert_excess = 0.1921, expert_half = 32.16,
      expert_layer_s = 3.616e-05, expert_width = 39.52, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.7983, layer_4_s = 2.723e-05,
      layer_8_s = 1.742e-05, layer_s = 2.453e-05, link_efficiency = 0.5496,
      link_hop_s = 5.684e-06, link_latency_s = 4.501e-07, matrix_4 = 0.6424, matrix_8 = 0.731,
      matrix_efficiency = 0.6787, matrix_half = 33.88, matrix_half_4 = 36.03,
      matrix_half_8 = 83.02, request_s = 0.008985, sequence_s = 2.222e-05, step_s = 0.0001,
      weight_bandwidth = 0.726,
    },
    {
      attention_efficiency = 0.3279, expert_4 = 0.8909, expert_8 = 1.02,
      expert_bandwidth = 0.846, expert_efficiency = 0.3011, expert_excess = 0.2346,
      expert_half = 30.53, expert_layer_s = 4.603e-05, expert_width = 51.77,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7828,
      layer_4_s = 1.916e-05, layer_8_s = 9.588e-06, layer_s = 2.467e-05,
      link_efficiency = 0.4922, link_hop_s = 5.963e-06, link_latency_s = 4.721e-07,
      matrix_4 = 0.6093, matrix_8 = 0.731, matrix_efficiency = 0.5964, matrix_half = 33.88,
      matrix_half_4 = 145.8, matrix_half_8 = 83.02, request_s = 0.008985, sequence_s = 1.122e-05,
      step_s = 0.0001, weight_bandwidth = 0.7021,
    },
    {
      attention_efficiency = 0.6285, expert_4 = 0.8961, expert_8 = 1.02,
      expert_bandwidth = 0.7941, expert_efficiency = 0.2588, expert_excess = 0.1478,
      expert_half = 47.24, expert_layer_s = 4.124e-05, expert_width = 63.18,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7681,
      layer_4_s = 3.378e-05, layer_8_s = 6.065e-06, layer_s = 1.951e-05,
      link_efficiency = 0.5624, link_hop_s = 5.256e-06, link_latency_s = 4.162e-07,
      matrix_4 = 0.5917, matrix_8 = 0.731, matrix_efficiency = 0.5944, matrix_half = 33.88,
      matrix_half_4 = 13.46, matrix_half_8 = 83.02, request_s = 0.008985, sequence_s = 1.746e-05,
      step_s = 0.0001, weight_bandwidth = 0.7382,
    },
    {
      attention_efficiency = 0.4281, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.7843, expert_efficiency = 0.5242, expert_excess = 0.1921,
      expert_half = 76.74, expert_layer_s = 4.257e-05, expert_width = 34.28,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7983,
      layer_4_s = 2.723e-05, layer_8_s = 1.837e-05, layer_s = 2.727e-05,
      link_efficiency = 0.8571, link_hop_s = 5.629e-06, link_latency_s = 4.295e-07,
      matrix_4 = 0.6177, matrix_8 = 0.6628, matrix_efficiency = 0.7058, matrix_half = 76.77,
      matrix_half_4 = 36.03, matrix_half_8 = 94.29, request_s = 0.008985, sequence_s = 2.222e-05,
      step_s = 0.0001, weight_bandwidth = 0.758,
    },
    {
      attention_efficiency = 0.3988, expert_4 = 1.717, expert_8 = 1.965,
      expert_bandwidth = 0.8242, expert_efficiency = 0.1562, expert_excess = 0.2346,
      expert_half = 45.67, expert_layer_s = 4.455e-05, expert_width = 17.14,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8061,
      layer_4_s = 1.916e-05, layer_8_s = 2.535e-07, layer_s = 2.239e-05,
      link_efficiency = 0.7676, link_hop_s = 6.449e-06, link_latency_s = 4.505e-07,
      matrix_4 = 0.6589, matrix_8 = 0.7455, matrix_efficiency = 0.5514, matrix_half = 7.371,
      matrix_half_4 = 145.8, matrix_half_8 = 49.41, request_s = 0.008985, sequence_s = 1.122e-05,
      step_s = 0.0001, weight_bandwidth = 0.6517,
    },
    {
      attention_efficiency = 0.492, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.8204, expert_efficiency = 0.2563, expert_excess = 0.1478,
      expert_half = 13.24, expert_layer_s = 3.619e-05, expert_width = 220.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7458,
      layer_4_s = 3.378e-05, layer_8_s = 2.339e-05, layer_s = 1.965e-05,
      link_efficiency = 0.2312, link_hop_s = 4.908e-06, link_latency_s = 4.571e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.6181, matrix_half = 68.72,
      matrix_half_4 = 13.46, matrix_half_8 = 122.8, request_s = 0.008985, sequence_s = 1.746e-05,
      step_s = 0.0001, weight_bandwidth = 0.7616,
    },
    {
      attention_efficiency = 0.4281, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.7843, expert_efficiency = 0.5242, expert_excess = 0.1921,
      expert_half = 76.74, expert_layer_s = 4.257e-05, expert_width = 34.28,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7933,
      layer_4_s = 2.723e-05, layer_8_s = 1.837e-05, layer_s = 2.724e-05,
      link_efficiency = 0.8571, link_hop_s = 5.629e-06, link_latency_s = 4.295e-07,
      matrix_4 = 0.6177, matrix_8 = 0.6628, matrix_efficiency = 0.7051, matrix_half = 76.77,
      matrix_half_4 = 36.03, matrix_half_8 = 94.29, request_s = 0.008985, sequence_s = 2.253e-05,
      step_s = 0.0001, weight_bandwidth = 0.7583,
    },
    {
      attention_efficiency = 0.3988, expert_4 = 1.717, expert_8 = 1.965,
      expert_bandwidth = 0.8242, expert_efficiency = 0.1562, expert_excess = 0.2346,
      expert_half = 45.67, expert_layer_s = 4.455e-05, expert_width = 17.14,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8036,
      layer_4_s = 1.916e-05, layer_8_s = 2.535e-07, layer_s = 2.238e-05,
      link_efficiency = 0.7676, link_hop_s = 6.449e-06, link_latency_s = 4.505e-07,
      matrix_4 = 0.6589, matrix_8 = 0.7455, matrix_efficiency = 0.5512, matrix_half = 7.371,
      matrix_half_4 = 145.8, matrix_half_8 = 49.41, request_s = 0.008985, sequence_s = 1.13e-05,
      step_s = 0.0001, weight_bandwidth = 0.6519,
    },
    {
      attention_efficiency = 0.492, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.8204, expert_efficiency = 0.2563, expert_excess = 0.1478,
      expert_half = 13.24, expert_layer_s = 3.619e-05, expert_width = 220.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7435,
      layer_4_s = 3.378e-05, layer_8_s = 2.339e-05, layer_s = 1.964e-05,
      link_efficiency = 0.2312, link_hop_s = 4.908e-06, link_latency_s = 4.571e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.6178, matrix_half = 68.72,
      matrix_half_4 = 13.46, matrix_half_8 = 122.8, request_s = 0.008985, sequence_s = 1.758e-05,
      step_s = 0.0001, weight_bandwidth = 0.7618,
    },
    {
      attention_efficiency = 0.4408, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8147, expert_efficiency = 0.3147, expert_excess = 0.1921,
      expert_half = 21.45, expert_layer_s = 6.471e-05, expert_width = 62.51,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8244,
      layer_4_s = 1.959e-05, layer_8_s = 2.846e-05, layer_s = 4.497e-05,
      link_efficiency = 0.4016, link_hop_s = 7.792e-07, link_latency_s = 2.651e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.8618, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.26e-05,
      step_s = 0.0001, weight_bandwidth = 0.7638,
    },
    {
      attention_efficiency = 0.3785, expert_4 = 1.032, expert_8 = 0.6268,
      expert_bandwidth = 0.7949, expert_efficiency = 0.2294, expert_excess = 0.2346,
      expert_half = 20.69, expert_layer_s = 9.821e-05, expert_width = 156.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8168,
      layer_4_s = 1.055e-05, layer_8_s = 3.245e-05, layer_s = 4.601e-05,
      link_efficiency = 0.4173, link_hop_s = 7.75e-07, link_latency_s = 1.972e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.7296, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.155e-05,
      step_s = 0.0001, weight_bandwidth = 0.7269,
    },
    {
      attention_efficiency = 0.5754, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8159, expert_efficiency = 0.3839, expert_excess = 0.1478,
      expert_half = 28.24, expert_layer_s = 6.537e-05, expert_width = 337.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7727,
      layer_4_s = 2.702e-05, layer_8_s = 3.447e-05, layer_s = 3.465e-05,
      link_efficiency = 0.3697, link_hop_s = 6.728e-07, link_latency_s = 1.85e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7329, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.776e-05,
      step_s = 0.0001, weight_bandwidth = 0.7361,
    },
    {
      attention_efficiency = 0.4451, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8262, expert_efficiency = 0.3267, expert_excess = 0.1921,
      expert_half = 21.45, expert_layer_s = 5.605e-05, expert_width = 58.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8307,
      layer_4_s = 1.959e-05, layer_8_s = 2.621e-05, layer_s = 4.253e-05,
      link_efficiency = 0.4101, link_hop_s = 7.673e-07, link_latency_s = 2.61e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.863, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.235e-05,
      step_s = 0.0001, weight_bandwidth = 0.765,
    },
    {
      attention_efficiency = 0.3859, expert_4 = 1.032, expert_8 = 0.6268,
      expert_bandwidth = 0.8175, expert_efficiency = 0.2471, expert_excess = 0.2346,
      expert_half = 20.69, expert_layer_s = 7.369e-05, expert_width = 137.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8293,
      layer_4_s = 1.055e-05, layer_8_s = 2.754e-05, layer_s = 4.116e-05,
      link_efficiency = 0.4352, link_hop_s = 7.515e-07, link_latency_s = 1.912e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.7316, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.129e-05,
      step_s = 0.0001, weight_bandwidth = 0.7293,
    },
    {
      attention_efficiency = 0.581, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8274, expert_efficiency = 0.3984, expert_excess = 0.1478,
      expert_half = 28.24, expert_layer_s = 5.662e-05, expert_width = 316.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7785,
      layer_4_s = 2.702e-05, layer_8_s = 3.175e-05, layer_s = 3.277e-05,
      link_efficiency = 0.3776, link_hop_s = 6.625e-07, link_latency_s = 1.822e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7339, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.756e-05,
      step_s = 0.0001, weight_bandwidth = 0.7373,
    },
    {
      attention_efficiency = 0.5784, expert_4 = 1.6, expert_8 = 0.8384,
      expert_bandwidth = 0.8313, expert_efficiency = 0.3369, expert_excess = 0.1999,
      expert_half = 1.006, expert_layer_s = 4.974e-05, expert_width = 73.31,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8216,
      layer_4_s = 2.836e-05, layer_8_s = 2.644e-05, layer_s = 3.397e-05,
      link_efficiency = 0.6103, link_hop_s = 5.312e-06, link_latency_s = 4.174e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8634, matrix_efficiency = 0.9515, matrix_half = 81.41,
      matrix_half_4 = 18.87, matrix_half_8 = 134.1, request_s = 0.008985, sequence_s = 1.7e-05,
      step_s = 0.0001, weight_bandwidth = 0.7675,
    },
    {
      attention_efficiency = 0.606, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.8512, expert_efficiency = 0.5051, expert_excess = 0.2442,
      expert_half = 11.45, expert_layer_s = 6.928e-05, expert_width = 116.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8056,
      layer_4_s = 2.873e-05, layer_8_s = 5.232e-05, layer_s = 2.656e-05,
      link_efficiency = 0.5466, link_hop_s = 5.738e-06, link_latency_s = 4.378e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8891, matrix_efficiency = 0.8361, matrix_half = 100,
      matrix_half_4 = 68.72, matrix_half_8 = 17.16, request_s = 0.008985, sequence_s = 8.587e-06,
      step_s = 0.0001, weight_bandwidth = 0.7082,
    },
    {
      attention_efficiency = 0.6455, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.853, expert_efficiency = 0.5492, expert_excess = 0.1539,
      expert_half = 3.685, expert_layer_s = 5.044e-05, expert_width = 201.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7904,
      layer_4_s = 2.516e-05, layer_8_s = 2.927e-05, layer_s = 2.187e-05,
      link_efficiency = 0.5392, link_hop_s = 5.059e-06, link_latency_s = 3.86e-07,
      matrix_4 = 0.7906, matrix_8 = 0.7906, matrix_efficiency = 0.8332, matrix_half = 103,
      matrix_half_4 = 1, matrix_half_8 = 68.72, request_s = 0.008985, sequence_s = 1.336e-05,
      step_s = 0.0001, weight_bandwidth = 0.7579,
    },
    {
      attention_efficiency = 0.5858, expert_4 = 1.6, expert_8 = 0.8384,
      expert_bandwidth = 0.8313, expert_efficiency = 0.3287, expert_excess = 0.207,
      expert_half = 1.006, expert_layer_s = 5.021e-05, expert_width = 73.88,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8176,
      layer_4_s = 2.862e-05, layer_8_s = 2.644e-05, layer_s = 3.411e-05,
      link_efficiency = 0.6103, link_hop_s = 5.357e-06, link_latency_s = 4.209e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8634, matrix_efficiency = 0.9477, matrix_half = 81.41,
      matrix_half_4 = 18.87, matrix_half_8 = 134.1, request_s = 0.008985, sequence_s = 1.737e-05,
      step_s = 0.0001, weight_bandwidth = 0.7664,
    },
    {
      attention_efficiency = 0.6138, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.8512, expert_efficiency = 0.4929, expert_excess = 0.2529,
      expert_half = 11.45, expert_layer_s = 6.993e-05, expert_width = 117.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8017,
      layer_4_s = 2.899e-05, layer_8_s = 5.232e-05, layer_s = 2.667e-05,
      link_efficiency = 0.5466, link_hop_s = 5.787e-06, link_latency_s = 4.415e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8891, matrix_efficiency = 0.8327, matrix_half = 100,
      matrix_half_4 = 68.72, matrix_half_8 = 17.16, request_s = 0.008985, sequence_s = 8.774e-06,
      step_s = 0.0001, weight_bandwidth = 0.7072,
    },
    {
      attention_efficiency = 0.6622, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.853, expert_efficiency = 0.5228, expert_excess = 0.165,
      expert_half = 3.685, expert_layer_s = 5.139e-05, expert_width = 204.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7828,
      layer_4_s = 2.562e-05, layer_8_s = 2.927e-05, layer_s = 2.205e-05,
      link_efficiency = 0.5392, link_hop_s = 5.144e-06, link_latency_s = 3.924e-07,
      matrix_4 = 0.7906, matrix_8 = 0.7906, matrix_efficiency = 0.8266, matrix_half = 103,
      matrix_half_4 = 1, matrix_half_8 = 68.72, request_s = 0.008985, sequence_s = 1.395e-05,
      step_s = 0.0001, weight_bandwidth = 0.7557,
    },
  },
  roots = {
    [[
      212 1 0 -7 2 1 0 0 -3 -1 2 4 2 -3 -4;518 17 -4 0 1 -1 3 0 -1 3 -5 0 1 -4;1125 4 0 0 -1 4 0
      1 0 2 1 2 2;440 0 1 -2 -2 -1 1 -1 -2 -6 1 -4;106 2 0 -1 9 -2 -1 -5 2 -16 0;207 1 7 -1 1 1
      -3 0 -2 0;156 -1 -3 -3 -4 0 3 2 1;840 0 2 4 1 1 -2 -2;418 -10 -14 -15 1 -27 -3;625 17 -1 0
      -5 -1;662 -2 0 -6 -1;516 3 -1 1;817 -1 1;562 0;414]],
    [[
      215 -2 -7 -2 2 0 1 -2 -5 1 0 2 -2 -2 -6;518 39 3 0 1 0 6 0 -5 0 -2 0 -1 -6;1105 3 1 0 1 16
      1 2 -1 2 -1 0 6;422 -1 1 -2 5 -2 -2 -1 -1 -6 1 -2;111 1 1 4 10 -2 1 -3 -3 -9 -1;207 0 8 -2
      -1 0 -4 3 -2 1;160 -3 -6 -1 -3 0 10 0 2;841 1 2 2 2 -2 -1 -1;427 -4 -9 -30 0 -28 -3;623 11
      -7 1 -1 1;687 -3 1 -4 -1;521 3 -8 -2;833 0 2;593 0;418]],
    [[
      210 -3 -3 0 3 0 1 -3 -5 -2 -1 3 -1 0 -1;515 40 0 0 1 0 4 1 0 1 -4 0 0 -4;1110 0 0 0 0 7 -1
      2 1 3 0 -1 1;415 0 1 -1 -2 -1 -3 -3 -2 -1 1 0;107 1 3 0 4 1 2 -1 -2 -19 0;211 0 11 0 0 -1
      -3 1 -4 1;158 -2 -4 -1 0 2 4 1 2;837 0 5 3 4 0 -3 -1;421 -15 -14 -14 2 -30 -3;626 16 -1 -1
      -9 -2;646 -2 0 -8 -2;515 2 -3 1;817 0 1;582 1;413]],
    [[
      138 2 0 -11 2 1 -2 0 -5 -2 3 7 9 -4 -7;327 26 -6 0 2 -1 5 0 -2 4 -7 0 1 -6;789 6 0 0 -1 5 0
      2 0 3 2 2 3;301 0 2 -3 -2 -2 1 -2 -2 -10 1 -6;66 3 -1 -1 23 -3 -1 -9 11 -23 -1;131 1 11 -2
      1 2 -5 0 -3 1;99 -2 -5 -5 -6 0 8 3 1;542 0 3 7 2 1 -3 -3;266 -15 -21 -22 -2 -42 -4;399 27
      -2 0 -9 -1;453 -3 -1 -9 -2;325 5 -3 1;504 -2 2;392 0;262]],
    [[
      142 -3 -10 -3 3 0 1 -3 -7 1 -1 4 1 -3 -10;327 62 4 0 2 0 10 0 -8 0 -3 -1 -1 -10;759 4 1 0 1
      23 1 3 -2 3 -1 1 8;275 -1 2 -2 7 -4 -3 -1 -2 -9 1 -3;74 1 1 5 22 -4 1 -5 2 -12 -2;131 0 13
      -3 -2 0 -7 5 -2 2;106 -4 -8 -2 -4 0 17 0 3;543 1 3 3 3 -3 -2 -1;280 -6 -14 -45 -2 -43
      -5;396 17 -11 2 -3 2;490 -4 1 -6 -2;330 5 -16 -4;529 -1 3;435 0;267]],
    [[
      135 -5 -5 0 4 0 0 -4 -7 -4 -2 5 2 0 -3;323 63 0 0 2 0 6 2 -1 2 -6 0 -1 -6;767 -1 1 0 0 10
      -1 2 1 4 -1 -1 2;263 0 1 -1 -2 -1 -4 -4 -3 -2 2 -1;69 1 4 -1 13 1 3 -2 3 -28 0;137 0 17 0 0
      -2 -5 1 -6 1;103 -4 -6 -2 0 2 9 3 2;538 0 7 5 6 -1 -4 -2;270 -23 -22 -21 1 -46 -4;401 25 -3
      -1 -15 -3;431 -3 0 -13 -2;323 3 -6 1;505 -1 2;419 1;260]],
    [[
      135 2 0 -11 -1 1 -4 0 -4 -2 3 7 22 -3 -9;327 26 -6 0 2 -1 5 0 -2 4 -7 0 1 -6;789 6 0 0 -1 5
      0 2 0 3 2 2 3;301 0 2 -3 -2 -2 1 -2 -2 -10 1 -6;57 4 -5 0 54 -3 -2 -10 41 -21 -4;131 1 11
      -3 1 2 -5 -1 -3 1;98 -2 -1 -5 -6 -1 21 3 0;542 0 3 7 2 1 -3 -3;256 -15 -22 -21 -16 -44
      -3;399 27 -2 0 -9 -1;453 -3 -1 -9 -2;325 5 -3 1;496 -3 3;392 0;261]],
    [[
      141 -3 -10 -3 2 0 1 -3 -7 1 -1 4 6 -3 -11;327 62 4 0 2 0 10 0 -8 0 -3 -1 -1 -10;759 4 1 0 1
      23 1 3 -2 3 -1 1 8;275 -1 2 -2 7 -4 -3 -1 -2 -9 1 -3;72 1 0 5 31 -4 1 -5 11 -11 -3;131 0 13
      -3 -2 0 -7 5 -2 2;106 -4 -8 -2 -4 0 21 0 3;543 1 3 3 3 -3 -2 -1;277 -6 -14 -45 -5 -44
      -5;396 17 -11 2 -3 2;490 -4 1 -6 -2;330 5 -16 -4;527 -1 4;435 0;267]],
    [[
      134 -5 -5 0 3 0 -1 -4 -7 -4 -2 5 7 1 -3;323 63 0 0 2 0 6 2 -1 2 -6 0 -1 -6;767 -1 1 0 0 10
      -1 2 1 4 -1 -1 2;263 0 1 -1 -2 -1 -4 -4 -3 -2 2 -1;66 1 3 -1 23 1 3 -2 12 -27 -1;137 0 17 0
      0 -2 -5 1 -6 1;102 -4 -6 -2 0 2 12 3 2;538 0 7 5 6 0 -4 -2;268 -24 -22 -21 -2 -46 -4;401 25
      -3 -1 -15 -3;431 -3 -1 -13 -2;323 3 -6 1;502 -1 2;419 1;260]],
    [[
      95 4 -10 -22 11 2 -4 2 -17 -7 8 30 8 -10 -14;176 81 -14 -2 11 -7 35 7 -29 20 -42 6 3
      -18;712 7 1 -2 0 6 -2 6 -3 8 0 2 6;225 0 5 -12 0 -6 2 -3 -10 -20 7 -15;49 6 4 -3 48 -7 -14
      -37 -4 -84 5;57 8 87 -11 1 3 -21 -3 -10 13;52 -17 -22 -23 -37 -1 6 19 -12;258 1 5 24 11 5
      -10 -7;124 -53 -103 -68 16 -134 -20;153 91 -19 2 -88 -17;205 -8 -4 -69 -17;105 33 -125
      -6;78 54 21;168 -38;91]],
    [[
      115 -15 -30 7 7 1 1 -1 -15 4 -4 12 -7 -6 -23;141 225 47 1 13 5 44 1 -29 5 -13 -24 -2
      -70;588 -4 3 -4 -1 35 0 17 -8 9 6 1 41;129 -6 4 -15 -13 -7 -7 -9 -8 18 3 17;64 1 4 1 29 -7
      3 -10 -5 -38 -3;53 -3 80 -9 -4 0 -24 69 -10 14;73 -10 -18 0 -23 -7 53 2 3;275 5 16 12 11
      -12 -3 -1;200 -20 -61 -144 13 -95 -11;155 105 -44 2 -29 -6;339 -28 9 -25 -8;109 70 -212
      -42;326 49 12;292 -38;125]],
    [[
      89 -26 -18 0 13 2 -4 -7 -27 -8 -15 22 -5 -5 -10;150 164 -3 -2 18 2 34 8 -4 7 -40 -7 -6
      -32;660 -2 2 -6 0 13 -6 9 0 16 5 -1 16;136 -2 7 -6 27 3 -13 -18 -18 -12 9 -4;49 2 13 15 33
      15 11 -15 -10 -89 5;52 -2 62 -1 0 -4 -24 10 -28 24;57 -15 -29 -23 -22 15 27 19 5;261 -9 25
      18 21 4 -10 -7;168 -86 -88 -66 23 -124 -9;170 46 -1 -3 -121 -22;126 8 1 -103 -24;96 36 -126
      0;109 48 18;222 -26;80]],
    [[
      124 -5 -4 -10 5 1 -2 2 -8 -3 4 11 4 -6 -9;239 82 -14 -1 4 -15 23 -2 -27 19 -17 0 1 -28;713
      7 1 -1 1 10 -1 5 -3 4 1 1 11;257 -1 3 -12 -14 -4 0 -4 -7 -29 3 -17;62 3 -1 -5 22 -3 -2 -11
      2 -38 -6;107 2 16 -1 3 5 -6 -2 -4 2;65 -10 -24 -13 -28 -27 -1 3 -17;340 5 5 14 7 0 -9
      -6;192 -52 -95 -149 16 -95 -11;235 130 -61 16 -46 -11;297 -58 3 -37 -2;146 54 -182 -28;159
      74 38;239 -39;152]],
    [[
      130 -9 -15 0 4 1 1 -2 -10 0 -2 7 -1 -5 -17;202 275 6 0 5 -2 24 0 -26 4 -7 -7 -1 -49;547 4 3
      -1 5 48 3 25 -8 11 -11 1 58;223 -3 5 -6 1 -3 -3 -4 -3 -16 3 -7;70 2 1 1 21 -4 1 -7 -5 -22
      -10;96 -1 54 -8 0 5 -20 41 -6 4;87 -1 -12 -5 -11 -7 35 1 -10;326 5 3 9 10 -29 -1 5;217 -17
      -42 -175 13 -89 -13;158 80 -44 15 -23 -1;400 -20 4 -15 -5;137 70 -204 -47;357 44 26;324
      -37;159]],
    [[
      120 -12 -10 2 6 1 0 -4 -11 -3 -3 9 -2 -2 -7;243 116 1 -1 5 -2 15 2 -8 5 -11 0 -1 -21;687 -1
      1 0 2 16 -2 6 0 6 -3 -1 11;208 -1 3 -5 -7 -1 -5 -8 -6 -7 3 -7;64 2 5 -1 13 2 5 -3 -4 -42
      -2;110 -1 37 1 1 -1 -9 6 -9 2;83 -3 -10 -4 -4 -2 12 5 -2;404 0 9 9 8 -4 -7 -1;225 -40 -49
      -76 8 -75 -6;291 57 -15 1 -32 -4;324 -17 1 -26 -5;237 13 -45 -4;348 2 8;366 -1;196]],
    [[
      122 -11 -10 -7 5 1 -1 -1 -8 -2 4 10 0 -7 -16;234 19 -4 0 5 -1 13 1 -13 8 -13 1 0 -35;726 5
      1 -1 -1 9 0 1 0 3 2 2 4;241 -1 3 -7 -12 -3 0 -3 -4 -3 3 -22;61 3 1 -4 24 -4 0 -7 -1 -36
      -5;103 1 31 -1 5 0 -6 2 -4 2;81 6 -2 -5 -6 -3 15 6 14;395 7 3 17 10 -16 -3 -27;206 -31 -91
      -102 4 -77 -7;298 59 -20 1 -22 -2;336 -59 2 -40 -6;209 16 -67 -11;355 3 -6;334 -5;140]],
    [[
      127 -22 -32 5 5 1 2 -3 -10 0 -1 5 -3 -6 -22;152 49 26 4 11 7 97 -6 -68 3 -16 17 -7 -61;639
      5 3 -3 2 37 1 7 -2 4 -1 0 31;184 -7 6 -12 13 -6 5 -4 -4 20 3 -6;67 1 1 8 26 -2 4 3 -3 -20
      -4;91 0 18 2 22 -3 -2 5 -3 22;89 -4 -5 7 -3 -2 34 2 10;397 5 22 8 10 -25 -1 10;227 -30 -56
      -136 2 -75 -12;210 71 -64 7 -23 -20;398 -31 2 -20 -2;191 23 -104 -35;389 7 18;382 -14;159]],
    [[
      113 -40 -16 15 6 2 0 5 -10 -3 0 8 -10 -3 -11;140 79 42 0 20 5 82 -1 -21 2 -17 12 -6 -68;700
      -6 1 -2 1 6 -2 4 1 4 -2 -1 12;117 -4 2 -16 -84 -7 -14 -17 -11 57 3 -10;61 2 4 -6 16 1 9 1 0
      -39 -5;90 -4 141 0 12 -16 -9 23 -10 22;78 -13 5 -3 14 -12 50 7 4;332 3 4 25 21 -6 -2 6;215
      -65 -99 -105 0 -86 -7;259 89 -64 5 -54 -14;247 -86 4 -56 -4;151 38 -153 -31;208 34 10;331
      -20;156]],
    [[
      123 -3 -6 -11 5 1 -1 -1 -9 -2 2 11 9 -6 -13;246 31 -13 0 5 -3 23 1 -15 10 -14 15 -1 -21;739
      5 0 -1 -1 9 -1 1 0 3 2 2 4;252 -1 3 -7 -1 -4 0 -6 -7 -3 3 -14;62 3 1 0 22 -3 -1 -8 -1 -36
      -1;106 1 21 -2 4 2 -7 0 -4 5;83 0 -7 -7 -13 -2 7 5 2;428 2 5 11 4 -6 -5 -5;221 -32 -52 -67
      5 -65 -7;300 58 -19 2 -22 -2;354 -20 3 -23 -5;247 13 -30 -4;387 1 12;343 -2;199]],
    [[
      129 -11 -20 1 5 1 2 -5 -10 2 -3 6 4 -6 -24;168 98 -9 3 15 1 98 -6 -52 5 -15 50 -9 -67;680 4
      1 -2 1 22 1 8 -3 5 -6 2 19;207 -4 6 -9 29 -6 -11 -6 -8 14 4 -11;69 1 2 13 27 -2 4 3 -6 -17
      -1;90 -1 0 -2 20 -2 -9 -2 -2 26;91 3 -10 -5 -8 -3 26 2 6;409 4 21 6 9 -29 -4 14;228 -31 -47
      -138 7 -75 -14;221 62 -61 24 -23 -16;404 -25 3 -17 -4;197 36 -101 -34;418 11 34;383 -15;172]],
    [[
      119 -17 -12 -2 6 1 0 -7 -12 -1 -7 7 17 -3 -16;208 76 -14 0 9 0 34 0 -26 12 -18 55 -6
      -44;714 -1 1 -1 1 11 -2 4 0 5 -4 -1 7;178 -3 5 -8 -1 -6 -9 -25 -20 42 1 -30;63 2 5 2 16 1
      10 2 -3 -40 -3;108 -1 48 1 3 -3 -8 -3 -9 11;86 4 -8 -4 -6 -1 20 5 -1;397 1 16 9 12 -24 -6
      -2;221 -67 -78 -100 13 -81 -9;264 79 -70 12 -54 -11;272 -60 22 -41 -13;182 59 -111 -28;351
      29 54;351 -19;170]],
    [[
      115 4 3 -19 5 2 0 0 -7 -4 3 8 2 -7 -10;264 52 -10 0 3 -1 7 0 1 4 -9 2 2 -6;708 9 0 -1 -3 7
      0 3 0 5 4 4 4;270 0 2 -3 1 -3 0 -1 -1 -12 1 -6;60 3 1 -1 16 -4 -1 -11 -3 -34 1;107 1 20 -3
      4 3 -5 2 -5 2;83 -3 -9 -8 -5 2 6 4 3;467 0 7 7 3 2 -3 -2;219 -24 -16 -23 1 -61 -7;339 23 1
      0 -15 -2;454 -2 0 -8 -1;263 6 -4 3;402 -2 2;374 -1;216]],
    [[
      119 -3 -8 -10 5 0 4 -4 -10 0 0 4 -5 -5 -11;277 96 3 0 3 0 11 -1 -8 -1 -4 0 -1 -11;692 4 1
      -1 1 25 1 4 -1 5 -1 2 8;241 -1 1 -2 12 -5 -4 -1 -1 -18 1 -3;68 1 3 6 19 -5 1 -6 -9 -20
      0;112 0 25 -3 -1 0 -7 4 -3 2;90 -6 -14 -3 -3 3 16 0 7;467 1 6 3 6 -2 -2 -2;234 -14 -8 -45 0
      -60 -7;349 13 -13 1 -6 1;490 -3 1 -5 -1;274 5 -19 -3;426 0 2;421 0;220]],
    [[
      111 -3 -4 -4 7 0 3 -7 -10 -7 -2 7 -4 0 -2;264 115 -3 -1 3 0 7 2 2 2 -8 0 0 -7;675 0 1 0 0
      13 -1 3 1 7 -1 0 3;227 1 1 -2 0 -2 -7 -4 -1 -6 2 2;62 1 7 -1 7 1 4 -3 -8 -40 1;120 0 19 0 1
      -2 -4 1 -7 1;87 -6 -11 -2 1 5 6 4 5;456 -1 11 5 10 -1 -5 -3;222 -33 -19 -19 5 -64 -8;341 23
      -1 -2 -22 -5;431 -2 -1 -12 -2;262 3 -6 3;401 0 1;404 0;210]],
    [[
      68 15 -4 -64 12 5 -1 0 -17 1 7 15 7 -16 -49;132 178 -14 0 4 1 40 -1 3 5 -32 31 6 -7;664 11
      0 -1 -2 -3 0 1 -1 17 -7 1 4;245 4 3 -5 3 -8 2 1 1 -17 -4 -22;40 6 -4 0 46 -12 -1 -40 -8 -52
      8;59 2 106 -10 11 7 2 0 0 12;50 -1 -17 -19 -4 10 30 0 10;372 2 18 8 10 1 -6 -2;86 -47 -8
      -50 -1 -186 -55;266 24 -18 0 -47 -6;454 0 -1 -5 0;121 19 -89 11;97 22 16;283 -39;110]],
    [[
      83 0 -13 -35 15 1 2 -6 -42 1 2 14 -10 -8 -37;239 156 4 0 4 0 21 2 -11 -1 -7 0 -1 -10;663 2
      1 -1 1 20 -1 6 -1 9 0 1 7;227 2 2 -4 10 -18 -4 0 3 -42 0 -14;57 1 6 5 49 -10 0 -17 -21 -26
      11;101 0 38 -2 0 1 -6 3 -3 3;76 -7 -29 -1 -2 9 44 1 10;436 1 10 3 11 -1 -3 -2;119 -8 -1 -34
      13 -144 -67;318 12 -20 1 -7 1;491 -2 1 -4 0;240 5 -27 -1;276 7 16;391 -25;143]],
    [[
      56 -3 -12 -34 27 0 9 -36 -42 -29 2 25 -30 13 10;148 524 -6 -1 3 -1 43 3 -4 2 -27 7 2 -7;330
      3 3 -3 1 -53 -4 17 1 81 -9 -7 14;205 6 1 -3 -8 -15 -16 -3 4 -25 7 2;41 2 10 12 35 5 3 -34
      -6 -87 -9;109 0 23 0 3 -2 1 -1 -6 1;67 -12 -24 14 3 15 10 16 19;377 2 21 6 53 -2 -4 -4;73
      -89 -10 -16 25 -171 -55;246 24 -37 4 -74 -27;431 0 0 -9 0;143 14 -47 -5;78 60 7;338 -37;68]],
    [[
      93 3 18 -26 10 2 -2 -1 -21 -18 2 23 7 -14 -22;134 131 -50 -3 15 -5 11 -4 21 7 -36 -7 8
      -34;575 33 1 -6 -8 14 1 4 -1 16 19 10 23;225 1 9 -4 10 -8 -2 0 -8 -21 -2 -20;51 2 6 1 32 3
      -2 -21 -9 -49 9;58 -1 27 -7 16 4 -17 46 -22 22;62 -1 -26 -25 -6 5 18 7 -8;374 -1 4 8 2 2 -2
      -4;157 -115 -16 -79 14 -121 -20;203 20 -5 13 -108 -25;454 0 -1 -5 0;98 66 -128 -15;144 66
      30;295 -28;135]],
    [[
      92 -7 -4 -21 6 -1 13 -12 -2 2 -1 -1 -13 -9 -12;206 189 0 0 8 -4 -9 -3 -7 -1 -6 3 -2 -25;607
      6 2 -5 2 43 2 7 -1 6 -4 4 18;181 -2 -2 2 37 -7 -8 -1 -5 -57 0 -6;65 1 5 17 23 -1 1 -6 -10
      -25 1;66 -2 113 -6 -2 -1 -12 7 -8 1;64 -16 -29 -13 -4 6 24 -3 29;298 2 10 3 18 1 1 -9;206
      -55 -7 -98 -6 -81 8;304 12 -41 -3 -27 4;490 0 0 -5 -1;99 11 -129 -13;145 -2 -22;392 1;123]],
    [[
      87 -5 -6 -5 13 0 4 -10 -23 -21 -2 14 4 -4 -21;135 239 -31 -3 4 -2 -4 6 21 4 -28 3 4 -43;523
      16 3 -2 -1 40 -5 -7 0 21 -10 -1 29;137 1 2 -2 8 -3 -20 -5 -9 -12 3 13;51 1 14 6 24 23 4 -12
      -21 -55 9;103 -1 14 0 2 -2 -1 -2 -10 1;67 -10 -30 -22 0 11 24 9 9;299 -10 33 9 18 -10 -5
      -11;169 -139 -21 -51 27 -105 -13;204 21 -4 13 -111 -25;431 0 -1 -10 0;69 56 -104 -9;141 60
      23;351 -17;102]],
    [[
      139 2 0 -11 3 1 -1 0 -5 -2 3 7 4 -4 -7;327 26 -6 0 2 -1 5 0 -2 4 -7 0 1 -6;789 6 0 0 -1 5 0
      2 0 3 2 2 3;301 0 2 -3 -2 -2 1 -2 -2 -10 1 -6;67 3 -2 -1 15 -2 -1 -8 8 -23 0;131 1 11 -2 1
      2 -5 0 -3 1;98 -2 -5 -5 -6 0 10 4 2;542 0 3 7 2 1 -3 -3;268 -15 -21 -23 1 -42 -4;399 27 -2
      0 -9 -1;453 -3 -1 -9 -2;325 5 -3 1;505 -2 1;393 0;262]],
    [[
      143 -3 -10 -3 3 0 2 -3 -7 1 -1 4 -2 -3 -10;327 62 4 0 2 0 10 0 -8 0 -3 -1 -1 -10;759 4 1 0
      1 23 1 3 -2 3 -1 1 8;275 -1 2 -2 7 -3 -3 -1 -2 -9 1 -3;75 1 1 5 16 -3 1 -4 0 -12 -1;131 0
      13 -2 -2 0 -7 5 -2 2;105 -4 -9 -2 -4 0 19 0 3;543 1 3 3 3 -2 -2 -1;281 -6 -14 -45 0 -42
      -5;396 17 -11 2 -3 2;490 -4 1 -6 -2;330 5 -16 -4;530 -1 3;435 0;267]],
    [[
      136 -5 -5 0 5 0 1 -4 -8 -4 -2 5 -1 0 -2;323 63 0 0 2 0 6 2 -1 2 -6 0 -1 -6;767 -1 1 0 0 10
      -1 2 1 4 -1 -1 2;263 0 1 -1 -2 -1 -4 -4 -3 -2 2 -1;69 1 3 0 7 2 4 -1 1 -28 1;137 0 17 0 0
      -2 -5 1 -6 1;102 -3 -7 -2 0 2 10 3 2;538 0 7 5 6 -1 -4 -2;272 -23 -22 -21 3 -45 -4;401 25
      -3 -1 -15 -3;431 -3 0 -13 -2;323 3 -6 1;506 -1 2;420 1;260]],
    [[
      139 2 0 -11 3 1 -2 0 -5 -2 3 7 5 -4 -7;327 26 -6 0 2 -1 5 0 -2 4 -7 0 1 -6;789 6 0 0 -1 5 0
      2 0 3 2 2 3;301 0 2 -3 -2 -2 1 -2 -2 -10 1 -6;60 3 -7 0 21 -1 0 -7 25 -22 1;131 1 11 -2 1 2
      -5 0 -3 1;95 -2 -4 -5 -6 0 28 3 2;542 0 3 7 2 1 -3 -3;267 -15 -22 -23 -1 -42 -4;399 27 -2 0
      -9 -1;453 -3 -1 -9 -2;325 4 -3 1;500 -2 1;393 0;262]],
    [[
      143 -3 -10 -3 3 0 2 -3 -7 1 -1 4 -2 -3 -10;327 62 4 0 2 0 10 0 -8 0 -3 0 -1 -10;759 4 1 0 1
      23 1 3 -2 3 -1 1 8;275 -1 2 -2 7 -4 -3 -1 -2 -9 1 -3;73 1 0 5 18 -3 2 -4 5 -11 -1;131 0 13
      -2 -2 0 -7 5 -2 2;104 -4 -8 -2 -4 0 24 1 3;543 1 3 3 3 -3 -2 -1;281 -6 -14 -45 0 -43 -5;396
      17 -11 2 -3 2;490 -4 1 -6 -2;330 5 -16 -4;528 -1 3;435 0;267]],
    [[
      136 -5 -5 0 4 0 1 -4 -8 -4 -2 5 -1 0 -2;323 63 0 0 2 0 6 2 -1 2 -6 0 -1 -6;767 -1 1 0 0 10
      -1 2 1 4 -1 -1 2;263 0 1 -1 -2 -1 -4 -4 -3 -2 2 -1;67 1 2 0 9 2 4 -1 6 -27 1;137 0 17 0 0
      -2 -5 1 -6 1;101 -3 -6 -2 1 3 16 3 2;538 0 7 5 6 -1 -4 -2;272 -23 -22 -21 3 -45 -4;401 25
      -3 -1 -15 -3;431 -3 -1 -13 -2;323 3 -6 1;504 -1 1;420 1;260]],
    [[
      139 1 2 -11 3 1 -1 0 -6 -3 3 6 4 -5 -7;317 54 -10 0 -2 -3 5 -1 -5 5 -11 2 1 -15;779 8 0 2 0
      5 1 4 0 7 1 3 9;301 0 1 -4 -2 -2 0 -2 -3 -9 1 -8;69 2 0 -1 15 -2 -1 -6 2 -24 0;122 -1 11 -3
      -1 2 -8 13 -4 -6;99 -2 -7 -8 -6 -5 7 3 -2;542 0 3 7 2 1 -3 -3;262 -34 -22 -56 3 -46 -6;388
      26 -41 2 -16 -3;453 -2 -1 -9 -2;279 11 -22 -3;505 0 3;391 -1;259]],
    [[
      143 -5 -7 -4 3 0 2 -3 -8 0 -1 2 -2 -3 -10;305 125 -2 0 -6 -2 9 -2 -12 0 -10 2 -2 -29;732 9
      1 6 5 24 3 8 -2 12 -4 2 24;274 -1 2 -4 7 -4 -5 -1 -5 -9 1 -7;76 1 2 5 16 -2 1 -1 -4 -13
      -2;109 -3 7 -5 -8 -1 -15 33 -4 -15;105 -5 -12 -8 -4 -10 19 -1 -4;543 1 3 3 2 -2 -2 -2;272
      -40 -13 -107 4 -49 -8;374 19 -97 6 -14 -3;490 0 1 -6 -2;202 27 -73 -22;527 4 7;428 -5;258]],
    [[
      136 -6 -3 0 5 0 1 -4 -8 -4 -2 5 -1 0 -3;313 91 -3 -1 -1 -1 6 0 -3 2 -10 2 -1 -15;756 2 1 2
      2 10 0 4 1 8 -2 0 9;263 0 1 -2 -3 -1 -5 -4 -4 -2 2 -3;71 1 4 -1 7 2 3 0 -3 -29 0;128 -2 17
      0 -2 -2 -8 13 -6 -5;102 -4 -8 -5 0 -2 9 2 -1;538 -1 7 5 6 -1 -4 -2;266 -42 -22 -53 5 -50
      -6;389 24 -42 1 -22 -5;431 -2 0 -13 -2;277 9 -26 -4;505 1 3;418 0;257]],
    [[
      139 1 1 -11 3 1 -1 0 -5 -2 3 7 4 -5 -7;323 38 -8 0 0 -2 5 0 -3 4 -9 1 1 -9;784 7 0 0 -1 5 0
      3 0 5 1 3 5;301 0 2 -3 -2 -2 0 -2 -3 -9 1 -7;69 2 0 -1 14 -2 -1 -7 2 -24 0;127 0 11 -2 0 2
      -6 6 -4 -2;99 -2 -6 -6 -6 -2 6 3 0;542 0 3 7 2 1 -3 -3;265 -23 -21 -37 2 -44 -5;394 26 -18
      1 -12 -2;453 -3 0 -9 -2;307 7 -10 0;506 -1 2;392 -1;260]],
    [[
      143 -4 -9 -3 3 0 2 -3 -7 1 -1 3 -2 -3 -10;322 79 3 0 0 0 10 -1 -9 0 -5 0 -1 -14;752 5 1 1 2
      23 1 4 -2 6 -2 1 12;275 -1 2 -3 7 -4 -4 -1 -3 -9 1 -4;76 1 2 5 15 -3 1 -4 -4 -13 -2;126 -1
      11 -3 -3 0 -8 12 -3 -2;106 -4 -9 -4 -4 -3 16 0 2;543 1 3 3 3 -2 -2 -1;279 -14 -13 -60 1 -44
      -6;391 18 -32 3 -5 1;490 -3 1 -6 -2;306 8 -24 -6;530 0 3;435 0;265]],
    [[
      136 -6 -4 0 5 0 1 -4 -8 -4 -2 5 -2 0 -2;319 75 -1 0 1 0 6 1 -1 2 -8 1 -1 -10;762 0 1 1 1 10
      -1 3 1 6 -1 -1 5;263 0 1 -2 -3 -1 -5 -4 -3 -2 2 -1;71 1 4 -1 7 2 3 -1 -3 -29 0;133 -1 17 0
      -1 -2 -6 6 -6 -2;103 -4 -7 -3 0 0 7 2 1;538 0 7 5 6 -1 -4 -2;270 -31 -22 -34 4 -47 -5;396
      25 -19 0 -18 -4;431 -3 0 -13 -2;305 6 -13 0;506 0 2;419 0;259]],
    [[
      124 -2 -5 -10 5 1 -1 0 -8 -3 3 11 3 -6 -9;268 35 -7 0 4 -3 11 2 -7 8 -12 1 1 -11;739 5 1 -1
      -1 9 -1 2 0 3 2 2 4;261 0 2 -6 -5 -2 1 -3 -4 -11 3 -10;62 3 1 -2 21 -3 -3 -11 0 -38 -1;110
      2 18 -2 1 3 -7 0 -4 2;84 -3 -7 -6 -12 -2 5 5 2;440 1 3 11 3 -1 -5 -6;228 -22 -43 -45 3 -60
      -5;322 48 -4 1 -16 -1;367 -9 0 -20 -4;266 7 -14 0;396 -1 3;346 -1;209]],
    [[
      130 -8 -19 0 5 1 2 -3 -10 1 -1 7 -3 -5 -15;256 79 8 1 5 1 21 0 -13 2 -5 0 -2 -18;682 4 2 -1
      2 32 0 4 -3 4 -2 0 13;225 -3 4 -5 7 -4 -4 -3 -4 -5 2 -4;70 1 3 6 21 -4 2 -6 -5 -22 -3;107 0
      18 -3 -1 0 -10 9 -4 5;92 -3 -9 -2 -7 -1 22 1 3;440 2 5 6 4 -6 -3 -1;247 -9 -32 -76 2 -60
      -7;305 36 -9 3 -6 3;419 -12 2 -14 -4;271 10 -34 -7;436 0 6;399 -1;218]],
    [[
      120 -11 -11 3 6 1 0 -4 -11 -3 -3 9 -2 -2 -6;258 71 3 0 5 1 14 3 -4 3 -10 2 -2 -13;714 -1 1
      0 1 14 -2 3 1 4 -1 -1 5;209 -1 3 -3 -6 -1 -6 -8 -6 0 3 -5;64 2 5 1 12 2 5 -3 -4 -42 0;112 0
      33 1 0 -3 -8 2 -8 3;87 -3 -7 -4 -1 2 12 5 2;438 -1 9 8 7 -2 -7 -2;236 -34 -41 -44 4 -65
      -5;324 43 -5 -1 -26 -4;335 -9 0 -24 -5;263 7 -19 0;397 0 4;378 0;211]],
    [[
      123 -2 -5 -11 5 1 -2 0 -8 -3 4 11 5 -6 -9;267 36 -7 0 4 -3 12 2 -7 8 -12 4 1 -11;738 6 1 -1
      -1 8 -1 2 -1 3 1 2 4;254 0 2 -6 -6 -3 1 -3 -4 -16 3 -10;62 3 0 -2 21 -3 -2 -11 1 -38 -1;110
      2 18 -2 1 2 -7 0 -4 2;82 0 -7 -6 -10 0 11 6 2;438 1 3 10 2 -2 -5 -5;228 -22 -43 -45 2 -60
      -5;322 48 -4 1 -16 -1;367 -10 -1 -20 -4;266 6 -15 0;391 -2 3;346 -1;209]],
    [[
      129 -7 -19 -1 4 1 1 -3 -10 1 -1 7 -1 -5 -15;255 81 7 1 5 1 22 0 -13 2 -4 2 -2 -17;681 5 2
      -1 2 31 0 4 -3 4 -3 0 14;218 -3 4 -6 6 -4 -4 -3 -4 -11 2 -4;70 2 2 6 21 -4 2 -5 -4 -22
      -3;107 0 18 -3 -1 0 -10 9 -4 5;91 -1 -9 -3 -5 0 28 2 3;438 2 5 5 3 -6 -3 -1;247 -9 -32 -76
      1 -61 -7;305 36 -9 3 -6 3;419 -12 1 -14 -4;271 8 -35 -7;431 -1 7;399 -1;218]],
    [[
      117 -11 -10 1 5 1 -2 -6 -11 -4 -1 8 2 -2 -6;255 76 1 -1 5 0 16 3 -4 3 -10 10 -1 -13;713 0 1
      0 2 12 -2 3 1 4 -5 -1 5;181 -1 3 -5 -9 -1 -6 -8 -7 -23 4 -5;64 2 4 2 13 2 7 -2 1 -42 0;112
      0 31 1 0 -3 -9 1 -9 3;82 7 -5 -5 6 8 36 8 2;430 -1 9 6 4 -6 -8 -2;236 -34 -42 -44 3 -65
      -5;324 43 -5 -1 -26 -4;334 -11 -4 -25 -5;262 2 -21 0;376 -2 5;377 0;211]],
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
      sglang = { points = 33, configurations = 12, near = 5, constants = 20, root = 17,
        kernels = "0.5.14" },
      trtllm = { points = 81, configurations = 27, near = 5, constants = 21, root = 18,
        kernels = "1.3.0rc20" },
    },
    ["GB300"] = {
      vllm = { points = 0, configurations = 0, near = 5, constants = 22, root = 19,
        kernels = "0.24.0" },
      sglang = { points = 29, configurations = 5, near = 5, constants = 23, root = 20,
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
