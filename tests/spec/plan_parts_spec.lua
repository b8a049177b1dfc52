--- The pieces of plans by hand: theory's bounds, lengths of runs, trials, limits, questions, and
--- the forms of an answer. Whole plans are in plan_paper_spec.lua.
local bounds = require "tandem.plan.bounds"
local cjson = require "cjson"
local demand = require "tandem.plan.demand"
local evaluate = require "tandem.plan.evaluate"
local limits = require "tandem.plan.limits"
local paper = require "tests.spec.support.paper"
local periods = require "tandem.plan.periods"
local plot = require "tandem.plot"
local question = require "tandem.plan.question"
local search = require "tandem.plan.search"
local space = require "tandem.plan.space"
local td = require "tandem"
local trial = require "tandem.plan.trial"
local verdict = require "tandem.plan.verdict"

local function base(extra)
  local raw = {
    workload = td.poisson { rps = 40, requests = 4000 },
    target = td.gpu "L40S" { concurrency = 2 },
    pipeline = { td.fixed "work" { time = td.exponential "40ms", on = "gpu" } },
    slo = { p99 = "300ms" },
  }
  for key, value in pairs(extra or {}) do raw[key] = value end
  return td.scenario "base" (raw)
end

local function near(wanted, got)
  assert.is_true(type(got) == "number" and math.abs(wanted - got) <= 1e-9 * math.max(1,
    math.abs(wanted)), ("%s, not %s"):format(got, wanted))
end

