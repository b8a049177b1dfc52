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
    local most_ns = 0
    for _, device in ipairs(view:devices()) do
      most_ns = math.max(most_ns, device.elapsed_ns - device.busy_ns)
    end
    found.claims, found.cap_ns = { { cause = "wait" } }, most_ns + found.cap_ns
    found.how = "the run replayed without waits, but those for values that the host reads at "
      .. "least; no more than they ran alone and the GPU idled"
    return found
  end,
  what_to_do = "Call cudaMemsetAsync on a stream.",
  source = "Nsight Systems User Guide, cuda_memset_sync",
}
