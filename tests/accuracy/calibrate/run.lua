-- Makes lib/llm_rates.lua from a folder of measurements:
--
--   SERVING_DATA=DIR build/tandem lua tests/accuracy/calibrate/run.lua
--
-- Kernels first (operators.lua), then what runs say of them, all GPUs and engines together
-- (pool.lua), then TTFT with the rest fixed. An estimate that predicts GPUs left out worse than
-- the constants of rates.lua alone is refused. Owns the file that is written.

package.path = "./?.lua;" .. package.path

local base = require "tests.accuracy.calibrate.base"
local catalogue = require "tandem.catalogue"
local estimate = require "tests.accuracy.calibrate.estimate"
local leave_out = require "tests.accuracy.calibrate.leave_out"
local observed = require "tests.accuracy.observed"
local pool = require "tests.accuracy.calibrate.pool"
local predict = require "tests.accuracy.observed.predict"
local rates = require "tandem.llm.rates"
local spreads = require "tests.accuracy.calibrate.spreads"

local FILE <const> = "lib/llm_rates.lua"
local ENGINES <const> = { "vllm", "sglang", "trtllm" }

local head = [[
--- Constants of the roofline by GPU and engine, from measurements; made by
-- tests/accuracy/calibrate/run.lua, which says how, from %d points of %d configurations and the
-- kernel tables of ai-dynamo/aiconfigurator @ 095f58a51 (Apache-2.0). Do not edit.
--
-- `constants`: tandem.llm.Constants. `points`, `configurations`: how many measured this GPU with
-- this engine; `near`: how many GPUs of its architecture were measured. `kernels`: the engine's
-- version whose kernels were measured on it. `root`: the covariance of the logarithms of
-- `parameters` is the sum of its rows' outer products. `models`: factors on all times of models, by
-- their sizes (rates.fingerprint). …_spread: standard deviations of logarithms of what nobody knows
-- of a deployment before it is measured: of its own factor, of a batch beside others, and of models
-- and architectures that were not measured. "": a GPU that nobody knows. Read by tandem.llm.rates.
]]

local function number(v)
  local text = ("%.4g"):format(v)
  return text
end

