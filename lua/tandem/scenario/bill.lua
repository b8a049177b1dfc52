--- What a scenario's GPUs cost to have: how many, dollars, watts.
-- Owns the sums; prices and powers are the GPU's own keys or the catalogue's (lib/gpus, each with
-- its source). Called by sweeps, plans and what-ifs.
local resources = require "tandem.language.resources"

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

-- Dollars an hour of each kind of GPU that has a price.
local function prices(scenario)
  local by_kind = {}
  for _, gpu in ipairs(gpus_of(scenario.checked.target)) do
    local price = resources.gpu_params(gpu).price
    by_kind[gpu.name or "gpu"] = price and price * 3600
  end
  return by_kind
end

-- Which GPUs a server's pools are on: its name, with the pool's role where it has one, → kinds.
local function kinds(result)
  local by_name = {}
  for _, one in ipairs(result.resources) do
    if one.replica and one.kind then
      local name = one.name:match "^(.*)#%d+$" or one.name
      by_name[name] = by_name[name] or {}
      by_name[name][one.kind] = true
    end
  end
  return by_name
end

-- What the GPUs that a server held cost an hour: [0] on average, [i] in a replication; nil without
-- a price.
local function usd_per_hour(server, by_name, by_kind)
  local sums = { half = 0 }
  for _, pool in ipairs(server.pools or { server }) do
    local split = pool.role == "prefill" or pool.role == "decode"
    local on = by_name[split and server.name .. " " .. pool.role or server.name] or {}
    local kind = next(on)
    if kind and next(on, kind) then
      kind = split and pool.name:sub(#pool.role + 2) or pool.name
    end
    local price, held = by_kind[kind], pool.gpus_mean
    if not (price and held.value) then return nil end
    sums.half = sums.half + price * (held.half or 0)
    for i = 0, held.values and #held.values or 0 do
      sums[i] = (sums[i] or 0) + price * (i == 0 and held.value or held.values[i])
    end
  end
  return sums
end

--- Adds to each LLM server of a result what the GPUs it held cost: usd_per_hour, and
--- usd_per_million_tokens of output.
---@param result tandem.Result
---@param scenario tandem.Scenario
function bill.servers(result, scenario)
  if not result.llm then return end
  local by_kind, by_name = prices(scenario), kinds(result)
  for _, server in ipairs(result.llm) do
    local sums, tokens = usd_per_hour(server, by_name, by_kind), server.output_tokens_per_s
    if sums and (tokens.value or 0) > 0 then
      local function cost(i, rate) return rate > 0 and sums[i] / 3600 / rate * 1e6 or math.huge end
      local values
      for i, rate in ipairs(sums[1] and tokens.values or {}) do
        values = values or {}
        values[i] = cost(i, rate)
      end
      local value = cost(0, tokens.value)
      server.usd_per_hour = sums[0]
      -- An upper bound where the number of GPUs varies, too: the two go together.
      server.usd_per_million_tokens = { value = value, values = values, half = tokens.half
        and value * (tokens.half / tokens.value + sums.half / sums[0]) }
    end
  end
end

return bill
