--- How requests arrive: one after the other, evenly, independently, or as they were recorded.
-- Owns the tests that choose, and the node for a scenario's workload. The load is what the world
-- did, not a prediction: it is read from all requests, held out or not. Called by init.lua.

local core = require "tandem.core"
local arrivals_types = require "tandem.language.arrivals"
local attributes = require "tandem.fit.attributes"
local dist = require "tandem.language.dist"
local format = require "tandem.text.format"
local jitter = require "tandem.fit.jitter"
local views = require "tandem.fit.view"

local arrivals = {}

local LEAST <const> = 20     -- gaps that tell a process
local FEWEST <const> = 3     -- gaps that tell that requests follow one another
local EVEN <const> = 0.01    -- cv of gaps that are called even
local LEVEL <const> = 0.05   -- of the tests
local OVER <const> = 0.1     -- of the time of requests that follow one another, in two of them
local DRAWS <const> = 99
local TOGETHER <const> = 0.3 -- correlation of sizes that matters

---@class tandem.FitArrivals
---@field kind "closed"|"paced"|"poisson"|"gamma"|"replay"
---@field source string
---@field rate number|nil      requests a second
---@field error number|nil
---@field p number|nil         of the test that it passed
---@field node fun(names: string[]|nil): table  the workload; names: attributes that rows must have

