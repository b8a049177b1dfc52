local td = require "tandem"

local LEAST_BYTES <const> = 2 ^ 28

return td.advice "fragmentation" {
  title = "Memory reserved that nothing uses",
  looks_for = "a caching allocator whose peak of reserved memory is far above that of allocated "
    .. "memory",
  needs = { "memory.Total Reserved", "memory.Total Allocated" },
  threshold = "20%",
  find = function(view, share)
    local found = {}
    for _, row in ipairs(view:count("evidence-memory").devices) do
      local unused = row.reserved_bytes - row.allocated_bytes
      if unused >= LEAST_BYTES and unused >= share * row.reserved_bytes then
        local where = view:where { device = ("GPU %d"):format(row.number), rank = row.rank }
        found[#found + 1] = { where = where, gain_bytes = unused,
          evidence = ("at most %s were allocated of %s reserved, over %s allocations and releases")
            :format(view:bytes(row.allocated_bytes), view:bytes(row.reserved_bytes),
              view:integer(row.events)),
          rows = { { what = "reserved and never in use at once", bytes = unused,
            count = row.events } } }
      end
    end
    return found
  end,
  what_to_do = "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, avoid sizes that change from "
    .. "step to step, free before the peak; what was reserved before the capture counts too.",
  source = "PyTorch documentation, CUDA semantics, Memory management",
}
