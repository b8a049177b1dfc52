--- `tandem capture`: a CUDA program traced into the store.
local codes = require "tandem.cli.codes"
local files = require "tandem.capture.files"
local format = require "tandem.text.format"
local record = require "tandem.capture.record"
local storing = require "tandem.cli.storing"
local units = require "tandem.units"

---@type tandem.Command
local command = {
  summary = "trace a CUDA program into the store, without root and without a profiler",
  about = "Runs a program and records its CUDA calls, kernels, copies, allocations and NVTX ranges "
    .. "into one run; processes that it starts are followed. Ctrl-C goes to the program, a second "
    .. "one ends it; what was recorded by then is kept. The exit code is the program's where that "
    .. "failed. The summary goes to standard error, since standard output is the program's. "
    .. "tandem help capture tells more.",
  arguments = {
    { name = "program", value = "PROGRAM", count = "+",
      help = "The program and its arguments, best behind --." },
  },
  options = {
    { "--backend", value = "BACKEND", choices = { "auto", "cupti", "preload" },
      help = "cupti: CUDA's own tracing, with the times of the GPU; preload: the driver's calls, "
        .. "caught by LD_PRELOAD; auto (the default): cupti where it works, else preload." },
    { "--record", value = "PARTS", help = "What to record, of api,gpu,memory,nvtx,sync,graphs; "
      .. "graphs: each node of a CUDA graph instead of the whole. api,gpu,memory,nvtx,sync unless "
      .. "told." },
    { "--delay", value = "TIME", help = "Record from then on." },
    { "--duration", value = "TIME", help = "Record for so long; the program runs on." },
    { "--range", value = "RANGE", help = "Record in parts of the program only. profiler: between "
      .. "cudaProfilerStart and cudaProfilerStop; nvtx:NAME: in its NVTX ranges of that name." },
    { "--limit", value = "SIZE", help = "Stop recording when the raw file is as large: 2GiB "
      .. "(default: only the disk limits it)." },
    { "-o --output", value = "FILE", help = "Keep the raw capture as FILE.tdmc, or write the run "
      .. "in the format of another ending: .json, .pftrace, .sqlite …" },
    { "--watch", help = "Say every second what the program does (tandem watch)." },
    storing.option,
    { "--name", value = "NAME", help = "Of the run (default: the program's)." },
    { "--tag", value = "TAG", collect = true, help = "Tag the run. May be repeated." },
    { "--no-progress", help = "No progress line while the capture is read." },
  },
  examples = {
    "tandem capture -- ./infer model.bin", "tandem capture -- python serve.py --port 8000",
    "tandem capture --delay 30s --duration 5s -o window.json -- python train.py",
  },
  interactive = true,
  passes_on = true,
}

local DEFAULT <const> = "api,gpu,memory,nvtx,sync"
local LONGEST_RANGE <const> = 255 -- bytes: what the capture file has room for

-- The bits of --record; nil and what is wrong.
local function wanted_of(text)
  local bits = 0
  for word in text:gmatch "[^,%s]+" do
    local bit
    for i, part in ipairs(record.PARTS) do bit = part == word and 1 << (i - 1) or bit end
    if not bit then
      return nil, ("--record cannot be '%s'; %s"):format(word,
        require("tandem.text.nearest").hint(word, record.PARTS))
    end
    bits = bits | bit
  end
  if bits == 0 then return nil, "--record wants some of " .. table.concat(record.PARTS, ",") end
  return bits
end

local function quantity(args, name, dimension, example)
  local text = args[name]
  if not text then return true, nil end
  local value, found = units.parse(text)
  if not value or found ~= dimension or not (value >= 0 and value < 1e15) then
    return false, ("--%s wants %s, not '%s'"):format(name, example, text)
  end
  return true, value
end

