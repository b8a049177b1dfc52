-- How many GPUs does each hour of a day need, and what does a rule that follows the load cost?
--
-- Look at: GPUs held, at the mean and at most, and the table by the hour. The rule keeps GPUs half
-- to two thirds busy; a new one takes three minutes, one that is not needed for ten minutes goes
-- when it is empty.
-- Try: tandem run scaled-day --set target.autoscale.provision=20min
--      tandem run scaled-day --set target.autoscale.target=0.9
--      tandem schedule scaled-day

local td = require "tandem"

return td.scenario "scaled-day" {
  title = "GPUs over the day",
  question = "How many GPUs does each hour of a day need, and what does a rule cost?",
  workload = td.diurnal { mean = 4, peak = 7.5, peak_at = "14h", duration = "24h" },
  target   = td.gpu "L40S" { count = 6, price = "1.20$/h", autoscale = { metric = "utilization",
    target = 0.6, start = 2, every = "30s", provision = "3min", down_after = "10min" } },
  router   = "least_outstanding",
  pipeline = { td.stage "infer" { on = "gpu", cost = td.gamma { mean = "300ms", cv = 0.5 } } },
  slo = { deadline = "2s", met = 0.97, within = "1h" },
  warmup = "none",
  replications = 4,
  expect = {
    slo = true,
    ["gpus_held.mean"] = { min = 2, max = 3.5 },
    ["gpus_held.peak"] = { max = 6 },
    ["latency.p50"] = { max = "0.5s" },
  },
}
