--- Two samples compared: the difference of a mean or a quantile in shares of the real one, with an
--- interval, and what that allows to say.
--
-- Owns the method. Values are in order of time. Where they come one by one, the spread of a mean is
-- that of batch means (core.stats), and that of a quantile follows from the batch means of being
-- below it. Where they hang together, as waits do, a sample is asked as the times of one
-- replication of a run are (core.stats.series): in sections, and with no interval where it has
-- seen too few ups and downs. Where both runs had the same requests, the spread is that of the
-- request-wise differences. How often intervals hold: tests/theory/score_spec.lua. Used by the
-- other files here.
local core = require "tandem.core"

local compare = {}

---@class tandem.Comparison
---@field real number|nil
---@field simulated number|nil
---@field difference number|nil  (simulated − real) ÷ real
---@field low number|nil         of its interval; nil where there is none
---@field high number|nil
---@field needs number|nil       where there is none: how many values would do, about

local function mean_of(values)
  local sum = 0
  for _, value in ipairs(values) do sum = sum + value end
  return sum / #values
end

--- Whether two lists are the same.
---@param a any[]
---@param b any[]
---@return boolean
function compare.are_equal(a, b)
  if #a ~= #b then return false end
  for i, value in ipairs(a) do
    if b[i] ~= value then return false end
  end
  return true
end

-- Limits of s ÷ r from the limits of both, which are independent: the method of variance estimates
-- recovery (Donner and Zou 2012). Nothing where r may be 0.
local function ratio_limits(r, s)
  if not (r.low and s.low and r.low > 0 and r.high < 2 * r.value) then return nil end
  local product = r.value * s.value
  local function root(limit_s, limit_r)
    return math.sqrt(math.max(0, product ^ 2
      - limit_s * limit_r * (2 * s.value - limit_s) * (2 * r.value - limit_r)))
  end
  return (product - root(s.low, r.high)) / (r.high * (2 * r.value - r.high)),
    (product + root(s.high, r.low)) / (r.low * (2 * r.value - r.low))
end

local function unpaired(r, s)
  local made = { real = r.value, simulated = s.value }
  if r.value > 0 then
    made.difference = s.value / r.value - 1
    local low, high = ratio_limits(r, s)
    if low then made.low, made.high = low - 1, high - 1 end
    if not (r.low and s.low) and (r.needs or s.needs) then
      made.needs = math.max(r.needs or 0, s.needs or 0)
    end
  end
  return made
end

-- The limits of a half-width. One that reaches −100 % says nothing: what is measured is positive.
local function limit(made, half)
  if half and (half == 0 or made.difference - half > -1) then
    made.low, made.high = made.difference - half, made.difference + half
  end
  return made
end

-- What needs no statistics: the same values, or nothing to divide by.
local function plain(real, simulated, r, s)
  if compare.are_equal(real, simulated) then
    return { real = r, simulated = s, difference = 0.0, low = 0.0, high = 0.0 }
  elseif r <= 0 then
    return { real = r, simulated = s }
  end
end

-- Values worth at least so large a share of as many independent ones, and whose interval is no
-- wider than so many times theirs, come one by one.
local SHARE <const>, WIDE <const> = 1 / 3, 2
local LEAST <const> = 8 -- values, as batch means want batches

-- Ups are what is rare: of what is near its most for most of the time they are its downs.
local function upwards(values)
  local least, most = math.huge, -math.huge
  for _, value in ipairs(values) do least, most = math.min(least, value), math.max(most, value) end
  if least < 0 or 2 * mean_of(values) <= most + least then return values end
  local turned = {}
  for i, value in ipairs(values) do turned[i] = most - value end
  return turned
end

