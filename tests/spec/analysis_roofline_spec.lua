-- Rooflines: formulas against numbers worked out by hand, and a real capture against its own JSON,
-- read here without a store.
local cjson = require "cjson"
local fixture = require "tests.spec.support.analysis_fixture"
local kernel_type = require "tandem.analysis.kernel_type"
local nsys = require "tests.accuracy.planted.nsys"
local operator_work = require "tandem.analysis.operator_work"
local small_trace = require "tests.spec.support.small_trace"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local FILE <const> = "kineto/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"
-- Of the H100 SXM's data sheet.
local PEAK <const>, BANDWIDTH <const> = 989.4e12, 3350e9

local function of(name, dims, types, concrete)
  return operator_work.of(name, cjson.encode(dims), cjson.encode(types),
    concrete and cjson.encode(concrete))
end

describe("what an operator must do", function()
  local BF16 <const>, FLOAT <const> = "c10::BFloat16", "float"

  it("is known of products", function()
    local made = of("aten::mm", { { 3, 5 }, { 5, 7 } }, { FLOAT, FLOAT })
    assert.same({ kind = "gemm", flops = 210, bytes = 4 * (15 + 35 + 21), type = FLOAT }, made)
    made = of("aten::addmm", { { 7 }, { 3, 5 }, { 5, 7 } }, { BF16, BF16, BF16 })
    assert.same({ 210, 2 * (7 + 15 + 35 + 21) }, { made.flops, made.bytes })
    made = of("aten::bmm", { { 2, 3, 5 }, { 2, 5, 7 } }, { FLOAT, FLOAT })
    assert.same({ 420, 8 * (15 + 35 + 21) }, { made.flops, made.bytes })
    made = of("aten::linear", { { 2, 3, 5 }, { 7, 5 }, {} }, { FLOAT, FLOAT, "" })
    assert.same({ 420, 4 * (30 + 35 + 42) }, { made.flops, made.bytes })
    made = of("aten::_scaled_mm", { { 3, 5 }, { 5, 7 } },
      { "c10::Float8_e4m3fn", "c10::Float8_e4m3fn" })
    assert.same({ 210, 15 + 35 + 42 }, { made.flops, made.bytes })
  end)

  it("is known of convolutions and their gradients", function()
    -- 8 × 8, kernel 3, padding 1, stride 2: 4 × 4; two groups: a filter has 2 of 4 channels.
    local dims = { { 2, 4, 8, 8 }, { 6, 2, 3, 3 }, {}, {}, {}, {}, {}, {}, {} }
    local types = { FLOAT, FLOAT, "", "", "", "", "", "", "" }
    local made = of("aten::convolution", dims, types,
      { "", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "2" })
    assert.same({ 2 * 2 * 6 * 16 * 18, 4 * (512 + 108 + 192) }, { made.flops, made.bytes })
    made = of("aten::cudnn_convolution", dims, types,
      { "", "", "[1, 1]", "[2, 2]", "[1, 1]", "2" })
    assert.equal(2 * 2 * 6 * 16 * 18, made.flops)
    assert.is_nil(of("aten::convolution", dims, types))
    made = of("aten::convolution_backward", { { 2, 6, 4, 4 }, { 2, 4, 8, 8 }, { 6, 2, 3, 3 } },
      { FLOAT, FLOAT, FLOAT }, { "", "", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]",
        "2", "[True, True, False]" })
    assert.same({ 2 * 2 * 2 * 6 * 16 * 18, 4 * (192 + 512 + 108 + 512 + 108) },
      { made.flops, made.bytes })
  end)

  it("is known of attention, causal and not, forward and back", function()
    local q, kv = { 2, 5, 3, 4 }, { 2, 7, 3, 4 }
    local dims, types = { q, kv, kv, {}, {} }, { BF16, BF16, BF16, "", "" }
    local function forward(causal)
      return of("aten::_flash_attention_forward", dims, types,
        { "", "", "", "", "", "5", "7", "0.", causal })
    end
    local made = forward "False"
    assert.same({ 2 * 2 * 3 * 35 * 8, 2 * (120 + 168 + 168 + 120) }, { made.flops, made.bytes })
    -- Five queries at the end of seven keys see 3 + 4 + 5 + 6 + 7.
    assert.equal(2 * 2 * 3 * 25 * 8, forward "True".flops)
    assert.is_nil(of("aten::_flash_attention_forward", { q, kv, kv, { 3 }, { 3 } }, types,
      { "", "", "", "", "", "5", "7", "0.", "True" }), "lengths that vary")
    for kind, pairs_ in pairs { ["0"] = 35, ["1"] = 25, ["2"] = 25 } do
      made = of("aten::_efficient_attention_forward", dims, types,
        { "", "", "", "", "", "", "", "", "0.", kind })
      assert.equal(2 * 2 * 3 * pairs_ * 8, made.flops)
    end
    made = of("aten::_flash_attention_backward", { q, q, kv, kv }, { BF16, BF16, BF16, BF16 },
      { "", "", "", "", "", "", "", "", "", "", "", "False" })
    assert.equal(2 * 2 * 3 * 35 * 20, made.flops) -- two and a half times the way forward
  end)

  it("is bytes of what waits for memory", function()
    assert.equal(2 * 2 * 12, of("aten::_softmax", { { 3, 4 } }, { BF16 }).bytes)
    assert.equal(4 * (12 + 4 + 12), of("aten::add", { { 3, 4 }, { 1, 4 } }, { FLOAT, FLOAT }).bytes)
    assert.equal(4 * (4 + 12 + 12), of("aten::mul", { { 1, 4 }, { 3, 4 } }, { FLOAT, FLOAT }).bytes)
    assert.equal(4 * (4 + 12 + 12), of("aten::mul", { { 4 }, { 3, 4 } }, { FLOAT, FLOAT }).bytes)
    assert.equal(4 * 24, of("aten::mul", { { 3, 4 }, {} }, { FLOAT, "Scalar" }).bytes)
    assert.equal(2 * 12 + 4 * 12, of("aten::copy_", { { 3, 4 }, { 3, 4 } }, { BF16, FLOAT }).bytes)
    assert.equal(2 * 6 * 8 * 2 + 6 * 8,
      of("aten::embedding", { { 100, 8 }, { 6 } }, { BF16, "long int" }).bytes)
  end)

  it("is unknown where it is not told", function()
    assert.is_nil(of("aten::mystery", { { 3 } }, { FLOAT }))
    assert.is_nil(of("mine::mm", { { 3, 5 }, { 5, 7 } }, { FLOAT, FLOAT }))
    assert.is_nil(of("aten::mm", { { 3, 5 }, { 6, 7 } }, { FLOAT, FLOAT }))
    assert.is_nil(of("aten::mm", { {}, {} }, { "", "" }))
    assert.is_nil(of("aten::mm", { { 3, 5 }, { 5, 7 } }, { "TensorList", FLOAT }))
    assert.is_nil(operator_work.of("aten::mm", "[[3,", "x"))
    assert.is_nil(of("aten::mm", { { 0, 5 }, { 5, 0 } }, { FLOAT, FLOAT }))
  end)

  it("is known of one type for all, where it has one", function()
    local made = operator_work.of_type("aten::addmm", "[[7], [3, 5], [5, 7], [], []]", BF16)
    assert.same({ 210, 2 * (7 + 15 + 35 + 21) }, { made.flops, made.bytes })
    made = operator_work.of_type("aten::mul", "[[3, 4], []]", FLOAT)
    assert.equal(4 * 24, made.bytes)
    for _, name in ipairs { "aten::copy_", "aten::embedding", "aten::_scaled_mm" } do
      assert.is_nil(operator_work.of_type(name, "[[3, 5], [3, 5]]", FLOAT))
    end
    assert.is_nil(operator_work.of_type("aten::_flash_attention_forward",
      "[[2, 5, 3, 4], [2, 7, 3, 4], [2, 7, 3, 4]]", BF16))
  end)
