--- The parameters of a scenario's stages, estimated from the visits of the same names.
-- Owns what each stage type can be fitted to, and what it refuses; transfers are transfer.lua's,
-- capacities capacity.lua's. Called by init.lua.

local format = require "tandem.text.format"
local linear = require "tandem.fit.linear"
local nearest = require "tandem.text.nearest"
local resources = require "tandem.language.resources"
local checks = require "tandem.check.scenario"
local terms = require "tandem.fit.terms"
local values = require "tandem.fit.values"
local views = require "tandem.fit.view"

local parameters = {}

-- A part of the mean below this is not worth a word.
local SMALL_PART <const> = 0.02

local function number_or_nil(v) return type(v) == "number" and v or nil end

--- A cost as a person would write it: "0.0012 + 3.4e-06 * r.tokens".
---@param list tandem.FitTerm[]
---@param b number[]
---@param attribute fun(term: string): string
---@return string|number
function parameters.formula(list, b, attribute)
  if #list == 1 and list[1].name == "fixed" then return b[1] end
  local parts = {}
  for i, term in ipairs(list) do
    parts[i] = term.name == "fixed" and ("%.6g"):format(b[i])
      or ("%.6g * r.%s"):format(b[i], attribute(term.name))
  end
  return table.concat(parts, " + ")
end

local UNITS <const> = { fixed = "s", bytes = "s/B", tokens = "s/tok", pieces = "s/piece" }

--- The unit of a term's coefficient.
---@param term string
---@return string
function parameters.unit_of(term) return UNITS[term] or "s/" .. term end

local function plain_attribute(stage)
  local name = require("tandem.visits.arrivals").attribute
  return function(term)
    if term == "bytes" or term == "pieces" then return name(stage .. "_" .. term) end
    return name(term)
  end
end
parameters.attribute_of = plain_attribute

-- ---- one stage type a function ----

local handlers = {}

local function finish(ctx, step, path, fit)
  ctx.models[step.name] = fit
  ctx:jitter(step.name, path, fit.ratios)
end

