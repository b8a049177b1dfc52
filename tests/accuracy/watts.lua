-- The power model against ML.ENERGY: what each GPU of vLLM 0.11 draws in the steady state, H100 and
-- B200, and the energy of a token.
--
-- Bytes and FLOPs of a mean step are the model's, its time as measured, or as predicted where that
-- is said. Fitted are what memory and arithmetic add, alike for both, what a GPU draws while a step
-- runs, of each architecture, and how much more of that where a model has experts; every model in
-- turn is predicted from the others. Owns this fit; the constants are llm/power.lua's. Called by
-- power.lua of this folder.

local catalogue = require "tandem.catalogue"
local core = require "tandem.core"
local fit = require "tandem.llm.fit"
local observed = require "tests.accuracy.observed"
local power = require "tandem.llm.power"
local predict = require "tests.accuracy.observed.predict"
local rates = require "tandem.llm.rates"

local watts = {}

local NAMES <const> = { "memory", "arithmetic", "experts", "Hopper", "Blackwell" }
local BOUNDS <const> = { memory = { 0.001, 3 }, arithmetic = { 0.001, 6 }, experts = { 0, 0.5 },
  Hopper = { 0.05, 0.9 }, Blackwell = { 0.05, 0.9 } }
local ROUNDS <const> = 60

-- Seconds of a mean step were a resource at its peak.
local function asked(spec, p)
  local model = assert(core.llm.step(spec))
  local n = math.max(1, math.floor(p.concurrency / p.parallelism.data + 0.5))
  local batch = { decode_seqs = n, decode_context = n * p.context,
    decode_context_max = math.ceil(p.context), sampled = n }
  local alone = model:step_s(batch)
  batch.prefill_seqs, batch.prefill_tokens, batch.prefill_context = 1, math.floor(p.prompt), 0
  batch.prefill_attention = p.prompt * (p.prompt + 1) / 2
  batch.prefill_squares = p.prompt ^ 2
  -- So many prompts come to a step.
  return alone + n / p.output * (model:step_s(batch) - alone)
end

local function prepare(list)
  for _, p in ipairs(list) do
    local gpu = catalogue.gpu(p.gpu)
    local spec = assert(power.spec { architecture = p.architecture, gpu = p.gpu,
      parallelism = p.parallelism, precision = p.precision, kv_type = p.kv_type,
      limit = gpu.tdp_w })
    p.family, p.limit_w = gpu.architecture, gpu.tdp_w
    p.memory_s, p.arithmetic_s = asked(spec.memory_step, p), asked(spec.arithmetic_step, p)
    p.predicted_s = predict.point(p, rates.known(p.gpu, p.engine, p.architecture, p.precision,
      p.version)).tpot_s
  end
  return list
end

local function share(p, c, seconds)
  return math.min(1, c.active + (c.memory * p.memory_s + c.arithmetic * p.arithmetic_s) / seconds)
end

local function with_active(c, p)
  return { active = c[p.family] + (p.kind == "moe" and c.experts or 0), memory = c.memory,
    arithmetic = c.arithmetic }
end

local function fitted(list)
  local start = { memory = 0.4, arithmetic = 0.6, experts = 0.1, Hopper = 0.5, Blackwell = 0.5 }
  return fit.search(start, function(c)
    local pairs_list = {}
    for i, p in ipairs(list) do
      pairs_list[i] = { share(p, with_active(c, p), p.tpot_s), p.power_w / p.limit_w }
    end
    return fit.loss(pairs_list)
  end, { names = NAMES, rounds = ROUNDS, bounds = BOUNDS })
end

local function summary(errors)
  local sizes = {}
  for i, e in ipairs(errors) do sizes[i] = math.abs(e) end
  table.sort(sizes)
  table.sort(errors)
  return ("median %4.1f %%, p90 %3.0f %%, bias %+5.1f %%"):format(100 * sizes[(#sizes + 1) // 2],
    100 * sizes[math.ceil(0.9 * #sizes)], 100 * errors[(#errors + 1) // 2])
end

-- Power with the measured time, with the predicted one, and joules of a token.
local function told(what, list, constants_of)
  local measured, predicted, joules = {}, {}, {}
  for i, p in ipairs(list) do
    local c = constants_of(p)
    measured[i] = share(p, c, p.tpot_s) * p.limit_w / p.power_w - 1
    local watt = share(p, c, p.predicted_s) * p.limit_w / p.power_w
    predicted[i], joules[i] = watt - 1, watt * p.predicted_s / p.tpot_s - 1
  end
  print(("  %-24s W, times as measured: %s"):format(what, summary(measured)))
  print(("  %-24s as predicted: %s; J/token: %s"):format("", summary(predicted), summary(joules)))
end

--- Prints the errors; nothing where there are no such points.
function watts.run()
  local list = {}
  for _, p in ipairs((predict.fitting((observed.read())))) do
    if p.power_w then list[#list + 1] = p end
  end
  if #list == 0 then return end
  prepare(list)
  print(("%d configurations of ML.ENERGY, H100 and B200"):format(#list))
  told("constants as shipped", list, function(p)
    return power.of(p.gpu, p.architecture)
  end)
  local by_model = {}
  for _, p in ipairs(list) do
    if not by_model[p.model] then
      local others = {}
      for _, other in ipairs(list) do
        if other.model ~= p.model then others[#others + 1] = other end
      end
      by_model[p.model] = fitted(others)
    end
  end
  local function left_out(p) return with_active(by_model[p.model], p) end
  told("a model left out", list, left_out)
  for _, family in ipairs { "Hopper", "Blackwell" } do
    local own = {}
    for _, p in ipairs(list) do
      if p.family == family then own[#own + 1] = p end
    end
    told("… of " .. family, own, left_out)
  end
  local c = fitted(list)
  print(("  fitted to all: memory %.2f, arithmetic %.2f, active %.2f (Hopper), %.2f (Blackwell), "
    .. "%.2f more with experts"):format(c.memory, c.arithmetic, c.Hopper, c.Blackwell, c.experts))
end

return watts
