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
  if q.pair then return ("number of %ss and %ss"):format(q.noun, q.pair.noun) end
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
  return row.setting or row.with and words.pair(q, row.choice, count, row.with)
    or words.amount(q, row.choice, count)
end

--- "3 × L40S with 12 CPU workers".
---@param q tandem.PlanQuestion
---@param kind tandem.PlanKind
---@param count integer
---@param with integer
---@return string
function words.pair(q, kind, count, with)
  return ("%s with %s"):format(words.amount(q, kind, count), format.plural(with, q.pair.noun))
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

--- An overload that came with it.
---@param reason any
---@return string
function words.there(reason)
  return type(reason) == "string" and (" There %s."):format(styles.clean(reason)) or ""
end

--- Why fewer do not do: what its run said, or why there is none.
---@param fewer table  of a row
---@param less string  who that is
---@return string|nil
function words.fewer(fewer, less)
  if fewer.open then
    return ("Whether %s would do was not decided: the search was stopped before."):format(less)
  elseif fewer.overload then
    return ("%s would be overloaded (%s of what it can serve)."):format(less,
      format.percent(fewer.utilization))
  elseif fewer.unsettled then
    return ("%s would be busy %s of the time, too near to saturation for any run to settle, so "
      .. "the answer is the safe one."):format(less, format.percent(fewer.utilization))
  elseif fewer.state == "undecided" and fewer.why then
    return ("%s might do, but %s; the answer is the safe one."):format(less,
      styles.clean(fewer.why))
  elseif fewer.state == "undecided" then
    return ("%s might do: its %s could not be told from %s, so the answer is the safe one.")
      :format(less, words.beyond(fewer.binding),
        format.quantity(fewer.binding.limit, fewer.binding.kind))
  elseif fewer.binding then
    return ("%s would miss it: %s.%s"):format(less, words.beyond(fewer.binding),
      words.there(fewer.why))
  end
end

return words
