--- A checked td.generate joined with GPUs: the configuration and the step model that core gets, or
-- why there are none.
-- Owns no keys: those are language/generation.lua's. Called by check/scenario.lua, which says what
-- is wrong, and by lower/servers.lua.

local core = require "tandem.core"
local doubt = require "tandem.llm.doubt"
local engines = require "tandem.llm.engines"
local format = require "tandem.text.format"
local generation = require "tandem.language.generation"
local llm = require "tandem.llm"
local power = require "tandem.llm.power"
local rates = require "tandem.llm.rates"
local scheduler = require "tandem.llm.scheduler"

local settled = {}

--- Bytes of KV cache that go from replica to replica: of each token, and once for a request.
---@param step table  a checked td.generate
---@return number token_bytes, number sequence_bytes
function settled.kv_bytes(step)
  local shard = step.model and core.llm.shard(step.model.architecture)
  return step.handover.token_bytes or shard.kv_bytes_token, shard and shard.state_bytes_seq or 0
end

-- A GPU's numbers as tandem.llm wants them; of links what a td.roofline says goes first.
local function gpu_of(params, own)
  own = own or {}
  local flops = {}
  for key, value in pairs(params) do
    local kind = key:match "^flops_(%w+)$"
    if kind then flops[kind] = value end
  end
  return { bandwidth = params.bandwidth, memory_bytes = params.memory, h2d = params.h2d,
    peer_bandwidth = params.peer_bandwidth,
    peer_share = own.link_efficiency or params.peer_share,
    peer_latency = own.link_latency == nil and params.peer_latency or nil, flops_by_type = flops }
end

-- Those of a GPU and server, where they were measured, with what a td.roofline says itself; other
-- step models say nothing of the GPU's rates.
local function constants_of(step, at)
  local out = {}
  for key, value in pairs(rates.known(at.gpu, at.server, at.architecture,
    at.precision, at.version)) do out[key] = value end
  if type(step) ~= "table" or step.type ~= "roofline" then return out end
  for key, name in pairs(generation.constant_names) do
    if step[key] then out[name] = step[key] end
  end
  return out
end

local function affine_spec(step)
  local pieces = {}
  for i, piece in ipairs(step.pieces or { step }) do
    pieces[i] = { decode_seqs_max = piece.decode_seqs_max or math.huge }
    for _, name in ipairs(generation.affine_fields) do pieces[i][name] = piece[name] end
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

-- Rows of measured all-reduces: of a file, which was read before, or of the catalogue's GPU unless
-- a td.roofline says itself what links do; nil: by latency and bandwidth.
local function all_reduces(step, params, gpu)
  if step and step.all_reduce then
    return require("tandem.llm.collectives").all_reduce(step.all_reduce)
  end
  for _, key in ipairs { "link_efficiency", "link_latency", "link_hop" } do
    if step and step[key] then return nil end
  end
  return gpu and params and require("tandem.language.resources").all_reduces(gpu, params) or nil
end

local function roofline_options(step, params, gpu)
  return { architecture = step.model.architecture,
    gpu = gpu_of(params, type(step.step) == "table" and step.step or nil),
    parallelism = parallelism_of(step), precision = step.model.weights, kv_type = step.model.kv,
    constants = constants_of(step.step, { gpu = gpu, server = step.engine.server,
      architecture = step.model.architecture, precision = step.model.weights,
      version = step.engine.version }) }
end

-- Watts that shares are of, and the share that a limit below what the GPU is rated for leaves.
local function limits_of(step, params)
  local limit, rated = step.power and step.power.limit, params and params.tdp_w
  if limit and rated and limit < rated then return rated, limit / rated end
  return limit or rated
end

-- What its GPUs draw; nil where the model, the GPU's rates or its limit are not known.
local function power_of(step, params, gpu)
  local limit, cap = limits_of(step, params)
  if not (limit and step.model and params and params.bandwidth and params.flops_bf16) then
    return nil
  end
  local options = roofline_options(step, params, gpu)
  options.limit, options.cap, options.shares, options.name = limit, cap, step.power, gpu
  return power.spec(options)
end

-- Do a roofline's constants tell its steps?
local function has_roofline(step)
  return step.model and (step.step == nil or type(step.step) == "table"
    and step.step.type == "roofline")
end

-- What requests take beside their steps is part of these constants, unless an API server is
-- described.
local function asks_request(step)
  return has_roofline(step) and not step.api and step.role ~= "decode"
end

-- What caps a roofline's GPUs; nil: nothing does, or nobody knows what they draw.
local function capped_of(step, params, gpu)
  local _, cap = limits_of(step, params)
  return cap and power_of(step, params, gpu) or nil
