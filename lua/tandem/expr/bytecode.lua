--- Reading Lua 5.4 bytecode to find what operator metamethods cannot see.
-- `==` against a constant and truth tests on a symbol are silently false or true: a function that
-- contains them must not be traced. Owns the dump parser; it is defensive (any surprise in the
-- format refuses the function). Called by tracing.lua only.

local attempt = require("tandem.text.shortage").attempt
local bytecode = {}

-- Opcode numbers of Lua 5.4 (lopcodes.h); the header check below refuses any other version.
local SETUPVAL, SETTABUP, SETTABLE, SETI, SETFIELD = 10, 15, 16, 17, 18
local reasons = {
  [51] = "it uses 'not'", [57] = "it compares with ==", [60] = "it compares with ==",
  [61] = "it compares with ==", [66] = "it branches (if, and, or)",
  [67] = "it branches (if, and, or)",
  [SETUPVAL] = "it changes a variable outside itself",
  [SETTABUP] = "it changes a global or a table outside itself",
  [SETTABLE] = "it changes a table", [SETI] = "it changes a table",
  [SETFIELD] = "it changes a table",
}

local header = "\x1bLua\x54\x00\x19\x93\r\n\x1a\n\x04\x08\x08"

---@class tandem.Bytecode
---@field ops table<integer, true> opcodes that occur, nested functions included
---@field names table<string, true> string constants: the fields and globals it can name
---@field assigns table<integer, true> indices of the outer function's upvalues it assigns

