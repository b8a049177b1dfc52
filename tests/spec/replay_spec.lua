-- Recorded arrivals: CSV and JSON Lines readers, column mapping, times.

local csv_reader = require "tandem.io.csv_reader"
local replay = require "tandem.replay"
local td = require "tandem"

local workloads = "tests/data/workloads/"

local function temporary(text)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

local function load_text(text, options)
  options = options or {}
  options.file = temporary(text)
  local data, problem, key = replay.load(options)
  os.remove(options.file)
  return data, problem, key
end

describe("CSV of a recording", function()
  it("reads quotes, CRLF, empty fields and line breaks inside fields", function()
    local rows, line_numbers =
      csv_reader.all 'a,b,c\r\n1,"x, ""y""",\r\n\r\n"two\r\nlines",2,3\nlast,,'
    assert.same({ { "a", "b", "c" }, { "1", 'x, "y"', "" }, { "two\r\nlines", "2", "3" },
      { "last", "", "" } }, rows)
    assert.same({ 1, 2, 4, 6 }, line_numbers)
  end)

  it("names the line of a quote that is not closed", function()
    local rows, problem = csv_reader.all 'a\n"b'
    assert.is_nil(rows)
    assert.matches("line 2", problem, 1, true)
  end)
end)

describe("replay.timestamp_ns", function()
  it("keeps every digit", function()
    assert.equal(0, replay.timestamp_ns "1970-01-01 00:00:00")
    assert.equal(1700158623979960000, replay.timestamp_ns "2023-11-16 18:17:03.9799600")
    assert.equal(1700158623000000000, replay.timestamp_ns "2023-11-16T18:17:03Z")
    assert.equal(1700155023000000000, replay.timestamp_ns "2023-11-16T18:17:03+01:00")
    assert.equal(951782400000000000, replay.timestamp_ns "2000-02-29 00:00:00")
    assert.is_nil(replay.timestamp_ns "2023-13-16 18:17:03")
    assert.is_nil(replay.timestamp_ns "yesterday")
  end)
end)

