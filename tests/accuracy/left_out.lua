-- Every configuration, GPU, model and engine predicted from the others: `make accuracy
-- CASE=left_out` with SERVING_DATA, some minutes. Beside it the constants of rates.lua, which
-- nobody fitted to these points, kernels alone, and the bars.

local estimate = require "tests.accuracy.calibrate.estimate"
local leave_out = require "tests.accuracy.calibrate.leave_out"
local observed = require "tests.accuracy.observed"
local pool = require "tests.accuracy.calibrate.pool"
local predict = require "tests.accuracy.observed.predict"
local published = require "tests.accuracy.published"
local rates = require "tandem.llm.rates"
local score = require "tests.accuracy.observed.score"

local left_out = {}

local BARS <const> = {
  "bars: GPU and engine seen  TPOT 10 / 8 / – / 25   median TTFT – / 25   tokens/s bias 5",
  "bars: GPU not seen         TPOT 18 / 13, better than rates.lua; 90 % intervals hold 85 to 95 %,",
  "      half-width 22 % where the GPU was seen, 40 % where not",
}

local function answers(rows, constants_of)
  local out = {}
  for i, row in ipairs(rows) do out[i] = predict.point(row.point, constants_of(row)) end
  return out
end

---@return boolean
function left_out.run()
  local e, why = estimate.of(observed.root)
  if not e then
    print("  skipped: " .. why)
    return true
  end
  local rows, base_of = e.rows, e.base_of
  leave_out.head()
  leave_out.line("constants of rates.lua", rows,
    answers(rows, function() return rates.constants end))
  leave_out.line("kernels alone", rows, answers(rows,
    function(row) return base_of(row.gpu, row.engine) end))
  leave_out.line("all points, in sample", rows, answers(rows, function(row)
    local c = pool.apply(base_of(row.gpu, row.engine), e.fit:theta(row.gpu, row.engine))
    c.factor = e.fit:factor(row)
    return c
  end))
  local kept = {}
  for i, by in ipairs(leave_out.by) do
    local predicted = leave_out.predict(rows, base_of, by.of, e.spreads)
    local groups = leave_out.line(by.name .. " left out", rows, predicted)
    leave_out.by_group(rows, predicted)
    kept[i] = predicted
    if by == leave_out.by[1] or by == leave_out.by[2] then score.print(groups) end
  end
  for _, line in ipairs(BARS) do print(line) end
  published.print(rows, kept[1], kept[2])
  return true
end

return left_out
