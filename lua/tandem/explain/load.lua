--- The load that a model offers to each station, from rates, visits and mean costs.
--
-- Owns the walk over routes: probabilities of branches, turns of loops, the share of each GPU
-- behind a router. Takes the model table (the planner's output) and gives plain numbers; words and
-- layout are explain.lua's.
local arrivals = require "tandem.explain.arrivals"
local moments = require "tandem.explain.moments"
local queueing = require "tandem.explain.queueing"

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
---@field utilization number      offered; above 1 it is overloaded
---@field batched? boolean        full batches were assumed: the least possible load
---@field wait_s number           expected mean wait; infinite at saturation
---@field wait_exact boolean

---@class tandem.OfferedStep
---@field class string
---@field name string
---@field lane string
---@field where string       the station, a role, or "outside"
---@field visits number      per request
---@field time? tandem.Moments  per visit; nil when it cannot be said
---@field batch? integer     largest batch

local LANE_OF_ROLE = { h2d = "H2D", gpu = "GPU", d2h = "D2H" }

local Walk = {}
Walk.__index = Walk

local function station_of(model, gpu, lane)
  for index, station in ipairs(model.stations) do
    if station.gpu == gpu and station.lane == lane then
      return index, station
    end
  end
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
    cost = { mean = cost.mean / speed, var = cost.var / speed ^ 2, approximate = cost.approximate }
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

--- Adds visits to a station. Mixed service times make one mixture: its mean and second moment.
function Walk:visit(index, rate, service, batched)
  local tally = self.tallies[index]
  if not tally then
    tally = { rate = 0, first = 0, second = 0, feeds = 0 }
    self.tallies[index] = tally
  end
  tally.rate = tally.rate + rate
  tally.first = tally.first + rate * service.mean
  tally.second = tally.second + rate * (service.var + service.mean ^ 2)
  tally.approximate = tally.approximate or service.approximate
  tally.batched = tally.batched or batched
  tally.feeds = tally.feeds + 1
  tally.poisson = self.at_source and self.arrival.poisson
  tally.cv2 = self.at_source and self.arrival.cv2 or 1
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
      local _, station = station_of(self.model, gpu, "GPU")
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

function ops.serve(walk, step, visits)
  local largest = step.batch and step.batch.max
  local batch = largest or 1
  local rate = walk.rate and walk.rate * visits / batch
  if not step.role then
    local station = walk.model.stations[step.station]
    local service = walk:service(step, station, station.gpu, batch)
    record(walk, step, visits, station.name, service, largest)
    if service and rate then
      walk:visit(step.station, rate, service, largest and largest > 1)
    end
    walk.at_source = false
    return service and walk:alone(step, station, station.gpu, service)
  end
  local lane = LANE_OF_ROLE[step.role]
  local group = walk.model.groups[step.gpus or walk.group or 1]
  local shares = walk:shares(group)
  local mean, var, known, approximate, alone = 0, 0, true, false, 0
  for position, gpu in ipairs(group.members) do
    local index, station = station_of(walk.model, gpu, lane)
    local service = index and walk:service(step, station, gpu, batch)
    if service then
      mean, var = mean + shares[position] * service.mean, var + shares[position] * service.var
      approximate = approximate or service.approximate
      alone = alone + shares[position] * walk:alone(step, station, gpu, service)
      if rate then
        walk:visit(index, rate * shares[position], service, largest and largest > 1)
      end
    else
      known = false
    end
  end
  -- A router other than random thins the stream into something smoother than Poisson.
  walk.at_source = false
  record(walk, step, visits, #group.members == 1
    and walk.model.gpus[group.members[1]].name or group.name, known and
    { mean = mean, var = var, approximate = approximate } or nil, largest)
  return known and alone or nil
end

function ops.delay(walk, step, visits)
  local time = walk:service(step, nil, nil, 1)
  record(walk, step, visits, "outside", time)
  return time and time.mean
end

function ops.route(walk, step)
  walk.group = step.group
  return 0
end

function ops.seize()
  return 0
end
ops.release = ops.seize

--- Means of the given lists of steps, weighted; nil when one of them cannot be said.
function ops.branch(walk, step, visits)
  local sum = 0
  walk.at_source = false
  for _, choice in ipairs(step.choices) do
    local time = walk:steps_of(choice.steps, visits * choice.p)
    sum = sum and time and sum + choice.p * time
  end
  return sum
end

function ops.loop(walk, step, visits)
  local turns
  if step.again then
    local most = step.max or math.huge
    turns = step.again >= 1 and most
      or (1 - (most < math.huge and step.again ^ most or 0)) / (1 - step.again)
  else
    local times = moments.of_cost(step.times, { attrs = walk.attrs, batch = 1 })
    turns = times and math.min(times.mean, step.max or math.huge)
  end
  walk.at_source = false
  if not turns then
    walk.complete = false
    return nil
  end
  local time = walk:steps_of(step.steps, visits * turns)
  return time and time * turns
end

function ops.fork(walk, step, visits)
  local longest = 0
  walk.at_source = false
  for _, steps in ipairs(step.branches) do
    local time = walk:steps_of(steps, visits)
    longest = longest and time and math.max(longest, time)
  end
  return longest
end

function ops.process(walk, step, visits)
  record(walk, step, visits, "a Lua process", nil)
  walk.complete = false
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
  walk.complete, walk.at_source = false, false
  if not (prompt and output and model) then
    record(walk, step, visits, server.name, nil)
    walk.steps[#walk.steps].lane = "GPU"
    return nil
  end
  local tokens = math.max(1, math.floor(prompt.mean + 0.5))
  local more = math.max(0, math.floor(output.mean - 0.5))
  local seconds = model:step_s { prefill = { { tokens, 0 } } }
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

---@class tandem.OfferedClass
---@field name string
---@field arrival tandem.ArrivalRate
---@field unloaded_s? number  mean time of a request that meets nobody; nil when unknown

---@class tandem.Offered
---@field classes tandem.OfferedClass[]
---@field steps tandem.OfferedStep[]      in route order
---@field stations tandem.OfferedStation[]  that anybody visits, in model order
---@field complete boolean                false when part of the load cannot be said

--- Throughput of a closed class with nobody else around: N / (think + time), a lower bound of the
--- load it offers and what its stations are judged by.
local function closed_rate(arrival, unloaded)
  local cycle = unloaded and arrival.think_s and unloaded + arrival.think_s
  return cycle and cycle > 0 and arrival.users / cycle or nil
end

--- The fraction of time a station is not being repaired.
local function up_fraction(station, gpu)
  local failing = station.mtbf and station or gpu
  if not failing or not failing.mtbf or not failing.mttr then
    return 1
  end
  local between = moments.of_distribution(failing.mtbf)
  local repair = moments.of_distribution(failing.mttr)
  return between and repair and between.mean / (between.mean + repair.mean) or 1
end

--- The load each station is offered.
---@param model table  the planner's output
---@return tandem.Offered
function load.of(model)
  local offered = { classes = {}, steps = {}, stations = {}, complete = true }
  local tallies = {}
  for position, class in ipairs(model.classes) do
    local arrival = arrivals.rate(class.arrivals, model.duration)
    local function walk_with(rate, steps, sums)
      local walk = setmetatable({ model = model, class = class, arrival = arrival, rate = rate,
        attrs = attribute_moments(class), steps = steps, tallies = sums, at_source = true,
        complete = true, group_shares = {} }, Walk)
      return walk:steps_of(class.route, 1), walk.complete
    end
    local rate = arrival.rps
    if arrival.users then
      -- Once to learn the time of a cycle, then again at the rate that follows from it.
      rate = closed_rate(arrival, (walk_with(nil, {}, {})))
    end
    local unloaded, complete = walk_with(rate, offered.steps, tallies)
    offered.complete = offered.complete and complete and rate ~= nil
    offered.classes[position] = { name = class.name, arrival = arrival, unloaded_s = unloaded }
  end
  for index, station in ipairs(model.stations) do
    local tally = tallies[index]
    if tally and tally.rate > 0 then
      local mean = tally.first / tally.rate
      local one = {
        index = index, name = station.name, lane = station.lane, gpu = station.gpu,
        servers = station.servers, discipline = station.discipline, rate = tally.rate,
        batched = tally.batched, arrival_cv2 = tally.feeds == 1 and tally.cv2 or 1,
        poisson = tally.feeds == 1 and tally.poisson or false,
        service = { mean = mean, var = math.max(0, tally.second / tally.rate - mean * mean),
          approximate = tally.approximate },
      }
      one.up = up_fraction(station, model.gpus[station.gpu])
      one.utilization = one.rate * mean / (queueing.capacity(one) * one.up)
      one.wait_s, one.wait_exact = queueing.wait(one)
      one.wait_exact = one.wait_exact and not tally.batched and one.up == 1
      offered.stations[#offered.stations + 1] = one
    end
  end
  return offered
end

return load
