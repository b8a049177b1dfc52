--- Efficiencies and overheads of rooflines whose truth is known: what is fitted, what is left as
--- the scenario has it, and why.
local fit_visits = require "tests.spec.support.fit_visits"
local td = require "tandem"

-- A fit of kernels of 1e10 FLOP a token on a GPU of 100 TFLOP/s and 1 TB/s: 0.1 ms a token at best.
local function fitted(time, fields)
  local step = { flops = "1e10 * r.tokens", efficiency = 0.9 }
  for key, value in pairs(fields or {}) do step[key] = value or nil end
  local real = fit_visits.visits { count = 60, seed = 4, gap = function() return 1.0 end,
    sizes = function(_, i) return { tokens = 1 + i % 9, same = 2 } end,
    stages = { { name = "kernel", lane = "GPU", time = function(r, g)
      return time(r.tokens) * g.lognormal(0.001)
    end } } }
  return assert(td.fit { real = real, hold = 0, rest = false, scenario = td.scenario "roofline" {
    workload = td.poisson { rps = 1, requests = 60 }, attrs = { tokens = 5, same = 2 },
    target = td.gpu "mine" { flops = "100TFLOP/s", bandwidth = "1TB/s" },
    pipeline = { td.compute "kernel" (step) } } })
end

local function told(made)
  local out = {}
  for _, name in ipairs { "efficiency", "overhead" } do
    local one = made:parameter("pipeline.kernel." .. name)
    out[#out + 1] = one and ("%s %.3g %s"):format(name, one.value, one.kind)
      .. (one.prior and (" was %g"):format(one.prior) or "")
  end
  for _, one in ipairs(made.refused) do out[#out + 1] = one.what .. ": " .. one.why end
  return out
end

describe("a roofline that is fitted", function()
  it("has its efficiency and its overhead", function()
    local function time(n) return 50e-6 + n * 1e-4 / 0.5 end
    assert.same({ "efficiency 0.5 fitted was 0.9", "overhead 5e-05 fitted" }, told(fitted(time)))
    assert.same({ "efficiency 0.5 fitted was 0.9", "overhead 5e-05 fitted was 2e-05" },
      told(fitted(time, { overhead = "20us" })))
    -- Bytes where these take longer: 0.2 ms a token.
    assert.same({ "efficiency 0.5 fitted was 0.9", "overhead 5e-05 fitted" },
      told(fitted(function(n) return 50e-6 + n * 2e-4 / 0.5 end, { bytes = "2e8 * r.tokens" })))
    assert.same({ "efficiency 0.8 fitted was 1", "overhead 5e-05 fitted" },
      told(fitted(function(n) return 50e-6 + n * 1e-4 / 0.8 end, { efficiency = false })))
  end)

  it("has an overhead of 0 where its time is in proportion to its work", function()
    local function lacking(seconds, overhead)
      return fitted(function(n) return n * 1e-4 / 0.5 - seconds end, { overhead = overhead })
    end
    local made = lacking(5e-6, "20us")
    assert.same({ "efficiency 0.504 fitted was 0.9", "overhead 0 bound" }, told(made))
    local overhead = made:parameter "pipeline.kernel.overhead"
    assert.same({ 0, 0, "60 visits show none" }, { overhead.low, overhead.high, overhead.source })
    assert.equal(0, made.changes["pipeline.kernel.overhead"])
    -- So much might have been overlooked.
    overhead = lacking(5e-8, "20us"):parameter "pipeline.kernel.overhead"
    assert.equal("bound", overhead.kind)
    assert.is_true(overhead.high > 1e-8 and overhead.high < 1e-6)
    assert.same({ "efficiency 0.504 fitted was 0.9" }, told(lacking(5e-6)))
  end)

  it("of one size keeps the overhead that the scenario has", function()
    local function of_one(time, overhead)
      return told(fitted(function() return time end, { flops = "1e10 * r.same",
        overhead = overhead }))
    end
    local refused = "pipeline.kernel.overhead: every visit has the same work: it cannot be told "
      .. "from the efficiency"
    assert.same({ "efficiency 0.5 fitted was 0.9", "overhead 2e-05 assumed", refused },
      of_one(420e-6, "20us"))
    assert.same({ "efficiency 0.5 fitted was 0.9", "overhead 0 assumed", refused }, of_one(400e-6))
    assert.same({ "pipeline.kernel.efficiency: the overhead alone is longer than the visits" },
      of_one(400e-6, "500us"))
    assert.equal("the scenario's", fitted(function() return 420e-6 end, { flops = "1e10 * r.same",
      overhead = "20us" }):parameter "pipeline.kernel.overhead".source)
  end)

  it("is refused where the visits are faster than it", function()
    assert.same({ "pipeline.kernel.efficiency: the visits were faster than the roofline (125 % of "
      .. "the peak): its flops or bytes, or the GPU's peak, are not the capture's" },
      told(fitted(function(n) return n * 1e-4 / 1.25 end)))
    assert.equal("efficiency 1 fitted was 0.9", told(fitted(function(n) return n * 1e-4 end))[1])
  end)
end)
