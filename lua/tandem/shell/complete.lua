--- What could stand at the cursor.
--
-- Owns the reading of the text before the cursor: names, fields, methods, keys of a constructor's
-- table, catalogue names and other choices inside quotes, file names, commands, help topics.
-- Evaluates nothing and prints nothing: the REPL and the Jupyter kernel offer the matches their
-- own way. Quick by design: catalogue and annotations are asked only where they can matter.
local lexer = require "tandem.shell.lexer"
local nearest = require "tandem.nearest"
local node = require "tandem.node"
local reach = require "tandem.shell.reach"

local complete = {}

---@class tandem.shell.Completion
---@field from integer      first byte that a match replaces, 1-based
---@field to integer        last byte before the cursor
---@field matches string[]  whole replacements, sorted
---@field suffix string     what follows when there is one match only: "", " = ", a closing quote…

local function result(from, cursor, matches, suffix)
  table.sort(matches)
  return { from = from, to = cursor, matches = matches, suffix = suffix or "" }
end

local function starting(names, prefix)
  local found = {}
  for _, name in ipairs(names) do
    -- Names that hide themselves show only when asked for.
    if name:sub(1, #prefix) == prefix and (prefix ~= "" or name:sub(1, 1) ~= "_") then
      found[#found + 1] = name
    end
  end
  return found
end

--- File names that start with what was written so far; directories end in "/".
local function files(written)
  local directory, prefix = written:match("^(.*/)([^/]*)$")
  directory, prefix = directory or "", prefix or written
  local place = directory == "" and "." or directory
  place = place:gsub("^~/", (os.getenv("HOME") or "~") .. "/")
  local found = {}
  for _, name in ipairs(require("tandem.core").files.list(place) or {}) do
    if name:sub(1, #prefix) == prefix and (prefix ~= "" or name:sub(1, 1) ~= ".") then
      found[#found + 1] = directory .. name
    end
  end
  return found
end

--- The constructor whose table is open at the end of the tokens: td.gpu "L40" { … gives "gpu".
--- Also the key in front of an inner brace: slo = { gives nil, "slo" and the outer constructor.
local function callee(tokens, index)
  local at = index - 1
  if tokens[at] and tokens[at].text == "(" then
    at = at - 1
  end
  if tokens[at] and tokens[at].kind == "string" then
    at = at - 1
    if tokens[at] and tokens[at].text == "(" then
      at = at - 1
    end
  end
  local name, dot = tokens[at], tokens[at - 1]
  if name and name.kind == "name" then
    if dot and (dot.text == "." or dot.text == ":") then
      return name.text, tokens[at - 2] and tokens[at - 2].text, dot.text
    end
    return name.text
  end
end

--- The open brackets at the end of the tokens, outermost first, each with its token's index.
local function open_brackets(tokens)
  local stack = {}
  for index, token in ipairs(tokens) do
    if token.kind == "mark" then
      if token.text == "{" or token.text == "(" or token.text == "[" then
        stack[#stack + 1] = index
      elseif token.text == "}" or token.text == ")" or token.text == "]" then
        stack[#stack] = nil
      end
    end
  end
  return stack
end

--- The kind specification of the table that a bracket opens, or nil: { keys = , name = }.
local function spec_at(tokens, stack, level)
  local index = stack[level]
  if not index or tokens[index].text ~= "{" then
    return nil
  end
  local before, name = tokens[index - 1], tokens[index - 2]
  if before and before.text == "=" and name and name.kind == "name" then
    local outer = spec_at(tokens, stack, level - 1)
    local kind = outer and outer.keys[name.text]
    local record = kind and kind.kind == "record" and node.types[kind.of]
    return record or nil
  elseif before and (before.text == "{" or before.text == ",") then
    return nil
  end
  local called, receiver, mark = callee(tokens, index)
  if mark == ":" and (called == "with" or called == "run") then
    return complete.method_spec(called)
  elseif called and (receiver == nil or receiver == "td") then
    return node.types[called]
  end
end

--- What the table of `base:with { … }` and `base:run { … }` may hold.
---@param method string
---@return { keys: table<string, table> }|nil
function complete.method_spec(method)
  return node.types[method == "with" and "scenario" or "run"]
end

local function spec_keys(spec, prefix)
  return starting(nearest.sorted_keys(spec.keys), prefix)
end

local function catalogue_names(kind)
  local catalogue = require "tandem.catalogue"
  local list = kind == "gpu" and catalogue.gpus() or catalogue.links()
  local names = {}
  for index, entry in ipairs(list) do
    names[index] = entry.name
  end
  return names
end

--- The choices for a value: what an enum allows, or the catalogue's names.
local function choices_of(kind)
  if type(kind) ~= "table" then
    return {}
  elseif kind.kind == "enum" then
    return kind.of
  elseif kind.kind == "router" then
    return require("tandem.resources").routers
  elseif kind.kind == "list" then
    return choices_of(kind.of)
  elseif kind.kind == "place" then
    return { "cpu", "gpu", "h2d", "d2h" }
  end
  return {}
end

--- Inside quotes: which words does the place in front of them allow?
local function quoted_choices(tokens, quote_index)
  local before = {}
  for index = 1, quote_index - 1 do
    before[index] = tokens[index]
  end
  local called, receiver = callee(before, #before + 1)
  if called and (receiver == nil or receiver == "td") then
    if called == "gpu" or called == "link" then
      return catalogue_names(called)
    end
  end
  local last, name = before[#before], before[#before - 1]
  local stack = open_brackets(before)
  local level = #stack
  if last and (last.text == "{" or last.text == ",") and level > 0 then
    -- kinds = { "H100", "…
    local opened = stack[level]
    last, name = before[opened - 1], before[opened - 2]
    level = level - 1
  end
  if last and last.text == "=" and name then
    if name.text == "kinds" or name.text == "gpu" or name.text == "gpus" then
      return catalogue_names("gpu")
    end
    local spec = spec_at(before, stack, level)
    return choices_of(spec and spec.keys[name.text])
  end
  return {}
end

local function in_string(tokens, cursor)
  local token = tokens[#tokens]
  local from = token.from + #token.quote
  local close = token.quote:sub(1, 1) == "[" and "" or token.quote
  local matches = starting(quoted_choices(tokens, #tokens), token.text)
  if #matches > 0 then
    return result(from, cursor, matches, close)
  end
  matches = files(token.text)
  local directory = #matches == 1 and matches[1]:sub(-1) == "/"
  return result(from, cursor, matches, directory and "" or close)
end

--- a.b.c| and a:b|: the names before the last one, or nil when something else stands there.
local function receiver_names(tokens, index)
  local names = {}
  while true do
    local mark, name = tokens[index], tokens[index - 1]
    if not (mark and (mark.text == "." or mark.text == ":")) then
      return names
    elseif not (name and name.kind == "name") then
      return nil
    end
    table.insert(names, 1, name.text)
    index = index - 2
  end
end

local function is_callable(value)
  local meta = debug.getmetatable(value)
  return type(value) == "function" or type(meta) == "table" and rawget(meta, "__call") ~= nil
end

local function fields(env, tokens, index, prefix, from, cursor)
  local names = receiver_names(tokens, index)
  local value
  if names then
    value = reach.path(env, names)
  else
    local at = index - 1
    if tokens[at] and tokens[at].text == ")" and tokens[at - 2] and tokens[at - 2].text == "(" then
      at = at - 1
    end
    value = tokens[at] and tokens[at].kind == "string" and "" or nil
  end
  if value == nil then
    return result(from, cursor, {})
  end
  local matches, methods_only = {}, tokens[index].text == ":"
  for _, name in ipairs(starting(reach.keys(value), prefix)) do
    if not methods_only or is_callable(reach.get(value, name)) then
      matches[#matches + 1] = name
    end
  end
  local suffix = ""
  if #matches == 1 and methods_only then
    suffix = "("
  end
  return result(from, cursor, matches, suffix)
end

local function plain_names(env, prefix)
  local seen, names = {}, {}
  local function add(list)
    for _, name in ipairs(list) do
      if not seen[name] and name:find("^[%a_][%w_]*$") then
        seen[name] = true
        names[#names + 1] = name
      end
    end
  end
  add(starting(reach.keys(env), prefix))
  if prefix ~= "" then
    add(starting(nearest.sorted_keys(lexer.keywords), prefix))
  end
  return names
end

--- Commands and help: ":lo", ":load FI", "?td.g".
local function special(session, line, cursor)
  local command, gap, argument = line:match("^%s*:(%a*)(%s*)(.*)$")
  if command and gap == "" and argument == "" then
    local names = require("tandem.shell.commands").names()
    return result(cursor - #command + 1, cursor, starting(names, command), " ")
  elseif command and (command == "load" or command == "save" or command == "edit") then
    return result(cursor - #argument + 1, cursor, files(argument))
  elseif command then
    local inner = complete.at(session, argument, #argument)
    inner.from = inner.from + cursor - #argument
    inner.to = cursor
    return inner
  end
  local topic = line:match("^%s*%?%s*([%w_.:-]*)$")
  if topic and not topic:find("[.:]") then
    local matches = plain_names(session.env, topic)
    for _, name in ipairs(starting(require("tandem.help").topics, topic)) do
      matches[#matches + 1] = name
    end
    return result(cursor - #topic + 1, cursor, matches)
  end
end

--- The matches at a cursor.
---@param session { env: table }
---@param text string     everything typed so far, earlier lines of the input included
---@param cursor? integer bytes before the cursor; the end unless told
---@return tandem.shell.Completion
function complete.at(session, text, cursor)
  cursor = cursor or #text
  text = text:sub(1, cursor)
  local found = special(session, text, cursor)
  if found then
    return found
  end
  local tokens = lexer.tokens((text:gsub("^%s*%?", " ")))
  local last = tokens[#tokens]
  if last and last.open then
    return last.kind == "string" and in_string(tokens, cursor) or result(cursor + 1, cursor, {})
  end
  local prefix, from, before = "", cursor + 1, #tokens
  if last and last.to == cursor and (last.kind == "name" or last.kind == "keyword") then
    prefix, from, before = last.text, last.from, #tokens - 1
  end
  local mark = tokens[before]
  if mark and (mark.text == "." or mark.text == ":") then
    return fields(session.env, tokens, before, prefix, from, cursor)
  elseif mark and (mark.text == "{" or mark.text == "," or mark.text == ";") then
    local stack = open_brackets({ table.unpack(tokens, 1, before) })
    local spec = spec_at(tokens, stack, #stack)
    local keys = spec and spec.keys and spec_keys(spec, prefix) or {}
    if #keys > 0 then
      return result(from, cursor, keys, " = ")
    end
  end
  return result(from, cursor, plain_names(session.env, prefix))
end

--- The longest text that all matches start with.
---@param matches string[]
---@return string
function complete.common(matches)
  local common = matches[1] or ""
  for _, match in ipairs(matches) do
    while match:sub(1, #common) ~= common do
      common = common:sub(1, -2)
    end
  end
  return common
end

return complete
