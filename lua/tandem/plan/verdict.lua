--- Does a configuration meet its limits? The decision rule of every plan, in one place.
--
-- A figure is one number a replication (independent luck), so Student's t holds for its mean. Each
-- look at a candidate asks two one-sided questions, "surely within?" and "surely beyond?".
--
-- Errors are held to 1 - confidence for one search as a whole by spending it: candidate number m of
-- a search, at its k-th look, may err with (1 - confidence) / (m (m+1) k (k+1)), which sums to
-- 1 - confidence over all candidates and looks however many there are. Where all of N candidates
-- may be tested (a scan, a choice of configurations) each gets 1/N in place of 1/(m (m+1)). "Meets"
-- needs every limit (an intersection: no correction); "misses" needs one (a union: divided by their
-- number, Bonferroni).
--
-- A quantile of a short correlated run is too small in the mean, by about ½ cv² ln(1/(1-q)) of
-- itself where tails are exponential and cv is the spread between replications. "Meets" adds that
-- to its bound, intervals that are shown are wider by it, and trial.lua makes runs longer where it
-- matters.
local core = require "tandem.core"

local verdict = {}

---@alias tandem.PlanState "meets"|"misses"|"undecided"

---@class tandem.PlanLimit
---@field key string         what tells it apart
---@field path string        where its values are in a result
---@field label string       "p99", "chat p99", "resources.L40 gpu.utilization"
---@field metric string|nil  of an objective
---@field class string|nil
---@field quantile number|nil  0.99 for p99
---@field limit number
---@field least boolean      the limit is a lower one
---@field lost boolean|nil   it is about lost requests
---@field implied boolean|nil  nobody asked for it: see limits.imply
---@field kind tandem.QuantityKind

---@class tandem.PlanFigure
---@field label string
---@field value number
---@field half number|nil    of the two-sided interval at the plan's confidence
---@field limit number
---@field least boolean
---@field kind tandem.QuantityKind
---@field margin number      room to the limit as a fraction of it; negative beyond it
---@field state tandem.PlanState
---@field bias number        what was added for short runs
---@field reach number       half-width of the one-sided bound

--- What may be wrong with the k-th look at the m-th candidate of a search.
---@param confidence number
---@param candidate integer
---@param look integer
---@return number
function verdict.alpha(confidence, candidate, look)
  return (1 - confidence) / (candidate * (candidate + 1) * look * (look + 1))
end

--- The same where the number of candidates is known and any of them may matter.
---@param confidence number
---@param candidates integer
---@param look integer
---@return number
function verdict.alpha_of(confidence, candidates, look)
  return (1 - confidence) / (candidates * look * (look + 1))
end

local function moments(values)
  local n, sum = #values, 0
  for _, v in ipairs(values) do sum = sum + v end
  local mean, squares = sum / n, 0
  for _, v in ipairs(values) do squares = squares + (v - mean) ^ 2 end
  return mean, n > 1 and math.sqrt(squares / (n - 1)) or math.huge
end

-- A replication in which nothing completed has no latency: beyond every upper limit, and no rate.
local function cleaned(values, least)
  local out = {}
  for i, v in ipairs(values) do
    if v ~= v then v = least and 0 or math.huge end
    out[i] = v
  end
  return out
end

--- One limit against its values.
---@param limit tandem.PlanLimit
---@param values number[]
---@param alpha number       of "meets"
---@param alpha_miss number  of "misses"
---@param confidence number
---@return tandem.PlanFigure
function verdict.figure(limit, values, alpha, alpha_miss, confidence)
  values = cleaned(values, limit.least)
  local mean, sd = moments(values)
  local n, bound = #values, limit.limit
  local figure = { label = limit.label, value = mean, limit = bound, least = limit.least,
    kind = limit.kind, lost = limit.lost, implied = limit.implied, bias = 0,
    reach = math.huge, state = "undecided" }
  figure.margin = limit.least and mean / bound - 1 or 1 - mean / bound
  if mean == math.huge or mean ~= mean then
    figure.value, figure.margin, figure.state = math.huge, -math.huge, "misses"
    return figure
  end
  local _, half = core.stats.interval(values, confidence)
  figure.half = half
  if limit.quantile and mean > 0 and sd < math.huge then
    figure.bias = 0.5 * (sd / mean) ^ 2 * math.log(1 / (1 - limit.quantile)) * mean
  end
  if n < 2 then return figure end
  figure.half = half and half + figure.bias
  local se = sd / math.sqrt(n)
  local up = core.stats.student_quantile(1 - alpha, n - 1) * se
  local down = core.stats.student_quantile(1 - alpha_miss, n - 1) * se
  figure.reach = up
  local excess = limit.least and bound - mean or mean - bound
  if excess + up + figure.bias <= 0 then figure.state = "meets"
  elseif excess - down > 0 then figure.state = "misses" end
  return figure
end

-- What differences are a fraction of: the limit, and of a share near 1 what is left of it, since
-- 99 % and 99.9 % are a factor of ten.
local function scale(figure)
  local limit = math.abs(figure.limit)
  if figure.kind == "percent" and limit < 1 then return math.min(limit, 1 - limit) end
  return limit
end

---@class tandem.PlanVerdict
---@field state tandem.PlanState
---@field figures tandem.PlanFigure[]  one a limit
---@field binding tandem.PlanFigure|nil  the one with the least room
---@field close boolean  undecided, and nearer to its limit than `precision`
---@field short boolean  undecided because the runs are short, not because they are few

--- All limits against their values.
---@param limits tandem.PlanLimit[]
---@param values table<string, number[]>  by key of the limit
---@param options { alpha: number, confidence: number, precision: number }
---@return tandem.PlanVerdict
function verdict.of(limits, values, options)
  local out = { state = "meets", figures = {}, close = true, short = false }
  local missed = false
  for i, limit in ipairs(limits) do
    local figure = verdict.figure(limit, values[limit.key], options.alpha,
      options.alpha / #limits, options.confidence)
    out.figures[i] = figure
    if not out.binding or figure.margin < out.binding.margin then out.binding = figure end
    if figure.state == "misses" then missed = true end
    if figure.state == "undecided" then
      out.state = "undecided"
      local near = options.precision * scale(figure)
      out.close = out.close and figure.reach + figure.bias <= near
      out.short = out.short or figure.bias > 0.3 * figure.reach
    end
  end
  if missed then out.state = "misses" end
  out.close = out.close and out.state == "undecided"
  return out
end

--- Of a configuration that is overloaded: times grow with the run, so they miss every upper limit.
---@param one tandem.PlanVerdict
function verdict.endless(one)
  for _, figure in ipairs(one.figures) do
    if figure.kind == "time" and not figure.least then
      figure.value, figure.half, figure.margin = math.huge, nil, -math.huge
      figure.state, one.state, one.binding, one.close = "misses", "misses", figure, false
    end
  end
end

--- The state by the estimates alone: where no claim is made.
---@param one tandem.PlanVerdict
---@return "meets"|"misses"
function verdict.by_estimate(one)
  return one.binding and one.binding.margin < 0 and "misses" or "meets"
end

return verdict
