--- A server's scrapes as one side of a comparison: its figures by bin.
--
-- A bin is the time between two scrapes. Owns which figures there are, and how a simulation is laid
-- beside a recording: both begin with the first bin in which requests came. Called by scraped.
local arrivals = require "tandem.twin.arrivals"
local metrics = require "tandem.metrics"
local names = require "tandem.metrics.names"
local simulated = require "tandem.metrics.simulated"

local scrapes = {}

local INVALID <const> = 3

---@class tandem.scraped.Figure
---@field key string
---@field name string
---@field kind "counter"|"gauge"|"histogram"
---@field unit ""|"tok"|"ns"|"1/s"|"count"

---@type tandem.scraped.Figure[]
scrapes.figures = {
  { key = "arrivals", name = "arrivals", kind = "counter", unit = "1/s" },
  { key = "ended", name = "finished", kind = "counter", unit = "1/s" },
  { key = "prompts", name = "tokens_in", kind = "counter", unit = "tok/s" },
  { key = "generated", name = "tokens_out", kind = "counter", unit = "tok/s" },
  { key = "hits", name = "hits", kind = "counter", unit = "tok/s" },
  { key = "preempted", name = "preempted", kind = "counter", unit = "1/s" },
  { key = "running", name = "running", kind = "gauge", unit = "count" },
  { key = "waiting", name = "waiting", kind = "gauge", unit = "count" },
  { key = "kv", name = "kv_use", kind = "gauge", unit = "" },
  { key = "ttft", name = "ttft", kind = "histogram", unit = "ns" },
  { key = "itl", name = "itl", kind = "histogram", unit = "ns" },
  { key = "tpot", name = "tpot", kind = "histogram", unit = "ns" },
  { key = "e2e", name = "e2e", kind = "histogram", unit = "ns" },
  { key = "queue", name = "queue", kind = "histogram", unit = "ns" },
  { key = "prompt", name = "prompt", kind = "histogram", unit = "tok" },
  { key = "output", name = "output", kind = "histogram", unit = "tok" } }

---@class tandem.scraped.Side
---@field merged tandem.metrics.Instance
---@field names table<string, string>
---@field arrivals tandem.twin.Arrivals
---@field count integer  servers
---@field server string|nil  whose names these are, where a simulation writes them, too

--- A side out of instances; nil and why they are none.
---@param instances tandem.metrics.Instance[]
---@param what string  whose they are
---@return tandem.scraped.Side|nil
---@return string|nil why
function scrapes.side(instances, what)
  local kept, dialect = names.servers(instances)
  if not kept then return nil, ("%s: %s"):format(what, dialect) end
  local merged = metrics.merged(kept)
  local known = names.of(merged, dialect)
  if #merged.times < 3 then
    return nil, ("%s: comparing wants three scrapes at least, and there %s"):format(what,
      #merged.times == 1 and "is one" or "are two")
  elseif not known.running then
    return nil, ("%s: there is no %s in it"):format(what, dialect.prefix
      .. dialect.names.running[1])
  end
  local a = arrivals.of(merged, known)
  if not a then return nil, ("%s: no request came while it was scraped"):format(what) end
  return { merged = merged, names = known, arrivals = a, count = #kept,
    server = dialect.server }
end

--- A simulation of a scenario as such scrapes would have seen it.
---@param scenario tandem.Scenario
---@param seed integer
---@param width number  seconds between two
---@param server string|nil  whose names
---@return tandem.scraped.Side|nil
---@return string|nil message
---@return integer|nil code
function scrapes.simulated(scenario, seed, width, server)
  local instances, message, code = simulated(scenario, seed, width, server)
  if not instances then return nil, tostring(message), code or INVALID end
  local side, why = scrapes.side(instances, "the simulation")
  if not side then return nil, why, INVALID end
  return side
end

--- Bins that all have, from the recording's first in which requests came: which, and how many.
---@param real tandem.scraped.Side
---@param sides tandem.scraped.Side[]
---@return integer from
---@return integer count
function scrapes.common(real, sides)
  local from = real.arrivals.first
  local count = real.arrivals.last - from + 1
  local width = real.arrivals.width
  for _, side in ipairs(sides) do
    local a = side.arrivals
    count = math.min(count, math.floor((a.last - a.first + 1) * a.width / width + 0.5))
  end
  return from, count
end

--- What a simulation shows in the recording's bins.
---@param side tandem.scraped.Side
---@param real tandem.scraped.Side
---@param from integer
---@param count integer
---@return tandem.metrics.Instance
function scrapes.laid(side, real, from, count)
  local a, times = side.arrivals, {}
  local start = side.merged.times[a.first]
  local zero = real.merged.times[from]
  for k = 0, count do times[k + 1] = start + real.merged.times[from + k] - zero end
  return metrics.seen_at(side.merged, times)
end

-- ---- figures by bin

---@class tandem.scraped.Series
---@field value number[]  by bin: a rate, a level, or a mean
---@field sum number[]|nil     histograms
---@field count number[]|nil
---@field histogram tandem.metrics.Histogram|nil

local function widths_of(times)
  local out = {}
  for k = 2, #times do out[k - 1] = times[k] - times[k - 1] end
  return out
end

local function counter_of(merged, known, key)
  local gained
  if key == "arrivals" then
    gained = arrivals.counts(merged, known)
  else
    gained = known[key] and merged:gained(known[key])
  end
  if not gained then return nil end
  local widths, out = widths_of(merged.times), {}
  for k, value in ipairs(gained) do out[k] = value / widths[k] end
  return { value = out }
end

-- The level in a bin is the mean of those at its ends; a share is that of a server.
local function gauge_of(merged, known, key, servers)
  local levels = merged:gauge(known[key] or "")
  if not levels then return nil end
  local out, share = {}, key == "kv" and servers or 1
  for k = 1, #levels - 1 do out[k] = (levels[k] + levels[k + 1]) / 2 / share end
  return { value = out }
end

local function histogram_of(merged, known, figure)
  local h = known[figure.key] and merged:histogram(known[figure.key])
  if not h then return nil end
  local scale = figure.unit == "ns" and 1e9 or 1
  local value, sum = {}, {}
  for k, count in ipairs(h.count) do
    sum[k] = h.sum[k] * scale
    value[k] = count > 0 and sum[k] / count or 0 / 0
  end
  return { value = value, sum = sum, count = h.count, histogram = h }
end

--- A figure by bin; nil: there is no such metric.
---@param merged tandem.metrics.Instance
---@param known table<string, string>
---@param figure tandem.scraped.Figure
---@param servers integer
---@return tandem.scraped.Series|nil
function scrapes.series(merged, known, figure, servers)
  if figure.kind == "counter" then return counter_of(merged, known, figure.key) end
  if figure.kind == "gauge" then return gauge_of(merged, known, figure.key, servers) end
  return histogram_of(merged, known, figure)
end

--- Has a run metrics of a server of language models?
---@param run tandem.Run
---@return boolean
function scrapes.are(run)
  for _, dialect in ipairs(names.dialects) do
    for _, name in ipairs(dialect.names.ended) do
      local pattern = dialect.prefix .. name
      if run.store.db:one("SELECT 1 AS found FROM counter WHERE run = ? AND (name = ? OR "
          .. "substr(name, 1, ?) = ?) LIMIT 1", run.number, pattern, #pattern + 1,
          pattern .. "{") then
        return true
      end
    end
  end
  return false
end

return scrapes
