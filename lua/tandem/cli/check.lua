--- `tandem check`: lists every problem of scenario files, and runs nothing.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"
local load = require "tandem.cli.load"

---@type tandem.Command
local check = {
  summary = "list every problem of a scenario, without running it",
  about = "Loads each scenario and lists all its problems together, each with its file, line, "
    .. "place in the scenario and the nearest valid thing. Leaves with 3 when there is one.",
  arguments = {
    { name = "files", value = "FILE", count = "+", reads = "name",
      help = "Scenario files, shipped names, or - for standard input." },
  },
  options = {
    forms.json("Print the problems as JSON (schema tandem.check/1)."),
    { "--source", help = "With --json: each scenario also as plain data and as Lua text, as forms "
      .. "show it." },
    load.options[#load.options - 1], load.options[#load.options], -- --trusted, --script-limit
  },
  examples = { "tandem check my.lua", "tandem check scenarios/*.lua --json" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function check.run(args, console)
  local code, report = codes.OK, {}
  if args.source and not args.json then return console:usage "--source goes with --json" end
  for _, file in ipairs(args.files) do
    local scenario, problems = load.file(file, args)
    local entry = { file = file, ok = scenario ~= nil, problems = {} }
    if type(problems) == "string" and not scenario then
      entry.problems[1] = { file = file, message = problems }
      console:record(codes.IO, problems, { where = { file = file } })
      code = code == codes.OK and codes.IO or code
    elseif not scenario then
      entry.problems = problems
      console:record_problems(problems)
      code = codes.INVALID
    end
    if scenario and scenario.name then
      entry.name = scenario.name
      if args.source then entry.form = require("tandem.scenario.form").of(scenario) end
    end
    report[#report + 1] = entry
  end
  if args.json then
    local json = require "tandem.io.json"
    console:print(json.encode({ schema = "tandem.check/1", files = report },
      { indent = not args.source and 2 or nil, lists = { problems = true, functions = true } }))
    return code
  end
  for _, entry in ipairs(report) do
    if entry.ok then
      console:print(console.style:text(("%s: ok"):format(entry.file)))
    else
      -- The problems are this command's result, so they go to standard output.
      console:print(console.style:text(console.problem_lines(entry.problems)))
    end
  end
  return code
end

return check
