--- What requests are served by: GPUs, fleets, pools, links, memories.
-- Owns the types and their keys, and the numeric fields a GPU shows to cost functions
-- (`td.gpu "H200".bandwidth`). Catalogue data comes from tandem.catalogue (lib/).

local node = require "tandem.language.node"
local policies = require "tandem.language.policies"

local resources = {}

local quantity = require("tandem.language.keys").quantity

resources.precisions = { "fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp6", "fp4", "int8",
  "int4" }

---@class tandem.GpuField
---@field [1] string            its name
---@field [2] string            its dimension
---@field [3] string            words
---@field own? boolean          a GPU that is not in the catalogue may be told by it alone
---@field known? boolean        only the catalogue says it
---@field title? string         its row where one GPU is shown
---@field head? string          its column where all are
---@field entry? string         what an entry of the catalogue calls it, where not by its name
---@field source? string        whose source it shares

--- Numbers of a GPU, of the catalogue or its own, in the order in which they are shown. Costs read
--- them as r.gpu.NAME, in SI units.
---@type tandem.GpuField[]
resources.gpu_figures = {
  { "memory", "B", "memory", title = "memory", head = "memory", entry = "memory_bytes" },
  { "bandwidth", "B/s", "memory bandwidth, bytes/s", own = true, title = "memory bandwidth",
    head = "bandwidth" },
  { "h2d", "B/s", "bytes/s from the host", own = true, title = "from the host",
    head = "from the host" },
  { "d2h", "B/s", "bytes/s to the host", own = true, title = "to the host" },
  { "peer_bandwidth", "B/s", "bytes/s each way to other GPUs of its machine, as collectives get it",
    title = "to other GPUs" },
  { "peer_latency", "s", "what an exchange between two of them takes at least",
    title = "exchange of two" },
  { "node", "1", "GPUs that see each other", known = true, title = "GPUs together" },
  { "time_per_token", "s/tok", "time of one token on this GPU", own = true,
    title = "time per token", source = "ms_per_token" },
  { "mfu", "1", "share of the peak that long prompts reach", known = true,
    title = "share of the peak", source = "ms_per_token" },
  { "tdp_w", "W", "power in watts", title = "power limit", head = "power" },
  { "flops", "FLOP/s", "peak FLOP/s that costs use", own = true, head = "dense 16-bit" },
  { "price", "$/s", "$ a second", title = "price per hour", head = "per hour",
    entry = "price_per_hour_usd" },
}
for _, p in ipairs(resources.precisions) do
  table.insert(resources.gpu_figures, { "flops_" .. p, "FLOP/s", "peak FLOP/s in " .. p, head = p })
end

--- Those that a scenario may give.
---@type tandem.GpuField[]
resources.gpu_fields = {}
for _, field in ipairs(resources.gpu_figures) do
  if not field.known then table.insert(resources.gpu_fields, field) end
end

local discipline = { kind = "enum", of = policies.names(policies.disciplines),
  doc = "who is served next" }
local most_waiting <const> = 1000000000

local function seconds(doc)
  return quantity("s", { dist = true, positive = true, doc = doc })
end
local mtbf, mttr = seconds "mean time between failures", seconds "time to repair"
local on_failure = { kind = "enum", of = { "wait", "restart", "lost" },
  doc = "what becomes of requests that are there when it fails, in service or in its queue: wait "
    .. "(unless given) for the repair, where service goes on; restart, from where they were given "
    .. "their GPU, without what was done (of a pool: this step); lost, as dropped ones, which "
    .. "retry" }

-- What says how something fails comes together.
local function check_failures(ctx, c)
  if (c.mtbf ~= nil) ~= (c.mttr ~= nil) then
    ctx:problem(c.mtbf and "mtbf" or "mttr", "mtbf and mttr go together")
  elseif c.on_failure and not c.mtbf and not c.outages then
    ctx:problem("on_failure", "wants mtbf and mttr: how often it fails, and for how long")
  end
end

