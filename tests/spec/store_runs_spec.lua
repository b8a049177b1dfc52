-- The commands on kept runs, inside the process against strings.
local cjson = require "cjson"
local cli = require "tandem.cli"
local consoles = require "tandem.cli.console"
local core = require "tandem.core"
local fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local files

before_each(function() files = fixture.new() end)
after_each(function() files:remove() end)

---@return string out, string err, integer code
local function tandem(...)
  local console = consoles.of_strings { unicode = true }
  local code = cli.main({ ... }, console)
  return console.out, console.err, code
end

-- A command on the store "a.db".
local function with(...) return files:tandem(...) end

local SCENARIO <const> = [[
local td = require "tandem"
return td.scenario "half" {
  workload = td.poisson { rps = 10 }, requests = 200, replications = 3,
  cpu = { workers = 1 },
  pipeline = { td.fixed "work" { time = td.exponential "50ms" } },
}]]

describe("tandem run", function()
  it("keeps the run, its figures and a small trace", function()
    local file = files:write("half.lua", SCENARIO)
    local _, err, code = with("run", file, "--seed", "5")
    assert.equal(0, code)
    local id = err:match "kept as (%x+) in "
    local s <close> = assert(td.store(files:path "a.db"))
    local run = assert(s:run "last")
    assert.equal(id, run.id)
    assert.equal("half", run.name)
    assert.equal(5, run.seed)
    assert.is_true(run.span_count >= 200)
    assert.equal("tandem.result/1", cjson.decode(run.summary_json).schema)
    assert.matches("exponential", run.scenario)
    local row = s:query("SELECT value, unit FROM metric WHERE run = run('last') AND"
      .. " scope = 'resource' AND subject = 'cpu' AND name = 'utilization'"):one()
    assert.near(0.5, row.value, 0.1)
    assert.equal("1", row.unit)
    assert.equal("s", s:query("SELECT unit FROM metric WHERE run = run('last') AND"
      .. " scope = 'stage' AND subject = 'work' AND name = 'service.mean'"):one().unit)
  end)

  it("has every number of the result that is no series among its figures", function()
    local result = assert(fixture.scenario():run { replications = 3 })
    local by_name = {}
    for _, figure in ipairs(require("tandem.store.figures").of(result)) do
      by_name[figure.scope .. " " .. (figure.subject or "") .. " " .. figure.name] = figure
    end
    assert.equal(result.latency.p99.value, by_name["run  latency.p99"].value)
    assert.equal(result.offered_rps.half, by_name["run  offered_rps.half"].value)
    assert.equal(result.latency.p99.needs.requests, by_name["run  latency.p99.needs"].value)
    assert.equal(result.throughput_rps.value, by_name["run  throughput_rps"].value)
    assert.equal(result.requests, by_name["run  requests"].value)
    assert.equal(result.stages[2].wait.mean.value, by_name["stage second wait.mean"].value)
    assert.equal(result.classes[1].completed, by_name["class default completed"].value)
    assert.equal("undecided", by_name["class default slo.p99"].text) -- of 150 requests
    assert.equal("cpu", by_name["run  bottleneck"].text)
    assert.is_nil(by_name["run  seed"])
  end)

  it("keeps no spans of a large run, all of it when told", function()
    local file = files:write("half.lua", SCENARIO)
    with("run", file, "--requests", "20001")
    with("run", file, "--requests", "20001", "--spans", "all")
    with("run", file, "--spans", "none")
    local s <close> = assert(td.store(files:path "a.db"))
    local runs = s:runs()
    assert.equal(0, runs.rows[1].spans)
    assert.is_true(runs.rows[2].spans > 20000)
    assert.equal(0, runs.rows[3].spans)
    local out = with("show", runs.rows[3].id)
    assert.matches("spans +not kept", out)
  end)

  it("gives the same numbers, kept or not", function()
    local file = files:write("half.lua", SCENARIO)
    local plain = tandem("run", file, "--json", "--no-store")
    assert.equal(plain, (with("run", file, "--json")))
    assert.equal(plain, (with("run", file, "--json", "--spans", "none")))
  end)

  it("is told after the report, and exits 4, when the store cannot be written", function()
    local file = files:write("half.lua", SCENARIO)
    local blocked = files:write("blocked.db", "this is a text of somebody else")
    local console = consoles.of_strings()
    local getenv = os.getenv
    os.getenv = function(name) -- luacheck: ignore
      return name == "TANDEM_STORE" and blocked or getenv(name)
    end
    local code = cli.main({ "run", file }, console)
    os.getenv = getenv -- luacheck: ignore
    assert.equal(4, code)
    local told = "^tandem run: the run was not kept: .-blocked%.db is not a tandem store"
    assert.matches(told, console.err)
    assert.matches("Load", console.out)
    local out, err, failed = tandem("run", file, "--store", blocked)
    assert.equal(4, failed)
    assert.matches(told, err)
    assert.matches("Load", out)
    assert.equal("this is a text of somebody else", files:bytes "blocked.db")
  end)

  it("refuses --no-store with --store", function()
    local _, err, code = with("run", "demo", "--no-store")
    assert.equal(2, code)
    assert.matches("give --no-store or --store, not both", err, 1, true)
  end)

  it("waits for who writes into its store, until Ctrl-C", function()
    files:keep "a.db"
    local path = files:path "a.db"
    local function keep()
      return core.keep(path, { name = "later", seed = 1, version = "1", hash = "0", summary = "{}",
        metrics = {} })
    end
    -- Another process holds the store, says so, and lets go of it.
    local writer <close> = assert(io.popen("build/tandem lua " .. files:write("writer.lua", ([[
      local db <close> = assert(require("tandem.core").database(%q))
      db:run "BEGIN IMMEDIATE"
      io.write "held\n"
      io.flush()
      os.execute "sleep 0.2"
      db:run "COMMIT"]]):format(path))))
    assert.equal("held", writer:read "l")
    assert.is_string(keep())
    do
      local other <close> = assert(core.database(path))
      other:run "BEGIN IMMEDIATE"
      core.interrupt()
      local id, message = keep()
      core.interrupt_clear()
      assert.is_nil(id)
      assert.matches("locked", message)
    end
    assert.is_string(keep())
  end)

  it("says which spans a trace had no room for", function()
    local path, model = files:path "a.db", fixture.scenario():model()
    for _, limit in ipairs { 1000, 30 } do
      local result, trace = core.run(model, { seed = 3, replications = 1, store = true,
        trace_limit = limit })
      assert.is_table(result)
      assert(core.keep(path, { name = "of" .. limit, seed = 3, version = "1", hash = "0",
        summary = "{}", metrics = {} }, trace))
      local s <close> = assert(td.store(path))
      local run = s:query("SELECT spans_dropped AS dropped, complete_until_ns AS complete,"
        .. " (SELECT count(*) FROM span WHERE run = number AND category = 'stage') AS stages"
        .. " FROM run WHERE name = 'of" .. limit .. "'"):one()
      assert.equal(select(2, trace:counts()), run.dropped)
      assert.equal(limit == 30, run.dropped > 70)
      assert.equal(limit == 30, run.complete ~= nil)
      assert.equal(limit == 1000, run.stages == 100)
    end
  end)
end)

