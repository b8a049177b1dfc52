--- Copies and memsets by time and by size. The counting is src/analysis/summary/copies.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

local function own()
  return { columns.text("from_memory", "from"), columns.text("to_memory", "to"),
    columns.text("name", "operation") }
end

---@type tandem.Analysis
return {
  title = "Copies",
  summary = "copies and memsets by time and by size",
  about = "Sums copies and memsets by kind, by their time (`nsys stats -r cuda_gpu_mem_time_sum`) "
    .. "and by their bytes (`-r cuda_gpu_mem_size_sum`), the largest first. Of a simulated run: "
    .. "the transfers on its links.",
  options = {
    { name = "by", value = "KEY", choices = { "kind", "memory" },
      help = "kind (the default), memory (the kind with the memory on both sides: pageable, "
        .. "pinned, device, managed)." },
    options.each,
  },
  frames = {
    time = { title = "Copies by time",
      columns = columns.join(columns.summary(), columns.split(), own()) },
    size = { title = "Copies by size", columns = columns.join({
      columns.share("share", "bytes"), columns.bytes("total_bytes", "total"),
      columns.count("count", "count"), columns.bytes("mean_bytes", "mean"),
      columns.bytes("median_bytes", "median", { optional = 2 }),
      columns.bytes("min_bytes", "min", { optional = 3 }),
      columns.bytes("max_bytes", "max", { optional = 2 }),
      columns.bytes("stddev_bytes", "std dev", { optional = 3 }) }, columns.split(), own()) },
  },
  plots = require("tandem.analysis.largest").plots("Copies by time"),
}
