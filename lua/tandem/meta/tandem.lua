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
---@class tandem.Request
---@field batch number members of the batch (1 when not batched)
---@field sum table<string, number> attribute summed over the batch
---@field gpu table<string, number> fields of the GPU the request is on, SI units
---@field [string] number request attributes
---@class tandem.LlmRequest a request as functions of an LLM server's engine see it
---@field class string
---@field tenant integer
---@field priority integer the smallest first
---@field arrival number seconds
---@field waited number seconds since then
---@field prompt integer tokens
---@field max_output integer tokens it may generate at most
---@field predicted integer tokens it is thought to generate
---@field generated integer tokens so far
---@field computed integer tokens with KV, or that it would find cached
---@field kv_blocks integer that it has
---@field preemptions integer
---@class tandem.LlmState a replica of an LLM server
---@field time number seconds
---@field running integer requests
---@field waiting integer requests
---@field free_blocks integer of the KV cache
---@field blocks integer all of them
---@field block_tokens integer
--- A step of an LLM server, as the function that says how long it takes sees it. Sums go over its
--- sequences.
---@class tandem.LlmBatch
---@field prefill_seqs number sequences that compute prompt tokens
---@field prefill_tokens number new prompt tokens
---@field prefill_context number tokens that these sequences already have
---@field prefill_attention number query-key pairs of the prompt tokens
---@field prefill_squares number squares of each one's new prompt tokens
---@field decode_seqs number sequences that get a further token
---@field decode_context number tokens of context that these read
---@field decode_context_max number the longest of these contexts
---@field decode_squares number squares of these contexts
---@field sampled number sequences that leave with a token

local td = {}

--- Larger of the arguments; like all functions here, for numbers and inside traced costs.
---@return number|tandem.Symbol
function td.max(...) end
---@return number|tandem.Symbol
function td.min(...) end
---@return number|tandem.Symbol
function td.exp(x) end
---@return number|tandem.Symbol
function td.log(x) end
---@return number|tandem.Symbol
function td.sqrt(x) end
---@return number|tandem.Symbol
function td.abs(x) end
---@return number|tandem.Symbol
function td.floor(x) end
---@return number|tandem.Symbol
function td.ceil(x) end
---@return number|tandem.Symbol
function td.pow(a, b) end
---@return number|tandem.Symbol
function td.mod(a, b) end
--- 1 when a < b, else 0: for td.select.
---@return number|tandem.Symbol
function td.lt(a, b) end
--- 1 when a <= b, else 0.
---@return number|tandem.Symbol
function td.le(a, b) end
--- 1 when a == b, else 0.
---@return number|tandem.Symbol
function td.eq(a, b) end
--- `a` where the condition is not 0 (or true), else `b`.
---@return number|tandem.Symbol
function td.select(condition, a, b) end
--- Piecewise linear through {{x, y}, …}, flat outside.
---@param points number[][]
---@return number|tandem.Symbol
function td.interp(x, points) end
--- A request attribute as data.
---@param name string
---@return tandem.Symbol
function td.attr(name) end
--- SI value of a quantity; raises on what cannot be read.
---@param quantity tandem.Quantity
---@return number
function td.si(quantity) end
--- An SI value with a readable unit.
---@param value number
---@param dimension "s"|"B"|"B/s"|"FLOP"|"FLOP/s"|"req/s"|"1"
---@return string
function td.show(value, dimension) end
--- Load a scenario file; nil and the problems (a text when the file cannot be read).
---@param path string
---@param options tandem.LoadOptions|nil
---@return tandem.Scenario|nil
---@return tandem.Problems|string
function td.load(path, options) end
--- Rules from kernel names to categories: td.rules "mine" { { id = "attention", match = "flash",
--- category = "attention" } }; for `tandem categories --rules FILE`.
---@param name string
---@return fun(body: table): tandem.RulePack
function td.rules(name) end
--- Evenly spaced values: td.range("10rps", "400rps", 8).
---@param from number|string|tandem.Range
---@param to number|string|nil
---@param points integer|nil
---@return tandem.Range
function td.range(from, to, points) end
--- Simulate many variants of a scenario and get one table of them; not in a scenario file.
---@param options tandem.SweepOptions
---@return tandem.Sweep
function td.sweep(options) end
--- Capacity planning; not in a scenario file.
td.plan = {}
--- The fewest GPUs for each load and kind, and the best kind.
---@param options tandem.PlanGpusOptions
---@return tandem.PlanAnswer
function td.plan.gpus(options) end
--- The highest load that meets the limits.
---@param options tandem.PlanLoadOptions
---@return tandem.PlanAnswer
function td.plan.load(options) end
--- The cheapest of all combinations of what may be chosen.
---@param options tandem.PlanBestOptions
---@return tandem.PlanAnswer
function td.plan.best(options) end
--- Plots with one call (tandem help plots); not in a scenario file.
td.plot = {}
--- Compare variants with a base on the same random numbers; not in a scenario file.
---@param base tandem.Scenario
---@param variants table
---@param options tandem.WhatIfOptions|nil
---@return tandem.WhatIf
function td.whatif(base, variants, options) end
--- Fit a scenario to a measured run, or make one: costs, bandwidths, noise, each with its interval,
--- judged on requests that were not fitted (tandem help fit). In scripts, not in a scenario file.
---@param options { real: any, map: any, scenario: any, split: "alternate"|"half"|nil,
---  hold: number|nil, least: integer|nil, rest: boolean|nil, name: string|nil }
---@return any fit
---@return string|nil message
---@return integer|nil code
function td.fit(options) end
--- Which spans of a capture are requests, and which of them are their stages (tandem help map).
--- Raises tandem.Problems when anything is wrong. td.map.propose(run, { limit = 3 }) proposes maps,
--- td.map.load(path) reads one from a file; not in a scenario file.
---   td.map { request = { range = "step*" }, stages = { { "compute", kernel = "*" } } }
---@param body { request: tandem.MapRequest, stages: tandem.MapStage[]|nil, sizes: table|nil }
---@return tandem.Map
function td.map(body) end
--- A rule of advice: td.advice "name" { title, looks_for, needs, threshold, find, what_to_do,
--- source }.
---@param name string
---@return fun(body: table): tandem.AdviceRule
function td.advice(name) end
--- What matters most: every input turned down and up; not in a scenario file.
---@param base tandem.Scenario
---@param options tandem.TornadoOptions|nil
---@return tandem.Tornado
function td.tornado(base, options) end
--- A measured run over a simulated one, in one time frame, lane by lane.
---@param real tandem.Run|table a run, or tandem.Visits of one
---@param sim tandem.Run|table
---@param options tandem.OverlayOptions|nil
---@return tandem.Overlay|nil
---@return string|nil message
---@return integer|nil code
function td.overlay(real, sim, options) end
--- Search for the variant with the best objective; not in a scenario file.
---@param spec tandem.OptimizeSpec
---@return tandem.Optimum|nil
---@return string|nil message
function td.optimize(spec) end

