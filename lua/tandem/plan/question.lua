--- What is asked: the options of td.plan.* checked, with everything they leave open filled in.
--
-- Owns bad input: each is one line with the fix, raised at the caller. Also the base scenario that
-- all simulations vary: the asker's limits in place of the scenario's own, and no end of its own
-- where a run may be longer. Called by plan/init.
local core = require "tandem.core"
local counts = require "tandem.plan.counted"
local demand = require "tandem.plan.demand"
local grown = require "tandem.plan.grown"
local arrivals = require "tandem.explain.arrivals"
local bounds = require "tandem.plan.bounds"
local node = require "tandem.language.node"
local nearest = require "tandem.text.nearest"
local limits = require "tandem.plan.limits"
local periods = require "tandem.plan.periods"
local prices = require "tandem.scenario.prices"
local range = require "tandem.sweep.range"
local resources = require "tandem.language.resources"
local scenario = require "tandem.scenario"
local space_of = require "tandem.plan.space"
local units = require "tandem.units"

local question = {}

local MOST_TAIL <const> = 4000000 -- requests of a run

---@class tandem.PlanKind
---@field name string
---@field set table<string, any>

---@class tandem.PlanLoad
---@field value number|nil  nil: as the scenario says, and it cannot be said how much that is
---@field label string
---@field factor number     of the scenario's own load
---@field set table<string, any>

---@class tandem.PlanBudget
---@field gpus integer|nil
---@field usd_per_hour number|nil
---@field watts number|nil
---@field simulations integer|nil

---@class tandem.PlanQuestion
---@field find "gpus"|"load"|"best"
---@field scenario tandem.Scenario   as given
---@field base tandem.Scenario       what the crew varies
---@field bases tandem.Scenario[]    … and, second, that without failures, where these are apart
---@field unscaled tandem.Scenario|nil  where GPUs come and go: the same with a constant number
---@field failing { rate: number, repairs: number[], repair: number, path: string, rule: string,
---       on_failure: string|nil }|nil
---@field values any[]
---@field demand tandem.Demand
---@field kinds tandem.PlanKind[]
---@field loads tandem.PlanLoad[]
---@field limits tandem.PlanLimit[]
---@field shares table<string, number>  of each class among the requests
---@field count string               path of what is counted
---@field noun string                what it is called
---@field pair { count: string, noun: string }|nil  what is counted beside it
---@field max_given boolean
---@field setting boolean|nil         it is a setting, not a number of things
---@field min integer
---@field max integer
---@field budget tandem.PlanBudget
---@field minimize "usd_per_hour"|"gpus"|"watts"
---@field confidence number
---@field precision number
---@field replications integer  at most, for one candidate
---@field deadline number|nil    of core.clock
---@field tell (fun(text: string))|nil  what is to be known while it is worked on
---@field seed integer
---@field threads integer|nil
---@field backend tandem.Backend|nil
---@field monotone boolean
---@field survive integer    of what is counted, that may be down
---@field periods tandem.PlanPeriod[]
---@field mix boolean
---@field sensitivity boolean
---@field doubt boolean|nil  false: as if the step models of LLM servers were exact
---@field over table<string, any[]>|nil
---@field notes string[]

local common = { "scenario", "slo", "limits", "confidence", "precision", "replications", "seed",
  "threads", "budget", "monotone", "method", "backend", "progress", "sensitivity", "time_limit",
  "tell", "doubt" }
local own = {
  gpus = { "kinds", "load", "users", "busier", "load_path", "count", "min", "max", "minimize",
    "mix", "survive" },
  load = { "kind", "kinds", "gpus", "load_path" },
  best = { "over", "minimize", "load", "users", "busier", "load_path" },
}

local function fail(...) error({ plan = (...):format(select(2, ...)) }, 0) end
question.fail = fail

local function known_keys(find, options)
  local known = { plan = true }
  for _, list in ipairs { common, own[find] } do
    for _, key in ipairs(list) do known[key] = true end
  end
  for _, key in ipairs(nearest.sorted_keys(options)) do
    if not known[key] then
      fail("unknown option '%s'; %s", tostring(key),
        nearest.hint(tostring(key), nearest.sorted_keys(known)))
    end
  end
end

