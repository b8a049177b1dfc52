--- What each station waits for, given the stream that comes to it; and where that is rough.
--
-- Owns which formula is asked: batches (bulk.lua), rates that switch (modulated.lua), loops,
-- routers that look where there is room, priorities, else queueing.lua's. Called by network.lua.
local bulk = require "tandem.explain.bulk"
local modulated = require "tandem.explain.modulated"
local queueing = require "tandem.explain.queueing"

local waits = {}

-- The chain of a station that serves batches, where only one step comes to it.
local function set_bulk(node, station)
  local item = node.item
  local batch = item and item.batch
  if not batch or node.feeds > 1 or batch.static or batch.decide or batch.preferred
    or station.queue or station.servers == math.huge or batch.max > 256 then
    return
  end
  -- Behind a router that looks where there is room each has a queue of its own, evenly fed.
  local teams, seconds = station.servers, {}
  local spread = math.max(0.05, 1 + node.a)
  if node.pool then spread = math.max(0.3, spread / node.pool) end
  for size = 1, batch.max do
    local one = item.seconds(size)
    if not one then return end
    seconds[size] = one / teams / station.up
  end
  local wait = batch.wait or 0
  if node.bulk and math.abs(node.bulk.spread - spread) < 0.02 then return end
  node.bulk = bulk.solve(node.requests, spread, batch.max, seconds,
    type(wait) == "number" and wait or 0)
  if not node.bulk then return end
  node.bulk.spread = spread
  if teams > 1 then
    node.bulk.service_s = node.bulk.service_s * teams * station.up
  end
end

local function pooled(node, station, wait)
  local all = setmetatable({ servers = station.servers * node.pool,
    rate = station.rate * node.pool, queue = station.queue and station.queue * node.pool },
    { __index = wait })
  local wait_s, _, lost = queueing.wait(all)
  if station.servers == 1 and station.utilization < 1 and station.discipline ~= "ps" then
    if node.two then
      local sum = 0
      for k = 1, 12 do sum = sum + station.utilization ^ (2 ^ k - 2) end
      wait_s = math.max(wait_s, (sum - 1) * station.service.mean
        * queueing.spread(station.utilization, 1, 1 + node.a / 2, node.noise))
    end
  end
  return wait_s, false, lost
end

-- Of a rate that switches between two states, what a station on the way lets through: no more than
-- it serves, for as long as it takes.
local function capped(states, mean, cap)
  if #states ~= 4 or not cap or cap >= math.max(states[1], states[3]) then return states end
  local low, cycle = math.min(states[1], states[3]), states[2] + states[4]
  local share = (mean - low) / (cap - low)
  if not (share > 0 and share < 1) then return states end
  return { cap, share * cycle, low, (1 - share) * cycle }
end

