local td = require "tandem"

return td.advice "async-pageable" {
  title = "Asynchronous copies of pageable memory",
  looks_for = "copies called asynchronously whose host memory is pageable: the driver stages them "
    .. "through pinned memory, and the call waits",
  needs = { "memcpy.src_kind", "runtime|driver" },
  threshold = "0.1%",
  find = function(view, least)
    local found = {}
    local copies = view:count("evidence-copies", { pick = "async-pageable" })
    for _, row in ipairs(copies.devices) do
      local elapsed_ns = view:device(row).elapsed_ns
      if row.alone_ns >= least * elapsed_ns then
        local rows = {}
        for _, copy in ipairs(copies.worst) do
          if copy.device == row.device and copy.rank == row.rank then
            rows[#rows + 1] = { what = ("%s %s to %s, %s"):format(copy.kind, copy.src_kind or "?",
              copy.dst_kind or "?", copy.call), start_ns = copy.start_ns, dur_ns = copy.dur_ns,
              bytes = copy.bytes }
          end
        end
        found[#found + 1] = { where = view:where(row), elapsed_ns = elapsed_ns,
          evidence = ("%s copies took %s, %s of it with nothing else on the GPU"):format(
            view:integer(row.count), view:time(row.total_ns), view:time(row.alone_ns)),
          gain_ns = row.alone_ns, how = "the time in which only these copies ran, as if all of it "
            .. "could be hidden", rows = rows }
      end
    end
    return found
  end,
  what_to_do = "Copy from pinned memory: cudaMallocHost, cudaHostRegister, pin_memory=True.",
  source = "CUDA C++ Best Practices Guide, Pinned Memory; Nsight Systems User Guide, "
    .. "cuda_memcpy_async",
}
