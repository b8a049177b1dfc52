-- Is it compute or memory that limits how many conversations one L40S can hold?
--
-- Look at: the resources. Each request reserves memory for its whole context before it starts and
-- gives it back at the end; the memory is full while half of the compute slots are free.
-- Try: tandem run memory --set target.memory=64GB        (a card of 80 GB, less the weights)
--      tandem run memory --set target.concurrency=128    (more slots do not help)

local td = require "tandem"

local weights   = 16.06e9 -- bytes: 8.03e9 parameters, two bytes each
local per_token = 131072  -- bytes of keys and values

return td.scenario "memory" {
  title = "Memory as the limit",
  question = "Is it compute or memory that limits how many conversations one L40S can hold?",
  workload = td.poisson { rps = 14, duration = "200s" },
  attrs    = { tokens = td.lognormal { mean = 6000, cv = 0.7 } },
  target   = td.gpu "L40S" { concurrency = 64, memory = td.gpu "L40S".memory - weights },
  pipeline = {
    td.hold "kv cache" { memory = function(r) return per_token * r.tokens end,
      td.stage "generate" { on = "gpu", cost = function(r) return 0.5 + 0.0003 * r.tokens end },
    },
  },
  slo = { p95 = "20s" },
  replications = 8,
  expect = {
    bottleneck                            = "L40S memory",
    ["resources.L40S memory.utilization"] = { min = 0.85 },
    ["resources.L40S memory.queue"]       = { min = 4 },
    ["resources.L40S gpu.utilization"]    = { min = 0.4, max = 0.6 },
    ["stages.generate.wait.mean"]         = { max = "10ms" },
  },
}
