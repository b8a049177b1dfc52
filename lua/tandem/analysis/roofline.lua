--- How far operators are from what their GPU could do. What ran is counted by
--- src/analysis/summary/roofline.c; what it must compute and move says operator_work.lua. Where
--- Nsight Compute measured kernels, its figures are told (ncu_work.lua).
local card = require "tandem.analysis.card"
local collective_work = require "tandem.analysis.collective_work"
local columns = require "tandem.analysis.columns"
local format = require "tandem.text.format"
local kernel_type = require "tandem.analysis.kernel_type"
local ncu_work = require "tandem.analysis.ncu_work"
local operator_work = require "tandem.analysis.operator_work"
local styles = require "tandem.plot.style"

-- Faster than its GPU allows: the data was in a cache, or it did less than its shapes say.
local IMPOSSIBLE <const> = 1.05

--- What a catalogue calls the types of a profiler.
local RATES <const> = { ["c10::BFloat16"] = "bf16", ["c10::Half"] = "fp16", double = "fp64_matrix",
  ["c10::Float8_e4m3fn"] = "fp8", ["c10::Float8_e5m2"] = "fp8", ["c10::Float8_e4m3fnuz"] = "fp8",
  ["c10::Float8_e5m2fnuz"] = "fp8" }

-- Products of floats run on matrix units where the kernel says so.
local function rate_of(type_name, kernel)
  if type_name ~= "float" then return RATES[type_name] end
  return (kernel:find("tf32", 1, true) or kernel:find("s1688", 1, true)) and "tf32" or "fp32"
end

