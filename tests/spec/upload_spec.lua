-- What is sent and what is taken in, without a network: parcels, tokens, waits, and a receiver that
-- strangers talk to. tests/upload has both ends with one.
local cjson = require "cjson"
local core = require "tandem.core"
local notes = require "tandem.store.notes"
local parcel = require "tandem.upload.parcel"
local store = require "tandem.store"
local transport = require "tandem.upload.transport"
local uploads = require "tandem.serve.uploads"
local unpacked = require "tests.spec.support.unpacked"
local verify = require "tandem.store.verify"

local function temporary()
  local path = os.tmpname()
  os.remove(path)
  return path
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

describe("a wait before asking again", function()
  it("is anything up to a bound that doubles, and ends at half a minute", function()
    local function most() return 1 end
    assert.equal(0.5, transport.back_off(1, most))
    assert.equal(4, transport.back_off(4, most))
    assert.equal(30, transport.back_off(50, most))
    assert.equal(0, transport.back_off(5, function() return 0 end))
  end)

  it("is at least what Retry-After says, in seconds or as a date", function()
    assert.equal(120, transport.retry_after("120", 0))
    assert.equal(30, transport.retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 784111777 - 30))
    assert.equal(0, transport.retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 784111777 + 5))
    assert.equal(951782400, transport.retry_after("Tue, 29 Feb 2000 00:00:00 GMT", 0))
    assert.is_nil(transport.retry_after("soon", 0))
    assert.is_nil(transport.retry_after(nil, 0))
  end)
end)

describe("an address", function()
  it("is encrypted, or this machine, by default", function()
    assert.equal("https://lab:8080", transport.address "https://lab:8080/")
    assert.equal("http://127.0.0.1:8080", transport.address "HTTP://127.0.0.1:8080")
    assert.equal("http://[::1]:80", transport.address "http://[::1]:80")
    assert.equal("http://lab", transport.address("http://lab", true))
    local url, problem = transport.address "http://lab:8080"
    assert.is_nil(url)
    assert.matches("not encrypted", problem, 1, true)
    assert.is_nil((transport.address "http://127.0.0.1.evil.example"))
    assert.is_nil((transport.address "http://localhost.evil.example"))
  end)

  it("has no password, which it would show", function()
    local url, problem = transport.address "https://ann:secret@lab"
    assert.is_nil(url)
    assert.is_nil(problem:find("secret", 1, true))
    assert.is_nil((transport.address "ftp://lab"))
    assert.is_nil((transport.address "lab:8080"))
  end)
end)

describe("a scenario", function()
  it("cannot send anything", function()
    local made, problems = require("tandem").load("x.lua", { text = [[
      local td = require "tandem"
      td.upload({}, { to = "https://lab" })
      return td.scenario "x" {}]] })
    assert.is_nil(made)
    assert.matches("upload", tostring(problems), 1, true)
  end)
end)