local function parse(dump)
  if dump:sub(1, #header) ~= header then return nil end
  local at = #header + 1 + 8 + 8 + 1 -- LUAC_INT, LUAC_NUM, count of upvalues
  local ops, assigns, names = {}, {}, {}

  local function byte()
    local b = dump:byte(at)
    if not b then error("short dump", 0) end
    at = at + 1
    return b
  end
  local function size()
    local x = 0
    for _ = 1, 10 do
      local b = byte()
      x = (x << 7) | (b & 0x7f)
      if b & 0x80 ~= 0 then return x end
    end
    error("bad size", 0)
  end
  local function count()
    local n = size()
    if n < 0 or n > #dump then error("bad count", 0) end
    return n
  end
  local function skip(n)
    at = at + n
    if n < 0 or at > #dump + 1 then error("short dump", 0) end
  end
  local function string_()
    local n = size()
    if n == 0 then return nil end
    local from = at
    skip(n - 1)
    return dump:sub(from, at - 1)
  end

  -- `map` gives, for each upvalue of this function, the outer function's upvalue index (or nil).
  local function proto(map)
    string_()
    size() size()
    skip(3)
    local n = count()
    local sets = {}
    for _ = 1, n do
      local instruction = string.unpack("<I4", dump, at)
      skip(4)
      local op = instruction & 0x7f
      ops[op] = true
      if op == SETUPVAL then sets[#sets + 1] = (instruction >> 16) & 0xff end
      if op == SETTABUP then sets[#sets + 1] = (instruction >> 7) & 0xff end
    end
    for _ = 1, count() do
      local kind = byte()
      if kind == 0x03 or kind == 0x13 then skip(8)
      elseif kind == 0x04 or kind == 0x14 then names[string_() or ""] = true
      elseif kind ~= 0x00 and kind ~= 0x01 and kind ~= 0x11 then error("bad constant", 0) end
    end
    local up = {}
    local upvalues = count()
    for i = 0, upvalues - 1 do
      local in_stack, index = byte(), byte()
      byte()
      if map == nil then up[i] = i + 1 elseif in_stack == 0 then up[i] = map[index] end
    end
    for _, i in ipairs(sets) do
      if up[i] then assigns[up[i]] = true end
    end
    for _ = 1, count() do proto(up) end
    skip(count())
    for _ = 1, count() do size() size() end
    for _ = 1, count() do string_() size() size() end
    for _ = 1, count() do string_() end
  end

  proto(nil)
  if at ~= #dump + 1 then return nil end
  return { ops = ops, assigns = assigns, names = names }
end

local cache = setmetatable({}, { __mode = "k" })

--- What a Lua function's code does, nested functions included; nil when it cannot be read.
---@param fn function
---@return tandem.Bytecode|nil
function bytecode.read(fn)
  if cache[fn] == nil then
    local ok, dump = attempt(string.dump, fn, true)
    local parsed
    if ok then
      local good
      good, parsed = attempt(parse, dump)
      if not good then parsed = nil end
    end
    cache[fn] = parsed or false
  end
  return cache[fn] or nil
end

local trusted = require("tandem.expr").trusted

local GETTABLE, GETI = 12, 13

-- The functions a piece of code can reach through a table: by the names it mentions, or all of
-- the table's own when it indexes by position or by a computed key.
local function functions_in(t, code, seen, found, depth)
  if seen[t] or depth > 4 then return end
  seen[t] = true
  local computed = code.ops[GETTABLE] or code.ops[GETI]
  for k, v in next, t do
    if code.names[k] or (computed and depth > 0) or (computed and type(k) ~= "string") then
      if type(v) == "function" then found[v] = true
      elseif type(v) == "table" then functions_in(v, code, seen, found, depth + 1) end
    end
  end
end

local function refuses(fn, shared, seen, depth)
  if seen[fn] or trusted[fn] then return nil end
  seen[fn] = true
  if debug.getinfo(fn, "S").what == "C" then return nil end
  local code = bytecode.read(fn)
  if not code then return "its code cannot be read" end
  for _, op in ipairs { 51, 57, 60, 61, 66, 67, 10, 15, 16, 17, 18 } do
    if code.ops[op] then return reasons[op] end
  end
  if depth > 8 then return "it calls through too many functions" end
  for i = 1, 255 do
    local name, value = debug.getupvalue(fn, i)
    if not name then break end
    if shared and shared[debug.upvalueid(fn, i)] then
      return "it reads a variable that another function of the scenario changes"
    end
    if type(value) == "table" and shared and shared[value] then
      return "it reads a table that another function of the scenario changes"
    end
    local found = {}
    if type(value) == "function" then found[value] = true end
    if type(value) == "table" then functions_in(value, code, {}, found, 0) end
    local reasons_found = {}
    for f in next, found do
      reasons_found[#reasons_found + 1] = refuses(f, shared, seen, depth + 1)
    end
    table.sort(reasons_found)
    if reasons_found[1] then return reasons_found[1] end
  end
  return nil
end

--- Why a function must not be traced, or nil when its code is straight-line arithmetic.
---@param fn function
---@param shared table|nil upvalue ids and tables that other functions of the scenario assign
---@return string|nil
function bytecode.refuses(fn, shared) return refuses(fn, shared, {}, 0) end

--- Collect into `shared` the variables and tables that `fn` (or what it calls) may change.
---@param fn function
---@param shared table
---@param is_passive fun(t: table): boolean true for tables that are known never to change
function bytecode.collect_changes(fn, shared, is_passive)
  local seen = {}
  local function visit(f)
    if seen[f] or trusted[f] or debug.getinfo(f, "S").what == "C" then return end
    seen[f] = true
    local code = bytecode.read(f)
    local writes = not code or code.ops[SETTABLE] or code.ops[SETI] or code.ops[SETFIELD]
    for i = 1, 255 do
      local name, value = debug.getupvalue(f, i)
      if not name then break end
      if not code or code.assigns[i] then
        if name ~= "_ENV" then shared[debug.upvalueid(f, i)] = true end
      end
      if type(value) == "table" and writes and name ~= "_ENV" and not is_passive(value) then
        shared[value] = true
      end
      if type(value) == "function" then visit(value) end
    end
  end
  visit(fn)
end

return bytecode
