local td = require "tandem"

-- Copies of few sizes, each many times, are no inputs: inputs are copied once a step.
local LEAST_COPIES <const>, LEAST_REPEATS <const> = 20, 4

-- A size that comes so rarely beside the most frequent one is not of its row: an input, a start.
local RARE <const>, NAMED <const> = 0.25, 4

-- Of a GPU: how many copies of 1 MiB and more, and their sizes, those that took longest first:
-- { bytes, count, ns }.
local function sizes_of(copies, row)
  local sizes, list, count = {}, {}, 0
  for _, one in ipairs(copies.worst) do
    if one.device == row.device and one.rank == row.rank and one.kind == "HtoD" then
      local size = sizes[one.bytes] or { bytes = one.bytes, count = 0, ns = 0 }
      if size.count == 0 then sizes[one.bytes], list[#list + 1] = size, size end
      size.count, size.ns, count = size.count + 1, size.ns + one.dur_ns, count + 1
    end
  end
  table.sort(list, function(a, b)
    if a.ns ~= b.ns then return a.ns > b.ns end
    return a.bytes > b.bytes
  end)
  return count, list
end

-- How long copies of sizes took that repeat.
local function repeated_ns(list)
  local most, ns = 0, 0
  for _, size in ipairs(list) do most = math.max(most, size.count) end
  for _, size in ipairs(list) do
    if size.count >= RARE * most then ns = ns + size.ns end
  end
  return ns
end

-- "82 of 160 MiB, 28 of 192 MiB"
local function words(view, list)
  local parts = {}
  for i = 1, math.min(#list, NAMED) do
    parts[i] = ("%s of %s"):format(view:integer(list[i].count), view:bytes(list[i].bytes))
  end
  if #list > NAMED then
    parts[#parts + 1] = ("others of %s more size%s"):format(view:integer(#list - NAMED),
      #list > NAMED + 1 and "s" or "")
  end
  return table.concat(parts, ", ")
end

local function free_compute_ns(view, row)
  for _, one in ipairs(view:count("evidence-overlap").devices) do
    if one.device == row.device and one.rank == row.rank then
      return math.max(0, one.compute_ns - (one.copy_ns - one.exposed_copy_ns))
    end
  end
  return 0
end

return td.advice "repeated-copies" {
  title = "The same sizes are copied to the GPU over and over",
  looks_for = "large copies from the host, of few sizes that repeat: weights or caches that do not "
    .. "stay on the GPU",
  needs = { "memcpy.bytes", "memcpy.kind" },
  threshold = "20%",
  find = function(view, least)
    local copies, most = view:count("evidence-copies", { pick = "large", limit = 20000 }), nil
    for _, row in ipairs(copies.kinds) do
      if row.kind == "HtoD" and row.total_ns >= least * view:device(row).elapsed_ns
        and (not most or row.total_ns > most.total_ns) then
        most = row
      end
    end
    if not most then return {} end
    local count, sizes = sizes_of(copies, most)
    if count < LEAST_COPIES or count < LEAST_REPEATS * #sizes then return {} end
    local fsdp = view:count("evidence-ranges", { named = "FSDP" })
    local gpu, free_ns = view:gpu(most), free_compute_ns(view, most)
    local memory = gpu and (", which has %s"):format(view:bytes(gpu.memory_bytes)) or ""
    local weights = #fsdp.devices > 0
    local gone_ns = weights and most.total_ns or repeated_ns(sizes)
    -- How many times as fast the copies are without so much of their time.
    local function without(ns) return most.total_ns / math.max(most.total_ns - ns, 1) end
    return { where = view:where(most),
      evidence = ("%s copies of %s in all took %s at %s: %s%s"):format(view:integer(count),
        view:bytes(most.bytes), view:time(most.total_ns),
        view:speed(most.bytes / (most.total_ns / 1e9)), words(view, sizes),
        weights and "; beside FSDP's ranges: weights kept on the host" or ""),
      claims = { { cause = "copy", name = view:copy_name(most),
        low = math.min(without(free_ns), without(gone_ns)), high = without(gone_ns) } },
      how = "at least as much as there is computation to copy under, at most all copies of sizes "
        .. "that repeat",
      rows = { { what = ("%s from %s memory"):format(most.kind, most.src_kind or "?"),
        count = count, dur_ns = most.total_ns, bytes = most.bytes } },
      what_to_do = ("Keep on the GPU%s what is copied again (CPUOffload of FSDP, device_map, "
        .. "low-memory modes do not); where it does not fit, copy the next layer while this one "
        .. "is computed, or use lower precision."):format(memory) }
  end,
  what_to_do = "Keep on the GPU what is copied again; where it does not fit, copy the next layer "
    .. "while this one is computed.",
  source = "CUDA C++ Best Practices Guide, Data Transfer Between Host and Device; PyTorch "
    .. "documentation, FSDP, CPUOffload",
}
