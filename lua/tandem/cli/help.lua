--- `tandem help`: the overview, a command's options, a topic, or a name of Lua.
local codes = require "tandem.cli.codes"
local column_table = require "tandem.column_table"

---@type tandem.Command
local help = {
  summary = "explain a command, a topic or a name of Lua",
  arguments = {
    { name = "topic", value = "TOPIC", count = "?",
      help = "A command, a topic, or a name of Lua: td.poisson, td.load, Result:find." },
  },
  options = {
    { "--completion", value = "SHELL", choices = { "bash", "zsh", "fish" },
      help = "Print the completion script of a shell." },
    { "--man", help = "Print the manual page (roff)." },
  },
  examples = { "tandem help run", "tandem help scenario", "tandem help Result:find",
    "tandem help --completion bash > ~/.local/share/bash-completion/completions/tandem" },
}

local function listing(rows, place)
  return column_table.format({ { title = "" }, { title = "", wrap = true } }, rows,
    { style = place, indent = 2, gap = 3 })
end

--- What `tandem` alone and `tandem help` print.
---@param place tandem.Style
---@return string
function help.overview(place)
  local cli, topics = require "tandem.cli", require "tandem.help"
  local subjects, commands = {}, {}
  for _, group in ipairs(cli.groups) do
    local rows = {}
    for index, name in ipairs(group.names) do
      rows[index] = { { text = name, color = "bold" }, cli.command(name).summary }
    end
    commands[#commands + 1] = group.title .. "\n" .. listing(rows, place)
  end
  for index, name in ipairs(topics.topics) do
    subjects[index] = { { text = name, color = "bold" }, topics.topic(name).title }
  end
  return place:text(table.concat({
    "tandem simulates requests going through CPU, copy engines and GPUs,",
    "reads real traces of them, and says where the time goes.",
    "", "usage: tandem COMMAND [ARGUMENTS]", "",
    table.concat(commands, "\n\n"), "",
    "Topics (tandem help TOPIC)", listing(subjects, place), "",
    "Start here", listing({
      { "tandem run demo", "run the first shipped scenario" },
      { "tandem list scenarios", "see the others, by difficulty" },
      { "tandem new NAME", "write one of your own, from a commented start" },
    }, place),
  }, "\n"))
end

local function completion(shell)
  local parser = require("tandem.cli").whole_parser()
  return ({
    bash = parser.get_bash_complete, zsh = parser.get_zsh_complete,
    fish = parser.get_fish_complete,
  })[shell](parser)
end

-- What a command works with may be a topic of its name.
local function print_topic_of(name, topics, place)
  for _, known in ipairs(topics.topics) do
    if known == name then
      place:print ""
      place:print(place.style:text(topics.topic(name).text(place.style)))
    end
  end
end

---@param args table
---@param place tandem.Console
---@return integer code
function help.run(args, place)
  local cli, topics = require "tandem.cli", require "tandem.help"
  if args.man then
    place.write_out(require("tandem.cli.manual").page())
    return codes.OK
  elseif args.completion then
    place.write_out(completion(args.completion))
    return codes.OK
  elseif not args.topic then
    place:print(help.overview(place.style))
    return codes.OK
  end
  for _, name in ipairs(cli.commands) do
    if name == args.topic then
      place:print(place.style:text(cli.parser(name):get_help()))
      print_topic_of(name, topics, place)
      return codes.OK
    end
  end
  local topic = topics.topic(args.topic)
  if topic then
    place:print(place.style:text(topic.text(place.style)))
    return codes.OK
  end
  local call = require "tandem.help.call"
  local lines = call.help(args.topic, place.style)
  if lines then
    place:print(place.style:text(table.concat(lines, "\n")))
    return codes.OK
  end
  local words = table.move(cli.commands, 1, #cli.commands, 1, {})
  for _, list in ipairs { topics.topics, call.known() } do
    table.move(list, 1, #list, #words + 1, words)
  end
  local near = require("tandem.nearest").word(args.topic, words)
  return place:usage(("no help on '%s'%s"):format(args.topic,
    near and ("; did you mean '%s'?"):format(near) or ""))
end

return help
