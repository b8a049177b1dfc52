-- The GPU is half idle: where does the time of these large uploads go?
--
-- Look at: "Where the time goes" (h2d waits, infer does not) and the bottleneck, which is the copy
-- engine and not the GPU; a faster GPU would change nothing.
-- Try: tandem run copy-bound --set pipeline.h2d.bytes=32MiB
--      tandem run copy-bound --set gpu="H100 SXM"    (the faster link is what helps)

local td = require "tandem"

return td.scenario "copy-bound" {
  title = "A pipeline bound by copies",
  question = "The GPU is half idle: where does the time of these large uploads go?",
  workload = td.poisson { rps = 320, duration = "30s" },
  target   = td.gpu "L40S" {},
  pipeline = {
    td.fixed    "decode"  { time = "4ms", jitter = 0.1 },
    td.transfer "h2d"     { bytes = "64MiB" },
    td.stage    "infer"   { cost = "1.4ms", jitter = 0.1 },
    td.transfer "d2h"     { bytes = "256KiB" },
  },
  slo = { p99 = "60ms" },
  replications = 8,
  expect = {
    bottleneck                         = "L40S h2d",
    ["resources.L40S h2d.utilization"] = { near = 0.866, within = 0.03 },
    ["resources.L40S gpu.utilization"] = { near = 0.448, within = 0.04 },
    ["stages.h2d.wait.mean"]           = { min = "5ms", max = "14ms" },
    ["stages.infer.wait.mean"]         = { max = "1ms" },
  },
}
