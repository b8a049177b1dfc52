--- Whose turn it is in an LLM engine: servers' policies, and single decisions by word or function.
-- Owns these keys of a td.generate's engine, what each server has for them unless told, and what
-- core gets. Called by generation.lua.

local node = require "tandem.node"

local policies = {}

local function number(options)
  options.kind, options.dim = "quantity", options.dim or "1"
  return options
end
local function whole(options)
  options.integer, options.max = true, options.max or 1 << 40
  return number(options)
end

node.types.llm_estimate = { type = "llm_estimate", group = "record",
  doc = "how many tokens running requests are expected to add, as SGLang estimates",
  keys = { ratio = number { max = 1, default = 0.7 }, least = number { max = 1, default = 0.098 },
    steps = whole { min = 0, default = 600 }, most = whole { min = 1, default = 4096 },
    after = whole { min = 0, default = 20 } },
  finish = function(ctx, c)
    if c.least > c.ratio then ctx:problem("least", "is above ratio, from which it falls") end
  end }

node.types.llm_fairness = { type = "llm_fairness", group = "record",
  doc = "what order = \"fair\" counts: tokens of each tenant, weighted",
  keys = { input = number { default = 1 }, output = number { positive = true, default = 2 },
    tenants = { kind = "list", min = 1, of = number { positive = true, max = 1e9 - 1 } },
    classes = { kind = "map", of = number { positive = true, max = 1e9 - 1 } } },
  finish = function(ctx, c)
    if c.tenants and c.classes then
      ctx:problem("classes", "stands beside tenants: shares are by tenant or by class")
    end
  end }

policies.orders = { "fcfs", "priority", "shortest_prompt", "shortest_job", "longest_prefix",
  "prefix_weight", "fair" }

policies.keys = {
  server = { kind = "enum", of = { "vllm", "sglang", "tensorrt_llm" }, default = "vllm" },
  max_seqs = whole { min = 1 },
  max_batched_tokens = whole { min = 1 },
  block_tokens = whole { min = 1, max = 1 << 20 },
  chunked_prefill = { kind = "boolean" },
  max_prefill_tokens = whole { min = 0 },
  order = { kind = "router", of = policies.orders },
  admit = { kind = "router", of = { "input", "prompt", "estimate", "maximum" } },
  preempt = { kind = "router", of = { "last", "least_output" } },
  chunk = { kind = "router", of = { "greedy", "blocks", "equal" } },
  estimate = { kind = "record", of = "llm_estimate" },
  fairness = { kind = "record", of = "llm_fairness" },
}

-- What a server has unless told; `fixed` is what makes it this server.
local servers = {
  vllm = { max_seqs = 256, max_batched_tokens = 8192, block_tokens = 16, chunked_prefill = true,
    order = "fcfs", admit = "input", preempt = "last", chunk = "greedy",
    fixed = { steps = "mixed" } },
  sglang = { max_seqs = 2048, max_batched_tokens = 8192, block_tokens = 1, chunked_prefill = true,
    max_prefill_tokens = 16384, order = "fcfs", admit = "estimate", preempt = "least_output",
    chunk = "greedy", fixed = { steps = "prefill_first", preempted_last = true,
      shares_computed = true } },
  tensorrt_llm = { max_seqs = 2048, max_batched_tokens = 8192, block_tokens = 32,
    chunked_prefill = false, order = "fcfs", admit = "maximum", preempt = "last", chunk = "blocks",
    fixed = { steps = "decode_first", shares_computed = true, waits_for_prefix = true } },
}

-- Orders that change while requests wait.
local moves_the_queue = { fair = true, longest_prefix = true, prefix_weight = true }

-- What stands beside what; nil: nothing is wrong.
local function mismatch(c)
  local decode_first = c.server == "tensorrt_llm"
  if c.admit == "estimate" and c.server ~= "sglang" then
    return "admit", "estimates are SGLang's (server = \"sglang\")"
  elseif decode_first and c.chunk == "greedy" or not decode_first
    and (c.chunk == "blocks" or c.chunk == "equal") then
    return "chunk", "prompts share by blocks or equally where decoding comes first (server = "
      .. "\"tensorrt_llm\"), and only there"
  elseif c.max_prefill_tokens and c.server ~= "sglang" then
    return "max_prefill_tokens", "is SGLang's (server = \"sglang\")"
  elseif c.estimate and c.admit ~= "estimate" then
    return "estimate", "is for admit = \"estimate\""
  elseif c.fairness and c.order ~= "fair" then
    return "fairness", "is for order = \"fair\""
  elseif c.server ~= "vllm" then
    for _, key in ipairs { "plans_ahead", "swap", "speculation", "lora" } do
      if c[key] then return key, "is for server = \"vllm\"" end
    end
    if c.batching ~= "continuous" then
      return "batching", "is for server = \"vllm\": this one batches continuously"
    end
    if c.chunked_prefill and c.max_batched_tokens < c.block_tokens then
      return "max_batched_tokens", "is below block_tokens: no part of a prompt would ever fit"
    end
  elseif c.speculation and (c.order == "fair" or c.preempt ~= "last") then
    return "speculation", "gives several tokens a step, and " .. (c.order == "fair"
      and "order = \"fair\"" or "preempt") .. " counts one"
  elseif c.lora and moves_the_queue[c.order] then
    return "order", ("'%s' is not for lora: requests that wait for an adapter stay in order of "
      .. "arrival or of a key"):format(c.order)
  elseif c.speculation or c.swap then
    for _, key in ipairs { "admit", "preempt", "chunk" } do
      if type(c[key]) == "function" then
        return key, "as a function stands beside swap or speculation"
      end
    end
  end
  if c.server ~= "sglang" and c.batching == "continuous" and c.max_batched_tokens < c.max_seqs then
    return "max_batched_tokens", "is below max_seqs: each running request may need a token"
  end
end

--- What a server of this name has unless told.
---@param server "vllm"|"sglang"|"tensorrt_llm"
---@return table
function policies.defaults(server) return servers[server] end

--- Fills in what the server has and checks the rest.
---@param ctx table
---@param c table
function policies.finish(ctx, c)
  for key, value in pairs(servers[c.server]) do
    if key ~= "fixed" and c[key] == nil then c[key] = value end
  end
  local key, problem = mismatch(c)
  if key then ctx:problem(key, problem) end
end

local decisions = { order = "order", admit = "admission", preempt = "victim", chunk = "chunking" }

--- Adds to core's configuration what a checked engine says.
---@param config table
---@param engine table
function policies.settle(config, engine)
  for key, value in pairs(servers[engine.server].fixed) do config[key] = value end
  for _, key in ipairs { "max_seqs", "max_batched_tokens", "block_tokens", "chunked_prefill",
    "max_prefill_tokens" } do config[key] = engine[key] end
  for key, field in pairs(decisions) do
    config[field] = type(engine[key]) == "function" and "function" or engine[key]
  end
  local e = engine.estimate or {}
  config.new_token_ratio, config.new_token_ratio_min = e.ratio, e.least
  config.new_token_ratio_steps, config.new_tokens_most = e.steps, e.most
  config.preempted_steps = e.after
  local fairness = engine.fairness or {}
  config.input_weight, config.output_weight = fairness.input, fairness.output
end

--- The user's functions, nil when there are none.
---@param engine table
---@return table<string, function>|nil
function policies.functions(engine)
  local out
  for key in pairs(decisions) do
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
function policies.shares(engine, classes)
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

return policies
