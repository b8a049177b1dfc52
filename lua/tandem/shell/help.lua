--- Help on a name: ?td.gpu, ?base.run, ?Result, ?:load, ?exit-codes.
--
-- Owns the search among what a session holds: its commands, topics, its values, names of the
-- program. What is said of a public name is help/call.lua's. Returns text; used by the REPL and by
-- Jupyter's inspect.
local annotations = require "tandem.shell.annotations"
local call = require "tandem.help.call"
local lexer = require "tandem.shell.lexer"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local public = require "tandem.help.public"
local reach = require "tandem.shell.reach"
local styles = require "tandem.plot.style"

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

-- What is not public, but within a script's reach: modules that it may require.
local function entry_text(entry, shown, width)
  local lines = {}
  if entry.kind == "class" then
    lines[1] = entry.name
  else
    lines[1] = (shown or entry.owner .. entry.separator .. entry.name) .. entry.parameters
  end
  if #entry.text > 0 then
    lines[#lines + 1] = ""
    table.move(entry.text, 1, #entry.text, #lines + 1, lines)
  end
  local rows = call.value_rows(entry.params, "")
  table.move(call.value_rows(entry.returns, "returns"), 1, #entry.returns, #rows + 1, rows)
  table.move(call.value_rows(entry.fields, ""), 1, #entry.fields, #rows + 1, rows)
  if #rows > 0 then
    lines[#lines + 1] = ""
    call.add_rows(lines, rows, width)
  end
  for _, one in ipairs(entry.params) do
    local class = annotations.class(one.type:match("^[%w_.]+") or "")
    if class and #class.fields > 0 then
      lines[#lines + 1] = ""
      lines[#lines + 1] = class.name
      call.add_rows(lines, call.value_rows(class.fields, ""), width)
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

local function value_text(value, name, style)
  local width = style.width
  if type(value) == "function" then
    local one = public.of(value)
    local entry = annotations.of(value)
    if one then
      return call.lines(one, width)
    elseif entry then
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
    and public.class(meta.__name)
  local lines = { ("%s is a %s"):format(name, group or class and class.entry.name or type(value)) }
  if class then
    table.move(call.class_lines(class, width), 2, 400, 2, lines)
  elseif group then
    lines[#lines + 1] = ""
    table.move(call.constructor_lines(value.type, style), 1, 400, #lines + 1, lines)
  end
  local names = reach.keys(value)
  if type(value) == "table" and #names > 0 then
    lines[#lines + 1] = ""
    local line = "It has:"
    for _, key in ipairs(names) do
      if styles.columns(line) + #key + 1 > width then
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
  lines[#lines + 1] = "The manual (?NAME shows a chapter, ?WORD finds any word):"
  for _, chapter in ipairs(require("tandem.help").chapters()) do
    lines[#lines + 1] = ("  %-14s %s"):format(chapter[1], chapter[2])
  end
  return lines
end

local function topic_text(name, style)
  local topic = require("tandem.help").topic(name)
  return topic and { topic.text(style) }
end

-- Where a word that names nothing is explained; nil and the name that may be meant where nothing is
-- found.
local function elsewhere(session, name, style)
  local names, search = call.known(), require "tandem.help.search"
  local function add(list) table.move(list, 1, #list, #names + 1, names) end
  add(require("tandem.help").topics())
  local near = search.meant(name, names)
  if near then return nil, near end
  local found = search.text(name, style)
  if found then return found end
  add(reach.keys(session.env))
  add(search.words())
  return nil, nearest.word(name, names)
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

--- What a session holds under a name: a method of an object by its class, or the value.
local function session_text(session, name, style)
  local names = {}
  for part in name:gmatch "[%w_]+" do
    names[#names + 1] = part
  end
  local value = reach.path(session.env, names)
  local last = table.remove(names)
  if value == nil or rawequal(value, rawget(require "tandem", last)) then
    return nil
  end
  local meta = #names > 0 and debug.getmetatable(reach.path(session.env, names))
  local class = type(meta) == "table" and rawget(meta, "__name")
  local method = type(value) == "function" and class and public.find(class .. ":" .. last)
  return method and call.lines(method, style.width) or value_text(value, name, style)
end

--- What the sources say of a name that is not public.
local function inside(name, style)
  local lines, last = {}, name:match "[%w_]+$" or name
  local owner = (name:match "^(.*)[.:]" or ""):match "[%w_]+$" -- Result in tandem.Result:plot
  local index = annotations.index()
  for _, entry in ipairs(index[name] or index[last] or {}) do
    local wanted = not owner or entry.kind == "class" or entry.owner:lower() == owner:lower()
    if wanted and not is_internal(entry) then
      lines[#lines + 1] = #lines > 0 and "" or nil
      table.move(entry_text(entry, nil, style.width), 1, 400, #lines + 1, lines)
    end
  end
  return #lines > 0 and lines or nil
end

--- Help on a name; the overview without one.
---@param session { env: table }
---@param name string
---@param style? tandem.Style
---@return string text
---@return boolean found
---@return boolean|nil searched  it has no help of its own; this is where the word stands
function help.text(session, name, style)
  style = style or styles.detect(1)
  local function done(lines)
    return style:text(table.concat(lines, "\n"):gsub("%s+$", "")), true
  end
  if name == "" then
    return done(overview())
  end
  local command = name:match("^:(%a+)$")
  command = command and require("tandem.shell.commands").find(command)
  if command then
    return done { command.usage, "", command.about }
  end
  local lines = topic_text(name, style)
  if not lines and not lexer.keywords[name] then
    lines = session_text(session, name, style) or call.help(name, style) or inside(name, style)
  end
  lines = lines or {}
  if #lines > 0 then
    return done(lines)
  elseif lexer.keywords[name] then
    return done { name .. " is a word of Lua; see its manual, www.lua.org/manual/5.4" }
  end
  local found, near = elsewhere(session, name, style)
  if found then return style:text(found), true, true end
  return style:text(("no help on '%s'%s"):format(name,
    near and ("; did you mean '%s'?"):format(near) or "; :help lists what there is")), false
end

return help
