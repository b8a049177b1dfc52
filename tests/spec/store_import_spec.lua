-- tandem import and export, and the clocks of several files.
local cjson = require "cjson"
local cli = require "tandem.cli"
local consoles = require "tandem.cli.console"
local fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local files

before_each(function() files = fixture.new() end)
after_each(function() files:remove() end)

local function tandem(...) return files:tandem(...) end

local ALL_REDUCE <const> = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, ulong)"

-- A rank whose clock is `behind` ns behind: its collectives end when those of the others do, give
-- or take what `jitter` says.
local function rank(number, behind, collectives, jitter, utc_ns)
  local kernels = {}
  for k = 1, collectives do
    local finish = 1000000 * k - behind + (jitter and jitter(k) or 0)
    local dur = 1000 + 100 * number + 10 * k -- ranks begin to wait when they are ready
    kernels[#kernels + 1] = { ALL_REDUCE, finish - dur, dur }
    kernels[#kernels + 1] = { "gemm", finish + 1000, 500 }
  end
  kernels[#kernels + 1] = { "only_here_" .. number, 5, 5 }
  return files:write(("rank%d.jsonl"):format(number), fixture.jsonl {
    path = ("rank%d.json"):format(number), rank = number, kernels = kernels, utc_ns = utc_ns })
end

local function imported(...)
  local out, err, code = tandem("import", "--json", ...)
  assert.equal("", err)
  assert.equal(0, code)
  return cjson.decode(out).result
end

describe("tandem import", function()
  it("says what it read", function()
    local out, err, code = tandem("import", rank(0, 0, 3), "--name", "nightly", "--tag", "a")
    assert.equal("", err)
    assert.equal(0, code)
    local id = out:match "^kept as (%x+) in "
    assert.matches("\n  file +format +rank +records +length\n  rank0.json +kineto +0 +7 +3 ms\n$",
      out)
    local s <close> = assert(td.store(files:path "a.db"))
    local run = assert(s:run "last")
    assert.equal(id, run.id)
    assert.equal("nightly", run.name)
    assert.equal("measured", run.kind)
    assert.same({ "a" }, run.tags)
    assert.equal(7, run.span_count)
    assert.is_nil(run.seed)
  end)

  it("names what is no trace in a folder", function()
    rank(0, 0, 3)
    files:write("notes.txt", "hello")
    local folder = rank(1, 0, 3):match "^(.*)/"
    local answer = imported(folder)
    assert.equal(2, #answer.sources)
    assert.same({ folder .. "/notes.txt" }, answer.left_out)
  end)

  it("looks at a folder once, and at files alone", function()
    local folder = rank(0, 0, 3):match "^(.*)/"
    assert(os.execute(("mkdir '%s/deep' && ln -s .. '%s/deep/up' && ln -s nowhere '%s/dangling' "
      .. "&& mkfifo '%s/pipe'"):format(folder, folder, folder, folder)))
    local answer = imported(folder)
    assert.equal(1, #answer.sources)
    assert.same({ folder .. "/dangling", folder .. "/pipe" }, answer.left_out)
    assert(os.execute(("rm -r '%s/deep' '%s/dangling' '%s/pipe'"):format(folder, folder, folder)))
  end)

  it("stores all files or none", function()
    local text = files:write("text", "this is not a trace")
    local out, err, code = tandem("import", rank(0, 0, 3), text)
    assert.equal("", out)
    assert.equal(3, code)
    assert.matches("text is in none of the formats that are read", err, 1, true)
    local s <close> = assert(td.store(files:path "a.db"))
    assert.equal(0, #s:runs().rows)
  end)

  it("stores a run with its tags and its clocks, or not at all", function()
    local core = require "tandem.core"
    local paths = { rank(0, 0, 3), rank(1, 7, 3) }
    local function import(complete)
      return core.import { store = files:path "a.db", files = paths, complete = complete }
    end
    local function runs()
      local s <close> = assert(td.store(files:path "a.db"))
      return #s:runs().rows
    end
    local kept
    local id, message, code = import(function(db, number)
      kept = db
      assert(require("tandem.store.align").run(db, number, "first"))
      assert(require("tandem.store.edit").add_tags(db, number, { "a" }))
      assert.equal(1, db:one("SELECT count(*) AS n FROM run_tag").n)
      assert.equal(0, runs()) -- nobody else sees it yet
      return nil, "no", 4
    end)
    assert.is_nil(id)
    assert.equal("no", message)
    assert.equal(4, code)
    assert.equal(0, runs())
    assert.has_error(function() kept:run "DELETE FROM run" end, "this database is closed")
    assert.has_error(function() import(function() error("oh", 0) end) end, "oh")
    local why
    id, message = import(function(db, number)
      why = select(2, db:run("UPDATE source SET path = NULL WHERE run = ?", number))
      return nil, why, 4
    end)
    assert.is_nil(id)
    assert.matches("a.db: NOT NULL constraint failed", message, 1, true)
    assert.equal(0, runs())
    assert.is_string(import(function(db) return #db:all "SELECT * FROM source" == 2 end))
    assert.equal(1, runs())
  end)

  it("counts an edge that is too long for its column", function()
    local event = '{"ph":"%s","pid":1,"tid":%d,"name":"a","cat":"ac2g","ts":%s,%s}'
    local read = imported(files:write("far.json", '{"traceEvents":['
      .. table.concat({ event:format("X", 1, "-9200000000000000", '"dur":10'),
        event:format("X", 2, "9200000000000000", '"dur":10'),
        event:format("s", 1, "-9200000000000000", '"id":7'),
        event:format("f", 2, "9200000000000000", '"id":7,"bp":"e"') }, ",") .. "]}"))
    assert.equal(2, read.rows)
    assert.same({ { count = 1, kind = "edges over more than 64 bits of nanoseconds (dropped)" } },
      read.sources[1].problems)
    assert.matches("duration +5,111,111 h\n", (tandem("show", "last")))
  end)

  it("notices damage and more text behind the value of a JSON file", function()
    local texts <const> = {
      speedscope = '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":'
        .. '{"frames":[{"name":"f"}]},"profiles":[{"type":"evented","name":"p","unit":'
        .. '"nanoseconds","startValue":0,"endValue":9,"events":[{"type":"O","frame":0,"at":1},'
        .. '{"type":"C","frame":0,"at":3}]}]}',
      timeline = "[[100,1,512,3],[200,2,512,3]]",
      snapshot = '{"segments":[],"device_traces":[[{"action":"alloc","addr":1,"size":8,'
        .. '"stream":0,"time_us":5}]]}',
    }
    for name, text in pairs(texts) do
      local path = files:write(name, text .. ' [1] "more"')
      assert.same({ { kind = "characters that are not JSON (skipped)", count = 2 } },
        imported(path).sources[1].problems, name)
      path = files:write(name, text)
      assert.equal(0, select(3, tandem("import", path)))
      assert(os.execute(("gzip -f %s && truncate -s -8 %s.gz"):format(path, path)))
      local _, err, code = tandem("import", path .. ".gz") -- its checksum is gone
      assert.equal(3, code)
      assert.matches("gzip data ends too early\n$", err)
    end
  end)

  it("says of UTF-16 what it is: PowerShell writes it", function()
    for _, text in ipairs { "\xff\xfe[\0]\0", "\xfe\xff\0[\0]" } do
      local _, err, code = tandem("import", files:write("utf16.json", text))
      assert.equal(3, code)
      assert.matches("is UTF%-16, but traces are UTF%-8", err)
    end
  end)

  it("names a missing file, a wrong part and a wrong tag", function()
    assert.equal(4, select(3, tandem("import", files:path "none")))
    local _, err, code = tandem("import", files:path "none", "--only", "gpu,nvxt")
    assert.equal(2, code)
    assert.matches("--only cannot be 'nvxt'; did you mean 'nvtx'?", err, 1, true)
    _, err, code = tandem("import", files:path "none", "--tag", "a b")
    assert.equal(2, code)
    assert.matches("a tag is one word", err)
    assert.equal(2, select(3, tandem("import", "x", "--only", "gpu", "--without", "gpu")))
  end)
end)

describe("clocks", function()
  it("are aligned by collectives, to the nanosecond where they end together", function()
    local read = imported(rank(0, 0, 12), rank(1, 123456789, 12), rank(2, -77, 12))
    assert.same({ method = "collectives", matched = 12, residual_ns = 0 }, read.alignment)
    assert.equal(0, read.sources[1].offset_ns)
    assert.equal(123456789, read.sources[2].offset_ns)
    assert.equal(-77, read.sources[3].offset_ns)
    assert.equal("collectives", read.sources[3].alignment)
    local s <close> = assert(td.store(files:path "a.db"))
    local ends = s:query { "SELECT DISTINCT end_ns FROM span WHERE name = ? ORDER BY end_ns",
      ALL_REDUCE }:all()
    assert.equal(12, #ends) -- one moment for all three
    local run = s:run "last"
    local extent = s:query "SELECT min(start_ns) AS first, max(end_ns) AS last FROM span":one()
    assert.equal(extent.first, run.first_ns)
    assert.equal(extent.last, run.last_ns)
  end)

  it("say how well they agree", function()
    -- Differences -3, -1, 1, 3, …: the middle is 0, half of them are within 3.
    local read = imported(rank(0, 0, 20), rank(1, 5000, 20, function(k)
      return (k % 2 == 0 and 1 or -1) * (k % 4 < 2 and 1 or 3)
    end))
    assert.is_true(math.abs(read.sources[2].offset_ns - 5000) <= 1)
    assert.is_true(read.alignment.residual_ns >= 1 and read.alignment.residual_ns <= 3)
    local out = tandem("show", "last")
    assert.matches("rank1.json +kineto +1 +41 +5 µs +collectives +± %d ns\n", out)
  end)

  it("are aligned by UTC where there are too few collectives", function()
    local read = imported(rank(0, 0, 9, nil, 1000000), rank(1, 0, 9, nil, 1500000))
    assert.equal("utc", read.alignment.method)
    assert.equal("only 9 collectives in common", read.alignment.why)
    assert.equal(500000, read.sources[2].offset_ns)
    -- What the collectives say of it.
    assert.equal(500000, read.alignment.residual_ns)
  end)

  it("are not aligned by collectives that do not match", function()
    local read = imported(rank(0, 0, 20, nil, 0), rank(1, 0, 20, function(k)
      return k * 1000000 -- one is missing at every step
    end, 5000))
    assert.equal("utc", read.alignment.method)
    assert.equal("collectives end 5 ms apart", read.alignment.why)
    assert.equal(5000, read.sources[2].offset_ns)
    assert.is_nil(read.alignment.residual_ns)
  end)

  it("stay as they are where nothing is known, and it is said why", function()
    local read = imported(rank(0, 0, 0, nil, 1000000), rank(1, 0, 0))
    assert.equal("none", read.alignment.method)
    assert.equal("no collectives in common, and rank1.json does not say when its clock began",
      read.alignment.why)
    local out = tandem("import", files:path "rank0.jsonl", files:path "rank1.jsonl")
    assert.matches("clocks: not aligned (no collectives in common", out, 1, true)
  end)

  it("are aligned as told, or nothing is stored", function()
    local a, b = rank(0, 0, 12), rank(1, 1000, 12)
    assert.equal(0, imported(a, b, "--align", "none").sources[2].offset_ns)
    -- Both begin with a kernel at 5.
    assert.equal(0, imported(a, b, "--align", "first").sources[2].offset_ns)
    local _, err, code = tandem("import", a, b, "--align", "utc")
    assert.equal(3, code)
    assert.matches("--align utc: rank0.json does not say when its clock began", err, 1, true)
    local s <close> = assert(td.store(files:path "a.db"))
    assert.equal(2, #s:runs().rows)
  end)

  it("are aligned by the names that all ranks have equally often", function()
    local extra = files:write("rank1.jsonl", fixture.jsonl { path = "rank1.json", rank = 1,
      kernels = (function()
        local kernels = { { "ncclDevKernel_Broadcast", 1, 1 } }
        for k = 1, 10 do kernels[#kernels + 1] = { ALL_REDUCE, 1000000 * k - 40, 30 } end
        return kernels
      end)() })
    local read = imported(rank(0, 0, 10), extra)
    assert.equal("collectives", read.alignment.method)
    assert.equal(10, read.sources[2].offset_ns)
  end)
end)

describe("tandem export", function()
  before_each(function() imported(rank(0, 0, 30)) end)

  it("writes what is read back the same", function()
    local _, err, code = tandem("export", "last", "-o", files:path "out.jsonl")
    assert.equal(0, code)
    assert.matches("JSON Lines written to .*out%.jsonl\n$", err)
    imported(files:path "out.jsonl")
    local s <close> = assert(td.store(files:path "a.db"))
    local function spans(number)
      return s.db:all("SELECT name, start_ns, dur_ns, category FROM span WHERE run = ?"
        .. " ORDER BY start_ns, name", number)
    end
    assert.equal(61, #spans(1))
    assert.same(spans(1), spans(2))
  end)

  it("writes aligned files on their common clock", function()
    local aligned = imported(rank(0, 0, 12, nil, 1000), rank(1, 500000, 12, nil, 3000))
    assert.equal(500000, aligned.sources[2].offset_ns)
    local s <close> = assert(td.store(files:path "a.db"))
    local function ends()
      local out = {}
      for row in s:query { "SELECT DISTINCT end_ns FROM span WHERE run = run('last')"
        .. " AND name = ? ORDER BY end_ns", ALL_REDUCE } do
        out[#out + 1] = row.end_ns
      end
      return out
    end
    local expected = ends()
    assert.equal(12, #expected)
    for _, name in ipairs { "jsonl", "chrome", "perfetto" } do
      for _, method in ipairs { "auto", "none" } do
        local path = files:path("out." .. name)
        assert.equal(0, select(3, tandem("export", aligned.id, "--format", name, "-o", path)))
        imported(path, "--align", method)
        assert.same(expected, ends(), name)
      end
    end
    local out = assert(io.popen(("grep -c '\"offset_ns\":0,' %s"):format(files:path "out.jsonl")))
    assert.equal(2, out:read "n")
    out:close()
  end)

  it("writes which requests had a GPU, and which had none", function()
    local path = files:path "requests.jsonl"
    local file = assert(io.open(path, "w"))
    file:write('{"record":"header","format":"tandem-jsonl","version":1}\n',
      '{"record":"class","class":0,"name":"chat"}\n')
    for i, gpu in ipairs { 0, -1, 3 } do
      file:write(('{"record":"request","request":%d,"class":0,"arrival_ns":%d,"end_ns":%d,'
        .. '"gpu":%d,"outcome":"done"}\n'):format(i, i, i + 9, gpu))
    end
    file:close()
    imported(path)
    assert.equal(0, select(3, tandem("export", "last", "-o", files:path "out.jsonl")))
    local gpus = {}
    for line in io.lines(files:path "out.jsonl") do
      local row = cjson.decode(line)
      if row.record == "request" then gpus[row.request] = row.gpu end
    end
    assert.same({ 0, -1, 3 }, gpus)
  end)

  it("cuts by time from the run's first record", function()
    assert.equal(0, select(3, tandem("export", "last", "--format", "jsonl", "-o",
      files:path "cut.jsonl", "--from", "9.5ms", "--to", "12.2ms")))
    local file = assert(io.open(files:path "cut.jsonl"))
    local starts = {}
    for line in file:lines() do
      local row = cjson.decode(line)
      if row.record == "span" then starts[#starts + 1] = row.start_ns end
    end
    file:close()
    table.sort(starts)
    -- From 9.5 to 12.2 ms after the first record, at 5 ns: collectives and what follows them.
    assert.same({ 9998900, 10001000, 10998890, 11001000, 11998880, 12001000 }, starts)
  end)

  it("takes any moment for --from and --to", function()
    local function spans(...)
      assert.equal(0, select(3, tandem("export", "last", "--format", "jsonl", "-o",
        files:path "cut.jsonl", ...)))
      local file <close> = assert(io.open(files:path "cut.jsonl"))
      return select(2, file:read "a":gsub('"record":"span"', ""))
    end
    assert.equal(61, spans("--to", "1e300s"))
    assert.equal(61, spans("--to", "9223372036.8s")) -- a little more than 2^63 ns with the start
    local _, err, code = tandem("export", "last", "--format", "jsonl", "-o", files:path "no.jsonl",
      "--from", "1e300s")
    assert.equal(3, code)
    assert.matches("no record of the run lies in this part of its time", err, 1, true)
    assert.is_nil(io.open(files:path "no.jsonl"))
  end)

  it("writes a run without records, but no part of one", function()
    local path = files:write("empty.json",
      '{"traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"x"}}]}')
    assert.equal(0, select(3, tandem("import", path)))
    for part, code in pairs { [""] = 0, ["--from 0s"] = 3, ["--to 9s"] = 3 } do
      local words = { "export", "last", "--format", "jsonl", "-o", files:path "empty.jsonl" }
      for word in part:gmatch "%S+" do words[#words + 1] = word end
      local _, err, left = tandem(table.unpack(words))
      assert.equal(code, left, part .. err)
    end
  end)

  it("says what it cannot do", function()
    local cases = {
      { { "last" }, 2, "--format is missing: " },
      { { "last", "--format", "jsnl" }, 2, "there is no format 'jsnl'; did you mean 'jsonl'?" },
      { { "last", "--format", "jsonl", "--from", "1x" }, 2, "--from wants a time such as 1.5s" },
      { { "last", "--format", "jsonl", "--from", "1s", "--to", "0.5s" }, 2,
        "--from 1s is after --to 0.5s" },
      { { "last", "--format", "jsonl", "-o", "/no/such/place.jsonl" }, 4, "/no/such/place.jsonl" },
      { { "nobody", "--format", "jsonl" }, 3, "no run 'nobody'" },
    }
    for _, case in ipairs(cases) do
      local _, err, code = tandem("export", table.unpack(case[1]))
      assert.equal(case[2], code, case[3])
      assert.matches(case[3], err, 1, true)
    end
    files:keep("a.db", { spans = "none" })
    local _, err, code = tandem("export", "last", "--format", "jsonl")
    assert.equal(3, code)
    assert.matches("were not kept", err)
  end)
end)

describe("the help on formats", function()
  it("names every reader and writer", function()
    local formats = require("tandem.core").formats()
    for word, list in pairs { formats = formats.readers, exports = formats.writers } do
      local console = consoles.of_strings { unicode = true }
      assert.equal(0, cli.main({ "help", word }, console))
      assert.is_true(#list > 0)
      for _, one in ipairs(list) do assert.matches(" " .. one.name .. " ", console.out, 1, true) end
    end
  end)
end)

describe("store:import", function()
  local path, store
  before_each(function()
    path = os.tmpname()
    os.remove(path)
    store = assert(td.store(path))
  end)
  after_each(function()
    store:close()
    os.remove(path)
  end)

  it("gives the run, named and tagged as told", function()
    local run = assert(store:import("tests/data/nsys/healthy_1pct.sqlite",
      { name = "healthy", tags = { "kept" } }))
    assert.equal("healthy", run.name)
    assert.equal(run.id, assert(store:run "last").id)
    assert.equal(1, #assert(store:runs { tag = "kept" }).rows)
    assert.equal("healthy_1pct.sqlite",
      assert(store:import { "tests/data/nsys/healthy_1pct.sqlite" }).name)
  end)

  it("reads all traces of a folder, the tables of a process as one", function()
    local run = assert(store:import "tests/data/rocprof")
    assert.equal("rocprof", run.name)
    local paths = {}
    for i, source in ipairs(run:sources():all()) do paths[i] = source.path:match "[^/]+$" end
    assert.same({ "908_results_cut.json.gz", "docs_counter_collection.csv",
      "docs_hip_runtime_trace.csv", "docs_kernel_trace.csv", "docs_marker_api_trace.csv",
      "docs_memory_copy_trace.csv", "gfx1151_decode_fetch_counter_collection.csv",
      "gfx1151_decode_*" }, paths)
    -- What Python's csv and json count in them, but for the 34 kernels of the run whose counters
    -- were taken: they are of no run that was traced.
    assert.equal(340 + 8 + 7 + 5 + 2 + 144 + 920, run.span_count)
  end)

  it("says what it cannot read, and keeps nothing of it", function()
    local run, message, code = store:import "/nowhere/at/all.sqlite"
    assert.is_nil(run)
    assert.truthy(message:find("/nowhere/at/all.sqlite", 1, true))
    assert.equal(4, code)
    assert.has_error(function() store:import {} end,
      "import wants the name of a file, or a list of them")
    assert.equal(0, #assert(store:runs()).rows)
  end)
end)

describe("tandem export", function()
  it("tells that Nsight Systems' layout has no place for a rank", function()
    imported(rank(3, 0, 2))
    local out, err, code = tandem("export", "last", "--format", "nsys", "--output",
      files:path "out.sqlite")
    assert.equal(0, code)
    assert.matches("\nnot in the file: rank 3\n", out .. err)
  end)
end)

describe("a Chrome trace of an MTIA", function()
  it("has its work on a device, not among the host's", function()
    imported(files:write("mtia.json", cjson.encode { traceEvents = {
      { ph = "X", cat = "mtia_runtime", name = "launch", pid = 1, tid = 1, ts = 0, dur = 5,
        args = { correlation = 1 } },
      { ph = "X", cat = "mtia_ccp_events", name = "fc", pid = 0, tid = 7, ts = 10, dur = 30,
        args = { correlation = 1, device = 0, stream = 7 } } } }))
    local s <close> = assert(td.store(files:path "a.db"))
    local row = s.db:one("SELECT t.lane AS lane, t.device AS device, s.category AS category "
      .. "FROM span AS s JOIN track AS t ON t.run = s.run AND t.id = s.track "
      .. "WHERE s.name = 'fc' AND s.run = (SELECT max(number) FROM run)")
    assert.same({ lane = "GPU", device = 0, category = "kernel" }, row)
    assert.equal(30000, assert(s:run "last"):kernels():rows()[1].total_ns)
  end)
end)

describe("a Chrome trace of several processes", function()
  -- Two processes that launch on two devices with the same correlations, as each counts its own.
  local function two_processes()
    local events = {}
    local function add(event) events[#events + 1] = cjson.encode(event) end
    for p = 0, 1 do
      for c = 1, 3 do
        local at = 1000 * c + 10 * p
        add { ph = "X", cat = "cuda_runtime", name = "cudaLaunchKernel", pid = 70 + p, tid = 7,
          ts = at, dur = 5, args = { correlation = c } }
        add { ph = "s", cat = "ac2g", name = "ac2g", id = 100 * p + c, pid = 70 + p, tid = 7,
          ts = at }
        add { ph = "X", cat = "kernel", name = "k" .. p, pid = p, tid = 9, ts = at + 100,
          dur = 50, args = { correlation = c, device = p, stream = 9 } }
        add { ph = "f", bp = "e", cat = "ac2g", name = "ac2g", id = 100 * p + c, pid = p, tid = 9,
          ts = at + 100 }
      end
    end
    return files:write("two.json", '{"traceEvents":[' .. table.concat(events, ",\n") .. "]}")
  end

  it("gives each process the GPU work that its flows lead to", function()
    imported(two_processes())
    local s <close> = assert(td.store(files:path "a.db"))
    local pids = {}
    for row in s:query "SELECT device, pid FROM track WHERE device IS NOT NULL ORDER BY device" do
      pids[#pids + 1] = { row.device, row.pid }
    end
    assert.same({ { 0, 70 }, { 1, 71 } }, pids)
    local launches = assert(s:run "last"):launch_delay():rows()
    assert.equal(2, #launches)
    for _, row in ipairs(launches) do assert.equal(3, row.launches) end
  end)

  it("answers as the capture did that it was written from", function()
    assert(os.execute(("gzip -dc tests/data/nsys/h100_2gpu_1s.sqlite.gz > %s"):format(
      files:path "h100.sqlite")))
    imported(files:path "h100.sqlite", "--name", "captured")
    tandem("export", "captured", "--format", "chrome", "--output", files:path "h100.json")
    imported(files:path "h100.json", "--name", "written")
    for _, analysis in ipairs { "launch-delay", "queue", "ranks", "projected", "range-kernels" } do
      local captured = tandem(analysis, "captured", "--csv", "--limit", "0")
      local written = tandem(analysis, "written", "--csv", "--limit", "0")
      assert.is_true(#captured > 100)
      assert.equal(captured, (written:gsub("h100%.json", "h100.sqlite")))
    end
  end)
end)
