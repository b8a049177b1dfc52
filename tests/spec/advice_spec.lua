--- Advice: every rule on a run that has its problem and on one that has not.
local analysis_fixture = require "tests.spec.support.analysis_fixture"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

-- ---- traces made by hand; times in µs ----

---@class tests.Trace
local Trace = {}
Trace.__index = Trace

local function trace(rank, card)
  return setmetatable({ events = {}, correlation = 0, rank = rank,
    card = card or "NVIDIA H100 PCIe" }, Trace)
end

function Trace:put(category, name, ts, dur, tid, args)
  self.events[#self.events + 1] = { ph = "X", cat = category, name = name, ts = ts, dur = dur,
    pid = args.device and 0 or 100, tid = tid, args = args }
end

--- Work on the GPU from `ts`, called for from `call_ts` for `call_us`.
function Trace:work(category, name, ts, dur, call, call_ts, call_us, more)
  self.correlation = self.correlation + 1
  local args = { device = 0, stream = more and more.stream or 7, correlation = self.correlation }
  for key, value in pairs(more or {}) do args[key] = value end
  self:put(category, name, ts, dur, args.stream, args)
  self:put("cuda_runtime", call, call_ts, call_us, 1, { correlation = self.correlation })
end

--- A kernel that was launched long before it ran.
function Trace:kernel(name, ts, dur, more)
  self:work("kernel", name, ts, dur, "cudaLaunchKernel", ts - 500, 5, more)
end

function Trace:text()
  local encode = require("tandem.io.json").encode
  local parts = {}
  for i, event in ipairs(self.events) do parts[i] = encode(event) end
  local about = self.rank and ('"distributedInfo":{"backend":"nccl","rank":%d,"world_size":2},')
    :format(self.rank) or ""
  return ('{"schemaVersion":1,%s"deviceProperties":[{"id":0,"name":"%s"}],"traceEvents":[%s]}')
    :format(about, self.card, table.concat(parts, ",\n"))
end