local function number(options, key, default, least, most, whole)
  local value = options[key]
  if value == nil then return default end
  if type(value) == "string" then value = units.parse(value) end
  if type(value) ~= "number" or value ~= value or value < least or value > most
    or whole and value ~= math.floor(value) then
    fail("%s: wants a %snumber from %g to %g, not %s", key, whole and "whole " or "", least, most,
      tostring(options[key]))
  end
  return whole and math.tointeger(value) or value
end

local RANGE_POINTS <const> = 8 -- of a range of rates that does not say how many

-- A single value, a list or a range as a list.
local function list_of(value, key)
  if range.is(value) then
    local read, wrong = range.read(value)
    if not read then fail("%s: %s", key, wrong) end
    if not read.integer and not read.points then
      local copy = { from = value.from, to = value.to, log = value.log, points = RANGE_POINTS }
      read = range.read(copy)
    end
    local values, without = range.values(read)
    if not values then fail("%s: %s", key, without) end
    return values
  end
  if type(value) == "table" and getmetatable(value) == nil and not node.group(value) then
    return value
  end
  return { value }
end

question.list_of = list_of

local function kinds_of(q, wanted)
  local target = q.scenario.checked.target
  if wanted == nil then
    q.kinds[1] = { name = target and target.type == "gpu" and target.name or "", set = {} }
    return
  end
  wanted = list_of(wanted, "kinds")
  if #wanted == 0 then fail("kinds: is empty; name GPUs: kinds = { \"H100\", \"L40S\" }") end
  if not target then
    fail("kinds: the scenario has no target GPU; add target = td.gpu \"%s\" to it",
      type(wanted[1]) == "string" and wanted[1] or "H100")
  elseif target.type ~= "gpu" then
    fail("kinds: the scenario's target is a fleet; give it one kind, target = td.gpu \"…\"")
  end
  local seen = {}
  for _, kind in ipairs(wanted) do
    if type(kind) == "string" then
      local known, near = resources.catalogue_params(kind)
      if not known then
        fail("kinds: unknown GPU '%s'; %s", kind, near and ("did you mean '%s'?"):format(near)
          or "tandem list gpus names them")
      end
      if not seen[kind] then q.kinds[#q.kinds + 1] = { name = kind, set = { gpu = kind } } end
      seen[kind] = true
    elseif node.group(kind) == "resource" and rawget(kind, "type") == "gpu" then
      q.values[#q.values + 1] = kind
      q.kinds[#q.kinds + 1] = { name = rawget(kind, "name") or "gpu",
        set = { gpu = { ["$"] = #q.values } } }
    else
      fail("kinds: wants names of GPUs, not %s", tostring(kind))
    end
  end
  local raw = rawget(rawget(q.scenario, "raw"), "target")
  for _, field in ipairs { { "ms_per_token" }, table.unpack(resources.gpu_fields) } do
    local key = field[1]
    if type(raw) == "table" and rawget(raw, key) ~= nil then
      q.notes[#q.notes + 1] = ("The scenario sets target.%s itself, so every kind has that same "
        .. "%s."):format(key, key)
    end
  end
end

local function load_value(q, value)
  local dim = q.demand.unit == "users" and "1" or "req/s"
  local parsed, wrong = units.as(value, dim)
  if not parsed and q.demand.unit == "users" and type(value) == "string" then
    parsed = tonumber(value:match "^%s*(%d+)%s*users?%s*$")
  end
  if type(value) ~= "number" and type(value) ~= "string" then
    fail("load: wants a rate such as \"40rps\", a list of them or td.range(…)")
  end
  if not parsed then fail("load: %s", wrong) end
  if parsed <= 0 then
    fail("load: is %s; a plan needs requests, such as load = \"40rps\"", tostring(value))
  end
  return parsed
end

local function loads_of(q, wanted, path)
  local d = q.demand
  if wanted == nil then
    q.loads[1] = { value = d.total, factor = 1, set = {},
      label = d.total and demand.words(d.total, d.unit) or "as written" }
    return
  end
  wanted = list_of(wanted, "load")
  if #wanted == 0 then
    fail("load: is an empty list; td.range(\"10rps\", \"400rps\", 8) makes one")
  end
  if not path and (d.stuck or not d.total) then
    fail("load: cannot be set for %s, which has no rate to multiply; change the scenario (--set), "
      .. "or name the key in Lua: load_path = \"workload.…\"", d.stuck or "this workload")
  end
  for i, one in ipairs(wanted) do
    local value = load_value(q, one)
    local factor = d.total and value / d.total or 1
    q.loads[i] = { value = value, label = demand.words(value, d.unit), factor = factor,
      set = path and { [path] = value } or demand.scaled(d, factor) }
  end
end

-- Loads that are so many times the scenario's own, of more users or of busier ones.
local function grown_of(q, options)
  if options.users == nil and options.busier == nil then return end
  local d, users = q.demand, grown.users(q.scenario)
  if options.load ~= nil or options.load_path ~= nil then
    fail("users, busier: say by how much the load grows; leave load out")
  elseif d.stuck or not d.total then
    fail("users, busier: %s has no rate to multiply", d.stuck or "this workload")
  elseif d.unit == "users" and options.busier ~= nil then
    fail("busier: users of td.closed come as often as their think time says; change that")
  end
  q.loads = {}
  for _, how in ipairs { "users", "busier" } do
    for _, one in ipairs(list_of(options[how] or {}, how)) do
      local factor, wrong = grown.factor(one)
      if not factor then fail("%s: %s", how, wrong) end
      local more, words = grown.change(users, how, factor)
      local set = demand.scaled(d, factor)
      for path, value in pairs(more) do set[path] = value end
      q.loads[#q.loads + 1] = { value = d.total * factor, factor = factor, set = set,
        label = ("%s, %s"):format(demand.words(d.total * factor, d.unit), words) }
    end
  end
  q.notes[#q.notes + 1] = grown.note(users)
end

local function budget_of(wanted)
  local out = {}
  if wanted == nil then return out end
  if type(wanted) ~= "table" then
    fail("budget: wants a table, { usd_per_hour = 50 }, { gpus = 8 } or { watts = \"5kW\" }")
  end
  local known = { "gpus", "usd_per_hour", "usd", "watts", "simulations" }
  for _, key in ipairs(nearest.sorted_keys(wanted)) do
    if key == "seconds" then
      fail("budget: no answer may depend on the clock; bound the work with simulations = N")
    end
    local ok = false
    for _, one in ipairs(known) do ok = ok or one == key end
    if not ok then fail("budget: unknown '%s'; %s", tostring(key),
      nearest.hint(tostring(key), known)) end
    local value, wrong
    if key == "usd" or key == "usd_per_hour" then value, wrong = prices.hourly(wanted[key])
    else value, wrong = units.as(wanted[key], key == "watts" and "W" or "1") end
    if not value then fail("budget: %s: %s", key, wrong) end
    if not (value > 0) then
      fail("budget: %s is %s; it must be a number above 0", key, tostring(wanted[key]))
    end
    out[key == "usd" and "usd_per_hour" or key] = value
  end
  return out
end

-- Whether more of what is counted can make things worse, as far as the scenario shows it.
local function monotone_of(q, options)
  if options.method ~= nil and options.method ~= "auto" and options.method ~= "bisection"
    and options.method ~= "scan" then
    fail("method: unknown '%s'; %s", tostring(options.method),
      nearest.hint(tostring(options.method), { "auto", "bisection", "scan" }))
  end
  local reason = options.monotone == false and "monotone = false says that more can be worse"
  for _, limit in ipairs(q.limits) do
    if limit.least and limit.path:find "utilization$" then
      reason = reason or ("%s has a lower limit, which more servers miss"):format(limit.label)
    end
  end
  if reason and options.method == "bisection" then
    fail("method: bisection needs a monotone objective, but %s; leave method out to test every "
      .. "number", reason)
  end
  q.monotone = not reason and options.method ~= "scan"
  if reason then
    q.notes[#q.notes + 1] = ("Every number is tested from below: %s."):format(reason)
  end
end

-- Objectives by window are of as long a run as the scenario says.
local function by_window(raw)
  local found = raw.slo and raw.slo.within
  for _, class in ipairs(raw.classes or {}) do found = found or class.slo and class.slo.within end
  return found ~= nil
end

local function base_of(q, options)
  local raw = node.copy(rawget(q.scenario, "raw"))
  raw.plan, raw.expect, raw.sweep, raw.whatif = nil, nil, nil, nil
  limits.put(raw, q.scenario, options.slo)
  if q.survive > 0 and type(raw.target) == "table" then
    -- So many are down all the time, and the others are what is left.
    raw.target.mtbf, raw.target.mttr, raw.target.on_failure = nil, nil, nil
  end
  if q.demand.stationary and by_window(raw) then q.demand.stationary = false end
  if q.demand.stationary then raw.duration, raw.requests = nil, nil end
  local base, problems = scenario.check(raw, { directory = rawget(q.scenario, "directory") })
  if not base then error({ plan = (tostring(problems):gsub("\n.*", "")) }, 0) end
  if type(raw.target) == "table" and raw.target.autoscale ~= nil then
    local copy = node.copy(raw)
    copy.target.autoscale = nil
    q.unscaled = scenario.check(copy, { directory = rawget(q.scenario, "directory") })
  end
  return base
end

local function merged(find, options)
  if type(options) ~= "table" or scenario.is(options) then
    fail("wants a table, td.plan.%s { scenario = …, … }", find)
  end
  if not scenario.is(options.scenario) then
    fail("scenario: wants a scenario, not %s; td.load \"file.lua\" gives one",
      tostring(options.scenario))
  end
  local out = {}
  local block = options.scenario.checked.plan
  for key, value in pairs(block or {}) do
    for _, list in ipairs { common, own[find] } do
      for _, known in ipairs(list) do
        if known == key then out[key] = value end
      end
    end
  end
  for key, value in pairs(options) do out[key] = value end
  -- Who says the load in another way than the block means that one alone.
  if options.users ~= nil or options.busier ~= nil then
    out.load, out.load_path = options.load, options.load_path
  end
  return out
end

-- Which part of the requests each class is, where it can be said.
local function shares_of(model)
  local shares, sum = {}, 0
  for i, class in ipairs(model.classes) do
    local rate = arrivals.rate(class.arrivals, model.duration).rps
    if not rate then return {} end
    shares[class.name], sum = rate, sum + rate
    if i == #model.classes then
      for name, one in pairs(shares) do shares[name] = one / sum end
    end
  end
  return shares
end

-- What becomes of requests on a GPU that fails, as checked.
local function rule_of(target, written)
  for _, gpu in ipairs(target.type == "gpu" and { target } or target.gpus) do
    if target.type == "gpu" or gpu.name == written.name then return gpu.on_failure end
  end
end

-- GPUs that come and go need room: count is the most there may be.
local function scaled_from(target, count)
  local rule = target and target.autoscale
  if not rule or count and count ~= "gpus" then return 1 end
  local least = math.max(2, rule.start or 1)
  for _, step in ipairs(rule.schedule or {}) do least = math.max(least, step[2]) end
  return least
end

local SLICES <const> = 1024 -- of times of repair, each as likely

-- How the GPUs that are counted fail, where they are all that does, and alike: then failures that
-- are rare can be looked at by themselves. Without, the scenario is q.bases[2].
local function failures_of(q)
  local raw = rawget(q.base, "raw")
  local target = q.base.checked.target
  if target and target.autoscale then return end
  local counted = q.count == "gpus" and "target" or q.count:match "^(target%.[^.]+)%.count$"
  if not counted or not target or not q.demand.stationary or q.demand.unit ~= "rate" then return end
  local copy, failing = node.copy(raw), nil
  for _, gpu in ipairs(target.type == "gpu" and { copy.target } or copy.target) do
    if gpu.mtbf ~= nil then
      if failing then return end
      failing = gpu
      gpu.mtbf, gpu.mttr, gpu.on_failure = nil, nil, nil
    end
  end
  local named = failing and "target." .. tostring(failing.name)
  if not failing or target.type ~= "gpu" and counted ~= named then return end
  local base = scenario.check(copy, { directory = rawget(q.scenario, "directory") })
  if not base then return end
  local model, fails = q.base:model(), nil
  for _, station in ipairs(model.stations) do
    if station.mtbf then return end
  end
  for _, gpu in ipairs(model.gpus) do fails = fails or gpu.mtbf and gpu end
  local mean = fails and core.dist_moments(fails.mtbf)
  local repairs = fails and core.dist_slices(fails.mttr, SLICES)
  if not mean or not repairs or not (mean > 0) then return end
  q.bases[2] = base
  local sum = 0
  for _, seconds in ipairs(repairs) do sum = sum + seconds end
  q.failing = { rate = 1 / mean, repairs = repairs, repair = sum / #repairs,
    path = counted .. ".outages", rule = counted .. ".on_failure",
    on_failure = rule_of(target, failing) }
end

--- Checks a question.
---@param find "gpus"|"load"|"best"
---@param options table
---@return tandem.PlanQuestion
function question.of(find, options)
  options = merged(find, options)
  known_keys(find, options)
  local q = { find = find, scenario = options.scenario, values = {}, kinds = {}, loads = {},
    notes = {}, threads = options.threads, backend = options.backend,
    progress = options.progress, mix = options.mix == true, over = options.over }
  q.demand = demand.of(options.scenario)
  q.confidence = number(options, "confidence", 0.95, 0.5, 0.999999)
  q.precision = number(options, "precision", 0.01, 1e-6, 0.5)
  q.replications = number(options, "replications", 64, 8, 4096, true)
  q.seed = number(options, "seed", options.scenario.checked.seed or 1, 0, math.maxinteger, true)
  if options.time_limit ~= nil then
    local seconds, wrong = units.as(options.time_limit, "s")
    if not seconds or seconds <= 0 then
      fail("time_limit: %s", wrong or "must be more than 0")
    end
    q.deadline = core.clock() + seconds
  end
  q.tell = options.tell
  q.min = number(options, "min", 1, 1, 100000, true)
  q.min = math.max(q.min, scaled_from(options.scenario.checked.target, options.count))
  q.max = number(options, "max", 64, 1, 100000, true)
  q.max_given = options.max ~= nil
  if q.min > q.max then
    fail("max: is %d, below min = %d; the range is empty", q.max, q.min)
  end
  q.budget = budget_of(options.budget)
  q.minimize = options.minimize or "usd_per_hour"
  if q.minimize == "usd" then q.minimize = "usd_per_hour" end
  local aims = { usd_per_hour = true, gpus = true, watts = true }
  if not aims[q.minimize] then
    fail("minimize: unknown '%s'; %s", tostring(q.minimize),
      nearest.hint(tostring(q.minimize), nearest.sorted_keys(aims)))
  end
  q.minimize_given = options.minimize ~= nil
  if find == "gpus" then counts.of(q, options.count) end
  kinds_of(q, options.kinds or options.kind)
  loads_of(q, options.load, options.load_path)
  grown_of(q, options)
  q.survive = number(options, "survive", 0, 0, 1000, true)
  if q.survive > 0 and q.setting then
    fail("survive: %s is a setting, of which none can be down", q.noun)
  elseif q.survive > 0 and q.mix then
    fail("survive: goes with one kind at a time; leave mix out")
  elseif q.survive >= q.max then
    fail("survive: is %d, and no more than %d are allowed (max)", q.survive, q.max)
  end
  counts.check(q, options)
  q.base = base_of(q, options)
  q.bases = { q.base }
  if find == "gpus" and not q.pair then failures_of(q) end
  local target = q.base.checked.target
  q.periods = periods.of(q.base:model(), find == "gpus" and not q.setting
    or options.gpus ~= nil or find == "best" and target ~= nil and target.type == "gpu")
  q.notes[#q.notes + 1] = periods.part_of_course(q.base:model(), q.demand.total)
  q.limits, q.shares = limits.of(q.base, options.limits), shares_of(q.base:model())
  if space_of.tail(q) > MOST_TAIL then
    fail("slo: a percentile this fine takes %s requests in each run to be seen; 99.999 is the "
      .. "finest that a plan judges", require("tandem.text.format").integer(space_of.tail(q)))
  end
  if bounds.may_lose(q.base:model()) then limits.imply(q.base, q.limits) end
  if q.demand.burst_rps and not options.load_path and #q.demand.fields > 0 then
    q.notes[#q.notes + 1] = ("Loads are means over time: td.bursts with rps = %.6g sends %s. Plans "
      .. "set the mean; rps of --set and of sweeps is the rate of a burst."):format(
      q.demand.burst_rps, demand.words(q.demand.total, q.demand.unit))
  end
  monotone_of(q, options)
  q.sensitivity, q.doubt = options.sensitivity, options.doubt
  q.gpus, q.load_path = options.gpus, options.load_path
  return q
end

return question
