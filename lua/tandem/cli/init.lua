--- The command line: which command is meant, what its arguments are, what code to leave with.
--
-- Owns the list of commands and the option tables' way into argparse. A command is a file of its
-- own, loaded only when it is called; app/main.c calls main() and turns its result into the exit
-- code. Nothing here prints to standard output except help that was asked for.
local codes = require "tandem.cli.codes"
local consoles = require "tandem.cli.console"

local cli = {}

---@class tandem.Option
---@field [1] string        "--seed", or "-h --help"
---@field value? string     name of its value in help; without one it is a flag
---@field kind? "integer"|"number"|"text"  what the value must be (default: text)
---@field least? number     smallest value allowed
---@field most? integer     largest value allowed
---@field choices? string[]
---@field many? boolean     may be repeated, and takes several KEY=VALUE: always a list
---@field collect? boolean  may be repeated: always a list
---@field minus? boolean    its value may begin with a dash: --sort -count
---@field answers? boolean  it asks for the answer in an envelope (tandem.cli.forms.json)
---@field reads? tandem.Reads
---@field help string

--- What of the file system a value names: a file; or a file, else something that has that name (a
--- run, a shipped scenario). A value that names what is written has none.
---@alias tandem.Reads "file"|"name"

---@class tandem.ArgumentSpec
---@field name string
---@field value string      its name in help
---@field count? string     argparse's: "?", "*", "+" (default: exactly one)
---@field reads? tandem.Reads
---@field help string

---@class tandem.Command
---@field summary string    one line, for the list of commands
---@field about? string     a paragraph, for the command's own help
---@field arguments? tandem.ArgumentSpec[]
---@field options? tandem.Option[]
---@field examples? string[]
---@field keeps? boolean    it changes the store
---@field interactive? boolean  answers Ctrl-C itself
---@field damage? boolean   it tells of damage itself
---@field passes_on? boolean  what follows the first argument is another program's, options too
---@field run fun(args: table, console: tandem.Console): integer

--- In the order that help shows them, by what they are for. Analyses bring commands of their own
--- (tandem.analysis, tandem.cli.analysis).
---@type { title: string, names: string[] }[]
cli.groups = {
  { title = "Simulate", names = { "new", "run", "check", "explain", "plan", "schedule",
    "sweep", "whatif",
    "list", "merge" } },
  { title = "Measure", names = { "capture", "watch" } },
  { title = "Keep and read runs", names = { "import", "runs", "show", "diff", "gate", "sql",
    "export", "tag", "note", "scrub", "rm", "gc", "verify" } },
  { title = "Send runs elsewhere", names = { "upload", "outbox" } },
  { title = "Real over simulated", names = { "map", "overlay", "score", "fit", "twin",
    "replay" } },
  { title = "Explain a run", names = { "view", "report" } },
}
-- Words are joined by dashes here and by underscores in Lua: run:critical_path().
for _, group in ipairs(require("tandem.analysis").groups) do
  local names = {}
  for i, name in ipairs(group.names) do names[i] = name:gsub("_", "-") end
  cli.groups[#cli.groups + 1] = { title = "Explain a run: " .. group.title:lower(),
    names = names }
end
cli.groups[#cli.groups + 1] = { title = "Serve", names = { "serve", "mcp" } }
cli.groups[#cli.groups + 1] = { title = "Shell", names = { "repl", "kernel", "notebook", "lua",
  "version", "help", "doc" } }

