-- Makes lib/llm_rates.lua from a folder of measurements:
--
--   SERVING_DATA=DIR build/tandem lua tests/accuracy/calibrate/run.lua
--
-- Kernels first (operators.lua), then what runs say of them, all GPUs and engines together
-- (pool.lua), then TTFT with the rest fixed. An estimate that predicts GPUs left out worse than
-- the constants of rates.lua alone is refused. The form of the file is written.lua's.

package.path = "./?.lua;" .. package.path

local catalogue = require "tandem.catalogue"
local estimate = require "tests.accuracy.calibrate.estimate"
local leave_out = require "tests.accuracy.calibrate.leave_out"
local observed = require "tests.accuracy.observed"
local pool = require "tests.accuracy.calibrate.pool"
local predict = require "tests.accuracy.observed.predict"
local rates = require "tandem.llm.rates"
local requests = require "tests.accuracy.calibrate.requests"
local spreads = require "tests.accuracy.calibrate.spreads"
local written = require "tests.accuracy.calibrate.written"

local FILE <const> = "lib/llm_rates.lua"
local ENGINES <const> = { "vllm", "sglang", "trtllm" }

local function counts(rows)
  local points, configurations, seen, near, met = {}, {}, {}, {}, {}
  for _, row in ipairs(rows) do
    local cell = row.gpu .. "|" .. row.engine
    points[cell] = (points[cell] or 0) + 1
    if not seen[row.configuration] then
      configurations[cell] = (configurations[cell] or 0) + 1
    end
    seen[row.configuration] = true
    if not met[row.gpu] then
      local architecture = pool.architecture(row.gpu)
      near[architecture] = (near[architecture] or 0) + 1
    end
    met[row.gpu] = true
  end
  return points, configurations, near
end

local function models_of(fit, rows)
  local models, all = {}, {}
  for _, row in ipairs(rows) do
    local name, key = row.model .. " " .. row.engine, row.gpu .. " " .. row.precision
    local factors = models[row.model] or { any = { fit:factor { model = row.model } } }
    factors[row.engine] = factors[row.engine]
      or { fit:factor { model = row.model, engine = row.engine } }
    models[row.model] = factors
    local served = all[name] or {}
    served[key] = served[key] or { fit:factor { gpu = row.gpu, engine = row.engine,
      model = row.model, precision = row.precision } }
    all[name] = served
  end
  return models, all
end

-- Factors of versions, and of one that nobody says: the mean over configurations, as far off as
-- their versions are from each other.
local function versions_of(fit, rows)
  local out, seen, sums = {}, {}, {}
  for _, engine in ipairs(ENGINES) do out[engine], sums[engine] = {}, { 0, 0, 0 } end
  for _, row in ipairs(rows) do
    local version = row.version and rates.version(row.engine, row.version)
    if version and not seen[row.configuration] then
      seen[row.configuration] = true
      local known = out[row.engine][version] or { fit:of_version(row.engine, version) }
      out[row.engine][version] = known
      local log, sum = math.log(known[1]), sums[row.engine]
      sum[1], sum[2], sum[3] = sum[1] + 1, sum[2] + log, sum[3] + log ^ 2 + known[2] ^ 2
    end
  end
  for engine, sum in pairs(sums) do
    local mean = sum[2] / sum[1]
    out[engine].any = { math.exp(mean), math.sqrt(sum[3] / sum[1] - mean ^ 2) }
  end
  return out
end