-- What a rate that switches adds, beyond a Poisson stream as strong.
local function switching(classes, node, station)
  local extra, servers = 0, queueing.capacity(station) * (node.pool or 1)
  local mean, all = station.service.mean / station.up / servers, node.rate
  local busy = all * mean
  if servers == math.huge or busy >= 1 then return 0, false end
  local found = false
  for position, class in ipairs(classes) do
    local states, mine = class.arrival.states, node.by_class[position]
    if states and mine and mine > 0 then
      local rates, stays, most = {}, {}, 0
      local spread = station.discipline == "ps" and 1 or (1 + node.noise) / 2
      for i = 1, #states, 2 do most = math.max(most, states[i]) end
      states = capped(states, class.rate, node.caps[position])
      for i = 1, #states, 2 do
        local rate = all + mine * (states[i] / class.rate - 1)
        rates[#rates + 1], stays[#stays + 1] = math.max(0, rate) / spread, states[i + 1]
      end
      local wait = modulated.wait(rates, stays, mean * spread)
      node.unshaped = not wait or #states > 4 and most > (node.caps[position] or math.huge) or nil
      extra = extra + math.max(0, (wait or 0) - busy * mean * spread / (1 - busy))
      found = true
    end
  end
  return extra, found
end

-- Waits by class where the first class goes first.
local function set_priorities(classes, node, station)
  local levels, shares, squares, all = {}, {}, {}, 0
  local servers = queueing.capacity(station)
  for position in ipairs(classes) do
    local mine = node.loads[position]
    if mine then
      local level = classes[position].class.priority or 0
      if not shares[level] then
        levels[#levels + 1], shares[level], squares[level] = level, 0, 0
      end
      squares[level] = squares[level] + node.squares[position]
      all = all + node.squares[position]
      shares[level] = shares[level] + mine / servers / station.up
    end
  end
  table.sort(levels)
  local loads = {}
  for i, level in ipairs(levels) do loads[i] = shares[level] end
  if station.utilization >= 1 or station.wait_s == math.huge then return end
  local factors = queueing.by_priority(loads, station.utilization)
  node.waits = {}
  local sum, rate, above, work = 0, 0, 0, 0
  local by_level, stretch = {}, {}
  for i, level in ipairs(levels) do
    local wait = station.wait_s * factors[i]
    stretch[level] = 0
    if station.discipline == "preempt" then
      -- Only what goes before is waited for, and it interrupts.
      work = work + squares[level]
      wait = all > 0 and wait * work / all or wait
      stretch[level] = servers == 1 and above / (1 - above) or 0
    end
    above = above + loads[i]
    by_level[level] = wait
  end
  for position, class in ipairs(classes) do
    if node.loads[position] then
      local level = class.class.priority or 0
      node.waits[position] = by_level[level]
        + stretch[level] * node.loads[position] / node.by_class[position]
      sum = sum + node.by_class[position] * node.waits[position]
      rate = rate + node.by_class[position]
    end
  end
  station.wait_s = sum / rate
end

local function one_wait(classes, node, station)
  local exact = node.exact
  local own = setmetatable({ arrival_cv2 = exact and node.total or math.max(0, 1 + node.a),
    poisson = exact, shape = node.shape, group = node.size > 1 + 1e-9 and node.size or nil,
    passed_over = node.passed_over }, { __index = station })
  local wait, is_exact, lost, _
  local job = node.job
  if job and not exact and not station.queue then
    local long = setmetatable({ rate = job.rate, service = { mean = job.mean, var = job.var } },
      { __index = own })
    wait, _, lost = queueing.wait(long)
    wait, is_exact = wait * job.short, false
  elseif node.pool then
    wait, is_exact, lost = pooled(node, station, own)
  else
    wait, is_exact, lost = queueing.wait(own)
  end
  local extra, switches = switching(classes, node, station)
  if switches then wait, is_exact = wait + extra, false end
  return wait, is_exact, lost
end

--- Sets the wait of a station (wait_s, wait_exact, lost) by what comes to it.
---@param classes tandem.NetworkClass[]
---@param node tandem.Node
---@param station tandem.OfferedStation
function waits.set(classes, node, station)
  set_bulk(node, station)
  local wait, exact, lost
  if node.bulk then
    wait, exact, lost = node.bulk.wait_s, false, 0
  else
    wait, exact, lost = one_wait(classes, node, station)
  end
  station.wait_s, station.lost = wait, lost
  station.wait_exact = exact
  if (station.discipline == "priority" or station.discipline == "preempt") and not node.bulk then
    set_priorities(classes, node, station)
  end
  station.wait_s = math.min(station.wait_s, station.patience or math.huge)
  node.wait_s = station.wait_s
end

--- Why a wait may be far off; nil where it should not be.
---@param node tandem.Node
---@param station tandem.OfferedStation
---@return string|nil
function waits.rough(node, station)
  local gaps, services = 1 + node.a, node.noise
  if station.wait_s == math.huge or station.wait_s == 0 then return nil end
  if station.busy_is then
    return "what is lost before it, or comes again, is not counted"
  elseif node.given and node.item.batch then
    return "users and batches"
  elseif node.passed_over and station.up < 1 then
    return "others serve while one is repaired"
  elseif node.forked and (node.feeds > 1 or node.returns) then
    return "branches of a fork meet there"
  elseif node.waves then
    return "recorded arrivals come in waves"
  elseif node.unshaped then
    return "bursts bring more than can be served"
  elseif services > 4.5 and not station.wait_exact and not node.exact then
    return "its times vary very much"
  elseif gaps > 6 and not node.bulk and not station.wait_exact then
    return "arrivals vary very much"
  elseif station.utilization > 0.95 and station.utilization < 1 and not station.wait_exact then
    return "it is nearly full"
  elseif station.patience and not station.wait_exact then
    return "its visitors may give up"
  end
end

return waits
