-- How well the roofline predicts measured closed-loop operating points. See run.lua.

local config = require "tandem.llm.config"
local closed_loop = require "tandem.llm.closed_loop"
local llm = require "tandem.llm"
local models = require "tests.accuracy.models"

local roofline = {}

-- Engines as they come: tokens a step may have, types of the cache, prompts in steps of their own.
local engines = {
  vllm = { budget = 8192 },
  trtllm = { budget = 8192, fp8_cache = true },
  sglang = { budget = 8192, separate = true },
}

local function options_of(point, constants)
  local architecture = assert(config.architecture(models[point.model]))
  local engine = engines[point.backend]
  return { architecture = architecture, gpu = point.gpu, parallelism = point.parallelism,
    precision = point.precision, constants = constants,
    kv_type = engine.fp8_cache and point.precision ~= "bf16" and "fp8" or "bf16" }
end

--- What constants change is the model, not the point; specs are made once.
function roofline.prepare(point)
  local options = options_of(point)
  point.capacity = assert(llm.kv_tokens(options)) * point.parallelism.data
  return point
end

function roofline.predict(point, constants)
  local model = assert(llm.roofline(options_of(point, constants)))
  local data = point.parallelism.data
  local engine = engines[point.backend]
  return closed_loop.predict(model, { concurrency = point.concurrency / data,
    prompt = math.floor(point.prompt * point.mean), output = math.floor(point.output * point.mean),
    spread = point.spread, request_s = 0.0156, budget = engine.budget,
    separate = engine.separate, capacity = point.capacity / data })
end

return roofline