--- All of them, in order.
---@type string[]
cli.commands = {}
for _, group in ipairs(cli.groups) do
  table.move(group.names, 1, #group.names, #cli.commands + 1, cli.commands)
end

---@param name string
---@return tandem.Command
function cli.command(name)
  return require("tandem.cli.analysis").command((name:gsub("-", "_")))
    or require("tandem.cli." .. name)
end

local HELP_WIDTH <const> = 88

local function converter(option)
  if option.kind == "integer" or option.kind == "number" then
    local wanted = option.kind == "integer" and "a whole number" or "a number"
    return function(text)
      local value = tonumber(text)
      if value and option.kind == "integer" then
        value = math.tointeger(value)
      end
      if not value then
        return nil, ("%s wants %s, not '%s'"):format(option[1], wanted, text)
      elseif option.least and value < option.least then
        return nil, ("%s wants at least %d, not %s"):format(option[1], option.least, text)
      elseif option.most and value > option.most then
        return nil, ("%s wants at most %d, not %s"):format(option[1], option.most, text)
      end
      return value
    end
  elseif option.choices then
    return function(text)
      for _, choice in ipairs(option.choices) do
        if choice == text then
          return text
        end
      end
      local hint = require("tandem.text.nearest").hint(text, option.choices)
      return nil, ("%s cannot be '%s'; %s"):format(option[1], text, hint)
    end
  end
end

local function add_argument(parser, spec)
  local argument = parser:argument(spec.name, spec.help)
  if spec.count then
    argument:args(spec.count)
  end
  argument._argname = spec.value
end

local function add_option(parser, spec)
  local option
  if not spec.value then
    option = parser:flag(spec[1], spec.help)
  else
    option = parser:option(spec[1], spec.help):argname(spec.value)
    local convert = converter(spec)
    if convert then
      option:convert(convert)
    end
  end
  if spec.many or spec.collect then
    option:count("*"):action("append")
  end
end

local HELP_OPTION = { "-h --help", help = "Show this help." }

--- Fills an argparse parser or command from a command's tables.
---@param parser table
---@param command tandem.Command
local function configure(parser, command)
  parser:add_help(false)
  parser:description(command.about or command.summary)
  parser:help_max_width(HELP_WIDTH)
  parser:usage_max_width(HELP_WIDTH)
  for _, spec in ipairs(command.arguments or {}) do
    add_argument(parser, spec)
  end
  for _, spec in ipairs(command.options or {}) do
    add_option(parser, spec)
  end
  add_option(parser, HELP_OPTION)
  if command.examples then
    parser:epilog("Examples:\n   " .. table.concat(command.examples, "\n   "))
  end
  return parser
end

--- The parser of one command, named "tandem run".
---@param name string
---@return table parser
function cli.parser(name)
  return configure(require "argparse"("tandem " .. name), cli.command(name))
end

--- One parser with every command in it: for shell completions.
---@return table parser
function cli.whole_parser()
  local parser = require "argparse"("tandem"):add_help(false)
  for _, name in ipairs(cli.commands) do
    configure(parser:command(name):summary(cli.command(name).summary), cli.command(name))
  end
  return parser
end

local function option_names(command)
  local names = { "--help" }
  for _, spec in ipairs(command.options or {}) do
    for flag in spec[1]:gmatch("%S+") do
      names[#names + 1] = flag
    end
  end
  return names
end

--- argparse's complaint in our words, with the nearest option.
local function complaint(message, command)
  message = message:match("^[^\n]*") or message
  local unknown = message:match("^unknown option '(.-)'")
  if unknown and unknown:find "^%-%.?%d" then
    return ("'%s' is negative"):format(unknown)
  elseif unknown then
    local near = require("tandem.text.nearest").word(unknown, option_names(command))
    return ("unknown option '%s'%s"):format(unknown,
      near and ("; did you mean '%s'?"):format(near) or "")
  end
  local absent = message:match("^missing argument '(.-)'$")
  for _, spec in ipairs(command.arguments or {}) do
    if spec.name == absent and spec.help then -- what it is, in the words of the help
      return ("%s: %s"):format(message, (spec.help:gsub("%.$", "")))
    end
  end
  return message
end

--- Spells `--set a=1 b=2 FILE` as `--set a=1 --set b=2 FILE`: what follows such an option belongs
--- to it as long as it looks like KEY=VALUE. And `--sort -count` as `--sort=-count`.
local function spread(argv, command)
  local many, minus = {}, {}
  for _, spec in ipairs(command.options or {}) do
    many[spec[1]], minus[spec[1]] = spec.many, spec.minus
  end
  local spelt, option = {}, nil
  for index = 2, #argv do
    local word = argv[index]
    if many[word] then
      option = word
    elseif option and argv[index - 1] ~= option then
      if word:find("^[%w_.%[%]#-]+=") and word:sub(1, 1) ~= "-" then
        spelt[#spelt + 1] = option
      else
        option = nil
      end
    end
    if minus[argv[index - 1]] and word:find "^%-[%w_]" then
      spelt[#spelt] = spelt[#spelt] .. "=" .. word
    else
      spelt[#spelt + 1] = word
    end
  end
  return spelt
end

-- `--csv=raw` is `--csv` with texts as they are, for programs.
local function raw_csv(argv)
  local spelt, raw = {}, false
  for index, word in ipairs(argv) do
    raw = raw or word == "--csv=raw"
    spelt[index] = word == "--csv=raw" and "--csv" or word
  end
  local csv = raw and require "tandem.io.csv" or package.loaded["tandem.io.csv"]
  if csv then csv.raw = raw end
  return spelt
end

-- Ends the options of a command before the program that it runs: `capture python --help` is a
-- question to python.
local function hand_over(argv, command)
  if not command.passes_on then return argv end
  local takes = {}
  for _, spec in ipairs(command.options or {}) do
    for flag in spec[1]:gmatch "%S+" do takes[flag] = spec.value ~= nil end
  end
  local index = 2
  while argv[index] and argv[index]:sub(1, 1) == "-" do
    if argv[index] == "--" then return argv end
    index = index + (takes[argv[index]] and 2 or 1)
  end
  if not argv[index] then return argv end
  local handed = table.move(argv, 1, index - 1, 1, {})
  handed[index] = "--"
  return table.move(argv, index, #argv, index + 1, handed)
end

local function wants_help(argv, first)
  for index = first, #argv do
    if argv[index] == "--" then
      return false
    elseif argv[index] == "-h" or argv[index] == "--help" then
      return true
    end
  end
  return false
end

local ALIASES = { ["--version"] = "version", ["-V"] = "version", ["--help"] = "help",
  ["-h"] = "help", compare = "diff" }

--- Runs a command so that Ctrl-C ends it, wherever it is: in the engine, which then reports what
--- was finished, or in Lua, a script that does not end included. A signal that ends the program
--- does the same first.
local function interruptible(command, args, console)
  local guard = require("tandem.core").guard
  -- Ctrl-C has to find the coroutine that runs.
  rawset(coroutine, "resume", guard.resume)
  rawset(coroutine, "wrap", guard.wrap)
  guard.ends()
  require("tandem.core").database_damage(true)
  local ok, code = guard.call(debug.traceback, command.run, args, console)
  if guard.interrupted() and not ok then
    return console:fail(codes.INTERRUPTED, "interrupted")
  elseif guard.interrupted() and code ~= codes.OK and code ~= codes.NO then
    return codes.INTERRUPTED
  elseif not ok then
    error(code, 0)
  end
  local damage = (code == codes.OK or code == codes.NO) and not command.damage
    and require("tandem.core").database_damage()
  if damage then return console:fail(codes.IO, damage) end
  return code
end

-- Whether the command line asks for an envelope: seen before it is understood, since what is wrong
-- with it belongs there too.
local function wants_envelope(argv, command)
  for _, spec in ipairs(command.options or {}) do
    if spec.answers then
      for index = 2, #argv do
        if argv[index] == "--" then return false end
        if argv[index] == spec[1] then return true end
      end
    end
  end
  return false
end

-- The command's name, its arguments understood, its work done: the exit code.
local function carry_out(argv, console)
  local directory = os.getenv "TANDEM_CONFINED"
  if directory and directory ~= "" then
    local store
    for i = 1, #argv - 1 do store = argv[i] == "--store" and argv[i + 1] or store end
    local readable = os.getenv "TANDEM_READABLE"
    require("tandem.sandbox.confined").enter(directory, store, readable ~= "" and readable or nil)
  end
  local name = argv[1]
  if name == nil then
    console.write_error(cli.command("help").overview(console.error_style) .. "\n")
    return codes.USAGE
  end
  name = ALIASES[name] or name:gsub("(%a)_", "%1-")
  local known = false
  for _, command in ipairs(cli.commands) do
    known = known or command == name
  end
  if not known then
    local what = name:sub(1, 1) == "-" and "option" or "command"
    local near = require("tandem.text.nearest").word(name, cli.commands)
    return console:usage(("unknown %s '%s'%s"):format(what, name,
      near and ("; did you mean '%s'?"):format(near) or ""))
  end
  console.command = name
  if not console.answer_file and wants_envelope(argv, cli.command(name)) then
    require("tandem.cli.envelope").open(console)
  end
  argv = hand_over(argv, cli.command(name))
  local parser = cli.parser(name)
  if wants_help(argv, 2) then
    console:print(parser:get_help())
    return codes.OK
  end
  local ok, args = parser:pparse(raw_csv(spread(argv, cli.command(name))))
  if not ok then
    return console:usage(complaint(args, cli.command(name)))
  end
  local command = cli.command(name)
  if command.interactive then
    return command.run(args, console)
  end
  return interruptible(command, args, console)
end

-- A mistake of ours in one line, or memory that ended (src/app/main.c says that, too).
local function mistake(raised)
  local text = tostring(raised)
  local what = text:match "^[^\n]*"
  local short = what:find "not enough memory$"
    or what:find "error loading module" and text:find "^[^\n]*\n[^\n]*Cannot allocate memory"
  return { what = short and "not enough memory" or what, kind = short and "io" or "bug" }
end

--- Runs the command line. What it leaves as data is written last, whatever happens.
---@param argv string[]  without the program's name
---@param console? tandem.Console  where to print (default: the process's streams)
---@return integer code  the exit code
function cli.main(argv, console)
  console = console or consoles.of_process()
  local code = codes.BUG
  local _ <close> = setmetatable({}, { __close = function(_, raised)
    if raised ~= nil then console.noted[#console.noted + 1] = mistake(raised) end
    if console.close_envelope then console.close_envelope(code) end
    if console.answer_file then
      require("tandem.cli.envelope").save(console, code, console.answer_file)
    end
  end })
  code = carry_out(argv, console)
  local last = console.noted[#console.noted]
  if code == codes.INTERRUPTED and not (last and last.kind == "interrupted") then
    console:record(code, "stopped by Ctrl-C")
  end
  return code
end

return cli
