-- The load of a run as rows and as CSV, and scenarios simulated under it.
local replayed = require "tandem.visits.replayed"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"
local visits = require "tandem.visits"

-- Three requests at 1, 1.5 and 3.25 s; the second moves no bytes.
local function three(fields)
  local body = { kind = "measured", stages = { { name = "h2d", lane = "H2D" },
    { name = "all reduce", lane = "COMM" } },
    requests = { id = { 7, 8, 9 }, arrival_ns = { 1000000000, 1500000001, 3250000000 },
      end_ns = { 1400000000, 1600000000, 3300000000 },
      sizes = { tokens = { 128, 64, 32 } } },
    visits = {
      h2d = { request = { 1, 3 }, start_ns = { 1000000000, 3250000000 },
        end_ns = { 1100000000, 3260000000 }, bytes = { 4096, 1024 } },
      ["all reduce"] = { request = { 1, 2, 3 }, start_ns = { 1200000000, 1500000001, 3270000000 },
        end_ns = { 1300000000, 1500000009, 3290000000 } } } }
  for key, value in pairs(fields or {}) do body.requests[key] = value end
  return visits.of(body)
end

describe("the arrivals of a run", function()
  it("are seconds from the first, sizes, and the bytes of stages that copy", function()
    local rows, notes = three():arrivals()
    assert.same({ { arrival = 0.0, tokens = 128, h2d_bytes = 4096 },
      { arrival = 0.500000001, tokens = 64, h2d_bytes = 0 },
      { arrival = 2.25, tokens = 32, h2d_bytes = 1024 } }, rows)
    assert.same({}, notes)
  end)

  it("have names that costs can read", function()
    local rows = three({ sizes = { ["1st size"] = { 1, 2, 3 },
      batch = { 4, 5, 6 }, ["end"] = { 7, 8, 9 } } }):arrivals()
    assert.same({ arrival = 0.0, _1st_size = 1, batch_ = 4, end_ = 7, h2d_bytes = 4096 }, rows[1])
  end)

  it("leave out a size that a request lacks, and say so", function()
    local rows, notes = three({ sizes = { tokens = { 1, false, 3 },
      good = { 1, 2, 3 } } }):arrivals()
    assert.is_nil(rows[1].tokens)
    assert.equal(1, rows[1].good)
    assert.same({ "the size 'tokens' is left out: request 2 has none" }, notes)
  end)

  it("come back from their CSV to the nanosecond", function()
    local stores = store_fixture.new()
    assert(three():write_arrivals(stores:path "load.csv"))
    local s = td.scenario "csv" { workload = td.replay { file = stores:path "load.csv" },
      pipeline = { td.fixed "s" { time = "1ms" } } }
    local list = s:model().classes[1].arrivals
    assert.same({ 0, 0.500000001, 2.25 }, list.times)
    assert.same({ tokens = { 128, 64, 32 }, h2d_bytes = { 4096, 0, 1024 } }, list.rows.attrs)
    stores:remove()
  end)
end)

