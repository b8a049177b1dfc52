--- Time of requests in no stage: host overhead before and between stages, and after the last.
-- Owns its models, the td.delay steps that stand for it, and where they go in a pipeline. Called by
-- init.lua.

local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local stages = require "tandem.language.stages"
local terms = require "tandem.fit.terms"
local parameters = require "tandem.fit.parameters"
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

-- The time of gaps without a step of their own joins what comes after, request by request.
local function join(tail, request, gaps)
  for i, v in ipairs(gaps) do tail.own[request[i]] = tail.own[request[i]] + v end
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
      join(tail, visits:of(stage.name).request, view.own)
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
      unit = parameters.unit_of(term.name) })
  end
  ctx:group(fit, function(b)
    return { [path] = name and parameters.formula(fit.terms, b, name) or b[1] }
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

-- Where a stage stands: the list of steps that holds it, and its position there.
local function find(list, name, depth)
  if type(list) ~= "table" or depth > 16 then return nil end
  for i, step in ipairs(list) do
    if node.group(step) == "stage" and rawget(step, "name") == name then return list, i end
  end
  for _, key in ipairs(nearest.sorted_keys(list)) do
    local found, i = find(rawget(list, key), name, depth + 1)
    if found then return found, i end
  end
end

--- A pipeline with a delay for each gap that it has no step for: before the stage, wherever that
--- stands (in a branch that only some requests take), or at the end.
---@param pipeline table[]  raw steps
---@param list tandem.FitRest[]
---@return table[]
function rest.insert(pipeline, list)
  local out = node.copy(pipeline)
  for _, gap in ipairs(list) do
    if not find(out, gap.name, 0) then
      local steps, position
      -- A branch has no name either: what comes last stands before none.
      if gap.before then steps, position = find(out, gap.before, 0) end
      table.insert(steps or out, position or #out + 1, stages.delay(gap.name) {
        time = views.mean(gap.view.own) })
    end
  end
  return out
end

return rest
