--- Costs of a scenario evaluated for the requests of a capture.
-- Owns what stands for an attribute (the capture's size of that name, else the scenario's mean) and
-- for a distribution (its mean). Called by parameters.lua.

local expr = require "tandem.expr"
local moments = require "tandem.explain.moments"
local nearest = require "tandem.text.nearest"
local resources = require "tandem.language.resources"

local values = {}

---@param checked table
---@return table|nil gpu  the one GPU, or the first of a fleet of equal ones
function values.gpu(checked)
  local target = checked.target
  if not target then return nil end
  if target.type == "gpu" then return target end
  local first = target.gpus and target.gpus[1]
  for _, g in ipairs(target.gpus or {}) do if g.name ~= first.name then return nil end end
  return first
end

local function attribute_mean(cost)
  if type(cost) == "number" then return cost end
  if type(cost) == "table" and cost[1] == "draw" then
    local m = moments.of_distribution(cost[2])
    return m and m.mean
  end
end

--- The values of a cost, visit by visit.
---@param checked table  the checked scenario
---@param cost any       a checked cost
---@param view tandem.FitView
---@return number[]|nil
---@return string message  what is missing, or how it was had: "", "mean"
function values.of(checked, cost, view)
  if type(cost) == "table" and cost.fn then
    return nil, "is a Lua function that is not a formula"
  end
  local gpu = values.gpu(checked)
  local params = gpu and resources.gpu_params(gpu) or {}
  local class, how, missing = checked.resolved[1], "", nil
  local index
  local env = { batch = 1, gpu = function(k) return params[k] end,
    sum = function() missing = "asks for a sum over a batch" return 1 end,
    draw = function(d)
      how = "mean"
      local m = moments.of_distribution(d)
      if not m then missing = "draws from a function" return 1 end
      return m.mean
    end,
    attr = function(k)
      if view.sizes[k] then return view.sizes[k][index] end
      local mean = attribute_mean(class.attrs[k])
      if mean then
        how = "mean"
        return mean
      end
      missing = ("needs the size '%s', which the capture does not have; %s"):format(k,
        next(view.sizes) and nearest.hint(k, nearest.sorted_keys(view.sizes))
          or ("give the map sizes = { %s = … }"):format(k))
      return 1
    end }
  local out = {}
  for i = 1, view.count do
    index = i
    out[i] = expr.eval(cost, env)
    if missing then return nil, missing end
    if type(out[i]) ~= "number" or out[i] ~= out[i] then return nil, "is not a number here" end
  end
  return out, how
end

return values
