--- What a scenario's GPUs cost to have: how many, dollars, watts.
-- Owns the sums; prices and powers are the GPU's own keys or the catalogue's (lib/gpus, each with
-- its source). Called by sweeps, plans and what-ifs.
local resources = require "tandem.resources"

local bill = {}

---@class tandem.Bill
---@field gpus integer            in all
---@field kinds { name: string, count: integer }[]
---@field usd_per_hour number|nil nil when a GPU of it has no price
---@field watts number|nil        sum of the boards' power limits; nil when one is unknown
---@field unpriced string|nil     the first GPU without a price

local function gpus_of(target)
  if not target then return {} end
  return target.type == "fleet" and target.gpus or { target }
end

-- Scenarios do not change, and a sweep asks three times for each.
local bills = setmetatable({}, { __mode = "k" })

--- The bill of a scenario; not to be changed.
---@param scenario tandem.Scenario
---@return tandem.Bill
function bill.of(scenario)
  if bills[scenario] then return bills[scenario] end
  local out = { gpus = 0, kinds = {}, usd_per_hour = 0.0, watts = 0.0 }
  for _, gpu in ipairs(gpus_of(scenario.checked.target)) do
    local params, count = resources.gpu_params(gpu), math.tointeger(gpu.count or 1)
    out.gpus = out.gpus + count
    out.kinds[#out.kinds + 1] = { name = gpu.name or "gpu", count = count }
    if not params.price then out.unpriced = out.unpriced or gpu.name or "gpu" end
    out.usd_per_hour = out.usd_per_hour and params.price
      and out.usd_per_hour + count * params.price * 3600 or nil
    out.watts = out.watts and params.tdp_w and out.watts + count * params.tdp_w or nil
  end
  bills[scenario] = out
  return out
end

return bill
