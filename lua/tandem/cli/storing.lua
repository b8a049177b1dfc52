--- What the commands on stored runs share: --store, opening it, its complaints.
--
-- Owns the option and the way from a failure to an exit code. Used by runs, show, diff, rm, tag,
-- note, gc, sql, scrub, import, export.
local codes = require "tandem.cli.codes"
local store = require "tandem.store"

local storing = {}

---@type tandem.Option
storing.option = { "--store", value = "FILE.db",
  help = "The store; $TANDEM_STORE, or tandem.db here, unless told." }

---@type tandem.ArgumentSpec
storing.run = { name = "run", value = "RUN",
  help = "The beginning of its id, or last; tandem runs lists them." }

--- Calls `work` with the open store and closes it; what cannot be opened is told. `work` returns
--- the exit code, or nil, message, code.
---@param args table
---@param place tandem.Console
---@param options tandem.StoreOptions
---@param work fun(opened: tandem.Store): integer|nil, string|nil, integer|nil
---@return integer code
function storing.with(args, place, options, work)
  local opened <close>, message, code = store.open(args.store, options)
  if not opened then return place:fail(code or codes.IO, tostring(message)) end
  local done
  done, message, code = work(opened)
  if done then return done end
  if code == codes.USAGE then return place:usage(tostring(message)) end
  return place:fail(code or codes.IO, tostring(message))
end

return storing
