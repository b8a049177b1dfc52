--- Loads the scenario of a command line, with what --set and its kin change in it.
--
-- Owns the way from a file name and options to a checked scenario, and from a failure to an exit
-- code. Used by run, check and explain.
local codes = require "tandem.cli.codes"
local locate = require "tandem.scenario.locate"
local problem = require "tandem.check.problem"

local load = {}

--- What --replications may be at most: language/scenario.lua's, without loading all that it needs.
load.MOST_REPLICATIONS = 1000000

--- The options that change a scenario before it is used; run and explain share them.
---@type tandem.Option[]
load.options = {
  { "--set", value = "KEY=VALUE", many = true,
    help = "Change the scenario: --set workload.rps=4 pipeline.h2d.bytes=16MiB. May be repeated." },
  { "--duration", value = "TIME", help = "How long requests arrive: 10s, 2min." },
  { "--requests", value = "N", kind = "integer", least = 1,
    help = "How many requests arrive at most." },
  { "--trusted",
    help = "Let the scenario use all of Lua (files, clock, modules). Only for files you trust." },
}

--- The value of KEY=VALUE: a number, true, false, or text such as "5ms".
---@param text string
---@return number|boolean|string
function load.value(text)
  if text == "true" or text == "false" then
    return text == "true"
  end
  local number = tonumber(text)
  if number then
    return math.tointeger(number) or number
  end
  return text
end

--- Turns { "workload.rps=4", "rps=4" } into { ["workload.rps"] = 4, rps = 4 }, the form that
--- scenario:with takes.
---@param settings string[]
---@return table<string, any>|nil overrides
---@return string|nil message
function load.overrides(settings)
  local overrides = {}
  for _, setting in ipairs(settings) do
    local key, value = setting:match("^%s*([^=]-)%s*=(.*)$")
    if not key or key == "" then
      return nil, ("--set wants KEY=VALUE, not '%s'"):format(setting)
    end
    overrides[key] = load.value(value)
  end
  return overrides
end

local function plural_problems(problems)
  return #problems == 1 and "1 problem" or #problems .. " problems"
end

--- Loads one scenario as it stands.
---@param wanted string
---@param options { trusted?: boolean }
---@return tandem.Scenario|nil
---@return tandem.Problem[]|string problems or what went wrong with the file
---@return tandem.Located|nil located
function load.file(wanted, options)
  local located, message = locate.find(wanted)
  if not located then
    return nil, message
  end
  local scenario, problems = require("tandem.sandbox").load_scenario(located.path,
    { trusted = options.trusted, text = located.text })
  if not scenario and not located.text and not located.path:find "%.lua$" then
    local filekind = require "tandem.io.filekind"
    local instead = filekind.instead(located.path, filekind.SCENARIO)
    if instead then problems = { problem.new(located.path, nil, "", instead) } end
  end
  return scenario, problems, located
end

--- Loads, changes and checks the scenario of a command line. On failure says why and returns the
--- exit code.
---@param args table  parsed arguments: file, set, duration, requests, trusted
---@param console tandem.Console
---@param otherwise? fun(scenario: tandem.Scenario, overrides: table): tandem.Scenario|nil  asked
---  where the file is right and the changes are not
---@return tandem.Scenario|nil scenario
---@return integer|tandem.Located code_or_located
function load.scenario(args, console, otherwise)
  local overrides, wrong = load.overrides(args.set or {})
  if not overrides then
    return nil, console:usage(wrong)
  end
  overrides.duration = args.duration or overrides.duration
  overrides.requests = args.requests or overrides.requests
  local scenario, problems, located = load.file(args.file, args)
  if scenario and next(overrides) ~= nil then
    local written = scenario
    scenario, problems = written:try_with(overrides)
    if not scenario and otherwise then scenario = otherwise(written, overrides) end
  end
  if scenario then
    return scenario, located
  elseif type(problems) == "string" then
    return nil, console:fail(codes.IO, problems)
  end
  return nil, console:problems(problems, plural_problems(problems) .. "; nothing was run")
end

return load
