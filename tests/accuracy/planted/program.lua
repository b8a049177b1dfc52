--- A training loop as a program for machine.lua, with what can be wrong in it.
--
-- Owns what a step does. `p` says how it is written: sizes, and switches that faults.lua sets, each
-- with what it would be without. Without any switch its GPU is busy nearly all the time.
local machine = require "tests.accuracy.planted.machine"

local program = {}

local GEMM <const> = {
  "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_"
    .. "k_off_kernel__5x_cublas",
  "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNT" }
local PLAIN <const> = "ampere_sgemm_128x64_tn"
local ODD <const> = "cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nn_align1"
local FLASH <const> = "flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, bfloat16_t>>"
local NCCL <const> = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"

local function elementwise(name)
  return "void at::native::vectorized_elementwise_kernel<4, at::native::" .. name .. ">"
end

-- FLOP of a product over what a card of 989 TFLOP/s does at this share of it, in µs.
local function product_us(m, n, k, share) return 2 * m * n * k / (989e12 * share) * 1e6 end

-- ---- parts of a layer ----

-- Products of a layer: sizes in tokens, hidden, inner.
local function product(r, p, m, n, k, odd)
  local us, name = product_us(m, n, k, p.efficiency) * p.scale, r.draws:one_of("gemm" .. n, GEMM)
  if p.plain then us, name = us * p.plain, PLAIN end
  odd = odd and p.odd
  if odd then us, name, m = us * odd, ODD, m + 1 end
  local type_ = p.plain and "float" or "c10::BFloat16"
  r:op("aten::mm", p.op_us, function() r:kernel(p.names and name .. p.names() or name, us) end,
    { dims = { { m, k }, { k, n } }, types = { type_, type_ } })
end

local function small(r, p, op, kernel, us)
  r:op(op, p.op_us, function()
    r:kernel(elementwise(p.names and kernel .. p.names() or kernel), us * p.scale)
  end)
end

local function attention(r, p)
  local us = p.attention_us * p.scale
  if not p.unfused then
    r:op("aten::_flash_attention_forward", p.op_us, function() r:kernel(FLASH, us) end)
    return
  end
  us = us * p.unfused
  local b, s = 16, 2048
  r:op("aten::bmm", p.op_us, function() r:kernel(GEMM[1], us * 0.25) end,
    { dims = { { b, s, 64 }, { b, 64, s } }, types = { "c10::BFloat16", "c10::BFloat16" } })
  r:op("aten::_softmax", p.op_us, function()
    r:kernel("void (anonymous namespace)::softmax_warp_forward<c10::BFloat16>", us * 0.5)
  end)
  r:op("aten::bmm", p.op_us, function() r:kernel(GEMM[1], us * 0.25) end,
    { dims = { { b, s, s }, { b, s, 64 } }, types = { "c10::BFloat16", "c10::BFloat16" } })
end

local function wait_for_value(r)
  r:op("aten::item", 2, function()
    r:op("aten::_local_scalar_dense", 4, function()
      r:copy { kind = "DtoH", bytes = 4, memory = "Pageable", rate = 10 }
      r:wait("cudaStreamSynchronize", 7)
    end)
  end)
end

local function layer(r, p, backward)
  local times = backward and 2 or 1
  if p.weights_bytes then
    r:op("aten::copy_", 8, function()
      r:copy { kind = "HtoD", bytes = p.weights_bytes, memory = "Pinned", rate = p.link }
    end)
  end
  for _ = 1, times do
    product(r, p, p.tokens, p.hidden * 3, p.hidden, true)
    attention(r, p)
    product(r, p, p.tokens, p.hidden, p.hidden)
    small(r, p, "aten::add", "CUDAFunctor_add", 22)
    small(r, p, "aten::native_layer_norm", "layer_norm", 25)
    product(r, p, p.tokens, p.hidden * 4, p.hidden)
    small(r, p, "aten::gelu", "GeluCUDAKernelImpl", 30)
    product(r, p, p.tokens, p.hidden, p.hidden * 4)
  end
  if p.waits == "value" then wait_for_value(r) end
  if p.waits == "device" then r:wait "cudaDeviceSynchronize" end
  if p.memsets then for _ = 1, p.memsets do r:memset(12, p.memset_async) end end
end

-- ---- parts of a step ----

local function load_next(r, p, step)
  if p.load_us then
    r:range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", function()
      if p.prefetched and step > 1 then return r:work(60) end
      for i = 1, 8 do
        r:op(i % 2 == 0 and "aten::stack" or "aten::div", 0, function()
          r.now = r.now + r.draws:time(("load/%d/%d"):format(step, i), p.load_us / 8, 0.1)
        end)
      end
    end)
  else
    r:range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", function()
      r:work(60)
      if p.late_us then r:idle(r.draws:time(("late/%d"):format(step), p.late_us, 0.15)) end
    end)
  end
end

local function copy_inputs(r, p, step)
  local one = p.input
  r:at(("%d/input"):format(step))
  for _ = 1, one.count do
    r:op("aten::to", 8, function()
      r:copy { kind = "HtoD", bytes = one.bytes, memory = one.memory, rate = one.rate,
        stream = one.stream, waits = one.waits, call = one.call }
    end)
  end
