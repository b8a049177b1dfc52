--- `tandem replay`: a scenario under the load of a measured run.
local codes = require "tandem.cli.codes"
local load = require "tandem.cli.load"
local mapped = require "tandem.cli.mapped"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "simulate a scenario under the load of a run",
  about = "The scenario sees the requests of the run: when they arrived, and how large they were "
    .. "(tandem help replay). The simulation is kept in the same store; tandem score and tandem "
    .. "overlay hold the two against one another. With --arrivals fitted its load is drawn from "
    .. "distributions fitted to the run's instead of being the very same.",
  arguments = { storing.run },
  options = {
    { "--scenario", value = "FILE", help = "A scenario file, or a shipped name (demo)." },
    mapped.option,
    { "--arrivals", value = "WHICH", choices = { "rows", "fitted" }, help = "The very requests "
      .. "(rows, the default), or others that are alike (fitted)." },
    { "--seed", value = "N", kind = "integer", least = 0,
      help = "The seed of all random numbers." },
    { "--trusted", help = "Run the map and the scenario with all of Lua." },
    storing.option,
  },
  examples = { "tandem replay last --map map.lua --scenario server.lua",
    "tandem replay 6f64 --map map.lua --scenario demo --arrivals fitted" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  if not args.scenario then
    return console:usage "which scenario? --scenario FILE; `tandem fit` makes one of a run"
  end
  local scenario, failed = load.scenario({ file = args.scenario, trusted = args.trusted }, console)
  if not scenario then return failed --[[@as integer]] end
  return storing.with(args, console, { interruptible = true }, function(store)
    local run, message, code = store:run(args.run)
    if not run then return nil, message, code end
    local ok, map = mapped.of(args, run, console)
    if not ok then return map --[[@as integer]] end
    local kept
    kept, message, code = run:replay(scenario, { map = map, arrivals = args.arrivals,
      seed = args.seed })
    if not kept then return nil, message, code end
    console:print(("%s under the load of %s: kept as %s"):format(scenario.name, run.name, kept.id))
    console:note(("compare with: tandem score %s %s%s"):format(run.id, kept.id,
      args.map and " --map " .. args.map or ""))
    return codes.OK
  end)
end

return command
