local td = require "tandem"

-- Tensor cores take rows of 16 bytes; kernels for others say so in their names.
local LEAST_TIMES <const> = 1.5

local function is_unaligned(row)
  return row.kernel:find("_align[12]%f[%D]") ~= nil
end

-- A size that no row of 16 bytes of this type is a multiple of; nil: all are.
local function odd_size(row)
  local odd
  for size in (row.dims or ""):gmatch "%d+" do
    local number = math.tointeger(tonumber(size))
    if number and number > 16 and number % 8 ~= 0 then odd = odd or number end
  end
  return odd
end

local function add(sum, row)
  sum.gpu_ns, sum.limit_ns = sum.gpu_ns + row.gpu_ns, sum.limit_ns + row.limit_ns
  sum.flops, sum.count = sum.flops + row.flops, sum.count + row.count
end

local function share_of_peak(view, row, sum)
  local gpu = view:gpu(row)
  local peak = gpu and gpu.flops_by_type[row.type]
  return peak and sum.flops / (sum.gpu_ns / 1e9) / peak
end

return td.advice "unaligned-products" {
  title = "Products of sizes that tensor cores do not take whole",
  looks_for = "matrix products in kernels for unaligned rows, far slower against their limit than "
    .. "the aligned products of the run",
  needs = { "kernel", "cpu_op.Input Dims|nvtx" },
  threshold = "5%",
  asks_limits = true,
  find = function(view, least)
    local slow = { gpu_ns = 0, limit_ns = 0, flops = 0, count = 0, rows = {}, names = {} }
    local fine, first, size = { gpu_ns = 0, limit_ns = 0, flops = 0, count = 0 }, nil, nil
    local limits = view:limits()
    if #limits == 0 then
      return nil, "shapes of operators (record_shapes, or emit_nvtx(record_shapes=True))"
    end
    for _, row in ipairs(limits) do
      if row.kind == "gemm" and row.limit_ns and row.type ~= "fp32" then
        local bad = is_unaligned(row) and odd_size(row)
        add(bad and slow or fine, row)
        if bad then
          first, size = first or row, size or bad
          slow.rows[#slow.rows + 1] = { what = ("%s %s"):format(row.name, row.shapes or ""),
            count = row.count, dur_ns = row.gpu_ns }
          if not slow.names[row.kernel] then
            slow.names[row.kernel], slow.names[#slow.names + 1] = true, row.kernel
          end
        end
      end
    end
    if not first or slow.gpu_ns < least * view:device(first).elapsed_ns or fine.gpu_ns == 0 then
      return {}
    end
    local own, others = slow.limit_ns / slow.gpu_ns, fine.limit_ns / fine.gpu_ns
    if others < LEAST_TIMES * own then return {} end
    local peak = share_of_peak(view, first, slow)
    -- In attention they are a part of what the cause holds.
    local attention_ns = 0
    for _, row in ipairs(view:count("evidence-causes", { nodes = 100 }).nodes) do
      if row.cause == "attention" then attention_ns = attention_ns + row.total_ns end
    end
    local gain_ns = slow.gpu_ns * (1 - own / others)
    local claims = {}
    for i, name in ipairs(slow.names) do
      claims[i] = { cause = "kernel", name = name, high = others / own }
    end
    if attention_ns > gain_ns then
      claims[#claims + 1] = { cause = "attention", high = attention_ns / (attention_ns - gain_ns) }
    end
    return { where = view:where(first), claims = claims, rows = slow.rows,
      evidence = ("%s products take %s%s, %s of their limit: rows of %d are no multiple of 8, and "
        .. "kernels for unaligned ones run; other products reach %s of theirs"):format(
        view:integer(slow.count), view:time(slow.gpu_ns),
        peak and (" at %s of the peak"):format(view:percent(peak)) or "", view:percent(own), size,
        view:percent(others)),
      how = "at most their time at the share of the limit that the run's aligned products reach",
      what_to_do = ("Pad to a multiple of 8 (%d to %d), or use a fused operator that never writes "
        .. "such a matrix."):format(size, (size + 7) // 8 * 8) }
  end,
  what_to_do = "Pad sizes to multiples of 8, or use a fused operator.",
  source = "NVIDIA Deep Learning Performance Guide, Matrix Multiplication, Tensor Core "
    .. "requirements",
}
