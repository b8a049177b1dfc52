--- Calls of the operating system's runtime. The counting is src/analysis/summary/osrt.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

---@type tandem.Analysis
return {
  title = "Operating system's runtime",
  summary = "calls of the operating system's runtime by name",
  about = "Sums the calls that block or may block (read, poll, pthread_cond_wait …) by name, the "
    .. "longest first, as `nsys stats -r osrt_sum` does. Profilers record only calls that last "
    .. "longer than a threshold of theirs.",
  options = { options.each_host },
  frames = {
    osrt = { title = "Operating system's runtime", columns = columns.join(columns.summary(),
      columns.split(), { columns.text("name", "call") }) },
  },
  plots = require("tandem.analysis.largest").plots("Calls of the operating system's runtime"),
}
