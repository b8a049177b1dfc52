--- Queueing formulas: the mean wait of a station before anything is simulated.
--
-- Owns Erlang C, Pollaczek–Khinchine and the Allen–Cunneen scaling between them; pure functions of
-- rates and moments. Which formula is exact for a station is decided here, not by the caller.
local queueing = {}

--- Probability that a customer of M/M/c waits.
---@param load number     offered load in servers, λ·E[S]
---@param servers integer
---@return number
function queueing.erlang_c(load, servers)
  if load >= servers then
    return 1
  end
  -- The recursion of Erlang B never overflows, unlike the sums of powers and factorials.
  local blocking = 1
  for count = 1, servers do
    blocking = load * blocking / (count + load * blocking)
  end
  local utilization = load / servers
  return blocking / (1 - utilization * (1 - blocking))
end

---@class tandem.StationLoad
---@field rate number      arrivals per second
---@field service tandem.Moments
---@field servers number
---@field arrival_cv2 number  squared coefficient of variation of the gaps; 1 is Poisson
---@field poisson boolean  the arrivals are exactly Poisson
---@field discipline? string

--- Work a station can do per second: processor sharing has one server's speed in all.
---@param station { servers: number, discipline?: string }
---@return number
function queueing.capacity(station)
  return station.discipline == "ps" and 1 or station.servers
end

--- Mean wait in seconds, and whether the formula is exact: Pollaczek–Khinchine for one server,
--- Erlang C for several exponential ones, else Allen–Cunneen. Infinite at or beyond saturation.
---@param station tandem.StationLoad
---@return number wait_s
---@return boolean exact
function queueing.wait(station)
  local service, servers = station.service, queueing.capacity(station)
  if servers == math.huge or station.rate == 0 or service.mean == 0 then
    return 0, true
  end
  local load = station.rate * service.mean
  if load >= servers then
    return math.huge, true
  end
  if station.discipline == "ps" then
    -- The time in the system is E[S]/(1 - ρ) whatever the distribution, when nobody queues.
    return service.mean * load / (1 - load), station.poisson and station.servers == math.huge
  end
  local cv2 = service.var / service.mean ^ 2
  local markov = queueing.erlang_c(load, servers) * service.mean / (servers - load)
  local wait = markov * (station.arrival_cv2 + cv2) / 2
  local exact = station.poisson and not service.approximate
    and (servers == 1 or math.abs(cv2 - 1) < 1e-9)
    and station.discipline ~= "priority" and station.discipline ~= "preempt"
  return wait, exact
end

return queueing