end)

describe("the type of a kernel", function()
  it("is that of its name", function()
    for name, wanted in pairs {
      ["nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN"] = "c10::BFloat16",
      ["nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT"] = "c10::Half",
      ["nvjet_sss_128x256"] = "float",
      ["sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3"] = "float",
      ["sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"] = "c10::BFloat16",
      ["sm90_xmma_gemm_f16f16_f16f32_f32_nn_n"] = "c10::Half",
      ["sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n"] = "c10::Float8_e4m3fn",
      ["ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_tn"] = "c10::Half",
      ["ampere_h16816gemm_256x128_ldg8_tn"] = "c10::Half", ["volta_h884gemm_128x64"] = "c10::Half",
      ["ampere_sgemm_128x64_tn"] = "float", ["cutlass_80_tensorop_s1688tf32gemm"] = "float",
      ["volta_dgemm_64x64_nn"] = "double",
      ["cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nn_align1"] = "c10::BFloat16",
      ["void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>"]
        = "float",
      ["void at::native::elementwise_kernel<AddFunctor<c10::BFloat16, float>>"] = "c10::BFloat16",
      ["_ZN2at6native12mystery_kernE"] = false, ["triton_poi_fused_3"] = false } do
      assert.equal(wanted or nil, kernel_type.of(name), name)
    end
  end)
end)

