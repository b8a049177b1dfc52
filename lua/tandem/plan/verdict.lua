--- Does a configuration meet its limits? The decision rule of every plan, in one place.
--
-- Each look at a candidate asks two one-sided questions, "surely within?" and "surely beyond?". The
-- interval that answers them is the one that is shown, so that a verdict never contradicts it.
--
-- Errors are held to 1 - confidence for one search as a whole by spending it: candidate number m of
-- a search, at its k-th look, may err with (1 - confidence) / (m (m+1) k (k+1)), which sums to
-- 1 - confidence over all candidates and looks however many there are. Where all of N candidates
-- may be tested (a scan, a choice of configurations) each gets 1/N in place of 1/(m (m+1)). It is
-- divided by the number of limits: "misses" needs one of them (Bonferroni).
--
-- A figure comes with the interval of its run (src/base/sections.h), or withheld where the run saw
-- too little for one; longer runs are trial.lua's. Where runs cannot be longer, and where a run has
-- no interval of its own, it is one number a replication (independent luck), so Student's t holds
-- for its mean. A quantile of a short correlated run is too small in the mean, by about
-- ½ cv² ln(1/(1-q)) of itself where tails are exponential and cv is the spread between
-- replications; that is added to its bound.
local core = require "tandem.core"

local verdict = {}

---@alias tandem.PlanState "meets"|"misses"|"undecided"

---@class tandem.PlanLimit
---@field key string         what tells it apart
---@field path string        where its values are in a result
---@field label string       "p99", "chat p99", "resources.L40 gpu.utilization"
---@field metric string|nil  of an objective
---@field class string|nil
---@field window number|nil  seconds, of an objective by window of time
---@field quantile number|nil  0.99 for p99
---@field limit number
---@field least boolean      the limit is a lower one
---@field lost boolean|nil   it is about lost requests
---@field implied boolean|nil  nobody asked for it: see limits.imply
---@field kind tandem.QuantityKind

---@class tandem.PlanFigure
---@field label string
---@field value number
---@field half number|nil    of the interval that decides; nil: the run has none
---@field needs { requests: number, by: "length"|"requests"|"replications" }|nil  for one
---@field limit number
---@field least boolean
---@field kind tandem.QuantityKind
---@field margin number      room to the limit as a fraction of it; negative beyond it
---@field state tandem.PlanState
---@field bias number        what was added for short runs

--- What runs say of a limit.
---@class tandem.PlanEstimate
---@field value number|nil
---@field half number|nil    at a confidence of 1 - 2 alpha
---@field needs { requests: number, by: "length"|"requests"|"replications" }|nil
---@field met boolean|nil    of an objective: what the run says of it, with an interval or without
---@field values number[]    one a replication

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

-- A replication in which nothing completed has no latency: beyond every upper limit, and no rate.
local function cleaned(values, least)
  local out = {}
  for i, v in ipairs(values) do
    if v ~= v then v = least and 0 or math.huge end
    out[i] = v
  end
  return out
end

-- From one value a replication: their mean, its half-width and what short runs take off it.
local function of_values(limit, values, alpha)
  values = cleaned(values, limit.least)
  local mean, sd = core.stats.moments(values)
  if mean == math.huge or mean ~= mean then return math.huge, nil, 0 end
  if #values < 2 then return mean, nil, 0 end
  local bias = limit.quantile and mean > 0
    and 0.5 * (sd / mean) ^ 2 * math.log(1 / (1 - limit.quantile)) * mean or 0
  return mean, core.stats.student_quantile(1 - alpha, #values - 1) * sd / math.sqrt(#values) + bias,
    bias
end

--- One limit against what runs say of it.
---@param limit tandem.PlanLimit
---@param estimate tandem.PlanEstimate
---@param alpha number       of "meets", and of "misses"
---@param last boolean|nil   there will be no longer runs: what is withheld is decided by its values
---@return tandem.PlanFigure
function verdict.figure(limit, estimate, alpha, last)
  local value, half, bias, needs = estimate.value, estimate.half, 0, nil
  local bound, met = limit.limit, estimate.met
  if not half and limit.window then
    needs = estimate.needs -- it is of all replications together, and no mean of theirs
  elseif not half then
    local mean, wide, short = of_values(limit, estimate.values, alpha)
    if not estimate.needs or last then
      value, half, bias = mean, wide, short
    else
      needs = estimate.needs
      -- Short runs make times too small, so that what they miss is missed.
      if wide and not limit.least and mean - (wide - short) > bound then met = false end
    end
  end
  local figure = { label = limit.label, value = value, half = half, needs = needs, limit = bound,
    least = limit.least, kind = limit.kind, lost = limit.lost, implied = limit.implied,
    bias = bias, state = "undecided" }
  figure.margin = limit.least and value / bound - 1 or 1 - value / bound
  if value == math.huge then
    figure.margin, figure.state = -math.huge, "misses"
  elseif half then
    local excess = limit.least and bound - value or value - bound
    if excess + half <= 0 then figure.state = "meets"
    elseif excess - (half - bias) > 0 then figure.state = "misses" end
  elseif met ~= nil then
    figure.state = met and "meets" or "misses"
  end
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
---@field needs number|nil  how many requests they lack for an interval

--- All limits against what runs say of them.
---@param limits tandem.PlanLimit[]
---@param estimates table<string, tandem.PlanEstimate>  by key of the limit
---@param options { alpha: number, precision: number, last: boolean|nil }
---@return tandem.PlanVerdict
function verdict.of(limits, estimates, options)
  local out = { state = "meets", figures = {}, close = true, short = false }
  local missed = false
  for i, limit in ipairs(limits) do
    local figure = verdict.figure(limit, estimates[limit.key], options.alpha / #limits,
      options.last)
    out.figures[i] = figure
    if not out.binding or figure.margin < out.binding.margin then out.binding = figure end
    if figure.state == "misses" then missed = true end
    if figure.state == "undecided" then
      out.state = "undecided"
      local half = figure.half or math.huge
      out.close = out.close and half <= options.precision * scale(figure)
      out.short = out.short or figure.needs ~= nil or figure.bias > 0.3 * (half - figure.bias)
      if figure.needs then
        out.needs = math.max(out.needs or 0, figure.needs.requests)
      end
    end
  end
  if missed then out.state = "misses" end
  out.close = out.close and out.state == "undecided"
  return out
end

--- Would all limits still hold if what twice the length changed came once more? Where figures move
--- towards their limits as runs grow, a fleet still fills up, and half of its way may be left.
---@param before tandem.PlanVerdict  of runs half as long
---@param now tandem.PlanVerdict
---@return boolean
function verdict.settled(before, now)
  for i, figure in ipairs(now.figures) do
    local sign = figure.least and -1 or 1
    local moved = math.max(0, sign * (figure.value - before.figures[i].value))
    if sign * (figure.value - figure.limit) + moved > 0 then return false end
  end
  return true
end

--- Of a configuration that is overloaded: times grow with the run, so they miss every upper limit.
---@param one tandem.PlanVerdict
function verdict.endless(one)
  for _, figure in ipairs(one.figures) do
    if figure.kind == "time" and not figure.least then
      figure.value, figure.half, figure.margin = math.huge, nil, -math.huge
      figure.needs, figure.state, one.state = nil, "misses", "misses"
      one.binding, one.close = figure, false
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
