-- Which single change would help this service most?
--
-- Look at: `tandem whatif what-if` (each variant against the base, on the same luck) and
-- `tandem whatif what-if --tornado` (every input turned by 10 %). Copies take most of the waiting,
-- so the link and the bytes matter; twice the FLOP/s saves half of a short kernel.
-- Try: tandem run what-if --set pipeline.h2d.bytes=24MiB
--      tandem whatif what-if --metric throughput_rps --set rps=500  (more than one link carries)

local td = require "tandem"

return td.scenario "what-if" {
  title = "What if …",
  question = "Which single change would help this service most?",
  workload = td.poisson { rps = 330, duration = "30s" },
  target   = td.gpu "L40S" {},
  pipeline = {
    td.fixed    "decode"  { time = "4ms", jitter = 0.1 },
    td.transfer "h2d"     { bytes = "48MiB" },
    td.compute  "infer"   { flops = 0.3e12, jitter = 0.1 },
    td.transfer "d2h"     { bytes = "256KiB" },
  },
  slo = { p99 = "40ms" },
  replications = 16,
  whatif = {
    { "twice the link",   { ["target.h2d"] = "49.6GB/s", ["target.d2h"] = "49.6GB/s" } },
    { "twice the FLOP/s", { ["target.flops"] = "724TFLOP/s" } },
    { "two cards",        { gpus = 2 } },
    { "an H100",          { gpu = "H100 SXM" } },
    { "half the bytes",   { ["pipeline.h2d.bytes"] = "24MiB" } },
  },
  expect = {
    bottleneck                         = "L40S h2d",
    ["resources.L40S h2d.utilization"] = { near = 0.67, within = 0.04 },
    ["resources.L40S gpu.utilization"] = { max = 0.4 },
  },
}
