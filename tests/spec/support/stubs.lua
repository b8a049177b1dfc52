-- Writes lua/tandem/meta/tandem.lua: what an editor shows while a scenario is written. Generated
-- from the same specifications that check scenarios, so the two cannot disagree.

local nearest = require "tandem.nearest"
local node = require "tandem.node"
local units = require "tandem.units"

require("tandem.glossary").apply()

local stubs = {}

local head = [[
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
]]

-- The words of a type of a plot's key, as LuaCATS has them.
local PLOT_TYPES = { list = "any[]", ["auto|light|dark"] = '"auto"|"light"|"dark"',
  ["after|before"] = '"after"|"before"' }

local function plot_type(types)
  if PLOT_TYPES[types] then return PLOT_TYPES[types] end
  return (types:gsub("[^|]+", function(one) return PLOT_TYPES[one] or one end))
end

-- td.plot, its tables and its plots.
local function plots(out)
  local keys, examples = require "tandem.plot.public.keys", require "tandem.plot.public.examples"
  local function add(text, ...) out[#out + 1] = text:format(...) end
  add "--- A plot: it prints itself in a terminal and has other forms. Files are written whole."
  add "---@class tandem.Plot"
  add "---@field text fun(self, place?: { width?: integer, unicode?: boolean }): string"
  for _, form in ipairs { "svg", "html", "csv" } do
    add("---@field %s fun(self, path?: string): string|boolean|nil, string|nil", form)
  end
  add "---@field table fun(self): tandem.RowTable the figures, in the units they came in"
  add "---@field save fun(self, path: string): boolean|nil, string|nil .svg, .html, .csv or .txt"
  for _, kind in ipairs(keys.order) do
    local class = "tandem.Plot" .. kind:gsub("^%l", string.upper)
    add("---@class %s", class)
    for _, key in ipairs(keys.kinds[kind].keys) do
      add("---@field %s? %s %s", key[1], plot_type(key[2]), key[3])
    end
    local about = examples.of(kind)
    add("--- %s", about.words)
    for line in about.code:gmatch "[^\n]+" do add("---   %s", line) end
    local short = kind ~= "stacked" and kind ~= "area" and kind ~= "heatmap" and kind ~= "gantt"
    add("---@param spec %s%s", class, short and "|number[]" or "")
    add "---@return tandem.Plot"
    add("function td.plot.%s(spec) end", kind)
  end
end

local function kind_type(spec)
  local kind = spec.kind
  if kind == "quantity" then
    if spec.cost then return "tandem.Cost" end
    if spec.dist then return "tandem.Random" end
    return "tandem.Quantity"
  elseif kind == "enum" then
    local quoted = {}
    for i, name in ipairs(spec.of) do quoted[i] = ("%q"):format(name) end
    return table.concat(quoted, "|")
  elseif kind == "record" then
    return "tandem.spec." .. spec.of
      .. (node.types[spec.of].positional and "|tandem.Quantity" or "")
  end
  return ({
    fn = "function", string = "string", boolean = "boolean", dist = "tandem.Random",
    jitter = "number|tandem.Dist", batch = "tandem.spec.batch|integer",
    place = "string|tandem.Resource", link = "string|tandem.Resource",
    node = spec.groups and spec.groups.rows and "tandem.Recorded"
      or "tandem.LlmPart" .. (spec.fn and "|fun(batch: tandem.LlmBatch): number" or ""),
    router = "string|function",
    steps = "tandem.Stage[]", pipeline = "tandem.Stage[]",
    workload = "tandem.Arrivals|tandem.Arrivals[]", target = "tandem.Resource|string",
    warmup = '"auto"|"none"|tandem.Quantity', expect = "table<string, any>",
    whatif = "table<string, table<string, any>>", over = "table<string, any>|any[][]",
    points = "integer|table<string, any>[]",
    scalar = "number|string|boolean", list = "any[]", pairs = "any[][]",
    map = "table<string, any>", attrs = "table<string, tandem.Cost>", any = "any",
    requests_log = '"all"|tandem.spec.requests_log',
  })[kind]
end

local function class(out, name, spec)
  out[#out + 1] = ("---@class tandem.spec.%s"):format(name)
  for _, key in ipairs(nearest.sorted_keys(spec.keys)) do
    local k = spec.keys[key]
    local words = k.doc or ""
    if k.kind == "quantity" and k.dim and k.dim ~= "1" then
      words = words .. (" (%s)"):format(units.describe(k.dim))
    end
    if type(k.default) == "number" or type(k.default) == "string" then
      words = words .. ("; %s unless told"):format(k.default)
    end
    out[#out + 1] = ("---@field %s%s %s %s"):format(key, k.required and "" or "?",
      assert(kind_type(k), name .. "." .. key), words)
  end
  if spec.pattern then
    out[#out + 1] = "---@field [string] tandem.Quantity percentiles: p50, p99, p999, …"
  end
end

local returned = { dist = "tandem.Dist", arrivals = "tandem.Arrivals", stage = "tandem.Stage",
  resource = "tandem.Resource", llm = "tandem.LlmPart", rows = "tandem.Recorded" }

--- The whole text.
---@return string
function stubs.text()
  local out = { head }
  plots(out)
  for _, name in ipairs(nearest.sorted_keys(node.types)) do
    local spec = node.types[name]
    if not name:find("^seed") then
      class(out, name, spec)
      if spec.group ~= "record" then
        out[#out + 1] = "--- " .. spec.doc
        if spec.named then
          out[#out + 1] = ("---@overload fun(body: tandem.spec.%s): %s"):format(name,
            returned[spec.group])
          out[#out + 1] = "---@param name string"
          out[#out + 1] = ("---@return fun(body: tandem.spec.%s): %s"):format(name,
            returned[spec.group])
          out[#out + 1] = ("function td.%s(name) end"):format(name)
        else
          if spec.positional then
            local parameters = {}
            for i, key in ipairs(spec.positional) do
              parameters[i] = key .. ": " .. kind_type(spec.keys[key])
            end
            out[#out + 1] = ("---@overload fun(%s): %s"):format(table.concat(parameters, ", "),
              returned[spec.group])
          end
          out[#out + 1] = ("---@param body tandem.spec.%s"):format(name)
          out[#out + 1] = "---@return " .. returned[spec.group]
          out[#out + 1] = ("function td.%s(body) end"):format(name)
        end
      end
      out[#out + 1] = ""
    end
  end
  out[#out + 1] = "return td"
  return (table.concat(out, "\n") .. "\n"):gsub("[ \t]+\n", "\n")
end

return stubs
