--- `local td = require "tandem"`: every word of the scenario language, and nothing else.
-- A table of contents: each part lives in its own file. Scenario scripts see this table only.

local arrivals = require "tandem.arrivals"
local check = require "tandem.check"
local dist = require "tandem.dist"
local expr = require "tandem.expr"
local nearest = require "tandem.nearest"
local resources = require "tandem.resources"
local scenario = require "tandem.scenario"
local stages = require "tandem.stages"
local units = require "tandem.units"

---@class tandem
local td = { __tandem = true }

for _, part in ipairs { expr.functions, dist, arrivals, stages } do
  for name, value in pairs(part) do td[name] = value end
end
for _, name in ipairs { "gpu", "fleet", "pool", "link", "memory" } do td[name] = resources[name] end

td.scenario = scenario.new
td.is_scenario = scenario.is

--- SI value of a quantity: td.si "8MiB" → 8388608.
td.si = units.si

--- Print an SI value readably: td.show(0.0025, "s") → "2.5 ms".
td.show = units.format

--- Check a raw table without raising: returns scenario|nil, problems.
---@param raw table with `name`, as given to td.scenario
---@return tandem.Scenario|nil
---@return tandem.Problems
function td.check(raw) return scenario.check(raw) end

td.is_problems = check.is_problems

--- Note a number from inside a hook, a cost function or a process; the result has them by name, as
--- result.recorded[name] = { count, mean, min, max, sum, values }. Raises outside a run.
---@param name string
---@param _ number the value, in whatever unit you mean
function td.record(name, _)
  -- Workers have their own; here the only caller is the tracer, whom this tells to call, not trace.
  error(setmetatable({ why = ("td.record(%q, …) notes numbers of single requests, during a run")
    :format(tostring(name)) }, expr.Untraceable), 0)
end

td.range = require("tandem.sweep.range").new

--- How many GPUs, how much load, which configuration: td.plan.gpus, .load, .best.
td.plan = require "tandem.plan"

--- Load a scenario from a file (.lua, .json), "-" for stdin, or source text: see tandem.sandbox.
---@param path string
---@param options table|nil
---@return tandem.Scenario|nil
---@return tandem.Problems
function td.load(path, options) return require("tandem.sandbox").load_scenario(path, options) end

expr.trust(td)

return setmetatable(td, { __index = function(_, word)
  error(nearest.absent("td", td, word), 2)
end })
