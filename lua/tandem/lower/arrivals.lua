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
