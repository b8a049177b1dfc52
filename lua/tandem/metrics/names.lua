--- What servers of language models call what they count.
--
-- Owns the names, newest first, and which server a set of metrics is of. Called by twin and score.

local names = {}

---@class tandem.metrics.Dialect
---@field server string   as in engine = { server = … }
---@field title string
---@field prefix string
---@field names table<string, string[]>  what it means → what it is called, newest first

---@type tandem.metrics.Dialect
local VLLM <const> = { server = "vllm", title = "vLLM", prefix = "vllm:", names = {
  ended = { "request_success_total" }, running = { "num_requests_running" },
  waiting = { "num_requests_waiting" },
  kv = { "kv_cache_usage_perc", "gpu_cache_usage_perc" },
  prompts = { "prompt_tokens_total" }, generated = { "generation_tokens_total" },
  ttft = { "time_to_first_token_seconds" },
  itl = { "inter_token_latency_seconds", "time_per_output_token_seconds" },
  tpot = { "request_time_per_output_token_seconds" }, e2e = { "e2e_request_latency_seconds" },
  queue = { "request_queue_time_seconds" }, inference = { "request_inference_time_seconds" },
  prefill = { "request_prefill_time_seconds" }, decode = { "request_decode_time_seconds" },
  prompt = { "request_prompt_tokens" }, output = { "request_generation_tokens" },
  hits = { "prefix_cache_hits_total", "gpu_prefix_cache_hits_total" },
  queries = { "prefix_cache_queries_total", "gpu_prefix_cache_queries_total" },
  preempted = { "num_preemptions_total" } } }

---@type tandem.metrics.Dialect[]
names.dialects = { VLLM }

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
function names.dialect(instance)
  for _, dialect in ipairs(names.dialects) do
    for _, name in ipairs(dialect.names.ended) do
      if has(instance, dialect.prefix .. name) then return dialect end
    end
  end
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

--- Those that simulated servers write.
---@return table<string, string>
function names.own()
  local out = {}
  for key, list in pairs(VLLM.names) do out[key] = VLLM.prefix .. list[1] end
  return out
end

return names
