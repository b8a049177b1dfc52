-- JSON: the reader, the scenario form both ways, and the seed format.

local json = require "tandem.io.json"
local sandbox = require "tandem.sandbox"
local td = require "tandem"

local function load_text(text) return sandbox.load_scenario("s.json", { text = text }) end

local seed = [[{
  "name": "demo",
  "workload": { "name": "wl", "rps": 2, "duration_s": 10, "batch_size": 1, "jitter_pct": 5 },
  "target": {
    "name": "L40",
    "tflops": 180,
    "mem_gbps": 3000,
    "ms_per_token": 0.2,
    "h2d_gbps": 32,
    "d2h_gbps": 32,
    "concurrency": 4
  },
  "pipeline": [
    { "name": "preprocess", "kind": "fixed_ms", "value": 2 },
    { "name": "h2d", "kind": "bytes", "value": 8388608 },
    { "name": "compute", "kind": "tokens", "value": 128 },
    { "name": "d2h", "kind": "bytes", "value": 2097152 },
    { "name": "postprocess", "kind": "fixed_ms", "value": 1 }
  ]
}]]

describe("json.decode", function()
  it("reads values", function()
    for text, wanted in pairs {
      ["[1, 2.5, -3e2, true, false]"] = { 1, 2.5, -300, true, false },
      ['{"a": {"b": []}, "c": null}'] = { a = { b = {} } },
      ['["\\u00e9\\n\\"\\ud83d\\ude00/"]'] = { 'é\n"😀/' },
      [' {} '] = {},
    } do
      assert.same(wanted, (json.decode(text)))
    end
    assert.equal("integer", math.type(json.decode("[9007199254740993]")[1]))
    assert.equal(9007199254740993, json.decode("[9007199254740993]")[1])
  end)

  it("refuses what is not JSON, and says on which line", function()
    for _, text in ipairs { "", "{", "[1,]", "{\"a\" 1}", "{a: 1}", "[01]", "[1.]", "[.5]", "[+1]",
      "nul", "[\"\\x\"]", "[\"\\ud800\"]", "[\"a\nb\"]", "[1] 2", "{\"a\":1,\"a\":2}", "[null]",
      "[1e]", "'a'", "[tru]", ("["):rep(1000) } do
      local value, problem = json.decode(text)
      assert.is_nil(value, text)
      assert.is_string(problem.message)
    end
    local _, problem = json.decode '{\n"a": 1,\n"b" 2}'
    assert.equal(3, problem.line)
  end)

  it("never fails on cut or changed text", function()
    for i = 0, #seed do
      assert.is_true((pcall(load_text, seed:sub(1, i))))
      local changed = seed:sub(1, i) .. "\255" .. seed:sub(i + 2)
      assert.is_true((pcall(load_text, changed)))
    end
  end)
end)

