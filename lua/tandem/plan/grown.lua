--- More traffic in two ways: from more users, or from the same users who come more often.
--
-- Who shares a prefix is the `group` of a td.generate. Where that is an attribute drawn among so
-- many (td.zipf { n = … }), its n is how many users there are: more users are more prefixes in the
-- same cache, busier ones find theirs again sooner. Where all share one prefix both are the same
-- load. Called by plan/question.
local units = require "tandem.units"

local grown = {}

---@class tandem.PlanUsers
---@field path string|nil   what says how many they are
---@field count integer|nil
---@field alike boolean     prefixes are shared, but nothing says by whom

local function each_generate(steps, visit)
  if type(steps) ~= "table" then return end
  for _, step in ipairs(steps) do
    if type(step) == "table" then
      if rawget(step, "type") == "generate" then visit(step) end
      each_generate(step, visit)
    end
  end
end

--- Who shares prefixes in a scenario.
---@param scenario tandem.Scenario
---@return tandem.PlanUsers
function grown.users(scenario)
  local raw, out = rawget(scenario, "raw"), { alike = false }
  each_generate(raw.pipeline, function(step)
    local group = rawget(step, "group")
    local drawn = type(group) == "string" and type(raw.attrs) == "table" and raw.attrs[group]
    if type(drawn) == "table" and rawget(drawn, "type") == "zipf" then
      local n = rawget(drawn, "n") or rawget(drawn, 1)
      out.path, out.count = ("attrs.%s.n"):format(group), math.tointeger(n)
    elseif rawget(step, "prefix") ~= nil then
      out.alike = true
    end
  end)
  return out
end

--- A factor from "2x", "1.5" or a number; nil and what is wrong.
---@param value string|number
---@return number|nil
---@return string|nil wrong
function grown.factor(value)
  local text = type(value) == "string" and value:match "^%s*(.-)%s*[x×]?%s*$" or value
  local factor = type(text) == "string" and units.parse(text) or text
  if type(factor) ~= "number" or not (factor > 0 and factor < 1e6) then
    return nil, ("'%s' is no factor, such as 2x"):format(tostring(value))
  end
  return factor
end

--- What a load of so many times the users, or of users so many times as busy, changes beside the
--- rate, and how a row is called.
---@param users tandem.PlanUsers
---@param how "users"|"busier"
---@param factor number
---@return table<string, integer> set
---@return string words
function grown.change(users, how, factor)
  local set = {}
  if how == "users" and users.path and users.count then
    set[users.path] = math.max(1, math.floor(users.count * factor + 0.5))
  end
  return set, ("%.4gx %s"):format(factor, how)
end

--- What is to be said of it.
---@param users tandem.PlanUsers
---@return string
function grown.note(users)
  if users.path then
    return ("More users are more prefixes in the cache: %s grows with the load. Busier users are "
      .. "as many as now, who find their prefix again sooner."):format(users.path)
  elseif users.alike then
    return "More users and busier users are the same load here: all requests share one prefix, and "
      .. "nothing says how many users there are (tandem twin --users)."
  end
  return "More users and busier users are the same load here: no request shares a prefix."
end

return grown
