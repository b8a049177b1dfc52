-- Scripts and threads: what Lua functions answer does not depend on how many threads ask, and no
-- replication sees what another has left behind. `make test-tsan` runs this file too.

local core = require "tandem.core"
local json = require "tandem.io.json"
local random = require "tests.spec.support.random_scenarios"
local td = require "tandem"

local function run(s, threads, replications)
  return assert(core.run(s:model(), { seed = 3, threads = threads,
    replications = replications or 6 }))
end

local function assert_same_for_threads(s)
  local wanted = json.encode(run(s, 1))
  for _, threads in ipairs { 2, 4 } do
    assert.equal(wanted, json.encode(run(s, threads)), s.name)
  end
end

-- Every kind of function, each of which branches, so that none is traced away.
local function scripted(changes)
  local body = { requests = 120, cpu = 2,
    attrs = { tokens = td.uniform(1, 100) },
    workload = td.arrivals(function(n) if n % 4 == 0 then return 0.02 end return 0.004 end),
    target = td.fleet { td.gpu "A" { flops = 1e12, bandwidth = 1e12, count = 2 },
      td.gpu "B" { flops = 2e12, bandwidth = 1e12 },
      router = function(r, gpus)
        if r.tokens > 90 then return 3 end
        return gpus[1].outstanding <= gpus[2].outstanding and 1 or 2
      end },
    pipeline = {
      td.stage "cpu" { on = "cpu", cost = function(r)
        if r.tokens > 50 then return 0.008 end
        return 0.002
      end },
      td.stage "gpu" { on = "gpu", cost = td.sample(function(u)
        if u > 0.5 then return 0.01 * u end
        return 0.001
      end) },
      td.process "own" { fn = function(p)
        for _ = 1, 2 do p:use("cpu", 0.001) end
        p:hold(0.003)
      end },
    } }
  for k, v in pairs(changes or {}) do body[k] = v end
  return td.scenario "scripted" (body)
end

describe("functions on several threads #threads", function()
  it("give the same result", function()
    assert_same_for_threads(scripted())
  end)

  it("give the same result with hooks, and record the same", function()
    local seen = 0
    local s = scripted {
      on = {
        arrival = function(r) if r.tokens > 20 then seen = seen + 1 end end,
        start = function(r) td.record("waited", r.waited) end,
        complete = function(r) td.record("latency", r.now - r.arrival) end,
        tick = function() td.record("seen", seen) end, every = "50ms",
      },
      admit = function(r) return r.tokens < 95 or seen % 2 == 0 end,
    }
    assert_same_for_threads(s)
    assert.is_true(run(s, 4).recorded.waited.count > 100)
    assert.equal(0, seen) -- the script that was loaded is not the one that ran
  end)

  it("start anew with every replication", function()
    local calls = 0
    local shared = { list = {} }
    local s = scripted { on = {
      arrival = function()
        calls = calls + 1
        shared.list[#shared.list + 1] = calls
        td.record("calls", calls)
        td.record("kept", #shared.list)
      end } }
    for _, threads in ipairs { 1, 2, 4 } do
      local recorded = run(s, threads, 5).recorded
      for _, name in ipairs { "calls", "kept" } do
        assert.equal(600, recorded[name].count)
        assert.equal(1, recorded[name].min)
        assert.equal(120, recorded[name].max)
        assert.equal(5 * 120 * 121 / 2, recorded[name].sum)
      end
    end
  end)

  it("fail in the same words, whoever meets the failure first", function()
    local fail = error -- a global would carry this spec's environment, and the test runner, along
    local s = scripted { pipeline = { td.stage "s" { on = "cpu", cost = function(r)
      if r.tokens > 97 then fail("too many") end
      return 0.001
    end } }, target = nil }
    local messages = {}
    for i, threads in ipairs { 1, 2, 4, 4, 4 } do
      local r, message, code = core.run(s:model(), { seed = 3, threads = threads,
        replications = 6 })
      assert.is_nil(r)
      assert.equal(3, code)
      messages[i] = message
      assert.equal(messages[1], message)
    end
    assert.matches("too many", messages[1], 1, true)
    assert.is_nil(messages[1]:find("\n", 1, true))
  end)

  it("may be absent: random scenarios are the same on every number of threads", function()
    for n = 301, 312 do assert_same_for_threads(random.scenario(n)) end
  end)
end)
