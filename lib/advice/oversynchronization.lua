local td = require "tandem"

return td.advice "oversynchronization" {
  title = "The host waits, then the GPU does",
  looks_for = "calls that wait for a stream or the device, after which the GPU has nothing to do",
  needs = { "runtime|driver", "kernel|graph" },
  threshold = "2%",
  find = function(view, least)
    local syncs, most = view:count("evidence-syncs"), nil
    local total = syncs.total[1]
    for _, row in ipairs(syncs.devices) do
      if row.gaps > 0 and row.idle_ns >= least * view:device(row).elapsed_ns
        and (not most or row.idle_ns > most.idle_ns) then
        most = row
      end
    end
    if not most then return {} end
    -- After a wait the host is not ahead of the GPU for a while: launches are late, too.
    local rows, late_ns = {}, 0
    for _, row in ipairs(view:count("evidence-launches").devices) do
      if row.device == most.device and row.rank == most.rank then late_ns = row.waited_ns end
    end
    for i, call in ipairs(syncs.worst) do
      rows[i] = { what = call.call, start_ns = call.start_ns, dur_ns = call.dur_ns,
        where = ("thread %s"):format(call.tid or "?") }
    end
    return { where = view:where(most),
      evidence = ("%s waits of %s in all; in %s gaps that such a wait ended in, the GPU idled "
        .. "%s"):format(view:integer(total.count), view:time(total.total_ns),
        view:integer(most.gaps), view:time(most.idle_ns)),
      claims = { { cause = "wait" } }, cap_ns = most.idle_ns + late_ns,
      how = "the run replayed without waits, but those for values that the host reads at least, "
        .. "all of them and the values' copies at most; no more than the GPU idled in those gaps "
        .. "and waited for launches",
      rows = rows }
  end,
  what_to_do = "Wait where the result is needed only: order work by streams and events, keep "
    .. ".item(), .cpu() and printing of values out of the loop.",
  source = "CUDA C++ Best Practices Guide, Asynchronous Transfers and Overlapping; Nsight Systems "
    .. "User Guide, cuda_api_sync",
}
