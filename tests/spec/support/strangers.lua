-- Every table of options of the program with a key that there is not, in the working directory:
--   tandem lua strangers.lua
-- Prints the names of the functions that did not refuse it and name it, then how many were asked.
local td = require "tandem"

local store = assert(td.store())
local run = assert(store:import "capture.json.gz")
local base = td.load "demo":with { duration = "1s", replications = 1 }
local result = base:run { requests = 50 }
local visits = assert(run:visits(assert(td.map.propose(run))[2].map))
local fit = assert(td.fit { real = visits })
local search = td.search

local NO <const> = { nosuch = 1 }
local function with(fields)
  fields.nosuch = 1
  return fields
end

local asked = {
  ["Scenario:run"] = function() return base:run(NO) end,
  ["td.load"] = function() return td.load("demo", NO) end,
  ["td.store"] = function() return td.store("tandem.db", NO) end,
  ["Store:runs"] = function() return store:runs(NO) end,
  ["Store:scrub"] = function() return store:scrub(run.id, with { all = true, dry_run = true }) end,
  ["Run:diff"] = function() return run:diff(run, NO) end,
  ["Run:visits"] = function() return run:visits(visits.map, NO) end,
  ["Run:replay"] = function() return run:replay(base, with { map = visits.map }) end,
  ["Visits:replay"] = function() return visits:replay(fit:scenario(), NO) end,
  ["Result:report"] = function() return result:report(NO) end,
  ["td.overlay"] = function() return td.overlay(run, run, NO) end,
  ["Fit:overlay"] = function() return fit:overlay(NO) end,
  ["td.score"] = function() return td.score(visits, visits, NO) end,
  ["td.fit"] = function() return td.fit(with { real = visits }) end,
  ["td.twin"] = function() return td.twin(with { files = { "m.prom" }, gpu = "H100 SXM" }) end,
  ["Fit:whatif"] = function()
    return fit:whatif({ { "x", { scale = { [visits.stages[1].name] = 0.5 } } } }, NO)
  end,
  ["td.sweep"] = function() return td.sweep(with { scenario = base, over = { rps = { 1 } } }) end,
  ["td.whatif"] = function() return td.whatif(base, { a = { rps = 5 } }, NO) end,
  ["td.tornado"] = function() return td.tornado(base, NO) end,
  ["td.optimize"] = function()
    return td.optimize(with { scenario = base, objective = "latency.mean", budget = 2,
      search = search.golden { over = { rps = { 1, 9 } } } })
  end,
  ["td.plan.gpus"] = function() return td.plan.gpus(with { scenario = base, load = "5rps" }) end,
  ["td.plan.load"] = function() return td.plan.load(with { scenario = base }) end,
  ["td.plan.best"] = function()
    return td.plan.best(with { scenario = base, load = "5rps", over = { gpus = { 1 } } })
  end,
  ["td.upload"] = function() return td.upload(run, with { to = "http://127.0.0.1:9" }) end,
  ["td.map"] = function()
    return td.map(with { request = { range = "a" }, stages = { { "c", kernel = "*" } } })
  end,
}
for _, name in ipairs { "golden", "nelder_mead", "anneal", "ocba" } do
  asked["td.search." .. name] = function()
    return search[name](with { over = { rps = { 1, 9, integer = true } } })
  end
end
for _, name in ipairs(require("tandem.analysis").names()) do
  asked["Run:" .. name] = function() return run[name](run, NO) end
end
for _, kind in ipairs(require("tandem.plot.public.keys").order) do
  asked["td.plot." .. kind] = function() return td.plot[kind](NO) end
end

-- What takes tables of options, and is not asked here.
local public = require "tandem.help.public"
local forgotten, count = {}, 0
for _, class in ipairs(public.option_tables()) do
  for _, one in ipairs(public.takers(class)) do
    if not asked[one.name] then forgotten[one.name] = true end
  end
end
local nearest = require "tandem.text.nearest"
for _, name in ipairs(nearest.sorted_keys(forgotten)) do print(name .. " is not asked") end
for _, name in ipairs(nearest.sorted_keys(asked)) do
  count = count + 1
  local ok, answer, message = pcall(asked[name])
  local told = tostring(not ok and answer or answer == nil and message or "")
  if not told:find("nosuch", 1, true) then print(name .. " does not refuse it: " .. told) end
end
print(count .. " were asked")
