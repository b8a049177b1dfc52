--- `tandem show`: everything that is known about one run.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
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
    forms.json("Print JSON (schema tandem.show/1) instead."),
  },
  examples = { "tandem show last", "tandem show 6f64 --json | jq .result.categories" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  return storing.with(args, console, { readonly = true, interruptible = true }, function(store)
    local run, message, code = store:run(args.run)
    if not run then return nil, message, code end
    local run_page = require "tandem.store.run_page"
    if args.json then
      console.write_out(run_page.json(run))
    else
      console:print(run_page.lines(run, console.style))
    end
    return codes.OK
  end)
end

return command
