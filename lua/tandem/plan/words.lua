--- What is counted, in words: "3 × L40S", "4 servers", "concurrency 8".
--
-- Owns the names of amounts and of figures beside their limits. Called by plan/report, plan/table
-- and plan/ahead.
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local words = {}

--- "4 servers", "concurrency 8".
---@param q tandem.PlanQuestion
---@param count integer
---@return string
function words.noun(q, count)
  if q.setting then return ("%s %d"):format(q.noun, count) end
  return format.plural(count, q.noun or "GPU")
end

--- "number of GPUs", "concurrency".
---@param q tandem.PlanQuestion
---@return string
function words.number_of(q)
  return q.setting and q.noun or ("number of %ss"):format(q.noun or "GPU")
end

--- "3 × L40S", "4 servers".
---@param q tandem.PlanQuestion
---@param kind tandem.PlanKind
---@param count integer
---@return string
function words.amount(q, kind, count)
  if q.count == "gpus" and kind.name ~= "" then
    return ("%d × %s"):format(count, styles.clean(kind.name))
  end
  return words.noun(q, count)
end

--- The same of a row of an answer, which may be a whole configuration.
---@param q tandem.PlanQuestion
---@param row tandem.PlanRow
---@param count integer
---@return string
function words.of_row(q, row, count)
  return row.setting or words.amount(q, row.choice, count)
end

--- A figure with its interval.
---@param figure tandem.PlanFigure
---@return string
function words.value(figure)
  return format.estimate(figure, figure.kind)
end

--- What a figure is, as said beside its limit: "p99 312 ± 9 ms".
---@param figure tandem.PlanFigure
---@return string
function words.beyond(figure)
  if figure.value == math.huge then return figure.label .. " without end" end
  return ("%s %s"):format(figure.label, words.value(figure))
end

return words
