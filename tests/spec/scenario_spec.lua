-- The scenario object: printing, hashing, variants.

local td = require "tandem"

local function demo()
  return td.scenario "demo" {
    workload = td.poisson { rps = 2, duration = "10s" },
    target = td.gpu "L40" { concurrency = 4 },
    pipeline = {
      td.fixed "preprocess" { time = "2ms", jitter = 0.05 },
      td.transfer "h2d" { bytes = "8MiB" },
      td.loop "again" { times = 2, td.tokens "compute" { tokens = 128 } },
      td.transfer "d2h" { bytes = "2MiB" },
    },
    slo = { p99 = "250ms" },
  }
end

describe("a scenario", function()
  it("shows its parts", function()
    local s = demo()
    assert.equal("demo", s.name)
    assert.equal(0.25, s.slo.p99)
    local text = tostring(s)
    for _, part in ipairs { 'scenario "demo"', "L40, concurrency 4", "poisson: 2 rps, for 10 s",
      "8 MiB  on h2d", "128 tokens", "p99 ≤ 250 ms" } do
      assert.matches(part, text, 1, true)
    end
  end)

  it("does not change", function()
    local s = demo()
    assert.has_error(function() s.name = "x" end)
    local pipeline = { td.fixed "a" { time = 1 } }
    local t = td.scenario "t" { workload = td.poisson(1), pipeline = pipeline }
    local before = t:hash()
    pipeline[1].time = 2
    assert.equal(before, t:hash())
  end)

  it("hashes its meaning", function()
    local h = demo():hash()
    assert.matches("^%x+$", h)
    assert.equal(16, #h)
    assert.equal(h, demo():hash())
    assert.equal(h, demo():with { ["pipeline.preprocess.time"] = 0.002 }:hash())
    assert.equal(h, demo():with { ["workload.rps"] = "2rps" }:hash())
    assert.not_equal(h, demo():with { rps = 3 }:hash())
    assert.is_true(demo() == demo())
  end)

  it("says which costs stay functions, where and why", function()
    local s = td.scenario "f" { workload = td.poisson(1), attrs = { n = 1 }, pipeline = {
      td.stage "a" { on = "cpu", cost = function(r) return r.n end },
      td.stage "b" { on = "cpu", cost = function(r) if r.n > 3 then return 1 end return 2 end },
    } }
    local list = s:untraced_costs()
    assert.equal(1, #list)
    assert.equal("pipeline.b.cost", list[1].path)
    assert.matches("compares request data", list[1].message, 1, true)
    assert.matches("scenario_spec.lua", list[1].file, 1, true)
  end)

  it("hashes a function by its code and its numbers", function()
    local function make(k, branch)
      return td.scenario "f" { workload = td.poisson(1), attrs = { n = 1 },
        pipeline = { td.stage "s" { on = "cpu", cost = branch and function(r)
          if r.n > k then return 1 end return 2 end or function(r) return r.n * k end } } }
    end
    assert.equal(make(3):hash(), make(3):hash())
    assert.not_equal(make(3):hash(), make(4):hash())
    assert.equal(make(3, true):hash(), make(3, true):hash())
    assert.not_equal(make(3, true):hash(), make(4, true):hash())
  end)
end)

describe("with", function()
  local function route(s) return s:model().classes[1].route end

  it("changes by dotted path and by short name", function()
    local s = demo():with { ["pipeline.h2d.bytes"] = 25e9, rps = "20rps", ["cpu.workers"] = 3,
      ["target.concurrency"] = 8, ["slo.p99"] = "100ms" }
    local m = s:model()
    assert.equal(0.05, m.classes[1].arrivals.gap.mean)
    assert.equal(3, m.stations[1].servers)
    assert.equal(8, m.stations[3].servers)
    assert.equal(0.1, m.classes[1].slo_s)
    assert.equal(2, demo().checked.workload[1].rps)
  end)

  it("finds steps inside others by name", function()
    local s = demo():with { ["pipeline.compute.tokens"] = 256 }
    local loop = route(s)[3]
    assert.equal(2 * route(demo())[3].steps[1].cost, loop.steps[1].cost)
    assert.equal(2 * route(demo())[3].steps[1].cost, route(demo():with {
      ["pipeline.again.compute.tokens"] = 256 })[3].steps[1].cost)
    assert.equal(0.004, route(demo():with { ["pipeline.1.time"] = "4ms" })[1].cost)
  end)

  it("changes the GPU and keeps what was said about it", function()
    local s = demo():with { gpu = "H100", gpus = 4 }
    local m = s:model()
    assert.equal(4, #m.gpus)
    assert.equal("H100#1", m.gpus[1].name)
    assert.equal(4, m.stations[3].servers)
    local alone = td.scenario "s" { target = "L40", workload = td.poisson(1),
      pipeline = { td.tokens { tokens = 1 } } }
    assert.equal(2, #alone:with({ gpus = 2 }):model().gpus)
  end)

  it("replaces a whole part before it changes a piece of it", function()
    local s = td.scenario "parts" { workload = td.poisson { rps = 40, requests = 100 },
      target = td.gpu "L40S" {}, pipeline = { td.fixed "work" { time = "1ms", on = "gpu" } } }
    local ours = td.gpu "Ours" { flops = "1TFLOP/s", bandwidth = "1GB/s" }
    for _, key in ipairs { "gpu", "kind" } do
      local target = s:with { [key] = ours, gpus = 3, concurrency = 2 }.checked.target
      assert.same({ "Ours", 3, 2 }, { target.name, target.count, target.concurrency })
    end
    local other = s:with { workload = td.paced { rps = 5, requests = 7 }, rps = 9 }
    assert.equal(9, other.checked.resolved[1].arrivals.rps)
    assert.equal("paced", other.checked.resolved[1].arrivals.type)
  end)

  it("merges nested tables and replaces values", function()
    local s = demo():with { target = { concurrency = 2 }, workload = td.paced(5), duration = "1s" }
    assert.equal(2, s.target.concurrency)
    assert.equal("L40", s.target.name)
    assert.equal("paced", s.workload[1].type)
    assert.equal(1, s:model().duration)
  end)

  it("takes texts as a command line gives them", function()
    local s = demo():with { rps = "7", ["target.concurrency"] = "3" }
    assert.equal(7, s.workload[1].rps)
    assert.equal(3, s.target.concurrency)
  end)

  it("refuses paths that lead nowhere and values that cannot be", function()
    local base = demo()
    for path, pattern in pairs { ["pipeline.compte.tokens"] = "did you mean 'compute'",
      ["workload.rsp"] = "did you mean 'rps'", ["pipeline.h2d.bytes.x"] = "no parts",
      ["durration"] = "did you mean 'duration'", ["rsp"] = "did you mean 'rps'",
      ["concurency"] = "did you mean 'concurrency'" } do
      local s, problems = base:try_with { [path] = 1 }
      assert.is_nil(s)
      assert.matches(pattern, tostring(problems), 1, true)
    end
    local ok, problems = pcall(base.with, base, { rps = -1 })
    assert.is_false(ok)
    assert.matches("workload.rps: is -1; it must be more than 0", tostring(problems), 1, true)
    assert.has_error(function() base:with "rps" end)
  end)

  it("takes nothing away", function()
    for _, word in ipairs { "nil", "null" } do
      local ok, problems = pcall(demo().with, demo(), { ["slo.p99"] = word })
      assert.is_false(ok)
      assert.equal("slo.p99: '" .. word .. "' is not a value: a change gives another one, it takes "
        .. "nothing away", tostring(problems))
    end
    local _, problems = pcall(demo().with, demo(), { ["slo.p99"] = "soon" })
    assert.matches("slo.p99: 'soon' is not a quantity; wanted a time such as \"5ms\"",
      tostring(problems), 1, true)
  end)
end)

describe("a run", function()
  it("refuses options that it does not know or cannot use", function()
    local base = demo()
    for text, options in pairs {
      ["sed: unknown key; did you mean 'seed'?"] = { sed = 1 },
      ["seed: 'a' is not a quantity"] = { seed = "a" },
      ["replications: is 0; the least is 1"] = { replications = 0 },
      ["trace: is 3; wanted a text"] = { trace = 3 },
      ["engine: 'fast' is not known"] = { engine = "fast" },
      ["requests_log: wants \"all\", { slowest = N } or { sample = N }"] = { requests_log = {} },
      ["duration: '3MB' is a size"] = { duration = "3MB" },
      ["run wants a table { seed = 1, … }, not 3"] = 3,
    } do
      local ok, problems = pcall(base.run, base, options)
      assert.is_false(ok)
      assert.matches(text, tostring(problems), 1, true)
    end
  end)
end)

describe("td.gpu", function()
  it("shows catalogue numbers and overrides as numbers", function()
    assert.is_number(td.gpu("H100").flops)
    assert.is_number(td.gpu("H100").bandwidth)
    assert.equal(5e12, td.gpu "H100" { flops = "5 TFLOP/s" }.flops)
    assert.equal(td.gpu("H100").bandwidth, td.gpu "H100" { flops = 1 }.bandwidth)
    assert.is_nil(td.gpu("H100").no_such_field)
  end)

  it("can be used as a base for several", function()
    local base = td.gpu "L40" { concurrency = 2 }
    local more = base { count = 3 }
    assert.equal(2, more.concurrency)
    assert.is_nil(rawget(base, "count"))
  end)
end)
