-- What do bursts cost, when the mean load stays the same?
--
-- Look at: the two classes. Each brings 40 requests a second to a server of its own that takes
-- 15 ms for one; "steady" at random times (Poisson), "bursty" in bursts of about a second (MMPP).
-- Try: tandem run bursts --set classes.steady.workload.rps=65
--      (steady arrivals at 97 % load still wait less than these bursts at 60 %)

local td = require "tandem"

-- A tenth of the time 100 a second, else 33.3 a second: 40 on average.
local burst_rps, calm_rps = 100, 100 / 3

local function steps(server)
  return { td.fixed "infer" { on = server, time = "15ms", jitter = 0.1 } }
end

return td.scenario "bursts" {
  title = "Bursts against steady arrivals",
  question = "What do bursts cost, when the mean load stays the same?",
  resources = {
    td.pool "steady GPU" { lane = "GPU" },
    td.pool "bursty GPU" { lane = "GPU" },
  },
  classes = {
    { name = "steady", workload = td.poisson { rps = 40 }, pipeline = steps "steady GPU" },
    { name = "bursty", workload = td.mmpp { { burst_rps, "1s" }, { calm_rps, "9s" } },
      pipeline = steps "bursty GPU" },
  },
  slo = { p99 = "250ms" },
  duration = "300s",
  replications = 12,
  expect = {
    ["resources.steady GPU.utilization"] = { near = 0.6, within = 0.05 },
    ["resources.bursty GPU.utilization"] = { near = 0.6, within = 0.1 },
    ["classes.steady.latency.p99"]       = { max = "120ms" },
    ["classes.bursty.latency.p99"]       = { min = "500ms" },
    slo                                  = false,
  },
}
