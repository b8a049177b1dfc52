--- `tandem kernel`: tandem as a kernel of Jupyter: installed, listed, removed, run.
local codes = require "tandem.cli.codes"

---@type tandem.Command
local command = {
  summary = "the Jupyter kernel: install, list, remove, run",
  about = "Makes tandem a kernel of Jupyter notebooks, in Lua with td loaded: values show as in "
    .. "tandem repl, charts as pictures. install writes what tells Jupyter about it; run is what "
    .. "Jupyter then starts. tandem notebook run executes notebooks without Jupyter.",
  arguments = {
    { name = "action", value = "ACTION", help = "install, list, remove or run." },
    { name = "what", value = "FILE|NAME", count = "?",
      help = "run: the connection file that Jupyter wrote; remove: the kernel's name." },
  },
  options = {
    { "--user", help = "install: for you alone, in your data directory; this is the default." },
    { "--prefix", value = "DIR", help = "install, list, remove: in DIR/share/jupyter/kernels, such "
      .. "as /usr/local or a virtual environment." },
    { "--name", value = "NAME", help = "install: what Jupyter calls it (default: tandem)." },
    { "--display", value = "TEXT", help = "install: what its menus call it; tandem (Lua) unless "
      .. "told." },
  },
  interactive = true,
  examples = { "tandem kernel install", "tandem kernel install --prefix ~/venv --name tandem-dev",
    "tandem kernel list", "tandem kernel remove tandem-dev" },
}

local actions = {}

function actions.install(args, console)
  if args.what then
    return console:usage(("install takes no '%s'; did you mean --name %s?"):format(args.what,
      args.what))
  elseif args.user and args.prefix then
    return console:usage "give --user or --prefix, not both"
  end
  local name = args.name or "tandem"
  local directory, message, code = require("tandem.jupyter.specs").install { name = name,
    prefix = args.prefix, display = args.display or "tandem (Lua)" }
  if not directory then return console:fail(code, message) end
  console:print(("installed kernel %s in %s"):format(name, directory))
  return codes.OK
end

function actions.list(args, console)
  if args.what then return console:usage(("list takes no '%s'"):format(args.what)) end
  local rows = {}
  for index, spec in ipairs(require("tandem.jupyter.specs").list(args.prefix)) do
    rows[index] = { name = spec.name, display = spec.display, directory = spec.directory,
      program = spec.works and spec.program or spec.program .. " (is not there)" }
  end
  if #rows == 0 then
    console:note "no kernel is installed; tandem kernel install does that"
    return codes.OK
  end
  console:print(require("tandem.store.rows").new({ { name = "name" },
    { name = "display", title = "in menus" }, { name = "directory", title = "where" },
    { name = "program" } }, rows):lines(console.style))
  return codes.OK
end

function actions.remove(args, console)
  if not args.what then return console:usage "which one? tandem kernel list lists them" end
  local directory, message, code = require("tandem.jupyter.specs").remove(args.what, args.prefix)
  if not directory then return console:fail(code, message) end
  console:print("removed " .. directory)
  return codes.OK
end

function actions.run(args, console)
  if not args.what then return console:usage "run wants the connection file that Jupyter wrote" end
  local stderr = io.stderr -- the process's: cells get streams of their own
  local ended, message, code = require("tandem.jupyter.run").main(args.what, function(text)
    stderr:write("tandem kernel: ", require("tandem.plot.style").clean(text), "\n")
  end)
  if not ended then return console:fail(code, message) end
  return codes.OK
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local action = actions[args.action]
  if not action then
    return console:usage(("there is no '%s'; %s"):format(args.action,
      require("tandem.text.nearest").hint(args.action, { "install", "list", "remove", "run" })))
  end
  return action(args, console)
end

return command
