--- `tandem help`: the overview, a command's options, a topic, or a name of Lua.
local codes = require "tandem.cli.codes"
local column_table = require "tandem.text.columns"

---@type tandem.Command
local help = {
  summary = "explain anything: a command, a chapter, a name of Lua, a word",
  arguments = {
    { name = "topic", value = "NAME", count = "*",
      help = "A command, a chapter or section of the manual, a name of Lua (td.poisson, "
        .. "Result:find); or any words: then all of these are searched for them." },
  },
  options = {
    { "--completion", value = "SHELL", choices = { "bash", "zsh", "fish" },
      help = "Print the completion script of a shell." },
    { "--man", help = "Print the manual page (roff)." },
    { "--stubs", help = "Print the stubs for editors (LuaCATS)." },
  },
  examples = { "tandem help run", "tandem help planning", "tandem help Result:find",
    "tandem help outage",
    "tandem help --completion bash > ~/.local/share/bash-completion/completions/tandem" },
}

local function listing(rows, console)
  return column_table.format({ { title = "" }, { title = "", wrap = true } }, rows,
    { style = console, indent = 2, gap = 3 })
end

--- What `tandem` alone and `tandem help` print.
---@param style tandem.Style
---@return string
function help.overview(style)
  local cli = require "tandem.cli"
  local subjects, commands = {}, {}
  for _, group in ipairs(cli.groups) do
    local rows = {}
    for index, name in ipairs(group.names) do
      rows[index] = { { text = name, color = "bold" }, cli.command(name).summary }
    end
    commands[#commands + 1] = group.title .. "\n" .. listing(rows, style)
  end
  for index, chapter in ipairs(require("tandem.help").chapters()) do
    subjects[index] = { { text = chapter[1], color = "bold" }, chapter[2] }
  end
  return style:text(table.concat({
    "tandem simulates requests going through CPU, copy engines and GPUs,",
    "reads real traces of them, and says where the time goes.",
    "", "usage: tandem COMMAND [ARGUMENTS]", "",
    table.concat(commands, "\n\n"), "",
    "The manual (tandem help CHAPTER; tandem doc writes it as a page)",
    listing(subjects, style), "",
    "Start here", listing({
      { "tandem run demo", "run the first shipped scenario" },
      { "tandem list scenarios", "see the others, by difficulty" },
      { "tandem new NAME", "write one of your own, from a commented start" },
      { "tandem help WORD", "where any word is explained" },
    }, style),
  }, "\n"))
end

local function completion(shell)
  local parser = require("tandem.cli").whole_parser()
  return ({
    bash = parser.get_bash_complete, zsh = parser.get_zsh_complete,
    fish = parser.get_fish_complete,
  })[shell](parser)
end

-- A section of a command's name says what it works with; a whole chapter is only named.
local function print_command(name, console)
  console:print(console.style:text(require("tandem.cli").parser(name):get_help()))
  local topic = require("tandem.help").topic(name)
  if topic then
    local chapter = topic.section.level == 1 and topic.section.chapter.name
    console:print ""
    console:print(chapter and ("Its chapter of the manual: tandem help " .. chapter)
      or console.style:text(topic.text(console.style)))
  end
end

-- Everything that has help of its own: commands, topics, names of Lua.
local function pages()
  local commands = require("tandem.cli").commands
  local names = table.move(commands, 1, #commands, 1, {})
  for _, list in ipairs { require("tandem.help").topics(), require("tandem.help.call").known() } do
    table.move(list, 1, #list, #names + 1, names)
  end
  return names
end

-- What a name's own help is, or where a word is explained; nil and the name that may be meant where
-- nothing is found.
local function answer(name, console)
  local topic = require("tandem.help").topic(name)
  if topic then return topic.text(console) end
  local lines = require("tandem.help.call").help(name, console)
  if lines then return table.concat(lines, "\n") end
  local search, names = require "tandem.help.search", pages()
  local near = search.meant(name, names)
  if near then return nil, near end
  local text, words = search.text(name, console), search.words()
  if text then return text end
  return nil, require("tandem.text.nearest").word(name,
    table.move(words, 1, #words, #names + 1, names))
end

---@param args table
---@param console tandem.Console
---@return integer code
function help.run(args, console)
  local name = table.concat(args.topic, " ")
  if args.man then
    console.write_out(require("tandem.cli.manual").page())
    return codes.OK
  elseif args.stubs then
    console.write_out(require("tandem.help.stubs").text())
    return codes.OK
  elseif args.completion then
    console.write_out(completion(args.completion))
    return codes.OK
  elseif name == "" then
    console:print(help.overview(console.style))
    return codes.OK
  end
  for _, command in ipairs(require("tandem.cli").commands) do
    if name == command then
      print_command(name, console)
      return codes.OK
    end
  end
  local text, near = answer(name, console.style)
  if text then
    console:print(console.style:text(text))
    return codes.OK
  end
  return console:usage(("no help on '%s'%s"):format(name,
    near and ("; did you mean '%s'?"):format(near) or ""))
end

return help
