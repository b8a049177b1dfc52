--- `tandem view`: the timeline of a run, or of two, as a page that opens from disk.
local codes = require "tandem.cli.codes"
local mapped = require "tandem.cli.mapped"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "the timeline of a run as an interactive page",
  about = "Writes one HTML file with everything that the run holds: lanes and tracks, requests, "
    .. "arrows, counters. It opens from disk, without a network. With a second run, simulated and "
    .. "measured stand on one clock (tandem help lanes).",
  arguments = { storing.run, { name = "other", value = "RUN", count = "?",
    help = "A second run, to compare with." } },
  options = {
    { "-o --out", value = "FILE", help = "Where to; - is standard output. Default: the run's id "
      .. "with -timeline.html." },
    { "--from", value = "TIME", help = "Leave out what ends before: 1.5s from the run's start." },
    { "--to", value = "TIME", help = "Leave out what begins after." },
    { "--align", value = "HOW", help = "Which times of two runs are the same: first, "
      .. "event:PATTERN, arrivals, activity, none; as for tandem overlay." },
    { "--map", value = "MAP.lua", reads = "file", help = "Lanes for the requests and stages of a "
      .. "map (tandem help map), above the others." },
    { "--trusted", help = "Run the map file with all of Lua." },
    { "--offset", value = "TIME", help = "Moves the second run by so much, instead of aligning." },
    storing.option,
  },
  examples = { "tandem view last", "tandem view 69ef -o timeline.html",
    "tandem view 69ef last --align activity", "tandem view 69ef --map map.lua" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  return storing.with(args, console, { readonly = true, interruptible = true }, function(store)
    local run, message, code = store:run(args.run)
    if not run then return nil, message, code end
    local other
    if args.other then
      other, message, code = store:run(args.other)
      if not other then return nil, message, code end
    end
    local lost_spans = require("tandem.store.run").lost_spans
    local lost = lost_spans(run) or other and lost_spans(other)
    if lost then return nil, lost, codes.INVALID end
    local ok, map = mapped.load(args, console)
    if not ok then return map --[[@as integer]] end
    local bounds, wrong = storing.bounds(run, args)
    if not bounds then return nil, wrong, codes.USAGE end
    local made
    made, message, code = require("tandem.timeline").of(run, other, { from_ns = bounds.from,
      to_ns = bounds.to, align = args.align, offset = args.offset, map = map })
    if not made then return nil, message, code end
    return storing.page(args, console, require("tandem.page.timeline").of(made),
      run.id .. "-timeline.html")
  end)
end

return command
