--- Defaults of an LLM server by its version and the GPU (lib/llm_engines.lua), where a scenario
--- names the server.
--
-- Owns which entry fits, and what a default becomes beside what the scenario says itself. Called by
-- llm/deployment.lua, explain/serving.lua and `tandem list servers`.

local format = require "tandem.text.format"
local nearest = require "tandem.text.nearest"

local engines = {}

--- Servers as scenarios call them and as people do.
engines.names = { vllm = "vLLM", sglang = "SGLang", tensorrt_llm = "TensorRT-LLM" }

local GIB <const> = 1 << 30

-- "0.15.1", "v1.2.0rc6" as numbers; those behind them say nothing here.
local function parts_of(version)
  local out = {}
  for number in version:gsub("^v", ""):match "^[%d.]*":gmatch "%d+" do
    out[#out + 1] = tonumber(number)
  end
  return out
end

--- Is it a version: does it begin with a number?
---@param version string
---@return boolean
function engines.is_version(version) return #parts_of(version) > 0 end

local function at_least(version, since)
  local a, b = parts_of(version), parts_of(since)
  for i = 1, math.max(#a, #b) do
    local x, y = a[i] or 0, b[i] or 0
    if x ~= y then return x > y end
  end
  return true
end

---@class tandem.llm.ServerAt  where defaults are asked for
---@field version string|nil   the newest
---@field gpu string|nil       its name
---@field memory number|nil    bytes
---@field pp integer|nil

local function fits(entry, at)
  if entry.since and at.version and not at_least(at.version, entry.since) then return false end
  if entry.before and not (at.version and not at_least(at.version, entry.before)) then
    return false
  end
  if entry.memory and (at.memory or 0) < entry.memory * GIB then return false end
  if entry.stages and (at.pp or 1) > entry.stages then return false end
  local name = (at.gpu or ""):upper()
  if entry.except and name:find(entry.except, 1, true) then return false end
  for _, part in ipairs(entry.gpus or {}) do
    if name:find(part, 1, true) then return true end
  end
  return not entry.gpus
end

---@class tandem.llm.ServerDefault
---@field key string
---@field value number|boolean
---@field source string

--- The defaults of a server, each with its source, in the order of the file.
---@param server string
---@param at tandem.llm.ServerAt
---@return tandem.llm.ServerDefault[]
function engines.defaults(server, at)
  local out, seen = {}, {}
  for _, entry in ipairs(require("lib.llm_engines")[server] or {}) do
    if not seen[entry.key] and fits(entry, at) then
      seen[entry.key], out[#out + 1] = true, entry
    end
  end
  return out
end

--- Those that a checked engine leaves to its server, as they are beside what it says; none where it
--- names no server.
---@param engine table  a checked llm_engine
---@param at tandem.llm.ServerAt
---@return table<string, number|boolean>
function engines.taken(engine, at)
  local out = {}
  if not engine.unsaid or engine.batching ~= "continuous" then return out end
  at.version = engine.version
  for _, default in ipairs(engines.defaults(engine.server, at)) do
    if engine.unsaid[default.key] then out[default.key] = default.value end
  end
  if engine.speculation then out.plans_ahead = nil end
  -- Each running request may need a token of a step.
  if out.max_batched_tokens then
    out.max_batched_tokens = math.max(out.max_batched_tokens,
      not out.max_seqs and engine.max_seqs or 0)
  elseif out.max_seqs then
    out.max_seqs = math.min(out.max_seqs, engine.max_batched_tokens)
  end
  return out
end

--- "vLLM 0.15.1: max_batched_tokens = 8,192, …"; nil where nothing was left to the server.
---@param engine table  a checked llm_engine
---@param taken table<string, number|boolean>
---@return string|nil
function engines.words(engine, taken)
  local parts = {}
  for _, key in ipairs(nearest.sorted_keys(taken)) do
    local value = taken[key]
    parts[#parts + 1] = ("%s = %s"):format(key,
      type(value) == "number" and format.integer(value) or tostring(value))
  end
  if #parts == 0 then return nil end
  return ("%s %s: %s"):format(engines.names[engine.server], engine.version
    or "of the newest version that is known", table.concat(parts, ", "))
end

return engines
