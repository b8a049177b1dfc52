-- A day of traffic on an LLM server whose replicas come and go with it: how many GPUs does it hold?
--
-- The load is recorded: 58 minutes of Azure's conversations, whose rate doubles and falls again,
-- stretched to a day at two requests a second. A replica is a 70B model on four GPUs; as many are
-- wanted as would each have 16 requests. A new one takes three minutes for its nodes and as long as
-- 140 GB of weights take at 2 GB/s; one that is not needed for five minutes takes no more requests
-- and goes when it is empty.
--
-- Look at: GPUs on average and at most, in the report; replicas over time, in a trace. Against them
-- the times to first token of those that came before the replicas did.
-- Try: tandem run llm-autoscaling --set pipeline.answer.autoscale.min=6
--      tandem run llm-autoscaling --set pipeline.answer.autoscale.provision=20min
--      tandem run llm-autoscaling --trace day.json

local td = require "tandem"

local gpus, day = 24, 86400

return td.scenario "llm-autoscaling" {
  title = "Autoscaling through a day",
  question = "How many GPUs does a day of traffic hold when replicas come and go with it?",
  workload = td.replay { file = "data/azure-conversations.csv.gz", time = "24h", rps = 2,
    columns = { prompt_tokens = "ContextTokens", output_tokens = "GeneratedTokens" } },
  target = td.gpu "H100 SXM" { count = gpus },
  pipeline = {
    td.generate "answer" { model = td.llm "Llama-3.1-70B", tp = 4, route = "least_outstanding",
      autoscale = { min = 1, max = 6, target = 16, provision = "3min", load_bandwidth = "2GB/s" } },
  },
  warmup = "none", replications = 1,
  slo = { ttft_p99 = "2s", tpot_p99 = "60ms" },
  expect = {
    slo = true,
    ["llm.answer.replicas_peak"] = { min = 4, max = 6 },
    ["llm.answer.gpu_seconds"] = { max = 0.5 * gpus * day },
  },
}
