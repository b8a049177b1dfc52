--- `tandem whatif`: variants of a scenario against it, or what matters most.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local load = require "tandem.cli.load"
local shortage = require "tandem.text.shortage"
local variants = require "tandem.cli.variants"

---@type tandem.Command
local whatif = {
  summary = "compare variants of a scenario, or find what matters most",
  about = "Simulates variants of a scenario beside it, on the same random numbers, and prints what "
    .. "each changes, with intervals of the differences. Variants come from --variant or from the "
    .. "scenario's whatif block. Without any, or with --tornado, every input is turned down and up "
    .. "by 10 % instead: what matters most comes first.",
  arguments = {
    { name = "file", value = "FILE", reads = "name",
      help = "A scenario file, a shipped name (demo), or -." },
  },
  options = {
    variants.option,
    { "--tornado", help = "Turn every input down and up instead." },
    { "--by", value = "SHARE", help = "How far inputs are turned (default: 10%)." },
    { "--inputs", value = "A,B,…", help = "Which inputs, by their paths: rps,pipeline.h2d.bytes." },
    { "--metric", value = "NAME",
      help = "What is judged (default: latency.p99); latency.mean, throughput_rps, …" },
    { "--replications", value = "N", kind = "integer", least = 2, most = load.MOST_REPLICATIONS,
      help = "Independent repetitions of each variant; more narrow the intervals." },
    { "--seed", value = "N", kind = "integer", least = 0,
      help = "The seed of all random numbers." },
    { "--threads", value = "N", kind = "integer", least = 1,
      help = "Threads to use; the results do not depend on it." },
    { "--no-doubt", help = "Leave out how far what the step models of LLM servers leave open moves "
      .. "each change, and two more runs of all for it." },
    { "--plot", value = "OUT.svg",
      help = "Draw cost against the metric, or the tornado, as an SVG file; - with --json: into "
        .. "its envelope." },
    forms.json("Print JSON (schema tandem.whatif/1 or tandem.tornado/1)."),
    { "--no-progress", help = "No progress line, not even in a terminal." },
  },
  examples = {
    "tandem whatif demo --variant \"two GPUs: gpus=2\" --variant \"H100: gpu=H100\"",
    "tandem whatif demo --tornado --by 20%",
    "tandem whatif my.lua --metric throughput_rps --plot front.svg",
  },
}
for _, list in ipairs { load.prices, load.options } do
  table.move(list, 1, #list, #whatif.options + 1, whatif.options)
end

local function words(text)
  if not text then return nil end
  local out = {}
  for word in text:gmatch "[^,%s]+" do out[#out + 1] = word end
  return out
end

-- What to run, as a function of nothing; nil and a message when the command line is wrong.
local function plan(args, base, options)
  local given, wrong = variants.read(args.variant or {})
  if not given then return nil, wrong end
  if #given == 0 and not args.tornado then given = base.checked.whatif or {} end
  if args.tornado or next(given) == nil then
    options.by, options.inputs = args.by, words(args.inputs)
    return function() return require("tandem.whatif.tornado").run(base, options) end
  end
  if args.by or args.inputs then
    return nil, "--by and --inputs belong to --tornado"
  end
  options.doubt = not args.no_doubt
  return function() return require("tandem.whatif").run(base, given, options) end
end

---@param args table
---@param console tandem.Console
---@return integer code
function whatif.run(args, console)
  local base, code = load.scenario(args, console)
  if not base then return code --[[@as integer]] end
  if args.plot == "-" and not args.json then return console:usage "--plot - goes with --json" end
  local options = { metric = args.metric, replications = args.replications, seed = args.seed,
    threads = args.threads }
  local run, wrong = plan(args, base, options)
  if not run then return console:usage(wrong) end
  local finish = function() end
  if not args.no_progress then options.progress, finish = console:progress(base.name) end
  local ok, answer = pcall(run)
  finish()
  if not ok then
    if shortage.is(answer) then error("not enough memory", 0) end
    return console:fail(codes.INVALID, tostring(answer))
  end
  if args.json then
    console.write_out(answer:to_json())
  else
    console:print(answer:report(console.style))
  end
  if args.plot == "-" then
    console.picture = answer:plot()
  elseif args.plot then
    local drawn, message = answer:plot(args.plot)
    if not drawn then return console:fail(codes.IO, message) end
    console:note("drawn to " .. args.plot)
  end
  if answer.interrupted then
    console:note("interrupted: the numbers above are of what was finished by then")
    return codes.INTERRUPTED
  end
  code = codes.OK
  for _, row in ipairs(answer.rows) do
    if row.ok == false then
      console:note(("%s failed: %s"):format(row.name, row.message))
      code = codes.INVALID
    end
  end
  return code
end

return whatif
