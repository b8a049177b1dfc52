--- What is said of two counts together: why neither is one fewer, what else would do, what could
--- not be told.
--
-- Owns these sentences; the search is pair.lua's, names of amounts words.lua's. Called by
-- plan/report.
local format = require "tandem.text.format"
local words = require "tandem.plan.words"

local pair_words = {}

local MOST <const> = 3 -- of others that are named

local function name(q, row, one) return words.pair(q, row.choice, one.count, one.with) end

-- Why one fewer of one of the two does not do: a run of it, or of more of the other.
local function fewer_words(q, row, fewer)
  local less = name(q, row, fewer)
  if not fewer.by then return words.fewer(fewer, less) end
  if not fewer.binding then return words.fewer(fewer, name(q, row, fewer.by)) end
  return ("%s %s, since %s %s: %s."):format(less,
    fewer.state == "misses" and "would miss it" or "could not be shown to do",
    name(q, row, fewer.by), fewer.state == "misses" and "would" or "could not",
    words.beyond(fewer.binding))
end

--- Why the answer is a corner: neither may be one fewer.
---@param q tandem.PlanQuestion
---@param row tandem.PlanRow
---@return string|nil
function pair_words.binding(q, row)
  local out = {}
  for _, fewer in ipairs { row.pair.fewer or false, row.pair.fewer_with or false } do
    out[#out + 1] = fewer and fewer_words(q, row, fewer) or nil
  end
  return #out > 0 and table.concat(out, " ") or nil
end

local function cost_words(q, cost)
  return q.minimize == "usd_per_hour" and format.quantity(cost, "money") .. " an hour"
    or q.minimize == "watts" and format.integer(cost) .. " W" or format.plural(cost, "GPU")
end

--- What is known of other pairs: cheaper ones that could not be told, others that would do.
---@param q tandem.PlanQuestion
---@param row tandem.PlanRow
---@return string[]
function pair_words.others(q, row)
  local out, parts = {}, {}
  for i, one in ipairs(row.pair.undecided) do
    if i > MOST then break end
    local figure = one.trial.verdict and one.trial.verdict.binding
    parts[i] = ("%s (%s)"):format(name(q, row, one), figure and words.beyond(figure)
      or "too near to saturation for a run to settle")
  end
  if #parts > 0 then
    out[1] = ("UNDECIDED, and cheaper: %s%s; the safe side was taken."):format(format.list(parts),
      #row.pair.undecided > MOST and (", and %d more"):format(#row.pair.undecided - MOST) or "")
  end
  if not row.outcome.finished then
    out[#out + 1] = "A cheaper pair may do: the search was stopped before all were decided."
  end
  parts = {}
  for i, one in ipairs(row.pair.corners) do
    if i > MOST then break end
    parts[i] = row.pair.costs and ("%s at %s"):format(name(q, row, one), cost_words(q, one.cost))
      or name(q, row, one)
  end
  if #parts > 0 then
    out[#out + 1] = ("Also enough, and no cheaper: %s."):format(format.list(parts))
  end
  local odd = row.pair.odd
  if odd then
    out[#out + 1] = ("Not monotone: %s meets the limits and %s does not, so that cheaper pairs may "
      .. "do, too."):format(name(q, row, odd.smaller), name(q, row, odd.larger))
  end
  return out
end

--- Of an answer that costs more than the budget.
---@param q tandem.PlanQuestion
---@param row tandem.PlanRow
---@return string
function pair_words.beyond_budget(q, row)
  return ("the cheapest pair that meets the limits, %s, costs %s an hour, beyond the budget.")
    :format(words.pair(q, row.choice, row.beyond_budget, row.with),
      format.quantity(row.bill.usd_per_hour, "money"))
end

return pair_words
