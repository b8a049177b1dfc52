--- Constants of the roofline from closed-loop operating points: clients, lengths, TTFT and TPOT.
--
-- A point is predicted from its model's sizes and its GPU's datasheet (closed_loop.lua); the
-- constants between both, one set an engine, are searched for. Constants that no point depends on,
-- or that others of them stand in for, keep their values and are named. Fewer points than tell
-- constants sharpen what is known (sharpen.lua). Owns how a record says what
-- ran, and these predictions. Called by init.lua.

local catalogue = require "tandem.catalogue"
local closed_loop = require "tandem.llm.closed_loop"
local fit = require "tandem.llm.fit"
local format = require "tandem.text.format"
local holdout = require "tandem.llm.calibrate.holdout"
local llm = require "tandem.llm"
local precision = require "tandem.llm.precision"
local rates = require "tandem.llm.rates"

local points = {}

-- Each with its bounds; those first that most points depend on.
local CONSTANTS <const> = {
  { "layer_s", 5e-6, 1e-4 }, { "weight_bandwidth", 0.3, 1 }, { "matrix_efficiency", 0.1, 1 },
  { "request_s", 1e-3, 0.3 }, { "step_s", 5e-5, 5e-3 }, { "expert_layer_s", 3e-6, 2e-4 },
  { "expert_bandwidth", 0.3, 1 }, { "expert_efficiency", 0.05, 1 }, { "sequence_s", 1e-7, 1e-4 },
  { "kv_bandwidth", 0.2, 1 }, { "attention_efficiency", 0.05, 1 },
  { "link_latency_s", 2e-6, 3e-5 },
}
local MOST <const> = 400       -- points a search goes through
local LEAST <const> = 8        -- points of an engine
local TTFT_WEIGHT <const> = 0.1 -- what it says of steps is mixed with queues
local SHARE_LEAST <const> = 0.02 -- of a constant's effect that is its own
local REFINES <const> = 8
local STEP <const> = 0.9       -- factor by which effects are measured; shares stay below 1
local OPEN <const> = 0.5       -- standard error over value from which a constant is not told
local NODE <const> = 8         -- GPUs

-- ---- what ran

local function simple(name) return (tostring(name):lower():gsub("[^%w]", "")) end

local function gpu_of(name)
  local wanted = simple(name)
  for _, known in ipairs(catalogue.gpu_names()) do
    if simple(known) == wanted or simple(known) == wanted:gsub("sxm$", "") then
      return catalogue.gpu(known)
    end
  end
  return catalogue.gpu(tostring(name))
end

local function first(row, ...)
  for _, key in ipairs { ... } do
    if row[key] ~= nil then return row[key] end
  end
end

local function precision_of(row, published, architecture)
  local told = first(row, "gemm_quant_mode", "gemm", "precision", "quantization")
  if precision.known[told] then return told end
  told = tostring(told or "")
  if told:find "nvfp4" then return architecture.kv_rank and "fp4-latent" or "fp4" end
  if told:find "fp8" then return "fp8" end
  if told:find "int4" then return "int4" end
  return published
end

local function parallelism_of(row)
  local function count(...) return math.max(1, math.tointeger(first(row, ...) or 1) or 1) end
  local cut = { tensor = count("tp_size", "tp", "tensor_parallel"), pipeline = count("pp_size",
    "pp"), data = count("attention_dp_size", "dp"), expert = count("moe_ep_size", "moe_ep", "ep") }
  local all = cut.tensor * cut.data
  if all > NODE then return nil, "more GPUs than a node has" end
  if all % cut.expert ~= 0 then cut.expert = all end
  return cut
end

