--- Memory, against sums made by hand or by a script of the same files that knows nothing of tandem.
local fixture = require "tests.spec.support.analysis_fixture"

local RAW <const> = "torch/memory_timeline.raw.json.gz"
local COALESCED <const> = "torch/memory_timeline.json.gz"
local SNAPSHOT <const> = "torch/snapshot.json"
local KINETO <const> = "kineto/h100__gaunernst_bert-small-uncased__1016001.json.gz"
local SILENT <const> = "nsys/h100_cut.sqlite.gz"

-- The bytes of a table's rows, by one of its columns.
local function sums(rows, by)
  local sum = {}
  for _, row in ipairs(rows) do
    local key = row[by] or ""
    sum[key] = (sum[key] or 0) + row.bytes
  end
  return sum
end

describe("memory", function()
  local data

  setup(function() data = fixture.new(RAW, COALESCED, SNAPSHOT, KINETO, SILENT) end)
  teardown(function() data:remove() end)

  -- A run of a file that is made here.
  local function made(name, text)
    local path = data.stores:write(name, text)
    local _, err, code = data.stores:tandem("import", path)
    assert(code == 0, err)
    return data:run(name)
  end

  describe("of PyTorch's memory timeline", function()
    -- Python: the sum of column 2 in order, its highest after the last record of each time; blocks
    -- as a stack for each category and size, those of action 3 keeping their birth.
    it("has the peak, what was before and what was never freed", function()
      local row = data:run(RAW):memory():rows()[1]
      assert.equal(3082832104, row.peak_bytes)
      assert.equal(1696966047194486198 - 1696966047096061874, row.at_ns)
      assert.equal(332060904, row.before_bytes)
      assert.equal(332060904, row.end_bytes)
      assert.equal(65435686400, row.allocated_bytes)
      assert.equal(3345, row.allocations)
      assert.equal(3345, row.frees)
      assert.equal(107996160, row.never_freed_bytes)
      assert.equal(162, row.never_freed)
    end)

    it("tells what was alive at the peak: equal blocks together, the largest first", function()
      local rows = data:run(RAW):memory({ top = 0 }):frame("alive").rows
      assert.equal(72, #rows)
      assert.same({ 924844032, 9, 102760448, "activation" },
        { rows[1].bytes, rows[1].count, rows[1].each_bytes, rows[1].category })
      assert.same({ parameter = 102440608, optimizer_state = 102228128, input = 19395584,
        activation = 2592465920, gradient = 67858432, autograd_detail = 64225280,
        unknown = 134218152 }, sums(rows, "category"))
      assert.is_nil(rows[1].since_ns) -- which of the equal blocks was freed is not known
    end)

    it("shows the peak in the timeline, in whatever number of parts", function()
      for _, bins in ipairs { 1, 7, 120 } do
        local highest = 0
        local rows = data:run(RAW):memory({ bins = bins }):frame("timeline").rows
        for _, bytes in pairs(sums(rows, "at_ns")) do highest = math.max(highest, bytes) end
        assert.equal(3082832104, highest)
        assert.is_true(#rows <= 8 * bins)
      end
    end)

    it("knows in a window what was allocated before it", function()
      -- Python: the highest sum from 200 ms to 210 ms after the first time, what it begins with too
      local answer = data:run(RAW):memory { range = "200ms..210ms", top = 0 }
      local row = answer:rows()[1]
      assert.is_true(row.at_ns >= 200e6 and row.at_ns <= 210e6)
      assert.equal(1722098920, row.peak_bytes)
      assert.equal(1722098920, sums(answer:frame("alive").rows, "device")["PyTorch memory"])
      assert.equal(32, row.allocations)
    end)

    it("has in a window what is held when it begins and when it ends", function()
      -- Python: the sums of all bytes before 200 ms and up to 300 ms after the first time; before
      -- everything what "preexisting" rows add up to.
      local row = data:run(RAW):memory({ range = "200ms..300ms" }):rows()[1]
      assert.same({ 1021639912, 2820688104, 345, 162 },
        { row.before_bytes, row.end_bytes, row.allocations, row.frees })
      local first = data:run(RAW):memory({ range = "..200ms" }):rows()[1]
      assert.same({ 332060904, 1021639912 }, { first.before_bytes, first.end_bytes })
      local after = data:run(RAW):memory { range = "5s.." }
      assert.is_true(after:abstains())
      assert.same({ "the filter leaves no time of the run" }, after.cannot)
    end)

    it("has the peak of a coalesced one, and says that blocks are not in it", function()
      local answer = data:run(COALESCED):memory()
      assert.equal(1979540712, answer:rows()[1].peak_bytes)
      assert.equal(1979540712, sums(answer:frame("alive").rows, "device")["PyTorch memory"])
      assert.same({ parameter = 102440608, optimizer_state = 102228128, input = 19395584,
        activation = 1755347968, unknown = 128424 }, sums(answer:frame("alive").rows, "category"))
      assert.is_nil(answer:rows()[1].never_freed)
      assert.equal(0, #answer:frame("leaks").rows)
      assert.matches("from counters alone (no rows of category memory)", answer.cannot[1], 1, true)
    end)
  end)

  describe("of a snapshot", function()
    it("adds up from what the segments hold at the end", function()
      -- End: 2097096 + 20971420. Freed last: 2097128; allocated before that: 20971420; freed
      -- first: 1 MiB.
      local row = data:run(SNAPSHOT):memory():rows()[1]
      assert.equal("GPU #0", row.device)
      assert.equal(2097096 + 20971420, row.end_bytes)
      assert.equal(2097096 + 20971420 + 2097128, row.peak_bytes)
      assert.equal(25000, row.at_ns)
      assert.equal(2097096 + 2097128 - 2097128 + 1048576, row.before_bytes)
      assert.equal(41943040, row.reserved_bytes)
      assert.same({ 20971420, 1, 1 }, { row.never_freed_bytes, row.never_freed, row.out_of_memory })
    end)

    it("names who allocated, since when, and by which stack", function()
      local answer = data:run(SNAPSHOT):memory()
      local first, second, third = table.unpack(answer:frame("alive").rows)
      assert.same({ 20971420, 10000, "/app/model.py:42 forward" },
        { first.bytes, first.since_ns, first.name })
      assert.matches("<module>.*step.*forward", first.stack)
      assert.equal("/app/train.py:19 step", second.name)
      assert.same({ 2097096, "(allocated before the trace)" }, { third.bytes, third.name })
      assert.equal("/app/model.py:42 forward", answer:frame("leaks").rows[1].name)
    end)

    it("tells the same device of two files apart", function()
      local stores = data.stores
      local file <close> = assert(io.open("tests/data/" .. SNAPSHOT, "rb"))
      local text = file:read(1500) -- the segments of one device
      local paths = { stores:write("one.json", text), stores:write("two.json", text) }
      local _, err, code = stores:tandem("import", "--name", "both", table.unpack(paths))
      assert(code == 0, err)
      local rows = data:run("both"):memory():frame("fragmentation").rows
      assert.same({ 2, 41943040, 41943040 },
        { #rows, rows[1].reserved_bytes, rows[2].reserved_bytes })
    end)

    it("tells how the free bytes of the segments lie, device by device", function()
      local rows = data:run(SNAPSHOT):memory():frame("fragmentation").rows
      local gpu0, gpu1 = rows[3], rows[4]
      assert.same({ "GPU #0", "in the snapshot", 23068672, 41943040, 18874368, 16777216, 16777216 },
        { gpu0.device, gpu0.moment, gpu0.allocated_bytes, gpu0.reserved_bytes, gpu0.unused_bytes,
          gpu0.stranded_bytes, gpu0.largest_free_block_bytes })
      assert.equal(0.45, gpu0.unused_share)
      assert.same({ "GPU #1", 2097152, 0 }, { gpu1.device, gpu1.unused_bytes, gpu1.stranded_bytes })
      local one = data:run(SNAPSHOT):memory { device = 1 }
      assert.equal(1, #one:frame("fragmentation").rows)
      assert.equal(0, #one:rows())
    end)
  end)

  describe("of PyTorch's profiler", function()
    -- Python: of the events "[memory]" by Device Type and Device Id, in order of ts.
    it("follows the allocator's own totals, each device apart", function()
      local gpu, cpu = table.unpack(data:run(KINETO):memory():rows())
      assert.same({ "NVIDIA H100 80GB HBM3 #0", 101305344, 91360768, 91360768, 121634816, 47460864,
        109, 109, 0 }, { gpu.device, gpu.peak_bytes, gpu.before_bytes, gpu.end_bytes,
        gpu.reserved_bytes, gpu.allocated_bytes, gpu.allocations, gpu.frees, gpu.never_freed })
      assert.same({ "CPU", 16, 0, 9, 9 },
        { cpu.device, cpu.peak_bytes, cpu.before_bytes, cpu.allocations, cpu.frees })
    end)

    it("names the operators that allocated", function()
      local rows = data:run(KINETO):memory({ device = 0 }):frame("alive").rows
      assert.equal(101305344, sums(rows, "device")["NVIDIA H100 80GB HBM3 #0"])
      local by_name = sums(rows, "name")
      assert.equal(91360768, by_name["(allocated before the trace)"])
      assert.is_true(by_name["aten::addmm"] > 8e6)
    end)

    -- A range begins with 900 B held; what is there before the trace is held from its start.
    it("counts what a range of time, or of a name, begins with as held in it", function()
      local function memory(ts, bytes, total)
        return ('{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,'
          .. '"ts":%d,"args":{"Bytes":%d,"Total Allocated":%d,"Device Type":1,"Device Id":0,'
          .. '"Addr":1}}'):format(ts, bytes, total)
      end
      local function range(name, ts, dur)
        return ('{"ph":"X","cat":"user_annotation","name":"%s","pid":1,"tid":1,"ts":%d,"dur":%d}')
          :format(name, ts, dur)
      end
      local run = made("ranges.json", ('{"schemaVersion":1,"traceEvents":[%s]}'):format(
        table.concat({ range("all", 0, 1000), memory(10, -5000, 100), memory(20, 800, 900),
          range("quiet", 200, 100), range("frees", 400, 100), memory(450, -800, 100) }, ",")))
      assert.equal(900, run:memory({ nvtx = "quiet" }):rows()[1].peak_bytes)
      local row = run:memory({ nvtx = "frees" }):rows()[1]
      assert.same({ 900, 400000 }, { row.peak_bytes, row.at_ns })
      row = run:memory():rows()[1]
      assert.same({ 5100, 0, 5100, 100 },
        { row.peak_bytes, row.at_ns, row.before_bytes, row.end_bytes })
      row = run:memory({ nvtx = "frees" }):rows()[1]
      assert.same({ 900, 100 }, { row.before_bytes, row.end_bytes })
      row = run:memory({ range = "15us..30us" }):rows()[1]
      assert.same({ 100, 900 }, { row.before_bytes, row.end_bytes })
    end)

    it("has no CPU when a device was asked for", function()
      assert.equal(1, #data:run(KINETO):memory({ device = 0 }):rows())
    end)
  end)

  describe("of traced calls", function()
    local function call(start, name, more)
      return ('{"timestamp_ns":%d,"duration_ns":100,"pid":7,"tid":8,"phase":"X","name":"%s"%s}\n')
        :format(start, name, more or "")
    end

    it("counts a call and the one within it once, and failed ones not at all", function()
      local run = made("calls.jsonl", table.concat {
        call(1000, "cudaMalloc"),
        '{"timestamp_ns":1020,"duration_ns":50,"pid":7,"tid":8,"phase":"X","name":"cuMemAlloc_v2",'
          .. '"size":4096,"ptr":"0x1000"}\n',
        call(2000, "cudaMalloc", ',"size":1000,"ptr":"0x9000","retval":0'),
        call(3000, "cudaMalloc", ',"size":999999,"ptr":"0x9900","retval":2'),
        call(3500, "cudaHostAlloc", ',"size":64,"ptr":"0x500"'),
        call(4000, "cudaFree", ',"ptr":"0x1000"'),
        call(5000, "cudaMallocAsync", ',"size":500,"ptr":"0x1000"'),
        call(6000, "cudaFree", ',"ptr":"0x0"'),
      })
      local answer = run:memory()
      local gpu, cpu = table.unpack(answer:rows())
      assert.same({ 5096, 1500, 3, 1, 1500, 2 }, { gpu.peak_bytes, gpu.end_bytes, gpu.allocations,
        gpu.frees, gpu.never_freed_bytes, gpu.never_freed })
      assert.same({ 64, 64 }, { cpu.peak_bytes, cpu.end_bytes })
      assert.matches("^CPU of ", cpu.device)
      local leak = answer:frame("leaks").rows[1]
      assert.same({ 1000, "cudaMalloc", 1100 }, { leak.bytes, leak.name, leak.since_ns })
      assert.matches("1 calls that returned an error", table.concat(answer.basis, "\n"), 1, true)
    end)

    it("says what was allocated, and not what was held, where frees are not told", function()
      local run = made("silent.jsonl", call(1000, "cudaMalloc", ',"size":1000')
        .. call(2000, "cudaFree") .. call(3000, "cudaMalloc", ',"size":1000'))
      local answer = run:memory()
      assert.same({ device = answer:rows()[1].device, allocated_bytes = 2000, allocations = 2 },
        answer:rows()[1])
      assert.equal(0, #answer:frame("alive").rows + #answer:frame("timeline").rows)
      assert.matches("what was held: 1 calls that allocate or free do not say bytes or ptr",
        answer.cannot[1], 1, true)
      -- a pointer says nothing of a block whose own is not known
      run = made("pointers.jsonl", call(1000, "cudaMalloc", ',"size":1000')
        .. call(2000, "cudaFree", ',"ptr":"0x77"'))
      assert.is_nil(run:memory():rows()[1].peak_bytes)
      assert.matches("1 calls that allocate or free", run:memory().cannot[1], 1, true)
    end)

    -- Threads lie one behind the other in the store; what they do to memory is one list in time.
    it("follows many threads in the order of time", function()
      local lines, events, held, seed = {}, {}, {}, 7
      local function draw(n)
        seed = (seed * 1103515245 + 12345) % 2147483648
        return seed // 65536 % n
      end
      local now, live, peak, peak_at, allocated, freed = 10000, 0, 0, 0, 0, 0
      lines[1] = call(now, "cudaInit")
      for i = 1, 400 do
        now = now + 200 + draw(5000)
        local tid, at = 8 + draw(5), now -- blocks end with the call's beginning, begin with its end
        local function put(name, more)
          lines[#lines + 1] = call(now, name, more):gsub('"tid":8', '"tid":' .. tid)
        end
        if #held > 0 and draw(5) < 2 then
          local block = table.remove(held, 1 + draw(#held))
          put("cudaFree", (',"ptr":"0x%x"'):format(block.ptr))
          live, freed = live - block.size, freed + 1
        else
          local block = { ptr = 4096 * i, size = 1 + draw(1000) }
          held[#held + 1] = block
          put("cudaMalloc", (',"size":%d,"ptr":"0x%x"'):format(block.size, block.ptr))
          live, allocated, at = live + block.size, allocated + block.size, now + 100
        end
        events[#events + 1] = { at, live }
        if live > peak then peak, peak_at = live, at end
      end
      now = now + 1000
      lines[#lines + 1] = call(now, "cudaDeviceSynchronize")
      local run = made("threads.jsonl", table.concat(lines))
      local answer = run:memory { bins = 23, top = 0 }
      local row = answer:rows()[1]
      local function since(ns) return ns - 10000 end
      assert.same({ peak, since(peak_at), live, allocated, 400 - freed, freed, live, #held, 0 },
        { row.peak_bytes, row.at_ns, row.end_bytes, row.allocated_bytes, row.allocations,
          row.frees, row.never_freed_bytes, row.never_freed, row.before_bytes })
      local whole = now + 100 - 10000
      local counted, told = {}, {}
      for bin = 0, 22 do
        local from, to, highest, before = bin * whole / 23, (bin + 1) * whole / 23, nil, 0
        for _, e in ipairs(events) do
          if since(e[1]) < from then before = e[2] end
          if since(e[1]) >= from and since(e[1]) < to then
            highest = math.max(highest or 0, e[2])
          end
        end
        counted[bin + 1] = math.max(highest or 0, before)
      end
      for _, one in ipairs(answer:frame("timeline").rows) do
        local bin = one.at_ns // (whole // 23) + 1
        told[bin] = (told[bin] or 0) + one.bytes
      end
      assert.same(counted, told)
      local alive = 0
      for _, one in ipairs(answer:frame("alive").rows) do alive = alive + one.bytes end
      assert.equal(peak, alive)
    end)

    it("takes the tracer's counter where calls do not add up", function()
      local run = made("counter.jsonl", table.concat {
        call(1000, "cudaMalloc"),
        '{"timestamp_ns":1200,"pid":7,"tid":8,"type":"memory","op":"alloc","size":600,'
          .. '"total_allocated":4600}\n',
        call(2000, "cudaFree"),
        '{"timestamp_ns":2200,"pid":7,"tid":8,"type":"memory","op":"free",'
          .. '"total_allocated":4000}\n',
      })
      local row = run:memory():rows()[1]
      assert.same({ 4600, 4000, 600 }, { row.peak_bytes, row.end_bytes, row.allocated_bytes })
    end)
  end)

  it("knows a card from its segments alone", function()
    local run = made("segments.json", '[{"device":2,"address":255,"total_size":100,'
      .. '"allocated_size":64,"active_size":64,"segment_type":"small","blocks":['
      .. '{"size":64,"state":"active_allocated"},{"size":36,"state":"inactive"}]}]')
    local row = assert(run:memory { device = 2 }):frame("fragmentation").rows[1]
    assert.same({ "GPU #2", 64, 100 }, { row.device, row.allocated_bytes, row.reserved_bytes })
    assert.equal("the run has no device 1; its records do not say theirs",
      (select(2, run:memory { device = 1 })))
  end)

  it("reads the memory usage of Nsight Systems, pinned memory as the host's", function()
    local path = data.stores:path "usage.sqlite"
    assert(os.execute("gzip -dc tests/data/nsys/mock.sqlite.gz > " .. path))
    local db = assert(require("tandem.core").database(path))
    assert(db:run [[
      CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INTEGER NOT NULL, globalPid INTEGER NOT NULL,
        deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, address INTEGER NOT NULL,
        pc INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER NOT NULL,
        memoryOperationType INTEGER NOT NULL, name TEXT, correlationId INTEGER)]])
    assert(db:run [[
      INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES
        (1518000000, 283004823928832, 0, 1, 4096, 0, 1000, 2, 0, NULL, 1),
        (1518000010, 283004823928832, 0, 1, 8192, 0, 300, 1, 0, NULL, 2),
        (1518000020, 283004823928832, 0, 1, 9999, 0, 24, 5, 0, 'table', 3),
        (1518000030, 283004823928832, 0, 1, 4096, 0, 1000, 2, 1, NULL, 4)]])
    db:close()
    local _, err, code = data.stores:tandem("import", path)
    assert(code == 0, err)
    local answer = data:run("usage.sqlite"):memory()
    local gpu, host = table.unpack(answer:rows())
    assert.same({ 1024, 24, 24 }, { gpu.peak_bytes, gpu.end_bytes, gpu.never_freed_bytes })
    assert.same({ "CPU", 300 }, { host.device, host.peak_bytes })
    local leak = answer:frame("leaks").rows[1]
    assert.same({ "device_static", "table" }, { leak.category, leak.name })
  end)

  it("draws what was held, a chart for each device", function()
    local plots = data:run(KINETO):memory():plots()
    assert.equal(2, #plots)
    assert.matches("before the trace", plots[1].chart:svg(), 1, true)
  end)

  it("abstains where nothing was recorded, simulated runs among them", function()
    local out, err, code = data.stores:tandem("memory", data:run(SILENT).id)
    assert.equal("", out)
    assert.equal("tandem memory: cannot answer: the run does not say what memory was allocated (no "
      .. "rows of category memory, no allocating calls with bytes)\n", err)
    assert.equal(1, code)
    data.stores:keep("a.db")
    out, err, code = data.stores:tandem("memory", "last")
    assert.equal("", out)
    assert.matches("a simulated run keeps how long requests wait for memory", err, 1, true)
    assert.equal(1, code)
  end)
end)
