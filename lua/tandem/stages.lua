--- Pipeline steps as data: what a request does, in order.
-- Owns the step types and their keys; lower/steps.lua lowers them to the engine's few operations.

local generation = require "tandem.generation"
local node = require "tandem.node"
local replicas = require "tandem.replicas"

local stages = {}

-- A cost may be a number, a unit string, a distribution, an expression or a function of r.
local function cost(dim, options)
  options = options or {}
  options.kind, options.dim, options.cost = "quantity", dim, true
  return options
end
local function quantity(dim, options)
  options = options or {}
  options.kind, options.dim = "quantity", dim
  return options
end

local jitter = { kind = "jitter" }
local batch = { kind = "batch" }
local on = { kind = "place" }
local memory_on = { kind = "place", memory = true }

local function define(spec)
  spec.group = "stage"
  spec.named = true
  stages[spec.type] = node.define(spec)
end

define { type = "fixed", doc = "a time on a CPU worker (or on = …)",
  keys = { time = cost("s", { required = true }), jitter = jitter, batch = batch, on = on } }

define { type = "transfer", doc = "bytes over a copy engine or a link",
  keys = { bytes = cost("B", { required = true }), on = on, jitter = jitter, batch = batch,
    latency = cost("s", { doc = "set-up time before the bytes flow" }) },
  finish = function(ctx, c)
    if c.on then return end
    local name = (c.name or ""):lower()
    if name:find("d2h", 1, true) or name:find("download", 1, true)
      or name:find("from_gpu", 1, true) then
      c.on = "d2h"
    elseif name:find("h2d", 1, true) or name:find("upload", 1, true)
      or name:find("to_gpu", 1, true) then
      c.on = "h2d"
    else
      ctx:problem("on", "cannot tell the direction from the name; write on = \"h2d\" or \"d2h\"")
    end
  end }

define { type = "tokens", doc = "tokens times a time per token, on the GPU",
  keys = { tokens = cost("tok", { default = function() return { "attr", "tokens" } end }),
    time_per_token = cost("s/tok", {}), jitter = jitter, batch = batch, on = on } }

define { type = "compute", doc = "roofline: the slower of FLOPs and bytes on the GPU",
  keys = { flops = cost("FLOP", {}), bytes = cost("B", {}),
    efficiency = quantity("1", { positive = true, max = 1, default = 1,
      doc = "the share of the peak rates that is reached" }),
    precision = { kind = "enum", default = "fp16",
      of = { "fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp6", "fp4", "int8", "int4" } },
    overhead = cost("s", { doc = "launch time added to the roofline" }),
    jitter = jitter, batch = batch, on = on },
  finish = function(ctx, c)
    if c.flops == nil and c.bytes == nil then
      ctx:problem(nil, "wants flops, bytes or both")
    end
  end }

define { type = "table", doc = "a measured table, interpolated: { {x, time}, … }",
  keys = {
    x = cost(nil, { default = function() return { "attr", "tokens" } end, attribute = true }),
    points = { kind = "pairs", required = true, min = 1,
      first = { kind = "quantity", signed = true }, second = quantity("s"), words = "{x, time}" },
    jitter = jitter, batch = batch, on = on },
  finish = function(ctx, c)
    for i = 2, #(c.points or {}) do
      if c.points[i][1] <= c.points[i - 1][1] then
        ctx:problem("points", ("point %d is not above the one before"):format(i))
        return
      end
    end
  end }

define { type = "stage", doc = "any cost on any resource: number, distribution, function of r",
  keys = { cost = cost("s", { required = true }), on = on, jitter = jitter, batch = batch } }

define { type = "delay", doc = "time that passes outside: no resource, no queue",
  keys = { time = cost("s", { required = true }), jitter = jitter } }

local cut = quantity("1", { integer = true, min = 1, max = 1024, default = 1 })

local MOST_TENANTS <const> = 0xfffff