local function gpus_of(fit, base_of, rows, asked, kernels)
  local points, configurations, near = counts(rows)
  local gpus, names = {}, catalogue.gpu_names()
  names[#names + 1] = "" -- one that nobody knows
  for _, gpu in ipairs(names) do
    gpus[gpu] = {}
    for _, engine in ipairs(ENGINES) do
      local cell = gpu .. "|" .. engine
      local constants = pool.apply(base_of(gpu, engine), fit:theta(gpu, engine))
      constants.request_s = asked[engine].value
      local measured = kernels[gpu] and kernels[gpu][engine]
      gpus[gpu][engine] = { constants = constants, root = fit:root(gpu, engine),
        points = points[cell] or 0, configurations = configurations[cell] or 0,
        near = near[pool.architecture(gpu)] or 0, kernels = measured and measured.version }
    end
  end
  return gpus
end

local function write(fit, base_of, rows, asked, kernels, spread, handed)
  local seen, all, names = {}, 0, {}
  for _, row in ipairs(rows) do
    if not seen[row.configuration] then all = all + 1 end
    seen[row.configuration] = true
  end
  for i, p in ipairs(pool.PARAMETERS) do names[i] = p.name end
  local models, served = models_of(fit, rows)
  local deviations = {}
  for _, engine in ipairs(ENGINES) do deviations[engine] = asked[engine].deviation end
  local file <close> = assert(io.open(FILE, "w"))
  assert(file:write(written.text { points = #rows, configurations = all, date = os.date "!%Y-%m-%d",
    parameters = names, configuration_spread = { dense = spread.dense, moe = spread.moe },
    shape_spread = spread.shape, model_spread = pool.model_spread,
    architecture_spread = pool.architecture_spread, request_spread = deviations,
    handed_steps = handed, version_spread = fit.spreads.version, versions = versions_of(fit, rows),
    models = models, served = served, gpus = gpus_of(fit, base_of, rows, asked, kernels) }))
end

local function main()
  local e = assert(estimate.of(observed.root))
  local kernels, base_of, rows, fit = e.kernels, e.base_of, e.rows, e.fit
  local by_gpu = leave_out.by[2]
  local rival, mine = {}, leave_out.predict(rows, base_of, by_gpu.of, e.spreads)
  for i, row in ipairs(rows) do rival[i] = predict.point(row.point, rates.constants) end
  leave_out.head()
  local theirs = leave_out.line("constants of rates.lua", rows, rival)
  local ours = leave_out.line("a GPU left out", rows, mine)
  local score = require "tests.accuracy.observed.score"
  if score.summary(ours["0all"].tpot_s).median >= score.summary(theirs["0all"].tpot_s).median then
    print("refused: it loses to the constants of rates.lua; " .. FILE .. " stays")
    os.exit(1)
  end
  local s = e.spreads
  print(("factors of models spread by %.3f, with an engine %.3f more, in a precision on a GPU "
    .. "%.3f, of versions %.3f; configurations %.3f"):format(s.model, s.engine, s.served,
    s.version, s.configuration))
  print(("left out, architectures lie %.2f off, root of the mean square of logarithms; %.2f is "
    .. "written"):format(leave_out.far(rows, base_of, s, leave_out.architectures),
    pool.architecture_spread))
  pool.model_spread = leave_out.far(rows, base_of, s, leave_out.models)
  print(("models lie %.3f off, which is written"):format(pool.model_spread))
  local asked = requests.of(rows, base_of, fit)
  for _, engine in ipairs(ENGINES) do
    print(("a request of %s takes %.1f ms beside its steps, by %d configurations; %.2f off"):format(
      engine, 1e3 * asked[engine].value, asked[engine].count, asked[engine].deviation))
  end
  local left_out = leave_out.predict(rows, base_of, leave_out.by[1].of, e.spreads)
  local spread = spreads.choose(rows, left_out, spreads.configurations(rows))
  local alone, three = spreads.nested(rows, left_out)
  print(("spreads of configurations: %.3f without experts, %.3f with, %.3f of shapes; chosen "
    .. "without each GPU, intervals hold %.0f %% of its configurations, %.0f %% after three points")
    :format(spread.dense, spread.moe, spread.shape, 100 * alone, 100 * three))
  local handed = requests.handed(rows, base_of, fit, asked)
  print(("a request takes %.1f steps of decode from its prefill engine to its first token"):format(
    handed))
  write(fit, base_of, rows, asked, kernels, spread, handed)
  print("wrote " .. FILE)
end

main()
