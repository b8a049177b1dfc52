--- Help on calls: the functions of td.
local shared = require "tandem.help.calls.shared"
local NOTHING, MEASURED, BASE, TRACED = shared.NOTHING, shared.MEASURED, shared.BASE,
  "Raises where an argument is neither a number nor a text with a unit."

return {
  ["td.max"] = { errors = TRACED, example = 'print(td.max("2ms", 0.001))  --> 0.002',
    see = { "td.min", "td.select" } },
  ["td.min"] = { errors = TRACED, example = 'print(td.min("2ms", 0.001))  --> 0.001',
    see = { "td.max" } },
  ["td.exp"] = { errors = TRACED, example = "print(td.exp(0))  --> 1.0" },
  ["td.log"] = { errors = TRACED, example = "print(td.log(1))  --> 0.0" },
  ["td.sqrt"] = { errors = TRACED, example = "print(td.sqrt(9))  --> 3.0" },
  ["td.abs"] = { errors = TRACED, example = "print(td.abs(-2.5))  --> 2.5" },
  ["td.floor"] = { errors = TRACED, example = "print(td.floor(2.7))  --> 2.0" },
  ["td.ceil"] = { errors = TRACED, example = "print(td.ceil(2.2))  --> 3.0" },
  ["td.pow"] = { errors = TRACED, example = "print(td.pow(2, 10))  --> 1024.0" },
  ["td.mod"] = { errors = TRACED, example = "print(td.mod(7, 4))  --> 3" },
  ["td.lt"] = { errors = TRACED, see = { "td.select" },
    example = 'print(td.lt("2ms", "5ms"), td.lt(5, 5))  --> 1	0' },
  ["td.le"] = { errors = TRACED, see = { "td.select" },
    example = "print(td.le(5, 5), td.le(6, 5))  --> 1	0" },
  ["td.eq"] = { errors = TRACED, see = { "td.select" },
    example = "print(td.eq(5, 5), td.eq(6, 5))  --> 1	0" },
  ["td.select"] = { errors = TRACED, see = { "td.lt", "td.interp" }, example = [[
td.stage "decode" { on = "gpu", cost = function(r)
  return td.select(td.lt(r.tokens, 64), "1ms", "4ms")
end }
print(td.select(td.lt(80, 64), 0.001, 0.004))  --> 0.004]] },
  ["td.interp"] = { errors = "Raises where x is not a number.", see = { "td.table", "td.select" },
    example = "print(td.interp(64, { { 0, 0.0 }, { 128, 0.020 } }))  --> 0.01" },
  ["td.attr"] = { errors = NOTHING, see = { "td.select" }, example = [[
print(td.attr "tokens" * 0.0002 + 0.001)  --> (r.tokens * 0.0002) + 0.001]] },
  ["td.si"] = { errors = "Raises where the text is not a quantity.", see = { "td.show" },
    example = 'print(td.si "8MiB")  --> 8388608.0' },
  ["td.show"] = { errors = "Raises where the value is not a number.",
    see = { "td.si" }, example = 'print(td.show(0.0025, "s"))  --> 2.5 ms' },
  ["td.load"] = { see = { "td.check", "Scenario:run" },
    errors = "Raises where an option is unknown; nil and tandem.Problems where the scenario is "
      .. "wrong; nil and a text where there is no such file.",
    example = [[
local base = assert(td.load "demo")
print(base.title)                --> One GPU, five steps
print(td.load "no-such-file.lua" == nil)  --> true]] },
  ["td.csv"] = { see = { "td.curve", "td.interp" },
    errors = "Raises where there is no such file, where it lies outside the scenario's folder (a "
      .. "link that leads out of it included) or is larger than 16 MiB, and where a column is "
      .. "missing.", example = [[
local found, why = pcall(td.csv, "no-such-table.csv", { "batch", "seconds" })
print(found)  --> false]] },
  ["td.check"] = { see = { "td.scenario", "td.load" },
    errors = "Nil and tandem.Problems, one for each thing that is wrong.", example = [[
local made, problems = td.check { name = "mine", target = td.gpu "L40", workload = td.poisson(5),
  pipeline = { td.fixed "work" { tme = "2ms" } } }
print(made, #problems)  --> nil	2]] },
  ["td.scenario"] = { see = { "td.check", "Scenario:run", "Scenario:with" },
    errors = "Raises tandem.Problems, which lists everything wrong with file, line and key.",
    example = [[
local mine = td.scenario "mine" {
  workload = td.poisson { rps = 20, duration = "10s" },
  target = td.gpu "L40",
  pipeline = { td.fixed "work" { time = "8ms" } },
}
print(mine.name)  --> mine]] },
  ["td.is_scenario"] = { errors = NOTHING, see = { "td.scenario" },
    example = 'print(td.is_scenario(td.load "demo"))  --> true' },
  ["td.is_problems"] = { errors = NOTHING, see = { "td.check" },
    example = 'print(td.is_problems(select(2, td.check { name = "empty" })))  --> true' },
  ["td.record"] = { errors = "Raises outside a run.", see = { "Result:find" }, example = [[
local mine = td.load "demo":with { ["on.complete"] = function(r)
  td.record("late by", math.max(0, r.now - r.arrival - 0.1))
end }
local result = mine:run { requests = 200, replications = 1 }
print(result.recorded["late by"].count > 0)  --> true]] },
  ["td.rules"] = { see = { "Run:categories" },
    errors = "Raises where a rule has no category, an unknown key or a pattern that is none.",
    example = [[
print(td.rules "mine" { { id = "attention", match = "flash|fmha", category = "attention" } })]] },
  ["td.advice"] = { see = { "Run:advice", "AdviceView:count" },
    errors = "Raises where a key is missing, unknown or of the wrong type.",
    example = shared.rule "local found = #view:devices() > 99" },
  ["td.map"] = { see = { "td.map.propose", "Run:visits" },
    errors = "Raises tandem.Problems, which lists everything wrong with it.", example = [[
local map = td.map { request = { range = "step*" }, stages = { { "compute", kernel = "*" } } }
print(#map:hash())  --> 16]] },
  ["td.map.load"] = { see = { "td.map", "Map:to_lua" },
    errors = "Nil, tandem.Problems and 3 where the map is wrong; nil, a text and 4 where the file "
      .. "cannot be read.",
    example = 'print(assert(td.map.load "torch-steps"))' },
  ["td.map.is"] = { errors = NOTHING, see = { "td.map" },
    example = 'print(td.map.is(td.map.load "torch-steps"))  --> true' },
  ["td.map.propose"] = { see = { "td.map", "Run:visits" },
    errors = "Nil, the reason and 3 where nothing repeats; nil, a message and a code where the "
      .. "store cannot be read.",
    example = MEASURED .. [[

local found = assert(td.map.propose(run, { limit = 1 }))
print(found[1].map, found[1].visits.count > 0)]] },
  ["td.range"] = { see = { "td.sweep" }, errors = "Raises where the words are not a range.",
    example = [[
print(td.range(1, 4, 4).points)  --> 4
td.range { from = "1ms", to = "1s", points = 7, log = true }]] },
  ["td.sweep"] = { see = { "td.whatif", "td.optimize", "Sweep:best" },
    errors = "Raises one line where the options are wrong or the store cannot be used; points that "
      .. "fail are rows with a message.",
    example = BASE .. [[

print(td.sweep { scenario = base, over = { rps = { 20, 40 } }, metrics = { "latency.p99" } })]] },
  ["td.whatif"] = { see = { "td.tornado", "WhatIf:row" },
    errors = "Raises where a variant is not a scenario that can be run, or an option is unknown.",
    example = BASE .. [[

print(td.whatif(base, { ["two GPUs"] = { gpus = 2 }, ["H100"] = { gpu = "H100" } },
  { replications = 2 }))]] },
  ["td.tornado"] = { see = { "td.whatif", "Tornado:plot" },
    errors = "Raises where an input is not a number of the scenario, or an option is unknown.",
    example = BASE .. [[

print(td.tornado(base, { metric = "latency.mean", by = "10%", replications = 2,
  inputs = { "workload.rps", "pipeline.compute.tokens" } }))]] },
  ["td.optimize"] = { see = { "td.sweep", "td.plan.best" },
    errors = "Raises where a key is unknown or missing; nil and a message where no point could be "
      .. "evaluated.",
    example = BASE .. [[

local search = td.search
print(td.optimize { scenario = base, objective = "latency.p99", budget = 6, replications = 2,
  search = search.golden { over = { ["target.concurrency"] = { 1, 8, integer = true } } } })]] },
  ["td.plan.gpus"] = { see = { "td.plan.load", "td.plan.best", "PlanAnswer:report" },
    errors = "Raises where an option is unknown or wrong.", example = shared.QUICK .. [[

print(td.plan.gpus { scenario = base, load = "40rps", slo = { p99 = "80ms" }, max = 4,
  precision = 0.1, sensitivity = false })]] },
  ["td.plan.load"] = { see = { "td.plan.gpus" }, errors = "Raises where an option is unknown or "
      .. "wrong.",
    example = shared.QUICK .. [[

print(td.plan.load { scenario = base, slo = { p99 = "80ms" }, precision = 0.1,
  sensitivity = false })]] },
  ["td.plan.best"] = { see = { "td.plan.gpus", "td.optimize" },
    errors = "Raises where an option is unknown or wrong.", example = shared.QUICK .. [[

print(td.plan.best { scenario = base, load = "40rps", slo = { p99 = "80ms" },
  over = { gpus = td.range(1, 2) }, precision = 0.1, sensitivity = false })]] },
  ["td.store"] = { see = { "Store:run", "Store:query", "Store:import" },
    errors = "Nil, a message and a code where an option is unknown (2), the file cannot be "
      .. "opened (4) or is not a store (3).",
    example = [[
local store = assert(td.store())
for row in store:query "SELECT name, spans FROM run" do print(row.name, row.spans) end
store:close()]] },
  ["td.fit"] = { see = { "Fit:scenario", "Fit:score", "td.score" },
    errors = "Raises where an option is unknown; nil, a message and 3 where the data allow no fit.",
    example = MEASURED .. [[

local map = assert(td.map.propose(run))[1].map
print(assert(td.fit { real = run, map = map }))]] },
  ["td.twin"] = { see = { "td.score", "Twin:source", "td.plan.gpus" },
    errors = "Raises where an option is unknown or files are missing; nil, a message and a code "
      .. "where the GPU or the model is not known (2) or the metrics allow no twin (3).",
    example = shared.TWIN .. "print(twin)\nassert(twin.scenario:run { replications = 1 })" },
  ["td.score"] = { see = { "td.overlay", "td.fit" },
    errors = "Raises where something is neither a run nor Visits; nil, a message and a code where "
      .. "an option is wrong (2) or the two have nothing in common (3).",
    example = shared.VISITS .. [[

local simulated = assert(visits:replay(assert(td.fit { real = visits }):scenario()))
print(assert(td.score(visits, simulated)))]] },
  ["td.overlay"] = { see = { "td.score", "Overlay:picture" },
    errors = "Raises where something is neither a run nor Visits; nil, a message and a code where "
      .. "an option is wrong (2) or a run has nothing of the kind (3).",
    example = shared.TWO .. '\nprint(assert(td.overlay(first, store:run "last")))' },
  ["td.upload"] = { see = { "td.store" },
    errors = "Raises where an option is unknown; nil, a message and a code where it did not "
      .. "arrive: it waits in the outbox then.",
    example = shared.SIMULATED .. [[

local sent, why = td.upload(run, { to = "http://127.0.0.1:9", patience_s = 0.1, base_s = 0.01 })
print(sent and sent.ids[1] or "still in the outbox", why ~= nil)  --> still in the outbox	true]] },
}
