--- `tandem explain`: what a scenario will do, in words and in analytic bounds, before running it.
local codes = require "tandem.cli.codes"
local load = require "tandem.cli.load"

---@type tandem.Command
local explain = {
  summary = "say what a scenario will do, with analytic bounds, before running it",
  about = "Describes the scenario in words: what arrives, what each request goes through, the load "
    .. "offered to each resource, which one saturates first, and the waiting that queueing theory "
    .. "expects where it has a formula. Nothing is simulated.",
  arguments = {
    { name = "file", value = "FILE", help = "A scenario file, a shipped name (demo), or -." },
  },
  options = {
    { "--json", help = "Print the numbers as JSON (schema tandem.explain/1)." },
    { "--ops", help = "Print what the engine is given: stations, steps, compiled costs (JSON)." },
  },
  examples = { "tandem explain demo", "tandem explain demo --set workload.rps=200" },
}
for _, option in ipairs(load.options) do
  explain.options[#explain.options + 1] = option
end

---@param args table
---@param place tandem.Console
---@return integer code
function explain.run(args, place)
  local scenario, located = load.scenario(args, place)
  if not scenario then
    return located --[[@as integer]]
  end
  local explained = require "tandem.explain"
  local model = scenario:model()
  if args.ops then
    local described, message = require("tandem.core").model_describe(model)
    if not described then
      return place:fail(codes.INVALID, message)
    end
    place:print(require("tandem.report.json").encode(described, { indent = 2 }))
  elseif args.json then
    place:print(require("tandem.report.json").encode(explained.numbers(model), {
      indent = 2, lists = explained.lists,
    }))
  else
    place:print(explained.text(model, { style = place.style, file = located.shown,
      settings = args.set, scenario = scenario }))
  end
  return codes.OK
end

return explain
