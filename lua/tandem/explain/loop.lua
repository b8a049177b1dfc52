--- Users who wait for their answer before they ask again: what they get through, and how long they
--- wait, when stations and thinking share a fixed number of them.
--
-- Owns closed queueing networks: mean value analysis (Reiser and Lavenberg 1980), the repairman's
-- birth and death for one station, and for what has no product form the same
-- recursion as a fixed point (Bard 1979, Schweitzer 1979), between bounds that always hold. Called
-- by load.lua.
local queueing = require "tandem.explain.queueing"
local walk = require "tandem.explain.walk"

local loop = {}

-- Beyond so many steps the recursion would be felt; the fixed point is near it then.
local MOST_STEPS <const> = 5e5
local MOST_TURNS <const> = 2000

---@class tandem.Loop       the users of one class
---@field users integer
---@field away_s number     of a cycle: thinking, and whatever nobody waits for
---@field at integer[]     the limited stations, in model order
---@field demands table<integer, number>  seconds of service a cycle at each of them
---@field visits table<integer, number>   a cycle

---@class tandem.LoopStation
---@field servers number
---@field up number      fraction of time it is not being repaired
---@field spread number  E[S²] / 2E[S]²: what is left of a service, of its mean
---@field open number    share of its time that requests from outside take
---@field queue number   waiting places

---@param classes tandem.OfferedClass[]
---@return boolean
function loop.has_users(classes)
  for _, class in ipairs(classes) do
    if class.arrival.users then return true end
  end
  return false
end

--- No more can be served than by a station that is always busy, or than when nobody ever waits.
---@param one tandem.Loop
---@param stations table<integer, tandem.LoopStation>
---@return number rate
local function most(one, stations)
  local cycle, least = one.away_s, math.huge
  for _, index in ipairs(one.at) do
    local demand, at = one.demands[index], stations[index]
    cycle = cycle + demand
    if demand > 0 then
      least = math.min(least, at.servers * at.up * math.max(0, 1 - at.open) / demand)
    end
  end
  return math.min(least, cycle > 0 and one.users / cycle or math.huge)
end

--- Mean value analysis of single servers: exact for networks of product form.
---@param one tandem.Loop
---@return number rate
---@return table<integer, number> stays  seconds a cycle at each station, its service included
local function mean_values(one)
  local queue, stays, rate = {}, {}, 0
  for users = 1, one.users do
    local cycle = one.away_s
    for _, station in ipairs(one.at) do
      stays[station] = one.demands[station] * (1 + (queue[station] or 0))
      cycle = cycle + stays[station]
    end
    rate = users / cycle
    for _, station in ipairs(one.at) do queue[station] = rate * stays[station] end
  end
  return rate, stays
end

--- One station and everything else without waiting: birth and death. Of those who find no place
--- each goes away as if served.
---@param one tandem.Loop
---@param index integer
---@param at tandem.LoopStation
---@return number rate
---@return table<integer, number> stays
---@return number lost  share of its visits
local function repairman(one, index, at)
  local demand, servers = one.demands[index] / at.up, at.servers
  local room = math.min(one.users, servers + at.queue)
  if one.away_s == 0 then
    local rate = math.min(room, servers) / demand
    return rate, { [index] = room / rate }, 0
  end
  local weight, sum, busy, inside = 1, 1, 0, 0
  for here = 1, room do
    weight = weight * (one.users - here + 1) * demand / one.away_s / math.min(here, servers)
    sum, busy = sum + weight, busy + weight * math.min(here, servers)
    inside = inside + weight * here
    if sum > 1e200 then weight, sum, busy, inside = weight / sum, 1, busy / sum, inside / sum end
  end
  local carried, asked = busy / sum / demand, (one.users - inside / sum) / one.away_s
  return asked, { [index] = inside / sum / carried }, math.max(0, 1 - carried / asked)
end

-- Who comes to servers that are busy so much of their time finds all of them so; nobody does where
-- there are as many servers as users.
local function all_busy(at, served, users)
  if at.servers == 1 or served >= 1 then return math.min(served, 1) end
  if users <= at.servers then return 0 end
  return queueing.erlang_c(served * at.servers, at.servers)