local function shapes_of(dims)
  local shapes = {}
  for shape in (dims or ""):gmatch "%[([%d,%s]+)%]" do
    shapes[#shapes + 1] = shape:gsub("%s", ""):gsub(",", "×")
  end
  return #shapes > 0 and table.concat(shapes, " ", 1, math.min(#shapes, 3)) or nil
end

-- Why there is nothing to say of a row, besides that its operator has no formula.
local function kind_without(row)
  local kernel = row.kernel:lower()
  if kernel:find "^memcpy" or kernel:find "^hipmemcpy" or kernel:find "^copy" then return "copy" end
  if kernel:find "nccl" or kernel:find "rccl" then return "communication" end
  return "unknown"
end

-- Ranges of NVTX tell sizes and no types: the kernel's name does, or nothing.
local function work_of(row)
  if row.types then return operator_work.of(row.name, row.dims, row.types, row.concrete) end
  local type_name = row.dims and kernel_type.of(row.kernel)
  row.by_kernel = type_name ~= nil
  return type_name and operator_work.of_type(row.name, row.dims, type_name) or nil
end

-- Adds to a row what it did, and how long it would have taken at the limit.
local function measure(row, gpu)
  row.shapes = shapes_of(row.dims)
  local kind = kind_without(row)
  local work = kind == "unknown" and work_of(row) or nil
  row.kind = work and work.kind or kind
  if not work then return end
  local seconds, rate = row.gpu_ns / 1e9, work.flops and rate_of(work.type, row.kernel)
  row.bytes, row.type = work.bytes * row.count, rate or work.type:gsub("^c10::", "")
  row.bytes_per_s = row.bytes / seconds
  if work.flops then
    row.flops = work.flops * row.count
    row.intensity, row.flops_per_s = work.flops / work.bytes, row.flops / seconds
  end
  local peak = gpu and rate and gpu.flops_by_type[rate]
  if not gpu or work.flops and not peak then return end
  local compute_s = work.flops and row.flops / peak or 0
  local memory_s = row.bytes / gpu.bandwidth
  row.compute_s = compute_s
  row.bound = compute_s > memory_s and "compute" or "memory"
  row.limit_ns = math.max(compute_s, memory_s) * 1e9
  row.of_limit = row.limit_ns / row.gpu_ns
  if row.of_limit > IMPOSSIBLE then
    row.of_limit, row.bound, row.limit_ns = nil, "cache", nil
  else
    row.lost_ns = math.max(0, row.gpu_ns - row.limit_ns)
  end
end

local function add(sums, key, row)
  local sum = sums[key]
  if not sum then
    sum = { kind = row.kind, gpu_ns = 0, known_ns = 0, limit_ns = 0, lost_ns = 0, flops = 0,
      bytes = 0, compute_s = 0, count = 0 }
    sums[key], sums[#sums + 1] = sum, sum
  end
  sum.gpu_ns, sum.count = sum.gpu_ns + row.gpu_ns, sum.count + row.count
  sum.flops, sum.bytes = sum.flops + (row.flops or 0), sum.bytes + (row.bytes or 0)
  sum.compute_s = sum.compute_s + (row.compute_s or 0)
  if row.limit_ns then
    sum.known_ns, sum.limit_ns = sum.known_ns + row.gpu_ns, sum.limit_ns + row.limit_ns
    sum.lost_ns = sum.lost_ns + row.lost_ns
  end
  return sum
end

local function by_gpu(gpus, shapes, cards)
  local sums, rows = {}, {}
  for _, row in ipairs(shapes) do add(sums, columns.gpu_name(row), row) end
  for i, gpu in ipairs(gpus) do
    local name = columns.gpu_name(gpu)
    local sum, found = sums[name] or add({}, name, { gpu_ns = 0, count = 0 }), cards[name]
    local window_s = gpu.window_ns / 1e9
    rows[i] = { device = gpu.device, rank = gpu.rank, card = found and found.name,
      window_ns = gpu.window_ns, gpu_ns = gpu.gpu_ns,
      known = gpu.gpu_ns > 0 and sum.known_ns / gpu.gpu_ns or nil, flops = sum.flops,
      of_limit = sum.known_ns > 0 and sum.limit_ns / sum.known_ns or nil,
      mfu = found and window_s > 0 and sum.compute_s / window_s or nil,
      mbu = found and window_s > 0 and sum.bytes / found.bandwidth / window_s or nil }
  end
  return rows
end

local function by_kind(shapes, all_ns)
  local sums = {}
  for _, row in ipairs(shapes) do
    local sum = add(sums, row.kind, row)
    sum.share = all_ns > 0 and sum.gpu_ns / all_ns or nil
    sum.of_limit = sum.known_ns > 0 and sum.limit_ns / sum.known_ns or nil
    if sum.flops > 0 then sum.flops_per_s = sum.flops / (sum.gpu_ns / 1e9) end
  end
  table.sort(sums, function(a, b)
    if a.gpu_ns ~= b.gpu_ns then return a.gpu_ns > b.gpu_ns end
    return a.kind < b.kind
  end)
  for _, sum in ipairs(sums) do
    if sum.flops == 0 then sum.flops = nil end
    if sum.bytes == 0 then sum.bytes = nil end
    if sum.known_ns == 0 then sum.lost_ns = nil end
    sum.known_ns, sum.limit_ns, sum.compute_s = nil, nil, nil
  end
  return sums
end

local function unknown_of(shapes)
  local names, sum_ns, known = {}, 0, {}
  for _, row in ipairs(shapes) do
    if row.kind == "unknown" then
      sum_ns = sum_ns + row.gpu_ns
      if not known[row.name] and #names < 4 then names[#names + 1] = row.name end
      known[row.name] = true
    end
  end
  return names, sum_ns
end

local function basis_of(raw, shapes, cards, all_ns)
  local names, unknown_ns = unknown_of(shapes)
  local cached_ns, unnamed, by_kernel = 0, {}, false
  for _, row in ipairs(shapes) do
    by_kernel = by_kernel or row.by_kernel
    if row.bound == "cache" then cached_ns = cached_ns + row.gpu_ns end
    local name = columns.gpu_name(row)
    if not cards[name] and not unnamed[name] then
      unnamed[name], unnamed[#unnamed + 1] = true, name
    end
  end
  local basis = raw.basis
  basis[#basis + 1] = "limit: FLOPs at the card's dense peak for their type, or each input read "
    .. "and each output written once at its memory bandwidth, whichever takes longer; MFU and "
    .. "MBU: both of all that ran (recomputation, too), from the first work of a GPU to its last"
  if unknown_ns > 0 and all_ns > 0 then
    basis[#basis + 1] = ("%s of GPU time has no formula: %s"):format(
      format.percent(unknown_ns / all_ns), table.concat(names, ", "))
  end
  if cached_ns > 0 then
    basis[#basis + 1] = ("%s of GPU time was faster than memory allows (bound \"cache\"): what it "
      .. "read was still in a cache, or was less than its shapes say"):format(
      format.percent(cached_ns / all_ns))
  end
  if by_kernel then
    basis[#basis + 1] = "shapes are those in names of ranges (emit_nvtx), types those in names of "
      .. "kernels, taken for all tensors of an operator; what its settings or several types "
      .. "decide (attention, convolutions, copies) has no formula"
  end
  if #unnamed > 0 then
    basis[#basis + 1] = ("no limits for %s: not in the catalogue (tandem list gpus)"):format(
      table.concat(unnamed, ", "))
  end
end

local function by_loss(a, b)
  local lost_a, lost_b = a.lost_ns or -1, b.lost_ns or -1
  if lost_a ~= lost_b then return lost_a > lost_b end
  if a.gpu_ns ~= b.gpu_ns then return a.gpu_ns > b.gpu_ns end
  if a.name ~= b.name then return a.name < b.name end
  return (a.dims or "") < (b.dims or "")
end

-- Kernels as Nsight Compute measured them, one at a time; nil: it did not.
local function measured(run)
  local rows, without = ncu_work.rows(run)
  if #rows == 0 then return nil end
  local all_ns = 0
  for _, row in ipairs(rows) do all_ns = all_ns + row.gpu_ns end
  for _, row in ipairs(rows) do row.share = row.gpu_ns / all_ns end
  table.sort(rows, by_loss)
  local basis = { "as Nsight Compute measured each launch by itself: of limit is the larger of its "
    .. "shares of the peak of the SMs and of DRAM; bytes are those of DRAM" }
  if without > 0 then
    basis[2] = ("%s launches tell no time (left out)"):format(format.integer(without))
  end
  return { basis = basis, cannot = {}, frames = {
    { name = "gpus", columns = {}, rows = {} },
    { name = "kinds", columns = {}, rows = by_kind(rows, all_ns) },
    { name = "shapes", columns = {}, rows = rows } } }
end

-- Adds what collectives sent, where that is told.
local function add_collectives(made, view)
  local rows, told, calls = collective_work.rows(view)
  if not rows then return nil, told, calls end
  if #rows == 0 then return true end
  made.frames[#made.frames + 1] = { name = "collectives", columns = {}, rows = rows }
  made.basis[#made.basis + 1] = ("collectives: %s of %s kernels tell what they send; size: the "
    .. "larger of what a rank puts in and gets out; algbw: size by mean time, which holds waits "
    .. "for late ranks; busbw: what a link carries of it, as nccl-tests has it (2(n-1)/n of an "
    .. "allreduce, (n-1)/n of what gathers, scatters or exchanges, else all); of link: the fastest "
    .. "by the card's link to other GPUs of its machine"):format(format.integer(told),
    format.integer(calls))
  return true
end

-- Operators against limits.
local function judged(view, chosen)
  local raw, message, code = view:count("roofline", chosen)
  if not raw then return nil, message, code end
  local frames = {}
  for _, frame in ipairs(raw.frames) do frames[frame.name] = frame.rows end
  local cards, all_ns = {}, 0
  for _, gpu in ipairs(frames.gpus) do
    cards[columns.gpu_name(gpu)] = card.of(view.run, gpu.device)
    all_ns = all_ns + gpu.gpu_ns
  end
  for _, row in ipairs(frames.shapes) do measure(row, cards[columns.gpu_name(row)]) end
  table.sort(frames.shapes, by_loss)
  local made = { frames = {}, basis = raw.basis, cannot = raw.cannot }
  if #raw.cannot > 0 then return made end
  basis_of(made, frames.shapes, cards, all_ns)
  made.frames = { { name = "gpus", columns = {}, rows = by_gpu(frames.gpus, frames.shapes, cards) },
    { name = "kinds", columns = {}, rows = by_kind(frames.shapes, all_ns) },
    { name = "shapes", columns = {}, rows = frames.shapes } }
  return made
end

local function answer(view, chosen)
  local made, message, code = judged(view, chosen)
  if not made then return nil, message, code end
  local of_ncu = #made.cannot > 0 and measured(view.run)
  if of_ncu then return of_ncu end
  view:trim()
  local done, why, failed = add_collectives(made, view)
  if not done then return nil, why, failed end
  return made
end

-- ---- the picture ----

-- Types as those of judged products are called.
local TYPES <const> = { BFloat16 = "bf16", Half = "fp16", float = "fp32", double = "fp64" }

local MOST_POINTS <const>, ROOF_POINTS <const> = 400, 80

-- The roof of the type that most was computed in, as points over all intensities.
local function roof_of(answer_, rows)
  local best = rows[1]
  for _, row in ipairs(rows) do
    if row.flops > best.flops then best = row end
  end
  local gpu = card.of(answer_.run, best.device)
  local peak = gpu and gpu.flops_by_type[best.type]
  if not peak then return {} end
  local low, high, points = 1, 10 * peak / gpu.bandwidth, {}
  for _, row in ipairs(rows) do
    low, high = math.min(low, row.intensity), math.max(high, row.intensity)
  end
  for i = 0, ROOF_POINTS do
    local x = low * (high / low) ^ (i / ROOF_POINTS)
    points[#points + 1] = { x = x, y = math.min(peak, x * gpu.bandwidth), series = 2 }
  end
  return points, ("roof of %s, %s"):format(gpu.name, best.type)
end

local function plots(answer_)
  local rows = {}
  for _, frame in ipairs(answer_.frames) do
    for _, row in ipairs(frame.name == "shapes" and frame.table.rows or {}) do
      if row.flops and row.flops > 0 and #rows < MOST_POINTS then rows[#rows + 1] = row end
    end
  end
  if #rows < 2 then return {} end
  local points, roof = roof_of(answer_, rows)
  for _, row in ipairs(rows) do
    points[#points + 1] = { x = row.intensity, y = row.flops_per_s, series = 1,
      name = ("%s %s"):format(row.name:gsub("^aten::", ""), row.shapes or "") }
  end
  return { { title = "Roofline", chart = require("tandem.plot").scatter { title = "Roofline",
    subtitle = "products, convolutions and attention: what they compute a second, by FLOP a byte",
    x = { label = "FLOP/byte", log = true }, y = { unit = "flops", log = true },
    series = roof and { "operators", roof } or nil, joined = { [2] = true },
    points = points } } }
end

local function flops_per_s(name)
  return columns.number(name, "TFLOP/s", 1, { show = function(value)
    return value and ("%.3g"):format(value / 1e12) or ""
  end })
end

local function hidden(...)
  local made = {}
  for i, name in ipairs { ... } do made[i] = { name = name, hidden = true } end
  return made
end

---@type tandem.Analysis
return {
  title = "Roofline",
  summary = "how far operators are from what the GPU could do, and what that costs",
  about = "Holds every operator of a torch profile that recorded its shapes (record_shapes=True), "
    .. "or of a capture of Nsight Systems with emit_nvtx(record_shapes=True), "
    .. "against the limit of its GPU: the FLOPs that its shapes ask for at the dense peak of their "
    .. "type, or its bytes at the bandwidth of memory. Those that lose most time against it come "
    .. "first. Operators without a formula and copies are counted and not judged. Collectives that "
    .. "tell what they send (Kineto, NCCL's payloads of NVTX) have their bus bandwidth. "
    .. "Kernels of Nsight Compute (ncu --csv) have what it measured.",
  frames = {
    gpus = { title = "GPUs", columns = columns.join({ columns.count("rank", "rank"),
      columns.text("device", "GPU"), columns.text("card", "taken as"),
      columns.time("window_ns", "window"), columns.time("gpu_ns", "GPU time"),
      columns.share("known", "judged"), columns.share("of_limit", "of its limit"),
      columns.share("mfu", "MFU"), columns.share("mbu", "MBU") }, hidden "flops") },
    kinds = { title = "By kind", columns = columns.join({ columns.share("share", "GPU time"),
      columns.time("gpu_ns", "time"), columns.share("of_limit", "of limit"),
      columns.time("lost_ns", "above it"), flops_per_s "flops_per_s",
      columns.count("count", "calls"), columns.text("kind", "kind") }, hidden("flops", "bytes")) },
    shapes = { title = "By operator and shapes", columns = columns.join({
      columns.time("lost_ns", "above limit"), columns.share("of_limit", "of limit"),
      columns.text("bound", "bound"), columns.share("share", "GPU time"),
      columns.time("gpu_ns", "time", { optional = 3 }),
      columns.count("count", "calls", { optional = 2 }),
      flops_per_s "flops_per_s",
      columns.bandwidth("bytes_per_s", "moved", { optional = 2 }),
      columns.number("intensity", "FLOP/B", 0, { optional = 4 }),
      columns.text("type", "type", { optional = 1, show = function(type)
        return TYPES[type] or type
      end }),
      columns.count("rank", "rank", { hidden = true }),
      columns.text("device", "GPU", { hidden = true }),
      columns.text("shapes", "shapes"),
      columns.text("name", "operator", { show = function(value)
        return styles.clean((value:gsub("^aten::", "")))
      end }) }, hidden("kind", "flops", "bytes", "limit_ns", "compute_s", "pieces", "dims", "types",
        "concrete", "kernel", "by_kernel")) },
    collectives = { title = "Collectives", columns = columns.join({
      columns.time("gpu_ns", "time"), columns.count("count", "calls"),
      columns.bytes("bytes", "size"), columns.count("ranks", "ranks"),
      columns.bandwidth("algbw", "algbw"), columns.bandwidth("busbw", "busbw"),
      columns.bandwidth("best_busbw", "fastest busbw"), columns.share("of_link", "of link"),
      columns.text("collective", "collective") }, hidden("shortest_ns", "factor")) },
  },
  answer = answer,
  judged = judged, -- without collectives, for advice
  plots = plots,
}