-- What the command line asks for; nil and what is wrong.
local function plan_of(args)
  local wanted, wrong = wanted_of(args.record or DEFAULT)
  if not wanted then return nil, wrong end
  local plan = { argv = args.program, backend = args.backend or "auto", wanted = wanted,
    ranges = args.range == "profiler", range = args.range and args.range:match "^nvtx:(.+)$" }
  for _, one in ipairs { { "delay", "s", "a time such as 1.5s" },
    { "duration", "s", "a time such as 1.5s" }, { "limit", "B", "a size such as 2GiB" } } do
    local ok, value = quantity(args, one[1], one[2], one[3])
    if not ok then return nil, value --[[@as string]] end
    plan[one[1]] = value
  end
  if args.range and not plan.ranges and not plan.range then
    return nil, ("--range wants profiler or nvtx:NAME, not '%s'"):format(args.range)
  elseif plan.range and #plan.range > LONGEST_RANGE then
    return nil, ("--range: a name has at most %d bytes"):format(LONGEST_RANGE)
  elseif args.range and (plan.delay or plan.duration) then
    return nil, "give --range, or --delay and --duration, not both"
  end
  plan.limit = math.floor(plan.limit or 0)
  if args.limit and plan.limit < 1 << 20 then return nil, "--limit wants at least 1MiB" end
  for _, tag in ipairs(args.tag) do
    if not require("tandem.store.edit").is_tag(tag) then
      return nil, ("a tag is one word, not '%s'"):format(tag)
    end
  end
  if args.output and not args.output:find "%.tdmc$" then
    local writer, problem = require("tandem.cli.export").writer_of { output = args.output }
    if not writer then
      return nil, ("--output %s: %s"):format(args.output,
        (problem:gsub("^%-%-format is missing", "its ending names no format (.tdmc is raw)")))
    end
  end
  return plan
end

local SIGNALS <const> = { [1] = "SIGHUP", [2] = "SIGINT", [3] = "SIGQUIT", [4] = "SIGILL",
  [6] = "SIGABRT", [7] = "SIGBUS", [8] = "SIGFPE", [9] = "SIGKILL", [10] = "SIGUSR1",
  [11] = "SIGSEGV", [12] = "SIGUSR2", [13] = "SIGPIPE", [14] = "SIGALRM", [15] = "SIGTERM",
  [24] = "SIGXCPU", [25] = "SIGXFSZ" }

-- How the program ended, where it did not just end well, and the exit code for that.
local function ending(ended)
  if ended.how == "signal" then
    return ("was ended by %s"):format(SIGNALS[ended.number] or "signal " .. ended.number),
      128 + ended.number
  elseif ended.number ~= 0 then
    return ("ended with exit code %d"):format(ended.number), ended.number
  end
  return nil, codes.OK
end

