-- Damage is told and never printed: checksums of pages, tandem verify, what a repair keeps.
local core = require "tandem.core"
local damage = dofile "tests/store/damage.lua"
local fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local files

before_each(function() files = fixture.new() end)
after_each(function() files:remove() end)

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local function write(path, bytes)
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(bytes))
end

-- The store with a measured and a simulated run.
local function make()
  local path = files:path "a.db"
  damage.make("build/tandem", path)
  return path
end

-- The same store as version 3 wrote it: its tables in a file without room for checksums.
local function make_old(path)
  local old = files:path "old.db"
  local db <close> = assert(core.database(old))
  assert(db:run(("ATTACH '%s' AS v4"):format(path)))
  local tables = assert(db:all("SELECT name, type, sql FROM v4.sqlite_schema WHERE sql IS NOT NULL"
    .. " ORDER BY type = 'view', type = 'index', rowid"))
  for _, row in ipairs(tables) do assert(db:run(row.sql)) end
  assert(db:run "PRAGMA foreign_keys = OFF")
  for _, row in ipairs(tables) do
    if row.type == "table" then
      assert(db:run(('INSERT INTO main."%s" SELECT * FROM v4."%s"'):format(row.name, row.name)))
    end
  end
  assert(db:run(("PRAGMA application_id = %d; PRAGMA user_version = 3"):format(0x54444d53)))
  return old
end

-- Where a text of a table lies in the file.
local function position(path, text)
  return assert(read(path):find(text, 1, true)) - 1
end

-- A command on another store than the fixture's.
local function elsewhere(command, path, ...)
  local console = require("tandem.cli.console").of_strings { unicode = true }
  local code = require("tandem.cli").main({ command, "--store", path, ... }, console)
  return console.out, console.err, code
end

