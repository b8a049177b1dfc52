-- What if on reality: variants of a fitted scenario against the truth that the fit never saw.
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local function service(changes)
  local made = td.scenario "service" {
    workload = td.poisson { rps = 60, requests = 600 },
    attrs = { tokens = td.lognormal { p50 = 120, p99 = 600 } },
    target = td.gpu "measured" { h2d = 12e9, d2h = 10e9, concurrency = 1 },
    cpu = { workers = 4 },
    pipeline = {
      td.fixed "parse" { time = "1.5ms", jitter = 0.1 },
      td.transfer "h2d" { bytes = "8MiB", jitter = 0.02 },
      td.stage "compute" { on = "gpu", cost = "0.002 + 45e-6 * r.tokens", jitter = 0.05 },
    },
    replications = 1, warmup = "none",
  }
  return changes and made:with(changes) or made
end

describe("variants of a fitted run", function()
  local files, fit
  setup(function()
    files = store_fixture.new()
    service():run { seed = 5, store = files:path "a.db" }
    local store = assert(td.store(files:path "a.db"))
    fit = assert(td.fit { real = assert(store:run "last") })
  end)
  teardown(function() files:remove() end)

  -- The mean latency of the truth itself, changed, over many seeds.
  local function truly(changes)
    return service(changes):run { replications = 40, seed = 99 }.latency.mean.value
  end

  local function holds(row, truth)
    assert.is_true(math.abs(row.value - truth) <= row.half,
      ("%s: %.6f ± %.6f, truly %.6f"):format(row.name, row.value, row.half, truth))
    assert.is_true(row.half < 0.3 * truth)
  end

  it("predict what the changed service would have done", function()
    local answer = assert(fit:whatif {
      { "kernels × 0.6", { scale = { compute = 0.6 } } },
      { "a slow link", { ["target.h2d"] = "2GB/s" } },
      { "two GPUs", { gpus = 2 } },
    })
    holds(answer.base, truly())
    holds(answer.rows[1], truly { ["pipeline.compute.cost"] = "0.0012 + 27e-6 * r.tokens" })
    holds(answer.rows[2], truly { ["target.h2d"] = "2GB/s" })
    holds(answer.rows[3], truly { gpus = 2 })
  end)

  it("tell a change by pairs, more narrowly than its two sides", function()
    local answer = assert(fit:whatif { { "slower link", { ["target.h2d"] = "10GB/s" } } })
    local row = answer.rows[1]
    assert.is_true(row.change.half < 0.5 * row.half)
    assert.is_true(row.change.value - row.change.half > 0)
    assert.near(row.value - answer.base.value, row.change.value, 1e-12)
  end)

  it("are the same from the same seed", function()
    local function once() return fit:whatif({ { "x", { gpus = 2 } } }, { draws = 6, seed = 3 }) end
    assert.same(once():data(), once():data())
  end)

  it("say what cannot be scaled, and what there is", function()
    local function refused(what)
      local made, message, code = fit:whatif { { "x", what } }
      assert.is_nil(made)
      assert.equal(3, code)
      return message
    end
    assert.matches("the time of h2d, a td.transfer, cannot be scaled",
      refused { scale = { h2d = 0.5 } }, 1, true)
    assert.matches("there is no stage 'compte' to scale; did you mean 'compute'?",
      refused { scale = { compte = 0.5 } }, 1, true)
    assert.matches("wants a factor above 0", refused { scale = { compute = 0 } }, 1, true)
    assert.equal("variant 'x': target.h2x: unknown key; did you mean 'h2d'?",
      refused { ["target.h2x"] = 1 })
  end)

  it("say when a metric is none", function()
    local _, message, code = fit:whatif({ { "x", { gpus = 2 } } }, { metric = "latency.p98" })
    assert.equal(3, code)
    assert.matches("latency.p98", message, 1, true)
  end)

  it("come from the command line", function()
    local out, err, code = files:tandem("fit", "last", "--variant", "faster: compute*0.5",
      "--draws", "6")
    assert.equal(0, code, err)
    assert.matches("as measured", out, 1, true)
    assert.matches("faster .-better", out)
    local _, complaint, wrong = files:tandem("fit", "last", "--variant", "faster: compute*fast")
    assert.equal(2, wrong)
    assert.matches("wants STAGE*FACTOR", complaint, 1, true)
  end)
end)
