--- The file lib/llm_rates.lua: what is known of each GPU and engine, as data.
--
-- Owns its form. Constants and roots that several GPUs share stand once; a root is written in
-- thousandths, a row each vector, which begins at its own place: the first at the first parameter,
-- the second at the second … tandem.llm.rates reads it. Called by run.lua.

local written = {}

local head = [[
--- Constants of the roofline by GPU and engine, from measurements; made by
-- tests/accuracy/calibrate/run.lua, which says how, from %d points of %d configurations and the
-- kernel tables of ai-dynamo/aiconfigurator @ 095f58a51 (Apache-2.0). Do not edit.
--
-- `gpus`: `constants`, `root`: which of those above; `points`, `configurations`: how many measured
-- this GPU with this engine; `near`: how many GPUs of its architecture were measured; `kernels`:
-- the engine's version whose kernels were measured on it. "": a GPU that nobody knows. `roots`: the
-- covariance of the logarithms of `parameters` is the sum of the vectors' outer products; see
-- written.lua there. `models`: factors on all times of models, by their sizes (rates.fingerprint):
-- with any engine, with one; `served`: with one on a GPU in a precision. Each beside the standard
-- deviation of its logarithm. …_spread: standard deviations of logarithms of what nobody knows of a
-- deployment before it is measured: of its own factor, of a batch beside others, and of models and
-- architectures that were not measured; `request_spread`: of request_s, by engine. `handed_steps`:
-- steps of decode that a request takes from a prefill engine to its first token. `versions`:
-- factors of versions of an engine (its first two numbers; any: nobody says which),
-- `version_spread` of others. Read by tandem.llm.rates.
]]

local ENGINES <const> = { "vllm", "sglang", "trtllm" }

local function sorted_keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

local function number(v) return ("%.4g"):format(v) end

