--- `tandem show`: everything that is known about one run.
local codes = require "tandem.cli.codes"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "show one run: files, spans by category, problems, figures",
  about = "Prints what a run is, the files it was read from with their clocks, its spans by "
    .. "category, its tracks, what readers had to drop or repair, what was recorded of the "
    .. "machine, and the figures of a simulation.",
  arguments = { storing.run },
  options = {
    storing.option,
    { "--json", help = "Print JSON (schema tandem.show/1) instead." },
  },
  examples = { "tandem show last", "tandem show 6f64 --json | jq .categories" },
}

---@param args table
---@param place tandem.Console
---@return integer code
function command.run(args, place)
  return storing.with(args, place, { readonly = true, interruptible = true }, function(store)
    local run, message, code = store:run(args.run)
    if not run then return nil, message, code end
    local card = require "tandem.store.card"
    if args.json then
      place.write_out(card.json(run))
    else
      place:print(card.lines(run, place.style))
    end
    return codes.OK
  end)
end

return command
