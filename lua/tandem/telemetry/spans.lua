--- Spans of OpenTelemetry traces, whatever wrote them: OTLP as JSON (one object, or one a line),
-- Jaeger's JSON, flat dumps with `trace_id` and `spans`.
--
-- Owns the spellings of a span's fields and the names that its attributes go by; OTLP's protocol
-- buffers are protobuf.lua's, which makes the same tables. What becomes of spans is the callers'
-- affair: telemetry/init.lua and replay/spans.lua.

local cjson = require "cjson.safe"
local core = require "tandem.core"

local spans = {}

---@class tandem.TelemetrySpan
---@field trace string
---@field id string
---@field parent string|nil
---@field name string
---@field start_ns integer
---@field stop_ns integer
---@field failed string|nil  why, or "error"
---@field service string
---@field attributes table<string, any>
---@field resource table<string, any>
---@field first_ns integer|nil  when an event says that the first token came

local function text(value) return type(value) == "string" and value ~= "" and value or nil end

local function list(value) return type(value) == "table" and value or {} end

-- ---- values

local function any_value(value)
  if type(value) ~= "table" then return value end
  local number = value.intValue or value.int_value
  if number ~= nil then return math.tointeger(tonumber(number)) or tonumber(number) end
  for _, key in ipairs { "stringValue", "string_value", "doubleValue", "double_value" } do
    if value[key] ~= nil then return value[key] end
  end
  if value.boolValue ~= nil then return value.boolValue end
  local inner = value.arrayValue or value.array_value
  if type(inner) == "table" then
    local out = {}
    for i, one in ipairs(list(inner.values)) do out[i] = any_value(one) end
    return out
  end
end

-- A list of { key, value } or a plain object.
local function attributes_of(given)
  local out = {}
  for key, value in pairs(list(given)) do
    if type(key) == "string" then
      out[key] = value
    elseif type(value) == "table" and text(value.key) then
      local inner = value.value
      if type(inner) == "table" then inner = any_value(inner) end
      if value.type == "int64" or value.type == "float64" then inner = tonumber(inner) end
      out[value.key] = inner
    end
  end
  return out
end

-- Nanoseconds since 1970: an integer, its text, or a date.
local function time_of(value)
  local number = math.tointeger(tonumber(value))
  if number then return number end
  return type(value) == "string" and core.date_ns(value) or nil
end

-- ---- a span

local function failed(span)
  local status = span.status
  local code = type(status) == "table" and (status.code or status.status_code) or status
  if code == 2 or code == "STATUS_CODE_ERROR" or code == "ERROR" or code == "error" then
    return type(status) == "table" and text(status.message or status.description) or "error"
  end
end

-- Jaeger: microseconds, the parent among references.
local function jaeger_times(span)
  local start, length = math.tointeger(span.startTime), math.tointeger(span.duration)
  if not (start and length) then return nil end
  return start * 1000, (start + length) * 1000
end

local function jaeger_parent(span)
  for _, one in ipairs(list(span.references)) do
    if type(one) == "table" and one.refType == "CHILD_OF" then return text(one.spanID) end
  end
end

local function first_token(span)
  for _, event in ipairs(list(span.events)) do
    local name = type(event) == "table" and text(event.name)
    if name and (name:find "first.?token" or name:find "first.?chunk") then
      return time_of(event.timeUnixNano or event.time_unix_nano or event.timestamp)
    end
  end
end

local function span_of(given, resource)
  if type(given) ~= "table" then return nil end
  local start = time_of(given.startTimeUnixNano or given.start_time_unix_nano or given.start_time)
  local stop = time_of(given.endTimeUnixNano or given.end_time_unix_nano or given.end_time)
  if not start then start, stop = jaeger_times(given) end
  if not (start and stop) or stop < start then return nil end
  local own = attributes_of(given.resource_attributes or list(given.resource).attributes)
  if next(own) == nil then own = resource end
  local attributes = attributes_of(given.attributes or given.tags)
  return { trace = text(given.traceId or given.trace_id or given.traceID) or "",
    id = text(given.spanId or given.span_id or given.spanID) or "",
    parent = text(given.parentSpanId or given.parent_span_id) or jaeger_parent(given),
    name = text(given.name or given.operationName) or "?", start_ns = start, stop_ns = stop,
    failed = failed(given) or attributes.error == true and "error" or nil,
    service = text(own["service.name"]) or "", attributes = attributes, resource = own,
    first_ns = first_token(given) }
end

-- ---- a file

