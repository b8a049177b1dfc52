--- Quantities written as people write them: "5ms", "8MiB", "32GB/s", "2 TFLOP/s", "15rps", "1h".
-- Owns the unit table, parsing to SI numbers and printing back. Owns no policy about which key
-- wants which dimension: check/init.lua asks. A string is parsed once, when the scenario is loaded.

local nearest = require "tandem.text.nearest"

local units = {}

-- Each unit: { factor to SI, dimension }. Dimensions: s, B, FLOP, req, tok, W, J, $, Hz(=1/s).
local base = {
  s = { 1, "s" }, sec = { 1, "s" }, second = { 1, "s" }, seconds = { 1, "s" },
  ms = { 1e-3, "s" }, us = { 1e-6, "s" }, ["µs"] = { 1e-6, "s" }, ["μs"] = { 1e-6, "s" },
  ns = { 1e-9, "s" }, min = { 60, "s" }, minute = { 60, "s" }, minutes = { 60, "s" },
  h = { 3600, "s" }, hour = { 3600, "s" }, hours = { 3600, "s" },
  d = { 86400, "s" }, day = { 86400, "s" }, days = { 86400, "s" },
  req = { 1, "req" }, request = { 1, "req" }, requests = { 1, "req" }, query = { 1, "req" },
  rps = { 1, "req/s" }, qps = { 1, "req/s" }, rpm = { 1 / 60, "req/s" }, Hz = { 1, "req/s" },
  krps = { 1e3, "req/s" }, kHz = { 1e3, "req/s" },
  tok = { 1, "tok" }, token = { 1, "tok" }, tokens = { 1, "tok" },
  W = { 1, "W" }, kW = { 1e3, "W" }, mW = { 1e-3, "W" }, J = { 1, "J" }, kJ = { 1e3, "J" },
  ["$"] = { 1, "$" }, USD = { 1, "$" },
  ["%"] = { 0.01, "1" }, x = { 1, "1" }, k = { 1e3, "1" }, M = { 1e6, "1" }, G = { 1e9, "1" },
  bps = { 1 / 8, "B/s" },
}
local decimal = { { "", 1 }, { "k", 1e3 }, { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 },
  { "T", 1e12 }, { "P", 1e15 }, { "E", 1e18 } }
local binary = { { "Ki", 2 ^ 10 }, { "Mi", 2 ^ 20 }, { "Gi", 2 ^ 30 }, { "Ti", 2 ^ 40 },
  { "Pi", 2 ^ 50 } }
for _, p in ipairs(decimal) do
  base[p[1] .. "B"] = { p[2], "B" }
  base[p[1] .. "b"] = { p[2] / 8, "B" }
  base[p[1] .. "bit"] = { p[2] / 8, "B" }
  base[p[1] .. "bps"] = { p[2] / 8, "B/s" }
  base[p[1] .. "Bps"] = { p[2], "B/s" }
  base[p[1] .. "FLOP"] = { p[2], "FLOP" }
  base[p[1] .. "FLOPs"] = { p[2], "FLOP" }
  base[p[1] .. "OP"] = { p[2], "FLOP" }
  base[p[1] .. "FLOPS"] = { p[2], "FLOP/s" }
  base[p[1] .. "FLOP/s"] = { p[2], "FLOP/s" }
end
for _, p in ipairs(binary) do
  base[p[1] .. "B"] = { p[2], "B" }
  base[p[1] .. "bit"] = { p[2] / 8, "B" }
end
base.bytes, base.byte = { 1, "B" }, { 1, "B" }

--- What each dimension is called in a message, with an example of how to write it.
local spoken = {
  ["s"] = "a time such as \"5ms\"", ["B"] = "a size such as \"8MiB\"",
  ["B/s"] = "a bandwidth such as \"32GB/s\"", ["FLOP"] = "an amount of work such as \"2 TFLOP\"",
  ["FLOP/s"] = "a compute rate such as \"180 TFLOP/s\"",
  ["req/s"] = "a rate such as \"15rps\"", ["1"] = "a plain number",
  ["s/tok"] = "a time per token such as \"0.2ms\"", ["tok"] = "a number of tokens",
  ["req"] = "a number of requests", ["W"] = "a power such as \"300W\"",
  ["tok/s"] = "tokens per second", ["$/s"] = "a price such as \"2$/h\"",
}

