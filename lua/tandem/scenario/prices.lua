--- What things cost an hour: names that have prices, and the cheapest way to have a number of them.
--
-- Owns what a price is of (a GPU by its catalogue's name, "cpu", a pool), amounts as people write
-- them, and whole instances. Files of prices are price_file.lua's, keys of a scenario
-- language/prices', sums bill's. A price goes before that of td.gpu and the catalogue's.
local catalogue = require "tandem.catalogue"
local nearest = require "tandem.text.nearest"
local units = require "tandem.units"

local prices = {}

---@class tandem.Price
---@field usd_per_hour number  for all that are sold together
---@field per integer          how many these are
---@field source string|nil    whose price it is
---@field listed boolean|nil   of a file, which has prices of more than is asked about

local MOST_USD <const> = 1e6 -- an hour, of one offer

local names = {}

--- The name under which the price of a thing is kept: of a GPU the catalogue's, however it is
--- spelt.
---@param name string
---@return string
function prices.canonical(name)
  if names[name] == nil then
    local entry = catalogue.gpu(name)
    names[name] = entry and entry.name or name:match "^%s*[cC][pP][uU]s?%s*$" and "cpu" or name
  end
  return names[name]
end

--- Dollars an hour as people write them: 0.8, "0.8", "0.8$/h", "$0.80/h", "19.2$/d".
---@param value any
---@return number|nil usd_per_hour
---@return string|nil problem
function prices.hourly(value)
  local usd = type(value) == "number" and value or nil
  if type(value) == "string" then
    local text = value:match "^%s*(.-)%s*$"
    text = text:gsub("^%$%s*([%d.]+)", "%1$")
    local plain = tonumber((text:gsub("%$$", "")))
    if plain then
      usd = plain
    else
      local seconds, wrong = units.as(text, "$/s")
      if not seconds then
        local foreign = text:match "€" or text:match "£" or text:match "%f[%a][A-Z][A-Z][A-Z]%f[%A]"
        return nil, foreign and foreign ~= "USD"
          and ("'%s': prices are in dollars, \"2$/h\"; convert %s first"):format(value, foreign)
          or wrong
      end
      usd = seconds * 3600
    end
  end
  if not usd or usd ~= usd then
    return nil, ("is %s; wanted dollars an hour, such as \"2$/h\""):format(tostring(value))
  elseif usd <= 0 then
    return nil, ("is %s; a price must be more than 0"):format(tostring(value))
  elseif usd > MOST_USD then
    return nil, ("is %s, more than $1,000,000 an hour"):format(tostring(value))
  end
  return tonumber(("%.15g"):format(usd))
end

-- By list, what a number costs: lists do not change.
local covers = setmetatable({}, { __mode = "k" })

--- What a number costs an hour, where whole offers are paid: the cheapest way to have that many.
---@param list tandem.Price[]
---@param count integer
---@return number
function prices.cost(list, count)
  if #list == 1 then return math.ceil(count / list[1].per) * list[1].usd_per_hour end
  local least = covers[list] or { [0] = 0 }
  covers[list] = least
  for n = #least + 1, count do
    local best = math.huge
    for _, one in ipairs(list) do
      best = math.min(best, least[math.max(0, n - one.per)] + one.usd_per_hour)
    end
    least[n] = best
  end
  return least[count]
end

--- Of one: its share of the cheapest offer. What a number that varies costs is told by it.
---@param list tandem.Price[]
---@return number
function prices.share(list)
  local least = math.huge
  for _, one in ipairs(list) do least = math.min(least, one.usd_per_hour / one.per) end
  return least
end

-- Names that a scenario has beside the catalogue's: its own GPUs, those of its plan, its pools.
local function own_names(scenario)
  local out, checked = { cpu = true }, scenario.checked
  local target = checked.target
  for _, gpu in ipairs(target and (target.type == "gpu" and { target } or target.gpus) or {}) do
    if gpu.name then out[prices.canonical(gpu.name)] = true end
  end
  local kinds = checked.plan and checked.plan.kinds
  for _, kind in ipairs(type(kinds) == "table" and kinds or {}) do
    local name = type(kind) == "table" and rawget(kind, "name") or kind
    if type(name) == "string" then out[prices.canonical(name)] = true end
  end
  for _, place in ipairs(checked.places) do
    if place.type == "pool" then out[place.name] = true end
  end
  return out
end

--- Is the price of a name one of a file, which has more than is asked about?
---@param scenario tandem.Scenario
---@param name string  canonical
---@return boolean
function prices.listed(scenario, name)
  local list = (scenario.checked.prices or {})[name]
  return list ~= nil and list[1].listed == true
end

--- What is wrong with the names of a scenario's prices; nil when nothing is.
---@param scenario tandem.Scenario
---@return string|nil
function prices.unknown(scenario)
  local own
  for _, name in ipairs(nearest.sorted_keys(scenario.checked.prices or {})) do
    own = own or own_names(scenario)
    if not prices.listed(scenario, name) and not own[name] and not catalogue.gpu(name) then
      local known = nearest.sorted_keys(own)
      table.move(catalogue.gpu_names(), 1, #catalogue.gpu_names(), #known + 1, known)
      local near = nearest.word(name, known) or select(2, catalogue.gpu(name))
      return ("prices: nothing here is called '%s'; %s"):format(name, near
        and ("did you mean '%s'?"):format(near)
        or "a price is of a GPU (tandem list gpus), of cpu, or of a pool of the scenario")
    end
  end
end

--- Prices that are of no use, since nothing among these has such a name.
---@param scenario tandem.Scenario
---@param used table<string, true>  names, canonical
---@return string[]
function prices.unused(scenario, used)
  local out = {}
  for _, name in ipairs(nearest.sorted_keys(scenario.checked.prices or {})) do
    if not prices.listed(scenario, name) and not used[name] then out[#out + 1] = name end
  end
  return out
end

--- What gives a price to a name: --price L40=2.
---@param name string
---@return string
function prices.option(name)
  return name:find "[^%w_-]" and ("--price \"%s=2\""):format(name) or ("--price %s=2"):format(name)
end

--- What a price of CPU workers or of a pool's servers is called, by the path of their number.
---@param path string
---@return string|nil
function prices.counted(path)
  return path == "cpu.workers" and "cpu" or path:match "^resources%.(.+)%.servers$"
end

--- Names of a file's prices, sorted.
---@param scenario tandem.Scenario
---@return string[]
function prices.of_file(scenario)
  local out = {}
  for _, name in ipairs(nearest.sorted_keys(scenario.checked.prices or {})) do
    if prices.listed(scenario, name) then out[#out + 1] = name end
  end
  return out
end

--- Prices of a command line: "L4=0.8,H100=2.9$/h".
---@param texts string[]
---@return table<string, string>|nil by name
---@return string|nil problem
function prices.of_text(texts)
  local out = {}
  for _, text in ipairs(texts) do
    for one in text:gmatch "[^,]+" do
      local name, value = one:match "^%s*(.-)%s*=%s*(.-)%s*$"
      if not name or name == "" or value == "" then
        return nil, ("wants NAME=PRICE, such as L4=0.8, not '%s'"):format(one)
      end
      local usd, wrong = prices.hourly(value)
      if not usd then
        return nil, ("%s%s%s"):format(name, wrong:find "^is " and " " or ": ", wrong)
      end
      out[name] = value
    end
  end
  return out
end

return prices
