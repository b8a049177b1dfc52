--- The walk of a class's requests over its route: who visits which station how often and for how
--- long.
--
-- Owns probabilities of branches, turns of loops, the share of each GPU behind a router, and the
-- route as a tree of visits for network.lua, which finds the streams between stations. Called by
-- load.lua and loop.lua, once a class.
local moments = require "tandem.explain.moments"

---@class tandem.Tally  what one station is visited for
---@field rate number      visits (or batches) per second
---@field first number     of the service times: sums of mean and of second moment, by rate
---@field second number
---@field feeds integer    streams of visits that meet here
---@field approximate? boolean
---@field batched? boolean
---@field exponential number|false  the mean of every service, all of them exponential
---@field patience number  seconds after which the most patient of its visitors gives up
---@field after_loss boolean  some of its visitors may have been lost before
---@field again boolean       some of its visitors may come again after a loss
---@field link? boolean      it is a copy engine, whose link others may use
---@field correlated integer  steps whose time follows from attributes of the request

---@class tandem.Visit      a leaf of a route: time at a station, or outside of any
---@field kind "visit"|"delay"
---@field per number        visits a request
---@field service? tandem.Moments  of a visit (of a full batch); nil when it cannot be said
---@field at? { index: integer, share: number, service: tandem.Moments }[]
---@field router? string    where a router chose among several
---@field alone? boolean    of a round robin: no other step takes turns there
---@field batch? table      of the step
---@field seconds? fun(size: integer): number|nil  of a batch of so many

---@class tandem.Fan        an inner node of a route
---@field kind "branch"|"fork"|"loop"|"held"
---@field lists (tandem.Visit|tandem.Fan)[][]
---@field p? number[]       of a branch
---@field again? number     of a loop
---@field turns? number
---@field turns_var? number

local LANE_OF_ROLE = { h2d = "H2D", gpu = "GPU", d2h = "D2H" }

local Walk = {}
Walk.__index = Walk

-- A GPU's station of a lane, the first of them: its index and itself.
local function station_of(walk, gpu, lane)
  local stations = walk.model.stations
  if not walk.places then
    local places = {}
    for index, station in ipairs(stations) do
      local of = station.gpu and places[station.lane] or {}
      if station.gpu then
        places[station.lane] = of
        of[station.gpu] = of[station.gpu] or index
      end
    end
    walk.places = places
  end
  local index = walk.places[lane] and walk.places[lane][gpu]
  return index, stations[index]
end

--- Seconds (mean and variance) of one visit to a station, jitter included.
function Walk:service(step, station, gpu, batch)
  local cost = moments.of_cost(step.cost, {
    attrs = self.attrs, batch = batch,
    gpu = gpu and self.model.gpus[gpu] and self.model.gpus[gpu].params,
  })
  if not cost then
    return nil
  end
  local link = station and station.link and self.model.links[station.link]
  if link then
    local speed = math.min(link.bandwidth, station.rate or math.huge)
    cost = { mean = cost.mean / speed, var = cost.var / speed ^ 2, approximate = cost.approximate,
      exponential = cost.exponential }
  end
  local jitter = step.jitter and moments.of_distribution(step.jitter)
  if jitter then
    cost = {
      mean = cost.mean * jitter.mean, approximate = cost.approximate or jitter.approximate,
      var = cost.var * jitter.var + cost.var * jitter.mean ^ 2 + jitter.var * cost.mean ^ 2,
    }
  end
  return cost
end

--- Seconds of a request that meets nobody: its batch has one member.
function Walk:alone(step, station, gpu, service)
  if not step.batch or step.batch.max <= 1 or step.batch.static then
    return service.mean
  end
  local single = self:service(step, station, gpu, 1)
  return single and single.mean or service.mean
end

-- Routers that draw each request's GPU by itself: what arrives Poisson stays so.
local INDEPENDENT = { random = true, weighted = true }

-- How often requests are sent to the group, all classes together: a round robin takes its turns
-- over all of them.
local function routes_to(model, index)
  local count = 0
  local function through(steps)
    for _, step in ipairs(steps or {}) do
      if step.op == "route" and step.group == index then count = count + 1 end
      through(step.steps)
      for _, choice in ipairs(step.choices or {}) do through(choice.steps) end
      for _, branch in ipairs(step.branches or {}) do through(branch) end
    end
  end
  for _, class in ipairs(model.classes) do through(class.route) end
  return count
end

