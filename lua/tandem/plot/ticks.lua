--- Axes as numbers: which range they span, where their ticks stand, what is written at them.
--
-- Owns nice ticks (linear and logarithmic) and how a value is written on a chart; knows nothing of
-- pixels or columns. Used by the SVG charts and by their twins in the terminal. Quantities come in
-- SI, as in text/format.lua.
local format = require "tandem.text.format"

local ticks = {}

---@class tandem.AxisSpec
---@field label? string   the title of the axis
---@field unit? string    a quantity kind ("time", "rate", …), "s", "/s", "B", "$/h", … or any word
---@field log? boolean    logarithmic; values of 0 and less are left out
---@field min? number     where the axis begins
---@field max? number     where it ends
---@field better? "low"|"high"  which end is good (scatter)

---@class tandem.Axis
---@field low number
---@field high number
---@field log boolean
---@field title string    label, with the unit where the ticks do not say it
---@field marks { value: number, label: string }[]
local Axis = {}
Axis.__index = Axis

-- Beyond this, differences overflow; such values are drawn like missing ones.
local MOST <const> = 1e300

-- { used from, size, name }, largest first; `soft` ones are no powers of ten.
local LADDERS = {
  time = { { 345600, 86400, "d", soft = true }, { 7200, 3600, "h", soft = true },
    { 300, 60, "min", soft = true }, { 1, 1, "s" }, { 1e-3, 1e-3, "ms" }, { 1e-6, 1e-6, "µs" },
    { 0, 1e-9, "ns" } },
  rate = { { 0, 1, "/s" } },
  bytes = { { 2 ^ 50, 2 ^ 50, "PiB" }, { 2 ^ 40, 2 ^ 40, "TiB" }, { 2 ^ 30, 2 ^ 30, "GiB" },
    { 2 ^ 20, 2 ^ 20, "MiB" }, { 2 ^ 10, 2 ^ 10, "KiB" }, { 0, 1, "B" } },
  speed = { { 1e12, 1e12, "TB/s" }, { 1e9, 1e9, "GB/s" }, { 1e6, 1e6, "MB/s" },
    { 1e3, 1e3, "kB/s" }, { 0, 1, "B/s" } },
  flops = { { 1e15, 1e15, "PFLOP/s" }, { 1e12, 1e12, "TFLOP/s" }, { 1e9, 1e9, "GFLOP/s" },
    { 1e6, 1e6, "MFLOP/s" }, { 0, 1, "FLOP/s" } },
  percent = { { 0, 0.01, "%" } },
  count = { { 0, 1, "" } },
  money = { { 0, 1, "" } },
}

local ALIASES = {
  [""] = "count", ["1"] = "count", s = "time", ["/s"] = "rate", ["1/s"] = "rate",
  ["req/s"] = "rate", rps = "rate", B = "bytes", ["B/s"] = "speed", ["FLOP/s"] = "flops",
  ["%"] = "percent", ["$"] = "money",
}

local PREFIXES = { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } }

-- Steps that divide hours and days as people do.
local CLOCK_STEPS = {
  h = { 1, 2, 3, 6, 12, 24, 48 }, min = { 1, 2, 5, 10, 15, 30, 60, 120 },
}

---@class tandem.AxisUnit
---@field kind tandem.QuantityKind
---@field before string   in front of the number
---@field after string    behind it ("/h" of "$/h")
---@field word string     said in the title only

---@param unit? string
---@return tandem.AxisUnit
local function unit_of(unit)
  unit = unit == nil and "" or tostring(unit)
  local kind = ALIASES[unit] or unit
  if kind == "money" then
    return { kind = kind, before = "$", after = "", word = "" }
  elseif LADDERS[kind] then
    return { kind = kind, before = "", after = "", word = "" }
  end
  local per = unit:match "^%$%s*(/%s*%S+)$"
  if per then
    return { kind = "money", before = "$", after = per, word = "" }
  end
  return { kind = "count", before = "", after = "", word = unit }
end

--- Can this be drawn? Missing values, NaN, infinities (and what overflows) cannot.
---@param value any
---@return boolean
function ticks.drawable(value)
  return type(value) == "number" and value == value and math.abs(value) < MOST
