--- Where a command prints: results on standard output, everything else on standard error.
--
-- Owns the two streams, their styles and the manner of complaints, lists of problems and progress;
-- and what was complained about as data, which tandem.cli.envelope writes. Commands get one as an
-- argument and never touch io.stdout themselves, so that specs can run them against strings.
local styles = require "tandem.plot.style"
local codes = require "tandem.cli.codes"
local nearest = require "tandem.text.nearest"
local safe = require "tandem.text.safe"

local consoles = {}

---@class tandem.Console
---@field style tandem.Style        of standard output
---@field error_style tandem.Style  of standard error
---@field write_out fun(text: string)
---@field write_error fun(text: string)  after what was written out before
---@field command string            "run": what complaints are headed with
---@field noted tandem.AnswerProblem[]  what was complained about
---@field picture? tandem.Plot       a chart that goes beside the result
---@field kept? string               the id of the run that was kept
---@field answer_file? string        where all that goes as data
---@field close_envelope? fun(code: integer)  what ends the envelope that was begun
local Console = {}
Console.__index = Console

--- The console of this process.
---@return tandem.Console
function consoles.of_process()
  local answer_file = os.getenv "TANDEM_ANSWER"
  return setmetatable({
    style = styles.detect(1), error_style = styles.detect(2), command = "",
    noted = {}, answer_file = answer_file ~= "" and answer_file or nil,
    write_out = function(text) io.stdout:write(text) end,
    write_error = function(text)
      io.stdout:flush() -- else a pipe gets the two in the wrong order
      io.stderr:write(text)
    end,
  }, Console)
end

--- A console that keeps what is printed in its fields `out` and `err`.
---@param fields? { width?: integer, unicode?: boolean }
---@return tandem.Console|{ out: string, err: string }
function consoles.of_strings(fields)
  local kept = { out = "", err = "", command = "", noted = {} }
  kept.style, kept.error_style = styles.new(fields), styles.new(fields)
  kept.write_out = function(text) kept.out = kept.out .. text end
  kept.write_error = function(text) kept.err = kept.err .. text end
  return setmetatable(kept, Console)
end

--- Prints lines of a result.
---@param text string|string[]
function Console:print(text)
  if type(text) == "table" then
    text = table.concat(text, "\n")
  end
  -- Of data the envelope takes care.
  self.write_out((self.close_envelope and text or safe.screen(text, self.style.color)) .. "\n")
end

-- What is said beside the result.
local function say(self, text)
  self.write_error(safe.screen(text, self.error_style.color) .. "\n")
end

--- Says something that is no part of the result.
---@param message string
function Console:note(message)
  say(self, self.error_style:text(message))
end

--- Notes a problem for whoever reads answers as data; says nothing.
---@param code integer   the exit code it comes with
---@param message string
---@param more? { kind?: tandem.ProblemKind, where?: table, nearest?: string }
function Console:record(code, message, more)
  more = more or {}
  self.noted[#self.noted + 1] = { what = message, kind = more.kind or codes.kinds[code],
    where = more.where, nearest = more.nearest or nearest.said(message) }
end

-- The line of a complaint.
local function complain(self, message)
  local style = self.error_style
  local head = self.command == "" and "tandem" or "tandem " .. self.command
  say(self, style:paint(head .. ":", "red") .. " " .. style:text(message))
end

--- Complains, and returns the exit code to leave with.
---@param code integer
---@param message string
---@param more? { kind?: tandem.ProblemKind, where?: table, nearest?: string }
---@return integer code
function Console:fail(code, message, more)
  self:record(code, message, more)
  complain(self, message)
  return code
end

--- A wrong command line.
---@param message string
---@return integer code
function Console:usage(message)
  self:fail(codes.USAGE, message)
  if require("tandem.core").guard.interrupted() then return codes.USAGE end
  local topic = (self.command == "" or self.command == "help") and "" or " " .. self.command
  self:note(("try: tandem help%s"):format(topic))
  return codes.USAGE
end

