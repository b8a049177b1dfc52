--- What-ifs of a fit on figures that are made up: which scenarios are simulated, on whose luck, and
--- what is concluded. That answers hold the truth is fit_whatif_spec.lua's.
local core = require "tandem.core"
local expr = require "tandem.expr"
local metric = require "tandem.result.metric"
local styles = require "tandem.plot.style"
local td = require "tandem"
local variants = require "tandem.whatif.variants"
local whatif = require "tandem.fit.whatif"

local function scenario()
  return td.scenario "service" { workload = td.poisson { rps = 5, requests = 100 },
    attrs = { tokens = 100 }, target = td.gpu "mine" { h2d = "10GB/s", d2h = "5GB/s" },
    pipeline = { td.fixed "pre" { time = "8ms" },
      td.branch { { p = 0.5, td.delay "rest" { time = "2ms" } },
        { p = 0.5, td.fork { { td.fixed "left" { time = "3ms" } },
          { td.fixed "right" { time = "5ms" } } } } },
      td.loop { times = 3, td.stage "work" { cost = "0.002 + 1e-5 * r.tokens", on = "gpu" } },
      td.fixed "drawn" { time = td.exponential "1ms" },
      td.stage "own" { on = "cpu", cost = function(r) return r.tokens > 5 and 1 or 2 end },
      td.transfer "h2d" { bytes = "1MiB" } } }
end

-- A fit that leaves the time of `pre` open, from 8 to 9 ms, unless told otherwise.
local function fit_of(draw)
  local made = scenario()
  return { scenario = function() return made end,
    draw = draw or function(_, uniform)
      return { ["pipeline.pre.time"] = 8e-3 + 1e-3 * uniform() }
    end }
end

-- The answer where the i-th simulation gives figures(i); what was simulated, with which options.
local function answer_of(figures, changes, options, draw)
  local own, asked, given = variants.run, nil, nil
  variants.run = function(_, all, with)
    asked, given = all, with
    local rows = { { name = "base" } }
    for i, one in ipairs(all) do
      local seen = figures(i)
      rows[i + 1] = { name = one.name, ok = type(seen) == "table", message = seen, metrics = {
        [with.metrics[1]] = {} }, values = { [with.metrics[1]] = seen } }
    end
    return rows, figures == nil
  end
  local ok, made, message, code = pcall(whatif.run, fit_of(draw), changes, options)
  variants.run = own
  if not ok then return nil, made end
  return made, message or asked, code or given
end

local function near(wanted, got)
  assert.is_true(math.abs(got - wanted) <= 1e-12 * math.max(1, math.abs(wanted)),
    ("%.17g, not %.17g"):format(got, wanted))
end

-- A checked step by its name.
local function step_of(one, name)
  local found
  local function walk(steps)
    for _, step in ipairs(steps or {}) do
      if step.name == name then found = step end
      walk(step.steps)
      for _, choice in ipairs(step.choices or {}) do walk(choice.steps) end
      for _, branch in ipairs(step.branches or {}) do walk(branch) end
    end
  end
  walk(one.checked.resolved[1].pipeline)
  return found
end

