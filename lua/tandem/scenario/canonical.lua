--- One text for every meaning: what scenario hashes and equality are computed from.
-- Owns the order of keys, the spelling of numbers, and what stands for a function (its code and the
-- values it closes over). Texts are as JSON has them: what is not UTF-8 is U+FFFD.

local attempt = require("tandem.text.shortage").attempt
local core = require "tandem.core"
local mend = require "tandem.io.utf8"
local nearest = require "tandem.text.nearest"

local canonical = {}

local function number_text(v)
  if v ~= v then return "nan" end
  if math.type(v) == "integer" or (v == math.floor(v) and math.abs(v) < 2 ^ 53) then
    return ("%d"):format(v)
  end
  return ("%.17g"):format(v)
end

local function function_text(fn)
  local ok, code = attempt(string.dump, fn, true)
  local parts = { "function", ok and code or "native" }
  for i = 1, 255 do
    local name, value = debug.getupvalue(fn, i)
    if not name then break end
    if type(value) == "number" then parts[#parts + 1] = number_text(value)
    elseif type(value) == "string" or type(value) == "boolean" then
      parts[#parts + 1] = tostring(value)
    elseif type(value) == "function" and debug.getinfo(value, "S").what ~= "C" and value ~= fn then
      local code_ok, inner = attempt(string.dump, value, true)
      parts[#parts + 1] = code_ok and inner or "native"
    end
  end
  return table.concat(parts, "\0")
end

local function finalized(h) return ("%016x"):format(core.mix(h)) end

local LONG <const> = 4096

-- A long list of numbers by its digest: recorded requests have hundreds of thousands, which nobody
-- reads. Nil when it is none.
local function digest(v, n)
  local h = 0xcbf29ce484222325
  for i = 1, n do
    local x = v[i]
    if type(x) ~= "number" then return nil end
    local whole = math.tointeger(x)
    h = (h ~ (whole or ("<i8"):unpack(("<d"):pack(x)))) * 0x100000001b3
    h = h ~ (h >> 29)
  end
  return ("%d numbers %s"):format(n, finalized(h))
end

--- Canonical data as text, keys sorted: equal texts mean equal scenarios.
---@param v any
---@return string
function canonical.text(v)
  local t = type(v)
  if t == "number" then return number_text(v) end
  if t == "string" then return ("%q"):format(mend.text(v)) end
  if t == "function" then return ("%q"):format(function_text(v)) end
  if t ~= "table" then return tostring(v) end
  local parts = {}
  local n = #v
  local long = n >= LONG and digest(v, n)
  if long then parts[1] = long end
  for i = 1, long and 0 or n do parts[i] = canonical.text(v[i]) end
  local others = {} -- sorted alone: recorded requests are long lists
  for k, x in next, v do
    if not (math.type(k) == "integer" and k >= 1 and k <= n) then
      others[type(k) == "string" and mend.text(k) or k] = x
    end
  end
  for _, k in ipairs(nearest.sorted_keys(others)) do
    parts[#parts + 1] = tostring(k) .. "=" .. canonical.text(others[k])
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

--- Sixteen hexadecimal digits that name a text (FNV-1a, then a finalizer).
---@param text string
---@return string
function canonical.hash(text)
  local h = 0xcbf29ce484222325
  for i = 1, #text do h = (h ~ text:byte(i)) * 0x100000001b3 end
  return finalized(h)
end

return canonical
