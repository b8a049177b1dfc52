--- Nodes of CUDA graphs count with the operators that were captured: against TraceLens on vLLM's
--- replays, with captures made as vLLM records them, and on small traces by hand.
local fixture = require "tests.spec.support.analysis_fixture"
local json = require "tandem.io.json"
local small_trace = require "tests.spec.support.small_trace"

-- Kernels of gpt-oss by the beginning of their names, the operator that launches them, and the one
-- around it.
local OPERATORS <const> = {
  { "triton_poi", "triton_poi" }, { "_ZN7ck_tile", "aiter::rms_norm" },
  { "Cijk_", "aten::addmm" }, { "void vllm::rotary", "_C::rotary_embedding" },
  { "void vllm::reshape_and_cache", "_C_cache_ops::reshape_and_cache_flash" },
  { "kernel_unified", "vllm::unified_attention_with_output" },
  { "reduce_segments", "vllm::unified_attention_with_output" },
  { "_topk_forward", "TopK", "vllm::moe_forward" },
  { "_sum_bitmatrix", "TopK", "vllm::moe_forward" },
  { "_combined_routing", "TopK", "vllm::moe_forward" },
  { "_matmul_ogs", "vllm::moe_forward" }, { "_finalize_matmul", "vllm::moe_forward" },
}

