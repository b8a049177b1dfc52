--- `tandem sweep`: simulates many variants of a scenario and prints the table of them.
local codes = require "tandem.cli.codes"
local columns = require "tandem.io.columns"
local forms = require "tandem.cli.forms"
local format = require "tandem.text.format"
local load = require "tandem.cli.load"
local store_path = require "tandem.store.path"

---@type tandem.Command
local command = {
  summary = "simulate many variants of a scenario: a grid, a list, a random design",
  keeps = true,
  about = "Simulates every point of a design over axes (any path that --set takes, and kind, gpus, "
    .. "rps, batch) on all cores, and prints one table. Without --over the scenario's own sweep "
    .. "block says what is varied. Answers are kept in a store file: a sweep that was stopped goes "
    .. "on where it was, a complete one prints at once. All points see the same random numbers. "
    .. "Leaves with 3 when a point failed; the others are printed. "
    .. "Where requests are lost (turned away, gave up, timed out), the column lost says how many: "
    .. "latencies, and met, are of those served. "
    .. "Under mpirun -n 64 tandem sweep … the points go to all ranks.",
  arguments = {
    { name = "file", value = "FILE", reads = "name",
      help = "A scenario file, a shipped name (demo), or -." },
  },
  options = {
    { "--over", value = "AXIS=VALUES", many = true,
      help = "What to vary, as --set calls it: rps=10:100:10 (from, to, how many; 1:64:7:log "
        .. "for equal ratios; of td.bursts it is the rate of a burst), gpus=1,2,4, "
        .. "kind=H100,L40S, pipeline.h2d.bytes=1MiB,8MiB. May be repeated." },
    { "--design", value = "NAME", choices = { "grid", "list", "random", "lhs" },
      help = "grid (every combination, the default), random, lhs (Latin hypercube), or list (the "
        .. "points of the scenario's sweep block)." },
    { "--points", value = "N", kind = "integer", least = 1,
      help = "How many points random and lhs draw." },
    { "--where", value = "AXIS=VALUES", many = true,
      help = "Only the points with these values: gpus=2, kind=H100,L40S." },
    { "--replications", value = "N", kind = "integer", least = 1, most = load.MOST_REPLICATIONS,
      help = "Independent repetitions of every point; more of them narrow the intervals." },
    { "--seed", value = "N", kind = "integer", least = 0,
      help = "The seed of all random numbers, and of random designs." },
    { "--metrics", value = "A,B", help = "What to keep and print: latency.p99,throughput_rps, any "
      .. "path of a result." },
    { "--sort", value = "COLUMN", help = "Order the rows: the best first, axes from low to high." },
    { "--doubt", help = "Also what the step models of LLM servers leave open, by up to four more "
      .. "runs of each point." },
    { "--csv", help = "Print CSV instead of the table." },
    columns.OPTION,
    forms.json("Print JSON (schema tandem.sweep/1) instead of the table."),
    { "--plot", value = "WHAT", help = "x,y or x,y,series (such as rps,p99,gpus): plot below the "
      .. "table; FILE.svg or FILE.svg:x,y,series (or FILE.html): write a chart." },
    { "--threads", value = "N", kind = "integer", least = 1,
      help = "Threads to use; the answers do not depend on it." },
    { "--store", value = "FILE.db", help = "Where answers are kept (default: "
      .. "$TANDEM_STORE, else tandem.db here)." },
    { "--no-store", help = "Keep nothing." },
    { "--fresh", help = "Compute anew what the store has of this sweep." },
    { "--shard", value = "I/N", help = "Only every N-th point: those whose number modulo N is I. "
      .. "tandem merge joins the stores." },
    { "--slurm", value = "FILE", help = "Run nothing: write the batch script of a job array that "
      .. "does (- for standard output)." },
    { "--kubernetes", value = "FILE", help = "Run nothing: write an Indexed Job that does, with "
      .. "the scenario inside (- for standard output)." },
    { "--tasks", value = "N", kind = "integer", least = 1, help = "Parts of that array or job." },
    { "--time", value = "TIME", help = "Time limit: of a task of the array, of the whole Indexed "
      .. "Job: 90min." },
    { "--cpus", value = "N", kind = "integer", least = 1, help = "Processors of a part." },
    { "--memory", value = "SIZE", help = "Memory of a part: 4GiB." },
    { "--partition", value = "NAME", help = "Slurm's partition." },
    { "--image", value = "NAME", help = "With --kubernetes: a container image with tandem in it." },
    { "--claim", value = "NAME", help = "With --kubernetes: the volume claim that results go to "
      .. "(default: tandem-results)." },
    { "--no-progress", help = "No progress line, not even in a terminal." },
  },
  examples = {
    "tandem sweep demo --over rps=20:120:6 --over gpus=1,2 --over kind=L40,L40S",
    "tandem sweep demo --over rps=20:120:6 gpus=1,2 --plot rps,p99,gpus",
    "tandem sweep demo --over rps=20.0:99.0 pipeline.h2d.bytes=1MiB:64MiB --design lhs --points 99",
    "tandem sweep sweep --sort usd_per_hour",
    "tandem sweep demo --over rps=20:120:101 --slurm job.sh --tasks 16 --time 30min",
    "tandem sweep demo --over rps=20:120:6 --csv > points.csv",
  },
}
for _, list in ipairs { load.prices, load.options } do
  table.move(list, 1, #list, #command.options + 1, command.options)
end

-- Options that say where and how, not what: no part of the command of an array's task.
local HERE = {}
for flag in ("--slurm --kubernetes --tasks --time --cpus --memory --partition --image --claim "
  .. "--shard --store --no-store --threads --plot --csv --json --out --sort --no-progress")
  :gmatch "%S+" do
  HERE[flag] = true
end

-- What was raised, without the position in our sources.
local function without_position(message)
  return (tostring(message):gsub("^[^\n]-%.lua:%d+: ", ""))
end

local function split(text)
  local out = {}
  for one in (text .. ","):gmatch "%s*(.-)%s*," do
    if one ~= "" then out[#out + 1] = one end
  end
  return out
end

-- { "rps=10:100:10", "gpus=1,2" } as over takes it, in the order of the command line.
local function axes_of(settings)
  local range = require "tandem.sweep.range"
  local over = {}
  for _, setting in ipairs(settings) do
    local name, text = setting:match "^%s*([^=]-)%s*=%s*(.-)%s*$"
    if not name or name == "" then
      return nil, ("--over wants AXIS=VALUES, as in rps=10:100:10, not '%s'"):format(setting)
    end
    local values, wrong = range.of_text(text)
    if wrong then return nil, ("--over %s: %s"):format(name, wrong) end
    if not values then
      values = split(text)
      for i, one in ipairs(values) do values[i] = load.value(one) end
    end
    over[#over + 1] = { name, values }
  end
  return over
end

local function where_of(settings)
  local where = {}
  for _, setting in ipairs(settings) do
    local name, text = setting:match "^%s*([^=]-)%s*=%s*(.-)%s*$"
    if not name or name == "" then
      return nil, ("--where wants AXIS=VALUE, as in gpus=2, not '%s'"):format(setting)
    end
    where[name] = where[name] or {}
    for _, one in ipairs(split(text)) do
      table.insert(where[name], load.value(one))
    end
  end
  return where
end

-- The options of the sweep, or nil and what is wrong with the command line.
local function options_of(args, scenario)
  local over, where, wrong
  if args.over and #args.over > 0 then
    over, wrong = axes_of(args.over)
    if not over then return nil, wrong end
  end
  if args.where and #args.where > 0 then
    where, wrong = where_of(args.where)
    if not where then return nil, wrong end
  end
  local shard
  if args.shard then
    local index, of = require("tandem.sweep.slurm").shard(args.shard)
    if not index then return nil, "--shard: " .. of end
    shard = { index, of }
  end
  return { scenario = scenario, over = over, design = args.design, points = args.points,
    where = where, shard = shard, replications = args.replications, seed = args.seed,
    doubt = args.doubt, metrics = args.metrics and split(args.metrics), threads = args.threads,
    store = not args.no_store and store_path.of(args.store) or nil, fresh = args.fresh }
end

-- A line that is drawn over and over: bar, count, time left.
local function progress_line(console, label)
  local style = console.error_style
  if not style.terminal then
    local tell, finish = console:progress(label)
    return tell and function(done, total) tell(done / total) end, finish
  end
  local bar = require "tandem.plot.bar"
  local seconds = require("tandem.core").guard.seconds
  local began, first, last, drawn = seconds(), nil, -1, false
  local function progress(done, total, failed)
    first = first or done - 1
    local now = seconds()
    if now - last < 0.1 and done < total then return end
    last, drawn = now, true
    local left = (now - began) / (done - first) * (total - done)
    console.write_error(("\r\27[K%s %s %3d %%  %s of %s%s%s"):format(style:text(label),
      bar.line(done / total, 24, style, true), math.floor(100 * done / total),
      format.integer(done), format.integer(total),
      done < total and left >= 1 and style:text((" · %s left"):format(
        require("tandem.units").format(math.ceil(left), "s"))) or "",
      failed > 0 and style:text((" · %d failed"):format(failed)) or ""))
  end
  return progress, function()
    if drawn then console.write_error("\r\27[K") end
  end
end

-- Draws what --plot asks for; columns are drawn below the table, or into the envelope of --json.
-- The exit code when it cannot.
local function draw(result, wanted, console, as_data)
  local file, rest = wanted:match "^(.-%.svg):?(.*)$"
  if not file then file, rest = wanted:match "^(.-%.html):?(.*)$" end
  local words = split(file and rest or wanted)
  local ok, drawn = pcall(function()
    local chart = require "tandem.sweep.chart"
    if file then
      chart.of(result, file, { x = words[1], y = words[2], series = words[3] })
    elseif as_data then
      console.picture = chart.of(result, words[1], words[2], words[3])
    else
      console:print("")
      console:print(chart.lines(result, words[1], words[2], words[3], console.style))
    end
  end)
  if not ok then
    return console:fail(codes.USAGE, "--plot: " .. without_position(drawn))
  end
  if file then console:note("chart written to " .. file) end
end

local function show(result, args, console)
  if args.csv then
    console.write_out(result:to_csv())
  elseif args.json then
    console.write_out(result:to_json())
  else
    console:print(result:report(console.style))
  end
  if args.out then
    local written, message, code = result:write(args.out)
    if not written then return console:fail(code or codes.IO, tostring(message)) end
    console:note("table written to " .. args.out)
  end
  if args.plot then return draw(result, args.plot, console, args.json) end
end

local function sorted(result, column)
  local name = result:named(column)
  local metric = require "tandem.result.metric"
  return result:sort(name, not result:axis(name) and metric.more_is_better(name))
end

-- The same sweep as words of a command line, for the tasks of an array.
local function words_of(args)
  local words = { "tandem", "sweep", args.file }
  local function add(flag, value)
    for _, one in ipairs(type(value) == "table" and value or { value }) do
      words[#words + 1] = flag
      if one ~= true then words[#words + 1] = tostring(one) end
    end
  end
  for _, option in ipairs(command.options) do
    local flag = option[1]
    if not HERE[flag] then
      add(flag, args[flag:sub(3):gsub("%-", "_")])
    end
  end
  words[#words + 1] = "--no-progress"
  return words
end

-- Puts a text where it is wanted and says how many points it does, and with which command.
local function hand_over(text, path, args, made, how, console)
  if path == "-" then
    console.write_out(text)
    return codes.OK
  end
  local written, message, code = require("tandem.io.outfile").write(path, text)
  if not written then return console:fail(code or codes.IO, message --[[@as string]]) end
  console:note(("%s in %d parts: %s %s"):format(format.plural(made.count, "point"), args.tasks, how,
    path))
  return codes.OK
end

-- What a scenario file holds; nil where it is shipped.
local function text_of(args)
  local infile = io.open(args.file, "rb")
  if not infile then return nil end
  local text = infile:read "a"
  infile:close()
  return text
end

local function write_job(args, made, console)
  if not args.tasks then return console:usage "--kubernetes wants --tasks N: how many parts?" end
  if not args.image then
    return console:usage "--kubernetes wants --image NAME: where is tandem installed?"
  end
  if args.partition then return console:usage "--partition goes with --slurm FILE" end
  if args.file == "-" then
    return console:usage "--kubernetes puts the scenario's file into the job: give one, not -"
  end
  local text = text_of(args)
  local document, wrong = require("tandem.sweep.indexed").documents { command = words_of(args),
    file = text and args.file or nil, text = text, tasks = args.tasks, name = made.name,
    image = args.image, claim = args.claim or "tandem-results", time = args.time,
    cpus = args.cpus, memory = args.memory }
  if not document then return console:usage("--" .. wrong) end
  return hand_over(document, args.kubernetes, args, made, "kubectl apply -f", console)
end

local function write_script(args, made, console)
  if not args.tasks then return console:usage "--slurm wants --tasks N: how many parts?" end
  for _, one in ipairs { "image", "claim" } do
    if args[one] then return console:usage(("--%s goes with --kubernetes FILE"):format(one)) end
  end
  local text, wrong = require("tandem.sweep.slurm").script { command = words_of(args),
    tasks = args.tasks, name = made.name:gsub("[^%w._-]+", "-"), time = args.time,
    cpus = args.cpus, memory = args.memory, partition = args.partition,
    store = store_path.of(args.store) }
  if not text then return console:usage("--" .. wrong) end
  return hand_over(text, args.slurm, args, made, "sbatch", console)
end

-- The sweep of a command line; nil and the exit code when there is none.
local function prepare(args, console)
  local scenario, located = load.scenario(args, console)
  if not scenario then return nil, located --[[@as integer]] end
  local options, wrong = options_of(args, scenario)
  if not options then return nil, console:usage(wrong) end
  local made
  made, wrong = require("tandem.sweep.study").new(options)
  if made then return made, options end
  if wrong:find "^over is missing" then
    wrong = "what is varied? Add --over rps=10:100:10, or sweep = { over = … } to the scenario"
  end
  return nil, console:fail(codes.USAGE, wrong)
end

-- Runs it and prints what comes of it.
local function carry_out(made, options, args, console)
  local sweep = require "tandem.sweep"
  local finish
  if args.no_progress then
    finish = function() end
  else
    options.progress, finish = progress_line(console, made.name)
  end
  function options.started(reused, total)
    if reused > 0 then
      console:note(("%s of %s points were there already"):format(format.integer(reused),
        format.integer(total)))
    end
  end
  local result, message, code, partial = sweep.run(made, options)
  finish()
  if not result then
    if partial and #partial.rows > 0 then show(partial, args, console) end
    return console:fail(code or codes.IO, tostring(message))
  end
  if args.sort then
    local ok, ordered = pcall(sorted, result, args.sort)
    if not ok then
      return console:fail(codes.USAGE, "--sort: " .. without_position(ordered))
    end
    result = ordered
  end
  sweep.tell_failures(result, function(line) console:note(line) end)
  code = show(result, args, console)
  if result.interrupted then
    local kept = options.store and (" in %s; the same command goes on from there"):format(
      options.store) or ""
    console:note(("interrupted: %s of %s points are done%s"):format(
      format.integer(#result.rows + #result.failed), format.integer(made.count), kept))
    return codes.INTERRUPTED
  elseif made.count > 0 and #result.rows == 0 then
    return console:fail(codes.INVALID, "every point failed")
  end
  return code or #result.failed > 0 and codes.INVALID or codes.OK
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  if args.csv and args.json then return console:usage(forms.not_both("--csv", "--json")) end
  local known, unknown = columns.form(args.out or ".csv")
  if not known then return console:usage(unknown --[[@as string]]) end
  if args.store and args.no_store then
    return console:usage(forms.not_both("--store", "--no-store"))
  end
  if args.slurm and args.kubernetes then
    return console:usage(forms.not_both("--slurm", "--kubernetes"))
  elseif not (args.slurm or args.kubernetes) then
    for _, one in ipairs { "tasks", "time", "cpus", "memory", "partition", "image", "claim" } do
      if args[one] then
        return console:usage(("--%s goes with --slurm or --kubernetes FILE"):format(one))
      end
    end
    return require("tandem.cli.ranks").run(console, function(where)
      local made, options = prepare(args, where)
      if not made then return nil, options end
      local work = require("tandem.sweep.crew").worker({ made.base }, made.carried)
      return { work = work, made = made, options = options }
    end, function(prepared, backend)
      prepared.options.backend = backend
      return carry_out(prepared.made, prepared.options, args, console)
    end)
  end
  local made, code = prepare(args, console)
  if not made then return code --[[@as integer]] end
  return (args.slurm and write_script or write_job)(args, made, console)
end

return command
