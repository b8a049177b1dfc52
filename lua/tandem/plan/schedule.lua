--- How many GPUs each step of a day needs: the series of counts that keeps the objectives in every
--- step, and what a constant number and the scenario's own rule of scaling cost against it.
--
-- Owns the search. Steps are windows of time; a series is simulated as a schedule (autoscale of
-- td.gpu), all of it at once, with the backlog that one step leaves to the next. It begins at what
-- the work itself wants, adds GPUs to steps that do not surely keep their limits, takes one from
-- every other step that does, and is held against fresh luck at the end. When it is stopped, by
-- Ctrl-C or because its time is up, the best series so far is the answer. Called by cli/schedule.
local bill = require "tandem.scenario.bill"
local core = require "tandem.core"
local format = require "tandem.text.format"
local node = require "tandem.language.node"
local prices = require "tandem.scenario.prices"
local result_of = require "tandem.result"
local scenarios = require "tandem.scenario"

local schedule = {}

local BUSIEST <const> = 0.9 -- of a step's GPUs, to begin with
local ROUNDS <const> = 60   -- simulations
local FIGURES <const> = { p50 = "latency.p50", p99 = "latency.p99", mean = "latency.mean",
  met = "slo_met" }

---@class tandem.ScheduleSide  what a way of having GPUs comes to
---@field mean number       GPUs held
---@field peak number
---@field gpu_hours number  of a course of the load
---@field usd number|nil
---@field keeps boolean     every step keeps the limits, surely
---@field bad integer       steps that do not
---@field worst { index: integer, metric: string, value: number, half: number|nil }|nil

---@class tandem.Schedule
---@field name string
---@field step_s number
---@field limits table[]
---@field steps { from_s: number, gpus: integer, offered_rps: number, worst: table }[]
---@field found boolean     even the most GPUs keep the limits
---@field series tandem.ScheduleSide|nil
---@field constant tandem.ScheduleSide|nil
---@field rule tandem.ScheduleSide|nil
---@field simulations integer
---@field confidence number
---@field stopped "time"|"interrupted"|nil  the series is the best that was seen by then

local function fail(...) error({ plan = (...):format(select(2, ...)) }, 0) end

local function estimate_at(item, path)
  local value = item
  for part in path:gmatch "[^.]+" do value = value and value[part] end
  return value
end

-- The objectives as figures of each window.
local function limits_of(scenario)
  local classes = scenario.checked.resolved
  if #classes > 1 then fail("wants a scenario of one class of requests") end
  local out = {}
  for _, metric in ipairs(require("tandem.text.nearest").sorted_keys(classes[1].slo or {})) do
    if FIGURES[metric] then
      out[#out + 1] = { metric = metric, path = FIGURES[metric], limit = classes[1].slo[metric],
        least = metric == "met" }
    elseif metric ~= "deadline" and metric ~= "within" then
      fail("judges p50, p99, mean and met in each step, not %s", metric)
    end
  end
  if #out == 0 then fail("nothing has to hold; slo = { p99 = \"500ms\" } would say what") end
  return out
end

-- How far a window's figures are beyond their limits, the worst first: { state, metric, … }; a
-- figure without an interval counts by its value.
local function judge(item, limits)
  local worst
  for _, limit in ipairs(limits) do
    local e = estimate_at(item, limit.path)
    if e and e.value then
      local half = e.half or 0
      local edge = limit.least and e.value - half or e.value + half
      local room = limit.least and edge - limit.limit or limit.limit - edge
      local one = { metric = limit.metric, value = e.value, half = e.half, keeps = room >= 0,
        room = room / limit.limit }
      if not worst or one.room < worst.room then worst = one end
    end
  end
  if (item.lost or 0) > 0.01 then
    worst = { metric = "lost", value = item.lost, keeps = false, room = -1 }
  end
  return worst or { keeps = true, room = 1 }
end

