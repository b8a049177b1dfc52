--- Would the answer change if the load, or all times, were a tenth more or less?
--
-- Owns the variants. They share the luck of the answer (common random numbers) and are judged by
-- their estimates: neighbours of an answer that is itself sure, no claims of their own. If every
-- time is longer by a factor f, a system at load L behaves as it does at load f·L on a clock that
-- runs f times slower, so that one simulation serves both: latencies are held against limit / f.
local bounds = require "tandem.plan.bounds"
local demand = require "tandem.plan.demand"
local evaluate = require "tandem.plan.evaluate"
local find = require "tandem.plan.find"
local rare = require "tandem.plan.rare"
local search = require "tandem.plan.search"
local space_of = require "tandem.plan.space"
local trial = require "tandem.plan.trial"
local verdict = require "tandem.plan.verdict"

local sensitivity = {}

---@class tandem.PlanSensitivity
---@field what "load"|"service"
---@field change number    0.1 or -0.1
---@field count integer|nil  what it would take; nil where even the most do not suffice
---@field difference integer|nil
---@field unsure boolean|nil  the runs could not tell it from one more or less
---@field limiting string|nil  what the most GPUs do not relieve, where these do not suffice

local CHANGES <const> = { 0.1, -0.1 }
local LONGEST <const> = 60000 -- requests of a run, unless the answer needed more

-- Can more load, or slower steps, never ask for fewer? Then the search does not look there: the
-- answer is sure, the variants are estimates, and these must not contradict it.
local function is_monotone(q, space)
  for _, limit in ipairs(q.limits) do
    if limit.least and limit.metric ~= "met" then return false end
  end
  return q.monotone and not (space.template and not space.template.patient)
end

-- The limits seen on a clock that runs `factor` times slower.
local function scaled_limits(limits, factor)
  local out = {}
  for i, limit in ipairs(limits) do
    local copy = {}
    for k, v in pairs(limit) do copy[k] = v end
    if limit.kind == "time" then copy.limit = limit.limit / factor
    elseif limit.kind == "rate" then copy.limit = limit.limit * factor end
    out[i] = copy
  end
  return out
end

-- What is the busiest where even the most do not suffice, when it is no GPU.
local function limiting(space, last, factor)
  if not last then return nil end
  local name = last.hopeless and space.forecast(last.label, factor).bottleneck
    or last.facts.bottleneck
  return bounds.apart(space.template, name) and name or nil
end

-- Runs that are as long as the scenario says are few: is it their luck that decides?
local function is_unsure(q, trials, count, limits)
  for number = count and count - 1 or 1, count or 0 do
    local one = trials[number]
    if one and one.verdict and verdict.of(limits, one.estimates, { alpha = 0.025,
      precision = q.precision, last = true }).state == "undecided" then
      return true
    end
  end
  return false
end

-- The fewest at another load, by estimates, from the answer outwards: once with the limits as they
-- are, once as a slower clock sees them. Both searches look at the same simulations.
local function variants(q, row, change, slower, ask)
  local factor, space = 1 + change, row.space
  local set = demand.scaled(q.demand, row.demand.factor * factor)
  local trials = {}
  local function test(numbers)
    local batch = {}
    for _, number in ipairs(numbers) do
      if not trials[number] then
        local forecast = space.forecast(number, factor)
        local requests = space_of.requests(q, forecast, LONGEST, row.demand.factor * factor)
        local conditions = find.conditions(q, space.paths(number), true)
        local changes = space_of.merge(space.tested(number), set)
        local one = row.trial.states
          and rare.new(q, space, number, 1, conditions, changes, row.demand.factor * factor)
          or trial.new(changes, 1, requests and math.max(requests, row.trial.requests // 2),
            conditions, number)
        trials[number], batch[#batch + 1] = one, one
        if space.bounded and (forecast.utilization >= 1
          or find.unsettled(q, space, number, factor)) then
          one.state, one.hopeless = "misses", true
        end
      end
    end
    return trial.run(batch, ask)
  end
  local function fewest(what, limits)
    local low, high = space.least, math.max(row.high, row.count)
    if is_monotone(q, space) then
      if change > 0 then low = row.count else high = row.count end
    end
    local found = search.smallest { low = low, high = high, numbers = space.numbers,
      guess = row.count, test = test,
      state = function(number)
        -- Beyond saturation, or failed, it has no verdict.
        local one = trials[number]
        if not one.verdict then return "misses" end
        if row.trial.states then return one.state end
        return verdict.by_estimate(verdict.of(limits, one.estimates, { alpha = 0.5,
          precision = q.precision }))
      end }
    if not found.finished then return nil end
    return { what = what, change = change, count = found.answer,
      unsure = not q.demand.stationary and is_unsure(q, trials, found.answer, limits) or nil,
      limiting = not found.answer and limiting(space, trials[row.high], factor) or nil,
      difference = found.answer and found.answer - row.count }
  end
  local out = { fewest("load", q.limits) }
  if slower then out[#out + 1] = fewest("service", scaled_limits(q.limits, factor)) end
  return out
end

-- Does all of a scenario scale with its clock? A deadline within a share does not, nor patience.
local function scales(q, row)
  if row.space.template and row.space.template.timed or row.trial.states then return false end
  for _, limit in ipairs(q.limits) do
    if limit.metric == "met" or limit.metric == "goodput" then return false end
  end
  return q.demand.stationary and q.demand.unit == "rate"
end

--- Adds the sensitivity of the best rows of an answer: of all its loads when it was asked for, else
--- of the only load, or the largest.
---@param q tandem.PlanQuestion
---@param out tandem.PlanAnswer
---@param options tandem.PlanRunOptions
function sensitivity.add(q, out, options)
  if q.sensitivity == false or q.load_path or #q.demand.fields == 0 or q.demand.stuck then
    return
  end
  local bodies, owners = {}, {}
  for i, best in ipairs(out.best) do
    if best and best.space and (q.sensitivity or i == #out.best) then
      for _, change in ipairs(CHANGES) do
        owners[#owners + 1] = best
        bodies[#bodies + 1] = function(ask) return variants(q, best, change, scales(q, best), ask)
        end
      end
    end
  end
  local results = evaluate.run(bodies, options, out.work)
  for i, one in ipairs(results) do
    if one and not out.work.stopped then
      local row = owners[i]
      row.sensitivity = row.sensitivity or {}
      table.move(one, 1, #one, #row.sensitivity + 1, row.sensitivity)
    end
  end
end

return sensitivity
