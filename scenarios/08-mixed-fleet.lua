-- Which router suits a fleet of two fast and four slow GPUs?
--
-- Look at: the utilization of each GPU. Sending each request to the GPU with the fewest unfinished
-- ones loads the fast cards more, without being told that they are fast.
-- Try: tandem run mixed-fleet --set target.router=round_robin     (the slow cards drown)
--      tandem run mixed-fleet --set target.router=power_of_two
--      tandem run mixed-fleet --set target.router=weighted        (by the weights below)

local td = require "tandem"

return td.scenario "mixed-fleet" {
  title = "A mixed fleet and its router",
  question = "Which router suits a fleet of two fast and four slow GPUs?",
  workload = td.poisson { rps = 300, duration = "40s" },
  attrs    = { tokens = td.lognormal { mean = 200, cv = 0.8 } },
  target   = td.fleet "pool" {
    td.gpu "H100 SXM" { count = 2 },
    td.gpu "L40S" { count = 4 },
    router = "least_outstanding",
    weights = { 4, 4, 1, 1, 1, 1 }, -- about as their memory bandwidths
  },
  pipeline = {
    td.fixed    "tokenize" { time = "1ms" },
    td.transfer "h2d"      { bytes = function(r) return 8 * r.tokens end, latency = "10us" },
    td.tokens   "generate" {},
    td.transfer "d2h"      { bytes = function(r) return 8 * r.tokens end, latency = "10us" },
  },
  slo = { p99 = "200ms" },
  replications = 8,
  expect = {
    overload = false,
    slo      = true,
    ["latency.p99"] = { max = "170ms" },
    ["resources.H100 SXM#1 gpu.utilization"] = { min = 0.55, max = 0.75 },
    ["resources.L40S#1 gpu.utilization"]     = { min = 0.8, max = 0.92 },
  },
}
