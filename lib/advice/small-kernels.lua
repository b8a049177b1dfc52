local td = require "tandem"

-- Kernels, and the share of time that the gaps beside them take. Short is what the evidence calls
-- so: under 5 µs by default.
local LEAST_KERNELS <const>, LEAST_GAIN <const> = 100, 0.01

return td.advice "small-kernels" {
  title = "Many short kernels",
  looks_for = "kernels under 5 µs, as a share of all kernels, with short gaps before them",
  needs = { "kernel" },
  threshold = "50%",
  find = function(view, share)
    local most
    for _, row in ipairs(view:count("evidence-launches").devices) do
      if row.small >= LEAST_KERNELS and row.small >= share * row.kernels
        and row.small_gap_ns >= LEAST_GAIN * row.elapsed_ns
        and (not most or row.small_gap_ns > most.small_gap_ns) then
        most = row
      end
    end
    if not most then return {} end
    return { where = view:where(most), symptom = true,
      evidence = ("%s of %s kernels are under 5 µs: %s of %s; gaps under 5 µs before them take "
        .. "%s"):format(view:integer(most.small), view:integer(most.kernels),
        view:time(most.small_ns), view:time(most.kernel_ns), view:time(most.small_gap_ns)),
      claims = { { cause = "gap" } }, cap_ns = most.small_gap_ns,
      how = "at most the short gaps before these kernels, as if each were fused with the one "
        .. "before it",
      rows = { { what = "kernels under 5 µs", count = most.small, dur_ns = most.small_ns } } }
  end,
  what_to_do = "Fuse them: torch.compile, a fused optimizer, a library's fused operator.",
  source = "PyTorch documentation, Performance Tuning Guide, Fuse operations; Holistic Trace "
    .. "Analysis, short GPU kernels",
}
