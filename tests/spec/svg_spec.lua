-- SVG charts: well formed, complete, escaped, the same bytes every time; ticks at nice numbers.
local canvas = require "tandem.plot.svg.canvas"
local labels = require "tandem.plot.svg.labels"
local shared = require "tandem.plot.chart.scatter"
local svg = setmetatable({}, { __index = function(_, kind)
  return require("tandem.plot.chart." .. kind).svg
end })
local ticks = require "tandem.plot.ticks"

local nan, inf = 0 / 0, math.huge

local xml = require "tests.spec.support.xml"
local all, drawn, parse, texts = xml.all, xml.drawn, xml.parse, xml.texts

local function latency_chart()
  return {
    title = "p99 latency", subtitle = "4 GPUs",
    x = { label = "Load", unit = "rate" }, y = { label = "p99", unit = "time" },
    series = {
      { name = "H100", x = { 10, 20, 30, 40 }, y = { 0.05, 0.06, 0.08, 0.2 },
        half = { 0.01, 0.01, 0.01, 0.05 } },
      { name = "L40 <&>", x = { 10, 20, 30, 40 }, y = { 0.07, nan, 0.3, 0.4 } },
    },
    limits = { { y = 0.25, label = "SLO 250 ms" } },
  }
end

describe("ticks", function()
  local function marks(spec, low, high, options)
    local found = {}
    for index, mark in ipairs(ticks.axis(spec, low, high, options).marks) do
      found[index] = mark.label
    end
    return found
  end

  it("say their unit", function()
    assert.same({ "0 ms", "100 ms", "200 ms", "300 ms" }, marks({ unit = "time" }, 0, 0.32,
      { count = 4 }))
    assert.same({ "0 /s", "5k /s", "10k /s", "15k /s" },
      marks({ unit = "rate" }, 0, 15000, { count = 3 }))
    assert.same({ "0 %", "50 %", "100 %" }, marks({ unit = "percent" }, 0, 1, { count = 2 }))
    assert.same({ "0 GiB", "2 GiB", "4 GiB" }, marks({ unit = "B" }, 0, 4 * 2 ^ 30, { count = 2 }))
    assert.same({ "$0/h", "$2/h", "$4/h" }, marks({ unit = "$/h" }, 0, 4, { count = 2 }))
    assert.same({ "0 h", "6 h", "12 h" }, marks({ unit = "s" }, 0, 12 * 3600, { count = 2 }))
    assert.same({ "-200 ms", "0 ms", "200 ms" }, marks({ unit = "time" }, -0.2, 0.2, { count = 2 }))
  end)

  it("leave words to the title", function()
    local axis = ticks.axis({ label = "Cost", unit = "GPU hours" }, 0, 3)
    assert.equal("Cost, GPU hours", axis.title)
    assert.equal("0", axis.marks[1].label)
  end)

  it("are 1, 2 or 5 times a power of ten, inside the range, evenly apart", function()
    for exponent = -9, 12 do
      for _, factor in ipairs { 1, 1.7, 3.3, 4.9, 7, 9.99 } do
        local high = factor * 10.0 ^ exponent
        local axis = ticks.axis({}, 0, high, { count = 5, nice = true, zero = "auto" })
        assert.is_true(#axis.marks >= 2 and #axis.marks <= 8)
        local step = axis.marks[2].value - axis.marks[1].value
        local digits = ("%.6e"):format(step):match "^(.-)e"
        assert.is_true(digits == "1.000000" or digits == "2.000000" or digits == "5.000000", digits)
        local seen = {}
        for index, mark in ipairs(axis.marks) do
          assert.near(axis.marks[1].value + (index - 1) * step, mark.value, 1e-6 * step)
          assert.is_true(axis:at(mark.value) >= -1e-9 and axis:at(mark.value) <= 1 + 1e-9)
          assert.is_nil(seen[mark.label], mark.label)
          seen[mark.label] = true
        end
        assert.is_true(axis.high >= high * (1 - 1e-12))
      end
    end
  end)

  it("go by decades on a logarithmic axis", function()
    assert.same({ "1 ms", "10 ms", "100 ms", "1 s", "10 s" },
      marks({ unit = "time", log = true }, 0.001, 10, { count = 5 }))
    assert.same({ "10", "20", "50", "100", "200" }, marks({ log = true }, 10, 200, { count = 5 }))
    assert.same({ "1e-9", "1e-6", "0.001", "1", "1000", "1M", "1G", "1T" },
      marks({ log = true }, 1e-9, 1e12, { count = 7 }))
    assert.same({ "1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB" },
      marks({ unit = "bytes", log = true }, 2 ^ 10, 2 ^ 20, { count = 5 }))
    assert.is_true(#marks({ log = true }, 13, 17, { count = 5 }) >= 2)
    assert.is_nil(ticks.axis({ log = true }, 1, 10):at(0))
  end)

  it("stand for whole things when there are only such", function()
    assert.same({ "0", "1", "2" }, marks({}, 0, 2, { count = 5, whole = true }))
  end)

  it("divide ranges of any kind", function()
    for _, range in ipairs { { 0, 0 }, { 5, 5 }, { -3, -3 }, { inf, -inf }, { 1e12, 1e12 + 1e-4 },
      { -1e300, 1e300 / 2 }, { 1e-300, 2e-300 }, { 0, 5e-324 } } do
      for _, log in ipairs { false, true } do
        for _, zero in ipairs { "auto", true, false } do
          local axis = ticks.axis({ log = log }, range[1], range[2],
            { nice = true, zero = zero, count = 5 })
          assert.is_true(axis.low < axis.high)
          assert.is_true(#axis.marks >= 1 and #axis.marks < 62)
        end
      end
    end
  end)

  it("write values with what digits they deserve", function()
    assert.equal("12.3 ms", ticks.value(0.01234, { unit = "time" }))
    assert.equal("12.3 ± 0.5 ms", ticks.value(0.0123, { unit = "time" }, 0.0005))
    assert.equal("1e-9", ticks.value(1e-9))
    assert.equal("1e12", ticks.value(1e12))
    assert.equal("$1.50/h", ticks.value(1.5, { unit = "$/h" }))
    assert.equal("3 GPUs", ticks.value(3, { unit = "GPUs" }))
    assert.equal("–", ticks.value(nan))
    assert.equal("–", ticks.value(nil))
  end)
end)

describe("labels", function()
  it("move apart as little as possible, inside the bounds", function()
    assert.same({ 10, 40 }, labels.spread({ 10, 40 }, 16, 0, 100))
    assert.same({ 2, 18, 82 }, labels.spread({ 10, 10, 82 }, 16, 0, 100))
    assert.same({ 100, 84, 68, 5 }, labels.spread({ 99, 98, 97, 5 }, 16, 0, 100))
    for _, wanted in ipairs { { 1, 1, 1, 1, 1, 1 }, { 90, 10, 50, 50, 52, 9 } } do
      local spread = labels.spread(wanted, 16, 0, 100)
      table.sort(spread)
      for index = 2, #spread do assert.is_true(spread[index] - spread[index - 1] >= 16 - 1e-9) end
      assert.is_true(spread[1] >= 0 and spread[#spread] <= 100)
    end
  end)

  it("find the spot that covers least", function()
    local boxes = labels.boxes(0, 0, 100, 100)
    boxes:take(0, 0, 50, 50)
    local spot, covered = boxes:place(20, 10, { { 10, 10 }, { 95, 10 }, { 60, 10 } })
    assert.same({ 60, 10 }, spot)
    assert.equal(0, covered)
    assert.is_nil((boxes:place(200, 10, { { 0, 0 } })))
  end)
end)

describe("text", function()
  it("is escaped and made safe", function()
    assert.equal("a &lt;b&gt; &amp; &quot;c&quot;", canvas.escape 'a <b> & "c"')
    assert.equal("?[31m?", canvas.escape "\27[31m\xff")
    assert.equal("??", canvas.escape "\u{ffff}\u{fffe}")
  end)

  it("is cut to a width", function()
    assert.equal("short", canvas.fit("short", 100))
    local cut = canvas.fit(("long name "):rep(20), 100)
    assert.matches("…$", cut)
    assert.is_true(canvas.text_width(cut) <= 100)
    assert.equal("é…", canvas.fit("ééééé", canvas.text_width "é…"))
  end)
end)

describe("svg.lines", function()
  it("draws every point, band, limit and name", function()
    local root = drawn(svg.lines(latency_chart()))
    assert.equal(4 + 3, #all(root, "mark"))
    assert.equal(1, #all(root, "band"))
    assert.equal(1 + 1, #all(root, "line"))
    assert.equal(1, #all(root, "limit"))
    assert.same({ "SLO 250 ms" }, texts(root, "limit-word"))
    assert.same({ "H100", "L40 <&>" }, (function()
      local names = texts(root, "strong")
      table.sort(names)
      return names
    end)())
    assert.equal("H100: 50 ± 10 ms at 10 /s", all(root, "mark")[1].children[1].text)
  end)

  it("gives the same bytes for the same data", function()
    assert.equal(tostring(svg.lines(latency_chart())), tostring(svg.lines(latency_chart())))
  end)

  it("follows the reader's colors, or the caller's", function()
    local chart = latency_chart()
    assert.matches("prefers%-color%-scheme:dark", tostring(svg.lines(chart)))
    chart.theme = "light"
    local light = tostring(svg.lines(chart))
    assert.is_nil(light:find "prefers%-color%-scheme")
    chart.theme = "dark"
    assert.is_nil(tostring(svg.lines(chart)):find "prefers%-color%-scheme")
    assert.are_not.equal(light, tostring(svg.lines(chart)))
  end)

  it("puts names into a legend when they do not fit beside the lines", function()
    local chart = latency_chart()
    chart.series[1].name = ("a very long name "):rep(9)
    local root = drawn(svg.lines(chart))
    assert.equal(0, #texts(root, "strong"))
    assert.matches("^a very long name.*…$", texts(root, "word")[1])
    assert.equal("L40 <&>", texts(root, "word")[2])
  end)

  it("steps up before a load that needs more", function()
    local root = drawn(svg.lines { step = true, series = { { x = { 0, 1 }, y = { 0, 2 } } } })
    local path = all(root, "line")[1].attributes.d
    local x1, y1, x2, y2, x3, y3 = path:match "^M(%S+) (.-)L(%S+) (.-)L(%S+) (.-)$"
    assert.equal(x1, x2)
    assert.equal(y2, y3)
    assert.is_true(tonumber(y2) < tonumber(y1) and tonumber(x3) > tonumber(x2))
    local after = drawn(svg.lines { step = "after", series = { { x = { 0, 1 }, y = { 0, 2 } } } })
    assert.are_not.equal(path, all(after, "line")[1].attributes.d)
  end)

  it("leaves gaps and keeps single points", function()
    local root = drawn(svg.lines { series = { { y = { 1, nan, 2, inf, 3, 4, nan } } } })
    assert.equal(4, #all(root, "mark"))
    assert.equal(1, #all(root, "line"))
  end)

  it("stacks areas, the whole on top, what is missing as nothing", function()
    local text = tostring(svg.area { title = "held", y = { unit = "B" }, at = { 0, 1, 2 },
      series = { { name = "a <b>", y = { 1, 2 } }, { name = "c", y = { 1, -1, 3 } } } })
    local paths = {}
    parse(text)
    for shape in text:gmatch '<path[^>]-d="([^"]+)"' do paths[#paths + 1] = shape end
    assert.equal(2, #paths)
    assert.matches("at most 3 B", text, 1, true)
    assert.equal(text, tostring(svg.area { title = "held", y = { unit = "B" }, at = { 0, 1, 2 },
      series = { { name = "a <b>", y = { 1, 2 } }, { name = "c", y = { 1, -1, 3 } } } }))
    assert.matches("nothing", tostring(svg.area { at = {}, series = {} }):lower(), 1, true)
  end)

  it("names limits that are off the chart", function()
    local root = drawn(svg.lines { series = { { y = { 1, 2 } } },
      limits = { { y = 1000, label = "budget" } } })
    assert.equal(0, #all(root, "limit"))
    assert.same({ "budget ↑" }, texts(root, "limit-word"))
  end)

  it("draws 12 series of 200 points", function()
    local series = {}
    for number = 1, 12 do
      local x, y = {}, {}
      for index = 1, 200 do x[index], y[index] = index, math.sin(index / 9) * number end
      series[number] = { name = "series " .. number, x = x, y = y }
    end
    local root = drawn(svg.lines { series = series })
    assert.equal(12, #all(root, "line"))
    local dashed = 0
    for _, path in ipairs(all(root, "dash")) do
      dashed = dashed + (path.attributes.class:find "line" and 1 or 0)
    end
    assert.equal(4, dashed)
    for _, path in ipairs(all(root, "line")) do
      local _, points = path.attributes.d:gsub("[ML]", "")
      assert.equal(200, points)
    end
  end)

  it("survives whatever it is given", function()
    for _, y in ipairs { {}, { 0 }, { 5 }, { nan }, { 0, 0, 0 }, { -1, -2 }, { 1e-9, 1e12 },
      { 1e308, -1e308 }, { 5e-324 }, { -1e-9 }, { inf, -inf }, { 1e9, 1e9 + 1 } } do
      for _, log in ipairs { true, false } do
        for _, unit in ipairs { "time", "rate", "bytes", "percent", "money", "$/h", "x" } do
          drawn(svg.lines { x = { log = log }, y = { log = log, unit = unit },
            series = { { name = "a", y = y, half = { 1, nan, inf } } },
            limits = { { y = 0, label = "zero" }, { x = -1, label = "x" } } })
        end
      end
    end
    drawn(svg.lines { series = {}, width = 100, height = nan })
    drawn(svg.lines { series = { { y = { 1, 2, 3 } } }, y = { min = 2, max = 1 } })
    drawn(svg.lines { series = { { y = { 1, 2, 3000 } } }, y = { max = 10 } })
  end)

  it("says what is wrong with what is no chart", function()
    assert.error_matches(function() svg.lines {} end, "svg.lines wants series, a list, not nil")
    assert.error_matches(function() svg.bars() end, "svg.bars wants a table, not nil")
    assert.error_matches(function() svg.scatter { points = { 1 } } end,
      "points%[1%] is number, not a table")
  end)
end)

describe("svg.bars", function()
  it("draws a bar, its interval and its value for each row", function()
    local root = drawn(svg.bars { title = "Cost", x = { label = "Cost", unit = "$" },
      rows = { { name = "a <b>", value = 12, half = 1, front = true }, { name = "c", value = -3 },
        { name = "gone", value = nan } }, limits = { { x = 10, label = "budget" } } })
    assert.equal(2, #all(root, "bar"))
    assert.equal(3, #all(root, "whisker"))
    assert.same({ "budget" }, texts(root, "limit-word"))
    assert.equal("a <b>", texts(root, "word")[1])
    local found = table.concat(texts(root, "tick"), "|")
    assert.truthy(found:find("$12 ± $1", 1, true) or found:find("$12.0 ± $1.0", 1, true))
    assert.truthy(found:find("-$3.00", 1, true))
    assert.truthy(found:find("–", 1, true))
  end)

  it("has bars as long as their values", function()
    local root = drawn(svg.bars { rows = { { name = "a", value = 2 }, { name = "b", value = 4 } } })
    local bars = all(root, "bar")
    assert.near(2, tonumber(bars[2].attributes.width) / tonumber(bars[1].attributes.width), 1e-3)
  end)

  it("survives zeros, nothing and the very large", function()
    drawn(svg.bars { rows = {} })
    drawn(svg.bars { rows = { { name = "a", value = 0 } } })
    drawn(svg.bars { rows = { { name = "a", value = 1e12 }, { name = "b", value = 1e-9 },
      { name = ("long "):rep(50), value = inf } } })
  end)
end)

describe("svg.stacked", function()
  local function part_of(root, tip)
    for _, rect in ipairs(all(root, nil, "rect")) do
      local title = rect.children[1]
      if title and title.text:find(tip, 1, true) then return rect end
    end
  end

  it("draws parts as long as their values, in one order and colour for all bars", function()
    local root = drawn(svg.stacked { title = "Time", x = { unit = "s" }, bars = {
      { name = "a <b>", parts = { { name = "small", value = 1 }, { name = "large", value = 3 },
        { name = "idle", value = 9, rest = true } } },
      { name = "second", parts = { { name = "small", value = 2 } } } } })
    local large, small = part_of(root, "a <b>, large: 3 s"), part_of(root, "a <b>, small: 1 s")
    local second, idle = part_of(root, "second, small: 2 s"), part_of(root, "a <b>, idle")
    local width = tonumber(small.attributes.width)
    assert.near(3, tonumber(large.attributes.width) / width, 1e-2)
    assert.near(2, tonumber(second.attributes.width) / width, 1e-2)
    assert.is_true(tonumber(large.attributes.x) < tonumber(small.attributes.x))
    assert.is_true(tonumber(small.attributes.x) < tonumber(idle.attributes.x))
    assert.equal(small.attributes.class, second.attributes.class)
    assert.equal("none", idle.attributes.class)
    assert.equal("13 s", texts(root, "end")[1])
  end)

  it("pools the smallest when there are more parts than colours", function()
    local parts, sum = {}, 0
    for i = 1, 40 do parts[i] = { name = "p" .. i, value = i } end
    for i = 1, 25 do sum = sum + i end
    local root = drawn(svg.stacked { bars = { { name = "all", parts = parts } } })
    assert.is_truthy(part_of(root, ("other: %d"):format(sum)))
    assert.is_truthy(part_of(root, "p26: 26"))
    assert.is_nil(part_of(root, "p25: "))
  end)

  it("survives nothing, zeros and what is not a number", function()
    drawn(svg.stacked { bars = {} })
    drawn(svg.stacked { bars = { { name = "none", parts = {} },
      { name = "odd", parts = { { name = "x", value = 0 }, { name = "y", value = nan },
        { name = "z", value = -1 } } } }, width = 10 })
    assert.error_matches(function() svg.stacked { bars = { {} } } end, "bars%[1%] wants parts")
  end)
end)

describe("svg.tornado", function()
  local chart = { title = "p99", base = 10, unit = "time", label = "p99", rows = {
    { name = "small", low = 9, high = 11, low_label = "1 GB/s", high_label = "2 GB/s" },
    { name = "large", low = 20, high = 5 }, { name = "both up", low = 12, high = 14 },
    { name = "missing", low = nan },
  } }

  it("sorts by width", function()
    local root = drawn(svg.tornado(chart))
    local names = texts(root, "word")
    assert.same({ "large", "both up", "small", "missing" }, table.move(names, 3, 6, 1, {}))
    assert.equal(6, #all(root, "bar"))
    assert.equal("base 10 s", texts(root, "strong")[1])
  end)

  it("labels the ends, by their values where no words are given", function()
    local found = table.concat(texts(drawn(svg.tornado(chart)), "small"), "|")
    for _, word in ipairs { "1 GB/s", "2 GB/s", "20 s", "5 s" } do
      assert.truthy(found:find(word, 1, true), word)
    end
  end)

  it("survives missing bases, equal values and nothing", function()
    drawn(svg.tornado { rows = {} })
    drawn(svg.tornado { base = 1, rows = { { name = "a", low = 1, high = 1 }, { name = "b" } } })
    drawn(svg.tornado { rows = { { name = "a", low = 1, high = 2 } } })
    drawn(svg.tornado { base = nan, rows = { { name = ("long "):rep(40), low = -1e12,
      low_label = ("long "):rep(40) } } })
  end)
end)

describe("svg.scatter", function()
  local chart = { x = { label = "Cost", unit = "$/h" }, y = { label = "p99", unit = "time" },
    points = { { x = 3, y = 1, name = "c", front = true }, { x = 1, y = 4, name = "a", front = true,
      half_x = 0.2, half_y = 0.5 }, { x = 2, y = 2, name = "b", front = true },
      { x = 3, y = 3, name = "other" }, { x = nan, y = 1, name = "gone", front = true } } }

  it("draws every point, names the front and fades the rest", function()
    local root = drawn(svg.scatter(chart))
    assert.equal(4, #all(root, "mark"))
    assert.equal(1, #all(root, "faded"))
    assert.same({ "a", "b", "c" }, texts(root, "strong"))
    assert.equal(1, #all(root, "front"))
    local _, corners = all(root, "front")[1].attributes.d:gsub("[ML]", "")
    assert.equal(5, corners)
  end)

  it("draws a series that is a line as one, without marks", function()
    local points = { { x = 2, y = 1, series = 1 } }
    for x = 1, 9 do points[#points + 1] = { x = x, y = math.min(5, x), series = 2 } end
    local root = drawn(svg.scatter { series = { "operators", "roof" }, joined = { [2] = true },
      points = points })
    assert.equal(2, #all(root, "mark")) -- and the legend's
    local lines = all(root, "line")
    assert.equal(2, #lines)
    assert.equal(9, select(2, lines[2].attributes.d:gsub("[ML]", "")))
  end)

  it("cuts names by what tells them apart", function()
    local points = {}
    for i = 1, 3 do
      points[i] = { x = i, y = i, name = "aten::cudnn_convolution_backward_input 32x" .. i
        .. "x56x56 and more of it that nobody has room for" }
    end
    local seen = {}
    for _, name in ipairs(texts(drawn(svg.scatter { points = points }), "small")) do
      assert.is_nil(seen[name])
      seen[name] = true
    end
    assert.is_true(next(seen) ~= nil)
  end)

  it("has whole ticks where only whole things are", function()
    local function ticks_of(x)
      return table.concat(texts(drawn(svg.scatter { x = { label = "GPUs" }, y = { unit = "time" },
        points = { { x = 1, y = 0.1 }, { x = x, y = 0.2 } } }), "mid"), " ")
    end
    assert.equal("0 1 2 GPUs", ticks_of(2))
    assert.matches("0.5 ", ticks_of(2.5), 1, true)
  end)

  it("draws the staircase on the side of what is possible", function()
    local front = { { 0, 1 }, { 1, 0 } }
    assert.same({ { 0, 1 }, { 1, 1 }, { 1, 0 } }, shared.stairs(front))
    assert.same({ { 0, 1 }, { 0, 0 }, { 1, 0 } }, shared.stairs(front, "high"))
  end)

  it("survives one point, none and very many", function()
    drawn(svg.scatter { points = {} })
    drawn(svg.scatter { points = { { x = 0, y = 0, name = "<>", front = true } } })
    local points = {}
    for index = 1, 200 do
      points[index] = { x = index % 17 - 5, y = index % 23, name = ("p"):rep(index),
        front = index % 50 == 0 }
    end
    assert.equal(200, #all(drawn(svg.scatter { points = points }), "mark"))
    drawn(svg.scatter { points = points, x = { log = true }, y = { log = true } })
  end)
end)

describe("a chart for a telephone", function()
  local axes = require "tandem.plot.svg.axes"

  it("has all of its title, and three ticks at least", function()
    local chart = axes.at(axes.SLIM, function()
      return svg.lines { title = "Memory over time: NVIDIA H100 80GB HBM3 of the first node",
        x = { label = "rps" }, y = { unit = "time" },
        series = { { name = "gpus 1", x = { 20, 60, 100 }, y = { 0.1, 0.2, 0.3 } } } }
    end)
    local root = drawn(chart)
    assert.equal("Memory over time: NVIDIA H100 80GB HBM3 of the first node",
      table.concat(texts(root, "title"), " "))
    assert.is_true(#texts(root, "mid") >= 4)
  end)

  it("parts a note from the value before it", function()
    local row = { name = "a", value = 0.5, note = "97.0 %" }
    local words = function() return texts(drawn(svg.bars { x = { unit = "time" }, rows = { row } }),
      "halo") end
    assert.same({ "500 ms · 97.0 %" }, words())
    row.note = "· 97.0 %"
    assert.same({ "500 ms · 97.0 %" }, words())
  end)
end)

describe("svg.heatmap", function()
  it("has a cell for every value and hatches what is missing", function()
    local root = drawn(svg.heatmap { x = { label = "Load", unit = "rate", values = { 1, 2, 3 } },
      y = { label = "Workers", values = { 1, 2 } }, unit = "time",
      values = { { 0.1, 0.2, nan }, { 0.3, 0.4 } } })
    assert.equal(6, #all(root, "cell"))
    assert.equal(2, #all(root, "hatch"))
    assert.equal(1 + 1, #all(root, "h1")) -- a cell and a step of the scale
    assert.equal(1 + 1, #all(root, "h16"))
    local found = table.concat(texts(root, "small"), "|")
    assert.truthy(found:find("100 ms", 1, true))
    assert.truthy(found:find("400 ms", 1, true))
  end)

  it("grows upwards by numbers and downwards by words", function()
    local function y_of(values)
      local root = drawn(svg.heatmap { y = { values = values }, values = { { 1 }, { 2 } } })
      local cells = all(root, "cell")
      return tonumber(cells[1].attributes.y) - tonumber(cells[2].attributes.y)
    end
    assert.is_true(y_of { 1, 2 } > 0)
    assert.is_true(y_of { "a", "b" } < 0)
  end)

  it("leaves values out of cells too small for them", function()
    local values = { {} }
    for index = 1, 60 do values[1][index] = index * 1.234e-3 end
    local root = drawn(svg.heatmap { values = values, unit = "time" })
    assert.equal(60, #all(root, "cell"))
    assert.equal(0, #all(root, "o1"))
  end)

  it("survives nothing, equal values and long names", function()
    drawn(svg.heatmap { values = {} })
    drawn(svg.heatmap { values = { { nan } } })
    drawn(svg.heatmap { values = { { 1, 1 }, { 1, 1 } } })
    drawn(svg.heatmap { values = { { 0, -1 }, { 1e12, 1e-9 } }, log = true })
    drawn(svg.heatmap { x = { values = { ("long "):rep(9), ("name "):rep(9), "c", "d", "e" } },
      y = { values = { ("row "):rep(30) } }, values = { { 1, 2, 3, 4, 5 } } })
  end)
end)

describe("a name that is cut", function()
  it("loses its middle, a path more of its beginning", function()
    local name = "void library::kernels::gemm_of_many_tiles<float, 128>::run(int)"
    local path = "package/of/many/folders/models/module.py(17): forward"
    for width = 60, 240, 30 do
      for _, text in ipairs { name, path } do
        local cut = canvas.middle(text, width)
        assert.is_true(canvas.text_width(cut) <= width, cut)
        local head, tail = cut:match "^(.-)…(.+)$"
        assert.equal(text:sub(1, #head), head)
        assert.equal(text:sub(-#tail), tail)
        assert.equal(text == name, #head > #tail, cut)
      end
    end
    assert.equal(path, canvas.middle(path, 1000))
    assert.matches("17%): forward$", canvas.middle(path, 160))
  end)

  it("goes on with a whole word where it differs from others", function()
    local names = canvas.apart({ "void at::native::vectorized_elementwise_kernel<4>(int, float)",
      "void at::native::vectorized_copy_kernel<4>(int, int, float, int)",
      "void at::native::silu_kernel(int, int, float, int, int, int)" }, 110)
    for _, name in ipairs(names) do assert.is_nil(name:find "…[:%s./]", name) end
  end)
end)

describe("a flame graph", function()
  it("names what its frames are as its page does", function()
    local frames = { { name = "all", category = "all", total = 9, self = 0, count = 1, depth = 0 } }
    for i, category in ipairs { "kernel", "user_annotation", "nvtx" } do
      frames[i + 1] = { name = category, category = category, total = 3, self = 3, count = 1,
        depth = 1 }
    end
    local made = tostring(require("tandem.flame.svg").draw { frames = frames, unit = "ns",
      title = "f" })
    assert.is_truthy(made:find(">kernels<", 1, true))
    assert.is_truthy(made:find(">NVTX ranges, annotations<", 1, true))
  end)
end)

describe("a table of a tornado", function()
  it("has the order of the picture, and the ends where they are told", function()
    local rows = require "tandem.plot.rows"
    local chart = { base = 10, unit = "time", label = "p99", low_name = "less", high_name = "more",
      rows = { { name = "small", low = 9, high = 11, low_label = "9 s at 3", high_label = "b" },
        { name = "large", low = 2, high = 30, low_label = "2 s at 1", high_label = "d" } } }
    local function heads(made)
      local list = {}
      for i, one in ipairs(made.columns) do list[i] = one.head or one.name end
      return table.concat(list, "; ")
    end
    local made = rows.tornado(chart)
    assert.equal("large", made.rows[1].name)
    assert.equal("name; less; p99, less; more; p99, more", heads(made))
    chart.ends = false
    assert.equal("name; p99, less; p99, more", heads(rows.tornado(chart)))
  end)
end)

describe("a chart", function()
  it("is saved whole or not at all", function()
    local path = os.tmpname()
    local chart = svg.lines(latency_chart())
    assert.is_true(chart:save(path))
    local file = assert(io.open(path, "rb"))
    assert.equal(tostring(chart), file:read "a")
    file:close()
    os.remove(path)
    assert.is_nil(io.open(path .. ".tmp", "rb"))
    local saved, message = chart:save(path .. "/no/such/folder.svg")
    assert.is_nil(saved)
    assert.matches("^cannot write .*folder.svg: No such file", message)
  end)
end)
