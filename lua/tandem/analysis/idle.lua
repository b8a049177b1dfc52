--- Why streams idle. The counting is src/analysis/breakdown/idle.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

---@type tandem.Analysis
return {
  title = "Why streams idle",
  summary = "idle time of streams: waiting for the host, between kernels, other",
  about = "Idle time between the pieces of work of each stream, by cause, as "
    .. "HolisticTraceAnalysis has it: host wait, when the launch came after the stream fell "
    .. "idle; kernel wait, when it came before and the gap is short; other, such as waiting for "
    .. "an event. Its documents give the limit of a short gap as 30 ns, but it compares 30 with "
    .. "microseconds; 30 µs is the default here. A filter of time is a "
    .. "window onto the run: what is idle in it counts, with the cause that it has in the run.",
  options = {
    { name = "consecutive_kernel_delay", value = "TIME", kind = "time",
      help = "Gaps shorter than this are kernel wait (default: 30us)." },
    options.work,
  },
  frames = {
    idle = { title = "Why streams idle", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU"),
      columns.text("stream", "stream"), columns.time("idle_ns", "idle"),
      columns.time("host_wait_ns", "host wait"), columns.share("host_wait_share", "share"),
      columns.time("kernel_wait_ns", "kernel wait"), columns.share("kernel_wait_share", "share"),
      columns.time("other_ns", "other"), columns.share("other_share", "share"),
      columns.time("busy_ns", "busy", { optional = 1 }),
      columns.count("count", "work", { optional = 2 }) } },
  },
}
