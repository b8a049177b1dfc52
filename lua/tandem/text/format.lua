--- Numbers as a person reads them: a sensible count of digits, always a unit.
--
-- Owns the choice of unit and of digits; knows nothing of tables, colours or where the text goes
-- (plot/style.lua replaces µ, ± and ∞ where a terminal cannot show them). Used by every report,
-- plot and shell printer. Quantities come in SI: seconds, bytes, bytes/s, fractions.
local format = {}

---@class tandem.Estimate
---@field value number   the estimate
---@field half? number   half-width of its 95 % confidence interval; nil when none could be had
---@field needs? { requests: number, by: "length"|"requests"|"replications" }  what is lacking

---@alias tandem.QuantityKind
---| "time"    # seconds
---| "rate"    # events per second
---| "bytes"   # bytes, in powers of 1024
---| "speed"   # bytes per second, in powers of 1000
---| "flops"   # floating-point operations per second
---| "percent" # a fraction, printed out of 100
---| "count"   # a plain number
---| "money"   # US dollars
---| "power"   # watts

--- How numbers of a dimension (tandem.units) are written.
---@type table<string, tandem.QuantityKind>
format.kinds = { s = "time", ["s/tok"] = "time", ["B/s"] = "speed", B = "bytes", ["req/s"] = "rate",
  ["FLOP/s"] = "flops", W = "power" }

local MISSING = "–"

-- A mean number of things below this is as good as none.
local TINY <const> = 1e-4

