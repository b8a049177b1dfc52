--- The commands that start with a colon: :help, :time, :load, :save, :edit, :quit.
--
-- Owns what each does to a session; returns outcomes and text, prints nothing itself. An editor
-- is started here, since editing is a command; reading lines is the REPL's. Used by the REPL and by
-- cells.
local core = require "tandem.core"
local format = require "tandem.text.format"
local infile = require "tandem.io.infile"
local nearest = require "tandem.text.nearest"

local commands = {}

---@class tandem.shell.Answer
---@field text? string                   to print
---@field outcome? tandem.shell.Outcome  to show like any other
---@field quit? boolean

---@class tandem.shell.Command
---@field usage string
---@field about string
---@field run fun(session: tandem.shell.Session, argument: string): tandem.shell.Answer

local function failed(message)
  return { outcome = { ok = false, message = message, frames = {} } }
end

local function expand_home(path)
  return (path:gsub("^~/", (os.getenv("HOME") or "~") .. "/"))
end

--- Is this text a scenario or script that loads in the session? Reads it as trusted Lua.
local function load_file(session, argument)
  local located, why = require("tandem.scenario.locate").find(argument)
  if not located or argument == "-" then
    return failed(why or ":load wants a file")
  end
  local path = located.path
  local text, message = located.text, nil
  if not text then
    text, message = infile.read(path)
  end
  if not text then
    return failed(message)
  end
  if path:find("%.json$") then
    local outcome = session:call(function()
      local scenario, problems = require("tandem").load(argument)
      if not scenario then
        error(commands.problem_text(problems), 0)
      end
      return scenario
    end)
    return { outcome = commands.keep(session, outcome) }
  end
  local chunk, wrong = load(text:gsub("^#[^\n]*", ""), "@" .. path, "t", session.env)
  if not chunk then
    return failed(wrong)
  end
  session.inputs[#session.inputs + 1] = ("-- :load %s"):format(path)
  return { outcome = commands.keep(session, session:call(chunk)) }
end

--- Binds what a file returned: `_`, and `scenario` and `base` when it is a scenario.
---@param session tandem.shell.Session
---@param outcome tandem.shell.Outcome
---@return tandem.shell.Outcome
function commands.keep(session, outcome)
  local value = outcome.ok and outcome.values[1]
  if value then
    session.env._ = value
    if type(value) == "table" and require("tandem.shell.reach").get(value, "run") then
      session.env.scenario, session.env.base = value, value
      outcome.note = "bound to `scenario`, `base` and `_`"
    end
  end
  return outcome
end

--- A list of problems, or one message, as text.
---@param problems tandem.Problem[]|string
---@return string
function commands.problem_text(problems)
  local meta = getmetatable(problems)
  if type(problems) ~= "table" or meta and meta.__tostring then
    return tostring(problems)
  end
  return require("tandem.cli.console").of_strings().problem_lines(problems)
end

---@type table<string, tandem.shell.Command>
local table_of = {}

table_of.help = {
  usage = ":help [NAME]",
  about = 'this list, or help on a name or word; also ?NAME, NAME?, help "NAME"',
  run = function(session, argument)
    return { text = require("tandem.shell.help").text(session, argument) }
  end,
}

table_of.time = {
  usage = ":time CODE", about = "evaluates, and says how long it took",
  run = function(session, argument)
    local start = core.guard.seconds()
    local outcome = session:evaluate(argument)
    outcome.note = "took " .. format.time(core.guard.seconds() - start)
    return { outcome = outcome }
  end,
}

table_of.load = {
  usage = ":load FILE", about = "runs a Lua file, or a shipped scenario, in this session",
  run = function(session, argument)
    if argument == "" then
      return failed(":load wants a file")
    end
    return load_file(session, expand_home(argument))
  end,
}

table_of.save = {
  usage = ":save FILE", about = "writes the inputs that worked to a Lua file",
  run = function(session, argument)
    if argument == "" then
      return failed(":save wants a file")
    end
    local lines = { 'local td = require "tandem"' }
    for _, number in ipairs(session.good) do
      local text = session.inputs[number]
      -- An expression alone is no statement: keep it as one.
      lines[#lines + 1] = load(text, "=saved", "t") and text or "_ = " .. text
    end
    local path = expand_home(argument)
    local file, message = io.open(path, "wb")
    local done = file and file:write(table.concat(lines, "\n"), "\n") and file:close()
    if not done then
      return failed("cannot write " .. (message or path))
    end
    return { text = ("%s written to %s"):format(format.plural(#session.good, "input"), path) }
  end,
}

table_of.edit = {
  usage = ":edit [FILE]",
  about = "opens a file, or the last input, in $VISUAL or $EDITOR; then runs it",
  run = function(session, argument)
    if session.page then
      return failed(":edit wants a terminal; here the cell itself can be edited")
    end
    local path, made = expand_home(argument), false
    if path == "" then
      path, made = assert(core.files.temporary()), true
      local file = assert(io.open(path, "wb"))
      file:write(session.inputs[#session.inputs] or "", "\n")
      file:close()
    end
    local editor = os.getenv("VISUAL") or os.getenv("EDITOR") or "vi"
    local ok = os.execute(("%s %s"):format(editor, require("tandem.text.shell").word(path)))
    local answer
    if not ok then
      answer = failed(("the editor '%s' failed"):format(editor))
    elseif made then
      local text = assert(infile.read(path))
      answer = { outcome = session:evaluate((text:gsub("%s+$", ""))) }
    else
      answer = load_file(session, path)
    end
    if made then
      core.files.discard(path)
    end
    return answer
  end,
}

table_of.quit = {
  usage = ":quit", about = "leaves; so does Ctrl-D",
  run = function() return { quit = true } end,
}

---@return string[]
function commands.names()
  return nearest.sorted_keys(table_of)
end

--- A command by its name or the start of it: ":q" is ":quit".
---@param name string
---@return tandem.shell.Command|nil
function commands.find(name)
  local found = table_of[name]
  for _, known in ipairs(commands.names()) do
    if not found and name ~= "" and known:sub(1, #name) == name then
      found = table_of[known]
    end
  end
  return found
end

--- The list for :help.
---@return string[] lines
function commands.lines()
  local lines = {}
  for index, name in ipairs { "help", "time", "load", "save", "edit", "quit" } do
    lines[index] = ("  %-14s %s"):format(table_of[name].usage, table_of[name].about)
  end
  return lines
end

--- What help is asked about: "?name", "name?", `help`, `help "name"`, `help name`; nil where it is
--- not asked for.
---@param line string
---@return string|nil  empty for the overview
function commands.asked(line)
  return line:match "^%s*%?%s*([%w_.: -]-)%s*$" or line:match "^%s*([%a_][%w_.:-]*)%s*%?%s*$"
    or line:match "^%s*help%s*%(?%s*\"(.-)\"%s*%)?%s*$"
    or line:match "^%s*help%s*%(?%s*'(.-)'%s*%)?%s*$"
    or line:match "^%s*help%s*%(%s*%)%s*$" and "" or line:match "^%s*help()%s*$" and ""
    or line:match "^%s*help%s+([%w_.:-]+[%w_.: -]-)%s*$"
end

--- Runs ":name argument", "?name" and its like; nil when the line is none of them.
---@param session tandem.shell.Session
---@param line string
---@return tandem.shell.Answer|nil
function commands.run(session, line)
  local topic = commands.asked(line)
  if topic and not (line:find "^%s*help" and session.env.help ~= nil) then
    return table_of.help.run(session, topic)
  end
  local name, argument = line:match("^%s*:(%a+)%s*(.-)%s*$")
  if not name then
    return nil
  end
  local command = commands.find(name)
  if not command then
    return failed((":%s is not a command; %s"):format(name, nearest.hint(name, commands.names())))
  end
  return command.run(session, argument)
end

--- What comes of an input: a command's answer, help, or the outcome of its Lua.
---@param session tandem.shell.Session
---@param text string
---@return tandem.shell.Answer
function commands.answer(session, text)
  -- Most inputs are Lua; only these begin or end like a command.
  if text:find("^%s*[:?]") or text:find("%?%s*$") or text:find "^%s*help%f[^%w_]" then
    local outcome = session:call(commands.run, session, text)
    local answer = not outcome.ok and { outcome = outcome } or outcome.values[1]
    if answer then
      return answer
    end
  end
  return { outcome = session:evaluate(text) }
end

return commands
