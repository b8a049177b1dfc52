--- Evaluates what a person typed, in a session that lasts.
--
-- Owns the environment, the numbered inputs, `_`, and errors that name the person's lines and not
-- ours. Reads and prints nothing: the REPL and the Jupyter kernel show outcomes their own way.
local core = require "tandem.core"
local lexer = require "tandem.shell.lexer"

local evaluate = {}

---@class tandem.shell.Outcome
---@field ok boolean
---@field values? table        packed (n), when ok
---@field message? string      what went wrong, without positions
---@field frames? string[]     where, innermost first: "line 2: foo.bar = 1"
---@field interrupted? boolean stopped by Ctrl-C
---@field partial? boolean     ended well after Ctrl-C, as runs do that tell what was done by then
---@field note? string         something worth knowing, said once a session

---@class tandem.shell.Session
---@field env table              the globals that inputs see
---@field inputs string[]        what was evaluated, by number
---@field good integer[]         the numbers of those that succeeded
---@field page? boolean         inputs are cells of a page, not lines of a terminal
---@field private warned boolean  the note on locals was given
local Session = {}
Session.__index = Session

--- A new session.
---@param options? { env?: table }  env: the globals that inputs see (default: _G)
---@return tandem.shell.Session
function evaluate.new(options)
  local env = options and options.env or _G
  if env.td == nil then
    env.td = require "tandem"
  end
  return setmetatable({ env = env, inputs = {}, good = {}, warned = false }, Session)
end

local function is_incomplete(message)
  return message:find("<eof>'?$") ~= nil
end

--- Compiles a text: as an expression first, then as statements.
---@param text string
---@param name? string  the chunk's name in messages
---@return function|nil chunk
---@return "incomplete"|"wrong"|nil why
---@return string|nil message
function Session:compile(text, name)
  name = name or "=input " .. #self.inputs + 1
  local chunk, first = load("return " .. text, name, "t", self.env)
  if chunk then
    return chunk
  end
  local second
  chunk, second = load(text, name, "t", self.env)
  if chunk then
    return chunk
  elseif is_incomplete(first) or is_incomplete(second) then
    return nil, "incomplete", second
  end
  return nil, "wrong", second
end

--- Does the text need more lines before it can be evaluated?
---@param text string
---@return boolean
function Session:incomplete(text)
  local _, why = self:compile(text)
  return why == "incomplete"
end

