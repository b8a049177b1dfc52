--- How much load a scenario carries, and the changes that make it carry another.
--
-- Loads are requests a second, or users where everybody is a user. Called by plan/question and
-- plan/sensitivity.
local format = require "tandem.text.format"
local arrivals = require "tandem.explain.arrivals"
local load = require "tandem.explain.load"
local node = require "tandem.language.node"
local units = require "tandem.units"

local demand = {}

---@class tandem.Demand
---@field unit "rate"|"users"
---@field total number|nil   as written; nil when it cannot be said
---@field stationary boolean
---@field requests number|nil  how many arrive in a run as written
---@field fields { path: string, value: number, integer: boolean }[]
---@field stuck string|nil   the arrival process that cannot be scaled
---@field burst_rps number|nil  of the first td.bursts: what its rps says, which is not the mean
---@field inside number|nil  with LLM servers: requests at a time that nobody delays
---@field turns table<string, number>|nil  … and how often a request of a class visits one

local function each_workload(raw, visit)
  local function walk(value, path)
    if type(value) ~= "table" then return end
    if node.group(value) or rawget(value, "type") then return visit(value, path) end
    for i, one in ipairs(value) do walk(one, ("%s.%d"):format(path, i)) end
  end
  walk(raw.workload, "workload")
  for i, class in ipairs(raw.classes or {}) do
    walk(class.workload, ("classes.%d.workload"):format(i))
  end
end

-- What grows with the load, with its path: language/arrivals.lua says where that stands.
local function each_rate(one, path, visit)
  for _, place in ipairs(node.types[rawget(one, "type")].load or {}) do
    if type(place) == "string" then
      local value = rawget(one, place)
      if value == nil and place == "speed" then value = 1.0 end
      if value ~= nil then visit(("%s.%s"):format(path, place), units.parse(value)) end
    else
      local list, below = rawget(one, place[1]), path .. "." .. place[1]
      if not list then list, below = one, path end
      for i = 1, #list do
        local item = rawget(list, i)
        local value = type(item) == "table" and units.parse(rawget(item, place[2]))
        if value then visit(("%s.%d.%d"):format(below, i, place[2]), value) end
      end
    end
  end
end

--- The demand of a scenario.
---@param scenario tandem.Scenario
---@return tandem.Demand
function demand.of(scenario)
  local raw, out = rawget(scenario, "raw"), { fields = {}, stationary = true, unit = "rate" }
  local users, others = 0, 0
  each_workload(raw, function(one, path)
    local kind = rawget(one, "type")
    out.stationary = out.stationary and node.types[kind].stationary or false
    if kind == "closed" then users = users + 1 else others = others + 1 end
    if kind == "bursts" then out.burst_rps = out.burst_rps or units.parse(rawget(one, "rps")) end
    local before = #out.fields
    each_rate(one, path, function(where, value)
      out.fields[#out.fields + 1] = { path = where, value = value, integer = kind == "closed" }
    end)
    if #out.fields == before then out.stuck = out.stuck or ("td.%s"):format(kind) end
  end)
  local model = scenario:model()
  local total, rate = 0, 0
  for _, class in ipairs(model.classes) do
    local arrival = arrivals.rate(class.arrivals, model.duration)
    total = total and (arrival.users or arrival.rps) and total + (arrival.users or arrival.rps)
    rate = rate and arrival.rps and rate + arrival.rps
  end
  if users > 0 and others > 0 then
    out.stuck = out.stuck or "td.closed beside other arrivals"
  end
  out.unit, out.total = users > 0 and "users" or "rate", total
  if #(model.servers or {}) > 0 then
    local offered, servers = load.of(model), {}
    out.inside, out.turns = 0, {}
    for _, class in ipairs(offered.classes) do
      out.inside = out.inside + (class.arrival.rps or 0) * (class.unloaded_s or 0)
    end
    for _, server in ipairs(model.servers) do servers[server.name] = true end
    for _, step in ipairs(offered.steps) do
      if servers[step.where] then
        out.turns[step.class] = (out.turns[step.class] or 0) + step.visits
      end
    end
  end
  out.requests = model.requests
  if not out.requests and rate and model.duration then out.requests = rate * model.duration end
  if not out.requests then
    local sum = 0
    for i, class in ipairs(scenario.checked.resolved) do
      local arrival = arrivals.rate(model.classes[i].arrivals, class.arrivals.duration)
      local one = class.arrivals.requests
        or arrival.rps and class.arrivals.duration and arrival.rps * class.arrivals.duration
      sum = sum and one and sum + one
    end
    out.requests = sum
  end
  return out
end

--- The changes that multiply the load.
---@param one tandem.Demand
---@param factor number
---@return table<string, number> set
function demand.scaled(one, factor)
  local set = {}
  if factor == 1 then return set end
  for _, field in ipairs(one.fields) do
    local value = field.value * factor
    set[field.path] = field.integer and math.max(1, math.floor(value + 0.5)) or value
  end
  return set
end

--- A load in words.
---@param value number
---@param unit "rate"|"users"
---@return string
function demand.words(value, unit)
  if unit == "users" then return format.plural(math.floor(value + 0.5), "user") end
  return format.rate(value)
end

return demand