end

-- Short kernels beside the others, and copies of a few bytes: neither holds anything up.
local function tiny_work(r)
  for i = 1, 20 do
    r:op("aten::fill_", 3, function() r:kernel(elementwise("FillFunctor"), 2, { stream = 13 }) end)
    if i % 5 == 0 then
      r:op("aten::to", 3, function()
        r:copy { kind = "HtoD", bytes = 4096, memory = "Pageable", rate = 8, stream = 13 }
      end)
    end
  end
end

local function host_between(r, p, step)
  if p.tiny then tiny_work(r) end
  if p.unrecorded_us then
    r:idle(r.draws:time(("unrecorded/%d"):format(step), p.unrecorded_us, 0.1))
  end
  if p.host_us then
    for i = 1, 4 do
      r:op(i % 2 == 0 and "aten::sort" or "aten::unique_dim", 0, function()
        r.now = r.now + r.draws:time(("host/%d/%d"):format(step, i), p.host_us / 4, 0.1)
      end)
    end
  end
  if p.sparse then
    for i = 1, p.sparse.count do
      r:op("aten::index_select", 8, function() r:kernel(elementwise "index_select", 12) end)
      r:idle(r.draws:time(("sparse/%d/%d"):format(step, i), p.sparse.us, 0.1))
    end
  end
end

local function reduce(r, p, l)
  if r.ranks == 1 or not p.reduce_us then return end
  if p.exposed then
    if l == 1 then
      for i = 1, p.layers do
        r:at(("%s/reduce%d"):format(r.step, i))
        local row = r:collective(NCCL, p.reduce_us, 24, r.free[7])
        r.free[7] = row.to
      end
    end
    return
  end
  r:collective(NCCL, p.reduce_us, 24, r.free[7])
end

local function step_of(r, p, step)
  r.step = tostring(step)
  r:at(("%d/load"):format(step))
  load_next(r, p, step)
  copy_inputs(r, p, step)
  r:at(("%d/between"):format(step))
  host_between(r, p, step)
  for l = 1, p.layers do
    r:at(("%d/f%d"):format(step, l))
    layer(r, p, false)
  end
  if p.graph then
    r:at(("%d/graph"):format(step))
    r:graph(p.graph.count, function(i) return elementwise("fused_" .. i % 7) end, p.graph.us,
      p.graph.gap)
  end
  if p.autograd then r:switch(2) end
  for l = p.layers, 1, -1 do
    r:at(("%d/b%d"):format(step, l))
    layer(r, p, true)
    reduce(r, p, l)
  end
  if p.autograd then r:switch(1) end
  r:at(("%d/optimizer"):format(step))
  if r.ranks > 1 and r.free[24] then
    r.free[7] = math.max(r.free[7], r.free[24] + 1.5)
  end
  r:range("Optimizer.step#AdamW.step", function()
    for _ = 1, 4 do
      r:op("aten::_fused_adamw_", p.op_us, function()
        r:kernel("void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor>",
          150 * p.scale)
      end)
    end
  end)
  r:at(("%d/loss"):format(step))
  if p.item then wait_for_value(r) end
end

--- Sizes and habits that are nobody's fault.
---@param draws tests.Draws
---@return table
function program.base(draws)
  local link = draws:within("link", 40, 50)
  return { steps = draws:within("steps", 4, 7) // 1 | 0,
    layers = draws:within("layers", 4, 8) // 1 | 0,
    tokens = 128 * (draws:within("tokens", 32, 64) // 1 | 0),
    hidden = 128 * (draws:within("hidden", 12, 20) // 1 | 0),
    efficiency = draws:within("efficiency", 0.45, 0.7), scale = 1,
    attention_us = draws:within("attention", 80, 200), op_us = draws:within("op", 8, 16),
    link = link, item = draws:chance("item", 0.5), autograd = draws:chance("autograd", 0.5),
    warmup = draws:chance("warm-up", 0.3) and draws:within("warm-up of", 1.5, 3) or 1,
    tiny = draws:chance("tiny", 0.3), ranks = draws:chance("ranks", 0.15) and 2 or 1,
    reduce_us = 60,
    input = { count = 1, bytes = 2e6, memory = "Pinned", rate = link, stream = 20 } }
end

--- Its rows by rank, and how long it takes.
---@param p table
---@param draws tests.Draws
function program.run(p, draws)
  return machine.run(p.ranks, draws, function(r)
    r.ranks, r.launches = p.ranks, p.launches or 1
    local mine = p
    if p.late_rank == r.number then
      mine = setmetatable({ scale = p.scale * p.late_times }, { __index = p })
    end
    for step = 1, p.steps do
      r.slower = (p.slower or 1) * (step == 1 and p.warmup or 1)
      r:range(("ProfilerStep#%d"):format(step), function() step_of(r, mine, step) end)
    end
    r:at "end"
    r:wait "cudaDeviceSynchronize"
  end)
end

return program
