-- What deployments have in common, by name: the levels of their constants, the two of their GPU's
-- pace, the factors of what runs on it. Called by pool.lua, which has an unknown for each, and by
-- factors.lua.

local catalogue = require "tandem.catalogue"
local rates = require "tandem.llm.rates"

local levels = {}

local NODE <const> = 8 -- GPUs that see each other where the catalogue does not say

--- Of a GPU of the catalogue; "" for others.
---@param gpu string
---@return string
function levels.architecture(gpu)
  local found = catalogue.gpu(gpu)
  return found and found.architecture or ""
end

--- Levels and names of constants.
---@param gpu string
---@param engine string
---@return { [1]: string, [2]: string }[]
function levels.of(gpu, engine)
  return { { "world", "world" }, { "architecture", levels.architecture(gpu) },
    { "gpu", gpu }, { "engine", engine }, { "cell", gpu .. " " .. engine } }
end

--- What a GPU's pace is the sum of: level and name. A machine is known by its architecture and by
--- how many GPUs see each other in it.
---@param gpu string
---@return { [1]: "family"|"gpu", [2]: string }[]
function levels.paces(gpu)
  local found = catalogue.gpu(gpu)
  local machine = found and ("%s %d"):format(found.architecture, found.node or NODE) or ""
  return { { "family", "machine " .. machine }, { "gpu", "pace " .. gpu } }
end

--- The factors of a deployment: level and name, the model's first, the widest of them first; that
--- of the engine's version where it is known.
---@param row { gpu: string, engine: string, model: string, precision: string|nil,
--- version: string|nil }
---@return { [1]: string, [2]: string }[]
function levels.factors(row)
  local name = "model " .. row.model
  local with = name .. " " .. row.engine
  local served = ("%s %s %s"):format(with, row.precision or "bf16", row.gpu)
  local list = { { "model", name }, { "engine", with }, { "served", served } }
  local version = row.version and rates.version(row.engine, row.version)
  if version then list[4] = { "version", ("version %s %s"):format(row.engine, version) } end
  return list
end

return levels