end

-- The size of the unit to write numbers of this magnitude in, the prefix and the unit's name.
local function scale_of(unit, magnitude, log)
  local ladder = LADDERS[unit.kind]
  local size, name = ladder[#ladder][2], ladder[#ladder][3]
  for _, rung in ipairs(ladder) do
    if magnitude >= rung[1] * (1 - 1e-9) and not (rung.soft and log) then
      size, name = rung[2], rung[3]
      break
    end
  end
  local scaled = magnitude / size
  if scaled >= 1e4 * (1 - 1e-9) and scaled < 1e16 then
    for _, prefix in ipairs(PREFIXES) do
      if scaled >= prefix[1] * (1 - 1e-9) then
        return size * prefix[1], prefix[2], name
      end
    end
  elseif scaled > 0 and (scaled < 1e-5 * (1 - 1e-9) or scaled >= 1e16) then
    local exponent = 3 * math.floor(math.log(scaled, 10) / 3 + 1e-9)
    return size * 10.0 ^ exponent, ("e%d"):format(exponent), name
  end
  return size, "", name
end

-- "%.3g" with exponents as people write them: "1e-9", "2.5e12".
local function shortest(value, digits)
  return (("%." .. digits .. "g"):format(value):gsub("e([+-])0*", function(sign)
    return sign == "-" and "e-" or "e"
  end))
end

local function dress(number, prefix, name, unit)
  if number:find "^%-?[0.]+$" then
    number = number:gsub("^%-", "")
    if prefix ~= "" then number, prefix = "0", "" end -- no thousands of nothing
  end
  local sign, digits = number:match "^(%-?)(.*)$"
  local symbol = prefix .. (name ~= "" and " " .. name or "") .. unit.after
  if unit.kind == "rate" and prefix == "" then
    symbol = " /s"
  end
  return sign .. unit.before .. digits .. symbol
end

-- A step of 1, 2 or 5 times a power of ten that is at least `raw`; of whole numbers if told.
local function step_of(raw, whole, clock)
  for _, step in ipairs(clock or {}) do
    if step >= raw * (1 - 1e-9) then
      return step
    end
  end
  local power = 10.0 ^ math.floor(math.log(raw, 10) + 1e-9)
  local step = 10 * power
  for _, factor in ipairs { 1, 2, 5 } do
    if factor * power >= raw * (1 - 1e-9) then
      step = factor * power
      break
    end
  end
  return whole and math.max(1, step) or step
end

local function decimals_of(step)
  return math.max(0, math.min(9, math.ceil(-math.log(step, 10) - 1e-9)))
end

-- In shares of the range.
local NEAR <const> = 0.13
local MARGIN <const> = 0.04

local function linear_marks(axis, unit, options)
  local low, high = axis.low, axis.high
  local size, prefix, name = scale_of(unit, math.max(math.abs(low), math.abs(high)), false)
  local whole = options.whole and size == 1
  local step = step_of((high - low) / size / options.count, whole, CLOCK_STEPS[name])
  if options.nice then
    -- To the next tick where it is near, else a little: an empty strip tells nobody anything.
    local range = high - low
    if not options.fixed_low then
      local next_low = math.floor(low / size / step + 1e-9) * step * size
      axis.low = low - next_low <= NEAR * range and next_low or low - MARGIN * range
    end
    if not options.fixed_high then
      local next_high = math.ceil(high / size / step - 1e-9) * step * size
      axis.high = next_high - high <= NEAR * range and next_high or high + MARGIN * range
    end
  end
  local pattern = "%." .. decimals_of(step) .. "f"
  local first = math.ceil(axis.low / size / step - 1e-9)
  local last = math.floor(axis.high / size / step + 1e-9)
  for index = first, math.min(last, first + 60) do
    axis.marks[#axis.marks + 1] = { value = index * step * size,
      label = dress(pattern:format(index * step), prefix, name, unit) }
  end
end

local function log_label(value, unit)
  local size, prefix, name = scale_of(unit, value, true)
  return dress(shortest(value / size, 4), prefix, name, unit)
end

-- Positions between low and high: 1-2-5 in each decade, decades, or every so many decades.
local function log_positions(low, high, base, most)
  local function collect(factors, every)
    local found = {}
    local from = math.floor(math.log(low, base) + 1e-9)
    local to = math.ceil(math.log(high, base) - 1e-9)
    for exponent = from, to do
      if exponent % every == 0 then
        for _, factor in ipairs(factors) do
          local value = factor * (exponent < 0 and 1 / base ^ -exponent or base ^ exponent)
          if value >= low * (1 - 1e-9) and value <= high * (1 + 1e-9) then
            found[#found + 1] = value
          end
        end
      end
    end
    return found
  end
  if base == 10 then
    for _, factors in ipairs { { 1, 2, 5 }, { 1, 3 } } do
      local found = collect(factors, 1)
      if #found <= most then
        return found
      end
    end
  end
  local every, found = 1, collect({ 1 }, 1)
  while #found > most do
    every = every + 1
    found = collect({ 1 }, every)
  end
  return found
end

local function log_marks(axis, unit, options)
  local base = unit.kind == "bytes" and 2.0 or 10.0
  if options.nice then
    local factors = base == 10 and { 1, 2, 5, 10 } or { 1, 2 }
    local function decade(value)
      return base ^ math.floor(math.log(value, base) + 1e-9)
    end
    if not options.fixed_low then
      local power, best = decade(axis.low), nil
      for _, factor in ipairs(factors) do
        if factor * power <= axis.low * (1 + 1e-9) then best = factor * power end
      end
      axis.low = best or axis.low
    end
    if not options.fixed_high then
      local power = decade(axis.high)
      for _, factor in ipairs(factors) do
        if factor * power >= axis.high * (1 - 1e-9) then
          axis.high = factor * power
          break
        end
      end
    end
  end
  local positions = log_positions(axis.low, axis.high, base, math.max(2, options.count + 1))
  if #positions < 2 then
    linear_marks(axis, unit, { count = options.count, nice = false, whole = options.whole })
    return
  end
  for index, value in ipairs(positions) do
    axis.marks[index] = { value = value, label = log_label(value, unit) }
  end
end

-- A range that can be divided: neither empty nor too narrow for its numbers to differ.
local function widen(low, high, options)
  local reach = math.max(math.abs(low), math.abs(high))
  if high - low > 1e-7 * reach and high - low > 1e-290 then
    return low, high
  elseif reach < 1e-290 then
    return 0.0, 1.0
  elseif options.zero then
    return math.min(low * 1.25, 0.0), math.max(high * 1.25, 0.0)
  end
  local middle = low / 2 + high / 2
  local pad = high > low and 5e-7 * reach or 0.1 * reach
  return middle - pad, middle + pad
end

---@class tandem.AxisOptions
---@field count? integer  about how many ticks
---@field nice? boolean   may grow to the next ticks
---@field zero? "auto"|boolean  begins at 0: always, or unless that would waste most of it
---@field whole? boolean  only whole numbers are meant

--- An axis over a range; low > high stands for no values at all.
---@param spec? tandem.AxisSpec
---@param low number
---@param high number
---@param options? tandem.AxisOptions
---@return tandem.Axis
function ticks.axis(spec, low, high, options)
  spec, options = spec or {}, options or {}
  local unit, log = unit_of(spec.unit), spec.log == true
  local made = { count = options.count or 5, nice = options.nice, whole = options.whole,
    zero = options.zero }
  if low > high or (log and high <= 0) then
    low, high = log and 1.0 or 0.0, log and 10.0 or 1.0
  end
  if log then
    low = math.max(low, 1e-290)
    if high <= low * (1 + 1e-7) then
      low, high = low / 2, high * 2
    end
  else
    local all = made.zero == true
    if made.zero and low > 0 and (all or low < 0.6 * high or low == high) then
      low = 0.0
    elseif made.zero and high < 0 and (all or high > 0.6 * low or low == high) then
      high = 0.0
    end
    if made.zero and low == 0 and spec.min == nil and spec.max == nil and high > 0 then
      made.zero = true
    end
    low, high = widen(low, high, made)
  end
  if ticks.drawable(spec.min) and (not log or spec.min > 0) then
    low, made.fixed_low = spec.min, true
  end
  if ticks.drawable(spec.max) and (not log or spec.max > 0) then
    high, made.fixed_high = spec.max, true
  end
  if low >= high then
    low, high = widen(math.min(low, high), math.min(low, high), {})
    if log then low, high = math.max(low, 1e-290), math.max(high, 1e-289) end
  end
  local title = spec.label and tostring(spec.label) or ""
  if unit.word ~= "" then
    title = title == "" and unit.word or title .. ", " .. unit.word
  end
  local axis = setmetatable({ low = low, high = high, log = log, title = title, marks = {} }, Axis)
  if log then
    log_marks(axis, unit, made)
  else
    linear_marks(axis, unit, made)
  end
  return axis
end

--- Where a value stands: 0 at the low end, 1 at the high end; nil for what cannot be drawn.
---@param value any
---@return number?
function Axis:at(value)
  if not ticks.drawable(value) or (self.log and value <= 0) then
    return nil
  elseif self.log then
    return math.log(value / self.low) / math.log(self.high / self.low)
  end
  return (value - self.low) / (self.high - self.low)
end

--- A value in words, three significant digits or as many as its interval allows.
---@param value any
---@param spec? tandem.AxisSpec
---@param half? number
---@return string
function ticks.value(value, spec, half)
  if not ticks.drawable(value) then
    return "–"
  end
  local unit = unit_of(spec and spec.unit)
  local text
  local size = math.abs(value)
  if unit.kind == "count" and value ~= 0 and (size < 1e-3 or size >= 1e12) then
    text = shortest(value, 3)
  elseif unit.kind == "money" and value ~= 0 and (size < 0.01 or size >= 1e4) then
    local whole, prefix = scale_of(unit, size, false)
    text = dress(shortest(value / whole, 3), prefix, "", { before = "$", after = "" })
  elseif half and ticks.drawable(half) and half > 0 then
    text = format.estimate({ value = value, half = half }, unit.kind)
  elseif unit.kind == "money" and value < 0 then
    text = "-" .. format.quantity(-value, unit.kind)
  else
    text = format.quantity(value, unit.kind)
  end
  return text .. unit.after .. (unit.word ~= "" and " " .. unit.word or "")
end

--- Values in one common unit, numbers alone: what fits where `ticks.value` is too wide.
---@param values number[]  drawable
---@param spec? tandem.AxisSpec
---@return string[] numbers
---@return string unit   to be said once
function ticks.common(values, spec)
  local unit, reach = unit_of(spec and spec.unit), 0
  for _, value in ipairs(values) do
    reach = math.max(reach, math.abs(value))
  end
  local size, prefix, name = scale_of(unit, reach, false)
  local scaled = reach / size
  local decimals = scaled >= 100 and 0 or scaled >= 10 and 1 or 2
  local whole, numbers = true, {}
  for _, value in ipairs(values) do
    whole = whole and math.abs(value / size - math.floor(value / size + 0.5)) < 1e-9
  end
  for index, value in ipairs(values) do
    local text = ("%." .. (whole and 0 or decimals) .. "f"):format(value / size)
    numbers[index] = text:find "^%-[0.]+$" and text:sub(2) or text
  end
  local words = unit.before .. prefix .. (name ~= "" and name or "") .. unit.after
  return numbers, unit.word ~= "" and (words ~= "" and words .. " " or "") .. unit.word or words
end

--- The least and the largest of lists of values; what cannot be drawn is left out.
---@param log boolean?  positive values only
---@param ... any[]
---@return number low   > high when there is nothing
---@return number high
function ticks.range(log, ...)
  local low, high = math.huge, -math.huge
  for _, list in ipairs { ... } do
    for index = 1, list.n or #list do
      local value = list[index]
      if ticks.drawable(value) and not (log and value <= 0) then
        low, high = math.min(low, value), math.max(high, value)
      end
    end
  end
  return low, high
end

return ticks
