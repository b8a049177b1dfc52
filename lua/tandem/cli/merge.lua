--- `tandem merge`: joins the sweeps of several stores, as shards and machines leave them.
local codes = require "tandem.cli.codes"
local format = require "tandem.text.format"

---@type tandem.Command
local command = {
  summary = "join the sweeps of several stores into one",
  about = "Adds the answered points of the sweeps in the given stores to those in one store, by "
    .. "sweep and number. The same answer twice is one; two different answers for one point are "
    .. "an error, and nothing is written. The same tandem sweep command with --store then prints "
    .. "the whole table.",
  arguments = {
    { name = "stores", value = "FILE.db", count = "+", help = "The stores to join." },
  },
  options = {
    { "--into", value = "FILE.db", help = "The store that takes them; made when it is missing." },
  },
  examples = { "tandem merge --into all.db shard-0.db shard-1.db" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  if not args.into then
    return console:usage "--into FILE.db is missing: which store takes them?"
  end
  for _, path in ipairs(args.stores) do
    if path == args.into then
      return console:usage(("'%s' cannot be joined into itself"):format(path))
    end
  end
  local summary, message, code = require("tandem.sweep.ledger").merge(args.into, args.stores)
  if not summary then return console:fail(code or codes.IO, tostring(message)) end
  console:note(("%s of %s from %s; %s new in %s"):format(format.plural(summary.points, "point"),
    format.plural(summary.sweeps, "sweep"), format.plural(summary.stores, "store"),
    format.integer(summary.new_points), args.into))
  if summary.runs > 0 then
    console:note(format.plural(summary.runs, "run") .. " with traces stay where they are")
  end
  return codes.OK
end

return command
