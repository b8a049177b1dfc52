--- A pipeline lowered to the engine's operations: serve, delay, route, seize, release, branch,
-- loop, fork, process, generate. Owns the meaning of each step type; stations are
-- lower/stations.lua's, LLM servers lower/servers.lua's.

local cost = require "tandem.lower.cost"
local expr = require "tandem.expr"
local rules = require "tandem.rules"

local steps = {}

local lower_list

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
  rules.each_step({ step }, function(s)
    if roles[rules.place_of(s)] or s.type == "process"
      or (s.type == "hold" and (s.on == nil or s.on == "gpu")) or reads_gpu(ctx, s) then
      found = true
    end
  end)
  return found
end

local function gpu_field(ctx, field) return ctx.gpu_value(field) or { "gpu", field } end

-- A delay has no jitter of its own in the model: fold it into the cost where that is possible.
local function with_jitter(c, jitter)
  if not jitter then return c end
  return cost.combine("mul", c, { "draw", jitter })
end

local function serve(ctx, step, seconds)
  local place = rules.place_of(step)
  local emitted = cost.emit(cost.settle(seconds, ctx.gpu_value))
  if place == "none" then
    if step.jitter and cost.is_function(seconds) then
      return { op = "delay", name = step.name, cost = emitted, jitter = step.jitter }
    end
    return { op = "delay", name = step.name,
      cost = cost.emit(cost.settle(with_jitter(seconds, step.jitter), ctx.gpu_value)) }
  end
  local out = { op = "serve", name = step.name, cost = emitted, jitter = step.jitter,
    batch = step.batch }
  local index = ctx.place[place]
  if index then
    out.station = index
    out.lane = ctx.model.stations[index].lane
  else
    out.role, out.gpus, out.lane = place, ctx.group, lanes[place]
  end
  return out
end

local lower = {}

