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
    return { where = name_of(late),
      evidence = ("%s waited %s of its %s of communication, for %s most; that was last at %s of %s "
        .. "collectives and computed %s, the other %s"):format(name_of(waiting),
        view:time(waiting.wait_ns), view:time(comm_ns), name_of(late),
        view:integer(late.last_count), view:integer(met), view:time(late.compute_ns),
        view:time(waiting.compute_ns)),
      -- Of several files the path is one rank's: whether it waits there is chance.
      claims = late.rank == nil and { { cause = "comm",
        high = comm_ns / math.max(comm_ns - waiting.wait_ns, comm_ns * 1e-3) } } or nil,
      gain_ns = waiting.wait_ns, cap_ns = waiting.wait_ns,
      how = "at most what it waited, as if all came at once", rows = rows }
  end,
  what_to_do = "Balance what ranks get (sequence lengths, experts, embedding tables), look at what "
    .. "the late one does before it joins (tandem ranks), and compare clocks and temperatures of "
    .. "its GPU with the others'.",
  source = "Holistic Trace Analysis, stragglers and communication",
}
