--- Cells of a notebook, evaluated one after the other in one session.
--
-- Owns what a cell does besides evaluating, which is evaluate's: its output, `display`, errors as
-- text. Says what happened to a sink; knows neither sockets nor files. Used by tandem.jupyter and
-- tandem.notebook.
local core = require "tandem.core"
local display = require "tandem.shell.display"
local mend = require "tandem.io.utf8"
local styles = require "tandem.plot.style"
local safe = require "tandem.text.safe"

local cells = {}

---@class tandem.shell.Sink
---@field stream fun(name: "stdout"|"stderr", text: string)
---@field display fun(bundle: tandem.MimeBundle, id?: string, update?: boolean)
---@field result fun(bundle: tandem.MimeBundle)  the value of the cell
---@field problem fun(problem: tandem.shell.Problem)
---@field clear fun(wait: boolean)
---@field ask fun(prompt: string): string|nil, string|nil  a line, or nil and why there is none

---@class tandem.shell.Problem
---@field name string
---@field message string
---@field trace string[]

---@class tandem.shell.Cells
---@field session tandem.shell.Session
---@field sink tandem.shell.Sink
---@field style tandem.Style
---@field private restore fun()
local Cells = {}
Cells.__index = Cells

-- Every text of a bundle as UTF-8; the plain one is for terminals, too.
local function clean(bundle)
  for key, value in next, bundle do
    if type(value) == "string" then
      bundle[key] = key == "text/plain" and safe.screen(value, true) or mend.text(value)
    end
  end
  return bundle
end

-- ---- display ----

local BAR <const> = 30

local function fraction_of(done, total)
  local fraction = total and (total > 0 and done / total or 1) or done
  return math.min(math.max(tonumber(fraction) or 0, 0), 1)
end

--- A function that is told how far a search or run is, and shows it as a bar that grows.
local function progress_of(self, label)
  self.displays = self.displays + 1
  local id, shown = "progress-" .. self.displays, -1
  local title = label and tostring(label) .. " " or ""
  return function(done, total)
    local fraction = fraction_of(done, total)
    local percent = math.floor(fraction * 100)
    if percent == shown then return end
    local bar = require("tandem.plot.bar").line(fraction, BAR, self.style, true)
    self.sink.display({ ["text/plain"] = ("%s%s %3d %%"):format(title, bar, percent),
      ["text/html"] = ('%s<progress max="100" value="%d"></progress> %d&nbsp;%%'):format(
        require("tandem.page.html").escape(title), percent, percent) }, id, shown >= 0)
    shown = percent
  end
end

local KINDS <const> = { html = "text/html", svg = "image/svg+xml", markdown = "text/markdown",
  latex = "text/latex", json = "application/json" }

--- `display(value)`, `display.html(text)`, … in the cells' environment.
local function display_of(self)
  local function send(bundle, options)
    options = options or {}
    if type(options) ~= "table" then error("display wants its options as a table", 3) end
    self.sink.display(clean(bundle), options.id and tostring(options.id), options.update == true)
  end
  local functions = {}
  for name, kind in next, KINDS do
    functions[name] = function(value, options)
      send(display.own({ [kind] = value }, self.style), options)
    end
  end
  function functions.clear(wait) self.sink.clear(wait == true) end
  function functions.progress(label) return progress_of(self, label) end
  return setmetatable(functions, { __name = "display", __call = function(_, value, options)
    if display.is_bundle(value) then
      send(display.own(value, self.style), options)
    else
      for _, bundle in ipairs(display.bundles(value, self.style)) do send(bundle, options) end
    end
  end })
end

-- ---- cells ----

--- Cells over a session of their own.
---@param sink tandem.shell.Sink
---@param env? table  the globals that cells see (default: _G)
---@return tandem.shell.Cells
function cells.new(sink, env)
  local style = styles.new { unicode = true }
  styles.pin(style) -- values print themselves for the page, not for some terminal
  -- An interrupt has to find the coroutine that runs.
  rawset(coroutine, "resume", core.guard.resume)
  rawset(coroutine, "wrap", core.guard.wrap)
  local session = require("tandem.shell.evaluate").new { env = env }
  session.page = true
  local self = setmetatable({ session = session, sink = sink, style = style, displays = 0 }, Cells)
  self.restore = require("tandem.shell.streams").install(session.env, {
    write = function(name, text) self.sink.stream(name, mend.text(text)) end,
    ask = function(prompt) return self.sink.ask(prompt) end,
  })
  session.env.display = display_of(self)
  return self
end

--- Gives print, io and the style of the process back. The session stays.
function Cells:close()
  self.restore()
  styles.pin(nil)
end

local function problem_of(outcome)
  if outcome.interrupted then
    return { name = "Interrupted", message = "interrupted", trace = { "interrupted" } }
  end
  local message = safe.screen(outcome.message, false)
  local trace = { "error: " .. message }
  for _, frame in ipairs(outcome.frames) do
    trace[#trace + 1] = "  at " .. safe.screen(frame, false)
  end
  return { name = "Error", message = message, trace = trace }
end

--- The bundles of the values that a cell gave: the first is the result.
local function bundles_of(values, style)
  local count = require("tandem.shell.show").count(values)
  if count == 0 or count == 1 and values[1] == nil then return {} end
  if count == 1 then return display.bundles(values[1], style) end
  return { { ["text/plain"] = require("tandem.shell.show").values(values, style) } }
end

--- Shows an outcome; the problem when it is one.
function Cells:show(outcome, quiet)
  if outcome.ok and not quiet then
    local shown = self.session:call(bundles_of, outcome.values, self.style)
    if not shown.ok then return self:show(shown) end
    for index, bundle in ipairs(shown.values[1]) do
      self.sink[index == 1 and "result" or "display"](clean(bundle))
    end
  elseif not outcome.ok then
    local problem = problem_of(outcome)
    self.sink.problem(problem)
    return problem
  end
  if outcome.note then self.sink.stream("stderr", outcome.note .. "\n") end
end

--- Runs one cell. Its number is the input's: errors in later cells name it.
---@param text string
---@param number integer
---@param options? { forget?: boolean, silent?: boolean }  forget: it is no input of the session;
---                                                       silent: its value is not shown
---@return tandem.shell.Problem|nil problem
---@return boolean|nil quit  `:quit` was asked for
function Cells:run(text, number, options)
  local session = self.session
  while #session.inputs < number - 1 do session.inputs[#session.inputs + 1] = "" end
  local before, good = #session.inputs, #session.good
  local problem, quit
  if text:find "%S" then
    local answer = require("tandem.shell.commands").answer(session, text)
    if answer.text then self.sink.display(clean { ["text/plain"] = answer.text }) end
    problem = answer.outcome and self:show(answer.outcome, options and options.silent)
    quit = answer.quit
  end
  if options and options.forget then
    for index = #session.inputs, before + 1, -1 do session.inputs[index] = nil end
    for index = #session.good, good + 1, -1 do session.good[index] = nil end
  end
  return problem, quit
end

--- The value of an expression, not shown.
---@param text string
---@return tandem.MimeBundle|nil bundle
---@return tandem.shell.Problem|nil problem
function Cells:value(text)
  local chunk, message = load("return " .. text, "=expression", "t", self.session.env)
  if not chunk then
    return nil, problem_of { ok = false, message = message, frames = {} }
  end
  local outcome = self.session:call(function()
    return display.bundles(chunk(), self.style)[1]
  end)
  if not outcome.ok then return nil, problem_of(outcome) end
  return clean(outcome.values[1])
end

return cells
