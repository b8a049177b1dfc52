-- Do three GPUs still meet the objective, when each fails every half hour for a minute?
--
-- Look at: the share of time each GPU is down, the tail of the latency and the objective. Without
-- failures p99 is a tenth of it.
-- Try: tandem run failures --set gpus=4 (one spare)
--      tandem run failures --set target.mttr=10s

local td = require "tandem"

return td.scenario "failures" {
  title = "Failures and repair",
  question = "Do three GPUs still meet the objective, when each fails every half hour for a minute?",
  workload = td.poisson { rps = 100, duration = "2h" },
  target   = td.fleet "pool" {
    td.gpu "L40S" { count = 3, mtbf = td.exponential "30min", mttr = td.exponential "1min" },
    router = "least_outstanding",
  },
  pipeline = {
    td.fixed "parse" { time = "1ms" },
    td.stage "infer" { on = "gpu", cost = td.gamma { mean = "20ms", cv = 0.5 } },
  },
  slo = { deadline = "250ms", met = 0.999 },
  warmup = "none",
  replications = 2,
  expect = {
    ["resources.L40S#1 gpu.down"] = { min = 0.005, max = 0.1 },
  },
}
