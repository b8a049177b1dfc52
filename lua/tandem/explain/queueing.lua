--- Queueing formulas: the mean wait of a station before anything is simulated.
--
-- Owns Erlang B and C, Pollaczek–Khinchine, what lies between them for streams and services of two
-- moments (Krämer and Langenbach-Belz 1976, Whitt 1993), limited queues, groups, priorities,
-- breakdowns; pure functions of rates and moments. Which formula is exact for a station is decided
-- here, not by the caller.
local queueing = {}

--- Probability that a customer of M/G/c/c finds every server busy.
---@param load number     offered load in servers, λ·E[S]
---@param servers integer
---@return number
local function erlang_b(load, servers)
  -- This recursion never overflows, unlike the sums of powers and factorials.
  local blocking = 1
  for count = 1, servers do
    blocking = load * blocking / (count + load * blocking)
  end
  return blocking
end

--- Probability that a customer of M/M/c waits.
---@param load number     offered load in servers, λ·E[S]
---@param servers integer
---@return number
function queueing.erlang_c(load, servers)
  if load >= servers then
    return 1
  end
  local blocking = erlang_b(load, servers)
  local utilization = load / servers
  return blocking / (1 - utilization * (1 - blocking))
end

---@class tandem.StationLoad
---@field rate number      arrivals per second
---@field service tandem.Moments
---@field servers number
---@field arrival_cv2 number  how spread arrivals are: variance of their number over its mean, as
---        the station feels it; of independent gaps their squared coefficient of variation
---@field poisson boolean  the arrivals are exactly Poisson
---@field discipline? string
---@field shape? number    the gaps are independent and gamma of this shape; infinite: all alike
---@field queue? integer   waiting places; nil: no limit
---@field group? number    E[X²]/E[X] of groups that arrive together; nil: they come one by one
---@field outages? { between: tandem.Moments, repair: tandem.Moments, interrupts?: boolean }  when
---        it stands still; interrupts: work is lost, not resumed
---@field passed_over? boolean  requests go to others while it does

--- Work a station can do per second: processor sharing has one server's speed in all.
---@param station { servers: number, discipline?: string }
---@return number
function queueing.capacity(station)
  return station.discipline == "ps" and 1 or station.servers
end

--- The fraction of time a station is not being repaired.
---@param station { outages?: { between: tandem.Moments, repair: tandem.Moments } }
---@return number
function queueing.up(station)
  local outages = station.outages
  return outages and outages.between.mean / (outages.between.mean + outages.repair.mean) or 1
end

-- Lost share and mean wait of M/M/c/K by birth and death. In units of a spread that is not 1 the
-- places are fewer and each is worth more: right for an endless queue (Allen–Cunneen) and for one
-- that is always full.
local function limited(load, servers, mean, queue, spread)
  local all_busy, busy = erlang_b(load, servers), load / servers
  local room = spread > 0 and queue / spread or math.huge
  if room == math.huge then
    -- Nothing varies: all is served, or what is too much never ends to fill the queue.
    local lost = math.max(0, 1 - 1 / busy)
    return lost, lost > 0 and queue * mean / servers or 0
  end
  -- Over its highest power, so that no power overflows: the chance of c + j is all_busy · busy^j.
  local unit, full = 1, busy ^ room
  if busy > 1 then unit, full = busy ^ -room, 1 end
  local chances = busy * (unit - full) / (1 - busy)
  local queued = busy * (unit - (room + 1) * full + room * full * busy) / (1 - busy) ^ 2
  if math.abs(busy - 1) * math.max(room, 1) < 1e-4 then
    chances, queued = room * unit, room * (room + 1) / 2 * unit
  end
  local all = unit + all_busy * chances
  local lost = all_busy * full / all
  return lost, spread * all_busy * queued / all * mean / (load * (1 - lost))
end

