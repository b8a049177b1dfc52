-- Capacity planning: answers that are known, what is said of them, what is refused.
local core = require "tandem.core"
local cjson = require "cjson"
local search = require "tandem.plan.search"
local sizing = require "tests.theory.support.sizing"
local td = require "tandem"
local verdict = require "tandem.plan.verdict"

local function base(extra)
  local raw = {
    workload = td.poisson { rps = 40, requests = 4000 },
    target = td.gpu "L40S" { concurrency = 2 },
    pipeline = { td.fixed "work" { time = td.exponential "40ms", on = "gpu" } },
    slo = { p99 = "300ms" },
  }
  for k, v in pairs(extra or {}) do raw[k] = v end
  return td.scenario "base" (raw)
end

local function refused(find, options, pattern)
  options.scenario = options.scenario or base()
  local ok, message = pcall(td.plan[find], options)
  assert.is_false(ok)
  message = tostring(message)
  assert.is_nil(message:find "\n", message)
  assert.matches(pattern, message)
end

describe("the search for the smallest number", function()
  local function run(answer, options)
    local asked = {}
    local found = search.smallest {
      low = options.low or 1, high = options.high or 64, guess = options.guess or 5,
      scan = options.scan, neighbours = options.neighbours,
      test = function(numbers)
        for _, n in ipairs(numbers) do asked[#asked + 1] = n end
        return true
      end,
      state = function(n)
        if type(answer) == "function" then return answer(n) end
        return n >= answer and "meets" or "misses"
      end }
    return found, asked
  end

  it("finds it from any guess, with few questions", function()
    for answer = 1, 64 do
      for _, guess in ipairs { 1, 7, answer, 64 } do
        local found, asked = run(answer, { guess = guess })
        assert.equal(answer, found.answer)
        assert.equal(answer - 1, found.floor)
        assert.is_nil(found.contradiction)
        assert.is_true(#asked <= (guess == answer and 2 or 22), #asked)
      end
    end
    assert.is_nil(run(65, {}).answer)
    assert.equal(64, run(65, {}).floor)
    assert.is_nil(run(1, { low = 5, high = 4 }).answer)
  end)

  it("takes the next decided number above undecided ones", function()
    local found = run(function(n)
      return n >= 12 and "meets" or n >= 10 and "undecided" or "misses"
    end, {})
    assert.equal(12, found.answer)
  end)

  it("goes through all numbers where more turned out worse", function()
    local found = run(function(n)
      return (n == 4 or n == 3 or n >= 20) and "meets" or "misses"
    end, { guess = 4 })
    assert.equal(3, found.answer)
    found = run(function(n) return (n == 4 or n >= 20) and "meets" or "misses" end,
      { guess = 20, high = 32 })
    assert.equal(20, found.answer) -- 19 misses and nobody asked for 4
    found = run(function(n) return (n == 4 or n >= 20) and "meets" or "misses" end,
      { guess = 20, high = 32, scan = true })
    assert.equal(4, found.answer)
    found = run(function(n) return (n == 18 or n >= 20) and "meets" or "misses" end,
      { guess = 20, high = 32, neighbours = true })
    assert.equal(18, found.answer)
    assert.same({ smaller = 18, larger = 19 }, found.contradiction)
    found = run(function(n) return (n == 6 or n == 2) and "meets" or "misses" end, { guess = 6 })
    assert.equal(6, found.answer)
  end)
end)

describe("the search among some numbers", function()
  it("asks for those only", function()
    for answer = 1, 70 do
      local asked, numbers = {}, { 3, 6, 11, 14, 19, 22, 27, 64 }
      local found = search.smallest { low = 6, high = 64, guess = 12, numbers = numbers,
        test = function(list)
          for _, n in ipairs(list) do asked[n] = true end
          return true
        end,
        state = function(n) return n >= answer and "meets" or "misses" end }
      local expected
      for _, n in ipairs(numbers) do
        asked[n] = nil
        if n >= 6 and n >= answer then expected = expected or n end
      end
      assert.is_nil(next(asked))
      assert.equal(expected, found.answer)
      assert.is_true(found.floor < answer or found.floor == 5)
    end
  end)
end)

describe("a verdict", function()
  local limit = { key = "x", label = "p99", limit = 1, quantile = 0.99, kind = "time" }
  local function of(values)
    return verdict.of({ limit }, { x = { values = values } }, { alpha = 0.01, precision = 0.01 })
  end

  it("is decided where the one-sided bound is clear of the limit", function()
    assert.equal("meets", of({ 0.5, 0.52, 0.48, 0.5 }).state)
    assert.equal("misses", of({ 1.5, 1.52, 1.48, 1.5 }).state)
    local open = of { 0.7, 1.2, 0.9, 1.1 }
    assert.equal("undecided", open.state)
    assert.is_false(open.close)
    assert.is_true(of({ 1, 1.0001, 0.9999, 1 }).close)
    assert.equal("meets", of({ 1, 1, 1, 1 }).state)
  end)

  it("counts a run without any answer as beyond an upper limit", function()
    assert.equal("misses", of({ 0.1, 0.1, 0 / 0, 0.1 }).state)
  end)

  it("errs as seldom as it says", function()
    -- The mean is exactly at the limit: whatever is decided is wrong.
    local random = (function()
      local state = 1
      return function()
        state = (state * 1103515245 + 12345) % 2 ^ 31
        return state / 2 ^ 31
      end
    end)()
    local plain = { key = "x", label = "mean", limit = 1, kind = "time" }
    local wrong = 0
    for _ = 1, 2000 do
      local values = {}
      for i = 1, 8 do
        values[i] = 1 + 0.1 * core.stats.normal_quantile(math.max(1e-9, random()))
      end
      local state = verdict.of({ plain }, { x = { values = values } },
        { alpha = 0.02, precision = 0.01 }).state
      wrong = wrong + (state ~= "undecided" and 1 or 0)
    end
    assert.is_true(wrong > 40 and wrong < 125, wrong) -- 2 % on each side: 80 of 2000
  end)

  it("spends the error once, over all candidates and looks", function()
    local sum = 0
    for m = 1, 300 do
      for k = 1, 300 do sum = sum + verdict.alpha(0.95, m, k) end
    end
    assert.is_true(sum < 0.05 and sum > 0.049)
  end)
end)

describe("td.plan.gpus #slow", function()
  it("finds the exact number of servers", function()
    for n = 1, 12 do
      local p = sizing.problem(n)
      assert.equal(p.answer, sizing.solve(p).rows[1].count, p.name)
    end
  end)

  it("gives the same bytes at any number of threads #threads", function()
    local texts = {}
    for i, threads in ipairs { 1, 2, 5 } do
      local a = td.plan.gpus { scenario = base(), kinds = { "L40S", "H100" },
        load = { "60rps", "160rps" }, threads = threads }
      texts[i] = a:to_json() .. tostring(a) .. a:to_csv()
    end
    assert.equal(texts[1], texts[2])
    assert.equal(texts[1], texts[3])
  end)

  it("writes what there is none of as empty lists", function()
    local text = td.plan.gpus { scenario = base(), load = "160rps", slo = { p99 = "1ms" }, max = 4,
      sensitivity = false }:to_json()
    assert.matches('"state":"none"', text)
    assert.matches('"figures":%[%]', text)
    assert.matches('"notes":%[%]', text)
  end)

  it("says what was found, why not fewer, the cost and what would change", function()
    local a = td.plan.gpus { scenario = base(), load = "160rps" }
    local row = a.rows[1]
    assert.is_true(a.ok)
    assert.equal(a.best[1], row)
    assert.equal(row.count - 1, row.fewer.count)
    assert.is_true(row.binding.value + row.binding.half < 0.3)
    assert.near(1.58 * row.count, row.bill.usd_per_hour, 1e-9)
    local data = cjson.decode(a:to_json())
    assert.equal("tandem.plan/1", data.schema)
    assert.equal(row.count, data.rows[1].count)
    assert.equal(4, #data.rows[1].sensitivity)
    local text = tostring(a)
    assert.matches("160 /s: %d × L40S meets p99 ≤ 300 ms with 95 %% confidence", text)
    assert.matches("Each L40S carries at most 50 /s", text)
    assert.matches("%$1.58 an hour", text)
    assert.matches("With the load %+10 %%", text)
    local header, line = a:to_csv():match "^(.-)\n(.-)\n$"
    assert.equal(select(2, header:gsub(",", "")), select(2, line:gsub(",", "")))
    assert.matches("GPUs", tostring(a:table()))
  end)

  it("never sees a percentile rise with GPUs, nor fall without", function()
    -- Common random numbers: what one GPU more changes is seen on the same requests.
    for _, router in ipairs { "round_robin", "random", "least_outstanding", "shortest_queue",
      "power_of_two" } do
      local before
      for gpus = 3, 8 do
        local r = base({ router = router }):with { rps = 110, gpus = gpus, requests = 8000 }
          :run { replications = 8, brief = true }
        local p99 = r.latency.p99
        if before then
          assert.is_true(p99.value - (p99.half or 0) <= before.value + (before.half or 0),
            ("%s: %g with %d GPUs"):format(router, p99.value, gpus))
        end
        before = p99
      end
    end
  end)

  it("counts what a path names, and finds a lonely pool by itself", function()
    local s = td.scenario "pool" {
      workload = td.poisson { rps = 100, requests = 4000 },
      resources = { td.pool "desk" { servers = 1 } },
      pipeline = { td.stage "serve" { on = "desk", cost = td.exponential "35ms" } },
      slo = { mean = "50ms" },
    }
    local a = td.plan.gpus { scenario = s }
    assert.equal("resources.desk.servers", a.question.count)
    assert.equal(5, a.rows[1].count)
    assert.matches("5 servers meet", tostring(a))
  end)

  it("holds limits on other figures, of every GPU", function()
    local a = td.plan.gpus { scenario = base(), load = "160rps",
      limits = { ["resources.gpu.utilization"] = { max = 0.5 } }, sensitivity = false }
    -- 160 /s of 40 ms on pairs of places: 3.2 GPUs full, 6.4 at a half.
    assert.equal(7, a.rows[1].count)
    assert.equal("resources.gpu.utilization", a.rows[1].binding.label)
    local b = td.plan.gpus { scenario = base(), load = "160rps", sensitivity = false,
      limits = { ["resources.L40S gpu.utilization"] = { max = "50%" } } }
    assert.equal(7, b.rows[1].count)
  end)

  it("tries every number where a limit is not monotone", function()
    local a = td.plan.gpus { scenario = base(), load = "160rps", sensitivity = false, max = 12,
      limits = { ["resources.gpu.utilization"] = { min = 0.3 } } }
    assert.matches("Every number is tested from below", tostring(a))
    refused("gpus", { load = "160rps", method = "bisection",
      limits = { ["resources.gpu.utilization"] = { min = 0.3 } } },
      "bisection needs a monotone objective.*leave method out")
    refused("gpus", { method = "bisection", monotone = false }, "bisection needs a monotone")
  end)

  it("says why there is no answer", function()
    local function sentence(options)
      options.scenario = options.scenario or base()
      local a = td.plan.gpus(options)
      assert.is_false(a.ok)
      assert.is_false(a.best[1])
      return tostring(a):gsub("%s+", " ")
    end
    assert.matches("p99 cannot be below 1%d%d ms: one request alone takes that at p99 on L40S",
      sentence { slo = { p99 = "100ms" } })
    assert.matches("even 3 × L40S are overloaded. Each L40S carries at most 50 /s; 400 /s need "
      .. "at least 9", sentence { load = "400rps", max = 3 })
    assert.matches("budget %(dollars an hour%)", sentence { load = "400rps",
      budget = { usd_per_hour = 3 } })
    assert.matches("does not pay for one", sentence { budget = { usd_per_hour = 1 } })
    assert.matches("budget of 1 simulation does not pay for the first round.*nothing was simulated",
      sentence { load = "160rps", kinds = { "L40S", "H100", "L4" }, budget = { simulations = 1 } })
  end)

  it("gives no answer that was not measured, however soon the budget ends", function()
    -- Bursts: theory's guess is far too low, so the search asks what one request alone takes.
    local s = td.scenario "bursts" {
      workload = td.bursts { rps = 400, idle_rps = 40, on = "1s", off = "3s", duration = "30s" },
      target = td.gpu "A10G" {}, slo = { p99 = "120ms" },
      pipeline = { td.stage "work" { on = "gpu", cost = "17ms" } } }
    local whole = td.plan.gpus { scenario = s, sensitivity = false }
    local answered, partial = 0, 0
    for most = 1, whole.simulations + 2 do
      local a = td.plan.gpus { scenario = s, sensitivity = false, budget = { simulations = most } }
      local row, text = a.rows[1], tostring(a):gsub("%s+", " ")
      assert.is_true(a.simulations <= most)
      if not row.count then
        assert.equal("stopped", row.state)
        assert.is_false(a.ok)
        assert.is_nil(text:find("cannot be below", 1, true))
      else
        answered = answered + 1
        assert.is_true(row.count >= whole.rows[1].count, row.count)
        if row.fewer.open then
          partial = partial + 1
          assert.matches("Whether %d+ × A10G would do was not decided", text)
          local record = cjson.decode(a:to_json()).rows[1]
          assert.is_true(record.one_fewer.undecided)
          assert.is_false(record.finished)
        else
          assert.equal(whole.rows[1].count, row.count)
        end
      end
    end
    assert.is_true(answered > 2 and partial > 0)
    local low = td.plan.load { scenario = s, gpus = 8, budget = { simulations = 6 } }
    assert.is_false(low.best[1])
    local few = tostring(td.plan.best { scenario = s, over = { gpus = td.range(7, 20) },
      budget = { simulations = 1 } }):gsub("%s+", " ")
    assert.matches("Of 14 combinations 14 are not decided", few)
  end)

  describe("with requests that may be lost", function()
    local function lossy(extra)
      local raw = { workload = td.poisson { rps = 100, duration = "60s" },
        target = td.gpu "A10G" { queue = 2 },
        pipeline = { td.stage "work" { on = "gpu", cost = td.exponential "50ms" } },
        slo = { p99 = "600ms" } }
      for k, v in pairs(extra or {}) do raw[k] = v end
      return td.scenario "lossy" (raw)
    end

    it("answers with a configuration that serves them", function()
      local a = td.plan.gpus { scenario = lossy(), sensitivity = false }
      local row = a.rows[1]
      assert.equal(10, row.count)
      assert.is_true(row.lost > 0 and row.lost < 0.01)
      assert.equal("misses", row.fewer.state)
      assert.equal("lost", row.fewer.binding.label)
      local text = tostring(a):gsub("%s+", " ")
      assert.matches("meets p99 ≤ 600 ms and lost ≤ 1 %% with", text)
      assert.matches("of requests are lost %(turned away.*latencies are of those served", text)
      assert.matches("No objective says how many requests may be lost", text)
      local record = cjson.decode(a:to_json())
      assert.near(row.lost, record.rows[1].lost, 1e-9)
      assert.is_true(record.limits[2].implied)
      local impatient = td.plan.gpus { sensitivity = false, slo = { p90 = "600ms" },
        scenario = lossy { target = td.gpu "A10G" {}, patience = "200ms" } }
      assert.is_true(impatient.rows[1].count >= 9)
    end)

    it("loses as many as an objective allows, and says so", function()
      for _, options in ipairs { { slo = { p99 = "600ms", met = 0.5 } },
        { limits = { lost = { max = "40%" } } } } do
        options.scenario, options.sensitivity = lossy(), false
        local a = td.plan.gpus(options)
        assert.is_true(a.rows[1].count > 1 and a.rows[1].count < 6, a.rows[1].count)
        assert.is_true(a.rows[1].lost > 0.2)
        local text = tostring(a):gsub("%s+", " ")
        assert.matches("of requests are lost %(turned away", text)
        assert.is_nil(text:find("No objective says", 1, true))
      end
    end)

    it("allows no more than the finest percentile leaves out", function()
      local a = td.plan.gpus { scenario = lossy(), slo = { ["p99.9"] = "2s" }, max = 2,
        sensitivity = false }
      assert.equal(0.001, a.limits[2].limit)
      assert.is_false(a.ok)
    end)

    it("says that no number of GPUs serves a prompt that is too long", function()
      local s = td.scenario "long" { workload = td.poisson { rps = 3, duration = "60s" },
        attrs = { prompt_tokens = td.empirical { 500, 600000, weights = { 60, 40 } },
          output_tokens = 50 },
        target = td.gpu "MI300X" {}, slo = { ttft_p99 = "1s" },
        pipeline = { td.generate "chat" { model = td.llm "Qwen2.5-32B" } } }
      local a = td.plan.gpus { scenario = s }
      assert.is_false(a.ok)
      assert.matches("%d %% of requests are lost even where one is alone.*No number of GPUs",
        (tostring(a):gsub("%s+", " ")))
    end)
  end)

  describe("of replicas of several GPUs", function()
    local function chat(extra)
      local s = td.scenario "chat" { workload = td.poisson { rps = 12, duration = "60s" },
        attrs = { prompt_tokens = td.lognormal { p50 = 600, p99 = 5000 }, output_tokens = 100 },
        target = td.gpu "L4" { count = 8 }, slo = { ttft_p99 = "2s" },
        pipeline = { td.generate "chat" { model = td.llm "Qwen3-8B" } } }
      return s:with(extra)
    end
    local pools = require "tandem.llm.pools"

    it("knows with which numbers another one runs", function()
      local function counts(extra, most) return pools.counts(chat(extra).checked, most) end
      assert.same({ 2, 4, 6, 8, 10 }, counts({ tp = 2 }, 11))
      -- Machines of eight: a third replica of three begins the next one.
      assert.same({ 3, 6, 11, 14, 19 }, counts({ ["pipeline.chat.pp"] = 3 }, 21))
      assert.is_nil(counts({}, 8))
      assert.is_nil(counts({ tp = 2, ["pipeline.chat.replicas"] = 2 }, 8))
      assert.is_nil(pools.counts(base().checked, 8))
    end)
  end)

  describe("where something else than GPUs limits", function()
    local function with_cpu(workload)
      return td.scenario "cpu" { workload = workload, cpu = { workers = 2 },
        target = td.gpu "A10G" {}, slo = { p99 = "200ms" }, pipeline = {
          td.fixed "pre" { time = "8ms" },
          td.stage "work" { on = "gpu", cost = td.exponential "10ms" } } }
    end
    local function text_of(options) return (tostring(td.plan.gpus(options)):gsub("%s+", " ")) end

    it("names it, and no number of GPUs", function()
      -- 300 /s of 8 ms on two workers: 120 %. One GPU alone would be offered 300 %.
      local text = text_of { scenario = with_cpu(td.poisson { rps = 300, duration = "30s" }) }
      assert.matches("cpu is what limits, whatever the number of GPUs: it is offered 120 %% of "
        .. "what it can serve; it would take at least 3 in place of its 2", text)
      assert.matches("cpu is what limits, whatever the number of GPUs: it is offered 100 %% of "
        .. "what it can serve; it would take at least 3", text_of { scenario = with_cpu(
        td.poisson { rps = 250, duration = "30s" }) })
      assert.is_nil(text:find("not tried", 1, true))
      assert.is_nil(text:find("for stability", 1, true))
      assert.is_true(td.plan.gpus { sensitivity = false, scenario = with_cpu(
        td.poisson { rps = 300, duration = "30s" }):with { ["cpu.workers"] = 3 } }.ok)
      local best = tostring(td.plan.best { over = { gpus = { 4, 8 } },
        scenario = with_cpu(td.poisson { rps = 300, duration = "30s" }) })
      assert.matches("2 would be overloaded %(cpu is%)", best)
    end)

    it("says what is busiest where bursts are what it does not bear", function()
      local bursts = td.bursts { rps = 600, idle_rps = 50, on = "1s", off = "5s", duration = "30s" }
      local text = text_of { scenario = with_cpu(bursts), max = 12 }
      assert.matches("even 12 × A10G do not suffice: p99 .-s%. The busiest resource there is cpu, "
        .. "%d[%d.]* %% of the time, and more GPUs do not relieve it", text)
      assert.is_nil(text:find("not tried", 1, true))
    end)
  end)

  it("plans the mean of a load that comes and goes", function()
    local function of(workload, options)
      options.scenario = td.scenario "moving" { workload = workload, target = td.gpu "A10G" {},
        slo = { p99 = "120ms" }, pipeline = { td.stage "work" { on = "gpu", cost = "17ms" } } }
      options.sensitivity = false
      return td.plan.gpus(options)
    end
    local bursts = of(td.bursts { rps = 400, idle_rps = 40, on = "1s", off = "3s",
      duration = "20s" }, { load = "65rps" })
    assert.matches("td.bursts with rps = 400 sends 130 /s. Plans set the mean",
      (tostring(bursts):gsub("%s+", " ")))
    -- Half the rates of every state are half the load, however the states are written.
    local states = { { 100, "6s" }, { "400rps", "2s" } }
    local half = { { 50, "6s" }, { 200, "2s" } }
    local asked = of(td.mmpp { states[1], states[2], duration = "20s" }, { load = "87.5rps" })
    local written = of(td.mmpp { half[1], half[2], duration = "20s" }, {})
    assert.equal(written.rows[1].load, asked.rows[1].load)
    assert.equal(written.rows[1].count, asked.rows[1].count)
    assert.near(written.rows[1].binding.value, asked.rows[1].binding.value, 0.01)
    local curve = of(td.curve { { 0, 20 }, { "20s", 60 }, duration = "20s" }, { load = "80rps" })
    assert.is_true(curve.ok)
    assert.equal(80, curve.rows[1].load)
    assert.is_true(curve.rows[1].outcome.trials[curve.rows[1].count].facts.throughput > 60)
    local gaps = pcall(of, td.renewal { gap = td.gamma { mean = "10ms", cv = 2 },
      duration = "20s" }, { load = "80rps" })
    assert.is_false(gaps)
  end)

  it("counts a setting as what it is", function()
    local text = tostring(td.plan.gpus { scenario = base { target = td.gpu "L40S" {} },
      load = "60rps", count = "concurrency", sensitivity = false }):gsub("%s+", " ")
    assert.matches("lowest concurrency for p99", text)
    assert.matches("60 /s: concurrency %d meets", text)
    assert.is_nil(text:find("concurrencys", 1, true))
  end)

  it("plans classes by their own objectives", function()
    local s = td.scenario "classes" {
      target = td.gpu "L40S" { concurrency = 2, discipline = "priority" },
      pipeline = { td.fixed "work" { time = td.exponential "40ms", on = "gpu" } },
      classes = { { name = "chat", priority = 0, workload = td.poisson { rps = 20 } },
        { name = "bulk", priority = 5, workload = td.poisson { rps = 60 } } },
      requests = 4000,
    }
    local a = td.plan.gpus { scenario = s, slo = { chat = { p95 = "200ms" },
      bulk = { mean = "2s" } }, sensitivity = false }
    assert.same({ "chat p95", "bulk mean" }, { a.limits[1].label, a.limits[2].label })
    assert.equal(2, a.rows[1].count)
    refused("gpus", { scenario = s, slo = { chad = { p95 = "200ms" } } }, "did you mean 'chat'?")
  end)

  it("says before the table what the kinds do not change, and which has no price", function()
    local function cautions(cost, kinds)
      local s = td.scenario "kinds" { workload = td.poisson { rps = 50, duration = "20s" },
        target = td.gpu "T4" {}, slo = { p99 = "80ms" },
        pipeline = { td.fixed "pre" { time = "1ms" }, td.stage "s" { on = "gpu", cost = cost },
          td.stage "t" { on = "gpu", cost = "1ms" } } }
      local a = td.plan.gpus { scenario = s, kinds = kinds, sensitivity = false }
      local text = tostring(a)
      for _, one in ipairs(a.cautions) do
        assert.is_true(text:gsub("%s+", " "):find(one, 1, true) ~= nil)
        assert.is_true(text:find(one:sub(1, 20), 1, true) < text:find "tightest limit")
      end
      return a.cautions
    end
    local same = cautions("5ms", { "T4", "H100" })
    assert.matches("^s and t take the same on every kind, so that the kinds differ in their price",
      same[1])
    assert.matches("^T4 has no price and cannot be the cheapest: %-%-price T4=2 ", same[2])
    local one = cautions(function(r) return 1e11 / r.gpu.flops end, { "H100", "L40S" })
    assert.same({ "t takes the same on every kind." }, one)
    assert.same({}, cautions("5ms", { "H100" }))
  end)

  it("names no source of a price that is the scenario's own", function()
    local function price(options)
      local s = td.scenario "price" { workload = td.poisson { rps = 50, duration = "20s" },
        target = td.gpu "H100 SXM" (options), slo = { p99 = "80ms" },
        pipeline = { td.stage "s" { on = "gpu", cost = "5ms" } } }
      return (tostring(td.plan.gpus { scenario = s, sensitivity = false }):gsub("%s+", " "))
    end
    assert.matches("It costs %$3%.00 an hour and 700 W%.", price { price = "3$/h" })
    assert.matches("It costs %$3%.50 an hour and 700 W: H100 SXM at %$", price {})
    refused("gpus", { slo = { ["p99.99999"] = "5s" } }, "takes 200,000,000 requests in each run")
  end)

  it("mixes two kinds where that is cheaper", function()
    local s = td.load "demo"
    local a = td.plan.gpus { scenario = s, kinds = { "H100", "L40S" }, load = "1000rps",
      mix = true, sensitivity = false }
    assert.equal("1 × H100 + 1 × L40S", a.best[1].kind)
  end)

  it("takes what is left open from the scenario's plan block", function()
    local s = base { plan = { kinds = { "H100" }, load = td.range("50rps", "100rps", 2),
      slo = { mean = "100ms" }, sensitivity = false } }
    local a = td.plan.gpus { scenario = s }
    assert.equal(2, #a.rows)
    assert.equal("H100", a.rows[1].kind)
    assert.equal("mean", a.limits[1].label)
    assert.equal(100, a.rows[2].load)
    -- Another way to say the load takes the place of the block's.
    assert.equal(80, td.plan.gpus { scenario = s, users = "2x" }.rows[1].load)
    local _, problems = td.check { name = "x", workload = td.poisson(1), cpu = 1,
      pipeline = { td.fixed "a" { time = "1ms" } }, plan = { kindz = {} } }
    assert.matches("plan.kindz: .*did you mean 'kinds'", tostring(problems))
  end)

  it("refuses in one line", function()
    refused("gpus", { kinds = { "L40Z" } }, "unknown GPU 'L40Z'; did you mean")
    refused("gpus", { slo = { p99 = 0.25 } }, "p99 = 0.25 has no unit; write p99 = \"0.25ms\"")
    refused("gpus", { slo = { p99 = "250" } }, "has no unit")
    refused("gpus", { slo = { q99 = "250ms" } }, "unknown metric 'q99'; did you mean 'p99'")
    refused("gpus", { load = 0 }, "load: is 0; a plan needs requests")
    refused("gpus", { load = {} }, "load: is an empty list")
    refused("gpus", { load = { from = 10, to = 5 } }, "empty; the smaller end comes first")
    refused("gpus", { load = "5ms" }, "wanted a rate")
    refused("gpus", { laod = 5 }, "unknown option 'laod'; did you mean 'load'")
    refused("gpus", { min = 5, max = 4 }, "the range is empty")
    refused("gpus", { limits = { ["resources.gpu.utilisation"] = { max = 1 } } },
      "no result has 'resources.gpu.utilisation'; did you mean")
    refused("gpus", { budget = { seconds = 5 } }, "no answer may depend on the clock")
    refused("gpus", { scenario = td.scenario "n" {
      workload = td.poisson(5), cpu = 1, pipeline = { td.fixed "a" { time = "1ms" } },
      slo = { p99 = "1s" } }, kinds = { "H100" } }, "no target GPU")
    assert.has_error(function() td.range("10rps", "5rps", 4) end)
    local _, problems = td.load("x.lua", { text = "local td = require 'tandem'\n"
      .. "return td.plan.gpus { }" })
    assert.matches("x.lua:2: td.plan runs simulations", tostring(problems))
  end)
end)

describe("td.plan.load #slow", function()
  it("finds the load of an M/M/1 within three hundredths of its saturation", function()
    -- p99 of the time in the system is ln 100 / (1/s - λ): 20 ms, 500 ms → 40.8 /s of 50.
    local s = td.scenario "mm1" {
      workload = td.poisson { rps = 10, requests = 4000 }, cpu = { workers = 1 },
      pipeline = { td.fixed "work" { time = td.exponential "20ms" } },
    }
    local a = td.plan.load { scenario = s, slo = { p99 = "500ms" } }
    local exact = 50 - math.log(100) / 0.5
    assert.is_true(a.ok)
    assert.is_true(a.best[1].load <= exact and a.best[1].load > exact - 1.5, a.best[1].load)
    assert.matches(("carries %s /s with p99 ≤ 500 ms"):format(a.best[1].load), tostring(a))
    assert.is_false(td.plan.load { scenario = s, slo = { p99 = "50ms" } }.ok)
    -- What keeps it from more is the limit, or that no run would settle there.
    local close = td.plan.load { scenario = s, slo = { p99 = "3s" } }
    assert.equal("undecided", close.best[1].next_state)
    assert.matches("it could not be told: p99 is", tostring(close))
    local loose = td.plan.load { scenario = s, slo = { p99 = "30s" } }
    assert.equal("unsettled", loose.best[1].next_state)
    assert.matches("too near to saturation for any run", tostring(loose))
  end)

  it("finds users, too", function()
    local s = td.scenario "closed" {
      workload = td.closed { users = 10, think = td.exponential "1s", requests = 4000 },
      cpu = { workers = 1 }, pipeline = { td.fixed "work" { time = td.exponential "50ms" } },
    }
    local a = td.plan.load { scenario = s, slo = { mean = "200ms" } }
    assert.is_true(a.best[1].load >= 12 and a.best[1].load <= 20, a.best[1].load)
    assert.matches("users", tostring(a))
  end)
end)

describe("td.plan.best #slow", function()
  it("finds the cheapest of a grid, and simulates nothing dearer", function()
    local a = td.plan.best { scenario = base(), load = "160rps", over = {
      kind = { "L40S", "H100" }, gpus = td.range(1, 8), concurrency = { 2, 4 } } }
    local best = a.best[1]
    assert.is_true(a.ok)
    assert.near(1.58 * best.count, best.usd_per_hour, 1e-9)
    assert.matches("^L40S ×2 concurrency 4", best.kind)
    for _, row in ipairs(a.rows) do
      assert.is_true(row.bill.usd_per_hour < 4 * best.usd_per_hour)
    end
    assert.matches("Of 32 combinations", tostring(a))
    local name = os.tmpname()
    local path = name .. ".svg"
    for _, answer in ipairs { a, td.plan.load { scenario = base() },
      td.plan.gpus { scenario = base(), sensitivity = false } } do
      assert.is_true(answer:plot(path))
      local file = assert(io.open(path))
      assert.matches("^<svg", file:read "a")
      file:close()
      assert.matches("[^\n]+\n", tostring(answer:plot()))
    end
    os.remove(path)
    os.remove(name)
    refused("best", { over = {} }, "nothing to choose from")
    refused("best", { over = { gpus = {} } }, "gpus has no values")
    refused("best", { over = { gpsu = { 1 } } }, "gpsu")
  end)

  it("knows the short names kind and batch", function()
    local s = td.scenario "b" { workload = td.poisson(5), target = "L40S",
      pipeline = { td.tokens "t" { tokens = 5 } } }
    assert.equal("H100", s:with { kind = "H100" }.checked.target.name)
    assert.equal(4, s:with { batch = 4 }.checked.resolved[1].pipeline[1].batch.max)
    local _, problems = base { pipeline = { td.fixed "a" { time = "1ms" } } }
      :try_with { batch = 4 }
    assert.matches("no step runs on the GPU", tostring(problems))
  end)
end)
