--- What inference-perf writes: of each request (per_request_lifecycle_metrics.json), and the sums
-- of a stage (stage_N_lifecycle_metrics.json).
--
-- Counts of output tokens come from the server where it told them, else from the client. Some
-- versions count each streamed token twice, which halves TPOT: counts beyond what was asked for are
-- cut to that, and only the first and the last time are used. Owns these formats. Called by
-- init.lua.

local cjson = require "cjson"
local format = require "tandem.text.format"
local sums = require "tandem.llm.read.sums"

local function field(t, ...)
  for _, key in ipairs { ... } do
    t = type(t) == "table" and t[key] or nil
    if t == cjson.null then t = nil end
  end
  return t
end

local function usage(record)
  local told = field(record, "info", "response_metrics", "server_usage", "completion_tokens")
  if math.type(told) then return told end
  local response = field(record, "response")
  if type(response) ~= "string" then return nil end
  local last
  for count in response:gmatch '\\?"completion_tokens\\?"%s*:%s*(%d+)' do last = count end
  return math.tointeger(last)
end

local function asked(record)
  local request = field(record, "request")
  return type(request) == "string"
    and math.tointeger(request:match '\\?"max_tokens\\?"%s*:%s*(%d+)') or nil
end

-- Output tokens, and whether they had to be cut.
local function output_of(record, times)
  local told = usage(record)
  if told then return told, false end
  local count = field(record, "info", "response_metrics", "output_tokens")
    or field(record, "info", "output_tokens") or #times
  local most = asked(record)
  if most and math.type(count) and count > most then return most, true end
  return count, false
end

local function request_of(record, position)
  local start, stop = field(record, "start_time"), field(record, "end_time")
  local prompt = field(record, "info", "request_metrics", "text", "input_tokens")
    or field(record, "info", "input_tokens")
  local times = field(record, "info", "response_metrics", "output_token_times")
    or field(record, "info", "output_token_times")
  if field(record, "error") or type(times) ~= "table" then return nil end
  local first, last = times[1], times[#times]
  if not (math.type(start) and math.type(stop) and math.type(prompt) and math.type(first)
    and math.type(last)) then
    return nil
  end
  local output, cut = output_of(record, times)
  if prompt < 1 or not math.type(output) or output < 1 or first <= start then return nil end
  return { at_s = start, prompt = math.floor(prompt), output = math.floor(output),
    ttft_s = first - start, e2e_s = last - start, position = position }, cut
end

local function read(records)
  local requests, cut = {}, 0
  for i, record in ipairs(records) do
    local one, was_cut = request_of(record, i)
    requests[#requests + 1] = one
    if was_cut then cut = cut + 1 end
  end
  local notes = {}
  if #requests < #records then
    notes[1] = ("%s failed or had no times of tokens, left out of the load too"):format(
      format.plural(#records - #requests, "request"))
  end
  if cut > 0 then
    notes[#notes + 1] = ("%s had more tokens counted than asked for (streamed events counted "
      .. "twice?); what was asked for is taken"):format(format.plural(cut, "request"))
  end
  return { kind = "requests", clock = "client", requests = requests, notes = notes,
    left_out = #records - #requests }
end

-- ---- sums of a stage

local QUANTILES <const> = { mean = "mean", median = "p50", p90 = "p90", p95 = "p95", p99 = "p99",
  ["p99.9"] = "p999", min = "min", max = "max", p1 = "p1", p5 = "p5", p10 = "p10", p25 = "p25",
  p75 = "p75" }

local function statistics(t)
  if type(t) ~= "table" then return nil end
  local out = {}
  for said, name in pairs(QUANTILES) do out[name] = math.type(t[said]) and t[said] or nil end
  return out.mean and out or nil
end

local TWICE <const> = 0.75 -- of the time between tokens that whole times give

-- Times, and whether the tokens between them were counted twice: what is told of the gaps between
-- them is then left out.
local function times_of(latency, output)
  local times = { ttft = statistics(field(latency, "time_to_first_token")),
    tpot = statistics(field(latency, "time_per_output_token")),
    itl = statistics(field(latency, "inter_token_latency")),
    e2e = statistics(field(latency, "request_latency")) }
  local told = times.tpot and times.tpot.mean
  if told and times.ttft and times.e2e and math.type(output) and output > 1
    and told < TWICE * (times.e2e.mean - times.ttft.mean) / (output - 1) then
    times.tpot, times.itl = nil, nil
    return times, true
  end
  return times, false
end

local function point_of(data, position)
  local load, done = data.load_summary, data.successes
  local rate = field(load, "requested_rate")
  if not math.type(rate) then return nil end
  local count, latency = field(done, "count"), field(done, "latency")
  if not math.type(count) or count < 1 then return nil end
  local per_s = field(done, "throughput", "requests_per_sec")
  local times, twice = times_of(latency, field(done, "output_len", "mean"))
  local point, why = sums.point { row = {}, position = position, rate = rate, requests = count,
    duration_s = math.type(per_s) and per_s > 0 and count / per_s or nil,
    prompt = statistics(field(done, "prompt_len")), output = statistics(field(done, "output_len")),
    times = times }
  return point, why, twice
end

local function read_sums(data)
  if type(data.load_summary) ~= "table" or next(data.load_summary) == nil then
    return nil, "is what a Prometheus told of its own window, not of the stage; "
      .. "…_lifecycle_metrics.json beside it is of the stage's requests"
  elseif field(data, "successes", "count") == 0 then
    return nil, "has no answered request: its zeros are no measurements"
  elseif not field(data, "load_summary", "requested_rate") then
    return nil, "is of sums over all stages, whose loads differ; each "
      .. "stage_N_lifecycle_metrics.json is an operating point, and their folder all of them"
  end
  local point, why, twice = point_of(data, 1)
  if not point then return nil, "is of sums that " .. (why or "do not tell their load") end
  return { kind = "points", points = { point }, notes = { twice and "tokens were counted "
    .. "twice (streamed events?): the time between them is taken from whole times" or nil } }
end

return { { name = "inference-perf lifecycle_metrics.json", shape = "json",
  fields = { "load_summary", "successes" }, read = read_sums },
  { name = "inference-perf per_request_lifecycle_metrics.json", shape = "json",
  fields = { "start_time", "end_time", "info" }, read = read } }