describe("expected requests", function()
  local keep = require "tandem.store.keep"
  local function of(fields)
    return keep.expected_requests(fixture.scenario(fields):model())
  end

  it("come from rate, duration and count", function()
    assert.equal(50, of())
    local endless = td.scenario "x" { workload = td.poisson { rps = 40, duration = "10s" },
      pipeline = { td.fixed "f" { time = "1ms" } }, cpu = 1 }
    assert.equal(400, keep.expected_requests(endless:model()))
    local closed = td.scenario "x" { workload = td.closed { users = 10, think = "2s" },
      duration = "20s", pipeline = { td.fixed "f" { time = "1ms" } }, cpu = 1 }
    assert.equal(110, keep.expected_requests(closed:model()))
  end)

  it("are unknown where only a simulation can tell", function()
    local busy = td.scenario "x" { workload = td.closed { users = 10, think = 0 },
      duration = "20s", pipeline = { td.fixed "f" { time = "1ms" } }, cpu = 1 }
    assert.is_nil(keep.expected_requests(busy:model()))
    assert.is_false(keep.wants_trace("auto", busy:model()))
    assert.is_true(keep.wants_trace("all", busy:model()))
  end)
end)

describe("tandem runs", function()
  before_each(function()
    files:keep("a.db", { seed = 1 })
    files:keep("a.db", { seed = 2, spans = "none" })
    files:keep("a.db", { seed = 3, scenario = td.scenario "other" { requests = 20,
      workload = td.poisson { rps = 20 }, cpu = 1,
      pipeline = { td.fixed "f" { time = "100ms" } } } })
  end)

  local function seeds(...)
    local out = assert(with("runs", "--json", ...))
    local list = {}
    for i, row in ipairs(cjson.decode(out).result.rows) do list[i] = row.seed end
    return list
  end

  it("lists the newest first, filtered and sorted", function()
    assert.same({ 3, 2, 1 }, seeds())
    assert.same({ 3 }, seeds("--name", "OTH"))
    assert.same({ 3, 2 }, seeds("--limit", "2"))
    assert.equal(1, cjson.decode((assert(with("runs", "--json", "--limit", "2")))).result.left_out)
    assert.is_nil(cjson.decode((assert(with("runs", "--json", "--limit", "3")))).result.left_out)
    assert.equal("  and 2 runs more", assert(with("runs", "--limit", "1")):match "[^\n]+\n?$"
      :gsub("\n", ""))
    local csv, told = with("runs", "--csv", "--limit", "2")
    assert.equal(3, select(2, csv:gsub("\n", "")))
    assert.equal("1 run more\n", told)
    assert.same({ 1, 3, 2 }, seeds("--sort", "spans"))
    assert.equal(3, seeds("--sort", "p99")[1])
    assert.same({}, seeds("--kind", "measured"))
    assert.same({}, seeds("--state", "interrupted"))
    assert.same({ 3, 2, 1 }, seeds("--since", "1h"))
    assert.same({ 3, 2, 1 }, seeds("--since", "2024-02-29 23:59"))
    assert.same({}, seeds("--since", "2100-01-01"))
  end)

  it("prints a table, and CSV", function()
    local out = with("runs")
    assert.matches("^id +when +kind +name +state +spans +p99 +duration\n%x+ ", out)
    assert.matches("not kept", out)
    local csv = with("runs", "--csv")
    assert.matches("^id,when,kind,name,state,spans,p99_s,duration_s,tags,note,", csv)
    local _, lines = csv:gsub("\n", "")
    assert.equal(4, lines)
  end)

  it("says what was meant", function()
    local _, err, code = with("runs", "--sort", "spns")
    assert.equal(2, code)
    assert.matches("runs have no column 'spns'; did you mean 'spans'?", err, 1, true)
    _, err, code = with("runs", "--since", "yesterday")
    assert.equal(2, code)
    assert.matches("--since wants a time such as 2h", err, 1, true)
    for _, none in ipairs { "2026-02-31", "2026-13-01", "2026-11-21 24:00" } do
      _, err, code = with("runs", "--since", none)
      assert.equal(2, code)
      assert.matches("not '" .. none .. "'", err, 1, true)
    end
    _, err, code = tandem("runs", "--store", files:path "none.db")
    assert.equal(4, code)
    assert.matches("there is no store", err)
  end)

  it("are shown with times that do not fit 64 bits together", function()
    local path = files:write("long.jsonl", fixture.jsonl { kernels = { { "a", 0, 1 << 62 },
      { "a", 0, 1 << 62 }, { "b", 0, 1 << 62 } } })
    local store = files:path "long.db"
    assert.equal(0, select(3, tandem("import", path, "--store", store)))
    for _, command in ipairs { { "show", "last" }, { "diff", "last", "last" } } do
      local out, err, code = tandem(command[1], command[2], command[3] or "--json", "--store",
        store)
      assert.equal("", err)
      assert.equal(0, code)
      assert.matches(command[3] and "kernel    a" or '"total_ns": 9223372036854775807', out)
    end
  end)

  it("finds runs by tag, and shows tags and notes", function()
    assert.equal(0, select(3, with("tag", "last", "good", "h100")))
    assert.equal(0, select(3, with("note", "last", "after", "the change")))
    assert.same({ 3 }, seeds("--tag", "h100"))
    assert.equal("good\nh100\n", (with("tag", "last")))
    assert.equal("after the change\n", (with("note", "last")))
    assert.equal(0, select(3, with("tag", "last", "--remove", "good", "better")))
    assert.equal("better\nh100\n", (with("tag", "last")))
    local _, err, code = with("tag", "last", "two words")
    assert.equal(2, code)
    assert.matches("a tag is one word", err)
    _, err, code = with("tag", "last", "--remove", "beter")
    assert.equal(2, code)
    assert.matches("the run has no tag 'beter'; did you mean 'better'?", err, 1, true)
    assert.equal("better\nh100\n", (with("tag", "last")))
    local out = with("show", "last")
    assert.matches("tags +better h100", out)
    assert.matches("note +after the change", out)
  end)

  it("shows one run, as JSON too", function()
    local out = with("show", "last")
    assert.matches("^run %x+\n  name +other\n  kind +simulated\n  state +complete\n", out)
    assert.matches("\nSpans\n.*\n  stage +20 +2 s +100 ms\n", out)
    assert.matches("\nFigures\n  throughput +", out)
    local shown = cjson.decode((with("show", "last", "--json"))).result
    assert.equal("tandem.show/1", shown.schema)
    assert.equal(3, shown.seed)
    local spans = {}
    for _, category in ipairs(shown.categories) do spans[category.category] = category.spans end
    assert.equal(20, spans.stage)
    assert.equal(20, spans.request)
    assert.equal("simulation", shown.sources[1].format)
    local _, err, code = with("show", "none")
    assert.equal(3, code)
    assert.equal("tandem show: no run 'none' in a.db; `tandem runs` lists them\n", err)
  end)

  it("removes runs with all that belongs to them", function()
    -- Nothing is removed when one is not there.
    assert.equal(3, select(3, with("rm", "last", "nobody")))
    assert.same({ 3, 2, 1 }, seeds())
    local _, err = with("rm", "last", "--dry-run")
    assert.matches("^would remove %x+ other, %d+ spans\n$", err)
    assert.same({ 3, 2, 1 }, seeds())
    local code
    _, err, code = with("rm", "last", "last")
    assert.equal(0, code)
    assert.matches("^removed %x+ other, %d+ spans\n$", err)
    assert.same({ 2, 1 }, seeds())
    local s <close> = assert(td.store(files:path "a.db"))
    for _, name in ipairs { "chunk", "metric", "request", "track", "name", "source" } do
      assert.equal(0, s:query(("SELECT count(*) AS n FROM %s WHERE run = 3"):format(name)):one().n,
        name)
    end
  end)
end)

