-- What a span says, in each spelling there is of it; OTLP's protocol buffers field by field; and
-- the records that telemetry becomes.

local cjson = require "cjson"
local protobuf = require "tandem.telemetry.protobuf"
local spans = require "tandem.telemetry.spans"
local telemetry = require "tandem.telemetry"

local T0 <const> = 1700000000000000000

-- The spans of one flat dump.
local function flat(...)
  return assert(spans.read { text = cjson.encode { trace_id = "t", spans = { ... } } })
end

local function one(span)
  span.start_time_unix_nano = span.start_time_unix_nano or T0
  span.end_time_unix_nano = span.end_time_unix_nano or T0
  return flat(span)[1]
end

describe("a span", function()
  it("has its times as numbers, texts, dates or Jaeger's microseconds", function()
    local date = "2023-11-14T22:13:20Z"
    for _, times in ipairs {
      { startTimeUnixNano = T0, endTimeUnixNano = ("%d"):format(T0 + 5) },
      { start_time_unix_nano = ("%d"):format(T0), end_time_unix_nano = ("%d"):format(T0 + 5) },
      { start_time = date, end_time = "2023-11-14T22:13:20.000000005Z" },
    } do
      local span = flat(times)[1]
      assert.same({ T0, T0 + 5 }, { span.start_ns, span.stop_ns })
    end
    local span = flat({ startTime = T0 // 1000, duration = 7 })[1]
    assert.same({ T0, T0 + 7000 }, { span.start_ns, span.stop_ns })
    assert.equal(T0, flat({ startTimeUnixNano = T0, endTimeUnixNano = T0 })[1].stop_ns)
    for _, none in ipairs { {}, { startTimeUnixNano = T0 }, { endTimeUnixNano = T0 },
      { startTimeUnixNano = 8, endTimeUnixNano = 7 }, { startTime = 1 }, { duration = 1 },
      { startTimeUnixNano = "soon", endTimeUnixNano = T0 } } do
      local all = flat(none)
      assert.same({ 0, 1 }, { #all, all.left_out })
    end
    assert.equal(2, flat({ startTime = 1, duration = 1 }, 7, "x").left_out)
  end)

  it("comes in the order of the beginnings, of equals as it was written", function()
    local names = {}
    for i, at in ipairs { 5, 3, 5, 1, 3 } do
      names[i] = { name = tostring(i), startTimeUnixNano = at, endTimeUnixNano = 9 }
    end
    local order = ""
    for _, span in ipairs(flat(table.unpack(names))) do order = order .. span.name end
    assert.equal("42513", order)
  end)

  it("has attributes of every type, as a list or as an object, none but the wanted", function()
    local function short(attributes)
      local out = {}
      for name, value in pairs(attributes) do out[name:gsub("%.session%.id$", "")] = value end
      return out
    end
    local function typed(key, value) return { key = key .. ".session.id", value = value } end
    local span = one { attributes = { typed("i", { intValue = "12" }),
      typed("j", { int_value = 13 }), typed("f", { intValue = "1.5" }),
      typed("s", { stringValue = "x" }), typed("t", { string_value = "y" }),
      typed("d", { doubleValue = 2.5 }), typed("e", { double_value = 3.5 }),
      typed("yes", { boolValue = true }), typed("no", { boolValue = false }),
      typed("l", { arrayValue = { values = { { intValue = "1" }, { stringValue = "z" } } } }),
      typed("m", { array_value = { values = {} } }), typed("odd", { x = 1 }),
      { key = "", value = { intValue = "1" } }, { value = { intValue = "1" } }, 7 } }
    assert.same({ i = 12, j = 13, f = 1.5, s = "x", t = "y", d = 2.5, e = 3.5, yes = true,
      no = false, l = { 1, "z" }, m = {} }, short(span.attributes))
    assert.equal("integer", math.type(span.attributes["i.session.id"]))
    assert.same({ a = 1, b = "c" }, short(one { attributes = { ["a.session.id"] = 1,
      ["b.session.id"] = "c",
      other = "a text of a prompt" } }.attributes))
    assert.same({ a = 12, b = 1.5, c = "12" }, short(one { tags = {
      { key = "a.session.id", type = "int64", value = "12" },
      { key = "b.session.id", type = "float64", value = "1.5" },
      { key = "c.session.id", type = "string", value = "12" } } }.attributes))
  end)

  it("failed where its status or its attribute says so", function()
    for _, status in ipairs { 2, "STATUS_CODE_ERROR", "ERROR", "error", { code = 2 },
      { status_code = "ERROR" }, { code = 2, message = "" } } do
      assert.equal("error", one { status = status }.failed)
    end
    assert.equal("why", one { status = { code = 2, message = "why" } }.failed)
    assert.equal("why", one { status = { code = 2, description = "why" } }.failed)
    assert.equal("error", one { attributes = { error = true } }.failed)
    for _, status in ipairs { 0, 1, "OK", "STATUS_CODE_OK", { code = 1, message = "why" }, {} } do
      assert.is_nil(one { status = status }.failed)
    end
    assert.is_nil(one { attributes = { error = false } }.failed)
    assert.is_nil(one { attributes = { error = "true" } }.failed)
  end)

  it("has its names in either spelling", function()
    for _, keys in ipairs { { "traceId", "spanId", "parentSpanId", "name" },
      { "trace_id", "span_id", "parent_span_id", "operationName" } } do
      local span = one { [keys[1]] = "a", [keys[2]] = "b", [keys[3]] = "c", [keys[4]] = "d" }
      assert.same({ "a", "b", "c", "d" }, { span.trace, span.id, span.parent, span.name })
    end
    local span = one { parentSpanId = "" }
    assert.same({ "", "", "?" }, { span.trace, span.id, span.name })
    assert.is_nil(span.parent)
  end)

  it("has a resource of its own or that of its batch", function()
    assert.equal("a", one { resource_attributes = { ["service.name"] = "a" } }.service)
    assert.equal("b", one { resource = { attributes = { ["service.name"] = "b" } } }.service)
    local batch = { resource = { attributes = { ["service.name"] = "c" } } }
    for _, key in ipairs { "scopeSpans", "scope_spans", "instrumentationLibrarySpans" } do
      local times = { startTimeUnixNano = 1, endTimeUnixNano = 2 }
      batch[key] = { { spans = { times } } }
      for _, top in ipairs { "resourceSpans", "resource_spans" } do
        local all = assert(spans.read { text = cjson.encode { [top] = { batch } } })
        assert.equal("c", all[1].service)
      end
      batch[key] = nil
    end
  end)

  it("says when the first token came, by an event", function()
    for _, event in ipairs { { name = "first token", timeUnixNano = ("%d"):format(T0 + 3) },
      { name = "gen_ai.first_token", time_unix_nano = ("%d"):format(T0 + 3) },
      { name = "llm first chunk", timestamp = "2023-11-14T22:13:20.000000003Z" } } do
      assert.equal(T0 + 3, one { events = { { name = "start" }, 7, event } }.first_ns)
    end
    assert.is_nil(one { events = { { name = "token", timeUnixNano = 1 } } }.first_ns)
  end)

  it("is damaged in any way without stopping the rest", function()
    for _, text in ipairs { '{"resourceSpans":[7,null,"x",{"scopeSpans":[7]},{"scopeSpans":7}]}',
      '{"data":[7,{"spans":[7,{"processID":3}],"processes":7}]}', '{"spans":[null]}',
      '{"resourceSpans":[{"resource":7,"scopeSpans":[{"spans":{}}]}]}' } do
      assert.equal(0, #assert(spans.read { text = text }))
    end
  end)
end)

describe("LangFuse's observations", function()
  local rows = { { id = "g", trace_id = "t", type = "GENERATION", parent_observation_id = "a",
      name = "answer", start_time = "2023-11-14 22:13:20.000000", input = { "a prompt" },
      end_time = "2023-11-14 22:13:22.500000", session_id = "s", provided_model_name = "m",
      completion_start_time = "2023-11-14 22:13:20.250000", usage_details = { input = 100,
        input_cached_tokens = 20, output = 7, total = 127 } },
    { id = "a", traceId = "t", type = "AGENT", startTime = "2023-11-14T22:13:19Z",
      endTime = "2023-11-14T22:13:23Z", level = "ERROR", statusMessage = "too long" },
    { id = "e", trace_id = "t", type = "EVENT", start_time = "2023-11-14 22:13:21.000000" } }

  it("are spans, a row each, with usage, first token and model", function()
    local lines = {}
    for i, row in ipairs(rows) do lines[i] = cjson.encode(row) end
    for _, text in ipairs { table.concat(lines, "\n"), cjson.encode(rows) } do
      assert.is_true(spans.known { text = text })
      local all = assert(spans.read { text = text })
      assert.same({ 2, 1 }, { #all, all.left_out }) -- an event has no end
      spans.classify(all)
      local agent, call = all[1], all[2]
      assert.same({ "agent", "too long", "request", "a" }, { agent.sort, agent.failed, call.sort,
        call.parent })
      assert.equal(agent, call.above)
      assert.same({ 120, 7, "m", "s" }, { spans.number(call, "prompt_tokens"),
        spans.number(call, "output_tokens"), spans.said(call, "model"), spans.session(call) })
      assert.same({ T0, T0 + 2500000000, T0 + 250000000 }, { call.start_ns, call.stop_ns,
        call.first_ns })
    end
  end)
end)

describe("which objects hold spans", function()
  it("is told by their shape", function()
    for _, yes in ipairs { { resourceSpans = {} }, { resource_spans = {} },
      { spans = {}, trace_id = "x" }, { spans = {}, traceId = "x" },
      { data = { { spans = {} } } } } do
      assert.is_true(spans.known { text = cjson.encode(yes) })
    end
    for _, no in ipairs { {}, { resourceSpans = 7 }, { spans = {} }, { trace_id = "x" },
      { spans = 7, traceId = "x" }, { data = {} }, { data = { 7 } },
      { data = { { spans = 1 } } } } do
      assert.is_false(spans.known { text = cjson.encode(no) })
    end
    assert.is_false(spans.known { text = "7" })
  end)
end)

describe("what a span says", function()
  local function said(attributes) return { attributes = attributes, trace = "t" } end

  it("goes by any of the conventions' names", function()
    for what, list in pairs {
      provider = { "gen_ai.provider.name", "gen_ai.system", "llm.provider" },
      prompt_tokens = { "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt", "llm.usage.prompt_tokens" },
      session = { "gen_ai.conversation.id", "session.id", "langfuse.session.id" } } do
      local attributes = {}
      for i = #list, 1, -1 do -- an earlier name counts more
        attributes[list[i]] = i
        assert.equal(i, spans.said(said(attributes), what))
      end
      attributes[list[1]] = cjson.null
      assert.equal(2, spans.said(said(attributes), what))
    end
    assert.is_nil(spans.said(said {}, "model"))
  end)

  it("is a whole number that is not below zero", function()
    for given, want in pairs { [7] = 7, [0] = 0, ["12"] = 12, [7.9] = 7 } do
      assert.equal(want, spans.number(said { ["gen_ai.request.max_tokens"] = given }, "max_tokens"))
    end
    for _, none in ipairs { -1, "x", {}, math.huge } do
      assert.is_nil(spans.number(said { ["gen_ai.request.max_tokens"] = none }, "max_tokens"))
    end
    assert.is_nil(spans.number(said {}, "max_tokens"))
  end)

  it("names its session, or its trace does", function()
    assert.equal("5", spans.session(said { ["session.id"] = 5, ["a.session.id"] = "x" }))
    assert.equal("x", spans.session(said { ["b.session.id"] = "y", ["a.session.id"] = "x",
      ["c.session.id"] = "z", ["session.idx"] = "w" }))
    assert.equal("t", spans.session(said { ["a.session.id.x"] = "x" }))
    for given, want in pairs { [5.0] = "5", [2.5] = "2.5", ["5.0"] = "5.0" } do
      assert.equal(want, spans.session(said { ["a.session.id"] = given }))
    end
  end)
end)

describe("the sort of a span", function()
  local function sorts(...)
    local all = { ... }
    spans.classify(all)
    local out = {}
    for i, span in ipairs(all) do out[i] = span.sort end
    return table.concat(out, " ")
  end
  local function span(attributes, more)
    local out = { attributes = attributes, trace = "t", id = "", start_ns = 0, stop_ns = 9 }
    for key, value in pairs(more or {}) do out[key] = value end
    return out
  end
  local function op(word) return span { ["gen_ai.operation.name"] = word } end
  local function kind(word) return span { ["openinference.span.kind"] = word } end

  it("is what its operation says, or its tokens", function()
    assert.equal("request request request request request request", sorts(op "chat",
      op "text_completion", op "generate_content", op "embeddings", kind "LLM", kind "EMBEDDING"))
    assert.equal("tool tool agent agent agent agent", sorts(op "execute_tool", kind "TOOL",
      op "invoke_agent", op "create_agent", op "invoke_workflow", kind "AGENT"))
    local tokens = { ["llm.token_count.prompt"] = 1, ["llm.token_count.completion"] = 2 }
    assert.equal("request span span span", sorts(span(tokens), op "other",
      span { ["llm.token_count.prompt"] = 1 }, span { ["llm.token_count.completion"] = 1 }))
  end)

  it("is a span where it wraps another request in time", function()
    local chat = { ["gen_ai.operation.name"] = "chat" }
    local function pair(outer, inner)
      outer.id, inner.id, inner.parent = "o", "i", "o"
      return sorts(span(chat, outer), span(chat, inner))
    end
    assert.equal("span request", pair({}, { start_ns = 1, stop_ns = 8 }))
    assert.equal("span request", pair({}, {}))
    assert.equal("request request", pair({}, { start_ns = -1 }))
    assert.equal("request request", pair({}, { stop_ns = 10 }))
    assert.equal("request request", pair({ trace = "u" }, {}))
    assert.equal("request", sorts(span(chat, { id = "o", parent = "o" })))
    assert.equal("agent request", sorts(span({ ["gen_ai.operation.name"] = "invoke_agent" },
      { id = "o" }), span(chat, { id = "i", parent = "o" })))
  end)
end)

-- ---- protocol buffers

local function varint(n)
  local out = ""
  repeat
    local low = n & 127
    n = n >> 7
    out = out .. string.char(n ~= 0 and low | 128 or low)
  until n == 0
  return out
end
local function bytes(number, text) return varint(number << 3 | 2) .. varint(#text) .. text end
local function whole(number, n) return varint(number << 3) .. varint(n) end
local function fixed(number, n) return varint(number << 3 | 1) .. string.pack("<i8", n) end
local function short(number, n) return varint(number << 3 | 5) .. string.pack("<i4", n) end
local ids <const> = bytes(1, ("\171"):rep(16)) .. bytes(2, ("\205"):rep(8))
local function message(span, resource)
  return bytes(1, bytes(1, resource or "") .. bytes(2, bytes(2, span)))
end
-- The spans of each resource, and its attributes.
local function read(text)
  return (protobuf.read({ text = text }, function()
    local out = { {} }
    return { of = out, span = function(span) table.insert(out[#out], span) end,
      resource = function(attributes)
        out[#out].attributes = attributes
        out[#out + 1] = {}
      end }
  end) or {}).of
end
local function span_of(text)
  local of = read(text)
  return of and of[1][1]
end

describe("OTLP's protocol buffers", function()
  it("have each field of a span under its number and in its form", function()
    assert.same({ traceId = ("ab"):rep(16), spanId = ("cd"):rep(8), parentSpanId = "0afe",
      name = "n", startTimeUnixNano = 5, endTimeUnixNano = 6, attributes = {
        { key = "s", value = { stringValue = "x" } }, { key = "b", value = { boolValue = true } },
        { key = "c", value = { boolValue = false } }, { key = "i", value = { intValue = -3 } },
        { key = "d", value = { doubleValue = 1.5 } }, {} },
      events = { { timeUnixNano = 7, name = "e" }, {} }, status = { code = 2, message = "m" } },
      span_of(message(ids .. bytes(4, "\10\254") .. bytes(5, "n") .. fixed(7, 5) .. fixed(8, 6)
        .. bytes(9, bytes(1, "s") .. bytes(2, bytes(1, "x")))
        .. bytes(9, bytes(1, "b") .. bytes(2, whole(2, 1)))
        .. bytes(9, bytes(1, "c") .. bytes(2, whole(2, 0)))
        .. bytes(9, bytes(1, "i") .. bytes(2, whole(3, -3)))
        .. bytes(9, bytes(1, "d") .. bytes(2, fixed(4, string.unpack("<i8",
          string.pack("<d", 1.5)))))
        .. bytes(9, "") .. bytes(11, fixed(1, 7) .. bytes(2, "e")) .. bytes(11, "")
        .. bytes(15, bytes(2, "m") .. whole(3, 2)) .. bytes(3, "state") .. whole(6, 1)
        .. short(16, 1))))
  end)

  it("are read to the first MiB of a long field", function()
    local e, most = ("é"):rep(1 << 20), (1 << 20) + (1 << 12)
    local function is_beginning(text)
      assert.is_true(#text > 1 << 20 and #text <= most and #text % 2 == 0)
      assert.equal(e:sub(1, #text), text)
    end
    local long = ids .. bytes(3, e) .. bytes(5, e) .. fixed(7, 5)
      .. bytes(9, bytes(1, "s") .. bytes(2, bytes(1, e)))
      .. bytes(9, bytes(1, "t") .. bytes(2, bytes(1, "x")))
      .. bytes(11, fixed(1, 7) .. bytes(2, e)) .. bytes(15, bytes(2, e) .. whole(3, 2))
      .. fixed(8, 6)
    local of = read(bytes(1, bytes(1, bytes(1, bytes(1, "r") .. bytes(2, bytes(1, e)))
      .. bytes(1, bytes(1, "u") .. bytes(2, bytes(1, "y")))) .. bytes(2, bytes(2, long)
      .. bytes(2, ids .. bytes(5, "next")))))
    local span = of[1][1]
    is_beginning(span.name)
    is_beginning(span.attributes[1].value.stringValue)
    is_beginning(span.status.message)
    assert.equal(2, span.status.code)
    assert.same({ key = "t", value = { stringValue = "x" } }, span.attributes[2])
    assert.same({ 5, 6, 7 }, { span.startTimeUnixNano, span.endTimeUnixNano,
      span.events[1].timeUnixNano })
    assert.equal("next", of[1][2].name)
    is_beginning(of[1].attributes[1].value.stringValue)
    assert.equal("y", of[1].attributes[2].value.stringValue)
  end)

  it("are read wherever in a field they are cut", function()
    for more = -16, 2 do
      local name = ("x"):rep((1 << 20) + (1 << 12) + more)
      local span = span_of(message(ids .. bytes(11, bytes(2, name) .. fixed(1, 7))
        .. bytes(5, "n")))
      assert.equal("n", span and span.name, more)
      assert.equal(1, #span.events)
    end
  end)

  it("are none where what is long does not begin as a span", function()
    assert.is_nil(read(bytes(1, bytes(2, bytes(2, ("x"):rep(1 << 21))))))
    assert.is_nil(read(bytes(1, bytes(2, bytes(2, bytes(5, ("x"):rep(1 << 21)) .. ids)))))
    assert.is_nil(read(bytes(1, bytes(2, bytes(2, ids .. bytes(5, ("x"):rep(1 << 21)))))
      :sub(1, -9)))
  end)

  it("leave out a field in another form than its own", function()
    assert.same({ traceId = ("ab"):rep(16), spanId = ("cd"):rep(8), attributes = {
      { value = { stringValue = "v" } }, { key = "k" }, { key = "w", value = {} } },
      events = { {} }, status = {} },
      span_of(message(ids .. whole(1, 9) .. whole(2, 9) .. whole(4, 9) .. whole(5, 9)
        .. whole(9, 9) .. whole(11, 9) .. whole(15, 9)
        .. bytes(9, whole(1, 9) .. bytes(2, bytes(1, "v") .. whole(1, 9)))
        .. bytes(9, bytes(1, "k") .. whole(2, 9))
        .. bytes(9, bytes(1, "w") .. bytes(2, bytes(2, "") .. bytes(3, "") .. bytes(4, "")))
        .. bytes(11, whole(2, 9)) .. bytes(15, whole(2, 9)))))
  end)

  it("have the resource of a batch, and spans of several", function()
    local both = message(ids, bytes(1, bytes(1, "a") .. bytes(2, bytes(1, "b"))) .. bytes(2, "no")
      .. whole(1, 3)) .. bytes(1, bytes(2, bytes(2, ids) .. bytes(2, ids) .. bytes(1, "scope")
      .. whole(2, 1)) .. bytes(3, "schema") .. whole(2, 1))
    local of = read(both)
    assert.same({ { key = "a", value = { stringValue = "b" } } }, of[1].attributes)
    assert.same({ 1, 2, 0 }, { #of[1], #of[2], #of[3] })
    assert.same({}, of[2].attributes)
  end)

  it("are none without a span that has its ids in full", function()
    assert.is_nil(read "")
    for _, span in ipairs { "", bytes(1, ("x"):rep(16)), bytes(2, ("x"):rep(8)),
      bytes(1, ("x"):rep(15)) .. bytes(2, ("x"):rep(8)),
      bytes(1, ("x"):rep(16)) .. bytes(2, ("x"):rep(9)) } do
      assert.is_nil(read(message(span)))
    end
    assert.is_table(read(message("") .. message(ids)))
  end)

  it("are none where a field does not fit or is none", function()
    assert.is_nil(read(message(ids .. bytes(5, "name"):sub(1, -2) .. "")))
    for _, tail in ipairs { varint(7 << 3 | 1) .. "1234567", varint(7 << 3 | 5) .. "123",
      varint(5 << 3 | 2) .. "\1", varint(6 << 3) .. ("\255"):rep(11), varint(7 << 3 | 3),
      varint(7 << 3 | 4) } do
      assert.is_nil(read(message(ids .. tail)))
    end
    for _, tail in ipairs { varint(7 << 3 | 1) .. "12345678", varint(7 << 3 | 5) .. "1234",
      varint(5 << 3 | 2) .. "\0", varint(6 << 3) .. ("\255"):rep(9) .. "\1" } do
      assert.is_table(read(message(ids .. tail)))
    end
    assert.is_nil(read(message(ids) .. bytes(2, "x")))
    assert.is_nil(read(message(ids) .. whole(1, 2)))
  end)

  it("have four bytes of length before each, where a collector wrote them", function()
    local framed = string.pack(">I4", #message(ids)) .. message(ids)
    assert.equal(1 + 1, #read(framed))
    assert.equal(3 + 1, #read(framed:rep(3)))
    for _, none in ipairs { framed:sub(1, -2), framed .. "\0", framed .. "\0\0\0\0",
      framed .. "\0\0\0", framed .. "\0\0\0\1" } do
      assert.is_nil(read(none))
    end
  end)
end)

-- ---- records

local function records(text, numbers)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  local found = assert(telemetry.records(path, numbers))
  file = assert(io.open(path, "wb")) -- it has been read
  assert(found:write(file))
  file:close()
  local lines = assert(io.open(path, "rb")):read "a"
  os.remove(path)
  local out = { source = {}, track = {}, async = {}, request = {}, class = {}, problem = {},
    edge = {}, layout = {}, header = {}, fact = {} }
  for line in lines:gmatch "[^\n]+" do
    local record = cjson.decode(line)
    table.insert(out[record.record], record)
  end
  return out
end

describe("records of telemetry", function()
  local function dump(...) return cjson.encode { trace_id = "t", spans = { ... } } end
  local function request(id, at, length, attributes, more)
    attributes["gen_ai.operation.name"] = attributes["gen_ai.operation.name"] or "chat"
    local out = { span_id = id, start_time_unix_nano = at, end_time_unix_nano = at + length,
      attributes = attributes, trace_id = "t", name = "call " .. id }
    for key, value in pairs(more or {}) do out[key] = value end
    return out
  end

  it("number requests by class, over all files of a run", function()
    local numbers = { classes = {}, class_count = 0, counts = {} }
    local first = records(dump(request("a", 1, 5, {}), request("b", 2, 5,
      { ["gen_ai.operation.name"] = "embeddings" }, { status = 2 }), request("c", 3, 5, {})),
      numbers)
    assert.same({ "chat", "embeddings" }, { first.class[1].name, first.class[2].name })
    local all = {}
    for i, r in ipairs(first.request) do
      all[i] = ("%d.%d %d+%d %s"):format(r.request >> 48, r.request & 0xffff, r.arrival_ns,
        r.end_ns - r.arrival_ns, r.outcome)
    end
    assert.same({ "0.0 1+5 ok", "1.0 2+5 dropped", "0.1 3+5 ok" }, all)
    local second = records(dump(request("d", 1, 5, {})), numbers)
    assert.equal(2, second.request[1].request)
    assert.equal(0, #second.class)
  end)

  it("say what a span says, on the track of its service and agent", function()
    local all = records(dump(
      request("a", 100, 50, { ["gen_ai.usage.input_tokens"] = 7,
        ["gen_ai.usage.output_tokens"] = 8, ["gen_ai.response.model"] = "m", ["llm.provider"] = "p",
        ["gen_ai.agent.name"] = "planner", ["gen_ai.response.time_to_first_chunk"] = 1.5e-9 },
        { resource_attributes = { ["service.name"] = "shop" }, parent_span_id = "b" }),
      request("b", 90, 70, { ["gen_ai.operation.name"] = "execute_tool", ["tool.name"] = "bash",
        ["gen_ai.tool.call.id"] = 5 }),
      request("c", 95, 1, { ["gen_ai.operation.name"] = "execute_tool" }),
      request("d", 200, 0, { ["gen_ai.operation.name"] = "other" })))
    local named = {}
    for _, span in ipairs(all.async) do named[span.args.span] = span end
    assert.same({ trace = "t", session = "t", span = "a", parent = "b", agent = "planner",
      request = 0, prompt_tokens = 7, output_tokens = 8, model = "m", provider = "p", ttft_ns = 2 },
      named.a.args)
    assert.same({ 100, 50, "chat" }, { named.a.start_ns, named.a.dur_ns, named.a.name })
    assert.same({ "bash", "bash", "5" }, { named.b.name, named.b.args.tool, named.b.args.call })
    assert.same({ "call c", "call d" }, { named.c.name, named.d.name })
    local tracks = {}
    for _, track in ipairs(all.track) do
      tracks[track.track] = track.process .. "/" .. track.name
    end
    assert.equal("shop/planner", tracks[named.a.track])
    assert.equal("application/spans", tracks[named.b.track])
    assert.equal(named.b.track, named.d.track)
    assert.equal(2, #all.track)
    assert.equal(1, #all.edge)
    assert.same({ 100, 0, named.b.track, named.a.track }, { all.edge[1].start_ns,
      all.edge[1].dur_ns, all.edge[1].track, all.edge[1].args.to_track })
    assert.equal("4 spans, 1 request of 1 session", all.source[1].detail)
    assert.equal(0, #all.problem)
  end)

  it("have the first token by an event or by seconds that can be", function()
    local function ttft(seconds, events)
      local all = records(dump(request("a", 100, 50, { ["gen_ai.usage.input_tokens"] = 1,
        ["gen_ai.response.time_to_first_chunk"] = seconds }, { events = events })))
      return all.async[1].args.ttft_ns
    end
    assert.equal(7, ttft(1, { { name = "first token", timeUnixNano = 107 } }))
    assert.equal(0, ttft(0))
    assert.equal(250000000, ttft "0.25")
    assert.is_nil(ttft(-1))
    assert.is_nil(ttft(1e9))
    assert.is_nil(ttft "soon")
  end)

  it("count what has no times and what has no tokens", function()
    local all = records(dump(request("a", 1, 5, {}), { span_id = "x" }, request("b", 1, 5,
      { ["session.id"] = "s", ["gen_ai.usage.input_tokens"] = 3 }), request("c", 1, 5, {})))
    local kinds = {}
    for _, problem in ipairs(all.problem) do kinds[problem.kind] = problem.count end
    assert.same({ ["spans without times (left out)"] = 1,
      ["requests without counts of tokens (texts are not counted)"] = 2 }, kinds)
    assert.equal("3 spans, 3 requests of 2 sessions", all.source[1].detail)
  end)
end)
