--- `tandem explain`: what a scenario will do, in words and in analytic bounds, before running it.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local load = require "tandem.cli.load"

---@type tandem.Command
local explain = {
  summary = "say what a scenario will do, with analytic bounds, before running it",
  about = "Describes the scenario in words: what arrives, what each request goes through, the load "
    .. "offered to each resource, which one saturates first, and the waiting that queueing theory "
    .. "expects of the network: exactly where it has a formula (M/M/c/K, say), else by two moments "
    .. "of each stream (marked ≈), or roughly (marked ~, with the reason). Nothing is simulated. "
    .. "`tandem help what-explain-knows` says how far estimates are off.",
  arguments = {
    { name = "file", value = "FILE", reads = "name",
      help = "A scenario file, a shipped name (demo), or -." },
  },
  options = {
    forms.json("Print the numbers as JSON (schema tandem.explain/1)."),
    { "--ops", help = "Print what the engine is given: stations, steps, compiled costs (JSON)." },
  },
  examples = { "tandem explain demo", "tandem explain demo --set workload.rps=200" },
}
for _, option in ipairs(load.options) do
  explain.options[#explain.options + 1] = option
end

---@param args table
---@param console tandem.Console
---@return integer code
function explain.run(args, console)
  local scenario, located = load.scenario(args, console)
  if not scenario then
    return located --[[@as integer]]
  end
  local explained = require "tandem.explain"
  local model = scenario:model()
  if args.ops then
    local described, message = require("tandem.core").model_describe(model)
    if not described then
      return console:fail(codes.INVALID, message)
    end
    console:print(require("tandem.io.json").encode(described, { indent = 2 }))
  elseif args.json then
    console:print(require("tandem.io.json").encode(explained.numbers(model), {
      indent = 2, lists = explained.lists,
    }))
  else
    console:print(explained.text(model, { style = console.style, file = located.shown,
      settings = args.set, trusted = args.trusted, scenario = scenario }))
  end
  return codes.OK
end

return explain
