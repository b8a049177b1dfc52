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
  local teams, seconds = node.servers, {}
  for size = 1, batch.max do
    local one = item.seconds(size)
    if not one then return end
    seconds[size] = one / teams / station.up
  end
  local wait = batch.wait or 0
  node.bulk = bulk.solve(node.requests, math.max(0.05, 1 + node.a), batch.max, seconds,
    type(wait) == "number" and wait or 0)
  if node.bulk and teams > 1 then
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
        * queueing.spread(station.utilization, 1, math.max(0, 1 + node.a), node.noise))
    end
  end
  return wait_s, false, lost
end

-- What a rate that switches adds, beyond a Poisson stream as strong.
local function switching(classes, node, station)
  local extra, peak = 0, 0
  if station.up * queueing.capacity(station) == math.huge then return 0, 0 end
  local servers = queueing.capacity(station) * (node.pool or 1)
  local mean = station.service.mean / station.up / servers
  local all = node.rate
  for position, class in ipairs(classes) do
    local states = class.arrival.states
    local mine = node.by_class[position]
    if states and mine and class.rate > 0 and mine > 0 then
      local rates, stays = {}, {}
      local spread = station.discipline == "ps" and 1 or (1 + node.noise) / 2
      for i = 1, #states, 2 do
        local rate = all + mine * (states[i] / class.rate - 1)
        rates[#rates + 1], stays[#stays + 1] = math.max(0, rate) / spread, states[i + 1]
        peak = math.max(peak, rate * mean)
      end
      local wait = all * mean < 1 and modulated.wait(rates, stays, mean * spread)
      if wait then
        local busy = all * mean
        extra = extra + math.max(0, wait - busy * mean * spread / (1 - busy))
      elseif all * mean < 1 then
        peak = math.huge
      end
    end
  end
  return extra, peak
end

-- Waits by class where the first class goes first.
local function set_priorities(classes, node, station)
  local levels, shares = {}, {}
  local servers = queueing.capacity(station)
  for position in ipairs(classes) do
    local mine = node.loads[position]
    if mine then
      local level = classes[position].class.priority or 0
      if not shares[level] then
        levels[#levels + 1], shares[level] = level, 0
      end
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
  local by_level = {}
  for i, level in ipairs(levels) do
    local wait = station.wait_s * factors[i]
    if station.discipline == "preempt" and servers == 1 then
      -- Only what goes before is waited for, and it interrupts.
      work = work + loads[i]
      wait = wait * work / station.utilization
        + station.service.mean * above / (1 - above)
    end
    above = above + loads[i]
    by_level[level] = wait
  end
  for position, class in ipairs(classes) do
    if node.loads[position] then
      node.waits[position] = by_level[class.class.priority or 0]
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
  local wait, is_exact, lost
  local p = node.once or node.near
  if p and not station.queue then
    local long = setmetatable({ rate = station.rate * (1 - p), service = {
      mean = station.service.mean / (1 - p), var = station.service.var / (1 - p)
        + p * (station.service.mean / (1 - p)) ^ 2,
      approximate = station.service.approximate, exponential = station.service.exponential } },
      { __index = own })
    wait, is_exact, lost = queueing.wait(long)
    wait = wait * (1 - p)
  elseif node.pool then
    wait, is_exact, lost = pooled(node, station, own)
  else
    wait, is_exact, lost = queueing.wait(own)
  end
  local extra, peak = switching(classes, node, station)
  if extra > 0 or peak > 0 then
    wait, is_exact, node.peak = wait + extra, false, peak
  end
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
  if node.peak and node.peak >= 1 then
    return "bursts bring more than it can serve"
  elseif services > 4.5 and not station.wait_exact then
    return "its times vary very much"
  elseif gaps > 4.5 and not node.bulk and not station.wait_exact then
    return "arrivals vary very much"
  elseif station.utilization > 0.95 and station.utilization < 1 and not station.wait_exact then
    return "it is nearly full"
  elseif station.patience and not station.wait_exact then
    return "its visitors may give up"
  end
end

return waits
