--- Help on a name: ?td.gpu, ?base.run, ?Result, ?:load, ?exit-codes.
--
-- Owns the search (commands, topics, constructors, functions by where they are defined, classes)
-- and the layout. The words come from the sources: key tables of constructors and LuaCATS
-- comments. Returns text; used by the REPL and by Jupyter's inspect.
local annotations = require "tandem.shell.annotations"
local lexer = require "tandem.shell.lexer"
local nearest = require "tandem.nearest"
local node = require "tandem.node"
local reach = require "tandem.shell.reach"
local style = require "tandem.plot.style"

local help = {}

local INTRODUCTION = {
  "Type Lua: an expression shows its value, `_` is the last one. td is loaded.",
  "",
  '  base = td.load "scenarios/01-demo.lua"',
  "  r = base:run { seed = 1 }      a run; Ctrl-C stops it and keeps what is done",
  "  r.latency.p99                  any number in it",
  "  ?td.gpu   td.gpu?              help on a name; Tab completes names, keys, GPUs, files",
  "",
}

local DIMENSIONS = {
  ["s"] = "time", ["B"] = "bytes", ["B/s"] = "bandwidth", ["FLOP"] = "FLOPs",
  ["FLOP/s"] = "FLOP rate", ["1/s"] = "rate", ["1"] = "number", ["tok"] = "tokens",
  ["s/tok"] = "time per token", ["W"] = "watts", ["$/s"] = "price",
}

--- The kind of value a key takes, in words.
local function kind_text(kind)
  if kind.kind == "enum" then
    return table.concat(kind.of, " | ")
  elseif kind.kind == "quantity" then
    local text = DIMENSIONS[kind.dim or "1"] or kind.dim
    if kind.integer then
      text = "whole number"
    end
    local also = kind.cost and ", distribution or function" or kind.dist and " or distribution"
    return text .. (also or "")
  elseif kind.kind == "list" then
    return "list"
  elseif kind.kind == "record" then
    return "table"
  elseif kind.kind == "steps" then
    return "list of steps"
  end
  return kind.kind or "any"
end

