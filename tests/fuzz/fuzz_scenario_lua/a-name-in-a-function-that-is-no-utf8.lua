local td = require "tandem"
local seen = 0
return td.scenario "hooks" {
  workload = td.arrivals(function(n) if n < 50 then return n % 5 == 0 and 0.1 or 0.01 end end),
  cpu = 1, attrs = { tokens = td.lognormal { mean = 50, cv = 1 } },
  target = td.fleet { td.gpu "A" { flops = 1e12, bandwidth = 1e12, count = 2 },
    router = function(r, gpus) return r.id % 3 > 0 and gpus[1].outstanding
      <= gpus[2].outstanding and 1 or 2 end },
  on = { start = function(r) seen = seen + r.batch td.record("waite¢", r.waited) end,
    tick = function(now) td.record("now", now) end, every = "100ms" },
  admit = function(r) return r.tokens < 200 end,
  pipeline = {
    td.stage "s" { on = "cpu", cost = function(r) if r.tokens > 10 then return 0.01 end
      return 0.001 end },
    td.stage "g" { on = "gpu", cost = td.sample(function(u) return u * 0.01 end) },
    td.process "own" { fn = function(p) p:use("cpu", 0.002) p:hold(0.01) end },
  },
}
