-- Which single change would help this service most: a faster link, a faster GPU, batching, or a
-- second card?
--
-- Look at: `tandem whatif what-if` (each variant against the base, on the same luck) and
-- `tandem whatif what-if --tornado` (every input turned by 10 %). The copies are the bottleneck, so
-- the bytes matter more than the GPU's speed; twice the FLOP/s helps by what the kernel takes.
-- Try: tandem whatif what-if --metric throughput_rps --set rps=400
--      tandem whatif what-if --variant "half the bytes: pipeline.h2d.bytes=24MiB"

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
