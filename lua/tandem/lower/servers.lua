--- LLM servers of a model: replicas as stations on GPUs, how they schedule, how long steps take.
-- Which GPUs they have and what they are made of is generation.lua's. Called by lower/init.lua
-- before the routes, whose steps ask for the number of their server.

local generation = require "tandem.generation"

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
        replica = true, gpu = place,
        name = planned.replicas == 1 and planned.name or ("%s#%d"):format(planned.name, k) }
      stations[k] = #model.stations
    end
    model.servers = model.servers or {}
    model.servers[index] = { name = planned.name, stations = stations, gpus = gpu and step.tp or 0,
      router = step.route, config = made.config, step = made.step }
    ctx.server[planned.name] = index
  end
end

return servers
