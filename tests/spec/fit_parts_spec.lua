--- The pieces of a fit by hand: causes, terms, views, noise, arrivals, and how numbers are told.
local arrivals = require "tandem.fit.arrivals"
local attributes = require "tandem.fit.attributes"
local cause = require "tandem.fit.cause"
local core = require "tandem.core"
local fit_visits = require "tests.spec.support.fit_visits"
local jitter = require "tandem.fit.jitter"
local linear = require "tandem.fit.linear"
local report = require "tandem.fit.report"
local rest = require "tandem.fit.rest"
local stages = require "tandem.language.stages"
local td = require "tandem"
local terms = require "tandem.fit.terms"
local values = require "tandem.fit.values"
local views = require "tandem.fit.view"

local function near(wanted, got)
  assert.is_true(type(got) == "number" and math.abs(wanted - got) <= 1e-9 * math.max(1e-3,
    math.abs(wanted)), ("%s, not %s"):format(got, wanted))
end

local function list(count, fn)
  local out = {}
  for i = 1, count do out[i] = fn(i) end
  return out
end

-- Numbers that look drawn, from 0 to 1.
local function drawn(count, seed)
  local g = fit_visits.generator(seed)
  return list(count, function() return g.uniform() end)
end

describe("the cause of a miss", function()
  it("is a tail where the longest twentieth takes a quarter of the time", function()
    -- Of twenty visits one is a twentieth: 19 of 1 s, one that takes so long.
    local function tail(longest)
      return cause.tail(list(20, function(i) return i == 7 and longest or 1 end))
    end
    near(0.25, (tail(19 / 3)))
    assert.is_nil((tail(6.33)))
    assert.equal(1, select(2, tail(1)))
    assert.equal(2, select(2, cause.tail(list(21, function() return 1 end))))
    assert.equal(5, select(2, cause.tail(list(100, function() return 1 end))))
  end)

  it("is two kinds of visits where their times are apart", function()
    local function kinds(short, long, count, jump)
      local times = list(100, function(i) return i <= count and short or long end)
      if jump then for i = 1, count do times[i] = short * (1 + jump * (i % 2)) end end
      return { cause.kinds(times, list(100, function() return 1 end)) }
    end
    local made = kinds(1, 4, 30)
    near(0.3, made[1])
    near(1, made[2])
    near(4, made[3])
    assert.same({}, kinds(1, 2.99, 30))
    assert.is_number(kinds(1, 3.001, 30)[1])
    assert.same({}, kinds(2, 5.99, 30))
    assert.is_number(kinds(0.5, 1.51, 30)[1])
    assert.same({}, kinds(1, 4, 4))
    near(0.05, kinds(1, 4, 5)[1])
    near(0.95, kinds(1, 4, 95)[1])
    assert.same({}, kinds(1, 4, 96))
    assert.same({}, kinds(1, 1, 50))
    -- Predictions tell them apart: these are no kinds.
    local times = list(100, function(i) return i <= 30 and 1 or 4 end)
    assert.same({}, { cause.kinds(times, times) })
    -- Sizes that are known make more of the spread than the kinds do: 12,700 in all, of which
    -- 150² ÷ 4 lies between them.
    local wide = list(100, function(i) return i end)
    assert.same({}, { cause.kinds(list(100, function(i) return i % 2 == 0 and i or 4 * i end),
      wide) })
    -- The mean of a kind is of its own visits, in whatever order.
    local shuffled = list(100, function(i)
      return i % 2 == 0 and (i % 4 == 0 and 1 or 1.1) or (i % 3 == 0 and 9 or 10)
    end)
    local share, short, long = cause.kinds(shuffled, list(100, function() return 1 end))
    near(0.5, share)
    near(1.05, short)
    near((33 // 2 + 1) / 50 * 9 + (50 - (33 // 2 + 1)) / 50 * 10, long)
  end)

  it("is told in order: few visits, a drift, what makes it wide", function()
    local function of(fields)
      local miss = { error = 0.1, half = 0.02, fitted = 50, split = "even",
        times = list(100, function(i) return 1 + 0.3 * (i % 10) / 10 end) }
      miss.predicted = list(100, function() return 1 end)
      for key, value in pairs(fields) do miss[key] = value end
      return cause.of(miss)
    end
    assert.equal("99 visits in all, fewer than 100", of { times = views.ones(99) })
    assert.equal("its times do not follow the sizes that are known of its requests", of {})
    assert.equal("a change between the halves: the first was fitted, the second behaves otherwise",
      of { split = "half" })
    local rising = list(60, function(i) return (i > 30 and 1.2 or 1) + 0.01 * (i % 3) end)
    assert.equal("a drift: in the fitted part its time changes by +19.8 % from first half to "
      .. "second", of { split = "half", ratios = rising })
    assert.is_nil(of({ split = "even", ratios = rising }):find("drift", 1, true))
    assert.is_nil(of({ split = "half", ratios = rising, half = 0.1 }):find("drift", 1, true))
    assert.matches("drift", of { split = "half", ratios = rising, half = false })
    assert.equal("a wide spread: the error is known to ± 5 %; to know it to 5 % takes about 100 "
      .. "visits", of { half = 0.05 })
    assert.equal("a wide spread: the error is known to ± 10 %; to know it to 5 % takes about 400 "
      .. "visits", of { half = 0.1 })
    assert.equal("a wide spread: the error is known to ± 20 %; to know it to 5 % takes about 1,600 "
      .. "visits", of { half = 0.2, error = -0.4 })
    assert.matches("^its times", of { half = 0.0499 })
    assert.equal("a heavy tail: the longest 5 of 100 visits take 51.3 % of the time", of {
      half = 0.1, times = list(100, function(i) return i > 95 and 20 or 1 end),
      predicted = list(100, function(i) return i > 95 and 20 or 1 end) })
    assert.equal("two kinds of visits that no size tells apart: 40 % of them take 1 s, the others "
      .. "5 s", of { half = 0.1, times = list(100, function(i) return i <= 40 and 1 or 5 end) })
  end)
end)

-- A view of one stage with these times and sizes.
local function view_of(own, fields)
  local out = { stage = "work", count = #own, requests = #own, own = own, rest = {}, busy = 0,
    wait = 0, copies = false, sizes = {} }
  for key, value in pairs(fields or {}) do out[key] = value end
  return out
end

local function names(chosen)
  local out = {}
  for i, term in ipairs(chosen) do out[i] = term.name end
  return table.concat(out, " ")
end

describe("terms of a stage's time", function()
  local a, b, noise = drawn(60, 1), drawn(60, 2), drawn(60, 3)
  local function times(fn) return list(60, function(i) return fn(i) * (1 + 0.01 * noise[i]) end) end

  it("are those that the visits support", function()
    local sizes = { a = a, b = b }
    local function chosen(fn)
      return terms.choose(view_of(times(fn), { sizes = sizes }), times(fn))
    end
    assert.equal("fixed a", names(chosen(function(i) return 1 + 2 * a[i] end).terms))
    assert.equal("b", names(chosen(function(i) return 2 * b[i] end).terms))
    assert.equal("a b", names(chosen(function(i) return 2 * a[i] + b[i] end).terms))
    assert.equal("fixed", names(chosen(function() return 1 end).terms))
    local fit = chosen(function(i) return 3 + 2 * a[i] + b[i] end)
    assert.equal("fixed a b", names(fit.terms))
    assert.near(3, fit.b[1], 0.05)
    assert.near(2, fit.b[2], 0.05)
    assert.near(1, fit.b[3], 0.05)
    -- What makes it shorter is no term: times have no negative parts.
    assert.equal("fixed", names(chosen(function(i) return 1 - 0.05 * a[i] end).terms))
    assert.is_nil((terms.choose(view_of({}), {})))
    assert.is_nil((terms.choose(view_of { 0, 0 }, { 0, 0 })))
  end)

  it("are sizes that vary, from 20 visits on", function()
    local function candidates(count, sizes, more)
      local cut = {}
      for name, size in pairs(sizes) do cut[name] = table.move(size, 1, count, 1, {}) end
      local view = view_of(list(count, function() return 1 end), { sizes = cut })
      for key, value in pairs(more or {}) do view[key] = value end
      local y = table.move(times(function(i) return 1 + a[i] end), 1, count, 1, {})
      local found, left_out = terms.candidates(view, y)
      return names(found), left_out
    end
    assert.equal("", (candidates(19, { a = a })))
    assert.equal("a", (candidates(20, { a = a })))
    assert.equal("a", (candidates(60, { a = a, same = list(60, function() return 3 end) })))
    assert.equal("a", (candidates(60, { a = a, below = list(60, function(i) return i - 2 end) })))
    assert.equal("a zero", (candidates(60, { a = a, zero = list(60, function(i)
      return i % 2
    end) })))
    assert.equal("a bytes pieces", (candidates(60, { a = a }, { bytes = b, pieces = noise })))
    assert.equal("bytes a", (candidates(60, { a = a }, { bytes = b, copies = true })))
    local kept, left_out = candidates(60, { a = a, twice = list(60, function(i)
      return 2 * a[i]
    end) })
    assert.equal("a", kept)
    assert.same({ "twice grows with a (condition beyond 1e9): it cannot be told apart" }, left_out)
    kept, left_out = candidates(60, { a = a, nearly = list(60, function(i)
      return a[i] + 0.005 * b[i]
    end) })
    assert.equal("a", kept)
    assert.matches("^nearly grows with a %(condition %d%d%d+%)", left_out[1])
    assert.equal("a other", (candidates(60, { a = a, other = list(60, function(i)
      return a[i] + 0.2 * b[i]
    end) })))
    local _, several = candidates(60, { a = a, b = b, sum = list(60, function(i)
      return a[i] + b[i]
    end) })
    assert.matches("^sum grows with the other sizes", several[1])
  end)

  it("are at most five, the strongest", function()
    local sizes = {}
    for k = 1, 7 do
      local own = drawn(60, 10 + k)
      sizes["s" .. k] = list(60, function(i) return own[i] + k * 0.2 * a[i] end)
    end
    local y = times(function(i) return 1 + a[i] end)
    local found = terms.candidates(view_of(y, { sizes = sizes }), y)
    assert.equal(5, #found)
    local weakest, all = math.huge, {}
    local mean_y = views.mean(y)
    for name, size in pairs(sizes) do
      local m, xy, xx, yy = views.mean(size), 0, 0, 0
      for i, v in ipairs(size) do
        xy, xx, yy = xy + (v - m) * (y[i] - mean_y), xx + (v - m) ^ 2, yy + (y[i] - mean_y) ^ 2
      end
      all[name] = math.abs(xy) / math.sqrt(xx * yy)
    end
    for _, term in ipairs(found) do
      near(all[term.name], term.strength)
      weakest, all[term.name] = math.min(weakest, term.strength), nil
    end
    for _, strength in pairs(all) do assert.is_true(strength <= weakest) end
  end)

  it("of a formula are its numbers and sizes", function()
    local y = times(function(i) return 1 + 2 * a[i] end)
    local view = view_of(y, { sizes = { a = a, b = b }, bytes = b })
    local function written(cost)
      local fit, why = terms.as_written(view, cost)
      return fit and names(fit.terms) or why
    end
    local own = "is a formula of your own that is not a sum of sizes"
    assert.equal("fixed a", written { "add", 1, { "mul", 2, { "attr", "a" } } })
    assert.equal("a", written { "attr", "a" })
    assert.equal("a fixed", written { "add", { "mul", { "attr", "a" }, 2 }, 4 })
    assert.equal("a", written { "div", { "attr", "a" }, 2 })
    assert.equal("a", written { "add", { "attr", "a" }, { "attr", "a" } })
    for _, cost in ipairs { 3, { "div", 2, { "attr", "a" } }, { "pow", { "attr", "a" }, 2 },
      { "mul", { "attr", "a" }, { "attr", "b" } }, { fn = print }, { "mul", 2, 3 },
      { "add", 1, { "pow", 2, 3 } }, { "mul", { "draw" }, 2 }, { "mul", "x", { "attr", "a" } } } do
      assert.equal(own, written(cost))
    end
    assert.equal("reads r.c, a size that the capture does not have", written { "attr", "c" })
    assert.equal("bytes", written { "attr", "work_bytes" })
  end)
end)

describe("a view", function()
  local function made(rows, fields)
    local of = { request = {}, start_ns = {}, end_ns = {}, own_ns = {}, rest_ns = {}, busy_ns = {},
      wait_ns = {}, bytes = fields and fields.bytes, pieces = fields and fields.pieces }
    for k, row in ipairs(rows) do
      of.request[k], of.start_ns[k], of.end_ns[k] = row[1], row[2], row[3]
      of.own_ns[k], of.rest_ns[k], of.busy_ns[k], of.wait_ns[k] = row[3] - row[2], 10 * k, 3, 4
    end
    return { count = 3, stages = { { name = "k", lane = fields and fields.lane or "H2D" } },
      of = function() return of end,
      requests = function()
        return { sizes = fields and fields.sizes or {}, tail_ns = { 1e9, 2e9, 3e9 } }
      end }
  end

  it("is in seconds, with sizes that all its requests have", function()
    local v = made({ { 1, 0, 1e9 }, { 3, 1e9, 3e9 } }, { bytes = { 5, 6 }, sizes = {
      all = { 7, 8, 9 }, lacking = { 7, 8 } } })
    local view = views.of(v, "k")
    assert.same({ 1, 2 }, view.own)
    assert.same({ 2, 3, true }, { view.count, view.requests, view.copies })
    assert.same({ all = { 7, 9 } }, view.sizes)
    assert.same({ 5, 6 }, view.bytes)
    near(6e-9, view.busy)
    near(8e-9, view.wait)
    near(2e-8, view.rest[2])
    assert.is_nil(views.of(made({ { 1, 0, 1 } }, { bytes = { 0 } }), "k").bytes)
    assert.is_false(views.of(made({ { 1, 0, 1 } }, { lane = "GPU" }), "k").copies)
    assert.is_true(views.of(made({ { 1, 0, 1 } }, { lane = "D2H" }), "k").copies)
    assert.same({ 1, 2, 3 }, views.tail(v).own)
  end)

  it("counts the requests that are there at once", function()
    local function most(rows) return views.at_once(made(rows), { "k" }) end
    assert.equal(1, most { { 1, 0, 10 }, { 2, 10, 20 } })
    assert.equal(2, most { { 1, 0, 10 }, { 2, 9, 20 } })
    assert.equal(1, most { { 1, 0, 10 }, { 1, 5, 20 } })
    assert.equal(2, most { { 1, 0, 10 }, { 1, 5, 20 }, { 2, 15, 30 } })
    assert.equal(3, most { { 1, 0, 10 }, { 2, 0, 10 }, { 3, 9, 12 } })
    assert.equal(1, most { { 1, 5, 5 } })
    assert.equal(1, most {})
    assert.equal(2, views.at_once(made { { 1, 0, 10 }, { 2, 9, 20 } }, { "k", "k" }))
  end)

  it("has sums, means and ends", function()
    assert.equal(0, views.mean {})
    assert.equal(2, views.mean { 1, 3 })
    assert.same({ -1, 4 }, { views.range { 4, -1, 2 } })
    assert.same({ { 1, 1 }, { 7, 7, 7 }, 6, 0 }, { views.ones(2), views.constant(3, 7),
      views.sum { 1, 2, 3 }, views.sum(nil) })
  end)
end)

describe("the noise of a stage", function()
  it("is its cv of the mean, in a family where few tell none", function()
    assert.same({ family = "constant", cv = 0 }, jitter.of { 2, 2, 2 })
    assert.same({ family = "constant", cv = 0 }, jitter.of { 5 })
    local few = jitter.of { 0.9, 1.1 }
    assert.equal("normal", few.family)
    near(math.sqrt(0.02), few.cv)
    near(few.cv, few.node)
    near(few.cv * math.sqrt((0.5 + few.cv ^ 2) / 2), few.error)
    local wide = jitter.of { 0.1, 1.9 }
    assert.equal("gamma", wide.family)
    near(math.sqrt(2) * 0.9, wide.cv)
    assert.equal("gamma", wide.node.type)
    -- Twenty-nine are few, thirty are not.
    local even = list(30, function(i)
      return 1 + 0.1 * core.stats.normal_quantile((i - 0.5) / 30)
    end)
    assert.is_number(jitter.of(even).distance)
    assert.is_nil(jitter.of(table.move(even, 1, 29, 1, {})).distance)
  end)

  it("is the factors themselves where no family is near", function()
    local made = jitter.of(list(1000, function(i) return i % 2 == 0 and 1 or 9 end))
    assert.equal("empirical", made.family)
    assert.equal(40, #made.node.values)
    near(0.2, made.node.values[20])
    near(1.8, made.node.values[21])
    near(math.sqrt(16 * 1000 / 999) / 5, made.cv)
    local thin = jitter.of(list(35, function(i) return i % 2 == 0 and 1 or 9 end))
    assert.equal(35, #thin.node.values)
  end)

  it("is a family's with the error of its cv", function()
    local normal = jitter.of(list(400, function(i)
      return 5 + 0.5 * core.stats.normal_quantile((i - 0.5) / 400)
    end))
    assert.equal("normal", normal.family)
    assert.near(0.1, normal.cv, 0.001)
    assert.near(0.1 * math.sqrt(0.51 / 400), normal.error, 1e-4)
    local exponential = jitter.of(list(400, function(i) return -math.log((i - 0.5) / 400) end))
    assert.equal("exponential", exponential.family)
    near(1, exponential.cv)
    assert.same({ "exponential", 1 }, { exponential.node.type, exponential.node.mean })
    local gamma = jitter.of(list(400, function(i)
      return -math.log((i - 0.5) / 400) - math.log((i * 7 % 400 + 0.5) / 400)
    end))
    assert.equal("gamma", gamma.family)
    assert.near(math.sqrt(0.5), gamma.cv, 0.05)
    assert.near(gamma.cv / 2 * math.sqrt(2 / 400), gamma.error, 0.02)
  end)
end)

describe("sizes as a distribution", function()
  it("are listed with weights, or means of equal parts", function()
    assert.equal(7, attributes.distribution { 7, 7 })
    local some = attributes.distribution { 3, 1, 3, 2 }
    assert.same({ { 1, 2, 3 }, { 0.25, 0.25, 0.5 } }, { some.values, some.weights })
    assert.equal(50, #attributes.distribution(list(50, function(i) return i end)).weights)
    local more = attributes.distribution(list(51, function(i) return i end))
    assert.is_nil(more.weights)
    assert.equal(51, #more.values)
    local many = attributes.distribution(list(250, function(i) return i end))
    assert.equal(100, #many.values)
    assert.same({ 1.5, 4, 249 }, { many.values[1], many.values[2], many.values[100] })
  end)
end)

describe("arrivals of a run", function()
  local function visits_of(rows, cpu)
    local requests = { arrival_ns = {}, end_ns = {} }
    for i, row in ipairs(rows) do requests.arrival_ns[i], requests.end_ns[i] = row[1], row[2] end
    local of = { request = {}, end_ns = {} }
    for i, ending in ipairs(cpu or {}) do of.request[i], of.end_ns[i] = i, ending end
    return { count = #rows, stages = { { name = "host", lane = cpu and "CPU" or "GPU" } },
      requests = function() return requests end, of = function() return of end }
  end
  local function kind(rows) return arrivals.of(visits_of(rows)).kind end

  it("follow one another where each begins when the one before has ended", function()
    -- Durations vary; pauses of 1 ms.
    local function closed(count, pause, over)
      local rows, now = {}, 0
      for i = 1, count do
        local took = (5 + i * 7 % 11) * 1e6
        rows[i] = { now, now + took }
        now = now + took + pause * 1e6 - (over or 0) * took
      end
      return rows
    end
    local made = arrivals.of(visits_of(closed(40, 1)))
    assert.equal("closed", made.kind)
    assert.matches("mean pause 1 ms$", made.source)
    near(1e-3, rawget(made.node(), "think"))
    assert.equal("closed", kind(closed(4, 1)))
    -- However long the pauses, each begins so much later as the one before takes longer.
    assert.equal("closed", kind(closed(40, 40)))
    -- Those that come evenly, however long the others take, do not wait for them.
    assert.equal("paced", kind(list(40, function(i)
      return { i * 16e6, i * 16e6 + (5 + i * 7 % 11) * 1e6 }
    end)))
    assert.equal("replay", kind(closed(3, 1)))
    assert.equal("closed", kind(closed(40, 0, 0.09)))
    assert.is_true(kind(closed(40, 0, 0.12)) ~= "closed")
    -- Where durations say nothing, those that are busy more than half the time do.
    local function same(pause)
      return list(40, function(i) return { i * (5e6 + pause), i * (5e6 + pause) + 5e6 } end)
    end
    assert.equal("closed", kind(same(4.9e6)))
    assert.equal("paced", kind(same(5.3e6)))
  end)

  it("do not follow one another where durations tell too little", function()
    -- Gaps grow twice as much as durations do, but ±2 ms of theirs have other reasons.
    local rows, now = {}, 0
    for i = 1, 41 do
      rows[i] = { now, now + 1e6 + i % 2 * 1e4 }
      now = now + 1e7 + i % 2 * 2e4 + (i % 5 == 0 and 5e6 or 0)
    end
    assert.is_true(kind(rows) ~= "closed")
  end)

  it("are rows where they are few, or all at once", function()
    local made = arrivals.of(visits_of(list(20, function(i)
      return { i * i * 1e6, i * i * 1e6 + 1 }
    end)))
    assert.equal("replay", made.kind)
    assert.equal("19 gaps cannot tell a process", made.source)
    local rows = made.node({}).rows
    near(0.003, rows[2].arrival)
    assert.equal("all arrive at once", arrivals.of(visits_of(list(30, function()
      return { 0, 5 }
    end))).source)
  end)

  it("are even below one per cent of spread", function()
    local function even(spread)
      return arrivals.of(visits_of(list(101, function(i)
        local at = i * 1e9 + (i % 2 == 0 and spread or -spread) * 0.5e9
        return { at, at + 1e6 * (i % 3) }
      end)))
    end
    local made = even(0.0099)
    assert.equal("paced", made.kind)
    near(1, made.rate)
    assert.equal("gaps are even: cv 0.010", made.source)
    assert.is_true(even(0.0101).kind ~= "paced")
  end)

  it("stay rows where sizes go together", function()
    local v = visits_of(list(4, function(i) return { i * 1e9, i * 1e9 + 1 } end))
    local sizes = { x = { 1, 2, 3, 4 }, y = { 0, 3, 1, 1 }, z = { 8, 6, 4, 2 } }
    local function kept(made, ...)
      return arrivals.keep_together(made, v, { ... }, function(name) return sizes[name] end)
    end
    local poisson = { kind = "poisson", source = "so" }
    assert.equal(poisson, kept(poisson, "x"))
    -- x and y: 1 of √(5 × 4.75).
    assert.equal(poisson, kept(poisson, "x", "y"))
    local made = kept(poisson, "y", "x", "z")
    assert.same({ "replay", "so; as rows, since sizes go together (correlation 1.00)" },
      { made.kind, made.source })
    assert.same({ arrival = 1, z = 6 }, made.node({ "z" }).rows[2])
    local closed = { kind = "closed" }
    assert.equal(closed, kept(closed, "x", "z"))
  end)

  it("are doubted where the host runs ahead", function()
    -- Requests 10 apart that end 15 after they came; the host is busy so much of each gap.
    local function doubt(host, took, kind_of)
      local rows = list(11, function(i) return { i * 10, i * 10 + took } end)
      return arrivals.doubt({ kind = kind_of or "replay" },
        visits_of(rows, list(11, function(i) return i * 10 + host end)))
    end
    assert.matches("the host runs ahead", doubt(8, 15))
    assert.is_nil(doubt(7.9, 15))
    assert.is_nil(doubt(8, 10))
    assert.is_nil(doubt(8, 15, "closed"))
    assert.matches("the host runs ahead", doubt(10, 15))
    assert.is_nil(doubt(11, 15))
  end)
end)

describe("the time between stages", function()
  it("is a step where it is worth one, else joins what comes after", function()
    local function visits_of(tail)
      return { count = 2, stages = { { name = "a" }, { name = "b" } },
        of = function(_, name) return { request = name == "a" and { 1, 2 } or { 2 } } end,
        requests = function() return { tail_ns = { tail * 1e9, tail * 1e9 } } end }
    end
    local function found(gap_a, gap_b, tail, like)
      local out = {}
      for i, gap in ipairs(rest.of(visits_of(tail), {
        a = view_of({ 500, 500 }, { rest = { gap_a, gap_a } }),
        b = view_of({ 0 }, { rest = { gap_b } }) }, like)) do
        out[i] = ("%s %.4g"):format(gap.name, views.sum(gap.view.own))
      end
      return table.concat(out, ", ")
    end
    assert.equal("before a 2, before b 3, after 8", found(1, 3, 4))
    -- A thousandth of all: what is less joins the end of its request.
    assert.equal("before b 3, after 8.8", found(0.4, 3, 4))
    assert.equal("", found(0, 0, 0.4))
    assert.equal("after 1.4", found(0.2, 0.2, 0.4))
    assert.equal("before b 0", found(1, 0, 4, { { name = "before b" } }))
    assert.equal("after 10.4", found(1, 0.4, 4, { { name = "after" } }))
    assert.equal("before a", rest.name "a")
  end)

  it("goes into the pipeline before its stage, or at the end", function()
    local function gap(name, before, mean)
      return { name = name, before = before, view = view_of { mean, mean } }
    end
    local pipeline = { stages.stage "a" { on = "cpu", cost = 1 },
      stages.branch { { p = 0.5, stages.stage "b" { on = "cpu", cost = 1 } }, {} } }
    local made = rest.insert(pipeline, { gap("before a", "a", 2), gap("before b", "b", 3),
      gap("after", nil, 4), gap("before x", "x", 5) })
    assert.same({ "before a", "a", "?", "after", "before x" }, { made[1].name, made[2].name,
      made[3].name or "?", made[4].name, made[5].name })
    local inside = td.scenario "x" { workload = td.poisson(1), cpu = 1, pipeline = made }
    local text = tostring(inside)
    assert.is_true(text:find("before b", 1, true) < text:find("after", 1, true))
    assert.equal(2, #pipeline)
    assert.equal(5, #rest.insert(made, { gap("before a", "a", 2) }))
  end)
end)

describe("numbers of a fit", function()
  it("are told in four digits of their unit", function()
    for wanted, given in pairs {
      ["1.235 ms"] = { 0.00123456, "s" }, ["3.400 ns"] = { 3.4e-9, "s/tok" },
      ["12.50 GB/s"] = { 12.5e9, "B/s" }, ["0.5 ps/B"] = { 0.5e-12, "s/B" },
      ["1 ns/B"] = { 1e-9, "s/B" }, ["999 ps/B"] = { 0.999e-9, "s/B" }, ["0 s/B"] = { 0, "s/B" },
      ["∞"] = { math.huge, "1" }, ["0.3333"] = { 1 / 3, "1" }, ["20 /s"] = { 20, "req/s" },
    } do assert.equal(wanted, report.value(given[1], given[2])) end
    assert.equal("–", report.value(nil, "s"))
  end)

  it("have intervals, with the unit once where it is the same", function()
    local function interval(low, high, kind)
      return report.interval { low = low, high = high, kind = kind or "fitted", unit = "s" }
    end
    assert.equal("1 … 2 ms", interval(1e-3, 2e-3))
    assert.equal("900 µs … 2 ms", interval(9e-4, 2e-3))
    assert.equal("≥ 1 ms", interval(1e-3, nil))
    assert.equal("", interval(1e-3, 1e-3))
    assert.equal("", interval(1e-3, 2e-3, "assumed"))
    assert.equal("", interval(nil, nil))
    assert.equal("", interval(nil, 2e-3))
  end)
end)

describe("costs for the requests of a capture", function()
  it("take its sizes, else the scenario's means", function()
    local checked = td.scenario "x" { workload = td.poisson(1), attrs = { tokens = 7,
      images = td.uniform(1, 5) }, cpu = 1,
      pipeline = { td.stage "s" { on = "cpu", cost = "r.tokens + r.images" } } }
      .checked
    local view = view_of({ 1, 1 }, { sizes = { tokens = { 10, 20 } } })
    local cost = checked.resolved[1].pipeline[1].cost
    assert.same({ { 13, 23 }, "mean" }, { values.of(checked, cost, view) })
    assert.same({ { 10, 20 }, "" }, { values.of(checked, { "attr", "tokens" }, view) })
    assert.same({ { 7, 7 }, "mean" }, { values.of(checked, { "attr", "tokens" },
      view_of { 1, 1 }) })
    assert.same({ { 2, 2 }, "" }, { values.of(checked, 2, view) })
    assert.same({ nil, "is a Lua function that is not a formula" },
      { values.of(checked, { fn = print }, view) })
    assert.same({ nil, "needs the size 'token', which the capture does not have; did you mean "
      .. "'tokens'?" }, { values.of(checked, { "attr", "token" }, view) })
    assert.same({ nil, "needs the size 'token', which the capture does not have; give the map "
      .. "sizes = { token = … }" }, { values.of(checked, { "attr", "token" }, view_of { 1 }) })
    assert.same({ nil, "is not a number here" }, { values.of(checked, { "div",
      { "sub", { "attr", "tokens" }, { "attr", "tokens" } }, 0 }, view) })
  end)

  it("take the GPU, or the first of equal ones", function()
    local one = { type = "gpu", name = "A" }
    assert.is_nil(values.gpu {})
    assert.equal(one, values.gpu { target = one })
    local fleet = { one, { type = "gpu", name = "A" } }
    assert.equal(one, values.gpu { target = { type = "fleet", gpus = fleet } })
    assert.is_nil(values.gpu { target = { type = "fleet", gpus = { one, { name = "B" } } } })
  end)
end)

describe("a sum of terms", function()
  local x = drawn(40, 20)
  local y = list(40, function(i) return 3 + 2 * x[i] + 0.01 * (i % 3) end)
  local function columns(v) return { views.ones(v.count), x } end

  it("predicts with what was assumed, and how surely", function()
    local view = view_of(y)
    local fit = assert(linear.fit(view, y, columns))
    local mean = fit:predict(view)
    near(fit.b[1] + fit.b[2] * x[7], mean[7])
    near(y[7] / mean[7], fit.ratios[7])
    near(5 + 6 * x[3], fit:predict(view, { 5, 6 })[3])
    local m = views.mean(x)
    near(math.sqrt(fit.covariance[1][1] + 2 * m * fit.covariance[1][2]
      + m * m * fit.covariance[2][2]), fit:error_of_mean(view))
    local above = assert(linear.fit(view, y, function() return { x } end,
      { offset = function(v) return views.constant(v.count, 3) end }))
    assert.near(2, above.b[1], 0.05)
    near(3 + above.b[1] * x[9], above:predict(view)[9])
    near(y[9] / (3 + above.b[1] * x[9]), above.ratios[9])
  end)

  it("is drawn from what the data leave open", function()
    local fit = assert(linear.fit(view_of(y), y, columns))
    fit.df = 1000
    local g = fit_visits.generator(5)
    local n, mean, square, cross = 4000, { 0, 0 }, { 0, 0 }, 0
    for _ = 1, n do
      local b = fit:draw(g.uniform)
      for j = 1, 2 do
        mean[j], square[j] = mean[j] + b[j] / n, square[j] + (b[j] - fit.b[j]) ^ 2 / n
      end
      cross = cross + (b[1] - fit.b[1]) * (b[2] - fit.b[2]) / n
    end
    for j = 1, 2 do
      assert.near(fit.b[j], mean[j], 5 * fit.errors[j] / math.sqrt(n))
      assert.near(1, square[j] / fit.covariance[j][j], 0.12)
    end
    assert.near(1, cross / fit.covariance[1][2], 0.12)
    -- Few degrees of freedom: Student's spread, df ÷ (df − 2) times as wide.
    fit.df = 10
    local wide = 0
    for _ = 1, n do wide = wide + (fit:draw(g.uniform)[2] - fit.b[2]) ^ 2 / n end
    assert.near(1.25, wide / fit.covariance[2][2], 0.15)
    near(0, linear.normal(function() return 0.5 end))
    assert.near(-7.0345, linear.normal(function() return 0 end), 1e-4)
    assert.near(7.0345, linear.normal(function() return 1 end), 1e-4)
  end)
end)
