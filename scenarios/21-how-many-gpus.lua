-- How many GPUs, of which kind, for 40 to 400 requests a second within 120 ms?
--
-- Look at: `tandem plan how-many-gpus`: the fewest of each kind for each load, what limits them,
-- and which is cheapest. No kind wins everywhere: one L40S at first, then one H100, six A10G where
-- that H100 is full, and two H100 at the top.
-- Try: tandem run how-many-gpus --set gpu="H100 SXM" rps=400
--      tandem plan how-many-gpus --load 1000rps --budget usd=20
--      tandem plan how-many-gpus --find load --kinds L40S --gpus 4

local td = require "tandem"

return td.scenario "how-many-gpus" {
  title = "How many GPUs?",
  question = "How many GPUs, of which kind, for 40 to 400 requests a second within 120 ms?",
  workload = td.poisson { rps = 40, duration = "60s" },
  target   = td.gpu "L40S" {},
  attrs    = { tokens = td.lognormal { mean = 80, cv = 0.4 } },
  pipeline = {
    td.fixed    "tokenize" { time = "1ms", jitter = 0.1 },
    td.transfer "h2d"      { bytes = "256KiB" },
    -- Each token reads all weights once, 2 GB of them, for 16 requests together.
    td.stage    "generate" { on = "gpu",
      cost = function(r) return r.tokens * 2e9 / r.gpu.bandwidth / 16 + 0.0005 end },
    td.transfer "d2h"      { bytes = "16KiB" },
  },
  slo = { p99 = "120ms" },
  replications = 8,
  plan = { kinds = { "A10G", "L40S", "H100 SXM" }, load = td.range("40rps", "400rps", 4) },
  expect = {
    slo = true,
    bottleneck = "L40S gpu",
    ["resources.L40S gpu.utilization"] = { near = 0.48, within = 0.05 },
  },
}
