--- One simulation of a sweep, a plan or a search, from plain data to plain data.
-- Owns what a job and its answer are, and the figures of a scenario that are no figures of a run
-- (GPUs, dollars, watts). Runs in whatever state has the work: ours, a thread's, another machine's;
-- hence no clock, no threads, no printing. Called by sweep/crew.
local bill = require "tandem.scenario.bill"
local core = require "tandem.core"
local unserved = require "tandem.result.unserved"
local node = require "tandem.language.node"
local shortage = require "tandem.text.shortage"

local job = {}

---@class tandem.Job
---@field base integer             which of the crew's scenarios, from 1
---@field set table<string, any>   for scenario:with; { ["$"] = k } is the crew's k-th value,
---                                { ["#"] = … } one as data
---@field seed integer
---@field replications integer
---@field first integer|nil        number of the first replication (default: 0)
---@field metrics string[]|nil     default: job.metrics
---@field values boolean|nil       also one value a replication
---@field confidence number|nil
---@field doubt boolean|nil        also what the step models of LLM servers leave open
---@field told boolean|nil         says how far it is, where somebody asks (Crew:progress)
---@field threads integer|nil      that it may use (default: 1); changes no figure

---@class tandem.JobFigure
---@field value number
---@field half number|nil
---@field model { low: number, high: number|nil }|nil  what the model leaves open, where asked
---@field needs { requests: number, by: "length"|"requests"|"replications" }|nil  for an interval
---@field met boolean|nil  of an objective that is surely met or missed
---@field beyond { value: number, low: number, high: number }|nil  share of times beyond its limit
---@field tail number[]|nil  share, time that it is beyond, share, …

---@class tandem.Answer
---@field ok boolean
---@field message string|nil       why not, in one line
---@field interrupted boolean|nil
---@field metrics table<string, tandem.JobFigure|string|boolean>
---@field values table<string, number[]>|nil

--- What is kept of every point by default.
---@type string[]
job.metrics = {
  "offered_rps", "throughput_rps", "goodput_rps", "slo_met", "latency.mean", "latency.p50",
  "latency.p90", "latency.p95", "latency.p99", "latency.p999", "in_system", "utilization",
  "bottleneck", "overload", "met", "unsure", "lost", "gpus", "usd_per_hour", "watts", "requests",
}

-- Of the first LLM server, under names of their own: sweeps show them unasked.
local of_llm = {
  ttft_p99 = function(server) return server.ttft.p99 end,
  tpot_p99 = function(server) return server.tpot.p99 end,
  output_tokens_per_s = function(server) return server.output_tokens_per_s end,
  usd_per_million_tokens = function(server) return server.usd_per_million_tokens end,
}

