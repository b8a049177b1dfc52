--- Who came, out of what was counted between scrapes: rate, burstiness, trend.
-- Requests that came in a bin are those that ended in it and those that are more inside at its end.
-- Burstiness is the index of dispersion of these counts, so it is known for the time between two
-- scrapes and longer. Called by twin.

local core = require "tandem.core"
local format = require "tandem.text.format"

local arrivals = {}

local SEED <const> = 1 -- of where in its bin each request came
local LEAST_BINS <const> = 10
local TREND_BINS <const> = 20
local WINDOWS <const> = { least = 3, most = 24, bins = 8 }

-- A quantile of chi square over its degrees of freedom (Wilson and Hilferty).
local function chi(z, n)
  return (1 - 2 / (9 * n) + z * math.sqrt(2 / (9 * n))) ^ 3
end

-- Bins from the first to the last in which somebody came.
local function busy(counts)
  local first, last = 1, #counts
  while first < last and counts[first] < 0.5 do first = first + 1 end
  while last > first and counts[last] < 0.5 do last = last - 1 end
  return first, last
end

---@class tandem.twin.Arrivals
---@field counts number[]   by bin
---@field width number      seconds of a bin
---@field first integer     bins in which requests came
---@field last integer
---@field rps number
---@field rps_low number
---@field rps_high number
---@field dispersion number|nil
---@field dispersion_low number|nil
---@field dispersion_high number|nil
---@field points number[][]|nil  { time, rps } where the rate moves
---@field kind "poisson"|"renewal"|"curve"
---@field why string|nil    burstiness is not identifiable

local function moments(counts, first, last)
  local n, sum, squares, lagged = last - first + 1, 0, 0, 0
  for k = first, last do sum = sum + counts[k] end
  local mean = sum / n
  for k = first, last do
    squares = squares + (counts[k] - mean) ^ 2
    if k > first then lagged = lagged + (counts[k] - mean) * (counts[k - 1] - mean) end
  end
  return mean, squares / math.max(n - 1, 1), squares > 0 and lagged / squares or 0
end

local function curve_of(a, n)
  local windows = math.max(WINDOWS.least, math.min(WINDOWS.most, n // WINDOWS.bins))
  local points = {}
  for w = 1, windows do
    local from, to = a.first + (w - 1) * n // windows, a.first + w * n // windows - 1
    local sum = 0
    for k = from, to do sum = sum + a.counts[k] end
    points[w] = { ((from + to + 1) / 2 - a.first) * a.width, sum / ((to - from + 1) * a.width) }
  end
  table.insert(points, 1, { 0, points[1][2] })
  points[#points + 1] = { n * a.width, points[#points][2] }
  return points
end

--- How many came in each bin: as counted, or those that ended and those more that are inside.
---@param merged tandem.metrics.Instance
---@param names table<string, string>
---@return number[]
function arrivals.counts(merged, names)
  if names.came then return merged:gained(names.came) --[[@as number[] ]] end
  local counts = merged:gained(names.ended) --[[@as number[] ]]
  for _, inside in ipairs { names.running or "", names.waiting or "" } do
    local levels = merged:gauge(inside)
    for k, count in ipairs(levels and counts or {}) do
      counts[k] = count + levels[k + 1] - levels[k]
    end
  end
  for k, count in ipairs(counts) do counts[k] = math.max(0, count) end
  return counts
end

--- Nil where nobody came.
---@param merged tandem.metrics.Instance
---@param names table<string, string>
---@return tandem.twin.Arrivals|nil
function arrivals.of(merged, names)
  local counts, times = arrivals.counts(merged, names), merged.times
  local a = { counts = counts, width = (times[#times] - times[1]) / (#times - 1) }
  a.first, a.last = busy(counts)
  local n = a.last - a.first + 1
  local mean, variance, lag = moments(counts, a.first, a.last)
  if mean == 0 then return nil end
  a.rps, a.kind = mean / a.width, "poisson"
  local half = 1.96 * math.sqrt(math.max(variance, mean) / n) / a.width
  if n < LEAST_BINS then
    half = 1.96 * math.sqrt(mean / n) / a.width
    a.why = ("only %s between scrapes have arrivals"):format(format.plural(n, "time"))
  else
    a.dispersion = variance / mean
    a.dispersion_low = a.dispersion / chi(1.96, n - 1)
    a.dispersion_high = a.dispersion / chi(-1.96, n - 1)
    if a.dispersion_low > 1 or a.dispersion_high < 1 then a.kind = "renewal" end
    if a.dispersion_low > 1 and n >= TREND_BINS and lag > 2 / math.sqrt(n) then
      a.kind, a.points = "curve", curve_of(a, n)
    end
  end
  a.rps_low, a.rps_high = math.max(0, a.rps - half), a.rps + half
  return a
end

--- As a scenario has them.
---@param a tandem.twin.Arrivals
---@return table
function arrivals.workload(a)
  local td, duration = require "tandem", (a.last - a.first + 1) * a.width
  if a.kind == "curve" then
    return td.curve { points = a.points, duration = duration }
  elseif a.kind == "renewal" then
    return td.renewal { rps = a.rps, cv = math.sqrt(a.dispersion), duration = duration }
  end
  return td.poisson { rps = a.rps, duration = duration }
end

--- The requests themselves, each anywhere in the bin it came in: the gaps between them.
---@param a tandem.twin.Arrivals
---@param most integer
---@return number[] gaps
---@return integer last  bin that is in
function arrivals.gaps(a, most)
  local at, count, last, owed = {}, 0, a.first, 0
  for k = a.first, a.last do
    owed = owed + a.counts[k]
    local here = math.floor(owed + 0.5)
    owed = owed - here
    if count > 0 and count + here > most then break end
    for _ = 1, here do -- the same in every run
      at[#at + 1] = (k - a.first + core.fraction(SEED, #at + 1)) * a.width
    end
    count, last = count + here, k
  end
  table.sort(at)
  local gaps = {}
  for i, time in ipairs(at) do gaps[i] = time - (at[i - 1] or 0) end
  return gaps, last
end

return arrivals
