-- At what load does a service break, whose kernel times and request lengths were measured?
--
-- Look at: the timeline. The load climbs evenly from 5 to 95 requests a second in 90 s, so every
-- second of the axis is a request a second more; the queue grows from where the GPU is full, near
-- 72 a second.
-- Try: tandem run breaking-point --set target.concurrency=2
--      tandem run breaking-point --set target.queue=50  (turn away what cannot be served in time)

local td = require "tandem"

return td.scenario "breaking-point" {
  title = "A ramp until it breaks",
  question = "At what load does a service break, whose kernel times and lengths were measured?",
  workload = td.ramp { from = 5, to = 95, duration = "90s" },
  attrs    = { tokens = td.histogram { edges = { 1, 64, 256, 1024 }, counts = { 50, 40, 10 } } },
  target   = td.gpu "A10G" {},
  pipeline = {
    td.fixed "tokenize" { time = "0.5ms" },
    -- Measured at four lengths; straight lines between them.
    td.table "embed" { x = "tokens", jitter = 0.05,
      points = { { 1, "6ms" }, { 128, "12ms" }, { 512, "35ms" }, { 1024, "70ms" } } },
  },
  slo = { p99 = "500ms" },
  warmup = "none",
  replications = 8,
  expect = {
    slo                              = false,
    bottleneck                       = "A10G gpu",
    ["stages.embed.service.mean"]    = { near = "13.8ms", within = 0.04 },
    ["latency.p50"]                  = { max = "2s" },
    ["latency.p99"]                  = { min = "2s" },
  },
}
