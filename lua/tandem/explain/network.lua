--- The network as a whole: what each station waits for, and each class in all.
--
-- Owns the stations' streams, solved over all routes, and the times of classes. The calculus of
-- streams is streams.lua's, which of them are Poisson poisson.lua's, what a station waits for
-- waits.lua's, joins are joins.lua's. Called by load.lua.
local jobs = require "tandem.explain.jobs"
local joins = require "tandem.explain.joins"
local poisson = require "tandem.explain.poisson"
local queueing = require "tandem.explain.queueing"
local routes = require "tandem.explain.routes"
local streams = require "tandem.explain.streams"
local waits = require "tandem.explain.waits"

local network = {}

local ROUNDS <const> = 3

---@class tandem.NetworkClass
---@field class table
---@field arrival tandem.ArrivalRate
---@field rate number|nil
---@field route (tandem.Visit|tandem.Fan)[]

-- What one member of those behind a router gets of a flow.
local function to_member(flow, item, share, scale)
  local count = #item.at
  if not item.router or count == 1 then return flow.a, flow.size, flow.rate * share end
  if routes.INDEPENDENT[item.router] or item.router == "affinity" then
    return flow.a * share, 1 + share * (flow.size - 1), flow.rate * share
  elseif routes.JOINING[item.router] then
    return flow.a, math.max(1, flow.size), flow.rate * share
  end
  local part = streams.taken(flow, count, share, scale)
  return part.a, part.size, part.rate
end

local Solver = {}
Solver.__index = Solver

-- Follows a flow over a route; `feel` gets what comes to each station.
function Solver:follow(route, flow, scale, feel)
  for _, item in ipairs(route) do
    if item.kind == "visit" then
      local first, most = nil, -1
      for _, one in ipairs(item.at) do
        if feel then
          local a, size, rate = to_member(flow, item, one.share, scale)
          feel(one.index, rate, a, size, flow.apart_s)
        end
        if one.share > most then first, most = one.index, one.share end
      end
      local node = self.nodes[first]
      if node then flow = streams.behind(flow, self:seen(node, item), scale) end
    elseif item.kind == "delay" then
      local time = item.service
      flow = streams.delayed(flow, time and math.sqrt(time.var) or 0, scale)
    elseif item.kind == "branch" then
      local parts = {}
      for i, list in ipairs(item.lists) do
        parts[i] = self:follow(list, streams.part(flow, item.p[i]), scale, feel)
      end
      flow = streams.together(flow, parts)
    elseif item.kind == "fork" then
      local longest, most = flow, -1
      for _, list in ipairs(item.lists) do
        local out = self:follow(list, flow, scale, feel)
        local took = self:sojourn(list, 1)
        if took > most then longest, most = out, took end
      end
      flow = longest
    elseif item.kind == "loop" then
      flow = self:turns(item, flow, scale, feel)
    end
  end
  return flow
end

