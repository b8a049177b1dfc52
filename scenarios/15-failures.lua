-- Do three GPUs still answer in time, when each fails every ten minutes for a minute?
--
-- Look at: the share of time each GPU is down and the objective. Two of three cards can only just
-- carry the load, and requests that are on a card when it fails wait until it is repaired.
-- Try: tandem run failures --set target.L40S.count=4      (a spare card)
--      tandem run failures --set target.L40S.mttr=5s      (a quick restart)

local td = require "tandem"

return td.scenario "failures" {
  title = "Failures and repair",
  question = "Do three GPUs still answer in time, when each fails every ten minutes for a minute?",
  workload = td.poisson { rps = 48, duration = "1h" },
  target   = td.fleet "pool" {
    td.gpu "L40S" { count = 3,
      mtbf = td.exponential "10min", mttr = td.gamma { mean = "1min", cv = 0.5 } },
    router = "least_outstanding",
  },
  pipeline = {
    td.fixed "parse" { time = "1ms" },
    td.stage "infer" { on = "gpu", cost = td.gamma { mean = "40ms", cv = 0.5 } },
  },
  slo = { deadline = "400ms", met = 0.97 },
  warmup = "none",
  replications = 6,
  expect = {
    slo = false,
    ["slo_met"] = { min = 0.5, max = 0.965 },
    ["resources.L40S#1 gpu.down"] = { min = 0.03, max = 0.2 },
    ["latency.p50"] = { max = "100ms" },
  },
}
