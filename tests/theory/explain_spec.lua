-- What `explain` calls exact, against the simulation.
local td = require "tandem"
local check = require "tests.theory.support.check"
local explain = require "tandem.explain"
local load = require "tandem.explain.load"
local networks = require "tests.theory.support.networks"

--- Mean latency of those who are served and what each station does, said before and after a run.
---@param scenario tandem.Scenario
---@param options table
---@param power number|nil
local function compare(scenario, options, power)
  local offered = load.of(scenario:model())
  local bounds, class = explain.bounds(offered), offered.classes[1]
  assert(bounds.exact, scenario.name .. " is not called exact")
  local r = check.run(scenario, options)
  check.agrees(r.latency.mean, class.unloaded_s + bounds.expected_wait_s, power, "latency")
  for _, station in ipairs(offered.stations) do
    for _, resource in ipairs(r.resources) do
      if resource.name == station.name and station.servers < math.huge then
        check.agrees(resource.utilization, station.busy, power, station.name .. " busy")
      end
    end
  end
  return r, offered
end

local function gpus(fields)
  return td.scenario(fields.name) {
    workload = fields.workload, target = fields.target,
    pipeline = { td.stage "work" { on = "gpu", cost = fields.time or td.exponential(1) } },
  }
end

describe("explain is exact", function()
  for _, count in ipairs { 2, 3, 8 } do
    it(("for each of %d GPUs in turn, by E%d/M/1"):format(count, count), function()
      compare(gpus { name = "round robin", workload = td.poisson { rps = 0.8 * count },
        target = td.gpu "L40" { count = count } }, { requests = 600000, warmup = 3000 }, 0.015)
    end)
  end

  it("for a limited queue, also beyond its capacity", function()
    for _, rps in ipairs { 0.75, 1, 5 } do
      local r, offered = compare(gpus { name = "M/M/1/3", workload = td.poisson { rps = rps },
        target = td.gpu "L40" { queue = 2 } }, { requests = 150000, warmup = 500 })
      check.agrees(r.carried_rps, rps * (1 - offered.stations[1].lost), nil, "carried")
    end
  end)

  it("for groups that come together, by M^X/G/1", function()
    compare(gpus { name = "groups of three",
      workload = td.renewal { gap = td.exponential(5), batch = 3 },
      target = td.gpu "L40" {}, time = td.gamma { mean = 1, cv = 0.5 } },
      { requests = 600000, warmup = 3000 })
  end)

  it("for a server that breaks down", function()
    compare(gpus { name = "broken", workload = td.poisson { rps = 0.5 },
      target = td.gpu "L40" { mtbf = td.exponential(50), mttr = td.gamma { mean = 8, cv = 0.5 } },
      time = td.gamma { mean = 1, cv = 0.5 } }, { requests = 700000, warmup = 4000 }, 0.015)
  end)

  it("for users, by mean values and by the repairman", function()
    local workload = td.closed { users = 12, think = td.gamma { mean = 4, cv = 0.5 } }
    local options = { duration = 40000, warmup = 500 }
    for _, target in ipairs { td.gpu "L40" {}, td.gpu "L40" { concurrency = 3 },
      td.fleet "two" { td.gpu "L40" { count = 2 }, router = "random" } } do
      local r, offered = compare(gpus { name = "users", workload = workload, target = target },
        options, 0.012)
      check.agrees(r.throughput_rps, offered.classes[1].rps, nil, "throughput")
    end
    compare(td.scenario "a network" {
      workload = workload, resources = { td.pool "a" {}, td.pool "b" {} },
      pipeline = { td.stage "one" { on = "a", cost = td.exponential(0.4) },
        td.stage "two" { on = "b", cost = td.exponential(0.3) } },
    }, options)
  end)
end)

-- Forty-eight networks nobody chose constants by, three of a family. Seeds are fixed: a green run
-- stays green; of other seeds fewer than one in a hundred would fail for luck of the runs: what
-- is exact may be 2.2 half-widths off (4.3 standard errors), and the bars of estimates have room
-- for intervals of 5 %.
describe("explain of networks drawn at random", function()
  it("is near in the middle, and says what may be far", function()
    local offs, wrong = {}, {}
    for n = 10000, 10047 do
      local problem = networks.problem(n)
      local truth = networks.truth(problem, 0.05, 100000)
      local row = networks.compare(problem, truth)
      if row.mark == "exact" and row.off - 1 > 2.2 * truth.half
        or row.mark == "about" and row.off > 1.5 * (1 + truth.half) then
        wrong[#wrong + 1] = ("%s, %s: %.4g s said, %.4g s true"):format(problem.name, row.mark,
          row.said_s, truth.mean_s)
      end
      offs[#offs + 1] = row.off
    end
    table.sort(offs)
    assert.same({}, wrong)
    assert.is_true(offs[24] < 1.08, offs[24])
    assert.is_true(offs[44] < 1.5, offs[44])
  end)
end)

describe("explain estimates", function()
  --- Within a tenth, where no formula is exact.
  local function near(scenario, tolerance)
    local offered = load.of(scenario:model())
    local bounds = explain.bounds(offered)
    assert.is_false(bounds.exact)
    local mean = scenario:run { replications = 8, warmup = "none" }.latency.mean.value
    local said = offered.classes[1].unloaded_s + bounds.expected_wait_s
    assert.near(1, said / mean, tolerance, scenario.name)
  end

  it("users of a server whose time is fixed", function()
    near(gpus { name = "fixed", workload = td.closed { users = 5, think = td.exponential(4),
      duration = 20000 }, target = td.gpu "L40" {}, time = 1 }, 0.1)
  end)

  it("a limited queue before a server whose time is fixed", function()
    near(gpus { name = "fixed", workload = td.poisson { rps = 0.75, duration = 20000 },
      target = td.gpu "L40" { queue = 2 }, time = 1 }, 0.1)
  end)

  it("a server that is repaired by the clock", function()
    near(gpus { name = "clock", workload = td.poisson { rps = 0.75, duration = 20000 },
      target = td.gpu "L40" { mtbf = "400s", mttr = "40s" } }, 0.15)
  end)

  it("groups behind an endless first step", function()
    near(td.scenario "groups" {
      workload = td.renewal { gap = td.exponential "66.7ms", batch = 2, duration = 2000 },
      target = td.gpu "L40" { concurrency = 2 },
      pipeline = { td.fixed "pre" { time = "3ms" },
        td.stage "h2d" { on = "h2d", cost = "1ms" },
        td.stage "work" { on = "gpu", cost = "20ms" } } }, 0.05)
  end)

  it("a router that joins the shortest queue", function()
    near(gpus { name = "shortest", workload = td.poisson { rps = 3.2, duration = 20000 },
      target = td.fleet "four" { td.gpu "L40" { count = 4 }, router = "least_outstanding" } },
      0.15)
  end)
end)