describe("a roofline of Nsight Systems", function()
  local QWEN <const> = "tests/data/" .. FILE

  -- The profile of PyTorch, as Nsight Systems would have recorded it with emit_nvtx: ranges with
  -- sizes, calls, kernels. `wanted`: products and what they took, counted here.
  local function as_ranges()
    local pipe = assert(io.popen("gzip -dc " .. QWEN))
    local events = cjson.decode(pipe:read "a").traceEvents
    pipe:close()
    local first, threads, count, rows = math.huge, {}, 0, {}
    for _, e in ipairs(events) do
      if e.ph == "X" then first = math.min(first, e.ts) end
    end
    local wanted, product = { flops = 0, count = 0, limit_ns = 0, gpu_ns = 0 }, {}
    local function thread_of(tid)
      if not threads[tid] then
        count = count + 1
        threads[tid] = count
      end
      return threads[tid]
    end
    for i, e in ipairs(events) do
      local from = e.ts and e.ts - first
      local row = { from = from, to = from and e.dur and from + e.dur }
      if e.cat == "cpu_op" then
        local sizes = {}
        for j, dims in ipairs(e.args["Input Dims"] or {}) do
          local plain = type(dims[1]) ~= "table" and dims or {}
          sizes[j] = "[" .. table.concat(plain, ", ") .. "]"
        end
        row.category, row.thread = "range", thread_of(e.tid)
        row.name = ("%s, seq = %d, op_id = %d, sizes = [%s]"):format(e.name, i, i + 7,
          table.concat(sizes, ", "))
        rows[#rows + 1] = row
        if e.name == "aten::mm" or e.name == "aten::addmm" then
          local dims = e.args["Input Dims"]
          local a, b = dims[#dims >= 4 and 2 or 1], dims[#dims >= 4 and 3 or 2]
          local flops = 2.0 * a[1] * a[2] * b[2]
          local bytes = 2.0 * (a[1] * a[2] + a[2] * b[2] + a[1] * b[2])
            + (#dims >= 4 and 2 * dims[1][1] or 0)
          wanted.flops, wanted.count = wanted.flops + flops, wanted.count + 1
          wanted.limit_ns = wanted.limit_ns + 1e9 * math.max(flops / PEAK, bytes / BANDWIDTH)
          product[e.args["External id"]] = true
        end
      elseif e.cat == "cuda_runtime" and e.args.correlation then
        row.category, row.thread, row.name = "cuda_runtime", thread_of(e.tid), e.name
        row.correlation = e.args.correlation
        rows[#rows + 1] = row
      elseif e.cat == "kernel" then
        row.category, row.name, row.stream, row.grid = "kernel", e.name, e.args.stream, 1
        row.correlation = e.args.correlation
        rows[#rows + 1] = row
        if product[e.args["External id"]] then
          wanted.gpu_ns = wanted.gpu_ns + (row.to * 1000 // 1) - (row.from * 1000 // 1)
        end
      end
    end
    return rows, wanted
  end

  it("has the products' FLOPs and limits by sizes in names of ranges", function()
    local stores = store_fixture.new()
    local rows, wanted = as_ranges()
    table.sort(rows, function(a, b) return a.from < b.from end)
    nsys.write({ rows }, stores:path "ranges.sqlite")
    local _, err, code = stores:tandem("import", stores:path "ranges.sqlite")
    assert(code == 0, err)
    local store = assert(td.store(stores:path "a.db"))
    local answer = assert(assert(store:run "last"):roofline())
    local found = { flops = 0, gpu_ns = 0, limit_ns = 0, count = 0 }
    for _, row in ipairs(answer:frame("shapes").rows) do
      if row.name == "aten::mm" or row.name == "aten::addmm" then
        for key in pairs(found) do found[key] = found[key] + row[key] end
        assert.equal("bf16", row.type)
      end
      assert.is_true((row.of_limit or 0) <= 1.05)
    end
    store:close()
    stores:remove()
    assert.is_true(wanted.count > 100)
    for key, value in pairs(wanted) do assert.near(value, found[key], 1e-9 * value, key) end
    assert.matches("types those in names of kernels", table.concat(answer.basis, "\n"), 1, true)
  end)

  it("goes by operators' own shapes where ranges tell sizes too", function()
    local data = fixture.new()
    local trace = small_trace.new()
    local thread, stream = trace:thread(70), trace:stream(7)
    trace:add("nvtx", thread, "aten::mm, seq = 1, op_id = 2, sizes = [[8, 8], [8, 8]]", 0, 100)
    trace:add("cpu_op", thread, "aten::mm", 10, 90, {
      ["Input Dims"] = "[[2,3],[3,4]]", ["Input type"] = '["float","float"]' })
    trace:add("runtime", thread, "cudaLaunchKernel", 20, 30, { correlation = 1 })
    trace:add("kernel", stream, "gemm", 200, 1200, { correlation = 1 })
    local answer = trace:import(data, "both.jsonl"):roofline()
    local rows = answer:frame("shapes").rows
    assert.equal(1, #rows)
    assert.same({ "[[2,3],[3,4]]", 2.0 * 2 * 3 * 4 }, { rows[1].dims, rows[1].flops })
    data:remove()
  end)
end)

describe("a roofline of Nsight Compute", function()
  local function of_csv(text)
    local stores = store_fixture.new()
    local path = stores:path "a.csv"
    if text then
      local file <close> = assert(io.open(path, "w"))
      file:write(text)
    end
    local _, err, code = stores:tandem("import", text and path
      or "tests/data/ncu/copy_blocked.csv")
    assert(code == 0, err)
    local store = assert(td.store(stores:path "a.db"))
    local answer = assert(assert(store:run "last"):roofline())
    local rows = answer:frame("shapes").rows
    store:close()
    stores:remove()
    return rows, answer
  end

  it("has what the details page of a real one says", function()
    -- 21,058,944 ns at 196,456,177,859.63 bytes a second; DRAM at 61.84 %, SMs at 1.3 %.
    local rows = of_csv()
    assert.equal(1, #rows)
    local row = rows[1]
    assert.same({ 21058944, 1, "memory" }, { row.gpu_ns, row.count, row.bound })
    assert.near(0.6184, row.of_limit, 1e-12)
    assert.near(196456177859.63 * 0.021058944, row.bytes, 1)
    assert.is_nil(row.flops)
  end)

  it("counts FLOPs and bytes of a raw page, a launch a row", function()
    local lead = { "ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
      "Stream", "Block Size", "Grid Size", "Device", "CC" }
    local op = "smsp__sass_thread_inst_executed_op_%s_pred_on.sum"
    local tensor = "sm__ops_path_tensor_src_bf16_dst_fp32"
    local metrics = { "gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum",
      "sm__throughput.avg.pct_of_peak_sustained_elapsed",
      "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", op:format "fadd", op:format "fmul",
      op:format "ffma", tensor .. ".sum", tensor .. "_sparsity_off.sum" }
    local units = { "us", "Mbyte", "Mbyte", "%", "%", "inst", "inst", "inst", "", "" }
    local lines = {}
    local function line(first, rest)
      local cells = table.move(rest, 1, #rest, #lead + 1, table.move(first, 1, #lead, 1, {}))
      for i = 1, #lead + #rest do cells[i] = ('"%s"'):format(cells[i] or "") end
      lines[#lines + 1] = table.concat(cells, ",")
    end
    line(lead, metrics)
    line({}, units)
    local launches = { { "saxpy", 10, 8, 4, 20, 80, 100, 200, 1000, 0, 0 },
      { "saxpy", 30, 8, 4, 20, 40, 0, 0, 3000, 0, 0 },
      { "gemm", 100, 1, 1, 90, 5, 0, 0, 0, 5000, 5000 } }
    for i, one in ipairs(launches) do
      line({ i - 1, 7, "p", "h", one[1], 1, 7, "(256, 1, 1)", "(1, 1, 1)", 0, "9.0" },
        table.move(one, 2, #one, 1, {}))
    end
    local rows = of_csv(table.concat(lines, "\n") .. "\n")
    assert.equal(2, #rows)
    local saxpy, gemm = rows[1], rows[2]
    assert.same({ "saxpy", 40000, 2 }, { saxpy.name, saxpy.gpu_ns, saxpy.count })
    assert.near(24e6, saxpy.bytes, 1e-3)
    assert.near(100 + 200 + 2 * 1000 + 2 * 3000, saxpy.flops, 1e-6)
    assert.near((10 * 0.8 + 30 * 0.4) / 40, saxpy.of_limit, 1e-12)
    assert.near(20000, saxpy.lost_ns, 1e-6)
    assert.same({ "compute", 5000 }, { gemm.bound, gemm.flops })
    assert.near(0.9, gemm.of_limit, 1e-12)
    assert.near(10000, gemm.lost_ns, 1e-6)
  end)
end)

describe("a roofline", function()
  local data, made

  setup(function()
    data = fixture.new(FILE)
    made = assert(data:run(FILE:match "[^/]+$"):roofline())
  end)
  teardown(function() data:remove() end)

  -- From the file alone: products by External id, the kernels that carry the same.
  local function products()
    local pipe = assert(io.popen("gzip -dc tests/data/" .. FILE))
    local events = cjson.decode(pipe:read "a").traceEvents
    pipe:close()
    local sums, product = { flops = 0, us = 0, limit_s = 0, count = 0 }, {}
    for _, e in ipairs(events) do
      if e.cat == "cpu_op" and (e.name == "aten::mm" or e.name == "aten::addmm") then
        local dims = e.args["Input Dims"]
        local a, b = dims[#dims >= 4 and 2 or 1], dims[#dims >= 4 and 3 or 2]
        local bias = #dims >= 4 and dims[1][1] * 2 or 0
        local flops = 2.0 * a[1] * a[2] * b[2]
        local bytes = 2.0 * (a[1] * a[2] + a[2] * b[2] + a[1] * b[2]) + bias
        product[e.args["External id"]] = true
        sums.flops, sums.count = sums.flops + flops, sums.count + 1
        sums.limit_s = sums.limit_s + math.max(flops / PEAK, bytes / BANDWIDTH)
      end
    end
    for _, e in ipairs(events) do
      local on_gpu = e.cat == "kernel" or e.cat == "gpu_memset"
      if on_gpu and product[e.args["External id"]] then sums.us = sums.us + e.dur end
    end
    return sums
  end

  it("has the FLOPs, time and limit that the file's own JSON gives", function()
    local wanted = products()
    local found = { flops = 0, gpu_ns = 0, limit_ns = 0, count = 0 }
    for _, row in ipairs(made:frame("shapes").rows) do
      if row.name == "aten::mm" or row.name == "aten::addmm" then
        for key in pairs(found) do found[key] = found[key] + row[key] end
        assert.equal("bf16", row.type)
        assert.near(row.limit_ns / row.gpu_ns, row.of_limit, 1e-12)
      end
    end
    assert.equal(wanted.count, found.count)
    assert.near(wanted.flops, found.flops, 1e-9 * wanted.flops)
    assert.near(wanted.us * 1e3, found.gpu_ns, 1e-6 * found.gpu_ns)
    assert.near(wanted.limit_s * 1e9, found.limit_ns, 1e-9 * found.limit_ns)
    assert.is_true(wanted.count > 100)
  end)

  it("adds up by kind and by GPU, and judges no more than it knows", function()
    local gpu = made:frame("gpus").rows[1]
    local share, time_ns, flops = 0, 0, 0
    for _, row in ipairs(made:frame("kinds").rows) do
      share, time_ns, flops = share + (row.share or 0), time_ns + row.gpu_ns,
        flops + (row.flops or 0)
    end
    local sum_ns = 0
    for _, row in ipairs(made:frame("shapes").rows) do
      sum_ns = sum_ns + row.gpu_ns
      assert.is_true((row.of_limit or 0) <= 1.05)
      if row.kind == "unknown" or row.kind == "copy" then assert.is_nil(row.of_limit) end
    end
    assert.equal(sum_ns, time_ns)
    assert.near(sum_ns / gpu.gpu_ns, share, 1e-9)
    assert.equal("H100 SXM", gpu.card)
    local all = data.store.db:one("SELECT sum(dur_ns) AS ns, max(start_ns + dur_ns) - min(start_ns)"
      .. " AS window FROM span WHERE category IN ('kernel', 'memcpy', 'memset')")
    assert.same({ all.ns, all.window }, { gpu.gpu_ns, gpu.window_ns })
    assert.near(flops / PEAK / (gpu.window_ns / 1e9), gpu.mfu, 1e-6)
    assert.is_true(gpu.of_limit > 0.3 and gpu.of_limit < 0.8)
    assert.equal(1, #made:plots())
    local page = made:to_html()
    assert.is_nil(page:find("BFloat16", 1, true), "one word for a type")
    assert.matches(">mm %d+×%d+ %d+×%d+</text>", page)
    assert.matches("has no formula: aten::cat", table.concat(made.basis, "\n"), 1, true)
  end)

  it("takes work of which no GPU is told", function()
    local other = fixture.new("perfetto/sdk.pftrace")
    local run = other.store:run(other.store.db:one("SELECT id FROM run LIMIT 1").id)
    assert.is_true(assert(run:roofline()):abstains())
    assert.is_table(assert(run:advice()))
    other:remove()
  end)

  it("says what it lacks", function()
    local other = fixture.new("nsys/no_gpu_rows.sqlite.gz")
    local none = other.store:run(other.store.db:one("SELECT id FROM run LIMIT 1").id):roofline()
    assert.is_true(none:abstains())
    other:remove()
  end)
end)
