-- Scenarios written as Lua source: what is written reads back as the same scenario, in units that
-- people use, with comments where they belong.
local amount = require "tandem.units.spelling"
local locate = require "tandem.scenario.locate"
local sandbox = require "tandem.sandbox"
local source = require "tandem.scenario.source"
local td = require "tandem"
local units = require "tandem.units"

local function read(text) return sandbox.load_scenario("made.lua", { text = text }) end

-- Shipped scenarios whose costs or policies are programs have no other text than their own.
local PROGRAMS <const> = { ["10-own-cost"] = true, ["11-own-policy"] = true,
  ["17-real-trace"] = true, ["19-coroutine"] = true, ["21-how-many-gpus"] = true,
  ["29-llm-own-scheduler"] = true }

describe("a scenario as source", function()
  it("reads back as the same scenario, for every shipped one that is data", function()
    local count = 0
    for _, one in ipairs(locate.shipped()) do
      local scenario = assert(td.load(one.name))
      local text, message = source.of(scenario.raw)
      if PROGRAMS[one.path:match "([^/]+)%.lua$"] then
        assert.is_nil(text)
        assert.matches("is a function, which has no text$", message)
      else
        local back, problems = sandbox.load_scenario(one.path:gsub("%.json$", ".lua"), {
          text = assert(text, message) })
        assert.is_truthy(back, tostring(problems))
        assert.equal(scenario:hash(), back:hash(), one.name)
        count = count + 1
      end
    end
    assert.is_true(count >= 15)
  end)

  it("keeps lines within 100 columns, and one step a line", function()
    local text = assert(source.of(td.load "demo".raw))
    for line in text:gmatch "[^\n]+" do assert.is_true(utf8.len(line) <= 100, line) end
    assert.matches('\n    td.transfer "h2d" { bytes = "8MiB" },\n', text)
  end)

  it("puts comments beside what they speak of, in branches too", function()
    local raw = td.scenario "a \"b\"" { workload = td.poisson { rps = 3 }, pipeline = {
      td.fixed "one" { time = 0.00125 },
      td.branch { { p = 0.5, td.fixed "two" { time = 2e-6, jitter = 0.1 } }, {} } } }.raw
    local text = assert(source.of(raw, { head = { "first", "", "second" }, comments = {
      ["pipeline.one.time"] = "412 visits", ["pipeline.two.jitter"] = "guessed" } }))
    assert.equal([[
-- first
--
-- second
local td = require "tandem"

return td.scenario "a \"b\"" {
  workload = td.poisson { rps = "3rps" },
  pipeline = {
    td.fixed "one" {
      time = "1.25ms",  -- 412 visits
    },
    td.branch {
      {
        p = 0.5,
        td.fixed "two" {
          time = "2us",
          jitter = 0.1,  -- guessed
        },
      },
      {},
    },
  },
}
]], text)
    assert.is_truthy(read(text))
  end)

  it("writes a formula's text, whether it was text or a function", function()
    local function text_of(cost)
      return assert(source.of(td.scenario "s" { workload = td.poisson { rps = 3 },
        attrs = { tokens = 5 }, pipeline = { td.stage "a" { cost = cost, on = "cpu" } } }.raw))
    end
    local as_text = text_of "0.001 + 2e-06 * r.tokens"
    assert.matches('cost = "0.001 %+ 2e%-06 %* r.tokens"', as_text)
    local traced = text_of(function(r) return 0.001 + 2e-6 * r.tokens end)
    assert.equal(assert(read(as_text)):hash(), assert(read(traced)):hash())
  end)
end)

describe("an amount as source", function()
  it("has the unit that people write", function()
    assert.equal('"1.25ms"', amount.source(0.00125, "s"))
    assert.equal('"8MiB"', amount.source(8 * 2 ^ 20, "B"))
    assert.equal('"3MB"', amount.source(3e6, "B"))
    assert.equal('"22.4GB/s"', amount.source(22.4e9, "B/s"))
    assert.equal('"180TFLOP/s"', amount.source(180e12, "FLOP/s"))
    assert.equal('"20rps"', amount.source(20, "req/s"))
    assert.equal("0", amount.source(0, "s"))
    assert.equal("0.05", amount.source(0.05, "1"))
    assert.equal("7", amount.source(7, nil))
  end)

  it("is the same number when it is read, or that number rounded", function()
    local state = 7
    for _ = 1, 2000 do
      state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
      local value = (state % 1000003) * 10.0 ^ (state % 17 - 12)
      for _, dim in ipairs { "s", "B", "B/s", "FLOP", "req/s", "s/tok" } do
        local text = amount.source(value, dim)
        assert.equal(value, assert(units.as(load("return " .. text)(), dim)), text)
        if value ~= math.floor(value) then
          local short = assert(units.as(load("return " .. amount.source(value, dim, 4))(), dim))
          assert.is_true(math.abs(short - value) <= 0.5e-3 * math.abs(value))
        end
      end
    end
  end)
end)

describe("a path", function()
  it("finds steps whose names have dots", function()
    local base = td.scenario "s" { workload = td.poisson { rps = 3 }, pipeline = {
      td.fixed "Optimizer.step" { time = "1ms" }, td.fixed "Optimizer.step.again" { time = "1ms" },
      td.branch { { p = 0.5, td.fixed "a[0].b" { time = "1ms" } }, {} } } }
    local made = base:with { ["pipeline.Optimizer.step.time"] = "2ms",
      ["pipeline.Optimizer.step.again.time"] = "3ms", ["pipeline.a[0].b.time"] = "4ms",
      ["workload.rps"] = 5 }
    assert.equal(2e-3, made.pipeline[1].time)
    assert.equal(3e-3, made.pipeline[2].time)
    assert.equal(4e-3, made.pipeline[3].choices[1].steps[1].time)
    assert.equal(5, made.workload[1].rps)
  end)
end)
