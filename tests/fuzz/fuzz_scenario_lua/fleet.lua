local td = require "tandem"
local own = { flops = 1e14, bandwidth = 1e12, h2d = 32e9, d2h = 32e9, ms_per_token = 0.2 }
return td.scenario "fleet" {
  target = td.fleet { td.gpu "A" (own) { count = 2, concurrency = 2, queue = 4 },
    td.gpu "B" (own) { mtbf = "2s", mttr = td.exponential "1s", discipline = "ps" },
    router = "power_of_two", link = td.link "pcie" { bandwidth = "5GB/s" } },
  cpu = { workers = 2, discipline = "preempt" },
  attrs = { n = td.zipf { n = 10, s = 1 } },
  classes = {
    { name = "a", workload = td.renewal { rps = 30, cv = 2 }, priority = 1, patience = "50ms",
      timeout = td.exponential "1s", retry = { max = 2 } },
    { name = "b", workload = td.closed { users = 5, think = td.exponential "100ms" } },
  },
  duration = "5s",
  pipeline = {
    td.fixed "pre" { time = td.gamma { mean = "5ms", cv = 0.5 },
      batch = { max = 4, wait = "1ms" } },
    td.loop "again" { again = 0.2, max = 3, td.transfer "h2d" { bytes = "1MiB" },
      td.stage "c" { on = "gpu", cost = function(r) return 0.001 * r.n end } },
    td.branch "b" { { p = 0.4, td.delay "net" { time = "3ms" } }, { td.fork "f" {
      { td.fixed "x" { time = "1ms" } }, { td.fixed "y" { time = td.exponential "2ms" } } } } },
  },
}
