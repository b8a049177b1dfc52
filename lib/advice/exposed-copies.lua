local td = require "tandem"

return td.advice "exposed-copies" {
  title = "Copies with nothing beside them",
  looks_for = "copies during which the GPU computes nothing",
  needs = { "memcpy|stage" },
  threshold = "5%",
  find = function(view, least)
    local found = {}
    for _, row in ipairs(view:count("evidence-overlap").devices) do
      if row.copy_ns > 0 and row.exposed_copy_ns >= least * row.elapsed_ns then
        local free_ns = row.compute_ns - (row.copy_ns - row.exposed_copy_ns)
        local gain_ns = math.min(row.exposed_copy_ns, math.max(free_ns, 0))
        found[#found + 1] = { where = view:where(row), elapsed_ns = row.elapsed_ns,
          evidence = ("%s of %s of copies ran alone"):format(view:time(row.exposed_copy_ns),
            view:time(row.copy_ns)),
          gain_ns = gain_ns, how = "the exposed time, as far as there is computation to hide it "
            .. "under",
          rows = { { what = "copies alone", dur_ns = row.exposed_copy_ns } } }
      end
    end
    return found
  end,
  what_to_do = "Copy the next input while the present one is computed: a stream for copies, pinned "
    .. "memory, double buffers; keep on the GPU what is copied twice.",
  source = "CUDA C++ Best Practices Guide, Asynchronous and Overlapping Transfers with Computation",
}
