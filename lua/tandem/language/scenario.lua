--- The keys of a scenario and of its classes, and what each of them must be.
-- Registers their types; what spans several keys is check/scenario.lua's. Called by the check of a
-- scenario.

local check = require "tandem.check"
local node = require "tandem.language.node"
local policies = require "tandem.language.policies"
local resources = require "tandem.language.resources"
local units = require "tandem.units"
local kinds = check.kinds

-- Their types must be known before anything is checked, scenarios from JSON included.
require "tandem.language.arrivals"
require "tandem.language.blocks"
require "tandem.language.dist"
require "tandem.language.generation"
require "tandem.language.prices"
require "tandem.language.stages"

local keys = {}

--- Independent runs at most, of a scenario and of whatever runs it: the engine's own limit.
keys.MOST_REPLICATIONS = 1000000

--- What is measured of requests at LLM stages, each as mean, max and percentiles.
keys.llm_times = { ttft = true, tpot = true, itl = true, e2e = true, queueing = true,
  normalized = true }

local quantity = require("tandem.language.keys").quantity

-- "p99", and of the times of an LLM stage "ttft_p99", "tpot_mean", "itl_max".
local function is_objective(key)
  if units.is_percentile(key) then return true end
  local time, rest = key:match "^(%l+%d?%l*)_(.+)$"
  return keys.llm_times[time] and (rest == "mean" or rest == "max" or units.is_percentile(rest))
end

-- `near`: what is proposed to those who nearly wrote it.
local slo_percentile = { match = is_objective, example = "p99",
  near = { "ttft_p99", "tpot_p99", "itl_p99", "e2e_p99", "queueing_p99", "normalized_mean" },
  spec = quantity("s", { positive = true, unit = true }) }

node.types.slo = { type = "slo", group = "record", pattern = slo_percentile,
  keys = { mean = quantity("s", { positive = true, unit = true }),
    max = quantity("s", { positive = true, unit = true }),
    deadline = quantity("s", { positive = true, unit = true, doc = "what counts as goodput" }),
    goodput = quantity("req/s", { positive = true }), met = quantity("1", { max = 1 }),
    within = { kind = "record", of = "slo_windows" } } }

node.types.slo_windows = { type = "slo_windows", group = "record", positional = { "windows" },
  order = { "windows", "share" },
  keys = { windows = quantity("s", { positive = true, required = true }),
    share = quantity("1", { positive = true, max = 1 }) } }

-- How sure figures are to be: half the width of their interval, by their value.
local share = quantity("1", { positive = true, max = 1 })
node.types.precision = { type = "precision", group = "record", positional = { "every" },
  pattern = {
    match = function(key) return require("tandem.scenario.precision").path(key) ~= nil end,
    example = "p99", near = { "mean", "p50", "p99", "goodput", "ttft_p99" }, spec = share },
  keys = { every = share, requests = quantity("req", { integer = true, min = 1 }) },
  finish = function(ctx, c)
    for key in pairs(c) do
      if key ~= "requests" then return end
    end
    ctx:problem("every", "is missing: how sure are the figures to be? (\"5%\", or p99 = \"5%\")")
  end }

-- Step models that are off by so much, for plans and intervals; llm/doubt.lua says what that means.
local off = quantity("1", { signed = true, min = -6, max = 6, default = 0 })
local many = quantity("1", { positive = true })
node.types.doubt = { type = "doubt", group = "record", positional = { "steps" },
  order = { "steps", "prompts", "at" },
  keys = { steps = off, prompts = off,
    at = { kind = "list", of = { kind = "record", of = "doubt_place" } } } }
node.types.doubt_place = { type = "doubt_place", group = "record",
  order = { "server", "seqs", "context", "prompt", "prefill" },
  keys = { server = { kind = "string", required = true },
    seqs = quantity("1", { positive = true, required = true }), context = many, prompt = many,
    prefill = quantity("1", { default = 0 }) },
  finish = function(_, c)
    c.context, c.prompt = c.context or 1024, c.prompt or 1024
  end }

node.types.retry = { type = "retry", group = "record", positional = { "max" },
  keys = { max = quantity("1", { required = true, integer = true, min = 0, max = 1000 }),
    backoff = quantity("s", { default = 0.1 }), factor = quantity("1", { default = 2.0, min = 1 }),
    jitter = quantity("1", { default = 0.5, max = 1 }) } }

node.types.hooks = { type = "hooks", group = "record",
  keys = { arrival = { kind = "fn" }, start = { kind = "fn" }, complete = { kind = "fn" },
    drop = { kind = "fn" }, tick = { kind = "fn" }, every = quantity("s", { positive = true }) },
  finish = function(ctx, c)
    if c.every and not c.tick then ctx:problem("every", "has no tick to call") end
  end }

