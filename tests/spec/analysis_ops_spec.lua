--- Operators of torch profiles: against TraceLens on the same traces, and on a small one by hand.
local fixture = require "tests.spec.support.analysis_fixture"
local random_scenarios = require "tests.spec.support.random_scenarios"
local small_trace = require "tests.spec.support.small_trace"

-- Traces with the kernels of each operator, and the operators of each category, as TraceLens has
-- them. Its times: it adds and subtracts microseconds since 1970 as doubles, which keeps a quarter
-- of a microsecond; ours are exact.
local TRACES <const> = {
  h100__gaunernst_bert = "h100__gaunernst_bert-small-uncased__1016001",
  h100__Qwen = "h100__Qwen_Qwen1.5-0.5B-Chat__1016005",
  mi300__Qwen = "mi300__Qwen_Qwen1.5-0.5B-Chat__1016005",
  torch_compile_triton = "torch_compile_triton__trace",
}

-- The operators without a kernel: copies only. TraceLens calls their category "other".
local OTHER <const> = { ["aten::_local_scalar_dense"] = true }

describe("operators of a torch profile", function()
  local data

  before_each(function() data = fixture.new() end)
  after_each(function() data:remove() end)

  for title, name in pairs(TRACES) do
    it(("have the kernels and categories of TraceLens: %s"):format(title), function()
      local file = ("kineto/%s.json.gz"):format(name)
      local _, err, code = data.stores:tandem("import", "tests/data/" .. file)
      assert(code == 0, err)
      local run = data:run(file)
      local category_of, found = {}, {}
      for _, row in ipairs(run:ops({ each = "stream" }):frame "kernels".rows) do
        found[("%s|%s|%s"):format(row.op or "", row.kernel, row.stream)] = row
      end
      for _, one in ipairs(fixture.expected(("kineto/%s_perf_report_csvs__kernel_summary.csv")
        :format(name))) do
        local key = ("%s|%s|stream %s"):format(one["Parent cpu_op"], one["Kernel name"],
          one["Kernel stream"])
        local row = assert(found[key], key)
        category_of[one["Parent cpu_op"]] = one["Parent op category"]
        assert.equal(one["Kernel duration (µs)_count"], ("%d"):format(row.count))
        for column, value in pairs { sum = row.total_ns, mean = row.mean_ns, min = row.min_ns,
          max = row.max_ns } do
          local wanted = tonumber(one[("Kernel duration (µs)_%s"):format(column)]) * 1e3
          assert.is_true(math.abs(wanted - value) < 0.01, key .. " " .. column)
        end
      end
      local sums = {}
      for _, row in ipairs(run:ops():rows()) do
        if row.launching > 0 then
          local category = category_of[row.name] or assert(OTHER[row.name], row.name) and "other"
          local sum = sums[category] or { count = 0, ns = 0, ops = 0 }
          sums[category] = sum
          sum.count, sum.ns, sum.ops = sum.count + row.launching, sum.ns + row.gpu_self_ns,
            sum.ops + row.gpu_ops
        end
      end
      for _, one in ipairs(fixture.expected(
        ("kineto/%s_perf_report_csvs__ops_summary_by_category.csv"):format(name))) do
        local sum = assert(sums[one["op category"]], one["op category"])
        assert.equal(one.Count, ("%d"):format(sum.count))
        local wanted_ns = tonumber(one.total_direct_kernel_time_ms) * 1e6
        assert.is_true(math.abs(wanted_ns - sum.ns) <= 250 * sum.ops, one["op category"])
        sums[one["op category"]] = nil
      end
      assert.is_nil(next(sums))
    end)
  end

  -- Kernels that a graph replays have no operator in these files: TraceLens gives them those of the
  -- captures' files, which analysis_captured_spec makes. The sums agree.
  for title, trace in pairs { ["xdit_sd_3.5"] = "profile_trace_rank_0",
    sglang_decode = "sglang_Qwen3-8B_decode", vllm_decode_full = "graph_execution",
    vllm_prefilldecode_piecewise = "graph_execution" } do
    it(("have the total of TraceLens, replayed graphs apart: %s"):format(title), function()
      local file = ("kineto/inference__%s__%s.json.gz"):format(title, trace)
      local _, err, code = data.stores:tandem("import", "tests/data/" .. file)
      assert(code == 0, err)
      local answer = data:run(file):ops()
      local sum_ns, count, alone_ns, wanted_ns, wanted_count = 0, 0, 0, 0, 0
      for _, row in ipairs(answer:rows()) do
        sum_ns, count = sum_ns + row.gpu_self_ns, count + row.launching
      end
      for _, row in ipairs(answer:frame "kernels".rows) do
        if not row.op then alone_ns = alone_ns + row.total_ns end
      end
      for _, one in ipairs(fixture.expected(
        ("kineto/inference__%s__perf_csvs__ops_summary_by_category.csv"):format(title))) do
        wanted_ns = wanted_ns + 1e6 * tonumber(one.total_direct_kernel_time_ms)
        wanted_count = wanted_count + tonumber(one.Count)
      end
      assert.is_true(math.abs(wanted_ns - sum_ns - alone_ns) < 1e-5 * wanted_ns)
      if title == "xdit_sd_3.5" then
        assert.same({ wanted_count, 0 }, { count, alone_ns })
      else
        assert.is_true(count < wanted_count and alone_ns > 0)
      end
    end)
  end

  -- outer 0–100 { inner 10–60 { launch of k1 } launch of k2 }, then k3 by external id alone
  local function nested()
    local trace = small_trace.new()
    local host, gpu = trace:thread(7), trace:stream(1)
    trace:add("cpu_op", host, "outer", 0, 100, { external_id = 1 })
    trace:add("cpu_op", host, "inner", 10, 60, { external_id = 2 })
    trace:add("runtime", host, "cudaLaunchKernel", 20, 30, { correlation = 11 })
    trace:add("runtime", host, "cudaLaunchKernel", 70, 80, { correlation = 12 })
    trace:add("kernel", gpu, "k1", 200, 205, { correlation = 11, external_id = 2 })
    trace:add("kernel", gpu, "k2", 210, 217, { correlation = 12, external_id = 1 })
    trace:add("kernel", gpu, "k3", 220, 231, { correlation = 13, external_id = 2 })
    trace:add("kernel", gpu, "k4", 240, 253, { correlation = 14, external_id = 0 })
    return trace:import(data, "nested.jsonl")
  end

  it("have their own time and that of those inside them, on the host and on the GPU", function()
    local answer, found = nested():ops(), {}
    for _, row in ipairs(answer:rows()) do found[row.name] = row end
    local outer, inner = found.outer, found.inner
    assert.same({ 100, 50, 7, 7 + 5 + 11, 1, 1 }, { outer.total_ns, outer.self_ns,
      outer.gpu_self_ns, outer.gpu_total_ns, outer.launching, outer.gpu_ops })
    assert.same({ 50, 50, 16, 16, 1, 2 }, { inner.total_ns, inner.self_ns, inner.gpu_self_ns,
      inner.gpu_total_ns, inner.launching, inner.gpu_ops })
    assert.matches("3 of 4 GPU operations were launched in an operator, 1 of them told by external",
      answer.basis[1], 1, true)
  end)

  it("leave kernels of no operator a row without one", function()
    for _, row in ipairs(nested():ops():frame "kernels".rows) do
      assert.equal(row.kernel == "k4", row.op == nil)
    end
  end)

  it("of one trace each have their thread, and none is counted twice", function()
    local trace = small_trace.new()
    for thread = 1, 3 do
      trace:add("cpu_op", trace:thread(thread), "op", 0, 10 * thread, { external_id = thread })
    end
    local run = trace:import(data, "threads.jsonl")
    assert.equal(60, run:ops():rows()[1].total_ns)
    local rows = run:ops({ each = "thread" }):rows()
    assert.equal(3, #rows)
    for _, row in ipairs(rows) do assert.equal(10 * row.thread, row.total_ns) end
  end)

  -- sum 0–100 { mean 10–90 { sum 20–80 { launch } launch } }, another sum 200–230 { launch }, and
  -- on another thread at the same time sum 0–40 { launch }.
  it("count recursion once in totals, every call in count and in own time", function()
    local trace = small_trace.new()
    local host, other, gpu = trace:thread(7), trace:thread(8), trace:stream(1)
    local function launch(thread, at, correlation, took)
      trace:add("runtime", thread, "cudaLaunchKernel", at, at + 5, { correlation = correlation })
      trace:add("kernel", gpu, "k", 1000 + 100 * correlation, 1000 + 100 * correlation + took,
        { correlation = correlation })
    end
    trace:add("cpu_op", host, "sum", 0, 100)
    trace:add("cpu_op", host, "mean", 10, 90)
    trace:add("cpu_op", host, "sum", 20, 80)
    launch(host, 30, 1, 10)
    launch(host, 82, 2, 20)
    trace:add("cpu_op", host, "sum", 200, 230)
    launch(host, 210, 3, 40)
    trace:add("cpu_op", other, "sum", 0, 40)
    launch(other, 20, 4, 7)
    local found = {}
    for _, row in ipairs(trace:import(data, "recursive.jsonl"):ops():rows()) do
      found[row.name] = row
    end
    local sum, mean = found.sum, found.mean
    assert.same({ 100 + 30 + 40, 20 + 60 + 30 + 40, 10 + 20 + 40 + 7, 10 + 40 + 7 },
      { sum.total_ns, sum.self_ns, sum.gpu_total_ns, sum.gpu_self_ns })
    assert.same({ 4, 3, (100 + 30 + 40) / 3, 3 },
      { sum.count, sum.outermost, sum.mean_ns, sum.gpu_ops })
    assert.same({ 80, 20, 30, 20, 1, 1 }, { mean.total_ns, mean.self_ns, mean.gpu_total_ns,
      mean.gpu_self_ns, mean.count, mean.outermost })
  end)

  -- A sum that outlasts the operator it began in is in nothing, and what follows is not in it.
  it("take no operator for recursive that outlasts the one it began in", function()
    local trace = small_trace.new()
    local host = trace:thread(7)
    trace:add("cpu_op", host, "sum", 0, 50)
    trace:add("cpu_op", host, "sum", 40, 100)
    trace:add("cpu_op", host, "sum", 45, 48)
    trace:add("cpu_op", host, "sum", 60, 70)
    local row = trace:import(data, "loose.jsonl"):ops():rows()[1]
    assert.same({ 50 + 60 + 10, 4, 3 }, { row.total_ns, row.count, row.outermost })
  end)

  -- By definition: a call is in the innermost operator that lasts from its begin to its end; one
  -- without a duration in what goes on beyond it, or has none either. A launch's kernel takes as
  -- many nanoseconds as its number says.
  it("have the calls in them that share their bounds, with and without a duration", function()
    local trace, random = small_trace.new(), random_scenarios.new(7)
    local host, gpu, number = trace:thread(7), trace:stream(1), 0
    local ops, wanted = {}, {}
    local function nest(name, from, to, depth)
      local at, child = from, 0
      while depth < 4 do
        local start = at + random:int(0, 2)
        local stop = start + random:int(0, 5)
        if stop > to then return end
        if stop - start < to - from then
          child = child + 1
          local op = { name = name .. "." .. child, from = start, to = stop, depth = depth }
          ops[#ops + 1] = op
          trace:add("cpu_op", host, op.name, start, stop)
          nest(op.name, start, stop, depth + 1)
        end
        at = stop + 1
      end
    end
    local function around(from, to)
      local found
      for _, op in ipairs(ops) do
        local beyond = op.to > to or op.to == to and (from < to or op.from == from)
        local deeper = not found or op.depth > found.depth
        if op.from <= from and beyond and deeper then found = op end
      end
      return found
    end
    for case = 1, 40 do
      ops = {}
      nest("of" .. case, 100 * case, 100 * case + 12, 0)
      for _ = 1, 12 do
        local from = 100 * case + random:int(0, 12)
        local to = from + random:int(0, 2)
        number = number + 1
        trace:add("runtime", host, "cudaLaunchKernel", from, to, { correlation = number })
        trace:add("kernel", gpu, "k", 1000 * (number + 100), 1000 * (number + 100) + number,
          { correlation = number })
        local op = around(from, to)
        if op then wanted[op.name] = (wanted[op.name] or 0) + number end
      end
    end
    for _, row in ipairs(trace:import(data, "bounds.jsonl"):ops():rows()) do
      assert.equal(wanted[row.name] or 0, row.gpu_self_ns, row.name)
      wanted[row.name] = nil
    end
    assert.is_nil(next(wanted))
  end)

  -- By another way than the sweep: on each thread the union of a name's intervals; of GPU work the
  -- names of all operators that its call lies in, each once.
  it("of a real trace have the union of their intervals as totals", function()
    local file = "kineto/nccl_parser_config__nccl_data.json.gz"
    local _, err, code = data.stores:tandem("import", "tests/data/" .. file)
    assert(code == 0, err)
    local run = data:run(file)
    local ops = data.store.db:all([[SELECT track, name, start_ns, end_ns FROM span
      WHERE run = ? AND category = 'cpu_op' ORDER BY start_ns, end_ns DESC]], run.number)
    local union, reached, of_track = {}, {}, {}
    for _, op in ipairs(ops) do
      local key = op.track .. "|" .. op.name
      local from = math.max(op.start_ns, reached[key] or op.start_ns)
      union[op.name] = (union[op.name] or 0) + math.max(0, op.end_ns - from)
      reached[key] = math.max(op.end_ns, reached[key] or op.end_ns)
      of_track[op.track] = of_track[op.track] or {}
      table.insert(of_track[op.track], op)
    end
    local call_of, on_gpu = {}, {}
    local launched = data.store.db:all([[SELECT category, track, start_ns, end_ns, dur_ns,
      correlation FROM span WHERE run = ? AND correlation IS NOT NULL ORDER BY start_ns]],
      run.number)
    for _, one in ipairs(launched) do
      if one.category == "runtime" or one.category == "driver" then
        call_of[one.correlation] = call_of[one.correlation] or one
      end
    end
    local WORK <const> = { kernel = true, memcpy = true, memset = true }
    for _, one in ipairs(launched) do
      local call, names = WORK[one.category] and call_of[one.correlation], {}
      for _, op in ipairs(call and of_track[call.track] or {}) do
        if op.start_ns > call.start_ns then break end
        if op.end_ns >= call.end_ns and not names[op.name] then
          names[op.name] = true
          on_gpu[op.name] = (on_gpu[op.name] or 0) + one.dur_ns
        end
      end
    end
    local recursive = 0
    for _, row in ipairs(run:ops():rows()) do
      assert.same({ row.name, union[row.name], on_gpu[row.name] or 0 },
        { row.name, row.total_ns, row.gpu_total_ns })
      if row.outermost < row.count then recursive = recursive + 1 end
    end
    assert.is_true(recursive >= 2)
  end)
end)
