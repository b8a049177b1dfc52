--- Constants of the roofline by GPU and engine, from measurements; made by
-- tests/accuracy/calibrate/run.lua, which says how, from 3324 points of 362 configurations and the
-- kernel tables of ai-dynamo/aiconfigurator @ 095f58a51 (Apache-2.0). Do not edit.
--
-- `gpus`: `constants`, `root`: which of those above; `points`, `configurations`: how many measured
-- this GPU with this engine; `near`: how many GPUs of its architecture were measured; `kernels`:
-- the engine's version whose kernels were measured on it. "": a GPU that nobody knows. `roots`: the
-- covariance of the logarithms of `parameters` is the sum of the vectors' outer products; see
-- written.lua there. `models`: factors on all times of models, by their sizes (rates.fingerprint).
-- …_spread: standard deviations of logarithms of what nobody knows of a deployment before it is
-- measured: of its own factor, of a batch beside others, and of models and architectures that were
-- not measured. Read by tandem.llm.rates.

return {
  date = "2026-11-26",
  parameters = {
    "matrix", "expert", "slices", "attention", "weights", "experts_read", "cache", "excess",
    "layer", "quantize_8", "quantize_4", "expert_layer", "sequence", "link_start", "link",
  },
  configuration_spread = { dense = 0.055, moe = 0.175 },
  model_spread = 0.06,
  model_engine_spread = 0.09,
  shape_spread = 0.09,
  architecture_spread = 0.27,
  models = {
    ["24x2880-201088-32"] = { any = 1, trtllm = 1 },
    ["28x3584-152064-0"] = { any = 1.01, vllm = 1.032 },
    ["32x4096-128256-0"] = { any = 1.016, vllm = 1.021, sglang = 1.096, trtllm = 0.974 },
    ["32x4096-32000-0"] = { any = 0.996, vllm = 0.987 },
    ["32x4096-32000-8"] = { any = 0.9701, vllm = 0.9059 },
    ["36x2880-201088-128"] = { any = 0.9271, vllm = 0.8266, trtllm = 0.8769 },
    ["36x4096-151936-0"] = { any = 1, vllm = 1 },
    ["40x5120-131072-0"] = { any = 0.9944, vllm = 0.982 },
    ["40x5120-151936-0"] = { any = 1.015, vllm = 1.049 },
    ["48x2048-151936-128"] = { any = 1, trtllm = 1 },
    ["48x3840-262144-0"] = { any = 1, vllm = 1 },
    ["48x5120-202048-128"] = { any = 1, trtllm = 1 },
    ["48x5120-202048-16"] = { any = 0.9877, vllm = 0.9607 },
    ["48x8192-32000-0"] = { any = 0.9971, vllm = 0.9905 },
    ["56x6144-32768-8"] = { any = 0.983, vllm = 0.9459 },
    ["60x4096-248320-512"] = { any = 0.9806, sglang = 0.9382 },
    ["60x7168-64000-0"] = { any = 1.001, vllm = 1.004 },
    ["61x7168-129280-256"] = { any = 0.9832, vllm = 0.9832, sglang = 0.9732, trtllm = 0.9562 },
    ["61x7168-163840-384"] = { any = 0.9471, vllm = 0.9094, trtllm = 0.8727 },
    ["62x3072-200064-256"] = { any = 0.9605, vllm = 0.8771 },
    ["64x5120-151936-0"] = { any = 1.019, vllm = 1.09, sglang = 1.003, trtllm = 1.008 },
    ["78x6144-154880-256"] = { any = 1.055, sglang = 1.191 },
    ["80x8192-128256-0"] = { any = 0.9758, vllm = 0.9427, trtllm = 0.9559 },
    ["80x8192-32000-0"] = { any = 1.003, vllm = 1.009 },
    ["94x4096-151936-128"] = { any = 0.9694, vllm = 1.082, sglang = 0.9221, trtllm = 0.852 },
  },
  constants = {
    {
      attention_efficiency = 0.5434, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8455, expert_efficiency = 0.3103, expert_excess = 0.1655,
      expert_half = 21.45, expert_layer_s = 5.199e-05, expert_width = 90.03,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8279,
      layer_4_s = 1.804e-05, layer_8_s = 2.361e-05, layer_s = 3.907e-05,
      link_efficiency = 0.4772, link_hop_s = 7.597e-07, link_latency_s = 2.585e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.8891, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.02421, sequence_s = 2.147e-05,
      step_s = 0.0001, weight_bandwidth = 0.8163,
    },
    {
      attention_efficiency = 0.4697, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.843, expert_efficiency = 0.1801, expert_excess = 0.1621,
      expert_half = 19.34, expert_layer_s = 6.252e-05, expert_width = 230.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8375,
      layer_4_s = 9.829e-06, layer_8_s = 1.928e-05, layer_s = 3.538e-05,
      link_efficiency = 0.5385, link_hop_s = 7.124e-07, link_latency_s = 1.813e-06,
      matrix_4 = 0.496, matrix_8 = 0.7954, matrix_efficiency = 0.7597, matrix_half = 30.63,
      matrix_half_4 = 145.8, matrix_half_8 = 73.31, request_s = 0.03133, sequence_s = 1.176e-05,
      step_s = 0.0001, weight_bandwidth = 0.7863,
    },
    {
      attention_efficiency = 0.6367, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8798, expert_efficiency = 0.353, expert_excess = 0.104,
      expert_half = 28.24, expert_layer_s = 5.892e-05, expert_width = 304.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7998,
      layer_4_s = 2.577e-05, layer_8_s = 2.795e-05, layer_s = 2.904e-05,
      link_efficiency = 0.5015, link_hop_s = 6.068e-07, link_latency_s = 1.669e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7475, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008604, sequence_s = 1.95e-05,
      step_s = 0.0001, weight_bandwidth = 0.7737,
    },
    {
      attention_efficiency = 0.4586, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7612, expert_efficiency = 0.03784, expert_excess = 0.1655,
      expert_half = 17.66, expert_layer_s = 5.898e-05, expert_width = 92.49,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.817,
      layer_4_s = 8.24e-06, layer_8_s = 1.177e-07, layer_s = 5.54e-05, link_efficiency = 0.4384,
      link_hop_s = 7.58e-07, link_latency_s = 3.344e-06, matrix_4 = 0.4789, matrix_8 = 0.5272,
      matrix_efficiency = 0.9354, matrix_half = 79.83, matrix_half_4 = 36.03,
      matrix_half_8 = 55.78, request_s = 0.02421, sequence_s = 2.103e-05, step_s = 0.0001,
      weight_bandwidth = 0.7711,
    },
    {
      attention_efficiency = 0.3677, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7956, expert_efficiency = 0.03987, expert_excess = 0.1621,
      expert_half = 13.71, expert_layer_s = 7.449e-05, expert_width = 213.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8116,
      layer_4_s = 0, layer_8_s = 9.649e-06, layer_s = 5.216e-05, link_efficiency = 0.4175,
      link_hop_s = 7.611e-07, link_latency_s = 3.358e-06, matrix_4 = 0.4542, matrix_8 = 0.7283,
      matrix_efficiency = 0.8284, matrix_half = 79.83, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.03133, sequence_s = 1.152e-05, step_s = 0.0001,
      weight_bandwidth = 0.7535,
    },
    {
      attention_efficiency = 0.6346, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7894, expert_efficiency = 0.03391, expert_excess = 0.104,
      expert_half = 22.37, expert_layer_s = 7.062e-05, expert_width = 179.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.81,
      layer_4_s = 1.445e-05, layer_8_s = 1.92e-05, layer_s = 4.251e-05, link_efficiency = 0.5121,
      link_hop_s = 6.483e-07, link_latency_s = 2.86e-06, matrix_4 = 0.4411, matrix_8 = 0.6476,
      matrix_efficiency = 0.8099, matrix_half = 79.83, matrix_half_4 = 13.46,
      matrix_half_8 = 15.42, request_s = 0.008604, sequence_s = 1.91e-05, step_s = 0.0001,
      weight_bandwidth = 0.771,
    },
    {
      attention_efficiency = 0.4586, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7612, expert_efficiency = 0.03784, expert_excess = 0.1655,
      expert_half = 17.66, expert_layer_s = 5.898e-05, expert_width = 92.49,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.809,
      layer_4_s = 8.629e-06, layer_8_s = 1.049e-06, layer_s = 5.283e-05,
      link_efficiency = 0.4604, link_hop_s = 7.217e-07, link_latency_s = 3.546e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5221, matrix_efficiency = 0.9446, matrix_half = 60.69,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.02421, sequence_s = 2.103e-05,
      step_s = 0.0001, weight_bandwidth = 0.7562,
    },
    {
      attention_efficiency = 0.3677, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7956, expert_efficiency = 0.03987, expert_excess = 0.1621,
      expert_half = 13.71, expert_layer_s = 7.449e-05, expert_width = 213.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8037,
      layer_4_s = 0, layer_8_s = 8.829e-06, layer_s = 5.148e-05, link_efficiency = 0.4931,
      link_hop_s = 7.464e-07, link_latency_s = 3.667e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.8123, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.03133, sequence_s = 1.152e-05, step_s = 0.0001,
      weight_bandwidth = 0.7389,
    },
    {
      attention_efficiency = 0.6346, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7894, expert_efficiency = 0.03391, expert_excess = 0.104,
      expert_half = 22.37, expert_layer_s = 7.062e-05, expert_width = 179.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8261,
      layer_4_s = 1.486e-05, layer_8_s = 1.952e-05, layer_s = 4.582e-05,
      link_efficiency = 0.4129, link_hop_s = 6.943e-07, link_latency_s = 2.469e-06,
      matrix_4 = 0.4368, matrix_8 = 0.6413, matrix_efficiency = 0.8179, matrix_half = 72.39,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008604, sequence_s = 1.91e-05,
      step_s = 0.0001, weight_bandwidth = 0.8018,
    },
    {
      attention_efficiency = 0.4586, expert_4 = 6.749, expert_8 = 5.596,
      expert_bandwidth = 0.7612, expert_efficiency = 0.03784, expert_excess = 0.1655,
      expert_half = 17.66, expert_layer_s = 5.898e-05, expert_width = 92.49,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8009,
      layer_4_s = 8.629e-06, layer_8_s = 1.049e-06, layer_s = 5.256e-05,
      link_efficiency = 0.4613, link_hop_s = 7.438e-07, link_latency_s = 3.655e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5221, matrix_efficiency = 0.9426, matrix_half = 60.69,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.02421, sequence_s = 2.041e-05,
      step_s = 0.0001, weight_bandwidth = 0.7495,
    },
    {
      attention_efficiency = 0.3677, expert_4 = 5.725, expert_8 = 3.478,
      expert_bandwidth = 0.7956, expert_efficiency = 0.03987, expert_excess = 0.1621,
      expert_half = 13.71, expert_layer_s = 7.449e-05, expert_width = 213.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7997,
      layer_4_s = 0, layer_8_s = 8.829e-06, layer_s = 5.135e-05, link_efficiency = 0.4936,
      link_hop_s = 7.577e-07, link_latency_s = 3.723e-06, matrix_4 = 0.4632, matrix_8 = 0.7427,
      matrix_efficiency = 0.8115, matrix_half = 115.8, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.03133, sequence_s = 1.135e-05, step_s = 0.0001,
      weight_bandwidth = 0.7357,
    },
    {
      attention_efficiency = 0.6345, expert_4 = 5.759, expert_8 = 7.425,
      expert_bandwidth = 0.7894, expert_efficiency = 0.03391, expert_excess = 0.104,
      expert_half = 22.37, expert_layer_s = 7.062e-05, expert_width = 179.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8219,
      layer_4_s = 1.486e-05, layer_8_s = 1.952e-05, layer_s = 4.57e-05, link_efficiency = 0.4133,
      link_hop_s = 7.049e-07, link_latency_s = 2.507e-06, matrix_4 = 0.4368, matrix_8 = 0.6413,
      matrix_efficiency = 0.817, matrix_half = 72.39, matrix_half_4 = 13.46,
      matrix_half_8 = 15.42, request_s = 0.008604, sequence_s = 1.881e-05, step_s = 0.0001,
      weight_bandwidth = 0.7983,
    },
    {
      attention_efficiency = 0.5269, expert_4 = 1.092, expert_8 = 0.7239,
      expert_bandwidth = 0.9085, expert_efficiency = 0.2197, expert_excess = 0.1624,
      expert_half = 55.39, expert_layer_s = 4.216e-05, expert_width = 66.06,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.87,
      layer_4_s = 1.582e-05, layer_8_s = 3.249e-05, layer_s = 3.771e-05,
      link_efficiency = 0.2981, link_hop_s = 4.731e-07, link_latency_s = 4.989e-06,
      matrix_4 = 0.5723, matrix_8 = 0.5088, matrix_efficiency = 0.9508, matrix_half = 58.93,
      matrix_half_4 = 49.41, matrix_half_8 = 35.77, request_s = 0.02421, sequence_s = 2.28e-05,
      step_s = 0.0001, weight_bandwidth = 0.7497,
    },
    {
      attention_efficiency = 0.4619, expert_4 = 0.7906, expert_8 = 0.3088,
      expert_bandwidth = 0.8713, expert_efficiency = 0.189, expert_excess = 0.1261,
      expert_half = 15.21, expert_layer_s = 5.212e-05, expert_width = 279.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8495,
      layer_4_s = 8.204e-06, layer_8_s = 3.162e-05, layer_s = 3.543e-05,
      link_efficiency = 0.3864, link_hop_s = 4.39e-07, link_latency_s = 2.98e-06,
      matrix_4 = 0.5557, matrix_8 = 0.9156, matrix_efficiency = 0.7683, matrix_half = 50.88,
      matrix_half_4 = 119.3, matrix_half_8 = 33.95, request_s = 0.03133, sequence_s = 1.319e-05,
      step_s = 0.0001, weight_bandwidth = 0.7539,
    },
    {
      attention_efficiency = 0.6423, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.8757, expert_efficiency = 0.2642, expert_excess = 0.09059,
      expert_half = 47.49, expert_layer_s = 4.863e-05, expert_width = 118.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7815,
      layer_4_s = 2.717e-05, layer_8_s = 3.202e-05, layer_s = 2.138e-05,
      link_efficiency = 0.3956, link_hop_s = 3.677e-07, link_latency_s = 2.57e-06,
      matrix_4 = 0.5723, matrix_8 = 0.7239, matrix_efficiency = 0.7315, matrix_half = 30.88,
      matrix_half_4 = 42.95, matrix_half_8 = 62.5, request_s = 0.008604, sequence_s = 1.437e-05,
      step_s = 0.0001, weight_bandwidth = 0.7127,
    },
    {
      attention_efficiency = 0.7365, expert_4 = 0.625, expert_8 = 0.7906,
      expert_bandwidth = 0.9702, expert_efficiency = 0.3256, expert_excess = 0.1486,
      expert_half = 26.57, expert_layer_s = 4.261e-05, expert_width = 64.47,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7761,
      layer_4_s = 1.351e-05, layer_8_s = 2.934e-05, layer_s = 3.734e-05,
      link_efficiency = 0.3813, link_hop_s = 3.924e-07, link_latency_s = 5.082e-06,
      matrix_4 = 0.3683, matrix_8 = 0.4659, matrix_efficiency = 0.97, matrix_half = 1.637,
      matrix_half_4 = 25.14, matrix_half_8 = 17.16, request_s = 0.02421, sequence_s = 2.317e-05,
      step_s = 0.0001, weight_bandwidth = 0.7926,
    },
    {
      attention_efficiency = 0.6224, expert_4 = 0.524, expert_8 = 0.2912,
      expert_bandwidth = 0.9288, expert_efficiency = 0.3261, expert_excess = 0.1624,
      expert_half = 21.42, expert_layer_s = 4.829e-05, expert_width = 301.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8049,
      layer_4_s = 4.595e-06, layer_8_s = 4.16e-05, layer_s = 3.541e-05, link_efficiency = 0.3847,
      link_hop_s = 3.94e-07, link_latency_s = 3.097e-06, matrix_4 = 0.3473, matrix_8 = 0.8891,
      matrix_efficiency = 0.901, matrix_half = 2.276, matrix_half_4 = 202.4,
      matrix_half_8 = 214.6, request_s = 0.03133, sequence_s = 1.223e-05, step_s = 0.0001,
      weight_bandwidth = 0.7718,
    },
    {
      attention_efficiency = 0.8291, expert_4 = 0.8033, expert_8 = 0.5723,
      expert_bandwidth = 0.9493, expert_efficiency = 0.2885, expert_excess = 0.09609,
      expert_half = 50.36, expert_layer_s = 5.523e-05, expert_width = 123,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7968,
      layer_4_s = 2.811e-05, layer_8_s = 3.468e-05, layer_s = 2.706e-05,
      link_efficiency = 0.4622, link_hop_s = 3.56e-07, link_latency_s = 2.798e-06,
      matrix_4 = 0.3577, matrix_8 = 0.6826, matrix_efficiency = 0.7903, matrix_half = 36.83,
      matrix_half_4 = 88.91, matrix_half_8 = 68.26, request_s = 0.008604, sequence_s = 1.909e-05,
      step_s = 0.0001, weight_bandwidth = 0.7043,
    },
    {
      attention_efficiency = 0.5692, expert_4 = 0.9711, expert_8 = 1.03,
      expert_bandwidth = 0.9351, expert_efficiency = 0.3672, expert_excess = 0.1227,
      expert_half = 44.38, expert_layer_s = 4.023e-05, expert_width = 47.69,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8683,
      layer_4_s = 1.526e-05, layer_8_s = 3.105e-05, layer_s = 3.63e-05, link_efficiency = 0.267,
      link_hop_s = 2.767e-07, link_latency_s = 3.801e-06, matrix_4 = 0.524, matrix_8 = 0.4659,
      matrix_efficiency = 0.9287, matrix_half = 100, matrix_half_4 = 46.59,
      matrix_half_8 = 23.02, request_s = 0.02421, sequence_s = 9.548e-06, step_s = 0.0001,
      weight_bandwidth = 0.7955,
    },
    {
      attention_efficiency = 0.5464, expert_4 = 0.7677, expert_8 = 0.3473,
      expert_bandwidth = 0.9242, expert_efficiency = 0.597, expert_excess = 0.1263,
      expert_half = 27.2, expert_layer_s = 4.241e-05, expert_width = 182.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8914,
      layer_4_s = 6.208e-06, layer_8_s = 4.775e-05, layer_s = 3.153e-05,
      link_efficiency = 0.5223, link_hop_s = 1.028e-07, link_latency_s = 3.213e-06,
      matrix_4 = 0.5396, matrix_8 = 0.8384, matrix_efficiency = 0.7844, matrix_half = 88.91,
      matrix_half_4 = 241.4, matrix_half_8 = 164.8, request_s = 0.03133, sequence_s = 6.334e-06,
      step_s = 0.0001, weight_bandwidth = 0.7738,
    },
    {
      attention_efficiency = 0.8264, expert_4 = 0.3232, expert_8 = 0.5723,
      expert_bandwidth = 0.874, expert_efficiency = 0.4067, expert_excess = 0.08217,
      expert_half = 35.06, expert_layer_s = 4.829e-05, expert_width = 69.33,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8459,
      layer_4_s = 2.179e-05, layer_8_s = 3.746e-05, layer_s = 2.56e-05, link_efficiency = 0.7012,
      link_hop_s = 2.533e-07, link_latency_s = 2.751e-06, matrix_4 = 0.4941, matrix_8 = 0.6628,
      matrix_efficiency = 0.7443, matrix_half = 70.29, matrix_half_4 = 1, matrix_half_8 = 70.29,
      request_s = 0.008604, sequence_s = 9.727e-06, step_s = 0.0001, weight_bandwidth = 0.7072,
    },
    {
      attention_efficiency = 0.7626, expert_4 = 0.5557, expert_8 = 0.8891,
      expert_bandwidth = 0.8807, expert_efficiency = 0.505, expert_excess = 0.136,
      expert_half = 34.41, expert_layer_s = 3.642e-05, expert_width = 61.39,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8309,
      layer_4_s = 1.504e-05, layer_8_s = 2.931e-05, layer_s = 3.466e-05,
      link_efficiency = 0.3907, link_hop_s = 6.029e-07, link_latency_s = 5.176e-06,
      matrix_4 = 0.3683, matrix_8 = 0.4659, matrix_efficiency = 0.9896, matrix_half = 33.73,
      matrix_half_4 = 55.57, matrix_half_8 = 20.47, request_s = 0.02421, sequence_s = 1.772e-05,
      step_s = 0.0001, weight_bandwidth = 0.7928,
    },
    {
      attention_efficiency = 0.628, expert_4 = 0.4023, expert_8 = 0.2828,
      expert_bandwidth = 0.8848, expert_efficiency = 0.7133, expert_excess = 0.1281,
      expert_half = 30.3, expert_layer_s = 4.309e-05, expert_width = 188.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8537,
      layer_4_s = 4.836e-06, layer_8_s = 4.546e-05, layer_s = 3.233e-05,
      link_efficiency = 0.4706, link_hop_s = 4.384e-07, link_latency_s = 2.422e-06,
      matrix_4 = 0.318, matrix_8 = 0.7906, matrix_efficiency = 0.8813, matrix_half = 112.5,
      matrix_half_4 = 164.8, matrix_half_8 = 26.84, request_s = 0.03133, sequence_s = 8.907e-06,
      step_s = 0.0001, weight_bandwidth = 0.774,
    },
    {
      attention_efficiency = 0.9421, expert_4 = 0.7356, expert_8 = 0.5723,
      expert_bandwidth = 0.9081, expert_efficiency = 0.4975, expert_excess = 0.08321,
      expert_half = 53.6, expert_layer_s = 4.738e-05, expert_width = 101.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8261,
      layer_4_s = 2.538e-05, layer_8_s = 3.536e-05, layer_s = 2.512e-05,
      link_efficiency = 0.6124, link_hop_s = 2.75e-07, link_latency_s = 2.735e-06,
      matrix_4 = 0.3275, matrix_8 = 0.6628, matrix_efficiency = 0.8652, matrix_half = 94.29,
      matrix_half_4 = 115.8, matrix_half_8 = 1.265, request_s = 0.008604, sequence_s = 1.731e-05,
      step_s = 0.0001, weight_bandwidth = 0.7043,
    },
    {
      attention_efficiency = 0.5316, expert_4 = 0.8141, expert_8 = 0.4728,
      expert_bandwidth = 0.8341, expert_efficiency = 0.2634, expert_excess = 0.1773,
      expert_half = 16.07, expert_layer_s = 6.726e-05, expert_width = 118.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8588,
      layer_4_s = 1.581e-05, layer_8_s = 1.96e-05, layer_s = 4.659e-05, link_efficiency = 0.5665,
      link_hop_s = 2.982e-07, link_latency_s = 3.384e-06, matrix_4 = 0.4742, matrix_8 = 0.5723,
      matrix_efficiency = 0.9029, matrix_half = 1, matrix_half_4 = 36.03, matrix_half_8 = 160,
      request_s = 0.02421, sequence_s = 2.816e-05, step_s = 0.0001, weight_bandwidth = 0.8895,
    },
    {
      attention_efficiency = 0.414, expert_4 = 2.337, expert_8 = 1.937,
      expert_bandwidth = 0.8258, expert_efficiency = 0.082, expert_excess = 0.1737,
      expert_half = 16.54, expert_layer_s = 7.633e-05, expert_width = 271.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8407,
      layer_4_s = 6.416e-06, layer_8_s = 7.811e-06, layer_s = 4.266e-05,
      link_efficiency = 0.5806, link_hop_s = 4.076e-07, link_latency_s = 1.755e-06,
      matrix_4 = 0.477, matrix_8 = 0.6927, matrix_efficiency = 0.754, matrix_half = 15.48,
      matrix_half_4 = 145.8, matrix_half_8 = 174.7, request_s = 0.03133, sequence_s = 1.542e-05,
      step_s = 0.0001, weight_bandwidth = 0.882,
    },
    {
      attention_efficiency = 0.6077, expert_4 = 0.4538, expert_8 = 0.5723,
      expert_bandwidth = 0.8847, expert_efficiency = 0.3614, expert_excess = 0.1114,
      expert_half = 44.04, expert_layer_s = 6.735e-05, expert_width = 426.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7461,
      layer_4_s = 2.264e-05, layer_8_s = 2.001e-05, layer_s = 3.43e-05, link_efficiency = 0.5884,
      link_hop_s = 2.301e-07, link_latency_s = 1.783e-06, matrix_4 = 0.4498, matrix_8 = 0.6927,
      matrix_efficiency = 0.7591, matrix_half = 1, matrix_half_4 = 13.46, matrix_half_8 = 1,
      request_s = 0.008604, sequence_s = 2.557e-05, step_s = 0.0001, weight_bandwidth = 0.8636,
    },
    {
      attention_efficiency = 0.5461, expert_4 = 0.8141, expert_8 = 0.4659,
      expert_bandwidth = 0.8901, expert_efficiency = 0.2471, expert_excess = 0.1606,
      expert_half = 29.11, expert_layer_s = 5.765e-05, expert_width = 139.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8852,
      layer_4_s = 1.635e-05, layer_8_s = 1.707e-05, layer_s = 4.912e-05,
      link_efficiency = 0.7178, link_hop_s = 2.945e-07, link_latency_s = 3.392e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5557, matrix_efficiency = 0.8747, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 146.5, request_s = 0.02421, sequence_s = 3.01e-05,
      step_s = 0.0001, weight_bandwidth = 0.944,
    },
    {
      attention_efficiency = 0.4182, expert_4 = 2.515, expert_8 = 1.965, expert_bandwidth = 0.87,
      expert_efficiency = 0.06644, expert_excess = 0.1556, expert_half = 15.6,
      expert_layer_s = 6.792e-05, expert_width = 366.5, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.84, layer_4_s = 6.847e-06,
      layer_8_s = 6.275e-06, layer_s = 4.865e-05, link_efficiency = 0.726,
      link_hop_s = 4.038e-07, link_latency_s = 1.816e-06, matrix_4 = 0.477, matrix_8 = 0.6628,
      matrix_efficiency = 0.7644, matrix_half = 10.73, matrix_half_4 = 145.8,
      matrix_half_8 = 169.7, request_s = 0.03133, sequence_s = 1.697e-05, step_s = 0.0001,
      weight_bandwidth = 0.902,
    },
    {
      attention_efficiency = 0.6496, expert_4 = 0.4883, expert_8 = 0.5893,
      expert_bandwidth = 0.9139, expert_efficiency = 0.2373, expert_excess = 0.08842,
      expert_half = 41.12, expert_layer_s = 5.483e-05, expert_width = 651.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8727,
      layer_4_s = 2.373e-05, layer_8_s = 1.233e-05, layer_s = 4.734e-05,
      link_efficiency = 0.6832, link_hop_s = 2.272e-07, link_latency_s = 1.894e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6826, matrix_efficiency = 0.707, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008604, sequence_s = 3.753e-05,
      step_s = 0.0001, weight_bandwidth = 0.8572,
    },
    {
      attention_efficiency = 0.4722, expert_4 = 0.8141, expert_8 = 0.4798,
      expert_bandwidth = 0.7224, expert_efficiency = 0.287, expert_excess = 0.2184,
      expert_half = 8.869, expert_layer_s = 6.778e-05, expert_width = 100,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8064,
      layer_4_s = 1.525e-05, layer_8_s = 2.282e-05, layer_s = 4.065e-05,
      link_efficiency = 0.4834, link_hop_s = 2.912e-07, link_latency_s = 3.257e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5893, matrix_efficiency = 0.9145, matrix_half = 1,
      matrix_half_4 = 36.03, matrix_half_8 = 174.7, request_s = 0.02421, sequence_s = 3.773e-05,
      step_s = 0.0001, weight_bandwidth = 0.8785,
    },
    {
      attention_efficiency = 0.3239, expert_4 = 2.172, expert_8 = 1.908,
      expert_bandwidth = 0.807, expert_efficiency = 0.08706, expert_excess = 0.2391,
      expert_half = 17.55, expert_layer_s = 7.89e-05, expert_width = 183.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8693,
      layer_4_s = 5.972e-06, layer_8_s = 8.291e-06, layer_s = 3.695e-05,
      link_efficiency = 0.4671, link_hop_s = 4.009e-07, link_latency_s = 1.651e-06,
      matrix_4 = 0.477, matrix_8 = 0.7239, matrix_efficiency = 0.6999, matrix_half = 22.35,
      matrix_half_4 = 145.8, matrix_half_8 = 179.9, request_s = 0.03133, sequence_s = 1.246e-05,
      step_s = 0.0001, weight_bandwidth = 0.8774,
    },
    {
      attention_efficiency = 0.5597, expert_4 = 0.4216, expert_8 = 0.5557,
      expert_bandwidth = 0.8936, expert_efficiency = 0.3745, expert_excess = 0.1248,
      expert_half = 47.16, expert_layer_s = 0.00011, expert_width = 332.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.6834,
      layer_4_s = 2.144e-05, layer_8_s = 2.086e-05, layer_s = 2.965e-05,
      link_efficiency = 0.4703, link_hop_s = 2.294e-07, link_latency_s = 1.651e-06,
      matrix_4 = 0.4498, matrix_8 = 0.7029, matrix_efficiency = 0.7693, matrix_half = 1,
      matrix_half_4 = 13.46, matrix_half_8 = 1, request_s = 0.008604, sequence_s = 3.035e-05,
      step_s = 0.0001, weight_bandwidth = 0.8762,
    },
    {
      attention_efficiency = 0.4911, expert_4 = 1.05, expert_8 = 1.02, expert_bandwidth = 0.7926,
      expert_efficiency = 0.2432, expert_excess = 0.1655, expert_half = 32.16,
      expert_layer_s = 4.079e-05, expert_width = 66.57, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.7896, layer_4_s = 2.507e-05,
      layer_8_s = 1.755e-05, layer_s = 2.431e-05, link_efficiency = 0.6215,
      link_hop_s = 5.748e-06, link_latency_s = 4.551e-07, matrix_4 = 0.6424, matrix_8 = 0.731,
      matrix_efficiency = 0.6979, matrix_half = 33.88, matrix_half_4 = 36.03,
      matrix_half_8 = 83.02, request_s = 0.02421, sequence_s = 2.172e-05, step_s = 0.0001,
      weight_bandwidth = 0.7726,
    },
    {
      attention_efficiency = 0.3938, expert_4 = 0.8909, expert_8 = 1.02,
      expert_bandwidth = 0.8624, expert_efficiency = 0.2562, expert_excess = 0.1621,
      expert_half = 30.53, expert_layer_s = 4.743e-05, expert_width = 92.75,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7844,
      layer_4_s = 1.785e-05, layer_8_s = 7.506e-06, layer_s = 2.289e-05,
      link_efficiency = 0.5919, link_hop_s = 5.772e-06, link_latency_s = 4.57e-07,
      matrix_4 = 0.6093, matrix_8 = 0.731, matrix_efficiency = 0.6181, matrix_half = 33.88,
      matrix_half_4 = 145.8, matrix_half_8 = 83.02, request_s = 0.03133, sequence_s = 1.19e-05,
      step_s = 0.0001, weight_bandwidth = 0.755,
    },
    {
      attention_efficiency = 0.6796, expert_4 = 0.8961, expert_8 = 1.02,
      expert_bandwidth = 0.8284, expert_efficiency = 0.2179, expert_excess = 0.104,
      expert_half = 47.24, expert_layer_s = 5.217e-05, expert_width = 66.57,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7829,
      layer_4_s = 3.222e-05, layer_8_s = 5.97e-06, layer_s = 1.866e-05, link_efficiency = 0.726,
      link_hop_s = 4.917e-06, link_latency_s = 3.893e-07, matrix_4 = 0.5917, matrix_8 = 0.731,
      matrix_efficiency = 0.6043, matrix_half = 33.88, matrix_half_4 = 13.46,
      matrix_half_8 = 83.02, request_s = 0.008604, sequence_s = 1.972e-05, step_s = 0.0001,
      weight_bandwidth = 0.7725,
    },
    {
      attention_efficiency = 0.5158, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.7874, expert_efficiency = 0.4733, expert_excess = 0.1655,
      expert_half = 76.74, expert_layer_s = 4.802e-05, expert_width = 57.74,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7896,
      layer_4_s = 2.507e-05, layer_8_s = 1.85e-05, layer_s = 2.703e-05, link_efficiency = 0.9694,
      link_hop_s = 5.692e-06, link_latency_s = 4.343e-07, matrix_4 = 0.6177, matrix_8 = 0.6628,
      matrix_efficiency = 0.7258, matrix_half = 76.77, matrix_half_4 = 36.03,
      matrix_half_8 = 94.29, request_s = 0.02421, sequence_s = 2.172e-05, step_s = 0.0001,
      weight_bandwidth = 0.8066,
    },
    {
      attention_efficiency = 0.479, expert_4 = 1.717, expert_8 = 1.965,
      expert_bandwidth = 0.8402, expert_efficiency = 0.133, expert_excess = 0.1621,
      expert_half = 45.67, expert_layer_s = 4.591e-05, expert_width = 30.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8078,
      layer_4_s = 1.785e-05, layer_8_s = 1.985e-07, layer_s = 2.077e-05,
      link_efficiency = 0.9231, link_hop_s = 6.242e-06, link_latency_s = 4.361e-07,
      matrix_4 = 0.6589, matrix_8 = 0.7455, matrix_efficiency = 0.5715, matrix_half = 7.371,
      matrix_half_4 = 145.8, matrix_half_8 = 49.41, request_s = 0.03133, sequence_s = 1.19e-05,
      step_s = 0.0001, weight_bandwidth = 0.7008,
    },
    {
      attention_efficiency = 0.532, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.8558, expert_efficiency = 0.2158, expert_excess = 0.104,
      expert_half = 13.24, expert_layer_s = 4.579e-05, expert_width = 231.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7602,
      layer_4_s = 3.222e-05, layer_8_s = 2.302e-05, layer_s = 1.88e-05, link_efficiency = 0.2985,
      link_hop_s = 4.591e-06, link_latency_s = 4.276e-07, matrix_4 = 0.5689, matrix_8 = 0.7906,
      matrix_efficiency = 0.6284, matrix_half = 68.72, matrix_half_4 = 13.46,
      matrix_half_8 = 122.8, request_s = 0.008604, sequence_s = 1.972e-05, step_s = 0.0001,
      weight_bandwidth = 0.797,
    },
    {
      attention_efficiency = 0.5158, expert_4 = 0.5396, expert_8 = 0.4798,
      expert_bandwidth = 0.7874, expert_efficiency = 0.4733, expert_excess = 0.1655,
      expert_half = 76.74, expert_layer_s = 4.802e-05, expert_width = 57.74,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7875,
      layer_4_s = 2.507e-05, layer_8_s = 1.85e-05, layer_s = 2.702e-05, link_efficiency = 0.9694,
      link_hop_s = 5.692e-06, link_latency_s = 4.343e-07, matrix_4 = 0.6177, matrix_8 = 0.6628,
      matrix_efficiency = 0.7252, matrix_half = 76.77, matrix_half_4 = 36.03,
      matrix_half_8 = 94.29, request_s = 0.02421, sequence_s = 2.209e-05, step_s = 0.0001,
      weight_bandwidth = 0.8064,
    },
    {
      attention_efficiency = 0.479, expert_4 = 1.717, expert_8 = 1.965,
      expert_bandwidth = 0.8402, expert_efficiency = 0.133, expert_excess = 0.1621,
      expert_half = 45.67, expert_layer_s = 4.591e-05, expert_width = 30.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8067,
      layer_4_s = 1.785e-05, layer_8_s = 1.985e-07, layer_s = 2.077e-05,
      link_efficiency = 0.9231, link_hop_s = 6.242e-06, link_latency_s = 4.361e-07,
      matrix_4 = 0.6589, matrix_8 = 0.7455, matrix_efficiency = 0.5713, matrix_half = 7.371,
      matrix_half_4 = 145.8, matrix_half_8 = 49.41, request_s = 0.03133, sequence_s = 1.2e-05,
      step_s = 0.0001, weight_bandwidth = 0.7007,
    },
    {
      attention_efficiency = 0.532, expert_4 = 0.9049, expert_8 = 1.125,
      expert_bandwidth = 0.8558, expert_efficiency = 0.2158, expert_excess = 0.104,
      expert_half = 13.24, expert_layer_s = 4.579e-05, expert_width = 231.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7592,
      layer_4_s = 3.222e-05, layer_8_s = 2.302e-05, layer_s = 1.88e-05, link_efficiency = 0.2985,
      link_hop_s = 4.591e-06, link_latency_s = 4.276e-07, matrix_4 = 0.5689, matrix_8 = 0.7906,
      matrix_efficiency = 0.6282, matrix_half = 68.72, matrix_half_4 = 13.46,
      matrix_half_8 = 122.8, request_s = 0.008604, sequence_s = 1.989e-05, step_s = 0.0001,
      weight_bandwidth = 0.7969,
    },
    {
      attention_efficiency = 0.5362, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8221, expert_efficiency = 0.2654, expert_excess = 0.1655,
      expert_half = 21.45, expert_layer_s = 7.577e-05, expert_width = 117.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8181,
      layer_4_s = 1.804e-05, layer_8_s = 2.992e-05, layer_s = 4.648e-05,
      link_efficiency = 0.4636, link_hop_s = 8.029e-07, link_latency_s = 2.732e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.8867, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.02421, sequence_s = 2.189e-05,
      step_s = 0.0001, weight_bandwidth = 0.8132,
    },
    {
      attention_efficiency = 0.4609, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.81, expert_efficiency = 0.1442, expert_excess = 0.1621,
      expert_half = 19.34, expert_layer_s = 0.0001069, expert_width = 337.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8234,
      layer_4_s = 9.829e-06, layer_8_s = 2.701e-05, layer_s = 4.53e-05, link_efficiency = 0.5168,
      link_hop_s = 7.706e-07, link_latency_s = 1.961e-06, matrix_4 = 0.496, matrix_8 = 0.7954,
      matrix_efficiency = 0.7567, matrix_half = 30.63, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.03133, sequence_s = 1.209e-05, step_s = 0.0001,
      weight_bandwidth = 0.7821,
    },
    {
      attention_efficiency = 0.6282, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8555, expert_efficiency = 0.3019, expert_excess = 0.104,
      expert_half = 28.24, expert_layer_s = 8.587e-05, expert_width = 398.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7903,
      layer_4_s = 2.577e-05, layer_8_s = 3.542e-05, layer_s = 3.455e-05,
      link_efficiency = 0.4872, link_hop_s = 6.413e-07, link_latency_s = 1.764e-06,
      matrix_4 = 0.4786, matrix_8 = 0.7026, matrix_efficiency = 0.7455, matrix_half = 25.03,
      matrix_half_4 = 13.46, matrix_half_8 = 15.42, request_s = 0.008604, sequence_s = 1.988e-05,
      step_s = 0.0001, weight_bandwidth = 0.7707,
    },
    {
      attention_efficiency = 0.5393, expert_4 = 0.8232, expert_8 = 0.6826,
      expert_bandwidth = 0.8319, expert_efficiency = 0.2835, expert_excess = 0.1655,
      expert_half = 21.45, expert_layer_s = 6.46e-05, expert_width = 105.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8223,
      layer_4_s = 1.804e-05, layer_8_s = 2.706e-05, layer_s = 4.318e-05,
      link_efficiency = 0.4693, link_hop_s = 7.843e-07, link_latency_s = 2.669e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5555, matrix_efficiency = 0.8877, matrix_half = 17.08,
      matrix_half_4 = 36.03, matrix_half_8 = 55.78, request_s = 0.02421, sequence_s = 2.171e-05,
      step_s = 0.0001, weight_bandwidth = 0.8145,
    },
    {
      attention_efficiency = 0.4661, expert_4 = 1.267, expert_8 = 0.7698,
      expert_bandwidth = 0.8295, expert_efficiency = 0.1646, expert_excess = 0.1621,
      expert_half = 19.34, expert_layer_s = 7.768e-05, expert_width = 268.9,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8318,
      layer_4_s = 9.829e-06, layer_8_s = 2.21e-05, layer_s = 3.911e-05, link_efficiency = 0.5296,
      link_hop_s = 7.354e-07, link_latency_s = 1.871e-06, matrix_4 = 0.496, matrix_8 = 0.7954,
      matrix_efficiency = 0.7584, matrix_half = 30.63, matrix_half_4 = 145.8,
      matrix_half_8 = 73.31, request_s = 0.03133, sequence_s = 1.189e-05, step_s = 0.0001,
      weight_bandwidth = 0.7846,
    },
    {
      attention_efficiency = 0.6318, expert_4 = 0.5533, expert_8 = 0.7133,
      expert_bandwidth = 0.8657, expert_efficiency = 0.3226, expert_excess = 0.104,
      expert_half = 28.24, expert_layer_s = 7.321e-05, expert_width = 355.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7943,
      layer_4_s = 2.577e-05, layer_8_s = 3.204e-05, layer_s = 3.21e-05, link_efficiency = 0.4932,
      link_hop_s = 6.264e-07, link_latency_s = 1.723e-06, matrix_4 = 0.4786, matrix_8 = 0.7026,
      matrix_efficiency = 0.7463, matrix_half = 25.03, matrix_half_4 = 13.46,
      matrix_half_8 = 15.42, request_s = 0.008604, sequence_s = 1.972e-05, step_s = 0.0001,
      weight_bandwidth = 0.772,
    },
    {
      attention_efficiency = 0.6973, expert_4 = 1.6, expert_8 = 0.8384,
      expert_bandwidth = 0.8378, expert_efficiency = 0.2998, expert_excess = 0.1451,
      expert_half = 1.006, expert_layer_s = 5.509e-05, expert_width = 136.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8013,
      layer_4_s = 2.58e-05, layer_8_s = 2.768e-05, layer_s = 3.356e-05, link_efficiency = 0.7454,
      link_hop_s = 5.206e-06, link_latency_s = 4.09e-07, matrix_4 = 0.7906, matrix_8 = 0.8634,
      matrix_efficiency = 0.9746, matrix_half = 81.41, matrix_half_4 = 18.87,
      matrix_half_8 = 134.1, request_s = 0.02421, sequence_s = 1.794e-05, step_s = 0.0001,
      weight_bandwidth = 0.8324,
    },
    {
      attention_efficiency = 0.7283, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.8709, expert_efficiency = 0.4238, expert_excess = 0.1422,
      expert_half = 11.45, expert_layer_s = 7.01e-05, expert_width = 230.7,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.796,
      layer_4_s = 2.646e-05, layer_8_s = 4.258e-05, layer_s = 2.456e-05,
      link_efficiency = 0.7098, link_hop_s = 5.384e-06, link_latency_s = 4.107e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8891, matrix_efficiency = 0.8631, matrix_half = 100,
      matrix_half_4 = 68.72, matrix_half_8 = 17.16, request_s = 0.03133, sequence_s = 9.829e-06,
      step_s = 0.0001, weight_bandwidth = 0.7761,
    },
    {
      attention_efficiency = 0.6984, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.8932, expert_efficiency = 0.4559, expert_excess = 0.09119,
      expert_half = 3.685, expert_layer_s = 6.266e-05, expert_width = 234.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7945,
      layer_4_s = 2.372e-05, layer_8_s = 2.995e-05, layer_s = 2.085e-05,
      link_efficiency = 0.7517, link_hop_s = 4.586e-06, link_latency_s = 3.499e-07,
      matrix_4 = 0.7906, matrix_8 = 0.7906, matrix_efficiency = 0.8438, matrix_half = 103,
      matrix_half_4 = 1, matrix_half_8 = 68.72, request_s = 0.008604, sequence_s = 1.629e-05,
      step_s = 0.0001, weight_bandwidth = 0.8082,
    },
    {
      attention_efficiency = 0.7014, expert_4 = 1.6, expert_8 = 0.8384,
      expert_bandwidth = 0.8318, expert_efficiency = 0.2957, expert_excess = 0.1478,
      expert_half = 1.006, expert_layer_s = 5.552e-05, expert_width = 137.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7978,
      layer_4_s = 2.594e-05, layer_8_s = 2.768e-05, layer_s = 3.369e-05,
      link_efficiency = 0.7454, link_hop_s = 5.235e-06, link_latency_s = 4.113e-07,
      matrix_4 = 0.7906, matrix_8 = 0.8634, matrix_efficiency = 0.9718, matrix_half = 81.41,
      matrix_half_4 = 18.87, matrix_half_8 = 134.1, request_s = 0.02421, sequence_s = 1.826e-05,
      step_s = 0.0001, weight_bandwidth = 0.8316,
    },
    {
      attention_efficiency = 0.7326, expert_4 = 1.228, expert_8 = 0.7906,
      expert_bandwidth = 0.8647, expert_efficiency = 0.4179, expert_excess = 0.1447,
      expert_half = 11.45, expert_layer_s = 7.066e-05, expert_width = 232,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7925,
      layer_4_s = 2.66e-05, layer_8_s = 4.258e-05, layer_s = 2.465e-05, link_efficiency = 0.7098,
      link_hop_s = 5.413e-06, link_latency_s = 4.13e-07, matrix_4 = 0.7906, matrix_8 = 0.8891,
      matrix_efficiency = 0.8606, matrix_half = 100, matrix_half_4 = 68.72,
      matrix_half_8 = 17.16, request_s = 0.03133, sequence_s = 1e-05, step_s = 0.0001,
      weight_bandwidth = 0.7753,
    },
    {
      attention_efficiency = 0.7066, expert_4 = 0.8891, expert_8 = 0.7029,
      expert_bandwidth = 0.8804, expert_efficiency = 0.4433, expert_excess = 0.09453,
      expert_half = 3.685, expert_layer_s = 6.365e-05, expert_width = 237.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7876,
      layer_4_s = 2.398e-05, layer_8_s = 2.995e-05, layer_s = 2.101e-05,
      link_efficiency = 0.7517, link_hop_s = 4.637e-06, link_latency_s = 3.537e-07,
      matrix_4 = 0.7906, matrix_8 = 0.7906, matrix_efficiency = 0.839, matrix_half = 103,
      matrix_half_4 = 1, matrix_half_8 = 68.72, request_s = 0.008604, sequence_s = 1.687e-05,
      step_s = 0.0001, weight_bandwidth = 0.8066,
    },
  },
  roots = {
    [[
      213 1 -4 -8 3 1 0 -3 -3 -2 1 3 0 -2 -7;514 22 -4 0 2 0 5 0 -2 2 -5 0 2 -3;1109 1 0 -1 0 6
      -2 2 -1 5 2 3 5;443 0 1 -1 -1 -1 0 -3 -2 -6 2 -5;108 1 0 -6 15 -2 -3 -9 0 -13 -6;206 1 12
      -2 -1 1 -4 0 -1 1;157 -2 -6 -5 -5 0 1 2 2;857 0 2 8 1 1 0 -1;421 -7 -12 -16 -4 -33 -7;626
      19 -1 1 -8 -1;673 -2 1 -10 -1;517 3 -4 4;814 -1 1;573 -7;420]],
    [[
      216 -2 -3 -4 4 1 3 -1 -6 0 -1 2 -1 -1 -10;516 31 2 0 3 1 8 -1 -4 0 -5 -1 0 -3;1055 2 1 -1 1
      16 1 3 -1 5 -2 1 2;436 -1 2 -1 1 -3 -1 -2 -3 -11 0 -1;113 1 2 1 14 -3 1 -6 -4 -10 -5;208 1
      9 -4 -4 0 -10 1 -2 2;162 -2 -8 -2 -3 -1 10 0 0;876 0 3 5 4 -2 0 1;430 -4 -8 -32 1 -34
      -8;627 13 -5 2 -2 1;698 0 2 -8 -2;525 5 -11 -1;829 0 -3;599 -3;430]],
    [[
      211 -1 -2 0 4 1 1 -3 -5 -3 -2 2 -3 2 -2;514 36 0 0 3 0 10 0 0 -1 -5 -1 2 -2;1073 -1 0 1 1
      12 -1 4 2 4 0 2 1;421 0 3 -1 -3 -2 -4 -4 -3 -3 0 -1;110 1 5 -2 10 1 4 -7 -3 -20 -5;209 0 21
      -2 -4 -5 -8 -1 -1 4;159 -4 -6 -3 -2 2 1 4 2;872 -1 6 8 5 1 0 -1;422 -11 -17 -17 1 -32
      -6;626 22 0 1 -9 -3;663 2 0 -15 -3;520 3 -4 2;815 0 0;591 -4;416]],
    [[
      140 1 -6 -12 4 1 0 -4 -5 -3 2 4 -3 -5 -11;322 36 -7 0 3 0 9 0 -4 4 -7 0 3 -5;766 1 0 -1 1 8
      -3 4 -1 8 2 4 7;305 0 1 -1 -2 -1 -1 -4 -3 -8 3 -7;71 1 -2 -9 26 -3 -5 -14 5 -19 -9;130 2 20
      -3 -2 1 -7 0 -2 2;100 -3 -11 -7 -7 0 -4 4 3;568 0 4 12 1 1 0 -2;266 -10 -18 -23 -31 -57
      -10;401 30 -1 3 -13 -1;469 -3 2 -14 -2;325 6 -9 5;485 -11 1;399 -11;270]],
    [[
      145 -2 -4 -6 5 1 5 -1 -10 0 -1 3 -5 -4 -14;324 49 3 1 4 1 13 -2 -7 -1 -9 -1 0 -4;685 3 1 -2
      1 25 1 5 -1 8 -3 2 4;295 -1 3 -2 1 -5 -1 -3 -4 -16 0 -2;79 2 2 1 22 -4 2 -9 -1 -13 -7;133 2
      14 -6 -6 0 -15 2 -3 3;108 -4 -14 -3 -4 -1 11 1 1;595 0 4 7 6 -2 0 2;282 -6 -12 -48 -17 -56
      -12;401 20 -9 4 -4 2;505 -1 3 -11 -3;337 6 -22 -2;513 -7 -5;438 -6;286]],
    [[
      136 -2 -4 0 6 1 2 -5 -9 -5 -3 3 -8 2 -3;322 57 1 0 4 1 15 -1 0 -1 -9 -1 3 -3;712 -2 1 1 1
      18 -2 6 3 6 0 2 1;272 0 4 -1 -5 -2 -6 -6 -5 -5 0 -1;75 1 6 -2 17 1 6 -10 1 -29 -7;134 0 33
      -4 -5 -8 -12 -1 -1 7;104 -7 -11 -5 -3 3 -2 7 4;590 -1 8 11 7 2 1 -2;270 -17 -26 -26 -18 -54
      -9;400 33 0 1 -15 -5;455 2 0 -23 -4;331 5 -9 3;491 -7 0;426 -7;264]],
    [[
      139 1 -6 -12 2 1 -2 -4 -9 -3 2 5 -13 -10 -11;322 36 -7 0 3 0 9 0 -4 4 -7 0 3 -5;766 1 0 -1
      1 8 -3 4 -1 8 2 4 7;305 0 1 -1 -2 -1 -1 -4 -3 -7 3 -7;66 1 -5 -9 38 -3 -6 -15 23 -19
      -11;130 2 20 -2 -2 1 -7 0 -2 2;99 -3 -16 -7 -7 0 -18 4 3;568 0 4 12 1 1 0 -2;250 -9 -17 -23
      -109 -75 -9;401 30 -1 3 -12 -1;469 -3 2 -14 -2;325 4 -10 5;426 -48 0;381 -13;270]],
    [[
      145 -3 -4 -6 4 1 4 -1 -11 0 -1 3 -8 -5 -15;324 49 3 1 4 1 13 -2 -7 -1 -9 -1 0 -4;685 3 1 -2
      1 25 1 5 -1 8 -3 2 4;295 -1 3 -2 1 -5 -1 -3 -4 -15 0 -2;77 2 1 1 26 -4 2 -9 5 -13 -7;133 2
      14 -6 -6 0 -15 2 -3 3;107 -4 -15 -3 -4 -1 6 1 1;595 0 4 7 6 -2 0 2;276 -6 -12 -48 -43 -63
      -12;401 20 -9 4 -4 2;505 -1 3 -10 -3;337 4 -22 -2;495 -18 -6;432 -7;286]],
    [[
      136 -2 -4 0 5 1 2 -5 -10 -5 -2 4 -11 0 -3;322 57 1 0 4 1 15 -1 0 -1 -9 -1 3 -3;712 -2 1 1 1
      18 -2 6 3 6 0 2 1;272 0 4 -1 -5 -2 -6 -6 -5 -4 0 -1;73 1 5 -2 21 1 6 -10 8 -28 -8;134 0 33
      -4 -5 -8 -12 -1 -1 7;104 -7 -13 -5 -3 3 -8 7 4;590 -1 8 11 7 2 1 -2;264 -18 -26 -25 -45 -60
      -10;400 33 0 0 -15 -5;455 2 0 -23 -4;331 4 -9 3;472 -18 0;420 -7;264]],
    [[
      98 6 -15 -25 16 3 -1 -5 -15 -10 7 15 6 4 -24;128 133 -16 -2 12 -7 65 8 -34 26 -46 8 10
      -22;601 2 1 -3 1 13 -7 12 -6 18 0 6 12;234 1 4 -8 1 -5 -3 -10 -11 -17 14 -19;56 4 5 -24 69
      -3 -15 -47 -6 -56 -15;48 8 122 -17 -1 1 -18 -9 -12 19;52 -29 -30 -26 -33 -3 -1 26 -17;354 1
      2 31 9 5 3 -8;143 -37 -102 -56 16 -135 -30;156 116 -13 5 -90 -18;238 -2 -1 -76 -16;93 26
      -161 10;72 86 4;189 -70;104]],
    [[
      118 -10 -18 1 10 3 5 1 -17 4 -4 8 -4 1 -29;120 217 31 3 17 6 82 -8 -37 0 -30 -15 4 -41;301
      -9 2 -17 -4 63 9 41 -10 37 -3 3 37;201 -2 5 -11 -13 -6 3 -9 -8 -16 4 -5;70 2 6 -8 39 -7 7
      -19 -7 -31 -10;54 5 61 -16 4 4 -34 54 -10 37;75 -19 -19 -6 -21 -5 52 5 -2;447 1 12 18 12 -2
      -1 1;213 -19 -58 -142 21 -106 -22;168 111 -39 20 -30 -6;367 -10 4 -35 -12;114 96 -250
      -46;282 99 5;268 -68;175]],
    [[
      88 -12 -15 3 19 3 1 -6 -28 -17 -13 19 -6 10 -18;126 185 -1 0 17 0 83 3 -2 4 -48 -10 18
      -32;462 -9 3 -8 2 39 -10 20 8 29 8 -4 18;158 0 10 -4 -5 -1 -10 -16 -19 -13 8 -13;59 0 15 -2
      50 19 25 -30 -10 -70 -11;56 0 66 -9 -13 -15 -25 1 -13 36;59 -26 -34 -31 -34 13 14 32 8;438
      -7 13 22 16 7 0 -4;177 -63 -127 -72 27 -116 -20;155 90 0 4 -115 -39;178 14 4 -117 -22;112
      33 -123 7;103 89 14;261 -56;102]],
    [[
      125 -5 -6 -14 7 1 -1 -2 -7 -4 2 6 2 0 -15;199 89 -48 -2 7 -8 28 -4 -32 18 -20 2 8 -43;636 9
      1 -3 2 13 -3 14 -5 10 2 5 18;247 -3 2 -2 -4 -5 -9 -4 -13 -38 12 -43;67 3 1 -14 33 -6 -4 -21
      -3 -29 -19;67 14 78 -10 -9 -4 -17 1 -8 13;67 -16 -22 -12 -26 -26 6 8 -11;448 0 1 20 2 -1 0
      -2;210 -34 -75 -140 9 -97 -16;240 135 -45 11 -45 -12;345 -41 2 -36 -2;138 45 -202 -28;125
      110 9;252 -57;184]],
    [[
      132 -5 -1 -4 7 2 4 3 -12 0 -2 5 1 -1 -21;155 186 2 0 2 5 33 -6 -8 1 -15 -34 2 -30;334 -2 3
      -7 5 54 11 53 -6 33 -22 4 37;249 -1 5 -3 -2 -6 -1 -5 -7 -26 4 -12;75 3 4 -3 27 -4 3 -16 -5
      -21 -13;72 7 69 -20 -1 7 -42 47 -9 14;89 -8 -15 -8 -13 -10 35 3 -8;480 3 -4 14 12 -23 1
      5;230 -18 -39 -170 23 -98 -19;191 75 -40 25 -23 1;430 -10 4 -22 -7;145 102 -223 -45;325 85
      14;321 -51;218]],
    [[
      121 -8 -5 2 8 2 2 -3 -12 -6 -4 5 -5 4 -6;228 90 -2 0 6 0 29 -2 -4 1 -14 -5 5 -14;577 -2 1
      -1 3 27 -2 13 4 9 -3 2 6;219 0 5 -2 -11 -2 -8 -9 -11 -14 5 -14;70 2 8 -5 23 3 10 -14 -5 -39
      -9;97 2 62 -6 -8 -11 -20 3 -3 12;85 -9 -13 -8 -10 -2 10 11 2;505 -1 8 18 10 -2 0 -2;232 -30
      -58 -81 9 -77 -11;293 70 -9 4 -32 -7;363 -9 2 -42 -8;243 16 -54 -2;340 8 4;385 -12;212]],
    [[
      124 -11 -11 -10 7 2 0 -5 -6 -5 2 6 -2 -1 -15;219 52 -9 0 7 3 14 1 -11 6 -12 -5 5 -29;661 1
      0 -2 0 13 -3 1 0 8 3 5 6;252 -1 2 -3 -11 -2 0 -6 -5 -13 8 -27;66 1 2 -15 37 -4 -3 -14 -5
      -28 -11;97 3 57 -5 0 -4 -11 4 -5 9;82 -1 -9 -7 -10 -4 21 6 8;467 9 1 28 15 -14 5 -14;220
      -23 -75 -96 -1 -85 -8;300 65 -14 2 -28 -3;374 -44 3 -44 -3;212 13 -82 5;325 6 12;352
      -12;190]],
    [[
      130 -20 -12 -1 7 2 5 2 -12 -4 -2 4 -3 -1 -17;143 119 24 4 18 12 90 -16 -56 -3 -32 12 -7
      -3;463 1 2 -9 -1 22 6 0 1 15 -9 4 0;231 -3 4 -8 -12 -3 15 -5 -3 -10 4 -15;74 1 4 -6 37 -1 6
      2 -7 -17 -7;91 1 22 -1 11 -3 -10 4 -2 9;92 -16 -9 9 -6 -2 29 4 0;508 5 12 16 16 -11 2
      -1;239 -31 -53 -129 6 -87 -13;228 67 -57 6 -29 0;429 -20 5 -28 -6;212 24 -115 -11;383 11
      0;390 -12;234]],
    [[
      115 -31 -10 13 8 3 3 2 -11 -5 -5 3 -13 2 -1;129 103 40 1 22 9 98 -5 -6 -13 -21 0 2 -22;595
      -9 1 -3 1 13 -2 5 7 9 0 2 2;158 -1 3 -10 -58 1 -12 -6 -9 13 5 -49;69 0 8 -7 30 1 16 -4 -4
      -36 -7;76 -5 148 -13 -3 -34 -33 31 -8 28;83 -18 -3 -9 2 -5 33 12 1;469 7 8 37 27 -8 5
      -14;217 -48 -111 -121 3 -97 -6;256 102 -42 8 -52 -13;314 -72 7 -73 -5;174 39 -164 -7;219 38
      28;340 -16;170]],
    [[
      125 -4 -9 -14 7 2 0 -4 -6 -4 2 6 0 -1 -13;237 46 -15 0 6 0 25 0 -8 6 -12 12 3 -12;680 1 0
      -2 0 13 -3 4 -1 8 2 5 6;262 -1 2 -3 -4 -2 -1 -6 -6 -5 7 -18;67 2 2 -13 35 -2 -4 -16 -3 -29
      -10;101 3 38 -6 -1 -1 -12 0 -4 6;84 -5 -12 -8 -13 -4 6 7 2;488 1 3 20 3 -5 1 -4;230 -25 -51
      -65 0 -75 -11;307 60 -15 5 -29 -2;386 -15 2 -32 -5;248 11 -43 5;371 3 10;362 -15;217]],
    [[
      132 -11 -8 -5 7 2 5 1 -11 0 -2 6 -2 -1 -18;172 73 -3 3 17 5 72 -9 -24 -3 -23 47 -6 -1;554 4
      1 -6 1 30 3 8 -1 11 -11 3 3;247 -1 6 -5 2 -6 -1 -5 -9 -6 2 -10;75 1 4 -2 33 1 5 -4 -9 -19
      -8;92 1 13 -15 7 -3 -31 -5 -4 10;94 -8 -14 -4 -9 -6 23 2 0;518 1 5 14 10 -16 1 1;240 -31
      -44 -126 10 -85 -12;262 53 -48 16 -27 1;434 -15 5 -25 -6;221 34 -104 -7;400 15 4;394
      -11;241]],
    [[
      120 -15 -7 -2 8 3 3 -5 -11 -6 -5 5 -8 4 -6;206 75 -10 1 12 3 49 0 4 -9 -16 34 3 -20;619 -2
      1 -1 1 24 -3 6 6 8 -3 2 2;209 0 8 -3 -8 -1 -8 -11 -13 26 4 -24;70 1 8 -4 28 3 15 -7 -4 -37
      -7;102 -1 73 -11 -13 -16 -27 -3 -5 19;88 -7 -11 -8 -8 1 16 10 2;507 2 14 24 17 -14 3 -5;225
      -52 -86 -103 4 -88 -7;276 77 -44 11 -51 -7;341 -40 8 -57 -10;214 33 -102 -3;306 17 45;372
      -13;190]],
    [[
      117 3 -8 -21 8 1 1 -6 -4 -5 1 4 2 -3 -17;261 68 -10 0 4 1 14 0 -1 4 -9 1 5 -5;695 3 0 -1 1
      10 -5 5 -2 12 4 6 11;279 0 2 -2 1 -3 -1 -4 -2 -10 1 -6;64 1 1 -10 29 -4 -6 -21 -3 -26
      -13;107 2 36 -3 0 2 -8 1 -2 4;84 -3 -13 -11 -7 3 3 5 6;497 0 8 12 2 2 0 -1;225 -19 -12 -26
      0 -70 -16;344 28 1 2 -20 -3;469 -2 0 -13 -1;264 5 -13 9;399 2 0;394 -15;225]],
    [[
      122 -1 -4 -14 8 1 8 -3 -11 0 -1 3 -2 -2 -21;274 87 1 1 6 1 18 -2 -7 -1 -10 0 1 -6;623 4 1
      -3 1 29 -1 7 -1 11 -3 3 6;267 -1 3 -2 4 -8 -2 -3 -2 -24 -3 0;73 1 5 2 26 -4 1 -14 -8 -19
      -9;113 2 34 -6 -6 1 -17 1 -3 4;93 -5 -18 -4 -4 3 17 1 5;528 1 7 7 10 -2 0 2;240 -13 -6 -50
      8 -70 -18;355 17 -9 3 -7 1;505 0 2 -9 -2;282 6 -26 -1;422 4 -9;433 -7;242]],
    [[
      112 0 -4 -6 10 1 4 -8 -8 -8 -3 4 -5 6 -6;265 107 -3 1 6 1 22 0 2 -1 -11 -1 5 -3;620 -1 1 1
      1 20 -4 7 3 10 0 4 3;242 0 4 -2 0 -5 -8 -6 -2 -8 -2 5;68 1 9 -2 19 2 6 -16 -6 -39 -12;114 0
      51 -4 -5 -8 -14 -1 -1 8;89 -8 -14 -5 -3 8 2 9 7;519 -1 13 13 11 3 1 -1;225 -27 -21 -27 8
      -66 -16;342 32 2 0 -21 -8;455 2 0 -22 -3;272 4 -11 7;399 3 -1;420 -9;216]],
    [[
      72 10 -13 -63 17 2 -1 -14 -6 -2 2 6 5 -11 -64;111 212 -15 -1 12 4 74 -4 -2 8 -35 22 13
      -2;625 5 0 -3 0 -16 -3 3 -5 28 -4 2 7;261 3 2 -4 1 -5 1 -3 -1 -10 -6 -21;45 1 -5 -13 63 -10
      -8 -52 -7 -28 -14;59 1 129 -6 1 6 0 -2 -2 10;52 -4 -22 -28 -7 15 25 6 15;373 4 26 11 12 1
      -5 -4;104 -36 -1 -54 0 -200 -65;266 29 -18 1 -54 -4;469 0 -1 -8 1;126 9 -120 19;64 62 1;302
      -62;110]],
    [[
      87 1 -5 -36 21 2 8 -6 -47 1 0 14 -15 -6 -48;233 143 2 1 7 2 29 0 -10 -1 -14 0 2 -5;586 2 1
      -3 1 21 -1 9 -2 15 -1 2 5;258 2 3 -4 3 -20 -1 -3 2 -40 -5 -6;61 1 7 1 62 -9 0 -29 -17 -21
      -6;102 2 47 -4 -6 2 -17 1 -2 5;79 -5 -33 -2 -3 10 38 2 12;497 1 11 7 14 -1 -2 1;134 -8 3
      -39 39 -163 -95;321 15 -16 1 -9 2;505 1 1 -7 0;252 3 -39 3;241 33 5;399 -49;168]],
    [[
      59 4 -6 -40 32 1 10 -24 -31 -27 -1 18 -25 29 -9;158 484 -2 0 8 2 64 -1 -4 -1 -25 3 9 -2;230
      -6 4 -8 0 -110 3 33 6 97 -4 -10 4;226 5 4 -3 -11 -16 -13 -6 8 -19 2 6;48 1 11 22 53 5 6 -55
      3 -87 -35;103 0 47 -2 1 -8 -1 -2 -2 5;70 -12 -26 12 -1 23 1 23 20;444 1 27 15 59 0 2 -3;85
      -79 -8 -31 32 -156 -73;236 33 -50 7 -66 -34;455 3 -1 -16 1;170 7 -75 2;56 136 -12;342
      -53;72]],
    [[
      96 3 -18 -29 14 3 0 -7 -16 -17 -1 18 10 -4 -32;131 247 -41 0 17 1 34 0 9 8 -32 -2 17
      -30;565 23 1 -12 3 7 -13 11 -4 39 14 5 47;246 0 9 -3 12 -6 -6 -3 -8 -15 1 -19;58 2 7 -7 54
      8 -7 -34 -5 -31 -12;60 2 57 -10 18 5 -16 43 -12 28;67 -3 -31 -27 -8 6 6 4 2;440 -1 5 12 1 1
      1 0;160 -102 -12 -74 22 -126 -35;239 30 0 19 -91 -39;469 0 -2 -9 1;96 61 -136 -17;126 118
      15;313 -56;139]],
    [[
      99 -2 -2 -26 10 0 24 -6 -3 -1 -2 -3 -2 -3 -37;197 226 -11 1 13 -1 24 -6 -6 -1 -26 14 3
      -30;508 15 1 -10 3 51 0 12 -1 27 -14 5 30;223 -1 3 2 14 -11 -7 -4 -6 -57 -5 -4;70 1 5 10 32
      1 1 -15 -8 -22 -6;71 1 135 -10 -9 0 -28 2 -6 12;69 -9 -35 -12 -4 8 31 -1 19;417 4 12 8 26
      -3 3 2;205 -51 -5 -117 8 -93 -10;317 18 -31 3 -26 -4;505 1 1 -9 -1;113 27 -153 -40;166 33
      -69;395 -15;153]],
    [[
      90 3 -14 -9 17 3 5 -14 -18 -17 -5 10 3 8 -29;136 267 -38 2 21 2 54 2 26 0 -37 7 18 -30;427
      23 1 -8 1 26 -14 -5 4 42 -11 1 34;172 1 14 -2 27 -9 -18 -11 -12 -13 -4 11;61 -1 16 1 41 23
      6 -26 -13 -50 -6;66 0 172 -9 -15 -13 -15 19 -7 41;70 -11 -35 -23 -6 18 11 15 13;399 -4 24
      22 20 -5 6 -8;159 -132 -25 -68 38 -98 -32;227 37 -1 19 -91 -40;454 1 -1 -18 0;86 54 -89
      -10;112 101 15;375 -31;109]],
    [[
      140 1 -6 -12 5 1 0 -4 -4 -3 1 4 1 -2 -10;322 36 -7 0 3 0 9 0 -4 4 -7 0 3 -5;766 1 0 -1 1 8
      -3 4 -1 8 2 4 7;305 0 1 -1 -2 -2 -1 -4 -3 -8 3 -8;71 1 -2 -9 24 -3 -5 -14 3 -20 -8;130 2 20
      -3 -2 1 -7 0 -2 2;100 -3 -9 -7 -7 0 5 4 3;568 0 4 12 1 1 0 -2;272 -11 -19 -24 -5 -50
      -10;401 30 -1 2 -13 -1;469 -3 1 -15 -2;325 5 -10 5;499 -1 1;407 -11;270]],
    [[
      145 -2 -4 -6 5 1 5 -1 -9 0 -1 3 -1 -2 -14;324 49 3 1 4 1 13 -2 -7 -1 -9 -1 0 -4;685 3 1 -2
      1 25 1 5 -1 8 -3 2 4;295 -1 3 -2 1 -5 -1 -3 -4 -16 0 -2;79 2 2 1 20 -4 2 -9 -3 -14 -6;133 2
      14 -6 -6 0 -15 2 -3 3;108 -4 -12 -3 -4 -1 17 1 1;595 0 4 7 6 -2 0 2;286 -7 -13 -48 3 -51
      -12;401 20 -9 3 -4 2;505 -1 3 -11 -3;337 7 -21 -2;523 0 -5;443 -5;286]],
    [[
      137 -2 -4 0 6 1 2 -5 -8 -5 -3 3 -4 3 -3;322 57 1 0 4 1 15 -1 0 -1 -9 -1 3 -3;712 -2 1 1 1
      18 -2 6 3 6 0 2 1;272 0 4 -1 -5 -2 -6 -6 -5 -5 0 -1;75 1 6 -3 15 1 6 -10 -1 -29 -6;134 0 33
      -4 -5 -8 -12 -1 -1 7;104 -7 -9 -5 -4 3 5 7 4;590 -1 8 11 7 2 1 -2;274 -18 -26 -26 2 -49
      -9;400 33 0 1 -15 -5;455 2 0 -23 -4;331 5 -9 3;502 0 1;431 -6;264]],
    [[
      140 1 -6 -12 4 1 -1 -4 -4 -3 1 4 3 -2 -10;322 36 -7 0 3 0 9 0 -4 4 -7 0 3 -5;766 1 0 -1 1 8
      -3 4 -1 8 2 4 7;305 0 1 -1 -2 -2 -1 -4 -3 -8 3 -8;67 1 -5 -9 27 -3 -5 -14 12 -20 -8;130 2
      20 -3 -2 1 -7 0 -2 2;99 -3 -8 -7 -7 0 15 3 3;568 0 4 12 1 1 0 -2;272 -11 -19 -24 -6 -50
      -10;401 30 -1 2 -13 -1;469 -3 1 -15 -2;325 5 -10 5;494 -1 1;407 -11;270]],
    [[
      145 -2 -4 -6 5 1 5 -1 -9 0 -1 3 -1 -2 -14;324 49 3 1 4 1 13 -2 -7 -1 -9 -1 0 -4;685 3 1 -2
      1 25 1 5 -1 8 -3 2 4;295 -1 3 -2 1 -5 -1 -3 -4 -16 0 -2;78 2 1 1 21 -4 2 -9 0 -14 -6;133 2
      14 -6 -6 0 -15 2 -3 3;107 -4 -12 -3 -4 -1 20 1 1;595 0 4 7 6 -2 0 2;286 -7 -13 -48 3 -51
      -12;401 20 -9 3 -4 2;505 -1 3 -11 -3;337 7 -21 -2;521 0 -5;443 -5;286]],
    [[
      137 -2 -4 0 6 1 2 -5 -8 -5 -3 3 -3 3 -3;322 57 1 0 4 1 15 -1 0 -1 -9 -1 3 -3;712 -2 1 1 1
      18 -2 6 3 6 0 2 1;272 0 4 -1 -5 -2 -6 -6 -5 -5 0 -1;74 1 5 -2 16 1 7 -10 2 -29 -6;134 0 33
      -4 -5 -8 -12 -1 -1 7;104 -7 -9 -5 -3 3 8 6 4;590 -1 8 11 7 2 1 -2;274 -18 -26 -26 2 -49
      -9;400 33 0 1 -15 -5;455 2 0 -23 -4;331 5 -9 3;500 0 1;431 -6;264]],
    [[
      140 0 -3 -12 5 1 0 -4 -4 -4 1 3 0 -2 -11;304 106 -10 0 0 -2 9 -5 -11 4 -20 3 2 -12;734 5 0
      1 3 8 1 11 -1 19 0 6 14;305 0 2 -2 -2 -2 -2 -4 -5 -8 3 -9;72 2 0 -9 23 -2 -5 -13 -1 -20
      -9;120 1 19 -4 -4 1 -10 12 -3 0;100 -3 -11 -9 -7 -4 2 3 1;569 0 4 12 1 1 0 -2;265 -32 -20
      -58 -3 -56 -12;390 30 -38 4 -21 -4;469 -2 1 -15 -2;285 11 -31 0;500 0 1;404 -12;268]],
    [[
      145 -5 1 -6 5 1 5 -1 -9 0 -1 2 -2 -2 -15;288 203 -3 1 -2 -4 12 -13 -24 -1 -35 3 -4 -20;591
      10 1 3 7 28 14 28 -1 44 -8 7 25;294 -1 4 -3 0 -7 -4 -3 -8 -17 -1 -4;80 2 3 1 20 -3 2 -8 -5
      -14 -6;112 0 6 -10 -13 -1 -26 29 -5 -2;107 -6 -16 -10 -5 -11 17 -1 -4;596 0 3 7 5 -1 0
      1;273 -49 -13 -116 8 -62 -17;376 20 -98 10 -20 -6;505 2 3 -11 -3;221 35 -88 -27;520 8
      -1;432 -13;281]],
    [[
      137 -4 -1 0 6 1 2 -5 -8 -6 -3 3 -5 3 -3;305 126 -2 0 1 -1 15 -6 -7 -1 -21 2 1 -10;676 1 1 3
      3 18 3 13 3 19 -3 4 9;272 0 4 -1 -5 -3 -7 -6 -6 -5 0 -2;76 1 7 -3 15 2 6 -8 -4 -29 -7;125
      -1 32 -5 -8 -9 -16 11 -2 5;104 -7 -11 -7 -4 0 4 6 2;590 -1 8 11 7 2 1 -2;267 -39 -27 -59 4
      -54 -11;389 32 -38 4 -23 -8;455 2 1 -23 -4;291 12 -30 -2;502 2 1;429 -7;263]],
    [[
      140 1 -5 -12 5 1 0 -4 -4 -4 1 4 0 -2 -11;315 65 -8 0 1 -1 9 -2 -7 4 -13 1 2 -8;753 3 0 0 1
      8 -2 7 -1 12 2 5 10;305 0 2 -2 -2 -2 -1 -4 -4 -8 3 -8;72 1 0 -9 23 -3 -5 -14 0 -20 -8;126 1
      19 -3 -2 1 -8 5 -2 2;100 -3 -10 -8 -7 -2 1 4 3;568 0 4 12 1 1 0 -2;269 -19 -19 -38 -5 -53
      -11;396 30 -17 3 -16 -3;469 -3 1 -15 -2;309 7 -17 3;500 -1 1;406 -11;269]],
    [[
      145 -3 -3 -6 5 1 5 -1 -9 0 -1 3 -2 -2 -14;315 87 2 1 3 0 13 -4 -11 -1 -15 0 -1 -8;664 4 1
      -1 2 26 3 10 -1 15 -4 3 8;295 -1 4 -2 1 -6 -2 -3 -5 -16 0 -3;80 2 3 1 20 -4 2 -9 -5 -14
      -6;128 2 11 -7 -7 0 -17 8 -3 3;108 -4 -13 -5 -4 -3 15 1 0;596 0 4 7 6 -2 0 1;283 -16 -13
      -63 3 -53 -12;395 20 -29 5 -7 1;505 0 3 -11 -3;316 11 -30 -5;524 1 -5;442 -6;285]],
    [[
      137 -3 -2 0 6 1 2 -5 -8 -5 -3 3 -5 3 -3;315 86 -1 0 3 0 15 -3 -3 -1 -14 0 2 -6;698 -1 1 1 2
      18 0 8 3 11 -1 3 4;272 0 4 -1 -5 -3 -6 -6 -5 -5 0 -1;76 1 7 -3 15 2 6 -9 -4 -29 -7;130 0 32
      -4 -6 -8 -14 3 -2 6;104 -7 -10 -6 -4 2 3 6 3;590 -1 8 11 7 2 1 -2;271 -26 -27 -40 3 -51
      -10;395 33 -16 2 -18 -6;455 2 0 -23 -4;315 8 -17 2;503 1 1;430 -6;264]],
    [[
      126 -1 -9 -12 7 1 0 -4 -6 -4 2 6 0 -1 -13;258 42 -10 0 4 0 16 1 -7 6 -11 0 4 -10;680 1 0 -1
      0 14 -3 4 -1 8 2 5 6;266 -1 2 -2 -5 -2 -1 -6 -6 -14 7 -15;67 2 2 -13 33 -3 -5 -19 -3 -30
      -10;105 3 33 -4 -3 0 -10 -2 -3 5;84 -6 -12 -9 -13 -3 3 7 3;493 0 2 19 2 -1 1 -4;237 -15 -42
      -45 0 -69 -11;324 54 -2 3 -22 -2;392 -7 1 -29 -4;265 7 -26 5;391 2 2;367 -15;223]],
    [[
      132 -6 -8 -3 7 2 5 0 -12 0 -2 5 -2 -1 -18;251 48 6 1 6 3 25 -3 -10 -1 -11 -2 0 -6;556 2 1
      -3 1 37 1 7 -1 9 -5 2 4;253 -1 5 -4 -2 -6 -1 -5 -8 -18 3 -8;75 2 4 -2 28 -4 4 -12 -6 -21
      -8;107 3 22 -9 -6 0 -21 3 -4 7;94 -6 -13 -5 -9 -4 22 3 0;527 0 5 13 8 -5 0 2;255 -9 -33 -77
      7 -70 -13;313 40 -6 6 -9 3;441 -6 4 -22 -6;278 14 -45 -5;427 4 -3;410 -9;247]],
    [[
      121 -7 -7 3 8 2 2 -4 -11 -6 -4 5 -7 4 -5;254 60 3 0 7 2 27 -1 -1 -2 -12 -2 4 -6;620 -3 1 0
      2 27 -3 7 5 7 0 2 1;222 0 6 -2 -11 -2 -8 -8 -10 -8 3 -10;70 1 8 -4 23 2 10 -13 -5 -40
      -7;109 0 50 -5 -8 -12 -18 -3 -3 11;89 -10 -11 -8 -7 2 8 11 4;522 -1 10 18 10 1 1 -4;241 -25
      -53 -49 6 -69 -10;323 56 -1 3 -27 -8;371 -2 1 -40 -8;272 10 -27 2;393 3 4;395 -10;219]],
    [[
      125 -1 -9 -12 7 2 -1 -4 -6 -4 2 6 2 -1 -13;257 45 -10 0 4 -1 17 0 -7 6 -11 4 4 -9;680 1 0
      -1 1 14 -4 4 -1 7 0 5 6;260 -1 2 -3 -5 -3 -1 -6 -6 -19 7 -15;67 2 1 -13 33 -3 -5 -19 -2 -30
      -10;104 3 35 -4 -3 1 -9 -1 -3 5;83 -4 -11 -9 -12 -2 11 8 3;492 0 2 18 2 -1 0 -4;237 -15 -42
      -45 0 -69 -11;324 54 -2 3 -22 -2;392 -8 0 -29 -4;265 6 -27 5;383 1 2;366 -15;223]],
    [[
      131 -6 -8 -4 6 2 4 0 -11 0 -1 5 -1 -1 -18;249 50 5 1 6 3 26 -3 -10 -1 -11 2 0 -5;555 3 1 -3
      1 37 1 7 -1 9 -7 2 4;246 -1 5 -4 -2 -6 -1 -5 -8 -24 2 -7;75 2 4 -2 28 -4 4 -12 -5 -21
      -8;106 3 25 -9 -6 1 -20 4 -3 7;93 -5 -13 -5 -8 -3 29 4 0;526 1 5 12 8 -5 0 2;255 -9 -33 -77
      7 -70 -13;313 40 -6 6 -9 3;441 -6 3 -22 -6;278 12 -46 -5;418 3 -3;410 -9;247]],
    [[
      117 -5 -7 3 7 3 0 -6 -11 -6 -3 3 -3 4 -4;248 70 2 0 7 1 29 -1 -1 -2 -12 13 4 -5;617 -1 1 0
      3 25 -3 7 4 6 -9 2 1;195 0 6 -4 -13 -3 -8 -9 -12 -38 3 -9;70 1 7 -4 24 2 11 -13 -1 -40
      -7;106 -1 61 -5 -8 -9 -14 -1 0 11;85 -5 -10 -9 -4 5 35 14 4;519 -1 10 17 8 0 -1 -4;241 -25
      -53 -50 5 -69 -10;323 56 0 3 -27 -8;371 -2 -1 -41 -8;271 6 -29 2;359 1 3;394 -10;219]],
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
