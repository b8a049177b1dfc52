--- LLM servers of a model: replicas as stations on GPUs, how they schedule, how long steps take.
-- Which GPUs they have is llm/pools.lua's, what they are made of language/generation.lua's. Called
-- by lower/init.lua before the routes, whose steps ask for the number of their server.

local engines = require "tandem.llm.engines"
local generation = require "tandem.language.generation"
local settled = require "tandem.llm.deployment"
local pools = require "tandem.llm.pools"
local prefixes = require "tandem.llm.prefixes"
local replicas = require "tandem.language.replicas"
local resources = require "tandem.language.resources"
local scheduler = require "tandem.llm.scheduler"

local as_dist = require("tandem.lower.stations").as_dist

local servers = {}

-- A station for each scheduler: data-parallel groups have GPUs of their own, batches that follow
-- each other through a pipeline have not.
local function add_stations(model, pool, name, numbered, taken)
  local stations, shape = {}, pool.shape
  for k = 1, pool.replicas do
    for lane = 0, pool.lanes - 1 do
      local gpu = pool.firsts[k] and pool.firsts[k] + lane // shape.pp * shape.tp or nil
      taken = taken + 1
      model.stations[#model.stations + 1] = { lane = "GPU", servers = 1, discipline = "fifo",
        replica = true, gpu = gpu, mtbf = as_dist(shape.mtbf), mttr = as_dist(shape.mttr),
        on_failure = shape.on_failure or pool.gpu and pool.gpu.on_failure,
        name = numbered and ("%s#%d"):format(name, taken) or name }
      stations[#stations + 1] = #model.stations
    end
  end
  return stations, taken
end

--- Builds `ctx.model.servers` and `ctx.server`, name → index.
---@param ctx tandem.PlanContext
function servers.build(ctx)
  local model = ctx.model
  ctx.server = {}
  for index, planned in ipairs((pools.plan(ctx.checked))) do
    local count, taken, lowered = {}, {}, {}
    local hash_tokens, request_s, handed = prefixes.tokens(ctx.checked, planned), 0, false
    for _, pool in ipairs(planned.pools) do
      count[pool.role] = (count[pool.role] or 0) + pool.replicas * pool.lanes
    end
    for i, pool in ipairs(planned.pools) do
      local role = pool.role
      local gpu = model.gpus[pool.firsts[1]]
      local params, name = gpu and gpu.params, pool.gpu and pool.gpu.name
      local machine = pool.gpu and resources.machine(pool.gpu)
      local made = assert(settled.settle(pool.shape, params, machine, name))
      if i == 1 then request_s = settled.request_s(pool.shape, params, machine, name) end
      if role == "decode" and not handed then
        handed = true
        request_s = request_s + settled.handed_s(pool.shape, made.step, params, machine, name)
      end
      made.config.hash_tokens = hash_tokens
      local stations
      stations, taken[role] = add_stations(model, pool,
        role == "whole" and planned.name or planned.name .. " " .. role, count[role] > 1,
        taken[role] or 0)
      lowered[i] = { name = pool.name, role = role, stations = stations, gpus = pool.gpus,
        lanes = pool.lanes, config = made.config, step = made.step, power = made.power,
        draft = made.draft, taken = engines.words(pool.shape.engine, made.taken),
        scaling = replicas.scaling(pool), decide = scheduler.functions(pool.shape.engine),
        shares = scheduler.shares(pool.shape.engine, ctx.checked.resolved) }
    end
    local handover = planned.step.handover
    if handover then
      local token_bytes, sequence_bytes = settled.kv_bytes(planned.step)
      local link = ctx.links[handover.link]
      handover = { station = ctx.station[handover.link], latency_s = handover.latency,
        rate = not link.shared and link.bandwidth or nil, token_bytes = token_bytes,
        sequence_bytes = sequence_bytes }
    end
    model.servers = model.servers or {}
    model.servers[index] = { name = planned.name, pools = lowered, handover = handover,
      router = planned.step.route, routing = planned.step.routing,
      restarts = planned.step.restarts, api = generation.api(planned.step.api),
      request_s = request_s > 0 and request_s or nil }
    ctx.server[planned.name] = index
  end
end

return servers
