--- Language models and how long a step of a server takes.
--
-- llm.architecture(path)            a Hugging Face config.json → architecture
-- llm.roofline { … }                architecture and GPU → step model, from datasheets
-- llm.table(folder, options)        measured operators → step model
-- llm.affine { … }                  fitted coefficients → step model
--
-- A step model answers model:step_s(batch) and model:decode_run_s(batch, k); see core.llm.
--
-- How far they are off (make accuracy): a roofline with constants by GPU and engine
-- (lib/llm_rates.lua), each GPU predicted from the others, a median of 11 % and a ninth decile of
-- 34 % on TPOT over 3,056 measured points; TTFT, mostly queues and the API server, is off by a
-- median of 33 %. Tables, on two measured runs of vLLM: TPOT and end-to-end latency within 2 %,
-- TTFT within 0.1 % and 4 %. Affine, fitted to half of such a run, on its other half: all within
-- 2.2 %. Power: within 2.4 % (median) and 22 % (ninth decile) of A100s.
--
-- Owns what joins architectures, precisions and rates. Called by the serving front end and by
-- tests/accuracy.

local core = require "tandem.core"
local catalogue = require "tandem.catalogue"
local config = require "tandem.llm.config"
local infile = require "tandem.io.infile"
local precision = require "tandem.llm.precision"
local rates = require "tandem.llm.rates"
local tables = require "tandem.llm.tables"

local llm = {}

--- A step model from a folder of measured operators: tables.model.
llm.table = tables.model

--- Reads config.json, or the one in a folder.
---@param path string
---@return tandem.llm.Architecture|nil, string precision or message
function llm.architecture(path)
  local text = infile.read(path .. "/config.json") or infile.read(path)
  if not text then return nil, path .. ": cannot be read" end
  local ok, decoded = pcall(require("cjson").decode, text)
  if not ok or type(decoded) ~= "table" then return nil, path .. ": is not a JSON object" end
  local architecture, words = config.architecture(decoded)
  if not architecture then return nil, path .. ": " .. words end
  return architecture, words
end

---@class tandem.llm.RooflineOptions
---@field architecture tandem.llm.Architecture
---@field gpu string|tandem.Gpu
---@field parallelism? { tensor: integer?, pipeline: integer?, expert: integer?, data: integer? }
---@field precision? string   a key of tandem.llm.precision, bf16
---@field kv_type? string     bf16
---@field constants? tandem.llm.Constants  those of the GPU and engine
---@field engine? string      vllm, sglang, tensorrt_llm; vllm

--- The architecture with its bytes, the GPU and the parallelism: what a roofline is made of.
---@param options tandem.llm.RooflineOptions
---@return table|nil spec, string|nil message
function llm.spec(options)
  local gpu, name = options.gpu, options.precision or "bf16"
  if type(gpu) == "string" then
    local found, message = catalogue.gpu(gpu)
    if not found then return nil, message end
    gpu = found
  end
  if not precision.known[name] then return nil, ("there is no precision %q"):format(name) end
  local constants = options.constants
    or rates.known(gpu.name, options.engine, options.architecture, name)
  local architecture = {}
  for key, value in pairs(options.architecture) do architecture[key] = value end
  precision.apply(architecture, name, options.kv_type)
  local speeds, link = rates.of(gpu --[[@as tandem.Gpu]], name, constants)
  return { kind = "roofline", architecture = architecture, parallelism = options.parallelism,
    rates = speeds, link = link }
end

--- A step model from first principles.
---@param options tandem.llm.RooflineOptions
---@return table|nil model, string|nil message
function llm.roofline(options)
  local spec, message = llm.spec(options)
  if not spec then return nil, message end
  return core.llm.step(spec)
end

--- A step model of fitted coefficients, in pieces by batch size (fields of core.llm's affine).
---@param pieces table[]
---@param floor_s? number
---@return table|nil model, string|nil message
function llm.affine(pieces, floor_s)
  return core.llm.step { kind = "affine", pieces = pieces, floor_s = floor_s }
end

--- Tokens whose KV cache fits beside the weights, of memory used up to `utilization` (0.9).
---@param options tandem.llm.RooflineOptions
---@param utilization? number
---@return number|nil tokens, string|nil message
function llm.kv_tokens(options, utilization)
  local spec, message = llm.spec(options)
  if not spec then return nil, message end
  local shard, why = core.llm.shard(spec.architecture, spec.parallelism)
  if not shard then return nil, why end
  local gpu = type(options.gpu) == "string" and catalogue.gpu(options.gpu) or options.gpu
  local left = gpu.memory_bytes * (utilization or 0.9) - shard.weights_bytes
  return math.max(0, left) / shard.kv_bytes_token
end

return llm