---@param dim string a dimension as `units.parse` returns it
---@return string
function units.describe(dim) return spoken[dim] or dim end

-- Dividing by the whole reciprocal rounds correctly, so that "3ms" is the same number as 0.003.
local function scale(value, factor)
  if factor >= 1 then return value * factor end
  return value / math.floor(1 / factor + 0.5)
end

local function unknown(unit)
  local near = nearest.word(unit, nearest.sorted_keys(base))
  return ("unknown unit '%s'; %s"):format(unit, near and ("did you mean '%s'?"):format(near)
    or "known are ns us ms s min h, B KiB MiB GiB kB MB GB, GB/s Gbit/s, TFLOP, TFLOP/s, rps, %")
end

-- Figures are shown with their digits in groups, and half the world writes decimals so.
local function with_comma(text)
  local plain, commas = text:gsub(",", "")
  if commas > 1 then return ("'%s': write \"%s\", without commas"):format(text, plain) end
  return ("'%s': thousands or a decimal? Write \"%s\" or \"%s\""):format(text, plain,
    (text:gsub(",", ".")))
end

--- Parse a quantity. Numbers pass through as SI.
---@param text string|number
---@return number|nil value in SI units
---@return string dimension ("s", "B", "B/s", "FLOP/s", "req/s", "1", …), or the error message
function units.parse(text)
  if type(text) == "number" then return text, "1" end
  if type(text) ~= "string" then return nil, "not a quantity" end
  local number, rest = text:match("^%s*([+-]?%d[%d_]*%.?%d*[eE][+-]?%d+)%s*(.-)%s*$")
  if not number then number, rest = text:match("^%s*([+-]?%d[%d_]*%.?%d*)%s*(.-)%s*$") end
  if not number then number, rest = text:match("^%s*([+-]?%.%d+)%s*(.-)%s*$") end
  if not number then
    local word = text:match("^%s*([+-]?inf)%s*$")
    if word then return word == "-inf" and -math.huge or math.huge, "1" end
    return nil, ("'%s' is not a quantity (a number, then a unit)"):format(text)
  end
  local value = tonumber((number:gsub("_", "")))
  if not value then return nil, ("'%s' is not a number"):format(number) end
  if rest == "" then return value, "1" end
  local direct = base[rest]
  if rest:find "^[kKMGTPE]?b$" then
    local bits, bytes = rest:gsub("b$", "bit"), rest:gsub("b$", "B")
    return nil, ("'%s': bits or bytes? Write \"%s%s\" for bytes, \"%s%s\" for bits"):format(text,
      number, bytes, number, bits)
  end
  if rest:find "^,%d" then return nil, with_comma(text) end
  if direct then
    return scale(value, direct[1]), direct[2]
  end
  local top, bottom = rest:match("^(.-)%s*/%s*(.-)$")
  if top then
    local t = top == "" and { 1, "1" } or base[top]
    local b = base[bottom]
    if not t then return nil, unknown(top) end
    if not b then return nil, unknown(bottom) end
    local dim = t[2] .. "/" .. b[2]
    if dim == "1/s" then dim = "req/s" end
    if t[2] == b[2] then dim = "1" end
    return scale(value, t[1]) / b[1], dim
  end
  return nil, unknown(rest)
end

-- A plain number is any dimension's SI; a few dimensions stand in for each other by meaning.
local accepts = {
  ["s"] = { s = true }, ["s/tok"] = { s = true, ["s/tok"] = true },
  ["tok"] = { tok = true, ["1"] = true }, ["req"] = { req = true, ["1"] = true },
  ["req/s"] = { ["req/s"] = true, ["tok/s"] = false },
}

