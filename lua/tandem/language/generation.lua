--- What a td.generate is made of: language models, engines and step models as data.
-- Owns td.llm, td.roofline, td.affine and td.step_table with their keys. The stage itself is
-- stages/generate.lua's, its engine's options llm/scheduler.lua's, who gets which GPUs
-- llm/pools.lua's, what core gets of both llm/deployment.lua's; architectures and rates are
-- tandem.llm's.

local llm = require "tandem.llm"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local power = require "tandem.llm.power"
local precision = require "tandem.llm.precision"
local replicas = require "tandem.language.replicas"
local scheduler = require "tandem.llm.scheduler"

local generation = {}

local quantity = require("tandem.language.keys").quantity
local function whole(options)
  options.kind, options.dim, options.integer = "quantity", "1", true
  options.max = options.max or 1 << 40
  return options
end
local share = quantity("1", { positive = true, max = 1 })
local part = quantity("1", { max = 10 })
local text = { kind = "string" }

local constructors = {}

local function define(spec)
  spec.group = "llm"
  constructors[spec.type] = node.define(spec)
end

-- ---- models

local function simple(name) return (name:lower():gsub("[^%w]", "")) end

--- The entry of lib/models.lua that a name means; nil and the nearest name there is.
---@param name string
---@return table|nil
---@return string|nil near
function generation.shipped(name)
  local names, wanted = {}, simple(name)
  for _, entry in ipairs(require "lib.models") do
    names[#names + 1] = entry.name
    for _, one in ipairs { entry.name, table.unpack(entry.aliases or {}) } do
      if simple(one) == wanted or simple(one:match "[^/]*$") == wanted then return entry end
    end
  end
  return nil, nearest.hint(name, names)
end

--- The architecture of a shipped model, or of a config.json; and the type of its weights.
---@param name string
---@return tandem.llm.Architecture|nil
---@return string words  the type, or what is wrong
function generation.architecture(name)
  if name:find "%.json$" or name:find "^[./]" then return llm.architecture(name) end
  local entry, near = generation.shipped(name:match "[^/]*$")
  if not entry then return nil, ("no model is called '%s'; %s"):format(name, near) end
  return require("tandem.llm.config").architecture(entry.config)
end

-- The architecture and the type of its weights, or nil and what is wrong.
local function architecture_of(ctx, c)
  if c.config then
    local paths = { c.config }
    if ctx.directory and ctx.directory ~= "" and c.config:sub(1, 1) ~= "/" then
      table.insert(paths, 1, ctx.directory .. "/" .. c.config)
    end
    local found, words
    for _, path in ipairs(paths) do
      found, words = llm.architecture(path)
      if found then return found, words end
    end
    return nil, words, "config"
  end
  if not c.name then return nil, 'which model? td.llm "Llama-3.1-8B", or config = "config.json"' end
  local entry, near = generation.shipped(c.name:match "[^/]*$")
  if not entry then
    return nil, ("no model is called '%s'; %s; or give config = \"config.json\""):format(c.name,
      near), "name"
  end
  return require("tandem.llm.config").architecture(entry.config)
end

define { type = "llm", named = true, doc = "a language model: by name, or by its config.json",
  example = 'td.llm "Llama-3.1-8B" { weights = "fp8" }\n'
    .. '-- or: td.llm { config = "config.json" }',
  keys = { config = text,
    weights = { kind = "enum", of = nearest.sorted_keys(precision.known),
      doc = "what the weights are stored in (their quantization); as published unless given" },
    kv = { kind = "enum", of = { "bf16", "fp16", "fp8" }, default = "bf16",
      doc = "what the KV cache is stored in" } },
  finish = function(ctx, c)
    local architecture, words, key = architecture_of(ctx, c)
    if not architecture then
      ctx:problem(key, words)
      return
    end
    c.weights = c.weights or words
    c.architecture = {}
    for k, v in pairs(architecture) do c.architecture[k] = v end
    precision.apply(c.architecture, c.weights, c.kv)
  end }

-- ---- step models

-- Names of tandem.llm.Constants as they are written here.
local constants = { matrix_efficiency = share, expert_efficiency = share,
  attention_efficiency = share, weight_bandwidth = share, expert_bandwidth = share,
  kv_bandwidth = share, link_efficiency = share, step = quantity "s", layer = quantity "s",
  expert_layer = quantity "s", sequence = quantity "s", link_latency = quantity "s",
  link_hop = quantity "s", request = quantity("s", {
    doc = "by which its tokens come later: HTTP, tokenizing; as measured of the server" }),
  factor = quantity("1", { positive = true, max = 100,
    doc = "on all times of kernels and the host" }) }

--- Theirs there, by key.
generation.constant_names = {}
for key, spec in pairs(constants) do
  generation.constant_names[key] = spec.dim == "s" and key .. "_s" or key
end

-- A file named in a scenario is found beside it.
local function beside(ctx, path)
  local apart = not path or not ctx.directory or ctx.directory == "" or path:sub(1, 1) == "/"
  return apart and path or ctx.directory .. "/" .. path
end

-- Measured all-reduces: the file becomes its rows.
local function read_all_reduce(ctx, c)
  if not c.all_reduce then return end
  c.all_reduce = beside(ctx, c.all_reduce)
  local rows, message = require("tandem.llm.collectives").all_reduce(c.all_reduce)
  if not rows then ctx:problem("all_reduce", message) end
end

local roofline_keys = { all_reduce = text, spread = quantity("1", { max = 3,
  doc = "standard deviation of ln(time of a step): all that its measurement leaves open" }) }
for key, spec in pairs(constants) do roofline_keys[key] = spec end

define { type = "roofline", keys = roofline_keys, finish = read_all_reduce,
  example = 'td.roofline { matrix_efficiency = 0.6, step = "1ms" }',
  order = { "step", "layer", "expert_layer", "sequence", "matrix_efficiency", "expert_efficiency",
    "attention_efficiency", "weight_bandwidth", "expert_bandwidth", "kv_bandwidth",
    "link_efficiency", "link_latency", "link_hop", "all_reduce", "request", "factor", "spread" },
  doc = "step times from the model's sizes and the GPU's datasheet" }

--- Fields of core's affine piece.
generation.affine_fields = { "step", "prefill_step", "decode_step", "prefill_seqs",
  "prefill_tokens", "prefill_context", "prefill_attention", "prefill_squares", "decode_seqs",
  "decode_context", "decode_context_max", "sampled" }
local affine_keys = { floor = quantity("s", { doc = "no step is shorter" }),
  pieces = { kind = "list", min = 1, of = { kind = "record", of = "affine_piece" } } }
local piece_keys = { decode_seqs_max = whole { min = 0 } }
for _, name in ipairs(generation.affine_fields) do
  affine_keys[name] = quantity("s", { signed = true })
  piece_keys[name] = affine_keys[name]
end

node.types.affine_piece = { type = "affine_piece", group = "record", keys = piece_keys,
  doc = "coefficients of td.affine up to some number of decoding sequences" }

define { type = "affine", keys = affine_keys,
  example = 'td.affine { step = "6ms", prefill_tokens = "20us", decode_seqs = "30us" }',
  doc = "step times as a sum of fitted seconds for each thing in the batch",
  finish = function(ctx, c)
    for _, name in ipairs(generation.affine_fields) do
      if c.pieces and c[name] then
        ctx:problem(name, "stands beside pieces; write it into each of them")
      end
    end
    for i, piece in ipairs(c.pieces or {}) do
      local last = i == #c.pieces
      if (piece.decode_seqs_max == nil) ~= last then
        ctx:problem("pieces", "all but the last want decode_seqs_max, and only they")
        return
      end
    end
  end }

define { type = "step_table", positional = { "folder" }, example = 'td.step_table "RTX4090/tp1"',
  doc = "step times from measured operators: a folder with dense, attention and other tables",
  keys = { folder = { kind = "string", required = true }, step = quantity "s",
    sequence = quantity "s", skew = { kind = "boolean" }, all_reduce = text },
  finish = function(ctx, c)
    c.folder = beside(ctx, c.folder)
    read_all_reduce(ctx, c)
  end }

--- Step models as a key: fn says that a function of the batch does as well.
generation.step = { kind = "node", groups = { llm = true }, fn = true,
  types = { affine = true, roofline = true, step_table = true } }

-- ---- engines

local engine_keys = { kv_blocks = whole { min = 1 },
  memory = quantity("1", { positive = true, max = 1, default = 0.9 }) }
for key, spec in pairs(scheduler.keys) do engine_keys[key] = spec end

node.types.llm_engine = { type = "llm_engine", group = "record", keys = engine_keys,
  doc = "how each replica of a td.generate schedules: continuous batching as vLLM, or batches",
  finish = scheduler.finish }

-- ---- the API server

node.types.llm_api = { type = "llm_api", group = "record",
  doc = "the processes between clients and replicas: they tokenize and stream",
  keys = {
    workers = whole { min = 1, max = 1024, default = 1 },
    request = quantity("s", { doc = "of a worker, for a request" }),
    prompt_token = quantity("s", { doc = "of a worker, for each prompt token" }),
    output_token = quantity("s", { doc = "of a worker, for each output token" }) } }

--- What core gets of it, or nil.
---@param api table|nil
function generation.api(api)
  return api and { workers = api.workers, request = api.request or 0,
    prompt_token = api.prompt_token or 0, output_token = api.output_token or 0 }
end

-- ---- power

node.types.llm_power = { type = "llm_power", group = "record",
  doc = "what each GPU of a td.generate draws, as shares of what it is rated for, and may draw",
  order = { "limit", "idle", "active", "memory", "arithmetic" },
  keys = { limit = quantity("W", { positive = true }), idle = part, active = part,
    memory = part, arithmetic = part },
  finish = function(ctx, c)
    if (c.idle or power.constants.idle) > (c.active or power.least_active) then
      ctx:problem("idle", "is above active: a GPU that computes draws no less than one that waits")
    end
  end }

-- ---- pools and networks

local pool_keys = { replicas = whole { min = 1, max = 100000 },
  autoscale = { kind = "record", of = "llm_autoscale" },
  engine = { kind = "record", of = "llm_engine" },
  step = generation.step }
for _, key in ipairs { "tp", "pp", "dp", "ep" } do
  pool_keys[key] = whole { min = 1, max = 1024 }
end

node.types.llm_pool = { type = "llm_pool", group = "record", keys = pool_keys,
  doc = "replicas of a td.generate for prompts alone, or for outputs alone",
  finish = replicas.finish_count }

node.types.llm_network = { type = "llm_network", group = "record", positional = { "link" },
  doc = "what joins the machines of a replica that needs several",
  keys = { link = text, bandwidth = quantity("B/s", { positive = true }),
    latency = quantity "s" },
  finish = function(ctx, c)
    if c.link then
      local found, near = require("tandem.catalogue").link(c.link)
      if not found then
        ctx:problem("link", ("no link is called '%s'%s; or say bandwidth and latency")
          :format(c.link, near and (", did you mean '%s'?"):format(near) or ""))
        return
      end
      c.bandwidth, c.latency = c.bandwidth or found.bandwidth, c.latency or found.latency_s
    end
    for _, key in ipairs { "bandwidth", "latency" } do
      if not c[key] then ctx:problem(key, "is missing") end
    end
  end }

node.types.llm_handover = { type = "llm_handover", group = "record", positional = { "link" },
  doc = "the way of KV caches from prefill to decode replicas",
  keys = { link = { kind = "link", required = true }, latency = quantity("s", { default = 0 }),
    token_bytes = quantity("B", { positive = true }) } }

--- What prefill and decode ask of the rest of a td.generate.
---@param ctx table
---@param c table
function generation.finish_split(ctx, c)
  if (c.prefill ~= nil) ~= (c.decode ~= nil) then
    ctx:problem(c.prefill and "decode" or "prefill", "is missing: prefill and decode go together")
  elseif c.prefill and not c.handover then
    ctx:problem("handover", 'is missing: over which link do KV caches go? handover = td.link "…" '
      .. "{ bandwidth = … }")
  elseif c.handover and not c.prefill then
    ctx:problem("handover", "stands without prefill and decode replicas")
  elseif c.prefill then
    for _, key in ipairs { "replicas", "autoscale" } do
      if c[key] then ctx:problem(key, "stands beside prefill and decode: write it into them") end
    end
    if not c.model and not c.handover.token_bytes then
      ctx:problem("handover", "wants token_bytes, a token's share of the KV cache, or a model")
    end
    local block_tokens
    for _, role in ipairs { "prefill", "decode" } do
      local engine = c[role].engine or c.engine
      if engine.batching ~= "continuous" then ctx:problem(role, "wants continuous batching") end
      if engine.server ~= "vllm" then
        ctx:problem(role, "wants engine.server = \"vllm\": others are not split")
      end
      if role == "decode" and c.decode.engine and engine.kv_tiers then
        ctx:problem(role, "has kv_tiers: its blocks come from prefill replicas, write them there")
      end
      block_tokens = block_tokens or engine.block_tokens
      if engine.block_tokens ~= block_tokens then
        ctx:problem(role, "wants the block_tokens of prefill: blocks go from one to the other")
      end
    end
  end
end

generation.constructors = constructors

return generation
