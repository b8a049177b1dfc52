--- The map of a command line, for the commands that take a measured run as requests and stages.
--
-- Owns the option and the way from a map file to a map. Used by overlay, score, fit and replay.
local codes = require "tandem.cli.codes"

local mapped = {}

---@type tandem.Option
mapped.option = { "--map", value = "MAP.lua",
  help = "Which spans of a measured run are requests and stages (tandem help map)." }

--- The map that --map names; true without a map when there is no --map. Problems of its file are
--- told; then the exit code comes back.
---@param args table  map, trusted
---@param place tandem.Console
---@return true|nil ok
---@return tandem.Map|integer|nil  the map, or an exit code
function mapped.load(args, place)
  if not args.map then return true end
  local map, problems, code = require("tandem.map").load(args.map, { trusted = args.trusted })
  if map then return true, map end
  if type(problems) == "string" then return nil, place:fail(code or codes.IO, problems) end
  place:problems(problems)
  return nil, codes.INVALID
end

--- As load, and says what is missing where a measured run has no map.
---@param args table
---@param run tandem.Run
---@param place tandem.Console
---@return true|nil ok
---@return tandem.Map|integer|nil
function mapped.of(args, run, place)
  if not args.map and run.kind ~= "simulated" then
    return nil, place:usage(("run %s is measured: which of its spans are requests? --map MAP.lua; "
      .. "`tandem map %s --out map.lua` proposes one"):format(run.id, run.id))
  end
  return mapped.load(args, place)
end

return mapped
