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

local MOST_PRICES <const> = 16 * 2 ^ 20 -- bytes
-- What a script may do while it is read; --script-limit multiplies it.
local SCRIPT_INSTRUCTIONS <const>, SCRIPT_BYTES <const> = 1000000000, 1 << 30
-- Of the processor: seven times what instructions usually take.
local SCRIPT_SECONDS <const> = 30

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
  { "--script-limit", value = "TIMES", kind = "integer", least = 1, most = 1000000,
    help = "How much the scenario's script may do while it is read: so many times 1 G "
      .. "instructions, 30 s of the processor and 1 GiB of memory (1). --trusted lifts it." },
}

--- What things cost, of commands that tell money.
---@type tandem.Option[]
load.prices = {
  { "--price", value = "NAME=USD", many = true,
    help = "Dollars an hour: --price L4=0.8 H100=2.9, of cpu for a CPU worker, of a pool for a "
      .. "server. Before the scenario's prices and the catalogue's. May be repeated." },
  { "--prices", value = "FILE", reads = "file",
    help = "Prices of a CSV or JSON file: columns gpu (or cpu), price an hour and, where they "
      .. "help, count (sold together), provider, region, offer. Of the rows that count, the "
      .. "cheapest." },
  { "--offers", value = "A,B,...",
    help = "Which rows of --prices count: a provider, a region, a kind of offer, as in "
      .. "aws,us-east-1,spot. On demand unless said." },
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
---@param options { trusted?: boolean, script_limit?: integer }
---@return tandem.Scenario|nil
---@return tandem.Problem[]|string problems or what went wrong with the file
---@return tandem.Located|nil located
function load.file(wanted, options)
  local located, message = locate.find(wanted)
  if not located then
    return nil, message
  end
  local scenario, problems = require("tandem.sandbox").load_scenario(located.path,
    { trusted = options.trusted, text = located.text, budget = not options.trusted and {
      instructions = SCRIPT_INSTRUCTIONS * (options.script_limit or 1),
      memory_bytes = SCRIPT_BYTES * (options.script_limit or 1),
      seconds = SCRIPT_SECONDS * (options.script_limit or 1) } or nil })
  if not scenario and not located.text and not located.path:find "%.lua$" then
    local filekind = require "tandem.io.filekind"
    local instead = filekind.instead(located.path, filekind.SCENARIO)
    if instead then problems = { problem.new(located.path, nil, "", instead) } end
  end
  return scenario, problems, located
end

-- The prices of a command line by name, or nil and what is wrong with which option.
local function prices_of(args)
  local out = {}
  if not (args.price or args.prices or args.offers) then return out end
  local prices = require "tandem.scenario.prices"
  if args.offers and not args.prices then return nil, "--offers goes with --prices" end
  if args.prices then
    local price_file = require "tandem.scenario.price_file"
    local size = require("tandem.core").files.size(args.prices) or 0
    if size > MOST_PRICES then
      return nil, ("%s: is larger than %d MiB"):format(args.prices, MOST_PRICES // 2 ^ 20),
        codes.INVALID
    end
    local text, message, code = require("tandem.io.infile").read(args.prices)
    if not text then return nil, message, code or codes.IO end
    local read, wrong = price_file.read(text, args.prices:match "[^/]*$",
      price_file.words(args.offers))
    if not read then return nil, wrong, codes.INVALID end
    for name, list in pairs(read) do out[name] = list end
  end
  local written, wrong = prices.of_text(args.price or {})
  if not written then return nil, "--price " .. wrong end
  for name, value in pairs(written) do out[prices.canonical(name)] = value end
  return out
end

-- Puts prices into a scenario, in place of what it says of the same things.
local function priced(scenario, list)
  local prices, raw, changes = require "tandem.scenario.prices", rawget(scenario, "raw").prices, {}
  for name, value in pairs(list) do
    for own in pairs(type(raw) == "table" and raw or {}) do
      if type(own) == "string" and prices.canonical(own) == name then name = own end
    end
    changes[name] = value
  end
  return scenario:try_with { prices = changes }
end

--- Says which prices of a command line are of nothing that the scenario has.
---@param scenario tandem.Scenario
---@param args table
---@param console tandem.Console
function load.tell_unused(scenario, args, console)
  if not args.price or #args.price == 0 then return end
  local prices, used, kinds = require "tandem.scenario.prices", { cpu = true }, {}
  for _, one in ipairs(require("tandem.scenario.bill").of(scenario).kinds) do
    used[prices.canonical(one.name)], kinds[#kinds + 1] = true, one.name
  end
  for _, place in ipairs(scenario.checked.places) do used[place.name] = true end
  local left = prices.unused(scenario, used)
  if #left > 0 then
    local format = require "tandem.text.format"
    console:note(("the price of %s is not used: %s"):format(format.list(left), #kinds > 0
      and "the scenario has " .. format.list(kinds) or "the scenario has no GPU"))
  end
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
  local list, why, code = prices_of(args)
  if not list then return nil, code and console:fail(code, why) or console:usage(why) end
  local scenario, problems, located = load.file(args.file, args)
  if scenario and next(overrides) ~= nil then
    local written = scenario
    scenario, problems = written:try_with(overrides)
    if not scenario and otherwise then scenario = otherwise(written, overrides) end
  end
  if scenario and next(list) ~= nil then scenario, problems = priced(scenario, list) end
  local unknown = scenario and scenario.checked.prices
    and require("tandem.scenario.prices").unknown(scenario)
  if unknown then return nil, console:fail(codes.INVALID, unknown) end
  if scenario then
    return scenario, located
  elseif type(problems) == "string" then
    return nil, console:fail(codes.IO, problems)
  end
  return nil, console:problems(problems, plural_problems(problems) .. "; nothing was run")
end

return load
