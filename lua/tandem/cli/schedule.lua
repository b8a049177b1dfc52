--- `tandem schedule`: how many GPUs each hour of a day needs, and what a rule of scaling costs.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local load = require "tandem.cli.load"
local searching = require "tandem.cli.searching"
local units = require "tandem.units"

---@type tandem.Command
local schedule = {
  summary = "how many GPUs each hour of a moving load needs",
  about = "Looks for the fewest GPUs in each step of a load that moves (a curve, a day) so that "
    .. "the scenario's objectives hold in every step: the series of counts, its mean and its peak. "
    .. "Beside it what a constant number takes, and what the scenario's own rule (autoscale of its "
    .. "td.gpu: target, delay, patience) holds, and whether it keeps the objectives. Series are "
    .. "simulated whole, so that a backlog of one step is the next one's. Leaves with 1 when even "
    .. "--max GPUs do not keep them.",
  arguments = {
    { name = "file", value = "FILE", reads = "name",
      help = "A scenario file, a shipped name, or -." },
  },
  options = {
    { "--step", value = "TIME", help = "How long a number of GPUs stays: 1h. Default: that of the "
      .. "scenario's within, else about a 24th of the load." },
    { "--max", value = "N", kind = "integer", least = 2,
      help = "The most GPUs (default: the scenario's count)." },
    { "--replications", value = "N", kind = "integer", least = 2, most = load.MOST_REPLICATIONS,
      help = "Repetitions of each simulation (default: the scenario's, 8 at least)." },
    { "--time-limit", value = "TIME",
      help = "After so long (20s, 5min) the best series so far is given, which says so: not the "
        .. "fewest for sure, nor held against other luck. Leaves with 0 when there is one, else "
        .. "with 1. Ctrl-C does the same, and leaves with 130." },
    { "--seed", value = "N", kind = "integer", least = 0,
      help = "The seed of all random numbers. The same seed gives the same bytes." },
    { "--threads", value = "N", kind = "integer", least = 1,
      help = "Threads to use; the results do not depend on it." },
    forms.json("Print JSON (schema tandem.schedule/1) instead of the report."),
    { "--csv", help = "Print the steps as CSV." },
    { "--no-progress", help = "No progress line, not even in a terminal." },
  },
  examples = {
    "tandem schedule scaled-day",
    "tandem schedule day.lua --step 1h --max 16 --time-limit 5min",
  },
}
for _, list in ipairs { load.prices, load.options } do
  table.move(list, 1, #list, #schedule.options + 1, schedule.options)
end

---@param args table
---@param console tandem.Console
---@return integer code
function schedule.run(args, console)
  local step = args.step and units.as(args.step, "s")
  if args.step and not (step and step > 0) then
    return console:usage(("--step wants a time such as 1h, not '%s'"):format(args.step))
  end
  if args.json and args.csv then return console:usage(forms.not_both("--csv", "--json")) end
  local limit = args.time_limit and units.as(args.time_limit, "s")
  if args.time_limit and not (limit and limit > 0) then
    return console:usage(("--time-limit wants a time such as 5min, not '%s'"):format(
      args.time_limit))
  end
  local scenario, located = load.scenario(args, console)
  if not scenario then return located --[[@as integer]] end
  load.tell_unused(scenario, args, console)
  local search = require "tandem.plan.schedule"
  local tell, finish = searching("schedule", console, args.no_progress)
  local ok, out = pcall(search.of, { scenario = scenario, step = step, max = args.max,
    replications = args.replications, seed = args.seed, threads = args.threads,
    time_limit = limit, tell = tell })
  finish()
  if not ok and type(out) == "table" and out.plan then
    return console:fail(codes.USAGE, out.plan)
  elseif not ok then
    error(out, 0)
  end
  if args.json then
    console.write_out(search.json(out))
  elseif args.csv then
    console.write_out(search.csv(out))
  else
    console:print(search.report(out, console.style))
  end
  if out.stopped == "interrupted" then
    console:note "interrupted: what is above is the best that was seen by then"
    return codes.INTERRUPTED
  end
  return out.found and codes.OK or codes.NO
end

return schedule
