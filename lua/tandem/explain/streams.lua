--- How even the streams between stations are: what comes out of one goes into the next.
--
-- Owns the indices of dispersion along the routes, as each station feels them on its own time
-- scale: merged, split, smoothed and roughened on the way (Whitt 1983; Whitt and You 2018). A
-- station that is nearly full feels what many requests together do, an empty one only the nearest
-- gaps. Called by network.lua, which knows what the stations are.
local core = require "tandem.core"
local queueing = require "tandem.explain.queueing"

local streams = {}

---@class tandem.Flow      requests on their way between two steps of a class
---@field rate number      a second
---@field a number         variance of their number over its mean, less 1
---@field pass number      share of what comes in that has come through since the last split
---@field size number      of groups that come together: E[X²]/E[X]
---@field apart_s number   by how much the members of a group have come apart

---@class tandem.Node      a station, or all behind a router that looks where there is room
---@field rate number
---@field mean number      seconds of a visit
---@field sd number
---@field servers number
---@field busy number
---@field noise number     squared coefficient of variation of its services, repairs included
---@field a number         of what comes in, as it is felt, less 1
---@field bulk? tandem.Bulk
---@field smooth? boolean  it lets Poisson through, whatever its services: processor sharing
---@field job? tandem.Job   visits of a request that count as one service

-- How far a renewal process has come from its first gap towards the long run, in gaps of its own.
local function phase(gaps)
  return gaps / (1 + gaps)
end

-- How much of what comes in still shows behind a queue, after a time in units of its relaxation
-- (Whitt and You 2018, the autocorrelation of reflected Brownian motion).
local function through(u)
  if u <= 0 then return 0 end
  if u > 60 then return 1 - 0.5 / u end
  local root = math.sqrt(u)
  local over = core.stats.normal_cdf(-root)
  local c = 2 * (1 - 2 * u - u * u) * over
    + 2 * root * math.exp(-u / 2) / math.sqrt(2 * math.pi) * (1 + u)
  return math.max(0, math.min(1, 1 - (1 - c) / (2 * u)))
end

-- How much shows after random delays of a standard deviation.
local function displaced(t, sd)
  if sd <= 0 then return 1 end
  local v = t / sd
  return v < 1e-6 and v / 2 or 1 - (1 - math.exp(-v)) / v
end

---@class tandem.Scale     at which one station feels what comes
---@field gaps number      in gaps of its own, for renewal processes
---@field count number     in requests, for queues on the way
---@field rate number      of the station
---@field job? tandem.Job  of the station
---@field busy number

streams.GAPS, streams.COUNT, streams.SHORT = 2, 2, 0.1

--- The scale of a station.
---@param node tandem.Node
---@return tandem.Scale
function streams.scale(node)
  local idle = math.max(0.02, 1 - node.busy)
  local job = node.job
  local noise = job and job.var / job.mean ^ 2 or node.noise
  local spread = math.max(0.3, math.min(8, 1 + node.a + noise))
  local short = math.max(streams.SHORT, math.min(1, (1 + node.a + noise) / 2))
  return { gaps = streams.GAPS * short / idle ^ 2, rate = job and job.rate or node.rate, job = job,
    busy = node.busy,
    count = math.max(1, streams.COUNT * spread * node.busy ^ 2 / idle ^ 2) }
end

--- What arrives of a class.
---@param arrival tandem.ArrivalRate
---@param rate number
---@param scale tandem.Scale
---@return tandem.Flow
function streams.source(arrival, rate, scale)
  local size = arrival.groups and arrival.groups.size or 1
  local total = arrival.groups and arrival.groups.total or arrival.cv2
  if arrival.shape and arrival.shape < 1 and scale.busy > 0 and scale.busy < 1 then
    -- Gaps that are mostly short come in clusters, which two moments do not tell.
    local wait = queueing.gamma_gaps(scale.busy, 1, arrival.shape)
    total = 2 * wait * (1 - scale.busy) / scale.busy - 1
  end
  return { rate = rate, a = (total - 1) * phase(scale.gaps * rate / scale.rate), pass = 1,
    size = size, apart_s = 0 }
