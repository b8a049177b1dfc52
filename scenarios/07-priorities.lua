-- Can chat and nightly batch work share one GPU, if chat may interrupt?
--
-- Look at: the latency of each class. Chat hardly notices the batch work, although the GPU is busy
-- four fifths of the time; the batch work pays for it.
-- Try: tandem run priorities --set target.discipline=fifo        (nobody is more important)
--      tandem run priorities --set target.discipline=priority    (first in line, no interrupting)

local td = require "tandem"

return td.scenario "priorities" {
  title = "Two classes, one may interrupt",
  question = "Can chat and nightly batch work share one GPU, if chat may interrupt?",
  target   = td.gpu "H100 SXM" { discipline = "preempt" },
  pipeline = {
    td.fixed  "tokenize" { time = "1ms" },
    td.tokens "generate" { time_per_token = "50us" },
  },
  classes = {
    { name = "chat", priority = 0, workload = td.poisson { rps = 60 },
      attrs = { tokens = td.lognormal { p50 = 80, p99 = 400 } }, slo = { p99 = "60ms" } },
    { name = "batch", priority = 1, workload = td.poisson { rps = 5 },
      attrs = { tokens = td.uniform(1000, 3000) }, slo = { mean = "2s" } },
  },
  duration = "120s",
  replications = 8,
  expect = {
    ["classes.chat.latency.p99"]       = { max = "55ms" },
    ["classes.batch.latency.mean"]     = { min = "200ms" },
    ["resources.H100 SXM gpu.utilization"] = { min = 0.7, max = 0.9 },
    slo = true,
  },
}
