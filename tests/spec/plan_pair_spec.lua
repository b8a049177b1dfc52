--- Two counts planned together: the cheapest pair against all pairs looked at one by one, on
--- figures that are made up and on queues with formulas.
local cjson = require "cjson"
local paper = require "tests.spec.support.paper"
local problems = require "tests.theory.support.pairs"
local td = require "tandem"

local MOST <const> = 30

local function base(extra)
  local raw = {
    workload = td.poisson { rps = 40, requests = 4000 }, cpu = { workers = 2 },
    target = td.gpu "L40S" { price = "1$/h" }, prices = { cpu = "0.3$/h" },
    pipeline = { td.stage "parse" { on = "cpu", cost = "1ms" },
      td.stage "work" { on = "gpu", cost = "20ms" } },
    slo = { p99 = "300ms" },
  }
  for key, value in pairs(extra or {}) do raw[key] = value end
  return td.scenario "base" (raw)
end

-- Answers whose p99 is a function of GPUs and workers; spread of the replications beside it.
local function backend_of(p99, spread)
  return paper.backend(function(job)
    return { utilization = 0.5, bottleneck = "L40S gpu", overload = false, lost = 0,
      requests = (job.set.requests or 1000) * job.replications, throughput_rps = 40,
      ["classes.default.slo.p99"] = { p99(job.set.gpus, job.set["cpu.workers"] or 2, job),
        spread or 0.0001 } }
  end)
end

local function answer_of(p99, options)
  local asked = { scenario = base(), count = "gpus,cpu.workers", max = MOST, sensitivity = false }
  for key, value in pairs(options or {}) do asked[key] = value end
  local backend, jobs = backend_of(p99, asked.spread)
  asked.backend, asked.spread = backend, nil
  return td.plan.gpus(asked), jobs
end

-- The cheapest by looking at every pair; fewer in all where costs are equal.
local function by_force(p99, gpu, worker)
  local best, least, sum
  for i = 1, MOST do
    for j = 1, MOST do
      local cost = gpu * i + worker * j
      local ahead = not least or cost < least - 1e-9 or cost < least + 1e-9 and i + j < sum
      if ahead and p99(i, j) <= 0.3 then best, least, sum = { i, j }, cost, i + j end
    end
  end
  return best
end

