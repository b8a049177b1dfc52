local td = require "tandem"

local LEAST_GAIN <const> = 0.01

return td.advice "slow-copies" {
  title = "Copies far below the link's bandwidth",
  looks_for = "copies of 1 MiB and more between host and GPU, of memory not pageable, slower than "
    .. "the threshold's share of the link",
  needs = { "memcpy.bytes", "memcpy.kind" },
  threshold = "50%",
  find = function(view, share)
    local found, unknown = {}, nil
    local copies = view:count("evidence-copies", { pick = "large" })
    for _, row in ipairs(copies.kinds) do
      local gpu = view:gpu(row)
      local link = gpu and (row.kind == "HtoD" and gpu.h2d or gpu.d2h)
      local speed = row.total_ns > 0 and row.bytes / (row.total_ns / 1e9) or nil
      if not link then
        unknown = ("which card %s is (its name is not in the catalogue)"):format(view:where(row))
      elseif speed and speed < share * link then
        local gain_ns = row.total_ns - row.bytes / link * 1e9
        local elapsed_ns = view:device(row).elapsed_ns
        if gain_ns >= LEAST_GAIN * elapsed_ns then
          found[#found + 1] = { where = view:where(row),
            evidence = ("%s %s copies of %s ran at %s; the link of the %s carries %s"):format(
              view:integer(row.count), row.kind, view:bytes(row.bytes), view:speed(speed),
              gpu.name, view:speed(link)),
            claims = { { cause = "copy", name = view:copy_name(row), high = link / speed } },
            how = "at most their time at the link's usable bandwidth",
            rows = { { what = ("%s %s to %s"):format(row.kind, row.src_kind or "?",
              row.dst_kind or "?"), count = row.count, dur_ns = row.total_ns,
              bytes = row.bytes } } }
        end
      end
    end
    if #found == 0 and unknown then return nil, unknown end
    return found
  end,
  what_to_do = "Check the link (nvidia-smi -q: width, generation), the NUMA node of the pinned "
    .. "memory, and whether several GPUs share the link; copy in larger pieces.",
  source = "CUDA C++ Best Practices Guide, Data Transfer Between Host and Device",
}
