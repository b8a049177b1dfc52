-- Fits: parameters recovered with the coverage they state, what cannot be told is refused, and
-- predictions are judged on requests that were not fitted. Truth comes from a generator of the
-- test's own (support/fit_visits.lua), not from the simulator, but for the run that is simulated.
local core = require "tandem.core"
local fit_visits = require "tests.spec.support.fit_visits"
local td = require "tandem"
local visits = require "tandem.visits"

local MIB <const> = 1024 * 1024

-- Four stages of a server; every number below is a truth that fits must find.
local function server(options)
  options = options or {}
  return fit_visits.visits { count = options.count or 300, seed = options.seed or 1, tail = 20e-6,
    closed = options.closed, gap = options.gap or function(g) return g.exponential(0.05) end,
    sizes = options.sizes or function(g)
      return { tokens = math.floor(16 + 500 * g.uniform()) }
    end,
    stages = {
      { name = "pre", lane = "CPU", time = options.pre or function(_, g)
        return 300e-6 * g.lognormal(0.2)
      end },
      { name = "h2d", lane = "H2D", gap = function(g) return g.exponential(50e-6) end,
        bytes = options.bytes or function(r) return r.tokens * 65536 end,
        time = options.h2d or function(r, g)
          return (12e-6 + r.tokens * 65536 / 22e9) * g.lognormal(0.05)
        end },
      { name = "compute", lane = "GPU", time = options.compute or function(r, g)
        return (1.2e-3 + 3.4e-6 * r.tokens) * g.lognormal(0.1)
      end },
      { name = "d2h", lane = "D2H", bytes = function() return MIB end,
        time = function(_, g) return 60e-6 * g.lognormal(0.02) end } } }
end

local TRUTH <const> = { ["pipeline.pre.cost"] = 300e-6, ["pipeline.h2d.latency"] = 12e-6,
  ["target.h2d"] = 22e9, ["pipeline.compute.cost fixed"] = 1.2e-3,
  ["pipeline.compute.cost per tokens"] = 3.4e-6, ["target.d2h"] = MIB / 60e-6,
  ["pipeline.before h2d.time"] = 50e-6, ["workload.rps"] = 20, ["pipeline.pre.jitter"] = 0.2,
  ["pipeline.h2d.jitter"] = 0.05, ["pipeline.compute.jitter"] = 0.1,
  ["pipeline.d2h.jitter"] = 0.02, ["pipeline.before h2d.jitter"] = 1 }

local function key_of(p) return p.path .. (p.term and " " .. p.term or "") end

local function covers(p, truth)
  return p.low <= truth * (1 + 1e-9) and (p.high or math.huge) >= truth * (1 - 1e-9)
end

local function near(got, wanted, relative)
  assert.is_true(math.abs(got / wanted - 1) <= relative, ("%g is not %g"):format(got, wanted))
end

local function has(list, pattern)
  for _, item in ipairs(list) do
    local text = type(item) == "table" and item.what .. ": " .. item.why or item
    if text:find(pattern) then return true end
  end
  return false
end

local function scenario(extra)
  local raw = { workload = td.poisson { rps = 10, requests = 200 }, attrs = { tokens = 100 },
    target = td.gpu "H100" { h2d = "30GB/s" }, cpu = { workers = 4 },
    pipeline = { td.fixed "pre" { time = "1ms" },
      td.transfer "h2d" { bytes = "65536 * r.tokens", latency = "5us" },
      td.tokens "compute" {}, td.transfer "d2h" { bytes = "1MiB" } } }
  for k, v in pairs(extra or {}) do raw[k] = v end
  return td.scenario "mine" (raw)
end

