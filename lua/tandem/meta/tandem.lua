---@meta tandem
-- Editor stubs for `local td = require "tandem"`. Generated from the specifications that check
-- scenarios; tests/spec/stubs_spec.lua says how to write it anew. Never loaded by the program.
--
-- Every constructor returns plain data. Nothing is checked until td.scenario, which raises one
-- tandem.Problems value that lists everything wrong, each with file, line and key path.

---@alias tandem.Quantity number|string a number in SI units, or text with a unit: "5ms", "8MiB"
---@alias tandem.Random tandem.Quantity|tandem.Dist a quantity or a distribution
---@alias tandem.Cost tandem.Random|tandem.Symbol|fun(r: tandem.Request): any
---@class tandem.Dist
---@class tandem.Arrivals
---@class tandem.Stage
---@class tandem.Resource
---@class tandem.LlmPart
---@class tandem.Recorded

local td = {}

--- The value without its sign.
--- Raises where an argument is no number and no text with a unit.
---     print(td.abs(-2.5))  --> 2.5
---@param x number|string|tandem.Symbol in any unit
---@return number|tandem.Symbol in the unit of x
function td.abs(x) end
--- A rule of advice: its name, then a table of what it looks for and how it is found (tandem help
--- rules), for `tandem advice --rules FILE`.
--- Raises where a key is missing, unknown or of the wrong type.
---     local file = assert(io.open("mine.lua", "w"))
---     file:write [=[
---     local td = require "tandem"
---     return td.advice "mine" { title = "Mine", looks_for = "an example", needs = {}, source = "me",
---       what_to_do = "Nothing.", find = function(view)
---         local found = #view:devices() > 99
---         return found and { { evidence = tostring(found) } } or {}
---       end }]=]
---     file:close()
---     local store = assert(td.store())
---     local run = assert(store:import "capture.json.gz")
---     print(run:advice { rules = "mine.lua" })
---@param name string lower case, words joined with "-"
---@return fun(body: table): tandem.AdviceRule
function td.advice(name) end
--- A request attribute as data: `td.attr "tokens"`.
--- Raises nothing.
---     print(td.attr "tokens" * 0.0002 + 0.001)  --> (r.tokens * 0.0002) + 0.001
---@param name string
---@return tandem.Symbol
function td.attr(name) end
--- The smallest whole number that is not below x.
--- Raises where an argument is no number and no text with a unit.
---     print(td.ceil(2.2))  --> 3.0
---@param x number|tandem.Symbol a plain number
---@return number|tandem.Symbol a plain number, a float
function td.ceil(x) end
--- Check a raw table without raising.
--- Nil and tandem.Problems, one for each thing that is wrong.
---     local made, problems = td.check { name = "mine", target = td.gpu "L40", workload = td.poisson(5),
---       pipeline = { td.fixed "work" { tme = "2ms" } } }
---     print(made, #problems)  --> nil	2
---@param raw table with `name`, as given to td.scenario
---@return tandem.Scenario|nil
---@return tandem.Problems
function td.check(raw) end
--- 1 when a == b, else 0: for td.select.
--- Raises where an argument is no number and no text with a unit.
---     print(td.eq(5, 5), td.eq(6, 5))  --> 1	0
---@param a number|string|tandem.Symbol in the unit of b
---@param b number|string|tandem.Symbol in any unit
---@return number|tandem.Symbol a plain number, 1 or 0
function td.eq(a, b) end
--- e to the power of x.
--- Raises where an argument is no number and no text with a unit.
---     print(td.exp(0))  --> 1.0
---@param x number|tandem.Symbol a plain number
---@return number|tandem.Symbol a plain number
function td.exp(x) end
--- Fit a scenario to a measured run, or make one: costs, bandwidths, noise, each with its interval,
--- judged on requests that were not fitted. See tandem.fit.
--- Raises where an option is unknown; nil, a message and 3 where the data allow no fit.
---     local store = assert(td.store())
---     local run = assert(store:import "capture.json.gz")
---     local map = assert(td.map.propose(run))[1].map
---     print(assert(td.fit { real = run, map = map }))
---@param options tandem.FitOptions
---@return tandem.Fit|nil
---@return string|nil message
---@return integer|nil code
function td.fit(options) end
--- The largest whole number that is not above x.
--- Raises where an argument is no number and no text with a unit.
---     print(td.floor(2.7))  --> 2.0
---@param x number|tandem.Symbol a plain number
---@return number|tandem.Symbol a plain number, a float
function td.floor(x) end
--- Piecewise linear interpolation, clamped at both ends.
--- Raises where x is no number.
---     print(td.interp(64, { { 0, 0.0 }, { 128, 0.020 } }))  --> 0.01
---@param x number|tandem.Symbol in the unit of the points' x
---@param points number[][]|number[] {{x, y}, …} or {x1, y1, …}, x increasing, each in one unit
---@return number|tandem.Symbol in the unit of the points' y
function td.interp(x, points) end
--- Are these tandem.Problems?
--- Raises nothing.
---     print(td.is_problems(select(2, td.check { name = "empty" })))  --> true
---@param v any
---@return boolean
function td.is_problems(v) end
--- Is this a scenario?
--- Raises nothing.
---     print(td.is_scenario(td.load "demo"))  --> true
---@param v any
---@return boolean
function td.is_scenario(v) end
--- 1 when a <= b, else 0: for td.select.
--- Raises where an argument is no number and no text with a unit.
---     print(td.le(5, 5), td.le(6, 5))  --> 1	0
---@param a number|string|tandem.Symbol in the unit of b
---@param b number|string|tandem.Symbol in any unit
---@return number|tandem.Symbol a plain number, 1 or 0
function td.le(a, b) end
--- Load a scenario from a file (.lua, .json), by its shipped name ("demo"), from "-" for standard
--- input, or from source text: see tandem.sandbox.
--- Raises where an option is unknown; nil and tandem.Problems where the scenario is wrong; nil and a text where there is no such file.
---     local base = assert(td.load "demo")
---     print(base.title)                --> One GPU, five steps
---     print(td.load "no-such-file.lua" == nil)  --> true
---@param path string
---@param options tandem.LoadOptions|nil
---@return tandem.Scenario|nil
---@return tandem.Problems|string
function td.load(path, options) end
--- The natural logarithm.
--- Raises where an argument is no number and no text with a unit.
---     print(td.log(1))  --> 0.0
---@param x number|tandem.Symbol a plain number
---@return number|tandem.Symbol a plain number
function td.log(x) end
--- 1 when a < b, else 0: for td.select.
--- Raises where an argument is no number and no text with a unit.
---     print(td.lt("2ms", "5ms"), td.lt(5, 5))  --> 1	0
---@param a number|string|tandem.Symbol in the unit of b
---@param b number|string|tandem.Symbol in any unit
---@return number|tandem.Symbol a plain number, 1 or 0
function td.lt(a, b) end
---@overload fun(body: tandem.MapSpec): tandem.Map
--- Which spans of a capture are requests, and which of them are their stages: see tandem.map.
--- Raises tandem.Problems, which lists everything wrong with it.
---     local map = td.map { request = { range = "step*" }, stages = { { "compute", kernel = "*" } } }
---     print(#map:hash())  --> 16
td.map = {}
--- Is a value a map?
--- Raises nothing.
---     print(td.map.is(td.map.load "torch-steps"))  --> true
---@param value any
---@return boolean
function td.map.is(value) end
--- Loads a map from a file, or the shipped one of that name; it runs as scenario files do, without
--- files, clock and system.
--- Nil, tandem.Problems and 3 where the map is wrong; nil, a text and 4 where the file cannot be read.
---     print(assert(td.map.load "torch-steps"))
---@param path string
---@param options? { text?: string, trusted?: boolean, budget?: tandem.Budget }
---@return tandem.Map|nil
---@return tandem.Problems|string|nil problems  a text when the file could not be read
---@return integer|nil code
function td.map.load(path, options) end
--- Candidate maps of a run, best first, each with what it covers.
--- Nil, the reason and 3 where nothing repeats; nil, a message and a code where the store cannot be read.
---     local store = assert(td.store())
---     local run = assert(store:import "capture.json.gz")
---     local found = assert(td.map.propose(run, { limit = 1 }))
---     print(found[1].map, found[1].visits.count > 0)
---@param run tandem.Run
---@param options? { limit?: integer } how many; 3 unless told
---@return tandem.MapProposal[]|nil
---@return string|nil message
---@return integer|nil code
function td.map.propose(run, options) end
--- The largest of the arguments.
--- Raises where an argument is no number and no text with a unit.
---     print(td.max("2ms", 0.001))  --> 0.002
---@param ... number|string|tandem.Symbol in one unit; texts with units are SI values
---@return number|tandem.Symbol in the unit of the arguments
function td.max(...) end
--- The smallest of the arguments.
--- Raises where an argument is no number and no text with a unit.
---     print(td.min("2ms", 0.001))  --> 0.001
---@param ... number|string|tandem.Symbol in one unit; texts with units are SI values
---@return number|tandem.Symbol in the unit of the arguments
function td.min(...) end
--- The remainder of a divided by b.
--- Raises where an argument is no number and no text with a unit.
---     print(td.mod(7, 4))  --> 3
---@param a number|string|tandem.Symbol in the unit of b
---@param b number|string|tandem.Symbol in any unit
---@return number|tandem.Symbol in the unit of b
function td.mod(a, b) end
--- Search for the variant with the best objective, by a method of td.search or of your own.
--- Raises where a key is unknown or missing; nil and a message where no point could be evaluated.
---     local base = td.load "demo":with { duration = "2s", replications = 2 }
---     local search = td.search
---     print(td.optimize { scenario = base, objective = "latency.p99", budget = 6, replications = 2,
---       search = search.golden { over = { ["target.concurrency"] = { 1, 8, integer = true } } } })
---@param spec tandem.OptimizeSpec
---@return tandem.Optimum|nil
---@return string|nil message
function td.optimize(spec) end
--- A measured run over a simulated one, in one time frame, lane by lane: see tandem.overlay.
--- Raises where something is neither a run nor Visits; nil, a message and a code where an option is wrong (2) or a run has nothing of the kind (3).
---     local base = td.load "demo":with { requests = 200, replications = 1 }
---     base:run { store = "tandem.db" }
---     local store = assert(td.store "tandem.db")
---     local first = assert(store:run "last")
---     base:with { rps = 40 }:run { store = "tandem.db" }
---     print(assert(td.overlay(first, store:run "last")))
---@param real tandem.Run|tandem.Visits a run, or Visits of one
---@param sim tandem.Run|tandem.Visits
---@param options tandem.OverlayOptions|nil
---@return tandem.Overlay|nil
---@return string|nil message
---@return integer|nil code
function td.overlay(real, sim, options) end
td.plan = {}
--- The cheapest configuration.
--- Raises where an option is unknown or wrong.
---     local base = td.scenario "quick" { target = td.gpu "L40",
---       workload = td.poisson { rps = 20, duration = "20s" },
---       pipeline = { td.fixed "work" { time = "10ms" } } }
---     print(td.plan.best { scenario = base, load = "40rps", slo = { p99 = "80ms" },
---       over = { gpus = td.range(1, 2) }, precision = 0.1, sensitivity = false })
---@param options tandem.PlanBestOptions
---@return tandem.PlanAnswer
function td.plan.best(options) end
--- The fewest GPUs for each load and kind, and the best kind.
--- Raises where an option is unknown or wrong.
---     local base = td.scenario "quick" { target = td.gpu "L40",
---       workload = td.poisson { rps = 20, duration = "20s" },
---       pipeline = { td.fixed "work" { time = "10ms" } } }
---     print(td.plan.gpus { scenario = base, load = "40rps", slo = { p99 = "80ms" }, max = 4,
---       precision = 0.1, sensitivity = false })
---@param options tandem.PlanGpusOptions
---@return tandem.PlanAnswer
function td.plan.gpus(options) end
--- The highest load that meets the limits.
--- Raises where an option is unknown or wrong.
---     local base = td.scenario "quick" { target = td.gpu "L40",
---       workload = td.poisson { rps = 20, duration = "20s" },
---       pipeline = { td.fixed "work" { time = "10ms" } } }
---     print(td.plan.load { scenario = base, slo = { p99 = "80ms" }, precision = 0.1,
---       sensitivity = false })
---@param options tandem.PlanLoadOptions
---@return tandem.PlanAnswer
function td.plan.load(options) end
td.plot = {}
--- Areas on top of one another: how parts make up a whole over time.
--- Raises one line that names the key: unknown, of the wrong type, or of another length.
---     td.plot.area { x = { 0, 1, 2 }, y_unit = "GiB", series = {
---       { name = "weights", y = { 14, 14, 14 } }, { name = "KV cache", y = { 0, 3, 8 } } } }
---@param spec tandem.PlotArea
---@return tandem.Plot
function td.plot.area(spec) end
--- Bars with their values, one a name; several series stand below one another.
--- Raises one line that names the key: unknown, of the wrong type, or of another length.
---     td.plot.bar { x = { "H2D", "GPU" }, y = { 1.5, 7.25 }, y_unit = "ms" }
---@param spec tandem.PlotBar|number[] plain numbers, or in the units told
---@return tandem.Plot
function td.plot.bar(spec) end
--- The share of values at or below each; a result stands for its latencies.
--- Raises one line that names the key: unknown, of the wrong type, or of another length.
---     td.plot.cdf { x_unit = "ms", series = {
---       { name = "before", x = { 5, 7, 9 } }, { name = "after", x = { 2, 3, 8 } } } }
---@param spec tandem.PlotCdf|number[]|tandem.Result plain numbers, or in the units told
---@return tandem.Plot
function td.plot.cdf(spec) end
--- Spans of time on lanes: what ran where, and when.
--- Raises one line that names the key: unknown, of the wrong type, or of another length.
---     td.plot.gantt { x_unit = "ms", spans = { { lane = "GPU", from = 1, to = 4, name = "kernel" },
---       { lane = "copy", from = 0, dur = 1, name = "H2D" } } }
---@param spec tandem.PlotGantt
---@return tandem.Plot
function td.plot.gantt(spec) end
--- Cells shaded by value over two axes.
--- Raises one line that names the key: unknown, of the wrong type, or of another length.
---     td.plot.heatmap { x = { 1, 2 }, y = { "L4", "H100" }, z = { { 9, 8 }, { 3, 2 } },
---       z_unit = "ms" }
---@param spec tandem.PlotHeatmap
---@return tandem.Plot
function td.plot.heatmap(spec) end
--- How often values lie in which interval; a result stands for its latencies.
--- Raises one line that names the key: unknown, of the wrong type, or of another length.
---     td.plot.histogram { x = { 1, 2, 2, 3, 9 }, x_unit = "ms", bins = 4 }
---@param spec tandem.PlotHistogram|number[]|tandem.Result plain numbers, or in the units told
---@return tandem.Plot
function td.plot.histogram(spec) end
--- Lines over an axis: values over a load, a time, a size. Gaps (nil, NaN) stay gaps.
--- Raises one line that names the key: unknown, of the wrong type, or of another length.
---     td.plot.line { x = { 10, 20, 40 }, y = { 3.1, 3.4, 9.0 }, x_unit = "rps", y_unit = "ms" }
---@param spec tandem.PlotLine|number[] plain numbers, or in the units told
---@return tandem.Plot
function td.plot.line(spec) end
--- Points over two axes.
--- Raises one line that names the key: unknown, of the wrong type, or of another length.
---     td.plot.scatter { x = { 1, 2, 3 }, y = { 9, 4, 1 }, names = { "a", "b", "c" } }
---@param spec tandem.PlotScatter|number[] plain numbers, or in the units told
---@return tandem.Plot
function td.plot.scatter(spec) end
--- Bars of parts: what each of several wholes is made of.
--- Raises one line that names the key: unknown, of the wrong type, or of another length.
---     td.plot.stacked { x = { "4 GPUs", "8 GPUs" }, y_unit = "ms", series = {
---       { name = "wait", y = { 9, 1 } }, { name = "service", y = { 5, 5 } } } }
---@param spec tandem.PlotStacked
---@return tandem.Plot
function td.plot.stacked(spec) end
--- Lines that stay until they change: counts of GPUs over load, a queue over time.
--- Raises one line that names the key: unknown, of the wrong type, or of another length.
---     td.plot.step { x = { 0, 1, 2 }, y = { 1, 4, 2 }, x_unit = "s" }
---@param spec tandem.PlotStep|number[] plain numbers, or in the units told
---@return tandem.Plot
function td.plot.step(spec) end
--- a to the power of b.
--- Raises where an argument is no number and no text with a unit.
---     print(td.pow(2, 10))  --> 1024.0
---@param a number|tandem.Symbol a plain number
---@param b number|tandem.Symbol a plain number
---@return number|tandem.Symbol a plain number
function td.pow(a, b) end
--- A range as a scenario's sweep block and td.sweep take it: td.range(10, 100, 10), or
--- td.range { from = "1ms", to = "1s", points = 7, log = true }. Both ends belong to it; when they
--- are whole numbers so are all values, and without a count it is each of them. Write 10.0 for
--- fractions in between.
--- Raises where the words are no range.
---     print(td.range(1, 4, 4).points)  --> 4
---     td.range { from = "1ms", to = "1s", points = 7, log = true }
---@param from number|string|tandem.Range the first value, a text with its unit
---@param to number|string|nil the last value, in the same unit
---@param points integer|nil how many values
---@return tandem.Range
function td.range(from, to, points) end
--- Note a number from inside a hook, a cost function or a process; the result has them by name, as
--- result.recorded[name] = { count, mean, min, max, sum, values }. Raises outside a run.
--- Raises outside a run.
---     local mine = td.load "demo":with { ["on.complete"] = function(r)
---       td.record("late by", math.max(0, r.now - r.arrival - 0.1))
---     end }
---     local result = mine:run { requests = 200, replications = 1 }
---     print(result.recorded["late by"].count > 0)  --> true
---@param name string
---@param value number in whatever unit you mean
function td.record(name, value) end
--- Rules from kernel names to categories, for `tandem categories --rules FILE`.
--- Raises where a rule has no category, an unknown key or a pattern that is none.
---     print(td.rules "mine" { { id = "attention", match = "flash|fmha", category = "attention" } })
---@param name string
---@return fun(body: table): tandem.RulePack
function td.rules(name) end
--- A scenario: its name, then the table of its keys (tandem help scenario).
--- Raises tandem.Problems, which lists everything wrong with file, line and key.
---     local mine = td.scenario "mine" {
---       workload = td.poisson { rps = 20, duration = "10s" },
---       target = td.gpu "L40",
---       pipeline = { td.fixed "work" { time = "8ms" } },
---     }
---     print(mine.name)  --> mine
---@param name string
---@return fun(body: table): tandem.Scenario
function td.scenario(name) end
--- How far a simulation is off what was measured, by stage, lane and request: see tandem.score.
--- Raises where something is neither a run nor Visits; nil, a message and a code where an option is wrong (2) or the two have nothing in common (3).
---     local store = assert(td.store())
---     local run = assert(store:import "capture.json.gz")
---     local map = assert(td.map.propose(run, { limit = 1 }))[1].map
---     local visits = assert(run:visits(map))
---     local simulated = assert(visits:replay(assert(td.fit { real = visits }):scenario()))
---     print(assert(td.score(visits, simulated)))
---@param real tandem.Run|tandem.Visits
---@param simulated tandem.Run|tandem.Visits
---@param options tandem.ScoreOptions|nil
---@return tandem.Score|nil
---@return string|nil message
---@return integer|nil code
function td.score(real, simulated, options) end
td.search = {}
--- A low value where there are many valleys, or choices without an order: simulated annealing
--- (Kirkpatrick, Gelatt and Vecchi 1983).
--- Raises where an option is unknown, missing or wrong; a search that cannot go on ends with nil and one line.
---     local search = td.search
---     local function valley(points)
---       local told = {}
---       for i, point in ipairs(points) do told[i] = { value = (point.batch - 12) ^ 2 } end
---       return told
---     end
---     local body = search.anneal { over = { batch = { 1, 64, integer = true } }, seed = 3 }
---     local found = assert(search.drive(body, valley, { budget = 400 }))
---     print(found.best.point.batch)  --> 12
---@param options tandem.AnnealOptions
---@return tandem.SearchBody
function td.search.anneal(options) end
--- Whether two values differ by more than their noise. Without half-widths, always.
--- Raises nothing.
---     local a = { point = { rps = 5 }, value = 10, half = 1, n = 8, ok = true }
---     local b = { point = { rps = 9 }, value = 14, half = 1, n = 8, ok = true }
---     print(td.search.apart(a, b))  --> true
---@param a tandem.Evaluation
---@param b tandem.Evaluation
---@return boolean
function td.search.apart(a, b) end
--- The lowest of evaluations, the first of equals; failed ones never. `before`: one to beat.
--- Raises nothing.
---     local a = { point = { rps = 5 }, value = 10, half = 1, n = 8, ok = true }
---     local b = { point = { rps = 9 }, value = 14, half = 1, n = 8, ok = true }
---     print(td.search.best({ a, b }).point.rps)  --> 5
---@param list tandem.Evaluation[]
---@param before tandem.Evaluation|nil
---@return tandem.Evaluation|nil
function td.search.best(list, before) end
--- Runs a search. `evaluate(points, how)` gives one evaluation a point, { value = …, half = …,
--- n = …, sd = … } or { ok = false, message = … }, resting on how.before[i] and how.replications[i]
--- new replications, the first of which has the number how.first[i]; nil and a reason end the
--- search. What goes wrong in the search comes back as nil, one line and what there was until then.
--- Raises where its arguments are none; nil, one line and what there was until then where the search or a point went wrong.
---     local search = td.search
---     local function valley(points)
---       local told = {}
---       for i, point in ipairs(points) do told[i] = { value = (point.batch - 12) ^ 2 } end
---       return told
---     end
---     local body = search.golden { over = { batch = { 1, 64, integer = true } } }
---     local found = assert(search.drive(body, valley, { budget = 400 }))
---     print(found.best.point.batch)  --> 12
---@param body tandem.SearchBody
---@param evaluate tandem.Evaluate
---@param given { budget: integer|nil }|nil
---@return tandem.SearchResult|nil
---@return string|nil message
---@return tandem.SearchResult|nil so_far
function td.search.drive(body, evaluate, given) end
--- The lowest value along one range, in few evaluations, where it falls and then rises: golden
--- section (Kiefer 1953).
--- Raises where an option is unknown, missing or wrong; a search that cannot go on ends with nil and one line.
---     local search = td.search
---     local function valley(points)
---       local told = {}
---       for i, point in ipairs(points) do told[i] = { value = (point.batch - 12) ^ 2 } end
---       return told
---     end
---     local body = search.golden { over = { batch = { 1, 64, integer = true } } }
---     local found = assert(search.drive(body, valley, { budget = 400 }))
---     print(found.best.point.batch)  --> 12
---@param options tandem.GoldenOptions
---@return tandem.SearchBody
function td.search.golden(options) end
--- Asks for as many replications again of each, which narrows half-widths by √2. Gives the list
--- as it was when nothing came of it, and nil when the budget is used up.
--- Raises nothing.
---     local search = td.search
---     local function mine(ask)
---       local told = ask { { batch = 4 }, { batch = 8 } }
---       if not search.apart(told[1], told[2]) then told = search.more(ask, told) or told end
---       return search.best(told)
---     end
---     local found = assert(search.drive(mine, function(points)
---       local told = {}
---       for i, point in ipairs(points) do told[i] = { value = point.batch, half = 3, n = 8 } end
---       return told
---     end))
---     print(found.best.point.batch, found.asks)  --> 4	2
---@param ask fun(points: tandem.Point[], how: table|nil): tandem.Evaluation[]|nil
---@param list tandem.Evaluation[]
---@return tandem.Evaluation[]|nil
---@return boolean grown
function td.search.more(ask, list) end
--- The lowest value over several ranges, from a simplex that moves and shrinks (Nelder and Mead
--- 1965).
--- Raises where an option is unknown, missing or wrong; a search that cannot go on ends with nil and one line.
---     local search = td.search
---     local function valley(points)
---       local told = {}
---       for i, point in ipairs(points) do told[i] = { value = (point.batch - 12) ^ 2 } end
---       return told
---     end
---     local body = search.nelder_mead { over = { batch = { 1, 64, integer = true } } }
---     local found = assert(search.drive(body, valley, { budget = 400 }))
---     print(found.best.point.batch)  --> 12
---@param options tandem.NelderMeadOptions
---@return tandem.SearchBody
function td.search.nelder_mead(options) end
--- How far two values may lie apart by noise alone.
--- Raises nothing.
---     local a = { point = { rps = 5 }, value = 10, half = 1, n = 8, ok = true }
---     local b = { point = { rps = 9 }, value = 14, half = 1, n = 8, ok = true }
---     print(("%.2f"):format(td.search.noise(a, b)))  --> 1.41
---@param a tandem.Evaluation
---@param b tandem.Evaluation
---@return number in the objective's unit
function td.search.noise(a, b) end
--- Of several noisy alternatives the best, with replications where they decide: optimal computing
--- budget allocation (Chen, Lin, Yücesan and Chick 2000).
--- Raises where an option is unknown, missing or wrong; a search that cannot go on ends with nil and one line.
---     local base = td.load "batching":with { duration = "2s" }
---     print(td.optimize { scenario = base, objective = "latency.mean", budget = 24,
---       search = td.search.ocba { n0 = 4, budget = 24,
---         over = { ["pipeline.infer.batch.wait"] = { choices = { "0ms", "4ms" } } } } })
---@param options tandem.OcbaOptions
---@return tandem.SearchBody
function td.search.ocba(options) end
--- A generator; equal seeds give equal numbers.
--- Raises where the seed is no whole number.
---     local random = td.search.random(7)
---     print(random:integer(6) <= 6)  --> true
---@param seed integer
---@return tandem.Random
function td.search.random(seed) end
--- The same, raising when something is wrong.
--- Raises where a dimension is neither a range nor choices.
---     local space = td.search.space { batch = { 1, 64, integer = true }, gpu = { choices = { "L40", "H100" } } }
---     print(space:size())  --> 128
---@param over table<string, table>
---@return tandem.Space
function td.search.space(over) end
--- `a` when `condition` is true (or a number other than 0), else `b`. Both are evaluated.
--- Raises where an argument is no number and no text with a unit.
---     td.stage "decode" { on = "gpu", cost = function(r)
---       return td.select(td.lt(r.tokens, 64), "1ms", "4ms")
---     end }
---     print(td.select(td.lt(80, 64), 0.001, 0.004))  --> 0.004
---@param condition boolean|number|tandem.Symbol a plain number, as td.lt gives it
---@param a number|string|tandem.Symbol in the unit of b
---@param b number|string|tandem.Symbol in any unit
---@return number|tandem.Symbol in their unit
function td.select(condition, a, b) end
--- Print an SI value with a readable unit; `units.parse` reads it back to about four digits.
--- Raises where the value is no number.
---     print(td.show(0.0025, "s"))  --> 2.5 ms
---@param value number in SI units
---@param dim string "s", "B", "B/s", "FLOP", "FLOP/s", "req/s", "1"
---@return string
function td.show(value, dim) end
--- SI value of a quantity, a text with a unit.
--- Raises where the text is no quantity.
---     print(td.si "8MiB")  --> 8388608.0
---@param text string|number a number is taken to be SI
---@return number in SI units
function td.si(text) end
--- The square root.
--- Raises where an argument is no number and no text with a unit.
---     print(td.sqrt(9))  --> 3.0
---@param x number|tandem.Symbol a plain number
---@return number|tandem.Symbol a plain number
function td.sqrt(x) end
--- The runs that are kept, simulated and measured: SQL, tags, one run or all. Nil, a message and a
--- code when the file cannot be opened.
--- Nil, a message and a code where an option is unknown (2), the file cannot be opened (4) or is no store (3).
---     local store = assert(td.store())
---     for row in store:query "SELECT name, spans FROM run" do print(row.name, row.spans) end
---     store:close()
---@param path string|nil default: $TANDEM_STORE, else tandem.db in the working directory
---@param options tandem.StoreOptions|nil
---@return tandem.Store|nil
---@return string|nil message
---@return integer|nil code
function td.store(path, options) end
--- Simulate many variants of a scenario on all cores: see tandem.sweep.
--- Raises one line where the options are wrong or the store cannot be used; points that fail are rows with a message.
---     local base = td.load "demo":with { duration = "2s", replications = 2 }
---     print(td.sweep { scenario = base, over = { rps = { 20, 40 } }, metrics = { "latency.p99" } })
---@param options tandem.SweepOptions
---@return tandem.Sweep
function td.sweep(options) end
--- What matters most: every input turned down and up by 10 %, widest swing first.
--- Raises where an input is no number of the scenario, or an option is unknown.
---     local base = td.load "demo":with { duration = "2s", replications = 2 }
---     print(td.tornado(base, { metric = "latency.mean", by = "10%", replications = 2,
---       inputs = { "workload.rps", "pipeline.compute.tokens" } }))
---@param base tandem.Scenario
---@param options tandem.TornadoOptions|nil
---@return tandem.Tornado
function td.tornado(base, options) end
--- Send a stored run to another machine's tandem serve, or its JSON to any address, when this is
--- called and never else. What does not arrive stays in the store's outbox: tandem help sending.
--- Raises where an option is unknown; nil, a message and a code where it did not arrive: it waits in the outbox then.
---     td.load "demo":run { requests = 200, replications = 1, store = "tandem.db" }
---     local store = assert(td.store "tandem.db")
---     local run = assert(store:run "last")
---     local sent, why = td.upload(run, { to = "http://127.0.0.1:9", patience_s = 0.1, base_s = 0.01 })
---     print(sent and sent.ids[1] or "still in the outbox", why ~= nil)  --> still in the outbox	true
---@param run tandem.Run
---@param options tandem.UploadOptions
---@return tandem.Sent|nil
---@return string|nil message
---@return integer|nil code
function td.upload(run, options) end
--- Compare variants with a base on the same random numbers: see tandem.whatif.
--- Raises where a variant is no scenario that can be run, or an option is unknown.
---     local base = td.load "demo":with { duration = "2s", replications = 2 }
---     print(td.whatif(base, { ["two GPUs"] = { gpus = 2 }, ["H100"] = { gpu = "H100" } },
---       { replications = 2 }))
---@param base tandem.Scenario
---@param variants table name → what base:with takes, a scenario, or a function of the base
---@param options tandem.WhatIfOptions|nil
---@return tandem.WhatIf
function td.whatif(base, variants, options) end

---@class tandem.AdviceRule
---@field name string
---@field title string
---@field looks_for string
---@field needs string[]
---@field threshold? number|string
---@field find fun(view: tandem.AdviceView, threshold: number): table|nil, string|nil
---@field what_to_do string
---@field source string

---@class tandem.AdviceView
local AdviceView = {}
--- A size in words.
--- Raises nothing.
---@param bytes number
---@return string
function AdviceView:bytes(bytes) end
--- Findings on copies that the GPU did with nothing beside them, one a GPU.
--- Raises nothing.
---@param pick string of evidence-copies: "sync", "sync-memset", "async-pageable"
---@param least number the share of the GPU's time from which it is a finding
---@param noun string "copies"
---@param say fun(one: table): string one of the longest, in words
---@return table[]
function AdviceView:copies_alone(pick, least, noun, say) end
--- What C counts, the rows by the names of its tables: view:count("kernels", { each = "device" })
--- .kernels. Besides the analyses there is the evidence of src/analysis/evidence.
--- Raises where there is no such analysis, or an option is wrong.
---@param name string
---@param options? table
---@return table<string, table[]>
function AdviceView:count(name, options) end
--- The one of a row's device and rank.
--- Raises nothing.
---@param row table
---@return table
function AdviceView:device(row) end
--- GPUs that worked: { device, rank, elapsed_ns, busy_ns }.
--- Raises nothing.
---@return table[]
function AdviceView:devices() end
--- The card of the catalogue that a GPU is, by its name or by what the file says of it; nil when
--- it is not known.
--- Raises nothing.
---@param row table
---@return tandem.Gpu|nil
function AdviceView:gpu(row) end
--- Has the run rows of a category, or of it with an argument: "memcpy", "memcpy.src_kind"?
--- Raises nothing.
---@param need string
---@return boolean
function AdviceView:has(need) end
--- A count in words.
--- Raises nothing.
---@param count integer
---@return string
function AdviceView:integer(count) end
--- A share in words.
--- Raises nothing.
---@param share number 0 to 1
---@return string
function AdviceView:percent(share) end
--- A bandwidth in words.
--- Raises nothing.
---@param per_second number bytes
---@return string
function AdviceView:speed(per_second) end
--- A time in words.
--- Raises nothing.
---@param ns number nanoseconds
---@return string
function AdviceView:time(ns) end
--- "GPU #0", with its rank where it has one.
--- Raises nothing.
---@param row table
---@return string
function AdviceView:where(row) end

---@class tandem.AnalysisFilter
---@field range? string "100ms..250ms" from the run's first record; either side may be missing
---@field nvtx? string "name" or "name@domain": only while such a range is open
---@field device? integer one GPU, as its file numbers it
---@field stream? integer one stream
---@field process? integer its pid
---@field thread? integer its tid
---@field rank? integer one rank

---@class tandem.AnalysisPlot
---@field title string
---@field chart tandem.Plot

---@class tandem.AnnealOptions
---@field over table<string, table> ranges and choices
---@field seed? integer of the steps: 1 unless told
---@field start? tandem.Point where the first walker begins
---@field steps? integer of each walker; by the budget, 100 where there is none
---@field walkers? integer 4 unless told
---@field hot? number the first temperature, in the objective's unit
---@field cold? number the last one, in the objective's unit: a thousandth of the first
---@field finalists? integer how many are compared in the end: 4 unless told

---@class tandem.Answer
---@field analysis string
---@field run tandem.Run
---@field filter tandem.AnalysisFilter
---@field frames tandem.AnswerFrame[]
---@field basis string[] what figures are shares of, how they were counted
---@field compared? { a: table[], b: table[] } the runs of a diff
---@field cannot string[] what could not be answered, and what is missing for it
local Answer = {}
--- Has it no row at all, and says why?
--- Raises nothing.
---@return boolean
function Answer:abstains() end
--- RowTable:column of its first table.
--- Raises where there is no such column.
---@param name string
---@return any[]
function Answer:column(name) end
--- RowTable:filter of its first table.
--- Raises where there is no such column.
---@param wanted (fun(row: table): boolean)|table<string, any>
---@return tandem.RowTable
function Answer:filtered(wanted) end
--- One of its tables; the first unless told.
--- Raises where there is no table of that name.
---@param name? string
---@return tandem.RowTable
function Answer:frame(name) end
--- The answer as lines for a place to print to.
--- Raises where `only` names no table.
---@param place? tandem.Style
---@param limit? integer rows of each table, 20 unless told; 0: all
---@param only? string the table to print; those that are for people unless told
---@return string[]
function Answer:lines(place, limit, only) end
--- Sentences under the tables: the description's own, then the basis.
--- Raises nothing.
---@return string[]
function Answer:notes() end
--- Its first chart; written to a file when one is named, in the form that its ending says.
--- Nil and a message where it has no chart; nil, a message and a code where the file cannot be written (4) or its ending says no form (2).
---@param path? string
---@return tandem.Plot|boolean|nil
---@return string|nil message
---@return integer|nil code
function Answer:plot(path) end
--- The charts of the answer; some have none.
--- Raises nothing.
---@return tandem.AnalysisPlot[]
function Answer:plots() end
--- The same as one text.
--- Raises nothing.
---@param place? tandem.Style
---@param limit? integer
---@return string
function Answer:report(place, limit) end
--- The rows of its first table.
--- Raises nothing.
---@return table[]
function Answer:rows() end
--- RowTable:sort of its first table.
--- Raises where there is no such column.
---@param column string
---@param descending? boolean
---@return tandem.RowTable
function Answer:sort(column, descending) end
--- One of its tables as CSV; the first unless told.
--- Raises where there is no table of that name.
---@param name? string
---@return string
function Answer:to_csv(name) end
--- The answer as one self-contained page.
--- Raises nothing.
---@return string
function Answer:to_html() end
--- All of it as JSON, schema tandem.analysis/1; ends with a line end.
--- Raises nothing.
---@return string
function Answer:to_json() end
--- The first rows; by a column, the largest first, when one is named.
--- Raises where there is no such column.
---@param count integer
---@param column? string
---@return tandem.RowTable
function Answer:top(count, column) end

---@class tandem.AnswerFrame
---@field name string
---@field title string
---@field plain boolean|nil for programs, not for people
---@field table tandem.RowTable

---@class tandem.Backend
---@field size integer jobs that run at once
---@field remote boolean|nil the work is done where only the scenarios are known
---@field give fun(self, number: integer, text: string)
---@field take fun(self, timeout_s?: number): integer|nil, string|nil, string|nil
---@field close fun(self)

---@class tandem.Bill
---@field gpus integer in all
---@field kinds { name: string, count: integer }[]
---@field usd_per_hour number|nil nil when a GPU of it has no price
---@field watts number|nil sum of the boards' power limits; nil when one is unknown
---@field unpriced string|nil the first GPU without a price

---@class tandem.Budget
---@field instructions integer|nil the script may execute about so many
---@field memory_bytes integer|nil Lua memory may grow by so much

---@class tandem.Clock
---@field by string how it was found; "hand" where an offset was given
---@field offset_ns integer a time t of the second run is t + offset + drift · (t − origin) of the first
---@field origin_ns integer on the second run's clock
---@field drift_ppm number applied; 0 where none is
---@field measured_drift_ppm number|nil as measured; nil where it cannot be
---@field drift_error_ppm number|nil its standard error
---@field residual_ns number|nil median distance of the events that remains; nil: one event tells none
---@field events integer that it rests on
---@field likeness number|nil of activity: its correlation
---@field why string|nil why auto took no better way

---@class tandem.Column
---@field title string
---@field align? "left"|"right" numbers are set right, names left (the default)
---@field optional? integer|true may be left out where there is no room: the highest number first (true is 1), the last one first among equals
---@field wrap? boolean long texts go on in the next line instead of being cut
---@field under? boolean stands on lines of its own under its row, as wide as the place
---@field flexible? integer takes the room that is left, up to so much (a bar); its cells are functions of their width

---@class tandem.Diff: tandem.Answer
---@field sides { a: tandem.Run[], b: tandem.Run[] }

---@class tandem.DiffOptions: tandem.AnalysisFilter
---@field by? string "kernel", "base", "category", "operator", "stage", "range", "call", "name"; several with commas. All that both have unless told
---@field within? string only what began, or was asked for, while a range of this name was open
---@field b_within? string the same of B, where its range is called otherwise
---@field with? tandem.Run[] more runs of A, repeats of it
---@field gate? string|string[] conditions that must hold, as `tandem diff --gate` takes them

---@class tandem.Difference
---@field value number variant minus base
---@field half number|nil of its interval; nil when it cannot be had
---@field relative number|nil value as a fraction of the base

---@class tandem.Dimension
---@field name string
---@field kind "range"|"integer"|"choice"
---@field low number of a choice: 1
---@field high number of a choice: how many there are
---@field log boolean
---@field choices any[]|nil

---@class tandem.Estimate
---@field value number the estimate
---@field half? number half-width of its 95 % confidence interval; nil when none could be had

---@class tandem.Evaluation
---@field value number the objective, to be made small; math.huge when the point failed
---@field half number|nil half-width of its confidence interval; nil when there is no noise
---@field sd number|nil standard deviation of one replication's value
---@field n integer replications it rests on, all that were ever asked for
---@field point tandem.Point
---@field ok boolean
---@field message string|nil why the point failed

---@class tandem.Fit
---@field real tandem.Visits
---@field train tandem.Visits
---@field hold tandem.Visits
---@field held fun(i: integer): boolean is request i of `real` held out
---@field split string
---@field given boolean a scenario was
---@field parameters tandem.FitParameter[]
---@field refused { what: string, why: string }[]
---@field notes string[]
---@field rows tandem.FitHoldRow[] predictions of what was held out, the total last
---@field workload tandem.FitArrivals
---@field changes table<string, any> for scenario:with
local Fit = {}
--- Values drawn from what the data leave open, as changes for fit:scenario():with(…): coefficients
--- of one regression together, jitters beside them.
--- Raises nothing.
---@param uniform fun(): number in [0, 1), such as math.random
---@return table<string, any>
function Fit:draw(uniform) end
--- What was held out laid over its simulation.
--- Nil, a message and 3 where nothing was held out, or the simulation failed.
---@param options tandem.OverlayOptions|nil
---@return tandem.Overlay|nil
---@return string|nil message
---@return integer|nil code
function Fit:overlay(options) end
--- The parameter of a path.
--- Raises nothing: nil where there is none.
---@param path string
---@param term string|nil
---@return tandem.FitParameter|nil
function Fit:parameter(path, term) end
--- In words: parameters, what was held out, what could not be told.
--- Raises nothing.
---@param place tandem.Style|nil
---@return string
function Fit:report(place) end
--- The scenario with the fitted values.
--- Nil and tandem.Problems where the fitted values make no valid scenario.
---@return tandem.Scenario|nil
---@return tandem.Problems|nil
function Fit:scenario() end
--- What was held out against its simulation: waits and percentiles too, which means of own time do
--- not tell.
--- Nil, a message and 3 where nothing was held out, or the simulation failed.
---@param options table|nil as td.score takes them
---@return tandem.Score|nil
---@return string|nil message
---@return integer|nil code
function Fit:score(options) end
--- The fitted scenario simulated under the load of the whole run; of it, the requests held out:
--- request i there is request i of fit.hold, so that td.score and td.overlay take both. Simulated
--- once, kept nowhere.
--- Nil, a message and 3 where nothing was held out, or the simulation failed.
---@return tandem.Visits|nil
---@return string|nil message
---@return integer|nil code
function Fit:simulated() end
--- The fitted scenario as a Lua file that a person would have written. Nil and a line when it
--- holds a function.
--- Nil and a line when the scenario holds a function.
---@return string|nil
---@return string|nil message
function Fit:source() end
--- As a page that needs nothing from outside.
--- Raises nothing.
---@return string
function Fit:to_html() end
--- As JSON, schema tandem.fit/1; ends with a line end.
--- Raises nothing.
---@return string
function Fit:to_json() end
--- Variants of what was measured: fit:whatif { { "twice the link", { ["target.h2d"] = "50GB/s" } },
--- { "faster kernels", { scale = { compute = 0.6 } } }, { "two GPUs", { gpus = 2 } } }.
--- Raises where an option is unknown or there is no variant; nil, a message and 3 where one is not valid.
---@param changes table
---@param options tandem.FitWhatIfOptions|nil
---@return tandem.FitWhatIf|nil
---@return string|nil message
---@return integer|nil code
function Fit:whatif(changes, options) end

---@class tandem.FitArrivals
---@field kind "closed"|"paced"|"poisson"|"gamma"|"replay"
---@field source string
---@field rate number|nil requests a second
---@field error number|nil
---@field p number|nil of the test that it passed
---@field node fun(names: string[]|nil): table the workload; names: attributes that rows must have

---@class tandem.FitHoldRow
---@field stage string a stage, "before STAGE", "after" or "total"
---@field visits integer held out
---@field fitted integer visits that were not
---@field predicted number mean, seconds
---@field observed number
---@field error number (predicted − observed) ÷ observed
---@field half number|nil 95 % half-width of that error
---@field within boolean      |error| ≤ 5 %
---@field cause string|nil why not

---@class tandem.FitOptions
---@field real tandem.Run|tandem.Visits what was measured
---@field map table|nil for a measured run: a map
---@field scenario tandem.Scenario|nil whose parameters are fitted; without one, one is made
---@field split "alternate"|"half"|nil hold out requests among the others (unless told) or the last
---@field hold number|nil share of the requests held out: 0.5 unless told; 0: none
---@field least integer|nil visits that a stage must have: 10 unless told
---@field rest boolean|nil false: no delays for the time between stages
---@field name string|nil of a scenario that is made

---@class tandem.FitParameter
---@field path string what scenario:with takes
---@field term string|nil which term of a cost of several
---@field value number SI
---@field unit string "s", "B/s", "B", "1", "s/tok", …
---@field error number|nil standard error
---@field low number|nil 95 % interval
---@field high number|nil
---@field kind "fitted"|"assumed"|"bound"
---@field source string
---@field prior number|nil what the scenario said before
---@field stage string|nil

---@class tandem.FitWhatIf
---@field metric string
---@field draws integer
---@field open boolean the fit has parameters with errors to draw
---@field base tandem.FitWhatIfRow
---@field rows tandem.FitWhatIfRow[]
local FitWhatIf = {}
--- As data, for JSON.
--- Raises nothing.
---@return table
function FitWhatIf:data() end
--- The comparison as an aligned table.
--- Raises nothing.
---@param place tandem.Style|nil
---@return string
function FitWhatIf:report(place) end

---@class tandem.FitWhatIfOptions
---@field metric string|nil what variants are judged by: "latency.mean" unless told
---@field draws integer|nil of the parameters: 24 unless told
---@field replications integer|nil simulations a draw: 1 unless told
---@field seed integer|nil of the draws and of the simulations
---@field threads integer|nil how many to use: the processors unless told
---@field progress (fun(fraction: number))|nil told how much is done, 0 to 1

---@class tandem.FitWhatIfRow
---@field name string
---@field value number mean over the draws
---@field half number of the 95 % interval in which the figure lies
---@field change { value: number, half: number, relative: number|nil }|nil none for the base

---@class tandem.GoldenOptions
---@field over table<string, table> one dimension: { rps = { 1, 100, integer = true } }
---@field tolerance? number width of the last bracket, a fraction of the range: 0.01 unless told
---@field doublings? integer how often replications double to decide a comparison: 2 unless told

---@class tandem.Gpu
---@field name string
---@field aliases string[]
---@field vendor string
---@field architecture string
---@field chip string
---@field year integer
---@field form_factor string
---@field memory_bytes number
---@field bandwidth number memory, bytes/s
---@field flops number dense bf16 FLOP/s, or fp16 where there is no bf16
---@field flops_by_type table<string, number> the same values also stand as flops_fp16, …
---@field h2d number usable bytes/s from the host
---@field d2h number usable bytes/s to the host
---@field tdp_w number
---@field link string host link, a name of catalogue.link
---@field peer_link? string
---@field peer_bandwidth? number raw, one direction, bytes/s
---@field mfu? { value: number, measured_on: string }
---@field ms_per_token? number time of one prompt token, see catalogue.token_model
---@field time_per_token? number the same in seconds
---@field price_per_hour_usd? { low: number, high: number, source: tandem.Source }
---@field price? number the middle of that range in dollars per second
---@field notes? string[]
---@field sources table<string, tandem.Source>

---@class tandem.KernelRule
---@field id string names it in results; unique in its pack
---@field match string PCRE2, searched anywhere in the name
---@field category? string what it says; a rule without one gives labels only
---@field why? string what such kernels are, or where the name comes from
---@field phase? string "forward", "backward", "prefill", "decode", …
---@field library? string "cublas", "nccl", …
---@field dtype? string "bf16", …
---@field tensor_core? boolean
---@field priority? integer larger ones are asked first; 0 unless told
---@field any_case? boolean upper and lower case are the same
---@field models? string[] only when one of these models is named

---@class tandem.LatencySummary
---@field mean tandem.Estimate
---@field p50 tandem.Estimate
---@field p90 tandem.Estimate
---@field p95 tandem.Estimate
---@field p99 tandem.Estimate
---@field p999 tandem.Estimate
---@field min number seconds
---@field max number seconds
---@field sd number seconds

--- A step of an LLM server, as the function that says how long it takes sees it. Sums go over its
--- sequences.
---@class tandem.LlmBatch
---@field prefill_seqs number how many sequences compute prompt tokens
---@field prefill_tokens number new prompt tokens
---@field prefill_context number tokens that these sequences already have
---@field prefill_attention number query-key pairs of the prompt tokens
---@field prefill_squares number squares of each one's new prompt tokens
---@field decode_seqs number how many sequences get a further token
---@field decode_context number tokens of context that these read
---@field decode_context_max number tokens of the longest of these contexts
---@field decode_squares number squares of these contexts, in tokens
---@field sampled number how many sequences leave with a token

--- A request as functions of an LLM server's engine see it.
---@class tandem.LlmRequest
---@field class string the class's name
---@field tenant integer its number
---@field priority integer the smallest first
---@field arrival number seconds
---@field waited number seconds since then
---@field prompt integer tokens
---@field max_output integer tokens it may generate at most
---@field predicted integer tokens it is thought to generate
---@field generated integer tokens so far
---@field computed integer tokens with KV, or that it would find cached
---@field kv_blocks integer that it has
---@field preemptions integer so far

--- A replica of an LLM server.
---@class tandem.LlmState
---@field time number seconds
---@field running integer requests
---@field waiting integer requests
---@field free_blocks integer of the KV cache
---@field blocks integer all of them
---@field block_tokens integer of a block

---@class tandem.LoadOptions
---@field trusted boolean|nil run the script with all of Lua
---@field text string|nil the source itself, when it is not to be read from `path`
---@field budget tandem.Budget|nil what the script may take at most
---@field directory string|nil where relative file names start; default: the scenario's own

---@class tandem.Map
---@field spec tandem.MapSpec as checked
---@field by? fun(span: table): any, string|true|nil the function of `request = { by = … }`
---@field file? string where it was loaded from
local Map = {}
--- A name of the map's meaning: equal for equal maps. One with a function is hashed by its code.
--- Raises nothing.
---@return string sixteen hexadecimal digits
function Map:hash() end
--- The map as the Lua file that a person would have written.
--- Raises nothing.
---@param told? tandem.MapTold what comments say
---@return string
function Map:to_lua(told) end

---@class tandem.MapProposal
---@field map tandem.Map
---@field why string what repeats
---@field once boolean a person marked it, but it came once only
---@field visits tandem.Visits
---@field coverage tandem.Answer of the visits

--- exactly one of range, sequence, starts, phases, by
---@class tandem.MapRequest
---@field range? string pattern of the names of ranges: each is a request, on its thread
---@field domain? string of NVTX ranges: pattern of their domain
---@field category? string|string[] of the ranges; shape.RANGES unless told
---@field sequence? string[] kinds of GPU work in order: "HtoD", "kernel", "DtoH", …
---@field starts? tandem.MapRule a request from one match to the next
---@field phases? boolean API calls alone: input → execute → retrieve
---@field by? fun(span: table): any, string|true|nil
---@field each? tandem.MapEach of sequence and starts
---@field attribute? "launch"|"time" how GPU work finds its range

--- exactly one of shape.SELECTORS
---@class tandem.MapRule
---@field range? string
---@field domain? string
---@field category? string|string[]
---@field on? "cpu"|"gpu" of range: host time in it, or the GPU work launched in it
---@field kernel? string
---@field comm? string collectives
---@field copy? string the kind of copies: "HtoD", "DtoH", "*"
---@field memset? string
---@field graph? string
---@field call? string API calls
---@field op? string operators of PyTorch
---@field sync? string synchronization as the profiler tells it
---@field phase? string with phases: "input", "execute", "retrieve"

---@class tandem.MapSpec
---@field request tandem.MapRequest which spans are requests
---@field sizes? table<string, tandem.MapSize> sizes of requests, by name
---@field stages? tandem.MapStage[] none with `by`, which names them itself

---@class tandem.MapStage: tandem.MapRule
---@field [1] string its name
---@field lane? string QUEUE CPU H2D GPU D2H COMM OTHER; by its rows unless told

--- comments
---@class tandem.MapTold
---@field head? string[] lines above the file
---@field request? string
---@field sizes? table<string, string> by name
---@field stages? table<string, string> by name

---@class tandem.NelderMeadOptions
---@field over table<string, table> several ranges: { rps = { 1, 100 }, gpus = { 1, 8 } }
---@field start? tandem.Point the middle of the space unless told
---@field size? number of the first simplex, a fraction of each range: 0.25 unless told
---@field tolerance? number of the last simplex, a fraction of each range: 0.001 unless told
---@field restarts? integer 2 unless told
---@field doublings? integer how often replications double to decide a comparison: 2 unless told
---@field ahead? boolean ask for all trial points of a step together: fewer rounds, more evaluations

---@class tandem.OcbaOptions
---@field over? table<string, table> choices and whole numbers; every combination is one
---@field points? tandem.Point[] or the alternatives themselves
---@field n0? integer first replications of each: 10 unless told
---@field budget? integer replications of all together: 50 for each alternative unless told
---@field round? integer how many a round gives out: one for each alternative unless told
---@field confidence? number end when the best is as surely the best, a fraction: 0.95 unless told
---@field indifference? number differences below it do not matter, in the objective's unit: 0

---@class tandem.OptimizeSpec
---@field scenario tandem.Scenario whose keys are varied
---@field search tandem.SearchBody search.golden{ … }, or a function(ask, left) of your own
---@field objective string|fun(m: table<string, number>): number a metric, or a function of one replication's metrics by name
---@field maximize boolean|nil more is better; told by the metric's name unless given
---@field subject (fun(m: table<string, number>): boolean)|nil of the means: false rules out
---@field metrics string[]|nil what functions see; the usual ones unless given
---@field budget integer|nil evaluations at most
---@field replications integer|nil of a point that is asked for plainly; 8
---@field seed integer|nil the scenario's unless told
---@field threads integer|nil how many to use: the processors unless told
---@field confidence number|nil of the intervals, a fraction: 0.95 unless told

---@class tandem.Optimum
---@field best tandem.Evaluation its `value` as the objective has it
---@field point tandem.Point
---@field objective string
---@field evaluations integer
---@field replications integer
---@field history tandem.SearchHistory[]
---@field stopped string
---@field details table

---@class tandem.Overlay: tandem.Answer
---@field clock tandem.Clock
---@field by string
---@field view string
---@field from_ns integer the frame, on the real run's clock
---@field to_ns integer
---@field zero_ns integer what times are told from: the real run's first record
---@field laid userdata the lanes side by side
local Overlay = {}
--- A picture: stacked, overlay, difference; the one asked for unless told.
--- Raises where there is no such view.
---@param view? string
---@param options? { width?: number, theme?: "auto"|"light"|"dark" }
---@return tandem.Plot
function Overlay:picture(view, options) end
--- Both runs as one trace, two groups of processes on one clock: "chrome", "perfetto" or another
--- format of `tandem export`.
--- Nil, a message and a code where the format is unknown (2) or the file cannot be written (4).
---@param path string
---@param kind? string chrome unless told
---@return boolean|nil
---@return string|nil message
---@return integer|nil code
function Overlay:save_trace(path, kind) end
--- The same as data for a timeline: schema tandem.overlay/1 (tandem help lanes).
--- Raises nothing.
---@return table
function Overlay:timeline() end
--- One page with all three pictures and the tables.
--- Raises nothing.
---@return string
function Overlay:to_html() end

---@class tandem.OverlayOptions
---@field by? string lane (unless told), stage (of simulated runs and of visits, whose lanes they are unless told), device, stream
---@field map? tandem.Map of measured runs: their requests and stages
---@field align? string of tandem.overlay.clock.ways; auto unless told
---@field drift? string auto, on, off
---@field offset? string|number the second run's times are moved by it: "5ms" or nanoseconds
---@field range? string "100ms..250ms" from the real run's first record; ".." is all that either has; from its first to its last work unless told
---@field bins? integer of the table over time, 60 unless told
---@field most? integer differences that are listed, 20 unless told
---@field view? string which picture comes first: stacked, overlay, difference

---@class tandem.PlanAnswer
---@field find "gpus"|"load"|"best"
---@field ok boolean every load is served, each by at least one kind
---@field rows tandem.PlanRow[]
---@field best (tandem.PlanRow|false)[] one a load
---@field limits tandem.PlanLimit[]
---@field confidence number
---@field simulations integer
---@field replications integer
---@field notes string[]
---@field interrupted boolean|nil
---@field stopped string|nil "budget" or "interrupted"
local PlanAnswer = {}
--- Draws the answer: counts over load, the highest loads, or room over cost.
--- Nil, a message and a code where the file cannot be written (4) or its ending says no form (2).
---@param path? string a file, whose ending says the form: .svg, .html, .csv, .txt
---@return tandem.Plot|boolean|nil plot  the plot, or whether it was written
---@return string|nil message
function PlanAnswer:plot(path) end
--- All of it as plain data, schema tandem.plan/1.
--- Raises nothing.
---@return table
function PlanAnswer:records() end
--- The whole answer in words.
--- Raises nothing.
---@param place? tandem.Style
---@return string
function PlanAnswer:report(place) end
--- The table alone; prints itself.
--- Raises nothing.
---@return tandem.PrintableTable
function PlanAnswer:table() end
--- As CSV: one row a load and kind.
--- Raises nothing.
---@return string
function PlanAnswer:to_csv() end
--- As JSON, schema tandem.plan/1; ends with a line end.
--- Raises nothing.
---@return string
function PlanAnswer:to_json() end

---@class tandem.PlanBestOptions: tandem.PlanOptions
---@field over table<string, any[]|tandem.Range> paths and their values
---@field minimize? "usd_per_hour"|"gpus"|"watts" what the best has least of

---@class tandem.PlanFigure
---@field label string
---@field value number
---@field half number|nil of the two-sided interval at the plan's confidence
---@field limit number
---@field least boolean
---@field kind tandem.QuantityKind
---@field margin number room to the limit as a fraction of it; negative beyond it
---@field state tandem.PlanState
---@field bias number what was added for short runs
---@field reach number half-width of the one-sided bound

---@class tandem.PlanGpusOptions: tandem.PlanOptions
---@field count? string path of what is counted, "gpus" unless told
---@field min? integer the fewest to consider: 1 unless told
---@field max? integer the most to consider: 64 unless told
---@field minimize? "usd_per_hour"|"gpus"|"watts" what the best has least of
---@field mix? boolean also pairs of two kinds
---@field load_path? string what `load` sets, where it is no rate of arrivals
---@field monotone? boolean false: more can be worse
---@field method? "auto"|"bisection"|"scan" auto unless told; scan tests every number

---@class tandem.PlanKind
---@field name string
---@field set table<string, any>

---@class tandem.PlanLimit
---@field key string what tells it apart
---@field path string where its values are in a result
---@field label string "p99", "chat p99", "resources.L40 gpu.utilization"
---@field metric string|nil of an objective
---@field class string|nil
---@field quantile number|nil 0.99 for p99
---@field limit number
---@field least boolean the limit is a lower one
---@field lost boolean|nil it is about lost requests
---@field implied boolean|nil nobody asked for it: see limits.imply
---@field kind tandem.QuantityKind

---@class tandem.PlanLoad
---@field value number|nil nil: as the scenario says, and it cannot be said how much that is
---@field label string
---@field factor number of the scenario's own load
---@field set table<string, any>

---@class tandem.PlanLoadOptions: tandem.PlanOptions
---@field kind? string|table the GPU: the scenario's own unless told
---@field gpus? integer how many; the scenario's own unless told

---@class tandem.PlanOptions
---@field scenario tandem.Scenario what is asked about
---@field slo? table { p99 = "250ms" }, or by class; the scenario's own unless told
---@field limits? table { ["resources.L40 gpu.utilization"] = { max = 0.8 } }
---@field kinds? (string|table)[] GPUs of the catalogue or td.gpu …
---@field load? string|number|(string|number)[] "40rps", a list, td.range(…)
---@field confidence? number how sure each row is, a fraction: 0.95 unless told
---@field precision? number differences below this fraction of a limit are not resolved; 0.01
---@field replications? integer at most for one candidate; 64
---@field budget? { gpus?: number, usd_per_hour?: number, watts?: number|string, simulations?: integer } at most so much of each
---@field seed? integer one for every candidate: the scenario's unless told
---@field threads? integer how many to use: the processors unless told
---@field sensitivity? boolean false: not examined; true: for every load

---@class tandem.PlanRow
---@field demand tandem.PlanLoad
---@field choice tandem.PlanKind
---@field load number|nil requests a second (or users); with td.plan.load the highest
---@field kind string of the GPU; with td.plan.best the whole configuration
---@field gpus integer|nil
---@field usd_per_hour number|nil
---@field watts number|nil
---@field count integer|nil the answer
---@field state "meets"|"none"|"stopped"
---@field figures tandem.PlanFigure[]|nil at the answer
---@field binding tandem.PlanFigure|nil
---@field utilization number|nil of the busiest resource
---@field bottleneck string|nil
---@field lost number|nil share of the requests that were not served
---@field bill tandem.Bill|nil
---@field fewer table|nil why not one fewer: { count, state, binding, overload, open }
---@field reason string|nil why none
---@field capped string|nil "budget" where that is what bounds the search
---@field high integer the most that were allowed

---@class tandem.Plot
---@field kind string "lines", "bars", …
---@field title? string
---@field lines fun(place: tandem.Style): string[]
---@field style? tandem.Style where it is printed, instead of the process's standard output
local Plot = {}
--- The rows as CSV.
--- Nil, a message and 4 where the file cannot be written.
---@param path? string
---@return string|boolean|nil
---@return string|nil message
---@return integer|nil code
function Plot:csv(path) end
--- Its first rows, and how many there are.
--- Raises nothing.
---@param most integer
---@return tandem.RowTable
---@return integer all
function Plot:head(most) end
--- A page of its own: the picture, buttons that save it as PNG and SVG, its figures as a table.
--- Nil, a message and 4 where the file cannot be written.
---@param path? string
---@return string|boolean|nil
---@return string|nil message
---@return integer|nil code
function Plot:html(path) end
--- Writes the form that the file's name asks for: .svg, .html, .csv or .txt.
--- Raises where the path is no text; nil, a message and a code where the file cannot be written (4) or its ending says no form (2).
---@param path string
---@return boolean|nil saved
---@return string|nil message
---@return integer|nil code
function Plot:save(path) end
--- The picture: its text, or with a file's name that file is written.
--- Nil, a message and 4 where the file cannot be written.
---@param path? string
---@return string|boolean|nil
---@return string|nil message
---@return integer|nil code
function Plot:svg(path) end
--- What was to be drawn, as rows that sort, filter and print themselves.
--- Raises nothing.
---@return tandem.RowTable
function Plot:table() end
--- The plot as a terminal shows it: as wide as told (40 to 110 columns), in ASCII or Unicode.
--- Raises nothing.
---@param place? tandem.Style|{ width?: integer, unicode?: boolean, color?: boolean }
---@return string
function Plot:text(place) end

---@class tandem.PrintableTable
---@field columns tandem.Column[]
---@field rows tandem.Cell[][]
---@field style tandem.Style
local PrintableTable = {}
--- The lines of the table.
--- Raises nothing.
---@param indent? integer
---@return string[]
function PrintableTable:lines(indent) end

---@class tandem.Problem
---@field file string|nil
---@field line integer|nil
---@field path string key path, as `with` and `--set` take it
---@field message string what is wrong, and the nearest valid thing

---@class tandem.Problems: tandem.Problem
local Problems = {}
--- Sorts them by file and line, otherwise as found.
--- Raises nothing.
function Problems:sort() end

--- What the function of a td.process is given: what its request does, step by step. It has the
--- fields of a request, too.
---@class tandem.Process: tandem.Request
local Process = {}
--- Lets time pass.
--- Raises outside its process's function, and where the time is none or below 0.
---@param time number|string|tandem.Dist seconds or "2ms"
function Process:hold(time) end
--- Gives memory back.
--- Raises outside its process's function, where there is no such memory, and where the bytes are none, a distribution or below 0.
---@param memory string|tandem.Resource "gpu", or a td.memory of the scenario
---@param bytes number|string bytes or "2GiB"
function Process:release(memory, bytes) end
--- Waits for memory and takes it.
--- Raises outside its process's function, where there is no such memory, and where the bytes are none, a distribution or below 0.
---@param memory string|tandem.Resource "gpu", or a td.memory of the scenario
---@param bytes number|string bytes or "2GiB"
function Process:seize(memory, bytes) end
--- Waits in the queue of a station, holds it for so long, leaves it. Of a link the amount is bytes.
--- Raises outside its process's function, where there is no such station, and where the amount is none or below 0.
---@param station string|tandem.Resource "cpu", "h2d", "gpu", "d2h", or a resource of the scenario
---@param amount number|string|tandem.Dist seconds or "2ms"; of a link bytes or "8MiB"
function Process:use(station, amount) end

---@class tandem.Query
---@field names string[] of the columns, each once: a second "id" is "id:2"
local Query = {}
--- All rows that are left.
--- Raises where the store can no longer be read.
---@return table[]
function Query:all() end
--- Ends the query; twice is fine.
--- Raises nothing.
function Query:close() end
--- The names of the columns, in order.
--- Raises nothing.
---@return string[]
function Query:columns() end
--- The values of the next row in the order of the columns, holes where they are NULL.
--- Raises where the store can no longer be read.
---@return any[]|nil
function Query:list() end
--- The next row; nil at the end.
--- Raises where the store can no longer be read.
---@return table|nil
function Query:next() end
--- The first row that is left; the query ends.
--- Raises where the store can no longer be read.
---@return table|nil
function Query:one() end
--- All rows that are left as a table that prints itself.
--- Raises where the store can no longer be read.
---@return tandem.RowTable
function Query:table() end

---@class tandem.Random
---@field state integer
local Random = {}
--- 64 random bits.
--- Raises nothing.
---@return integer
function Random:bits() end
--- A whole number from 1 to `n`.
--- Raises nothing.
---@param n integer
---@return integer
function Random:integer(n) end
--- A number of mean 0 and variance 1, near enough to normal for a search's steps: twelve uniform
--- numbers added, which needs no logarithm.
--- Raises nothing.
---@return number how many standard deviations off
function Random:normal() end
--- A number at least 0 and below 1.
--- Raises nothing.
---@return number a fraction
function Random:uniform() end

---@class tandem.Range
---@field from number|string
---@field to number|string
---@field points integer|nil how many values; each whole number unless told
---@field log boolean|nil equal ratios rather than equal steps

---@class tandem.ReplayOptions
---@field map? tandem.Map of a measured run
---@field arrivals? "rows"|"fitted" the very requests (unless told), or others that are alike
---@field store? string where the simulation is kept; the capture's store unless told
---@field seed? integer of the random numbers: the scenario's unless told

---@class tandem.ReportOptions
---@field style? tandem.Style where it is printed; the process's standard output unless told
---@field file? string what the scenario is called in the commands we suggest
---@field settings? string[] the --set values of this run
---@field trace? string the trace file that was written
---@field timeline? boolean false leaves the picture over time out
---@field advice? boolean false leaves out what to try next

--- A request as cost functions, hooks, routers and admit see it: to be read during the call alone.
---@class tandem.Request
---@field id integer its number within its class
---@field class string the class's name
---@field stage string the stage's name
---@field outcome string of one that was dropped: dropped, refused, abandoned, …
---@field now number the simulated time in seconds
---@field time number the same, in seconds
---@field arrival number when it arrived, in seconds
---@field waited number how long it just waited, in seconds
---@field batch number how many members its batch has: 1 when it is not batched
---@field sum table<string, number> an attribute summed over the batch, in its unit
---@field gpu table<string, number> fields of the GPU the request is on, in SI units
---@field [string] number its attributes, in SI units

---@class tandem.Result
---@field name string
---@field seed integer
---@field replications integer
---@field confidence number
---@field requests integer measured, over all replications
---@field events integer
---@field duration_s number mean observed window after warm-up
---@field warmup_s number
---@field warmup_requests integer
---@field warmup_unsettled? boolean no steady state was found; the warm-up is a guess
---@field open? integer requests still in the system at the end, over replications
---@field offered_rps tandem.Estimate
---@field carried_rps tandem.Estimate
---@field throughput_rps tandem.Estimate
---@field goodput_rps tandem.Estimate
---@field slo_met tandem.Estimate fraction within the class's threshold
---@field latency tandem.LatencySummary
---@field classes table[]
---@field llm? table[] of each LLM server, see tandem help llm
---@field stages table[] in route order
---@field resources table[]
---@field in_system tandem.Estimate
---@field checks { little: number, conservation: boolean, ok: boolean }
---@field overload? { resource: string, load: number, reason: string, bound?: string }
---@field unsettled? { resource: string, load?: number, reason: string } an LLM server of which the run is too short to tell whether it keeps up
---@field series? table
---@field histogram? { edges_s: number[], counts: number[] }
---@field requests_log? table[]
---@field recorded? table<string, { count: integer, sum: number, mean: number, min: number, max: number, values: number[] }>
---@field interrupted? boolean
local Result = {}
--- The answer to "does it meet its objectives?": false when one was missed. Where the interval
--- contains the limit the estimate itself decides (and the report says that it is undecided), but
--- for times under overload, which grow with the run.
--- Raises nothing.
---@return boolean
function Result:answer() end
--- The resource that saturates first: its name, and how busy it was (its offered load under
--- overload). Nil when no resource is limited.
--- Raises nothing.
---@return string|nil name
---@return number|nil utilization  a share of its capacity
function Result:bottleneck() end
--- What is at a dotted path: "latency.p99", "stages.compute.wait.mean",
--- "resources.L40 gpu.utilization", "bottleneck". Items of a list are reached by name or number.
--- Nil when there is nothing.
--- Raises nothing: nil where there is nothing.
---@param path string
---@return any
function Result:find(path) end
--- The figure at a dotted path, as find, but an estimate stands for its value.
--- Raises nothing: nil where there is nothing.
---@param path string
---@return any
function Result:get(path) end
--- One part as a terminal plot that prints itself: "latency" (histogram), "cdf", "stages" (bars),
--- or "timeline" (the lanes over time).
--- Raises where there is no plot of that name.
---@param name? string "latency" unless told
---@param place? tandem.Style
---@return tandem.Plot
function Result:plot(name, place) end
--- The summary that `tandem run` prints.
--- Raises where an option is unknown.
---@param options? tandem.ReportOptions
---@return string
function Result:report(options) end
--- The scenario that was run, when it is still known.
--- Raises nothing.
---@return tandem.Scenario|nil
function Result:scenario() end
--- One part as an aligned table that prints itself: "stages", "resources", "classes", "latency",
--- "requests" or "llm".
--- Raises where there is no part of that name.
---@param name? string "stages" unless told
---@return tandem.PrintableTable
function Result:table(name) end
--- The result as JSON, schema tandem.result/1; ends with a line end.
--- Raises nothing.
---@return string
function Result:to_json() end
--- Every service-level objective with its verdict, classes in order.
--- Raises nothing.
---@return tandem.SloVerdict[]
function Result:verdicts() end

---@class tandem.RowColumn
---@field name string of the value in a row, and in CSV and JSON
---@field title? string for people; the name unless told
---@field show? fun(value: any, row: table): tandem.Cell for people; the plain value unless told
---@field align? "left"|"right" right where all values are numbers, unless told
---@field optional? integer|true as column_table has it
---@field wrap? boolean
---@field under? boolean on lines of its own under the row
---@field hidden? boolean in CSV and JSON only

---@class tandem.RowTable
---@field columns tandem.RowColumn[]
---@field rows table[]
local RowTable = {}
--- The values of a column as a list; false where a row has none.
--- Raises where there is no such column.
---@param name string
---@return any[]
function RowTable:column(name) end
--- Rows that a function likes, or that have these values: t:filter { kind = "measured" }.
--- Raises where there is no such column.
---@param wanted (fun(row: table): boolean)|table<string, any>
---@return tandem.RowTable
function RowTable:filter(wanted) end
--- The first rows.
--- Raises nothing.
---@param count integer
---@return tandem.RowTable
function RowTable:first(count) end
--- The table as lines for a place to print to.
--- Raises nothing.
---@param place? tandem.Style
---@param indent? integer
---@return string[]
function RowTable:lines(place, indent) end
--- The same as one text.
--- Raises nothing.
---@param place? tandem.Style
---@return string
function RowTable:report(place) end
--- Rows in the order of a column; equal ones stay as they are.
--- Raises where there is no such column.
---@param name string
---@param descending? boolean
---@return tandem.RowTable
function RowTable:sort(name, descending) end
--- As CSV, with a line of names; ends with a line end.
--- Raises nothing.
---@return string
function RowTable:to_csv() end
--- As JSON: the schema's name, other fields, the rows; ends with a line end.
--- Raises nothing.
---@param schema string
---@param fields? table<string, any>
---@return string
function RowTable:to_json(schema, fields) end

---@class tandem.RulePack
---@field name string
---@field about? string
---@field extends? string[] packs whose rules come behind its own
---@field rules tandem.KernelRule[]

---@class tandem.Run
---@field number integer what SQL's column `run` means
---@field id string
---@field kind "simulated"|"measured"
---@field name string
---@field state "complete"|"interrupted"
---@field created_utc_ns integer|nil
---@field scenario string|nil its text
---@field scenario_hash string|nil
---@field seed integer|nil
---@field version string|nil of the program
---@field summary_json string|nil tandem.result/1
---@field note string
---@field span_count integer
---@field spans_dropped integer
---@field complete_until_ns integer|nil
---@field first_ns integer|nil
---@field last_ns integer|nil
---@field tags string[]
---@field store tandem.Store
local Run = {}
--- Counter samples, of all counters or of one.
--- Raises where the store can no longer be read.
---@param name? string
---@return tandem.Query
function Run:counters(name) end
--- What another run has more, less, otherwise: r:diff(other, { by = "kernel" }).
--- Nil, a message and a code where an option is unknown (2) or a run is not found (3).
---@param other tandem.Run|string|tandem.Run[]
---@param options? tandem.DiffOptions
---@return tandem.Diff|nil
---@return string|nil message
---@return integer|nil code
function Run:diff(other, options) end
--- Seconds: of a simulated run what was observed of it, of a measured one from its first record to
--- its last.
--- Raises nothing: nil where it has no records.
---@return number|nil seconds
function Run:duration_s() end
--- Edges: from a launch to its kernel, from one stage to the next.
--- Raises where the store can no longer be read.
---@return tandem.Query
function Run:edges() end
--- What the sources say of their machine, process and capture.
--- Raises where the store can no longer be read.
---@return tandem.Query
function Run:facts() end
--- The published figure at a path, as result:get: r:figure "latency.p99".
--- Raises nothing: nil where there is none.
---@param name string
---@return number|nil in SI units
function Run:figure(name) end
--- Figures: of a simulated run, what tandem.result/1 has; of a measured one, what its files say.
--- Raises where the store can no longer be read.
---@return tandem.Query
function Run:metrics() end
--- What readers dropped or repaired, by kind.
--- Raises where the store can no longer be read.
---@return tandem.Query
function Run:problems() end
--- A scenario simulated under the run's own load, and kept: the same requests at the same times, of
--- the same sizes. A measured run has requests by a map.
--- Nil, a message and a code where a measured run has no map (3), the scenario cannot take its requests (3), or the store cannot be written (4).
---@param scenario tandem.Scenario
---@param options? tandem.ReplayOptions
---@return tandem.Run|nil
---@return string|nil message
---@return integer|nil code
function Run:replay(scenario, options) end
--- Requests of a simulated run, by arrival.
--- Raises where the store can no longer be read.
---@return tandem.Query
function Run:requests() end
--- The files that were read, or the simulation.
--- Raises where the store can no longer be read.
---@return tandem.Query
function Run:sources() end
--- Spans by category: how many and their time in all, the longest first. Overlapping ones count
--- twice.
--- Raises where the store can no longer be read.
---@return tandem.Query
function Run:span_categories() end
--- Spans, in no particular order: r:spans { category = "kernel", from = ns, to = ns, track = 3,
--- name = "gemm" }. Times are the run's, in nanoseconds.
--- Raises where the filter has an unknown key, or the store can no longer be read.
---@param filter? { category?: string, from?: integer, to?: integer, track?: integer, name?: string }
---@return tandem.Query
function Run:spans(filter) end
--- What spans lie on.
--- Raises where the store can no longer be read.
---@return tandem.Query
function Run:tracks() end
--- The run as requests and visits of stages: a capture through a map, a simulated run without one.
--- Raises where an option is unknown; nil, a message and 3 where a measured run has no map or the map finds no request.
---@param map? tandem.Map
---@param options? tandem.AnalysisFilter
---@return tandem.Visits|nil
---@return string|nil message
---@return integer|nil code
function Run:visits(map, options) end
--- Sums the kernels of a run by name, the longest first, as `nsys stats -r cuda_gpu_kern_sum` does: the share is of the time of all kernels, overlapping ones counted each; the standard deviation is the sample's (n - 1). Of a simulated run: the services on GPUs.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { by?: "name"|"base"|"mangled"|"grid", each?: "device"|"stream"|"process"|"rank", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:kernels(options) end
--- Sums everything that GPUs did by name, the longest first, as `nsys stats -r cuda_gpu_sum` does; with --api the calls of the CUDA runtime and driver stand between it, as `-r cuda_api_gpu_sum` does. Shares are of the sum of all rows, overlapping work counted each.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { by?: "name"|"base", api?: boolean, each?: "device"|"stream"|"process"|"rank", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:gpu(options) end
--- Sums the calls of the CUDA (HIP) runtime and driver by name, the longest first, as `nsys stats -r cuda_api_sum` does. Names are without the version of the interface (_v3020, _v11060), so that the versions of a call are one row.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { each?: "process"|"rank"|"thread", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:api(options) end
--- For every thread, GPU, API call and kernel: the means (--csv and --json have medians, extremes and deviations too) of the time in the call, of the wait between its end and the kernel's start, of the kernel, and from the call's start to the end of both, as `nsys stats -r cuda_kern_exec_sum` has them. The largest sum of totals comes first.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { by?: "name"|"base", each?: "device"|"stream"|"process"|"rank"|"thread", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:launches(options) end
--- Sums synchronization twice: the records of CUPTI by kind (waits for a stream, an event, a device; a stream's wait for an event costs its host nothing), and the API calls in which the host waited, those named …Synchronize or …Sync (a call inside another that waits is the same wait and counts once). The two tables show the same waits from two sides and must not be added.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { each?: "device"|"stream"|"process"|"rank"|"thread", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:syncs(options) end
--- Sums the ranges that the program marked (NVTX, annotations of PyTorch) by name, domain and style, the longest first, as `nsys stats -r nvtx_sum` does. Times are those of the host; what GPUs did for a range is `tandem projected`.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { style?: "pushpop"|"startend", each?: "process"|"rank"|"thread", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:ranges(options) end
--- For each range that the program marked: the time from the start of the first to the end of the last GPU operation that was launched inside it on its thread, summed by name, as `nsys stats -r nvtx_gpu_proj_sum` has it. Idle time in between is part of it. Level is the number of ranges around, children are the ranges directly inside that launched something too. Ranges from start to end that need not nest have what their thread launched while they were open, no level and no children. --csv and --json have the least projection, the deviation and the operations of each range as well.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { each?: "device"|"stream"|"process"|"rank"|"thread", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:projected(options) end
--- Sums kernels by the ranges around their launching calls, as `nsys stats -r nvtx_kern_sum` does: a kernel counts in every range around its call, not in the innermost alone; a row without a range has the kernels that no range or no recorded call belongs to. --csv and --json have the median, least and deviation as well.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { by?: "name"|"base", each?: "thread"|"device"|"stream"|"process"|"rank", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:range_kernels(options) end
--- Sums the operators of a torch profile by name, those first that keep GPUs busy longest: GPU time of what was launched in the operator itself (gpu self) and in those inside it (gpu total); host time without (self) and with (host) the operators inside. Totals count recursion once: an operator inside another of its name on the same thread adds to count and self, not to gpu total and host; mean is host by the outermost calls of the name. The second table has the kernels by the operator that launched them.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { each?: "device"|"stream"|"process"|"rank"|"thread", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:ops(options) end
--- Sums the calls that block or may block (read, poll, pthread_cond_wait …) by name, the longest first, as `nsys stats -r osrt_sum` does. Profilers record only calls that last longer than a threshold of theirs.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { each?: "process"|"rank"|"thread", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:osrt(options) end
--- How long each GPU computed, communicated, copied and did nothing, from its first work to its last. Compute, exposed communication (while nothing computes), exposed copies (while nothing computes or communicates) and idle add up to the total, as TraceLens' gpu_timeline has them; hidden time is the rest of communication and copies. The second table is HolisticTraceAnalysis' temporal breakdown, where memsets do not compute. GPUs are never merged; ranks with several have sums of theirs.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { rules?: "tandem"|"hta", work?: "all"|"launched"|"whole_steps", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:breakdown(options) end
--- The share of communication's time, and of copies', during which the same GPU also computed, and how long each combination of computation, communication and memory work (copies and memsets) ran: HolisticTraceAnalysis' overlap and kernel breakdown.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { rules?: "tandem"|"hta", work?: "all"|"launched"|"whole_steps", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:overlap(options) end
--- Idle time between the pieces of work of each stream, by cause, as HolisticTraceAnalysis has it: host wait, when the launch came after the stream fell idle; kernel wait, when it came before and the gap is short; other, such as waiting for an event. Its documents give the limit of a short gap as 30 ns, but it compares 30 with microseconds; 30 µs is the default here. A filter of time is a window onto the run: what is idle in it counts, with the cause that it has in the run.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { consecutive_kernel_delay?: string|integer, work?: "all"|"launched"|"whole_steps", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:idle(options) end
--- Gaps between the pieces of work of each GPU, the longest first: the work before and after, whether the work after was launched in the gap (host wait), and the API call and the range or operator that cover it on the host. `nsys analyze -r gpu_gaps` lists gaps from 500 ms: --threshold 500ms. The profiler's own overhead is taken off where it was recorded. A filter of time is a window onto the run: gaps are cut to it, and where it begins or ends while the GPU does nothing, that is a gap too.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { threshold?: string|integer, most?: integer, overhead?: boolean, work?: "all"|"launched"|"whole_steps", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:gaps(options) end
--- How many launches wait in each stream, from the start of the API call to the start of its work, sampled after every launch and every start as HolisticTraceAnalysis has it, and how long the queue was full: with 1024 outstanding launches the next one blocks. The launch of a CUDA graph is one entry. A filter of time is a window onto the run: the queues in it hold what was launched before.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { full?: integer, no_graphs?: boolean, work?: "all"|"launched"|"whole_steps", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:queue(options) end
--- For every piece of GPU work whose API call was recorded: how long the call took, how long the work took, and the delay from the end of the call to the start of the work, as HolisticTraceAnalysis' launch statistics have them. Short work takes less than its own call: it would gain from fusion or a CUDA graph.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { runtime_cutoff?: string|integer, launch_delay_cutoff?: string|integer, kernels_only?: boolean, work?: "all"|"launched"|"whole_steps", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:launch_delay(options) end
--- Cuts the time from the first GPU work to the last of all GPUs into equal bins and says for each GPU which share of each bin it was busy, computed, communicated and copied. A nanosecond counts once, however many pieces of work cover it.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { bins?: integer, rules?: "tandem"|"hta", work?: "all"|"launched"|"whole_steps", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:utilization(options) end
--- Counts sequences of so many kernels, copies and memsets that follow each other in a stream, the one that takes the most time first. A sequence of short kernels is a candidate for fusion; one whose kernels are short and far apart, for a CUDA graph.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { length?: integer, count?: integer, short?: string|integer, top?: integer, each?: "device"|"stream"|"process"|"rank", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:sequences(options) end
--- Gathers the launches of each graph, recorded node by node (kernels that bear the correlation of a call named *GraphLaunch) or as a whole (rows of category graph), and compares the time that launching takes on the host, for each kernel, with kernels that are launched singly.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:graphs(options) end
--- Follows the run backwards from its last record: a call after what its thread did before, work after its launch or after the work before it in its stream, a wait after what it waited for. Every nanosecond of the path is told once, by what it is and by what bounds it. The same graph, replayed with changed costs, predicts what a change would gain.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { faster?: string, no_launch_overhead?: boolean, overlap_copies?: boolean, steps?: integer, range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:critical_path(options) end
--- Sets the ranks of a run of several files (or processes) side by side: how long their GPU was busy, computed, communicated. Collectives are matched across ranks by name and order; the last rank to arrive holds the others up. Clocks are those of the import: the notes say how far apart collectives end.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:ranks(options) end
--- Follows the CUDA (HIP) calls of each process through the phases of inference, with the bytes that each one copies and allocates; in what bursts kernels are launched, and how busy the GPU is; where the process has neither a call nor GPU work; how often the host stops until the GPU is done, and the operating system takes it off the CPU. Works on traces of calls alone (eBPF) and on captures with GPU work.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { idle?: string|integer, range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:phases(options) end
--- Sorts the kernels, copies and memsets of a run into categories by rules on their names: those of an engine (vllm, sglang, tensorrt_llm, jax, torch, amd, cuda_libraries), all of them unless one is named, or your own. Elapsed counts each nanosecond of a GPU once, for the work that began first; total sums durations. CPU(non-GPU) is the time of the wall clock in which the GPU had nothing to do. GPUs are never merged.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { rules?: string, engine?: string, model?: string, elapsed?: string|integer, each?: "device"|"rank"|"all", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:categories(options) end
--- Folds what nests on threads - NVTX ranges, annotations, operators, Python functions, API calls, sampled stacks - into a tree. Its weight is the time on the thread, or the time on the GPU of the work that was launched inside a frame (by correlation, down to the kernel), or the number of samples. A function's own weight is what none of the frames inside it has; its total counts recursion once.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { weight?: "host"|"gpu"|"samples", min?: string, depth?: integer, small?: string|integer, merge?: boolean, only?: string, range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:flame(options) end
--- For each step and GPU: every nanosecond counts once, for the first of kernel, copy, memset, communication, API call, data loader, CPU operator that ran in it; the rest is other. That is the order of PyTorch's TensorBoard plugin, which moves a step's ends to its GPU work; here a step is what its range says. A step that waits for data shows it.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { name?: string, rules?: "tandem"|"hta", work?: "all"|"launched"|"whole_steps", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:steps(options) end
--- Sums copies and memsets by kind, by their time (`nsys stats -r cuda_gpu_mem_time_sum`) and by their bytes (`-r cuda_gpu_mem_size_sum`), the largest first. Of a simulated run: the transfers on its links.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { by?: "kind"|"memory", each?: "device"|"stream"|"process"|"rank", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:copies(options) end
--- Bandwidth of copies and memsets by GPU and kind: throughput, which is their bytes over their time; mean (HTA), median and the others over the starts and ends of copies, what all copies of that kind move at once, which is HolisticTraceAnalysis' memory bandwidth summary: a copy counts as much as any other, however short; and bytes moved over time in equal bins, each copy's bytes spread evenly over it.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { bins?: integer, work?: "all"|"launched"|"whole_steps", range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:bandwidth(options) end
--- Adds up the allocations of a run on each device: the highest that was held, what was alive then, what was allocated in the run and never freed, how much of what the caching allocator reserved lay unused, and what was held over time by category. It reads PyTorch's profiler (profile_memory), memory timelines and snapshots, Nsight Systems' memory usage, and traced calls of the CUDA API that say sizes and addresses. Owners are the operators, stacks, variables or calls that allocated. Devices and ranks stay apart. With --range or --nvtx, 'before' is what is held when that time begins and 'at the end' when it ends.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { bins?: integer, top?: integer, range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:memory(options) end
--- Reads what PyTorch logs of torch.compile (set TORCH_TRACE to a directory and import the log): graph breaks with their reason, the line that caused them and PyTorch's hint; recompilations with the guards that failed; failures; compile time by frame and by phase; what caches had; and how many operators the generated code runs in how many calls. Of a trace of a compiled model it tells which share of the kernels' time Inductor's own take.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:compile(options) end
--- Asks rules whether the run shows a known problem: copies from pageable memory, synchronous copies, needless waits, idle GPUs, launches that hold the GPU up, exposed communication and their kind. Every finding says what it rests on, the threshold, what it would gain at most, how that was estimated, and what to do; rules that cannot be judged on the run say what is missing. Rules are small Lua files (lib/advice); --rules adds yours.
--- Raises where an option is unknown or has a wrong value; nil, a message and a code where the store cannot be read. What the run lacks, the answer says.
---@param options? { only?: string, rules?: string, threshold?: string, range?: string, nvtx?: string, device?: integer, stream?: integer, process?: integer, thread?: integer, rank?: integer }
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function Run:advice(options) end

---@class tandem.RunFilter
---@field name? string part of the name
---@field kind? "simulated"|"measured" both unless told
---@field state? "complete"|"interrupted" both unless told
---@field tag? string that it has
---@field since_ns? integer since 1970
---@field sort? string a column; the newest first unless told
---@field limit? integer how many at most

---@class tandem.RunOptions
---@field seed integer|nil of the random numbers: the scenario's unless told, else 1
---@field replications integer|nil independent runs: the scenario's unless told
---@field duration number|string|nil when arrivals stop: seconds or "60s"
---@field requests integer|nil arrivals stop after so many
---@field trace string|nil file to write a Chrome trace to
---@field store string|nil store file to add the run to
---@field spans "all"|"auto"|"none"|nil keep the trace of replication 1 in it: "all" unless told; "auto" keeps those of small runs
---@field kept nil|fun(id: string|nil, message: string|nil, code: integer|nil) told what became of it; with it a run that could not be stored has its result all the same
---@field requests_log "all"|table|nil replication 1: "all", { slowest = N }, { sample = N }
---@field threads integer|nil how many to use: the processors unless told; no figure depends on it
---@field engine "auto"|"event"|"lowered"|nil auto unless told; both give the same bytes

---@class tandem.Scenario
---@field name string
---@field title string|nil
---@field question string|nil
---@field description string|nil
---@field raw table what was written, as passive data
---@field checked table the canonical form: SI numbers, defaults filled
---@field expect table[]|nil what `expect` demands
local Scenario = {}
--- What will happen, in words: assumptions, lowered form, costs that stay functions.
--- Raises nothing.
---@return string
function Scenario:explain() end
--- A stable name of the scenario's meaning: equal for "5ms" and 0.005, for Lua and JSON.
--- Raises nothing.
---@return string sixteen hexadecimal digits
function Scenario:hash() end
--- The model table that the engine runs (lower/).
--- Raises where a cost function fails.
---@return table
function Scenario:model() end
--- Run the scenario.
--- Raises tandem.Problems where an option is unknown or wrong, and in a scenario file, which runs nothing; nil, a message and a code where a file could not be written or a function of the scenario failed.
---@param options tandem.RunOptions|nil
---@return tandem.Result|nil
---@return string|nil message
---@return integer|nil code
function Scenario:run(options) end
--- The scenario as JSON text that `tandem run` reads back. One that holds functions is written as
--- the script it was loaded from and what `with` changed.
--- Raises where it holds functions and came from no script.
---@return string
function Scenario:to_json() end
--- As `with`, but returns nil and the problems instead of raising.
--- Nil and tandem.Problems when a path is unknown or the variant is not valid.
---@param changes table<string, any>
---@return tandem.Scenario|nil
---@return tandem.Problems
function Scenario:try_with(changes) end
--- The costs that stay Lua functions (about ten times slower than traced ones), each with its
--- place and the reason why it was not traced.
--- Raises nothing: the list may be empty.
---@return tandem.Problems one entry per function; `message` is the reason
function Scenario:untraced_costs() end
--- A variant: `base:with { rps = 20, gpus = 4, ["pipeline.compute.tokens"] = 256 }`.
--- Raises tandem.Problems when a path is unknown or the variant is not valid.
---@param changes table<string, any> dotted paths or nested tables
---@return tandem.Scenario
function Scenario:with(changes) end

---@class tandem.Score: tandem.Answer
---@field verdict "within"|"off"|"cannot tell"
---@field within number
---@field real tandem.Visits
---@field simulated tandem.Visits
---@field distributions { name: string, real: number[], simulated: number[] }[]
---@field lanes string[] those that both runs have

---@class tandem.ScoreOptions
---@field map? tandem.Map of measured runs
---@field align? string how the clocks are put together: see tandem.overlay.clock
---@field drift? string auto (unless told), on, off: clocks that run at another rate
---@field within? number|string the tolerance, 0.05 or "5%" unless told
---@field confidence? number a fraction: 0.95 unless told
---@field gate? string|string[] conditions that must hold, as `tandem score --gate` takes them
---@field bins? integer of the table over time, 64 unless told
---@field worst? integer requests in the table of the worst, 10 unless told

---@class tandem.ScrubOptions
---@field environment? boolean recorded environment variables and arguments
---@field hosts? boolean names of machines and users, wherever they stand
---@field paths? boolean directories, wherever they stand
---@field names? string[] names that match: globs, or /Lua patterns/
---@field all? boolean environment, hosts and paths
---@field dry_run? boolean say what would be removed

---@class tandem.Scrubbed
---@field environment integer facts removed
---@field hosts integer facts removed
---@field texts integer texts that lost a directory or a host's name
---@field names integer names replaced
---@field artifacts integer removed
---@field clean boolean false: another process reads the store, so free pages still have it

---@class tandem.SearchHistory
---@field point tandem.Point
---@field value number
---@field half number|nil
---@field n integer
---@field ok boolean
---@field message string|nil
---@field ask integer which ask it belongs to; those of one ask were evaluated together
---@field best number|nil lowest value known after it

---@class tandem.SearchResult
---@field best tandem.Evaluation|nil nil only beside an error
---@field evaluations integer points evaluated; more replications of one count again
---@field replications integer of all points together
---@field asks integer
---@field repeats integer points answered from memory
---@field history tandem.SearchHistory[] in the order of asking
---@field stopped "done"|"budget"|"repeats" why it ended; "repeats": it asked in circles
---@field details table what the search says besides

---@class tandem.Sent
---@field ids string[] the runs' ids over there; none where the receiver is no tandem
---@field already boolean it had them
---@field bytes integer
---@field key string

---@class tandem.SloVerdict
---@field class? string
---@field metric string "p99", "mean", …
---@field limit number seconds, or a fraction for a rate
---@field value tandem.Estimate
---@field met? boolean nil when the interval contains the limit
---@field lost? number of a time: the share of requests that were not served, and have none

---@class tandem.Space
---@field dimensions tandem.Dimension[] by name
local Space = {}
--- The nearest point of the space: ranges clamped, whole numbers rounded. A coordinate that is no
--- number or no choice becomes the middle one.
--- Raises nothing.
---@param point tandem.Point
---@return tandem.Point
function Space:clamp(point) end
--- The dimension of a name: its kind, its ends, its choices.
--- Raises nothing: nil where there is none of that name.
---@param name string
---@return tandem.Dimension|nil
function Space:dimension(name) end
--- The point one step away along a whole-number dimension or a list of choices; nil at its end.
--- Raises nothing: nil at the end of a dimension.
---@param point tandem.Point
---@param i integer which dimension, from 1
---@param direction integer 1 or -1
---@return tandem.Point|nil
function Space:neighbour(point, i, direction) end
--- The point at a place of the unit cube, one number from 0 to 1 a dimension; numbers outside are
--- taken to the edge. 0 and 1 are a dimension's ends, first and last choice included.
--- Raises nothing.
---@param unit number[] fractions
---@return tandem.Point
function Space:point(unit) end
--- Every point of a finite space; the last dimension by name changes fastest.
--- Raises where the space is not finite.
---@return tandem.Point[]
function Space:points() end
--- What keeps a table from being a point of this space; nil when nothing does.
--- Raises nothing.
---@param point tandem.Point
---@return string|nil message
function Space:problem(point) end
--- How many points there are; nil when a range has no end of them.
--- Raises nothing: nil where a range has no end of points.
---@return integer|nil
function Space:size() end
--- Where a point stands in the unit cube.
--- Raises nothing.
---@param point tandem.Point
---@return number[]
function Space:unit(point) end

---@class tandem.Store
---@field path string
---@field db userdata core.database: for the files of this folder
local Store = {}
--- Closes the file; twice is fine.
--- Raises nothing.
function Store:close() end
--- Removes what nothing needs, and gives the freed bytes back.
--- Nil, a message and 4 where the file cannot be written.
---@param options? { interrupted?: boolean } also runs that were stopped
---@return tandem.Tidied|nil
---@return string|nil message
---@return integer|nil code
function Store:gc(options) end
--- Puts a measured trace into the store, as `tandem import` does: one file or several that belong
--- together, in any format of `tandem help formats`.
--- Raises where the files are no texts; nil, a message and a code where a file cannot be read (4) or is no trace (3).
---@param files string|string[]
---@param options? { name?: string, tags?: string[] } name: the first file's unless told
---@return tandem.Run|nil
---@return string|nil message
---@return integer|nil code
function Store:import(files, options) end
--- Sets the note of a run; "" takes it away.
--- Nil, a message and a code where there is no such run (3) or the file cannot be written (4).
---@param text string
---@param note string
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function Store:note(text, note) end
--- A query, for a generic for: `for row in s:query { "SELECT name FROM run WHERE kind = ?",
--- "measured" } do … end`. Rows are tables whose pairs() go in the order of the columns. Wrong SQL
--- raises.
--- Raises where the SQL is wrong.
---@param sql string|any[] the SQL, or a list: the SQL, then the values of its ?
---@return tandem.Query
function Store:query(sql) end
--- Removes a run and all that belongs to it. The file keeps its size until gc.
--- Nil, a message and a code where there is no such run (3) or the file cannot be written (4).
---@param text string
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function Store:remove(text) end
--- One run by the beginning of its id, by its name when no other has it, or "last".
--- Nil, a message and 3 where no run, or more than one, is meant.
---@param text string
---@return tandem.Run|nil
---@return string|nil message
---@return integer|nil code
function Store:run(text) end
--- The runs, newest first, as a table that prints itself.
--- Nil, a message and a code where the filter is wrong (2) or the file cannot be read (4).
---@param filter? tandem.RunFilter
---@return tandem.RowTable|nil
---@return string|nil message
---@return integer|nil code
function Store:runs(filter) end
--- Removes what a recording tells of its machine and its user, beyond recovery.
--- Nil, a message and a code where an option is wrong (2), there is no such run (3) or the file cannot be written (4).
---@param text string
---@param what tandem.ScrubOptions
---@return tandem.Scrubbed|nil
---@return string|nil message
---@return integer|nil code
function Store:scrub(text, what) end
--- Adds tags to a run.
--- Nil, a message and a code where there is no such run (3) or the file cannot be written (4).
---@param text string
---@param ... string
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function Store:tag(text, ...) end
--- Takes tags from a run; without a tag, all of them.
--- Nil, a message and a code where there is no such run (3) or the file cannot be written (4).
---@param text string
---@param ... string
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function Store:untag(text, ...) end

---@class tandem.StoreOptions
---@field readonly? boolean the file must exist, and nothing is written
---@field interruptible? boolean Ctrl-C ends a query; true unless told of td.store

---@class tandem.Style
---@field width integer columns of text
---@field unicode boolean may print beyond ASCII
---@field color boolean may print colour
---@field terminal boolean a person is looking (a terminal, not a pipe)
local Style = {}
--- Paints a text ("bold", "dim", "red", "green", "yellow", "blue", "magenta",
--- "cyan") where colour may be printed.
--- Raises nothing.
---@param text string
---@param color? string
---@return string
function Style:paint(text, color) end
--- Text as this place can show it: unchanged where Unicode may be printed, else spelt in ASCII
--- ("?" for what has no spelling).
--- Raises nothing.
---@param text string
---@return string
function Style:text(text) end

---@class tandem.Sweep
---@field name string
---@field rows tandem.SweepPoint[]
---@field failed tandem.SweepPoint[] rows of points that failed; they are not among `rows`
---@field axes tandem.SweepAxis[]
---@field metrics string[] those that some point has
---@field seed integer|nil
---@field replications integer|nil
---@field points integer how many the sweep has, answered or not
---@field reused integer how many of them a store had already
---@field interrupted boolean|nil
---@field bursts string|nil the axis that is the rate of a burst, not the mean
---@field chosen boolean|nil the metrics were asked for: all of them are printed
local Sweep = {}
--- The axis of that name; nil when it is none.
--- Raises nothing: nil where it is none.
---@param name string
---@return tandem.SweepAxis|nil
function Sweep:axis(name) end
--- The row with the best value of a metric: the lowest, of rates the highest; `way` decides when
--- told. Nil when no row has a number there.
--- Raises where there is no such column, and names the nearest.
---@param metric string
---@param way? "min"|"max"
---@return tandem.SweepPoint|nil
function Sweep:best(metric, way) end
--- The values of a column as a list; false where a row has none.
--- Raises where there is no such column, and names the nearest.
---@param name string
---@return any[] values
---@return (number|false)[] halves  of the intervals, in its unit
function Sweep:column(name) end
--- The point of a row in words: "gpus 2, rps 40".
--- Raises nothing.
---@param row tandem.SweepPoint
---@return string
function Sweep:describe(row) end
--- Rows that a function likes, or whose axes have these values: s:filter { gpus = 2 },
--- s:filter(function(row) return row.met end).
--- Raises where there is no such column, and names the nearest.
---@param wanted (fun(row: tandem.SweepPoint): boolean)|table<string, any>
---@return tandem.Sweep
function Sweep:filter(wanted) end
--- One row for each value of an axis, numbers folded over the other axes: "mean" (unless told),
--- "min", "max" or a function of the list of values. Intervals do not survive it: the points have
--- their luck in common.
--- Raises where there is no such column, and names the nearest.
---@param axis string
---@param how? "mean"|"min"|"max"|fun(values: number[]): number
---@return tandem.Sweep
function Sweep:group(axis, how) end
--- The full name of a column: "p99" is "latency.p99". Raises when there is none.
--- Raises where there is no such column, and names the nearest.
---@param name string
---@return string
function Sweep:named(name) end
--- A plot in the terminal, s:plot("rps", "p99", "gpus"), or as an SVG file,
--- s:plot("out.svg", { x = "rps", y = "p99", series = "gpus" }).
--- Raises where there is no such column or the file cannot be written.
---@param x string
---@param y string|table
---@param series? string
---@return tandem.Plot|table
function Sweep:plot(x, y, series) end
--- The table as text for a place to print to; without one, for standard output.
--- Raises nothing.
---@param place? tandem.Style
---@param options? { rows?: integer } how many rows at most
---@return string
function Sweep:report(place, options) end
--- Rows in the order of a column; equal ones stay in the order of their points, and what has no
--- value comes last.
--- Raises where there is no such column, and names the nearest.
---@param by string
---@param descending? boolean
---@return tandem.Sweep
function Sweep:sort(by, descending) end
--- Rows of a query over the table `sweep`: one column for each axis and metric, half-widths with
--- _half behind: s:sql "SELECT gpus, min(\"latency.p99\") AS best FROM sweep GROUP BY gpus".
--- Raises where the SQL is wrong.
---@param query string
---@param ... any for the ? in it
---@return table[] rows
function Sweep:sql(query, ...) end
--- As CSV: axes, metrics with their half-widths, the message of a failed point.
--- Raises nothing.
---@return string
function Sweep:to_csv() end
--- As JSON, schema tandem.sweep/1; ends with a line end.
--- Raises nothing.
---@return string
function Sweep:to_json() end

---@class tandem.SweepAxis
---@field name string
---@field dim string of its numbers
---@field numeric boolean

---@class tandem.SweepOptions
---@field scenario tandem.Scenario whose keys are varied
---@field over table<string, any>|table[]|nil axes: td.range(…), lists; the scenario's unless told
---@field design "grid"|"list"|"random"|"lhs"|nil grid unless told: every combination
---@field points integer|table[]|nil how many to draw, or the points themselves
---@field replications integer|nil independent runs of every point
---@field seed integer|nil of every point, and of random designs
---@field metrics string[]|nil paths of the result to keep: { "latency.p99" }
---@field threads integer|nil all processors unless told
---@field store string|nil a file that keeps the answers and continues a killed sweep
---@field fresh boolean|nil forget what the store has of it
---@field where (fun(point: table): boolean)|table<string, any>|nil which points
---@field shard { [1]: integer, [2]: integer }|nil { I, N }: points whose number modulo N is I
---@field progress fun(done: integer, total: integer, failed: integer)|nil told of points
---@field report fun(line: string)|nil told of failing points; standard error unless told
---@field backend tandem.Backend|nil who simulates: this machine's processors unless told
---@field name string|nil of the sweep in the store: the scenario's unless told

--- a row: values of axes and metrics stand under their names
---@class tandem.SweepPoint
---@field number integer of the point, from 1
---@field ok boolean
---@field message string|nil why it failed
---@field half table<string, number> half-widths of the intervals, by metric
---@field [string] number|string|boolean

--- an arithmetic expression that is known but not yet a number
---@class tandem.Symbol
---@field expr any[]|number the expression array

---@class tandem.Tidied
---@field runs integer runs removed
---@field orphans integer rows removed whose run was gone
---@field before integer bytes of the file and its log
---@field after integer

---@class tandem.Tornado
---@field name string
---@field metric string
---@field by number
---@field base tandem.Estimate
---@field rows tandem.TornadoRow[] widest swing first; coarse ones behind the others
---@field overloaded boolean the base does not keep up
---@field failed { name: string, message: string }[]
local Tornado = {}
--- The tornado chart: as an SVG file, or in the terminal.
--- Nil, a message and a code where the file cannot be written (4) or its ending says no form (2).
---@param path string|nil
---@return any plot  nil, message when the file could not be written
function Tornado:plot(path) end
--- The swings as a table with bars around the base.
--- Raises nothing.
---@param place tandem.Style|nil
---@return string
function Tornado:report(place) end
--- As JSON, schema tandem.tornado/1; ends with a line end.
--- Raises nothing.
---@return string
function Tornado:to_json() end

---@class tandem.TornadoOptions: tandem.VariantOptions
---@field metric string|nil "latency.p99" unless told
---@field by number|string|nil 0.1, or "10%"
---@field inputs string[]|nil paths; all that are found unless told

---@class tandem.TornadoRow
---@field name string
---@field low? number the figure with the parameter at its low end
---@field high? number … at its high end
---@field low_label? string what the low end is: "8 GB/s"
---@field high_label? string

---@class tandem.UploadOptions
---@field to string https://host:port
---@field raw? boolean with host names, paths, environments and artifacts
---@field json? boolean the JSON of the runs (tandem.upload/1), in one request, to the address as it stands
---@field token_file? string $TANDEM_TOKEN unless told
---@field plain_http? boolean unencrypted to other machines
---@field authorities? string a file of certificates to trust instead of the system's
---@field patience_s? number how long to wait for one that does not answer; 30 s unless told
---@field base_s? number how long to wait at most after a first failure; 0.5
---@field waiting? fun(seconds: number, why: string) told before it tries again
---@field progress? fun(sent: integer, all: integer) told how many bytes have arrived

---@class tandem.VariantOptions
---@field replications integer|nil independent runs of each: the base's unless told
---@field seed integer|nil of the random numbers, the same for all: the base's unless told
---@field confidence number|nil of the intervals, a fraction: 0.95 unless told
---@field threads integer|nil how many to use: the processors unless told
---@field metrics string[]|nil beside what is kept anyway
---@field progress (fun(fraction: number))|nil told how much is done, 0 to 1

---@class tandem.VariantRow
---@field name string
---@field ok boolean
---@field message string|nil
---@field metrics table<string, any>
---@field values table<string, number[]>
---@field differences table<string, tandem.Difference>

--- lists by visit, in order of their requests
---@class tandem.VisitColumns
---@field request integer[] from 1
---@field start_ns integer[]
---@field end_ns integer[]
---@field busy_ns integer[] the union of its pieces
---@field own_ns integer[] its part of the request's time, in which every instant counts once
---@field wait_ns integer[] its resource was full of other requests
---@field rest_ns integer[] nothing of the request ran
---@field pieces integer[]
---@field bytes? integer[] 0: its pieces did not say

--- lists by request, in order of arrival; times are the run's
---@class tandem.VisitRequests
---@field id (integer|string)[]
---@field arrival_ns integer[]
---@field end_ns integer[]
---@field tail_ns integer[] after the last visit
---@field outcome? string[] of simulated runs: "ok", "dropped", …
---@field sizes table<string, (number|false)[]> false: the request has none

---@class tandem.VisitStage
---@field name string
---@field lane string
---@field concurrency integer the most requests at once at one of its resources
---@field capacity? integer servers; of simulated runs
---@field count integer visits

---@class tandem.Visits
---@field run tandem.Run|nil what they are of; none when they were made from tables
---@field map tandem.Map|nil
---@field kind "measured"|"simulated"
---@field count integer requests
---@field first_ns integer|nil the first arrival
---@field stages tandem.VisitStage[] in order of the pipeline: by their mean start
local Visits = {}
--- When its requests arrived and how large they were, in seconds from the first: rows of td.replay,
--- so that a scenario sees the same load.
--- Raises nothing.
---@return tandem.Arrival[]
---@return string[] notes  what is left out, and why
function Visits:arrivals() end
--- What the map covers: stages, unmapped time by name, what was left out.
--- Raises nothing.
---@return tandem.Answer
function Visits:coverage() end
--- Arrivals and sizes as distributions: more requests that are alike, not the same again.
--- Nil, a message and 3 where there are too few requests.
---@return tandem.VisitsLoad|nil
---@return string|nil message
---@return integer|nil code
function Visits:load() end
--- The visits of a stage. The lists are shared: do not change them.
--- Raises where there is no stage of that name.
---@param name string
---@return tandem.VisitColumns
function Visits:of(name) end
--- A scenario simulated under this load, and kept: request i there is request i here.
--- Nil, a message and a code where the scenario cannot take these requests (3), or the store cannot be written (4).
---@param scenario tandem.Scenario
---@param options? tandem.ReplayOptions
---@return tandem.Run|nil
---@return string|nil message
---@return integer|nil code
function Visits:replay(scenario, options) end
--- Its requests. The lists are shared: do not change them.
--- Raises nothing.
---@return tandem.VisitRequests
function Visits:requests() end
--- Some of the requests, for which the function says true; waits and concurrency stay as all of
--- them made them.
--- Raises nothing.
---@param keep fun(index: integer): boolean
---@return tandem.Visits
function Visits:slice(keep) end
--- The stage of a name; nil, when there is none.
--- Raises nothing.
---@param name string
---@return tandem.VisitStage|nil
---@return integer|nil index
function Visits:stage(name) end
--- Writes them as CSV, which td.replay { file = … } reads.
--- Nil, a message and 4 where the file cannot be written.
---@param path string
---@return boolean|nil
---@return string|nil message
---@return integer|nil code
function Visits:write_arrivals(path) end

---@class tandem.VisitsLoad
---@field workload table an arrival process
---@field attrs table<string, any> numbers and distributions of the sizes
---@field notes string[] what was chosen, and why

---@class tandem.WhatIf
---@field name string
---@field metric string
---@field base tandem.VariantRow
---@field rows tandem.VariantRow[] variants, in the order given
---@field interrupted boolean
local WhatIf = {}
--- What a variant's cost is counted in: dollars where every row has a price, else GPUs.
--- Raises nothing.
---@return string
function WhatIf:cost() end
--- Which rows nobody beats in both: less cost and a better metric. Base included, cheapest first.
--- Raises nothing: rows without these figures are left out.
---@param cost string|nil "usd_per_hour" where it is known, else "gpus"
---@param path string|nil the metric in question
---@return tandem.VariantRow[]
function WhatIf:pareto(cost, path) end
--- Cost against the metric, the front joined.
--- Nil, a message and a code where the file cannot be written (4) or its ending says no form (2).
---@param path string|nil a file, whose ending says the form: .svg, .html, .csv, .txt
---@param axes { cost: string|nil, metric: string|nil }|nil
---@return tandem.Plot|nil plot  nil, message when the file could not be written
function WhatIf:plot(path, axes) end
--- The comparison as an aligned table.
--- Raises nothing.
---@param place tandem.Style|nil
---@return string
function WhatIf:report(place) end
--- The row of a variant.
--- Raises nothing: nil where there is none.
---@param name string
---@return tandem.VariantRow|nil
function WhatIf:row(name) end
--- As JSON, schema tandem.whatif/1; ends with a line end.
--- Raises nothing.
---@return string
function WhatIf:to_json() end

---@class tandem.WhatIfOptions: tandem.VariantOptions
---@field metric string|nil what the variants are judged by: "latency.p99" unless told

---@class tandem.PlotLine
---@field x? any[]|string numbers, or a column of data; 1, 2, … unless told
---@field y? any[]|string numbers, a column of data, or a list of columns
---@field series? any[]|string several, each with a name and its own keys; or the column that tells them apart
---@field band? any[] confidence: { low, high }, two lists or columns
---@field half? any[]|string confidence: half-widths
---@field log? string which axes are logarithmic: "x", "y" or "xy"
---@field limits? any[] lines to compare with: { { y = 250, label = "SLO" }, … }
---@field dash? boolean a dashed line
---@field x_label? string the title of the axis
---@field x_unit? string the unit that x is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field x_min? number where the axis begins, in its unit
---@field x_max? number where the axis ends, in its unit
---@field y_label? string the title of the axis
---@field y_unit? string the unit that y is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field y_min? number where the axis begins, in its unit
---@field y_max? number where the axis ends, in its unit
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
---@class tandem.PlotStep
---@field x? any[]|string numbers, or a column of data; 1, 2, … unless told
---@field y? any[]|string numbers, a column of data, or a list of columns
---@field series? any[]|string several, each with a name and its own keys; or the column that tells them apart
---@field band? any[] confidence: { low, high }, two lists or columns
---@field half? any[]|string confidence: half-widths
---@field log? string which axes are logarithmic: "x", "y" or "xy"
---@field limits? any[] lines to compare with: { { y = 250, label = "SLO" }, … }
---@field step? "after"|"before" y changes after x (as usual), or is reached before it
---@field dash? boolean a dashed line
---@field x_label? string the title of the axis
---@field x_unit? string the unit that x is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field x_min? number where the axis begins, in its unit
---@field x_max? number where the axis ends, in its unit
---@field y_label? string the title of the axis
---@field y_unit? string the unit that y is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field y_min? number where the axis begins, in its unit
---@field y_max? number where the axis ends, in its unit
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
---@class tandem.PlotScatter
---@field x? any[]|string numbers, or a column of data; 1, 2, … unless told
---@field y? any[]|string numbers, a column of data, or a list of columns
---@field series? any[]|string several, each with a name and its own keys; or the column that tells them apart
---@field names? any[]|string of the points
---@field half? any[]|string half-widths of y
---@field log? string which axes are logarithmic: "x", "y" or "xy"
---@field limits? any[] lines to compare with: { { y = 250, label = "SLO" }, … }
---@field x_label? string the title of the axis
---@field x_unit? string the unit that x is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field x_min? number where the axis begins, in its unit
---@field x_max? number where the axis ends, in its unit
---@field y_label? string the title of the axis
---@field y_unit? string the unit that y is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field y_min? number where the axis begins, in its unit
---@field y_max? number where the axis ends, in its unit
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
---@class tandem.PlotBar
---@field x? any[]|string the names of the bars, or their column
---@field y? any[]|string their values, or a column, or a list of columns
---@field series? any[]|string several, each with a name and its own keys; or the column that tells them apart
---@field half? any[]|string confidence: half-widths
---@field notes? any[]|string words behind the values
---@field limits? any[] lines to compare with: { { y = 250, label = "SLO" }, … }
---@field y_label? string the title of the axis
---@field y_unit? string the unit that y is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
---@class tandem.PlotStacked
---@field x? any[]|string the names of the bars, or their column
---@field y? any[] columns: the parts
---@field series? any[] the parts: { { name = "wait", y = { … } }, … }
---@field y_label? string the title of the axis
---@field y_unit? string the unit that y is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
---@class tandem.PlotArea
---@field x? any[]|string where the values stand, ascending
---@field y? any[] columns: the layers, the first at the bottom
---@field series? any[] the layers: { { name = "weights", y = { … } }, … }
---@field x_label? string the title of the axis
---@field x_unit? string the unit that x is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field y_label? string the title of the axis
---@field y_unit? string the unit that y is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
---@class tandem.PlotHistogram
---@field x? any[]|string the values, or their column
---@field series? any[] several, each with a name and x
---@field bins? integer|any[] how many intervals, or their edges
---@field log? string "x": intervals that grow by a factor
---@field limits? any[] lines to compare with: { { y = 250, label = "SLO" }, … }
---@field x_label? string the title of the axis
---@field x_unit? string the unit that x is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field x_min? number where the axis begins, in its unit
---@field x_max? number where the axis ends, in its unit
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
---@class tandem.PlotCdf
---@field x? any[]|string the values, or their column
---@field series? any[] several, each with a name and x
---@field log? string "x": a logarithmic axis
---@field limits? any[] lines to compare with: { { y = 250, label = "SLO" }, … }
---@field x_label? string the title of the axis
---@field x_unit? string the unit that x is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field x_min? number where the axis begins, in its unit
---@field x_max? number where the axis ends, in its unit
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
---@class tandem.PlotHeatmap
---@field x? any[]|string names or numbers of the columns
---@field y? any[]|string names or numbers of the rows
---@field z? any[]|string the rows of cells: { { 1, 2 }, { 3, 4 } }, or a column of data
---@field log? string "z": shades by magnitude
---@field x_label? string the title of the axis
---@field x_unit? string the unit that x is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field y_label? string the title of the axis
---@field y_unit? string the unit that y is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field z_label? string the title of the axis
---@field z_unit? string the unit that cells is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field z_min? number where the axis begins, in its unit
---@field z_max? number where the axis ends, in its unit
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
---@class tandem.PlotGantt
---@field spans? any[] { lane =, from =, to = (or dur =), name =, kind = }, … ; data serves as well
---@field lane? string the column of data that has the lane; "lane" unless told
---@field from? string … the start
---@field to? string … the end
---@field dur? string … the duration, in place of the end
---@field name? string … the name
---@field kind? string … what has a colour
---@field lanes? any[] the order of the lanes
---@field limits? any[] lines to compare with: { { y = 250, label = "SLO" }, … }
---@field x_label? string the title of the axis
---@field x_unit? string the unit that x is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field x_min? number where the axis begins, in its unit
---@field x_max? number where the axis ends, in its unit
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
---@class tandem.spec.affine
---@field decode_context? tandem.Quantity of every key they read (a time such as "5ms")
---@field decode_context_max? tandem.Quantity of every key of the longest of them (a time such as "5ms")
---@field decode_seqs? tandem.Quantity of every decoding sequence (a time such as "5ms")
---@field decode_step? tandem.Quantity more of a step in which sequences decode (a time such as "5ms")
---@field floor? tandem.Quantity no step is shorter (a time such as "5ms")
---@field pieces? any[] other coefficients by batch size: { { decode_seqs_max = 64, … }, { … } }
---@field prefill_attention? tandem.Quantity of every pair of query and key among prompt tokens (a time such as "5ms")
---@field prefill_context? tandem.Quantity of every token that these sequences already have (a time such as "5ms")
---@field prefill_seqs? tandem.Quantity of every sequence that computes prompt tokens (a time such as "5ms")
---@field prefill_squares? tandem.Quantity of every prompt length squared (a time such as "5ms")
---@field prefill_step? tandem.Quantity more of a step that computes prompt tokens (a time such as "5ms")
---@field prefill_tokens? tandem.Quantity of every prompt token computed (a time such as "5ms")
---@field sampled? tandem.Quantity of every token that leaves (a time such as "5ms")
---@field step? tandem.Quantity of every step (a time such as "5ms")
--- step times as a sum of fitted seconds for each thing in the batch
---@param body tandem.spec.affine
---@return tandem.LlmPart
function td.affine(body) end

---@class tandem.spec.affine_piece
---@field decode_context? tandem.Quantity of every key they read (a time such as "5ms")
---@field decode_context_max? tandem.Quantity of every key of the longest of them (a time such as "5ms")
---@field decode_seqs? tandem.Quantity of every decoding sequence (a time such as "5ms")
---@field decode_seqs_max? tandem.Quantity this piece holds up to so many
---@field decode_step? tandem.Quantity more of a step in which sequences decode (a time such as "5ms")
---@field prefill_attention? tandem.Quantity of every pair of query and key among prompt tokens (a time such as "5ms")
---@field prefill_context? tandem.Quantity of every token that these sequences already have (a time such as "5ms")
---@field prefill_seqs? tandem.Quantity of every sequence that computes prompt tokens (a time such as "5ms")
---@field prefill_squares? tandem.Quantity of every prompt length squared (a time such as "5ms")
---@field prefill_step? tandem.Quantity more of a step that computes prompt tokens (a time such as "5ms")
---@field prefill_tokens? tandem.Quantity of every prompt token computed (a time such as "5ms")
---@field sampled? tandem.Quantity of every token that leaves (a time such as "5ms")
---@field step? tandem.Quantity of every step (a time such as "5ms")

---@class tandem.spec.arrivals
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field duration? tandem.Quantity arrivals stop after this time (a time such as "5ms")
---@field fn function function(n, t) that returns the gap in seconds to arrival n; t: when the one before came
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
--- a Lua function (n, t) that returns the gap to the next arrival in seconds
---@overload fun(fn: function): tandem.Arrivals
---@param body tandem.spec.arrivals
---@return tandem.Arrivals
function td.arrivals(body) end

---@class tandem.spec.arrivals_coroutine
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field duration? tandem.Quantity arrivals stop after this time (a time such as "5ms")
---@field fn function function that yields gaps in seconds
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
--- a Lua coroutine that yields gaps in seconds
---@overload fun(fn: function): tandem.Arrivals
---@param body tandem.spec.arrivals_coroutine
---@return tandem.Arrivals
function td.arrivals_coroutine(body) end

---@class tandem.spec.batch
---@field decide? function function(waiting, oldest_wait, max) that returns how many to serve now, 0 to wait
---@field max tandem.Quantity most members of a batch
---@field preferred? any[] sizes to form first, before the wait is over
---@field static? boolean always wait until full
---@field wait? tandem.Quantity how long the oldest member waits for company (a time such as "5ms")

---@class tandem.spec.branch
---@field choices any[] { { p = 0.3, steps … }, { steps … } }; one may go without p; what is left of the probability does nothing
--- one of several ways, by probability
---@overload fun(body: tandem.spec.branch): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.branch): tandem.Stage
function td.branch(name) end

---@class tandem.spec.bursts
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field duration? tandem.Quantity arrivals stop after this time (a time such as "5ms")
---@field idle_rps? tandem.Quantity rate in a pause (a rate such as "15rps"); 0 unless told
---@field off tandem.Quantity mean length of a pause (a time such as "5ms")
---@field on tandem.Quantity mean length of a burst (a time such as "5ms")
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field rps tandem.Quantity requests a second (or "15rps") (a rate such as "15rps")
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
--- on/off: rps for a while, idle_rps for a while
---@param body tandem.spec.bursts
---@return tandem.Arrivals
function td.bursts(body) end

---@class tandem.spec.choice
---@field p? tandem.Quantity probability
---@field steps? tandem.Stage[] the steps inside

---@class tandem.spec.class
---@field attrs? table<string, any> request attributes: numbers, distributions or expressions, read as r.NAME in costs
---@field name string the name of the class
---@field patience? tandem.Random how long a request waits in a queue before it gives up (a time such as "5ms")
---@field pipeline? tandem.Stage[] the steps of a request, in order
---@field priority? tandem.Quantity 0 is served first, 15 last, where a resource has priorities
---@field retry? tandem.spec.retry|tandem.Quantity how often and how soon to try again
---@field slo? tandem.spec.slo objectives: p50, p99, … mean, goodput, met, deadline
---@field timeout? tandem.Random how long a request may take in all; not retried (a time such as "5ms")
---@field workload? tandem.Arrivals|tandem.Arrivals[] who arrives: one arrival process, or a list

---@class tandem.spec.closed
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field duration? tandem.Quantity arrivals stop after this time (a time such as "5ms")
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
---@field think? tandem.Random time a user waits before asking again (a time such as "5ms"); 0 unless told
---@field users tandem.Quantity how many users there are
--- users who wait for their answer, think, then ask again
---@overload fun(users: tandem.Quantity, think: tandem.Random): tandem.Arrivals
---@param body tandem.spec.closed
---@return tandem.Arrivals
function td.closed(body) end

---@class tandem.spec.compute
---@field batch? tandem.spec.batch|integer serve several at once: a size, or { max, wait, preferred, static }
---@field bytes? tandem.Cost how many bytes (a size such as "8MiB")
---@field efficiency? tandem.Quantity the share of the peak rates that is reached; 1 unless told
---@field flops? tandem.Cost floating-point work (an amount of work such as "2 TFLOP")
---@field jitter? number|tandem.Dist noise on the cost: 0.05 for 5 %, or a distribution
---@field on? string|tandem.Resource where it runs: gpu, cpu, h2d, d2h, none, or a resource
---@field overhead? tandem.Cost launch time added to the roofline (a time such as "5ms")
---@field precision? "fp64"|"fp32"|"tf32"|"bf16"|"fp16"|"fp8"|"fp6"|"fp4"|"int8"|"int4" whose peak rate of the GPU counts; fp16 unless told
--- roofline: the slower of FLOPs and bytes on the GPU
---@overload fun(body: tandem.spec.compute): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.compute): tandem.Stage
function td.compute(name) end

---@class tandem.spec.constant
---@field value tandem.Quantity the value
--- always the same value
---@overload fun(value: tandem.Quantity): tandem.Dist
---@param body tandem.spec.constant
---@return tandem.Dist
function td.constant(body) end

---@class tandem.spec.cpu
---@field discipline? "fifo"|"lifo"|"random"|"priority"|"preempt"|"ps" who is served next
---@field queue? tandem.Quantity waiting places; a request that finds none is dropped
---@field workers? tandem.Quantity how many workers

---@class tandem.spec.curve
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field duration? tandem.Quantity arrivals stop after this time (a time such as "5ms")
---@field period? tandem.Quantity the pattern repeats after this time (a time such as "5ms")
---@field points any[][] { {time, rps}, … }, straight lines between
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
--- a rate that follows points { {time, rps}, … }
---@param body tandem.spec.curve
---@return tandem.Arrivals
function td.curve(body) end

---@class tandem.spec.delay
---@field jitter? number|tandem.Dist noise on the cost: 0.05 for 5 %, or a distribution
---@field time tandem.Cost how long it takes (a time such as "5ms")
--- time that passes outside: no resource, no queue
---@overload fun(body: tandem.spec.delay): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.delay): tandem.Stage
function td.delay(name) end

---@class tandem.spec.diurnal
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field duration? tandem.Quantity arrivals stop after this time (a time such as "5ms")
---@field mean tandem.Quantity mean rate over the day (a rate such as "15rps")
---@field peak tandem.Quantity the highest rate (a rate such as "15rps")
---@field peak_at? tandem.Quantity when the peak comes (a time such as "5ms"); 50400 unless told
---@field period? tandem.Quantity the pattern repeats after this time (a time such as "5ms"); 86400 unless told
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
--- a day: a sine between night and peak
---@param body tandem.spec.diurnal
---@return tandem.Arrivals
function td.diurnal(body) end

---@class tandem.spec.empirical
---@field values any[] the values
---@field weights? any[] how likely each is, relative to the others
--- one of the given values
---@param body tandem.spec.empirical
---@return tandem.Dist
function td.empirical(body) end

---@class tandem.spec.erlang
---@field k tandem.Quantity how many exponentials are summed
---@field mean tandem.Quantity mean
--- sum of k exponentials
---@overload fun(k: tandem.Quantity, mean: tandem.Quantity): tandem.Dist
---@param body tandem.spec.erlang
---@return tandem.Dist
function td.erlang(body) end

---@class tandem.spec.exponential
---@field mean tandem.Quantity mean
--- memoryless, by its mean
---@overload fun(mean: tandem.Quantity): tandem.Dist
---@param body tandem.spec.exponential
---@return tandem.Dist
function td.exponential(body) end

---@class tandem.spec.fixed
---@field batch? tandem.spec.batch|integer serve several at once: a size, or { max, wait, preferred, static }
---@field jitter? number|tandem.Dist noise on the cost: 0.05 for 5 %, or a distribution
---@field on? string|tandem.Resource where it runs: gpu, cpu, h2d, d2h, none, or a resource
---@field time tandem.Cost how long it takes (a time such as "5ms")
--- a time on a CPU worker (or on = …)
---@overload fun(body: tandem.spec.fixed): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.fixed): tandem.Stage
function td.fixed(name) end

---@class tandem.spec.fleet
---@field gpus any[] the GPUs
---@field key? string the attribute that affinity routes by
---@field link? string|tandem.Resource the link its copies use
---@field router? string|function how a request is given a GPU: a name or a function
---@field weights? any[] share of each GPU, for the weighted router
--- several GPUs behind a router
---@overload fun(body: tandem.spec.fleet): tandem.Resource
---@param name string
---@return fun(body: tandem.spec.fleet): tandem.Resource
function td.fleet(name) end

---@class tandem.spec.fork
---@field branches any[] { { steps … }, { steps … } }
--- several lists of steps at once, then joined
---@overload fun(body: tandem.spec.fork): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.fork): tandem.Stage
function td.fork(name) end

---@class tandem.spec.gamma
---@field cv tandem.Quantity coefficient of variation: sd over mean
---@field mean tandem.Quantity mean
--- gamma, by mean and cv
---@overload fun(mean: tandem.Quantity, cv: tandem.Quantity): tandem.Dist
---@param body tandem.spec.gamma
---@return tandem.Dist
function td.gamma(body) end

---@class tandem.spec.generate
---@field adapter? tandem.Cost which LoRA adapter the request wants, a number; 0: none
---@field api? tandem.spec.llm_api what tokenizing and streaming take: { request, prompt_token, output_token, workers }; nothing unless given
---@field autoscale? tandem.spec.llm_autoscale how many replicas there are, by the load: { min, max, target, … }
---@field decode? tandem.spec.llm_pool replicas that compute outputs alone
---@field dp? tandem.Quantity groups of tp GPUs with requests of their own that share the experts: data parallelism; 1 unless told
---@field engine? tandem.spec.llm_engine how each replica schedules: { max_seqs, max_batched_tokens, … }
---@field ep? tandem.Quantity ways by which whole experts are divided among tp x dp GPUs: expert parallelism; 1 unless told
---@field group? tandem.Cost a number: whose prefix it is; one for all unless given
---@field handover? tandem.spec.llm_handover|tandem.Quantity how KV caches go from prefill to decode replicas: a td.link or its name, or { link, latency }
---@field history? boolean true: a prompt begins with all that this request has asked here and been answered in earlier rounds; a branch of a fork goes on from what was said before it
---@field key? tandem.Cost affinity: whose a request is, as r.session; unless given its conversation (history), or group
---@field max_output? tandem.Cost tokens the request may generate at most, which admission sees; its output unless given (a number of tokens)
---@field model? tandem.LlmPart td.llm "…": what GPUs hold and what a step computes
---@field mtbf? tandem.Random mean time, or distribution, between failures of a replica by itself (a time such as "5ms")
---@field mttr? tandem.Random until it is back, empty, with a cold cache (a time such as "5ms")
---@field network? tandem.spec.llm_network|tandem.Quantity what joins machines when a replica needs several: a link's name, or { bandwidth, latency }
---@field output? tandem.Cost output tokens of a request (a number of tokens)
---@field power? tandem.spec.llm_power what each GPU draws, where that is not as usual: { limit, idle, active, memory, arithmetic }
---@field pp? tandem.Quantity stages of layers, each on tp x dp GPUs: pipeline parallelism, as many batches in flight; 1 unless told
---@field predicted? tandem.Cost tokens it is thought to generate, by which shortest_job goes; its output unless given (a number of tokens)
---@field prefill? tandem.spec.llm_pool replicas that compute prompts alone; with decode and handover
---@field prefix? tandem.Cost leading prompt tokens that every request of the same group begins with, for the prefix cache; none unless given (a number of tokens)
---@field prompt? tandem.Cost prompt tokens of a request (a number of tokens)
---@field replicas? tandem.Quantity how many, of tp x pp x dp GPUs each; as many as there are GPUs for unless given, 1 without GPUs
---@field restarts? tandem.Quantity times a request begins anew, from its prompt, when its replica fails; then it is dropped; 3 unless told
---@field route? string|function how a request is given a replica: a name (tandem help policies) or function(r, replicas); round_robin unless told
---@field routing? tandem.spec.llm_routing numbers of the routers weighted and prefix_aware
---@field step? tandem.LlmPart|fun(batch: tandem.LlmBatch): number how long a step takes: a step model, or function(batch) of your own; td.roofline {} unless given
---@field tenant? tandem.Cost a number: whose request it is, 0 to 1048575; unless given, each class is a tenant
---@field tp? tandem.Quantity GPUs that share every layer: tensor parallelism; 1 unless told
--- tokens from an LLM server: replicas with continuous batching
---@overload fun(body: tandem.spec.generate): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.generate): tandem.Stage
function td.generate(name) end

---@class tandem.spec.gpu
---@field bandwidth? tandem.Quantity memory bandwidth, bytes/s (a bandwidth such as "32GB/s")
---@field concurrency? tandem.Quantity requests (or batches) computed at once; with discipline "ps" they share the GPU, and 1 is fifo; 1 unless told
---@field copy_engines? tandem.Quantity transfers at once in each direction; 1 unless told
---@field count? tandem.Quantity how many of them; 1 unless told
---@field d2h? tandem.Quantity bytes/s to the host (a bandwidth such as "32GB/s")
---@field discipline? "fifo"|"lifo"|"random"|"priority"|"preempt"|"ps" who is served next
---@field flops? tandem.Quantity peak FLOP/s that costs use (a compute rate such as "180 TFLOP/s")
---@field flops_bf16? tandem.Quantity peak FLOP/s in bf16 (a compute rate such as "180 TFLOP/s")
---@field flops_fp16? tandem.Quantity peak FLOP/s in fp16 (a compute rate such as "180 TFLOP/s")
---@field flops_fp32? tandem.Quantity peak FLOP/s in fp32 (a compute rate such as "180 TFLOP/s")
---@field flops_fp4? tandem.Quantity peak FLOP/s in fp4 (a compute rate such as "180 TFLOP/s")
---@field flops_fp6? tandem.Quantity peak FLOP/s in fp6 (a compute rate such as "180 TFLOP/s")
---@field flops_fp64? tandem.Quantity peak FLOP/s in fp64 (a compute rate such as "180 TFLOP/s")
---@field flops_fp8? tandem.Quantity peak FLOP/s in fp8 (a compute rate such as "180 TFLOP/s")
---@field flops_int4? tandem.Quantity peak FLOP/s in int4 (a compute rate such as "180 TFLOP/s")
---@field flops_int8? tandem.Quantity peak FLOP/s in int8 (a compute rate such as "180 TFLOP/s")
---@field flops_tf32? tandem.Quantity peak FLOP/s in tf32 (a compute rate such as "180 TFLOP/s")
---@field h2d? tandem.Quantity bytes/s from the host (a bandwidth such as "32GB/s")
---@field link? string|tandem.Resource the link its copies use
---@field memory? tandem.Quantity memory (a size such as "8MiB")
---@field ms_per_token? tandem.Quantity milliseconds a token
---@field mtbf? tandem.Random mean time between failures (a time such as "5ms")
---@field mttr? tandem.Random time to repair (a time such as "5ms")
---@field node? tandem.Quantity GPUs in one machine, joined by links of their own; 8 unless told
---@field params? table<string, any> numbers of your own, read as r.gpu.NAME
---@field price? tandem.Quantity $ a second (a price such as "2$/h")
---@field queue? tandem.Quantity waiting places; a request that finds none is dropped
---@field tdp_w? tandem.Quantity power in watts (a power such as "300W")
---@field time_per_token? tandem.Quantity time of one token on this GPU (a time per token such as "0.2ms")
--- a GPU of the catalogue, or one of your own
---@overload fun(body: tandem.spec.gpu): tandem.Resource
---@param name string
---@return fun(body: tandem.spec.gpu): tandem.Resource
function td.gpu(name) end

---@class tandem.spec.histogram
---@field counts any[] weight of each bin
---@field edges any[] bin edges, rising
--- bins with counts, uniform inside a bin
---@param body tandem.spec.histogram
---@return tandem.Dist
function td.histogram(body) end

---@class tandem.spec.hold
---@field memory tandem.Cost bytes held until the steps end (a size such as "8MiB")
---@field on? string|tandem.Resource whose memory: the GPU's unless given
---@field steps tandem.Stage[] the steps inside
--- steps that hold memory until they end
---@overload fun(body: tandem.spec.hold): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.hold): tandem.Stage
function td.hold(name) end

---@class tandem.spec.hooks
---@field arrival? function function(request) as it arrives
---@field complete? function function(request) as it leaves
---@field drop? function function(request) as it is turned away, gives up or times out: r.outcome
---@field every? tandem.Quantity time between ticks; 1 s unless given (a time such as "5ms")
---@field start? function function(request) as a stage begins to serve it: r.stage, r.waited
---@field tick? function function(now) at regular times

---@class tandem.spec.hyperexponential
---@field parts any[][] { {weight, mean or distribution}, … }
--- one of several exponentials: { {weight, mean}, … }
---@param body tandem.spec.hyperexponential
---@return tandem.Dist
function td.hyperexponential(body) end

---@class tandem.spec.link
---@field bandwidth tandem.Quantity bytes/s (a bandwidth such as "32GB/s")
---@field duplex? boolean both directions at full speed
---@field queue? tandem.Quantity waiting places; a request that finds none is dropped
---@field shared? boolean many transfers share it fairly; false: one at a time
--- a bandwidth, shared fairly or used one at a time
---@overload fun(body: tandem.spec.link): tandem.Resource
---@param name string
---@return fun(body: tandem.spec.link): tandem.Resource
function td.link(name) end

---@class tandem.spec.llm
---@field config? string a Hugging Face config.json, found beside the scenario
---@field kv? "bf16"|"fp16"|"fp8" what the KV cache is stored in; bf16 unless told
---@field weights? "bf16"|"fp4"|"fp4-latent"|"fp8"|"int4"|"int4-all"|"mxfp4" what the weights are stored in; as published unless given
--- a language model: by name, or by its config.json
---@overload fun(body: tandem.spec.llm): tandem.LlmPart
---@param name string
---@return fun(body: tandem.spec.llm): tandem.LlmPart
function td.llm(name) end

---@class tandem.spec.llm_api
---@field output_token? tandem.Quantity of a worker, for each output token (a time such as "5ms")
---@field prompt_token? tandem.Quantity of a worker, for each prompt token (a time such as "5ms")
---@field request? tandem.Quantity of a worker, for a request (a time such as "5ms")
---@field workers? tandem.Quantity processes that share this work; vLLM has one unless told; 1 unless told

---@class tandem.spec.llm_autoscale
---@field down_after? tandem.Quantity … fewer (a time such as "5ms"); 300 unless told
---@field every? tandem.Quantity how often it is looked at (a time such as "5ms"); 15 unless told
---@field load_bandwidth? tandem.Quantity … and until its weights are loaded, all of them at this rate; no time unless given (a bandwidth such as "32GB/s")
---@field max? tandem.Quantity most of them; GPUs / tp unless given
---@field metric? "outstanding"|"queue"|"kv"|"utilization" what is looked at: requests that are there or wait, or the share of KV blocks or of time in use; outstanding unless told
---@field min? tandem.Quantity fewest replicas; 1 unless told
---@field policy? function function(s) that returns how many replicas are wanted (tandem help hooks)
---@field provision? tandem.Quantity until a new replica has its node (a time such as "5ms"); 60 unless told
---@field start? tandem.Quantity at the beginning; min unless given
---@field target? tandem.Quantity how much of the metric each replica is to have: as many are wanted
---@field tolerance? tandem.Quantity nothing changes while that is off by no more than this share; 0.1 unless told
---@field up_after? tandem.Quantity how long more must be wanted without a break (a time such as "5ms"); 0 unless told

---@class tandem.spec.llm_engine
---@field admit? string|function when the first may run: a name, or a function(request, state) that returns true, false or the tokens to have room for
---@field batching? "continuous"|"dynamic"|"static" continuous: who comes joins those that run; dynamic and static: max_seqs at most are taken at once, and others when all of them are done; static ones wait until full; continuous unless told
---@field block_tokens? tandem.Quantity tokens a block of the KV cache; vLLM 16, SGLang 1, TensorRT-LLM 32
---@field chunk? string|function how prompts share a step: a name, or a function(request, budget, state) that returns tokens
---@field chunked_prefill? boolean long prompts in pieces, beside decoding; false: a prompt waits until it fits
---@field estimate? tandem.spec.llm_estimate what SGLang expects running requests to add
---@field fairness? tandem.spec.llm_fairness for order = "fair": what tokens count, and shares
---@field kv_blocks? tandem.Quantity blocks of the KV cache; what GPU, weights and `memory` leave unless given
---@field long_prefill_tokens? tandem.Quantity most prompt tokens of one request in a step; 0: no limit; 0 unless told
---@field lora? tandem.spec.llm_lora|tandem.Quantity LoRA adapters on the GPU: { max, load or size, step }, or how many
---@field max_batched_tokens? tandem.Quantity tokens of one step, prompts and outputs together; of SGLang prompts; 8192
---@field max_partial_prefills? tandem.Quantity unfinished prompts that a further one may join; 0: no limit; 0 unless told
---@field max_prefill_tokens? tandem.Quantity SGLang: a prompt that exceeds what is left of them in a step starts the next one; 0: no limit
---@field max_seqs? tandem.Quantity running requests at a time; 256, for other servers 2048
---@field memory? tandem.Quantity share of the GPU's memory for weights and KV cache; 0.9 unless told
---@field order? string|function who waits first: a name, or a function(request, state) that returns a key, the least first
---@field plans_ahead? boolean a step is planned while the one before it runs (asynchronous scheduling)
---@field preempt? string|function whom to preempt: a name, or a function(requests, state) that returns one of them
---@field prefix_caching? boolean keep blocks whose prefix may come again; true with continuous batching
---@field reserve_full_input? boolean admit a request only when its whole prompt finds blocks
---@field returns_together? boolean nobody of a batch leaves before the last; true unless given
---@field server? "vllm"|"sglang"|"tensorrt_llm" whose scheduler: vLLM V1's, SGLang's, TensorRT-LLM's; says what is not told below (tandem help policies); vllm unless told
---@field speculation? tandem.spec.llm_speculation speculative decoding: { tokens, acceptance, draft, time, share }
---@field swap? tandem.spec.llm_swap|tandem.Quantity host memory for what is preempted: "4GiB" a GPU, or { space, bandwidth, block }; without it, preempted requests are computed anew
---@field wait? tandem.Quantity dynamic: how long the oldest waits for company; 0 unless told (a time such as "5ms")

---@class tandem.spec.llm_estimate
---@field after? tandem.Quantity decode steps that room is made for when somebody was preempted; 20 unless told
---@field least? tandem.Quantity the share falls to this; 0.098 unless told
---@field most? tandem.Quantity tokens of one request that are counted; 4096 unless told
---@field ratio? tandem.Quantity share of the tokens they may still add, at first and after idleness; 0.7 unless told
---@field steps? tandem.Quantity in so many decode steps; 600 unless told

---@class tandem.spec.llm_fairness
---@field classes? table<string, any> shares of classes by name, where each class is a tenant; 1 for others
---@field input? tandem.Quantity what a prompt token counts; 1 unless told
---@field output? tandem.Quantity … an output token; 2 unless told
---@field tenants? any[] shares of tenants 1, 2, …; 1 for others

---@class tandem.spec.llm_handover
---@field latency? tandem.Quantity before the first byte of each (a time such as "5ms"); 0 unless told
---@field link string|tandem.Resource what all of them go over: a td.link or its name
---@field token_bytes? tandem.Quantity a token's share of the KV cache; as the model says unless given (a size such as "8MiB")

---@class tandem.spec.llm_lora
---@field load? tandem.Quantity loading one that is not there; 0 unless given (a time such as "5ms")
---@field max tandem.Quantity on the GPU at a time; those of running requests stay, the one that was used longest ago makes room
---@field size? tandem.Quantity bytes of one on each GPU, which load over the host link (a size such as "8MiB")
---@field step? tandem.Quantity more of every step, for each adapter in use (a time such as "5ms")

---@class tandem.spec.llm_network
---@field bandwidth? tandem.Quantity of each GPU's port, one direction (a bandwidth such as "32GB/s")
---@field latency? tandem.Quantity of an exchange (a time such as "5ms")
---@field link? string a link of tandem list links

---@class tandem.spec.llm_pool
---@field autoscale? tandem.spec.llm_autoscale how many replicas there are, by the load: { min, max, target, … }
---@field dp? tandem.Quantity groups of tp GPUs with requests of their own that share the experts: data parallelism
---@field engine? tandem.spec.llm_engine how each of them schedules; as the td.generate's unless given
---@field ep? tandem.Quantity ways by which whole experts are divided among tp x dp GPUs: expert parallelism
---@field pp? tandem.Quantity stages of layers, each on tp x dp GPUs: pipeline parallelism, as many batches in flight
---@field replicas? tandem.Quantity how many; as many as there are GPUs for unless given
---@field step? tandem.LlmPart|fun(batch: tandem.LlmBatch): number how long their steps take; as the td.generate's unless given
---@field tp? tandem.Quantity GPUs that share every layer: tensor parallelism

---@class tandem.spec.llm_power
---@field active? tandem.Quantity … while one runs, whatever it does; 0.28 unless given
---@field arithmetic? tandem.Quantity … added at the peak FLOP/s, up to the limit; 1.5 unless given
---@field idle? tandem.Quantity share of the limit while no step runs; 0.15 unless given
---@field limit? tandem.Quantity of each GPU; its tdp_w unless given (a power such as "300W")
---@field memory? tandem.Quantity … added at the peak memory bandwidth; 0.72 unless given

---@class tandem.spec.llm_routing
---@field cached_min? tandem.Quantity prefix_aware: less than this share of the prompt in a cache is none; 0.3 unless told
---@field kv_weight? tandem.Quantity weighted: of the share of KV blocks that is free; 2 unless told
---@field load_gap? tandem.Quantity prefix_aware: the least loaded replica is taken while the most loaded has so many requests more …; 64 unless told
---@field load_ratio? tandem.Quantity … and more than so many times as many; 1.5 unless told
---@field prefix_weight? tandem.Quantity weighted: of the share of the prompt that is cached; 3 unless told
---@field queue_weight? tandem.Quantity weighted: of how short the queue is, between the shortest and the longest; 2 unless told

---@class tandem.spec.llm_speculation
---@field acceptance tandem.Quantity probability that a drafted token is right, those before it being so
---@field draft? tandem.LlmPart td.llm "…": the model that drafts, on the same GPUs
---@field share? tandem.Quantity … as a share of what the model itself takes for it; 0 unless given
---@field time? tandem.Quantity drafting one token, for all requests together; 0 unless given (a time such as "5ms")
---@field tokens tandem.Quantity drafted for each decoding request in a step

---@class tandem.spec.llm_swap
---@field bandwidth? tandem.Quantity of the host link, either way; the GPU's unless given (a bandwidth such as "32GB/s")
---@field block? tandem.Quantity bytes of a KV block on each GPU; the model's unless given (a size such as "8MiB")
---@field space tandem.Quantity host memory for each GPU (a size such as "8MiB")

---@class tandem.spec.lognormal
---@field cv? tandem.Quantity coefficient of variation: sd over mean
---@field mean? tandem.Quantity mean
---@field [string] tandem.Quantity percentiles: p50, p99, p999, …
--- skewed, by mean and cv or by any two percentiles (p50, p99)
---@overload fun(mean: tandem.Quantity, cv: tandem.Quantity): tandem.Dist
---@param body tandem.spec.lognormal
---@return tandem.Dist
function td.lognormal(body) end

---@class tandem.spec.loop
---@field again? tandem.Quantity probability of going round once more
---@field max? tandem.Quantity at most so often
---@field steps tandem.Stage[] the steps inside
---@field times? tandem.Cost how often the steps are done
--- steps repeated: times = n, or again = probability
---@overload fun(body: tandem.spec.loop): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.loop): tandem.Stage
function td.loop(name) end

---@class tandem.spec.memory
---@field bytes tandem.Quantity its size (a size such as "8MiB")
--- a capacity in bytes that requests hold
---@overload fun(body: tandem.spec.memory): tandem.Resource
---@param name string
---@return fun(body: tandem.spec.memory): tandem.Resource
function td.memory(name) end

---@class tandem.spec.mixture
---@field parts any[][] { {weight, mean or distribution}, … }
--- one of several: { {weight, distribution}, … }
---@param body tandem.spec.mixture
---@return tandem.Dist
function td.mixture(body) end

---@class tandem.spec.mmpp
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field duration? tandem.Quantity arrivals stop after this time (a time such as "5ms")
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
---@field states any[][] { {rps, mean time}, … }
--- Poisson whose rate switches: { {rps, mean time}, … }
---@param body tandem.spec.mmpp
---@return tandem.Arrivals
function td.mmpp(body) end

---@class tandem.spec.normal
---@field max? tandem.Quantity the greatest value
---@field mean tandem.Quantity mean
---@field min? tandem.Quantity the least value; 0 unless told
---@field sd tandem.Quantity standard deviation before truncation
--- normal, truncated at min (0 unless given) and max
---@overload fun(mean: tandem.Quantity, sd: tandem.Quantity): tandem.Dist
---@param body tandem.spec.normal
---@return tandem.Dist
function td.normal(body) end

---@class tandem.spec.paced
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field duration? tandem.Quantity arrivals stop after this time (a time such as "5ms")
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field rps tandem.Quantity requests a second (or "15rps") (a rate such as "15rps")
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
--- evenly spaced
---@overload fun(rps: tandem.Quantity): tandem.Arrivals
---@param body tandem.spec.paced
---@return tandem.Arrivals
function td.paced(body) end

---@class tandem.spec.pareto
---@field alpha tandem.Quantity tail index
---@field max tandem.Quantity the greatest value
---@field min tandem.Quantity the least value
--- heavy tail between min and max, index alpha
---@param body tandem.spec.pareto
---@return tandem.Dist
function td.pareto(body) end

---@class tandem.spec.plan
---@field budget? any at most so many gpus, usd_per_hour, watts or simulations
---@field confidence? tandem.Quantity how sure each row of the answer is; 0.95 unless given
---@field count? string the key that is counted; gpus unless given
---@field find? "gpus"|"load"|"best" gpus (fewest), load (highest) or best (cheapest of over)
---@field gpus? tandem.Quantity with find = "load": how many GPUs
---@field kind? any the GPU to use
---@field kinds? any GPUs to compare
---@field limits? any limits on any figure: { ["resources.gpu.utilization"] = { max = 0.8 } }
---@field load? any requests a second: "40rps", a list, or td.range("10rps", "400rps", 8)
---@field load_path? string the key that load sets, where it is no rate of arrivals
---@field max? tandem.Quantity the most to consider; 64 unless given
---@field method? "auto"|"bisection"|"scan" auto, bisection (more is never worse) or scan (test every number)
---@field min? tandem.Quantity the fewest to consider
---@field minimize? "usd_per_hour"|"gpus"|"watts" what the best has least of; usd_per_hour unless given
---@field mix? boolean also try two kinds together
---@field monotone? boolean false: more can be worse, so every number is tested
---@field over? any what may be chosen: { kind = { … }, gpus = td.range(1, 8), batch = { 1, 4 } }
---@field precision? tandem.Quantity differences below this fraction of a limit are not resolved; 0.01
---@field replications? tandem.Quantity the most for one candidate; 64 unless given
---@field seed? tandem.Quantity one seed for every candidate
---@field sensitivity? boolean what a tenth more or less would change: true for every load, false for none
---@field slo? any what must hold, with units: { p99 = "250ms" }, or by class

---@class tandem.spec.poisson
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field duration? tandem.Quantity arrivals stop after this time (a time such as "5ms")
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field rps tandem.Quantity requests a second (or "15rps") (a rate such as "15rps")
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
--- independent users: exponential gaps
---@overload fun(rps: tandem.Quantity): tandem.Arrivals
---@param body tandem.spec.poisson
---@return tandem.Arrivals
function td.poisson(body) end

---@class tandem.spec.pool
---@field discipline? "fifo"|"lifo"|"random"|"priority"|"preempt"|"ps" who is served next
---@field lane? "CPU"|"H2D"|"GPU"|"D2H"|"OTHER" the lane of its spans in a trace; OTHER unless told
---@field mtbf? tandem.Random mean time between failures (a time such as "5ms")
---@field mttr? tandem.Random time to repair (a time such as "5ms")
---@field queue? tandem.Quantity waiting places; a request that finds none is dropped
---@field servers? tandem.Quantity how many at once; 1 unless told
--- workers that share one queue
---@overload fun(body: tandem.spec.pool): tandem.Resource
---@param name string
---@return fun(body: tandem.spec.pool): tandem.Resource
function td.pool(name) end

---@class tandem.spec.process
---@field fn function function(p): p:use(station, cost), p:hold(seconds), p:seize, p:release; distributions made outside its loops are faster than those made inside
--- a Lua coroutine function(p): p:use(station, cost), p:hold(seconds), …
---@overload fun(body: tandem.spec.process): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.process): tandem.Stage
function td.process(name) end

---@class tandem.spec.ramp
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field duration tandem.Quantity how long the ramp takes; arrivals end with it (a time such as "5ms")
---@field from tandem.Quantity the rate at the beginning (a rate such as "15rps")
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
---@field to tandem.Quantity the rate at the end (a rate such as "15rps")
--- from one rate to another, evenly, over its duration
---@param body tandem.spec.ramp
---@return tandem.Arrivals
function td.ramp(body) end

---@class tandem.spec.renewal
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field cv? tandem.Quantity coefficient of variation: sd over mean
---@field duration? tandem.Quantity arrivals stop after this time (a time such as "5ms")
---@field gap? tandem.Random time between arrivals (a time such as "5ms")
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field rps? tandem.Quantity requests a second (or "15rps") (a rate such as "15rps")
---@field shape? "gamma"|"weibull" which family the gaps follow; gamma unless told
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
--- independent gaps of any distribution, or by rps and cv
---@param body tandem.spec.renewal
---@return tandem.Arrivals
function td.renewal(body) end

---@class tandem.spec.replay
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field columns? table<string, any> attribute = column; arrival = the column of times; session = whose rows are turns of one conversation; every numeric column whose name is no field of a request unless given
---@field duration? tandem.Quantity arrivals stop after this time (a time such as "5ms")
---@field file? string the trace, found beside the scenario
---@field format? "auto"|"csv"|"jsonl"|"conversations" of the file; recognised unless given; auto unless told
---@field from? tandem.Quantity begins at this time of the recording (a time such as "5ms")
---@field hash_tokens? tandem.Quantity tokens that each of a row's hash_ids names; known of published layouts
---@field limit? tandem.Quantity take so many requests only, the first (a number of requests)
---@field repeats? tandem.Quantity how often it comes, over and over
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field rows? any[] in place of a file: { { arrival = 0.5, tokens = 128 }, … }, arrivals in seconds, all with the same numbers
---@field rps? tandem.Quantity replays at this mean rate, by its speed (a rate such as "15rps")
---@field sample? tandem.Quantity 0.1 leaves out nine of ten, 3 has each three times, spread over its gap
---@field scale? tandem.Quantity seconds per unit of a numeric time column
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field speed? tandem.Quantity 2 replays twice as fast; 1 unless told
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
---@field time? tandem.Quantity stretches the recording to so long; with rps, of more or fewer requests (a time such as "5ms")
---@field to? tandem.Quantity ends at this time of the recording (a time such as "5ms")
---@field where? table<string, any> only rows with these values: { Model = "GPT-4" }
--- recorded arrivals: a file (CSV or JSON Lines), or rows
---@param body tandem.spec.replay
---@return tandem.Arrivals
function td.replay(body) end

---@class tandem.spec.requests_log
---@field sample? tandem.Quantity N of them, evenly (a number of requests)
---@field slowest? tandem.Quantity the N that took longest (a number of requests)

---@class tandem.spec.resample
---@field bytes_per_token? tandem.Quantity how many bytes of a recorded conversation are a token; 4 unless told
---@field columns? table<string, any> attribute = column; arrival = the column of times; session = whose rows are turns of one conversation; every numeric column whose name is no field of a request unless given
---@field file string the recording, found beside the scenario
---@field format? "auto"|"csv"|"jsonl"|"conversations" of the file; recognised unless given; auto unless told
---@field hash_tokens? tandem.Quantity tokens that each of a row's hash_ids names; known of published layouts
---@field limit? tandem.Quantity take so many requests only, the first (a number of requests)
---@field order? "random"|"recorded" rows, or conversations, drawn with replacement; or one after the other; random unless told
---@field where? table<string, any> only rows with these values: { Model = "GPT-4" }
--- attributes of recorded requests, each row as it is: sizes = td.resample { file = … }
---@overload fun(file: string): tandem.Recorded
---@param body tandem.spec.resample
---@return tandem.Recorded
function td.resample(body) end

---@class tandem.spec.retry
---@field backoff? tandem.Quantity wait before the first retry (a time such as "5ms"); 0.1 unless told
---@field factor? tandem.Quantity each wait is so many times the one before; 2.0 unless told
---@field jitter? tandem.Quantity share of the wait that is random; 0.5 unless told
---@field max tandem.Quantity attempts after the first

---@class tandem.spec.roofline
---@field all_reduce? string a CSV of measured all-reduces between the GPUs of a machine, in place of latency and bandwidth: num_workers, size, devices_per_node, time_stats.all_reduce.median in ms
---@field attention_efficiency? tandem.Quantity … attention
---@field expert_bandwidth? tandem.Quantity … weights of experts
---@field expert_efficiency? tandem.Quantity … grouped products of experts
---@field expert_layer? tandem.Quantity more of a layer with experts (a time such as "5ms")
---@field kv_bandwidth? tandem.Quantity … the KV cache
---@field layer? tandem.Quantity of every layer (a time such as "5ms")
---@field link_efficiency? tandem.Quantity share of the bandwidth between GPUs
---@field link_hop? tandem.Quantity more for each doubling of them (a time such as "5ms")
---@field link_latency? tandem.Quantity of an exchange between two GPUs (a time such as "5ms")
---@field matrix_efficiency? tandem.Quantity share of the peak that large matrix products reach
---@field sequence? tandem.Quantity of every sequence in a step (a time such as "5ms")
---@field step? tandem.Quantity of every step (a time such as "5ms")
---@field weight_bandwidth? tandem.Quantity share of the memory bandwidth while weights are read
--- step times from the model's sizes and the GPU's datasheet
---@param body tandem.spec.roofline
---@return tandem.LlmPart
function td.roofline(body) end

---@class tandem.spec.run
---@field brief? boolean true: nothing over time
---@field confidence? tandem.Quantity of the intervals; 0.95 unless given
---@field duration? any arrivals stop after this time
---@field engine? "auto"|"event"|"lowered" which engine; both give the same bytes
---@field first? tandem.Quantity the number of the first replication: another part of the same luck
---@field kept? function function(id, message, code) told what became of it
---@field progress? function function(fraction) called now and then
---@field replications? tandem.Quantity independent runs, for confidence intervals
---@field requests? any arrivals stop after so many
---@field requests_log? "all"|tandem.spec.requests_log single requests to keep: "all", { slowest = N } or { sample = N }
---@field seed? tandem.Quantity the seed of every random draw
---@field spans? "all"|"auto"|"none" keep the trace of replication 1: "all", "none", "auto" (of small runs)
---@field store? string a store file the run is added to
---@field threads? tandem.Quantity how many to use; no number depends on it
---@field trace? string a file for the Chrome trace
---@field values? boolean true: one value a replication beside each estimate
---@field warmup? "auto"|"none"|tandem.Quantity what to leave out at the start: "auto" (MSER-5), "none" or a time, rounded up to whole 64ths of the run, half of it at most

---@class tandem.spec.sample
---@field fn function function(u) of a uniform u in (0,1)
--- a Lua function of u, uniform in (0,1)
---@overload fun(fn: function): tandem.Dist
---@param body tandem.spec.sample
---@return tandem.Dist
function td.sample(body) end

---@class tandem.spec.scenario
---@field admit? function function(request): false turns an arriving request away
---@field attrs? table<string, any> request attributes: numbers, distributions or expressions, read as r.NAME in costs
---@field classes? any[] kinds of requests with their own arrivals, routes and objectives
---@field cpu? tandem.spec.cpu|tandem.Quantity CPU workers of the host; unlimited unless given
---@field description? string more about the scenario, for people
---@field duration? tandem.Quantity arrivals stop after this time (wins over the workload's own) (a time such as "5ms")
---@field expect? table<string, any> result paths and what they must be: the scenario as a test
---@field name? string its name, in reports and in paths of `with`
---@field on? tandem.spec.hooks hooks: arrival, start, complete, drop, tick
---@field patience? tandem.Random how long a request waits in a queue before it gives up (a time such as "5ms")
---@field pipeline? tandem.Stage[] the steps of a request, in order
---@field plan? tandem.spec.plan what tandem plan asks: { kinds = { "H100", "L40S" }, load = "400rps" }
---@field priority? tandem.Quantity 0 is served first, 15 last, where a resource has priorities
---@field question? string the question this scenario answers
---@field replications? tandem.Quantity independent runs, for confidence intervals
---@field requests? tandem.Quantity arrivals stop after so many (wins over the workload's own) (a number of requests)
---@field resources? any[] pools, links and memories used by name
---@field retry? tandem.spec.retry|tandem.Quantity how often and how soon to try again
---@field router? string|function how a request is given a GPU: a name or a function
---@field seed? tandem.Quantity the seed of every random draw
---@field slo? tandem.spec.slo objectives: p50, p99, … mean, goodput, met, deadline
---@field sweep? tandem.spec.sweep what tandem sweep varies: { over = { rps = td.range(10, 100, 10) } }
---@field tags? any[] words to find the scenario by
---@field target? tandem.Resource|string the GPU or fleet
---@field timeout? tandem.Random how long a request may take in all; not retried (a time such as "5ms")
---@field title? string a title
---@field warmup? "auto"|"none"|tandem.Quantity what to leave out at the start: "auto" (MSER-5), "none" or a time, rounded up to whole 64ths of the run, half of it at most
---@field whatif? table<string, table<string, any>> variants for `tandem whatif`: a name and the paths it changes
---@field workload? tandem.Arrivals|tandem.Arrivals[] who arrives: one arrival process, or a list

---@class tandem.spec.slo
---@field deadline? tandem.Quantity what counts as goodput (a time such as "5ms")
---@field goodput? tandem.Quantity least good answers a second (a rate such as "15rps")
---@field max? tandem.Quantity highest latency of any request (a time such as "5ms")
---@field mean? tandem.Quantity highest mean latency (a time such as "5ms")
---@field met? tandem.Quantity least fraction of requests within the deadline
---@field [string] tandem.Quantity percentiles: p50, p99, p999, …

---@class tandem.spec.spike
---@field at tandem.Quantity when the spike begins (a time such as "5ms")
---@field base tandem.Quantity the rate before and after (a rate such as "15rps")
---@field batch? tandem.Random requests that arrive together
---@field class? string the request class that arrives
---@field duration? tandem.Quantity arrivals stop after this time (a time such as "5ms")
---@field peak tandem.Quantity the highest rate (a rate such as "15rps")
---@field requests? tandem.Quantity arrivals stop after so many (a number of requests)
---@field sizes? tandem.Recorded attributes of each request out of a recording: td.resample { file = … }
---@field start? tandem.Quantity first arrivals after this time (a time such as "5ms")
---@field width tandem.Quantity how long it lasts (a time such as "5ms")
--- a base rate with one jump to a peak
---@param body tandem.spec.spike
---@return tandem.Arrivals
function td.spike(body) end

---@class tandem.spec.stage
---@field batch? tandem.spec.batch|integer serve several at once: a size, or { max, wait, preferred, static }
---@field cost tandem.Cost seconds: a number, "5ms", a distribution, an expression or function(r) (a time such as "5ms")
---@field jitter? number|tandem.Dist noise on the cost: 0.05 for 5 %, or a distribution
---@field on? string|tandem.Resource where it runs: gpu, cpu, h2d, d2h, none, or a resource
--- any cost on any resource: number, distribution, function of r
---@overload fun(body: tandem.spec.stage): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.stage): tandem.Stage
function td.stage(name) end

---@class tandem.spec.step_table
---@field all_reduce? string a CSV of measured all-reduces between the GPUs of a machine, in place of latency and bandwidth: num_workers, size, devices_per_node, time_stats.all_reduce.median in ms
---@field folder string dense.csv, attention.csv, per_sequence.csv, for experts moe.csv; named tpN
---@field sequence? tandem.Quantity of every sequence in a step (a time such as "5ms")
---@field skew? boolean correct for sequences of unequal length; as the folder says unless given
---@field step? tandem.Quantity of every step (a time such as "5ms")
--- step times from measured operators: a folder with dense, attention and other tables
---@overload fun(folder: string): tandem.LlmPart
---@param body tandem.spec.step_table
---@return tandem.LlmPart
function td.step_table(body) end

---@class tandem.spec.sweep
---@field design? "grid"|"list"|"random"|"lhs" grid (every combination), list, random or lhs (Latin hypercube)
---@field metrics? any[] paths of the result to keep: { "latency.p99", "throughput_rps" }
---@field over? table<string, any>|any[][] axes and their values: { rps = td.range(10, 100, 10), gpus = { 1, 2, 4 } }
---@field points? integer|table<string, any>[] how many points random and lhs draw; the points themselves of a list
---@field replications? tandem.Quantity independent runs of every point
---@field seed? tandem.Quantity the seed of every point, and of random designs

---@class tandem.spec.table
---@field batch? tandem.spec.batch|integer serve several at once: a size, or { max, wait, preferred, static }
---@field jitter? number|tandem.Dist noise on the cost: 0.05 for 5 %, or a distribution
---@field on? string|tandem.Resource where it runs: gpu, cpu, h2d, d2h, none, or a resource
---@field points any[][] { {x, time}, … }, straight lines between, flat outside
---@field x? tandem.Cost what the table is over; r.tokens unless given
--- a measured table, interpolated: { {x, time}, … }
---@overload fun(body: tandem.spec.table): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.table): tandem.Stage
function td.table(name) end

---@class tandem.spec.tokens
---@field batch? tandem.spec.batch|integer serve several at once: a size, or { max, wait, preferred, static }
---@field jitter? number|tandem.Dist noise on the cost: 0.05 for 5 %, or a distribution
---@field on? string|tandem.Resource where it runs: gpu, cpu, h2d, d2h, none, or a resource
---@field time_per_token? tandem.Cost time of one token; the GPU's own unless given (a time per token such as "0.2ms")
---@field tokens? tandem.Cost how many tokens; r.tokens unless given (a number of tokens)
--- tokens times a time per token, on the GPU
---@overload fun(body: tandem.spec.tokens): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.tokens): tandem.Stage
function td.tokens(name) end

---@class tandem.spec.transfer
---@field batch? tandem.spec.batch|integer serve several at once: a size, or { max, wait, preferred, static }
---@field bytes tandem.Cost how many bytes (a size such as "8MiB")
---@field jitter? number|tandem.Dist noise on the cost: 0.05 for 5 %, or a distribution
---@field latency? tandem.Cost set-up time before the bytes flow (a time such as "5ms")
---@field on? string|tandem.Resource where it runs: gpu, cpu, h2d, d2h, none, or a resource
--- bytes over a copy engine or a link
---@overload fun(body: tandem.spec.transfer): tandem.Stage
---@param name string
---@return fun(body: tandem.spec.transfer): tandem.Stage
function td.transfer(name) end

---@class tandem.spec.uniform
---@field max tandem.Quantity the greatest value
---@field min tandem.Quantity the least value
--- equally likely between min and max
---@overload fun(min: tandem.Quantity, max: tandem.Quantity): tandem.Dist
---@param body tandem.spec.uniform
---@return tandem.Dist
function td.uniform(body) end

---@class tandem.spec.wanted
---@field equals? number|string|boolean exactly this
---@field max? tandem.Quantity the greatest value
---@field min? tandem.Quantity the least value
---@field near? tandem.Quantity this, give or take
---@field within? tandem.Quantity how near, as a fraction

---@class tandem.spec.weibull
---@field cv? tandem.Quantity coefficient of variation: sd over mean
---@field mean? tandem.Quantity mean
---@field scale? tandem.Quantity scale
---@field shape? tandem.Quantity shape: below 1 a decreasing hazard
--- Weibull, by mean and cv or by shape and scale
---@overload fun(mean: tandem.Quantity, cv: tandem.Quantity): tandem.Dist
---@param body tandem.spec.weibull
---@return tandem.Dist
function td.weibull(body) end

---@class tandem.spec.zipf
---@field n tandem.Quantity values 1 to n
---@field s tandem.Quantity exponent of the weights
--- 1..n, k with weight k^-s
---@overload fun(n: tandem.Quantity, s: tandem.Quantity): tandem.Dist
---@param body tandem.spec.zipf
---@return tandem.Dist
function td.zipf(body) end

return td
