--- The scenario object: data that can be printed, hashed, varied and run.
-- Owns `td.scenario`, and what `run` takes and adds to a result (requests_log, traces, the store).
-- `with` and its dotted paths are overrides.lua's, checking is check/scenario.lua, lowering is
-- lower/, running is tandem.core. A scenario never changes: `with` makes a new one.

local arrivals = require "tandem.explain.arrivals"
local attempt = require("tandem.text.shortage").attempt
local check = require "tandem.check"
local lines = require "tandem.check.lines"
local node = require "tandem.language.node"
local checks = require "tandem.check.scenario"

local scenario = {}

---@class tandem.Scenario
---@field name string
---@field title string|nil
---@field question string|nil
---@field description string|nil
---@field raw table what was written, as passive data
---@field checked table the canonical form: SI numbers, defaults filled
---@field expect table[]|nil what `expect` demands
local Scenario = { __name = "tandem.Scenario" }
local methods = {}

Scenario.__index = function(self, key)
  if methods[key] then return methods[key] end
  local checked = rawget(self, "checked")
  return checked[key]
end
Scenario.__newindex = function()
  error("a scenario does not change; make a variant with base:with { … }", 2)
end
Scenario.__tostring = function(self)
  return require("tandem.scenario.describe").scenario(rawget(self, "checked"))
end
Scenario.__eq = function(a, b) return a:hash() == b:hash() end

--- Is this a scenario?
---@param v any
---@return boolean
function scenario.is(v) return getmetatable(v) == Scenario end

--- Check a raw table and wrap it.
---@param raw table
---@param options { directory: string|nil }|nil where relative file names start
---@return tandem.Scenario|nil
---@return tandem.Problems problems empty when the scenario is valid
function scenario.check(raw, options)
  local checked, problems = checks.check(raw, options)
  if not checked then return nil, problems end
  local self = { raw = raw, checked = checked, directory = options and options.directory }
  return setmetatable(self, Scenario), problems
end

-- Where the running script lives, so that replay files are found beside it.
scenario.directory = nil

-- Is a script of the sandbox being read, which may run nothing? Is a run on, which starts no other?
scenario.describing, scenario.running = false, false
local over = setmetatable({}, { __close = function() scenario.running = false end })

--- A scenario: its name, then the table of its keys (tandem help scenario).
---@param name string
---@return fun(body: table): tandem.Scenario
function scenario.new(name)
  if type(name) ~= "string" then
    error("td.scenario wants a name and a table: td.scenario \"name\" { … }", 2)
  end
  local anchor = {}
  lines.record(anchor, 2)
  return function(body)
    if type(body) ~= "table" or node.group(body) then
      error(("td.scenario %q wants a table { … }"):format(name), 2)
    end
    local raw = node.copy(body)
    raw.name = name
    lines.inherit(raw, anchor)
    local made, problems = scenario.check(raw, { directory = scenario.directory })
    if not made then error(problems, 0) end
    return made
  end
end

--- A variant: `base:with { rps = 20, gpus = 4, ["pipeline.compute.tokens"] = 256 }`.
---@param changes table<string, any> dotted paths or nested tables
---@return tandem.Scenario
function methods:with(changes)
  local made, problems = methods.try_with(self, changes)
  if not made then error(problems, 0) end
  return made
end

