local td = require "tandem"

return td.advice "exposed-communication" {
  title = "Communication with nothing beside it",
  looks_for = "collectives during which the GPU computes nothing",
  needs = { "kernel" },
  threshold = "5%",
  find = function(view, least)
    local most
    for _, row in ipairs(view:count("evidence-overlap").devices) do
      if row.comm_ns > 0 and row.exposed_comm_ns >= least * row.elapsed_ns
        and (not most or row.exposed_comm_ns > most.exposed_comm_ns) then
        most = row
      end
    end
    if not most then return {} end
    -- No more can be hidden than there is computation that hides nothing yet. The last of a row of
    -- collectives brings what was computed last: nothing is left to hide it under.
    local free_ns = most.compute_ns - (most.comm_ns - most.exposed_comm_ns)
    return { where = view:where(most), symptom = true,
      evidence = ("%s of %s of communication ran alone%s"):format(view:time(most.exposed_comm_ns),
        view:time(most.comm_ns), most.last_comm_ns > 0 and ("; the last of each row of "
          .. "collectives, %s in all, has nothing left to run beside"):format(
          view:time(most.last_comm_ns)) or ""),
      claims = { { cause = "comm" } },
      cap_ns = math.max(1, math.min(most.exposed_comm_ns - most.last_comm_ns, free_ns)),
      how = "at most the exposed time, but that of the last of each row, as far as there is "
        .. "computation to hide it under",
      rows = { { what = "communication alone", dur_ns = most.exposed_comm_ns } } }
  end,
  what_to_do = "Overlap collectives with computation: gradient buckets, prefetch in FSDP, a stream "
    .. "of its own; send less, or on a faster link.",
  source = "PyTorch documentation, DistributedDataParallel and FSDP; Holistic Trace Analysis, "
    .. "communication computation overlap",
}
