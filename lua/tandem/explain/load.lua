--- The load that a model offers to each station, from rates, visits and mean costs.
--
-- Owns what a station is: its load, its losses and its wait, from what the walks of all classes
-- (walk.lua) bring there, the formulas (queueing.lua) and loops of users (loop.lua). Takes the
-- model table (the planner's output) and gives plain numbers; words and layout are init.lua's.
local arrivals = require "tandem.explain.arrivals"
local loop = require "tandem.explain.loop"
local queueing = require "tandem.explain.queueing"
local walk = require "tandem.explain.walk"

local load = {}

---@class tandem.OfferedStation
---@field index integer
---@field name string
---@field lane string
---@field gpu? integer
---@field servers number
---@field discipline? string
---@field rate number             visits (or batches) per second
---@field service tandem.Moments  of a visit (or batch)
---@field up number               fraction of time it is not being repaired
---@field outages? { between: tandem.Moments, repair: tandem.Moments }
---@field utilization number      offered; above 1 it is overloaded, unless the load is a loop's
---@field busy number             share of all time: without what is lost, and repairs
---@field busy_is? "at most"|"about"  its visitors may be lost before or come again; nil: so
---@field inexact? boolean         how busy it will be is an estimate
---@field lost? number            share of its visitors that find its queue full; nil: unknown
---@field patience? number        mean seconds after which its visitors give up
---@field queue? integer          waiting places; nil: no limit
---@field batched? boolean        full batches were assumed: the least possible load
---@field wait_s number           expected mean wait of the served; infinite at saturation
---@field wait_exact boolean
---@field wait_is? "at least"     what is known of it where even an estimate cannot be had

---@class tandem.OfferedStep
---@field class string
---@field name string
---@field lane string
---@field where string       the station, a role, or "outside"
---@field visits number      per request
---@field time? tandem.Moments  per visit; nil when it cannot be said
---@field batch? integer     largest batch

---@class tandem.OfferedClass
---@field name string
---@field arrival tandem.ArrivalRate
---@field rps? number         mean requests per second; of users what they get to ask
---@field rps_exact? boolean   of users
---@field most_rps? number    of users: a bound that holds however the services vary
---@field unloaded_s? number  mean time of a request that meets nobody; nil when unknown
---@field approximate boolean  that time, or what waits add to it, is not exact

---@class tandem.Offered
---@field classes tandem.OfferedClass[]
---@field steps tandem.OfferedStep[]      in route order
---@field stations tandem.OfferedStation[]  that anybody visits, in model order
---@field complete boolean                false when part of the load cannot be said

-- A transfer has its link for itself: no other station and no other transfer uses it.
local function link_alone(model, station, tallies)
  if not station.link then return true end
  for index, other in ipairs(model.stations) do
    if other ~= station and other.link == station.link and tallies[index] then return false end
  end
  return station.servers == 1
end

-- A router that joins the shortest of some queues comes near one queue for all; where it looks at
-- two of many, near the limit of many (Mitzenmacher 2001), which is longer.
local function joined_wait(one, stream)
  local all = setmetatable({ servers = one.servers * stream.pooled,
    rate = one.rate * stream.pooled, arrival_cv2 = stream.cv2,
    queue = one.queue and one.queue * stream.pooled }, { __index = one })
  local wait, _, lost = queueing.wait(all)
  if stream.two and one.servers == 1 and one.utilization < 1 then
    local sum = 0
    for k = 1, 12 do sum = sum + one.utilization ^ (2 ^ k - 2) end
    wait = math.max(wait, (sum - 1) * one.service.mean)
  end
  return wait, false, lost
end

-- What it waits for by the formulas of one station.
local function set_wait(one, tally)
  local stream = tally.feeds == 1 and tally.stream or { poisson = false, cv2 = 1 }
  one.erlang, one.group, one.passed_over = stream.erlang, stream.group, stream.passed_over
  local own = setmetatable({ arrival_cv2 = stream.cv2, poisson = stream.poisson },
    { __index = one })
  local wait, exact, lost
  if stream.pooled then
    wait, exact, lost = joined_wait(one, stream)
  else
    wait, exact, lost = queueing.wait(own)
  end
  one.wait_s, one.lost = math.min(wait, one.patience or math.huge), lost
  -- What others cannot take over while one is repaired, no short formula says.
  if one.passed_over and one.up < 1 then one.wait_is = "at least" end
  one.wait_exact = exact and not tally.batched and not one.patience and not one.busy_is
end

local function station_of_tally(model, index, tally)
  local station, mean = model.stations[index], tally.first / tally.rate
  local stream = tally.feeds == 1 and tally.stream
  local one = {
    index = index, name = station.name, lane = station.lane, gpu = station.gpu,
    servers = station.servers, discipline = station.discipline, rate = tally.rate,
    queue = station.queue and station.queue < math.huge and station.queue or nil,
    batched = tally.batched or nil, arrival_cv2 = stream and tally.cv2 or 1,
    poisson = stream and stream.poisson or false,
    service = { mean = mean, var = math.max(0, tally.second / tally.rate - mean * mean),
      approximate = tally.approximate, exponential = tally.exponential and true or nil },
    outages = walk.outages(model, station), lost = 0,
    patience = tally.patience < math.huge and tally.patience or nil,
  }
  one.up = queueing.up(one)
  one.utilization = one.rate * mean / (queueing.capacity(one) * one.up)
  one.busy_is = tally.again and (tally.after_loss or one.queue) and "about"
    or tally.after_loss and "at most" or nil
  return one
end

--- The load each station is offered.
---@param model table  the planner's output
---@param at_s? number  of a load that moves, at this moment (default: on average)
---@return tandem.Offered
function load.of(model, at_s)
  local offered = { classes = {}, steps = {}, stations = {}, complete = true }
  local rates, solved = {}, nil
  for position, class in ipairs(model.classes) do
    offered.classes[position] = { name = class.name,
      arrival = at_s and arrivals.at(class.arrivals, at_s, model.duration)
        or arrivals.rate(class.arrivals, model.duration) }
    rates[position] = offered.classes[position].arrival.rps
  end
  if loop.has_users(offered.classes) then
    solved = loop.solve(model, offered.classes)
    for position, rate in pairs(solved.rates) do rates[position] = rate end
  end
  local tallies = {}
  for position, class in ipairs(model.classes) do
    local one, rate = offered.classes[position], rates[position]
    local walked = walk.class(model, class, one.arrival, rate, offered.steps, tallies)
    offered.complete = offered.complete and walked.complete and rate ~= nil
    one.rps, one.unloaded_s = rate, walked.unloaded_s
    one.approximate = walked.approximate or nil
    if one.arrival.users then
      one.rps_exact, one.most_rps = solved.exact, solved.most[position]
    end
  end
  for index, station in ipairs(model.stations) do
    local tally = tallies[index]
    if tally and tally.rate > 0 then
      local one = station_of_tally(model, index, tally)
      if not solved or not solved.set_wait(one) then set_wait(one, tally) end
      one.wait_exact = one.wait_exact and model.hooks == nil and link_alone(model, station, tallies)
      one.inexact = not one.wait_exact and (solved ~= nil or one.lost ~= 0) or nil
      one.busy = math.min(1, one.utilization * (1 - (one.lost or 0))) * one.up
      offered.stations[#offered.stations + 1] = one
    end
  end
  return offered
end

return load
