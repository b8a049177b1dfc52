--- How sure figures became, in words: what a precision that was asked for led to.
--
-- Owns the wording; what is done for it is scenario/precision.lua's. Called by the summary and,
-- look by look, by `tandem run`.
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local precision = {}

local function share(value)
  return "± " .. format.percent(tonumber(("%.2g"):format(value)))
end

-- Each figure with what it is and, where that is not enough, what was wanted.
local function figures(outcome)
  local words = {}
  for i, one in ipairs(outcome.figures) do
    local name = styles.clean(one.name)
    local text = name .. " without an interval"
    if one.reached and one.reached < math.huge then
      text = ("%s %s"):format(name, share(one.reached))
    elseif one.needs then
      text = ("%s without an interval (needs about %s requests)"):format(name,
        format.integer(tonumber(("%.2g"):format(one.needs)) // 1))
    end
    if not one.reached or one.reached > one.within then
      text = ("%s, wanted %s"):format(text, share(one.within))
    end
    words[i] = text
  end
  return table.concat(words, "; ")
end

--- What became of it.
---@param outcome tandem.PrecisionOutcome
---@return string
function precision.outcome(outcome)
  local cost = ("%s, %s simulated; intervals at %s each"):format(
    format.plural(outcome.looks, "look"), format.plural(outcome.simulated, "request"),
    format.percent(outcome.confidence))
  if outcome.reached then return ("%s (%s)"):format(figures(outcome), cost) end
  local why = outcome.why or ("the %s that it may simulate (precision.requests) do not suffice")
    :format(format.plural(outcome.most, "request"))
  return ("%s; %s (%s)"):format(figures(outcome), why, cost)
end

--- What one look showed, before the next.
---@param result tandem.Result
---@param outcome tandem.PrecisionOutcome
---@return string
function precision.look(result, outcome)
  return ("look %d: %s in %s: %s"):format(outcome.looks, format.plural(result.requests, "request"),
    format.plural(result.replications, "replication"), figures(outcome))
end

return precision
