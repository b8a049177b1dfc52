--- LLM servers of a model: replicas as stations on GPUs, how they schedule, how long steps take.
-- Which GPUs they have and what they are made of is generation.lua's. Called by lower/init.lua
-- before the routes, whose steps ask for the number of their server.

local generation = require "tandem.generation"
local replicas = require "tandem.replicas"

local as_dist = require("tandem.lower.stations").as_dist

local servers = {}

--- Builds `ctx.model.servers` and `ctx.server`, name → index.
---@param ctx tandem.PlanContext
function servers.build(ctx)
  local model = ctx.model
  ctx.server = {}
  for index, planned in ipairs((generation.plan(ctx.checked, #model.gpus))) do
    local step, stations = planned.step, {}
    local gpu = model.gpus[planned.first]
    local made = assert(generation.settle(step, gpu and gpu.params))
    for k = 1, planned.replicas do
      local place = gpu and planned.first + (k - 1) * step.tp or nil
      model.stations[#model.stations + 1] = { lane = "GPU", servers = 1, discipline = "fifo",
        replica = true, gpu = place, mtbf = as_dist(step.mtbf), mttr = as_dist(step.mttr),
        name = planned.replicas == 1 and planned.name or ("%s#%d"):format(planned.name, k) }
      stations[k] = #model.stations
    end
    model.servers = model.servers or {}
    local server = replicas.lowered(step)
    server.name, server.stations, server.gpus = planned.name, stations, gpu and step.tp or 0
    server.config, server.step = made.config, made.step
    model.servers[index] = server
    ctx.server[planned.name] = index
  end
end

return servers
