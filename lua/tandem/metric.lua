--- What a metric's path is measured in and whether more of it is better, for tables and charts.
-- Owns the two judgements by name; figures themselves are result.lua's. Called by sweeps, plans and
-- what-ifs.
local format = require "tandem.format"

local metric = {}

local kinds = {
  { "^usd_per_hour$", "money" }, { "_rps$", "rate" }, { "^slo_met$", "percent" },
  { "^lost$", "percent" }, { "%.lost$", "percent" },
  { "%.slo_met$", "percent" }, { "slo%.met$", "percent" }, { "slo%.goodput$", "rate" },
  { "_per_s$", "rate" }, { "_per_s_gpu$", "rate" }, { "kv_mean$", "percent" },
  { "kv_peak$", "percent" }, { "^llm%..*%.cached$", "percent" },
  { "^llm%..*%.accepted$", "percent" }, { "^llm%..*%.step_s$", "time" },
  { "^llm%..*%.api$", "percent" },
  { "%.ttft", "time" }, { "%.tpot", "time" }, { "%.itl", "time" }, { "%.e2e", "time" },
  { "%.queueing", "time" }, { "%.normalized", "time" }, { "usd_per_hour$", "money" },
  { "usd_per_million_tokens$", "money" }, { "^llm%..*%.held%.", "percent" },
  { "utilization$", "percent" }, { "latency", "time" }, { "%.wait", "time" },
  { "%.service", "time" }, { "^slo%.", "time" }, { "%.slo%.", "time" },
}

local more_is_better = { "throughput_rps$", "goodput_rps$", "carried_rps$", "slo_met$",
  "slo%.met$", "slo%.goodput$", "tokens_per_s$", "tokens_per_s_gpu$" }

--- What it is measured in.
---@param path string
---@return tandem.QuantityKind
function metric.kind(path)
  for _, one in ipairs(kinds) do
    if path:find(one[1]) then return one[2] end
  end
  return "count"
end

--- Is more of it better? Nil where neither is (a load, a number of GPUs).
---@param path string
---@return boolean|nil
function metric.more_is_better(path)
  for _, pattern in ipairs(more_is_better) do
    if path:find(pattern) then return true end
  end
  local kind = metric.kind(path)
  if kind == "time" or kind == "money" or path == "watts" or path == "gpus" or path == "lost"
    or path:find "gpus_mean$" or path:find "gpu_seconds$" or path:find "%.restarts$" then
    return false
  end
  return nil
end

--- A short name for column titles: "latency.p99" → "p99".
---@param path string
---@return string
function metric.title(path)
  local names = { usd_per_hour = "$/h", throughput_rps = "throughput", goodput_rps = "goodput",
    offered_rps = "offered", gpus = "GPUs", slo_met = "in time", in_system = "in system",
    watts = "W" }
  return names[path] or path:match "^latency%.(.+)$" or path
end

--- The unit that an axis is drawn in.
---@param path string
---@return string
function metric.unit(path)
  if path:find "usd_per_million_tokens$" then return "$/M tokens" end
  local units = { time = "s", rate = "/s", percent = "fraction", money = "$/h" }
  return units[metric.kind(path)] or ""
end

--- A figure as people read it: an estimate with its interval, a text, yes or no.
---@param figure any
---@param path string
---@return string
function metric.show(figure, path)
  if figure == nil then return "–" end
  if type(figure) == "boolean" then return figure and "yes" or "no" end
  if type(figure) ~= "table" then return tostring(figure) end
  return format.estimate(figure, metric.kind(path))
end

return metric
