--- Ranges projected onto GPUs and kernels by range: against Nsight Systems on a capture, and
--- against a count over all pairs on traces made at random.
local fixture = require "tests.spec.support.analysis_fixture"
local small_trace = require "tests.spec.support.small_trace"

local CAPTURE <const> = "nsys/h100_2gpu_1s.sqlite.gz"

describe("ranges of a capture of Nsight Systems on the GPU", function()
  local data, run

  setup(function()
    data = fixture.new(CAPTURE)
    run = data:run(CAPTURE)
  end)
  teardown(function() data:remove() end)

  it("have the projections of nvtx_gpu_proj_sum", function()
    local rows = run:projected({ names = "whole" }):rows()
    local wanted = fixture.expected "nsys/s_nvtx_gpu_proj_sum.csv"
    assert.equal(#wanted, #rows)
    local found = {}
    for _, row in ipairs(rows) do found[row.name] = row end
    local columns = { ["Total Proj Time (ns)"] = "total_ns", ["Total Range Time (ns)"] = "range_ns",
      ["Range Instances"] = "count", ["Proj Avg (ns)"] = "mean_ns", ["Proj Med (ns)"] = "median_ns",
      ["Proj Min (ns)"] = "min_ns", ["Proj Max (ns)"] = "max_ns",
      ["Proj StdDev (ns)"] = "stddev_ns", ["Total GPU Ops"] = "gpu_ops",
      ["Avg GPU Ops"] = "mean_gpu_ops", ["Avg Range Lvl"] = "mean_level",
      ["Avg Num Child"] = "mean_children" }
    for _, one in ipairs(wanted) do
      local row = assert(found[one.Range], one.Range)
      assert.equal(one.Style, row.style)
      for title, key in pairs(columns) do
        fixture.same_number(one[title], row[key], one.Range .. " " .. key)
      end
    end
  end)

  it("have the kernels of nvtx_kern_sum", function()
    local rows = run:range_kernels({ names = "whole" }):rows()
    local wanted = fixture.expected "nsys/s_nvtx_kern_sum.csv"
    assert.equal(#wanted, #rows)
    local found = {}
    for _, row in ipairs(rows) do
      found[("%s|%s|%s|%s"):format(row.range or "", row.process or "", row.thread or "",
        row.kernel)] = row
    end
    local columns = { ["NVTX Inst"] = "range_count", ["Kern Inst"] = "count",
      ["Total Time (ns)"] = "total_ns", ["Avg (ns)"] = "mean_ns", ["Med (ns)"] = "median_ns",
      ["Min (ns)"] = "min_ns", ["Max (ns)"] = "max_ns", ["StdDev (ns)"] = "stddev_ns" }
    for _, one in ipairs(wanted) do
      local key = ("%s|%s|%s|%s"):format(one["NVTX Range"], one.PID, one.TID, one["Kernel Name"])
      local row = assert(found[key], key)
      for title, column in pairs(columns) do
        fixture.same_number(one[title], row[column], key .. " " .. column)
      end
    end
  end)

  it("are projected onto each device apart", function()
    local alone = {}
    for _, row in ipairs(run:projected({ device = 0, names = "whole" }):rows()) do
      alone[row.name] = row
    end
    local seen = 0
    for _, row in ipairs(run:projected({ each = "device", names = "whole" }):rows()) do
      if row.device == "GPU #0" then
        seen = seen + 1
        for _, key in ipairs { "total_ns", "count", "gpu_ops", "mean_children", "mean_level" } do
          assert.equal(alone[row.name][key], row[key], row.name .. " " .. key)
        end
        alone[row.name] = nil
      end
    end
    assert.is_true(seen > 1000)
    assert.is_nil(next(alone))
  end)
end)

-- Ranges that nest on a thread: a random tree in [from, to], each with its level and parent.
local function grow(random, ranges, thread, from, to, parent)
  local at = from + random(0, 20)
  while to - at > 40 do
    local stop = math.min(to, at + random(20, math.max(20, (to - at) // 2)))
    local range = { thread = thread, start = at, stop = stop, parent = parent,
      level = parent and parent.level + 1 or 0, name = "range " .. random(1, 6), nests = true }
    ranges[#ranges + 1] = range
    if stop - at > 60 and range.level < 5 then grow(random, ranges, thread, at, stop, range) end
    at = stop + random(0, 30)
  end
end

-- Calls of each thread, one after the other, and what they launch on two devices.
local function launch(random, calls, thread, to)
  local at = random(0, 10)
  while at < to do
    local call = { thread = thread, start = at, stop = at + random(1, 12), ops = {} }
    for k = 1, random(0, 2) do
      local start = call.start + random(5, 400)
      call.ops[k] = { start = start, stop = start + random(0, 50), device = random(0, 1) }
    end
    calls[#calls + 1] = call
    at = call.stop + random(0, 6)
  end
end

local function inside(range, call)
  if range.thread ~= call.thread or call.start < range.start then return false end
  if range.nests then return call.stop <= range.stop end
  return call.start <= range.stop
end

-- What one range is on a device (nil: on all of them), counted over all calls.
local function projection(range, calls, device)
  local first, last, ops
  for _, call in ipairs(calls) do
    if inside(range, call) then
      for _, op in ipairs(call.ops) do
        if device == nil or device == op.device then
          first = math.min(first or op.start, op.start)
          last = math.max(last or op.stop, op.stop)
          ops = (ops or 0) + 1
        end
      end
    end
  end
  return ops and { ns = last - first, ops = ops }
end

local function summed(ranges, calls, device)
  local sums = {}
  for _, range in ipairs(ranges) do
    local found = projection(range, calls, device)
    if found then
      local key = (range.nests and "PushPop " or "StartEnd ") .. range.name
      local sum = sums[key] or { total = 0, count = 0, ops = 0, level = 0, children = 0 }
      sums[key] = sum
      sum.total, sum.count = sum.total + found.ns, sum.count + 1
      sum.ops, sum.level = sum.ops + found.ops, sum.level + range.level
      if range.parent then
        local above = (range.parent.nests and "PushPop " or "StartEnd ") .. range.parent.name
        sums[above] = sums[above] or { total = 0, count = 0, ops = 0, level = 0, children = 0 }
        sums[above].children = sums[above].children + 1
      end
    end
  end
  return sums
end

local function same(sums, rows)
  local left = 0
  for _ in pairs(sums) do left = left + 1 end
  assert.equal(left, #rows)
  for _, row in ipairs(rows) do
    local sum = assert(sums[row.style .. " " .. row.name], row.name)
    assert.same({ sum.total, sum.count, sum.ops },
      { row.total_ns, row.count, row.gpu_ops }, row.name)
    assert.is_true(math.abs(sum.level / sum.count - row.mean_level) < 1e-9)
    assert.is_true(math.abs(sum.children / sum.count - row.mean_children) < 1e-9)
  end
end

describe("ranges of traces made at random", function()
  local data

  before_each(function() data = fixture.new() end)
  after_each(function() data:remove() end)

  it("have what a count over all pairs of range and call has", function()
    math.randomseed(7)
    local random = math.random
    for round = 1, 3 do
      local ranges, calls, trace, correlation = {}, {}, small_trace.new(), 0
      local streams = { [0] = trace:stream(7, 0), trace:stream(9, 1) }
      for thread = 1, 2 do
        local track = trace:thread(thread)
        local before, first = #ranges, #calls
        grow(random, ranges, thread, 0, 3000)
        launch(random, calls, thread, 3000)
        for _ = 1, 8 do
          local start = random(0, 2500)
          ranges[#ranges + 1] = { thread = thread, start = start, level = 0, nests = false,
            stop = start + random(1, 500), name = "free " .. random(1, 3) }
        end
        for i = before + 1, #ranges do
          local range = ranges[i]
          trace:add("nvtx", track, range.name, range.start, range.stop, nil,
            not range.nests and "async" or nil)
        end
        for i = first + 1, #calls do
          correlation = correlation + 1
          local call = calls[i]
          trace:add("runtime", track, "launch", call.start, call.stop,
            { correlation = correlation })
          for _, op in ipairs(call.ops) do
            trace:add("kernel", streams[op.device], "kernel", op.start, op.stop,
              { correlation = correlation })
          end
        end
      end
      local run = trace:import(data, ("random%d.jsonl"):format(round))
      same(summed(ranges, calls), run:projected():rows())
      local rows = { ["GPU #0"] = {}, ["GPU #1"] = {} }
      for _, row in ipairs(run:projected({ each = "device", names = "whole" }):rows()) do
        table.insert(rows[row.device], row)
      end
      same(summed(ranges, calls, 0), rows["GPU #0"])
      same(summed(ranges, calls, 1), rows["GPU #1"])
    end
  end)

  it("have what Kineto itself projects of an annotation", function()
    local name = "kineto/h100__gaunernst_bert-small-uncased__1016001.json.gz"
    assert.equal(0, select(3, data.stores:tandem("import", "tests/data/" .. name)))
    local run = data:run(name)
    local theirs = assert(run.store.db:one([[SELECT name, sum(dur_ns) AS dur_ns FROM span
      WHERE run = run('last') AND category = 'gpu_user_annotation']]))
    local ours = run:projected({ each = "stream", names = "whole" }):rows()[1]
    assert.equal(theirs.name, ours.name)
    assert.is_true(math.abs(theirs.dur_ns - ours.total_ns) < 10) -- they are rounded doubles
  end)

  it("take a range that crosses another for one that stands alone", function()
    local trace = small_trace.new()
    local host, gpu = trace:thread(7), trace:stream(1)
    trace:add("nvtx", host, "first", 0, 100)
    trace:add("nvtx", host, "crossing", 50, 150)
    for i, start in ipairs { 10, 60, 120 } do
      trace:add("runtime", host, "launch", start, start + 5, { correlation = i })
      trace:add("kernel", gpu, "k", 1000 * i, 1000 * i + 10, { correlation = i })
    end
    local run, found = trace:import(data, "crossing.jsonl"), {}
    for _, row in ipairs(run:projected({ names = "whole" }):rows()) do found[row.name] = row end
    assert.same({ 2, 1010, 0 },
      { found.first.gpu_ops, found.first.total_ns, found.first.mean_children })
    assert.same({ 2, 1010 }, { found.crossing.gpu_ops, found.crossing.total_ns })
    assert.matches("1 ranges that do not nest", run:range_kernels().cannot[1], 1, true)
  end)

  it("tell domains of one name apart", function()
    local trace = small_trace.new()
    local host, gpu = trace:thread(7), trace:stream(1)
    for i, domain in ipairs { "NCCL", "cuBLAS" } do
      trace:add("nvtx", host, "step", 100 * i, 100 * i + 50, { domain = domain })
      trace:add("runtime", host, "launch", 100 * i + 1, 100 * i + 2, { correlation = i })
      trace:add("kernel", gpu, "k", 1000 * i, 1000 * i + i, { correlation = i })
    end
    local run = trace:import(data, "domains.jsonl")
    for _, name in ipairs { "ranges", "projected", "range_kernels" } do
      local rows = run[name](run):rows()
      assert.equal(2, #rows)
      assert.are_not.equal(rows[1].domain, rows[2].domain)
    end
  end)

  it("are not answered without calls that say what they launched", function()
    local trace = small_trace.new()
    local host, gpu = trace:thread(7), trace:stream(1)
    trace:add("nvtx", host, "step", 0, 100)
    trace:add("kernel", gpu, "k", 10, 20, { correlation = 1 })
    local answer = trace:import(data, "uncalled.jsonl"):projected()
    assert.is_true(answer:abstains())
    assert.matches("no GPU work has an API call of the same correlation", answer.cannot[1], 1, true)
  end)
end)