describe("the cheapest pair", function()
  it("is that of all pairs, whatever the staircase and the prices", function()
    for n = 1, 12 do
      local a, b, bend = 0.1 + n % 7 * 0.2, 0.1 + n % 5 * 0.3, 1 + n % 3 / 2
      local worker = ({ 0.05, 0.3, 1, 4 })[n % 4 + 1]
      local function p99(i, j) return a / i ^ bend + b / j + 0.02 end
      local answer = answer_of(p99, { scenario = base { prices = { cpu = worker .. "$/h" } } })
      local row = answer.rows[1]
      assert.same(by_force(p99, 1, worker), { row.count, row.with })
      assert.is_true(#row.pair.tested < 80, #row.pair.tested .. " were tested")
      assert.near(row.count + worker * row.with, row.usd_per_hour, 1e-9)
    end
  end)

  it("is of the fewest workers where these cost nothing, which is said", function()
    local function p99(i, j) return 0.5 / i + 0.4 / j + 0.012 end
    local answer = answer_of(p99, { scenario = base { prices = { L40S = "1$/h" } } })
    assert.same(by_force(p99, 1, 0), { answer.rows[1].count, answer.rows[1].with })
    assert.matches("cpu has no price, so that it costs nothing here: %-%-price cpu=2",
      table.concat(answer.cautions, "\n"))
  end)

  it("is that of formulas, or a dearer one where a cheaper one is told as undecided", function()
    for _, seed in ipairs { 1003, 1005 } do -- `make accuracy CASE=pairs` draws many
      local outcome = problems.solve(problems.problem(seed))
      assert.is_true(outcome.what == "exact" or outcome.what == "dearer" and outcome.told,
        ("%d: %s"):format(seed, outcome.what))
    end
  end)

  it("stands beside the other corners that were met, each of which meets the limits", function()
    local function p99(i, j) return 0.5 / i + 0.4 / j + 0.012 end
    local row = answer_of(p99, { scenario = base { prices = { cpu = "1$/h" } } }).rows[1]
    assert.is_true(#row.pair.corners > 0)
    local cost = row.usd_per_hour
    for _, one in ipairs(row.pair.corners) do
      assert.is_true(p99(one.count, one.with) <= 0.3)
      assert.is_true(one.count ~= row.count or one.with ~= row.with)
      assert.near(one.count + one.with, one.cost, 1e-9)
      assert.is_true(one.cost >= cost - 1e-9)
      cost = one.cost
    end
  end)

  it("is a corner, and each neighbour says why not", function()
    local answer = answer_of(function(i, j) return 0.5 / i + 0.4 / j + 0.012 end)
    local row = answer.rows[1]
    for _, one in ipairs { row.pair.fewer, row.pair.fewer_with } do
      assert.equal("misses", one.state)
      assert.is_true(one.binding.value > 0.3)
    end
    local text = tostring(answer):gsub("%s+", " ")
    assert.matches(("%d × L40S with %d CPU workers would miss it"):format(row.count - 1, row.with),
      text, 1, true)
    assert.matches("base: cheapest GPUs and CPU workers for p99 ≤ 300 ms", text, 1, true)
  end)

  it("has neighbours that theory alone rules out", function()
    -- 400 a second of 20 ms are eight GPUs' work; one worker has 0.4 of its time to do.
    local row = answer_of(function() return 0.1 end, { scenario = base {
      workload = td.poisson { rps = 400, requests = 4000 } } }).rows[1]
    assert.same({ 9, 1 }, { row.count, row.with })
    assert.same({ count = 8, with = 1, overload = true, open = false, utilization = 1 },
      row.pair.fewer)
    assert.is_nil(row.pair.fewer_with)
    row = answer_of(function(i) return i < 2 and 0.5 or 0.1 end).rows[1]
    assert.same({ 2, 1, "misses" }, { row.count, row.pair.fewer.count, row.pair.fewer.state })
  end)

  it("is told with what is cheaper and could not be decided", function()
    -- Nobody can tell 5 workers from 6: their figure is at the limit.
    local answer = answer_of(function(i, j)
      return i < 3 and 9 or j < 5 and 9 or j < 7 and 0.3 or 0.1
    end, { spread = 0.02 })
    local row = answer.rows[1]
    assert.same({ 3, 7 }, { row.count, row.with })
    assert.is_true(#row.pair.undecided > 0)
    for _, one in ipairs(row.pair.undecided) do
      assert.is_true(one.count == 3 and (one.with == 5 or one.with == 6))
    end
    assert.matches("UNDECIDED, and cheaper: 3 × L40S with 5 CPU workers", (tostring(answer)
      :gsub("%s+", " ")), 1, true)
    local data = cjson.decode(answer:to_json()).rows[1]
    assert.equal(7, data.with)
    assert.equal("undecided", data.undecided[1].state)
  end)

  it("is held to the budget", function()
    local function p99(i, j) return 0.5 / i + 0.4 / j + 0.012 end
    local best = by_force(p99, 1, 0.3)
    local cost = best[1] + 0.3 * best[2]
    assert.is_true(answer_of(p99, { budget = { usd_per_hour = cost + 0.01 } }).ok)
    local answer = answer_of(p99, { budget = { usd_per_hour = cost - 0.01 } })
    assert.is_false(answer.ok)
    assert.matches(("the cheapest pair that meets the limits, %d × L40S with %d CPU workers, costs")
      :format(best[1], best[2]), (tostring(answer):gsub("%s+", " ")), 1, true)
  end)

  it("does not exist where the most of both miss it", function()
    local answer = answer_of(function(_, _, job)
      return (job.set["workload.rps"] or 40) < 10 and 0.1 or 0.5
    end)
    assert.is_false(answer.ok)
    assert.matches("even 30 × L40S with 30 CPU workers do not suffice", (tostring(answer)
      :gsub("%s+", " ")), 1, true)
  end)

  it("holds over luck and model where servers are of LLMs", function()
    local scenario = td.scenario "chat" {
      workload = td.poisson { rps = 4 }, cpu = { workers = 2 }, prices = { cpu = "0.1$/h" },
      attrs = { prompt_tokens = 400, output_tokens = 50 },
      target = td.gpu "L4" { count = 2 }, slo = { ttft_p99 = "300ms" },
      pipeline = { td.stage "tokenize" { on = "cpu", cost = "5ms" },
        td.generate "chat" { model = td.llm "Qwen3-8B" } } }
    local function solve(doubt)
      local backend = paper.backend(function(job)
        -- Slow steps take half as long again; the fast end is not faster here.
        local slow = job.set.doubt and 1.5 or 1
        return { utilization = 0.5, bottleneck = "chat#1", overload = false, lost = 0,
          requests = (job.set.requests or 1000) * job.replications, throughput_rps = 4,
          ["classes.default.lost"] = 0, ["classes.default.slo.ttft_p99"] = { slow * 0.5
            / (job.set.gpus or 2) + 0.2 / (job.set["cpu.workers"] or 2), 0.0001 } }
      end)
      return td.plan.gpus { scenario = scenario, count = { "cpu.workers", "gpus" }, max = 20,
        sensitivity = false, doubt = doubt, backend = backend }
    end
    local sure, exact = solve(nil), solve(false)
    assert.is_true(sure.rows[1].count > exact.rows[1].count)
    assert.truthy(sure.rows[1].doubt)
    assert.equal(exact.rows[1].count, sure.rows[1].doubt.exact)
    assert.is_nil(exact.rows[1].doubt)
    assert.matches("Were the model exact, the answer would be %d × L4", (tostring(sure)
      :gsub("%s+", " ")))
  end)

  it("is the same for any number of threads", function()
    local problem = problems.problem(1003)
    local function text(threads)
      return td.plan.gpus({ scenario = problem.scenario, count = problem.counts, max = 12,
        sensitivity = false, threads = threads }):to_json()
    end
    assert.equal(text(1), text(3))
  end)

  it("is refused where it makes no sense, with why", function()
    local function refused(words, options)
      options.scenario = options.scenario or base()
      local ok, message = pcall(td.plan.gpus, options)
      assert.is_false(ok)
      assert.matches(words, tostring(message), 1, true)
    end
    refused("count: two different things make a pair", { count = "gpus,gpus" })
    refused("count: two different things make a pair", { count = { "gpus" } })
    refused("concurrency is a setting, which costs nothing", { count = "gpus,target.concurrency" })
    refused("survive: goes with one count", { count = "gpus,cpu.workers", survive = 1 })
    refused("mix: goes with one count", { count = "gpus,cpu.workers", mix = true })
    refused("scan goes with one count", { count = "gpus,cpu.workers", method = "scan" })
    refused("count: ", { count = "gpus,cpu.wokers" })
    refused("dollars of a pair", { count = "gpus,cpu.workers", minimize = "gpus",
      budget = { usd_per_hour = 3 } })
  end)
end)
