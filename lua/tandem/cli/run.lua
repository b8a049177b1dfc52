--- `tandem run`: simulates a scenario and prints what happened.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local load = require "tandem.cli.load"

---@type tandem.Command
local run = {
  summary = "simulate a scenario and print what happened",
  keeps = true,
  about = "Simulates a scenario (a Lua or JSON file, the name of a shipped one, or - for standard "
    .. "input) and prints a summary, or JSON. Leaves with 1 when a service-level objective of the "
    .. "scenario was missed. The run is kept in a store, which tandem runs, show, diff "
    .. "and sql read; one that cannot be kept is printed, and leaves with 4.",
  arguments = {
    { name = "file", value = "FILE", reads = "name",
      help = "A scenario file, a shipped name (demo), or -." },
  },
  options = {
    { "--seed", value = "N", kind = "integer", least = 0,
      help = "The seed of all random numbers. The same seed gives the same bytes." },
    { "--replications", value = "N", kind = "integer", least = 1, most = load.MOST_REPLICATIONS,
      help = "Independent repetitions; more of them narrow the intervals." },
    { "--precision", value = "SHARE", help = "Go on until figures are that sure: 5% (of the "
      .. "objectives, or mean and p99), or p99=5%,mean=2%; with requests=N at most so many." },
    { "--threads", value = "N", kind = "integer", least = 1,
      help = "Threads to use; the results do not depend on it." },
    { "--engine", value = "NAME", choices = { "auto", "event", "lowered" },
      help = "auto (the default), event, or lowered; both give the same results." },
    { "--trace", value = "OUT.json",
      help = "Write a Chrome trace of the first replication; ui.perfetto.dev opens it." },
    { "--metrics", value = "OUT.prom", help = "Write what the LLM servers of the first replication "
      .. "would have exported to a Prometheus, under each server's names, as OpenMetrics with "
      .. "times." },
    { "--metrics-of", value = "SERVER", choices = { "vllm", "sglang", "tensorrt_llm", "dynamo",
      "llm_d" }, help = "… under the names of this server, or of what stands before them." },
    { "--scrape", value = "TIME", help = "How often: 15s (the default)." },
    { "--store", value = "FILE.db", help = "The store that keeps the run (default: "
      .. "$TANDEM_STORE, else tandem.db here)." },
    { "--no-store", help = "Do not keep the run." },
    { "--spans", value = "WHICH", choices = { "all", "auto", "none" },
      help = "Keep the trace of the first replication in the store: auto (the default) keeps those "
        .. "of up to 20,000 requests." },
    { "--tag", value = "TAG", collect = true, help = "Tag the run. May be repeated." },
    { "--requests-log", value = "OUT.csv",
      help = "Write the requests of the first replication, one a line: CSV, or JSON Lines where "
        .. "the name ends in .jsonl." },
    { "--slowest", value = "N", kind = "integer", least = 1,
      help = "Only the N slowest of them, the slowest first." },
    { "--sample", value = "N", kind = "integer", least = 1,
      help = "Only N of them, evenly spread." },
    forms.json("Print JSON (schema tandem.result/1) instead of the summary."),
    { "--windows", value = "TIME", help = "Tell the run by windows of this length, too: 1h. Loads "
      .. "that move are told by about 24 of them." },
    { "--no-doubt", help = "Leave out what the step models of LLM servers leave open, and up to "
      .. "four more runs for it." },
    { "--expect", help = "Hold the result against the scenario's expect block as well." },
    { "--upload", value = "URL", help = "Send the run there when it is kept (tandem help sending): "
      .. "scrubbed, with the token of $TANDEM_TOKEN or --token-file." },
    { "--token-file", value = "FILE", help = "The token's file, which only you may read (0600)." },
    { "--no-timeline", help = "Leave the picture over time out of the summary." },
    { "--no-advice", help = "Leave what to try next out of the summary." },
    { "--no-progress", help = "No progress line, not even in a terminal." },
  },
  examples = {
    "tandem run demo",
    "tandem run demo --set workload.rps=20 --trace trace.json",
    "tandem run demo --requests-log slow.csv --slowest 20",
    "tandem run my.lua --precision p99=5%,mean=2%",
    "tandem run my.lua --replications 40 --json | jq .result.latency.p99",
    "tandem explain demo",
  },
}
for _, list in ipairs { load.prices, load.options } do
  table.move(list, 1, #list, #run.options + 1, run.options)
end

--- A file we cannot write is better known before an hour of simulation than after it. A pipe is
--- left alone: who reads it would take the try for the end.
local function can_write(path)
  local files = require("tandem.core").files
  local exists = files.size(path) ~= nil
  if exists and not files.replaces(path) and not files.list(path) then return true end
  if not exists then
    local beside, message = files.beside(path)
    if not beside then return nil, ("%s: %s"):format(path, message) end
    files.discard(beside)
    return true
  end
  local file, message = io.open(path, "ab")
  if file then file:close() end
  return file ~= nil, message
end

--- Says what became of the expect block; the report above is the result, so this is a note.
local function report_expectations(result, scenario, console)
  local expect = require "tandem.result.expect"
  local list, ok = expect.verify(result, scenario.expect)
  for _, one in ipairs(list) do
    console:note(expect.line(one))
  end
  if #list == 0 then
    console:note("the scenario expects nothing (it has no expect block)")
  end
  return ok
end

-- What the command line says of the store: where and how the run is kept, and a function that tells
-- what became of it: the exit code, 0 when it is kept.
local function storing(args, console)
  if args.no_store then return {} end
  local path = require("tandem.store.path").of(args.store)
  return { store = path, spans = args.spans or "auto", kept = function(id, message)
    if not id then
      return console:fail(codes.IO, ("the run was not kept: %s (--no-store, or --store FILE.db "
        .. "elsewhere)"):format(message))
    elseif args.store or console.error_style.terminal then
      console:note(("kept as %s in %s"):format(id, path))
    end
    return codes.OK
  end }
end

-- Tags the run that was kept; its exit code, 0 unless that failed.
local function tag(args, console, id)
  local store <close>, unopened, failed = require("tandem.store").open(args.store)
  if not store then return console:fail(failed or codes.IO, unopened) end
  local done, message, code = require("tandem.store.edit").tag(store, id, args.tag, {})
  return done and codes.OK or console:fail(code or codes.IO, message)
end

-- What is wrong with --tag.
local function wrong_tag(args)
  for _, word in ipairs(args.tag or {}) do
    if not require("tandem.store.edit").is_tag(word) then
      return ("a tag is one word, not '%s'"):format(word)
    elseif args.no_store then
      return "--tag is of runs that are kept, not of --no-store"
    end
  end
end

-- Sends the run that was kept; its exit code, 0 unless that failed.
local function upload(args, console, id)
  local sending = require "tandem.cli.upload"
  local store <close>, unopened, failed = require("tandem.store").open(args.store)
  if not store then return console:fail(failed or codes.IO, unopened) end
  local options = sending.sending(args, console)
  options.to = args.upload
  local sent, message, code, kept = require("tandem.upload").runs(store, { id }, options)
  if sent then
    sending.tell(console, sent, args.upload)
    return codes.OK
  end
  return console:fail(code or codes.IO, kept
    and ("%s (kept as number %d in the outbox: tandem outbox send)"):format(message, kept)
    or message)
end

-- Which requests the log wants, in the form that scenario:run takes.
local function wanted_requests(args)
  if not args.requests_log then
    local only = args.slowest and "--slowest" or args.sample and "--sample"
    if only then
      return nil, only .. " goes with --requests-log OUT.csv"
    end
  elseif args.slowest and args.sample then
    return nil, forms.not_both("--slowest", "--sample")
  elseif args.slowest or args.sample then
    return { slowest = args.slowest, sample = args.sample }
  end
  return args.requests_log and "all"
end

local function write_requests(result, path)
  local text = require("tandem.report.requests").text(result.requests_log, path)
  result.requests_log = nil -- it has its own place
  local file, message = io.open(path, "wb")
  if file then
    local _
    _, message = file:write(text)
    local closed, late = file:close()
    message = message or not closed and late
  end
  return message
end

---@param args table
---@param console tandem.Console
---@return integer code
function run.run(args, console)
  local requests_log, misused = wanted_requests(args)
  misused = misused or wrong_tag(args)
  if misused then
    return console:usage(misused)
  elseif args.no_store and (args.store or args.spans) then
    return console:usage(forms.not_both("--no-store", args.store and "--store" or "--spans"))
  end
  if args.upload then
    local url, problem = require("tandem.upload.transport").address(args.upload)
    if not url then return console:usage(problem) end
    if args.no_store then return console:usage(forms.not_both("--no-store", "--upload")) end
  elseif args.token_file then
    return console:usage "--token-file goes with --upload URL"
  end
  if args.scrape and not args.metrics then
    return console:usage "--scrape goes with --metrics OUT.prom"
  elseif args.metrics_of and not args.metrics then
    return console:usage "--metrics-of goes with --metrics OUT.prom"
  end
  for _, path in ipairs { args.trace or false, args.store or false, args.requests_log or false,
    args.metrics or false } do
    if path == "-" then
      return console:usage("a file is wanted, not '-'; the report goes to standard output")
    elseif path then
      local ok, message = can_write(path)
      if not ok then
        return console:fail(codes.IO, "cannot write " .. message)
      end
    end
  end
  local scenario, located = load.scenario(args, console)
  if not scenario then
    return located --[[@as integer]]
  end
  load.tell_unused(scenario, args, console)
  local kept_in, outcome = storing(args, console), nil
  local precision, mistaken
  if args.precision then
    precision, mistaken = require("tandem.scenario.precision").read(args.precision)
    if not precision then return console:usage(mistaken) end
  end
  local progress, finish
  if args.no_progress then
    finish = function() end
  else
    progress, finish = console:progress(scenario.name or "simulating")
  end
  local function looked(result, of, more)
    if not more or args.no_progress then return end
    finish()
    console:note(require("tandem.report.precision").look(result, of))
  end
  local ok, result, message, code = pcall(scenario.run, scenario, {
    precision = precision, looked = looked,
    seed = args.seed, replications = args.replications, threads = args.threads,
    engine = args.engine, trace = args.trace, metrics = args.metrics,
    scrape = args.scrape, metrics_of = args.metrics_of, requests_log = requests_log,
    progress = progress,
    doubt = not args.no_doubt, store = kept_in.store, spans = kept_in.spans, windows = args.windows,
    kept = kept_in.kept and function(...) outcome = table.pack(...) end,
  })
  finish()
  if not ok then
    if not (precision or args.scrape) or type(result) ~= "table" then error(result, 0) end
    return console:problems(result, "nothing was run") -- of the option itself
  end
  if not result then
    if type(message) == "table" then
      return console:problems(message, "the scenario cannot be run")
    end
    return console:fail(code or codes.IO, tostring(message))
  end
  console.kept = outcome and outcome[1] or nil
  if args.requests_log then
    local unwritten = write_requests(result, args.requests_log)
    if unwritten then
      return console:fail(codes.IO, "cannot write " .. unwritten)
    end
  end
  if args.json then
    console.write_out(result:to_json())
  else
    console:print(result:report {
      style = console.style, file = located.shown, trace = args.trace, settings = args.set,
      trusted = args.trusted, timeline = not args.no_timeline, advice = not args.no_advice,
    })
  end
  if args.trace then
    console:note(("trace written to %s; open it at https://ui.perfetto.dev"):format(args.trace))
  end
  if args.metrics then console:note(("metrics written to %s"):format(args.metrics)) end
  local unkept = outcome and kept_in.kept(table.unpack(outcome)) or codes.OK
  if #(args.tag or {}) > 0 and outcome and outcome[1] then
    local untagged = tag(args, console, outcome[1])
    if untagged ~= codes.OK then return untagged end
  end
  local unsent = args.upload and outcome and outcome[1] and upload(args, console, outcome[1])
    or codes.OK
  if result.interrupted then
    console:note("interrupted: the numbers above are of what was finished by then")
    return codes.INTERRUPTED
  end
  local as_expected = not args.expect or report_expectations(result, scenario, console)
  if unkept ~= codes.OK then return unkept end
  if unsent ~= codes.OK then return unsent end
  return result:answer() and as_expected and codes.OK or codes.NO
end

return run
