--- Spans of OpenTelemetry traces, whatever wrote them: OTLP as JSON (one object, or one a line),
-- Jaeger's JSON, flat dumps with `trace_id` and `spans`, rows of LangFuse's observations.
--
-- Owns the spellings of a span's fields and the names that its attributes go by; OTLP's protocol
-- buffers are protobuf.lua's, which makes the same tables. What becomes of spans is the callers'
-- affair: telemetry/init.lua and replay/spans.lua.

local cjson = require "cjson"
local core = require "tandem.core"
local json_file = require "tandem.io.json_file"
local protobuf = require "tandem.telemetry.protobuf"

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
---@field attributes table<string, any>  those that are asked for
---@field first_ns integer|nil  when an event says that the first token came

local function text(value) return type(value) == "string" and value ~= "" and value or nil end

local function list(value) return type(value) == "table" and value or {} end

-- Bytes of a text: an import cuts names and texts a little shorter, and counts them.
local MOST <const> = (1 << 20) + 4

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

local function span_of(given)
  if type(given) ~= "table" then return nil end
  local start = time_of(given.startTimeUnixNano or given.start_time_unix_nano or given.start_time)
  local stop = time_of(given.endTimeUnixNano or given.end_time_unix_nano or given.end_time)
  if not start then start, stop = jaeger_times(given) end
  if not (start and stop) or stop < start then return nil end
  local own = attributes_of(given.resource_attributes or list(given.resource).attributes)
  local attributes = attributes_of(given.attributes or given.tags)
  return { trace = text(given.traceId or given.trace_id or given.traceID) or "",
    id = text(given.spanId or given.span_id or given.spanID) or "",
    parent = text(given.parentSpanId or given.parent_span_id) or jaeger_parent(given),
    name = text(given.name or given.operationName) or "?", start_ns = start, stop_ns = stop,
    failed = failed(given) or attributes.error == true and "error" or nil,
    service = next(own) ~= nil and (text(own["service.name"]) or "") or nil,
    attributes = attributes, first_ns = first_token(given) }
end

-- ---- a file

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

local kept = {}
for _, spellings in pairs(names) do
  for _, name in ipairs(spellings) do kept[name] = true end
end

local function is_wanted(name)
  return kept[name] or name == "error" or name:find "%.session%.id$" ~= nil
end

-- Of the attributes those that are asked for: the others hold texts of prompts and answers.
local function prune(span)
  for name in pairs(span.attributes) do
    if not is_wanted(name) then span.attributes[name] = nil end
  end
end

