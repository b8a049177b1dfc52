-- Sweeps kept in stores: exact, resumed after any end, joined.

local core = require "tandem.core"
local json = require "tandem.io.json"
local ledger = require "tandem.sweep.ledger"
local td = require "tandem"

local program = io.popen("readlink /proc/$PPID/exe"):read "l"
local directory

local function path(name) return directory .. "/" .. name end

local function write(name, text)
  local file <close> = assert(io.open(path(name), "wb"))
  file:write(text)
  return path(name)
end

local function files()
  local pipe <close> = assert(io.popen(("ls '%s'"):format(directory)))
  return pipe:read "a"
end

local function assert_failure(wanted, code, value, message, got)
  assert.is_nil(value)
  assert.equal(wanted, message)
  assert.equal(code, got)
end

local function record(changes)
  local out = { key = "the key", name = "demo", scenario = "return …", design = { grid = { 1, 2 } },
    seed = math.mininteger, replications = 3, metrics = { "latency.p99" }, version = "0.1.0",
    points = 10 }
  for k, v in pairs(changes or {}) do out[k] = v end
  return out
end

-- Numbers whose every bit is their own.
local function answer(n)
  return { ok = true, metrics = { ["latency.p99"] = { value = math.exp(-n) / 3, half = n + 0.1 },
    bottleneck = "GPU" } }
end

local function open(name) return assert(ledger.open(path(name))) end

-- A store with a sweep of which some points are answered.
local function fill(name, numbers, changes)
  local book <close> = open(name)
  local id = assert(book:sweep(record(changes)))
  for _, n in ipairs(numbers) do assert(book:add(id, n, { rps = n }, answer(n))) end
  return path(name), id
end

