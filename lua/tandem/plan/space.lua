--- The numbers a search goes through: how a number becomes a configuration, and what is known of it
--- before it is simulated.
--
-- Owns two spaces, both ordered so that a larger number is easier to serve with: counts (of GPUs or
-- of whatever a path names) and loads (from saturation downwards). Also the length of runs. Called
-- by plan/find; what theory says is bounds.lua's.
local LLM_TIMES <const> = require("tandem.check.scenario").llm_times
local bounds = require "tandem.plan.bounds"
local limits = require "tandem.plan.limits"
local periods = require "tandem.plan.periods"
local pools = require "tandem.llm.pools"

local space = {}

---@class tandem.PlanSpace
---@field low integer    smaller numbers are known to be overloaded
---@field high integer
---@field least integer  before theory was asked
---@field numbers integer[]|nil  only these make a difference: whole replicas (default: all)
---@field size integer|nil  GPUs of a replica, with numbers
---@field below fun(number: integer): integer|nil  of counts: the next fewer
---@field above fun(number: integer): integer|nil  … and the next more
---@field set fun(number: integer): table<string, any>
---@field tested fun(number: integer): table<string, any>  … without those that may be down
---@field forecast fun(number: integer, factor?: number): tandem.PlanForecast
---@field bounded boolean|nil  what is overloaded surely misses
---@field guess fun(number: integer): boolean
---@field paths fun(number: integer): table<string, string[]>
---@field template tandem.PlanBounds|nil
---@field factor number  load over that of the template
---@field counted string|nil  of counts: the path of what is counted
---@field trials table<integer, tandem.PlanTrial>|nil  once they are searched: what is known so far
---@field calm tandem.PlanSpace|nil  the same without failures, where these can be parted

-- Relaxation times of a queue that a run should have, over all its queues, and each of them: fewer
-- make figures too small and their intervals too narrow. Below the least no run is made.
local RELAXATIONS <const>, LEAST_RELAXATIONS <const> = 80, 20
local SETTLING <const>, LEAST_SETTLING <const> = 6, 2
local LIFETIMES <const> = 64 -- of a request that nobody delays
local MOST_REQUESTS <const> = 300000
local TAIL <const> = 20 -- requests beyond the finest quantile, at least
local LEAST <const> = 1000 -- samples of a run
local ROUNDS <const> = 10 -- requests of a user, who keeps what a cache has of him

local function merge(...)
  local out = {}
  for _, set in ipairs { ... } do
    for k, v in pairs(set) do out[k] = v end
  end
  return out
end
space.merge = merge

-- For the checks here, in this state: values in place of references.
local function with(q, set, base)
  local changes = {}
  for path, value in pairs(set) do
    if type(value) == "table" and value["$"] then value = q.values[value["$"]] end
    changes[path] = value
  end
  return (base or q.base):with(changes)
end
space.with = with

-- Samples that a request has of what a limit is on: a conversation has a time to first token each
-- turn.
local function of_llm(q, limit)
  local time = limit.metric and limit.metric:match "^(%l%w*)_"
  if not time or not LLM_TIMES[time] or not q.demand.turns then return 1 end
  return math.max(1, q.demand.turns[limit.class] or 1)
end

-- The fewest of all limits; of the share that may be lost any number says something.
local function turns(q)
  local least = math.huge
  for _, limit in ipairs(q.limits) do
    if not limit.lost then least = math.min(least, of_llm(q, limit)) end
  end
  return least < math.huge and least or 1
end

--- How many requests a run needs: those of the scenario, enough for the finest quantile, enough to
--- forget how it began and to see what the scenario says happens at times; nil where the scenario's
--- arrivals decide.
---@param q tandem.PlanQuestion
---@param forecast tandem.PlanForecast|nil
---@param most integer|nil  a bound of the caller's
---@param factor number|nil  load over the scenario's own
---@return integer|nil
function space.requests(q, forecast, most, factor)
  if not q.demand.stationary then return nil end
  local count = math.min(q.demand.requests or 0, MOST_REQUESTS)
  -- An LLM server forgets in lifetimes of its sequences, however many there are at a time.
  count = math.max(count, math.min(most or MOST_REQUESTS,
    LIFETIMES * (q.demand.inside or 0) * (factor or 1)))
  count = math.max(count, space.tail(q))
  if q.demand.unit == "rate" and q.demand.total then
    count = math.max(count, math.min(most or MOST_REQUESTS,
      periods.window(q.periods) * q.demand.total * (factor or 1)))
  end
  if forecast then
    count = math.max(count, math.min(most or MOST_REQUESTS,
      math.max(RELAXATIONS * forecast.relaxation, SETTLING * forecast.settling)))
  end
  if q.demand.unit == "users" and turns(q) > 1 then
    count = math.max(count, math.min(LEAST, ROUNDS * (q.demand.total or LEAST) * (factor or 1)))
  end
  -- A whole number of slices: neighbouring candidates have runs of one length.
  local slice = count < LEAST and LEAST / 10 or LEAST
  return math.ceil(count / slice - 1e-9) * slice
end

--- Is it so near to saturation that no run we could afford would settle?
---@param q tandem.PlanQuestion
---@param forecast tandem.PlanForecast|nil
---@return boolean
function space.unsettled(q, forecast)
  return q.demand.stationary and forecast ~= nil
    and math.max(LEAST_RELAXATIONS * forecast.relaxation, LEAST_SETTLING * forecast.settling)
      > MOST_REQUESTS
end

