--- Holds a result against a scenario's expect block.
--
-- Owns what each demand means (min, max, near, equals) and what a path reaches; the block itself is
-- read by check/scenario.lua. Used by `tandem run --expect` and by the tests of the shipped
-- scenarios.
local metric = require "tandem.result.metric"

local expect = {}

---@class tandem.Expectation
---@field path string
---@field value any      what the result holds there; nil when there is nothing
---@field ok boolean
---@field wanted string  in words
---@field grows boolean|nil  it is a time under overload, which grows with the run

-- A figure this close to the expected one, relatively, is near by default.
local NEAR <const> = 0.05

local function number_text(value)
  return type(value) == "number" and string.format("%.6g", value) or tostring(value)
end

local function judge(demand, value)
  if demand.equals ~= nil then
    return value == demand.equals, "equal to " .. number_text(demand.equals)
  end
  local words, ok = {}, type(value) == "number" and value == value
  if demand.min then
    words[#words + 1] = "at least " .. number_text(demand.min)
    ok = ok and value >= demand.min
  end
  if demand.max then
    words[#words + 1] = "at most " .. number_text(demand.max)
    ok = ok and value <= demand.max
  end
  if demand.near then
    local within = demand.within or NEAR
    words[#words + 1] = ("within %g %% of %s"):format(within * 100, number_text(demand.near))
    ok = ok and math.abs(value - demand.near) <= within * math.abs(demand.near)
  end
  return ok, table.concat(words, " and ")
end

-- Does the block itself say that the run is overloaded? Then its times are those of such a run.
local function wants_overload(demands)
  for _, demand in ipairs(demands) do
    if demand.path == "overload" and demand.equals == true then return true end
  end
  return false
end

--- Every demand with what the result says to it, in the order of the block.
---@param result tandem.Result
---@param demands table[]|nil  scenario.expect
---@return tandem.Expectation[] expectations
---@return boolean ok  all of them hold
function expect.verify(result, demands)
  local list, all = {}, true
  local endless = result:get "overload" == true and not wants_overload(demands or {})
  for index, demand in ipairs(demands or {}) do
    local value = result:get(demand.path)
    local ok, wanted = judge(demand, value)
    local grows = endless and ok and (demand.max or demand.near) ~= nil
      and metric.kind(demand.path) == "time" or nil
    ok = ok and not grows
    list[index] = { path = demand.path, value = value, ok = ok, wanted = wanted, grows = grows }
    all = all and ok
  end
  return list, all
end

--- One expectation as a line of text.
---@param one tandem.Expectation
---@return string
function expect.line(one)
  return ("%s  %s is %s%s, wanted %s"):format(one.ok and "ok  " or "FAIL", one.path,
    one.value == nil and "absent" or number_text(one.value),
    one.grows and " and grows with the run, which is overloaded" or "", one.wanted)
end

return expect
