local td = require "tandem"

return td.advice "oversynchronization" {
  title = "The host waits, then the GPU does",
  looks_for = "calls that wait for a stream or the device, after which the GPU has nothing to do",
  needs = { "runtime|driver", "kernel|graph" },
  threshold = "2%",
  find = function(view, least)
    local found = {}
    local syncs = view:count("evidence-syncs")
    local total = syncs.total[1]
    for _, row in ipairs(syncs.devices) do
      local elapsed_ns = view:device(row).elapsed_ns
      if row.gaps > 0 and row.idle_ns >= least * elapsed_ns then
        local rows = {}
        for i, call in ipairs(syncs.worst) do
          rows[i] = { what = call.call, start_ns = call.start_ns, dur_ns = call.dur_ns,
            where = ("thread %s"):format(call.tid or "?") }
        end
        found[#found + 1] = { where = view:where(row), elapsed_ns = elapsed_ns,
          evidence = ("%s waits of %s in all; in %s gaps that such a wait ended in, the GPU idled "
            .. "%s"):format(view:integer(total.count), view:time(total.total_ns),
            view:integer(row.gaps), view:time(row.idle_ns)),
          gain_ns = row.idle_ns, how = "the idle time of those gaps, as if the host had gone on "
            .. "submitting work", rows = rows }
      end
    end
    return found
  end,
  what_to_do = "Wait where the result is needed only: order work by streams and events, keep "
    .. ".item(), .cpu() and printing of values out of the loop.",
  source = "CUDA C++ Best Practices Guide, Asynchronous Transfers and Overlapping; Nsight Systems "
    .. "User Guide, cuda_api_sync",
}