describe("a change of a run", function()
  -- Numbers are taken anew: another process could put another run under the one that was found.
  it("lets nobody else write between finding the run and changing it", function()
    files:keep "a.db"
    local s <close> = assert(td.store(files:path "a.db"))
    local other <close> = assert(core.database(files:path "a.db"))
    assert(other:run "PRAGMA busy_timeout = 0")
    local finder = require "tandem.store.run"
    local find, looked = finder.number, 0
    finder.number = function(...)
      local number, message, code = find(...)
      local changes, why = other:run "UPDATE run SET note = 'mine'"
      assert.is_nil(changes)
      assert.matches("lock", why)
      looked = looked + 1
      return number, message, code
    end
    finally(function() finder.number = find end)
    assert(s:note("last", "seen"))
    assert(s:tag("last", "seen"))
    assert(s:scrub("last", { paths = true }))
    assert(s:remove "last")
    assert.equal(4, looked)
  end)
end)

describe("tandem gc", function()
  it("gives bytes back, and removes what has no run and what was stopped", function()
    files:keep("a.db", { scenario = fixture.scenario { requests = 5000 } })
    files:keep "a.db"
    do
      local s <close> = assert(td.store(files:path "a.db"))
      local db = s.db
      assert(db:run "UPDATE run SET state = 'interrupted' WHERE number = 2")
      assert(db:run "PRAGMA foreign_keys = OFF")
      assert(db:run "DELETE FROM run WHERE number = 1")
    end
    local before = #files:bytes "a.db"
    local _, err, code = with("gc")
    assert.equal(0, code)
    assert.matches("^removed [%d,]+ rows without a run\n.* freed; .* has ", err)
    assert.is_true(#files:bytes "a.db" < before / 2)
    _, err = with("gc", "--interrupted")
    assert.matches("^removed 1 interrupted run\n", err)
    local s <close> = assert(td.store(files:path "a.db"))
    assert.equal(0, #s:runs().rows)
  end)
end)

describe("tandem sql", function()
  before_each(function() files:keep "a.db" end)

  it("prints rows in the order of the columns", function()
    local sql = "SELECT category, count(*) AS n, sum(dur_ns) / 2 AS half, NULL AS x FROM span "
      .. "WHERE run = run('last') AND category = 'stage' GROUP BY category"
    assert.matches("^category +n +half +x\nstage +100 +%d+\n$", (with("sql", sql)))
    assert.matches("^category,n,half,x\nstage,100,%d+,\n$", (with("sql", sql, "--csv")))
    local decoded = cjson.decode((with("sql", sql, "--json"))).result
    assert.equal("tandem.sql/1", decoded.schema)
    assert.same({ "category", "n", "half", "x" }, decoded.columns)
    assert.equal(100, decoded.rows[1].n)
    assert.equal(cjson.null, decoded.rows[1].x)
    assert.same({}, cjson.decode((with("sql", "SELECT 1 WHERE 0", "--json"))).result.rows)
  end)

  it("changes nothing", function()
    for _, sql in ipairs { "DELETE FROM run", "UPDATE run SET note = 'x'", "DROP TABLE run",
      "PRAGMA user_version = 9" } do
      local out, err, code = with("sql", sql)
      assert.equal("", out)
      assert.equal(4, code)
      assert.matches("a.db is read-only", err, 1, true)
    end
  end)

  it("complains in one line", function()
    local _, err, code = with("sql", "SELECT nam FROM run")
    assert.equal(3, code)
    assert.equal("tandem sql: SQL: no such column: nam (line 1, column 8); did you mean 'name'?\n",
      err)
    _, err, code = with("sql", "SELECT * FROM span WHERE run = run('ab cd')")
    assert.equal(3, code)
    assert.matches("no run 'ab cd'", err, 1, true)
  end)
end)
