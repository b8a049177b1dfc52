-- How many of the day's requests are late, if the GPU is sized for the average and not the peak?
--
-- Look at: the timeline of the day and its utilization at the peak. The mean load is fine; the
-- afternoon is not.
-- Try: tandem run a-day --set target.concurrency=2
--      tandem run a-day --set workload.peak=1.1

local td = require "tandem"

return td.scenario "a-day" {
  title = "A day with its peak",
  question = "How many of the day's requests are late, if the GPU is sized for the average?",
  workload = td.diurnal { mean = 1.0, peak = 1.8, peak_at = "14h", duration = "24h" },
  target   = td.gpu "L4" {},
  pipeline = {
    td.fixed "parse" { time = "5ms" },
    td.stage "infer" { on = "gpu", cost = td.gamma { mean = "500ms", cv = 0.5 } },
  },
  slo = { deadline = "5s", met = 0.95 },
  warmup = "none",
  replications = 4,
  expect = {
    ["resources.L4 gpu.utilization"] = { near = 0.5, within = 0.05 },
    slo = true,
  },
}
