--- Kernels by the ranges around their launches. The counting is
--- src/analysis/summary/range_kernels.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

---@type tandem.Analysis
return {
  title = "Kernels by range",
  summary = "kernels by the NVTX ranges and annotations that launched them",
  about = "Sums kernels by the ranges around their launching calls, as `nsys stats -r "
    .. "nvtx_kern_sum` does: a kernel counts in every range around its call, not in the innermost "
    .. "alone; a row without a range has the kernels that no range or no recorded call belongs to. "
    .. "CSV and JSON have the median, least and deviation as well.",
  options = {
    { name = "by", value = "KEY", choices = { "name", "base" },
      help = "name (the default), base (kernels without template arguments and parameters)." },
    { name = "each", value = "WHAT",
      choices = { "thread", "device", "stream", "process", "rank" },
      help = "Separate rows for each of them: the ranges' thread (the default), or the kernels' "
        .. "device, stream, process, rank." },
    options.names,
  },
  frames = {
    range_kernels = { title = "Kernels by range", columns = columns.join({
      columns.share("share", "time"), columns.time("total_ns", "total"),
      columns.count("count", "kernels"), columns.time("mean_ns", "mean"),
      columns.time("max_ns", "max", { optional = 2 }) }, columns.split(), {
      columns.count("range_count", "ranges"), columns.text("domain"),
      columns.count("names", "names", { optional = 3 }), columns.text("range", "range"),
      columns.text("kernel", "kernel") }) },
  },
}
