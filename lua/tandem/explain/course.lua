--- The course of a load that moves: its peak, and what waiting comes of it.
--
-- Owns the waits over time: at each moment those of a steady load as it is then (pointwise
-- stationary), and where more arrives than can be served, the backlog as a fluid (Newell 1982).
-- Words are init.lua's. Called by explain/init.
local arrivals = require "tandem.explain.arrivals"
local load = require "tandem.explain.load"
local queueing = require "tandem.explain.queueing"

local course = {}

local PIECES <const> = 96 -- of the course, and of each curve's lines together
local BUSIEST <const> = 0.97 -- no queue has the time for what comes above it

---@class tandem.Course
---@field lossy boolean        requests are turned away or give up: no backlog can be told
---@field peak_s number        when the most arrives
---@field peak_rps number
---@field bottleneck tandem.OfferedStation|nil  at the peak
---@field wait_s number        mean of all requests: about
---@field backlog number       the most requests that wait because more arrive than can be served
---@field longest_s number     how long the last of these waits: about
---@field over_s number        how long more arrives than can be served
---@field length_s number      of the course

local function busiest(offered)
  local most
  for _, station in ipairs(offered.stations) do
    if queueing.capacity(station) < math.huge
      and (not most or station.utilization > most.utilization) then
      most = station
    end
  end
  return most
end

-- The waits of a request, its visits together, with no station busier than BUSIEST.
local function wait_of(offered, rps)
  local sum = 0
  for _, station in ipairs(offered.stations) do
    local wait = station.wait_s
    if station.utilization > BUSIEST then wait = 0 end
    if wait < math.huge then sum = sum + wait * (station.requests or station.rate) / rps end
  end
  return sum
end

-- The times between which the rate is a straight line, and short enough.
local function pieces_of(model, length)
  local times, out = { length }, { 0 }
  for k = 1, PIECES - 1 do times[#times + 1] = length * k / PIECES end
  for _, class in ipairs(model.classes) do
    local points = arrivals.points_s(class.arrivals)
    local each = math.ceil(PIECES / math.max(1, #points - 1))
    for i = 2, #points do
      for k = 0, each do
        local at_s = points[i - 1] + (points[i] - points[i - 1]) * k / each
        if at_s > 0 and at_s < length then times[#times + 1] = at_s end
      end
    end
  end
  table.sort(times)
  for _, at_s in ipairs(times) do
    if at_s - out[#out] > 1e-9 * length then out[#out + 1] = at_s end
  end
  return out
end

local function is_lossy(model, offered)
  for _, class in ipairs(model.classes) do
    if class.patience or class.timeout then return true end
  end
  for _, station in ipairs(offered.stations) do
    if station.queue or station.patience then return true end
  end
  return false
end

-- The busiest moments are the points themselves.
local function peak_of(model, times, out)
  for _, at in ipairs(times) do
    local rps = 0
    for _, class in ipairs(model.classes) do
      -- Just before a jump, and just after it.
      rps = rps + math.max(arrivals.at(class.arrivals, at, model.duration).rps or 0,
        arrivals.at(class.arrivals, at * (1 + 1e-12), model.duration).rps or 0)
    end
    if rps > out.peak_rps then out.peak_s, out.peak_rps = at, rps end
  end
  local offered = load.of(model, out.peak_s)
  local after = load.of(model, out.peak_s * (1 + 1e-12))
  local a, b = busiest(offered), busiest(after)
  out.bottleneck = (not a or b and b.utilization > a.utilization) and b or a
end

-- Who comes to a station more than once waits there each time, the last times with little work
-- left, so that a backlog of work is one of more requests: how many times as many.
local function revisits(offered, station)
  local work, waits, left = 0, 0, 0
  for index = #offered.steps, 1, -1 do
    local step = offered.steps[index]
    if step.where == station.name and step.time then
      local each = step.visits * step.time.mean
      -- Of n visits of a step in a row, half of its work is left on average.
      left = left + step.visits * work + (step.visits + 1) / 2 * each
      work, waits = work + each, waits + step.visits
    end
  end
  return left > 0 and work * waits / left or 1
end

--- The course of a model's load; nil where it does not move, or cannot be told.
---@param model table
---@return tandem.Course|nil
function course.of(model)
  local length = arrivals.moves(model) and arrivals.course_s(model)
  if not length or length <= 0 then return nil end
  local out = { peak_s = 0, peak_rps = 0, wait_s = 0, backlog = 0, longest_s = 0, over_s = 0,
    lossy = false, length_s = length }
  local times = pieces_of(model, length)
  peak_of(model, times, out)
  local sum, waited, backlog, last = 0, 0, 0, { times = 1, capacity = math.huge }
  local held = 0 -- the wait at the last moment that a steady load would settle at
  for k = 2, #times do
    local step = times[k] - times[k - 1]
    local offered, rps = load.of(model, times[k - 1] + step / 2), 0
    out.lossy = out.lossy or is_lossy(model, offered)
    for _, class in ipairs(offered.classes) do
      if not class.rps then return nil end
      rps = rps + class.rps
    end
    local most = busiest(offered)
    if most and rps > 0 then
      local capacity, more = rps / most.utilization, 1
      if #offered.classes == 1 then more = revisits(offered, most) end
      last.times, last.capacity = more, capacity
      if rps > capacity then out.over_s = out.over_s + step end
      local before = backlog
      backlog = math.max(0, backlog + (rps - capacity) * step)
      if most.utilization <= BUSIEST and backlog == 0 then held = wait_of(offered, rps) end
      local area = backlog > 0 and (before + backlog) / 2 * step
        or before > 0 and before * before / (capacity - rps) / 2 or 0
      waited = waited + more * area + held * rps * step
      out.backlog = math.max(out.backlog, more * backlog)
      out.longest_s = math.max(out.longest_s, more * backlog / capacity)
    elseif rps > 0 then
      waited = waited + wait_of(offered, rps) * rps * step
    end
    sum = sum + rps * step
  end
  if sum <= 0 then return nil end
  -- Those who are left when the last one has come.
  waited = waited + last.times * backlog * backlog / last.capacity / 2
  out.wait_s = waited / sum
  return out
end

return course
