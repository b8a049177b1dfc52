--- The numbers of a scenario that one can turn: load, sizes, times, rates, counts.
-- Owns which they are, what they are called and what ten per cent more of one is; a tornado turns
-- each. Knows nothing of runs. Called by whatif/tornado.
local node = require "tandem.language.node"
local resources = require "tandem.language.resources"
local units = require "tandem.units"

local inputs = {}

---@class tandem.Input
---@field path string     for scenario:with
---@field name string     for people
---@field value any       what it is now: a number in SI units, a distribution, an expression
---@field integer boolean counts change by one at least

-- What a step's cost keys are made of, in the order in which people think of them.
local cost_keys = { "time", "bytes", "tokens", "flops", "cost", "latency", "overhead" }

-- The GPU's numbers that each kind of step rests on.
local gpu_numbers = {
  tokens = { "time_per_token" }, compute = { "flops", "bandwidth" }, transfer = { "h2d", "d2h" },
  generate = { "bandwidth", "flops" },
}

local function number_of(value, dim)
  if type(value) == "number" then return value end
  if type(value) == "string" then return (units.as(value, dim)) end
  if node.group(value) == "dist" then return value end
  return nil
end

-- Every step with a name, also those inside branches, loops and forks.
local function walk(t, visit, depth)
  if type(t) ~= "table" or depth > 12 then return end
  if node.group(t) == "stage" then visit(t) end
  local keys = {}
  for k in next, t do keys[#keys + 1] = k end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, k in ipairs(keys) do
    local v = rawget(t, k)
    if node.group(v) ~= "dist" then walk(v, visit, depth + 1) end
  end
end

local function add_steps(raw, add)
  local seen, used = {}, {}
  for _, part in ipairs { "pipeline", "classes" } do
    walk(raw[part], function(step)
      local name, kind = rawget(step, "name"), rawget(step, "type")
      used[kind] = true
      if type(name) ~= "string" or seen[name] then return end
      seen[name] = true
      for _, key in ipairs(cost_keys) do
        local spec = node.types[kind].keys[key]
        local value = spec and number_of(rawget(step, key), spec.dim)
        if value then add(("pipeline.%s.%s"):format(name, key), name .. " " .. key, value) end
      end
    end, 0)
  end
  return used
end

local function add_target(scenario, used, add)
  local target = scenario.checked.target
  if not target or target.type ~= "gpu" then return end
  local params, name = resources.gpu_params(target), target.name or "GPU"
  if (target.count or 1) > 1 then add("target.count", "number of GPUs", target.count, true) end
  if (target.concurrency or 1) > 1 then
    add("target.concurrency", name .. " concurrency", target.concurrency, true)
  end
  for _, kind in ipairs { "tokens", "compute", "transfer", "generate" } do
    for _, key in ipairs(used[kind] and gpu_numbers[kind] or {}) do
      if params[key] then
        add("target." .. key, name .. " " .. key:gsub("_", " "), params[key])
      end
    end
  end
end

--- The inputs of a scenario that can be turned by a factor.
---@param scenario tandem.Scenario
---@return tandem.Input[]
function inputs.of(scenario)
  local raw, out = scenario.raw, {}
  local function add(path, name, value, integer)
    out[#out + 1] = { path = path, name = name, value = value, integer = integer or false }
  end
  local workload = raw.workload
  if type(workload) == "table" and node.group(workload) == "arrivals" then
    local rate = rawget(workload, "rps") or rawget(workload, 1)
    -- Of bursts it is not all of the load.
    local name = rawget(workload, "type") == "bursts" and "burst rate" or "load"
    if number_of(rate, "req/s") then add("workload.rps", name, number_of(rate, "req/s")) end
    local users = rawget(workload, "users")
    if type(users) == "number" then add("workload.users", "users", users, true) end
  end
  local used = add_steps(raw, add)
  add_target(scenario, used, add)
  local workers = scenario.checked.cpu and scenario.checked.cpu.workers
  if workers and workers < math.huge then add("cpu.workers", "CPU workers", workers, true) end
  return out
end

--- Counts are turned by one at least, and a count of one not down. The share by which an input was
--- really turned, down and up.
---@param input tandem.Input
---@param low any
---@param high any
---@param by number  the share that was asked for
---@return number down
---@return number up
function inputs.shares(input, low, high, by)
  if not input.integer then return by, by end
  return 1 - low / input.value, high / input.value - 1
end

--- The value of an input turned by a factor.
---@param input tandem.Input
---@param factor number
---@return any
function inputs.turned(input, factor)
  if not input.integer then return input.value * factor end
  local wanted = math.tointeger(math.floor(input.value * factor + 0.5))
  if wanted == input.value then wanted = wanted + (factor > 1 and 1 or -1) end
  return math.max(1, wanted)
end

return inputs
