-- How many of a day's requests are late, when the GPU is sized for the average and not the peak?
--
-- Look at: the timeline. The mean load is half of what the card can carry; from late morning to
-- late afternoon it is nearly all of it, and that is when requests wait.
-- Try: tandem run a-day --set target.concurrency=2
--      tandem run a-day --set workload.peak=1.2     (the same day, flatter)

local td = require "tandem"

return td.scenario "a-day" {
  title = "A day with its peak",
  question = "How many of a day's requests are late, when the GPU is sized for the average?",
  workload = td.diurnal { mean = 1.0, peak = 1.9, peak_at = "14h", duration = "24h" },
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
    ["slo_met"] = { min = 0.7, max = 0.93 },
    slo = false,
    ["latency.p50"] = { max = "2s" },
  },
}