--- Parse a quantity that must have the given dimension.
---@param text string|number
---@param dim string|nil nil accepts any dimension
---@return number|nil value in SI units
---@return string|nil problem what is wrong and what was wanted
function units.as(text, dim)
  local value, found = units.parse(text)
  if not value and dim and type(text) == "string" and not text:find "%d" then
    return nil, ("'%s' is not a quantity; wanted %s"):format(text, units.describe(dim))
  end
  if not value then return nil, found end
  if dim == nil or found == "1" or found == dim then return value end
  if accepts[dim] and accepts[dim][found] then return value end
  return nil, ("'%s' is %s; wanted %s"):format(tostring(text),
    (units.describe(found):gsub(" such as.*", "")), units.describe(dim))
end

--- Is this the name of a percentile? p99.9 is p999 for short; p101 is none.
---@param key string
---@return boolean
function units.is_percentile(key)
  local digits = key:match "^p(%d+%.?%d*)$"
  local number = tonumber(digits)
  return number ~= nil and number > 0 and (number < 100 or digits:find "^99%d+$" ~= nil)
end

--- SI value of a quantity, a text with a unit.
---@param text string|number  a number is taken to be SI
---@return number  in SI units
function units.si(text)
  local value, problem = units.parse(text)
  if not value then error(problem, 2) end
  return value
end

local function trim(value, digits)
  local s = ("%." .. (digits or 4) .. "g"):format(value)
  if s:find("e", 1, true) and math.abs(value) < 1e15 and math.abs(value) >= 1 then
    s = ("%.0f"):format(value)
  end
  return s
end

local ladders = {
  ["s"] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" }, { 1e-3, "ms" },
    { 1e-6, "us" }, { 1e-9, "ns" } },
  ["FLOP"] = { { 1e15, "PFLOP" }, { 1e12, "TFLOP" }, { 1e9, "GFLOP" }, { 1e6, "MFLOP" },
    { 1, "FLOP" } },
  ["B/s"] = { { 1e12, "TB/s" }, { 1e9, "GB/s" }, { 1e6, "MB/s" }, { 1e3, "kB/s" }, { 1, "B/s" } },
}
ladders["FLOP/s"] = {}
for i, step in ipairs(ladders.FLOP) do ladders["FLOP/s"][i] = { step[1], step[2] .. "/s" } end
ladders["s/tok"] = ladders.s
local size_binary = { { 2 ^ 40, "TiB" }, { 2 ^ 30, "GiB" }, { 2 ^ 20, "MiB" }, { 2 ^ 10, "KiB" } }
local size_decimal = { { 1e12, "TB" }, { 1e9, "GB" }, { 1e6, "MB" }, { 1e3, "kB" } }

--- Print an SI value with a readable unit; `units.parse` reads it back to about four digits.
---@param value number  in SI units
---@param dim string  "s", "B", "B/s", "FLOP", "FLOP/s", "req/s", "1"
---@return string
function units.format(value, dim)
  if value ~= value or value == math.huge or value == -math.huge then return tostring(value) end
  if value == 0 and dim ~= "1" then
    return "0 " .. (dim == "req/s" and "rps" or dim:gsub("/tok", ""))
  end
  local size = math.abs(value)
  if dim == "B" then
    for _, set in ipairs { size_binary, size_decimal } do
      for _, step in ipairs(set) do
        local n = value / step[1]
        if size >= step[1] and math.floor(n) == n and n < 1e6 then
          return ("%d %s"):format(n, step[2])
        end
      end
    end
    for _, step in ipairs(size_binary) do
      if size >= step[1] then return trim(value / step[1]) .. " " .. step[2] end
    end
    return trim(value) .. " B"
  end
  local ladder = ladders[dim]
  if ladder then
    for i, step in ipairs(ladder) do
      -- 90 s reads better than 1.5 min, so minutes and up want an exact fit or a large value.
      local exact = step[1] <= 1 or math.floor(value / step[1]) == value / step[1]
        or size >= 2 * step[1]
      if (size >= step[1] * 0.99999999 and exact) or i == #ladder then
        return trim(value / step[1]) .. " " .. step[2]
      end
    end
  end
  if dim == "req/s" then return trim(value) .. " rps" end
  if dim == "tok" or dim == "1" or dim == "req" then return trim(value, 6) end
  return trim(value, 6) .. " " .. dim
end

return units
