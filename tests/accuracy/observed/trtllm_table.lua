-- NVIDIA's published throughput of TensorRT-LLM: all requests queued at once, fixed lengths, fill
-- and drain counted. Batch and token limits are trtllm-bench's own and not on the page.

local lines = require "tests.accuracy.observed.lines"

local trtllm_table = {}

-- Where the page says nothing (1000/1000): so many that fill and drain hardly count.
local MANY <const> = 1 << 17

local gpus = { H100 = "H100 SXM", H200 = "H200 SXM", B200 = "B200", GB200 = "GB200",
  ["RTX-6000-Pro"] = "RTX PRO 6000 Server" }

local function precision_of(row)
  if row.model:find "gpt%-oss" then return "mxfp4" end
  if row.weights == "fp4" then return row.model:find "DeepSeek" and "fp4-latent" or "fp4" end
  return "fp8"
end

local function point_of(row)
  local data = row.attention_dp and row.tp or 1
  local eight_bits = row.gpu ~= "H100" and row.gpu ~= "H200" or row.weights == "fp8"
  return { gpu = gpus[row.gpu], engine = "trtllm", version = "perf-overview", model = row.model,
    precision = precision_of(row), load = "offline", kv_type = eight_bits and "fp8" or "bf16",
    parallelism = { tensor = row.attention_dp and 1 or row.tp, data = data,
      expert = row.ep and row.ep > 1 and row.ep or 1, pipeline = row.pp or 1 },
    gpus = row.gpus, concurrency = row.requests or MANY, prompt = row.isl, output = row.osl,
    max_seqs = 2048, throughput = row.output_tokens_per_s_per_gpu }
end

---@param root string
---@return tests.Point[]|nil
function trtllm_table.read(root)
  local rows = lines.read(root .. "/trtllm_table/points.jsonl")
  if not rows then return nil end
  local list = {}
  for i, row in ipairs(rows) do list[i] = point_of(row) end
  return list
end

return trtllm_table
