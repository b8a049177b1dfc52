local td = require "tandem"

return td.advice "exposed-communication" {
  title = "Communication with nothing beside it",
  looks_for = "collectives during which the GPU computes nothing",
  needs = { "kernel" },
  threshold = "5%",
  find = function(view, least)
    local found = {}
    for _, row in ipairs(view:count("evidence-overlap").devices) do
      if row.comm_ns > 0 and row.exposed_comm_ns >= least * row.elapsed_ns then
        -- No more can be hidden than there is computation that hides nothing yet.
        local free_ns = row.compute_ns - (row.comm_ns - row.exposed_comm_ns)
        local gain_ns = math.min(row.exposed_comm_ns, math.max(free_ns, 0))
        found[#found + 1] = { where = view:where(row), elapsed_ns = row.elapsed_ns,
          evidence = ("%s of %s of communication ran alone"):format(
            view:time(row.exposed_comm_ns), view:time(row.comm_ns)),
          gain_ns = gain_ns, how = "the exposed time, as far as there is computation to hide it "
            .. "under",
          rows = { { what = "communication alone", dur_ns = row.exposed_comm_ns } } }
      end
    end
    return found
  end,
  what_to_do = "Overlap collectives with computation: gradient buckets, prefetch in FSDP, a stream "
    .. "of its own; send less, or on a faster link.",
  source = "PyTorch documentation, DistributedDataParallel and FSDP; Holistic Trace Analysis, "
    .. "communication computation overlap",
}