-- A group of members, one of whom the router knows to be free, counts as one node.
function Solver:seen(node, item)
  if item.router and not routes.JOINING[item.router] and #item.at > 1 then
    return setmetatable({ servers = node.servers * #item.at, rate = node.rate * #item.at },
      { __index = node })
  end
  return node
end

function Solver:turns(item, flow, scale, feel)
  local list = item.lists[1]
  local again = item.again and math.min(item.again, 0.999) or 1 - 1 / math.max(1, item.turns)
  local only = routes.own_loop(item)
  local own = only and self.nodes[only.at[1].index]
  if feel and (own or scale.job) then
    -- Who comes again and again makes one long service, which is felt once.
    self:follow(list, flow, scale, feel)
    if scale.job then feel = nil end
  end
  if own and own.job then
    local job = own.job
    return streams.behind(flow, setmetatable({ rate = job.rate, mean = job.mean,
      noise = job.var / job.mean ^ 2 }, { __index = own }), scale)
  end
  local inside = { rate = flow.rate * item.turns, pass = 1, size = flow.size,
    apart_s = flow.apart_s, a = 0 }
  local base = self:follow(list, inside, scale).a
  inside.a = 1
  local slope = self:follow(list, inside, scale).a - base
  local enter = 1 - again
  inside.a = (enter * flow.a + again * again * base) / (1 - again * again * slope)
  local out = self:follow(list, inside, scale, feel)
  local _, var = self:sojourn(list, 1)
  local mean = self:sojourn(list, 1)
  local sd = math.sqrt(item.turns * var + again / enter ^ 2 * mean * mean)
  local late = streams.delayed(flow, sd, scale)
  local w = flow.a ~= 0 and late.a / flow.a or 0
  return { rate = flow.rate, a = late.a + (1 - w) * enter * out.a, pass = late.pass,
    size = 1 + enter * (out.size - 1), apart_s = out.apart_s }
end

-- Mean and variance of the time over a list of steps, and the share of it that is waiting.
function Solver:sojourn(list, position)
  local mean, var, waited = 0, 0, 0
  for _, item in ipairs(list) do
    local m, v, w = 0, 0, 0
    if item.kind == "visit" then
      for _, one in ipairs(item.at) do
        local node = self.nodes[one.index]
        if node then
          local wait = node.waits and node.waits[position] or node.wait_s or 0
          if wait == math.huge then wait = 0 end
          local service = node.bulk and node.bulk.service_s or one.service.mean
          local chance = math.min(1, math.max(node.busy, 0.05))
          m, w = m + one.share * (service + wait), w + one.share * wait
          v = v + one.share * ((node.bulk and 0 or one.service.var)
            + wait * wait * (2 / chance - 1))
        end
      end
    elseif item.kind == "delay" then
      m, v = item.service and item.service.mean or 0, item.service and item.service.var or 0
    elseif item.kind == "branch" then
      local square = 0
      for i, inner in ipairs(item.lists) do
        local mi, vi, wi = self:sojourn(inner, position)
        m, w, square = m + item.p[i] * mi, w + item.p[i] * wi, square + item.p[i] * (vi + mi * mi)
      end
      v = math.max(0, square - m * m)
    elseif item.kind == "loop" then
      local mi, vi, wi = self:sojourn(item.lists[1], position)
      m, w = mi * item.turns, wi * item.turns
      v = vi * item.turns + (item.again and item.turns * (item.turns - 1) * mi * mi or 0)
    elseif item.kind == "fork" then
      local branches = {}
      for i, inner in ipairs(item.lists) do
        local mi, vi, wi = self:sojourn(inner, position)
        branches[i] = { mean = mi, var = vi, wait = wi }
      end
      m, v, w = joins.longest(branches)
    end
    mean, var, waited = mean + m, var + v, waited + w
  end
  return mean, var, waited
end

-- What two stations must have in common to feel the same of what comes.
local function likeness(node)
  return ("%s%a %a %a %a %a %a %a %a %s"):format(node.place, node.rate, node.mean, node.sd,
    node.servers, node.busy, node.noise, node.a, node.size, node.job or "")
end

-- What each station feels of what comes, on its own scale. The GPUs of a fleet are alike: one is
-- asked for all.
function Solver:feel()
  local asked = {}
  for _, station in ipairs(self.order) do
    local node = self.nodes[station.index]
    local like = likeness(node)
    local first = asked[like]
    if first then
      node.next_a, node.size = first.next_a, first.size
    else
      asked[like] = node
      self:feel_one(station.index, node)
    end
  end
  for _, node in pairs(self.nodes) do
    node.a = node.next_a or node.a
  end
end

function Solver:feel_one(index, node)
  local scale = streams.scale(node)
  local sum, rate, size, apart = 0, 0, 0, 0
  local position, felt
  local function feel(at, r, a, group, apart_s)
    if at ~= index or node.job and felt == position then return end
    felt = position
    -- Who left the last station one by one comes so apart that some of a group finds nobody.
    local left = 1 + (group - 1) * math.max(0, 1 - (node.mean > 0
      and apart_s * node.servers / node.mean or 1))
    sum, rate, size = sum + r * a, rate + r, size + r * left
    apart = math.max(apart, apart_s)
  end
  for number, class in ipairs(self.classes) do
    position = number
    if class.rate then
      self:follow(class.route, streams.source(class.arrival, class.rate, scale), scale, feel)
    end
  end
  if rate > 0 then
    node.next_a, node.size = streams.felt(sum / rate, scale), size / rate
  end
end

-- Stations by index with what comes to them.
local function nodes_of(classes, offered, tallies)
  local nodes, by_index = {}, {}
  for _, station in ipairs(offered) do
    local tally = tallies[station.index]
    local service = station.service
    local cv2 = service.mean > 0 and service.var / service.mean ^ 2 or 0
    local outages = station.outages
    if outages and outages.repair.mean > 0 and service.mean > 0 then
      local repair = outages.repair
      cv2 = cv2 + station.up * (1 - station.up) * (1 + repair.var / repair.mean ^ 2)
        * repair.mean / service.mean
    end
    by_index[station.index] = station
    nodes[station.index] = { index = station.index, rate = station.rate,
      mean = service.mean / station.up,
      sd = math.sqrt(service.var), servers = queueing.capacity(station), noise = cv2, a = 0,
      size = 1, total = 1, place = {}, busy = math.min(1, station.utilization), feeds = tally.feeds,
      smooth = station.discipline == "ps" or nil, by_class = {}, loads = {},
      squares = {}, caps = {}, visits = 0 }
  end
  local places = 0
  for position, class in ipairs(classes) do
    local seen = {}
    routes.each(class.route, function(item, looped, forked)
      places = places + 1
      for _, one in ipairs(item.at or {}) do
        local node = nodes[one.index]
        if node and class.rate then
          node.place[#node.place + 1] = ("%d:%a "):format(places, one.share)
          local rate = class.rate * item.per * one.share
          node.by_class[position] = (node.by_class[position] or 0) + rate
          node.loads[position] = (node.loads[position] or 0) + rate * one.service.mean
          node.squares[position] = (node.squares[position] or 0)
            + rate * (one.service.var + one.service.mean ^ 2)
          node.waves = node.waves or class.arrival.waves
          node.returns = node.returns or looped or seen[one.index] or nil
          seen[one.index], node.item = true, item
          node.requests = (node.requests or 0) + rate
          node.forked = node.forked or forked
          node.passed_over = item.router and #item.at > 1 or nil
          node.turns = item.router == "round_robin" and #item.at or nil
          if item.router and routes.JOINING[item.router] and #item.at > 1 then
            node.pool, node.two = #item.at, item.router == "power_of_two" or nil
          end
        end
      end
    end)
  end
  for _, node in pairs(nodes) do
    node.place = table.concat(node.place)
    if node.requests then node.rate = node.requests end
    if node.pool then
      node.rate, node.servers = node.rate * node.pool, node.servers * node.pool
    end
  end
  return nodes, by_index
end

-- How many requests of a class a second the stations on the way to each let through at most.
local function set_caps(nodes, classes, by_index)
  for position, class in ipairs(classes) do
    local cap = math.huge
    routes.each(class.route, function(item)
      local least = math.huge
      for _, one in ipairs(item.at or {}) do
        local node, station = nodes[one.index], by_index[one.index]
        local mine = node and node.loads[position]
        if mine and mine > 0 and class.rate then
          node.caps[position] = node.caps[position] or cap
          local room = queueing.capacity(station) * station.up
          for other, load in pairs(node.loads) do
            if other ~= position then room = room - load end
          end
          least = math.min(least, math.max(0, room) / mine * class.rate)
        end
      end
      cap = math.min(cap, least)
    end)
  end
end

---@class tandem.NetworkSolution
---@field mean_s table<integer, number>  of a class, by position: time with all waits
---@field joins boolean                  some requests wait for branches

--- Sets the waits of stations (wait_s, wait_exact, lost, arrival_cv2, rough) and gives the mean
--- times of classes.
---@param classes tandem.NetworkClass[]
---@param offered tandem.OfferedStation[]
---@param tallies table<integer, tandem.Tally>
---@param given? fun(station: tandem.OfferedStation): boolean  sets a wait that is known otherwise
---@return tandem.NetworkSolution
function network.solve(classes, offered, tallies, given)
  local self = setmetatable({ classes = classes, order = offered }, Solver)
  local by_index
  self.nodes, by_index = nodes_of(classes, offered, tallies)
  poisson.mark(self, tallies, by_index)
  jobs.mark(self.nodes, classes)
  set_caps(self.nodes, classes, by_index)
  for _ = 1, ROUNDS do
    self:feel()
    for _, station in ipairs(offered) do
      local node = self.nodes[station.index]
      if given and given(station) then
        node.wait_s, node.given = station.wait_s, true
      else
        waits.set(classes, node, station)
      end
    end
  end
  local solution = { mean_s = {}, joins = false }
  for position, class in ipairs(classes) do
    solution.mean_s[position] = self:sojourn(class.route, position)
    local endless = false
    routes.each(class.route, function(item)
      for _, one in ipairs(item.at or {}) do
        local station = by_index[one.index]
        endless = endless or station and station.wait_s == math.huge
      end
    end)
    if endless then solution.mean_s[position] = math.huge end
  end
  for _, station in ipairs(offered) do
    local node = self.nodes[station.index]
    -- Before a router takes turns: plans ask for other numbers of GPUs.
    station.arrival_cv2, station.poisson = (1 + node.a) * (node.turns or 1), node.exact
    station.passed_over, station.group = node.passed_over, node.size > 1 and node.size or nil
    station.rough = waits.rough(node, station)
    if node.bulk then station.bulk = node.bulk end
  end
  return solution
end

return network
