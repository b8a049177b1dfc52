--- The noise of a stage as a distribution of factors around 1.
-- Owns the choice among tandem's distributions: the family of greatest likelihood, its mean set to
-- 1, where it is near enough; else the factors themselves, thinned. Called by context.lua.

local core = require "tandem.core"
local dist = require "tandem.language.dist"

local jitter = {}

local FAMILIES <const> = { "normal", "lognormal", "gamma", "weibull", "exponential" }
local LEAST_NOISE <const> = 1e-5  -- below, a stage is called constant
local NORMAL_MOST <const> = 0.3   -- of the cv: a wider normal would be cut at 0 and lose its mean
local FEW <const> = 30            -- below, no shape can be told
local NEAR <const> = 0.05         -- a distance of distribution functions that does not matter
local POINTS <const> = 40

---@class tandem.FitJitter
---@field node any              for the stage's `jitter`; nil: none
---@field family string         "constant", a family's name or "empirical"
---@field cv number
---@field error number|nil      standard error of the cv
---@field distance number|nil   of the distribution functions, data against family

-- Mean, cv, and the cv's standard error whatever the distribution (delta method on the moments).
local function spread(ratios)
  local n, mean, m2, m3, m4 = #ratios, 0, 0, 0, 0
  for _, v in ipairs(ratios) do mean = mean + v / n end
  for _, v in ipairs(ratios) do
    local off = v / mean - 1
    local square = off * off
    m2, m3, m4 = m2 + square / n, m3 + square * off / n, m4 + square * square / n
  end
  if n < 2 or m2 == 0 then return mean, 0.0, 0.0 end
  local relative = (m4 / (m2 * m2) - 1) / 4 - m3 / m2 + m2
  return mean, math.sqrt(m2 * n / (n - 1)), math.sqrt(m2 * math.max(relative, 0) / n)
end

--- The node of a family with mean 1.
---@param family string
---@param cv number
---@return any
function jitter.node(family, cv)
  if family == "normal" then return cv end
  if family == "exponential" then return dist.exponential { mean = 1.0 } end
  return dist[family] { mean = 1.0, cv = cv }
end

-- Means of equal parts of the sorted factors, so that their mean is the factors' own.
local function thinned(ratios, mean)
  local sorted = table.move(ratios, 1, #ratios, 1, {})
  table.sort(sorted)
  local points, values = math.min(POINTS, #sorted), {}
  for p = 1, points do
    local from, to = (p - 1) * #sorted // points + 1, p * #sorted // points
    local sum = 0
    for i = from, to do sum = sum + sorted[i] end
    -- Parts differ by one value at most; rounding to five digits is far below any error.
    values[p] = tonumber(("%.5g"):format(math.max(sum / (to - from + 1) / mean, 0)))
  end
  local total = 0
  for _, v in ipairs(values) do total = total + v / points end
  for p, v in ipairs(values) do values[p] = tonumber(("%.6g"):format(v / total)) end
  return dist.empirical { values = values }
end

local function error_of_cv(fit, count)
  if fit.family == "gamma" then return fit.errors[2] * 0.5 * fit.at[2] ^ -1.5 end
  if fit.family == "exponential" then return 0.0 end
  return fit.cv * math.sqrt((0.5 + fit.cv ^ 2) / count)
end

--- The distribution of factors.
---@param ratios number[]  times ÷ their means
---@return tandem.FitJitter
function jitter.of(ratios)
  local mean, cv, moment_error = spread(ratios)
  if cv < LEAST_NOISE then return { family = "constant", cv = 0.0 } end
  if #ratios < FEW then
    local family = cv < NORMAL_MOST and "normal" or "gamma"
    return { family = family, cv = cv, node = jitter.node(family, cv),
      error = math.max(moment_error, cv * math.sqrt((0.5 + cv ^ 2) / #ratios)) }
  end
  local best
  for _, family in ipairs(FAMILIES) do
    local fit = core.estimate.family(ratios, family)
    if fit and not (family == "normal" and fit.cv > NORMAL_MOST)
      and (not best or fit.aic < best.aic) then
      best = fit
    end
  end
  -- The 1 % point of the distance of a sample of a known distribution.
  local limit = math.max(NEAR, 1.63 / math.sqrt(#ratios))
  if best and best.distance <= limit and math.abs(best.cv / cv - 1) < 0.25 then
    -- The likelihood's error holds if the family is right; it is not always.
    return { family = best.family, cv = best.cv,
      error = math.max(error_of_cv(best, #ratios), moment_error),
      distance = best.distance, node = jitter.node(best.family, best.cv) }
  end
  return { family = "empirical", cv = cv, distance = best and best.distance,
    node = thinned(ratios, mean) }
end

return jitter
