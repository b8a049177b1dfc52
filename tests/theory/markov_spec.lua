-- Markovian stations against Erlang, Cobham, birth and death.
local td = require "tandem"
local check = require "tests.theory.support.check"
local formulas = require "tests.theory.support.formulas"

describe("M/M/1", function()
  it("waits, stays and tails as it should", function()
    local r = check.run(check.station {
      name = "M/M/1", workload = td.poisson { rps = 0.8 }, time = td.exponential(1), deadline = 5,
    }, { requests = 2000000, warmup = 4000 })
    check.agrees(r.stages[1].wait.mean, 4, nil, "wait")
    check.agrees(r.latency.mean, 5, nil, "latency")
    check.agrees(r.in_system, 4, nil, "in system")
    check.agrees(r.resources[1].utilization, 0.8, nil, "utilization")
    check.rest(r.slo_met, math.exp(-0.2 * 5), nil, "P(T > 5)")
    check.agrees(r.latency.p50, math.log(2) / 0.2, 0.02, "p50")
    check.agrees(r.latency.p99, math.log(100) / 0.2, 0.03, "p99")
  end)

  for _, case in ipairs { { 10, 3000, 0.08 }, { 100, 700, 0.12 } } do
    local n, replications, power = table.unpack(case)
    it(("starts empty: the first %d customers"):format(n), function()
      local printed = { [10] = 2.195003, [100] = 6.399234 }
      check.same(formulas.transient_wait(0.9, 1, n), printed[n])
      local mean = 0
      for i = 1, n do mean = mean + formulas.transient_wait(0.9, 1, i) / n end
      local r = check.run(check.station {
        name = "M/M/1 from empty", workload = td.poisson { rps = 0.9 }, time = td.exponential(1),
      }, { requests = n, replications = replications })
      check.agrees(r.stages[1].wait.mean, mean, power, "wait")
    end)
  end
end)

describe("M/M/c", function()
  it("waits by Erlang C", function()
    check.same(formulas.erlang_c(4, 3.2), 0.596432)
    check.same(formulas.mmc_wait(3.2, 1, 4), 0.745541)
    check.same(formulas.mmc_tail(3.2, 1, 4, 3), 0.171850)
    local r = check.run(check.station {
      name = "M/M/4", workload = td.poisson { rps = 3.2 }, time = td.exponential(1), servers = 4,
      deadline = 3,
    }, { requests = 3000000, warmup = 1500 })
    check.agrees(r.stages[1].wait.mean, formulas.mmc_wait(3.2, 1, 4), nil, "wait")
    check.rest(r.slo_met, formulas.mmc_tail(3.2, 1, 4, 3), nil, "P(T > 3)")
    assert.is_true(math.abs(r.stages[1].delayed - formulas.erlang_c(4, 3.2)) < 0.005)
  end)

  it("with a limited queue turns away by birth and death", function()
    local p = formulas.birth_death(6, function() return 3.5 end, function(n)
      return math.min(n, 3)
    end)
    check.same(p[6], 0.240505)
    check.same(formulas.mean(p), 3.968739)
    local r = check.run(check.station {
      name = "M/M/3/6", workload = td.poisson { rps = 3.5 }, time = td.exponential(1), servers = 3,
      queue = 3, deadline = 1e6,
    }, { requests = 150000, warmup = 200 })
    check.rest(r.slo_met, p[6], nil, "blocked")
    check.agrees(r.in_system, formulas.mean(p), nil, "in system")
    check.agrees(r.carried_rps, 3.5 * (1 - p[6]), nil, "carried")
  end)

  it("without a queue loses by Erlang B, whatever the service", function()
    check.same(formulas.erlang_b(6, 4), 0.117162)
    local r = check.run(check.station {
      name = "M/H2/6/6", workload = td.poisson { rps = 4 }, time = check.h2(), servers = 6,
      queue = 0, deadline = 1e6,
    }, { requests = 450000, warmup = 300 })
    check.rest(r.slo_met, formulas.erlang_b(6, 4), nil, "lost")
  end)

  it("with impatience abandons by Erlang A", function()
    local p = formulas.birth_death(80, function() return 4.4 end, function(n)
      return math.min(n, 4) + 0.5 * math.max(n - 4, 0)
    end)
    local queue = formulas.mean(p, function(n) return math.max(n - 4, 0) end)
    check.same(queue, 1.766514)
    check.same(0.5 * queue / 4.4, 0.200740)
    local r = check.run(check.station {
      name = "M/M/4+M", workload = td.poisson { rps = 4.4 }, time = td.exponential(1),
      servers = 4, patience = td.exponential(2), deadline = 1e6,
    }, { requests = 200000, warmup = 200 })
    check.agrees(r.resources[1].queue, queue, nil, "queue")
    check.rest(r.slo_met, 0.5 * queue / 4.4, nil, "abandoned")
  end)

  it("in a closed loop repairs machines", function()
    local p = formulas.birth_death(10, function(n) return (10 - n) / 8 end, function(n)
      return math.min(n, 2)
    end)
    local x = formulas.mean(p, function(n) return math.min(n, 2) end)
    check.same(x, 1.081833)
    check.same(10 / x - 8, 1.243569)
    local r = check.run(check.station {
      name = "M/M/2//10", workload = td.closed { users = 10, think = td.exponential(8) },
      time = td.exponential(1), servers = 2,
    }, { duration = 80000, warmup = 500 })
    check.agrees(r.throughput_rps, x, nil, "throughput")
    check.agrees(r.latency.mean, 10 / x - 8, nil, "response")
  end)
end)

