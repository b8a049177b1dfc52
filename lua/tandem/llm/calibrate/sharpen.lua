--- A few operating points of one deployment: what they add to what is known of its GPU and server.
--
-- Three points tell no constants, but they tell how far this deployment is off: the estimate and
-- its covariance (lib/llm_rates.lua) are taken as what is known before, the points by Bayes' rule
-- (llm/doubt.lua). What comes out is a td.roofline with the likeliest constants, a factor on all
-- times and the spread that is left. Owns this update; predictions of a point are points.lua's,
-- which calls it.

local doubt = require "tandem.llm.doubt"
local format = require "tandem.text.format"
local generation = require "tandem.language.generation"
local rates = require "tandem.llm.rates"

local sharpen = {}

local NUDGE <const> = 0.05
local TOLD <const> = 0.1 -- share of a constant's own spread that the points take away, to tell it

-- Points of one deployment have all of this in common.
local function deployment_of(point)
  local o, cut = point.options, point.options.parallelism
  return ("%s, %s, tp %d, dp %d, pp %d, ep %d of %s"):format(
    o.architecture and rates.fingerprint(o.architecture), o.precision, cut.tensor or 1,
    cut.data or 1, cut.pipeline or 1, cut.expert or 1, o.gpu.name)
end

-- Effects of root and factor on ln TPOT of a point.
local function effects_of(point, predict, constants, root, spread)
  local out = {}
  for i = 1, #root do out[i] = 0 end
  for p, name in ipairs(require("lib.llm_rates").parameters) do
    local up = predict(point, rates.vary(constants, { [name] = NUDGE })).tpot_s
    local down = predict(point, rates.vary(constants, { [name] = -NUDGE })).tpot_s
    local effect = math.log(up / down) / (2 * NUDGE)
    for i, vector in ipairs(root) do out[i] = out[i] + effect * vector[p] end
  end
  out[#root + 1] = spread
  return out
end

-- Standard deviations of a parameter's logarithm before and after.
local function known_of(root, learned, p)
  local before, after = 0, 0
  for i, vector in ipairs(root) do
    before = before + vector[p] ^ 2
    for j, other in ipairs(root) do
      after = after + vector[p] * learned.covariance[i][j] * other[p]
    end
  end
  return math.sqrt(before), math.sqrt(math.max(0, after))
end

-- Constants as the points leave them: all of them, and those that a td.roofline can say and the
-- points told, each with its standard error.
local function constants_of(constants, root, learned)
  local moved, told, errors = {}, {}, {}
  local says = {}
  for _, name in pairs(generation.constant_names) do says[name] = true end
  for p, parameter in ipairs(require("lib.llm_rates").parameters) do
    local sum = 0
    for i, vector in ipairs(root) do sum = sum + vector[p] * learned.mean[i] end
    local before, after = known_of(root, learned, p)
    local sayable = true
    for _, key in ipairs(rates.parameters[parameter]) do sayable = sayable and says[key] end
    if sayable and before > 0 and after < (1 - TOLD) * before then
      moved[parameter] = sum
      for _, key in ipairs(rates.parameters[parameter]) do
        told[#told + 1], errors[key] = key, after
      end
    end
  end
  table.sort(told)
  return rates.vary(constants, moved), told, errors
end

-- Mean over points of the logarithm of a prediction.
local function level_of(list, predict, constants)
  local sum = 0
  for _, point in ipairs(list) do sum = sum + math.log(predict(point, constants).tpot_s) end
  return sum / #list
end

local function strange_notes(list, learned)
  local notes = {}
  for _, number in ipairs(learned.strange) do
    local point = list[number]
    notes[#notes + 1] = ("the point of %s is further off than three standard deviations of what "
      .. "was expected of it (is its label what ran?)"):format(format.plural(
      math.floor(point.concurrency + 0.5), point.rate and "request" or "client")
      .. (point.rate and " at once" or ""))
  end
  return notes
end

--- A deployment that its points sharpen; nil and why not.
---@param name string    of the engine
---@param list table[]   settled points
---@param predict fun(point: table, constants: tandem.llm.Constants): table
---@return table|nil engine  as points.fit has it, with factor and spread
---@return string|nil why
function sharpen.engine(name, list, predict)
  local first = list[1].options
  for _, point in ipairs(list) do
    if deployment_of(point) ~= deployment_of(list[1]) then
      return nil, ("they are of several deployments (%s; %s): give those of one"):format(
        deployment_of(list[1]), deployment_of(point))
    end
  end
  local constants = rates.known(first.gpu.name, name, first.architecture,
    first.precision)
  local entry = rates.entry(first.gpu.name, name)
  local spread = rates.spread(first.gpu.name, name, first.architecture, first.precision)
  local shape = rates.shape()
  local measured, level = {}, level_of(list, predict, constants)
  for i, point in ipairs(list) do
    measured[i] = { effects = effects_of(point, predict, constants, entry.root, spread),
      left = math.log(point.tpot_s / predict(point, constants).tpot_s) }
  end
  local learned = doubt.learn(measured, shape)
  local mean, before, after = 0, 0, 0
  for _, one in ipairs(measured) do
    local own, deviation = doubt.expect(learned, one.effects, shape)
    local all = shape ^ 2
    for _, x in ipairs(one.effects) do all = all + x * x end
    mean, before, after = mean + own / #list, before + all / #list, after + deviation ^ 2 / #list
  end
  local found, told, errors = constants_of(constants, entry.root, learned)
  -- What the constants do not say, the factor does: at the points both say what is known.
  local factor = (constants.factor or 1)
    * math.exp(mean + level - level_of(list, predict, found))
  return { name = name, constants = found, names = told, errors = errors, factor = factor,
    spread = math.sqrt(after), expected = math.sqrt(before), off = math.exp(mean) - 1,
    fitted = #list, searched = #list, held = 0, rows = {}, before = {}, refused = {}, bounds = {},
    notes = strange_notes(list, learned) }
end

return sharpen
