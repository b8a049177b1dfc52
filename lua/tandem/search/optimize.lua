--- A search over variants of a scenario: td.optimize.
--
-- Owns the evaluations: what a search asks for is simulated on all cores, on the same random
-- numbers for every point, and told as the objective's mean with its interval. The conversation is
-- tandem.search, methods are lib/search or the user's own. Called by scripts and the shell.
local attempt = require("tandem.text.shortage").attempt
local core = require "tandem.core"
local crew = require "tandem.sweep.crew"
local format = require "tandem.text.format"
local job = require "tandem.sweep.job"
local metric = require "tandem.result.metric"
local nearest = require "tandem.text.nearest"
local scenario = require "tandem.scenario"
local search = require "tandem.search"

local optimize = {}

---@class tandem.OptimizeSpec
---@field scenario tandem.Scenario      whose keys are varied
---@field search tandem.SearchBody       search.golden{ … }, or a function(ask, left) of your own
---@field objective string|fun(m: table<string, number>): number  a metric, or a function of one
---                                      replication's metrics by name
---@field maximize boolean|nil           more is better; told by the metric's name unless given
---@field subject (fun(m: table<string, number>): boolean)|nil  of the means: false rules out
---@field metrics string[]|nil           what functions see; the usual ones unless given
---@field budget integer|nil             evaluations at most
---@field replications integer|nil       of a point that is asked for plainly; 8
---@field seed integer|nil               default: the scenario's
---@field threads integer|nil            how many to use (default: the processors)
---@field confidence number|nil          of the intervals, a fraction (default: 0.95)

---@class tandem.Optimum
---@field best tandem.Evaluation         its `value` as the objective has it
---@field point tandem.Point
---@field objective string
---@field evaluations integer
---@field replications integer
---@field history tandem.SearchHistory[]
---@field stopped string
---@field details table
local Optimum = { __name = "tandem.Optimum" }
Optimum.__index = Optimum

local known_keys = { "scenario", "search", "objective", "maximize", "subject", "metrics", "budget",
  "replications", "seed", "threads", "confidence" }

local function check_spec(spec)
  if type(spec) ~= "table" then error("optimize wants { scenario = …, search = …, … }", 3) end
  for _, key in ipairs(nearest.sorted_keys(spec)) do
    local known = false
    for _, one in ipairs(known_keys) do known = known or one == key end
    if not known then
      error(("optimize: unknown key '%s'; %s"):format(tostring(key),
        nearest.hint(tostring(key), known_keys)), 3)
    end
  end
  if not scenario.is(spec.scenario) then error("optimize: scenario is missing", 3) end
  if type(spec.search) ~= "function" then
    error("optimize: search is missing, such as search.golden { over = { rps = { 1, 100 } } }", 3)
  end
  local objective = spec.objective
  if type(objective) ~= "string" and type(objective) ~= "function" then
    error("optimize: objective is missing: a metric such as \"latency.p99\", or a function", 3)
  end
  local maximize = spec.maximize
  if maximize == nil then
    maximize = type(objective) == "string" and metric.more_is_better(objective) == true
  end
  return maximize
end

-- One number a replication: of the metric, or what the user's function makes of all metrics.
local function objective_values(spec, answer)
  local values = {}
  if type(spec.objective) == "string" then
    local found = answer.values[spec.objective]
    if not found then return nil, ("a result of this has no '%s'"):format(spec.objective) end
    return found
  end
  local count = 0
  for _, list in pairs(answer.values) do count = math.max(count, #list) end
  for r = 1, count do
    local m = {}
    for path, figure in pairs(answer.metrics) do
      local list = answer.values[path]
      local value = figure
      if list then
        value = list[r]
      elseif type(figure) == "table" then
        value = figure.value
      end
      m[path] = value
    end
    local ok, value = attempt(spec.objective, m)
    if not ok then return nil, tostring(value) end
    if type(value) ~= "number" then
      return nil, ("the objective returned a %s; it must be a number"):format(type(value))
    end
    values[r] = value
  end
  return values
end

local function ruled_out(spec, answer)
  if not spec.subject then return false end
  local m = {}
  for path, figure in pairs(answer.metrics) do
    m[path] = type(figure) == "table" and figure.value or figure
  end
  local ok, kept = attempt(spec.subject, m)
  if not ok then error(tostring(kept), 0) end
  return not kept
end

-- The evaluation of all of a point's values so far; `sign` turns more-is-better around.
local function told(values, sign, confidence)
  local mean, half = core.stats.interval(values, confidence)
  local _, sd = core.stats.moments(values)
  return { value = sign * mean, half = half, sd = sd, n = #values, values = values }
end

local function settle(spec, answer, before, sign)
  if not answer.ok then return { ok = false, message = answer.message } end
  local fresh, why = objective_values(spec, answer)
  if not fresh then return { ok = false, message = why } end
  if ruled_out(spec, answer) then return { ok = false, message = "ruled out by subject" } end
  local old = before and before.values or {}
  local values = table.move(old, 1, #old, 1, {})
  for _, v in ipairs(fresh) do
    if v == v then values[#values + 1] = v end
  end
  if #values == 0 then return { ok = false, message = "no replication gave a number" } end
  return told(values, sign, spec.confidence)
end

local function evaluator(spec, members, sign)
  local metrics = spec.metrics or job.metrics
  if type(spec.objective) == "string" then metrics = { spec.objective, table.unpack(metrics) } end
  local seed = spec.seed or spec.scenario.checked.seed or 1
  return function(points, how)
    local answers = {}
    for i, point in ipairs(points) do
      members:submit({ base = 1, set = point, seed = seed, values = true, metrics = metrics,
        first = how.first and how.first[i] or 0, confidence = spec.confidence,
        replications = how.replications and how.replications[i] or spec.replications or 8 }, i)
    end
    for _ = 1, #points do
      local i, answer = members:next()
      if not i then return nil, answer end
      if answer.interrupted then return nil, "interrupted" end
      if job.starved(answer) then return nil, "not enough memory" end
      answers[i] = settle(spec, answer, how.before and how.before[i], sign)
    end
    return answers
  end
end

--- Search for the variant with the best objective.
---@param spec tandem.OptimizeSpec
---@return tandem.Optimum|nil
---@return string|nil message
function optimize.run(spec)
  local maximize = check_spec(spec)
  local sign = maximize and -1 or 1
  local members <close> = crew.open { scenarios = { spec.scenario }, threads = spec.threads }
  local found, why = search.drive(spec.search, evaluator(spec, members, sign),
    { budget = spec.budget })
  if not found then return nil, why end
  local best = {}
  for k, v in pairs(found.best) do best[k] = v end
  best.value = sign * best.value
  return setmetatable({ best = best, point = best.point, maximize = maximize,
    objective = type(spec.objective) == "string" and spec.objective or "objective",
    evaluations = found.evaluations, replications = found.replications, history = found.history,
    stopped = found.stopped, details = found.details }, Optimum)
end

Optimum.__tostring = function(self)
  local kind = self.objective == "objective" and "count" or metric.kind(self.objective)
  local note = self.stopped == "budget" and "; the budget is used up" or ""
  return ("%s %s %s at %s\n%d evaluations, %d replications%s"):format(
    self.maximize and "highest" or "lowest", metric.title(self.objective),
    format.estimate({ value = self.best.value, half = self.best.half }, kind),
    search.space.show(self.point), self.evaluations, self.replications, note)
end

return optimize
