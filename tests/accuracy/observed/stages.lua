-- Load stages of vLLM 0.15.1: constant arrivals for ten minutes, prompts that repeat and are
-- cached after their first pass. TPOT is (E2E − TTFT) / (output − 1): what the clients wrote down
-- as ITL of the `training` rows is half of it.

local lines = require "tests.accuracy.observed.lines"

local stages = {}

local gpus = { H100 = "H100 SXM", ["A100-80GB"] = "A100 80GB SXM", L40S = "L40S" }
local BLOCK <const>, TEMPLATE <const> = 16, 25

local function point_of(row)
  local engine, load, m = row.engine, row.workload, row.measured_ms
  local prompt = row.recorded_lengths and row.recorded_lengths.prompt.mean
    or load.system_prompt_tokens + load.question_tokens + TEMPLATE
  local left
  if row.failed and type(row.failed) == "number" and row.failed > 0 then
    left = "requests failed: survivors only"
  end
  return { gpu = gpus[row.gpu], engine = "vllm", version = "0.15.1", model = row.model,
    precision = engine.precision == "fp8" and "fp8" or "bf16", load = "open",
    parallelism = { tensor = math.tointeger(engine.tp), data = math.tointeger(engine.dp or 1),
      expert = 1, pipeline = 1 },
    gpus = engine.tp * (engine.dp or 1), rate = row.rate_rps, prompt = prompt,
    cached = (prompt - 1) // BLOCK * BLOCK, output = load.output_tokens,
    max_seqs = engine.max_num_seqs, budget = engine.max_num_batched_tokens,
    ttft_s = m.ttft.mean / 1e3, ttft_is = "mean",
    tpot_s = (m.e2e.mean - m.ttft.mean) / 1e3 / (load.output_tokens - 1), left = left }
end

---@param root string
---@return tests.Point[]|nil
function stages.read(root)
  local rows = lines.read(root .. "/stages/stages.jsonl")
  if not rows then return nil end
  local list = {}
  for i, row in ipairs(rows) do list[i] = point_of(row) end
  return list
end

return stages
