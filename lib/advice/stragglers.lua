local td = require "tandem"

local function name_of(row)
  return row.rank and ("rank %d"):format(row.rank) or ("process %d"):format(row.process or 0)
end

return td.advice "stragglers" {
  title = "Ranks wait for one that comes late",
  looks_for = "ranks for which the others wait in collectives",
  needs = { "kernel" },
  threshold = "2%",
  find = function(view, least)
    local counted = view:count("ranks")
    local ranks, met = counted.ranks or {}, 0
    if #ranks < 2 then return nil, "GPU work of two ranks or more" end
    local late, waiting = ranks[1], ranks[1]
    for _, row in ipairs(ranks) do
      met = met + (row.last_count or 0)
      if (row.held_up_ns or 0) > (late.held_up_ns or 0) then late = row end
      if (row.wait_ns or 0) > (waiting.wait_ns or 0) then waiting = row end
    end
    if met == 0 then return nil, "collectives (kernels of NCCL or RCCL) of several ranks" end
    if late == waiting or (waiting.wait_ns or 0) < least * waiting.span_ns then return {} end
    local rows = {}
    for i, row in ipairs(ranks) do
      rows[i] = { what = ("computed; waited %s for others"):format(view:time(row.wait_ns or 0)),
        where = name_of(row), dur_ns = row.compute_ns, count = row.last_count }
    end
    local comm_ns = math.max(waiting.comm_ns or 0, 1)
    -- Waits that computation hides cost nothing; work that is shared evenly is not gone.
    local most_ns = math.min(waiting.wait_ns, math.max(waiting.exposed_comm_ns or 0, 1))
    local more_ns = math.max(0, (late.compute_ns or 0) - (waiting.compute_ns or 0))
    return { where = name_of(late),
      evidence = ("%s waited %s of its %s of communication, for %s most; that was last at %s of %s "
        .. "collectives and computed %s, the other %s"):format(name_of(waiting),
        view:time(waiting.wait_ns), view:time(comm_ns), name_of(late),
        view:integer(late.last_count), view:integer(met), view:time(late.compute_ns),
        view:time(waiting.compute_ns)),
      -- No claim on the path: it is one rank's, and whether that is the one that waits is chance.
      least_ns = math.min(most_ns, more_ns) * (#ranks - 1) / #ranks, gain_ns = most_ns,
      how = "at least what the late one computes more, shared among all; at most what was waited "
        .. "with nothing beside it", rows = rows }
  end,
  what_to_do = "Balance what ranks get (sequence lengths, experts, embedding tables), look at what "
    .. "the late one does before it joins (tandem ranks), and compare clocks and temperatures of "
    .. "its GPU with the others'.",
  source = "Holistic Trace Analysis, stragglers and communication",
}
