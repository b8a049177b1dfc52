--- Which line of the user's file a key was written on.
-- Constructors remember where they were called; a small tokenizer then finds the key itself inside
-- the table that follows. JSON text gives exact positions (io/json.lua records them here).
-- Owns the weak side tables; never touches the nodes, which stay passive data.

local infile = require "tandem.io.infile"
local lines = {}

local positions = setmetatable({}, { __mode = "k" }) -- node → { source=, line= }
local key_positions = setmetatable({}, { __mode = "k" }) -- table from JSON → { source=, keys= }
lines.sources = {} -- chunk name → text, for chunks that are not files

--- Remember where a node was made: the caller at `level` (2 = the caller of record's caller).
--- A tail call has lost its frame; then an earlier position is kept.
---@param node table
---@param level integer
function lines.record(node, level)
  local here = debug.getinfo(level, "t")
  local info = debug.getinfo(level + 1, "Sl")
  if here and here.istailcall or not info or info.what == "C" then return end
  if info.currentline < 1 then return end
  positions[node] = { source = info.source, line = info.currentline }
end

--- Says where a node was made, for a loader that knows it when the caller's frame is gone.
---@param node table
---@param source string  chunk name
---@param line integer
function lines.made_at(node, source, line)
  positions[node] = positions[node] or { source = source, line = line }
end

--- Let a copy point to where its original was written.
function lines.inherit(copy, original)
  positions[copy] = positions[copy] or positions[original]
  key_positions[copy] = key_positions[copy] or key_positions[original]
end

--- Positions read from JSON text.
---@param t table
---@param source string
---@param line integer line of the opening bracket
---@param keys table<any, integer> line of each key's value
function lines.record_keys(t, source, line, keys)
  positions[t] = { source = source, line = line }
  key_positions[t] = { source = source, keys = keys }
end

--- What is remembered of a table and all it holds, as data that can travel with it.
---@param t table
---@return table
function lines.pack(t)
  local packed, seen, open = { nodes = {}, sources = {} }, { [t] = true }, { t }
  while #open > 0 do
    local one = table.remove(open)
    if positions[one] or key_positions[one] then
      packed.nodes[#packed.nodes + 1] = { one, positions[one], key_positions[one] }
      local source = (positions[one] or key_positions[one]).source
      packed.sources[source] = lines.sources[source]
    end
    for _, v in next, one do
      if type(v) == "table" and not seen[v] then
        seen[v] = true
        open[#open + 1] = v
      end
    end
  end
  return packed
end

--- Remembers what `pack` packed, of the same tables or of copies made with them.
---@param packed table
function lines.unpack(packed)
  for _, one in ipairs(packed.nodes) do
    positions[one[1]], key_positions[one[1]] = one[2], one[3]
  end
  for source, text in pairs(packed.sources) do lines.sources[source] = text end
end

---@param t any
---@return { source: string, line: integer }|nil
function lines.of(t) return type(t) == "table" and positions[t] or nil end

--- A chunk name as people read it.
---@param source string
---@return string
function lines.file(source)
  local kind, rest = source:sub(1, 1), source:sub(2)
  if kind == "@" or kind == "=" then return rest end
  return "script"
end

local function text_of(source)
  if lines.sources[source] then return lines.sources[source] end
  if source:sub(1, 1) ~= "@" then return source:sub(1, 1) ~= "=" and source or nil end
  return (infile.read(source:sub(2)))
end

-- Tokens of Lua source: { kind, text, line }; kind is "name", "string", "number" or "op".
local function tokenize(text)
  local tokens, at, line = {}, 1, 1
  local function add(kind, value) tokens[#tokens + 1] = { kind, value, line } end
  local function count_lines(s)
    for _ in s:gmatch("\n") do line = line + 1 end
  end
  while at <= #text do
    local c = text:sub(at, at)
    if c == "\n" then
      line, at = line + 1, at + 1
    elseif c:find("%s") then
      at = at + 1
    elseif text:find("^%-%-%[=*%[", at) or text:find("^%[=*%[", at) then
      local comment = c == "-"
      local level = text:match("^%-*%[(=*)%[", at)
      local _, stop = text:find("]" .. level .. "]", at, true)
      stop = stop or #text
      if not comment then add("string", "") end
      count_lines(text:sub(at, stop))
      at = stop + 1
    elseif text:find("^%-%-", at) then
      at = (text:find("\n", at, true) or #text + 1)
    elseif c == '"' or c == "'" then
      local stop = at + 1
      while stop <= #text and text:sub(stop, stop) ~= c and text:sub(stop, stop) ~= "\n" do
        if text:sub(stop, stop) == "\\" then stop = stop + 1 end
        stop = stop + 1
      end
      add("string", text:sub(at + 1, stop - 1))
      count_lines(text:sub(at, stop))
      at = stop + 1
    else
      local word = text:match("^[%a_][%w_]*", at)
      local number = not word and text:match("^%d[%w%.]*", at)
      local value = word or number or c
      add(word and "name" or number and "number" or "op", value)
      at = at + #value
    end
  end
  return tokens
end

local token_cache = setmetatable({}, { __mode = "v" })

local function tokens_of(source)
  local cached = token_cache[source]
  if cached then return cached end
  local text = text_of(source)
  if not text then return nil end
  local tokens = tokenize(text)
  token_cache[source] = tokens
  return tokens
end

local opens = { ["{"] = 1, ["("] = 1, ["["] = 1, ["}"] = -1, [")"] = -1, ["]"] = -1 }
local blocks = { ["function"] = 1, ["do"] = 1, ["then"] = 1, ["repeat"] = 1, ["end"] = -1,
  ["until"] = -1, ["elseif"] = -1 }

-- Index just past the value that starts at token i, within a table constructor.
local function skip_value(tokens, i)
  local depth, block = 0, 0
  while tokens[i] do
    local kind, value = tokens[i][1], tokens[i][2]
    if kind == "name" and blocks[value] then block = block + blocks[value] end
    if kind == "op" then
      if opens[value] then
        depth = depth + opens[value]
        if depth < 0 then return i end
      elseif (value == "," or value == ";") and depth == 0 and block <= 0 then
        return i
      end
    end
    i = i + 1
  end
  return i
end

-- The index of the '{' that opens the first table within [i, stop).
local function first_table(tokens, i, stop)
  for j = i, stop - 1 do
    local t = tokens[j]
    if t[1] == "name" and t[2] == "function" then return nil end
    if t[1] == "op" and t[2] == "{" then return j end
  end
  return nil
end

-- Find `key` in the table that opens at token i: the index of its value and its line.
local function find_key(tokens, i, key)
  local position = 0
  i = i + 1
  while tokens[i] and tokens[i][2] ~= "}" do
    local t, after = tokens[i], tokens[i + 1]
    local name, value_at
    if t[1] == "name" and after and after[2] == "="
      and not (tokens[i + 2] and tokens[i + 2][2] == "=") then
      name, value_at = t[2], i + 2
    elseif t[1] == "op" and t[2] == "[" and tokens[i + 2] and tokens[i + 2][2] == "]" then
      name = after[1] == "number" and tonumber(after[2]) or after[2]
      value_at = i + 4
    else
      position = position + 1
      name, value_at = position, i
    end
    if name == key then return value_at, t[3] end
    i = skip_value(tokens, value_at)
    if tokens[i] and (tokens[i][2] == "," or tokens[i][2] == ";") then i = i + 1 end
  end
  return nil
end

-- The '{' of a node's own body: after `.type` and its name on (or after) the recorded line.
local function body_of(tokens, node, line)
  local fallback
  for i, t in ipairs(tokens) do
    if t[3] >= line and t[3] <= line + 3 then
      local named = t[1] == "name" and t[2] == node.type
      if named and (not node.name or (tokens[i + 1] and tokens[i + 1][2] == node.name)
        or (tokens[i + 2] and tokens[i + 2][2] == node.name)) then
        return first_table(tokens, i, math.min(i + 6, #tokens + 1))
      end
      if not fallback and t[2] == "{" then fallback = i end
    end
  end
  return fallback
end

--- The line of the value reached from `node` by `keys`, as near as it can be told.
---@param node table a node with a recorded position
---@param keys any[] path below the node; a key that is absent stops the search at its parent
---@param items string|nil the key that the node's array part stands for
---@return string|nil file, integer|nil line
function lines.locate(node, keys, items)
  local exact = key_positions[node]
  if exact then
    return lines.file(exact.source), exact.keys[keys[1]] or positions[node].line
  end
  local at = positions[node]
  if not at then return nil end
  local file, line = lines.file(at.source), at.line
  local tokens = #keys > 0 and tokens_of(at.source)
  if not tokens then return file, line end
  local open = body_of(tokens, node, at.line)
  for i, key in ipairs(keys) do
    if not open then break end
    if not (key == items and i == 1) then
      local value_at, key_line = find_key(tokens, open, key)
      if not value_at then break end
      line = key_line
      open = first_table(tokens, value_at, skip_value(tokens, value_at))
    end
  end
  return file, line
end

return lines