end

--- Any loops over any stations, beside open load: each sees what the others leave, and of itself
--- what one user fewer would leave. Whoever finds all servers busy waits for the rest of a service
--- (Reiser 1979) and for all who wait.
---@param loops tandem.Loop[]
---@param stations table<integer, tandem.LoopStation>
---@return number[] rates
---@return table<integer, number>[] stays
local function fixed_point(loops, stations)
  local rates, stays, queues, busy = {}, {}, {}, {}
  for i in ipairs(loops) do rates[i], stays[i], queues[i], busy[i] = 0, {}, {}, {} end
  for _ = 1, MOST_TURNS do
    local moved = 0
    for i, one in ipairs(loops) do
      local cycle = one.away_s
      for _, index in ipairs(one.at) do
        local at, demand, seen, served = stations[index], one.demands[index], 0, 0
        local users = 0
        for j in ipairs(loops) do
          local share = i == j and (one.users - 1) / one.users or 1
          seen = seen + share * (queues[j][index] or 0)
          served = served + share * (busy[j][index] or 0)
          if (loops[j].demands[index] or 0) > 0 then users = users + loops[j].users end
        end
        local fast = demand / (at.servers * at.up * math.max(1e-9, 1 - at.open))
        local full = all_busy(at, served + at.open, at.open > 0 and math.huge or users)
        local ahead = seen + full * at.spread
        stays[i][index] = demand + fast * ahead
        cycle = cycle + stays[i][index]
      end
      local rate = one.users / cycle
      moved = math.max(moved, math.abs(rate - rates[i]) / rate)
      rates[i] = rate
      for _, index in ipairs(one.at) do
        local at, demand = stations[index], one.demands[index]
        local inside = rate * (stays[i][index] - demand)
        local before = queues[i][index] or 0
        moved = math.max(moved, math.abs(inside - before) / one.users)
        queues[i][index] = (before + inside) / 2
        busy[i][index] = rate * demand / (at.servers * at.up)
      end
    end
    if moved < 1e-10 then break end
  end
  for i, one in ipairs(loops) do
    -- What cannot be carried waits, however the fixed point shared it out.
    local rate, service, all = math.min(rates[i], most(one, stations)), 0, 0
    for _, index in ipairs(one.at) do
      service, all = service + one.demands[index], all + stays[i][index]
    end
    local factor = (one.users / rate - one.away_s - service) / (all - service)
    for _, index in ipairs(one.at) do
      local wait = stays[i][index] - one.demands[index]
      if all > service and rate > 0 then stays[i][index] = stays[i][index] + wait * (factor - 1) end
    end
    rates[i] = rate
  end
  return rates, stays
end

-- Is the network of product form (Baskett and others 1975)? One class, exponential first-come
-- stations or processor sharing, requests that choose their way by themselves and are never lost.
local function has_product_form(model, one, walked, tallies)
  if #model.classes > 1 or not walked.complete or not walked.independent or model.hooks then
    return false
  end
  local correlated, sum = 0, 0
  for index, station in ipairs(model.stations) do
    local tally = tallies[index]
    if tally then
      local always = not walk.outages(model, station) and not tally.batched
        and tally.patience == math.huge and not station.link and not tally.approximate
      local room = not station.queue or station.queue + station.servers >= one.users
      local shares = station.discipline == "ps" and station.servers >= one.users
      local limited = one.demands[index] ~= nil
      if not always or not room or limited and not shares and not tally.exponential then
        return false
      end
      correlated, sum = correlated + tally.correlated, sum + (limited and tally.rate or 0)
    end
  end
  -- What follows from attributes may repeat itself: once a cycle it cannot.
  return correlated == 0 or correlated == 1 and sum <= 1 + 1e-9
end

