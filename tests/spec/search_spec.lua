-- Searches: spaces and their mistakes, the conversation between driver and coroutine (budget,
-- memory, errors), and each shipped method on functions whose minimum is known, with noise and
-- without. Every random number has a seed, so counts below are fixed.

local search = require "tandem.search"

--- Evaluates f without noise, and counts.
local function counted(f)
  local count = { points = 0, asks = 0 }
  return function(points)
    count.asks = count.asks + 1
    local told = {}
    for i, point in ipairs(points) do
      count.points = count.points + 1
      told[i] = { value = f(point) }
    end
    return told
  end, count
end

local function exactly(f) return (counted(f)) end

--- Evaluates f with normal noise of deviation sd(point): cumulative, 10 replications by default.
local function noisily(f, sd, seed)
  local random = search.random.new(seed)
  return function(points, how)
    local told = {}
    for i, point in ipairs(points) do
      local before = how.before[i]
      local values = { table.unpack(before and before.values or {}) }
      assert(#values == how.first[i])
      for _ = 1, how.replications and how.replications[i] or 10 do
        values[#values + 1] = f(point) + sd(point) * random:normal()
      end
      local sum, squares = 0, 0
      for _, value in ipairs(values) do sum = sum + value end
      local mean = sum / #values
      for _, value in ipairs(values) do squares = squares + (value - mean) ^ 2 end
      local deviation = math.sqrt(squares / (#values - 1))
      told[i] = { value = mean, sd = deviation, half = 2 * deviation / math.sqrt(#values),
        n = #values, values = values }
    end
    return told
  end
end

local function fails_with(pattern, f, ...)
  local good, message = pcall(f, ...)
  assert.is_false(good)
  assert.matches(pattern, tostring(message))
  assert.is_nil(tostring(message):find("\n", 1, true))
end

describe("a space", function()
  local over = { rps = { 1, 100 }, batch = { 1, 64, integer = true }, kind = { "H100", "L40S" },
    slots = { choices = { 8, 64 } }, slo = { 0.001, 1, log = true } }
  local space = search.space(over)

  it("has its dimensions by name", function()
    local names, kinds = {}, {}
    for i, dimension in ipairs(space.dimensions) do
      names[i], kinds[i] = dimension.name, dimension.kind
    end
    assert.same({ "batch", "kind", "rps", "slo", "slots" }, names)
    assert.same({ "integer", "choice", "range", "range", "choice" }, kinds)
  end)

  it("maps points to the unit cube and back", function()
    assert.same({ batch = 1, kind = "H100", rps = 1, slo = 0.001, slots = 8 },
      space:point { 0, 0, 0, 0, 0 })
    assert.same({ batch = 64, kind = "L40S", rps = 100, slo = 1, slots = 64 },
      space:point { 1, 1, 1, 1, 1 })
    assert.near(0.0316227, space:point { 0, 0, 0, 0.5, 0 }.slo, 1e-6)
    local point = { batch = 17, kind = "L40S", rps = 33.25, slo = 0.2, slots = 8 }
    local back = space:point(space:unit(point))
    assert.equal(17, back.batch)
    assert.equal("integer", math.type(back.batch))
    assert.near(0.2, back.slo, 1e-12)
    assert.near(33.25, back.rps, 1e-12)
    assert.equal("L40S", back.kind)
  end)

  it("takes a point to the nearest inside", function()
    assert.same({ batch = 5, kind = "L40S", rps = 100, slo = 0.001, slots = 64 },
      space:clamp { batch = 5.4, kind = "L40S", rps = 1e9, slo = -1, slots = 64 })
  end)

  it("says what is wrong with a point", function()
    local function wrong(change)
      local point = { batch = 5, kind = "L40S", rps = 10, slo = 0.1, slots = 8 }
      for key, value in pairs(change) do point[key] = value end
      return space:problem(point)
    end
    assert.is_nil(wrong {})
    assert.equal("batch: 5.5 is not whole; the nearest is 6", wrong { batch = 5.5 })
    assert.equal("rps: 200 is outside; the nearest is 100", wrong { rps = 200 })
    assert.matches("kind: \"H10\" is not a choice; did you mean '\"H100\"'", wrong { kind = "H10" })
    assert.matches("'batches' is not in over; did you mean 'batch'", wrong { batches = 1 })
  end)

  it("lists a finite one", function()
    local finite = search.space { kind = { "a", "b" }, batch = { 1, 3, integer = true } }
    assert.equal(6, finite:size())
    local points = finite:points()
    assert.same({ batch = 1, kind = "a" }, points[1])
    assert.same({ batch = 1, kind = "b" }, points[2])
    assert.same({ batch = 3, kind = "b" }, points[6])
    assert.is_nil(space:size())
  end)

  it("refuses what could be meant in two ways, with the way to write it", function()
    local function refused(given, pattern)
      local made, message = search.space.check { x = given }
      assert.is_nil(made)
      assert.matches(pattern, message)
    end
    refused({ 1, 2, 4 }, "x: { 1, 2, 4 } is not a range; write { choices = { 1, 2, 4 } }")
    refused({ 5 }, "x: { 5 } is not a range")
    refused({ "a", 5 }, "choices")
    refused({ 9, 3 }, "the range is empty; did you mean { 3, 9 }%?")
    refused({ 3, 3 }, "one value only")
    refused({ 1, 9.5, integer = true }, "{ 1, 9, integer = true }")
    refused({ 0, 9, log = true }, "above 0")
    refused({ 1, math.huge }, "finite")
    refused({ 1, 9, intger = true }, "unknown key 'intger'; did you mean 'integer'%?")
    refused({}, "x is empty")
    refused(7, "x wants { low, high }")
    refused({ choices = {} }, "at least one value")
    refused({ "a", "a" }, "stands twice")
    refused({ "a", "b", integer = true }, "integer goes with two numbers")
    assert.matches("over is empty", select(2, search.space.check {}))
    assert.matches("over%[1%] has no name", select(2, search.space.check { { 1, 2 } }))
  end)
end)

describe("seeded random numbers", function()
  it("are SplitMix64's", function()
    local random = search.random.new(1234567)
    assert.equal(6457827717110365317, random:bits())
    assert.equal(3203168211198807973, random:bits())
  end)

  it("have the moments they should", function()
    local random, sum, squares, normal = search.random.new(3), 0, 0, 0
    for _ = 1, 10000 do
      sum = sum + random:uniform()
      local z = random:normal()
      normal, squares = normal + z, squares + z * z
    end
    assert.near(0.5, sum / 10000, 0.01)
    assert.near(0, normal / 10000, 0.03)
    assert.near(1, squares / 10000, 0.05)
  end)
end)

describe("the driver", function()
  local square = exactly(function(p) return (p.x - 3) ^ 2 end)

  it("runs a search of one's own", function()
    local found = assert(search.drive(function(ask)
      local best
      for x = 0, 10, 2 do best = search.best(assert(ask { { x = x }, { x = x + 1 } }), best) end
      return best, { tried = 12 }
    end, square))
    assert.equal(3, found.best.point.x)
    assert.equal(0, found.best.value)
    assert.is_true(found.best.ok)
    assert.equal(12, found.evaluations)
    assert.equal(6, found.asks)
    assert.equal("done", found.stopped)
    assert.same({ tried = 12 }, found.details)
    assert.equal(12, #found.history)
    local h = found.history
    assert.same({ point = { x = 0 }, value = 9, n = 1, ok = true, ask = 1, best = 9 }, h[1])
    assert.same({ point = { x = 5 }, value = 4, n = 1, ok = true, ask = 3, best = 0 }, h[6])
  end)

  it("takes a point, or nothing, for the best", function()
    local function ends_with(what)
      return assert(search.drive(function(ask)
        ask { { x = 1 }, { x = 2 } }
        return what
      end, square)).best
    end
    assert.equal(4, ends_with({ x = 1 }).value)
    assert.equal(1, ends_with(nil).value)
  end)

  it("evaluates a point once", function()
    local evaluate, count = counted(function(p) return p.x end)
    local found = assert(search.drive(function(ask)
      local a = ask { { x = 4, k = "a" }, { x = 4.0, k = "a" }, { x = 5, k = "a" } }
      assert.equal(a[1], a[2])
      local b = ask { { k = "a", x = 4 } }
      assert.equal(a[1], b[1])
      ask { { x = 4, k = "b" }, { x = "4", k = "a" } }
      return a[1]
    end, function(points)
      for _, p in ipairs(points) do p.x = tonumber(p.x) end -- its own copies
      return evaluate(points)
    end))
    assert.equal(4, count.points)
    assert.equal(4, found.evaluations)
    assert.equal(2, found.repeats)
  end)

  it("keeps account of replications", function()
    local log = {}
    local function evaluate(points, how)
      local told = {}
      for i, point in ipairs(points) do
        log[#log + 1] = ("%d:%s+%s"):format(point.x, how.first[i],
          how.replications and how.replications[i] or "?")
        told[i] = { value = 0, n = how.first[i] + (how.replications and how.replications[i] or 8) }
      end
      return told
    end
    local found = assert(search.drive(function(ask)
      ask { { x = 1 }, { x = 2 } }
      ask({ { x = 1 }, { x = 2 }, { x = 3 } }, { replications = 20 })
      ask({ { x = 1 }, { x = 3 } }, { replications = 20 }) -- known that well
      ask { { x = 3 } }
      local told = ask({ { x = 1 }, { x = 2 }, { x = 1 } }, { replications = { 5, 0, 2 } })
      assert.equal(27, told[1].n)
      assert.equal(20, told[2].n)
      assert.equal(told[1], told[3])
    end, evaluate))
    assert.same({ "1:0+?", "2:0+?", "1:8+12", "2:8+12", "3:0+20", "1:20+7" }, log)
    assert.equal(67, found.replications)
    assert.equal(6, found.evaluations)
  end)

  it("forgets a best that more replications made worse", function()
    local values = { a = { 1, 5 }, b = { 2, 2 } }
    local found = assert(search.drive(function(ask)
      ask { { k = "a" }, { k = "b" } }
      ask({ { k = "a" } }, { replications = { 10 } })
    end, function(points, how)
      local told = {}
      for i, p in ipairs(points) do
        told[i] = { value = values[p.k][how.before[i] and 2 or 1], n = how.first[i] + 10 }
      end
      return told
    end))
    assert.equal("b", found.best.point.k)
    assert.same({ 1, 1, 2 }, { found.history[1].best, found.history[2].best,
      found.history[3].best })
  end)

  it("stops at the budget and uses all of it", function()
    local allowed = {}
    local found = assert(search.drive(function(ask, left)
      local best
      for x = 10, 0, -2 do
        allowed[#allowed + 1] = left()
        local told = ask { { x = x }, { x = x - 1 } }
        if not told then return best end
        best = search.best(told, best)
      end
    end, square, { budget = 7 }))
    assert.equal("budget", found.stopped)
    assert.equal(7, found.evaluations)
    assert.same({ 7, 5, 3, 1 }, allowed)
    assert.equal(4, found.best.point.x) -- from the ask that was cut
  end)

  it("ends a search that goes in circles", function()
    local found = assert(search.drive(function(ask)
      while ask { { x = 1 } } do end -- luacheck: ignore 542
    end, square))
    assert.equal("repeats", found.stopped)
    local none, message = search.drive(function(ask)
      while true do ask { { x = 1 } } end
    end, square, { budget = 1 })
    assert.is_nil(none)
    assert.matches("search_spec.lua:%d+: the search goes on asking", message)
  end)

  it("takes failed points for the worst", function()
    local function evaluate(points)
      local told = {}
      for i, p in ipairs(points) do
        told[i] = p.x < 3 and { ok = false, message = "overload" }
          or { value = p.x == 3 and 0 / 0 or p.x }
      end
      return told
    end
    local found = assert(search.drive(function(ask)
      local told = ask { { x = 1 }, { x = 3 }, { x = 5 } }
      assert.same({ math.huge, false, "overload" }, { told[1].value, told[1].ok, told[1].message })
      assert.equal("the value is nan, not a number", told[2].message)
      return told[1]
    end, evaluate))
    assert.equal(5, found.best.point.x)
    local none, message, so_far = search.drive(function(ask) ask { { x = 1 }, { x = 2 } } end,
      evaluate)
    assert.is_nil(none)
    assert.equal("none of 2 points could be evaluated: overload", message)
    assert.equal(2, #so_far.history)
  end)

  it("says where a search went wrong, and keeps what it had", function()
    local line = debug.getinfo(1, "l").currentline
    local none, message, so_far = search.drive(function(ask)
      ask { { x = 5 } }
      return ask.nothing.there
    end, square)
    assert.is_nil(none)
    assert.matches(("search_spec.lua:%d: attempt to index"):format(line + 3), message)
    assert.equal(5, so_far.best.point.x)

    none, message = search.drive(function(ask)
      for x = 1, 3 do print(ask({ { x = x } })[2].value) end
    end, square, { budget = 1 })
    assert.is_nil(none)
    assert.matches("search_spec.lua:%d+: ", message)

    none, message = search.drive(function(ask)
      local best
      for x = 1, 3 do best = ask({ { x = x } })[1] end
      return best
    end, square, { budget = 1 })
    assert.is_nil(none)
    assert.matches("budget of 1 evaluations is used up and ask returned nil", message)

    none, message = search.drive(function() error { code = 1 } end, square)
    assert.is_nil(none)
    assert.matches("search_spec.lua:%d+: table", message)
    none, message = search.drive(function() coroutine.yield { { x = 1 } } end, square)
    assert.is_nil(none)
    assert.matches("search_spec.lua:%d+: the search yielded by itself; call ask", message)
  end)

  it("answers wrong asks at their line", function()
    local function wrong(pattern, ...)
      local asked = table.pack(...)
      local none, message = search.drive(function(ask)
        local told = ask(table.unpack(asked, 1, asked.n))
        return told[1]
      end, square)
      assert.is_nil(none)
      assert.matches("search_spec.lua:%d+: ", message)
      assert.matches(pattern, message)
    end
    wrong "ask wants a list of points"
    wrong("did you mean ask { { x = … } }%?", { x = 1 })
    wrong("at least one point", {})
    wrong("point 2 wants named coordinates", { { x = 1 }, 7 })
    wrong("point 1: a coordinate has no name", { { 7 } })
    wrong("point 1: x is not a number", { { x = 0 / 0 } })
    wrong("unknown option 'replication'; did you mean 'replications'%?", { { x = 1 } },
      { replication = 5 })
    wrong("whole number from 1", { { x = 1 } }, { replications = 0 })
    wrong("1 points, but 2 numbers", { { x = 1 } }, { replications = { 1, 2 } })
  end)

  it("answers wrong answers", function()
    local function nothing() end
    assert.matches("without asking", select(2, search.drive(nothing, square)))
    local function ends_with(what)
      return select(2, search.drive(function(ask)
        ask { { x = 1 } }
        return what
      end, square))
    end
    assert.matches("returned a number", ends_with(7))
    assert.matches("x = 2, which it never asked for", ends_with { x = 2 })
    assert.matches("neither an evaluation nor a point", ends_with { 1, 2 })
  end)

  it("hands through what ends an evaluation", function()
    local calls = 0
    local none, why, so_far = search.drive(function(ask)
      for x = 1, 9 do ask { { x = x } } end
    end, function(points)
      calls = calls + 1
      if calls == 3 then return nil, "interrupted" end
      return square(points)
    end)
    assert.is_nil(none)
    assert.equal("interrupted", why)
    assert.equal(2, so_far.evaluations)
    fails_with("evaluate answered 0 for 1 points", search.drive, function(ask)
      ask { { x = 1 } }
    end, function() return {} end)
    fails_with("no such metric", search.drive, function(ask) ask { { x = 1 } } end,
      function() error "no such metric" end)
  end)

  it("refuses wrong arguments in one line", function()
    fails_with("wants a search first, such as search.golden", search.drive, {}, square)
    fails_with("function that evaluates points second", search.drive, print)
    fails_with("unknown option 'budge'; did you mean 'budget'", search.drive, print, square,
      { budge = 1 })
    fails_with("budget wants a whole number of evaluations from 1, not 0", search.drive, print,
      square, { budget = 0 })
    fails_with("search has no 'goldn'; did you mean 'golden'", function() return search.goldn end)
    local none, message = search.drive(search.golden, square)
    assert.is_nil(none)
    assert.matches("drive what search.golden{ over = … } gives", message)
  end)
end)

describe("every shipped search", function()
  it("refuses bad options at the caller's line", function()
    for _, name in ipairs(search.shipped) do
      local make = search[name]
      local function wrong(pattern, given)
        fails_with("search_spec.lua:%d+: search." .. name .. ".*" .. pattern,
          function() local made = make(given) return made end)
      end
      wrong("wants a table of options", nil)
      wrong("unknown option 'ovr'; did you mean 'over'%?", { ovr = {} })
      wrong("over is empty", { over = {} })
      wrong("did you mean { 1, 9 }", { over = { x = { 9, 1 } } })
    end
    fails_with("over is missing: over = { rps", search.golden, {})
    fails_with("tolerance wants more than 0, not 0", search.golden,
      { over = { x = { 1, 2 } }, tolerance = 0 })
    fails_with("seed wants a whole number, not 1.5", search.anneal,
      { over = { x = { 1, 2 } }, seed = 1.5 })
    fails_with("ahead wants true or false", search.nelder_mead,
      { over = { x = { 1, 2 } }, ahead = 1 })
  end)

  it("gives its best when the budget ends anywhere", function()
    local over = { a = { 1, 5, integer = true }, b = { choices = { 1, 2, 3 } } }
    for _, name in ipairs(search.shipped) do
      local options = { over = name == "golden" and { a = { 1, 5 } } or over }
      for budget = 1, 40 do
        local found = assert(search.drive(search[name](options),
          noisily(function(p) return p.a + (p.b or 0) end, function() return 1 end, 1),
          { budget = budget }))
        assert.is_true(found.evaluations <= budget)
        assert.is_true(found.best.ok)
      end
    end
  end)
end)

describe("golden-section search", function()
  local over = { x = { 0, 10 } }

  it("finds a minimum inside, and at either end", function()
    for _, at in ipairs { -1, 0, 0.3, 3.7, 5, 9.99, 12 } do
      local found = assert(search.drive(search.golden { over = over, tolerance = 1e-4 },
        exactly(function(p) return (p.x - at) ^ 2 end)))
      local inside = math.max(0, math.min(10, at))
      assert.near(inside, found.best.point.x, 1e-3)
      local bracket = found.details.bracket
      assert.is_true(bracket[1] <= inside and inside <= bracket[2])
      assert.is_true(bracket[2] - bracket[1] <= 1e-3)
      assert.is_true(found.evaluations <= 26)
    end
  end)

  it("is exact over whole numbers, in few evaluations", function()
    for at = 1, 200 do
      local found = assert(search.drive(
        search.golden { over = { n = { 1, 200, integer = true } } },
        exactly(function(p) return math.abs(p.n - at) end)))
      assert.equal(at, found.best.point.n)
      assert.is_true(found.evaluations <= 14)
    end
  end)

  it("searches in ratios", function()
    local found = assert(search.drive(
      search.golden { over = { x = { 1e-3, 1e3, log = true } }, tolerance = 1e-3 },
      exactly(function(p) return math.log(p.x / 0.02) ^ 2 end)))
    assert.near(0.02, found.best.point.x, 3e-4)
  end)

  it("says when there is more than one valley", function()
    local none, message, so_far = search.drive(search.golden { over = over },
      exactly(function(p) return -math.abs(p.x - 4) end))
    assert.is_nil(none)
    assert.matches("^search.golden: the objective has more than one valley over x: .* at 3.81966 "
      .. "lies above %-4 at 0 and .* at 6.18034; narrow over, or use search.anneal$", message)
    assert.equal(4, so_far.evaluations)
    none, message = search.drive(search.golden { over = over },
      function(points)
        local told = {}
        for i, p in ipairs(points) do
          told[i] = p.x > 5 and p.x < 8 and { ok = false } or { value = p.x }
        end
        return told
      end)
    assert.is_nil(none)
    assert.matches("a failure at 6.18034", message)
  end)

  it("does not take noise for a valley, nor failures at an end", function()
    for seed = 1, 50 do
      local found = assert(search.drive(search.golden { over = over },
        noisily(function(p) return (p.x - 3) ^ 2 end, function() return 3 end, seed)))
      assert.is_true((found.best.point.x - 3) ^ 2 < 5)
    end
    local found = assert(search.drive(search.golden { over = over }, function(points)
      local told = {}
      for i, p in ipairs(points) do told[i] = p.x > 4 and { ok = false } or { value = -p.x } end
      return told
    end))
    assert.near(4, found.best.point.x, 0.1)
  end)

  it("asks for more replications where noise hides the way, and ends there", function()
    local found = assert(search.drive(search.golden { over = over, tolerance = 1e-6 },
      noisily(function(p) return (p.x - 3) ^ 2 end, function() return 2 end, 5)))
    assert.near(3, found.best.point.x, 1)
    assert.matches("differ by less than the noise; more replications", found.details.note)
    assert.is_true(found.best.n > 10)
    assert.is_true(found.evaluations < 40)
  end)

  it("refuses what it cannot search", function()
    fails_with("along one dimension, not a, b; search.nelder_mead takes several", search.golden,
      { over = { a = { 1, 2 }, b = { 1, 2 } } })
    fails_with("kind is a list of choices; search.anneal", search.golden,
      { over = { kind = { "a", "b" } } })
  end)
end)

describe("Nelder–Mead", function()
  local function rosenbrock(p) return 100 * (p.y - p.x ^ 2) ^ 2 + (1 - p.x) ^ 2 end
  local over = { x = { -2, 2 }, y = { -1, 3 } }

  it("goes down Rosenbrock's valley", function()
    for _, ahead in ipairs { false, true } do
      local found = assert(search.drive(
        search.nelder_mead { over = over, start = { x = -1.2, y = 1 }, ahead = ahead },
        exactly(rosenbrock)))
      assert.near(1, found.best.point.x, 0.01)
      assert.near(1, found.best.point.y, 0.02)
      assert.equal("done", found.stopped)
    end
  end)

  it("asks in fewer rounds when told to ask ahead", function()
    local function run(ahead)
      local evaluate, count = counted(rosenbrock)
      assert(search.drive(search.nelder_mead { over = over, ahead = ahead }, evaluate))
      return count
    end
    local plain, ahead = run(false), run(true)
    assert.is_true(ahead.asks < plain.asks)
    assert.is_true(ahead.points > plain.points)
  end)

  it("finds minima on the bounds", function()
    local found = assert(search.drive(search.nelder_mead { over = over },
      exactly(function(p) return (p.x - 5) ^ 2 + (p.y + 0.5) ^ 2 end)))
    assert.near(2, found.best.point.x, 1e-6)
    assert.near(-0.5, found.best.point.y, 0.01)
  end)

  it("finds whole numbers and steps through rising choices", function()
    for _, at in ipairs { { 3, 8 }, { 17, 64 }, { 40, 1 } } do
      local found = assert(search.drive(
        search.nelder_mead { over = { n = { 1, 40, integer = true },
          batch = { choices = { 1, 2, 4, 8, 16, 32, 64 } } } },
        exactly(function(p)
          return (p.n - at[1]) ^ 2 / 10 + math.log(p.batch / at[2], 2) ^ 2
            + 0.05 * (p.n - at[1]) * math.log(p.batch / at[2], 2)
        end)))
      assert.same({ n = at[1], batch = at[2] }, found.best.point)
      assert.is_true(found.evaluations < 80)
    end
  end)

  it("ends in the noise, near the minimum", function()
    local near = 0
    for seed = 1, 20 do
      local found = assert(search.drive(search.nelder_mead { over = over },
        noisily(function(p) return 10 * (p.x - 1) ^ 2 + 10 * (p.y - 1) ^ 2 end,
          function() return 1 end, seed)))
      assert.is_true(found.evaluations < 300)
      if (found.best.point.x - 1) ^ 2 + (found.best.point.y - 1) ^ 2 < 0.1 then near = near + 1 end
    end
    assert.is_true(near >= 18)
  end)

  it("refuses what has no order, and a start outside", function()
    fails_with("kind has no order", search.nelder_mead, { over = { kind = { "a", "b" } } })
    fails_with("b has no order", search.nelder_mead, { over = { b = { choices = { 4, 2 } } } })
    fails_with("start: x: 9 is outside; the nearest is 2", search.nelder_mead,
      { over = over, start = { x = 9, y = 1 } })
  end)
end)

describe("simulated annealing", function()
  local over = { x = { -5, 5 }, n = { -5, 5, integer = true }, kind = { "b", "a", "c" } }
  -- Many valleys in x; the best is at 0, with n = 2 and kind a.
  local function hilly(p)
    return p.x ^ 2 + 5 * (1 - math.cos(4 * p.x)) + (p.n - 2) ^ 2 + (p.kind == "a" and 0 or 3)
  end

  it("finds the deepest of many valleys", function()
    local right = 0
    for seed = 1, 20 do
      local found = assert(search.drive(search.anneal { over = over, seed = seed },
        exactly(hilly), { budget = 800 }))
      assert.equal(hilly(found.best.point), found.best.value)
      if found.best.value < 0.5 then right = right + 1 end
    end
    assert.is_true(right >= 19)
  end)

  it("is the same with the same seed, and only then", function()
    local function run(seed)
      return assert(search.drive(search.anneal { over = over, seed = seed, steps = 20 },
        noisily(hilly, function() return 1 end, 9)))
    end
    local a, b, c = run(4), run(4), run(5)
    assert.same(a.history, b.history)
    assert.not_same(a.history, c.history)
  end)

  it("asks for one point a walker at once", function()
    local evaluate, count = counted(hilly)
    local found = assert(search.drive(search.anneal { over = over, walkers = 8, steps = 25 },
      evaluate))
    assert.equal(26, found.asks)
    assert.is_true(count.points > 150)
  end)

  it("gives the finalists more replications", function()
    local found = assert(search.drive(search.anneal { over = over, steps = 30 },
      noisily(hilly, function() return 2 end, 3)))
    assert.equal(20, found.best.n)
    local again = 0
    for _, h in ipairs(found.history) do again = again + (h.n == 20 and 1 or 0) end
    assert.equal(4, again)
  end)

  it("starts where it is told, and cools", function()
    local start = { x = 1, n = 0, kind = "c" }
    local found = assert(search.drive(
      search.anneal { over = over, start = start, hot = 2, cold = 0.5, steps = 3 }, exactly(hilly)))
    assert.same(start, found.history[1].point)
    assert.equal(2, found.details.hot)
    assert.equal(0.5, found.details.cold)
    fails_with("cold = 3 is above hot = 2", search.anneal, { over = over, hot = 2, cold = 3 })
  end)

  it("lives with failures", function()
    local found = assert(search.drive(search.anneal { over = over, steps = 100 },
      function(points)
        local told = {}
        for i, p in ipairs(points) do
          told[i] = p.kind == "a" and { ok = false } or { value = hilly(p) }
        end
        return told
      end))
    assert.not_equal("a", found.best.point.kind)
    assert.is_true(found.best.value < 6)
  end)
end)

describe("OCBA", function()
  -- Ten alternatives with means 1 … 10 and unequal deviations from 2 to 7.4.
  local over = { k = { 1, 10, integer = true } }
  local function mean(p) return p.k end
  local function deviation(p) return 2 + p.k * 7 % 10 * 0.6 end

  it("picks the best of ten more often than equal allocation does", function()
    local ocba, equal = 0, 0
    for seed = 1, 100 do
      local found = assert(search.drive(
        search.ocba { over = over, budget = 400, confidence = 1 },
        noisily(mean, deviation, seed)))
      if found.best.point.k == 1 then ocba = ocba + 1 end
      assert.equal(400, found.replications)
      assert.equal(400, found.details.replications)

      found = assert(search.drive(function(ask)
        return search.best(ask(search.space(over):points(), { replications = 40 }))
      end, noisily(mean, deviation, seed)))
      if found.best.point.k == 1 then equal = equal + 1 end
      assert.equal(400, found.replications)
    end
    assert.is_true(ocba >= 90)
    assert.is_true(ocba >= equal + 10)
  end)

  it("is right at least as often as it says", function()
    local right, spent = 0, 0
    for seed = 1, 100 do
      local found = assert(search.drive(
        search.ocba { over = over, budget = 5000, confidence = 0.9 },
        noisily(mean, deviation, seed)))
      assert.is_true(found.details.probability >= 0.9)
      if found.best.point.k == 1 then right = right + 1 end
      spent = spent + found.replications
    end
    assert.is_true(right >= 90)
    assert.is_true(spent < 100 * 600)
  end)

  it("spends on close rivals, little on what is plainly worse", function()
    local means = { a = 1, b = 1.5, c = 10, d = 20 }
    local found = assert(search.drive(
      search.ocba { over = { kind = { "a", "b", "c", "d" } }, budget = 400, confidence = 1 },
      noisily(function(p) return means[p.kind] end, function() return 2 end, 1)))
    local ranking, n = found.details.ranking, {}
    for _, e in ipairs(ranking) do n[e.point.kind] = e.n end
    assert.is_true(n.a > 100 and n.b > 100)
    assert.is_true(n.c <= 15 and n.d <= 15)
    assert.equal(found.best, ranking[1])
    assert.equal("d", ranking[4].point.kind)
  end)

  it("does not spend on ties that do not matter, nor on constants", function()
    local tie = search.ocba { points = { { k = "a" }, { k = "b" } }, budget = 4000,
      indifference = 0.5 }
    local found = assert(search.drive(tie,
      noisily(function() return 1 end, function() return 1 end, 2)))
    assert.is_true(found.replications < 200)
    assert.is_true(found.details.probability >= 0.95)
    found = assert(search.drive(search.ocba { over = over, confidence = 1 },
      noisily(function() return 1 end, function() return 0 end, 2)))
    assert.equal(100, found.replications)
    assert.equal(1, found.details.probability)
  end)

  it("leaves out what fails", function()
    local evaluate = noisily(mean, deviation, 3)
    local found = assert(search.drive(search.ocba { over = over, budget = 600 },
      function(points, how)
        local told = evaluate(points, how)
        for i, p in ipairs(points) do
          if p.k == 1 then told[i] = { ok = false, message = "out of memory" } end
        end
        return told
      end))
    assert.equal(2, found.best.point.k)
    assert.is_false(found.details.ranking[10].ok)
  end)

  it("refuses what it cannot rank", function()
    fails_with("give rps integer = true or choices", search.ocba, { over = { rps = { 1, 9 } } })
    fails_with("either over = .* or points", search.ocba, {})
    fails_with("10000 combinations, more than 1000; search.anneal", search.ocba,
      { over = { a = { 1, 100, integer = true }, b = { 1, 100, integer = true } } })
    fails_with("at least 2 alternatives, not 1", search.ocba, { points = { { k = 1 } } })
    fails_with("points%[2%] wants named", search.ocba, { points = { { k = 1 }, 7 } })
    fails_with("budget = 50 is less than n0 = 10 for each of 10 alternatives, 100", search.ocba,
      { over = over, budget = 50 })
    local none, message = search.drive(search.ocba { over = over }, exactly(mean))
    assert.is_nil(none)
    assert.matches("needs sd.*k = 1 has none", message)
  end)
end)