describe("the seed format", function()
  it("runs unchanged", function()
    local s, problems = load_text(seed)
    assert.equal("no problems", tostring(problems))
    local m = s:model()
    assert.equal(10, m.duration)
    assert.same({ kind = "renewal", gap = { dist = "exponential", mean = 0.5 } },
      m.classes[1].arrivals)
    local jitter = { dist = "normal", mean = 1, sd = 0.05, min = 0 }
    assert.same({
      { op = "serve", name = "preprocess", lane = "CPU", station = 1, cost = 0.002,
        jitter = jitter },
      { op = "serve", name = "h2d", lane = "H2D", station = 2, cost = 8388608 / 32e9,
        jitter = jitter, bytes = 8388608 },
      { op = "serve", name = "compute", lane = "GPU", station = 3, cost = 128 * 0.2e-3,
        jitter = jitter },
      { op = "serve", name = "d2h", lane = "D2H", station = 4, cost = 2097152 / 32e9,
        jitter = jitter, bytes = 2097152 },
      { op = "serve", name = "postprocess", lane = "CPU", station = 1, cost = 0.001,
        jitter = jitter },
    }, m.classes[1].route)
    assert.equal(4, m.stations[3].servers)
    assert.equal(180e12, m.gpus[1].params.flops)
    assert.equal(3000e9, m.gpus[1].params.bandwidth)
  end)

  it("needs nothing but the loader", function()
    local kept = {}
    for name, module in pairs(package.loaded) do
      if name:find("^tandem") and name ~= "tandem.core" and name ~= "tandem.embedded" then
        kept[name], package.loaded[name] = module, nil
      end
    end
    local fresh = require "tandem.sandbox"
    local s, problems = fresh.load_scenario("s.json", { text = seed })
    for name in pairs(package.loaded) do
      if name:find("^tandem") and kept[name] then package.loaded[name] = nil end
    end
    for name, module in pairs(kept) do package.loaded[name] = module end
    assert.equal("no problems", tostring(problems))
    assert.equal("demo", s.name)
  end)

  it("may ask for even spacing and batches", function()
    local s = load_text((seed:gsub('"rps": 2', '"arrivals": "constant", "rps": 2')
      :gsub('"batch_size": 1', '"batch_size": 4')))
    assert.same({ kind = "constant", rps = 0.5, batch = { dist = "constant", value = 4 } },
      s:model().classes[1].arrivals)
  end)

  it("is checked with its own words", function()
    local _, problems = load_text((seed:gsub('"rps": 2', '"rps": -2'):gsub("fixed_ms", "fixed_s")
      :gsub('"tflops"', '"tflop"')))
    local text = tostring(problems)
    assert.matches("s.json:3: workload.rps: is -2; it must be more than 0", text, 1, true)
    assert.matches("s.json:6: target.tflop: unknown key; did you mean 'tflops'?", text, 1, true)
    assert.matches("s.json:14: pipeline.preprocess.kind: 'fixed_s' is not known", text, 1, true)
    assert.equal(4, #problems)
  end)
end)

describe("a scenario as JSON", function()
  local function same(s)
    local text = s:to_json()
    local back, problems = load_text(text)
    assert.equal("no problems", tostring(problems))
    assert.equal(s:hash(), back:hash())
    assert.same(s:model(), back:model())
    assert.equal(text, back:to_json())
  end

  it("reads back equal", function()
    same(td.scenario "all" {
      question = "is it \"equal\"?\n", tags = { "a", "b" }, seed = 7, replications = 3,
      workload = { td.poisson { rps = 20, class = "a", batch = td.uniform(1, 3) },
        td.mmpp { { 5, "2s" }, { 50, "500ms" }, class = "b" } },
      target = td.fleet "f" { td.gpu "H100" { count = 2, memory = "70GB" }, td.gpu "L40",
        router = "affinity", key = "user", link = td.link "pcie" { bandwidth = "50GB/s" } },
      cpu = { workers = 8 },
      resources = { td.pool "db" { servers = math.huge }, td.memory "kv" { bytes = "1GB" } },
      classes = { { name = "a", attrs = { tokens = td.lognormal { p50 = 10, p99 = 200 },
        user = td.zipf(10, 1) }, slo = { p99 = "1s" }, retry = { max = 2 }, patience = "3s" },
        { name = "b", attrs = { tokens = td.mixture { { 0.5, 3 }, { 0.5, td.constant(9) } },
          user = 1 }, priority = 1 } },
      pipeline = {
        td.fixed "pre" { time = td.exponential "1ms" * 2 + 1e-4, jitter = td.gamma(1, 0.1) },
        td.transfer "h2d" { bytes = "1MiB" },
        td.hold "mem" { memory = "1GB", td.stage "c" { batch = { max = 4, wait = "1ms" },
          cost = function(r) return r.batch * r.sum.tokens / r.gpu.flops + 1e-3 end } },
        td.branch { { p = 0.25, td.delay "d" { time = "1ms" } }, {
          td.table "t" { points = { { 1, "1ms" }, { 9, "2ms" } } } } },
        td.loop "l" { again = 0.5,
          td.fork { { td.fixed { time = 1 } }, { td.fixed { time = 2 } } } },
        td.stage "x" { on = "db",
          cost = td.interp(td.attr "tokens", { { 0, 1 }, { 5, 2 } }) * 1e-3 },
        td.stage "e" { on = "db", cost = "r.tokens * 1e-6" },
      },
      expect = { ["latency.p99"] = { max = "1s" }, bottleneck = "gpu" },
    })
  end)

  it("is the same scenario where its texts are no UTF-8", function()
    for _, bad in ipairs { "\xeb", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3" } do
      local named = td.scenario("de" .. bad .. "mo") {
        workload = td.poisson { rps = 20, duration = "10s" }, attrs = { ["k" .. bad] = 3 },
        target = td.gpu("mi" .. bad .. "ne") { flops = "100 TFLOP/s", bandwidth = "1TB/s",
          h2d = "32GB/s", d2h = "32GB/s" },
        pipeline = { td.fixed("pr" .. bad .. "e") { time = "2ms" } } }
      local text = named:to_json()
      assert.truthy(utf8.len(text))
      local again = assert(sandbox.load_scenario("again.json", { text = text }))
      assert.equal(named:hash(), again:hash())
    end
  end)

  it("holds functions only where they are arithmetic", function()
    local s = td.scenario "f" { workload = td.poisson(1), attrs = { n = 1 },
      pipeline = { td.stage "s" { on = "cpu", cost = function(r)
        if r.n > 1 then return 1 end return 2
      end } }, on = { complete = function() end } }
    local ok, problems = pcall(s.to_json, s)
    assert.is_false(ok)
    assert.matches("pipeline.s.cost: is a Lua function, which JSON cannot hold", tostring(problems),
      1, true)
    assert.matches("on.complete: is a Lua function", tostring(problems), 1, true)
  end)

  it("is the script where there are other functions", function()
    for path in io.popen("ls scenarios/*.lua"):lines() do
      local s = assert(td.load(path))
      s = s:with { replications = 3 }:with { slo = { p99 = "1s" }, duration = "7s" }
      local text = s:to_json()
      local back, problems = sandbox.load_scenario("x.json", { text = text,
        directory = "scenarios" })
      assert(back, path .. ": " .. tostring(problems))
      assert.equal(s:hash(), back:hash(), path)
      assert.equal(text, back:to_json())
    end
  end)

  it("says where an embedded script is wrong", function()
    local _, problems = load_text '{ "name": "x",\n "script": ["local td = nil", "td.x()"] }'
    assert.matches("s.json (script):2: attempt to index", tostring(problems), 1, true)
    _, problems = load_text '{ "name": "x",\n "script": "return", "wiht": [] }'
    assert.matches("s.json:2: wiht: unknown key; did you mean 'with'?", tostring(problems), 1, true)
    assert.matches("s.json:2: script: is the text 'return'; wanted a list", tostring(problems), 1,
      true)
  end)

  it("is checked like any other, with its lines", function()
    local _, problems = load_text [[
{ "name": "x",
  "workload": { "type": "poison", "rps": 1 },
  "pipeline": [
    { "type": "fixed", "name": "a",
      "time": "1MB" },
    { "type": "stage", "on": "cpu",
      "cost": { "type": "expr", "expr": ["mull", 1, 2] } } ] }
]]
    local text = tostring(problems)
    assert.matches("s.json:2: workload: unknown type 'poison'; did you mean 'poisson'?", text, 1,
      true)
    assert.matches("s.json:5: pipeline.a.time: '1MB' is a size", text, 1, true)
    assert.matches("s.json:7: pipeline[2].cost: is not a valid expression: no operator 'mull'",
      text, 1, true)
  end)
end)
