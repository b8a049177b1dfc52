--- Constants of the roofline by GPU and engine, from measurements; made by
-- tests/accuracy/calibrate/run.lua, which says how, from 3124 points of 356 configurations and the
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
  model_spread = 0.11,
  shape_spread = 0.08,
  architecture_spread = 0.27,
  version_spread = 0.075,
  handed_steps = 15.4,
  request_spread = { vllm = 0.252, sglang = 0.839, trtllm = 0.839 },
  models = {
    ["24x2880-201088-32"] = {
      any = { 0.994, 0.076 }, trtllm = { 0.987, 0.074 },
    },
    ["28x3584-152064-0"] = {
      any = { 1.007, 0.076 }, vllm = { 1.013, 0.075 },
    },
    ["32x4096-128256-0"] = {
      any = { 1.023, 0.075 }, vllm = { 1.025, 0.073 }, sglang = { 1.047, 0.074 },
      trtllm = { 1.020, 0.074 },
    },
    ["32x4096-32000-0"] = {
      any = { 0.999, 0.076 }, vllm = { 0.998, 0.075 },
    },
    ["32x4096-32000-8"] = {
      any = { 0.988, 0.076 }, vllm = { 0.977, 0.075 },
    },
    ["36x2880-201088-128"] = {
      any = { 0.979, 0.075 }, vllm = { 0.959, 0.071 }, trtllm = { 0.979, 0.072 },
    },
    ["36x4096-151936-0"] = {
      any = { 1.003, 0.076 }, vllm = { 1.005, 0.074 },
    },
    ["40x5120-131072-0"] = {
      any = { 0.996, 0.076 }, vllm = { 0.992, 0.075 },
    },
    ["40x5120-151936-0"] = {
      any = { 1.002, 0.076 }, vllm = { 1.004, 0.073 },
    },
    ["48x2048-151936-128"] = {
      any = { 0.999, 0.076 }, trtllm = { 0.998, 0.074 },
    },
    ["48x3840-262144-0"] = {
      any = { 0.997, 0.076 }, vllm = { 0.994, 0.074 },
    },
    ["48x5120-202048-128"] = {
      any = { 0.990, 0.076 }, trtllm = { 0.980, 0.075 },
    },
    ["48x5120-202048-16"] = {
      any = { 1.022, 0.076 }, vllm = { 1.045, 0.074 },
    },
    ["48x8192-32000-0"] = {
      any = { 0.995, 0.076 }, vllm = { 0.990, 0.074 },
    },
    ["56x6144-32768-8"] = {
      any = { 0.995, 0.076 }, vllm = { 0.989, 0.075 },
    },
    ["60x4096-248320-512"] = {
      any = { 1.000, 0.075 }, sglang = { 1.000, 0.071 },
    },
    ["60x7168-64000-0"] = {
      any = { 1.000, 0.076 }, vllm = { 1.001, 0.075 },
    },
    ["61x7168-129280-256"] = {
      any = { 0.996, 0.074 }, vllm = { 1.013, 0.074 }, sglang = { 0.983, 0.070 },
      trtllm = { 0.988, 0.070 },
    },
    ["61x7168-163840-384"] = {
      any = { 0.972, 0.075 }, vllm = { 0.968, 0.071 }, trtllm = { 0.947, 0.074 },
    },
    ["62x3072-200064-256"] = {
      any = { 0.984, 0.075 }, vllm = { 0.969, 0.070 },
    },
    ["64x5120-151936-0"] = {
      any = { 1.013, 0.075 }, vllm = { 1.014, 0.074 }, sglang = { 1.016, 0.074 },
      trtllm = { 1.022, 0.073 },
    },
    ["78x6144-154880-256"] = {
      any = { 1.043, 0.076 }, sglang = { 1.087, 0.072 },
    },
    ["80x8192-128256-0"] = {
      any = { 0.957, 0.075 }, vllm = { 0.929, 0.070 }, trtllm = { 0.945, 0.071 },
    },
    ["80x8192-32000-0"] = {
      any = { 1.002, 0.076 }, vllm = { 1.005, 0.075 },
    },
    ["94x4096-151936-128"] = {
      any = { 1.013, 0.075 }, vllm = { 1.056, 0.072 }, sglang = { 0.997, 0.073 },
      trtllm = { 0.998, 0.072 },
    },
  },
  served = {
    ["24x2880-201088-32 trtllm"] = {
      ["B200 mxfp4"] = { 0.986, 0.068 }, ["GB200 mxfp4"] = { 0.983, 0.068 },
      ["H100 SXM mxfp4"] = { 0.950, 0.064 }, ["H200 SXM mxfp4"] = { 1.004, 0.067 },
    },
    ["28x3584-152064-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.044, 0.056 },
    },
    ["32x4096-128256-0 sglang"] = {
      ["H200 SXM fp8"] = { 1.163, 0.050 },
    },
    ["32x4096-128256-0 trtllm"] = {
      ["H100 SXM bf16"] = { 1.006, 0.046 },
    },
    ["32x4096-128256-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.034, 0.042 }, ["L40S bf16"] = { 1.028, 0.058 },
    },
    ["32x4096-32000-0 vllm"] = {
      ["H100 SXM bf16"] = { 0.993, 0.052 },
    },
    ["32x4096-32000-8 vllm"] = {
      ["H100 SXM bf16"] = { 0.927, 0.048 },
    },
    ["36x2880-201088-128 trtllm"] = {
      ["B200 mxfp4"] = { 0.890, 0.041 }, ["GB200 mxfp4"] = { 1.003, 0.064 },
      ["H100 SXM mxfp4"] = { 1.029, 0.065 }, ["H200 SXM mxfp4"] = { 1.002, 0.040 },
    },
    ["36x2880-201088-128 vllm"] = {
      ["B200 mxfp4"] = { 0.907, 0.040 }, ["H100 SXM mxfp4"] = { 0.911, 0.039 },
      ["H200 SXM mxfp4"] = { 0.968, 0.044 },
    },
    ["36x4096-151936-0 vllm"] = {
      ["B200 bf16"] = { 1.061, 0.057 }, ["H100 SXM bf16"] = { 0.964, 0.054 },
    },
    ["40x5120-131072-0 vllm"] = {
      ["H100 SXM bf16"] = { 0.974, 0.051 },
    },
    ["40x5120-151936-0 vllm"] = {
      ["A100 80GB SXM bf16"] = { 1.042, 0.057 }, ["B200 bf16"] = { 0.988, 0.056 },
      ["H100 SXM bf16"] = { 0.993, 0.044 },
    },
    ["48x2048-151936-128 trtllm"] = {
      ["B200 fp4"] = { 0.994, 0.063 }, ["GB200 fp4"] = { 1.015, 0.064 },
      ["RTX PRO 6000 Server fp4"] = { 0.979, 0.058 },
    },
    ["48x3840-262144-0 vllm"] = {
      ["B200 bf16"] = { 1.002, 0.057 }, ["H100 SXM bf16"] = { 0.973, 0.057 },
    },
    ["48x5120-202048-128 trtllm"] = {
      ["B200 fp4"] = { 0.963, 0.065 }, ["GB200 fp4"] = { 0.972, 0.066 },
      ["H200 SXM fp8"] = { 0.961, 0.067 },
    },
    ["48x5120-202048-16 vllm"] = {
      ["H100 SXM bf16"] = { 1.171, 0.050 }, ["H100 SXM fp8"] = { 1.030, 0.055 },
    },
    ["48x8192-32000-0 vllm"] = {
      ["A100 80GB SXM bf16"] = { 0.985, 0.056 }, ["H100 SXM bf16"] = { 0.973, 0.048 },
    },
    ["56x6144-32768-8 vllm"] = {
      ["H100 SXM bf16"] = { 0.965, 0.054 },
    },
    ["60x4096-248320-512 sglang"] = {
      ["B200 bf16"] = { 1.036, 0.048 }, ["B200 fp4"] = { 0.976, 0.050 },
      ["B200 fp8"] = { 1.007, 0.047 }, ["B300 bf16"] = { 0.953, 0.048 },
      ["B300 fp4"] = { 1.052, 0.049 }, ["B300 fp8"] = { 0.934, 0.048 },
      ["H200 SXM fp8"] = { 1.046, 0.052 },
    },
    ["60x7168-64000-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.003, 0.051 },
    },
    ["61x7168-129280-256 sglang"] = {
      ["B200 fp4-latent"] = { 0.968, 0.036 }, ["B200 fp8"] = { 0.947, 0.039 },
      ["B300 fp4-latent"] = { 1.084, 0.049 }, ["B300 fp8"] = { 1.061, 0.052 },
      ["GB200 fp4-latent"] = { 0.901, 0.051 }, ["GB200 fp8"] = { 0.918, 0.054 },
      ["GB300 fp4-latent"] = { 0.972, 0.057 }, ["GB300 fp8"] = { 0.914, 0.055 },
      ["H200 SXM fp8"] = { 0.921, 0.041 }, ["MI300X fp8"] = { 1.107, 0.059 },
    },
    ["61x7168-129280-256 trtllm"] = {
      ["B200 fp4-latent"] = { 0.927, 0.035 }, ["B200 fp8"] = { 1.135, 0.039 },
      ["GB200 fp4-latent"] = { 0.889, 0.042 }, ["GB200 fp8"] = { 1.037, 0.047 },
      ["GB300 fp4-latent"] = { 0.854, 0.050 }, ["GB300 fp8"] = { 1.014, 0.052 },
      ["H200 SXM fp8"] = { 1.055, 0.035 },
    },
    ["61x7168-129280-256 vllm"] = {
      ["B200 fp8"] = { 1.094, 0.060 },
    },
    ["61x7168-163840-384 trtllm"] = {
      ["GB200 fp4-latent"] = { 0.843, 0.052 },
    },
    ["61x7168-163840-384 vllm"] = {
      ["B200 fp4-latent"] = { 0.893, 0.045 }, ["B200 int4"] = { 1.041, 0.065 },
      ["B300 fp4-latent"] = { 0.934, 0.042 }, ["GB200 fp4-latent"] = { 0.978, 0.057 },
      ["H200 SXM int4"] = { 0.988, 0.053 },
    },
    ["62x3072-200064-256 vllm"] = {
      ["B200 fp4"] = { 0.925, 0.036 }, ["B200 fp8"] = { 0.995, 0.039 },
      ["B300 fp4"] = { 0.922, 0.041 }, ["B300 fp8"] = { 0.998, 0.039 },
      ["H100 SXM fp8"] = { 0.956, 0.045 }, ["H200 SXM fp8"] = { 0.952, 0.045 },
    },
    ["64x5120-151936-0 sglang"] = {
      ["H100 SXM bf16"] = { 1.030, 0.048 },
    },
    ["64x5120-151936-0 trtllm"] = {
      ["B200 fp4"] = { 0.989, 0.062 }, ["GB200 fp4"] = { 1.069, 0.060 },
      ["H100 SXM fp8"] = { 1.049, 0.046 },
    },
    ["64x5120-151936-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.019, 0.052 },
    },
    ["78x6144-154880-256 sglang"] = {
      ["B200 fp4-latent"] = { 1.204, 0.060 }, ["B200 fp8"] = { 1.145, 0.050 },
      ["B300 fp8"] = { 1.099, 0.053 }, ["H200 SXM fp8"] = { 1.116, 0.050 },
    },
    ["80x8192-128256-0 trtllm"] = {
      ["B200 fp4"] = { 0.997, 0.041 }, ["B200 fp8"] = { 0.901, 0.042 },
      ["GB200 fp4"] = { 0.940, 0.064 }, ["H100 SXM fp8"] = { 0.923, 0.067 },
      ["H200 SXM fp8"] = { 0.900, 0.043 }, ["RTX PRO 6000 Server fp4"] = { 0.958, 0.062 },
    },
    ["80x8192-128256-0 vllm"] = {
      ["B200 bf16"] = { 0.866, 0.050 }, ["B200 fp4"] = { 0.978, 0.041 },
      ["B200 fp8"] = { 0.835, 0.040 }, ["H100 SXM bf16"] = { 0.891, 0.042 },
      ["H100 SXM fp8"] = { 0.956, 0.039 }, ["H200 SXM fp8"] = { 0.926, 0.043 },
    },
    ["80x8192-32000-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.016, 0.049 },
    },
    ["94x4096-151936-128 sglang"] = {
      ["H200 SXM fp8"] = { 0.931, 0.047 },
    },
    ["94x4096-151936-128 trtllm"] = {
      ["B200 fp4"] = { 1.019, 0.062 }, ["GB200 fp4"] = { 1.023, 0.064 },
      ["H100 SXM fp8"] = { 0.903, 0.051 }, ["H200 SXM fp8"] = { 0.949, 0.066 },
      ["RTX PRO 6000 Server fp4"] = { 1.039, 0.059 },
    },
    ["94x4096-151936-128 vllm"] = {
      ["B200 fp8"] = { 1.161, 0.049 }, ["H100 SXM fp8"] = { 1.105, 0.046 },
      ["H200 SXM fp8"] = { 1.111, 0.054 },
    },
  },
  versions = {
    vllm = {
      any = { 1.002, 0.095 }, ["0.11"] = { 1.148, 0.028 }, ["0.12"] = { 1.079, 0.048 },
      ["0.15"] = { 0.954, 0.029 }, ["0.16"] = { 1.055, 0.047 }, ["0.17"] = { 1.004, 0.035 },
      ["0.18"] = { 0.922, 0.031 }, ["0.19"] = { 0.923, 0.025 },
    },
    sglang = {
      any = { 0.904, 0.020 }, ["0.5"] = { 0.904, 0.020 },
    },
    trtllm = {
      any = { 0.938, 0.046 }, ["1.0"] = { 0.881, 0.045 }, ["1.1"] = { 0.975, 0.028 },
      ["1.2"] = { 0.949, 0.021 }, ["1.3"] = { 0.929, 0.030 },
    },
  },
  constants = {
    {
      attention_efficiency = 0.4964, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8521, expert_efficiency = 0.3536, expert_excess = 0.1855,
      expert_half = 21.45, expert_layer_s = 4.589e-05, expert_width = 78.67,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8262,
      layer_4_s = 1.94e-05, layer_8_s = 2.332e-05, layer_s = 3.884e-05, link_efficiency = 0.5062,
      link_hop_s = 7.39e-07, link_latency_s = 2.514e-06, matrix_4 = 0.5045, matrix_8 = 0.5555,
      matrix_efficiency = 0.8675, matrix_half = 17.08, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.218e-05, step_s = 0.0001,
      weight_bandwidth = 0.7793,
    },
    {
      attention_efficiency = 0.4034, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.8122, expert_efficiency = 0.2077, expert_excess = 0.2162,
      expert_half = 19.34, expert_layer_s = 6.091e-05, expert_width = 166,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8274,
      layer_4_s = 1.032e-05, layer_8_s = 2.587e-05, layer_s = 3.827e-05,
      link_efficiency = 0.6288, link_hop_s = 7.149e-07, link_latency_s = 1.819e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.7043, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.112e-05,
      step_s = 0.0001, weight_bandwidth = 0.7561,
    },
    {
      attention_efficiency = 0.638, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8331, expert_efficiency = 0.3965, expert_excess = 0.1386,
      expert_half = 28.24, expert_layer_s = 4.786e-05, expert_width = 315.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7803,
      layer_4_s = 2.696e-05, layer_8_s = 2.794e-05, layer_s = 3.011e-05,
      link_efficiency = 0.5234, link_hop_s = 6.394e-07, link_latency_s = 1.759e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7324, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.783e-05,
      step_s = 0.0001, weight_bandwidth = 0.7582,
    },
    {
      attention_efficiency = 0.4188, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7671, expert_efficiency = 0.04313, expert_excess = 0.1855,
      expert_half = 17.66, expert_layer_s = 5.205e-05, expert_width = 80.81,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8177,
      layer_4_s = 8.863e-06, layer_8_s = 1.163e-07, layer_s = 5.594e-05, link_efficiency = 0.465,
      link_hop_s = 7.221e-07, link_latency_s = 3.186e-06, matrix_4 = 0.4789, matrix_8 = 0.5272,
      matrix_efficiency = 0.9105, matrix_half = 79.83, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.315e-05, step_s = 0.0001,
      weight_bandwidth = 0.7343,
    },
    {
      attention_efficiency = 0.3158, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7665, expert_efficiency = 0.04599, expert_excess = 0.2162,
      expert_half = 13.71, expert_layer_s = 7.257e-05, expert_width = 153.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8043,
      layer_4_s = 0, layer_8_s = 1.295e-05, layer_s = 5.731e-05, link_efficiency = 0.4874,
      link_hop_s = 7.481e-07, link_latency_s = 3.3e-06, matrix_4 = 0.4542, matrix_8 = 0.7283,
      matrix_efficiency = 0.7662, matrix_half = 79.83, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.16e-05, step_s = 0.0001,
      weight_bandwidth = 0.7228,
    },
    {
      attention_efficiency = 0.6359, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7475, expert_efficiency = 0.03809, expert_excess = 0.1386,
      expert_half = 22.37, expert_layer_s = 5.737e-05, expert_width = 186.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7927,
      layer_4_s = 1.512e-05, layer_8_s = 1.92e-05, layer_s = 4.477e-05, link_efficiency = 0.5344,
      link_hop_s = 6.692e-07, link_latency_s = 2.952e-06, matrix_4 = 0.4411, matrix_8 = 0.6476,
      matrix_efficiency = 0.7917, matrix_half = 79.83, matrix_half_4 = 13.46,
      matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.86e-05, step_s = 0.0001,
      weight_bandwidth = 0.7537,
    },
    {
      attention_efficiency = 0.4188, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7671, expert_efficiency = 0.04313, expert_excess = 0.1855,
      expert_half = 17.66, expert_layer_s = 5.205e-05, expert_width = 80.81,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8097,
      layer_4_s = 9.28e-06, layer_8_s = 1.036e-06, layer_s = 5.335e-05, link_efficiency = 0.4883,
      link_hop_s = 6.876e-07, link_latency_s = 3.378e-06, matrix_4 = 0.4742, matrix_8 = 0.5221,
      matrix_efficiency = 0.9195, matrix_half = 60.69, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.315e-05, step_s = 0.0001,
      weight_bandwidth = 0.7201,
    },
    {
      attention_efficiency = 0.3158, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7665, expert_efficiency = 0.04599, expert_excess = 0.2162,
      expert_half = 13.71, expert_layer_s = 7.257e-05, expert_width = 153.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7964,
      layer_4_s = 0, layer_8_s = 1.185e-05, layer_s = 5.656e-05, link_efficiency = 0.5757,
      link_hop_s = 7.336e-07, link_latency_s = 3.604e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.7514, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.16e-05, step_s = 0.0001,
      weight_bandwidth = 0.7088,
    },
    {
      attention_efficiency = 0.6359, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7475, expert_efficiency = 0.03809, expert_excess = 0.1386,
      expert_half = 22.37, expert_layer_s = 5.737e-05, expert_width = 186.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8084,
      layer_4_s = 1.555e-05, layer_8_s = 1.951e-05, layer_s = 4.825e-05,
      link_efficiency = 0.4308, link_hop_s = 7.166e-07, link_latency_s = 2.549e-06,
      matrix_4 = 0.4368, matrix_8 = 0.6413, matrix_efficiency = 0.7995, matrix_half = 72.39,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.86e-05,
      step_s = 0.0001, weight_bandwidth = 0.7838,
    },
    {
      attention_efficiency = 0.4188, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7671, expert_efficiency = 0.04313, expert_excess = 0.1855,
      expert_half = 17.66, expert_layer_s = 5.205e-05, expert_width = 80.81,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8052,
      layer_4_s = 9.28e-06, layer_8_s = 1.036e-06, layer_s = 5.43e-05, link_efficiency = 0.4892,
      link_hop_s = 6.873e-07, link_latency_s = 3.377e-06, matrix_4 = 0.4742, matrix_8 = 0.5221,
      matrix_efficiency = 0.9144, matrix_half = 60.69, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.464e-05, step_s = 0.0001,
      weight_bandwidth = 0.7111,
    },
    {
      attention_efficiency = 0.3157, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7665, expert_efficiency = 0.04599, expert_excess = 0.2162,
      expert_half = 13.71, expert_layer_s = 7.257e-05, expert_width = 153.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7942,
      layer_4_s = 0, layer_8_s = 1.185e-05, layer_s = 5.707e-05, link_efficiency = 0.5762,
      link_hop_s = 7.335e-07, link_latency_s = 3.604e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.7493, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.197e-05, step_s = 0.0001,
      weight_bandwidth = 0.7043,
    },
    {
      attention_efficiency = 0.6359, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7475, expert_efficiency = 0.03809, expert_excess = 0.1386,
      expert_half = 22.37, expert_layer_s = 5.737e-05, expert_width = 186.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8061,
      layer_4_s = 1.555e-05, layer_8_s = 1.951e-05, layer_s = 4.868e-05,
      link_efficiency = 0.4312, link_hop_s = 7.165e-07, link_latency_s = 2.548e-06,
      matrix_4 = 0.4368, matrix_8 = 0.6413, matrix_efficiency = 0.7973, matrix_half = 72.39,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.919e-05,
      step_s = 0.0001, weight_bandwidth = 0.7789,
    },
    {
      attention_efficiency = 0.5108, expert_4 = 1.092, expert_8 = 0.7239,
      expert_bandwidth = 0.9715, expert_efficiency = 0.2778, expert_excess = 0.2153,
      expert_half = 55.39, expert_layer_s = 3.888e-05, expert_width = 40.52,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8818,
      layer_4_s = 1.719e-05, layer_8_s = 3.163e-05, layer_s = 3.623e-05,
      link_efficiency = 0.3114, link_hop_s = 4.592e-07, link_latency_s = 4.843e-06,
      matrix_4 = 0.5723, matrix_8 = 0.5088, matrix_efficiency = 0.9178, matrix_half = 58.93,
      matrix_half_4 = 49.41, matrix_half_8 = 35.77, request_s = 0.008985, sequence_s = 2.386e-05,
      step_s = 0.0001, weight_bandwidth = 0.7099,
    },
    {
      attention_efficiency = 0.4165, expert_4 = 0.7906, expert_8 = 0.3088,
      expert_bandwidth = 0.8295, expert_efficiency = 0.2451, expert_excess = 0.2081,
      expert_half = 15.21, expert_layer_s = 5.221e-05, expert_width = 101.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8584,
      layer_4_s = 8.788e-06, layer_8_s = 4.549e-05, layer_s = 3.675e-05,
      link_efficiency = 0.3923, link_hop_s = 4.384e-07, link_latency_s = 2.975e-06,
      matrix_4 = 0.5557, matrix_8 = 0.9156, matrix_efficiency = 0.6932, matrix_half = 50.88,
      matrix_half_4 = 119.3, matrix_half_8 = 33.95, request_s = 0.008985, sequence_s = 8.826e-06,
      step_s = 0.0001, weight_bandwidth = 0.7154,
    },
    {
      attention_efficiency = 0.6926, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.8589, expert_efficiency = 0.2929, expert_excess = 0.1882,
      expert_half = 47.49, expert_layer_s = 4.118e-05, expert_width = 90.34,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7539,
      layer_4_s = 2.978e-05, layer_8_s = 2.818e-05, layer_s = 2.102e-05,
      link_efficiency = 0.3912, link_hop_s = 3.962e-07, link_latency_s = 2.769e-06,
      matrix_4 = 0.5723, matrix_8 = 0.7239, matrix_efficiency = 0.7145, matrix_half = 30.88,
      matrix_half_4 = 42.95, matrix_half_8 = 62.5, request_s = 0.008985, sequence_s = 1.358e-05,
      step_s = 0.0001, weight_bandwidth = 0.694,
    },
    {
      attention_efficiency = 0.6692, expert_4 = 0.625, expert_8 = 0.7906,
      expert_bandwidth = 0.8853, expert_efficiency = 0.3241, expert_excess = 0.2155,
      expert_half = 26.57, expert_layer_s = 3.735e-05, expert_width = 54.82,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7788,
      layer_4_s = 1.502e-05, layer_8_s = 2.73e-05, layer_s = 3.727e-05, link_efficiency = 0.4046,
      link_hop_s = 4.022e-07, link_latency_s = 5.209e-06, matrix_4 = 0.3683, matrix_8 = 0.4659,
      matrix_efficiency = 0.9385, matrix_half = 1.637, matrix_half_4 = 25.14,
      matrix_half_8 = 17.16, request_s = 0.008985, sequence_s = 2.152e-05, step_s = 0.0001,
      weight_bandwidth = 0.7497,
    },
    {
      attention_efficiency = 0.5311, expert_4 = 0.524, expert_8 = 0.2912,
      expert_bandwidth = 0.8825, expert_efficiency = 0.3332, expert_excess = 0.3125,
      expert_half = 21.42, expert_layer_s = 4.722e-05, expert_width = 229,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7961,
      layer_4_s = 4.89e-06, layer_8_s = 5.529e-05, layer_s = 3.838e-05, link_efficiency = 0.4472,
      link_hop_s = 4.11e-07, link_latency_s = 3.231e-06, matrix_4 = 0.3473, matrix_8 = 0.8891,
      matrix_efficiency = 0.8271, matrix_half = 2.276, matrix_half_4 = 202.4,
      matrix_half_8 = 214.6, request_s = 0.008985, sequence_s = 1.029e-05, step_s = 0.0001,
      weight_bandwidth = 0.7362,
    },
    {
      attention_efficiency = 0.8371, expert_4 = 0.8033, expert_8 = 0.5723,
      expert_bandwidth = 0.8647, expert_efficiency = 0.2948, expert_excess = 0.1655,
      expert_half = 50.36, expert_layer_s = 4.512e-05, expert_width = 123.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7788,
      layer_4_s = 2.998e-05, layer_8_s = 3.356e-05, layer_s = 2.817e-05,
      link_efficiency = 0.4948, link_hop_s = 3.897e-07, link_latency_s = 3.064e-06,
      matrix_4 = 0.3577, matrix_8 = 0.6826, matrix_efficiency = 0.7686, matrix_half = 36.83,
      matrix_half_4 = 88.91, matrix_half_8 = 68.26, request_s = 0.008985, sequence_s = 1.575e-05,
      step_s = 0.0001, weight_bandwidth = 0.6849,
    },
    {
      attention_efficiency = 0.546, expert_4 = 0.9711, expert_8 = 1.03,
      expert_bandwidth = 0.9392, expert_efficiency = 0.3994, expert_excess = 0.1455,
      expert_half = 44.38, expert_layer_s = 3.71e-05, expert_width = 39.74,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.847,
      layer_4_s = 1.725e-05, layer_8_s = 2.908e-05, layer_s = 3.819e-05,
      link_efficiency = 0.3135, link_hop_s = 2.794e-07, link_latency_s = 3.838e-06,
      matrix_4 = 0.524, matrix_8 = 0.4659, matrix_efficiency = 0.9068, matrix_half = 100,
      matrix_half_4 = 46.59, matrix_half_8 = 23.02, request_s = 0.008985, sequence_s = 1.33e-05,
      step_s = 0.0001, weight_bandwidth = 0.7542,
    },
    {
      attention_efficiency = 0.5087, expert_4 = 0.7677, expert_8 = 0.3473,
      expert_bandwidth = 0.8984, expert_efficiency = 0.5872, expert_excess = 0.1799,
      expert_half = 27.2, expert_layer_s = 4.48e-05, expert_width = 136,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8691,
      layer_4_s = 6.819e-06, layer_8_s = 6.113e-05, layer_s = 3.674e-05,
      link_efficiency = 0.8298, link_hop_s = 1.083e-07, link_latency_s = 3.387e-06,
      matrix_4 = 0.5396, matrix_8 = 0.8384, matrix_efficiency = 0.7285, matrix_half = 88.91,
      matrix_half_4 = 241.4, matrix_half_8 = 164.8, request_s = 0.008985, sequence_s = 6.482e-06,
      step_s = 0.0001, weight_bandwidth = 0.7412,
    },
    {
      attention_efficiency = 0.8604, expert_4 = 0.3232, expert_8 = 0.5723,
      expert_bandwidth = 0.8363, expert_efficiency = 0.4739, expert_excess = 0.1107,
      expert_half = 35.06, expert_layer_s = 4.051e-05, expert_width = 68.04,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8074,
      layer_4_s = 2.415e-05, layer_8_s = 3.443e-05, layer_s = 2.824e-05,
      link_efficiency = 0.8508, link_hop_s = 2.794e-07, link_latency_s = 3.034e-06,
      matrix_4 = 0.4941, matrix_8 = 0.6628, matrix_efficiency = 0.7382, matrix_half = 70.29,
      matrix_half_4 = 1, matrix_half_8 = 70.29, request_s = 0.008985, sequence_s = 9.748e-06,
      step_s = 0.0001, weight_bandwidth = 0.6869,
    },
    {
      attention_efficiency = 0.7278, expert_4 = 0.5557, expert_8 = 0.8891,
      expert_bandwidth = 0.8849, expert_efficiency = 0.5571, expert_excess = 0.1704,
      expert_half = 34.41, expert_layer_s = 3.255e-05, expert_width = 48.06,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8286,
      layer_4_s = 1.562e-05, layer_8_s = 2.825e-05, layer_s = 3.475e-05,
      link_efficiency = 0.5209, link_hop_s = 6.035e-07, link_latency_s = 5.181e-06,
      matrix_4 = 0.3683, matrix_8 = 0.4659, matrix_efficiency = 0.9643, matrix_half = 33.73,
      matrix_half_4 = 55.57, matrix_half_8 = 20.47, request_s = 0.008985, sequence_s = 1.377e-05,
      step_s = 0.0001, weight_bandwidth = 0.7525,
    },
    {
      attention_efficiency = 0.565, expert_4 = 0.4023, expert_8 = 0.2828,
      expert_bandwidth = 0.8482, expert_efficiency = 0.7955, expert_excess = 0.1881,
      expert_half = 30.3, expert_layer_s = 4.245e-05, expert_width = 122,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8417,
      layer_4_s = 4.903e-06, layer_8_s = 5.852e-05, layer_s = 3.525e-05,
      link_efficiency = 0.7653, link_hop_s = 4.532e-07, link_latency_s = 2.504e-06,
      matrix_4 = 0.318, matrix_8 = 0.7906, matrix_efficiency = 0.8171, matrix_half = 112.5,
      matrix_half_4 = 164.8, matrix_half_8 = 26.84, request_s = 0.008985, sequence_s = 6.462e-06,
      step_s = 0.0001, weight_bandwidth = 0.7394,
    },
    {
      attention_efficiency = 0.9938, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.8592, expert_efficiency = 0.5381, expert_excess = 0.1219,
      expert_half = 53.6, expert_layer_s = 3.877e-05, expert_width = 94.13,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8066,
      layer_4_s = 2.451e-05, layer_8_s = 3.52e-05, layer_s = 2.634e-05, link_efficiency = 0.8406,
      link_hop_s = 2.994e-07, link_latency_s = 2.978e-06, matrix_4 = 0.3275, matrix_8 = 0.6628,
      matrix_efficiency = 0.8477, matrix_half = 94.29, matrix_half_4 = 115.8,
      matrix_half_8 = 1.265, request_s = 0.008985, sequence_s = 9.536e-06, step_s = 0.0001,
      weight_bandwidth = 0.687,
    },
    {
      attention_efficiency = 0.4653, expert_4 = 0.8141, expert_8 = 0.4728,
      expert_bandwidth = 0.8427, expert_efficiency = 0.3021, expert_excess = 0.1791,
      expert_half = 16.07, expert_layer_s = 5.814e-05, expert_width = 113,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8581,
      layer_4_s = 1.7e-05, layer_8_s = 2.049e-05, layer_s = 4.686e-05, link_efficiency = 0.5646,
      link_hop_s = 2.936e-07, link_latency_s = 3.332e-06, matrix_4 = 0.4742, matrix_8 = 0.5723,
      matrix_efficiency = 0.8804, matrix_half = 1, matrix_half_4 = 36.03, matrix_half_8 = 160,
      request_s = 0.008985, sequence_s = 2.942e-05, step_s = 0.0001, weight_bandwidth = 0.8514,
    },
    {
      attention_efficiency = 0.3406, expert_4 = 2.337, expert_8 = 1.937,
      expert_bandwidth = 0.7976, expert_efficiency = 0.09519, expert_excess = 0.2088,
      expert_half = 16.54, expert_layer_s = 7.283e-05, expert_width = 213.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8317,
      layer_4_s = 6.735e-06, layer_8_s = 1.109e-05, layer_s = 4.668e-05, link_efficiency = 0.637,
      link_hop_s = 4.14e-07, link_latency_s = 1.782e-06, matrix_4 = 0.477, matrix_8 = 0.6927,
      matrix_efficiency = 0.6986, matrix_half = 15.48, matrix_half_4 = 145.8,
      matrix_half_8 = 174.7, request_s = 0.008985, sequence_s = 1.474e-05, step_s = 0.0001,
      weight_bandwidth = 0.8504,
    },
    {
      attention_efficiency = 0.5836, expert_4 = 0.4538, expert_8 = 0.5723,
      expert_bandwidth = 0.8398, expert_efficiency = 0.4085, expert_excess = 0.1338,
      expert_half = 44.04, expert_layer_s = 5.359e-05, expert_width = 483.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7289,
      layer_4_s = 2.368e-05, layer_8_s = 2.116e-05, layer_s = 3.597e-05,
      link_efficiency = 0.5769, link_hop_s = 2.455e-07, link_latency_s = 1.901e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6927, matrix_efficiency = 0.7433, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008985, sequence_s = 2.364e-05,
      step_s = 0.0001, weight_bandwidth = 0.8486,
    },
    {
      attention_efficiency = 0.4707, expert_4 = 0.8141, expert_8 = 0.4659,
      expert_bandwidth = 0.9277, expert_efficiency = 0.2875, expert_excess = 0.1498,
      expert_half = 29.11, expert_layer_s = 4.855e-05, expert_width = 146.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8925,
      layer_4_s = 1.758e-05, layer_8_s = 1.682e-05, layer_s = 5.11e-05, link_efficiency = 0.6566,
      link_hop_s = 2.972e-07, link_latency_s = 3.422e-06, matrix_4 = 0.4742, matrix_8 = 0.5557,
      matrix_efficiency = 0.861, matrix_half = 1, matrix_half_4 = 36.03, matrix_half_8 = 146.5,
      request_s = 0.008985, sequence_s = 2.782e-05, step_s = 0.0001, weight_bandwidth = 0.8943,
    },
    {
      attention_efficiency = 0.3381, expert_4 = 2.515, expert_8 = 1.965,
      expert_bandwidth = 0.8534, expert_efficiency = 0.07661, expert_excess = 0.1716,
      expert_half = 15.6, expert_layer_s = 6.274e-05, expert_width = 307.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8323,
      layer_4_s = 7.188e-06, layer_8_s = 8.874e-06, layer_s = 5.5e-05, link_efficiency = 0.7195,
      link_hop_s = 4.144e-07, link_latency_s = 1.864e-06, matrix_4 = 0.477, matrix_8 = 0.6628,
      matrix_efficiency = 0.7055, matrix_half = 10.73, matrix_half_4 = 145.8,
      matrix_half_8 = 169.7, request_s = 0.008985, sequence_s = 1.741e-05, step_s = 0.0001,
      weight_bandwidth = 0.8651,
    },
    {
      attention_efficiency = 0.6144, expert_4 = 0.4883, expert_8 = 0.5893,
      expert_bandwidth = 0.8811, expert_efficiency = 0.2591, expert_excess = 0.08878,
      expert_half = 41.12, expert_layer_s = 4.062e-05, expert_width = 812,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8672,
      layer_4_s = 2.483e-05, layer_8_s = 1.367e-05, layer_s = 5.353e-05,
      link_efficiency = 0.5907, link_hop_s = 2.453e-07, link_latency_s = 2.045e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6826, matrix_efficiency = 0.678, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008985, sequence_s = 3.633e-05,
      step_s = 0.0001, weight_bandwidth = 0.8369,
    },
    {
      attention_efficiency = 0.4064, expert_4 = 0.8141, expert_8 = 0.4798,
      expert_bandwidth = 0.7426, expert_efficiency = 0.3216, expert_excess = 0.2284,
      expert_half = 8.869, expert_layer_s = 5.885e-05, expert_width = 91.64,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7993,
      layer_4_s = 1.64e-05, layer_8_s = 2.535e-05, layer_s = 3.841e-05, link_efficiency = 0.5302,
      link_hop_s = 2.807e-07, link_latency_s = 3.139e-06, matrix_4 = 0.4742, matrix_8 = 0.5893,
      matrix_efficiency = 0.893, matrix_half = 1, matrix_half_4 = 36.03, matrix_half_8 = 174.7,
      request_s = 0.008985, sequence_s = 3.281e-05, step_s = 0.0001, weight_bandwidth = 0.8476,
    },
    {
      attention_efficiency = 0.2491, expert_4 = 2.172, expert_8 = 1.908,
      expert_bandwidth = 0.7684, expert_efficiency = 0.1072, expert_excess = 0.2851,
      expert_half = 17.55, expert_layer_s = 7.923e-05, expert_width = 150.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8489,
      layer_4_s = 6.27e-06, layer_8_s = 1.253e-05, layer_s = 4.09e-05, link_efficiency = 0.5065,
      link_hop_s = 4.107e-07, link_latency_s = 1.692e-06, matrix_4 = 0.477, matrix_8 = 0.7239,
      matrix_efficiency = 0.6487, matrix_half = 22.35, matrix_half_4 = 145.8,
      matrix_half_8 = 179.9, request_s = 0.008985, sequence_s = 1.43e-05, step_s = 0.0001,
      weight_bandwidth = 0.8518,
    },
    {
      attention_efficiency = 0.5414, expert_4 = 0.4216, expert_8 = 0.5557,
      expert_bandwidth = 0.8004, expert_efficiency = 0.4278, expert_excess = 0.1521,
      expert_half = 47.16, expert_layer_s = 8.871e-05, expert_width = 381.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.6661,
      layer_4_s = 2.244e-05, layer_8_s = 2.339e-05, layer_s = 2.938e-05,
      link_efficiency = 0.4827, link_hop_s = 2.452e-07, link_latency_s = 1.765e-06,
      matrix_4 = 0.4498, matrix_8 = 0.7029, matrix_efficiency = 0.7626, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008985, sequence_s = 2.917e-05,
      step_s = 0.0001, weight_bandwidth = 0.8737,
    },
    {
      attention_efficiency = 0.4486, expert_4 = 1.05, expert_8 = 1.02, expert_bandwidth = 0.7988,
      expert_efficiency = 0.2772, expert_excess = 0.1855, expert_half = 32.16,
      expert_layer_s = 3.6e-05, expert_width = 58.17, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.7864, layer_4_s = 2.696e-05,
      layer_8_s = 1.733e-05, layer_s = 2.418e-05, link_efficiency = 0.6593,
      link_hop_s = 5.591e-06, link_latency_s = 4.427e-07, matrix_4 = 0.6424, matrix_8 = 0.731,
      matrix_efficiency = 0.6809, matrix_half = 33.88, matrix_half_4 = 36.03,
      matrix_half_8 = 83.02, request_s = 0.008985, sequence_s = 2.239e-05, step_s = 0.0001,
      weight_bandwidth = 0.7374,
    },
    {
      attention_efficiency = 0.3382, expert_4 = 0.8909, expert_8 = 1.02,
      expert_bandwidth = 0.8309, expert_efficiency = 0.2955, expert_excess = 0.2162,
      expert_half = 30.53, expert_layer_s = 4.621e-05, expert_width = 66.83,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7735,
      layer_4_s = 1.874e-05, layer_8_s = 1.007e-05, layer_s = 2.477e-05,
      link_efficiency = 0.6911, link_hop_s = 5.792e-06, link_latency_s = 4.586e-07,
      matrix_4 = 0.6093, matrix_8 = 0.731, matrix_efficiency = 0.573, matrix_half = 33.88,
      matrix_half_4 = 145.8, matrix_half_8 = 83.02, request_s = 0.008985, sequence_s = 1.122e-05,
      step_s = 0.0001, weight_bandwidth = 0.7258,
    },
    {
      attention_efficiency = 0.6811, expert_4 = 0.8961, expert_8 = 1.02,
      expert_bandwidth = 0.7844, expert_efficiency = 0.2448, expert_excess = 0.1386,
      expert_half = 47.24, expert_layer_s = 4.238e-05, expert_width = 68.97,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7623,
      layer_4_s = 3.371e-05, layer_8_s = 5.968e-06, layer_s = 1.935e-05,
      link_efficiency = 0.7577, link_hop_s = 5.181e-06, link_latency_s = 4.102e-07,
      matrix_4 = 0.5917, matrix_8 = 0.731, matrix_efficiency = 0.592, matrix_half = 33.88,
      matrix_half_4 = 13.46, matrix_half_8 = 83.02, request_s = 0.008985, sequence_s = 1.799e-05,
      step_s = 0.0001, weight_bandwidth = 0.7569,
    },
    {
      attention_efficiency = 0.4711, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.7936, expert_efficiency = 0.5394, expert_excess = 0.1855,
      expert_half = 76.74, expert_layer_s = 4.238e-05, expert_width = 50.45,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7864,
      layer_4_s = 2.696e-05, layer_8_s = 1.827e-05, layer_s = 2.688e-05, link_efficiency = 1,
      link_hop_s = 5.537e-06, link_latency_s = 4.224e-07, matrix_4 = 0.6177, matrix_8 = 0.6628,
      matrix_efficiency = 0.7081, matrix_half = 76.77, matrix_half_4 = 36.03,
      matrix_half_8 = 94.29, request_s = 0.008985, sequence_s = 2.239e-05, step_s = 0.0001,
      weight_bandwidth = 0.7699,
    },
    {
      attention_efficiency = 0.4114, expert_4 = 1.717, expert_8 = 1.965,
      expert_bandwidth = 0.8094, expert_efficiency = 0.1534, expert_excess = 0.2162,
      expert_half = 45.67, expert_layer_s = 4.472e-05, expert_width = 22.12,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7966,
      layer_4_s = 1.874e-05, layer_8_s = 2.663e-07, layer_s = 2.248e-05, link_efficiency = 1,
      link_hop_s = 6.264e-06, link_latency_s = 4.376e-07, matrix_4 = 0.6589, matrix_8 = 0.7455,
      matrix_efficiency = 0.5298, matrix_half = 7.371, matrix_half_4 = 145.8,
      matrix_half_8 = 49.41, request_s = 0.008985, sequence_s = 1.122e-05, step_s = 0.0001,
      weight_bandwidth = 0.6738,
    },
    {
      attention_efficiency = 0.5332, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.8104, expert_efficiency = 0.2424, expert_excess = 0.1386,
      expert_half = 13.24, expert_layer_s = 3.72e-05, expert_width = 240.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7403,
      layer_4_s = 3.371e-05, layer_8_s = 2.302e-05, layer_s = 1.95e-05, link_efficiency = 0.3115,
      link_hop_s = 4.838e-06, link_latency_s = 4.506e-07, matrix_4 = 0.5689, matrix_8 = 0.7906,
      matrix_efficiency = 0.6157, matrix_half = 68.72, matrix_half_4 = 13.46,
      matrix_half_8 = 122.8, request_s = 0.008985, sequence_s = 1.799e-05, step_s = 0.0001,
      weight_bandwidth = 0.7809,
    },
    {
      attention_efficiency = 0.4711, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.7936, expert_efficiency = 0.5394, expert_excess = 0.1855,
      expert_half = 76.74, expert_layer_s = 4.238e-05, expert_width = 50.45,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7822,
      layer_4_s = 2.696e-05, layer_8_s = 1.827e-05, layer_s = 2.687e-05, link_efficiency = 1,
      link_hop_s = 5.537e-06, link_latency_s = 4.224e-07, matrix_4 = 0.6177, matrix_8 = 0.6628,
      matrix_efficiency = 0.7075, matrix_half = 76.77, matrix_half_4 = 36.03,
      matrix_half_8 = 94.29, request_s = 0.008985, sequence_s = 2.27e-05, step_s = 0.0001,
      weight_bandwidth = 0.7693,
    },
    {
      attention_efficiency = 0.4114, expert_4 = 1.717, expert_8 = 1.965,
      expert_bandwidth = 0.8094, expert_efficiency = 0.1534, expert_excess = 0.2162,
      expert_half = 45.67, expert_layer_s = 4.472e-05, expert_width = 22.12,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7944,
      layer_4_s = 1.874e-05, layer_8_s = 2.663e-07, layer_s = 2.248e-05, link_efficiency = 1,
      link_hop_s = 6.264e-06, link_latency_s = 4.376e-07, matrix_4 = 0.6589, matrix_8 = 0.7455,
      matrix_efficiency = 0.5296, matrix_half = 7.371, matrix_half_4 = 145.8,
      matrix_half_8 = 49.41, request_s = 0.008985, sequence_s = 1.13e-05, step_s = 0.0001,
      weight_bandwidth = 0.6735,
    },
    {
      attention_efficiency = 0.5332, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.8104, expert_efficiency = 0.2424, expert_excess = 0.1386,
      expert_half = 13.24, expert_layer_s = 3.72e-05, expert_width = 240.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7383,
      layer_4_s = 3.371e-05, layer_8_s = 2.302e-05, layer_s = 1.949e-05,
      link_efficiency = 0.3115, link_hop_s = 4.838e-06, link_latency_s = 4.506e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.6154, matrix_half = 68.72,
      matrix_half_4 = 13.46, matrix_half_8 = 122.8, request_s = 0.008985, sequence_s = 1.812e-05,
      step_s = 0.0001, weight_bandwidth = 0.7806,
    },
    {
      attention_efficiency = 0.4852, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8227, expert_efficiency = 0.3261, expert_excess = 0.1855,
      expert_half = 21.45, expert_layer_s = 6.458e-05, expert_width = 103.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8109,
      layer_4_s = 1.94e-05, layer_8_s = 2.898e-05, layer_s = 4.407e-05, link_efficiency = 0.4891,
      link_hop_s = 7.631e-07, link_latency_s = 2.596e-06, matrix_4 = 0.5045, matrix_8 = 0.5555,
      matrix_efficiency = 0.8644, matrix_half = 17.08, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.283e-05, step_s = 0.0001,
      weight_bandwidth = 0.7764,
    },
    {
      attention_efficiency = 0.3906, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.7725, expert_efficiency = 0.1851, expert_excess = 0.2162,
      expert_half = 19.34, expert_layer_s = 9.908e-05, expert_width = 244.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8058,
      layer_4_s = 1.032e-05, layer_8_s = 3.525e-05, layer_s = 4.581e-05,
      link_efficiency = 0.5988, link_hop_s = 7.482e-07, link_latency_s = 1.904e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.7007, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.159e-05,
      step_s = 0.0001, weight_bandwidth = 0.7521,
    },
    {
      attention_efficiency = 0.6237, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8043, expert_efficiency = 0.3656, expert_excess = 0.1386,
      expert_half = 28.24, expert_layer_s = 6.737e-05, expert_width = 414.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7659,
      layer_4_s = 2.696e-05, layer_8_s = 3.473e-05, layer_s = 3.417e-05,
      link_efficiency = 0.5057, link_hop_s = 6.603e-07, link_latency_s = 1.816e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7299, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.835e-05,
      step_s = 0.0001, weight_bandwidth = 0.7553,
    },
    {
      attention_efficiency = 0.4899, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.835, expert_efficiency = 0.3375, expert_excess = 0.1855,
      expert_half = 21.45, expert_layer_s = 5.588e-05, expert_width = 92.09,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8174,
      layer_4_s = 1.94e-05, layer_8_s = 2.643e-05, layer_s = 4.178e-05, link_efficiency = 0.4963,
      link_hop_s = 7.528e-07, link_latency_s = 2.561e-06, matrix_4 = 0.5045, matrix_8 = 0.5555,
      matrix_efficiency = 0.8657, matrix_half = 17.08, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008985, sequence_s = 2.256e-05, step_s = 0.0001,
      weight_bandwidth = 0.7776,
    },
    {
      attention_efficiency = 0.3981, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.7959, expert_efficiency = 0.1982, expert_excess = 0.2162,
      expert_half = 19.34, expert_layer_s = 7.417e-05, expert_width = 194.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8186,
      layer_4_s = 1.032e-05, layer_8_s = 2.932e-05, layer_s = 4.117e-05,
      link_efficiency = 0.6165, link_hop_s = 7.282e-07, link_latency_s = 1.853e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.7028, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.008985, sequence_s = 1.131e-05,
      step_s = 0.0001, weight_bandwidth = 0.7545,
    },
    {
      attention_efficiency = 0.6297, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8164, expert_efficiency = 0.3784, expert_excess = 0.1386,
      expert_half = 28.24, expert_layer_s = 5.829e-05, expert_width = 369.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7719,
      layer_4_s = 2.696e-05, layer_8_s = 3.167e-05, layer_s = 3.239e-05,
      link_efficiency = 0.5131, link_hop_s = 6.514e-07, link_latency_s = 1.791e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7309, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008985, sequence_s = 1.813e-05,
      step_s = 0.0001, weight_bandwidth = 0.7565,
    },
    {
      attention_efficiency = 0.6589, expert_4 = 1.6, expert_8 = 0.8384,
      expert_bandwidth = 0.8416, expert_efficiency = 0.3327, expert_excess = 0.1881,
      expert_half = 1.006, expert_layer_s = 4.959e-05, expert_width = 106,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7988,
      layer_4_s = 2.803e-05, layer_8_s = 2.657e-05, layer_s = 3.358e-05,
      link_efficiency = 0.8571, link_hop_s = 5.185e-06, link_latency_s = 4.074e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8634, matrix_efficiency = 0.9472, matrix_half = 81.41,
      matrix_half_4 = 18.87, matrix_half_8 = 134.1, request_s = 0.008985, sequence_s = 1.705e-05,
      step_s = 0.0001, weight_bandwidth = 0.7899,
    },
    {
      attention_efficiency = 0.647, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.8363, expert_efficiency = 0.4759, expert_excess = 0.2192,
      expert_half = 11.45, expert_layer_s = 6.966e-05, expert_width = 147.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7857,
      layer_4_s = 2.805e-05, layer_8_s = 5.552e-05, layer_s = 2.674e-05,
      link_efficiency = 0.8985, link_hop_s = 5.532e-06, link_latency_s = 4.221e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8891, matrix_efficiency = 0.7971, matrix_half = 100,
      matrix_half_4 = 68.72, matrix_half_8 = 17.16, request_s = 0.008985, sequence_s = 8.545e-06,
      step_s = 0.0001, weight_bandwidth = 0.7419,
    },
    {
      attention_efficiency = 0.7241, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.843, expert_efficiency = 0.4986, expert_excess = 0.1405,
      expert_half = 3.685, expert_layer_s = 5.191e-05, expert_width = 216.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7744,
      layer_4_s = 2.506e-05, layer_8_s = 2.91e-05, layer_s = 2.175e-05, link_efficiency = 0.8505,
      link_hop_s = 4.948e-06, link_latency_s = 3.775e-07, matrix_4 = 0.7906, matrix_8 = 0.7906,
      matrix_efficiency = 0.8236, matrix_half = 103, matrix_half_4 = 1, matrix_half_8 = 68.72,
      request_s = 0.008985, sequence_s = 1.37e-05, step_s = 0.0001, weight_bandwidth = 0.7873,
    },
    {
      attention_efficiency = 0.666, expert_4 = 1.6, expert_8 = 0.8384, expert_bandwidth = 0.8384,
      expert_efficiency = 0.3295, expert_excess = 0.1927, expert_half = 1.006,
      expert_layer_s = 4.986e-05, expert_width = 106.3, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.7972, layer_4_s = 2.819e-05,
      layer_8_s = 2.657e-05, layer_s = 3.366e-05, link_efficiency = 0.8571,
      link_hop_s = 5.196e-06, link_latency_s = 4.082e-07, matrix_4 = 0.7906, matrix_8 = 0.8634,
      matrix_efficiency = 0.9434, matrix_half = 81.41, matrix_half_4 = 18.87,
      matrix_half_8 = 134.1, request_s = 0.008985, sequence_s = 1.717e-05, step_s = 0.0001,
      weight_bandwidth = 0.789,
    },
    {
      attention_efficiency = 0.6541, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.8331, expert_efficiency = 0.4712, expert_excess = 0.2246,
      expert_half = 11.45, expert_layer_s = 7.004e-05, expert_width = 148.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7841,
      layer_4_s = 2.822e-05, layer_8_s = 5.552e-05, layer_s = 2.68e-05, link_efficiency = 0.8985,
      link_hop_s = 5.543e-06, link_latency_s = 4.229e-07, matrix_4 = 0.7906, matrix_8 = 0.8891,
      matrix_efficiency = 0.7939, matrix_half = 100, matrix_half_4 = 68.72,
      matrix_half_8 = 17.16, request_s = 0.008985, sequence_s = 8.606e-06, step_s = 0.0001,
      weight_bandwidth = 0.741,
    },
    {
      attention_efficiency = 0.7399, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.8366, expert_efficiency = 0.4889, expert_excess = 0.1475,
      expert_half = 3.685, expert_layer_s = 5.249e-05, expert_width = 217.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7713,
      layer_4_s = 2.536e-05, layer_8_s = 2.91e-05, layer_s = 2.186e-05, link_efficiency = 0.8505,
      link_hop_s = 4.968e-06, link_latency_s = 3.79e-07, matrix_4 = 0.7906, matrix_8 = 0.7906,
      matrix_efficiency = 0.8169, matrix_half = 103, matrix_half_4 = 1, matrix_half_8 = 68.72,
      request_s = 0.008985, sequence_s = 1.39e-05, step_s = 0.0001, weight_bandwidth = 0.7856,
    },
  },
  roots = {
    [[
      212 1 -3 -7 2 1 0 0 -3 -1 2 4 3 -4 -5;517 26 -5 0 1 0 4 0 -2 3 -4 1 1 -3;1126 1 0 0 1 6 -1
      1 0 3 1 1 4;441 0 1 -2 -2 -1 1 -1 -1 -6 1 -4;106 1 1 0 9 -2 -1 -5 2 -19 0;207 0 7 -1 1 2 -2
      1 -3 0;156 -1 -3 -3 -4 -1 3 1 1;841 0 2 4 1 1 -2 -1;418 -9 -14 -14 0 -30 -3;622 16 -1 0 -5
      0;661 -2 0 -6 -1;516 3 -1 1;817 -1 1;577 0;416]],
    [[
      214 -3 -5 -3 2 0 1 -1 -5 1 -1 2 -1 -2 -5;518 42 3 0 1 0 8 0 -4 0 -1 0 0 -5;1070 3 1 0 1 15
      1 1 0 3 -1 0 2;424 -1 1 -1 5 -2 -2 -1 -1 -7 0 -3;111 0 2 3 11 -2 1 -3 -3 -11 -2;207 0 9 -2
      -1 0 -4 4 -1 1;160 -2 -5 -1 -2 0 10 0 1;840 1 2 2 2 -1 -1 0;427 -4 -9 -29 -1 -29 -2;622 10
      -7 1 -1 1;687 -3 1 -4 -1;520 3 -7 -2;833 0 2;603 1;419]],
    [[
      210 -3 -3 -1 3 0 1 -3 -4 -2 -1 3 0 0 -1;516 42 -1 0 2 0 5 1 0 1 -3 1 0 -4;1090 -1 0 1 1 9
      -1 3 1 3 0 -1 1;419 0 1 -1 1 0 -3 -3 -2 -2 1 -2;107 0 3 0 4 1 3 -1 -2 -20 -1;209 0 15 0 0
      -1 -2 1 -3 1;158 -2 -4 -1 1 1 4 0 1;839 -1 4 3 3 0 -3 -1;421 -15 -14 -13 2 -30 -3;625 16 -2
      -1 -8 -2;646 -2 0 -8 -2;514 2 -2 1;817 0 1;595 1;413]],
    [[
      138 1 -4 -11 2 1 0 0 -4 -2 3 6 9 -5 -7;326 41 -7 0 2 -1 7 0 -3 5 -6 1 2 -5;790 1 0 0 1 8 -1
      1 0 4 1 2 6;303 0 1 -3 -3 -2 2 -2 -2 -9 1 -7;66 2 1 0 24 -3 -2 -9 15 -28 -1;130 1 11 -2 2 2
      -3 1 -4 1;100 -2 -4 -4 -6 -1 8 1 1;543 0 3 7 2 1 -4 -2;265 -14 -21 -22 -4 -47 -5;395 24 -2
      0 -9 -1;453 -3 -1 -10 -2;324 4 -3 2;501 -1 2;413 0;265]],
    [[
      142 -5 -7 -4 3 0 2 -2 -7 1 -1 3 2 -3 -8;327 67 4 1 2 1 12 -1 -7 0 -2 1 -1 -8;707 5 1 0 2 22
      1 2 0 4 -1 0 3;277 -1 1 -2 7 -3 -3 -2 -2 -10 0 -5;75 1 2 4 24 -3 1 -4 4 -15 -3;130 0 14 -3
      -1 0 -6 7 -2 2;106 -3 -8 -2 -3 0 17 0 2;541 1 3 3 3 -2 -1 0;280 -5 -14 -44 -4 -44 -4;393 15
      -12 1 -2 1;490 -5 1 -7 -2;329 4 -15 -3;528 -1 3;449 1;270]],
    [[
      135 -4 -4 -2 4 0 1 -4 -6 -3 -1 4 4 0 -2;325 67 -2 0 2 0 8 1 0 2 -5 1 0 -6;736 -2 1 1 1 13
      -2 4 2 5 0 -1 2;270 0 1 -2 2 0 -4 -4 -3 -4 2 -3;69 1 4 0 14 1 4 -2 6 -29 -1;135 -1 23 0 0
      -1 -4 2 -5 2;102 -3 -6 -2 1 2 8 1 2;540 -1 7 4 5 -1 -4 -1;270 -24 -22 -19 0 -47 -4;399 24
      -4 -1 -14 -3;431 -4 -1 -13 -3;322 3 -6 1;502 -1 2;438 1;260]],
    [[
      137 2 -4 -11 1 1 -1 0 -3 -2 3 6 23 -5 -8;326 41 -7 0 2 -1 7 -1 -3 5 -6 0 2 -5;790 1 0 0 1 8
      -1 1 0 4 1 2 5;303 0 1 -3 -3 -2 2 -2 -2 -9 1 -7;57 3 -1 1 58 -3 -2 -11 52 -26 -2;130 1 11
      -3 2 2 -3 -1 -4 1;99 -2 -2 -4 -6 -1 17 1 1;543 0 3 7 2 0 -4 -2;254 -14 -22 -21 -24 -48
      -4;395 24 -2 0 -9 -1;453 -3 -2 -11 -2;324 4 -3 2;484 -3 3;413 0;265]],
    [[
      142 -5 -7 -4 2 0 2 -2 -6 1 -1 3 7 -3 -8;327 67 4 1 2 1 12 -1 -7 0 -2 1 -1 -8;707 5 1 0 2 22
      1 2 0 4 -1 0 3;277 -1 1 -2 7 -3 -3 -2 -2 -10 0 -5;72 1 1 4 34 -3 1 -5 15 -14 -3;130 0 14 -3
      -1 0 -6 7 -2 2;106 -3 -7 -2 -3 0 20 0 2;541 1 3 3 3 -2 -1 0;277 -5 -14 -44 -8 -45 -3;393 15
      -12 1 -2 1;490 -5 1 -7 -2;329 4 -15 -3;523 -2 4;449 1;270]],
    [[
      135 -4 -4 -2 4 0 1 -4 -6 -3 -1 4 9 0 -3;325 67 -2 0 2 0 8 1 0 2 -5 1 0 -6;736 -2 1 1 1 13
      -2 4 2 5 0 -1 2;270 0 1 -2 2 0 -4 -4 -3 -4 2 -3;66 1 3 0 25 1 4 -2 18 -29 -2;135 -1 23 0 0
      -1 -4 2 -5 2;102 -3 -6 -2 1 2 11 1 2;540 -1 7 4 5 -1 -4 -1;267 -24 -23 -20 -5 -47 -4;399 24
      -4 -1 -14 -3;431 -4 -1 -13 -3;322 3 -6 1;497 -1 2;437 1;260]],
    [[
      92 6 -13 -22 11 2 -5 2 -17 -7 8 28 9 -11 -15;160 109 -12 -2 9 -8 41 7 -32 21 -41 10 6
      -18;677 3 1 -1 2 8 -4 7 -4 10 -1 1 9;227 -1 3 -13 -1 -6 3 -3 -9 -20 9 -17;49 5 4 -3 48 -7
      -14 -36 -4 -93 4;47 7 91 -11 1 6 -22 -4 -11 13;51 -16 -20 -22 -35 -3 5 19 -15;259 1 5 23 10
      5 -12 -6;124 -50 -104 -65 15 -148 -20;143 89 -19 1 -96 -19;201 -8 -4 -78 -18;100 33 -141
      -7;80 60 22;189 -41;97]],
    [[
      113 -19 -23 8 7 1 0 0 -15 5 -5 10 -6 -6 -19;132 249 47 1 12 4 50 -1 -28 1 -12 -18 -1
      -62;449 -7 3 -5 -1 38 2 20 -3 11 2 -1 40;130 -6 3 -15 -13 -6 -6 -8 -7 13 4 10;64 1 3 -1 30
      -6 3 -8 -6 -43 -5;52 -3 81 -8 -4 0 -21 73 -9 17;72 -9 -17 1 -22 -7 54 1 0;261 4 16 12 11
      -12 -3 2;204 -18 -59 -137 12 -95 -10;147 104 -44 0 -27 -7;340 -28 8 -25 -10;100 71 -217
      -42;328 49 14;314 -35;150]],
    [[
      84 -25 -16 1 13 1 -4 -8 -26 -9 -14 20 -3 -6 -13;144 183 6 -1 16 1 33 7 -3 7 -39 -9 -3
      -38;577 -5 3 -7 1 22 -8 14 2 19 6 -3 20;145 -2 6 -6 29 3 -11 -16 -15 -11 10 -5;49 2 12 14
      33 15 12 -15 -11 -92 1;51 -2 68 -1 0 -3 -23 11 -26 25;55 -12 -26 -20 -21 13 29 18 5;259 -10
      23 17 20 4 -10 -5;170 -88 -92 -61 25 -125 -6;164 41 -4 -1 -124 -25;125 5 2 -111 -24;87 36
      -134 -4;110 56 22;257 -27;92]],
    [[
      123 -6 -8 -12 5 1 -2 2 -8 -2 4 10 4 -7 -10;224 109 -19 -1 3 -17 32 -5 -33 21 -17 12 2
      -24;681 5 1 0 3 13 -2 7 -5 5 -2 1 13;259 -1 2 -12 -14 -4 0 -4 -7 -29 4 -18;62 2 -1 -5 22 -3
      -2 -11 2 -44 -6;99 2 20 -1 4 6 -5 -1 -4 2;64 -8 -21 -9 -28 -27 -3 2 -32;338 5 5 14 7 0 -10
      -7;194 -51 -95 -146 14 -101 -14;226 132 -64 16 -48 -8;295 -58 2 -39 -9;140 53 -194 -36;155
      77 42;265 -46;176]],
    [[
      128 -13 -10 -2 4 0 1 1 -10 2 -2 6 0 -5 -13;201 314 7 0 2 -5 35 -2 -24 4 -7 8 0 -32;367 7 4
      2 8 51 6 35 -6 16 -22 0 44;227 -2 3 -6 3 -3 -2 -4 -3 -16 2 -11;70 1 1 0 22 -3 1 -6 -4 -27
      -11;70 -2 88 -11 5 10 -24 65 -6 0;87 0 -12 -4 -11 -7 32 1 -17;310 5 2 9 11 -32 -1 6;220 -15
      -42 -171 13 -87 -11;146 78 -44 11 -21 -4;400 -20 5 -16 -5;127 74 -207 -41;358 45 27;344
      -31;193]],
    [[
      119 -11 -8 -1 6 1 0 -3 -10 -3 -3 7 0 -2 -6;242 127 -4 -1 5 -3 20 1 -8 6 -10 6 -1 -16;623 -1
      2 0 2 20 -2 8 1 6 -3 -2 7;216 -1 3 -5 1 0 -4 -8 -6 -9 4 -8;64 1 4 0 13 3 6 -3 -4 -45 -4;101
      -2 52 0 2 -1 -7 9 -7 4;82 -2 -9 -2 -3 -2 10 4 -5;406 -1 8 8 7 -4 -7 -1;226 -40 -50 -73 7
      -76 -6;288 56 -16 1 -32 -4;324 -18 1 -26 -6;233 12 -44 -4;347 1 7;389 -1;203]],
    [[
      121 -10 -13 -12 5 1 -1 -2 -8 -3 4 10 1 -7 -13;231 46 -12 0 4 -1 13 1 -15 8 -11 4 2 -29;687
      4 1 -1 1 13 -1 -1 0 4 0 1 5;249 -1 2 -7 -8 -2 2 -3 -4 -7 3 -21;62 2 1 -5 24 -4 1 -6 -2 -43
      -5;99 1 35 -1 5 1 -4 4 -5 5;81 4 -1 -3 -6 -5 13 4 5;403 7 3 17 10 -14 -4 -12;207 -29 -91
      -101 3 -82 -6;293 57 -20 1 -22 -2;334 -61 2 -41 -5;204 15 -67 -6;354 3 -2;358 -3;176]],
    [[
      126 -25 -28 0 5 0 2 -2 -10 -2 -1 5 -4 -6 -13;147 102 32 4 8 9 105 -8 -71 2 -16 10 -6
      -44;466 12 5 -6 2 31 4 8 0 7 -6 -1 10;198 -5 4 -10 1 -4 10 -4 -3 9 2 -19;68 0 1 -1 27 -1 5
      3 -5 -25 -8;87 -1 27 1 20 -2 -2 13 -2 23;89 -10 -3 10 -2 -2 32 2 1;397 5 24 7 9 -17 -1
      18;230 -28 -56 -131 0 -75 -9;198 69 -66 5 -22 -18;398 -32 2 -20 -2;185 16 -100 -29;394 4
      16;402 -10;154]],
    [[
      113 -29 -14 0 6 2 -1 0 -9 -4 1 6 -5 -3 -9;164 88 -14 0 18 1 56 -1 -19 3 -14 28 -4 -54;629 1
      2 -1 2 12 -2 5 3 4 -4 -2 5;164 -2 7 -7 4 -4 -11 -14 -13 27 0 -30;62 1 4 0 17 2 12 2 -4 -43
      -10;76 -4 187 -1 12 -17 -8 25 -9 31;78 12 7 1 18 -13 38 4 -2;349 2 5 24 20 -28 -3 -4;217
      -63 -97 -99 -1 -83 -6;256 92 -65 4 -50 -14;245 -86 3 -51 -4;139 39 -149 -33;208 33 10;361
      -17;141]],
    [[
      123 -4 -9 -13 5 1 -1 1 -8 -2 2 10 11 -7 -9;243 49 -15 0 5 -3 29 0 -15 10 -12 20 1 -17;718 2
      1 0 1 10 -2 1 -1 4 0 1 5;257 -1 2 -7 0 -3 1 -5 -6 -4 3 -14;62 2 1 -1 22 -3 -1 -8 -1 -43
      -3;101 0 34 -2 4 2 -5 3 -5 6;83 -1 -6 -5 -12 -3 6 3 -2;432 2 4 10 3 -6 -6 -3;222 -30 -52
      -65 4 -71 -6;294 55 -20 2 -22 -3;353 -21 4 -25 -6;243 12 -29 -3;385 1 9;367 -2;201]],
    [[
      128 -15 -16 -3 5 1 1 0 -10 0 -3 7 6 -5 -8;172 112 -16 3 13 0 114 -6 -51 4 -14 59 -7 -53;590
      11 2 -2 2 14 2 9 -1 6 -13 1 9;217 -3 4 -6 30 -6 -11 -6 -8 7 1 -16;70 0 2 6 27 0 4 3 -8 -25
      -4;86 -2 15 -3 20 -1 -9 7 -1 23;92 1 -9 -3 -8 -3 24 1 -1;407 5 20 5 9 -30 -2 17;231 -29 -46
      -133 5 -74 -8;207 59 -63 26 -22 -24;404 -26 3 -17 -2;191 33 -95 -25;419 10 24;403 -9;177]],
    [[
      117 -18 -10 -5 6 2 0 -4 -10 -1 -8 6 26 -3 -9;206 87 -17 0 12 0 53 -1 -27 14 -17 71 -5
      -32;660 0 1 0 1 12 -3 7 1 5 -8 -1 4;194 -2 4 -7 14 -4 -7 -21 -18 33 1 -28;63 1 5 3 16 2 12
      2 -5 -44 -8;88 -3 129 0 4 -6 -7 3 -7 21;85 7 -7 -2 -4 -1 18 3 -3;395 0 15 8 12 -32 -5
      -5;223 -65 -76 -96 13 -79 -7;259 81 -73 12 -51 -10;271 -62 21 -38 -13;172 63 -107 -28;339
      29 42;378 -15;154]],
    [[
      114 3 -4 -19 5 2 1 0 -7 -3 3 8 3 -8 -11;265 83 -12 0 2 0 9 -1 0 5 -7 2 3 -5;723 1 1 -1 1 11
      -2 1 -1 7 1 3 9;274 0 1 -3 1 -2 1 -1 -1 -12 0 -8;60 3 4 0 16 -4 -2 -12 -2 -39 0;106 1 21 -3
      5 3 -3 2 -7 1;83 -1 -7 -7 -5 1 6 1 4;468 0 6 7 4 2 -5 -1;218 -22 -15 -23 1 -66 -8;331 20 1
      0 -14 -1;453 -2 0 -9 -1;262 6 -4 4;401 0 2;402 -1;219]],
    [[
      118 -4 -6 -11 5 0 4 -4 -10 1 0 3 -4 -5 -11;279 110 2 0 3 0 13 -1 -7 -1 -2 1 0 -9;646 3 1 -1
      2 26 0 3 0 6 -1 1 5;246 -1 1 -2 12 -5 -4 -1 -1 -20 0 -6;69 1 4 5 19 -4 1 -6 -9 -23 -1;111 0
      26 -3 -1 1 -6 6 -4 2;90 -5 -13 -3 -3 3 17 -2 6;465 1 6 3 5 -1 -2 0;234 -13 -8 -44 0 -61
      -6;344 11 -13 1 -5 1;490 -3 1 -6 -1;273 5 -18 -2;428 0 2;441 0;225]],
    [[
      110 -3 -4 -6 7 0 3 -7 -9 -6 -1 6 -3 -1 -3;268 125 -6 0 3 1 10 1 3 2 -6 1 1 -6;645 -3 1 0 1
      19 -3 5 2 8 -1 -1 4;238 0 1 -2 5 -1 -6 -4 -2 -9 2 -2;62 1 7 0 7 2 4 -4 -7 -41 0;117 -1 24 0
      2 -2 -3 1 -7 1;87 -4 -11 -2 1 5 6 2 5;457 -1 10 5 10 -1 -5 -2;222 -33 -19 -18 5 -65 -8;338
      22 -1 -2 -20 -5;431 -2 -1 -12 -2;261 3 -6 4;401 0 1;428 0;212]],
    [[
      67 15 -6 -66 11 6 2 1 -18 -1 7 16 8 -22 -49;139 238 -18 0 5 4 45 -5 0 5 -25 32 11 -1;655 5
      0 -1 0 -4 -1 -1 -2 19 -7 -1 7;249 3 2 -4 3 -8 5 1 2 -15 -8 -23;40 6 7 2 45 -14 -1 -43 -7
      -59 5;56 3 116 -10 19 8 14 5 -13 12;49 -1 -17 -20 -4 10 32 2 10;370 2 14 7 9 0 -8 -2;85 -39
      -7 -50 -3 -198 -58;232 20 -22 -8 -46 -7;453 0 -1 -7 0;113 13 -98 9;89 30 15;325 -39;111]],
    [[
      80 0 -7 -37 15 1 3 -6 -45 1 1 14 -7 -10 -38;242 170 3 0 4 1 24 1 -11 -1 -5 2 1 -9;609 2 1
      -1 1 20 0 5 0 11 0 0 5;231 2 1 -4 10 -18 -3 -1 3 -42 -2 -16;57 1 7 4 52 -9 0 -18 -21 -29
      9;100 0 40 -2 1 1 -4 5 -5 4;76 -5 -28 -1 -2 8 45 -1 8;433 1 9 3 10 -1 -3 -1;117 -7 -1 -34
      14 -149 -64;308 9 -20 0 -5 0;490 -3 1 -4 0;237 4 -26 -1;277 9 16;415 -23;158]],
    [[
      55 -2 -8 -37 27 0 9 -36 -40 -28 3 22 -29 10 7;165 502 -9 -1 4 0 44 3 0 3 -18 6 2 -6;268 1 3
      -2 2 -58 -4 16 0 83 -9 -6 16;217 6 1 -3 -4 -13 -14 -4 4 -24 5 -1;40 1 11 11 34 6 3 -33 -6
      -87 -9;106 0 28 0 3 -2 3 -1 -8 1;66 -11 -24 14 3 14 10 15 19;376 2 19 4 53 -2 -5 -3;73 -88
      -10 -15 25 -177 -58;238 23 -36 4 -76 -30;431 0 0 -10 0;136 14 -48 -6;78 63 8;368 -37;74]],
    [[
      90 0 -9 -25 9 2 -2 -1 -20 -15 3 22 10 -14 -24;139 248 -57 -2 12 0 16 -9 19 7 -29 -13 7
      -31;609 23 2 -9 2 19 -2 -4 -3 24 7 4 38;234 0 8 -4 11 -6 1 0 -9 -21 0 -26;51 1 9 2 30 1 -2
      -22 -10 -54 8;58 1 29 -9 20 5 -15 40 -23 17;63 -1 -25 -25 -6 6 20 3 2;376 -1 3 8 2 2 -3
      -2;152 -110 -14 -83 15 -125 -22;193 18 -8 19 -105 -19;453 0 -1 -6 0;99 64 -133 -16;136 83
      18;326 -23;140]],
    [[
      90 -7 0 -23 5 -1 14 -13 -1 3 -1 -3 -14 -9 -17;211 245 -5 0 7 -2 -7 -5 -6 -1 -3 4 -1 -22;532
      6 2 -6 4 57 2 7 0 9 -4 3 24;189 -2 -2 2 37 -7 -8 -2 -6 -58 -1 -13;65 0 5 16 24 -1 1 -6 -10
      -28 0;66 -2 116 -6 -1 0 -11 7 -8 1;64 -13 -29 -14 -3 8 28 -4 29;288 1 9 2 17 1 1 -9;204 -56
      -7 -98 -7 -80 10;297 10 -45 -3 -24 5;490 0 1 -5 -1;98 11 -124 -12;151 -2 -25;416 2;143]],
    [[
      83 -6 -12 -10 13 0 4 -13 -22 -20 -1 13 6 -5 -24;140 286 -40 -2 4 1 8 -1 24 5 -22 1 4
      -38;460 17 4 -2 2 59 -9 -5 0 28 -12 -3 41;171 0 2 -4 15 0 -14 -4 -10 -23 3 -16;51 0 14 8 24
      23 4 -13 -19 -55 8;101 -1 18 -1 3 -2 -1 -2 -9 2;67 -7 -31 -24 0 12 21 7 9;297 -11 31 8 18
      -9 -5 -8;167 -140 -22 -51 25 -101 -15;199 20 -5 13 -105 -29;431 0 -1 -10 -1;68 54 -99
      -11;132 59 30;384 -17;121]],
    [[
      139 1 -4 -11 3 1 0 0 -5 -2 3 6 5 -5 -7;326 41 -7 0 2 -1 7 0 -3 5 -6 1 2 -5;790 1 0 0 1 8 -1
      1 0 4 1 2 6;303 0 1 -3 -3 -2 2 -2 -2 -10 1 -7;67 2 -1 0 16 -2 -1 -8 9 -28 0;130 1 11 -2 2 2
      -3 1 -4 1;98 -2 -4 -4 -6 -1 11 2 1;543 0 3 7 2 1 -4 -2;267 -14 -21 -22 0 -47 -5;395 24 -2 0
      -9 -1;453 -3 -1 -10 -2;324 4 -3 2;504 -1 1;413 0;265]],
    [[
      142 -5 -7 -4 3 0 2 -2 -7 1 -1 3 -1 -4 -8;327 67 4 1 2 1 12 -1 -7 0 -2 1 -1 -8;707 5 1 0 2
      22 1 2 0 4 -1 0 3;277 -1 1 -2 7 -3 -3 -2 -2 -11 0 -5;75 1 1 4 17 -3 2 -4 0 -15 -2;130 0 14
      -2 -1 0 -6 7 -2 2;105 -3 -8 -2 -3 0 20 0 2;541 1 3 3 3 -2 -1 0;282 -5 -14 -44 -1 -44 -4;393
      15 -12 1 -2 1;490 -5 1 -7 -2;329 5 -15 -3;530 -1 3;449 1;270]],
    [[
      135 -4 -4 -2 4 0 1 -4 -7 -3 -1 4 0 -1 -2;325 67 -2 0 2 0 8 1 0 2 -5 1 0 -6;736 -2 1 1 1 13
      -2 4 2 5 -1 -1 2;270 0 1 -2 2 0 -4 -4 -3 -4 2 -3;69 1 3 0 8 2 4 -1 2 -29 -1;135 -1 23 0 0
      -1 -4 2 -5 2;102 -3 -6 -2 1 2 11 2 2;540 -1 7 4 5 -1 -4 -1;272 -24 -22 -20 3 -46 -4;399 24
      -4 -1 -14 -3;431 -4 0 -13 -3;322 3 -6 1;505 -1 1;438 1;260]],
    [[
      138 1 -4 -11 3 1 -1 0 -5 -2 3 6 7 -5 -7;326 41 -7 0 2 -1 7 0 -3 5 -6 1 2 -5;790 1 0 0 1 8
      -1 1 0 4 1 2 6;303 0 1 -3 -3 -2 2 -2 -2 -10 1 -7;60 3 -6 0 22 -2 0 -8 27 -27 1;130 1 11 -2
      2 2 -3 0 -4 1;95 -1 -3 -4 -5 -1 30 1 1;543 0 3 7 2 1 -4 -2;267 -14 -21 -22 -2 -47 -5;395 24
      -2 0 -9 -1;453 -3 -1 -10 -2;324 4 -3 2;498 -1 1;413 0;265]],
    [[
      142 -5 -7 -4 3 0 2 -2 -7 1 -1 3 -1 -4 -8;327 67 4 0 2 1 12 -1 -7 0 -2 1 -1 -8;707 5 1 0 2
      22 1 2 0 4 -1 0 3;277 -1 1 -2 7 -3 -3 -2 -2 -11 0 -5;73 1 0 4 19 -3 2 -4 6 -14 -2;130 0 14
      -2 -1 0 -6 7 -2 2;104 -3 -8 -2 -3 0 26 0 2;541 1 3 3 3 -2 -1 0;282 -5 -14 -44 -1 -44 -4;393
      15 -12 1 -2 1;490 -5 1 -7 -2;329 4 -15 -3;529 -1 3;449 1;270]],
    [[
      135 -4 -4 -2 4 0 1 -4 -7 -3 -1 4 1 -1 -2;325 67 -2 0 2 0 8 1 0 2 -5 1 0 -6;736 -2 1 1 1 13
      -2 4 2 5 0 -1 2;270 0 1 -2 2 0 -4 -4 -3 -4 2 -3;67 1 2 0 10 2 4 -1 8 -29 -1;135 -1 23 0 0
      -1 -4 2 -5 2;101 -3 -6 -2 1 2 17 2 2;540 -1 7 4 5 -1 -4 -1;272 -24 -22 -20 2 -46 -4;399 24
      -4 -1 -14 -3;431 -4 -1 -13 -3;322 3 -6 1;503 -1 1;438 1;260]],
    [[
      139 0 -1 -11 3 1 0 0 -5 -2 3 6 4 -5 -7;310 84 -11 0 -2 -2 7 -1 -5 5 -9 3 2 -11;767 5 1 3 3
      8 0 4 -1 9 -2 2 11;302 0 1 -4 -3 -2 1 -1 -3 -9 1 -8;69 2 1 -1 15 -2 -2 -7 3 -28 0;121 -1 11
      -2 0 2 -6 13 -5 -3;99 -2 -6 -7 -6 -5 7 1 -1;543 0 3 7 2 1 -4 -2;262 -33 -22 -53 2 -51
      -6;381 24 -45 2 -16 -2;453 -2 -1 -10 -2;278 10 -21 -1;504 0 2;412 -1;264]],
    [[
      142 -7 -2 -5 3 0 2 -2 -8 0 -1 2 -2 -4 -8;294 163 -1 0 -7 -1 12 -2 -11 0 -8 3 -1 -21;643 13
      2 10 7 23 5 11 0 18 -7 2 19;276 -1 1 -3 6 -4 -4 -2 -4 -11 0 -8;77 0 2 4 17 -1 1 -1 -4 -16
      -3;108 -4 9 -5 -8 -1 -14 36 -3 -9;104 -4 -12 -8 -4 -10 20 -2 -3;541 0 2 3 2 -1 -1 0;273 -40
      -13 -101 3 -50 -6;366 17 -106 7 -14 -2;490 -1 1 -6 -2;201 27 -68 -16;527 4 6;443 -3;266]],
    [[
      135 -5 -1 -2 4 0 1 -4 -7 -4 -1 4 0 -1 -3;309 109 -5 0 -1 0 8 0 -2 2 -8 3 -1 -12;711 2 1 4 3
      13 0 7 2 10 -3 -1 8;269 0 1 -2 2 -1 -5 -4 -4 -4 2 -4;71 0 4 0 7 3 4 0 -2 -30 -1;125 -2 23 0
      -2 -2 -6 14 -5 -2;102 -3 -7 -5 1 -2 9 1 0;540 -1 6 4 5 -1 -4 -1;267 -43 -23 -50 5 -50
      -5;386 24 -46 1 -21 -5;431 -3 0 -13 -3;276 9 -24 -2;504 1 2;436 0;259]],
    [[
      139 1 -3 -11 3 1 0 0 -5 -2 3 6 4 -5 -7;319 59 -9 0 0 -1 7 -1 -4 5 -7 2 2 -7;780 3 0 1 2 8
      -1 2 0 6 0 2 8;303 0 1 -4 -3 -2 1 -2 -2 -9 1 -7;69 2 1 -1 15 -2 -2 -8 3 -29 0;126 0 11 -2 1
      2 -4 6 -4 -1;99 -2 -5 -5 -6 -3 6 1 0;543 0 3 7 2 1 -4 -2;265 -22 -21 -35 1 -48 -5;389 24
      -20 1 -12 -1;453 -3 -1 -10 -2;306 6 -10 1;505 0 2;413 0;264]],
    [[
      142 -5 -6 -4 3 0 2 -2 -8 1 -1 3 -2 -4 -8;319 90 3 0 0 0 12 -1 -8 0 -3 1 -1 -11;691 7 1 3 3
      22 2 4 0 7 -3 1 6;277 -1 2 -2 7 -3 -3 -2 -2 -11 0 -6;77 1 2 4 16 -3 1 -3 -4 -16 -2;125 -1
      12 -3 -3 0 -7 13 -2 0;106 -4 -9 -3 -4 -3 16 -1 1;541 1 3 3 2 -1 -1 0;280 -13 -13 -57 0 -45
      -4;387 16 -34 2 -5 0;490 -3 1 -6 -2;305 7 -22 -4;531 0 3;449 0;269]],
    [[
      135 -5 -3 -2 4 0 1 -4 -7 -4 -1 4 0 -1 -2;318 84 -3 0 1 0 8 1 -1 2 -7 2 0 -8;726 0 1 2 2 13
      -1 5 2 7 -2 -1 4;269 0 1 -2 2 0 -4 -4 -3 -4 2 -3;71 1 4 0 7 2 4 -1 -2 -30 -1;130 -1 23 0 -1
      -2 -5 7 -5 0;102 -3 -7 -3 1 0 7 1 1;540 -1 6 4 5 -1 -4 -1;270 -32 -22 -32 4 -48 -4;394 24
      -21 0 -17 -4;431 -3 0 -13 -3;304 5 -13 0;505 0 2;437 1;260]],
    [[
      123 -2 -9 -12 5 1 -1 0 -8 -3 3 10 4 -7 -9;265 50 -8 0 3 -2 13 1 -8 8 -10 3 2 -9;717 2 1 0 1
      11 -2 1 0 4 1 1 5;263 -1 1 -6 -4 -2 2 -3 -4 -12 4 -11;62 2 1 -2 21 -3 -3 -11 0 -44 -1;107 1
      19 -2 1 3 -5 1 -5 2;83 -3 -5 -4 -11 -3 4 4 -1;442 1 3 11 2 0 -6 -4;228 -21 -44 -44 2 -67
      -6;318 45 -4 1 -17 -1;366 -10 0 -22 -5;265 6 -14 1;396 -1 2;370 -1;215]],
    [[
      129 -10 -15 -2 5 0 1 -2 -10 1 -2 6 -2 -5 -10;256 83 8 1 4 1 24 -1 -12 1 -4 3 -1 -14;594 7 2
      0 2 31 1 2 -1 4 -3 -1 3;228 -2 3 -5 6 -4 -4 -3 -3 -8 2 -8;71 1 2 4 22 -3 2 -5 -6 -27 -4;104
      0 22 -3 -1 1 -9 12 -3 5;92 -3 -9 -1 -7 -1 21 1 -1;439 1 4 5 3 -4 -3 2;248 -7 -32 -74 1 -62
      -5;302 33 -9 2 -6 1;419 -13 2 -14 -4;268 8 -33 -5;438 -1 6;416 0;221]],
    [[
      119 -10 -9 -1 6 1 0 -4 -10 -3 -3 7 0 -2 -5;259 75 -2 0 5 0 16 2 -3 4 -9 5 -1 -11;661 -1 1 0
      1 17 -3 5 2 4 -1 -2 2;217 -1 3 -3 3 0 -5 -8 -6 -3 3 -6;64 1 5 1 13 3 6 -3 -4 -46 -3;107 -1
      46 1 0 -2 -6 4 -7 5;86 -2 -6 -3 0 1 11 4 1;442 -1 8 7 6 -2 -6 -1;237 -35 -42 -41 4 -67
      -4;322 42 -6 -1 -26 -4;335 -10 0 -24 -5;260 6 -18 -1;396 0 3;400 0;210]],
    [[
      122 -2 -8 -12 4 1 -2 0 -8 -3 4 10 6 -7 -9;264 51 -9 0 3 -3 14 1 -8 8 -10 6 2 -9;717 3 1 0 1
      11 -2 1 -1 4 -1 1 5;257 -1 2 -6 -5 -2 2 -2 -4 -16 4 -11;62 2 1 -2 21 -3 -2 -11 1 -44 -2;106
      0 23 -1 1 4 -4 2 -5 2;82 -1 -5 -5 -9 -1 11 4 -1;440 1 3 10 2 -1 -6 -3;228 -21 -44 -44 2 -67
      -6;318 45 -4 1 -16 -1;366 -10 -1 -22 -5;264 5 -15 1;390 -1 2;370 -1;215]],
    [[
      128 -10 -15 -2 4 1 1 -2 -10 1 -1 6 -1 -5 -10;255 85 7 1 4 1 25 -1 -12 1 -4 5 -1 -14;593 7 2
      0 2 31 1 2 -1 4 -4 -1 3;222 -2 3 -5 6 -4 -4 -3 -3 -13 2 -8;71 1 2 4 22 -3 3 -5 -4 -27
      -4;103 -1 25 -3 -1 2 -8 13 -3 5;91 -1 -8 -1 -5 0 28 1 -1;437 1 4 5 2 -5 -2 2;248 -7 -32 -74
      1 -62 -5;302 33 -9 2 -6 1;418 -13 1 -14 -4;268 6 -33 -5;432 -1 6;416 0;221]],
    [[
      116 -9 -8 -2 5 1 -2 -6 -10 -3 -1 6 5 -2 -5;256 81 -3 0 5 0 18 2 -3 4 -9 14 -1 -11;659 1 1 0
      2 16 -3 5 2 4 -6 -2 2;189 -1 3 -6 -1 -1 -5 -7 -7 -25 4 -6;64 0 3 2 13 2 7 -2 0 -45 -3;105
      -4 62 2 0 1 -2 7 -8 4;82 9 -4 -3 8 8 35 4 0;434 -2 8 4 3 -6 -6 -1;237 -35 -43 -42 2 -67
      -4;322 42 -6 -1 -26 -4;334 -12 -5 -24 -5;259 0 -19 0;375 -1 4;400 0;210]],
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
      vllm = { points = 545, configurations = 45, near = 5, constants = 13, root = 10,
        kernels = "0.24.0" },
      sglang = { points = 218, configurations = 35, near = 5, constants = 14, root = 11,
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