local function judge_all(result, limits)
  local out = { bad = 0 }
  for i, item in ipairs(result.windows.items) do
    out[i] = judge(item, limits)
    if not out[i].keeps then out.bad = out.bad + 1 end
    if not out.worst or out[i].room < out[out.worst].room then out.worst = i end
  end
  return out
end

local function hours_of(q) return q.duration / 3600 end

-- What so many GPUs, and the CPU workers beside them, cost an hour; nil without a price.
local function usd_at(q, count)
  local gpus = q.offers and prices.cost(q.offers, count) or q.price and q.price * count
  return gpus and gpus + q.workers_usd
end

local function side(q, judged, mean, peak, usd_per_hour)
  local worst = judged.worst and judged[judged.worst]
  return { mean = mean, peak = peak, gpu_hours = mean * hours_of(q),
    usd = usd_per_hour and usd_per_hour * hours_of(q), keeps = judged.bad == 0, bad = judged.bad,
    worst = worst and { index = judged.worst, metric = worst.metric, value = worst.value,
      half = worst.half } }
end

-- A series that keeps its limits and holds less than those before: what is answered if nothing
-- better comes.
local function remember(q, counts, result, judged)
  if judged.bad > 0 then return end
  local sum = 0
  for _, count in ipairs(counts) do sum = sum + count end
  if q.kept and q.kept.sum <= sum then return end
  q.kept = { sum = sum, counts = node.copy(counts), result = result, judged = judged }
end

