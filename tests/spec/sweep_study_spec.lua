--- What a sweep is and how its work is handed out, by hand: options, designs, keys, jobs, the words
--- told of failing points, and the edges of crews, ranks and batch scripts.
local core = require "tandem.core"
local crew = require "tandem.sweep.crew"
local design = require "tandem.sweep.design"
local job = require "tandem.sweep.job"
local json = require "tandem.io.json"
local keys = require "tandem.sweep.key"
local metrics = require "tandem.sweep.metrics"
local mpi = require "tandem.sweep.mpi"
local paper = require "tests.spec.support.paper"
local range = require "tandem.sweep.range"
local slurm = require "tandem.sweep.slurm"
local study = require "tandem.sweep.study"
local sweep = require "tandem.sweep"
local td = require "tandem"

local function base(extra)
  local raw = {
    workload = td.poisson { rps = 40, requests = 1500 },
    target = td.gpu "L40S" { concurrency = 2 },
    pipeline = { td.fixed "work" { time = td.exponential "20ms", on = "gpu" } },
    slo = { p99 = "300ms" },
  }
  for key, value in pairs(extra or {}) do raw[key] = value end
  return td.scenario "base" (raw)
end

local function made(options)
  options.scenario = options.scenario or base()
  local one, message = study.new(options)
  return one or message
end