--- Send a stored run to a tandem serve, or its JSON to any address; not in a scenario file.
---   assert(td.upload(td.store():run "last", { to = "https://lab:8080" }))
---@param run tandem.Run
---@param options tandem.UploadOptions
---@return tandem.Sent|nil
---@return string|nil message
---@return integer|nil code
function td.upload(run, options) end

--- The runs that are kept, simulated and measured: SQL, tags, one run or all. The path is
--- $TANDEM_STORE unless told, else tandem.db in the working directory.
---   local s = assert(td.store())
---   for row in s:query "SELECT name, spans FROM run" do print(row.name, row.spans) end
---@param path? string
---@param options? tandem.StoreOptions
---@return tandem.Store|nil
---@return string|nil message
---@return integer|nil code
function td.store(path, options) end
--- How far a simulation is off what was measured; not in a scenario file.
---@param real tandem.Run|tandem.Visits
---@param simulated tandem.Run|tandem.Visits
---@param options tandem.ScoreOptions|nil
---@return tandem.Score|nil
---@return string|nil message
---@return integer|nil code
function td.score(real, simulated, options) end
--- Check a raw table with a `name` without raising.
---@param raw table
---@return tandem.Scenario|nil
---@return tandem.Problems
function td.check(raw) end
---@return boolean
function td.is_scenario(value) end
---@return boolean
function td.is_problems(value) end
--- Note a number from inside a hook, a cost function or a process: result.recorded[name].
---@param name string
---@param value number in whatever unit you mean
function td.record(name, value) end
--- Raises tandem.Problems when anything is wrong.
---@param name string
---@return fun(body: tandem.spec.scenario): tandem.Scenario
function td.scenario(name) end

