--- The limits of a plan: objectives of classes, and figures at other paths of a result.
--
-- Owns how limits are written (units!), where their values are found in a result, and what they are
-- called. Whether they are met, verdict.lua says.
local job = require "tandem.sweep.job"
local unserved = require "tandem.result.unserved"
local metrics = require "tandem.result.metric"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local objectives = require "tandem.language.objectives"
local result = require "tandem.result"
local units = require "tandem.units"

local limits = {}

local function fail(...) error({ plan = (...):format(select(2, ...)) }, 0) end

local METRICS = { "p50", "p90", "p95", "p99", "p99.9", "mean", "max", "deadline", "goodput", "met",
  "ttft_p99", "tpot_p99", "itl_p99", "e2e_p99", "queueing_p99" }

-- Times of LLM stages too: "ttft_p99".
local function is_time(metric)
  local time, rest = metric:match "^(%l%w*)_(.+)$"
  local plain = require("tandem.check.scenario").llm_times[time] and rest or metric
  return plain == "mean" or plain == "max" or plain == "deadline" and plain == metric
    or plain:find "^p%d+%.?%d*$" ~= nil
end

-- One objective as written; times need a unit, since a bare number of one's own is milliseconds
-- to one reader and seconds to the next.
local function check_objective(metric, value, where)
  if type(metric) ~= "string" or not is_time(metric) and metric ~= "goodput"
    and metric ~= "met" then
    fail("%s: unknown metric '%s'; %s", where, tostring(metric),
      nearest.hint(tostring(metric), METRICS))
  end
  if not is_time(metric) then return end
  local parsed, dim = units.parse(value)
  if parsed and dim == "1" then
    fail("%s: %s = %s has no unit; write %s = \"%gms\" or \"%gs\"", where, metric,
      tostring(value), metric, parsed, parsed)
  end
  local seconds, wrong = units.as(value, "s")
  if not seconds then fail("%s: %s: %s", where, metric, wrong) end
  if seconds <= 0 then fail("%s: %s = \"%s\" must be more than 0", where, metric, value) end
end

-- What objectives have to hold in: text "1h" or "99% of 5min", or a table as in the scenario.
local function within_of(value)
  if type(value) ~= "string" then return node.copy(value) end
  local share, windows = value:match "^%s*([%d.]+%s*%%)%s+of%s+(.-)%s*$"
  if not share then windows, share = value:match "^%s*([^:]-)%s*:%s*(.-)%s*$" end
  return { windows = windows or value, share = share }
end

local function class_names(scenario)
  local names = {}
  for i, class in ipairs(scenario.checked.resolved) do names[i] = class.name end
  return names
end

-- Do objectives count who is in time, without saying within which time? LLM servers' times say it.
local function wants_deadline(slo)
  if slo.met == nil and slo.goodput == nil then return false end
  for metric in pairs(slo) do
    if metric ~= "within" and is_time(metric) then return false end
  end
  return true
end

-- Those objectives keep the time within which the scenario itself counts answers as good.
local function keep_deadline(slo, class)
  if slo and class.slo_s and wants_deadline(slo) then
    slo.deadline = ("%.17gs"):format(class.slo_s)
  end
end

--- Puts objectives into a raw scenario, in place of its own: { p99 = "250ms" } for every class,
--- { chat = { p99 = "1s" } } for one.
---@param raw table  changed
---@param scenario tandem.Scenario
---@param slo table|nil
function limits.put(raw, scenario, slo)
  if slo == nil then return end
  if type(slo) ~= "table" or getmetatable(slo) ~= nil then
    fail("slo: wants a table, slo = { p99 = \"250ms\" }")
  end
  local all, by_class, names = {}, {}, class_names(scenario)
  local known = {}
  for _, name in ipairs(names) do known[name] = true end
  for _, key in ipairs(nearest.sorted_keys(slo)) do
    local value = slo[key]
    if key == "within" then
      all.within = within_of(value)
    elseif type(value) == "table" then
      if not known[key] then
        fail("slo: no class is called '%s'; %s", tostring(key), nearest.hint(tostring(key), names))
      end
      by_class[key] = node.copy(value)
      for _, metric in ipairs(nearest.sorted_keys(value)) do
        if metric == "within" then
          by_class[key].within = within_of(value.within)
        else
          check_objective(metric, value[metric], "slo." .. key)
        end
      end
    else
      check_objective(key, value, "slo")
      all[key] = value
    end
  end
  local classes = scenario:model().classes
  for i, name in ipairs(names) do
    local class = classes[i]
    if not by_class[name] and #names > 1 and wants_deadline(all) then
      by_class[name] = node.copy(all) -- each class has a deadline of its own
    end
    keep_deadline(by_class[name], class)
    if #names == 1 then keep_deadline(all, class) end
  end
  raw.slo = next(all) ~= nil and all or nil
  for i, class in ipairs(raw.classes or {}) do
    class.slo = by_class[class.name or ("class%d"):format(i)]
  end
  if not raw.classes and next(by_class) ~= nil then
    raw.classes = {}
    for i, name in ipairs(names) do raw.classes[i] = { name = name, slo = by_class[name] } end
  end
