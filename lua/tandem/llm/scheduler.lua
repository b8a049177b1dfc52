--- How the engine of an LLM server schedules: td.generate's `engine`.
-- Makes its keys, defaults and words from the core's options (src/model/llm/options.c), asks the
-- core what does not go together (src/engine/serving/check.c), and says what core gets of a checked
-- engine. Owns what the language has beside: batches by name, and how swapping, adapters and
-- drafting are sized. Called by language/generation.lua, llm/deployment.lua and lower/servers.lua.

local core = require "tandem.core"
local node = require "tandem.language.node"

local scheduler = {}

---@class tandem.SchedulerOption as src/model/llm/replica.h says
---@field name string         of core's configuration
---@field key string|nil      of the engine, or of its record
---@field record string|nil
---@field doc string|nil
---@field sort "whole"|"real"|"seconds"|"flag"|"word"
---@field least number
---@field most number|nil
---@field above_least boolean
---@field required boolean
---@field words { [1]: string, [2]: string }[]|nil  names and what they mean
---@field presets table<string, any>  by server

---@type tandem.SchedulerOption[]
local options
---@type { [1]: string, [2]: string }[]
local servers
options, servers = core.serving.options()

local function names_of(words)
  local names = {}
  for i, word in ipairs(words) do names[i] = word[1] end
  return names
end

-- What all servers have alike; nil when they differ.
local function common_preset(option)
  local first = option.presets[servers[1][1]]
  for _, server in ipairs(servers) do
    if option.presets[server[1]] ~= first then return nil end
  end
  return first
end

local function key_spec(option)
  local spec
  if option.sort == "flag" then
    spec = { kind = "boolean" }
  elseif option.sort == "word" then
    spec = { kind = "router", of = names_of(option.words) }
  else
    spec = { kind = "quantity", dim = option.sort == "seconds" and "s" or "1",
      integer = option.sort == "whole" or nil, max = option.most,
      min = option.sort == "whole" and option.least or nil,
      positive = option.above_least or nil, required = option.required or nil }
  end
  -- Words are the server's, and what its records hold is not told apart by server.
  if option.record or option.sort ~= "word" then spec.default = common_preset(option) end
  spec.doc = option.doc
  return spec
end

-- The keys that core has: of the engine itself (record nil), or of one of its records.
local function keys_of(record)
  local keys = {}
  for _, option in ipairs(options) do
    if option.key and option.record == record then keys[option.key] = key_spec(option) end
  end
  return keys
end

local function with(keys, more)
  for key, spec in pairs(more) do keys[key] = spec end
  return keys
end

local function define_record(name, spec)
  spec.type, spec.group = "llm_" .. name, "record"
  node.types[spec.type] = spec
end

-- ---- records

define_record("swap", { positional = { "space" },
  doc = "preempted requests' KV blocks in host memory",
  keys = { space = { kind = "quantity", dim = "B", required = true },
    bandwidth = { kind = "quantity", dim = "B/s", positive = true },
    block = { kind = "quantity", dim = "B", positive = true } } })

local TIERS_MOST <const> = 4 -- TDM_KV_TIERS
define_record("kv_tier", { doc = "a tier below the GPUs' KV cache, which keeps prefix blocks",
  order = { "name", "capacity", "bandwidth", "write_bandwidth", "duplex", "latency", "shared",
    "write", "prefetch", "timeout", "timeout_per_ki_token", "weight", "block" },
  keys = { name = { kind = "string", required = true },
    capacity = { kind = "quantity", dim = "B", required = true },
    bandwidth = { kind = "quantity", dim = "B/s", positive = true },
    write_bandwidth = { kind = "quantity", dim = "B/s", positive = true },
    duplex = { kind = "boolean", default = true },
    latency = { kind = "quantity", dim = "s", default = 0 },
    shared = { kind = "boolean", default = false },
    write = { kind = "enum", of = { "write_through", "write_through_selective", "write_back" } },
    prefetch = { kind = "enum", of = { "none", "best_effort", "wait_complete", "timeout" } },
    timeout = { kind = "quantity", dim = "s" },
    timeout_per_ki_token = { kind = "quantity", dim = "s" },
    weight = { kind = "quantity", dim = "1", max = 1 },
    block = { kind = "quantity", dim = "B", positive = true } },
  finish = function(ctx, c)
    if type(c.name) == "string" and not c.name:match "^[%w_.-]+$" or #(c.name or "") > 31 then
      ctx:problem("name", ("is '%s'; wanted up to 31 letters, digits, _ . -"):format(c.name))
    end
  end })

