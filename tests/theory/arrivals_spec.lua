-- Arrival processes: how many come.
local td = require "tandem"
local check = require "tests.theory.support.check"

local function arriving(name, workload)
  return check.station { name = name, workload = workload, time = 0.001, servers = math.huge }
end

describe("arrivals", function()
  -- 2 + 2 sin t in straight pieces of a hundredth.
  local points = {}
  for i = 0, 1000 do points[i + 1] = { i / 100, 2 + 2 * math.sin(i / 100) } end

  it("of a rate curve are counted by its integral", function()
    local exact = 20 + 2 * (1 - math.cos(10))
    check.same(exact, 23.678143)
    points.duration = nil
    local r = check.run(arriving("2 + 2 sin t", td.curve(points)),
      { duration = 10, replications = 1200 })
    check.agrees({ value = r.offered_rps.value * 10, half = r.offered_rps.half * 10 }, exact, 0.03,
      "arrivals")
    -- Poisson: the variance is the mean. The interval at this confidence gives the spread away.
    local deviation = r.offered_rps.half * 10 / 3.9 * math.sqrt(1200)
    assert.is_true(math.abs(deviation ^ 2 / exact - 1) < 0.2)
  end)

  it("of a repeating curve keep its mean rate", function()
    local wave = {}
    for i = 0, 100 do wave[i + 1] = { i / 10, 5 + 4 * math.sin(2 * math.pi * i / 100) } end
    wave.period = 10
    local r = check.run(arriving("wave", td.curve(wave)), { duration = 5000 })
    check.agrees(r.offered_rps, 5, nil, "rate")
  end)

  it("of MMPP have the mean rate of their states", function()
    local r = check.run(arriving("MMPP", td.mmpp { { 5, 10 }, { 50, 1 } }), { duration = 40000 })
    check.agrees(r.offered_rps, (5 * 10 + 50 * 1) / 11, nil, "rate")
  end)

  -- A run no longer than a stay: as many come as in any other such time.
  for name, workload in pairs { mmpp = td.mmpp { { 10, 100 }, { 1, 100 }, duration = "100s" },
    bursts = td.bursts { rps = 10, idle_rps = 1, on = "1s", off = "99s", duration = "2s" } } do
    it("by " .. name .. " begin in any state, by its time", function()
      local r = check.run(arriving(name, workload), { replications = 4000 })
      local arrived = r.classes[1].arrived / 4000
      local exact = name == "mmpp" and 550 or 2 * (10 * 0.01 + 1 * 0.99)
      assert(math.abs(arrived / exact - 1) < 0.03, ("%g, exactly %g"):format(arrived, exact))
    end)
  end

  it("in groups come as often as gaps say, times the size", function()
    local r = check.run(arriving("groups", td.renewal { rps = 4, cv = 2, batch = 3 }),
      { duration = 20000 })
    check.agrees(r.offered_rps, 12, nil, "rate")
  end)

  it("find themselves in M/G/infinity", function()
    local r = check.run(check.station {
      name = "M/G/inf", workload = td.poisson { rps = 6 }, time = check.h2(),
      servers = math.huge,
    }, { requests = 60000, warmup = 100 })
    check.agrees(r.in_system, 6, 0.012, "in system")
    check.agrees(r.latency.mean, 1, nil, "latency")
  end)
end)
