--- Numbers as people write them in a scenario: "1.25ms", "22.4GB/s", 8 MiB as "8MiB".
-- Owns the choice of unit and of digits; what is written reads back as the same number, or, where
-- digits are asked for, as that number rounded. Reading is units/init.lua's. Called by
-- scenario/source.lua.

local units = require "tandem.units"

local spelling = {}

local LADDERS <const> = {
  ["s"] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" } },
  ["B"] = { { 1e12, "TB" }, { 1e9, "GB" }, { 1e6, "MB" }, { 1e3, "kB" }, { 1, "B" } },
  ["B/s"] = { { 1e12, "TB/s" }, { 1e9, "GB/s" }, { 1e6, "MB/s" }, { 1e3, "kB/s" }, { 1, "B/s" } },
  ["FLOP"] = { { 1e15, "PFLOP" }, { 1e12, "TFLOP" }, { 1e9, "GFLOP" }, { 1e6, "MFLOP" } },
  ["FLOP/s"] = { { 1e15, "PFLOP/s" }, { 1e12, "TFLOP/s" }, { 1e9, "GFLOP/s" } },
  ["req/s"] = { { 1, "rps" } },
}
LADDERS["s/tok"] = LADDERS["s"]
local BINARY <const> = { { 2 ^ 40, "TiB" }, { 2 ^ 30, "GiB" }, { 2 ^ 20, "MiB" },
  { 2 ^ 10, "KiB" } }

-- The shortest text that is exactly the number.
local function exact(value)
  if math.type(value) == "integer" then return tostring(value) end
  if value == math.huge then return "math.huge" end
  if value == math.floor(value) and math.abs(value) < 1e15 then return ("%d"):format(value) end
  for digits = 1, 17 do
    local text = ("%." .. digits .. "g"):format(value)
    if tonumber(text) == value then return text end
  end
  return ("%.17g"):format(value)
end

local function rounded(value, digits)
  return tonumber(("%." .. digits .. "g"):format(value)) --[[@as number]]
end

--- A plain number as source.
---@param value number
---@param digits integer|nil
---@return string
function spelling.number(value, digits)
  return exact(digits and value ~= math.floor(value) and rounded(value, digits) or value)
end

local function in_unit(value, dim)
  local size = math.abs(value)
  if dim == "B" and size == math.floor(size) then
    for _, unit in ipairs(BINARY) do
      if size >= unit[1] and size % unit[1] == 0 then return unit end
    end
  end
  local ladder = LADDERS[dim]
  for _, unit in ipairs(ladder) do
    if size >= unit[1] * (1 - 1e-12) then return unit end
  end
  return ladder[#ladder]
end

--- A quantity of a dimension as source: with its unit and in quotes where one reads well.
---@param value number
---@param dim string|nil
---@param digits integer|nil  significant, of what is not whole; nil: exactly
---@return string
function spelling.source(value, dim, digits)
  if not LADDERS[dim] or value == 0 or value ~= value or math.abs(value) == math.huge then
    return spelling.number(value, digits)
  end
  local wanted = digits and value ~= math.floor(value) and rounded(value, digits) or value
  local unit = in_unit(wanted, dim)
  local text = exact(rounded(wanted / unit[1], 15)) .. unit[2]
  local back = not text:find "e" and units.as(text, dim)
  -- Rounding stands in the text; without it the text must be the number.
  local near = digits and back and math.abs(back - wanted) <= 1e-12 * math.abs(wanted)
  if back == wanted or near then
    return '"' .. text .. '"'
  end
  return exact(wanted)
end

return spelling
