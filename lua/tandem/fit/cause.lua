--- Why the predicted mean of a stage misses the one held out: one sentence, from the visits alone.
-- Owns the order in which causes are looked for and what each must show. Called by holdout.lua.

local core = require "tandem.core"
local format = require "tandem.text.format"
local views = require "tandem.fit.view"

local cause = {}

local ENOUGH <const> = 100       -- visits, fitted and held out, from which a mean should hold
local NEAR <const> = 0.05        -- what it should hold to
local SURE <const> = 0.01        -- p of a drift that is called one
local LONGEST <const> = 0.05     -- the visits that are looked at for a tail
local HEAVY <const> = 0.25       -- their share of the time; 0.2 where times are exponential
local APART <const> = 0.8        -- of the variance of logarithms; 0.75 where those are uniform
local TIMES_APART <const> = 3    -- means of two kinds of visits
local HALF <const> = 0.5         -- of the variance of times, which the kinds must explain
local KIND <const> = 0.05        -- of the visits, for them to be a kind
local LEAST_TIME <const> = 1e-9

---@class tandem.FitMiss
---@field error number
---@field half number|nil           of its 95 % interval
---@field fitted integer            visits
---@field times number[]            seconds, of visits fitted and held out
---@field predicted number[]        their means
---@field ratios number[]|nil       time ÷ mean of the fitted ones, in order
---@field split string

-- The mean of the second half of what was fitted over the first's, where they surely differ.
local function drift(ratios)
  local middle = #ratios // 2
  local a = table.move(ratios, 1, middle, 1, {})
  local b = table.move(ratios, middle + 1, #ratios, 1, {})
  if #a < 2 or #b < 2 then return nil end
  local difference, _, p = core.estimate.difference(a, b)
  if not p or p > SURE then return nil end
  return difference / views.mean(a)
end

local function drift_words(miss)
  local change = miss.ratios and drift(miss.ratios)
  return change and ("a drift: in the fitted part its time changes by %s from first half to second")
    :format(format.change(change))
end

--- The share of the time that the longest visits take, where it is that of a heavy tail.
---@param times number[]
---@return number|nil share
---@return integer count  of the longest
function cause.tail(times)
  local sorted = table.move(times, 1, #times, 1, {})
  table.sort(sorted, function(a, b) return a > b end)
  local count, sum = math.ceil(LONGEST * #sorted), 0
  for i = 1, count do sum = sum + sorted[i] end
  local share = sum / views.sum(sorted)
  return share >= HEAVY and share or nil, count
end

-- The cut of sorted values that leaves the least variance inside both parts (Otsu), and how much
-- of the variance lies between them.
local function best_cut(sorted)
  local n, total = #sorted, views.sum(sorted)
  local mean, variance = total / n, 0
  for _, v in ipairs(sorted) do variance = variance + (v - mean) ^ 2 / n end
  local below, most, at = 0, 0, nil
  for i = 1, n - 1 do
    below = below + sorted[i]
    local between = i / n * (1 - i / n) * (below / i - (total - below) / (n - i)) ^ 2
    if between > most and sorted[i + 1] > sorted[i] then most, at = between, i end
  end
  return at, variance > 0 and most / variance or 0
end

-- The share of the times' variance that knowing the kind takes away.
local function explained(times, share, distance)
  local mean, variance = views.mean(times), 0
  for _, v in ipairs(times) do variance = variance + (v - mean) ^ 2 / #times end
  return variance > 0 and share * (1 - share) * distance ^ 2 / variance or 0
end

--- Two kinds of visits, told apart by their time over its prediction: share of the shorter ones and
--- the mean time of each kind.
---@param times number[]
---@param predicted number[]
---@return number|nil share
---@return number|nil short
---@return number|nil long
function cause.kinds(times, predicted)
  local order, sorted, relative = {}, {}, {}
  for i, v in ipairs(times) do
    order[i] = i
    relative[i] = math.log(math.max(v, LEAST_TIME) / math.max(predicted[i], LEAST_TIME))
  end
  table.sort(order, function(a, b)
    if relative[a] ~= relative[b] then return relative[a] < relative[b] end
    return a < b
  end)
  for i, k in ipairs(order) do sorted[i] = relative[k] end
  local at, apart = best_cut(sorted)
  if not at or apart < APART or math.min(at, #order - at) < KIND * #order then return nil end
  local short, long = 0, 0
  for i, k in ipairs(order) do
    if i <= at then short = short + times[k] / at else long = long + times[k] / (#order - at) end
  end
  if long < TIMES_APART * short or explained(times, at / #order, long - short) < HALF then
    return nil
  end
  return at / #order, short, long
end

-- What makes a mean of visits uncertain.
local function spread_words(miss)
  local share, short, long = cause.kinds(miss.times, miss.predicted)
  if share then
    return ("two kinds of visits that no size tells apart: %s of them take %s, the others %s")
      :format(format.percent(share), format.time(short), format.time(long))
  end
  local tail, count = cause.tail(miss.times)
  if tail then
    return ("a heavy tail: the longest %s of %s visits take %s of the time"):format(
      format.integer(count), format.integer(#miss.times), format.percent(tail))
  end
end

local function wide_words(count, half)
  local wanted = math.ceil(count * (half / NEAR) ^ 2 / 100) * 100
  return ("a wide spread: the error is known to ± %s; to know it to 5 %% takes about %s visits")
    :format(format.percent(half), format.integer(wanted))
end

--- The cause.
---@param miss tandem.FitMiss
---@return string
function cause.of(miss)
  local count = #miss.times
  if count < ENOUGH then
    return ("%s in all, fewer than %d"):format(format.plural(count, "visit"), ENOUGH)
  end
  local off, half = math.abs(miss.error), miss.half
  local drifted = miss.split == "half" and (not half or off > half) and drift_words(miss)
  if drifted then return drifted end
  -- Intervals of means are too narrow where tails are heavy: not surely beyond them is not beyond.
  if half and off <= 2 * half then return spread_words(miss) or wide_words(count, half) end
  return miss.split == "half"
    and "a change between the halves: the first was fitted, the second behaves otherwise"
    or "its times do not follow the sizes that are known of its requests"
end

return cause
