local td = require "tandem"
return td.scenario "demo" {
  workload = td.poisson { rps = 20, duration = "10s" },
  target = td.gpu "minëe" { flops = "100 TFLOP/s", bandwidth = "1TB/s", h2d = "32GB/s",
    d2h = "32GB/s", ms_per_token = 0.2, concurrency = 4, memory = "80GB" },
  attrs = { tokens = td.uniform(1, 300) },
  pipeline = {
    td.fixed "pre" { time = "2ms", jitter = 0.05 },
    td.transfer "h2d" { bytes = "8MiB" },
    td.hold "kv" { memory = function(r) return r.tokens * 2 ^ 20 end,
      td.tokens "compute" { tokens = function(r) return r.tokens end } },
    td.transfer "d2h" { bytes = "2MiB" },
  },
  slo = { p99 = "250ms" },
}
