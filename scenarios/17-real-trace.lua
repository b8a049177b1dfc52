-- Could one L40S have served the first minute of a real chat service?
--
-- Look at: 200 requests of the Azure LLM inference trace of 2023 (conversations), replayed with
-- their own times, prompt lengths and output lengths. data/README.md says where they come from
-- (CC-BY-4.0, Microsoft). A request holds one of sixteen slots from its prompt to its last token.
-- Try: tandem run real-trace --set target.concurrency=32
--      tandem run real-trace --set gpu="H100 SXM" workload.speed=2

local td = require "tandem"

local parameters = 8.03e9 -- two bytes each

return td.scenario "real-trace" {
  title = "A real trace",
  question = "Could one L40S have served the first minute of a real chat service?",
  workload = td.replay { file = "data/azure-conversations-200.csv" },
  target   = td.gpu "L40S" { concurrency = 16 },
  pipeline = {
    td.stage "answer" { on = "gpu", cost = function(r)
      local prompt = 2 * parameters * r.prompt_tokens / (0.5 * r.gpu.flops)
      local token = 2 * parameters / r.gpu.bandwidth
      return prompt + token * r.output_tokens
    end },
  },
  slo = { p95 = "30s" },
  warmup = "none",
  replications = 1,
  expect = {
    slo = true,
    ["classes.default.completed"] = 200,
    ["latency.p95"]               = { max = "30s" },
    ["latency.max"]               = { min = "10s" },
  },
}
