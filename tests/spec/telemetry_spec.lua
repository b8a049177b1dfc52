-- Telemetry as runs: OpenTelemetry's spans in each of their spellings, and the requests that load
-- generators list. Counts and sums are those of the files, taken here by another way, and those
-- that came with the samples where these lie beside the checkout.

local cjson = require "cjson"
local core = require "tandem.core"
local infile = require "tandem.io.infile"
local td = require "tandem"

local store_path

local function imported(path)
  local store = assert(td.store(store_path))
  local run, message, code = store:import(path)
  return run, message, code
end

local function temporary(text)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

local function import_text(text)
  local path = temporary(text)
  local run, message, code = imported(path)
  os.remove(path)
  return run, message, code
end

-- What a run's spans of a category say together.
local function sums(run, category)
  local out = { n = 0, prompt = 0, output = 0, max = 0, length = 0 }
  local first, last = math.maxinteger, math.mininteger
  for row in run:spans { category = category } do
    local args = type(row.args) == "string" and cjson.decode(row.args) or row.args
    out.n = out.n + 1
    out.prompt = out.prompt + (args.prompt_tokens or 0)
    out.output = out.output + (args.output_tokens or 0)
    out.max = out.max + (args.max_tokens or 0)
    out.length = out.length + row.dur_ns
    first = math.min(first, row.start_ns)
    last = math.max(last, row.start_ns + row.dur_ns)
    out.last = args
  end
  out.extent = last - first
  return out
end

setup(function() store_path = os.tmpname() os.remove(store_path) end)
teardown(function()
  for _, tail in ipairs { "", "-wal", "-shm" } do os.remove(store_path .. tail) end
end)

local T0 <const> = 1700000000000000000

local function otlp(attributes, more)
  local span = { traceId = ("ab"):rep(16), spanId = ("cd"):rep(8), name = "chat m",
    startTimeUnixNano = ("%d"):format(T0), endTimeUnixNano = ("%d"):format(T0 + 2000000000),
    attributes = {} }
  for key, value in pairs(attributes) do
    table.insert(span.attributes, { key = key, value = value })
  end
  for key, value in pairs(more or {}) do span[key] = value end
  return span
end

local function object(...)
  return cjson.encode { resourceSpans = { { resource = { attributes = { { key = "service.name",
    value = { stringValue = "shop" } } } }, scopeSpans = { { spans = { ... } } } } } }
end

local chat = { ["gen_ai.operation.name"] = { stringValue = "chat" },
  ["gen_ai.usage.input_tokens"] = { intValue = "900" },
  ["gen_ai.usage.output_tokens"] = { intValue = "70" } }

