--- Replicas of an LLM server as data: which of them a request goes to, and how many there are.
-- Owns the records routing and autoscale of td.generate; the step itself is
-- stages/generate.lua's, the GPUs are generation.lua's, the doing is src/engine's (dispatch,
-- scaling).
-- Called by stages/generate.lua, llm/pools.lua and lower/servers.lua.

local core = require "tandem.core"
local node = require "tandem.language.node"

local replicas = {}

local metrics = { "outstanding", "queue", "kv", "utilization" }

local quantity = require("tandem.language.keys").quantity
local function whole(options)
  options.integer, options.max = true, 100000
  return quantity("1", options)
end

-- Weights as llm-d's and BLIS's routers have them, the rest as SGLang's and vLLM's gateways.
node.types.llm_routing = { type = "llm_routing", group = "record",
  doc = "numbers of the routers weighted and prefix_aware of td.generate",
  order = { "prefix_weight", "queue_weight", "kv_weight", "cached_min", "load_gap", "load_ratio" },
  keys = { prefix_weight = quantity("1", { default = 3 }),
    queue_weight = quantity("1", { default = 2 }), kv_weight = quantity("1", { default = 2 }),
    cached_min = quantity("1", { default = 0.3, max = 1 }),
    load_gap = quantity("1", { default = 64 }), load_ratio = quantity("1", { default = 1.5 }) },
  finish = function(ctx, c)
    if c.prefix_weight == 0 and c.queue_weight == 0 and c.kv_weight == 0 then
      ctx:problem(nil, "has no weight above 0")
    end
  end }

-- Intervals and tolerance as Kubernetes' HorizontalPodAutoscaler has them.
node.types.llm_autoscale = { type = "llm_autoscale", group = "record",
  doc = "how many replicas a td.generate has, by its load",
  order = { "min", "max", "start", "metric", "target", "tolerance", "every", "up_after",
    "down_after", "provision", "load_bandwidth", "policy" },
  keys = { min = whole { min = 0, default = 1 }, max = whole { min = 1 }, start = whole { min = 0 },
    metric = { kind = "enum", of = metrics, default = "outstanding" },
    target = quantity("1", { positive = true }),
    tolerance = quantity("1", { default = 0.1, max = 1 }),
    every = quantity("s", { default = 15, positive = true }),
    up_after = quantity("s", { default = 0 }), down_after = quantity("s", { default = 300 }),
    provision = quantity("s", { default = 60 }),
    load_bandwidth = quantity("B/s", { positive = true }),
    policy = { kind = "fn" } },
  finish = function(ctx, c)
    if (c.target == nil) == (c.policy == nil) then
      ctx:problem("target", "is " .. (c.target and "there beside a policy, which decides alone"
        or "missing: how much of the metric each replica is to have; or policy = function(s) …"))
    elseif c.target and c.target > 1 and (c.metric == "kv" or c.metric == "utilization") then
      ctx:problem("target", ("is above 1, and %s is a share"):format(c.metric))
    end
    c.start = c.start or c.min
    if c.max and c.min > c.max then ctx:problem("min", "is above max") end
    if c.start < c.min or c.max and c.start > c.max then
      ctx:problem("start", "is not between min and max")
    end
  end }

--- Called when a td.generate, or a pool of it, has been checked.
---@param ctx table
---@param part table
function replicas.finish_count(ctx, part)
  if part.autoscale and part.replicas then
    ctx:problem("replicas", "stands beside autoscale, whose max says how many there may be")
  end
end

--- Defaults where the step has none, and what does not go together. Called when a td.generate has
--- been checked.
---@param ctx table
---@param step table
function replicas.finish(ctx, step)
  if not step.routing then
    step.routing = require("tandem.check").kinds.record(ctx, {}, { of = "llm_routing" }, "routing")
  end
  if step.route == "affinity" and not (step.key or step.group or step.history) then
    ctx:problem("route", 'affinity wants to know whose a request is: key = "r.session", or group')
  end
  replicas.finish_count(ctx, step)
  if (step.mtbf ~= nil) ~= (step.mttr ~= nil) then
    ctx:problem(step.mtbf and "mtbf" or "mttr", "mtbf and mttr go together")
  end
end

--- How many replicas a td.generate, or a pool of it, says it has at most; nil: as many as fit.
---@param part table
---@return integer|nil
function replicas.most(part) return part.replicas or part.autoscale and part.autoscale.max end

--- What is wrong with the autoscaling of pools that were one as they were written, or nil.
---@param cut tandem.Pool[]
---@return string|nil
function replicas.wrong(cut)
  local pool = cut[1]
  local rule = pool and pool.shape.autoscale
  if not rule then return nil end
  if #cut > 1 then return "autoscale wants GPUs of one kind" end
  if rule.load_bandwidth and not pool.shape.model then
    return "autoscale.load_bandwidth wants a model, whose weights are loaded"
  end
  if rule.start > pool.replicas then
    return ("autoscale begins with %d replicas, and there is room for %d"):format(rule.start,
      pool.replicas)
  end
  return nil
end

-- Until a new replica serves: its node, then its weights, all of them through load_bandwidth.
local function delay_s(pool)
  local rule, shape = pool.shape.autoscale, pool.shape
  if not rule.load_bandwidth then return rule.provision end
  local shard = assert(core.llm.shard(shape.model.architecture, { tensor = shape.tp,
    pipeline = shape.pp, expert = shape.ep, data = shape.dp }))
  return rule.provision + shard.weights_bytes * math.max(pool.gpus, shape.tp) / rule.load_bandwidth
end

--- The scaling rule of a pool in the model table; nil: it always has all its replicas.
---@param pool tandem.Pool
---@return table|nil
function replicas.scaling(pool)
  local rule = pool.shape.autoscale
  return rule and { min = rule.min, start = rule.start, metric = rule.metric,
    target = rule.target, tolerance = rule.tolerance, every_s = rule.every,
    up_after_s = rule.up_after, down_after_s = rule.down_after, delay_s = delay_s(pool),
    policy = rule.policy } or nil
end

return replicas
