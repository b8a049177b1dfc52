--- `tandem notebook`: notebooks run without Jupyter.
local codes = require "tandem.cli.codes"

---@type tandem.Command
local command = {
  summary = "run notebooks without Jupyter: list, run, show, new",
  about = "Runs the Lua cells of a notebook (.ipynb) as the Jupyter kernel would, in the "
    .. "notebook's directory, and prints what they say. Outputs are the same bytes on every run, "
    .. "so that --check can hold a notebook against what was committed. list names those that come "
    .. "with tandem, which go by their names; show prints one as it is; new writes one to begin "
    .. "with.",
  arguments = {
    { name = "action", value = "ACTION", help = "list, run, show or new." },
    { name = "file", value = "FILE.ipynb", count = "?",
      help = "The notebook, or the name of one that comes with tandem." },
  },
  options = {
    { "--output", value = "FILE", help = "run: write the notebook with its outputs there." },
    { "--inplace", help = "run: write it where it was." },
    { "--check", help = "run: compare with the outputs that are in the file, and write nothing; "
      .. "exit code 1 when they differ." },
  },
  interactive = true,
  examples = { "tandem notebook list", "tandem notebook show first-simulation",
    "tandem notebook run first-simulation",
    "tandem notebook run --inplace my.ipynb", "tandem notebook run --check my.ipynb",
    "tandem notebook new my.ipynb" },
}

local ACTIONS <const> = { "list", "run", "show", "new" }

--- The cell as people read it: its outputs as text, indented.
local function print_cell(console, cell, with_source)
  if with_source then
    console:print(cell.source:gsub("%s+$", ""))
  end
  for _, output in ipairs(cell.outputs or {}) do
    local text = output.text or output.data and output.data["text/plain"]
      or output.traceback and table.concat(output.traceback, "\n")
    if type(text) == "string" and text ~= "" then console:print((text:gsub("\n$", ""))) end
  end
  if with_source then console:print "" end
end

--- Says how each cell differs; the number of those.
local function tell_differences(console, path, committed, book)
  local run, count = require "tandem.notebook.run", 0
  for index, cell in ipairs(book.cells) do
    local difference = cell.outputs and run.difference(committed[index], cell.outputs)
    if difference then
      count = count + 1
      console:fail(codes.NO, ("%s: cell %d: %s"):format(path, index, difference))
    end
  end
  return count
end

local actions = {}

function actions.show(_, console, book)
  for _, cell in ipairs(book.cells) do print_cell(console, cell, true) end
  return codes.OK
end

function actions.run(args, console, book)
  local spec = type(book.metadata.kernelspec) == "table" and book.metadata.kernelspec or {}
  local language = type(spec.language) == "string" and spec.language:lower() or "lua"
  if language ~= "lua" then
    return console:fail(codes.INVALID, ("%s is written in %s; tandem runs Lua"):format(args.file,
      spec.language))
  end
  local run, committed = require "tandem.notebook.run", {}
  for index, cell in ipairs(book.cells) do committed[index] = cell.outputs end
  local failure, message = run.book(book, args.file:match "^(.*)/[^/]*$" or ".")
  if message then return console:fail(codes.IO, message) end
  if failure then
    local interrupted = failure.problem.name == "Interrupted"
    console:fail(codes.NO, ("%s: cell %d: %s"):format(args.file, failure.cell,
      table.concat(failure.problem.trace, "\n")))
    return interrupted and codes.INTERRUPTED or codes.NO
  end
  if args.check then
    local count = tell_differences(console, args.file, committed, book)
    if count > 0 then return codes.NO end
    console:print(("%s: outputs are as committed"):format(args.file))
    return codes.OK
  elseif args.output or args.inplace then
    local path = args.output or args.file
    local ok, why, code = require("tandem.io.outfile").write(path,
      require("tandem.notebook.file").text(book))
    if not ok then return console:fail(code, why) end
    return codes.OK
  end
  for _, cell in ipairs(book.cells) do print_cell(console, cell, false) end
  return codes.OK
end

local function new(args, console)
  local there = io.open(args.file, "rb")
  if there then
    there:close()
    return console:fail(codes.IO, args.file .. " is there already")
  end
  local file = require "tandem.notebook.file"
  local title = args.file:match("([^/]*)$"):gsub("%.ipynb$", "")
  local outfile = require "tandem.io.outfile"
  local ok, message, code = outfile.write(args.file, file.text(file.new(title)))
  if not ok then return console:fail(code, message) end
  console:print("wrote " .. args.file)
  return codes.OK
end

--- The first heading of a notebook, which says its question.
local function title_of(path)
  local book = require("tandem.notebook.file").read(path)
  local first = book and book.cells[1] and book.cells[1].source or ""
  return first:match "^#%s*([^\n]+)" or ""
end

local function list(console)
  local rows = {}
  for index, one in ipairs(require("tandem.notebook.shipped").list()) do
    rows[index] = { { text = one.name, color = "bold" }, title_of(one.path) }
  end
  if #rows == 0 then
    return console:fail(codes.IO, "no notebooks lie beside this program; make install puts them "
      .. "into share/tandem/notebooks")
  end
  console:print(require("tandem.text.columns").lines({ { title = "notebook" },
    { title = "question" } }, rows, { style = console.style }))
  console:print("\ntandem notebook show NAME prints one with its outputs, tandem notebook run NAME "
    .. "runs it.")
  return codes.OK
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local chosen = (args.check and 1 or 0) + (args.output and 1 or 0) + (args.inplace and 1 or 0)
  if chosen > 1 then
    return console:usage "give one of --output, --inplace and --check"
  elseif chosen > 0 and args.action ~= "run" then
    return console:usage(("%s takes none of --output, --inplace and --check"):format(args.action))
  elseif args.action == "list" then
    return list(console)
  elseif not args.file then
    return console:usage(("%s wants a notebook; tandem notebook list shows those that come with "
      .. "tandem"):format(args.action))
  elseif args.action == "new" then
    return new(args, console)
  elseif not actions[args.action] then
    return console:usage(("there is no '%s'; %s"):format(args.action,
      require("tandem.text.nearest").hint(args.action, ACTIONS)))
  end
  local path, hint = require("tandem.notebook.shipped").find(args.file)
  args.file = path
  local book, message, code = require("tandem.notebook.file").read(path)
  if not book then return console:fail(code, message .. (hint or "")) end
  return actions[args.action](args, console, book)
end

return command