local function take(out, given)
  local span = span_of(given)
  out[#out + 1] = span
  if not span then
    out.left_out = (out.left_out or 0) + 1
    return nil
  end
  prune(span)
  return span
end

-- What stands for all spans from a place on, which may be told behind them.
local function add_service(out, from, service)
  for i = from, #out do out[i].service = out[i].service or service end
end

local function take_list(out, stream)
  for _ in stream:items() do take(out, stream:value()) end
end

local scopes_of = { scopeSpans = true, scope_spans = true, instrumentationLibrarySpans = true }

local function take_scopes(out, stream)
  for _ in stream:items() do
    for key in stream:keys() do
      if key == "spans" then take_list(out, stream) end
    end
  end
end

local function take_resources(out, stream)
  for _ in stream:items() do
    local from, resource = #out + 1, nil
    for key in stream:keys() do
      if key == "resource" then
        resource = attributes_of(list(stream:value()).attributes)
      elseif scopes_of[key] then
        take_scopes(out, stream)
      end
    end
    add_service(out, from, text(list(resource)["service.name"]))
  end
end

-- Jaeger tells of each span its process, and behind the spans what that is.
local function take_traces(out, stream)
  for _ in stream:items() do
    local from, processes, process_of = #out + 1, {}, {}
    for key in stream:keys() do
      if key == "spans" then
        for _ in stream:items() do
          local given = stream:value()
          local span = take(out, given)
          if span then process_of[span] = given.processID end
        end
      elseif key == "processes" then
        processes = list(stream:value())
      end
    end
    for i = from, #out do
      local process = list(processes[process_of[out[i]]])
      out[i].service = out[i].service or text(process.serviceName)
    end
  end
end

local takes = { resourceSpans = take_resources, resource_spans = take_resources,
  data = take_traces, spans = take_list }

local function take_object(out, stream)
  for key in stream:keys() do
    if takes[key] then takes[key](out, stream) end
  end
end

-- A list that begins with a trace of Jaeger's, as `data` does.
local function has_spans(stream)
  stream:items()()
  for key, kind in stream:keys() do
    if key == "spans" then return kind ~= "value" end
  end
  return false
end

-- ---- LangFuse's observations: rows, a span each

local OPERATIONS <const> = { GENERATION = "chat", EMBEDDING = "embeddings", TOOL = "execute_tool",
  AGENT = "invoke_agent" }
local OBSERVATION <const> = { usage_details = true, usageDetails = true, id = true, name = true,
  type = true, trace_id = true, traceId = true, parent_observation_id = true, level = true,
  parentObservationId = true, start_time = true, startTime = true, end_time = true,
  endTime = true, completion_start_time = true, completionStartTime = true, session_id = true,
  sessionId = true, status_message = true, statusMessage = true, provided_model_name = true,
  model = true }
local USAGE <const> = { input = "gen_ai.usage.input_tokens", output = "gen_ai.usage.output_tokens" }

local function is_observation(fields)
  return type(fields.type) == "string" and (fields.trace_id or fields.traceId) ~= nil
    and (fields.start_time or fields.startTime) ~= nil
end

-- Details of usage add up: input, input_cached_tokens, output, output_reasoning … and their total.
local function add_usage(stream, sums)
  for key in stream:keys() do
    local value, sort = stream:value {}, USAGE[key:match "^%l+"]
    if math.type(value) and sort then sums[sort] = (sums[sort] or 0) + value end
  end
end

local function observation(stream)
  local given, attributes = {}, {}
  for key, kind in stream:keys() do
    if key == "usage_details" or key == "usageDetails" then
      add_usage(stream, attributes)
    elseif OBSERVATION[key] and kind == "value" then
      given[key] = stream:value()
    end
  end
  attributes["gen_ai.operation.name"] = OPERATIONS[given.type]
  attributes["gen_ai.request.model"] = text(given.provided_model_name or given.model)
  attributes["session.id"] = text(given.session_id or given.sessionId)
  if given.type == "TOOL" then attributes["gen_ai.tool.name"] = text(given.name) end
  return { trace_id = given.trace_id or given.traceId, span_id = given.id, name = given.name,
    parent_span_id = given.parent_observation_id or given.parentObservationId,
    start_time = given.start_time or given.startTime, attributes = attributes,
    end_time = given.end_time or given.endTime, status = given.level == "ERROR"
      and { code = 2, message = given.status_message or given.statusMessage } or nil,
    events = { { name = "first token",
      timestamp = given.completion_start_time or given.completionStartTime } } }
end

--- Does the first record of a file hold spans?
---@param source tandem.TextSource
---@return boolean
function spans.known(source)
  local stream <close> = json_file.open(source, MOST)
  if not stream or stream:record() ~= "object" then return false end
  local flat, trace, fields = false, false, {}
  for key, kind in stream:keys() do
    if kind == "value" then
      fields[key] = stream:value()
    else
      if key == "resourceSpans" or key == "resource_spans" then return true end
      if key == "data" and has_spans(stream) then return true end
      flat = flat or key == "spans"
    end
    trace = trace or key == "trace_id" or key == "traceId"
    if flat and trace then return true end
  end
  return is_observation(fields)
end

--- The spans of a file or a text, in the order of their begins; `left_out` is how many had no
--- times.
---@param source tandem.TextSource
---@return tandem.TelemetrySpan[]|nil
---@return string|nil problem
function spans.read(source)
  local stream <close>, problem = json_file.open(source, MOST)
  if not stream then return nil, problem end
  local out, rows = {}, is_observation(json_file.first(source, MOST) or {})
  for _ in stream.record, stream do
    if rows then take(out, observation(stream)) else take_object(out, stream) end
  end
  problem = json_file.problem(stream)
  if problem then return nil, problem end
  return spans.sorted(out)
end

--- The spans of a file of OTLP's protocol buffers; nil: it is none.
---@param source tandem.TextSource
---@return tandem.TelemetrySpan[]|nil
function spans.read_protobuf(source)
  local seen = protobuf.read(source, function()
    local out, from = {}, 1
    return { out = out, wants = is_wanted, span = function(given) take(out, given) end,
      resource = function(attributes)
        add_service(out, from, text(attributes_of(attributes)["service.name"]))
        from = #out + 1
      end }
  end)
  return seen and spans.sorted(seen.out)
end

--- In the order of their begins.
---@param out tandem.TelemetrySpan[]
---@return tandem.TelemetrySpan[]
function spans.sorted(out)
  for i, span in ipairs(out) do
    span.position, span.service = i, span.service or ""
  end
  table.sort(out, function(a, b)
    if a.start_ns ~= b.start_ns then return a.start_ns < b.start_ns end
    return a.position < b.position
  end)
  return out
end

-- ---- what a span says

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
