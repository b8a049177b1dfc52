--- What a fit collects on its way: parameters, changes, groups that are drawn together, refusals.
-- Owns the lists and how entries are made; which entries, is the business of the files that fit.

local core = require "tandem.core"
local format = require "tandem.text.format"
local views = require "tandem.fit.view"

local context = {}

---@class tandem.FitParameter
---@field path string        what scenario:with takes
---@field term string|nil    which term of a cost of several
---@field value number       SI
---@field unit string        "s", "B/s", "B", "1", "s/tok", …
---@field error number|nil   standard error
---@field low number|nil     95 % interval
---@field high number|nil
---@field kind "fitted"|"assumed"|"bound"
---@field source string
---@field prior number|nil   what the scenario said before
---@field stage string|nil

---@class tandem.FitContext
---@field scenario tandem.Scenario
---@field train tandem.Visits
---@field views table<string, tandem.FitView>  by stage name
---@field parameters tandem.FitParameter[]
---@field changes table<string, any>    for scenario:with
---@field groups { fit: tandem.FitLinear, apply: fun(b: number[]): table<string, any> }[]
---@field jitters { path: string, jitter: tandem.FitJitter }[]
---@field refused { what: string, why: string }[]
---@field notes string[]
---@field models table<string, tandem.FitLinear>  by stage, "before STAGE" and "after"
---@field means table<string, number>          seconds, where there were too few visits
---@field chosen table<string, tandem.FitLinear>  costs as sums of terms, by stage
---@field real tandem.Visits                  the train's whole
---@field least integer
local Context = {}
Context.__index = Context

---@param train tandem.Visits
---@param real tandem.Visits  the train's whole
---@param options { least: integer }
---@return tandem.FitContext
function context.new(train, real, options)
  local self = setmetatable({ train = train, real = real, views = {}, parameters = {}, changes = {},
    groups = {}, jitters = {}, refused = {}, notes = {}, models = {}, means = {}, chosen = {},
    least = options.least }, Context)
  for _, stage in ipairs(train.stages) do
    self.views[stage.name] = views.of(train, stage.name)
  end
  return self
end

---@param p tandem.FitParameter
function Context:parameter(p) self.parameters[#self.parameters + 1] = p end

---@param what string  a path or a stage
---@param why string
function Context:refuse(what, why) self.refused[#self.refused + 1] = { what = what, why = why } end

---@param text string
function Context:note(text) self.notes[#self.notes + 1] = text end

--- A coefficient as a parameter of the same unit: its value, error and interval.
---@param fit tandem.FitLinear
---@param j integer
---@param p table  path, unit, stage, …
---@param factor number|nil  seconds a unit of the column → unit of the parameter
function Context:coefficient(fit, j, p, factor)
  factor = factor or 1
  p.value, p.error = fit.b[j] * factor, fit.errors[j] * factor
  p.low = math.max(0, (fit.b[j] - fit.half[j]) * factor)
  p.high = (fit.b[j] + fit.half[j]) * factor
  p.kind, p.source = "fitted", p.source or fit:source()
  self:parameter(p)
end

--- A coefficient whose reciprocal is the parameter: a bandwidth, an efficiency. The interval's ends
--- are those of the coefficient turned over, the error is the delta method's.
---@param fit tandem.FitLinear
---@param j integer
---@param p table
function Context:reciprocal(fit, j, p)
  local b, half = fit.b[j], fit.half[j]
  p.value, p.error = 1 / b, fit.errors[j] / (b * b)
  p.low = 1 / (b + half)
  p.high = half < b and 1 / (b - half) or nil
  p.kind, p.source = "fitted", p.source or fit:source()
  self:parameter(p)
end

--- Coefficients that are drawn together; their best values become changes now.
---@param fit tandem.FitLinear
---@param apply fun(b: number[]): table<string, any>
function Context:group(fit, apply)
  self.groups[#self.groups + 1] = { fit = fit, apply = apply }
  for path, value in pairs(apply(fit.b)) do self.changes[path] = value end
end

--- The noise of a stage as its jitter.
---@param stage string
---@param path string  of the step
---@param ratios number[]
function Context:jitter(stage, path, ratios)
  local jitter = require("tandem.fit.jitter").of(ratios)
  -- false takes a jitter away that the scenario had.
  self.changes[path .. ".jitter"] = jitter.node or 0
  if jitter.family == "constant" then return end
  self.jitters[#self.jitters + 1] = { path = path .. ".jitter", jitter = jitter }
  local t = core.stats.normal_quantile(0.975)
  local shape = jitter.family == "empirical"
    and ("as it was: no family is near%s"):format(
      jitter.distance and (" (KS %.2f)"):format(jitter.distance) or "")
    or jitter.family .. (jitter.distance and (" (KS %.3f)"):format(jitter.distance) or "")
  self:parameter { path = path .. ".jitter", stage = stage, value = jitter.cv, unit = "1",
    error = jitter.error, low = jitter.error and math.max(0, jitter.cv - t * jitter.error),
    high = jitter.error and jitter.cv + t * jitter.error, kind = "fitted",
    source = ("%d visits, %s"):format(#ratios, shape) }
end

--- Too few visits to fit: their mean, without an interval, stands in so that totals are right.
---@param name string   a stage or a gap
---@param path string
---@param view tandem.FitView
function Context:assume_mean(name, path, view)
  local mean = views.mean(view.own)
  self:parameter { path = path, stage = name, value = mean, unit = "s", kind = "assumed",
    source = ("mean of %s, fewer than %d"):format(format.plural(view.count, "visit"), self.least) }
  self.changes[path], self.means[name] = mean, mean
  self.models[name] = require("tandem.fit.terms").mean(view, view.own)
end

--- Whether a stage has enough visits; a refusal says how many it has.
---@param name string
---@param what string
---@return tandem.FitView|nil
function Context:enough(name, what)
  local view = self.views[name]
  if not view then
    self:refuse(what, "the capture has no such stage")
    return nil
  end
  if view.count < self.least then
    self:refuse(what, ("%s to fit on; at least %d are needed"):format(
      format.plural(view.count, "visit"), self.least))
    return nil
  end
  if views.sum(view.own) <= 0 then
    self:refuse(what, "it takes no time of its own: other stages cover it")
    return nil
  end
  return view
end

return context
