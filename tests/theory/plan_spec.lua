-- Capacity planning against problems with known answers: 100 of them, drawn at random, none with a
-- figure within 2 % of its limit. At least 95 counts are exact, and intervals hold what they say.
local sizing = require "tests.theory.support.sizing"
local check = require "tests.theory.support.check"

local PROBLEMS <const> = 100

describe("td.plan.gpus", function()
  it("knows M/H2/c, from which its problems come", function()
    check.same(sizing.mh2c_wait(3.2, { 0.5, 0.5 }, { 1, 1 }, 4, 400), 0.745541)
    check.same(sizing.mh2c_wait(0.5, { 0.9, 0.1 }, { 0.5, 5.5 }, 1, 800), 3.25)
  end)

  it("finds the number of servers", function()
    local right, covered, told, wrong = 0, 0, 0, {}
    for n = 1, PROBLEMS do
      local p = sizing.problem(n)
      local answer = sizing.solve(p, { threads = 0 })
      local row = answer.rows[1]
      if row.count == p.answer then right = right + 1
      else wrong[#wrong + 1] = ("%s: %s, not %d"):format(p.name, tostring(row.count), p.answer) end
      local figure = row.count and row.figures[1]
      if figure and figure.half then
        local exact = p.exact(row.count)
        told = told + 1
        -- A figure without any spread is off by the clock's nanoseconds.
        local off = math.abs(figure.value - exact)
        if off <= figure.half + 1e-8 then covered = covered + 1 end
      end
    end
    assert.is_true(right >= 95, table.concat(wrong, "; "))
    -- At 95 % each, 90 of 100 have a probability of 1 %. What is clear without needs none.
    assert.is_true(told >= 80, told)
    assert.is_true(covered >= 0.9 * told, ("%d of %d intervals hold the truth"):format(covered,
      told))
  end)
end)

-- What a plan was once wrong about: a limit that short runs near saturation do not reach, and
-- fleets that fill up for longer than a run.
describe("a plan near saturation", function()
  local td = require "tandem"

  local function count(scenario, seed, most)
    return td.plan.gpus { scenario = scenario, seed = seed, sensitivity = false, max = most }
      .rows[1].count
  end

  -- Sojourns of M/M/1 are exponential: p99 is ln 100 ÷ (1 − load).
  it("takes two GPUs where p99 of one is 15 % beyond the limit, one where it is within", function()
    for _, load in ipairs { 0.8, 0.95 } do
      for factor, wanted in pairs { [0.87] = 2, [1.15] = 1 } do
        local scenario = td.scenario "one" { workload = td.poisson { rps = load, requests = 10000 },
          target = td.gpu "L40" {}, pipeline = { td.stage "s" { on = "gpu",
            cost = td.exponential "1s" } },
          slo = { p99 = ("%.9gs"):format(factor * math.log(100) / (1 - load)) } }
        for seed = 1, 2 do assert.equal(wanted, count(scenario, seed, 4)) end
      end
    end
  end)

  -- With 13 the mean is 0.945 s, seen after 20,000 requests; with 14 0.90 s: by a simulation of
  -- its own from the words of the manual.
  it("waits until a fleet of batches has filled up", function()
    local scenario = td.scenario "fleet" { router = "least_outstanding",
      workload = td.poisson { rps = 110.73683059791466, requests = 10000 },
      target = td.gpu "L40" { concurrency = 1 }, slo = { mean = "0.92302s" },
      pipeline = { td.stage "s" { on = "gpu", batch = { max = 8, wait = 0 },
        cost = "0.3+0.05*r.batch" } } }
    for seed = 1, 2 do assert.equal(14, count(scenario, seed, 20)) end
  end)
end)
