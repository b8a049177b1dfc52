-- The power model against measured A100s: prompts by themselves and whole runs of batches.
--
-- hardware/splitwise_perf_model.csv of the data (runs.lua) has, by model, number of GPUs, prompt
-- length and batch size, the peak power (while prompts are computed) and the mean power of a run,
-- as shares of the limit, with the times of the prompt and of a token. Bytes and FLOPs of these
-- times are the model's. Left out: runs whose mean is below what their prompts alone take at the
-- peak. Prints errors of the constants as shipped, and of constants fitted to one model on the
-- other.

local core = require "tandem.core"
local fit = require "tandem.llm.fit"
local power = require "tandem.llm.power"

local accuracy = {}

local root = os.getenv "SERVING_DATA" or "tests/data/serving/replay"

-- Feed-forward layers of BLOOM have two matrices where these have three.
local models = {
  ["llama2-70b"] = { layers = 80, hidden = 8192, vocabulary = 32000, heads = 64, kv_heads = 8,
    head_size = 128, dense_layers = 80, intermediate = 28672 },
  ["bloom-176b"] = { layers = 70, hidden = 14336, vocabulary = 250880, heads = 112,
    kv_heads = 112, head_size = 128, dense_layers = 70, intermediate = 57344 * 2 // 3, tied = 1 },
}

local function read_runs(path)
  local names, by_key, list = nil, {}, {}
  for line in io.lines(path) do
    local fields, row = {}, {}
    for field in (line:gsub("\r$", "") .. ","):gmatch "([^,]*)," do fields[#fields + 1] = field end
    if not names then
      names = fields
    else
      for i, name in ipairs(names) do row[name] = tonumber(fields[i]) or fields[i] end
      local key = table.concat({ row.model, row.tensor_parallel, row.prompt_size, row.batch_size,
        row.token_size }, " ")
      if row.hardware == "a100-80gb" and row.average_power ~= 0 and row.average_power ~= "" then
        local one = by_key[key]
        if not one then
          one = { count = 0, row = row, prompt_s = 0, e2e_s = 0 }
          by_key[key], list[#list + 1] = one, one
        end
        one.count = one.count + 1
        one.prompt_s = one.prompt_s + row.prompt_time / 1e3
        one.e2e_s = one.e2e_s + row.e2e_time / 1e3
      end
    end
  end
  for _, one in ipairs(list) do
    one.prompt_s, one.e2e_s = one.prompt_s / one.count, one.e2e_s / one.count
  end
  return list
end

-- What a run asks of memory and arithmetic: seconds at the peak rates.
local function asked(one)
  local row = one.row
  local spec = assert(power.spec { architecture = models[row.model], gpu = "A100 80GB SXM",
    parallelism = { tensor = row.tensor_parallel }, limit = 400 })
  local memory = assert(core.llm.step(spec.memory_step))
  local arithmetic = assert(core.llm.step(spec.arithmetic_step))
  local prompt = { prefill = {}, decode = {} }
  local decode = { prefill = {}, decode = {} }
  for i = 1, row.batch_size do
    prompt.prefill[i], decode.decode[i] = { row.prompt_size, 0, true }, row.prompt_size + 1
  end
  local steps = row.token_size - 1
  one.prompt = { memory = memory:step_s(prompt), arithmetic = arithmetic:step_s(prompt) }
  one.tokens = { memory = memory:decode_run_s(decode, steps),
    arithmetic = arithmetic:decode_run_s(decode, steps) }
end

-- Shares of the limit: while the prompt is computed, and in the mean of the run.
local function drawn(one, c)
  local function share(part, seconds)
    return math.min(1, c.active + (c.memory * part.memory + c.arithmetic * part.arithmetic)
      / seconds)
  end
  local rest = one.e2e_s - one.prompt_s
  local peak = share(one.prompt, one.prompt_s)
  return peak, (peak * one.prompt_s + share(one.tokens, rest) * rest) / one.e2e_s
end

local function pairs_of(list, c, model)
  local out = {}
  for _, one in ipairs(list) do
    if not model or one.row.model == model then
      local peak, mean = drawn(one, c)
      out[#out + 1] = { peak, math.min(1, one.row.peak_power) }
      out[#out + 1] = { mean, one.row.average_power }
    end
  end
  return out
end

local function told(what, pairs_list)
  local errors = {}
  for i, pair in ipairs(pairs_list) do errors[i] = math.abs(pair[1] / pair[2] - 1) * 100 end
  table.sort(errors)
  local median, ninth = errors[(#errors + 1) // 2], errors[math.ceil(#errors * 0.9)]
  print(("  %-34s %3d values   median %4.1f %%   p90 %4.1f %%   most %4.1f %%"):format(what,
    #errors, median, ninth, errors[#errors]))
  return median
end

local function fitted(list, model)
  return fit.search(power.constants, function(c) return fit.loss(pairs_of(list, c, model)) end,
    { names = { "active", "memory", "arithmetic" }, rounds = 40,
      bounds = { active = { 0.05, 0.6 }, memory = { 0.1, 2 }, arithmetic = { 0.1, 4 } } })
end

function accuracy.run()
  local list = {}
  for _, one in ipairs(read_runs(root .. "/hardware/splitwise_perf_model.csv")) do
    local share = one.prompt_s / one.e2e_s
    local least = one.row.peak_power * share + power.constants.idle * (1 - share)
    if one.row.average_power >= least then
      asked(one)
      list[#list + 1] = one
    end
  end
  local median = told("constants as shipped", pairs_of(list, power.known.Ampere))
  for _, names in ipairs { { "llama2-70b", "bloom-176b" }, { "bloom-176b", "llama2-70b" } } do
    local c = fitted(list, names[1])
    told(("fitted to %s, on %s"):format(names[1], names[2]), pairs_of(list, c, names[2]))
  end
  local c = fitted(list)
  print(("  fitted to all: active %.2f, memory %.2f, arithmetic %.2f"):format(c.active, c.memory,
    c.arithmetic))
  told("fitted to all", pairs_of(list, c))
  require("tests.accuracy.watts").run()
  return median <= 5
end

return accuracy
