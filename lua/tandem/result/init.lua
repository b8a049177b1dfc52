--- The result of a run, as scripts, the shell and the command line hold it.
--
-- Owns the methods of the engine's result table and nothing in it: the fields stay what the engine
-- wrote (est = { value, half }). Printing is report/, plotting is plot/. Made by scenario:run.
local columns = require "tandem.report.columns"
local objectives = require "tandem.language.objectives"
local unserved = require "tandem.result.unserved"
local nearest = require "tandem.text.nearest"

local result = {}

---@class tandem.LatencySummary
---@field mean tandem.Estimate
---@field p50 tandem.Estimate
---@field p90 tandem.Estimate
---@field p95 tandem.Estimate
---@field p99 tandem.Estimate
---@field p999 tandem.Estimate
---@field min number  seconds
---@field max number  seconds
---@field sd number   seconds

---@class tandem.SloVerdict
---@field class? string
---@field metric string      "p99", "mean", …
---@field limit number       seconds, or a fraction for a rate
---@field value tandem.Estimate
---@field met? boolean       nil when the interval contains the limit
---@field window_s? number    of an objective by window of time
---@field worst_s? number     when the worst of them begins
---@field of_limit? number    what each of them has to keep, where the figure is their share
---@field lost? number       of a time: the share of requests that were not served, and have none

---@class tandem.Result
---@field name string
---@field seed integer
---@field replications integer
---@field confidence number
---@field requests integer            measured, over all replications
---@field events integer
---@field duration_s number           mean observed window after warm-up
---@field warmup_s number
---@field warmup_requests integer
---@field warmup_unsettled? boolean   no steady state was found; the warm-up is a guess
---@field open? integer               requests still in the system at the end, over replications
---@field offered_rps tandem.Estimate
---@field carried_rps tandem.Estimate
---@field throughput_rps tandem.Estimate
---@field goodput_rps tandem.Estimate
---@field slo_met tandem.Estimate     fraction within the class's threshold
---@field latency tandem.LatencySummary
---@field classes table[]
---@field llm? table[]                of each LLM server, see tandem help llm
---@field stages table[]              in route order
---@field resources table[]
---@field in_system tandem.Estimate
---@field checks { little: number, conservation: boolean, ok: boolean }
---@field overload? { resource: string, load: number, reason: string, bound?: string }
---@field unsettled? { resource: string, load?: number, reason: string }  an LLM server of which
---                  the run is too short to tell whether it keeps up
---@field series? table
---@field histogram? { edges_s: number[], counts: number[] }
---@field requests_log? table[]
---@field recorded? table<string, { count: integer, sum: number, mean: number, min: number,
---                  max: number, values: number[] }>
---@field interrupted? boolean
local Result = {}

local metatable = { __index = Result, __name = "tandem.Result" }

-- The scenario a result came from; not a field, so that results hold data only.
local scenarios = setmetatable({}, { __mode = "k" })

-- A time that grows as long as an overload lasts meets no limit, however short the run was.
local function judge_overload(raw)
  for _, class in ipairs(raw.overload and raw.classes or {}) do
    for _, slo in ipairs(class.slo or {}) do
      if slo.met and not result.is_lower_limit(slo.metric) then slo.met = nil end
    end
  end
end

-- Times are of the requests that were served: an objective about one knows how many were not.
local function note_lost(raw)
  for _, class in ipairs(raw.classes or {}) do
    local share = unserved.share(raw, class.name)
    for _, slo in ipairs(share > 0 and class.slo or {}) do
      if not result.is_lower_limit(slo.metric) then slo.lost = share end
    end
  end
end

--- Makes a result of the engine's table. The table itself becomes the result.
---@param raw table
---@param scenario? tandem.Scenario  what was run; reports ask it what can be varied
---@return tandem.Result
function result.wrap(raw, scenario)
  judge_overload(raw)
  note_lost(raw)
  local wrapped = setmetatable(raw, metatable)
  scenarios[wrapped] = scenario
  return wrapped
end

--- Is this a result?
---@param value any
---@return boolean
function result.is(value)
  return getmetatable(value) == metatable
end

--- The scenario that was run, when it is still known.
---@return tandem.Scenario|nil
function Result:scenario()
  return scenarios[self]
end

--- Every service-level objective with its verdict, classes in order.
---@return tandem.SloVerdict[]
function Result:verdicts()
  local verdicts = {}
  for _, class in ipairs(self.classes) do
    for _, slo in ipairs(class.slo or {}) do
      verdicts[#verdicts + 1] = {
        class = class.name, metric = slo.metric, limit = slo.limit, value = slo.value,
        met = slo.met, lost = slo.lost, window_s = slo.window_s, worst_s = slo.worst_s,
        of_limit = slo.of_limit,
      }
    end
  end
  return verdicts
end

--- The answer to "does it meet its objectives?": false when one was missed, and where nobody was
--- served, whatever was asked. Where the interval
--- contains the limit the estimate itself decides (and the report says that it is undecided), but
--- for times under overload, which grow with the run.
---@return boolean
function Result:answer()
  if unserved.share(self) == 1 then return false end
  for _, verdict in ipairs(self:verdicts()) do
    if verdict.met == false then
      return false
    end
    local value = verdict.value and verdict.value.value
    local within = value and result.within(verdict.metric, value, verdict.limit)
      and not (self.overload and not result.is_lower_limit(verdict.metric))
    if verdict.met == nil and not within then
      return false
    end
  end
  return true
end

