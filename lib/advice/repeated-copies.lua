local td = require "tandem"

-- Copies of few sizes, each many times, are no inputs: inputs are copied once a step.
local LEAST_COPIES <const>, LEAST_REPEATS <const> = 20, 4

-- Of a GPU: how many copies of 1 MiB and more, of how many sizes.
local function sizes_of(copies, row)
  local sizes, count, names = {}, 0, 0
  for _, one in ipairs(copies.worst) do
    if one.device == row.device and one.rank == row.rank and one.kind == "HtoD" then
      count = count + 1
      if not sizes[one.bytes] then sizes[one.bytes], names = true, names + 1 end
    end
  end
  return count, names
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
    if count < LEAST_COPIES or count < LEAST_REPEATS * sizes then return {} end
    local fsdp = view:count("evidence-ranges", { named = "FSDP" })
    local gpu, free_ns = view:gpu(most), free_compute_ns(view, most)
    local memory = gpu and (", which has %s"):format(view:bytes(gpu.memory_bytes)) or ""
    return { where = view:where(most),
      evidence = ("%s copies of %s in all took %s at %s; they have %s sizes, each %d times%s")
        :format(view:integer(count), view:bytes(most.bytes), view:time(most.total_ns),
        view:speed(most.bytes / (most.total_ns / 1e9)), view:integer(sizes), count // sizes,
        #fsdp.devices > 0 and ", beside FSDP's ranges: weights kept on the host" or ""),
      claims = { { cause = "copy", name = view:copy_name(most),
        low = most.total_ns / math.max(most.total_ns - free_ns, most.total_ns * 1e-3) } },
      how = "at least as much as there is computation to copy under, at most all of it",
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
