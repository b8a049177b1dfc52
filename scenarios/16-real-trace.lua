-- Could one L40S have served these two minutes of a real chat service?
--
-- Look at: the first 200 requests of the Azure LLM inference trace, conversations, of 2023 with
-- their own arrival times, prompt lengths and output lengths (scenarios/data/README.md says where
-- they come from; CC-BY-4.0, Microsoft).
-- Try: tandem run real-trace --set workload.speed=2
--      tandem run real-trace --set gpu="H100 SXM" workload.speed=4

local td = require "tandem"

local parameters = 8.03e9

return td.scenario "real-trace" {
  title = "A real trace",
  question = "Could one L40S have served these two minutes of a real chat service?",
  workload = td.replay { file = "data/azure-conversations-200.csv" },
  target   = td.gpu "L40S" { concurrency = 16 },
  pipeline = {
    td.compute "prefill" { flops = function(r) return 2 * parameters * r.prompt_tokens end,
      bytes = 2 * parameters, efficiency = 0.5 },
    td.stage "decode" { on = "gpu", cost = function(r)
      return 2 * parameters / r.gpu.bandwidth * r.output_tokens
    end },
  },
  slo = { p95 = "20s" },
  warmup = "none",
  expect = {
    ["classes.default.completed"] = 200,
    ["latency.p95"] = { max = "20s" },
  },
}
