--- What callers give analyses: filters and options that are wrong are told, not run.
local fixture = require "tests.spec.support.analysis_fixture"
local small_trace = require "tests.spec.support.small_trace"
local view = require "tandem.analysis.view"

describe("options of analyses", function()
  local data, run

  setup(function()
    data = fixture.new()
    local trace = small_trace.new()
    local thread, first, second = trace:thread(70), trace:stream(7), trace:stream(8, 1)
    local at <const> = 1700000000000000000 -- profilers tell absolute times
    trace:add("runtime", thread, "cudaLaunchKernel", at, at + 10, { correlation = 1 })
    trace:add("kernel", first, "gemm", at + 20, at + 30, { correlation = 1 })
    trace:add("kernel", second, "gemm", at + 5000000, at + 5000010)
    run = trace:import(data, "options.jsonl")
  end)
  teardown(function() data:remove() end)

  local function message_of(name, given)
    local ok, message = pcall(run[name], run, given)
    assert.is_false(ok)
    return (message:gsub("^[^\n]-%.lua:%d+: ", ""))
  end

  it("says which value of the filter is wrong", function()
    assert.equal("device wants a whole number, not 'x'", message_of("kernels", { device = "x" }))
    assert.equal("rank wants a whole number, not '1.5'", message_of("kernels", { rank = 1.5 }))
    assert.equal("range wants FROM..TO, not '5'", message_of("kernels", { range = 5 }))
    assert.equal("nvtx wants NAME[@DOMAIN], not '5'", message_of("kernels", { nvtx = 5 }))
  end)

  it("says which numbers there are, not that nothing ran", function()
    local function refusal(name, filter) return (select(2, run[name](run, filter))) end
    assert.equal("the run has no device 2; there are 0, 1", refusal("kernels", { device = 2 }))
    assert.equal("the run has no stream 9; there are 7, 8", refusal("gpu", { stream = 9 }))
    assert.equal("the run has no thread 7; there are 70", refusal("api", { thread = 7 }))
    assert.equal("the run has no rank 0; its records do not say theirs",
      refusal("breakdown", { rank = 0 }))
  end)

  it("tells what the filter leaves out from what the run does not have", function()
    assert.same({ "the filter leaves no kernels (no rows of category kernel)" },
      run:kernels({ range = "1s.." }).cannot)
    assert.same({ "the filter leaves no API calls (no rows of category runtime or driver)" },
      run:api({ range = "1s.." }).cannot)
    assert.same({ "the run has no operators (no rows of category cpu_op)" },
      run:ops({ range = "1s.." }).cannot)
  end)

  it("takes no times that are none", function()
    for _, value in ipairs { 0 / 0, 1 / 0, 1e300, "1e12s" } do
      assert.matches("^threshold: .* is not a time of less than 292 years$",
        message_of("gaps", { threshold = value }))
    end
    assert.equal("1e12s is not a time of less than 292 years",
      message_of("kernels", { range = "..1e12s" }))
  end)

  it("comes with the columns of each table and no more", function()
    local counted = view.of(run):count("phases")
    assert.equal("timeline", counted.frames[2].name)
    assert.same({ "at_ns", "dur_ns", "process", "phase", "calls", "to_gpu_bytes",
      "from_gpu_bytes", "launches" }, counted.frames[2].columns)
  end)

  it("takes no numbers beyond what an analysis can do", function()
    for _, bins in ipairs { 0, -1, 1000000 } do
      assert.matches("^bins must be from 1 to %d+$", (select(2, run:memory { bins = bins })))
    end
    for _, top in ipairs { -1, 2000000000 } do
      assert.equal("top must not be negative", (select(2, run:memory { top = top })))
    end
  end)

  it("ends a range at the last time there is, not before it", function()
    assert.equal(2, run:kernels({ range = "0..9e9s" }):rows()[1].count)
  end)
end)

