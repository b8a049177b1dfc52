--- How well what was fitted predicts visits that were not.
-- Owns the comparison of means on held-out visits, and the words for why one is off. Called by
-- init.lua.

local core = require "tandem.core"
local format = require "tandem.format"
local rest = require "tandem.fit.rest"
local views = require "tandem.fit.view"

local holdout = {}

local NEAR <const> = 0.05        -- what a prediction of a mean should hold to
local ENOUGH <const> = 100       -- visits from which it should
local HEAVY <const> = 0.02       -- standard error of the mean itself, relative
local SURE <const> = 0.01        -- p of a drift that is called one

---@class tandem.FitHoldRow
---@field stage string        a stage, "before STAGE", "after" or "total"
---@field visits integer      held out
---@field predicted number    mean, seconds
---@field observed number
---@field error number        (predicted − observed) ÷ observed
---@field half number|nil     95 % half-width of that error
---@field within boolean      |error| ≤ 5 %
---@field cause string|nil    why not

local function halves(values)
  local a, b = {}, {}
  for i, v in ipairs(values) do table.insert(2 * i <= #values and a or b, v) end
  return a, b
end

-- A drift inside the visits that were fitted: the mean of their second half over their first.
local function drift(ratios)
  local a, b = halves(ratios)
  if #a < 2 or #b < 2 then return nil end
  local difference, _, p = core.estimate.difference(a, b)
  if not p or p > SURE then return nil end
  return difference / views.mean(a)
end

local function cause(row, fitted, relative_error, ratios, split)
  local fewer = math.min(row.visits, fitted)
  if fewer < ENOUGH then
    return ("%s, fewer than %d"):format(format.plural(fewer, "visit"), ENOUGH)
  end
  local change = ratios and drift(ratios)
  if change then
    return ("a drift: in the fitted part its time changes by %s from first half to second"):format(
      format.change(change))
  end
  if relative_error > HEAVY then
    return ("a heavy tail: the held-out mean is itself known only to ± %s"):format(
      format.percent(1.96 * relative_error))
  end
  if split == "half" then
    return "a change between the halves: the first was fitted, the second behaves otherwise"
  end
  return "its times do not follow the sizes that are known of its requests"
end

local function row_of(name, predicted, observed, error_of_mean, fit, split)
  local off = {}
  for i, v in ipairs(observed) do off[i] = predicted[i] - v end
  local mean, seen = views.mean(observed), core.estimate.mean(off)
  local t = core.stats.student_quantile(0.975, math.max(#observed - 1, 1))
  local error = math.sqrt((seen.error or 0) ^ 2 + error_of_mean ^ 2)
  local row = { stage = name, visits = #observed, predicted = views.mean(predicted),
    observed = mean, error = (seen.mean or 0) / mean,
    half = seen.error and t * error / mean }
  row.within = math.abs(row.error) <= NEAR
  if not row.within then
    row.cause = cause(row, fit and fit.count or math.huge, (seen.error or 0) / mean,
      fit and fit.ratios, split)
  end
  return row
end

-- Adds one part of the requests' times to the totals.
local function accumulate(total, of_request, values)
  for i, v in ipairs(values) do
    local request = of_request and of_request[i] or i
    total[request] = total[request] + v
  end
end

--- Compare on the visits held out.
---@param ctx tandem.FitContext
---@param gaps tandem.FitRest[]  those of the fitted part
---@param hold tandem.Visits
---@param split string
---@return tandem.FitHoldRow[] rows  the total last
function holdout.rows(ctx, gaps, hold, split)
  local rows, by_stage = {}, {}
  local predicted, observed = views.constant(hold.count, 0.0), views.constant(hold.count, 0.0)
  local variance, standing_in = 0, {}
  for _, stage in ipairs(ctx.train.stages) do by_stage[stage.name] = views.of(hold, stage.name) end
  local function add(name, view, of_request)
    if view.count == 0 then return end
    local fit = ctx.models[name]
    local means = fit and fit:predict(view)
    if fit then
      rows[#rows + 1] = row_of(name, means, view.own, fit:error_of_mean(view), fit, split)
      variance = variance + (fit:error_of_mean(view) * view.count / hold.count) ^ 2
    else
      standing_in[#standing_in + 1] = name
      local of_train = ctx.views[name]
      means = views.constant(view.count, ctx.means[name]
        or of_train and views.mean(of_train.own) or 0.0)
    end
    accumulate(predicted, of_request, means)
    accumulate(observed, of_request, view.own)
  end
  local gap_by_stage, after = {}, nil
  for _, gap in ipairs(rest.of(hold, by_stage, gaps)) do
    if gap.before then gap_by_stage[gap.before] = gap else after = gap end
  end
  for _, stage in ipairs(ctx.train.stages) do
    local of_request = hold:of(stage.name).request
    local gap = gap_by_stage[stage.name]
    if gap then add(gap.name, gap.view, of_request) end
    add(stage.name, by_stage[stage.name], of_request)
  end
  if after then add(after.name, after.view) end
  if hold.count > 0 and views.sum(observed) > 0 then
    local row = row_of("total", predicted, observed, math.sqrt(variance),
      { count = ctx.train.count }, split)
    row.standing_in = #standing_in > 0 and standing_in or nil
    rows[#rows + 1] = row
  end
  return rows
end

return holdout
