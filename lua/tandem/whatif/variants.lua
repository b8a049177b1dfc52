--- Variants of a scenario simulated side by side on the same luck, and their paired differences.
-- Owns the pairing: variant and base see the same arrivals and the same draws (common random
-- numbers). A difference is that of the two runs' figures; how sure it is, its replications one by
-- one tell, much narrower than the two sides alone. Called by whatif/init and whatif/tornado.
local core = require "tandem.core"
local crew = require "tandem.sweep.crew"
local job = require "tandem.sweep.job"
local nearest = require "tandem.text.nearest"
local scenario = require "tandem.scenario"

local variants = {}

local HEARTBEAT <const> = 0.25 -- seconds between two words of progress

local DEFAULT_REPLICATIONS <const> = 16
local MOST_REPLICATIONS <const> = require("tandem.language.scenario").MOST_REPLICATIONS

---@class tandem.Variant
---@field name string
---@field changes table<string, any>|nil  what scenario:with is given
---@field scenario tandem.Scenario|nil    or a scenario of its own
---@field first integer|nil               its first replication, which names its luck (default: 0)

---@class tandem.Difference
---@field value number       variant minus base
---@field half number|nil    of its interval; nil when it cannot be had
---@field relative number|nil value as a fraction of the base
---@field model { low: number, high: number }|nil  what the model leaves open of it, where asked

---@class tandem.VariantRow
---@field name string
---@field ok boolean
---@field message string|nil
---@field metrics table<string, any>
---@field values table<string, number[]>
---@field differences table<string, tandem.Difference>

