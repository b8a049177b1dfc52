-- Does one L40 answer 85 requests a second within 250 ms?
--
-- Look at: the compute stage, where almost all the time goes, and how much of it is waiting; the
-- 99th percentile against the mean; the capacity that the bottleneck names.
-- Try: tandem run demo --set rps=100

local td = require "tandem"

return td.scenario "demo" {
  title = "One GPU, five steps",
  question = "Does one L40 answer 85 requests a second within 250 ms?",
  workload = td.poisson { rps = 85, duration = "60s" },
  target   = td.gpu "L40" { concurrency = 4 },
  pipeline = {
    td.fixed    "preprocess"  { time = "2ms", jitter = 0.05 },
    td.transfer "h2d"         { bytes = "8MiB" },
    td.tokens   "compute"     { tokens = td.lognormal { mean = 128, cv = 0.5 } },
    td.transfer "d2h"         { bytes = "2MiB" },
    td.fixed    "postprocess" { time = "1ms" },
  },
  slo = { p99 = "250ms" },
  replications = 10,
  expect = {
    bottleneck                    = "L40 gpu",
    overload                      = false,
    slo                           = true,
    ["resources.L40 gpu.utilization"] = { near = 0.755, within = 0.05 },
    ["latency.p50"]               = { min = "35ms", max = "55ms" },
    ["latency.p99"]               = { max = "200ms" },
  },
}
