--- `tandem import`: measured traces into the store.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local format = require "tandem.text.format"
local storing = require "tandem.cli.storing"

local PARTS <const> = { "api", "nvtx", "osrt", "cpu", "gpu" }
local LEFT_OUT_SHOWN <const> = 5

---@type tandem.Command
local command = {
  summary = "read measured traces into the store: nsys, torch, JAX, rocprofv3, metrics …",
  keeps = true,
  about = "Reads files of one measurement as one run; the format is found by content (tandem help "
    .. "formats lists them). Several files are ranks or nodes: their clocks are aligned, and how "
    .. "well is said. Of a folder all traces in it are read, and what is none is named. The tables "
    .. "that rocprofv3 writes of one process are read as one file. Nothing is dropped silently: "
    .. "what a reader could not use is counted. All files are read, or nothing is stored.",
  arguments = {
    { name = "files", value = "FILE", count = "+", reads = "file",
      help = "Trace files, folders of them, or - for standard input." },
  },
  options = {
    storing.option,
    { "--name", value = "NAME", help = "Of the run (default: the first file's)." },
    { "--tag", value = "TAG", collect = true, help = "Tag the run. May be repeated." },
    { "--align", value = "METHOD", choices = { "auto", "collectives", "utc", "first", "none" },
      help = "How the clocks of several files are aligned: collectives (NCCL operations end "
        .. "together), utc (recorded start times), first (first records), none; auto (the default) "
        .. "takes collectives where there are ten in common, else utc." },
    { "--time-unit", value = "UNIT", choices = { "auto", "ns", "us", "ms", "s" },
      help = "Of formats that do not say theirs." },
    { "--only", value = "PARTS", help = "Read only these, for speed: api,nvtx,osrt,cpu,gpu." },
    { "--without", value = "PARTS", help = "Leave these out." },
    forms.json("Print JSON (schema tandem.import/1) instead."),
    { "--no-progress", help = "No progress line, not even in a terminal." },
  },
  examples = {
    "tandem import report.sqlite", "tandem import rank*.json.gz --tag h100",
    "tandem import - --name nightly < trace.json.gz",
    "tandem import report.nsys-rep --only gpu", "tandem import rocprof-output/",
  },
}

-- { "gpu", "nvtx" } of "gpu,nvtx"; nil and what is wrong.
local function parts_of(option, text)
  local out = {}
  for word in text:gmatch "[^,%s]+" do
    local known = false
    for _, part in ipairs(PARTS) do known = known or part == word end
    if not known then
      return nil, ("%s cannot be '%s'; %s"):format(option, word,
        require("tandem.text.nearest").hint(word, PARTS))
    end
    out[word] = true
  end
  if next(out) == nil then return nil, option .. " wants some of " .. table.concat(PARTS, ",") end
  return out
end

