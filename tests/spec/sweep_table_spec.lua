--- The table of a sweep by hand: answers that are made up, and every character of what is printed,
--- written and plotted of them. Ranges and axes by their values and messages.
local axes = require "tandem.sweep.axes"
local chart = require "tandem.sweep.chart"
local json = require "cjson"
local plot = require "tandem.plot"
local print_of = require "tandem.sweep.print"
local range = require "tandem.sweep.range"
local study = require "tandem.sweep.study"
local styles = require "tandem.plot.style"
local table_of = require "tandem.sweep.table"
local td = require "tandem"

local function base(extra)
  local raw = {
    workload = td.poisson { rps = 40, requests = 1500 },
    target = td.gpu "L40S" { concurrency = 2 },
    pipeline = { td.fixed "work" { time = td.exponential "20ms", on = "gpu" } },
    slo = { p99 = "300ms" },
  }
  for key, value in pairs(extra or {}) do raw[key] = value end
  return td.scenario "base" (raw)
end

-- A sweep whose points have the answers of a function; those without one are not answered yet.
local function swept(options, answer_of, interrupted)
  options.scenario = options.scenario or base()
  options.replications = options.replications or 3
  local made, message = study.new(options)
  assert.is_table(made, message)
  local answers = {}
  for n = 1, made.count do
    local number = study.number(made, n)
    answers[number] = answer_of(study.point(made, number), number)
  end
  return table_of.of_run { study = made, answers = answers, reused = 0,
    interrupted = interrupted }
end

local function figures(list) return { ok = true, metrics = list } end
local function figure(value, half) return { value = value, half = half } end

-- Two loads on one to three GPUs; the fourth point failed, the sixth is overloaded.
local function small(extra)
  local options = { over = { { "rps", { 40, 80 } }, { "gpus", td.range(1, 3) } } }
  for key, value in pairs(extra or {}) do options[key] = value end
  return swept(options, function(point, number)
    if number == 4 then return { ok = false, message = "no memory", metrics = {} } end
    return figures { ["latency.p99"] = figure(0.01 * point.rps / point.gpus, 0.001),
      throughput_rps = figure(point.rps, 0.5), utilization = figure(point.rps / (80 * point.gpus)),
      bottleneck = number > 4 and "gpu" or "cpu", met = number ~= 1, overload = number == 6,
      lost = figure(number == 2 and 0.25 or 0) }
  end)
end

local function report(s, width, options)
  return "\n" .. s:report(styles.new { width = width, unicode = true }, options) .. "\n"
end

local HEAD <const> = "\nbase  6 points · 3 replications · seed 1\n"
-- Notes: together where there is room, each broken where it has none.
local SAID <const> = "1 point is overloaded: latencies there grow with the run\n1 point loses "
  .. "requests (25 %): latencies and met there are of those served · 1 point failed\n"
local IN_62 <const> = "1 point is overloaded: latencies there grow with the run\n1 point loses "
  .. "requests (25 %): latencies and met there are of\nthose served · 1 point failed\n"
local IN_40 <const> = "1 point is overloaded: latencies there\ngrow with the run\n1 point loses "
  .. "requests (25 %): latencies\nand met there are of those served\n1 point failed\n"

