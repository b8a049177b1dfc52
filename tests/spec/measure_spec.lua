-- What is measured, where it could be off by a digit or divide by nothing.

local td = require "tandem"

local function run(cost, replications)
  return assert(td.scenario "m" { workload = td.paced { rps = 1, requests = 777 },
    pipeline = { td.delay "d" { time = cost } } }:run { replications = replications })
end

describe("measures", function()
  it("of equal latencies are all equal, to the last digit", function()
    for i = 1, 60 do
      for _, replications in ipairs { 1, 3 } do
        local l = run(i * 1.37e-4, replications).latency
        assert.equal(l.min, l.mean.value)
        assert.equal(l.max, l.mean.value)
        assert.equal(l.max, l.p99.value)
      end
    end
  end)

  it("of a run that takes no time are 0, and numbers", function()
    local r = assert(td.scenario "z" { cpu = 1,
      workload = td.arrivals { fn = function() return 0 end, requests = 5 },
      pipeline = { td.fixed "work" { time = 0 } } }:run { replications = 2 })
    assert.equal(0, r.resources[1].utilization.value)
    assert.equal(0, r.resources[1].queue.value)
    assert.is_true(r.checks.ok)
  end)

  it("tell a request that admit refused from one that found a queue full", function()
    local r = assert(td.scenario "door" { workload = td.paced { rps = 1000, requests = 6 },
      cpu = { workers = 1, queue = 1 }, admit = function(r) return r.id ~= 2 end,
      pipeline = { td.fixed "work" { time = "1s" } } }:run { replications = 1, warmup = 0,
        requests_log = "all" })
    local outcomes = {}
    for i, request in ipairs(r.requests_log) do outcomes[i] = request.outcome end
    assert.same({ "ok", "refused", "ok", "dropped", "dropped", "dropped" }, outcomes)
    assert.equal(4, r.classes[1].dropped)
  end)

  it("sample their requests over the whole run", function()
    local s = td.scenario "log" { workload = td.paced { rps = 10, requests = 19 },
      pipeline = { td.delay "d" { time = 1 } } }
    local function ids(count)
      local r, out = s:run { replications = 1, requests_log = { sample = count } }, {}
      for i, request in ipairs(r.requests_log) do out[i] = request.id end
      return out
    end
    assert.same({ 1, 2, 4, 6, 8, 10, 12, 14, 16, 18 }, ids(10))
    assert.same({ 1, 10 }, ids(2))
    assert.equal(19, #ids(19))
    assert.equal(19, #ids(100))
  end)

  it("refuse a log of requests that is none", function()
    local s = td.scenario "log" { workload = td.paced { rps = 1, requests = 1 },
      pipeline = { td.delay "d" { time = 1 } } }
    for _, wrong in ipairs { "some", { slowst = 3 }, { slowest = 0 }, { sample = 1.5 } } do
      local ok, problems = pcall(s.run, s, { requests_log = wrong })
      assert.is_false(ok)
      assert.matches("requests_log", tostring(problems), 1, true)
    end
  end)
end)

describe("overload", function()
  it("is told of a hundred requests and more, of so many times what is served", function()
    local function of(requests)
      local result = td.scenario "too many" {
        workload = td.paced { rps = 100, requests = requests }, cpu = 1,
        pipeline = { td.fixed "work" { time = "50ms" } } }:run { replications = 1, warmup = "none" }
      return result.overload and { result.overload.resource, result.overload.load }
    end
    assert.is_nil(of(99) or nil) -- fewer may be chance
    assert.same({ "cpu", 5.0 }, of(100))
    assert.same({ "cpu", 5.0 }, of(101))
  end)
end)

describe("memory", function()
  it("is queued for, and held, as long as those before it hold theirs", function()
    -- Each takes three fifths of it for a second: one after the other, who came together.
    local result = assert(td.scenario "held" {
      workload = td.replay { rows = { { arrival = 0 }, { arrival = 0 }, { arrival = 0 },
        { arrival = 2.5 } } },
      target = td.gpu "G" { flops = 1e14, bandwidth = 1e12, memory = "10GB" },
      pipeline = { td.hold "kv" { memory = "6GB", td.delay "work" { time = 1 } } } }
      :run { replications = 1, warmup = "none" })
    local memory
    for _, resource in ipairs(result.resources) do
      if resource.lane == "MEMORY" then memory = resource end
    end
    -- They wait 0, 1, 2 and half a second, of four.
    assert.near(4, result.duration_s, 1e-12)
    assert.near(3.5 / 4, memory.queue.value, 1e-12)
    assert.near(0.6, memory.utilization.value, 1e-12)
    assert.near(1, result.latency.min, 1e-12)
    assert.near(3, result.latency.max, 1e-12)
    assert.near(7.5 / 4, result.latency.mean.value, 1e-12)
  end)
end)

describe("requests that are never done", function()
  -- Six of ten are done; the sixth keeps the memory that the other four wait for.
  it("are counted over all replications", function()
    local result = td.scenario "stuck" { replications = 2, warmup = "none",
      workload = td.paced { rps = 10, requests = 10 }, target = td.gpu "L4" { memory = "1GB" },
      pipeline = { td.process "a" { fn = function(p)
        p:hold "1ms"
        if p.id > 5 then p:seize("L4 memory", 9e8) end
      end } } }:run {}
    assert.same({ 12, 8 }, { result.requests, result.open })
  end)
end)

describe("a weighted router", function()
  it("gives each its share, and nothing to who has none", function()
    local card = { flops = 1e14, bandwidth = 1e12 }
    local result = assert(td.scenario "weighted" {
      workload = td.paced { rps = 1000, requests = 8000 },
      target = td.fleet { td.gpu "A" (card), td.gpu "B" (card), td.gpu "C" (card),
        router = "weighted", weights = { 5, 0, 3 } },
      pipeline = { td.fixed "work" { time = "100us", on = "gpu" } } }
      :run { replications = 1, warmup = "none" })
    local count = {}
    for _, resource in ipairs(result.resources) do
      if resource.lane == "GPU" then
        count[resource.gpu] = resource.utilization.value * result.duration_s / 100e-6
      end
    end
    -- Five standard deviations of 8000 draws.
    assert.near(5000, count.A, 5 * math.sqrt(8000 * 15 / 64))
    assert.near(8000 - count.A, count.C, 1e-6)
    assert.equal(0, count.B)
  end)
end)
