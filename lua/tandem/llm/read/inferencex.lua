--- Rows of InferenceX (formerly InferenceMAX): JSON Lines, a configuration at so many clients each.
--
-- `isl` and `osl` are the longest of lengths that are drawn; how long answers were in the mean is
-- what the whole time, the first token's and that of each other one tell, and prompts are taken to
-- be short of theirs by as much. Seconds. Prefill apart from decode and speculation are no
-- operating points of such a server. Owns this format. Called by init.lua.

local cjson = require "cjson"
local format = require "tandem.text.format"
local sums = require "tandem.llm.read.sums"

local STATISTICS <const> = { mean = "mean", median = "p50", p90 = "p90", p99 = "p99",
  ["p99.9"] = "p999" }
local TIMES <const> = { ttft = "ttft", tpot = "tpot", itl = "itl", e2e = "e2el" }

-- What these rows call a model.
local MODELS <const> = { dsr1 = "DeepSeek-R1" }

local function positive(value) return math.type(value) and value > 0 and value or nil end

local function times_of(metrics)
  local out = {}
  for name, spelling in pairs(TIMES) do
    for said, statistic in pairs(STATISTICS) do
      local value = positive(metrics[said .. "_" .. spelling])
      if value then
        out[name] = out[name] or {}
        out[name][statistic] = value
      end
    end
  end
  return out
end

local function text(value) return type(value) == "string" and value or nil end

local function what_ran(row)
  local tp, attention = math.tointeger(row.decode_tp), row.decode_dp_attention == true
  return { system = text(row.hardware), backend = text(row.framework),
    model = MODELS[row.model] or text(row.model), precision = text(row.precision),
    tp = attention and 1 or tp, ep = math.tointeger(row.decode_ep),
    attention_dp_size = attention and tp or nil }
end

local function point_of(row, position)
  local metrics = row.metrics
  if type(metrics) ~= "table" or row.disagg == true or (row.spec_method ~= nil
    and row.spec_method ~= cjson.null and row.spec_method ~= "none") then
    return nil
  end
  local times, prompt, output = times_of(metrics), positive(row.isl), positive(row.osl)
  local e2e, ttft, tpot = positive(metrics.mean_e2el), positive(metrics.mean_ttft),
    positive(metrics.mean_tpot)
  if not (prompt and output and e2e and ttft and tpot and e2e > ttft) then return nil end
  local mean = math.min(output, (e2e - ttft) / tpot + 1)
  local rate, gpus = positive(metrics.output_tput_per_gpu), positive(row.num_decode_gpu)
  local tokens_s = rate and gpus and rate * gpus
  return sums.point { row = what_ran(row), position = position, clients = positive(row.conc),
    prompt = { mean = prompt * mean / output }, output = { mean = mean }, times = times,
    tokens_s = tokens_s, served = tokens_s and tokens_s / mean }
end

local function read(rows)
  local points = {}
  for i, row in ipairs(rows) do points[#points + 1] = point_of(row, i) end
  if #points == 0 then
    return nil, "has no row of one server without speculation that tells its times"
  end
  return { kind = "points", points = points, notes = { #points < #rows and ("%s left out: prefill "
    .. "apart from decode, speculation, or without their times"):format(
    format.plural(#rows - #points, "row")) or nil } }
end

return { { name = "InferenceX rows", shape = "lines", read = read,
  fields = { "hardware", "framework", "conc", "isl", "osl", "metrics" } } }
