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
