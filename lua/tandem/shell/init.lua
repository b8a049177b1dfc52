--- The REPL: `tandem repl [scenario.lua]`.
--
-- Owns the conversation: prompts, when an input is complete, where outcomes are printed, history.
-- What inputs mean is evaluate's and commands', how values look is show's, what Tab offers is
-- complete's; none of them touches the terminal. Called by cli/repl.lua.
local codes = require "tandem.cli.codes"
local core = require "tandem.core"
local styles = require "tandem.plot.style"
local safe = require "tandem.text.safe"

local shell = {}

local PROMPT <const> = "td> "
local MORE <const> = " .. "
local MOST_LISTED <const> = 200

---@class tandem.shell.Repl
---@field session tandem.shell.Session
---@field editor table      core.edit's
---@field pending string[]  lines of the input that is not complete yet
---@field history_path? string
local Repl = {}
Repl.__index = Repl

--- Sets names in columns.
local function columns(names, width)
  local widest = 0
  for _, name in ipairs(names) do
    widest = math.max(widest, styles.columns(name))
  end
  local count = math.max(1, width // (widest + 2))
  local rows = (#names + count - 1) // count
  local lines = {}
  for row = 1, rows do
    local line = {}
    for column = 0, count - 1 do
      local name = names[column * rows + row]
      if name then
        line[#line + 1] = styles.pad(name, widest + 2)
      end
    end
    lines[row] = table.concat(line):gsub("%s+$", "")
  end
  return table.concat(lines, "\n")
end

--- Tab: what to insert, and what to list when that leaves a choice.
---@param line string
---@param cursor integer
---@return string|nil insert
---@return string|nil listing
function Repl:complete(line, cursor)
  local complete = require "tandem.shell.complete"
  local earlier = #self.pending > 0 and table.concat(self.pending, "\n") .. "\n" or ""
  local text = earlier .. line:sub(1, cursor)
  if line:sub(1, cursor):find("^%s*$") and #self.pending > 0 then
    return "  " -- at the start of a line, Tab indents
  end
  local found = complete.at(self.session, text)
  local written = text:sub(found.from, found.to)
  if #found.matches == 0 then
    return nil
  elseif #found.matches == 1 then
    return found.matches[1]:sub(#written + 1) .. found.suffix
  end
  local common = complete.common(found.matches)
  if #common > #written then
    return common:sub(#written + 1)
  end
  local shown = found.matches
  local left = #shown - MOST_LISTED
  if left > 0 then
    shown = table.move(shown, 1, MOST_LISTED, 1, {})
    shown[#shown + 1] = ("… %d more"):format(left)
  end
  local style = styles.detect(1)
  return nil, style:text(safe.screen(columns(shown, style.width), false))
end

function Repl.print(_, text)
  io.stdout:write(safe.screen(text, styles.detect(1).color), "\n")
end

function Repl.say(_, text, color)
  io.stdout:flush()
  local style = styles.detect(2) -- the window may have changed since the last time
  io.stderr:write(style:paint(style:text(safe.screen(text, false)), color), "\n")
end

--- Prints what came of an input: values on standard output, the rest on standard error.
---@param outcome tandem.shell.Outcome
function Repl:show(outcome)
  if outcome.ok then
    if outcome.partial then
      self:say((core.isatty(0) and "\n" or "") .. "interrupted; what was done by then is kept",
        "yellow")
    end
    local show = require "tandem.shell.show"
    -- A value's own __tostring runs here: it may fail, and it may be long.
    local shown = self.session:call(show.values, outcome.values, styles.detect(1))
    if not shown.ok then
      self:show(shown)
    elseif shown.values[1] then
      self:print(shown.values[1])
    end
  elseif outcome.interrupted then
    self:say((core.isatty(0) and "\n" or "") .. "interrupted", "yellow") -- after the ^C
  else
    self.failed = true
    self:say("error: " .. outcome.message, "red")
    for _, frame in ipairs(outcome.frames) do
      self:say("  at " .. frame, "dim")
    end
  end
  if outcome.note then
    self:say(outcome.note, "dim")
  end
end

--- Takes one complete input.
---@param text string
---@return boolean goes_on
function Repl:take(text)
  local answer = require("tandem.shell.commands").answer(self.session, text)
  if answer.text then
    self:print(answer.text)
  end
  if answer.outcome then
    self:show(answer.outcome)
  end
  io.stdout:flush()
  return not answer.quit
end

function Repl:remember(text)
  local history = require "tandem.shell.history"
  if not self.editor:edits() or not history.wanted(text) then
    return
  end
  self.editor:remember(text)
  if self.history_path and text ~= self.last then
    local ok, message = history.append(self.history_path, text)
    if not ok then
      self:say("note: history is not kept: " .. message, "dim")
      self.history_path = nil
    end
  end
  self.last = text
end

local function is_command(line)
  return line:find("^%s*[:?]") ~= nil and not line:find("^%s*::")
    or line:find("^%s*[%a_][%w_.:]*%s*%?%s*$") ~= nil
end

--- Reads one complete input; nil at the end.
---@return string|nil text  "" when the line was given up
function Repl:read()
  self.pending = {}
  while true do
    local line, more = self.editor:read(#self.pending == 0 and PROMPT or MORE)
    if not line then
      if more == "interrupted" then
        return ""
      end
      -- The end: what is pending cannot be completed any more.
      return #self.pending > 0 and table.concat(self.pending, "\n") or nil
    end
    self.pending[#self.pending + 1] = line
    local text = table.concat(self.pending, "\n")
    if more ~= true then
      if #self.pending == 1 and (is_command(line) or not line:find("%S")) then
        return line
      elseif not self.session:incomplete(text) then
        return text
      end
    end
  end
end

--- Evaluates input after input until it ends.
function Repl:loop()
  while true do
    local text = self:read()
    if not text then
      return
    elseif text:find("%S") then
      self:remember(text)
      if not self:take(text) then
        return
      end
    end
  end
end

--- Loads the scenario named on the command line; returns an exit code when it cannot.
function Repl:start_with(args)
  local code = codes.INVALID
  local outcome = self.session:call(function()
    local scenario, problems = require("tandem.cli.load").file(args.file, args)
    if not scenario then
      code = type(problems) == "string" and codes.IO or code
      error(require("tandem.shell.commands").problem_text(problems), 0)
    end
    return scenario
  end)
  if outcome.ok then
    require("tandem.shell.commands").keep(self.session, outcome)
    if self.editor:edits() then
      self:say(("%s %s"):format(args.file, outcome.note), "dim")
    end
    return nil
  end
  self:say("tandem repl: " .. outcome.message, "red")
  return outcome.interrupted and codes.INTERRUPTED or code
end

--- Runs the REPL on this process's terminal or pipe.
---@param args { file?: string, trusted?: boolean }
---@return integer code  the exit code: 1 when the input came from a pipe and something failed
function shell.main(args)
  -- Ctrl-C has to find the coroutine that runs.
  rawset(coroutine, "resume", core.guard.resume)
  rawset(coroutine, "wrap", core.guard.wrap)
  local repl = setmetatable({ pending = {},
    session = require("tandem.shell.evaluate").new() }, Repl)
  local editor <close> = core.edit.open(function(line, cursor)
    return repl:complete(line, cursor)
  end)
  repl.editor = editor
  if args.file then
    local code = repl:start_with(args)
    if code then
      return code
    end
  end
  if editor:edits() then
    local history = require "tandem.shell.history"
    repl.history_path = history.path()
    for _, entry in ipairs(repl.history_path and history.load(repl.history_path) or {}) do
      editor:remember(entry)
      repl.last = entry
    end
    repl:say(("tandem %s, Lua %s; Tab completes, ?td.gpu explains, :help lists, Ctrl-D leaves")
      :format(core.version(), core.features().lua), "dim")
  end
  repl:loop()
  return repl.failed and not editor:edits() and codes.NO or codes.OK
end

return shell
