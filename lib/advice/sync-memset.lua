local td = require "tandem"

return td.advice "sync-memset" {
  title = "Synchronous memsets",
  looks_for = "memsets of pinned or managed memory whose call waits for them",
  needs = { "memset.kind", "runtime|driver" },
  threshold = "0.1%",
  find = function(view, least)
    local found = {}
    local picked = view:count("evidence-copies", { pick = "sync-memset" })
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
          evidence = ("%s memsets took %s, %s of it with nothing else on the GPU"):format(
            view:integer(row.count), view:time(row.total_ns), view:time(row.alone_ns)),
          gain_ns = row.alone_ns, how = "the time in which only they ran, as if all of it could be "
            .. "hidden", rows = rows }
      end
    end
    return found
  end,
  what_to_do = "Call cudaMemsetAsync on a stream.",
  source = "Nsight Systems User Guide, cuda_memset_sync",
}
