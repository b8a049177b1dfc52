--- Deterministic JSON: the same value is the same bytes, on every machine.
--
-- Owns the encoding of results and lists for `--json`: keys sorted, integers as integers, other
-- numbers in the fewest digits that read back to the same double, infinity and NaN as null. Not a
-- parser, and not the scenario form (tandem.json).
local json = {}

---@class tandem.JsonOptions
---@field indent? integer              spaces a level; without it everything is on one line
---@field lists? table<string, boolean> keys whose empty table is [] rather than {}

local ESCAPES = {
  ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n",
  ["\r"] = "\\r", ["\t"] = "\\t",
}

local function escape(character)
  return ESCAPES[character] or string.format("\\u%04x", character:byte())
end

local function encode_string(text)
  if not utf8.len(text) then
    text = text:gsub("[\128-\255]", "?")
  end
  return '"' .. text:gsub('[%c"\\\127]', escape) .. '"'
end

--- A number in the fewest digits that read back to the same double.
---@param number number
---@return string
function json.number(number)
  if math.type(number) == "integer" then
    return string.format("%d", number)
  elseif number ~= number or number == math.huge or number == -math.huge then
    return "null"
  elseif number == 0 then
    return "0"
  end
  for digits = 15, 16 do
    local text = string.format("%." .. digits .. "g", number)
    if tonumber(text) == number then
      return text
    end
  end
  return string.format("%.17g", number)
end

--- Keys in a fixed order; anything but strings as keys is a mistake of ours.
local function sorted_keys(value)
  local keys = {}
  for key in pairs(value) do
    if type(key) ~= "string" then
      error("JSON object with a key that is no string: " .. tostring(key))
    end
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

local encode

local function join(parts, open, close, state, depth)
  if #parts == 0 then
    return open .. close
  elseif not state.indent then
    return open .. table.concat(parts, ",") .. close
  end
  local inner = "\n" .. string.rep(" ", state.indent * (depth + 1))
  return open .. inner .. table.concat(parts, "," .. inner) .. "\n"
    .. string.rep(" ", state.indent * depth) .. close
end

local function is_plain_list(value)
  for _, item in ipairs(value) do
    if type(item) == "table" then
      return false
    end
  end
  return true
end

local function encode_table(value, state, depth, key)
  if state.open[value] then
    error("JSON of a table that contains itself")
  end
  state.open[value] = true
  local parts, text = {}, "[]"
  if #value > 0 then
    for index, item in ipairs(value) do
      parts[index] = encode(item, state, depth + 1)
    end
    if is_plain_list(value) then
      text = "[" .. table.concat(parts, state.indent and ", " or ",") .. "]"
    else
      text = join(parts, "[", "]", state, depth)
    end
  elseif next(value) ~= nil or not (key and state.lists[key]) then
    local colon = state.indent and ": " or ":"
    for index, name in ipairs(sorted_keys(value)) do
      parts[index] = encode_string(name) .. colon .. encode(value[name], state, depth + 1, name)
    end
    text = join(parts, "{", "}", state, depth)
  end
  state.open[value] = nil
  return text
end

function encode(value, state, depth, key)
  local kind = type(value)
  if kind == "table" then
    return encode_table(value, state, depth, key)
  elseif kind == "number" then
    return json.number(value)
  elseif kind == "string" then
    return encode_string(value)
  elseif kind == "boolean" then
    return tostring(value)
  elseif kind == "nil" then
    return "null"
  end
  error("JSON cannot hold a " .. kind)
end

--- Encodes a value of tables, strings, numbers and booleans.
---@param value any
---@param options? tandem.JsonOptions
---@return string
function json.encode(value, options)
  options = options or {}
  local state = { indent = options.indent, lists = options.lists or {}, open = {} }
  return encode(value, state, 0)
end

return json