-- Changes with values that no text can carry (distributions, GPUs) refer to a list that travels.
local function portable(changes, values)
  local out = {}
  for path, value in pairs(changes or {}) do
    if type(value) == "table" or type(value) == "function" then
      values[#values + 1] = value
      value = { ["$"] = #values }
    end
    out[path] = value
  end
  return out
end

local function take(row, answer)
  row.ok, row.message, row.metrics = answer.ok, answer.message, answer.metrics
  row.values = answer.values or {}
end

local function difference(row, base, path, confidence)
  local a, b = row.metrics[path], base.metrics[path]
  if type(a) ~= "table" or type(b) ~= "table" then return nil end
  local ours, theirs, gaps = row.values[path] or {}, base.values[path] or {}, {}
  for i = 1, math.min(#ours, #theirs) do
    local gap = ours[i] - theirs[i]
    if gap == gap then gaps[#gaps + 1] = gap end
  end
  local _, half = nil, nil
  if #gaps > 0 then _, half = core.stats.interval(gaps, confidence) end
  local value = a.value - b.value
  return { value = value, half = half, relative = b.value ~= 0 and value / b.value or nil }
end

local function settle(row, base, confidence)
  for _, path in ipairs(nearest.sorted_keys(row.metrics)) do
    row.differences[path] = difference(row, base, path, confidence)
  end
end

---@class tandem.VariantOptions
---@field replications integer|nil  independent runs of each (default: the base's)
---@field seed integer|nil       of the random numbers, the same for all (default: the base's)
---@field confidence number|nil  of the intervals, a fraction (default: 0.95)
---@field threads integer|nil    how many to use (default: the processors)
---@field metrics string[]|nil   beside what is kept anyway
---@field progress (fun(fraction: number))|nil  told how much is done, 0 to 1
---@field doubt boolean|nil      also at both ends of what the step models of LLM servers leave open

--- What td.whatif and td.tornado take both.
variants.options = { "replications", "seed", "confidence", "threads", "metrics", "progress",
  "metric" }

-- What is kept of every variant, and what is asked for besides, once each.
local function metrics_of(options)
  local out, seen = {}, {}
  for _, list in ipairs { job.metrics, options.metrics or {} } do
    for _, path in ipairs(list) do
      if not seen[path] then
        seen[path] = true
        out[#out + 1] = path
      end
    end
  end
  return out
end

local function submit(team, list, base, options, values)
  local replications = options.replications or base.checked.replications or DEFAULT_REPLICATIONS
  if replications > MOST_REPLICATIONS then
    error(("replications: at most %d, not %s"):format(MOST_REPLICATIONS, replications), 0)
  end
  local metrics, threads = metrics_of(options), options.threads or 0
  if threads == 0 then threads = core.processors() end
  for index, one in ipairs(list) do
    team[index] = { base = one.position, set = portable(one.changes, values),
      seed = options.seed or base.checked.seed or 1, first = one.first or 0,
      replications = replications, values = true, metrics = metrics,
      confidence = options.confidence, threads = math.max(1, threads // #list),
      told = options.progress ~= nil }
  end
end

local function collect(team, members, options)
  local answers, tell = {}, options.progress
  for number, one in ipairs(team) do members:submit(one, number) end
  while true do
    local number, answer = members:next(tell and HEARTBEAT)
    if number then
      if job.starved(answer) then error("not enough memory", 0) end
      answers[number] = answer
    elseif answer ~= "timeout" then
      if answer ~= "empty" and answer ~= "interrupted" then error(answer, 0) end
      return answers, answer == "interrupted"
    end
    if tell then tell(members:progress() / #team) end
  end
end

--- Simulates the base and its variants; the first row is the base.
---@param base tandem.Scenario
---@param list tandem.Variant[]
---@param options tandem.VariantOptions
---@return tandem.VariantRow[] rows
---@return boolean interrupted
function variants.run(base, list, options)
  local scenarios, values, team = { base }, {}, {}
  local all = { { name = "base", changes = {}, position = 1 } }
  for _, one in ipairs(list) do
    if one.scenario then scenarios[#scenarios + 1] = one.scenario end
    all[#all + 1] = { name = one.name, changes = one.changes, first = one.first,
      position = one.scenario and #scenarios or 1 }
  end
  submit(team, all, base, options, values)
  local members <close> = crew.open { scenarios = scenarios, values = values,
    threads = options.threads, watched = options.progress ~= nil }
  local answers, interrupted = collect(team, members, options)
  local rows = {}
  for index, one in ipairs(all) do
    rows[index] = { name = one.name, ok = true, metrics = {}, values = {}, differences = {} }
  end
  for index, row in ipairs(rows) do
    take(row, answers[index]
      or { ok = false, message = "interrupted before it was done", metrics = {} })
  end
  for _, row in ipairs(rows) do
    if row.ok then settle(row, rows[1], options.confidence) end
  end
  return rows, interrupted
end

-- The same variants of scenarios whose steps are off by so many standard deviations.
local function moved(list, key)
  local out = {}
  for i, one in ipairs(list) do
    out[i] = { name = one.name, changes = one.changes, first = one.first,
      scenario = one.scenario and one.scenario:with(key) }
  end
  return out
end

local function varied_of(base, one)
  return one.scenario or base:try_with(one.changes or {}) or base
end

--- What is to be known of GPUs of LLM servers, of the base and its variants, that nobody measured.
---@param base tandem.Scenario
---@param list tandem.Variant[]
---@return string[]
function variants.cautions(base, list)
  local all = { base }
  for i, one in ipairs(list) do all[i + 1] = varied_of(base, one) end
  return require("tandem.report.doubt").cautions(all)
end

-- The deployments that a scenario's steps are doubted of, as a text: their doubt is one.
local function deployments(doubted)
  local rates, parts = require "tandem.llm.rates", {}
  for i, one in ipairs(doubted) do
    local shape = one.pool.shape
    local model = shape.model
    parts[i] = table.concat({ one.server, one.pool.name, one.pool.gpu.name or "",
      shape.engine.server, shape.engine.version or "",
      model and rates.fingerprint(model.architecture) or "", model and model.weights or "",
      shape.tp, shape.dp, shape.pp, shape.ep or "" }, "|")
  end
  return table.concat(parts, "\n")
end

-- The share of their doubt that the base and a variant have in common: all of it where they are
-- the same deployments, else what their engine's version may be off. What is left of one deployment
-- says nothing of another: configurations that were left out are off with those of the same model,
-- engine and precision on other GPUs by a correlation of 0.03, in other cuts on the same GPU of
-- 0.04.
local function in_common(own, others)
  local rates = require "tandem.llm.rates"
  if deployments(own) == deployments(others) then return 1 end
  local least = 1
  for i, a in ipairs(own) do
    local b, shared = others[i], 0
    local one, other = a.pool.shape.engine, b and b.pool.shape.engine
    if b and not a.subject.own and not b.subject.own and one.server == other.server
      and one.version == other.version then
      shared = rates.version_spread(one.server, one.version) ^ 2
        / (a.directions.step * b.directions.step)
    end
    least = math.min(least, shared)
  end
  return least
end

-- What the model leaves open of a difference: ends of directions at right angles, whose reaches add
-- up as squares; what both have in common moves both, the rest each by itself.
local function open_of(own, path, ends, i, common)
  local down, up = 0, 0
  local function add(a, b)
    down, up = down + math.min(0, a, b) ^ 2, up + math.max(0, a, b) ^ 2
  end
  local together, apart = math.sqrt(common), math.sqrt(1 - common)
  for _, pair in ipairs(ends) do
    local variant, base = {}, {}
    for k, rows in ipairs(pair) do
      local a, b = rows[i].metrics[path], rows[1].metrics[path]
      if type(a) ~= "table" or type(b) ~= "table" then return nil end
      variant[k], base[k] = a.value - own.variant, b.value - own.base
    end
    add(together * (variant[1] - base[1]), together * (variant[2] - base[2]))
    add(apart * variant[1], apart * variant[2])
    add(-apart * base[1], -apart * base[2])
  end
  return { low = own.value - math.sqrt(down), high = own.value + math.sqrt(up) }
end

-- Runs of all at both ends of each direction in which steps may be off: pairs of rows.
local function ends_of(base, list, options, places, doubted)
  local doubt = require "tandem.doubt"
  local settings, ends = {}, {}
  for k, v in pairs(options) do settings[k] = v end
  settings.progress = nil
  for _, direction in ipairs(doubt.ends(doubted)) do
    local pair = {}
    for k, at in ipairs(direction) do
      local key = { doubt = doubt.key(places, at[1], at[2]) }
      local found, interrupted = variants.run(base:with(key), moved(list, key), settings)
      if interrupted then return nil end
      pair[k] = found
    end
    ends[#ends + 1] = pair
  end
  return ends
end

--- Adds to each difference how far the model's doubt moves it: the same variants, with the same
--- luck, where steps are slow and fast. Nothing where step models are not doubted.
---@param base tandem.Scenario
---@param list tandem.Variant[]
---@param rows tandem.VariantRow[]  of both
---@param options tandem.VariantOptions
---@return boolean interrupted
function variants.doubt(base, list, rows, options)
  local doubt = require "tandem.doubt"
  if base.checked.doubt or not rows[1].ok then return false end
  local result = base:run { replications = 1, precision = false, brief = true,
    seed = options.seed, threads = options.threads }
  local places = result and doubt.places(result) or {}
  local doubted = #places > 0 and doubt.of(base, places) or {}
  if #doubted == 0 then return false end
  local ends = ends_of(base, list, options, places, doubted)
  if not ends then return true end
  for i, row in ipairs(rows) do
    local varied = list[i - 1] and varied_of(base, list[i - 1]) or base
    local common = in_common(doubted, doubt.of(varied, places))
    for path, change in pairs(row.differences) do
      change.model = open_of({ value = change.value, variant = row.metrics[path].value,
        base = rows[1].metrics[path].value }, path, ends, i, common)
    end
  end
  return false
end

--- The variants of a table { name = changes | scenario | function(base) } in the order of their
--- names, or of a list { { name, changes }, … } in its own. Raises what is wrong in one line.
---@param base tandem.Scenario
---@param given table
---@return tandem.Variant[]
function variants.read(base, given)
  local list = {}
  local function add(name, what)
    if type(what) == "function" then what = what(base) end
    if scenario.is(what) then
      list[#list + 1] = { name = name, scenario = what }
    elseif type(what) == "table" then
      local _, problems = base:try_with(what)
      if problems and #problems > 0 then
        error(("variant '%s': %s"):format(name, tostring(problems)), 0)
      end
      list[#list + 1] = { name = name, changes = what }
    else
      error(("variant '%s' wants { path = value, … } or a scenario, not a %s"):format(name,
        type(what)), 0)
    end
  end
  if type(given) ~= "table" then
    error("whatif wants a table { [\"a name\"] = { path = value }, … }", 0)
  end
  if #given > 0 then
    for i, one in ipairs(given) do
      if type(one) ~= "table" or type(one[1]) ~= "string" then
        error(("variant %d wants { \"a name\", { path = value } }"):format(i), 0)
      end
      add(one[1], one[2])
    end
  else
    for _, name in ipairs(nearest.sorted_keys(given)) do add(tostring(name), given[name]) end
  end
  if #list == 0 then error("whatif wants at least one variant", 0) end
  return list
end

return variants