local stores, store
local function run_of(...)
  stores = store_fixture.new()
  local words = { "import" }
  for i, one in ipairs { ... } do
    words[#words + 1] = stores:write(("t%d.json"):format(i), one:text())
  end
  local _, err, code = stores:tandem(table.unpack(words))
  assert(code == 0, err)
  store = assert(td.store(stores:path "a.db"))
  return assert(store:run "last")
end

local function close()
  if store then store:close() end
  if stores then stores:remove() end
  store, stores = nil, nil
end

-- The finding of a rule, or nil; it must have been judged.
local function ask(run, rule, more)
  local options = { only = rule }
  for key, value in pairs(more or {}) do options[key] = value end
  local answer = assert(run:advice(options))
  assert.same({}, answer:frame("unjudged").rows)
  return answer:rows()[1], answer
end

-- Kernels back to back on the GPU from 1 ms on, launched ahead.
local function busy(t, count, dur, name)
  for i = 0, count - 1 do t:kernel(name or "gemm_bf16_s16816gemm", 1000 + i * dur, dur) end
  return 1000 + count * dur
end

describe("a rule of advice", function()
  after_each(close)

  it("finds asynchronous copies of pageable memory", function()
    local t = trace()
    local ends = busy(t, 10, 100)
    t:work("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", ends, 200, "cudaMemcpyAsync",
      ends - 100, 300, { bytes = 4096 })
    local row = ask(run_of(t), "async-pageable")
    assert.near(200000, row.most_ns, 100) -- but what 4 KiB take on the link
    assert.is_true(row.gain_ns <= row.most_ns)
    -- Of the run from its first call to its last.
    assert.near(200 / (2200 - 500), row.most_share, 1e-3)
    assert.matches("^1 copy took 200 µs, 200 µs of it", row.evidence)
  end)

  it("does not mind pinned ones, nor any that hide under kernels", function()
    local t = trace()
    busy(t, 10, 100)
    t:work("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 1000, 100, "cudaMemcpyAsync", 900, 5,
      { bytes = 4096, stream = 8 })
    t:work("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 1200, 100, "cudaMemcpyAsync", 900, 5,
      { bytes = 4096, stream = 8 })
    assert.is_nil((ask(run_of(t), "async-pageable")))
  end)

  it("finds sizes that are copied over and over, and leaves rare ones where they are", function()
    local t, at = trace(), 1000
    for i = 0, 63 do -- four weights over and over, and two inputs
      local input = i % 32 == 0
      local us = input and 900 or 400
      t:work("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", at, us, "cudaMemcpyAsync", i * 10, 5,
        { bytes = (input and 64 or 24 + i % 4) << 20 })
      t:work("kernel", "gemm", at + us, 40, "cudaLaunchKernel", i * 10 + 5, 5)
      at = at + us + 40
    end
    local row = ask(run_of(t), "repeated-copies")
    assert.matches("^64 copies .*: 16 of 27 MiB, 16 of 26 MiB, 16 of 25 MiB, 14 of 24 MiB, others "
      .. "of 1 more size", row.evidence)
    assert.near(62 * 400e3, row.most_ns, 62 * 400e3 * 0.01)
    assert.is_true(row.gain_ns <= 64 * 40e3 * 1.01)
  end)

  it("is explained by no finding that is not told", function()
    local t = trace() -- copies that hold 0.5 % of a run in which nearly nothing is recorded
    for i = 0, 63 do
      t:work("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 1000 + i * 1000, 400,
        "cudaMemcpyAsync", 900 + i * 1000, 5, { bytes = 24 << 20 })
      t:work("kernel", "gemm", 1950 + i * 1000, 40, "cudaLaunchKernel", 1450 + i * 1000, 5)
    end
    local answer = assert(run_of(t):advice())
    local told = {}
    for _, name in ipairs { "findings", "merged" } do
      for _, row in ipairs(answer:frame(name).rows) do told[row.rule] = true end
    end
    for _, row in ipairs(answer:frame "merged".rows) do
      assert.is_true(told[row.part_of], row.part_of)
    end
    assert.is_nil(told["repeated-copies"])
  end)

  it("does not say that a copy ran alone while another one did", function()
    local t = trace()
    local ends = busy(t, 10, 100)
    t:work("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", ends, 100, "cudaMemcpy", ends, 100,
      { bytes = 4096 })
    t:work("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", ends + 30, 100, "cudaMemcpyAsync", ends,
      5, { bytes = 4096, stream = 8 })
    local row = ask(run_of(t), "sync-memcpy", { threshold = "sync-memcpy=0.1%" })
    assert.is_true(row.most_ns <= 5000) -- its call; the other copy ends as late without it
    assert.matches("^1 copy took 100 µs, 30 µs of it", row.evidence)
  end)

  it("finds synchronous copies, but not small ones to the device nor those within it", function()
    local t = trace()
    local ends = busy(t, 10, 100)
    local function copy(name, ts, bytes)
      t:work("gpu_memcpy", name, ts, 50, "cudaMemcpy", ts - 10, 70, { bytes = bytes })
    end
    copy("Memcpy HtoD (Pinned -> Device)", ends, 65536)
    copy("Memcpy DtoD (Device -> Device)", ends + 100, 1 << 20)
    copy("Memcpy HtoD (Pinned -> Device)", ends + 200, 65537)
    copy("Memcpy DtoH (Device -> Pinned)", ends + 300, 8)
    local row, answer = ask(run_of(t), "sync-memcpy")
    assert.same({ 0, 100000 }, { row.gain_ns, row.most_ns })
    assert.equal(2, #answer:frame("evidence").rows)
  end)

  it("finds no synchronous copies where all are asynchronous", function()
    local t = trace()
    local ends = busy(t, 10, 100)
    t:work("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", ends, 50, "cudaMemcpyAsync", ends, 5,
      { bytes = 8 })
    assert.is_nil((ask(run_of(t), "sync-memcpy")))
  end)

  for _, case in ipairs { { "cudaMemset", "Memset (Pinned)", 1 },
    { "cudaMemsetAsync", "Memset (Pinned)", 0 }, { "cudaMemset", "Memset (Device)", 0 } } do
    it(("finds %d in %s of %s"):format(case[3], case[1], case[2]), function()
      local t = trace()
      local ends = busy(t, 10, 100)
      t:work("gpu_memset", case[2], ends, 50, case[1], ends - 10, 70, { bytes = 64 })
      local row = ask(run_of(t), "sync-memset")
      -- It runs without a wait as well; what goes is the rest of the call, which nothing follows.
      assert.equal(case[3] == 1 and 10000 or nil, row and row.most_ns)
    end)
  end

  it("finds waits after which the GPU idles", function()
    local t = trace()
    for i = 0, 9 do -- the host works for 88 of 200 µs, the GPU for 100
      local ts = 1000 + i * 200
      t:work("kernel", "k", ts + 5, 100, "cudaLaunchKernel", ts, 5)
      t:put("cuda_runtime", "cudaStreamSynchronize", ts + 6, 102, 1, {})
      t:put("cpu_op", "aten::add", ts + 110, 88, 1, {})
    end
    local row = ask(run_of(t), "oversynchronization")
    -- Without waits the GPU is busy from 1005 to 2005 µs, and then the run ends, not at 2998 µs.
    assert.is_true(row.gain_ns > 800000 and row.most_ns <= 993000)
    assert.matches("^10 waits of 1.02 ms in all; in 9 gaps", row.evidence)
  end)

  it("does not promise that a value which the host reads needs no wait", function()
    local t = trace()
    for i = 0, 9 do
      local ts = 1000 + i * 200
      t:work("kernel", "k", ts + 5, 100, "cudaLaunchKernel", ts, 5)
      t:put("cpu_op", "aten::item", ts + 5.5, 103, 1, {})
      t:put("cuda_runtime", "cudaStreamSynchronize", ts + 6, 102, 1, {})
      t:put("cpu_op", "aten::add", ts + 110, 88, 1, {})
    end
    local row = ask(run_of(t), "oversynchronization")
    assert.equal(0, row.gain_ns)
    assert.is_true(row.most_ns > 800000)
  end)

  it("does not mind waits while the GPU goes on", function()
    local t = trace()
    busy(t, 20, 100)
    t:put("cuda_runtime", "cudaStreamSynchronize", 1000, 1050, 1, {})
    assert.is_nil((ask(run_of(t), "oversynchronization")))
  end)

  it("tells the memory of the device that was asked for, and whose rank it is", function()
    local t, MIB = trace(1), 2 ^ 20
    t:kernel("k", 1000, 100)
    for device, allocated in ipairs { 100, 200 } do
      t:put("cpu_instant_event", "[memory]", device, nil, 1, { Bytes = 1, ["Device Type"] = 1,
        ["Device Id"] = device - 1, ["Total Allocated"] = allocated * MIB,
        ["Total Reserved"] = 1000 * MIB })
      t.events[#t.events].ph, t.events[#t.events].s = "i", "t"
    end
    local run = run_of(t)
    local row, answer = ask(run, "fragmentation", { device = 1 })
    assert.same({ 1, 800 * MIB, "GPU 1 of rank 1" },
      { #answer:rows(), row.gain_bytes, row.where })
    local function peak(filter)
      return run:diff(run, filter):frame("totals"):filter({ figure = "memory" }).rows[1].a
    end
    assert.same({ 100 * MIB, 200 * MIB }, { peak { device = 0 }, peak {} })
  end)

  it("does not blame a wait of another rank, whose process may have the same number", function()
    local idle, waits = trace(0), trace(1)
    idle:kernel("k", 1000, 100)
    idle:kernel("k", 2000, 100)
    waits:kernel("k", 1000, 1100)
    waits:put("cuda_runtime", "cudaDeviceSynchronize", 1300, 200, 1, {})
    assert.is_nil((ask(run_of(idle, waits), "oversynchronization")))
  end)

  it("tells two files' GPUs apart that are called the same", function()
    local one, two = trace(), trace()
    for i, t in ipairs { one, two } do
      t:kernel("k", 1000, 100)
      t:kernel("k", 1100 + 2000 * i, 100)
    end
    local _, answer = ask(run_of(one, two), "gpu-gaps")
    local rows = answer:frame("evidence").rows
    assert.same({ "NVIDIA H100 PCIe #0 (2)" }, answer:column "where") -- the one with most
    assert.equal(4000000, rows[1].dur_ns)
    assert.equal(1, #rows)
    local view = require("tandem.advice.view").new(assert(require("tandem.analysis.view")
      .of(answer.run, {})))
    assert.equal(view:gpu({ device = "NVIDIA H100 PCIe #0" }).name,
      view:gpu({ device = "NVIDIA H100 PCIe #0 (2)" }).name)
  end)

  it("finds long gaps and idle phases, by thresholds that can be set", function()
    local t = trace()
    t:kernel("k", 1000, 1000)
    t:kernel("k", 5000, 1000)
    local run = run_of(t)
    assert.equal(3000000, ask(run, "gpu-gaps").most_ns)
    assert.is_nil((ask(run, "gpu-gaps", { threshold = "gpu-gaps=5ms" })))
    assert.equal(3000000, ask(run, "low-utilization").most_ns)
    assert.is_nil((ask(run, "low-utilization", { threshold = "low-utilization=0%" })))
  end)

  it("says of a gap whether the work behind it had been asked for, and what to do then", function()
    for _, call_ts in ipairs { 2100, 4900 } do -- soon after the gap began, or before it ended
      local t = trace()
      t:kernel("k", 1000, 1000)
      t:work("kernel", "late", 5000, 1000, "cudaLaunchKernel", call_ts, 50)
      local row = ask(run_of(t), "gpu-gaps")
      local early = call_ts == 2100
      local told = row.evidence:find("2.85 ms came after the next work had been launched", 1, true)
      assert.equal(early, told ~= nil)
      assert.equal(early, row.what_to_do:find("Begin recording earlier", 1, true) ~= nil)
      close()
    end
  end)

  it("follows an idle phase into the pieces beside it", function()
    local t = trace()
    for i = 0, 29 do t:kernel("k", 1000 * i, 1000) end -- 30 pieces of 1 ms without the phase
    for i = 40, 59 do t:kernel("k", 1000 * i, 1000) end
    -- 60 pieces' time in 30 of 2 ms: from 30.5 ms to 39.6 ms nothing.
    t:kernel("k", 30000, 500)
    t:kernel("k", 39600, 400)
    local row = ask(run_of(t), "low-utilization")
    assert.is_true(math.abs(row.most_ns - 9.1e6) <= 0.5e6, row.most_ns)
    close()
  end)

  it("finds launches that hold the GPU up, and what graphs would help with", function()
    local t = trace()
    for i = 0, 599 do
      local ts = 1000 + i * 20 -- 10 µs each, launched 8 µs before: the GPU waits for 10 µs
      t:work("kernel", "k" .. i % 3, ts, 10, "cudaLaunchKernel", ts - 8, 6)
    end
    local run = run_of(t)
    for rule, most_ns in pairs { ["launch-bound"] = 599 * 10000,
      ["uncaptured-graphs"] = 599 * 9000 } do
      local row = ask(run, rule) -- the calls take 6 µs each, a quarter of it at least goes
      assert.is_true(row.gain_ns >= 599 * 4500 and row.gain_ns <= row.most_ns, rule)
      assert.is_true(row.most_ns <= most_ns, rule)
    end
  end)

  it("lets launches gain what the GPU idled at most where the host holds the run", function()
    local t = trace()
    for i = 0, 599 do -- each hundredth call comes 2 ms late, which is no waiting for a call
      local ts = 1000 + i * 20 + i // 100 * 2000
      t:put("cpu_op", "aten::mm", ts - 15, 20, 1, {})
      t:work("kernel", "k" .. i % 3, ts, 5, "cudaLaunchKernel", ts - 13, 11)
      if i % 100 == 99 then t:put("cpu_op", "aten::sort", ts + 5, 2000, 1, {}) end
    end
    local row = ask(run_of(t), "launch-bound")
    local waited_ns <const>, idle_ns <const> = 599 * 15000, 599 * 15000 + 5 * 2e6
    assert.is_true(row.gain_ns > 0 and row.gain_ns <= waited_ns)
    assert.is_true(row.most_ns > waited_ns and row.most_ns <= idle_ns)
  end)

  it("does not mind launches that run ahead", function()
    local t = trace()
    for i = 0, 599 do t:kernel("k" .. i % 3, 1000 + i * 20, 10) end
    local run = run_of(t)
    assert.is_nil((ask(run, "launch-bound")))
    assert.is_nil((ask(run, "uncaptured-graphs")))
    assert.is_nil((ask(run, "small-kernels")))
  end)

  it("counts a call once whose kernels run between those of others", function()
    local t = trace()
    t:put("cuda_runtime", "cudaGraphLaunch", 100, 10, 1, { correlation = 1 })
    t:put("cuda_runtime", "cudaLaunchKernel", 120, 5, 1, { correlation = 2 })
    for i = 0, 9 do
      t:put("kernel", "k", 1000 + i * 10, 10, 7,
        { device = 0, stream = 7 + i % 2, correlation = 1 + i % 2 })
    end
    local run = run_of(t)
    local view <close> = assert(require("tandem.analysis.view").of(run, {}))
    local row = assert(view:count "evidence-launches").frames[1].rows[1]
    assert.same({ 2, 15000 }, { row.launched, row.launch_ns })
  end)

  it("takes kernels of graphs as captured", function()
    local t = trace()
    for i = 0, 599 do
      local ts = 1000 + i * 20
      t:work("kernel", "k", ts, 10, "cudaGraphLaunch", ts - 8, 6, { ["graph node id"] = i + 1 })
    end
    assert.is_nil((ask(run_of(t), "uncaptured-graphs")))
  end)

  it("finds many short kernels", function()
    local t = trace()
    for i = 0, 199 do
      t:work("kernel", "tiny", 1000 + i * 4, 2, "cudaLaunchKernel", 100 + i * 3, 2)
    end
    local row = ask(run_of(t), "small-kernels")
    assert.same({ 0, 199 * 2000 }, { row.gain_ns, row.most_ns })
  end)

  it("finds communication alone, and gains what computation can hide", function()
    local t = trace()
    busy(t, 10, 100)
    t:kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 2000, 600, { stream = 8 })
    local run = run_of(t)
    assert.equal(600000, ask(run, "exposed-communication").most_ns)
  end)

  it("leaves the last of a row of collectives where it is", function()
    local t = trace()
    busy(t, 10, 100)
    for i = 0, 2 do
      t:kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 2000 + 210 * i, 200, { stream = 8 })
    end
    local row = ask(run_of(t), "exposed-communication")
    assert.equal(2 * 200000, row.most_ns)
    assert.matches("the last of each row of collectives, 200 µs in all", row.evidence, 1, true)
  end)

  it("does not mind communication under computation", function()
    local t = trace()
    busy(t, 10, 100)
    t:kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 1000, 600, { stream = 8 })
    assert.is_nil((ask(run_of(t), "exposed-communication")))
  end)

  it("finds copies alone, and none under computation", function()
    for _, ts in ipairs { 2000, 1000 } do
      local t = trace()
      busy(t, 10, 100)
      t:work("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", ts, 300, "cudaMemcpyAsync", 800, 5,
        { bytes = 4096, stream = 8 })
      local row = ask(run_of(t), "exposed-copies")
      assert.equal(ts == 2000 and 300000 or nil, row and row.most_ns)
      close()
    end
  end)

  it("finds matrix products off the tensor cores by their kernels' names", function()
    for name, is_plain in pairs { ampere_sgemm_128x64_nn = true,
      ["void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>"] = true,
      nvjet_tst_128x256_64x4_2x1_v_bz_TNT = false, ampere_bf16_s16816gemm_bf16_128x64 = false,
      sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3_ffma_aligna4 = true,
      ["sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n"] = false,
      ["cutlass3x_sm90_tensorop_s64x128x16gemm_bf16"] = false } do
      local t = trace()
      for i = 0, 9 do
        t:work("kernel", name, 1000 + i * 100, 100, "cudaLaunchKernel", 900 + i * 6, 5)
      end
      local row = ask(run_of(t), "tensor-cores-unused")
      assert.equal(is_plain, row ~= nil, name)
      -- 1 ms at the ratio of the H100 PCIe's peaks.
      local rates = require("tandem.catalogue").gpu("H100 PCIe").flops_by_type
      if row then assert.near(1e6 * (1 - rates.fp32 / rates.tf32), row.most_ns, 10) end
      close()
    end
  end)

  it("finds copies far below the link of the card, and says when the card is not known", function()
    local function copies(gb_per_s, card)
      local t = trace(nil, card)
      busy(t, 10, 100)
      t:work("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 2000, 1e9 / gb_per_s / 1e3,
        "cudaMemcpyAsync", 800, 5, { bytes = 1000000000, stream = 8 })
      return run_of(t)
    end
    local link = require("tandem.catalogue").gpu("H100 PCIe").h2d
    local row = ask(copies(10), "slow-copies")
    assert.near(1e8 - 1e18 / link, row.most_ns, 1e5)
    close()
    assert.is_nil((ask(copies(0.9 * link / 1e9), "slow-copies")))
    close()
    local answer = assert(copies(10, "Some Card"):advice { only = "slow-copies" })
    assert.equal(0, #answer:rows())
    assert.matches("not in the catalogue", answer.cannot[1], 1, true)
  end)

  it("finds the rank for which the others wait", function()
    local function two(us)
      local a, b = trace(0), trace(1)
      for rank, t in ipairs { a, b } do
        local length = rank == 2 and us or 1000
        t:kernel("gemm", 1000, length)
        t:kernel("ncclDevKernel_AllReduce", 1000 + length, 3000 - length)
      end
      return run_of(a, b)
    end
    local row = ask(two(2000), "stragglers")
    assert.equal("rank 1", row.where)
    -- Shared by two, the millisecond that it computes more is half of it.
    assert.same({ 500000.0, 1000000 }, { row.gain_ns, row.most_ns })
    close()
    assert.is_nil((ask(two(1000), "stragglers")))
  end)

  it("finds waits for data while the GPU has nothing to do", function()
    local t = trace()
    for i = 0, 3 do
      local ts = 1000 + i * 2000
      t:put("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", ts,
        1000, 1, {})
      t:work("kernel", "k", ts + 1020, 900, "cudaLaunchKernel", ts + 1010, 5)
      t:put("cuda_runtime", "cudaStreamSynchronize", ts + 1020, 905, 1, {})
    end
    local row = ask(run_of(t), "data-loader")
    -- The first load waits whatever loads.
    assert.is_true(row.gain_ns > 2.9e6 and row.most_ns <= 3e6 and row.gain_ns <= row.most_ns)
    assert.near(4 / 7.9, row.held_share, 0.01)
    close()
    local fine = trace()
    busy(fine, 30, 100)
    fine:put("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
      1500, 2000, 1, {})
    assert.is_nil((ask(run_of(fine), "data-loader")))
  end)
end)

describe("advice on captures", function()
  local NSYS <const>, HEALTHY <const> = "nsys/h100_2gpu_1s.sqlite.gz", "nsys/healthy_1pct.sqlite"
  local KINETO <const> = "kineto/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"
  local data

  setup(function() data = analysis_fixture.new(NSYS, HEALTHY, KINETO) end)
  teardown(function() data:remove() end)

  -- Names of calls are read without the version of their function.
  local function plain(name) return (name:gsub("_v%d+$", "")) end

  it("rests on the rows of nsys analyze -r cuda_memcpy_async", function()
    local _, answer = ask(data:run(NSYS), "async-pageable", { threshold = "async-pageable=0" })
    local rows, wanted = answer:frame("evidence").rows,
      analysis_fixture.expected "nsys/a_cuda_memcpy_async.csv"
    local known = {}
    for _, row in ipairs(rows) do known[row.start_ns] = row end
    assert.equal(#wanted, #rows)
    for _, one in ipairs(wanted) do
      local row = assert(known[tonumber(one["Start (ns)"])])
      assert.equal(tonumber(one["Duration (ns)"]), row.dur_ns)
      assert.equal(("GPU #%s"):format(one["Device ID"]), row.where)
      assert.equal(("HtoD %s to %s, %s"):format(one["Src Kind"], one["Dst Kind"],
        plain(one["API Name"])):lower(), row.what:lower())
      assert.equal(one["Bytes (MB)"], ("%.3f"):format(row.bytes / 1e6))
    end
  end)

  it("rests on the rows of nsys analyze -r cuda_api_sync, in its order", function()
    local view = assert(require("tandem.analysis.view").of(data:run(NSYS)))
    local raw = assert(view:count("evidence-syncs", { limit = 100 }))
    local rows, wanted = raw.frames[3].rows, analysis_fixture.expected "nsys/a_cuda_api_sync.csv"
    assert.equal(#wanted, #rows)
    for i, one in ipairs(wanted) do
      assert.equal(tonumber(one["Duration (ns)"]), rows[i].dur_ns)
      assert.equal(tonumber(one["Start (ns)"]), rows[i].start_ns)
      assert.equal(tonumber(one.PID), rows[i].pid)
      assert.equal(tonumber(one.TID), rows[i].tid)
      assert.equal(plain(one["API Name"]), rows[i].call)
    end
  end)

  it("finds nothing in a healthy run, and says what it could not judge", function()
    local out, _, code = data.stores:tandem("advice", data:run(HEALTHY).id)
    assert.equal(0, code)
    assert.not_matches("Findings", out, 1, true)
    assert.matches("nothing to change was found", out, 1, true)
    assert.matches("stragglers +GPU work of two ranks or more", out)
  end)

  it("sorts by gain, with evidence, gain, what to do and a source", function()
    local answer = assert(data:run(NSYS):advice { threshold = "async-pageable=0" })
    local last, total = math.huge, 0
    assert.is_true(#answer:rows() > 1)
    for _, row in ipairs(answer:rows()) do
      local middle = (row.gain_ns + row.most_ns) / 2
      assert.is_true(middle <= last)
      last, total = middle, total + row.most_share
      for _, key in ipairs { "evidence", "what_to_do", "source", "threshold" } do
        assert.is_true(#row[key] > 0)
      end
      assert.is_true(#row.how > 0)
    end
    assert.is_true(total <= 1)
  end)

  it("finds memory that an allocator holds without use", function()
    local row = ask(data:run(KINETO), "fragmentation")
    local peaks = data.store.db:one([[SELECT max(json_extract(args, '$."Total Allocated"')) AS a,
      max(json_extract(args, '$."Total Reserved"')) AS r FROM span WHERE run = ?
      AND category = 'memory' AND json_extract(args, '$."Device Type"') = 1]],
      data:run(KINETO).number)
    assert.equal(peaks.r - peaks.a, row.gain_bytes)
    assert.is_nil(row.gain_ns)
    assert.is_nil((ask(data:run(KINETO), "fragmentation", { threshold = "fragmentation=50%" })))
  end)
end)

describe("advice on a simulation", function()
  after_each(close)

  it("says where to look in a run without GPU work", function()
    stores = store_fixture.new()
    local _, _, code = stores:tandem("import", "tests/data/nsys/no_gpu_rows.sqlite.gz")
    assert.equal(0, code)
    store = assert(td.store(stores:path "a.db"))
    local answer = assert(assert(store:run "last"):advice())
    assert.matches("the run has no GPU work; where the host's time goes", answer.cannot[1], 1, true)
  end)

  it("judges what a simulation tells and names what is missing for the rest", function()
    stores = store_fixture.new()
    stores:keep "a.db"
    store = assert(td.store(stores:path "a.db"))
    local answer = assert(assert(store:run "last"):advice())
    if answer:abstains() then
      assert.matches("no rule can be judged", answer.cannot[1], 1, true)
    else
      assert.is_true(#answer:frame("unjudged").rows > 0)
    end
  end)
end)

describe("a user's rule", function()
  after_each(close)
  local RULE <const> = [[
local td = require "tandem"
return td.advice "many-kernels" { title = "Many kernels", looks_for = "more kernels than %d",
  needs = { "kernel" }, threshold = 3,
  find = function(view, most)
    local count = 0
    for _, row in ipairs(view:count("kernels").kernels) do count = count + row.count end
    if count > most then
      return { evidence = view:integer(count) .. " kernels", gain_ns = 1000, how = "a guess" }
    end
    return {}
  end, what_to_do = "Launch fewer.", source = "this spec" }]]

  it("is read from a file or a folder, and takes part", function()
    local t = trace()
    busy(t, 10, 100)
    local run = run_of(t)
    assert(os.execute("mkdir " .. stores:path "rules"))
    stores:write("rules/mine.lua", RULE)
    for _, path in ipairs { "rules", "rules/mine.lua" } do
      local row = ask(run, "many-kernels", { rules = stores:path(path) })
      assert.equal("10 kernels", row.evidence)
    end
    assert.is_nil((ask(run, "many-kernels", { rules = stores:path "rules",
      threshold = "many-kernels=10" })))
  end)

  it("may claim time of the run, which is checked", function()
    local t = trace()
    for i = 0, 9 do
      t:work("kernel", i % 2 == 0 and "mine" or "other", 1000 + i * 100, 100, "cudaLaunchKernel",
        900 + i * 6, 5)
    end
    local run = run_of(t)
    local function with(claims)
      local path = stores:write("claims.lua", ([[local td = require "tandem"
return td.advice "claims" { title = "Claims", looks_for = "a claim", needs = {}, source = "this",
  find = function() return { evidence = "it", how = "a replay", claims = %s } end,
  what_to_do = "Nothing." }]]):format(claims))
      return run:advice { rules = path, only = "claims" }
    end
    local row = with('{ { cause = "kernel", name = "mine", low = 2, high = 4 } }'):rows()[1]
    -- 5 of 10 kernels of 100 µs each, launched ahead: half of them gone, or three quarters.
    assert.same({ 250000, 375000, 500000 }, { row.gain_ns, row.most_ns, row.held_ns })
    for claims, message in pairs {
      ['{ { cause = "kernels" } }'] = "there is no cause 'kernels'; did you mean 'kernel'",
      ['{ { cause = "host", low = 3, high = 2 } }'] = "from 1",
      ['{ { cause = "host", often = 2 } }'] = "a claim has no often that is a number",
      ["{ 1 }"] = "a claim is a table" } do
      local answer, why, code = with(claims)
      assert.is_nil(answer)
      assert.equal(3, code)
      assert.matches("advice 'claims': .*" .. message, why)
    end
  end)

  it("runs without files, clock and modules", function()
    local t = trace()
    busy(t, 1, 100)
    local run = run_of(t)
    for text, words in pairs { ["io.open('x')"] = "not available",
      ["require 'tandem.store'"] = "may only require", ["return 1"] = "ends with return td.advice",
      ["return require 'tandem'.advice 'a' { titel = '' }"] = "did you mean 'title'?" } do
      local _, message, code = run:advice { rules = stores:write("bad.lua", text) }
      assert.matches(words, message, 1, true)
      assert.equal(3, code)
    end
  end)

  it("must give evidence", function()
    local t = trace()
    busy(t, 10, 100)
    local run = run_of(t)
    local path = stores:write("bad.lua", (RULE:gsub('view:integer%(count%) .. " kernels"', '""')))
    local _, message = run:advice { rules = path }
    assert.equal("advice 'many-kernels': a finding has no evidence", message)
  end)

  it("may count with limits that are not numbers of rows", function()
    local t = trace()
    busy(t, 10, 100)
    t:kernel("k", 5000, 100)
    local run = run_of(t)
    local path = stores:write("limits.lua", (RULE:gsub("local count = 0", [[local count = 0
      local idle = view:count("evidence-idle", { limit = -1, chunks = 0 / 0 })
      assert(#idle.devices == 1 and #idle.gaps == 0 and #idle.chunks == 0)]])))
    assert.equal("11 kernels", ask(run, "many-kernels", { rules = path }).evidence)
  end)

  it("that is wrong is told by its name, whatever it returns", function()
    local t = trace()
    busy(t, 1, 100)
    local run = run_of(t)
    local HEAD <const> = 'local td = require "tandem" return td.advice "x" { title = "t", '
      .. 'looks_for = "l", what_to_do = "w", source = "s", '
    local function message_of(body)
      local path = stores:write("bad.lua", HEAD .. body .. "}")
      local answer, message, code = run:advice { rules = path, only = "x" }
      assert.is_nil(answer, body)
      assert.equal(3, code)
      return message
    end
    for returned, words in pairs {
      ["{ gain_ns = 1 }"] = "a finding has no evidence",
      ["true"] = "a finding is a table, not a boolean",
      ["'x'"] = "a finding is a table, not a string",
      ["{ 'x' }"] = "a finding is a table, not a string",
      ["{ evidence = 'e', gain_ns = 0 / 0, how = 'h' }"] = "gain_ns of a finding is a number",
      ["{ evidence = 'e', elapsed_ns = 'x' }"] = "elapsed_ns of a finding is a number, not 'x'",
      ["{ evidence = 'e', rows = 3 }"] = "rows of a finding is a table, not '3'",
      ["{ evidence = 'e', rows = { 3 } }"] = "a row of evidence is a table, not a number",
      ["{ evidence = 'e', rows = { { start_ns = 'x' } } }"] = "start_ns of a row of evidence is a",
      ["nil, {}"] = "what is missing is a text, not a table",
      ["error { code = 7 }"] = "x",
    } do
      local message = message_of(('needs = { "kernel" }, find = function() return %s end')
        :format(returned))
      assert.matches("^advice 'x'", message)
      assert.matches(words, message, 1, true)
    end
    assert.matches("needs is a list of texts",
      message_of "needs = { 1 }, find = print", 1, true)
    assert.matches("a threshold is a time, a share or a number, not '1..2%'",
      message_of "needs = {}, threshold = '1..2%', find = print", 1, true)
    assert.matches("not 'table",
      message_of "needs = {}, threshold = {}, find = print", 1, true)
  end)
end)
