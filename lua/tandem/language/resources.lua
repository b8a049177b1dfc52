--- What requests are served by: GPUs, fleets, pools, links, memories.
-- Owns the types and their keys, and the numeric fields a GPU shows to cost functions
-- (`td.gpu "H200".bandwidth`). Catalogue data comes from tandem.catalogue (lib/).

local node = require "tandem.language.node"

local resources = {}

local quantity = require("tandem.language.keys").quantity

local precisions = { "fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp6", "fp4", "int8", "int4" }

-- Numeric fields of a GPU and their dimensions; overrides are turned into SI when written.
local gpu_fields = {
  flops = "FLOP/s", bandwidth = "B/s", memory = "B", h2d = "B/s", d2h = "B/s",
  time_per_token = "s/tok", tdp_w = "W", price = "$/s",
}
for _, p in ipairs(precisions) do gpu_fields["flops_" .. p] = "FLOP/s" end

local discipline = { kind = "enum",
  of = { "fifo", "lifo", "random", "priority", "preempt", "ps" } }
local most_waiting <const> = 1000000000
local failed = { kind = "enum", of = { "wait", "restart", "lost" } }

-- What says how something fails comes together.
local function check_failures(ctx, c)
  if (c.mtbf ~= nil) ~= (c.mttr ~= nil) then
    ctx:problem(c.mtbf and "mtbf" or "mttr", "mtbf and mttr go together")
  elseif c.on_failure and not c.mtbf then
    ctx:problem("on_failure", "wants mtbf and mttr: how often it fails, and for how long")
  end
end

local servers = quantity("1", { integer = true, min = 1, max = most_waiting, infinite = true })
local queue = quantity("1", { integer = true, min = 0, max = most_waiting, infinite = true,
  doc = "waiting places; a request that finds none is dropped" })

local catalogue_module
-- By name, what catalogue_params found, and what it did not: sweeps ask thousands of times.
local known_params, unknown_names = {}, {}

--- The shipped catalogue, or nil in a build without lib/.
local function catalogue()
  if catalogue_module == nil then
    local ok, found = pcall(require, "tandem.catalogue")
    catalogue_module = ok and type(found) == "table" and found or false
  end
  return catalogue_module or nil
end

--- Catalogue numbers of a GPU as flat numeric fields, or nil and the nearest name. The table is
--- shared by all who ask: not to be changed.
---@param name string
---@return table<string, number>|nil
---@return string|nil nearest
function resources.catalogue_params(name)
  if known_params[name] then return known_params[name] end
  if unknown_names[name] then return nil, unknown_names[name].near end
  local c = catalogue()
  if not c then return nil end
  local entry, nearest = c.gpu(name)
  if not entry then
    unknown_names[name] = { near = nearest }
    return nil, nearest
  end
  local out = {}
  for k, v in pairs(entry) do
    if type(v) == "number" then out[k] = v + 0.0 end
  end
  for precision, v in pairs(type(entry.flops) == "table" and entry.flops or {}) do
    if type(v) == "number" then out["flops_" .. precision] = v + 0.0 end
  end
  out.flops = out.flops or out.flops_fp16 or out.flops_bf16 or out.flops_fp32
  out.memory = out.memory or out.memory_bytes
  known_params[name] = out
  return out
end

--- How many GPUs a machine of them has.
---@param gpu table a checked td.gpu record
---@return integer
function resources.machine(gpu) return gpu.node or 8 end

--- The seed format's L40 takes 0.2 ms a token; others are scaled by memory bandwidth, which is
--- what bounds decoding. Used only where neither the GPU nor the stage says its own.
local reference_time_per_token, reference_bandwidth = 0.2e-3, 864e9

--- All numeric parameters of a checked GPU: catalogue, then overrides, then derived.
---@param gpu table a checked td.gpu record
---@return table<string, number>
function resources.gpu_params(gpu)
  local out = {}
  for k, v in pairs(resources.catalogue_params(gpu.name or "") or {}) do out[k] = v end
  for k in pairs(gpu_fields) do
    if type(gpu[k]) == "number" then out[k] = gpu[k] + 0.0 end
  end
  if type(gpu.flops) == "number" then
    -- An own peak rate stands for the precision costs use by default.
    out.flops_fp16 = gpu.flops_fp16 or gpu.flops
    out.flops_bf16 = gpu.flops_bf16 or gpu.flops
  elseif gpu.flops_fp16 then
    out.flops = gpu.flops_fp16
  end
  for k, v in pairs(gpu.params or {}) do
    if type(v) == "number" then out[k] = v + 0.0 end
  end
  if not out.time_per_token and out.bandwidth then
    out.time_per_token = reference_time_per_token * reference_bandwidth / out.bandwidth
  end
  out.ms_per_token = out.time_per_token and out.time_per_token * 1e3
  out.memory_bytes = out.memory or out.memory_bytes
  return out
end

