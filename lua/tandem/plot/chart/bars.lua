--- Horizontal bars with their values and intervals.
--
-- Owns the layout of rows, as SVG and in a terminal: a column of names (which the tornado shares),
-- bars, words at their ends; and where zero stands when values lie on both sides of it.
local bar = require "tandem.plot.bar"
local raster = require "tandem.plot.raster"
local styles = require "tandem.plot.style"
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

-- How high a row is; for a telephone its name stands above its bar.
local ROW <const>, SLIM_ROW <const> = 28, 44
local NAME_ROOM <const> = 0.34 -- of the width, at most
-- What is kept for the words beside the longest bar, at most: of the room, in charts so wide.
local WORD_ROOM <const>, SLIM <const>, SLIM_WORD_ROOM <const> = 0.4, 480, 0.7

--- How high a row is.
---@param c tandem.Canvas
---@return number
function bars.row(c) return axes.slim(c.width) and SLIM_ROW or ROW end

--- The middle of a row's bar.
---@param c tandem.Canvas
---@param top number  of the rows
---@param index integer
---@return number
function bars.middle(c, top, index) return top + index * bars.row(c) - ROW / 2 end

--- The width of the column of names and of what parts it from the bars.
---@param c tandem.Canvas
---@param rows { name: string }[]
---@return number
function bars.names(c, rows)
  local widest = 0
  if axes.slim(c.width) then return 0 end
  for _, row in ipairs(rows) do
    widest = math.max(widest, canvas.text_width(row.name or ""))
  end
  return math.min(widest, NAME_ROOM * c.width) + 10
end

--- Writes the names.
---@param c tandem.Canvas
---@param rows { name: string }[]
---@param top number   of the rows
---@param room number  what `bars.names` found
function bars.write_names(c, rows, top, room)
  local names, slim = {}, axes.slim(c.width)
  for index, row in ipairs(rows) do names[index] = row.name or "" end
  for index, name in ipairs(canvas.apart(names, slim and c.width - 2 * axes.MARGIN
    or room - 9)) do
    local y = bars.middle(c, top, index)
    if slim then
      c:text(axes.MARGIN, y - 14, name, "word halo")
    else
      c:text(axes.MARGIN + room - 10, y + 4, name, "word end")
    end
  end
end

