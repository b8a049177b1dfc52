--- Scenarios as JSON: reading with the line of every key, and writing what reads back equal.
-- Owns a strict JSON reader (depth and size bounded, integers stay integers, duplicate keys are
-- errors) and the scenario form {"type": …}. The seed format is seed.lua's. Results are written by
-- report/json.lua, not here.

local expr = require "tandem.expr"
local lines = require "tandem.lines"
local nearest = require "tandem.nearest"
local node = require "tandem.node"

local json = {}

local max_depth = 200

--- null, where reading is exact.
json.null = setmetatable({}, { __name = "null", __tostring = function() return "null" end })

-- What marks a table as a list even when it is empty.
local List = { __name = "list" }

--- A list, written as [] also when it is empty.
---@param items? table
---@return table
function json.list(items) return setmetatable(items or {}, List) end

--- Was this marked by json.list, or read exactly from a list?
---@param value any
---@return boolean
function json.is_list(value) return getmetatable(value) == List end

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
  return state.exact and json.list(made) or made
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
  if depth > max_depth then fail(state, "nested too deep") end
  skip_space(state)
  local c = state.text:sub(state.at, state.at)
  if c == "{" then return read_object(state, depth) end
  if c == "[" then return read_array(state, depth) end
  if c == '"' then return read_string(state) end
  if c == "-" or c:find("%d") then return read_number(state) end
  local word = state.text:match("^%a+", state.at)
  if word == "null" then
    state.at = state.at + 4
    return state.exact and json.null or nil
  end
  if word and words[word] ~= nil then
    state.at = state.at + #word
    return words[word]
  end
  fail(state, c == "" and "the text ends too early"
    or ("'%s' is not a value"):format((word or c):sub(1, 20)))
end

--- Read JSON text. null stands for an absent key, unless reading is exact.
---@param text string
---@param source string|nil chunk name ("@file"): positions of keys are then remembered
---@param ordered boolean|nil
---@param exact boolean|nil  null is json.null and lists are marked: writing gives them back
---@return any|nil value
---@return { line: integer, message: string }|nil problem
---@return table<table, string[]>|nil order  when `ordered`: the keys of each object as they stand
function json.decode(text, source, ordered, exact)
  local state = { text = text, at = 1, line_at = 1, line = 1, source = source,
    order = ordered and {} or nil, exact = exact }
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

local function quote(s)
  return '"' .. s:gsub('[%c"\\\127]', function(c)
    local named = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r",
      ["\t"] = "\\t" }
    return named[c] or ("\\u%04x"):format(c:byte())
  end) .. '"'
end

local function number(v)
  if math.type(v) == "integer" then return ("%d"):format(v) end
  if v ~= v or v == math.huge or v == -math.huge then
    return v == math.huge and '"inf"' or v == -math.huge and '"-inf"' or '"nan"'
  end
  if v == math.floor(v) and math.abs(v) < 2 ^ 53 then return ("%d"):format(v) end
  local short = ("%.15g"):format(v)
  return tonumber(short) == v and short or ("%.17g"):format(v)
end

