--- `tandem plan`: fewest GPUs, highest load, cheapest configuration.
--
-- Owns the way from words of a command line to td.plan's options, and the exit code. The answer and
-- its forms are plan/'s.
local codes = require "tandem.cli.codes"
local columns = require "tandem.io.columns"
local forms = require "tandem.cli.forms"
local load = require "tandem.cli.load"
local range = require "tandem.sweep.range"
local searching = require "tandem.cli.searching"

---@type tandem.Command
local plan = {
  summary = "find how many GPUs, how much load or which configuration meets an objective",
  about = "Answers capacity questions by simulation: how many GPUs (and of which kind) a load "
    .. "needs (--find gpus, the default), how much load given GPUs can take (--find load), or "
    .. "which of several configurations is cheapest (--find best). What must hold are the "
    .. "scenario's own objectives (its slo) or those of --slo. Queueing theory says where to "
    .. "start; simulations with the same luck for every candidate decide, with more repetitions "
    .. "until each answer is sure at the confidence asked for. The answer names what limits it, "
    .. "the room left, the cost, and what a tenth more or less load or time would change. "
    .. "Latencies are of the requests that are served, so an answer may lose few of them (turned "
    .. "away, gave up, timed out, prompts that are too long): no more than the finest percentile "
    .. "leaves out, and never more than 1 %, unless an objective says what may be lost, as in "
    .. "--slo met=95% or --limit lost=5%. "
    .. "Where a replica takes several GPUs (tp, pp), they are counted in whole replicas. "
    .. "What the command line leaves open is taken from the scenario's plan block. "
    .. "Leaves with 1 when nothing meets the objectives.",
  arguments = {
    { name = "file", value = "FILE", reads = "name",
      help = "A scenario file, a shipped name (demo), or -." },
  },
  options = {
    { "--find", value = "WHAT", choices = { "gpus", "load", "best" },
      help = "gpus: the fewest for each load and kind. load: the highest load that --gpus carry. "
        .. "best: the cheapest of the combinations of --over." },
    { "--kinds", value = "A,B,...",
      help = "GPUs to compare, as in `tandem list gpus`. Default: the scenario's own." },
    { "--load", value = "RATES",
      help = "How much arrives, on average over time: 100rps, a list 50rps,100rps, or "
        .. "FROM:TO:STEPS as in 10rps:400rps:8. Default: the scenario's own." },
    { "--users", value = "FACTORS", help = "In place of --load: 2x the users of now, or a list "
      .. "2x,4x. Users who have a prefix of their own need more of the cache." },
    { "--busier", value = "FACTORS", help = "In place of --load: the users of now, who come 2x as "
      .. "often and find their prefix again sooner." },
    { "--slo", value = "METRIC=LIMIT", many = true,
      help = "What must hold, with its unit: p99=250ms, mean=80ms, max=2s, goodput=90rps, or of "
        .. "one class, chat.p99=1s. Any percentile. May be repeated; replaces the scenario's." },
    { "--within", value = "WINDOWS",
      help = "The objectives of --slo hold in windows of time: 1h (in the worst one), 5min:99% (in "
        .. "so many of them)." },
    { "--limit", value = "PATH=MOST", many = true,
      help = "An upper limit on any figure of a result: \"resources.gpu.utilization=0.8\" for all "
        .. "GPUs, stages.work.wait.mean=5ms; lost=5% of the requests." },
    { "--gpus", value = "N", kind = "integer", least = 1, help = "With --find load: how many." },
    { "--over", value = "KEY=A,B,...", many = true,
      help = "With --find best: what may be chosen, a key of --set and its values: kind=H100,L40S "
        .. "gpus=1:8 batch=1,4,16 concurrency=1,2,4." },
    { "--minimize", value = "WHAT", choices = { "usd", "gpus", "watts" },
      help = "What the best kind or configuration has least of (default: usd an hour)." },
    { "--mix", help = "Also try two kinds together." },
    { "--max", value = "N", kind = "integer", least = 1,
      help = "The most GPUs to consider (default: 64)." },
    { "--survive", value = "N", kind = "integer", least = 0,
      help = "So many of them may be down, for as long as they like: 1 plans N+1. Failures of the "
        .. "scenario (mtbf) are left out then." },
    { "--count", value = "KEY",
      help = "Count something else than GPUs: resources.NAME.servers, cpu.workers, concurrency. "
        .. "Two of them, gpus,cpu.workers: the cheapest pair." },
    { "--budget", value = "WHAT=MOST", many = true,
      help = "At most so many gpus=8, usd=50 (an hour), watts=5kW, or simulations=200." },
    { "--time-limit", value = "TIME",
      help = "After so long (20s, 5min) the best answer so far is given, which says so: not the "
        .. "fewest for sure. Leaves with 0 when there is one, else with 1. Ctrl-C does the same, "
        .. "and leaves with 130." },
    { "--confidence", value = "P", kind = "number",
      help = "How sure each row of the answer is to be (default: 0.95)." },
    { "--precision", value = "P", kind = "number",
      help = "Differences from a limit below this fraction of it are not resolved; 0.01." },
    { "--replications", value = "N", kind = "integer", least = 8,
      help = "The most repetitions for one candidate (default: 64)." },
    { "--no-doubt", help = "As if the step models of LLM servers were exact: the answer holds over "
      .. "luck alone." },
    { "--scan", help = "Test every number from below; for scenarios where more can be worse." },
    { "--seed", value = "N", kind = "integer", least = 0,
      help = "The seed of all random numbers. The same seed gives the same bytes." },
    { "--threads", value = "N", kind = "integer", least = 1,
      help = "Threads to use; the results do not depend on it." },
    forms.json("Print JSON (schema tandem.plan/1) instead of the report."),
    { "--csv", help = "Print the table as CSV." },
    columns.OPTION,
    { "--plot", value = "OUT.svg", help = "Draw GPUs over load, one line a kind; - with "
      .. "--json: into its envelope." },
    { "--emit", value = "FORM=FILE", many = true,
      help = "Write the best answer for the highest load as something to deploy: launch, "
        .. "kubernetes, keda, dynamo, dynamo-v1alpha1, llm-d, rules or grafana (of LLM servers). "
        .. "May be repeated; FORM alone or FORM=- prints it instead of the report." },
    { "--no-progress", help = "No progress line, not even in a terminal." },
  },
  examples = {
    "tandem plan demo --kinds H100,L40S --load 400rps",
    "tandem plan demo --load 50rps:800rps:6 --slo p99=200ms mean=80ms --plot gpus.svg",
    "tandem plan demo --find load --gpus 4 --slo p99.9=500ms",
    "tandem plan demo --find best --over kind=L40S,H100 gpus=1:4 batch=1,4",
    "tandem plan demo --kinds H100,L40S --load 2000rps --budget usd=20 --json",
    "tandem plan demo --load 400rps --count gpus,cpu.workers --price cpu=0.02",
  },
}
for _, list in ipairs { load.prices, load.options } do
  table.move(list, 1, #list, #plan.options + 1, plan.options)
end

-- "a,b,c", each a number where it is one, or FROM:TO[:STEPS].
local function values_of(text)
  local found, wrong = range.of_text(text)
  if wrong then error({ usage = wrong }, 0) end
  if found then return found end
  local out = {}
  for one in text:gmatch "[^,]+" do
    one = one:match "^%s*(.-)%s*$"
    local number = tonumber(one)
    if one ~= "" then out[#out + 1] = number and (math.tointeger(number) or number) or one end
  end
  return out
end

-- KEY=VALUE texts as pairs; raises what is wrong as { usage = text }.
local function pairs_of(list, option)
  local out = {}
  for _, text in ipairs(list or {}) do
    local key, value = text:match "^%s*([^=]-)%s*=%s*(.-)%s*$"
    if not key or key == "" or value == "" then
      error({ usage = ("%s wants KEY=VALUE, not '%s'"):format(option, text) }, 0)
    end
    out[#out + 1] = { key, value }
  end
  return out
end

local function slo_of(list, within)
  if not list or #list == 0 then return nil end
  local out = { within = within }
  for _, pair in ipairs(pairs_of(list, "--slo")) do
    local class, metric = pair[1]:match "^(.+)%.([%a][%w]*%.?%d*)$"
    if class and not pair[1]:find "^p%d+%.%d+$" then
      out[class] = out[class] or {}
      out[class][metric] = pair[2]
    else
      out[pair[1]] = pair[2]
    end
  end
  return out
end

local function map_of(list, option, convert)
  if not list or #list == 0 then return nil end
  local out = {}
  for _, pair in ipairs(pairs_of(list, option)) do out[pair[1]] = convert(pair[2], pair[1]) end
  return out
end

-- The command line as options of td.plan.
local function options_of(args, scenario)
  local find = args.find
    or scenario.checked.plan and scenario.checked.plan.find or "gpus"
  local options = { scenario = scenario, slo = slo_of(args.slo, args.within),
    confidence = args.confidence,
    precision = args.precision, replications = args.replications, seed = args.seed,
    threads = args.threads, time_limit = args.time_limit, method = args.scan and "scan" or nil }
  if args.no_doubt then options.doubt = false end
  options.limits = map_of(args.limit, "--limit", function(text) return { max = text } end)
  options.budget = map_of(args.budget, "--budget", function(text) return text end)
  local misplaced = args.within and not options.slo and "--within goes with --slo"
    or find ~= "best" and args.over and #args.over > 0
      and "--over goes with --find best"
    or find ~= "load" and args.gpus and "--gpus goes with --find load; --max bounds a search"
    or find ~= "gpus" and args.survive and "--survive goes with --find gpus"
    or find == "load" and (args.users or args.busier) and "--users and --busier are loads, and "
      .. "--find load looks for one; leave them out"
    or (args.users or args.busier) and args.load and "--users and --busier say by how much the "
      .. "load grows; leave --load out"
    or find == "load" and args.load and "--load is what --find load looks for; leave one out"
  if misplaced then error({ usage = misplaced }, 0) end
  local kinds = args.kinds and values_of(args.kinds)
  if find == "gpus" then
    options.kinds, options.max, options.count = kinds, args.max, args.count
    options.mix, options.survive = args.mix, args.survive
  elseif find == "load" then
    options.kinds, options.gpus = kinds, args.gpus
  else
    options.over = map_of(args.over, "--over", values_of)
    if kinds then
      options.over = options.over or {}
      options.over.kind = kinds
    end
  end
  if find ~= "load" then
    options.load, options.minimize = args.load and values_of(args.load), args.minimize
    options.users = args.users and values_of(args.users)
    options.busier = args.busier and values_of(args.busier)
  end
  return find, options
end

-- What was raised as words for the user, or raised again.
local function complain(answer, console)
  if type(answer) == "table" and answer.usage then return console:usage(answer.usage) end
  if type(answer) == "table" and answer.plan then return console:fail(codes.USAGE, answer.plan) end
  error(answer, 0)
end

-- FORM=FILE and FORM as { form, file or "-" }; nil and what is wrong.
local function emitted(list)
  local out = {}
  for i, text in ipairs(list or {}) do
    local name, file = text:match "^([^=]*)=(.*)$"
    name = name or text
    local form, unknown = require("tandem.deploy").form(name)
    if not form then return nil, "--emit: " .. unknown end
    if file == "" then return nil, ("--emit %s= names no file"):format(name) end
    out[i] = { name, file or "-", form = form }
  end
  return out
end

-- Writes what was chosen as something to deploy. What cannot be said is told before anything is
-- written.
local function emit(answer, args, console)
  local texts = {}
  for i, one in ipairs(args.emit) do
    local text, why = answer:deploy(one[1])
    if not text then
      return console:fail(answer.ok and codes.USAGE or codes.NO, why --[[@as string]])
    end
    texts[i] = text
  end
  for i, one in ipairs(args.emit) do
    if one[2] == "-" then
      console.write_out(texts[i])
    else
      local written, message, code = require("tandem.io.outfile").write(one[2], texts[i])
      if not written then return console:fail(code or codes.IO, message --[[@as string]]) end
      console:note(("%s written to %s"):format(one[1], one[2]))
    end
  end
end

local function prints(list)
  for _, one in ipairs(list) do
    if one[2] == "-" then return true end
  end
  return false
end

-- The answer first: a plot that cannot be written must not cost it.
local function show(answer, args, console)
  if args.json then console.write_out(answer:to_json())
  elseif args.csv then
    for _, caution in ipairs(answer.cautions or {}) do console:note(caution) end
    console.write_out(answer:to_csv())
  elseif not prints(args.emit) then -- a document that is printed stands alone
    console:print(answer:report(console.style))
  end
  if args.plot == "-" then
    console.picture = answer:plot()
  elseif args.plot then
    local drawn, message = answer:plot(args.plot)
    if not drawn then return console:fail(codes.IO, tostring(message)) end
    console:note("plot written to " .. args.plot)
  end
  if args.out then
    local written, message, code = answer:write(args.out)
    if not written then return console:fail(code or codes.IO, tostring(message)) end
    console:note("table written to " .. args.out)
  end
  local failed = #args.emit > 0 and emit(answer, args, console)
  if answer.interrupted then
    console:note "interrupted: what is above is what was decided by then"
    return codes.INTERRUPTED
  end
  if failed then return failed end
  return answer.ok and codes.OK or codes.NO
end

-- GPUs are what is asked for: a replica that the scenario has too few of them for (--set tp=8) is
-- no mistake. The scenario with as many as one takes, or nil.
local function enough(args)
  if args.find and args.find ~= "gpus" or args.count and not args.count:find "gpus" then
    return nil
  end
  return function(scenario, overrides)
    local pools, changes = require "tandem.llm.pools", {}
    for key, value in pairs(overrides) do changes[key] = value end
    changes.gpus = args.max or 64
    local wide = scenario:try_with(changes)
    local counts = wide and pools.counts(wide.checked, changes.gpus)
    if not counts then return nil end
    changes.gpus = counts[1]
    return (scenario:try_with(changes))
  end
end

-- The question of a command line, and what each rank of an MPI job needs to work on it.
local function prepare(args, console)
  local scenario, code = load.scenario(args, console, enough(args))
  if not scenario then return nil, code --[[@as integer]] end
  local ok, find, options = pcall(options_of, args, scenario)
  if not ok then return nil, complain(find, console) end
  local function work(text)
    if not options.worker then
      local question = require("tandem.plan.question").of(find, options)
      options.worker = require("tandem.sweep.crew").worker(question.bases, question.values)
    end
    return options.worker(text)
  end
  for _, one in ipairs(args.emit) do
    local refused = require("tandem.deploy").refuses(scenario, one.form)
    if refused then return nil, console:fail(codes.USAGE, refused) end
  end
  return { work = work, find = find, options = options }
end

---@param args table
---@param console tandem.Console
---@return integer code
function plan.run(args, console)
  if args.plot == "-" and not args.json then return console:usage "--plot - goes with --json" end
  local known, unknown = columns.form(args.out or ".csv")
  if not known then return console:usage(unknown --[[@as string]]) end
  local emits, wrong = emitted(args.emit)
  if not emits then return console:usage(wrong --[[@as string]]) end
  args.emit = emits
  if prints(emits) and (args.json or args.csv or #emits > 1) then
    return console:usage "--emit FORM prints that alone: give --emit FORM=FILE beside other forms"
  end
  if args.json and args.csv then return console:usage(forms.not_both("--csv", "--json")) end
  return require("tandem.cli.ranks").run(console, function(where) return prepare(args, where) end,
    function(prepared, backend)
      local tell, finish, say = searching("planning", console, args.no_progress)
      local options = {}
      for k, v in pairs(prepared.options) do options[k] = v end
      options.progress, options.backend, options.worker = tell, backend, nil
      options.tell = not args.no_progress and not console.is_watched() and say or nil
      local ok, answer = pcall(function()
        local question = require("tandem.plan.question").of(prepared.find, options)
        return require("tandem.plan." .. prepared.find).answer(question)
      end)
      finish()
      if not ok then return complain(answer, console) end
      return show(answer, args, console)
    end)
end

return plan
