--- Two samples compared: the difference of a mean or a quantile in shares of the real one, with an
--- interval, and what that allows to say.
--
-- Owns the method. Values are in order of time and may depend on their neighbours, so the spread of
-- a mean comes from batch means (core.stats), and that of a quantile from the batch means of being
-- below it, which says how many independent values the sample is worth; there is none where too few
-- are beyond it. Where both runs had the same requests, the spread is that of the request-wise
-- differences. Used by the other files here.
local core = require "tandem.core"

local compare = {}

---@class tandem.Comparison
---@field real number|nil
---@field simulated number|nil
---@field difference number|nil  (simulated − real) ÷ real
---@field low number|nil         of its interval; nil where there is none
---@field high number|nil

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

local function bounded(values, confidence)
  local mean, half = core.stats.batch_means(values, confidence)
  return { value = mean, low = half and mean - half, high = half and mean + half }
end

--- Means. With `paired`, value i of both is of the same request (or the same piece of time).
---@param real number[]
---@param simulated number[]
---@param paired boolean
---@param confidence number
---@return tandem.Comparison
function compare.means(real, simulated, paired, confidence)
  if #real == 0 or #simulated == 0 then
    return { real = #real > 0 and mean_of(real) or nil,
      simulated = #simulated > 0 and mean_of(simulated) or nil }
  end
  local r, s = mean_of(real), mean_of(simulated)
  local made = plain(real, simulated, r, s)
  if made then return made end
  if not paired then
    return unpaired(bounded(real, confidence), bounded(simulated, confidence))
  end
  -- The ratio estimator's residuals have the mean 0 and its spread.
  local residuals = {}
  for i, value in ipairs(real) do residuals[i] = simulated[i] - s / r * value end
  local _, half = core.stats.batch_means(residuals, confidence)
  return limit({ real = r, simulated = s, difference = s / r - 1 }, half and half / r)
end

-- Confidences next to 1 have no quantile.
local MOST_CONFIDENCE <const> = 1 - 1e-12

-- How many times as wide an interval of a mean is as of independent values; nil where it has none.
local function widened(values, deviation, confidence)
  local _, half = core.stats.batch_means(values, confidence)
  if not half then return nil end
  local z = core.stats.normal_quantile((1 + confidence) / 2)
  local independent = z * deviation / math.sqrt(#values)
  return independent > 0 and math.max(1, half / independent) or 1
end

local WIDE <const> = 2   -- from here on values come in groups
-- The fewest groups beyond a quantile: what lies beyond it in one busy period or two says nothing
-- of how often such periods come.
local LEAST_GROUPS <const> = 4

-- A quantile with limits for a sample of dependent values, which values are below it, and how far
-- the quantile moves when the share below it does. Few values are beyond a quantile near an end,
-- and groups of a few can pass for chance: how the values themselves hang together tells, too.
local function quantile(values, level, found, confidence, hang)
  local below = {}
  for i, value in ipairs(values) do below[i] = value <= found and 1 or 0 end
  local out, deviation = { value = found, below = below }, math.sqrt(level * (1 - level))
  local wider = widened(below, deviation, confidence)
  if not (wider and hang) then return out end
  local most = math.max(wider, hang)
  if most > WIDE and #values * math.min(level, 1 - level) < LEAST_GROUPS * most ^ 2 then
    return out
  end
  local z = core.stats.normal_quantile((1 + confidence) / 2)
  local enough = math.min(2 * core.stats.normal_cdf(z * wider) - 1, MOST_CONFIDENCE)
  local limits = core.estimate.quantiles(values, { level }, enough)[1]
  if limits.low and limits.high then
    out.low, out.high = limits.low, limits.high
    out.slope = (limits.high - limits.low) / (2 * z * deviation / math.sqrt(#values) * wider)
  end
  return out
end

local function compare_quantiles(real, simulated, r, s, paired, confidence)
  local made = plain(real, simulated, r.value, s.value)
  if made then return made end
  if not paired then return unpaired(r, s) end
  made = { real = r.value, simulated = s.value, difference = s.value / r.value - 1 }
  if not (r.slope and s.slope) then return made end
  -- A quantile's error is that of the share below it times the slope (Bahadur).
  local residuals = {}
  for i = 1, #real do
    residuals[i] = s.slope * s.below[i] - s.value / r.value * r.slope * r.below[i]
  end
  local _, half = core.stats.batch_means(residuals, confidence)
  return limit(made, half and half / r.value)
end

--- Quantiles, in the order of the levels.
---@param real number[]
---@param simulated number[]
---@param levels number[]  0 to 1
---@param paired boolean
---@param confidence number
---@return tandem.Comparison[]
function compare.quantiles(real, simulated, levels, paired, confidence)
  local made = {}
  if #real == 0 or #simulated == 0 then
    for i = 1, #levels do made[i] = {} end
    return made
  end
  local of_real = core.estimate.quantiles(real, levels)
  local of_simulated = core.estimate.quantiles(simulated, levels)
  local real_hang = widened(real, core.estimate.mean(real).sd, confidence)
  local simulated_hang = widened(simulated, core.estimate.mean(simulated).sd, confidence)
  for i, level in ipairs(levels) do
    local r = quantile(real, level, of_real[i].value, confidence, real_hang)
    local s = quantile(simulated, level, of_simulated[i].value, confidence, simulated_hang)
    made[i] = compare_quantiles(real, simulated, r, s, paired, confidence)
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
