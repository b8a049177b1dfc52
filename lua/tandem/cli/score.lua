--- `tandem score`: how far a simulation is off what was measured; gates for CI.
local forms = require "tandem.cli.analysis"
local codes = require "tandem.cli.codes"
local load = require "tandem.cli.load"
local locate = require "tandem.scenario.locate"
local gating = require "tandem.cli.gating"
local mapped = require "tandem.cli.mapped"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "how far a simulation is off a measurement; gates for CI",
  about = "Holds a simulated run against a measured one: the own time of each stage, the total "
    .. "time of requests, throughput, how busy lanes were; distributions, waiting, errors request "
    .. "by request where both had the same requests (tandem help replay). Every difference has an "
    .. "interval that allows for values that depend on their neighbours, and a verdict: within "
    .. "the tolerance, off, or cannot tell. A measured run needs a map (tandem map proposes one). "
    .. "A run of a server's scrapes (tandem help prometheus) is compared with a scenario, or with "
    .. "what tandem run --metrics wrote, bin by bin.",
  arguments = {
    { name = "real", value = "REAL", reads = "name",
      help = "The beginning of a run's id, its name, or last; or the file of a load generator's "
        .. "sums." },
    { name = "simulated", value = "SIM", reads = "name",
      help = "What is held against it, named likewise; against scrapes and sums, a scenario's file "
        .. "or a shipped name." },
  },
  options = {
    mapped.option,
    { "--align", value = "HOW", help = "How the clocks are put together: arrivals, first, "
      .. "event:PATTERN, activity, none (default: auto)." },
    { "--within", value = "SHARE", help = "The tolerance of the verdict (default: 5%)." },
    { "--confidence", value = "SHARE", help = "Of intervals (default: 95%)." },
    { "--gate", value = "CONDITION", collect = true, help = "Exit with 1 unless it holds: "
      .. "STAGE.mean<5%, total.p99<10% (mean, p50, p95, p99, wait, ks, wasserstein), "
      .. "gpu.utilization<3% (in_service, queue), throughput<5%, requests.mean<10% (median, p95, "
      .. "bias). On the size of the difference; with a sign (<+5%, >-5ms) on the difference. "
      .. "Times without a unit are seconds. May be repeated." },
    { "--strict", help = "Gates that the intervals allow no verdict on fail too." },
    { "--bins", value = "N", kind = "integer", least = 1,
      help = "Of the table over time, --table over_time --csv (default: 64)." },
    { "--worst", value = "N", kind = "integer", least = 1,
      help = "Rows of the table of the worst requests (default: 10)." },
    { "--replications", value = "N", kind = "integer", least = 1, help = "Simulations of a "
      .. "scenario that is held against scrapes (default: 19)." },
  },
  examples = { "tandem score 6f64 last --map map.lua",
    "tandem score 6f64 last --map map.lua --gate 'h2d.mean<5%' --gate 'total.p99<10%'",
    "tandem score 6f64 last --map map.lua --out score.html",
    "tandem score scrapes twin.lua --gate 'ttft.mean<10%' --gate 'e2e.ks<0.05'",
    "tandem score profile_export_aiperf.json server.lua --gate 'ttft.p99<20%'" },
}
table.move(forms.options, 1, #forms.options, #command.options + 1, command.options)
command.options[#command.options + 1] = storing.option

local OPTIONS <const> = { "align", "bins", "confidence", "gate", "replications", "within",
  "worst" }

-- What is held against the recording: a scenario, told by its file's ending, else a run, else a
-- shipped scenario of that name.
local function simulated_of(word, store, console)
  if not (word:find "%.lua$" or word:find "%.json$") then
    local run, message, code = store:run(word)
    if run or not locate.is_shipped(word) then return run, message, code end
  end
  local scenario, code = load.scenario({ file = word }, console)
  return scenario, nil, code
end

-- Is it a file or a folder of what a load generator measured? A run may have the name of a folder
-- of scrapes.
local function is_measured(path)
  local measured, message = require("tandem.llm.read").file(path)
  return measured ~= nil or message ~= nil
end

local function options_of(args, map)
  local options = { map = map }
  for _, name in ipairs(OPTIONS) do options[name] = args[name] end
  return options
end

-- Prints a score; the exit code, or nil, a message and a code.
local function give(made, form, args, console)
  local done, message, code = forms.give(made, form, args, console)
  if not done then return nil, message, code end
  local verdict = gating.verdicts(made, args, console)
  return verdict ~= codes.OK and verdict or done
end

local function of_points(form, args, console)
  local scenario, code = load.scenario({ file = args.simulated }, console)
  if not scenario then return code --[[@as integer]] end
  local made, message, wrong = require("tandem.score").of(args.real, scenario,
    options_of(args))
  if not made then return console:fail(wrong, message) end
  local done, told, failed = give(made, form, args, console)
  return done or console:fail(failed, told)
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local form, wrong = forms.form_of(args)
  if not form then return console:usage(wrong) end
  if is_measured(args.real) then return of_points(form, args, console) end
  return storing.with(args, console, { readonly = true, interruptible = true }, function(store)
    local ok, map = mapped.load(args, console)
    if not ok then return map --[[@as integer]] end
    local real, message, code = store:run(args.real)
    if not real then return nil, message, code end
    local simulated
    simulated, message, code = simulated_of(args.simulated, store, console)
    if not simulated and not message then return code --[[@as integer]] end -- it was told
    if not simulated then return nil, message, code end
    if not simulated.visits and not require("tandem.score.scrapes").are(real) then
      return nil, ("run %s is not of a server's scrapes: run the scenario, and name that run")
        :format(real.id), codes.USAGE
    end
    local made
    made, message, code = require("tandem.score").of(real, simulated, options_of(args, map))
    if not made then return nil, message, code end
    return give(made, form, args, console)
  end)
end

return command
