--- Arrival processes lowered to the few kinds the engine knows.
-- Owns the meaning of each td arrival type in terms of constant, renewal, mmpp, curve, closed,
-- list, lua and coroutine.

local stations = require "tandem.lower.stations"

local arrivals = {}

local lower = {}

function lower.poisson(a)
  return { kind = "renewal", gap = { dist = "exponential", mean = 1 / a.rps } }
end

function lower.paced(a) return { kind = "constant", rps = a.rps } end

function lower.renewal(a)
  local gap = a.gap
  if not gap then
    gap = a.cv == 1 and { dist = "exponential", mean = 1 / a.rps }
      or { dist = a.shape, mean = 1 / a.rps, cv = a.cv }
  end
  return { kind = "renewal", gap = stations.as_dist(gap) }
end

function lower.mmpp(a)
  local states = {}
  for i, s in ipairs(a.states) do states[i] = { rps = s[1], mean_s = s[2] } end
  return { kind = "mmpp", states = states }
end

function lower.bursts(a)
  return { kind = "mmpp", states = { { rps = a.rps, mean_s = a.on },
    { rps = a.idle_rps + 0.0, mean_s = a.off } } }
end

function lower.curve(a)
  local points = {}
  for _, p in ipairs(a.points) do
    points[#points + 1] = p[1]
    points[#points + 1] = p[2]
  end
  return { kind = "curve", points = points, period = a.period }
end

-- 96 straight pieces a period: within 0.06 % of the sine.
local pieces = 96

function lower.diurnal(a)
  local points = {}
  for i = 0, pieces do
    local t = a.period * i / pieces
    local rate = a.mean + (a.peak - a.mean) * math.cos(2 * math.pi * (t - a.peak_at) / a.period)
    points[#points + 1] = t
    points[#points + 1] = math.max(0, rate)
  end
  return { kind = "curve", points = points, period = a.period + 0.0 }
end

function lower.ramp(a)
  return { kind = "curve", points = { 0.0, a.from, a.duration, a.to } }
end

function lower.spike(a)
  local to = a.at + a.width
  return { kind = "curve",
    points = { 0.0, a.base, a.at, a.base, a.at, a.peak, to, a.peak, to, a.base } }
end

function lower.closed(a)
  return { kind = "closed", users = a.users, think = stations.as_dist(a.think) }
end

function lower.replay(a)
  return { kind = "list", times = a.data.times, repeats = a.repeats,
    period = a.repeats and a.data.period or nil }
end

-- Classes that are replayed from one recording, which is a file or rows beside each other, keep
-- their distances, over and over where it comes again.
local function keep_offsets(group, lowered)
  local offsets = require("tandem.replay").offsets(group)
  local period = 0
  for i, data in ipairs(group) do
    if offsets[i] > 0 then
      local times = {}
      for k, t in ipairs(data.times) do times[k] = t + offsets[i] end
      lowered[i].times = times
    end
    if lowered[i].period then
      lowered[i].period = lowered[i].period + offsets[i]
      period = math.max(period, lowered[i].period)
    end
  end
  for i, data in ipairs(group) do
    if lowered[i].period and data.origin.speed == group[1].origin.speed then
      lowered[i].period = period
    end
  end
end

--- Moves those that are replayed to where they are in their recordings.
---@param classes table[] checked
---@param lowered table[] their arrivals in the model table
function arrivals.align(classes, lowered)
  local groups, order = {}, {}
  for i, class in ipairs(classes) do
    local a = class.arrivals
    local recording = a.type == "replay" and a.data.origin and (a.file or "")
    if recording and not groups[recording] then
      groups[recording] = { data = {}, lowered = {} }
      order[#order + 1] = groups[recording]
    end
    if recording then
      table.insert(groups[recording].data, a.data)
      table.insert(groups[recording].lowered, lowered[i])
    end
  end
  for _, group in ipairs(order) do
    if #group.data > 1 then keep_offsets(group.data, group.lowered) end
  end
end

-- What requests have of a recording; nil when it has nothing but times.
local function rows_of(data)
  if not data or not (next(data.attrs) or data.blocks) then return nil end
  return { count = data.count, attrs = data.attrs, turns = data.turns, blocks = data.blocks,
    random = data.random }
end

function lower.arrivals(a) return { kind = "lua", fn = a.fn } end
function lower.arrivals_coroutine(a) return { kind = "coroutine", fn = a.fn } end

--- Lower one checked arrival process.
---@param a table
---@return table ARR of the model table
function arrivals.lower(a)
  local out = lower[a.type](a)
  out.start, out.rows = a.start, rows_of(a.data)
  if a.batch then out.batch = stations.as_dist(a.batch) end
  return out
end

return arrivals