describe("a scenario under the load of a run", function()
  local stores, store

  setup(function()
    stores = store_fixture.new()
    store = assert(td.store(stores:path "a.db"))
  end)
  teardown(function()
    store:close()
    stores:remove()
  end)

  local function model(fields)
    local body = { workload = td.poisson { rps = 1 }, duration = "2s", warmup = "1s",
      replications = 5, attrs = { tokens = 1, h2d_bytes = 1, mine = 3 }, pipeline = {
        td.stage "work" { on = "cpu", cost = function(r)
          return r.tokens * 1e-3 + r.mine * 1e-6
        end } } }
    for key, value in pairs(fields or {}) do body[key] = value or nil end
    return td.scenario "model" (body)
  end

  it("sees the very requests: times, order and sizes, until the last", function()
    local run = assert(three():replay(model(), { store = stores:path "a.db" }))
    assert.equal("simulated", run.kind)
    local requests = {}
    for row in run:requests() do requests[#requests + 1] = row end
    assert.equal(3, #requests)
    local wanted = { { 0, 128003000 }, { 500000001, 64003000 }, { 2250000000, 32003000 } }
    for i, times in ipairs(wanted) do
      assert.equal(times[1], requests[i].arrival_ns)
      assert.equal(times[2], requests[i].end_ns - requests[i].arrival_ns)
    end
  end)

  it("keeps the simulation beside the capture", function()
    stores:keep("a.db", { replications = 1 })
    local capture = assert(store:run "last")
    local run = assert(capture:replay(model { attrs = { tokens = 5, mine = 0 } }))
    assert.equal(store.path, run.store.path)
    local of_capture = capture:visits():requests()
    local of_model = run:visits():requests()
    assert.equal(50, #of_model.arrival_ns)
    for i = 1, 50 do
      assert.equal(of_capture.arrival_ns[i] - of_capture.arrival_ns[1], of_model.arrival_ns[i])
    end
  end)

  it("says in one line what stands in the way", function()
    local function told(of, ...)
      local run, message, code = of:replay(...)
      assert.is_nil(run)
      return message, code
    end
    local message, code = told(three(), model())
    assert.matches("no store to keep its simulation in", message, 1, true)
    assert.equal(2, code)
    message = told(three(), model(), { stoer = "x" })
    assert.equal("replay has no option 'stoer'; did you mean 'store'?", message)
    message, code = told(three():slice(function() return false end), model(),
      { store = stores:path "b.db" })
    assert.equal("there is no request to replay", message)
    assert.equal(3, code)
    local two = model { workload = false, classes = { { name = "a", workload = td.paced(1) },
      { name = "b", workload = td.paced(1) } } }
    message, code = told(three(), two, { store = stores:path "b.db" })
    assert.matches("model has 2 classes of requests", message, 1, true)
    assert.equal(3, code)
    local told_of = model { workload = td.replay { rows = { { arrival = 0, h2d_bites = 3 } } },
      pipeline = { td.stage "x" { on = "cpu", cost = function(r) return r.h2d_bites * 1e-9 end } } }
    message, code = told(three(), told_of, { store = stores:path "b.db" })
    assert.matches("under the run's load: .*nothing gives; did you mean 'h2d_bytes'", message)
    assert.equal(3, code)
  end)
end)

describe("distributions of a load", function()
  local function load_of(made) return made:load() end

  -- Requests of 1 ms at given times in seconds, and their sizes.
  local function at(times, sizes, length_s)
    local body = { id = {}, arrival_ns = {}, end_ns = {}, sizes = sizes or {} }
    for i, t in ipairs(times) do
      body.id[i], body.arrival_ns[i] = i, math.floor(t * 1e9 + 0.5)
      body.end_ns[i] = body.arrival_ns[i] + math.floor((length_s or 1e-3) * 1e9)
    end
    return visits.of { kind = "measured", stages = {}, requests = body, visits = {} }
  end

  -- Times of a simulated arrival process; requests of a microsecond, which never meet.
  local function of(process)
    local stores = store_fixture.new()
    local s = td.scenario "arrivals" { workload = process, pipeline = {
      td.fixed "s" { time = "1us" } }, warmup = "none", replications = 1, seed = 5 }
    assert(s:run { store = stores:path "a.db" })
    local store = assert(td.store(stores:path "a.db"))
    local times = {}
    for row in store:run "last":requests() do times[#times + 1] = row.arrival_ns / 1e9 end
    store:close()
    stores:remove()
    return at(times, nil, 1e-6)
  end

  it("know Poisson, gamma and even arrivals, and their rates", function()
    local poisson = assert(load_of(of(td.poisson { rps = 40, requests = 800 })))
    assert.equal("poisson", poisson.workload.type)
    assert.near(40, poisson.workload.rps, 40 * 3 / math.sqrt(800))
    assert.equal(800, poisson.workload.requests)
    local gamma = assert(load_of(of(td.renewal { rps = 40, cv = 0.5, requests = 800 })))
    assert.equal("renewal", gamma.workload.type)
    assert.near(40, gamma.workload.rps, 40 * 3 * 0.5 / math.sqrt(800))
    assert.near(0.5, gamma.workload.cv, 0.05)
    local paced = assert(load_of(of(td.paced { rps = 40, requests = 50 })))
    assert.equal("paced", paced.workload.type)
    assert.near(40, paced.workload.rps, 1e-6)
  end)

  it("are none where gaps hang together or have no such distribution", function()
    local bursts = assert(load_of(of(td.mmpp { { 400, "1s" }, { 4, "5s" }, requests = 600 })))
    assert.equal("replay", bursts.workload.type)
    assert.equal(600, #bursts.workload.rows)
    local two = {}
    for i = 1, 400 do two[i] = (two[i - 1] or 0) + ((i * i) % 7 < 3 and 0.1 or 0.9) end
    assert.equal("replay", load_of(at(two)).workload.type)
    assert.equal("replay", load_of(at { 1, 1, 1 }).workload.type)
    local load, message = load_of(at { 1 })
    assert.is_nil(load)
    assert.matches("one request has no gap", message, 1, true)
  end)

  it("are one user who waits where each request comes after the one before", function()
    local times = {}
    for i = 1, 40 do times[i] = i * 0.125 end
    local load = assert(load_of(at(times, nil, 0.1)))
    assert.equal("closed", load.workload.type)
    assert.equal(1, load.workload.users)
    assert.near(0.025, load.workload.think, 1e-9)
    assert.matches("one after the other, mean pause 25 ms", load.notes[1], 1, true)
  end)

  it("give sizes as the values that were seen", function()
    local times, tokens, batch = {}, {}, {}
    for i = 1, 40 do times[i], tokens[i], batch[i] = i, i % 4 == 0 and 100 or 50, 8 end
    local load = assert(load_of(at(times, { tokens = tokens, many = batch })))
    assert.equal(8, load.attrs.many)
    assert.same({ 50, 100 }, load.attrs.tokens.values)
    assert.same({ 0.75, 0.25 }, load.attrs.tokens.weights)
  end)

  it("drive a scenario as the rows do", function()
    local times = {}
    for i = 1, 40 do times[i] = i * 0.01 end
    local s = td.scenario "s" { workload = td.poisson { rps = 1 }, attrs = { tokens = 9 },
      pipeline = { td.stage "s" { on = "cpu", cost = function(r) return r.tokens * 1e-3 end } } }
    local tokens = {}
    for i = 1, 40 do tokens[i] = 2 end
    local varied = assert(replayed.scenario(at(times, { tokens = tokens }), s, "fitted"))
    local result = assert(varied:run())
    assert.equal(40, result.requests)
    assert.near(0.002, result.latency.mean.value, 1e-9)
    tokens[1] = 7
    for i = 1, 40 do times[i] = 1 end
    varied = assert(replayed.scenario(at(times, { tokens = tokens }), s, "fitted"))
    assert.near(0.007, varied:run().latency.max, 1e-9)
  end)
end)