local function so_far(q)
  local kept = q.kept
  return kept and ("%.4g GPUs at the mean keep the objectives"):format(kept.sum / #kept.counts)
    or "no series is known to keep the objectives"
end

-- Runs a simulation that tells how far it is; raises { stopped = why } when it was stopped.
local function run(q, scenario, options)
  local function look(fraction)
    if q.deadline and core.clock() >= q.deadline and not q.late then
      q.late = true
      core.interrupt()
    end
    local done = q.simulations + fraction
    if q.tell then
      q.tell(q.simulations, 1, done / (done + ROUNDS / 4), function() return so_far(q) end)
    end
  end
  options.progress, options.threads, options.warmup = look, q.threads, "none"
  look(0)
  local result, message, code
  if not q.late then result, message, code = scenario:run(options) end
  if q.late then
    core.interrupt_clear()
    error({ stopped = "time" }, 0)
  elseif result and result.interrupted or code == 130 then
    error({ stopped = "interrupted" }, 0)
  elseif not result then
    error({ plan = tostring(message) }, 0)
  end
  q.simulations = q.simulations + 1
  return result
end

-- Simulates a number of GPUs for each step, the same ones in a row as one.
local function try(q, counts, seed, replications)
  local points, before = {}, nil
  for i, count in ipairs(counts) do
    if count ~= before then points[#points + 1] = { (i - 1) * q.step, count } end
    before = count
  end
  local most = math.max(2, q.max)
  local raw = node.copy(rawget(q.base, "raw"))
  if type(raw.target) == "string" then raw.target = { type = "gpu", name = raw.target } end
  raw.target.count, raw.target.autoscale = most, { schedule = points }
  local varied = assert(scenarios.check(raw, { directory = rawget(q.base, "directory") }))
  local result = run(q, varied, { windows = q.step, seed = seed or q.seed,
    replications = replications or q.replications })
  local judged = judge_all(result, q.limits)
  remember(q, counts, result, judged)
  return result, judged
end

local function constant_of(q, count)
  local counts = {}
  for i = 1, q.steps do counts[i] = count end
  return counts
end

-- What the work itself wants, of a run with as many as there may be.
local function begin(q, result)
  local counts = {}
  for i = 1, q.steps do
    local busy = 0
    for _, station in ipairs(result.windows.stations) do
      if station.lane == "GPU" and station.servers then
        busy = busy + station.busy[i] / station.servers
      end
    end
    counts[i] = math.max(1, math.min(q.max, math.ceil(busy / BUSIEST - 1e-9)))
  end
  return counts
end

-- Adds GPUs until every step keeps the limits; the last judgement.
local function raise(q, counts, seed, replications)
  local result, judged = try(q, counts, seed, replications)
  while judged.bad > 0 and q.simulations < ROUNDS do
    local changed = false
    for i = 1, q.steps do
      if judged[i] and not judged[i].keeps and counts[i] < q.max then
        counts[i] = math.min(q.max, counts[i] + math.max(1, counts[i] // 10))
        changed = true
      end
    end
    if not changed then break end
    result, judged = try(q, counts, seed, replications)
  end
  return result, judged
end

-- Takes one from every other step at once; those that then fail, or whose next one does, get it
-- back and keep it. Whether it took any for good.
local function lower_once(q, counts)
  local fixed, parity, idle, lowered = {}, 0, 0, false
  while idle < 2 and q.simulations < ROUNDS do
    local tried = {}
    for i = 1, q.steps do
      if i % 2 == parity and not fixed[i] and counts[i] > 1 then
        counts[i], tried[#tried + 1] = counts[i] - 1, i
      end
    end
    idle = #tried == 0 and idle + 1 or 0
    if #tried > 0 then
      local _, judged = try(q, counts)
      for _, i in ipairs(tried) do
        if not judged[i].keeps or judged[i + 1] and not judged[i + 1].keeps then
          counts[i], fixed[i] = counts[i] + 1, true
        else
          lowered = true
        end
      end
    end
    parity = 1 - parity
  end
  return lowered
end

-- A step that could not do with fewer may do so once others have fewer: what is still being served
-- when GPUs leave, leaves with them.
local function lower(q, counts)
  while lower_once(q, counts) do end
end

local function question(options)
  local scenario = options.scenario
  local target, c = scenario.checked.target, scenario.checked
  if not target or target.type ~= "gpu" then
    fail("wants a scenario whose target is one kind of GPU")
  end
  local model = scenario:model()
  if #(model.servers or {}) > 0 then
    fail("is for GPUs that serve by themselves; replicas of LLM servers: tandem help autoscaling")
  elseif not model.duration then
    fail("wants a duration: how long the day is")
  end
  local within = c.resolved[1].slo and c.resolved[1].slo.within
  local step = options.step or within and not within.share and within.windows
    or require("tandem.scenario.windows").fitting(model.duration)
  local base = scenario
  if within then base = scenario:with { ["slo.within"] = { windows = step } } end
  local params = require("tandem.language.resources").gpu_params(target)
  local q = { base = base, rule = target.autoscale and target.autoscale.target and target.autoscale,
    limits = limits_of(scenario), step = step, steps = math.ceil(model.duration / step - 1e-9),
    duration = model.duration, max = options.max or math.max(target.count or 1, 2),
    seed = options.seed or c.seed or 1, threads = options.threads, simulations = 0,
    replications = options.replications or math.max(8, c.replications or 8), tell = options.tell,
    deadline = options.time_limit and core.clock() + options.time_limit,
    price = params.price and params.price * 3600, workers_usd = 0.0,
    offers = c.prices and c.prices[prices.canonical(target.name or "")] }
  for _, one in ipairs(bill.of(scenario).workers) do
    q.workers_usd = q.workers_usd + one.usd_per_hour
  end
  if q.steps > 512 then fail("%d steps are more than 512; longer ones, --step 1h?", q.steps) end
  return q
end

local function judge_rule(q, scenario)
  local within = scenario.checked.resolved[1].slo.within
  local own = within and scenario:with { ["slo.within"] = { windows = q.step } } or scenario
  local result = run(q, own, { windows = q.step, seed = q.seed + 1,
    replications = q.replications })
  local held = bill.held(result, own)
  return side(q, judge_all(result, q.limits), result.gpus_held.mean.value,
    result.gpus_held.peak.value, held and held.value)
end

-- The whole search, into `out`: `out.counts`, `out.result` and `out.judged` are of the series.
local function search(q, out)
  local result, judged = try(q, constant_of(q, q.max))
  out.found, out.confidence = judged.bad == 0, result.confidence
  out.constant = side(q, judged, q.max, q.max, usd_at(q, q.max))
  out.counts, out.result, out.judged = constant_of(q, q.max), result, judged
  if out.found then
    local counts = begin(q, result)
    raise(q, counts)
    lower(q, counts)
    -- What was chosen by its luck is held against other luck.
    out.result, out.judged = raise(q, counts, q.seed + 1, 2 * q.replications)
    out.counts = counts
    local flat = math.max(table.unpack(counts))
    local _, all = try(q, constant_of(q, flat), q.seed + 1)
    while all.bad > 0 and flat < q.max do
      flat = flat + 1
      _, all = try(q, constant_of(q, flat), q.seed + 1)
    end
    out.constant = side(q, all, flat, flat, usd_at(q, flat))
  end
  if q.rule then out.rule = judge_rule(q, out.scenario) end
end

-- What is known when the search was stopped: the best series that was seen.
local function settle_for(q, out, why)
  local kept = q.kept
  out.stopped, out.rule = why, nil
  if not kept then return end
  out.counts, out.result, out.judged = kept.counts, kept.result, kept.judged
end

local function series_of(q, out)
  local sum, usd, peak = 0, usd_at(q, 1) and 0, 0
  for i, count in ipairs(out.counts) do
    local seconds = math.min(q.step, q.duration - (i - 1) * q.step)
    sum, peak = sum + count * seconds, math.max(peak, count)
    usd = usd and usd + usd_at(q, count) * seconds
  end
  return side(q, out.judged, sum / q.duration, peak, usd and usd / q.duration)
end

--- Looks for the series.
---@param options { scenario: tandem.Scenario, step: number|nil, max: integer|nil,
---              replications: integer|nil, seed: integer|nil, threads: integer|nil,
---              time_limit: number|nil, tell: tandem.SearchTell|nil }
---@return tandem.Schedule
function schedule.of(options)
  local q = question(options)
  local found = { scenario = options.scenario, found = false }
  local ok, raised = pcall(search, q, found)
  if not ok and not (type(raised) == "table" and raised.stopped) then error(raised, 0) end
  if not ok then settle_for(q, found, raised.stopped) end
  local out = { name = options.scenario.name, step_s = q.step, limits = q.limits, steps = {},
    found = found.found, confidence = found.confidence, constant = found.constant,
    rule = found.rule, stopped = found.stopped, simulations = q.simulations,
    series = found.found and series_of(q, found) or nil }
  for i, item in ipairs(found.result and found.result.windows.items or {}) do
    out.steps[i] = { from_s = item.from_s, gpus = found.counts[i],
      offered_rps = item.offered_rps.value, worst = found.judged[i] }
  end
  return out
end

local function wanted(limits)
  local words = {}
  for i, limit in ipairs(limits) do
    words[i] = ("%s %s %s"):format(limit.metric, limit.least and "≥" or "≤",
      format.quantity(limit.limit, result_of.metric_kind(limit.metric)))
  end
  return format.list(words)
end

local function figure(one)
  if not one or not one.value then return "–" end
  local kind = one.metric == "lost" and "percent" or result_of.metric_kind(one.metric)
  return ("%s %s"):format(one.metric, format.estimate({ value = one.value, half = one.half }, kind))
end

local function cost(one) return one.usd and (", $%.2f"):format(one.usd) or "" end

local function compared(out, one, who)
  local ratio = one.gpu_hours / out.series.gpu_hours
  local kept = one.keeps and "keeps the objective" or
    ("does not surely keep it in %d of %d steps (%s)"):format(one.bad, #out.steps,
      figure(one.worst))
  return ("%s holds %s at the mean and %s at most: %.4g GPU-hours%s, %.2f× the series; it %s.")
    :format(who, format.quantity(one.mean, "count"), format.quantity(one.peak, "count"),
      one.gpu_hours, cost(one), ratio, kept)
end

--- The answer in words.
---@param out tandem.Schedule
---@param style tandem.Style
---@return string
function schedule.report(out, style)
  local styles = require "tandem.plot.style"
  local lines = { ("%s: GPUs over time for %s in each %s"):format(styles.clean(out.name),
    wanted(out.limits), format.time(out.step_s)), style:text(string.rep("─", style.width)) }
  local rows, clock = {}, require("tandem.report.windows").clock
  for i, step in ipairs(out.steps) do
    rows[i] = { clock(step.from_s, out.step_s), tostring(step.gpus),
      string.rep(style.unicode and "█" or "#", math.min(step.gpus, 32)),
      format.rate(step.offered_rps), figure(step.worst) }
  end
  for _, line in ipairs(require("tandem.text.columns").lines({ { title = "from" },
    { title = "GPUs", align = "right" }, { title = "" }, { title = "offered", align = "right" },
    { title = "tightest" } }, rows, { style = style })) do lines[#lines + 1] = line end
  lines[#lines + 1] = ""
  local said = {}
  if not out.constant then
    said[1] = "There is no answer: the search was stopped before the first simulation was done."
  elseif not out.found then
    said[1] = ("Even %s do not surely keep the objective in %d of %d steps (%s); --max allows "
      .. "more."):format(format.plural(math.tointeger(out.constant.peak), "GPU"),
      out.constant.bad, #out.steps, figure(out.constant.worst))
  else
    said[1] = ("The series holds %s at the mean and %d at most: %.4g GPU-hours%s; it %s."):format(
      format.quantity(out.series.mean, "count"), out.series.peak, out.series.gpu_hours,
      cost(out.series), out.series.keeps and ("keeps the objective in every step, each with %s "
        .. "confidence"):format(format.percent(out.confidence))
        or ("does not surely keep it in %d steps"):format(out.series.bad))
    said[2] = compared(out, out.constant, "A constant number")
    if out.rule then said[3] = compared(out, out.rule, "The scenario's rule") end
  end
  if out.stopped then
    said[#said + 1] = (out.stopped == "time" and "The time was up" or "Interrupted")
      .. (out.found and ": this is the best series so far, not the fewest for sure, nor held "
        .. "against other luck." or ".")
  end
  for _, line in ipairs(styles.wrap(format.bind(table.concat(said, " ")), style.width)) do
    lines[#lines + 1] = style:text(line)
  end
  lines[#lines + 1] = ""
  lines[#lines + 1] = format.plural(out.simulations, "simulation")
  return table.concat(lines, "\n")
end

--- The steps as CSV: when, how many, and the figure that is nearest to its limit.
---@param out tandem.Schedule
---@return string
function schedule.csv(out)
  local csv = require "tandem.io.csv"
  local rows = { csv.line { "from_s", "gpus", "offered_rps", "tightest", "value", "half",
    "keeps" } }
  for i, step in ipairs(out.steps) do
    local worst = step.worst or {}
    rows[i + 1] = csv.line({ step.from_s, step.gpus, step.offered_rps, worst.metric, worst.value,
      worst.half, worst.keeps }, 7)
  end
  return table.concat(rows, "\n") .. "\n"
end

--- The answer as JSON, schema tandem.schedule/1.
---@param out tandem.Schedule
---@return string
function schedule.json(out)
  local copy = {}
  for key, value in pairs(out) do copy[key] = value end
  copy.schema = "tandem.schedule/1"
  return require("tandem.io.json").encode(copy, { indent = 2, lists = { steps = true,
    limits = true } }) .. "\n"
end

return schedule
