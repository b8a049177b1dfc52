-- Lowering whole scenarios: the demo's exact model table, fleets, shared links, memories.

local td = require "tandem"

local own = { flops = 1e14, bandwidth = 1e12, h2d = 32e9, d2h = 32e9, ms_per_token = 0.2,
  memory = "80GB" }

local function gpu(name, extra)
  local body = {}
  for k, v in pairs(own) do body[k] = v end
  for k, v in pairs(extra or {}) do body[k] = v end
  return td.gpu(name)(body)
end

local function model(raw)
  raw.name = raw.name or "p"
  raw.workload = raw.workload or td.poisson(1)
  local s, problems = td.check(raw)
  assert.equal("no problems", tostring(problems))
  return s:model()
end

describe("lower", function()
  it("lowers the demo", function()
    local m = model { name = "demo", workload = td.poisson { rps = 2, duration = "10s" },
      target = gpu("mine", { concurrency = 4 }), pipeline = {
        td.fixed "preprocess" { time = "2ms", jitter = 0.05 },
        td.transfer "h2d" { bytes = "8MiB" },
        td.tokens "compute" { tokens = 128 },
        td.transfer "d2h" { bytes = "2MiB" },
        td.fixed "postprocess" { time = "1ms" },
      }, slo = { p99 = "250ms" } }
    m.gpus[1].params = nil
    assert.same({
      name = "demo", duration = 10, attrs = {}, links = {}, memories = {}, groups = {},
      gpus = { { name = "mine", kind = "mine" } },
      stations = {
        { name = "cpu", lane = "CPU", servers = math.huge, discipline = "fifo" },
        { name = "mine h2d", lane = "H2D", gpu = 1, servers = 1, discipline = "fifo" },
        { name = "mine gpu", lane = "GPU", gpu = 1, servers = 4, discipline = "fifo" },
        { name = "mine d2h", lane = "D2H", gpu = 1, servers = 1, discipline = "fifo" },
      },
      classes = { { name = "default", priority = 0, attrs = {}, slo_s = 0.25,
        arrivals = { kind = "renewal", gap = { dist = "exponential", mean = 0.5 } },
        slo = { { metric = "p99", limit = 0.25 } },
        route = {
          { op = "serve", name = "preprocess", lane = "CPU", station = 1, cost = 0.002,
            jitter = { dist = "normal", mean = 1, sd = 0.05, min = 0 } },
          { op = "serve", name = "h2d", lane = "H2D", station = 2, cost = 8388608 / 32e9,
            bytes = 8388608 },
          { op = "serve", name = "compute", lane = "GPU", station = 3, cost = 128 * 0.0002 },
          { op = "serve", name = "d2h", lane = "D2H", station = 4, cost = 2097152 / 32e9,
            bytes = 2097152 },
          { op = "serve", name = "postprocess", lane = "CPU", station = 1, cost = 0.001 },
        } } },
    }, m)
  end)

  it("gives every GPU of a fleet its stations, and routes once", function()
    local m = model { target = td.fleet { gpu("A", { count = 2 }), gpu("B", { ms_per_token = 0.4,
      mtbf = "1h", mttr = td.exponential "60s" }), router = "weighted", weights = { 1, 1, 2 } },
      pipeline = { td.fixed "a" { time = 1 }, td.transfer "h2d" { bytes = 32e9 },
        td.tokens "t" { tokens = 10 }, td.hold { memory = 1, td.transfer "d2h" { bytes = 1 } } },
      }
    assert.equal(nil, m.classes[1].route[5] and m.classes[1].route[5].station)
    assert.same({ "A#1", "A#2", "B" }, { m.gpus[1].name, m.gpus[2].name, m.gpus[3].name })
    assert.equal(10, #m.stations)
    assert.equal("A#2 gpu", m.stations[6].name)
    assert.equal(2, m.stations[6].gpu)
    assert.same({ { name = "gpu", members = { 1, 2, 3 }, router = "weighted",
      weights = { 1, 1, 2 } } }, m.groups)
    local route = m.classes[1].route
    assert.equal("serve", route[1].op)
    assert.same({ op = "route", group = 1 }, route[2])
    assert.same({ op = "serve", name = "h2d", lane = "H2D", role = "h2d", gpus = 1, cost = 1,
      bytes = 32e9 }, route[3])
    assert.same({ "mul", 10, { "gpu", "time_per_token" } }, route[4].cost)
    assert.same({ op = "seize", name = "hold", role = "memory", bytes = 1 }, route[5])
    assert.same({ dist = "constant", value = 3600 }, m.gpus[3].mtbf)
    assert.equal(0.0004, m.gpus[3].params.time_per_token)
  end)

  it("routes before a branch that needs a GPU inside", function()
    local m = model { target = gpu("A", { count = 2 }), pipeline = {
      td.branch { { p = 0.5, td.tokens "t" { tokens = 1 } }, {} } } }
    assert.same({ "route", "branch" }, { m.classes[1].route[1].op, m.classes[1].route[2].op })
    assert.equal("round_robin", m.groups[1].router)
  end)

  it("shares a link: bytes instead of seconds, one link a direction", function()
    local m = model { target = td.fleet { gpu("A", { count = 2 }),
      link = td.link "pcie" { bandwidth = "50GB/s" } },
      pipeline = { td.transfer "h2d" { bytes = 5, latency = "1us" },
        td.transfer "d2h" { bytes = 6 } } }
    assert.same({ { name = "pcie h2d", bandwidth = 50e9 },
      { name = "pcie d2h", bandwidth = 50e9 } }, m.links)
    assert.equal(1, m.stations[1].link)
    assert.equal(2, m.stations[2].link)
    assert.equal(1, m.stations[3].link)
    assert.equal(32e9, m.stations[1].rate)
    local route = m.classes[1].route
    assert.equal("delay", route[2].op)
    assert.equal(5, route[3].cost)
    m = model { target = gpu("A", {
      link = td.link "pcie" { bandwidth = "8GB/s", shared = false } }),
      pipeline = { td.transfer "h2d" { bytes = 8e9 } } }
    assert.same({}, m.links)
    assert.equal(1, m.classes[1].route[1].cost)
    m = model { resources = { td.link "net" { bandwidth = "1GB/s", duplex = false } },
      pipeline = { td.transfer "x" { bytes = 7, on = "net" } } }
    assert.same({ { name = "net", lane = "OTHER", servers = math.huge, discipline = "fifo",
      link = 1 } }, m.stations)
    assert.equal(7, m.classes[1].route[1].cost)
  end)

  it("builds pools, memories, queues and disciplines", function()
    local m = model { cpu = { workers = 4, queue = 10 }, target = gpu("A", { discipline = "ps",
      concurrency = 8, queue = 5, memory = "1GB", copy_engines = 2 }),
      resources = { td.pool "db" { servers = 3, discipline = "preempt", queue = 0 },
        td.memory "kv" { bytes = "2GB" } },
      pipeline = { td.fixed "a" { time = 1 }, td.stage "q" { on = "db", cost = 1 },
        td.transfer "h2d" { bytes = 1 }, td.hold { on = "kv", memory = 1,
          td.stage "c" { cost = 1 } }, td.hold "g" { memory = 2, td.stage "d" { cost = 1 } } } }
    assert.same({ name = "cpu", lane = "CPU", servers = 4, queue = 10, discipline = "fifo" },
      m.stations[1])
    assert.equal(2, m.stations[2].servers)
    assert.same({ name = "A gpu", lane = "GPU", gpu = 1, servers = 8, queue = 5,
      discipline = "ps" }, m.stations[3])
    assert.same({ name = "db", lane = "OTHER", servers = 3, queue = 0, discipline = "preempt" },
      m.stations[4])
    assert.same({ { name = "A memory", gpu = 1, bytes = 1e9 }, { name = "kv", bytes = 2e9 } },
      m.memories)
  end)

  it("carries classes, hooks and objectives", function()
    local arrival, tick, admit = function() end, function() end, function() end
    local m = model { on = { arrival = arrival, tick = tick, every = "2s" }, admit = admit,
      cpu = 1, attrs = { tokens = td.uniform(1, 9) }, slo = { p99 = "1s", p50 = "200ms" },
      workload = td.poisson(3),
      classes = { { name = "a", priority = 2, patience = "5s", timeout = td.exponential "9s",
        retry = { max = 3 }, attrs = { size = 4 }, slo = { deadline = "3s", goodput = 2 } },
        { name = "b", workload = td.paced(1), pipeline = "shared" } },
      pipeline = { td.fixed "x" { time = 1 } } }
    assert.same({ arrival = arrival, tick = tick, tick_s = 2, admit = admit }, m.hooks)
    local a, b = m.classes[1], m.classes[2]
    assert.equal(2, a.priority)
    assert.same({ dist = "constant", value = 5 }, a.patience)
    assert.same({ dist = "exponential", mean = 9 }, a.timeout)
    assert.same({ max = 3, backoff = 0.1, factor = 2, jitter = 0.5 }, a.retry)
    assert.equal(3, a.slo_s)
    assert.same({ { metric = "goodput", limit = 2 } }, a.slo)
    assert.equal(1, b.slo_s)
    assert.same({ { metric = "p50", limit = 0.2 }, { metric = "p99", limit = 1 } }, b.slo)
    assert.same({ "draw", { dist = "uniform", min = 1, max = 9 } }, a.attrs.tokens)
    assert.equal(4, a.attrs.size)
    assert.same({ "size", "tokens" }, m.attrs)
  end)

  it("is the same table every time", function()
    local function build()
      return model { target = td.fleet { gpu("A"), gpu("B") }, attrs = { a = 1, b = 2, c = 3 },
        pipeline = { td.stage "s" { cost = function(r)
          return r.a * r.b / r.gpu.flops + r.c
        end } } }
    end
    assert.same(build(), build())
  end)
end)

describe("attributes that read each other", function()
  local function with(attrs, extra)
    local raw = { name = "a", workload = td.paced { rps = 1, requests = 4 }, attrs = attrs,
      warmup = "none", pipeline = { td.delay "d" { time = "r.a * 1.0" } } }
    for k, v in pairs(extra or {}) do raw[k] = v end
    return td.check(raw)
  end

  it("are worked out in their order, in both engines", function()
    local attrs = { a = "r.b + 1", b = "r.z * 2", z = 5 }
    assert.equal(11, assert(with(attrs)):run():get "latency.mean")
    assert.equal(11, assert(with(attrs, { pipeline = { td.loop { times = 1,
      td.delay "d" { time = "r.a * 1.0" } } } })):run():get "latency.mean")
    assert.equal(15, assert(with({ a = "r.b + 1" }, { workload = td.replay { rows = {
      { arrival = 0, b = 14 } } } })):run():get "latency.mean")
  end)

  it("must not go round", function()
    local _, problems = with { a = "r.b + 1", b = "r.c * 2", c = "r.a" }
    assert.matches("attrs: 'a', 'b', 'c' read each other", tostring(problems), 1, true)
    _, problems = with { a = "r.a + 1" }
    assert.matches("attrs: 'a' reads itself", tostring(problems), 1, true)
    -- A table that nobody checked does not crash the engine.
    local m = assert(with { a = "r.b + 1", b = 2 }):model()
    m.attrs = { "a", "b" }
    local ok, message = require("tandem.core").run(m, { replications = 1 })
    assert.is_nil(ok)
    assert.matches("reads itself or an attribute that stands after it", message, 1, true)
  end)
end)
