local td = require "tandem"

local LEAST_SHARE <const> = 0.05
-- A phase begins and ends within pieces: beside those that are idle it is followed in quarters.
local PIECES <const>, PARTS <const> = 30, 4

-- Quarters of the pieces beside those of a device that are idle, as far as they are idle too and
-- follow on; and for how long the GPU idles in them.
local function edges(view, row, low, found)
  local counted = view:count("evidence-idle", { low = low, chunks = PIECES * PARTS })
  local quarters, claims, idle_ns = {}, {}, 0
  for _, one in ipairs(counted.chunks) do
    if one.device == row.device and one.rank == row.rank then quarters[#quarters + 1] = one end
  end
  local function inside(one)
    for _, piece in ipairs(found) do
      local at = one.start_ns + one.dur_ns // 2
      if at >= piece.start_ns and at < piece.start_ns + piece.dur_ns then return true end
    end
    return false
  end
  local is_in = {}
  for i, one in ipairs(quarters) do is_in[i] = inside(one) end
  local function follow(from, step)
    for i = from, from + step * (PARTS - 1), step do
      local one = quarters[i]
      if not one or is_in[i] or one.busy >= low then return end
      is_in[i] = true
      claims[#claims + 1] = { cause = "within", start_ns = one.start_ns, dur_ns = one.dur_ns }
      idle_ns = idle_ns + math.floor(one.dur_ns * (1 - one.busy))
    end
  end
  local whole = table.move(is_in, 1, #is_in, 1, {})
  for i = 1, #quarters do
    if whole[i] and not whole[i - 1] then follow(i - 1, -1) end
    if whole[i] and not whole[i + 1] then follow(i + 1, 1) end
  end
  return claims, idle_ns
end

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
    local beside, beside_ns = edges(view, most, low, claims)
    table.move(beside, 1, #beside, #claims + 1, claims)
    return { where = view:where(most), symptom = true, claims = claims,
      cap_ns = most.low_idle_ns + beside_ns,
      evidence = ("%d of %d pieces of time are busy for less than %s; busy in all %s"):format(
        most.low_chunks, most.chunks, view:percent(low),
        view:percent(most.busy_ns / most.elapsed_ns)),
      how = "at most what the critical path has in these pieces and in idle quarters beside them, "
        .. "GPU work apart, and no other finding explains", rows = rows }
  end,
  what_to_do = "Give the GPU more at a time (larger batches, more requests in flight) or share it.",
  source = "Nsight Systems User Guide, gpu_time_util",
}