local function is_ours(source)
  if source:find("^@lua/tandem/") or source == "@argparse.lua" then
    return true
  end
  local root = os.getenv("TANDEM_ROOT")
  return root ~= nil and root ~= "" and source:sub(1, #root + 12) == "@" .. root .. "/lua/tandem"
end

local function line_of(text, wanted)
  local number = 0
  for line in (text .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    if number == wanted then
      return line:match("^%s*(.-)%s*$")
    end
  end
end

--- Takes the position off the front of a message: "input 2:3: no" → "no", "input 2", 3.
local function split_position(message)
  for _, pattern in ipairs { "^(input %d+):(%d+): (.*)$", "^([^\n:]+%.%a+):(%d+): (.*)$",
    "^(%[string [^\n]-%]):(%d+): (.*)$" } do
    local source, line, rest = message:match(pattern)
    if source then
      return rest, source, tonumber(line)
    end
  end
  return message
end

--- One line that says where: in this input, an earlier one, or a file.
function Session:located(source, line, what)
  local number = tonumber(source:match("^input (%d+)$"))
  local text = number and self.inputs[number]
  local where = "line " .. line
  if number ~= #self.inputs then
    where = number and ("input %d, line %d"):format(number, line) or ("%s:%d"):format(source, line)
  end
  if what then
    where = where .. ", in " .. what
  end
  local shown = text and line_of(text, line)
  return shown and shown ~= "" and where .. ": " .. shown or where
end

--- The positions inside a longer message, such as a list of problems, in words.
function Session:in_words(message)
  return (message:gsub("%f[%w]input (%d+):(%d+): ", function(number, line)
    if tonumber(number) ~= #self.inputs then
      return ("input %s, line %s: "):format(number, line)
    end
    return self.inputs[#self.inputs]:find("\n", 1, true) and ("line %s: "):format(line) or ""
  end))
end

local MOST_FRAMES <const> = 8
-- getinfo walks to its level from the top each time: a recursion that ran out of stack has some
-- hundred thousand of them, and looking at all would take hours.
local MOST_LEVELS <const> = 1000

--- The person's frames on the stack, innermost first, as far as this input's own chunk; and in
--- words how many more there are, nil when these are all.
function Session:frames(level)
  local frames, more = {}, 0
  local this, deepest = "input " .. #self.inputs, level + MOST_LEVELS
  while true do
    if level > deepest then
      return frames, "… and many more"
    end
    local info = debug.getinfo(level, "Slnt")
    if not info then
      break
    end
    local own_chunk = info.what == "main" and info.short_src == this
    if info.what ~= "C" and info.currentline > 0 and not is_ours(info.source) then
      local what = info.what ~= "main" and info.name and "function '" .. info.name .. "'" or nil
      if #frames < MOST_FRAMES then
        frames[#frames + 1] = { source = info.short_src, line = info.currentline, what = what }
      else
        more = more + 1
      end
    end
    if own_chunk then
      break
    end
    level = level + 1
  end
  return frames, more > 0 and ("… and %d more"):format(more) or nil
end

local function text_of(problem)
  if type(problem) == "string" then
    return problem
  end
  local meta = getmetatable(problem)
  if type(meta) == "table" and meta.__tostring then
    return tostring(problem)
  elseif type(problem) == "table" and type(problem.message) == "string" then
    return problem.message
  end
  return ("error value: %s"):format(require("tandem.shell.show").value(problem))
end

--- Runs inside the failed call, so that its stack still stands.
function Session:explain(problem)
  local message, source, line = split_position(text_of(problem))
  while true do -- an error that crossed a coroutine carries several; the last is the innermost
    local rest, inner, inner_line = split_position(message)
    if not inner then
      break
    end
    message, source, line = rest, inner, inner_line
  end
  message = self:in_words(message)
  local found, more = self:frames(3)
  if source and not source:find("lua/tandem/", 1, true) then
    local first = found[1]
    if not first or first.source ~= source or first.line ~= line then
      table.insert(found, 1, { source = source, line = line })
    end
  end
  local this, frames = #self.inputs, {}
  local one_line = not (self.inputs[this] or ""):find("\n", 1, true)
  for index, frame in ipairs(found) do
    local here = frame.source == "input " .. this
    -- The only line of the input needs no pointing at, unless we come from somewhere deeper.
    if not (one_line and here and index == #found and not frame.what) then
      frames[#frames + 1] = self:located(frame.source, frame.line, frame.what)
    end
  end
  frames[#frames + 1] = more
  return { message = message, frames = frames }
end

local function outcome_of(ok, ...)
  if ok then
    return { ok = true, values = table.pack(...), partial = core.guard.interrupted() or nil }
  end
  local failure = ...
  if core.guard.interrupted() then
    return { ok = false, message = "interrupted", frames = {}, interrupted = true }
  elseif type(failure) ~= "table" then -- the handler itself failed, or memory ran out
    failure = { message = tostring(failure), frames = {} }
  end
  return { ok = false, message = failure.message, frames = failure.frames }
end

--- Calls a function as part of the session: Ctrl-C stops it, errors become outcomes.
---@param f function
---@param ... any
---@return tandem.shell.Outcome
function Session:call(f, ...)
  return outcome_of(core.guard.call(function(problem) return self:explain(problem) end, f, ...))
end

local function note_on_locals(text)
  local name, is_function = lexer.outer_local(text)
  if not name then
    return nil
  elseif is_function then
    return ("note: `local function %s` ends with its input; write `function %s` to keep it")
      :format(name, name)
  end
  return ("note: `local %s` ends with its input; write `%s = …` to keep it"):format(name, name)
end

--- Evaluates a text. What is returned first becomes `_`.
---@param text string
---@return tandem.shell.Outcome
function Session:evaluate(text)
  text = text:gsub("^%s*=", "", 1) -- "= x", as old Lua prompts had it
  local chunk, _, message = self:compile(text)
  self.inputs[#self.inputs + 1] = text
  if not chunk then
    local rest, _, line = split_position(message)
    local frames = text:find("\n", 1, true) and line
      and { self:located("input " .. #self.inputs, line) } or {}
    return { ok = false, message = rest, frames = frames }
  end
  local number = #self.inputs
  local outcome = self:call(chunk)
  if outcome.ok then
    self.good[#self.good + 1] = number
    if outcome.values[1] ~= nil then
      self.env._ = outcome.values[1]
    end
    if not self.warned then
      outcome.note = note_on_locals(text)
      self.warned = outcome.note ~= nil
    end
  end
  return outcome
end

return evaluate
