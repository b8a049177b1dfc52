--- Where a command prints: results on standard output, everything else on standard error.
--
-- Owns the two streams, their styles and the manner of complaints, lists of problems and progress.
-- Commands get one as an argument and never touch io.stdout themselves, so that specs can run them
-- against strings.
local style = require "tandem.plot.style"
local codes = require "tandem.cli.codes"

local console = {}

---@class tandem.Console
---@field style tandem.Style        of standard output
---@field error_style tandem.Style  of standard error
---@field write_out fun(text: string)
---@field write_error fun(text: string)  after what was written out before
---@field command string            "run": what complaints are headed with
local Console = {}
Console.__index = Console

--- The console of this process.
---@return tandem.Console
function console.of_process()
  return setmetatable({
    style = style.detect(1), error_style = style.detect(2), command = "",
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
function console.of_strings(fields)
  local kept = { out = "", err = "", command = "" }
  kept.style, kept.error_style = style.new(fields), style.new(fields)
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
  self.write_out(text .. "\n")
end

--- Says something that is no part of the result.
---@param message string
function Console:note(message)
  self.write_error(self.error_style:text(message) .. "\n")
end

--- Complains, and returns the exit code to leave with.
---@param code integer
---@param message string
---@return integer code
function Console:fail(code, message)
  local place = self.error_style
  local head = self.command == "" and "tandem" or "tandem " .. self.command
  self.write_error(place:paint(head .. ":", "red") .. " " .. place:text(message) .. "\n")
  return code
end

--- A wrong command line.
---@param message string
---@return integer code
function Console:usage(message)
  self:fail(codes.USAGE, message)
  local topic = (self.command == "" or self.command == "help") and "" or " " .. self.command
  self:note(("try: tandem help%s"):format(topic))
  return codes.USAGE
end

local function problem_line(problem)
  local parts = {}
  if problem.file then
    local place = style.clean(problem.file)
    if problem.line and problem.line > 0 then
      place = place .. ":" .. math.tointeger(problem.line)
    end
    parts[1] = place
  end
  if problem.path and problem.path ~= "" then
    parts[#parts + 1] = style.clean(problem.path)
  end
  parts[#parts + 1] = style.clean(problem.message)
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

--- Complains about all problems of a scenario.
---@param problems tandem.Problem[]
function Console:problems(problems)
  self:note(self.problem_lines(problems))
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

--- A progress function for core.run, or nil where nobody would see it: the line is drawn on a
--- terminal only and rubbed out at the end; $TANDEM_PROGRESS names a file that gets the percentage.
---@param label string
---@return (fun(fraction: number))|nil progress
---@return fun() finish
function Console:progress(label)
  local place = self.error_style
  if not place.terminal then
    return watched(), function() end
  end
  local bar = require "tandem.plot.bar"
  local shown = -1
  local function progress(fraction)
    local percent = math.floor(fraction * 100)
    if percent ~= shown then
      shown = percent
      self.write_error(("\r%s %s %3d %%"):format(place:text(label),
        bar.line(fraction, 30, place, true), percent))
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

return console
