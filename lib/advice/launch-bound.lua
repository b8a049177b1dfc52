local td = require "tandem"

return td.advice "launch-bound" {
  title = "Launching holds the GPU up",
  looks_for = "kernels whose launch began when the GPU had already run dry, in gaps under 1 ms",
  needs = { "kernel", "runtime|driver", "kernel.correlation" },
  threshold = "10%",
  find = function(view, least)
    local most
    for _, row in ipairs(view:count("evidence-launches").devices) do
      if row.late >= 100 and row.late_ns >= least * row.elapsed_ns
        and (not most or row.late_ns > most.late_ns) then
        most = row
      end
    end
    if not most then return {} end
    return { where = view:where(most),
      evidence = ("%s of %s launches came to an idle GPU, which had waited %s; all calls took "
        .. "%s, the kernels %s"):format(view:integer(most.late), view:integer(most.launched),
        view:time(most.late_ns), view:time(most.launch_ns), view:time(most.kernel_ns)),
      claims = { { cause = "launch", low = 1e9 }, { cause = "host" } }, cap_ns = most.late_ns,
      how = "the run replayed without calls that launch, at most without the host's work between "
        .. "them too; no more than the idle time before these kernels",
      rows = { { what = "launches to an idle GPU", count = most.late, dur_ns = most.late_ns } } }
  end,
  what_to_do = "Launch less (fuse kernels, torch.compile, larger batches), launch faster (CUDA "
    .. "graphs), or keep Python off the launching thread.",
  source = "PyTorch documentation, Performance Tuning Guide; Holistic Trace Analysis, CUDA kernel "
    .. "launch statistics",
}
