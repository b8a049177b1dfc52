--- From a checked scenario to the model table the engine runs.
-- The order of everything in the table is fixed by the scenario's text, never by table order.
-- Pure data in, pure data out: src/bind/model reads what is returned here.

local arrivals = require "tandem.lower.arrivals"
local attributes = require "tandem.check.attributes"
local nearest = require "tandem.text.nearest"
local node = require "tandem.language.node"
local objectives = require "tandem.language.objectives"
local servers = require "tandem.lower.servers"
local stations = require "tandem.lower.stations"
local steps = require "tandem.lower.steps"

local lower = {}

-- How many requests arrive when nothing says when to stop.
local default_requests = 10000

-- Every attribute name that occurs in expressions, classes, traces and routers.
local function attribute_names(checked)
  local seen = {}
  for _, name in ipairs(checked.attr_reads or {}) do seen[name] = true end
  for _, class in ipairs(checked.resolved) do
    for name in pairs(class.attrs) do seen[name] = true end
    for name in pairs(class.arrivals.data and class.arrivals.data.attrs or {}) do
      seen[name] = true
    end
  end
  if checked.target and checked.target.key then seen[checked.target.key] = true end
  return (attributes.order(checked, nearest.sorted_keys(seen)))
end


-- The time that makes an answer count as good: the deadline, else the widest limit on a latency.
local function slo_seconds(slo)
  if not slo then return nil end
  if slo.deadline then return slo.deadline end
  local widest
  for _, metric in ipairs(nearest.sorted_keys(slo)) do
    if metric:find("^p%d") or metric == "max" or metric == "mean" then
      widest = math.max(widest or 0, slo[metric])
    end
  end
  return widest
end

-- The widest limit on one of the times of LLM stages: "ttft", "tpot".
local function llm_seconds(slo, time)
  local widest
  for metric, limit in pairs(slo or {}) do
    if metric:find("^" .. time .. "_") then widest = math.max(widest or 0, limit) end
  end
  return widest
end

-- A rate that moves is seen whole: how long that takes, in seconds; of one that comes again, as
-- often as brings the requests of a steady load. Nil where those see it all.
local function course_s(model)
  local longest, requests, again = 0, 0, true
  for _, class in ipairs(model.classes) do
    local a = class.arrivals
    if a.kind == "curve" then
      local length = a.period or a.points[#a.points - 1] - a.points[1]
      longest, again = math.max(longest, a.period or a.points[#a.points - 1]), again and a.period
      requests = requests + length * node.types.curve.expects(a).rps
    end
  end
  if longest == 0 or not (requests > 0) then return nil end
  if again then return longest * math.max(1, math.ceil(default_requests / requests)) end
  return requests > default_requests and longest or nil
end

-- When arrivals stop: the scenario's own word wins over what each workload says.
local function set_extent(model, checked)
  if checked.duration or checked.requests then
    model.duration, model.requests = checked.duration, checked.requests
    return
  end
  local endless = false
  for i, class in ipairs(checked.resolved) do
    local a, lowered = class.arrivals, model.classes[i].arrivals
    if #checked.resolved == 1 then
      model.duration, model.requests = a.duration, a.requests
    else
      lowered.duration, lowered.requests = a.duration, a.requests
    end
    if not (a.duration or a.requests) and lowered.kind ~= "list" then endless = true end
  end
  if endless then
    model.duration = course_s(model)
    model.requests = not model.duration and default_requests or nil
  end
end

local function hooks_of(checked)
  local on = checked.on
  if not on and not checked.admit then return nil end
  on = on or {}
  return { arrival = on.arrival, start = on.start, complete = on.complete, drop = on.drop,
    tick = on.tick, tick_s = on.tick and (on.every or 1.0) or nil, admit = checked.admit }
end

--- Lower a checked scenario.
---@param checked table what rules.check returned
---@return table model see the model table in src/README.md
function lower.model(checked)
  local model = { name = checked.name, attrs = attribute_names(checked), gpus = {}, stations = {},
    links = {}, memories = {}, groups = {}, classes = {}, hooks = hooks_of(checked) }
  local ctx = { model = model, checked = checked, station = {}, memory = {}, links = {},
    shares = {}, splits = {} }
  stations.build(ctx)
  servers.build(ctx)
  for i, class in ipairs(checked.resolved) do
    model.classes[i] = {
      name = class.name, arrivals = arrivals.lower(class.arrivals), attrs = class.attrs,
      priority = class.priority or 0, patience = stations.as_dist(class.patience),
      timeout = stations.as_dist(class.timeout), retry = class.retry,
      slo_s = slo_seconds(class.slo), slo = objectives.of(class.slo),
      ttft_s = llm_seconds(class.slo, "ttft"), tpot_s = llm_seconds(class.slo, "tpot"),
      route = steps.route(ctx, class.pipeline),
    }
    local within = class.slo and class.slo.within
    model.window = model.window or within and within.windows
  end
  local all = {}
  for i, class in ipairs(model.classes) do all[i] = class.arrivals end
  arrivals.align(checked.resolved, all)
  set_extent(model, checked)
  return model
end

return lower
