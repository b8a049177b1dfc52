-- The result object: fields, methods, JSON.
local fixture = require "tests.spec.support.result_fixture"
local json = require "tandem.io.json"
local result = require "tandem.result"
local styles = require "tandem.plot.style"

describe("result", function()
  local demo

  before_each(function()
    demo = result.wrap(fixture.demo())
  end)

  it("keeps the engine's fields", function()
    assert.equal(0.0712, demo.latency.p99.value)
    assert.equal("demo", demo.name)
    assert.is_true(result.is(demo))
    assert.is_false(result.is({}))
  end)

  it("finds figures by path, items of lists by name", function()
    assert.equal(0.0712, demo:get "latency.p99")
    assert.equal(0.0021, demo:get "latency.p99.half")
    assert.equal(0.00021, demo:get "stages.compute.wait.mean")
    assert.equal(0.0193, demo:get "resources.L40#1 gpu.utilization")
    assert.equal(1960, demo:get "classes.1.arrived")
    assert.equal("L40#1 gpu", demo:get "bottleneck")
    assert.is_false(demo:get "overload")
    assert.is_true(demo:get "slo")
    assert.is_nil(demo:get "latency.p42")
    assert.is_nil(demo:get "name.of.nothing")
  end)

  it("finds names that hold dots", function()
    demo.resources[1].name = "PCIe 4.0 x16"
    assert.equal(0.0008, demo:get "resources.PCIe 4.0 x16.utilization")
  end)

  it("answers no when an objective was missed", function()
    assert.is_true(demo:answer())
    demo.classes[1].slo[1].met = false
    assert.is_false(demo:answer())
  end)

  it("lets the estimate decide where the interval cannot", function()
    local slo = demo.classes[1].slo[1]
    slo.met, slo.limit = nil, 0.0722
    assert.is_true(demo:answer())
    slo.limit = 0.0702
    assert.is_false(demo:answer())
  end)

  it("knows which objectives want more", function()
    assert.is_true(result.within("goodput", 5, 4))
    assert.is_false(result.within("met", 0.9, 0.95))
    assert.is_true(result.within("p99", 0.1, 0.2))
    assert.is_false(result.within("mean", 0.3, 0.2))
  end)

  it("names what is overloaded", function()
    local name, load = result.wrap(fixture.overloaded()):bottleneck()
    assert.equal("L40#1 gpu", name)
    assert.equal(1.44, load)
  end)

  it("gives tables that print themselves, and says which there are", function()
    local text = tostring(demo:table "resources")
    assert.matches("L40#1 gpu", text, 1, true)
    assert.has_error(function() demo:table "resorces" end,
      "a result has no table 'resorces'; did you mean 'resources'?")
  end)

  it("gives plots that print themselves, and says which there are", function()
    local style = styles.new { unicode = false, width = 60 }
    for _, name in ipairs { "latency", "cdf", "stages", "timeline" } do
      assert.is_true(#tostring(demo:plot(name, style)) > 20)
    end
    assert.has_error(function() demo:plot "latncy" end,
      "a result has no plot 'latncy'; did you mean 'latency'?")
  end)

  it("writes the published schema and nothing else", function()
    local cjson = require "cjson"
    local text = demo:to_json()
    local read = cjson.decode(text)
    assert.equal("tandem.result/1", read.schema)
    assert.equal(0.0712, read.latency.p99.value)
    local known = {}
    for _, field in ipairs(require("tandem.report.schema").fields) do
      known[field[1]] = true
    end
    for key in pairs(read) do
      assert.is_true(known[key], key)
    end
    for key in pairs(fixture.demo()) do
      assert.is_true(known[key], key)
    end
    assert.equal("\n", text:sub(-1))
  end)

  it("writes the same bytes twice", function()
    assert.equal(demo:to_json(), result.wrap(fixture.demo()):to_json())
  end)
end)

describe("JSON", function()
  it("writes numbers in the fewest digits that read back", function()
    local cases = { { 0.1, "0.1" }, { 1 / 3, "0.3333333333333333" }, { 2.0, "2" }, { 3, "3" },
      { 1e300, "1e+300" }, { -0.0, "0" }, { math.huge, "inf" }, { 0 / 0, "nan" },
      { math.maxinteger, "9223372036854775807" }, { 5e-324, "4.94065645841247e-324" } }
    for _, case in ipairs(cases) do
      assert.equal(case[2], json.number(case[1]))
    end
  end)

  it("reads back every number it writes", function()
    local bits = 0x9E3779B97F4A7C15
    for _ = 1, 2000 do
      bits = bits * 6364136223846793005 + 1442695040888963407
      local number = string.unpack("d", string.pack("j", bits))
      if number == number and math.abs(number) < math.huge then
        assert.equal(number, tonumber(json.number(number)))
      end
    end
  end)

  it("sorts keys and escapes text", function()
    assert.equal('{"a":1,"b":[1,2,{"c":true}]}',
      json.encode { b = { 1, 2, { c = true } }, a = 1 })
    assert.equal('"\\"\\\\\\n\\u0001é"', json.encode "\"\\\n\1é")
    assert.equal('"\u{FFFD}"', json.encode "\xff")
  end)

  it("tells empty lists from empty objects by their key", function()
    assert.equal('{"items":[],"other":{}}',
      json.encode({ items = {}, other = {} }, { lists = { items = true } }))
  end)

  it("indents", function()
    assert.equal('{\n  "a": [1, 2],\n  "b": {\n    "c": 1\n  }\n}',
      json.encode({ a = { 1, 2 }, b = { c = 1 } }, { indent = 2 }))
  end)

  it("refuses what JSON cannot hold", function()
    assert.has_error(function() json.encode(print) end, "cannot write a function as JSON")
    assert.has_error(function() json.encode { [{}] = 1 } end)
    local loop = {}
    loop.loop = loop
    assert.error_matches(function() json.encode(loop) end, "within itself", 1, true)
  end)
end)

describe("expect", function()
  local expect = require "tandem.result.expect"

  it("holds bounds, nearness and equality", function()
    local demo = result.wrap(fixture.demo())
    local list, ok = expect.verify(demo, {
      { path = "latency.p99", max = 0.25 }, { path = "latency.mean", near = 0.042 },
      { path = "bottleneck", equals = "L40#1 gpu" }, { path = "throughput_rps", min = 2, max = 3 },
    })
    assert.is_true(ok)
    assert.equal(4, #list)
    assert.equal("ok    latency.p99 is 0.0712, wanted at most 0.25", expect.line(list[1]))
  end)

  it("fails what does not hold, or is not there", function()
    local demo = result.wrap(fixture.demo())
    for _, demand in ipairs {
      { path = "latency.p99", max = 0.07 }, { path = "latency.p99", min = 0.08 },
      { path = "latency.mean", near = 0.05 }, { path = "latency.nothing", max = 1 },
      { path = "latency.mean", near = 0.042, within = 0.001 },
      { path = "bottleneck", equals = "cpu" },
    } do
      local list, ok = expect.verify(demo, { demand })
      assert.is_false(ok)
      assert.matches("^FAIL", expect.line(list[1]))
    end
  end)
end)

describe("a metric", function()
  local metric = require "tandem.result.metric"

  -- Each family of paths: measured in, more of it is better, title.
  local known = {
    { "latency.p99", "time", false, "p99" }, { "latency.p999", "time", false, "p99.9" },
    { "latency.mean", "time", false, "mean" },
    { "classes.chat.latency.p95", "time", false, "classes.chat.latency.p95" },
    { "classes.chat.slo.p99", "time", false }, { "classes.chat.slo.met", "percent", true },
    { "classes.chat.slo.goodput", "rate", true }, { "classes.chat.lost", "percent", false },
    { "slo.ttft.p99", "time", false }, { "slo_met", "percent", true, "in time" },
    { "stages.gpu.wait.mean", "time", false }, { "stages.gpu.service.p99", "time", false },
    { "stages.gpu.delayed", "percent", nil },
    { "resources.L40#1 gpu.max_wait", "time", false },
    { "resources.L40#1 gpu.utilization", "percent", nil },
    { "resources.L40#1 gpu.down", "percent", nil },
    { "resources.L40#1 gpu.restarts", "count", false },
    { "resources.L40#1 memory.bytes", "bytes", nil },
    { "throughput_rps", "rate", true, "throughput" }, { "goodput_rps", "rate", true, "goodput" },
    { "carried_rps", "rate", true, "carried" }, { "offered_rps", "rate", nil, "offered" },
    { "classes.chat.offered_rps", "rate", nil }, { "lost", "percent", false },
    { "in_system", "count", nil, "in system" }, { "utilization", "percent", nil, "busy" },
    { "met", "count", true }, { "requests", "count", nil }, { "duration_s", "time", nil },
    { "warmup_s", "time", nil }, { "gpus", "count", false, "GPUs" },
    { "usd_per_hour", "money", false, "$/h" }, { "watts", "count", false, "W" },
    { "llm.chat.usd_per_hour", "money", false },
    { "usd_per_million_tokens", "money", false, "$/M tokens" },
    { "ttft_p99", "time", false, "TTFT p99" }, { "tpot_p99", "time", false, "TPOT p99" },
    { "output_tokens_per_s", "rate", true, "tokens/s" },
    { "llm.chat.ttft.p99", "time", false }, { "llm.chat.tpot.p99", "time", false },
    { "llm.chat.itl.p99", "time", false }, { "llm.chat.e2e.p99", "time", false },
    { "llm.chat.queueing.p99", "time", false }, { "llm.chat.normalized.mean", "time", false },
    { "llm.chat.step_s", "time", false }, { "llm.chat.finished_rps", "rate", true },
    { "llm.chat.output_tokens_per_s_gpu", "rate", true },
    { "llm.chat.transfer_bytes_per_s", "rate", nil }, { "llm.chat.kv_mean", "percent", nil },
    { "llm.chat.kv_peak", "percent", nil }, { "llm.chat.kv_blocks", "count", nil },
    { "llm.chat.cached", "percent", nil }, { "llm.chat.accepted", "percent", nil },
    { "llm.chat.api", "percent", nil }, { "llm.chat.held.decode", "percent", nil },
    { "llm.chat.gpus_mean", "count", false }, { "llm.chat.gpu_seconds", "count", false },
  }

  it("is known by its path: what it is measured in, which way is better, its title", function()
    for _, one in ipairs(known) do
      local path = one[1]
      assert.equal(one[2], metric.kind(path), path)
      assert.equal(one[3], metric.more_is_better(path), path)
      assert.equal(one[4] or path, metric.title(path), path)
    end
  end)

  it("is shown in its unit, with its interval", function()
    assert.equal("12.3 ms", metric.show(0.0123, "latency.p99"))
    assert.equal("50 %", metric.show({ value = 0.5 }, "utilization"))
    assert.equal("yes", metric.show(true, "met"))
    assert.equal("GPU", metric.show("GPU", "bottleneck"))
    assert.equal("–", metric.show(nil, "latency.p99"))
    assert.equal("$/M tokens", metric.unit "usd_per_million_tokens")
    assert.equal("B", metric.unit "resources.gpu memory.bytes")
  end)
end)
