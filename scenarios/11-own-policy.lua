-- Does it help to keep long prompts away from short ones?
--
-- Look at: the router and the arrival process below, both plain Lua. Prompts over 4,000 tokens go
-- to the last GPU, the others to the least busy of the rest, so that only long ones wait for long
-- ones.
-- Try: tandem run own-policy --set router=round_robin          (short ones wait behind long ones)
--      tandem run own-policy --set router=least_outstanding

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

-- Every second a job sends ten requests 2 ms apart; thirty others come evenly in between.
local function gap(n)
  if n % 40 < 10 then return 0.002 end
  return 0.98 / 30
end

return td.scenario "own-policy" {
  title = "A router and arrivals in Lua",
  question = "Does it help to keep long prompts away from short ones?",
  workload = td.arrivals { fn = gap, duration = "120s" },
  attrs    = { prompt = td.empirical { 200, 600, 12000, weights = { 64, 34.6, 1.4 } } },
  target   = td.fleet "pool" { td.gpu "L40S" { count = 4 } },
  router   = by_length,
  pipeline = {
    td.compute "prefill" { flops = function(r) return 2 * 8.03e9 * r.prompt end,
      bytes = 2 * 8.03e9, efficiency = 0.5 },
  },
  slo = { p95 = "400ms" },
  replications = 8,
  expect = {
    slo = true,
    ["latency.p90"] = { max = "300ms" },
    ["resources.L40S#1 gpu.utilization"] = { min = 0.65, max = 0.82 },
    ["resources.L40S#4 gpu.utilization"] = { min = 0.35, max = 0.85 },
  },
}
