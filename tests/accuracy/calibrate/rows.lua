-- Operating points as rows of the linear model: what a point says about the time of a step, and how
-- that changes with each parameter. Called by run.lua and leave_out.lua.

local base = require "tests.accuracy.calibrate.base"
local pool = require "tests.accuracy.calibrate.pool"
local predict = require "tests.accuracy.observed.predict"
local rates = require "tandem.llm.rates"

local rows = {}

local STEP <const> = -0.05 -- of ln; shares stay below 1

-- What counts: TPOT, and where only a throughput is known the time of a token that it means.
local function measured(p) return p.tpot_s or 1 / p.throughput end
local function predicted(p, answer)
  return p.tpot_s and answer.tpot_s or 1 / answer.throughput
end

--- Constants that operators say, by GPU and engine, made once.
---@param kernels table
---@return fun(gpu: string, engine: string): tandem.llm.Constants
function rows.bases(kernels)
  local known = {}
  return function(gpu, engine)
    local key = gpu .. "|" .. engine
    known[key] = known[key] or base.of(kernels, gpu, engine)
    return known[key]
  end
end

--- Effects at θ of the row's GPU and engine (0 without), and what is left unexplained at 0.
---@param list tests.Point[]
---@param base_of fun(gpu: string, engine: string): tandem.llm.Constants
---@param theta_of? fun(gpu: string, engine: string): number[]
---@return table[]
function rows.of(list, base_of, theta_of)
  local K, out = #pool.PARAMETERS, {}
  for n, p in ipairs(list) do
    local constants = base_of(p.gpu, p.engine)
    local at = {}
    for i = 1, K do at[i] = theta_of and theta_of(p.gpu, p.engine)[i] or 0 end
    local here = predicted(p, predict.point(p, pool.apply(constants, at), p.tpot_s ~= nil))
    local J, known = {}, 0
    for i = 1, K do
      local moved = table.move(at, 1, K, 1, {})
      moved[i] = moved[i] + STEP
      J[i] = math.log(predicted(p, predict.point(p, pool.apply(constants, moved),
        p.tpot_s ~= nil)) / here) / STEP
      known = known + J[i] * at[i]
    end
    J[K + 1] = 1
    out[n] = { point = p, gpu = p.gpu, engine = p.engine, set = p.set,
      configuration = p.configuration, model = rates.fingerprint(p.architecture),
      precision = p.precision, version = not p.dynamo and p.version or nil, J = J,
      y = math.log(measured(p) / here) + known }
  end
  return out
end

return rows
