--- What of pipeline.py's recordings is a request, and which stages it visits.
local td = require "tandem"
return td.map {
  request = { range = "request" },
  sizes = { units = { arg = "units" } },
  stages = {
    { "preprocess", range = "preprocess" },
    { "h2d", range = "h2d", lane = "H2D" },
    { "compute", range = "compute", lane = "GPU" },
    { "d2h", range = "d2h", lane = "D2H" },
    { "postprocess", range = "postprocess" },
  },
}
