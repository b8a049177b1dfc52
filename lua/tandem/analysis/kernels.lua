--- Kernels by name. The counting is src/analysis/summary/kernels.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

---@type tandem.Analysis
return {
  title = "Kernels",
  summary = "kernels by name: time, count, mean, median, extremes",
  about = "Sums the kernels of a run by name, the longest first, as `nsys stats -r "
    .. "cuda_gpu_kern_sum` does: the share is of the time of all kernels, overlapping ones counted "
    .. "each; the standard deviation is the sample's (n - 1). Of a simulated run: the services on "
    .. "GPUs.",
  options = {
    { name = "by", value = "KEY", choices = { "name", "base", "mangled", "grid" },
      help = "name (the default), base (the function alone, without template arguments and "
        .. "parameters), mangled (as the compiler names it), grid (the name with its grid and "
        .. "block)." },
    options.each,
  },
  headline = function(answer)
    local first, second = table.unpack(answer:rows(), 1, 2)
    return second and first.name and ("The longest kernel, %s, takes %.1f %% of the time of all "
      .. "kernels."):format(require("tandem.page.answer").short(first.name), 100 * first.share)
  end,
  frames = {
    kernels = { title = "Kernels", columns = columns.join(columns.summary(), columns.split(), {
      columns.count("grid_x", "grid x"), columns.count("grid_y", "y"),
      columns.count("grid_z", "z"), columns.count("block_x", "block x"),
      columns.count("block_y", "y"), columns.count("block_z", "z"),
      columns.text("name", "kernel") }) },
  },
  plots = require("tandem.analysis.largest").plots("Kernels by time"),
}
