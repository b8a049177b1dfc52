--- `tandem scrub`: takes out of a run what nobody else should read.
local codes = require "tandem.cli.codes"
local format = require "tandem.text.format"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "remove environments, host names, paths and names from a run",
  about = "Takes out of a run what a recording tells of its machine and its user, so that the "
    .. "store can be given away. What is removed is overwritten in the file, not only hidden. "
    .. "Times, counts and structure stay. Artifacts (texts of other programs, kept whole) go in "
    .. "every case.",
  arguments = { storing.run },
  options = {
    { "--all", help = "Environment, hosts and paths." },
    { "--environment", help = "Recorded environment variables and program arguments." },
    { "--hosts", help = "Names of machines and users, wherever they stand; GPU serials." },
    { "--paths", help = "Directories of absolute paths, wherever they stand." },
    { "--names", value = "PATTERN", collect = true, help = "Names of ranges, kernels, tracks that "
      .. "match become \"scrubbed 1\" …: a glob (user_*) or a /Lua pattern/. May be repeated." },
    { "--dry-run", help = "Change nothing: say what would be removed." },
    storing.option,
  },
  examples = { "tandem scrub last --all", "tandem scrub 6f64 --names 'request *' --names '/@/'",
    "tandem scrub last --all --dry-run" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  if not (args.all or args.environment or args.hosts or args.paths or #args.names > 0) then
    return console:usage("what is to be removed? --all, or some of --environment, --hosts, "
      .. "--paths, --names")
  end
  return storing.with(args, console, { readonly = args.dry_run }, function(store)
    local removed, message, code = store:scrub(args.run, { all = args.all, hosts = args.hosts,
      environment = args.environment, paths = args.paths, names = args.names,
      dry_run = args.dry_run })
    if not removed then return nil, message, code end
    local parts = {}
    local function add(count, noun, plural)
      if count > 0 then parts[#parts + 1] = format.plural(count, noun, plural) end
    end
    add(removed.environment, "recorded variable or argument", "recorded variables and arguments")
    add(removed.hosts, "fact of the host", "facts of the host")
    add(removed.texts, "directory or host in a text", "directories and hosts in texts")
    add(removed.names, "name")
    add(removed.artifacts, "artifact")
    console:note(("%s %s"):format(args.dry_run and "would remove" or "removed",
      #parts > 0 and format.list(parts) or "nothing"))
    if removed.clean then return codes.OK end
    return nil, ("another process reads %s just now, so what was removed may still stand in its "
      .. "free pages: run tandem gc when it is done"):format(store.path), codes.IO
  end)
end

return command
