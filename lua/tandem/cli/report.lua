--- `tandem report`: everything that is known of a run on one page.
local storing = require "tandem.cli.storing"

local options = {
  { "-o --out", value = "FILE.html", help = "Where to; - is standard output. Default: the run's id "
    .. "with -report.html." },
}
for _, option in ipairs(require("tandem.analysis.options").filter) do
  options[#options + 1] = { "--" .. option.name, value = option.value,
    kind = option.kind == "integer" and "integer" or nil, help = option.help }
end
options[#options + 1] = { "--no-progress", help = "No progress line, not even in a terminal." }
options[#options + 1] = storing.option

---@type tandem.Command
local command = {
  summary = "write a page about a run: what ran, where the time went, what to change",
  about = "Writes one self-contained HTML page: what ran where, how good the data is, where the "
    .. "time went, then every analysis that has an answer, with its chart and its first rows, and "
    .. "at the end what the run cannot tell and why. It needs no network and no other file.",
  arguments = { storing.run },
  options = options,
  examples = { "tandem report last", "tandem report 6f64 --out report.html",
    "tandem report last --range 1s..2s --device 0" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  return storing.with(args, console, { readonly = true, interruptible = true }, function(store)
    local run, message, code = store:run(args.run)
    if not run then return nil, message, code end
    local filter = {}
    for _, option in ipairs(require("tandem.analysis.options").filter) do
      filter[option.name] = args[option.name]
    end
    local text, tell, finish
    if not args.no_progress and console.error_style.terminal then
      tell, finish = console:progress "reporting"
    end
    text, message, code = require("tandem.page").report(run, filter, tell)
    if finish then finish() end
    if not text then return nil, message, code end
    return storing.page(args, console, text, run.id .. "-report.html")
  end)
end

return command
