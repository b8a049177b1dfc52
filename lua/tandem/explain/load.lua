--- The load that a model offers to each station, from rates, visits and mean costs.
--
-- Owns what a station is: its load, its losses and its wait, from what the walks of all classes
-- (walk.lua) bring there, the network they make (network.lua) and loops of users (loop.lua). Takes
-- the model table (the planner's output) and gives plain numbers; words and layout are init.lua's.
local arrivals = require "tandem.explain.arrivals"
local loop = require "tandem.explain.loop"
local network = require "tandem.explain.network"
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
---@field mean_batch? number      expected size of its batches
---@field requests? number        a second, where `rate` counts batches
---@field arrival_cv2 number      spread of what comes, as it is felt, before a router takes turns:
---        1 is Poisson
---@field rough? string           why its wait may be far off
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
---@field mean_s? number       mean time with the expected waits; infinite under overload

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

local function station_of_tally(model, index, tally)
  local station, mean = model.stations[index], tally.first / tally.rate
  local one = {
    index = index, name = station.name, lane = station.lane, gpu = station.gpu,
    servers = station.servers, discipline = station.discipline, rate = tally.rate,
    queue = station.queue and station.queue < math.huge and station.queue or nil,
    batched = tally.batched or nil, arrival_cv2 = 1, poisson = false,
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

-- What is known of a station once its wait is.
local function finish(model, one, tallies, solved)
  local station = model.stations[one.index]
  -- What others cannot take over while one is repaired, no short formula says.
  if one.passed_over and one.up < 1 then one.wait_is = "at least" end
  one.wait_exact = one.wait_exact and not one.batched and not one.patience and not one.busy_is
    and model.hooks == nil and link_alone(model, station, tallies)
  one.inexact = not one.wait_exact and (solved ~= nil or one.lost ~= 0) or nil
  one.busy = math.min(1, one.utilization * (1 - (one.lost or 0))) * one.up
  if one.bulk then
    one.busy, one.batched, one.inexact = one.bulk.busy * one.up, nil, true
    one.mean_batch, one.requests, one.bulk = one.bulk.batch, one.bulk.rate, nil
  end
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
  local tallies, routes = {}, {}
  for position, class in ipairs(model.classes) do
    local one, rate = offered.classes[position], rates[position]
    local walked = walk.class(model, class, one.arrival, rate, offered.steps, tallies)
    offered.complete = offered.complete and walked.complete and rate ~= nil
    one.rps, one.unloaded_s = rate, walked.unloaded_s
    one.approximate = walked.approximate or nil
    if one.arrival.users then
      one.rps_exact, one.most_rps = solved.exact, solved.most[position]
    end
    routes[position] = { class = class, arrival = one.arrival, rate = rate, route = walked.route }
  end
  for index in ipairs(model.stations) do
    local tally = tallies[index]
    if tally and tally.rate > 0 then
      offered.stations[#offered.stations + 1] = station_of_tally(model, index, tally)
    end
  end
  local found = network.solve(routes, offered.stations, tallies, solved and solved.set_wait)
  for position, one in ipairs(offered.classes) do
    one.mean_s = one.unloaded_s and one.rps and found.mean_s[position] or nil
  end
  for _, one in ipairs(offered.stations) do finish(model, one, tallies, solved) end
  return offered
end

return load
