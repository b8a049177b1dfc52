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
  date = "2026-11-25",
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
    ["28x3584-152064-0"] = { any = 1.01, vllm = 1.031 },
    ["32x4096-128256-0"] = { any = 1.02, vllm = 1.022, sglang = 1.113, trtllm = 0.9771 },
    ["32x4096-32000-0"] = { any = 0.9962, vllm = 0.9877 },
    ["32x4096-32000-8"] = { any = 0.9702, vllm = 0.9064 },
    ["36x2880-201088-128"] = { any = 0.9288, vllm = 0.8307, trtllm = 0.8796 },
    ["36x4096-151936-0"] = { any = 1, vllm = 1 },
    ["40x5120-131072-0"] = { any = 0.9949, vllm = 0.9835 },
    ["40x5120-151936-0"] = { any = 1.013, vllm = 1.042 },
    ["48x2048-151936-128"] = { any = 1, trtllm = 1 },
    ["48x3840-262144-0"] = { any = 1, vllm = 1 },
    ["48x5120-202048-128"] = { any = 1, trtllm = 1 },
    ["48x5120-202048-16"] = { any = 0.9879, vllm = 0.9612 },
    ["48x8192-32000-0"] = { any = 0.9955, vllm = 0.9854 },
    ["56x6144-32768-8"] = { any = 0.9834, vllm = 0.947 },
    ["60x4096-248320-512"] = { any = 0.9839, sglang = 0.9485 },
    ["60x7168-64000-0"] = { any = 1.001, vllm = 1.003 },
    ["61x7168-129280-256"] = { any = 0.9866, vllm = 0.9866, sglang = 0.9802, trtllm = 0.9633 },
    ["61x7168-163840-384"] = { any = 0.9499, vllm = 0.9166, trtllm = 0.8768 },
    ["62x3072-200064-256"] = { any = 0.9625, vllm = 0.8833 },
    ["64x5120-151936-0"] = { any = 1.022, vllm = 1.095, sglang = 1.012, trtllm = 1.011 },
    ["78x6144-154880-256"] = { any = 1.053, sglang = 1.184 },
    ["80x8192-128256-0"] = { any = 0.9783, vllm = 0.9499, trtllm = 0.959 },
    ["80x8192-32000-0"] = { any = 1.003, vllm = 1.009 },
    ["94x4096-151936-128"] = { any = 0.9723, vllm = 1.086, sglang = 0.928, trtllm = 0.8562 },
  },
  constants = {
    {
      attention_efficiency = 0.5367, expert_4 = 0.8135, expert_8 = 0.6927,
      expert_bandwidth = 0.8492, expert_efficiency = 0.3108, expert_excess = 0.1635,
      expert_half = 21.27, expert_layer_s = 5.313e-05, expert_width = 86.29,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8324,
      layer_4_s = 1.742e-05, layer_8_s = 2.276e-05, layer_s = 3.734e-05,
      link_efficiency = 0.4223, link_hop_s = 7.438e-07, link_latency_s = 2.531e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5494, matrix_efficiency = 0.8772, matrix_half = 17.87,
      matrix_half_4 = 44.51, matrix_half_8 = 51.3, request_s = 0.02418, sequence_s = 2.232e-05,
      step_s = 0.0001, weight_bandwidth = 0.8084,
    },
    {
      attention_efficiency = 0.4629, expert_4 = 1.298, expert_8 = 0.7716,
      expert_bandwidth = 0.8431, expert_efficiency = 0.1785, expert_excess = 0.1554,
      expert_half = 18.86, expert_layer_s = 6.247e-05, expert_width = 229.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8383,
      layer_4_s = 8.9e-06, layer_8_s = 1.89e-05, layer_s = 3.408e-05, link_efficiency = 0.5447,
      link_hop_s = 7.058e-07, link_latency_s = 1.796e-06, matrix_4 = 0.4861, matrix_8 = 0.7893,
      matrix_efficiency = 0.7433, matrix_half = 31.03, matrix_half_4 = 82.97,
      matrix_half_8 = 51.39, request_s = 0.03198, sequence_s = 1.2e-05, step_s = 0.0001,
      weight_bandwidth = 0.7802,
    },
    {
      attention_efficiency = 0.6289, expert_4 = 0.55, expert_8 = 0.7346,
      expert_bandwidth = 0.8844, expert_efficiency = 0.3428, expert_excess = 0.1004,
      expert_half = 29.08, expert_layer_s = 5.905e-05, expert_width = 246.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8011,
      layer_4_s = 2.412e-05, layer_8_s = 2.758e-05, layer_s = 2.84e-05, link_efficiency = 0.4319,
      link_hop_s = 6.098e-07, link_latency_s = 1.733e-06, matrix_4 = 0.4801, matrix_8 = 0.7049,
      matrix_efficiency = 0.7427, matrix_half = 25.61, matrix_half_4 = 29.93,
      matrix_half_8 = 15.42, request_s = 0.0125, sequence_s = 2.033e-05, step_s = 0.0001,
      weight_bandwidth = 0.7692,
    },
    {
      attention_efficiency = 0.4543, expert_4 = 6.67, expert_8 = 5.679,
      expert_bandwidth = 0.7645, expert_efficiency = 0.03791, expert_excess = 0.1635,
      expert_half = 17.51, expert_layer_s = 6.026e-05, expert_width = 88.22,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8207,
      layer_4_s = 7.753e-06, layer_8_s = 0, layer_s = 5.238e-05, link_efficiency = 0.4738,
      link_hop_s = 7.273e-07, link_latency_s = 3.208e-06, matrix_4 = 0.4789, matrix_8 = 0.5214,
      matrix_efficiency = 0.9217, matrix_half = 79.83, matrix_half_4 = 44.51,
      matrix_half_8 = 51.3, request_s = 0.02418, sequence_s = 2.295e-05, step_s = 0.0001,
      weight_bandwidth = 0.7644,
    },
    {
      attention_efficiency = 0.3647, expert_4 = 5.827, expert_8 = 3.463,
      expert_bandwidth = 0.7956, expert_efficiency = 0.03978, expert_excess = 0.1554,
      expert_half = 13.42, expert_layer_s = 7.435e-05, expert_width = 212.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8116,
      layer_4_s = 0, layer_8_s = 9.515e-06, layer_s = 4.914e-05, link_efficiency = 0.5158,
      link_hop_s = 7.39e-07, link_latency_s = 3.26e-06, matrix_4 = 0.4437, matrix_8 = 0.7203,
      matrix_efficiency = 0.8123, matrix_half = 79.83, matrix_half_4 = 82.97,
      matrix_half_8 = 51.39, request_s = 0.03198, sequence_s = 1.234e-05, step_s = 0.0001,
      weight_bandwidth = 0.746,
    },
    {
      attention_efficiency = 0.6309, expert_4 = 5.725, expert_8 = 7.646,
      expert_bandwidth = 0.7935, expert_efficiency = 0.03294, expert_excess = 0.1004,
      expert_half = 22.59, expert_layer_s = 7.077e-05, expert_width = 145.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8107,
      layer_4_s = 1.312e-05, layer_8_s = 1.898e-05, layer_s = 4.093e-05,
      link_efficiency = 0.5379, link_hop_s = 6.406e-07, link_latency_s = 2.826e-06,
      matrix_4 = 0.4411, matrix_8 = 0.6476, matrix_efficiency = 0.8064, matrix_half = 79.83,
      matrix_half_4 = 29.93, matrix_half_8 = 15.42, request_s = 0.0125, sequence_s = 2.09e-05,
      step_s = 0.0001, weight_bandwidth = 0.7648,
    },
    {
      attention_efficiency = 0.4543, expert_4 = 6.67, expert_8 = 5.679,
      expert_bandwidth = 0.7645, expert_efficiency = 0.03791, expert_excess = 0.1635,
      expert_half = 17.51, expert_layer_s = 6.026e-05, expert_width = 88.22,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8127,
      layer_4_s = 8.134e-06, layer_8_s = 1.722e-07, layer_s = 4.995e-05,
      link_efficiency = 0.4976, link_hop_s = 6.925e-07, link_latency_s = 3.402e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5164, matrix_efficiency = 0.9308, matrix_half = 60.69,
      matrix_half_4 = 44.51, matrix_half_8 = 51.3, request_s = 0.02418, sequence_s = 2.295e-05,
      step_s = 0.0001, weight_bandwidth = 0.7495,
    },
    {
      attention_efficiency = 0.3647, expert_4 = 5.827, expert_8 = 3.463,
      expert_bandwidth = 0.7956, expert_efficiency = 0.03978, expert_excess = 0.1554,
      expert_half = 13.42, expert_layer_s = 7.435e-05, expert_width = 212.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8037,
      layer_4_s = 0, layer_8_s = 8.697e-06, layer_s = 4.85e-05, link_efficiency = 0.6092,
      link_hop_s = 7.247e-07, link_latency_s = 3.561e-06, matrix_4 = 0.4524, matrix_8 = 0.7346,
      matrix_efficiency = 0.7966, matrix_half = 115.8, matrix_half_4 = 82.97,
      matrix_half_8 = 51.39, request_s = 0.03198, sequence_s = 1.234e-05, step_s = 0.0001,
      weight_bandwidth = 0.7315,
    },
    {
      attention_efficiency = 0.6309, expert_4 = 5.725, expert_8 = 7.646,
      expert_bandwidth = 0.7935, expert_efficiency = 0.03294, expert_excess = 0.1004,
      expert_half = 22.59, expert_layer_s = 7.077e-05, expert_width = 145.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8268,
      layer_4_s = 1.352e-05, layer_8_s = 1.93e-05, layer_s = 4.411e-05, link_efficiency = 0.4336,
      link_hop_s = 6.86e-07, link_latency_s = 2.44e-06, matrix_4 = 0.4368, matrix_8 = 0.6413,
      matrix_efficiency = 0.8143, matrix_half = 72.39, matrix_half_4 = 29.93,
      matrix_half_8 = 15.42, request_s = 0.0125, sequence_s = 2.09e-05, step_s = 0.0001,
      weight_bandwidth = 0.7953,
    },
    {
      attention_efficiency = 0.4543, expert_4 = 6.67, expert_8 = 5.679,
      expert_bandwidth = 0.7645, expert_efficiency = 0.03791, expert_excess = 0.1635,
      expert_half = 17.51, expert_layer_s = 6.026e-05, expert_width = 88.22,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8036,
      layer_4_s = 8.134e-06, layer_8_s = 1.722e-07, layer_s = 4.874e-05,
      link_efficiency = 0.4982, link_hop_s = 6.929e-07, link_latency_s = 3.404e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5164, matrix_efficiency = 0.9272, matrix_half = 60.69,
      matrix_half_4 = 44.51, matrix_half_8 = 51.3, request_s = 0.02418, sequence_s = 2.391e-05,
      step_s = 0.0001, weight_bandwidth = 0.7439,
    },
    {
      attention_efficiency = 0.3647, expert_4 = 5.827, expert_8 = 3.463,
      expert_bandwidth = 0.7956, expert_efficiency = 0.03978, expert_excess = 0.1554,
      expert_half = 13.42, expert_layer_s = 7.435e-05, expert_width = 212.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7992,
      layer_4_s = 0, layer_8_s = 8.697e-06, layer_s = 4.791e-05, link_efficiency = 0.6095,
      link_hop_s = 7.249e-07, link_latency_s = 3.562e-06, matrix_4 = 0.4524, matrix_8 = 0.7346,
      matrix_efficiency = 0.795, matrix_half = 115.8, matrix_half_4 = 82.97,
      matrix_half_8 = 51.39, request_s = 0.03198, sequence_s = 1.259e-05, step_s = 0.0001,
      weight_bandwidth = 0.7288,
    },
    {
      attention_efficiency = 0.6309, expert_4 = 5.725, expert_8 = 7.646,
      expert_bandwidth = 0.7935, expert_efficiency = 0.03294, expert_excess = 0.1004,
      expert_half = 22.59, expert_layer_s = 7.077e-05, expert_width = 145.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8221,
      layer_4_s = 1.352e-05, layer_8_s = 1.93e-05, layer_s = 4.357e-05, link_efficiency = 0.4339,
      link_hop_s = 6.862e-07, link_latency_s = 2.441e-06, matrix_4 = 0.4368, matrix_8 = 0.6413,
      matrix_efficiency = 0.8127, matrix_half = 72.39, matrix_half_4 = 29.93,
      matrix_half_8 = 15.42, request_s = 0.0125, sequence_s = 2.133e-05, step_s = 0.0001,
      weight_bandwidth = 0.7924,
    },
    {
      attention_efficiency = 0.5195, expert_4 = 1.092, expert_8 = 0.7239,
      expert_bandwidth = 0.9161, expert_efficiency = 0.2162, expert_excess = 0.1605,
      expert_half = 55.39, expert_layer_s = 4.306e-05, expert_width = 56.61,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8744,
      layer_4_s = 1.541e-05, layer_8_s = 3.209e-05, layer_s = 3.619e-05,
      link_efficiency = 0.3169, link_hop_s = 4.704e-07, link_latency_s = 4.961e-06,
      matrix_4 = 0.5723, matrix_8 = 0.5088, matrix_efficiency = 0.9329, matrix_half = 58.93,
      matrix_half_4 = 49.41, matrix_half_8 = 35.77, request_s = 0.02418, sequence_s = 2.263e-05,
      step_s = 0.0001, weight_bandwidth = 0.7397,
    },
    {
      attention_efficiency = 0.4567, expert_4 = 0.7906, expert_8 = 0.3088,
      expert_bandwidth = 0.8745, expert_efficiency = 0.1806, expert_excess = 0.1203,
      expert_half = 15.21, expert_layer_s = 5.226e-05, expert_width = 253.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8478,
      layer_4_s = 7.961e-06, layer_8_s = 3.152e-05, layer_s = 3.393e-05, link_efficiency = 0.48,
      link_hop_s = 4.402e-07, link_latency_s = 2.988e-06, matrix_4 = 0.5557, matrix_8 = 0.9156,
      matrix_efficiency = 0.7503, matrix_half = 50.88, matrix_half_4 = 119.3,
      matrix_half_8 = 33.95, request_s = 0.03198, sequence_s = 1.315e-05, step_s = 0.0001,
      weight_bandwidth = 0.7431,
    },
    {
      attention_efficiency = 0.6388, expert_4 = 0.7395, expert_8 = 0.5862,
      expert_bandwidth = 0.8818, expert_efficiency = 0.2494, expert_excess = 0.08623,
      expert_half = 47.3, expert_layer_s = 4.861e-05, expert_width = 78.44,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7821,
      layer_4_s = 2.636e-05, layer_8_s = 3.125e-05, layer_s = 2.096e-05,
      link_efficiency = 0.4149, link_hop_s = 3.749e-07, link_latency_s = 2.62e-06,
      matrix_4 = 0.5723, matrix_8 = 0.7239, matrix_efficiency = 0.726, matrix_half = 30.88,
      matrix_half_4 = 42.95, matrix_half_8 = 62.5, request_s = 0.0125, sequence_s = 1.446e-05,
      step_s = 0.0001, weight_bandwidth = 0.7041,
    },
    {
      attention_efficiency = 0.7214, expert_4 = 0.625, expert_8 = 0.7906,
      expert_bandwidth = 0.9784, expert_efficiency = 0.315, expert_excess = 0.1468,
      expert_half = 26.57, expert_layer_s = 4.364e-05, expert_width = 58.26,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7793,
      layer_4_s = 1.318e-05, layer_8_s = 2.908e-05, layer_s = 3.59e-05, link_efficiency = 0.4267,
      link_hop_s = 3.868e-07, link_latency_s = 5.01e-06, matrix_4 = 0.3683, matrix_8 = 0.4659,
      matrix_efficiency = 0.9558, matrix_half = 1.637, matrix_half_4 = 25.14,
      matrix_half_8 = 17.16, request_s = 0.02418, sequence_s = 2.318e-05, step_s = 0.0001,
      weight_bandwidth = 0.7828,
    },
    {
      attention_efficiency = 0.6114, expert_4 = 0.524, expert_8 = 0.2912,
      expert_bandwidth = 0.9334, expert_efficiency = 0.3112, expert_excess = 0.1558,
      expert_half = 21.42, expert_layer_s = 4.847e-05, expert_width = 288,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8036,
      layer_4_s = 4.469e-06, layer_8_s = 4.124e-05, layer_s = 3.392e-05,
      link_efficiency = 0.4909, link_hop_s = 3.931e-07, link_latency_s = 3.09e-06,
      matrix_4 = 0.3473, matrix_8 = 0.8891, matrix_efficiency = 0.8835, matrix_half = 2.276,
      matrix_half_4 = 202.4, matrix_half_8 = 214.6, request_s = 0.03198, sequence_s = 1.23e-05,
      step_s = 0.0001, weight_bandwidth = 0.761,
    },
    {
      attention_efficiency = 0.8172, expert_4 = 0.8076, expert_8 = 0.5862,
      expert_bandwidth = 0.956, expert_efficiency = 0.2709, expert_excess = 0.09266,
      expert_half = 50.17, expert_layer_s = 5.552e-05, expert_width = 96.48,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7968,
      layer_4_s = 2.735e-05, layer_8_s = 3.414e-05, layer_s = 2.648e-05, link_efficiency = 0.505,
      link_hop_s = 3.613e-07, link_latency_s = 2.84e-06, matrix_4 = 0.3577, matrix_8 = 0.6826,
      matrix_efficiency = 0.7869, matrix_half = 36.83, matrix_half_4 = 88.91,
      matrix_half_8 = 68.26, request_s = 0.0125, sequence_s = 1.946e-05, step_s = 0.0001,
      weight_bandwidth = 0.6962,
    },
    {
      attention_efficiency = 0.559, expert_4 = 0.9711, expert_8 = 1.03,
      expert_bandwidth = 0.9436, expert_efficiency = 0.3736, expert_excess = 0.1209,
      expert_half = 44.38, expert_layer_s = 4.107e-05, expert_width = 42.33,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8709,
      layer_4_s = 1.492e-05, layer_8_s = 3.076e-05, layer_s = 3.488e-05,
      link_efficiency = 0.3164, link_hop_s = 2.728e-07, link_latency_s = 3.747e-06,
      matrix_4 = 0.524, matrix_8 = 0.4659, matrix_efficiency = 0.9168, matrix_half = 100,
      matrix_half_4 = 46.59, matrix_half_8 = 23.02, request_s = 0.02418, sequence_s = 9.886e-06,
      step_s = 0.0001, weight_bandwidth = 0.7866,
    },
    {
      attention_efficiency = 0.5388, expert_4 = 0.7677, expert_8 = 0.3473,
      expert_bandwidth = 0.9291, expert_efficiency = 0.6151, expert_excess = 0.12,
      expert_half = 27.2, expert_layer_s = 4.224e-05, expert_width = 169,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8908,
      layer_4_s = 6.044e-06, layer_8_s = 4.744e-05, layer_s = 3.011e-05,
      link_efficiency = 0.7419, link_hop_s = 1.023e-07, link_latency_s = 3.199e-06,
      matrix_4 = 0.5396, matrix_8 = 0.8384, matrix_efficiency = 0.7711, matrix_half = 88.91,
      matrix_half_4 = 241.4, matrix_half_8 = 164.8, request_s = 0.03198, sequence_s = 6.354e-06,
      step_s = 0.0001, weight_bandwidth = 0.7647,
    },
    {
      attention_efficiency = 0.8067, expert_4 = 0.3249, expert_8 = 0.5862,
      expert_bandwidth = 0.8802, expert_efficiency = 0.3968, expert_excess = 0.0791,
      expert_half = 34.92, expert_layer_s = 4.839e-05, expert_width = 53.48,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8452,
      layer_4_s = 2.126e-05, layer_8_s = 3.69e-05, layer_s = 2.505e-05, link_efficiency = 0.7955,
      link_hop_s = 2.571e-07, link_latency_s = 2.792e-06, matrix_4 = 0.4941, matrix_8 = 0.6628,
      matrix_efficiency = 0.7425, matrix_half = 70.29, matrix_half_4 = 1, matrix_half_8 = 70.29,
      request_s = 0.0125, sequence_s = 1.011e-05, step_s = 0.0001, weight_bandwidth = 0.6997,
    },
    {
      attention_efficiency = 0.7512, expert_4 = 0.5557, expert_8 = 0.8891,
      expert_bandwidth = 0.8888, expert_efficiency = 0.5127, expert_excess = 0.1334,
      expert_half = 34.41, expert_layer_s = 3.725e-05, expert_width = 54.38,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8343,
      layer_4_s = 1.469e-05, layer_8_s = 2.91e-05, layer_s = 3.335e-05, link_efficiency = 0.4674,
      link_hop_s = 5.944e-07, link_latency_s = 5.104e-06, matrix_4 = 0.3683, matrix_8 = 0.4659,
      matrix_efficiency = 0.9755, matrix_half = 33.73, matrix_half_4 = 55.57,
      matrix_half_8 = 20.47, request_s = 0.02418, sequence_s = 1.827e-05, step_s = 0.0001,
      weight_bandwidth = 0.7836,
    },
    {
      attention_efficiency = 0.6199, expert_4 = 0.4023, expert_8 = 0.2828,
      expert_bandwidth = 0.8898, expert_efficiency = 0.7393, expert_excess = 0.1216,
      expert_half = 30.3, expert_layer_s = 4.332e-05, expert_width = 173,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8534,
      layer_4_s = 4.709e-06, layer_8_s = 4.533e-05, layer_s = 3.104e-05,
      link_efficiency = 0.6814, link_hop_s = 4.376e-07, link_latency_s = 2.418e-06,
      matrix_4 = 0.318, matrix_8 = 0.7906, matrix_efficiency = 0.8649, matrix_half = 112.5,
      matrix_half_4 = 164.8, matrix_half_8 = 26.84, request_s = 0.03198, sequence_s = 8.981e-06,
      step_s = 0.0001, weight_bandwidth = 0.7641,
    },
    {
      attention_efficiency = 0.9294, expert_4 = 0.7395, expert_8 = 0.5862,
      expert_bandwidth = 0.9165, expert_efficiency = 0.484, expert_excess = 0.0797,
      expert_half = 53.39, expert_layer_s = 4.762e-05, expert_width = 77.86,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8263,
      layer_4_s = 2.472e-05, layer_8_s = 3.494e-05, layer_s = 2.463e-05,
      link_efficiency = 0.7076, link_hop_s = 2.792e-07, link_latency_s = 2.776e-06,
      matrix_4 = 0.3275, matrix_8 = 0.6628, matrix_efficiency = 0.8616, matrix_half = 94.29,
      matrix_half_4 = 115.8, matrix_half_8 = 1.265, request_s = 0.0125, sequence_s = 1.808e-05,
      step_s = 0.0001, weight_bandwidth = 0.6965,
    },
    {
      attention_efficiency = 0.5285, expert_4 = 0.8046, expert_8 = 0.4728,
      expert_bandwidth = 0.8371, expert_efficiency = 0.2631, expert_excess = 0.1749,
      expert_half = 16.19, expert_layer_s = 6.848e-05, expert_width = 116.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8653,
      layer_4_s = 1.517e-05, layer_8_s = 1.958e-05, layer_s = 4.476e-05,
      link_efficiency = 0.5967, link_hop_s = 2.952e-07, link_latency_s = 3.35e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5723, matrix_efficiency = 0.8907, matrix_half = 1,
      matrix_half_4 = 44.51, matrix_half_8 = 160, request_s = 0.02418, sequence_s = 2.851e-05,
      step_s = 0.0001, weight_bandwidth = 0.8797,
    },
    {
      attention_efficiency = 0.412, expert_4 = 2.379, expert_8 = 1.937,
      expert_bandwidth = 0.8242, expert_efficiency = 0.08158, expert_excess = 0.1662,
      expert_half = 16.19, expert_layer_s = 7.612e-05, expert_width = 282.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8433,
      layer_4_s = 5.786e-06, layer_8_s = 7.829e-06, layer_s = 4.084e-05, link_efficiency = 0.699,
      link_hop_s = 4.083e-07, link_latency_s = 1.758e-06, matrix_4 = 0.4659, matrix_8 = 0.6927,
      matrix_efficiency = 0.7402, matrix_half = 15.48, matrix_half_4 = 82.97,
      matrix_half_8 = 174.7, request_s = 0.03198, sequence_s = 1.533e-05, step_s = 0.0001,
      weight_bandwidth = 0.8712,
    },
    {
      attention_efficiency = 0.6063, expert_4 = 0.4511, expert_8 = 0.5723,
      expert_bandwidth = 0.8874, expert_efficiency = 0.3499, expert_excess = 0.1073,
      expert_half = 44.04, expert_layer_s = 6.735e-05, expert_width = 355.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7489,
      layer_4_s = 2.112e-05, layer_8_s = 1.987e-05, layer_s = 3.355e-05,
      link_efficiency = 0.6023, link_hop_s = 2.346e-07, link_latency_s = 1.817e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6927, matrix_efficiency = 0.7566, matrix_half = 1,
      matrix_half_4 = 29.93, matrix_half_8 = 1, request_s = 0.0125, sequence_s = 2.596e-05,
      step_s = 0.0001, weight_bandwidth = 0.8547,
    },
    {
      attention_efficiency = 0.5441, expert_4 = 0.8046, expert_8 = 0.4659,
      expert_bandwidth = 0.8917, expert_efficiency = 0.2474, expert_excess = 0.159,
      expert_half = 29.34, expert_layer_s = 5.904e-05, expert_width = 139.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8931,
      layer_4_s = 1.57e-05, layer_8_s = 1.705e-05, layer_s = 4.745e-05, link_efficiency = 0.7681,
      link_hop_s = 2.923e-07, link_latency_s = 3.367e-06, matrix_4 = 0.4742, matrix_8 = 0.5557,
      matrix_efficiency = 0.8609, matrix_half = 1, matrix_half_4 = 44.51, matrix_half_8 = 146.5,
      request_s = 0.02418, sequence_s = 3.029e-05, step_s = 0.0001, weight_bandwidth = 0.9321,
    },
    {
      attention_efficiency = 0.4165, expert_4 = 2.56, expert_8 = 1.965,
      expert_bandwidth = 0.8675, expert_efficiency = 0.0659, expert_excess = 0.1493,
      expert_half = 15.27, expert_layer_s = 6.791e-05, expert_width = 386.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8428,
      layer_4_s = 6.208e-06, layer_8_s = 6.294e-06, layer_s = 4.621e-05,
      link_efficiency = 0.8682, link_hop_s = 4.042e-07, link_latency_s = 1.819e-06,
      matrix_4 = 0.4659, matrix_8 = 0.6628, matrix_efficiency = 0.7475, matrix_half = 10.73,
      matrix_half_4 = 82.97, matrix_half_8 = 169.7, request_s = 0.03198, sequence_s = 1.691e-05,
      step_s = 0.0001, weight_bandwidth = 0.8904,
    },
    {
      attention_efficiency = 0.6494, expert_4 = 0.4855, expert_8 = 0.5893,
      expert_bandwidth = 0.9159, expert_efficiency = 0.2271, expert_excess = 0.0857,
      expert_half = 41.12, expert_layer_s = 5.493e-05, expert_width = 557.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8758,
      layer_4_s = 2.219e-05, layer_8_s = 1.227e-05, layer_s = 4.646e-05,
      link_efficiency = 0.6994, link_hop_s = 2.324e-07, link_latency_s = 1.937e-06,
      matrix_4 = 0.4498, matrix_8 = 0.6826, matrix_efficiency = 0.7043, matrix_half = 1,
      matrix_half_4 = 29.93, matrix_half_8 = 1, request_s = 0.0125, sequence_s = 3.756e-05,
      step_s = 0.0001, weight_bandwidth = 0.8481,
    },
    {
      attention_efficiency = 0.4707, expert_4 = 0.8046, expert_8 = 0.4798,
      expert_bandwidth = 0.7248, expert_efficiency = 0.287, expert_excess = 0.2147,
      expert_half = 8.939, expert_layer_s = 6.872e-05, expert_width = 100.8,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8136,
      layer_4_s = 1.462e-05, layer_8_s = 2.288e-05, layer_s = 3.916e-05,
      link_efficiency = 0.4982, link_hop_s = 2.905e-07, link_latency_s = 3.248e-06,
      matrix_4 = 0.4742, matrix_8 = 0.5893, matrix_efficiency = 0.9047, matrix_half = 1,
      matrix_half_4 = 44.51, matrix_half_8 = 174.7, request_s = 0.02418, sequence_s = 3.758e-05,
      step_s = 0.0001, weight_bandwidth = 0.8687,
    },
    {
      attention_efficiency = 0.3217, expert_4 = 2.21, expert_8 = 1.908, expert_bandwidth = 0.804,
      expert_efficiency = 0.08606, expert_excess = 0.227, expert_half = 17.17,
      expert_layer_s = 7.798e-05, expert_width = 196.8, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.874, layer_4_s = 5.353e-06,
      layer_8_s = 8.337e-06, layer_s = 3.549e-05, link_efficiency = 0.5374,
      link_hop_s = 4.044e-07, link_latency_s = 1.666e-06, matrix_4 = 0.4659, matrix_8 = 0.7239,
      matrix_efficiency = 0.6868, matrix_half = 22.35, matrix_half_4 = 82.97,
      matrix_half_8 = 179.9, request_s = 0.03198, sequence_s = 1.199e-05, step_s = 0.0001,
      weight_bandwidth = 0.8658,
    },
    {
      attention_efficiency = 0.5607, expert_4 = 0.4192, expert_8 = 0.5557,
      expert_bandwidth = 0.8957, expert_efficiency = 0.3657, expert_excess = 0.1197,
      expert_half = 47.16, expert_layer_s = 0.0001096, expert_width = 286,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.6869,
      layer_4_s = 1.995e-05, layer_8_s = 2.081e-05, layer_s = 2.903e-05,
      link_efficiency = 0.4719, link_hop_s = 2.369e-07, link_latency_s = 1.705e-06,
      matrix_4 = 0.4498, matrix_8 = 0.7029, matrix_efficiency = 0.7701, matrix_half = 1,
      matrix_half_4 = 29.93, matrix_half_8 = 1, request_s = 0.0125, sequence_s = 3.048e-05,
      step_s = 0.0001, weight_bandwidth = 0.8667,
    },
    {
      attention_efficiency = 0.4866, expert_4 = 1.038, expert_8 = 1.02, expert_bandwidth = 0.797,
      expert_efficiency = 0.2436, expert_excess = 0.1635, expert_half = 32.41,
      expert_layer_s = 4.162e-05, expert_width = 62.42, host_link_efficiency = 0.29,
      host_link_latency_s = 2e-05, kv_bandwidth = 0.7941, layer_4_s = 2.425e-05,
      layer_8_s = 1.745e-05, layer_s = 2.329e-05, link_efficiency = 0.2, link_hop_s = 5.573e-06,
      link_latency_s = 4.866e-07, matrix_4 = 0.6424, matrix_8 = 0.731,
      matrix_efficiency = 0.6886, matrix_half = 33.88, matrix_half_4 = 44.51,
      matrix_half_8 = 83.02, request_s = 0.02418, sequence_s = 2.256e-05, step_s = 0.0001,
      weight_bandwidth = 0.7654,
    },
    {
      attention_efficiency = 0.3906, expert_4 = 0.9067, expert_8 = 1.02,
      expert_bandwidth = 0.8625, expert_efficiency = 0.2557, expert_excess = 0.1554,
      expert_half = 29.88, expert_layer_s = 4.741e-05, expert_width = 92.07,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7853,
      layer_4_s = 1.696e-05, layer_8_s = 7.488e-06, layer_s = 2.185e-05,
      link_efficiency = 0.2177, link_hop_s = 5.663e-06, link_latency_s = 4.945e-07,
      matrix_4 = 0.5951, matrix_8 = 0.731, matrix_efficiency = 0.6068, matrix_half = 33.88,
      matrix_half_4 = 82.97, matrix_half_8 = 83.02, request_s = 0.03198, sequence_s = 1.213e-05,
      step_s = 0.0001, weight_bandwidth = 0.7471,
    },
    {
      attention_efficiency = 0.6757, expert_4 = 0.8909, expert_8 = 1.02,
      expert_bandwidth = 0.8326, expert_efficiency = 0.2117, expert_excess = 0.1004,
      expert_half = 47.24, expert_layer_s = 5.229e-05, expert_width = 52.87,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7844,
      layer_4_s = 3.049e-05, layer_8_s = 5.902e-06, layer_s = 1.82e-05, link_efficiency = 0.227,
      link_hop_s = 4.908e-06, link_latency_s = 4.286e-07, matrix_4 = 0.5917, matrix_8 = 0.731,
      matrix_efficiency = 0.6024, matrix_half = 33.88, matrix_half_4 = 29.93,
      matrix_half_8 = 83.02, request_s = 0.0125, sequence_s = 2.054e-05, step_s = 0.0001,
      weight_bandwidth = 0.7659,
    },
    {
      attention_efficiency = 0.511, expert_4 = 0.5333, expert_8 = 0.4798,
      expert_bandwidth = 0.7918, expert_efficiency = 0.4741, expert_excess = 0.1635,
      expert_half = 77.35, expert_layer_s = 4.9e-05, expert_width = 54.13,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7941,
      layer_4_s = 2.425e-05, layer_8_s = 1.839e-05, layer_s = 2.589e-05,
      link_efficiency = 0.3107, link_hop_s = 5.573e-06, link_latency_s = 4.251e-07,
      matrix_4 = 0.6177, matrix_8 = 0.6628, matrix_efficiency = 0.7161, matrix_half = 76.77,
      matrix_half_4 = 44.51, matrix_half_8 = 94.29, request_s = 0.02418, sequence_s = 2.256e-05,
      step_s = 0.0001, weight_bandwidth = 0.7992,
    },
    {
      attention_efficiency = 0.4751, expert_4 = 1.747, expert_8 = 1.965,
      expert_bandwidth = 0.8403, expert_efficiency = 0.1327, expert_excess = 0.1554,
      expert_half = 44.69, expert_layer_s = 4.589e-05, expert_width = 30.47,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8087,
      layer_4_s = 1.696e-05, layer_8_s = 1.98e-07, layer_s = 1.983e-05, link_efficiency = 0.3382,
      link_hop_s = 6.185e-06, link_latency_s = 4.32e-07, matrix_4 = 0.6436, matrix_8 = 0.7455,
      matrix_efficiency = 0.5611, matrix_half = 7.371, matrix_half_4 = 82.97,
      matrix_half_8 = 49.41, request_s = 0.03198, sequence_s = 1.213e-05, step_s = 0.0001,
      weight_bandwidth = 0.6935,
    },
    {
      attention_efficiency = 0.529, expert_4 = 0.8996, expert_8 = 1.125,
      expert_bandwidth = 0.8603, expert_efficiency = 0.2096, expert_excess = 0.1004,
      expert_half = 13.24, expert_layer_s = 4.589e-05, expert_width = 184.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7617,
      layer_4_s = 3.049e-05, layer_8_s = 2.276e-05, layer_s = 1.834e-05,
      link_efficiency = 0.09405, link_hop_s = 4.494e-06, link_latency_s = 5.615e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.6264, matrix_half = 68.72,
      matrix_half_4 = 29.93, matrix_half_8 = 122.8, request_s = 0.0125, sequence_s = 2.054e-05,
      step_s = 0.0001, weight_bandwidth = 0.7902,
    },
    {
      attention_efficiency = 0.511, expert_4 = 0.5333, expert_8 = 0.4798,
      expert_bandwidth = 0.7918, expert_efficiency = 0.4741, expert_excess = 0.1635,
      expert_half = 77.35, expert_layer_s = 4.9e-05, expert_width = 54.13,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7923,
      layer_4_s = 2.425e-05, layer_8_s = 1.839e-05, layer_s = 2.587e-05,
      link_efficiency = 0.3107, link_hop_s = 5.573e-06, link_latency_s = 4.251e-07,
      matrix_4 = 0.6177, matrix_8 = 0.6628, matrix_efficiency = 0.7155, matrix_half = 76.77,
      matrix_half_4 = 44.51, matrix_half_8 = 94.29, request_s = 0.02418, sequence_s = 2.291e-05,
      step_s = 0.0001, weight_bandwidth = 0.7995,
    },
    {
      attention_efficiency = 0.4751, expert_4 = 1.747, expert_8 = 1.965,
      expert_bandwidth = 0.8403, expert_efficiency = 0.1327, expert_excess = 0.1554,
      expert_half = 44.69, expert_layer_s = 4.589e-05, expert_width = 30.47,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8078,
      layer_4_s = 1.696e-05, layer_8_s = 1.98e-07, layer_s = 1.982e-05, link_efficiency = 0.3382,
      link_hop_s = 6.185e-06, link_latency_s = 4.32e-07, matrix_4 = 0.6436, matrix_8 = 0.7455,
      matrix_efficiency = 0.5609, matrix_half = 7.371, matrix_half_4 = 82.97,
      matrix_half_8 = 49.41, request_s = 0.03198, sequence_s = 1.222e-05, step_s = 0.0001,
      weight_bandwidth = 0.6937,
    },
    {
      attention_efficiency = 0.529, expert_4 = 0.8996, expert_8 = 1.125,
      expert_bandwidth = 0.8603, expert_efficiency = 0.2096, expert_excess = 0.1004,
      expert_half = 13.24, expert_layer_s = 4.589e-05, expert_width = 184.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7609,
      layer_4_s = 3.049e-05, layer_8_s = 2.276e-05, layer_s = 1.833e-05,
      link_efficiency = 0.09405, link_hop_s = 4.494e-06, link_latency_s = 5.615e-07,
      matrix_4 = 0.5689, matrix_8 = 0.7906, matrix_efficiency = 0.6262, matrix_half = 68.72,
      matrix_half_4 = 29.93, matrix_half_8 = 122.8, request_s = 0.0125, sequence_s = 2.07e-05,
      step_s = 0.0001, weight_bandwidth = 0.7904,
    },
    {
      attention_efficiency = 0.5296, expert_4 = 0.8135, expert_8 = 0.6927,
      expert_bandwidth = 0.8264, expert_efficiency = 0.2687, expert_excess = 0.1635,
      expert_half = 21.27, expert_layer_s = 7.782e-05, expert_width = 110.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8228,
      layer_4_s = 1.742e-05, layer_8_s = 2.871e-05, layer_s = 4.453e-05,
      link_efficiency = 0.4076, link_hop_s = 7.873e-07, link_latency_s = 2.679e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5494, matrix_efficiency = 0.8748, matrix_half = 17.87,
      matrix_half_4 = 44.51, matrix_half_8 = 51.3, request_s = 0.02418, sequence_s = 2.274e-05,
      step_s = 0.0001, weight_bandwidth = 0.8053,
    },
    {
      attention_efficiency = 0.4543, expert_4 = 1.298, expert_8 = 0.7716,
      expert_bandwidth = 0.8112, expert_efficiency = 0.1452, expert_excess = 0.1554,
      expert_half = 18.86, expert_layer_s = 0.0001076, expert_width = 325.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8244,
      layer_4_s = 8.9e-06, layer_8_s = 2.631e-05, layer_s = 4.379e-05, link_efficiency = 0.5179,
      link_hop_s = 7.653e-07, link_latency_s = 1.947e-06, matrix_4 = 0.4861, matrix_8 = 0.7893,
      matrix_efficiency = 0.7405, matrix_half = 31.03, matrix_half_4 = 82.97,
      matrix_half_8 = 51.39, request_s = 0.03198, sequence_s = 1.232e-05, step_s = 0.0001,
      weight_bandwidth = 0.7761,
    },
    {
      attention_efficiency = 0.6206, expert_4 = 0.55, expert_8 = 0.7346,
      expert_bandwidth = 0.8607, expert_efficiency = 0.2964, expert_excess = 0.1004,
      expert_half = 29.08, expert_layer_s = 8.649e-05, expert_width = 315.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7918,
      layer_4_s = 2.412e-05, layer_8_s = 3.478e-05, layer_s = 3.388e-05,
      link_efficiency = 0.4168, link_hop_s = 6.455e-07, link_latency_s = 1.834e-06,
      matrix_4 = 0.4801, matrix_8 = 0.7049, matrix_efficiency = 0.7407, matrix_half = 25.61,
      matrix_half_4 = 29.93, matrix_half_8 = 15.42, request_s = 0.0125, sequence_s = 2.071e-05,
      step_s = 0.0001, weight_bandwidth = 0.7663,
    },
    {
      attention_efficiency = 0.5326, expert_4 = 0.8135, expert_8 = 0.6927,
      expert_bandwidth = 0.836, expert_efficiency = 0.2858, expert_excess = 0.1635,
      expert_half = 21.27, expert_layer_s = 6.62e-05, expert_width = 99.48,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8268,
      layer_4_s = 1.742e-05, layer_8_s = 2.602e-05, layer_s = 4.133e-05,
      link_efficiency = 0.4138, link_hop_s = 7.686e-07, link_latency_s = 2.615e-06,
      matrix_4 = 0.5045, matrix_8 = 0.5494, matrix_efficiency = 0.8758, matrix_half = 17.87,
      matrix_half_4 = 44.51, matrix_half_8 = 51.3, request_s = 0.02418, sequence_s = 2.256e-05,
      step_s = 0.0001, weight_bandwidth = 0.8066,
    },
    {
      attention_efficiency = 0.4594, expert_4 = 1.298, expert_8 = 0.7716,
      expert_bandwidth = 0.83, expert_efficiency = 0.1642, expert_excess = 0.1554,
      expert_half = 18.86, expert_layer_s = 7.785e-05, expert_width = 264.2,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8326,
      layer_4_s = 8.9e-06, layer_8_s = 2.161e-05, layer_s = 3.772e-05, link_efficiency = 0.5337,
      link_hop_s = 7.293e-07, link_latency_s = 1.856e-06, matrix_4 = 0.4861, matrix_8 = 0.7893,
      matrix_efficiency = 0.7422, matrix_half = 31.03, matrix_half_4 = 82.97,
      matrix_half_8 = 51.39, request_s = 0.03198, sequence_s = 1.213e-05, step_s = 0.0001,
      weight_bandwidth = 0.7786,
    },
    {
      attention_efficiency = 0.6241, expert_4 = 0.55, expert_8 = 0.7346,
      expert_bandwidth = 0.8706, expert_efficiency = 0.3153, expert_excess = 0.1004,
      expert_half = 29.08, expert_layer_s = 7.358e-05, expert_width = 284.1,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7958,
      layer_4_s = 2.412e-05, layer_8_s = 3.153e-05, layer_s = 3.144e-05,
      link_efficiency = 0.4231, link_hop_s = 6.301e-07, link_latency_s = 1.79e-06,
      matrix_4 = 0.4801, matrix_8 = 0.7049, matrix_efficiency = 0.7416, matrix_half = 25.61,
      matrix_half_4 = 29.93, matrix_half_8 = 15.42, request_s = 0.0125, sequence_s = 2.054e-05,
      step_s = 0.0001, weight_bandwidth = 0.7675,
    },
    {
      attention_efficiency = 0.6676, expert_4 = 1.509, expert_8 = 0.9429,
      expert_bandwidth = 0.8362, expert_efficiency = 0.2988, expert_excess = 0.1429,
      expert_half = 0.9175, expert_layer_s = 5.682e-05, expert_width = 144.5,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8046,
      layer_4_s = 2.376e-05, layer_8_s = 2.214e-05, layer_s = 3.165e-05, link_efficiency = 0.471,
      link_hop_s = 5.132e-06, link_latency_s = 4.032e-07, matrix_4 = 0.7906, matrix_8 = 0.7906,
      matrix_efficiency = 0.9606, matrix_half = 122.8, matrix_half_4 = 54.33,
      matrix_half_8 = 68.72, request_s = 0.02418, sequence_s = 1.839e-05, step_s = 0.0001,
      weight_bandwidth = 0.8228,
    },
    {
      attention_efficiency = 0.6779, expert_4 = 1.423, expert_8 = 0.8141,
      expert_bandwidth = 0.8662, expert_efficiency = 0.3967, expert_excess = 0.1358,
      expert_half = 9.982, expert_layer_s = 6.958e-05, expert_width = 235.6,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7958,
      layer_4_s = 2.073e-05, layer_8_s = 3.943e-05, layer_s = 2.523e-05,
      link_efficiency = 0.5127, link_hop_s = 5.37e-06, link_latency_s = 4.097e-07,
      matrix_4 = 0.7239, matrix_8 = 0.8384, matrix_efficiency = 0.822, matrix_half = 112.5,
      matrix_half_4 = 4.096, matrix_half_8 = 1, request_s = 0.03198, sequence_s = 9.883e-06,
      step_s = 0.0001, weight_bandwidth = 0.7891,
    },
    {
      attention_efficiency = 0.6516, expert_4 = 0.8634, expert_8 = 0.7906,
      expert_bandwidth = 0.8998, expert_efficiency = 0.4406, expert_excess = 0.08771,
      expert_half = 4.145, expert_layer_s = 6.284e-05, expert_width = 191,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7949,
      layer_4_s = 1.868e-05, layer_8_s = 2.918e-05, layer_s = 2.08e-05, link_efficiency = 0.4617,
      link_hop_s = 4.655e-06, link_latency_s = 3.551e-07, matrix_4 = 0.8141, matrix_8 = 0.8141,
      matrix_efficiency = 0.816, matrix_half = 126.5, matrix_half_4 = 54.33,
      matrix_half_8 = 68.72, request_s = 0.0125, sequence_s = 1.674e-05, step_s = 0.0001,
      weight_bandwidth = 0.8233,
    },
    {
      attention_efficiency = 0.6744, expert_4 = 1.509, expert_8 = 0.9429,
      expert_bandwidth = 0.8296, expert_efficiency = 0.2947, expert_excess = 0.1457,
      expert_half = 0.9175, expert_layer_s = 5.731e-05, expert_width = 145.4,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.8013,
      layer_4_s = 2.386e-05, layer_8_s = 2.214e-05, layer_s = 3.178e-05, link_efficiency = 0.471,
      link_hop_s = 5.162e-06, link_latency_s = 4.056e-07, matrix_4 = 0.7906, matrix_8 = 0.7906,
      matrix_efficiency = 0.9586, matrix_half = 122.8, matrix_half_4 = 54.33,
      matrix_half_8 = 68.72, request_s = 0.02418, sequence_s = 1.874e-05, step_s = 0.0001,
      weight_bandwidth = 0.8222,
    },
    {
      attention_efficiency = 0.6848, expert_4 = 1.423, expert_8 = 0.8141,
      expert_bandwidth = 0.8594, expert_efficiency = 0.3912, expert_excess = 0.1384,
      expert_half = 9.982, expert_layer_s = 7.018e-05, expert_width = 237,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7925,
      layer_4_s = 2.083e-05, layer_8_s = 3.943e-05, layer_s = 2.532e-05,
      link_efficiency = 0.5127, link_hop_s = 5.402e-06, link_latency_s = 4.122e-07,
      matrix_4 = 0.7239, matrix_8 = 0.8384, matrix_efficiency = 0.8204, matrix_half = 112.5,
      matrix_half_4 = 4.096, matrix_half_8 = 1, request_s = 0.03198, sequence_s = 1.007e-05,
      step_s = 0.0001, weight_bandwidth = 0.7885,
    },
    {
      attention_efficiency = 0.6649, expert_4 = 0.8634, expert_8 = 0.7906,
      expert_bandwidth = 0.8858, expert_efficiency = 0.4284, expert_excess = 0.09113,
      expert_half = 4.145, expert_layer_s = 6.393e-05, expert_width = 193.3,
      host_link_efficiency = 0.29, host_link_latency_s = 2e-05, kv_bandwidth = 0.7884,
      layer_4_s = 1.884e-05, layer_8_s = 2.918e-05, layer_s = 2.097e-05,
      link_efficiency = 0.4617, link_hop_s = 4.71e-06, link_latency_s = 3.594e-07,
      matrix_4 = 0.8141, matrix_8 = 0.8141, matrix_efficiency = 0.8127, matrix_half = 126.5,
      matrix_half_4 = 54.33, matrix_half_8 = 68.72, request_s = 0.0125, sequence_s = 1.739e-05,
      step_s = 0.0001, weight_bandwidth = 0.822,
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