end

local kinds = {}

function kinds.affine(step) return affine_spec(step.step) end

local function roofline_spec(step, params, gpu, machine, constants)
  local options = roofline_options(step, params, gpu)
  options.constants = constants or options.constants
  local network, why = network_of(step, machine, options.constants.link_hop_s)
  if why then return nil, why end
  local spec, message = llm.spec(options)
  if spec then
    spec.network, spec.machine = network, network and machine
    spec.all_reduce = all_reduces(step.step, params, gpu)
    spec = power.cap(spec, capped_of(step, params, gpu), options.constants.cap)
  end
  return spec, message
end

-- Whose doubt it is, where steps are a roofline's. What a td.roofline says is taken to be sure; one
-- that has a spread was measured, and that is all of its doubt.
local function subject_of(step, params, gpu, machine)
  local server, own = step.engine.server, step.step or {}
  local known, fixed = rates.entry(gpu, server), {}
  for key, name in pairs(generation.constant_names) do fixed[name] = own[key] and true or nil end
  if own.spread then
    known = setmetatable({ root = {} }, { __index = known })
  end
  local options = roofline_options(step, params, gpu)
  return { constants = options.constants, known = known, fixed = fixed, role = step.role or "whole",
    spread = own.spread or rates.spread(gpu, server, step.model.architecture,
      step.model.weights, step.engine.version),
    own = own.spread,
    shape = own.spread and 0 or rates.shape(),
    request = (own.spread or fixed.request_s or not asks_request(step)) and 0
      or known.request_spread,
    cap = capped_of(step, params, gpu) and power.capped,
    model = function(constants)
      local spec = roofline_spec(step, params, gpu, machine, constants)
      return spec and core.llm.step(spec)
    end }
end

-- How constants are moved where a scenario doubts them.
local function shift_of(step, params, gpu, machine)
  local asked = step.doubt
  if not asked then return nil end
  local subject = subject_of(step, params, gpu, machine)
  local directions = doubt.directions(subject, asked.place)
  return doubt.shift(subject, directions, asked.steps, asked.prompts)
end

-- Constants as a scenario takes them, moved where it doubts them.
local function constants_at(step, params, gpu, machine)
  if not step.doubt then return roofline_options(step, params, gpu).constants end
  local shift = step.shift or shift_of(step, params, gpu, machine)
  return doubt.moved(subject_of(step, params, gpu, machine), shift)
end

--- Seconds by which a request's tokens come later than its steps: as measured of a server on a GPU,
--- or as a td.roofline says; 0 of steps that were measured by whoever wrote them, and where an API
--- server is described.
---@param step table  a td.generate, or a pool's shape of it
---@param params table<string, number>|nil  of the GPU
---@param machine integer|nil  GPUs a machine
---@param gpu string|nil       the GPU's name
---@return number
function settled.request_s(step, params, machine, gpu)
  if not (params and asks_request(step)) then return 0 end
  return constants_at(step, params, gpu, machine).request_s
end

--- Seconds that a request takes from its prefill replica to its first token beyond the transfer of
--- its cache: so many steps of the decode replica as were measured, at a batch that nobody says.
---@param step table   the decode pool's shape of a td.generate
---@param spec table   its step model's
---@param params table<string, number>|nil
---@param machine integer|nil
---@param gpu string|nil
---@return number
function settled.handed_s(step, spec, params, machine, gpu)
  if not (params and has_roofline(step)) or step.api or (step.step or {}).request then return 0 end
  local steps = constants_at(step, params, gpu, machine).handed_steps or 0
  local place = doubt.somewhere
  local model = steps > 0 and core.llm.step(spec)
  return model and steps * model:step_s { decode_seqs = place.seqs,
    decode_context = place.seqs * place.context, decode_context_max = place.context,
    sampled = place.seqs } or 0
end

function kinds.roofline(step, params, gpu, machine)
  if not step.model then return nil, "a roofline wants a model = td.llm …" end
  if not params then return nil, "a roofline wants a target GPU, or step = td.affine …" end
  for _, field in ipairs { "bandwidth", "flops_bf16" } do
    if not params[field] then
      return nil, ("the GPU has no %s, which a roofline needs"):format(field)
    end
  end
  local spec, message = roofline_spec(step, params, gpu, machine)
  if not spec or not step.doubt then return spec, message end
  return roofline_spec(step, params, gpu, machine, constants_at(step, params, gpu, machine))
end

