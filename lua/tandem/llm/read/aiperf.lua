--- What NVIDIA's AIPerf (profile_export.jsonl, a record a request; profile_export_aiperf.json,
-- their sums) and its forerunner GenAI-Perf (profile_export.json, times of all answers) write.
--
-- GenAI-Perf's file has no token counts but those that servers report in their last answer (usage).
-- Owns these formats. Called by init.lua.

local format = require "tandem.text.format"
local sums = require "tandem.llm.read.sums"

local SECONDS <const> = { ns = 1e-9, us = 1e-6, ms = 1e-3, s = 1, sec = 1, seconds = 1 }

local function value_of(metric)
  if type(metric) ~= "table" or type(metric.value) ~= "number" then return nil end
  return metric.value, metric.unit
end

local function seconds(metric)
  local value, unit = value_of(metric)
  return value and value * (SECONDS[unit] or 1e-3)
end

local function left_out(count)
  return count > 0 and { ("%s failed or had no answer, left out of the load too"):format(
    format.plural(count, "request")) } or {}
end

-- Until late 2025 the first token's time was "ttft", and records began at `timestamp_ns`.
local function record_of(record, at_s, position)
  local meta, metrics = record.metadata, record.metrics
  if type(meta) ~= "table" or type(metrics) ~= "table" or meta.was_cancelled == true
    or type(record.error) == "table" then
    return nil
  end
  local prompt, output = value_of(metrics.input_sequence_length),
    value_of(metrics.output_sequence_length)
  local ttft, e2e = seconds(metrics.time_to_first_token or metrics.ttft),
    seconds(metrics.request_latency)
  if not (prompt and output and ttft and ttft > 0 and e2e) then return nil end
  if prompt < 1 or output < 1 then return nil end
  return { at_s = at_s, prompt = math.floor(prompt), output = math.floor(output),
    ttft_s = ttft, e2e_s = math.max(e2e, ttft), position = position }
end

-- Nanoseconds since 1970 do not fit a double: seconds since the first request do.
local function start_ns(record)
  local meta = record.metadata
  local at = type(meta) == "table" and (meta.request_start_ns or meta.timestamp_ns)
  return math.type(at) and at or nil
end

local function is_warmup(meta)
  return type(meta) == "table"
    and (meta.benchmark_phase == "warmup" or meta.credit_phase == "warmup")
end

