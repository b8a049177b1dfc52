--- `tandem overlay`: a measured run over a simulated one, lane by lane.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.analysis"
local mapped = require "tandem.cli.mapped"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "lay a real run over a simulated one: what is busy when, where they differ",
  about = "Puts two runs on one clock and compares them lane by lane: when both are busy, when one "
    .. "of them is, when neither; the longest differences and what ran then. REAL and SIM may be "
    .. "any two runs: two measured ones as well. tandem help lanes says how lanes and clocks are "
    .. "found.",
  arguments = {
    { name = "real", value = "REAL", help = "The beginning of its id, its name, or last." },
    { name = "sim", value = "SIM", help = "What is laid under it, named likewise." },
  },
  options = {
    { "--view", value = "VIEW", choices = { "stacked", "overlay", "difference" },
      help = "stacked (real above simulated, the default), overlay (one over the other), "
        .. "difference (where one is busy and the other not)." },
    { "--by", value = "WHAT", choices = { "lane", "stage", "device", "stream" },
      help = "What a lane is: lane (QUEUE, CPU, H2D, GPU, D2H, COMM of the whole run, the "
        .. "default), device (the same a GPU each), stream (a stream, thread or station each), "
        .. "stage (of simulated runs, and with --map)." },
    { "--map", value = "FILE", reads = "file", help = "Which spans of a measured run are requests "
      .. "and stages: the "
      .. "lanes are stages then, unless --by says otherwise (tandem help map)." },
    { "--align", value = "HOW", help = "Which times are the same: first (work on a common lane), "
      .. "event:PATTERN (a span's name; * and ? or /regular expression/), arrivals (of requests), "
      .. "activity (where lanes are most alike), none. Default: arrivals where both runs have "
      .. "them, else first." },
    { "--drift", value = "WHEN", choices = { "auto", "on", "off" }, help = "Whether clocks may run "
      .. "at different speeds: auto (where it is larger than its error, the default), on, off." },
    { "--offset", value = "TIME", help = "Moves the simulated run by so much, instead of "
      .. "aligning: 5ms; --offset=-2s." },
    { "--range", value = "FROM..TO", help = "The time that is shown, from the real run's first "
      .. "record: 100ms..250ms; .. is all that either has. Default: from the real run's first to "
      .. "its last work." },
    { "--bins", value = "N", kind = "integer", least = 1, help = "Bins of the table over_time "
      .. "(default: 60)." },
    { "--svg", help = "Print a picture." },
    { "--chrome", value = "FILE", help = "Both runs as Chrome trace JSON: two groups of processes "
      .. "on one clock, for ui.perfetto.dev." },
    { "--perfetto", value = "FILE", help = "The same as a Perfetto trace." },
    { "--timeline", value = "FILE", help = "Lanes as data for a timeline (schema "
      .. "tandem.overlay/1); - is standard output." },
  },
  examples = { "tandem overlay 69ef last", "tandem overlay 69ef last --by device --view difference",
    "tandem overlay 69ef last --align activity --range 100ms..250ms --out overlay.svg",
    "tandem overlay 69ef last --chrome both.json" },
}
table.move(forms.options, 1, #forms.options, #command.options + 1, command.options)
command.options[#command.options + 1] = storing.option

local OWN <const> = { "view", "by", "align", "drift", "offset", "range", "bins" }

local function form_of(args)
  if not args.svg then return forms.form_of(args) end
  return require("tandem.cli.forms").chosen(args, { "svg", "csv", "json", "html" })
end

-- Writes the files that were asked for besides the answer. Whether there were any.
local function write_files(made, args, console)
  local any = false
  for _, kind in ipairs { "chrome", "perfetto" } do
    if args[kind] then
      local done, message, code = made:save_trace(args[kind], kind)
      if not done then return nil, message, code end
      console:note(("wrote %s"):format(args[kind]))
      any = true
    end
  end
  if args.timeline then
    local text = require("tandem.overlay.timeline").json(made)
    local code, message, failure = storing.page({ out = args.timeline }, console, text)
    if not code then return nil, message, failure end
    any = true
  end
  return true, any
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local form, wrong = form_of(args)
  if not form then return console:usage(wrong) end
  return storing.with(args, console, { readonly = true, interruptible = true }, function(store)
    local real, message, code = store:run(args.real)
    if not real then return nil, message, code end
    local sim
    sim, message, code = store:run(args.sim)
    if not sim then return nil, message, code end
    local given = {}
    for _, name in ipairs(OWN) do given[name] = args[name] end
    local ok, map = mapped.load(args, console)
    if not ok then return map --[[@as integer]] end
    given.map = map
    if args.limit and args.limit > 0 then given.most = args.limit end
    local made
    made, message, code = require("tandem.overlay").of(real, sim, given)
    if not made then return nil, message, code end
    local done, any = write_files(made, args, console)
    if not done then return nil, any, codes.IO end
    if any and form == "text" then return codes.OK end
    if form == "csv" and not args.table then args.table = "lanes" end
    return forms.give(made, form, args, console)
  end)
end

return command