local function numbers_in(name, id)
  local book <close> = open(name)
  local out = {}
  for row in assert(book:rows(id)) do
    assert.same(answer(row.number), row.answer)
    assert.same({ rps = row.number }, row.point)
    out[#out + 1] = row.number
  end
  return out
end

-- A program of our own that runs beside us; prints its process id first.
local child_source = [[
local ledger = require "tandem.sweep.ledger"
local path, key, first, step, last = ...
local function stop(...)
  if ... then return ... end
  print("failed: " .. select(2, ...))
  os.exit(tonumber((select(3, ...))))
end
local book = stop(ledger.open(path))
local id = stop(book:sweep { key = key, name = "child", points = 1000000 })
for n = tonumber(first), tonumber(last), tonumber(step) do
  stop(book:add(id, n, { rps = n }, { ok = true, metrics = { ["latency.p99"] =
    { value = math.exp(-n) / 3, half = n + 0.1 }, bottleneck = "GPU" } }))
  if #book.pending == 0 then print(n) io.stdout:flush() end
end
stop(book:close())
print "done"
]]

local function child(before, ...)
  local script = path "child.lua"
  local there = io.open(script)
  if there then there:close() else write("child.lua", child_source) end -- others may be reading it
  local words = {}
  for i, word in ipairs { program, "lua", script, ... } do words[i] = ("'%s'"):format(word) end
  local pipe = assert(io.popen(("exec sh -c 'echo $$; %s exec \"$@\" 2>&1' child %s"):format(before,
    table.concat(words, " "))))
  return pipe, pipe:read "l"
end

local function assert_valid(file)
  local db <close> = assert(core.database(file, { readonly = true, store = true }))
  assert.equal("ok", db:one("PRAGMA integrity_check").integrity_check)
end

before_each(function()
  directory = os.tmpname()
  os.remove(directory)
  assert(os.execute(("mkdir '%s'"):format(directory)))
end)
after_each(function() os.execute(("rm -rf '%s'"):format(directory)) end)

describe("exact JSON", function()
  local function same(wanted, got)
    if type(wanted) ~= "table" then
      assert.equal(math.type(wanted), math.type(got))
      assert.equal(("%q"):format(wanted), ("%q"):format(got))
      return
    end
    for k, v in pairs(wanted) do same(v, got[k]) end
    for k in pairs(got) do assert.is_not_nil(wanted[k]) end
  end

  it("gives every bit back", function()
    local values = { 0, 1, -1, math.maxinteger, math.mininteger, 0.0, -0.0, 1.0, 0.1, 2 / 3, 1e15,
      1e16, 1e17, 123456789012345678.0, 2.0 ^ 53, 2.0 ^ 63, 5e-324, 2.2250738585072014e-308,
      1.7976931348623157e308, math.pi, math.huge, -math.huge, true, false, "", "nan", "null",
      'a"\\\n\t\r\0\1\31\127/', "é😀", "\255\254", {}, { {} }, { a = {} } }
    local state = 88172645463325252
    for _ = 1, 20000 do
      state = state ~ (state << 13)
      state = state ~ (state >> 7)
      state = state ~ (state << 17)
      local number = ("d"):unpack(("i8"):pack(state))
      if number == number then values[#values + 1] = number end
    end
    for _, value in ipairs(values) do same(value, (json.read_exact(json.exact(value)))) end
    same(values, json.read_exact(json.exact(values)))
    local nan = json.read_exact(json.exact { 0 / 0 })[1]
    assert.is_true(nan ~= nan)
    assert.is_false((json.read_exact "false"))
  end)

  it("is one text for one value", function()
    assert.equal('{"a":[1,2.5,3.0,null,1e999,-1e999],"b":{"Z":true,"z":"\\u0001\\n"},"é":{}}',
      json.exact { ["é"] = {}, b = { z = "\1\n", Z = true },
        a = { 1, 2.5, 3.0, 0 / 0, math.huge, -math.huge } })
    local one, other, keys = {}, {}, {}
    for i = 1, 200 do keys[i] = ("k%d"):format(i * 7919 % 1000) end
    for i = 1, 200 do one[keys[i]], other[keys[201 - i]] = i, 201 - i end
    assert.equal(json.exact(one), json.exact(other))
    same(one, json.read_exact(json.exact(other)))
    local long = { text = ("x\1"):rep(100000), list = {} }
    for i = 1, 10000 do long.list[i] = i / 7 end
    same(long, json.read_exact(json.exact(long)))
  end)

  it("raises on what has no place in it", function()
    local loop, mixed = {}, { 1, a = 2 }
    loop[1] = loop
    for value, wanted in pairs { [print] = "function", [loop] = "nested", [mixed] = "other keys",
      [{ [1.5] = 1 }] = "number as key", [{ [true] = 1 }] = "boolean as key",
      [{ [3] = 1 }] = "number as key" } do
      local ok, message = pcall(json.exact, value)
      assert.is_false(ok)
      assert.matches(wanted, message, 1, true)
    end
    assert.has_error(function() json.exact() end)
  end)

  it("reads characters by their numbers", function()
    for text, wanted in pairs { ["\\u0041\\u00e9\\u20AC"] = "Aé€",
      ["\\uffff\\uABCD"] = "\u{ffff}\u{abcd}", ["\\ud83d\\uDE00"] = "\u{1f600}",
      ["\\uD800\\uDC00"] = "\u{10000}",
      ["\\udbff\\udfff"] = "\u{10ffff}", ["a\\u0000b"] = "a\0b",
      ["\\ud7ff\\ue000"] = "\u{d7ff}\u{e000}" } do
      assert.equal(wanted, (json.read_exact('"' .. text .. '"')), text)
    end
    for text in ([[\ud83d \ud83d\u0041 \ude00\ud83d \ud83dx \u00g0 \u00]]):gmatch "%S+" do
      assert.is_nil((json.read_exact('"' .. text .. '"')), text)
    end
  end)

  it("refuses everything else, and says where", function()
    for _, text in ipairs { "", " ", "{", "[", "[1", "[1,", "[1,]", "{]", '{"a"', '{"a":', '{"a":1',
      '{"a":1,', '{"a":1,}', '{"a" 1}', "{a:1}", "[01]", "[1.]", "[.5]", "[+1]", "[-]", "[1e]",
      "nul", "truth", '"a', '"\\x"', '"\\u12g4"', '"\\ud800"', '"\\ud800\\u0041"', '"\\udc00"',
      '"a\nb"', "[1] 2", "1\0", '{"a":1,"a":2}', "9223372036854775808", "-9223372036854775809",
      "'a'", "NaN", "inf", ("["):rep(1000), "\239\187\1911" } do
      local value, message, code = json.read_exact(text)
      assert.is_nil(value, text)
      assert.matches("^not exact JSON: .+ at byte %d+$", message)
      assert.equal(3, code)
    end
    assert_failure("not exact JSON: a key given twice at byte 11", 3,
      json.read_exact '{"a":1,"a":2}')
    same({ 'é"😀\b\f', { a = 1 }, 100.0 }, json.read_exact
      ' [ "\\u00e9\\"\\ud83d\\uDE00\\b\\f" ,\n{ "a" : 1 } ,\t1E2 ]\r\n')
  end)

  it("survives any cut and any changed byte", function()
    local text = json.exact { record(), answer(3), { true, false, 0 / 0, "\\u\n" } }
    for i = 0, #text do
      json.read_exact(text:sub(1, i))
      for _, c in ipairs { '"', "\\", "}", "9", "\255" } do
        json.read_exact(text:sub(1, i) .. c .. text:sub(i + 2))
      end
    end
  end)
end)

describe("a ledger", function()
  it("continues a sweep where it was", function()
    local book = open "a"
    local id, done = assert(book:sweep(record()))
    assert.matches("^%x%x%x%x%x%x%x%x$", id)
    assert.same({}, done)
    local odd = { ok = false, message = "no such GPU",
      metrics = { x = { value = 0 / 0, half = math.huge }, y = { value = -0.0 } } }
    assert(book:add(id, 2, { kind = "H100", n = 4 }, answer(2)))
    assert(book:add(id, 1, { kind = { ["$"] = 2 }, n = 0.5 }, odd))
    assert(book:add(id, 3, {}, { ok = true, interrupted = true, metrics = {} }))
    assert(book:add(id, 4, {}, { ok = false, message = "demo.lua:3: not enough memory",
      metrics = {} }))
    assert(book:add(id, 5, {}, { ok = false, message = "out of memory: tally", metrics = {} }))
    assert(book:close())
    assert.is_true(book:close())
    book = open "a"
    local again
    again, done = assert(book:sweep(record()))
    assert.equal(id, again)
    assert.same(answer(2), done[2])
    assert.equal(json.exact(odd), json.exact(done[1]))
    assert.same({}, { done[3], done[4], done[5] })
    local rows = {}
    for row in book:rows(id) do rows[#rows + 1] = row end
    assert.equal(2, #rows)
    assert.same({ 1, false, "no such GPU", { kind = { ["$"] = 2 }, n = 0.5 } },
      { rows[1].number, rows[1].ok, rows[1].message, rows[1].point })
    assert.same({ number = 2, ok = true, point = { kind = "H100", n = 4 }, answer = answer(2) },
      rows[2])
    assert(book:add(id, 1, { n = 1 }, answer(1))) -- another try of what failed
    assert.is_true(select(2, book:sweep(record()))[1].ok)
    book:close()
    assert.equal("a\n", files())
  end)

  it("holds several, which can be named, listed and removed", function()
    local book <close> = open "a"
    assert_failure(path "a" .. " has no sweeps yet", 3, book:find "last")
    local one = assert(book:sweep(record()))
    local two = assert(book:sweep(record { key = "other", name = "other", points = 2 }))
    assert.not_equal(one, two)
    book:add(two, 1, {}, answer(1))
    book:add(two, 2, {}, { ok = false, message = "no", metrics = {} })
    local list = assert(book:list())
    local wanted = record { id = one, done = 0, failed = 0 }
    assert.same(wanted, list[1])
    assert.same({ "other", 2, 1, 2 },
      { list[2].name, list[2].done, list[2].failed, list[2].points })
    assert.same(wanted, book:find(one:sub(1, 6)))
    assert.equal(one, book:find("demo").id)
    assert.equal(two, book:find("last").id)
    assert_failure(("no sweep 'x' in %s"):format(path "a"), 3, book:find "x")
    assert(book:sweep(record { key = "third", name = "other" }))
    assert.matches("'other' names more than one sweep", select(2, book:find "other"), 1, true)
    assert.is_true(book:remove(two))
    assert.is_nil(book:rows(two)())
    assert_failure(("no sweep '%s' in %s"):format(two, path "a"), 3, book:remove(two))
    assert.equal(2, #book:list())
    assert.matches("two sweeps under one key", select(2, book:sweep(record { points = 11 })), 1,
      true)
  end)

  it("removes what is not committed yet, and nothing of other sweeps", function()
    local one, two
    do
      local book <close> = open "a"
      one = assert(book:sweep(record()))
      two = assert(book:sweep(record { key = "other", name = "other" }))
      for n = 1, 3 do
        assert(book:add(one, n, { rps = n }, answer(n)))
        assert(book:add(two, n, { rps = n }, answer(n)))
      end
      assert.is_true(book:remove(two))
    end
    assert.same({ 1, 2, 3 }, numbers_in("a", one))
    assert.same({}, numbers_in("a", two))
  end)

  it("has the same id for a sweep in every file", function()
    local _, one = fill("a", {})
    fill("b", {}, { key = "before" })
    local _, two = fill("b", {})
    assert.equal(one, two)
  end)

  it("shares its file with runs, whichever came first", function()
    local s = td.scenario "tiny" { requests = 5, workload = td.poisson { rps = 1 },
      pipeline = { td.fixed "f" { time = "1ms" } }, cpu = 1 }
    local _, id = fill("a", { 1, 2 })
    assert(s:run { store = path "a" })
    assert.same({ 1, 2 }, numbers_in("a", id))
    assert(s:run { store = path "b" })
    fill("b", { 4 })
    assert(s:run { store = path "b" })
    assert.same({ 4 }, numbers_in("b", id))
    local db <close> = assert(core.database(path "b", { readonly = true, store = true }))
    assert.equal(2, db:one("SELECT count(*) AS n FROM run").n)
  end)

  it("refuses files that are not its own", function()
    local text = write("text", "text")
    assert_failure(text .. " is not a tandem store (not an SQLite file)", 3, ledger.open(text))
    do
      local db <close> = assert(core.database(path "newer", { store = true }))
      db:run "PRAGMA user_version = 99"
    end
    assert_failure(path "newer" ..
      " is a store of a newer tandem (store version 99, this one reads 4)", 3,
      ledger.open(path "newer"))
    assert_failure(("cannot open %s/no/x: No such file or directory"):format(directory), 4,
      ledger.open(path "no/x"))
  end)

  it("says which point of a file is damaged", function()
    local file, id = fill("a", { 1, 2 })
    do
      local db <close> = assert(core.database(file))
      db:run "UPDATE sweep_point SET answer = '{' WHERE number = 2"
    end
    local book <close> = open "a"
    local message = ("%s: point 2 of sweep %s is damaged: not exact JSON: no \"key\" at byte 2")
      :format(file, id)
    assert_failure(message, 4, book:sweep(record()))
    local step = assert(book:rows(id))
    step()
    assert.has_error(step, message)
  end)

  it("loses nothing that was committed when it is killed, and goes on", function()
    local pipe, pid = child("", path "a", "k", 1, 1, 1000000)
    local last
    for _ = 1, 6 do last = assert(pipe:read "n") end
    assert(os.execute("kill -9 " .. pid))
    local rest = pipe:read "a"
    pipe:close()
    last = tonumber(rest:match "(%d+)%s*$") or last
    assert.is_true(last > 5 and last < 1000000)
    local book <close> = open "a"
    local id, done = assert(book:sweep { key = "k", name = "child", points = 1000000 })
    local count = 0
    for _ in pairs(done) do count = count + 1 end
    assert.is_true(count >= last)
    for n = 1, count do assert.same(answer(n), done[n]) end
    assert_valid(path "a")
    for n = count + 1, count + 5 do assert(book:add(id, n, { rps = n }, answer(n))) end
    assert(book:flush())
    assert.equal(count + 5, book:list()[1].done)
  end)

  it("says once that the disk is full, and goes on when there is room", function()
    local pipe = child("ulimit -f 400;", path "a", "k", 1, 1, 1000000)
    local lines = {}
    for line in pipe:lines() do lines[#lines + 1] = line end
    pipe:close()
    assert.equal(("failed: cannot read or write %s: the limit on a file's size is reached"
      .. " (ulimit -f)"):format(path "a"), lines[#lines])
    local last = tonumber(lines[#lines - 1])
    assert_valid(path "a")
    local book <close> = open "a"
    local id, done = assert(book:sweep { key = "k", name = "child", points = 1000000 })
    for n = 1, last do assert.same(answer(n), done[n]) end
    assert(book:add(id, last + 1, { rps = 1 }, answer(1)))
    assert(book:flush())
  end)

  it("is written by several processes at once", function()
    local pipes = {}
    for i = 0, 2 do pipes[i] = child("", path "a", "k", 1 + i, 3, 3000) end
    pipes[3] = child("", path "a", "other", 1, 1, 500)
    for i = 0, 3 do
      local text = pipes[i]:read "a"
      pipes[i]:close()
      assert.matches("done\n$", text)
    end
    local book <close> = open "a"
    local _, done = assert(book:sweep { key = "k", name = "child", points = 1000000 })
    for n = 1, 3000 do assert.same(answer(n), done[n]) end
    assert.equal(2, #book:list())
    assert.equal(500, book:find((book:sweep { key = "other", name = "child",
      points = 1000000 })).done)
    assert_valid(path "a")
  end)

  it("notices that its sweep was removed by another", function()
    local book, other = open "a", open "a"
    local id = assert(book:sweep(record()))
    other:remove(id)
    other:close()
    local kept, message = book:add(id, 1, {}, answer(1))
    if kept then kept, message = book:flush() end
    assert.is_nil(kept)
    assert.equal(path "a" .. ": the sweep was removed while its answers came in", message)
    book:close()
  end)
end)

describe("ledger.merge", function()
  it("unites points and copies sweeps; twice changes nothing", function()
    local a, id = fill("a", { 1, 2, 3 })
    local b = fill("b", { 3, 5 })
    local c = fill("c", { 1 }, { key = "other" })
    fill("c", { 9 })
    local summary = { stores = 3, sweeps = 2, points = 6, new_sweeps = 2, new_points = 6, runs = 0 }
    assert.same(summary, ledger.merge(path "into", { a, b, c }))
    assert.same({ 1, 2, 3, 5, 9 }, numbers_in("into", id))
    summary.new_sweeps, summary.new_points = 0, 0
    assert.same(summary, ledger.merge(path "into", { a, b, c }))
    assert.same({ 1, 2, 3, 5, 9 }, numbers_in("into", id))
    summary.stores, summary.new_points = 2, 2
    assert.same(4, ledger.merge(b, { a, b, c, path "into" }).stores)
    assert.same({ 1, 2, 3, 5, 9 }, numbers_in("b", id))
    assert.equal("a\nb\nc\ninto\n", files())
    assert.same({ stores = 0, sweeps = 0, points = 0, new_sweeps = 0, new_points = 0, runs = 0 },
      ledger.merge(path "new", {}))
  end)

  it("is the same bytes of answers, page after page", function()
    local all = {}
    for n = 1, 1700 do all[n] = n end
    local a, id = fill("a", all)
    assert.equal(1700, assert(ledger.merge(path "into", { a })).new_points)
    assert.same(all, numbers_in("into", id))
  end)

  it("writes nothing when two files disagree, and names both", function()
    local a = fill("a", { 1, 2 })
    local b, id = fill("b", { 3 })
    do
      local book <close> = open "b"
      assert(book:add(id, 2, { rps = 2 }, answer(7)))
    end
    local message = ("point 2 of sweep 'demo' (%s) has two different answers: one in %%s,"
      .. " one in %%s"):format(id)
    assert_failure(message:format(a, b), 3, ledger.merge(path "into", { a, b }))
    assert.equal("a\nb\n", files())
    assert_failure(message:format(b, a), 3, ledger.merge(b, { fill("c", { 4 }), a }))
    assert.equal(2, #numbers_in("a", id))
    local book <close> = open "b"
    assert.equal(2, book:list()[1].done)
    do
      local other <close> = open "d"
      assert(other:sweep(record { points = 11 }))
    end
    assert_failure(("sweep 'demo' (%s) is another one in %s than in %s: its points differ"):format(
      id, path "d", a), 3, ledger.merge(path "into", { a, path "d" }))
  end)

  it("refuses a point that is another one in the other file", function()
    local a, id = fill("a", { 1, 2 })
    do
      local book <close> = open "b"
      assert(book:sweep(record()))
      assert(book:add(id, 2, { rps = 9 }, answer(2)))
    end
    assert_failure(("point 2 of sweep 'demo' (%s) is two different points: one in %s, one in %s")
      :format(id, a, path "b"), 3, ledger.merge(path "into", { a, path "b" }))
  end)

  it("prefers an answer to a failure", function()
    local a, id = fill("a", { 1 })
    do
      local book <close> = open "b"
      assert(book:sweep(record()))
      assert(book:add(id, 1, { rps = 1 }, { ok = false, message = "no memory", metrics = {} }))
    end
    for i, from in ipairs { { a, path "b" }, { path "b", a } } do
      assert(ledger.merge(path("into" .. i), from))
      assert.same({ 1 }, numbers_in("into" .. i, id))
    end
    assert.equal(0, assert(ledger.merge(path "b", { a })).new_points)
    assert.same({ 1 }, numbers_in("b", id))
    -- Of two failures the first stays.
    for _, name in ipairs { "c", "d" } do
      local book <close> = open(name)
      assert(book:sweep(record()))
      assert(book:add(id, 1, { rps = 1 }, { ok = false, message = "of " .. name, metrics = {} }))
    end
    assert(ledger.merge(path "failed", { path "c", path "d" }))
    local book <close> = open "failed"
    assert.equal("of c", book:rows(id)().answer.message)
  end)

  it("takes what a killed process left, and stores without sweeps", function()
    local pipe, pid = child("", path "a", "k", 1, 1, 1000000)
    local last = 0
    for _ = 1, 4 do last = assert(pipe:read "n") end
    assert(os.execute("kill -9 " .. pid))
    pipe:close()
    local s = td.scenario "tiny" { requests = 5, workload = td.poisson { rps = 1 },
      pipeline = { td.fixed "f" { time = "1ms" } }, cpu = 1 }
    assert(s:run { store = path "b" })
    local summary = assert(ledger.merge(path "into", { path "a", path "b" }))
    assert.is_true(summary.points >= last)
    assert.equal(1, summary.runs)
  end)

  it("refuses by name what is not a store", function()
    local a = fill("a", { 1 })
    local text = write("text", "no store")
    assert_failure(text .. " is not a tandem store (not an SQLite file)", 3,
      ledger.merge(path "into", { a, text }))
    assert_failure(("cannot open %s: No such file or directory"):format(path "none"), 4,
      ledger.merge(path "into", { a, path "none" }))
    assert_failure(write("empty", "") .. " is not a tandem store (it is empty)", 3,
      ledger.merge(path "into", { path "empty" }))
    do
      local db <close> = assert(core.database(path "newer", { store = true }))
      db:run "PRAGMA user_version = 98"
    end
    assert_failure(path "newer" ..
      " is a store of a newer tandem (store version 98, this one reads 4)", 3,
      ledger.merge(path "into", { a, path "newer" }))
    assert.equal("a\nempty\nnewer\ntext\n", files())
    assert_failure(text .. " is not a tandem store (not an SQLite file)", 3,
      ledger.merge(text, { a }))
  end)
end)