local function words_of(row, chart)
  local text = ticks.value(row.value, chart.x, row.half)
  local note = row.note and tostring(row.note)
  return note and text .. (note:find "^·" and " " or " · ") .. note or text
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
function bars.svg(chart)
  local rows = axes.need(chart, "bars", "rows")
  local width = axes.width(chart.width, axes.WIDTH, 240)
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
  local box = { left = axes.MARGIN + room, top = top,
    bottom = top + math.max(1, #rows) * bars.row(c), right = width - axes.MARGIN }
  reserve = math.min(reserve, (box.right - box.left) * (width < SLIM and SLIM_WORD_ROOM
    or WORD_ROOM))
  local inner = { left = box.left + (negative and reserve or 0), right = box.right - reserve,
    top = box.top, bottom = box.bottom }
  c.height = box.bottom + axes.below(chart.x)
  local axis = axes.across(spec, low, high, { zero = true, nice = false,
    room = inner.right - inner.left, each = 80 })
  local function pixel(value)
    return inner.left + math.max(0, math.min(axis:at(value), 1)) * (inner.right - inner.left)
  end

  axes.horizontal(c, axis, inner, { grid = true, bare = true })
  local zero = pixel(0)
  local ends = {}
  for index, row in ipairs(rows) do
    if ticks.drawable(row.value) then
      ends[index] = { draw_bar(c, row, bars.middle(c, top, index), zero, pixel, any_front, chart) }
    end
  end
  local name_limits = axes.limits(c, chart.limits, axis, "x", inner)
  for index, row in ipairs(rows) do
    local y = bars.middle(c, top, index)
    if ends[index] then
      local left, right = ends[index][1], ends[index][2]
      local text = words_of(row, chart)
      local strong = row.front and " strong" or ""
      if row.value < 0 then
        c:text(left - 7, y + 4, text, "tick halo end" .. strong)
      else
        c:text(right + 7, y + 4, canvas.fit(text, width - 4 - right - 7), "tick halo" .. strong)
      end
    else
      c:text(zero + 7, y + 4, "–", "tick")
    end
  end
  c:line(zero, box.top, zero, box.bottom, "axis")
  bars.write_names(c, rows, top, room)
  name_limits()
  if #rows == 0 then axes.nothing(c, box) end
  return c:finish(tostring(chart.title or "Bars"), ("%d bars"):format(#rows), chart.theme,
    chart.notes)
end

-- ---- in a terminal ----

-- What fills the bars of series; the first as in charts of one.
local FILLS = { "█", "▓", "▒", "░" }
local PLAIN_FILLS = { "#", "=", "+", ":" }

local function fill_of(series, style)
  local fills = style.unicode and FILLS or PLAIN_FILLS
  return fills[(series - 1) % #fills + 1], raster.COLORS[(series - 1) % #raster.COLORS + 1]
end

-- What a whole bar on each side of zero stands for.
local function reach(chart)
  local low, high = 0, 0
  for _, row in ipairs(chart.rows) do
    if ticks.drawable(row.value) then
      low, high = math.min(low, row.value), math.max(high, row.value)
    end
  end
  local most = (chart.x or {}).max
  return low, ticks.drawable(most) and math.max(most, 0) or high
end

-- The bar of a row: blank, negative part, zero, positive part; exactly as wide as the room.
local function body(row, low, high, room, style)
  local fill, color = fill_of(row.series or 1, style)
  local left = low < 0 and math.floor(room * -low / (high - low) + 0.5) or 0
  if not ticks.drawable(row.value) or row.value >= 0 then
    local value = ticks.drawable(row.value) and row.value or 0
    local width = room - left - (left > 0 and 1 or 0)
    local text = bar.line(high > 0 and value / high or 0, width, style)
    if (row.series or 1) > 1 or not style.unicode then
      local filled = styles.columns((text:gsub("%s+$", "")))
      text = fill:rep(filled) .. (" "):rep(width - filled)
    end
    return (" "):rep(left) .. (left > 0 and style:text "│" or "") .. style:paint(text, color)
  end
  local filled = math.max(1, math.floor(left * row.value / low + 0.5))
  return (" "):rep(left - filled) .. style:paint(fill:rep(filled), color) .. style:text "│"
    .. (" "):rep(room - left - 1)
end

--- Draws horizontal bars.
---@param chart tandem.BarsChart
---@param style tandem.Style
---@return string[] lines
function bars.text(chart, style)
  if #chart.rows == 0 then return { "(empty)" } end
  local names, words, texts = 0, 0, {}
  for index, row in ipairs(chart.rows) do
    names = math.max(names, styles.columns(style:text(styles.clean(row.name or ""))))
    texts[index] = style:text(styles.clean(words_of(row, chart)))
    words = math.max(words, styles.columns(texts[index]))
  end
  names, words = math.min(names, style.width // 3), math.min(words, style.width // 3)
  local room = math.max(8, style.width - names - words - 4)
  local low, high = reach(chart)
  local lines = {}
  local function add(text) lines[#lines + 1] = (text:gsub("%s+$", "")) end
  if chart.title then add(style:title(chart.title)) end
  for index, row in ipairs(chart.rows) do
    local name = styles.pad(style:text(styles.clean(row.name or "")), names)
    add(name .. "  " .. body(row, low, high, room, style) .. "  "
      .. styles.pad(texts[index], words, "right"))
  end
  for _, limit in ipairs(chart.limits or {}) do
    add(style:paint(style:text(styles.clean(("%s%s"):format(limit.label and limit.label .. ": "
      or "limit ", ticks.value(limit.x, chart.x)))), "red"))
  end
  local title = ticks.axis(chart.x, 0, 1).title
  if title ~= "" then add(style:paint(style:text(styles.clean(title)), "dim")) end
  for _, line in ipairs(raster.legend(chart.series or {}, style, fill_of)) do add(line) end
  return lines
end

return bars
