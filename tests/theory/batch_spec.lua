-- Batch service: the embedded chain, Bailey's queue, and the limits where every batch is full or
-- every batch waits.
local td = require "tandem"
local check = require "tests.theory.support.check"
local formulas = require "tests.theory.support.formulas"

local function growing(r) return 0.3 + 0.05 * r.batch end
local function seconds(b) return 0.3 + 0.05 * b end

describe("a server that takes all who wait", function()
  for _, case in ipairs { { 12, 1000, 1.226522, 9.001787 }, { 8, 8, 0.827074, 4.039819 } } do
    local rps, most, latency, size = table.unpack(case)
    it(("up to %d, at %d a second, is the embedded chain"):format(most, rps), function()
      local exact, batch = formulas.batch_server(rps, seconds, most, most > 100 and 120 or 90)
      check.same(exact, latency)
      check.same(batch, size)
      local r = check.run(check.station {
        name = "batch server", workload = td.poisson { rps = rps }, time = growing,
        batch = { max = most, wait = 0 },
      }, { requests = 200000, warmup = 100 })
      check.agrees(r.latency.mean, exact, nil, "latency")
      check.agrees(r.stages[1].batch, batch, nil, "batch")
    end)
  end

  it("keeps Inoue's bound", function()
    local a, t = 0.05, 0.3
    for _, case in ipairs { { 1, 0.417544 }, { 4, 0.619792 }, { 12, 1.226563 } } do
      local l, printed = table.unpack(case)
      local bound = math.min((a + t) / (2 * (1 - l * a))
        * (1 + 2 * l * t + (1 - l * t) / (1 + l * a)),
        3 * t / (2 * (1 - l * a)) + a / 2 * (l * a + 2) / (1 - (l * a) ^ 2))
      check.same(bound, printed)
      local r = check.run(check.station {
        name = "bound", workload = td.poisson { rps = l }, time = growing,
        batch = { max = 1000, wait = 0 },
      }, { requests = 60000, warmup = 100 })
      assert.is_true(r.latency.mean.value - r.latency.mean.half <= bound)
    end
  end)

  it("with exponential batches is Bailey's", function()
    local lambda, b = 2.5, 4
    local root = 0.5
    for _ = 1, 500 do root = (lambda + root ^ (b + 1)) / (lambda + 1) end
    check.same(root, 0.8205985)
    local r = check.run(check.station {
      name = "M/M[1,4]/1", workload = td.poisson { rps = lambda }, time = td.exponential(1),
      batch = { max = b, wait = 0 },
    }, { requests = 400000, warmup = 500 })
    check.agrees(r.in_system, 6.767829, nil, "in system")
  end)
end)

describe("batches on servers enough", function()
  it("wait until they are full when static", function()
    local r = check.run(check.station {
      name = "static", workload = td.poisson { rps = 2 }, time = 0.5, servers = 100,
      batch = { max = 4, static = true },
    }, { requests = 60000, warmup = 100 })
    check.agrees(r.stages[1].batch, 4, 0.001, "batch")
    check.agrees(r.latency.mean, 0.5 + 3 / (2 * 2), nil, "latency")
  end)

  it("wait for their first member's time when timed", function()
    local rps, wait = 3, 1.5
    local r = check.run(check.station {
      name = "timed", workload = td.poisson { rps = rps }, time = 0.5, servers = 100,
      batch = { max = 1000, wait = wait },
    }, { requests = 60000, warmup = 100 })
    local size = 1 + rps * wait
    check.agrees(r.stages[1].batch, size, nil, "batch")
    check.agrees(r.latency.mean, 0.5 + (wait + rps * wait * wait / 2) / size, nil, "latency")
  end)
end)
