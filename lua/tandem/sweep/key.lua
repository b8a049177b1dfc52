--- The name under which a store keeps a sweep: equal only for sweeps with equal answers.
-- Owns what of a scenario decides its answers, and how functions are told apart: by their code and
-- all they reach, tables too (scenario/canonical.lua, made for people, looks less far). Called by
-- sweep/study and sweep/axes.
local attempt = require("tandem.text.shortage").attempt
local canonical = require "tandem.scenario.canonical"
local expr = require "tandem.expr"
local nearest = require "tandem.text.nearest"

local key = {}

local write

local function write_function(fn, out, seen)
  out[#out + 1] = "function "
  local ok, code = attempt(string.dump, fn, true)
  out[#out + 1] = ok and ("%q"):format(code) or "native"
  for i = 1, 255 do
    local name, value = debug.getupvalue(fn, i)
    if not name then break end
    -- Globals cannot be assigned in scenarios.
    if ok and name ~= "_ENV" then
      out[#out + 1] = ";"
      write(value, out, seen)
    end
  end
end

local function write_table(t, out, seen)
  if rawget(t, "__tandem") == true then
    out[#out + 1] = "td"
    return
  end
  out[#out + 1] = "{"
  for _, k in ipairs(nearest.sorted_keys(t)) do
    out[#out + 1] = (type(k) == "table" or type(k) == "function") and type(k) or canonical.text(k)
    out[#out + 1] = "="
    write(rawget(t, k), out, seen)
    out[#out + 1] = ","
  end
  out[#out + 1] = "}"
end

-- Appends the text of a value; what was met before is told by its number.
function write(v, out, seen)
  local kind = type(v)
  if kind ~= "table" and kind ~= "function" then
    out[#out + 1] = (kind == "userdata" or kind == "thread") and kind or canonical.text(v)
  elseif expr.is_symbol(v) then
    write(rawget(v, "expr"), out, seen)
  elseif seen[v] then
    out[#out + 1] = "#" .. seen[v]
  else
    seen.count = seen.count + 1
    seen[v] = seen.count
    if kind == "function" then write_function(v, out, seen) else write_table(v, out, seen) end
  end
end

--- One text for a value and all it reaches.
---@param v any
---@return string
function key.text(v)
  local out = {}
  write(v, out, { count = 0 })
  return table.concat(out)
end

-- Fields of a checked scenario that follow from the others.
local DERIVED = { untraced = true, resolved = true, attr_reads = true }

--- What of a scenario decides its answers.
---@param scenario tandem.Scenario without what only concerns studies and people
---@return string
function key.of_scenario(scenario)
  local meaning = {}
  for k, v in pairs(scenario.checked) do
    if not DERIVED[k] then meaning[k] = v end
  end
  return key.text(meaning)
end

--- Sixteen hexadecimal digits for all parts.
---@param parts string[]
---@return string
function key.digest(parts) return canonical.hash(table.concat(parts, "\n")) end

return key
