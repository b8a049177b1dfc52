-- Problems: all together, each with its line, its path and the nearest valid thing.

local sandbox = require "tandem.sandbox"
local td = require "tandem"

local function problems_of(text, path)
  local s, problems = sandbox.load_scenario(path or "bad.lua", { text = text })
  assert.is_nil(s)
  return problems
end

describe("check", function()
  it("reports everything at once, with lines and paths", function()
    local problems = problems_of [[
local td = require "tandem"
local compute = td.tokens "compute" { tokens = -128,
  batch = {
    max = 0 },
}
return td.scenario "demo" {
  workload = td.poisson { rps = "2ms", duraton = "10s" },
  target = td.gpu "L4O" {
    concurrency = 4.5 },
  pipeline = {
    td.fixed "pre" { time = "2 parsec" }, td.fixed "post" { tim = 1 },
    td.transfer "h2d" {
      bytess = "8MiB" },
    compute,
    td.exponential "2ms",
    { type = "fixd", time = 1 },
  },
  ["slo"] = { p99 = "250MB" },
  on = { tick = 5 },
}
]]
    local lines, texts = {}, {}
    for i, p in ipairs(problems) do
      assert.equal("bad.lua", p.file)
      lines[i] = p.line
      texts[#texts + 1] = p.path .. ": " .. p.message
    end
    texts = table.concat(texts, "\n")
    for _, pattern in ipairs {
      "pipeline.compute.tokens: is negative (-128)",
      "pipeline.compute.batch.max: is 0; the least is 1",
      "workload.rps: '2ms' is a time; wanted a rate such as \"15rps\"",
      "workload.duraton: unknown key; did you mean 'duration'?",
      "target.name: unknown GPU 'L4O'; did you mean 'L40",
      "target.concurrency: is 4.5; it must be a whole number",
      "pipeline.pre.time: unknown unit 'parsec'",
      "pipeline.post.tim: unknown key; did you mean 'time'?",
      "pipeline.post.time: is missing",
      "pipeline.h2d.bytess: unknown key; did you mean 'bytes'?",
      "pipeline[5]: is a td.exponential; wanted a step",
      "pipeline[6]: unknown type 'fixd'; did you mean 'fixed'?",
      "slo.p99: '250MB' is a size; wanted a time",
      "on.tick: is 5; wanted a function",
    } do
      assert.matches(pattern, texts, 1, true)
    end
    assert.same({ 2, 4, 7, 7, 8, 9, 11, 11, 11, 12, 13, 15, 16, 18, 19 }, lines)
  end)

  it("joins what spans several keys", function()
    local text = tostring(problems_of [[
local td = require "tandem"
return td.scenario "x" {
  workload = td.poisson(1), attrs = { tokens = 5 },
  target = td.gpu "L40",
  pipeline = {
    td.stage "a" { cost = function(r) return r.tokns * r.gpu.flop end },
    td.stage "b" { on = "dbb", cost = 1 },
  },
  resources = { td.pool "db" {} },
}
]])
    assert.matches("bad.lua:6: pipeline.a.cost: reads the request attribute 'tokns',"
      .. " which nothing gives; did you mean 'tokens'?", text, 1, true)
    assert.matches("bad.lua:6: pipeline.a.cost: reads r.gpu.flop, which the GPU does not have;"
      .. " did you mean 'flops'?", text, 1, true)
    assert.matches("bad.lua:7: pipeline.b.on: no resource is called 'dbb'; did you mean 'db'?",
      text, 1, true)
  end)

  local function refused(raw, pattern)
    raw.name = "x"
    local s, problems = td.check(raw)
    assert.is_nil(s)
    assert.matches(pattern, tostring(problems), 1, true)
  end
  local p = function() return { td.fixed "f" { time = 1 } } end

  it("refuses scenarios that cannot run", function()
    refused({ pipeline = p() }, "workload: is missing: who arrives?")
    refused({ workload = td.poisson(1) }, "pipeline: is missing: what does a request do?")
    refused({ workload = td.poisson(1), pipeline = {} }, "pipeline: is empty")
    refused({ workload = td.poisson(1), pipeline = td.fixed "f" { time = 1 } },
      "wanted a list { td.fixed … }")
    refused({ workload = td.poisson(1), pipeline = { td.tokens { tokens = 1 } } },
      "runs on the GPU but the scenario has no target")
    refused({ workload = td.poisson(1), pipeline = { nil, td.fixed { time = 1 } } }, "has a hole")
    refused({ workload = td.poisson(1), pipeline = p(), warmup = "atuo" }, "\"auto\", \"none\"")
    refused({ workload = td.poisson(1), pipeline = p(), replications = 0 }, "the least is 1")
    refused({ workload = td.poisson(1), pipeline = p(), duration = "10 rps" }, "wanted a time")
    refused({ workload = td.poisson(1), pipeline = p(), target = td.pool "x" {} },
      "wanted td.fleet or td.gpu")
    refused({ workload = td.poisson(1), pipeline = p(), router = "rondom" }, "'random'")
    refused({ workload = td.poisson(1), pipeline = p(), cpu = 1000000001 },
      "is 1000000001; the most is 1000000000")
    refused({ workload = td.poisson(1), pipeline = p(), priority = 16 }, "the most is 15")
    refused({ workload = td.poisson(1), pipeline = p(), cpu = 0 }, "cpu.workers: is 0")
    refused({ workload = td.poisson(1), pipeline = p(), cpu = 1e30 }, "the most is 1000000000")
    refused({ workload = td.poisson(1), pipeline = p(), attrs = { n = "lots" } },
      "as a formula it knows no 'lots'; an attribute is written r.lots")
    refused({ workload = td.poisson(1), pipeline = p(), attrs = { id = 3 } },
      "attrs.id: every request has its own r.id")
    refused({ workload = td.poisson(1), pipeline = p(), expect = { x = { mim = 1 } } },
      "did you mean 'min'")
    refused({ workload = td.poisson(1), pipeline = p(), on = { every = 1 } }, "has no tick")
    refused({ workload = td.poisson(1), pipeline = p(), resources = { td.pool "a" {},
      td.pool "a" { servers = 2 } } }, "two different resources are named 'a'")
    refused({ workload = td.poisson(1), pipeline = p(), resources = { td.pool "gpu" {} } },
      "reserved name")
    refused({ workload = { td.poisson { rps = 1, class = "a" } }, pipeline = p(),
      classes = { { name = "b", workload = td.poisson(1) } } }, "'a' is not among the classes")
    refused({ classes = { { name = "a" } }, pipeline = p() }, "class 'a' has no workload")
    refused({ workload = td.poisson(1), pipeline = p(), target = td.fleet { td.gpu "L40",
      td.gpu "L40", router = "weighted", weights = { 1 } } }, "are 1 for 2 GPUs")
    for router, wants in pairs { weighted = "weights", affinity = "key" } do
      refused({ workload = td.poisson(1), pipeline = p(), router = router,
        target = td.gpu "L40" { count = 2 } }, "wants the " .. wants .. " of a fleet")
    end
    refused({ workload = td.poisson(1), pipeline = { td.stage "s" { on = "gpu", cost = 1 } },
      target = td.gpu "L40" { mtbf = 1 } }, "mtbf and mttr go together")
    refused({ workload = td.poisson(1), target = td.gpu "L40" { link = td.link "l" {
      bandwidth = 1 } }, pipeline = { td.stage "s" { on = "h2d", cost = 1 } } },
      "a shared link, where only bytes")
  end)

  it("knows which figures a result has", function()
    local function expecting(demands)
      return { workload = td.poisson(1), expect = demands,
        pipeline = { td.fixed "a" { time = 1 },
          td.loop "l" { times = 2, td.delay "d.e" { time = 1 } } } }
    end
    refused(expecting { ["latncy.p99"] = 1 }, "a result has no 'latncy'; did you mean 'latency'?")
    refused(expecting { ["latency.p98"] = 1 }, "latency has no 'p98'; did you mean 'p90'?")
    refused(expecting { ["latency.p99"] = { max = "5MB" } }, "'5MB' is a size; wanted a time")
    refused(expecting { ["stages.b.wait.mean"] = 1 }, "no stage is called 'b'; did you mean 'a'?")
    local raw = expecting { ["stages.a.wait.mean"] = "5ms", ["stages.d.e.batch"] = 1,
      ["stages.1.visits"] = 3, ["recorded.x.mean"] = 1, goodput_rps = { min = "3rps" },
      bottleneck = "cpu" }
    raw.name = "x"
    local s, problems = td.check(raw)
    assert.equal("no problems", tostring(problems))
    local by_path = {}
    for _, demand in ipairs(s.expect) do by_path[demand.path] = demand end
    assert.equal(0.005, by_path["stages.a.wait.mean"].equals)
    assert.equal("cpu", by_path.bottleneck.equals)
  end)

  it("wants units of objectives in time, as the command line does", function()
    local raw = { workload = td.poisson(1), pipeline = p(), slo = { p99 = 80 } }
    refused(raw, 'slo.p99: 80 has no unit; write "80ms" or "80s"')
    raw.slo = { deadline = "0.5" }
    refused(raw, 'slo.deadline: 0.5 has no unit; write "0.5ms" or "0.5s"')
    raw.slo = { p99 = "80ms", goodput = 10, met = 0.9 }
    assert(td.check(raw))
  end)

  it("stops a cost that never returns, and says where", function()
    local raw = { workload = td.poisson(1), target = td.gpu "L4" {},
      pipeline = { td.stage "s" { on = "gpu", cost = function(r)
        local x = 0
        while x >= 0 do
          pcall(function() x = x + 1 end)
        end
        return x + r.n
      end } }, attrs = { n = 1 } }
    refused(raw, "one call ran for more than 50000000 instructions")
    refused(raw, "check_spec.lua:")
  end)

  it("says where a key belongs that stands one table too far in or out", function()
    local function server(keys)
      return { target = td.gpu "H100 SXM" {}, workload = td.poisson(1),
        attrs = { prompt_tokens = 9, output_tokens = 9 },
        pipeline = { td.generate "a" (keys) } }
    end
    local model = td.llm "Qwen3-8B"
    refused(server { model = model, engine = { server = "vllm", dp = 2 } },
      "pipeline.a.engine.dp: unknown key here; it is one of the table around this one")
    refused(server { model = model, max_seqs = 4 },
      "pipeline.a.max_seqs: unknown key here; engine has it")
    -- A misspelt one of its own comes first.
    refused(server { model = model, engine = { max_seq = 4 } },
      "pipeline.a.engine.max_seq: unknown key; did you mean 'max_seqs'?")
    -- Where the walk left a table, the table before it is around again.
    refused(server { model = model, engine = { server = "vllm" }, rps = 4 },
      "pipeline.a.rps: unknown key; one of")
  end)

  it("knows percentiles, and rates that a clock can tell", function()
    local raw = { workload = td.poisson(1), pipeline = p(), slo = { p101 = "1s" } }
    refused(raw, "slo.p101: unknown key")
    raw.slo = { p0 = "1s" }
    refused(raw, "slo.p0: unknown key")
    raw.slo = { p999 = "1s", ["p99.9"] = "1s", p50 = "1s" }
    assert(td.check(raw))
    raw.workload = td.poisson(1e300)
    refused(raw, "workload.rps: is 1e+300; the most is 1000000000")
  end)

  it("says once that a place is unknown", function()
    local _, problems = td.check { name = "x", workload = td.poisson(1), target = td.gpu "L40",
      pipeline = { td.tokens "a" { tokens = 1, on = "gpuu" } } }
    assert.equal("pipeline.a.on: no resource is called 'gpuu'; did you mean 'gpu'?",
      tostring(problems):match "pipeline.*")
  end)

  it("wants names of at most 1,000 bytes", function()
    local text = [[local td, n = require "tandem", ...
return td.scenario(("s"):rep(%d)) { workload = td.paced { rps = 1, duration = "1s" },
  pipeline = { td.fixed(("t"):rep(%d)) { time = "1ms" } } }]]
    local problems = problems_of(text:format(1 << 20, 1001))
    assert.equal(2, #problems)
    assert.equal("name: has 1,048,576 bytes; the most is 1,000",
      problems[1].path .. ": " .. problems[1].message)
    assert.equal("pipeline[1].name: has 1,001 bytes; the most is 1,000",
      problems[2].path .. ": " .. problems[2].message)
    assert(sandbox.load_scenario("good.lua", { text = text:format(1000, 1000) }))
  end)

  it("wants a name", function()
    local _, problems = td.check { name = "", workload = td.poisson(1), pipeline = p() }
    assert.matches("name: is empty", tostring(problems), 1, true)
  end)

  it("has words for no problems at all", function()
    local _, problems = td.check { name = "x", workload = td.poisson(1), pipeline = p() }
    assert.equal("no problems", tostring(problems))
  end)

  it("knows the words of td outside of scenarios, too", function()
    local ok, message = pcall(function() return td.poison end)
    assert.is_false(ok)
    assert.matches("check_spec.lua:%d+: td has no 'poison'; did you mean 'poisson'", message)
  end)

  it("raises all problems from td.scenario as one value", function()
    local ok, problems = pcall(function()
      return td.scenario "x" { workload = td.poisson(0), pipeline = p(), sed = 1 }
    end)
    assert.is_false(ok)
    assert.is_true(td.is_problems(problems))
    assert.equal(2, #problems)
  end)

  it("explains wrong calls of constructors", function()
    for _, case in ipairs {
      { function() td.fixed("a", { time = 1 }) end, "the table follows the name without a comma" },
      { function() td.fixed "a" (5) end, "wants a table" },
      { function() td.fixed(5) end, "wants a name and a table" },
      { function() td.scenario {} end, "wants a name and a table" },
      { function() td.scenario "x" (5) end, "wants a table" },
    } do
      local ok, message = pcall(case[1])
      assert.is_false(ok)
      assert.matches(case[2], message, 1, true)
      assert.matches("check_spec.lua", message, 1, true)
    end
  end)

  it("never fails on data it did not expect", function()
    local junk = { true, 0, -1, 1e308, 0 / 0, math.huge, "", "x", "5ms", {}, { {} }, { 1, 2 },
      { a = {} }, rawlen, td.fixed "f" {}, td.poisson(1), td.exponential(1), td.gpu "L40",
      td.attr "x", td.fixed, { type = "fixed" }, { type = 5 }, { [1.5] = 1 }, { [{}] = 1 },
      td.fleet {}, td.branch {}, setmetatable({}, { __index = error }) }
    local keys = { "workload", "target", "cpu", "resources", "pipeline", "classes", "attrs", "slo",
      "on", "admit", "router", "duration", "requests", "warmup", "replications", "seed", "expect",
      "title", "priority", "patience", "timeout", "retry", "unknown" }
    local step_keys = { "time", "jitter", "batch", "on", "bytes", "steps", "choices", "cost" }
    for _, value in ipairs(junk) do
      for _, key in ipairs(keys) do
        local raw = { name = "x", workload = td.poisson(1), pipeline = p() }
        raw[key] = value
        local ok, s, problems = pcall(td.check, raw)
        assert.is_true(ok, key .. ": " .. tostring(s))
        assert.is_true(s ~= nil or #problems > 0)
        if s then assert.is_table(s:model()) end
      end
      for _, key in ipairs(step_keys) do
        for _, make in ipairs { td.fixed, td.transfer, td.stage, td.branch, td.loop, td.hold } do
          local ok, s = pcall(td.check, { name = "x", workload = td.poisson(1),
            pipeline = { make "h2d" { [key] = value } } })
          assert.is_true(ok, key .. ": " .. tostring(s))
        end
      end
    end
  end)

  it("keeps the names of a request's own fields from attributes and columns", function()
    local text = tostring(problems_of [[
local td = require "tandem"
return td.scenario "x" { attrs = { id = 3, tokens = 5, batch = td.uniform(1, 4) },
  workload = td.replay { file = "tests/data/none.csv", columns = { arrival = "t", gpu = "g" } },
  pipeline = { td.delay "d" { time = 1 } } }
]])
    assert.matches("bad.lua:2: attrs.batch: every request has its own r.batch; choose another name",
      text, 1, true)
    assert.matches("bad.lua:2: attrs.id: every request has its own r.id", text, 1, true)
    assert.matches("bad.lua:3: workload.columns.gpu: every request has its own", text, 1, true)
    assert.not_matches("arrival:", text, 1, true)
  end)

  it("finds the impossible distribution where it is written", function()
    local text = tostring(problems_of [[
local td = require "tandem"
return td.scenario "x" { workload = td.poisson(1), attrs = { shift = td.uniform(-1, 1) },
  pipeline = {
    td.delay "a" { time = td.gamma { mean = "1ms", cv = 1e9 } },
    td.delay "b" { time = td.normal { mean = -100, sd = 0.001 } },
    td.delay "c" { time = td.empirical { 1, -1 } },
    td.delay "d" { time = td.mixture { {1, -1}, {1, td.lognormal { p0 = 1, p50 = 2 } } } },
    td.delay "e" { time = "3 * r.shift + lgo(2)" },
    td.delay "f" { time = td.empirical { -1, 1 } * 0.1 + 5 },
  } }
]])
    for _, pattern in ipairs {
      "bad.lua:4: pipeline.a.time: gamma: cv must be between 0 and 1000, not 1e+09",
      "bad.lua:5: pipeline.b.time: normal: mean -100",
      "bad.lua:6: pipeline.c.time.values[2]: is negative (-1)",
      "bad.lua:7: pipeline.d.time.parts[1][2]: is negative (-1)",
      "bad.lua:7: pipeline.d.time.parts[2][2].p0: unknown key; did you mean 'p50'?",
      "bad.lua:8: pipeline.e.time: there is no 'lgo'; did you mean 'log'?",
    } do
      assert.matches(pattern, text, 1, true)
    end
    assert.not_matches("shift:", text, 1, true)
    assert.not_matches("pipeline.f", text, 1, true)
  end)
end)
