-- The automatic warm-up of closed loops: all users begin at once, so their first round is left out.

local td = require "tandem"

local function loop(fields)
  local scenario = { name = "loop", requests = fields.requests or 200, warmup = fields.warmup,
    workload = fields.workload or td.closed { users = fields.users },
    pipeline = fields.pipeline or { td.delay "work" { time = fields.time or "1s" } } }
  return assert(td.check(scenario)):run { replications = 4, seed = 3 }
end

describe("the warm-up of a closed loop", function()
  it("is the first round of all users, though all latencies are equal", function()
    -- 200 requests of 5 users: 40 s, in slices of 2^k µs of which none is longer than 2 s.
    local r = loop { users = 5 }
    assert.is_true(r.warmup_s >= 1 and r.warmup_s <= 3, r.warmup_s)
    assert.is_nil(r.warmup_unsettled)
  end)

  it("waits for the slowest user of all loops", function()
    local r = loop { requests = 2000, time = "100ms", workload = {
      td.closed { users = 2, class = "fast" }, td.closed { users = 1, think = "20s",
        class = "slow" } } }
    assert.is_true(r.warmup_s >= 20 and r.warmup_s <= 26, r.warmup_s)
  end)

  it("is the round of conversations, whose first turns alone wait", function()
    local turns = { td.loop "turns" { times = 10, td.delay "work" { time = "1s" } } }
    local r = loop { users = 5, requests = 100, pipeline = turns }
    assert.is_true(r.warmup_s >= 10, r.warmup_s)
  end)

  it("is not cut where it is more than half, which is said", function()
    local r = loop { users = 120 }
    assert.equal(0, r.warmup_s)
    assert.is_true(r.warmup_unsettled)
    r = loop { users = 300 } -- one round is not over
    assert.equal(200, r.requests // 4)
    assert.is_true(r.warmup_unsettled)
  end)

  it("is as asked where it is given", function()
    assert.equal(0, loop { users = 5, warmup = "none" }.warmup_s)
    assert.is_nil(loop { users = 120, warmup = "none" }.warmup_unsettled)
    assert.is_true(loop { users = 5, warmup = "10s" }.warmup_s >= 10)
  end)
end)
