local td = require "tandem"

return td.advice "launch-bound" {
  title = "Launching holds the GPU up",
  looks_for = "kernels whose launch was not over when the GPU had already run dry, in gaps under "
    .. "1 ms",
  needs = { "kernel", "runtime|driver", "kernel.correlation" },
  threshold = "10%",
  find = function(view, least)
    local most
    for _, row in ipairs(view:count("evidence-launches").devices) do
      if row.waited >= 100 and row.waited_ns >= least * row.elapsed_ns
        and (not most or row.waited_ns > most.waited_ns) then
        most = row
      end
    end
    if not most then return {} end
    return { where = view:where(most),
      evidence = ("for %s of %s launches the GPU waited, %s in all; the calls took %s, the kernels "
        .. "%s"):format(view:integer(most.waited), view:integer(most.launched),
        view:time(most.waited_ns), view:time(most.launch_ns), view:time(most.kernel_ns)),
      claims = { { cause = "launch", low = 4 }, { cause = "host" } },
      cap_ns = view:launches_cap(most, most.waited_ns), sure_ns = most.waited_ns,
      how = "the run replayed with launches that take a quarter at least, at most without them and "
        .. "the host's work between them; no more than the GPU waited for calls, or at most, where "
        .. "the host holds three quarters of the run, than it idled",
      rows = { { what = "launches that the GPU waited for", count = most.waited,
        dur_ns = most.waited_ns } } }
  end,
  what_to_do = "Launch less (fuse kernels, torch.compile, larger batches), launch faster (CUDA "
    .. "graphs), or keep Python off the launching thread.",
  source = "PyTorch documentation, Performance Tuning Guide; Holistic Trace Analysis, CUDA kernel "
    .. "launch statistics",
}
