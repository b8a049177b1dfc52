-- Terminal plots, tables and what a place can show.
local bar = require "tandem.plot.bar"
local column_table = require "tandem.text.columns"
local lanes = require "tandem.plot.chart.lanes"
local plot = require "tandem.plot"
local spark = require "tandem.plot.spark"
local styles = require "tandem.plot.style"

local unicode = styles.new { unicode = true, width = 60 }
local ascii = styles.new { width = 60 }

local function environment(variables)
  return function(name)
    return variables[name]
  end
end

describe("style", function()
  it("knows UTF-8 by the first locale variable that is set", function()
    assert.is_true(styles.detect(1, environment { LANG = "de_DE.UTF-8" }).unicode)
    assert.is_true(styles.detect(1, environment { LC_CTYPE = "C.utf8", LANG = "C" }).unicode)
    assert.is_false(styles.detect(1, environment { LC_ALL = "C", LANG = "C.UTF-8" }).unicode)
    assert.is_false(styles.detect(1, environment {}).unicode)
  end)

  it("takes the width from COLUMNS, within reason", function()
    assert.equal(72, styles.detect(1, environment { COLUMNS = "72" }).width)
    assert.equal(40, styles.detect(1, environment { COLUMNS = "3" }).width)
    assert.equal(110, styles.detect(1, environment { COLUMNS = "500" }).width)
    assert.equal(88, styles.new().width)
  end)

  it("never colors what is no terminal", function()
    local style = styles.new { unicode = true }
    assert.equal("x", style:paint("x", "red"))
    assert.equal("\27[31mx\27[0m", styles.new({ color = true }):paint("x", "red"))
  end)

  it("counts columns, not bytes", function()
    assert.equal(3, styles.columns "µ±×")
    assert.equal(4, styles.columns "日本")
    assert.equal(1, styles.columns "e\u{301}")
    assert.equal(2, styles.columns "\xff\xfe")
  end)

  it("cuts and pads by columns", function()
    assert.equal("abc…", styles.cut("abcdef", 4))
    assert.equal("日…", styles.cut("日本語", 4))
    assert.equal("abc", styles.cut("abc", 3))
    assert.equal("  µ", styles.pad("µ", 3, "right"))
    assert.equal("µ  ", styles.pad("µ", 3))
  end)

  it("makes names safe to print", function()
    assert.equal("a?[31mb?", styles.clean "a\27[31mb\n")
    for _, code in ipairs { 0x7f, 0x80, 0x85, 0x9b, 0x9f, 0x61c, 0x200e, 0x200f, 0x202a, 0x202e,
      0x2066, 0x2069 } do
      assert.equal("a?b", styles.clean("a" .. utf8.char(code) .. "b"))
    end
    for _, text in ipairs { "\u{a0}", "é", "\u{2010}", "µs", "\u{200d}", "\u{2029}" } do
      assert.equal(text, styles.clean(text))
    end
    assert.equal("??", styles.clean "\xff\xfe")
    assert.equal("größe", styles.clean "größe")
  end)

  it("spells everything in ASCII where it must", function()
    assert.equal("12 us +- 3 <= 4", ascii:text "12 µs ± 3 ≤ 4")
    assert.equal("?", ascii:text "日")
    assert.equal("µ", unicode:text "µ")
  end)

  it("wraps words", function()
    assert.same({ "aa bb", "cc" }, styles.wrap("aa bb cc", 5))
    assert.same({ "abcdefgh", "i" }, styles.wrap("abcdefgh i", 3))
    assert.same({ "" }, styles.wrap("", 5))
  end)
end)