--- Write plain data as JSON, keys sorted, two spaces a level. An empty table is `{}`.
---@param v any
---@param indent string|nil
---@return string
function json.encode(v, indent)
  indent = indent or ""
  local t = type(v)
  if t == "string" then return quote(v) end
  if t == "number" then return number(v) end
  if t == "boolean" then return tostring(v) end
  if v == json.null then return "null" end
  if t ~= "table" then error("cannot write a " .. t .. " as JSON", 2) end
  local inner, parts, list = indent .. "  ", {}, #v > 0 or json.is_list(v)
  if list then
    for i, x in ipairs(v) do parts[i] = json.encode(x, inner) end
  else
    for _, k in ipairs(nearest.sorted_keys(v)) do
      parts[#parts + 1] = quote(tostring(k)) .. ": " .. json.encode(v[k], inner)
    end
  end
  local open, close = list and "[" or "{", list and "]" or "}"
  if #parts == 0 then return open .. close end
  local flat = open .. table.concat(parts, ", ") .. close
  if #flat + #indent <= 92 and not flat:find("\n", 1, true) then return flat end
  return open .. "\n" .. inner .. table.concat(parts, ",\n" .. inner) .. "\n" .. indent .. close
end

-- Give every table that declares a type its node's metatable.
local function adopt(v)
  if type(v) ~= "table" then return v end
  for _, x in next, v do adopt(x) end
  local spec = type(v.type) == "string" and node.types[v.type]
  if spec and spec.group ~= "record" then node.adopt(v) end
  return v
end

--- A scenario's raw table from JSON text (its own form, or the seed form).
---@param text string
---@param source string chunk name, "@file"
---@return table|nil raw
---@return tandem.Problems|nil problems
function json.read_scenario(text, source)
  local check = require "tandem.check"
  local problems = check.problems()
  local file = lines.file(source)
  local value, wrong = json.decode(text, source)
  if value == nil then
    wrong = wrong or { line = 1, message = "is null" }
    problems[1] = check.problem(file, wrong.line, "", wrong.message)
    return nil, problems
  end
  if type(value) ~= "table" or #value > 0 or text:find "^[\239\187\191%s]*%[" then
    problems[1] = check.problem(file, 1, "", "a scenario is a JSON object { … }")
    return nil, problems
  end
  local seed = require "tandem.seed"
  if seed.matches(value) then return seed.convert(value) end
  if type(value.name) ~= "string" then
    problems[1] = check.problem(file, 1, "name", value.name == nil and "is missing"
      or "wants a text")
    return nil, problems
  end
  return adopt(value)
end

-- Functions that are costs can be written as their traced expression; others cannot. A form wants
-- formulas as text where they have one, and a place for each function that has none.
local function plain(v, path, context)
  local t = type(v)
  if t == "function" then
    local tracing = require "tandem.tracing"
    local traced = context.cost and tracing.trace(v, { shared = context.shared })
    if traced and traced.expr ~= nil then return plain(expr.symbol(traced.expr), path, context) end
    if context.functions then
      context.functions[#context.functions + 1] = path
      return { type = "lua" }
    end
    local check = require "tandem.check"
    local at = lines.of(context.node or {}) or {}
    local p = check.problem(at.source and lines.file(at.source), at.line, path,
      "is a Lua function, which JSON cannot hold"
      .. (traced and traced.why and " (" .. traced.why .. ")" or ""))
    context.problems[#context.problems + 1] = p
    return nil
  end
  if t == "number" and context.functions and math.abs(v) == math.huge then
    return v > 0 and "inf" or "-inf"
  end
  if t ~= "table" then return v end
  if expr.is_symbol(v) then
    local function data(e)
      if type(e) ~= "table" then return e end
      if node.group(e) then return plain(e, path, context) end
      local out = {}
      for i, x in ipairs(e) do out[i] = data(x) end
      return out
    end
    if type(v.expr) == "number" then return v.expr end
    local text = context.formulas and expr.source(v.expr)
    return text or { type = "expr", expr = data(v.expr) }
  end
  local spec = node.group(v) and node.types[rawget(v, "type")]
  local outer_node, outer_cost = context.node, context.cost
  if spec then context.node = v end
  local out = {}
  local is_list = #v > 0 and not spec
  for k in next, v do is_list = is_list and type(k) == "number" end
  for _, k in ipairs(nearest.sorted_keys(v)) do
    local label = k
    local x = rawget(v, k)
    if type(k) == "number" and type(x) == "table" and type(rawget(x, "name")) == "string" then
      label = x.name
    end
    if spec then
      local key_spec = spec.keys[k]
      context.cost = key_spec ~= nil and key_spec.cost == true
    elseif path == "attrs" or path:find("%.attrs$") then
      context.cost = true
    end
    local value = plain(x, path == "" and tostring(label) or path .. "." .. label, context)
    if type(k) == "number" and not is_list then
      -- The array part of a record with keys as well: { p = 0.3, step, step }.
      local items = spec and spec.items or "steps"
      out[items] = out[items] or {}
      out[items][#out[items] + 1] = value
    else
      out[k] = value
    end
    context.cost = outer_cost
  end
  context.node = outer_node
  return out
end

--- Scenario data as JSON text. Raises a tandem.Problems value when it holds functions that are not
--- traced.
---@param raw table
---@return string
function json.write_scenario(raw)
  local check, rules = require "tandem.check", require "tandem.rules"
  local context = { problems = check.problems(), node = raw, shared = rules.shared_state(raw) }
  local data = plain(raw, "", context)
  if #context.problems > 0 then error(context.problems, 0) end
  return json.encode(data) .. "\n"
end

--- Scenario data for a form: formulas as text, functions that are none as { type = "lua" }.
---@param raw table
---@param formulas boolean  false: expressions as data
---@return table data
---@return string[] functions  the paths of those functions
function json.form(raw, formulas)
  local check, rules = require "tandem.check", require "tandem.rules"
  local context = { problems = check.problems(), node = raw, shared = rules.shared_state(raw),
    functions = {}, formulas = formulas }
  local data = plain(raw, "", context)
  return data, context.functions
end

--- A scenario that holds functions: its script, line by line, and what `with` changed since. Raises
--- a tandem.Problems value when the changes hold functions.
---@param name string
---@param origin { script: string, changes: table[] }
---@return string
function json.write_script(name, origin)
  local script = {}
  for line in (origin.script .. "\n"):gmatch("(.-)\n") do script[#script + 1] = line end
  return json.write_scenario { name = name, script = script,
    with = #origin.changes > 0 and origin.changes or nil }
end

return json
