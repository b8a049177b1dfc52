-- Does a router that keeps long prompts away from short ones beat a fair one?
--
-- Look at: the router and the arrival process below, both plain Lua functions. Prompts over 4,000
-- tokens go to the last GPU only; the others go to the least busy of the rest.
-- Try: tandem run own-policy --set router=least_outstanding   (fair: short ones wait behind long)
--      tandem run own-policy --seed 7

local td = require "tandem"

local long = 4000

local function by_length(r, gpus)
  if r.prompt > long then return #gpus end
  local best = 1
  for i = 2, #gpus - 1 do
    if gpus[i].outstanding < gpus[best].outstanding then best = i end
  end
  return best
end

-- A batch job wakes up every second and sends 30 requests 2 ms apart; between its rounds users
-- come evenly.
local function gap(n)
  local place = n % 60
  if place < 30 then return 0.002 end
  return 0.94 / 30
end

return td.scenario "own-policy" {
  title = "A router and arrivals in Lua",
  question = "Does a router that keeps long prompts away from short ones beat a fair one?",
  workload = td.arrivals { fn = gap, duration = "60s" },
  attrs    = { prompt = td.empirical { 200, 600, 12000, weights = { 60, 35, 5 } } },
  target   = td.fleet "pool" { td.gpu "L40S" { count = 4 } },
  router   = by_length,
  pipeline = {
    td.compute "prefill" { flops = function(r) return 2 * 8.03e9 * r.prompt end,
      bytes = 2 * 8.03e9, efficiency = 0.5 },
  },
  slo = { p95 = "1s" },
  replications = 4,
  expect = {
    overload = false,
    ["resources.L40S#4 gpu.utilization"] = { min = 0.1, max = 0.98 },
    ["latency.p90"] = { max = "800ms" },
  },
}