-- { smallest value printed in the unit, the unit's size, its name }, largest first.
local UNITS = {
  time = { { 3600, 3600, "h" }, { 1, 1, "s" }, { 1e-3, 1e-3, "ms" }, { 1e-6, 1e-6, "µs" },
    { 0, 1e-9, "ns" } },
  rate = { { 1e9, 1e9, "G/s" }, { 1e6, 1e6, "M/s" }, { 1e4, 1e3, "k/s" }, { 0, 1, "/s" } },
  bytes = { { 2 ^ 40, 2 ^ 40, "TiB" }, { 2 ^ 30, 2 ^ 30, "GiB" }, { 2 ^ 20, 2 ^ 20, "MiB" },
    { 2 ^ 10, 2 ^ 10, "KiB" }, { 0, 1, "B" } },
  speed = { { 1e12, 1e12, "TB/s" }, { 1e9, 1e9, "GB/s" }, { 1e6, 1e6, "MB/s" },
    { 1e3, 1e3, "kB/s" }, { 0, 1, "B/s" } },
  flops = { { 1e15, 1e15, "PFLOP/s" }, { 1e12, 1e12, "TFLOP/s" }, { 1e9, 1e9, "GFLOP/s" },
    { 0, 1, "FLOP/s" } },
  percent = { { 0, 0.01, "%" } },
  count = { { 1e9, 1e9, "G" }, { 1e6, 1e6, "M" }, { 0, 1, "" } },
  money = { { 0, 1, "$" } },
}

local function is_missing(value)
  return value == nil or value ~= value
end

--- The number of digits before the decimal point (1 for 0.5 too).
local function whole_digits(magnitude)
  if magnitude < 1 then
    return 1
  end
  return math.floor(math.log(magnitude, 10) + 1e-12) + 1
end

--- Rounds to a number of significant digits, so that 999.6 ms is seen to be 1.00 s before the
--- unit is chosen.
---@param value number
---@param digits integer
---@return number
local function round_significant(value, digits)
  return tonumber(string.format("%." .. (digits - 1) .. "e", value)) --[[@as number]]
end

--- The unit that values of a size are told in: how many of the plain one it has, and its name.
---@param kind tandem.QuantityKind
---@param value number
---@return number size
---@return string name
function format.unit(kind, value)
  local units = assert(UNITS[kind], "no such quantity: " .. tostring(kind))
  local magnitude = math.abs(round_significant(value, 3))
  for _, unit in ipairs(units) do
    if magnitude >= unit[1] then
      return unit[2], unit[3]
    end
  end
  return units[#units][2], units[#units][3]
end

-- Groups the digits before the decimal point: "1234567.5" → "1,234,567.5".
local function grouped(text)
  local sign, whole, rest = text:match "^(%-?)(%d+)(.*)$"
  return sign .. whole:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "") .. rest
end

local function with_unit(text, unit)
  return grouped(text) .. (unit == "" and "" or " " .. unit)
end

--- Decimals that show `digits` significant digits of a number already in its unit.
local function decimals_for(scaled, digits)
  local magnitude = math.abs(scaled)
  if magnitude == 0 or magnitude == math.huge then
    return 0
  end
  local exponent = math.floor(math.log(round_significant(magnitude, digits), 10) + 1e-12)
  return math.max(0, math.min(digits - 1 - exponent, 9))
end

--- Drops the decimals of a number that has none: "2.00" is "2".
local function trim(text)
  if not text:find(".", 1, true) then
    return text
  end
  return (text:gsub("%.0+$", ""))
end

--- Groups the digits of a whole number: 1234567 → "1,234,567".
---@param value number
---@return string
function format.integer(value)
  if is_missing(value) then
    return MISSING
  elseif value == math.huge then
    return "∞"
  elseif value == -math.huge then
    return "-∞"
  end
  return grouped((string.format("%.0f", value):gsub("^%-0$", "0")))
end

--- A quantity with its unit: format.quantity(0.0123, "time") → "12.3 ms".
---@param value? number
---@param kind tandem.QuantityKind
---@param digits? integer  significant digits (default: 3)
---@return string
function format.quantity(value, kind, digits)
  if is_missing(value) then
    return MISSING
  end
  ---@cast value number
  if value == math.huge then
    return "∞"
  elseif value == -math.huge then
    return "-∞"
  elseif kind == "percent" then
    return format.percent(value)
  elseif kind == "count" and math.abs(value) < 1e9 and value == math.floor(value) then
    return format.integer(value)
  elseif kind == "money" then
    return "$" .. grouped(string.format("%.2f", value))
  elseif kind == "power" then
    return format.quantity(value, "count") .. " W"
  end
  -- The engine's clock ticks in nanoseconds: less than half of one is nothing.
  if value == 0 or (kind == "time" and math.abs(value) < 0.5e-9) then
    return with_unit("0", kind == "time" and "s" or UNITS[kind][#UNITS[kind]][3])
  end
  local size, unit = format.unit(kind, value)
  local scaled = value / size
  return with_unit(trim(string.format("%." .. decimals_for(scaled, digits or 3) .. "f", scaled)),
    unit)
end

--- A fraction out of 100, with more digits near 0 and near 1, where they matter.
---@param fraction? number
---@return string
function format.percent(fraction)
  if is_missing(fraction) then
    return MISSING
  end
  ---@cast fraction number
  if math.abs(fraction) == math.huge then
    return fraction > 0 and "∞" or "-∞"
  end
  local percent = fraction * 100
  local distance = math.min(math.abs(percent), math.abs(100 - percent))
  local decimals = 1
  if distance < 1e-9 or math.abs(percent) >= 1000 then
    decimals = 0
  elseif distance < 0.1 then
    decimals = math.min(4, math.ceil(-math.log(distance, 10)))
  end
  return with_unit(trim(string.format("%." .. decimals .. "f", percent)):gsub("^%-0$", "0"), "%")
end

--- A relative change, with its sign; nothing where there is none.
---@param fraction? number
---@return string
function format.change(fraction)
  if is_missing(fraction) then return "" end
  local text = format.percent(fraction)
  return (fraction > 0 and text ~= "0 %" and "+" or "") .. text
end

---@param seconds? number
---@return string
function format.time(seconds)
  return format.quantity(seconds, "time")
end

---@param bytes? number
---@return string
function format.bytes(bytes)
  return format.quantity(bytes, "bytes")
end

---@param per_second? number
---@return string
function format.rate(per_second)
  return format.quantity(per_second, "rate")
end

--- Significant digits of a half-width: two up to 3.5, one above, so that rounding never changes it
--- by more than a tenth or so.
local function half_digits(half)
  local leading = tonumber(string.format("%.2e", half):sub(1, 4)) --[[@as number]]
  return leading < 3.55 and 2 or 1
end

--- The two halves of an estimate in one unit, the digits chosen by the half-width: one or two
--- figures of it, and as many decimals for the value ("42.31 ms", "± 0.12 ms"). The second is ""
--- when there is no interval.
---@param estimate? tandem.Estimate
---@param kind tandem.QuantityKind
---@return string value
---@return string half
function format.estimate_parts(estimate, kind)
  if estimate == nil or is_missing(estimate.value) then
    return MISSING, ""
  end
  local value, half = estimate.value, estimate.half
  if kind == "count" and value ~= 0 and math.abs(value) < TINY and (half or 0) < TINY then
    return "< 0.0001", ""
  end
  -- Without an interval, or with one too narrow to show in six figures, the value stands alone.
  if is_missing(half) or half == math.huge or math.abs(value) == math.huge
    or half < 1e-6 * math.abs(value) or half == 0 then
    return format.quantity(value, kind), ""
  end
  ---@cast half number
  local size, unit = format.unit(kind, math.max(math.abs(value), half))
  local scaled, scaled_half = value / size, half / size
  local decimals = math.min(decimals_for(scaled_half, half_digits(scaled_half)),
    math.max(0, 6 - whole_digits(math.abs(scaled))))
  local pattern = "%." .. decimals .. "f"
  local text = string.format(pattern, scaled)
  if not text:find "[1-9]" then text = text:gsub("^%-", "") end -- nothing has no sign
  if kind == "money" then
    return "$" .. grouped(text), "± $" .. grouped(string.format(pattern, scaled_half))
  end
  return with_unit(text, unit), "± " .. with_unit(string.format(pattern, scaled_half), unit)
end

--- A count of which two digits are known: "60,000".
---@param count number
---@return string
function format.about(count)
  return format.integer(math.tointeger(tonumber(("%.2g"):format(count)) // 1) or count)
end

--- What a run lacks for an interval, in words: "needs about 60,000 requests"; nil when nothing.
---@param estimate? tandem.Estimate
---@return string|nil
function format.needs(estimate)
  local needs = estimate and estimate.needs
  if not needs then return nil end
  if needs.by == "replications" then return "needs more replications" end
  local requests = format.about(needs.requests)
  return needs.by == "length" and "needs longer runs, about " .. requests .. " requests in all"
    or "needs about " .. requests .. " requests"
end

--- An estimate on one line, the unit once: "42.31 ± 0.12 ms"; "≈ 42 ms" where the run does not
--- support an interval.
---@param estimate? tandem.Estimate
---@param kind tandem.QuantityKind
---@return string
function format.estimate(estimate, kind)
  local value, half = format.estimate_parts(estimate, kind)
  if half == "" then
    local about = estimate and estimate.needs and value ~= MISSING and value:sub(1, 1) ~= "<"
    return about and "≈ " .. value or value
  elseif kind == "money" then
    return value .. " " .. half
  end
  return value:match("^%S+") .. " " .. half
end

-- Every unit that quantity() can print.
local unit_names = {}
for _, units in pairs(UNITS) do
  for _, unit in ipairs(units) do
    unit_names[unit[3]] = true
  end
end

--- Binds numbers to their units, so that a line never breaks between them (style.wrap makes the
--- no-break spaces plain again).
---@param text string
---@return string
function format.bind(text)
  return (text:gsub("(%d) (%S+)", function(digit, word)
    if unit_names[word:gsub("[.,;:)]+$", "")] then
      return digit .. "\u{a0}" .. word
    end
  end))
end

--- "1 request", "2 requests": a count with its noun.
---@param count number
---@param noun string   in the singular
---@param plural? string  when adding an s is not enough
---@return string
function format.plural(count, noun, plural)
  return format.integer(count) .. " " .. (count == 1 and noun or plural or noun .. "s")
end

--- A list in words: "a, b and c".
---@param words string[]
---@param last? string  the word before the last item (default: "and")
---@return string
function format.list(words, last)
  if #words <= 1 then
    return words[1] or ""
  end
  return table.concat(words, ", ", 1, #words - 1) .. " " .. (last or "and") .. " " .. words[#words]
end

return format
