--- What MLPerf's LoadGen logs: mlperf_log_summary.txt for people, mlperf_log_detail.txt in lines of
-- JSON behind ":::MLLOG".
--
-- Both hold sums alone: the load (Server: requests at random at a rate; SingleStream: one at a
-- time; Offline: all at once), times and rates of tokens, but not how long prompts are. Owns these
-- formats. Called by init.lua.

local cjson = require "cjson"
local sums = require "tandem.llm.read.sums"

-- ---- both as one table, by the keys of the detailed log

local PERCENTILE <const> = "^([%d.]+) percentile "

-- Lines of the summary that are others than `key : value`, by what they say.
local SAID <const> = {
  { "^Scenario$", "effective_scenario" }, { "^Mode$", "effective_test_mode" },
  { "^Result is$", "result_validity" },
  { "^Completed samples per second", "result_completed_samples_per_sec" },
  { "^Scheduled samples per second", "result_scheduled_samples_per_sec" },
  { "^Samples per second", "result_samples_per_second" },
  { "^Completed tokens per second", "result_completed_tokens_per_second" },
  { "^Tokens per second", "result_tokens_per_second" },
  { "^Mean latency", "result_mean_latency_ns" },
  { "^Mean First Token latency", "result_first_token_mean_latency_ns" },
  { "^Mean Time [tp][oe]r? Output Token", "result_time_to_output_token_mean" },
  { PERCENTILE .. "latency", "result_%s_percentile_latency_ns" },
  { PERCENTILE .. "first token latency", "result_first_token_%s_percentile_latency_ns" },
  { PERCENTILE .. "time to output token", "result_time_per_output_token_%s_percentile_ns" },
}

local function of_summary(lines)
  local out = {}
  for _, line in ipairs(lines) do
    local said, value = line:match "^%s*(.-)%s*:%s*(.-)%s*$"
    for _, one in ipairs(said and SAID or {}) do
      local found = said:match(one[1])
      if found then
        local key = one[2]:format(found)
        if out[key] == nil then out[key] = tonumber(value) or value end
        break
      end
    end
  end
  return out
end

local function of_detail(lines)
  local out = {}
  for _, line in ipairs(lines) do
    local object = line:match "^:::MLLOG%s+(%b{})"
    local ok, record = pcall(cjson.decode, object or "")
    if ok and type(record) == "table" and type(record.key) == "string" then
      out[record.key] = record.value
    end
  end
  return out
end

-- ---- a point

local LEVELS <const> = { ["50.00"] = "p50", ["90.00"] = "p90", ["95.00"] = "p95",
  ["99.00"] = "p99", ["99.90"] = "p999" }

local function number(value) return math.type(value) and value > 0 and value or nil end

local function times_of(told, mean, percentile)
  local out = { mean = number(told[mean]) }
  for said, name in pairs(LEVELS) do out[name] = number(told[percentile:format(said)]) end
  for name, ns in pairs(out) do out[name] = ns * 1e-9 end
  return next(out) and out or nil
end

local function load_of(told)
  local scenario = told.effective_scenario or told.requested_scenario
  local count = number(told.result_query_count) or number(told.effective_samples_per_query)
  if scenario == "Server" or scenario == "Interactive" then
    local rate = number(told.result_scheduled_samples_per_sec)
    return rate and { rate = rate, requests = number(told.result_query_count),
      served = number(told.result_completed_samples_per_sec) }
  elseif scenario == "SingleStream" then
    return { clients = 1, requests = count }
  elseif scenario == "Offline" and number(told.effective_samples_per_query) then
    local all = told.effective_samples_per_query
    return { clients = all, requests = all, served = number(told.result_samples_per_second) }
  end
end

local function read(told)
  local mode = told.effective_test_mode or told.requested_test_mode
  if type(mode) == "string" and mode:find "^Accuracy" then
    return nil, "is of a run for accuracy, whose times say nothing"
  end
  local load = load_of(told)
  if not load then
    return nil, ("is of the scenario %s without a load that is told; Server and SingleStream, and "
      .. "the detailed log of Offline, are operating points"):format(
      tostring(told.effective_scenario or told.requested_scenario or "?"))
  end
  load.tokens_s = number(told.result_completed_tokens_per_second)
    or number(told.result_tokens_per_second)
  local samples = load.served
  load.row, load.position = {}, 1
  load.output = samples and load.tokens_s and { mean = load.tokens_s / samples } or nil
  load.times = {
    ttft = times_of(told, "result_first_token_mean_latency_ns",
      "result_first_token_%s_percentile_latency_ns"),
    tpot = times_of(told, "result_time_to_output_token_mean",
      "result_time_per_output_token_%s_percentile_ns"),
    e2e = times_of(told, "result_mean_latency_ns", "result_%s_percentile_latency_ns") }
  local point, why = sums.point(load)
  if not point then return nil, "is of sums that " .. why end
  local notes = {}
  if told.result_validity == "INVALID" then
    notes[1] = "LoadGen calls the result INVALID" .. (type(told.result_invalid_reason) == "string"
      and (" (%s)"):format((told.result_invalid_reason:gsub("%s+", " "):gsub("^ ", "")
        :gsub(" $", ""))) or "")
  end
  return { kind = "points", points = { point }, notes = notes }
end

local LOOKED_AT <const> = 200 -- lines

local function has(pattern)
  return function(lines)
    for i = 1, LOOKED_AT do
      local line = lines[i]
      if not line then return false end
      if line:find(pattern) then return true end
    end
    return false
  end
end

return { { name = "MLPerf's mlperf_log_detail.txt", shape = "log", fields = {},
    knows = has '^:::MLLOG%s+{%s*"key"', read = function(lines) return read(of_detail(lines)) end },
  { name = "MLPerf's mlperf_log_summary.txt", shape = "log", fields = {},
    knows = has "^MLPerf Results Summary%s*$",
    read = function(lines) return read(of_summary(lines)) end } }