-- Writes over bytes of the file, past every program.
local function overwrite(path, at, bytes)
  local whole = read(path)
  write(path, whole:sub(1, at) .. bytes .. whole:sub(at + #bytes + 1))
end

describe("a damaged store", function()
  it("changes no figure without an error, whatever was damaged", function()
    local noticed, silent = damage.try(make(), 210)
    assert.same({}, silent)
    for _, kind in ipairs(damage.kinds) do assert.is_true((noticed[kind.name] or 0) > 5) end
  end)

  it("is noticed by its checksums: without them the same damage goes by", function()
    local _, silent = damage.try(make_old(make()), 210)
    assert.is_true(#silent > 5)
  end)

  it("is told by page and run, and repaired but for the run that lies there", function()
    local path = make()
    local truth = damage.figures(path)
    overwrite(path, position(path, "to be damaged"), "to be d4maged")
    local out, err, code = files:tandem("verify", path)
    assert.equal(4, code, err)
    assert.matches("run number 2  damaged  cannot read [^\n]*page %d+ is damaged", out)
    assert.matches("1 damaged: %d+", out)
    assert.matches("%-%-repair writes it anew", err)
    out, err, code = files:tandem("verify", path, "--repair")
    assert.equal(0, code, out .. err)
    assert.matches("the old file is " .. path:gsub("%p", "%%%0") .. "%.damaged", err)
    assert.matches("d4maged", read(path .. ".damaged"), 1, true)
    assert.equal(0, select(3, files:tandem("verify", path)))
    assert.not_equal(truth, damage.figures(path))
  end)

  it("keeps no zeros for what was written: neither a repair nor gc takes them", function()
    local path = make()
    do
      local db <close> = assert(core.database(path, { store = true }))
      assert(db:run(("INSERT INTO fact (run, source, key, value) VALUES (1, 0, 'big', '%s')")
        :format(("x"):rep(20000))))
      assert(db:run "PRAGMA wal_checkpoint(TRUNCATE)")
    end
    local at = read(path):find(("x"):rep(4000), 1, true)
    overwrite(path, (at + 4096) // 4096 * 4096, ("\0"):rep(4096))
    local before = read(path)
    local _, err, code = elsewhere("gc", path)
    assert.equal(4, code)
    assert.matches("page %d+ is damaged", err)
    assert.equal(before, read(path))
    _, err, code = elsewhere("verify", path, "--repair")
    assert.equal(0, code)
    assert.matches(" lost: ", err)
    local db <close> = assert(core.database(path, { store = true, readonly = true }))
    assert.equal(0, db:one("SELECT count(*) AS n FROM fact WHERE value LIKE 'xxx%'").n)
  end)

  it("loses the damaged run alone", function()
    local path = make()
    local store <close> = assert(td.store(path))
    local simulated, measured = assert(store:run "last"), assert(store:run "h100")
    local spans = simulated.span_count
    -- a long value has pages of its own
    local row = assert(store.db:one("SELECT data FROM chunk_data WHERE id IN (SELECT id FROM chunk"
      .. " WHERE run = ?) ORDER BY length(data) DESC", measured.number))
    assert.is_true(#row.data > 4096)
    store:close()
    overwrite(path, position(path, row.data:sub(-60)) + 30, "damage")
    local out, err, code = files:tandem("verify", path)
    assert.equal(4, code, err)
    assert.matches(simulated.id .. "  whole", out)
    assert.matches(measured.id .. "  damaged  .*page %d+ is damaged", out)
    out, err, code = files:tandem("show", measured.id)
    assert.equal("", out)
    assert.equal(4, code)
    assert.matches("^tandem show: [^\n]*page %d+ is damaged[^\n]*\n$", err)
    err, code = select(2, files:tandem("verify", path, "--repair"))
    assert.equal(0, code)
    assert.matches("1 run kept, 1 lost", err)
    local mended <close> = assert(td.store(path))
    assert.is_true(assert(mended:verify()).sound)
    assert.equal(spans, assert(mended:run(simulated.id)).span_count)
    assert.equal(simulated.number, assert(mended:run(simulated.id)).number)
    assert.is_nil((mended:run(measured.id)))
  end)
end)

-- The store as a writer leaves it that is killed: with its log and the index of that.
local function killed(path)
  local store <close> = assert(td.store(path))
  assert(store:note("last", "in the log")) -- stays there while the store is open
  assert(store:tag("last", "late"))
  local left = path .. ".killed"
  for _, ending in ipairs { "", "-wal", "-shm" } do
    os.execute(("cp '%s%s' '%s%s'"):format(path, ending, left, ending))
  end
  return left
end

describe("the log that a killed writer left", function()
  it("is taken in when it is whole", function()
    local left = killed(make())
    local out, _, code = elsewhere("runs", left)
    assert.equal(0, code)
    assert.matches("late", out)
  end)

  it("is never taken for another: cut, changed, lost, exchanged", function()
    local path = make()
    local other = read(killed(path) .. "-wal")
    os.remove(path)
    local left = killed(make())
    local log = read(left .. "-wal")
    for _, bad in ipairs { log:sub(1, 32 + 4120), log:sub(1, 100), "", false, other,
      log:sub(1, 5000) .. "x" .. log:sub(5002), "x" .. log:sub(2) } do
      if bad then write(left .. "-wal", bad) else os.remove(left .. "-wal") end
      for _ = 1, 2 do -- looking changes nothing
        local out, err, code = elsewhere("runs", left)
        assert.same({ "", 4 }, { out, code })
        assert.matches("the log beside it %(%-wal%)[^\n]*`tandem verify` says", err)
        out, err, code = elsewhere("verify", left)
        assert.equal(4, code)
        assert.matches("of %d+ pages? committed to it %d+ can be read", out)
        assert.matches("%-%-repair", err)
      end
    end
  end)

  it("is cut to what can be read by a repair, and the old one is kept", function()
    local left = killed(make())
    local log = read(left .. "-wal")
    write(left .. "-wal", log:sub(1, -2000) .. "damage" .. log:sub(-1993)) -- of the last commit
    local out, err, code = elsewhere("verify", left, "--repair")
    assert.equal(0, code, err)
    assert.matches("of %d+ pages committed to it %d+ can be read", out)
    assert.matches("2 runs kept, none lost", err)
    assert.equal(log:sub(1, 1000), read(left .. ".damaged-wal"):sub(1, 1000))
    assert.equal(#log, #read(left .. ".damaged-wal"))
    out, err, code = elsewhere("verify", left)
    assert.equal(0, code, out .. err)
    local mended <close> = assert(td.store(left))
    assert.equal("in the log", assert(mended:run "last").note)
  end)
end)

describe("damage that one part of a page or an answer meets", function()
  it("is the end of the command, and nothing is written", function()
    local path = make()
    local db <close> = assert(core.database(path))
    local names = assert(db:one "SELECT rootpage AS page FROM sqlite_schema WHERE name = 'name'")
    db:close()
    local page = files:path "page.html"
    assert.equal(0, select(3, files:tandem("report", "last", "--out", page)))
    assert(os.remove(page))
    overwrite(path, (names.page - 1) * 4096 + 2000, "damage")
    local _, err, code = files:tandem("report", "last", "--out", page)
    assert.equal(4, code)
    assert.matches("^tandem report: [^\n]*page %d+ is damaged[^\n]*\n$", err)
    assert.is_nil(core.files.size(page))
    assert.equal(0, select(3, files:tandem "runs")) -- it has not read that page
  end)
end)

describe("a damaged chunk with a sound page", function()
  it("is one line to every command that comes upon it", function()
    local path = make()
    local db <close> = assert(core.database(path))
    assert(db:run("UPDATE chunk_data SET data = zeroblob(length(data)) WHERE id IN (SELECT id FROM"
      .. " chunk WHERE run = (SELECT number FROM run WHERE name = 'h100'))"))
    db:close()
    for _, words in ipairs { { "show", "h100" }, { "report", "h100" }, { "kernels", "h100" },
      { "breakdown", "h100" }, { "view", "h100", "--out", files:path "v.html" },
      { "export", "h100", "--out", files:path "x.csv" }, { "sql", "SELECT sum(dur_ns) FROM span" },
      { "diff", "h100", "h100" }, { "advice", "h100" }, { "critical-path", "h100" } } do
      local _, err, code = files:tandem(table.unpack(words))
      assert.equal(4, code, words[1] .. ": " .. err)
      assert.matches("^tandem [%a-]+: [^\n]*damaged[^\n]*\n$", err)
    end
  end)
end)

describe("checksums", function()
  it("are lacking in old stores, which are read, written and made new by a repair", function()
    local old = make_old(make())
    local truth = damage.figures(old)
    collectgarbage() -- it has the store open
    local out, err, code = files:tandem("verify", old)
    assert.equal(0, code, err)
    assert.matches("no checksums: a store of an older tandem", out)
    assert.equal(0, select(3, files:tandem("note", "last", "another", "--store", old)))
    assert.equal(0, select(3, files:tandem("note", "last", "to be damaged", "--store", old)))
    assert.equal(0, select(3, files:tandem("verify", old, "--repair")))
    out = files:tandem("verify", old)
    assert.matches("pages? compared, none damaged", out)
    assert.equal(truth, damage.figures(old))
  end)

  it("keep other programs from writing, not from reading", function()
    local path = make()
    local function shell(sql)
      local pipe = assert(io.popen(("sqlite3 '%s' \"%s\" 2>&1"):format(path, sql)))
      return pipe:read "a"
    end
    assert.equal("2\n", shell "SELECT count(*) FROM run")
    assert.matches("readonly", shell "UPDATE run SET note = 'theirs'")
    assert.equal(0, select(3, files:tandem("verify", path)))
  end)

  it("that another program did not make are told, and made by a repair", function()
    local path = make()
    local store <close> = assert(td.store(path))
    assert(store:note("last", "in the log")) -- stays in the log while the store is open
    for _, ending in ipairs { "", "-wal" } do
      write(path .. ".2" .. ending, read(path .. ending))
    end
    store:close()
    os.execute(("sqlite3 '%s.2' 'SELECT count(*) FROM run' > /dev/null"):format(path))
    local _, err, code = elsewhere("runs", path .. ".2")
    assert.equal(4, code)
    assert.matches("was written by another program than tandem", err)
    local out
    out, err, code = elsewhere("verify", path .. ".2")
    assert.equal(4, code, err)
    assert.matches("pages? written by another program", out)
    assert.equal(0, select(3, elsewhere("verify", path .. ".2", "--repair")))
    out, err, code = elsewhere("verify", path .. ".2")
    assert.equal(0, code, err)
    assert.matches("none damaged\n$", out)
    local mended <close> = assert(td.store(path .. ".2"))
    assert.equal("in the log", assert(mended:run "last").note)
  end)

  it("are on every page, of whatever size the file grows", function()
    local path = make()
    for i = 1, 3 do assert.equal(0, select(3, files:tandem("import",
      "tests/data/nsys/h100_cut.sqlite.gz", "--name", "again" .. i, "--store", path))) end
    assert.equal(0, select(3, files:tandem("rm", "again1", "--store", path)))
    assert.equal(0, select(3, files:tandem("gc", "--store", path)))
    local store <close> = assert(td.store(path))
    local seen = assert(store:verify())
    assert.is_true(seen.sound and seen.checked)
    assert.equal(#read(path) // 4096, seen.pages)
    assert.equal(4, #seen.runs)
  end)

  -- A disk or memory that failed while SQLite looked is what its check finds, too.
  it("are sound where SQLite's own check failed once, or had no memory", function()
    local db <close> = assert(core.database(make(), { store = true, readonly = true }))
    local function look(...)
      local found, asked = { ... }, 0
      local answering = setmetatable({ all = function(_, query, ...)
        if not query:find "integrity_check" then return db:all(query, ...) end
        asked = asked + 1
        return { { integrity_check = found[asked] } }
      end }, { __index = function(_, name)
        return function(_, ...) return db[name](db, ...) end
      end })
      local seen, message, code = require("tandem.store.verify").look(answering)
      assert.equal(#found, asked)
      return seen, message, code
    end
    local UNREAD <const> = "Page 27: unable to get the page. error code=%d"
    assert.is_true(look("ok").sound)
    assert.is_true(look(UNREAD:format(266), "ok").sound)
    local seen, message, code = look(UNREAD:format(7), UNREAD:format(7))
    assert.is_nil(seen)
    assert.equal("SQLite's own check: out of memory", message)
    assert.equal(4, code)
    seen = look("ok?", "two\nfindings, error code=778")
    assert.is_false(seen.sound)
    assert.same({ "SQLite's own check: two; findings, error code=778" }, seen.trouble)
  end)
end)
