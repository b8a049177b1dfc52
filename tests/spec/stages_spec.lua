-- Steps: what each type lowers to, on one GPU with round numbers.

local td = require "tandem"

local gpu = { flops = 100e12, bandwidth = 1e12, h2d = 10e9, d2h = 20e9, ms_per_token = 0.5,
  memory = "80GB" }

local function model(pipeline, extra)
  local raw = { name = "s", workload = td.poisson(1), target = td.gpu "own" (gpu),
    pipeline = pipeline, attrs = { tokens = 100, ctx = 7 } }
  for k, v in pairs(extra or {}) do raw[k] = v end
  local s, problems = td.check(raw)
  assert.equal("no problems", tostring(problems))
  return s:model()
end

local function step(s, extra) return model({ s }, extra).classes[1].route[1] end

local function refused(pipeline, pattern, extra)
  local raw = { name = "s", workload = td.poisson(1), target = td.gpu "own" (gpu),
    pipeline = pipeline, attrs = { tokens = 100 } }
  for k, v in pairs(extra or {}) do raw[k] = v end
  local s, problems = td.check(raw)
  assert.is_nil(s)
  assert.matches(pattern, tostring(problems), 1, true)
end

describe("steps", function()
  it("fixed: a time on the CPU", function()
    assert.same({ op = "serve", name = "pre", lane = "CPU", station = 1, cost = 0.002,
      jitter = { dist = "normal", mean = 1, sd = 0.05, min = 0 } },
      step(td.fixed "pre" { time = "2ms", jitter = 0.05 }))
    assert.same({ "draw", { dist = "exponential", mean = 0.002 } },
      step(td.fixed "pre" { time = td.exponential "2ms" }).cost)
    assert.equal("GPU", step(td.fixed "k" { time = "2ms", on = "gpu" }).lane)
    assert.equal("delay", step(td.fixed "k" { time = "2ms", on = "none" }).op)
  end)

  it("transfer: bytes over the copy engine its name tells", function()
    local s = step(td.transfer "h2d" { bytes = "10MB" })
    assert.equal("H2D", s.lane)
    assert.equal(0.001, s.cost)
    assert.equal(0.0005, step(td.transfer "d2h_result" { bytes = "10MB" }).cost)
    assert.equal("D2H", step(td.transfer "up" { bytes = 1, on = "d2h" }).lane)
    assert.same({ "div", { "mul", 4, { "attr", "tokens" } }, 10e9 },
      step(td.transfer "h2d" { bytes = function(r) return 4 * r.tokens end }).cost)
    assert.equal(0.001 + 1e-5, step(td.transfer "h2d" { bytes = "10MB", latency = "10us" }).cost)
    refused({ td.transfer "copy" { bytes = 1 } }, "cannot tell the direction")
  end)

  it("tokens: tokens times a time per token", function()
    assert.equal(128 * 0.0005, step(td.tokens "c" { tokens = 128 }).cost)
    assert.same({ "mul", { "attr", "tokens" }, 0.0005 }, step(td.tokens "c" {}).cost)
    assert.equal(0.2, step(td.tokens "c" { tokens = 100, time_per_token = "2ms/token" }).cost)
    refused({ td.tokens "c" { tokens = 1, on = "cpu" } }, "wants time_per_token")
  end)

  it("compute: the slower of arithmetic and memory", function()
    assert.equal(0.02, step(td.compute "c" { flops = "2 TFLOP", bytes = "1GB" }).cost)
    assert.equal(0.04, step(td.compute "c" { flops = "2 TFLOP", efficiency = 0.5 }).cost)
    assert.equal(0.5 + 1e-5, step(td.compute "c" { bytes = "500GB", overhead = "10us" }).cost)
    refused({ td.compute "c" {} }, "wants flops, bytes or both")
    refused({ td.compute "c" { flops = 1, precision = "fp61" } }, "did you mean 'fp16'")
    refused({ td.compute "c" { flops = 1, precision = "fp8" } }, "has no flops_fp8")
    refused({ td.compute "c" { flops = 1, efficiency = 1.5 } }, "the most is 1")
  end)

  it("table: interpolated over an attribute", function()
    assert.same({ "interp", { "attr", "ctx" }, { 1, 0.002, 10, 0.02 } },
      step(td.table "t" { x = "ctx", points = { { 1, "2ms" }, { 10, "20ms" } } }).cost)
    refused({ td.table "t" { points = { { 1, 1 }, { 1, 2 } } } }, "not above the one before")
  end)

  it("stage: number, text, distribution, function, untraceable function", function()
    assert.equal(0.003, step(td.stage "s" { cost = "3ms" }).cost)
    assert.same({ "add", { "mul", 2e-6, { "attr", "tokens" } }, 0.001 },
      step(td.stage "s" { cost = "2e-6 * r.tokens + 0.001" }).cost)
    assert.same({ "mul", { "draw", { dist = "exponential", mean = 0.001 } }, 3 },
      step(td.stage "s" { cost = td.exponential "1ms" * 3 }).cost)
    assert.same({ "div", { "batch" }, 1e12 },
      step(td.stage "s" { cost = function(r) return r.batch / r.gpu.bandwidth end }).cost)
    local fn = function(r) if r.tokens > 10 then return 1 end return 2 end
    assert.equal(fn, step(td.stage "s" { cost = fn }).cost)
    local bytes = step(td.transfer "h2d" { bytes = fn }).cost
    assert.equal(1e-10, bytes { tokens = 11 })
    assert.equal(2e-10, bytes { tokens = 1 })
    refused({ td.stage "s" { cost = "3MB" } }, "is a size; wanted a time")
    refused({ td.stage "s" { cost = {} } }, "wanted a time")
  end)

  it("delay: outside every resource", function()
    assert.same({ op = "delay", name = "net", cost = { "draw", { dist = "gamma", mean = 0.01,
      cv = 2 } } }, step(td.delay "net" { time = td.gamma("10ms", 2) }))
  end)

  it("batch: by size and time-out", function()
    assert.same({ max = 8, wait = 0.002, preferred = { 4, 8 } }, step(td.stage "s" { cost = 1,
      batch = { max = 8, wait = "2ms", preferred = { 4, 8 } } }).batch)
    assert.same({ max = 8 }, step(td.stage "s" { cost = 1, batch = 8 }).batch)
    refused({ td.stage "s" { cost = 1, batch = { max = 8, preferred = { 9 } } } }, "above max")
    refused({ td.stage "s" { cost = 1, batch = { max = 8, wait = 1, static = true } } },
      "drop wait or static")
    refused({ td.stage "s" { cost = 1, batch = { wait = 1 } } }, "max: is missing")
  end)

  it("branch, loop and fork nest", function()
    local b = step(td.branch { { p = 0.3, td.delay "a" { time = 1 } }, { td.fork {
      { td.fixed "b" { time = 1 } }, { td.loop { times = 3, td.fixed "c" { time = 2 } } } } } })
    assert.equal("branch", b.op)
    assert.equal(0.3, b.choices[1].p)
    assert.equal(0.7, b.choices[2].p)
    local fork = b.choices[2].steps[1]
    assert.equal("fork", fork.op)
    assert.equal(2, #fork.branches)
    local loop = fork.branches[2][1]
    assert.equal(3, loop.times)
    assert.equal(2, loop.steps[1].cost)
    refused({ td.branch { { p = 0.7 }, { p = 0.6 } } }, "more than 1")
    refused({ td.loop { td.fixed "a" { time = 1 } } }, "times = n or again")
    refused({ td.loop { again = 1, td.fixed "a" { time = 1 } } }, "never end")
    refused({ td.loop { times = 2 } }, "steps: is missing")
  end)

  it("loop by probability is cut where nobody is left", function()
    local loop = step(td.loop { again = 0.5, td.fixed "a" { time = 1 } })
    assert.equal(0.5, loop.again)
    assert.is_true(0.5 ^ loop.max <= 1e-12 and 0.5 ^ (loop.max - 2) > 1e-12)
  end)

  it("hold: memory around steps", function()
    local route = model({ td.hold "kv" { memory = "1GB", td.stage "x" { cost = 1 } } })
      .classes[1].route
    assert.same({ { op = "seize", name = "kv", memory = 1, bytes = 1e9 },
      { op = "serve", name = "x", lane = "GPU", station = 1, cost = 1 },
      { op = "release", name = "kv", memory = 1 } }, route)
  end)

  it("process: a coroutine", function()
    local fn = function() end
    assert.same({ op = "process", name = "p", fn = fn }, step(td.process "p" { fn = fn }))
    assert.equal(fn, step(td.process(fn)).fn)
    assert.equal(fn, step(td.process "p" (fn)).fn)
  end)

  it("unnamed steps are named after their type", function()
    local route = model({ td.fixed { time = 1 }, td.fixed { time = 2 } }).classes[1].route
    assert.equal("fixed", route[1].name)
    assert.equal("fixed2", route[2].name)
    refused({ td.fixed "a" { time = 1 }, td.fixed "a" { time = 2 } }, "two steps are named 'a'")
  end)

  it("run where they say", function()
    refused({ td.stage "s" { cost = 1, on = "gqu" } }, "did you mean 'gpu'")
    refused({ td.stage "s" { cost = 1, on = td.memory "m" { bytes = 1 } } }, "wanted td.link or")
    local m = model({ td.stage "s" { cost = 1, on = td.pool "db" { servers = 3 } } })
    assert.equal("db", m.stations[1].name)
    assert.equal(3, m.stations[1].servers)
  end)

  it("say what cannot be: a batch without a place, memory that no GPU has", function()
    refused({ td.delay "d" { time = 1 }, td.stage "b" { on = "none", cost = 1, batch = 4 } },
      "pipeline.b: has a batch, but runs on no resource")
    refused({ td.hold "kv" { memory = "100GiB", td.delay "d" { time = 1 } } },
      "pipeline.kv: holds 100 GiB of 'own memory', which has 74.5 GiB")
    refused({ td.hold "m" { on = "host", memory = 2, td.delay "d" { time = 1 } } },
      "pipeline.m: holds 2 B of 'host', which has 1 B",
      { resources = { td.memory "host" { bytes = 1 } } })
    refused({ td.tokens "t" {} }, "target.key: reads the request attribute 'tokns', which nothing"
      .. " gives; did you mean 'tokens'?", { target = td.fleet "f" { td.gpu "own" (gpu),
        router = "affinity", key = "tokns" } })
  end)

  it("set-up times are costs, too", function()
    local noisy = td.exponential "1ms"
    assert.same({ "add", { "div", { "attr", "ctx" }, 10e9 }, { "draw", { dist = "exponential",
      mean = 0.001 } } }, step(td.transfer "h2d" { bytes = td.attr "ctx", latency = noisy }).cost)
    assert.same({ "add", 0.01, { "draw", { dist = "exponential", mean = 0.001 } } },
      step(td.compute "c" { flops = "1TFLOP", overhead = noisy }).cost)
    local route = model({ td.transfer "h2d" { bytes = 1, latency = noisy } }, {
      resources = { td.link "pcie" { bandwidth = "10GB/s" } },
      target = td.gpu "own" { flops = 1, h2d = "10GB/s", link = "pcie" } }).classes[1].route
    assert.equal("h2d latency", route[1].name)
    assert.same({ "draw", { dist = "exponential", mean = 0.001 } }, route[1].cost)
  end)

  it("a cost that reads r.gpu knows the GPU before the request is on it", function()
    local function mean(target, cost)
      return td.scenario "early" { workload = td.paced { rps = 1, requests = 10 }, target = target,
        pipeline = { td.stage "plan" { on = "cpu", cost = cost },
          td.stage "run" { on = "gpu", cost = "1ms" } } }
        :run { replications = 1 }.latency.mean.value
    end
    local slow, fast = td.gpu "slow" { flops = 1e9 }, td.gpu "fast" { flops = 2e9 }
    local function traced(r) return 1e7 / r.gpu.flops end
    local function called(r) if r.id > 0 then return 1e7 / r.gpu.flops end return 0 end
    assert.near(0.011, mean(slow, traced), 1e-9)
    assert.near(0.011, mean(slow, called), 1e-9)
    assert.near(0.0085, mean(td.fleet "two" { slow, fast }, traced), 1e-9)
  end)
end)

describe("a cost that no stage can have", function()
  it("ends the run and names the stage, the request and the cost", function()
    local function run(cost)
      local result, message, code = td.scenario "x" {
        workload = td.replay { rows = { { arrival = 0, x = 9 }, { arrival = 1, x = 1 } } },
        pipeline = { td.fixed "a" { time = cost } } }:run {}
      assert.is_nil(result)
      assert.equal(3, code)
      return message
    end
    assert.equal('stage "a": the cost of request 2 is -4; it must be a number of at least 0',
      run "r.x - 5")
    assert.matches("^tests/spec/stages_spec.lua:%d+: the cost is %-4; it must be 0 or more",
      run(function(r) if r.x < 5 then return -4 end return 1 end))
    -- Of a distribution the engine sees no number, and its function says why.
    assert.matches("^tests/spec/stages_spec.lua:%d+: no luck$",
      run(td.sample(function() error "no luck" end)))
  end)
end)

describe("stages of one name", function()
  it("share batches over classes where they are one stage on one station", function()
    -- Each class sends one request a second, a moment apart; alone none would find company.
    local function sizes(second, max)
      local function class(name, stage, most)
        return { name = name, workload = td.paced { rps = 1, duration = "20s" },
          pipeline = { td.stage(stage) { on = "cpu", cost = "1ms",
            batch = { max = most, wait = "900ms" } } } }
      end
      local r = assert(td.scenario "two" { cpu = 1, classes = { class("a", "infer", 2),
        class("b", second, max) } }:run { replications = 1, warmup = 0 })
      return r.stages[1].batch.value
    end
    assert.near(2, sizes("infer", 2), 0.2)
    assert.near(1, sizes("other", 2), 0.1)
    assert.near(1, sizes("infer", 3), 0.1)
  end)
end)
