--- Metrics: what is known of a figure by its path: unit, title, which way is better, whether it is.
-- Owns no figures: job.figure finds them. Called by sweep/study (unknown metrics), sweep/table and
-- its printing.
local format = require "tandem.format"
local job = require "tandem.sweep.job"
local nearest = require "tandem.nearest"

local metrics = {}

-- The last part of a path says what it is measured in; the first that matches counts.
local KINDS = {
  { "^ttft_", "time" }, { "^tpot_", "time" },
  { "_per_s$", "rate" }, { "_per_s_gpu$", "rate" }, { "^llm%..*kv_%l+$", "percent" },
  { "^llm%..*cached$", "percent" }, { "^llm%..*held%.", "percent" },
  { "%.normalized%.", "time" }, { "usd_per_million_tokens$", "money" },
  { "%.ttft%.", "time" }, { "%.tpot%.", "time" },
  { "%.itl%.", "time" }, { "%.e2e%.", "time" }, { "%.queueing%.", "time" },
  { "^latency%.", "time" }, { "%.latency%.", "time" }, { "slo%.goodput$", "rate" },
  { "slo%.met$", "percent" }, { "slo%.", "time" }, { "%.wait%.", "time" },
  { "%.service%.", "time" }, { "max_wait$", "time" }, { "_rps$", "rate" },
  { "^lost$", "percent" }, { "%.lost$", "percent" }, { "slo_met$", "percent" },
  { "utilization$", "percent" }, { "delayed$", "percent" },
  { "%.down$", "percent" }, { "usd_per_hour$", "money" }, { "_s$", "time" },
  { "%.bytes$", "bytes" },
}

--- What a metric is measured in.
---@param path string
---@return tandem.QuantityKind
function metrics.kind(path)
  for _, one in ipairs(KINDS) do
    if path:find(one[1]) then return one[2] end
  end
  return "count"
end

local TITLES = { ["latency.p999"] = "p99.9", throughput_rps = "throughput", offered_rps = "offered",
  goodput_rps = "goodput", ttft_p99 = "TTFT p99", tpot_p99 = "TPOT p99",
  output_tokens_per_s = "tokens/s", usd_per_million_tokens = "$/M tokens",
  slo_met = "in time", usd_per_hour = "$/h", watts = "W",
  utilization = "busy", in_system = "in system", carried_rps = "carried" }

--- A short name for a column.
---@param path string
---@return string
function metrics.title(path)
  return TITLES[path] or path:match "^latency%.(.*)$" or path
end

--- Is more of it better? Of rates, of what met its deadline; not of latencies, money or load.
---@param path string
---@return boolean
function metrics.more_is_better(path)
  local kind = metrics.kind(path)
  return kind == "rate" or path == "met" or path == "slo" or path:find "slo_met$" ~= nil
    or path:find "slo%.met$" ~= nil
end

--- A value for people; with its interval when there is one.
---@param path string
---@param value any
---@param half number|nil
---@return string
function metrics.show(path, value, half)
  if type(value) == "number" then
    return format.estimate({ value = value, half = half }, metrics.kind(path))
  elseif type(value) == "boolean" then
    return value and "yes" or "no"
  end
  return value == nil and "–" or tostring(value)
end

-- Every path of a result that has a figure.
local function paths_of(result, path, out, depth)
  for _, key in ipairs(nearest.sorted_keys(result)) do
    local v = rawget(result, key)
    local label = type(key) == "number" and type(v) == "table" and rawget(v, "name") or key
    local here = path == "" and tostring(label) or path .. "." .. tostring(label)
    if type(v) == "table" and type(v.value) ~= "number" then
      if depth < 5 and label ~= "series" and label ~= "histogram" then
        paths_of(v, here, out, depth + 1)
      end
    elseif key ~= "name" and type(key) == "string" then
      out[#out + 1] = here
    end
  end
  return out
end

-- A short run tells which paths there are; nil where it cannot be run.
local function probe(scenario)
  local short = scenario:try_with { requests = 200 } or scenario
  local ok, result = pcall(short.run, short, { replications = 1, threads = 1, brief = true })
  return ok and result or nil
end

local usual = {}
for _, path in ipairs(job.metrics) do usual[path] = true end

--- Is each metric one that some point of the sweep can have?
---@param wanted string[]
---@param scenarios fun(): tandem.Scenario|nil  the base, then variants of it
---@return string|nil message
function metrics.check(wanted, scenarios)
  local open, seen = {}, {}
  for _, path in ipairs(wanted) do
    if type(path) ~= "string" then
      return ("metrics wants paths such as \"latency.p99\", not %s"):format(tostring(path))
    elseif seen[path] then
      return ("the metric %s stands there twice"):format(path)
    end
    seen[path] = true
    if not usual[path] then open[#open + 1] = path end
  end
  local known
  for scenario in scenarios do
    if #open == 0 then return nil end
    local result = probe(scenario)
    if result then
      known = known or paths_of(result, "", {}, 0)
      local left = {}
      for _, path in ipairs(open) do
        if job.figure(result, path, scenario) == nil then left[#left + 1] = path end
      end
      open = left
    end
  end
  if #open == 0 or not known then return nil end
  table.move(job.metrics, 1, #job.metrics, #known + 1, known)
  -- "p99" is what people call latency.p99.
  local path = open[1]
  if usual["latency." .. path] then
    return ("there is no metric '%s'; did you mean 'latency.%s'?"):format(path, path)
  end
  local near = nearest.word(path, known)
  return ("there is no metric '%s'; %s"):format(path, near and ("did you mean '%s'?"):format(near)
    or "the usual ones are " .. table.concat(job.metrics, ", "))
end

return metrics
