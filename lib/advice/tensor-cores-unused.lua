local td = require "tandem"

-- Matrix products on the ordinary units say so in their names: sgemm and hgemm of cuBLAS, simt of
-- CUTLASS, ffma of the xmma kernels. The marks of matrix units take them back.
local PLAIN <const> = { "sgemm", "simt", "_ffma_", "hgemm" }
local TENSOR <const> = { "884", "1688", "16816", "tensorop", "wgmma", "gmma", "nvjet", "cutlass3",
  "tf32", "hmma", "imma" }
-- Where the card is not known. FP32 to TF32 is 8 times on an A100.
local CAUTIOUS <const> = 2

local function has_any(name, words)
  for _, word in ipairs(words) do
    if name:find(word, 1, true) then return true end
  end
  return false
end

local function speedup_of(gpu)
  local rates = gpu and gpu.flops_by_type
  if not rates or not rates.fp32 then return CAUTIOUS, "assuming twice the speed" end
  local matrix = rates.tf32 or rates.fp16
  if not matrix then return nil end
  return matrix / rates.fp32, ("at the ratio of the peaks of the %s"):format(gpu.name)
end

local function claims_of(rows, speedup)
  local claims = {}
  for i, row in ipairs(rows) do
    claims[i] = { cause = "kernel", name = row.what, high = speedup }
  end
  return claims
end

-- Volta and Turing: their tensor cores take FP16 alone.
local BEFORE_AMPERE <const> = { "V100", "T4", "TITAN V", "TITAN RTX", "RTX 20%d%d", "Quadro RTX" }

local function way_of(gpu, device)
  local rates = gpu and gpu.flops_by_type
  local fp16_alone = rates and not rates.tf32 and not rates.bf16
  for _, name in ipairs(not rates and BEFORE_AMPERE or {}) do
    fp16_alone = fp16_alone or (device or ""):find(name .. "%f[^%w]") ~= nil
  end
  if not fp16_alone then return nil end
  return ("Compute in FP16 with automatic mixed precision (torch.autocast, a GradScaler where it "
    .. "trains): the %s has neither TF32 nor BF16; keep sizes multiples of 8."):format(gpu
    and gpu.name or device)
end

return td.advice "tensor-cores-unused" {
  title = "Matrix products without tensor cores",
  looks_for = "matrix products on the ordinary arithmetic units, by the names of their kernels",
  needs = { "kernel" },
  threshold = "5%",
  find = function(view, least)
    local of, order = {}, {}
    for _, row in ipairs(view:count("kernels", { each = "device" }).kernels) do
      local name = row.name:lower()
      local key = view:where(row)
      if not of[key] then
        of[key] = { row = row, plain_ns = 0, kernel_ns = 0, rows = {} }
        order[#order + 1] = key
      end
      local one = of[key]
      one.kernel_ns = one.kernel_ns + row.total_ns
      if has_any(name, PLAIN) and not has_any(name, TENSOR) then
        one.plain_ns = one.plain_ns + row.total_ns
        one.rows[#one.rows + 1] = { what = row.name, count = row.count, dur_ns = row.total_ns }
      end
    end
    local found = {}
    for _, key in ipairs(order) do
      local one = of[key]
      local speedup, how = speedup_of(view:gpu(one.row))
      if one.plain_ns > 0 and one.plain_ns >= least * one.kernel_ns and speedup then
        found[#found + 1] = { where = key,
          evidence = ("%s of %s of kernels are matrix products on the ordinary units"):format(
            view:time(one.plain_ns), view:time(one.kernel_ns)),
          claims = claims_of(one.rows, speedup), how = "at most their time on tensor cores, "
            .. how, rows = one.rows, what_to_do = way_of(view:gpu(one.row), one.row.device) }
      end
    end
    table.sort(found, function(a, b) return #a.rows > #b.rows end)
    return { found[1] }
  end,
  what_to_do = "Allow TF32 (torch.set_float32_matmul_precision(\"high\")), or compute in BF16 or "
    .. "FP16 with automatic mixed precision; keep sizes multiples of 8.",
  source = "NVIDIA Deep Learning Performance Guide, Matrix Multiplication; PyTorch documentation, "
    .. "TensorFloat-32",
}
