--- `local td = require "tandem"`: every word of the scenario language, and nothing else.
-- A table of contents: each part lives in its own file. Scenario scripts see this table only.

local arrivals = require "tandem.language.arrivals"
local check = require "tandem.check"
local dist = require "tandem.language.dist"
local expr = require "tandem.expr"
local generation = require "tandem.language.generation"
local nearest = require "tandem.text.nearest"
local resources = require "tandem.language.resources"
local scenario = require "tandem.scenario"
local stages = require "tandem.language.stages"
local units = require "tandem.units"

---@class tandem
local td = { __tandem = true }

for _, part in ipairs { expr.functions, dist, arrivals, stages, generation.constructors } do
  for name, value in pairs(part) do td[name] = value end
end
for _, name in ipairs { "gpu", "fleet", "pool", "link", "memory" } do td[name] = resources[name] end

td.scenario, td.is_scenario = scenario.new, scenario.is
td.si, td.show = units.si, units.format

--- Check a raw table without raising.
---@param raw table  with `name`, as given to td.scenario
---@return tandem.Scenario|nil
---@return tandem.Problems
function td.check(raw) return scenario.check(raw) end

td.is_problems = check.is_problems

--- Note a number from inside a hook, a cost function or a process; the result has them by name, as
--- result.recorded[name] = { count, mean, min, max, sum, values }. Raises outside a run.
---@param name string
---@param value number  in whatever unit you mean
function td.record(name, value)
  -- Workers have their own; here the only caller is the tracer, whom this tells to call, not trace.
  error(setmetatable({ why = ("td.record(%q, %s) notes numbers of single requests, during a run")
    :format(tostring(name), type(value) == "number" and value or "…") }, expr.Untraceable), 0)
end

--- Rules from kernel names to categories, for `tandem categories --rules FILE`.
---@param name string
---@return fun(body: table): tandem.RulePack
function td.rules(name) return require("tandem.categories.pack").new(name) end

--- Load a scenario from a file (.lua, .json), by its shipped name ("demo"), from "-" for standard
--- input, or from source text: see tandem.sandbox.
---@param path string
---@param options tandem.LoadOptions|nil
---@return tandem.Scenario|nil
---@return tandem.Problems|string
function td.load(path, options)
  options = options or {}
  local stranger = nearest.stranger(options, { "trusted", "text", "budget", "directory" })
  if stranger then error("td.load: " .. stranger, 2) end
  if not options.text then
    local found, message = require("tandem.scenario.locate").find(path)
    if not found then return nil, message end
    local settings = {}
    for k, v in pairs(options) do settings[k] = v end
    path, settings.text = found.path, found.text
    options = settings
  end
  return require("tandem.sandbox").load_scenario(path, options)
end

--- Which spans of a capture are requests, and which of them are their stages: see tandem.map.
---@param body tandem.MapSpec
---@return tandem.Map
td.map = require("tandem.map").word

--- The rows of a CSV file that lies in the scenario's folder or below it. Without columns, records
--- by the names in its header; with them lists, as td.curve and td.interp take them. Cells are
--- numbers, or quantities with a unit ("5 ms" is 0.005 s), or texts.
---@param file string        "day.csv", "tables/cost.csv"; also packed with gzip or zstd
---@param columns? string[]  { "hour", "rps" }: these, in this order
---@return table[] rows
function td.csv(file, columns) return require("tandem.sandbox.beside").word(file, columns) end

td.range = require("tandem.sweep.range").new

td.advice = require("tandem.advice.rule").define

--- How many GPUs, how much load, which configuration: td.plan.gpus, td.plan.load, td.plan.best.
td.plan = require "tandem.plan"

--- Figures in a picture: td.plot.line, step, scatter, bar, stacked, area, histogram, cdf, heatmap,
--- gantt. A plot prints itself and has :svg(), :html(), :csv() and :save(FILE): tandem help plots.
td.plot = require "tandem.plot.public"

