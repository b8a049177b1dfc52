-- InferenceX (DeepSeek R1): closed loops with lengths drawn from 80 to 100 % of the nominal ones,
-- ten requests a client, all clients at once.
--
-- GPUs of a single node are `decode_tp`, whatever num_decode_gpu says where experts are cut (it
-- multiplies tp and ep). ITL counts chunks of ten tokens and is not read. Times are medians. Rows
-- with MTP are kept apart: nobody recorded how many tokens were accepted. seen[key] has all rows by
-- what they are, and which cuts were run with MTP, for closed_loop.lua to know its own by.

local lines = require "tests.accuracy.observed.lines"
local recipes = require "tests.accuracy.observed.recipes"

local inferencex = {}

local gpus = { h200 = "H200 SXM", b200 = "B200", gb200 = "GB200", mi300x = "MI300X" }

-- FP4 of DeepSeek keeps the projections of latent attention in 16 bits.
local precisions = { fp8 = "fp8", fp4 = "fp4-latent" }

local function engine_of(framework)
  return framework:find "trt" and "trtllm" or framework:find "sglang" and "sglang" or "vllm"
end

local function version_of(image)
  return image and (image:match ":v?([%d][^%s]-)%-cu%d" or image:match ":v?([%d][^%s]*)$") or ""
end

-- One engine's cut of its GPUs; attention is data parallel or tensor parallel, never both.
local function cut_of(tp, ep, dp_attention)
  if dp_attention then return { tensor = 1, data = tp, expert = math.max(ep, tp), pipeline = 1 } end
  return { tensor = tp, data = 1, expert = math.min(ep, tp), pipeline = 1 }
end

local function key_of(gpu, engine, precision, isl, osl, clients)
  return table.concat({ gpu, engine, precision, math.floor(isl), math.floor(osl),
    math.floor(clients) }, " ")
end
inferencex.key = key_of

--- Of a way to run DeepSeek R1 on GPUs together; seen[it] is true where it was run with MTP, too.
function inferencex.cut_key(gpu, engine, precision, cut)
  return ("%s %s %s tp%d dp%d ep%d"):format(gpu, engine, precision, cut.tensor, cut.data,
    cut.expert)
end

local function why_not(row, gpu)
  if row.spec_method ~= "none" then return "speculates (MTP); acceptance is not recorded" end
  local m = row.metrics
  if not row.is_multinode and row.disagg then return "GPUs of a row without workers are unclear" end
  local wide = gpu == "GB200" and 72 or 8
  if row.decode_tp > wide then return "more GPUs than a node" end
  if row.disagg and row.decode_dp_attention and row.decode_tp == 1 then
    return "data-parallel attention on one GPU: the cut is not recorded"
  end
  local count = row.disagg and row.num_decode_gpu or row.decode_tp
  local told = (m.output_tput_per_gpu or 0) * count
  local ratio = m.mean_e2el and told * m.mean_e2el / (0.9 * row.osl * row.conc) or 1
  if ratio < 0.8 or ratio > 1.25 then
    return "throughput, clients and times contradict each other"
  end
end

local function point_of(row)
  local gpu, engine, m = gpus[row.hardware], engine_of(row.framework), row.metrics
  local precision = precisions[row.precision]
  local p = { gpu = gpu, engine = engine, version = version_of(row.image),
    model = "deepseek-ai/DeepSeek-R1", precision = precision, load = "closed",
    kv_type = engine == "trtllm" and "fp8" or "bf16",
    parallelism = cut_of(row.decode_tp, row.decode_ep, row.decode_dp_attention),
    concurrency = row.conc, prompt = 0.9 * row.isl, output = 0.9 * row.osl, spread = 0.2 / 0.9,
    tpot_s = m.median_tpot, ttft_s = m.median_ttft, ttft_is = "median", dynamo = row.disagg,
    left = why_not(row, gpu) }
  local decode = row.disagg and row.num_decode_gpu or row.decode_tp
  local prefill = row.disagg and row.num_prefill_gpu or 0
  p.gpus = decode + prefill
  if m.output_tput_per_gpu then p.throughput = m.output_tput_per_gpu * decode / p.gpus end
  if row.disagg then
    p.split = { prefill = cut_of(row.prefill_tp, row.prefill_ep, row.prefill_dp_attention),
      prefill_workers = row.prefill_num_workers, decode_workers = row.decode_num_workers }
    p.max_seqs = recipes.batch(p, ("%d/%d"):format(row.isl, row.osl))
  end
  return p
end

local function remember(seen, row)
  local key = key_of(gpus[row.hardware], engine_of(row.framework), precisions[row.precision],
    row.isl, row.osl, row.conc)
  seen[key] = seen[key] or {}
  local m, mtp = row.metrics, row.spec_method ~= "none"
  table.insert(seen[key], { mtp = mtp, mean = m.mean_tpot,
    mean_ttft = m.mean_ttft, tpot = m.mean_tpot or m.median_tpot })
  if mtp and not row.disagg then
    local cut = cut_of(row.decode_tp, row.decode_ep, row.decode_dp_attention)
    seen[inferencex.cut_key(gpus[row.hardware], engine_of(row.framework),
      precisions[row.precision], cut)] = true
  end
end

---@param root string
---@param seen table  filled: rows by key
---@return tests.Point[]|nil
function inferencex.read(root, seen)
  local list
  for _, name in ipairs { "h200", "b200", "gb200", "mi300x" } do
    local rows = lines.read(("%s/inferencex/%s_latest.jsonl"):format(root, name))
    for _, row in ipairs(rows or {}) do
      list = list or {}
      remember(seen, row)
      list[#list + 1] = point_of(row)
    end
    local before = lines.read(("%s/inferencex/%s_history.jsonl.gz"):format(root, name))
    for _, row in ipairs(before or {}) do
      remember(seen, row)
    end
  end
  return list
end

return inferencex