-- Parts in lines of at most 97, an indent before each.
local function wrapped(parts, indent, last)
  local lines, line = {}, indent
  for i, part in ipairs(parts) do
    local more = part .. (i < #parts and last or "")
    if #line > #indent and #line + 1 + #more > 97 then
      lines[#lines + 1] = line
      line = indent
    end
    line = line .. (#line > #indent and " " or "") .. more
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function constants_text(constants)
  local parts = {}
  for i, name in ipairs(sorted_keys(constants)) do
    parts[i] = name .. " = " .. number(constants[name])
  end
  return "    {\n" .. wrapped(parts, "      ", ",") .. ",\n    },"
end

--- A root as text: thousandths, vectors after semicolons.
---@param vectors number[][]
---@return string
function written.root(vectors)
  local rows = {}
  for i, vector in ipairs(vectors) do
    local parts = {}
    for j, x in ipairs(vector) do
      local thousandths = math.floor(x * 1000 + 0.5)
      assert(j >= i or thousandths == 0, "a root is a triangle")
      if j >= i then parts[#parts + 1] = ("%d"):format(thousandths) end
    end
    rows[i] = table.concat(parts, " ")
  end
  return table.concat(rows, ";")
end

local function root_text(text)
  local parts = {}
  for part in text:gmatch "[^ ]+" do parts[#parts + 1] = part end
  return "    [[\n" .. wrapped(parts, "      ", "") .. "]],"
end

-- The place of a text among those that were met, in order.
local function shared(list, text)
  if not list[text] then
    list[#list + 1] = text
    list[text] = #list
  end
  return list[text]
end

local function factor_text(factor)
  return ("{ %.3f, %.3f }"):format(factor[1], factor[2])
end

local function served_text(served)
  local lines = {}
  for i, name in ipairs(sorted_keys(served)) do
    local parts = {}
    for j, key in ipairs(sorted_keys(served[name])) do
      parts[j] = ("[%q] = %s"):format(key, factor_text(served[name][key]))
    end
    lines[i] = ("    [%q] = {\n%s,\n    },"):format(name, wrapped(parts, "      ", ","))
  end
  return table.concat(lines, "\n")
end

local function models_text(models)
  local lines = {}
  for i, name in ipairs(sorted_keys(models)) do
    local parts = { "any = " .. factor_text(models[name].any) }
    for _, engine in ipairs(ENGINES) do
      local factor = models[name][engine]
      if factor then parts[#parts + 1] = ("%s = %s"):format(engine, factor_text(factor)) end
    end
    lines[i] = ("    [%q] = {\n%s,\n    },"):format(name, wrapped(parts, "      ", ","))
  end
  return table.concat(lines, "\n")
end

local function versions_text(versions)
  local lines = {}
  for i, engine in ipairs(ENGINES) do
    local parts = { "any = " .. factor_text(versions[engine].any) }
    for _, version in ipairs(sorted_keys(versions[engine])) do
      if version ~= "any" then
        parts[#parts + 1] = ("[%q] = %s"):format(version, factor_text(versions[engine][version]))
      end
    end
    lines[i] = ("    %s = {\n%s,\n    },"):format(engine, wrapped(parts, "      ", ","))
  end
  return table.concat(lines, "\n")
end

local function gpus_text(gpus, constants, roots)
  local lines = {}
  for _, gpu in ipairs(sorted_keys(gpus)) do
    lines[#lines + 1] = ("    [%q] = {"):format(gpu)
    for _, engine in ipairs(ENGINES) do
      local one = gpus[gpu][engine]
      lines[#lines + 1] = ("      %s = { points = %d, configurations = %d, near = %d, "
        .. "constants = %d, root = %d%s },"):format(engine, one.points, one.configurations,
        one.near, shared(constants, constants_text(one.constants)),
        shared(roots, written.root(one.root)),
        one.kernels and (",\n        kernels = %q"):format(one.kernels) or "")
    end
    lines[#lines + 1] = "    },"
  end
  return table.concat(lines, "\n")
end

---@class tandem.calibrate.Written
---@field points integer           all of them
---@field configurations integer
---@field date string
---@field parameters string[]
---@field configuration_spread { dense: number, moe: number }
---@field model_spread number
---@field shape_spread number
---@field request_spread table<string, number>  by engine
---@field handed_steps number
---@field version_spread number
---@field versions table<string, table<string, { [1]: number, [2]: number }>>  by engine
---@field architecture_spread number
---@field models table<string, table<string, { [1]: number, [2]: number }>>  factor, deviation
---@field served table<string, table<string, { [1]: number, [2]: number }>>  by model and engine
---@field gpus table<string, table<string, tandem.llm.Known>>  by GPU and engine

--- The whole file.
---@param data tandem.calibrate.Written
---@return string
function written.text(data)
  local constants, roots, names, root_texts = {}, {}, {}, {}
  local gpus = gpus_text(data.gpus, constants, roots)
  for i, name in ipairs(data.parameters) do names[i] = ("%q"):format(name) end
  for i, text in ipairs(roots) do root_texts[i] = root_text(text) end
  local out = { head:format(data.points, data.configurations), "return {",
    ("  date = %q,"):format(data.date), "  parameters = {", wrapped(names, "    ", ",") .. ",",
    "  },", ("  configuration_spread = { dense = %.3g, moe = %.3g },"):format(
      data.configuration_spread.dense, data.configuration_spread.moe) }
  for _, key in ipairs { "model_spread", "shape_spread", "architecture_spread",
    "version_spread", "handed_steps" } do
    out[#out + 1] = ("  %s = %.3g,"):format(key, data[key])
  end
  local requests = {}
  for i, engine in ipairs(ENGINES) do
    requests[i] = ("%s = %.3g"):format(engine, data.request_spread[engine])
  end
  out[#out + 1] = ("  request_spread = { %s },"):format(table.concat(requests, ", "))
  for _, part in ipairs { { "models", models_text(data.models) },
    { "served", served_text(data.served) }, { "versions", versions_text(data.versions) },
    { "constants", table.concat(constants, "\n") }, { "roots", table.concat(root_texts, "\n") },
    { "gpus", gpus } } do
    out[#out + 1] = ("  %s = {\n%s\n  },"):format(part[1], part[2])
  end
  return table.concat(out, "\n") .. "\n}\n"
end

return written
