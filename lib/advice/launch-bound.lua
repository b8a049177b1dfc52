local td = require "tandem"

return td.advice "launch-bound" {
  title = "Launching holds the GPU up",
  looks_for = "kernels whose launch began when the GPU had already run dry, in gaps under 1 ms",
  needs = { "kernel", "runtime|driver", "kernel.correlation" },
  threshold = "10%",
  find = function(view, least)
    local found = {}
    for _, row in ipairs(view:count("evidence-launches").devices) do
      if row.late >= 100 and row.late_ns >= least * row.elapsed_ns then
        found[#found + 1] = { where = view:where(row), elapsed_ns = row.elapsed_ns,
          evidence = ("%s of %s launches came to an idle GPU, which had waited %s; all calls took "
            .. "%s, the kernels %s"):format(view:integer(row.late), view:integer(row.launched),
            view:time(row.late_ns), view:time(row.launch_ns), view:time(row.kernel_ns)),
          gain_ns = row.late_ns, how = "the idle time before these kernels, as if launches ran "
            .. "ahead of the GPU",
          rows = { { what = "launches to an idle GPU", count = row.late, dur_ns = row.late_ns } } }
      end
    end
    return found
  end,
  what_to_do = "Launch less (fuse kernels, torch.compile, larger batches), launch faster (CUDA "
    .. "graphs), or keep Python off the launching thread.",
  source = "PyTorch documentation, Performance Tuning Guide; Holistic Trace Analysis, CUDA kernel "
    .. "launch statistics",
}
