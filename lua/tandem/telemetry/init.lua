--- Telemetry of LLM applications and results of load generators, as traces that an import reads:
-- OpenTelemetry's spans, and the requests that AIPerf, GuideLLM, vLLM's and SGLang's benchmarks,
-- inference-perf and k6 list.
--
-- Owns which files these are and the records that they become, written as tandem's JSON Lines into
-- a file of its own, which the readers of src/read then read as any other. Fields of spans are
-- spans.lua's, those of benchmarks tandem.llm.read's. Called by store/traces.lua.

local core = require "tandem.core"
local format = require "tandem.text.format"
local json = require "tandem.io.json"
local spans = require "tandem.telemetry.spans"

local telemetry = {}

--- What is read here, as core.formats().readers has its own: for `tandem help formats`.
telemetry.formats = {
  { name = "otel", accepts = "*.json, *.jsonl, *.pb",
    title = "OpenTelemetry's spans (OTLP JSON and protobuf, Jaeger, flat dumps, LangFuse)" },
  { name = "llm-benchmark", accepts = "*.json, *.jsonl",
    title = "requests that AIPerf, GuideLLM, vLLM's and SGLang's benchmarks, inference-perf, k6 "
      .. "list" },
}

-- ---- records

local Lines = {}
Lines.__index = Lines

-- Classes of requests, and how many each has: files of one run share them.
local function new_numbers() return { classes = {}, class_count = 0, counts = {} } end

local function lines_of(file, path, kind, detail, numbers)
  local self = setmetatable({ file = file, tracks = {}, track_count = 0, numbers = numbers,
    requests = {} }, Lines)
  self:put { record = "header", format = "tandem-jsonl", version = 1, name = path }
  self:put { record = "source", source = 0, path = path, format = kind, detail = detail,
    offset_ns = 0, utc_ns = kind == "otel" and 0 or nil }
  return self
end

function Lines:put_text(text)
  if self.failed then return end
  local done, why = self.file:write(text, "\n")
  if not done then self.failed = why end
end

function Lines:put(record) self:put_text(json.encode(record)) end

function Lines:track(process, name)
  local key = process .. "\0" .. name
  local id = self.tracks[key]
  if not id then
    id = self.track_count
    self.tracks[key], self.track_count = id, id + 1
    self:put { record = "track", track = id, process = process, name = name, kind = "other",
      lane = "OTHER" }
  end
  return id
end

function Lines:layout(id, category, args)
  self:put { record = "layout", layout = id, category = category, shape = "async", args = args }
end

-- A request's number: its class and how many of it were before.
function Lines:request(class, start_ns, stop_ns, outcome)
  local numbers = self.numbers
  local index = numbers.classes[class]
  if not index then
    index = numbers.class_count
    numbers.classes[class], numbers.class_count, numbers.counts[index] = index, index + 1, 0
    self:put { record = "class", class = index, name = class }
  end
  local number = index << 48 | numbers.counts[index]
  numbers.counts[index] = numbers.counts[index] + 1
  self.requests[#self.requests + 1] = json.encode { record = "request", request = number,
    class = index, arrival_ns = start_ns, end_ns = stop_ns, gpu = -1, outcome = outcome }
  return number
end

function Lines:problem(kind, count)
  if count > 0 then self:put { record = "problem", kind = kind, count = count } end
end

-- Requests stand behind the spans.
function Lines:finish()
  for _, line in ipairs(self.requests) do self:put_text(line) end
  if self.failed then return nil, self.failed end
  return true
end

-- ---- spans

local common = { { "session", "text" }, { "trace", "text" }, { "span", "text" },
  { "parent", "text" }, { "agent", "text" }, { "error", "text" } }

