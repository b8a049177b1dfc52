-- How many users can work at once before they begin to wait for each other?
--
-- Look at: throughput and latency. Users think for 10 s on average and a request takes 83 ms, so
-- the knee is near (10 s + 83 ms) / 83 ms = 121 users; more of them bring no more throughput.
-- Try: tandem run closed-loop --set users=60
--      tandem run closed-loop --set users=240

local td = require "tandem"

return td.scenario "closed-loop" {
  title = "Users who think",
  question = "How many users can work at once before they begin to wait for each other?",
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
    slo                             = true,
    ["throughput_rps"]              = { min = 10.5, max = 12 },
    ["latency.mean"]                = { min = "300ms", max = "1.5s" },
    ["resources.L40 gpu.utilization"] = { min = 0.85, max = 0.98 },
  },
}