local function loop_station(model, station, tally)
  local mean = tally.first / tally.rate
  local shares = station.discipline == "ps"
  return { servers = queueing.capacity(station), open = 0, queue = station.queue or math.huge,
    up = queueing.up { outages = walk.outages(model, station) },
    spread = not shares and mean > 0 and tally.second / tally.rate / mean ^ 2 / 2 or 1 }
end

-- The loops of a model, with what each station is to them; their walks are at one cycle a second.
local function loops_of(model, classes)
  local loops, stations, exact = {}, {}, true
  for position, class in ipairs(classes) do
    local arrival, tallies = class.arrival, {}
    local walked = walk.class(model, model.classes[position], arrival,
      arrival.users and 1 or arrival.rps, {}, tallies)
    local one = arrival.users and walked.unloaded_s and arrival.think_s
      and { position = position, users = arrival.users, at = {}, demands = {}, visits = {},
        away_s = arrival.think_s + walked.unloaded_s }
    for index, station in ipairs(model.stations) do
      local tally = tallies[index]
      if tally and queueing.capacity(station) < math.huge then
        local at = stations[index] or loop_station(model, station, tally)
        stations[index] = at
        if one then
          one.at[#one.at + 1] = index
          one.demands[index], one.visits[index] = tally.first, tally.rate
          one.away_s = math.max(arrival.think_s, one.away_s - tally.first)
        elseif not arrival.users then
          at.open = at.open + tally.first / at.servers / at.up
        end
      end
    end
    loops[#loops + 1] = one or nil
    exact = exact and one and has_product_form(model, one, walked, tallies) or false
  end
  return loops, stations, exact
end

-- Exactly where it can be; also whether it was, and the share of visits that are lost.
local function solve(loops, stations, exact)
  local one = loops[1]
  local first = one and one.at[1]
  local full, several = false, false
  for _, index in ipairs(one and one.at or {}) do
    local at = stations[index]
    full = full or at.servers + at.queue < one.users
    several = several or at.servers > 1
  end
  if #loops == 1 and first and one.users * #one.at <= MOST_STEPS then
    if exact and not several then
      local rate, stays = mean_values(one)
      return { rate }, { stays }, true, 0
    elseif #one.at == 1 and (exact or full) and one.demands[first] > 0 then
      local rate, stays, lost = repairman(one, first, stations[first])
      return { rate }, { stays }, exact, lost
    end
  end
  local rates, stays = fixed_point(loops, stations)
  return rates, stays, exact and #loops == 1 and not first, not full and 0 or nil
end

---@class tandem.LoopSolution
---@field rates table<integer, number>  requests per second, by position of the class
---@field most table<integer, number>   what they cannot exceed
---@field exact boolean
---@field set_wait fun(station: tandem.OfferedStation): boolean  false where no loop comes

--- What the users of a model get through, and a function that sets the wait at a station. A class
--- whose cycle cannot be said has no rate.
---@param model table
---@param classes tandem.OfferedClass[]
---@return tandem.LoopSolution
function loop.solve(model, classes)
  local loops, stations, suits = loops_of(model, classes)
  local rates, stays, exact, lost = solve(loops, stations, suits)
  local solution = { rates = {}, most = {}, exact = exact }
  for i, one in ipairs(loops) do
    -- A cycle without any time has no rate.
    if rates[i] < math.huge then
      solution.rates[one.position], solution.most[one.position] = rates[i], most(one, stations)
    end
  end
  function solution.set_wait(station)
    local index, waits, visits = station.index, 0, 0
    for i, one in ipairs(loops) do
      local stay = stays[i][index]
      if stay then
        waits = waits + rates[i] * math.max(0, stay - one.demands[index])
        visits = visits + rates[i] * one.visits[index]
      end
    end
    if visits == 0 then return false end
    local longest = station.queue and station.queue * station.service.mean
      / queueing.capacity(station) / station.up or math.huge
    station.wait_s = stations[index].open >= 1 and not station.queue and math.huge
      or math.min(waits / visits, longest, station.patience or math.huge)
    station.wait_exact = exact
    if station.queue then station.lost = lost end
    return true
  end
  return solution
end

return loop
