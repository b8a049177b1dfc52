-- The closed-loop operating points: read, put right where the record contradicts itself, each
-- measurement once.
--
-- The source (tests/data/serving/LICENSE.operating_points) records parallelism in the words of its
-- own search space. Two spellings are read as what ran: tp = 64 with moe_tp = moe_ep = 8 (or 16
-- and 4) is one node of 8 (4) GPUs with expert parallelism, as no such node has 64; likewise tp =
-- dp = 4 with ep = 16 is one group of 4 with data-parallel attention. The same measurement stands
-- under several names (DeepSeek R1 and V3 are one architecture); it counts once, so that a fit on
-- one half does not meet it again in the other.

local points = {}

local FILE <const> = "tests/data/serving/operating_points.csv.gz"

local gpus = { h100_sxm = "H100 SXM", h200_sxm = "H200 SXM", b200_sxm = "B200", gb200 = "GB200",
  b300_sxm = "B300", gb300 = "GB300" }

local function split(line)
  local fields = {}
  for field in (line .. ","):gmatch "([^,]*)," do fields[#fields + 1] = field end
  return fields
end

local function rows()
  local pipe = assert(io.popen("gzip -dc " .. FILE))
  local names = split(pipe:read "l")
  local list = {}
  for line in pipe:lines() do
    local row = {}
    for i, value in ipairs(split(line)) do
      row[names[i]] = value ~= "" and (tonumber(value) or value) or nil
    end
    list[#list + 1] = row
  end
  assert(pipe:close(), "gzip could not read " .. FILE)
  return list
end

--- How an engine uses its GPUs; nil and why when that cannot be. `part` begins names of columns.
local function parallelism(row, part, node)
  local function column(name) return math.max(1, row[part .. name] or 1) end
  local tensor, data = column "tp", column "dp"
  local cut, expert = column "moe_tp", column "moe_ep"
  if cut == expert and cut > 1 and tensor * data == cut * expert and tensor * data > 8 then
    if data > 1 then data, tensor = cut, 1 else tensor = cut end
  elseif tensor == data and tensor > 1 and expert == tensor * data then
    tensor, expert = 1, data
  end
  local all = tensor * data
  if all > node then return nil, "more GPUs than a node" end
  if all % expert ~= 0 then expert = all end
  return { tensor = tensor, data = data, expert = expert, pipeline = column "pp" }
end

local latent = { deepseek = true, moonshotai = true, zhipuai = true }

--- A name for tandem.llm.precision, from what the record says of matrices and experts.
local function precision(row)
  local gemm, owner = row.gemm or "", row.model:match "^[%a]+"
  if row.model == "openai/gpt-oss-120b" then return "mxfp4" end
  if gemm == "int4_wo" then return "int4" end
  if gemm == "nvfp4" then
    return (latent[owner] or row.model:find "DeepSeek") and "fp4-latent" or "fp4"
  end
  if gemm:find "fp8" or (gemm == "" and row.model:find "FP8") then return "fp8" end
  return "bf16"
end

-- The dated files and the database dump have the lengths, clients and settings of the public
-- benchmark InferenceMAX, which draws lengths evenly from 80 to 100 % of the nominal ones
-- (--random-range-ratio 0.8) and sends ten requests for each client, all clients at once. The
-- others are taken to use equal lengths.
local function random_lengths(row)
  return row.source:find "^db%-dump" or row.source:find "^%d%d%d%d%-"
    or row.source:find "gap%-analysis"
end

-- The gap analyses round their copies of the dated files' times.
local ROUNDED <const> = 1e-3

local function measured_before(rows_seen, row)
  for _, other in ipairs(rows_seen) do
    if math.abs(other.ttft_ms / row.ttft_ms - 1) < ROUNDED
      and math.abs(other.tpot_ms / row.tpot_ms - 1) < ROUNDED then
      return true
    end
  end
  return false
end

--- → points, counts of rows left out by reason
function points.read()
  local list, left, seen = {}, {}, {}
  local function leave(why) left[why] = (left[why] or 0) + 1 end
  for _, row in ipairs(rows()) do
    local key = ("%s %s %g %g %g"):format(row.system, row.backend, row.isl, row.osl,
      row.concurrency or 0)
    seen[key] = seen[key] or {}
    local together = row.mode == "agg"
    local cut, why = parallelism(row, together and "" or "decode_", together and 8 or 72)
    if not together and not (row.decode_workers and row.prefill_workers) then
      leave "separate engines, and nobody wrote how many"
    elseif not row.concurrency then
      leave "no concurrency recorded"
    elseif measured_before(seen[key], row) then
      leave "the same measurement under another name"
    elseif not cut then
      leave(why)
    else
      table.insert(seen[key], row)
      list[#list + 1] = { gpu = gpus[row.system], backend = row.backend, model = row.model,
        source = row.source, version = row.version or "",
        parallelism = cut, precision = precision(row), concurrency = row.concurrency,
        mean = random_lengths(row) and 0.9 or 1, spread = random_lengths(row) and 0.2 / 0.9 or 0,
        prompt = row.isl, output = row.osl, ttft_s = row.ttft_ms / 1e3,
        tpot_s = row.tpot_ms / 1e3 }
      if not together then
        list[#list].split = { prefill = assert(parallelism(row, "prefill_", 72)),
          prefill_workers = row.prefill_workers, decode_workers = row.decode_workers }
      end
    end
  end
  return list, left
end

return points
