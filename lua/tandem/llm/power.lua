--- What GPUs draw while they serve a language model: a spec for core from an architecture and a
-- GPU. Owns the constants and where they come from. Called by language/generation.lua and
-- tests/accuracy.

local catalogue = require "tandem.catalogue"
local core = require "tandem.core"
local llm = require "tandem.llm"
local rates = require "tandem.llm.rates"

local power = {}

-- Shares of a GPU's power limit, by architecture: least relative error (`make accuracy
-- CASE=power`).
-- Ampere: prompts and whole runs of Llama 2 70B and BLOOM 176B on 2, 4 and 8 A100s (41
-- configurations of Splitwise's characterization): median 3 %, ninth decile 21 %, those being
-- where arithmetic is far below its peak. Hopper, Blackwell: steady states of H100 and B200 with
-- vLLM 0.11 (199 configurations of ML.ENERGY), memory, arithmetic and experts alike for both;
-- others have what both have in common. experts: what a model with experts draws beyond that while
-- a step runs: grouped products keep a GPU at work for longer than their bytes and FLOPs say. idle:
-- what nvidia-smi shows of data-centre cards with a model loaded, 11 % of an H200 to 22 % of a
-- V100.
local IDLE <const> = 0.15
power.constants = { idle = IDLE, active = 0.5, memory = 0.32, arithmetic = 0.78, experts = 0.13 }
power.known = {
  Ampere = { idle = IDLE, active = 0.28, memory = 0.72, arithmetic = 1.5, experts = 0.13 },
  Hopper = { idle = IDLE, active = 0.44, memory = 0.32, arithmetic = 0.78, experts = 0.13 },
  Blackwell = { idle = IDLE, active = 0.56, memory = 0.32, arithmetic = 0.78, experts = 0.13 },
}

--- Of those, by which an idle share is checked before anybody knows the GPU.
power.least_active = power.known.Ampere.active

--- What a cap on what a GPU draws does to steps (src/model/llm/capped.h): a step that lacks a part
--- x of the watts it gets beyond idling takes 1 + a x² times as long. `memory` and `arithmetic`
--- are a of steps that wait for memory and of those at `full` of the peak FLOP/s; `spread` is the
--- standard deviation of ln a, `draw` that of ln(what steps want / what the constants above say).
--- From published measurements of LLMs under caps (`make accuracy CASE=caps`), each card left out;
--- draw from the errors of CASE=power.
power.capped = { memory = 0.15, arithmetic = 0.35, full = 0.6, spread = 0.7, draw = 0.14 }

-- Without experts, windows and states such a roofline is affine, which is asked faster: its
-- coefficients, from the differences that many of each thing make.
local MANY <const> = 1 << 20

local function affine_of(spec)
  local a = spec.architecture
  if (a.experts or 0) > 0 or (a.window_layers or 0) > 0 or (a.linear_layers or 0) > 0
    or (a.top_keys or 0) > 0 then
    return spec
  end
  local model, message = core.llm.step(spec)
  if not model then return nil, message end
  local piece = { decode_seqs_max = math.huge }
  local function more(field, base)
    local batch = { decode_seqs = 1, prefill_tokens = base }
    local without = model:step_s(batch)
    batch[field] = (batch[field] or 0) + MANY
    piece[field] = (model:step_s(batch) - without) / MANY
  end
  for _, field in ipairs { "decode_seqs", "decode_context", "prefill_tokens", "sampled" } do
    more(field)
  end
  for _, field in ipairs { "prefill_context", "prefill_attention" } do more(field, 1) end
  piece.step = model:step_s { decode_seqs = 1 } - piece.decode_seqs
  return { kind = "affine", pieces = { piece } }
end

-- Rooflines without losses, of which one resource is never short.
local NEVER <const> = 1e250
local lossless = { matrix_efficiency = 1, expert_efficiency = 1, attention_efficiency = 1,
  matrix_8 = 1, matrix_4 = 1, expert_8 = 1, expert_4 = 1, matrix_half = 0, matrix_half_8 = 0,
  matrix_half_4 = 0, expert_half = 0, expert_width = 0, expert_excess = 0,
  layer_8_s = 0, layer_4_s = 0,
  weight_bandwidth = 1, expert_bandwidth = 1, kv_bandwidth = 1, link_efficiency = 1, step_s = 0,
  layer_s = 0, expert_layer_s = 0, sequence_s = 0, link_latency_s = 0, link_hop_s = 0 }

local function one_sided(options, arithmetic)
  local o = {}
  for key, value in pairs(options) do o[key] = value end
  o.constants = {}
  for key, value in pairs(rates.constants) do o.constants[key] = lossless[key] or value end
  local spec, message = llm.spec(o)
  if not spec then return nil, message end
  for key in pairs(spec.rates) do
    if arithmetic and key == "bandwidth" or not arithmetic and key:find "_flops$" then
      spec.rates[key] = NEVER
    end
  end
  spec.link = { latency_s = 0, hop_s = 0, bandwidth = NEVER }
  return affine_of(spec)
end

--- Shares of a GPU of the catalogue, or of one that nobody knows.
---@param gpu string|nil
---@param architecture tandem.llm.Architecture|nil  of the model
---@return { idle: number, active: number, memory: number, arithmetic: number }
function power.of(gpu, architecture)
  local found = gpu and catalogue.gpu(gpu)
  local c = found and power.known[found.architecture] or power.constants
  local more = architecture and (architecture.experts or 0) > 0 and c.experts or 0
  return { idle = c.idle, active = c.active + more, memory = c.memory, arithmetic = c.arithmetic }
end

---@class tandem.llm.PowerOptions: tandem.llm.RooflineOptions
---@field limit number  W of one GPU
---@field cap? number    share of it that it may draw, 1 unless given
---@field shares? table<string, number>  instead of constants
---@field name? string  the GPU's, where it is given as numbers

--- What core needs, or nil and why not.
---@param options tandem.llm.PowerOptions
---@return table|nil spec, string|nil message
function power.spec(options)
  local spec = { limit = options.limit, cap = options.cap, width = options.parallelism.tensor or 1 }
  local name = options.name or type(options.gpu) == "string" and options.gpu or nil
  for key, value in pairs(power.of(name, options.architecture)) do
    spec[key] = options.shares and options.shares[key] or value
  end
  local message
  spec.memory_step, message = one_sided(options, false)
  if not spec.memory_step then return nil, message end
  spec.arithmetic_step, message = one_sided(options, true)
  if not spec.arithmetic_step then return nil, message end
  return spec
end

--- A step model under the cap of a power spec; the same where there is none.
---@param step table     a step model's spec
---@param drawn table|nil  what power.spec made
---@param off? { law: number, draw: number }  logarithms of a and of what steps want, off by so much
---@return table
function power.cap(step, drawn, off)
  if not (drawn and (drawn.cap or 1) < 1) then return step end
  local a = math.exp(off and off.law or 0)
  return { kind = "capped", step = step, memory_step = drawn.memory_step,
    arithmetic_step = drawn.arithmetic_step, power = { idle = drawn.idle, active = drawn.active,
      memory = drawn.memory, arithmetic = drawn.arithmetic, cap = drawn.cap },
    cap = { memory = power.capped.memory * a, arithmetic = power.capped.arithmetic * a,
      full = power.capped.full, draw = math.exp(off and off.draw or 0) } }
end

return power