--- The fewest requests that show the finest quantile asked for.
---@param q tandem.PlanQuestion
---@return integer
function space.tail(q)
  local count = math.ceil(LEAST / turns(q))
  for _, limit in ipairs(q.limits) do
    if limit.quantile and limit.quantile < 1 then
      -- Of a class that is a part of the requests, the part has to suffice.
      local share = math.max(0.01, limit.class and q.shares[limit.class] or 1)
      local samples = share * of_llm(q, limit)
      count = math.max(count, math.ceil(TAIL / (1 - limit.quantile) / samples - 1e-6))
    end
  end
  return count
end

local function gpu_names(template, more)
  local kind = template.model.gpus[1] and template.model.gpus[1].kind
  if not kind then return {} end
  local count = math.floor(#template.model.gpus * more + 0.5)
  if template.model.gpus[#template.model.gpus].kind ~= kind or count == 1 then
    local names = {}
    for i, gpu in ipairs(template.model.gpus) do names[i] = gpu.name end
    return names
  end
  local names = {}
  for i = 1, count do names[i] = ("%s#%d"):format(kind, i) end
  return names
end

function space.paths(q, template, more)
  local out, names = {}, template and gpu_names(template, more) or {}
  for _, limit in ipairs(q.limits) do out[limit.key] = limits.paths(limit, names) end
  return out
end

-- The smallest number in low … high for which ok, which is monotone; high + 1 when none is.
local function first(low, high, ok)
  high = high + 1
  while low < high do
    local middle = (low + high) // 2
    if ok(middle) then high = middle else low = middle + 1 end
  end
  return low
end

-- Cuts off what is overloaded for certain and finds where to start.
local function bound(q, one)
  local template = one.template
  one.bounded = template and not template.lossy and not template.closed and q.demand.stationary
  if one.bounded then
    one.low = first(one.least, one.high, function(number)
      return one.forecast(number).utilization < 1
    end)
    if one.above then one.low = one.above(one.low - 1) end
  end
  one.start = q.monotone and first(one.low, one.high, one.guess) or one.low
  return one
end

--- The question about the same without failures. How long the scenario wants to run says nothing of
--- how long a part of its time should be.
---@param q tandem.PlanQuestion
---@return tandem.PlanQuestion
function space.calm(q)
  local load, periods_left = setmetatable({ requests = 0 }, { __index = q.demand }), {}
  for _, one in ipairs(q.periods) do
    if not one.fails then periods_left[#periods_left + 1] = one end
  end
  return setmetatable({ base = q.bases[2], failing = false, demand = load,
    periods = periods_left }, { __index = q })
end

--- Counts of GPUs of one kind at one load, or of what q.count names.
---@param q tandem.PlanQuestion
---@param kind tandem.PlanKind
---@param load tandem.PlanLoad
---@param high integer
---@return tandem.PlanSpace
function space.counts(q, kind, load, high)
  local fixed, down = merge(kind.set, load.set), q.survive
  local one = { least = math.max(q.min, down + 1), low = q.min, high = high, counted = q.count }
  function one.set(number) return merge(fixed, { [q.count] = number }) end
  function one.tested(number) return merge(fixed, { [q.count] = number - down }) end
  if q.failing then one.calm = space.counts(space.calm(q), kind, load, high) end
  -- The next number above one, and the last below it, as far as they make a difference.
  function one.above(number)
    for _, other in ipairs(one.numbers or {}) do
      if other > number then return other end
    end
    return one.numbers and high + 1 or number + 1
  end
  function one.below(number)
    for i = #(one.numbers or {}), 1, -1 do
      if one.numbers[i] < number then return one.numbers[i] end
    end
    return one.numbers and 0 or number - 1
  end
  if q.count == "gpus" then
    local unit = pools.least(q.base.checked)
    down = down * unit
    local function more(number) return (number - down) / unit end
    local varied = with(q, one.set(unit), q.unscaled)
    one.numbers, one.size = pools.counts(varied.checked, high)
    one.least = one.above(math.max(q.min, unit + down) - 1)
    one.low = one.least
    one.template = bounds.of(varied)
    function one.forecast(number, factor)
      return bounds.forecast(one.template, more(number), factor)
    end
    function one.guess(number) return bounds.guess(one.template, q.limits, more(number)) end
    function one.paths(number) return space.paths(q, one.template, more(number)) end
  else
    local at = {}
    local function of(number)
      at[number] = at[number] or bounds.of(with(q, one.set(number)))
      return at[number]
    end
    one.template = of(q.min)
    one.low = one.least
    function one.forecast(number, factor) return bounds.forecast(of(number - down), 1, factor) end
    function one.guess(number) return bounds.guess(of(number - down), q.limits) end
    function one.paths(number) return space.paths(q, of(number - down), 1) end
  end
  return bound(q, one)
end

--- Loads from where one configuration saturates downwards, in steps of a hundredth of that.
---@param q tandem.PlanQuestion
---@param fixed table<string, any>
---@param load_at fun(factor: number): table<string, any>  changes for a multiple of its own load
---@param steps integer
---@return tandem.PlanSpace
function space.loads(q, fixed, load_at, steps)
  local template = bounds.of(with(q, fixed))
  local busy = bounds.forecast(template).utilization
  local top = busy > 0 and not template.closed and not template.lossy and 1 / busy or nil
  local one = { least = 1, low = 1, high = steps, template = template, top = top }
  top = top or 4 * math.max(1, busy > 0 and 1 / busy or 1)
  function one.factor(number) return top * (steps + 1 - number) / (steps + 1) end
  function one.set(number) return merge(fixed, load_at(one.factor(number))) end
  one.tested = one.set
  function one.forecast(number) return bounds.forecast(template, 1, one.factor(number)) end
  function one.guess(number) return bounds.guess(template, q.limits, 1, one.factor(number)) end
  function one.paths() return space.paths(q, template, 1) end
  return bound(q, one)
end

return space
