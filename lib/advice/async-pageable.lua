local td = require "tandem"

-- Shorter copies are all latency, from whatever memory.
local LATENCY_NS <const> = 10000

-- What pinned memory reaches of a link at least, and the times as fast where the card is unknown.
local USABLE <const>, UNKNOWN <const> = 0.5, 5

-- How many times as fast copies of a kind would be from pinned memory, at least and at most.
local function claim_of(view, row)
  if row.total_ns < LATENCY_NS * row.count then
    return { cause = "copy", name = view:copy_name(row), high = 1 }
  end
  local gpu = view:gpu(row)
  local link = gpu and (row.kind == "HtoD" and gpu.h2d or gpu.d2h)
  local speed = row.total_ns > 0 and row.bytes / (row.total_ns / 1e9) or 0
  local high = link and speed > 0 and math.max(1, link / speed) or UNKNOWN
  return { cause = "copy", name = view:copy_name(row), high = high,
    low = link and speed > 0 and math.max(1, math.min(high, USABLE * link / speed)) or 1 }
end

return td.advice "async-pageable" {
  title = "Asynchronous copies of pageable memory",
  looks_for = "copies called asynchronously whose host memory is pageable: the driver stages them "
    .. "through pinned memory, and the call waits",
  needs = { "memcpy.src_kind", "runtime|driver" },
  threshold = "0.1%",
  find = function(view, least)
    local found, kinds = view:copies_alone("async-pageable", least, "copies", function(one)
      return ("%s %s to %s, %s"):format(one.kind, one.src_kind or "?", one.dst_kind or "?",
        one.call)
    end)
    if not found then return {} end
    found.claims, found.cap_ns, found.how = {}, nil, "their time at half of the link's bandwidth "
      .. "at least, at all of it at most"
    for i, row in ipairs(kinds) do found.claims[i] = claim_of(view, row) end
    return found
  end,
  what_to_do = "Copy from pinned memory: cudaMallocHost, cudaHostRegister, pin_memory=True.",
  source = "CUDA C++ Best Practices Guide, Pinned Memory; Nsight Systems User Guide, "
    .. "cuda_memcpy_async",
}
