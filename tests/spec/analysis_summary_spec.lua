--- What ran, by name: GPU work, API calls, copies, launches, synchronization, ranges, OS calls;
--- against Nsight Systems' own summaries of the same capture.
local fixture = require "tests.spec.support.analysis_fixture"
local small_trace = require "tests.spec.support.small_trace"
local td = require "tandem"

local CAPTURE <const> = "nsys/h100_2gpu_1s.sqlite.gz"

-- The versions of a call are one row: nsys leaves out a version of four digits only (_v3020), so
-- that calls of CUDA 11 and later keep theirs (_v11060).
local function without_version(name) return (name:gsub("_v%d%d%d%d%d$", "")) end

local function by(rows, key)
  local found = {}
  for _, row in ipairs(rows) do
    local name = type(key) == "function" and key(row) or row[key]
    assert(not found[name], "twice: " .. tostring(name))
    found[name] = row
  end
  return found
end

local function same_times(wanted, row, count)
  local name = assert(row, "a row is missing").name
  fixture.same_number(wanted["Total Time (ns)"], row.total_ns, name)
  fixture.same_number(wanted[count], row.count, name)
  fixture.same_number(wanted["Avg (ns)"], row.mean_ns, name)
  fixture.same_number(wanted["Med (ns)"], row.median_ns, name)
  fixture.same_number(wanted["Min (ns)"], row.min_ns, name)
  fixture.same_number(wanted["Max (ns)"], row.max_ns, name)
  fixture.same_number(wanted["StdDev (ns)"], row.stddev_ns, name)
  if wanted["Time (%)"] then fixture.same_number(wanted["Time (%)"], 100 * row.share, name) end
end