--- Which of `count` GPUs is down when: each outage is of the first that is up when it begins. For
--- each that is ever down its seconds up, down, up, …; nil where more would be than there are.
---@param list number[][]  { at, how long }
---@param count integer
---@return number[][]|nil
function resources.outages(list, count)
  local sorted, out, up_again = table.move(list, 1, #list, 1, {}), {}, {}
  table.sort(sorted, function(a, b) return a[1] < b[1] end)
  for _, outage in ipairs(sorted) do
    local member = 1
    while member <= count and (up_again[member] or -1) >= outage[1] do member = member + 1 end
    if member > count then return nil end
    out[member] = out[member] or {}
    table.move({ outage[1] - (up_again[member] or 0), outage[2] }, 1, 2, #out[member] + 1,
      out[member])
    up_again[member] = outage[1] + outage[2]
  end
  return out
end

local function check_outages(ctx, c)
  if not c.outages then return end
  if c.mtbf then
    ctx:problem("outages", "are times that are known; mtbf and mttr are those of failures that are "
      .. "not: leave one out")
  elseif not resources.outages(c.outages, c.count or 1) then
    ctx:problem("outages", ("take down more than %d at a time"):format(c.count or 1))
  end
end

local function servers(doc, default)
  return quantity("1", { integer = true, min = 1, max = most_waiting, infinite = true, doc = doc,
    default = default })
end
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
  out.memory = out.memory_bytes
  known_params[name] = out
  return out
end

--- How many GPUs see each other over links of their own: as the scenario says, as the machine of
--- the catalogue that has such GPUs, or 8.
---@param gpu table a checked td.gpu record
---@return integer
function resources.machine(gpu)
  if gpu.node then return gpu.node end
  local known = resources.catalogue_params(gpu.name or "")
  return known and known.node and math.tointeger(known.node) or 8
end

local measured_peers = {}

--- All-reduces measured between GPUs of a name over the host's links, flat: GPUs, bytes, seconds.
--- Nil where they have links of their own, nobody measured, or the scenario says what they get.
---@param name string
---@param params table<string, number>  of the GPU, with what a scenario says
---@return number[]|nil
function resources.all_reduces(name, params)
  if measured_peers[name] == nil then
    local c = catalogue()
    local entry = c and c.gpu(name)
    measured_peers[name] = entry and entry.all_reduces or false
  end
  local known = measured_peers[name] and resources.catalogue_params(name)
  return known and params.peer_bandwidth == known.peer_bandwidth
    and params.peer_latency == known.peer_latency and measured_peers[name] or nil
end

--- The seed format's L40 takes 0.2 ms a token; others are scaled by memory bandwidth, which is
--- what bounds decoding. Used only where neither the GPU nor the stage says its own.
local reference_time_per_token, reference_bandwidth = 0.2e-3, 864e9

--- All numeric parameters of a checked GPU: catalogue, then overrides, then derived.
---@param gpu table a checked td.gpu record
---@return table<string, number>
function resources.gpu_params(gpu)
  local out = {}
  for k, v in pairs(resources.catalogue_params(gpu.name or "") or {}) do out[k] = v end
  for _, field in ipairs(resources.gpu_fields) do
    local k = field[1]
    if type(gpu[k]) == "number" then out[k] = gpu[k] + 0.0 end
  end
  -- What a scenario says is what collectives get; the catalogue has the wire's rate of NVLinks.
  if type(gpu.peer_bandwidth) == "number" then out.peer_share = 1.0 end
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

-- As of replicas of an LLM server (language/replicas.lua), with a schedule in place of a model.
node.types.gpu_autoscale = { type = "gpu_autoscale", group = "record",
  doc = "how many GPUs a td.gpu has, by its load or by the time",
  order = { "min", "start", "metric", "target", "tolerance", "every", "up_after", "down_after",
    "provision", "schedule" },
  keys = { min = quantity("1", { integer = true, min = 1, default = 1, doc = "fewest GPUs" }),
    start = quantity("1", { integer = true, min = 1, doc = "at the beginning; min unless given" }),
    metric = { kind = "enum", of = { "outstanding", "queue", "utilization" },
      default = "outstanding", doc = "what is looked at: requests given to its GPUs and not "
        .. "finished, those that wait, the share of the time its GPUs compute" },
    target = quantity("1", { positive = true, doc = "as many GPUs are wanted as would each have "
      .. "so much of it" }),
    tolerance = quantity("1", { default = 0.1, max = 1, doc = "off by no more than this share, "
      .. "nothing changes" }),
    every = quantity("s", { default = 15, positive = true, doc = "how often it is looked at" }),
    up_after = quantity("s", { default = 0, doc = "more come when they have been wanted for so "
      .. "long" }),
    down_after = quantity("s", { default = 300, doc = "fewer stay when they have been enough for "
      .. "so long" }),
    provision = quantity("s", { default = 60, doc = "until a new one takes requests" }),
    schedule = { kind = "pairs", first = quantity("s", {}), second = quantity("1",
      { integer = true, min = 1 }), words = "{time, GPUs}", doc = "{ {\"0h\", 2}, {\"8h\", 5} }: "
        .. "in place of a rule, so many from each time on, ready when it comes" } },
  finish = function(ctx, c)
    if (c.target == nil) == (c.schedule == nil) then
      ctx:problem("target", c.target and "is there beside a schedule; one of them decides"
        or "is missing: how much of the metric each GPU is to have; or a schedule")
    elseif c.target and c.target > 1 and c.metric == "utilization" then
      ctx:problem("target", "is above 1, and utilization is a share")
    end
    c.start = c.start or c.min
    if c.start < c.min then ctx:problem("start", "is below min") end
    for i, step in ipairs(c.schedule or {}) do
      if i == 1 and step[1] ~= 0 or i > 1 and step[1] <= c.schedule[i - 1][1] then
        ctx:problem("schedule", ("step %d: times rise, from 0 on"):format(i))
        return
      end
    end
  end }

local link = { kind = "link", doc = "the link its copies use" }
local gpu_keys = {
  concurrency = quantity("1", { integer = true, min = 1, max = most_waiting, default = 1,
    doc = "requests (or batches) computed at once; with discipline \"ps\" they share the GPU, "
      .. "and 1 is fifo" }),
  discipline = discipline, queue = queue,
  count = quantity("1", { integer = true, min = 1, max = 100000, default = 1,
    doc = "how many of them" }),
  node = quantity("1", { integer = true, min = 1, max = 100000,
    doc = "GPUs in one machine, joined by links of their own (default: as the catalogue's machine "
      .. "of such GPUs has, 72 of a GB200; else 8)" }),
  ms_per_token = quantity("1", { doc = "milliseconds a token" }),
  copy_engines = quantity("1", { integer = true, min = 1, max = most_waiting, default = 1,
    doc = "transfers at once in each direction, which share its rate" }),
  mtbf = mtbf, mttr = mttr, on_failure = on_failure, link = link,
  outages = { kind = "pairs", first = quantity "s", second = quantity("s", { positive = true }),
    words = "{at, how long}",
    doc = "{ {at, how long}, … }: each takes one of them down, the first that is up" },
  autoscale = { kind = "record", of = "gpu_autoscale",
    doc = "how many of them there are, by their load or a schedule; count is the most" },
  params = { kind = "map", of = quantity(nil, { signed = true }),
    doc = "numbers of your own, read as r.gpu.NAME" },
}
for _, field in ipairs(resources.gpu_fields) do
  gpu_keys[field[1]] = quantity(field[2], { positive = true, doc = field[3] })
end

resources.gpu = node.define { type = "gpu", group = "resource", named = true,
  doc = "a GPU of the catalogue, or one of your own", keys = gpu_keys,
  example = 'td.gpu "L40" { count = 2, concurrency = 4, queue = 100 }',
  attach = function(self)
    for _, field in ipairs(resources.gpu_fields) do
      local v = rawget(self, field[1])
      if v ~= nil then rawset(self, field[1], node.number_or_same(v, field[2])) end
    end
  end,
  finish = function(ctx, c)
    check_failures(ctx, c)
    check_outages(ctx, c)
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
    for _, field in ipairs(resources.gpu_fields) do
      if field.own and rawget(raw, field[1]) ~= nil then return end
    end
    if rawget(raw, "ms_per_token") ~= nil or rawget(raw, "params") ~= nil then return end
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
    for _, field in ipairs(resources.gpu_fields) do own[field[1]] = rawget(self, field[1]) end
    local ms = rawget(self, "ms_per_token")
    if type(ms) == "number" and not own.time_per_token then own.time_per_token = ms / 1e3 end
    params = resources.gpu_params(own)
    shown[self] = params
  end
  return params[key]
end

resources.fleet = node.define { type = "fleet", group = "resource", named = true, items = "gpus",
  doc = "several GPUs behind a router",
  example = 'td.fleet "pool" { td.gpu "L40" { count = 2 }, td.gpu "H100 SXM" {},\n'
    .. '  router = "least_outstanding" }',
  keys = { gpus = { kind = "list", required = true, min = 1, doc = "the GPUs",
      of = { kind = "node", groups = { resource = true }, types = { gpu = true } } },
    router = { kind = "router", of = policies.names(policies.routers) },
    weights = { kind = "list", min = 1, of = quantity "1",
      doc = "share of each GPU, for the weighted router" },
    key = { kind = "string", doc = "the attribute that affinity routes by" }, link = link },
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
  example = 'td.pool "tokenizers" { servers = 8, queue = 200 }',
  keys = { servers = servers("how many at once", 1), discipline = discipline, queue = queue,
    lane = { kind = "enum", of = { "CPU", "H2D", "GPU", "D2H", "OTHER" }, default = "OTHER",
      doc = "the lane of its spans in a trace" },
    mtbf = mtbf, mttr = mttr, on_failure = on_failure },
  finish = check_failures }

resources.link = node.define { type = "link", group = "resource", named = true,
  doc = "a bandwidth, shared fairly or used one at a time",
  example = 'td.link "pcie switch" { bandwidth = "25GB/s", shared = true }',
  keys = { bandwidth = quantity("B/s", { required = true, positive = true, doc = "bytes/s" }),
    shared = { kind = "boolean", default = true,
      doc = "many transfers share it fairly; false: one at a time" },
    duplex = { kind = "boolean", default = true, doc = "both directions at full speed" },
    queue = queue } }

resources.memory = node.define { type = "memory", group = "resource", named = true,
  doc = "a capacity in bytes that requests hold",
  example = 'td.memory "host cache" { bytes = "64GiB" }',
  keys = { bytes = quantity("B", { required = true, positive = true, doc = "its size" }) } }

node.types.cpu = { type = "cpu", group = "record", positional = { "workers" },
  doc = "the CPU workers of the host",
  keys = { workers = servers "how many workers", discipline = discipline, queue = queue } }

return resources
