--- Sequences, graphs, ranks and phases against closed results of made traces and real captures.
local fixture = require "tests.spec.support.analysis_fixture"
local made_trace = require "tests.spec.support.made_trace"
local store_fixture = require "tests.spec.support.store_fixture"

local VLLM <const> = "kineto/inference__vllm_decode_full__graph_execution.json.gz"
local SGLANG <const> = "kineto/inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz"
local H100 <const> = "nsys/h100_2gpu_1s.sqlite.gz"
local INGERO <const> = "cuda_api/vllm-37343.ingero.jsonl.gz"
local BPFTRACE <const> = "cuda_api/vllm-37343.bpftrace.jsonl.gz"

local stores
local function with_stores()
  before_each(function() stores = store_fixture.new() end)
  after_each(function() stores:remove() end)
end

local function picked(rows, ...)
  local list = {}
  for i, row in ipairs(rows) do
    local cells = {}
    for k, name in ipairs { ... } do cells[k] = tostring(row[name]) end
    list[i] = table.concat(cells, " ")
  end
  return list
end

describe("frequent sequences", function()
  with_stores()

  -- a b c a b c a b of 4 us with 2 us between on one stream; a b c of 30 us on another.
  local function looped()
    local made = made_trace.new()
    local one, two = made:stream(7), made:stream(8)
    for i, name in ipairs { "a", "b", "c", "a", "b", "c", "a", "b" } do
      made:span("kernel", one, name, 6 * i, 6 * i + 4)
    end
    for i, name in ipairs { "a", "b", "c" } do
      made:span("kernel", two, name, 40 * i, 40 * i + 30)
    end
    return made:run(stores)
  end

  it("counts those that do not overlap, their time and what lies between", function()
    local rows = looped():sequences({ length = 2 }):rows()
    assert.same({ "a > b 4 84000 16000", "b > c 3 76000 14000", "c > a 2 16000 4000" },
      picked(rows, "sequence", "count", "total_ns", "gap_ns"))
    assert.equal(84000 / (8 * 4000 + 90000), rows[1].share)
    assert.equal((84000 + 16000) / 4, rows[1].mean_ns)
  end)

  it("tells streams apart when asked, and what may be fused or captured", function()
    local rows = looped():sequences({ length = 3, each = "stream", short = "10us" }):rows()
    assert.same({ "a > b > c 2 24000 8000 3 fusion, graph",
      "b > c > a 2 24000 8000 3 fusion, graph", "c > a > b 2 24000 8000 3 fusion, graph" },
      picked(rows, "sequence", "count", "total_ns", "gap_ns", "short_kernels", "candidate"))
    assert.equal("stream 7", rows[1].stream)
  end)

  it("takes what is short strictly, and gaps of more than a quarter of the work", function()
    -- Three times a and b with a gap between them, far apart.
    local function candidate(a, b, gap)
      local made = made_trace.new()
      local stream = made:stream(7)
      for i = 1, 3 do
        local at = 1000 * i
        made:span("kernel", stream, "a", at, at + a)
        made:span("kernel", stream, "b", at + a + gap, at + a + gap + b)
      end
      for _, row in ipairs(made:run(stores):sequences({ length = 2, short = "10us" }):rows()) do
        if row.sequence == "a > b" then return row.candidate or "none", row.short_kernels end
      end
    end
    assert.same({ "fusion", 2 }, { candidate(4, 8, 3) })
    assert.same({ "fusion, graph", 2 }, { candidate(4, 8, 3.5) })
    assert.same({ "none", 1 }, { candidate(4, 40, 11) })
    assert.same({ "graph", 1 }, { candidate(4, 40, 11.5) })
    assert.same({ "none", 0 }, { candidate(10, 10, 50) })
    assert.same({ "graph", 1 }, { candidate(9, 10, 50) })
  end)

  it("does not count a repeated kernel with itself twice", function()
    local made = made_trace.new()
    local stream = made:stream()
    for i = 0, 6 do made:span("kernel", stream, "same", 10 * i, 10 * i + 5) end
    local rows = made:run(stores):sequences({ length = 2 }):rows()
    assert.same({ "same > same 3" }, picked(rows, "sequence", "count"))
  end)

  it("are told apart and are whole in eighty columns, as are the notes", function()
    local made = made_trace.new()
    local stream = made:stream()
    local function name(i) return ("ncclKernel_AllReduce_RING_LL_Sum_%d"):format(i) end
    for i = 0, 11 do made:span("kernel", stream, name(i % 4), 10 * i, 10 * i + 5) end
    local narrow = require("tandem.plot.style").new { width = 80, unicode = true }
    local lines = made:run(stores):sequences({ length = 3 }):lines(narrow)
    local text = table.concat(lines, "\n")
    for i = 0, 3 do
      assert.matches(("\n      %s > %s >\n      %s\n"):format(name(i),
        name((i + 1) % 4), name((i + 2) % 4)), text, 1, true)
    end
    assert.matches("shorter than 10 µs on the mean, graph\n  where some are and what", text, 1,
      true)
    for _, line in ipairs(lines) do
      assert.is_true(require("tandem.plot.style").columns(line) <= 80, line)
    end
  end)

  it("cuts long names between their characters", function()
    local made = made_trace.new()
    local stream = made:stream()
    for i = 0, 3 do made:span("kernel", stream, ("é"):rep(600), 10 * i, 10 * i + 5) end
    local run = made:run(stores)
    assert.equal(("é"):rep(127) .. " > " .. ("é"):rep(127),
      run:sequences({ length = 2 }):rows()[1].sequence)
    local changes = run:critical_path():frame("what_if").rows
    assert.matches("^2x faster: [é]+$", changes[#changes].change)
    assert.is_truthy(utf8.len(changes[#changes].change))
  end)

  it("abstains where nothing recurs or nothing ran", function()
    local made = made_trace.new()
    made:span("kernel", made:stream(), "only", 0, 5)
    local answer = made:run(stores):sequences()
    assert.is_true(answer:abstains())
    assert.equal("no sequence of 3 occurs 2 times in a stream", answer.cannot[1])
  end)
end)

describe("CUDA graphs", function()
  with_stores()

  it("are gathered by their nodes, and their launches compared with single ones", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    for i = 0, 1 do
      local at = 100 * i
      made:span("runtime", thread, "cudaGraphLaunch", at, at + 10, { correlation = 10 + i })
      for k = 0, 4 do
        made:span("kernel", stream, "node" .. k, at + 20 + 5 * k, at + 24 + 5 * k,
          { correlation = 10 + i, graph_node = k })
      end
    end
    made:span("runtime", thread, "cudaGraphLaunch", 200, 208, { correlation = 20 })
    made:span("kernel", stream, "other", 210, 220, { correlation = 20 })
    made:launch(thread, stream, 30, { 230, 236 }, { 240, 250 })
    made:span("runtime", thread, "cudaGraphInstantiate_v12000", 300, 350, { correlation = 40 })
    local answer = made:run(stores):graphs()
    assert.same({ "node 2 5.0 40000 48000 20000 node0", "node 1 1.0 10000 10000 8000 other" },
      picked(answer:rows(), "mode", "launches", "nodes", "gpu_ns", "span_ns", "call_ns",
        "first_node"))
    assert.same({ "in graphs 3 11 28000 50000", "kernels singly 1 1 6000 10000" },
      picked(answer:frame("cost").rows, "how", "calls", "works", "call_ns", "gpu_ns"))
    assert.equal(28000 / 11, answer:frame("cost").rows[1].call_per_work_ns)
    assert.same({ "1 50000 cudaGraphInstantiate_v12000" },
      picked(answer:frame("setup").rows, "count", "total_ns", "name"))
  end)

  it("with a number are one graph, whichever of its nodes begins first", function()
    local made = made_trace.new()
    local thread, one, two = made:thread(), made:stream(7), made:stream(8)
    for i = 0, 1 do
      local at, args = 100 * i, { correlation = 5 + i, graph_node = 1, graph_id = 9 }
      made:span("runtime", thread, "cudaGraphLaunch", at, at + 10, { correlation = 5 + i })
      made:span("kernel", one, "x", at + 20 + 2 * i, at + 30, args)
      made:span("kernel", two, "y", at + 21, at + 30, args)
    end
    assert.same({ "9 2 2.0 36000" },
      picked(made:run(stores):graphs():rows(), "graph_id", "launches", "nodes", "gpu_ns"))
  end)

  it("of one GPU are told without the launches on others", function()
    local made = made_trace.new()
    local thread = made:thread()
    for i = 0, 1 do
      made:span("runtime", thread, "cudaGraphLaunch", 100 * i, 100 * i + 10,
        { correlation = 5 + i })
      made:span("kernel", made:stream(7, i), "node", 100 * i + 20, 100 * i + 30,
        { correlation = 5 + i, graph_node = 1 })
    end
    local answer = made:run(stores):graphs { device = 1 }
    assert.same({ "node 1 10000 10000" },
      picked(answer:rows(), "mode", "launches", "gpu_ns", "call_ns"))
    assert.equal(10000, answer:frame("cost").rows[1].call_ns)
    assert.same({}, answer.cannot)
  end)

  it("that were recorded as a whole have their time, but no nodes", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    for i = 0, 2 do
      made:span("runtime", thread, "cudaGraphLaunch", 100 * i, 100 * i + 9, { correlation = i + 1 })
      made:span("graph", stream, "CUDA graph 5", 100 * i + 10, 100 * i + 60,
        { correlation = i + 1, graph_id = 5 })
    end
    local answer = made:run(stores):graphs()
    assert.same({ "graph 5 3 nil 150000 27000" },
      picked(answer:rows(), "mode", "graph_id", "launches", "nodes", "gpu_ns", "call_ns"))
    assert.matches("nodes and kernels of graphs that were recorded", answer.cannot[1], 1, true)
  end)

  it("of captured inference have the launches and kernels that are in the file", function()
    local data <close> = setmetatable({ made = fixture.new(VLLM, SGLANG, H100) },
      { __close = function(self) self.made:remove() end })
    for _, file in ipairs { VLLM, SGLANG } do
      local run = data.made:run(file)
      local wanted = assert(data.made.store.db:one([[SELECT count(*) AS launches, sum(dur_ns) AS ns
        FROM span WHERE run = ?1 AND category = 'runtime'
        AND name = 'hipGraphLaunch']], run.number))
      local nodes = assert(data.made.store.db:one([[SELECT count(*) AS count, sum(dur_ns) AS ns
        FROM span WHERE run = ?1 AND category = 'kernel' AND correlation = (SELECT correlation
        FROM span WHERE run = ?1 AND name = 'hipGraphLaunch')]], run.number))
      local rows = run:graphs():rows()
      assert.equal(1, #rows)
      assert.same({ 1, wanted.ns, nodes.count, nodes.ns },
        { wanted.launches, rows[1].call_ns, rows[1].nodes // 1 | 0, rows[1].gpu_ns })
    end
    local none = data.made:run(H100):graphs()
    assert.is_true(none:abstains())
    assert.matches("the run launches no CUDA graphs", none.cannot[1], 1, true)
  end)
end)

describe("ranks", function()
  with_stores()

  local NCCL <const> = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"

  -- Two ranks; the second is 30 us late at the first collective, the first 10 us at the second.
  local function two_ranks()
    local made = made_trace.new(0)
    local function rank(pid, starts)
      local stream, comm = made:stream(7, 0, pid), made:stream(20, 0, pid)
      made:span("kernel", stream, "gemm", 0, starts[1] - 5)
      made:span("kernel", comm, NCCL, starts[1], 150)
      made:span("kernel", stream, "gemm", 160, starts[2] - 5)
      made:span("kernel", comm, NCCL, starts[2], 350)
    end
    rank(1, { 100, 310 })
    made:source(1)
    rank(2, { 130, 300 })
    return made:run(stores)
  end

  it("tell who is last at a collective, by how much, and whom it holds up", function()
    local answer = two_ranks():ranks()
    assert.same({ "100000 30000 30000 20000 50000 1 2", "300000 10000 10000 40000 50000 0 2" },
      picked(answer:frame("collectives").rows, "at_ns", "skew_ns", "wait_ns", "shortest_ns",
        "longest_ns", "last_rank", "ranks"))
    assert.same({ "0 350000 330000 20000 240000 90000 90000 30000 1 10000",
      "1 350000 330000 20000 260000 70000 70000 10000 1 30000" },
      picked(answer:rows(), "rank", "span_ns", "busy_ns", "idle_ns", "compute_ns", "comm_ns",
        "exposed_comm_ns", "wait_ns", "last_count", "held_up_ns"))
    assert.matches("2 matched, 0 kernels not", table.concat(answer.basis), 1, true)
  end)

  -- The window cuts the first collective of one rank, and of the other it does not.
  it("match collectives by the whole run, whatever a window cuts off", function()
    local run = two_ranks()
    assert.same({ "skew and stragglers: the filter leaves one process with GPU work" },
      run:ranks({ rank = 1 }).cannot)
    local answer = run:ranks { range = "151us.." }
    assert.same({ "300000 10000 10000 0" }, picked(answer:frame("collectives").rows, "at_ns",
      "skew_ns", "wait_ns", "last_rank"))
    local made = made_trace.new(0)
    local first = made:stream(7, 0, 1)
    for i = 0, 4 do made:span("kernel", first, NCCL, 100 * i, 100 * i + 50) end
    made:source(1)
    local second = made:stream(7, 0, 2)
    for i = 0, 4 do made:span("kernel", second, NCCL, 100 * i + 30, 100 * i + 52) end
    answer = made:run(stores):ranks { range = "51us..425us" }
    assert.same({ "100000 30000 1", "200000 30000 1", "300000 30000 1" },
      picked(answer:frame("collectives").rows, "at_ns", "skew_ns", "last_rank"))
  end)

  it("match collectives within groups of ranks, and leave out what some rank lacks", function()
    local made = made_trace.new(0)
    local function rank(pid, group, at, extra)
      local comm = made:stream(20, 0, pid)
      made:span("kernel", comm, NCCL, at, 100, { ["Process Group Ranks"] = group })
      if extra then made:span("kernel", comm, "ncclDevKernel_Broadcast", 200, 210) end
      made:span("kernel", comm, "ncclDevKernel_Broadcast", 300, 310)
    end
    rank(1, "[0, 1]", 10, true)
    rank(2, "[0, 1]", 30)
    rank(3, "[2, 3]", 50)
    rank(4, "[2, 3]", 90)
    local answer = made:run(stores):ranks()
    assert.same({ "20000 2", "40000 2" },
      picked(answer:frame("collectives").rows, "skew_ns", "ranks"))
    assert.matches("2 matched, 5 kernels not", table.concat(answer.basis), 1, true)
  end)

  it("of two of 128 ranks agree with what the files say", function()
    local _, err, code = stores:tandem("import",
      "tests/data/kineto/timeline_analysis__sampled_rank-0.json.gz",
      "tests/data/kineto/trace_filter__sampled_rank-1.json.gz")
    assert.equal(0, code, err)
    local store = assert(require("tandem").store(stores:path "a.db"))
    local run = assert(store:run "last")
    local answer = run:ranks()
    assert.same({ "0", "1" }, picked(answer:rows(), "rank"))
    for _, row in ipairs(answer:rows()) do
      local comm = assert(store.db:one([[SELECT sum(s.dur_ns) AS ns, count(*) AS count
        FROM span AS s JOIN source AS o ON o.run = s.run AND o.id = s.source
        WHERE s.run = ?1 AND o.rank = ?2
        AND s.category = 'kernel' AND s.name LIKE 'nccl%']], run.number, row.rank))
      assert.equal(comm.ns, row.comm_ns) -- one communicator: they do not overlap
      assert.equal(10, comm.count)
    end
    local last = { 0, 0 }
    for _, row in ipairs(answer:frame("collectives").rows) do
      last[row.last_rank + 1] = last[row.last_rank + 1] + 1
    end
    assert.same({ answer:rows()[1].last_count, answer:rows()[2].last_count }, last)
    assert.equal(10, last[1] + last[2])
    assert.matches("ends are 21.3 ms apart", table.concat(answer.basis), 1, true)
    store:close()
  end)

  it("say that one rank has nobody to be compared with", function()
    local made = made_trace.new()
    made:span("kernel", made:stream(), "only", 0, 5)
    local answer = made:run(stores):ranks()
    assert.matches("the run has one process with GPU work", answer.cannot[1], 1, true)
  end)
end)

describe("phases of an inference process", function()
  it("never run backwards, whatever damaged clocks say", function()
    local made = made_trace.new()
    local thread, far = made:thread(), (1 << 62) // 1000 -- microseconds
    for i, start in ipairs { -far - 4000, -far - 2000, far, far + 2000 } do
      made:span("runtime", thread, i % 2 == 1 and "cudaMemcpyAsync" or "cudaLaunchKernel", start,
        start + 1000)
    end
    local answer = made:run(stores):phases()
    assert.is_true(#answer:rows() > 0)
    for _, frame in ipairs(answer.frames) do
      for _, row in ipairs(frame.rows or frame.table.rows) do
        for name, value in pairs(row) do
          if name:find "_ns$" then assert.is_true(value >= 0, name) end
        end
      end
    end
  end)

  with_stores()

  local function inference()
    local made = made_trace.new()
    local thread = made:thread()
    local function call(name, from, to, args) made:span("driver", thread, name, from, to, args) end
    call("cuInit", 0, 100)
    call("cuCtxCreate_v2", 100, 300)
    call("cuMemAlloc_v2", 300, 310, { bytes = 4000000 })
    call("cuMemcpyHtoD_v2", 310, 700, { bytes = 4000000 })
    for i = 0, 1 do
      local at = 1000 + 2000 * i
      call("cuMemcpyHtoD_v2", at, at + 10, { bytes = 2000 })
      call("cuLaunchKernel", at + 20, at + 25)
      call("cuLaunchKernel", at + 25, at + 30)
      call("cuStreamSynchronize", at + 30, at + 100)
      call("cuMemcpyDtoH_v2", at + 100, at + 120, { bytes = 500 })
    end
    call("cuMemFree_v2", 5000, 5010)
    call("cuCtxDestroy_v2", 5010, 5100)
    return made:run(stores)
  end

  it("take no negative time, and none beyond int64", function()
    local made = made_trace.new()
    made:span("runtime", made:thread(), "cudaFree", 0, 10, { correlation = 1 })
    local run = made:run(stores)
    local cases = { ["-5ms"] = "idle wants a time from 0 on, not '-5ms'",
      [-5] = "idle wants a time from 0 on, not '-5'",
      ["1e30s"] = "idle: 1e30s is not a time of less than 292 years",
      [math.huge] = "idle: inf is not a time of less than 292 years" }
    for wrong, wanted in pairs(cases) do
      assert.has_error(function() run:phases { idle = wrong } end, wanted)
    end
  end)

  it("neither last nor are idle between the ranges that are looked at", function()
    local made = made_trace.new()
    local thread = made:thread()
    for i = 0, 39 do
      made:span("runtime", thread, "cudaLaunchKernel", 100 * i + 1, 100 * i + 90,
        { correlation = i + 1 })
    end
    made:span("nvtx", thread, "step", 0, 400)
    made:span("nvtx", thread, "step", 3500, 4000)
    local answer = made:run(stores):phases { nvtx = "step", idle = "1ms" }
    assert.same({}, answer:frame("idle").rows)
    assert.same({ "execute 889000 1.0" }, picked(answer:rows(), "phase", "total_ns", "share"))
  end)

  it("go from init to cleanup with their bytes, and add up", function()
    local answer = inference():phases()
    assert.same({ "init 300000 1 2 0 0 0", "weight_load 700000 1 2 4000000 0 0",
      "input 40000 2 2 4000 0 0", "execute 160000 2 6 0 0 4",
      "retrieve 3800000 2 2 0 1000 0", "cleanup 100000 1 2 0 0 0" },
      picked(answer:rows(), "phase", "total_ns", "times", "calls", "to_gpu_bytes", "from_gpu_bytes",
        "launches"))
    local total, share = 0, 0
    for _, row in ipairs(answer:rows()) do
      total, share = total + row.total_ns, share + row.share
    end
    assert.equal(5100000, total)
    assert.is_true(math.abs(share - 1) < 1e-12)
    assert.equal(4000000, answer:rows()[2].allocated_bytes)
  end)

  it("come with idle periods and switches between host and GPU", function()
    local answer = inference():phases { idle = "1ms" }
    assert.same({ "1120000 1880000 cuMemcpyDtoH_v2 cuMemcpyHtoD_v2",
      "3120000 1880000 cuMemcpyDtoH_v2 cuMemFree_v2" },
      picked(answer:frame("idle").rows, "at_ns", "dur_ns", "after", "before"))
    -- Three copies to the GPU, two synchronizations, two copies back, none of them asynchronous.
    assert.same({ "7 590000" }, (picked(answer:frame("switches").rows, "host_gpu_switches",
      "wait_ns")))
    assert.matches("the run has no rows of category sched", table.concat(answer.cannot), 1, true)
  end)

  it("of both tracers of one run are the same", function()
    local data <close> = setmetatable({ made = fixture.new(INGERO, BPFTRACE) },
      { __close = function(self) self.made:remove() end })
    local one, two = data.made:run(INGERO):phases(), data.made:run(BPFTRACE):phases()
    local function counts(answer)
      return picked(answer:rows(), "phase", "times", "to_gpu_bytes", "launches")
    end
    assert.same(counts(one), counts(two))
    assert.same({ "input 1 11977 0", "execute 1 0 327" }, counts(one))
    local wanted = assert(data.made.store.db:one([[SELECT count(*) AS count FROM span WHERE run = ?
      AND category = 'sched']], data.made:run(INGERO).number))
    assert.is_true(one:frame("switches").rows[1].os_switches <= wanted.count)
  end)

  it("take the way and size of copies from the GPU where calls do not say", function()
    local data <close> = setmetatable({ made = fixture.new(H100) },
      { __close = function(self) self.made:remove() end })
    local run = data.made:run(H100)
    local sums = { 0, 0 }
    for _, row in ipairs(run:phases():rows()) do
      sums[1], sums[2] = sums[1] + row.to_gpu_bytes, sums[2] + row.from_gpu_bytes
    end
    local wanted = assert(data.made.store.db:one([[SELECT
      sum(CASE w.kind WHEN 'HtoD' THEN w.bytes END) AS to_gpu,
      sum(CASE w.kind WHEN 'DtoH' THEN w.bytes END) AS from_gpu
      FROM span AS w WHERE w.run = ?1 AND w.category = 'memcpy' AND EXISTS (SELECT 1 FROM span AS c
      WHERE c.run = ?1 AND c.category = 'runtime' AND c.correlation = w.correlation
      AND c.pid = w.pid)]], run.number))
    assert.same({ wanted.to_gpu, wanted.from_gpu }, sums)
  end)

  it("abstain without calls", function()
    local made = made_trace.new()
    made:span("kernel", made:stream(), "only", 0, 5)
    local answer = made:run(stores):phases()
    assert.is_true(answer:abstains())
    assert.matches("no rows of category runtime or driver", answer.cannot[1], 1, true)
  end)
end)
