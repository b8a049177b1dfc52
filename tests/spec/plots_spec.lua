-- td.plot: every kind in text and as SVG, its data, its units, what it says of what it cannot draw.
local data = require "tandem.plot.public.data"
local examples = require "tandem.plot.public.examples"
local keys = require "tandem.plot.public.keys"
local styles = require "tandem.plot.style"
local td = require "tandem"
local thin = require "tandem.plot.thin"
local xml = require "tests.spec.support.xml"

local nan, inf = 0 / 0, math.huge
local unicode = styles.new { unicode = true, width = 60 }
local ascii = styles.new { width = 60 }

-- The same numbers in every run.
local function random(seed)
  return function()
    seed = (seed * 1103515245 + 12345) % 2 ^ 31
    return seed / 2 ^ 31
  end
end

local function drawn(plot) return xml.drawn(plot:svg()) end

-- A table for each kind, with units, several series and something that cannot be drawn.
local function every(seed)
  local next_one = random(seed)
  local function list(count, scale)
    local made = {}
    for index = 1, count do made[index] = (next_one() - 0.2) * (scale or 1) end
    made[count // 2] = nan
    return made
  end
  local function ascending(count)
    local made, at = {}, 0
    for index = 1, count do
      at = at + 0.01 + next_one()
      made[index] = at
    end
    return made
  end
  local function positive(count, scale)
    local made = list(count, scale)
    for index in ipairs(made) do made[index] = math.abs(made[index]) end
    return made
  end
  local spans = {}
  for index = 1, 40 do
    spans[index] = { lane = "lane " .. index % 3, from = next_one() * 100, dur = next_one() * 9,
      name = "k" .. index % 5 }
  end
  return {
    line = { title = "line <&>", x = ascending(30), log = "x", x_unit = "KiB", y_unit = "us",
      series = { { name = "a", y = list(30), band = { list(30), list(30, 3) } },
        { name = "b", y = list(30, 50), half = positive(30) } }, limits = { { y = 3 } } },
    step = { x = ascending(12), y = list(12, 9), x_unit = "s", step = "before" },
    scatter = { x_unit = "rps", y_unit = "$/h", series = { { name = "a", x = list(20, 9),
      y = list(20) }, { name = "b", x = list(9), y = list(9) } } },
    bar = { x = { "one", "two", "three", "four" }, y_unit = "%", series = {
      { name = "a", y = list(4, 30) }, { name = "b", y = list(4, 30) } } },
    stacked = { x = { "p", "q" }, y_unit = "ms", series = { { name = "a", y = positive(2) },
      { name = "b", y = positive(2) } } },
    area = { x = ascending(9), y_unit = "GiB", series = { { name = "a", y = positive(9) },
      { name = "b", y = positive(9) } } },
    histogram = { x = list(200), x_unit = "ms", title = "h", limits = { { x = 0.4 } } },
    cdf = { x_unit = "s", log = "x", series = { { name = "a", x = list(90) },
      { name = "b", x = list(20) } } },
    heatmap = { x = { 1, 2, 4 }, y = { "u", "v" }, z = { list(3), list(3) }, z_unit = "share" },
    gantt = { spans = spans, x_unit = "ms", title = "spans" },
  }
end

local function each(visit, seed)
  local tables = every(seed or 1)
  for _, kind in ipairs(keys.order) do visit(kind, td.plot[kind](tables[kind])) end
end

describe("a plot", function()
  it("is a picture of well-formed XML, of every kind", function()
    each(function(_, plot) drawn(plot) end)
  end)

  it("fits the width of a terminal, in ASCII where it must, without colour by default", function()
    each(function(kind, plot)
      for _, style in ipairs { unicode, ascii } do
        for line in (plot:text(style) .. "\n"):gmatch "(.-)\n" do
          assert.is_true(styles.columns(line) <= 60, kind .. ": " .. line)
          assert.is_nil(line:find "\27")
          if not style.unicode then assert.is_nil(line:find "[\128-\255]", kind) end
        end
      end
      local painted = plot:text(styles.new { unicode = true, color = true, width = 60 })
      assert.equal(plot:text(unicode), (painted:gsub("\27%[%d+m", "")), kind)
    end)
  end)

  it("has the same bytes for the same figures, in every form", function()
    for seed = 1, 3 do
      local forms = {}
      each(function(kind, plot)
        forms[kind] = { plot:svg(), plot:html(), plot:csv(), plot:text(unicode) }
      end, seed)
      each(function(kind, plot)
        assert.same(forms[kind], { plot:svg(), plot:html(), plot:csv(), plot:text(unicode) })
      end, seed)
    end
  end)

  it("says how many values it could not draw", function()
    local plot = td.plot.line { y = { 1, nan, 0, -1, inf, 10, false }, log = "y" }
    local note = "not drawn: 2 are not numbers, 1 is infinite or beyond 1e300 and 2 are not above "
      .. "0, on a logarithmic axis, of 7 values"
    assert.matches(note, plot:text(styles.new { width = 110 }):gsub("\n", " "), 1, true)
    assert.equal(note, table.concat(xml.texts(drawn(plot), "note"), " "))
    assert.is_nil(td.plot.line({ 1, 2 }):svg():find "not drawn")
  end)

  it("is drawn of nothing, of one point, of equal, tiny and very large values", function()
    for _, y in ipairs { {}, { 5 }, { nan }, { 3, 3, 3 }, { 1e-300, 2e-300 }, { 1e299, -1e299 },
      { 0, 0 }, { inf, -inf } } do
      for _, kind in ipairs { "line", "step", "scatter", "bar" } do
        for _, log in ipairs { "", "y" } do
          local plot = td.plot[kind] { y = y, log = kind ~= "bar" and log or nil }
          drawn(plot)
          plot:text(ascii)
        end
      end
      for _, kind in ipairs { "histogram", "cdf" } do
        for _, log in ipairs { "", "x" } do
          drawn(td.plot[kind] { x = y, log = log })
          td.plot[kind]({ x = y, log = log }):text(unicode)
        end
      end
      drawn(td.plot.heatmap { z = { y } })
      td.plot.heatmap({ z = { y } }):text(ascii)
    end
    drawn(td.plot.gantt { spans = {} })
    assert.equal("(empty)", td.plot.gantt({ spans = {} }):text(ascii))
    drawn(td.plot.gantt { spans = { { lane = "a", from = 1, to = 1 } } })
    drawn(td.plot.stacked { series = { { name = "a", y = { 0, 0 } } } })
  end)

  it("is saved in the form that the file's name asks for, whole or not at all", function()
    local path = os.tmpname()
    local plot = td.plot.line { 1, 2, 3 }
    for ending, text in pairs { svg = plot:svg(), html = plot:html(), csv = plot:csv() } do
      assert.is_true(plot:save(path .. "." .. ending))
      local file = assert(io.open(path .. "." .. ending))
      assert.equal(text, file:read "a")
      file:close()
      os.remove(path .. "." .. ending)
    end
    os.remove(path)
    local saved, message = plot:save "x.pdf"
    assert.is_nil(saved)
    assert.equal("cannot save a plot as x.pdf: its ending is none of .svg, .html, .csv, .txt",
      message)
    saved, message = plot:save "/nowhere/x.svg"
    assert.is_nil(saved)
    assert.matches("cannot write /nowhere/x.svg", message, 1, true)
  end)

  it("asks nothing from outside on its page, and has its figures there", function()
    local page = td.plot.line({ x = { 1 }, y = { 2.5 }, y_unit = "ms", title = "<b>" }):html()
    assert.is_nil(page:find "https?://")
    assert.is_nil(page:find("<b>", 1, true))
    assert.matches("2.50 ms", page, 1, true)
    assert.matches("default-src 'none'", page, 1, true)
  end)
end)

describe("figures of a plot", function()
  it("are where they belong on a line", function()
    local root = drawn(td.plot.line { x = { 0, 50, 100 }, y = { 0, 5, 10 }, x_min = 0, x_max = 100,
      y_min = 0, y_max = 10 })
    local points = {}
    for x, y in xml.all(root, "line", "path")[1].attributes.d:gmatch "([%d.]+) ([%d.]+)" do
      points[#points + 1] = { tonumber(x), tonumber(y) }
    end
    assert.equal(3, #points)
    assert.near((points[1][1] + points[3][1]) / 2, points[2][1], 0.02)
    assert.near((points[1][2] + points[3][2]) / 2, points[2][2], 0.02)
    assert.is_true(points[3][2] < points[1][2])
  end)

  it("are steps where they stay until they change", function()
    local function corners(step)
      local root = drawn(td.plot.step { x = { 0, 1 }, y = { 1, 2 }, step = step })
      local ys = {}
      for y in xml.all(root, "line", "path")[1].attributes.d:gmatch " ([%d.]+)" do
        ys[#ys + 1] = y
      end
      return ys
    end
    local after, before = corners "after", corners "before"
    assert.equal(after[1], after[2])
    assert.equal(before[2], before[3])
  end)

  it("have bands between both ends", function()
    local root = drawn(td.plot.line { y = { 2, 3 }, band = { low = { 1, 1 }, high = { 4, 6 } } })
    assert.equal(1, #xml.all(root, "band"))
    local _, shaded = td.plot.line({ y = { 2, 3 }, band = { { 1, 1 }, { 4, 6 } } }):text(unicode)
      :gsub("░", "")
    assert.is_true(shaded > 100)
  end)

  it("are as long as bars, each series in its colour", function()
    local root = drawn(td.plot.bar { x = { "a", "b" }, series = { { name = "one", y = { 1, 2 } },
      { name = "two", y = { 4, -1 } } } })
    local width = {}
    for _, bar in ipairs(xml.all(root, "bar", "rect")) do
      width[#width + 1] = tonumber(bar.attributes.width)
      assert.matches(#width % 2 == 1 and "f1 " or "f2 ", bar.attributes.class .. " ")
    end
    assert.near(4 * width[1], width[2], 0.1)
    assert.near(2 * width[1], width[3], 0.1)
    assert.near(width[1], width[4], 0.1)
    local text = td.plot.bar({ x = { "a", "b" }, y = { 4, -4 } }):text(unicode)
    assert.matches("^a +│[█]+ +4\nb +[█]+│ +%-4$", text)
  end)

  it("are counted once in the intervals of a histogram", function()
    local plot = td.plot.histogram { x = { 1, 2, 2, 3, 9 }, x_unit = "ms", bins = 4 }
    local counts = {}
    for index, row in ipairs(plot:table().rows) do counts[index] = row.count end
    assert.same({ 3, 1, 0, 1 }, counts)
    assert.equal(3, #xml.all(drawn(plot), "bar", "rect"))
    assert.matches("1 ms – 3 ms  [█]+ +60 %%", plot:text(unicode))
    plot = td.plot.histogram { x = { 1, 5, 50, 500 }, bins = { 1, 10, 100 } }
    assert.same({ 2, 1 }, { plot:table().rows[1].count, plot:table().rows[2].count })
    assert.matches("1 values lie outside the edges", plot:text(unicode), 1, true)
  end)

  it("grow by a factor in the intervals of a logarithmic histogram", function()
    local rows = td.plot.histogram({ x = { 1, 10, 100, 1000 }, bins = 3, log = "x" }):table().rows
    assert.near(10, rows[2].from, 1e-9)
    assert.same({ 1, 1, 2 }, { rows[1].count, rows[2].count, rows[3].count })
  end)

  it("reach 100 % in a cumulative distribution, by shares of the values", function()
    local rows = td.plot.cdf({ x = { 3, 1, 2, 2 } }):table().rows
    local shares = {}
    for index, row in ipairs(rows) do
      shares[index] = { row.x, row["share at or below (share)"] }
    end
    assert.same({ { 1, 0 }, { 1, 0.25 }, { 2, 0.75 }, { 3, 1 } }, shares)
  end)

  it("are parts of a whole", function()
    local root = drawn(td.plot.stacked { x = { "w" }, series = { { name = "a", y = { 3 } },
      { name = "b", y = { 1 } } } })
    local widths = {}
    for _, part in ipairs(xml.all(root, nil, "rect")) do
      if part.attributes.height == "30" then
        widths[#widths + 1] = tonumber(part.attributes.width)
      end
    end
    assert.near(3 * widths[2], widths[1], 0.1)
    assert.matches("^w  [█]+[▒]+ +4\n█ a   ▒ b$", td.plot.stacked({ x = { "w" }, series = {
      { name = "a", y = { 3 } }, { name = "b", y = { 1 } } } }):text(unicode))
  end)

  it("are layers of an area, the first at the bottom", function()
    local text = td.plot.area({ x = { 0, 1 }, series = { { name = "a", y = { 1, 1 } },
      { name = "b", y = { 0, 1 } } } }):text(ascii)
    local lines = {}
    for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.matches("|%*+$", lines[12])
    assert.matches("| +%++$", lines[3])
    assert.equal("* a   + b", lines[#lines])
  end)

  it("are cells of a heat map, from lists or from rows", function()
    local rows = {}
    for _, row in ipairs { { 2, "u", 3 }, { 1, "u", 5 }, { 1, "v", 7 } } do
      rows[#rows + 1] = { gpus = row[1], kind = row[2], p99_s = row[3] / 1000 }
    end
    local plot = td.plot.heatmap { data = rows, x = "gpus", y = "kind", z = "p99_s" }
    assert.equal(4, #xml.all(drawn(plot), "cell"))
    assert.equal(1, #xml.all(drawn(plot), "hatch"))
    assert.matches("u.*5.*3.*\nv.*7.*//", plot:text(ascii))
    assert.matches("3 ms .* 7 ms", plot:text(ascii))
  end)

  it("are spans on lanes, below one another where they overlap", function()
    local root = drawn(td.plot.gantt { x_unit = "ms", x_min = 0, x_max = 10, spans = {
      { lane = "GPU", from = 0, to = 5, name = "a" },
      { lane = "GPU", from = 5, dur = 2.5, name = "b" },
      { lane = "GPU", from = 1, to = 2, name = "b" } } })
    local spans = {}
    for _, rect in ipairs(xml.all(root, nil, "rect")) do
      local tip = rect.children[1] and rect.children[1].text
      if tip then spans[tip] = rect.attributes end
    end
    local a, b, c = spans["GPU, a: 5 ms, from 0 s"], spans["GPU, b: 2.50 ms, from 5 ms"],
      spans["GPU, b: 1 ms, from 1 ms"]
    assert.near(tonumber(a.width), 2 * tonumber(b.width), 0.1)
    assert.equal(a.y, b.y)
    assert.is_true(tonumber(c.y) > tonumber(a.y))
    assert.equal(b.class, c.class)
    assert.is_true(a.class ~= b.class)
  end)

  it("have ticks in units that suit them", function()
    local function ticks(spec)
      return " " .. table.concat(xml.texts(drawn(td.plot.line(spec)), "tick"), " ") .. " "
    end
    local x = { 0, 4, 8 }
    for unit, wanted in pairs { ns = " 2 ns ", us = " 2 µs ", ms = " 2 ms ", s = " 2 s ",
      h = " 2 h ", KiB = " 2 KiB ", GiB = " 2 GiB ", ["GB/s"] = " 2 GB/s ", rps = " 2 /s ",
      ["%"] = " 2 % ", share = " 200 % ", ["$/h"] = " $2/h ", ["TFLOP/s"] = " 2 TFLOP/s " } do
      assert.matches(wanted, ticks { x = x, y = x, y_unit = unit }, 1, true)
    end
    assert.same({ "cost, GPU hours" }, xml.texts(drawn(td.plot.line { y = x, y_label = "cost",
      y_unit = "GPU hours" }), "name"))
  end)

  it("come back in the unit they came in", function()
    local y = { 0.1, 0.3, 1 / 3, 1e-7, 12345.678 }
    for _, unit in ipairs { "ns", "us", "ms", "min", "KiB", "GB/s", "%", "rps" } do
      for index, row in ipairs(td.plot.line({ y = y, y_unit = unit }):table().rows) do
        assert.near(y[index], row[("y (%s)"):format(unit)], 1e-14 * y[index])
      end
    end
    assert.equal("x,y (ms)\n1,0.1\n2,0.3\n",
      td.plot.line({ y = { 0.1, 0.3 }, y_unit = "ms" }):csv())
  end)
end)

describe("data of a plot", function()
  local rows = { { rps = 10, p99 = { value = 1, half = 0.5 }, gpu = "a" },
    { rps = 20, p99 = { value = 2, half = 0.25 }, gpu = "a" },
    { rps = 10, p99 = { value = 3 }, gpu = "b" } }

  it("are columns of rows, with a series for each value of a column", function()
    local plot = td.plot.line { data = rows, x = "rps", y = "p99", series = "gpu" }
    assert.same({ { "a", 10, 1, 0.5 }, { "a", 20, 2, 1.75 }, { "b", 10, 3 } }, (function()
      local found = {}
      for index, row in ipairs(plot:table().rows) do
        found[index] = { row.series, row.x, row.y, row.low }
      end
      return found
    end)())
  end)

  it("are lists by name, several of them at once", function()
    local plot = td.plot.line { data = { t = { 1, 2 }, a = { 3, 4 }, b = { 5, 6 } }, x = "t",
      y = { "a", "b" } }
    assert.equal("series,x,y\na,1,3\na,2,4\nb,1,5\nb,2,6\n", plot:csv())
  end)

  it("bring their units along", function()
    local source = data.source({ { total_ns = 1, share = 0.5, name = "k" } }, "data")
    assert.equal("ns", source.column "total_ns".unit)
    assert.equal("share", source.column "share".unit)
    assert.matches("1 µs", td.plot.bar({ data = { { name = "k", total_ns = 1000 } }, x = "name",
      y = "total_ns" }):text(unicode), 1, true)
  end)

  local base = td.scenario "plotted" {
    workload = td.poisson { rps = 40, duration = "20s" },
    pipeline = { td.fixed "compute" { time = "10ms" } },
    target = td.gpu "L4",
  }
  local result = base:run { seed = 1, replications = 2 }

  it("are the latencies of a result, and its series over time", function()
    local total = 0
    for _, row in ipairs(td.plot.histogram(result):table().rows) do total = total + row.count end
    assert.equal(result.requests, total)
    local shares = td.plot.cdf({ series = { { name = "a", data = result } } }):table().rows
    assert.near(1, shares[#shares]["share at or below (share)"], 1e-12)
    assert.matches("latency (s)", td.plot.cdf(result):csv(), 1, true)
    local series = td.plot.line { data = result, x = "t", y = "in_system" }
    assert.equal(#result.series.t, #series:table().rows)
    assert.matches("^time %(s%),in system\n", series:csv())
    for _, name in ipairs { "latency", "cdf", "stages", "timeline" } do
      drawn(result:plot(name))
      result:plot(name):html()
    end
  end)

  it("are the columns of a sweep, with their intervals and units", function()
    local sweep = td.sweep { scenario = base, over = { rps = { 10, 40 } }, replications = 2,
      store = false }
    local csv = td.plot.line({ data = sweep, x = "rps", y = "throughput_rps" }):csv()
    assert.matches("^rps,throughput[^\n]*,low,high\n10,", csv)
    assert.matches("^rps,p99 %(s%)\n10,", td.plot.line({ data = sweep, x = "rps",
      y = "p99" }):csv())
    drawn(sweep:plot("rps", "p99"))
  end)

  it("are the rows of a plan and of a query", function()
    local plan = td.plan.gpus { scenario = base, kinds = { "L4" }, load = "40rps",
      limits = { ["latency.p99"] = { max = "1s" } } }
    assert.equal("lines", plan:plot().kind)
    drawn(plan:plot())
    local rows_of = td.plot.bar({ data = plan, x = "load", y = "count" }):table().rows
    assert.equal(#plan.rows, #rows_of)
    local path = os.tmpname()
    os.remove(path)
    local store = assert(td.store(path))
    local plot = td.plot.bar { data = store:query "SELECT 'a' AS name, 5 AS dur_ns", x = "name",
      y = "dur_ns" }
    assert.equal("name,value (ns)\na,5\n", plot:csv())
    store:close()
    os.remove(path)
  end)
end)

describe("a mistake in a plot", function()
  local function says(text, kind, given)
    local ok, message = pcall(td.plot[kind], given)
    assert.is_false(ok)
    assert.equal("td.plot." .. text, (message:gsub("^[^\n]-:%d+: ", "")))
  end

  it("is one line with the path of the key and the nearest that there is", function()
    says("line: there is no key 'titel'; did you mean 'title'?", "line", { titel = "x" })
    says("line.series[2]: there is no key 'nme'; did you mean 'name'?", "line",
      { series = { { y = { 1 } }, { nme = "x" } } })
    says("line.limits[1]: there is no key 'lable'; did you mean 'label'?", "line",
      { y = { 1 }, limits = { { y = 1, lable = "x" } } })
    says("line.y: the data have no column 'p9'; did you mean 'p99'?", "line",
      { data = { { p99 = 1 } }, y = "p9" })
    says("bar.y: \"p99\" is the name of a column, and there is no data; give data = … or a list",
      "bar", { y = "p99" })
  end)

  it("says what was wanted and what was there", function()
    says("line.y[2]: wants a number, not the text \"abc\"", "line", { y = { 1, "abc" } })
    says("line.title: wants string, not 5", "line", { title = 5, y = { 1 } })
    says("line: wants a table, not 7", "line", 7)
    says("line: x has 3 values and y has 2", "line", { x = { 1, 2, 3 }, y = { 1, 2 } })
    says("line: wants y, or series; tandem help plots has examples", "line", { title = "x" })
    says("line.log: \"z\" is none of its logarithmic axes: \"x\", \"y\", \"xy\"", "line",
      { y = { 1 }, log = "z" })
    says("bar: there is no key 'log'; " .. require("tandem.text.nearest").hint("log", (function()
      local names = {}
      for _, key in ipairs(keys.kinds.bar.keys) do names[#names + 1] = key[1] end
      return names
    end)()), "bar", { y = { 1 }, log = "y" })
    says("stacked.series[1].y[1]: a part of a whole is not below 0: -1", "stacked",
      { series = { { name = "a", y = { -1 } } } })
    says("area.x[2]: must ascend", "area", { x = { 2, 1 }, y = { 1, 1 } })
    says("histogram.bins: wants 1 to 400 intervals, not 1000", "histogram",
      { x = { 1, 2 }, bins = 1000 })
    says("histogram.bins[3]: edges must ascend", "histogram", { x = { 1 }, bins = { 1, 2, 2 } })
    says("heatmap.x: 3 names for 2 columns", "heatmap", { x = { 1, 2, 3 }, z = { { 1, 2 } } })
    says("gantt.spans[1]: ends (1) before it begins (2)", "gantt",
      { spans = { { lane = "a", from = 2, to = 1 } } })
    says("gantt.spans[1].to: wants a number, not nothing", "gantt",
      { spans = { { lane = "a", from = 2 } } })
    says("line.y_min: a logarithmic axis has only what is above 0, not 0", "line",
      { y = { 1 }, log = "y", y_min = 0 })
  end)

  it("is one line of ours, whatever is given", function()
    local odd = { nan, inf, -1, 0, true, "x", "ms", {}, { nan }, { {} }, { { y = 1 } }, { 1, "a" },
      { true }, { { { 1 } } }, { x = 1 }, { { lane = nan, from = 1, to = 2 } }, { 1, { 2 } } }
    for _, kind in ipairs(keys.order) do
      for _, key in ipairs(keys.kinds[kind].keys) do
        for _, one in ipairs(odd) do
          local given = every(2)[kind]
          given[key[1]] = one
          local ok, made = pcall(td.plot[kind], given)
          if ok then
            made:svg()
            made:text(ascii)
            made:csv()
          else
            assert.matches("^[^\n]-td%.plot%.[^\n]+$", made, nil, kind .. "." .. key[1])
          end
        end
      end
    end
  end)

  it("is found in the names of plots, and told of scenario files", function()
    assert.error_matches(function() return td.plot.lne end,
      "td.plot has no 'lne'; did you mean 'line'?", 1, true)
    local scenario, problems = td.load("x.lua", { text = "local td = require 'tandem'\n"
      .. "td.plot.line { 1 }" })
    assert.is_nil(scenario)
    assert.matches("td.plot draws, and a scenario file only describes", tostring(problems), 1, true)
  end)
end)

describe("very many points", function()
  it("keep the extremes, the ends and the order of a line, within four a column", function()
    local next_one = random(7)
    for round = 1, 20 do
      local count, columns = 2000 + round * 500, 60 + round
      local x, y, at = {}, {}, 0
      for index = 1, count do
        at = at + next_one() ^ 3 + 1e-9
        x[index], y[index] = at, next_one() < 0.01 and nan or (next_one() - 0.5) ^ 5 * 100
      end
      local log = round % 2 == 0
      local made = thin.series({ x = x, y = y, low = y, high = y }, columns, log)
      assert.is_true(#made.y <= 5 * columns)
      local function reach(list)
        local low, high = inf, -inf
        for index = 1, #made.y == #list and #made.y or count do
          local one = list[index]
          if one and one == one then low, high = math.min(low, one), math.max(high, one) end
        end
        return { low, high }
      end
      assert.same(reach(y), reach(made.y))
      assert.same(reach(y), { reach(made.low)[1], reach(made.high)[2] })
      for index = 2, #made.x do assert.is_true(made.x[index] >= made.x[index - 1]) end
      local first, last = 1, count
      while y[first] ~= y[first] do first = first + 1 end
      while y[last] ~= y[last] do last = last - 1 end
      assert.same({ x[first], x[last] }, { made.x[1], made.x[#made.x] })
    end
  end)

  it("make a small file that says how many are drawn", function()
    local y = {}
    for index = 1, 200000 do y[index] = index % 977 end
    y[123457] = 5000
    local plot = td.plot.line { y = y, y_unit = "ms" }
    assert.is_true(#plot:svg() < 300000)
    assert.is_true(#plot:html() < 600000)
    assert.matches("of 200,000 points drawn", plot:svg(), 1, true)
    assert.matches("of 200,000 points drawn", plot:text(unicode), 1, true)
    assert.matches("5 s", plot:svg(), 1, true)
    local scatter = td.plot.scatter { y = y }
    assert.is_true(#scatter:svg() < 600000)
    assert.matches("of 200,000 points drawn", scatter:svg(), 1, true)
    assert.equal(200000, #scatter:table().rows)
  end)

  it("are refused as a line that goes back and forth", function()
    local x, y, next_one = {}, {}, random(3)
    for index = 1, 60000 do x[index], y[index] = next_one(), index end
    local ok, message = pcall(td.plot.line, { x = x, y = y })
    assert.is_false(ok)
    assert.matches("td.plot.line.x: goes back and forth over 60000 points", message, 1, true)
  end)

  it("are pooled in heat maps and columns of Gantt charts, which say so", function()
    local z, spans = {}, {}
    for row = 1, 300 do
      z[row] = {}
      for column = 1, 500 do z[row][column] = row + column end
    end
    local heat = td.plot.heatmap { z = z }
    drawn(heat)
    assert.is_true(#heat:svg() < 300000)
    assert.matches("each cell is the mean of 3 × 3 of 300 × 500", heat:svg(), 1, true)
    for line in heat:text(unicode):gmatch "[^\n]+" do assert.is_true(styles.columns(line) <= 60) end
    for index = 1, 5000 do
      spans[index] = { lane = "a", from = index, dur = 1, name = "k" .. index % 3 }
    end
    local gantt = td.plot.gantt { spans = spans }
    drawn(gantt)
    assert.is_true(#gantt:svg() < 300000)
    assert.matches("5,000 spans: on 1 lane a column of pixels shows", gantt:svg(), 1, true)
  end)
end)

describe("what is said of plots", function()
  it("has an example for every kind, and each of them runs", function()
    for _, kind in ipairs(keys.order) do
      local about = examples.of(kind)
      assert.is_true(#about.words > 20)
      local plot = examples.run(about.code)
      assert.equal("tandem.Plot", getmetatable(plot).__name, kind)
      drawn(plot)
      assert.is_true(#plot:text(ascii) > 20)
    end
    for name, made in pairs(td.plot) do
      assert.is_function(made)
      assert.is_table(keys.kinds[name], name)
    end
  end)

  it("is in the help, every key of every kind", function()
    local text = require("tandem.help").topic("plot").text(unicode)
    for _, kind in ipairs(keys.order) do
      assert.matches("td.plot." .. kind, text, 1, true)
      for _, key in ipairs(keys.kinds[kind].keys) do
        assert.is_truthy(text:find("%f[%w_]" .. key[1] .. "%f[^%w_]"), kind .. "." .. key[1])
        assert.is_true(#key[3] > 5)
      end
    end
  end)

  it("is shown by the shell as the terminal's plot", function()
    local plot = td.plot.bar { x = { "a" }, y = { 1 } }
    assert.equal(tostring(plot), require("tandem.shell.show").value(plot))
  end)
end)
