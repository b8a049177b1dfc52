-- What-ifs: paired differences, what matters most, and the front nobody beats.
local json = require "tandem.io.json"
local td = require "tandem"

local function base(extra)
  local raw = {
    workload = td.poisson { rps = 8, requests = 4000 },
    target = td.gpu "mine" { flops = 1e12, bandwidth = 1e9, price = "3.6$/h", tdp_w = 300 },
    pipeline = { td.fixed "work" { time = td.exponential "100ms", on = "gpu" } },
    replications = 16,
  }
  for k, v in pairs(extra or {}) do raw[k] = v end
  return td.scenario "base" (raw)
end

describe("what if", function()
  it("finds the difference that theory gives", function()
    -- M/M/1: mean sojourn 1 / (µ - λ): 0.5 s at 8/s, 0.25 s at 6/s.
    local answer = td.whatif(base(), { ["less load"] = { rps = 6 } }, { metric = "latency.mean" })
    local gap = answer:row "less load".differences["latency.mean"]
    assert.is_true(math.abs(gap.value - -0.25) <= 3 * gap.half)
    assert.near(gap.value / answer.base.metrics["latency.mean"].value, gap.relative, 1e-12)
  end)

  it("pairs: the same luck makes a difference much surer than its two sides", function()
    local long = base { workload = td.poisson { rps = 8, requests = 16000 } }
    local answer = td.whatif(long, { ["1 % faster"] = {
      ["pipeline.work.time"] = td.exponential "99ms" } }, { metric = "latency.mean" })
    local row = answer:row "1 % faster"
    local gap, side = row.differences["latency.mean"], row.metrics["latency.mean"]
    assert.is_true(gap.half < side.half / 5)
    assert.is_true(gap.value + gap.half < 0)
    assert.matches("better", tostring(answer))
  end)

  it("gives the same bytes with any number of threads", function()
    local variants = { a = { rps = 7 }, b = { ["target.concurrency"] = 2 }, c = base { seed = 4 } }
    local one = td.whatif(base(), variants, { threads = 1 }):to_json()
    assert.equal(one, td.whatif(base(), variants, { threads = 3 }):to_json())
  end)

  it("takes scenarios and functions, keeps the order of a list", function()
    local answer = td.whatif(base(), {
      { "z", function(b) return b:with { rps = 4 } end },
      { "a", function() return { rps = 2 } end } })
    assert.equal("z", answer.rows[1].name)
    assert.is_true(answer.rows[1].differences["latency.p99"].value < 0)
    assert.is_true(answer.rows[2].metrics["latency.p99"].value
      < answer.rows[1].metrics["latency.p99"].value)
  end)

  it("tells progress within a variant", function()
    local job, core = require "tandem.sweep.job", require "tandem.core"
    local share, told = core.crew_share, {}
    core.crew_share = function(part) told[#told + 1] = part end
    -- Long enough that somebody looks while it runs.
    local long = base { workload = td.poisson { rps = 8, requests = 200000 } }
    local function run(is_told)
      return job.run({ long }, nil, { base = 1, seed = 1, replications = 2, metrics = {},
        told = is_told })
    end
    local silent, ok = run(nil), pcall(run, true)
    core.crew_share = share
    assert.is_true(silent.ok and ok)
    assert.is_true(#told > 0)
    for i, part in ipairs(told) do assert.is_true(part >= (told[i - 1] or 0) and part <= 1) end
  end)

  it("joins the variants that nobody beats in both", function()
    local answer = td.whatif(base { target = td.gpu "mine" { flops = 1e12, price = "2$/h",
      count = 2 } }, { { "one", { gpus = 1 } }, { "three", { gpus = 3 } },
      { "dear", { gpus = 1, ["target.price"] = "9$/h" } } })
    local names = {}
    for i, row in ipairs(answer:pareto()) do names[i] = row.name end
    assert.same({ "one", "base", "three" }, names)
    assert.equal("usd_per_hour", answer:cost())
  end)

  it("says what is wrong in one line", function()
    local function refused(pattern, ...)
      local ok, message = pcall(td.whatif, base(), ...)
      assert.is_false(ok)
      assert.matches(pattern, tostring(message))
    end
    refused("variant 'a': .*rsp.*did you mean 'rps'", { a = { rsp = 1 } })
    refused("at least one variant", {})
    refused("variant 'a' wants", { a = 3 })
    refused("no 'latency.p98'; did you mean 'latency.p9", { a = { rps = 1 } },
      { metric = "latency.p98" })
  end)

  it("is described by a scenario, not called in one", function()
    local s = assert(td.load("x.lua", { text = [[
      local td = require "tandem"
      return td.scenario "x" { workload = td.poisson { rps = 1, requests = 10 },
        pipeline = { td.delay "d" { time = 1 } }, whatif = { faster = { rps = 2 } } }]] }))
    assert.same({ faster = { rps = 2 } }, s.checked.whatif)
    local none, problems = td.load("y.lua", { text = [[
      local td = require "tandem"
      return td.whatif(1, {})]] })
    assert.is_nil(none)
    assert.matches("tandem whatif FILE", tostring(problems))
  end)
end)

describe("what if requests are lost", function()
  it("says which variants lose some", function()
    local s = td.scenario "lossy" { workload = td.poisson { rps = 100, duration = "20s" },
      target = td.gpu "A10G" { queue = 2 }, slo = { p99 = "600ms" },
      pipeline = { td.stage "work" { on = "gpu", cost = td.exponential "50ms" } } }
    local w = td.whatif(s, { ["32"] = { gpus = 32 } })
    assert.matches("Requests are lost, and latencies are of those served: base %(8%d", tostring(w))
    assert.near(0.8, w.base.metrics.lost.value, 0.02)
    local enough = td.whatif(s:with { gpus = 32, rps = 10 }, { ["64"] = { gpus = 64 } })
    assert.is_nil(tostring(enough):find("are lost", 1, true))
  end)
end)

describe("a tornado", function()
  it("puts first what moves the metric most", function()
    local t = td.tornado(base { pipeline = {
      td.fixed "big" { time = td.exponential "100ms", on = "gpu" },
      td.delay "small" { time = "2ms" } } }, { metric = "latency.mean" })
    assert.same({ "pipeline.big.time", "workload.rps", "pipeline.small.time" },
      { t.rows[1].path, t.rows[2].path, t.rows[3].path })
    assert.near(-0.0002, t.rows[3].low.value, 1e-9)
    assert.near(0.0002, t.rows[3].high.value, 1e-9)
    assert.matches("big time", tostring(t))
  end)

  it("does not rank a count beside what it was not turned like", function()
    local t = td.tornado(base { target = td.gpu "mine" { flops = 1e12, count = 3 } },
      { inputs = { "gpus", "rps" } })
    assert.same({ "workload.rps", "target.count" }, { t.rows[1].path, t.rows[2].path })
    assert.is_true(t.rows[2].swing > t.rows[1].swing)
    assert.near(1 / 3, t.rows[2].high_by, 1e-12)
    assert.equal(0.1, t.rows[1].high_by)
    local text = tostring(t)
    assert.matches("not by 10 %%:\n *number of GPUs %(2, 4: %-33.3 %%, %+33.3 %%%)", text)
    assert.matches('"coarse": true', t:to_json())
    -- Thirty GPUs and three are a tenth.
    local even = td.tornado(base { workload = td.poisson { rps = 8, requests = 500 },
      target = td.gpu "mine" { flops = 1e12, count = 30 } }, { inputs = { "gpus", "rps" } })
    assert.is_nil(tostring(even):find("not by", 1, true))
  end)

  it("tells as data, too, what could not be turned", function()
    local t = td.tornado(base { target = td.gpu "mine" { flops = 1e12, count = 95000 } },
      { inputs = { "gpus", "rps" }, replications = 2 })
    assert.equal("number of GPUs", t.failed[1].name)
    local told = json.decode(t:to_json())
    assert.same({ "number of GPUs", t.failed[1].message },
      { told.failed[1].name, told.failed[1].message })
    assert.equal(1, #told.inputs)
  end)

  it("says that its base is overloaded", function()
    local t = td.tornado(base { workload = td.poisson { rps = 400, requests = 2000 } },
      { inputs = { "rps" } })
    assert.is_true(t.overloaded)
    assert.matches("overloaded as it is", (tostring(t):gsub("%s+", " ")))
    assert.matches('"overloaded": true', t:to_json())
    assert.is_false(td.tornado(base(), { inputs = { "rps" } }).overloaded)
  end)

  it("turns counts by one at least, and by the share that is asked for", function()
    local t = td.tornado(base { target = td.gpu "mine" { flops = 1e12, concurrency = 3 } },
      { by = "20%", inputs = { "concurrency", "rps" } })
    table.sort(t.rows, function(a, b) return a.path < b.path end)
    assert.same({ 2, 4 }, { t.rows[1].low_input, t.rows[1].high_input })
    assert.near(6.4, t.rows[2].low_input, 1e-12)
    assert.error_matches(function() td.tornado(base(), { by = "100%" }) end,
      "by: wants a share above 0 and below 100 %%, such as")
    assert.error_matches(function() td.tornado(base(), { inputs = { "rsp" } }) end,
      "'rsp' is not an input")
  end)
end)