describe("priorities", function()
  local function run(discipline)
    return check.run(check.station {
      name = discipline, time = td.exponential(1), discipline = discipline,
      classes = {
        { name = "first", workload = td.poisson { rps = 0.3 }, priority = 0 },
        { name = "second", workload = td.poisson { rps = 0.5 }, priority = 1 },
      },
    }, { requests = 1000000, warmup = 4000 })
  end

  it("without interruption are Cobham's", function()
    local w0 = 0.8 * 2 / 2
    local r = run "priority"
    check.agrees(r.classes[1].latency.mean, 1 + w0 / 0.7, nil, "first")
    check.agrees(r.classes[2].latency.mean, 1 + w0 / (0.7 * 0.2), 0.012, "second")
  end)

  it("with interruption see only their betters", function()
    local r = run "preempt"
    check.agrees(r.classes[1].latency.mean, 1 / 0.7, nil, "first")
    check.agrees(r.classes[2].latency.mean, (0.2 + 0.8) / (0.7 * 0.2), 0.012, "second")
  end)

  it("do not change the mean wait of equal services", function()
    for _, discipline in ipairs { "lifo", "random" } do
      local r = check.run(check.station {
        name = discipline, workload = td.poisson { rps = 0.7 }, time = td.exponential(1),
        discipline = discipline,
      }, { requests = 700000, warmup = 2000 })
      check.agrees(r.stages[1].wait.mean, 0.7 / 0.3, nil, discipline)
    end
  end)
end)

describe("failures", function()
  it("of M/M/1 lengthen the queue as White and Christie say", function()
    local lambda, mu, fail, repair = 0.5, 1, 1 / 50, 1 / 8
    local r = check.run(check.station {
      name = "M/M/1 with failures", workload = td.poisson { rps = lambda },
      time = td.exponential(1 / mu), mtbf = td.exponential(1 / fail),
      mttr = td.exponential(1 / repair),
    }, { requests = 700000, warmup = 4000 })
    local inside = lambda * ((fail + repair) ^ 2 + fail * mu)
      / ((fail + repair) * (repair * (mu - lambda) - fail * lambda))
    check.agrees(r.in_system, inside, 0.015, "in system")
    check.agrees(r.resources[1].utilization, lambda / mu, nil, "utilization")
    assert.is_true(math.abs(r.resources[1].down / (fail / (fail + repair)) - 1) < 0.01)
  end)
end)
