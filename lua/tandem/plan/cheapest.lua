--- The cheapest of several configurations that meets the limits: ranking and selection.
--
-- Owns which configurations get the next replications. They are ranked by cost, which is known, so
-- selection is screening: the cheapest few get a first block; what surely misses is dropped, what
-- surely meets ends the dearer ones, and further blocks go to the cheap ones that neither can be
-- said of. Nothing dearer than a configuration that meets is simulated on, and what theory expects
-- to meet is looked at before dearer ones: the first price alone, then two more, four, eight, each
-- when those before have missed or stay undecided. The error is divided evenly among all candidates
-- (trial conditions: candidates). Called by plan/best and plan/mix.
local attempt = require("tandem.text.shortage").attempt
local bill = require "tandem.scenario.bill"
local bounds = require "tandem.plan.bounds"
local find = require "tandem.plan.find"
local space_of = require "tandem.plan.space"
local trial = require "tandem.plan.trial"

local cheapest = {}

local WAVE <const> = 8 -- configurations that are simulated beside each other
local PATIENCE <const> = 3 -- looks that leave one undecided, until dearer ones are looked at, too

---@class tandem.PlanConfiguration
---@field label string
---@field set table<string, any>
---@field position integer       in the order of the question
---@field bill tandem.Bill|nil
---@field cost number|nil
---@field bounds tandem.PlanBounds|nil
---@field forecast tandem.PlanForecast|nil
---@field state string|nil       "overload", "invalid", or that of its trial
---@field message string|nil
---@field trial tandem.PlanTrial|nil

--- Checks a configuration and asks theory about it.
---@param q tandem.PlanQuestion
---@param one tandem.PlanConfiguration
---@param aim "usd_per_hour"|"gpus"|"watts"
function cheapest.prepare(q, one, aim)
  local ok, varied = attempt(space_of.with, q, one.set)
  if not ok then
    one.state, one.message = "invalid", (tostring(varied):gsub("\n.*", ""))
    return
  end
  one.bill = bill.of(varied)
  one.cost = one.bill[aim]
  one.bounds = bounds.of(varied)
  one.forecast = bounds.forecast(one.bounds)
  if q.demand.stationary and not one.bounds.lossy and not one.bounds.closed then
    if one.forecast.utilization >= 1 then one.state = "overload"
    elseif space_of.unsettled(q, one.forecast) then one.state = "unsettled" end
  end
  for key, most in pairs(q.budget) do
    if key ~= "simulations" and one.bill[key] and one.bill[key] > most then
      one.state = "budget"
    end
  end
end

local function ranked(list)
  local out = {}
  for _, one in ipairs(list) do
    if not one.state and one.cost then out[#out + 1] = one end
  end
  table.sort(out, function(a, b)
    if a.cost ~= b.cost then return a.cost < b.cost end
    return a.position < b.position
  end)
  return out
end

-- One more look at each; false when there will be no more answers.
local function look(wave, ask)
  local jobs = {}
  for i, one in ipairs(wave) do jobs[i] = one.trial:job() end
  local answers = ask(jobs)
  if not answers then return false end
  for i, one in ipairs(wave) do one.trial:absorb(answers[i]) end
  return true
end

-- The highest of so many prices from `first` on, not counting those of which theory says that all
-- miss.
local function reach(q, order, first, prices)
  local top, counted, hopeful = nil, 0, false
  for i = first, #order do
    local one = order[i]
    if one.cost ~= top then
      if counted >= prices then break end
      top, hopeful = one.cost, false
    end
    if not hopeful and bounds.guess(one.bounds, q.limits) then
      counted, hopeful = counted + 1, true
    end
  end
  return top
end

--- Finds it.
---@param q tandem.PlanQuestion
---@param list tandem.PlanConfiguration[]  prepared
---@param below number|nil  only cheaper ones are of interest
---@param ask fun(jobs: tandem.Job[]): tandem.Answer[]|nil, string?
---@return tandem.PlanConfiguration|nil winner
---@return boolean finished
function cheapest.run(q, list, below, ask)
  local order, wave, next_one, winner = ranked(list), {}, 1, nil
  local prices, looks, top = 1, 0, nil
  below = below or math.huge
  while true do
    if next_one <= #order and (#wave == 0 or looks >= PATIENCE) then
      top, prices, looks = reach(q, order, next_one, prices), 2 * prices, 0
    end
    looks = looks + 1
    while #wave < WAVE and next_one <= #order and order[next_one].cost < below
      and order[next_one].cost <= top do
      local one = order[next_one]
      local conditions = find.conditions(q, space_of.paths(q, one.bounds, 1))
      conditions.candidates = #order
      one.trial = trial.new(one.set, next_one, space_of.requests(q, one.forecast), conditions,
        one.label)
      wave[#wave + 1] = one
      next_one = next_one + 1
    end
    if #wave == 0 then return winner, true end
    if not look(wave, ask) then return winner, false end
    local left = {}
    for _, one in ipairs(wave) do
      one.state = one.trial.state
      one.message = one.trial.message
      if one.state == "meets" and (one.cost < below or winner and one.cost == below
        and one.trial.verdict.binding.margin > winner.trial.verdict.binding.margin) then
        winner, below = one, one.cost
      end
    end
    for _, one in ipairs(wave) do
      if not one.state and one.cost < below then left[#left + 1] = one
      elseif not one.state then one.state = "dearer" end
    end
    wave = left
  end
end

return cheapest
