--- `tandem fit`: the parameters of a scenario from a measured run, or a scenario made of one.
--
-- Owns the arguments and which forms the answer has. Fitting is lua/tandem/fit's, the text of a
-- scenario scenario/source.lua's.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local load = require "tandem.cli.load"
local mapped = require "tandem.cli.mapped"
local storing = require "tandem.cli.storing"
local variants = require "tandem.cli.variants"

---@type tandem.Command
local command = {
  summary = "fit a scenario to a measured run, or make one of it",
  about = "Estimates what the stages of a run cost: fixed parts, times per byte, token or piece, "
    .. "bandwidths and latencies, efficiency of the roofline, noise, capacities, arrivals; each "
    .. "with its 95 % interval and its source. With --scenario the parameters of its stages, "
    .. "matched by name, are fitted and the rest is kept; without, a scenario is made. A part of "
    .. "the requests is held out, and the means of their stages and totals are predicted: the "
    .. "error is never on what was fitted. What the run cannot tell is said, not guessed. A "
    .. "simulated run needs no map; for a measured one tandem map proposes one. What a benchmark "
    .. "client, the log of an engine or a profiler of operators measured of an LLM server gives "
    .. "the step model of td.generate (tandem help llm-fit).",
  arguments = { { name = "real", value = "RUN|FILE", reads = "name",
    help = "The beginning of a run's id, its name, or last; a trace file, not kept; or a file or "
      .. "a folder of measurements of an LLM server." } },
  options = {
    mapped.option,
    { "--scenario", value = "FILE", reads = "name", help = "A scenario file, or a shipped name "
      .. "(demo), whose parameters are fitted." },
    { "--split", value = "HOW", choices = { "alternate", "half" }, help = "Hold out requests "
      .. "spread evenly among the others (alternate, the default) or the last ones (half)." },
    { "--hold", value = "SHARE", kind = "number", help = "The share that is held out: 0.5 unless "
      .. "told; 0 for none." },
    { "--least", value = "N", kind = "integer", least = 2, help = "Visits that a stage must have "
      .. "to be fitted (default: 10)." },
    { "--out", value = "OUT.lua", help = "Write the fitted scenario there, each number with its "
      .. "source; - is standard output. With the ending .html: the page." },
    { "--variant", value = "TEXT", collect = true, help = "What if: a name and what it changes, "
      .. "or stages and how many times as long they take: --variant \"a link of 64 GB/s: "
      .. "target.h2d=64GB/s\" --variant \"faster kernels: compute*0.6\". May be repeated." },
    { "--metric", value = "NAME", help = "What variants are judged by (default: latency.mean)." },
    { "--draws", value = "N", kind = "integer", least = 4, help = "How often the parameters are "
      .. "drawn from what the fit leaves open, for the intervals of variants (default: 24)." },
    { "--html", help = "Print a self-contained page: predictions against what was held out, real "
      .. "over simulated, parameters, the scenario." },
    forms.json("Print JSON (schema tandem.fit/1)."),
    { "--trusted", help = "Run the map and the scenario with all of Lua." },
    { "--engine", value = "KEY=VALUE", collect = true, help = "LLM servers: how the measured "
      .. "engine was set, as td.generate's engine: --engine max_seqs=128,kv_blocks=2587." },
    { "--model", value = "NAME", reads = "name", help = "LLM servers: the model that was "
      .. "measured, or its config.json, where the file does not say." },
    { "--gpu", value = "NAME", help = "LLM servers: the GPU, likewise." },
    { "--tp", value = "N", kind = "integer", least = 1, help = "LLM servers: GPUs that shared the "
      .. "model, likewise." },
    { "--as", value = "KIND", choices = { "affine", "table" }, help = "LLM servers: what measured "
      .. "operators become in --out: td.step_table (the default) or td.affine." },
    { "--seed", value = "N", kind = "integer", least = 0, help = "LLM servers: which half is held "
      .. "out (default: 1)." },
    storing.option,
  },
  examples = { "tandem fit last --map map.lua --out fitted.lua",
    "tandem fit 6f64 --map map.lua --scenario server.lua --split half",
    "tandem fit last --map map.lua --variant \"two GPUs: gpus=2\"",
    "tandem fit 6f64 --map map.lua --out fit.html",
    "tandem fit bench.json --engine max_seqs=128 --out server.lua" },
}

local function write_scenario(fit, args, console)
  local text, message = fit:source()
  if not text then
    return console:fail(codes.INVALID, ("the scenario cannot be written: %s"):format(message))
  end
  return storing.page(args, console, text, "-")
end

-- What if, below the report; `failed` is an exit code.
local function give_variants(fit, list, args, console)
  local answer, message, code = fit:whatif(list, { metric = args.metric, draws = args.draws })
  if not answer then return console:fail(code or codes.INVALID, tostring(message)) end
  console:print("\n" .. answer:report(console.style))
end

local function give(fit, args, console)
  local list, wrong = variants.read(args.variant or {}, true)
  if not list then return console:usage(wrong) end
  local to_page = args.out and args.out:find "%.html$"
  if #list > 0 and (args.json or args.html or to_page or args.out == "-") then
    return console:usage "--variant prints below the report: without --json, --html and --out -"
  end
  if args.json and args.out == "-" then
    return console:usage "give --json or --out -, not both: one goes to standard output"
  end
  if args.html or to_page then
    return storing.page({ out = to_page and args.out or nil }, console, fit:to_html(), "-")
  end
  if args.json then
    console.write_out(fit:to_json())
  elseif args.out ~= "-" then
    console:print(fit:report(console.style))
  end
  if #list > 0 then
    local failed = give_variants(fit, list, args, console)
    if failed then return failed end
  end
  if not args.out then return codes.OK end
  return write_scenario(fit, args, console)
end

-- The options of td.fit; a code when a file of theirs is no good.
local function options_of(args, run, console)
  local options = { real = run, split = args.split, hold = args.hold, least = args.least }
  local ok, map = mapped.of(args, run, console)
  if not ok then return nil, map end
  options.map = map
  if args.scenario then
    local scenario, code = load.scenario({ file = args.scenario, trusted = args.trusted }, console)
    if not scenario then return nil, code end
    options.scenario = scenario
  end
  return options
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  if args.html and (args.json or args.out and not args.out:find "%.html$") then
    return console:usage(("give --html or %s, not both"):format(args.json and "--json"
      or "--out " .. args.out))
  end
  local ending = (args.out or ""):match "%.(%l+)$"
  if ending == "json" or ending == "csv" or ending == "svg" then
    return console:usage(("--out writes a scenario (.lua) or the page (.html), not .%s%s"):format(
      ending, ending == "json" and "; --json prints the figures" or ""))
  end
  if args.hold and not (args.hold >= 0 and args.hold < 1) then
    return console:usage "--hold wants a share of the requests, from 0 to below 1"
  end
  local done = require("tandem.cli.fit_llm").run(args, console)
  if done then return done end
  return mapped.with_run(args, args.real, console, function(run)
    local options, failed = options_of(args, run, console)
    if not options then return failed end
    local fit, message, code = require("tandem.fit").run(options)
    if not fit then return nil, message, code end
    return give(fit, args, console)
  end)
end

return command
