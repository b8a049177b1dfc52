--- The critical path against closed results of made traces, and against HolisticTraceAnalysis.
local fixture = require "tests.spec.support.analysis_fixture"
local made_trace = require "tests.spec.support.made_trace"
local format = require "tandem.text.format"
local store_fixture = require "tests.spec.support.store_fixture"

local ALEXNET <const> =
  "kineto/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz"
local EVENTS <const> = "kineto/critical_path__cuda_event_sync__event_sync_trace.json.gz"

local function by(answer, frame, key, value)
  local found = {}
  for _, row in ipairs(answer:frame(frame).rows) do found[row[key]] = row[value] end
  return found
end

local function steps(answer)
  local list = {}
  for i, row in ipairs(answer:frame("path").rows) do
    list[i] = ("%s %s %d"):format(row.bound, row.name, row.dur_ns // 1000)
  end
  return list
end

local function sum(answer)
  local total = 0
  for _, row in ipairs(answer:frame("path").rows) do total = total + row.dur_ns end
  return total
end

local function said(answer, pattern)
  for _, sentence in ipairs(answer.basis) do
    local found = sentence:match(pattern)
    if found then return found end
  end
end

describe("the critical path of a made trace", function()
  local stores
  before_each(function() stores = store_fixture.new() end)
  after_each(function() stores:remove() end)

  -- Two kernels in one stream, waited for, then work of the host: 300 us.
  local function two_kernels()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    made:launch(thread, stream, 1, { 0, 10 }, { 15, 115 }, "first")
    made:launch(thread, stream, 2, { 10, 20 }, { 118, 218 }, "second")
    made:span("runtime", thread, "cudaDeviceSynchronize", 20, 230, { correlation = 3 })
    made:span("cpu_op", thread, "aten::item", 230, 300)
    return made:run(stores)
  end

  it("goes through launches, streams and waits, every nanosecond once", function()
    local answer = two_kernels():critical_path()
    assert.same({ "cpu_bound cudaLaunchKernel 10", "gpu_kernel_launch_overhead first 5",
      "gpu_compute_bound first 100", "gpu_kernel_kernel_overhead second 3",
      "gpu_compute_bound second 100", "cpu_bound cudaDeviceSynchronize 12",
      "cpu_bound aten::item 70" }, steps(answer))
    assert.equal(300000, sum(answer))
    assert.same({ cpu_bound = 92000, gpu_compute_bound = 200000, gpu_communication_bound = 0,
      gpu_copy_bound = 0, gpu_kernel_launch_overhead = 5000, gpu_kernel_kernel_overhead = 3000,
      idle = 0 }, by(answer, "bound", "bound", "total_ns"))
    assert.equal("0 s", said(answer, "residual (%-?[%d.]+ %S+)%)"))
  end)

  local function predicted(run, what)
    local rows = run:critical_path(what):frame("what_if").rows
    assert.equal(1, #rows)
    assert.equal(300000, rows[1].predicted_ns + rows[1].gain_ns)
    return rows[1].predicted_ns / 1000
  end

  it("predicts what changes would gain by replaying the graph", function()
    local run = two_kernels()
    assert.equal(250, predicted(run, { faster = "first=2x" }))
    assert.equal(200, predicted(run, { faster = "first=2x;second=2" }))
    assert.equal(200, predicted(run, { faster = "^(first|second)$=2x" }))
    assert.equal(265, predicted(run, { faster = "aten=2x" }))
    assert.equal(285, predicted(run, { no_launch_overhead = true }))
    assert.equal(235, predicted(run, { no_launch_overhead = true, faster = "second=2x" }))
    -- So fast that only the host remains: both calls, the way back from the wait, the operator.
    assert.equal(20 + 12 + 70, predicted(run, { faster = "first=1000x;second=1000x" }))
    local unmatched = run:critical_path { faster = "no such name=2x" }
    assert.matches("no record on the graph has such a name", unmatched.cannot[1], 1, true)
    assert.equal(0, #unmatched:frame("what_if"))
    local half = run:critical_path { faster = "first=2x; no such name=2x" }
    assert.equal(250000, half:frame("what_if").rows[1].predicted_ns)
    assert.equal("what if 'no such name' were faster: no record on the graph has such a name",
      half.cannot[1])
    for _, extreme in ipairs { "1e-300x", "1e300x" } do
      local _, why = run:critical_path { faster = "first=" .. extreme }
      assert.equal("'faster' takes from 0.001x to 1e+09x, not 'first=" .. extreme .. "'", why)
    end
    local _, message = run:critical_path { faster = "first" }
    assert.equal("'faster' wants NAME=2x (several with ';' between), not 'first'", message)
  end)

  it("says that a faster operator's GPU work has names of its own", function()
    local run = two_kernels()
    local words = "^what if '(.-)' were faster: of the host's records alone"
    assert.equal("cudaLaunch", said(run:critical_path { faster = "cudaLaunch=2x" }, words))
    assert.is_nil(said(run:critical_path { faster = "first=2x; item=2x" }, words))
  end)

  it("takes a window, and a range each time it is open", function()
    local run = two_kernels()
    local answer = run:critical_path { range = "60us..260us" }
    assert.equal(170000, sum(answer)) -- the last record that ends within it ends at 230 us
    local made = made_trace.new()
    local thread = made:thread()
    for i = 0, 1 do
      made:span("nvtx", thread, "step", i * 100, i * 100 + 40)
      made:span("cpu_op", thread, "op", i * 100 + 10, i * 100 + 30)
    end
    answer = made:run(stores):critical_path { nvtx = "step" }
    assert.same({ "cpu_bound step 10", "cpu_bound op 20", "cpu_bound step 10", "cpu_bound step 10",
      "cpu_bound op 20", "cpu_bound step 10" }, steps(answer))
  end)

  it("follows an event from one stream to another", function()
    local made = made_trace.new()
    local thread, first, second = made:thread(), made:stream(7), made:stream(20)
    made:launch(thread, first, 1, { 0, 5 }, { 10, 110 }, "producer")
    made:span("runtime", thread, "cudaEventRecord", 5, 6, { correlation = 2 })
    made:span("runtime", thread, "cudaStreamWaitEvent", 6, 7, { correlation = 3 })
    made:span("sync", second, "Stream Wait Event", 6, 7, { correlation = 3,
      cuda_sync_kind = "Stream Wait Event", wait_on_stream = 7,
      wait_on_cuda_event_record_corr_id = 2 })
    made:launch(thread, second, 4, { 7, 12 }, { 112, 212 }, "consumer")
    made:span("runtime", thread, "cudaStreamSynchronize", 12, 220, { correlation = 5 })
    made:span("sync", second, "Stream Sync", 13, 219, { correlation = 5,
      cuda_sync_kind = "Stream Sync" })
    local run = made:run(stores)
    assert.same({ "cpu_bound cudaLaunchKernel 5", "gpu_kernel_launch_overhead producer 5",
      "gpu_compute_bound producer 100", "gpu_kernel_kernel_overhead consumer 2",
      "gpu_compute_bound consumer 100", "cpu_bound cudaStreamSynchronize 8" },
      steps(run:critical_path()))
    assert.equal(170, run:critical_path({ faster = "producer=2x" }):frame("what_if").rows[1]
      .predicted_ns / 1000)
  end)

  local function events_of_nsys(recorded)
    local made = made_trace.new()
    local thread, first, second = made:thread(), made:stream(7), made:stream(20)
    made:launch(thread, first, 1, { 0, 5 }, { 10, 110 }, "producer")
    made:span("runtime", thread, "cudaEventRecord", 5, 6, { correlation = 2 })
    if recorded then
      made:instant("cuda_event", first, "event record", 5, { correlation = 2, event = 3,
        event_sync = 4 })
    end
    made:span("sync", second, "stream_wait_event", 6, 7, { correlation = 3,
      kind = "stream_wait_event", event = 3, event_sync = 4 })
    made:launch(thread, second, 4, { 7, 12 }, { 112, 212 }, "consumer")
    return made:run(stores):critical_path()
  end

  it("knows events by their number and use, and says when their record is missing", function()
    assert.same({ "cpu_bound cudaLaunchKernel 5", "gpu_kernel_launch_overhead producer 5",
      "gpu_compute_bound producer 100", "gpu_kernel_kernel_overhead consumer 2",
      "gpu_compute_bound consumer 100" }, steps(events_of_nsys(true)))
    local missing = events_of_nsys(false)
    assert.matches("^1 dependencies between streams: they wait for events of which no record",
      missing.cannot[1])
  end)

  it("waits with the host where the GPU's queue of commands is full", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    made:launch(thread, stream, 1, { 0, 5 }, { 10, 110 }, "long")
    made:launch(thread, stream, 2, { 5, 120 }, { 112, 132 }, "next")
    made:span("overhead", thread, "overhead", 6, 118, { correlation = 2,
      kind = "command_buffer_full" })
    made:span("cpu_op", thread, "then", 120, 200)
    local answer = made:run(stores):critical_path()
    assert.same({ "cpu_bound cudaLaunchKernel 5", "gpu_kernel_launch_overhead long 5",
      "gpu_compute_bound long 100", "cpu_bound cudaLaunchKernel 10", "cpu_bound then 80" },
      steps(answer))
    assert.equal("1", said(answer, "^(%d+) calls found the GPU's queue of commands full"))
  end)

  it("waits with the host for a copy, and knows what overlapping it would gain", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    made:span("runtime", thread, "cudaMemcpy", 0, 60, { correlation = 1 })
    made:span("memcpy", stream, "Memcpy HtoD", 5, 55, { correlation = 1, kind = "HtoD" })
    made:launch(thread, stream, 2, { 60, 65 }, { 70, 170 })
    made:span("runtime", thread, "cudaDeviceSynchronize", 65, 175, { correlation = 3 })
    local run = made:run(stores)
    local answer = run:critical_path()
    assert.same({ cpu_bound = 20000, gpu_copy_bound = 50000, gpu_kernel_launch_overhead = 5000,
      gpu_compute_bound = 100000, gpu_communication_bound = 0, gpu_kernel_kernel_overhead = 0,
      idle = 0 }, by(answer, "bound", "bound", "total_ns"))
    assert.equal(125000,
      run:critical_path({ overlap_copies = true }):frame("what_if").rows[1].predicted_ns)
  end)

  it("changes threads where one does nothing while the other works", function()
    local made = made_trace.new()
    local main, worker = made:thread(1), made:thread(2)
    made:span("cpu_op", main, "forward", 0, 100)
    made:span("cpu_op", worker, "backward", 110, 310)
    made:span("cpu_op", main, "step", 320, 400)
    local run = made:run(stores)
    local answer = run:critical_path()
    assert.same({ "cpu_bound forward 100", "idle (nothing recorded) 10", "cpu_bound backward 200",
      "idle (nothing recorded) 10", "cpu_bound step 80" }, steps(answer))
    assert.matches("(2 times; inferred)", table.concat(answer.basis), 1, true)
    for speed, ns in pairs { ["2x"] = 300000, ["200x"] = 201000 } do
      local what_if = run:critical_path({ faster = "backward=" .. speed }):frame "what_if"
      assert.equal(ns, what_if.rows[1].predicted_ns)
    end
  end)

  it("stays on a thread that another only happens to run beside", function()
    local made = made_trace.new()
    local main, other = made:thread(1), made:thread(2)
    made:span("cpu_op", main, "before", 0, 100)
    made:span("cpu_op", other, "loading", 0, 120) -- begins before the gap, ends in its first half
    made:span("cpu_op", main, "after", 200, 300)
    assert.same({ "cpu_bound before 100", "idle (nothing recorded) 100", "cpu_bound after 100" },
      steps(made:run(stores):critical_path()))
  end)

  it("waits for work that was launched before the recording began", function()
    local made = made_trace.new()
    local thread, stream = made:thread(), made:stream()
    made:span("runtime", thread, "cudaDeviceSynchronize", 0, 105, { correlation = 9 })
    made:span("kernel", stream, "early", 0, 60)
    made:span("kernel", stream, "earlier launched", 61, 100)
    made:span("cpu_op", thread, "then", 105, 150)
    assert.same({ "gpu_compute_bound early 60", "gpu_kernel_kernel_overhead earlier launched 1",
      "gpu_compute_bound earlier launched 39", "cpu_bound cudaDeviceSynchronize 5",
      "cpu_bound then 45" }, steps(made:run(stores):critical_path()))
  end)

  it("ends with work, not with a thread that only waits beside it", function()
    local made = made_trace.new()
    local main, monitor = made:thread(1), made:thread(2)
    made:span("python_function", monitor, "threading.py: wait", 0, 500)
    for i = 0, 9 do made:span("runtime", monitor, "cudaEventQuery", 50 * i, 50 * i + 1) end
    made:span("cpu_op", main, "op", 100, 200)
    made:span("python_function", main, "main", 90, 230)
    local run = made:run(stores)
    assert.same({ "idle (nothing recorded) 90", "cpu_bound main 10", "cpu_bound op 100",
      "cpu_bound main 30" }, steps(run:critical_path()))
    -- Nor is a run held up by it that becomes faster: of a part, too.
    for range, ns in pairs { [".."] = 130000, ["50us..300us"] = 80000 } do
      local change = assert(run:critical_path { faster = "op=1000000x", range = range })
        :frame("what_if").rows[1]
      assert.equal(ns, change.predicted_ns, range)
    end
  end)

  it("follows the nodes of a graph from stream to stream", function()
    local made = made_trace.new()
    local thread, first, second = made:thread(), made:stream(7), made:stream(8)
    made:span("runtime", thread, "cudaGraphLaunch", 0, 10, { correlation = 1 })
    made:span("kernel", first, "fork", 20, 40, { correlation = 1 })
    made:span("kernel", second, "side", 42, 92, { correlation = 1 })
    made:span("kernel", first, "join", 95, 105, { correlation = 1 })
    assert.same({ "cpu_bound cudaGraphLaunch 10", "gpu_kernel_launch_overhead fork 10",
      "gpu_compute_bound fork 20", "gpu_kernel_kernel_overhead side 2", "gpu_compute_bound side 50",
      "gpu_kernel_kernel_overhead join 3", "gpu_compute_bound join 10" },
      steps(made:run(stores):critical_path()))
  end)

  it("abstains where times are too far apart to be added", function()
    local made = made_trace.new()
    local stream = made:stream()
    made:span("kernel", stream, "a", -4000000000000000, 0)
    made:span("kernel", stream, "b", 5000000000000000, 5000000000000009)
    local answer = made:run(stores):critical_path()
    assert.is_true(answer:abstains())
    assert.same({ "the records of the run lie more than 73 years apart" }, answer.cannot)
  end)

  it("works on one kernel, and abstains where there is nothing to follow", function()
    local made = made_trace.new()
    made:span("kernel", made:stream(), "only", 5, 25)
    local answer = made:run(stores):critical_path()
    assert.same({ "gpu_compute_bound only 20" }, steps(answer))
    assert.matches("no work has the argument correlation", answer.cannot[1], 1, true)
    made = made_trace.new()
    made:span("marker", made:thread(), "nothing", 0, 10)
    answer = made:run(stores):critical_path()
    assert.is_true(answer:abstains())
    assert.matches("the run has no work to follow", answer.cannot[1], 1, true)
  end)
end)

describe("the critical path of a simulated run", function()
  it("is the waiting and service of the last requests", function()
    local stores <close> = setmetatable({ made = store_fixture.new() },
      { __close = function(self) self.made:remove() end })
    -- Three requests at once, 10 ms of CPU, then 50 ms of GPU one by one: 10 + 3 * 50.
    local path = stores.made:write("three.lua", [[
      local td = require "tandem"
      return td.scenario "three" {
        workload = td.paced { rps = 1, requests = 3, batch = 3 },
        resources = { td.pool "server" { lane = "GPU" }, td.pool "host" { lane = "CPU",
          servers = 3 } },
        pipeline = { td.fixed "prepare" { on = "host", time = "10ms" },
          td.fixed "infer" { on = "server", time = "50ms" } } }
    ]])
    local out, err, code = stores.made:tandem("run", path)
    assert.equal(0, code, out .. err)
    local run = assert(assert(require("tandem").store(stores.made:path "a.db")):run "last")
    local answer = run:critical_path()
    assert.equal(160000000, sum(answer))
    assert.same({ cpu_bound = 10000000, gpu_compute_bound = 150000000, gpu_communication_bound = 0,
      gpu_copy_bound = 0, gpu_kernel_launch_overhead = 0, gpu_kernel_kernel_overhead = 0,
      idle = 0 }, by(answer, "bound", "bound", "total_ns"))
    assert.equal(85000000,
      run:critical_path({ faster = "infer=2x" }):frame("what_if").rows[1].predicted_ns)
  end)
end)

describe("the critical path of a capture", function()
  local data
  setup(function() data = fixture.new(ALEXNET, EVENTS, "nsys/h100_2gpu_1s.sqlite.gz",
    "kineto/inference__vllm_decode_full__graph_execution.json.gz",
    "kineto/triton_example__triton_example.json.gz", "cuda_api/vllm-37343.ingero.jsonl.gz") end)
  teardown(function() data:remove() end)

  -- HTA's path of the second "measure|forward" annotation of AlexNet: its shares are of 35,834 us.
  -- It gives no weight to gaps between top-level operators (499 us, which we tell as the
  -- annotation's: the host worked on something that is not recorded), to the return from
  -- cudaDeviceSynchronize (22 us) and to the microsecond after an event of another stream; counts
  -- the memset (2 us) as computation and the launching call before the first kernel (8 us) as
  -- launch overhead. Ours adds up to the annotation's 36,356 us.
  it("has HTA's figures on AlexNet, but for what its definitions leave out", function()
    local hta = {}
    for _, line in ipairs(fixture.expected_lines "kineto/hta_critical_path_alexnet.txt") do
      local name, share = line:match "^(%a[%a_]+)%s+(%d+%.%d+)$"
      if name then hta[name] = share end
    end
    local run = data:run(ALEXNET)
    local start = 1695835585827782000 - run.first_ns
    local answer = run:critical_path { range = ("%dns..%dns"):format(start, start + 36356000) }
    local us = by(answer, "bound", "bound", "total_ns")
    for name, ns in pairs(us) do us[name] = ns // 1000 end
    local own = {}
    for _, row in ipairs(answer:rows()) do
      if row.kind == "user_annotation" or row.name == "cudaDeviceSynchronize" then
        own[row.name:match "^%w+" or "annotation"] = row.total_ns // 1000
      end
    end
    assert.same({ annotation = 499, cudaDeviceSynchronize = 22 }, own)
    local path, call = answer:frame("path").rows, 0
    for i, row in ipairs(path) do
      if row.bound == "gpu_kernel_launch_overhead" then call = path[i - 1].dur_ns // 1000 end
    end
    assert.equal(8, call)
    local theirs = { cpu_bound = us.cpu_bound - 499 - 22 - call,
      gpu_compute_bound = us.gpu_compute_bound + us.gpu_copy_bound,
      gpu_kernel_launch_overhead = us.gpu_kernel_launch_overhead + call,
      gpu_kernel_kernel_overhead = us.gpu_kernel_kernel_overhead - 1 }
    local total = 0
    for _, one in pairs(theirs) do total = total + one end
    assert.equal(35834, total)
    assert.equal(36356000, sum(answer))
    for name, one in pairs(theirs) do
      assert.equal(hta[name], ("%.6f"):format(100 * one / total), name)
    end
  end)

  it("waits for an event as cudaEventSynchronize did", function()
    local found = {}
    for _, row in ipairs(data:run(EVENTS):critical_path():rows()) do
      found[row.bound .. " " .. row.name] = row.total_ns
    end
    assert.equal(36000,
      found["gpu_compute_bound at::cuda::(anonymous namespace)::spin_kernel(long)"])
    assert.equal(8000, found["cpu_bound cudaEventSynchronize"]) -- it returned 8 us after the kernel
  end)

  it("adds up to the recorded time, which the replay gives again, on every capture", function()
    for _, file in ipairs { ALEXNET, EVENTS, "nsys/h100_2gpu_1s.sqlite.gz",
      "kineto/inference__vllm_decode_full__graph_execution.json.gz",
      "kineto/triton_example__triton_example.json.gz", "cuda_api/vllm-37343.ingero.jsonl.gz" } do
      local answer = data:run(file):critical_path()
      local total = sum(answer)
      assert.equal(format.time(total / 1e9), said(answer, "of the path's ([%d.]+ %S+),"), file)
      assert.equal("0 s", said(answer, "residual (%-?[%d.]+ %S+)%)"), file)
      local shares = 0
      for _, row in ipairs(answer:rows()) do shares = shares + row.total_ns end
      assert.equal(total, shares, file)
      for _, row in ipairs(answer:frame("what_if").rows) do
        assert.is_true(row.gain_ns >= 0, file .. ": " .. row.change)
      end
    end
  end)

  it("says what a capture of calls alone cannot tell", function()
    local answer = data:run("cuda_api/vllm-37343.ingero.jsonl.gz"):critical_path()
    assert.matches("GPU work: the run has no rows of category kernel", answer.cannot[1], 1, true)
  end)
end)