--- Mean wait of GI/M/1 with gamma gaps: σ, the chance to wait, is the transform of the gaps at
--- (1 - σ)/E[S] (Kleinrock 1975, chapter 6).
---@param busy number
---@param mean number  seconds of a service
---@param shape number  of the gaps; infinite: all alike
---@return number
function queueing.gamma_gaps(busy, mean, shape)
  local low, high = 0, 1
  for _ = 1, 60 do
    local sigma = (low + high) / 2
    local at = (1 - sigma) / busy
    local transform = shape < math.huge and (1 + at / shape) ^ -shape or math.exp(-at)
    -- Below the root the transform is larger than its argument, between it and 1 smaller.
    if transform > sigma then low = sigma else high = sigma end
  end
  return mean * low / (1 - low)
end

-- Of M/M/c, the wait of GI/G/c as a multiple (Whitt 1993, Production and Operations Management 2).
local function of_several(busy, servers, gaps, services)
  local extra = math.min(0.24, (1 - busy) * (servers - 1) * (math.sqrt(4 + 5 * servers) - 2)
    / (16 * servers * busy))
  local even = (1 - 4 * extra) * math.exp(-2 * (1 - busy) / (3 * busy))
  local spread = (gaps + services) / 2
  local mixed = spread >= 1 and 1 or math.min(1, (1 + extra + even) / 2) ^ (2 * (1 - spread))
  if gaps + services <= 0 then return 0 end
  local factor
  if gaps >= services then
    factor = 4 * (gaps - services) / (4 * gaps - 3 * services) * (1 + extra)
      + services / (4 * gaps - 3 * services) * mixed
  else
    factor = (services - gaps) / (2 * (gaps + services)) * even
      + (services + 3 * gaps) / (2 * (gaps + services)) * mixed
  end
  return factor * spread
end

--- How many times as long as in M/M/c the wait is, for gaps and services of two moments. For one
--- server exact where the gaps are exponential.
---@param busy number     below 1
---@param servers integer
---@param gaps number     squared coefficients of variation
---@param services number
---@param shape? number   of gamma gaps
---@return number
function queueing.spread(busy, servers, gaps, services, shape)
  if servers > 1 then return of_several(busy, servers, gaps, services) end
  local spread = (gaps + services) / 2
  if gaps < 1 and spread > 0 then
    -- Krämer and Langenbach-Belz: who comes evenly meets fewer than two moments tell.
    return spread * math.exp(-2 * (1 - busy) * (1 - gaps) ^ 2 / (3 * busy * (gaps + services)))
  elseif gaps > 1 and shape then
    return spread + queueing.gamma_gaps(busy, 1, shape) * (1 - busy) / busy - (gaps + 1) / 2
  end
  return spread
end

-- Groups that arrive together: who comes first in one waits for all before it, the others also for
-- those before them. Exact for M^X/G/1 (Burke 1975); several servers take a group at a time.
local function grouped(size, mean, load, servers, gaps, services)
  local teams = math.max(1, math.floor(servers / size + 0.5))
  local own = servers == 1 and (size - 1) / 2
    or size > servers and (size - servers) * (size - servers + 1) / (2 * size) or 0
  return queueing.erlang_c(load * teams / servers, teams) * mean / (servers - load)
    * size * queueing.spread(load / servers, teams, gaps / size, services / size)
    + own * mean / servers
end

--- Mean waits by class of a server that takes the first class first, as multiples of the wait in
--- order of arrival (Cobham 1954; Bondi and Buzen 1984 for several servers).
---@param loads number[]  share of the servers that each class takes, the first class first
---@param busy number     of all of them
---@return number[]
function queueing.by_priority(loads, busy)
  local out, above = {}, 0
  for i, one in ipairs(loads) do
    out[i] = (1 - busy) / ((1 - above) * (1 - above - one))
    above = above + one
  end
  return out
end