-- Why a folder of operators does not go with how a replica is divided, or nil.
local function unmeasured(step, machine)
  local gpus = step.tp * step.dp * step.pp
  local shared = step.tp * step.dp
  if step.ep ~= 1 and step.ep ~= shared then
    return ("operators of experts were measured with whole ones: ep is tp × dp, %d, or 1"):format(
      shared)
  elseif step.dp > 1 and (step.model.architecture.experts or 0) == 0 then
    return "groups of GPUs (dp) share experts, of which the model has none; say replicas"
  elseif machine and gpus > machine then
    return ("a replica of %d GPUs needs several machines of %d (node); measured operators are for "
      .. "one"):format(gpus, machine)
  end
  return nil
end

-- Seconds of one layer's experts by the roofline, by tokens of each group.
local function experts_of(step, params, gpu)
  local a = step.model.architecture
  local layers = a.layers - (a.dense_layers or 0)
  if not (params and params.bandwidth and params.flops_bf16) or layers == 0 then return nil end
  local roofline = { model = step.model, tp = step.tp, pp = 1, dp = step.dp,
    ep = step.tp * step.dp, engine = step.engine }
  local model = core.llm.step(llm.spec(roofline_options(roofline, params, gpu)))
  return model and function(tokens)
    local batch = { decode_seqs = tokens, decode_context = tokens, decode_context_max = 1 }
    return model:explain(batch).experts / layers
  end
end

function kinds.step_table(step, params, gpu, machine)
  if not step.model then return nil, "measured operators want a model = td.llm …" end
  local refused = unmeasured(step, machine)
  if refused then return nil, refused end
  local measured = step.step
  local link = params and rates.link(gpu_of(params), rates.known(gpu, step.engine.server))
  local spec, message, notes = require("tandem.llm.tables").spec(measured.folder, {
    architecture = step.model.architecture, step_s = measured.step,
    sequence_s = measured.sequence, skew = measured.skew, data = step.dp, stages = step.pp,
    link = step.tp * step.dp * step.pp > 1 and link or nil,
    experts = experts_of(step, params, gpu) })
  if spec and spec.gpus ~= step.tp then
    return nil, ("%s has the operators of tp = %d; this is %d"):format(measured.folder, spec.gpus,
      step.tp)
  end
  if spec and spec.link then spec.all_reduce = all_reduces(measured, params, gpu) end
  return spec, message, notes
end

-- A model's own layer for tokens further on: one more like those that see everything, with experts
-- where these have them, between the model's own embedding and head.
local function own_draft(model)
  local a = {}
  for key, value in pairs(model.architecture) do a[key] = value end
  a.layers, a.linear_layers, a.coarse_layers, a.tied = 1, 0, 0, 1
  a.dense_layers = (a.experts or 0) > 0 and 0 or 1
  -- Compressed keys are for layers of the model; its own draft sees the window.
  a.window_layers, a.key_stride = (a.o_rank or 0) > 0 and 1 or 0, 0
  return { architecture = a, weights = model.weights, kv = model.kv }
end

-- What drafts, as a td.llm, and how it is divided; nil: no model does.
local function draft_of(step)
  local speculation = step.engine.speculation
  if speculation and speculation.mtp and step.model then
    return own_draft(step.model), { tensor = step.tp, expert = step.ep, data = step.dp }
  end
  return speculation and speculation.draft, { tensor = step.tp }
end

-- Of what drafts, on each GPU, divided by tp as the model is: weights, KV cache of a token; 0, 0
-- where no model does.
local function draft_bytes(step)
  local draft, cut = draft_of(step)
  if not draft then return 0, 0 end
  -- Embedding and head are there already.
  if step.engine.speculation.mtp then draft.architecture.vocabulary = 1 end
  local shard, why = core.llm.shard(draft.architecture, cut)
  if not shard then return nil, why end
  return shard.weights_bytes, shard.kv_bytes_token
end

-- Its steps, by its own roofline on the same GPUs; nil without a model, or with a message.
local function draft_step(step, params, gpu)
  local draft, cut = draft_of(step)
  if not draft then
    local mtp = step.engine.speculation and step.engine.speculation.mtp
    return nil, mtp and "speculation.mtp wants a model = td.llm …" or nil
  end
  if step.pp > 1 then return nil, "a draft model is for replicas without pipeline stages (pp)" end
  if step.prefill then
    return nil, "a draft model is for replicas that compute prompts and outputs, not for prefill "
      .. "and decode replicas"
  end
  local drafting = { model = draft, tp = step.tp, pp = 1, ep = cut.expert or 1,
    dp = cut.data or 1, network = step.network, engine = step.engine, power = step.power,
    step = step.step and step.step.type == "roofline" and step.step or nil, doubt = step.doubt }
  if not params then
    return nil, "a draft model wants a target GPU, or speculation.time or share"
  end
  -- One deployment is off by one shift, that of the model's own steps.
  if drafting.doubt then drafting.shift = shift_of(step, params, gpu) end
  local spec, why = kinds.roofline(drafting, params, gpu)
  if not spec then return nil, "the draft model: " .. why end
  return spec
