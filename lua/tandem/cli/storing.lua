--- What the commands on stored runs share: --store, opening it, its complaints.
--
-- Owns the option, the way from a failure to an exit code, and where pages go. Used by runs, show,
-- diff, rm, tag, note, gc, sql, scrub, import, export, report, flame and the analyses.
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

--- Writes a page or a picture of a run: to --out, to standard output for "-", else to `otherwise`.
---@param args table
---@param place tandem.Console
---@param text string
---@param otherwise string
---@return integer|nil code
---@return string|nil message
---@return integer|nil failure
function storing.page(args, place, text, otherwise)
  local path = args.out or otherwise
  if path == "-" then
    place.write_out(text)
    return codes.OK
  end
  local done, message, code = require("tandem.outfile").write(path, text)
  if not done then return nil, message, code end
  place:note(("wrote %s"):format(path))
  return codes.OK
end

return storing
