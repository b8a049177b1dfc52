-- What does an agent cost that looks things up in parallel and thinks in rounds?
--
-- Look at: the stages. Search and query run at the same time and the slower one counts; the think
-- step is visited two and a half times on average; one request in five needs no tools at all.
-- Try: tandem run fork-and-loop --set pipeline.rounds.again=0.7
--      tandem run fork-and-loop --set pipeline.search.time=20ms

local td = require "tandem"

return td.scenario "fork-and-loop" {
  title = "Parallel branches and loops",
  question = "What does an agent cost that looks things up in parallel and thinks in rounds?",
  workload = td.poisson { rps = 30, duration = "120s" },
  attrs    = { tokens = td.gamma { mean = 100, cv = 0.7 } },
  target   = td.gpu "H100 SXM" { concurrency = 2 },
  resources = { td.pool "database" { servers = 2 } },
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
    slo = true,
    -- 30 a second, four in five ask the database for 40 ms; it has two workers.
    ["resources.database.utilization"]     = { near = 30 * 0.8 * 0.040 / 2, within = 0.07 },
    -- (1 - 0.6^10) / (1 - 0.6) rounds of 100 tokens on two slots.
    ["resources.H100 SXM gpu.utilization"] = {
      near = 30 * (1 - 0.6 ^ 10) / 0.4 * 100 * 0.15e-3 / 2, within = 0.08 },
    ["stages.query.delayed"] = { min = 0.1, max = 0.5 },
    ["latency.p95"] = { min = "200ms", max = "500ms" },
  },
}
