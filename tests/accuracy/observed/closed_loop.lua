-- The closed-loop operating points of tests/accuracy/points.lua in this schema. Its times are
-- means, its record does not say who speculates: rows that are InferenceX's are found by GPU,
-- engine, precision, lengths, clients and time. Those with MTP are left out; the others are
-- InferenceX's own.

local inferencex = require "tests.accuracy.observed.inferencex"
local points = require "tests.accuracy.points"
local recipes = require "tests.accuracy.observed.recipes"

local closed_loop = {}

local SAME <const>, NEAR <const> = 1e-3, 0.12

-- Whose measurement a row is: "same" (it is InferenceX's); by its time "mtp" or "without"; or nil.
local function known(row, seen)
  if not row.model:find "DeepSeek" then return nil end
  local best, speculates = math.huge, false
  for _, other in ipairs(seen[inferencex.key(row.gpu, row.backend, row.precision, row.prompt,
    row.output, row.concurrency)] or {}) do
    local far = math.abs(math.log(row.tpot_s / other.tpot))
    if other.mean and far < SAME and math.abs(row.ttft_s / other.mean_ttft - 1) < SAME then
      return "same"
    end
    if far < best then best, speculates = far, other.mtp end
  end
  if best < NEAR then return speculates and "mtp" or "without" end
end

-- The dated files and the gap analyses do not tell who speculates: where the publisher ran the same
-- model on the same cut with MTP, too, nobody knows which of the two a row is, unless it is a row
-- of InferenceX. DeepSeek's are known from InferenceX's rows; those of Qwen 3.5 on SGLang with TP4
-- and without expert parallelism are the search space that its pull request 897 gives to MTP alone
-- (9 March). Without MTP it was TP8, or TP4 with expert parallelism, on that day and the rows'
-- (pull request 804; on B300 rows of the same day have just these cuts), and became TP4 alone on
-- 30 April (pull request 1027), after these rows (25 March).
local function may_speculate(row, seen)
  if not row.source:find "^%d%d%d%d%-" and not row.source:find "gap%-analysis" then return false end
  if row.split then return false end
  local cut = row.parallelism
  if row.model:find "DeepSeek" then
    return seen[inferencex.cut_key(row.gpu, row.backend, row.precision, cut)] == true
  end
  return row.model:find "Qwen3.5" and row.backend == "sglang" and row.precision == "fp8"
    and row.gpu:find "^B" and cut.tensor == 4 and cut.data == 1 and cut.expert == 1
end

local function point_of(row, seen)
  local whose = known(row, seen)
  local cut, split = row.parallelism, row.split
  local all = cut.tensor * cut.data * cut.pipeline
  if split then
    local before = split.prefill
    all = all * split.decode_workers + before.tensor * before.data * split.prefill_workers
  end
  local eight = row.backend == "trtllm" and row.precision ~= "bf16"
  local p = { gpu = row.gpu, engine = row.backend, version = tostring(row.version),
    model = row.model,
    precision = row.precision, load = "closed", kv_type = eight and "fp8" or "bf16",
    parallelism = cut, split = split, gpus = all, concurrency = row.concurrency,
    source = row.source, nominal = ("%d/%d"):format(row.prompt, row.output),
    prompt = row.prompt * row.mean, output = row.output * row.mean, spread = row.spread,
    tpot_s = row.tpot_s, ttft_s = row.ttft_s, ttft_is = "mean",
    left = whose == "same" and "InferenceX has it with medians"
      or whose == "mtp" and "ran with MTP by its time, as a row of InferenceX"
      or not whose and may_speculate(row, seen)
        and "with MTP or without: the same cut was run with it, too"
      or nil }
  p.max_seqs = recipes.batch(p, p.nominal)
  return p
end

---@param root string
---@param seen table  InferenceX's rows by key
---@return tests.Point[]|nil
function closed_loop.read(_, seen)
  local list = {}
  for i, row in ipairs((points.read())) do list[i] = point_of(row, seen) end
  return list
end

return closed_loop
