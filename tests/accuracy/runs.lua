-- Measured runs of vLLM as requests, configurations and models; for measured.lua and halves.lua.
--
-- A folder has measured/RUN/{meta.json, per_request.csv}, step_tables/GPU/MODEL/TYPE/tpN,
-- workloads/*.jsonl.gz with the token ids of prompts or the numbers of their blocks, and
-- hardware/model_configs. Owns what these files say and what vLLM takes when they do not.

local core = require "tandem.core"
local cjson = require "cjson"
local llm = require "tandem.llm"

local runs = {}

local root = os.getenv "SERVING_DATA" or "tests/data/serving/replay"

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
      output = row.output_tokens, hashes = prompt.hash_ids
        or hashes_of(prompt.input_tok_ids, meta.kv_cache.block_size) }
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

--- Requests, their measured latencies, the engine and where its tables lie.
function runs.open(run)
  local meta = cjson.decode(read(run .. "/meta.json"))
  meta.kv_cache = meta.kv_cache or ample
  local requests, measured = requests_of(run, meta)
  return { name = run:match "([^/]+)$", requests = requests, measured = measured,
    config = config_of(meta), table = function() return model_of(run, meta) end }
end

--- Latencies in ms as the engine's own clock has them, request by request, and outcomes.
function runs.replay(run, model)
  local outcomes, totals = assert(core.serving.replay(run.config, model, run.requests))
  local rows = {}
  for i, o in ipairs(outcomes) do
    local output = run.measured[i].output_tokens
    rows[i] = { ttft = (o.first_token_ns - o.queued_ns) / 1e6,
      tpot = output > 1 and (o.finished_ns - o.first_token_ns) / 1e6 / (output - 1) or nil,
      e2e = (o.finished_ns - o.queued_ns) / 1e6 }
  end
  return rows, outcomes, totals
end

function runs.latencies(run)
  local rows = {}
  for i, m in ipairs(run.measured) do
    rows[i] = { ttft = m.ttft_ms, tpot = m.output_tokens > 1 and m.tpot_ms or nil, e2e = m.e2e_ms }
  end
  return rows
end

local function summary(list)
  table.sort(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  local position = 1 + 0.99 * (#list - 1) -- linear between order statistics
  local low = math.floor(position)
  local high = math.min(low + 1, #list)
  return sum / #list, list[low] + (position - low) * (list[high] - list[low])
end

--- Mean and 99th percentile of each; of those that `wanted` picks.
function runs.figures(rows, wanted)
  local result = {}
  for _, name in ipairs { "ttft", "tpot", "e2e" } do
    local list = {}
    for i, row in ipairs(rows) do
      if not wanted or wanted(i) then list[#list + 1] = row[name] end
    end
    result[name], result[name .. "_p99"] = summary(list)
  end
  return result
end

--- Prints a line for each figure; false when one misses its bar.
function runs.compare(measured, replayed, bars)
  local good = true
  for _, name in ipairs { "ttft", "ttft_p99", "tpot", "tpot_p99", "e2e", "e2e_p99" } do
    local error, bar = (replayed[name] / measured[name] - 1) * 100, bars[name]
    local met = not bar or math.abs(error) <= bar
    good = good and met
    print(("  %-9s measured %10.2f ms   replayed %10.2f ms   %+6.2f %%   %s"):format(name,
      measured[name], replayed[name], error,
      bar and ("bar %d %%: %s"):format(bar, met and "met" or "MISSED") or ""))
  end
  return good
end

--- Opens each run.
function runs.all()
  local list = {}
  for _, path in ipairs(lines_of(("ls -d '%s'/measured/*/"):format(root))) do
    list[#list + 1] = runs.open((path:gsub("/$", "")))
  end
  return list
end

return runs