-- Half the width of an interval of a mean; nil and how many values would do, where there is none.
-- Values that come one by one have that of batch means; `wider`, how many times as wide it is as of
-- independent ones, is told of these alone. Values that hang together say of how many ups and downs
-- they are, and want as many for an interval as the times of a run do. `smooth`: they are known to
-- hang together, and so many small ones in a row end an up.
local function spread(values, confidence, smooth)
  if #values < LEAST then return nil end
  local _, half = core.stats.batch_means(values, confidence)
  local _, own, needs, worth = core.stats.series(upwards(values), smooth):mean(confidence)
  if half and own == 0 then return half, 1 end -- but for rounding nothing varies
  if half and not smooth and worth >= SHARE * #values then
    local deviation = core.estimate.mean(values).sd
    local z = core.stats.normal_quantile((1 + confidence) / 2)
    local wider = math.max(1, half * math.sqrt(#values) / (z * deviation))
    if wider <= WIDE then return half, wider end
  end
  return own and math.max(own, half or 0), nil, needs
end

local function bounded(values, confidence, smooth)
  local mean = mean_of(values)
  local half, _, needs = spread(values, confidence, smooth)
  return { value = mean, low = half and mean - half, high = half and mean + half, needs = needs }
end

-- Of values of the same requests: those of the differences, once both suffice for themselves.
local function paired_spread(real, simulated, residuals, confidence, smooth)
  local half, wider, needs = spread(residuals, confidence, smooth)
  if wider then return half end
  local most = needs or 0
  for _, values in ipairs { real, simulated } do
    local own, _, wanted = spread(values, confidence, smooth)
    if not own then half, most = nil, math.max(most, wanted or 0) end
  end
  return half, not half and most > 0 and most or nil
end

--- Means. With `paired`, value i of both is of the same request (or the same piece of time).
---@param real number[]
---@param simulated number[]
---@param paired boolean
---@param confidence number
---@param smooth? integer  values hang together: so many small ones in a row end an up of theirs
---@return tandem.Comparison
function compare.means(real, simulated, paired, confidence, smooth)
  if #real == 0 or #simulated == 0 then
    return { real = #real > 0 and mean_of(real) or nil,
      simulated = #simulated > 0 and mean_of(simulated) or nil }
  end
  local r, s = mean_of(real), mean_of(simulated)
  local made = plain(real, simulated, r, s)
  if made then return made end
  if not paired then
    return unpaired(bounded(real, confidence, smooth), bounded(simulated, confidence, smooth))
  end
  -- The ratio estimator's residuals have the mean 0 and its spread.
  local residuals = {}
  for i, value in ipairs(real) do residuals[i] = simulated[i] - s / r * value end
  local half, needs = paired_spread(real, simulated, residuals, confidence, smooth)
  made = { real = r, simulated = s, difference = s / r - 1, needs = needs }
  return limit(made, half and half / r)
end

-- Confidences next to 1 have no quantile.
local MOST_CONFIDENCE <const> = 1 - 1e-12

---@class tandem.ScoreQuantile
---@field value number
---@field low number|nil
---@field high number|nil
---@field needs number|nil
---@field below integer[]|nil  which values are below it, where they come one by one
---@field slope number|nil     how far the quantile moves when the share below it does

-- A quantile with limits. Few values are beyond one near an end, and groups of a few can pass for
-- chance: how the values themselves hang together tells, too.
local function quantile(values, level, found, confidence, alone, smooth)
  local below, deviation = {}, math.sqrt(level * (1 - level))
  for i, value in ipairs(values) do below[i] = value <= found and 1 or 0 end
  local _, wider = nil, nil
  if alone then _, wider = spread(below, confidence) end
  local out = { value = found }
  if not wider then
    local value, half, needs = core.stats.series(values, smooth):quantile(level, confidence)
    out.needs = needs
    -- Half is the longer side of what is even in logarithms.
    if half then out.low, out.high = value * value / (value + half), value + half end
    return out
  end
  local z = core.stats.normal_quantile((1 + confidence) / 2)
  local enough = math.min(2 * core.stats.normal_cdf(z * wider) - 1, MOST_CONFIDENCE)
  local limits = core.estimate.quantiles(values, { level }, enough)[1]
  if limits.low and limits.high then
    out.low, out.high, out.below = limits.low, limits.high, below
    out.slope = (limits.high - limits.low) / (2 * z * deviation / math.sqrt(#values) * wider)
  end
  return out
end

-- Quantiles of the same requests: the spread is that of their ratio.
local function paired_quantiles(real, simulated, r, s, level, confidence, smooth)
  local made, half = { real = r.value, simulated = s.value, difference = s.value / r.value - 1 }
  if r.slope and s.slope then
    -- A quantile's error is that of the share below it times the slope (Bahadur).
    local residuals = {}
    for i = 1, #real do
      residuals[i] = s.slope * s.below[i] - s.value / r.value * r.slope * r.below[i]
    end
    half = spread(residuals, confidence)
    half = half and half / r.value
  else
    local by, _ = core.stats.series(real, smooth), nil
    _, half, made.needs = core.stats.series(simulated, smooth):ratio(by, level, confidence)
  end
  return limit(made, half)
end

--- Quantiles, in the order of the levels.
---@param real number[]
---@param simulated number[]
---@param levels number[]  0 to 1
---@param paired boolean
---@param confidence number
---@param smooth? integer  as of means
---@return tandem.Comparison[]
function compare.quantiles(real, simulated, levels, paired, confidence, smooth)
  local made = {}
  if #real == 0 or #simulated == 0 then
    for i = 1, #levels do made[i] = {} end
    return made
  end
  local function known(values)
    local _, wider = spread(values, confidence, smooth)
    return core.estimate.quantiles(values, levels), wider ~= nil
  end
  local of_real, real_alone = known(real)
  local of_simulated, simulated_alone = known(simulated)
  for i, level in ipairs(levels) do
    local r = quantile(real, level, of_real[i].value, confidence, real_alone, smooth)
    local s = quantile(simulated, level, of_simulated[i].value, confidence, simulated_alone, smooth)
    made[i] = plain(real, simulated, r.value, s.value) or not paired and unpaired(r, s)
      or paired_quantiles(real, simulated, r, s, level, confidence, smooth)
  end
  return made
end

---@alias tandem.ScoreVerdict "within"|"off"|"cannot tell"

--- What an interval allows to say: all of it within ± the tolerance, all of it outside, or neither.
---@param made tandem.Comparison
---@param within number
---@return tandem.ScoreVerdict
function compare.verdict(made, within)
  if not made.low then return "cannot tell" end
  if made.low >= -within and made.high <= within then return "within" end
  if made.low > within or made.high < -within then return "off" end
  return "cannot tell"
end

---@class tandem.DistributionDistance
---@field ks number|nil               Kolmogorov–Smirnov distance
---@field ks_p number|nil
---@field wasserstein number|nil      in the unit of the values
---@field wasserstein_share number|nil  of the real mean

-- Do neighbours depend on each other? Then the test of Kolmogorov and Smirnov has no valid p.
local function hangs_together(values)
  local correlation = core.estimate.mean(values).correlation
  return math.abs(correlation) * math.sqrt(#values) > core.stats.normal_quantile(0.995)
end

--- How far two distributions are from each other.
---@param real number[]
---@param simulated number[]
---@return tandem.DistributionDistance
function compare.distributions(real, simulated)
  if #real == 0 or #simulated == 0 then return {} end
  local distance, p = core.estimate.ks(real, simulated)
  local moved, r = core.estimate.wasserstein(real, simulated), mean_of(real)
  if hangs_together(real) or hangs_together(simulated) then p = nil end
  return { ks = distance, ks_p = p, wasserstein = moved,
    wasserstein_share = r > 0 and moved / r or moved == 0 and 0.0 or nil }
end

return compare