describe("what-ifs of a fit on paper", function()
  local function flat() return { 1 } end

  it("simulate each draw's base and variants, each draw on luck of its own", function()
    local draws = 0
    local made, asked, options = answer_of(flat, { b = { ["target.h2d"] = "20GB/s" },
      a = { scale = { pre = 0.5 } } }, { draws = 4, replications = 3, seed = 7, threads = 2 },
      function()
        draws = draws + 1
        return { ["pipeline.pre.time"] = draws * 1e-3 }
      end)
    assert.same({ 4, 2, "latency.mean", "as measured", "a", "b" }, { made.draws, #made.rows,
      made.metric, made.base.name, made.rows[1].name, made.rows[2].name })
    local seen = {}
    for i, one in ipairs(asked) do
      seen[i] = ("%s from %d: %g ms, %g GB/s"):format(one.name, one.first,
        step_of(one.scenario, "pre").time * 1e3, one.scenario.checked.target.h2d / 1e9)
    end
    assert.same({ "draw 1 from 3: 1 ms, 10 GB/s", "draw 1 from 3: 0.5 ms, 10 GB/s",
      "draw 1 from 3: 1 ms, 20 GB/s", "draw 2 from 6: 2 ms, 10 GB/s",
      "draw 2 from 6: 1 ms, 10 GB/s", "draw 2 from 6: 2 ms, 20 GB/s",
      "draw 3 from 9: 3 ms, 10 GB/s", "draw 3 from 9: 1.5 ms, 10 GB/s",
      "draw 3 from 9: 3 ms, 20 GB/s", "draw 4 from 12: 4 ms, 10 GB/s",
      "draw 4 from 12: 2 ms, 10 GB/s", "draw 4 from 12: 4 ms, 20 GB/s" }, seen)
    assert.same({ { "latency.mean" }, 7, 3, 2 }, { options.metrics, options.seed,
      options.replications, options.threads })
    made, asked, options = answer_of(flat, { { "x", {} } })
    assert.same({ 24, 48, 24, 1 }, { made.draws, #asked, asked[48].first, options.replications })
  end)

  it("scale numbers, formulas and steps within steps", function()
    local function cost(stage, key, factor)
      local _, asked = answer_of(flat, { { "x", { scale = { [stage] = factor } } } },
        { draws = 4 }, function() return {} end)
      if type(asked) == "string" then return asked end
      local found = step_of(asked[2].scenario, stage)[key]
      return type(found) == "number" and found
        or expr.eval(found, { attr = function() return 100 end })
    end
    near(0.004, cost("pre", "time", 0.5))
    near(0.008, cost("rest", "time", 4))
    near(0.006, cost("left", "time", 2))
    near(0.010, cost("right", "time", 2))
    near(0.009, cost("work", "cost", 3))
    local cannot = "variant 'x': the time of %s, a td.%s, cannot be scaled: change its bytes, its "
      .. "efficiency, its link or its GPU"
    for stage, kind in pairs { drawn = "fixed", own = "stage", h2d = "transfer" } do
      assert.equal(cannot:format(stage, kind), cost(stage, "cost", 2))
    end
    assert.matches("^variant 'x': there is no stage 'wrk' to scale; did you mean 'work'%?",
      cost("wrk", "cost", 2))
    for _, factor in ipairs { 0, -1, math.huge, 0 / 0, "2" } do
      assert.equal(("variant 'x': scale: pre wants a factor above 0, not '%s'"):format(
        tostring(factor)), cost("pre", "time", factor))
    end
    assert.equal("variant 'x': scale wants { STAGE = factor }, not '2'", (select(2,
      answer_of(flat, { { "x", { scale = 2 } } }))))
  end)

  it("are means of draws, and differences by pairs, with the interval of one draw", function()
    -- Four draws of a base and one variant, of which each has two replications.
    local base, more = { 1, 2, 4, 5 }, { 2, 2.5, 5.5, 6 }
    local made = answer_of(function(i)
      local of = (i % 2 == 1 and base or more)[(i + 1) // 2]
      return { of - 0.25, of + 0.25 }
    end, { { "x", {} } }, { draws = 4 })
    local t = core.stats.student_quantile(0.975, 3)
    local function row(wanted, half, got)
      near(wanted, got.value)
      near(t * math.sqrt(half / 3 * 1.25), got.half)
    end
    row(3, 4 + 1 + 1 + 4, made.base)
    row(4, 4 + 2.25 + 2.25 + 4, made.rows[1])
    -- 1, 0.5, 1.5 and 1 more.
    row(1, 0.25 + 0.25, made.rows[1].change)
    near(1 / 3, made.rows[1].change.relative)
    assert.is_nil(made.base.change)
    assert.is_true(made.open)
    local none = answer_of(function(i) return { i % 2 == 1 and 0 or 1 } end, { { "x", {} } },
      { draws = 4 }, function() return {} end)
    assert.is_nil(none.rows[1].change.relative)
    assert.is_false(none.open)
    assert.same({ metric = "latency.mean", draws = 4,
      base = { name = "as measured", value = 3, half = made.base.half }, rows = { { name = "x",
        value = 4, half = made.rows[1].half, change = made.rows[1].change } } }, made:data())
  end)

  it("are told with what is better, worse, or not clear", function()
    -- The base is 2 ms in all draws; the variant differs by so much, and a little more each time.
    local function told(path, change, spread)
      local made = answer_of(function(i)
        return { 2e-3 + (i % 2 == 0 and change + spread * ((i // 2) % 2) or 0) }
      end, { { "x", {} } }, { draws = 4, metric = path })
      return made:report(styles.new { width = 90 }):match "\nx[^\n]*":gsub("%s+", " ")
    end
    assert.equal(" x 1 ms -1 ms -50 % better", (told("latency.mean", -1e-3, 0)))
    assert.equal(" x 3 ms +1 ms +50 % worse", (told("latency.mean", 1e-3, 0)))
    assert.matches("better$", (told("throughput_rps", 1, 0)))
    assert.matches("worse$", (told("throughput_rps", -1e-3, 0)))
    local function color(change)
      local made = answer_of(function(i) return { i % 2 == 0 and 2 + change or 2 } end,
        { { "x", {} } }, { draws = 4 })
      local text = made:report(styles.new { width = 90, color = true })
      return text:match "\27%[(3%d%l+)"
    end
    assert.same({ "32mbetter", "31mworse" }, { color(-1), color(1) })
    assert.equal(" x 0.00300 +0.00100 +50 %", (told("in_system", 1e-3, 0)))
    assert.matches("no clear change$", (told("latency.mean", 1e-3, 1e-3)))
    assert.matches("no clear change$", (told("latency.mean", 0, 0)))
    assert.equal("mean", metric.title "latency.mean")
    local made = answer_of(function() return { 0 } end, { { "x", {} } }, { draws = 4 })
    assert.matches("\nx +0 s +%+0 s +no clear change\n", made:report(styles.new { width = 90 }))
    made = answer_of(function(i) return { 2 + i % 2 } end, { { "x", {} } }, { draws = 4 })
    assert.equal([[
variant      mean  change
as measured   3 s
x             2 s    -1 s  -33.3 %  better

Intervals (95 %) carry what the fit leaves open: 4 draws of
its parameters, base and variants of each on the same luck.]],
      made:report(styles.new { width = 60 }))
    made = answer_of(function() return { 0 } end, { { "x", {} } }, { draws = 4 })
    assert.matches("4 draws of its parameters", made:report(styles.new { width = 200 }))
    made = answer_of(flat, { { "x", {} } }, { draws = 4 }, function() return {} end)
    assert.matches("No parameter of the fit has an error", made:report(styles.new { width = 200 }))
  end)

  it("leave draws out that make no scenario, until too few are left", function()
    local function drawn(bad)
      local draws = 0
      return function()
        draws = draws + 1
        return { ["pipeline.pre.time"] = draws <= bad and -1 or 1e-3 }
      end
    end
    local made, asked = answer_of(flat, { { "x", {} } }, { draws = 6 }, drawn(2))
    assert.same({ 4, 8, "draw 3" }, { made.draws, #asked, asked[1].name })
    local none, message, code = answer_of(flat, { { "x", {} } }, { draws = 6 }, drawn(3))
    assert.is_nil(none)
    assert.equal(3, code)
    assert.equal("the estimates leave so much open that hardly any draw of them is a valid "
      .. "scenario", message)
  end)

  it("are refused with what to write", function()
    for message, given in pairs {
      ["whatif wants { { \"a name\", { path = value } }, … }"] = 5,
      ["variant 2 wants { \"a name\", { path = value } }"] = { { "x", {} }, { "y" } },
      ["variant 1 wants { \"a name\", { path = value } }"] = { { 1, {} } },
      ["variant 'x' wants { path = value, … }"] = { x = 1 },
      ["whatif wants at least one variant"] = {},
    } do
      assert.equal(message, (tostring(select(2, answer_of(flat, given))):gsub("^%S+:%d+: ", "")))
    end
    for _, draws in ipairs { 3, 4.5, "5" } do
      assert.matches("draws wants a whole number from 4 on", (select(2, answer_of(flat,
        { { "x", {} } }, { draws = draws }))))
    end
    assert.matches("whatif: .*did you mean 'draws'", (select(2, answer_of(flat, { { "x", {} } },
      { draw = 5 }))))
    local _, message, code = answer_of(function() return "it is full" end, { { "x", {} } })
    assert.same({ "draw 1 fails: it is full", 3 }, { message, code })
    _, message, code = answer_of(function() return {} end, { { "x", {} } }, { metric = "lost" })
    assert.same({ 3, true }, { code,
      message:find("metric: a result of this scenario has no 'lost'", 1, true) ~= nil })
  end)
end)