define { type = "generate", doc = "tokens from an LLM server: replicas with continuous batching",
  keys = { model = { kind = "node", groups = { llm = true }, types = { llm = true },
      from = function(name) return require("tandem.generation").constructors.llm(name) end },
    prompt = cost("tok", { attribute = true,
      default = function() return { "attr", "prompt_tokens" } end }),
    output = cost("tok", { attribute = true,
      default = function() return { "attr", "output_tokens" } end }),
    prefix = cost("tok", { attribute = true }), group = cost("1", { attribute = true }),
    history = { kind = "boolean" }, adapter = cost("1", { attribute = true }),
    tenant = cost("1", { attribute = true }), max_output = cost("tok", { attribute = true }),
    predicted = cost("tok", { attribute = true }),
    tp = cut, pp = cut, dp = cut, ep = cut,
    network = { kind = "record", of = "llm_network" },
    prefill = { kind = "record", of = "llm_pool" }, decode = { kind = "record", of = "llm_pool" },
    handover = { kind = "record", of = "llm_handover" },
    replicas = quantity("1", { integer = true, min = 1, max = 100000 }),
    engine = { kind = "record", of = "llm_engine" },
    api = { kind = "record", of = "llm_api" },
    power = { kind = "record", of = "llm_power" },
    step = generation.step,
    route = { kind = "router", of = replicas.routers, default = "round_robin" },
    routing = { kind = "record", of = "llm_routing" }, key = cost("1", { attribute = true }),
    autoscale = { kind = "record", of = "llm_autoscale" },
    mtbf = quantity("s", { dist = true, positive = true }),
    mttr = quantity("s", { dist = true, positive = true }),
    restarts = quantity("1", { integer = true, min = 0, max = 1000000, default = 3 }) },
  finish = function(ctx, c)
    replicas.finish(ctx, c)
    if not c.engine then
      c.engine = require("tandem.check").kinds.record(ctx, {}, { of = "llm_engine" }, "engine")
    end
    local fairness = c.engine and c.engine.fairness or {}
    if fairness.tenants and not c.tenant then
      ctx:problem("tenant",
        "is missing: whose request is it? engine.fairness has shares of tenants")
    elseif fairness.classes and c.tenant then
      ctx:problem("tenant", "stands beside shares of classes (engine.fairness.classes)")
    end
    require("tandem.generation").finish_split(ctx, c)
    if c.adapter and not (c.engine and c.engine.lora) then
      ctx:problem("adapter", "wants engine = { lora = … }: how many adapters a GPU holds")
    end
    local tenant = c.tenant
    if type(tenant) == "number" and (tenant ~= math.floor(tenant) or tenant > MOST_TENANTS) then
      ctx:problem("tenant", ("is %.9g; wanted a whole number from 0 to %d"):format(tenant,
        MOST_TENANTS))
    end
    local alone = type(c.step) == "function" or c.step and c.step.type == "affine"
    if not (c.model or alone) then
      ctx:problem("model",
        "is missing: model = td.llm \"…\", or step = td.affine { … } or a function of the batch")
    end
  end }

define { type = "branch", items = "choices", doc = "one of several ways, by probability",
  keys = { choices = { kind = "list", required = true, min = 1,
    of = { kind = "record", of = "choice" } } },
  finish = function(ctx, c)
    local sum = 0
    local without = 0
    for _, choice in ipairs(c.choices or {}) do
      if choice.p then sum = sum + choice.p else without = without + 1 end
    end
    if sum > 1 + 1e-9 then
      ctx:problem("choices", ("probabilities sum to %.6g, more than 1"):format(sum))
    elseif without > 1 then
      ctx:problem("choices", "only one choice may go without p (it takes the rest)")
    else
      for _, choice in ipairs(c.choices or {}) do
        if not choice.p then choice.p = math.max(0, 1 - sum) end
      end
    end
  end }

define { type = "loop", items = "steps", doc = "steps repeated: times = n, or again = probability",
  keys = { steps = { kind = "steps", required = true, min = 1 },
    times = cost("1", {}), again = quantity("1", { max = 1 }),
    max = quantity("1", { integer = true, min = 1, max = 1000000 }) },
  finish = function(ctx, c)
    if (c.times ~= nil) == (c.again ~= nil) then
      ctx:problem(nil, "wants times = n or again = probability, one of them")
    end
    if type(c.times) == "number" and c.times > 1e6 then
      ctx:problem("times", "is more than 1,000,000")
    end
    if c.again and c.again >= 1 and not c.max then
      ctx:problem("again", "is 1: the loop would never end (give max)")
    end
  end }

define { type = "fork", items = "branches", doc = "several lists of steps at once, then joined",
  keys = { branches = { kind = "list", required = true, min = 1,
    of = { kind = "steps", min = 0 } } } }

define { type = "hold", items = "steps", doc = "steps that hold memory until they end",
  keys = { memory = cost("B", { required = true }), on = memory_on,
    steps = { kind = "steps", required = true, min = 1 } } }

define { type = "process", positional = { "fn" },
  doc = "a Lua coroutine function(p): p:use(station, cost), p:hold(seconds), …",
  keys = { fn = { kind = "fn", required = true } } }

node.types.choice = { type = "choice", group = "record", items = "steps",
  keys = { p = quantity("1", { max = 1 }), steps = { kind = "steps", min = 0 } } }

node.types.batch = { type = "batch", group = "record", positional = { "max" },
  keys = { max = quantity("1", { required = true, integer = true, min = 1 }),
    wait = quantity("s", { doc = "how long the oldest member waits for company" }),
    preferred = { kind = "list", min = 1, of = quantity("1", { integer = true, min = 1 }) },
    static = { kind = "boolean", doc = "always wait until full" },
    decide = { kind = "fn" } },
  finish = function(ctx, c)
    if c.decide and (c.static or c.preferred) then
      ctx:problem("decide", "decides alone; drop static and preferred")
    end
    for _, p in ipairs(c.preferred or {}) do
      if c.max and p > c.max then ctx:problem("preferred", ("%d is above max"):format(p)) end
    end
    if c.static and c.wait then
      ctx:problem("wait", "a static batch waits until it is full; drop wait or static")
    end
  end }

return stages
