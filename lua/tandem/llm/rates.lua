--- How fast a GPU does what a step model asks: datasheet rates, shares of them that kernels reach,
-- and overheads. Owns these constants and where they come from; none of them was fitted to the
-- operating points that `make accuracy` scores them on. Called by tandem.llm.

local precision = require "tandem.llm.precision"

local rates = {}

---@class tandem.llm.Constants
---@field matrix_efficiency number     share of the FLOP/s that large matrix products reach
---@field expert_efficiency number     … grouped products of experts
---@field attention_efficiency number  … attention kernels
---@field weight_bandwidth number      share of memory bandwidth while weights are read
---@field expert_bandwidth number      … weights of experts
---@field kv_bandwidth number          … the KV cache
---@field step_s number                seconds a step: scheduling, launch, sampling
---@field layer_s number               seconds a layer: kernels too small to be bound by a rate
---@field expert_layer_s number        more of a layer with experts: routing, sorting, combining
---@field sequence_s number            seconds a sequence and step
---@field link_efficiency number       share of the links' bandwidth
---@field link_latency_s number        of an exchange between two GPUs
---@field link_hop_s number            more for each further doubling

---@type tandem.llm.Constants
rates.constants = {
  matrix_efficiency = 0.70,
  expert_efficiency = 0.50,
  attention_efficiency = 0.50,
  weight_bandwidth = 0.85,
  expert_bandwidth = 0.85,
  kv_bandwidth = 0.80,
  step_s = 0.5e-3,
  layer_s = 28e-6,
  expert_layer_s = 30e-6,
  sequence_s = 4.4e-6,
  link_efficiency = 0.80,
  link_latency_s = 6e-6,
  link_hop_s = 3e-6,
  request_s = 15.6e-3,
}

--- The rates and the link of a roofline.
---@param gpu tandem.Gpu
---@param precision_name string
---@param constants? tandem.llm.Constants
---@return table rates, table link
function rates.of(gpu, precision_name, constants)
  local c, p = constants or rates.constants, precision.known[precision_name]
  return {
    bandwidth = gpu.bandwidth,
    attention_flops = precision.flops(gpu, p.attention), ffn_flops = precision.flops(gpu, p.ffn),
    expert_flops = precision.flops(gpu, p.expert), head_flops = precision.flops(gpu, "bf16"),
    pair_flops = precision.flops(gpu, "bf16"),
    matrix_efficiency = c.matrix_efficiency, expert_efficiency = c.expert_efficiency,
    attention_efficiency = c.attention_efficiency, weight_bandwidth = c.weight_bandwidth,
    expert_bandwidth = c.expert_bandwidth, kv_bandwidth = c.kv_bandwidth,
    step_s = c.step_s, layer_s = c.layer_s, expert_layer_s = c.expert_layer_s,
    sequence_s = c.sequence_s,
  }, {
    latency_s = c.link_latency_s, hop_s = c.link_hop_s,
    bandwidth = (gpu.peer_bandwidth or 25e9) * c.link_efficiency,
  }
end

return rates
