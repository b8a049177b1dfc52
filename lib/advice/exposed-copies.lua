local td = require "tandem"

return td.advice "exposed-copies" {
  title = "Copies with nothing beside them",
  looks_for = "copies during which the GPU computes nothing",
  needs = { "memcpy|stage" },
  threshold = "5%",
  find = function(view, least)
    local most
    for _, row in ipairs(view:count("evidence-overlap").devices) do
      if row.copy_ns > 0 and row.exposed_copy_ns >= least * row.elapsed_ns
        and (not most or row.exposed_copy_ns > most.exposed_copy_ns) then
        most = row
      end
    end
    if not most then return {} end
    local free_ns = most.compute_ns - (most.copy_ns - most.exposed_copy_ns)
    return { where = view:where(most), symptom = true,
      evidence = ("%s of %s of copies ran alone"):format(view:time(most.exposed_copy_ns),
        view:time(most.copy_ns)),
      claims = { { cause = "copy" } },
      cap_ns = math.min(most.exposed_copy_ns, math.max(free_ns, 1)),
      how = "at most the exposed time, as far as there is computation to hide it under",
      rows = { { what = "copies alone", dur_ns = most.exposed_copy_ns } } }
  end,
  what_to_do = "Copy the next input while the present one is computed: a stream for copies, pinned "
    .. "memory, double buffers; keep on the GPU what is copied twice.",
  source = "CUDA C++ Best Practices Guide, Asynchronous and Overlapping Transfers with Computation",
}
