--- The pieces of recorded arrivals by hand: texts, layouts, schedules, and what a reading keeps.
local core = require "tandem.core"
local csv_reader = require "tandem.io.csv_reader"
local layouts = require "tandem.replay.layouts"
local replay = require "tandem.replay"
local schedule = require "tandem.replay.schedule"
local text = require "tandem.replay.text"
local text_file = require "tandem.io.text_file"

local function with_file(content, options, read)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write(content)
  file:close()
  options = options or {}
  options.file = path
  local data, problem, key = (read or replay.load)(options)
  os.remove(path)
  return data, problem and problem:gsub("^" .. path:gsub("%p", "%%%0"), "FILE"), key
end

local function near(wanted, got)
  assert.equal(#wanted, #got)
  for i, value in ipairs(wanted) do assert.near(value, got[i], 1e-9) end
end

describe("CSV of a recording", function()
  it("is fields, quoted or not, with the line of each row", function()
    local function rows(content) return { csv_reader.all(content) } end
    assert.same({ { { "a" } }, { 1 } }, rows "a")
    assert.same({ { { "a", "" } }, { 1 } }, rows "a,")
    assert.same({ { { "", "a" } }, { 1 } }, rows "\239\187\191,a\r\n")
    assert.same({ { { "a" }, { "b" } }, { 2, 4 } }, rows "\na\n\nb\n\n")
    assert.same({ { { "a,b", "c" } }, { 1 } }, rows '"a,b",c')
    assert.same({ { { "a" }, { "b" } }, { 1, 2 } }, rows '"a"\r\n"b"')
    assert.same({ { { 'a"' } }, { 1 } }, rows '"a"""')
    assert.same({ { { "", "" } }, { 1 } }, rows '"",""')
    assert.same({ { { "x\ny" }, { "z" } }, { 1, 3 } }, rows '"x\ny"\nz')
    assert.same({ nil, "line 1: text after a closing quote" }, rows '"a"b')
    assert.same({ nil, "line 3: text after a closing quote" }, rows 'a\n"b\nc"d')
    assert.same({ nil, "line 2: a quoted field is not closed" }, rows 'a\n"b\n\n')
    assert.same({ {}, {} }, rows "")
  end)
end)

-- What a list reader gives, one by one: { { row, … }, { line, … } } or { nil, problem }.
local function taken(next_row)
  local rows, lines = {}, {}
  while true do
    local row, line = next_row()
    if not row and line then return { nil, line } end
    if not row then return { rows, lines } end
    rows[#rows + 1], lines[#lines + 1] = row, line
  end
end

local function text_of(source) return assert(text.open(source, "FILE")):head() end

describe("the file of a recording", function()
  it("is beside its scenario, else where we are, else among the shipped ones", function()
    local path = os.tmpname()
    local directory, name = path:match "^(.*)/([^/]+)$"
    local file = assert(io.open(path, "wb"))
    file:write "beside"
    file:close()
    for _, way in ipairs { { name, directory }, { path, "/no/such/directory" }, { path, "" } } do
      assert.equal("beside", text_of(assert(text.source(way[1], way[2]))))
    end
    assert.is_string(text.source("tests/data/workloads/azure_conv_200.csv", directory).path)
    assert.is_string(text.source("tests/data/workloads/azure_conv_200.csv", "").path)
    os.remove(path)
    assert.same({ nil, ("cannot read '%s'"):format(name) }, { text.source(name, directory) })
    local shipped = text_of(text.source("data/azure-conversations-200.csv", directory))
    assert.matches("^TIMESTAMP,", shipped)
    assert.equal(shipped, text_of(text.source("data/azure-conversations-200.csv")))
  end)

  it("is unpacked where it was packed", function()
    assert.equal("plain", text_of { text = "plain" })
    assert.equal("", text_of { text = "" })
    assert.matches("^x.csv: its gzip data ends too early", select(2, text.open(
      { text = "\x1f\x8b\b\0rest" }, "x.csv")))
    local rows = {}
    for i = 1, 40000 do rows[i] = ("%d,%d"):format(i, i % 7) end
    local packed = core.digest.gzip("t,n\n" .. table.concat(rows, "\n"))
    assert.equal(40000, with_file(packed).count)
    assert.same({ nil, "FILE: its gzip data ends too early", "file" }, { with_file(
      packed:sub(1, -9)) })
  end)
end)

describe("JSON Lines of a recording", function()
  local function rows(lines) return taken(text.jsonl(assert(text_file.open { text = lines }))) end

  it("are objects, however they are written", function()
    assert.same({ { { a = 1, b = "x", c = { written = "[1,[2]]" } } }, { 1 } },
      rows '{"a": 1, "b":"x","c" : [1,[2]]}')
    assert.same({ { { a = -2.5 }, { a = 3 } }, { 2, 4 } }, rows '\n {"a":-2.5 } \r\n\n{"a":3}\n')
    assert.same({ { { a = 1 } }, { 1 } }, rows '{"a":1,"b":null}')
    assert.same({ { { a = { b = 1 } } }, { 1 } }, rows '{"a":{"b":1}}')
    assert.equal('q"', rows('{"a":"q\\""}')[1][1].a)
    for _, broken in ipairs { '{"a":1} x', '{"a":1', '{"a" 1}', '{"a":1 "b":2}', "[1", "3" } do
      local out = rows('{"a":0}\n' .. broken)
      assert.is_nil(out[1])
      assert.matches("^line 2: ", out[2])
    end
    assert.equal("line 1: is not an object", rows("3")[2])
  end)

  it("stop at a limit", function()
    local lines = {}
    for i = 1, 30 do lines[i] = ('{"t":%d,"n":2,"s":"%d"}'):format(i, i // 10) end
    lines[31] = "broken"
    local many = table.concat(lines, "\n\n")
    for _, limit in ipairs { 1, 25, 30 } do
      assert.equal(limit, with_file(many, { limit = limit }).count)
    end
    local none, problem = with_file(many)
    assert.is_nil(none)
    assert.matches("^FILE: line 61: ", problem)
    table.remove(lines)
    local sessions = with_file(table.concat(lines, "\n"), { limit = 2, columns = { arrival = "t",
      n = "n", session = "s" } })
    assert.same({ 0, 9 }, sessions.turns) -- of sessions so many, not of rows
  end)

  it("have lists of numbers or words", function()
    local function items(list)
      local out = {}
      for item in text.items(list) do out[#out + 1] = item end
      return out
    end
    assert.same({ "1", "-2", "3e5" }, items { written = "[1, -2,3e5]" })
    assert.same({ "7", "x" }, items { 7, "x" })
    assert.same({}, items { written = "[]" })
    assert.same({ 5, -2, 0, 7, 0, 0 }, { text.first { written = "[5,6]" },
      text.first { written = "[ -2]" }, text.first { written = "[]" }, text.first { 7 },
      text.first {}, text.first { "x" } })
  end)
end)

describe("conversations of a recording", function()
  local function conversations(given, ...)
    return taken(text.conversations({ text = given }, ...))
  end

  it("are turns: what was asked since the last answer, and the answer", function()
    local content = [==[ [ {"conversations": [ {"from": "human", "value": "12345678"},
      {"from": "system", "value": "90"}, {"from": "gpt", "value": "abcde"},
      {"from": "gpt", "value": "nobody asked"}, {"from": "human", "value": "x"},
      {"from": "assistant", "value": ""}, {"from": "human", "value": "y"},
      {"from": "assistant", "value": "}\" {["} ]},
      {"messages": [ {"role": "user", "content": 7}, {"role": "model", "content": "z"} ]},
      {"conversation": [ {"role": "user", "content": "q"}, {"role": "bard", "content": "zz"} ]} ]
    ]==]
    assert.same({ { { session = 1, prompt_tokens = 3, output_tokens = 2 },
      { session = 1, prompt_tokens = 4, output_tokens = 2 },
      { session = 2, prompt_tokens = 1, output_tokens = 1 } }, { 1, 1, 3 } },
      conversations(content, 4))
    assert.equal(2, #conversations(content, 4, 1)[1])
    assert.equal(3, #conversations(content, 4, 2)[1])
    assert.same({ nil, "conversation 1: has no list 'conversations' or 'messages'" },
      conversations('[{"a": 1}]', 4))
    assert.same({ nil, "conversation 2: it cannot be read (a comma, colon or bracket missing or "
      .. "too many)" }, conversations('[{"messages": []}, {"messages": [}', 4))
    assert.is_true(text.is_conversation { messages = {} })
    assert.is_false(text.is_conversation { messages = "x" })
    assert.same({ { { session = 1, prompt_tokens = 1, output_tokens = 1 } }, { 2 } },
      conversations([==[{"messages":[]}
        {"messages":[{"role":"user","content":"ab"},{"role":"assistant","content":"c"}]}]==], 2))
  end)

  it("are an array, or an object a line, whether their format is said or not", function()
    local one = '{"messages": [{"role": "user", "content": "12345678"}, '
      .. '{"role": "assistant", "content": "abcd"}]}'
    for _, content in ipairs { one .. "\n" .. one .. "\n", "[" .. one .. ",\n" .. one .. "]" } do
      for _, format in ipairs { "auto", "conversations" } do
        local data = assert(with_file(content, { format = format }, replay.sizes))
        assert.same({ 2, { prompt_tokens = { 2, 2 }, output_tokens = { 1, 1 },
          turns = { 1, 1 } } }, { data.count, data.attrs })
      end
    end
  end)
end)

describe("a layout", function()
  local function chosen(names, options, timeless, sample)
    local columns, problem, key = layouts.choose(options or {}, names, sample or {}, timeless)
    return columns or problem, key
  end

  it("is known by its columns", function()
    for name, columns in pairs {
      Azure = { "TIMESTAMP", "ContextTokens", "GeneratedTokens", "more" },
      BurstGPT = { "Timestamp", "Model", "Request tokens", "Response tokens" },
      Mooncake = { "timestamp", "input_length", "output_length" },
      Bailian = { "chat_id", "parent_chat_id", "timestamp", "input_length", "output_length" },
    } do assert.equal(name, layouts.known(columns).name) end
    assert.is_nil(layouts.known { "timestamp", "input_length" })
    local one = chosen { "arrival_time_ns", "input_toks", "output_toks" }
    assert.same({ 1e-9, "arrival_time_ns", "input_toks", "output_toks" }, { one.scale,
      one.of.arrival, one.of.prompt_tokens, one.of.tokens })
    local mooncake = { "timestamp", "input_length", "output_length", "hash_ids" }
    one = chosen(mooncake)
    assert.same({ 1e-3, "hash_ids", "hash_ids", 512 }, { one.scale, one.blocks, one.of.prefix,
      one.block_tokens })
    assert.equal(64, chosen(mooncake, { hash_tokens = 64 }).block_tokens)
    assert.equal(2, chosen(mooncake, { scale = 2 }).scale)
    assert.is_nil(chosen({ "timestamp", "input_length", "output_length" }).blocks)
  end)

  it("is what its author says", function()
    local one = chosen({ "when_ms", "n", "who" }, { columns = { arrival = "when_ms", tokens = "n",
      session = "who" } })
    assert.same({ { arrival = "when_ms", tokens = "n" }, "who", 1e-3 }, { one.of, one.session,
      one.scale })
    -- A known layout lends the arrival's name and unit where the author is silent.
    one = chosen({ "timestamp", "input_length", "output_length" }, { columns = {
      tokens = "input_length" } })
    assert.same({ { arrival = "timestamp", tokens = "input_length" }, 1e-3 }, { one.of, one.scale })
    assert.same({ "there is no column 'm'; did you mean 'n'?", "columns" },
      { chosen({ "n", "when" }, { columns = { tokens = "m" } }) })
    assert.same({ "there is no column 'hash_ids' whose items could name so many tokens",
      "hash_tokens" }, { chosen({ "t", "n" }, { hash_tokens = 4 }) })
  end)

  it("is else every column of numbers", function()
    local names = { "t", "n", "word", "7up", "id", "x" }
    local one = chosen(names, {}, false, { t = "1", n = 5, word = "w", ["7up"] = 1, id = 3,
      x = "2.5" })
    assert.same({ { arrival = "t", n = "n", x = "x" }, 1.0 }, { one.of, one.scale })
    assert.same({ "no arrival column; say which: columns = { arrival = \"…\" } (one of left, "
      .. "right)", "columns" }, { chosen({ "left", "right" }, {}, false, { left = 1, right = 2 }) })
    assert.same({ a = "a", b = "b" }, chosen({ "a", "b" }, {}, true, { a = 1, b = 2 }).of)
    for name, scale in pairs { arrival_s = 1, arrival_us = 1e-6, arrival_ns = 1e-9, time = 1 } do
      assert.equal(scale, chosen({ name }, {}, false, { [name] = 1 }).scale)
    end
  end)
end)

describe("a schedule", function()
  local times = { 0, 1, 2, 4 }
  local function made(options, of)
    local one, problem, key = schedule.make(of or times, options)
    return one or problem, key
  end

  it("is the recording, with the mean gap behind its last", function()
    local one = made {}
    assert.same({ { 1, 2, 3, 4 }, nil, { 0, 1, 2, 4 } }, { one.units, one.copies, one.times })
    assert.near(4 + 4 / 3, one.period, 1e-12)
    assert.equal(0, made({}, { 0 }).period)
  end)

  it("is a window that begins at its begin", function()
    local one = made { from = 1, to = 4 }
    assert.same({ { 2, 3 }, { 0, 1 }, 3 }, { one.units, one.times, one.period })
    one = made { from = 1 }
    assert.same({ { 2, 3, 4 }, { 0, 1, 3 } }, { one.units, one.times })
    assert.near(4.5, one.period, 1e-12)
    one = made { to = 4, limit = 2 }
    assert.same({ { 1, 2 }, 2 }, { one.units, one.period })
    one = made { limit = 3 }
    assert.same({ { 1, 2, 3 }, 3 }, { one.units, one.period })
    assert.same({ "no request between 5 s and 9 s; the recording is 4 s long", "from" },
      { made { from = 5, to = 9 } })
    assert.same({ "no request between 0 s and 0 s; the recording is 4 s long", "to" },
      { made { to = 0 } })
  end)

  it("is faster, at a mean rate, or of a length", function()
    local one = made { speed = 2 }
    near({ 0, 0.5, 1, 2 }, one.times)
    assert.near((4 + 4 / 3) / 2, one.period, 1e-12)
    one = made { rps = 4 } -- 4 requests in 1 s
    assert.near(1, one.period, 1e-12)
    near({ 0, 3 / 16, 6 / 16, 12 / 16 }, one.times)
    one = made { time = 8 }
    assert.near(8, one.period, 1e-12)
    near({ 0, 1.5, 3, 6 }, one.times)
    -- Both: so many requests in so long.
    one = made { rps = 1, time = 8 }
    assert.equal(8, #one.units)
    assert.near(8, one.period, 1e-12)
    for option, value in pairs { rps = 3, time = 2, repeats = 2 } do
      assert.same({ "all requests come at once: there is no rate to scale", option },
        { made({ [option] = value }, { 0, 0 }) })
    end
  end)

  it("has copies in the gap behind each, or fewer", function()
    local one = made { sample = 2 }
    assert.same({ { 1, 1, 2, 2, 3, 3, 4, 4 }, { 0, 1, 0, 1, 0, 1, 0, 1 } },
      { one.units, one.copies })
    near({ 0, 0.5, 1, 1.5, 2, 3, 4, 4 + 2 / 3 }, one.times)
    local many = {}
    for i = 1, 1000 do many[i] = i - 1 end
    local half = made({ sample = 0.5 }, many)
    assert.is_true(#half.units > 440 and #half.units < 560)
    local more = made({ sample = 2.25 }, many)
    assert.is_true(#more.units > 2200 and #more.units < 2300)
    -- Who is there at a half is there at more than that.
    local at = {}
    for _, unit in ipairs(made({ sample = 0.75 }, many).units) do at[unit] = true end
    for _, unit in ipairs(half.units) do assert.is_true(at[unit]) end
    assert.same({ "leaves no request", "sample" }, { made { sample = 1e-9 } })
  end)
end)

describe("a reading", function()
  it("stops early only where all rows count alike", function()
    -- The third line is broken: whoever stops before does not see it.
    local broken = '{"t":1,"n":1}\n{"t":2,"n":2}\nbroken\n'
    assert.equal(2, with_file(broken, { limit = 2 }).count)
    for _, options in ipairs { { where = { n = 1 } }, { from = 0.5 }, { to = 5 } } do
      options.limit = 2
      assert.is_nil((with_file(broken, options)))
    end
    assert.equal(1, with_file('{"t":1,"n":1}\n{"t":2,"n":2}\n{"t":3,"n":2}\n', { limit = 1,
      where = { n = "2" } }).count)
    local four = '{"t":1}\n{"t":2}\n{"t":3}\n{"t":4}\n'
    assert.same({ 2, { 0.5, 1.5 } }, { with_file(four, { from = 1.5, limit = 2 }).count,
      with_file(four, { from = 1.5, limit = 2 }).times })
  end)

  it("takes the rows that are asked for, numbers as they are written", function()
    local content = "t,n,who\n1,5,x\n2,6,y\n3,5,y\n"
    local function times(where) return with_file(content, { where = where }).times end
    assert.same({ 0, 2 }, times { n = 5 })
    assert.same({ 0, 2 }, times { n = "5" })
    assert.same({ 0, 1 }, times { who = "y" })
    assert.same({ 0 }, times { who = "y", n = 5 })
    assert.same({ nil, "FILE: no row is so", "where" }, { with_file(content, { where = {
      n = 7 } }) })
    assert.same({ nil, "there is no column 'm'; did you mean 'n'?", "where" }, { with_file(content,
      { where = { m = 7 } }) })
  end)

  it("keeps sessions together, in order of their first", function()
    local columns = { arrival = "t", tokens = "n", session = "who" }
    local data = with_file("t,n,who\n3,1,a\n1,2,b\n5,3,b\n4,4,a\n", { columns = columns })
    assert.same({ { 2, 3, 1, 4 }, { 2, 2, 2, 2 }, { 0, 2 }, { 0, 2 } }, { data.attrs.tokens,
      data.attrs.turns, data.turns, data.times })
    local one = with_file("t,n,who\n3,1,a\n1,2,b\n5,3,b\n4,4,a\n", { columns = columns, limit = 1 })
    assert.same({ { 2, 3 }, 2 }, { one.attrs.tokens, one.count })
    assert.same({ nil, "FILE:2: column 'who': nothing is not a name of a session", "file" },
      { with_file('{"t":1,"n":2,"who":"a"}\n{"t":1,"n":2,"who":[1]}\n', { columns = columns }) })
  end)

  it("tells dates from numbers by the first row", function()
    local data = with_file "time,n\n2023-11-16 18:17:03.5,1\n2023-11-16 18:17:04,2\n"
    assert.same({ 0, 0.5 }, data.times)
    assert.matches("FILE:3: column 'time': '5' is not a time", select(2, with_file
      "time,n\n2023-11-16 18:17:03.5,1\n5,2\n"))
    assert.matches("FILE:3: column 'time': 'x' is not a time", select(2, with_file
      "time,n\n5,1\nx,2\n"))
    assert.matches("FILE:2: column 'time': 'nan' is not a time", select(2, with_file
      "time,n\nnan,1\n5,2\n"))
    -- Nanoseconds keep every digit.
    near({ 0, 1e-9 }, with_file("time_ns,n\n1700000000000000001,1\n1700000000000000002,2\n",
      { columns = { arrival = "time_ns", n = "n" } }).times)
    near({ 0, 6 }, with_file("t,n\n1,1\n3,2\n", { scale = 3 }).times)
  end)

  it("shares blocks among rows, and none among copies", function()
    local content = '{"t":0,"n":1,"hash_ids":[9,8]}\n{"t":1,"n":1,"hash_ids":[9,7,8]}\n'
    local columns = { arrival = "t", n = "n" }
    local data = with_file(content, { columns = columns, hash_tokens = 16 })
    assert.same({ tokens = 16, runs = { 0, 2, 0, 1, 2, 1, 1, 1 }, ends = { 2, 5 }, count = 5 },
      data.blocks)
    local twice = with_file(content, { columns = columns, hash_tokens = 16, sample = 2 })
    assert.same({ tokens = 16, runs = { 0, 2, 3, 2, 0, 1, 2, 1, 1, 1, 3, 1, 5, 1, 4, 1 },
      ends = { 2, 4, 7, 10 }, count = 10 },
      twice.blocks)
    assert.is_nil(with_file('{"t":0,"n":1,"hash_ids":[]}\n', { columns = columns,
      hash_tokens = 16 }).blocks)
  end)

  it("of sizes alone asks for no times, and draws none that share", function()
    local data = with_file("n\n5\n6\n7\n", { limit = 2 }, replay.sizes)
    assert.same({ nil, { n = { 5, 6 } }, true, 2 }, { data.times, data.attrs, data.random,
      data.count })
    assert.is_nil(with_file("n\n5\n", { order = "recorded" }, replay.sizes).random)
    assert.same({ nil, "FILE: no column holds numbers", "file" }, { with_file("n\nx\n", {},
      replay.sizes) })
    assert.matches("conversations without times", select(2, with_file(
      '[{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}]')))
    assert.same({ nil, "FILE: holds no requests", "file" }, { with_file("t,n\n", {}) })
    assert.same({ nil, "FILE: holds no requests", "file" }, { with_file("[]", {}) })
  end)

  it("is done once for variants of one file, four of them remembered", function()
    local reads, own = 0, csv_reader.rows
    local paths = {}
    for i = 1, 5 do
      paths[i] = os.tmpname()
      local file = assert(io.open(paths[i], "wb"))
      file:write(("t,n\n%d,1\n%d,2\n"):format(i, i + 1))
      file:close()
    end
    csv_reader.rows = function(...)
      reads = reads + 1
      return own(...)
    end
    local ok, message = pcall(function()
      for i = 1, 4 do replay.load { file = paths[i] } end
      assert.equal(4, reads)
      for i = 1, 4 do
        assert.same({ 0, 0.5 }, replay.load({ file = paths[i], speed = 2 }).times)
        assert.same({ 0, 1 }, replay.load({ file = paths[i] }).times)
      end
      assert.equal(4, reads)
      replay.load { file = paths[5] }
      replay.load { file = paths[2] }
      assert.equal(5, reads)
      replay.load { file = paths[1] } -- the one that was longest not asked for
      assert.equal(6, reads)
      replay.load { file = paths[1], scale = 2 }
      assert.equal(7, reads)
    end)
    csv_reader.rows = own
    for _, path in ipairs(paths) do os.remove(path) end
    assert.is_true(ok, message)
  end)

  it("of rows holds each against the first", function()
    local function of(rows, options)
      options = options or {}
      options.rows = rows
      local data, problem = replay.of_rows(options)
      return data or problem
    end
    local data = of { { arrival = 2, n = 1 }, { arrival = 1, n = 2 } }
    assert.same({ { 0, 1 }, { n = { 2, 1 } } }, { data.times, data.attrs })
    assert.equal("row 2 has no 'n', which row 1 has", of { { arrival = 2, n = 1 },
      { arrival = 1 } })
    assert.equal("row 2 has 'm', which row 1 has not", of { { arrival = 2, n = 1 },
      { arrival = 1, n = 1, m = 2 } })
    -- What a limit leaves out is not looked at, but in a window.
    assert.equal(1, of({ { arrival = 2, n = 1 }, {} }, { limit = 1 }).count)
    assert.equal("row 2 has no arrival", of({ { arrival = 2, n = 1 }, {} }, { limit = 1,
      from = 0 }))
    assert.equal(1, of({ { arrival = 2, n = 1 } }, { limit = 5 }).count)
  end)
end)
