--- The measured run and the map of a command line, for the commands that take a run as requests and
--- stages.
--
-- Owns the option, the way from a map file to a map, and that a capture's file may stand for a run.
-- Used by map, overlay, score, fit and replay.
local codes = require "tandem.cli.codes"

local mapped = {}

---@type tandem.Option
mapped.option = { "--map", value = "MAP.lua", reads = "file",
  help = "Which spans of a measured run are requests and stages (tandem help map)." }

--- The map that --map names; true without a map when there is no --map. Problems of its file are
--- told; then the exit code comes back.
---@param args table  map, trusted
---@param console tandem.Console
---@return true|nil ok
---@return tandem.Map|integer|nil  the map, or an exit code
function mapped.load(args, console)
  if not args.map then return true end
  local map, problems, code = require("tandem.map").load(args.map, { trusted = args.trusted })
  if map then return true, map end
  if type(problems) == "string" then return nil, console:fail(code or codes.IO, problems) end
  return nil, console:problems(problems)
end

--- As load, and says what is missing where a measured run has no map.
---@param args table
---@param run tandem.Run
---@param console tandem.Console
---@return true|nil ok
---@return tandem.Map|integer|nil
function mapped.of(args, run, console)
  if not args.map and run.kind ~= "simulated" then
    return nil, console:usage(("run %s is measured: which of its spans are requests? --map "
      .. "MAP.lua; `tandem map %s --out map.lua` proposes one"):format(run.id, run.id))
  end
  return mapped.load(args, console)
end

--- Calls `work` with the run that a word names: one of the store, or a file's, which is read into a
--- store that goes again. `work` returns the exit code, or nil, message, code.
---@param args table  store
---@param word string
---@param console tandem.Console
---@param work fun(run: tandem.Run): integer|nil, string|nil, integer|nil
---@return integer code
function mapped.with_run(args, word, console, work)
  local runs <close> = require("tandem.categories.profile").runs(function()
    return require("tandem.store").open(args.store, { readonly = true, interruptible = true })
  end)
  local file = io.open(word, "rb")
  local readable = file ~= nil and file:read(0) ~= nil
  if file then file:close() end
  local run, message, code = runs:find { source = word, file = readable }
  local done
  if run then done, message, code = work(run) end
  if done then return done end
  if code == codes.USAGE then return console:usage(tostring(message)) end
  return console:fail(code or codes.IO, tostring(message))
end

return mapped
