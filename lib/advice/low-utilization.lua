local td = require "tandem"

local LEAST_SHARE <const> = 0.05

return td.advice "low-utilization" {
  title = "Long phases with a mostly idle GPU",
  looks_for = "thirtieths of a GPU's time in which it is busy for less than the threshold",
  needs = { "kernel|graph|memcpy" },
  threshold = "50%",
  find = function(view, low)
    local idle, most = view:count("evidence-idle", { low = low }), nil
    for _, row in ipairs(idle.devices) do
      if row.low_idle_ns >= LEAST_SHARE * row.elapsed_ns
        and (not most or row.low_idle_ns > most.low_idle_ns) then
        most = row
      end
    end
    if not most then return {} end
    local rows, claims = {}, {}
    for _, chunk in ipairs(idle.chunks) do
      if chunk.device == most.device and chunk.rank == most.rank and chunk.busy < low then
        rows[#rows + 1] = { what = ("busy %s"):format(view:percent(chunk.busy)),
          start_ns = chunk.start_ns, dur_ns = chunk.dur_ns }
        claims[#claims + 1] = { cause = "within", start_ns = chunk.start_ns,
          dur_ns = chunk.dur_ns }
      end
    end
    return { where = view:where(most), symptom = true, claims = claims, cap_ns = most.low_idle_ns,
      evidence = ("%d of %d pieces of time are busy for less than %s; busy in all %s"):format(
        most.low_chunks, most.chunks, view:percent(low),
        view:percent(most.busy_ns / most.elapsed_ns)),
      how = "at most what the critical path has in these pieces, GPU work apart, and no other "
        .. "finding explains", rows = rows }
  end,
  what_to_do = "Give the GPU more at a time (larger batches, more requests in flight) or share it.",
  source = "Nsight Systems User Guide, gpu_time_util",
}
