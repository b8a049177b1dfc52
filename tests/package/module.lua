-- What a script of another program does with require "tandem": runs, with Lua of its own in the
-- model and over threads, a sweep, the store, a real capture. Prints figures, the same in any Lua
-- that loads the module and in `tandem lua`. Called by tests/package/run.
local find, open = string.find, io.open
local td = require "tandem"
local own = arg[2] == "own" -- the state is tandem's, whose string functions are counted
assert(own or (string.find == find and io.open == open), "the host's libraries are changed")

local demo = assert(td.load "demo")
local result = demo:run { replications = 4 }
print("demo", result.latency.mean.value, result.latency.p99.value)

local hooked = td.scenario "hooked" {
  workload = td.poisson { rps = 60, duration = "20s" },
  target = td.gpu "L40S" {},
  pipeline = {
    td.stage "infer" { on = "gpu", cost = function(r) return 0.005 + r.id % 3 / 1000 end },
  },
}
print("hooked", hooked:run({ replications = 3, threads = 2 }).latency.mean.value)

local swept = td.sweep { scenario = demo, over = { rps = { 40, 80 } }, replications = 2 }
for _, row in ipairs(swept:sql 'SELECT rps, "latency.p99" AS p99 FROM sweep') do
  print("sweep", row.rps, row.p99)
end

local store <close> = assert(td.store(arg[1]))
local kept = assert(store:import "tests/data/nsys/h100_2gpu_1s.sqlite.gz")
local kernels = kept:kernels():rows()
print("import", #kernels, kernels[1].total_ns)
