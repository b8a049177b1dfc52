--- The load of a run as distributions: more of the same, not the same again.
--
-- Owns what a scenario takes of it. Which arrival process it is and which distributions sizes have
-- is the fit's (fit/arrivals.lua); what a request's sizes are, visits/arrivals.lua's. Called as
-- v:load() of tandem.Visits and by visits/replayed.lua.
local arrivals = require "tandem.visits.arrivals"
local format = require "tandem.text.format"

local load_of = {}

---@class tandem.VisitsLoad
---@field workload table  an arrival process
---@field attrs table<string, any>  numbers and distributions of the sizes
---@field notes string[]  what was chosen, and why

--- Arrivals and sizes as distributions that a scenario takes: base:with { workload = l.workload,
--- attrs = l.attrs }.
---@param visits tandem.Visits
---@return tandem.VisitsLoad|nil
---@return string|nil message
---@return integer|nil code
function load_of.of(visits)
  if visits.count < 2 then
    return nil, "one request has no gap to another: nothing says how they arrive", 3
  end
  local columns, fitted = arrivals.columns(visits), require "tandem.fit.arrivals"
  local function value_of(name) return columns.values[name] end
  local found = fitted.of(visits, value_of)
  local made = { workload = found.node(columns.names), attrs = {}, notes = { found.source } }
  if found.kind ~= "replay" then -- whose rows have the sizes
    rawset(made.workload, "requests", visits.count)
    made.attrs = fitted.attributes(columns.names, value_of)
    local varied = {}
    for _, name in ipairs(columns.names) do
      if type(made.attrs[name]) ~= "number" then varied[#varied + 1] = name end
    end
    if #varied > 1 then
      made.notes[2] = ("%s are drawn independently of one another"):format(format.list(varied))
    end
  end
  table.move(columns.notes, 1, #columns.notes, #made.notes + 1, made.notes)
  return made
end

return load_of
