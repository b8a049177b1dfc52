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

-- Dollars an hour for the GPUs of one replica's kind; nil without a price.
local function prices(scenario)
  local by_kind = {}
  for _, gpu in ipairs(gpus_of(scenario.checked.target)) do
    local price = resources.gpu_params(gpu).price
    by_kind[gpu.name or "gpu"] = price and price * 3600
  end
  return by_kind
end

--- Adds to each LLM server of a result what its GPUs cost: usd_per_hour, and usd_per_million_tokens
--- of output. The interval of the latter is that of the tokens, carried over.
---@param result tandem.Result
---@param scenario tandem.Scenario
function bill.servers(result, scenario)
  if not result.llm then return end
  local by_kind = prices(scenario)
  for _, server in ipairs(result.llm) do
    local sum, each = 0, server.gpus / server.replicas
    for _, one in ipairs(result.resources) do
      if one.replica and (one.name == server.name or one.name:match "^(.*)#%d+$" == server.name)
      then
        local price = by_kind[one.kind]
        sum = sum and price and sum + each * price
      end
    end
    local tokens = server.output_tokens_per_s
    if sum and sum > 0 and (tokens.value or 0) > 0 then
      local function cost(rate) return rate > 0 and sum / 3600 / rate * 1e6 or math.huge end
      local value = cost(tokens.value)
      local values
      for i, rate in ipairs(tokens.values or {}) do
        values = values or {}
        values[i] = cost(rate)
      end
      server.usd_per_hour = sum
      server.usd_per_million_tokens = { value = value, values = values,
        half = tokens.half and value * tokens.half / tokens.value }
    end
  end
end

return bill
