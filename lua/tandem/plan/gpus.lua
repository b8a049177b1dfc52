--- td.plan.gpus: the fewest GPUs, for each load and kind.
--
-- Owns a row of the answer: what was found, why not fewer, what it costs. Searching is find.lua,
-- words are report.lua.
local ahead = require "tandem.plan.ahead"
local answer = require "tandem.plan.answer"
local attempt = require("tandem.text.shortage").attempt
local bill = require "tandem.scenario.bill"
local doubt = require "tandem.plan.doubt"
local evaluate = require "tandem.plan.evaluate"
local find = require "tandem.plan.find"
local kinds = require "tandem.plan.kinds"
local knee = require "tandem.plan.knee"
local sensitivity = require "tandem.plan.sensitivity"
local pair = require "tandem.plan.pair"
local pools = require "tandem.llm.pools"
local space_of = require "tandem.plan.space"

local gpus = {}

---@class tandem.PlanRow
---@field demand tandem.PlanLoad
---@field choice tandem.PlanKind
---@field load number|nil       requests a second (or users); with td.plan.load the highest
---@field kind string           of the GPU; with td.plan.best the whole configuration
---@field gpus integer|nil
---@field usd_per_hour number|nil
---@field watts number|nil
---@field count integer|nil     the answer
---@field state "meets"|"none"|"stopped"
---@field figures tandem.PlanFigure[]|nil  at the answer
---@field binding tandem.PlanFigure|nil
---@field utilization number|nil  of the busiest resource
---@field bottleneck string|nil
---@field lost number|nil        share of the requests that were not served
---@field bill tandem.Bill|nil
---@field fewer table|nil        why not one fewer: { count, state, binding, overload, open }
---@field outcome tandem.PlanOutcome|nil  internal
---@field space tandem.PlanSpace|nil  internal
---@field reason string|nil      why none
---@field rough tandem.PlanRough|nil  what short runs said, where others are long
---@field doubt tandem.PlanDoubt|nil  of an answer over luck and model
---@field with integer|nil      how many of the second, where two are counted
---@field pair tandem.PlanPair|nil  … and what was found of pairs
---@field plane tandem.PlanPlane|nil  internal
---@field beyond_budget integer|nil  the answer, were it not for the budget
---@field capped string|nil      "budget" where that is what bounds the search
---@field high integer           the most that were allowed

-- The most of a kind that the budget pays for, of whole replicas: bills grow with the number.
local function affordable(q, kind)
  local high, why = q.max, nil
  if q.count ~= "gpus" or next(q.budget) == nil then return high, nil end
  local unit = pools.least(q.base.checked)
  local function bill_at(number)
    local ok, varied = attempt(space_of.with, q, space_of.merge(kind.set, { gpus = number }),
      q.unscaled)
    return ok and bill.of(varied) or nil
  end
  for _, word in ipairs { "gpus", "usd_per_hour", "watts" } do
    local most, one = q.budget[word], bill_at(unit)
    -- Of pairs, dollars are a sum of two: what is found is held to them.
    if q.pair and word == "usd_per_hour" then most = nil end
    if most and one and one[word] then
      local low, above = 0, high // unit + 1
      while above - low > 1 do
        local middle = (low + above) // 2
        local at = bill_at(middle * unit)
        if not at or at[word] > most + 1e-9 then above = middle else low = middle end
      end
      if above <= high // unit then high, why = low * unit, word end
    end
  end
  return high, why
end

-- What was held is what costs, where GPUs come and go.
local function billed(q, set, trial)
  local all, usd = bill.of(space_of.with(q, set)), trial.facts.usd
  local target = q.base.checked.target
  if not (usd and target and target.autoscale) then return all end
  local held = {}
  for key, value in pairs(all) do held[key] = value end
  held.usd_per_hour, held.held = usd, true
  return held
end

