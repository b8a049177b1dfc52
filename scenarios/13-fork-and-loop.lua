-- What does an agent cost that looks things up in parallel and thinks in rounds?
--
-- Look at: the stages. Search and database lookup run at the same time and the slower one counts;
-- the think step is visited 2.5 times on average, and one request in five needs no tool at all.
-- Try: tandem run fork-and-loop --set pipeline.rounds.again=0.8
--      tandem run fork-and-loop --set pipeline.search.time=20ms

local td = require "tandem"

return td.scenario "fork-and-loop" {
  title = "Parallel branches and loops",
  question = "What does an agent cost that looks things up in parallel and thinks in rounds?",
  workload = td.poisson { rps = 30, duration = "60s" },
  attrs    = { tokens = td.gamma { mean = 60, cv = 0.7 } },
  target   = td.gpu "H100 SXM" { concurrency = 2 },
  resources = { td.pool "database" { servers = 4 } },
  pipeline = {
    td.fixed "parse" { time = "1ms" },
    td.branch "needs tools" {
      { p = 0.8,
        td.fork "look up" {
          { td.delay "search" { time = td.lognormal { p50 = "60ms", p99 = "400ms" } } },
          { td.stage "query" { on = "database", cost = td.exponential "40ms" } },
        } },
      { td.fixed "recall" { time = "2ms" } },
    },
    td.loop "rounds" { again = 0.6, max = 10,
      td.tokens "think" { time_per_token = "0.15ms" },
    },
    td.fixed "answer" { time = "1ms" },
  },
  slo = { p95 = "600ms" },
  replications = 8,
  expect = {
    ["stages.think.visits"] = { min = 1 },
    ["resources.database.utilization"] = { near = 0.24, within = 0.08 },
    ["resources.H100 SXM gpu.utilization"] = { near = 0.3375, within = 0.08 },
    slo = true,
  },
}
