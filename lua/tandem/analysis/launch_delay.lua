--- How late launched work begins. The counting is src/analysis/breakdown/launch_delay.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

local MEASURES <const> = { cpu_duration = "call", gpu_duration = "work", launch_delay = "delay" }

---@type tandem.Analysis
return {
  title = "Launch delays",
  summary = "API calls against what they launched: durations, delay, short kernels",
  about = "For every piece of GPU work whose API call was recorded: how long the call took, how "
    .. "long the work took, and the delay from the end of the call to the start of the work, as "
    .. "HolisticTraceAnalysis' launch statistics have them. Short work takes less than its own "
    .. "call: it would gain from fusion or a CUDA graph.",
  options = {
    { name = "runtime_cutoff", value = "TIME", kind = "time",
      help = "Calls longer than this are outliers (default: 50us)." },
    { name = "launch_delay_cutoff", value = "TIME", kind = "time",
      help = "Delays longer than this are outliers (default: 100us)." },
    { name = "kernels_only", help = "Without copies and memsets." },
    options.work,
  },
  frames = {
    launch_delay = { title = "Launch delays", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU"),
      columns.count("launches", "launches"), columns.count("short", "short"),
      columns.share("short_share", "short"), columns.count("runtime_outliers", "long calls"),
      columns.count("delay_outliers", "long delays"),
      columns.time("total_delay_ns", "all delays") } },
    durations = { title = "Durations and delays", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU"),
      columns.text("measure", "measure", { words = MEASURES }), columns.time("mean_ns", "mean"),
      columns.time("stddev_ns", "std dev"), columns.time("min_ns", "min"),
      columns.time("median_ns", "median"), columns.time("max_ns", "max") } },
    kernels = { title = "By name, the most often short first", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU", { optional = 1 }),
      columns.count("count", "count"), columns.count("short", "short"),
      columns.time("cpu_mean_ns", "call"), columns.time("gpu_mean_ns", "work"),
      columns.time("delay_mean_ns", "delay"),
      columns.time("delay_max_ns", "max delay", { optional = 2 }),
      columns.count("delay_outliers", "long delays", { optional = 2 }),
      columns.text("name", "name") } },
  },
}
