-- SQLite from Lua: rows in and out, transactions, and what each failure says.

local core = require "tandem.core"

local directory

local function path(name) return directory .. "/" .. name end

local function write(name, text)
  local file <close> = assert(io.open(path(name), "wb"))
  file:write(text)
  return path(name)
end

local function files()
  local pipe = assert(io.popen(("ls '%s'"):format(directory)))
  local text = pipe:read "a"
  pipe:close()
  return text
end

-- Holds for what the world did wrong: nil, one line of text, a code.
local function assert_failure(wanted, code, value, message, got)
  assert.is_nil(value)
  assert.equal(wanted, message)
  assert.equal(code, got)
end

describe("a database", function()
  before_each(function()
    directory = os.tmpname()
    os.remove(directory)
    assert(os.execute(("mkdir '%s'"):format(directory)))
  end)
  after_each(function()
    collectgarbage()
    os.execute(("rm -rf '%s'"):format(directory))
  end)

  local function with_table(sql)
    local db = assert(core.database ":memory:")
    assert.equal(0, db:run(sql or "CREATE TABLE t(a, b)"))
    return db
  end

  it("gives back what it was given", function()
    local db <close> = with_table()
    local values = { 1, -9007199254740993, math.maxinteger, math.mininteger, 0.1, 2.0, -0.0,
      math.huge, -math.huge, "", "text", "é\n", "zero\0byte" }
    for i, value in ipairs(values) do
      assert.equal(1, db:run("INSERT INTO t VALUES(?, ?)", i, value))
    end
    local seen = 0
    for row in db:rows "SELECT a, b FROM t ORDER BY a" do
      seen = seen + 1
      assert.equal(values[row.a], row.b)
      assert.equal(math.type(values[row.a]), math.type(row.b))
      assert.equal(tostring(values[row.a]), tostring(row.b))
    end
    assert.equal(#values, seen)
    assert.same({ b = 1 }, db:one("SELECT ? AS a, ? AS b, ? AS c", nil, true, 0 / 0))
    assert.same({ b = "\1\0" }, db:one "SELECT x'0100' AS b")
  end)

  it("counts changes, of several statements too", function()
    local db <close> = with_table()
    assert.equal(3, db:run "INSERT INTO t VALUES(1, 1), (2, 2); ; UPDATE t SET a = 3 WHERE b = 2;")
    assert.equal(0, db:run "SELECT * FROM t; PRAGMA user_version; -- nothing")
    assert.equal(0, db:run "CREATE TABLE u(x)")
    assert.equal(0, db:run "")
    assert.equal(1, db:run("DELETE FROM t WHERE a = ?", 3))
    assert.equal(0, db:run("DELETE FROM t WHERE a = ?", 3))
  end)

  it("reads rows one by one, first, and all", function()
    local db <close> = with_table()
    assert.same({}, db:all "SELECT * FROM t")
    assert.is_nil(db:one "SELECT * FROM t")
    assert.is_nil(db:rows "SELECT * FROM t" ())
    db:run "INSERT INTO t VALUES(1, 'x'), (2, 'y'), (3, NULL)"
    assert.same({ { a = 1, b = "x" }, { a = 2, b = "y" }, { a = 3 } }, db:all "SELECT * FROM t")
    assert.same({ b = "y" }, db:one("SELECT b FROM t WHERE a > ?", 1))
    local sum = 0
    for outer in db:rows "SELECT a FROM t" do
      for inner in db:rows("SELECT a FROM t WHERE a >= ?", outer.a) do sum = sum + inner.a end
    end
    assert.equal(6 + 5 + 3, sum)
    for row in assert(db:rows "SELECT a FROM t") do
      if row.a == 2 then break end
    end
    assert.equal(0, db:run "DROP TABLE t") -- no statement was left open
    assert.same({ "one", "two" }, db:columns "SELECT 1 AS one, 2 AS two -- end")
    assert.same({}, db:columns "CREATE TABLE v(x)")
  end)

  it("is a transaction or nothing", function()
    local db <close> = with_table()
    local function count() return db:one("SELECT count(*) AS n FROM t").n end
    local function insert(same) assert.equal(1, same:run "INSERT INTO t VALUES(1, 2)") end
    assert.same({ 1, nil, 3, n = 3 }, table.pack(db:transaction(function(same)
      assert.equal(db, same)
      insert(same)
      return 1, nil, 3
    end)))
    assert.equal(1, count())
    local problem = { "a table" }
    local ok, raised = pcall(db.transaction, db, function(same)
      insert(same)
      error(problem)
    end)
    assert.is_false(ok)
    assert.equal(problem, raised)
    assert.equal(1, count())
    assert_failure("no", 4, db:transaction(function(same)
      insert(same)
      return nil, "no", 4
    end))
    assert.equal(1, count())
    assert.is_nil((db:transaction(insert)))
    assert.equal(2, count())
    assert.has_error(function() db:transaction(function() db:transaction(insert) end) end,
      "a transaction is open on this database already")
    assert.has_error(function() db:transaction(function() db:close() end) end,
      "the database was closed in its transaction")
  end)

  it("raises the caller's mistakes", function()
    local db = with_table()
    local function raises(wanted, fn, ...)
      local ok, message = pcall(fn, ...)
      assert.is_false(ok)
      assert.matches(wanted, message, 1, true)
    end
    raises("given: 0", db.one, db, "SELECT ?")
    raises("parameters in the SQL: 1, given: 2", db.run, db, "SELECT ?", 1, 2)
    raises("parameters in the SQL: 1, given: 0", db.run, db, "SELECT 1; SELECT ?")
    raises("number, string, boolean or nil expected, got table", db.all, db, "SELECT ?", {})
    raises("zero byte", db.run, db, "SELECT 1\0")
    raises("string expected", db.run, db)
    raises("unknown option", core.database, ":memory:", { readony = true })
    raises("string expected", core.database)
    local step = db:rows "SELECT 1 UNION SELECT 2"
    step()
    db:close()
    db:close()
    raises("this database is closed", step)
    for _, method in ipairs { "run", "rows", "one", "all", "columns", "transaction" } do
      raises("this database is closed", db[method], db, "SELECT 1")
    end
  end)

  it("says what is wrong with SQL, and where", function()
    local db <close> = with_table()
    assert_failure('SQL: near "FORM": syntax error (line 1, column 10)', 3,
      db:rows "SELECT * FORM t")
    assert_failure("SQL: no such column: é (line 2, column 6)", 3, db:one "SELECT\n 'é',é")
    assert_failure("SQL: no such column: nix (line 2, column 18)", 3,
      db:run "INSERT INTO t VALUES(1, 2);\nSELECT 1; SELECT nix FROM t")
    assert_failure("SQL: no such table: nix", 3, db:one "SELECT * FROM nix")
    assert_failure("SQL: incomplete input", 3, db:all "SELECT")
    assert_failure("SQL: no statement", 3, db:one "  -- nothing")
    assert_failure("SQL: more than one statement where one was wanted", 3,
      db:all "SELECT 1; SELECT 2")
    assert_failure("SQL: integer overflow", 3, db:one "SELECT abs(-9223372036854775808)")
    local later = db:rows "SELECT abs(x) FROM (SELECT 1 AS x UNION ALL SELECT 1 << 63)"
    later()
    assert.has_error(later, "SQL: integer overflow")
    assert.is_nil(later())
    assert.equal(1, db:one("SELECT count(*) AS n FROM t").n) -- what stood before the failure
    db:run "CREATE TABLE u(a INTEGER PRIMARY KEY, t INTEGER REFERENCES u(a)) STRICT"
    assert_failure(":memory:: FOREIGN KEY constraint failed", 3,
      db:run "INSERT INTO u VALUES(1, 2)")
    assert_failure(":memory:: cannot store TEXT value in INTEGER column u.t", 3,
      db:run("INSERT INTO u VALUES(?, ?)", 1, "x"))
  end)

  it("says what is wrong with a file", function()
    assert_failure(("cannot open %s: No such file or directory"):format(path "a/b"), 4,
      core.database(path "a/b"))
    assert_failure(("cannot open %s: No such file or directory"):format(path "none"), 4,
      core.database(path "none", { readonly = true }))
    assert_failure(("cannot open %s: Is a directory"):format(directory), 4,
      core.database(directory))
    local text = write("text", ("no database at all\n"):rep(100))
    assert_failure(text .. " is not an SQLite file", 3, core.database(text))
    assert_failure(text .. " is not a tandem store (not an SQLite file)", 3,
      core.database(text, { store = true }))
    local empty = write("empty", "")
    assert_failure(empty .. " is not a tandem store (it is empty)", 3,
      core.database(empty, { store = true, readonly = true }))
    assert.equal("empty\ntext\n", files())
    do
      local other <close> = assert(core.database(path "other"))
      other:run "CREATE TABLE t(a)"
    end
    assert_failure(path "other" .. " is not a tandem store (an SQLite file of another program)", 3,
      core.database(path "other", { store = true }))
  end)

  it("reads without writing, and tidies up", function()
    do
      local db <close> = assert(core.database(path "a", { store = true }))
      assert.equal("wal", db:one("PRAGMA journal_mode").journal_mode)
      db:run "CREATE TABLE t(a); INSERT INTO t VALUES(7)"
    end
    do
      local db <close> = assert(core.database(path "a", { store = true, readonly = true }))
      assert.equal(7, db:one("SELECT a FROM t").a)
      assert.equal(7, db:transaction(function() return db:one("SELECT a FROM t").a end))
      local message = path "a" .. " is read-only"
      assert_failure(message, 4, db:run "DELETE FROM t")
      assert_failure(message, 4, db:run("DELETE FROM t WHERE a = ?", 7))
      assert_failure(message, 4, db:run "PRAGMA query_only = OFF; DELETE FROM t")
      assert_failure(message, 4, db:one "DELETE FROM t RETURNING a")
      assert_failure(message, 4, db:run "PRAGMA journal_mode = DELETE")
      assert_failure("SQL: too many attached databases - max 0", 3,
        db:run(("ATTACH '%s' AS other"):format(path "other")))
    end
    assert.equal("a\n", files())
  end)

  it("tells a reader nothing of where the file lies", function()
    core.database(path "secret", { store = true }):close()
    local db <close> = assert(core.database(path "secret", { readonly = true }))
    for query, said in pairs { ["PRAGMA database_list"] = "not authorized",
      ["SELECT file FROM pragma_database_list"] = "not authorized",
      ["SELECT zeroblob(2000000000)"] = "string or blob too big" } do
      local rows, message = db:all(query)
      assert.is_nil(rows)
      assert.equal("SQL: " .. said, message)
    end
    assert.is_true(#assert(db:all "PRAGMA table_info(run)") > 0)
  end)

  it("is full when the disk is", function()
    local db <close> = assert(core.database(path "a"))
    db:run "CREATE TABLE t(a); PRAGMA max_page_count = 20"
    local message = ("cannot write %s: the disk is full"):format(path "a")
    assert_failure(message, 4, db:run("INSERT INTO t VALUES(?)", ("x"):rep(200000)))
    assert.equal(1, db:run "INSERT INTO t VALUES(1)")
    assert_failure(("%s: a failed write undid the transaction"):format(path "a"), 4,
      db:transaction(function()
        db:run("INSERT INTO t VALUES(?)", ("x"):rep(200000))
        db:run "ROLLBACK"
      end))
    assert.equal(1, db:one("SELECT count(*) AS n FROM t").n)
  end)

  it("waits for another writer, not for ever", function()
    local a <close> = assert(core.database(path "a"))
    local b <close> = assert(core.database(path "a"))
    a:run "CREATE TABLE t(a); BEGIN IMMEDIATE; INSERT INTO t VALUES(1)"
    b:run "PRAGMA busy_timeout = 30"
    local message = path "a" .. " is locked: another process is writing to it"
    assert_failure(message, 4, b:run "INSERT INTO t VALUES(2)")
    assert_failure(message, 4, b:transaction(function() error "not reached" end))
    assert.same({}, b:all "SELECT * FROM t")
    a:run "COMMIT"
    assert.equal(1, b:run "INSERT INTO t VALUES(2)")
  end)

  it("stops a person's query on Ctrl-C", function()
    local db <close> = assert(core.database(":memory:", { interruptible = true }))
    local file <close> = assert(io.open "/proc/self/stat")
    local row, killer
    core.guard.call(tostring, function()
      killer = assert(io.popen(("sleep 0.2; kill -INT %d"):format(file:read "n")))
      row = db:one "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)\
        SELECT max(x) FROM c"
    end)
    core.interrupt_clear()
    assert.is_nil(row)
    assert.same({ a = 1 }, db:one "SELECT 1 AS a")
    killer:close()
  end)

  it("ends what was left open when it is collected", function()
    local function leave_open()
      local db = assert(core.database(path "a"))
      db:run "CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES(1)"
      local step = db:rows "SELECT * FROM t"
      step()
      db:run "BEGIN; INSERT INTO t VALUES(2)"
    end
    for _ = 1, 5 do
      leave_open()
      collectgarbage()
      collectgarbage()
    end
    local db <close> = assert(core.database(path "a"))
    assert.equal(5, db:one("SELECT count(*) AS n FROM t").n)
    assert.equal("a\na-shm\na-wal\n", files()) -- those of this connection alone
  end)

  it("uses statements again, with other parameters and after failures", function()
    local db <close> = with_table "CREATE TABLE t(a UNIQUE)"
    for i = 1, 100 do
      assert.equal(1, db:run("INSERT INTO t VALUES(?)", i))
      assert.is_nil((db:run("INSERT INTO t VALUES(?)", i)))
      assert.equal(i, db:one("SELECT max(a) AS m FROM t").m)
      assert.equal(i % 40, db:one(("SELECT max(a) - %d AS m FROM t"):format(i - i % 40)).m)
    end
    db:run "ALTER TABLE t ADD COLUMN b DEFAULT 5" -- what waits is compiled anew
    assert.same({ a = 1, b = 5 }, db:one "SELECT * FROM t")
  end)
end)
