--- A scenario from nothing but visits: one stage for each of the map's, its type by the evidence.
-- Owns the choice of types and stations, and the raw table with first values; parameters.lua fits
-- them as it does a scenario that was given. Called by init.lua.

local attribute_name = require("tandem.visits.arrivals").attribute
local core = require "tandem.core"
local parameters = require "tandem.fit.parameters"
local nearest = require "tandem.text.nearest"
local rest = require "tandem.fit.rest"
local resources = require "tandem.language.resources"
local stages = require "tandem.language.stages"
local terms = require "tandem.fit.terms"
local views = require "tandem.fit.view"

local skeleton = {}

local STATIONS <const> = { GPU = "gpu", H2D = "h2d", D2H = "d2h", CPU = "cpu" }
local POOL_LANES <const> = { CPU = "CPU", H2D = "H2D", GPU = "GPU", D2H = "D2H" }

-- What is left of bytes that follow a size, which a range's name may tell rounded.
local NEARLY <const> = 0.01

-- A copy whose bytes are known, and whose time nothing else explains.
local function is_transfer(stage, view, model)
  if (stage.lane ~= "H2D" and stage.lane ~= "D2H") or not view.bytes then return false end
  local _, most = views.range(view.bytes)
  if require("tandem.fit.transfer").is_latency(most) then return false end
  for _, term in ipairs(model.terms) do
    if term.name ~= "fixed" and term.name ~= "bytes" then return false end
  end
  return true
end

local function affine(view, columns)
  local fit = core.estimate.regress(view.bytes, columns, { power = 0 })
  return fit and fit.spread < NEARLY and fit or nil
end

-- Bytes as a formula of the one size that they follow: "65536 * r.tokens".
local function bytes_by_size(view)
  for _, size in ipairs(nearest.sorted_keys(view.sizes)) do
    local values = view.sizes[size]
    local low, high = views.range(values)
    local name = attribute_name(size)
    local alone = low < high and affine(view, { values })
    if alone then return ("%.9g * r.%s"):format(alone.b[1], name), size end
    local both = low < high and affine(view, { views.ones(view.count), values })
    if both and both.b[1] > 0 and both.b[2] > 0 then
      return ("%.9g + %.9g * r.%s"):format(both.b[1], both.b[2], name), size
    end
  end
end

local function uses(names, model, stage)
  local attribute = parameters.attribute_of(stage)
  for _, term in ipairs(model.terms) do
    if term.name ~= "fixed" then
      names[attribute(term.name)] = { stage = stage, term = term.name }
    end
  end
end

---@class tandem.FitSkeleton
---@field raw table                     without its workload
---@field rates table<string, number>   of the GPU's links, before they are fitted
---@field chosen table<string, table>   models of costs, by stage
---@field attributes table<string, { stage: string, term: string }>  what its formulas read

-- The step of one stage; nil, why when it has no time to fit.
local function step_of(out, ctx, stage, only)
  local view = ctx.views[stage.name]
  local station = STATIONS[stage.lane]
  if views.sum(view.own) <= 0 then return nil end
  if view.count < ctx.least then
    -- parameters.lua says that these are too few.
    ctx:assume_mean(stage.name, ("pipeline.%s.cost"):format(stage.name), view)
    return stages.stage(stage.name) { on = station or "none", cost = views.mean(view.own) }
  end
  local model, left_out = terms.choose(view, view.own)
  -- That bytes follow from a size is no loss to a copy.
  for _, why in ipairs(view.copies and {} or left_out) do
    ctx:note(("%s: %s"):format(stage.name, why))
  end
  if not model then return nil end
  if is_transfer(stage, view, model) then
    local low, high = views.range(view.bytes)
    local bytes = low
    if low < high then
      local formula, size = bytes_by_size(view)
      local name = attribute_name(size or stage.name .. "_bytes")
      out.attributes[name] = { stage = stage.name, term = size or "bytes" }
      bytes = formula or "r." .. name
    end
    if not only[stage.lane] then
      -- Copies of one direction that are not alike have rates of their own.
      station = stage.name .. " link"
      table.insert(out.raw.resources, resources.link(station) { bandwidth = 1e9, shared = false })
    else
      out.rates[station] = 1e9
    end
    return stages.transfer(stage.name) { bytes = bytes, on = station }
  end
  if not station then
    station = stage.name
    table.insert(out.raw.resources, resources.pool(station) {
      servers = views.at_once(ctx.real, { stage.name }), lane = POOL_LANES[stage.lane] })
  end
  out.chosen[stage.name] = model
  uses(out.attributes, model, stage.name)
  return stages.stage(stage.name) { on = station,
    cost = parameters.formula(model.terms, model.b, parameters.attribute_of(stage.name)) }
end

local function most_at_once(ctx, lane)
  local names = {}
  for _, stage in ipairs(ctx.train.stages) do
    if stage.lane == lane then names[#names + 1] = stage.name end
  end
  return views.at_once(ctx.real, names)
end

--- The scenario's frame.
---@param ctx tandem.FitContext
---@param name string
---@return tandem.FitSkeleton|nil
---@return string|nil message
function skeleton.of(ctx, name)
  local list = ctx.train.stages
  local out = { raw = { name = name, resources = {}, pipeline = {} }, chosen = {}, attributes = {},
    rates = {} }
  local copies, only = {}, {}
  for _, stage in ipairs(list) do copies[stage.lane] = (copies[stage.lane] or 0) + 1 end
  for lane, count in pairs(copies) do only[lane] = count == 1 end
  for _, stage in ipairs(list) do
    local step = step_of(out, ctx, stage, only)
    local visited = ctx.views[stage.name].count / ctx.train.count
    if not step then
      ctx:refuse(stage.name, "it has no time of its own to fit: left out")
    elseif visited < 1 then
      table.insert(out.raw.pipeline, stages.branch { { p = visited, step }, {} })
    else
      table.insert(out.raw.pipeline, step)
    end
  end
  if #out.raw.pipeline == 0 then return nil, "no stage of the capture has time to fit" end
  if copies.GPU or copies.H2D or copies.D2H then
    -- Rates are the transfers' to fit; others are never asked for. `params` makes it a GPU of one's
    -- own when there is no rate.
    out.raw.target = resources.gpu "measured" { h2d = out.rates.h2d, d2h = out.rates.d2h,
      params = not next(out.rates) and {} or nil,
      concurrency = copies.GPU and most_at_once(ctx, "GPU") or nil,
      copy_engines = (copies.H2D or copies.D2H)
        and math.max(most_at_once(ctx, "H2D"), most_at_once(ctx, "D2H")) or nil }
  end
  if copies.CPU then out.raw.cpu = { workers = most_at_once(ctx, "CPU") } end
  if #out.raw.resources == 0 then out.raw.resources = nil end
  return out
end

--- The gaps' attributes, once their models are chosen.
---@param out tandem.FitSkeleton
---@param list tandem.FitRest[]
function skeleton.add_rest(out, list)
  out.raw.pipeline = rest.insert(out.raw.pipeline, list)
  for _, gap in ipairs(list) do
    local model = terms.choose(gap.view, gap.view.own)
    if model then uses(out.attributes, model, gap.before or "after") end
  end
end

return skeleton
