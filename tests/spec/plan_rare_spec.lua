-- Failures that are rare: how much of the time is what, episodes of them, and plans that see them.
local outages = require "tandem.plan.outages"
local td = require "tandem"

local function fleet(extra)
  local out = { count = 3, rate = 1e-5, repairs = { 300 }, load = 10, seed = 1,
    repair = extra and extra.repairs and extra.repairs[1] or 300,
    capacity = function(down) return 6 * (3 - down) end,
    settle = function() return 2 end }
  for key, value in pairs(extra or {}) do out[key] = value end
  return out
end

describe("outages of a plan", function()
  it("has so many down as the rest keeps up with, if that lasts", function()
    assert.equal(1, outages.states(fleet()).steady)
    assert.equal(0, outages.states(fleet { load = 12 }).steady)
    -- 20 s are too short to settle in when it takes 2 s.
    assert.equal(0, outages.states(fleet { repairs = { 19 } }).steady)
    assert.equal(1, outages.states(fleet { repairs = { 20 } }).steady)
    -- Two at a time are each half as long.
    local many = { count = 5, capacity = function(down) return 6 * (5 - down) end }
    assert.equal(3, outages.states(fleet(many)).steady)
    many.repairs = { 50 }
    assert.equal(2, outages.states(fleet(many)).steady)
  end)

  it("weighs states as independent machines are down", function()
    local states = outages.states(fleet())
    local odds = 1e-5 * 300
    assert.is_true(math.abs(states.chances[2] / states.chances[1] - 3 * odds) < 1e-12)
    assert.is_true(math.abs(states.chances[1] + states.chances[2] - 1) < 1e-12)
    -- A second failure while one is down, of the two that are up.
    assert.is_true(math.abs(states.rate - states.chances[2] * 2e-5) < 1e-15)
    assert.is_true(states.several < 0.02 * states.alone)
  end)

  it("lasts until what waited is served", function()
    -- 12 a second come, 6 are served for 300 s, then 18: 1800 wait and take as long again.
    local one = outages.episode(fleet { load = 12, count = 2,
      capacity = function(down) return ({ [0] = 18, 6, 0 })[down] end }, 0, 1, 8)
    assert.same({ { 0, 300 } }, one.list)
    local swung = 3 * math.sqrt(2 * 300 * 12) / 6
    assert.is_true(math.abs(one.seconds - (600 + 1.1 * swung + 0.1 * 300 + 6)) < 1e-6, one.seconds)
    assert.is_true(one.weight > 0.98 and one.weight < 1)
  end)

  it("draws repairs evenly, and further failures as they come", function()
    local list = {}
    for i = 1, 64 do list[i] = i end
    local seen, sum = {}, 0
    for i = 1, 64 do
      local one, more = outages.episode(fleet { repairs = list, repair = 32.5, rate = 1e-4 }, 0, i,
        64)
      seen[one.list[1][2]] = true
      assert.equal(one.weight + more.weight, 1)
      assert.is_true(#more.list >= 2 and more.seconds >= one.seconds)
      assert.is_true(more.list[2][1] > 0 and more.list[2][1] < one.seconds)
      sum = sum + more.weight / (2e-4 * one.seconds + 1e-4 * (one.seconds - one.list[1][2]))
    end
    for i = 1, 64 do assert.is_true(seen[i], i) end
    assert.is_true(math.abs(sum / 64 - 1) < 0.02, sum / 64)
  end)

  -- What is left of a repair that is met at any time: E X² / (2 E X) at the mean.
  it("begin within repairs that are under way, longer ones more often", function()
    for _, case in ipairs { { { 300 }, 150 }, { { 100, 300 }, 125 },
      { { 10, 20, 600 }, 360500 / 1260 } } do
      local sum, most, all = 0, 0, 0
      for _, repair in ipairs(case[1]) do most, all = math.max(most, repair), all + repair end
      for i = 1, 512 do
        local one = outages.episode(fleet { rate = 1e-9, repairs = case[1],
          repair = all / #case[1] }, 1, i, 512)
        assert.equal(-1, one.list[1][1])
        local left = one.list[1][2] - 1
        assert.is_true(left >= 0 and left <= most)
        sum = sum + left
      end
      assert.is_true(math.abs(sum / 512 / case[2] - 1) < 0.05, sum / 512)
    end
  end)

  it("end after forty repairs where failures follow each other for ever", function()
    -- Repairs take 300 s, and one of two fails every 30 s: they are hardly ever all up.
    local cut = 0
    for i = 1, 16 do
      local _, more = outages.episode(fleet { rate = 1 / 30, count = 2, load = 7 }, 0, i, 16)
      assert.is_true(more.seconds <= 40 * 300, more.seconds)
      cut = cut + (more.seconds == 40 * 300 and 1 or 0)
      assert.is_true(select(2, outages.episode(fleet(), 0, i, 16)).seconds < 10 * 300)
    end
    assert.is_true(cut > 8, cut)
  end)

  it("is the same whenever it is asked", function()
    local states = outages.states(fleet())
    assert.same(outages.episode(fleet(), states.steady, 3, 8),
      outages.episode(fleet(), states.steady, 3, 8))
  end)
end)

describe("a plan whose GPUs fail rarely", function()
  local function ask(extra)
    return td.plan.gpus { sensitivity = false, min = 2, max = 6, scenario = td.scenario "rare" {
      workload = td.poisson { rps = 1.3 },
      target = td.gpu "L40" { mtbf = td.exponential(extra.mtbf), mttr = extra.mttr },
      router = "least_outstanding", slo = extra.slo or { p99 = "30s" },
      pipeline = { td.stage "s" { on = "gpu", cost = td.exponential "1s" } } } }
  end

  it("answers by what failures do", function()
    -- Two do, unless one is down for 6,000 s of each 400,000: then a queue of 1,800 s.
    local a = ask { mtbf = "800000s", mttr = "6000s" }
    local row = a.rows[1]
    assert.equal(3, row.count)
    assert.equal("misses", row.outcome.trials[2].state)
    assert.matches("One of them fails every", (tostring(a):gsub("%s+", " ")))
    local record = a:records().rows[1]
    assert.equal(2, #record.failures.down)
    assert.is_true(math.abs(record.failures.down[2] - 3 * 6000 / 800000) < 1e-3)
    assert.is_true(record.failures.episodes < 1e-3)
    -- So rarely that it does not matter.
    assert.equal(2, ask { mtbf = "80000000s", mttr = "6000s" }.rows[1].count)
  end)

  it("says why where a run of it fails", function()
    local paper = require "tests.spec.support.paper"
    local answer = td.plan.gpus { sensitivity = false, min = 2, max = 3,
      backend = paper.backend(function() return { message = "the crew is gone" } end),
      scenario = td.scenario "rare" { workload = td.poisson { rps = 1.3 },
        target = td.gpu "L40" { mtbf = td.exponential "800000s", mttr = "6000s" },
        slo = { p99 = "30s" }, pipeline = { td.stage "s" { on = "gpu", cost = "1s" } } } }
    assert.matches("the crew is gone", tostring(answer), 1, true)
  end)

  it("says the quantile where so much of all is beyond, above that without failures", function()
    local quiet = td.scenario "quiet" { workload = td.poisson { rps = 1.3, requests = 20000 },
      target = td.gpu "L40" { count = 2 }, router = "least_outstanding",
      pipeline = { td.stage "s" { on = "gpu", cost = td.exponential "1s" } } }
    local calm = quiet:run { replications = 8 }.latency.p99.value
    local figure = ask { mtbf = "100000s", mttr = "300s" }.rows[1].figures[1]
    assert.is_true(figure.share.value < 0.01)
    assert.is_true(figure.value > calm and figure.value < 30, figure.value)
    assert.is_true(figure.half > 0 and figure.half < figure.value)
  end)

  it("knows availability: a share of the requests, in time or not", function()
    local function count(met)
      return ask { mtbf = "4000000s", mttr = "6000s",
        slo = { deadline = "30s", met = met } }.rows[1].count
    end
    -- Of all time a hundredth is an episode of one of two.
    assert.equal(2, count "97%")
    assert.equal(3, count "99.8%")
  end)

  it("tells what is lost while all are up, or nothing where nothing is", function()
    local function answer(queue)
      return td.plan.gpus { sensitivity = false, min = 2, max = 3, scenario = td.scenario "rare" {
        workload = td.poisson { rps = 1.3 }, router = "least_outstanding",
        target = td.gpu "L40" { mtbf = td.exponential "80000000s", mttr = "6000s", queue = queue },
        slo = { met = "50%", p99 = "30s" },
        pipeline = { td.stage "s" { on = "gpu", cost = td.exponential "1s" } } } }
    end
    local full = answer(1)
    local row = full.rows[1]
    assert.equal(2, row.count)
    -- Who is served is in time, so that whoever is not met was turned away.
    assert.is_true(row.lost > 0.05)
    assert.near(1 - row.figures[1].value, row.lost, 1e-3)
    assert.equal(row.lost, full:records().rows[1].lost)
    local free = answer()
    assert.equal(0, free.rows[1].lost)
    assert.is_nil(free:records().rows[1].lost)
  end)
end)

describe("a mixture by hand", function()
  local mixture = require "tandem.plan.mixture"

  local function near(wanted, got)
    assert.is_true(type(got) == "number" and math.abs(wanted - got) < 1e-12,
      ("%s, not %s"):format(got, wanted))
  end

  -- Nine tenths of the time all are up, and nothing is known yet of the rest.
  local function figure(limit, value, half, all)
    limit.key = "k"
    return mixture.figure({ parts = {
      { weight = all and 1 or 0.9, by = { k = { value = value, half = half } } },
      { weight = all and 0 or 0.1, by = {} } } }, limit)
  end

  it("says of means what is known, and of shares what they could be", function()
    local met = figure({ metric = "met", least = true, limit = 0.95 }, 0.99, 0.001)
    near(0.9 * 0.99 + 0.1, met.value)
    near(0.9 * 0.001 + 0.1, met.half)
    near(met.value / 0.95 - 1, met.margin)
    assert.equal("undecided", met.state)
    local lost = figure({ metric = "lost", lost = true, limit = 0.3 }, 0.02, 0.001)
    near(0.9 * 0.02, lost.value)
    near(0.9 * 0.001 + 0.1, lost.half)
    near(1 - lost.value / 0.3, lost.margin)
    assert.equal("meets", lost.state)
    -- A time is without bound where not all is known, and all that comes adds to it.
    local mean = { metric = "mean", limit = 1 }
    local quick = figure(mean, 0.5, 0.1)
    assert.same({ "undecided" }, { quick.state, quick.half })
    assert.same({ "misses" }, { figure(mean, 2, 0.1).state, figure(mean, 2, 0.1).half })
    assert.equal("undecided", figure(mean, 1.15, 0.1).state)
    assert.equal("meets", figure(mean, 0.5, 0.1, true).state)
    -- A quantile whose tail no run told is as a mean.
    near(1 - 0.5, figure({ metric = "p99", quantile = 0.99, limit = 1 }, 0.5, 0.1, true).margin)
  end)

  it("adds to episodes what of them was cut", function()
    local function half(metric, seen)
      local episodes = { { weight = 1, seconds = 10, seen = seen }, { weight = 1, seconds = 10,
        seen = seen }, { weight = 2, seconds = 10, seen = seen } }
      local answer = { metrics = { x = { value = 0 } } }
      return mixture.episodes({ conditions = { paths = { k = { "x" } } },
        alpha = function() return 0.025 end }, { episodes = episodes },
        { answer, answer, answer }, { key = "k", metric = metric, lost = metric == "lost" })
    end
    for _, metric in ipairs { "met", "lost" } do
      near(0.4, half(metric, 6).half)
      near(0.4, half(metric, 6).cut)
      near(0, half(metric, 10).half)
    end
    assert.equal(math.huge, half("mean", 6).half)
    near(0, half("mean", 10).half)
  end)
end)

describe("runs of the usual length", function()
  it("are too short for failures where a GPU is counted and few would be seen", function()
    local rare = require "tandem.plan.rare"
    -- So many GPUs, of which each fails every so many seconds, at so many requests a second.
    local function wanted(number, every_s, rate, space)
      local one = { counted = "target.count", forecast = function() return { gpu = {} } end }
      for key, value in pairs(space or {}) do one[key] = value end
      local q = { failing = every_s and { rate = 1 / every_s }, demand = { total = rate } }
      return rare.wanted(q, one, number)
    end
    assert.is_true(wanted(2, 1e9, 1))
    assert.is_false(wanted(2, 1000, 1))
    assert.is_false(wanted(2, nil, 1)) -- none fails
    assert.is_false(wanted(2, 1e9, nil)) -- nobody knows the load
    assert.is_false(wanted(2, 1e9, 1, { size = 2 }))
    assert.is_false(wanted(2, 1e9, 1, { counted = false }))
    assert.is_false(wanted(2, 1e9, 1, { forecast = function() return {} end }))
    -- Eight runs of 800,000 requests, in which 100 failures will do: 128 × 51,200 s ÷ 65,536 s.
    assert.is_false(wanted(128, 65536, 125))
    assert.is_true(wanted(127, 65536, 125))
    assert.is_true(wanted(128, 65536, 125, { load_factor = 1.01 }))
    assert.is_false(wanted(127, 65536, 125, { load_factor = 0.99 }))
  end)
end)
