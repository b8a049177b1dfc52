--- The search through one space, with its trials: what is common to fewest GPUs and highest load.
--
-- Owns the order of candidates (their part of the error), and the look at a request that is alone,
-- which tells limits that no number of GPUs can meet. Runs inside a coroutine of plan/evaluate.
local demand = require "tandem.plan.demand"
local rare = require "tandem.plan.rare"
local search = require "tandem.plan.search"
local space_of = require "tandem.plan.space"
local trial = require "tandem.plan.trial"

local find = {}

-- Requests of a run of LLM servers that we made longer: each takes hundreds of steps.
local LONGEST_LLM <const> = 50000

---@class tandem.PlanOutcome
---@field answer integer|nil
---@field floor integer
---@field trials table<integer, tandem.PlanTrial>
---@field order integer[]
---@field undecided integer[]
---@field alone tandem.PlanTrial|nil  what it is like with nobody else around
---@field hopeless boolean
---@field contradiction table|nil
---@field finished boolean
---@field failed string|nil  why nothing could be simulated

---@param q tandem.PlanQuestion
---@param paths table<string, string[]>
---@param once boolean|nil
---@return tandem.PlanTrialConditions
function find.conditions(q, paths, once)
  return { limits = q.limits, paths = paths, confidence = q.confidence, precision = q.precision,
    most = q.replications, seed = q.seed, once = once,
    longest = q.longest or q.demand.inside and LONGEST_LLM or nil }
end

-- Load over the scenario's own.
local function factor_of(space, number)
  return space.factor and space.factor(number) or space.load_factor or 1
end

--- A trial of the same configuration with hardly any load; nil where that would say nothing.
---@param q tandem.PlanQuestion
---@param space tandem.PlanSpace
---@param number integer
---@param order integer
---@return tandem.PlanTrial|nil
function find.lonely(q, space, number, order)
  local template = space.template
  if not template or not template.patient or template.closed or q.demand.stuck then return nil end
  local factor, busy = factor_of(space, number), space.forecast(number).utilization
  if q.demand.inside then busy = math.max(busy, q.demand.inside * factor) end
  if busy <= 0 then return nil end
  factor = factor * math.min(1, 0.002 / busy)
  local set = space_of.merge(space.tested(number), demand.scaled(q.demand, factor))
  local conditions = find.conditions(q, space.paths(number))
  -- Only limits that cannot get better with more of what is counted.
  local kept = {}
  for _, limit in ipairs(q.limits) do
    local time = limit.kind == "time" and not limit.least and not limit.window
    if time or limit.lost then kept[#kept + 1] = limit end
  end
  if #kept == 0 then return nil end
  conditions.limits = kept
  return trial.new(set, order, space_of.tail(q), conditions, "alone")
end

--- A number of a space as a candidate that was not looked at.
---@param q tandem.PlanQuestion
---@param space tandem.PlanSpace
---@param number integer
---@param order integer
---@param conditions tandem.PlanTrialConditions
---@return tandem.PlanTrial|tandem.PlanRare
function find.candidate(q, space, number, order, conditions)
  local factor = factor_of(space, number)
  if rare.wanted(q, space, number) then
    return rare.new(q, space, number, order, conditions, space.tested(number), factor)
  end
  return trial.new(space.tested(number), order,
    space_of.requests(q, space.forecast(number), nil, factor), conditions, number)
end

--- Is a number so near to saturation that none of its runs would settle? Failures too rare for
--- runs are looked at in parts, each without any: what they interrupt settles over many repairs.
---@param q tandem.PlanQuestion
---@param space tandem.PlanSpace
---@param number integer
---@param factor number|nil  load over that of the space
---@return boolean
function find.unsettled(q, space, number, factor)
  local seen = rare.wanted(q, space, number) and space.calm or space
  return space_of.unsettled(q, seen.forecast(number, factor))
end

-- Where to begin. What failures do to a queue, on average over all time, says nothing of fleets
-- that have them seldom.
local function start_of(q, space)
  local calm = space.calm
  return calm and rare.wanted(q, space, calm.start) and calm.start or space.start
end

--- Searches a space.
---@param q tandem.PlanQuestion
---@param space tandem.PlanSpace
---@param ask fun(jobs: tandem.Job[]): tandem.Answer[]|nil, string?
---@return tandem.PlanOutcome
function find.smallest(q, space, ask)
  local out = { trials = {}, undecided = {}, hopeless = false }
  space.trials = out.trials
  local order = 0
  local function test(numbers)
    local batch = {}
    for _, number in ipairs(numbers) do
      order = order + 1
      local conditions = find.conditions(q, space.paths(number))
      if not q.monotone then conditions.candidates = space.high - space.low + 1 end
      local one = find.candidate(q, space, number, order, conditions)
      out.trials[number], batch[#batch + 1] = one, one
      if space.bounded and find.unsettled(q, space, number) then
        one.state, one.unsettled = "undecided", true
      end
    end
    local finished = trial.run(batch, ask)
    for _, one in ipairs(batch) do
      if one.state == "failed" then out.failed = out.failed or one.message end
    end
    return finished and not out.failed
  end
  -- More GPUs fill batches more slowly.
  local template = space.template
  local found = search.smallest {
    neighbours = template ~= nil and not template.patient,
    low = space.low, high = space.high, numbers = space.numbers, guess = start_of(q, space),
    scan = not q.monotone, test = test,
    state = function(number)
      local one = out.trials[number]
      return one and one.state
    end,
    hopeless = function()
      order = order + 1
      local one = find.lonely(q, space, space.high, order)
      if not one then return false end
      trial.run({ one }, ask)
      out.alone, out.hopeless = one, one.state == "misses"
      return out.hopeless
    end,
  }
  out.answer, out.floor, out.order = found.answer, found.floor, found.order
  out.contradiction, out.finished = found.contradiction, found.finished
  table.sort(out.order)
  for _, number in ipairs(out.order) do
    if out.trials[number].state == "undecided" then
      out.undecided[#out.undecided + 1] = number
    end
  end
  return out
end

return find
