-- The estimate from all points of a folder of measurements: kernels, rows, spreads of factors,
-- mode. Called by run.lua
-- and tests/accuracy/left_out.lua.

local factors = require "tests.accuracy.calibrate.factors"
local folds = require "tests.accuracy.calibrate.folds"
local observed = require "tests.accuracy.observed"
local operators = require "tests.accuracy.calibrate.operators"
local pool = require "tests.accuracy.calibrate.pool"
local predict = require "tests.accuracy.observed.predict"
local rows_of = require "tests.accuracy.calibrate.rows"

local estimate = {}

---@class tests.Estimate
---@field kernels table
---@field base_of fun(gpu: string, engine: string): tandem.llm.Constants
---@field rows table[]
---@field fit tests.Pooled
---@field spreads tests.FactorSpreads

local STEPS <const> = 3

--- Steps of Gauss and Newton: effects at what operators say, then at the estimate before.
---@param root string
---@return tests.Estimate|nil
---@return string|nil message
function estimate.of(root)
  local kernels = operators.cached(root)
  if not kernels then return nil, root .. ": has no operators/GPU/*.csv.gz" end
  local list, base_of = predict.fitting((observed.read(root))), rows_of.bases(kernels)
  if #list == 0 then return nil, root .. ": has no operating points" end
  local rows = rows_of.of(list, base_of)
  for _ = 1, STEPS do
    local found = pool.solve(rows, 2)
    rows = rows_of.of(list, base_of, function(gpu, engine) return found:theta(gpu, engine) end)
  end
  pool.solve(rows, 2)
  local spreads = factors.choose(rows, folds.of, folds.COUNT)
  return { kernels = kernels, base_of = base_of, rows = rows, spreads = spreads,
    fit = pool.solve(rows, nil, spreads) }
end

return estimate