-- One number: a mean time. Says so when the visits know better.
local function mean_of(ctx, step, path, key)
  local view = ctx:enough(step.name, path .. "." .. key)
  if not view then return end
  local fit, message = terms.mean(view, view.own)
  if not fit then return ctx:refuse(path .. "." .. key, message) end
  ctx:coefficient(fit, 1, { path = path .. "." .. key, stage = step.name, unit = "s",
    prior = number_or_nil(step[key]) })
  ctx:group(fit, function(b) return { [path .. "." .. key] = b[1] } end)
  finish(ctx, step, path, fit)
  local best = terms.choose(view, view.own)
  if best and not (#best.terms == 1 and best.terms[1].name == "fixed") then
    ctx:note(("%s: its time grows with its sizes; cost = %q would follow them"):format(step.name,
      parameters.formula(best.terms, best.b, plain_attribute(step.name))))
  end
end

local function is_fixed(cost)
  return type(cost) == "number" or type(cost) == "table" and cost[1] == "draw"
end

-- A cost of several terms: those of the scenario, or those that the fit itself has chosen.
local function cost_of_terms(ctx, step, path, key, fit)
  local attribute = plain_attribute(step.name)
  for j, term in ipairs(fit.terms) do
    ctx:coefficient(fit, j, { path = path .. "." .. key, stage = step.name,
      term = #fit.terms > 1 and (term.name == "fixed" and "fixed" or "per " .. term.name)
        or term.name ~= "fixed" and "per " .. term.name or nil,
      unit = parameters.unit_of(term.name) })
  end
  ctx:group(fit, function(b)
    return { [path .. "." .. key] = parameters.formula(fit.terms, b, attribute) }
  end)
  finish(ctx, step, path, fit)
end

-- A formula: its numbers, where it is a sum of sizes; else kept, with what to write instead.
local function formula_of(ctx, step, path, key)
  local view = ctx:enough(step.name, path .. "." .. key)
  if not view then return end
  local fit, why = terms.as_written(view, step[key])
  if fit then return cost_of_terms(ctx, step, path, key, fit) end
  local best = terms.choose(view, view.own)
  local cost = best and parameters.formula(best.terms, best.b, plain_attribute(step.name))
  ctx:refuse(path .. "." .. key, ("%s: kept; td.stage %q { cost = %s } would be fitted"):format(
    why, step.name, type(cost) == "string" and ("%q"):format(cost)
      or cost and ("%.6g"):format(cost) or "a number"))
end

function handlers.stage(ctx, step, path)
  local own = ctx.chosen[step.name]
  if own then return cost_of_terms(ctx, step, path, "cost", own) end
  if is_fixed(step.cost) then return mean_of(ctx, step, path, "cost") end
  formula_of(ctx, step, path, "cost")
end

function handlers.fixed(ctx, step, path)
  if is_fixed(step.time) then return mean_of(ctx, step, path, "time") end
  formula_of(ctx, step, path, "time")
end
handlers.delay = handlers.fixed

function handlers.tokens(ctx, step, path)
  local target = path .. ".time_per_token"
  local view = ctx:enough(step.name, target)
  if not view then return end
  local checked = ctx.scenario.checked
  local function tokens(v) return { (values.of(checked, step.tokens, v)) } end
  local mine, how = values.of(checked, step.tokens, view)
  if not mine then return ctx:refuse(path .. ".tokens", how) end
  if views.sum(mine) <= 0 then return ctx:refuse(target, "its requests have no tokens") end
  local fit, message = linear.fit(view, view.own, tokens)
  if not fit then return ctx:refuse(target, message) end
  local gpu = values.gpu(checked)
  ctx:coefficient(fit, 1, { path = target, stage = step.name, unit = "s/tok",
    prior = number_or_nil(step.time_per_token)
      or gpu and resources.gpu_params(gpu).time_per_token,
    source = fit:source() .. (how == "mean" and ", tokens by the scenario's mean" or "") })
  ctx:group(fit, function(b) return { [target] = b[1] } end)
  finish(ctx, step, path, fit)
  local low, high = views.range(mine)
  if high <= low then return end
  local both = linear.fit(view, view.own, function(v)
    return { views.ones(v.count), tokens(v)[1] }
  end)
  local share = both and both.b[1] / views.mean(view.own) or 0
  if both and math.abs(share) > SMALL_PART and math.abs(both.b[1]) > 1.5 * both.half[1] then
    ctx:note(("%s: %s of its time is a fixed part that td.tokens does not have; td.stage { cost = "
      .. "%q } would"):format(step.name, format.percent(math.abs(share)),
      ("%.6g + %.6g * r.tokens"):format(both.b[1], both.b[2])))
  end
end

-- Seconds of the roofline at full efficiency, visit by visit.
local function roofline(checked, step, view)
  local gpu = values.gpu(checked)
  if not gpu then return nil, "the scenario has no one GPU to take peak rates from" end
  local params = resources.gpu_params(gpu)
  local function part(cost, rate, what)
    if cost == nil then return nil end
    if not rate then return nil, ("the GPU has no %s"):format(what) end
    local amounts, why = values.of(checked, cost, view)
    if not amounts then return nil, why end
    for i, v in ipairs(amounts) do amounts[i] = v / rate end
    return amounts
  end
  local flops, why = part(step.flops, params["flops_" .. step.precision],
    "flops_" .. step.precision)
  if step.flops and not flops then return nil, why end
  local bytes
  bytes, why = part(step.bytes, params.bandwidth, "bandwidth")
  if step.bytes and not bytes then return nil, why end
  local out = {}
  for i = 1, view.count do
    out[i] = math.max(flops and flops[i] or 0, bytes and bytes[i] or 0)
  end
  return out
end

local function efficiency_parameter(ctx, step, path, fit, j)
  if fit.b[j] + fit.half[j] >= 1 then
    ctx:reciprocal(fit, j, { path = path .. ".efficiency", stage = step.name, unit = "1",
      prior = step.efficiency })
    return true
  end
  ctx:refuse(path .. ".efficiency", ("the visits were faster than the roofline (%s of the peak): "
    .. "its flops or bytes, or the GPU's peak, are not the capture's"):format(
    format.percent(1 / fit.b[j])))
  return false
end

function handlers.compute(ctx, step, path)
  local view = ctx:enough(step.name, path .. ".efficiency")
  if not view then return end
  local checked = ctx.scenario.checked
  local work, why = roofline(checked, step, view)
  if not work then return ctx:refuse(path .. ".efficiency", why) end
  local overhead = step.overhead and values.of(checked, step.overhead, view)
  overhead = overhead and overhead[1] or 0
  local low, high = views.range(work)
  local both = high - low > 1e-3 * high and linear.fit(view, view.own, function(v)
    return { views.ones(v.count), (roofline(checked, step, v)) }
  end) or nil
  if both and both.b[1] > 0 and both.b[2] > both.half[2] then
    if not efficiency_parameter(ctx, step, path, both, 2) then return end
    ctx:coefficient(both, 1, { path = path .. ".overhead", stage = step.name, unit = "s",
      prior = step.overhead and overhead or nil })
    ctx:group(both, function(b)
      return { [path .. ".efficiency"] = math.min(1, 1 / b[2]), [path .. ".overhead"] = b[1] }
    end)
    return finish(ctx, step, path, both)
  end
  -- A negative overhead is none; work of one size cannot tell it from the efficiency.
  local kept = both and 0 or overhead
  local fit = linear.fit(view, view.own, function(v)
    return { (roofline(checked, step, v)) }
  end, { offset = kept ~= 0 and function(v) return views.constant(v.count, kept) end or nil })
  if not fit or fit.b[1] <= 0 then
    return ctx:refuse(path .. ".efficiency", "the overhead alone is longer than the visits")
  end
  if not efficiency_parameter(ctx, step, path, fit, 1) then return end
  if not both then
    ctx:refuse(path .. ".overhead", "every visit has the same work: it cannot be told from the "
      .. "efficiency")
    ctx:parameter { path = path .. ".overhead", stage = step.name, value = kept, unit = "s",
      kind = "assumed", source = step.overhead and "the scenario's" or "not measured" }
  elseif step.overhead then
    ctx.changes[path .. ".overhead"] = 0
    ctx:parameter { path = path .. ".overhead", stage = step.name, value = 0.0, low = 0.0,
      high = math.max(0, both.b[1] + both.half[1]), unit = "s", kind = "bound",
      source = ("%d visits show none"):format(view.count) }
  end
  ctx:group(fit, function(b) return { [path .. ".efficiency"] = math.min(1, 1 / b[1]) } end)
  finish(ctx, step, path, fit)
end

function handlers.table(ctx, step, path)
  ctx:refuse(path .. ".points", ("is a table of measured points, which is kept; td.stage %q "
    .. "{ cost = … } has numbers that can be fitted"):format(step.name))
end

function handlers.process(ctx, step, path)
  ctx:refuse(path, ("is a coroutine, which is kept; write %q as stages to have it fitted"):format(
    step.name or "process"))
end

-- ---- the whole ----

-- Where the rate of a transfer stands in the scenario, and what it is there.
local function rate_of(ctx, step)
  local checked = ctx.scenario.checked
  for _, r in ipairs(checked.places or {}) do
    if r.type == "link" and r.name == step.on then
      return ("resources.%s.bandwidth"):format(r.name), r.bandwidth
    end
  end
  local target = checked.target
  if not target or target.type ~= "gpu" then
    return nil, "its GPUs are several kinds with rates of their own"
  end
  if target.link then
    return nil, ("it goes over the link '%s' of the GPU, whose rate requests share"):format(
      target.link)
  end
  return "target." .. step.on, resources.gpu_params(target)[step.on]
end

local function transfers(ctx, list)
  local order, by_rate = {}, {}
  for _, one in ipairs(list) do
    local rate_path, rate = rate_of(ctx, one.step)
    if not rate_path then
      ctx:refuse(one.path, rate --[[@as string]])
    else
      if not by_rate[rate_path] then
        by_rate[rate_path] = { rate = rate }
        order[#order + 1] = rate_path
      end
      table.insert(by_rate[rate_path], one)
    end
  end
  for _, rate_path in ipairs(order) do
    local steps = by_rate[rate_path]
    require("tandem.fit.transfer").fit(ctx, steps, rate_path, steps.rate)
  end
end

local function unmatched(ctx, seen)
  local names = {}
  for _, stage in ipairs(ctx.train.stages) do
    if not seen[stage.name] then names[#names + 1] = stage.name end
  end
  for _, name in ipairs(names) do
    ctx:refuse(name, ("is a stage of the map that the scenario does not have; %s"):format(
      nearest.hint(name, nearest.sorted_keys(seen))))
  end
end

--- Fit all stages of the scenario.
---@param ctx tandem.FitContext
---@return boolean|nil ok
---@return string|nil message  when no stage is in both
function parameters.fit(ctx)
  local resolved = ctx.scenario.checked.resolved
  if #resolved > 1 then
    return nil, ("the scenario has %d classes of requests; fit one class at a time"):format(
      #resolved)
  end
  local seen, copies, looped, matched = {}, {}, {}, false
  checks.each_step(resolved[1].pipeline, function(step)
    if step.type == "loop" then
      checks.each_step(step.steps, function(inner) looped[inner.name or ""] = true end)
    end
    local handler = handlers[step.type]
    if not (handler or step.type == "transfer") or not step.name or seen[step.name] then return end
    seen[step.name] = true
    local path = "pipeline." .. step.name
    if not ctx.views[step.name] then
      -- A gap that the fit put in itself has no stage.
      if not ctx.rests[step.name] then ctx:enough(step.name, path) end
      return
    end
    matched = true
    if step.batch then
      ctx:refuse(path, "is served in batches: its time is not one request's; kept")
    elseif looped[step.name] then
      ctx:refuse(path, "is repeated in a loop: a visit is all its rounds together; kept")
    elseif step.type == "transfer" then
      copies[#copies + 1] = { step = step, path = path }
    else
      handler(ctx, step, path)
    end
  end)
  transfers(ctx, copies)
  if not matched then
    local names = {}
    for i, stage in ipairs(ctx.train.stages) do names[i] = stage.name end
    return nil, ("no stage of the scenario (%s) is one of the map (%s): give them the same names")
      :format(format.list(nearest.sorted_keys(seen)), format.list(names))
  end
  unmatched(ctx, seen)
  return true
end

return parameters