-- What standing still adds to the mean wait: who comes then waits for the rest of the repair, and
-- for those who did before; work is resumed, longer by the repairs that fall into it. Exact for
-- M/G/1 that breaks down after exponential times, busy or not (White and Christie 1958; Fuhrmann
-- and Cooper 1985); where it breaks down by the clock, outages do not pile up on each other.
local function standing_still(station, mean, busy, up)
  local between, repair = station.outages.between, station.outages.repair
  local rest = (repair.var + repair.mean ^ 2) / (2 * repair.mean)
  local chance = math.min(1, between.var / between.mean ^ 2)
  return (1 - up) * rest / (1 - busy * (up + (1 - up) * chance)) + mean * (1 - up)
end

local function exact_of(station, servers)
  local service, discipline = station.service, station.discipline
  local outages = station.outages
  if service.approximate or discipline == "priority" or discipline == "preempt" then
    return false
  elseif station.queue then
    return station.poisson and not outages and not station.group
      and (service.exponential or station.queue == 0) or false
  elseif station.shape or not station.poisson then
    return station.shape ~= nil and servers == 1 and service.exponential and not outages or false
  elseif outages then
    return servers == 1 and not station.passed_over and not outages.interrupts
      and outages.between.exponential
      and not outages.repair.approximate or false
  end
  return servers == 1 or service.exponential or false
end

--- Mean wait in seconds of those who are served, whether the formula is exact, and the share that
--- finds the queue full. Pollaczek–Khinchine for one server, Erlang C for several exponential ones,
--- their kin for limited queues, gamma gaps, groups and breakdowns, else by two moments. Infinite
--- at or beyond saturation, unless the queue is limited.
---@param station tandem.StationLoad
---@return number wait_s
---@return boolean exact
---@return number lost
function queueing.wait(station)
  local service, servers = station.service, queueing.capacity(station)
  if servers == math.huge or station.rate == 0 or service.mean == 0 then
    return 0, true, 0
  end
  local up = queueing.up(station)
  local load = station.rate * service.mean / up
  local queue = station.queue
  if station.discipline == "ps" then
    if station.servers < math.huge and queue and load >= 1 then
      return queue * service.mean / up, false, 1 - 1 / load
    elseif load >= 1 then
      return math.huge, true, 0
    end
    -- The time in the system is E[S]/(1 - ρ) whatever the distribution, when nobody queues; of
    -- other streams the work that is there counts, in requests of which a part is done.
    local spread = service.var / service.mean ^ 2
    local factor = station.poisson and 1 or 2 / (1 + spread)
      * queueing.spread(load, 1, station.arrival_cv2, spread, station.shape)
    if station.servers < math.huge then
      -- Who finds so many there waits in line (Avi-Itzhak and Halfin 1988).
      factor = factor * (1 + load ^ (station.servers - 1) * ((1 + spread) / 2 - 1))
    end
    return service.mean * load / (1 - load) * factor,
      station.poisson and station.servers == math.huge and not station.group
        and not service.approximate and up == 1, 0
  end
  local cv2, exact = service.var / service.mean ^ 2, exact_of(station, servers)
  local mean = service.mean / up
  local spread = (station.arrival_cv2 + cv2) / 2
  if queue then
    -- Without places nobody waits, and how the service varies makes no difference.
    local lost, wait = limited(load, servers, mean, queue, queue == 0 and 1 or spread)
    return wait, exact, lost
  elseif load >= servers then
    return math.huge, true, 0
  end
  local wait
  local gaps = station.arrival_cv2
  if (station.group or 1) > 1 then
    wait = grouped(station.group, mean, load, servers, gaps, cv2)
    exact = exact and servers == 1 and up == 1
  elseif station.shape and exact then
    wait = queueing.gamma_gaps(load, mean, station.shape)
  else
    wait = queueing.erlang_c(load, servers) * mean / (servers - load)
      * (exact and (servers > 1 and 1 or spread)
        or queueing.spread(load / servers, servers, gaps, cv2, station.shape))
  end
  if up < 1 and not station.passed_over then
    wait = wait + standing_still(station, mean, load / servers, up)
  end
  return wait, exact, 0
end

return queueing
