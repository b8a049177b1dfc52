-- How far a simulation is off: verdicts, their rate of false alarms, errors by request, gates.
local compare = require "tandem.score.compare"
local cjson = require "cjson"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"
local visits = require "tandem.visits"

local function by_name(rows)
  local out = {}
  for _, row in ipairs(rows) do out[row.name or row.lane] = row end
  return out
end

-- Two stations in a row; the second `slow` times as slow.
local function scenario(slow, fields)
  local body = { requests = 800, workload = td.poisson { rps = 40 }, warmup = "none",
    replications = 1, attrs = { tokens = td.uniform(10, 100) }, cpu = { workers = 1 },
    target = td.gpu "L40" { concurrency = 1 }, pipeline = {
      td.fixed "pre" { time = td.exponential "4ms" },
      td.stage "compute" { on = "gpu", cost = function(r) return r.tokens * 2e-4 * slow end } } }
  for key, value in pairs(fields or {}) do body[key] = value end
  return td.scenario "two" (body)
end

describe("a score of simulated runs", function()
  local stores, store

  local function run_of(slow, seed, fields)
    return assert(store:run(stores:keep("a.db", { scenario = scenario(slow, fields), seed = seed,
      replications = 1 })))
  end

  setup(function()
    stores = store_fixture.new()
    store = assert(td.store(stores:path "a.db"))
  end)
  teardown(function()
    store:close()
    stores:remove()
  end)

  it("is perfect for a run and itself", function()
    local run = run_of(1, 1)
    local made = assert(td.score(run, run, { within = 1e-9, gate = { "total.p99<1%",
      "compute.ks<=0", "compute.wasserstein<=0ns", "gpu.utilization<1%", "requests.mean<=0%",
      "throughput<1%" } }))
    assert.equal("within", made.verdict)
    for _, row in ipairs(made:frame "verdict".rows) do
      assert.equal("within", row.verdict)
      if row.name ~= "overall" then
        assert.equal(row.real, row.simulated)
        assert.same({ 0, 0, 0 }, { row.difference, row.low, row.high })
      end
    end
    for _, row in ipairs(made:frame "gates".rows) do assert.equal("holds", row.verdict) end
    for _, row in ipairs(made:frame "stages".rows) do
      assert.equal(0, row.ks)
      assert.equal(0, row.wasserstein_ns)
    end
    for _, row in ipairs(made:frame "requests".rows) do
      assert.equal(0, row.mean_abs_ns)
      assert.equal(800, row.count)
    end
    assert.equal(0, #made:frame "worst".rows)
    assert.same({}, made.cannot)
  end)

  it("names the stage that is 10 % slower, with an interval that holds 10 %", function()
    local run = run_of(1, 1)
    for _, seed in ipairs { 1, 7 } do -- the same requests, and others
      local made = assert(td.score(run, run_of(1.1, seed), { within = "2%" }))
      local rows = by_name(made:frame "verdict".rows)
      assert.is_true(rows.compute.low <= 0.1 + 1e-6 and rows.compute.high >= 0.1 - 1e-6)
      if seed == 1 then
        assert.equal("off", rows.compute.verdict)
        assert.equal("within", rows.pre.verdict)
        assert.equal("off", made.verdict)
        assert.matches("Overall off: compute +10 %", tostring(made), 1, true)
      end
    end
  end)

  -- With no tolerance "off" is: the intervals do not all hold the truth, which is 0.
  it("calls an independent run of the same scenario off no more often than stated", function()
    local alarms, pairs_made, narrow = 0, 30, 0
    for i = 1, pairs_made do
      local made = assert(td.score(run_of(1, 100 + i), run_of(1, 200 + i), { within = 1e-9 }))
      if made.verdict == "off" then alarms = alarms + 1 end
      local row = by_name(made:frame "verdict".rows).compute
      if row.high - row.low < 0.25 then narrow = narrow + 1 end
    end
    -- More than 4 of 30 would be so by chance in 1.6 % of cases, if 5 % were the rate.
    assert.is_true(alarms <= 4, alarms)
    assert.is_true(narrow >= 28, narrow)
  end)

  it("is as strict with independent service under the same load", function()
    local base, alarms = run_of(1, 1), 0
    for seed = 1, 30 do
      local again = assert(base:replay(scenario(1), { seed = 300 + seed }))
      local made = assert(td.score(base, again, { within = 1e-9 }))
      assert.equal(800, by_name(made:frame "requests".rows).total.count)
      local row = by_name(made:frame "verdict".rows).pre
      if row.verdict == "off" then alarms = alarms + 1 end
    end
    assert.is_true(alarms <= 4, alarms)
  end)

  it("is within a tolerance that its intervals allow, and cannot tell of a narrower one", function()
    local a, b = run_of(1, 1, { requests = 4000 }), run_of(1, 2, { requests = 4000 })
    assert.equal("within", assert(td.score(a, b, { within = "40%" })).verdict)
    local made = assert(td.score(a, b, { within = "1%" }))
    assert.equal("cannot tell", made.verdict)
    assert.matches("errors request by request: the runs had other requests", made.cannot[1], 1,
      true)
  end)

  it("says which stage one of them lacks", function()
    local other = run_of(1, 1, { pipeline = { td.fixed "pre" { time = td.exponential "4ms" },
      td.fixed "post" { time = "1ms" } } })
    local made = assert(td.score(run_of(1, 1), other))
    local rows = by_name(made:frame "verdict".rows)
    assert.equal("only real", rows.compute.verdict)
    assert.equal("only simulated", rows.post.verdict)
    assert.equal("only real", rows["GPU utilization"].verdict)
    assert.matches("compute is in the real run only", rows.overall.says, 1, true)
    local none = run_of(1, 1, { pipeline = { td.fixed "post" { time = "1ms" } } })
    local failed, message, code = td.score(run_of(1, 1), none)
    assert.is_nil(failed)
    assert.matches("no stage of the real run %(pre, compute%) is one of the simulation's %(post%)",
      message)
    assert.equal(3, code)
  end)

  it("measures lanes as the simulation itself does", function()
    local run = run_of(1, 3)
    local row = by_name(td.score(run, run):frame "lanes".rows).GPU
    local busy, waiting, last = 0, 0, run:visits():requests()
    local of, first = run:visits():of "compute", last.arrival_ns[1]
    for i = 1, #of.request do busy, waiting = busy + of.own_ns[i], waiting + of.wait_ns[i] end
    local length = 0
    for _, ns in ipairs(last.end_ns) do length = math.max(length, ns - first) end
    assert.near(busy / length, row.real_busy, 1e-9)
    assert.near(busy / length, row.real_in_service, 1e-9)
    assert.near(waiting / length, row.real_queue, 1e-9)
    assert.equal(1, row.real_servers)
  end)

  it("is a command whose gates leave with 1", function()
    local a, b = run_of(1, 1), run_of(1.1, 1)
    local out, err, code = stores:tandem("score", a.id, b.id, "--gate", "compute.mean<5%",
      "--gate", "pre.mean<5%", "--gate", "compute.mean<+2ms")
    assert.equal(1, code)
    assert.matches("Overall off", out, 1, true)
    assert.matches("gate failed: compute.mean<5%: 10 %", err, 1, true)
    assert.not_matches("pre.mean", err, 1, true)
    assert.not_matches("2ms", err, 1, true)
    local other = run_of(1, 9)
    local undecided = { "score", a.id, other.id, "--gate", "total.mean<2%" }
    local _, told, left = stores:tandem(table.unpack(undecided))
    assert.equal(0, left)
    assert.matches("gate undecided: total.mean<2%", told, 1, true)
    undecided[#undecided + 1] = "--strict"
    assert.equal(1, select(3, stores:tandem(table.unpack(undecided))))
  end)

  it("takes a limit without a unit as seconds, and says the limit", function()
    local a, b = run_of(1, 1), run_of(1.1, 1)
    local made = assert(td.score(a, b, { gate = { "compute.mean<1", "compute.mean<0.000001",
      "compute.mean<1us", "compute.wasserstein<1" } }))
    local rows = made:frame("gates").rows
    assert.same({ "holds", "fails", "fails", "holds" }, { rows[1].verdict, rows[2].verdict,
      rows[3].verdict, rows[4].verdict })
    assert.equal(rows[3].limit, rows[2].limit)
    assert.matches(", limit 1 µs$", rows[2].says)
  end)

  it("tells how far distributions are apart as a share of the real mean", function()
    local function share(real, simulated)
      local made = compare.distributions(real, simulated)
      return made.wasserstein, made.wasserstein_share
    end
    assert.same({ 1.0, 0.5 }, { share({ 1, 2, 3 }, { 2, 3, 4 }) })
    assert.same({ 0.5, 0.125 }, { share({ 3, 4, 5 }, { 3.5, 4.5, 5.5 }) })
    assert.same({ 1.0, nil }, { share({ 0, 0 }, { 1, 1 }) })
    assert.same({ 0.0, 0.0 }, { share({ 0, 0 }, { 0, 0 }) })
    assert.same({}, { share({}, { 1 }) })
  end)

  it("takes a distance of distributions in percent, too", function()
    local a, b = run_of(1, 1), run_of(1.1, 1)
    local rows = assert(td.score(a, b, { gate = { "compute.ks<1%", "compute.ks<0.01",
      "compute.ks<100%" } })):frame("gates").rows
    assert.same({ "fails", "fails", "holds" }, { rows[1].verdict, rows[2].verdict,
      rows[3].verdict })
    assert.equal(rows[2].value, rows[1].value)
  end)

  it("tells a lane from the stage of its name by what is asked", function()
    local samples = { requests = { arrival_ns = { 0, 20 }, end_ns = { 10, 30 } },
      stages = { { name = "h2d", lane = "H2D" } }, visits = { h2d = { request = { 1, 2 },
        start_ns = { 0, 20 }, end_ns = { 10, 30 } } } }
    local run = visits.of(samples)
    local rows = assert(td.score(run, run, { gate = { "h2d.utilization<3%", "h2d.mean<3%" } }))
      :frame("gates").rows
    assert.equal("holds", rows[1].verdict)
    assert.equal("holds", rows[2].verdict)
    local _, message = td.score(run, run, { gate = "h2h.mean<3%" })
    assert.matches("did you mean 'h2d'", message, 1, true)
    _, message = td.score(run, run, { gate = "zzz.mean<3%" })
    assert.matches("one of (between), (waiting), h2d, requests, throughput, total", message, 1,
      true)
  end)

  it("has JSON, CSV of any table, and a page", function()
    local a, b = run_of(1, 1), run_of(1.1, 1)
    local out = stores:tandem("score", a.id, b.id, "--json")
    local decoded = cjson.decode(out).result
    assert.equal("score", decoded.analysis)
    assert.same({ a.id, b.id }, { decoded.compared.a[1].id, decoded.compared.b[1].id })
    out = stores:tandem("score", a.id, b.id, "--csv", "--table", "over_time", "--bins", "4")
    local _, lines = out:gsub("\n", "")
    assert.equal(1 + 2 * 4, lines)
    out = stores:tandem("score", a.id, b.id, "--html")
    assert.matches("Own time of compute", out, 1, true)
  end)

  it("says what is wrong with what it was asked", function()
    local run = run_of(1, 1)
    for text, options in pairs {
      ["score has no option 'gates'; did you mean 'gate'?"] = { gates = "x" },
      ["within is '2'; wanted a share"] = { within = 2 },
      ["bins is '0'; wanted a whole number"] = { bins = 0 },
      ["a gate is SUBJECT.MEASURE<LIMIT"] = { gate = "total" },
      ["there is no 'compte'; did you mean 'compute'?"] = { gate = "compte.mean<5%" },
      ["compute has no 'men'; did you mean 'mean'?"] = { gate = "compute.men<5%" },
      ["align cannot be 'sideways'"] = { align = "sideways" },
      ["compute.ks<5ms: it has no unit"] = { gate = "compute.ks<5ms" },
      ["total has no 'wait'; one of ks, mean"] = { gate = "total.wait<5%" },
    } do
      local made, message, code = td.score(run, run, options)
      assert.is_nil(made)
      assert.matches(text, message, 1, true)
      assert.equal(2, code)
    end
  end)
end)

describe("lanes over time", function()
  -- A request a second; its kernels of two stages take turns for 400 ms, 1 ms each.
  local function taking_turns(turn_ms)
    local requests, rows = { arrival_ns = {}, end_ns = {} }, {}
    for stage = 1, 2 do rows[stage] = { request = {}, start_ns = {}, end_ns = {} } end
    for i = 1, 10 do
      requests.arrival_ns[i], requests.end_ns[i] = i * 1000000000, i * 1000000000 + 400000000
      for k = 0, 400 // turn_ms - 1 do
        local of, start = rows[k % 2 + 1], requests.arrival_ns[i] + k * turn_ms * 1000000
        local n = #of.request + 1
        of.request[n], of.start_ns[n], of.end_ns[n] = i, start, start + turn_ms * 1000000
      end
    end
    return visits.of { stages = { { name = "norm", lane = "GPU" }, { name = "gemm",
      lane = "GPU" } }, requests = requests, visits = { norm = rows[1], gemm = rows[2] } }
  end

  it("are as busy whether the stages of a request take turns or follow one another", function()
    local row = by_name(td.score(taking_turns(1), taking_turns(200)):frame "lanes".rows).GPU
    -- 10 × 400 ms from the first arrival to the last end, which is 9.4 s.
    assert.near(4 / 9.4, row.real_busy, 1e-9)
    assert.near(4 / 9.4, row.simulated_busy, 1e-9)
  end)
end)

describe("errors by request", function()
  -- Requests 1 s apart; `work` and `wait` in ms.
  local function of(work, waits)
    local requests = { arrival_ns = {}, end_ns = {} }
    local rows, waited = { request = {}, start_ns = {}, end_ns = {} },
      { request = {}, start_ns = {}, end_ns = {} }
    for i, ms in ipairs(work) do
      local arrival = i * 1000000000
      local start = arrival + (waits and waits[i] or 0) * 1000000
      requests.arrival_ns[i], requests.end_ns[i] = arrival, start + ms * 1000000
      rows.request[i], rows.start_ns[i], rows.end_ns[i] = i, start, start + ms * 1000000
      waited.request[i], waited.start_ns[i], waited.end_ns[i] = i, arrival, start
    end
    return visits.of { stages = { { name = "work", lane = "GPU" } }, requests = requests,
      visits = { work = rows }, waits = { work = waited } }
  end

  it("are what one counts by hand", function()
    local real = of { 10, 20, 30, 40 }
    local made = assert(td.score(real, of({ 12, 20, 27, 50 }, { 0, 4, 0, 0 })))
    local rows = by_name(made:frame "requests".rows)
    -- Errors of the total: +2, +4, −3, +10 ms; of the stage: +2, 0, −3, +10 ms.
    assert.equal(4, rows.total.count)
    assert.near(4.75e6, rows.total.mean_abs_ns, 1e-6)
    assert.near(4.75 / 25, rows.total.mean_abs_share, 1e-12)
    assert.equal(3000000, rows.total.median_ns)
    assert.equal(10000000, rows.total.p95_ns)
    assert.near(3.25e6, rows.total.bias_ns, 1e-6)
    assert.near(3.75e6, rows.work.mean_abs_ns, 1e-6)
    assert.near(2.25e6, rows.work.bias_ns, 1e-6)
    -- Pearson's of 10 20 30 40 and 12 24 27 50: 585 ÷ √(500 × 756.75).
    assert.near(585 / math.sqrt(500 * 756.75), rows.total.correlation, 1e-12)
    local worst = made:frame "worst".rows
    assert.same({ 4, 2, 3, 1 }, { worst[1].request, worst[2].request, worst[3].request,
      worst[4].request })
    assert.equal("work", worst[1].mostly)
    assert.equal("waiting for work", worst[2].mostly)
    assert.equal(4000000, worst[2].mostly_ns)
  end)

  it("need requests of the same sizes", function()
    local function sized(values)
      local requests = { arrival_ns = {}, end_ns = {}, sizes = { tokens = values } }
      local rows = { request = {}, start_ns = {}, end_ns = {} }
      for i = 1, #values do
        requests.arrival_ns[i], requests.end_ns[i] = i * 1000, i * 1000 + 10
        rows.request[i], rows.start_ns[i], rows.end_ns[i] = i, i * 1000, i * 1000 + 10
      end
      return visits.of { stages = { { name = "s" } }, requests = requests, visits = { s = rows } }
    end
    local real = sized { 0.1, 2, 3 }
    assert.same({}, td.score(real, sized { 0.1 + 1e-17, 2.0, 3 }).cannot)
    assert.matches("had other requests (they differ in tokens)",
      td.score(real, sized { 0.1, 2, 4 }).cannot[1], 1, true)
    assert.matches("3 real ones, 2 simulated", td.score(real, sized { 0.1, 2 }).cannot[1], 1, true)
  end)

  it("stand where four requests allow no interval", function()
    local made = assert(td.score(of { 10, 20, 30, 40 }, of { 12, 20, 27, 50 },
      { gate = { "work.mean<5%", "requests.mean<20%", "requests.bias<1ms" } }))
    local rows = by_name(made:frame "verdict".rows)
    assert.equal("cannot tell", rows.work.verdict)
    assert.equal("4 values: too few", rows.work.says)
    local gates = made:frame "gates".rows
    assert.equal("undecided", gates[1].verdict)
    assert.equal("holds", gates[2].verdict)
    assert.equal("fails", gates[3].verdict)
    assert.near(2.25e6, gates[3].value, 1e-6)
  end)

  it("have no share where the real requests took no time", function()
    local made = assert(td.score(of { 0, 0, 0 }, of { 1, 2, 3 }, { gate = "requests.p95<5%" }))
    assert.equal("undecided", made:frame "gates".rows[1].verdict)
    assert.equal("the real one is 0, of which nothing is a share",
      made:frame "gates".rows[1].says)
  end)

  it("leave out requests that were not served", function()
    local simulated = visits.of { stages = { { name = "work", lane = "GPU" } }, kind = "simulated",
      requests = { arrival_ns = { 1000000000, 2000000000, 3000000000 },
        end_ns = { 1010000000, 2000000000, 3030000000 }, outcome = { "ok", "dropped", "ok" } },
      visits = { work = { request = { 1, 3 }, start_ns = { 1000000000, 3000000000 },
        end_ns = { 1010000000, 3030000000 } } } }
    local made = assert(td.score(of { 10, 20, 30 }, simulated))
    assert.equal(2, by_name(made:frame "requests".rows).total.count)
    assert.equal(0, by_name(made:frame "requests".rows).total.mean_abs_ns)
    assert.matches("1 request of the simulated run left out", table.concat(made.basis, "\n"), 1,
      true)
  end)
end)

describe("comparisons", function()
  -- 64 independent values each; batch means then are Student's interval of batches.
  local function noise(seed, count, scale, offset)
    local state, out = seed, {}
    for i = 1, count do
      state = (state * 6364136223846793005 + 1442695040888963407)
      out[i] = offset + scale * ((state >> 11) * 0x1p-53)
    end
    return out
  end

  it("of paired values have the interval of the ratio estimator", function()
    local real, simulated = noise(1, 8, 1, 10), noise(2, 8, 1, 11)
    local made = compare.means(real, simulated, true, 0.95)
    local r, s, squares = 0, 0, 0
    for i = 1, 8 do r, s = r + real[i] / 8, s + simulated[i] / 8 end
    for i = 1, 8 do squares = squares + (simulated[i] - s / r * real[i]) ^ 2 end
    assert.near(s / r - 1, made.difference, 1e-12)
    -- t(0.975, 7) = 2.3646; wider where the residuals of neighbours are alike.
    local half = 2.364624 * math.sqrt(squares / 7 / 8) / r
    assert.is_true(made.high - made.difference >= half * (1 - 1e-6))
    assert.is_true(made.high - made.difference <= half * 2)
  end)

  it("of a quantity that never changes are exact", function()
    local real, simulated = {}, {}
    for i = 1, 40 do real[i], simulated[i] = 5, 5.5 end
    for _, paired in ipairs { true, false } do
      local made = compare.means(real, simulated, paired, 0.95)
      assert.near(0.1, made.low, 1e-12)
      assert.near(0.1, made.high, 1e-12)
      made = compare.quantiles(real, simulated, { 0.5 }, paired, 0.95)[1]
      assert.near(0.1, made.low, 1e-12)
      assert.near(0.1, made.high, 1e-12)
    end
  end)

  it("of quantiles hold the truth, and have no interval where the sample is too small", function()
    local held = 0
    for seed = 1, 60 do
      local made = compare.quantiles(noise(seed, 500, 1, 1), noise(1000 + seed, 500, 1.1, 1.1),
        { 0.9 }, false, 0.95)[1]
      if made.low <= 0.1 and made.high >= 0.1 then held = held + 1 end
    end
    assert.is_true(held >= 54, held)
    local made = compare.quantiles(noise(1, 50, 1, 1), noise(2, 50, 1, 1), { 0.99 }, false,
      0.95)[1]
    assert.is_nil(made.low)
    assert.is_number(made.difference)
  end)

  it("of quantiles in long queues have no interval, or one that holds", function()
    -- Times in M/M/1 at 80 % load, in which the slowest come together.
    local function queue(seed)
      local gaps, services, out, wait = noise(seed, 900, 1, 0), noise(seed + 5000, 900, 1, 0), {}, 0
      for i = 1, 900 do
        local service = -0.8 * math.log(1 - services[i])
        if i > 300 then out[i - 300] = wait + service end
        wait = math.max(0, wait + service + math.log(1 - gaps[i]))
      end
      return out
    end
    local missed = 0
    for seed = 1, 60 do
      for _, made in ipairs(compare.quantiles(queue(seed), queue(1000 + seed), { 0.95, 0.99 },
        false, 0.95)) do
        if made.low and (made.low > 0 or made.high < 0) then missed = missed + 1 end
      end
    end
    assert.is_true(missed <= 6, missed)
  end)

  it("of what drifts have none", function()
    local real = {}
    for i = 1, 200 do real[i] = i end
    assert.is_nil(compare.means(real, noise(1, 200, 1, 100), false, 0.95).low)
  end)
end)
