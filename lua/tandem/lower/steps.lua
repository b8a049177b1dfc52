--- A pipeline lowered to the engine's operations: serve, delay, route, seize, release, branch,
-- loop, fork, process, generate. Owns what kinds of steps are lowered with (tandem.Lowering) and
-- when a GPU is chosen; what each kind becomes is its own (language/stages). Stations are
-- lower/stations.lua's, LLM servers lower/servers.lua's.

local cost = require "tandem.lower.cost"
local expr = require "tandem.expr"
local node = require "tandem.language.node"
local checks = require "tandem.check.scenario"

local steps = {}

local roles = { gpu = true, h2d = true, d2h = true }
local lanes = { gpu = "GPU", h2d = "H2D", d2h = "D2H", cpu = "CPU" }

-- Whether a cost of the step asks for a figure that differs from GPU to GPU.
local function reads_gpu(ctx, step)
  local found = false
  for _, v in next, step do
    if type(v) == "table" and type(v[1]) == "string" then
      expr.walk(cost.settle(v, ctx.gpu_value), function(n)
        found = found or type(n) == "table" and n[1] == "gpu"
      end)
    end
  end
  return found
end

-- Whether a step, or one inside it, needs a GPU to have been chosen.
local function uses_gpu(ctx, step)
  local found = false
  checks.each_step({ step }, function(s)
    local uses = node.types[s.type].uses_gpu
    if roles[checks.station_of(s)] or uses and uses(s) or reads_gpu(ctx, s) then
      found = true
    end
  end)
  return found
end

-- A delay has no jitter of its own in the model: fold it into the cost where that is possible.
local function with_jitter(c, jitter)
  if not jitter then return c end
  return cost.combine("mul", c, { "draw", jitter })
end

---@class tandem.Lowering what a kind of step is lowered with
---@field ctx tandem.PlanContext
---@field out table[]  the operations so far
---@field cost table   tandem.lower.cost
local Lowering = { cost = cost }
Lowering.__index = Lowering

--- Adds an operation.
---@param op table
---@return table op
function Lowering:add(op)
  self.out[#self.out + 1] = op
  return op
end

--- A cost or another quantity as core takes it.
---@param value any
---@return any
function Lowering:quantity(value) return cost.emit(cost.settle(value, self.ctx.gpu_value)) end

--- A figure of the GPU that serves: a number where all have the same, else asked for each time.
---@param field string
---@return any
function Lowering:gpu_field(field) return self.ctx.gpu_value(field) or { "gpu", field } end

--- Steps inside a step.
---@param list table[]
---@return table[]
function Lowering:list(list)
  local inner = setmetatable({ ctx = self.ctx, out = {} }, Lowering)
  for _, step in ipairs(list) do node.types[step.type].lower(inner, step) end
  return inner.out
end

--- Adds what takes so long where the step runs: a service there, or a delay.
---@param step table
---@param seconds any
---@return table op
function Lowering:serve(step, seconds)
  local ctx, station = self.ctx, checks.station_of(step)
  if station == "none" then
    local folds = step.jitter and not cost.is_function(seconds)
    return self:add { op = "delay", name = step.name,
      cost = self:quantity(folds and with_jitter(seconds, step.jitter) or seconds),
      jitter = not folds and step.jitter or nil }
  end
  local op = { op = "serve", name = step.name, cost = self:quantity(seconds), jitter = step.jitter,
    batch = step.batch }
  local index = ctx.station[station]
  if index then
    op.station = index
    op.lane = ctx.model.stations[index].lane
  else
    op.role, op.gpus, op.lane = station, ctx.group, lanes[station]
  end
  return self:add(op)
end

--- The route of one class.
---@param ctx tandem.PlanContext
---@param pipeline table[] checked steps
---@return table[]
function steps.route(ctx, pipeline)
  local to, routed = setmetatable({ ctx = ctx, out = {} }, Lowering), ctx.group == nil
  for _, step in ipairs(pipeline) do
    if not routed and uses_gpu(ctx, step) then
      to:add { op = "route", group = ctx.group }
      routed = true
    end
    node.types[step.type].lower(to, step)
  end
  return to.out
end

return steps