describe("a study", function()
  it("says in one line what is wrong with its options", function()
    for message, options in pairs {
      ["replications wants a whole number, at least 1, not 0"] = { replications = 0 },
      ["replications wants a whole number, at least 1, not 1.5"] = { replications = 1.5 },
      ["seed wants a whole number, at least 0, not -1"] = { seed = -1 },
      ["points goes with design = \"lhs\" or \"random\"; a grid has every combination"] =
        { points = 5 },
      ["design = \"list\" wants points = { { rps = 10, gpus = 1 }, … }"] = { design = "list" },
      ["design = \"random\" wants points, how many: points = 100"] =
        { design = "random", points = 0 },
      ["design = \"lhs\" wants points, how many: points = 100"] = { design = "lhs", points = 1.5 },
      ["points is 10000001; the most is 10000000"] = { design = "lhs", points = 10000001 },
      ["metrics wants a list of paths: metrics = { \"latency.p99\", \"throughput_rps\" }"] =
        { metrics = {} },
      ["metrics wants paths such as \"latency.p99\", not 3"] = { metrics = { 3 } },
      ["the metric latency.p99 stands there twice"] =
        { metrics = { "latency.p99", "latency.p99" } },
      ["where leaves no point of 2"] = { where = { rps = 7 } },
      ["shard wants { I, N } with I from 0 to N - 1, not { 2, 2 }"] = { shard = { 2, 2 } },
      ["shard wants { I, N } with I from 0 to N - 1, not { -1, 2 }"] = { shard = { -1, 2 } },
      ["shard wants { I, N } with I from 0 to N - 1, not { 0, 0 }"] = { shard = { 0, 0 } },
      ["shard wants { I, N } with I from 0 to N - 1, not { 0.5, 2 }"] = { shard = { 0.5, 2 } },
      ["shard wants { I, N } with I from 0 to N - 1, not { 0, x }"] = { shard = { 0, "x" } },
      ["shard wants { I, N } with I from 0 to N - 1, not { 0, -1 }"] = { shard = { 0, -1 } },
      ["there is no metric 'latency.p98'; did you mean 'latency.p90'?"] =
        { metrics = { "latency.p98" } },
    } do
      options.over = { rps = { 10, 20 } }
      assert.equal(message, made(options))
    end
    assert.equal("design = \"list\" wants points = { { rps = 10, gpus = 1 }, … }",
      made { design = "list", points = {} })
    assert.equal("replications is at most 1000000, not 1000001",
      made { over = { rps = { 1 } }, replications = 1000001 })
    assert.equal("an axis cannot be called ok", made { points = { { ok = 1 } } })
    assert.equal("scenario is missing: td.sweep { scenario = …, over = { … } }",
      select(2, study.new { over = {} }))
  end)

  it("takes what is silent from the scenario, but no design of other axes", function()
    local own = base { sweep = { over = { rps = td.range(1.0, 9.0) }, design = "lhs", points = 4,
      replications = 3, seed = 8, metrics = { "latency.p50" } }, replications = 5 }
    local one = made { scenario = own }
    assert.same({ "lhs", 4, 3, 8, "latency.p50" }, { one.design.kind, one.count, one.replications,
      one.seed, one.metrics[1] })
    one = made { scenario = own, over = { gpus = { 1, 2 } }, replications = 2 }
    assert.same({ "grid", 2, 2, 8 }, { one.design.kind, one.count, one.replications, one.seed })
    one = made { scenario = own, points = { { gpus = 1 }, { gpus = 3 } } }
    assert.same({ "list", 2, "gpus", 3, 8 }, { one.design.kind, one.count, one.axes[1].name,
      one.replications, one.seed })
    assert.same({ 5, 1 }, { made({ scenario = base { replications = 5 }, over = { rps = { 1 } } })
      .replications, made({ over = { rps = { 1 } } }).replications })
    assert.same({ 7, 1 }, { made({ scenario = base { seed = 7 }, over = { rps = { 1 } } }).seed,
      made({ over = { rps = { 1 } } }).seed })
  end)

  it("chooses points by values, whatever their spelling, and by shard", function()
    local over = { { "rps", { "10rps", "20rps", "30rps" } }, { "kind", { "L40", "L40S" } } }
    local function numbers(options)
      options.over = over
      return made(options).numbers
    end
    assert.same({ 3, 4 }, numbers { where = { rps = "20rps" } })
    assert.same({ 3, 4 }, numbers { where = { rps = 20 } })
    assert.same({ 1, 5 }, numbers { where = { rps = { 10, "30rps" }, kind = "L40" } })
    assert.same({ 2, 4, 6 }, numbers { shard = { 0, 2 } })
    assert.same({ 3 }, numbers { shard = { 0, 3 }, where = { rps = 20 } })
    local one = made { over = over, shard = { 1, 4 } }
    assert.same({ 2, 1, 5, 5 }, { one.count, study.number(one, 1), study.number(one, 2),
      one.numbers[2] })
    assert.equal(3, study.number(made { over = over }, 3))
  end)

  it("has one key for one sweep", function()
    local function key(options)
      options.over = options.over or not options.points and { rps = { 1, 2 } } or nil
      return made(options).key
    end
    local own = key {}
    assert.matches("^%x+$", own)
    assert.equal(own, key {})
    assert.equal(own, key { where = { rps = 1 } })
    for _, other in ipairs { { seed = 2 }, { replications = 2 }, { metrics = { "latency.p50" } },
      { over = { rps = { 1, 3 } } }, { over = { rps = { 2, 1 } } }, { over = { users = { 1, 2 } },
        scenario = base { workload = td.closed { users = 3, think = "1s", requests = 9 } } },
      { over = { rps = td.range(1, 2) }, scenario = base { slo = { p99 = "1s" } } },
      { points = { { rps = 1 }, { rps = 2 } } } } do
      assert.not_equal(own, key(other))
    end
    assert.not_equal(key { points = { { rps = 1 }, { rps = 2 } } },
      key { points = { { rps = 2 }, { rps = 1 } } })
    local drawn = { rps = td.range(1.0, 9.0) }
    assert.not_equal(key { over = drawn, design = "lhs", points = 4 },
      key { over = drawn, design = "lhs", points = 5 })
    assert.not_equal(key { over = drawn, design = "lhs", points = 4 },
      key { over = drawn, design = "random", points = 4 })
    assert.not_equal(key { over = drawn, design = "lhs", points = 4 }, key {
      over = { rps = td.range { from = 1.0, to = 9.0, log = true } }, design = "lhs", points = 4 })
  end)

  it("is simulated point by point, each with its own changes", function()
    local one = made { over = { { "rps", { 10, 20 } }, { "kind", { "L40" } },
      { "pipeline.work.time", { td.exponential "5ms" } } }, replications = 4, seed = 6,
      metrics = { "latency.p50" } }
    assert.same({ base = 1, seed = 6, replications = 4, first = 0, metrics = { "latency.p50" },
      set = { rps = 20, gpu = "L40", ["pipeline.work.time"] = { ["$"] = 1 } } }, study.job(one, 2))
    local listed = made { points = { { rps = 1 }, { gpus = 2 } } }
    assert.same({ gpus = 2 }, study.job(listed, 2).set)
    assert.same({ rps = 1 }, study.point(listed, 1))
  end)
end)

