--- Help on calls: scenarios, results, and what is wrong with them.
local shared = require "tandem.help.calls.shared"
local NOTHING, BASE, RESULT = shared.NOTHING, shared.BASE, shared.RESULT

local function of_base(code) return BASE .. "\n" .. code end
local function of_result(code) return RESULT .. "\n" .. code end

local MEMORY <const> = "Raises outside its process's function, where there is no such memory, and "
  .. "where the bytes are none, a distribution or below 0."

local function of_process(code)
  return [[
local mine = td.scenario "mine" {
  workload = td.poisson { rps = 20, duration = "2s" },
  target = td.gpu "L40",
  resources = { td.memory "cache" { bytes = "4GiB" } },
  pipeline = { td.process "own" { fn = function(p)
    ]] .. code .. [[

  end } },
}
print(mine:run { replications = 1 }.requests > 0)  --> true]]
end

return {
  ["Scenario:with"] = { see = { "Scenario:try_with" },
    errors = "Raises tandem.Problems when a path is unknown or the variant is not valid.",
    example = of_base 'print(base:with { rps = 20, ["target.count"] = 4 }.target.count)  --> 4' },
  ["Scenario:try_with"] = { see = { "Scenario:with" },
    errors = "Nil and tandem.Problems when a path is unknown or the variant is not valid.",
    example = of_base [[
local variant, problems = base:try_with { rsp = 20 }
print(variant, #problems)  --> nil	1]] },
  ["Scenario:hash"] = { errors = NOTHING, see = { "Scenario:to_json" },
    example = of_base "print(base:hash() == base:with { rps = 85 }:hash())  --> true" },
  ["Scenario:to_json"] = { see = { "td.load" },
    errors = "Raises where it holds functions and came from no script.",
    example = of_base 'print(base:to_json():find "demo" ~= nil)  --> true' },
  ["Scenario:model"] = { errors = "Raises where a cost function fails.",
    see = { "Scenario:explain" },
    example = of_base "print(#base:model().stations > 0)  --> true" },
  ["Scenario:untraced_costs"] = { errors = "Raises nothing: the list may be empty.",
    see = { "Scenario:explain" }, example = of_base "print(#base:untraced_costs())  --> 0" },
  ["Scenario:explain"] = { errors = NOTHING, see = { "Scenario:run" },
    example = of_base "print(base:explain())" },
  ["Scenario:run"] = { see = { "Result:report", "Result:find", "td.store" },
    errors = "Raises tandem.Problems where an option is unknown or wrong, and in a scenario file, "
      .. "which runs nothing; nil, a message and a code where a file could not be written or a "
      .. "function of the scenario failed.",
    example = of_base [[
local result = assert(base:run { seed = 1, requests = 500 })
print(result.replications)  --> 2]] },

  ["Result:scenario"] = { errors = NOTHING, see = { "Scenario:run" },
    example = of_result "print(result:scenario().name)  --> demo" },
  ["Result:verdicts"] = { errors = NOTHING, see = { "Result:answer" },
    example = of_result "print(result:verdicts()[1].metric)  --> p99" },
  ["Result:answer"] = { errors = NOTHING, see = { "Result:verdicts" },
    example = of_result "print(result:answer())  --> true" },
  ["Result:bottleneck"] = { errors = NOTHING, see = { "Result:table" },
    example = of_result "print((result:bottleneck()))  --> L40 gpu" },
  ["Result:find"] = { errors = "Raises nothing: nil where there is nothing.",
    see = { "Result:get" },
    example = of_result [[
local p99 = result:find "latency.p99"
print(p99.value > 0)  --> true]] },
  ["Result:get"] = { errors = "Raises nothing: nil where there is nothing.",
    see = { "Result:find" },
    example = of_result 'print(td.show(result:get "stages.compute.wait.mean", "s"))' },
  ["Result:report"] = { errors = "Raises where an option is unknown.",
    see = { "Result:table", "Result:plot" },
    example = of_result "print(result:report { timeline = false, advice = false })" },
  ["Result:to_json"] = { errors = NOTHING, see = { "Result:report" },
    example = of_result 'print(result:to_json():find "tandem.result/1" ~= nil)  --> true' },
  ["Result:table"] = { errors = "Raises where there is no part of that name.",
    see = { "Result:plot" },
    example = of_result 'print(result:table "resources")' },
  ["Result:plot"] = { errors = "Raises where there is no plot of that name.",
    see = { "td.plot.histogram" }, example = of_result 'print(result:plot "cdf")' },

  ["Process:use"] = { see = { "td.process", "Process:hold" },
    errors = "Raises outside its process's function, where there is no such station, and where the "
      .. "amount is none or below 0.",
    example = of_process 'p:use("cpu", "2ms")' },
  ["Process:hold"] = { see = { "Process:use" },
    errors = "Raises outside its process's function, and where the time is none or below 0.",
    example = of_process 'p:hold(td.exponential "10ms")' },
  ["Process:seize"] = { errors = MEMORY, see = { "Process:release", "td.hold" },
    example = of_process 'p:seize("cache", "2GiB")\n    p:release("cache", "2GiB")' },
  ["Process:release"] = { errors = MEMORY, see = { "Process:seize" },
    example = of_process('p:seize("cache", "2GiB")\n    p:release("cache", "1GiB")\n'
      .. '    p:release("cache", "1GiB")') },

  ["PrintableTable:lines"] = { errors = NOTHING, see = { "Result:table" },
    example = of_result 'print(#result:table("stages"):lines(2) > 5)  --> true' },
  ["PrintableTable:head"] = { errors = NOTHING, see = { "PrintableTable:lines" },
    example = of_result 'print(#result:table("stages"):head(2, 1, "stages"))  --> 3' },
  ["Problems:sort"] = { errors = NOTHING, see = { "td.check" }, example = [[
local _, problems = td.check { name = "empty" }
problems:sort()
print(problems)]] },
}