-- What a server does where a tier does not say: TensorRT-LLM offloads what it evicts, SGLang reads
-- ahead from storage, a second and a quarter for each 1,024 tokens at most.
local function tier_defaults(server, tier, first)
  local sglang = server == "sglang"
  tier.write = tier.write or server == "tensorrt_llm" and "write_back" or "write_through"
  tier.prefetch = tier.prefetch or sglang and not first and "timeout" or "none"
end

local TIMEOUT <const>, TIMEOUT_PER_KI <const> = 1, 0.25

define_record("lora", { positional = { "max" }, doc = "LoRA adapters on the GPU",
  keys = with(keys_of "lora", { size = { kind = "quantity", dim = "B",
    doc = "bytes of one on each GPU, which load over the host link" } }),
  finish = function(ctx, c)
    if c.load and c.size then
      ctx:problem("size", "and load both say how long loading takes; give one")
    end
  end })

define_record("speculation", { doc = "tokens drafted ahead, verified together",
  order = { "tokens", "acceptance", "draft", "mtp", "time", "share" },
  keys = with(keys_of "speculation", {
    draft = { kind = "node", groups = { llm = true }, types = { llm = true },
      doc = "td.llm \"…\": the model that drafts, on the same GPUs" },
    mtp = { kind = "boolean",
      doc = "the model's own layer for tokens further on drafts (multi-token prediction)" } }),
  finish = function(ctx, c)
    if c.draft and c.mtp then ctx:problem("mtp", "and draft both say what drafts; give one") end
    for _, key in ipairs { "time", "share" } do
      if (c.draft or c.mtp) and c[key] then
        ctx:problem(key, ("and %s both say how long drafting takes; give one"):format(
          c.draft and "draft" or "mtp"))
      end
    end
  end })

define_record("estimate", { keys = keys_of "estimate",
  doc = "how many tokens running requests are expected to add, as SGLang estimates" })

local tenant_share = { kind = "quantity", dim = "1", positive = true, max = 1e9 - 1 }
define_record("fairness", {
  doc = "what order = \"fair\" counts: tokens of each tenant, weighted",
  keys = with(keys_of "fairness", { tenants = { kind = "list", min = 1, of = tenant_share },
    classes = { kind = "map", of = tenant_share } }),
  finish = function(ctx, c)
    if c.tenants and c.classes then
      ctx:problem("classes", "stands beside tenants: shares are by tenant or by class")
    end
  end })

--- Keys of td.generate's engine, but for those that say how much memory there is.
---@type table<string, table>
scheduler.keys = with(keys_of(nil), {
  server = { kind = "enum", of = names_of(servers), default = servers[1][1] },
  batching = { kind = "enum", of = { "continuous", "dynamic", "static" }, default = "continuous" },
  wait = { kind = "quantity", dim = "s",
    doc = "dynamic: how long the oldest waits for company (default: 0)" },
  returns_together = { kind = "boolean" },
  version = { kind = "string",
    doc = "of the server: max_seqs, max_batched_tokens and plans_ahead are that version's" },
})
scheduler.keys.kv_tiers = { kind = "list", min = 1,
  of = { kind = "record", of = "llm_kv_tier" } }
for _, record in ipairs { "swap", "lora", "speculation", "estimate", "fairness" } do
  scheduler.keys[record] = { kind = "record", of = "llm_" .. record }
end

--- Names and meanings of the words of a key, in core's order.
---@param key string
---@return { [1]: string, [2]: string }[]
function scheduler.words(key)
  if key == "server" then return servers end
  for _, option in ipairs(options) do
    if option.key == key and option.words then return option.words end
  end
  error("no words: " .. key)
end

--- What a server of this name has by default, by key of the engine.
---@param server string
---@return table<string, any>
function scheduler.defaults(server)
  local out = {}
  for _, option in ipairs(options) do
    if option.key and not option.record then out[option.key] = option.presets[server] end
  end
  return out
end

--- Its plain settings, by key: whole numbers and flags that a server of this name has.
---@param server string
---@return table<string, "whole"|"flag">
function scheduler.plain(server)
  local out = {}
  for _, option in ipairs(options) do
    local plain = option.sort == "whole" or option.sort == "flag"
    if plain and option.key and not option.record and option.presets[server] ~= nil then
      out[option.key] = option.sort
    end
  end
  return out
end

-- ---- checks

