--- Horizontal bars with their values and intervals.
--
-- Owns the layout of rows, which the tornado shares: a column of names, bars, words at their ends.
local axes = require "tandem.plot.svg.axes"
local canvas = require "tandem.plot.svg.canvas"
local ticks = require "tandem.plot.ticks"

local bars = {}

---@class tandem.BarRow
---@field name string
---@field value number
---@field half? number    half-width of the interval
---@field note? string    behind the value
---@field front? boolean  the bars that matter; the others fade
---@field series? integer  whose bar it is, by its colour

---@class tandem.BarsChart: tandem.SvgSpec
---@field series? string[]   names of the colours
---@field x? tandem.AxisSpec  of the values
---@field rows tandem.BarRow[]
---@field limits? tandem.SvgLimit[]  { x = … }

bars.ROW = 28
bars.NAME_ROOM = 0.34 -- of the width, at most

--- The width of the column of names.
---@param c tandem.Canvas
---@param rows { name: string }[]
---@return number
function bars.names(c, rows)
  local widest = 0
  for _, row in ipairs(rows) do
    widest = math.max(widest, canvas.text_width(row.name or ""))
  end
  return math.min(widest, bars.NAME_ROOM * c.width)
end

--- Writes the names.
---@param c tandem.Canvas
---@param rows { name: string }[]
---@param box tandem.SvgBox
---@param right number  where they end
---@param room number
function bars.write_names(c, rows, box, right, room)
  for index, row in ipairs(rows) do
    local y = box.top + (index - 0.5) * bars.ROW
    c:text(right, y + 4, canvas.fit(row.name or "", room + 1), "word end")
  end
end

local function words_of(row, chart)
  local text = ticks.value(row.value, chart.x, row.half)
  return row.note and text .. "  " .. tostring(row.note) or text
end

-- Both ends of what is drawn for a row.
local function ends_of(row)
  local half = ticks.drawable(row.half) and row.half > 0 and row.half or 0
  return row.value - half, row.value + half, half > 0
end

local function draw_bar(c, row, y, zero, pixel, any_front, chart)
  local tip = tostring(row.name or "") .. ": " .. ticks.value(row.value, chart.x, row.half)
  local x = pixel(row.value)
  local class = axes.color("f", row.series or 1)
  if any_front and not row.front then class = class .. " pale" end
  c:rect(math.min(x, zero), y - 9, math.max(math.abs(x - zero), 1), 18, class .. " bar", tip, 2)
  local low, high, has_interval = ends_of(row)
  local left, right = math.min(x, zero), math.max(x, zero)
  if has_interval then
    local from, to = pixel(low), pixel(high)
    c:path({ { from, y }, { to, y } }, "whisker")
    c:path({ { from, y - 4 }, { from, y + 4 } }, "whisker")
    c:path({ { to, y - 4 }, { to, y + 4 } }, "whisker")
    left, right = math.min(left, from), math.max(right, to)
  end
  return left, right
end

local function swatches(c, names)
  local items = {}
  for index, name in ipairs(names) do
    items[index] = { name = name, draw = function(x, y)
      c:rect(x, y - 6, 16, 12, axes.color("f", index), nil, 2)
    end }
  end
  return items
end

--- Draws horizontal bars.
---@param chart tandem.BarsChart
---@return tandem.SvgChart
function bars.draw(chart)
  local rows = axes.need(chart, "bars", "rows")
  local width = axes.size(chart.width, axes.WIDTH, 240)
  local c = canvas.new(width, 0)
  local spec = setmetatable({ log = false }, { __index = chart.x })
  local values, negative, any_front, reserve = { n = 0 }, false, false, 0
  for _, row in ipairs(rows) do
    if ticks.drawable(row.value) then
      local low, high = ends_of(row)
      values[values.n + 1], values[values.n + 2] = low, high
      values.n = values.n + 2
      negative = negative or row.value < 0
      any_front = any_front or row.front == true
      reserve = math.max(reserve, canvas.text_width(words_of(row, chart)) + 12)
    end
  end
  local low, high = ticks.range(false, values)
  low, high = axes.with_limits(chart.limits, "x", low, high)

  local top = axes.title(c, chart)
  if chart.series then top = axes.legend(c, swatches(c, chart.series), top + 4) end
  top = top + 14 + 15 * #(chart.limits or {})
  local room = bars.names(c, rows)
  local box = { left = axes.MARGIN + room + 10, top = top,
    bottom = top + math.max(1, #rows) * bars.ROW, right = width - axes.MARGIN }
  reserve = math.min(reserve, (box.right - box.left) * 0.4)
  local inner = { left = box.left + (negative and reserve or 0), right = box.right - reserve,
    top = box.top, bottom = box.bottom }
  c.height = box.bottom + axes.below(chart.x)
  local axis = ticks.axis(spec, low, high, { zero = true, nice = false,
    count = math.max(2, math.floor((inner.right - inner.left) / 80)) })
  local function pixel(value)
    return inner.left + math.max(0, math.min(axis:at(value), 1)) * (inner.right - inner.left)
  end

  axes.horizontal(c, axis, inner, { grid = true, bare = true })
  local zero = pixel(0)
  bars.write_names(c, rows, box, box.left - 10, room)
  local ends = {}
  for index, row in ipairs(rows) do
    if ticks.drawable(row.value) then
      ends[index] = { draw_bar(c, row, top + (index - 0.5) * bars.ROW, zero, pixel, any_front,
        chart) }
    end
  end
  local name_limits = axes.limits(c, chart.limits, axis, "x", inner)
  for index, row in ipairs(rows) do
    local y = top + (index - 0.5) * bars.ROW
    if ends[index] then
      local left, right = ends[index][1], ends[index][2]
      local text = words_of(row, chart)
      local strong = row.front and " strong" or ""
      if row.value < 0 then
        c:text(left - 7, y + 4, text, "tick halo end" .. strong)
      else
        c:text(right + 7, y + 4, text, "tick halo" .. strong)
      end
    else
      c:text(zero + 7, y + 4, "–", "tick")
    end
  end
  c:line(zero, box.top, zero, box.bottom, "axis")
  name_limits()
  if #rows == 0 then axes.nothing(c, box) end
  return c:finish(tostring(chart.title or "Bars"), ("%d bars"):format(#rows), chart.theme,
    chart.notes)
end

return bars