end

local function quantile_of(metric)
  local digits = metric:match "^p(%d+%.?%d*)$" or metric:match "_p(%d+%.?%d*)$"
  if not digits then return nil end
  local percent = tonumber(digits)
  if percent >= 100 then percent = tonumber(digits:sub(1, 2) .. "." .. digits:sub(3)) end
  return percent / 100
end

-- Names of resources and fields that a limit may be about.
local function known_paths(sample)
  local paths = {}
  for _, path in ipairs(job.metrics) do paths[#paths + 1] = path end
  for _, resource in ipairs(sample.resources) do
    paths[#paths + 1] = ("resources.%s.utilization"):format(resource.name)
  end
  for _, stage in ipairs(sample.stages) do
    paths[#paths + 1] = ("stages.%s.wait.mean"):format(stage.name)
  end
  return paths
end

-- "L40 gpu" of "resources.L40 gpu.utilization", split into GPU, role and field.
local function of_gpu(path)
  return path:match "^resources%.(.-) ?(%w+)%.(.+)$"
end

local function exists(base, sample, path)
  local figure = job.figure(sample, path, base)
  if type(figure) == "table" and type(figure.value) == "number" then return true end
  local _, role, field = of_gpu(path)
  if role ~= "gpu" and role ~= "h2d" and role ~= "d2h" then return false end
  for _, resource in ipairs(sample.resources) do
    if resource.name:find(" " .. role .. "$") and job.figure(sample,
      ("resources.%s.%s"):format(resource.name, field), base) then
      return true
    end
  end
  return false
end

local function add_paths(out, base, wanted)
  if type(wanted) ~= "table" then
    fail("limits: wants a table, { [\"resources.L40 gpu.utilization\"] = { max = 0.8 } }")
  end
  local sample
  for _, path in ipairs(nearest.sorted_keys(wanted)) do
    local value = wanted[path]
    if not sample then
      local varied = base:try_with { requests = 200 } or base
      sample = varied:run { replications = 1, seed = 1, threads = 1 }
    end
    if type(path) ~= "string" or sample and not exists(base, sample, path) then
      fail("limits: no result has '%s'; %s", tostring(path),
        nearest.hint(tostring(path), known_paths(sample)))
    end
    if type(value) ~= "table" or value.max == nil and value.min == nil then
      fail("limits: %s wants { max = … } or { min = … }", path)
    end
    for _, side in ipairs { "max", "min" } do
      if value[side] ~= nil then
        local bound = units.parse(value[side])
        if not bound then
          fail("limits: %s: '%s' is not a quantity", path, tostring(value[side]))
        end
        if metrics.kind(path) == "percent" and (bound < 0 or bound > 1) then
          fail("limits: %s: '%s' is no share; it is from 0%% to 100%%", path, tostring(value[side]))
        end
        out[#out + 1] = { key = side .. " " .. path, path = path, label = path, limit = bound,
          least = side == "min", kind = metrics.kind(path) }
      end
    end
  end
end

--- All limits of a base scenario: objectives of its classes, then those at paths.
---@param base tandem.Scenario
---@param wanted table|nil
---@return tandem.PlanLimit[]
function limits.of(base, wanted)
  local out, several = {}, #base.checked.resolved > 1
  for _, class in ipairs(base.checked.resolved) do
    for _, one in ipairs(objectives.of(class.slo)) do
      local path = ("classes.%s.slo.%s"):format(class.name, one.metric)
      local words = one.window and objectives.words(one.metric, ("%s %s"):format(
        result.is_lower_limit(one.of) and "≥" or "≤", require("tandem.text.format").quantity(
          one.of_limit, result.metric_kind(one.of)))) or one.metric
      out[#out + 1] = { key = path, path = path,
        label = several and class.name .. " " .. words or words, metric = one.metric,
        class = class.name, quantile = quantile_of(one.of or one.metric), limit = one.limit,
        window = one.window, least = result.is_lower_limit(one.metric),
        kind = result.metric_kind(one.metric), deadline = class.slo.deadline }
    end
  end
  if wanted ~= nil then add_paths(out, base, wanted) end
  if #out == 0 then
    fail("slo: nothing has to hold; say what must, such as slo = { p99 = \"250ms\" } (--slo "
      .. "p99=250ms)")
  end
  return out
end

-- What speaks of lost requests itself: shares and rates of arrivals that were served in time, and
-- any limit on the share that is lost.
local function speaks_of_lost(limit)
  local of = limit.metric and objectives.parts(limit.metric)
  return of == "met" or of == "goodput"
    or limit.path == "lost" or limit.path:find "^classes%..+%.lost$" ~= nil
end

--- Limits on lost requests where none is asked for. Latencies are of the requests that are served,
-- so that without them a plan would be met by turning nearly everybody away. No more may be lost
-- than the finest percentile leaves out, and never more than unserved.LITTLE. A class whose
-- objectives speak of it themselves (met, goodput) has none, and nobody has where --limit lost=…
-- does.
---@param base tandem.Scenario
---@param all tandem.PlanLimit[]  added to
function limits.imply(base, all)
  local classes, several = {}, #base.checked.resolved > 1
  for _, class in ipairs(base.checked.resolved) do classes[class.name] = unserved.LITTLE end
  local timed = {}
  for _, limit in ipairs(all) do
    if speaks_of_lost(limit) then
      if not limit.class then return end
      classes[limit.class] = nil
    elseif (limit.kind == "time" or limit.window) and limit.class then
      timed[limit.class] = true
      if classes[limit.class] and limit.quantile then
        classes[limit.class] = math.min(classes[limit.class],
          tonumber(("%.6g"):format(1 - limit.quantile)))
      end
    end
  end
  for _, class in ipairs(base.checked.resolved) do
    local most = timed[class.name] and classes[class.name]
    if most and most > 0 then
      local path = ("classes.%s.lost"):format(class.name)
      all[#all + 1] = { key = path, path = path, class = class.name,
        label = several and class.name .. " lost" or "lost", limit = most, least = false,
        kind = "percent", lost = true, implied = true }
    end
  end
end

--- Where the objectives count who is in time and nothing says within which time.
---@param base tandem.Scenario
---@param all tandem.PlanLimit[]
---@return string[] sentences
function limits.cautions(base, all)
  local out, classes = {}, {}
  for i, class in ipairs(base:model().classes) do
    classes[base.checked.resolved[i].name] = class
  end
  for _, limit in ipairs(all) do
    local of = limit.metric and objectives.parts(limit.metric)
    local class = classes[limit.class] or {}
    if (of == "met" or of == "goodput") and not (class.slo_s or class.ttft_s or class.tpot_s) then
      out[#out + 1] = ("%s counts whoever is served, however late, for want of a deadline: --slo "
        .. "deadline=500ms %s=… gives one."):format(limit.label, of)
    end
  end
  return out
end

--- The limits that somebody asked for.
---@param all tandem.PlanLimit[]
---@return tandem.PlanLimit[]
function limits.asked(all)
  local out = {}
  for _, limit in ipairs(all) do
    if not limit.implied then out[#out + 1] = limit end
  end
  return out
end

--- The figures that people want to hear of: nobody asked for one of lost requests where there are
--- none.
---@param figures tandem.PlanFigure[]
---@return tandem.PlanFigure[]
function limits.told(figures)
  local out = {}
  for _, figure in ipairs(figures) do
    if not figure.implied or figure.value > 0 then out[#out + 1] = figure end
  end
  return out
end

--- The result paths of a limit for given names of GPUs: what is said of one GPU holds for all of
--- them, whatever their kind.
---@param limit tandem.PlanLimit
---@param names string[]  "L40#1", …
---@return string[]
function limits.paths(limit, names)
  local _, role, field = of_gpu(limit.path)
  if limit.metric or role ~= "gpu" and role ~= "h2d" and role ~= "d2h" then
    return { limit.path }
  end
  local out = {}
  for i, name in ipairs(names) do out[i] = ("resources.%s %s.%s"):format(name, role, field) end
  return #out > 0 and out or { limit.path }
end

--- In words: "p99 ≤ 250 ms".
---@param limit tandem.PlanLimit|tandem.PlanFigure
---@return string
function limits.words(limit)
  return ("%s %s %s"):format(limit.label, limit.least and "≥" or "≤",
    require("tandem.text.format").quantity(limit.limit, limit.kind))
end

return limits