-- Parts with commas, in lines of at most 98.
local function wrapped(parts, indent)
  local lines, line = {}, indent:sub(1, -2)
  for _, part in ipairs(parts) do
    if #line + #part > 96 then
      lines[#lines + 1] = line
      line = indent:sub(1, -2)
    end
    line = line .. " " .. part .. ","
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function constants_text(constants)
  local names, parts = {}, {}
  for name in pairs(constants) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do parts[i] = name .. " = " .. number(constants[name]) end
  return wrapped(parts, "        ")
end

-- A lower triangle: each vector begins where the one before it did, or later.
local function root_text(vectors)
  local out = {}
  for i, vector in ipairs(vectors) do
    local parts = {}
    for j, x in ipairs(vector) do
      parts[j] = ("%.3f"):format(x):gsub("%.?0+$", ""):gsub("^%-0$", "0"):gsub("0%.", ".")
    end
    out[i] = "        {\n" .. wrapped(parts, "          ") .. "\n        },"
  end
  return table.concat(out, "\n")
end

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

local function models_text(fit, rows)
  local engines, names, lines = {}, {}, {}
  for _, row in ipairs(rows) do
    if not engines[row.model] then
      engines[row.model] = {}
      names[#names + 1] = row.model
    end
    engines[row.model][row.engine] = true
  end
  table.sort(names)
  for i, name in ipairs(names) do
    local parts = { ("any = %s"):format(number(fit:factor(name, "any"))) }
    for _, engine in ipairs(ENGINES) do
      if engines[name][engine] then
        parts[#parts + 1] = ("%s = %s"):format(engine, number(fit:factor(name, engine)))
      end
    end
    lines[i] = ("    [%q] = { %s },"):format(name, table.concat(parts, ", "))
  end
  return table.concat(lines, "\n")
end

local function write(fit, base_of, rows, requests, kernels, spread)
  local points, configurations, near = counts(rows)
  local all = 0
  for _, n in pairs(configurations) do all = all + n end
  local file = assert(io.open(FILE, "w"))
  file:write(head:format(#rows, all), "\nreturn {\n  date = \"", os.date "!%Y-%m-%d", "\",\n")
  local names = {}
  for i, p in ipairs(pool.PARAMETERS) do names[i] = ("%q"):format(p.name) end
  file:write("  parameters = {\n", wrapped(names, "    "), "\n  },\n")
  file:write(("  configuration_spread = { dense = %.3g, moe = %.3g },\n  shape_spread = %.3g,\n")
    :format(spread.dense, spread.moe, spread.shape))
  for _, key in ipairs { "model_spread", "model_engine_spread", "architecture_spread" } do
    file:write(("  %s = %.3g,\n"):format(key, pool[key]))
  end
  file:write("  models = {\n", models_text(fit, rows), "\n  },\n  gpus = {\n")
  local gpus = catalogue.gpu_names()
  table.insert(gpus, 1, "") -- one that nobody knows
  for _, gpu in ipairs(gpus) do
    file:write(("  [%q] = {\n"):format(gpu))
    for _, engine in ipairs(ENGINES) do
      local cell, constants = gpu .. "|" .. engine,
        pool.apply(base_of(gpu, engine), fit:theta(gpu, engine))
      constants.request_s = requests[engine]
      local measured = kernels[gpu] and kernels[gpu][engine]
      file:write(("    %s = { points = %d, configurations = %d, near = %d,%s\n"
        .. "      constants = {\n%s\n      },\n"):format(engine, points[cell] or 0,
        configurations[cell] or 0,
        near[pool.architecture(gpu)] or 0,
        measured and (" kernels = %q,"):format(measured.version) or "",
        constants_text(constants)))
      file:write("      root = {\n", root_text(fit:root(gpu, engine)), "\n      } },\n")
    end
    file:write "  },\n"
  end
  file:write "  },\n}\n"
  file:close()
end

-- Median of what a request takes beside its steps, by engine: load generators and start-up of
-- closed loops are no server's, so open loads count where there are any, the least loaded closed
-- ones else.
local function requests_of(rows, base_of, fit)
  local left = {}
  for _, row in ipairs(rows) do
    local p = row.point
    if p.ttft_s and not p.split and (p.load == "open" or p.ttft_is == "median") then
      local c = pool.apply(base_of(row.gpu, row.engine), fit:theta(row.gpu, row.engine))
      c.request_s, c.factor = 0, fit:factor(row.model, row.engine)
      left[row.engine] = left[row.engine] or {}
      table.insert(left[row.engine], p.ttft_s - predict.point(p, c).ttft_s)
    end
  end
  local out = {}
  for _, engine in ipairs(ENGINES) do
    local list = left[engine] or {}
    table.sort(list)
    local middle = list[(#list + 1) // 2] or base.unsaid.request_s
    out[engine] = math.max(1e-3, math.min(0.1, middle))
  end
  return out
end

local function main()
  local e = assert(estimate.of(observed.root))
  local kernels, base_of, rows, fit = e.kernels, e.base_of, e.rows, e.fit
  local by_gpu = leave_out.by[2]
  local rival, mine = {}, leave_out.predict(rows, base_of, by_gpu.of)
  for i, row in ipairs(rows) do rival[i] = predict.point(row.point, rates.constants) end
  leave_out.head()
  local theirs = leave_out.line("constants of rates.lua", rows, rival)
  local ours = leave_out.line("a GPU left out", rows, mine)
  local score = require "tests.accuracy.observed.score"
  if score.summary(ours["0all"].tpot_s).median >= score.summary(theirs["0all"].tpot_s).median then
    print("refused: it loses to the constants of rates.lua; " .. FILE .. " stays")
    os.exit(1)
  end
  print(("architectures left out lie %.2f off, root of the mean square of logarithms; %.2f is "
    .. "written"):format(leave_out.architectures(rows, base_of), pool.architecture_spread))
  local requests = requests_of(rows, base_of, fit)
  local left_out = leave_out.predict(rows, base_of, leave_out.by[1].of)
  local spread = spreads.choose(rows, left_out, spreads.configurations(rows))
  local alone, three = spreads.nested(rows, left_out)
  print(("spreads of configurations: %.3f without experts, %.3f with, %.3f of shapes; chosen "
    .. "without each GPU, intervals hold %.0f %% of its configurations, %.0f %% after three points")
    :format(spread.dense, spread.moe, spread.shape, 100 * alone, 100 * three))
  write(fit, base_of, rows, requests, kernels, spread)
  print("wrote " .. FILE)
end

main()