describe("bars", function()
  it("are as wide as asked, whatever the fraction", function()
    for _, style in ipairs { unicode, ascii } do
      for _, fraction in ipairs { 0, 1e-9, 0.1, 0.5, 0.99, 1, 1.7, -1, 0 / 0 } do
        assert.equal(10, styles.columns(bar.line(fraction, 10, style, true)))
        assert.equal(10, styles.columns(bar.split(fraction, 0.2, 1, 10, style)))
      end
    end
  end)

  it("fill by eighths in Unicode and by columns in ASCII", function()
    assert.equal("█████     ", bar.line(0.5, 10, unicode))
    assert.equal("█▎  ", bar.line(0.3, 4, unicode):sub(1, #"█▎  "))
    assert.equal("#####.....", bar.line(0.5, 10, ascii, true))
  end)

  it("show whatever is more than nothing", function()
    assert.equal("▏         ", bar.line(1e-9, 10, unicode))
    assert.equal("#         ", bar.line(1e-9, 10, ascii))
    assert.equal("          ", bar.line(0, 10, unicode))
  end)

  it("split service and waiting on one scale", function()
    assert.equal("██░░      ", bar.split(0.2, 0.2, 1, 10, unicode))
    assert.equal("##..      ", bar.split(0.2, 0.2, 1, 10, ascii))
    assert.equal("░░░░░░░░░░", bar.split(0, 5, 5, 10, unicode))
    assert.equal("          ", bar.split(0, 0, 0, 10, unicode))
  end)
end)

describe("sparklines", function()
  it("run from blank at 0 to a full block at the peak", function()
    assert.equal("▁▄▂█ ▃", tostring(plot.spark({ 1, 4, 2, 8, 0, 3 }, unicode)))
    assert.equal(".=:@ -", tostring(plot.spark({ 1, 4, 2, 8, 0, 3 }, ascii)))
  end)

  it("keep the mean when a series is brought to fewer columns", function()
    assert.same({ 1.5, 3.5 }, spark.resample({ 1, 2, 3, 4 }, 2))
    assert.same({ 1, 1, 2, 2 }, spark.resample({ 1, 2 }, 4))
    local values = {}
    for index = 1, 100 do
      values[index] = index % 7
    end
    local sum, resampled_sum = 0, 0
    for _, value in ipairs(values) do
      sum = sum + value
    end
    local resampled = spark.resample(values, 33)
    for _, value in ipairs(resampled) do
      resampled_sum = resampled_sum + value
    end
    assert.near(sum / 100, resampled_sum / 33, 1e-12)
  end)

  it("leave gaps for what is not a number", function()
    assert.equal(" █", spark.line({ 0 / 0, 1 }, 1, unicode))
    assert.same({}, spark.resample({}, 5))
  end)
end)

describe("histograms", function()
  it("show each bin with its share", function()
    local lines = plot.histogram({ edges = { 0.001, 0.002, 0.004 }, counts = { 3, 1 } }, unicode)
    local first, second = tostring(lines):match "^(.-)\n(.*)$"
    assert.matches("^1 ms – 2 ms  [█]+  75 %%$", first)
    assert.matches("^2 ms – 4 ms  [█▋ ]+ 25 %%$", second)
  end)

  it("join bins until they fit and leave empty ends out", function()
    local edges, counts = { 0 }, {}
    for index = 1, 100 do
      edges[index + 1], counts[index] = index, (index > 20 and index <= 60) and 1 or 0
    end
    local text = tostring(plot.histogram({ edges = edges, counts = counts, kind = "count" }, ascii))
    local _, rows = text:gsub("[^\n]+", "")
    assert.equal(14, rows)
    assert.matches("^20 %- 23 ", text)
  end)

  it("make bins of samples, each sample in one", function()
    local bins = require("tandem.plot.chart.histogram").of({ 1, 2, 3, 3, 4, 9 }, 4)
    local sum = 0
    for _, count in ipairs(bins.counts) do
      sum = sum + count
    end
    assert.equal(6, sum)
    assert.equal(1, bins.edges[1])
    assert.equal(9, bins.edges[5])
  end)

  it("grow to 100 % as a distribution", function()
    local text = tostring(plot.cdf({ edges = { 0, 1, 2 }, counts = { 1, 3 } }, ascii))
    assert.matches("25 %%\n", text)
    assert.matches("100 %%$", text)
  end)

  it("say when there is nothing", function()
    assert.equal("(empty)", tostring(plot.histogram({}, ascii)))
    assert.equal("(empty)", tostring(plot.cdf({ edges = { 0, 1 }, counts = { 0 } }, ascii)))
  end)
end)

describe("lanes", function()
  it("share one axis", function()
    local lines = lanes.lines({
      { label = "CPU", values = { 0, 0.5, 1 }, note = "peak 100 %" },
      { label = "QUEUE", values = { 0, 1, 2 }, note = "peak 2" },
    }, 0, 3, unicode)
    assert.equal(3, #lines)
    assert.matches("^CPU   │ +[▃▄▆]+[█]+│ peak 100 %%$", lines[1])
    assert.matches("^QUEUE │", lines[2])
    assert.matches("^ +0 s +3 s$", lines[3])
    assert.equal(styles.columns(lines[1]:match "^(.-│.-)│"),
      styles.columns(lines[3]))
  end)
end)

describe("charts that SVG has too", function()
  local nan = 0 / 0
  local load = { title = "p99", x = { label = "Load", unit = "rate" },
    y = { label = "Latency", unit = "time" }, limits = { { y = 0.25, label = "SLO" } },
    series = { { name = "H100", x = { 0, 50, 100 }, y = { 0.1, 0.1, 0.3 } },
      { name = "L40", x = { 0, 25, 50, 75 }, y = { 0.2, nan, 0.4, 0.5 } } } }
  local swings = { title = "p99", base = 10, unit = "time", rows = {
    { name = "small", low = 9, high = 11, low_label = "1 GB/s" },
    { name = "large", low = 20, high = 5 }, { name = "both up", low = 12, high = 14 },
    { name = "missing", low = nan } } }
  local plans = { x = { label = "Cost", unit = "$/h" }, y = { unit = "time" }, points = {
    { x = 1, y = 4, name = "a", front = true }, { x = 2, y = 2, name = "b", front = true },
    { x = 3, y = 3 }, { x = nan, y = 1, front = true } } }
  local grid = { x = { label = "Load", values = { 1, 2 } }, y = { values = { 1, 2 } },
    unit = "time", label = "p99", values = { { 0.1, 0.2 }, { 0.3, nan } } }

  local function every(visit)
    for _, style in ipairs { unicode, ascii } do
      for kind, chart in pairs { lines = load, tornado = swings, scatter = plans,
        heatmap = grid } do
        visit(tostring(plot[kind](chart, style)), style, kind)
      end
    end
  end

  it("fit the width, in ASCII where it must be", function()
    every(function(text, style, kind)
      for line in (text .. "\n"):gmatch "(.-)\n" do
        assert.is_true(styles.columns(line) <= style.width, kind .. ": " .. line)
        assert.is_nil(line:find " $")
        if not style.unicode then assert.is_nil(line:find "[\128-\255]") end
      end
      assert.is_nil(text:find "nan")
    end)
  end)

  it("draw lines with ticks, limits and names at their ends", function()
    local text = tostring(plot.lines(load, ascii))
    assert.matches("^p99\nLatency\n", text)
    assert.matches(" [+] L40\n", text)
    assert.matches("\n400 ms |[^\n]*[+]", text)
    assert.matches("\n200 ms |[+]", text)
    assert.matches("| SLO %-%-%-", text)
    assert.matches("[*] [*] H100\n", text)
    assert.matches("50 /s", text)
    assert.matches("\n +Load$", text)
    assert.matches("[\u{2800}-\u{28ff}]", tostring(plot.lines(load, unicode)))
  end)

  it("draw a tornado, the widest on top, each end on its side", function()
    local rows = {}
    for line in tostring(plot.tornado(swings, ascii)):gmatch "[^\n]+" do rows[#rows + 1] = line end
    assert.matches("base 10 s", rows[2])
    assert.matches("^large +5 s =+|#+ 20 s$", rows[3])
    assert.matches("^both up +|##+=+ 12 s, 14 s$", rows[4])
    assert.matches("^small +1 GB/s #+|=+ 11 s$", rows[5])
    assert.matches("^missing +|$", rows[6])
    assert.matches("## low end  == high end$", rows[7])
  end)

  it("number the points of the front and name them below", function()
    local text = tostring(plot.scatter(plans, ascii))
    assert.matches("|.*1.*\n.*2.*\n", text)
    assert.matches("\n1  a  %$1.00/h, 4 s\n2  b  %$2.00/h, 2 s$", text)
  end)

  it("shade cells, with values where they fit", function()
    assert.equal("2 ## 300 //\n1    100 == 200\n  1      2\n  Load\n"
      .. "p99, ms  100 ms   ..==%%## 300 ms", tostring(plot.heatmap(grid, ascii)))
    local values = { {} }
    for index = 1, 50 do values[1][index] = index end
    local shaded = tostring(plot.heatmap({ values = values }, unicode))
    assert.equal("1" .. (" "):rep(11) .. ("░"):rep(10) .. ("▒"):rep(10) .. ("▓"):rep(10)
      .. ("█"):rep(10), shaded:match "^[^\n]+")
  end)

  it("survive what cannot be drawn", function()
    assert.equal("(empty)", tostring(plot.lines({ series = {} }, ascii)))
    assert.equal("(empty)", tostring(plot.lines({ series = { { y = { nan } } } }, ascii)))
    assert.equal("(empty)", tostring(plot.tornado({ rows = {} }, ascii)))
    assert.equal("(empty)", tostring(plot.scatter({ points = {} }, ascii)))
    assert.equal("(empty)", tostring(plot.heatmap({ values = { { nan } } }, ascii)))
    for _, style in ipairs { unicode, ascii } do
      tostring(plot.lines({ series = { {}, { y = { 1, 2, 1e6 } } }, y = { log = true },
        limits = { { y = 0, label = "zero" } } }, style))
      tostring(plot.lines({ series = { { name = ("n"):rep(200), y = { 5 } } } }, style))
      tostring(plot.tornado({ rows = { { name = ("n"):rep(200), low = 1e12, high = -1e-9,
        low_label = ("l"):rep(200) } } }, style))
      tostring(plot.scatter({ points = { { x = 0, y = 0, name = ("n"):rep(200), front = true } } },
        style))
      tostring(plot.heatmap({ values = { { 1e12, -1e-9 } }, y = { values = { ("n"):rep(200) } } },
        style))
    end
  end)

  it("say what is missing", function()
    assert.error_matches(function() plot.lines {} end, "plot.lines wants a table with series")
  end)
end)

describe("column_table", function()
  local columns = { { title = "name" }, { title = "value", align = "right" } }

  it("aligns names left and numbers right", function()
    assert.equal("name  value\na        10\nbbbb      9",
      column_table.format(columns, { { "a", "10" }, { "bbbb", "9" } }, { style = ascii }))
  end)

  it("aligns what becomes wider in ASCII", function()
    assert.same({ "name       value", "a     10 +- 2 ms", "b           9 ms" },
      column_table.lines(columns, { { "a", "10 ± 2 ms" }, { "b", "9 ms" } }, { style = ascii }))
  end)

  it("drops optional columns, then cuts the widest text", function()
    local narrow = styles.new { width = 40 }
    local lines = column_table.lines({ { title = "first" },
      { title = "extra", optional = 1 }, { title = "n", align = "right" } },
      { { string.rep("x", 60), "dropped", "1" } }, { style = narrow })
    assert.equal(40, styles.columns(lines[2]))
    assert.is_nil(lines[1]:find("extra", 1, true))
    assert.matches("x%.  1$", lines[2])
  end)

  it("wraps columns that ask for it", function()
    local lines = column_table.lines({ { title = "" }, { title = "", wrap = true } },
      { { "key", "one two three four five six seven eight nine ten" } },
      { style = styles.new { width = 40 } })
    assert.same({ "key  one two three four five six seven", "     eight nine ten" }, lines)
  end)

  it("puts columns that ask for it under their rows, as wide as the place", function()
    local lines = column_table.lines({ { title = "n", align = "right" }, { title = "what" },
      { title = "long", under = true } },
      { { "1", "x", "one two three four five six seven eight nine ten" }, { "2", "y", "" } },
      { style = styles.new { width = 40 }, indent = 2 })
    assert.same({ "  n  what", "      long", "  1  x", "      one two three four five six seven",
      "      eight nine ten", "  2  y" }, lines)
  end)

  it("gives the room that is left to the flexible column", function()
    local lines = column_table.lines({ { title = "a" }, { title = "", flexible = 20 } },
      { { "x", function(width) return string.rep("=", width) end } },
      { style = styles.new { width = 60 } })
    assert.equal("x  " .. string.rep("=", 20), lines[2])
  end)

  it("leaves no blanks at the ends of lines", function()
    for _, line in ipairs(column_table.lines(columns, { { "a", "" } }, { style = ascii })) do
      assert.is_nil(line:find(" $"))
    end
  end)
end)
