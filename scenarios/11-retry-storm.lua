-- Does a short spike end when the load does, or do retries keep the service down?
--
-- Look at: the timeline. The spike lasts two seconds, the trouble much longer: every request that
-- is turned away or gives up comes back, and work done for those who gave up is lost.
-- Try: tandem run retry-storm --set retry.max=0
--      tandem run retry-storm --set retry.backoff=2s
--      tandem run retry-storm --set target.queue=20    (turn away early, serve the rest in time)

local td = require "tandem"

return td.scenario "retry-storm" {
  title = "Time-outs and retries",
  question = "Does a short spike end when the load does, or do retries keep the service down?",
  workload = td.spike { base = 80, peak = 400, at = "10s", width = "2s", duration = "40s" },
  target   = td.gpu "L40S" { queue = 200 },
  pipeline = {
    td.fixed "parse" { time = "1ms" },
    td.stage "infer" { on = "gpu", cost = td.gamma { mean = "10ms", cv = 0.3 } },
  },
  timeout = "1s",
  retry = { max = 4, backoff = "200ms", factor = 2, jitter = 0.5 },
  slo = { deadline = "500ms", met = 0.95 },
  warmup = "none",
  replications = 8,
  expect = {
    ["classes.default.retried"]  = { min = 500 },
    ["classes.default.dropped"]  = { min = 1 },
    slo = false,
    ["checks.ok"] = true,
  },
}
