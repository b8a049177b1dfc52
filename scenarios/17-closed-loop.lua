-- How many users can work at once before each of them starts to wait?
--
-- Look at: throughput and latency. Users think 10 s on average before they ask again, so the load
-- adjusts itself: beyond the knee more users bring no more throughput, only more waiting.
-- Try: tandem run closed-loop --set users=60
--      tandem run closed-loop --set users=240

local td = require "tandem"

return td.scenario "closed-loop" {
  title = "Users who think",
  question = "How many users can work at once before each of them starts to wait?",
  workload = td.closed { users = 120, think = td.exponential "10s", duration = "600s" },
  attrs    = { tokens = td.exponential(300) },
  target   = td.gpu "L40" {},
  pipeline = {
    td.fixed  "tokenize" { time = "2ms" },
    td.tokens "generate" {},
  },
  slo = { mean = "2s" },
  replications = 8,
  expect = {
    ["throughput_rps"] = { min = 8, max = 12 },
    ["latency.mean"] = { max = "2s" },
    slo = true,
  },
}
