--- What a fuzzer does with one scenario text: load, check, print, plan, describe, write, run.
-- Raises where the program would have shown a fault of its own; a scenario that is refused in
-- words is fine. Called by tests/fuzz/lua_script.h, which owns the Lua state and bounds its memory
-- and the time of a run.

local check = require "tandem.check"
local core = require "tandem.core"
local sandbox = require "tandem.sandbox"
require "tandem.catalogue" -- or loading it would count as the first script's work
require "tandem"

local budget = { instructions = 500000, memory_bytes = 32 << 20 }
local most = { requests = 200, users = 50, duration_s = 1e4 }

-- What scripts print would drown the fuzzer's own words.
io.stderr = { write = function() end } -- luacheck: ignore 122

-- Runtime errors inside our own modules, whatever became of them on the way out.
local internal
local native_xpcall = xpcall
local function watched(handler)
  return function(message)
    local text = type(message) == "string" and message or ""
    if text:find("^[^\n:]*tandem/[^\n:]+%.lua:%d+: attempt to") then
      internal = internal or debug.traceback(text, 2)
    end
    return handler(message)
  end
end
xpcall = function(f, handler, ...) -- luacheck: ignore 121
  return native_xpcall(f, watched(handler), ...)
end

local function must_be_line(text, what)
  if type(text) ~= "string" or text == "" or text:find("\n", 1, true) then
    error(("%s is not one line: %q"):format(what, tostring(text)), 0)
  end
end

local function must_be_problems(problems)
  if not check.is_problems(problems) or #problems == 0 then
    error("refused without a list of problems: " .. tostring(problems), 0)
  end
  for _, problem in ipairs(problems) do must_be_line(tostring(problem), "a problem") end
end

-- The same scenario, so short that a fuzzer can afford it.
local function shorten(model)
  model.requests = math.min(model.requests or math.huge, most.requests) // 1 | 0
  model.duration = math.min(model.duration or math.huge, most.duration_s)
  for _, class in ipairs(model.classes) do
    local arrivals = class.arrivals
    if arrivals.users then arrivals.users = math.min(arrivals.users, most.users) end
  end
end

local function run(model)
  shorten(model)
  core.interrupt_clear()
  local result, message, code = core.run(model, { seed = 7, replications = 1, threads = 1,
    heap_limit = 8, instructions = budget.instructions, memory_bytes = budget.memory_bytes })
  if not result then
    must_be_line(message, "a failed run")
    if code == 70 then error("a bug of the engine: " .. message, 0) end
  elseif not result.interrupted and not result.checks.ok then
    error(("checks: conservation %s, Little %s"):format(result.checks.conservation,
      result.checks.little), 0)
  end
end

--- @param text string
--- @param path string tells the format by its ending
return function(text, path)
  internal = nil
  local scenario, problems = sandbox.load_scenario(path, { text = text, budget = budget,
    directory = "tests/fuzz" })
  if internal then error("inside the program: " .. internal, 0) end
  if not scenario then return must_be_problems(problems) end
  assert(type(tostring(scenario)) == "string")
  local hash = scenario:hash()
  local written, json = pcall(scenario.to_json, scenario)
  if written then
    local again, why = sandbox.load_scenario("again.json", { text = json,
      directory = "tests/fuzz" })
    if not again then error("its JSON is refused: " .. tostring(why) .. "\n" .. json, 0) end
    if again:hash() ~= hash then error("its JSON has another hash:\n" .. json, 0) end
  else
    must_be_problems(json)
  end
  local model = scenario:model()
  local described, message = core.model_describe(model)
  if not described then return must_be_line(message, "a refused model") end
  run(model)
end