describe("what runs are too short for", function()
  local scenario = base { target = td.gpu "L40S" { count = 3, mtbf = "10h", mttr = "1min" } }
  local function expected(find, options, count)
    options.scenario = scenario
    local list = periods.unseen(question.of(find, options).periods, 7200, count)
    assert.equal(1, #list)
    return list[1].expected
  end

  it("counts the failures of all that are there, in every kind of plan", function()
    near(1.0, expected("gpus", {}, 5))
    near(0.6, expected("load", {}, 3)) -- the scenario's own three
    near(0.4, expected("load", { gpus = 2 }, 2))
    near(0.8, expected("best", { over = { gpus = { 2, 4 } } }, 4))
    assert.same({}, periods.unseen(question.of("load", { scenario = scenario }).periods, 120000, 3))
  end)

  it("counts the rounds of rates that change, as long as their states together", function()
    local changing = base { workload = td.mmpp { { 20, "60s" }, { 90, "30s" }, requests = 4000 } }
    local list = periods.of(changing:model(), false)
    assert.equal(1, #list)
    near(90, list[1].seconds)
    near(0.5, periods.unseen(list, 45, 3)[1].expected) -- of the workload, not of each GPU
  end)

  it("says whose rounds and whose failures they are", function()
    local ten_hours = { dist = "exponential", mean = 36000 }
    local function said(names)
      local model = { classes = {}, gpus = { { kind = "L40S", name = "left#1", mtbf = ten_hours },
        { name = "own#2", mtbf = ten_hours }, { name = "sure" } },
        stations = { { name = "disk#3", mtbf = ten_hours }, { name = "cpu" } } }
      for i, name in ipairs(names) do
        model.classes[i] = { name = name,
          arrivals = { states = name ~= "even" and { 20, 60, 90, 30 } or nil } }
      end
      local out = {}
      for i, one in ipairs(periods.of(model, true)) do out[i] = one.what end
      return table.concat(out, ", ")
    end
    local failures = "a failure of L40S, a failure of own, a failure of disk"
    assert.equal(failures .. ", a round of its rates", said { "default" })
    assert.equal(failures .. ", a round of the rates of uneven", said { "uneven", "even" })
  end)

  it("is said of loads and grids, too", function()
    for find, options in pairs { load = { gpus = 2 }, best = { over = { gpus = { 2 } } } } do
      options.scenario, options.slo = base { target = td.gpu "L40S" { mtbf = "3000h",
        mttr = "1min" } }, { p99 = "300ms" }
      options.backend = paper.backend(function()
        return { utilization = 0.5, bottleneck = "L40S gpu", overload = false, requests = 1000,
          throughput_rps = 40, ["classes.default.slo.p99"] = 0.2 }
      end)
      assert.matches("The runs of .- last .- a failure of L40S comes once in .-, too few for the "
        .. "answer to speak of.- %-%-survive 1 with %-%-find gpus", (tostring(td.plan[find](
        options)):gsub("%s+", " ")))
    end
  end)
end)

describe("theory before a plan", function()
  -- Bounds of stations { name, rate, mean service, servers, gpu, cv² }.
  local function of(stations, fields)
    local out = { offered = { stations = {}, classes = { { name = "a", arrival = { rps = 50 },
      unloaded_s = 0.01 } }, steps = {} }, gpus = 1, closed = false }
    for i, s in ipairs(stations) do
      local servers = s.servers or 1
      out.offered.stations[i] = { name = s.name or "gpu", rate = s.rate or 50, servers = servers,
        gpu = s.gpu, arrival_cv2 = 1, discipline = s.discipline, poisson = true,
        service = { mean = s.mean or 0.01, var = (s.cv2 or 1) * (s.mean or 0.01) ^ 2 },
        utilization = (s.rate or 50) * (s.mean or 0.01) / servers }
    end
    for key, value in pairs(fields or {}) do out[key] = value end
    return out
  end

  it("knows loads, waits and how long queues remember", function()
    local one = bounds.forecast(of { {} })
    assert.same({ 0.5, "gpu", nil, { gpu = 0.5 } }, { one.utilization, one.bottleneck, one.gpu,
      one.loads })
    -- M/M/1 at a half: a wait of ρ ÷ (1 − ρ) services, and half of all wait.
    near(0.01, one.waits[1].mean)
    near(0.5, one.waits[1].chance)
    near(0.5 / (1 - math.sqrt(0.5)) ^ 2, one.relaxation)
    near(one.relaxation, one.settling)
    -- Twice the load on the same: ρ = 1 never settles; four times the GPUs: ρ = 1/8 each.
    assert.equal(math.huge, bounds.forecast(of { {} }, 1, 2).waits[1].mean)
    local more = bounds.forecast(of({ { gpu = 1 } }, { router = "random" }), 4)
    near(0.125, more.utilization)
    near(0.125, more.gpu)
    near(0.01 * 0.125 / 0.875, more.waits[1].mean)
    near(0.125 / (1 - math.sqrt(0.125)) ^ 2, more.relaxation)
    near(4 * more.relaxation, more.settling) -- of all requests, a quarter come here
    -- What is no part of a GPU is not relieved.
    near(0.5, bounds.forecast(of { { name = "cpu" } }, 4).utilization)
  end)

  it("knows what routers make of several GPUs", function()
    local function wait(router, more, gpus)
      return bounds.forecast(of({ { gpu = 1 } }, { router = router, gpus = gpus or 1 }), more)
        .waits[1].mean
    end
    -- One queue for two: M/M/2 at a quarter each, C = 2a²/(2 + …) by Erlang.
    local a = 0.5
    local busy = (a ^ 2 / 2) / (1 + a + a ^ 2 / 2)
    local chance = busy / (1 - a / 2 * (1 - busy))
    for _, router in ipairs { "least_outstanding", "shortest_queue", "power_of_two" } do
      near(chance * 0.01 / (2 - a), wait(router, 2))
    end
    -- In turn: every other gap, less variable by half.
    near(0.25 / 0.75 * 0.01 * (0.5 + 1) / 2, wait("round_robin", 2))
    near(0.25 / 0.75 * 0.01 * (0.5 + 1) / 2, wait(nil, 2))
    near(0.25 / 0.75 * 0.01, wait("random", 2))
    near(0.01, wait("least_outstanding", 1))
    near(0.01 * (1 / 2 + 1) / 2, wait("round_robin", 1, 2))
  end)

  it("takes the members of a group once, and leaves out what has no limit", function()
    local one = bounds.forecast(of { { name = "L40#1 gpu", gpu = 1 }, { name = "L40#2 gpu",
      gpu = 2, rate = 60 }, { name = "net", servers = math.huge }, { name = "idle", mean = 0 },
      { name = "cpu", rate = 20 } })
    assert.equal(2, #one.waits)
    assert.same({ 0.6, "L40#2 gpu", 0.6 }, { one.utilization, one.bottleneck, one.gpu })
    assert.same({ ["L40#1 gpu"] = 0.5, ["L40#2 gpu"] = 0.6, cpu = 0.2 }, one.loads)
    assert.equal("net", bounds.apart(of { { name = "net" } }, "net").name)
    assert.is_nil(bounds.apart(of { { name = "net", gpu = 1 } }, "net"))
    assert.is_nil(bounds.apart(of { { name = "net" } }, "x"))
    assert.is_nil(bounds.apart(nil, "net"))
    assert.equal(1, bounds.forecast(of { { discipline = "ps" } }).waits[1].chance)
  end)

  it("guesses whether limits are met", function()
    local one = of { {} }
    local function met(limit, more, factor)
      limit.path = limit.path or "classes.a.slo." .. (limit.metric or "")
      return bounds.guess(one, { limit }, more, factor)
    end
    -- 10 ms alone, 10 ms of waiting.
    assert.is_true(met { metric = "mean", limit = 0.0201 })
    assert.is_false(met { metric = "mean", limit = 0.0199 })
    assert.is_true(met { metric = "mean", limit = 0.0199, class = "b" })
    assert.is_true(met { metric = "ttft_mean", limit = 1e-9 })
    -- Half wait longer than exp(−50 t): at p90, t = ln 5 ÷ 50 behind the 10 ms.
    local t = 0.01 + math.log(5) / 50
    assert.is_true(met { metric = "p90", quantile = 0.9, limit = t + 1e-4 })
    assert.is_false(met { metric = "p90", quantile = 0.9, limit = t - 1e-4 })
    assert.is_true(met { metric = "met", deadline = t + 1e-4, limit = 0.9 })
    assert.is_false(met { metric = "met", deadline = t - 1e-4, limit = 0.9 })
    -- Beside a shorter wait, of a quarter of a service on average, as much later.
    for _, name in ipairs { "a cpu", "z cpu" } do
      local both = of { { name = name, rate = 20 }, {} }
      for side, wanted in pairs { [1e-4] = true, [-1e-4] = false } do
        assert.equal(wanted, bounds.guess(both, { { metric = "p90", quantile = 0.9, path = "x",
          limit = t + 0.0025 + side } }))
      end
    end
    assert.is_true(met { path = "resources.gpu.utilization", limit = 0.5 })
    assert.is_false(met { path = "resources.gpu.utilization", limit = 0.49 })
    assert.is_true(met { path = "resources.gpu.utilization", limit = 0.6, least = true })
    assert.is_false(met({ path = "x", limit = 1 }, 1, 2))
    one.closed = true
    assert.is_true(met({ path = "x", limit = 1 }, 1, 2))
  end)

  it("asks whether requests may be lost, or wait for a batch", function()
    local function of_scenario(extra) return bounds.of(base(extra)) end
    local plain = of_scenario()
    assert.same({ false, false, false, true, 1 }, { plain.lossy, plain.timed, plain.closed,
      plain.patient, plain.gpus })
    assert.is_true(of_scenario({ target = td.gpu "L40S" { queue = 2 } }).lossy)
    local timed = of_scenario { patience = "1s" }
    assert.same({ true, true }, { timed.lossy, timed.timed })
    assert.equal(3, of_scenario({ target = td.gpu "L40S" { count = 3 } }).gpus)
    assert.is_true(of_scenario({ workload = td.closed { users = 3, think = "1s",
      requests = 100 } }).closed)
    for patient, batch in pairs { [true] = { max = 4 }, [false] = { max = 4, wait = "2ms" } } do
      local step = td.stage "work" { cost = "40ms", on = "gpu", batch = batch }
      assert.equal(patient, of_scenario({ pipeline = { step } }).patient)
    end
    for _, batch in ipairs { { max = 4, static = true },
      { max = 4, decide = function(waiting) return waiting end } } do
      local step = td.stage "work" { cost = "40ms", on = "gpu", batch = batch }
      assert.is_false(of_scenario({ pipeline = { step } }).patient)
    end
    assert.is_false(bounds.may_lose(base():model()))
    assert.is_true(bounds.may_lose(base({ patience = "1s" }):model()))
  end)
end)

describe("the length of a run", function()
  local function q(fields)
    local out = { demand = { stationary = true, requests = 4000 }, limits = {}, shares = {} }
    for key, value in pairs(fields or {}) do out[key] = value end
    return out
  end

  it("is what the finest quantile takes", function()
    local function tail(...) return space.tail(q { limits = { ... }, shares = { a = 0.25,
      b = 1e-6 } }) end
    assert.equal(1000, tail())
    assert.equal(1000, tail { quantile = 0.98 })
    assert.equal(2000, tail { quantile = 0.99 })
    assert.equal(20000, tail({ quantile = 0.99 }, { quantile = 0.999 }, { quantile = 0.5 }))
    assert.equal(8000, tail { quantile = 0.99, class = "a" })
    assert.equal(200000, tail { quantile = 0.99, class = "b" })
    assert.equal(2000, tail { quantile = 0.99, class = "c" })
    assert.equal(1000, tail { quantile = 1 })
  end)

  it("is what queues take to forget, in thousands", function()
    local function requests(forecast, most, factor, fields)
      return space.requests(q(fields), forecast, most, factor)
    end
    assert.equal(4000, requests())
    assert.equal(4000, requests { relaxation = 50, settling = 600 })
    assert.equal(5000, requests { relaxation = 50.01, settling = 0 })
    assert.equal(5000, requests { relaxation = 0, settling = 667 })
    assert.equal(80000, requests { relaxation = 1000, settling = 0 })
    assert.equal(300000, requests { relaxation = 1e6, settling = 0 })
    assert.equal(60000, requests({ relaxation = 1e6, settling = 0 }, 60000))
    assert.is_nil(requests(nil, nil, nil, { demand = { stationary = false } }))
    assert.equal(1000, requests(nil, nil, nil, { demand = { stationary = true } }))
    assert.equal(300000, requests(nil, nil, nil, { demand = { stationary = true,
      requests = 1e9 } }))
    -- LLM servers: 64 lifetimes of what is inside, at so many times the load.
    local inside = { demand = { stationary = true, requests = 1000, inside = 100 } }
    assert.equal(7000, requests(nil, nil, nil, inside))
    assert.equal(13000, requests(nil, nil, 2, inside))
    assert.equal(10000, requests(nil, 10000, 2, inside))
  end)

  it("counts the turns of conversations, each with times of its own", function()
    local function of(all, fields)
      local talk = { stationary = true, unit = "users", total = 10, turns = { a = 20, b = 4 } }
      for key, value in pairs(fields or {}) do talk[key] = value end
      return q { demand = talk, limits = all }
    end
    local function one(metric, quantile, class)
      return { metric = metric, quantile = quantile, class = class or "a" }
    end
    assert.equal(50, space.tail(of { one("ttft_p95", 0.95) }))
    assert.equal(100, space.tail(of { one("ttft_p99", 0.99) }))
    assert.equal(500, space.tail(of { one("ttft_p99", 0.99), one("tpot_p99", 0.99, "b") }))
    -- A conversation has one latency; whose classes have no server, too.
    assert.equal(2000, space.tail(of { one("ttft_p99", 0.99), one("p99", 0.99) }))
    assert.equal(2000, space.tail(of { one("ttft_p99", 0.99, "c") }))
    -- What may be lost asks for no more.
    assert.equal(50, space.tail(of { one("ttft_p95", 0.95), { lost = true, class = "a" } }))
    -- Ten rounds of every user, in hundreds below a thousand.
    assert.equal(100, space.requests(of { one("ttft_p95", 0.95) }))
    assert.equal(300, space.requests(of { one("ttft_p95", 0.95) }, nil, nil, 2.5))
    assert.equal(1000, space.requests(of({ one("ttft_p95", 0.95) }, { total = 4000 })))
    assert.equal(1000, space.requests(of { one("p95", 0.95) }))
    local scenario = td.scenario "talk" { workload = td.closed { users = 3, requests = 10 },
      target = "H100", pipeline = { td.loop "turns" { times = 6, td.generate "llm" {
        model = td.llm "Llama-3.1-8B", prompt = 100, output = 20 } } } }
    assert.same({ default = 6 }, demand.of(scenario).turns)
  end)

  it("is not to be had next to saturation", function()
    local function unsettled(relaxation, settling, stationary)
      return space.unsettled(q { demand = { stationary = stationary ~= false } },
        { relaxation = relaxation, settling = settling })
    end
    assert.is_false(unsettled(15000, 0))
    assert.is_true(unsettled(15000.1, 0))
    assert.is_false(unsettled(0, 150000))
    assert.is_true(unsettled(0, 150001))
    assert.is_false(unsettled(1e9, 0, false))
    assert.is_false(space.unsettled(q(), nil))
  end)
end)

describe("a trial by hand", function()
  local limit = { key = "u", label = "u", limit = 1, kind = "time", least = false }
  local function new(rules, requests)
    local all = { limits = { limit }, paths = { u = { "a", "b" } }, confidence = 0.95,
      precision = 0.01, most = 64, seed = 7 }
    for key, value in pairs(rules or {}) do all[key] = value end
    return trial.new({ gpus = 2 }, 1, requests, all, "it")
  end
  local function figure(values, half, needs, met)
    local sum = 0
    for _, v in ipairs(values) do sum = sum + v end
    return { value = sum / #values, half = half, needs = needs, met = met }
  end
  local function answer(a, b, metrics)
    metrics = metrics or {}
    metrics.a, metrics.b = metrics.a or a and figure(a), metrics.b or b and figure(b)
    return { ok = true, metrics = metrics, values = { a = a, b = b } }
  end
  local function times(value, count)
    local out = {}
    for i = 1, count or 4 do out[i] = value end
    return out
  end
  -- Of a run with an interval, or with none.
  local function seen(value, half, more)
    local metrics = { a = { value = value, half = half } }
    for key, one in pairs(more or {}) do metrics[key] = one end
    return answer(times(value, 8), nil, metrics)
  end
  local function withheld(value, by, met)
    local values = {}
    for i = 1, 8 do values[i] = value * (i % 2 == 0 and 1.9 or 0.1) end
    return answer(values, nil, { a = { value = value, met = met,
      needs = { requests = 96000, by = by or "length" } } })
  end
  local function job(one)
    local asked = one:job()
    return ("%d+%d of %s"):format(asked.first, asked.replications, asked.set.requests or "all")
  end

  it("asks for eight replications, and twice as many in all where runs have a length", function()
    local one = new(nil, 5000)
    assert.equal("0+8 of 5000", job(one))
    local asked = one:job()
    assert.same({ 7, true, 1, 2 }, { asked.seed, asked.values, asked.base, asked.set.gpus })
    -- One limit, the first candidate's first look: 2 × 0.05 / 2 / 2.
    assert.is_true(math.abs(asked.confidence - 0.975) < 1e-12)
    assert.same({ "a", "b" }, { asked.metrics[#asked.metrics - 1], asked.metrics[#asked.metrics] })
    one = new()
    for _, wanted in ipairs { "0+8 of all", "8+8 of all", "16+16 of all", "32+32 of all" } do
      assert.equal(wanted, job(one))
      local values = {}
      for i = 1, one.count do values[i] = i % 2 == 0 and 1.5 or 0.5 end
      one:absorb(answer(values))
    end
    assert.same({ "undecided", 64 }, { one.state, one.replications })
  end)

  it("is of the worst of several resources", function()
    local one = new()
    one:absorb(answer({ 0.1, 0.5 }, { 0.3, 0.2 }))
    assert.same({ 0.3, 0.5 }, one.estimates.u.values)
    local least = new { limits = { { key = "u", label = "u", limit = 1, kind = "time",
      least = true } } }
    least:absorb(answer({ 0.1, 0.5 }, { 0.3, 0.2 }))
    assert.same({ 0.1, 0.2 }, least.estimates.u.values)
    local pooled = new(nil, 4000)
    pooled:absorb(answer({ 0.1, 0.5 }, { 0.3, 0.2 }, { a = { value = 0.3, half = 0.01 },
      b = { value = 0.25, half = 0.02 } }))
    assert.same({ 0.3, 0.01 }, { pooled.estimates.u.value, pooled.estimates.u.half })
    local lacking = new()
    lacking:absorb(answer({ 0.1 }, nil))
    assert.same({ 0.1 }, lacking.estimates.u.values)
    local none = new()
    none:absorb(answer(nil, nil))
    assert.same({ "failed", "a run has no u" }, { none.state, none.message })
    local broken = new()
    broken:absorb { ok = false, metrics = {} }
    assert.same({ "failed", "failed" }, { broken.state, broken.message })
  end)

  it("keeps why: the busiest, what is lost, what overloads", function()
    local one = new()
    one:absorb(answer(times(0.5), nil, { utilization = { value = 0.4 }, lost = { value = 0.1 },
      bottleneck = "x", requests = { value = 5 }, throughput_rps = { value = 3 },
      overload = false }))
    assert.same({ bottleneck = "x", lost = 0.1, utilization = 0.4, throughput = 3 }, one.facts)
    assert.same({ 5, 1, "meets" }, { one.total, one.look, one.state })
    local over = new(nil, 4000)
    over:absorb(seen(0.5, 0.1, { overload = true, ["overload.reason"] = "so" }))
    assert.same({ "misses", "so", math.huge }, { over.state, over.facts.why,
      over.verdict.figures[1].value })
  end)

  it("ends when it is sure, near enough, or has had enough", function()
    local one = new()
    one:absorb(answer(times(1.0005, 8)))
    assert.equal("misses", one.state)
    one = new { precision = 0.1 }
    one:absorb(answer { 0.99, 1.01, 0.99, 1.01, 0.99, 1.01, 0.99, 1.01 })
    assert.same({ "undecided", true }, { one.state, one.close })
    one = new({ precision = 0.1 }, 4000)
    one:absorb(seen(0.99, 0.09))
    assert.same({ "undecided", true }, { one.state, one.close })
    one = new { most = 8, precision = 1e-6 }
    one:absorb(answer { 0.9, 1.1, 0.9, 1.1, 0.9, 1.1, 0.9, 1.1 })
    assert.same({ "undecided", nil }, { one.state, one.close })
    one = new { most = 9, precision = 1e-6 }
    one:absorb(answer { 0.9, 1.1, 0.9, 1.1, 0.9, 1.1, 0.9, 1.1 })
    assert.is_nil(one.state)
    one = new { once = true }
    one:absorb(answer { 0.9, 1.2, 0.9 })
    assert.equal("meets", one.state)
    one = new({ once = true }, 4000)
    one:absorb(seen(1.1, 5))
    assert.equal("misses", one.state)
  end)

  it("believes that it meets when runs of twice the length say so", function()
    local one = new(nil, 4000)
    one:absorb(seen(0.5, 0.1))
    assert.same({ nil, "0+8 of 8000", 1 }, { one.state, job(one), one.look })
    one:absorb(seen(0.6, 0.1))
    assert.equal("meets", one.state)
    -- Half of its way may be left: 0.7 + 0.2, then 0.85 + 0.15.
    one = new(nil, 4000)
    one:absorb(seen(0.4, 0.1))
    one:absorb(seen(0.75, 0.1))
    assert.same({ nil, "0+8 of 16000" }, { one.state, job(one) })
    one:absorb(seen(0.84, 0.1))
    assert.equal("meets", one.state)
    one = new(nil, 4000)
    one:absorb(seen(0.5, 0.1))
    one:absorb(seen(1.5, 0.1))
    assert.equal("misses", one.state)
    one = new({ longest = 4000 }, 4000)
    one:absorb(seen(0.5, 0.1))
    one:absorb(seen(0.8, 0.1))
    assert.same({ "undecided", "its figures still move as runs grow" },
      { one.state, one.facts.why })
  end)

  it("begins anew with longer runs where short ones do not say, then with more", function()
    local one = new({ longest = 32000 }, 4000)
    one:absorb(withheld(0.9))
    -- 96,000 requests are wanted, 32,000 were there.
    assert.same({ nil, "0+8 of 15000", 1 }, { one.state, job(one), one.look })
    one:absorb(seen(0.9, 0.2))
    assert.same({ nil, "0+16 of 15000", 2 }, { one.state, job(one), one.look })
    one:absorb(seen(0.9, 0.2))
    assert.same({ nil, "0+32 of 15000", 3 }, { one.state, job(one), one.look })
    one:absorb(seen(0.9, 0.2))
    assert.same({ "undecided", 32 }, { one.state, one.replications })
    local open = new(nil, 4000)
    open:absorb(withheld(0.9, "requests", true))
    assert.same({ nil, "0+8 of 8000" }, { open.state, job(open) })
    open:absorb(withheld(0.9, "requests", true))
    assert.equal("meets", open.state)
    open = new(nil, 4000)
    open:absorb(withheld(0.9, "requests", false))
    assert.equal("misses", open.state)
  end)

  it("has longer runs where what is inside grows", function()
    local function growing(value, longest)
      local one = new({ longest = longest }, 4000)
      one:absorb(seen(value, 0.1, { ["unsettled.reason"] = "it grows" }))
      return one
    end
    local one = growing(0.5, 7999)
    assert.same({ "undecided", "it grows", 4000 }, { one.state, one.facts.why, one.requests })
    one = growing(0.5, 8000)
    assert.same({ nil, 8000 }, { one.state, one.requests })
    -- What surely misses does so whatever grows.
    assert.equal("misses", growing(2).state)
  end)
end)

describe("a verdict's shares", function()
  it("are of what a share leaves, where it is near 1", function()
    local function near_to(limit_value, kind, values, precision)
      return verdict.of({ { key = "x", label = "x", limit = limit_value, kind = kind,
        least = true } }, { x = { values = values } }, { alpha = 0.01, precision = precision })
    end
    local around = { 0.989, 0.991, 0.989, 0.991, 0.989, 0.991, 0.989, 0.991 }
    local one = near_to(0.99, "percent", around, 0.1)
    assert.same({ "undecided", false }, { one.state, one.close })
    assert.is_true(near_to(0.99, "count", around, 0.1).close)
    assert.is_true(near_to(0.99, "percent", around, 0.2).close)
  end)
end)

describe("the search, question by question", function()
  local function asked(answer, options)
    local out = {}
    local found = search.smallest { low = options.low or 1, high = options.high or 64,
      guess = options.guess, neighbours = options.neighbours, scan = options.scan,
      numbers = options.numbers, test = function(numbers)
        out[#out + 1] = table.concat(numbers, ",")
        return options.most == nil or #out < options.most
      end, state = function(n) return n >= answer and "meets" or "misses" end,
      hopeless = options.hopeless and function()
        out[#out + 1] = "hopeless?"
        return options.hopeless == "yes"
      end }
    return table.concat(out, " "), found
  end

  it("goes outwards by doubling, then halves", function()
    assert.equal("5,4 6 8 12 20 16,17 14,15 13", (asked(13, { guess = 5 })))
    assert.equal("20,19 17,18 14,16", (asked(15, { guess = 20 })):match "^%S+ %S+ %S+")
    assert.equal("1 2 4 8", (asked(7, { guess = 1 })):match "^1 2 4 8")
    assert.equal("64,63", (asked(64, { guess = 99 })))
    assert.equal("3", (asked(3, { guess = 1, low = 3 })))
    assert.equal("5,4 hopeless?", (asked(70, { guess = 5, hopeless = "yes" })))
    assert.equal("5,4 hopeless? 6 8", (asked(8, { guess = 5, hopeless = "no" })):match
      "^5,4 hopeless%? 6 8")
    assert.equal("1,2 3,4", (asked(4, { guess = 9, scan = true })))
    assert.equal("1,2 3", (asked(9, { guess = 9, scan = true, high = 3 })))
    assert.equal("6,5 7,4", (asked(6, { guess = 6, neighbours = true })))
    assert.equal("6,5 4", (asked(6, { guess = 6, neighbours = true, high = 6 })))
    assert.equal("1 2", (asked(1, { guess = 1, neighbours = true })))
  end)

  it("says what it knows when it is stopped", function()
    local _, found = asked(13, { guess = 5, most = 3 })
    assert.same({ nil, 8, false }, { found.answer, found.floor, found.finished })
    _, found = asked(13, { guess = 20, most = 1 })
    assert.same({ 19, 0, false }, { found.answer, found.floor, found.finished })
    _, found = asked(2, { guess = 9, scan = true, most = 1 })
    assert.is_false(found.finished)
    _, found = asked(9, { low = 3, high = 2, guess = 1 })
    assert.same({ nil, 2, true }, { found.answer, found.floor, found.finished })
    _, found = asked(12, { guess = 13, numbers = { 2, 4, 8, 14, 16 } })
    assert.same({ 14, 8 }, { found.answer, found.floor })
    _, found = asked(1, { guess = 1, low = 3, numbers = { 2, 4, 8 } })
    assert.same({ 4, 2 }, { found.answer, found.floor })
  end)
end)

describe("limits by hand", function()
  it("know their quantiles, classes and kinds", function()
    local out = limits.of(base { slo = { p99 = "1s", ["p99.9"] = "2s", mean = "1s",
      met = 0.9, deadline = "3s" } })
    local said = {}
    for i, one in ipairs(out) do
      said[i] = ("%s %s %s %s %s"):format(one.metric, one.quantile, one.limit, one.least, one.kind)
      assert.equal("classes.default.slo." .. one.metric, one.path)
      assert.equal(3, one.deadline)
    end
    table.sort(said)
    assert.same({ "mean nil 1.0 false time", "met nil 0.9 true percent",
      "p99 0.99 1.0 false time", "p99.9 0.999 2.0 false time" },
      { (said[1]:gsub(" 1 ", " 1.0 ")), said[2], (said[3]:gsub(" 1 ", " 1.0 ")),
        (said[4]:gsub(" 2 ", " 2.0 ")) })
  end)

  it("keep the time within which the scenario counts answers as good", function()
    local function put(slo, extra)
      local raw = {}
      limits.put(raw, base(extra), slo)
      return raw
    end
    local function seconds(slo) return tonumber((slo.deadline or "nones"):match "^(.*)s$") end
    near(0.3, seconds(put { met = 0.99 }.slo)) -- of p99, as runs count it
    near(2, seconds(put({ goodput = "9rps" }, { slo = { p99 = "300ms", deadline = "2s" } }).slo))
    assert.same({ p90 = "1s", met = 0.9 }, put { p90 = "1s", met = 0.9 }.slo)
    assert.equal("1s", put { deadline = "1s", met = 0.9 }.slo.deadline)
    assert.same({ mean = "1s" }, put({ mean = "1s" }, { slo = { deadline = "2s", met = 1 } }).slo)
    assert.is_nil(put({ met = 0.9 }, { slo = { met = 0.5 } }).slo.deadline)
    local two = { classes = { { name = "a" }, { name = "b" } } }
    limits.put(two, td.scenario "two" { target = td.gpu "L40S" {},
      pipeline = { td.fixed "work" { time = "40ms", on = "gpu" } }, classes = {
        { name = "a", workload = td.poisson { rps = 1, requests = 9 }, slo = { p99 = "1s" } },
        { name = "b", workload = td.poisson { rps = 1, requests = 9 }, slo = { p99 = "4s" } } } },
      { met = 0.9 })
    near(1, seconds(two.classes[1].slo))
    near(4, seconds(two.classes[2].slo))
  end)

  it("are of what the scenario has, or another kind of GPU would have", function()
    local function of(path)
      local all = limits.of(base {}, { [path] = { max = 0.5 } })
      return all[#all]
    end
    assert.equal(0.5, of("resources.L40S gpu.utilization").limit)
    assert.equal(0.5, of("resources.Other gpu.utilization").limit)
    for _, path in ipairs { "resources.L40S h2d.utilization", "resources.L40S gpu.colour",
      "resources.L40S cpu.utilization" } do
      assert.has_error(function() of(path) end)
    end
  end)

  it("say where being in time means being served", function()
    local function said(slo)
      local scenario = base { slo = slo }
      return limits.cautions(scenario, limits.of(scenario))
    end
    assert.same({ "met counts whoever is served, however late, for want of a deadline: --slo "
      .. "deadline=500ms met=… gives one." }, said { met = 0.9 })
    assert.same({}, said { met = 0.9, deadline = "1s" })
    assert.same({}, said { goodput = "5rps", p99 = "1s" })
    assert.same({}, said { p99 = "1s" })
  end)

  it("imply that few are lost, unless they speak of it", function()
    local function implied(all, classes)
      local resolved = {}
      for i, name in ipairs(classes or { "a" }) do resolved[i] = { name = name } end
      limits.imply({ checked = { resolved = resolved } }, all)
      local out = {}
      for _, one in ipairs(all) do
        if one.implied then
          out[#out + 1] = ("%s ≤ %g"):format(one.label, one.limit)
          assert.same({ true, "percent", false }, { one.lost, one.kind, one.least })
        end
      end
      return table.concat(out, ", ")
    end
    local function time(class, quantile)
      return { kind = "time", class = class, quantile = quantile, path = "x", metric = "p" }
    end
    assert.equal("lost ≤ 0.01", implied { time("a", 0.9) })
    assert.equal("lost ≤ 0.01", implied { time("a", 0.99) })
    assert.equal("lost ≤ 0.001", implied { time("a", 0.99), time("a", 0.999) })
    assert.equal("lost ≤ 0.01", implied { time "a" })
    assert.equal("", implied { time("a", 0.99), { metric = "met", class = "a", path = "x" } })
    assert.equal("", implied { time("a", 0.99), { metric = "goodput", class = "a", path = "x" } })
    assert.equal("", implied { time("a", 0.99), { path = "lost" } })
    assert.equal("", implied { time("a", 0.99), { path = "classes.a.lost" } })
    assert.equal("", implied { { kind = "percent", path = "resources.gpu.utilization" } })
    assert.equal("b lost ≤ 0.01", implied({ time("b", 0.95) }, { "a", "b" }))
    assert.equal("a lost ≤ 0.01", implied({ time("a", 0.9), time("b", 0.9), { metric = "met",
      class = "b", path = "x" } }, { "a", "b" }))
    assert.equal(1, #limits.asked { { implied = true }, {} })
    assert.equal(2, #limits.told { { implied = true, value = 0 }, { implied = true,
      value = 0.1 }, { value = 0 } })
  end)

  it("are of every GPU where they are of one", function()
    assert.same({ "resources.A#1 gpu.queue", "resources.A#2 gpu.queue" }, limits.paths({
      path = "resources.A gpu.queue" }, { "A#1", "A#2" }))
    assert.same({ "resources.A#1 h2d.utilization" }, limits.paths({
      path = "resources.h2d.utilization" }, { "A#1" }))
    assert.same({ "resources.cpu.utilization" }, limits.paths({
      path = "resources.cpu.utilization" }, { "A#1" }))
    assert.same({ "resources.gpu.utilization" }, limits.paths({
      path = "resources.gpu.utilization" }, {}))
    assert.same({ "resources.gpu.x" }, limits.paths({ path = "resources.gpu.x", metric = "p99" },
      { "A#1" }))
    assert.equal("p99 ≤ 250 ms", limits.words { label = "p99", limit = 0.25, kind = "time" })
    assert.equal("met ≥ 90 %", limits.words { label = "met", limit = 0.9, kind = "percent",
      least = true })
  end)
end)

describe("a demand by hand", function()
  local function of(workload, extra)
    local one = demand.of(base { workload = workload, requests = extra and extra.requests })
    local fields = {}
    for i, field in ipairs(one.fields) do
      fields[i] = ("%s=%.6g"):format(field.path, field.value)
    end
    return one, table.concat(fields, " ")
  end

  it("knows which fields grow with the load", function()
    for wanted, workload in pairs {
      ["workload.rps=40"] = td.poisson { rps = 40, duration = "10s" },
      ["workload.rps=20"] = td.paced { rps = 20, duration = "10s" },
      ["workload.rps=400 workload.idle_rps=40"] = td.bursts { rps = 400, idle_rps = 40, on = "1s",
        off = "3s", duration = "20s" },
      ["workload.users=10"] = td.closed { users = 10, think = "1s", requests = 100 },
      ["workload.rps=30"] = td.renewal { rps = 30, cv = 2, duration = "10s" },
    } do
      local one, fields = of(workload)
      assert.equal(wanted, fields)
      assert.is_true(one.stationary)
      assert.is_nil(one.stuck)
    end
    local curve, fields = of(td.curve { { 0, 20 }, { "20s", 60 }, duration = "20s" })
    assert.equal("20 60", (fields:gsub("%S+=", "")))
    assert.is_false(curve.stationary)
    near(40, curve.total)
    near(800, curve.requests)
    -- Records play at a speed, 1 where they do not say.
    local rows = { { arrival = 0 }, { arrival = 1 } }
    for wanted, speed in pairs { ["workload.speed=1"] = false, ["workload.speed=4"] = 4 } do
      local replay, one = of(td.replay { rows = rows, speed = speed or nil })
      assert.equal(wanted, one)
      assert.is_false(replay.stationary)
    end
    local bursts = of(td.bursts { rps = 400, idle_rps = 40, on = "1s", off = "3s",
      duration = "20s" })
    near(130, bursts.total)
    assert.equal(400, bursts.burst_rps)
    near(2600, bursts.requests)
    local users = of(td.closed { users = 10, think = "1s", requests = 100 })
    assert.same({ "users", 10, 100 }, { users.unit, users.total, users.requests })
  end)

  it("multiplies them, people to whole ones", function()
    local one = { fields = { { path = "a", value = 3, integer = false },
      { path = "b", value = 3, integer = true } } }
    assert.same({}, demand.scaled(one, 1))
    assert.same({ a = 7.5, b = 8 }, demand.scaled(one, 2.5))
    assert.same({ a = 0.03, b = 1 }, demand.scaled(one, 0.01))
    assert.equal("8 users", demand.words(7.5, "users"))
    assert.equal("1 user", demand.words(1, "users"))
    assert.equal("7.50 /s", demand.words(7.5, "rate"))
  end)
end)

describe("a question", function()
  local function refused(find, options)
    options.scenario = options.scenario or base()
    local ok, message = pcall(td.plan[find], options)
    assert.is_false(ok)
    return (tostring(message):gsub("^.-td%.plan%.%w+: ", ""))
  end

  it("is refused with what to write", function()
    for message, options in pairs {
      ["kinds: is empty; name GPUs: kinds = { \"H100\", \"L40S\" }"] = { kinds = {} },
      ["kinds: wants names of GPUs, not 3"] = { kinds = { 3 } },
      ["budget: wants a table, { usd_per_hour = 50 }, { gpus = 8 } or { watts = \"5kW\" }"] =
        { budget = 5 },
      ["budget: gpus is 0; it must be a number above 0"] = { budget = { gpus = 0 } },
      ["budget: unknown 'gpu'; did you mean 'gpus'?"] = { budget = { gpu = 1 } },
      ["method: unknown 'bisect'; did you mean 'bisection'?"] = { method = "bisect" },
      ["minimize: unknown 'cost'; one of gpus, usd_per_hour, watts"] = { minimize = "cost" },
      ["load: wants a rate such as \"40rps\", a list of them or td.range(…)"] = { load = true },
      ["max: is 1, below min = 2; the range is empty"] = { min = 2, max = 1 },
      ["slo: wants a table, slo = { p99 = \"250ms\" }"] = { slo = 5 },
      ["slo: p99 = \"0s\" must be more than 0"] = { slo = { p99 = "0s" } },
      ["slo: no class is called 'defaul'; did you mean 'default'?"] = { slo = { defaul = {
        p99 = "1s" } } },
      ["limits: wants a table, { [\"resources.L40 gpu.utilization\"] = { max = 0.8 } }"] =
        { limits = 5 },
      ["limits: lost wants { max = … } or { min = … }"] = { limits = { lost = 5 } },
      ["limits: lost: 'x' is not a quantity"] = { limits = { lost = { max = "x" } } },
      ["count: wants a path such as \"resources.NAME.servers\""] = { count = 5 },
      ["confidence: wants a number from 0.5 to 0.999999, not 0.4"] = { confidence = 0.4 },
      ["replications: wants a whole number from 8 to 4096, not 7"] = { replications = 7 },
      ["replications: wants a whole number from 8 to 4096, not 8.5"] = { replications = 8.5 },
      ["precision: wants a number from 1e-06 to 0.5, not 0.6"] = { precision = 0.6 },
    } do
      assert.equal(message, refused("gpus", options))
    end
    local fleet = base { target = td.fleet { td.gpu "L40S" {}, td.gpu "H100" {} } }
    assert.equal("count: the target is a fleet; name what is counted, such as count = "
      .. "\"target.L40S.count\"", refused("gpus", { scenario = fleet }))
    assert.equal("kinds: the scenario's target is a fleet; give it one kind, target = td.gpu "
      .. "\"…\"", refused("load", { scenario = fleet, kinds = { "H100" } }))
    assert.equal("gpus: the scenario has no single target GPU whose number could be set",
      refused("load", { scenario = fleet, gpus = 2 }))
    for _, gpus in ipairs { 0, 1.5 } do
      assert.equal(("gpus: wants a whole number from 1, not %s"):format(gpus),
        refused("load", { gpus = gpus }))
    end
    for named, kind in pairs { L40S = "L40S", H100 = td.gpu "L40S" {} } do
      assert.equal(("kinds: the scenario has no target GPU; add target = td.gpu \"%s\" to it")
        :format(named), refused("load", { kinds = { kind }, scenario = td.scenario "bare" {
        workload = td.poisson { rps = 4, requests = 400 },
        pipeline = { td.delay "rest" { time = "0.1s" } },
        slo = { p99 = "1s" } } }))
    end
    local replay = base { workload = td.replay { rows = { { arrival = 0 }, { arrival = 1 } } } }
    assert.equal("gpus: wants a whole number from 1, not x", refused("load", { gpus = "x" }))
    assert.is_table(question.of("gpus", { scenario = replay }))
    for message, options in pairs {
      ["over: unknown GPU 'L4O'; did you mean 'L40'?"] = { over = { kind = { "L4O" } } },
      ["over: wants paths and their values, over = { gpus = { 1, 2, 4 } }"] = { over = { 1, 2 } },
      ["over: makes 160000 combinations; the most is 100000"] = { over = {
        gpus = td.range(1, 400), concurrency = td.range(1, 400) } },
    } do assert.equal(message, refused("best", options)) end
    assert.matches("^over: .*batch%.max: is 0", refused("best", { over = {
      ["pipeline.work.batch"] = { 0 } } }))
  end)

  it("grows only what has a rate to multiply", function()
    local function said(workload, options)
      options.scenario = base { workload = workload }
      return refused("gpus", options)
    end
    -- A function has no rate that could be said; one recorded request is none a second.
    for words, workload in pairs { ["td.arrivals"] = td.arrivals(function() return 0.1 end),
      ["td.renewal"] = td.renewal { gap = td.exponential "1s", requests = 9 },
      ["this workload"] = td.replay { rows = { { arrival = 0 } } } } do
      assert.equal(("users, busier: %s has no rate to multiply"):format(words),
        said(workload, { users = 2 }))
      assert.equal(("load: cannot be set for %s, which has no rate to multiply; change the "
        .. "scenario (--set), or name the key in Lua: load_path = \"workload.…\""):format(words),
        said(workload, { load = "40rps" }))
    end
    assert.equal("users, busier: td.closed beside other arrivals has no rate to multiply",
      said({ td.poisson { rps = 1, requests = 9 }, td.closed { users = 2, requests = 9 } },
        { busier = 2 }))
    assert.equal("users, busier: say by how much the load grows; leave load out",
      said(td.poisson { rps = 1, requests = 9 }, { users = 2, load = "2rps" }))
    assert.equal("busier: users of td.closed come as often as their think time says; change that",
      said(td.closed { users = 2, requests = 9 }, { busier = 2 }))
    local q = question.of("gpus", { scenario = base(), users = 2 })
    assert.same({ 80, 2 }, { q.loads[1].value, q.loads[1].factor })
  end)

  it("has the load of its scenario's block, unless it says one in whatever way", function()
    local function loads(block, options)
      options.scenario = base { plan = block }
      local out = {}
      for i, one in ipairs(question.of("gpus", options).loads) do out[i] = one.value end
      return out
    end
    assert.same({ 50 }, loads({ load = "20rps" }, { load = "50rps" }))
    assert.same({ 20 }, loads({ load = "20rps" }, {}))
    assert.same({ 160 }, loads({ load = "20rps" }, { users = "4x" }))
    assert.same({ 160 }, loads({ load = "20rps" }, { busier = "4x" }))
    assert.same({ 40 }, loads({}, {}))
  end)

  it("calls each of two that are counted by whose it is", function()
    local function nouns(first, second)
      local q = question.of("gpus", { count = { first, second }, scenario = base { cpu = 2,
        resources = { td.pool "disk" { servers = 2 } },
        target = td.fleet "f" { td.gpu "A10G" { count = 1 }, td.gpu "L4" { count = 1 } } } })
      return q.noun .. ", " .. q.pair.noun
    end
    assert.equal("A10G, CPU worker", nouns("target.A10G.count", "cpu.workers"))
    assert.equal("A10G, L4", nouns("target.A10G.count", "target.L4.count"))
    assert.equal("CPU worker, disk server", nouns("cpu.workers", "resources.disk.servers"))
    assert.equal("GPU, CPU worker", (function()
      local q = question.of("gpus", { count = "cpu.workers,gpus", scenario = base { cpu = 2 } })
      return q.noun .. ", " .. q.pair.noun
    end)())
  end)

  it("calls what may be chosen by names of its own", function()
    local scenario = td.scenario "pools" { workload = td.poisson { rps = 5, requests = 1000 },
      resources = { td.pool "in" { servers = 1 }, td.pool "out" { servers = 2 } },
      pipeline = { td.stage "a" { on = "in", cost = "10ms", batch = { max = 2 } },
        td.stage "b" { on = "out", cost = "10ms", batch = { max = 2 } } }, slo = { p99 = "1s" } }
    local names = {}
    local answer = td.plan.best { scenario = scenario, over = { ["resources.in.servers"] = { 1 },
      ["resources.out.servers"] = { 2 }, ["pipeline.a.batch.max"] = { 3 },
      ["pipeline.b.batch.max"] = { 4 }, ["resources.in.queue"] = { 50 } } }
    for _, row in ipairs(answer.rows) do names[#names + 1] = row.setting end
    assert.same({ "a batch max 3 b batch max 4 queue 50 in ×1 out ×2" }, names)
    assert.not_matches("×2 +0 ", tostring(answer)) -- no GPUs, no number of them
  end)

  it("is filled in where it is silent", function()
    local q = question.of("gpus", { scenario = base() })
    assert.same({ 0.95, 0.01, 64, 1, 1, 64, "usd_per_hour", true, "gpus", "GPU" }, { q.confidence,
      q.precision, q.replications, q.seed, q.min, q.max, q.minimize, q.monotone, q.count, q.noun })
    assert.same({ { value = 40, factor = 1, set = {}, label = "40 /s" } }, q.loads)
    assert.same({ default = 1 }, q.shares)
    q = question.of("gpus", { scenario = base(), load = { "20rps", "60rps" },
      minimize = "usd", budget = { usd = 5 }, method = "scan" })
    assert.same({ 20, 0.5, { ["workload.rps"] = 20 } }, { q.loads[1].value, q.loads[1].factor,
      q.loads[1].set })
    assert.same({ 1.5, "usd_per_hour", 5, false }, { q.loads[2].factor, q.minimize,
      q.budget.usd_per_hour, q.monotone })
    q = question.of("gpus", { scenario = base(), load = td.range("10rps", "80rps") })
    assert.equal(8, #q.loads)
    q = question.of("gpus", { scenario = base(), count = "concurrency" })
    assert.same({ "concurrency", "concurrency", true }, { q.count, q.noun, q.setting })
    q = question.of("gpus", { scenario = base { target = td.gpu "L40S" { flops = "9TFLOP/s" } },
      kinds = { "H100", "H100", "L40" } })
    assert.equal(2, #q.kinds)
    assert.equal("The scenario sets target.flops itself, so every kind has that same flops.",
      q.notes[1])
    q = question.of("gpus", { scenario = base(), monotone = false })
    assert.same({ false, "Every number is tested from below: monotone = false says that more can "
      .. "be worse." }, { q.monotone, q.notes[1] })
  end)
end)

describe("searches beside each other", function()
  it("tell how far they are, half of what is left with each round", function()
    local told = {}
    local backend = paper.backend(function() return {} end)
    local function job() return { base = 1, set = {}, seed = 1, replications = 2, first = 0,
      metrics = {} } end
    local work = { jobs = 0, replications = 0 }
    local results = evaluate.run({ function(ask)
      ask { job(), job() }
      ask { job() }
      return "first"
    end, function(ask)
      ask { job() }
      return "second"
    end, function() return nil end }, { scenarios = { base() }, backend = backend,
      progress = function(done, waiting, share)
        told[#told + 1] = ("%d %d %.6g"):format(done, waiting, share)
      end }, work)
    assert.same({ "first", "second", false }, results)
    assert.same({ 4, 8 }, { work.jobs, work.replications })
    -- Shares of three: the last is done at once. Half of a round that is half done is a quarter.
    local function share(a, b) return ("%.6g"):format((a + b + 1) / 3) end
    assert.same({ "1 2 " .. share(0.25, 0), "2 1 " .. share(0.5, 0), "3 1 " .. share(0.5, 0.5),
      "4 0 " .. share(0.75, 1) }, told)
    local part = {}
    evaluate.part(function(...) part = { ... } end, 0.5, 0.7)(3, 4, 0.5)
    near(0.6, part[3])
    assert.same({ 3, 4 }, { part[1], part[2] })
    assert.is_nil(evaluate.part(nil, 0, 1))
  end)

  it("have no result where memory was short for one simulation", function()
    local function run(message)
      local given = {}
      local backend = { size = 1, give = function(_, number) given[#given + 1] = number end,
        take = function()
          local answer = '{"ok":false,"message":"%s","metrics":{}}'
          return table.remove(given, 1), answer:format(message)
        end, close = function() end }
      local job = { base = 1, set = {}, seed = 1, replications = 1, first = 0, metrics = {} }
      return pcall(evaluate.run, { function(ask) return ask { job }[1].message end },
        { scenarios = { base() }, backend = backend }, { jobs = 0, replications = 0 })
    end
    assert.same({ false, "not enough memory" }, { run "out of memory: latency histogram" })
    assert.same({ false, "not enough memory" }, { run "day.lua:3: not enough memory" })
    assert.same({ true, { "the queue is full" } }, { run "the queue is full" })
  end)

  it("have no result where nobody works any more", function()
    local function run(why)
      local backend = { size = 1, give = function() end, take = function() return nil, why end,
        close = function() end }
      local job = { base = 1, set = {}, seed = 1, replications = 1, first = 0, metrics = {} }
      return pcall(evaluate.run, { function(ask) return ask { job } end },
        { scenarios = { base() }, backend = backend }, { jobs = 0, replications = 0 })
    end
    assert.same({ false, "not enough memory" }, { run "out of memory: a thread's Lua state" })
    assert.same({ false, "a rank has left" }, { run "a rank has left" })
  end)

  it("leave off at a budget, and say why", function()
    local function run(most)
      local backend = paper.backend(function() return {} end)
      local work, why = { jobs = 0, replications = 0 }, nil
      local function job() return { base = 1, set = {}, seed = 1, replications = 1, first = 0,
        metrics = {} } end
      local results = evaluate.run({ function(ask)
        local rounds = 0
        for _ = 1, 3 do
          local answers, wrong = ask { job(), job() }
          if not answers then
            why = wrong
            break
          end
          rounds = rounds + 1
        end
        return rounds
      end }, { scenarios = { base() }, backend = backend, simulations = most }, work)
      return { results[1], work.jobs, work.stopped, why }
    end
    assert.same({ 3, 6 }, run(6))
    assert.same({ 2, 4, "budget", "budget" }, run(5))
    assert.same({ 0, 0, "budget", "budget" }, run(1))
  end)
end)

describe("what may go wrong with an answer", function()
  it("is luck for a fifth, and the model for the rest", function()
    local doubt = require "tandem.plan.doubt"
    local q = doubt.question { confidence = 0.95, seed = 7 }
    near(0.99, q.confidence)
    assert.equal(7, q.seed)
    near(0.996, doubt.question { confidence = 0.98 }.confidence)
    -- Of a normal, 96 % lie below so many deviations.
    assert.near(1.750686071252170, doubt.deviations { confidence = 0.95 }, 1e-12)
  end)
end)

describe("other pairs that are enough", function()
  it("are named with what they cost, in what is least wanted", function()
    local pair_words = require "tandem.plan.pair_words"
    local function said(minimize, cost, costs)
      local row = { choice = { name = "" }, outcome = { finished = true }, pair = {
        undecided = {}, costs = costs, corners = { { count = 2, with = 3, cost = cost } } } }
      local q = { minimize = minimize, count = "gpus", noun = "GPU", pair = { noun = "worker" } }
      return (table.concat(pair_words.others(q, row), " "):gsub("\u{A0}", " "))
    end
    assert.equal("Also enough, and no cheaper: 2 GPUs with 3 workers at $4.50 an hour.",
      said("usd_per_hour", 4.5, true))
    assert.equal("Also enough, and no cheaper: 2 GPUs with 3 workers at 1,400 W.",
      said("watts", 1400, true))
    assert.equal("Also enough, and no cheaper: 2 GPUs with 3 workers at 2 GPUs.",
      said("gpus", 2, true))
    assert.equal("Also enough, and no cheaper: 2 GPUs with 3 workers.", said("gpus", 2, false))
  end)
end)

describe("the forms of an answer", function()
  local function answer_of(find, options)
    local backend = paper.backend(function(job)
      local rps, gpus = job.set["workload.rps"] or 40, job.set.gpus or 1
      local out = { utilization = rps * 0.02 / gpus, bottleneck = "L40S gpu", overload = false,
        requests = 1000, lost = 0.001, throughput_rps = rps }
      out["classes.default.slo.p99"] = { 0.01 * rps / gpus, 0.002 }
      return out
    end)
    options.scenario, options.backend = base(), backend
    return td.plan[find](options)
  end

  local function drawn(answer)
    local kept, found = {}, nil
    for _, kind in ipairs { "lines", "bars", "scatter" } do
      kept[kind] = plot[kind]
      plot[kind] = function(spec)
        found = spec
        found.kind = kind
        return { save = function() return true end }
      end
    end
    local ok, message = pcall(answer.plot, answer)
    for kind, own in pairs(kept) do plot[kind] = own end
    assert.is_true(ok, message)
    return found
  end

  it("are records of what was found and tested", function()
    local data = cjson.decode(answer_of("gpus", { load = "160rps" }):to_json())
    local row = data.rows[1]
    assert.same({ "tandem.plan/1", "gpus", true, 0.95, 1, 12, 96, "usd_per_hour", "gpus" },
      { data.schema, data.find, data.ok, data.confidence, data.seed, data.simulations,
        data.replications, data.minimized, data.counted })
    assert.same({ { label = "p99", limit = 0.3 } }, data.limits)
    assert.same({ { 1 }, 160, "L40S", "meets", 6, 6, 2100, 0.001, "p99" }, { data.best, row.load,
      row.kind, row.state, row.count, row.gpus, row.watts, row.lost, row.binding })
    near(9.48, row.usd_per_hour)
    near(1.6 / 6, row.figures[1].value)
    near(1 - 1.6 / 6 / 0.3, row.figures[1].margin)
    assert.same({ 5, false, "misses" }, { row.one_fewer.count, row.one_fewer.overload,
      row.one_fewer.state })
    near(0.32, row.one_fewer.value)
    local tested = {}
    for i, one in ipairs(row.tested) do
      tested[i] = ("%d %s %d %d %s"):format(one.count, one.state, one.replications, one.requests,
        one.label)
      near(1.6 / one.count, one.value)
    end
    assert.same({ "4 misses 8 6000 p99", "5 misses 8 4000 p99", "6 meets 8 8000 p99" }, tested)
    local told = {}
    for i, one in ipairs(row.sensitivity) do
      told[i] = ("%s %g %d %d"):format(one.what, one.change, one.count, one.difference)
    end
    assert.same({ "load 0.1 6 0", "service 0.1 7 1", "load -0.1 5 -1", "service -0.1 5 -1" }, told)
  end)

  it("say which limits are from below", function()
    local backend = paper.backend(function(job)
      return { ["classes.default.slo.goodput"] = 31 * (job.set.gpus or 1), utilization = 0.5,
        ["classes.default.slo.p99"] = 0.2, overload = false, bottleneck = "gpu", lost = 0,
        requests = 1000, throughput_rps = 40 }
    end)
    local data = cjson.decode(td.plan.gpus({ scenario = base(), backend = backend,
      sensitivity = false, slo = { goodput = "50rps", p99 = "300ms" } }):to_json())
    local told = {}
    for _, list in ipairs { data.limits, data.rows[1].figures } do
      for _, one in ipairs(list) do told[#told + 1] = { one.label, one.limit, one.lower_limit } end
    end
    assert.same({ { "goodput", 50, true }, { "p99", 0.3 }, { "goodput", 50, true },
      { "p99", 0.3 } }, told)
  end)

  it("are CSV with a column for each limit and its interval", function()
    local lines = {}
    for line in answer_of("gpus", { load = { "60rps", "20000rps" }, sensitivity = false,
      slo = { p99 = "300ms" } }):to_csv():gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.equal("load,kind,state,count,gpus,usd_per_hour,watts,bottleneck,utilization,binding,"
      .. "p99,p99 ±", lines[1])
    assert.matches("^60,L40S,meets,3,3,4.74,1050,L40S gpu,0.3999%d+,p99,0.1999%d+,0.00320%d+$",
      lines[2])
    assert.equal("20000,L40S,none,,,,,,,,,", lines[3])
  end)

  it("are drawn: counts over loads, loads, room over cost", function()
    local spec = drawn(answer_of("gpus", { load = { "60rps", "160rps", "20000rps" },
      kinds = { "L40S", "H100" }, sensitivity = false }))
    assert.same({ "lines", "Fewest GPUs: base", "p99 ≤ 300 ms", "requests/s", "GPUs", true },
      { spec.kind, spec.title, spec.subtitle, spec.x.label, spec.y.label, spec.step })
    assert.same({ "L40S", { 60, 160, 20000 } }, { spec.series[1].name, spec.series[1].x })
    assert.same({ 3, 6 }, { spec.series[1].y[1], spec.series[1].y[2] })
    assert.is_true(spec.series[2].y[3] ~= spec.series[2].y[3])
    spec = drawn(answer_of("load", { gpus = 3, kinds = { "L40S", "H100" } }))
    assert.same({ "bars", "Highest load: base", { { name = "L40S", value = 88.5, front = true },
      { name = "H100", value = 88.5, front = false } } }, { spec.kind, spec.title, spec.rows })
    spec = drawn(answer_of("best", { load = "60rps", over = { gpus = { 2, 3 } } }))
    assert.same({ "scatter", "Cheapest: base", "$/h", { { y = 0, label = "the limit" } } },
      { spec.kind, spec.title, spec.x.label, spec.limits })
    assert.same({ { "×2", false, 3.16 }, { "×3", true, 4.74 } }, {
      { spec.points[1].name, spec.points[1].front, spec.points[1].x },
      { spec.points[2].name, spec.points[2].front,
        (tonumber(("%.6g"):format(spec.points[2].x))) } })
    near(0, spec.points[1].y)
    near(100 / 3, spec.points[2].y)
  end)
end)
