--- How fast a GPU does what a step model asks: datasheet rates, shares of them that kernels reach,
-- and overheads. Owns these constants and where they come from. None was fitted to the operating
-- points that `make accuracy` scores them on, but their score was known when they were looked up;
-- step_s and link_hop_s lie between sources and are judgement. Called by tandem.llm.

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
---@field link_hop_s number            more for each doubling of the group
---@field request_s number             what the API server adds to a request's first token

-- Where they come from. Measured operators: layers of Llama 3.1 8B, Qwen3 32B and 30B-A3B in 16
-- bits on an RTX 4090 and an RTX PRO 6000 (LLMServingSim's tables, see tests/data/serving).
-- Measured collectives: NCCL all-reduces of a DGX H100 (Vidur). BLIS: the coefficients that its
-- authors fitted to vLLM on H100s and published.
---@type tandem.llm.Constants
rates.constants = {
  -- Large products reach 84 to 100 % on those two cards, 600 to 700 of 989 TFLOP/s on an H100,
  -- which its power limit holds back; servers have the latter kind.
  matrix_efficiency = 0.70,
  -- Measured operators: 2,048 tokens through 128 experts 71 %, through 8 of them 75 %, beside what
  -- moving their activations takes.
  expert_efficiency = 0.70,
  -- Measured operators: 40 to 60 % and 62 to 84 % at 2,048 tokens, less for shorter chunks.
  attention_efficiency = 0.50,
  -- Measured operators, one token: 81 to 82 % and 92 to 94 %.
  weight_bandwidth = 0.85,
  -- Measured operators: 16 to 128 experts read at 85 %, beside 30 us that do not depend on them.
  expert_bandwidth = 0.85,
  -- Measured operators: 74 to 80 % and 86 to 90 % from 128 sequences on.
  kv_bandwidth = 0.80,
  -- Scheduling, sampling and the gap until the GPU has work; between BLIS's 126 us and about 1 ms
  -- of engines without asynchronous scheduling.
  step_s = 0.5e-3,
  -- Measured operators: norms, rotation, gate and the least attention take 18 us a layer; ten gaps
  -- of 1 us between kernels. BLIS: 32 us.
  layer_s = 28e-6,
  expert_layer_s = 30e-6, -- measured operators, see expert_bandwidth
  sequence_s = 4.4e-6,    -- BLIS
  -- Measured collectives: 365 of 450 GB/s; 7 us between two GPUs, 27 to 37 among eight, where
  -- engines have kernels of their own with 10 to 15 us.
  link_efficiency = 0.80,
  link_latency_s = 6e-6,
  link_hop_s = 3e-6,
  request_s = 15.6e-3, -- BLIS: HTTP, tokenizing, admission
}

--- The link between GPUs of a kind: their own, or as a scenario or a measurement of hosts says, or
--- without either the host's.
---@param gpu tandem.Gpu
---@param constants? tandem.llm.Constants
---@return { latency_s: number, hop_s: number, bandwidth: number }
function rates.link(gpu, constants)
  local c = constants or rates.constants
  -- The host's bandwidth is what large copies get, a peer link's what the wire carries.
  local share = gpu.peer_share or c.link_efficiency
  local bandwidth = gpu.peer_bandwidth and gpu.peer_bandwidth * share
  -- A hop is counted between two GPUs already.
  local latency = gpu.peer_latency and math.max(0, gpu.peer_latency - c.link_hop_s)
  return { latency_s = latency or c.link_latency_s, hop_s = c.link_hop_s,
    bandwidth = bandwidth or gpu.h2d or 20e9 }
end

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
  }, rates.link(gpu, c)
end

return rates