describe("the table of a sweep on paper", function()
  it("shows every column and says what is to be known of the points", function()
    assert.equal(HEAD .. [[
rps  gpus             p99  lost     throughput    busy  bottleneck  met
 40     1  400.0 ± 1.0 ms   0 %  40.0 ± 0.5 /s    50 %  cpu          no
 40     2  200.0 ± 1.0 ms  25 %  40.0 ± 0.5 /s    25 %  cpu         yes
 40     3  133.3 ± 1.0 ms   0 %  40.0 ± 0.5 /s  16.7 %  cpu         yes
 80     2  400.0 ± 1.0 ms   0 %  80.0 ± 0.5 /s    50 %  gpu         yes
 80     3  266.7 ± 1.0 ms   0 %  80.0 ± 0.5 /s  33.3 %  gpu         yes
]] .. SAID, report(small(), 120))
  end)

  it("leaves out what there is no room for, the least important first", function()
    assert.equal(HEAD .. [[
rps  gpus             p99  lost     throughput    busy  met
 40     1  400.0 ± 1.0 ms   0 %  40.0 ± 0.5 /s    50 %   no
 40     2  200.0 ± 1.0 ms  25 %  40.0 ± 0.5 /s    25 %  yes
 40     3  133.3 ± 1.0 ms   0 %  40.0 ± 0.5 /s  16.7 %  yes
 80     2  400.0 ± 1.0 ms   0 %  80.0 ± 0.5 /s    50 %  yes
 80     3  266.7 ± 1.0 ms   0 %  80.0 ± 0.5 /s  33.3 %  yes
]] .. "not shown: bottleneck\n" .. IN_62, report(small(), 62))
    assert.equal(HEAD .. [[
rps  gpus             p99  lost  met
 40     1  400.0 ± 1.0 ms   0 %   no
 40     2  200.0 ± 1.0 ms  25 %  yes
 40     3  133.3 ± 1.0 ms   0 %  yes
 80     2  400.0 ± 1.0 ms   0 %  yes
 80     3  266.7 ± 1.0 ms   0 %  yes
]] .. "not shown: throughput, busy, bottleneck\n" .. IN_40, report(small(), 40))
  end)

  it("keeps a column that just fits", function()
    local wide = "rps  gpus             p99  lost     throughput    busy  met"
    assert.matches("\n" .. wide .. "\n", report(small(), #wide), 1, true)
    local next_one = "rps  gpus             p99  lost    busy  met"
    assert.matches("\n" .. next_one .. "\n", report(small(), #wide - 1), 1, true)
    assert.matches("\n" .. next_one .. "\n", report(small(), #next_one), 1, true)
    assert.matches("\nrps  gpus             p99  lost  met\n", report(small(), #next_one - 1), 1,
      true)
  end)

  it("leaves out what was asked for from the right", function()
    assert.equal(HEAD .. [[
rps  gpus    busy  lost             p99
 40     1    50 %   0 %  400.0 ± 1.0 ms
 40     2    25 %  25 %  200.0 ± 1.0 ms
 40     3  16.7 %   0 %  133.3 ± 1.0 ms
 80     2    50 %   0 %  400.0 ± 1.0 ms
 80     3  33.3 %   0 %  266.7 ± 1.0 ms
]] .. IN_40:match "1 point loses.*",
      report(small { metrics = { "utilization", "lost", "latency.p99" } }, 40))
  end)

  it("says how many rows are left, and how far it came", function()
    assert.equal(HEAD .. [[
rps  gpus             p99  lost     throughput    busy  bottleneck  met
 40     1  400.0 ± 1.0 ms   0 %  40.0 ± 0.5 /s    50 %  cpu          no
 40     2  200.0 ± 1.0 ms  25 %  40.0 ± 0.5 /s    25 %  cpu         yes
 40     3  133.3 ± 1.0 ms   0 %  40.0 ± 0.5 /s  16.7 %  cpu         yes
 80     2  400.0 ± 1.0 ms   0 %  80.0 ± 0.5 /s    50 %  gpu         yes
]] .. "1 more row · " .. SAID, report(small(), 120, { rows = 4 }))
    local partly = swept({ over = { rps = { 10, 20, 30 } } }, function(point)
      return point.rps < 25 and figures { ["latency.p50"] = figure(2.0) } or nil
    end, true)
    assert.equal([[

base  3 points · 3 replications · seed 1
rps  p50
 10  2 s
 20  2 s
interrupted: 2 of 3 points are here
]], report(partly, 120))
    local nothing = swept({ over = { rps = { 10 } } }, function() return nil end)
    assert.equal("\nbase  1 point · 3 replications · seed 1\nno rows\n", report(nothing, 120))
  end)

  it("counts what is lost, overloaded and unsettled", function()
    local function said(count)
      local s = swept({ over = { rps = { 10, 20, 30 } }, metrics = { "latency.p99", "lost",
        "overload" } }, function(_, number)
        return figures { ["latency.p99"] = figure(1), overload = number <= count,
          unsettled = number <= count, lost = figure(number <= count and 0.1 * number or 0) }
      end)
      for i, row in ipairs(s.rows) do row.unsettled = i <= count end
      return report(s, 120):match "\n *30 [^\n]*\n(.*)$"
    end
    assert.equal("1 point is overloaded: latencies there grow with the run · 1 point too short to "
      .. "tell whether a server keeps up\n1 point loses requests (10 %): latencies and met there "
      .. "are of those served\n", said(1))
    assert.equal("2 points are overloaded: latencies there grow with the run\n2 points too short "
      .. "to tell whether a server keeps up\n2 points lose requests (up to 20 %): latencies and "
      .. "met there are of those served\n", said(2))
    assert.equal("", said(0))
  end)

  it("colours what is met, and what is busy", function()
    local function colours(busy, met)
      local s = swept({ over = { rps = { 10 } } }, function()
        return figures { utilization = figure(busy), met = met, throughput_rps = figure(95) }
      end)
      local text = s:report(styles.new { width = 99, unicode = true, color = true })
      local out = {}
      for code in text:match "\n[^\n]*$":gmatch "\27%[(%d+)m" do out[#out + 1] = code end
      return table.concat(out, " ")
    end
    assert.equal("32 0", colours(0.69, true))
    assert.equal("33 0 32 0", colours(0.7, true))
    assert.equal("33 0 31 0", colours(0.89, false))
    assert.equal("31 0 32 0", colours(0.9, true))
  end)

  it("is CSV, with failed points where they belong", function()
    assert.equal("rps,gpus,throughput_rps,throughput_rps_half,latency.p99,latency.p99_half,"
      .. "utilization,bottleneck,overload,met,lost,failed\n" .. [[
40,1,40,0.5,0.4,0.001,0.5,cpu,false,false,0,
40,2,40,0.5,0.2,0.001,0.25,cpu,false,true,0.25,
40,3,40,0.5,0.13333333333333333,0.001,0.16666666666666666,cpu,false,true,0,
80,1,,,,,,,,,,no memory
80,2,80,0.5,0.4,0.001,0.5,gpu,false,true,0,
80,3,80,0.5,0.26666666666666666,0.001,0.3333333333333333,gpu,true,true,0,
]], small():to_csv())
    local reversed = small():sort("rps", true)
    assert.equal("80,1,,,,,,,,,,no memory", reversed:to_csv():match "([^\n]*)\n$")
    assert.equal("gpus,throughput_rps,latency.p99,utilization,lost\n2,60,0.30000000000000004,0.375,"
      .. "0.125\n", small():filter { gpus = 2 }:group "gpus":to_csv())
  end)

  it("is JSON", function()
    local data = json.decode(small { seed = 4 }:to_json())
    assert.same({ "tandem.sweep/1", "base", 4, 3, 6 }, { data.schema, data.name, data.seed,
      data.replications, data.points })
    assert.same({ { name = "rps", unit = "1" }, { name = "gpus", unit = "1" } }, data.axes)
    assert.equal(6, #data.rows)
    assert.same({ number = 4, point = { rps = 80, gpus = 1 }, failed = "no memory" }, data.rows[4])
    assert.same({ number = 2, point = { rps = 40, gpus = 2 }, metrics = {
      ["latency.p99"] = { value = 0.2, half = 0.001 }, throughput_rps = { value = 40, half = 0.5 },
      utilization = { value = 0.25 }, bottleneck = "cpu", met = true, overload = false,
      lost = { value = 0.25 } } }, data.rows[2])
  end)

  it("is asked in SQL, with booleans as numbers", function()
    assert.same({ { gpus = 1, met = 0, half = 0.001, failed = nil } }, small():sql([[
      SELECT gpus, met, "latency.p99_half" AS half, failed FROM sweep WHERE gpus = ? AND rps = 40]],
      1))
    assert.equal(5, small():sql("SELECT count(*) AS n FROM sweep")[1].n)
  end)

  it("has numbers that JSON cannot write", function()
    local s = swept({ over = { rps = { 1, 2, 3 } } }, function(_, number)
      return figures { ["latency.p99"] = figure(({ "inf", "nan", 2.5 })[number], 1) }
    end)
    assert.equal(math.huge, s.rows[1]["latency.p99"])
    assert.is_true(s.rows[2]["latency.p99"] ~= s.rows[2]["latency.p99"])
    assert.same({ { n = 2 } }, s:sql [[SELECT count("latency.p99") AS n FROM sweep]])
    assert.equal(3, s:best("latency.p99").rps)
    assert.same({ 3, 1, 2 }, (s:sort "p99":column "rps"))
    assert.same({ 1, 3, 2 }, (s:sort("p99", true):column "rps"))
  end)

  it("sorts numbers before words before nothing, and keeps the order of equals", function()
    local values <const> = { "b", 2, true, nil, 1, false, "a", 2 }
    local s = swept({ over = { rps = { 1, 2, 3, 4, 5, 6, 7, 8 } } }, function(_, number)
      return figures { utilization = values[number], lost = figure(0) }
    end)
    assert.same({ 5, 2, 8, 7, 1, 3, 6, 4 }, (s:sort "utilization":column "rps"))
    assert.same({ 2, 8, 5, 1, 7, 6, 3, 4 }, (s:sort("utilization", true):column "rps"))
  end)

  it("finds the best by what is good of a metric", function()
    local s = small()
    assert.equal(3, s:best("p99").number)
    assert.equal(1, s:best("latency.p99", "max").number)
    assert.equal(5, s:best("throughput_rps").number)
    assert.equal(1, s:best("throughput_rps", "min").number)
    assert.is_nil(s:best "bottleneck")
    assert.has_error(function() s:best("p99", "most") end,
      "best wants \"min\" or \"max\", not 'most'")
    assert.has_error(function() s:sort "gpu" end, "the sweep has no column 'gpu'; did you mean "
      .. "'gpus'?")
  end)

  it("folds over the other axes", function()
    local s = small()
    assert.same({ { 1, 2, 3 }, { 0.4, (0.2 + 0.4) / 2, (40 / 300 + 80 / 300) / 2 } },
      { (s:group "gpus":column "gpus"), (s:group "gpus":column "p99") })
    assert.same({ 0.4, 0.2, 40 / 300 }, (s:group("gpus", "min"):column "p99"))
    assert.same({ 0.4, 0.4, 80 / 300 }, (s:group("gpus", "max"):column "p99"))
    assert.same({ "throughput_rps", "latency.p99", "utilization", "lost" }, s:group "rps".metrics)
    assert.same({ {}, { false, false } }, { s:group "rps".failed,
      select(2, s:group "rps":column "p99") })
    assert.has_error(function() s:group("rps", "median") end,
      "group wants mean, min, max or a function, not 'median'")
    assert.has_error(function() s:group "p99" end,
      "the sweep has no axis 'p99'; one of gpus, rps")
  end)

  it("gives columns with their intervals, and describes a row", function()
    local values, halves = small():column "p99"
    assert.same({ 0.4, 0.2, 40 / 300, 0.4, 80 / 300 }, values)
    assert.same({ 0.001, 0.001, 0.001, 0.001, 0.001 }, halves)
    assert.same({ { false, true, true, true, true }, { false, false, false, false, false } },
      { small():column "met" })
    assert.equal("rps 80, gpus 3", small():describe(small().rows[5]))
    assert.equal("rps 40", small():describe { rps = 40 })
  end)
end)

describe("a value of an axis", function()
  it("is written in its unit, numbers with six digits, whole ones with all", function()
    local function text(value, dim) return print_of.axis_text({ dim = dim or "1" }, value) end
    assert.same({ "1234567", "1.23457e+06", "2.5", "0.3", "–", "L40", "true", "2 ms" }, {
      text(1234567), text(1234567.5), text(2.5), text(0.1 + 0.2), text(nil), text "L40", text(true),
      text(0.002, "s") })
  end)
end)

describe("a chart of a sweep", function()
  -- What would be drawn.
  local function drawn(s, ...)
    local kept, found = { plot.lines, plot.scatter, plot.heatmap }, nil
    for _, kind in ipairs { "lines", "scatter", "heatmap" } do
      plot[kind] = function(data)
        found = { kind = kind, data = data }
        return { save = function() return true end }
      end
    end
    local ok, message = pcall(chart.of, s, ...)
    plot.lines, plot.scatter, plot.heatmap = table.unpack(kept)
    return found or ok, message
  end

  it("has a line for each combination of the other axes, in order of x", function()
    local s = small()
    local found = drawn(s:sort("gpus", true), nil, "p99")
    assert.equal("lines", found.kind)
    assert.same({ title = "base: p99 over gpus",
      subtitle = "5 points, 3 replications; band: confidence interval",
      x = { label = "gpus" }, y = { label = "p99", unit = "time" }, series = {
        { name = "rps 40", x = { 1, 2, 3 }, y = { 0.4, 0.2, 40 / 300 },
          half = { 0.001, 0.001, 0.001 } },
        { name = "rps 80", x = { 2, 3 }, y = { 0.4, 80 / 300 }, half = { 0.001, 0.001 } } } },
      found.data)
    local given = drawn(s, "rps", "utilization", "bottleneck").data.series
    assert.same({ "cpu, gpus 1", "cpu, gpus 2", "cpu, gpus 3", "gpu, gpus 2", "gpu, gpus 3" },
      { given[1].name, given[2].name, given[3].name, given[4].name, given[5].name })
    assert.is_true(given[1].half[1] ~= given[1].half[1]) -- no interval is not one of nothing
    local alone = drawn(s:filter { gpus = 2 }, "rps").data
    assert.same({ nil, { 40, 80 }, { 0.2, 0.4 } }, { alone.series[1].name, alone.series[1].x,
      alone.series[1].y })
  end)

  it("is of points where x is no axis, and where lines are too many", function()
    local found = drawn(small(), "utilization", "p99")
    assert.equal("scatter", found.kind)
    assert.same({ { x = 0.5, y = 0.4, half_y = 0.001 }, { x = 0.25, y = 0.2, half_y = 0.001 } },
      { found.data.points[1], found.data.points[2] })
    local partly = swept({ over = { rps = { 1, 2, 3 } } }, function(_, number)
      return figures { ["latency.p50"] = number ~= 1 and figure(number) or nil,
        ["latency.p99"] = number ~= 2 and figure(7) or nil }
    end)
    assert.same({ { x = 3, y = 7 } }, drawn(partly, "latency.p50", "latency.p99").data.points)
    local function many(rps, gpus)
      return drawn(swept({ over = { rps = td.range(1, rps), gpus = td.range(1, gpus) } },
        function(point) return figures { ["latency.p99"] = figure(point.rps + point.gpus) } end),
        "rps", "p99")
    end
    assert.equal("lines", many(2, 12).kind)
    assert.equal("scatter", many(1, 13).kind)
    local _, message = many(2, 13)
    assert.equal("13 lines are too many to tell apart; keep fewer points with filter or --where, "
      .. "or average an axis away with group", message)
  end)

  it("is a map of two axes", function()
    local found = drawn(small(), "out.svg", { x = "rps", y = "gpus", value = "p99" })
    assert.equal("heatmap", found.kind)
    assert.same({ title = "base: p99", x = { label = "rps", values = { 40, 80 } },
      y = { label = "gpus", values = { 1, 2, 3 } }, unit = "time", label = "p99",
      values = { { 0.4 }, { 0.2, 0.4 }, { 40 / 300, 80 / 300 } } }, found.data)
  end)

  it("is logarithmic where values are fifty times apart", function()
    local function log(low, high)
      return drawn(swept({ over = { rps = { 1, 2 } } }, function(point)
        return figures { ["latency.p99"] = figure(point.rps == 1 and low or high) }
      end)).data.y.log
    end
    assert.same({ nil, true, nil, nil }, { log(1, 50), log(1, 50.5), log(0, 100),
      log(1, "inf") })
  end)

  it("says what cannot be plotted", function()
    for message, arguments in pairs {
      ["bottleneck is not a number; plot over a numeric column and take bottleneck as the series"] =
        { "bottleneck", "p99" },
      ["bottleneck has no numbers to plot"] = { "rps", "bottleneck" },
      ["there is nothing to plot: the sweep has no rows"] = false,
      ["no axis has numbers to plot over; say --plot x,y"] = {},
    } do
      local s = small()
      if not arguments then s = s:filter { rps = 1 }
      elseif not arguments[1] then s = s:filter { rps = 40, gpus = 1 } end
      assert.equal(message, select(2, drawn(s, table.unpack(arguments or { "rps" }))))
    end
  end)
end)

describe("a range by hand", function()
  local function read(...)
    local ok, made = pcall(td.range, ...)
    return ok and range.read(made) or tostring(made):gsub("^.*td%.range: ", "")
  end

  it("knows what its ends are", function()
    assert.same({ low = 1, high = 9, dim = "1", integer = true, log = false, shown = "1:9" },
      read(1, 9))
    assert.same({ low = 1, high = 9, dim = "1", integer = false, log = false, points = 3,
      shown = "1.0:9:3" }, read(1.0, 9, 3))
    assert.same({ low = 0.001, high = 2, dim = "s", integer = false, log = true, points = 2,
      shown = "1ms:2s:2" }, read { from = "1ms", to = "2s", points = 2.0, log = true })
    assert.is_false(read("1", "2e3").integer)
    assert.is_false(read("1.5", "3").integer)
    assert.is_false(read("1", "3.0").integer)
    assert.is_true(read("1", "3").integer)
    assert.is_true(read("1KiB", "3KiB").integer)
    assert.is_false(read(0, 2 ^ 53).integer)
  end)

  it("says what is wrong", function()
    for message, given in pairs {
      ["a range wants both ends; from is missing"] = { { to = 1 } },
      ["a range wants both ends; to is missing"] = { { from = 1 } },
      ["the range 1:inf has no end"] = { 1, math.huge },
      ["the range -inf:1 has no end"] = { -math.huge, 1 },
      ["the range 1:nan has no end"] = { 1, math.abs(0 / 0) },
      ["the logarithmic range 0:3 must begin above 0"] = { { from = 0, to = 3, log = true } },
      ["the range 1:3 with 1.5 points is empty; it wants a whole number, at least 1"] =
        { 1, 3, 1.5 },
      ["the range 1:3 with 0 points is empty; it wants a whole number, at least 1"] = { 1, 3, 0 },
      ["the range 1:3 has 10000001 points; the most is 10000000"] = { 1, 3, 10000001 },
      ["the range 3:1 is empty; the smaller end comes first: 1:3"] = { 3, 1 },
    } do
      assert.equal(message, read(table.unpack(given)))
    end
    assert.equal(10000000, read(1, 3, 10000000).points)
    assert.equal(1, read(1, 3, 1).points)
    assert.has_error(function() td.range { from = 1, to = 2, step = 1 } end,
      "td.range has no 'step'; one of from, log, points, to")
  end)

  it("has values, or asks how many", function()
    local function values(...)
      local list, message = range.values(read(...))
      return list or message
    end
    assert.same({ 3 }, values(3, 9, 1))
    assert.same({ 2.5 }, values(2.5, 2.5))
    assert.same({ 0, 0.25, 0.5, 0.75, 1 }, values(0.0, 1, 5))
    assert.same({ 1, 3, 10, 32, 100 }, values { from = 1, to = 100, points = 5, log = true })
    assert.same({ 10, 33, 55, 78, 100 }, values(10, 100, 5))
    assert.equal("how many points has the range 0.5:1? 0.5:1:10 gives ten", values(0.5, 1))
    assert.equal("how many points has the range 1KiB:2KiB? 1KiB:2KiB:10 gives ten",
      values("1KiB", "2KiB"))
    assert.equal("how many points has the logarithmic range 1:8?",
      values { from = 1, to = 8, log = true })
    assert.equal("the range 0:10000000 has more than 10000000 values", values(0, 10000000))
    assert.same({ 9000000, 9000001, 9000002 }, values(9000000, 9000002))
  end)

  it("is drawn from evenly", function()
    local function at(share, ...) return range.at(read(...), share) end
    assert.same({ 2, 3.5, 4.25 }, { at(0, 2.0, 5), at(0.5, 2.0, 5), at(0.75, 2.0, 5) })
    assert.same({ 1, 10 }, { at(0, { from = 1.0, to = 100, log = true }),
      at(0.5, { from = 1.0, to = 100, log = true }) })
    local log <const> = { from = 1, to = 7, log = true }
    assert.same({ 1, 1, 2, 3, 4, 7 }, { at(0, log), at(0.3, log), at(0.34, log), at(0.6, log),
      at(0.67, log), at(0.999, log) })
    assert.same({ 3, 3, 4, 5 }, { at(0, 3, 5), at(0.33, 3, 5), at(0.34, 3, 5), at(0.67, 3, 5) })
  end)

  it("is read from words", function()
    assert.same({ from = "1", to = "5" }, range.of_text "1:5")
    assert.same({ from = "1", to = "5", log = true }, range.of_text " 1:5:log")
    assert.is_nil(range.of_text "a:5")
    assert.same({ nil, "'1:5:x' is not a range; wanted FROM:TO:POINTS, as in 10:100:10" },
      { range.of_text "1:5:x" })
    assert.same({ nil, "'1:5:2:3' is not a range; wanted FROM:TO:POINTS, as in 10:100:10" },
      { range.of_text "1:5:2:3" })
  end)
end)

describe("axes by hand", function()
  local function read(over, drawn)
    local list, carried = axes.read(base(), over, drawn or false)
    return list or carried, carried
  end
  local function labels(axis)
    local out = {}
    for i, one in ipairs(axis.values) do out[i] = one.label end
    return out
  end

  it("are numbers where all values are, whatever their units", function()
    local time = read { ["pipeline.work.time"] = { "1ms", 2, "3s" } }[1]
    assert.same({ "s", true, { "1ms", "2 s", "3s" } }, { time.dim, time.numeric, labels(time) })
    assert.same({ 0.001, 2, 3 }, { time.values[1].value, time.values[2].value,
      time.values[3].value })
    assert.same({ "1ms", 2, "3s" }, { time.values[1].set, time.values[2].set, time.values[3].set })
    local first = read { ["pipeline.work.time"] = { 2, "1ms", 3 } }[1]
    assert.same({ "s", true, { "2 s", "1ms", "3 s" } }, { first.dim, first.numeric, labels(first) })
    assert.matches("^pipeline.work.time: '5GB' is .*, the values before it are ",
      (read { ["pipeline.work.time"] = { 2, "1ms", 4, "5GB" } }))
    local mixed = read { rps = { 1, "fast", true } }[1]
    assert.same({ "1", false, { "1", "fast", "true" } }, { mixed.dim, mixed.numeric,
      labels(mixed) })
    local written = read { kind = { "2", "L40" } }[1]
    assert.same({ "gpu", false, { "2", "L40" } }, { written.path, written.numeric,
      labels(written) })
    assert.same({ "0.333333", "7" }, labels(read { rps = { 1 / 3, 7 } }[1]))
    assert.same({ "3" }, labels(read { rps = 3 }[1]))
  end)

  it("carry what is no plain value, each under its own label", function()
    local f = function() end
    local list, carried = read { ["pipeline.work.time"] = { td.exponential "5ms", f,
      td.lognormal { mean = 0.25, cv = 2 }, td.exponential "5ms", "1ms" } }
    assert.same({ "exponential(mean 5ms)", "function 2", "lognormal(cv 2, mean 0.25)",
      "exponential(mean 5ms) 4", "1ms" }, labels(list[1]))
    assert.equal(4, #carried)
    assert.equal(f, carried[2])
    assert.same({ ["$"] = 3 }, list[1].values[3].set)
    assert.equal("1ms", list[1].values[5].set)
  end)

  it("are refused with what is wrong", function()
    for message, over in pairs {
      ["over: entry 1 wants { name, values }"] = { { "rps" } },
      ["over: entry 2 wants { name, values }"] = { { "rps", { 1 } }, { 3, { 1 } } },
      ["kind and gpu are the same; vary it once"] = { { "kind", { "L40" } }, { "gpu", { "L4" } } },
      ["rps: the value 1 stands there twice"] = { rps = { 1, 2, 1 } },
      ["rps: no values; give a list { 1, 2, 4 } or td.range(from, to, points)"] = { rps = {} },
    } do
      assert.equal(message, read(over))
    end
    for _, over in ipairs { {}, 5, "rps", setmetatable({ rps = 2 }, {}) } do
      assert.matches("^over is missing: what is varied%? ", (read(over)))
    end
    for _, point in ipairs { {}, 5, "rps", setmetatable({ rps = 2 }, {}) } do
      local _, message = axes.listed(base(), { { rps = 1 }, point })
      assert.equal("points: entry 2 wants { rps = 10, gpus = 2, … }", message)
    end
  end)

  it("are tried at their ends and between", function()
    -- Of 47 values the third from the end alone can be.
    local tried, values = {}, {}
    for i = 1, 47 do values[i] = i end
    local fake = { try_with = function(_, changes)
      tried[#tried + 1] = changes.rps
      return changes.rps == 47 or nil, { "rps: no" }
    end }
    local list = { { name = "rps", path = "rps", dim = "1", values = {} } }
    for i, value in ipairs(values) do list[1].values[i] = axes.number(value, "1") end
    assert.is_nil(axes.try(fake, list))
    assert.same({ 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41,
      43, 45, 47 }, tried)
    tried = {}
    list[1].values[25] = nil
    for i = 26, 47 do list[1].values[i] = nil end
    assert.equal("rps: no", axes.try(fake, list))
    assert.equal(24, #tried)
    tried = {}
    assert.equal("load: rps: no", axes.try(fake, { { name = "load", path = "rps", dim = "1",
      range = { low = 2, high = 9 } } }))
    assert.same({ 2, 9 }, tried)
  end)

  it("of listed points are all their names", function()
    local list, _, rows = axes.listed(base(), { { rps = 10 }, { rps = 20, gpus = 2 },
      { gpus = 2 }, { rps = 10, gpus = 1 } })
    assert.same({ "gpus", "rps" }, { list[1].name, list[2].name })
    assert.same({ { 2, 1 }, { 10, 20 } }, { { list[1].values[1].value, list[1].values[2].value },
      { list[2].values[1].value, list[2].values[2].value } })
    local shown = {}
    for i, row in ipairs(rows) do
      shown[i] = { row[1] and row[1].value, row[2] and row[2].value }
    end
    assert.same({ { false, 10 }, { 2, 20 }, { 2, false }, { 1, 10 } }, shown)
  end)
end)
