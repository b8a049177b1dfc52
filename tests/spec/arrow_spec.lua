-- Arrow's tables read: tandem's own come back as the run that they are of, by rows and by every
-- analysis; those of others (tests/data/arrow) have the cells that were put into them.

local cjson = require "cjson"
local core = require "tandem.core"
local fixture = require "tests.spec.support.store_fixture"
local infile = require "tandem.io.infile"
local replay = require "tandem.replay"
local text_file = require "tandem.io.text_file"
local unpacked = require "tests.spec.support.unpacked"

local DATA <const> = "tests/data/arrow/"
local CAPTURE <const> = "tests/data/kineto/critical_path__alexnet__benchmark_result_2869224_"
  .. "1695835535_trace.json.gz"

local function csv_of(name) return assert(unpacked(assert(infile.read(DATA .. name)))) end

local function lines_of(source)
  local file, out = assert(text_file.open(source)), {}
  for line in file.line, file do out[#out + 1] = line .. "\n" end
  return table.concat(out), file.problem
end

local function with_file(bytes, what)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  assert(file:write(bytes))
  file:close()
  local done, message = pcall(what, path)
  os.remove(path)
  assert(done, message)
end

describe("a table that tandem wrote", function()
  local files

  before_each(function() files = fixture.new() end)
  after_each(function() files:remove() end)

  local function tandem(...)
    local out, err, code = files:tandem(...)
    assert.equal(0, code, err)
    return out
  end

  local function ask(query) return cjson.decode(tandem("sql", query, "--json")).result.rows end

  -- The run whose table this is, written and read again as run 2.
  local function written(format, ...)
    local file = files:path("back." .. format)
    tandem("export", "last", "--format", format, "-o", file, ...)
    tandem("import", file, "--name", "back")
  end

  for _, format in ipairs { "arrow", "csv" } do
    it("of spans as " .. format .. " is that run, in every row and every analysis", function()
      tandem("import", CAPTURE, "--name", "first")
      written(format)
      local query = "SELECT s.start_ns, s.dur_ns, s.category, s.name, s.args, t.process, "
        .. "t.name AS track, t.kind, t.lane, t.pid, t.tid, t.device, t.context, t.stream "
        .. "FROM span s JOIN track t ON t.run = s.run AND t.id = s.track WHERE s.run = %d "
        .. "ORDER BY 1, 2, 3, 4, 7"
      local a, b = ask(query:format(1)), ask(query:format(2))
      assert.equal(870, #a)
      for i, row in ipairs(a) do
        row.args, b[i].args = cjson.decode(row.args), cjson.decode(b[i].args)
        assert.same(row, b[i])
      end
      for _, name in ipairs { "kernels", "breakdown", "critical-path", "ops", "gaps" } do
        assert.equal(tandem(name, "first", "--csv"), tandem(name, "back", "--csv"))
      end
    end)
  end

  it("of requests gives requests", function()
    tandem("run", "demo", "--requests", "50", "--set", "replications=1")
    written("arrow", "--table", "requests")
    local query = "SELECT id, arrival_ns, end_ns, gpu, outcome FROM request WHERE run = %d "
      .. "ORDER BY id"
    local a = ask(query:format(1))
    assert.equal(50, #a)
    assert.same(a, ask(query:format(2)))
  end)
end)

describe("a table of another library", function()
  local small = "arrival,prompt_tokens,output_tokens,who,ok,at\n"
    .. "0,100,20,a,1,2023-11-14T22:13:20.123000000Z\n"
    .. "0.5,120,30,a string longer than twelve bytes,,\n"
    .. '1.25,160,10,"é,""q""",0,1969-12-31T23:59:59.999000000Z\n'

  it("of Polars has its cells, packed by nothing, LZ4 or zstd", function()
    for _, name in ipairs { "polars", "polars_lz4", "polars_zstd" } do
      assert.equal(small, csv_of(name .. ".arrow"))
    end
  end)

  it("of JavaScript has its cells, as a stream and as a file", function()
    local wanted = "i8,u16,i64,u64,f32,f64,f16,word,text,large,yes,day,us,nothing\n"
      .. "1,1,1,18446744073709551615,0.5,0.1,1.5,x,,l,1,1970-01-01,"
      .. "2023-11-14T22:13:20.123000000Z,\n"
      .. ",65535,-4611686018427387904,0,,1e+300,-2,y,\"two\nlines\",,0,2022-01-08,,\n"
      .. "-3,3,,1,-1e+30,,-inf,x,,long,,1969-12-31,1969-12-31T23:59:59.999000000Z,\n"
    assert.equal(wanted, csv_of "javascript.arrows")
    assert.equal(wanted, csv_of "javascript.arrow")
  end)

  it("has the words that later batches add to its dictionary", function()
    for _, name in ipairs { "javascript_deltas.arrows", "javascript_deltas.arrow" } do
      assert.equal("n,word\n0,a\n1,b\n2,a\n3,b\n4,third\n5,\n6,a\n7,fourth\n8,third\n",
        csv_of(name))
    end
  end)

  it("is read from a path as from memory, packed once more or not", function()
    for _, name in ipairs { "polars.arrow", "polars_zstd.arrow", "javascript.arrows",
      "javascript.arrow", "javascript_deltas.arrow", "polars_requests_lz4.arrow" } do
      local wanted = csv_of(name)
      assert.equal(wanted, lines_of { path = DATA .. name })
      local packed = core.digest.gzip(assert(infile.read(DATA .. name)))
      assert.equal(wanted, assert(unpacked(packed)))
      with_file(packed, function(path) assert.equal(wanted, lines_of { path = path }) end)
    end
  end)

  it("is read batch by batch, in pieces of some lines", function()
    local values = {}
    for i = 1, 200000 do values[i] = i end
    local bytes = assert(core.pack_columns("arrow", #values, { { "n", "int", values } }))
    with_file(bytes, function(path)
      local pieces, count, n = assert(core.pieces(path)), 0, 0
      repeat
        local piece = assert(pieces:next())
        count = count + 1
        assert.is_true(#piece < 2 ^ 18 + 100)
        for line in piece:gmatch "(%d+)\n" do
          n = n + 1
          assert(tonumber(line) == n)
        end
      until piece == ""
      assert.same({ 200000, 6 }, { n, count })
    end)
    with_file(bytes:sub(1, #bytes // 2), function(path) -- what was whole before it is given
      local text, problem = lines_of { path = path }
      assert.equal("its last batch ends in the middle", problem)
      assert.is_true(#text > 2 ^ 18)
    end)
  end)

  it("is a recording as CSV is", function()
    local data = assert(replay.load({ file = DATA .. "polars_requests_lz4.arrow" }, "."))
    assert.equal(500, data.count)
    assert.equal(499 * 0.25, data.times[500])
    assert.equal(100 + 499 % 7, data.attrs.prompt_tokens[500])
  end)

  it("is measurements of a server as CSV is", function()
    local file = os.tmpname()
    local bytes = assert(core.pack_columns("arrow", 2, {
      { "concurrency", "int", { 4, 8 } }, { "isl", "int", { 1000, 1000 } },
      { "osl", "int", { 100, 100 } }, { "ttft_ms", "real", { 45.5, 60 } },
      { "tpot_ms", "real", { 8, 9 } } }))
    local out <close> = assert(io.open(file, "wb"))
    assert(out:write(bytes))
    out:close()
    local measured = assert(require("tandem.llm.read").file(file))
    os.remove(file)
    assert.equal("points", measured.kind)
    local point = measured.points[2]
    assert.same({ 8, 1000, 100 }, { point.concurrency, point.prompt, point.output })
    assert.near(0.06, point.ttft_s, 1e-12)
    assert.near(0.009, point.tpot_s, 1e-12)
  end)

  -- A column of 64-bit numbers, and in its field what they are: the type's number and its unit.
  local function as(kind, unit, values)
    local bytes = assert(core.pack_columns("arrow", #values, { { "x", "int", values } }))
    local count, widths
    bytes, count = bytes:gsub("\2(\1\32%z%z%z)", string.char(kind) .. "%1")
    bytes, widths = bytes:gsub("(\8%z\12%z\8%z\7%z\8%z%z%z%z%z%z\1)@%z",
      "%1" .. string.char(unit) .. "\0")
    assert.same({ 2, 2 }, { count, widths }) -- in the schema and in the footer
    return unpacked(bytes)
  end

  it("has moments in each unit and days in two", function()
    local DATE <const>, MOMENT <const> = 8, 10
    assert.equal("x\n1970-01-01\n1969-12-31\n2022-01-08\n",
      as(DATE, 1, { 86399999, -1, 1641600000000 }))
    for unit, second in pairs { [0] = 1, 1000, 1000000, 1000000000 } do
      assert.equal("x\n1970-01-01T00:00:00.000000000Z\n2022-01-08T00:00:01.000000000Z\n",
        as(MOMENT, unit, { 0, 1641600001 * second }))
      if unit > 0 then
        assert.equal(("x\n1969-12-31T23:59:59.%sZ\n"):format(("9"):rep(3 * unit)
          .. ("0"):rep(9 - 3 * unit)), as(MOMENT, unit, { -1 }))
      end
    end
    for _, case in ipairs { { DATE, 2 }, { DATE, 3 }, { MOMENT, 4 }, { MOMENT, 5 } } do
      local text, message = as(case[1], case[2], { 0, 0 })
      assert.is_nil(text)
      assert.matches("the column 'x' is of a type that is not read", message)
    end
  end)

  it("that is cut, damaged or of lists is refused in words", function()
    for _, name in ipairs { "polars.arrow", "polars_lz4.arrow", "polars_zstd.arrow",
      "javascript.arrows", "javascript.arrow", "polars_requests_lz4.arrow" } do
      local bytes = assert(infile.read(DATA .. name))
      for at = 9, #bytes, 7 do
        for _, damaged in ipairs { bytes:sub(1, at),
          bytes:sub(1, at - 1) .. "\255" .. bytes:sub(at + 1) } do
          local text, message = unpacked(damaged)
          if not text then assert.matches("^memory: [^\n]+$", message) end
        end
      end
    end
    local list = DATA .. "javascript_list.arrow"
    local _, message = unpacked(assert(infile.read(list)))
    assert.matches("the column 'list' is of a type that is not read", message)
    assert.same({ nil, (message:gsub("^memory", list)) },
      { require("tandem.llm.read").file(list) })
  end)
end)
