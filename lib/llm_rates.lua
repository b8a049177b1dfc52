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
    "layer", "quantize_8", "quantize_4", "expert_layer", "sequence", "link_start", "link", "pace",
  },
  configuration_spread = { dense = 0.04, moe = 0.115 },
  model_spread = 0.11,
  shape_spread = 0.085,
  architecture_spread = 0.27,
  version_spread = 0.075,
  handed_steps = 15.3,
  request_spread = { vllm = 0.252, sglang = 0.839, trtllm = 0.839 },
  models = {
    ["24x2880-201088-32"] = {
      any = { 0.994, 0.090 }, trtllm = { 0.987, 0.089 },
    },
    ["28x3584-152064-0"] = {
      any = { 1.006, 0.090 }, vllm = { 1.012, 0.089 },
    },
    ["32x4096-128256-0"] = {
      any = { 1.019, 0.090 }, vllm = { 1.021, 0.088 }, sglang = { 1.038, 0.089 },
      trtllm = { 1.017, 0.089 },
    },
    ["32x4096-32000-0"] = {
      any = { 0.998, 0.090 }, vllm = { 0.996, 0.089 },
    },
    ["32x4096-32000-8"] = {
      any = { 0.988, 0.090 }, vllm = { 0.976, 0.089 },
    },
    ["36x2880-201088-128"] = {
      any = { 0.985, 0.089 }, vllm = { 0.967, 0.087 }, trtllm = { 0.988, 0.087 },
    },
    ["36x4096-151936-0"] = {
      any = { 1.003, 0.090 }, vllm = { 1.007, 0.088 },
    },
    ["40x5120-131072-0"] = {
      any = { 0.998, 0.090 }, vllm = { 0.996, 0.089 },
    },
    ["40x5120-151936-0"] = {
      any = { 1.001, 0.090 }, vllm = { 1.001, 0.088 },
    },
    ["48x2048-151936-128"] = {
      any = { 1.000, 0.090 }, trtllm = { 0.999, 0.088 },
    },
    ["48x3840-262144-0"] = {
      any = { 0.998, 0.090 }, vllm = { 0.996, 0.089 },
    },
    ["48x5120-202048-128"] = {
      any = { 0.992, 0.090 }, trtllm = { 0.985, 0.089 },
    },
    ["48x5120-202048-16"] = {
      any = { 1.016, 0.090 }, vllm = { 1.031, 0.088 },
    },
    ["48x8192-32000-0"] = {
      any = { 0.995, 0.090 }, vllm = { 0.990, 0.088 },
    },
    ["56x6144-32768-8"] = {
      any = { 0.993, 0.090 }, vllm = { 0.986, 0.089 },
    },
    ["60x4096-248320-512"] = {
      any = { 0.999, 0.089 }, sglang = { 0.999, 0.086 },
    },
    ["60x7168-64000-0"] = {
      any = { 1.002, 0.090 }, vllm = { 1.004, 0.089 },
    },
    ["61x7168-129280-256"] = {
      any = { 1.008, 0.089 }, vllm = { 1.023, 0.088 }, sglang = { 1.001, 0.086 },
      trtllm = { 1.010, 0.086 },
    },
    ["61x7168-163840-384"] = {
      any = { 0.987, 0.089 }, vllm = { 0.993, 0.087 }, trtllm = { 0.968, 0.089 },
    },
    ["62x3072-200064-256"] = {
      any = { 0.985, 0.089 }, vllm = { 0.969, 0.086 },
    },
    ["64x5120-151936-0"] = {
      any = { 1.016, 0.089 }, vllm = { 1.018, 0.089 }, sglang = { 1.020, 0.089 },
      trtllm = { 1.026, 0.088 },
    },
    ["78x6144-154880-256"] = {
      any = { 1.040, 0.090 }, sglang = { 1.081, 0.087 },
    },
    ["80x8192-128256-0"] = {
      any = { 0.964, 0.089 }, vllm = { 0.940, 0.086 }, trtllm = { 0.952, 0.086 },
    },
    ["80x8192-32000-0"] = {
      any = { 1.003, 0.090 }, vllm = { 1.006, 0.089 },
    },
    ["94x4096-151936-128"] = {
      any = { 1.012, 0.089 }, vllm = { 1.048, 0.087 }, sglang = { 1.001, 0.088 },
      trtllm = { 0.999, 0.087 },
    },
  },
  served = {
    ["24x2880-201088-32 trtllm"] = {
      ["B200 mxfp4"] = { 0.983, 0.078 }, ["GB200 mxfp4"] = { 0.984, 0.078 },
      ["H100 SXM mxfp4"] = { 0.932, 0.073 }, ["H200 SXM mxfp4"] = { 1.007, 0.076 },
    },
    ["28x3584-152064-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.057, 0.060 },
    },
    ["32x4096-128256-0 sglang"] = {
      ["H200 SXM fp8"] = { 1.187, 0.054 },
    },
    ["32x4096-128256-0 trtllm"] = {
      ["H100 SXM bf16"] = { 1.001, 0.052 },
    },
    ["32x4096-128256-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.042, 0.045 }, ["L40S bf16"] = { 1.017, 0.081 },
    },
    ["32x4096-32000-0 vllm"] = {
      ["H100 SXM bf16"] = { 0.983, 0.057 },
    },
    ["32x4096-32000-8 vllm"] = {
      ["H100 SXM bf16"] = { 0.894, 0.052 },
    },
    ["36x2880-201088-128 trtllm"] = {
      ["B200 mxfp4"] = { 0.874, 0.045 }, ["GB200 mxfp4"] = { 1.027, 0.075 },
      ["H100 SXM mxfp4"] = { 1.056, 0.075 }, ["H200 SXM mxfp4"] = { 1.027, 0.046 },
    },
    ["36x2880-201088-128 vllm"] = {
      ["B200 mxfp4"] = { 0.897, 0.042 }, ["H100 SXM mxfp4"] = { 0.894, 0.044 },
      ["H200 SXM mxfp4"] = { 0.988, 0.048 },
    },
    ["36x4096-151936-0 vllm"] = {
      ["B200 bf16"] = { 1.072, 0.062 }, ["H100 SXM bf16"] = { 0.968, 0.059 },
    },
    ["40x5120-131072-0 vllm"] = {
      ["H100 SXM bf16"] = { 0.980, 0.056 },
    },
    ["40x5120-151936-0 vllm"] = {
      ["A100 80GB SXM bf16"] = { 1.034, 0.070 }, ["B200 bf16"] = { 0.977, 0.062 },
      ["H100 SXM bf16"] = { 0.999, 0.047 },
    },
    ["48x2048-151936-128 trtllm"] = {
      ["B200 fp4"] = { 0.990, 0.071 }, ["GB200 fp4"] = { 1.045, 0.073 },
      ["RTX PRO 6000 Server fp4"] = { 0.961, 0.064 },
    },
    ["48x3840-262144-0 vllm"] = {
      ["B200 bf16"] = { 1.000, 0.063 }, ["H100 SXM bf16"] = { 0.979, 0.063 },
    },
    ["48x5120-202048-128 trtllm"] = {
      ["B200 fp4"] = { 0.954, 0.074 }, ["GB200 fp4"] = { 0.990, 0.074 },
      ["H200 SXM fp8"] = { 0.956, 0.076 },
    },
    ["48x5120-202048-16 vllm"] = {
      ["H100 SXM bf16"] = { 1.187, 0.054 }, ["H100 SXM fp8"] = { 1.000, 0.062 },
    },
    ["48x8192-32000-0 vllm"] = {
      ["A100 80GB SXM bf16"] = { 0.964, 0.070 }, ["H100 SXM bf16"] = { 0.982, 0.052 },
    },
    ["56x6144-32768-8 vllm"] = {
      ["H100 SXM bf16"] = { 0.937, 0.057 },
    },
    ["60x4096-248320-512 sglang"] = {
      ["B200 bf16"] = { 1.037, 0.053 }, ["B200 fp4"] = { 0.966, 0.054 },
      ["B200 fp8"] = { 1.003, 0.051 }, ["B300 bf16"] = { 0.951, 0.052 },
      ["B300 fp4"] = { 1.059, 0.053 }, ["B300 fp8"] = { 0.919, 0.051 },
      ["H200 SXM fp8"] = { 1.060, 0.057 },
    },
    ["60x7168-64000-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.017, 0.055 },
    },
    ["61x7168-129280-256 sglang"] = {
      ["B200 fp4-latent"] = { 0.960, 0.039 }, ["B200 fp8"] = { 0.940, 0.042 },
      ["B300 fp4-latent"] = { 1.101, 0.053 }, ["B300 fp8"] = { 1.108, 0.058 },
      ["GB200 fp4-latent"] = { 0.945, 0.058 }, ["GB200 fp8"] = { 0.959, 0.061 },
      ["GB300 fp4-latent"] = { 1.031, 0.066 }, ["GB300 fp8"] = { 0.953, 0.064 },
      ["H200 SXM fp8"] = { 0.922, 0.045 }, ["MI300X fp8"] = { 1.056, 0.079 },
    },
    ["61x7168-129280-256 trtllm"] = {
      ["B200 fp4-latent"] = { 0.917, 0.039 }, ["B200 fp8"] = { 1.139, 0.042 },
      ["GB200 fp4-latent"] = { 0.911, 0.047 }, ["GB200 fp8"] = { 1.086, 0.053 },
      ["GB300 fp4-latent"] = { 0.890, 0.057 }, ["GB300 fp8"] = { 1.074, 0.060 },
      ["H200 SXM fp8"] = { 1.093, 0.041 },
    },
    ["61x7168-129280-256 vllm"] = {
      ["B200 fp8"] = { 1.135, 0.067 },
    },
    ["61x7168-163840-384 trtllm"] = {
      ["GB200 fp4-latent"] = { 0.846, 0.057 },
    },
    ["61x7168-163840-384 vllm"] = {
      ["B200 fp4-latent"] = { 0.888, 0.049 }, ["B200 int4"] = { 1.166, 0.068 },
      ["B300 fp4-latent"] = { 0.921, 0.048 }, ["GB200 fp4-latent"] = { 1.039, 0.066 },
      ["H200 SXM int4"] = { 1.016, 0.059 },
    },
    ["62x3072-200064-256 vllm"] = {
      ["B200 fp4"] = { 0.919, 0.039 }, ["B200 fp8"] = { 1.001, 0.042 },
      ["B300 fp4"] = { 0.904, 0.046 }, ["B300 fp8"] = { 0.986, 0.045 },
      ["H100 SXM fp8"] = { 0.937, 0.050 }, ["H200 SXM fp8"] = { 0.967, 0.050 },
    },
    ["64x5120-151936-0 sglang"] = {
      ["H100 SXM bf16"] = { 1.048, 0.053 },
    },
    ["64x5120-151936-0 trtllm"] = {
      ["B200 fp4"] = { 0.977, 0.070 }, ["GB200 fp4"] = { 1.132, 0.069 },
      ["H100 SXM fp8"] = { 1.048, 0.051 },
    },
    ["64x5120-151936-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.034, 0.057 },
    },
    ["78x6144-154880-256 sglang"] = {
      ["B200 fp4-latent"] = { 1.281, 0.061 }, ["B200 fp8"] = { 1.150, 0.054 },
      ["B300 fp8"] = { 1.092, 0.058 }, ["H200 SXM fp8"] = { 1.120, 0.055 },
    },
    ["80x8192-128256-0 trtllm"] = {
      ["B200 fp4"] = { 0.989, 0.044 }, ["B200 fp8"] = { 0.899, 0.046 },
      ["GB200 fp4"] = { 0.976, 0.075 }, ["H100 SXM fp8"] = { 0.919, 0.079 },
      ["H200 SXM fp8"] = { 0.899, 0.047 }, ["RTX PRO 6000 Server fp4"] = { 0.958, 0.070 },
    },
    ["80x8192-128256-0 vllm"] = {
      ["B200 bf16"] = { 0.854, 0.055 }, ["B200 fp4"] = { 0.974, 0.045 },
      ["B200 fp8"] = { 0.831, 0.044 }, ["H100 SXM bf16"] = { 0.903, 0.046 },
      ["H100 SXM fp8"] = { 0.975, 0.042 }, ["H200 SXM fp8"] = { 0.944, 0.048 },
    },
    ["80x8192-32000-0 vllm"] = {
      ["H100 SXM bf16"] = { 1.029, 0.053 },
    },
    ["94x4096-151936-128 sglang"] = {
      ["H200 SXM fp8"] = { 0.925, 0.052 },
    },
    ["94x4096-151936-128 trtllm"] = {
      ["B200 fp4"] = { 1.021, 0.070 }, ["GB200 fp4"] = { 1.043, 0.074 },
      ["H100 SXM fp8"] = { 0.889, 0.057 }, ["H200 SXM fp8"] = { 0.930, 0.076 },
      ["RTX PRO 6000 Server fp4"] = { 1.038, 0.067 },
    },
    ["94x4096-151936-128 vllm"] = {
      ["B200 fp8"] = { 1.184, 0.053 }, ["H100 SXM fp8"] = { 1.101, 0.050 },
      ["H200 SXM fp8"] = { 1.132, 0.061 },
    },
  },
  versions = {
    vllm = {
      any = { 1.002, 0.094 }, ["0.11"] = { 1.144, 0.030 }, ["0.12"] = { 1.085, 0.052 },
      ["0.15"] = { 0.957, 0.031 }, ["0.16"] = { 1.060, 0.048 }, ["0.17"] = { 1.003, 0.036 },
      ["0.18"] = { 0.929, 0.032 }, ["0.19"] = { 0.921, 0.026 },
    },
    sglang = {
      any = { 0.904, 0.020 }, ["0.5"] = { 0.904, 0.020 },
    },
    trtllm = {
      any = { 0.941, 0.044 }, ["1.0"] = { 0.894, 0.049 }, ["1.1"] = { 0.980, 0.028 },
      ["1.2"] = { 0.947, 0.021 }, ["1.3"] = { 0.930, 0.031 },
    },
  },
  constants = {
    {
      attention_efficiency = 0.4667, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8426, expert_efficiency = 0.3305, expert_excess = 0.1897,
      expert_half = 21.45, expert_layer_s = 4.732e-05, expert_width = 50, factor = 1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8014,
      layer_4_s = 2.132e-05, layer_8_s = 2.384e-05, layer_s = 4.085e-05, link_efficiency = 0.48,
      link_hop_s = 6.835e-07, link_latency_s = 2.326e-06, matrix_4 = 0.5045, matrix_8 = 0.5555,
      matrix_efficiency = 0.8294, matrix_half = 17.08, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008982, sequence_s = 2.289e-05, step_s = 0.0001,
      weight_bandwidth = 0.7597,
    },
    {
      attention_efficiency = 0.3601, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.7827, expert_efficiency = 0.1766, expert_excess = 0.218,
      expert_half = 19.34, expert_layer_s = 6.19e-05, expert_width = 93.93, factor = 1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7991,
      layer_4_s = 1.163e-05, layer_8_s = 2.806e-05, layer_s = 4.108e-05,
      link_efficiency = 0.5772, link_hop_s = 6.643e-07, link_latency_s = 1.69e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.6871, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.008982, sequence_s = 1.164e-05,
      step_s = 0.0001, weight_bandwidth = 0.7303,
    },
    {
      attention_efficiency = 0.5777, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.7837, expert_efficiency = 0.3466, expert_excess = 0.1599,
      expert_half = 28.24, expert_layer_s = 4.915e-05, expert_width = 188.2, factor = 1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7547,
      layer_4_s = 3.076e-05, layer_8_s = 2.783e-05, layer_s = 3.362e-05,
      link_efficiency = 0.4863, link_hop_s = 5.929e-07, link_latency_s = 1.63e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.6989, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008982, sequence_s = 2.009e-05,
      step_s = 0.0001, weight_bandwidth = 0.7345,
    },
    {
      attention_efficiency = 0.3938, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7586, expert_efficiency = 0.04031, expert_excess = 0.1897,
      expert_half = 17.66, expert_layer_s = 5.368e-05, expert_width = 51.37, factor = 1.022,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7968,
      layer_4_s = 9.743e-06, layer_8_s = 1.189e-07, layer_s = 5.805e-05,
      link_efficiency = 0.4413, link_hop_s = 6.672e-07, link_latency_s = 2.944e-06,
      matrix_4 = 0.4789, matrix_8 = 0.5272, matrix_efficiency = 0.8717, matrix_half = 79.83,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008982, sequence_s = 2.332e-05,
      step_s = 0.0001, weight_bandwidth = 0.7213,
    },
    {
      attention_efficiency = 0.2819, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7386, expert_efficiency = 0.03909, expert_excess = 0.218,
      expert_half = 13.71, expert_layer_s = 7.375e-05, expert_width = 87.07, factor = 1.022,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7803,
      layer_4_s = 0, layer_8_s = 1.405e-05, layer_s = 6.069e-05, link_efficiency = 0.4478,
      link_hop_s = 6.945e-07, link_latency_s = 3.064e-06, matrix_4 = 0.4542, matrix_8 = 0.7283,
      matrix_efficiency = 0.7485, matrix_half = 79.83, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008982, sequence_s = 1.186e-05, step_s = 0.0001,
      weight_bandwidth = 0.7035,
    },
    {
      attention_efficiency = 0.5758, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7032, expert_efficiency = 0.0333, expert_excess = 0.1599,
      expert_half = 22.37, expert_layer_s = 5.89e-05, expert_width = 111.2, factor = 1.022,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7703,
      layer_4_s = 1.725e-05, layer_8_s = 1.912e-05, layer_s = 4.932e-05,
      link_efficiency = 0.4969, link_hop_s = 6.198e-07, link_latency_s = 2.734e-06,
      matrix_4 = 0.4411, matrix_8 = 0.6476, matrix_efficiency = 0.7564, matrix_half = 79.83,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008982, sequence_s = 2.047e-05,
      step_s = 0.0001, weight_bandwidth = 0.7358,
    },
    {
      attention_efficiency = 0.3938, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7586, expert_efficiency = 0.04031, expert_excess = 0.1897,
      expert_half = 17.66, expert_layer_s = 5.368e-05, expert_width = 51.37, factor = 1.022,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.789,
      layer_4_s = 1.02e-05, layer_8_s = 1.059e-06, layer_s = 5.536e-05, link_efficiency = 0.4634,
      link_hop_s = 6.354e-07, link_latency_s = 3.122e-06, matrix_4 = 0.4742, matrix_8 = 0.5221,
      matrix_efficiency = 0.8802, matrix_half = 60.69, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008982, sequence_s = 2.332e-05, step_s = 0.0001,
      weight_bandwidth = 0.7074,
    },
    {
      attention_efficiency = 0.2819, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7386, expert_efficiency = 0.03909, expert_excess = 0.218,
      expert_half = 13.71, expert_layer_s = 7.375e-05, expert_width = 87.07, factor = 1.022,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7727,
      layer_4_s = 0, layer_8_s = 1.285e-05, layer_s = 5.99e-05, link_efficiency = 0.5289,
      link_hop_s = 6.81e-07, link_latency_s = 3.346e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.734, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008982, sequence_s = 1.186e-05, step_s = 0.0001,
      weight_bandwidth = 0.6899,
    },
    {
      attention_efficiency = 0.5758, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7032, expert_efficiency = 0.0333, expert_excess = 0.1599,
      expert_half = 22.37, expert_layer_s = 5.89e-05, expert_width = 111.2, factor = 1.022,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7855,
      layer_4_s = 1.774e-05, layer_8_s = 1.944e-05, layer_s = 5.315e-05,
      link_efficiency = 0.4006, link_hop_s = 6.637e-07, link_latency_s = 2.361e-06,
      matrix_4 = 0.4368, matrix_8 = 0.6413, matrix_efficiency = 0.7639, matrix_half = 72.39,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008982, sequence_s = 2.047e-05,
      step_s = 0.0001, weight_bandwidth = 0.7652,
    },
    {
      attention_efficiency = 0.3938, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7586, expert_efficiency = 0.04031, expert_excess = 0.1897,
      expert_half = 17.66, expert_layer_s = 5.368e-05, expert_width = 51.37, factor = 1.022,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.79,
      layer_4_s = 1.02e-05, layer_8_s = 1.059e-06, layer_s = 5.526e-05, link_efficiency = 0.4648,
      link_hop_s = 6.341e-07, link_latency_s = 3.116e-06, matrix_4 = 0.4742, matrix_8 = 0.5221,
      matrix_efficiency = 0.877, matrix_half = 60.69, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008982, sequence_s = 2.397e-05, step_s = 0.0001,
      weight_bandwidth = 0.7065,
    },
    {
      attention_efficiency = 0.2819, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7386, expert_efficiency = 0.03909, expert_excess = 0.218,
      expert_half = 13.71, expert_layer_s = 7.375e-05, expert_width = 87.07, factor = 1.022,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7732,
      layer_4_s = 0, layer_8_s = 1.285e-05, layer_s = 5.985e-05, link_efficiency = 0.5297,
      link_hop_s = 6.804e-07, link_latency_s = 3.343e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.7326, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.008982, sequence_s = 1.202e-05, step_s = 0.0001,
      weight_bandwidth = 0.6894,
    },
    {
      attention_efficiency = 0.5758, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7032, expert_efficiency = 0.0333, expert_excess = 0.1599,
      expert_half = 22.37, expert_layer_s = 5.89e-05, expert_width = 111.2, factor = 1.022,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.786,
      layer_4_s = 1.774e-05, layer_8_s = 1.944e-05, layer_s = 5.31e-05, link_efficiency = 0.4012,
      link_hop_s = 6.631e-07, link_latency_s = 2.358e-06, matrix_4 = 0.4368, matrix_8 = 0.6413,
      matrix_efficiency = 0.7624, matrix_half = 72.39, matrix_half_4 = 13.46,
      matrix_half_8 = 15.42, request_s = 0.008982, sequence_s = 2.076e-05, step_s = 0.0001,
      weight_bandwidth = 0.7647,
    },
    {
      attention_efficiency = 0.4984, expert_4 = 1.092, expert_8 = 0.7239,
      expert_bandwidth = 0.9472, expert_efficiency = 0.2902, expert_excess = 0.2143,
      expert_half = 55.39, expert_layer_s = 4.011e-05, expert_width = 28.07, factor = 0.9741,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.846,
      layer_4_s = 1.781e-05, layer_8_s = 3.107e-05, layer_s = 3.82e-05, link_efficiency = 0.2987,
      link_hop_s = 4.311e-07, link_latency_s = 4.547e-06, matrix_4 = 0.5723, matrix_8 = 0.5088,
      matrix_efficiency = 0.8833, matrix_half = 58.93, matrix_half_4 = 49.41,
      matrix_half_8 = 35.77, request_s = 0.008982, sequence_s = 2.512e-05, step_s = 0.0001,
      weight_bandwidth = 0.6883,
    },
    {
      attention_efficiency = 0.3865, expert_4 = 0.7906, expert_8 = 0.3088,
      expert_bandwidth = 0.8044, expert_efficiency = 0.2244, expert_excess = 0.2073,
      expert_half = 15.21, expert_layer_s = 5.292e-05, expert_width = 63.95, factor = 0.9741,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.825,
      layer_4_s = 9.432e-06, layer_8_s = 4.699e-05, layer_s = 3.949e-05,
      link_efficiency = 0.3674, link_hop_s = 4.086e-07, link_latency_s = 2.774e-06,
      matrix_4 = 0.5557, matrix_8 = 0.9156, matrix_efficiency = 0.683, matrix_half = 50.88,
      matrix_half_4 = 119.3, matrix_half_8 = 33.95, request_s = 0.008982, sequence_s = 9.192e-06,
      step_s = 0.0001, weight_bandwidth = 0.6895,
    },
    {
      attention_efficiency = 0.6483, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.8292, expert_efficiency = 0.272, expert_excess = 0.1957,
      expert_half = 47.49, expert_layer_s = 4.199e-05, expert_width = 60.61, factor = 0.9741,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7333,
      layer_4_s = 3.024e-05, layer_8_s = 2.643e-05, layer_s = 2.345e-05,
      link_efficiency = 0.3694, link_hop_s = 3.646e-07, link_latency_s = 2.549e-06,
      matrix_4 = 0.5723, matrix_8 = 0.7239, matrix_efficiency = 0.6912, matrix_half = 30.88,
      matrix_half_4 = 42.95, matrix_half_8 = 62.5, request_s = 0.008982, sequence_s = 1.418e-05,
      step_s = 0.0001, weight_bandwidth = 0.6743,
    },
    {
      attention_efficiency = 0.6113, expert_4 = 0.625, expert_8 = 0.7906,
      expert_bandwidth = 0.901, expert_efficiency = 0.3025, expert_excess = 0.2194,
      expert_half = 26.57, expert_layer_s = 3.95e-05, expert_width = 31.47, factor = 0.9741,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7521,
      layer_4_s = 1.657e-05, layer_8_s = 2.847e-05, layer_s = 3.952e-05,
      link_efficiency = 0.3726, link_hop_s = 3.727e-07, link_latency_s = 4.828e-06,
      matrix_4 = 0.3683, matrix_8 = 0.4659, matrix_efficiency = 0.9017, matrix_half = 1.637,
      matrix_half_4 = 25.14, matrix_half_8 = 17.16, request_s = 0.008982, sequence_s = 2.319e-05,
      step_s = 0.0001, weight_bandwidth = 0.7271,
    },
    {
      attention_efficiency = 0.4554, expert_4 = 0.524, expert_8 = 0.2912,
      expert_bandwidth = 0.8642, expert_efficiency = 0.2776, expert_excess = 0.2971,
      expert_half = 21.42, expert_layer_s = 4.751e-05, expert_width = 105.4, factor = 0.9741,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7601,
      layer_4_s = 5.495e-06, layer_8_s = 6.068e-05, layer_s = 4.086e-05,
      link_efficiency = 0.3938, link_hop_s = 3.8e-07, link_latency_s = 2.987e-06,
      matrix_4 = 0.3473, matrix_8 = 0.8891, matrix_efficiency = 0.8089, matrix_half = 2.276,
      matrix_half_4 = 202.4, matrix_half_8 = 214.6, request_s = 0.008982, sequence_s = 1.12e-05,
      step_s = 0.0001, weight_bandwidth = 0.7073,
    },
    {
      attention_efficiency = 0.7324, expert_4 = 0.8033, expert_8 = 0.5723,
      expert_bandwidth = 0.8223, expert_efficiency = 0.2549, expert_excess = 0.1897,
      expert_half = 50.36, expert_layer_s = 4.8e-05, expert_width = 67.4, factor = 0.9741,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7464,
      layer_4_s = 3.444e-05, layer_8_s = 3.435e-05, layer_s = 3.207e-05,
      link_efficiency = 0.4427, link_hop_s = 3.63e-07, link_latency_s = 2.853e-06,
      matrix_4 = 0.3577, matrix_8 = 0.6826, matrix_efficiency = 0.735, matrix_half = 36.83,
      matrix_half_4 = 88.91, matrix_half_8 = 68.26, request_s = 0.008982, sequence_s = 1.867e-05,
      step_s = 0.0001, weight_bandwidth = 0.6596,
    },
    {
      attention_efficiency = 0.4711, expert_4 = 0.9711, expert_8 = 1.03,
      expert_bandwidth = 0.9315, expert_efficiency = 0.351, expert_excess = 0.1783,
      expert_half = 44.38, expert_layer_s = 4.741e-05, expert_width = 28.36, factor = 0.7904,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7973,
      layer_4_s = 2.081e-05, layer_8_s = 3.351e-05, layer_s = 4.591e-05,
      link_efficiency = 0.2737, link_hop_s = 2.682e-07, link_latency_s = 3.684e-06,
      matrix_4 = 0.524, matrix_8 = 0.4659, matrix_efficiency = 0.858, matrix_half = 100,
      matrix_half_4 = 46.59, matrix_half_8 = 23.02, request_s = 0.008982, sequence_s = 1.606e-05,
      step_s = 0.0001, weight_bandwidth = 0.7241,
    },
    {
      attention_efficiency = 0.4067, expert_4 = 0.7677, expert_8 = 0.3473,
      expert_bandwidth = 0.8256, expert_efficiency = 0.4756, expert_excess = 0.2129,
      expert_half = 27.2, expert_layer_s = 5.977e-05, expert_width = 93.63, factor = 0.7904,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8125,
      layer_4_s = 8.472e-06, layer_8_s = 7.944e-05, layer_s = 4.676e-05,
      link_efficiency = 0.6882, link_hop_s = 1.054e-07, link_latency_s = 3.296e-06,
      matrix_4 = 0.5396, matrix_8 = 0.8384, matrix_efficiency = 0.704, matrix_half = 88.91,
      matrix_half_4 = 241.4, matrix_half_8 = 164.8, request_s = 0.008982, sequence_s = 7.978e-06,
      step_s = 0.0001, weight_bandwidth = 0.702,
    },
    {
      attention_efficiency = 0.6948, expert_4 = 0.3232, expert_8 = 0.5723,
      expert_bandwidth = 0.7411, expert_efficiency = 0.3661, expert_excess = 0.1597,
      expert_half = 35.06, expert_layer_s = 5.268e-05, expert_width = 45.77, factor = 0.7904,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7481,
      layer_4_s = 3.17e-05, layer_8_s = 3.9e-05, layer_s = 3.717e-05, link_efficiency = 0.7101,
      link_hop_s = 2.708e-07, link_latency_s = 2.941e-06, matrix_4 = 0.4941, matrix_8 = 0.6628,
      matrix_efficiency = 0.6891, matrix_half = 70.29, matrix_half_4 = 1, matrix_half_8 = 70.29,
      request_s = 0.008982, sequence_s = 1.361e-05, step_s = 0.0001, weight_bandwidth = 0.6531,
    },
    {
      attention_efficiency = 0.6394, expert_4 = 0.5557, expert_8 = 0.8891,
      expert_bandwidth = 0.8353, expert_efficiency = 0.4975, expert_excess = 0.193,
      expert_half = 34.41, expert_layer_s = 4.017e-05, expert_width = 32.38, factor = 0.7904,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.79,
      layer_4_s = 1.82e-05, layer_8_s = 3.24e-05, layer_s = 4.08e-05, link_efficiency = 0.4554,
      link_hop_s = 5.761e-07, link_latency_s = 4.946e-06, matrix_4 = 0.3683, matrix_8 = 0.4659,
      matrix_efficiency = 0.9163, matrix_half = 33.73, matrix_half_4 = 55.57,
      matrix_half_8 = 20.47, request_s = 0.008982, sequence_s = 1.615e-05, step_s = 0.0001,
      weight_bandwidth = 0.7254,
    },
    {
      attention_efficiency = 0.4675, expert_4 = 0.4023, expert_8 = 0.2828,
      expert_bandwidth = 0.765, expert_efficiency = 0.6312, expert_excess = 0.2139,
      expert_half = 30.3, expert_layer_s = 5.428e-05, expert_width = 74.58, factor = 0.7904,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7972,
      layer_4_s = 5.885e-06, layer_8_s = 7.509e-05, layer_s = 4.349e-05,
      link_efficiency = 0.6413, link_hop_s = 4.379e-07, link_latency_s = 2.42e-06,
      matrix_4 = 0.318, matrix_8 = 0.7906, matrix_efficiency = 0.7913, matrix_half = 112.5,
      matrix_half_4 = 164.8, matrix_half_8 = 26.84, request_s = 0.008982, sequence_s = 7.767e-06,
      step_s = 0.0001, weight_bandwidth = 0.7052,
    },
    {
      attention_efficiency = 0.8191, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.7605, expert_efficiency = 0.4448, expert_excess = 0.162,
      expert_half = 53.6, expert_layer_s = 4.945e-05, expert_width = 59.79, factor = 0.7904,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7648,
      layer_4_s = 3.062e-05, layer_8_s = 3.982e-05, layer_s = 3.359e-05,
      link_efficiency = 0.6993, link_hop_s = 2.886e-07, link_latency_s = 2.869e-06,
      matrix_4 = 0.3275, matrix_8 = 0.6628, matrix_efficiency = 0.8007, matrix_half = 94.29,
      matrix_half_4 = 115.8, matrix_half_8 = 1.265, request_s = 0.008982, sequence_s = 1.287e-05,
      step_s = 0.0001, weight_bandwidth = 0.6566,
    },
    {
      attention_efficiency = 0.4436, expert_4 = 0.8141, expert_8 = 0.4728,
      expert_bandwidth = 0.8079, expert_efficiency = 0.2751, expert_excess = 0.177,
      expert_half = 16.07, expert_layer_s = 6.109e-05, expert_width = 71.26, factor = 1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8285,
      layer_4_s = 1.869e-05, layer_8_s = 2.139e-05, layer_s = 4.968e-05, link_efficiency = 0.545,
      link_hop_s = 2.662e-07, link_latency_s = 3.021e-06, matrix_4 = 0.4742, matrix_8 = 0.5723,
      matrix_efficiency = 0.8348, matrix_half = 1, matrix_half_4 = 36.03, matrix_half_8 = 160,
      request_s = 0.008982, sequence_s = 3.012e-05, step_s = 0.0001, weight_bandwidth = 0.8233,
    },
    {
      attention_efficiency = 0.3083, expert_4 = 2.337, expert_8 = 1.937,
      expert_bandwidth = 0.7451, expert_efficiency = 0.07882, expert_excess = 0.2035,
      expert_half = 16.54, expert_layer_s = 7.541e-05, expert_width = 120.1, factor = 1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7996,
      layer_4_s = 7.59e-06, layer_8_s = 1.229e-05, layer_s = 5.051e-05, link_efficiency = 0.5952,
      link_hop_s = 3.772e-07, link_latency_s = 1.624e-06, matrix_4 = 0.477, matrix_8 = 0.6927,
      matrix_efficiency = 0.676, matrix_half = 15.48, matrix_half_4 = 145.8,
      matrix_half_8 = 174.7, request_s = 0.008982, sequence_s = 1.532e-05, step_s = 0.0001,
      weight_bandwidth = 0.8149,
    },
    {
      attention_efficiency = 0.5358, expert_4 = 0.4538, expert_8 = 0.5723,
      expert_bandwidth = 0.7659, expert_efficiency = 0.3479, expert_excess = 0.1492,
      expert_half = 44.04, expert_layer_s = 5.607e-05, expert_width = 286.2, factor = 1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7018,
      layer_4_s = 2.702e-05, layer_8_s = 2.153e-05, layer_s = 4.049e-05,
      link_efficiency = 0.5456, link_hop_s = 2.231e-07, link_latency_s = 1.728e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6927, matrix_efficiency = 0.7035, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008982, sequence_s = 2.645e-05,
      step_s = 0.0001, weight_bandwidth = 0.8156,
    },
    {
      attention_efficiency = 0.4436, expert_4 = 0.8141, expert_8 = 0.4728,
      expert_bandwidth = 0.8079, expert_efficiency = 0.2751, expert_excess = 0.177,
      expert_half = 16.07, expert_layer_s = 6.109e-05, expert_width = 71.26, factor = 0.9387,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8285,
      layer_4_s = 1.869e-05, layer_8_s = 2.139e-05, layer_s = 4.968e-05, link_efficiency = 0.545,
      link_hop_s = 2.662e-07, link_latency_s = 3.021e-06, matrix_4 = 0.4742, matrix_8 = 0.5723,
      matrix_efficiency = 0.8348, matrix_half = 1, matrix_half_4 = 36.03, matrix_half_8 = 160,
      request_s = 0.008982, sequence_s = 3.012e-05, step_s = 0.0001, weight_bandwidth = 0.8233,
    },
    {
      attention_efficiency = 0.3083, expert_4 = 2.337, expert_8 = 1.937,
      expert_bandwidth = 0.7451, expert_efficiency = 0.07882, expert_excess = 0.2035,
      expert_half = 16.54, expert_layer_s = 7.541e-05, expert_width = 120.1, factor = 0.9387,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7996,
      layer_4_s = 7.59e-06, layer_8_s = 1.229e-05, layer_s = 5.051e-05, link_efficiency = 0.5952,
      link_hop_s = 3.772e-07, link_latency_s = 1.624e-06, matrix_4 = 0.477, matrix_8 = 0.6927,
      matrix_efficiency = 0.676, matrix_half = 15.48, matrix_half_4 = 145.8,
      matrix_half_8 = 174.7, request_s = 0.008982, sequence_s = 1.532e-05, step_s = 0.0001,
      weight_bandwidth = 0.8149,
    },
    {
      attention_efficiency = 0.5358, expert_4 = 0.4538, expert_8 = 0.5723,
      expert_bandwidth = 0.7659, expert_efficiency = 0.3479, expert_excess = 0.1492,
      expert_half = 44.04, expert_layer_s = 5.607e-05, expert_width = 286.2, factor = 0.9387,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7018,
      layer_4_s = 2.702e-05, layer_8_s = 2.153e-05, layer_s = 4.049e-05,
      link_efficiency = 0.5456, link_hop_s = 2.231e-07, link_latency_s = 1.728e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6927, matrix_efficiency = 0.7035, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008982, sequence_s = 2.645e-05,
      step_s = 0.0001, weight_bandwidth = 0.8156,
    },
    {
      attention_efficiency = 0.4515, expert_4 = 0.8141, expert_8 = 0.4659,
      expert_bandwidth = 0.8507, expert_efficiency = 0.2432, expert_excess = 0.1442,
      expert_half = 29.11, expert_layer_s = 5.508e-05, expert_width = 80.14, factor = 0.9387,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.855,
      layer_4_s = 1.933e-05, layer_8_s = 1.826e-05, layer_s = 5.487e-05,
      link_efficiency = 0.6382, link_hop_s = 2.651e-07, link_latency_s = 3.053e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5557, matrix_efficiency = 0.823, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 146.5, request_s = 0.008982, sequence_s = 2.837e-05,
      step_s = 0.0001, weight_bandwidth = 0.8609,
    },
    {
      attention_efficiency = 0.3065, expert_4 = 2.515, expert_8 = 1.965,
      expert_bandwidth = 0.7797, expert_efficiency = 0.06097, expert_excess = 0.1697,
      expert_half = 15.6, expert_layer_s = 6.723e-05, expert_width = 155.2, factor = 0.9387,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7961,
      layer_4_s = 8.1e-06, layer_8_s = 9.952e-06, layer_s = 5.893e-05, link_efficiency = 0.6732,
      link_hop_s = 3.738e-07, link_latency_s = 1.682e-06, matrix_4 = 0.477, matrix_8 = 0.6628,
      matrix_efficiency = 0.6823, matrix_half = 10.73, matrix_half_4 = 145.8,
      matrix_half_8 = 169.7, request_s = 0.008982, sequence_s = 1.801e-05, step_s = 0.0001,
      weight_bandwidth = 0.8272,
    },
    {
      attention_efficiency = 0.5658, expert_4 = 0.4883, expert_8 = 0.5893,
      expert_bandwidth = 0.7859, expert_efficiency = 0.211, expert_excess = 0.1062,
      expert_half = 41.12, expert_layer_s = 4.363e-05, expert_width = 403.3, factor = 0.9387,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8295,
      layer_4_s = 2.833e-05, layer_8_s = 1.387e-05, layer_s = 5.812e-05,
      link_efficiency = 0.5591, link_hop_s = 2.201e-07, link_latency_s = 1.835e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6826, matrix_efficiency = 0.6448, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008982, sequence_s = 3.881e-05,
      step_s = 0.0001, weight_bandwidth = 0.8019,
    },
    {
      attention_efficiency = 0.3847, expert_4 = 0.8141, expert_8 = 0.4798,
      expert_bandwidth = 0.7118, expert_efficiency = 0.2979, expert_excess = 0.2158,
      expert_half = 8.869, expert_layer_s = 5.953e-05, expert_width = 67.69, factor = 0.9387,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7728,
      layer_4_s = 1.803e-05, layer_8_s = 2.632e-05, layer_s = 4.128e-05,
      link_efficiency = 0.5082, link_hop_s = 2.523e-07, link_latency_s = 2.822e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5893, matrix_efficiency = 0.8279, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 174.7, request_s = 0.008982, sequence_s = 3.303e-05,
      step_s = 0.0001, weight_bandwidth = 0.8161,
    },
    {
      attention_efficiency = 0.2271, expert_4 = 2.172, expert_8 = 1.908,
      expert_bandwidth = 0.7167, expert_efficiency = 0.08726, expert_excess = 0.2637,
      expert_half = 17.55, expert_layer_s = 8.234e-05, expert_width = 96.26, factor = 0.9387,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8181,
      layer_4_s = 7.065e-06, layer_8_s = 1.396e-05, layer_s = 4.502e-05,
      link_efficiency = 0.4755, link_hop_s = 3.726e-07, link_latency_s = 1.535e-06,
      matrix_4 = 0.477, matrix_8 = 0.7239, matrix_efficiency = 0.6259, matrix_half = 22.35,
      matrix_half_4 = 145.8, matrix_half_8 = 179.9, request_s = 0.008982, sequence_s = 1.487e-05,
      step_s = 0.0001, weight_bandwidth = 0.8132,
    },
    {
      attention_efficiency = 0.512, expert_4 = 0.4216, expert_8 = 0.5557,
      expert_bandwidth = 0.7295, expert_efficiency = 0.3948, expert_excess = 0.1595,
      expert_half = 47.16, expert_layer_s = 8.847e-05, expert_width = 252.4, factor = 0.9387,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.6426,
      layer_4_s = 2.56e-05, layer_8_s = 2.408e-05, layer_s = 3.394e-05, link_efficiency = 0.4777,
      link_hop_s = 2.215e-07, link_latency_s = 1.594e-06, matrix_4 = 0.4498, matrix_8 = 0.7029,
      matrix_efficiency = 0.7135, matrix_half = 1, matrix_half_4 = 13.46, matrix_half_8 = 1,
      request_s = 0.008982, sequence_s = 3.427e-05, step_s = 0.0001, weight_bandwidth = 0.8349,
    },
    {
      attention_efficiency = 0.4218, expert_4 = 1.05, expert_8 = 1.02, expert_bandwidth = 0.7899,
      expert_efficiency = 0.2591, expert_excess = 0.1897, expert_half = 32.16,
      expert_layer_s = 3.712e-05, expert_width = 36.97, factor = 0.982,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7635,
      layer_4_s = 2.964e-05, layer_8_s = 1.772e-05, layer_s = 2.541e-05,
      link_efficiency = 0.6252, link_hop_s = 5.172e-06, link_latency_s = 4.095e-07,
      matrix_4 = 0.6424, matrix_8 = 0.731, matrix_efficiency = 0.6511, matrix_half = 33.88,
      matrix_half_4 = 36.03, matrix_half_8 = 83.02, request_s = 0.008982, sequence_s = 2.301e-05,
      step_s = 0.0001, weight_bandwidth = 0.7195,
    },
    {
      attention_efficiency = 0.3019, expert_4 = 0.8909, expert_8 = 1.02,
      expert_bandwidth = 0.8006, expert_efficiency = 0.2512, expert_excess = 0.218,
      expert_half = 30.53, expert_layer_s = 4.696e-05, expert_width = 37.82, factor = 0.982,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7478,
      layer_4_s = 2.112e-05, layer_8_s = 1.093e-05, layer_s = 2.656e-05,
      link_efficiency = 0.6344, link_hop_s = 5.383e-06, link_latency_s = 4.262e-07,
      matrix_4 = 0.6093, matrix_8 = 0.731, matrix_efficiency = 0.5591, matrix_half = 33.88,
      matrix_half_4 = 145.8, matrix_half_8 = 83.02, request_s = 0.008982, sequence_s = 1.17e-05,
      step_s = 0.0001, weight_bandwidth = 0.7017,
    },
    {
      attention_efficiency = 0.6167, expert_4 = 0.8961, expert_8 = 1.02,
      expert_bandwidth = 0.7379, expert_efficiency = 0.214, expert_excess = 0.1599,
      expert_half = 47.24, expert_layer_s = 4.352e-05, expert_width = 41.18, factor = 0.982,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7382,
      layer_4_s = 3.846e-05, layer_8_s = 5.945e-06, layer_s = 2.158e-05,
      link_efficiency = 0.7039, link_hop_s = 4.804e-06, link_latency_s = 3.803e-07,
      matrix_4 = 0.5917, matrix_8 = 0.731, matrix_efficiency = 0.565, matrix_half = 33.88,
      matrix_half_4 = 13.46, matrix_half_8 = 83.02, request_s = 0.008982, sequence_s = 2.021e-05,
      step_s = 0.0001, weight_bandwidth = 0.7339,
    },
    {
      attention_efficiency = 0.4429, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.7848, expert_efficiency = 0.5042, expert_excess = 0.1897,
      expert_half = 76.74, expert_layer_s = 4.37e-05, expert_width = 32.06, factor = 0.982,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7635,
      layer_4_s = 2.964e-05, layer_8_s = 1.868e-05, layer_s = 2.825e-05,
      link_efficiency = 0.9751, link_hop_s = 5.121e-06, link_latency_s = 3.907e-07,
      matrix_4 = 0.6177, matrix_8 = 0.6628, matrix_efficiency = 0.6771, matrix_half = 76.77,
      matrix_half_4 = 36.03, matrix_half_8 = 94.29, request_s = 0.008982, sequence_s = 2.301e-05,
      step_s = 0.0001, weight_bandwidth = 0.7512,
    },
    {
      attention_efficiency = 0.3672, expert_4 = 1.717, expert_8 = 1.965, expert_bandwidth = 0.78,
      expert_efficiency = 0.1304, expert_excess = 0.218, expert_half = 45.67,
      expert_layer_s = 4.545e-05, expert_width = 12.52, factor = 0.982,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7701,
      layer_4_s = 2.112e-05, layer_8_s = 2.889e-07, layer_s = 2.411e-05,
      link_efficiency = 0.9894, link_hop_s = 5.821e-06, link_latency_s = 4.067e-07,
      matrix_4 = 0.6589, matrix_8 = 0.7455, matrix_efficiency = 0.517, matrix_half = 7.371,
      matrix_half_4 = 145.8, matrix_half_8 = 49.41, request_s = 0.008982, sequence_s = 1.17e-05,
      step_s = 0.0001, weight_bandwidth = 0.6514,
    },
    {
      attention_efficiency = 0.4828, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.7624, expert_efficiency = 0.2119, expert_excess = 0.1599,
      expert_half = 13.24, expert_layer_s = 3.819e-05, expert_width = 143.4, factor = 0.982,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7168,
      layer_4_s = 3.846e-05, layer_8_s = 2.293e-05, layer_s = 2.175e-05,
      link_efficiency = 0.2894, link_hop_s = 4.485e-06, link_latency_s = 4.177e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.5876, matrix_half = 68.72,
      matrix_half_4 = 13.46, matrix_half_8 = 122.8, request_s = 0.008982, sequence_s = 2.021e-05,
      step_s = 0.0001, weight_bandwidth = 0.7572,
    },
    {
      attention_efficiency = 0.4429, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.7848, expert_efficiency = 0.5042, expert_excess = 0.1897,
      expert_half = 76.74, expert_layer_s = 4.37e-05, expert_width = 32.06, factor = 0.982,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7606,
      layer_4_s = 2.964e-05, layer_8_s = 1.868e-05, layer_s = 2.821e-05,
      link_efficiency = 0.9751, link_hop_s = 5.121e-06, link_latency_s = 3.907e-07,
      matrix_4 = 0.6177, matrix_8 = 0.6628, matrix_efficiency = 0.6766, matrix_half = 76.77,
      matrix_half_4 = 36.03, matrix_half_8 = 94.29, request_s = 0.008982, sequence_s = 2.321e-05,
      step_s = 0.0001, weight_bandwidth = 0.7517,
    },
    {
      attention_efficiency = 0.3672, expert_4 = 1.717, expert_8 = 1.965, expert_bandwidth = 0.78,
      expert_efficiency = 0.1304, expert_excess = 0.218, expert_half = 45.67,
      expert_layer_s = 4.545e-05, expert_width = 12.52, factor = 0.982,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7686,
      layer_4_s = 2.112e-05, layer_8_s = 2.889e-07, layer_s = 2.409e-05,
      link_efficiency = 0.9894, link_hop_s = 5.821e-06, link_latency_s = 4.067e-07,
      matrix_4 = 0.6589, matrix_8 = 0.7455, matrix_efficiency = 0.5168, matrix_half = 7.371,
      matrix_half_4 = 145.8, matrix_half_8 = 49.41, request_s = 0.008982, sequence_s = 1.175e-05,
      step_s = 0.0001, weight_bandwidth = 0.6516,
    },
    {
      attention_efficiency = 0.4828, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.7624, expert_efficiency = 0.2119, expert_excess = 0.1599,
      expert_half = 13.24, expert_layer_s = 3.819e-05, expert_width = 143.4, factor = 0.982,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7154,
      layer_4_s = 3.846e-05, layer_8_s = 2.293e-05, layer_s = 2.174e-05,
      link_efficiency = 0.2894, link_hop_s = 4.485e-06, link_latency_s = 4.177e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.5874, matrix_half = 68.72,
      matrix_half_4 = 13.46, matrix_half_8 = 122.8, request_s = 0.008982, sequence_s = 2.029e-05,
      step_s = 0.0001, weight_bandwidth = 0.7575,
    },
    {
      attention_efficiency = 0.4591, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8672, expert_efficiency = 0.3136, expert_excess = 0.1897,
      expert_half = 21.45, expert_layer_s = 5.542e-05, expert_width = 53.57, factor = 1.273,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7933,
      layer_4_s = 2.132e-05, layer_8_s = 2.647e-05, layer_s = 4.336e-05,
      link_efficiency = 0.4731, link_hop_s = 6.947e-07, link_latency_s = 2.363e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.828, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.008982, sequence_s = 2.272e-05,
      step_s = 0.0001, weight_bandwidth = 0.7583,
    },
    {
      attention_efficiency = 0.3517, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.8154, expert_efficiency = 0.1639, expert_excess = 0.218,
      expert_half = 19.34, expert_layer_s = 7.751e-05, expert_width = 103.6, factor = 1.273,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7877,
      layer_4_s = 1.163e-05, layer_8_s = 3.257e-05, layer_s = 4.472e-05,
      link_efficiency = 0.5654, link_hop_s = 6.797e-07, link_latency_s = 1.73e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.6855, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.008982, sequence_s = 1.151e-05,
      step_s = 0.0001, weight_bandwidth = 0.7284,
    },
    {
      attention_efficiency = 0.5683, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8066, expert_efficiency = 0.3289, expert_excess = 0.1599,
      expert_half = 28.24, expert_layer_s = 5.756e-05, expert_width = 201.7, factor = 1.273,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7472,
      layer_4_s = 3.076e-05, layer_8_s = 3.09e-05, layer_s = 3.569e-05, link_efficiency = 0.4793,
      link_hop_s = 6.025e-07, link_latency_s = 1.657e-06, matrix_4 = 0.4786, matrix_8 = 0.7026,
      matrix_efficiency = 0.6977, matrix_half = 25.03, matrix_half_4 = 13.46,
      matrix_half_8 = 15.42, request_s = 0.008982, sequence_s = 1.994e-05, step_s = 0.0001,
      weight_bandwidth = 0.7332,
    },
    {
      attention_efficiency = 0.4623, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8567, expert_efficiency = 0.3207, expert_excess = 0.1897,
      expert_half = 21.45, expert_layer_s = 5.184e-05, expert_width = 52.03, factor = 1.273,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7967,
      layer_4_s = 2.132e-05, layer_8_s = 2.532e-05, layer_s = 4.228e-05, link_efficiency = 0.476,
      link_hop_s = 6.899e-07, link_latency_s = 2.347e-06, matrix_4 = 0.5045, matrix_8 = 0.5555,
      matrix_efficiency = 0.8286, matrix_half = 17.08, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.008982, sequence_s = 2.279e-05, step_s = 0.0001,
      weight_bandwidth = 0.7589,
    },
    {
      attention_efficiency = 0.3567, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.7958, expert_efficiency = 0.1713, expert_excess = 0.218,
      expert_half = 19.34, expert_layer_s = 6.78e-05, expert_width = 97.73, factor = 1.273,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7945,
      layer_4_s = 1.163e-05, layer_8_s = 2.981e-05, layer_s = 4.252e-05,
      link_efficiency = 0.5724, link_hop_s = 6.705e-07, link_latency_s = 1.706e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.6864, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.008982, sequence_s = 1.159e-05,
      step_s = 0.0001, weight_bandwidth = 0.7295,
    },
    {
      attention_efficiency = 0.5722, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.7968, expert_efficiency = 0.3363, expert_excess = 0.1599,
      expert_half = 28.24, expert_layer_s = 5.383e-05, expert_width = 195.9, factor = 1.273,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7504,
      layer_4_s = 3.076e-05, layer_8_s = 2.956e-05, layer_s = 3.479e-05,
      link_efficiency = 0.4822, link_hop_s = 5.984e-07, link_latency_s = 1.646e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.6982, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008982, sequence_s = 2.001e-05,
      step_s = 0.0001, weight_bandwidth = 0.7337,
    },
    {
      attention_efficiency = 0.5989, expert_4 = 1.6, expert_8 = 0.8384, expert_bandwidth = 0.822,
      expert_efficiency = 0.3073, expert_excess = 0.2009, expert_half = 1.006,
      expert_layer_s = 5.604e-05, expert_width = 69.8, factor = 0.9741,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7657,
      layer_4_s = 3.144e-05, layer_8_s = 2.856e-05, layer_s = 3.742e-05, link_efficiency = 0.779,
      link_hop_s = 4.877e-06, link_latency_s = 3.831e-07, matrix_4 = 0.7906, matrix_8 = 0.8634,
      matrix_efficiency = 0.9048, matrix_half = 81.41, matrix_half_4 = 18.87,
      matrix_half_8 = 134.1, request_s = 0.008982, sequence_s = 1.881e-05, step_s = 0.0001,
      weight_bandwidth = 0.7644,
    },
    {
      attention_efficiency = 0.5584, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.7961, expert_efficiency = 0.3998, expert_excess = 0.2309,
      expert_half = 11.45, expert_layer_s = 7.758e-05, expert_width = 86.67, factor = 0.9741,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7499,
      layer_4_s = 3.226e-05, layer_8_s = 6.333e-05, layer_s = 3.04e-05, link_efficiency = 0.7904,
      link_hop_s = 5.227e-06, link_latency_s = 3.988e-07, matrix_4 = 0.7906, matrix_8 = 0.8891,
      matrix_efficiency = 0.777, matrix_half = 100, matrix_half_4 = 68.72, matrix_half_8 = 17.16,
      request_s = 0.008982, sequence_s = 9.566e-06, step_s = 0.0001, weight_bandwidth = 0.7114,
    },
    {
      attention_efficiency = 0.6339, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.7833, expert_efficiency = 0.4308, expert_excess = 0.1694,
      expert_half = 3.685, expert_layer_s = 5.842e-05, expert_width = 133.7, factor = 0.9741,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7403,
      layer_4_s = 2.918e-05, layer_8_s = 3.047e-05, layer_s = 2.573e-05,
      link_efficiency = 0.7573, link_hop_s = 4.665e-06, link_latency_s = 3.559e-07,
      matrix_4 = 0.7906, matrix_8 = 0.7906, matrix_efficiency = 0.7852, matrix_half = 103,
      matrix_half_4 = 1, matrix_half_8 = 68.72, request_s = 0.008982, sequence_s = 1.652e-05,
      step_s = 0.0001, weight_bandwidth = 0.7572,
    },
    {
      attention_efficiency = 0.6113, expert_4 = 1.6, expert_8 = 0.8384, expert_bandwidth = 0.823,
      expert_efficiency = 0.3055, expert_excess = 0.2028, expert_half = 1.006,
      expert_layer_s = 5.605e-05, expert_width = 69.85, factor = 0.9741,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7682,
      layer_4_s = 3.146e-05, layer_8_s = 2.856e-05, layer_s = 3.742e-05, link_efficiency = 0.779,
      link_hop_s = 4.885e-06, link_latency_s = 3.838e-07, matrix_4 = 0.7906, matrix_8 = 0.8634,
      matrix_efficiency = 0.9039, matrix_half = 81.41, matrix_half_4 = 18.87,
      matrix_half_8 = 134.1, request_s = 0.008982, sequence_s = 1.872e-05, step_s = 0.0001,
      weight_bandwidth = 0.7643,
    },
    {
      attention_efficiency = 0.5699, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.797, expert_efficiency = 0.3974, expert_excess = 0.233,
      expert_half = 11.45, expert_layer_s = 7.759e-05, expert_width = 86.74, factor = 0.9741,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7524,
      layer_4_s = 3.228e-05, layer_8_s = 6.333e-05, layer_s = 3.041e-05,
      link_efficiency = 0.7904, link_hop_s = 5.236e-06, link_latency_s = 3.995e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8891, matrix_efficiency = 0.7762, matrix_half = 100,
      matrix_half_4 = 68.72, matrix_half_8 = 17.16, request_s = 0.008982, sequence_s = 9.521e-06,
      step_s = 0.0001, weight_bandwidth = 0.7113,
    },
    {
      attention_efficiency = 0.6603, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.7852, expert_efficiency = 0.4257, expert_excess = 0.1725,
      expert_half = 3.685, expert_layer_s = 5.843e-05, expert_width = 133.9, factor = 0.9741,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7451,
      layer_4_s = 2.921e-05, layer_8_s = 3.047e-05, layer_s = 2.574e-05,
      link_efficiency = 0.7573, link_hop_s = 4.681e-06, link_latency_s = 3.571e-07,
      matrix_4 = 0.7906, matrix_8 = 0.7906, matrix_efficiency = 0.7836, matrix_half = 103,
      matrix_half_4 = 1, matrix_half_8 = 68.72, request_s = 0.008982, sequence_s = 1.636e-05,
      step_s = 0.0001, weight_bandwidth = 0.7569,
    },
  },
  roots = {
    [[
      213 2 -5 -5 4 2 1 -2 -5 -3 0 2 1 -6 -2 0;517 12 -4 1 2 0 4 -1 -2 2 -6 0 1 -2 0;1143 0 0 -1
      -1 4 0 2 1 3 1 1 2 0;441 1 2 -1 -2 -3 0 -2 -3 -7 1 -3 0;109 5 5 -5 4 -6 -5 -8 -3 -22 4
      0;207 2 8 -4 -2 -2 -6 -1 -4 4 0;157 -4 -3 -6 -7 -4 0 -6 3 0;845 1 3 5 1 1 -2 -1 0;419 -8
      -13 -12 2 -26 -4 0;624 17 0 1 -6 -1 0;662 -2 0 -6 -2 0;516 4 -2 0 0;818 -1 0 0;574 -2 0;417
      0;170]],
    [[
      216 -2 -6 -1 4 2 4 -3 -8 -1 -2 0 -4 -4 -3 0;516 17 3 1 2 0 4 -1 -7 -1 -4 -1 -1 -5 0;1068 1
      0 -2 -2 8 2 2 1 4 -1 1 1 0;424 0 2 0 3 -4 -4 -2 -3 -8 0 -2 0;113 4 5 -2 6 -6 -2 -6 -8 -15 3
      0;208 2 7 -5 -4 -2 -8 2 -3 4 0;162 -7 -9 -5 -5 -3 6 -4 5 0;843 1 3 3 2 -1 -1 -1 0;429 -2 -8
      -27 2 -27 -4 0;623 11 -6 2 -1 0 0;688 -3 2 -4 -2 0;521 4 -7 -3 0;833 0 1 0;601 0 0;420
      0;170]],
    [[
      211 -1 -4 1 5 2 3 -7 -7 -4 -3 1 -3 -2 1 0;514 34 0 0 2 0 4 0 -1 0 -5 0 0 -3 0;1109 -1 0 0 0
      10 0 3 2 4 1 -1 1 0;420 1 3 0 -1 -2 -4 -5 -4 -5 1 0 0;109 4 7 -7 -1 -3 -2 -4 -7 -24 4 0;211
      1 13 -3 -3 -4 -5 -2 -4 4 0;160 -8 -7 -4 -3 -1 1 -3 5 0;842 1 5 4 4 1 -2 -2 0;423 -14 -12
      -11 4 -29 -4 0;626 16 -1 0 -8 -3 0;647 -1 1 -8 -3 0;515 3 -2 0 0;818 0 0 0;592 0 0;414
      0;170]],
    [[
      139 3 -7 -8 6 4 1 -3 -8 -5 0 4 4 -9 -4 6;326 19 -6 1 4 0 6 -2 -4 3 -9 -1 1 -4 0;814 0 0 -2
      -1 6 0 3 1 5 1 1 3 -1;303 1 3 -1 -3 -4 0 -3 -4 -10 1 -4 1;72 7 6 -7 9 -8 -7 -11 -2 -31 7
      30;131 4 13 -6 -2 -2 -9 -2 -6 6 1;101 -6 -4 -9 -11 -6 0 -7 4 5;550 1 4 8 2 2 -3 -2 -1;268
      -13 -20 -18 4 -41 -6 -9;397 26 -1 1 -10 -2 -1;453 -3 0 -10 -3 -1;324 6 -6 0 0;505 -1 1
      -5;408 -3 -2;265 1;85]],
    [[
      144 -2 -9 -1 6 3 6 -5 -12 -2 -3 0 -4 -7 -4 5;324 27 5 1 4 0 6 -2 -11 -1 -7 -1 -1 -8 1;706 1
      0 -3 -3 13 3 4 1 7 -1 1 1 -1;277 0 4 0 5 -6 -6 -3 -5 -13 0 -3 1;79 5 6 -2 11 -8 -3 -8 -9
      -20 4 23;133 3 11 -7 -7 -2 -13 3 -4 7 2;108 -10 -13 -6 -7 -4 10 -5 7 5;546 2 4 4 3 -1 -1 -1
      -1;285 -4 -12 -41 3 -41 -6 -9;396 17 -10 3 -2 0 -1;491 -4 3 -6 -3 -1;330 7 -14 -6 -1;530 0
      2 -4;446 -1 -2;270 2;87]],
    [[
      137 -1 -5 1 7 3 4 -10 -11 -7 -4 1 -2 -3 1 5;322 54 0 0 4 1 6 0 -2 1 -7 0 -1 -4 0;765 -2 0
      -1 0 14 -1 4 3 6 1 -2 1 -1;271 2 4 1 -1 -3 -6 -8 -6 -7 1 0 1;73 5 10 -10 1 -3 -2 -6 -9 -34
      5 24;136 2 20 -4 -4 -6 -8 -2 -5 6 1;105 -11 -11 -6 -4 -1 2 -2 7 4;545 1 8 6 7 1 -4 -3
      -1;275 -21 -19 -16 6 -45 -6 -8;400 25 -3 1 -15 -4 -1;432 -3 2 -12 -4 -1;322 5 -5 -1 -1;505
      0 0 -4;434 0 -2;261 1;87]],
    [[
      138 3 -7 -8 6 4 1 -3 -8 -5 1 4 13 -9 -5 8;326 19 -6 1 4 0 6 -2 -4 3 -9 -1 1 -4 0;814 0 0 -2
      -1 6 0 3 1 5 1 1 3 -1;303 1 3 -1 -3 -4 0 -3 -4 -10 1 -4 1;70 7 5 -6 15 -8 -6 -11 3 -31 6
      47;131 4 13 -6 -2 -2 -9 -2 -6 6 0;101 -6 -3 -9 -11 -6 2 -8 4 7;550 1 4 8 2 2 -3 -2 -1;267
      -13 -20 -18 4 -41 -6 -18;397 26 -1 1 -10 -2 -1;453 -3 0 -10 -3 -1;324 6 -6 0 0;500 -1 2
      -9;408 -3 -2;265 1;74]],
    [[
      143 -2 -9 -1 6 3 6 -5 -12 -2 -3 0 -1 -6 -5 6;324 27 5 1 4 0 6 -2 -11 -1 -7 -1 -1 -8 1;706 1
      0 -3 -3 13 3 4 1 7 -1 1 1 -1;277 0 4 0 5 -6 -6 -3 -5 -13 0 -3 1;78 5 6 -2 13 -8 -3 -8 -8
      -20 4 31;133 3 11 -7 -7 -2 -13 3 -4 7 2;107 -10 -13 -6 -7 -4 11 -5 7 6;546 2 4 4 3 -1 -1 -1
      -1;284 -4 -12 -41 3 -41 -6 -12;396 17 -10 3 -2 0 -1;491 -4 3 -6 -3 -1;330 7 -15 -6 -2;529 0
      2 -6;446 -1 -3;270 2;84]],
    [[
      136 -1 -5 1 7 3 4 -10 -11 -7 -4 1 1 -3 0 6;322 54 0 0 4 1 6 0 -2 1 -7 0 -1 -4 1;765 -2 0 -1
      0 14 -1 4 3 6 1 -2 1 -1;271 2 4 1 -1 -3 -6 -8 -6 -7 1 0 1;73 5 10 -10 3 -3 -2 -6 -7 -34 5
      33;136 2 20 -4 -4 -6 -8 -2 -5 6 1;105 -11 -10 -6 -4 -1 3 -2 7 5;545 1 8 6 7 1 -4 -3 -1;274
      -21 -19 -16 6 -45 -6 -12;400 25 -3 1 -15 -4 -1;432 -3 2 -12 -4 -1;322 5 -5 -1 -1;503 0 1
      -6;433 0 -2;261 1;83]],
    [[
      95 13 -20 -15 18 10 3 1 -30 -15 3 20 -1 -16 -5 11;155 50 -10 2 17 3 43 -2 -36 13 -47 4 5
      -11 8;711 0 -1 -4 -3 7 2 7 2 9 3 0 2 -3;225 3 9 -4 -2 -17 -1 -7 -13 -28 8 -11 8;54 17 20 -8
      29 -16 -26 -41 -19 -89 24 16;53 22 76 -38 -7 -10 -25 -20 0 32 16;57 -38 -38 -28 -44 -1 -5
      25 1 12;276 6 7 24 11 10 -15 -11 -5;137 -49 -100 -60 23 -142 -27 -7;145 90 -17 3 -94 -21
      -3;203 -7 -2 -75 -20 -2;98 39 -129 -8 -5;82 70 19 -5;191 -44 -6;98 3;27]],
    [[
      115 -11 -27 12 12 7 9 -2 -27 -2 -9 4 -19 -9 -15 8;126 139 52 6 24 12 31 -15 -46 -4 -28 -34
      -4 -51 13;507 -9 -2 -12 -10 33 11 21 2 18 5 1 16 -8;128 -4 7 -8 -17 -12 -10 -11 -11 5 4 14
      5;68 10 13 -5 17 -13 -5 -17 -18 -45 14 12;60 10 63 -29 -13 -10 -35 48 -6 43 17;76 -24 -29
      -4 -30 -12 33 3 21 11;281 8 20 15 13 -1 -4 -7 -5;213 -16 -56 -129 25 -94 -16 -4;151 104 -41
      7 -27 -10 -3;340 -27 13 -25 -9 -1;104 98 -200 -51 -9;325 66 7 -4;318 -38 -6;150 3;28]],
    [[
      87 -10 -20 8 20 10 9 -12 -42 -20 -20 7 -18 -8 -7 12;140 133 15 4 28 9 33 -4 -13 -2 -53 -21
      -4 -23 11;635 -7 0 -10 -4 20 0 15 7 19 11 -3 9 -5;147 2 12 2 26 -8 -15 -22 -21 -22 10 5
      9;54 11 25 2 15 5 2 -22 -22 -90 22 15;56 7 48 -19 -12 -14 -30 -1 -13 41 13;61 -33 -42 -32
      -30 10 22 29 21 12;265 -6 25 20 21 12 -15 -9 -5;183 -82 -85 -53 29 -125 -12 -5;165 44 1 5
      -125 -29 -5;126 9 9 -107 -25 -5;85 38 -119 -7 -5;105 70 13 -5;256 -29 -5;92 3;28]],
    [[
      124 -3 -11 -8 9 7 3 -1 -14 -8 0 5 -3 -10 -5 7;225 17 -16 0 12 -13 28 -10 -37 18 -22 1 2 -22
      5;672 1 -1 -6 -4 6 3 6 1 7 3 1 5 -4;259 1 9 -7 -17 -12 -3 -8 -12 -37 4 -15 6;67 14 8 -13 10
      -10 -10 -16 -8 -45 6 12;100 14 32 -16 -6 -8 -18 -10 -10 24 13;69 -25 -29 -20 -36 -35 -12 0
      -11 13;356 8 7 16 8 4 -10 -11 -3;203 -47 -89 -135 18 -92 -18 -4;227 137 -62 19 -47 -12
      -3;294 -57 3 -37 -10 -1;142 61 -181 -45 -8;155 84 38 -3;266 -53 -6;175 4;33]],
    [[
      131 -8 -14 2 8 6 6 -2 -19 -4 -6 0 -8 -8 -8 7;171 -32 4 0 3 -12 -3 -9 -47 1 -17 -1 -1 -46
      7;301 -1 -4 -19 -34 6 19 3 5 22 -15 5 -1 -11;227 0 8 -2 1 -9 -7 -8 -8 -24 1 -6 6;74 9 6 -5
      11 -12 -6 -14 -17 -30 2 10;74 1 66 -28 -17 2 -40 42 -9 22 17;82 -22 -21 -23 -19 -12 14 0 -5
      10;334 10 5 15 13 -18 -1 -2 -5;228 -13 -38 -161 25 -84 -16 -4;155 81 -39 27 -20 -11 -5;400
      -19 8 -16 -8 -1;134 103 -190 -52 -10;353 63 23 -4;348 -36 -6;193 4;31]],
    [[
      121 -5 -11 4 10 7 6 -9 -18 -8 -8 1 -8 -5 -1 7;236 42 1 1 8 -2 12 -4 -15 3 -14 0 0 -13 4;626
      -3 -1 -4 -5 13 3 7 4 9 2 -1 2 -4;219 2 9 0 -4 -7 -9 -14 -12 -18 3 -2 6;68 10 13 -11 1 -6 -4
      -11 -16 -48 7 12;105 6 45 -12 -8 -10 -17 -3 -7 16 11;86 -19 -20 -12 -12 -9 1 4 7 11;414 3
      11 12 10 2 -7 -5 -3;234 -35 -43 -65 13 -75 -11 -5;290 58 -13 6 -32 -8 -3;325 -17 6 -25 -9
      -3;233 18 -41 -10 -5;348 4 3 -3;385 -2 -2;205 4;35]],
    [[
      123 -3 -14 -6 9 7 3 -3 -15 -8 -2 2 -5 -12 -6 7;232 12 -1 2 14 3 17 -8 -21 1 -21 -2 0 -20
      9;712 1 0 -2 -2 8 2 4 2 6 2 0 0 -3;250 2 10 -2 -9 -12 -4 -10 -13 -13 2 -12 9;66 11 10 -10
      11 -11 -10 -15 -11 -45 10 12;91 6 99 -25 -4 -22 -30 6 -9 43 15;85 -12 -10 -12 -15 -13 1 -1
      15 10;417 15 9 26 19 -5 -4 -17 -9;218 -23 -77 -85 14 -73 -11 -9;298 62 -15 6 -21 -5 -5;338
      -53 9 -35 -8 -6;209 31 -56 -14 -14;356 7 -5 -5;357 -6 -5;178 5;45]],
    [[
      129 -16 -23 6 9 6 8 -4 -19 -7 -6 -2 -13 -9 -5 7;149 31 49 8 18 12 83 -22 -91 -10 -35 -6 -8
      -28 15;497 4 2 -9 -7 27 9 13 4 12 -2 0 2 -5;195 -3 9 -6 -10 -12 7 -11 -12 2 1 -9 9;72 8 8
      -14 13 -5 -5 -8 -18 -29 7 11;91 6 18 -17 15 -15 -20 -2 -4 45 15;92 -23 -14 3 -10 -8 19 0 12
      9;410 11 32 14 17 -6 -2 9 -7;242 -22 -45 -114 11 -68 -18 -8;206 73 -58 15 -18 -27 -6;400
      -25 7 -17 -5 -4;197 39 -78 -48 -18;393 11 13 -5;404 -14 -5;155 7;42]],
    [[
      116 -14 -13 7 11 10 6 -7 -20 -11 -9 -5 -16 -7 -1 10;159 54 19 4 27 9 43 -17 -38 -8 -31 8 -6
      -31 17;664 -3 0 -3 -2 13 2 7 5 7 1 -2 0 -4;169 3 16 0 -18 -19 -19 -31 -29 6 -2 -9 15;66 8
      14 -15 2 -5 -1 -8 -19 -47 9 12;80 3 167 -16 6 -31 -21 1 -8 55 13;85 -24 -9 -9 4 -19 13 4 15
      13;368 18 16 41 34 4 -4 -22 -15;230 -52 -80 -85 15 -77 -15 -8;263 96 -57 15 -44 -20 -5;251
      -77 17 -42 -10 -7;146 74 -113 -52 -17;207 56 3 -10;369 -22 -7;144 5;35]],
    [[
      124 1 -12 -8 9 6 3 -2 -14 -7 -2 4 5 -11 -3 6;244 14 -9 2 11 1 27 -6 -22 5 -20 14 0 -11
      8;731 0 -1 -3 -2 6 2 4 2 5 2 1 1 -3;258 2 7 -2 -4 -11 -4 -10 -13 -12 3 -8 8;67 11 10 -8 10
      -11 -10 -15 -12 -45 10 11;103 7 36 -15 -4 -9 -18 -8 -6 20 13;87 -10 -13 -12 -20 -11 -4 -2 8
      9;442 5 9 14 7 -1 -6 -6 -5;229 -24 -45 -55 12 -65 -11 -7;298 59 -16 6 -21 -7 -5;355 -18 8
      -23 -9 -4;245 21 -27 -10 -10;387 2 6 -4;363 -5 -3;204 7;49]],
    [[
      130 -8 -16 2 9 6 7 -2 -18 -5 -7 1 -3 -8 -3 6;174 28 -6 6 21 3 93 -17 -73 -4 -31 45 -9 -39
      13;574 2 -1 -6 -7 10 7 9 2 10 -4 1 0 -4;219 1 10 -1 17 -15 -20 -13 -19 -6 0 -4 10;73 8 9 -7
      15 -6 -4 -6 -23 -29 9 10;92 5 -2 -19 14 -11 -26 -12 -3 39 14;95 -14 -19 -9 -15 -9 10 -1 10
      8;418 10 31 11 16 -20 -2 8 -7;242 -22 -37 -117 16 -68 -14 -7;213 63 -56 40 -18 -33 -7;406
      -21 8 -15 -4 -3;200 56 -77 -39 -17;419 15 21 -4;404 -12 -5;180 6;44]],
    [[
      120 -9 -12 2 10 8 6 -10 -19 -7 -14 -3 14 -6 -1 8;204 55 -6 3 20 4 44 -11 -42 8 -31 61 -7
      -20 11;683 -3 0 -3 -2 11 1 8 3 7 -1 -2 0 -3;199 2 12 -1 0 -16 -15 -33 -32 11 0 -14 13;67 9
      14 -11 2 -6 1 -7 -25 -48 7 12;93 4 111 -14 -4 -19 -20 -24 -6 39 14;90 -16 -18 -10 -13 -8 1
      3 10 10;406 10 26 16 24 -12 -5 -18 -11;234 -53 -62 -81 26 -74 -14 -7;265 86 -64 23 -45 -15
      -6;278 -54 32 -32 -19 -5;177 94 -85 -43 -16;337 38 39 -5;380 -19 -6;156 7;42]],
    [[
      116 6 -10 -14 10 6 3 -9 -11 -9 1 3 -2 -15 -6 0;263 52 -9 1 5 1 6 -2 0 4 -11 -1 2 -5 0;772 0
      0 -2 0 12 -1 4 1 7 2 1 5 0;274 2 4 -1 -1 -5 -2 -3 -4 -14 0 -4 0;64 9 11 -14 6 -12 -7 -17 -8
      -40 11 0;108 4 16 -7 0 -1 -10 -2 -8 6 0;85 -10 -4 -15 -9 -6 1 -15 6 0;481 1 9 8 5 3 -4 -3
      0;219 -21 -14 -18 4 -56 -8 0;336 22 2 2 -17 -2 0;454 -2 0 -9 -2 0;263 8 -10 2 0;403 -1 1
      0;395 -5 0;219 0;170]],
    [[
      121 0 -10 -6 10 5 9 -12 -17 -4 -3 -1 -11 -11 -5 0;273 65 3 1 5 0 5 -2 -11 -1 -7 -1 -2 -9
      0;667 0 0 -4 -2 20 2 5 1 8 -1 1 3 0;246 1 4 1 9 -9 -8 -3 -4 -23 -2 -3 0;72 7 10 -6 10 -11
      -3 -12 -16 -26 8 0;113 4 19 -8 -5 -1 -13 2 -5 7 0;92 -16 -18 -9 -6 -3 11 -10 12 0;475 3 8 4
      7 0 -1 -3 0;238 -11 -7 -41 4 -56 -9 0;347 12 -12 2 -6 -1 0;491 -3 2 -5 -2 0;274 7 -19 -5
      0;427 0 1 0;436 -2 0;225 0;170]],
    [[
      113 0 -7 -1 12 4 7 -20 -15 -12 -4 2 -9 -6 2 0;262 112 -4 0 4 1 5 0 1 2 -9 0 0 -5 0;701 -3 0
      -1 0 22 -2 5 3 9 1 -2 3 0;239 3 4 1 0 -4 -9 -7 -4 -13 0 0 0;65 6 15 -19 -2 -6 -2 -9 -16 -45
      9 0;118 2 17 -4 -2 -5 -7 -3 -7 5 0;89 -17 -14 -8 -3 1 2 -5 11 0;469 2 14 6 13 2 -5 -5 0;225
      -30 -16 -15 8 -62 -10 0;338 22 -1 0 -22 -6 0;432 -2 1 -12 -3 0;261 5 -7 2 0;402 1 0 0;422
      -1 0;213 0;170]],
    [[
      116 6 -10 -14 10 6 3 -9 -11 -9 1 3 -2 -15 -6 7;263 52 -9 1 5 1 6 -2 0 4 -11 -1 2 -5 3;772 0
      0 -2 0 12 -1 4 1 7 2 1 5 -2;274 2 4 -1 -1 -5 -2 -3 -4 -14 0 -4 3;64 9 11 -14 6 -12 -7 -17
      -8 -40 11 11;108 4 16 -7 0 -1 -10 -2 -8 6 6;85 -10 -4 -15 -9 -6 1 -15 6 6;481 1 9 8 5 3 -4
      -3 -3;219 -21 -14 -18 4 -56 -8 -3;336 22 2 2 -17 -2 -2;454 -2 0 -9 -2 0;263 8 -10 2 -3;403
      -1 1 -2;395 -5 -1;219 3;33]],
    [[
      121 0 -10 -6 10 5 9 -12 -17 -4 -3 -1 -11 -11 -5 7;273 65 3 1 5 0 5 -2 -11 -1 -7 -1 -2 -9
      2;667 0 0 -4 -2 20 2 5 1 8 -1 1 3 -2;246 1 4 1 9 -9 -8 -3 -4 -23 -2 -3 4;72 7 10 -6 10 -11
      -3 -12 -16 -26 8 10;113 4 19 -8 -5 -1 -13 2 -5 7 6;92 -16 -18 -9 -6 -3 11 -10 12 7;475 3 8
      4 7 0 -1 -3 -3;238 -11 -7 -41 4 -56 -9 -3;347 12 -12 2 -6 -1 -2;491 -3 2 -5 -2 0;274 7 -19
      -5 -3;427 0 1 -2;436 -2 -1;225 3;33]],
    [[
      113 0 -7 -1 12 4 7 -20 -15 -12 -4 2 -9 -6 2 7;262 112 -4 0 4 1 5 0 1 2 -9 0 0 -5 2;701 -3 0
      -1 0 22 -2 5 3 9 1 -2 3 -1;239 3 4 1 0 -4 -9 -7 -4 -13 0 0 3;65 6 15 -19 -2 -6 -2 -9 -16
      -45 9 11;118 2 17 -4 -2 -5 -7 -3 -7 5 5;89 -17 -14 -8 -3 1 2 -5 11 6;469 2 14 6 13 2 -5 -5
      -4;225 -30 -16 -15 8 -62 -10 -3;338 22 -1 0 -22 -6 -2;432 -2 1 -12 -3 -1;261 5 -7 2 -2;402
      1 0 -2;422 -1 -1;213 2;33]],
    [[
      70 19 -16 -49 22 12 4 -22 -22 -8 3 4 2 -35 -36 13;131 141 -5 2 8 1 31 -6 3 4 -45 23 13 -1
      5;742 0 -1 -2 -1 4 0 3 0 15 -2 -2 2 -2;253 6 6 -1 -5 -11 -2 -2 -2 -18 -10 -12 6;45 13 20
      -26 26 -25 -9 -41 -6 -40 35 15;53 3 88 -15 9 3 -5 -8 -7 20 8;50 -14 4 -36 -8 -8 18 -56 -2
      5;407 5 22 9 13 5 -8 -7 -6;81 -36 -5 -39 6 -166 -56 -8;260 22 -17 1 -51 -6 -2;454 0 -1 -6 0
      0;123 23 -92 8 -5;97 43 11 -4;327 -43 -5;111 2;26]],
    [[
      86 4 -13 -26 23 8 11 -22 -56 -6 -1 5 -19 -19 -24 12;232 115 5 1 6 0 13 0 -14 -2 -13 -2 0 -8
      3;645 -1 0 -3 -2 16 1 6 1 12 0 0 2 -2;232 5 5 0 4 -22 -8 -2 -2 -46 -5 -8 5;59 7 14 -12 45
      -16 -4 -24 -25 -28 24 10;101 4 27 -7 -4 0 -14 3 -4 11 7;78 -20 -32 -8 -4 1 39 -17 15 7;450
      3 13 4 14 1 -2 -5 -4;121 -5 0 -27 19 -139 -69 -5;315 11 -19 2 -6 -1 -2;491 -2 1 -4 -1 0;239
      6 -27 -4 -4;275 11 14 -2;411 -27 -3;158 4;31]],
    [[
      61 1 -10 -22 36 8 18 -66 -50 -39 -3 12 -40 -3 18 15;135 540 -4 -1 5 0 48 2 -4 3 -35 6 2 -6
      2;375 -3 2 -5 0 -45 -2 17 1 86 -6 -8 12 -3;221 8 5 0 -15 -15 -16 -7 0 -26 1 3 6;41 5 17 -5
      31 6 -1 -35 -9 -87 -3 8;106 2 18 -2 2 -5 0 -2 -6 4 5;67 -26 -25 11 -1 10 9 0 22 6;402 3 21
      6 58 0 -5 -6 -6;75 -88 -8 -13 26 -169 -60 -3;237 23 -37 4 -76 -31 -2;432 0 0 -9 0 0;133 15
      -48 -7 -2;78 66 7 -2;363 -38 -3;74 2;31]],
    [[
      94 5 -19 -19 18 8 2 -13 -29 -29 0 16 -2 -23 -15 9;138 151 -50 1 20 5 5 -12 19 6 -41 -27 2
      -37 7;723 9 0 -8 0 22 -1 3 0 19 8 1 21 -3;237 4 13 -2 6 -12 -6 -2 -13 -26 -2 -17 6;55 9 19
      -14 19 -8 -8 -27 -19 -53 27 12;61 6 17 -17 11 0 -22 31 -24 28 10;66 -14 -25 -40 -10 -1 5
      -11 7 7;398 0 7 9 4 6 -4 -5 -4;161 -105 -14 -77 18 -114 -23 -3;193 19 -4 26 -110 -21 -4;454
      0 -1 -6 -1 0;100 77 -130 -16 -5;149 87 17 -3;317 -27 -3;138 3;29]],
    [[
      96 -2 -12 -12 13 7 23 -24 -15 -7 -4 -10 -26 -17 -4 11;201 170 -2 1 13 -2 -19 -8 -12 -1 -15
      1 -4 -24 5;607 0 0 -9 0 46 4 9 1 13 -1 2 15 -3;188 2 3 7 34 -14 -15 -3 -12 -64 -4 -4 6;68 8
      11 6 13 -8 -3 -13 -15 -31 12 10;72 5 93 -18 -9 -1 -26 3 -9 14 11;67 -35 -36 -22 -6 2 20 -10
      39 8;325 6 13 3 23 5 1 -13 -6;210 -53 -6 -93 -3 -76 6 -3;299 11 -44 -1 -26 3 -2;491 0 1 -5
      -1 0;105 16 -116 -21 -8;150 3 -27 -3;412 -1 -3;141 3;28]],
    [[
      89 -2 -14 -2 20 6 11 -33 -31 -32 -5 9 -4 -13 -14 10;133 257 -39 -1 6 1 -12 1 21 6 -30 -1 1
      -43 4;578 11 2 -3 1 64 -7 0 1 27 -4 -3 33 -3;174 4 6 2 2 -5 -20 -7 -14 -36 1 -13 7;55 8 23
      -16 12 15 -1 -16 -32 -58 23 12;103 2 10 -6 -1 -5 -2 -7 -8 7 6;70 -26 -34 -31 -4 7 21 3 20
      8;324 -6 34 8 20 0 -7 -15 -6;176 -130 -19 -46 30 -98 -16 -4;202 20 -2 19 -104 -32 -5;432 0
      -1 -10 -1 0;69 60 -90 -16 -7;133 67 26 -3;378 -19 -3;118 3;29]],
    [[
      140 3 -7 -8 6 4 1 -3 -8 -5 0 4 2 -9 -4 4;326 19 -6 1 4 0 6 -2 -4 3 -9 0 1 -4 0;814 0 0 -2
      -1 6 0 3 1 5 1 1 3 -1;303 1 3 -1 -3 -5 0 -3 -4 -11 1 -4 1;72 7 5 -7 7 -8 -6 -11 -1 -31 7
      29;131 3 13 -6 -2 -2 -9 -2 -6 6 1;100 -6 -5 -9 -11 -6 4 -7 4 8;550 1 4 8 2 2 -3 -2 -1;269
      -13 -20 -19 4 -41 -6 -2;397 26 -1 1 -10 -2 -1;453 -3 0 -10 -3 -1;324 6 -6 0 -1;506 -1 0
      -4;408 -3 -1;265 0;101]],
    [[
      144 -2 -9 -1 6 3 5 -5 -12 -2 -3 0 -6 -7 -4 3;324 27 5 1 4 0 6 -2 -11 -1 -7 -1 -1 -8 1;706 1
      0 -3 -3 13 3 4 1 7 -1 1 1 -1;277 0 4 0 5 -6 -6 -3 -5 -13 0 -3 1;79 5 6 -2 9 -8 -3 -8 -9 -20
      4 22;133 3 11 -8 -7 -2 -13 3 -4 7 2;107 -10 -13 -6 -7 -4 13 -4 7 7;546 2 4 4 3 -1 -1 -1
      -1;285 -4 -12 -41 3 -41 -6 -3;396 17 -10 3 -2 0 -1;491 -4 3 -6 -3 -1;330 7 -14 -6 -1;531 0
      1 -3;446 -1 -2;271 1;103]],
    [[
      137 -1 -5 1 7 3 4 -10 -11 -7 -4 1 -4 -3 1 3;322 54 0 0 4 1 6 0 -2 1 -7 0 -1 -4 0;765 -2 0
      -1 0 14 -1 4 3 6 1 -2 1 -1;271 2 4 0 -1 -3 -6 -8 -6 -7 1 0 1;73 5 9 -10 0 -3 -2 -6 -8 -34 5
      23;136 2 20 -4 -4 -6 -8 -2 -5 6 1;104 -11 -11 -6 -4 -1 5 -2 7 6;545 1 8 6 7 1 -4 -3 -1;275
      -21 -19 -16 6 -45 -6 -2;400 25 -3 1 -15 -4 -1;432 -3 2 -12 -4 -1;322 5 -5 -1 -1;506 0 0
      -3;434 0 -1;261 0;103]],
    [[
      140 3 -7 -8 6 4 0 -3 -8 -5 1 4 4 -9 -4 4;326 19 -6 1 4 0 6 -2 -4 3 -9 0 1 -4 0;814 0 0 -2
      -1 6 0 3 1 5 1 1 3 -1;303 1 3 -1 -3 -4 0 -3 -4 -11 1 -4 1;70 7 3 -6 9 -7 -6 -11 7 -31 7
      46;131 3 13 -6 -2 -2 -9 -2 -6 6 0;98 -5 -5 -9 -10 -6 16 -7 4 13;550 1 4 8 2 2 -3 -2 -1;269
      -13 -20 -18 4 -41 -6 -5;397 26 -1 2 -10 -2 -1;453 -3 1 -10 -3 -1;324 6 -6 0 0;503 -1 0
      -8;408 -3 0;265 0;93]],
    [[
      144 -2 -9 -1 6 3 5 -5 -12 -2 -3 0 -5 -7 -4 3;324 27 5 1 4 0 6 -2 -11 -1 -7 -1 -1 -8 1;706 1
      0 -3 -3 13 3 4 1 7 -1 1 1 -1;277 0 4 0 5 -6 -6 -3 -5 -13 0 -3 1;78 5 5 -2 10 -8 -3 -8 -6
      -20 4 30;133 3 11 -8 -7 -2 -13 3 -4 7 2;106 -10 -13 -6 -7 -4 17 -4 7 8;546 2 4 4 3 -1 -1 -1
      -1;285 -4 -12 -41 3 -41 -6 -4;396 17 -10 3 -2 0 -1;491 -4 3 -6 -3 -1;330 7 -14 -6 -1;530 0
      1 -5;446 -1 -2;271 1;101]],
    [[
      137 -1 -5 1 7 3 4 -10 -11 -7 -4 1 -3 -3 1 4;322 54 0 0 4 1 6 0 -2 1 -7 0 -1 -4 0;765 -2 0
      -1 0 14 -1 4 3 6 1 -2 1 -1;271 2 4 0 -1 -3 -6 -8 -6 -7 1 0 1;73 5 8 -10 0 -3 -2 -6 -5 -34 5
      31;136 2 20 -4 -4 -6 -8 -2 -5 6 1;103 -11 -11 -6 -4 -1 9 -2 7 8;545 1 8 6 7 1 -4 -3 -1;275
      -21 -19 -16 6 -45 -6 -3;400 25 -3 1 -15 -4 -1;432 -3 2 -12 -4 -1;322 5 -5 -1 -1;505 0 0
      -5;434 0 -1;261 0;100]],
    [[
      140 2 -5 -9 6 3 1 -3 -8 -5 0 3 1 -9 -4 3;314 51 -10 1 4 -2 7 -7 -14 4 -25 0 0 -11 13;805 3
      0 -2 0 6 3 9 1 14 1 2 7 -8;302 1 4 -2 -3 -5 -2 -3 -7 -11 1 -6 4;73 7 7 -7 7 -6 -7 -9 -4 -31
      7 5;125 3 14 -10 -11 -2 -23 7 -8 6 24;101 -6 -7 -13 -11 -12 1 -8 2 7;550 1 4 8 2 2 -3 -2
      -1;264 -31 -20 -46 6 -44 -8 -8;385 25 -38 5 -16 -5 -10;453 -2 0 -10 -3 0;287 15 -21 -8
      -20;505 0 1 -3;407 -4 -4;264 5;98]],
    [[
      144 -6 -5 -2 6 3 5 -5 -13 -3 -3 -1 -6 -7 -5 3;300 96 -5 1 4 -4 5 -13 -33 0 -40 -1 -5 -22
      20;681 8 0 -4 0 13 12 21 0 31 -2 3 12 -15;276 0 5 -1 5 -8 -10 -3 -11 -14 -1 -6 5;79 5 7 -2
      10 -5 -3 -5 -11 -20 4 5;118 3 8 -18 -27 -2 -43 22 -7 6 35;107 -11 -18 -15 -7 -17 11 -6 3
      9;546 1 3 4 1 -1 -1 -1 0;276 -39 -11 -95 9 -47 -12 -7;369 18 -96 12 -15 -9 -11;491 -1 3 -6
      -3 0;224 38 -59 -34 -33;528 6 4 -3;441 -7 -7;265 5;88]],
    [[
      137 -3 -3 1 7 3 4 -10 -11 -7 -4 1 -4 -3 0 3;311 86 -4 0 4 -1 6 -6 -13 1 -23 1 -2 -11 13;755
      1 0 -1 1 13 3 11 2 16 0 -1 6 -9;270 2 5 0 -1 -4 -8 -8 -8 -7 1 -2 4;74 5 10 -10 0 -2 -2 -3
      -10 -34 5 5;130 2 20 -8 -12 -6 -21 6 -7 5 23;104 -11 -13 -10 -4 -7 3 -3 5 7;545 1 8 6 6 1
      -4 -3 -2;271 -39 -20 -43 9 -48 -9 -8;387 24 -40 5 -21 -8 -10;432 -2 2 -12 -4 0;285 14 -21
      -9 -20;505 2 1 -3;432 -2 -4;259 5;97]],
    [[
      140 3 -6 -8 6 3 1 -3 -8 -5 0 3 1 -9 -4 3;321 33 -8 1 4 -1 6 -4 -8 3 -16 0 1 -7 9;810 2 0 -2
      0 6 2 6 1 8 1 1 4 -6;302 1 4 -2 -3 -5 -1 -3 -5 -11 1 -5 3;73 7 7 -7 7 -7 -7 -10 -4 -31 7
      5;128 3 13 -8 -6 -2 -15 2 -7 6 17;101 -6 -5 -11 -11 -8 0 -7 3 5;550 1 4 8 2 2 -3 -2 -1;267
      -20 -20 -30 5 -42 -7 -6;392 26 -16 3 -13 -3 -7;453 -3 1 -10 -3 0;310 9 -12 -3 -13;506 -1 1
      -2;408 -3 -2;265 4;101]],
    [[
      144 -3 -8 -1 6 3 6 -5 -12 -2 -3 0 -7 -7 -4 3;318 45 2 1 4 -1 6 -4 -16 -1 -15 -1 -2 -11
      11;699 3 0 -3 -2 13 5 8 1 12 -1 1 4 -8;277 0 4 0 5 -6 -7 -3 -6 -13 -1 -3 3;79 5 7 -2 9 -7
      -3 -7 -11 -20 4 4;129 3 10 -10 -12 -2 -20 8 -4 7 20;107 -10 -14 -8 -7 -7 10 -5 6 6;546 1 3
      4 2 -1 -1 -1 0;283 -12 -11 -53 4 -42 -7 -5;389 17 -29 5 -5 -2 -7;491 -3 3 -6 -3 0;311 11
      -21 -9 -16;531 1 1 -2;446 -1 -2;270 5;100]],
    [[
      137 -2 -4 1 7 3 4 -10 -11 -7 -4 1 -5 -3 1 3;317 68 -2 0 4 0 6 -2 -7 1 -14 1 -1 -7 9;761 -1
      0 -1 0 13 1 7 3 10 1 -1 3 -6;271 2 4 0 -1 -4 -7 -8 -7 -7 1 -1 3;74 5 10 -10 -1 -3 -2 -5 -10
      -35 5 5;133 2 20 -6 -7 -6 -13 1 -6 5 16;105 -11 -11 -8 -4 -4 2 -2 6 6;545 1 8 6 7 1 -4 -3
      -1;273 -29 -19 -27 7 -46 -7 -6;394 24 -18 2 -17 -6 -7;432 -3 2 -12 -4 -1;307 8 -11 -4
      -14;506 1 0 -3;433 -1 -2;261 4;101]],
    [[
      125 3 -12 -7 9 6 3 -2 -14 -7 -1 5 -1 -11 -3 7;265 12 -4 2 7 1 13 -3 -11 4 -14 -1 1 -6 4;731
      0 -1 -3 -2 7 2 3 2 5 2 1 1 -3;264 2 6 -2 -6 -9 -2 -6 -8 -17 3 -6 5;67 11 10 -8 9 -11 -11
      -17 -9 -46 10 12;109 7 26 -12 -6 -6 -14 -6 -6 14 9;87 -10 -12 -12 -19 -10 -4 -1 8 10;451 3
      5 13 3 2 -6 -4 -2;234 -18 -39 -37 8 -62 -10 -5;320 48 -3 3 -17 -3 -2;367 -9 2 -21 -7 -2;265
      10 -15 -4 -3;397 -1 0 -2;365 -3 -1;217 4;37]],
    [[
      131 -4 -16 3 8 5 7 -4 -18 -3 -5 1 -10 -8 -5 6;252 13 11 2 7 2 13 -5 -19 -2 -10 -3 -2 -10
      5;575 1 -1 -6 -7 15 6 5 2 8 -2 1 -1 -4;229 0 7 0 3 -10 -10 -7 -9 -14 1 -3 5;74 8 9 -3 10
      -11 -5 -13 -16 -31 6 10;108 6 17 -15 -9 -6 -19 2 -4 16 10;95 -13 -19 -9 -14 -8 11 -1 10
      10;445 3 6 9 4 -2 -3 -1 -1;255 -4 -27 -67 8 -60 -10 -5;305 36 -6 6 -5 -2 -3;420 -11 6 -14
      -7 -2;270 15 -31 -11 -5;438 1 2 -3;413 -2 -1;223 4;37]],
    [[
      121 -3 -11 4 10 6 6 -9 -18 -8 -8 1 -7 -5 0 7;257 46 5 1 9 2 12 -3 -8 0 -13 0 -1 -6 4;683 -3
      0 -2 -2 14 1 6 4 7 2 -2 0 -3;220 2 8 1 -2 -7 -10 -14 -13 -11 3 0 6;68 9 14 -9 1 -6 -3 -11
      -16 -49 8 12;111 5 41 -10 -7 -10 -15 -6 -6 14 9;90 -14 -17 -11 -9 -5 2 4 11 10;447 2 11 11
      9 2 -7 -5 -2;244 -30 -35 -34 10 -66 -9 -5;324 44 -4 3 -25 -7 -3;337 -8 5 -23 -9 -3;260 12
      -16 -5 -4;397 2 0 -3;396 -1 -1;212 4;37]],
    [[
      124 3 -12 -7 9 6 3 -2 -14 -7 0 5 -1 -11 -3 7;264 13 -5 2 8 1 14 -4 -11 4 -14 1 1 -5 5;731 0
      -1 -3 -2 6 2 4 2 5 1 1 1 -3;257 2 6 -2 -7 -9 -2 -6 -8 -22 3 -6 6;67 11 10 -7 9 -11 -11 -17
      -9 -46 10 12;108 7 30 -12 -5 -5 -13 -6 -6 14 9;86 -9 -13 -12 -18 -9 0 -1 8 11;449 3 5 12 3
      2 -6 -4 -2;234 -18 -39 -37 8 -62 -10 -5;320 48 -2 4 -17 -3 -2;367 -9 2 -21 -7 -2;264 9 -15
      -4 -4;392 -1 0 -3;364 -3 -1;217 4;36]],
    [[
      130 -4 -17 3 8 6 7 -4 -18 -4 -5 1 -9 -8 -5 7;251 13 10 2 7 2 14 -5 -19 -2 -10 -1 -2 -10
      5;575 1 -1 -6 -7 15 6 5 2 8 -2 1 -1 -4;223 0 7 0 2 -10 -10 -7 -10 -20 1 -3 6;74 8 9 -3 10
      -11 -5 -13 -16 -31 6 10;107 6 20 -14 -9 -5 -18 2 -4 16 10;94 -12 -19 -9 -12 -7 16 -1 10
      10;443 3 6 8 4 -2 -3 -1 -2;255 -4 -27 -67 8 -60 -10 -5;305 36 -6 6 -5 -2 -3;420 -11 5 -14
      -7 -2;270 14 -31 -11 -5;433 1 2 -4;413 -2 -1;223 4;36]],
    [[
      118 -1 -11 4 9 7 4 -11 -18 -9 -6 0 -4 -5 1 8;253 50 4 2 9 2 14 -3 -9 -1 -13 8 -1 -5 5;682
      -2 0 -2 -2 13 1 6 4 6 -1 -2 0 -3;193 3 9 1 -6 -9 -10 -15 -15 -36 3 1 7;68 9 13 -8 1 -6 -2
      -11 -12 -49 8 12;108 2 59 -8 -7 -7 -10 -3 -7 14 9;87 -7 -17 -12 -4 -1 20 4 11 12;439 2 11 8
      6 -1 -7 -5 -3;244 -30 -35 -34 10 -66 -9 -5;323 44 -4 4 -25 -7 -2;336 -9 2 -23 -9 -3;259 8
      -17 -6 -4;377 2 -1 -4;395 -1 -1;212 4;35]],
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
      vllm = { points = 0, configurations = 0, near = 2, constants = 28, root = 25 },
      sglang = { points = 0, configurations = 0, near = 2, constants = 29, root = 26 },
      trtllm = { points = 0, configurations = 0, near = 2, constants = 30, root = 27 },
    },
    ["H100 PCIe"] = {
      vllm = { points = 0, configurations = 0, near = 2, constants = 28, root = 25 },
      sglang = { points = 0, configurations = 0, near = 2, constants = 29, root = 26 },
      trtllm = { points = 0, configurations = 0, near = 2, constants = 30, root = 27 },
    },
    ["H100 SXM"] = {
      vllm = { points = 364, configurations = 39, near = 2, constants = 31, root = 28,
        kernels = "0.24.0" },
      sglang = { points = 78, configurations = 3, near = 2, constants = 32, root = 29,
        kernels = "0.5.14" },
      trtllm = { points = 487, configurations = 15, near = 2, constants = 33, root = 30,
        kernels = "1.3.0rc20" },
    },
    ["H20"] = {
      vllm = { points = 0, configurations = 0, near = 2, constants = 28, root = 25 },
      sglang = { points = 0, configurations = 0, near = 2, constants = 29, root = 26 },
      trtllm = { points = 0, configurations = 0, near = 2, constants = 30, root = 27 },
    },
    ["H200 SXM"] = {
      vllm = { points = 237, configurations = 17, near = 2, constants = 34, root = 31,
        kernels = "0.24.0" },
      sglang = { points = 123, configurations = 14, near = 2, constants = 35, root = 32,
        kernels = "0.5.14" },
      trtllm = { points = 240, configurations = 27, near = 2, constants = 36, root = 33,
        kernels = "1.3.0rc20" },
    },
    ["L4"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 37, root = 34 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 38, root = 35 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 39, root = 36 },
    },
    ["L40"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 40, root = 34 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 41, root = 35 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 42, root = 36 },
    },
    ["L40S"] = {
      vllm = { points = 2, configurations = 1, near = 1, constants = 43, root = 37,
        kernels = "0.24.0" },
      sglang = { points = 0, configurations = 0, near = 1, constants = 44, root = 38,
        kernels = "0.5.14" },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 45, root = 39,
        kernels = "1.3.0rc20" },
    },
    ["MI250X"] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
    ["MI300X"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 46, root = 40 },
      sglang = { points = 15, configurations = 2, near = 1, constants = 47, root = 41 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 48, root = 42 },
    },
    ["MI325X"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 49, root = 43 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 50, root = 44 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 51, root = 45 },
    },
    ["MI355X"] = {
      vllm = { points = 0, configurations = 0, near = 0, constants = 1, root = 1 },
      sglang = { points = 0, configurations = 0, near = 0, constants = 2, root = 2 },
      trtllm = { points = 0, configurations = 0, near = 0, constants = 3, root = 3 },
    },
    ["RTX 4090"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 40, root = 34 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 41, root = 35 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 42, root = 36 },
    },
    ["RTX 6000 Ada"] = {
      vllm = { points = 0, configurations = 0, near = 1, constants = 40, root = 34 },
      sglang = { points = 0, configurations = 0, near = 1, constants = 41, root = 35 },
      trtllm = { points = 0, configurations = 0, near = 1, constants = 42, root = 36 },
    },
    ["RTX PRO 6000"] = {
      vllm = { points = 0, configurations = 0, near = 5, constants = 52, root = 46 },
      sglang = { points = 0, configurations = 0, near = 5, constants = 53, root = 47 },
      trtllm = { points = 0, configurations = 0, near = 5, constants = 54, root = 48 },
    },
    ["RTX PRO 6000 Server"] = {
      vllm = { points = 0, configurations = 0, near = 5, constants = 55, root = 49,
        kernels = "0.24.0" },
      sglang = { points = 0, configurations = 0, near = 5, constants = 56, root = 50,
        kernels = "0.5.14" },
      trtllm = { points = 13, configurations = 8, near = 5, constants = 57, root = 51,
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
