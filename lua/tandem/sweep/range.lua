--- Ranges: { from, to, points, log } as passive data, and the values they stand for.
-- Owns `td.range`, the spelling a:b:n, whole numbers staying whole, and what a range is at a
-- fraction of its way (random designs). Knows no axes and no scenario. Called by sweep/axes and td.
local units = require "tandem.units"

local range = {}

---@class tandem.Range
---@field from number|string
---@field to number|string
---@field points integer|nil  how many values (default: each whole number)
---@field log boolean|nil     equal ratios rather than equal steps

-- More values on one axis than anybody can wait for.
local MOST <const> = 10000000

--- A range as a scenario's sweep block and td.sweep take it: td.range(10, 100, 10), or
--- td.range { from = "1ms", to = "1s", points = 7, log = true }. Both ends belong to it; when they
--- are whole numbers so are all values, and without a count it is each of them. Write 10.0 for
--- fractions in between.
---@param from number|string|tandem.Range  the first value, a text with its unit
---@param to number|string|nil  the last value, in the same unit
---@param points integer|nil  how many values
---@return tandem.Range
function range.new(from, to, points)
  local made = type(from) == "table" and { from = from.from, to = from.to, points = from.points,
    log = from.log or nil } or { from = from, to = to, points = points }
  if type(from) == "table" then
    for key in pairs(from) do
      if made[key] == nil and from[key] then
        error(("td.range has no '%s'; %s"):format(tostring(key),
          require("tandem.text.nearest").hint(tostring(key), { "from", "to", "points", "log" })), 2)
      end
    end
  end
  local ok, message = range.read(made)
  if not ok then error("td.range: " .. message, 2) end
  return made
end

--- Is a value written as a range?
---@param v any
---@return boolean
function range.is(v)
  return type(v) == "table" and getmetatable(v) == nil and (v.from ~= nil or v.to ~= nil)
end

---@class tandem.RangeRead
---@field low number
---@field high number
---@field dim string        what it is measured in: "1", "s", "req/s", …
---@field integer boolean   whole numbers only
---@field log boolean
---@field points integer|nil
---@field shown string      "10:100:10"

local function spelled(v)
  if math.type(v) == "float" then
    local short = ("%.12g"):format(v)
    return short:find "^-?%d+$" and short .. ".0" or short
  end
  return tostring(v)
end

--- Reads a range.
---@param r tandem.Range
---@return tandem.RangeRead|nil
---@return string|nil message
function range.read(r)
  if r.from == nil or r.to == nil then
    return nil, ("a range wants both ends; %s is missing"):format(r.from == nil and "from" or "to")
  end
  local shown = spelled(r.from) .. ":" .. spelled(r.to)
  local low, dim = units.parse(r.from)
  if not low then return nil, dim end
  local high, other = units.parse(r.to)
  if not high then return nil, other end
  if dim ~= other then
    return nil, ("the ends of %s have different units; write both with the same one"):format(shown)
  elseif low ~= low or high ~= high or math.abs(low) == math.huge
    or math.abs(high) == math.huge then
    return nil, ("the range %s has no end"):format(shown)
  elseif low > high then
    return nil, ("the range %s is empty; the smaller end comes first: %s:%s"):format(shown,
      spelled(r.to), spelled(r.from))
  elseif r.log and low <= 0 then
    return nil, ("the logarithmic range %s must begin above 0"):format(shown)
  end
  local points = r.points
  if points ~= nil then
    points = math.tointeger(points)
    if not points or points < 1 then
      return nil, ("the range %s with %s points is empty; it wants a whole number, at least 1")
        :format(shown, tostring(r.points))
    elseif points > MOST then
      return nil, ("the range %s has %d points; the most is %d"):format(shown, points, MOST)
    end
    shown = shown .. ":" .. points
  end
  local whole_texts = dim == "1" and math.tointeger(tonumber(r.from)) and math.tointeger(
    tonumber(r.to)) and not tostring(r.from):find "[.eE]" and not tostring(r.to):find "[.eE]"
  local integer = (whole_texts or dim == "B") and low == math.floor(low)
    and high == math.floor(high) and math.abs(high) < 2 ^ 53 or false
  if integer then low, high = math.tointeger(low), math.tointeger(high) end
  return { low = low, high = high, dim = dim, integer = integer, log = r.log == true,
    points = points, shown = shown }
end

-- Twelve digits hide what the last bit of a power or a quotient is on this machine.
local function neat(value) return tonumber(("%.12g"):format(value)) end

local function between(read, share)
  if read.log then return read.low * (read.high / read.low) ^ share end
  return read.low + (read.high - read.low) * share
end

--- The values of a range in a grid, smallest first.
---@param read tandem.RangeRead
---@return number[]|nil
---@return string|nil message
function range.values(read)
  local points = read.points
  if not points then
    if read.low == read.high then return { read.low } end
    if not read.integer or read.dim ~= "1" then
      return nil, ("how many points has the range %s? %s:10 gives ten"):format(read.shown,
        read.shown)
    elseif read.log then
      return nil, ("how many points has the logarithmic range %s?"):format(read.shown)
    elseif read.high - read.low >= MOST then
      return nil, ("the range %s has more than %d values"):format(read.shown, MOST)
    end
    points = read.high - read.low + 1
  end
  local out = {}
  for i = 0, points - 1 do
    local value
    if i == 0 then value = read.low
    elseif i == points - 1 then value = read.high
    else value = neat(between(read, i / (points - 1))) end
    if read.integer then value = math.floor(value + 0.5) end
    if value ~= out[#out] then out[#out + 1] = value end
  end
  return out
end

--- The value at a fraction of the way, for designs that draw.
---@param read tandem.RangeRead
---@param share number from 0 (included) to 1 (excluded)
---@return number
function range.at(read, share)
  if not read.integer then return neat(between(read, share)) end
  local beyond = read.high + 1
  local value = read.log and read.low * (beyond / read.low) ^ share
    or read.low + (beyond - read.low) * share
  return math.min(math.floor(neat(value)), read.high)
end

--- The range that a word of the command line means: "10:100:10", "1ms:1s:7:log"; nil when none.
---@param text string
---@return tandem.Range|nil
---@return string|nil message
function range.of_text(text)
  local from, to, rest = text:match "^%s*([^:,]+):([^:,]+)(.*)$"
  if not from or not units.parse(from) then return nil end
  local made = { from = from, to = to, points = nil, log = nil }
  if rest:find ":log$" then
    made.log = true
    rest = rest:sub(1, -5)
  end
  if rest ~= "" then
    local points = rest:match "^:([^:]*)$"
    made.points = tonumber(points)
    if not made.points then
      return nil, ("'%s' is not a range; wanted FROM:TO:POINTS, as in 10:100:10"):format(text)
    end
  end
  return made
end

return range
