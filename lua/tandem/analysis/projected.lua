--- Ranges projected onto GPUs. The counting is src/analysis/summary/projected.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

---@type tandem.Analysis
return {
  title = "Ranges on the GPU",
  summary = "NVTX ranges and annotations by what GPUs did for them",
  about = "For each range that the program marked: the time from the start of the first to the end "
    .. "of the last GPU operation that was launched inside it on its thread, summed by name, as "
    .. "`nsys stats -r nvtx_gpu_proj_sum` has it. Idle time in between is part of it. Level is the "
    .. "number of ranges around, children are the ranges directly inside that launched something "
    .. "too. Ranges from start to end that need not nest have what their thread launched while "
    .. "they were open, no level and no children. CSV and JSON have the least projection, the "
    .. "deviation and the operations of each range as well.",
  options = {
    { name = "each", value = "WHAT",
      choices = { "device", "stream", "process", "rank", "thread" },
      help = "Separate rows for each of them; a range is projected onto each device or stream by "
        .. "itself." },
    options.names,
  },
  frames = {
    projected = { title = "Ranges projected onto GPUs", columns = columns.join({
      columns.time("total_ns", "on GPU"), columns.time("range_ns", "on host"),
      columns.count("count", "count"), columns.time("mean_ns", "mean"),
      columns.time("median_ns", "median", { optional = 2 }),
      columns.time("max_ns", "max", { optional = 2 }),
      columns.count("gpu_ops", "GPU ops"),
      columns.number("mean_level", "level", 1, { optional = 3 }),
      columns.number("mean_children", "children", 1, { optional = 3 }) }, columns.split(), {
      columns.text("style", "style", { optional = 4 }), columns.text("domain"),
      columns.count("names", "names", { optional = 5 }), columns.text("name", "range") }) },
  },
  plots = require("tandem.analysis.largest").plots("Ranges by time on the GPU"),
}
