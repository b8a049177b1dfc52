-- What a point would measure, from a step model alone, without simulating it: closed loops by
-- tandem.llm.closed_loop, the other loads by the same two times,
--
--   D  a step of n decoding sequences at their mean context,
--   P  what one prompt adds to the steps of those that decode.
--
--   steady   n sequences run: output tokens a second are n·output / (n·P + output·D).
--   offline  all requests at once: prompts of all, then waves of as many as fit.
--   closed, prefill apart from decode: tandem.llm.split_loop
--   open     n by Little's law: λ·E2E, and a step takes D / (1 − λ·P), as prompts hold it up.
--
-- Owns these and how engines schedule; constants are the caller's. Called by score.lua and
-- calibration.

local catalogue = require "tandem.catalogue"
local closed_loop = require "tandem.llm.closed_loop"
local engines = require "tandem.llm.engines"
local llm = require "tandem.llm"
local rates = require "tandem.llm.rates"
local split_loop = require "tandem.llm.split_loop"

local predict = {}

-- As lib/llm_engines.lua calls them.
local servers = { vllm = "vllm", sglang = "sglang", trtllm = "tensorrt_llm" }

-- Engines as they come, by version and GPU: tokens a step may have, whether steps are planned
-- ahead, prompts in steps of their own.
local function engine_of(p)
  if not p.as_it_comes then
    local engine = { separate = p.engine == "sglang" }
    -- Dynamo's version says nothing of the engine's.
    local told = not p.dynamo and engines.is_version(p.version)
    local version = told and p.version or nil
    for _, default in ipairs(engines.defaults(servers[p.engine], { version = version, gpu = p.gpu,
      memory = catalogue.gpu(p.gpu).memory_bytes, pp = p.parallelism.pipeline })) do
      engine[default.key] = default.value
    end
    engine.budget = p.budget or engine.max_batched_tokens
    p.as_it_comes = engine
  end
  return p.as_it_comes
end

local function options_of(p, constants, parallelism)
  return { architecture = p.architecture, gpu = p.gpu, engine = p.engine,
    parallelism = parallelism or p.parallelism, precision = p.precision, kv_type = p.kv_type,
    constants = constants }
end

--- Tokens of one group's KV cache; 0 where the weights do not fit.
---@param p tests.Point
---@return number
function predict.capacity(p)
  if not p.capacity then p.capacity = assert(llm.kv_tokens(options_of(p, rates.constants))) end
  return p.capacity
end

local function times(model, n, context, prompt, budget, separate)
  local decode_s = model:step_s { decode_seqs = n, decode_context = n * context,
    decode_context_max = math.ceil(context), sampled = n }
  local loop = { budget = budget, prompt = math.max(1, math.floor(prompt)), separate = separate }
  return decode_s, closed_loop.prompt_s(model, loop, math.max(0, n - 1), context, decode_s)
end

local loads = {}

function loads.steady(p, model, engine)
  local n = math.max(1, math.floor(p.concurrency / p.parallelism.data + 0.5))
  local D, P = times(model, n, p.context, p.prompt, engine.budget, engine.separate)
  local tpot = D + n * P / p.output
  return { tpot_s = tpot, throughput = n / tpot * p.parallelism.data / p.gpus }
end

function loads.offline(p, model, engine)
  local cut = p.parallelism
  local groups = cut.data * cut.pipeline
  local requests = p.concurrency / groups
  local fit = predict.capacity(p) / cut.pipeline / (p.prompt + p.output)
  local n = math.max(1, math.floor(math.min(requests, fit, p.max_seqs or math.huge)))
  local context = p.prompt + p.output / 2
  local D, P = times(model, n, context, p.prompt, engine.budget, engine.separate)
  local waves = math.floor(requests / n)
  local rest = math.floor(requests - waves * n)
  local total = requests * P + waves * p.output * D
  if rest > 0 then
    total = total + p.output * (times(model, rest, context, p.prompt, engine.budget,
      engine.separate))
  end
  return { throughput = requests * groups * p.output / total / p.gpus }
end