describe("spans of OpenTelemetry", function()
  it("become requests, from flat dumps", function()
    local run = assert(imported "tests/data/telemetry/prefix_sharing_example.json")
    local all = sums(run, "request")
    assert.equal(7, all.n)
    assert.equal(1065, all.prompt)
    assert.equal(280, all.output)
    assert.equal(13000000000, all.extent)
    run = assert(imported "tests/data/telemetry/parallel_requests.json")
    all = sums(run, "request")
    assert.equal(5, all.n)
    assert.equal(5500, all.max)
    assert.equal(10500000000, all.length)
    local problem = run:problems():all()[1]
    assert.equal(5, problem.count)
    assert.matches("without counts of tokens", problem.kind, 1, true)
  end)

  it("of several files are one run", function()
    local run = assert(imported { "tests/data/telemetry/parallel_requests.json",
      "tests/data/telemetry/prefix_sharing_example.json" })
    assert.equal(12, sums(run, "request").n)
    run = assert(imported "tests/data/telemetry") -- the licence beside them is left out
    assert.equal(12, sums(run, "request").n)
  end)

  it("are OTLP's, in one object or one a line, with 64-bit times and tokens as texts", function()
    local one = object(otlp(chat))
    for text, count in pairs { [one] = 1, [one .. "\n" .. one .. "\n"] = 2 } do
      local all = sums(assert(import_text(text)), "request")
      assert.equal(count, all.n)
      assert.equal(900 * count, all.prompt)
      assert.equal(2000000000 * count, all.length)
      assert.equal(("ab"):rep(16), all.last.trace)
    end
  end)

  it("are Jaeger's, in microseconds", function()
    local run = assert(import_text(cjson.encode { data = { { traceID = "1", spans = { {
      traceID = "1", spanID = "2", operationName = "chat", startTime = T0 // 1000,
      duration = 1500000, processID = "p1", references = {}, tags = {
        { key = "gen_ai.operation.name", type = "string", value = "chat" },
        { key = "gen_ai.usage.prompt_tokens", type = "int64", value = 11 },
        { key = "gen_ai.usage.completion_tokens", type = "int64", value = 3 },
        { key = "error", type = "bool", value = true } } } },
      processes = { p1 = { serviceName = "shop" } } } } }))
    local all = sums(run, "request")
    assert.equal(1500000000, all.length)
    assert.equal(11, all.prompt)
    assert.equal(3, all.output)
    assert.equal("error", all.last.error)
  end)

  it("are tools and agents too, and a request around a request counts once", function()
    local run = assert(import_text(object(
      otlp({ ["gen_ai.operation.name"] = { stringValue = "invoke_agent" } }, { spanId = "a1" }),
      otlp(chat, { spanId = "b1", parentSpanId = "a1" }),
      otlp(chat, { spanId = "c1", parentSpanId = "b1" }),
      otlp({ ["gen_ai.operation.name"] = { stringValue = "execute_tool" },
        ["gen_ai.tool.name"] = { stringValue = "bash" } }, { spanId = "d1", parentSpanId = "a1" }),
      otlp({}, { spanId = "e1", name = "HTTP GET" }))))
    assert.equal(1, sums(run, "request").n)
    assert.equal(1, sums(run, "agent").n)
    assert.equal("bash", sums(run, "tool").last.tool)
    assert.equal(2, sums(run, "span").n)
  end)

  it("have names that are cut as those of any trace, and counted", function()
    local name = ("ä"):rep(9 << 20)
    local run = assert(import_text(object(otlp(chat, { name = name, spanId = "1" }),
      otlp({ ["http.body"] = { stringValue = name } }, { name = name, spanId = "2" }))))
    assert.same({ { "names of more than 1 MiB (cut)", 1 } }, { { run:problems():all()[1].kind,
      run:problems():all()[1].count } })
    assert.equal(name:sub(1, 1 << 20), run:spans { category = "span" }().name)
    assert.equal(1, sums(run, "request").n)
  end)

  -- A writer of protocol buffers: varints, lengths, fixed numbers.
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
  local function fixed(number, n) return varint(number << 3 | 1) .. string.pack("<i8", n) end
  local function attribute(key, value) return bytes(9, bytes(1, key) .. bytes(2, value)) end

  local span = bytes(1, ("\171"):rep(16)) .. bytes(2, ("\205"):rep(8)) .. bytes(5, "chat m")
    .. fixed(7, T0) .. fixed(8, T0 + 2000000000)
    .. attribute("gen_ai.operation.name", bytes(1, "chat"))
    .. attribute("gen_ai.usage.input_tokens", varint(3 << 3) .. varint(900))
    .. attribute("gen_ai.usage.output_tokens", varint(3 << 3) .. varint(70))
  local message = bytes(1, bytes(1, bytes(1, bytes(1, "service.name")
    .. bytes(2, bytes(1, "shop")))) .. bytes(2, bytes(2, span)))

  it("are OTLP's protocol buffers, bare or with lengths", function()
    local framed = string.pack(">I4", #message) .. message
    for text, count in pairs { [message] = 1, [framed .. framed] = 2 } do
      local all = sums(assert(import_text(text)), "request")
      assert.equal(count, all.n)
      assert.equal(70 * count, all.output)
      assert.equal(("ab"):rep(16), all.last.trace)
    end
  end)

  -- The only span of a message with more fields, and its track's process.
  local function read(more, resource)
    local one = span .. attribute("a", bytes(1, "b")) .. more
    local whole = bytes(1, (resource or bytes(1, bytes(1, bytes(1, "service.name")
      .. bytes(2, bytes(1, "shop"))))) .. bytes(2, bytes(2, one)))
    local run = assert(import_text(whole))
    return sums(run, "request").last, run:tracks():all()[1]
  end

  it("say what failed and when the first token came, in protocol buffers too", function()
    local args, track = read(bytes(15, bytes(2, "too long") .. varint(3 << 3) .. varint(2))
      .. bytes(11, fixed(1, T0 + 300000000) .. bytes(2, "first token"))
      .. bytes(4, ("\18"):rep(8)))
    assert.equal("too long", args.error)
    assert.equal(300000000, args.ttft_ns)
    assert.equal("shop", track.process)
    assert.equal("error", (read(bytes(15, varint(3 << 3) .. varint(2)))).error)
    assert.is_nil((read(bytes(15, varint(3 << 3) .. varint(1)))).error)
    assert.equal("application", select(2, read("", bytes(1, ""))).process)
  end)

  it("have the parent that a reference of Jaeger's calls so", function()
    local function named(id, references, more)
      local out = { traceID = "1", spanID = id, operationName = "step", startTime = T0 // 1000,
        duration = 1000, references = references, processID = "p" }
      for key, value in pairs(more or {}) do out[key] = value end
      return out
    end
    local run = assert(import_text(cjson.encode { data = { { traceID = "1",
      processes = { p = { serviceName = "shop" } }, spans = { named "a", named("b",
        { { refType = "FOLLOWS_FROM", spanID = "x" }, { refType = "CHILD_OF", spanID = "a" } }) } }
      } }))
    local parents = {}
    for row in run:spans { category = "span" } do
      local args = type(row.args) == "string" and cjson.decode(row.args) or row.args
      parents[#parents + 1] = args.parent
    end
    assert.same({ "a" }, parents)
  end)

  it("are refused in one line when they are damaged", function()
    for cut = 1, #message - 1, 7 do
      local run, problem = import_text(message:sub(1, cut))
      assert.is_nil(run)
      assert.matches("in none of the formats", problem, 1, true)
    end
    local text = object(otlp(chat))
    for cut = 40, #text - 3, 23 do
      local run, problem = import_text(text:sub(1, cut))
      assert.is_nil(run)
      assert.is_string(problem)
      assert.is_nil(problem:find "\n")
    end
    local _, second = import_text(text .. "\n{\"resourceSpans\": [}\n")
    assert.matches("object 2 of it cannot be read", second, 1, true)
    local _, problem = import_text(object(otlp(chat, { endTimeUnixNano = "yesterday" })))
    assert.matches("holds no span with times", problem, 1, true)
  end)
end)

describe("requests of load generators", function()
  it("become runs, with those that failed counted", function()
    local lines = {}
    for i = 1, 4 do
      lines[i] = cjson.encode { metadata = { x_request_id = tostring(i), credit_phase = "profiling",
        request_start_ns = 1000000 * i, was_cancelled = i == 3 }, metrics = {
        input_sequence_length = { value = 100 + i, unit = "tokens" },
        output_sequence_length = { value = 10 * i, unit = "tokens" },
        [i == 1 and "ttft" or "time_to_first_token"] = { value = 20, unit = "ms" },
        request_latency = { value = 50, unit = "ms" } } }
    end
    local run = assert(import_text(table.concat(lines, "\n") .. "\n"))
    local all = sums(run, "request")
    assert.equal(3, all.n)
    assert.equal(101 + 102 + 104, all.prompt)
    assert.equal(70, all.output)
    assert.equal(150000000, all.length)
    assert.equal(20000000, all.last.ttft_ns)
    local problem = run:problems():all()[1]
    assert.equal(1, problem.count)
    assert.matches("failed or had no answer", problem.kind, 1, true)
  end)

  it("are refused where only sums were kept, with what would keep them", function()
    local _, problem = import_text(cjson.encode { request_throughput = 1, mean_ttft_ms = 2,
      mean_tpot_ms = 3, ttfts = {} })
    assert.matches("sums that do not tell how many requests", problem, 1, true)
    assert.matches("--save-detailed", problem, 1, true)
  end)
end)

describe("samples", function()
  it("have the counts and sums that came with them", function()
    for _, up in ipairs { "../", "../../" } do
      local folder = up .. "shared/data/interop/otel_genai/"
      local text = infile.read(folder .. "expected.json")
      for name, expected in pairs(text and core.files.list(folder) and cjson.decode(text) or {}) do
        local all = sums(assert(imported(folder .. name)), "request")
        assert.equal(expected.spans, all.n)
        assert.equal(expected.sum_input_tokens, all.prompt)
        assert.equal(expected.sum_output_tokens, all.output)
        assert.equal(expected.sum_max_tokens, all.max)
        assert.near(expected.extent_s, all.extent / 1e9, 1e-9)
        assert.near(expected.sum_duration_s, all.length / 1e9, 1e-9)
      end
    end
  end)
end)