--- Adds visits to a station. Mixed service times make one mixture: its mean and second moment.
function Walk:visit(index, rate, service, step)
  local tally = self.tallies[index]
  if not tally then
    tally = { rate = 0, first = 0, second = 0, feeds = 0, patience = 0, after_loss = false,
      again = false, correlated = 0, exponential = service.exponential and service.mean or false }
    self.tallies[index] = tally
  end
  tally.rate = tally.rate + rate
  tally.first = tally.first + rate * service.mean
  tally.second = tally.second + rate * (service.var + service.mean ^ 2)
  tally.approximate = tally.approximate or service.approximate
  tally.batched = tally.batched or step.batch and step.batch.max > 1
  if not service.exponential or tally.exponential ~= service.mean then tally.exponential = false end
  tally.feeds, tally.link = tally.feeds + 1, self.model.stations[index].link ~= nil
  tally.patience = math.max(tally.patience, self.patience)
  tally.after_loss = tally.after_loss or self.after_loss
  tally.again = tally.again or self.class.retry ~= nil
  if service.var > 0 and moments.reads_attributes(step.cost) then
    tally.correlated = tally.correlated + 1
  end
end

function Walk:add(item)
  self.list[#self.list + 1] = item
end

--- Walks some lists of steps that make up a node of the route; returns what `each` gives for each.
function Walk:fan(node, lists, each)
  local outer = self.list
  node.lists = {}
  for index, steps in ipairs(lists) do
    self.list = {}
    node.lists[index] = self.list
    each(index, steps)
  end
  self.list = outer
  self:add(node)
end

--- The first step of a route that computes on the GPU, wherever it is nested.
local function compute_step(steps)
  for _, step in ipairs(steps) do
    if step.op == "serve" and step.role == "gpu" then
      return step
    end
    local nested = { step.steps }
    for _, choice in ipairs(step.choices or {}) do
      nested[#nested + 1] = choice.steps
    end
    for _, branch in ipairs(step.branches or {}) do
      nested[#nested + 1] = branch
    end
    for _, inner in ipairs(nested) do
      local found = compute_step(inner)
      if found then
        return found
      end
    end
  end
end

--- The share of each member of a group, which holds for all of a request's steps: fixed by the
--- router, or by the speed of the computing for routers that look at the load.
function Walk:shares(group)
  if self.group_shares[group] then
    return self.group_shares[group]
  end
  local shares, total = {}, 0
  local step = compute_step(self.class.route)
  local batch = step and step.batch and step.batch.max or 1
  local even = group.router == "round_robin" or group.router == "random"
    or group.router == "affinity"
  for position, gpu in ipairs(group.members) do
    local share = 1
    if group.router == "weighted" and group.weights then
      share = group.weights[position]
    elseif not even and step then
      local _, station = station_of(self, gpu, "GPU")
      local service = station and self:service(step, station, gpu, batch)
      if service and service.mean > 0 and station.servers < math.huge then
        share = station.servers / service.mean
      end
    end
    shares[position] = share
    total = total + share
  end
  for position in ipairs(shares) do
    shares[position] = total > 0 and shares[position] / total or 0
  end
  self.group_shares[group] = shares
  return shares
end

local function record(walk, step, visits, where, time, batch)
  walk.steps[#walk.steps + 1] = {
    class = walk.class.name, name = step.name or step.op, lane = step.lane or "OTHER",
    where = where, visits = visits, time = time, batch = batch,
  }
end

local ops = {}

-- Seconds of a batch by its size.
local function by_size(walk, step, station, gpu)
  return function(size)
    local found = walk:service(step, station, gpu, size)
    return found and found.mean
  end
end

function ops.serve(walk, step, visits)
  local largest = step.batch and step.batch.max
  local batch = largest or 1
  local rate = walk.rate and walk.rate * visits / batch
  if not step.role then
    local station = walk.model.stations[step.station]
    local service = walk:service(step, station, station.gpu, batch)
    record(walk, step, visits, station.name, service, largest)
    if service and rate then walk:visit(step.station, rate, service, step) end
    walk:add { kind = "visit", per = visits, service = service,
      at = { { index = step.station, share = 1, service = service } },
      batch = batch > 1 and step.batch or nil,
      seconds = batch > 1 and by_size(walk, step, station, station.gpu) or nil }
    if station.queue and station.queue < math.huge then walk.after_loss = true end
    walk.approximate = walk.approximate or not service or service.approximate or false
    return service and walk:alone(step, station, station.gpu, service)
  end
  local lane = LANE_OF_ROLE[step.role]
  local group_index = step.gpus or walk.group or 1
  local group = walk.model.groups[group_index]
  local shares, several = walk:shares(group), #group.members > 1
  local mean, var, known, approximate, alone = 0, 0, true, false, 0
  local item = { kind = "visit", per = visits, at = {}, router = several and group.router or nil,
    alone = routes_to(walk.model, group_index) <= 1, batch = batch > 1 and step.batch or nil }
  for position, gpu in ipairs(group.members) do
    local index, station = station_of(walk, gpu, lane)
    local service = index and walk:service(step, station, gpu, batch)
    if service then
      mean, var = mean + shares[position] * service.mean, var + shares[position] * service.var
      approximate = approximate or service.approximate
      alone = alone + shares[position] * walk:alone(step, station, gpu, service)
      if rate then walk:visit(index, rate * shares[position], service, step) end
      item.at[#item.at + 1] = { index = index, share = shares[position], service = service }
      item.seconds = batch > 1 and (item.seconds or by_size(walk, step, station, gpu)) or nil
      if station.queue and station.queue < math.huge then walk.after_loss = true end
    else
      known = false
    end
  end
  walk.approximate = walk.approximate or approximate or not known
  walk.independent = walk.independent and (not several or INDEPENDENT[group.router] or false)
  item.service = known and { mean = mean, var = var, approximate = approximate } or nil
  walk:add(item)
  record(walk, step, visits, several and group.name or walk.model.gpus[group.members[1]].name,
    item.service, largest)
  return known and alone or nil
end

function ops.delay(walk, step, visits)
  local time = walk:service(step, nil, nil, 1)
  record(walk, step, visits, "outside", time)
  walk:add { kind = "delay", per = visits, service = time }
  if time then walk.approximate = walk.approximate or time.approximate end
  return time and time.mean
end

function ops.route(walk, step)
  walk.group = step.group
  return 0
end

-- Who finds no memory waits for it: nobody knows how long.
function ops.seize(walk)
  walk.approximate, walk.independent = true, false
  walk:add { kind = "held" }
  return 0
end

function ops.release()
  return 0
end

--- Means of the given lists of steps, weighted; nil when one of them cannot be said.
function ops.branch(walk, step, visits)
  local sum, lists, p = 0, {}, {}
  for index, choice in ipairs(step.choices) do
    lists[index], p[index] = choice.steps, choice.p
  end
  walk:fan({ kind = "branch", p = p }, lists, function(index, steps)
    local time = walk:steps_of(steps, visits * p[index])
    sum = sum and time and sum + p[index] * time
  end)
  return sum
end

function ops.loop(walk, step, visits)
  local turns, times
  if step.again then
    local most = step.max or math.huge
    turns = step.again >= 1 and most
      or (1 - (most < math.huge and step.again ^ most or 0)) / (1 - step.again)
  else
    times = moments.of_cost(step.times, { attrs = walk.attrs, batch = 1 })
    turns = times and math.min(times.mean, step.max or math.huge)
  end
  if not turns then
    walk.complete = false
    walk:add { kind = "held" }
    return nil
  end
  local time
  walk:fan({ kind = "loop", turns = turns, again = step.again,
    turns_var = times and times.var }, { step.steps }, function(_, steps)
    time = walk:steps_of(steps, visits * turns)
  end)
  return time and time * turns
end

function ops.fork(walk, step, visits)
  local longest = 0
  -- The mean of the longest is more than the longest of the means.
  walk.approximate, walk.independent = true, false
  walk:fan({ kind = "fork" }, step.branches, function(_, steps)
    local time = walk:steps_of(steps, visits)
    longest = longest and time and math.max(longest, time)
  end)
  return longest
end

function ops.process(walk, step, visits)
  record(walk, step, visits, "a Lua process", nil)
  walk.complete = false
  walk:add { kind = "held" }
  return nil
end

-- From a prefill to a decode replica, when nobody else is on the link.
local function transfer_s(walk, server, tokens)
  local handover = server.handover
  if not handover then return 0 end
  local link = walk.model.stations[handover.station].link
  local rate = handover.rate or walk.model.links[link].bandwidth
  local bytes = tokens * handover.token_bytes + handover.sequence_bytes
  return handover.latency_s + bytes / rate
end

--- Of a request that is alone: its prompt in one step, its tokens one by one, at mean lengths. What
--- a server can take depends on what meets in its steps: that is for the simulation. Of several
--- kinds of replicas, on the first.
function ops.generate(walk, step, visits)
  local core = require "tandem.core"
  local server = walk.model.servers[step.server]
  local env = { attrs = walk.attrs, batch = 1 }
  local prompt, output = moments.of_cost(step.prompt, env), moments.of_cost(step.output, env)
  local model = core.llm.step(server.pools[1].step)
  local decode = model
  for _, pool in ipairs(server.pools) do
    if pool.role == "decode" then
      decode = core.llm.step(pool.step)
      break
    end
  end
  walk.complete = false
  walk:add { kind = "held" }
  if not (prompt and output and model) then
    record(walk, step, visits, server.name, nil)
    walk.steps[#walk.steps].lane = "GPU"
    return nil
  end
  local tokens = math.max(1, math.floor(prompt.mean + 0.5))
  local more = math.max(0, math.floor(output.mean - 0.5))
  local seconds = (server.request_s or 0) + model:step_s { prefill = { { tokens, 0 } } }
    + decode:decode_run_s({ decode = { tokens + 1 } }, more)
    + (more > 0 and transfer_s(walk, server, tokens) or 0)
  record(walk, step, visits, server.name, { mean = seconds, var = 0, approximate = true })
  local recorded = walk.steps[#walk.steps]
  recorded.lane = "GPU"
  recorded.llm = { server = step.server, rate = walk.rate and walk.rate * visits,
    prompt_tokens = prompt.mean, output_tokens = output.mean }
  return seconds
end

--- Walks a list of steps; returns the mean time a request spends in it with nobody else around.
function Walk:steps_of(steps, visits)
  local sum = 0
  for _, step in ipairs(steps) do
    local time = ops[step.op](self, step, visits)
    if not time then
      self.complete = false
    end
    sum = sum and time and sum + time
  end
  return sum
end

-- Of a recorded column; in conversations a value belongs to a turn, which is as good here.
local function column_moments(column)
  local sum, squares = 0, 0
  for i = 1, #column do
    sum, squares = sum + column[i], squares + column[i] ^ 2
  end
  local mean = sum / #column
  return { mean = mean, var = math.max(0, squares / #column - mean ^ 2) }
end

local function attribute_moments(class)
  local found = {}
  local rows = class.arrivals.rows
  for name, column in pairs(rows and rows.attrs or {}) do
    if #column > 0 then found[name] = column_moments(column) end
  end
  for name, value in pairs(class.attrs or {}) do
    found[name] = moments.of_cost(value, { attrs = {}, batch = 1 })
  end
  return found
end

local walk = {}

--- When a station stands still for repairs, by itself or with its GPU; nil: never.
---@param model table
---@param station table
---@return { between: tandem.Moments, repair: tandem.Moments, interrupts?: boolean }|nil
function walk.outages(model, station)
  local failing = station.mtbf and station or model.gpus[station.gpu]
  if not failing or not failing.mtbf or not failing.mttr then
    return nil
  end
  local between = moments.of_distribution(failing.mtbf)
  local repair = moments.of_distribution(failing.mttr)
  return between and repair
    and { between = between, repair = repair,
      interrupts = station.on_failure and station.on_failure ~= "wait" } or nil
end

---@class tandem.Walked
---@field unloaded_s? number   mean time of a request that meets nobody; nil when unknown
---@field approximate boolean  that mean is not exact
---@field complete boolean     all of its load could be said
---@field independent boolean  each GPU is drawn by itself, and nothing is held or forked
---@field route (tandem.Visit|tandem.Fan)[]

--- Walks the route of a class once.
---@param model table
---@param class table
---@param arrival tandem.ArrivalRate
---@param rate? number  requests per second; nil: unknown, so nothing is visited
---@param steps tandem.OfferedStep[]  gets the steps
---@param tallies table<integer, tandem.Tally>  get the visits
---@return tandem.Walked
function walk.class(model, class, arrival, rate, steps, tallies)
  local function seconds_of(distribution)
    local found = distribution and moments.of_distribution(distribution)
    return found and found.mean or math.huge
  end
  local lossy = class.patience or class.timeout or model.hooks and model.hooks.admit
  local one = setmetatable({ model = model, class = class, arrival = arrival, rate = rate,
    attrs = attribute_moments(class), steps = steps, tallies = tallies, list = {},
    complete = true, independent = true, approximate = false, after_loss = lossy and true or false,
    patience = math.min(seconds_of(class.patience), seconds_of(class.timeout)),
    group_shares = {} }, Walk)
  local unloaded = one:steps_of(class.route, 1)
  return { unloaded_s = unloaded, approximate = one.approximate, complete = one.complete,
    independent = one.independent, route = one.list }
end

return walk
