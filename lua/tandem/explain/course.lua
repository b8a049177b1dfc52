--- The course of a load that moves: its peak, and what waiting comes of it.
--
-- Owns the waits over time: at each moment those of a steady load as it is then (pointwise
-- stationary), and where more arrives than can be served, the backlog as a fluid (Newell 1982).
-- Words are init.lua's. Called by explain/init.
local arrivals = require "tandem.explain.arrivals"
local load = require "tandem.explain.load"
local queueing = require "tandem.explain.queueing"

local course = {}

local MOMENTS <const> = 96
local BUSIEST <const> = 0.97 -- no queue has the time for what comes above it

---@class tandem.Course
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
    if wait < math.huge then sum = sum + wait * station.rate / rps end
  end
  return sum
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
    length_s = length }
  local step, sum, waited, backlog = length / MOMENTS, 0, 0, 0
  local held = 0 -- the wait at the last moment that a steady load would settle at
  for k = 0, MOMENTS - 1 do
    local at = (k + 0.5) * step
    local offered, rps = load.of(model, at), 0
    for _, class in ipairs(offered.classes) do
      if not class.rps then return nil end
      rps = rps + class.rps
    end
    local most = busiest(offered)
    if rps > out.peak_rps then
      out.peak_s, out.peak_rps, out.bottleneck = at, rps, most
    end
    if most and rps > 0 then
      local capacity, times = rps / most.utilization, 1
      if #offered.classes == 1 then times = revisits(offered, most) end
      if rps > capacity then out.over_s = out.over_s + step end
      local before = backlog
      backlog = math.max(0, backlog + (rps - capacity) * step)
      if most.utilization <= BUSIEST and backlog == 0 then held = wait_of(offered, rps) end
      waited = waited + times * (before + backlog) / 2 * step + held * rps * step
      out.backlog = math.max(out.backlog, times * backlog)
      out.longest_s = math.max(out.longest_s, times * backlog / capacity)
    elseif rps > 0 then
      waited = waited + wait_of(offered, rps) * rps * step
    end
    sum = sum + rps * step
  end
  if sum <= 0 then return nil end
  out.wait_s = waited / sum
  return out
end

return course
