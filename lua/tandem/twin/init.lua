--- A twin of an LLM server out of its metrics alone: who came, with which lengths, what was found
--- in the prefix cache, what steps cost; each with its interval, or why nobody can tell.
--
-- td.twin { files = { "metrics/" }, gpu = "H100 SXM", server = "vllm serve …" } → answer
--
-- Owns the answer, its report and the scenario that it writes. Arrivals, lengths and steps are
-- those of the files beside it; reading is tandem.metrics's. Called by `tandem twin` and
-- td.twin.

local arrivals = require "tandem.twin.arrivals"
local compare = require "tandem.twin.compare"
local format = require "tandem.text.format"
local lengths = require "tandem.twin.lengths"
local metrics = require "tandem.metrics"
local names_of_servers = require "tandem.metrics.names"
local nearest = require "tandem.text.nearest"
local report = require "tandem.twin.report"
local steps = require "tandem.twin.steps"

local twin = {}

local INVALID <const>, USAGE <const> = 3, 2

-- What a twin wants: one of each.
local WANTED <const> = { { "ended" }, { "running" }, { "itl", "tpot" }, { "prompt", "prompts" },
  { "output", "generated" } }

-- Names as this server has them; nil and what is missing.
local function names_of(merged, dialect)
  local out = names_of_servers.of(merged, dialect)
  for _, keys in ipairs(WANTED) do
    local found = false
    for _, key in ipairs(keys) do found = found or out[key] ~= nil end
    if not found then
      local list = dialect.names[keys[1]] or dialect.names[keys[2]]
      return nil, dialect.prefix .. list[1]
    end
  end
  return out
end