local function problem_line(problem)
  local parts = {}
  if problem.file then
    local position = styles.clean(problem.file)
    if problem.line and problem.line > 0 then
      position = position .. ":" .. math.tointeger(problem.line)
    end
    parts[1] = position
  end
  if problem.path and problem.path ~= "" then
    parts[#parts + 1] = styles.clean(problem.path)
  end
  parts[#parts + 1] = styles.clean(problem.message)
  return table.concat(parts, ": ")
end

--- All problems of a scenario, one a line, in the order given.
---@param problems tandem.Problem[]
---@return string
function Console.problem_lines(problems)
  local lines = {}
  for index, problem in ipairs(problems) do
    lines[index] = problem_line(problem)
  end
  return table.concat(lines, "\n")
end

--- Notes problems of a scenario for whoever reads answers as data.
---@param problems tandem.Problem[]
function Console:record_problems(problems)
  for _, one in ipairs(problems) do
    self:record(codes.INVALID, one.message, { nearest = one.nearest, where = (one.file or one.path)
      and { file = one.file, line = one.line, path = one.path ~= "" and one.path or nil } })
  end
end

--- Complains about all problems of a scenario, or of another file that was written by hand.
---@param problems tandem.Problem[]
---@param summary? string  one more line, of all of them
---@return integer code
function Console:problems(problems, summary)
  self:record_problems(problems)
  self:note(self.problem_lines(problems))
  if summary and not require("tandem.core").guard.interrupted() then complain(self, summary) end
  return codes.INVALID
end

-- The file that whoever started us wants to read the percentage from, as tandem serve does.
local function watched()
  local path = os.getenv "TANDEM_PROGRESS"
  local file = path and path ~= "" and io.open(path, "wb")
  if not file then return nil end
  local told = -1
  file:setvbuf "no"
  return function(fraction)
    local percent = math.floor(math.min(math.max(fraction, 0), 1) * 100)
    if percent > told then -- never shorter than before
      told = percent
      file:seek "set"
      file:write(percent, "\n")
    end
  end
end

--- Does somebody read a percentage of us, so that words of progress on standard error are for
--- nobody?
---@return boolean
function Console.is_watched() return (os.getenv "TANDEM_PROGRESS" or "") ~= "" end

--- A progress function for core.run, or nil where nobody would see it: the line is drawn on a
--- terminal only and rubbed out at the end; $TANDEM_PROGRESS names a file that gets the percentage.
---@param label string
---@return (fun(fraction: number))|nil progress
---@return fun() finish
function Console:progress(label)
  local style = self.error_style
  if not style.terminal then
    return watched(), function() end
  end
  local bar = require "tandem.plot.bar"
  local shown = -1
  local function progress(fraction)
    local percent = math.floor(fraction * 100)
    if percent ~= shown then
      shown = percent
      self.write_error(("\r%s %s %3d %%"):format(style:text(label),
        bar.line(fraction, 30, style, true), percent))
    end
  end
  return progress, function()
    if shown >= 0 then
      self.write_error("\r\27[K")
    end
  end
end

--- Tells $TANDEM_PROGRESS how much of the runs of a store has been read: of all those that are
--- looked for in it.
---@param opened tandem.Store
---@param share number   of the whole work that reading is
---@return fun() finish
function Console:reading(opened, share)
  local tell = not self.error_style.terminal and watched()
  if not tell then return function() end end
  local core, find = require "tandem.core", opened.run
  local expected, read = {}, {}
  local all = 0
  function opened.run(store, id)
    local run, message, code = find(store, id)
    if run and not expected[run.number] then
      local row = store.db:one("SELECT sum(rows) AS rows FROM chunk WHERE run = ?", run.number)
      expected[run.number], read[run.number] = row and row.rows or 0, 0
      all = all + expected[run.number]
    end
    return run, message, code
  end
  -- What is read twice counts once.
  core.reading(function(number, rows)
    if not read[number] then return end
    read[number] = math.min(read[number] + rows, expected[number])
    local sum = 0
    for _, count in pairs(read) do sum = sum + count end
    tell(share * sum / all)
  end)
  return function() core.reading(nil) end
end

return consoles