end

-- Of the KV cache, on each GPU of a replica.
local function block_bytes(step)
  local shard = step.model and core.llm.shard(step.model.architecture, parallelism_of(step))
  local _, drafted = draft_bytes(step)
  return shard and shard.kv_bytes_token > 0 and type(drafted) == "number"
    and (shard.kv_bytes_token + drafted) * step.engine.block_tokens or nil
end

-- Bytes that are left for what grows with tokens when so many sequences have what they have however
-- long they are (states of linear attention, windows that lie apart): up to half of all goes to
-- them, which may be fewer than max_seqs.
local function beside_states(shard, left, max_seqs)
  if shard.state_bytes_seq <= 0 or left <= 0 then return left, max_seqs end
  local seqs = math.min(max_seqs, math.floor(left / 2 / shard.state_bytes_seq))
  return left - seqs * shard.state_bytes_seq, seqs
end

-- Blocks in so many bytes. Layers with a window either keep all tokens, as the others, or a window
-- a sequence that is reserved for each; engines that can do the latter do it where it holds more.
local function blocks_in(left, token_bytes, shard, window, seqs, block_tokens)
  local alike = left / (token_bytes * block_tokens)
  local others = token_bytes - shard.window_bytes_token
  if shard.window_bytes_token <= 0 or others <= 0 then return math.floor(alike) end
  local apart = (left - seqs * window * shard.window_bytes_token) / (others * block_tokens)
  return math.floor(math.max(alike, apart))
end

