-- Outages that are known ahead: which GPU is down when, in the language and in the engine.
local resources = require "tandem.language.resources"
local td = require "tandem"

local function scenario(outages, extra)
  local gpu = { count = 2, time_per_token = "1ms", outages = outages }
  for key, value in pairs(extra or {}) do gpu[key] = value end
  return { workload = td.paced { rps = 1, duration = "100s" }, target = td.gpu "own" (gpu),
    router = "least_outstanding", pipeline = { td.stage "s" { on = "gpu", cost = "100ms" } },
    warmup = "none" }
end

local function refused(spec, words)
  local ok, problem = pcall(function() return td.scenario "s" (spec) end)
  assert.is_false(ok)
  assert.matches(words, tostring(problem), 1, true)
end

describe("outages of a GPU", function()
  it("take down the first that is up", function()
    assert.same({ { 10, 5 } }, resources.outages({ { 10, 5 } }, 2))
    -- The second begins while the first lasts; the third when it is over.
    assert.same({ { 10, 5, 1, 2 }, { 12, 5 } },
      resources.outages({ { 16, 2 }, { 12, 5 }, { 10, 5 } }, 2))
    assert.is_nil(resources.outages({ { 10, 5 }, { 12, 5 } }, 1))
  end)

  it("are down in runs for as long as they say", function()
    local outages = { { "20.5s", "30s" }, { "30.5s", "10s" }, { "90.5s", "9s" } }
    local r = td.scenario "s" (scenario(outages)):run { replications = 1 }
    local first, second = r.resources[1], r.resources[2]
    assert.is_true(math.abs(first.down - 0.39) < 0.011, first.down)
    assert.is_true(math.abs(second.down - 0.1) < 0.011, second.down)
    assert.is_nil(first.mtbf)
    -- From 30.5 s to 40.5 s nobody is served; who waits for the first, waits for 20 s.
    assert.is_true(r.latency.max > 9.5 and r.latency.max < 20, r.latency.max)
  end)

  it("may be there from the start, and lose what is there", function()
    local r = td.scenario "s" (scenario({ { 0, "50s" }, { 0, "50s" } }, { on_failure = "lost" }))
      :run { replications = 1 }
    assert.is_true(math.abs(r.resources[1].down - 0.5) < 0.02)
    assert.is_true(math.abs(r.resources[2].down - 0.5) < 0.02)
  end)

  it("are refused where they make no sense", function()
    refused(scenario({ { 1, 2 } }, { mtbf = "1h", mttr = "1min" }), "leave one out")
    refused(scenario({ { 1, 5 }, { 2, 5 }, { 3, 5 } }), "take down more than 2 at a time")
    refused(scenario { { 1, 0 } }, "outages")
    refused(scenario { { 1 } }, "{at, how long}")
  end)

  it("leave a warm-up of more than half of the run where it is asked for", function()
    local spec = scenario { { "90s", "10s" } }
    spec.warmup = "74s"
    local r = td.scenario "s" (spec):run { replications = 1 }
    assert.is_true(math.abs(r.warmup_s - 75) < 1, r.warmup_s)
  end)
end)

describe("routers", function()
  it("choose alike where nobody fails and where nobody failed yet", function()
    -- GPUs that may fail are asked one by one; others are looked at in place.
    for _, router in ipairs { "round_robin", "random", "least_outstanding", "shortest_queue",
      "power_of_two" } do
      local function latency(mtbf)
        return assert(td.scenario "fleet" { workload = td.poisson { rps = 70, requests = 3000 },
          router = router, warmup = "none", replications = 1,
          target = td.gpu "L4" { count = 5, mtbf = mtbf, mttr = mtbf and "1s" },
          pipeline = { td.stage "work" { on = "gpu", cost = td.exponential "50ms" } } }
          :run { seed = 3 }).latency
      end
      local steady, failing = latency(nil), latency "90000h"
      assert.equal(failing.mean.value, steady.mean.value, router)
      assert.equal(failing.max, steady.max, router)
    end
  end)
end)