-- What only the language tells apart: whether something was written.
local function check_written(ctx, c)
  if c.batching == "continuous" then
    for _, key in ipairs { "wait", "returns_together" } do
      if c[key] ~= nil then
        ctx:problem(key, "is of batches; continuous batching has none (batching = \"dynamic\")")
      end
    end
  elseif c.batching == "static" and c.wait then
    ctx:problem("wait",
      "a static batch waits until it is full; drop wait, or batching = \"dynamic\"")
  end
  if c.estimate and c.admit ~= "estimate" then
    ctx:problem("estimate", "is for admit = \"estimate\"")
  end
  if c.fairness and c.order ~= "fair" then ctx:problem("fairness", "is for order = \"fair\"") end
  if c.kv_tiers and #c.kv_tiers > TIERS_MOST then
    ctx:problem("kv_tiers", ("has %d tiers; at most %d"):format(#c.kv_tiers, TIERS_MOST))
    c.kv_tiers = nil
  end
  for i, tier in ipairs(c.kv_tiers or {}) do
    for _, key in ipairs { "timeout", "timeout_per_ki_token" } do
      if tier[key] and tier.prefetch ~= "timeout" then
        ctx:problem("kv_tiers", ("\"%s\": %s is for prefetch = \"timeout\""):format(
          tier.name or i, key))
      end
    end
  end
  local beside = (c.speculation or c.swap) and "swap or speculation" or c.kv_tiers and "kv_tiers"
  for _, key in ipairs { "admit", "preempt", "chunk" } do
    if beside and type(c[key]) == "function" then
      ctx:problem(key, "as a function stands beside " .. beside)
    end
  end
end

--- What core says against a checked engine, whose sizes need no GPU: where and what, the key being
--- the engine's.
---@param engine table
---@return { where: string, what: string }[]
local function problems(engine)
  local config = { hash_tokens = engine.block_tokens }
  scheduler.settle(config, engine)
  if engine.swap then config.host_blocks = 1 end
  config.kv_tiers = engine.kv_tiers -- by their names; sizes need a GPU
  return core.serving.problems(config)
end

-- Where a scenario names its server, what that takes by version and GPU is known once there is a
-- GPU: which keys are left to it.
local BY_VERSION <const> = { "max_seqs", "max_batched_tokens", "plans_ahead" }

local function leave_to_server(ctx, c, raw)
  if raw.version == nil and raw.server == nil then return end
  if c.version and not require("tandem.llm.engines").is_version(c.version) then
    ctx:problem("version", ("is '%s'; wanted a number, \"0.15.1\""):format(c.version))
  end
  c.unsaid = {}
  for _, key in ipairs(BY_VERSION) do c.unsaid[key] = raw[key] == nil or nil end
end

--- Fills in what the server has and checks the whole.
---@param ctx table
---@param c table
---@param raw table  as it was written
function scheduler.finish(ctx, c, raw)
  leave_to_server(ctx, c, raw)
  for key, value in pairs(scheduler.defaults(c.server)) do
    if c[key] == nil then c[key] = value end
  end
  if c.unsaid and c.unsaid.max_seqs then c.max_seqs = math.min(c.max_seqs, c.max_batched_tokens) end
  local continuous = c.batching == "continuous"
  if c.prefix_caching == nil then c.prefix_caching = continuous end
  if not continuous and c.returns_together == nil then c.returns_together = true end
  for i, tier in ipairs(c.kv_tiers or {}) do tier_defaults(c.server, tier, i == 1) end
  check_written(ctx, c)
  local told = {}
  for _, problem in ipairs(problems(c)) do
    if not told[problem.where] then ctx:problem(problem.where, problem.what) end
    told[problem.where] = true
  end
end

-- ---- what core gets

-- The value of an option in a checked engine.
local function value_of(option, engine)
  if not option.key then return option.presets[engine.server] end
  local from = engine
  if option.record then from = engine[option.record] or {} end
  local value = from[option.key]
  if option.sort == "word" and type(value) == "function" then return "function" end
  return value
end

--- Adds to core's configuration what a checked engine says, whatever GPU there is.
---@param config table
---@param engine table
function scheduler.settle(config, engine)
  for _, option in ipairs(options) do
    local value = value_of(option, engine)
    if value ~= nil then config[option.name] = value end
  end
  if engine.batching ~= "continuous" then
    config.batching = "batch"
    config.batch_returns_together = engine.returns_together
    if engine.batching == "dynamic" then
      config.batch_wait_ns = math.floor((engine.wait or 0) * 1e9 + 0.5)
    end
  end
end

---@class tandem.SchedulerHardware
---@field block_bytes number|nil  of the KV cache, on each GPU of a replica
---@field params table<string, number>|nil  of the GPU
---@field lanes integer  schedulers that share a GPU
---@field schedulers integer  of a replica
---@field group integer  GPUs that a block is spread over
---@field role string|nil  "prefill", "decode"

local function size_swap(config, swap, hardware)
  local params = hardware.params or {}
  local block = swap.block or hardware.block_bytes
  local bandwidth = swap.bandwidth or params.h2d and params.d2h and math.min(params.h2d, params.d2h)
  if not block then return "swapping wants a model, or engine.swap.block: the bytes of a block" end
  if not bandwidth then
    return "swapping wants a GPU with a host link (h2d, d2h), or engine.swap.bandwidth"
  end
  config.host_blocks = math.min(1 << 40, math.floor(swap.space / block)) // hardware.lanes
  config.swap_block_s = block / bandwidth
end

-- Where nobody says: the first tier's, that of others, and of a store that is shared, as NVIDIA
-- Dynamo's router counts blocks in host memory, on disk and in a shared cache.
local WEIGHTS <const>, SHARED_WEIGHT <const> = { 0.75, 0.25 }, 0.5

-- Bytes a second from and to a tier; nil and why, where nobody says.
local function tier_rates(tier, first, links)
  local bandwidth = tier.bandwidth or first and links.h2d
  if not bandwidth then
    return nil, ("engine.kv_tiers: \"%s\" wants a bandwidth%s"):format(tier.name,
      first and ": the GPU has no host link (h2d)" or "")
  end
  local down = tier.write_bandwidth or first and not tier.bandwidth and links.d2h or bandwidth
  return bandwidth, down
end

-- Capacity and bandwidth are a replica's, of which each of its schedulers has an equal share; where
-- a tier is shared, all replicas' together.
local function size_tiers(config, tiers, hardware)
  local params, links, out = hardware.params or {}, {}, {}
  for _, way in ipairs { "h2d", "d2h" } do
    links[way] = params[way] and params[way] * hardware.group * hardware.schedulers
  end
  for i, tier in ipairs(tiers) do
    local block = tier.block or hardware.block_bytes and hardware.block_bytes * hardware.group
    if not block then
      return ("engine.kv_tiers: \"%s\" wants a block, its bytes, where no model says them"):format(
        tier.name)
    end
    local up, down = tier_rates(tier, i == 1, links)
    if not up then return down end
    local sharers = tier.shared and 1 or hardware.schedulers
    local blocks = math.floor(math.min(1 << 40, tier.capacity / sharers / block))
    -- all others are read into the first one
    if blocks == 0 and i == 1 and config.steps == "prefill_first" then return nil end
    if blocks > 0 then
      out[#out + 1] = { name = tier.name, blocks = blocks, block_bytes = block,
        block_s = block * sharers / up, store_s = block * sharers / down,
        latency_s = tier.latency, one_way = not tier.duplex, shared = tier.shared,
        worth = tier.weight or tier.shared and SHARED_WEIGHT or WEIGHTS[math.min(i, 2)],
        write = tier.write, prefetch = tier.prefetch, timeout_s = tier.timeout or TIMEOUT,
        timeout_token_s = (tier.timeout_per_ki_token or TIMEOUT_PER_KI) / 1024 }
    end
  end
  if #out > 0 then config.kv_tiers = out end
  return nil
end

local function size_lora(config, lora, hardware)
  if not lora.size then return nil end
  local link = hardware.params and hardware.params.h2d
  if not link then
    return "the GPU has no host link (h2d) over which adapters load; give engine.lora.load"
  end
  config.adapter_load_s = lora.size / link
end

--- Adds what depends on the GPU: how much host memory swaps, how long adapters load, what tiers
--- below the KV cache hold.
---@param config table
---@param engine table
---@param hardware tandem.SchedulerHardware
---@return string|nil problem
function scheduler.size(config, engine, hardware)
  if engine.batching ~= "continuous" then return nil end
  local problem = engine.lora and size_lora(config, engine.lora, hardware)
  problem = problem or engine.swap and size_swap(config, engine.swap, hardware) or nil
  if problem or not engine.kv_tiers or hardware.role == "decode" then return problem end
  return size_tiers(config, engine.kv_tiers, hardware)
end

local DECISIONS <const> = { "order", "admit", "preempt", "chunk" }

--- The user's functions, nil when there are none.
---@param engine table
---@return table<string, function>|nil
function scheduler.functions(engine)
  local out
  for _, key in ipairs(DECISIONS) do
    if type(engine[key]) == "function" then
      out = out or {}
      out[key] = engine[key]
    end
  end
  return out
end

--- Shares by number of tenant, from 0 on: classes in their order, or tenants 1, 2, ….
---@param engine table
---@param classes { name: string }[]
---@return number[]|nil
---@return string|nil unknown  a class that is not there
function scheduler.shares(engine, classes)
  local fairness = engine.fairness
  if not fairness then return nil end
  local out = {}
  if fairness.tenants then
    out[1] = 1
    for i, share in ipairs(fairness.tenants) do out[i + 1] = share end
    return out
  end
  local known = {}
  for i, class in ipairs(classes) do
    out[i] = fairness.classes and fairness.classes[class.name] or 1
    known[class.name] = true
  end
  for name in pairs(fairness.classes or {}) do
    if not known[name] then return nil, name end
  end
  return out
end

return scheduler