end

--- A part of a flow that goes another way by chance.
---@param flow tandem.Flow
---@param p number
---@return tandem.Flow
function streams.part(flow, p)
  return { rate = flow.rate * p, a = flow.a * p, pass = 1, size = 1 + p * (flow.size - 1),
    apart_s = flow.apart_s }
end

--- Every so many-th of a flow.
---@param flow tandem.Flow
---@param count integer
---@param share number
---@param scale tandem.Scale
---@return tandem.Flow
function streams.taken(flow, count, share, scale)
  local rate = flow.rate * share
  return { rate = rate, pass = 1, size = math.max(1, flow.size / count), apart_s = flow.apart_s,
    a = flow.a / count + (1 / count - 1) * phase(scale.gaps * rate / scale.rate) }
end

--- What leaves a station of what came in.
---@param flow tandem.Flow
---@param node tandem.Node
---@param scale tandem.Scale
---@return tandem.Flow
function streams.behind(flow, node, scale)
  local out = { rate = flow.rate, size = flow.size, apart_s = flow.apart_s }
  local busy = math.min(node.busy, 0.995)
  local count = scale.count * node.rate / scale.rate
  local idle = 1 - busy
  local spread = math.max(0.2, 1 + node.a + node.noise)
  local w = busy > 0
    and math.max(idle * (1 + busy), through(idle * idle * count / (busy * spread))) or 1
  if node.servers > 1 and node.sd > 0 then
    w = w * displaced(scale.count / scale.rate, node.sd)
  end
  local share = node.rate > 0 and flow.rate / node.rate or 1
  local gaps = scale.gaps * node.rate / scale.rate
  local own
  if node.bulk then
    local bulk = node.bulk
    own = (bulk.total - 1) * phase(gaps)
    out.size, out.apart_s = bulk.group, 0
  else
    own = node.smooth and 0 or (node.noise - 1) * phase(gaps / node.servers)
    -- One by one, or side by side.
    local apart = node.servers < flow.size and node.mean / node.servers
      or 2.2 * node.sd / math.max(2, flow.size)
    out.apart_s = math.max(out.apart_s, apart)
  end
  if node.servers == math.huge then own = 0 end
  out.a, out.pass = w * flow.a + (1 - w) * share * own, flow.pass * w
  return out
end

--- A flow after delays that are the same for nobody.
---@param flow tandem.Flow
---@param sd number
---@param scale tandem.Scale
---@return tandem.Flow
function streams.delayed(flow, sd, scale)
  local w = displaced(scale.count / scale.rate, sd)
  return { rate = flow.rate, a = flow.a * w, pass = flow.pass * w, size = flow.size,
    apart_s = math.max(flow.apart_s, sd) }
end

--- Parts of a flow that come together again: what was even before the split is so again.
---@param before tandem.Flow
---@param parts tandem.Flow[]
---@return tandem.Flow
function streams.together(before, parts)
  local out = { rate = 0, a = 0, pass = 0, size = 0, apart_s = 0 }
  local squares, passed = 0, 0
  for _, part in ipairs(parts) do
    local p = before.rate > 0 and part.rate / before.rate or 0
    out.rate, out.a = out.rate + part.rate, out.a + p * part.a
    out.size, out.apart_s = out.size + p * part.size, math.max(out.apart_s, part.apart_s)
    passed, squares = passed + p * part.pass, squares + (p * part.pass) ^ 2
  end
  local cross = passed ^ 2 - squares
  out.a = out.a + before.a * cross
  out.pass = before.pass * math.sqrt(math.max(0, cross + squares))
  return out
end

--- What a station feels of what comes to it.
---@param a number  of all flows, by their rates
---@param scale tandem.Scale
---@return number
function streams.felt(a, scale)
  return math.max(-1, a / phase(scale.gaps))
end

return streams
