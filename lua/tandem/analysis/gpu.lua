--- Kernels, copies, memsets and graphs in one table. The counting is src/analysis/summary/gpu.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

---@type tandem.Analysis
return {
  title = "GPU work",
  summary = "kernels, copies and memsets in one table",
  about = "Sums everything that GPUs did by name, the longest first, as `nsys stats -r "
    .. "cuda_gpu_sum` does; with --api the calls of the CUDA runtime and driver stand between it, "
    .. "as `-r cuda_api_gpu_sum` does. Shares are of the sum of all rows, overlapping work counted "
    .. "each.",
  options = {
    { name = "by", value = "KEY", choices = { "name", "base" },
      help = "name (the default), base (kernels without template arguments and parameters)." },
    { name = "api", help = "API calls as well." },
    options.each,
  },
  frames = {
    gpu = { title = "GPU work", columns = columns.join(columns.summary(), columns.split(), {
      columns.text("category"), columns.text("name") }) },
  },
  plots = require("tandem.analysis.largest").plots("GPU work by time"),
}