describe("replay.load", function()
  it("reads the Azure layout as it is", function()
    local data = assert(replay.load { file = workloads .. "azure_conv_200.csv" })
    assert.equal(200, #data.times)
    assert.equal(0, data.times[1])
    assert.equal(4.314579, data.times[2])
    assert.equal(374, data.attrs.prompt_tokens[1])
    assert.equal(44, data.attrs.output_tokens[1])
    assert.equal(44, data.attrs.tokens[1])
  end)

  it("reads the Mooncake layout as it is", function()
    local data = assert(replay.load { file = workloads .. "mooncake_conv_100.jsonl" })
    assert.equal(100, #data.times)
    assert.equal(6758, data.attrs.prompt_tokens[1])
    assert.equal(500, data.attrs.tokens[1])
    assert.equal(0, data.attrs.prefix[1])
    for i = 2, 100 do assert.is_true(data.times[i] >= data.times[i - 1]) end
    assert.is_true(data.times[100] > 1 and data.times[100] < 1000)
  end)

  it("maps columns, scales and speeds up", function()
    local text = "when,n\n1000,5\n3000,7\n"
    local data = assert(load_text(text, { columns = { arrival = "when", tokens = "n" },
      scale = 1e-3, speed = 2 }))
    assert.same({ 0, 1 }, data.times)
    assert.same({ tokens = { 5, 7 } }, data.attrs)
  end)

  it("takes the unit of time from the name of the column", function()
    assert.same({ 0, 0.002 }, (load_text "arrival_ms,n\n1,1\n3,1\n").times)
    assert.same({ 0, 2e-9 }, (load_text "arrival_ns,n\n1,1\n3,1\n").times)
    assert.same({ 0, 2 }, (load_text "arrival,n\n1,1\n3,1\n").times)
  end)

  it("puts requests in order of time, ties as written", function()
    local data = load_text "arrival,n\n5,1\n2,2\n5,3\n2,4\n"
    assert.same({ 0, 0, 3, 3 }, data.times)
    assert.same({ 2, 4, 1, 3 }, data.attrs.n)
  end)

  it("stops at the limit", function()
    assert.equal(2, #load_text("arrival,n\n1,1\n2,1\n3,1\n", { limit = 2 }).times)
    assert.equal(2, #load_text('{"t":1}\n{"t":2}\n{"t":3}\n', { limit = 2 }).times)
  end)

  it("reads JSON Lines with escapes and nested values", function()
    local data = assert(
      load_text '{"t": 1, "s": "a\\"b", "o": {"x": [1]}, "n": 3}\n{"t":2,"n":4}\n')
    assert.same({ 0, 1 }, data.times)
    assert.same({ 3, 4 }, data.attrs.n)
  end)

  it("names the line of a bad row and the option at fault", function()
    local data, problem = load_text "arrival,n\n1,1\n2,x\n"
    assert.is_nil(data)
    assert.matches(":3: column 'n': 'x' is not a number", problem, 1, true)
    data, problem = load_text "a,b\n1,2\n"
    assert.is_nil(data)
    assert.matches("no arrival column", problem, 1, true)
    local _, missing, key = load_text("arrival,n\n1,2\n", { columns = { tokens = "m" } })
    assert.matches("there is no column 'm'", missing, 1, true)
    assert.equal("columns", key)
    assert.is_nil((load_text "arrival,n\n"))
    assert.is_nil((replay.load { file = "/no/such/file.csv" }))
    assert.matches("line 2", select(2, load_text '{"t":1}\n{"t":\n'), 1, true)
  end)

  it("becomes a list of arrivals with attributes", function()
    local s = td.scenario "r" { workload = td.replay { file = workloads .. "azure_conv_200.csv",
      limit = 10 }, pipeline = { td.stage "s" { on = "cpu", cost = function(r)
        return r.tokens * 1e-3 + r.prompt_tokens * 1e-6
      end } } }
    local m = s:model()
    assert.equal("list", m.classes[1].arrivals.kind)
    assert.equal(10, #m.classes[1].arrivals.times)
    assert.is_nil(m.requests)
    assert.same({ "output_tokens", "prompt_tokens", "tokens" }, m.attrs)
  end)

  it("says that a packed trace is damaged, and leaves a request's own fields to it", function()
    assert.matches("its gzip data ends too early", select(2, load_text "\x1f\x8b\b\0rest"), 1, true)
    assert.same({ tokens = { 5 } }, load_text("time,id,batch,tokens\n1,2,3,5\n").attrs)
  end)
end)

describe("replay from rows", function()
  local function scenario(workload)
    return td.scenario "rows" { workload = workload, pipeline = {
      td.stage "s" { on = "cpu", cost = function(r) return r.tokens * 1e-3 end } } }
  end

  it("puts them in order, from the first arrival, faster when told, no more than told", function()
    local rows = { { arrival = 0.5, tokens = 128 }, { arrival = "700ms", tokens = 3 },
      { arrival = 0.25, tokens = 1 } }
    local m = scenario(td.replay { rows = rows }):model()
    assert.same({ 0, 0.25, 0.7 - 0.25 }, m.classes[1].arrivals.times)
    assert.same({ tokens = { 1, 128, 3 } }, m.classes[1].arrivals.rows.attrs)
    m = scenario(td.replay { rows = rows, speed = 2, limit = 2 }):model()
    assert.near(0.1, m.classes[1].arrivals.times[2], 1e-15)
    assert.same({ tokens = { 128, 3 } }, m.classes[1].arrivals.rows.attrs)
  end)

  it("means what the same rows in a file mean", function()
    local rows = {}
    for i = 1, 50 do rows[i] = { arrival = i * 1.000000007, tokens = i * 1.1, z = -i } end
    local data = assert(load_text(replay.csv_of(rows)))
    local of_rows = assert(replay.of_rows { rows = rows })
    assert.same(of_rows.attrs, data.attrs)
    for i, t in ipairs(of_rows.times) do assert.near(t, data.times[i], 1e-12) end
    assert.equal("arrival,tokens,z\n1.000000007,1.1,-1\n",
      (replay.csv_of(rows):gsub("\n2%..*", "\n")))
  end)

  it("is the same scenario from JSON, and another one when a number differs", function()
    local one = scenario(td.replay { rows = { { arrival = 0, tokens = 1 },
      { arrival = 1, tokens = 2 } } })
    local back = assert(td.load("x.json", { text = one:to_json() }))
    assert.equal(one:hash(), back:hash())
    assert.not_equal(one:hash(), one:with { ["workload.rows.2.tokens"] = 3 }:hash())
    assert.matches("replay: rows, 2 requests", tostring(one), 1, true)
  end)

  it("says which row lacks what", function()
    for text, body in pairs {
      ["workload: wants file = \"trace.csv\" or rows"] = {},
      ["workload.rows: give file or rows, not both"] =
        { file = "x.csv", rows = { { arrival = 1 } } },
      ["workload.rows: is empty"] = { rows = {} },
      ["workload.rows: row 2 has no arrival"] = { rows = { { arrival = 1 }, { tokens = 3 } } },
      ["workload.rows: row 2 has no 't', which row 1 has"] =
        { rows = { { arrival = 1, t = 2 }, { arrival = 3 } } },
      ["workload.rows: row 2 has 't', which row 1 has not"] =
        { rows = { { arrival = 1 }, { arrival = 3, t = 2 } } },
      ["workload.rows[1].batch: every request has its own r.batch"] =
        { rows = { { arrival = 1, batch = 2 } } },
      ["workload.scale: says how a file is read"] = { rows = { { arrival = 1 } }, scale = 2 },
    } do
      local ok, problems = pcall(scenario, td.replay(body))
      assert.is_false(ok)
      assert.matches(text, tostring(problems), 1, true)
    end
  end)
end)

describe("classes that are replayed from one recording", function()
  local path
  before_each(function()
    path = temporary "t,who,n\n100,a,1\n105,b,2\n110,a,3\n115,b,4\n"
  end)
  after_each(function() os.remove(path) end)

  -- Times of arrival by class, and after how long each comes again.
  local function times(a, b)
    local model = td.scenario "two" { resources = { td.pool "srv" {} },
      pipeline = { td.stage "s" { on = "srv", cost = "1s" } },
      classes = { { name = "a", workload = td.replay(a) },
        { name = "b", workload = td.replay(b) } },
    }:model()
    local first, second = model.classes[1].arrivals, model.classes[2].arrivals
    return first.times, second.times, first.period, second.period
  end

  local function file(who, more)
    local options = { file = path, format = "csv", columns = { arrival = "t" },
      where = { who = who } }
    for key, value in pairs(more or {}) do options[key] = value end
    return options
  end

  it("keep their distances", function()
    local a, b = times(file "a", file "b")
    assert.same({ { 0.0, 10.0 }, { 5.0, 15.0 } }, { a, b })
    a, b = times(file("a", { speed = 5 }), file("b", { speed = 5 }))
    assert.same({ { 0.0, 2.0 }, { 1.0, 3.0 } }, { a, b })
  end)

  it("from where each begins", function()
    local a, b = times(file("a", { from = "10s" }), file "b")
    assert.same({ { 5.0 }, { 0.0, 10.0 } }, { a, b })
  end)

  it("over and over", function()
    local thrice = { ["repeats"] = 3 }
    local _, b, first, second = times(file("a", thrice), file("b", thrice))
    assert.same({ 5.0, 15.0 }, b)
    assert.equal(first, second)
    assert.is_true(first >= 15)
  end)

  it("as rows, too; other recordings begin by themselves", function()
    local rows = { { arrival = 3 }, { arrival = 4 } }
    local a, b = times({ rows = rows }, { rows = { { arrival = 7 } } })
    assert.same({ { 0.0, 1.0 }, { 4.0 } }, { a, b })
    a, b = times(file "a", { rows = rows })
    assert.same({ { 0.0, 10.0 }, { 0.0, 1.0 } }, { a, b })
  end)

  it("meet nobody whom they did not meet then", function()
    local function class(name, begin)
      return { name = name, workload = td.replay { rows = { { arrival = begin, sv = 1 },
        { arrival = begin + 10, sv = 1 } } } }
    end
    local result = assert(td.scenario "apart" { resources = { td.pool "srv" {} },
      pipeline = { td.stage "s" { on = "srv", cost = "r.sv" } },
      classes = { class("a", 0), class("b", 5) }, warmup = "none", replications = 1 }:run())
    assert.equal(1, result.latency.max)
  end)
end)
