--- What a scenario's GPUs and CPU workers cost to have: how many, dollars, watts.
-- Owns the sums. Prices are those of the scenario (prices), else the GPU's own or the catalogue's
-- (lib/gpus, each with its source). What is down is paid, too; of GPUs that come and go, those that
-- are held. Called by sweeps, plans and what-ifs.
local prices = require "tandem.scenario.prices"
local resources = require "tandem.language.resources"

local bill = {}

---@class tandem.Bill
---@field gpus integer            in all
---@field kinds { name: string, count: integer, usd_per_hour: number|nil }[]
---@field workers { name: string, count: integer, usd_per_hour: number }[]  CPU workers and servers
---                               of pools that have a price
---@field usd_per_hour number|nil of all of it; nil when a GPU of it has no price
---@field watts number|nil        sum of the boards' power limits, or of lower ones that an LLM
---                               server sets; nil when one is unknown
---@field unpriced string|nil     the first GPU without a price
---@field unlimited string|nil    what has a price and no number

local function gpus_of(target)
  if not target then return {} end
  return target.type == "fleet" and target.gpus or { target }
end

-- GPUs of one name are bought together.
local function add_gpus(out, target, list)
  local by_name = {}
  for _, gpu in ipairs(gpus_of(target)) do
    local params, count, name = resources.gpu_params(gpu), math.tointeger(gpu.count or 1),
      gpu.name or "gpu"
    out.gpus = out.gpus + count
    out.watts = out.watts and params.tdp_w and out.watts + count * params.tdp_w or nil
    local one = by_name[name]
    if not one then
      one = { name = name, count = 0, price = params.price }
      by_name[name], out.kinds[#out.kinds + 1] = one, one
    end
    one.count = one.count + count
  end
  for _, one in ipairs(out.kinds) do
    local offers = list and list[prices.canonical(one.name)]
    one.usd_per_hour = offers and prices.cost(offers, one.count)
      or one.price and one.count * one.price * 3600
    one.price = nil
    if not one.usd_per_hour then out.unpriced = out.unpriced or one.name end
    out.usd_per_hour = out.usd_per_hour and one.usd_per_hour
      and out.usd_per_hour + one.usd_per_hour or nil
  end
end

-- Watts that GPUs of LLM servers may not draw, since power.limit says so.
local function watts_less(checked)
  local sum = 0
  for _, server in ipairs((require("tandem.llm.pools").plan(checked))) do
    for _, pool in ipairs(server.pools) do
      local limit = pool.gpu and pool.shape.power and pool.shape.power.limit
      local rated = limit and resources.gpu_params(pool.gpu).tdp_w
      if rated then sum = sum + math.max(0, rated - limit) * pool.gpus * pool.replicas end
    end
  end
  return sum
end

-- CPU workers and servers of pools, where they have a price.
local function add_workers(out, checked)
  local function add(name, count)
    local offers = checked.prices[name]
    if not offers then return end
    if not count or count == math.huge then
      out.unlimited = out.unlimited or name
      return
    end
    local usd = prices.cost(offers, math.tointeger(count))
    out.workers[#out.workers + 1] = { name = name, count = math.tointeger(count),
      usd_per_hour = usd }
    out.usd_per_hour = out.usd_per_hour and out.usd_per_hour + usd
  end
  add("cpu", checked.cpu and checked.cpu.workers)
  for _, place in ipairs(checked.places) do
    if place.type == "pool" and place.name ~= "cpu" then add(place.name, place.servers or 1) end
  end
end

-- Scenarios do not change, and a sweep asks three times for each.
local bills = setmetatable({}, { __mode = "k" })

--- The bill of a scenario; not to be changed.
---@param scenario tandem.Scenario
---@return tandem.Bill
function bill.of(scenario)
  if bills[scenario] then return bills[scenario] end
  local out = { gpus = 0, kinds = {}, workers = {}, usd_per_hour = 0.0, watts = 0.0 }
  add_gpus(out, scenario.checked.target, scenario.checked.prices)
  out.watts = out.watts and out.watts - watts_less(scenario.checked)
  if scenario.checked.prices then add_workers(out, scenario.checked) end
  bills[scenario] = out
  return out
end

-- Dollars an hour of each kind of GPU that has a price.
local function prices_of(scenario)
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

-- Whether replicas of an LLM server come and go.
local function scales(scenario)
  for _, server in ipairs((require("tandem.llm.pools").plan(scenario.checked))) do
    for _, pool in ipairs(server.pools) do
      if pool.shape.autoscale then return true end
    end
  end
  return false
end

--- What a run cost an hour: where GPUs come and go, of those that were held, each at its share of
--- the cheapest offer. Nil without a price.
---@param result tandem.Result
---@param scenario tandem.Scenario
---@return { value: number, half: number|nil, values: number[]|nil }|nil
function bill.held(result, scenario)
  local all = bill.of(scenario)
  local workers, held = 0.0, result.gpus_held and result.gpus_held.mean
  if not all.usd_per_hour then return nil end
  for _, one in ipairs(all.workers) do workers = workers + one.usd_per_hour end
  if held then
    local _, price = next(prices_of(scenario))
    local values
    for i, value in ipairs(held.values or {}) do
      values = values or {}
      values[i] = workers + price * value
    end
    return { value = workers + price * held.value, half = held.half and price * held.half,
      values = values }
  elseif result.llm and scales(scenario) then
    for _, server in ipairs(result.llm) do
      if not server.usd_per_hour then return nil end
      workers = workers + server.usd_per_hour
    end
    return { value = workers }
  end
  return { value = all.usd_per_hour }
end

--- Adds to each LLM server of a result what the GPUs it held cost: usd_per_hour, and
--- usd_per_million_tokens of output.
---@param result tandem.Result
---@param scenario tandem.Scenario
function bill.servers(result, scenario)
  if not result.llm then return end
  local by_kind, by_name = prices_of(scenario), kinds(result)
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
