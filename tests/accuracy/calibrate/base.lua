-- Constants of the roofline as measured operators have them, for a GPU and an engine: what nobody
-- measured is the geometric mean of the engine on GPUs of the same architecture, else of all. Where
-- operators say nothing (a step's host time, a sequence's, a request's), `unsaid` does; calibration
-- owns these. Called by run.lua.

local catalogue = require "tandem.catalogue"

local base = {}

-- Judgement before any run was looked at, from BLIS (vLLM 0.15, published): 4.4 us a sequence
-- counts scheduling alone; sampling and detokenizing are of the same order each. step_s cannot be
-- told from layer_s and is fixed. Drawn by a power law of exponent 1.2, as aiconfigurator takes
-- for production, the busiest of eight GPUs has 1.04 (few tokens) to 1.5 (thousands) of an equal
-- part. request_s is BLIS's too.
base.unsaid = { step_s = 1e-4, sequence_s = 1e-5, request_s = 15.6e-3, norms_s = 8e-6,
  expert_excess = 0.2,
  host_link_efficiency = 0.29, host_link_latency_s = 20e-6 }

local PRODUCTS <const> = 4 -- of a layer: queries with keys and values, output, gate with up, down

local function mean(list)
  local sum = 0
  for _, v in ipairs(list) do sum = sum + math.log(v) end
  return #list > 0 and math.exp(sum / #list) or nil
end

-- One number of the tables, by path: mine, my architecture's, everybody's.
local function lookup(kernels, gpu, engine, ...)
  local path = { ... }
  local function value(entry)
    for _, key in ipairs(path) do entry = entry and entry[key] end
    return entry
  end
  local own = kernels[gpu] and kernels[gpu][engine] and value(kernels[gpu][engine])
  if own then return own end
  local found = catalogue.gpu(gpu)
  local architecture = found and found.architecture
  local chip, near, same, any = {}, {}, {}, {}
  for name, engines in pairs(kernels) do
    for other, entry in pairs(engines) do
      local v = value(entry)
      if v and v > 0 then
        any[#any + 1] = v
        if other == engine then same[#same + 1] = v end
        local other_gpu = catalogue.gpu(name)
        if other_gpu.architecture == architecture then near[#near + 1] = v end
        if found and other_gpu.chip == found.chip and other == engine then chip[#chip + 1] = v end
      end
    end
  end
  for _, list in ipairs { chip, near, same, any } do table.sort(list) end
  return mean(chip) or mean(near) or mean(same) or mean(any)
end

---@param kernels table   of operators.fit
---@param gpu string
---@param engine string
---@return tandem.llm.Constants
function base.of(kernels, gpu, engine)
  local function k(...) return lookup(kernels, gpu, engine, ...) end
  local function ratio(kind, bits) return k(kind, bits, "share") / k(kind, "16", "share") end
  local function extra(bits)
    return PRODUCTS * math.max(0, k("products", bits, "floor") - k("products", "16", "floor"))
  end
  local function experts(name)
    return mean { k("experts", "16", name), k("experts", "8", name), k("experts", "4", name) }
  end
  local unsaid = base.unsaid
  return { matrix_efficiency = k("products", "16", "share"), matrix_8 = ratio("products", "8"),
    matrix_4 = ratio("products", "4"), matrix_half = k("products", "16", "half"),
    matrix_half_8 = k("products", "8", "half"), matrix_half_4 = k("products", "4", "half"),
    expert_efficiency = k("experts", "16", "share"), expert_8 = ratio("experts", "8"),
    expert_4 = ratio("experts", "4"), expert_half = experts "half", expert_width = experts "width",
    expert_excess = unsaid.expert_excess, attention_efficiency = k("prompts", "share"),
    weight_bandwidth = k("products", "16", "reads"), expert_bandwidth = experts "reads",
    kv_bandwidth = k("decoding", "reads"), step_s = unsaid.step_s,
    layer_s = PRODUCTS * k("products", "16", "floor") + k("decoding", "floor") + unsaid.norms_s,
    layer_8_s = extra "8", layer_4_s = extra "4", expert_layer_s = experts "floor",
    sequence_s = unsaid.sequence_s, link_efficiency = k("exchanges", "share"),
    link_latency_s = k("exchanges", "start"), link_hop_s = k("exchanges", "hop"),
    host_link_efficiency = unsaid.host_link_efficiency,
    host_link_latency_s = unsaid.host_link_latency_s, request_s = unsaid.request_s }
end

return base
