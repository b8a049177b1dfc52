--- Launches of kernels: call, queue, kernel. The counting is src/analysis/summary/launches.c's.
local columns = require "tandem.analysis.columns"

local function moments(what, title)
  return {
    columns.time(what .. "_mean_ns", title),
    columns.time(what .. "_median_ns", title .. " median", { hidden = true }),
    columns.time(what .. "_min_ns", title .. " min", { hidden = true }),
    columns.time(what .. "_max_ns", title .. " max", { optional = 2 }),
    columns.time(what .. "_stddev_ns", title .. " std dev", { hidden = true }),
  }
end

---@type tandem.Analysis
return {
  title = "Launches",
  summary = "launches of kernels: the call, the wait in the queue, the kernel",
  about = "For every thread, GPU, API call and kernel: the means (CSV and JSON have medians, "
    .. "extremes and deviations too) of the time in the call, of the wait between its end and the "
    .. "kernel's start, of the kernel, and from the call's start to the end of both, as `nsys "
    .. "stats -r cuda_kern_exec_sum` has them. The largest sum of totals comes first.",
  options = {
    { name = "by", value = "KEY", choices = { "name", "base" },
      help = "name (the default), base (kernels without template arguments and parameters)." },
    { name = "each", value = "WHAT",
      choices = { "device", "stream", "process", "rank", "thread" },
      help = "Separate rows for each of them instead of for every thread and GPU." },
  },
  frames = {
    launches = { title = "Launches, mean times", columns = columns.join({
      columns.count("count", "count"), columns.count("queued_count", "queued", { optional = 3 }) },
      moments("total", "total"), moments("call", "call time"), moments("queue", "queue"),
      moments("kernel", "kernel time"), columns.split(),
      { columns.text("call", "call"), columns.text("kernel", "kernel") }) },
  },
}
