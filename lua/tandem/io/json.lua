--- JSON: the one writer of everything that tandem writes, and a strict reader that knows lines.
--
-- Owns the rules; the writing is done in C (src/bind/json_write.c), since every row of a table
-- passes here. Which fields a document has is its owner's affair. Messages of other programs may be
-- read by cjson, which is laxer and faster.
--
-- The same value is the same bytes, on every machine:
--   * keys in the order of bytes; a table with 1 … n is a list, an empty one is {} unless marked by
--     json.list or its key is one of options.lists;
--   * integers as they are, other numbers in the fewest digits that read back to the same double;
--   * what is no finite number is a text, as in CSV and in scenarios: "inf", "-inf", "nan";
--   * texts are UTF-8: each byte that is not becomes U+FFFD.
-- Exact JSON, in which jobs, answers and points of sweeps travel and are kept, gives back every bit
-- instead, and only its own reader is meant to read it:
--   * integers stay integers, floats stay floats: 2 and 2.0 are two things; -0.0 stays -0.0;
--   * infinity is 1e999 and -1e999, which readers of JSON take for infinity;
--   * not-a-number is null, and null is read as not-a-number: a table in Lua has no nil that could
--     be meant otherwise. Which NaN it was is not kept;
--   * texts pass byte by byte, whether they are UTF-8 or not.
local core = require "tandem.core"
local lines = require "tandem.check.lines"

local json = {}

local MAX_DEPTH <const> = 200

--- null, where reading is exact about it.
json.null = setmetatable({}, { __name = "null", __tostring = function() return "null" end })

-- What marks a table as a list even when it is empty.
local List = { __name = "list" }

--- A list, written as [] also when it is empty.
---@param items? table
---@return table
function json.list(items) return setmetatable(items or {}, List) end

--- Was this marked by json.list, or read with its marks from a list?
---@param value any
---@return boolean
function json.is_list(value) return getmetatable(value) == List end

-- ---- writing ----

---@class tandem.JsonOptions
---@field indent? integer   spaces a level; without it everything is on one line
---@field fit? boolean      lines of up to 92 columns, broken where that does not suffice
---@field spread? boolean   with indent: every item of a list on a line of its own; without, only
---                         those of lists that hold tables
---@field floats? boolean   floats stay floats: 2.0, not 2
---@field lists? table<string, boolean>  keys whose empty table is [] rather than {}

local PLAIN <const> = {}

--- Writes a value of tables, texts, numbers and booleans. Raises on anything else.
---@param value any
---@param options? tandem.JsonOptions
---@return string
function json.encode(value, options) return core.json_write(value, options or PLAIN) end

--- A number in the fewest digits that read back to the same double; "inf", "-inf" and "nan" without
--- quotes: as it stands in CSV.
---@param number number
---@return string
function json.number(number)
  local text = core.json_write(number, PLAIN)
  return text:match '^"(.*)"$' or text
end

local EXACT <const> = { exact = true }

--- Exact JSON. Raises on what it has no place for: functions, mixed keys, lists with holes.
---@param value any
---@return string
function json.exact(value) return core.json_write(value, EXACT) end

--- Reads exact JSON. Strict: refuses what json.exact would never write, such as keys given twice or
--- integers beyond 64 bits. `false` is a value: a failure is a nil.
---@type fun(text: string): any, string?, integer? value, or nil, message, code
json.read_exact = core.json_read_exact

-- ---- reading ----

local escapes = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n",
  r = "\r", t = "\t" }

-- A parse failure travels as a table so that pcall keeps the line apart from the words.
local function fail(state, message)
  local line = 1
  for _ in state.text:sub(1, state.at - 1):gmatch("\n") do line = line + 1 end
  error({ line = line, message = message }, 0)
end

local function skip_space(state)
  state.at = state.text:find("[^ \t\r\n]", state.at) or #state.text + 1
end

local function line_at(state)
  local from, line = state.line_at, state.line
  for _ in state.text:sub(from, state.at - 1):gmatch("\n") do line = line + 1 end
  state.line_at, state.line = state.at, line
  return line
end

local read_value

local function surrogate(state, high)
  local low = state.text:match("^\\u([dD][c-fC-F]%x%x)", state.at)
  if not low then fail(state, "half of a surrogate pair") end
  state.at = state.at + 6
  return 0x10000 + ((high - 0xD800) << 10) + (tonumber(low, 16) - 0xDC00)
end

