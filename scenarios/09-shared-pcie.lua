-- What happens to four GPUs whose copies share one PCIe switch?
--
-- Look at: the service time of h2d. Alone, 48 MiB take 2 ms over a card's own x16 link; behind the
-- switch the copies of four cards share one such link, and each takes longer the more there are.
-- Try: tandem run shared-pcie --set 'resources[1].bandwidth=100GB/s'   (a switch that never limits)
--      tandem run shared-pcie --set pipeline.h2d.bytes=24MiB

local td = require "tandem"

return td.scenario "shared-pcie" {
  title = "Four GPUs behind one PCIe switch",
  question = "What happens to four GPUs whose copies share one PCIe switch?",
  workload = td.poisson { rps = 380, duration = "20s" },
  resources = { td.link "switch" { bandwidth = "24.8GB/s", shared = true } },
  target   = td.fleet "host" {
    td.gpu "L40S" { count = 4 },
    router = "least_outstanding", link = "switch",
  },
  pipeline = {
    td.transfer "h2d"   { bytes = "48MiB" },
    td.stage    "infer" { on = "gpu", cost = "6ms", jitter = 0.2 },
    td.transfer "d2h"   { bytes = "1MiB" },
  },
  slo = { p99 = "60ms" },
  replications = 8,
  expect = {
    overload = false,
    slo      = true,
    ["stages.h2d.service.mean"] = { min = "4ms", max = "8ms" },
    ["resources.L40S#1 gpu.utilization"] = { near = 0.57, within = 0.06 },
    ["throughput_rps"] = { near = 380, within = 0.04 },
  },
}
