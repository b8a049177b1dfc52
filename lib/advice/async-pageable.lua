local td = require "tandem"

return td.advice "async-pageable" {
  title = "Asynchronous copies of pageable memory",
  looks_for = "copies called asynchronously whose host memory is pageable: the driver stages them "
    .. "through pinned memory, and the call waits",
  needs = { "memcpy.src_kind", "runtime|driver" },
  threshold = "0.1%",
  find = function(view, least)
    return view:copies_alone("async-pageable", least, "copies", function(one)
      return ("%s %s to %s, %s"):format(one.kind, one.src_kind or "?", one.dst_kind or "?",
        one.call)
    end)
  end,
  what_to_do = "Copy from pinned memory: cudaMallocHost, cudaHostRegister, pin_memory=True.",
  source = "CUDA C++ Best Practices Guide, Pinned Memory; Nsight Systems User Guide, "
    .. "cuda_memcpy_async",
}
