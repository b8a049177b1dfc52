--- The space a search looks through: named dimensions, and the ways between points and numbers.
--
-- Owns what `over = { … }` means, what is wrong with one, and the mapping between a point (a table
-- of named coordinates) and a vector in the unit cube that methods calculate with. Knows no method
-- and no simulation. Public as require "tandem.search".space; used by the searches in lib/search.
--
-- What a dimension means:
--   { 1, 100 }                   two numbers: every number from 1 to 100
--   { 1, 64, integer = true }    the whole numbers from 1 to 64
--   { 1, 1000, log = true }      as the first, but in equal ratios; goes with integer too
--   { "H100", "L40S" }           a list of texts: one of them; texts are never the ends of a range
--   { choices = { 8, 16, 64 } }  one of any values; the way to write a list of numbers
-- Any other list is refused, so that nobody has to guess what { 8, 64 } or { 1, 2, 4 } did.
local nearest = require "tandem.text.nearest"

local space = {}

---@alias tandem.Point table<string, any>  named coordinates, as scenario:with takes them

---@class tandem.Dimension
---@field name string
---@field kind "range"|"integer"|"choice"
---@field low number        of a choice: 1
---@field high number       of a choice: how many there are
---@field log boolean
---@field choices any[]|nil

---@class tandem.Space
---@field dimensions tandem.Dimension[]  by name
local Space = {}
Space.__index = Space
Space.__name = "tandem.Space"

local KEYS <const> = { "choices", "integer", "log" }

local function show(value)
  if type(value) == "string" then return ('"%s"'):format(value) end
  if type(value) ~= "number" then return tostring(value) end
  return math.tointeger(value) and ("%d"):format(value) or ("%.10g"):format(value)
end

local function show_list(list)
  local shown = {}
  for i, value in ipairs(list) do
    if i > 5 then
      shown[i] = "…"
      break
    end
    shown[i] = show(value)
  end
  return "{ " .. table.concat(shown, ", ") .. " }"
end

