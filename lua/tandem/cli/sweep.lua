--- `tandem sweep`: simulates many variants of a scenario and prints the table of them.
local codes = require "tandem.cli.codes"
local format = require "tandem.format"
local load = require "tandem.cli.load"

local DEFAULT_STORE <const> = "tandem.db"

---@type tandem.Command
local command = {
  summary = "simulate many variants of a scenario: a grid, a list, a random design",
  about = "Simulates every point of a design over axes (any path that --set takes, and kind, gpus, "
    .. "rps, batch) on all cores, and prints one table. Without --over the scenario's own sweep "
    .. "block says what is varied. Answers are kept in a store file: a sweep that was stopped goes on "
    .. "where it was, a complete one prints at once. All points see the same random numbers.",
  arguments = {
    { name = "file", value = "FILE", help = "A scenario file, a shipped name (demo), or -." },
  },
  options = {
    { "--over", value = "AXIS=VALUES", many = true,
      help = "What to vary: rps=10:100:10 (from, to, how many; 1:64:7:log for equal ratios), "
        .. "gpus=1,2,4, kind=H100,L40S, pipeline.h2d.bytes=1MiB,8MiB. May be repeated." },
    { "--design", value = "NAME", choices = { "grid", "list", "random", "lhs" },
      help = "grid (every combination, the default), random, lhs (Latin hypercube), or list (the "
        .. "points of the scenario's sweep block)." },
    { "--points", value = "N", kind = "integer", least = 1,
      help = "How many points random and lhs draw." },
    { "--where", value = "AXIS=VALUES", many = true,
      help = "Only the points with these values: gpus=2, kind=H100,L40S." },
    { "--replications", value = "N", kind = "integer", least = 1,
      help = "Independent repetitions of every point; more of them narrow the intervals." },
    { "--seed", value = "N", kind = "integer", least = 0,
      help = "The seed of all random numbers, and of random designs." },
    { "--metrics", value = "A,B", help = "What to keep and print: latency.p99,throughput_rps, any "
      .. "path of a result." },
    { "--sort", value = "COLUMN", help = "Order the rows: the best first, axes from low to high." },
    { "--csv", help = "Print CSV instead of the table." },
    { "--json", help = "Print JSON (schema tandem.sweep/1) instead of the table." },
    { "--plot", value = "WHAT", help = "x,y or x,y,series (such as rps,p99,gpus): plot below the "
      .. "table; FILE.svg or FILE.svg:x,y,series: write a chart." },
    { "--threads", value = "N", kind = "integer", least = 1,
      help = "Threads to use; the answers do not depend on it." },
    { "--store", value = "FILE.db", help = "Where answers are kept; tandem.db unless told." },
    { "--no-store", help = "Keep nothing." },
    { "--fresh", help = "Compute anew what the store has of this sweep." },
    { "--shard", value = "I/N", help = "Only every N-th point: those whose number modulo N is I. "
      .. "tandem merge joins the stores." },
    { "--no-progress", help = "No progress line, not even in a terminal." },
  },
  examples = {
    "tandem sweep demo --over rps=20:120:6 --over gpus=1,2 --over kind=L40,L40S",
    "tandem sweep demo --over rps=20:120:6 gpus=1,2 --plot rps,p99,gpus",
    "tandem sweep demo --over rps=20.0:120.0 pipeline.h2d.bytes=1MiB:64MiB --design lhs --points 200",
    "tandem sweep sweep --sort usd_per_hour",
    "tandem sweep demo --over rps=20:120:6 --csv > points.csv",
  },
}
for _, option in ipairs(load.options) do
  command.options[#command.options + 1] = option
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
  if args.over then
    over, wrong = axes_of(args.over)
    if not over then return nil, wrong end
  end
  if args.where then
    where, wrong = where_of(args.where)
    if not where then return nil, wrong end
  end
  local shard
  if args.shard then
    local index, of = args.shard:match "^(%d+)/(%d+)$"
    if not index then return nil, ("--shard wants I/N, as in 0/8, not '%s'"):format(args.shard) end
    shard = { math.tointeger(tonumber(index)), math.tointeger(tonumber(of)) }
  end
  return { scenario = scenario, over = over, design = args.design, points = args.points,
    where = where, shard = shard, replications = args.replications, seed = args.seed,
    metrics = args.metrics and split(args.metrics), threads = args.threads,
    store = not args.no_store and (args.store or DEFAULT_STORE) or nil, fresh = args.fresh }
end

-- A line that is drawn over and over: bar, count, time left.
local function progress_line(place, label)
  local style = place.error_style
  if not style.terminal then return nil, function() end end
  local bar = require "tandem.plot.bar"
  local seconds = require("tandem.core").guard.seconds
  local began, first, last, drawn = seconds(), nil, -1, false
  local function progress(done, total, failed)
    first = first or done - 1
    local now = seconds()
    if now - last < 0.1 and done < total then return end
    last, drawn = now, true
    local left = (now - began) / (done - first) * (total - done)
    place.write_error(("\r\27[K%s %s %3d %%  %s of %s%s%s"):format(style:text(label),
      bar.line(done / total, 24, style, true), math.floor(100 * done / total),
      format.integer(done), format.integer(total),
      done < total and left >= 1 and style:text((" · %s left"):format(
        require("tandem.units").format(math.ceil(left), "s"))) or "",
      failed > 0 and style:text((" · %d failed"):format(failed)) or ""))
  end
  return progress, function()
    if drawn then place.write_error("\r\27[K") end
  end
end

-- Draws what --plot asks for; the exit code when it cannot.
local function draw(result, wanted, place)
  local file, rest = wanted:match "^(.-%.svg):?(.*)$"
  local words = split(file and rest or wanted)
  local ok, drawn = pcall(function()
    local chart = require "tandem.sweep.chart"
    if file then
      chart.of(result, file, { x = words[1], y = words[2], series = words[3] })
    else
      place:print("")
      place:print(chart.lines(result, words[1], words[2], words[3], place.style))
    end
  end)
  if not ok then
    return place:fail(codes.USAGE, "--plot: " .. tostring(drawn):gsub("^[^\n]-%.lua:%d+: ", ""))
  end
  if file then place:note("chart written to " .. file) end
end

local function show(result, args, place)
  if args.csv then
    place.write_out(result:to_csv())
  elseif args.json then
    place.write_out(result:to_json())
  else
    place:print(result:report(place.style))
  end
  if args.plot then return draw(result, args.plot, place) end
end

local function sorted(result, column)
  local name = result:named(column)
  local metrics = require "tandem.sweep.metrics"
  return result:sort(name, not result:axis(name) and metrics.more_is_better(name))
end

---@param args table
---@param place tandem.Console
---@return integer code
function command.run(args, place)
  if args.csv and args.json then return place:usage "--csv and --json: one of them" end
  if args.store and args.no_store then return place:usage "--store and --no-store: one of them" end
  local scenario, located = load.scenario(args, place)
  if not scenario then return located --[[@as integer]] end
  local options, wrong = options_of(args, scenario)
  if not options then return place:usage(wrong) end
  local study, sweep = require "tandem.sweep.study", require "tandem.sweep"
  local made
  made, wrong = study.new(options)
  if not made then
    if wrong:find "^over is missing" then
      wrong = "what is varied? Add --over rps=10:100:10, or sweep = { over = … } to the scenario"
    end
    return place:fail(codes.USAGE, wrong)
  end
  local finish
  if args.no_progress then
    finish = function() end
  else
    options.progress, finish = progress_line(place, made.name)
  end
  function options.started(reused, total)
    if reused > 0 then
      place:note(("%s of %s points were there already"):format(format.integer(reused),
        format.integer(total)))
    end
  end
  local result, message, code, partial = sweep.run(made, options)
  finish()
  if not result then
    if partial and #partial.rows > 0 then show(partial, args, place) end
    return place:fail(code or codes.IO, tostring(message))
  end
  if args.sort then
    local ok, ordered = pcall(sorted, result, args.sort)
    if not ok then
      return place:fail(codes.USAGE, "--sort: " .. tostring(ordered):gsub("^[^\n]-%.lua:%d+: ", ""))
    end
    result = ordered
  end
  sweep.tell_failures(result, function(line) place:note(line) end)
  code = show(result, args, place)
  if result.interrupted then
    local kept = options.store and (" in %s; the same command goes on from there"):format(
      options.store) or ""
    place:note(("interrupted: %s of %s points are done%s"):format(
      format.integer(#result.rows + #result.failed), format.integer(made.count), kept))
    return codes.INTERRUPTED
  elseif made.count > 0 and #result.rows == 0 then
    return place:fail(codes.INVALID, "every point failed")
  end
  return code or codes.OK
end

return command
