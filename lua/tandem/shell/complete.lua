--- What could stand at the cursor.
--
-- Owns the matches for the text before the cursor: names, fields, methods, keys of a constructor's
-- table, file names, commands, help topics; the words that go inside quotes are choices'. Evaluates
-- nothing and prints nothing: the REPL and the Jupyter kernel offer the matches their own way.
-- Quick by design: catalogue, store and annotations are asked only where they can matter.
local context = require "tandem.shell.context"
local lexer = require "tandem.shell.lexer"
local nearest = require "tandem.text.nearest"
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
  local folder = directory == "" and "." or directory
  folder = folder:gsub("^~/", (os.getenv("HOME") or "~") .. "/")
  local found = {}
  for _, name in ipairs(require("tandem.core").files.list(folder) or {}) do
    if name:sub(1, #prefix) == prefix and (prefix ~= "" or name:sub(1, 1) ~= ".") then
      found[#found + 1] = directory .. name
    end
  end
  return found
end

local function spec_keys(spec, prefix)
  return starting(nearest.sorted_keys(spec.keys), prefix)
end

local function in_string(env, tokens, cursor)
  local token = tokens[#tokens]
  local from = token.from + #token.quote
  local close = token.quote:sub(1, 1) == "[" and "" or token.quote
  local words, more = require("tandem.shell.choices").at(env, tokens)
  local matches = starting(words, token.text)
  if #matches > 0 and more ~= "files" then
    return result(from, cursor, matches, more == "open" and "" or close)
  end
  for _, name in ipairs(files(token.text)) do
    matches[#matches + 1] = name
  end
  local directory = #matches == 1 and matches[1]:sub(-1) == "/"
  return result(from, cursor, matches, directory and "" or close)
end

local function is_callable(value)
  local meta = debug.getmetatable(value)
  return type(value) == "function" or type(meta) == "table" and rawget(meta, "__call") ~= nil
end

local function fields(env, tokens, index, prefix, from, cursor)
  local names = context.receiver_names(tokens, index)
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
    local matches = files(argument)
    for _, one in ipairs(command == "load" and require("tandem.scenario.locate").shipped() or {}) do
      table.move(starting({ one.short }, argument), 1, 1, #matches + 1, matches)
    end
    return result(cursor - #argument + 1, cursor, matches)
  elseif command then
    local inner = complete.at(session, argument, #argument)
    inner.from = inner.from + cursor - #argument
    inner.to = cursor
    return inner
  end
  local topic = line:match("^%s*%?%s*([%w_.:-]*)$")
  if topic and not topic:find("[.:]") then
    local matches = plain_names(session.env, topic)
    for _, name in ipairs(starting(require("tandem.help").topics(), topic)) do
      matches[#matches + 1] = name
    end
    return result(cursor - #topic + 1, cursor, matches)
  end
end

--- The matches at a cursor.
---@param session { env: table }
---@param text string     everything typed so far, earlier lines of the input included
---@param cursor? integer bytes before the cursor (default: the end)
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
    return last.kind == "string" and in_string(session.env, tokens, cursor)
      or result(cursor + 1, cursor, {})
  end
  local prefix, from, before = "", cursor + 1, #tokens
  if last and last.to == cursor and (last.kind == "name" or last.kind == "keyword") then
    prefix, from, before = last.text, last.from, #tokens - 1
  end
  local mark = tokens[before]
  if mark and (mark.text == "." or mark.text == ":") then
    return fields(session.env, tokens, before, prefix, from, cursor)
  elseif mark and (mark.text == "{" or mark.text == "," or mark.text == ";") then
    local stack = context.open_brackets({ table.unpack(tokens, 1, before) })
    local spec = context.spec_at(tokens, stack, #stack)
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