--- Compare variants with a base on the same random numbers: see tandem.whatif.
---@param base tandem.Scenario
---@param variants table  name → what base:with takes, a scenario, or a function of the base
---@param options tandem.WhatIfOptions|nil
---@return tandem.WhatIf
function td.whatif(base, variants, options)
  return require("tandem.whatif").run(base, variants, options)
end

--- What matters most: every input turned down and up by 10 %, widest swing first.
---@param base tandem.Scenario
---@param options tandem.TornadoOptions|nil
---@return tandem.Tornado
function td.tornado(base, options) return require("tandem.whatif.tornado").run(base, options) end

--- Methods for td.optimize, and what a method of your own is made of: td.search.golden,
--- nelder_mead, anneal, ocba; best, apart, noise, more, space, random, drive.
td.search = require "tandem.search.public"

--- Search for the variant with the best objective, by a method of td.search or of your own.
---@param spec tandem.OptimizeSpec
---@return tandem.Optimum|nil
---@return string|nil message
function td.optimize(spec) return require("tandem.search.optimize").run(spec) end

--- Fit a scenario to a measured run, or make one: costs, bandwidths, noise, each with its interval,
--- judged on requests that were not fitted. See tandem.fit.
---@param options tandem.FitOptions
---@return tandem.Fit|nil
---@return string|nil message
---@return integer|nil code
function td.fit(options) return require("tandem.fit").run(options) end

--- A scenario that behaves like an LLM server, out of its metrics alone: see tandem.twin.
---@param options tandem.twin.Options
---@return tandem.Twin|nil
---@return string|nil message
---@return integer|nil code
function td.twin(options) return require("tandem.twin").run(options) end

--- Simulate many variants of a scenario on all cores: see tandem.sweep.
---@param options tandem.SweepOptions
---@return tandem.Sweep
function td.sweep(options) return require("tandem.sweep").sweep(options) end

--- How far a simulation is off what was measured, by stage, lane and request; a scenario or a
--- simulated run off the scrapes of a server, bin by bin: see tandem.score.
---@param real tandem.Run|tandem.Visits
---@param simulated tandem.Run|tandem.Visits|tandem.Scenario
---@param options tandem.ScoreOptions|nil
---@return tandem.Score|nil
---@return string|nil message
---@return integer|nil code
function td.score(real, simulated, options)
  return require("tandem.score").of(real, simulated, options)
end

--- The runs that are kept, simulated and measured: SQL, tags, one run or all. Nil, a message and a
--- code when the file cannot be opened.
---@param path string|nil default: $TANDEM_STORE, else tandem.db in the working directory
---@param options tandem.StoreOptions|nil
---@return tandem.Store|nil
---@return string|nil message
---@return integer|nil code
function td.store(path, options)
  local chosen = { interruptible = true }
  for name, value in pairs(options or {}) do chosen[name] = value end
  return require("tandem.store").open(path, chosen)
end

--- Send a stored run to another machine's tandem serve, or its JSON to any address, when this is
--- called and never else. What does not arrive stays in the store's outbox: tandem help sending.
---@param run tandem.Run
---@param options tandem.UploadOptions
---@return tandem.Sent|nil
---@return string|nil message
---@return integer|nil code
function td.upload(run, options) return require("tandem.upload").one(run, options) end

--- A measured run over a simulated one, in one time frame, lane by lane: see tandem.overlay.
---@param real tandem.Run|tandem.Visits  a run, or Visits of one
---@param sim tandem.Run|tandem.Visits
---@param options tandem.OverlayOptions|nil
---@return tandem.Overlay|nil
---@return string|nil message
---@return integer|nil code
function td.overlay(real, sim, options) return require("tandem.overlay").of(real, sim, options) end

expr.trust(td)

return setmetatable(td, { __index = function(_, word)
  error(nearest.absent("td", td, word), 2)
end })
