-- How well the roofline predicts measured closed-loop operating points: with the constants that are
-- shipped, which rest on these points among others (left_out.lua leaves them out), and with those
-- fitted for each engine on a random half of the points and scored on the other half.

local closed_loop = require "tandem.llm.closed_loop"
local config = require "tandem.llm.config"
local fit = require "tandem.llm.fit"
local llm = require "tandem.llm"
local models = require "tests.accuracy.models"
local points = require "tests.accuracy.points"
local rates = require "tandem.llm.rates"
local split_loop = require "tandem.llm.split_loop"

local roofline = {}

-- Engines as they come: tokens a step may have, 8-bit caches, prompts in steps of their own.
local engines = {
  vllm = { budget = 8192 },
  trtllm = { budget = 8192, fp8_cache = true },
  sglang = { budget = 8192, separate = true },
}

local constants = {
  matrix_efficiency = { 0.1, 1 }, expert_efficiency = { 0.05, 1 },
  attention_efficiency = { 0.05, 1 }, weight_bandwidth = { 0.3, 1 },
  expert_bandwidth = { 0.3, 1 }, kv_bandwidth = { 0.2, 1 }, step_s = { 5e-5, 5e-3 },
  layer_s = { 5e-6, 1e-4 }, expert_layer_s = { 3e-6, 2e-4 }, sequence_s = { 1e-7, 1e-4 },
  link_latency_s = { 2e-6, 3e-5 }, request_s = { 1e-3, 0.3 },
}
local order = { "layer_s", "expert_layer_s", "weight_bandwidth", "expert_bandwidth",
  "matrix_efficiency", "expert_efficiency", "step_s", "sequence_s", "kv_bandwidth",
  "attention_efficiency", "link_latency_s", "request_s" }

-- ---- predictions

local function options_of(point, values, parallelism)
  local engine = engines[point.backend]
  return { architecture = point.architecture, gpu = point.gpu,
    parallelism = parallelism or point.parallelism,
    precision = point.precision, constants = values,
    kv_type = engine.fp8_cache and point.precision ~= "bf16" and "fp8" or "bf16" }
end