--- Fills a row from what its search found.
---@param q tandem.PlanQuestion
---@param row tandem.PlanRow
---@param outcome tandem.PlanOutcome
local function settle(q, row, outcome)
  local space = row.space
  row.outcome = outcome
  local number = outcome.answer
  row.state = number and "meets" or outcome.finished and "none" or "stopped"
  if row.pair then row.with = row.pair.with end
  if not number then return row end
  row.count = number
  local one = outcome.trials[number]
  row.figures, row.binding = one.verdict.figures, one.verdict.binding
  row.utilization, row.bottleneck = one.facts.utilization, one.facts.bottleneck
  row.lost = one.facts.lost
  row.trial = one
  row.bill = billed(q, space.set(number), one)
  if row.pair then
    row.with, row.fewer = row.pair.with, row.pair.fewer
    local most = q.budget.usd_per_hour
    if most and row.bill.usd_per_hour and row.bill.usd_per_hour > most then
      row.state, row.count, row.beyond_budget = "none", nil, number
    end
  elseif number > space.least then
    local less = space.below(number)
    local below = outcome.trials[less]
    local decided = below and below.state
    row.fewer = { count = less, state = decided, overload = number == space.low,
      open = not decided and number > space.low,
      unsettled = decided and below.unsettled, why = decided and below.facts.why,
      binding = decided and below.verdict and below.verdict.binding,
      utilization = space.forecast(less).utilization }
  end
  return row
end

-- One search: a load and a kind.
local function searcher(q, load, kind)
  local row = { demand = load, choice = kind }
  row.high, row.capped = affordable(q, kind)
  if q.pair then
    local ok, search = attempt(pair.searcher, q, load, kind, row,
      function(outcome) return settle(q, row, outcome) end)
    if ok then return search, row end
    row.state, row.reason = "none", (tostring(search):gsub("\n.*", ""))
    return function() return row end, row
  end
  local ok, space = attempt(space_of.counts, q, kind, load, row.high)
  if not ok then
    row.state, row.reason = "none", (tostring(space):gsub("\n.*", ""))
    return function() return row end, row
  end
  space.load_factor = load.factor
  if space.numbers and #space.numbers > 0 then row.high = space.numbers[#space.numbers] end
  row.space = space
  return function(ask) return settle(q, row, find.smallest(q, space, ask)) end, row
end

-- How a row is searched once more with steps that are off.
local doubtful = {
  set = function(row) return row.space.set(row.count) end,
  number = function(row) return row.count end,
  again = function(q, row, set)
    local kind = { name = row.choice.name, set = space_of.merge(row.choice.set, set) }
    return (searcher(q, row.demand, kind))
  end }

--- Answers the question.
---@param q tandem.PlanQuestion
---@return tandem.PlanAnswer
function gpus.answer(q)
  local bodies, all, first = {}, {}, nil
  for _, load in ipairs(q.loads) do
    for _, kind in ipairs(q.kinds) do
      local body, row = searcher(q, load, kind)
      bodies[#bodies + 1], all[#all + 1] = body, row
      first = first or row.space and row.space.low <= row.space.high and row
    end
  end
  if q.tell and first then ahead.warn(q, first) end
  local function progress(done, waiting, share)
    q.progress(done, waiting, share, function() return ahead.so_far(q, all) end)
  end
  local work = { jobs = 0, replications = 0 }
  local options = { scenarios = q.bases, values = q.values, threads = q.threads,
    backend = q.backend, simulations = q.budget.simulations, deadline = q.deadline,
    progress = evaluate.part(q.progress and progress, 0, 0.4) }
  local rows = evaluate.run(bodies, options, work)
  options.progress = evaluate.part(q.progress, 0.4, 0.7)
  rows = doubt.widen(q, rows, doubtful, options, work)
  local out = answer.new(q, rows, work)
  out.cautions = kinds.cautions(q)
  local doubted = doubt.cautions(q)
  table.move(doubted, 1, #doubted, #out.cautions + 1, out.cautions)
  if not work.stopped then
    options.progress = evaluate.part(q.progress, 0.7, 0.8)
    if q.mix and #q.kinds > 1 then require("tandem.plan.mix").add(q, out, options) end
    options.progress = evaluate.part(q.progress, 0.8, 0.9)
    sensitivity.add(q, out, options)
    options.progress = evaluate.part(q.progress, 0.9, 0.95)
    knee.add(q, out, options)
    options.progress = evaluate.part(q.progress, 0.95, 1)
    doubt.foresee(q, out.best, doubtful, options, work)
  end
  return out
end

gpus.searcher, gpus.settle = searcher, settle

return gpus
