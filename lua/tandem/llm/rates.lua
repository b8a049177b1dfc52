--- How fast a GPU does what a step model asks: datasheet rates, shares of them that kernels reach,
-- and overheads. Owns these constants and where they come from. None was fitted to the operating
-- points that `make accuracy` scores them on, but their score was known when they were looked up;
-- step_s and link_hop_s lie between sources and are judgement. Called by tandem.llm.

local precision = require "tandem.llm.precision"

local rates = {}

---@class tandem.llm.Constants
---@field matrix_efficiency number     share of the FLOP/s that large matrix products reach
---@field expert_efficiency number     … grouped products of experts
---@field matrix_8 number              what 8-bit products reach of that, by their own peak
---@field matrix_4 number              … 4-bit ones
---@field expert_8 number              … experts in 8 bits
---@field expert_4 number              … in 4 bits
---@field matrix_half number           tokens by which a product's work looks larger, 16 bits
---@field matrix_half_8 number
---@field matrix_half_4 number
---@field expert_half number           … tokens of one expert
---@field expert_width number          width of a slice of an expert that reaches half the share
---@field expert_excess number         work of the busiest GPU over an equal part less 1, where they
---                                     hold whole experts
---@field attention_efficiency number  … attention kernels
---@field weight_bandwidth number      share of memory bandwidth while weights are read
---@field expert_bandwidth number      … weights of experts
---@field kv_bandwidth number          … the KV cache
---@field step_s number                seconds a step: scheduling, launch, sampling
---@field layer_s number               seconds a layer: kernels too small to be bound by a rate
---@field layer_8_s number             more of a layer in 8 bits: quantizing what is multiplied
---@field layer_4_s number             … in 4 bits
---@field expert_layer_s number        more of a layer with experts: routing, sorting, combining
---@field sequence_s number            seconds a sequence and step
---@field link_efficiency number       share of the links' bandwidth
---@field link_latency_s number        of an exchange between two GPUs
---@field link_hop_s number            more for each doubling of the group
---@field host_link_efficiency number  share of the host's link where GPUs have none of their own
---@field host_link_latency_s number
---@field factor number|nil           on all times of a model, 1
---@field request_s number             what the API server adds to a request's first token
---@field handed_steps number|nil      steps of decode from a prefill engine to the first token

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
  matrix_8 = 1, matrix_4 = 1, expert_8 = 1, expert_4 = 1,
  matrix_half = 0, matrix_half_8 = 0, matrix_half_4 = 0, expert_half = 0, expert_width = 0,
  expert_excess = 0,
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
  layer_8_s = 0, layer_4_s = 0,
  expert_layer_s = 30e-6, -- measured operators, see expert_bandwidth
  sequence_s = 4.4e-6,    -- BLIS
  -- Measured collectives: 365 of 450 GB/s; 7 us between two GPUs, 27 to 37 among eight, where
  -- engines have kernels of their own with 10 to 15 us.
  link_efficiency = 0.80,
  link_latency_s = 6e-6,
  link_hop_s = 3e-6,
  host_link_efficiency = 1, host_link_latency_s = 6e-6,
  request_s = 15.6e-3, -- BLIS: HTTP, tokenizing, admission
}

---@class tandem.llm.Known
---@field constants tandem.llm.Constants
---@field points integer          measured operating points of this GPU with this engine
---@field configurations integer  … of so many models, precisions and cuts
---@field near integer            GPUs of its architecture that were measured
---@field kernels string|nil      version of the engine whose kernels were measured on it
---@field request_spread number    standard deviation of the logarithm of request_s
---@field root number[][]         covariance of the logarithms of lib/llm_rates.lua's `parameters`

local catalogue = require "tandem.catalogue"
local engines = { vllm = "vllm", sglang = "sglang", tensorrt_llm = "trtllm", trtllm = "trtllm" }

-- Others are taken to be as vLLM, which has most points.
local function engine_of(name) return engines[name or "vllm"] or "vllm" end

