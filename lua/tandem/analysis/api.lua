--- API calls by name. The counting is src/analysis/summary/api.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

---@type tandem.Analysis
return {
  title = "API calls",
  summary = "calls of the CUDA runtime and driver by name",
  about = "Sums the calls of the CUDA (HIP) runtime and driver by name, the longest first, as "
    .. "`nsys stats -r cuda_api_sum` does. Names are without the version of the interface "
    .. "(_v3020, _v11060), so that the versions of a call are one row.",
  options = { options.each_host },
  frames = {
    api = { title = "API calls", columns = columns.join(columns.summary(), columns.split(), {
      columns.text("name", "call") }) },
  },
  plots = require("tandem.analysis.largest").plots("API calls by time"),
}