local with_llm = table.move(job.metrics, 1, #job.metrics, 1, {})
table.move({ "ttft_p99", "tpot_p99", "output_tokens_per_s", "usd_per_million_tokens",
  "unsettled" }, 1, 5, #with_llm + 1, with_llm)

--- What is kept of the points of a scenario by default.
---@param scenario tandem.Scenario
---@return string[]
function job.usual(scenario)
  local ok, model = shortage.attempt(scenario.model, scenario)
  return ok and #(model.servers or {}) > 0 and with_llm or job.metrics
end

--- Is this list what is kept by default?
---@param list string[]
---@return boolean
function job.is_usual(list) return list == job.metrics or list == with_llm end

-- Figures that are computed, not found in the result.
local computed = {
  utilization = function(result)
    local _, busy = result:bottleneck()
    return busy and { value = busy } or nil
  end,
  overload = function(result) return result.overload ~= nil end,
  unsettled = function(result) return result.unsettled ~= nil end,
  met = function(result)
    if #result:verdicts() == 0 then return nil end
    return result:answer()
  end,
  unsure = function(result)
    local sure = #result:verdicts() > 0
    if not sure then return nil end
    for _, verdict in ipairs(result:verdicts()) do
      if verdict.met == false then return false end -- one that is missed decides
      sure = sure and verdict.met ~= nil
    end
    return not sure
  end,
  lost = function(result) return unserved.figure(result) end,
  requests = function(result) return { value = result.requests } end,
  gpus = function(_, scenario) return { value = bill.of(scenario).gpus } end,
  usd_per_hour = function(result, scenario) return bill.held(result, scenario) end,
  watts = function(_, scenario)
    local watts = bill.of(scenario).watts
    return watts and { value = watts } or nil
  end,
}

for name, of in pairs(of_llm) do
  computed[name] = function(result) return result.llm and of(result.llm[1]) or nil end
end

-- An objective of a class under its metric's name: "classes.chat.slo.p99"; what it lost.
local function objective(result, path)
  local losing = path:match "^classes%.(.+)%.lost$"
  if losing then return unserved.figure(result, losing) end
  local class, metric = path:match "^classes%.(.+)%.slo%.(.+)$"
  if not class then
    class, metric = nil, path:match "^slo%.(.+)$"
  end
  if not metric then return nil end
  for i, one in ipairs(result.classes) do
    if one.name == class or not class and i == 1 then
      for _, slo in ipairs(one.slo or {}) do
        if slo.metric == metric then return slo.value, slo.met, slo end
      end
    end
  end
end

--- The figure at a path of a result: an estimate, a text, a boolean; nil when there is none.
---@param result tandem.Result
---@param path string
---@param scenario tandem.Scenario
---@return any figure
---@return boolean|nil met  of an objective that is surely met or missed
---@return table|nil slo    the objective
function job.figure(result, path, scenario)
  if computed[path] then return computed[path](result, scenario) end
  local found, met, slo = objective(result, path)
  if found == nil then found = result:find(path) end
  if type(found) == "number" then return { value = found } end
  if type(found) == "table" and found.value == nil then return nil end
  return found, met, slo
end

--- Was memory short for it? Then it says nothing of its scenario.
---@param answer tandem.Answer
---@return boolean
function job.starved(answer)
  return not answer.ok and shortage.is(answer.message)
end

local function one_line(problem)
  return (tostring(problem):gsub("%s*\n%s*", "; "))
end

-- A distribution or a GPU that came as data.
local function revived(value)
  if type(value) ~= "table" then return value end
  for k, v in pairs(value) do value[k] = revived(v) end
  return value.type and node.adopt(value) or value
end

local function changes_of(set, values)
  local changes = {}
  for path, value in pairs(set) do
    if type(value) == "table" and value["$"] then value = values[value["$"]]
    elseif type(value) == "table" and value["#"] then value = revived(value["#"]) end
    changes[path] = value
  end
  return changes
end

local function simulate(scenario, one)
  local ok, result, message, code = pcall(scenario.run, scenario, {
    seed = one.seed, replications = one.replications, first = one.first or 0,
    threads = one.threads or 1, progress = one.told and core.crew_share or nil,
    values = one.values, confidence = one.confidence, brief = true, doubt = one.doubt,
    precision = false })
  if not ok then return nil, one_line(result) end
  if not result then return nil, one_line(message), code == 130 end
  return result
end

--- Runs a job. Never raises: what fails is told in the answer.
---@param scenarios tandem.Scenario[]
---@param values any[]|nil
---@param one tandem.Job
---@return tandem.Answer
function job.run(scenarios, values, one)
  local scenario = scenarios[one.base]
  if next(one.set or {}) ~= nil then
    local ok, varied = pcall(scenario.with, scenario, changes_of(one.set, values or {}))
    if not ok then return { ok = false, message = one_line(varied), metrics = {} } end
    scenario = varied
  end
  local result, message, interrupted = simulate(scenario, one)
  if not result then
    return { ok = false, message = message, interrupted = interrupted or nil, metrics = {} }
  end
  local answer = { ok = true, interrupted = result.interrupted, metrics = {},
    values = one.values and {} or nil }
  for _, path in ipairs(one.metrics or job.metrics) do
    local figure, met, slo = job.figure(result, path, scenario)
    if type(figure) == "table" then
      answer.metrics[path] = { value = figure.value, half = figure.half, needs = figure.needs,
        model = figure.model, met = met, beyond = slo and slo.beyond, tail = slo and slo.tail }
      if answer.values then answer.values[path] = figure.values end
    else
      answer.metrics[path] = figure
    end
  end
  return answer
end

return job