-- One request after another, but for ends that lie a little over the next: does a longer one put
-- the next one off? The slope of the gap between arrivals on the duration is 1 where requests wait
-- for one another, 0 where the world decides.
local function is_closed(requests, gaps, durations)
  local busy, over, last = 0, 0, requests.arrival_ns[1]
  for i, arrival in ipairs(requests.arrival_ns) do
    over = over + math.max(0, last - arrival) * 1e-9
    last = math.max(last, requests.end_ns[i])
    busy = busy + durations[i]
  end
  if over > OVER * busy then return false end
  local x, y, mx, my = {}, {}, 0, 0
  for i, gap in ipairs(gaps) do
    x[i], y[i] = durations[i], gap
    mx, my = mx + x[i] / #gaps, my + gap / #gaps
  end
  local xx, xy, yy = 0, 0, 0
  for i, v in ipairs(x) do
    xx, xy, yy = xx + (v - mx) ^ 2, xy + (v - mx) * (y[i] - my), yy + (y[i] - my) ^ 2
  end
  -- Durations that are all the same differ by rounding alone.
  local slope = xx > #gaps * (1e-12 * mx) ^ 2 and xy / xx or nil
  local error = slope and math.sqrt(math.max(yy - slope * xy, 0) / math.max(#gaps - 2, 1) / xx)
  if not slope or error > 0.25 then return busy > 0.5 * (last - requests.arrival_ns[1]) * 1e-9 end
  return slope > 0.5
end

local function closed(requests)
  local think = {}
  for i = 1, #requests.arrival_ns - 1 do
    think[i] = math.max(0, (requests.arrival_ns[i + 1] - requests.end_ns[i]) * 1e-9)
  end
  local mean = views.mean(think)
  local made = jitter.of(think)
  local node
  if mean == 0 or made.family == "constant" then
    node = mean
  elseif made.family == "normal" then
    node = dist.normal { mean = mean, sd = made.cv * mean }
  elseif made.family == "exponential" then
    node = dist.exponential { mean = mean }
  elseif made.family == "empirical" then
    node = attributes.distribution(think)
  else
    node = dist[made.family] { mean = mean, cv = made.cv }
  end
  return { kind = "closed", source = ("each request begins when the one before has ended: one "
    .. "after the other, mean pause %s"):format(format.time(mean)),
    node = function() return arrivals_types.closed { users = 1, think = node } end }
end

-- Recorded arrivals with the attributes that the costs read.
local function replay(visits, why, value_of)
  return { kind = "replay", source = why, node = function(names)
    local requests = visits:requests()
    local rows, first = {}, requests.arrival_ns[1]
    for i, arrival in ipairs(requests.arrival_ns) do
      rows[i] = { arrival = (arrival - first) / 1e9 }
      for _, name in ipairs(names or {}) do rows[i][name] = value_of(name)[i] end
    end
    return arrivals_types.replay { rows = rows }
  end }
end

-- The largest correlation among attributes.
local function correlation(names, value_of)
  local most = 0
  for i = 1, #names do
    for j = i + 1, #names do
      local x, y = value_of(names[i]), value_of(names[j])
      local mx, my, xy, xx, yy = views.mean(x), views.mean(y), 0, 0, 0
      for k, v in ipairs(x) do
        xy, xx, yy = xy + (v - mx) * (y[k] - my), xx + (v - mx) ^ 2, yy + (y[k] - my) ^ 2
      end
      if xx * yy > 0 then most = math.max(most, math.abs(xy) / math.sqrt(xx * yy)) end
    end
  end
  return most
end

--- The same arrivals as rows where sizes go together, which draws of each would lose. One request
--- after the other stays so: rows would not wait.
---@param made tandem.FitArrivals
---@param visits tandem.Visits
---@param names string[]
---@param value_of fun(name: string): number[]
---@return tandem.FitArrivals
function arrivals.keep_together(made, visits, names, value_of)
  if made.kind == "replay" or made.kind == "closed" then return made end
  local most = correlation(names, value_of)
  if most <= TOGETHER then return made end
  return replay(visits, ("%s; as rows, since sizes go together (correlation %.2f)"):format(
    made.source, most), value_of)
end

local HOST <const> = 0.8      -- of the gaps, in which a host that does nothing else is busy

-- By request: when the last of its host stages ended.
local function host_ends(visits)
  local ends = {}
  for _, stage in ipairs(visits.stages) do
    if stage.lane == "CPU" then
      local of = visits:of(stage.name)
      for k, request in ipairs(of.request) do
        ends[request] = math.max(ends[request] or 0, of.end_ns[k])
      end
    end
  end
  return ends
end

--- Why a simulation under the same arrivals waits longer than the run did: the host begins requests
--- while the GPU is at earlier ones, and would begin them later were the GPU slower. Nil where the
--- run does not look so.
---@param made tandem.FitArrivals
---@param visits tandem.Visits
---@return string|nil
function arrivals.doubt(made, visits)
  local requests, ends = visits:requests(), host_ends(visits)
  local host, gaps, over = 0, 0, 0
  for i = 1, visits.count - 1 do
    local arrival, next_one = requests.arrival_ns[i], requests.arrival_ns[i + 1]
    host = host + math.min(ends[i] or arrival, next_one) - arrival
    gaps = gaps + next_one - arrival
    over = over + (next_one < requests.end_ns[i] and (ends[i] or next_one) <= next_one and 1 or 0)
  end
  if made.kind == "closed" or host < HOST * gaps or 2 * over < visits.count then return nil end
  return "requests overlap because the host runs ahead: it begins one while the GPU is at the one "
    .. "before. What the GPU holds up, arrivals as recorded do not, so that a simulation under "
    .. "them waits longer than the run did; requests that begin on the GPU (starts, sequence) "
    .. "overlap less"
end

--- The arrival process of a run.
---@param visits tandem.Visits
---@param value_of fun(name: string): number[]  an attribute of all requests
---@return tandem.FitArrivals
function arrivals.of(visits, value_of)
  local requests = visits:requests()
  local gaps, durations = {}, {}
  for i, arrival in ipairs(requests.arrival_ns) do
    if i > 1 then gaps[i - 1] = (arrival - requests.arrival_ns[i - 1]) * 1e-9 end
    durations[i] = (requests.end_ns[i] - arrival) * 1e-9
  end
  if #gaps >= FEWEST and is_closed(requests, gaps, durations) then return closed(requests) end
  if #gaps < LEAST then
    return replay(visits, ("%s cannot tell a process"):format(
      format.plural(#gaps, "gap")), value_of)
  end
  local m = core.estimate.mean(gaps)
  if m.mean <= 0 then return replay(visits, "all arrive at once", value_of) end
  local rate, error = 1 / m.mean, m.error / m.mean ^ 2
  if m.sd / m.mean < EVEN then
    return { kind = "paced", rate = rate, error = error,
      source = ("gaps are even: cv %.3f"):format(m.sd / m.mean),
      node = function() return arrivals_types.paced { rps = rate } end }
  end
  if m.batches > 0 then
    return replay(visits, ("gaps are correlated (%.2f): no renewal process"):format(m.correlation),
      value_of)
  end
  local fit = core.estimate.family(gaps, "exponential", DRAWS)
  if fit and fit.p > LEVEL then
    return { kind = "poisson", rate = rate, error = error, p = fit.p,
      source = ("gaps are exponential: p = %.2f"):format(fit.p),
      node = function() return arrivals_types.poisson { rps = rate } end }
  end
  fit = core.estimate.family(gaps, "gamma", DRAWS)
  if fit and fit.p > LEVEL then
    return { kind = "gamma", rate = rate, error = error, p = fit.p,
      source = ("gaps are gamma, cv %.2f: p = %.2f"):format(fit.cv, fit.p),
      node = function() return arrivals_types.renewal { rps = rate, cv = fit.cv } end }
  end
  return replay(visits, "gaps are neither even nor exponential nor gamma", value_of)
end

--- All values of sizes, as distributions for arrivals that carry none.
---@param names string[]
---@param value_of fun(name: string): number[]
---@return table<string, any>
function arrivals.attributes(names, value_of)
  local out = {}
  for _, name in ipairs(names) do out[name] = attributes.distribution(value_of(name)) end
  return out
end

return arrivals
