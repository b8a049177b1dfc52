-- ML.ENERGY v3: vLLM 0.11.1 in its steady state, all requests sent at once, the server's
-- max_num_seqs the limit. TPOT is running sequences over throughput: ITL counts chunks. Prompt
-- lengths are not recorded: those of the data sets, in tokens, are taken; tasks whose prompts
-- matter are not read.

local lines = require "tests.accuracy.observed.lines"

local mlenergy = {}

local prompts = { gpqa = 300, ["lm-arena-chat"] = 500 }
local gpus = { H100 = "H100 SXM", B200 = "B200" }
local precisions = { bfloat16 = "bf16", fp8 = "fp8", mxfp4 = "mxfp4" }

-- Tokens that a sequence has while it decodes, on average over its steps: long ones count longer.
local function mean_context(row, prompt)
  local edges, counts = row.output_length_distribution.bins, row.output_length_distribution.counts
  local once, twice = 0, 0
  for i, count in ipairs(counts) do
    local length = (edges[i] + edges[i + 1]) / 2
    once, twice = once + count * length, twice + count * length * length
  end
  return prompt + (once > 0 and twice / once / 2 or row.avg_output_len / 2)
end

local function point_of(row)
  local prompt = prompts[row.task]
  -- Experts cut by whole ones stand beside attention cut by heads: vLLM's enable-expert-parallel.
  local data = row.data_parallel
  local tensor = math.max(1, row.num_gpus // data)
  return { gpu = gpus[row.gpu_model], engine = "vllm", version = "0.11.1", model = row.model_id,
    task = row.task, precision = precisions[row.weight_precision], load = "steady",
    parallelism = { tensor = tensor, data = data,
      expert = row.expert_parallel > 1 and row.num_gpus or 1, pipeline = 1 },
    gpus = row.num_gpus, concurrency = row.avg_batch_size, prompt = prompt,
    output = row.avg_output_len, context = mean_context(row, prompt), max_seqs = row.max_num_seqs,
    budget = row.vllm_config["max-num-batched-tokens"],
    tpot_s = row.avg_batch_size / row.output_throughput_tokens_per_sec,
    throughput = row.output_throughput_tokens_per_sec / row.num_gpus,
    power_w = row.avg_power_watts / row.num_gpus,
    left = not precisions[row.weight_precision] and "a precision that has no name here" or nil }
end

---@param root string
---@return tests.Point[]|nil
function mlenergy.read(root)
  local rows = lines.read(root .. "/mlenergy/llm.jsonl.gz")
  if not rows then return nil end
  local list = {}
  for _, row in ipairs(rows) do
    if prompts[row.task] then list[#list + 1] = point_of(row) end
  end
  return list
end

return mlenergy
