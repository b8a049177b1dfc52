-- The estimate from all points of a folder of measurements: kernels, rows, mode. Called by run.lua
-- and tests/accuracy/left_out.lua.

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

--- Two steps of Gauss and Newton: effects at what operators say, then at the first estimate.
---@param root string
---@return tests.Estimate|nil
---@return string|nil message
function estimate.of(root)
  local kernels = operators.cached(root)
  if not kernels then return nil, root .. ": has no operators/GPU/*.csv.gz" end
  local list, base_of = predict.fitting((observed.read(root))), rows_of.bases(kernels)
  if #list == 0 then return nil, root .. ": has no operating points" end
  local first = pool.solve(rows_of.of(list, base_of))
  local rows = rows_of.of(list, base_of, function(gpu, engine) return first:theta(gpu, engine) end)
  return { kernels = kernels, base_of = base_of, rows = rows, fit = pool.solve(rows) }
end

return estimate
