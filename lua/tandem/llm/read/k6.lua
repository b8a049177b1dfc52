--- What k6 writes: --out json (a line a sample of a metric), and its summary (handleSummary or
-- --summary-export).
--
-- k6 counts no tokens. A request of its lines is a sample of http_req_duration, which stands where
-- the answer ended; the sample of http_req_waiting of the same moment is the time to its first
-- byte. Milliseconds. The summary does not tell the load but as the rate of its requests. Owns
-- these formats. Called by init.lua.

local core = require "tandem.core"
local format = require "tandem.text.format"
local sums = require "tandem.llm.read.sums"

-- ---- lines

-- Samples of one request have one moment and the same tags.
local function key_of(sample)
  local tags = type(sample.tags) == "table" and sample.tags or {}
  return table.concat({ tostring(sample.time), tostring(tags.method), tostring(tags.url),
    tostring(tags.status), tostring(tags.vu) }, "\0")
end

local function sample_of(record)
  local sample = record.type == "Point" and record.data
  if type(sample) ~= "table" or not math.type(sample.value) then return nil end
  return sample
end

local function has_failed(sample)
  local tags = type(sample.tags) == "table" and sample.tags or {}
  return tags.expected_response == "false" or tags.error_code ~= nil and tags.error_code ~= ""
end

local function request_of(sample, base_ns, position)
  local stop = type(sample.time) == "string" and core.date_ns(sample.time)
  if not stop or sample.value < 0 then return nil, base_ns end
  base_ns = base_ns or stop
  local tags = type(sample.tags) == "table" and sample.tags or {}
  local e2e = sample.value / 1e3
  return { at_s = (stop - base_ns) * 1e-9 - e2e, e2e_s = e2e, position = position,
    class = type(tags.scenario) == "string" and tags.scenario or nil }, base_ns
end

-- Times to first bytes, by the samples that they belong to, in order.
local function waits_of(records)
  local waits = {}
  for _, record in ipairs(records) do
    local sample = record.metric == "http_req_waiting" and sample_of(record)
    if sample then
      local key = key_of(sample)
      waits[key] = waits[key] or {}
      table.insert(waits[key], sample.value / 1e3)
    end
  end
  return waits
end

local function read_lines(records)
  local requests, failed, base_ns, waits = {}, 0, nil, waits_of(records)
  for i, record in ipairs(records) do
    local sample = record.metric == "http_req_duration" and sample_of(record)
    local one
    if sample then
      one, base_ns = request_of(sample, base_ns, i)
      local waited = table.remove(waits[key_of(sample)] or {}, 1)
      if one and not has_failed(sample) then
        one.first_byte_s = waited
        requests[#requests + 1] = one
      else
        failed = failed + 1
      end
    end
  end
  return { kind = "requests", clock = "client", requests = requests, left_out = failed,
    tokenless = true, notes = failed > 0 and { ("%s failed, left out of the load too")
      :format(format.plural(failed, "request")) } or {} }
end

-- ---- the summary

local STATISTICS <const> = { avg = "mean", med = "p50", ["p(50)"] = "p50", ["p(90)"] = "p90",
  ["p(95)"] = "p95", ["p(99)"] = "p99", ["p(99.9)"] = "p999", min = "min", max = "max" }

-- handleSummary has the figures of a metric in `values`, --summary-export beside its name.
local function values_of(data, name)
  local metric = data.metrics[name]
  if type(metric) ~= "table" then return {} end
  return type(metric.values) == "table" and metric.values or metric
end

local function read_summary(data)
  if type(data.metrics) ~= "table" then return nil, "metrics is no table" end
  local e2e, all = {}, values_of(data, "http_reqs")
  for said, name in pairs(STATISTICS) do
    local ms = values_of(data, "http_req_duration")[said]
    if math.type(ms) then e2e[name] = ms / 1e3 end
  end
  local rate = math.type(all.rate) and all.rate > 0 and all.rate or nil
  local point, why = sums.point { row = {}, position = 1, rate = rate, served = rate,
    requests = math.type(all.count) and all.count or nil,
    times = { e2e = next(e2e) and e2e or nil } }
  if not point then
    return nil, ("is of sums that %s; k6 run --out json=FILE keeps each request"):format(why)
  end
  local failed = values_of(data, "http_req_failed")
  local share = failed.rate or failed.value
  return { kind = "points", points = { point }, notes = {
    "k6 does not tell the load: requests came at the rate at which they were answered",
    math.type(share) and share > 0 and ("%s of the requests failed, and are in the sums"):format(
      format.percent(share)) or nil } }
end

return { { name = "k6's JSON output", shape = "lines", fields = { "metric", "type", "data" },
    read = read_lines },
  { name = "k6's summary", shape = "json", fields = { "metrics", { "root_group", "state" } },
    read = read_summary } }