--- Points that fit into memory, ready to be predicted; and how many do not.
local function prepare(list)
  local ready, too_big = {}, 0
  for _, point in ipairs(list) do
    point.architecture = assert(config.architecture(models[point.model]))
    point.capacity = assert(llm.kv_tokens(options_of(point)))
    if point.capacity > point.prompt + point.output then
      ready[#ready + 1] = point
    else
      too_big = too_big + 1
    end
  end
  return ready, too_big
end

function roofline.predict(point, values)
  local engine = engines[point.backend]
  local model = assert(llm.roofline(options_of(point, values)))
  local loop = { capacity = point.capacity, spread = point.spread, budget = engine.budget,
    prompt = math.floor(point.prompt * point.mean), output = math.floor(point.output * point.mean),
    request_s = values.request_s, separate = engine.separate }
  local split, data = point.split, point.parallelism.data
  if not split then
    loop.concurrency = point.concurrency / data
    return closed_loop.predict(model, loop)
  end
  loop.prefill = assert(llm.roofline(options_of(point, values, split.prefill)))
  loop.prefill_slots = split.prefill_workers * split.prefill.data
  loop.decode_groups = split.decode_workers * data
  loop.concurrency = point.concurrency
  local found = split_loop.predict(model, loop)
  found.ttft_s = found.ttft_s + require("lib.llm_rates").handed_steps * found.tpot_s
  return found
end

-- ---- errors

local function quantile(list, level)
  table.sort(list)
  return list[math.max(1, math.ceil(level * #list))]
end

local function add(groups, key, tpot, ttft)
  local g = groups[key] or { tpot = {}, ttft = {} }
  groups[key] = g
  g.tpot[#g.tpot + 1], g.ttft[#g.ttft + 1] = math.abs(tpot), math.abs(ttft)
end

local function errors_of(list, values_of)
  local groups = {}
  for _, p in ipairs(list) do
    local r = roofline.predict(p, values_of(p))
    local tpot, ttft = r.tpot_s / p.tpot_s - 1, r.ttft_s / p.ttft_s - 1
    local keys = { "0all", "1" .. p.gpu, "2" .. p.backend, "3" .. p.model:match "[^/]+$",
      p.split and "4prefill apart from decode" or "4one engine" }
    for _, key in ipairs(keys) do add(groups, key, tpot, ttft) end
  end
  return groups
end

local function print_groups(groups)
  local keys = {}
  for key in pairs(groups) do keys[#keys + 1] = key end
  table.sort(keys)
  print(("%-28s %6s  %8s %8s  %8s %8s"):format("", "points", "TPOT p50", "p90", "TTFT p50", "p90"))
  local before = "0"
  for _, key in ipairs(keys) do
    local g = groups[key]
    if key:sub(1, 1) ~= before then print() end
    before = key:sub(1, 1)
    print(("%-28s %6d  %7.1f%% %7.1f%%  %7.1f%% %7.1f%%"):format(key:sub(2), #g.tpot,
      100 * quantile(g.tpot, 0.5), 100 * quantile(g.tpot, 0.9), 100 * quantile(g.ttft, 0.5),
      100 * quantile(g.ttft, 0.9)))
  end
  return 100 * quantile(groups["0all"].tpot, 0.5)
end

-- ---- halves

-- SplitMix64, so that the halves are the same everywhere.
local function mixed(n)
  local z = n * 0x9e3779b97f4a7c15 + 0x1234567
  z = (z ~ (z >> 30)) * 0xbf58476d1ce4e5b9
  z = (z ~ (z >> 27)) * 0x94d049bb133111eb
  return z ~ (z >> 31)
end

local function halves(list)
  local one, other = {}, {}
  for i, point in ipairs(list) do
    if mixed(i) & 1 == 0 then one[#one + 1] = point else other[#other + 1] = point end
  end
  return one, other
end

local function start()
  local values = {}
  for name, value in pairs(rates.constants) do values[name] = value end
  return values
end

--- TTFT counts a tenth: what it says of the step is mixed with queues.
local function fitted(list)
  local function loss(values)
    local found = {}
    for _, p in ipairs(list) do
      local r = roofline.predict(p, values)
      found[#found + 1] = { r.tpot_s, p.tpot_s, 1 }
      found[#found + 1] = { r.ttft_s, p.ttft_s, 0.1 }
    end
    return fit.loss(found)
  end
  return fit.search(start(), loss, { names = order, bounds = constants, rounds = 14 })
end

local function print_constants(values)
  local parts = {}
  for _, name in ipairs(order) do
    local value = values[name]
    parts[#parts + 1] = name:find "_s$" and ("%s %.1f us"):format(name, value * 1e6)
      or ("%s %.2f"):format(name, value)
  end
  print("  " .. table.concat(parts, ", "))
end

-- ---- the report

--- Prints the tables; false when a bar is missed.
---@return boolean
function roofline.run()
  local list, left = points.read()
  local ready, too_big = prepare(list)
  print(("%d closed-loop operating points"):format(#ready))
  if too_big > 0 then left["does not fit into memory as recorded"] = too_big end
  local reasons = {}
  for why in pairs(left) do reasons[#reasons + 1] = why end
  table.sort(reasons)
  for _, why in ipairs(reasons) do print(("  left out: %4d %s"):format(left[why], why)) end

  print "\nAs shipped"
  local plain = print_groups(errors_of(ready,
    function(p) return rates.known(p.gpu, p.backend, p.architecture, p.precision) end))

  local one, other = halves(ready)
  print(("\nFitted on a random half (%d points), scored on the other (%d)"):format(#one, #other))
  local by_engine = {}
  for _, name in ipairs { "sglang", "trtllm", "vllm" } do
    local mine = {}
    for _, p in ipairs(one) do
      if p.backend == name then mine[#mine + 1] = p end
    end
    by_engine[name] = fitted(mine)
    print("  " .. name)
    print_constants(by_engine[name])
  end
  local half = print_groups(errors_of(other, function(p) return by_engine[p.backend] end))

  print(("\nTPOT, median: %.1f %% as shipped (bar 20 %%), %.1f %% with a fit (bar 12 %%)")
    :format(plain, half))
  return plain < 20 and half < 12
end

return roofline
