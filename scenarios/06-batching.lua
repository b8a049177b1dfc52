-- How much throughput does dynamic batching buy, and what does it cost in latency?
--
-- Look at: the batch size that forms by itself under this load. One at a time the GPU could carry
-- 182 requests a second; in batches of about eight it carries 900, and a request takes as long as
-- one batch and a half.
-- Try: tandem run batching --set pipeline.infer.batch.max=4           (too small: overload)
--      tandem run batching --set pipeline.infer.batch.wait=20ms rps=100
--      (with little load, waiting for company is all cost)

local td = require "tandem"

return td.scenario "batching" {
  title = "Dynamic batching",
  question = "How much throughput does dynamic batching buy, and what does it cost in latency?",
  workload = td.poisson { rps = 900, duration = "20s" },
  target   = td.gpu "A100 80GB SXM" {},
  pipeline = {
    td.transfer "h2d" { bytes = "1MiB" },
    -- Launch and weights cost 5 ms a batch, each member 0.5 ms more.
    td.stage "infer" { on = "gpu", batch = { max = 32, wait = "2ms" },
      cost = function(r) return 0.005 + 0.0005 * r.batch end },
  },
  slo = { p99 = "60ms" },
  replications = 8,
  expect = {
    slo = true,
    ["stages.infer.batch"] = { min = 5, max = 16 },
    -- Less than a batch waits: no queue grows, although the GPU is hardly ever idle.
    ["resources.A100 80GB SXM gpu.queue"] = { max = 10 },
    ["throughput_rps"] = { near = 900, within = 0.03 },
    ["latency.p99"] = { max = "40ms" },
  },
}
