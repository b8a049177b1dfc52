-- What a simulated server exports, in the spellings of other servers: their names, their labels,
-- and the traps that are known of them. Written for the specs of twins, from the tables of names in
-- those servers' own documents.

local spelled = {}

local LABELS <const> = 'instance="%s",model_name="Llama-3.1-8B"'

-- Lines of a text: { name, labels, value, time }.
local function lines_of(text)
  local out = {}
  for name, labels, value, time in text:gmatch "\n([%w:_]+){([^\n]-)} (%S+) (%S+)" do
    out[#out + 1] = { name = name:gsub("^vllm:", ""), labels = labels, value = tonumber(value),
      time = time }
  end
  return out
end

local function put(out, name, labels, value, time)
  out[#out + 1] = ("%s{%s} %.17g %s"):format(name, labels, value, time)
end

-- name → names under which it is written; labels(line) → labels, or nil to leave it out.
local function renamed(text, prefix, names, labels, more)
  local out = {}
  for _, line in ipairs(lines_of(text)) do
    local base, ending = line.name, ""
    local stem, tail = line.name:match "^(.-)(_bucket)$"
    if not stem then stem, tail = line.name:match "^(.-)(_sum)$" end
    if not stem then stem, tail = line.name:match "^(.-)(_count)$" end
    if stem and names[stem] then base, ending = stem, tail end
    local given = labels(line)
    for _, name in ipairs(given and names[base] or {}) do
      local le = line.labels:match 'le="[^"]*"'
      put(out, prefix .. name .. ending, given .. (le and "," .. le or ""), line.value, line.time)
    end
    if more then more(out, line) end
  end
  return table.concat(out, "\n") .. "\n# EOF\n"
end

local function instance(line) return line.labels:match 'instance="([^"]*)"' end

-- Of finished requests those that stopped; aborted ones are none here.
local function stopped(line)
  return not line.labels:find('finished_reason="abort"', 1, true)
end

--- SGLang's: what each rank of a replica writes, a total with its parts by priority, tokens that
--- are counted at a request's end.
function spelled.sglang(text, histograms)
  local names = { request_success_total = { "num_requests_total" },
    num_requests_running = { "num_running_reqs" }, num_requests_waiting = { "num_queue_reqs" },
    kv_cache_usage_perc = { "token_usage" }, time_to_first_token_seconds = {
      "time_to_first_token_seconds" }, inter_token_latency_seconds = {
      "inter_token_latency_seconds" }, e2e_request_latency_seconds = {
      "e2e_request_latency_seconds" }, request_queue_time_seconds = { "queue_time_seconds" },
    prefix_cache_hits_total = { "cached_tokens_total" } }
  if histograms then
    names.request_prompt_tokens = { "prompt_tokens_histogram" }
    names.request_generation_tokens = { "generation_tokens_histogram" }
  end
  return renamed(text, "sglang:", names, function(line)
    return stopped(line) and LABELS:format(instance(line))
      .. ',tp_rank="0",pp_rank="0",priority=""' or nil
  end, function(out, line)
    local where = LABELS:format(instance(line))
    if line.name == "num_requests_running" then
      put(out, "sglang:num_running_reqs", where .. ',tp_rank="1",pp_rank="0",priority=""',
        line.value, line.time)
      put(out, "sglang:num_running_reqs", where .. ',tp_rank="0",pp_rank="0",priority="high"',
        line.value // 2, line.time)
      put(out, "sglang:max_total_num_tokens", where, 500000, line.time)
      put(out, "sglang:page_size", where, 16, line.time)
    elseif line.name == "request_prompt_tokens_sum" then
      put(out, "sglang:prompt_tokens_total", where, line.value, line.time)
    elseif line.name == "request_generation_tokens_sum" then
      put(out, "sglang:generation_tokens_total", where, line.value, line.time)
    end
  end)
end

--- TensorRT-LLM's.
function spelled.trtllm(text, prefix)
  return renamed(text, prefix, { request_success_total = { "request_success_total" },
    num_requests_running = { "num_requests_running" },
    num_requests_waiting = { "num_requests_waiting" },
    time_to_first_token_seconds = { "time_to_first_token_seconds" },
    request_time_per_output_token_seconds = { "time_per_output_token_seconds" },
    e2e_request_latency_seconds = { "e2e_request_latency_seconds" },
    request_queue_time_seconds = { "request_queue_time_seconds" },
    request_prefill_time_seconds = { "request_prefill_time_seconds" },
    request_inference_time_seconds = { "request_inference_time_seconds" },
    request_prompt_tokens_sum = { "prompt_tokens_total" },
    request_generation_tokens_sum = { "generation_tokens_total" } },
    function(line) return stopped(line) and LABELS:format(instance(line)) end)
end

--- Dynamo's frontend before all instances, with another model that few ask for.
function spelled.dynamo(text)
  local inside, order = {}, {}
  local out = renamed(text, "dynamo_frontend_", { request_success_total = { "requests_total" },
    time_to_first_token_seconds = { "time_to_first_token_seconds" },
    inter_token_latency_seconds = { "inter_token_latency_seconds" },
    e2e_request_latency_seconds = { "request_duration_seconds" },
    request_prompt_tokens = { "input_sequence_tokens" },
    request_generation_tokens = { "output_sequence_tokens" } }, function(line)
      return stopped(line) and 'model="llama-3.1-8b"' or nil
    end, function(_, line)
      if line.name:find "^num_requests_[rw][a-z]*$" then
        if not inside[line.time] then order[#order + 1] = line.time end
        inside[line.time] = (inside[line.time] or 0) + line.value
      end
    end)
  local more = {}
  for _, time in ipairs(order) do
    put(more, "dynamo_frontend_inflight_requests", 'model="llama-3.1-8b"', inside[time], time)
    put(more, "dynamo_frontend_queued_requests", 'model="llama-3.1-8b"', inside[time] // 2, time)
    put(more, "dynamo_frontend_requests_total", 'model="other-7b"', 3, time)
    put(more, "dynamo_frontend_inflight_requests", 'model="other-7b"', 1, time)
    put(more, "dynamo_frontend_model_kv_cache_block_size", 'model="llama-3.1-8b"', 16, time)
    put(more, "dynamo_frontend_model_max_num_seqs", 'model="llama-3.1-8b"', 200, time)
  end
  return table.concat(more, "\n") .. "\n" .. out
end

--- llm-d's router: requests are counted when they come, and everything under the older names, too.
function spelled.llm_d(text)
  local names = { request_success_total = {}, num_requests_running = { "request_running" },
    time_to_first_token_seconds = { "request_ttft_seconds" },
    inter_token_latency_seconds = { "request_streaming_itl_seconds" },
    e2e_request_latency_seconds = { "request_duration_seconds" },
    request_prompt_tokens = { "request_input_tokens" },
    request_generation_tokens = { "request_output_tokens" } }
  local inside = {}
  for _, line in ipairs(lines_of(text)) do
    if line.name == "num_requests_running" or line.name == "num_requests_waiting"
      or line.name == "request_success_total" then
      inside[line.time] = (inside[line.time] or 0) + line.value
    end
  end
  local function more(out, line)
    if line.name == "num_requests_running" then
      for _, prefix in ipairs { "llm_d_epp_", "inference_objective_" } do
        put(out, prefix .. "request_total", 'model_name="Llama-3.1-8B"', inside[line.time],
          line.time)
      end
    end
  end
  local labels = function() return 'model_name="Llama-3.1-8B"' end
  return (renamed(text, "llm_d_epp_", names, labels, more):gsub("# EOF\n", ""))
    .. renamed(text, "inference_objective_", names, labels)
end

return spelled