describe("summaries of a capture of Nsight Systems", function()
  local data, run

  setup(function()
    data = fixture.new(CAPTURE)
    run = data:run(CAPTURE)
  end)
  teardown(function() data:remove() end)

  local function expected(report) return fixture.expected(("nsys/s_%s.csv"):format(report)) end

  it("has the API calls of cuda_api_sum", function()
    local rows, wanted = run:api():rows(), expected "cuda_api_sum"
    assert.equal(#wanted, #rows)
    local found = by(rows, "name")
    for _, one in ipairs(wanted) do
      same_times(one, found[without_version(one.Name)], "Num Calls")
    end
  end)

  it("has the times of copies of cuda_gpu_mem_time_sum and the sizes of cuda_gpu_mem_size_sum",
    function()
      local answer = run:copies()
      local times = by(answer:frame "time".rows, "name")
      local wanted = expected "cuda_gpu_mem_time_sum"
      assert.equal(#wanted, #answer:frame "time".rows)
      for _, one in ipairs(wanted) do same_times(one, times[one.Operation], "Count") end
      local sizes = by(answer:frame "size".rows, "name")
      wanted = expected "cuda_gpu_mem_size_sum"
      assert.equal(#wanted, #answer:frame "size".rows)
      for _, one in ipairs(wanted) do
        local row = sizes[one.Operation]
        fixture.same_number(one.Count, row.count)
        for title, key in pairs { ["Total (MB)"] = "total_bytes", ["Avg (MB)"] = "mean_bytes",
          ["Med (MB)"] = "median_bytes", ["Min (MB)"] = "min_bytes", ["Max (MB)"] = "max_bytes",
          ["StdDev (MB)"] = "stddev_bytes" } do
          fixture.same_number(one[title], row[key] / 1e6, one.Operation .. " " .. key)
        end
      end
    end)

  it("tells copies by the memory on both sides", function()
    local pageable = 0
    for _, row in ipairs(run:copies({ by = "memory" }):rows()) do
      if row.from_memory == "pageable" then pageable = pageable + row.count end
    end
    assert.equal(#fixture.expected "nsys/a_cuda_memcpy_async.csv", pageable)
  end)

  local CATEGORIES <const> = { CUDA_KERNEL = { kernel = true }, CUDA_API = { api = true },
    MEMORY_OPER = { memcpy = true, memset = true } }

  local function same_gpu(answer, report)
    local rows, wanted = answer:rows(), expected(report)
    assert.equal(#wanted, #rows)
    local found = by(rows, "name")
    for _, one in ipairs(wanted) do
      local row = found[without_version(one.Operation)]
      same_times(one, row, "Instances")
      assert.is_true(CATEGORIES[one.Category][row.category])
    end
  end

  it("has the GPU work of cuda_gpu_sum", function() same_gpu(run:gpu(), "cuda_gpu_sum") end)

  it("has it with the API calls of cuda_api_gpu_sum", function()
    same_gpu(run:gpu { api = true }, "cuda_api_gpu_sum")
  end)

  it("has the launches of cuda_kern_exec_sum", function()
    local rows, wanted = run:launches():rows(), expected "cuda_kern_exec_sum"
    assert.equal(#wanted, #rows)
    local found = by(rows, function(row)
      return table.concat({ row.process, row.thread, row.device, row.call, row.kernel }, " ")
    end)
    for _, one in ipairs(wanted) do
      local key = table.concat({ one.PID, one.TID, "GPU #" .. one.DevId,
        without_version(one["API Name"]), one["Kernel Name"] }, " ")
      local row = assert(found[key], key)
      fixture.same_number(one.Count, row.count, key)
      fixture.same_number(one.QCount, row.queued_count, key)
      for letter, what in pairs { T = "total", A = "call", Q = "queue", K = "kernel" } do
        for title, moment in pairs { Avg = "mean", Med = "median", Min = "min", Max = "max",
          StdDev = "stddev" } do
          -- Of no values nsys prints a deviation of 0; there is none.
          local text = one[letter .. title .. " (ns)"]
          if letter == "Q" and one.QCount == "0" then text = "" end
          fixture.same_number(text, row[what .. "_" .. moment .. "_ns"], key .. " " .. what)
        end
      end
    end
  end)

  it("has the ranges of nvtx_sum and nvtx_pushpop_sum", function()
    for report, options in pairs { nvtx_sum = { names = "whole" },
      nvtx_pushpop_sum = { style = "pushpop", names = "whole" } } do
      local rows, wanted = run:ranges(options):rows(), expected(report)
      assert.equal(#wanted, #rows)
      local found = by(rows, "name")
      for _, one in ipairs(wanted) do
        same_times(one, found[one.Range], "Instances")
        assert.equal(one.Style or "PushPop", found[one.Range].style)
      end
    end
  end)

  it("has the synchronizing calls of cuda_api_sync, and the records behind them", function()
    local sum_ns, count = 0, 0
    for _, one in ipairs(fixture.expected "nsys/a_cuda_api_sync.csv") do
      sum_ns, count = sum_ns + tonumber(one["Duration (ns)"]), count + 1
    end
    local answer = run:syncs()
    local call = answer:frame "calls".rows[1]
    assert.equal("cudaStreamSynchronize", call.name)
    assert.equal(count, call.count)
    assert.equal(sum_ns, call.total_ns)
    local record = by(answer:rows(), "name").stream_synchronize
    assert.equal(count, record.count)
    assert.is_true(record.total_ns < call.total_ns)
  end)

  it("splits by thread, device, stream and process without losing or merging any", function()
    local function total(rows)
      local sum = 0
      for _, row in ipairs(rows) do sum = sum + row.total_ns end
      return sum
    end
    local all = total(run:gpu():rows())
    for _, each in ipairs { "device", "stream", "process" } do
      assert.equal(all, total(run:gpu({ each = each }):rows()))
    end
    local threads = {}
    for _, row in ipairs(run:api({ each = "thread" }):rows()) do threads[row.thread] = true end
    assert.same({ [111] = true, [112] = true }, threads)
  end)

  it("draws the largest rows, called after what they are split by", function()
    for _, name in ipairs { "kernels", "gpu", "api", "copies", "ranges", "projected" } do
      local chart = assert(run[name](run):plot()):svg()
      assert.matches("^<svg", chart)
    end
    assert.matches("GPU #1: ", run:gpu({ each = "device" }):plot():svg(), 1, true)
    assert.is_nil((run:osrt():plot()))
  end)

  it("says which records are missing instead of answering zero", function()
    local out, err, code = data.stores:tandem("osrt", "last")
    assert.equal("", out)
    assert.matches("no rows of category osrt", err, 1, true)
    assert.equal(1, code)
    assert.is_true(run:ranges({ style = "startend" }):abstains())
  end)
end)

describe("summaries of other runs", function()
  local data

  before_each(function() data = fixture.new() end)
  after_each(function() data:remove() end)

  it("sums calls of the operating system's runtime by thread", function()
    local trace = small_trace.new()
    local one, two = trace:thread(1), trace:thread(2)
    trace:add("osrt", one, "poll", 0, 100)
    trace:add("osrt", one, "poll", 200, 500)
    trace:add("osrt", two, "read", 0, 100)
    local run = trace:import(data, "osrt.jsonl")
    local rows = run:osrt():rows()
    assert.equal("poll", rows[1].name)
    assert.equal(400, rows[1].total_ns)
    assert.equal(0.8, rows[1].share)
    assert.equal(2, run:osrt({ each = "thread" }):rows()[2].thread)
  end)

  it("knows the transfers and services of a simulated run, and what it does not have", function()
    local scenario = td.scenario "small" { requests = 50, workload = td.poisson { rps = 20 },
      target = td.gpu "L40" {}, attrs = { size = td.uniform(1, 3) }, pipeline = {
        td.transfer "send" { bytes = "8MiB", on = "h2d" }, td.tokens "infer" { tokens = 100 },
        td.transfer "answer" { on = "d2h", bytes = function(r)
          if r.size > 2 then return 1000 end -- tracing gives up here
          return 2000
        end } } }
    data.stores:keep("a.db", { scenario = scenario })
    local run = assert(data.store:run "last")
    local copies = run:copies()
    assert.equal("send", copies:rows()[1].name)
    assert.equal(50, copies:rows()[1].count)
    assert.equal(50 * 8 * 1024 * 1024, copies:frame "size".rows[1].total_bytes)
    assert.matches("50 of 100 copies do not say their bytes", copies.cannot[1], 1, true)
    local names = {}
    for _, row in ipairs(run:gpu():rows()) do names[row.name] = row.category end
    assert.equal("stage", names.infer)
    for _, name in ipairs { "api", "launches", "ranges", "projected", "range_kernels", "ops",
      "syncs", "osrt" } do
      local answer = run[name](run)
      assert.is_true(answer:abstains(), name)
      assert.matches("no rows of category", answer.cannot[1], 1, true)
    end
  end)

  it("has calls that wait where there are no records of synchronization", function()
    local trace = small_trace.new()
    local host = trace:thread(7)
    trace:add("runtime", host, "cudaDeviceSynchronize", 0, 70, { correlation = 1 })
    trace:add("runtime", host, "cudaMalloc", 80, 90, { correlation = 2 })
    local answer = trace:import(data, "sync.jsonl"):syncs()
    assert.is_false(answer:abstains())
    assert.equal(0, #answer:rows())
    assert.equal("cudaDeviceSynchronize", answer:frame "calls".rows[1].name)
    assert.equal(1, #answer:frame "calls".rows)
    assert.matches("no rows of category sync", answer.cannot[1], 1, true)
  end)
end)
