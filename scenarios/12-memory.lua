-- Is it compute or memory that limits how many conversations one L40S can hold?
--
-- Look at: the wait of the KV cache step against the wait for the GPU. Each request reserves memory
-- for its whole context before it starts and gives it back at the end.
-- Try: tandem run memory --set gpu="H100 SXM"
--      tandem run memory --set target.concurrency=32    (more slots do not help)

local td = require "tandem"

local weights  = 16.06e9 -- bytes: 8.03e9 parameters, two bytes each
local per_token = 131072 -- bytes of keys and values

return td.scenario "memory" {
  title = "Memory as the limit",
  question = "Is it compute or memory that limits how many conversations one L40S can hold?",
  workload = td.poisson { rps = 14, duration = "120s" },
  attrs    = { tokens = td.lognormal { mean = 6000, cv = 0.7 } },
  target   = td.gpu "L40S" { concurrency = 64, memory = td.si "48GiB" - weights },
  pipeline = {
    td.hold "kv cache" { memory = function(r) return per_token * r.tokens end,
      td.stage "generate" { on = "gpu", cost = function(r) return 0.5 + 0.0003 * r.tokens end },
    },
  },
  slo = { p95 = "10s" },
  replications = 8,
  expect = {
    ["stages.kv cache.wait.mean"] = { min = "100ms" },
    ["stages.generate.wait.mean"] = { max = "50ms" },
  },
}