-- Blocks of the KV cache beside the weights, or nil and why there are none. Where there is no room
-- for the states of max_seqs sequences, it becomes as many as there is room for.
local function blocks_of(step, params, config)
  local engine = step.engine
  if engine.kv_blocks then return math.max(1, engine.kv_blocks // step.pp) end
  if not (step.model and params and params.memory) then
    return nil, "without a model and a GPU it wants engine = { kv_blocks = … }"
  end
  local shard, why = core.llm.shard(step.model.architecture, parallelism_of(step))
  if not shard then return nil, why end
  local draft_weights, draft_token = draft_bytes(step)
  if not draft_weights then return nil, "the draft model: " .. draft_token end
  local weights = shard.weights_bytes + draft_weights
  local token_bytes = shard.kv_bytes_token + draft_token
  local left, seqs = beside_states(shard, params.memory * engine.memory - weights, config.max_seqs)
  local blocks = token_bytes > 0 and seqs >= 1 and blocks_in(left, token_bytes, shard,
    step.model.architecture.window or 0, seqs, engine.block_tokens) or 0
  blocks = blocks // step.pp
  if blocks >= 1 then
    config.max_seqs = seqs
    return blocks
  end
  return nil, ("the weights take %s of each GPU, which leaves nothing of %s for the KV cache; more "
    .. "GPUs a replica (tp, pp) or fewer bits (weights) would"):format(
    format.bytes(weights), format.bytes(params.memory * engine.memory))
end

-- What a report has to say of a cap on what GPUs draw.
local function add_cap(notes, step, params)
  local limit, rated = step.power and step.power.limit, params and params.tdp_w
  if not (limit and rated and limit < rated) then return end
  if not has_roofline(step) then
    notes[#notes + 1] = ("power.limit is below the GPU's %g W: watts follow it and times do not, "
      .. "which are taken as they were measured (tandem help power)"):format(rated)
  else
    notes[#notes + 1] = ("power.limit is below the GPU's %g W: steps that want more take longer, "
      .. "as far as is published of other GPUs (tandem help power)"):format(rated)
  end
end

-- … of a step model: what was not measured and how it is made up for.
local function beyond_tables(spec, config, notes)
  if spec.kind ~= "table" then return {} end
  notes = notes or {}
  local most, asked = spec.tokens[#spec.tokens - 1], config.max_batched_tokens
  if asked and asked > most then
    notes[#notes + 1] = ("operators were measured up to %s tokens a step; larger ones (up to %s) "
      .. "go on with their slope, attention piece by piece"):format(format.integer(most),
      format.integer(asked))
  end
  return notes
end

--- What is to be known of GPUs of LLM servers that may not draw what they are rated for.
---@param checked tandem.Checked
---@return string[]
function settled.capped(checked)
  local resources, out = require "tandem.language.resources", {}
  for _, planned in ipairs((require("tandem.llm.pools").plan(checked))) do
    for _, pool in ipairs(planned.pools or {}) do
      add_cap(out, pool.shape, pool.gpu and resources.gpu_params(pool.gpu))
    end
  end
  return out
end

--- What reports say of the step models of a server: what was not measured.
---@param checked table  a scenario
---@param name string    of the server
---@return string[]
function settled.notes(checked, name)
  local resources = require "tandem.language.resources"
  local out, seen = {}, {}
  local doubted = checked.doubt
  if doubted then
    out[1] = ("steps are not what is known but %+g standard deviations of it off, and prompts %+g "
      .. "beyond that (doubt)"):format(doubted.steps or 0, doubted.prompts or 0)
  end
  for _, planned in ipairs((require("tandem.llm.pools").plan(checked))) do
    for _, pool in ipairs(planned.name == name and planned.pools or {}) do
      local gpu = pool.gpu
      local made = settled.settle(pool.shape, gpu and resources.gpu_params(gpu),
        gpu and resources.machine(gpu), gpu and gpu.name)
      for _, note in ipairs(made and made.notes or {}) do
        if not seen[note] then out[#out + 1] = note end
        seen[note] = true
      end
    end
  end
  return out
end

---@class tandem.llm.Doubted     a pool of a server whose steps are a roofline's
---@field server string
---@field pool tandem.Pool
---@field subject tandem.llm.Subject
---@field place tandem.llm.Place
---@field directions tandem.llm.Directions

--- What is doubted of a scenario's LLM servers, where each works.
---@param checked table  a scenario
---@param places table<string, tandem.llm.Place>  by server
---@return tandem.llm.Doubted[]
function settled.doubts(checked, places)
  local resources, out = require "tandem.language.resources", {}
  for _, planned in ipairs((require("tandem.llm.pools").plan(checked))) do
    for _, pool in ipairs(planned.pools) do
      local gpu, shape = pool.gpu, pool.shape
      if gpu and has_roofline(shape) then
        local subject = subject_of(setmetatable({ role = pool.role }, { __index = shape }),
          resources.gpu_params(gpu), gpu.name, resources.machine(gpu))
        local place = places[planned.name] or doubt.somewhere
        out[#out + 1] = { server = planned.name, pool = pool, subject = subject, place = place,
          directions = doubt.directions(subject, place) }
      end
    end
  end
  return out
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
---@param gpu string|nil       the GPU's name
---@return { config: table, step: table, power: table?, draft: table?, notes: string[]?,
--- taken: table }|nil  taken: what its server takes by version and GPU
---@return string|nil message
function settled.settle(step, params, machine, gpu)
  local config = { hash_tokens = step.engine.block_tokens }
  scheduler.settle(config, step.engine)
  local at = { gpu = gpu, memory = params and params.memory, pp = step.pp }
  local taken = params and engines.taken(step.engine, at) or {}
  for key, value in pairs(taken) do config[key] = value end
  local why
  config.blocks, why = blocks_of(step, params, config)
  if not config.blocks then return nil, why end
  config.max_seqs = (config.max_seqs + step.pp - 1) // step.pp
  local problem = scheduler.size(config, step.engine, { params = params, lanes = step.pp,
    block_bytes = block_bytes(step), schedulers = step.pp * step.dp, group = step.tp * step.pp,
    role = step.role })
  if problem then return nil, problem end
  local draft, undrafted = draft_step(step, params, gpu)
  if undrafted then return nil, undrafted end
  local drawn = power_of(step, params, gpu)
  if drawn and drawn.cap and drawn.cap <= drawn.idle then
    return nil, ("power.limit is %g W, and the GPU draws %g W while it waits; it must be more")
      :format(drawn.cap * drawn.limit, drawn.idle * drawn.limit)
  end
  if type(step.step) == "function" then
    local notes = {}
    add_cap(notes, step, params)
    return { config = config, step = { fn = step.step }, power = drawn, draft = draft,
      taken = taken, notes = notes }
  end
  local kind = step.step and step.step.type or "roofline"
  local spec, message, notes = kinds[kind](step, params, gpu, machine)
  if not spec then return nil, message end
  local made, wrong = core.llm.step(spec)
  if not made then return nil, wrong end
  notes = beyond_tables(spec, config, notes)
  add_cap(notes, step, params)
  return { config = config, step = spec, power = drawn, draft = draft, taken = taken,
    notes = notes }
end

return settled
