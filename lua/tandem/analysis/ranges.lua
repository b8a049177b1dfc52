--- Ranges that programs mark, by name. The counting is src/analysis/summary/ranges.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

---@type tandem.Analysis
return {
  title = "Ranges",
  summary = "NVTX ranges and annotations by name, on the host's clock",
  about = "Sums the ranges that the program marked (NVTX, annotations of PyTorch) by name, domain "
    .. "and style, the longest first, as `nsys stats -r nvtx_sum` does. Times are those of the "
    .. "host; what GPUs did for a range is another analysis (`tandem projected`).",
  options = {
    { name = "style", value = "STYLE", choices = { "pushpop", "startend" },
      help = "pushpop: ranges that nest on their thread, annotations with them (nvtx_pushpop_sum); "
        .. "startend: those that need not. Default: both." },
    options.each_host,
    options.names,
  },
  frames = {
    ranges = { title = "Ranges", columns = columns.join(columns.summary(), columns.split(), {
      columns.text("style"), columns.text("domain"),
      columns.count("names", "names", { optional = 3 }), columns.text("name", "range") }) },
  },
  plots = require("tandem.analysis.largest").plots("Ranges by time on the host"),
}