function kinds.workload(ctx, v, _, key)
  local wanted = { kind = "node", groups = { arrivals = true } }
  if type(v) == "table" and getmetatable(v) == nil and v.type == nil and #v > 0 then
    return kinds.list(ctx, v, { of = wanted, min = 1 }, key)
  end
  local one = kinds.node(ctx, v, wanted, key)
  return one and { one }
end

--- The parameters of a checked GPU, put together once a check.
---@param ctx table
---@param gpu table
---@return table<string, number>
function keys.params_of(ctx, gpu)
  ctx.params_of = ctx.params_of or {}
  ctx.params_of[gpu] = ctx.params_of[gpu] or resources.gpu_params(gpu)
  return ctx.params_of[gpu]
end

function kinds.target(ctx, v, _, key)
  if type(v) == "string" then v = resources.gpu(v) end
  local target = kinds.node(ctx, v, { groups = { resource = true },
    types = { gpu = true, fleet = true } }, key)
  if target then
    require("tandem.language.prices").settle(ctx.prices, target)
    local first = target.type == "gpu" and target or target.gpus and target.gpus[1]
    ctx.gpu_params = first and keys.params_of(ctx, first)
  end
  return target
end

function kinds.warmup(ctx, v, _, key)
  if v == "auto" or v == "none" then return v end
  if type(v) == "string" and v:find("^%s*%a") then
    ctx:problem(key, ("'%s' is not known; \"auto\", \"none\" or a time"):format(v))
    return nil
  end
  return kinds.quantity(ctx, v, { dim = "s" }, key)
end

function kinds.pipeline(ctx, v, _, key)
  if v == "shared" then return nil end
  return kinds.steps(ctx, v, { min = 1 }, key)
end

--- What one class of requests may say; the same keys on the scenario are the defaults.
keys.of_class = {
  attrs = { kind = "map", attributes = {}, of = quantity(nil, { cost = true, signed = true }) },
  priority = quantity("1", { integer = true, max = 15 }),
  patience = quantity("s", { dist = true }),
  timeout = quantity("s", { dist = true }),
  retry = { kind = "record", of = "retry" },
  slo = { kind = "record", of = "slo" },
  pipeline = { kind = "pipeline" },
}

node.types.class = { type = "class", group = "record",
  keys = { name = { kind = "string", required = true }, workload = { kind = "workload" } } }
for k, spec in pairs(keys.of_class) do node.types.class.keys[k] = spec end

function kinds.prices(ctx, v, _, key)
  ctx.prices = kinds.record(ctx, v, { of = "prices" }, key)
  return ctx.prices
end

local text = { kind = "string" }
node.types.scenario = { type = "scenario", group = "record",
  -- The target before what costs: they are traced with its numbers, of which its price is one.
  order = { "prices", "target", "cpu", "resources", "workload", "attrs", "pipeline", "classes",
    "priority", "patience", "timeout", "retry", "slo", "on", "admit", "router", "duration",
    "requests", "warmup", "replications", "precision", "seed", "doubt", "expect", "sweep", "plan",
    "whatif", "title", "question", "description", "name", "tags" },
  keys = { name = text, title = text, question = text, description = text,
    tags = { kind = "list", of = text },
    workload = { kind = "workload" }, target = { kind = "target" },
    cpu = { kind = "record", of = "cpu" }, prices = { kind = "prices" },
    classes = { kind = "list", min = 1, of = { kind = "record", of = "class" } },
    resources = { kind = "list", of = { kind = "node", groups = { resource = true },
      types = { pool = true, link = true, memory = true } } },
    on = { kind = "record", of = "hooks" }, admit = { kind = "fn" },
    router = { kind = "router", of = policies.names(policies.routers) },
    duration = quantity("s", { positive = true }),
    requests = quantity("req", { integer = true, min = 1 }),
    warmup = { kind = "warmup" },
    replications = quantity("1", { integer = true, min = 1, max = keys.MOST_REPLICATIONS }),
    precision = { kind = "record", of = "precision" },
    seed = quantity("1", { integer = true }), expect = { kind = "expect" },
    doubt = { kind = "record", of = "doubt" },
    sweep = { kind = "record", of = "sweep" }, plan = { kind = "record", of = "plan" },
    whatif = { kind = "whatif" } } }
for k, spec in pairs(keys.of_class) do
  node.types.scenario.keys[k] = node.types.scenario.keys[k] or spec
end

return keys