describe("a fit without a scenario", function()
  -- 100 seeds; each parameter's 95 % interval must hold its truth in at least 87 of them (fewer by
  -- chance: 1 in 2,000), all parameters together in 93 %.
  it("recovers parameters within the intervals it states", function()
    local hit, seen, all_hit, all = {}, {}, 0, 0
    for seed = 1, 100 do
      local made = assert(td.fit { real = server { seed = seed } })
      for _, p in ipairs(made.parameters) do
        local key = key_of(p)
        if TRUTH[key] and p.low then
          local inside = covers(p, TRUTH[key]) and 1 or 0
          hit[key], seen[key] = (hit[key] or 0) + inside, (seen[key] or 0) + 1
          all_hit, all = all_hit + inside, all + 1
        end
      end
    end
    for key in pairs(TRUTH) do
      assert.is_true((seen[key] or 0) >= 93, key .. " was fitted in " .. (seen[key] or 0))
      assert.is_true(hit[key] / seen[key] >= 0.87, ("%s: %d of %d"):format(key, hit[key],
        seen[key]))
    end
    assert.is_true(all_hit / all >= 0.93, ("%d of %d"):format(all_hit, all))
  end)

  it("makes a scenario that takes the time the requests took", function()
    local real = server { count = 2000 }
    local made = assert(td.fit { real = real })
    local result = assert(assert(made:scenario()):run { replications = 8 })
    local requests, sum = real:requests(), 0
    for i, arrival in ipairs(requests.arrival_ns) do
      sum = sum + (requests.end_ns[i] - arrival) * 1e-9 / real.count
    end
    near(result.latency.mean.value, sum, 0.02)
    assert.equal("poisson", made.workload.kind)
  end)

  it("does not look at what it holds out", function()
    local plain = assert(td.fit { real = server(), split = "half" })
    local later = assert(td.fit { split = "half", real = server {
      compute = function(r, g, i)
        return (1.2e-3 + 3.4e-6 * r.tokens) * g.lognormal(0.1) * (i > 150 and 3 or 1)
      end } })
    local a, b = plain:parameter "pipeline.compute.cost", later:parameter "pipeline.compute.cost"
    assert.equal(a.value, b.value)
    assert.equal(150, plain.train.count)
    assert.equal(150, plain.hold.count)
    local row = later.rows[#later.rows]
    assert.equal("total", row.stage)
    assert.is_false(row.within)
    assert.matches("change between the halves", row.cause)
    assert.is_true(plain.rows[#plain.rows].within)
  end)

  it("judges every stage and gap, and the total, within their intervals", function()
    local made = assert(td.fit { real = server { count = 1000 } })
    local names = {}
    for i, row in ipairs(made.rows) do
      names[i] = row.stage
      assert.is_true(row.within or row.cause ~= nil)
      -- Twice the half-width: one false alarm in ten thousand a row.
      assert.is_true(math.abs(row.error) <= 2 * row.half + 1e-9, row.stage)
    end
    assert.same({ "pre", "before h2d", "h2d", "compute", "d2h", "after", "total" }, names)
  end)

  it("names the cause of an error: few visits, heavy tails, drift", function()
    local function cause(options)
      options.count = options.count or 400
      for _, row in ipairs(assert(td.fit { real = server(options) }).rows) do
        if row.stage == "pre" then return row.within, row.cause end
      end
    end
    local seen = {}
    for seed = 1, 12 do
      local _, why = cause { seed = seed, pre = function(_, g)
        return 1e-5 * g.uniform() ^ -0.8
      end }
      if why then seen[#seen + 1] = why end
    end
    assert.is_true(#seen > 0)
    for _, why in ipairs(seen) do assert.matches("heavy tail", why) end
    seen = {}
    for seed = 1, 12 do
      local _, why = cause { seed = seed, count = 24, pre = function(_, g)
        return 3e-4 * g.lognormal(0.5)
      end }
      if why then seen[#seen + 1] = why end
    end
    assert.is_true(#seen > 0)
    for _, why in ipairs(seen) do assert.matches("24 visits in all, fewer than 100", why) end
    local made = assert(td.fit { split = "half", real = server { count = 600,
      pre = function(_, g, i) return (1 + i / 300) * 3e-4 * g.lognormal(0.05) end } })
    assert.matches("a drift", made.rows[1].cause)
  end)

  it("does not split two sizes that grow together", function()
    local made = assert(td.fit { real = server { sizes = function(g)
      local tokens = math.floor(16 + 500 * g.uniform())
      return { tokens = tokens, words = 3 * tokens }
    end } })
    assert.is_true(has(made.notes, "compute: words grows with tokens %(condition beyond 1e9%)"))
    assert.is_truthy(made:parameter("pipeline.compute.cost", "per tokens"))
  end)

  it("finds no size where there is none, and the right one where there is", function()
    local made = assert(td.fit { real = server { sizes = function(g)
      return { tokens = math.floor(16 + 500 * g.uniform()), noise = g.uniform() }
    end } })
    assert.is_nil(made:parameter("pipeline.compute.cost", "per noise"))
    assert.is_nil(made:parameter("pipeline.pre.cost", "per tokens"))
    assert.is_truthy(made:parameter("pipeline.compute.cost", "per tokens"))
  end)

  it("says that one size cannot tell latency from bandwidth", function()
    local made = assert(td.fit { real = server() })
    assert.is_true(has(made.refused, "pipeline.d2h.latency: all copies are of 1 MiB"))
    local latency = made:parameter "pipeline.d2h.latency"
    assert.equal("assumed", latency.kind)
    assert.equal(0, latency.value)
  end)

  it("takes the mean of a stage with few visits and says so", function()
    local made = assert(td.fit { real = server { count = 12 } })
    assert.equal("assumed", made:parameter "pipeline.pre.cost".kind)
    assert.is_true(has(made.refused, "pipeline.pre.cost: 6 visits to fit on; at least 10"))
    assert.is_truthy(made:scenario())
  end)

  it("puts a stage that only some requests visit into a branch", function()
    local made = assert(td.fit { real = server { pre = function(_, g)
      return g.uniform() < 0.3 and 1e-3 or nil
    end, count = 600 } })
    local result = assert(assert(made:scenario()):run { replications = 4 })
    assert.is_true(made.rows[#made.rows].within)
    assert.is_true(result.latency.mean.value > 2e-3)
  end)

  it("keeps factors as they were where no family is near them", function()
    local made = assert(td.fit { real = server { count = 800, pre = function(_, g)
      return g.uniform() < 0.5 and 1e-4 or 9e-4
    end } })
    local p = made:parameter "pipeline.pre.jitter"
    assert.matches("no family is near", p.source)
    local node = made.changes["pipeline.pre.jitter"]
    assert.equal("empirical", node.type)
    local sum = 0
    for _, v in ipairs(node.values) do sum = sum + v / #node.values end
    assert.near(1, sum, 1e-5)
  end)

  it("tells arrivals: closed, even, independent, or as they were", function()
    local function kind(options)
      local made = assert(td.fit { real = server(options) })
      assert.is_truthy(made:scenario())
      return made.workload.kind
    end
    assert.equal("closed", kind { closed = true, gap = function(g)
      return 1e-4 * g.lognormal(0.1)
    end })
    assert.equal("paced", kind { gap = function() return 0.02 end })
    assert.equal("poisson", kind {})
    assert.equal("gamma", kind { count = 600, gap = function(g)
      return (g.exponential(0.02) + g.exponential(0.02) + g.exponential(0.02))
    end })
    assert.equal("replay", kind { gap = function(g)
      return g.uniform() < 0.1 and 1.0 or 0.01 * g.lognormal(0.1)
    end })
  end)

  -- Steps of a loop on one thread: each begins when the host is done with the one before, at most
  -- `ahead` of them before the GPU is.
  local function loop(host_ms, gpu_ms, ahead)
    local requests, rows = { arrival_ns = {}, end_ns = {} }, {}
    for _, name in ipairs { "host", "gpu" } do
      rows[name] = { request = {}, start_ns = {}, end_ns = {} }
    end
    local function add(name, i, from, to)
      rows[name].request[i], rows[name].start_ns[i], rows[name].end_ns[i] = i, from, to
    end
    local now, free = 0, 0
    for i = 1, 40 do
      local launched = now + math.floor((host_ms + i % 3 * 0.1 * host_ms) * 1e6)
      local started = math.max(launched - 1000000, free)
      free = started + math.floor((gpu_ms + i % 4 * 0.1 * gpu_ms) * 1e6)
      requests.arrival_ns[i], requests.end_ns[i] = now, math.max(free, launched)
      local returned = math.max(launched, requests.end_ns[i - ahead] or 0)
      add("host", i, now, returned)
      add("gpu", i, started, free)
      now = returned
    end
    return visits.of { stages = { { name = "host", lane = "CPU" }, { name = "gpu", lane = "GPU" } },
      requests = requests, visits = { host = rows.host, gpu = rows.gpu } }
  end

  local function mean_total(of)
    local requests, sum = of:requests(), 0
    for i, ending in ipairs(requests.end_ns) do sum = sum + ending - requests.arrival_ns[i] end
    return sum / of.count * 1e-9
  end

  it("takes requests whose ends lie a little over the next as one after the other", function()
    local real = loop(50, 4, 1)
    local made = assert(td.fit { real = real })
    assert.equal("closed", made.workload.kind)
    near(made:scenario():run { replications = 1 }.latency.mean.value, mean_total(real), 0.05)
    assert.is_false(has(made.notes, "runs ahead"))
  end)

  it("says that recorded arrivals wait longer where the host runs ahead of the GPU", function()
    local real = loop(30, 50, 1)
    local made = assert(td.fit { real = real })
    assert.is_true(has(made.notes, "the host runs ahead"))
    assert.is_true(made:scenario():run { replications = 1 }.latency.mean.value
      > 1.2 * mean_total(real))
    assert.is_false(has(assert(td.fit { real = server {} }).notes, "runs ahead"))
  end)

  it("has the room for requests that are at different stages of a GPU at once", function()
    -- 10 to 10.9 ms apart, 8 ms prefill, then 8 ms decode on another stream: two at once, no waits.
    local requests, rows = { arrival_ns = {}, end_ns = {} }, {}
    for _, name in ipairs { "prefill", "decode" } do
      rows[name] = { request = {}, start_ns = {}, end_ns = {} }
    end
    local now = 0
    for i = 1, 100 do
      now = now + 10000000 + i * 7 % 10 * 100000
      requests.arrival_ns[i], requests.end_ns[i] = now, now + 16000000
      for k, name in ipairs { "prefill", "decode" } do
        local of = rows[name]
        of.request[i], of.start_ns[i], of.end_ns[i] = i, now + (k - 1) * 8000000, now + k * 8000000
      end
    end
    local made = assert(td.fit { real = visits.of { requests = requests, visits = rows,
      stages = { { name = "prefill", lane = "GPU" }, { name = "decode", lane = "GPU" } } } })
    assert.equal(2, made:parameter "target.concurrency".value)
    near(made:scenario():run { replications = 1 }.latency.mean.value, 16e-3, 1e-6)
  end)

  it("carries sizes along with recorded arrivals", function()
    local real = server { gap = function(g) return g.uniform() < 0.1 and 1.0 or 0.01 end }
    local made = assert(td.fit { real = real })
    local workload = rawget(made.base, "raw").workload
    assert.equal("replay", workload.type)
    assert.equal(real.count, #workload.rows)
    assert.equal(real:requests().sizes.tokens[7], workload.rows[7].tokens)
    assert.is_truthy(made:scenario():run { replications = 1 })
  end)

  it("writes recorded arrivals into its file to the nanosecond", function()
    local made = assert(td.fit { real = server { gap = function(g)
      return g.uniform() < 0.1 and 100.0 or 0.01 * g.lognormal(0.1)
    end } })
    assert.equal("replay", made.workload.kind)
    local files = require "tests.spec.support.store_fixture".new()
    local path = files:path "fitted.lua"
    local file = assert(io.open(path, "w"))
    file:write((assert(made:source())))
    file:close()
    local read = rawget(td.load(path), "raw").workload.rows
    local arrival = made.real:requests().arrival_ns
    for i, row in ipairs(read) do
      assert.equal(arrival[i] - arrival[1], math.floor(row.arrival * 1e9 + 0.5))
    end
    assert.equal(made.real.count, #read)
    files:remove()
  end)

  it("keeps sizes that go together as they came", function()
    local function kind(link)
      return assert(td.fit { real = server { count = 600, sizes = function(g)
        local tokens = 16 + 500 * g.uniform()
        return { tokens = tokens, words = link * tokens + 300 * g.uniform() }
      end, compute = function(r, g)
        return (1e-4 + 3e-6 * r.tokens + 5e-6 * r.words) * g.lognormal(0.02)
      end } }).workload
    end
    assert.equal("poisson", kind(0).kind)
    local together = kind(1)
    assert.equal("replay", together.kind)
    assert.matches("sizes go together %(correlation 0.8%d%)", together.source)
  end)

  it("leaves out what holds no time, and abstains where nothing does", function()
    local none, message, code = td.fit { real = visits.of { stages = { { name = "a" } },
      requests = { arrival_ns = {}, end_ns = {} }, visits = {} } }
    assert.is_nil(none)
    assert.matches("no requests to fit to", message)
    assert.equal(3, code)
    none, message = td.fit { hold = 0, real = visits.of { stages = { { name = "a" } },
      requests = { arrival_ns = { 0, 10 }, end_ns = { 5, 15 } },
      visits = { a = { request = { 1, 2 }, start_ns = { 1, 11 }, end_ns = { 1, 11 } } } } }
    assert.is_nil(none)
    assert.matches("no stage of the capture has time to fit", message)
  end)
end)

describe("a fit of a scenario", function()
  it("fits the parameters of its stages and keeps the rest", function()
    local base = scenario()
    local made = assert(td.fit { real = server { count = 600 }, scenario = base })
    local h2d, latency = made:parameter "target.h2d", made:parameter "pipeline.h2d.latency"
    assert.is_true(covers(h2d, 22e9) and covers(latency, 12e-6))
    assert.equal(30e9, h2d.prior)
    assert.near(5e-6, latency.prior, 1e-12)
    assert.is_true(covers(made:parameter "pipeline.pre.time", 300e-6))
    local fitted = assert(made:scenario())
    assert.equal("H100", fitted.target.name)
    near(fitted.target.h2d, h2d.value, 1e-9)
    assert.equal(10, fitted.workload[1].rps)
    assert.is_true(has(made.notes, "compute: .* fixed part that td.tokens does not have"))
  end)

  it("lets capacities stand that were never the limit", function()
    local made = assert(td.fit { real = server(), scenario = scenario() })
    local workers = made:parameter "cpu.workers"
    assert.equal("bound", workers.kind)
    assert.equal(4, workers.value)
    assert.equal(4, assert(made:scenario()).cpu.workers)
  end)

  it("takes a capacity that requests waited for", function()
    -- Two workers, four requests at a time: two serve while two wait.
    local requests, own = { arrival_ns = {}, end_ns = {} }, { request = {}, start_ns = {},
      end_ns = {} }
    for i = 1, 80 do
      local round, position = (i - 1) // 4, (i - 1) % 4
      requests.arrival_ns[i] = round * 1000000
      own.request[i], own.start_ns[i] = i, round * 1000000 + position // 2 * 100000
      own.end_ns[i] = own.start_ns[i] + 100000
      requests.end_ns[i] = own.end_ns[i]
    end
    local made = assert(td.fit { hold = 0, scenario = scenario { pipeline = {
      td.fixed "pre" { time = "1ms" } } }, real = visits.of { stages = { { name = "pre",
      lane = "CPU" } }, requests = requests, visits = { pre = own } } })
    local workers = made:parameter "cpu.workers"
    assert.equal("fitted", workers.kind)
    assert.equal(2, workers.value)
    assert.equal(2, assert(made:scenario()).cpu.workers)
  end)

  it("counts copy engines by direction, as a GPU has them", function()
    -- Pairs of requests: the second copies in while the first copies out, then waits for that.
    local requests, rows = { arrival_ns = {}, end_ns = {} }, {}
    for _, name in ipairs { "h2d", "d2h" } do
      rows[name] = { request = {}, start_ns = {}, end_ns = {}, bytes = {} }
    end
    local function copy(name, i, from, to)
      local of, n = rows[name], #rows[name].request + 1
      of.request[n], of.start_ns[n], of.end_ns[n], of.bytes[n] = i, from, to, MIB
    end
    for i = 1, 80 do
      local now = i * 1000000 - i % 2 * 900000
      local out = now + (i % 2 == 0 and 100000 or 200000)
      requests.arrival_ns[i], requests.end_ns[i] = now, out + 200000
      copy("h2d", i, now, now + 100000)
      copy("d2h", i, out, out + 200000)
    end
    local real = visits.of { requests = requests, visits = rows,
      stages = { { name = "h2d", lane = "H2D" }, { name = "d2h", lane = "D2H" } } }
    local base = scenario { pipeline = { td.transfer "h2d" { bytes = "1MiB" },
      td.transfer "d2h" { bytes = "1MiB" } } }
    for _, given in ipairs { false, base } do
      local made = assert(td.fit { real = real, hold = 0, scenario = given or nil })
      local engines = made:parameter "target.copy_engines"
      assert.equal(1, engines.value)
      assert.equal(1, assert(made:scenario()).target.copy_engines or 1)
    end
  end)

  it("fits the roofline's efficiency and overhead", function()
    local peak = 400e12
    local real = server { count = 600, compute = function(r, g)
      return (30e-6 + r.tokens * 2e9 / (peak * 0.45)) * g.lognormal(0.05)
    end }
    local base = scenario { target = td.gpu "mine" { flops = "400 TFLOP/s", bandwidth = "2TB/s",
      h2d = "30GB/s", d2h = "30GB/s" }, pipeline = { td.compute "compute" {
      flops = "2e9 * r.tokens", efficiency = 0.9 } } }
    local made = assert(td.fit { real = real, scenario = base })
    assert.is_true(covers(made:parameter "pipeline.compute.efficiency", 0.45))
    assert.is_true(covers(made:parameter "pipeline.compute.overhead", 30e-6))
    assert.is_true(has(made.refused, "^h2d: is a stage of the map that the scenario does not have"))
    -- Twice the work in the same time is faster than the peak.
    made = assert(td.fit { real = real, scenario = base:with {
      ["pipeline.compute.flops"] = "2e10 * r.tokens" } })
    assert.is_true(has(made.refused, "pipeline.compute.efficiency: .*faster than the roofline"))
    assert.near(0.9, assert(made:scenario()).pipeline[1].type == "compute"
      and assert(made:scenario()).pipeline[1].efficiency
      or assert(made:scenario()).pipeline[2].efficiency, 1e-12)
  end)

  it("fits the numbers of a formula that is a sum of sizes", function()
    for _, cost in ipairs { "0.001 + 9e-5 * r.tokens",
      function(r) return r.tokens * 9e-5 + 1 end } do
      local made = assert(td.fit { real = server(), scenario = scenario { pipeline = {
        td.stage "compute" { cost = cost } } } })
      assert.is_true(covers(made:parameter("pipeline.compute.cost", "fixed"), 1.2e-3))
      assert.is_true(covers(made:parameter("pipeline.compute.cost", "per tokens"), 3.4e-6))
      assert.is_truthy(made:scenario())
    end
  end)

  it("refuses other formulas of one's own, and says what to write", function()
    local made = assert(td.fit { real = server(), scenario = scenario { pipeline = {
      td.fixed "pre" { time = "1ms" },
      td.stage "compute" { cost = function(r) return 2e-6 * r.tokens ^ 2 end } } } })
    assert.is_true(has(made.refused,
      'pipeline.compute.cost: .*td.stage "compute" { cost = "0.%d+ %+ [%de.-]+ %* r.tokens" }'))
    made = assert(td.fit { real = server { compute = function(_, g)
      return 1e-3 * g.lognormal(0.1)
    end }, scenario = scenario { pipeline = {
      td.stage "compute" { cost = function(r) return 2e-6 * r.tokens ^ 2 end } } } })
    assert.is_true(has(made.refused, 'td.stage "compute" { cost = 0.00[01]%d+ }'))
  end)

  it("asks for a size that its costs read and the capture lacks", function()
    local made = assert(td.fit { real = server(), scenario = scenario { attrs = {
      tokens = td.uniform(1, 9), images = 3 }, pipeline = { td.tokens "compute" {
      tokens = "r.images" } } } })
    assert.matches("tokens by the scenario's mean",
      made:parameter "pipeline.compute.time_per_token".source)
  end)

  it("keeps the assumed bandwidth where one size leaves the latency open", function()
    local made = assert(td.fit { real = server(), scenario = scenario { pipeline = {
      td.transfer "d2h" { bytes = "1MiB", latency = "20us" } } } })
    -- 60 µs for 1 MiB, of which 20 µs are taken for granted.
    near(made:parameter "target.d2h".value, MIB / 40e-6, 0.01)
    assert.equal("assumed", made:parameter "pipeline.d2h.latency".kind)
  end)

  it("says in one line when no stage is in both", function()
    local none, message = td.fit { real = server(), scenario = scenario { pipeline = {
      td.fixed "else" { time = "1ms" } } } }
    assert.is_nil(none)
    assert.matches("no stage of the scenario %(.*else.*%) is one of the map %(pre, h2d", message)
    assert.is_nil(message:find "\n")
  end)

  it("raises on options that are none", function()
    assert.has_error(function() td.fit { reel = server() } end,
      "td.fit has no option 'reel'; did you mean 'real'?")
    assert.error_matches(function() td.fit { real = server(), split = "third" } end, "alternate")
    assert.error_matches(function() td.fit { real = 7 } end, "real wants a run")
    assert.error_matches(function() td.fit { real = server(), hold = 1 } end, "from 0 to below 1")
  end)
end)

describe("draws of a fit", function()
  it("have the means and errors that are stated, and make scenarios", function()
    local made = assert(td.fit { real = server() })
    local uniform = fit_visits.generator(5).uniform
    local fitted, n = assert(made:scenario()), 400
    local sum, squares, latency = 0, 0, made:parameter "pipeline.h2d.latency"
    local rate, product = made:parameter "target.h2d", 0
    for _ = 1, n do
      local changes = made:draw(uniform)
      local off = changes["pipeline.h2d.latency"] - latency.value
      sum, squares = sum + off, squares + off * off
      product = product + off * (changes["target.h2d"] - rate.value)
    end
    assert.is_true(math.abs(sum / n) < 4 * latency.error / math.sqrt(n))
    near(math.sqrt(squares / n), latency.error, 0.15)
    -- More latency leaves less time for the bytes: they are drawn together.
    assert.is_true(product > 0)
    local varied = fitted:with(made:draw(uniform))
    assert.are_not.equal(fitted:hash(), varied:hash())
  end)
end)

describe("what-if of a fit", function()
  it("makes a stage so many times as long, and carries the rest", function()
    local made = assert(td.fit { real = server {} })
    local found = assert(made:whatif({ { "twice as slow", { scale = { compute = 2 } } } },
      { draws = 8 }))
    -- Hardly any waits at 20 requests a second: the change is the stage's mean time.
    local mean = 1.2e-3 + 3.4e-6 * (16 + 250)
    near(found.rows[1].change.value, mean, 0.1)
    near(found.rows[1].value - found.base.value, found.rows[1].change.value, 1e-9)
  end)

  it("says in one line what it cannot do", function()
    local made = assert(td.fit { real = server { count = 40 } })
    local function refused(what, pattern)
      local found, message = made:whatif({ { "v", what } }, { draws = 4 })
      assert.is_nil(found)
      assert.matches(pattern, message, 1, true)
    end
    refused({ scale = { comput = 2 } }, "no stage 'comput' to scale; did you mean 'compute'?")
    refused({ scale = { compute = 0 } }, "wants a factor above 0, not '0'")
    refused({ scale = "compute" }, "scale wants { STAGE = factor }, not 'compute'")
    refused({ scale = { h2d = 2 } }, "the time of h2d, a td.transfer, cannot be scaled")
  end)
end)

describe("a simulated run", function()
  local store_fixture = require "tests.spec.support.store_fixture"
  it("gives back the parameters it was simulated with", function()
    local files = store_fixture.new()
    local path = files:path "fit.db"
    local truth = td.scenario "truth" { workload = td.poisson { rps = 60, requests = 600 },
      target = td.gpu "L40" { concurrency = 2 }, cpu = { workers = 2 },
      pipeline = { td.fixed "pre" { time = "2ms", jitter = 0.05 },
        td.stage "compute" { cost = "12ms", jitter = td.gamma { mean = 1, cv = 0.3 } },
        td.fixed "post" { time = "1ms", jitter = 0.02 } } }
    assert(truth:run { store = path, spans = "all", replications = 1, warmup = "none" })
    local store = assert(td.store(path))
    local made = assert(td.fit { real = assert(store:run "last"), scenario = truth:with {
      ["pipeline.pre.time"] = "9ms", ["pipeline.compute.cost"] = "1ms" } })
    near(made:parameter "pipeline.pre.time".value, 2e-3, 0.02)
    near(made:parameter "pipeline.compute.cost".value, 12e-3, 0.06)
    near(made:parameter "pipeline.compute.jitter".value, 0.3, 0.15)
    assert.equal("fitted", made:parameter "target.concurrency".kind)
    assert.equal(2, made:parameter "target.concurrency".value)
    store:close()
    files:remove()
  end)

  it("says that the queues before two GPUs become one", function()
    local files = store_fixture.new()
    local path = files:path "fit.db"
    local truth = td.scenario "truth" { workload = td.poisson { rps = 120, requests = 300 },
      target = td.fleet { td.gpu "L40" { count = 2 } },
      pipeline = { td.stage "compute" { cost = "10ms", jitter = 0.3 } } }
    assert(truth:run { store = path, spans = "all", replications = 1, warmup = "none" })
    local store = assert(td.store(path))
    local made = assert(td.fit { real = assert(store:run "last") })
    assert.equal(2, made:parameter "target.concurrency".value)
    assert.is_true(has(made.notes, "^target.concurrency: at most 2 at once in all, 1 on each"))
    store:close()
    files:remove()
  end)

  it("is scored under its whole load, whichever requests are held out", function()
    local files = store_fixture.new()
    local path = files:path "fit.db"
    local truth = td.scenario "truth" { workload = td.poisson { rps = 70, requests = 1000 },
      target = td.gpu "L40" { concurrency = 1 },
      pipeline = { td.stage "compute" { cost = "10ms", jitter = 0.3 } } }
    assert(truth:run { store = path, spans = "all", replications = 1, warmup = "none", seed = 5 })
    local store = assert(td.store(path))
    local real = assert(store:run "last"):visits()
    for _, split in ipairs { "alternate", "half" } do
      local made, total = assert(td.fit { real = real, split = split }), nil
      local score, laid = assert(made:score()), assert(made:overlay())
      assert.same({ "held out", "simulated" }, { laid.real.word, laid.sim.word })
      for _, row in ipairs(score:frame "verdict".rows) do
        if row.name == "total" then total = row end
      end
      -- Half of the load would halve the waits, which are more than half of the total.
      near(total.simulated, total.real, 0.15)
    end
    store:close()
    files:remove()
  end)
end)

describe("core.estimate", function()
  it("says what it cannot do in one line", function()
    local none, message = core.estimate.regress({ 1, 2 }, { { 1, 1 }, { 1, 2 } })
    assert.is_nil(none)
    assert.matches("2 values cannot tell 2 coefficients", message)
    none, message = core.estimate.ks({}, { 1 })
    assert.is_nil(none)
    assert.equal("a sample is empty", message)
    assert.is_nil(core.estimate.family({ -1, 2 }, "gamma"))
    assert.has_error(function() core.estimate.regress({ 1, "x" }, { { 1, 1 } }) end)
  end)

  it("widens the interval of a mean whose values are correlated", function()
    local g, values, level = fit_visits.generator(2), {}, 0
    for i = 1, 1000 do
      level = 0.9 * level + g.normal()
      values[i] = 10 + level
    end
    local m = core.estimate.mean(values)
    assert.is_true(m.batches > 0 and m.half > 2 * 1.96 * m.sd / math.sqrt(1000))
    -- Neither few values, of which none can be told, nor what is not correlated: two-sided 95 % of
    -- Student's t of 15 and 999 degrees.
    local function plain(list, t)
      local one = core.estimate.mean(list)
      assert.equal(0, one.batches)
      assert.near(t * one.sd / math.sqrt(#list), one.half, 1e-6 * one.half)
    end
    plain(table.move(values, 1, 16, 1, {}), 2.131449546)
    local free = {}
    for i = 1, 1000 do free[i] = 10 + g.normal() end
    plain(free, 1.962341461)
  end)
end)
