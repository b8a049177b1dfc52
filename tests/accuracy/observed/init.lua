-- All measured operating points of LLM servers, in one schema, read from a folder of measurements.
--
-- The folder is that of tests/accuracy/runs.lua: SERVING_DATA, with hardware/, inferencex/,
-- mlenergy/, trtllm_table/ and stages/; what is not there is left out and said. Each set has a
-- file here that owns what its columns mean. One measurement counts once: where two sets have it,
-- the one that says more stays. Owns the schema and what is left out for all sets alike. Called by
-- calibration and tests/accuracy.

---@class tests.Point
---@field set string            file below: closed_loop, inferencex, mlenergy, trtllm_table, stages
---@field gpu string            as the catalogue names it
---@field engine string         vllm, sglang, trtllm
---@field version string        of the engine; "" where nobody says
---@field model string
---@field kind "dense"|"moe"
---@field architecture table
---@field precision string      of tandem.llm.precision
---@field kv_type string
---@field parallelism { tensor: integer, data: integer, expert: integer, pipeline: integer }
---@field gpus integer          of the whole deployment
---@field split table|nil       prefill apart from decode: prefill (parallelism), prefill_workers,
---                             decode_workers
---@field load "closed"|"offline"|"steady"|"open"
---@field concurrency number|nil  clients (closed), running sequences (steady), requests (offline)
---@field rate number|nil       requests a second (open)
---@field prompt number         mean tokens
---@field cached number|nil     of them, in the prefix cache
---@field output number         mean tokens
---@field context number|nil    mean tokens of a decoding sequence, where lengths say so
---@field spread number         of lengths: (longest − shortest) / mean
---@field max_seqs integer|nil
---@field budget integer|nil    tokens a step, where it is known
---@field tpot_s number|nil
---@field ttft_s number|nil
---@field ttft_is "median"|"mean"|nil
---@field throughput number|nil output tokens a second and GPU
---@field configuration string  GPU, engine, version, model, precision, parallelism: one unit
---@field weight number         1; less where the record says little

local generation = require "tandem.language.generation"
local config = require "tandem.llm.config"
local models = require "tests.accuracy.models"

local observed = {}

observed.root = os.getenv "SERVING_DATA" or "tests/data/serving/replay"

local SETS <const> = { "inferencex", "closed_loop", "mlenergy", "trtllm_table", "stages" }
observed.sets = SETS

local function architecture_of(name)
  if models[name] then return config.architecture(models[name]) end
  return generation.architecture(name)
end

local function parallel_text(p)
  return ("tp%d dp%d ep%d pp%d"):format(p.tensor, p.data, p.expert, p.pipeline)
end

local function configuration_of(p)
  return table.concat({ p.gpu, p.engine, p.version, p.model:match "[^/]+$", p.precision,
    parallel_text(p.parallelism), p.split and "apart" or "together" }, " ")
end

-- What is known of whole groups of records; each says why it is left out.
local function suspect(p)
  local r1 = p.model:find "DeepSeek"
  if p.set == "closed_loop" then
    if r1 and p.engine == "trtllm" and p.version == "1.2.0rc6.post3" then
      return "ran with MTP, which nobody recorded (0.94 of InferenceX's rows with it, 0.58 without)"
    elseif r1 and p.engine == "trtllm" and p.version == "0.8.1.post3" then
      return "a version of Dynamo, mixed with and without MTP"
    elseif p.model == "Qwen/Qwen3-32B" and p.version == "1.3.0rc1" and p.gpu == "GB200" then
      return "three times slower than its like; cause unknown"
    elseif p.nominal == "4000/1000" then
      return "4000/1000 rows contradict every other length"
    end
  elseif p.set == "mlenergy" and p.task == "gpqa" and p.model:find "Qwen3%-[813]" then
    return "gpqa of small Qwen models contradicts lm-arena of the same, as published"
  elseif p.set == "trtllm_table" and p.output > 30000 then
    return "32k outputs: batch and cache are the benchmark's own secret"
  end
end

-- Sorts what one file reads into points and reasons.
local function finish(list, left, p)
  local why = p.left or suspect(p)
  if not why then
    local words
    p.architecture, words = architecture_of(p.model)
    if not p.architecture then why = "no sizes of the model are known: " .. tostring(words) end
  end
  if why then
    why = p.set .. ": " .. why
    left[why] = (left[why] or 0) + 1
    return
  end
  p.kind = (p.architecture.experts or 0) > 0 and "moe" or "dense"
  p.spread, p.weight, p.kv_type = p.spread or 0, p.weight or 1, p.kv_type or "bf16"
  p.configuration = configuration_of(p)
  -- Clients of a closed loop are always in the system: Little's law.
  if p.load == "closed" and not p.throughput then
    p.throughput = p.concurrency * p.output / (p.ttft_s + (p.output - 1) * p.tpot_s) / p.gpus
  end
  list[#list + 1] = p
end

--- Points of all sets that the folder has, and counts of what is left out by reason.
---@param root? string
---@return tests.Point[]
---@return table<string, integer> left
function observed.read(root)
  root = root or observed.root
  local list, left, seen = {}, {}, {}
  for _, set in ipairs(SETS) do
    local found = require("tests.accuracy.observed." .. set).read(root, seen)
    if not found then left[set .. ": is not in " .. root] = 1 end
    for _, p in ipairs(found or {}) do
      p.set = set
      finish(list, left, p)
    end
  end
  return list, left
end

return observed