--- The resource that saturates first: its name, and how busy it was (its offered load under
--- overload). Nil when no resource is limited.
---@return string|nil name
---@return number|nil utilization  a share of its capacity
function Result:bottleneck()
  if self.overload then
    return self.overload.resource, self.overload.load
  end
  local name, most = nil, -1
  for _, resource in ipairs(self.resources) do
    local busy = resource.utilization and resource.utilization.value or 0
    if resource.servers < math.huge and busy > most then
      name, most = resource.name, busy
    end
  end
  return name, name and most
end

-- Paths that are answers rather than fields.
local ANSWERS = {
  bottleneck = function(self) return (self:bottleneck()) end,
  overload = function(self) return self.overload ~= nil end,
  unsettled = function(self) return self.unsettled ~= nil end,
  slo = function(self) return self:answer() end,
}

--- What every run knows of latency.
result.latency_fields = { mean = true, p50 = true, p90 = true, p95 = true, p99 = true, p999 = true,
  min = true, max = true, sd = true }

--- Where the path of a figure may begin.
---@return string[]
function result.roots()
  local names = nearest.sorted_keys(ANSWERS)
  for _, field in ipairs(require("tandem.report.schema").fields) do names[#names + 1] = field[1] end
  return names
end

local FREQUENT = { latency = true, stages = true, resources = true, classes = true }

--- May the path of a figure begin so?
---@param root string
---@return boolean
function result.has_root(root)
  if FREQUENT[root] or ANSWERS[root] then
    return true
  end
  for _, name in ipairs(result.roots()) do
    if name == root then
      return true
    end
  end
  return false
end

--- The item of a list whose name starts the path (names may hold dots), and the rest of the path.
local function named(list, path)
  for _, item in ipairs(list) do
    local name = type(item) == "table" and item.name
    if type(name) == "string" and path:sub(1, #name) == name then
      local after = path:sub(#name + 1, #name + 1)
      if after == "" or after == "." then
        return item, path:sub(#name + 2)
      end
    end
  end
end

-- Where names are numbers themselves (tenants), a number is a name and no position.
local function is_numbered(list)
  local first = list[1]
  return type(first) == "table" and type(first.name) == "string" and tonumber(first.name) ~= nil
end

--- What is at a dotted path: "latency.p99", "stages.compute.wait.mean",
--- "resources.L40 gpu.utilization", "bottleneck". Items of a list are reached by name or number.
--- Nil when there is nothing.
---@param path string
---@return any
function Result:find(path)
  if ANSWERS[path] then
    return ANSWERS[path](self)
  end
  local value, rest = self, path
  while rest ~= "" do
    if type(value) ~= "table" then
      return nil
    end
    local found, after = named(value, rest)
    if not found then
      local key
      key, after = rest:match("^([^.]*)%.?(.*)$")
      found = rawget(value, not is_numbered(value) and math.tointeger(tonumber(key)) or key)
    end
    value, rest = found, after
  end
  return value
end

--- The figure at a dotted path, as find, but an estimate stands for its value.
---@param path string
---@return any
function Result:get(path)
  local value = self:find(path)
  if type(value) == "table" and type(value.value) == "number" then
    return value.value
  end
  return value
end

--- Is a value on the right side of its limit? Latencies have an upper limit, rates a lower one.
---@param metric string
---@param value number
---@param limit number
---@return boolean
function result.within(metric, value, limit)
  if result.is_lower_limit(metric) then
    return value >= limit
  end
  return value <= limit
end

--- Is more of this metric better? So of goodput and of the fraction that met its deadline.
---@param metric string
---@return boolean
function result.is_lower_limit(metric)
  return result.metric_kind(metric) ~= "time"
end

--- What a metric of an objective is measured in.
---@param metric string
---@return tandem.QuantityKind
function result.metric_kind(metric)
  local of, _, share = objectives.parts(metric)
  metric = of
  if share or metric == "met" then
    return "percent"
  elseif metric == "goodput" then
    return "rate"
  end
  return "time"
end

---@class tandem.ReportOptions
---@field style? tandem.Style   where it is printed (default: the process's standard output)
---@field file? string          what the scenario is called in the commands we suggest
---@field settings? string[]    the --set values of this run
---@field trusted? boolean      it was loaded with all of Lua
---@field trace? string         the trace file that was written
---@field timeline? boolean     false leaves the picture over time out
---@field advice? boolean       false leaves out what to try next

--- The summary that `tandem run` prints.
---@param options? tandem.ReportOptions
---@return string
function Result:report(options)
  local stranger = nearest.stranger(options or {}, { "style", "file", "settings", "trusted",
    "trace", "timeline", "advice" })
  if stranger then error("report: " .. stranger, 2) end
  return require("tandem.report.text").report(self, options or {})
end

--- The result as JSON, schema tandem.result/1; ends with a line end.
---@return string
function Result:to_json()
  return require("tandem.report.schema").encode(self)
end

--- One part as an aligned table that prints itself: "stages", "resources", "classes", "latency",
--- "requests" or "llm".
---@param name? string  default: "stages"
---@return tandem.PrintableTable
function Result:table(name)
  return columns.of(self, name or "stages")
end

--- One part as a terminal plot that prints itself: "latency" (histogram), "cdf", "stages" (bars),
--- or "timeline" (the lanes over time).
---@param name? string  default: "latency"
---@param style? tandem.Style
---@return tandem.Plot
function Result:plot(name, style)
  return require("tandem.report.plots").of(self, name or "latency", style)
end

metatable.__tostring = function(self)
  return self:report()
end

return result
