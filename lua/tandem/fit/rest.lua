--- Time of requests in no stage: host overhead before and between stages, and after the last.
-- Owns its models, the td.delay steps that stand for it, and where they go in a pipeline. Called by
-- init.lua.

local node = require "tandem.node"
local stages = require "tandem.stages"
local terms = require "tandem.fit.terms"
local given = require "tandem.fit.given"
local views = require "tandem.fit.view"

local rest = {}

-- Gaps with less than this of all time are not worth a step of their own: they join the last one,
-- which is left out when it is as small.
local SMALL <const> = 1e-3

local AFTER <const> = "after"

---@class tandem.FitRest
---@field name string          the step's
---@field before string|nil    the stage it comes before; nil: the end
---@field view tandem.FitView  whose `own` is the gaps

--- The name of the gap before a stage.
---@param stage string
---@return string
function rest.name(stage) return "before " .. stage end

-- A stage's gaps as a view of their own.
local function gaps_of(view)
  local out = {}
  for k, v in pairs(view) do out[k] = v end
  out.own = view.rest
  return out
end

-- The time of gaps without a step of their own, spread evenly over what comes after.
local function join(tail, sum)
  for i = 1, tail.count do tail.own[i] = tail.own[i] + sum / tail.count end
end

--- Which gaps become steps: in order of the pipeline, the end last.
---@param visits tandem.Visits
---@param by_stage table<string, tandem.FitView>
---@param like tandem.FitRest[]|nil  the same gaps as these, for visits that were held out
---@return tandem.FitRest[]
function rest.of(visits, by_stage, like)
  local tail, list, wanted = views.tail(visits), {}, nil
  local all = views.sum(tail.own)
  for _, view in pairs(by_stage) do all = all + views.sum(view.own) + views.sum(view.rest) end
  if like then
    wanted = {}
    for _, gap in ipairs(like) do wanted[gap.name] = true end
  end
  for _, stage in ipairs(visits.stages) do
    local view, name = gaps_of(by_stage[stage.name]), rest.name(stage.name)
    local sum = views.sum(view.own)
    if wanted and wanted[name] or not wanted and sum > SMALL * all then
      list[#list + 1] = { name = name, before = stage.name, view = view }
    else
      join(tail, sum)
    end
  end
  if wanted and wanted[AFTER] or not wanted and views.sum(tail.own) > SMALL * all then
    list[#list + 1] = { name = AFTER, view = tail }
  end
  return list
end

local function fit_one(ctx, gap, path, fit, name)
  for j, term in ipairs(fit.terms) do
    ctx:coefficient(fit, j, { path = path, stage = gap.name,
      term = term.name ~= "fixed" and "per " .. term.name or #fit.terms > 1 and "fixed" or nil,
      unit = term.name == "fixed" and "s" or "s/" .. term.name,
      source = fit:source() .. ", time in no stage" })
  end
  ctx:group(fit, function(b)
    return { [path] = name and given.formula(fit.terms, b, name) or b[1] }
  end)
  ctx:jitter(gap.name, "pipeline." .. gap.name, fit.ratios)
  ctx.models[gap.name] = fit
end

--- Fit the gaps: models, parameters, changes.
---@param ctx tandem.FitContext
---@param list tandem.FitRest[]
---@param attribute (fun(stage: string): fun(term: string): string)|nil  nil: means only
function rest.fit(ctx, list, attribute)
  for _, gap in ipairs(list) do
    local path = ("pipeline.%s.time"):format(gap.name)
    local fit = gap.view.count >= ctx.least
      and (attribute and terms.choose or terms.mean)(gap.view, gap.view.own)
    if fit then
      fit_one(ctx, gap, path, fit, attribute and attribute(gap.before or AFTER))
    else
      ctx:assume_mean(gap.name, path, gap.view)
    end
  end
end

-- Whether a raw step is, or contains, the step of that name.
local function contains(step, name, depth)
  if type(step) ~= "table" or depth > 12 then return false end
  if node.group(step) == "stage" and rawget(step, "name") == name then return true end
  for _, v in next, step do
    if type(v) == "table" and contains(v, name, depth + 1) then return true end
  end
  return false
end

--- A pipeline with a delay for each gap that it has no step for.
---@param pipeline table[]  raw steps
---@param list tandem.FitRest[]
---@return table[]
function rest.insert(pipeline, list)
  local out = {}
  local function add(gap)
    out[#out + 1] = stages.delay(gap.name) { time = views.mean(gap.view.own) }
  end
  local has = {}
  for _, gap in ipairs(list) do
    for _, step in ipairs(pipeline) do
      has[gap.name] = has[gap.name] or contains(step, gap.name, 0)
    end
  end
  local placed = {}
  for _, step in ipairs(pipeline) do
    for _, gap in ipairs(list) do
      if gap.before and not has[gap.name] and not placed[gap.name]
        and contains(step, gap.before, 0) then
        placed[gap.name] = true
        add(gap)
      end
    end
    out[#out + 1] = node.copy(step)
  end
  for _, gap in ipairs(list) do
    if not has[gap.name] and not placed[gap.name] then add(gap) end
  end
  return out
end

return rest
