local td = require "tandem"

local LEAST_SHARE <const> = 0.05

return td.advice "low-utilization" {
  title = "Long phases with a mostly idle GPU",
  looks_for = "thirtieths of a GPU's time in which it is busy for less than the threshold",
  needs = { "kernel|graph|memcpy" },
  threshold = "50%",
  find = function(view, low)
    local found = {}
    local idle = view:count("evidence-idle", { low = low })
    for _, row in ipairs(idle.devices) do
      if row.low_idle_ns >= LEAST_SHARE * row.elapsed_ns then
        local rows = {}
        for _, chunk in ipairs(idle.chunks) do
          if chunk.device == row.device and chunk.rank == row.rank and chunk.busy < low then
            rows[#rows + 1] = { what = ("busy %s"):format(view:percent(chunk.busy)),
              start_ns = chunk.start_ns, dur_ns = chunk.dur_ns }
          end
        end
        found[#found + 1] = { where = view:where(row), elapsed_ns = row.elapsed_ns,
          evidence = ("%d of %d pieces of time are busy for less than %s; busy in all %s"):format(
            row.low_chunks, row.chunks, view:percent(low),
            view:percent(row.busy_ns / row.elapsed_ns)),
          gain_ns = row.low_idle_ns, how = "the idle time of these pieces", rows = rows }
      end
    end
    return found
  end,
  what_to_do = "Give the GPU more at a time (larger batches, more requests in flight) or share it.",
  source = "Nsight Systems User Guide, gpu_time_util",
}