--- A plot: it prints itself in a terminal and has other forms. Files are written whole.
---@class tandem.Plot
---@field text fun(self, place?: { width?: integer, unicode?: boolean }): string
---@field svg fun(self, path?: string): string|boolean|nil, string|nil
---@field html fun(self, path?: string): string|boolean|nil, string|nil
---@field csv fun(self, path?: string): string|boolean|nil, string|nil
---@field table fun(self): tandem.RowTable the figures, in the units they came in
---@field save fun(self, path: string): boolean|nil, string|nil .svg, .html, .csv or .txt
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
---@field x_min? number where the axis begins
---@field x_max? number where the axis ends
---@field y_label? string the title of the axis
---@field y_unit? string the unit that y is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field y_min? number where the axis begins
---@field y_max? number where the axis ends
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
--- Lines over an axis: values over a load, a time, a size. Gaps (nil, NaN) stay gaps.
---   td.plot.line { x = { 10, 20, 40 }, y = { 3.1, 3.4, 9.0 }, x_unit = "rps", y_unit = "ms" }
---@param spec tandem.PlotLine|number[]
---@return tandem.Plot
function td.plot.line(spec) end
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
---@field x_min? number where the axis begins
---@field x_max? number where the axis ends
---@field y_label? string the title of the axis
---@field y_unit? string the unit that y is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field y_min? number where the axis begins
---@field y_max? number where the axis ends
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
--- Lines that stay until they change: counts of GPUs over load, a queue over time.
---   td.plot.step { x = { 0, 1, 2 }, y = { 1, 4, 2 }, x_unit = "s" }
---@param spec tandem.PlotStep|number[]
---@return tandem.Plot
function td.plot.step(spec) end
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
---@field x_min? number where the axis begins
---@field x_max? number where the axis ends
---@field y_label? string the title of the axis
---@field y_unit? string the unit that y is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field y_min? number where the axis begins
---@field y_max? number where the axis ends
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
--- Points over two axes.
---   td.plot.scatter { x = { 1, 2, 3 }, y = { 9, 4, 1 }, names = { "a", "b", "c" } }
---@param spec tandem.PlotScatter|number[]
---@return tandem.Plot
function td.plot.scatter(spec) end
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
--- Bars with their values, one a name; several series stand below one another.
---   td.plot.bar { x = { "H2D", "GPU" }, y = { 1.5, 7.25 }, y_unit = "ms" }
---@param spec tandem.PlotBar|number[]
---@return tandem.Plot
function td.plot.bar(spec) end
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
--- Bars of parts: what each of several wholes is made of.
---   td.plot.stacked { x = { "4 GPUs", "8 GPUs" }, y_unit = "ms", series = {
---     { name = "wait", y = { 9, 1 } }, { name = "service", y = { 5, 5 } } } }
---@param spec tandem.PlotStacked
---@return tandem.Plot
function td.plot.stacked(spec) end
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
--- Areas on top of one another: how parts make up a whole over time.
---   td.plot.area { x = { 0, 1, 2 }, y_unit = "GiB", series = {
---     { name = "weights", y = { 14, 14, 14 } }, { name = "KV cache", y = { 0, 3, 8 } } } }
---@param spec tandem.PlotArea
---@return tandem.Plot
function td.plot.area(spec) end
---@class tandem.PlotHistogram
---@field x? any[]|string the values, or their column
---@field series? any[] several, each with a name and x
---@field bins? integer|any[] how many intervals, or their edges
---@field log? string "x": intervals that grow by a factor
---@field limits? any[] lines to compare with: { { y = 250, label = "SLO" }, … }
---@field x_label? string the title of the axis
---@field x_unit? string the unit that x is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field x_min? number where the axis begins
---@field x_max? number where the axis ends
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
--- How often values lie in which interval; a result stands for its latencies.
---   td.plot.histogram { x = { 1, 2, 2, 3, 9 }, x_unit = "ms", bins = 4 }
---@param spec tandem.PlotHistogram|number[]
---@return tandem.Plot
function td.plot.histogram(spec) end
---@class tandem.PlotCdf
---@field x? any[]|string the values, or their column
---@field series? any[] several, each with a name and x
---@field log? string "x": a logarithmic axis
---@field limits? any[] lines to compare with: { { y = 250, label = "SLO" }, … }
---@field x_label? string the title of the axis
---@field x_unit? string the unit that x is in: ns … s, B … GiB, GB/s, rps, %, share, $/h, or any word
---@field x_min? number where the axis begins
---@field x_max? number where the axis ends
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
--- The share of values at or below each; a result stands for its latencies.
---   td.plot.cdf { x_unit = "ms", series = {
---     { name = "before", x = { 5, 7, 9 } }, { name = "after", x = { 2, 3, 8 } } } }
---@param spec tandem.PlotCdf|number[]
---@return tandem.Plot
function td.plot.cdf(spec) end
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
---@field z_min? number where the axis begins
---@field z_max? number where the axis ends
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
--- Cells shaded by value over two axes.
---   td.plot.heatmap { x = { 1, 2 }, y = { "L4", "H100" }, z = { { 9, 8 }, { 3, 2 } },
---     z_unit = "ms" }
---@param spec tandem.PlotHeatmap
---@return tandem.Plot
function td.plot.heatmap(spec) end
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
---@field x_min? number where the axis begins
---@field x_max? number where the axis ends
---@field title? string above the plot
---@field subtitle? string below the title
---@field data? any where columns come from: rows, columns, a frame, a query, a sweep, a result
---@field width? number of the SVG in pixels, 720 unless told
---@field height? number of the SVG in pixels, where the rows do not decide it
---@field theme? "auto"|"light"|"dark" of the SVG; auto follows the reader's settings
--- Spans of time on lanes: what ran where, and when.
---   td.plot.gantt { x_unit = "ms", spans = { { lane = "GPU", from = 1, to = 4, name = "kernel" },
---     { lane = "copy", from = 0, dur = 1, name = "H2D" } } }
---@param spec tandem.PlotGantt
---@return tandem.Plot
function td.plot.gantt(spec) end
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
---@field warmup? "auto"|"none"|tandem.Quantity what to leave out at the start: "auto" (MSER-5), "none" or a time, rounded up to whole 64ths of the run

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
---@field warmup? "auto"|"none"|tandem.Quantity what to leave out at the start: "auto" (MSER-5), "none" or a time, rounded up to whole 64ths of the run
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
