local td = require "tandem"

return td.advice "stragglers" {
  title = "One rank computes longer than the others",
  looks_for = "ranks that compute longer than the mean, for which the others wait in collectives",
  needs = { "kernel" },
  threshold = "5%",
  find = function(view, least)
    local ranks, order, comm_ns = {}, {}, 0
    for _, row in ipairs(view:count("evidence-overlap").devices) do
      if row.rank then
        local one = ranks[row.rank] or { rank = row.rank, compute_ns = 0, elapsed_ns = 0 }
        if not ranks[row.rank] then order[#order + 1] = one end
        ranks[row.rank] = one
        one.compute_ns = one.compute_ns + row.compute_ns
        one.elapsed_ns = math.max(one.elapsed_ns, row.elapsed_ns)
        comm_ns = comm_ns + row.comm_ns
      end
    end
    if #order < 2 then return nil, "GPU work of two ranks or more" end
    if comm_ns == 0 then return nil, "collectives (kernels of NCCL or RCCL)" end
    local mean_ns, slowest = 0, order[1]
    for _, one in ipairs(order) do
      mean_ns = mean_ns + one.compute_ns / #order
      if one.compute_ns > slowest.compute_ns then slowest = one end
    end
    local late_ns = slowest.compute_ns - mean_ns
    if late_ns < least * slowest.elapsed_ns then return {} end
    local rows = {}
    for i, one in ipairs(order) do
      rows[i] = { what = "computation", where = ("rank %d"):format(one.rank),
        dur_ns = one.compute_ns }
    end
    return { where = ("rank %d"):format(slowest.rank), elapsed_ns = slowest.elapsed_ns,
      evidence = ("rank %d computes %s, the mean of %d ranks is %s"):format(slowest.rank,
        view:time(slowest.compute_ns), #order, view:time(mean_ns)),
      gain_ns = late_ns, how = "what it computes longer than the mean", rows = rows }
  end,
  what_to_do = "Balance what ranks get (sequence lengths, experts, embedding tables), and compare "
    .. "clocks and temperatures of its GPU with the others'.",
  source = "Holistic Trace Analysis, stragglers and communication",
}