describe("a filter by a range that opens twice", function()
  local data, run

  setup(function()
    data = fixture.new()
    local trace = small_trace.new()
    local thread, stream = trace:thread(70), trace:stream(7)
    for i, at in ipairs { 0, 10000 } do
      trace:add("nvtx", thread, "step", at, at + 1000)
      trace:add("runtime", thread, "cudaLaunchKernel", at, at + 10, { correlation = 2 * i })
      trace:add("kernel", stream, "gemm", at + 100, at + 200, { correlation = 2 * i })
      trace:add("runtime", thread, "cudaLaunchKernel", at + 20, at + 30,
        { correlation = 2 * i + 1 })
      trace:add("kernel", stream, "norm", at + 300, at + 1100, { correlation = 2 * i + 1 })
    end
    run = trace:import(data, "twice.jsonl")
  end)
  teardown(function() data:remove() end)

  it("counts the idle time of streams while it is open", function()
    local row = run:idle({ nvtx = "step" }):rows()[1]
    assert.equal(400, row.idle_ns) -- 0..100 and 200..300 of both
    assert.equal(200, row.host_wait_ns)
    assert.equal(run:breakdown({ nvtx = "step" }):rows()[1].idle_ns, row.idle_ns)
    assert.equal(200, row.kernel_wait_ns)
    assert.equal(1600, row.busy_ns)
    assert.equal(run:breakdown({ nvtx = "step" }):rows()[1].busy_ns, row.busy_ns)
  end)
end)

describe("rows for each rank", function()
  local data, run

  -- A file whose kernel takes so long, of this rank if it says one.
  local function write(name, dur_ns, rank)
    local trace = small_trace.new { path = name, rank = rank }
    trace:add("kernel", trace:stream(7), "gemm", 0, dur_ns)
    return trace:write(data, name)
  end

  setup(function()
    data = fixture.new()
    local first, second = write("said.jsonl", 10, 1), write("unsaid.jsonl", 20)
    local _, err, code = data.stores:tandem("import", "--align", "none", "--name", "ranks",
      first, second)
    assert(code == 0, err)
    run = data:run "ranks"
  end)
  teardown(function() data:remove() end)

  it("tells files that do not say theirs by their paths, and merges them with none", function()
    local rows = run:kernels({ each = "rank" }):rows()
    assert.equal(2, #rows)
    assert.equal(20, rows[1].total_ns)
    assert.is_nil(rows[1].rank)
    assert.equal("unsaid.jsonl", rows[1].process)
    assert.equal(10, rows[2].total_ns)
    assert.equal(1, rows[2].rank)
    assert.is_nil(rows[2].process)
  end)
end)

describe("charts of ranks whose GPUs are called the same", function()
  local data, run

  setup(function()
    data = fixture.new()
    local files = {}
    for rank = 0, 1 do
      local name = ("rank%d.jsonl"):format(rank)
      local trace = small_trace.new { path = name, rank = rank }
      local stream = trace:stream(7)
      trace:add("kernel", stream, "gemm", 0, 10)
      trace:add("memcpy", stream, "Memcpy HtoD", 20, 30, { bytes = 10, kind = "HtoD" })
      files[rank + 1] = trace:write(data, name)
    end
    local _, err, code = data.stores:tandem("import", "--align", "none", "--name", "two",
      files[1], files[2])
    assert(code == 0, err)
    run = data:run "two"
  end)
  teardown(function() data:remove() end)

  it("tell them apart", function()
    for _, name in ipairs { "breakdown", "bandwidth", "utilization" } do
      local chart = run[name](run):plots()[1].chart:svg()
      for rank = 0, 1 do
        assert.matches(("rank %d GPU #0"):format(rank), chart, nil, true)
      end
    end
    local chart = run:kernels({ each = "device" }):plots()[1].chart:svg()
    assert.matches("rank 1: GPU #0: gemm", chart, nil, true)
  end)

  it("have bins that are shorter than a nanosecond", function()
    for _, name in ipairs { "bandwidth", "utilization" } do
      local answer = run[name](run, { bins = 100 })
      assert.matches("<svg", answer:plots()[1].chart:svg(), nil, true)
      assert.matches("<svg", answer:to_html(), nil, true)
    end
  end)
end)

describe("answers without rows", function()
  local data, run

  setup(function()
    data = fixture.new()
    local trace = small_trace.new()
    local thread, stream = trace:thread(70), trace:stream(7)
    trace:add("nvtx", thread, "elsewhere", 0, 10)
    trace:add("runtime", thread, "cudaGraphLaunch", 20, 30, { correlation = 1 })
    trace:add("kernel", stream, "gemm", 40, 50, { correlation = 1 })
    run = trace:import(data, "alone.jsonl")
  end)
  teardown(function() data:remove() end)

  it("say why", function()
    assert.same({ "causes of idle time: no stream has two pieces of work" }, run:idle().cannot)
    assert.same({ "launch delays: no launch is left; those of CUDA graphs do not count" },
      run:launch_delay().cannot)
    assert.same({ "queue lengths: no launch is left of those that count" },
      run:queue({ no_graphs = true }).cannot)
    assert.same({ "ranges on the GPU: no GPU work was launched inside a range" },
      run:projected().cannot)
  end)
end)
