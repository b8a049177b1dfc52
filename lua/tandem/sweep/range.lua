--- td.range: evenly spaced quantities, as a plain list.
--
-- Owns nothing but the spacing. Used in sweeps and plans, by scripts and in scenario files.
local units = require "tandem.units"

local DEFAULT_COUNT <const> = 5

local function bound(value, which)
  local number, dim = units.parse(value)
  if not number then error(("td.range: %s: %s"):format(which, dim), 3) end
  return number, dim
end

--- From one quantity to another: td.range("10rps", "400rps", 8) → eight numbers in SI units. Whole
--- numbers without a count go one by one; log = true spaces them by a constant factor.
---@param from number|string
---@param to number|string
---@param count integer|nil
---@param options { log: boolean }|nil
---@return number[]
return function(from, to, count, options)
  local first, dim = bound(from, "from")
  local last, other = bound(to, "to")
  if dim ~= other and dim ~= "1" and other ~= "1" then
    error(("td.range: '%s' and '%s' are of different kinds"):format(from, to), 2)
  elseif last < first then
    error(("td.range: is empty, %s is above %s; write td.range(%s, %s)"):format(from, to, to, from),
      2)
  end
  local whole = math.type(first) == "integer" and math.type(last) == "integer"
  if count == nil then count = whole and math.min(last - first + 1, 1000) or DEFAULT_COUNT end
  if math.type(count) ~= "integer" or count < 1 then
    error(("td.range: wants a whole number of steps from 1, not %s"):format(tostring(count)), 2)
  end
  local log = options and options.log
  if log and first <= 0 then error("td.range: a logarithmic range begins above 0", 2) end
  local out = {}
  for i = 1, count do
    local share = count > 1 and (i - 1) / (count - 1) or 0
    local value = log and first * (last / first) ^ share or first + (last - first) * share
    if i == count and count > 1 then value = last end
    -- Rounded to twelve digits, so that "0.1 … 0.3" holds 0.2 and not its neighbour.
    value = tonumber(("%.12g"):format(value)) --[[@as number]]
    out[i] = whole and math.tointeger(value) or value + 0.0
  end
  return out
end
