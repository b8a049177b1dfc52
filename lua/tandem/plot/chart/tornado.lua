--- A tornado: how far each parameter moves a figure from its base, the strongest on top.
--
-- Owns the order of the rows and what is drawn on either side of the base, as SVG and in a
-- terminal. Where both ends of a parameter move the figure the same way, the row of the SVG holds
-- two thin bars, one above the other.
local styles = require "tandem.plot.style"
local axes = require "tandem.plot.svg.axes"
local bars = require "tandem.plot.chart.bars"
local canvas = require "tandem.plot.svg.canvas"
local ticks = require "tandem.plot.ticks"

local tornado = {}

---@class tandem.TornadoRow
---@field name string
---@field low? number         the figure with the parameter at its low end
---@field high? number        … at its high end
---@field low_label? string   what the low end is: "8 GB/s"
---@field high_label? string

---@class tandem.TornadoChart: tandem.SvgSpec
---@field base? number        the figure as things are
---@field label? string       what the figure is
---@field unit? string
---@field rows tandem.TornadoRow[]
---@field low_name? string    in the legend (default: "low end")
---@field high_name? string
---@field ends? boolean       false: labels are of the figures, not of the ends: not in tables

--- The rows as they are drawn: widest first, equal ones in the order given.
---@param chart tandem.TornadoChart
---@return tandem.TornadoRow[]
function tornado.sorted(chart)
  local list = {}
  for index, row in ipairs(chart.rows) do
    local low, high = ticks.range(false, { n = 3, row.low, row.high, chart.base })
    list[index] = { row = row, width = high > low and high - low or 0, index = index }
  end
  table.sort(list, function(a, b)
    if a.width ~= b.width then return a.width > b.width end
    return a.index < b.index
  end)
  local rows = {}
  for index, entry in ipairs(list) do rows[index] = entry.row end
  return rows
end

-- What the rows are measured from, the middle where the chart has no base; the range of all.
local function base_of(chart, rows)
  local values = { n = 1, chart.base }
  for _, row in ipairs(rows) do
    values[values.n + 1], values[values.n + 2] = row.low, row.high
    values.n = values.n + 2
  end
  local low, high = ticks.range(false, values)
  local base = ticks.drawable(chart.base) and chart.base or low <= high and low / 2 + high / 2 or 0
  return base, low, high
end

local function label_of(row, side, chart)
  local label = row[side .. "_label"]
  return canvas.fit(label ~= nil and label or ticks.value(row[side], chart), 130)
end

-- One bar from the base; its words stand beyond its end.
local function draw_bar(c, chart, row, side, at)
  local value, color = row[side], side == "low" and 1 or 2
  local x, from, y, height = at.pixel(value), at.base, at.y, at.height
  local tip = ("%s = %s: %s"):format(tostring(row.name), tostring(row[side .. "_label"] or side),
    ticks.value(value, chart))
  c:rect(math.min(x, from), y - height / 2, math.max(math.abs(x - from), 1), height,
    "bar f" .. color, tip, 2)
  local text = label_of(row, side, chart)
  if at.leftwards then
    c:text(math.min(x, from) - 6, y + 4, text, "tick small halo end")
  else
    c:text(math.max(x, from) + 6, y + 4, text, "tick small halo")
  end
end

-- Which way the words of a row's ends go: the lower value's to the left.
local function sides_of(row, base)
  local has_low, has_high = ticks.drawable(row.low), ticks.drawable(row.high)
  local low_left, high_left
  if has_low and has_high and row.low ~= row.high
    and (row.low - base) * (row.high - base) <= 0 then
    low_left = row.low < row.high
    high_left = not low_left
    return { low = has_low, high = has_high, low_left = low_left, high_left = high_left }
  end
  low_left = has_low and row.low < base
  high_left = has_high and row.high < base
  return { low = has_low, high = has_high, low_left = low_left, high_left = high_left,
    stacked = has_low and has_high }
end

local function rooms(rows, chart, base)
  local left, right = 0, 0
  for _, row in ipairs(rows) do
    local sides = sides_of(row, base)
    for _, side in ipairs { "low", "high" } do
      if sides[side] then
        local width = canvas.text_width(label_of(row, side, chart), 11) + 8
        if sides[side .. "_left"] then
          left = math.max(left, width)
        else
          right = math.max(right, width)
        end
      end
    end
  end
  return left, right
end

