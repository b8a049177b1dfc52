-- Sweeps: ranges, designs, the table, the store, and what is said of mistakes.
local crew = require "tandem.sweep.crew"
local design = require "tandem.sweep.design"
local json = require "cjson"
local range = require "tandem.sweep.range"
local study = require "tandem.sweep.study"
local sweep = require "tandem.sweep"
local td = require "tandem"

local function base(extra)
  local raw = {
    workload = td.poisson { rps = 40, requests = 1500 },
    target = td.gpu "L40S" { concurrency = 2 },
    pipeline = { td.transfer "copy" { bytes = "4MiB", on = "h2d" },
      td.fixed "work" { time = td.exponential "20ms", on = "gpu" } },
    slo = { p99 = "300ms" },
  }
  for k, v in pairs(extra or {}) do raw[k] = v end
  return td.scenario "base" (raw)
end

local function values(r) return assert(range.values(assert(range.read(r)))) end

local function column(s, name) return (s:column(name)) end

local function fails(options, words)
  options.scenario = options.scenario or base()
  local ok, message = pcall(td.sweep, options)
  assert.is_false(ok)
  assert.matches(words, message, 1, true)
  assert.is_nil(message:find("\n", 1, true))
end

local quiet = function() end

describe("a range", function()
  it("has both ends, and whole numbers where the ends are whole", function()
    assert.same({ 10, 20, 30, 40 }, values(td.range(10, 40, 4)))
    assert.equal("integer", math.type(values(td.range(10, 40, 4))[2]))
    assert.same({ 1, 2, 3, 4, 5 }, values(td.range(1, 5)))
    assert.same({ 0.1, 0.2, 0.3 }, values(td.range(0.1, 0.3, 3)))
    assert.same({ 1, 2, 4, 8, 16 }, values(td.range { from = 1, to = 16, points = 5, log = true }))
    assert.same({ 7 }, values(td.range(7, 7)))
    assert.same({ 1, 2, 3 }, values(td.range(1, 3, 10)))
  end)

  it("reads quantities, and words of the command line", function()
    assert.same({ 0.001, 0.01, 0.1 }, values(td.range { from = "1ms", to = "100ms", points = 3,
      log = true }))
    assert.same({ 1048576, 2097152 }, values(td.range("1MiB", "2MiB", 2)))
    assert.same({ from = "10", to = "100", points = 4 }, range.of_text "10:100:4")
    assert.same({ from = "1ms", to = "1s", points = 3, log = true }, range.of_text "1ms:1s:3:log")
    assert.is_nil(range.of_text "H100,L40S")
  end)

  it("says what is wrong with it", function()
    for words, r in pairs {
      ["is empty; the smaller end comes first: 10:100"] = { 100, 10, 3 },
      ["with 0 points is empty"] = { 1, 10, 0 },
      ["have different units"] = { "1ms", 10, 3 },
      ["is not a quantity"] = { "x", 10, 3 },
    } do
      local ok, message = pcall(td.range, table.unpack(r))
      assert.is_false(ok)
      assert.matches(words, message, 1, true)
    end
  end)

  it("lies between its ends when it is drawn from", function()
    local read = range.read(td.range(1, 4))
    assert.same({ 1, 1, 2, 4 }, { range.at(read, 0), range.at(read, 0.24), range.at(read, 0.25),
      range.at(read, 1 - 2.0 ^ -53) })
  end)
end)

