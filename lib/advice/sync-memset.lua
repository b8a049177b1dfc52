local td = require "tandem"

return td.advice "sync-memset" {
  title = "Synchronous memsets",
  looks_for = "memsets of pinned or managed memory whose call waits for them",
  needs = { "memset.kind", "runtime|driver" },
  threshold = "0.1%",
  find = function(view, least)
    local found = view:copies_alone("sync-memset", least, "memsets", function(one)
      return ("%s, %s"):format(one.kind, one.call)
    end)
    if not found then return {} end
    found.gain_ns, found.how = found.cap_ns, "the time in which only they ran"
    return found
  end,
  what_to_do = "Call cudaMemsetAsync on a stream.",
  source = "Nsight Systems User Guide, cuda_memset_sync",
}