describe("uploads", function()
  local path, source, file

  setup(function()
    path = temporary()
    source = assert(store.open(path))
    file = temporary()
    local sqlite = write(file, unpacked(read "tests/data/nsys/mock.sqlite.gz"))
    assert(core.import { store = path, files = { sqlite }, name = "capture", version = "x" })
    source:tag("last", "gpu")
  end)

  teardown(function()
    source:close()
    for _, ending in ipairs { "", "-wal", "-shm" } do os.remove(path .. ending) end
    os.remove(file)
  end)

  local function made(options) return assert(parcel.make(source, { "last" }, options or {})) end

  it("say which store is damaged, and are not made", function()
    local copy = path .. ".damaged"
    assert(source.db:run "PRAGMA wal_checkpoint(TRUNCATE)")
    local tail = assert(source.db:one "SELECT substr(data, -60) AS tail FROM chunk_data").tail
    local bytes = read(path)
    local at = assert(bytes:find(tail, 1, true))
    write(copy, bytes:sub(1, at + 9) .. "damage" .. bytes:sub(at + 16))
    local damaged <close> = assert(store.open(copy))
    local none, message, code = parcel.make(damaged, { "last" }, {})
    assert.is_nil(none)
    assert.equal(4, code)
    assert.matches("^cannot read " .. copy:gsub("%p", "%%%0") .. ": page %d+ is damaged", message)
    for _, ending in ipairs { "", "-wal", "-shm" } do os.remove(copy .. ending) end
  end)

  it("leave no files where they are stopped while they are made", function()
    -- A room of its own: the steps below must not depend on what else lies in the machine's.
    local getenv, room = os.getenv, assert(core.files.temporary(true))
    function os.getenv(name) -- luacheck: ignore
      return name == "TMPDIR" and room or getenv(name)
    end
    finally(function()
      os.getenv = getenv -- luacheck: ignore
      os.remove(room)
    end)
    local append, directory = core.files.append, nil
    local function stopped_after(instructions)
      return not pcall(function()
        debug.sethook(function()
          debug.sethook()
          error "interrupted"
        end, "", instructions)
        local one <close> = parcel.make(source, { "last" }, {})
        debug.sethook()
        return one
      end)
    end
    core.files.append = function(name, text)
      directory = name:match "^(.*)/lock$" or directory
      return append(name, text)
    end
    local instructions, stops = 50, 0
    while stopped_after(instructions) do
      instructions, stops = instructions + instructions // 5 + 1, stops + (directory and 1 or 0)
      collectgarbage()
      assert.is_nil(directory and core.files.size(directory .. "/lock"))
      assert.same({}, directory and core.files.list(directory) or {})
    end
    core.files.append = append
    assert.is_true(stops > 5)
  end)

  it("of the same runs are the same bytes", function()
    local one <close> = made()
    local two <close> = made()
    assert.equal(one.key, two.key)
    assert.equal(one.runs[1].digest, two.runs[1].digest)
    assert.equal(core.digest.sha256(read(one.path)), one.key)
    local raw <close> = made { raw = true }
    assert.not_equal(raw.key, one.key)
  end)

  it("have no host names unless they are raw", function()
    local one <close> = made()
    local raw <close> = made { raw = true }
    assert.is_nil(read(one.store_path):find("rich-wsl", 1, true))
    assert.is_truthy(read(raw.store_path):find("rich-wsl", 1, true))
    assert.is_true(one.removed[1].hosts > 0)
    assert.is_nil(raw.removed)
  end)

  it("forget what killed senders left, and nothing that is in use", function()
    local base = os.getenv "TMPDIR" or "/tmp"
    local used, left = base .. "/tandem-upload-00aa", base .. "/tandem-upload-00bb"
    core.files.append(used .. "/lock", "")
    core.files.append(left .. "/raw.db.5.0.tmp", "x")
    do
      local lock <close> = assert(core.files.lock(used .. "/lock"))
      assert.is_nil(core.files.lock(used .. "/lock"))
      local one <close> = made()
      assert.is_truthy(lock and one)
      assert.is_truthy(core.files.size(used .. "/lock"))
      assert.is_nil(core.files.size(left))
    end
    made():close()
    assert.is_nil(core.files.size(used))
  end)

  it("as JSON say what is in the store", function()
    local one <close> = made { form = "json" }
    local body = cjson.decode(one.text)
    assert.equal("tandem.upload/1", body.schema)
    assert.equal("capture", body.runs[1].name)
    assert.equal(44, body.runs[1].spans)
    assert.equal("gpu", body.runs[1].tags[1])
    assert.equal(one.text, unpacked(one.body))
  end)

  describe("at their receiver", function()
    local target, db, receiver

    before_each(function()
      target = temporary()
      db = assert(core.database(target, { store = true }))
      receiver = uploads.new(db, target, { most_bytes = 1 << 20, most_expanded = 8 << 20 })
    end)

    after_each(function()
      db:close()
      for _, name in ipairs(core.files.list(target .. ".uploads") or {}) do
        os.remove(target .. ".uploads/" .. name)
      end
      for _, ending in ipairs { "", "-wal", "-shm", ".uploads" } do os.remove(target .. ending) end
    end)

    local function request(one, change)
      local out = { key = one.key, sha256 = one.key, bytes = one.bytes,
        media_type = uploads.MEDIA_TYPE }
      for name, value in pairs(change or {}) do out[name] = value end
      return out
    end

    -- Any file as an upload; what finish answers.
    local function sent(from)
      local packed = temporary()
      local bytes = assert(core.digest.pack(from, packed, 1))
      local key = assert(core.digest.sha256_file(packed))
      local state = assert(receiver:create(request { key = key, bytes = bytes }))
      assert.equal(bytes, receiver:append(state.upload_id, 0, { path = packed, bytes = bytes }))
      os.remove(packed)
      return receiver:finish(state.upload_id)
    end

    it("come in pieces, and once", function()
      local one <close> = made()
      local state = assert(receiver:create(request(one)))
      assert.is_true(state.created)
      local id, half = state.upload_id, one.bytes // 2
      assert.equal(half, receiver:append(id, 0, { path = one.path, bytes = half }))
      local again = assert(receiver:create(request(one)))
      assert.same({ id, half, false }, { again.upload_id, again.offset, again.created })
      local at, _, code, true_offset = receiver:append(id, 7, { path = one.path, bytes = 1 })
      assert.same({ nil, "conflict", half }, { at, code, true_offset })
      assert.equal("conflict", select(3, receiver:finish(id)))
      assert.equal(one.bytes, receiver:append(id, half, { path = one.path, from = half,
        bytes = one.bytes - half }))
      local ids = assert(receiver:finish(id))
      assert.same({ one.runs[1].id }, ids)
      assert.same(ids, receiver:finish(id))
      assert.same({ done = true, run_ids = ids }, receiver:create(request(one)))
      assert.equal(1, db:one("SELECT count(*) AS n FROM run").n)
      assert.equal(44, db:one("SELECT count(*) AS n FROM span").n)
    end)

    -- What arrived is whole: its hash says so. Its check fails for want of memory, or of a disk.
    it("stay where the receiver fails, and come the next time", function()
      local one <close> = made()
      local state = assert(receiver:create(request(one)))
      local id, open = state.upload_id, core.database
      assert.equal(one.bytes, receiver:append(id, 0, { path = one.path, bytes = one.bytes }))
      local function finish(check, failed_reads, run)
        core.database = function(of, ...)
          local whole, message, code = open(of, ...)
          if not of:find("uploads/", 1, true) then return whole, message, code end
          return setmetatable({
            all = function(_, query, ...)
              return query:find "check" and { { quick_check = check } }
                or run and query:find "id FROM run" and { { number = 1, id = run } }
                or whole:all(query, ...)
            end,
            check_run = function() return nil, "a chunk is damaged" end,
            failed_reads = function() return failed_reads end,
          }, { __close = function() whole:close() end, __index = function(_, name)
            return function(_, ...) return whole[name](whole, ...) end
          end })
        end
        local ids, message, code = receiver:finish(id)
        core.database = open
        return ids, message, code
      end
      local UNREAD <const> = "Page 27: unable to get the page. error code=%d"
      assert.same({ nil, "out of memory", "unavailable" }, { finish(UNREAD:format(7), 0) })
      assert.same({ nil, "the disk fails: try again", "unavailable" },
        { finish(UNREAD:format(266), 1) })
      assert.same({ one.runs[1].id }, receiver:finish(id))
      assert(db:run "DELETE FROM run")
      assert(db:run "DELETE FROM upload")
      id = assert(receiver:create(request(one))).upload_id
      assert.equal(one.bytes, receiver:append(id, 0, { path = one.path, bytes = one.bytes }))
      assert.same({ nil, "the upload is damaged: run memory: a chunk is damaged", "damaged" },
        { finish("ok", 0, "memory") })
    end)

    it("are refused where SQLite finds them damaged", function()
      local one <close> = made()
      local own = verify.own_check
      verify.own_check = function() return "row 7 missing from index" end
      local ids, message, code = sent(one.store_path)
      verify.own_check = own
      assert.same({ nil, "the upload is damaged: it is a damaged store", "damaged" },
        { ids, message, code })
    end)

    it("come again when their runs were removed", function()
      local one <close> = made()
      assert(sent(one.store_path))
      assert(db:run "DELETE FROM run")
      assert.same({ one.runs[1].id }, sent(one.store_path))
      assert.equal(44, db:one("SELECT count(*) AS n FROM span").n)
    end)

    it("get another id when theirs is taken by another run", function()
      local one <close> = made()
      local raw <close> = made { raw = true }
      local first, second = assert(sent(one.store_path)), assert(sent(raw.store_path))
      assert.not_equal(first[1], second[1])
      assert.equal(2, db:one("SELECT count(*) AS n FROM run").n)
      assert.equal(88, db:one("SELECT count(*) AS n FROM span").n)
    end)

    describe("with notes on the timeline", function()
      local list = { { from = 5, to = (1 << 53) + 1, text = "\"<b>\" \u{202e} \u{e4}\n'x'" },
        { from = -7, to = -7, text = "" }, { from = 9, to = 9, text = "see /home/ann/x.py" } }
      local function kept(of)
        return of:one("SELECT run, CAST(notes AS BLOB) AS notes FROM run_note")
      end

      before_each(function() assert(notes.keep(assert(source:run "last"), list)) end)
      after_each(function() assert(notes.keep(assert(source:run "last"), {})) end)

      it("have them byte by byte, in the tables that every receiver takes", function()
        local one <close> = made { raw = true }
        local sent_store <close> = assert(core.database(one.store_path))
        assert.is_nil(sent_store:one "SELECT 1 FROM sqlite_schema WHERE name = 'run_note'")
        local ids = assert(sent(one.store_path))
        assert.same(kept(source.db), kept(db))
        assert.equal(0, db:one("SELECT count(*) AS n FROM artifact WHERE name LIKE '%notes'").n)
        local there <close> = assert(store.open(target))
        assert.same(list, notes.of(assert(there:run(ids[1]))))
        local on <close> = assert(parcel.make(there, ids, { raw = true })) -- sent on, the same run
        assert.equal(one.runs[1].digest, on.runs[1].digest)
        assert.same({ true, {} }, { there:verify().sound, there:verify().trouble })
      end)

      it("are without directories unless they are raw, and another run than without", function()
        local one <close> = made()
        assert(sent(one.store_path))
        local text = kept(db).notes
        assert.is_nil(text:find("ann", 1, true))
        assert.is_truthy(text:find("see x.py", 1, true) or text:find("see ~/x.py", 1, true), text)
        assert.equal(3, #cjson.decode(made({ form = "json" }).text).runs[1].notes)
        assert(notes.keep(assert(source:run "last"), {}))
        local bare <close> = made()
        assert.not_equal(one.runs[1].digest, bare.runs[1].digest)
        assert(sent(bare.store_path))
        assert.equal(2, db:one("SELECT count(*) AS n FROM run").n)
        assert.equal(1, db:one("SELECT count(*) AS n FROM run_note").n)
      end)

      it("are refused whole where a stranger's are none", function()
        local one <close> = made()
        for data, why in pairs { ["[{"] = "no JSON", ["[{}]"] = "wants from and to",
          ["null"] = "no JSON", ["7"] = "no JSON" } do
          local hostile = write(temporary(), read(one.store_path))
          local opened = assert(core.database(hostile, { store = true }))
          assert(opened:run("UPDATE artifact SET data = CAST(?1 AS BLOB), bytes = length(?1)",
            data))
          opened:close()
          local ids, message, code = sent(hostile)
          os.remove(hostile)
          assert.same({ nil, "damaged" }, { ids, code })
          assert.matches(why, message, 1, true)
          assert.equal(0, db:one("SELECT count(*) AS n FROM run").n)
        end
      end)
    end)

    it("say what they are, within limits", function()
      local one <close> = made()
      for change, code in pairs { [{ key = "../../x" }] = "bad_request",
        [{ sha256 = 5 }] = "bad_request", [{ bytes = -1 }] = "bad_request",
        [{ bytes = 1.5 }] = "bad_request", [{ bytes = 2 << 20 }] = "too_large",
        [{ media_type = "text/html" }] = "unsupported" } do
        assert.equal(code, select(3, receiver:create(request(one, change))))
      end
      assert.equal("bad_request", select(3, receiver:create "nonsense"))
      for _, id in ipairs { "../../etc/passwd", "", "x", ("0"):rep(32), ("/"):rep(32) } do
        assert.equal("not_found", select(3, receiver:offset(id)))
        assert.equal("not_found", select(3, receiver:finish(id)))
      end
      local id = receiver:create(request(one)).upload_id
      write(file .. ".long", ("x"):rep(one.bytes + 1))
      assert.equal("too_large", select(3, receiver:append(id, 0, { path = file .. ".long",
        bytes = one.bytes + 1 })))
      os.remove(file .. ".long")
    end)

    it("are so many, and so large, at once", function()
      receiver = uploads.new(db, target, { most_bytes = 1 << 20, most_open = 3 })
      local function begin(n, bytes)
        local key = ("%064x"):format(n)
        return receiver:create { key = key, sha256 = key, bytes = bytes,
          media_type = uploads.MEDIA_TYPE }
      end
      for n = 1, 3 do assert(begin(n, 1000)) end
      assert(begin(3, 1000)) -- known already
      local _, message, code = begin(4, 1000)
      assert.equal("too_many", code)
      assert.equal(429, uploads.STATUS[code])
      assert.equal("3 uploads are open, and no more are taken at once: come again later", message)
      receiver = uploads.new(db, target, { most_bytes = 1 << 20 })
      assert(begin(5, 1 << 20))
      assert(begin(6, 1 << 20))
      assert(begin(7, 1 << 20))
      assert.equal("too_many", select(3, begin(8, 1 << 20)))
      assert.equal("too_large", select(3, begin(9, (1 << 20) + 1)))
    end)

    it("are so many, and so large, of one sender, who keeps the others out of nothing", function()
      local function begin(n, bytes, sender)
        local key = ("%064x"):format(n)
        return receiver:create({ key = key, sha256 = key, bytes = bytes,
          media_type = uploads.MEDIA_TYPE }, sender)
      end
      receiver = uploads.new(db, target, { most_bytes = 1000, most_open = 12 })
      for n = 1, 3 do assert(begin(n, 10, "::ffff:10.0.0.1")) end
      assert(begin(3, 10, "::ffff:10.0.0.1")) -- known already
      local _, message, code = begin(4, 10, "::ffff:10.0.0.1")
      assert.equal("too_many", code)
      assert.equal("3 uploads from your address are open, and no more are taken of one: come again "
        .. "later", message)
      for n = 4, 6 do assert(begin(n, 10, "::ffff:10.0.0.10")) end
      assert(begin(7, 10)) -- of nobody in particular
      assert(receiver:sweep(math.maxinteger))
      assert.same({}, core.files.list(target .. ".uploads"))
      assert(begin(1, 1000, "a"))
      _, message, code = begin(2, 1, "a")
      assert.equal("too_many", code)
      assert.equal("the open uploads from your address have announced 1000 bytes, and 1000 are "
        .. "taken of one: come again later", message)
      for n, sender in ipairs { "b", "c", "d" } do assert(begin(n + 2, 1000, sender)) end
      assert.matches("^the open uploads have announced 4000 bytes", select(2, begin(9, 1, "e")))
    end)

    it("are unpacked only when their first bytes are those of a store of that size", function()
      local bomb, packed = temporary(), temporary()
      local out = assert(io.open(bomb, "wb"))
      for _ = 1, 100 do out:write(("\0"):rep(1 << 20)) end
      out:close()
      local _, message, code = sent(bomb)
      assert.equal("damaged", code)
      assert.matches("it is not a tandem store", message, 1, true)
      local one <close> = made()
      local head = read(one.store_path):sub(1, 4096)
      out = assert(io.open(bomb, "wb"))
      out:write(head:sub(1, 28), (">I4"):pack(25600), head:sub(33))
      for _ = 1, 100 do out:write(("\0"):rep(1 << 20)) end
      out:close()
      receiver = uploads.new(db, target, { most_bytes = 1 << 20 })
      _, message, code = sent(bomb)
      assert.equal("damaged", code)
      assert.matches("it has more than %d+ bytes in it, too many for the %d+ that were sent",
        message)
      for _, name in ipairs(core.files.list(target .. ".uploads")) do
        assert.not_matches("%.db$", name)
      end
      os.remove(bomb)
      os.remove(packed)
    end)

    it("are refused where a chunk is damaged or has what the run has not", function()
      local one <close> = made()
      local copy = temporary()
      for _, sql in ipairs { "UPDATE chunk_data SET data = substr(data, 1, length(data) - 9)",
        "UPDATE chunk_data SET data = zeroblob(length(data))", "UPDATE chunk SET rows = rows + 1",
        "DELETE FROM chunk_data", "DELETE FROM name", "DELETE FROM track",
        "UPDATE chunk SET layout = 99", "INSERT INTO class SELECT number, 1 << 31, 'x' FROM run",
        "INSERT INTO request SELECT number, 1 << 40, 65536, 0, 1, NULL, 'done' FROM run",
        -- what is counted from 0 becomes an array
        "UPDATE source SET id = 65536", "UPDATE track SET source = 4294967295",
        "UPDATE track SET source = 1", "UPDATE track SET id = id + 100000000 WHERE id > 0",
        "UPDATE name SET id = 1 << 27 WHERE id = 0", "UPDATE layout SET id = id + 70000" } do
        write(copy, read(one.store_path))
        local hostile <close> = assert(core.database(copy))
        assert(hostile:run(sql))
        hostile:run "PRAGMA journal_mode=DELETE"
        hostile:close()
        local ids, message, code = sent(copy)
        assert.same({ nil, "damaged" }, { ids, code }, sql)
        assert.matches("^the upload is damaged: run %x+: [^\n]+$", message)
        assert.not_matches(target, message, 1, true)
      end
      os.remove(copy)
    end)

    it("are refused whole when they are damaged", function()
      local one <close> = made()
      local bytes = read(one.path)
      local bad = write(file .. ".bad", bytes:sub(1, 999) .. "x" .. bytes:sub(1001))
      local id = receiver:create(request(one)).upload_id
      receiver:append(id, 0, { path = bad, bytes = #bytes })
      local ids, message, code = receiver:finish(id)
      os.remove(bad)
      assert.same({ nil, "damaged" }, { ids, code })
      assert.matches("hash", message, 1, true)
      assert.is_true(receiver:create(request(one)).created) -- to be sent anew
    end)

    it("are stores and nothing else, with no schema of their own", function()
      local one <close> = made()
      local copy = temporary()
      local function changed(sql)
        write(copy, read(one.store_path))
        local hostile <close> = assert(core.database(copy))
        assert(hostile:run(sql))
        hostile:run "PRAGMA journal_mode=DELETE"
      end
      for sql, words in pairs {
        ["CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END"] = "tables",
        ["DROP TABLE run_tag; CREATE VIEW run_tag AS SELECT 1 AS run, 'x' AS tag"] = "tables",
        ["PRAGMA user_version = 2"] = "version 2",
        ["PRAGMA application_id = 5"] = "not a tandem store",
        ["DELETE FROM run"] = "no runs" } do
        changed(sql)
        local ids, message, code = sent(copy)
        assert.same({ nil, "damaged" }, { ids, code })
        assert.matches(words, message, 1, true)
        assert.is_nil(message:find(target, 1, true))
      end
      write(copy, "no store at all")
      assert.equal("damaged", select(3, sent(copy)))
      write(copy, ("\0"):rep(16 << 20)) -- packs to little
      assert.equal("damaged", select(3, sent(copy)))
      os.remove(copy)
      assert.equal(0, db:one("SELECT count(*) AS n FROM run").n)
    end)

    it("are finished one at a time, whoever asks", function()
      local one <close> = made()
      local id = receiver:create(request(one)).upload_id
      assert(receiver:append(id, 0, { path = one.path, bytes = one.bytes }))
      do
        local other <close> = assert(core.files.lock(target .. ".uploads/finishing.lock"))
        assert.is_truthy(other)
        assert.equal("working", select(3, receiver:finish(id)))
      end
      assert.same({ one.runs[1].id }, receiver:finish(id))
      assert.same({ "finishing.lock" }, core.files.list(target .. ".uploads"))
    end)

    it("leave no files of killed servers behind", function()
      local one <close> = made()
      local id = receiver:create(request(one)).upload_id
      receiver:append(id, 0, { path = one.path, bytes = 100 })
      for _, name in ipairs { id .. ".db.17.0.tmp", ("a"):rep(32) .. ".part" } do
        write(target .. ".uploads/" .. name, "x")
      end
      receiver:sweep(0)
      local left = core.files.list(target .. ".uploads")
      table.sort(left)
      assert.same({ id .. ".db.17.0.tmp", id .. ".part" }, left)
      receiver:sweep(core.utc_ns() + 1)
      assert.same({}, core.files.list(target .. ".uploads"))
    end)

    it("that were begun and left are swept away", function()
      local one <close> = made()
      local id = receiver:create(request(one)).upload_id
      receiver:append(id, 0, { path = one.path, bytes = 100 })
      assert.equal(0, receiver:sweep(0))
      assert.equal(1, receiver:sweep(core.utc_ns() + 1))
      assert.equal("not_found", select(3, receiver:offset(id)))
    end)
  end)
end)
