-- `tandem export --as-captured`: a simulated run as a profiler would have captured it. What goes
-- out comes back through the readers, exactly; and the SQLite file answers the questions that are
-- asked of real exports.

local core = require "tandem.core"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local files

setup(function() files = store_fixture.new() end)
teardown(function() files:remove() end)

local FORMATS <const> = { nsys = "x.sqlite", chrome = "x.json" }

-- Simulates, exports in a format, and reads the file into the same store: the simulation is run 1,
-- the capture run 2.
local function captured(scenario, format, options)
  os.execute(("rm -f '%s' '%s-wal' '%s-shm'"):format(files:path "a.db", files:path "a.db",
    files:path "a.db"))
  options = options or {}
  options.store = files:path "a.db"
  scenario:run(options)
  local path = files:path(FORMATS[format])
  local _, err, code = files:tandem("export", "last", "--as-captured", "--format", format,
    "-o", path)
  assert.equal(0, code, err)
  _, err, code = files:tandem("import", path)
  assert.equal(0, code, err)
  return assert(td.store(files:path "a.db")), path
end

local function rows(store, sql)
  local out = {}
  for row in store:query(sql) do out[#out + 1] = row end
  return out
end

local function service(fields)
  local body = {
    workload = td.poisson { rps = 250, requests = 100 },
    attrs    = { tokens = td.uniform(10, 200), pages = td.empirical { 1, 2, 3 } },
    target   = td.gpu "L40S" { concurrency = 2 },
    cpu      = { workers = 2 },
    pipeline = {
      td.fixed "parse" { time = "0.3ms", jitter = td.exponential(1) },
      td.transfer "upload" { on = "h2d", bytes = function(r) return 409600 * r.pages end },
      td.stage "infer" { on = "gpu", cost = function(r) return 1e-4 * r.tokens end },
      td.transfer "download" { on = "d2h", bytes = td.exponential { mean = "2MB" } },
      td.fixed "answer" { time = "0.2ms" },
    },
  }
  for key, value in pairs(fields or {}) do body[key] = value end
  return td.scenario "service" (body)
end

-- request id → { start, end, tokens, pages } of the simulation.
local function told_requests(store)
  local out = {}
  for _, row in ipairs(rows(store, [[SELECT request, start_ns, dur_ns, args FROM span
    WHERE run = 1 AND category = 'request']])) do
    out[row.request] = { row.start_ns, row.start_ns + row.dur_ns,
      tonumber(row.args:match '"tokens":([%d.e+-]+)'), tonumber(row.args:match '"pages":(%d+)') }
  end
  return out
end

-- The same from the ranges of a capture; and by thread, in order.
local function captured_requests(store)
  local out, by_thread = {}, {}
  for _, row in ipairs(rows(store, [[SELECT s.name, start_ns, dur_ns, track FROM span s
    WHERE run = 2 AND category IN ('nvtx', 'user_annotation') AND name LIKE 'request %'
    ORDER BY start_ns]])) do
    local id = math.tointeger(row.name:match "^request (%d+)")
    out[id] = { row.start_ns, row.start_ns + row.dur_ns,
      tonumber(row.name:match "tokens=([%d.e+-]+)"), tonumber(row.name:match "pages=(%d+)") }
    by_thread[row.track] = by_thread[row.track] or {}
    table.insert(by_thread[row.track], { id, row.start_ns, row.start_ns + row.dur_ns })
  end
  return out, by_thread
end

-- Whose range on a thread holds a span of time. Of two that meet there, the one that has it whole.
local function owner(by_thread, track, from_ns, to_ns)
  for _, request in ipairs(by_thread[track]) do
    if request[2] <= from_ns and to_ns <= request[3] and not (request[3] == from_ns
      and request[2] < from_ns) then return request[1] end
  end
  for _, request in ipairs(by_thread[track]) do
    if request[2] <= from_ns and to_ns <= request[3] then return request[1] end
  end
end

local function sorted_lines(list)
  table.sort(list)
  return table.concat(list, "\n")
end

for format, other in pairs { nsys = "nvtx", chrome = "user_annotation" } do
  describe("a simulation captured as " .. format, function()
    local store
    setup(function() store = captured(service(), format) end)
    teardown(function() store:close() end)

    it("has each request from arrival to end, with its attributes", function()
      assert.same(told_requests(store), (captured_requests(store)))
      assert.equal(100, #rows(store, "SELECT 1 FROM span WHERE run = 1 AND category = 'request'"))
    end)

    it("has no two requests on one thread at once, and no thread too many", function()
      local _, by_thread = captured_requests(store)
      local threads, most, marks = 0, 0, {}
      for _, list in pairs(by_thread) do
        threads = threads + 1
        for i = 2, #list do assert.truthy(list[i][2] >= list[i - 1][3]) end
        for _, request in ipairs(list) do
          marks[#marks + 1] = { request[2], 1 }
          marks[#marks + 1] = { request[3], -1 }
        end
      end
      table.sort(marks, function(a, b)
        if a[1] ~= b[1] then return a[1] < b[1] end
        return a[2] < b[2]
      end)
      local inside = 0
      for _, mark in ipairs(marks) do
        inside = inside + mark[2]
        most = math.max(most, inside)
      end
      assert.equal(most, threads)
    end)

    it("has every CPU stage as a range inside its request", function()
      local _, by_thread = captured_requests(store)
      local told, got = {}, {}
      for _, row in ipairs(rows(store, [[SELECT request, name, start_ns, dur_ns FROM span
        WHERE run = 1 AND category = 'stage' AND name IN ('parse', 'answer')]])) do
        told[#told + 1] = ("%d %s %d %d"):format(row.request, row.name, row.start_ns, row.dur_ns)
      end
      for _, row in ipairs(rows(store, ([[SELECT name, start_ns, dur_ns, track FROM span
        WHERE run = 2 AND category = '%s' AND shape = 'span' AND name NOT LIKE 'request %%']])
        :format(other))) do
        got[#got + 1] = ("%d %s %d %d"):format(owner(by_thread, row.track, row.start_ns,
          row.start_ns + row.dur_ns), row.name, row.start_ns, row.dur_ns)
      end
      assert.equal(200, #told)
      assert.equal(sorted_lines(told), sorted_lines(got))
    end)

    it("has kernels and copies with their bytes, asked for when the request queued", function()
      local _, by_thread = captured_requests(store)
      local told, got = {}, {}
      local kinds = { upload = "HtoD", download = "DtoH", infer = "infer" }
      for _, row in ipairs(rows(store, [[SELECT s.request, s.name, s.start_ns, s.dur_ns, s.bytes,
        coalesce(w.start_ns, s.start_ns) AS asked_ns FROM span s LEFT JOIN span w ON w.run = 1 AND
        w.category = 'wait' AND w.request = s.request AND w.name = s.name AND
        w.start_ns + w.dur_ns = s.start_ns WHERE s.run = 1 AND s.category = 'stage' AND
        s.name IN ('upload', 'infer', 'download')]])) do
        told[#told + 1] = ("%d %s %d %d %s asked %d"):format(row.request, kinds[row.name],
          row.start_ns, row.dur_ns, row.bytes, row.asked_ns)
      end
      for _, row in ipairs(rows(store, [[SELECT s.category, s.name, s.start_ns, s.dur_ns, s.bytes,
        s.args, c.track, c.start_ns AS asked_ns, c.name AS call FROM span s JOIN span c ON
        c.run = 2 AND c.category = 'runtime' AND c.correlation = s.correlation
        WHERE s.run = 2 AND s.category IN ('kernel', 'memcpy')]])) do
        local copy = row.category == "memcpy"
        assert.equal(copy and "cudaMemcpyAsync" or "cudaLaunchKernel", row.call)
        got[#got + 1] = ("%d %s %d %d %s asked %d"):format(
          owner(by_thread, row.track, row.asked_ns, row.start_ns + row.dur_ns),
          copy and row.args:match '"kind":"(%w+)"' or row.name, row.start_ns, row.dur_ns,
          row.bytes, row.asked_ns)
      end
      assert.equal(300, #told)
      assert.equal(sorted_lines(told), sorted_lines(got))
    end)

    it("uses as many compute streams as run at once, and a stream each way for copies", function()
      local streams = rows(store, [[SELECT category, count(DISTINCT track) AS n FROM span
        WHERE run = 2 AND category IN ('kernel', 'memcpy') GROUP BY 1 ORDER BY 1]])
      assert.same({ { category = "kernel", n = 2 }, { category = "memcpy", n = 2 } }, streams)
      assert.equal(0, store:query([[SELECT count(*) AS n FROM span a JOIN span b ON b.run = 2 AND
        b.track = a.track AND b.id > a.id AND b.start_ns < a.start_ns + a.dur_ns AND
        a.start_ns < b.start_ns + b.dur_ns WHERE a.run = 2 AND
        a.category IN ('kernel', 'memcpy') AND b.category IN ('kernel', 'memcpy')]]):one().n)
    end)

    it("answers as the simulation does, and where only captures do", function()
      local simulated, capture = store:run "#1" or nil, store:run "last"
      assert.is_nil(simulated) -- by its id instead
      local ids = rows(store, "SELECT id FROM run ORDER BY number")
      simulated = assert(store:run(ids[1].id))
      assert.equal(simulated:kernels():rows()[1].total_ns, capture:kernels():rows()[1].total_ns)
      local total = 0
      for _, row in ipairs(simulated:copies():frame "size".rows) do
        total = total + row.total_bytes
      end
      for _, row in ipairs(capture:copies():frame "size".rows) do
        total = total - row.total_bytes
      end
      assert.equal(0, total)
      local projected = capture:projected()
      assert.is_false(projected:abstains())
      assert.equal(100, #projected:rows()) -- nothing is launched in a stage on the CPU
    end)
  end)
end

describe("the SQLite file of a captured simulation", function()
  local db
  setup(function()
    local store, path = captured(service(), "nsys")
    store:close()
    db = assert(core.database(path))
  end)
  teardown(function() db:close() end)

  local function one(sql) return assert(db:one(sql)) end

  it("says its schema, and that it is no real capture", function()
    assert.equal("3.25.0", one [[SELECT value FROM META_DATA_EXPORT
      WHERE name = 'EXPORT_SCHEMA_VERSION']].value)
    assert.matches("simulation", one [[SELECT value FROM META_DATA_CAPTURE
      WHERE name = 'CAPTURED_FROM']].value)
    assert.equal("L40S", one "SELECT name FROM TARGET_INFO_GPU WHERE id = 0".name)
  end)

  it("answers a summary of kernels, as nsys stats asks for it", function()
    local row = one [[SELECT count(*) AS n, sum(k.end - k.start) AS total, s.value AS name
      FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName
      GROUP BY k.demangledName]]
    assert.equal(100, row.n)
    assert.equal("infer", row.name)
  end)

  it("joins kernels, calls and the ranges around them", function()
    local row = one [[SELECT count(*) AS n FROM CUPTI_ACTIVITY_KIND_KERNEL k
      JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId AND
        r.globalTid / 0x1000000 * 0x1000000 = k.globalPid
      JOIN NVTX_EVENTS n ON n.globalTid = r.globalTid AND n.eventType = 59 AND
        n.start <= r.start AND n.end >= r.end AND n.end >= k.end AND n.text LIKE 'request %']]
    assert.equal(100, row.n)
  end)

  it("names what its numbers mean", function()
    local row = one [[SELECT e.label, count(*) AS n, sum(m.bytes) AS bytes
      FROM CUPTI_ACTIVITY_KIND_MEMCPY m JOIN ENUM_CUDA_MEMCPY_OPER e ON e.id = m.copyKind
      WHERE m.copyKind = 1]]
    assert.equal("Host-to-Device", row.label)
    assert.equal(100, row.n)
    assert.equal("Pinned", one [[SELECT DISTINCT label FROM CUPTI_ACTIVITY_KIND_MEMCPY
      JOIN ENUM_CUDA_MEM_KIND e ON e.id = srcKind WHERE copyKind = 1]].label)
    row = one [[SELECT p.name, t.value AS thread FROM ThreadNames n
      JOIN StringIds t ON t.id = n.nameId JOIN PROCESSES p ON
      p.globalPid = n.globalTid / 0x1000000 * 0x1000000 ORDER BY n.globalTid]]
    assert.same({ name = "server", thread = "worker 1" }, row)
  end)

  it("has times within what its details say", function()
    local row = one [[SELECT startTime, stopTime, duration, (SELECT min(start) FROM NVTX_EVENTS) AS
      first, (SELECT max(end) FROM NVTX_EVENTS) AS last FROM ANALYSIS_DETAILS]]
    assert.equal(row.first, row.startTime)
    assert.equal(row.last, row.stopTime)
    assert.equal(row.last - row.first, row.duration)
  end)
end)

describe("a captured batch", function()
  it("is one kernel, asked for when its last member came; the others wait in ranges", function()
    local store = captured(td.scenario "batches" {
      workload = td.poisson { rps = 400, requests = 100 },
      target = td.gpu "L40S" {},
      pipeline = { td.stage "infer" { on = "gpu", cost = "10ms",
        batch = { max = 4, wait = "5ms" } } },
    }, "nsys")
    local _, by_thread = captured_requests(store)
    local stages = rows(store, [[SELECT request, start_ns, dur_ns, args FROM span
      WHERE run = 1 AND category = 'stage' ORDER BY start_ns]])
    local kernels = rows(store, [[SELECT k.start_ns, k.dur_ns, c.start_ns AS asked_ns, c.track
      FROM span k JOIN span c ON c.run = 2 AND c.category = 'runtime' AND
      c.correlation = k.correlation WHERE k.run = 2 AND k.category = 'kernel'
      ORDER BY k.start_ns]])
    assert.equal(#stages, #kernels)
    local members = 0
    for i, stage in ipairs(stages) do
      local kernel = kernels[i]
      assert.equal(stage.start_ns, kernel.start_ns)
      assert.equal(stage.dur_ns, kernel.dur_ns)
      assert.equal(stage.request, owner(by_thread, kernel.track, kernel.asked_ns,
        kernel.start_ns + kernel.dur_ns))
      local waits = rows(store, ([[SELECT request, start_ns FROM span WHERE run = 1 AND
        category = 'wait' AND start_ns + dur_ns = %d]]):format(stage.start_ns))
      local last = stage.start_ns
      for k, wait in ipairs(waits) do last = k == 1 and wait.start_ns or
        math.max(last, wait.start_ns) end
      assert.equal(last, kernel.asked_ns)
      local ranges = rows(store, ([[SELECT start_ns, dur_ns, track FROM span WHERE run = 2 AND
        category = 'nvtx' AND name = 'infer' AND start_ns + dur_ns = %d]]):format(
        stage.start_ns + stage.dur_ns))
      assert.equal(math.tointeger(stage.args:match '"batch":(%d+)') - 1, #ranges)
      local told, got = {}, {}
      for _, wait in ipairs(waits) do
        if wait.request ~= stage.request then
          told[#told + 1] = ("%d %d"):format(wait.request, wait.start_ns)
        end
      end
      for _, range in ipairs(ranges) do
        got[#got + 1] = ("%d %d"):format(owner(by_thread, range.track, range.start_ns,
          range.start_ns + range.dur_ns), range.start_ns)
      end
      assert.equal(sorted_lines(told), sorted_lines(got))
      members = members + 1 + #ranges
    end
    assert.equal(100, members)
    store:close()
  end)
end)

describe("what is captured of other scenarios", function()
  it("begins and ends branches that run at once each for itself", function()
    local store = captured(td.scenario "forks" {
      workload = td.poisson { rps = 50, requests = 40 }, cpu = { workers = 8 },
      pipeline = { td.fork { { td.fixed "left" { time = "2ms" }, td.fixed "more" { time = "3ms" } },
        { td.fixed "right" { time = "4ms" } } } },
    }, "nsys")
    local shapes = {}
    for _, row in ipairs(rows(store, [[SELECT name, shape, count(*) AS n FROM span WHERE run = 2 AND
      name IN ('left', 'right', 'more') GROUP BY 1, 2]])) do
      shapes[row.name] = (shapes[row.name] or 0) + row.n
    end
    assert.same({ left = 40, right = 40, more = 40 }, shapes)
    assert.equal(40, store:query([[SELECT count(*) AS n FROM span WHERE run = 2 AND
      name = 'more' AND shape = 'async']]):one().n)
    assert.equal(0, store:query([[SELECT count(*) AS n FROM problem WHERE run = 2]]):one().n)
    store:close()
  end)

  it("tells the class where there are several, and each GPU by its number", function()
    local store = captured(td.scenario "fleet" {
      classes = {
        { name = "chat", workload = td.poisson { rps = 100 }, attrs = { tokens = 12 } },
        { name = "scan", workload = td.poisson { rps = 50 } },
      },
      target = td.fleet "pool" { td.gpu "L40S" { count = 2 } }, duration = "300ms",
      pipeline = { td.transfer "in" { on = "h2d", bytes = 1e6 },
        td.stage "infer" { on = "gpu", cost = "5ms" } },
    }, "nsys")
    local n = store:query([[SELECT sum(name LIKE 'request % class=chat tokens=12') AS chat,
      sum(name LIKE 'request % class=scan') AS scan FROM span
      WHERE run = 2 AND category = 'nvtx']]):one()
    local told = store:query([[SELECT sum(name = 'chat') AS chat, sum(name = 'scan') AS scan
      FROM span WHERE run = 1 AND category = 'request']]):one()
    assert.same(told, n)
    local devices = rows(store, [[SELECT t.process, t.device, count(*) AS n FROM span s JOIN track t
      ON t.run = 2 AND t.id = s.track WHERE s.run = 2 AND s.category = 'kernel'
      GROUP BY 1, 2 ORDER BY 2]])
    local simulated = rows(store, [[SELECT t.process, count(*) AS n FROM span s JOIN track t ON
      t.run = 1 AND t.id = s.track WHERE s.run = 1 AND s.category = 'stage' AND s.name = 'infer'
      GROUP BY 1 ORDER BY 1]])
    assert.equal(2, #devices)
    for i, device in ipairs(devices) do
      assert.equal(i - 1, device.device)
      assert.equal(simulated[i].process .. " #" .. i - 1, device.process)
      assert.equal(simulated[i].n, device.n)
    end
    store:close()
  end)
end)

describe("tandem export", function()
  it("says what cannot be captured, and where an SQLite file cannot go", function()
    files:keep("a.db", { scenario = service() })
    local _, err, code = files:tandem("export", "last", "--as-captured", "--format", "nsys",
      "-o", "-")
    assert.equal("tandem export: an SQLite file cannot be written to /dev/stdout: name a file\n",
      err)
    assert.not_equal(0, code)
    local nothing
    _, nothing, code = files:tandem("export", "last", "-o", files:path "y.sqlite")
    assert.matches("nothing in the run has a place in this format", nothing, 1, true)
    assert.matches("--as-captured", nothing, 1, true)
    assert.not_equal(0, code)
    assert.is_nil(io.open(files:path "y.sqlite"))
    files:tandem("import", "tests/data/nsys/mock.sqlite.gz")
    _, err, code = files:tandem("export", "last", "--as-captured", "-o", files:path "y.sqlite")
    assert.matches("the run was not simulated", err, 1, true)
    assert.not_equal(0, code)
  end)

  it("writes no end before its start where times exceed 64 bits", function()
    local made = require("tests.spec.support.made_trace").new()
    local thread <const>, far <const> = made:thread(), 9000000000000000
    made:span("nvtx", thread, "before", -far, 0):span("nvtx", thread, "after", far, 2 * far)
    local run, path = made:run(files), files:path "far.sqlite"
    assert(core.export { store = files:path "a.db", run = run.id, format = "nsys", path = path })
    local file = assert(core.database(path))
    local function end_of(text)
      return file:one(("SELECT end AS ns FROM NVTX_EVENTS WHERE text = '%s'"):format(text)).ns
    end
    assert.same({ 0, math.maxinteger }, { end_of "before", end_of "after" })
    assert.equal(math.maxinteger, file:one("SELECT duration FROM ANALYSIS_DETAILS").duration)
    file:close()
  end)

  it("captures times beyond 64 bits as far as they can be told", function()
    local made = require("tests.spec.support.made_trace").new()
    local thread <const>, far <const> = made:thread(), 9000000000000000
    made:span("request", thread, "default", far, 2 * far, { request = 1 })
    made:span("stage", thread, "late", far, 2 * far, { request = 1, batch = 1 })
    local run, path = made:run(files), files:path "captured.sqlite"
    assert(core.export { store = files:path "a.db", run = run.id, format = "nsys", path = path,
      captured = true })
    local file = assert(core.database(path))
    assert.same({ least = math.maxinteger, n = 2 },
      file:one "SELECT min(end) AS least, count(*) AS n FROM NVTX_EVENTS WHERE eventType = 59")
    file:close()
  end)

  it("writes a real capture so that it reads back the same", function()
    local at = files:path "b.db"
    for _, name in ipairs { "mock.sqlite.gz", "h100_cut.sqlite.gz", "healthy_1pct.sqlite" } do
      os.execute(("rm -f '%s'*"):format(at))
      local function tandem(...)
        local words = table.pack(...)
        words[#words + 1] = "--store"
        words[#words + 1] = at
        local console = require("tandem.cli.console").of_strings {}
        assert.equal(0, require("tandem.cli").main(words, console), console.err)
        return console.err
      end
      tandem("import", "tests/data/nsys/" .. name)
      assert.equal("Nsight Systems SQLite export written to " .. files:path "z.sqlite" .. "\n",
        tandem("export", "last", "-o", files:path "z.sqlite"))
      tandem("import", files:path "z.sqlite")
      local store <close> = assert(td.store(at))
      local lines = { {}, {} }
      for _, row in ipairs(rows(store, [[SELECT s.run, s.category, s.shape, s.name, start_ns,
        dur_ns, s.args, t.process, t.name AS track, t.pid, t.tid, t.stream FROM span s
        JOIN track t ON t.run = s.run AND t.id = s.track ORDER BY 1, 2, 5, 4, 6, 7]])) do
        table.insert(lines[row.run], table.concat({ row.category, row.shape, row.name,
          row.start_ns, row.dur_ns, row.args, row.process, row.track, tostring(row.pid),
          tostring(row.tid), tostring(row.stream) }, "|"))
      end
      assert.truthy(#lines[1] > 0)
      assert.equal(sorted_lines(lines[1]), sorted_lines(lines[2]))
    end
  end)
end)
