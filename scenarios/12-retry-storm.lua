-- Does the trouble end with the spike, or do retries keep the service down?
--
-- Look at: the timeline. The spike lasts two seconds; who waits longer than a second gives up and
-- comes again, up to five times, so the queue stays long after the spike is over.
-- Try: tandem run retry-storm --set retry.max=0      (sooner over; more are answered in time)
--      tandem run retry-storm --set target.queue=30  (turn away early, serve the rest in time)

local td = require "tandem"

return td.scenario "retry-storm" {
  title = "Patience, retries and a spike",
  question = "Does the trouble end with the spike, or do retries keep the service down?",
  workload = td.spike { base = 85, peak = 400, at = "10s", width = "2s", duration = "60s" },
  target   = td.gpu "L40S" { queue = 200 },
  pipeline = {
    td.fixed "parse" { time = "1ms" },
    td.stage "infer" { on = "gpu", cost = td.gamma { mean = "10ms", cv = 0.3 } },
  },
  patience = "1s",
  timeout  = "20s",
  retry    = { max = 5, backoff = "200ms", factor = 2, jitter = 0.5 },
  slo      = { deadline = "500ms", met = 0.95 },
  warmup   = "none",
  replications = 8,
  expect = {
    ["classes.default.retried"] = { min = 1000 },
    ["slo_met"]                 = { max = 0.85 },
    slo                         = false,
    ["checks.ok"]               = true,
  },
}
