--- What inference-perf writes of each request: per_request_lifecycle_metrics.json.
--
-- Counts of output tokens come from the server where it told them, else from the client. Some
-- versions count each streamed token twice, which halves TPOT: counts beyond what was asked for are
-- cut to that, and only the first and the last time are used. Owns this format. Called by init.lua.

local cjson = require "cjson"
local format = require "tandem.text.format"

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
    notes[1] = ("%s failed or had no times of tokens, and are left out of the load too"):format(
      format.plural(#records - #requests, "request"))
  end
  if cut > 0 then
    notes[#notes + 1] = ("%s had more tokens counted than asked for (streamed events counted "
      .. "twice?); what was asked for is taken"):format(format.plural(cut, "request"))
  end
  return { kind = "requests", clock = "client", requests = requests, notes = notes,
    left_out = #records - #requests }
end

local function read_sums()
  return nil, "is of sums over a stage; report.request_lifecycle.per_request keeps each request, "
    .. "in per_request_lifecycle_metrics.json"
end

return { { name = "inference-perf lifecycle_metrics.json", shape = "json",
  fields = { "load_summary", "successes" }, read = read_sums },
  { name = "inference-perf per_request_lifecycle_metrics.json", shape = "json",
  fields = { "start_time", "end_time", "info" }, read = read } }
