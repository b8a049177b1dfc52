--- Step models of LLM servers from measurements: `tandem fit bench.json`.
--
-- llm.calibrate.run { file = "per_request.csv", engine = { max_seqs = 128 } } → answer
--
-- Requests are replayed and fitted (replayed.lua), logged steps and a server's seconds fitted as
-- they are (steps.lua), operating points searched (points.lua), operator tables read (tables.lua).
-- A part is held out, and what is said of errors is said of it. Owns the answer. Called by `tandem
-- fit` and scripts.

local core = require "tandem.core"
local format = require "tandem.text.format"
local generation = require "tandem.language.generation"
local nearest = require "tandem.text.nearest"
local read = require "tandem.llm.read"

local calibrate = {}

local INVALID <const> = require("tandem.cli.codes").INVALID

---@class tandem.llm.CalibrateOptions
---@field file string|nil              what read.file reads
---@field measured tandem.llm.Measured|nil  or what it read
---@field engine table|nil             settings of td.generate's engine, where the file has none
---@field model string|nil             a shipped model or a config.json
---@field gpu string|nil
---@field tp integer|nil
---@field hold number|nil              share held out (default: 0.5)
---@field split "random"|"half"|nil    hold out by chance, which the seed decides, or the last ones
---@field seed integer|nil

---@class tandem.llm.Parameter
---@field name string       of td.affine, or of td.roofline; request: before the engine
---@field engine string|nil whose, where several were measured
---@field value number
---@field unit string
---@field low number|nil    95 % interval
---@field high number|nil

---@class tandem.llm.Calibration
---@field name string                    of the file
---@field measured tandem.llm.Measured
---@field parameters tandem.llm.Parameter[]
---@field rows tandem.llm.HoldRow[]      predictions of what was held out
---@field refused { name: string, why: string }[]
---@field notes string[]
---@field fitted integer
---@field held integer
---@field b table<string, number>|nil    coefficients of an affine model
---@field engines table[]|nil            constants by engine
---@field config table|nil               of the replay
---@field told table|nil                 settings that were told
local Calibration = { __name = "tandem.llm.Calibration" }
Calibration.__index = Calibration

local UNITS <const> = { step = "s", prefill_step = "s", decode_step = "s", request = "s",
  prefill_seqs = "s/seq", prefill_tokens = "s/tok", prefill_context = "s/tok",
  prefill_attention = "s/pair", prefill_squares = "s/tok²", decode_seqs = "s/seq",
  decode_context = "s/tok", decode_context_max = "s/tok", sampled = "s/seq" }

local function parameters_of(answer)
  local list, regression = {}, answer.regression
  for _, name in ipairs(regression.names) do
    local value, error = answer.b[name], regression.errors[name]
    list[#list + 1] = { name = name, value = value, unit = UNITS[name], error = error,
      low = math.max(0, value - 1.96 * error), high = value + 1.96 * error }
  end
  return list
end

local function affine(self, answer)
  self.b, self.parameters, self.refused = answer.b, parameters_of(answer),
    answer.regression.refused
  self.fitted, self.held, self.rows = answer.fitted, answer.held, answer.rows
  self.ranges, self.outliers = answer.ranges, answer.outliers
  return self
end

local kinds = {}

