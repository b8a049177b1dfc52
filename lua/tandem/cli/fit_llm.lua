--- `tandem fit` of what was measured of an LLM server.
--
-- Owns the options that are for it alone, and the forms of its answer. Fitting is
-- tandem.llm.calibrate's. Called by fit.lua, which goes on where a file is none of these.
local codes = require "tandem.cli.codes"
local load = require "tandem.cli.load"
local storing = require "tandem.cli.storing"

local fit_llm = {}

local OWN <const> = { "model", "gpu", "tp", "as", "seed" }
local RUNS <const> = { "map", "least", "metric", "draws" }

-- An option that is for the other kind of fit.
local function stray(args, names, lists)
  for _, name in ipairs(names) do
    if args[name] ~= nil then return "--" .. name end
  end
  for _, name in ipairs(lists) do
    if args[name] and #args[name] > 0 then return "--" .. name end
  end
end

local function write(answer, args, console, scenario)
  local text, message = answer:source { scenario = scenario, as = args.as }
  if not text then
    return console:fail(codes.INVALID, ("the scenario cannot be written: %s"):format(message))
  end
  return storing.page(args, console, text, "-")
end

local function give(answer, args, console, scenario)
  local to_page = args.out and args.out:find "%.html$"
  if args.json and args.out == "-" then
    return console:usage "give --json or --out -, not both: one goes to standard output"
  end
  if args.html or to_page then
    return storing.page({ out = to_page and args.out or nil }, console, answer:to_html(), "-")
  end
  if args.json then
    console.write_out(answer:to_json())
  elseif args.out ~= "-" then
    console:print(answer:report(console.style))
  end
  if not args.out then return codes.OK end
  local code, message, failure = write(answer, args, console, scenario)
  return code or console:fail(failure or codes.IO, tostring(message))
end

--- Fits, where the file has measurements of an LLM server. Nil where it has not.
---@param args table
---@param console tandem.Console
---@return integer|nil code
function fit_llm.run(args, console)
  local measured, message = require("tandem.llm.read").file(args.real)
  if not measured then
    if message then return console:fail(codes.INVALID, message) end
    local option = stray(args, OWN, { "engine" })
    return option and console:usage(("%s is for measurements of LLM servers; %s is none that is "
      .. "known"):format(option, args.real)) or nil
  end
  local option = stray(args, RUNS, { "variant" })
  if option then
    return console:usage(("%s is for runs; %s was read as %s"):format(option, args.real,
      measured.format))
  end
  local engine, wrong = require("tandem.llm.calibrate.engine").read(args.engine or {})
  if not engine then return console:usage(wrong) end
  local scenario, code
  if args.scenario then -- its td.generate gets the steps
    scenario, code = load.scenario({ file = args.scenario, trusted = args.trusted }, console)
    if not scenario then return code end
  end
  local answer, why, failure = require("tandem.llm.calibrate").run { file = args.real,
    measured = measured, engine = engine, model = args.model, gpu = args.gpu, tp = args.tp,
    hold = args.hold, split = args.split == "half" and "half" or nil, seed = args.seed }
  if not answer then return console:fail(failure or codes.INVALID, tostring(why)) end
  return give(answer, args, console, scenario)
end

return fit_llm
