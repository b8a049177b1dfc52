--- Units of td.plot: figures come in the unit that is named, charts have SI.
--
-- Owns what a word of a unit means for an axis: which ticks it gets, and the factor to SI. A word
-- that is no unit ("GPUs", "tok/s") is said in the title of the axis.
local parse = require("tandem.units").parse

local units = {}

---@class tandem.PlotUnit
---@field unit? string    as the axes of charts have it
---@field factor number   to SI
---@field called? string  as it was given

-- What a dimension is as the unit of an axis.
local KINDS <const> = { s = "time", B = "bytes", ["B/s"] = "speed", ["FLOP/s"] = "flops",
  ["req/s"] = "rate" }
local OWN <const> = { time = "s", rate = "/s", bytes = "B", speed = "B/s", flops = "FLOP/s" }
local SHARES <const> = { ["%"] = 0.01, percent = 0.01, share = 1, fraction = 1 }

--- What a unit means.
---@param word? string
---@return tandem.PlotUnit
function units.of(word)
  if word == nil or word == "" then return { factor = 1 } end
  if SHARES[word] then
    return { unit = "percent", factor = SHARES[word],
      called = SHARES[word] == 1 and "share" or "%" }
  elseif OWN[word] then
    return { unit = word, factor = 1, called = OWN[word] }
  elseif word:find "^%$" then
    return { unit = word, factor = 1, called = word }
  end
  local factor, dimension = parse("1 " .. word)
  if word == "/s" or word == "1/s" then factor, dimension = 1, "req/s" end
  if factor and KINDS[dimension] then
    return { unit = KINDS[dimension], factor = factor, called = word }
  end
  return { unit = word, factor = 1, called = word }
end

--- A number in SI. Dividing by the whole reciprocal rounds correctly: 3 ms is 0.003.
---@param value number
---@param factor number
---@return number
function units.si(value, factor)
  if factor == 1 then return value end
  if factor < 1 then
    local whole = math.floor(1 / factor + 0.5)
    if math.abs(1 / factor - whole) < 1e-6 * whole then return value / whole end
  end
  return value * factor
end

return units