function kinds.requests(self, options)
  if self.measured.tokenless then
    return nil, "its client counts no tokens, which a step model is made of; `tandem import` makes "
      .. "a run of its requests"
  end
  local config, told, notes = require("tandem.llm.calibrate.engine").of(self.measured, options,
    generation.architecture)
  if not config then return nil, told end
  local answer, message = require("tandem.llm.calibrate.replayed").fit(self.measured, config,
    options)
  if not answer then return nil, message end
  table.move(notes, 1, #notes, #self.notes + 1, self.notes)
  self.config, self.told, self.preemptions = config, told, answer.preemptions
  return affine(self, answer)
end

local function logged(self, options)
  local answer, message = require("tandem.llm.calibrate.steps").fit(self.measured, options)
  if not answer then return nil, message end
  return affine(self, answer)
end
kinds.steps, kinds.series = logged, logged

function kinds.tables(self, options)
  local answer, message = require("tandem.llm.calibrate.tables").fit(self.measured, options,
    generation.architecture)
  if not answer then return nil, message end
  self.model_name = answer.model_name
  table.move(answer.notes, 1, #answer.notes, #self.notes + 1, self.notes)
  return affine(self, answer)
end

-- A deployment whose few points sharpened what was known of it: errors are of logarithms.
local function sharpened(self, engine, several)
  local function add(name, value, deviation, unit)
    local low, high = value * math.exp(-1.96 * deviation), value * math.exp(1.96 * deviation)
    if name:find "efficiency$" or name:find "bandwidth$" then high = math.min(1, high) end
    table.insert(self.parameters, { name = name:gsub("_s$", ""), engine = several, value = value,
      unit = unit, error = value * deviation, low = low, high = high })
  end
  for _, name in ipairs(engine.names) do
    add(name, engine.constants[name], engine.errors[name], name:find "_s$" and "s" or "")
  end
  add("factor", engine.factor, engine.spread, "")
  local words = require "tandem.report.doubt"
  table.insert(self.notes, 1, ("%s sharpen%s what is known of %s there: TPOT is %s %s than "
    .. "expected, and steps are known to %s (90 %%) in place of %s"):format(
    format.plural(engine.fitted, "point"), engine.fitted == 1 and "s" or "",
    words.engines[engine.name] or engine.name,
    format.percent(math.abs(engine.off)), engine.off < 0 and "shorter" or "longer",
    words.percent_range(engine.spread), words.percent_range(engine.expected)))
end

function kinds.points(self, options)
  local answer, message = require("tandem.llm.calibrate.points").fit(self.measured, options,
    generation.architecture)
  if not answer then return nil, message end
  table.move(answer.notes, 1, #answer.notes, #self.notes + 1, self.notes)
  self.engines, self.rows, self.refused, self.fitted, self.held = answer.engines, {}, {}, 0, 0
  for _, engine in ipairs(answer.engines) do
    local several = #answer.engines > 1 and engine.name or nil
    if engine.spread then sharpened(self, engine, several) end
    for _, name in ipairs(engine.spread and {} or engine.names) do
      local value, error = engine.constants[name], engine.errors[name]
      local least, most = table.unpack(engine.bounds[name])
      table.insert(self.parameters, { name = name:gsub("_s$", ""), engine = several, value = value,
        unit = name:find "_s$" and "s" or "", error = error,
        low = math.max(least, value - 1.96 * error), high = math.min(most, value + 1.96 * error) })
    end
    for i, row in ipairs(engine.rows) do
      row.engine, row.before = several, engine.before[i].median
      table.insert(self.rows, row)
    end
    for _, refused in ipairs(engine.refused) do
      table.insert(self.refused, { name = refused.name:gsub("_s$", ""), engine = several,
        why = refused.why .. "; the shipped value stays" })
    end
    self.fitted, self.held = self.fitted + engine.fitted, self.held + engine.held
    if engine.searched < engine.fitted then
      table.insert(self.notes, ("constants of %s were searched on every %d-th point"):format(
        engine.name, engine.fitted // engine.searched))
    end
  end
  return self
end

local OPTIONS <const> = { "file", "measured", "engine", "model", "gpu", "tp", "hold", "split",
  "seed" }

local function check_options(options)
  for key in pairs(options) do
    local known = false
    for _, name in ipairs(OPTIONS) do known = known or name == key end
    if not known then
      error(("a calibration has no option '%s'; %s"):format(tostring(key),
        nearest.hint(tostring(key), OPTIONS)), 3)
    end
  end
end

--- Fit. Nil, a message and a code when the data do not allow any.
---@param options tandem.llm.CalibrateOptions
---@return tandem.llm.Calibration|nil
---@return string|nil message
---@return integer|nil code
function calibrate.run(options)
  check_options(options)
  local measured = options.measured
  if not measured then
    local message
    measured, message = read.file(options.file)
    if not measured then
      return nil, message or ("%s: is nothing measured of an LLM server"):format(options.file),
        INVALID
    end
  end
  local self = setmetatable({ name = (options.file or measured.format):match "[^/]+/*$",
    path = options.file, measured = measured, parameters = {}, rows = {}, refused = {}, notes = {},
    options = options, fitted = 0, held = 0 }, Calibration)
  table.move(measured.notes, 1, #measured.notes, 1, self.notes)
  local done, why = kinds[measured.kind](self, options)
  if not done then return nil, ("%s: %s"):format(self.name, why), INVALID end
  return self
end

--- The fitted step model, to ask: model:step_s(batch). Nil where constants of several engines were
--- fitted.
---@return table|nil
function Calibration:model()
  if not self.b then return nil end
  local piece = {}
  for name, value in pairs(self.b) do
    if name ~= "request" then piece[name] = value end
  end
  return core.llm.step { kind = "affine", pieces = { piece } }
end

--- td.affine, td.step_table or td.roofline; for operating points by engine.
---@param as "affine"|"table"|nil
---@return table
function Calibration:step(as) return require("tandem.llm.calibrate.source").step(self, as) end

--- A Lua file: a scenario under the measured load, or the step model alone.
---@param options { scenario: tandem.Scenario|nil, as: string|nil }|nil
---@return string|nil
---@return string|nil message
function Calibration:source(options)
  return require("tandem.llm.calibrate.source").of(self, options or {})
end

--- As JSON, schema tandem.fit.llm/1; ends with a line end.
---@return string
function Calibration:to_json()
  return require("tandem.io.json").encode({ schema = "tandem.fit.llm/1", name = self.name,
    kind = self.measured.kind, format = self.measured.format, fitted = self.fitted,
    held_out = self.held, parameters = self.parameters, rows = self.rows, refused = self.refused,
    notes = self.notes, engine = self.told },
    { indent = 2, lists = { parameters = true, rows = true, refused = true, notes = true } })
    .. "\n"
end

--- As a page that needs nothing from outside.
---@return string
function Calibration:to_html() return require("tandem.page.fit_llm").of(self) end

---@param style tandem.Style|nil
---@return string
function Calibration:report(style)
  return require("tandem.llm.calibrate.words").report(self, style)
end

Calibration.__tostring = function(self) return self:report() end

return calibrate
