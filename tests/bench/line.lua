-- Lines through costs by size, which say that a cost is linear, and what one more takes. Called by
-- ranks.lua, stages.lua and tracks.lua.
local line = {}

--- y = a + b x by least squares, and the share of the spread that it explains.
---@param x number[]
---@param y number[]
---@return number a
---@return number b
---@return number explained
function line.of(x, y)
  local n, sx, sy, sxx, sxy, syy = #x, 0, 0, 0, 0, 0
  for i = 1, n do
    sx, sy, sxx, sxy = sx + x[i], sy + y[i], sxx + x[i] * x[i], sxy + x[i] * y[i]
    syy = syy + y[i] * y[i]
  end
  local vx, vxy, vy = sxx - sx * sx / n, sxy - sx * sy / n, syy - sy * sy / n
  local b = vxy / vx
  return (sy - b * sx) / n, b, vy > 0 and vxy * vxy / (vx * vy) or 1
end

--- Of each cost a line, as figures of a case.
---@param x number[]
---@param costs table<string, number[]>
function line.print(x, costs)
  for key, y in pairs(costs) do
    local a, b, explained = line.of(x, y)
    print(("fit%s=%.9g\nper%s=%.9g\nr2%s=%.9g"):format(key, a, key, b, key, explained))
  end
end

return line
