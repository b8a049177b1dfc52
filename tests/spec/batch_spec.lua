--- Batches decided by a user's function: what it says is done, within what waits and what fits.

local core = require "tandem.core"
local td = require "tandem"

local fail = error -- a global would carry the test runner along

local function scenario(batch)
  return td.scenario "batches" {
    workload = td.poisson { rps = 200, requests = 4001 }, cpu = 1,
    pipeline = { td.stage "infer" { on = "cpu", cost = "4ms", batch = batch } },
  }
end

local function run(batch)
  return assert(scenario(batch):run { seed = 1, replications = 2, warmup = 0 })
end

describe("a function that decides batches", function()
  it("makes the sizes it asks for, and the rest goes at the end", function()
    local r = run { max = 16, decide = function(waiting) return waiting >= 5 and 5 or 0 end }
    assert.equal(2 * 4001, r.requests)
    assert.near(5, r.stages[1].batch.value, 0.01)
    assert.is_true(r.checks.ok)
  end)

  it("is held to max, to those who wait, and to the longest wait", function()
    local r = run { max = 3, decide = function() return 100 end }
    assert.is_true(r.stages[1].batch.value <= 3)
    local never = run { max = 1000, wait = "50ms", decide = function() return 0 end }
    assert.is_true(never.stages[1].wait.max <= 0.054 + 1e-9)
    assert.is_true(never.stages[1].batch.value > 8)
  end)

  it("is not asked once max wait: these go", function()
    local r = run { max = 4, decide = function(waiting, _, max)
      if waiting >= max then fail "asked" end
      return 0
    end }
    assert.near(4, r.stages[1].batch.value, 0.01)
  end)

  it("sees how many wait, how long, and how many fit", function()
    local r = run { max = 7, wait = "20ms", decide = function(waiting, oldest, max)
      if max ~= 7 or waiting < 1 or waiting > 7 or oldest < 0 or oldest > 0.02 then fail "bad" end
      return oldest >= 0.01 and waiting or 0
    end }
    assert.is_true(r.checks.ok)
  end)

  it("stops the run with its own line when it fails, or gives no number", function()
    for _, decide in ipairs { function() fail "no idea" end, function() return "many" end } do
      local result, message, code = core.run(scenario { max = 4, decide = decide }:model(),
        { seed = 1, replications = 1 })
      assert.is_nil(result)
      assert.equal(3, code)
      assert.matches("batch_spec.lua:%d+: ", message)
    end
  end)

  it("excludes the other rules for the size", function()
    local checked, problems = td.check { name = "x",
      workload = td.poisson { rps = 1, requests = 5 },
      pipeline = { td.stage "s" { on = "cpu", cost = 1,
        batch = { max = 2, static = true, decide = function() return 1 end } } } }
    assert.is_nil(checked)
    assert.matches("decide: decides alone", tostring(problems))
  end)

  it("wait their time out even when nobody else can come", function()
    local r = assert(td.scenario "last" { cpu = 1, workload = td.paced { rps = 1000, requests = 3 },
      pipeline = { td.stage "infer" { on = "cpu", cost = "4ms",
        batch = { max = 8, wait = "5ms" } } } }:run { replications = 1, warmup = 0 })
    assert.near(0.009, r.latency.max, 1e-12) -- came at 1 ms, started at 6 ms
    assert.equal(3, r.stages[1].batch.value)
  end)
end)
