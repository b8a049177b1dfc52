--- Would the answer change if the load, or all times, were a tenth more or less?
--
-- Owns the variants. They share the luck of the answer (common random numbers) and are judged by
-- their estimates: neighbours of an answer that is itself sure, no claims of their own. If every
-- time is longer by a factor f, a system at load L behaves as it does at load f·L on a clock that
-- runs f times slower, so that one simulation serves both: latencies are held against limit / f.
local demand = require "tandem.plan.demand"
local evaluate = require "tandem.plan.evaluate"
local find = require "tandem.plan.find"
local search = require "tandem.plan.search"
local space_of = require "tandem.plan.space"
local trial = require "tandem.plan.trial"

local sensitivity = {}

---@class tandem.PlanSensitivity
---@field what "load"|"service"
---@field change number    0.1 or -0.1
---@field count integer|nil  what it would take; nil where even the most do not suffice
---@field difference integer|nil

local CHANGES <const> = { 0.1, -0.1 }

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

-- The fewest at another load, by estimates, from the answer outwards.
local function variant(q, row, change, service, ask)
  local factor, space = 1 + change, row.space
  local scaled = demand.scaled(q.demand, row.load.factor * factor)
  local limits = service and scaled_limits(q.limits, factor) or q.limits
  local trials = {}
  local function test(numbers)
    local batch = {}
    for _, number in ipairs(numbers) do
      local rules = find.rules(q, space.paths(number), true)
      rules.limits = limits
      local one = trial.new(space_of.merge(space.set(number), scaled), 1,
        space_of.requests(q, space.forecast(number)), rules, number)
      trials[number], batch[#batch + 1] = one, one
    end
    return trial.run(batch, ask)
  end
  local function busy(number) return space.forecast(number).utilization * factor end
  local low = space.least
  while low <= row.high and row.space.low > space.least and busy(low) >= 1 do low = low + 1 end
  local found = search.smallest { low = low, high = math.max(row.high, row.count),
    guess = math.max(low, row.count), test = test,
    state = function(number) return trials[number] and trials[number].state end }
  return { what = service and "service" or "load", change = change, count = found.answer,
    difference = found.answer and found.answer - row.count }
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
      for _, service in ipairs { false, true } do
        for _, change in ipairs(CHANGES) do
          if not service or q.demand.stationary and q.demand.unit == "rate" then
            owners[#owners + 1] = best
            bodies[#bodies + 1] = function(ask)
              return variant(q, best, change, service, ask)
            end
          end
        end
      end
    end
  end
  local results = evaluate.run(bodies, options, out.work)
  for i, one in ipairs(results) do
    if one and not out.work.stopped then
      local row = owners[i]
      row.sensitivity = row.sensitivity or {}
      row.sensitivity[#row.sensitivity + 1] = one
    end
  end
end

return sensitivity