-- The vectors of a root, which is written in thousandths; each begins at its own place.
local function vectors_of(text, parameters)
  local vectors = {}
  for row in text:gmatch "[^;]+" do
    local vector = {}
    for _ = 1, #vectors do vector[#vector + 1] = 0 end
    for x in row:gmatch "%S+" do vector[#vector + 1] = tonumber(x) / 1000 end
    assert(#vector == parameters)
    vectors[#vectors + 1] = vector
  end
  return vectors
end

-- Entries as they are asked for, by those of the file, which share constants and roots.
local unpacked = {}

local function unpack_entry(packed, engine)
  local data, entry = require "lib.llm_rates", {}
  for key, value in pairs(packed) do entry[key] = value end
  entry.constants = data.constants[packed.constants]
  entry.root = vectors_of(data.roots[packed.root], #data.parameters)
  entry.request_spread = data.request_spread[engine]
  return entry
end

--- What is known of a GPU with an engine, vLLM unless it says; of one that is not in the catalogue,
--- what all have in common.
---@param gpu string|nil
---@param engine string|nil
---@return tandem.llm.Known
function rates.entry(gpu, engine)
  local found, gpus = gpu and catalogue.gpu(gpu), require("lib.llm_rates").gpus
  local name = engine_of(engine)
  local packed = (found and gpus[found.name] or gpus[""])[name]
  unpacked[packed] = unpacked[packed] or unpack_entry(packed, name)
  return unpacked[packed]
end

--- Models are told by their sizes, whatever they are called.
---@param architecture tandem.llm.Architecture
---@return string
function rates.fingerprint(architecture)
  return ("%dx%d-%d-%d"):format(architecture.layers, architecture.hidden,
    architecture.vocabulary, architecture.experts or 0)
end

--- What an engine's version is known by: its first two numbers. Nil of builds that have none, and
--- of TensorRT-LLM before 1.0: benchmarks of that time name Dynamo's.
---@param engine string
---@param version string
---@return string|nil
function rates.version(engine, version)
  local two = version:match "^v?(%d+%.%d+)"
  if engine_of(engine) == "trtllm" and two and tonumber(two) < 1 then return nil end
  return two
end

-- A model's factor and the deviation of its logarithm with a server on a GPU in a precision; nil
-- where that was not measured.
local function served_of(gpu, engine, architecture, precision_name)
  local found = gpu and catalogue.gpu(gpu)
  local served = require("lib.llm_rates").served[("%s %s"):format(rates.fingerprint(architecture),
    engine_of(engine))]
  return found and precision_name and served and served[found.name .. " " .. precision_name] or nil
end

-- … of the narrowest group that was measured: in a precision on a GPU, with the engine, at all.
local function factor_of(gpu, engine, architecture, precision_name)
  local models = require("lib.llm_rates").models[rates.fingerprint(architecture)]
  if not models then return nil end
  return served_of(gpu, engine, architecture, precision_name) or models[engine_of(engine)]
    or models.any
end

--- What the constants of a GPU with an engine rest on: runs of its own, runs of its architecture,
--- or neither.
---@param known tandem.llm.Known
---@return "runs"|"relatives"|"none"
function rates.measured(known)
  return known.points > 0 and "runs" or known.near > 0 and "relatives" or "none"
end

-- Configurations that tell what an architecture does, where its kernels do not.
local FEW <const> = 5

--- How many configurations were measured of a GPU's architecture where that is too few to tell what
--- others do on it: a relative by name alone. Nil where there are more, kernels, or none at all.
---@param gpu string|nil
---@return integer|nil
function rates.few(gpu)
  local found, data, count = gpu and catalogue.gpu(gpu), require "lib.llm_rates", 0
  if not found then return nil end
  for _, other in ipairs(catalogue.gpus()) do
    if other.architecture == found.architecture then
      for _, entry in pairs(data.gpus[other.name]) do
        if entry.kernels then return nil end
        count = count + entry.configurations
      end
    end
  end
  return count > 0 and count < FEW and count or nil
end

local function number_of(version)
  local major, minor = version:match "^(%d+)%.(%d+)"
  return major * 1000 + minor
end

-- The newest of some versions that is not newer than `most`, else the oldest.
local function nearest(versions, most)
  local best, oldest
  for version in pairs(versions) do
    local number = version ~= "any" and number_of(version)
    if number and (not oldest or number < number_of(oldest)) then oldest = version end
    if number and number <= most and (not best or number > number_of(best)) then
      best = version
    end
  end
  return best or oldest
end

-- A version's factor and the deviation of its logarithm: the mean's where nobody says which, as far
-- off as they are from each other. One that was not measured is as the one before it, and as far
-- off as versions are.
local function version_of(engine, version)
  local data, name = require "lib.llm_rates", engine_of(engine)
  local versions = data.versions[name]
  if not version then return versions.any end
  local two = rates.version(name, version)
  if two and versions[two] then return versions[two] end
  local known = versions[nearest(versions, two and number_of(two) or math.huge)]
  return { known[1], math.sqrt(known[2] ^ 2 + data.version_spread ^ 2) }
end

--- Constants for a GPU with an engine and, where they were measured, a model's factor on all times
--- and a version's.
---@param gpu string|nil
---@param engine string|nil
---@param architecture tandem.llm.Architecture|nil
---@param precision_name string|nil
---@param version string|nil  of the engine
---@return tandem.llm.Constants
function rates.known(gpu, engine, architecture, precision_name, version)
  local entry, out = rates.entry(gpu, engine), {}
  if not architecture then return entry.constants end
  for key, value in pairs(entry.constants) do out[key] = value end
  local factor = factor_of(gpu, engine, architecture, precision_name)
  out.factor = (factor and factor[1] or 1) * version_of(engine, version)[1]
  out.handed_steps = require("lib.llm_rates").handed_steps
  return out
end

--- Constants that a parameter of lib/llm_rates.lua multiplies.
---@type table<string, string[]>
rates.parameters = { matrix = { "matrix_efficiency" }, expert = { "expert_efficiency" },
  slices = { "expert_width" }, attention = { "attention_efficiency" },
  weights = { "weight_bandwidth" }, experts_read = { "expert_bandwidth" },
  cache = { "kv_bandwidth" }, excess = { "expert_excess" }, layer = { "layer_s" },
  quantize_8 = { "layer_8_s" }, quantize_4 = { "layer_4_s" }, expert_layer = { "expert_layer_s" },
  sequence = { "sequence_s" }, link_start = { "link_latency_s", "link_hop_s" },
  link = { "link_efficiency" } }

--- Constants with the logarithms of some parameters moved; no share exceeds 1.
---@param constants tandem.llm.Constants
---@param moved table<string, number>  by parameter
---@return tandem.llm.Constants
function rates.vary(constants, moved)
  local out = {}
  for key, value in pairs(constants) do out[key] = value end
  for name, by in pairs(moved) do
    for _, key in ipairs(rates.parameters[name]) do
      out[key] = out[key] * math.exp(by)
      if key:find "efficiency$" or key:find "bandwidth$" then out[key] = math.min(1, out[key]) end
    end
  end
  return out
end

--- Standard deviation of what all times of one deployment have in common and no constant tells: its
--- kernels and flags, what its model's factor and its version's may be off, and its GPU where
--- nobody measured any of its architecture, or few and not this.
---@param gpu string|nil
---@param engine string|nil
---@param architecture tandem.llm.Architecture
---@param precision_name string|nil
---@param version string|nil
---@return number  of the logarithm
function rates.spread(gpu, engine, architecture, precision_name, version)
  local data = require "lib.llm_rates"
  local factor = factor_of(gpu, engine, architecture, precision_name)
  local kind = (architecture.experts or 0) > 0 and "moe" or "dense"
  local sum = data.configuration_spread[kind] ^ 2 + version_of(engine, version)[2] ^ 2
    + (factor and factor[2] or data.model_spread) ^ 2
  local alone = rates.few(gpu) and not served_of(gpu, engine, architecture, precision_name)
  if alone or rates.entry(gpu, engine).near == 0 then sum = sum + data.architecture_spread ^ 2 end
  return math.sqrt(sum)
end

--- Standard deviation of what a version of an engine may be off: what deployments of the same one
--- have in common.
---@param engine string|nil
---@param version string|nil
---@return number  of the logarithm
function rates.version_spread(engine, version) return version_of(engine, version)[2] end

--- Standard deviation of what one batch takes beside others of the same deployment.
---@return number  of the logarithm
function rates.shape() return require("lib.llm_rates").shape_spread end

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
  if not bandwidth then latency = latency or c.host_link_latency_s end
  return { latency_s = latency or c.link_latency_s, hop_s = c.link_hop_s,
    bandwidth = bandwidth or (gpu.h2d or 55e9) * c.host_link_efficiency }
end

-- FLOP/s of a type as 16-bit shares see them, and by how many tokens its products look larger.
local function multiplied(gpu, kind, c, part)
  local flops, bits = precision.flops(gpu, kind)
  local share = bits == 8 and c[part .. "_8"] or bits == 4 and c[part .. "_4"] or 1
  local half = part == "expert" and c.expert_half or bits == 8 and c.matrix_half_8
    or bits == 4 and c.matrix_half_4 or c.matrix_half
  return flops and flops * share, half, bits
end

-- All times of kernels and the host are longer by a factor; links are what they are.
local function scale(out, factor)
  for key, value in pairs(out) do
    if key:find "_s$" then
      out[key] = value * factor
    elseif key == "bandwidth" or key:find "_flops$" then
      out[key] = value / factor
    end
  end
end

--- The rates and the link of a roofline.
---@param gpu tandem.Gpu
---@param precision_name string
---@param constants? tandem.llm.Constants
---@return table rates, table link
function rates.of(gpu, precision_name, constants)
  local c, p = constants or rates.constants, precision.known[precision_name]
  local out = { bandwidth = gpu.bandwidth, pair_flops = precision.flops(gpu, "bf16"),
    matrix_efficiency = c.matrix_efficiency, expert_efficiency = c.expert_efficiency,
    expert_width = c.expert_width, expert_excess = c.expert_excess,
    attention_efficiency = c.attention_efficiency,
    weight_bandwidth = c.weight_bandwidth, expert_bandwidth = c.expert_bandwidth,
    kv_bandwidth = c.kv_bandwidth, step_s = c.step_s, expert_layer_s = c.expert_layer_s,
    sequence_s = c.sequence_s }
  out.attention_flops, out.attention_half = multiplied(gpu, p.attention, c, "matrix")
  out.head_flops, out.head_half = multiplied(gpu, "bf16", c, "matrix")
  out.expert_flops, out.expert_half = multiplied(gpu, p.expert, c, "expert")
  local bits
  out.ffn_flops, out.ffn_half, bits = multiplied(gpu, p.ffn, c, "matrix")
  out.layer_s = c.layer_s + (bits == 8 and c.layer_8_s or bits == 4 and c.layer_4_s or 0)
  scale(out, c.factor or 1)
  return out, rates.link(gpu, c)
end

return rates
