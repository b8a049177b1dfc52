--- What a td.generate is made of: language models, engines and step models as data.
-- Owns td.llm, td.roofline, td.affine and td.step_table with their keys, and what joins them with a
-- GPU: the configuration and the step model that core gets. The stage itself is stages.lua's, who
-- gets which GPUs pools.lua's, architectures and rates are tandem.llm's. Called by rules.lua, which
-- says what is wrong, and by lower/servers.lua.

local core = require "tandem.core"
local format = require "tandem.format"
local llm = require "tandem.llm"
local mechanics = require "tandem.llm.mechanics"
local policies = require "tandem.llm.policies"
local nearest = require "tandem.nearest"
local node = require "tandem.node"
local power = require "tandem.llm.power"
local precision = require "tandem.llm.precision"
local rates = require "tandem.llm.rates"
local replicas = require "tandem.replicas"

local generation = {}

local function quantity(dim, options)
  options = options or {}
  options.kind, options.dim = "quantity", dim
  return options
end
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

local function shipped(name)
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
  local entry, near = shipped(name:match "[^/]*$")
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
  local entry, near = shipped(c.name:match "[^/]*$")
  if not entry then
    return nil, ("no model is called '%s'; %s; or give config = \"config.json\""):format(c.name,
      near), "name"
  end
  return require("tandem.llm.config").architecture(entry.config)
end

