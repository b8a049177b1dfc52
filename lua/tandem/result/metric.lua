--- What is known of a figure by its path: what it is measured in, what it is called, whether more
-- of it is better.
-- Owns these judgements, for tables, charts and the store alike; the figures themselves are
-- result/init.lua's, and which paths a sweep may ask for is sweep/metrics.lua's.
local format = require "tandem.text.format"

local metric = {}

-- The last part of a path says what it is measured in; the first that matches counts.
local KINDS <const> = {
  { "usd_per_hour$", "money" }, { "usd_per_million_tokens$", "money" },
  { "_rps$", "rate" }, { "_per_s$", "rate" }, { "_per_s_gpu$", "rate" },
  { "slo%..*@.*%%$", "percent" }, { "slo%.goodput%f[@\0]", "rate" }, { "slo_met$", "percent" },
  { "slo%.met%f[@\0]", "percent" },
  { "^lost$", "percent" },
  { "%.lost$", "percent" }, { "utilization$", "percent" }, { "delayed$", "percent" },
  { "%.down$", "percent" }, { "^llm%..*kv_mean$", "percent" }, { "^llm%..*kv_peak$", "percent" },
  { "^llm%..*cached$", "percent" }, { "^llm%..*accepted$", "percent" },
  { "^llm%..*%.api$", "percent" }, { "^llm%..*held%.", "percent" },
  { "^llm%..*kv_tiers%..*%.requests$", "percent" },
  { "^ttft_", "time" }, { "^tpot_", "time" }, { "%.ttft", "time" }, { "%.tpot", "time" },
  { "%.itl", "time" }, { "%.e2e", "time" }, { "%.queueing", "time" }, { "%.normalized", "time" },
  { "latency", "time" }, { "%.wait%f[%W]", "time" }, { "%.service%f[%W]", "time" },
  { "max_wait$", "time" }, { "^slo%.", "time" }, { "%.slo%.", "time" }, { "_s$", "time" },
  { "%.bytes$", "bytes" },
}

local MORE_IS_BETTER <const> = { "throughput_rps$", "goodput_rps$", "carried_rps$",
  "finished_rps$", "slo_met$", "slo%.met%f[@\0]", "slo%.goodput%f[@\0]", "slo%..*@.*%%$",
  "tokens_per_s$", "tokens_per_s_gpu$",
  "^met$" }

local LESS_IS_BETTER <const> = { "^watts$", "^gpus$", "lost$", "gpus_mean$", "gpu_seconds$",
  "%.restarts$" }

local TITLES <const> = { ["latency.p999"] = "p99.9", throughput_rps = "throughput",
  offered_rps = "offered", goodput_rps = "goodput", carried_rps = "carried",
  ttft_p99 = "TTFT p99", tpot_p99 = "TPOT p99", output_tokens_per_s = "tokens/s",
  usd_per_million_tokens = "$/M tokens", usd_per_hour = "$/h", gpus = "GPUs", watts = "W",
  slo_met = "in time", utilization = "busy", in_system = "in system" }

local UNITS <const> = { time = "s", rate = "/s", percent = "fraction", money = "$/h", bytes = "B" }

local function is_one_of(path, patterns)
  for _, pattern in ipairs(patterns) do
    if path:find(pattern) then return true end
  end
  return false
end

--- What it is measured in.
---@param path string
---@return tandem.QuantityKind
function metric.kind(path)
  for _, one in ipairs(KINDS) do
    if path:find(one[1]) then return one[2] end
  end
  return "count"
end

--- Is more of it better? Nil where neither is (a load, a time that was simulated).
---@param path string
---@return boolean|nil
function metric.more_is_better(path)
  if is_one_of(path, MORE_IS_BETTER) then return true end
  if path == "duration_s" or path == "warmup_s" then return nil end
  local kind = metric.kind(path)
  if kind == "time" or kind == "money" or is_one_of(path, LESS_IS_BETTER) then return false end
  return nil
end

--- A short name for the titles of columns and axes: "latency.p99" → "p99".
---@param path string
---@return string
function metric.title(path)
  return TITLES[path] or path:match "^latency%.(.+)$" or path
end

--- The unit that an axis is drawn in.
---@param path string
---@return string
function metric.unit(path)
  if path:find "usd_per_million_tokens$" then return "$/M tokens" end
  return UNITS[metric.kind(path)] or ""
end

--- A figure as people read it: a number, an estimate with its interval, a text, yes or no.
---@param figure any
---@param path string
---@return string
function metric.show(figure, path)
  if figure == nil then return "–" end
  if type(figure) == "boolean" then return figure and "yes" or "no" end
  if type(figure) == "number" then figure = { value = figure } end
  if type(figure) ~= "table" then return tostring(figure) end
  return format.estimate(figure, metric.kind(path))
end

return metric