function loads.open(p, model, engine, constants)
  local fresh, context = p.prompt - p.cached, p.prompt + p.output / 2
  local rate, n, D, P, tpot = p.rate / p.parallelism.data, 1, nil, nil, nil
  for _ = 1, 50 do
    local whole = math.max(1, math.floor(n + 0.5))
    D, P = times(model, whole, context, fresh, engine.budget, engine.separate)
    tpot = D / math.max(0.05, 1 - rate * P)
    local next_n = math.min(p.max_seqs or math.huge, rate * (p.output + 0.5) * tpot)
    if math.abs(next_n - n) < 0.25 then break end
    n = (n + next_n) / 2
  end
  local steps = engine.plans_ahead and 2.5 or 1.5
  return { tpot_s = tpot, ttft_s = constants.request_s + P + steps * D }
end

-- A prefill engine of which one data-parallel group has a prompt: the experts of all GPUs serve its
-- tokens alone.
local function alone(p, constants, cut)
  local a = p.architecture
  if cut.data == 1 or (a.experts or 0) == 0 then return nil end
  local options = options_of(p, constants, cut)
  options.architecture = {}
  for key, value in pairs(a) do options.architecture[key] = value end
  options.architecture.experts_active = math.max(1, a.experts_active // cut.data)
  return assert(llm.roofline(options))
end

function loads.closed(p, model, engine, constants, steps_alone)
  local loop = { capacity = predict.capacity(p), spread = p.spread, budget = engine.budget,
    prompt = math.floor(p.prompt), output = math.floor(p.output),
    request_s = constants.request_s, separate = engine.separate, ahead = engine.plans_ahead }
  local split, data = p.split, p.parallelism.data
  local found
  if split then
    loop.prefill = assert(llm.roofline(options_of(p, constants, split.prefill)))
    loop.alone = alone(p, constants, split.prefill)
    loop.places, loop.steps_alone = p.max_seqs, steps_alone
    loop.prefill_slots = split.prefill_workers * split.prefill.data
    loop.decode_groups = split.decode_workers * data
    loop.concurrency = p.concurrency
    found = split_loop.predict(model, loop)
    if steps_alone then return found end
    local handed_s = (constants.handed_steps or 0) * found.tpot_s
    found.ttft_s, found.ttft_median_s = found.ttft_s + handed_s, found.ttft_median_s + handed_s
  else
    loop.concurrency = p.concurrency / data
    found = closed_loop.predict(model, loop)
  end
  found.throughput = p.concurrency * p.output
    / (found.ttft_s + (p.output - 1) * found.tpot_s) / p.gpus
  if p.ttft_is == "median" then found.ttft_s = found.ttft_median_s or found.ttft_s end
  return found
end

--- Times and output tokens a second and GPU; what a load does not define is nil.
---@param p tests.Point
---@param constants tandem.llm.Constants
---@param steps_alone? boolean  only the time of a token is asked for
---@return { tpot_s: number|nil, ttft_s: number|nil, throughput: number|nil }
function predict.point(p, constants, steps_alone)
  local model = assert(llm.roofline(options_of(p, constants)))
  return loads[p.load](p, model, engine_of(p), constants, steps_alone)
end

-- Peaks reached and nothing else: no server is faster.
local ideal = {}
for key in pairs(rates.constants) do
  local none = key:find "_s$" or key:find "_half" or key == "expert_width"
    or key == "expert_excess"
  ideal[key] = none and 0 or 1
end

local function impossible(p)
  local answer = predict.point(p, ideal, p.tpot_s ~= nil)
  return p.tpot_s and answer.tpot_s > p.tpot_s * 1.02
end

local FAST_MOST <const> = 0.1

--- Splits off points that do not fit into memory as they are recorded, and configurations of which
--- more than a tenth of the rows are faster than the datasheet allows: what they are called is not
--- what ran.
---@param list tests.Point[]
---@return tests.Point[] ready
---@return integer too_big
---@return integer too_fast
function predict.fitting(list)
  local fits, ready, too_big, too_fast, rows = {}, {}, 0, 0, {}
  for _, p in ipairs(list) do
    if predict.capacity(p) <= p.prompt + p.output then
      too_big = too_big + 1
    else
      fits[#fits + 1] = p
      local c = rows[p.configuration] or { all = 0, fast = 0 }
      rows[p.configuration] = c
      c.all, c.fast = c.all + 1, c.fast + (impossible(p) and 1 or 0)
    end
  end
  for _, p in ipairs(fits) do
    local c = rows[p.configuration]
    if c.fast > FAST_MOST * c.all then
      too_fast = too_fast + 1
    else
      ready[#ready + 1] = p
    end
  end
  return ready, too_big, too_fast
end

return predict
