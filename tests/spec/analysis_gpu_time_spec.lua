--- Breakdowns of a small trace whose every figure is plain, of two GPUs, of a simulated run, and of
--- runs that lack what is needed.
local fixture = require "tests.spec.support.analysis_fixture"
local made_trace = require "tests.spec.support.made_trace"
local td = require "tandem"

local NSYS <const> = "nsys/h100_2gpu_1s.sqlite.gz"
local CALLS <const> = "cuda_api/vllm-37343.ingero.jsonl.gz"

-- Times in ns. GPU #0 computes, communicates and copies, partly at once, then waits for the host;
-- GPU #1 has a kernel and a graph that was recorded as a whole.
local function small_trace()
  local encode = require("tandem.io.json").encode
  local lines = { encode { record = "header", format = "tandem-jsonl", version = 1 },
    encode { record = "source", source = 0, path = "small", format = "kineto", detail = "",
      rank = 3 } }
  local function track(id, process, name, kind, lane, numbers)
    local row = { record = "track", track = id, process = process, name = name, kind = kind,
      lane = lane, pid = 7 }
    for key, value in pairs(numbers) do row[key] = value end
    lines[#lines + 1] = encode(row)
  end
  track(0, "GPU #0", "stream 7", "stream", "GPU", { device = 0, stream = 7 })
  track(1, "GPU #0", "stream 8", "stream", "GPU", { device = 0, stream = 8 })
  track(2, "GPU #0", "stream 9", "stream", "GPU", { device = 0, stream = 9 })
  track(3, "GPU #1", "stream 7", "stream", "GPU", { device = 1, stream = 7 })
  track(4, "python (7)", "thread 70", "thread", "CPU", { tid = 70 })
  track(5, "python (7)", "thread 71", "thread", "CPU", { tid = 71 })
  for i, category in ipairs { "kernel", "memcpy", "graph", "runtime", "nvtx", "overhead" } do
    local args = category == "memcpy"
      and '[["correlation","int"],["bytes","int"],["kind","text"]]' or '[["correlation","int"]]'
    lines[#lines + 1] = ('{"record":"layout","layout":%d,"category":"%s","shape":"span","args":%s}')
      :format(i, category, args)
  end
  local function span(layout, where, name, from, to, args)
    lines[#lines + 1] = encode { record = "span", layout = layout, track = where, name = name,
      start_ns = from, dur_ns = to - from, args = args }
  end
  span(1, 0, "gemm", 1000, 2000, { correlation = 1 })
  span(1, 1, "ncclDevKernel_AllReduce", 1500, 3000, { correlation = 2 })
  span(2, 2, "Memcpy HtoD", 2500, 3500, { correlation = 3, bytes = 1000, kind = "HtoD" })
  span(1, 0, "norm", 10000000, 10001000, { correlation = 4 })
  span(1, 3, "gemm", 5000, 6000)
  span(3, 3, "graph 1", 7000, 9000)
  span(4, 4, "cudaLaunchKernel", 900, 950, { correlation = 1 })
  span(4, 4, "cudaLaunchKernel", 960, 1000, { correlation = 2 })
  span(4, 4, "cudaMemcpyAsync", 1000, 1100, { correlation = 3 })
  span(4, 4, "cudaStreamSynchronize", 3400, 9900000, { correlation = 5 })
  span(4, 4, "cudaLaunchKernel", 9950000, 9960000, { correlation = 4 })
  span(5, 4, "step", 0, 11000000)
  span(5, 4, "load", 3600, 9800000)
  span(5, 5, "other thread", 3700, 9700000)
  span(6, 4, "Buffer Flush", 4000, 1004000)
  span(6, 4, "Lazy Function Loading", 2000000, 3000000)
  return table.concat(lines, "\n") .. "\n"
end

local function only(rows, wanted)
  for _, row in ipairs(rows) do
    local fits = true
    for key, value in pairs(wanted) do fits = fits and row[key] == value end
    if fits then return row end
  end
end

describe("a trace whose figures are plain", function()
  local data, run

  setup(function()
    data = fixture.new()
    local file = data.stores:write("small.jsonl", small_trace())
    local _, err, code = data.stores:tandem("import", file)
    assert(code == 0, err)
    run = data:run "small.jsonl"
  end)
  teardown(function() data:remove() end)

  it("breaks the time of each GPU down, and adds up the GPUs of a rank", function()
    local answer = run:breakdown()
    assert.equal(2, #answer)
    local first, second = answer:rows()[1], answer:rows()[2]
    assert.same({ 10000000, 2000, 1000, 500, 9996500, 1500, 500, 1000, 500, 3500 },
      { first.total_ns, first.compute_ns, first.exposed_comm_ns, first.exposed_copy_ns,
        first.idle_ns, first.comm_ns, first.hidden_comm_ns, first.copy_ns, first.hidden_copy_ns,
        first.busy_ns })
    -- A graph recorded whole is GPU time.
    assert.same({ "GPU #1", 4000, 3000, 1000 },
      { second.device, second.total_ns, second.compute_ns, second.idle_ns })
    local rank = answer:frame("ranks").rows
    assert.equal(1, #rank)
    assert.same({ 3, 2, 10004000, 5000, 9997500 }, { rank[1].rank, rank[1].devices,
      rank[1].total_ns, rank[1].compute_ns, rank[1].idle_ns })
    local temporal = answer:frame("temporal").rows[1]
    assert.same({ 9996500, 2000, 1500 },
      { temporal.idle_ns, temporal.compute_ns, temporal.non_compute_ns })
  end)

  it("cuts to the time that a filter leaves", function()
    local row = run:breakdown({ range = "1us..2us" }):rows()[1]
    assert.same({ 1000, 1000, 0, 500 },
      { row.total_ns, row.compute_ns, row.idle_ns, row.hidden_comm_ns })
    local loading = run:breakdown({ nvtx = "load" }):rows()
    assert.equal(2, #loading)
    assert.same({ "GPU #0", 9796400, 9796400 }, -- it does nothing then
      { loading[1].device, loading[1].total_ns, loading[1].idle_ns })
    assert.same({ "GPU #1", 9796400, 3000 },
      { loading[2].device, loading[2].total_ns, loading[2].compute_ns })
  end)

  it("says what overlaps", function()
    local row = run:overlap():rows()[1]
    assert.same({ 1500, 500, 1 / 3, 1000, 0 }, { row.comm_ns, row.comm_with_compute_ns,
      row.comm_overlap_share, row.copy_ns, row.copy_with_compute_ns })
    local kinds = {}
    for _, one in ipairs(run:overlap():frame("kinds").rows) do
      if one.device == "GPU #0" then kinds[one.kinds] = one.time_ns end
    end
    assert.same({ computation = 1500, communication = 500, memory = 500,
      ["computation overlapping communication"] = 500,
      ["communication overlapping memory"] = 500 }, kinds)
  end)

  it("finds the cause of idle time and its stream", function()
    local row = run:idle():rows()[1]
    assert.same({ "stream 7", 9998000, 9998000, 0, 0, 2000 }, { row.stream, row.idle_ns,
      row.host_wait_ns, row.kernel_wait_ns, row.other_ns, row.busy_ns })
  end)

  it("finds gaps, what surrounds them and what the host did", function()
    local answer = run:gaps()
    assert.equal(1, #answer)
    local gap = answer:rows()[1]
    assert.same({ "GPU #0", 3500, 8996500, 1000000, "host wait", "Memcpy HtoD", "norm" },
      { gap.device, gap.at_ns, gap.gap_ns, gap.overhead_ns, gap.cause, gap.before, gap.after })
    -- Of two ranges that cover most of it, the one on the thread that launched what came after.
    assert.same({ "cudaStreamSynchronize", "load", "thread 70", 9796400 },
      { gap.call, gap.range, gap.thread, gap.range_ns })
    local gpu = answer:frame("devices").rows
    assert.same({ 1, 8996500, 0 }, { gpu[1].count, gpu[1].total_ns, gpu[2].count })
    assert.equal(0, #run:gaps { threshold = "9.5ms" })
    -- Of a window, only what lies in it: 9 ms to 10.0005 ms.
    local late = run:gaps({ range = "9ms..10.0005ms", overhead = true })
    assert.same({ "GPU #1", 1000500, 9000000, "graph 1" }, { late:rows()[1].device,
      late:rows()[1].gap_ns, late:rows()[1].at_ns, late:rows()[1].before })
    assert.same({ "GPU #0", 1000000, 9000000, "norm" }, { late:rows()[2].device,
      late:rows()[2].gap_ns, late:rows()[2].at_ns, late:rows()[2].after })
    late = run:gaps({ range = "3us..10.0005ms" }):rows()[1]
    assert.same({ 8996500, 8996500 / 9997500 }, { late.gap_ns, late.share })
    assert.equal(9996500, run:gaps({ threshold = "9.5ms", overhead = true }):rows()[1].gap_ns)
    assert.equal(1, #run:gaps { threshold = 1000 }) -- the other one is all the profiler's
    assert.equal(2, #run:gaps { threshold = 1000, overhead = true })
  end)

  it("samples queues, and tells when they are full", function()
    local row = only(run:queue({ full = 1 }):rows(), { stream = "stream 7" })
    assert.same({ 4, 0.5, 0, 1, 50100 }, { row.count, row.mean, row.min, row.max, row.blocked_ns })
    assert.equal(0, only(run:queue():rows(), { stream = "stream 7" }).blocked_ns)
  end)

  it("measures launches", function()
    local answer = run:launch_delay { launch_delay_cutoff = "1us", runtime_cutoff = "1us" }
    local row = answer:rows()[1]
    assert.same({ 4, 1, 0.25, 1, 2, 41950 }, { row.launches, row.short, row.short_share,
      row.runtime_outliers, row.delay_outliers, row.total_delay_ns })
    local norm = answer:frame("kernels").rows[1]
    assert.same({ "norm", 1, 10000, 1000, 40000 }, { norm.name, norm.short, norm.cpu_mean_ns,
      norm.gpu_mean_ns, norm.delay_mean_ns })
    assert.equal(3, run:launch_delay({ kernels_only = true }):rows()[1].launches)
  end)

  it("spreads busy time and bytes over bins", function()
    local bins = run:utilization({ bins = 2 }):rows()
    assert.equal(4, #bins)
    assert.same({ 1000, 5001000, 2500 / 5e6, 1000 / 5e6 }, { bins[1].at_ns, bins[2].from_ns
      - run.first_ns, bins[1].busy_share, bins[2].busy_share })
    assert.same({ "GPU #1", 3000 / 5e6, 0 }, { bins[3].device, bins[3].busy_share,
      bins[4].busy_share })
    local copies = run:bandwidth { bins = 2 }
    local row = copies:rows()[1]
    assert.same({ "HtoD", 1, 1000, 1e9 }, { row.kind, row.copies, row.bytes, row.mean_bytes_per_s })
    local over_time = copies:frame("over_time").rows
    assert.same({ 1000, 0, 1000 / 5e-3 },
      { over_time[1].bytes, over_time[2].bytes, over_time[1].bytes_per_s })
    assert.matches("<svg", run:utilization():plot():svg(), 1, true)
    assert.matches("<svg", copies:plot():svg(), 1, true)
  end)

  it("counts every nanosecond of a step once, by priority", function()
    local rows = run:steps({ name = "step" }):rows()
    local function figures(row)
      return { row.device, row.step, row.total_ns, row.kernel_ns, row.memcpy_ns, row.memset_ns,
        row.comm_ns, row.runtime_ns, row.data_loader_ns, row.cpu_ns, row.other_ns }
    end
    assert.equal(2, #rows)
    assert.same({ "GPU #0", "step", 11000000, 2000, 1000, 0, 500, 9906590, 0, 0, 1089910 },
      figures(rows[1]))
    assert.same({ "GPU #1", "step", 11000000, 3000, 0, 0, 0, 9903790, 0, 0, 1093210 },
      figures(rows[2]))
    -- One that begins later lasts from then: 3.6 us to 9.8 ms, all of it in a call of the host.
    local load = run:steps({ name = "load" }):rows()
    assert.same({ "GPU #0", "load", 9796400, 0, 0, 0, 0, 9796400, 0, 0, 0 }, figures(load[1]))
    assert.same({ "GPU #1", "load", 9796400, 3000, 0, 0, 0, 9793400, 0, 0, 0 }, figures(load[2]))
    assert.same({ 3600, 3000 / 9796400, 9793400 / 9796400, 0 }, { load[2].from_ns - run.first_ns,
      load[2].kernel_share, load[2].runtime_share, load[2].other_share })
    local some = run:steps({ name = "step", range = "1us..3us" }):rows()
    assert.same({ "GPU #0", "step", 2000, 1000, 500, 0, 500, 0, 0, 0, 0 }, figures(some[1]))
    local none = run:steps()
    assert.is_true(none:abstains())
    assert.matches("no range (category nvtx or user_annotation) whose name begins with "
      .. "'ProfilerStep'", none.cannot[1], 1, true)
  end)

  it("refuses what makes no sense", function()
    assert.equal("'bins' is a number from 1 to 10000", select(2, run:utilization { bins = 0 }))
    assert.has_error(function() run:breakdown { work = "half" } end)
  end)
end)

describe("a capture of two GPUs", function()
  local data, run

  setup(function()
    data = fixture.new(NSYS)
    run = data:run(NSYS)
  end)
  teardown(function() data:remove() end)

  it("agrees with counting nanoseconds plainly, GPU by GPU", function()
    local rows = run:breakdown():rows()
    assert.equal(2, #rows)
    for _, row in ipairs(rows) do
      local total, last, first = 0, nil, nil
      for _, one in ipairs(data.store.db:all([[SELECT start_ns, dur_ns FROM span s JOIN track t
        ON t.run = s.run AND t.id = s.track WHERE s.run = ? AND t.process = ?
        AND category IN ('kernel', 'memcpy', 'memset') ORDER BY start_ns]], run.number,
        row.device)) do
        local from, to = one.start_ns, one.start_ns + one.dur_ns
        first = first or from
        total = total + math.max(0, to - math.max(from, last or from))
        last = math.max(last or to, to)
      end
      assert.equal(total, row.busy_ns)
      assert.equal(last - first, row.total_ns)
      assert.equal(row.total_ns,
        row.compute_ns + row.exposed_comm_ns + row.exposed_copy_ns + row.idle_ns)
    end
  end)

  it("has bins that add up to the busy time, and kinds that do", function()
    local busy, kinds = {}, {}
    for _, bin in ipairs(run:utilization({ bins = 77 }):rows()) do
      busy[bin.device] = (busy[bin.device] or 0) + bin.busy_share * (bin.to_ns - bin.from_ns)
    end
    for _, row in ipairs(run:overlap():frame("kinds").rows) do
      kinds[row.device] = (kinds[row.device] or 0) + row.time_ns
    end
    for _, row in ipairs(run:breakdown():rows()) do
      assert.is_true(math.abs(busy[row.device] - row.busy_ns) < 1)
      assert.equal(row.busy_ns, kinds[row.device])
    end
  end)

  it("moves the bytes that were recorded", function()
    local answer, bytes, over_time = run:bandwidth(), 0, 0
    for _, row in ipairs(answer:rows()) do bytes = bytes + row.bytes end
    for _, row in ipairs(answer:frame("over_time").rows) do over_time = over_time + row.bytes end
    local all = data.store.db:one([[SELECT sum(bytes) AS bytes FROM span WHERE run = ?
      AND category IN ('memcpy', 'memset')]], run.number)
    assert.equal(all.bytes, bytes)
    assert.is_true(math.abs(over_time - bytes) <= 30 * #answer)
  end)

  it("has as throughput the bytes over the time of copies, long ones counting for more", function()
    local all = data.store.db:all([[SELECT 'GPU #' || device AS device,
      CASE category WHEN 'memset' THEN 'Memset' ELSE kind END AS kind, sum(bytes) AS bytes,
      sum(dur_ns) AS ns FROM span WHERE run = ? AND category IN ('memcpy', 'memset')
      GROUP BY 1, 2]], run.number)
    local rows = run:bandwidth():rows()
    assert.equal(#all, #rows)
    local wanted = {}
    for _, one in ipairs(all) do wanted[one.device .. one.kind] = one.bytes / (one.ns / 1e9) end
    for _, row in ipairs(rows) do
      local per_s = wanted[row.device .. row.kind]
      assert.is_true(math.abs(row.throughput_bytes_per_s - per_s) <= 1e-9 * per_s, row.kind)
      if row.kind == "HtoD" then assert.is_true(row.mean_bytes_per_s < 0.75 * per_s) end
    end
  end)
end)

describe("a simulated run", function()
  local data, run

  setup(function()
    data = fixture.new()
    local scenario = td.scenario "plain" {
      workload = td.paced { rps = 10, duration = "2s" }, target = td.gpu "L40S" {},
      pipeline = { td.transfer "h2d" { bytes = "64MiB" }, td.stage "infer" { cost = "20ms" },
        td.transfer "d2h" { bytes = "8MiB" } } }
    local id = data.stores:keep("a.db", { scenario = scenario, replications = 1 })
    run = assert(data.store:run(id))
  end)
  teardown(function() data:remove() end)

  it("is broken down like a measured one", function()
    local row = run:breakdown():rows()[1]
    local requests = row.compute_ns // 20000000
    local copies = assert(data.store.db:one([[SELECT
      max(dur_ns) FILTER (WHERE name = 'h2d') + max(dur_ns) FILTER (WHERE name = 'd2h') AS ns
      FROM span WHERE run = ? AND category = 'stage']], run.number)).ns
    assert.is_true(requests >= 19)
    assert.equal(requests * 20000000, row.compute_ns)
    assert.equal(requests * copies, row.exposed_copy_ns)
    assert.equal((requests - 1) * 100000000 + 20000000 + copies, row.total_ns)
    assert.equal((requests - 1) * (80000000 - copies), row.idle_ns)
    assert.equal(requests - 1, #run:gaps { threshold = "60ms" })
  end)

  it("cannot tell causes of launches that it does not have", function()
    for _, name in ipairs { "idle", "queue", "launch_delay" } do
      local answer = run[name](run)
      assert.is_true(answer:abstains())
      assert.equal(0, #answer)
      assert.matches("the run has no API calls (rows of category runtime or driver)",
        answer.cannot[1], 1, true)
    end
  end)
end)

-- Where tracks do not say their device, each file of a trace is of one.
describe("streams without a device", function()
  it("are of one GPU a file", function()
    local data = fixture.new()
    local made = made_trace.new(0)
    made:span("kernel", made:stream(7, false), "a", 0, 10)
    made:span("kernel", made:stream(8, false), "a", 5, 30)
    made:source(1)
    made:span("kernel", made:stream(7, false), "b", 20, 60)
    local by = {}
    for _, row in ipairs(made:run(data.stores):breakdown():rows()) do
      by[row.rank] = row.busy_ns
    end
    assert.same({ [0] = 30000, [1] = 40000 }, by)
    data:remove()
  end)
end)

describe("runs that lack what is needed", function()
  it("abstain and name it", function()
    local data = fixture.new(CALLS)
    for _, name in ipairs { "breakdown", "overlap", "gaps", "utilization", "idle", "queue",
      "launch_delay" } do
      local out, err, code = data.stores:tandem(name, "last")
      assert.equal("", out)
      assert.matches("no GPU work (rows of category kernel, memcpy, memset", err, 1, true)
      assert.equal(1, code)
    end
    local _, err = data.stores:tandem("bandwidth", "last")
    assert.matches("the run has no copies (rows of category memcpy or memset)", err, 1, true)
    data:remove()
  end)
end)