local function operator_of(kernel)
  for _, one in ipairs(OPERATORS) do
    if kernel:sub(1, #one[1]) == one[1] then return one[2], one[3] end
  end
  error(kernel)
end

-- Kernels of each launch of a graph, in order.
local function launches(data, run)
  local lists = {}
  for _, call in ipairs(assert(data.store.db:all([[SELECT correlation FROM span WHERE run = ?
      AND name LIKE '%GraphLaunch' ORDER BY start_ns]], run.number))) do
    local names = {}
    for _, row in ipairs(assert(data.store.db:all([[SELECT name FROM span WHERE run = ?
        AND category = 'kernel' AND correlation = ? ORDER BY start_ns]], run.number,
      call.correlation))) do
      names[#names + 1] = row.name
    end
    lists[#lists + 1] = names
  end
  return lists
end

-- A torch profile of captures: each kernel's call inside its operators. `rename` makes those of
-- another batch size, whose kernels have other names.
local function capture_text(lists, rename)
  local events, at, id = {}, 1000.0, 0
  local function add(category, name, from, to, args)
    id = id + 1
    args = args or {}
    args[category == "cpu_op" and "External id" or "correlation"] = id
    events[#events + 1] = { ph = "X", cat = category, name = name, pid = 1, tid = 1, ts = from,
      dur = to - from, args = args }
  end
  local function capture(names, suffix)
    add("cuda_runtime", "hipStreamBeginCapture", at, at + 2)
    at = at + 5
    for _, name in ipairs(names) do
      local operator, around = operator_of(name)
      if around then add("cpu_op", around, at, at + 10) end
      add("cpu_op", suffix ~= "" and operator .. "_other" or operator, at + 1, at + 9)
      add("cuda_runtime", "hipModuleLaunchKernel", at + 2, at + 6, { kernel = name .. suffix })
      at = at + 20
    end
    add("cuda_runtime", "hipStreamEndCapture", at, at + 2)
    at = at + 10
  end
  for _, names in ipairs(lists) do
    if rename then capture(names, rename) end
    capture(names, "")
  end
  return json.encode { schemaVersion = 1, traceEvents = events }
end

describe("operators of graphs that were captured in another file", function()
  local data
  before_each(function() data = fixture.new() end)
  after_each(function() data:remove() end)

  -- TraceLens has 7.17 ms for what vllm::moe_forward launches itself in the first.
  for title, moe_ns in pairs { vllm_decode_full = 7.1715e6,
    vllm_prefilldecode_piecewise = false } do
    it("have the GPU time that TraceLens gives them: " .. title, function()
      local file = ("tests/data/kineto/inference__%s__graph_execution.json.gz"):format(title)
      assert.equal(0, select(3, data.stores:tandem("import", file)))
      local alone = data:run(file)
      local capture = data.stores:write("capture.json", capture_text(launches(data, alone), "_x"))
      local _, err, code = data.stores:tandem("import", capture, file, "--align", "none",
        "--name", "both")
      assert(code == 0, err)
      local ops, found = data:run("both"):ops(), {}
      for _, row in ipairs(ops:rows()) do found[row.name] = row end
      local wanted = {}
      for _, one in ipairs(fixture.expected(
        ("kineto/inference__%s__perf_csvs__ops_summary_by_category.csv"):format(title))) do
        if one.parent_module:find "GraphModule" then
          wanted[one["op category"]] = 1e6 * tonumber(one.total_direct_kernel_time_ms)
        end
      end
      local function near(category, ns)
        assert.near(wanted[category], ns, 1e-4 * wanted[category], category) -- quarters of µs
      end
      near("RMSNorm", found["aiter::rms_norm"].gpu_self_ns)
      near("GEMM", found["aten::addmm"].gpu_self_ns)
      near("triton", found.triton_poi.gpu_self_ns)
      near("other", found["vllm::moe_forward"].gpu_total_ns
        + found["_C::rotary_embedding"].gpu_self_ns)
      if moe_ns then
        assert.near(moe_ns, found["vllm::moe_forward"].gpu_self_ns, 100)
        near("InferenceAttention", found["_C_cache_ops::reshape_and_cache_flash"].gpu_self_ns
          + found["vllm::unified_attention_with_output"].gpu_self_ns)
      end
      assert.equal(0, found["aten::addmm_other"].gpu_self_ns)
      assert.matches("GPU operations of graph launches count with the operators", ops.basis[2],
        1, true)
    end)
  end
end)

describe("a captured graph", function()
  local data
  before_each(function() data = fixture.new() end)
  after_each(function() data:remove() end)

  -- Captured: outer { mm { k } copy { c } }; replayed twice inside "replay", whose nodes begin
  -- in the other order, but are numbered.
  local function capture(trace, host, at, shape)
    trace:add("runtime", host, "cudaStreamBeginCapture", at, at + 2, { correlation = at })
    trace:add("cpu_op", host, "outer", at + 4, at + 40, { ["Input Dims"] = "[]", external_id = at })
    trace:add("cpu_op", host, "aten::mm", at + 5, at + 15, { ["Input Dims"] = shape,
      external_id = at + 1 })
    trace:add("runtime", host, "cudaLaunchKernel", at + 6, at + 10, { correlation = at + 1 })
    trace:add("driver", host, "cuLaunchKernel", at + 7, at + 9, { correlation = at + 2 })
    trace:add("cpu_op", host, "aten::copy_", at + 20, at + 30, { ["Input Dims"] = "[[3]]",
      external_id = at + 2 })
    trace:add("runtime", host, "cudaMemcpyAsync", at + 21, at + 25, { correlation = at + 3 })
    trace:add("runtime", host, "cudaStreamEndCapture", at + 50, at + 52, { correlation = at + 4 })
  end

  local function replay(trace, host, gpu, at)
    trace:add("cpu_op", host, "replay", at, at + 20, { ["Input Dims"] = "[]", external_id = at })
    trace:add("runtime", host, "cudaGraphLaunch", at + 5, at + 15, { correlation = at })
    trace:add("memcpy", gpu, "Memcpy DtoD", at + 20, at + 23, { correlation = at, graph_node = 2 })
    trace:add("kernel", gpu, "gemm", at + 30, at + 40, { correlation = at, graph_node = 1 })
  end

  local SHAPE <const> = "[[4, 8], [8, 16]]"

  local function rows_of(answer)
    local found = {}
    for _, row in ipairs(answer:rows()) do found[row.name] = row end
    return found
  end

  it("gives each operator its node of every launch, and the launching one its total", function()
    local trace = small_trace.new()
    local host, gpu = trace:thread(7), trace:stream(1)
    capture(trace, host, 1000, SHAPE)
    for i = 0, 1 do replay(trace, host, gpu, 5000 + 100 * i) end
    local run = trace:import(data, "graph.jsonl")
    local found = rows_of(run:ops())
    assert.same({ 20, 20, 2 }, { found["aten::mm"].gpu_self_ns, found["aten::mm"].gpu_total_ns,
      found["aten::mm"].gpu_ops })
    assert.same({ 6, 0, 26 }, { found["aten::copy_"].gpu_self_ns, found.outer.gpu_self_ns,
      found.outer.gpu_total_ns })
    assert.same({ 0, 26 }, { found.replay.gpu_self_ns, found.replay.gpu_total_ns })
  end)

  it("counts the operator's FLOPs with each launch", function()
    local trace = small_trace.new()
    local host, gpu = trace:thread(7), trace:stream(1)
    capture(trace, host, 1000, SHAPE)
    for i = 0, 2 do replay(trace, host, gpu, 5000 + 100 * i) end
    local counts = {}
    for _, row in ipairs(trace:import(data, "graph.jsonl"):roofline():frame "shapes".rows) do
      counts[row.name] = { row.count, row.gpu_ns }
    end
    assert.same({ 3, 30 }, counts["aten::mm"])
  end)

  it("is not told where captures of other shapes fit as well", function()
    local trace = small_trace.new()
    local host, gpu = trace:thread(7), trace:stream(1)
    capture(trace, host, 1000, SHAPE)
    capture(trace, host, 2000, "[[2, 8], [8, 16]]")
    replay(trace, host, gpu, 5000)
    local run = trace:import(data, "graph.jsonl")
    assert.equal(10, rows_of(run:ops())["aten::mm"].gpu_self_ns) -- one operator, whatever its shape
    local answer = run:roofline()
    for _, row in ipairs(answer:frame "shapes".rows) do
      assert.not_equal("aten::mm", row.name)
    end
    assert.matches("1 launches of graphs have no operators: several captures fit", table.concat(
      answer.basis, "\n"), 1, true)
  end)

  it("is not one of more calls, of other kinds, or of another rank", function()
    local longer = small_trace.new()
    local host, gpu = longer:thread(7), longer:stream(1)
    capture(longer, host, 1000, SHAPE)
    replay(longer, host, gpu, 5000)
    longer:add("kernel", gpu, "gemm", 5050, 5060, { correlation = 5000, graph_node = 3 })
    assert.equal(0, rows_of(longer:import(data, "longer.jsonl"):ops())["aten::mm"].gpu_self_ns)

    local other = small_trace.new()
    host, gpu = other:thread(7), other:stream(1)
    capture(other, host, 1000, SHAPE)
    other:add("runtime", host, "cudaGraphLaunch", 5005, 5015, { correlation = 5000 })
    other:add("memcpy", gpu, "Memcpy", 5020, 5023, { correlation = 5000, graph_node = 1 })
    other:add("kernel", gpu, "gemm", 5030, 5040, { correlation = 5000, graph_node = 2 })
    assert.equal(0, rows_of(other:import(data, "other.jsonl"):ops())["aten::mm"].gpu_self_ns)

    for rank, wanted in pairs { [0] = 10, [1] = 0 } do
      local a, b = small_trace.new { path = "a", rank = 0 }, small_trace.new { path = "b",
        rank = rank }
      capture(a, a:thread(7), 1000, SHAPE)
      replay(b, b:thread(7, 8), b:stream(1, 0, 8), 5000)
      local _, err, code = data.stores:tandem("import", a:write(data, "a.jsonl"),
        b:write(data, "b.jsonl"), "--align", "none", "--name", "rank" .. rank)
      assert(code == 0, err)
      assert.equal(wanted, rows_of(data:run("rank" .. rank):ops())["aten::mm"].gpu_self_ns)
    end
  end)
end)
