-- td.store: opening, SQL with cursors, rows that print themselves.
local td = require "tandem"
local fixture = require "tests.spec.support.store_fixture"
local rows_of = require "tandem.store.rows"

local files

setup(function()
  files = fixture.new()
  files:keep "a.db"
  files:keep("a.db", { seed = 2, spans = "none" })
end)
teardown(function() files:remove() end)

local function opened(options) return assert(td.store(files:path "a.db", options)) end

local function assert_failure(message, code, ...)
  assert.same({ nil, message, code, n = 3 }, table.pack(...))
end

describe("td.store", function()
  it("makes the file, but not when it is only read", function()
    local path = files:path "new.db"
    assert_failure("there is no store " .. path .. " yet: `tandem run` and `tandem import` make "
      .. "it, --store and $TANDEM_STORE name another", 4, td.store(path, { readonly = true }))
    local s <close> = assert(td.store(path))
    assert.equal(0, #s:runs().rows)
  end)

  it("says what is not a store", function()
    local path = files:write("text", "not a store, this is text")
    assert_failure(path .. " is not a tandem store (not an SQLite file)", 3, td.store(path))
  end)

  it("refuses an empty file that it may not lay out", function()
    local empty = files:write("empty.db", "")
    assert_failure(empty .. " is not a tandem store (it is empty)", 3,
      td.store(empty, { readonly = true }))
  end)

  it("refuses a store of another version in one line", function()
    local path = files:path "old.db"
    do
      local db <close> = assert(require("tandem.core").database(path))
      assert(db:run [[
CREATE TABLE run(x); PRAGMA application_id = 0x54444d53; PRAGMA user_version = 1]])
    end
    assert_failure(path .. " is a store of an older tandem (store version 1, this one reads 4)", 3,
      td.store(path, { readonly = true }))
  end)

  it("is not for scenario files", function()
    local scenario, problems = require("tandem.sandbox").load_scenario("x.lua", { text = [[
local td = require "tandem"
td.store()
]] })
    assert.is_nil(scenario)
    assert.matches("x.lua:2: td.store opens files", tostring(problems))
  end)
end)

describe("a query", function()
  it("gives rows in a generic for, and their columns in order", function()
    local s <close> = opened()
    local seen = {}
    for row in s:query "SELECT number AS z, name AS a, seed AS m FROM run ORDER BY number" do
      local names = {}
      for name, value in pairs(row) do names[#names + 1] = name .. "=" .. value end
      seen[#seen + 1] = table.concat(names, " ")
    end
    assert.same({ "z=1 a=small m=1", "z=2 a=small m=2" }, seen)
  end)

  it("takes values for its ?", function()
    local s <close> = opened()
    local query = s:query { "SELECT number FROM run WHERE seed = ? OR name = ?", 2, "none" }
    assert.same({ "number" }, query:columns())
    assert.equal(2, query:one().number)
    assert.has_error(function() s:query { "SELECT ?", 1, 2 } end)
  end)

  it("knows which run is the last, and any by its beginning", function()
    local s <close> = opened()
    assert.equal(2, s:query("SELECT run('last') AS n"):one().n)
    local id = s:run("last").id
    assert.equal(2, s:query { "SELECT run(?) AS n", id:sub(1, 5) }:one().n)
    assert.has_error(function() s:query "SELECT run('zz')" end,
      "SQL: no run 'zz' in a.db; `tandem runs` lists them")
  end)

  it("finds spans by what SQL calls equal", function()
    local s <close> = opened()
    local function count(condition, ...)
      return s:query { "SELECT count(*) AS n FROM span WHERE " .. condition, ... }:one().n
    end
    local all = count "run = 1"
    assert.is_true(all > 0)
    assert.equal(all, count("run = ?", 1.0))
    assert.equal(0, count("run = ?", 1.5))
    assert.equal(0, count("run = ?", 1e300))
    local stages = count "category = 'stage'"
    assert.is_true(stages > 0)
    assert.equal(stages, count "category = 'Stage' COLLATE NOCASE")
  end)

  it("keeps columns of one name apart, and NULLs out", function()
    local s <close> = opened()
    local row = s:query "SELECT 1 AS id, 2 AS id, NULL AS x, 'b' AS y":one()
    assert.same({ id = 1, ["id:2"] = 2, y = "b" }, setmetatable(row, nil))
  end)

  it("names the table or column that was meant", function()
    local s <close> = opened()
    local function fails(sql, message)
      local ok, said = pcall(s.query, s, sql)
      assert.is_false(ok)
      assert.equal(message, (said:gsub("^.-: SQL", "SQL")))
    end
    fails("SELECT * FROM spans", "SQL: no such table: spans; did you mean 'span'?")
    fails("SELECT dur FROM span", "SQL: no such column: dur (line 1, column 8); "
      .. "did you mean 'dur_ns'?")
    fails("SELECT process FROM span", "SQL: no such column: process (line 1, column 8); "
      .. "it is a column of track")
    fails("SELECT s.process FROM span AS s JOIN track AS t ON t.id = s.track", "SQL: no such "
      .. "column: s.process (line 1, column 8); it is a column of track")
    fails("SELECT proces FROM span", "SQL: no such column: proces (line 1, column 8); "
      .. "did you mean 'process' of track?")
    fails("SELECT zebra FROM edge", "SQL: no such column: zebra (line 1, column 8); "
      .. "one of flow, from_ns, from_track, id, kind, run, to_ns, to_track")
    fails("SELECT s.strat_ns FROM span AS s", "SQL: no such column: s.strat_ns (line 1, "
      .. "column 8); did you mean 'start_ns'?")
    assert.has_error(function() s:query "SELECT 1; SELECT 2" end)
    assert.has_error(function() s:query "" end)
  end)

  it("can be left before its end", function()
    local s <close> = opened()
    local count = 0
    for row in s:query "SELECT id FROM span" do
      count = count + 1
      if row.id > 0 then break end
    end
    assert.is_true(count > 0)
    local query <close> = s:query "SELECT id FROM span"
    query:next()
    query:close()
    assert.is_nil(query:next())
  end)
end)

describe("the rows of a query as a table", function()
  local function sample()
    return rows_of.new({ { name = "name" }, { name = "n" }, { name = "x" } }, {
      { name = "b", n = 2, x = 0.5 }, { name = "a,\"q\"", n = 10 },
      { name = "c", n = 1, x = 3.0 } })
  end

  it("prints itself aligned", function()
    assert.equal("name    n    x\nb       2  0.5\na,\"q\"  10\nc       1    3",
      sample():report(require("tandem.plot.style").new()))
  end)

  it("is sorted and filtered by column, what is not there last", function()
    assert.same({ "c", "b", 'a,"q"' }, sample():sort("n"):column "name")
    assert.same({ 'a,"q"', "b", "c" }, sample():sort("n", true):column "name")
    assert.same({ 0.5, 3.0, false }, sample():sort("x"):column "x")
    assert.same({ 3.0, 0.5, false }, sample():sort("x", true):column "x")
    assert.same({ "b" }, sample():filter { n = 2 }:column "name")
    assert.same({ "b", "c" }, sample():filter(function(row) return row.x end):column "name")
    assert.has_error(function() sample():sort "m" end)
  end)

  it("is CSV and JSON", function()
    assert.equal('name,n,x\nb,2,0.5\n"a,""q""",10,\nc,1,3\n', sample():to_csv())
    local decoded = require("cjson").decode(sample():to_json("a/1", { more = 1 }))
    assert.equal("a/1", decoded.schema)
    assert.equal(1, decoded.more)
    assert.equal(10, decoded.rows[2].n)
    assert.is_nil(decoded.rows[2].x)
  end)

  it("shows bytes that are not text as SQL writes them", function()
    assert.equal("x'00ff'", rows_of.text "\0\xff")
    assert.equal("(40 bytes)", rows_of.text(("\xff"):rep(40)))
    assert.equal("9007199254740993", rows_of.text(9007199254740993))
  end)
end)

describe("a run of the store", function()
  it("has its fields, figures and spans", function()
    local s <close> = opened()
    local first = assert(s:run(s:query "SELECT id FROM run WHERE seed = 1":one().id))
    assert.equal("small", first.name)
    assert.equal("simulated", first.kind)
    assert.equal("complete", first.state)
    assert.same({}, first.tags)
    assert.equal(1, first.seed)
    assert.is_true(first:figure "latency.p99" > 0.02)
    local total = 0
    for span in first:spans { category = "stage" } do total = total + span.dur_ns end
    local stage = first:span_categories():table():filter { category = "stage" }.rows[1]
    assert.equal(stage.total_ns, total)
    assert.equal(100, stage.spans)
    assert.equal(50, #first:requests():all())
    assert.equal(50, #first:spans { name = "first", category = "stage" }:all())
    assert.equal("simulation", first:sources():one().format)
    assert.has_error(function() first:spans { categroy = "stage" } end,
      "spans has no filter 'categroy'; did you mean 'category'?")
  end)

  it("finds spans by time", function()
    local s <close> = opened()
    local run = s:run(s:query "SELECT id FROM run WHERE seed = 1":one().id)
    local all, half = run:spans():all(), (run.first_ns + run.last_ns) // 2
    local early, late, both = 0, 0, 0
    for _, span in ipairs(all) do
      if span.start_ns <= half then early = early + 1 end
      if span.end_ns >= half then late = late + 1 end
      if span.start_ns <= half and span.end_ns >= half then both = both + 1 end
    end
    assert.equal(early, #run:spans { to = half }:all())
    assert.equal(late, #run:spans { from = half }:all())
    assert.equal(both, #run:spans { from = half, to = half }:all())
  end)

  it("is not there", function()
    local s <close> = opened()
    assert_failure("no run 'zz' in a.db; `tandem runs` lists them", 3, s:run "zz")
  end)
end)
