--- How well what was fitted predicts visits that were not.
-- Owns the comparison of means on held-out visits; why one is off is cause.lua's. Called by
-- init.lua.

local cause = require "tandem.fit.cause"
local core = require "tandem.core"
local rest = require "tandem.fit.rest"
local views = require "tandem.fit.view"

local holdout = {}

local NEAR <const> = 0.05        -- what a prediction of a mean should hold to

---@class tandem.FitHoldRow
---@field stage string        a stage, "before STAGE", "after" or "total"
---@field visits integer      held out
---@field fitted integer      visits that were not
---@field predicted number    mean, seconds
---@field observed number
---@field error number        (predicted − observed) ÷ observed
---@field half number|nil     95 % half-width of that error
---@field within boolean      |error| ≤ 5 %
---@field cause string|nil    why not

local function joined(a, b)
  return table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {}))
end

-- `known` and `asked`: times and predictions of what was fitted and of what was held out.
local function row_of(name, known, asked, error_of_mean, fit, split)
  local off, observed = {}, asked.times
  for i, v in ipairs(observed) do off[i] = asked.predicted[i] - v end
  local mean, seen = views.mean(observed), core.estimate.mean(off)
  local t = core.stats.student_quantile(0.975, math.max(#observed - 1, 1))
  local error = math.sqrt((seen.error or 0) ^ 2 + error_of_mean ^ 2)
  local row = { stage = name, visits = #observed, predicted = views.mean(asked.predicted),
    observed = mean, error = (seen.mean or 0) / mean, fitted = #known.times,
    half = seen.error and t * error / mean }
  row.within = math.abs(row.error) <= NEAR
  if not row.within then
    row.cause = cause.of { error = row.error, half = row.half, fitted = #known.times,
      times = joined(known.times, observed), predicted = joined(known.predicted, asked.predicted),
      ratios = fit and fit.ratios, split = split }
  end
  return row
end

-- The stages and gaps of some requests in order of the pipeline, each with its visits' requests.
local function parts_of(ctx, some, by_stage, gaps)
  local list, before, after = {}, {}, nil
  for _, gap in ipairs(gaps) do
    if gap.before then before[gap.before] = gap else after = gap end
  end
  for _, stage in ipairs(ctx.train.stages) do
    local gap, request = before[stage.name], some:of(stage.name).request
    if gap then list[#list + 1] = { name = gap.name, view = gap.view, request = request } end
    list[#list + 1] = { name = stage.name, view = by_stage[stage.name], request = request }
  end
  if after then list[#list + 1] = { name = after.name, view = after.view } end
  return list
end

-- What is predicted of a part: by its model, or by the fitted part's mean where it has none.
local function predicted_of(ctx, part)
  local fit = ctx.models[part.name]
  if fit then return fit:predict(part.view) end
  local of_train = ctx.views[part.name]
  return views.constant(part.view.count, ctx.means[part.name]
    or of_train and views.mean(of_train.own) or 0.0)
end

-- Times and predictions of each part, and of requests as wholes.
local function told_of(ctx, some, parts)
  local told = { parts = {}, total = { times = views.constant(some.count, 0.0),
    predicted = views.constant(some.count, 0.0) } }
  for i, part in ipairs(parts) do
    local one = { times = part.view.own, predicted = predicted_of(ctx, part) }
    told.parts[i] = one
    for k, v in ipairs(one.times) do
      local request = part.request and part.request[k] or k
      told.total.times[request] = told.total.times[request] + v
      told.total.predicted[request] = told.total.predicted[request] + one.predicted[k]
    end
  end
  return told
end

--- Compare on the visits held out.
---@param ctx tandem.FitContext
---@param gaps tandem.FitRest[]  those of the fitted part
---@param hold tandem.Visits
---@param split string
---@return tandem.FitHoldRow[] rows  the total last
function holdout.rows(ctx, gaps, hold, split)
  local rows, by_stage, variance, standing_in = {}, {}, 0, {}
  for _, stage in ipairs(ctx.train.stages) do by_stage[stage.name] = views.of(hold, stage.name) end
  local asked_parts = parts_of(ctx, hold, by_stage, rest.of(hold, by_stage, gaps))
  local known = told_of(ctx, ctx.train, parts_of(ctx, ctx.train, ctx.views, gaps))
  local asked = told_of(ctx, hold, asked_parts)
  for i, part in ipairs(asked_parts) do
    local fit, view = ctx.models[part.name], part.view
    -- Where what was held out takes no time no error is relative to it.
    if fit and views.sum(view.own) > 0 then
      local error = fit:error_of_mean(view)
      rows[#rows + 1] = row_of(part.name, known.parts[i], asked.parts[i], error, fit, split)
      variance = variance + (error * view.count / hold.count) ^ 2
    elseif view.count > 0 and not fit then
      standing_in[#standing_in + 1] = part.name
    end
  end
  if hold.count > 0 and views.sum(asked.total.times) > 0 then
    local row = row_of("total", known.total, asked.total, math.sqrt(variance), nil, split)
    row.standing_in = #standing_in > 0 and standing_in or nil
    rows[#rows + 1] = row
  end
  return rows
end

return holdout
