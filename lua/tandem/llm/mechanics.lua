--- What an LLM engine does beside continuous batching: static and dynamic batches, swapping,
-- speculative decoding, LoRA adapters.
-- Owns these keys of a td.generate's engine, what is wrong with them, and what core gets of them;
-- whose turn it is and how long steps take are others'. Called by generation.lua.

local node = require "tandem.node"

local mechanics = {}

node.types.llm_swap = { type = "llm_swap", group = "record", positional = { "space" },
  doc = "preempted requests' KV blocks in host memory",
  keys = { space = { kind = "quantity", dim = "B", required = true },
    bandwidth = { kind = "quantity", dim = "B/s", positive = true },
    block = { kind = "quantity", dim = "B", positive = true } } }

node.types.llm_lora = { type = "llm_lora", group = "record", positional = { "max" },
  doc = "LoRA adapters on the GPU",
  keys = { max = { kind = "quantity", dim = "1", integer = true, min = 1, max = 1 << 20,
      required = true },
    load = { kind = "quantity", dim = "s" }, size = { kind = "quantity", dim = "B" },
    step = { kind = "quantity", dim = "s" } },
  finish = function(ctx, c)
    if c.load and c.size then
      ctx:problem("size", "and load both say how long loading takes; one of them")
    end
  end }

node.types.llm_speculation = { type = "llm_speculation", group = "record",
  doc = "tokens drafted ahead, verified together",
  order = { "tokens", "acceptance", "time", "share" },
  keys = {
    tokens = { kind = "quantity", dim = "1", integer = true, min = 1, max = 64, required = true },
    acceptance = { kind = "quantity", dim = "1", max = 1, required = true },
    time = { kind = "quantity", dim = "s" }, share = { kind = "quantity", dim = "1" } } }

mechanics.keys = {
  batching = { kind = "enum", of = { "continuous", "dynamic", "static" }, default = "continuous" },
  wait = { kind = "quantity", dim = "s",
    doc = "dynamic: how long the oldest waits for company; 0 unless told" },
  returns_together = { kind = "boolean" },
  swap = { kind = "record", of = "llm_swap" },
  lora = { kind = "record", of = "llm_lora" },
  speculation = { kind = "record", of = "llm_speculation" },
}

local function check_batching(ctx, c)
  if c.batching == "continuous" then
    for _, key in ipairs { "wait", "returns_together" } do
      if c[key] ~= nil then
        ctx:problem(key, "is of batches; continuous batching has none (batching = \"dynamic\")")
      end
    end
    return
  end
  if c.batching == "static" and c.wait then
    ctx:problem("wait",
      "a static batch waits until it is full; drop wait, or batching = \"dynamic\"")
  end
  for _, key in ipairs { "prefix_caching", "plans_ahead", "swap", "speculation", "lora" } do
    if c[key] then ctx:problem(key, "is for continuous batching") end
  end
end

--- Finishes and checks a written engine.
---@param ctx table
---@param c table
function mechanics.finish(ctx, c)
  check_batching(ctx, c)
  if c.speculation and c.plans_ahead then
    ctx:problem("plans_ahead", "cannot know what a step accepts before it ends; drop speculation")
  end
  local continuous = c.batching == "continuous"
  if c.prefix_caching == nil then c.prefix_caching = continuous end
  if not continuous and c.returns_together == nil then c.returns_together = true end
end

---@class tandem.MechanicsPlace
---@field block_bytes number|nil  of the KV cache, on each GPU of a replica
---@field params table<string, number>|nil  of the GPU
---@field lanes integer  schedulers that share a GPU

---@param config table
---@param swap table
---@param place tandem.MechanicsPlace
---@return string|nil problem
local function settle_swap(config, swap, place)
  local params = place.params or {}
  local block = swap.block or place.block_bytes
  local bandwidth = swap.bandwidth or params.h2d and params.d2h and math.min(params.h2d, params.d2h)
  if not block then return "swapping wants a model, or engine.swap.block: the bytes of a block" end
  if not bandwidth then
    return "swapping wants a GPU with a host link (h2d, d2h), or engine.swap.bandwidth"
  end
  config.host_blocks = math.min(1 << 40, math.floor(swap.space / block)) // place.lanes
  config.swap_block_s = block / bandwidth
end

---@param config table
---@param lora table
---@param place tandem.MechanicsPlace
---@return string|nil problem
local function settle_lora(config, lora, place)
  local link = place.params and place.params.h2d
  if lora.size and not link then
    return "the GPU has no host link (h2d) over which adapters load; give engine.lora.load"
  end
  config.max_adapters = lora.max
  config.adapter_load_s = lora.size and lora.size / link or lora.load or 0
  config.adapter_step_s = lora.step or 0
end

--- Adds to core's configuration what a checked engine says.
---@param config table
---@param engine table
---@param place tandem.MechanicsPlace
---@return string|nil problem
function mechanics.settle(config, engine, place)
  local speculation = engine.speculation
  if speculation then
    config.draft_tokens, config.acceptance = speculation.tokens, speculation.acceptance
    config.draft_s, config.draft_share = speculation.time or 0, speculation.share or 0
  end
  if engine.batching == "continuous" then
    local problem = engine.lora and settle_lora(config, engine.lora, place)
    return problem or engine.swap and settle_swap(config, engine.swap, place)
  end
  config.batching = "batch"
  config.batch_returns_together = engine.returns_together
  if engine.batching == "dynamic" then
    config.batch_wait_ns = math.floor((engine.wait or 0) * 1e9 + 0.5)
  end
end

return mechanics