--- As `with`, but returns nil and the problems instead of raising.
---@param changes table<string, any>
---@return tandem.Scenario|nil
---@return tandem.Problems
function methods:try_with(changes)
  local raw, problems = require("tandem.scenario.overrides").apply(rawget(self, "raw"), changes)
  if not raw then return nil, problems end
  local made
  made, problems = scenario.check(raw, { directory = rawget(self, "directory") })
  local origin = rawget(self, "origin")
  if made and origin then
    local all = table.move(origin.changes, 1, #origin.changes, 1, {})
    all[#all + 1] = node.copy(changes)
    rawset(made, "origin", { script = origin.script, changes = all })
  end
  return made, problems
end

--- A stable name of the scenario's meaning: equal for "5ms" and 0.005, for Lua and JSON.
---@return string sixteen hexadecimal digits
function methods:hash()
  local copy = {}
  for k, v in pairs(rawget(self, "checked")) do
    if k ~= "untraced" and k ~= "resolved" and k ~= "attr_reads" then copy[k] = v end
  end
  local canonical = require "tandem.scenario.canonical"
  return canonical.hash(canonical.text(copy))
end

--- The scenario as JSON text that `tandem run` reads back. One that holds functions is written as
--- the script it was loaded from and what `with` changed.
---@return string
function methods:to_json()
  local json = require "tandem.scenario.json"
  local origin = rawget(self, "origin")
  if not origin then return json.write_scenario(rawget(self, "raw")) end
  local ok, text = attempt(json.write_scenario, rawget(self, "raw"))
  return ok and text or json.write_script(self.name, origin)
end

--- Remember the script that a scenario came from: functions are written as their source.
---@param self tandem.Scenario
---@param script string
function scenario.came_from(self, script)
  rawset(self, "origin", { script = script, changes = {} })
end

--- The model table that the engine runs (lower/).
---@return table
function methods:model() return require("tandem.lower").model(rawget(self, "checked")) end

--- The costs that stay Lua functions (about ten times slower than traced ones), each with its
--- position and the reason why it was not traced.
---@return tandem.Problems one entry per function; `message` is the reason
function methods:untraced_costs()
  local out = check.problems()
  for i, one in ipairs(rawget(self, "checked").untraced) do
    out[i] = check.at(one.where, one.why)
  end
  return out
end

--- What will happen, in words: assumptions, lowered form, costs that stay functions.
---@return string
function methods:explain() return require("tandem.explain")(self) end

---@class tandem.RunOptions
---@field seed integer|nil  of the random numbers (default: the scenario's), else 1
---@field replications integer|nil  independent runs (default: the scenario's)
---@field precision string|table|false|nil  how sure figures are to be: "5%", { p99 = "5%" };
---              false: one run, whatever the scenario says
---@field looked nil|fun(result: tandem.Result, outcome: tandem.PrecisionOutcome, more: boolean)
---              told after each of the runs that a precision makes
---@field duration number|string|nil  when arrivals stop: seconds or "60s"
---@field requests integer|nil  arrivals stop after so many
---@field trace string|nil file to write a Chrome trace to
---@field store string|nil store file to add the run to
---@field spans "all"|"auto"|"none"|nil keep the trace of replication 1 in it (default: "all");
---              "auto" keeps those of small runs
---@field kept nil|fun(id: string|nil, message: string|nil, code: integer|nil) told what became of
---            it; with it a run that could not be stored has its result all the same
---@field requests_log "all"|table|nil replication 1: "all", { slowest = N }, { sample = N }
---@field windows string|number|false|nil  also tell it by windows of so long: "1h" or seconds
---              (default: those of its objectives; about 24 of a load that moves)
---@field metrics string|nil file to write what its LLM servers would have exported to a Prometheus
---@field scrape string|number|nil how often: seconds or "15s" (the default)
---@field metrics_of "vllm"|"sglang"|"tensorrt_llm"|"dynamo"|"llm_d"|nil  whose names (default:
---                                              each server's own)
---@field doubt boolean|nil  also what the step models of LLM servers leave open: up to four more
---              runs
---@field threads integer|nil  how many to use (default: the processors); no figure depends on it
---@field engine "auto"|"event"|"lowered"|nil  default: auto; both give the same bytes

-- What `run` takes; the core has more for those who call it.
node.types.run = { type = "run", group = "record", keys = {
  seed = { kind = "quantity", dim = "1", integer = true, signed = true },
  replications = { kind = "quantity", dim = "1", integer = true, min = 1, max = 1000000 },
  threads = { kind = "quantity", dim = "1", integer = true, min = 0 },
  engine = { kind = "enum", of = { "auto", "event", "lowered" } },
  precision = { kind = "record", of = "precision" }, looked = { kind = "fn" },
  duration = { kind = "any" }, requests = { kind = "any" }, warmup = { kind = "warmup" },
  trace = { kind = "string" }, store = { kind = "string" },
  spans = { kind = "enum", of = { "all", "auto", "none" } }, kept = { kind = "fn" },
  windows = { kind = "windows" }, doubt = { kind = "boolean" }, metrics = { kind = "string" },
  scrape = { kind = "quantity", dim = "s", min = 0.001, max = 1e6 },
  metrics_of = { kind = "enum", of = { "vllm", "sglang", "tensorrt_llm", "dynamo", "llm_d" } },
  requests_log = { kind = "requests_log" }, progress = { kind = "fn" },
  confidence = { kind = "quantity", dim = "1", positive = true, max = 1 },
  -- For sweeps and searches: another part of the same luck, one value a replication beside each
  -- estimate, nothing over time.
  first = { kind = "quantity", dim = "1", integer = true, min = 0 },
  values = { kind = "boolean" }, brief = { kind = "boolean" } } }

node.types.requests_log = { type = "requests_log", group = "record", keys = {
  slowest = { kind = "quantity", dim = "req", integer = true, min = 1 },
  sample = { kind = "quantity", dim = "req", integer = true, min = 1 } } }

function check.kinds.any(_, v) return v end

function check.kinds.windows(ctx, v, _, key)
  if v == false then return v end
  return check.kinds.quantity(ctx, v, { dim = "s", positive = true }, key)
end

function check.kinds.requests_log(ctx, v, _, key)
  if v == "all" or v == false then return v end
  local list = type(v) == "table" and check.kinds.record(ctx, v, { of = "requests_log" }, key)
  if type(v) ~= "table" or list and not list.slowest == not list.sample then
    ctx:problem(key, "wants \"all\", { slowest = N } or { sample = N }")
  end
  return list or nil
end

-- The options of a run as the core takes them; raises a tandem.Problems value.
local function check_options(options)
  if type(options) ~= "table" then
    error(("run wants a table { seed = 1, … }, not %s"):format(check.describe(options)), 3)
  end
  local ctx = check.context()
  ctx:push("run", options)
  local once = options.precision == false -- where the scenario asks for one
  if once then
    options = node.copy(options)
    options.precision = nil
  end
  local checked = check.fields(ctx, options, node.types.run)
  checked.once = once or nil
  if #ctx.problems > 0 then error(ctx.problems, 0) end
  return checked
end

local passed_on = { "seed", "replications", "trace", "threads", "engine" }

-- What is ours alone.
local NOT_CORE <const> = { duration = true, requests = true, precision = true, looked = true,
  once = true, doubt = true, metrics = true, scrape = true, metrics_of = true }

-- Part of a load that moves is less than it names; a hundredth is the luck of the last arrival.
local NEARLY <const> = 0.99

-- One run: its result, its trace, the scenario that it was.
local function simulate(self, options, changes, own)
  local varied = changes and methods.with(self, changes) or self
  local c = rawget(varied, "checked")
  local core_options = {}
  for k, v in pairs(options) do
    if not NOT_CORE[k] then core_options[k] = v end
  end
  for k, v in pairs(own or {}) do core_options[k] = v end
  for _, k in ipairs(passed_on) do
    if core_options[k] == nil then core_options[k] = c[k] end
  end
  if core_options.warmup == nil then core_options.warmup = c.warmup end
  core_options.seed = core_options.seed or 1
  local model = varied:model()
  -- What moves has no steady state to wait for, and its start is a part of it.
  core_options.moving = arrivals.moves(model)
  local wrong = require("tandem.scenario.windows").set(model, core_options)
  if wrong then return nil, wrong, 2 end
  core_options.warmup = core_options.warmup or "auto"
  if core_options.warmup == "auto" and core_options.moving then core_options.warmup = "none" end
  if options.store then
    options.keeps_trace = require("tandem.store.keep").wants_trace(options.spans or "all", model)
    core_options.store = options.keeps_trace
  end
  if options.metrics then
    core_options.metrics, wrong = require("tandem.scenario.metrics").options(c, options.metrics,
      options.scrape, options.metrics_of)
    if wrong then return nil, wrong, 2 end
  end
  local raw, trace, code = require("tandem.core").run(model, core_options)
  if not raw then return nil, trace, code end
  local whole_s = arrivals.whole_s(model)
  if raw.duration_s + raw.warmup_s < NEARLY * whole_s then raw.course_s = whole_s end
  local result = require("tandem.result").wrap(raw, varied)
  require("tandem.scenario.bill").servers(result, varied)
  return result, trace, varied
end

-- Runs until the figures are as sure as is asked for; the last of them, as simulate().
local function look(self, options, asked)
  local checked = rawget(self, "checked")
  local looks = require("tandem.scenario.precision").begin(checked, self:model(), asked, options)
  while true do
    local changes, replications, confidence = looks:next()
    local result, trace, varied = simulate(self, options, changes,
      { replications = replications, confidence = confidence })
    if not result then return nil, trace, varied end
    local more, message = looks:absorb(result)
    if message then return nil, message, 2 end
    result.confidence = looks.confidence
    result.precision = looks:outcome()
    if options.looked then options.looked(result, result.precision, more) end
    if not more then return result, trace, varied end
    if trace then trace:close() end
  end
end

-- The same run with changes, for what the model leaves open: figures alone, nothing kept.
local KEPT <const> = { "store", "trace", "requests_log", "spans", "kept", "looked", "keeps_trace",
  "metrics", "scrape", "metrics_of" }
local function doubted(self, options, result)
  local own = {}
  for k, v in pairs(options) do own[k] = v end
  for _, k in ipairs(KEPT) do own[k] = nil end
  return require("tandem.doubt").add(result, self, function(changes)
    local other, trace, code = simulate(self, own, changes, { brief = true,
      replications = result.replications, confidence = result.confidence })
    if not other then return nil, trace, code end
    if trace then trace:close() end
    return other
  end)
end

-- Writes the run where the options say: a Chrome trace, a store.
local function keep_run(self, result, trace, options)
  if options.trace then
    local ok, message, code = trace:chrome(options.trace, {
      { "scenario", result.name }, { "seed", tostring(result.seed) },
      { "tandem", require("tandem.core").version() } })
    if not ok then return nil, message, code end
  end
  if options.store then
    local id, message, code = require("tandem.store.keep").run(options.store, self, result,
      options.keeps_trace and trace or nil)
    if options.kept then
      options.kept(id, message, code)
    elseif not id then
      return nil, message, code
    end
  end
  local log = options.requests_log
  if log == "all" then
    result.requests_log = trace:requests "all"
  elseif log then
    result.requests_log = trace:requests(log.slowest and "slowest" or "sample",
      log.slowest or log.sample)
  end
  if trace then trace:close() end
  return true
end

--- Run the scenario.
---@param options tandem.RunOptions|nil
---@return tandem.Result|nil
---@return string|nil message
---@return integer|nil code
function methods:run(options)
  if scenario.describing then
    error("a scenario file only describes and runs nothing: run this script with `tandem lua FILE`",
      2)
  elseif scenario.running then
    error("a run is on; a hook or a cost function cannot start another", 2)
  end
  scenario.running = true -- lowering calls cost functions, too
  local _ <close> = over
  options = check_options(options or {})
  local written = self
  if options.duration ~= nil or options.requests ~= nil then
    written = methods.with(self, { duration = options.duration, requests = options.requests })
  end
  local asked = options.precision or not options.once and rawget(written, "checked").precision
  local result, trace, varied
  if asked then
    result, trace, varied = look(written, options, asked)
  else
    result, trace, varied = simulate(written, options)
  end
  if not result then return nil, trace, varied end
  local ok, message, code = true, nil, nil
  if options.doubt and result.llm and #result.llm > 0 then
    ok, message, code = doubted(varied, options, result)
  end
  if not ok then return nil, message, code end
  ok, message, code = keep_run(varied, result, trace, options)
  if not ok then return nil, message, code end
  return result
end

--- Load a scenario file: see tandem.sandbox.load_scenario.
---@param path string
---@param options tandem.LoadOptions|nil
---@return tandem.Scenario|nil
---@return tandem.Problems|string problems, or why the file could not be read
function scenario.load(path, options)
  return require("tandem.sandbox").load_scenario(path, options)
end

return scenario
