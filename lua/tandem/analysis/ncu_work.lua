--- What Nsight Compute measured of kernels, as rows of a roofline.
--
-- Owns which of its metrics tell time, bytes of memory, FLOPs and shares of the peak, in the
-- spelling of the raw page and in that of the details page. A kernel without a time or without a
-- share of the peak has no limit: nothing is guessed. Called by roofline.lua.
local work = {}

-- In nanoseconds, bytes.
local SCALES <const> = { ns = 1, nsecond = 1, us = 1e3, usecond = 1e3, ms = 1e6, msecond = 1e6,
  s = 1e9, second = 1e9, byte = 1, Kbyte = 1e3, Mbyte = 1e6, Gbyte = 1e9, Tbyte = 1e12 }

local TIME <const> = { "gpu__time_duration.sum", "Duration" }
local COMPUTE <const> = { "sm__throughput.avg.pct_of_peak_sustained_elapsed",
  "Compute (SM) Throughput" }
local MEMORY <const> = { "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
  "dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM Throughput" }

-- Instructions of threads, each of so many operations; tensor cores count their own.
local OPERATIONS <const> = { fadd = 1, fmul = 1, ffma = 2, dadd = 1, dmul = 1, dfma = 2, hadd = 1,
  hmul = 1, hfma = 2 }
local TENSOR <const> = "^sm__ops_path_tensor_src_.*%.sum$"

local function first_of(launch, names)
  for _, name in ipairs(names) do
    local one = launch[name]
    if one then return one.value * (SCALES[one.unit] or 1) end
  end
end

local function bytes_of(launch, time_ns)
  local sum = first_of(launch, { "dram__bytes.sum" })
  local read = first_of(launch, { "dram__bytes_read.sum" })
  local written = first_of(launch, { "dram__bytes_write.sum" })
  if sum or read and written then return sum or read + written end
  local rate = launch["Memory Throughput byte/s"]
  if not rate then return nil end
  return rate.value * (SCALES[rate.unit:match "^%a+"] or 1) * time_ns / 1e9
end

local function flops_of(launch)
  local sum, some = 0, false
  for name, one in pairs(launch) do
    local operation = name:match "^smsp?__sass_thread_inst_executed_op_(%l+)_pred_on%.sum$"
    local times = OPERATIONS[operation]
      or name:find(TENSOR) and not name:find("sparsity", 1, true) and 1 -- parts of the others
    if times then sum, some = sum + times * one.value, true end
  end
  return some and sum or nil
end

local function launches_of(run)
  local launches, order = {}, {}
  for _, row in ipairs(run.store.db:all("SELECT subject, ordinal, name, unit, value FROM metric "
    .. "WHERE run = ? AND scope = 'kernel' AND value IS NOT NULL", run.number)) do
    local key = ("%s\0%d"):format(row.subject, row.ordinal or 0)
    if not launches[key] then
      launches[key] = { kernel = row.subject }
      order[#order + 1] = launches[key]
    end
    -- The details page has one name for a share and a rate.
    local rate = row.unit and row.unit:find "^%a*byte/s"
    launches[key][rate and row.name .. " byte/s" or row.name] = row
  end
  return order
end

local function add(row, launch, time_ns)
  local bytes, flops = bytes_of(launch, time_ns), flops_of(launch)
  local compute, memory = first_of(launch, COMPUTE), first_of(launch, MEMORY)
  row.gpu_ns, row.count, row.pieces = row.gpu_ns + time_ns, row.count + 1, row.pieces + 1
  row.bytes = row.bytes and bytes and row.bytes + bytes
  row.flops = row.flops and flops and row.flops + flops
  local share = math.max(compute or 0, memory or 0) / 100
  row.limit_ns = row.limit_ns and share > 0 and row.limit_ns + time_ns * share or nil
  row.compute_s = row.compute_s + (compute or 0) / 100 * time_ns / 1e9
  row.memory_s = row.memory_s + (memory or 0) / 100 * time_ns / 1e9
end

--- Rows by kernel as the roofline's "shapes"; empty where the run has no metrics of kernels.
---@param run tandem.Run
---@return table[] rows
---@return integer without  launches that tell no time
function work.rows(run)
  local rows, of, without = {}, {}, 0
  for _, launch in ipairs(launches_of(run)) do
    local time_ns = first_of(launch, TIME)
    local row = of[launch.kernel] or { name = launch.kernel, kernel = launch.kernel,
      kind = "kernel", gpu_ns = 0, count = 0, pieces = 0, bytes = 0, flops = 0, limit_ns = 0,
      compute_s = 0, memory_s = 0 }
    if time_ns and time_ns > 0 then
      if not of[launch.kernel] then of[launch.kernel], rows[#rows + 1] = row, row end
      add(row, launch, time_ns)
    else
      without = without + 1
    end
  end
  for _, row in ipairs(rows) do
    local seconds = row.gpu_ns / 1e9
    row.bytes_per_s = row.bytes and row.bytes / seconds
    row.flops_per_s = row.flops and row.flops / seconds
    row.intensity = row.flops and row.bytes and row.bytes > 0 and row.flops / row.bytes or nil
    row.bound = row.limit_ns and (row.compute_s > row.memory_s and "compute" or "memory") or nil
    row.of_limit = row.limit_ns and row.limit_ns / row.gpu_ns
    row.lost_ns = row.limit_ns and math.max(0, row.gpu_ns - row.limit_ns)
    row.memory_s = nil
  end
  return rows, without
end

return work