local function name_leftovers(store, console)
  local left = files.left(store)
  if #left == 0 then return end
  console:note(("%s of a tandem that was cut short: tandem import %s reads %s; rm drops %s"):format(
    #left == 1 and "a capture" or format.integer(#left) .. " captures", #left == 1
      and require("tandem.text.shell").word(left[1]) or files.directory(store) .. "/*.tdmc",
    #left == 1 and "it" or "them", #left == 1 and "it" or "them"))
end

-- Why there is nothing, in a sentence.
local function nothing(args, plan, ended, said)
  local program = args.program[1]
  if #said > 0 then return ("nothing was recorded of %s"):format(program) end
  if ended.state.unreachable then
    return ("%s lost its way to the capture file before its first record (%s): it gave up its "
      .. "rights or its root directory, and closed the descriptor that it had"):format(program,
        ended.state.unreachable)
  end
  local obstacle = require("tandem.capture.program").obstacle(program)
  if obstacle then return obstacle end
  if plan.ranges then
    return ("%s recorded nothing: it did not call cudaProfilerStart, or no CUDA after it"):format(
      program)
  elseif plan.range then
    return ("%s recorded nothing: it opened no NVTX range '%s', or used no CUDA in one"):format(
      program, plan.range)
  elseif plan.delay then
    return ("%s made no call of CUDA after the first %s"):format(program, args.delay)
  end
  return ("%s used no CUDA: it made no call of the driver (libcuda)"):format(program)
end

-- Reads the raw file into the store; the run's id.
local function import(args, plan, ended, store, console)
  local core = require "tandem.core"
  local name = args.name or args.program[1]:match "([^/]+)/*$" or args.program[1]
  local progress, finish
  if not args.no_progress and console.error_style.terminal then
    progress, finish = console:progress "reading"
  end
  local function complete(db, number)
    for key, value in pairs { how = ended.how, number = ended.number, backend = plan.backend,
      seconds = ("%.9f"):format(ended.seconds) } do
      local done, message, code = db:run("INSERT OR REPLACE INTO fact VALUES(?, 0, ?, ?)", number,
        "capture.end_" .. key, tostring(value))
      if not done then return nil, message, code end
    end
    return require("tandem.store.edit").add_tags(db, number, args.tag)
  end
  local id, message, code = require("tandem.store.made").by(store, core.import, { store = store,
    files = { plan.path }, name = name,
    version = core.version(), created_utc_ns = require("tandem.io.date").now_ns(),
    without = {}, progress = progress and function(fraction) progress(fraction) end,
    complete = complete })
  if finish then finish() end
  return id, message, code
end

-- The raw file goes where --output says, or away, once it has been read; the exit code.
local function let_go(args, plan, console)
  local done, message, code = true, nil, nil
  if (args.output or ""):find "%.tdmc$" then
    done, message, code = require("tandem.io.outfile").copy(args.output, plan.path)
  end
  if not done then return console:fail(code or codes.IO, tostring(message)) end
  files.remove(plan.path)
  return codes.OK
end

-- The run as a file of the format that --output says; the exit code.
local function export(args, id, store, console)
  if not args.output then return codes.OK end
  if args.output:find "%.tdmc$" then
    console:note(("the raw capture is in %s"):format(args.output))
    return codes.OK
  end
  return require("tandem.cli.export").run({ run = id, output = args.output, store = store },
    console)
end

local function try_next(id, calls, console)
  local style = console.error_style
  local rows = { { "tandem phases " .. id, "how the program went from start to end" },
    { "tandem report " .. id, "all that can be told of it" },
    { "tandem export " .. id .. " -o trace.pftrace", "for https://ui.perfetto.dev" } }
  if calls == 0 then table.remove(rows, 1) end
  console:note ""
  console.write_error(style:paint("Try next", "bold") .. "\n")
  for _, line in ipairs(require("tandem.text.columns").lines({ { title = "" },
    { title = "", optional = 1 } }, rows, { style = style, indent = 2 })) do
    console:note(line)
  end
end

-- What became of the run, once it is in the store.
local function tell(args, ended, id, store, console)
  local how, code = ending(ended)
  local text = table.concat(args.program, " ")
  console:note ""
  console:note(("captured %s: %s%s"):format(require("tandem.plot.style").cut(text, 60),
    format.time(ended.seconds), how and ("; it %s"):format(how) or ""))
  console:note(("kept as %s in %s"):format(id, store))
  local shown = storing.with({ store = store }, console, {}, function(opened)
    if ended.how == "signal" or ended.interrupts > 0 then
      local done, message, failed = opened.db:run("UPDATE run SET state = 'interrupted' WHERE "
        .. "id = ?", id)
      if not done then return nil, message, failed end
    end
    local run, message, failed = opened:run(id)
    if not run then return nil, message, failed end
    local lines, calls = require("tandem.capture.summary").lines(run, ended, console.error_style)
    for _, line in ipairs(lines) do console.write_error(line .. "\n") end
    try_next(id, calls, console)
    return codes.OK
  end)
  local written = export(args, id, store, console)
  if code ~= codes.OK then return code end
  return shown ~= codes.OK and shown or written
end

-- Removes a run without a record; what the libraries had to say, or nil: it has some.
local function drop_empty(id, store)
  local opened <close> = require("tandem.store").open(store)
  local run = opened and opened:run(id)
  if not run or run.span_count > 0 then return nil end
  local said = {}
  local summary = require "tandem.capture.summary"
  for problem in run:problems() do said[#said + 1] = summary.problem(problem) end
  opened:remove(id)
  return said
end

-- Nothing was recorded: says so, and why; the exit code.
local function give_up(args, plan, ended, said, console)
  console:fail(codes.NO, nothing(args, plan, ended, said) .. "; nothing is kept")
  for _, line in ipairs(said) do console:note("  " .. line) end
  local how, code = ending(ended)
  if not how then return codes.NO end
  console:note(("%s %s"):format(args.program[1], how))
  return code
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local plan, wrong = plan_of(args)
  if not plan then return console:usage(wrong) end
  local date = require "tandem.io.date"
  local store_path = require "tandem.store.path"
  local store = store_path.of(args.store)
  name_leftovers(store, console)
  -- The file is ours until the session is closed: when it has been read, and removed.
  local session <close>, path, code = files.new(store, args.program[1], date.now_ns(),
    function(at) return record.make(plan, at) end)
  if not session then return console:fail(code or codes.IO, path) end
  plan.path = path
  local watch = args.watch and require("tandem.capture.live").watcher(path, console)
  local ended, why
  ended, why, code = record.run(session, plan, watch)
  if not ended then
    files.remove(path)
    return console:fail(code or codes.IO, tostring(why))
  end
  local id, said
  if ended.state.chunks > 0 then
    id, why, code = import(args, plan, ended, store, console)
    if not id then
      console:fail(code, tostring(why))
      console:note(("what was recorded is in %s; tandem import reads it"):format(path))
      return code
    end
    said = drop_empty(id, store)
  end
  if said or not id then
    files.remove(path)
    return give_up(args, plan, ended, said or {}, console)
  end
  local gone = let_go(args, plan, console)
  if gone ~= codes.OK then args.output = nil end -- has been complained of
  code = tell(args, ended, id, store, console)
  return code == codes.OK and gone or code
end

return command
