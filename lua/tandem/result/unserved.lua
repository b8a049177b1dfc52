--- Requests that were not served: turned away, given up, timed out.
--
-- A latency is of the requests that were served, so that losing many makes it short; whoever gives
-- a verdict on one says beside it how many were lost. Owns the share of them and its words. Called
-- by reports, sweeps, what-ifs and plans.
local format = require "tandem.text.format"

local unserved = {}

--- A smaller share is what services live with.
unserved.LITTLE = 0.01

local FATES <const> = { "dropped", "abandoned", "timed_out" }

--- How many requests of a class were lost, and how many arrived.
---@param class table  of a result
---@return integer lost
---@return integer arrived
local function count_of(class)
  local count = 0
  for _, fate in ipairs(FATES) do count = count + (class[fate] or 0) end
  return count, class.arrived or 0
end

--- The share of the arrivals that was lost, of a class or of all of a result.
---@param result table
---@param name? string  of the class
---@return number
function unserved.share(result, name)
  local gone, all = 0, 0
  for _, class in ipairs(result.classes or {}) do
    if not name or class.name == name then
      local count, arrived = count_of(class)
      gone, all = gone + count, all + arrived
    end
  end
  return all > 0 and gone / all or 0
end

--- The same as a figure, with one value a replication where the result has them.
---@param result table
---@param name? string
---@return { value: number, values: number[]|nil }
function unserved.figure(result, name)
  local of = result
  for _, class in ipairs(name and result.classes or {}) do
    if class.name == name then of = class end
  end
  local value = unserved.share(result, name)
  local offered = of.offered_rps and of.offered_rps.values
  local carried = of.carried_rps and of.carried_rps.values
  local values
  if offered and carried then
    values = {}
    for i, rate in ipairs(offered) do
      values[i] = value > 0 and rate > 0 and math.max(0, 1 - carried[i] / rate) or 0
    end
  end
  return { value = value, values = values }
end

--- "80.4 % of requests are lost".
---@param share number
---@return string
function unserved.words(share)
  return format.percent(share) .. " of requests are lost"
end

return unserved
