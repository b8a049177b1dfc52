--- What servers of language models call what they count.
--
-- Owns the names, newest first, and which server a set of metrics is of. Called by twin, score and
-- deploy.

local core = require "tandem.core"

local names = {}

---@class tandem.metrics.Dialect
---@field server string|nil  as in engine = { server = … }; nil: it stands before servers
---@field title string
---@field prefix string
---@field names table<string, string[]>  what it means → what it is called, newest first. `came`
---                                      counts when a request comes, `ended` when it ends
---@field model_label string|nil  the label that names the model, where it is not model_name
---@field config table<string, string>|nil  gauges of the server's settings, by engine's key
---@field tokens string|nil     the gauge of the KV cache's size in tokens

-- Those that simulated servers write, by server or what stands before it: the newest names
-- (src/trace/metrics/families.c).
local written = {}
for _, one in ipairs(core.metric_names()) do written[one.server] = one end

-- A dialect that is written, with what else it is known by: older names, and those of other things
-- that say the same.
local function spoken(server, title, more, others)
  local one = written[server]
  local out = { server = server, title = title, prefix = one.prefix, names = {} }
  for key, name in pairs(one.names) do out.names[key] = { name } end
  for key, list in pairs(more) do
    local into = out.names[key] or {}
    out.names[key] = table.move(list, 1, #list, #into + 1, into)
  end
  for key, value in pairs(others or {}) do out[key] = value end
  return out
end

local VLLM <const> = spoken("vllm", "vLLM", { kv = { "gpu_cache_usage_perc" },
  itl = { "time_per_output_token_seconds" }, hits = { "gpu_prefix_cache_hits_total" },
  queries = { "gpu_prefix_cache_queries_total" } })

-- Tokens are counted when a request ends. Lengths are there with --collect-tokens-histogram only.
local SGLANG <const> = spoken("sglang", "SGLang", {
  ended = { "e2e_request_latency_seconds_count" },
  kv = { "token_usage" }, itl = { "time_per_output_token_seconds" },
  queries = { "prompt_tokens_total" } },
  { config = { block_tokens = "page_size" }, tokens = "max_total_num_tokens" })

-- The time of a token is a request's mean. Dynamo up to 0.7 wrote ":" after the prefix.
local function trtllm(prefix)
  return spoken("tensorrt_llm", "TensorRT-LLM", { queries = { "prompt_tokens_total" } },
    { prefix = prefix, config = { block_tokens = "kv_cache_tokens_per_block",
      kv_blocks = "kv_cache_max_blocks" } })
end

-- Requests inside are those that wait for their first token, too: queued_requests is a part of
-- them.
---@type tandem.metrics.Dialect
local DYNAMO <const> = spoken("dynamo", "Dynamo", { hits = { "cached_tokens_sum" },
  queries = { "input_sequence_tokens_sum" } }, { model_label = "model",
  config = { block_tokens = "model_kv_cache_block_size", kv_blocks = "model_total_kv_blocks",
    max_seqs = "model_max_num_seqs", max_batched_tokens = "model_max_num_batched_tokens" } })

-- Its older names stand beside these with the same counts: one prefix alone is read.
---@type tandem.metrics.Dialect
local LLM_D <const> = spoken("llm_d", "llm-d", { ended = { "request_duration_seconds_count" },
  hits = { "request_cached_tokens_sum" }, queries = { "request_input_tokens_sum" } })
DYNAMO.server, LLM_D.server = nil, nil -- they stand before servers

-- Servers before what stands before them: who scraped both has the nearer ones.
---@type tandem.metrics.Dialect[]
names.dialects = { VLLM, SGLANG, trtllm "trtllm_", trtllm "trtllm:", DYNAMO, LLM_D }

local by_server = {}
for _, one in ipairs(names.dialects) do
  if one.server and not by_server[one.server] then by_server[one.server] = one end
end

--- The metrics of a server, as engine = { server = … } has it.
---@param server "vllm"|"sglang"|"tensorrt_llm"
---@return tandem.metrics.Dialect
function names.of_server(server) return by_server[server] end

-- Metrics that are known and tell nothing of requests and their tokens.
local OTHERS <const> = {
  { "^nv_", "Triton's own metrics count neither tokens nor times to first tokens: scrape its "
    .. "TensorRT-LLM by trtllm-serve (/prometheus/metrics, return_perf_metrics)" },
  { "^DCGM_", "DCGM's metrics are those of GPUs, not of requests: scrape the server, too" },
  { "^gpu_", "these metrics are those of GPUs, not of requests: scrape the server, too" },
  { "^dynamo_component_", "the metrics of Dynamo's workers count no tokens: scrape its frontend "
    .. "(dynamo_frontend_…) or the servers" },
  { "^inference_[a-z]+_", "these are llm-d's older names: scrape a router that has llm_d_epp_…, or "
    .. "the servers" } }

local function has(instance, name)
  for key in pairs(instance.series) do
    local plain = key:match "^[^{]*"
    if plain == name or plain == name .. "_count" then return true end
  end
  return false
end

--- Whose metrics these are. Nil: of no server of language models that is known.
---@param instance tandem.metrics.Instance
---@return tandem.metrics.Dialect|nil
---@return integer|nil rank  smaller is nearer to the model
function names.dialect(instance)
  for rank, dialect in ipairs(names.dialects) do
    for _, name in ipairs(dialect.names.ended) do
      if has(instance, dialect.prefix .. name) then return dialect, rank end
    end
  end
end

local function label_of(key, label) return key:match("[{,]" .. label .. '="([^"]*)"') end

-- An instance's series of each model that a label names, without what names none.
local function by_model(instance, label, into)
  local parts = {}
  for key, series in pairs(instance.series) do
    local model = label_of(key, label)
    if model then
      local part = parts[model]
      if not part then
        part = {}
        for name, value in pairs(instance) do part[name] = value end
        part.model, part.series = model, {}
        parts[model] = setmetatable(part, getmetatable(instance))
      end
      part.series[key] = series
    end
  end
  for _, part in pairs(parts) do into[#into + 1] = part end
end

local function is_called(instance, model)
  return instance.model:lower():sub(-#model) == model:lower()
end

-- Kinds of servers that hold models; one fleet is of one kind.
local function kinds_of(instances, model)
  local seen, list = {}, {}
  for _, instance in ipairs(instances) do
    local dialect = names.dialect(instance)
    local server = dialect and dialect.server
    local other = model and instance.model and instance.model ~= "" and
      not is_called(instance, model)
    if server and not seen[server] and not other then
      seen[server], list[#list + 1] = true, dialect.title
    end
  end
  table.sort(list)
  return list
end

-- Of several models, the one that is asked for; their names end in it.
local function of_model(kept, model)
  local seen, list, chosen = {}, {}, {}
  for _, one in ipairs(kept) do
    if not seen[one.model] then seen[one.model], list[#list + 1] = true, one.model end
    if model and is_called(one, model) then chosen[#chosen + 1] = one end
  end
  if #list == 1 then return kept end
  if #chosen > 0 then return chosen end
  table.sort(list)
  return nil, ("metrics are of several models (%s): --model says which"):format(
    table.concat(list, ", "))
end

--- Those instances that are servers of one kind, and the kind; nil and why there are none.
---@param instances tandem.metrics.Instance[]
---@param model string|nil  where there are several
---@return tandem.metrics.Instance[]|nil
---@return tandem.metrics.Dialect|string
function names.servers(instances, model)
  local best, kept = math.huge, {}
  for _, instance in ipairs(instances) do
    local _, rank = names.dialect(instance)
    best = math.min(best, rank or math.huge)
  end
  local kinds = kinds_of(instances, model)
  if #kinds > 1 then
    return nil, ("metrics are of several kinds of servers (%s): name the files of one kind"):format(
      table.concat(kinds, ", "))
  end
  local dialect = names.dialects[best]
  if not dialect then
    for _, instance in ipairs(instances) do
      for key in pairs(instance.series) do
        for _, other in ipairs(OTHERS) do
          if key:find(other[1]) then return nil, other[2] end
        end
      end
    end
    return nil, "no metrics of vLLM, SGLang, TensorRT-LLM, Dynamo or llm-d are in it"
  end
  for _, instance in ipairs(instances) do
    if names.dialect(instance) == dialect then
      if dialect.model_label then
        by_model(instance, dialect.model_label, kept)
      else
        kept[#kept + 1] = instance
      end
    end
  end
  table.sort(kept, function(a, b)
    if a.model ~= b.model then return a.model < b.model end
    return a.times[1] < b.times[1]
  end)
  local chosen, why = of_model(kept, model)
  if not chosen then return nil, why --[[@as string]] end
  return chosen, dialect
end

--- Names as this server has them, by what they mean.
---@param instance tandem.metrics.Instance
---@param dialect tandem.metrics.Dialect
---@return table<string, string>
function names.of(instance, dialect)
  local out = {}
  for key, list in pairs(dialect.names) do
    for _, name in ipairs(list) do
      if not out[key] and has(instance, dialect.prefix .. name) then
        out[key] = dialect.prefix .. name
      end
    end
  end
  return out
end

--- Those of simulated servers where nothing is said (metrics/simulated.lua).
---@return table<string, string>
function names.own()
  local out = {}
  for key, list in pairs(VLLM.names) do out[key] = VLLM.prefix .. list[1] end
  return out
end

return names