describe("the key of a value", function()
  it("tells values, what they reach, and that they reach themselves", function()
    local shared = { 1 }
    local loop = {}
    loop.me = loop
    for wanted, value in pairs {
      ["{1=1,2=2,}"] = { 1, 2 }, ["{1={1=1,},2=#2,}"] = { shared, shared },
      ["{\"me\"=#1,}"] = loop,
    } do assert.equal(wanted, (keys.text(value):gsub("'", '"'))) end
    assert.equal(keys.text { a = 1, b = 2 }, keys.text { b = 2, a = 1 })
    local function adds(n) return function(x) return x + n end end
    assert.equal(keys.text(adds(1)), keys.text(adds(1)))
    assert.not_equal(keys.text(adds(1)), keys.text(adds(2)))
    assert.not_equal(keys.text(adds(1)), keys.text(function(x) return x end))
    assert.equal("function native", keys.text(print))
    assert.equal("td", keys.text(setmetatable({ __tandem = true }, {})))
    assert.matches("^{table=", keys.text { [{}] = 1 })
    assert.equal("thread", keys.text(coroutine.create(print)))
    -- Globals are the same for all: they tell nothing.
    assert.is_nil(keys.text(function() return math end):find("sqrt", 1, true))
    assert.equal(16, #keys.digest { "a", "b" })
    assert.not_equal(keys.digest { "ab" }, keys.digest { "a", "b" })
  end)
end)

describe("a design by its generator", function()
  -- splitmix64 as published: the n-th output of a seed.
  local function mix(seed, n) return core.mix(seed + n * 0x9E3779B97F4A7C15) end
  local function fraction(seed, n) return (mix(seed, n) >> 11) / 2 ^ 53 end
  local function seed_of(seed, name)
    local h = mix(seed, 1)
    for i = 1, #name do h = mix(h ~ name:byte(i), 1) end
    return h
  end
  local list = { { name = "x", dim = "1", range = range.read(td.range(2.0, 6.0)) },
    { name = "kind", dim = "1", values = { { value = "a" }, { value = "b" }, { value = "c" } } } }

  it("draws points, each by its number", function()
    local one = design.random(list, 50, 9)
    for _, number in ipairs { 1, 2, 50 } do
      local point = one.point(number)
      assert.near(2 + 4 * fraction(seed_of(9, "x"), number), point[1].value, 1e-10)
      assert.equal(({ "a", "b", "c" })[math.floor(3 * fraction(seed_of(9, "kind"), number)) + 1],
        point[2].value)
    end
    assert.same({ "random", 50 }, { one.kind, one.count })
  end)

  it("shuffles strata and draws inside them", function()
    local count, own = 7, seed_of(3, "x")
    local order = {}
    for k = 1, count do order[k] = k - 1 end
    for k = count, 2, -1 do
      local other = 1 + math.floor(fraction(own, count + k) * k)
      order[k], order[other] = order[other], order[k]
    end
    local one, seen = design.lhs(list, count, 3), {}
    for number = 1, count do
      local share = (order[number] + fraction(own, number)) / count
      assert.near(2 + 4 * share, one.point(number)[1].value, 1e-10)
      seen[math.floor((one.point(number)[1].value - 2) / 4 * count) + 1] = true
    end
    assert.equal(count, #seen)
  end)

  it("counts combinations, up to ten million", function()
    local function axis(count)
      local out = { values = {} }
      for i = 1, count do out.values[i] = i end
      return out
    end
    local one = design.grid { axis(2), axis(3), axis(2) }
    assert.same({ 12, { 1, 1, 1 }, { 1, 1, 2 }, { 1, 2, 1 }, { 2, 3, 2 } }, { one.count,
      one.point(1), one.point(2), one.point(3), one.point(12) })
    assert.equal(10000000, design.grid({ axis(2500), axis(4000) }).count)
    assert.same({ nil, "a grid of 2501 × 4000 × 3 points is more than 10000000; take fewer "
      .. "values, or design = \"lhs\" with points = 1000" }, { design.grid { axis(2501),
        axis(4000), axis(3) } })
  end)
end)

describe("a sweep on paper", function()
  local function swept(options, answer_of)
    local backend, asked = paper.backend(answer_of)
    options.scenario, options.backend = options.scenario or base(), backend
    return td.sweep(options), asked
  end

  it("asks for each point once, and tells how far it is", function()
    local told = {}
    local s, asked = swept({ over = { rps = { 10, 20, 30 } }, replications = 2,
      progress = function(done, total, failed)
        told[#told + 1] = ("%d/%d/%d"):format(done, total, failed)
      end, report = function() end }, function(one)
        if one.set.rps == 20 then return { message = "no" } end
        return { ["latency.p50"] = { one.set.rps, 0 } }
      end)
    assert.same({ "1/3/0", "2/3/1", "3/3/1" }, told)
    assert.same({ 10, 20, 30 }, { asked[1].set.rps, asked[2].set.rps, asked[3].set.rps })
    assert.same({ 10, 30 }, (s:column "rps"))
    assert.same({ 3, 0 }, { s.points, s.reused })
  end)

  it("tells of failing points by their reasons, ten at most", function()
    local function told(reasons, each)
      local out, values = {}, {}
      for i = 1, reasons * each do values[i] = i end
      swept({ over = { rps = values }, report = function(line) out[#out + 1] = line end },
        function(one) return { message = "reason " .. (one.set.rps - 1) // each } end)
      return out
    end
    assert.same({ "point 1 (rps 1) failed: reason 0" }, told(1, 1))
    assert.same({ "point 1 (rps 1) and 1 more failed: reason 0",
      "point 3 (rps 3) and 1 more failed: reason 1" }, told(2, 2))
    assert.equal("point 1 (rps 1) and 2 more failed: reason 0", told(1, 3)[1])
    assert.equal(10, #told(10, 1))
    local many = told(12, 1)
    assert.same({ 11, "… and 2 more reasons" }, { #many, many[11] })
  end)

  it("submits no more than it has room for", function()
    local most, open = 0, 0
    local waiting = {}
    local backend = { size = 3, give = function(_, number)
      open = open + 1
      most = math.max(most, open)
      table.insert(waiting, number)
    end, take = function()
      open = open - 1
      return table.remove(waiting, 1), json.exact { ok = true, metrics = {} }
    end, close = function() end }
    local values = {}
    for i = 1, 60 do values[i] = i end
    local s = td.sweep { scenario = base(), over = { rps = values }, backend = backend }
    assert.same({ 22, 60 }, { most, #s.rows })
  end)

  it("stops at the trouble of whoever simulates", function()
    local one = study.new { scenario = base(), over = { rps = { 1, 2 } } }
    local result, message, code = sweep.run(one, { backend = { size = 1, give = function() end,
      take = function() return nil, "everybody is gone" end, close = function() end } })
    assert.same({ nil, "everybody is gone", 4 }, { result, message, code })
    local stopped = sweep.run(one, { backend = { size = 1, give = function() end,
      take = function() return nil, "interrupted" end, close = function() end } })
    assert.is_true(stopped.interrupted)
    local number = 0
    local some = sweep.run(one, { backend = { size = 1, give = function() end,
      take = function()
        number = number + 1
        return number, json.exact { ok = false, interrupted = true, metrics = {} }
      end, close = function() end } })
    assert.same({ true, 0, 0 }, { some.interrupted, #some.rows, #some.failed })
    assert.has_error(function() td.sweep(3) end,
      "td.sweep wants a table: td.sweep { scenario = …, over = { … } }")
  end)
end)

describe("a crew by hand", function()
  it("counts what is out and what is done, and hands tags back", function()
    local given = {}
    local team = crew.open { scenarios = { base() }, backend = { size = 2,
      give = function(_, number, text) given[#given + 1] = { number, json.read_exact(text) } end,
      take = function()
        local one = table.remove(given, 1)
        if one[2].fail then return one[1], nil, "it broke" end
        return one[1], json.exact { ok = true, metrics = { x = one[2].x } }
      end, close = function() end } }
    assert.same({ 2, 0, 0 }, { team.size, team.outstanding, team.done })
    team:submit({ x = 1, set = {} }, "first")
    team:submit { x = 2, set = {} }
    team:submit({ fail = true, set = {} }, false)
    assert.same({ 3, 0 }, { team.outstanding, team.done })
    assert.same({ "first", { ok = true, metrics = { x = 1 } } }, { team:next() })
    assert.same({ 2, 1 }, { team.outstanding, team.done })
    assert.same({ 2, { ok = true, metrics = { x = 2 } } }, { team:next() })
    assert.same({ false, { ok = false, message = "it broke", metrics = {} } }, { team:next() })
    assert.same({ nil, "empty" }, { team:next() })
    assert.same({ 0, 3 }, { team.outstanding, team.done })
    assert.has_error(function() crew.open { scenarios = { {} } } end, "a crew wants scenarios")
  end)

  it("sends what jobs refer to along where the work is elsewhere", function()
    local sent
    local team = crew.open { scenarios = { base() }, values = { { type = "exponential" } },
      backend = { size = 1, remote = true, give = function(_, _, text)
        sent = json.read_exact(text)
      end, take = function() end, close = function() end } }
    team:submit { base = 1, set = { a = { ["$"] = 1 }, b = 5, c = "x" } }
    assert.same({ base = 1, set = { a = { ["#"] = { type = "exponential" } }, b = 5, c = "x" } },
      sent)
  end)

  it("has all processors where nobody says how many", function()
    for _, threads in ipairs { 0, 2 } do
      local team <close> = crew.open { scenarios = { base() }, threads = threads }
      assert.equal(threads == 0 and core.processors() or 2, team.size)
    end
    local team <close> = crew.open { scenarios = { base() } }
    assert.equal(core.processors(), team.size)
    local alone <close> = crew.open { scenarios = { base() }, threads = 1 }
    assert.equal(1, alone.size)
  end)
end)

describe("a job's figures", function()
  local result = { requests = 7, overload = { load = 2 }, classes = {
    { name = "a", arrived = 90, dropped = 9, slo = { { metric = "p99", value = { value = 1 } },
      { metric = "met", value = { value = 0.5 } } } },
    { name = "b", arrived = 10, timed_out = 1, slo = { { metric = "p99",
      value = { value = 3 } } } },
    { name = "c" } },
    llm = { { ttft = { p99 = { value = 4 } }, tpot = { p99 = { value = 5 } },
      output_tokens_per_s = { value = 6 } } },
    bottleneck = function() return "gpu", 0.75 end, verdicts = function() return {} end,
    find = function(_, path)
      return ({ number = 8, estimate = { value = 9, half = 1 }, list = { 1, 2 }, word = "x" })[path]
    end }

  it("are of the result, or computed from it", function()
    local function figure(path) return job.figure(result, path, base()) end
    for path, wanted in pairs {
      utilization = { value = 0.75 }, overload = true, unsettled = false, requests = { value = 7 },
      lost = { value = 0.1 }, ["classes.a.lost"] = { value = 0.1 },
      ["classes.b.lost"] = { value = 0.1 }, ["classes.c.lost"] = { value = 0 },
      ["classes.b.slo.p99"] = { value = 3 }, ["slo.p99"] = { value = 1 },
      ["slo.met"] = { value = 0.5 }, ttft_p99 = { value = 4 }, tpot_p99 = { value = 5 },
      output_tokens_per_s = { value = 6 }, number = { value = 8 },
      estimate = { value = 9, half = 1 }, word = "x", gpus = { value = 1 }, watts = { value = 350 },
    } do assert.same(wanted, figure(path), path) end
    for _, path in ipairs { "list", "nothing", "met", "classes.b.slo.met", "slo.p50",
      "usd_per_million_tokens" } do assert.is_nil(figure(path)) end
    assert.equal(1.58, figure("usd_per_hour").value)
    assert.is_true(job.figure({ unsettled = {} }, "unsettled"))
    assert.is_false(job.figure({}, "overload"))
    assert.is_nil(job.figure({}, "ttft_p99"))
  end)

  it("are the usual ones, of LLM servers more", function()
    assert.equal(job.metrics, job.usual(base()))
    assert.is_true(job.is_usual(job.metrics))
    assert.is_false(job.is_usual { "latency.p99" })
  end)

  it("are told with what went wrong", function()
    local failing = job.run({ base() }, nil, { base = 1, set = { gpu = "L4O" }, seed = 1,
      replications = 1 })
    assert.is_false(failing.ok)
    assert.matches("unknown GPU 'L4O'", failing.message)
    assert.is_nil(failing.message:find "\n")
    local done = job.run({ base() }, { td.exponential "5ms" }, { base = 1, seed = 3,
      replications = 2, first = 4, values = true, metrics = { "latency.mean", "overload" },
      set = { requests = 200, ["pipeline.work.time"] = { ["$"] = 1 } } })
    local alone = base():with { requests = 200, ["pipeline.work.time"] = td.exponential "5ms" }
      :run { seed = 3, replications = 2, first = 4, values = true }
    assert.same({ value = alone.latency.mean.value, half = alone.latency.mean.half,
      needs = alone.latency.mean.needs }, done.metrics["latency.mean"])
    assert.same(alone.latency.mean.values, done.values["latency.mean"])
    assert.is_false(done.metrics.overload)
    assert.is_nil(done.values.overload)
    local function stopped(code)
      local scenario = { run = function() return nil, "one\n  two", code end }
      return job.run({ scenario }, nil, { base = 1, seed = 1, replications = 1 })
    end
    assert.same({ ok = false, message = "one; two", interrupted = true, metrics = {} },
      stopped(130))
    assert.same({ ok = false, message = "one; two", metrics = {} }, stopped(3))
    local plain = job.run({ base() }, nil, { base = 1, seed = 3, replications = 1, set = {
      requests = 100, ["pipeline.work.time"] = { ["#"] = { type = "exponential", mean = 0.005 } } },
      metrics = { "requests" } })
    assert.is_nil(plain.values)
    assert.is_true(plain.ok, plain.message)
  end)
end)

describe("a metric's check", function()
  it("asks variants until one has it", function()
    local asked = 0
    local function scenarios()
      return function()
        asked = asked + 1
        return asked <= 3 and base() or nil
      end
    end
    assert.is_nil(metrics.check({ "latency.p99", "lost" }, scenarios()))
    assert.equal(1, asked)
    asked = 0
    assert.is_nil(metrics.check({ "stages.work.wait.mean" }, scenarios()))
    assert.equal(2, asked)
    asked = 0
    assert.equal("there is no metric 'p99'; did you mean 'latency.p99'?",
      metrics.check({ "p99" }, scenarios()))
    assert.equal(4, asked)
    asked = 0
    assert.equal("there is no metric 'stages.wrok.wait.mean'; did you mean "
      .. "'stages.work.wait.mean'?", metrics.check({ "stages.wrok.wait.mean" }, scenarios()))
    asked = 0
    assert.matches("^there is no metric 'zzzzzzzzzz'; the usual ones are offered_rps, ",
      metrics.check({ "zzzzzzzzzz" }, scenarios()))
  end)
end)

describe("the axis batch", function()
  local axes = require "tandem.sweep.axes"
  local function path(pipeline)
    return { axes.path(base { cpu = 1, pipeline = pipeline }, "batch") }
  end
  it("is of the one step on the GPU", function()
    local function on(name, station) return td.stage (name) { on = station, cost = "1ms" } end
    assert.same({ "pipeline.a.batch" }, path { on("a", "gpu"), on("b", "cpu") })
    assert.same({ nil, "batch: which step? Write pipeline.NAME.batch" }, path { on("b", "cpu") })
    assert.same({ nil, "batch: which step? one of pipeline.a.batch, pipeline.b.batch" },
      path { on("a", "gpu"), on("b", "gpu") })
    assert.same({ "gpu" }, { axes.path(base(), "kind") })
    assert.same({ "rps" }, { axes.path(base(), "rps") })
  end)
end)

describe("a range's end", function()
  it("is as it was written, to the last bit", function()
    local third = range.values(range.read(td.range(0.0, 1 / 3, 3)))
    assert.equal(1 / 3, third[3])
    local from = range.values(range.read(td.range(1 / 3, 1.0, 3)))
    assert.equal(1 / 3, from[1])
    assert.equal(0.666666666667, from[2])
  end)
end)

describe("a batch script's edges", function()
  local function script(options)
    options.command, options.tasks = options.command or { "tandem", "sweep", "x.lua" },
      options.tasks or 2
    local text, problem = slurm.script(options)
    return text or problem
  end
  local function line(options, key)
    return script(options):match("#SBATCH %-%-" .. key .. "=(%S+)")
  end

  it("are what Slurm can take", function()
    assert.equal(("n"):rep(200), line({ name = ("n"):rep(200) }, "job%-name"))
    assert.matches("is not a name that Slurm takes", script { name = ("n"):rep(201) })
    assert.equal("0-3999999", line({ tasks = 4000000 }, "array"))
    assert.equal("tasks: 4000001 is not a number of parts from 1 to 4000000",
      script { tasks = 4000001 })
    assert.equal("tasks: 0 is not a number of parts from 1 to 4000000", script { tasks = 0 })
    assert.equal("0-0", line({ tasks = 1.0 }, "array"))
    assert.equal("65536", line({ cpus = 65536 }, "cpus%-per%-task"))
    assert.equal("cpus: 65537 is not a number of processors, 1 or more", script { cpus = 65537 })
    assert.equal("cpus: 0 is not a number of processors, 1 or more", script { cpus = 0 })
    assert.equal("00:00:01", line({ time = "1ms" }, "time"))
    assert.equal("23:59:59", line({ time = "86399s" }, "time"))
    assert.equal("1-00:00:00", line({ time = "24h" }, "time"))
    assert.equal("1-01:01:01", line({ time = "90061s" }, "time"))
    assert.matches("^time: \"0s\" is not a time limit", script { time = "0s" })
    assert.matches("^time: \"1000000000s\" is not a time limit", script { time = "1000000000s" })
    assert.matches("^time: \"90\" is not a time limit", script { time = "90" })
    assert.matches("^time: 90 is not a time limit", script { time = 90 })
    assert.equal("1G", line({ memory = "1GiB" }, "mem"))
    assert.equal("1025M", line({ memory = "1025MiB" }, "mem"))
    assert.equal("1M", line({ memory = "1B" }, "mem"))
    assert.matches("^memory: \"0B\" is not a size", script { memory = "0B" })
    assert.matches("^memory: 4 is not a size", script { memory = 4 })
    assert.equal("a,b", line({ partition = "a,b" }, "partition"))
    assert.equal("name: \"a b!\" is not a name that Slurm takes (letters, digits, . _ -); for "
      .. "example \"a-b\"", script { name = "a b!" })
    assert.equal("name: \"!!\" is not a name that Slurm takes (letters, digits, . _ -)",
      script { name = "!!" })
    assert.equal("store: \"a/\" is not the name of a file; for example \"sweep.db\"",
      script { store = "a/" })
    assert.equal("command: word 2 is 3, not a text", script { command = { "a", 3 } })
    assert.matches("^command: wanted the words", script { command = {} })
    assert.equal("stoer: unknown option; did you mean 'store'?", script { stoer = "x" })
  end)

  it("say one part, or which again", function()
    assert.matches("A sweep in 1 part,", script { tasks = 1 }, 1, true)
    assert.matches("A sweep in 2 parts,", script { tasks = 2 }, 1, true)
    assert.matches("--array=0 THIS_FILE", script { tasks = 4 }, 1, true)
    assert.matches("--array=1,4 THIS_FILE", script { tasks = 5 }, 1, true)
    assert.matches("merge --into sweep.db sweep-0.db\n", script { tasks = 1 }, 1, true)
    assert.matches("merge --into sweep.db sweep-{0..1}.db\n", script { tasks = 2 }, 1, true)
    assert.matches("merge --into d/s d/s-{0..1}\n", script { store = "d/s" }, 1, true)
    assert.matches('--store "d/s-${SLURM_ARRAY_TASK_ID}"', script { store = "d/s" }, 1, true)
    assert.matches('--store "d.e/.s-${SLURM_ARRAY_TASK_ID}"', script { store = "d.e/.s" }, 1, true)
  end)

  it("wrap the command at a hundred columns, options with their words", function()
    local command = { "tandem", "--verbose", "--set", "a=1" }
    for i = 1, 12 do command[#command + 1] = ("word%02d-%s"):format(i, ("x"):rep(i)) end
    local text = script { command = command }
    assert.matches("\nexec tandem --verbose --set a=1 word01", text, 1, true)
    local longest = 0
    for one in text:gmatch "[^\n]+" do
      if one:find "^exec" or one:find "^  word" then longest = math.max(longest, #one) end
    end
    assert.is_true(longest <= 100 and longest > 80, longest)
    -- The backslash that goes on has to fit, too.
    assert.matches("\nexec tandem y+ \\\n  %-%-shard", script { command = { "tandem",
      ("y"):rep(86) } })
    assert.matches("\nexec tandem \\\n  y+ \\\n", script { command = { "tandem",
      ("y"):rep(87) } })
  end)

  it("name parts from 0", function()
    assert.same({ 3, 16 }, { slurm.shard "3/16" })
    assert.same({ 0, 1 }, { slurm.shard "0/1" })
    assert.same({ nil, "'4/4': parts count from 0, so the last of 4 is 3/4" },
      { slurm.shard "4/4" })
    assert.same({ nil, "'0/0': there are no parts" }, { slurm.shard "0/0" })
    assert.same({ nil, "'x' is not a part of a sweep; write INDEX/COUNT, such as 3/16" },
      { slurm.shard "x" })
  end)
end)

describe("rank 0 by hand", function()
  -- Two or more other ranks that are told jobs and say what the test says.
  local function play(size, recovery, options)
    local inbox, sent, dead, listened = {}, {}, {}, {}
    for rank = 1, size - 1 do sent[rank] = {} end
    local backend = mpi.backend({ rank = 0, size = size, recovery = recovery or false,
      transport = {
        send = function(rank, message)
          if dead[rank] then return nil, "gone", rank end
          table.insert(sent[rank], message:sub(1, 1) == "j" and ("<i8"):unpack(message, 2)
            or message)
          return true
        end,
        receive = function(seconds)
          listened[#listened + 1] = seconds
          local one = table.remove(inbox, 1)
          if not one then return nil, "timeout" end
          return table.unpack(one, 1, 3)
        end, drain = function() end, finalize = function() end } }, options)
    return backend, sent, function(rank, number, text)
      inbox[#inbox + 1] = { rank, "a" .. ("<i8"):pack(number) .. (text or "") }
    end, inbox, dead, listened
  end

  it("knows how many jobs the others would still take", function()
    local backend, _, say, inbox = play(3, false, { ahead = 3 })
    assert.same({ 2, 6, 6 }, { backend.size, backend.capacity, backend.slots })
    for number = 1, 4 do backend:give(number, "") end
    assert.same({ 2, 4 }, { backend.slots, backend.unanswered })
    say(1, 1)
    assert.equal(1, (backend:take(0)))
    assert.same({ 3, 3 }, { backend.slots, backend.unanswered })
    -- A rank that is lost takes its room with it.
    inbox[1] = { 2, "b" }
    backend:take(0)
    assert.equal(3 - backend.held[1], backend.slots)
    assert.is_nil(backend.held[2])
    local working = play(3, false, { work = string.upper })
    assert.same({ 3, 5 }, { working.size, working.capacity })
  end)

  it("hears from another rank what was done, and what failed", function()
    local function told(number, text) return { 0, "j" .. ("<i8"):pack(number) .. text } end
    local inbox, sent = { told(7, "a"), told(8, "no"), { nil, "timeout" }, { nil, "timeout" },
      { 0, "s" } }, {}
    local ended = table.pack(mpi.serve({ rank = 1, size = 2, transport = {
      send = function(rank, message)
        sent[#sent + 1] = { rank, message:sub(1, 1), #message > 1 and ("<i8"):unpack(message, 2)
          or nil, #message > 1 and message:sub(10) or nil }
        return true
      end,
      receive = function() return table.unpack(table.remove(inbox, 1), 1, 2) end,
      drain = function() end, finalize = function() end } }, function(text)
      if text == "no" then error("cannot", 0) end
      return text:upper()
    end))
    assert.same({ { 0, "a", 7, "A" }, { 0, "f", 8, "cannot" }, { 0, "b" } }, sent)
    assert.is_true(ended[1])
  end)

  it("gives each rank one before any has two", function()
    local backend, sent = play(4)
    for number = 1, 7 do backend:give(number, "") end
    assert.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, sent)
    assert.equal(0, backend.slots)
    -- The last waits for a rank: this one has no work of its own.
    assert.same({ nil, "timeout" }, { backend:take(0) })
    assert.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, sent)
  end)

  it("listens for a glance where it has nothing to compute, and not at all where it has", function()
    local backend, _, say, _, _, listened = play(2, false, { work = string.upper })
    backend:give(1, "")
    say(1, 1)
    backend:take(5)
    assert.is_true(listened[1] > 0 and listened[1] < 5)
    for number = 2, 4 do backend:give(number, "a") end
    assert.same({ 4, "A" }, { backend:take(5) })
    assert.same({ n = 2, listened[1], 0 }, table.pack(table.unpack(listened)))
  end)

  it("repeats the oldest overdue job, the first of those of one time", function()
    local clock = core.clock
    local backend, sent, say = play(4, true)
    for number = 1, 3 do backend:give(number, "") end
    backend.jobs[1].began_s, backend.jobs[2].began_s = clock() - 9, clock() - 10
    backend.jobs[3].began_s = backend.jobs[2].began_s
    say(1, 1)
    assert.equal(1, (backend:take(0)))
    backend.longest_s = 0
    backend:take(0)
    assert.same({ { 1, 2 }, { 2 }, { 3 } }, sent)
    assert.equal(2, #backend.jobs[2].holders)
    -- Nobody is idle now: nothing is repeated.
    backend:take(0)
    assert.same({ { 1, 2 }, { 2 }, { 3 } }, sent)
  end)

  it("repeats the oldest whatever its number", function()
    local numbers <const> = { 1000, 7, 500, 3 }
    local function repeated(ages)
      local backend, sent = play(6, true)
      local now = core.clock()
      for i, number in ipairs(numbers) do
        backend:give(number, "")
        backend.jobs[number].began_s = now - 10 - ages[i]
      end
      backend.longest_s = 0
      backend:take(0)
      return sent[5][1]
    end
    for i, number in ipairs(numbers) do
      local ages = { 1, 2, 3, 4 }
      ages[i] = 9
      assert.equal(number, repeated(ages))
    end
    assert.equal(3, repeated { 9, 9, 9, 9 })
    assert.equal(7, repeated { 9, 9, 9, 1 })
    assert.equal(500, repeated { 9, 1, 9, 1 })
  end)

  it("waits three times as long as jobs have taken, a second at least", function()
    local backend, sent, say = play(3, true)
    backend:give(1, "")
    backend:give(2, "")
    say(2, 2)
    backend:take(0)
    -- Its clock stands still: however busy the machine is, no time goes by.
    local clock <const> = core.clock
    local _ <close> = setmetatable({}, { __close = function() core.clock = clock end })
    core.clock = function() return 100 end
    local function repeated(age_s, longest_s)
      backend.jobs[1].began_s, backend.longest_s = 100 - age_s, longest_s
      backend:take(0)
      return #sent[2] == 2
    end
    assert.is_false(repeated(0.99, 0.01))
    assert.is_false(repeated(8.99, 3))
    assert.is_true(repeated(9.01, 3))
  end)
end)
