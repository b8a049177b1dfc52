--- YAML: the one writer of it.
--
-- Owns how values are laid out and which texts need quotes. Maps keep the order in which they were
-- written: yaml.map { { "kind", "Service" }, … }, in which a pair without a value is left out. A
-- plain table is a list. Read by whatever reads YAML 1.1 or 1.2: what either takes for anything but
-- a text is quoted. Used by tandem.deploy.
local json = require "tandem.io.json"

local yaml = {}

local Map = { __name = "yaml.map" }

--- A map in this order; pairs whose value is nil are left out.
---@param pairs_of { [1]: string, [2]: any }[]
---@return table
function yaml.map(pairs_of)
  local out = {}
  for _, pair in ipairs(pairs_of) do
    if pair[2] ~= nil then out[#out + 1] = pair end
  end
  return setmetatable(out, Map)
end

-- What YAML 1.1 takes for booleans and null.
local WORDS <const> = { ["true"] = true, ["false"] = true, yes = true, no = true, on = true,
  off = true, y = true, n = true, null = true }

local function is_plain(text)
  return text:find "^[%a_/][%w_./-]*$" ~= nil and not WORDS[text:lower()]
end

local function scalar(value)
  if type(value) == "string" and is_plain(value) then return value end
  return json.encode(value)
end

local function is_empty(value) return type(value) == "table" and #value == 0 end

local write

-- What follows "key:" or "-".
local function value_of(value, indent, out, inline)
  if type(value) ~= "table" then
    out[#out] = out[#out] .. " " .. scalar(value)
  elseif is_empty(value) then
    out[#out] = out[#out] .. (getmetatable(value) == Map and " {}" or " []")
  else
    write(value, indent, out, inline)
  end
end

-- The first line of a map in a list stands behind its dash.
function write(value, indent, out, inline)
  local space = (" "):rep(indent)
  for i, item in ipairs(value) do
    if getmetatable(value) == Map then
      local head = scalar(item[1]) .. ":"
      if inline and i == 1 then out[#out] = out[#out] .. " " .. head
      else out[#out + 1] = space .. head end
      local list = type(item[2]) == "table" and getmetatable(item[2]) ~= Map
      value_of(item[2], indent + (list and 0 or 2), out)
    else
      out[#out + 1] = space .. "-"
      value_of(item, indent + 2, out, true)
    end
  end
end

--- One document; ends with a line end.
---@param value table  a map or a list
---@return string
function yaml.encode(value)
  local out = {}
  write(value, 0, out)
  return table.concat(out, "\n") .. "\n"
end

return yaml