local function read_string(state)
  local text, from = state.text, state.at + 1
  local stop = text:find('["\\%c]', from)
  if stop and text:sub(stop, stop) == '"' then
    state.at = stop + 1
    return text:sub(from, stop - 1)
  end
  local parts = {}
  state.at = from
  while true do
    local special = text:find('["\\%c]', state.at)
    if not special then fail(state, "a text is not closed") end
    parts[#parts + 1] = text:sub(state.at, special - 1)
    local c = text:sub(special, special)
    state.at = special
    if c == '"' then
      state.at = special + 1
      return table.concat(parts)
    elseif c ~= "\\" then
      if c == "\127" then
        parts[#parts + 1] = c
        state.at = special + 1
      else
        fail(state, "a control character inside a text (a missing quote?)")
      end
    else
      local e = text:sub(special + 1, special + 1)
      if e == "u" then
        local hex = text:match("^%x%x%x%x", special + 2)
        if not hex then fail(state, "\\u wants four hexadecimal digits") end
        state.at = special + 6
        local code = tonumber(hex, 16)
        if code >= 0xD800 and code < 0xDC00 then code = surrogate(state, code)
        elseif code >= 0xDC00 and code < 0xE000 then fail(state, "half of a surrogate pair") end
        parts[#parts + 1] = utf8.char(code)
      elseif escapes[e] then
        parts[#parts + 1] = escapes[e]
        state.at = special + 2
      else
        fail(state, ("unknown escape '\\%s'"):format(e))
      end
    end
  end
end

local function read_number(state)
  local text = state.text
  local number = text:match("^-?%d+%.?%d*[eE]?[+-]?%d*", state.at)
  local value = number and tonumber(number)
  if not value or number:find("^-?0%d") or number:find("%.$") or number:find("%.[eE]") then
    fail(state, ("'%s' is not a number"):format(text:match("^[^%s,%]}]*", state.at):sub(1, 20)))
  end
  state.at = state.at + #number
  return value
end

-- What stands between brackets, separated by commas: `read_one(out, keys)` reads one member and
-- notes the line it stands on. Positions are remembered where a source is known.
local function read_members(state, close, read_one)
  local out, keys, start = {}, {}, line_at(state)
  state.at = state.at + 1
  skip_space(state)
  local c = state.text:sub(state.at, state.at)
  while c ~= close do
    skip_space(state)
    read_one(out, keys)
    skip_space(state)
    c = state.text:sub(state.at, state.at)
    if c ~= close and c ~= "," then fail(state, ("wanted ',' or '%s' here"):format(close)) end
    if c == "," then state.at = state.at + 1 end
  end
  state.at = state.at + 1
  if state.source then lines.record_keys(out, state.source, start, keys) end
  return out
end

local function read_array(state, depth)
  local made = read_members(state, "]", function(out, keys)
    keys[#out + 1] = line_at(state)
    local value = read_value(state, depth + 1)
    if value == nil then fail(state, "null cannot stand in a list") end
    out[#out + 1] = value
  end)
  return state.kept and json.list(made) or made
end

local function read_object(state, depth)
  local seen, order = {}, state.order and {}
  local made = read_members(state, "}", function(out, keys)
    if state.text:sub(state.at, state.at) ~= '"' then fail(state, "wanted a \"key\" here") end
    local line = line_at(state)
    local key = read_string(state)
    if seen[key] then fail(state, ("the key '%s' is given twice"):format(key)) end
    seen[key] = true
    if order then order[#order + 1] = key end
    keys[key] = line
    skip_space(state)
    if state.text:sub(state.at, state.at) ~= ":" then fail(state, "wanted ':' after the key") end
    state.at = state.at + 1
    out[key] = read_value(state, depth + 1)
  end)
  if order then state.order[made] = order end
  return made
end

local words = { ["true"] = true, ["false"] = false }

function read_value(state, depth)
  if depth > MAX_DEPTH then fail(state, "nested too deep") end
  skip_space(state)
  local c = state.text:sub(state.at, state.at)
  if c == "{" then return read_object(state, depth) end
  if c == "[" then return read_array(state, depth) end
  if c == '"' then return read_string(state) end
  if c == "-" or c:find("%d") then return read_number(state) end
  local word = state.text:match("^%a+", state.at)
  if word == "null" then
    state.at = state.at + 4
    return state.kept and json.null or nil
  end
  if word and words[word] ~= nil then
    state.at = state.at + #word
    return words[word]
  end
  fail(state, c == "" and "the text ends too early"
    or ("'%s' is not a value"):format((word or c):sub(1, 20)))
end

--- Reads JSON text: depth and size bounded, integers stay integers, duplicate keys are errors. null
--- stands for an absent key, unless it is kept.
---@param text string
---@param source string|nil chunk name ("@file"): positions of keys are then remembered
---@param ordered boolean|nil
---@param kept boolean|nil  null is json.null and lists are marked: writing gives them back
---@return any|nil value
---@return { line: integer, message: string }|nil problem
---@return table<table, string[]>|nil order  when `ordered`: the keys of each object as they stand
function json.decode(text, source, ordered, kept)
  local state = { text = text, at = 1, line_at = 1, line = 1, source = source,
    order = ordered and {} or nil, kept = kept }
  if text:sub(1, 3) == "\239\187\191" then state.at = 4 end
  local ok, value = pcall(function()
    local v = read_value(state, 1)
    skip_space(state)
    if state.at <= #text then fail(state, "more text after the end of the value") end
    return v
  end)
  if ok then return value, nil, state.order end
  if type(value) == "table" and value.message then return nil, value end
  return nil, { line = 1, message = tostring(value) }
end

return json
