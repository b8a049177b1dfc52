-- Measured vLLM runs, request by request, against the serving engine with measured operator times.
--
-- The environment variable SERVING_DATA names a folder that has measured/RUN/{meta.json,
-- per_request.csv}, step_tables/GPU/MODEL/TYPE/tpN, workloads/*.jsonl.gz with the token ids of
-- prompts, and hardware/model_configs; without it nothing is compared. Prints mean and 99th
-- percentile of TTFT, TPOT and end-to-end latency, measured and replayed. Times are the engine's
-- own: they start when its loop takes a request in.

local core = require "tandem.core"
local cjson = require "cjson"
local llm = require "tandem.llm"

local measured_runs = {}

local root = os.getenv "SERVING_DATA"

-- Largest error in percent, either way.
local bars = { ttft = 3, ttft_p99 = 5, tpot = 3, e2e = 3, e2e_p99 = 3 }

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local function lines_of(command)
  local pipe, list = assert(io.popen(command)), {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local function read_csv(path)
  local names, rows = nil, {}
  for line in io.lines(path) do
    local fields = {}
    for field in (line:gsub("\r$", "") .. ","):gmatch "([^,]*)," do fields[#fields + 1] = field end
    if not names then
      names = fields
    else
      local row = {}
      for i, name in ipairs(names) do row[name] = tonumber(fields[i]) or fields[i] end
      rows[#rows + 1] = row
    end
  end
  return rows
end

--- A hash of each full block, of it and all before it.
local function hashes_of(ids, block_tokens)
  local list, h = {}, 0x9e3779b97f4a7c15
  for i, id in ipairs(ids) do
    h = (h ~ id) * 0x100000001b3
    h = h ~ (h >> 29)
    if i % block_tokens == 0 then list[#list + 1] = h end
  end
  return list
end

-- ---- one run

local function requests_of(run, meta)
  local workload = meta.dataset_path:match "([^/]+)%.jsonl$"
  local prompts = lines_of(("zcat '%s/workloads/%s.jsonl.gz'"):format(root, workload))
  local measured, requests = read_csv(run .. "/per_request.csv"), {}
  for i, row in ipairs(measured) do
    local prompt = cjson.decode(prompts[i])
    assert(prompt.input_toks == row.prompt_tokens, "the workload is another one")
    requests[i] = { at_ns = math.floor(row.arrival_s * 1e9 + 0.5), prompt = row.prompt_tokens,
      output = row.output_tokens, hashes = hashes_of(prompt.input_tok_ids,
        meta.kv_cache.block_size) }
  end
  return requests, measured
end

local function model_of(run, meta)
  local gpu = run:match "([^/]+)$":match "^[^-]+"
  local folder = ("%s/step_tables/%s/%s/bf16/tp%d"):format(root, gpu, meta.model,
    meta.engine_kwargs.tensor_parallel_size)
  local name = meta.model:match "[^/]+$":lower()
  local architecture = llm.architecture(("%s/hardware/model_configs/%s"):format(root, name))
    or llm.architecture(("%s/hardware/model_configs/%s-instruct"):format(root, name))
  return assert(llm.table(folder, { architecture = assert(architecture) }))
end

-- What vLLM 0.19 takes when a run does not say. Blocks: of a card that was never full.
local unsaid = { async_scheduling = true, enable_chunked_prefill = true,
  long_prefill_token_threshold = 0, scheduler_reserve_full_isl = true }
local ample = { block_size = 16, num_gpu_blocks = 30000, enable_prefix_caching = true }

local function config_of(meta)
  local scheduler = meta.resolved_config and meta.resolved_config.scheduler_config or unsaid
  return { block_tokens = meta.kv_cache.block_size, hash_tokens = meta.kv_cache.block_size,
    blocks = meta.kv_cache.num_gpu_blocks - 1, -- one is nobody's
    max_batched_tokens = meta.engine_kwargs.max_num_batched_tokens,
    max_seqs = meta.engine_kwargs.max_num_seqs,
    chunked_prefill = scheduler.enable_chunked_prefill,
    long_prefill_tokens = scheduler.long_prefill_token_threshold,
    reserve_full_input = scheduler.scheduler_reserve_full_isl,
    prefix_caching = meta.kv_cache.enable_prefix_caching,
    plans_ahead = scheduler.async_scheduling }
end

-- ---- figures

local function summary(list)
  table.sort(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  local place = 1 + 0.99 * (#list - 1) -- linear between order statistics
  local low = math.floor(place)
  local high = math.min(low + 1, #list)
  return sum / #list, list[low] + (place - low) * (list[high] - list[low])
end

local function figures(rows)
  local result = {}
  for _, name in ipairs { "ttft", "tpot", "e2e" } do
    local list = {}
    for _, row in ipairs(rows) do list[#list + 1] = row[name] end
    result[name], result[name .. "_p99"] = summary(list)
  end
  return result
end

local function replay(run)
  local meta = cjson.decode(read(run .. "/meta.json"))
  meta.kv_cache = meta.kv_cache or ample
  local requests, measured = requests_of(run, meta)
  local outcomes, totals = assert(core.serving.replay(config_of(meta), model_of(run, meta),
    requests))
  local theirs, ours, preemptions, cached = {}, {}, 0, 0
  for i, o in ipairs(outcomes) do
    local m = measured[i]
    theirs[i] = { ttft = m.ttft_ms, tpot = m.output_tokens > 1 and m.tpot_ms or nil,
      e2e = m.e2e_ms }
    ours[i] = { ttft = (o.first_token_ns - o.queued_ns) / 1e6,
      tpot = m.output_tokens > 1
        and (o.finished_ns - o.first_token_ns) / 1e6 / (m.output_tokens - 1) or nil,
      e2e = (o.finished_ns - o.queued_ns) / 1e6 }
    preemptions, cached = preemptions + o.preemptions, cached + o.cached_tokens
  end
  print(("%s: %d steps, %d preemptions, %d prompt tokens cached"):format(run:match "([^/]+)$",
    totals.steps, preemptions, cached))
  local a, b, good = figures(theirs), figures(ours), true
  for _, name in ipairs { "ttft", "ttft_p99", "tpot", "tpot_p99", "e2e", "e2e_p99" } do
    local error, bar = (b[name] / a[name] - 1) * 100, bars[name]
    local met = not bar or math.abs(error) <= bar
    good = good and met
    print(("  %-9s measured %10.2f ms   replayed %10.2f ms   %+6.2f %%   %s"):format(name, a[name],
      b[name], error, bar and ("bar %d %%: %s"):format(bar, met and "met" or "MISSED") or ""))
  end
  return good
end

function measured_runs.run()
  if not root then
    print("skipped: SERVING_DATA names no folder")
    return true
  end
  local good = true
  for _, run in ipairs(lines_of(("ls -d '%s'/measured/*/"):format(root))) do
    if not replay((run:gsub("/$", ""))) then good = false end
  end
  return good
end

return measured_runs
