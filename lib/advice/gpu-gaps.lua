local td = require "tandem"

-- Gaps that make up less of the run are no reason to act.
local LEAST_SHARE <const> = 0.01

return td.advice "gpu-gaps" {
  title = "Long gaps on a GPU",
  looks_for = "gaps of at least the threshold in which a GPU has no work",
  needs = { "kernel|graph|memcpy" },
  threshold = "1ms", -- Nsight Systems: 500ms
  find = function(view, least_ns)
    local found = {}
    local idle = view:count("evidence-idle", { least_ns = least_ns })
    for _, row in ipairs(idle.devices) do
      if row.gaps > 0 and row.gap_ns >= LEAST_SHARE * row.elapsed_ns then
        local rows = {}
        for _, gap in ipairs(idle.gaps) do
          if gap.device == row.device and gap.rank == row.rank then
            rows[#rows + 1] = { what = "nothing on the GPU", start_ns = gap.start_ns,
              dur_ns = gap.dur_ns }
          end
        end
        found[#found + 1] = { where = view:where(row), elapsed_ns = row.elapsed_ns,
          evidence = ("%s gaps of %s or more, %s in all"):format(view:integer(row.gaps),
            view:time(least_ns), view:time(row.gap_ns)),
          gain_ns = row.gap_ns, how = "the time of these gaps", rows = rows }
      end
    end
    return found
  end,
  what_to_do = "Look at what the host does in these gaps (CPU stacks, NVTX ranges, OS calls): feed "
    .. "the GPU from another thread, prefetch, or move that work off the path.",
  source = "Nsight Systems User Guide, gpu_gaps",
}
