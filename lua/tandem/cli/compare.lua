--- `tandem compare`: two stored runs side by side.
local codes = require "tandem.cli.codes"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "put two runs side by side: figures, spans by category and name",
  about = "Compares run B with run A: the figures of simulations with their change, the spans of "
    .. "both by category and by name, the largest change of time first. Names that only one of "
    .. "them has are added or removed.",
  arguments = {
    { name = "a", value = "A", help = "The beginning of its id, or last." },
    { name = "b", value = "B", help = "The other run." },
  },
  options = {
    storing.option,
    { "--limit", value = "N", kind = "integer", least = 1,
      help = "Names to print; 20 unless told." },
    { "--csv", help = "Print CSV instead; times are nanoseconds." },
    { "--json", help = "Print JSON (schema tandem.compare/1) instead." },
  },
  examples = { "tandem compare 6f64 last", "tandem compare 6f64 a09b --limit 50" },
}

---@param args table
---@param place tandem.Console
---@return integer code
function command.run(args, place)
  if args.csv and args.json then return place:usage "--csv and --json: one of them" end
  return storing.with(args, place, { readonly = true, interruptible = true }, function(store)
    local compared, message, code = store:compare(args.a, args.b)
    if not compared then return nil, message, code end
    if args.csv then
      place.write_out(compared:to_csv())
    elseif args.json then
      place.write_out(compared:to_json())
    else
      place:print(compared:lines(place.style, args.limit or 20))
    end
    return codes.OK
  end)
end

return command