define { type = "llm", named = true, doc = "a language model: by name, or by its config.json",
  keys = { config = text,
    weights = { kind = "enum", of = nearest.sorted_keys(precision.known),
      doc = "what the weights are stored in; as published unless given" },
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
  link_hop = quantity "s" }

local function constant_name(key) return constants[key].dim == "s" and key .. "_s" or key end

define { type = "roofline", keys = constants,
  order = { "step", "layer", "expert_layer", "sequence", "matrix_efficiency", "expert_efficiency",
    "attention_efficiency", "weight_bandwidth", "expert_bandwidth", "kv_bandwidth",
    "link_efficiency", "link_latency", "link_hop" },
  doc = "step times from the model's sizes and the GPU's datasheet" }

-- Fields of core's affine piece.
local per = { "step", "prefill_step", "decode_step", "prefill_seqs", "prefill_tokens",
  "prefill_context", "prefill_attention", "prefill_squares", "decode_seqs", "decode_context",
  "decode_context_max", "sampled" }
local affine_keys = { floor = quantity("s", { doc = "no step is shorter" }),
  pieces = { kind = "list", min = 1, of = { kind = "record", of = "affine_piece" } } }
local piece_keys = { decode_seqs_max = whole { min = 0 } }
for _, name in ipairs(per) do
  affine_keys[name] = quantity("s", { signed = true })
  piece_keys[name] = affine_keys[name]
end

node.types.affine_piece = { type = "affine_piece", group = "record", keys = piece_keys,
  doc = "coefficients of td.affine up to some number of decoding sequences" }

define { type = "affine", keys = affine_keys,
  doc = "step times as a sum of fitted seconds for each thing in the batch",
  finish = function(ctx, c)
    for _, name in ipairs(per) do
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

define { type = "step_table", positional = { "folder" },
  doc = "step times from measured operators: a folder with dense, attention and other tables",
  keys = { folder = { kind = "string", required = true }, step = quantity "s",
    sequence = quantity "s", skew = { kind = "boolean" } },
  finish = function(ctx, c)
    if ctx.directory and ctx.directory ~= "" and c.folder:sub(1, 1) ~= "/" then
      c.folder = ctx.directory .. "/" .. c.folder
    end
  end }

--- Step models as a key: fn says that a function of the batch does as well.
generation.step = { kind = "node", groups = { llm = true }, fn = true,
  types = { affine = true, roofline = true, step_table = true } }

-- ---- engines

local function flag(default) return { kind = "boolean", default = default } end

local engine_type = { type = "llm_engine", group = "record",
  doc = "how each replica of a td.generate schedules: continuous batching as vLLM, or batches",
  keys = {
    kv_blocks = whole { min = 1 },
    memory = quantity("1", { positive = true, max = 1, default = 0.9 }),
    prefix_caching = { kind = "boolean" }, reserve_full_input = flag(true),
    long_prefill_tokens = whole { min = 0, default = 0 },
    max_partial_prefills = whole { min = 0, default = 0 },
    plans_ahead = flag(false) },
  finish = function(ctx, c)
    mechanics.finish(ctx, c)
    policies.finish(ctx, c)
  end }
for key, spec in pairs(policies.keys) do engine_type.keys[key] = spec end
for key, spec in pairs(mechanics.keys) do engine_type.keys[key] = spec end
node.types.llm_engine = engine_type

local engine_fields = { "prefix_caching", "reserve_full_input", "long_prefill_tokens",
  "max_partial_prefills", "plans_ahead" }

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
  doc = "what each GPU of a td.generate draws, as shares of its power limit",
  order = { "limit", "idle", "active", "memory", "arithmetic" },
  keys = { limit = quantity("W", { positive = true }), idle = part, active = part,
    memory = part, arithmetic = part },
  finish = function(ctx, c)
    if (c.idle or power.constants.idle) > (c.active or power.constants.active) then
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
      block_tokens = block_tokens or engine.block_tokens
      if engine.block_tokens ~= block_tokens then
        ctx:problem(role, "wants the block_tokens of prefill: blocks go from one to the other")
      end
    end
  end
end

--- Bytes of KV cache that go from replica to replica: of each token, and once for a request.
---@param step table  a checked td.generate
---@return number token_bytes, number sequence_bytes
function generation.kv_bytes(step)
  local shard = step.model and core.llm.shard(step.model.architecture)
  return step.handover.token_bytes or shard.kv_bytes_token, shard and shard.state_bytes_seq or 0
end

-- ---- joined with a GPU

-- A GPU's numbers as tandem.llm wants them.
local function gpu_of(params)
  local flops = {}
  for key, value in pairs(params) do
    local kind = key:match "^flops_(%w+)$"
    if kind then flops[kind] = value end
  end
  return { bandwidth = params.bandwidth, memory_bytes = params.memory, h2d = params.h2d,
    peer_bandwidth = params.peer_bandwidth, flops_by_type = flops }
end

-- Those of a td.roofline; others say nothing of the GPU's rates.
local function constants_of(step)
  local out = {}
  for key, value in pairs(rates.constants) do out[key] = value end
  if type(step) ~= "table" or step.type ~= "roofline" then return out end
  for key in pairs(constants) do
    if step[key] then out[constant_name(key)] = step[key] end
  end
  return out
end

local function affine_spec(step)
  local pieces = {}
  for i, piece in ipairs(step.pieces or { step }) do
    pieces[i] = { decode_seqs_max = piece.decode_seqs_max or math.huge }
    for _, name in ipairs(per) do pieces[i][name] = piece[name] end
  end
  return { kind = "affine", pieces = pieces, floor_s = step.floor }
end

local function parallelism_of(step)
  return { tensor = step.tp, pipeline = step.pp, expert = step.ep, data = step.dp }
end

-- Between machines, where a replica needs several; nil where one is enough.
local function network_of(step, machine, hop_s)
  if not machine or step.tp * step.pp * step.dp <= machine then return nil end
  for _, group in ipairs { step.tp, step.tp * step.dp } do
    if machine % group ~= 0 and group % machine ~= 0 then
      return nil, ("groups of %d GPUs do not divide machines of %d (node)"):format(group, machine)
    end
  end
  local network = step.network
  if not network then
    return nil, ("a replica of %d GPUs needs several machines of %d (node): say which network "
      .. "joins them, network = \"InfiniBand NDR\""):format(step.tp * step.pp * step.dp, machine)
  end
  return { bandwidth = network.bandwidth, latency_s = network.latency,
    hop_s = hop_s }
end

local function roofline_options(step, params)
  return { architecture = step.model.architecture, gpu = gpu_of(params),
    parallelism = parallelism_of(step), precision = step.model.weights, kv_type = step.model.kv,
    constants = constants_of(step.step) }
end

local kinds = {}

function kinds.affine(step) return affine_spec(step.step) end

function kinds.roofline(step, params, machine)
  if not step.model then return nil, "a roofline wants a model = td.llm …" end
  if not params then return nil, "a roofline wants a target GPU, or step = td.affine …" end
  for _, field in ipairs { "bandwidth", "flops_bf16" } do
    if not params[field] then
      return nil, ("the GPU has no %s, which a roofline needs"):format(field)
    end
  end
  local options = roofline_options(step, params)
  local network, why = network_of(step, machine, options.constants.link_hop_s)
  if why then return nil, why end
  local spec, message = llm.spec(options)
  if spec then spec.network, spec.machine = network, network and machine end
  return spec, message
end

function kinds.step_table(step, params)
  if not step.model then return nil, "measured operators want a model = td.llm …" end
  if step.pp * step.dp * step.ep > 1 then
    return nil, "operators were measured with tensor parallelism (tp) alone, without pp, dp, ep"
  end
  local measured = step.step
  local link = params and select(2, rates.of(gpu_of(params), "bf16"))
  return require("tandem.llm.tables").spec(measured.folder, {
    architecture = step.model.architecture, step_s = measured.step,
    sequence_s = measured.sequence, skew = measured.skew, link = step.tp > 1 and link or nil })
end

-- Of the KV cache, on each GPU of a replica.
local function block_bytes(step)
  local shard = step.model and core.llm.shard(step.model.architecture, parallelism_of(step))
  return shard and shard.kv_bytes_token > 0 and shard.kv_bytes_token * step.engine.block_tokens
    or nil
end

-- Blocks of the KV cache beside the weights, or nil and why there are none.
local function blocks_of(step, params)
  local engine = step.engine
  if engine.kv_blocks then return math.max(1, engine.kv_blocks // step.pp) end
  if not (step.model and params and params.memory) then
    return nil, "without a model and a GPU it wants engine = { kv_blocks = … }"
  end
  local shard, why = core.llm.shard(step.model.architecture, parallelism_of(step))
  if not shard then return nil, why end
  local room = params.memory * engine.memory - shard.weights_bytes
  local blocks = shard.kv_bytes_token > 0
    and math.floor(room / (shard.kv_bytes_token * engine.block_tokens)) or 0
  blocks = blocks // step.pp
  if blocks >= 1 then return blocks end
  return nil, ("the weights take %s of each GPU, which leaves nothing of %s for the KV cache; more "
    .. "GPUs a replica (tp, pp) or fewer bits (weights) would"):format(
    format.bytes(shard.weights_bytes), format.bytes(params.memory * engine.memory))
end

-- What its GPUs draw; nil where the model, the GPU's rates or its limit are not known.
local function power_of(step, params)
  local limit = step.power and step.power.limit or params and params.tdp_w
  if not (limit and step.model and params and params.bandwidth and params.flops_bf16) then
    return nil
  end
  local options = roofline_options(step, params)
  options.limit, options.shares = limit, step.power
  return power.spec(options)
end

--- The engine's configuration and the step model of a td.generate on GPUs of one kind.
--
-- A replica has tp·pp·dp GPUs and dp·pp schedulers ("lanes"), each with its own requests, KV blocks
-- and steps. Data-parallel groups have their own GPUs but share experts; a step takes the others'
-- batches to be as its own. A pipeline of pp stages has pp batches in flight, each a lane with a
-- pp-th of the KV blocks and of max_seqs: its step lasts as long as one batch takes through all
-- stages, and since each lane uses a stage for a pp-th of that, pp lanes keep every stage busy. So
-- equal batches have their latency and the pipeline's throughput; waits of unequal ones for each
-- other are left out.
---@param step table  a td.generate, or a pool's shape of it
---@param params table<string, number>|nil  of the GPU
---@param machine integer|nil  GPUs a machine
---@return { config: table, step: table, power: table|nil }|nil
---@return string|nil message
function generation.settle(step, params, machine)
  local blocks, why = blocks_of(step, params)
  if not blocks then return nil, why end
  local config = { blocks = blocks, hash_tokens = step.engine.block_tokens }
  for _, field in ipairs(engine_fields) do config[field] = step.engine[field] end
  policies.settle(config, step.engine)
  config.max_seqs = (config.max_seqs + step.pp - 1) // step.pp
  local problem = mechanics.settle(config, step.engine, { params = params, lanes = step.pp,
    block_bytes = block_bytes(step) })
  if problem then return nil, problem end
  local drawn = power_of(step, params)
  if type(step.step) == "function" then
    return { config = config, step = { fn = step.step }, power = drawn }
  end
  local spec, message = kinds[step.step and step.step.type or "roofline"](step, params, machine)
  if not spec then return nil, message end
  local made, wrong = core.llm.step(spec)
  if not made then return nil, wrong end
  return { config = config, step = spec, power = drawn }
end

generation.constructors = constructors

return generation
