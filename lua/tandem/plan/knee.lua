--- How much more the answer would carry, and what gives way then.
--
-- Owns the search for the highest load that the best rows still carry, where theory cannot say what
-- saturates: with LLM servers, whose steps grow with the load. Loads are tested against the luck of
-- the answer and judged by their estimates, as sensitivity.lua's variants. Called by plan/gpus.
local demand = require "tandem.plan.demand"
local evaluate = require "tandem.plan.evaluate"
local find = require "tandem.plan.find"
local search = require "tandem.plan.search"
local space_of = require "tandem.plan.space"
local trial = require "tandem.plan.trial"

local knee = {}

---@class tandem.PlanKnee
---@field load number           the highest that meets the limits
---@field beyond number|nil     the lowest that was seen to miss them
---@field binding tandem.PlanFigure|nil  what it missed
---@field overload string|nil   that its queue grows there and why, when it does

local STEP <const>, STEPS <const> = 1.05, 48 -- up to ten times the load
local LONGEST <const> = 60000                -- requests of a run: these are estimates

local function has_servers(space)
  local model = space.template and space.template.model
  return model ~= nil and #(model.servers or {}) > 0
end

-- Three digits say all that steps of a twentieth resolve.
local function load_of(row, number)
  return tonumber(("%.3g"):format(row.demand.value * STEP ^ (STEPS - number)))
end

local function look(q, row, ask)
  local space, trials = row.space, {}
  local function test(numbers)
    local batch = {}
    for _, number in ipairs(numbers) do
      local factor = load_of(row, number) / row.demand.value
      local set = demand.scaled(q.demand, row.demand.factor * factor)
      local one = trial.new(space_of.merge(space.tested(row.count), set), 1,
        space_of.requests(q, space.forecast(row.count, factor), LONGEST,
          row.demand.factor * factor),
        find.conditions(q, space.paths(row.count), true), number)
      trials[number], batch[#batch + 1] = one, one
    end
    return trial.run(batch, ask)
  end
  local found = search.smallest { low = 1, high = STEPS, guess = STEPS - 2, test = test,
    state = function(number) return trials[number] and trials[number].state end }
  if not (found.finished and found.answer) then return nil end
  local beyond = trials[found.answer - 1]
  local out = { load = load_of(row, found.answer) }
  if beyond and beyond.verdict then
    out.beyond, out.binding = load_of(row, found.answer - 1), beyond.verdict.binding
    out.overload = beyond.facts.why
  end
  return out
end

--- Adds the knee of the best row of the only load, or the largest.
---@param q tandem.PlanQuestion
---@param out tandem.PlanAnswer
---@param options tandem.PlanRunOptions
function knee.add(q, out, options)
  local row = out.best[#out.best]
  if not row or not row.space or not row.demand.value or q.load_path or #q.demand.fields == 0
    or q.demand.stuck or q.demand.unit ~= "rate" or not has_servers(row.space) then
    return
  end
  row.knee = evaluate.run({ function(ask) return look(q, row, ask) end }, options, out.work)[1]
    or nil
end

return knee