local gpu_keys = {
  concurrency = quantity("1", { integer = true, min = 1, max = most_waiting, default = 1,
    doc = "requests (or batches) computed at once; with discipline \"ps\" they share the GPU, "
      .. "and 1 is fifo" }),
  discipline = discipline, queue = queue,
  count = quantity("1", { integer = true, min = 1, max = 100000, default = 1 }),
  node = quantity("1", { integer = true, min = 1, max = 100000,
    doc = "GPUs in one machine, joined by links of their own (default: 8)" }),
  ms_per_token = quantity("1", { doc = "milliseconds a token" }),
  copy_engines = quantity("1", { integer = true, min = 1, max = most_waiting, default = 1,
    doc = "transfers at once in each direction, which share its rate" }),
  mtbf = quantity("s", { dist = true, positive = true }),
  mttr = quantity("s", { dist = true, positive = true }),
  on_failure = failed,
  link = { kind = "link" },
  params = { kind = "map", of = quantity(nil, { signed = true }) },
}
for k, dim in pairs(gpu_fields) do
  gpu_keys[k] = gpu_keys[k] or quantity(dim, { positive = true })
end

resources.gpu = node.define { type = "gpu", group = "resource", named = true,
  doc = "a GPU of the catalogue, or one of your own", keys = gpu_keys, optional_body = true,
  attach = function(self)
    for k, dim in pairs(gpu_fields) do
      local v = rawget(self, k)
      if v ~= nil then rawset(self, k, node.number_or_same(v, dim)) end
    end
  end,
  finish = function(ctx, c)
    check_failures(ctx, c)
    if c.ms_per_token and not c.time_per_token then
      c.time_per_token = c.ms_per_token / 1e3
    end
    c.ms_per_token = nil
  end,
  validate = function(ctx, raw)
    local name = rawget(raw, "name")
    if name ~= nil and type(name) ~= "string" then return end
    local known, near = resources.catalogue_params(name or "")
    if known then return end
    for _, k in ipairs { "flops", "bandwidth", "time_per_token", "ms_per_token", "h2d", "d2h",
      "params" } do
      if rawget(raw, k) ~= nil then return end
    end
    if not name then
      ctx:problem("name", "is missing: which GPU? (td.gpu \"H100\" …)")
      return
    end
    ctx:problem("name", ("unknown GPU '%s'; %sa GPU of your own wants flops, bandwidth, …")
      :format(name, near and ("did you mean '%s'? "):format(near) or ""))
  end }

-- Written GPU → its numeric fields; a cost function may read them once per call.
local shown = setmetatable({}, { __mode = "k" })

-- td.gpu "H200".flops is a number: cost functions use it as a constant.
node.metatables.resource.__index = function(self, key)
  if rawget(self, "type") ~= "gpu" or type(key) ~= "string" then return nil end
  local params = shown[self]
  if not params then
    local own = { name = rawget(self, "name"), params = rawget(self, "params") }
    for k in pairs(gpu_fields) do own[k] = rawget(self, k) end
    local ms = rawget(self, "ms_per_token")
    if type(ms) == "number" and not own.time_per_token then own.time_per_token = ms / 1e3 end
    params = resources.gpu_params(own)
    shown[self] = params
  end
  return params[key]
end

resources.fleet = node.define { type = "fleet", group = "resource", named = true, items = "gpus",
  doc = "several GPUs behind a router",
  keys = { gpus = { kind = "list", required = true, min = 1,
      of = { kind = "node", groups = { resource = true }, types = { gpu = true } } },
    router = { kind = "router" }, weights = { kind = "list", min = 1,
      of = quantity("1", {}) },
    key = { kind = "string" }, link = { kind = "link" } },
  finish = function(ctx, c)
    local n = 0
    for _, g in ipairs(c.gpus or {}) do n = n + (g.count or 1) end
    if c.weights then
      if #c.weights ~= n then
        ctx:problem("weights", ("are %d for %d GPUs"):format(#c.weights, n))
      end
      ctx:check_weights("weights", c.weights)
    end
    if c.router == "weighted" and not c.weights then
      ctx:problem("router", "a weighted router wants weights = { … }")
    end
    if c.router == "affinity" and not c.key then
      ctx:problem("router", "an affinity router wants key = \"attribute\"")
    end
    if c.key then
      ctx.reads[#ctx.reads + 1] = { what = "attr", name = c.key, where = ctx:here("key") }
    end
  end }

resources.pool = node.define { type = "pool", group = "resource", named = true,
  doc = "workers that share one queue",
  keys = { servers = { kind = "quantity", dim = "1", integer = true, min = 1, max = most_waiting,
    infinite = true,
      default = 1 },
    discipline = discipline, queue = queue,
    lane = { kind = "enum", of = { "CPU", "H2D", "GPU", "D2H", "OTHER" }, default = "OTHER" },
    mtbf = quantity("s", { dist = true, positive = true }),
    mttr = quantity("s", { dist = true, positive = true }), on_failure = failed },
  finish = check_failures }

resources.link = node.define { type = "link", group = "resource", named = true,
  doc = "a bandwidth, shared fairly or used one at a time",
  keys = { bandwidth = quantity("B/s", { required = true, positive = true }),
    shared = { kind = "boolean", default = true },
    duplex = { kind = "boolean", default = true, doc = "both directions at full speed" },
    queue = queue } }

resources.memory = node.define { type = "memory", group = "resource", named = true,
  doc = "a capacity in bytes that requests hold",
  keys = { bytes = quantity("B", { required = true, positive = true }) } }

node.types.cpu = { type = "cpu", group = "record", positional = { "workers" },
  keys = { workers = servers, discipline = discipline, queue = queue } }

resources.routers = { "round_robin", "random", "least_outstanding", "shortest_queue",
  "power_of_two", "weighted", "affinity" }

return resources