local function take(out, given, resource)
  for _, one in ipairs(list(given)) do
    local span = span_of(one, resource)
    out[#out + 1] = span
    if not span then out.left_out = (out.left_out or 0) + 1 end
  end
end

local function take_object(out, object)
  for _, of in ipairs(list(object.resourceSpans or object.resource_spans)) do
    of = list(of)
    local resource = attributes_of(list(of.resource).attributes)
    local scopes = of.scopeSpans or of.scope_spans or of.instrumentationLibrarySpans
    for _, scope in ipairs(list(scopes)) do take(out, list(scope).spans, resource) end
  end
  for _, trace in ipairs(list(object.data)) do
    trace = list(trace)
    for _, one in ipairs(list(trace.spans)) do
      local process = list(list(trace.processes)[list(one).processID])
      local resource = attributes_of(process.tags)
      resource["service.name"] = process.serviceName
      take(out, { one }, resource)
    end
  end
  take(out, object.spans, {})
end

--- Does an object hold spans?
---@param object any
---@return boolean
function spans.known(object)
  if type(object) ~= "table" then return false end
  local data = object.data
  return type(object.resourceSpans or object.resource_spans) == "table"
    or type(object.spans) == "table" and (object.trace_id or object.traceId) ~= nil
    or type(data) == "table" and type(data[1]) == "table" and type(data[1].spans) == "table"
end

--- The spans of a text, in the order of their begins; `left_out` is how many had no times.
---@param content string
---@return tandem.TelemetrySpan[]|nil
---@return string|nil problem
function spans.read(content)
  local out, number = {}, 0
  for written in require("tandem.replay.text").objects(content, true) do
    number = number + 1
    local object, wrong = cjson.decode(written)
    if type(object) ~= "table" then
      return nil, ("object %d of it is no JSON (%s)"):format(number, wrong or "no object")
    end
    take_object(out, object)
  end
  return spans.sorted(out)
end

--- The spans of one object, decoded.
---@param object table
---@return tandem.TelemetrySpan[]
function spans.read_object(object)
  local out = {}
  take_object(out, object)
  return spans.sorted(out)
end

--- In the order of their begins.
---@param out tandem.TelemetrySpan[]
---@return tandem.TelemetrySpan[]
function spans.sorted(out)
  for i, span in ipairs(out) do span.position = i end
  table.sort(out, function(a, b)
    if a.start_ns ~= b.start_ns then return a.start_ns < b.start_ns end
    return a.position < b.position
  end)
  return out
end

-- ---- what a span says

-- Conventions change their names: the first that is there counts.
local names = {
  operation = { "gen_ai.operation.name" },
  kind = { "openinference.span.kind" },
  provider = { "gen_ai.provider.name", "gen_ai.system", "llm.provider" },
  model = { "gen_ai.response.model", "gen_ai.request.model", "llm.model_name" },
  prompt_tokens = { "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt", "llm.usage.prompt_tokens" },
  output_tokens = { "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens",
    "llm.token_count.completion", "llm.usage.completion_tokens" },
  cached_tokens = { "gen_ai.usage.cache_read.input_tokens",
    "llm.token_count.prompt_details.cache_read" },
  reasoning_tokens = { "gen_ai.usage.reasoning.output_tokens",
    "llm.token_count.completion_details.reasoning" },
  max_tokens = { "gen_ai.request.max_tokens" },
  first_s = { "gen_ai.response.time_to_first_chunk" },
  session = { "gen_ai.conversation.id", "session.id", "langfuse.session.id" },
  agent = { "gen_ai.agent.name", "gen_ai.agent.id" },
  tool = { "gen_ai.tool.name", "tool.name" },
  call = { "gen_ai.tool.call.id" },
}

--- What a span says, by a name of ours.
---@param span tandem.TelemetrySpan
---@param what string
---@return any
function spans.said(span, what)
  for _, name in ipairs(names[what]) do
    local value = span.attributes[name]
    if value ~= nil and value ~= cjson.null then return value end
  end
  return nil
end

--- A whole number that a span says.
---@param span tandem.TelemetrySpan
---@param what string
---@return integer|nil
function spans.number(span, what)
  local number = tonumber(spans.said(span, what))
  return number and number >= 0 and math.tointeger(number // 1) or nil
end

--- What a span says as a text: a whole number of JSON has no decimals.
---@param value any
---@return string
function spans.text(value)
  return tostring(type(value) == "number" and math.tointeger(value) or value)
end

--- Whose session it is: what it says, what any attribute `….session.id` says, else its trace.
---@param span tandem.TelemetrySpan
---@return string
function spans.session(span)
  local said = spans.said(span, "session")
  if said ~= nil then return spans.text(said) end
  local other
  for name, value in pairs(span.attributes) do
    if name:find "%.session%.id$" and (not other or name < other) then other = name end
    if other == name then said = value end
  end
  return said ~= nil and spans.text(said) or span.trace
end

local requests = { chat = true, text_completion = true, generate_content = true,
  embeddings = true, LLM = true, EMBEDDING = true }
local tools = { execute_tool = true, TOOL = true }
local agents = { invoke_agent = true, create_agent = true, invoke_workflow = true, AGENT = true }

local function sort_of(span)
  local word = spans.said(span, "operation") or spans.said(span, "kind")
  if requests[word] then return "request" end
  if tools[word] then return "tool" end
  if agents[word] then return "agent" end
  if spans.number(span, "prompt_tokens") and spans.number(span, "output_tokens") then
    return "request"
  end
  return "span"
end

--- Says of each span what it is (`sort`: request, tool, agent or span). A request around another
--- one, as frameworks make them, is a span: its tokens are the inner one's.
---@param all tandem.TelemetrySpan[]
function spans.classify(all)
  local by_id = {}
  for _, span in ipairs(all) do
    span.sort = sort_of(span)
    if span.id ~= "" then by_id[span.trace .. "/" .. span.id] = span end
  end
  for _, span in ipairs(all) do
    span.above = span.parent and by_id[span.trace .. "/" .. span.parent]
    local above = span.above
    if span.sort == "request" and above and above.sort == "request"
      and above.start_ns <= span.start_ns and above.stop_ns >= span.stop_ns and above ~= span then
      above.wraps = true
    end
  end
  for _, span in ipairs(all) do
    if span.wraps then span.sort = "span" end
  end
end

return spans