-- Random lengths differ by 20 % where the benchmark draws them so.
local function settle(point, options, model_of)
  local row = point.row
  if not (point.prompt and point.output) then
    return nil, "their file does not tell how long prompts and answers are"
  elseif not point.concurrency then
    return nil, point.waited and "requests waited longer for their first token than for all others"
      or "how many requests were inside is not told"
  elseif not (point.ttft_s and point.tpot_s) or point.ttft_s <= 0 or point.tpot_s <= 0
    or point.output <= 1 then
    return nil, "no time of the first token and of those that follow"
  end
  if row.mode and row.mode ~= "agg" then return nil, "prefill apart from decode" end
  local name = options.model or first(row, "model_path", "model", "model_name")
  if not name then return nil, "no model; --model names one" end
  local architecture, published = model_of(name)
  if not architecture then return nil, ("the model %s is not shipped; --model names one that is")
    :format(name) end
  local gpu = gpu_of(options.gpu or first(row, "system", "gpu", "hardware", "gpu_name"))
  if not gpu then return nil, "no GPU that is known; --gpu names one" end
  local cut, why = parallelism_of(row)
  if not cut then return nil, why end
  if options.tp then cut.tensor = options.tp end
  point.options = { architecture = architecture, gpu = gpu, parallelism = cut,
    precision = precision_of(row, published, architecture) }
  point.backend = tostring(first(row, "backend", "engine") or "engine")
  local room, wrong = llm.kv_tokens(point.options)
  if not room then return nil, wrong end
  if room < point.prompt + point.output then return nil, "does not fit into memory" end
  point.capacity = room
  return true
end

-- ---- predictions

-- What is shipped for the first one's GPU and engine.
local function start(list)
  local constants = {}
  for name, value in pairs(rates.known(list[1].options.gpu.name, list[1].backend)) do
    constants[name] = value
  end
  return constants
end

local function predict(point, constants)
  local o = point.options
  constants.factor = rates.known(o.gpu.name, point.backend, o.architecture,
    o.precision).factor
  local model = llm.roofline { architecture = o.architecture, gpu = o.gpu,
    parallelism = o.parallelism, precision = o.precision, constants = constants }
  if not model then return nil end
  return closed_loop.predict(model, { concurrency = point.concurrency / o.parallelism.data,
    prompt = math.floor(point.prompt), output = math.floor(point.output), budget = 8192,
    capacity = point.capacity, request_s = constants.request_s,
    separate = point.backend == "sglang" })
end

