--- What the kinds of a plan do not change: said before they are compared.
--
-- Owns the look for stages that take the same on every kind, for kinds without a price and for
-- prices without a kind. Called by plan/gpus, plan/load and plan/best; the words stand above the
-- table of plan/report.
local attempt = require("tandem.text.shortage").attempt
local bill = require "tandem.scenario.bill"
local format = require "tandem.text.format"
local json = require "tandem.io.json"
local limits = require "tandem.plan.limits"
local nearest = require "tandem.text.nearest"
local prices = require "tandem.scenario.prices"
local space_of = require "tandem.plan.space"

local kinds = {}

-- A number, or draws of a distribution: no property of a GPU goes into it.
local function is_fixed(cost)
  return type(cost) == "number" or type(cost) == "table" and cost[1] == "draw"
end

-- Visits each service on a GPU of a route, also in its branches and loops.
local function each_service(model, route, visit)
  for _, op in ipairs(route) do
    local station = op.op == "serve" and model.stations[op.station]
    if station and station.gpu and station.lane == "GPU" then visit(op) end
    for _, value in pairs(op) do
      if type(value) == "table" and type(value[1]) == "table" then
        each_service(model, value[1].op and value or {}, visit)
        for _, branch in ipairs(value) do
          if type(branch.route) == "table" then each_service(model, branch.route, visit) end
        end
      end
    end
  end
end

-- Names of the services on GPUs in order, and what each takes where that is fixed.
local function services_of(model)
  local names, takes = {}, {}
  for _, class in ipairs(model.classes) do
    each_service(model, class.route, function(op)
      if takes[op.name] ~= nil then return end
      names[#names + 1] = op.name
      takes[op.name] = is_fixed(op.cost) and json.encode(op.cost)
    end)
  end
  return names, takes
end

-- Those that take the same on every kind, and all of them.
local function alike(q)
  local out, names, first
  for _, kind in ipairs(q.kinds) do
    local ok, varied = attempt(space_of.with, q, kind.set)
    if not ok then return {}, {} end
    local all, takes = services_of(varied:model())
    if not first then
      names, first, out = all, takes, {}
    end
    for name, time in pairs(first) do
      if takes[name] ~= time then first[name] = false end
    end
  end
  for _, name in ipairs(names) do
    if first[name] then out[#out + 1] = name end
  end
  return out, names
end

-- The bill of the fewest of a kind; nil where there can be none.
local function bill_of(q, kind)
  local ok, varied = attempt(space_of.with, q, kind.set)
  return ok and bill.of(varied) or nil
end

local function has(names, verb)
  return #names == 1 and ("%s %s"):format(names[1], verb == "have" and "has" or "is")
    or ("%s %s"):format(format.list(names), verb)
end

-- Kinds that cannot be the cheapest, or be held to a budget of dollars.
local function unpriced(q)
  local out = {}
  for _, kind in ipairs(q.kinds) do
    local one = bill_of(q, kind)
    if one and one.gpus > 0 and not one.usd_per_hour then out[#out + 1] = kind.name end
  end
  if #out == 0 or #out == #q.kinds and not q.budget.usd_per_hour then return nil end
  return ("%s no price and cannot be %s: %s (dollars an hour) gives one."):format(has(out, "have"),
    #out == #q.kinds and "held to the budget of dollars" or "the cheapest", prices.option(out[1]))
end

-- Kinds that a file of prices does not have, so that others than its are compared with its.
local function unlisted(q)
  local listed, out = prices.of_file(q.base), {}
  if #listed == 0 then return nil end
  for _, kind in ipairs(q.kinds) do
    local one = bill_of(q, kind)
    local name = one and one.kinds[1] and one.kinds[1].name
    if name and not q.base.checked.prices[prices.canonical(name)] and one.usd_per_hour then
      local near = nearest.word(name, listed)
      out[#out + 1] = ("%s is not among the prices that count%s: %s an hour, which the %s has, is "
        .. "compared with them."):format(name, near and (" (nearest: %s)"):format(near) or "",
        format.quantity(one.kinds[1].usd_per_hour / one.gpus, "money"),
        kind.set.gpu == name and "catalogue" or "scenario or the catalogue")
    end
  end
  return #out > 0 and table.concat(out, " ") or nil
end

-- Prices that nobody asked about.
local function unused(q)
  local used = { cpu = true }
  for _, kind in ipairs(q.kinds) do
    for _, one in ipairs((bill_of(q, kind) or { kinds = {} }).kinds) do
      used[prices.canonical(one.name)] = true
    end
  end
  for _, place in ipairs(q.base.checked.places) do used[place.name] = true end
  local left = prices.unused(q.base, used)
  if #left == 0 then return nil end
  local kinds_of = {}
  for _, kind in ipairs(q.kinds) do kinds_of[#kinds_of + 1] = kind.name end
  return ("The price of %s is not used: %s compared here."):format(format.list(left),
    has(kinds_of, "are"))
end

-- Workers and servers that cost nothing for want of a price: those that are counted, and those of
-- the scenario where somebody gave prices of others (of pools, only where those are of pools).
local function free(q, counted)
  local out, given = {}, q.base.checked.prices or {}
  if q.minimize ~= "usd_per_hour" then return out end
  local function take(name)
    if name ~= "" and not given[name] then out[#out + 1] = name end
  end
  if counted then
    for _, name in ipairs(counted) do take(name) end
    return out
  end
  local cpu, pools, priced = q.base.checked.cpu, {}, given.cpu ~= nil
  for _, place in ipairs(q.base.checked.places) do
    if place.type == "pool" then
      pools[#pools + 1], priced = place.name, priced or given[place.name] ~= nil
    end
  end
  if next(given) and cpu and cpu.workers and cpu.workers < math.huge then take "cpu" end
  for _, name in ipairs(priced and pools or {}) do take(name) end
  return out
end

--- What is to be known before kinds are compared.
---@param q tandem.PlanQuestion
---@return string[] sentences
function kinds.cautions(q)
  local out = {}
  if #q.kinds > 1 and #(q.base:model().servers or {}) == 0 then
    local fixed, all = alike(q)
    if #fixed > 0 then
      out[1] = ("%s the same on every kind%s."):format(#fixed == 1 and fixed[1] .. " takes"
        or format.list(fixed) .. " take", #fixed == #all and ", so that the kinds differ in their "
          .. "price and power alone: a cost of flops, bytes or tokens would tell them apart" or "")
    end
  end
  if q.find ~= "load" and (q.minimize == "usd_per_hour" or q.budget.usd_per_hour) then
    out[#out + 1] = unpriced(q)
  end
  out[#out + 1] = unlisted(q)
  out[#out + 1] = unused(q)
  for _, sentence in ipairs(limits.cautions(q.base, q.limits)) do out[#out + 1] = sentence end
  local first = bill_of(q, q.kinds[1])
  local counted = q.pair and { prices.counted(q.count) or "", prices.counted(q.pair.count) or "" }
  for _, name in ipairs(free(q, counted)) do
    out[#out + 1] = ("%s has no price, so that it costs nothing here: %s (dollars an hour) gives "
      .. "one."):format(name, prices.option(name))
  end
  if first and first.unlimited and not (counted and (counted[1] == first.unlimited
    or counted[2] == first.unlimited)) and not prices.listed(q.base, first.unlimited) then
    out[#out + 1] = ("%s has a price and no number, so that it costs nothing here: %s says how "
      .. "many there are."):format(first.unlimited, first.unlimited == "cpu"
        and "cpu = { workers = 8 }" or "servers")
  end
  return out
end

return kinds