local function key_rows(keys)
  local rows = {}
  for _, key in ipairs(nearest.sorted_keys(keys)) do
    local kind = keys[key]
    local words = {}
    if kind.doc then
      words[1] = kind.doc
    end
    if kind.required then
      words[#words + 1] = "required"
    elseif type(kind.default) == "number" or type(kind.default) == "string" then
      words[#words + 1] = ("%s unless told"):format(kind.default)
    elseif kind.default == true then
      words[#words + 1] = "true unless told"
    end
    rows[#rows + 1] = { key, kind_text(kind), table.concat(words, "; "), kind.required }
  end
  table.sort(rows, function(a, b)
    if (a[4] or false) ~= (b[4] or false) then
      return a[4] or false
    end
    return a[1] < b[1]
  end)
  return rows
end

--- Rows of (name, type, text), set in columns with the text wrapped into the last.
local function add_rows(lines, rows, width)
  local first, second = 0, 0
  for _, row in ipairs(rows) do
    first = math.max(first, math.min(style.columns(row[1]), 24))
    second = math.max(second, math.min(style.columns(row[2]), 30))
  end
  for _, row in ipairs(rows) do
    local head = ("  %s  %s"):format(style.pad(row[1], math.max(first, style.columns(row[1]))),
      row[2] .. (" "):rep(second - style.columns(row[2])))
    local indent = first + second + 6
    local room = math.max(12, width - indent)
    local line, words = head, 0
    local used = math.max(0, style.columns(head) - indent + 2)
    for word in row[3]:gmatch("%S+") do
      if words > 0 and used + 1 + style.columns(word) > room then
        lines[#lines + 1] = line
        line, used = (" "):rep(indent - 2), 0
      end
      line = line .. (words == 0 and "  " or used == 0 and "  " or " ") .. word
      used, words = used + 1 + style.columns(word), words + 1
    end
    lines[#lines + 1] = (line:gsub("%s+$", ""))
  end
end

local function constructor_text(spec, width)
  require("tandem.glossary").apply()
  local named = spec.named or spec.type == "scenario"
  local head = ("td.%s%s { … }"):format(spec.type, named and ' "name"' or "")
  if spec.positional then
    head = head .. ("  or  td.%s(%s)"):format(spec.type, table.concat(spec.positional, ", "))
  end
  local lines = { head, "" }
  if spec.doc then
    lines[#lines + 1] = spec.doc
    lines[#lines + 1] = ""
  end
  if spec.items then
    lines[#lines + 1] = ("Its list is `%s`."):format(spec.items)
    lines[#lines + 1] = ""
  end
  add_rows(lines, key_rows(spec.keys or {}), width)
  return lines
end

local function parameter_rows(list, empty)
  local rows = {}
  for index, one in ipairs(list) do
    rows[index] = { one.name ~= "" and one.name or empty, one.type, one.text }
  end
  return rows
end

-- Local names of modules, and what people call what they hold.
local OWNERS = { M = "", methods = "scenario" }

local function entry_text(entry, shown, width)
  local lines = {}
  if entry.kind == "class" then
    lines[1] = entry.name
  else
    local owner = OWNERS[entry.owner] or entry.owner
    lines[1] = (shown or owner .. entry.separator .. entry.name) .. entry.parameters
  end
  if #entry.text > 0 then
    lines[#lines + 1] = ""
    table.move(entry.text, 1, #entry.text, #lines + 1, lines)
  end
  local rows = parameter_rows(entry.params, "")
  table.move(parameter_rows(entry.returns, "returns"), 1, #entry.returns, #rows + 1, rows)
  table.move(parameter_rows(entry.fields, ""), 1, #entry.fields, #rows + 1, rows)
  if #rows > 0 then
    lines[#lines + 1] = ""
    add_rows(lines, rows, width)
  end
  for _, one in ipairs(entry.params) do
    local class = annotations.class(one.type:match("^[%w_.]+") or "")
    if class and #class.fields > 0 then
      lines[#lines + 1] = ""
      lines[#lines + 1] = class.name
      add_rows(lines, parameter_rows(class.fields, ""), width)
    end
  end
  return lines
end

local function std_library(value)
  for _, library in ipairs { "string", "table", "math", "os", "io", "coroutine", "utf8" } do
    for name, member in next, _G[library] do
      if rawequal(member, value) then
        return ("%s.%s"):format(library, name)
      end
    end
  end
end

local function value_text(value, name, width)
  if type(value) == "function" then
    local entry = annotations.of(value)
    if entry then
      return entry_text(entry, name, width)
    end
    local known = std_library(value) or rawequal(_G[name], value) and name
    if known then
      return { known .. " is part of Lua; see its manual, www.lua.org/manual/5.4" }
    end
    return { name .. " = " .. require("tandem.shell.show").value(value) }
  end
  local group = node.group(value)
  local meta = debug.getmetatable(value)
  local class = type(meta) == "table" and type(meta.__name) == "string"
    and annotations.class(meta.__name)
  local lines = { ("%s is a %s"):format(name, group or class and class.name or type(value)) }
  if class then
    table.move(entry_text(class, nil, width), 2, 400, 2, lines)
  elseif group then
    lines[#lines + 1] = ""
    table.move(constructor_text(node.types[value.type], width), 1, 400, #lines + 1, lines)
  end
  local names = reach.keys(value)
  if type(value) == "table" and #names > 0 then
    lines[#lines + 1] = ""
    local line = "It has:"
    for _, key in ipairs(names) do
      if style.columns(line) + #key + 1 > width then
        lines[#lines + 1] = line
        line = " "
      end
      line = line .. " " .. key
    end
    lines[#lines + 1] = line
  end
  return lines
end

--- The overview that ":help" shows.
local function overview()
  local lines = { table.unpack(INTRODUCTION) }
  local commands = require("tandem.shell.commands").lines()
  table.move(commands, 1, #commands, #lines + 1, lines)
  lines[#lines + 1] = ""
  lines[#lines + 1] = "Topics: " .. table.concat(require("tandem.help").topics, ", ")
  return lines
end

local function topic_text(name, place)
  local topic = require("tandem.help").topic(name)
  return topic and { topic.title, "", topic.text(place) }
end

local function candidates(session)
  local names = {}
  for key in next, session.env.td or {} do
    names[#names + 1] = "td." .. tostring(key)
  end
  for _, list in ipairs { reach.keys(session.env), nearest.sorted_keys(annotations.index()),
    require("tandem.help").topics } do
    table.move(list, 1, #list, #names + 1, names)
  end
  return names
end

--- Is it the program's own business, which no session can call, or what a constructor's help says
--- better?
local function is_internal(entry)
  if entry.kind == "class" then
    return entry.name:find "^tandem%.spec%." ~= nil
  end
  -- Objects that a session holds have methods; modules that it can require have functions.
  if entry.separator == ":" then
    return entry.file:find "^lua/tandem/cli/" ~= nil or entry.file:find "^lua/tandem/shell/" ~= nil
  end
  return entry.owner ~= "td" and entry.owner ~= "search"
end

--- Help on a name; the overview without one.
---@param session { env: table }
---@param name string
---@param place? tandem.Style
---@return string text
---@return boolean found
function help.text(session, name, place)
  place = place or style.detect(1)
  local function done(lines)
    return place:text(table.concat(lines, "\n"):gsub("%s+$", "")), true
  end
  if name == "" then
    return done(overview())
  end
  local command = name:match("^:(%a+)$")
  command = command and require("tandem.shell.commands").find(command)
  if command then
    return done { command.usage, "", command.about }
  end
  local last = name:match("[%w_]+$") or name
  local lines = topic_text(name, place)
  if not lines and node.types[last] and (name == last or name == "td." .. last)
    and session.env.td and reach.get(session.env.td, last) ~= nil then
    lines = constructor_text(node.types[last], place.width)
  end
  if not lines and not lexer.keywords[name] then
    local names = {}
    for part in name:gmatch("[%w_]+") do
      names[#names + 1] = part
    end
    local value = reach.path(session.env, names)
    if value == nil and session.env.td then
      value = reach.path(session.env.td, names)
    end
    lines = value ~= nil and value_text(value, name, place.width)
  end
  if not lines then
    lines = {}
    local owner = name:match("^(.*)[.:]") or ""
    owner = owner:match("[%w_]+$") -- Result in tandem.Result:plot
    local index = annotations.index()
    for _, entry in ipairs(index[name] or index[last] or {}) do
      local wanted = not owner or entry.kind == "class" or entry.owner:lower() == owner:lower()
      if wanted and not is_internal(entry) then
        lines[#lines + 1] = #lines > 0 and "" or nil
        table.move(entry_text(entry, nil, place.width), 1, 400, #lines + 1, lines)
      end
    end
  end
  if #lines > 0 then
    return done(lines)
  elseif lexer.keywords[name] then
    return done { name .. " is a word of Lua; see its manual, www.lua.org/manual/5.4" }
  end
  local near = nearest.word(name, candidates(session))
  return place:text(("no help on '%s'%s"):format(name,
    near and ("; did you mean '%s'?"):format(near) or "; :help lists what there is")), false
end

return help
