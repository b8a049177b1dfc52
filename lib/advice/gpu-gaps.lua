local td = require "tandem"

-- Gaps that make up less of a GPU's time are no reason to act.
local LEAST_SHARE <const>, MOST_TIMES <const> = 0.01, 200

-- What the host did in most of the gaps' time, as tandem gaps has it: "hipMemcpyWithStream in
-- aten::copy_".
local function most_done(gaps, row)
  local sums, best = {}, nil
  for _, gap in ipairs(gaps) do
    local range = gap.range and not gap.range:find "^ProfilerStep" and gap.range or nil
    local what = gap.call and range and gap.call .. " in " .. range or gap.call or range
    if what and gap.device == row.device and gap.rank == row.rank then
      sums[what] = (sums[what] or 0) + gap.gap_ns
      if not best or sums[what] > sums[best] then best = what end
    end
  end
  return best, best and sums[best]
end

-- How much of the gaps came after the launch of the work behind them, which did not begin: what it
-- waited for is not recorded.
local function asked_before(gaps, row)
  local ns = 0
  for _, gap in ipairs(gaps) do
    if gap.device == row.device and gap.rank == row.rank and gap.asked_ns then
      ns = ns + math.max(0, gap.gap_ns - gap.asked_ns)
    end
  end
  return ns
end

local UNRECORDED <const> = "What held up work that had been asked for is not recorded: work from "
  .. "before the recording, of another process or stream. Begin recording earlier, and record all "
  .. "that uses the GPU."

return td.advice "gpu-gaps" {
  title = "Long gaps on a GPU",
  looks_for = "gaps of at least the threshold in which a GPU has no work",
  needs = { "kernel|graph|memcpy" },
  threshold = "1ms", -- Nsight Systems: 500ms
  find = function(view, least_ns)
    local counted, most = view:count("gaps", { threshold = least_ns, most = MOST_TIMES }), nil
    for _, row in ipairs(counted.devices) do
      if row.count > 0 and row.share >= LEAST_SHARE and (not most or row.total_ns > most.total_ns)
      then
        most = row
      end
    end
    if not most then return {} end
    local rows, claims = {}, {}
    for _, gap in ipairs(counted.gaps) do
      if gap.device == most.device and gap.rank == most.rank then
        claims[#claims + 1] = { cause = "within", start_ns = gap.from_ns, dur_ns = gap.gap_ns }
        rows[#rows + 1] = { what = "nothing on the GPU"
          .. (gap.range and ": " .. (gap.call and gap.call .. " in " or "") .. gap.range
            or gap.call and ": " .. gap.call or ""), start_ns = gap.from_ns, dur_ns = gap.gap_ns }
      end
    end
    local done, done_ns = most_done(counted.gaps, most)
    local asked_ns = asked_before(counted.gaps, most)
    local unrecorded = asked_ns > most.total_ns / 2
    return { where = view:where(most), symptom = true, claims = claims, cap_ns = most.total_ns,
      evidence = ("%s %s of %s or more, %s in all, %s of the GPU's time%s"):format(
        view:integer(most.count), most.count == 1 and "gap" or "gaps", view:time(least_ns),
        view:time(most.total_ns), view:percent(most.share),
        (done and ("; in %s of it the host was in %s"):format(view:time(done_ns), done) or "")
          .. (unrecorded and (", and %s came after the next work had been launched"):format(
            view:time(asked_ns)) or "")),
      what_to_do = unrecorded and UNRECORDED or nil,
      how = "at most what the critical path has in these gaps and no other finding explains",
      rows = rows }
  end,
  what_to_do = "Look at what the host does in these gaps (tandem gaps): feed the GPU from another "
    .. "thread, prefetch, or move that work off the path.",
  source = "Nsight Systems User Guide, gpu_gaps",
}
