local td = require "tandem"

return td.advice "sync-memcpy" {
  title = "Synchronous copies",
  looks_for = "copies whose call waits for them, but those within a device and those to it of "
    .. "64 KiB or less",
  needs = { "memcpy.kind", "runtime|driver" },
  threshold = "0.1%",
  find = function(view, least)
    local found = {}
    local picked = view:count("evidence-copies", { pick = "sync" })
    for _, row in ipairs(picked.devices) do
      local elapsed_ns = view:device(row).elapsed_ns
      if row.alone_ns >= least * elapsed_ns then
        local rows = {}
        for _, one in ipairs(picked.worst) do
          if one.device == row.device and one.rank == row.rank then
            rows[#rows + 1] = { what = ("%s, %s"):format(one.kind, one.call),
              start_ns = one.start_ns, dur_ns = one.dur_ns, bytes = one.bytes }
          end
        end
        found[#found + 1] = { where = view:where(row), elapsed_ns = elapsed_ns,
          evidence = ("%s copies took %s, %s of it with nothing else on the GPU"):format(
            view:integer(row.count), view:time(row.total_ns), view:time(row.alone_ns)),
          gain_ns = row.alone_ns, how = "the time in which only they ran, as if all of it could be "
            .. "hidden", rows = rows }
      end
    end
    return found
  end,
  what_to_do = "Call cudaMemcpyAsync on a stream, from pinned memory, and wait where the data is "
    .. "used.",
  source = "Nsight Systems User Guide, cuda_memcpy_sync",
}