function lower.fixed(ctx, step, out) out[#out + 1] = serve(ctx, step, step.time) end
lower.delay = lower.fixed

function lower.stage(ctx, step, out) out[#out + 1] = serve(ctx, step, step.cost) end

function lower.table(ctx, step, out)
  local flat = {}
  for _, p in ipairs(step.points) do
    flat[#flat + 1] = p[1]
    flat[#flat + 1] = p[2]
  end
  local seconds
  if cost.is_function(step.x) then
    local interp, x = require("tandem.expr").functions.interp, step.x.fn
    seconds = { fn = function(r) return interp(x(r), flat) end, why = step.x.why }
  else
    seconds = { "interp", step.x, flat }
  end
  out[#out + 1] = serve(ctx, step, seconds)
end

function lower.tokens(ctx, step, out)
  local each = step.time_per_token or gpu_field(ctx, "time_per_token")
  out[#out + 1] = serve(ctx, step, cost.combine("mul", step.tokens, each))
end

function lower.compute(ctx, step, out)
  local seconds
  if step.flops then
    seconds = cost.combine("div", step.flops,
      cost.combine("mul", gpu_field(ctx, "flops_" .. step.precision), step.efficiency))
  end
  if step.bytes then
    local memory = cost.combine("div", step.bytes,
      cost.combine("mul", gpu_field(ctx, "bandwidth"), step.efficiency))
    seconds = seconds and cost.combine("max", seconds, memory) or memory
  end
  if step.overhead then seconds = cost.combine("add", seconds, step.overhead) end
  out[#out + 1] = serve(ctx, step, seconds)
end

-- Bytes stand first in the cost: draws in them then have the numbers that they have alone, so the
-- trace tells the bytes that the time was computed from.
local function move(ctx, step, seconds)
  local out = serve(ctx, step, seconds)
  if not cost.is_function(step.bytes) then
    out.bytes = cost.emit(cost.settle(step.bytes, ctx.gpu_value))
  end
  return out
end

function lower.transfer(ctx, step, out)
  local link = ctx.links[step.on]
  if (link and link.shared) or ctx.shares[step.on] then
    if step.latency and step.latency ~= 0 then
      out[#out + 1] = { op = "delay", name = step.name .. " latency",
        cost = cost.emit(cost.settle(step.latency, ctx.gpu_value)) }
    end
    out[#out + 1] = move(ctx, step, step.bytes)
    return
  end
  local rate = link and link.bandwidth or gpu_field(ctx, step.on)
  local seconds = cost.combine("div", step.bytes, rate)
  if step.latency then seconds = cost.combine("add", seconds, step.latency) end
  out[#out + 1] = move(ctx, step, seconds)
end

function lower.branch(ctx, step, out)
  local choices = {}
  for i, choice in ipairs(step.choices) do
    choices[i] = { p = choice.p, steps = lower_list(ctx, choice.steps or {}) }
  end
  out[#out + 1] = { op = "branch", name = step.name, choices = choices }
end

-- A geometric loop is cut where fewer than one request in 1e12 would go on.
local function loop_bound(again)
  if again <= 0 then return 1 end
  return math.max(1, math.min(1000000, math.ceil(math.log(1e-12) / math.log(again))))
end

function lower.loop(ctx, step, out)
  local times = step.times
  if times ~= nil then times = cost.emit(cost.settle(times, ctx.gpu_value)) end
  out[#out + 1] = { op = "loop", name = step.name, again = step.again, times = times,
    max = step.max or (step.again and loop_bound(step.again)) or 1000000,
    steps = lower_list(ctx, step.steps) }
end

function lower.fork(ctx, step, out)
  local branches = {}
  for i, branch in ipairs(step.branches) do branches[i] = lower_list(ctx, branch) end
  out[#out + 1] = { op = "fork", name = step.name, branches = branches }
end

function lower.hold(ctx, step, out)
  local which = step.on or "gpu"
  local index = ctx.memory[which]
  local seize = { op = "seize", name = step.name,
    bytes = cost.emit(cost.settle(step.memory, ctx.gpu_value)) }
  local release = { op = "release", name = step.name }
  if index then
    seize.memory, release.memory = index, index
  else
    seize.role, release.role = "memory", "memory"
  end
  out[#out + 1] = seize
  local inner = lower_list(ctx, step.steps)
  table.move(inner, 1, #inner, #out + 1, out)
  out[#out + 1] = release
end

function lower.generate(ctx, step, out)
  out[#out + 1] = { op = "generate", name = step.name, server = ctx.server[step.name],
    prompt = cost.emit(cost.settle(step.prompt, ctx.gpu_value)),
    output = cost.emit(cost.settle(step.output, ctx.gpu_value)),
    prefix = step.prefix and cost.emit(cost.settle(step.prefix, ctx.gpu_value)),
    group = step.group and cost.emit(cost.settle(step.group, ctx.gpu_value)),
    key = step.key and cost.emit(cost.settle(step.key, ctx.gpu_value)),
    adapter = step.adapter and cost.emit(cost.settle(step.adapter, ctx.gpu_value)),
    tenant = step.tenant and cost.emit(cost.settle(step.tenant, ctx.gpu_value)),
    max_output = step.max_output and cost.emit(cost.settle(step.max_output, ctx.gpu_value)),
    predicted = step.predicted and cost.emit(cost.settle(step.predicted, ctx.gpu_value)),
    history = step.history or nil }
end

function lower.process(_, step, out)
  out[#out + 1] = { op = "process", name = step.name, fn = step.fn }
end

function lower_list(ctx, list)
  local out = {}
  for _, step in ipairs(list) do lower[step.type](ctx, step, out) end
  return out
end

--- The route of one class.
---@param ctx tandem.PlanContext
---@param pipeline table[] checked steps
---@return table[]
function steps.route(ctx, pipeline)
  local out, routed = {}, ctx.group == nil
  for _, step in ipairs(pipeline) do
    if not routed and uses_gpu(ctx, step) then
      out[#out + 1] = { op = "route", group = ctx.group }
      routed = true
    end
    lower[step.type](ctx, step, out)
  end
  return out
end

return steps
