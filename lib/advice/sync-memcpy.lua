local td = require "tandem"

return td.advice "sync-memcpy" {
  title = "Synchronous copies",
  looks_for = "copies whose call waits for them, but those within a device and those to it of "
    .. "64 KiB or less",
  needs = { "memcpy.kind", "runtime|driver" },
  threshold = "0.1%",
  find = function(view, least)
    local found, kinds = view:copies_alone("sync", least, "copies", function(one)
      return ("%s, %s"):format(one.kind, one.call)
    end)
    if not found then return {} end
    found.claims, found.how = {}, "at most the time in which only they ran"
    for i, row in ipairs(kinds) do
      found.claims[i] = { cause = "copy", name = view:copy_name(row) }
    end
    return found
  end,
  what_to_do = "Call cudaMemcpyAsync on a stream, from pinned memory, and wait where the data is "
    .. "used.",
  source = "Nsight Systems User Guide, cuda_memcpy_sync",
}
