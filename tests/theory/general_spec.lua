-- Stations with general services or gaps: Pollaczek–Khinchine, Franx, G/M/1, processor sharing.
local td = require "tandem"
local check = require "tests.theory.support.check"
local formulas = require "tests.theory.support.formulas"

describe("M/G/1", function()
  it("waits by Pollaczek-Khinchine when services vary much", function()
    local exact = 0.7 * 6.5 / (2 * 0.3)
    check.same(exact, 7.583333)
    local r = check.run(check.station {
      name = "M/H2/1", workload = td.poisson { rps = 0.7 }, time = check.h2(), deadline = 5,
    }, { requests = 4000000, warmup = 20000 })
    check.agrees(r.stages[1].wait.mean, exact, nil, "wait")
    check.rest(r.slo_met, 0.439283, nil, "P(T > 5), by transform inversion")
  end)

  it("waits half as long when services are constant", function()
    local law = formulas.mdc(0.8, 1, 1, 150)
    check.same(1 - law(1.5), 0.455323)
    check.same(1 - law(2.5), 0.295148)
    local r = check.run(check.station {
      name = "M/D/1", workload = td.poisson { rps = 0.8 }, time = 1, deadline = 3.5,
    }, { requests = 1200000, warmup = 3000 })
    check.agrees(r.stages[1].wait.mean, 2, nil, "wait")
    check.rest(r.slo_met, 1 - law(2.5), nil, "P(T > 3.5)")
  end)

  it("shared by all has the mean of M/M/1, whatever the service", function()
    local r = check.run(check.station {
      name = "M/H2/1-PS", workload = td.poisson { rps = 0.7 }, time = check.h2(),
      discipline = "ps", servers = 1000000,
    }, { requests = 1600000, warmup = 5000 })
    check.agrees(r.latency.mean, 1 / 0.3, nil, "latency")
    check.agrees(r.resources[1].utilization, 0.7, nil, "utilization")
  end)

  it("on a shared link shares bytes alike", function()
    local bytes = td.hyperexponential { { 0.9, 0.5e6 }, { 0.1, 5.5e6 } }
    local r = check.run(td.scenario "shared link" {
      workload = td.poisson { rps = 0.5 },
      resources = { td.link "link" { bandwidth = 1e6, shared = true } },
      pipeline = { td.transfer "copy" { bytes = bytes, on = "link" } },
    }, { requests = 400000, warmup = 3000 })
    check.agrees(r.latency.mean, 1 / 0.5, nil, "latency")
  end)
end)

describe("M/D/3", function()
  it("waits as Franx computes", function()
    local law = formulas.mdc(2.4, 1, 3, 150)
    check.same(1 - law(0), 0.632542)
    check.same(1 - law(0.3), 0.488791)
    check.same(1 - law(1.3), 0.136629)
    for _, x in ipairs { 0.3, 1.3 } do
      local r = check.run(check.station {
        name = "M/D/3", workload = td.poisson { rps = 2.4 }, time = 1, servers = 3,
        deadline = 1 + x,
      }, { requests = 1200000, warmup = 1000 })
      check.agrees(r.stages[1].wait.mean, 0.553900, nil, "wait")
      check.rest(r.slo_met, 1 - law(x), nil, "P(W > " .. x .. ")")
    end
  end)
end)

describe("GI/GI/1", function()
  it("D/M/1 waits by its root", function()
    local sigma = 0.5
    for _ = 1, 200 do sigma = math.exp(-(1 - sigma) * 1.25) end
    check.same(sigma, 0.628630)
    local r = check.run(check.station {
      name = "D/M/1", workload = td.paced(0.8), time = td.exponential(1), deadline = 3,
    }, { requests = 1400000, warmup = 2000 })
    check.agrees(r.stages[1].wait.mean, sigma / (1 - sigma), nil, "wait")
    check.rest(r.slo_met, math.exp(-3 * (1 - sigma)), nil, "P(T > 3)")
  end)

  it("E2/H2/1 keeps Kingman's and Daley's bounds", function()
    local r = check.run(check.station {
      name = "E2/H2/1", workload = td.renewal { gap = td.erlang(2, 1.25) }, time = check.h2(),
    }, { requests = 1500000, warmup = 20000 })
    local ca2, cs2, rho, lambda = 0.5, 5.5, 0.8, 0.8
    local kingman = lambda * (1.25 ^ 2 * ca2 + cs2) / (2 * (1 - rho))
    local daley = ((2 - rho) * rho * ca2 + rho ^ 2 * cs2) / (2 * lambda * (1 - rho))
    check.same(kingman, 12.5625)
    check.same(daley, 12.5)
    local wait = r.stages[1].wait.mean
    assert.is_true(wait.value - wait.half < daley)
    local klb = 11.917
    assert.is_true(math.abs(wait.value / klb - 1) < 0.1)
  end)
end)
