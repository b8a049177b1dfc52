-- Which loads do one, two and four GPUs of two kinds carry within 250 ms?
--
-- Look at: the table of 24 points that `tandem sweep sweep` prints; where a line of the plot turns
-- up, that many GPUs are full. All points see the same requests, so that the lines do not cross by
-- luck.
-- Try: tandem run sweep --set rps=140
--      tandem sweep sweep
--      tandem sweep sweep --plot rps,p99,kind --where gpus=1
--      tandem sweep sweep --over rps=50:300:6 --over gpus=1,2,4 --sort p99

local td = require "tandem"

return td.scenario "sweep" {
  title = "A grid of load, count and kind",
  question = "Which loads do one, two and four GPUs of two kinds carry within 250 ms?",
  workload = td.poisson { rps = 85, duration = "30s" },
  target   = td.gpu "L40" { concurrency = 4 },
  pipeline = {
    td.transfer "h2d"     { bytes = "8MiB" },
    td.tokens   "compute" { tokens = td.lognormal { mean = 128, cv = 0.5 } },
    td.transfer "d2h"     { bytes = "2MiB" },
  },
  slo = { p99 = "250ms" },
  replications = 4,
  sweep = {
    over = { rps = td.range(60, 300, 4), gpus = { 1, 2, 4 }, kind = { "L40", "L40S" } },
  },
  -- As it stands: 85 requests a second of 128 tokens, 0.275 ms each on an L40, on four slots.
  expect = {
    bottleneck = "L40 gpu",
    overload = false,
    ["resources.L40 gpu.utilization"] = { near = 85 * 128 * 0.275e-3 / 4, within = 0.05 },
  },
}
