--- `tandem gc`: gives unused bytes of a store back.
local codes = require "tandem.cli.codes"
local format = require "tandem.text.format"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "give back the bytes that removed runs took",
  about = "Writes the store anew without what nothing needs: the pages of removed runs, rows whose "
    .. "run is gone, the write-ahead log; runs that were stopped when asked.",
  options = {
    storing.option,
    { "--interrupted", help = "Also remove runs that were stopped before they were complete." },
  },
  examples = { "tandem gc", "tandem gc --interrupted" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  return storing.with(args, console, {}, function(store)
    local tidied, message, code = store:gc { interrupted = args.interrupted }
    if not tidied then return nil, message, code end
    if tidied.runs > 0 then
      console:note(("removed %s"):format(format.plural(tidied.runs, "interrupted run")))
    end
    if tidied.orphans > 0 then
      console:note(("removed %s without a run"):format(format.plural(tidied.orphans, "row")))
    end
    console:note(("%s freed; %s has %s"):format(
      format.bytes(math.max(0, tidied.before - tidied.after)), store.path,
      format.bytes(tidied.after)))
    return codes.OK
  end)
end

return command