-- What the reader leaves out, as core.import takes it.
local function dropped_by(args)
  if args.only and args.without then return nil, forms.not_both("--only", "--without") end
  local given, wrong
  if args.only then
    given, wrong = parts_of("--only", args.only)
  else
    given, wrong = parts_of("--without", args.without or "")
    if not args.without then given = {} end
  end
  if not given then return nil, wrong end
  local out = {}
  for _, part in ipairs(PARTS) do
    if (given[part] ~= nil) == (args.only == nil) then out[#out + 1] = part end
  end
  return out
end

local function base_name(path)
  if path == "-" then return "standard input" end
  return path:match "([^/]+)/*$" or path
end

-- A bar over all files, once an import takes longer than a moment.
local function progress_of(args, files, names, console)
  local style = console.error_style
  if args.no_progress then return nil, function() end end
  if not style.terminal then
    local tell, finish = console:progress "importing"
    local index, path = 0, nil
    return tell and function(fraction, file)
      if file ~= path then path, index = file, index + 1 end
      tell((index - 1 + fraction) / #files)
    end, finish
  end
  local bar = require "tandem.plot.bar"
  local clock = require("tandem.core").clock
  local began, shown, path, index = clock(), -1, nil, 0
  return function(fraction, file)
    if file ~= path then path, index = file, index + 1 end
    local done = math.min(1, (index - 1 + fraction) / #files)
    local percent = math.floor(done * 100)
    if percent ~= shown and clock() - began > 0.5 then
      shown = percent
      console.write_error(("\r\27[K%s %s %3d %%"):format(style:text(base_name(names[file] or file)),
        bar.line(done, 30, style, true), percent))
    end
  end, function()
    if shown >= 0 then console.write_error "\r\27[K" end
  end
end

local METHODS <const> = { collectives = "by NCCL collectives", utc = "by recorded UTC times",
  first = "by their first records", none = "not aligned" }

local function alignment_line(alignment)
  local text = "clocks: " .. METHODS[alignment.method]
  if alignment.residual_ns then
    text = text .. (", residual ± %s over %s"):format(format.time(alignment.residual_ns / 1e9),
      format.plural(alignment.matched, "collective"))
  end
  return alignment.why and ("%s (%s)"):format(text, alignment.why) or text
end

-- Of folders: what was no trace, in one line.
local function left_out_line(left_out)
  local shown = {}
  for i = 1, math.min(#left_out, LEFT_OUT_SHOWN) do shown[i] = base_name(left_out[i]) end
  if #left_out > #shown then shown[#shown + 1] = "…" end
  return ("%s in no format that is read, left out: %s"):format(
    format.plural(#left_out, "file"), table.concat(shown, ", "))
end

-- Counters of kernels stand in no row of the files' table.
local function counters_line(run, store)
  local names, sum = {}, 0
  local all = store:query(("SELECT name, count(*) AS n FROM metric WHERE run = %d"
    .. " AND scope = 'kernel' GROUP BY name ORDER BY name"):format(run.number)):all()
  for i, row in ipairs(all) do
    sum = sum + row.n
    if i <= LEFT_OUT_SHOWN then names[i] = row.name end
  end
  if sum == 0 then return nil end
  if #all > #names then names[#names + 1] = "…" end
  return ("%s of counters of kernels: %s (kernel_metric in SQL)"):format(
    format.plural(sum, "value"), table.concat(names, ", "))
end

local function show(run, alignment, left_out, store, console)
  local files, problems, rows = run:sources():all(), run:problems():all(), {}
  local function of(source)
    return #files > 1 and (" (%s)"):format(base_name(files[source + 1].path)) or ""
  end
  for i, file in ipairs(files) do
    rows[i] = { file = base_name(file.path), format = file.format, detail = file.detail,
      rank = file.rank, rows = file.rows,
      length = require("tandem.store.run").length_s(file.first_ns, file.last_ns),
      clock = alignment.method ~= "none" and file.offset_ns / 1e9 or nil,
      residual = file.residual_ns and file.residual_ns / 1e9 }
  end
  local columns = { { name = "file" }, { name = "format" }, { name = "detail", wrap = true },
    { name = "rank" },
    { name = "rows", title = "records", show = format.integer, align = "right" },
    { name = "length", show = format.time, align = "right" },
    { name = "clock", show = format.time, align = "right" },
    { name = "residual", show = format.time, align = "right" } }
  local used = {}
  for _, column in ipairs(columns) do
    for _, row in ipairs(rows) do
      if row[column.name] ~= nil and row[column.name] ~= "" then
        used[#used + 1] = column
        break
      end
    end
  end
  console:print(("kept as %s in %s"):format(run.id, console.style:text(store.path)))
  console:print(require("tandem.store.rows").new(used, rows):lines(console.style, 2))
  for _, problem in ipairs(problems) do
    console:print(console.style:text(("  %s %s%s"):format(format.integer(problem.count),
      problem.kind, of(problem.source))))
  end
  for fact in run:facts() do
    if fact.key:find "^note%.%d+$" then
      console:print(console.style:text(("  %s%s"):format(fact.value, of(fact.source))))
    end
  end
  local counters = counters_line(run, store)
  if counters then console:print(console.style:text("  " .. counters)) end
  if alignment.sources then
    console:print(console.style:text("  " .. alignment_line(alignment)))
  end
  local times = require("tandem.store.times").of(run)
  if times then console:print("  " .. times.note) end
  if #left_out > 0 then console:print(console.style:text("  " .. left_out_line(left_out))) end
end

local function to_json(run, alignment, left_out, store)
  local sources = {}
  for i, file in ipairs(run:sources():all()) do
    sources[i] = { problems = {} }
    for name, value in pairs(file) do sources[i][name] = value end
  end
  for problem in run:problems() do
    local of = sources[problem.source + 1].problems
    of[#of + 1] = { kind = problem.kind, count = problem.count }
  end
  local rows = 0
  for _, source in ipairs(sources) do rows = rows + source.rows end
  return require("tandem.io.json").encode({ schema = "tandem.import/1", id = run.id,
    name = run.name, store = store.path, rows = rows, spans = run.span_count, sources = sources,
    alignment = { method = alignment.method, why = alignment.why, matched = alignment.matched,
      residual_ns = alignment.residual_ns }, left_out = left_out },
    { indent = 2, lists = { sources = true, problems = true, left_out = true } }) .. "\n"
end

-- Files that are not there are complained about before a store is made for them.
local function absent(files)
  for _, path in ipairs(files) do
    local file, message = io.open(path, "rb")
    if file then
      file:close()
    elseif path ~= "-" then
      return "cannot read " .. message .. require("tandem.io.infile").hint(path)
    end
  end
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local without, wrong = dropped_by(args)
  if not without then return console:usage(wrong) end
  for _, tag in ipairs(args.tag) do
    if not require("tandem.store.edit").is_tag(tag) then
      return console:usage(("a tag is one word, not '%s'"):format(tag))
    end
  end
  local message = absent(args.files)
  if message then return console:fail(codes.IO, message) end
  local core = require "tandem.core"
  local traces = require "tandem.store.traces"
  local files, left_out, failed = traces.of(args.files)
  if not files then return console:fail(failed, left_out) end
  local date = require "tandem.io.date"
  local store_path = require "tandem.store.path"
  local telemetry = require "tandem.telemetry"
  local prepared, names, refused = telemetry.prepared(files)
  if not prepared then return console:fail(refused, names) end
  local progress, finish = progress_of(args, files, names, console)
  local alignment
  local function complete(db, number)
    local why, code
    alignment, why, code = require("tandem.store.align").run(db, number, args.align)
    if not alignment then return nil, why, code end
    return require("tandem.store.edit").add_tags(db, number, args.tag)
  end
  local id, code
  local into = store_path.of(args.store)
  id, message, code = require("tandem.store.made").by(into, core.import, { store = into,
    files = prepared,
    name = args.name or traces.name(args.files), version = core.version(),
    created_utc_ns = date.now_ns(), time_unit = args.time_unit, without = without,
    progress = progress, complete = complete })
  finish()
  telemetry.clear(names)
  if not id then
    return console:fail(code, require("tandem.io.filekind").told(tostring(message)))
  end
  return storing.with(args, console, { readonly = true, interruptible = true }, function(store)
    local run
    run, message, code = store:run(id)
    if not run then return nil, message, code end
    if args.json then
      console.write_out(to_json(run, alignment, left_out, store))
    else
      show(run, alignment, left_out, store, console)
    end
    return codes.OK
  end)
end

return command