local function with(first)
  local out = json.list()
  for _, arg in ipairs(first) do out[#out + 1] = arg end
  for _, arg in ipairs(common) do out[#out + 1] = arg end
  return out
end

local REQUEST <const>, TOOL <const>, AGENT <const>, SPAN <const>, EDGE <const> = 1, 2, 3, 4, 5
local layout_of = { request = REQUEST, tool = TOOL, agent = AGENT, span = SPAN }

local function first_token_ns(span)
  if span.first_ns then return span.first_ns - span.start_ns end
  local seconds = tonumber(spans.said(span, "first_s"))
  return seconds and seconds >= 0 and seconds < 1e9 and math.floor(seconds * 1e9 + 0.5) or nil
end

local function text_said(span, what)
  local value = spans.said(span, what)
  return value ~= nil and spans.text(value) or nil
end

local function add_span(out, span)
  local args = { session = spans.session(span), trace = span.trace, span = span.id,
    parent = span.parent, agent = text_said(span, "agent"), error = span.failed }
  local name = span.name
  if span.sort == "request" then
    local class = text_said(span, "operation") or "request"
    args.request = out:request(class, span.start_ns, span.stop_ns,
      span.failed and "dropped" or "ok")
    for _, key in ipairs { "prompt_tokens", "output_tokens", "cached_tokens", "reasoning_tokens",
      "max_tokens" } do
      args[key] = spans.number(span, key)
    end
    args.model, args.provider = text_said(span, "model"), text_said(span, "provider")
    args.ttft_ns, name = first_token_ns(span), class
  elseif span.sort == "tool" then
    args.tool, args.call = text_said(span, "tool"), text_said(span, "call")
    name = args.tool or name
  end
  local service = span.service ~= "" and span.service or "application"
  span.track = out:track(service, args.agent or "spans")
  out:put { record = "async", layout = layout_of[span.sort], start_ns = span.start_ns,
    dur_ns = span.stop_ns - span.start_ns, track = span.track, name = name, args = args }
end

local function write_spans(file, path, all, numbers)
  local sessions, counts, tokenless = {}, { request = 0, tool = 0, agent = 0, span = 0 }, 0
  spans.classify(all)
  for _, span in ipairs(all) do
    counts[span.sort] = counts[span.sort] + 1
    sessions[spans.session(span)] = true
    if span.sort == "request" and not spans.number(span, "prompt_tokens") then
      tokenless = tokenless + 1
    end
  end
  local number = 0
  for _ in pairs(sessions) do number = number + 1 end
  local out = lines_of(file, path, "otel", ("%s, %s of %s"):format(format.plural(#all, "span"),
    format.plural(counts.request, "request"), format.plural(number, "session")), numbers)
  out:layout(REQUEST, "request", with { { "request", "int" }, { "prompt_tokens", "int" },
    { "output_tokens", "int" }, { "cached_tokens", "int" }, { "reasoning_tokens", "int" },
    { "max_tokens", "int" }, { "ttft_ns", "int" }, { "model", "text" }, { "provider", "text" } })
  out:layout(TOOL, "tool", with { { "tool", "text" }, { "call", "text" } })
  out:layout(AGENT, "agent", with {})
  out:layout(SPAN, "span", with {})
  out:put { record = "layout", layout = EDGE, category = "edge", shape = "edge",
    args = json.list { { "to_track", "int" } } }
  for _, span in ipairs(all) do add_span(out, span) end
  for _, span in ipairs(all) do
    if span.above then
      out:put { record = "edge", layout = EDGE, start_ns = span.start_ns, dur_ns = 0,
        track = span.above.track, name = "parent", args = { to_track = span.track } }
    end
  end
  out:problem("spans without times (left out)", all.left_out or 0)
  out:problem("requests without counts of tokens (texts are not counted)", tokenless)
  return out:finish()
end

-- ---- benchmarks

local function write_requests(file, path, measured, numbers)
  local out = lines_of(file, path, "llm-benchmark", measured.format, numbers)
  out:layout(REQUEST, "request", json.list { { "request", "int" }, { "prompt_tokens", "int" },
    { "output_tokens", "int" }, { "ttft_ns", "int" }, { "first_byte_ns", "int" } })
  local track = out:track("load generator", "requests")
  local function ns(seconds) return seconds and math.floor(seconds * 1e9 + 0.5) end
  for _, r in ipairs(measured.requests) do
    local start, length = ns(r.at_s), ns(r.e2e_s)
    local number = out:request(r.class or "request", start, start + length, "ok")
    out:put { record = "async", layout = REQUEST, start_ns = start, dur_ns = length,
      track = track, name = "request", args = { request = number, prompt_tokens = r.prompt,
        output_tokens = r.output, ttft_ns = ns(r.ttft_s), first_byte_ns = ns(r.first_byte_s) } }
  end
  local left_out, position = measured.left_out or 0, 0
  for _, note in ipairs(measured.notes) do
    if left_out == 0 or not note:find("left out of the load", 1, true) then
      position = position + 1
      out:put { record = "fact", key = "note." .. position, value = note }
    end
  end
  out:problem("requests that failed or had no answer (left out)", left_out)
  return out:finish()
end

-- ---- which

local marks = { spans = { '"resourceSpans"', '"resource_spans"', '"spans"', '"trace_id"',
    '"traceId"' },
  requests = { '"benchmarks"', '"ttfts"', '"input_lens"', '"metadata"%s*:.*"metrics"',
    '"start_time".*"request"', '"request".*"start_time"', '"load_summary"', "ttft",
    '"http_req' } }

local function marked(head, which)
  for _, mark in ipairs(marks[which]) do
    if head:find(mark) then return true end
  end
  return false
end

local function spans_of(path, head)
  local looks_json = head:find "^[\239\187\191%s]*[{%[]"
  if looks_json and not marked(head, "spans") then return nil end
  if not looks_json and not head:find "^\n" and not head:find "^%z.%z*.?.?\n" then return nil end
  if looks_json then
    if not spans.known { path = path } then return nil end
    return spans.read { path = path }
  end
  return spans.read_protobuf { path = path }
end

---@class tandem.TelemetryRecords
---@field write fun(self, file: file*): true|nil, string|nil  as tandem's JSON Lines, once

local function written_by(write, path, what, numbers)
  return { write = function(_, file) return write(file, path, what, numbers) end }
end

--- The records of a file of telemetry; nil where it is something else.
---@param path string
---@param numbers table|nil  of requests in the files before it
---@return tandem.TelemetryRecords|nil
---@return string|nil problem  it is telemetry, and wrong
function telemetry.records(path, numbers)
  numbers = numbers or new_numbers()
  local head, known = core.recognize(path)
  if not head or known and not known:find "^CUDA%-API trace" then return nil end
  local all, problem = spans_of(path, head)
  if all and #all == 0 then problem = "holds no span with times" end
  if problem then return nil, ("%s: %s"):format(path, problem) end
  if all then return written_by(write_spans, path, all, numbers) end
  if not head:find "^[\239\187\191%s]*[{%[]" or not marked(head, "requests") then return nil end
  local measured, wrong = require("tandem.llm.read").file(path)
  if not measured then return nil, wrong end
  if measured.kind ~= "requests" then return nil end
  return written_by(write_requests, path, measured, numbers)
end

--- Removes what was prepared.
---@param names table<string, string>
function telemetry.clear(names)
  for file in pairs(names) do
    core.files.discard(file)
    names[file] = nil
  end
end

--- Files as an import can read them all: telemetry as records beside them.
---@param paths string[]
---@return string[]|nil files
---@return table<string, string>|string names  of files that are others', or the problem
---@return integer|nil code
function telemetry.prepared(paths)
  local files, numbers = {}, new_numbers()
  local names = setmetatable({}, { __gc = telemetry.clear }) -- of who was stopped
  for i, path in ipairs(paths) do
    local records, problem = telemetry.records(path, numbers)
    if problem then
      telemetry.clear(names)
      return nil, problem, 3
    end
    files[i] = path
    if records then
      local made = assert(core.files.temporary())
      files[i], names[made] = made, path
      local file <close> = assert(io.open(made, "wb"))
      assert(records:write(file))
    end
  end
  return files, names
end

return telemetry