local function choices_of(name, choices)
  if type(choices) ~= "table" or #choices == 0 then
    return nil, ("%s: choices wants a list with at least one value: choices = { 8, 16, 64 }")
      :format(name)
  end
  local seen = {}
  for _, value in ipairs(choices) do
    if value ~= value then return nil, name .. ": a choice is not a number (nan)" end
    if seen[value] then return nil, ("%s: %s stands twice"):format(name, show(value)) end
    seen[value] = true
  end
  return { name = name, kind = "choice", low = 1, high = #choices, log = false,
    choices = table.move(choices, 1, #choices, 1, {}) }
end

local function range_of(name, low, high, given)
  if not (low > -math.huge and high < math.huge) or low ~= low or high ~= high then
    return nil, ("%s: both ends must be finite, not %s and %s"):format(name, show(low), show(high))
  end
  if low > high then
    return nil, ("%s: the range is empty; did you mean { %s, %s }?"):format(name, show(high),
      show(low))
  end
  if low == high then
    return nil, ("%s: { %s, %s } is one value only; leave it out and set it in the scenario")
      :format(name, show(low), show(high))
  end
  if given.integer and not (math.tointeger(low) and math.tointeger(high)) then
    return nil, ("%s: integer = true wants whole ends: { %d, %d, integer = true }"):format(name,
      math.ceil(low), math.floor(high))
  end
  if given.log and low <= 0 then
    return nil, ("%s: log = true wants a lower end above 0, not %s"):format(name, show(low))
  end
  return { name = name, kind = given.integer and "integer" or "range", low = low, high = high,
    log = given.log == true }
end

--- One dimension, or nil and what is wrong with it.
local function dimension_of(name, given)
  if type(name) ~= "string" then
    return nil, ("over[%s] has no name: write over = { rps = { 1, 100 } }"):format(tostring(name))
  end
  if type(given) ~= "table" then
    return nil, ("%s wants { low, high } or { choices = { … } }, not %s"):format(name,
      type(given) == "function" and "a function" or show(given))
  end
  for _, key in ipairs(nearest.sorted_keys(given)) do
    if type(key) == "string" and key ~= "choices" and key ~= "integer" and key ~= "log" then
      return nil, ("%s: unknown key '%s'; %s"):format(name, key, nearest.hint(key, KEYS))
    end
  end
  if given.choices ~= nil then
    if #given > 0 or given.integer or given.log then
      return nil, name .. ": choices stands alone: { choices = { … } }"
    end
    return choices_of(name, given.choices)
  end
  local numbers = 0
  for _, value in ipairs(given) do
    if type(value) == "number" then numbers = numbers + 1 end
  end
  if numbers == 2 and #given == 2 then return range_of(name, given[1], given[2], given) end
  if #given > 0 and numbers == 0 then
    if given.integer or given.log then
      return nil, ("%s: %s goes with two numbers, { low, high, … }; texts are choices"):format(name,
        given.integer and "integer" or "log")
    end
    return choices_of(name, given)
  end
  if #given == 0 then
    return nil, name .. " is empty: write { low, high } or { choices = { … } }"
  end
  return nil, ("%s: %s is not a range; write { choices = %s }, or { low, high } for a "
    .. "range"):format(
    name, show_list(given), show_list(given))
end

--- A space from `over = { … }`, or nil and one line that says what is wrong.
---@param over table<string, table>
---@return tandem.Space|nil
---@return string|nil message
function space.check(over)
  if getmetatable(over) == Space then return over end
  if type(over) ~= "table" then
    return nil, "over wants a table of dimensions: over = { rps = { 1, 100 } }"
  end
  local dimensions = {}
  for _, name in ipairs(nearest.sorted_keys(over)) do
    local dimension, wrong = dimension_of(name, over[name])
    if not dimension then return nil, wrong end
    dimensions[#dimensions + 1] = dimension
  end
  if #dimensions == 0 then
    return nil, "over is empty: name what to look through: over = { rps = { 1, 100 } }"
  end
  return setmetatable({ dimensions = dimensions }, Space)
end

--- The same, raising when something is wrong.
---@param over table<string, table>
---@return tandem.Space
function space.new(over)
  local made, wrong = space.check(over)
  if not made then error(wrong, 2) end
  return made
end

local function clamp(value, low, high) return math.max(low, math.min(high, value)) end

local function round(value) return math.floor(value + 0.5) end

local function index_of(dimension, value)
  for i, choice in ipairs(dimension.choices) do
    if choice == value then return i end
  end
end

-- The number a coordinate is calculated with: a choice's position in its list.
local function number_of(dimension, value)
  return dimension.kind == "choice" and index_of(dimension, value) or value
end

local function value_of(dimension, number)
  number = clamp(number, dimension.low, dimension.high)
  if dimension.kind == "range" then return number end
  number = round(number)
  return dimension.choices and dimension.choices[number] or number
end

--- What keeps a table from being a point of this space; nil when nothing does.
---@param point tandem.Point
---@return string|nil message
function Space:problem(point)
  if type(point) ~= "table" then return "a point is a table of named coordinates" end
  local names = {}
  for i, dimension in ipairs(self.dimensions) do
    local name, value = dimension.name, point[dimension.name]
    names[i] = name
    if value == nil then return ("%s is missing"):format(name) end
    if dimension.choices then
      if not index_of(dimension, value) then
        local words = {}
        for k, choice in ipairs(dimension.choices) do words[k] = show(choice) end
        return ("%s: %s is not a choice; %s"):format(name, show(value),
          nearest.hint(show(value), words))
      end
    elseif type(value) ~= "number" or value ~= value then
      return ("%s wants a number, not %s"):format(name, show(value))
    elseif value < dimension.low or value > dimension.high then
      return ("%s: %s is outside; the nearest is %s"):format(name, show(value),
        show(clamp(value, dimension.low, dimension.high)))
    elseif dimension.kind == "integer" and not math.tointeger(value) then
      return ("%s: %s is not whole; the nearest is %d"):format(name, show(value), round(value))
    end
  end
  for _, name in ipairs(nearest.sorted_keys(point)) do
    if type(name) ~= "string" or not self:dimension(name) then
      return ("'%s' is not in over; %s"):format(tostring(name),
        nearest.hint(tostring(name), names))
    end
  end
end

--- The dimension of a name: its kind, its ends, its choices.
---@param name string
---@return tandem.Dimension|nil
function Space:dimension(name)
  for _, dimension in ipairs(self.dimensions) do
    if dimension.name == name then return dimension end
  end
end

--- The nearest point of the space: ranges clamped, whole numbers rounded. A coordinate that is no
--- number or no choice becomes the middle one.
---@param point tandem.Point
---@return tandem.Point
function Space:clamp(point)
  local result = {}
  for _, dimension in ipairs(self.dimensions) do
    local number = number_of(dimension, point[dimension.name])
    if type(number) ~= "number" or number ~= number then
      number = (dimension.low + dimension.high) / 2
    end
    result[dimension.name] = value_of(dimension, number)
  end
  return result
end

--- The point at a position in the unit cube, one number from 0 to 1 a dimension; numbers outside
--- are taken to the edge. 0 and 1 are a dimension's ends, first and last choice included.
---@param unit number[]  fractions
---@return tandem.Point
function Space:point(unit)
  local result = {}
  for i, dimension in ipairs(self.dimensions) do
    local u, low, high = clamp(unit[i], 0, 1), dimension.low, dimension.high
    local number = dimension.log and low * (high / low) ^ u or low + u * (high - low)
    result[dimension.name] = value_of(dimension, u == 1 and high or number)
  end
  return result
end

--- Where a point stands in the unit cube.
---@param point tandem.Point
---@return number[]
function Space:unit(point)
  local unit = {}
  for i, dimension in ipairs(self.dimensions) do
    local number = number_of(dimension, point[dimension.name])
    local low, high = dimension.low, dimension.high
    if dimension.log then
      unit[i] = math.log(number / low) / math.log(high / low)
    else
      unit[i] = high > low and (number - low) / (high - low) or 0
    end
  end
  return unit
end

--- The point one step away along a whole-number dimension or a list of choices; nil at its end.
---@param point tandem.Point
---@param i integer          which dimension, from 1
---@param direction integer  1 or -1
---@return tandem.Point|nil
function Space:neighbour(point, i, direction)
  local dimension = self.dimensions[i]
  local number = number_of(dimension, point[dimension.name]) + direction
  if number < dimension.low or number > dimension.high then return nil end
  local result = {}
  for name, value in pairs(point) do result[name] = value end
  result[dimension.name] = value_of(dimension, number)
  return result
end

--- How many points there are; nil when a range has no end of them.
---@return integer|nil
function Space:size()
  local size = 1
  for _, dimension in ipairs(self.dimensions) do
    if dimension.kind == "range" then return nil end
    size = size * (round(dimension.high - dimension.low) + 1)
  end
  return size
end

--- Every point of a finite space; the last dimension by name changes fastest.
---@return tandem.Point[]
function Space:points()
  assert(self:size(), "a space with a range has no list of points")
  local points = { {} }
  for _, dimension in ipairs(self.dimensions) do
    local longer = {}
    for _, point in ipairs(points) do
      for number = dimension.low, dimension.high do
        local extended = {}
        for name, value in pairs(point) do extended[name] = value end
        extended[dimension.name] = value_of(dimension, number)
        longer[#longer + 1] = extended
      end
    end
    points = longer
  end
  return points
end

--- A point as a line of text: "batch = 8, kind = H100".
---@param point tandem.Point
---@return string
function space.show(point)
  local shown = {}
  for _, name in ipairs(nearest.sorted_keys(point)) do
    local value = point[name]
    shown[#shown + 1] = ("%s = %s"):format(name, type(value) == "number"
      and (math.tointeger(value) and "%d" or "%.4g"):format(value) or tostring(value))
  end
  return table.concat(shown, ", ")
end

return setmetatable(space, { __call = function(_, over)
  local made, wrong = space.check(over)
  if not made then error(wrong, 2) end
  return made
end })