--- Draws a tornado.
---@param chart tandem.TornadoChart
---@return tandem.SvgChart
function tornado.svg(chart)
  axes.need(chart, "tornado", "rows")
  local rows = tornado.sorted(chart)
  local c = canvas.new(axes.width(chart.width, axes.WIDTH, 240), 0)
  local base, low, high = base_of(chart, rows)
  local has_base = ticks.drawable(chart.base)

  local top = axes.title(c, chart)
  if #rows > 0 then
    local function swatch(color)
      return function(x, y) c:rect(x, y - 6, 17, 12, "f" .. color, nil, 2) end
    end
    top = axes.legend(c, { { name = chart.low_name or "low end", draw = swatch(1) },
      { name = chart.high_name or "high end", draw = swatch(2) } }, top + 4)
  end
  top = top + (has_base and 26 or 10)
  local room = bars.names(c, rows)
  local box = { left = axes.MARGIN + room, right = c.width - axes.MARGIN, top = top,
    bottom = top + math.max(1, #rows) * bars.row(c) }
  local left, right = rooms(rows, chart, base)
  local inner = { left = box.left + left, right = box.right - right, top = top,
    bottom = box.bottom }
  local axis = axes.across({ label = chart.label, unit = chart.unit }, low, high,
    { room = inner.right - inner.left, each = 80 })
  c.height = box.bottom + (axis.title ~= "" and 54 or 36)
  local function pixel(value)
    return inner.left + axis:at(value) * (inner.right - inner.left)
  end

  axes.horizontal(c, axis, inner, { grid = true, bare = true })
  local at = pixel(base)
  for index, row in ipairs(rows) do
    local y, sides = bars.middle(c, top, index), sides_of(row, base)
    for number, side in ipairs { "low", "high" } do
      if sides[side] then
        draw_bar(c, chart, row, side, { pixel = pixel, base = at,
          y = sides.stacked and y + (number == 1 and -5.5 or 5.5) or y,
          height = sides.stacked and 9 or 18, leftwards = sides[side .. "_left"] })
      end
    end
    if not sides.low and not sides.high then
      c:text(at + 6, y + 4, "–", "tick")
    end
  end
  if has_base then c:line(at, top - 4, at, box.bottom, "base") end
  bars.write_names(c, rows, top, room)
  if has_base then
    local text = "base " .. ticks.value(base, chart)
    local half = canvas.text_width(text) / 2
    c:text(math.max(axes.MARGIN + half, math.min(at, c.width - axes.MARGIN - half)), top - 10, text,
      "word strong mid")
  end
  if #rows == 0 then axes.nothing(c, box) end
  return c:finish(tostring(chart.title or "Tornado"),
    ("%d parameters, the strongest first"):format(#rows), chart.theme, chart.notes)
end

-- ---- in a terminal ----

local LOW, HIGH = { "█", "#", "cyan" }, { "▒", "=", "yellow" }

local function paint(style, kind, count)
  return style:paint(string.rep(style.unicode and kind[1] or kind[2], count), kind[3])
end

-- What is on one side of the base: { reach in columns, kind, label } of each end, nearest first.
local function side_of(row, chart, base, scale, leftwards)
  local found = {}
  for _, side in ipairs { "low", "high" } do
    local value = row[side]
    if ticks.drawable(value) and ((value < base) == leftwards) then
      local label = row[side .. "_label"]
      local reach = math.floor(math.abs(value - base) * scale + 0.5)
      found[#found + 1] = { reach = value ~= base and math.max(1, reach) or 0,
        kind = side == "low" and LOW or HIGH,
        label = styles.clean(label ~= nil and label or ticks.value(value, chart)) }
    end
  end
  if found[2] and found[1].reach > found[2].reach then
    found[1], found[2] = found[2], found[1]
  end
  return found
end

local function words(list, style, leftwards)
  local texts = {}
  for index, entry in ipairs(list) do
    texts[leftwards and #list + 1 - index or index] = style:text(entry.label)
  end
  return styles.cut(table.concat(texts, ", "), 24)
end

local function bar(list, style, leftwards)
  local near, far = list[1], list[2]
  local first = near and paint(style, near.kind, near.reach) or ""
  local second = far and paint(style, far.kind, far.reach - near.reach) or ""
  return leftwards and second .. first or first .. second,
    math.max(near and near.reach or 0, far and far.reach or 0)
end

-- How far the rows reach to either side of the base, in the figure's own unit.
local function reaches(rows, base)
  local left, right = 0, 0
  for _, row in ipairs(rows) do
    for _, value in ipairs { ticks.drawable(row.low) and row.low or base,
      ticks.drawable(row.high) and row.high or base } do
      left, right = math.max(left, base - value), math.max(right, value - base)
    end
  end
  return left, right
end

--- Draws a tornado.
---@param chart tandem.TornadoChart
---@param style tandem.Style
---@return string[] lines
function tornado.text(chart, style)
  local rows = tornado.sorted(chart)
  if #rows == 0 then
    return { "(empty)" }
  end
  local base = base_of(chart, rows)
  local left, right = reaches(rows, base)
  local names, left_words, right_words = 0, 0, 0
  for _, row in ipairs(rows) do
    names = math.max(names, styles.columns(style:text(styles.clean(row.name or ""))))
    left_words = math.max(left_words,
      styles.columns(words(side_of(row, chart, base, 0, true), style, true)))
    right_words = math.max(right_words,
      styles.columns(words(side_of(row, chart, base, 0, false), style, false)))
  end
  names = math.min(names, style.width // 3)
  local room = math.max(10, style.width - names - left_words - right_words - 5)
  local scale = left + right > 0 and room / (left + right) or 0
  local left_columns = left > 0 and math.max(1, math.floor(left * scale + 0.5)) or 0

  local lines = {}
  local function add(text) lines[#lines + 1] = (text:gsub("%s+$", "")) end
  if chart.title then add(style:title(chart.title)) end
  local indent = names + 2 + left_words + 1 + left_columns
  local said = style:text((ticks.drawable(chart.base) and "base " or "middle ")
    .. ticks.value(base, chart))
  local from = math.max(0, math.min(indent - styles.columns(said) // 2,
    style.width - styles.columns(said)))
  add(string.rep(" ", from) .. style:paint(said, "bold"))
  for _, row in ipairs(rows) do
    local less = side_of(row, chart, base, scale, true)
    local more = side_of(row, chart, base, scale, false)
    local less_bar, less_reach = bar(less, style, true)
    local more_bar = bar(more, style, false)
    add(styles.pad(style:text(styles.clean(row.name or "")), names) .. "  "
      .. string.rep(" ", math.max(0, left_columns - less_reach))
      .. styles.pad(words(less, style, true), left_words, "right") .. " " .. less_bar
      .. style:text "│" .. more_bar .. " " .. words(more, style, false))
  end
  add(string.rep(" ", names + 2) .. paint(style, LOW, 2) .. " "
    .. style:text(styles.clean(chart.low_name or "low end")) .. "  " .. paint(style, HIGH, 2) .. " "
    .. style:text(styles.clean(chart.high_name or "high end")))
  return lines
end

return tornado
