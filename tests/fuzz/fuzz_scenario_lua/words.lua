local td = require "tandem"
local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
local t = {}
for k, v in pairs { a = 1, b = "2" } do t[#t + 1] = ("%s=%s"):format(k, v) end
assert(co() == 1 and pcall(error, { 1 }) == false and select("#", table.unpack(t)) == 2)
print(td.show(0.0025, "s"), td.si "8MiB", tostring(td.poisson(1)))
local base = td.scenario "w" { workload = td.curve { { "0s", 2 }, { "3s", 20 }, duration = "5s" },
  pipeline = { td.stage { on = td.pool "db" { servers = 2, queue = 3 },
    cost = td.exponential "2ms" * 3
      + td.mixture { { 0.8, td.constant "1ms" }, { 0.2, "10ms" } } } } }
return base:with { ["cpu.workers"] = 3 }