local function loss_of(list, constants)
  local pairs_list = {}
  for _, p in ipairs(list) do
    local r = predict(p, constants)
    if r then
      pairs_list[#pairs_list + 1] = { r.tpot_s, p.tpot_s, 1 }
      pairs_list[#pairs_list + 1] = { r.ttft_s, p.ttft_s, TTFT_WEIGHT }
    end
  end
  return fit.loss(pairs_list)
end

-- ---- what the points can tell

--- Effects of a constant on all predictions: changes of their logarithms by that of its own.
local function effect_of(list, constants, name, base)
  local changed = start(list)
  for key, value in pairs(constants) do changed[key] = value end
  changed[name] = constants[name] * STEP
  local effect = {}
  for i, p in ipairs(list) do
    local r = predict(p, changed)
    effect[2 * i - 1] = math.log(r.tpot_s / base[i].tpot_s) / math.log(STEP)
    effect[2 * i] = math.log(r.ttft_s / base[i].ttft_s) / math.log(STEP) * math.sqrt(TTFT_WEIGHT)
  end
  return effect
end

local function dot(a, b)
  local sum = 0
  for i, v in ipairs(a) do sum = sum + v * b[i] end
  return sum
end

local function without(a, b, by)
  local out = {}
  for i, v in ipairs(a) do out[i] = v - by * b[i] end
  return out
end

--- Constants that the points tell apart, and what becomes of the others; by Gram and Schmidt over
--- their effects.
local function choose(list, constants)
  local base, names, refused, seen = {}, {}, {}, {}
  for i, p in ipairs(list) do base[i] = predict(p, constants) end
  for _, c in ipairs(CONSTANTS) do
    local effect = effect_of(list, constants, c[1], base)
    local all = dot(effect, effect)
    for _, q in ipairs(seen) do effect = without(effect, q, dot(effect, q)) end
    local own = dot(effect, effect)
    if all < 1e-6 * #list then
      refused[#refused + 1] = { name = c[1], why = "no point depends on it" }
    elseif own < SHARE_LEAST * all or own < 1e-5 * #list then
      refused[#refused + 1] = { name = c[1], why = "the points cannot tell it from the others" }
    else
      names[#names + 1] = c[1]
      seen[#seen + 1] = without(effect, effect, 1 - 1 / math.sqrt(own))
    end
  end
  return names, refused
end

-- ---- the linear map from constants to predictions

-- Logarithms of measured over predicted times, TTFT by its weight.
local function residuals(list, constants)
  local base, left = {}, {}
  for i, p in ipairs(list) do
    base[i] = predict(p, constants)
    left[2 * i - 1] = math.log(p.tpot_s / base[i].tpot_s)
    left[2 * i] = math.sqrt(TTFT_WEIGHT) * math.log(p.ttft_s / base[i].ttft_s)
  end
  return left, base
end

local function effects_of(list, constants, names, base)
  local effects = {}
  for j, name in ipairs(names) do effects[j] = effect_of(list, constants, name, base) end
  return effects
end

--- The inverse of a matrix that is definite, by Gauss and Jordan.
local function inverse(matrix)
  local k, rows = #matrix, {}
  for i = 1, k do
    rows[i] = table.move(matrix[i], 1, k, 1, {})
    for j = 1, k do rows[i][k + j] = i == j and 1 or 0 end
  end
  for i = 1, k do
    local pivot = math.max(rows[i][i], 1e-12)
    for j = 1, 2 * k do rows[i][j] = rows[i][j] / pivot end
    for m = 1, k do
      if m ~= i then rows[m] = without(rows[m], rows[i], rows[m][i]) end
    end
  end
  for i = 1, k do rows[i] = table.move(rows[i], k + 1, 2 * k, 1, {}) end
  return rows
end

local function weighted(effects, weights)
  local matrix = {}
  for i, e in ipairs(effects) do
    local scaled = {}
    for n, v in ipairs(e) do scaled[n] = v * (weights and weights[n] or 1) end
    matrix[i] = {}
    for j, other in ipairs(effects) do matrix[i][j] = dot(scaled, other) end
  end
  return matrix
end

-- Where a share of the way that the linear map points to leads.
local function along(constants, names, bounds, way, share)
  local trial = {}
  for key, v in pairs(constants) do trial[key] = v end
  for i, name in ipairs(names) do
    local value = trial[name] * math.exp(share * way[i])
    trial[name] = math.max(bounds[name][1], math.min(bounds[name][2], value))
  end
  return trial
end

--- Gauss and Newton from where the search along single constants got stuck: valleys lie askew, and
--- bend, so that half the way may be better than all of it. Weights make the squares the absolute
--- values that the search goes by.
local function refine(list, constants, names, bounds)
  local value = loss_of(list, constants)
  for _ = 1, REFINES do
    local left, base = residuals(list, constants)
    local effects, weights = effects_of(list, constants, names, base), {}
    for n, r in ipairs(left) do weights[n] = 1 / math.max(math.abs(r), 0.01) end
    local map, pull, way = inverse(weighted(effects, weights)), {}, {}
    for n, r in ipairs(left) do pull[n] = weights[n] * r end
    for i in ipairs(names) do
      way[i] = 0
      for j, e in ipairs(effects) do way[i] = way[i] + map[i][j] * dot(e, pull) end
    end
    -- All by the same share: cut one by one they would leave the valley.
    local longest = 0.5
    for _, w in ipairs(way) do longest = math.max(longest, math.abs(w)) end
    local share = 1 / longest
    local trial, now
    repeat
      share = share / 2
      trial = along(constants, names, bounds, way, share)
      now = loss_of(list, trial)
    until now < value * (1 - 1e-3) or share < 0.05 / longest
    if now >= value * (1 - 1e-3) then break end
    constants, value = trial, now
  end
  return constants
end

--- Standard errors by the linear map at the fit.
local function errors_of(list, constants, names)
  local left, base = residuals(list, constants)
  local variance = dot(left, left) / math.max(#list * (1 + TTFT_WEIGHT) - #names, 1)
  local map = inverse(weighted(effects_of(list, constants, names, base)))
  local errors = {}
  for j, name in ipairs(names) do
    errors[name] = constants[name] * math.sqrt(math.max(variance * map[j][j], 0))
  end
  return errors
end

-- ---- the fit

local function some_of(list)
  if #list <= MOST then return list end
  local some = {}
  for i = 1, MOST do some[i] = list[(i - 1) * #list // MOST + 1] end
  return some
end

local function hold_rows(list, constants)
  local rows = {}
  for _, name in ipairs { "ttft", "tpot" } do
    local predicted, observed = {}, {}
    for i, p in ipairs(list) do
      predicted[i], observed[i] = predict(p, constants)[name .. "_s"], p[name .. "_s"]
    end
    rows[#rows + 1] = holdout.row(name:upper(), predicted, observed)
  end
  return rows
end

local function search(train, names, bounds)
  local constants = fit.search(start(train), function(values) return loss_of(train, values) end,
    { names = names, bounds = bounds, rounds = 14 })
  constants = refine(train, constants, names, bounds)
  return constants, errors_of(train, constants, names)
end

local function fit_engine(name, list, options)
  local held, train, asked = holdout.split(#list, options), {}, {}
  for i, p in ipairs(list) do table.insert(held(i) and asked or train, p) end
  local all = #train
  train = some_of(train)
  local names, refused = choose(train, start(train))
  local bounds = {}
  for _, c in ipairs(CONSTANTS) do bounds[c[1]] = { c[2], c[3] } end
  local constants, errors = search(train, names, bounds)
  -- What stays open after all goes back to what is shipped, and the others are searched anew.
  local sure = {}
  for _, constant in ipairs(names) do
    if errors[constant] <= OPEN * constants[constant] then
      sure[#sure + 1] = constant
    else
      refused[#refused + 1] = { name = constant, why = ("too uncertain (%.2g ± %.2g)")
        :format(constants[constant], 1.96 * errors[constant]) }
    end
  end
  if #sure == 0 then return nil end
  if #sure < #names then
    names = sure
    constants, errors = search(train, names, bounds)
  end
  return { name = name, constants = constants, names = names, bounds = bounds, refused = refused,
    fitted = all, searched = #train, held = #asked, errors = errors,
    rows = hold_rows(asked, constants), before = hold_rows(asked, start(train)) }
end

---@param measured tandem.llm.Measured
---@param options table  hold, split, seed, model, gpu, tp
---@param model_of fun(name: string): table|nil, string  architecture and published precision
---@return table|nil answer  engines, notes
---@return string|nil message
function points.fit(measured, options, model_of)
  local by_engine, reasons, kept = {}, {}, 0
  for _, point in ipairs(measured.points) do
    local ok, why = settle(point, options, model_of)
    if ok then
      by_engine[point.backend] = by_engine[point.backend] or {}
      table.insert(by_engine[point.backend], point)
      kept = kept + 1
    else
      reasons[why] = (reasons[why] or 0) + 1
    end
  end
  local notes, engines, names = {}, {}, {}
  for why, count in pairs(reasons) do
    notes[#notes + 1] = ("%s left out: %s"):format(format.plural(count, "point"), why)
  end
  table.sort(notes)
  for name in pairs(by_engine) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local list = by_engine[name]
    local engine, why = #list >= LEAST and fit_engine(name, list, options) or nil, nil
    if not engine then -- too few, or too much alike: of one deployment they tell its factor
      engine, why = require("tandem.llm.calibrate.sharpen").engine(name, list, predict)
    end
    engines[#engines + 1] = engine
    table.move(engine and engine.notes or {}, 1, 99, #notes + 1, notes)
    if not engine then
      notes[#notes + 1] = ("%s of %s tell no constant%s"):format(format.plural(#list, "point"),
        name, why and ": " .. why or "")
    end
  end
  if #engines == 0 then return nil, notes[1] or "no point can be predicted" end
  return { engines = engines, notes = notes, points = kept }
end

return points
