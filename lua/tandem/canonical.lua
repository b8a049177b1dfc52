--- One text for every meaning: what scenario hashes and equality are computed from.
-- Owns the order of keys, the spelling of numbers, and what stands for a function (its code and the
-- values it closes over).

local nearest = require "tandem.nearest"

local canonical = {}

local function number_text(v)
  if v ~= v then return "nan" end
  if math.type(v) == "integer" or (v == math.floor(v) and math.abs(v) < 2 ^ 53) then
    return ("%d"):format(v)
  end
  return ("%.17g"):format(v)
end

local function function_text(fn)
  local ok, code = pcall(string.dump, fn, true)
  local parts = { "function", ok and code or "native" }
  for i = 1, 255 do
    local name, value = debug.getupvalue(fn, i)
    if not name then break end
    if type(value) == "number" then parts[#parts + 1] = number_text(value)
    elseif type(value) == "string" or type(value) == "boolean" then
      parts[#parts + 1] = tostring(value)
    elseif type(value) == "function" and debug.getinfo(value, "S").what ~= "C" and value ~= fn then
      local code_ok, inner = pcall(string.dump, value, true)
      parts[#parts + 1] = code_ok and inner or "native"
    end
  end
  return table.concat(parts, "\0")
end

--- Canonical data as text, keys sorted: equal texts mean equal scenarios.
---@param v any
---@return string
function canonical.text(v)
  local t = type(v)
  if t == "number" then return number_text(v) end
  if t == "string" then return ("%q"):format(v) end
  if t == "function" then return ("%q"):format(function_text(v)) end
  if t ~= "table" then return tostring(v) end
  local parts = {}
  local n = #v
  for i = 1, n do parts[i] = canonical.text(v[i]) end
  for _, k in ipairs(nearest.sorted_keys(v)) do
    if not (math.type(k) == "integer" and k >= 1 and k <= n) then
      parts[#parts + 1] = tostring(k) .. "=" .. canonical.text(v[k])
    end
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

--- Sixteen hexadecimal digits that name a text (FNV-1a, then a finalizer).
---@param text string
---@return string
function canonical.hash(text)
  local h = 0xcbf29ce484222325
  for i = 1, #text do h = (h ~ text:byte(i)) * 0x100000001b3 end
  h = (h ~ (h >> 30)) * 0xBF58476D1CE4E5B9
  h = (h ~ (h >> 27)) * 0x94D049BB133111EB
  return ("%016x"):format(h ~ (h >> 31))
end

return canonical