describe("a design", function()
  local function made(options)
    options.scenario = base()
    return assert(study.new(options))
  end

  it("is a grid in the order of the axes, the last one fastest", function()
    local s = made { over = { rps = { 10, 20 }, gpus = td.range(1, 3) } }
    local points = {}
    for i = 1, s.count do points[i] = study.point(s, i) end
    assert.same({ { gpus = 1, rps = 10 }, { gpus = 1, rps = 20 }, { gpus = 2, rps = 10 },
      { gpus = 2, rps = 20 }, { gpus = 3, rps = 10 }, { gpus = 3, rps = 20 } }, points)
    s = made { over = { { "rps", { 10, 20 } }, { "gpus", td.range(1, 3) } } }
    assert.same({ gpus = 2, rps = 10 }, study.point(s, 2))
  end)

  it("draws one value from each stratum of each axis in a Latin hypercube", function()
    local s = made { over = { rps = td.range(0.5, 100.5), kind = { "L40", "L40S" },
      concurrency = td.range(1, 8) }, design = "lhs", points = 16 }
    local rps, kinds, counts = {}, { L40 = 0, L40S = 0 }, {}
    for i = 1, 16 do
      local p = study.point(s, i)
      rps[math.floor((p.rps - 0.5) / 100 * 16) + 1] = true
      kinds[p.kind] = kinds[p.kind] + 1
      counts[p.concurrency] = (counts[p.concurrency] or 0) + 1
    end
    assert.equal(16, #rps)
    assert.same({ L40 = 8, L40S = 8 }, kinds)
    for i = 1, 8 do assert.equal(2, counts[i]) end
  end)

  it("depends on its seed and on nothing else", function()
    local function drawn(seed, over)
      local s = made { over = over or { rps = td.range(1.0, 9.0) }, design = "random", points = 50,
        seed = seed }
      local out = {}
      for i = 1, 50 do out[i] = study.point(s, i).rps end
      return out
    end
    assert.same(drawn(1), drawn(1))
    assert.not_same(drawn(1), drawn(2))
    assert.same(drawn(1), drawn(1, { rps = td.range(1.0, 9.0), gpus = { 1, 2 } }))
    local mean = 0
    for _, v in ipairs(drawn(3)) do mean = mean + v / 50 end
    assert.near(5, mean, 1.2)
  end)

  it("keeps points by a function, by values and by shard", function()
    local over = { rps = { 10, 20, 30 }, gpus = { 1, 2 } }
    local all = made { over = over }
    assert.equal(3, made({ over = over, where = { gpus = 2 } }).count)
    assert.equal(4, made({ over = over, where = { rps = { 10, 30 } } }).count)
    local some = made { over = over, where = function(p) return p.rps > 10 * p.gpus end }
    assert.same({ 2, 3, 6 }, some.numbers)
    assert.equal(all.key, some.key)
    assert.same({ 1, 4 }, made({ over = over, shard = { 1, 3 } }).numbers)
  end)

  it("makes ten million points without holding them", function()
    local axes = { { values = {} }, { values = {} } }
    for i = 1, 3162 do axes[1].values[i], axes[2].values[i] = { value = i }, { value = -i } end
    local grid = assert(design.grid(axes))
    assert.equal(3162 * 3162, grid.count)
    assert.same({ { value = 3162 }, { value = -3162 } }, grid.point(grid.count))
  end)
end)

describe("a sweep", function()
  it("is the table of the runs it stands for, whatever the threads", function()
    local function run(threads)
      return td.sweep { scenario = base(), over = { rps = { 20, 60 }, kind = { "L40", "L40S" } },
        replications = 3, seed = 5, threads = threads }
    end
    local s = run(1)
    assert.equal(s:to_json(), run(3):to_json())
    assert.same({ "L40", "L40", "L40S", "L40S" }, column(s, "kind"))
    local alone = base():with { gpu = "L40", rps = 60 }:run { replications = 3, seed = 5 }
    local row = s:filter { kind = "L40", rps = 60 }.rows[1]
    assert.equal(alone.latency.p99.value, row["latency.p99"])
    assert.equal(alone.latency.p99.half, row.half["latency.p99"])
    assert.equal(alone:answer(), row.met)
    -- The same luck everywhere: the GPU's work does not depend on the kind here.
    assert.equal(s.rows[1]["offered_rps"], s.rows[3]["offered_rps"])
  end)

  it("takes distributions, listed points and paths", function()
    local s = td.sweep { scenario = base(), replications = 2, metrics = { "latency.mean" },
      over = { ["pipeline.work.time"] = { td.exponential "5ms", "5ms" },
        ["pipeline.copy.bytes"] = { "1MiB" } } }
    assert.same({ "latency.mean" }, s.metrics)
    assert.same({ "exponential(mean 5ms)", "5ms" }, column(s, "pipeline.work.time"))
    assert.same({ 1048576, 1048576 }, column(s, "pipeline.copy.bytes"))
    s = td.sweep { scenario = base(), replications = 2,
      points = { { rps = 10 }, { rps = 20, gpus = 2 } } }
    assert.same({ false, 2 }, column(s, "gpus"))
    s = td.sweep { scenario = base(), over = { batch = { 1, 4 } } }
    assert.equal(2, #s.rows)
  end)

  it("goes on where a point fails", function()
    local told = {}
    local s = td.sweep { scenario = base(), over = { kind = { "L40S", "L4O", "L40" } },
      report = function(line) told[#told + 1] = line end }
    assert.same({ "L40S", "L40" }, column(s, "kind"))
    assert.equal(2, s.failed[1].number)
    assert.matches("unknown GPU 'L4O'; did you mean", s.failed[1].message, 1, true)
    assert.equal(1, #told)
    assert.matches("point 2 %(kind L4O%) failed: ", told[1])
    assert.matches("1 point failed", tostring(s), 1, true)
    assert.equal("L4O", json.decode(s:to_json()).rows[2].point.kind)
  end)

  it("says what is wrong in one line", function()
    fails({}, "over is missing")
    fails({ over = { rp = { 1 } } }, "rp: unknown key; did you mean 'rps'?")
    fails({ over = { ["pipeline.wrok.time"] = { 1 } } }, "there is no 'wrok' here; did you mean")
    fails({ over = { rps = { "10ms" } } }, "'10ms' is a time; wanted a rate")
    fails({ over = { rps = {} } }, "rps: no values; give a list")
    fails({ over = { rps = { from = 9, to = 1 } } }, "is empty; the smaller end comes first: 1:9")
    fails({ over = { rps = { 1, 1 } } }, "rps: the value 1 stands there twice")
    fails({ over = { rps = { "1s", "10rps" } } }, "'10rps' is a rate, the values before it are")
    fails({ over = { rps = td.range(1.0, 2.0) } }, "how many points has the range 1.0:2.0?")
    fails({ over = { rps = { 1 }, ["workload.rps"] = { 2 } }, design = "gird" },
      "there is no design 'gird'; did you mean 'grid'?")
    fails({ over = { rps = td.range(1, 9) }, design = "lhs" },
      "design = \"lhs\" wants points, how many: points = 100")
    fails({ over = { rps = { 1 } }, points = 5 }, "points goes with design")
    fails({ over = { rps = { 1 } }, metrics = { "p99" } }, "did you mean 'latency.p99'?")
    fails({ over = { rps = { 1 } }, metrics = { "stages.wrok.wait.mean" } },
      "did you mean 'stages.work.wait.mean'?")
    fails({ over = { rps = { 1 } }, replicatons = 3 }, "did you mean 'replications'?")
    fails({ over = { rps = { 1, 2 } }, where = { rp = 1 } }, "'rp' is not varied; did you mean")
    fails({ over = { rps = td.range(1, 4000), gpus = td.range(1, 4000) } },
      "a grid of 4000 × 4000 points is more than 10000000")
  end)

  it("finds metrics that only some points have", function()
    local s = td.sweep { scenario = base(), over = { kind = { "L40", "H100 SXM" } },
      metrics = { "resources.H100 SXM gpu.utilization" } }
    assert.is_number(s.rows[2]["resources.H100 SXM gpu.utilization"])
    assert.is_nil(s.rows[1]["resources.H100 SXM gpu.utilization"])
  end)

  it("is described by the scenario, and by whoever calls it", function()
    local described = base { sweep = { over = { rps = td.range(10, 30, 3) },
      metrics = { "latency.p99" }, replications = 2 } }
    local s = td.sweep { scenario = described }
    assert.same({ 10, 20, 30 }, column(s, "rps"))
    assert.equal(2, s.replications)
    assert.same({ "latency.p99" }, s.metrics)
    s = td.sweep { scenario = described, over = { gpus = { 1, 2 } }, replications = 3 }
    assert.same({ 1, 2 }, column(s, "gpus"))
    assert.equal(3, s.replications)
    local made, problems = td.check { name = "x", workload = td.poisson { rps = 1, requests = 9 },
      pipeline = { td.fixed "a" { time = 1 } }, sweep = { ovre = { rps = { 1 } } } }
    assert.is_nil(made)
    assert.matches("sweep.ovre: unknown key; did you mean 'over'?", tostring(problems), 1, true)
  end)
end)

describe("the table of a sweep", function()
  local s
  setup(function()
    s = td.sweep { scenario = base(), over = { rps = { 20, 40, 80 }, gpus = { 1, 2 } },
      replications = 3 }
  end)

  it("filters, sorts, groups and finds the best", function()
    assert.equal(3, #s:filter({ gpus = 2 }).rows)
    assert.equal(2, #s:filter(function(row) return row.rps == 40 end).rows)
    assert.same({ 80, 40, 20, 80, 40, 20 },
      column(s:sort("rps", true):sort "gpus", "rps"))
    local worst = column(s:sort("p99", true), "p99")
    for i = 2, #worst do assert.is_true(worst[i - 1] >= worst[i]) end
    local groups = s:group("gpus", "max")
    assert.same({ 1, 2 }, column(groups, "gpus"))
    assert.equal(math.max(table.unpack(column(s:filter { gpus = 2 }, "latency.p99"))),
      groups.rows[2]["latency.p99"])
    assert.equal(2, s:group("rps", function(list) return #list end).rows[1]["latency.p50"])
    assert.equal(80, s:best("throughput_rps").rps)
    assert.equal(worst[#worst], s:best("latency.p99")["latency.p99"])
    assert.equal(worst[1], s:best("p99", "max")["latency.p99"])
    assert.has_error(function() s:sort "p98" end)
    assert.has_error(function() s:group "rsp" end)
  end)

  it("prints, and says what there is no room for", function()
    local styles = require "tandem.plot.style"
    local wide, narrow = s:report(styles.new { width = 200 }), s:report(styles.new { width = 60 })
    assert.matches("gpus  rps +p50 +p99 +throughput +busy +bottleneck +met", wide)
    assert.is_nil(wide:find("not shown", 1, true))
    assert.matches("not shown: .*bottleneck", narrow)
    for line in narrow:gmatch "[^\n]+" do assert.is_true(styles.columns(line) <= 60 or
      line:find "not shown" ~= nil) end
    assert.matches("4 more rows", s:report(nil, { rows = 2 }), 1, true)
  end)

  it("says where the rate that is varied is not the mean", function()
    local function bursts(workload)
      return td.scenario "bursts" { workload = workload, target = td.gpu "A10G" {},
        pipeline = { td.stage "work" { on = "gpu", cost = "1ms" } } }
    end
    local text = tostring(td.sweep { over = { rps = { 100, 200 } }, scenario = bursts(td.bursts {
      rps = 400, on = "1s", off = "3s", duration = "20s" }) })
    assert.matches("\n *rps +offered ", text)
    assert.matches("rps is the rate of a burst, not the mean", text)
    text = tostring(td.sweep { over = { rps = { 100, 200 } },
      scenario = bursts(td.poisson { rps = 4, duration = "20s" }) })
    assert.is_nil(text:find("burst,", 1, true))
    assert.is_nil(text:find("offered", 1, true))
  end)

  it("says where requests are lost", function()
    local lossy = td.scenario "lossy" { workload = td.poisson { rps = 100, duration = "20s" },
      target = td.gpu "A10G" { queue = 2 }, slo = { p99 = "600ms" },
      pipeline = { td.stage "work" { on = "gpu", cost = td.exponential "50ms" } } }
    local made = td.sweep { scenario = lossy, over = { gpus = { 1, 8, 40 } } }
    local text = tostring(made)
    assert.matches("2 points lose requests %(up to [78]%d", text)
    assert.matches("\n *gpus .* lost ", text)
    assert.matches(",lost,", made:to_csv())
    assert.equal(0, made.rows[3].lost)
    local whole = td.sweep { scenario = lossy, over = { gpus = { 40, 41 } } }
    assert.is_nil(tostring(whole):find("lose", 1, true))
    assert.is_nil(whole:to_csv():find("lost", 1, true))
  end)

  it("is CSV, JSON and SQL", function()
    local lines = {}
    for line in s:to_csv():gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.equal(7, #lines)
    assert.matches("^gpus,rps,offered_rps,offered_rps_half,", lines[1])
    local decoded = json.decode(s:to_json())
    assert.equal("tandem.sweep/1", decoded.schema)
    assert.equal(s.rows[6]["latency.p99"], decoded.rows[6].metrics["latency.p99"].value)
    assert.same({ gpus = 2, rps = 80 }, decoded.rows[6].point)
    local rows = s:sql([[SELECT gpus, max("latency.p99") AS worst, min("offered_rps_half") AS half
      FROM sweep WHERE rps > ? GROUP BY gpus ORDER BY gpus]], 20)
    assert.equal(2, #rows)
    assert.equal(s:filter(function(r) return r.rps > 20 end):group("gpus", "max")
      .rows[1]["latency.p99"], rows[1].worst)
    assert.is_number(rows[1].half)
    assert.has_error(function() s:sql "SELECT nothing FROM sweep" end)
  end)

  it("plots in the terminal and as a file", function()
    assert.matches("gpus 1", tostring(s:plot("rps", "p99", "gpus")), 1, true)
    local path = os.tmpname() .. ".svg"
    s:plot(path, { x = "rps", y = "p99", series = "gpus" })
    local file = assert(io.open(path))
    assert.matches("<svg", file:read "a", 1, true)
    file:close()
    s:plot(path, { x = "rps", y = "gpus", value = "p99" })
    os.remove(path)
    local ok, message = pcall(s.plot, s, "rps", "bottleneck")
    assert.is_false(ok)
    assert.matches("bottleneck has no numbers to plot", message, 1, true)
  end)
end)

describe("a stored sweep", function()
  local path, options
  before_each(function()
    path = os.tmpname()
    os.remove(path)
    options = { scenario = base(), over = { rps = td.range(10, 60, 6) }, store = path,
      replications = 2, report = quiet }
  end)
  after_each(function() os.remove(path) end)

  it("is not computed twice, and gives the same bytes", function()
    local first = td.sweep(options)
    assert.equal(0, first.reused)
    local second = td.sweep(options)
    assert.equal(6, second.reused)
    assert.equal(first:to_json(), second:to_json())
    options.fresh = true
    assert.equal(0, td.sweep(options).reused)
    options.fresh, options.seed = nil, 9
    assert.equal(0, td.sweep(options).reused)
    -- What people read does not change what is simulated.
    options.seed, options.scenario = nil, base { title = "renamed", expect = { slo = true } }
    assert.equal(6, td.sweep(options).reused)
  end)

  it("is another one when what a function reads is another", function()
    local function made(factor)
      local reads = { factor = factor }
      options.scenario = base { pipeline = { td.stage "work" { on = "gpu",
        cost = function(r) return r.id % 2 * 0.01 * reads.factor end } } }
      return td.sweep(options)
    end
    assert.equal(0, made(1).reused)
    assert.equal(0, made(2).reused)
    assert.equal(6, made(1).reused)
  end)

  it("goes on after an interruption", function()
    local made = assert(study.new(options))
    local inner, taken = nil, 0
    local opened = crew.open
    -- A crew that is interrupted after two answers.
    crew.open = function(o)
      inner = opened(o)
      local take = inner.next
      inner.next = function(self, ...)
        taken = taken + 1
        if taken > 2 then return nil, "interrupted" end
        return take(self, ...)
      end
      return inner
    end
    local ok, stopped = pcall(sweep.run, made, options)
    crew.open = opened
    assert(ok, stopped)
    assert.is_true(stopped.interrupted)
    assert.equal(2, #stopped.rows)
    assert.matches("interrupted: 2 of 6 points", tostring(stopped), 1, true)
    local rest = td.sweep(options)
    assert.equal(2, rest.reused)
    options.store = nil
    assert.equal(td.sweep(options):to_json(), rest:to_json())
  end)

  it("is joined from shards", function()
    local ledger = require "tandem.sweep.ledger"
    local parts = {}
    for i = 0, 1 do
      parts[i + 1] = os.tmpname()
      os.remove(parts[i + 1])
      options.store, options.shard = parts[i + 1], { i, 2 }
      assert.equal(3, #td.sweep(options).rows)
    end
    assert(ledger.merge(path, parts))
    for _, part in ipairs(parts) do os.remove(part) end
    options.store, options.shard = path, nil
    assert.equal(6, td.sweep(options).reused)
  end)
end)
