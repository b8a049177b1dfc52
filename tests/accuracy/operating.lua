-- Every measured operating point against the constants that are shipped: TPOT, median TTFT and
-- throughput by set, GPU, engine and kind of model. SERVING_DATA names the folder of measurements.

local observed = require "tests.accuracy.observed"
local predict = require "tests.accuracy.observed.predict"
local rates = require "tandem.llm.rates"
local score = require "tests.accuracy.observed.score"

local operating = {}

--- The points that can be predicted; prints what is left out.
---@return tests.Point[]
function operating.points()
  local list, left = observed.read()
  local ready, too_big, too_fast = predict.fitting(list)
  if too_big > 0 then left["do not fit into memory as recorded"] = too_big end
  if too_fast > 0 then
    left["are of configurations that are faster than the GPU's datasheet allows"] = too_fast
  end
  local reasons = {}
  for why in pairs(left) do reasons[#reasons + 1] = why end
  table.sort(reasons)
  local configurations, count = {}, 0
  for _, p in ipairs(ready) do
    if not configurations[p.configuration] then count = count + 1 end
    configurations[p.configuration] = true
  end
  print(("%d operating points of %d configurations"):format(#ready, count))
  for _, why in ipairs(reasons) do print(("  left out: %4d  %s"):format(left[why], why)) end
  return ready
end

---@return boolean
function operating.run()
  local list, predicted = operating.points(), {}
  for i, p in ipairs(list) do
    predicted[i] = predict.point(p, rates.known(p.gpu, p.engine, p.architecture, p.precision,
      p.version))
  end
  score.print(score.errors(list, predicted))
  return true
end

return operating
