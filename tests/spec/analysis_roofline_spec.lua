-- Rooflines: formulas against numbers worked out by hand, and a real capture against its own JSON,
-- read here without a store.
local cjson = require "cjson"
local fixture = require "tests.spec.support.analysis_fixture"
local operator_work = require "tandem.analysis.operator_work"

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
    assert.matches("has no formula: aten::cat", table.concat(made.basis, "\n"), 1, true)
  end)

  it("says what it lacks", function()
    local other = fixture.new("nsys/no_gpu_rows.sqlite.gz")
    local none = other.store:run(other.store.db:one("SELECT id FROM run LIMIT 1").id):roofline()
    assert.is_true(none:abstains())
    other:remove()
  end)
end)