-- What the server was configured to: by the labels of vLLM's cache_config_info, or by gauges.
local function config_of(merged, dialect, servers)
  for key in pairs(merged.series) do
    if key:find("vllm:cache_config_info{", 1, true) then
      local function label(name) return key:match("[{,]" .. name .. '="([^"]*)"') end
      return { block_tokens = math.tointeger(tonumber(label "block_size")),
        kv_blocks = math.tointeger(tonumber(label "num_gpu_blocks")),
        prefix_caching = label "enable_prefix_caching" ~= "False" }
    end
  end
  local function level(name)
    local levels = merged:gauge(dialect.prefix .. name, true)
    local value = levels and levels[#levels] / servers
    return value and value >= 1 and math.floor(value + 0.5) or nil
  end
  local out = {}
  for key, name in pairs(dialect.config or {}) do out[key] = level(name) end
  local tokens = dialect.tokens and level(dialect.tokens)
  if tokens then out.kv_blocks = tokens // (out.block_tokens or 1) end
  return out
end

---@class tandem.twin.Parameter
---@field name string
---@field path string|nil    in the scenario
---@field value number|nil
---@field low number|nil     95 % interval
---@field high number|nil
---@field unit "s"|"tok"|"req/s"|""
---@field why string|nil     not identifiable

---@class tandem.Twin
---@field name string
---@field scenario tandem.Scenario
---@field parameters tandem.twin.Parameter[]
---@field rows tandem.twin.Row[]
---@field notes string[]
---@field arrivals table   internal
---@field recorded table   internal: the metrics and their names
local Twin = { __name = "tandem.Twin" }
Twin.__index = Twin
Twin.__tostring = function(self) return self:report() end

local function total(merged, name)
  local sum = 0
  for _, gained in ipairs(name and merged:gained(name) or {}) do sum = sum + gained end
  return sum
end

-- Shared prefix: what a request finds, and the interval of that by bins.
local function prefix_of(merged, names, prompts, block)
  local hits, queries = names.hits and merged:gained(names.hits), names.queries
    and merged:gained(names.queries)
  local h, q, squares = total(merged, names.hits), total(merged, names.queries), 0
  if not hits or q == 0 then return { name = "prefix", unit = "tok",
    why = "nothing was looked up in a prefix cache" } end
  local share = h / q
  for k, hit in ipairs(hits) do squares = squares + (hit - share * queries[k]) ^ 2 end
  local half = 1.96 * math.sqrt(squares * #hits / math.max(#hits - 1, 1)) / q * prompts.mean
  local found = share * prompts.mean
  local out = { name = "prefix", path = "pipeline.server.prefix", unit = "tok", found = found,
    share = share, value = lengths.prefix(prompts, found, block) }
  out.low = lengths.prefix(prompts, math.max(0, found - half), block)
  out.high = lengths.prefix(prompts, found + half, block)
  return out
end

-- A scenario from a workload and the constants of steps.
local function builder(setting)
  local td = require "tandem"
  return function(workload, constants)
    local engine = { server = setting.server }
    for key, value in pairs(setting.engine) do engine[key] = value end
    local prefix = setting.prefix and setting.prefix > 0 and setting.prefix or nil
    return td.scenario(setting.name) {
      target = td.gpu(setting.gpu) { count = setting.replicas * setting.tp * setting.pp },
      workload = workload,
      attrs = { prompt_tokens = td.histogram { edges = setting.prompts.edges,
        counts = setting.prompts.counts }, output_tokens = td.histogram {
        edges = setting.outputs.edges, counts = setting.outputs.counts },
        user = prefix and setting.users and td.zipf { n = setting.users, s = 0 } or nil },
      pipeline = { td.generate "server" { model = td.llm(setting.model),
        tp = setting.tp > 1 and setting.tp or nil, pp = setting.pp > 1 and setting.pp or nil,
        prefix = prefix, group = prefix and (setting.users and "user" or 1), engine = engine,
        step = td.roofline(constants) } } }
  end
end

-- What arguments say, and a twin does not take.
local NOT_TWINNED <const> = { { "dp", "--data-parallel-size" }, { "ep", "--expert-parallel-size" },
  { "kv", "--kv-cache-dtype" }, { "quantization", "--quantization" }, { "role", "its role" } }

-- How the server was launched, by its command or its manifest; nil, why and a code.
local function launched_of(options)
  if options.deploy then return require("tandem.deploy.manifest").launched(options.deploy) end
  local launched, wrong = require("tandem.deploy.arguments").read(options.server)
  if not launched then return nil, "--server: " .. wrong, USAGE end
  return launched
end

-- Settings of the scenario out of what was launched and what the metrics say; nil, why and a code.
local function setting_of(options, merged, instances, dialect)
  local launched, wrong, code = launched_of(options)
  if not launched then return nil, wrong, code end
  local replicas = options.replicas or dialect.server and #instances
  if not replicas then
    return nil, ("metrics of %s do not say how many servers stand behind it: --replicas"):format(
      dialect.title), USAGE
  end
  local config, engine = config_of(merged, dialect, #instances), {}
  for _, of in ipairs { config, launched.engine } do
    for key, value in pairs(of) do engine[key] = value end
  end
  for _, part in ipairs(NOT_TWINNED) do
    if launched[part[1]] then table.insert(launched.unknown, part[2]) end
  end
  local model = options.model or launched.model or merged.model
  local generation = require "tandem.language.generation"
  local architecture, precision = generation.architecture(model)
  if not architecture then
    return nil, ("the model '%s' is not known (%s); --model says which it is (tandem list models)")
      :format(model, tostring(precision)), USAGE
  end
  return { name = options.name or "twin", model = model, gpu = options.gpu, engine = engine,
    tp = options.tp or launched.tp, pp = launched.pp, replicas = replicas, users = options.users,
    server = dialect.server or launched.server or "vllm",
    guessed = not (dialect.server or launched.server) and dialect.title or nil,
    architecture = architecture, precision = precision, unknown = launched.unknown }
end

local function interval(of, name, path, unit)
  return { name = name, path = path, unit = unit, value = of.mean, low = of.low, high = of.high }
end

local NEVER <const> = {
  { name = "hit rate at other cache sizes", why = "metrics say what was found, not how long ago it "
    .. "was used" },
  { name = "prompt with output", why = "histograms are of each alone; the twin draws both "
    .. "independently" },
  { name = "sessions and think times", why = "requests have no names in metrics" } }

local function add_arrivals(list, a)
  local rate = { name = "rate", path = "workload.rps", unit = "req/s", value = a.rps,
    low = a.rps_low, high = a.rps_high }
  list[1] = rate
  list[2] = { name = "burstiness", unit = "", value = a.dispersion, low = a.dispersion_low,
    high = a.dispersion_high, why = a.why }
  list[3] = { name = ("burstiness below %s"):format(format.time(a.width)), unit = "",
    why = "counts are known from scrape to scrape" }
end

local function add_steps(list, constants, request)
  for _, constant in ipairs(constants) do
    list[#list + 1] = { name = constant.name, path = "pipeline.server.step." .. constant.name,
      unit = constant.name == "step" and "s" or "", value = constant.value,
      low = constant.known and constant.low or nil, high = constant.known and constant.high or nil,
      why = not constant.known and "the load was too even to tell it apart; it is what is known of "
        .. "the GPU" or nil }
  end
  list[#list + 1] = { name = "request", path = "pipeline.server.step.request", unit = "s",
    value = request }
end

---@class tandem.twin.Options
---@field files string[]     files and folders of scrapes
---@field gpu string         what the server runs on, as td.gpu takes it
---@field server string|nil  the launch arguments
---@field deploy string|nil  instead: a manifest that has them
---@field model string|nil   a language model (default: as the arguments or the metrics have it)
---@field tp integer|nil     GPUs of a replica
---@field replicas integer|nil  servers behind what was scraped (default: as many as were scraped)
---@field users integer|nil  who came while it was scraped, each with a prefix of its own
---@field name string|nil    of the scenario (default: twin)

local OPTIONS <const> = { "files", "gpu", "server", "deploy", "model", "tp", "replicas",
  "users", "name" }

--- What is wrong with the name of a GPU. Nil: nothing.
---@param name string|nil
---@return string|nil
function twin.unknown_gpu(name)
  if type(name) ~= "string" then
    return "is missing: metrics do not say what a server runs on (tandem list gpus)"
  end
  local ok, problem = pcall(function()
    local td = require "tandem"
    return td.scenario "gpu" { target = td.gpu(name) { count = 1 },
      workload = td.poisson { rps = 1, requests = 1 },
      pipeline = { td.delay "none" { time = 0 } } }
  end)
  if not ok then
    return (tostring(problem):gsub("\n.*", ""):gsub("^.-: target%.name: ", ""))
  end
end

--- Builds a twin. Nil, a message and a code when metrics do not allow one.
---@param options tandem.twin.Options
---@return tandem.Twin|nil
---@return string|nil message
---@return integer|nil code
function twin.run(options)
  local stranger = nearest.stranger(options, OPTIONS)
  if stranger then error("td.twin: " .. stranger, 3) end
  if type(options.files) ~= "table" or #options.files == 0 then
    error("td.twin wants files = { \"metrics/\" }", 3)
  end
  local wrong = twin.unknown_gpu(options.gpu)
  if wrong and options.gpu then return nil, "gpu: " .. wrong, USAGE end
  local instances, message, code = metrics.read(options.files)
  if not instances then return nil, message, code end
  local kept, dialect = names_of_servers.servers(instances, options.model)
  if not kept then return nil, ("%s: %s"):format(options.files[1], dialect), INVALID end
  local merged = metrics.merged(kept)
  if #merged.times < 3 then
    return nil, ("%s: a twin wants three scrapes at least, and there %s"):format(options.files[1],
      #merged.times == 1 and "is one" or "are two"), INVALID
  end
  -- Only who has metrics of use is asked for more.
  if wrong then return nil, "gpu: " .. wrong, USAGE end
  local names, missing = names_of(merged, dialect --[[@as tandem.metrics.Dialect]])
  if not names then
    return nil, ("%s: there is no %s in it, which a twin wants"):format(options.files[1], missing),
      INVALID
  end
  return twin.of(merged, names, kept, options, dialect --[[@as tandem.metrics.Dialect]])
end

-- Runs the twin and holds both side by side: with the requests as they came where those are few
-- enough, else for as long with others.
local function side_by_side(self, context, workload, constants)
  self.as_came = context.whole
  if not context.whole then context.workload = workload end
  local sim, message, code = steps.simulate(context, constants)
  if not sim then return nil, message, code end
  self.rows = compare.rows(context.merged, sim, context.names, context.twin_names)
  return true
end

-- Are steps planned while those before them run? Where the arguments do not say: as the newest
-- servers do, and one after the other; what comes nearer to the recorded times is kept.
local AHEAD <const> = { true, false }

-- How far the times are off that planning ahead moves, in logarithms.
local function off_of(rows)
  local sum = 0
  for _, row in ipairs(rows) do
    if row.key == "ttft" or row.key == "tpot" then sum = sum + math.abs(math.log(1 + row.error)) end
  end
  return sum
end

-- Fits the steps of a server that plans so, and lays the twin beside the recording.
local function fitted(self, context, workload)
  local constants, request, code = steps.fit(context)
  if not constants then return nil, tostring(request), code end
  local step = { request = request }
  for _, constant in ipairs(constants) do step[constant.name] = constant.value end
  local out = { constants = constants, request = request, step = step }
  local done, message
  done, message, code = side_by_side(self, context, workload, step)
  if not done then return nil, message, code end
  out.rows = self.rows
  return out
end

local function best_of(self, context, setting, workload)
  local asked, best = setting.engine.plans_ahead, nil
  for _, ahead in ipairs(asked == nil and AHEAD or { asked }) do
    setting.engine.plans_ahead = ahead
    local found, message, code = fitted(self, context, workload)
    if not found then return nil, message, code end
    found.ahead = ahead
    if not best or off_of(found.rows) < off_of(best.rows) then best = found end
  end
  setting.engine.plans_ahead, self.rows = best.ahead, best.rows
  self.notes[1] = asked == nil and ("steps are %s: the recorded times are nearer to that, and no "
    .. "argument says it (--async-scheduling, --no-async-scheduling)"):format(best.ahead
      and "planned while the ones before them run" or "planned one after the other") or nil
  return best
end

-- Lengths by their histogram, else by totals.
local function lengths_of(merged, histogram, totals, ended)
  if histogram then return lengths.of(merged:histogram(histogram)) end
  return lengths.of_totals(totals and merged:gained(totals), ended)
end

-- Those of answers, whose spread times show where no histogram does.
local function outputs_of(merged, names, ended)
  local by_times = not names.output and names.generated and names.e2e and names.ttft
    and lengths.of_times(merged:gained(names.generated), merged:histogram(names.e2e),
      merged:histogram(names.ttft))
  return by_times or lengths_of(merged, names.output, names.generated, ended)
end

-- What is taken for granted where metrics are silent.
local function add_assumed(self, setting)
  for _, one in ipairs { { setting.prompts, "prompt" }, { setting.outputs, "output" } } do
    if one[1].totals then
      table.insert(self.parameters, { name = "spread of " .. one[2], unit = "",
        why = "totals alone are counted, no histogram; the twin draws it exponential" })
    elseif one[1].by_times then
      table.insert(self.parameters, { name = "spread of " .. one[2], unit = "",
        why = "totals alone are counted, no histogram; the twin draws it as requests' times are "
          .. "spread" })
    end
  end
  if setting.guessed then
    table.insert(self.notes, ("metrics of %s do not say which server is behind it: vLLM is "
      .. "simulated (--server says otherwise)"):format(setting.guessed))
  end
end

-- Who shares prefixes: all one, or each user one of its own, as long as makes the hits right.
local function shared_by(setting, context, a, prefix)
  if not setting.users then
    return { name = "more users or busier ones", unit = "", why = "metrics do not say who found "
      .. "what; the twin's requests share one prefix, so that both are the same load. --users says "
      .. "how many there were" }
  end
  context.width, context.workload = a.width, arrivals.workload(a)
  local value, why = require("tandem.twin.users").prefix(setting, context, steps.known(context),
    prefix.share)
  if not value then return nil, why end
  prefix.value, prefix.low, prefix.high = value, nil, nil
  return { name = "users", path = "attrs.user.n", unit = "", value = setting.users }
end

--- … of metrics that have been read.
---@param merged tandem.metrics.Instance
---@param names table<string, string>
---@param instances tandem.metrics.Instance[]
---@param options tandem.twin.Options
---@param dialect tandem.metrics.Dialect
---@return tandem.Twin|nil
---@return string|nil message
---@return integer|nil code
function twin.of(merged, names, instances, options, dialect)
  local setting, message, code = setting_of(options, merged, instances, dialect)
  if not setting then return nil, message, code end
  local a = arrivals.of(merged, names)
  local ended = merged:gained(names.ended) --[[@as number[] ]]
  setting.prompts = lengths_of(merged, names.prompt, names.prompts, ended)
  setting.outputs = outputs_of(merged, names, ended)
  if not (a and setting.prompts and setting.outputs) then
    return nil, ("%s: no request ended while it was scraped"):format(options.files[1]), INVALID
  end
  local self = setmetatable({ name = setting.name, parameters = {}, notes = {},
    instances = instances, arrivals = a, recorded = { merged = merged, names = names } }, Twin)
  add_arrivals(self.parameters, a)
  table.insert(self.parameters, interval(setting.prompts, "prompt", "attrs.prompt_tokens", "tok"))
  table.insert(self.parameters, interval(setting.outputs, "output", "attrs.output_tokens", "tok"))
  local prefix = prefix_of(merged, names, setting.prompts, setting.engine.block_tokens or 16)
  table.insert(self.parameters, prefix)
  setting.prefix = prefix.value
  local context = { merged = merged, names = names, twin_names = names_of_servers.own(),
    arrivals = a, gpu = setting.gpu, server = setting.server, architecture = setting.architecture,
    precision = setting.precision, build = builder(setting) }
  if setting.prefix and setting.prefix > 0 then
    local shared, why = shared_by(setting, context, a, prefix)
    if not shared then return nil, ("--users: %s"):format(why), INVALID end
    table.insert(self.parameters, shared)
  end
  local best
  best, message, code = best_of(self, context, setting, arrivals.workload(a))
  if not best then return nil, message, code end
  add_steps(self.parameters, best.constants, best.request)
  table.move(NEVER, 1, #NEVER, #self.parameters + 1, self.parameters)
  add_assumed(self, setting)
  self.scenario = context.build(arrivals.workload(a), best.step)
  if #setting.unknown > 0 then
    table.insert(self.notes, "said nothing to the twin: " .. table.concat(setting.unknown, ", "))
  end
  if merged.restarts > 0 then
    table.insert(self.notes, "the server began anew while it was scraped; what was inside then is "
      .. "in no count")
  end
  return self
end

--- What metrics tell and do not tell, and the twin beside the recording.
---@return string
function Twin:report() return report.text(self) end

--- The scenario as a Lua file, with the intervals as comments; nil and why it cannot be written.
---@return string|nil
---@return string|nil why
function Twin:source() return report.source(self) end

--- What it found as plain data (schema tandem.twin/1).
---@return table
function Twin:data() return report.data(self) end

return twin
