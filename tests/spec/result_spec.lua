-- The result object: fields, methods, JSON.
local fixture = require "tests.spec.support.result_fixture"
local json = require "tandem.report.json"
local result = require "tandem.result"
local style = require "tandem.plot.style"

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
    local place = style.new { unicode = false, width = 60 }
    for _, name in ipairs { "latency", "cdf", "stages", "timeline" } do
      assert.is_true(#tostring(demo:plot(name, place)) > 20)
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
      { 1e300, "1e+300" }, { -0.0, "0" }, { math.huge, "null" }, { 0 / 0, "null" },
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
    assert.equal('"?"', json.encode "\xff")
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
    assert.has_error(function() json.encode(print) end, "JSON cannot hold a function")
    assert.has_error(function() json.encode { [{}] = 1 } end)
    local loop = {}
    loop.loop = loop
    assert.has_error(function() json.encode(loop) end, "JSON of a table that contains itself")
  end)
end)

describe("expect", function()
  local expect = require "tandem.expect"

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
