--- Sizes of requests as distributions, for arrivals that carry none.
-- Called by skeleton.lua, arrivals.lua and transfer.lua.

local dist = require "tandem.language.dist"

local attributes = {}

local KINDS <const> = 50   -- so many different values are listed with their weights
local POINTS <const> = 100 -- else quantiles

--- Values as a distribution with their mean: each value with its weight, or means of equal parts.
---@param list number[]
---@return any number|distribution
function attributes.distribution(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  local values, weights = {}, {}
  for _, v in ipairs(sorted) do
    if v == values[#values] then
      weights[#weights] = weights[#weights] + 1
    else
      values[#values + 1], weights[#weights + 1] = v, 1
    end
  end
  if #values == 1 then return values[1] end
  if #values <= KINDS then
    local total = #sorted
    for i, w in ipairs(weights) do weights[i] = w / total end
    return dist.empirical { values = values, weights = weights }
  end
  local points, means = math.min(POINTS, #sorted), {}
  for p = 1, points do
    local from, to = (p - 1) * #sorted // points + 1, p * #sorted // points
    local sum = 0
    for i = from, to do sum = sum + sorted[i] end
    means[p] = sum / (to - from + 1)
  end
  return dist.empirical { values = means }
end

return attributes
