--- `tandem note`: a sentence beside a run.
local codes = require "tandem.cli.codes"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "write a note beside a run",
  about = "Sets the note of a run, which tandem runs and tandem show print; an empty one takes it "
    .. "away. Without a text, prints it.",
  arguments = {
    storing.run,
    { name = "text", value = "TEXT", count = "*", help = "The note." },
  },
  options = { storing.option },
  examples = { "tandem note last \"after the driver update\"", "tandem note last \"\"" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  return storing.with(args, console, { readonly = #args.text == 0 }, function(store)
    if #args.text > 0 then
      local done, message, code = store:note(args.run, table.concat(args.text, " "))
      if not done then return nil, message, code end
      return codes.OK
    end
    local run, message, code = store:run(args.run)
    if not run then return nil, message, code end
    if run.note ~= "" then console:print(console.style:text(run.note)) end
    return codes.OK
  end)
end

return command
