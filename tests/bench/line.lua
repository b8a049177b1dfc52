-- Lines through costs by size, which say that a cost is linear, and what one more takes. Called by
-- ranks.lua, stages.lua and tracks.lua.
local core = require "tandem.core"

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

--- Measures a case at each size, every one in a process of its own that prints KEY=NUMBER.
---@param name string  what lua_cases.lua calls one size, given PATH COUNT
---@param counts integer[]
---@param per number    what one unit of the lines is
---@return number[] x, table<string, number[]> by, table<string, number> last  of the largest
function line.sizes(name, counts, per)
  local path, x, by, last = os.tmpname(), {}, {}, nil
  for i, count in ipairs(counts) do
    local pipe <close> = assert(io.popen(("'%s' lua tests/bench/lua_cases.lua %s '%s.%d %d'")
      :format(core.executable(), name, path, count, count)))
    last = {}
    for key, value in pipe:read("a"):gmatch "(%w+)=(%S+)" do last[key] = tonumber(value) end
    x[i] = count / per
    for key, value in pairs(last) do
      by[key] = by[key] or {}
      by[key][i] = value
    end
  end
  assert(os.execute(("rm -f '%s'*"):format(path)))
  return x, by, last
end

return line
