--- What the kinds of a plan do not change: said before they are compared.
--
-- Owns the look for stages that take the same on every kind, and for kinds without a price. Called
-- by plan/gpus; the words stand above the table of plan/report.
local format = require "tandem.text.format"
local json = require "tandem.io.json"
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
    local ok, varied = pcall(space_of.with, q, kind.set)
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

--- What is to be known before kinds are compared.
---@param q tandem.PlanQuestion
---@return string[] sentences
function kinds.cautions(q)
  local out, unpriced = {}, {}
  if #q.kinds < 2 then return out end
  if #(q.base:model().servers or {}) == 0 then
    local fixed, all = alike(q)
    if #fixed > 0 then
      out[1] = ("%s the same on every kind%s."):format(#fixed == 1 and fixed[1] .. " takes"
        or format.list(fixed) .. " take", #fixed == #all and ", so that the kinds differ in their "
          .. "price and power alone: a cost of flops, bytes or tokens would tell them apart" or "")
    end
  end
  if q.minimize == "usd_per_hour" then
    for _, kind in ipairs(q.kinds) do
      local made, varied = pcall(space_of.with, q, kind.set)
      local bill = made and require("tandem.scenario.bill").of(varied)
      if bill and bill.gpus > 0 and not bill.usd_per_hour then
        unpriced[#unpriced + 1] = kind.name
      end
    end
    if #unpriced > 0 and #unpriced < #q.kinds then
      out[#out + 1] = ("%s no price and cannot be the cheapest; td.gpu \"%s\" { price = "
        .. "\"2$/h\" } gives one."):format(#unpriced == 1 and unpriced[1] .. " has"
          or format.list(unpriced) .. " have", unpriced[1])
    end
  end
  return out
end

return kinds