local function read_aiperf(records)
  local requests, failed, base = {}, 0, nil
  for i, record in ipairs(records) do
    local at = start_ns(record)
    if not is_warmup(record.metadata) then
      base = base or at
      local one = at and record_of(record, (at - base) * 1e-9, i)
      requests[#requests + 1] = one
      if not one then failed = failed + 1 end
    end
  end
  return { kind = "requests", clock = "client", requests = requests, notes = left_out(failed),
    left_out = failed }
end

-- ---- GenAI-Perf

-- The counts in the texts of the answers; usage comes last.
local function usage_of(outputs)
  for i = #outputs, 1, -1 do
    local text = type(outputs[i]) == "table" and outputs[i].response
    if type(text) == "string" then
      text = text:gsub("\\", "")
      local prompt = text:match '"prompt_tokens"%s*:%s*(%d+)'
      local output = text:match '"completion_tokens"%s*:%s*(%d+)'
      if prompt and output then return math.tointeger(prompt), math.tointeger(output) end
    end
  end
end

-- Answers without words (the role, usage, [DONE]) are no tokens.
local function is_word(output)
  local text = type(output) == "table" and output.response
  if type(text) ~= "string" then return type(output) == "table" and output.text_output ~= nil end
  text = text:gsub("\\", "")
  return text:find '"content"%s*:%s*"[^"]' ~= nil or text:find '"text"%s*:%s*"[^"]' ~= nil
end

local function exported(request, position)
  if type(request) ~= "table" or not math.type(request.timestamp) then return nil end
  local times, outputs = request.response_timestamps, request.response_outputs
  if type(times) ~= "table" or type(outputs) ~= "table" then return nil end
  local prompt, output = usage_of(outputs)
  if not (prompt and output) or prompt < 1 or output < 1 then return nil, "no usage" end
  local first, last
  for i, time in ipairs(times) do
    if is_word(outputs[i]) and math.type(time) then
      first, last = first or time, math.max(last or time, time)
    end
  end
  if not first or first <= request.timestamp then return nil end
  return { at_s = request.timestamp * 1e-9, prompt = prompt, output = output,
    ttft_s = (first - request.timestamp) * 1e-9, e2e_s = (last - request.timestamp) * 1e-9,
    position = position }
end

local function read_genai_perf(data)
  local experiment = type(data.experiments) == "table" and data.experiments[1]
  if type(experiment) ~= "table" or type(experiment.requests) ~= "table" then
    return nil, "experiments[1] has no requests"
  end
  local requests, without_usage = {}, 0
  for i, request in ipairs(experiment.requests) do
    local one, why = exported(request, i)
    requests[#requests + 1] = one
    if why then without_usage = without_usage + 1 end
  end
  if #requests == 0 and without_usage > 0 then
    return nil, "its answers tell no token counts; ask the server for them (--extra-inputs "
      .. "'{\"stream_options\":{\"include_usage\":true}}') or take AIPerf's profile_export.jsonl"
  end
  local failed = #experiment.requests - #requests
  local notes = left_out(failed)
  if #data.experiments > 1 then
    notes[#notes + 1] = ("the first of %d experiments in it is taken"):format(#data.experiments)
  end
  return { kind = "requests", clock = "client", requests = requests, notes = notes,
    left_out = failed }
end

-- ---- sums

local STATISTICS <const> = { avg = "mean", p1 = "p1", p5 = "p5", p10 = "p10", p25 = "p25",
  p50 = "p50", p75 = "p75", p90 = "p90", p95 = "p95", p99 = "p99", min = "min", max = "max" }

-- In 2025 in a table of its own, and the first token's time was "ttft".
local function metric_of(data, ...)
  local all = type(data.records) == "table" and data.records or data
  for _, name in ipairs { ... } do
    if type(all[name]) == "table" then return all[name] end
  end
end

local function statistics(metric, times)
  if not metric then return nil end
  local out, factor = {}, times and (SECONDS[metric.unit] or 1e-3) or 1
  for said, name in pairs(STATISTICS) do
    if math.type(metric[said]) then out[name] = metric[said] * factor end
  end
  return out.mean and out or nil
end

local function single(data, ...)
  local metric = metric_of(data, ...)
  return metric and math.type(metric.avg) and metric.avg or nil
end

local function positive(value) return math.type(value) and value > 0 and value or nil end

-- What the benchmark was told: its model, and either clients or a rate.
local function told_of(data)
  local config = type(data.input_config) == "table" and data.input_config or {}
  local function part(name) return type(config[name]) == "table" and config[name] or {} end
  local names, load = part("endpoint").model_names, part "loadgen"
  local model = type(names) == "table" and type(names[1]) == "string" and names[1] or nil
  local rate = positive(load.request_rate)
  return model and model:match "[^/]+$", rate, not rate and positive(load.concurrency) or nil
end

local function read_sums(data)
  local model, rate, clients = told_of(data)
  local times = { ttft = statistics(metric_of(data, "time_to_first_token", "ttft"), true),
    tpot = statistics(metric_of(data, "inter_token_latency"), true),
    e2e = statistics(metric_of(data, "request_latency"), true) }
  local point, why = sums.point { row = { model = model }, position = 1, rate = rate,
    clients = clients, requests = single(data, "request_count"),
    duration_s = (single(data, "benchmark_duration") or 0) > 0
      and single(data, "benchmark_duration") or nil,
    prompt = statistics(metric_of(data, "input_sequence_length")),
    output = statistics(metric_of(data, "output_sequence_length")), times = times }
  if not point then
    return nil, ("is of sums that %s; profile_export.jsonl beside it has each request"):format(why)
  end
  local failed = single(data, "error_request_count") or 0
  return { kind = "points", points = { point }, notes = failed > 0 and { ("%s failed, and are in "
    .. "none of the sums; profile_export.jsonl beside it has each request"):format(
    format.plural(math.floor(failed), "request")) } or {} }
end

local function read_table()
  return nil, "is of sums without their load; profile_export_aiperf.json beside it has both"
end

-- The texts of prompts and answers that stand beside these are passed over.
local KEEP <const> = { metadata = true, metrics = true, error = true, was_cancelled = true,
  benchmark_phase = true, credit_phase = true, request_start_ns = true, timestamp_ns = true,
  input_sequence_length = true, output_sequence_length = true, time_to_first_token = true,
  ttft = true, request_latency = true, value = true, unit = true }

return { { name = "AIPerf profile_export.jsonl", shape = "lines",
    fields = { "metadata", "metrics" }, keep = KEEP, read = read_aiperf },
  { name = "GenAI-Perf profile_export.json", shape = "json", fields = { "experiments" },
    read = read_genai_perf },
  { name = "AIPerf profile_export_aiperf.json", shape = "json",
    fields = { "request_latency", "time_to_first_token", "request_throughput" },
    read = read_sums },
  { name = "AIPerf profile_export_aiperf.json", shape = "json",
    fields = { "records", "input_config" }, read = read_sums },
  { name = "AIPerf profile_export_aiperf.csv", shape = "csv",
    fields = { "Metric", "avg", "min", "p50", "std" }, read = read_table } }
