--- `tandem export`: a stored run as a file for other programs.
local codes = require "tandem.cli.codes"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "write a run as a file: Chrome JSON, Perfetto, CSV, HDF5 …",
  about = "Writes the spans, edges and counters of a run in a format that other programs read; "
    .. "tandem help formats lists them.",
  arguments = { storing.run },
  options = {
    { "--format", value = "FORMAT", help = "chrome, perfetto, csv, jsonl, speedscope, folded, "
      .. "hdf5, arrow, parquet or nsys; by the ending of the file where that tells." },
    { "--as-captured", help = "A simulated run as a profiler would have captured it: requests as "
      .. "ranges on threads, stages as CUDA calls, copies and kernels (tandem help formats)." },
    { "-o --output --out", value = "FILE", help = "Where to; - is standard output. Default: the "
      .. "run's id with the format's ending." },
    { "--table", value = "NAME", choices = { "spans", "requests" }, help = "Of --format arrow "
      .. "and parquet, which hold one table: spans, the default (everything that has a time), or "
      .. "requests." },
    { "--from", value = "TIME", help = "Leave out what ends before: 1.5s from the run's start." },
    { "--to", value = "TIME", help = "Leave out what begins after." },
    storing.option,
  },
  examples = { "tandem export last --format perfetto -o run.pftrace",
    "tandem export 6f64 -o run.json --from 2s --to 2.5s",
    "tandem export last --format jsonl -o - | head",
    "tandem export last --as-captured -o run.sqlite" },
}

local ONE_TABLE <const> = { arrow = true, parquet = true }

local function names_of(writers)
  local names = {}
  for i, writer in ipairs(writers) do names[i] = writer.name end
  return names
end

-- The writer that the command line means; nil and what is wrong.
local function writer_of(args)
  local writers = require("tandem.core").formats().writers
  if args.format then
    for _, writer in ipairs(writers) do
      if writer.name == args.format then return writer end
    end
    return nil, ("there is no format '%s'; %s"):format(args.format,
      require("tandem.text.nearest").hint(args.format, names_of(writers)))
  end
  local fitting
  for _, writer in ipairs(writers) do
    local ending = writer.ending
    if args.output and args.output:sub(-#ending) == ending
      and (not fitting or #ending > #fitting.ending) then
      fitting = writer
    end
  end
  if fitting then return fitting end
  return nil, "--format is missing: " .. require("tandem.text.format").list(names_of(writers), "or")
end

--- For commands that write a file too.
command.writer_of = writer_of

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local writer, wrong = writer_of(args)
  if not writer then return console:usage(wrong) end
  if (args.table or "spans") ~= "spans" and not ONE_TABLE[writer.name] then
    return console:usage(("--table goes with --format arrow or parquet; %s has everything in one "
      .. "file"):format(writer.name))
  end
  return storing.with(args, console, { readonly = true }, function(store)
    local run, message, code = store:run(args.run)
    if not run then return nil, message, code end
    local bounds
    bounds, wrong = storing.bounds(run, args)
    if not bounds then return nil, wrong, codes.USAGE end
    local lost = args.table ~= "requests" and require("tandem.store.run").lost_spans(run)
    if lost then return nil, lost, codes.INVALID end
    local path = args.output or run.id .. writer.ending
    local core = require "tandem.core"
    local done
    done, message, code = core.export { store = store.path, run = run.id, format = writer.name,
      path = path == "-" and "/dev/stdout" or path, name = run.name, version = core.version(),
      captured = args.as_captured, table = args.table, from_ns = bounds.from, to_ns = bounds.to }
    if not done then return nil, message, code end
    if path ~= "-" then console:note(("%s written to %s"):format(writer.title, path)) end
    for _, line in ipairs(done) do console:note(line) end
    return codes.OK
  end, 0.3)
end

return command
