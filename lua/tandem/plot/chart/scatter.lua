--- Points over two axes, the best of them joined as a staircase and named.
--
-- Owns the layout of a scatter chart, as SVG and in a terminal, where the points of the front have
-- numbers and a list below names them. Which points are on the front is the caller's to say.
local raster = require "tandem.plot.raster"
local styles = require "tandem.plot.style"
local axes = require "tandem.plot.svg.axes"
local canvas = require "tandem.plot.svg.canvas"
local labels = require "tandem.plot.svg.labels"
local theme = require "tandem.plot.svg.theme"
local ticks = require "tandem.plot.ticks"
local format = require "tandem.text.format"

local scatter = {}

---@class tandem.ScatterPoint
---@field x number
---@field y number
---@field name? string
---@field half_x? number
---@field half_y? number
---@field front? boolean  on the Pareto front
---@field series? integer  whose point it is, by colour and shape

---@class tandem.ScatterChart: tandem.SvgSpec
---@field x? tandem.AxisSpec  `better` = "high" where more is better; the staircase follows it
---@field y? tandem.AxisSpec
---@field points tandem.ScatterPoint[]
---@field limits? tandem.SvgLimit[]
---@field series? string[]  names of the colours and shapes
---@field joined? table<integer, boolean>  series whose points are a line, drawn without marks

-- More points than this are dots without words.
local MOST_MARKS <const> = 2500
-- Names of points that are not on a front are written for so many points at most.
local MOST_NAMES <const> = 24
-- The room of a name: so many pixels, or of the width.
local NAME_ROOM <const>, NAME_PART <const> = 180, 0.28

--- The points that can be drawn; those of the front last, by x.
---@param chart tandem.ScatterChart
---@return tandem.ScatterPoint[] others
---@return tandem.ScatterPoint[] front
local function sorted(chart)
  local others, front, position = {}, {}, {}
  for index, point in ipairs(chart.points) do
    if ticks.drawable(point.x) and ticks.drawable(point.y)
      and not ((chart.x or {}).log and point.x <= 0)
      and not ((chart.y or {}).log and point.y <= 0) then
      local list = point.front and front or others
      list[#list + 1], position[point] = point, index
    end
  end
  table.sort(front, function(a, b)
    if a.x ~= b.x then return a.x < b.x end
    if a.y ~= b.y then return a.y > b.y end
    return position[a] < position[b]
  end)
  return others, front
end

--- Corners of the staircase through a front: what is as good at every x in between.
---@param front { [1]: number, [2]: number }[]  ascending x
---@param better? "low"|"high"  which x is better
---@return number[][]
function scatter.stairs(front, better)
  local corners = { front[1] }
  for index = 2, #front do
    local a, b = front[index - 1], front[index]
    corners[#corners + 1] = better == "high" and { a[1], b[2] } or { b[1], a[2] }
    corners[#corners + 1] = b
  end
  return corners
end

--- A range with room for the marks at its ends; zero is not passed for it.
---@param low number
---@param high number
---@param log? boolean
---@return number low
---@return number high
local function padded(low, high, log)
  if low > high then
    return low, high
  elseif log then
    local factor = low > 0 and (high / low) ^ 0.05 or 1
    return low / factor, high * factor
  end
  local pad = low == high and 0.25 * math.abs(low) or 0.05 * (high - low)
  return low >= 0 and math.max(0, low - pad) or low - pad,
    high <= 0 and math.min(0, high + pad) or high + pad
end

local function ranges(chart, others, front)
  local xs, ys = { n = 0 }, { n = 0 }
  local function reach(list, value, half)
    half = ticks.drawable(half) and half or 0
    list[list.n + 1], list[list.n + 2] = value - half, value + half
    list.n = list.n + 2
  end
  for _, list in ipairs { others, front } do
    for _, point in ipairs(list) do
      reach(xs, point.x, point.half_x)
      reach(ys, point.y, point.half_y)
    end
  end
  local x_log, y_log = (chart.x or {}).log, (chart.y or {}).log
  local low_x, high_x = ticks.range(x_log, xs)
  local low_y, high_y = ticks.range(y_log, ys)
  low_x, high_x = axes.with_limits(chart.limits, "x", low_x, high_x, x_log)
  low_y, high_y = axes.with_limits(chart.limits, "y", low_y, high_y, y_log)
  low_x, high_x = padded(low_x, high_x, x_log)
  low_y, high_y = padded(low_y, high_y, y_log)
  return low_x, high_x, low_y, high_y
end

local function draw_halves(c, point, pixel_x, pixel_y, class)
  local x, y = pixel_x(point.x), pixel_y(point.y)
  if ticks.drawable(point.half_x) and point.half_x > 0 then
    c:line(pixel_x(point.x - point.half_x), y, pixel_x(point.x + point.half_x), y, class)
  end
  if ticks.drawable(point.half_y) and point.half_y > 0 then
    c:line(x, pixel_y(point.y - point.half_y), x, pixel_y(point.y + point.half_y), class)
  end
end

local function color_of(point) return ((point.series or 1) - 1) % theme.SERIES + 1 end

local function tip_of(point, chart)
  local name = point.name and tostring(point.name) .. ": " or ""
  return name .. ticks.value(point.x, chart.x, point.half_x) .. ", "
    .. ticks.value(point.y, chart.y, point.half_y)
end

-- Names of points that have one, cut by what tells them apart, by the point.
local function names_of(points, width)
  local named, texts, names = {}, {}, {}
  for _, point in ipairs(points) do
    if point.name then named[#named + 1], texts[#texts + 1] = point, tostring(point.name) end
  end
  local room = math.max(NAME_ROOM, NAME_PART * width)
  for index, text in ipairs(canvas.apart(texts, room, 12)) do names[named[index]] = text end
  return names
end

-- A name beside its point, where it covers least; of no importance, only where it covers nothing.
local function write_name(c, boxes, text, x, y, important)
  local width = canvas.text_width(text) * (important and 1.08 or 1)
  local spots = { { x + 8, y - 17 }, { x + 9, y - 8 }, { x + 8, y + 3 }, { x - width - 8, y - 17 },
    { x - width - 8, y + 3 }, { x - width / 2, y - 24 }, { x - width / 2, y + 9 },
    { x - width - 9, y - 8 }, { x + 12, y - 28 }, { x + 12, y + 14 },
    { x - width - 12, y + 14 }, { x - width - 12, y - 28 } }
  local spot, covered = boxes:place(width, 16, spots)
  if not spot or (not important and covered > 0) then
    return
  end
  boxes:take(spot[1], spot[2], spot[1] + width, spot[2] + 16, 3)
  c:text(spot[1], spot[2] + 12, text, important and "word strong halo" or "tick small halo")
end

local function legend_of(c, chart)
  local items = {}
  for index, name in ipairs(chart.series) do
    items[index] = { name = name, draw = function(x, y)
      if chart.joined and chart.joined[index] then
        c:path({ { x, y }, { x + 18, y } }, axes.color("s", index) .. " line")
      else
        c:mark(x + 9, y, index, nil, 4.5)
      end
    end }
  end
  return items
end

-- Draws the series that are lines; returns the other points.
local function draw_joined(c, chart, points, pixel_x, pixel_y, boxes)
  local rest, lines = {}, {}
  for _, point in ipairs(points) do
    local number = point.series or 1
    if chart.joined and chart.joined[number] then
      lines[number] = lines[number] or {}
      table.insert(lines[number], { pixel_x(point.x), pixel_y(point.y) })
    else
      rest[#rest + 1] = point
    end
  end
  for number = 1, #(chart.series or {}) do
    if lines[number] then
      c:path(lines[number], axes.color("s", number) .. " line")
      boxes:take_line(lines[number])
    end
  end
  return rest
end

-- Very many points are dots without words, a path for each series.
local function draw_dots(c, points, pixel_x, pixel_y)
  local paths, most = {}, 1
  for _, point in ipairs(points) do
    local number = point.series or 1
    paths[number], most = paths[number] or {}, math.max(most, number)
    table.insert(paths[number], ("M%s %sh0"):format(
      canvas.coordinate(math.floor(pixel_x(point.x) * 2 + 0.5) / 2),
      canvas.coordinate(math.floor(pixel_y(point.y) * 2 + 0.5) / 2)))
  end
  for number = 1, most do
    if paths[number] then
      c:element(('<path d="%s"%s'):format(table.concat(paths[number]),
        c:class("dot s" .. color_of { series = number })))
    end
  end
end

-- Are a coordinate of all points whole numbers, as GPUs are?
local function whole(chart, key)
  for _, point in ipairs(chart.points) do
    local value = point[key]
    if ticks.drawable(value) and value % 1 ~= 0 then return false end
  end
  return true
end

--- Draws a scatter chart.
---@param chart tandem.ScatterChart
---@return tandem.SvgChart
function scatter.svg(chart)
  axes.need(chart, "scatter", "points")
  local c = canvas.new(axes.width(chart.width, axes.WIDTH, 240), axes.size(chart.height, 440, 160))
  local others, front = sorted(chart)
  local count = #others + #front
  local low_x, high_x, low_y, high_y = ranges(chart, others, front)
  local top = axes.title(c, chart)
  if chart.series then top = axes.legend(c, legend_of(c, chart), top + 4) end
  top = top + ((chart.y and (chart.y.label or chart.y.unit)) and 34 or 16)
  local bottom = math.max(top + 80, c.height - axes.below(chart.x))
  c.height = math.max(c.height, bottom + axes.below(chart.x))
  local y_axis = ticks.axis(chart.y, low_y, high_y, { nice = true, zero = "auto",
    whole = whole(chart, "y"), count = math.max(2, math.floor((bottom - top) / 52)) })
  local box = { left = axes.MARGIN + axes.room(y_axis) + 8, top = top, bottom = bottom,
    right = c.width - axes.MARGIN }
  local x_axis = axes.across(chart.x, low_x, high_x, { nice = true, zero = "auto",
    whole = whole(chart, "x"), room = box.right - box.left, each = 90 })
  local function pixel_x(value)
    return box.left + math.max(-1, math.min(x_axis:at(value) or 0, 2)) * (box.right - box.left)
  end
  local function pixel_y(value)
    return box.bottom - math.max(-1, math.min(y_axis:at(value) or 0, 2)) * (box.bottom - box.top)
  end

  axes.vertical(c, y_axis, box)
  axes.horizontal(c, x_axis, box, { grid = true })
  c:line(box.left, box.bottom, box.right, box.bottom, "axis")
  local boxes = labels.boxes(box.left, box.top - 12, c.width - 8, box.bottom - 1)
  local name_y = axes.limits(c, chart.limits, y_axis, "y", box, boxes)
  local name_x = axes.limits(c, chart.limits, x_axis, "x", box, boxes)
  c:enter(box.left - 8, box.top - 8, box.right + 8, box.bottom + 8)
  local faded, mark = #front > 0 and "faded mark" or "f1 mark", #front > 0 and 4 or 4.5
  others = draw_joined(c, chart, others, pixel_x, pixel_y, boxes)
  if #others > MOST_MARKS then
    draw_dots(c, others, pixel_x, pixel_y)
    others = {}
  end
  for _, point in ipairs(others) do
    draw_halves(c, point, pixel_x, pixel_y, #front > 0 and "faint" or "thin s" .. color_of(point))
    local x, y = pixel_x(point.x), pixel_y(point.y)
    if point.series then
      c:mark(x, y, point.series, tip_of(point, chart), mark)
    else
      c:circle(x, y, mark, faded, tip_of(point, chart))
    end
    boxes:take(x - 5, y - 5, x + 5, y + 5)
  end
  local corners = {}
  for index, point in ipairs(front) do
    corners[index] = { pixel_x(point.x), pixel_y(point.y) }
  end
  if #front > 1 then
    local stairs = scatter.stairs(corners, chart.x and chart.x.better)
    c:path(stairs, "front s1")
    boxes:take_line(stairs, 3)
  end
  for index, point in ipairs(front) do
    local x, y = corners[index][1], corners[index][2]
    draw_halves(c, point, pixel_x, pixel_y, "whisker")
    c:circle(x, y, 5.5, "f1 mark", tip_of(point, chart))
    boxes:take(x - 7, y - 7, x + 7, y + 7, 3)
  end
  c:leave()
  local names = names_of(front, c.width)
  for index, point in ipairs(front) do
    if names[point] then
      write_name(c, boxes, names[point], corners[index][1], corners[index][2], true)
    end
  end
  name_y()
  name_x()
  if #others <= MOST_NAMES then
    names = names_of(others, c.width)
    for _, point in ipairs(others) do
      if names[point] then
        write_name(c, boxes, names[point], pixel_x(point.x), pixel_y(point.y), false)
      end
    end
  end
  if count == 0 then axes.nothing(c, box) end
  return c:finish(tostring(chart.title or "Points"), format.plural(count, "point")
    .. (#front > 0 and (", %d of them on the front"):format(#front) or ""), chart.theme,
    chart.notes)
end

-- ---- in a terminal ----

local ROWS <const> = 16
local MARKS = { "•", "×", "+", "○", "■", "△", "◆", "□" }
local SIGNS <const> = "123456789abcdefghijklmnopqrstuvwxyz"

local function axis_of(spec, key, lists, count)
  local values = {}
  for _, list in ipairs(lists) do
    for _, point in ipairs(list) do values[#values + 1] = point[key] end
  end
  local low, high = ticks.range(spec and spec.log, values)
  low, high = padded(low, high, spec and spec.log)
  return ticks.axis(spec, low, high, { nice = true, zero = "auto", count = count })
end

local function draw_stairs(grid, front, x_axis, y_axis, better)
  local corners = {}
  for index, point in ipairs(front) do
    corners[index] = { x_axis:at(point.x), y_axis:at(point.y) }
  end
  corners = scatter.stairs(corners, better)
  for index = 2, #corners do
    local a, b = corners[index - 1], corners[index]
    grid:stroke(a[1], a[2], b[1], b[2], 1)
  end
end

-- The mark of a series.
local function sign_of(series, style)
  if not series then return style.unicode and "·" or ".", "cyan" end
  local marks = style.unicode and MARKS or raster.PLAIN
  return marks[(series - 1) % #marks + 1], raster.COLORS[(series - 1) % #raster.COLORS + 1]
end

--- Draws a scatter chart.
---@param chart tandem.ScatterChart
---@param style tandem.Style
---@return string[] lines
function scatter.text(chart, style)
  local others, front = sorted(chart)
  if #others + #front == 0 then
    return { "(empty)" }
  end
  local y_axis = axis_of(chart.y, "y", { others, front }, 4)
  local columns = math.max(12, style.width - raster.room(y_axis, style) - 2)
  local x_axis = axis_of(chart.x, "x", { others, front }, columns // 12)
  local grid = raster.new(columns, ROWS, style)
  if #front > 1 and style.unicode then
    draw_stairs(grid, front, x_axis, y_axis, chart.x and chart.x.better)
  end
  for _, point in ipairs(others) do
    local column, row = grid:cell(x_axis:at(point.x), y_axis:at(point.y))
    local text, color = sign_of(point.series, style)
    grid:mark(column, row, text, #front > 0 and "dim" or color)
  end
  local signs = {}
  for index, point in ipairs(front) do
    local sign = index <= #SIGNS and SIGNS:sub(index, index) or style:text "●"
    local column, row = grid:cell(x_axis:at(point.x), y_axis:at(point.y))
    signs[index] = sign
    grid:mark(column, row, sign, "bold")
  end
  local lines = raster.frame(grid, x_axis, y_axis, chart.title)
  for _, line in ipairs(raster.legend(chart.series or {}, style, sign_of)) do
    lines[#lines + 1] = line
  end
  local widest = 0
  for _, point in ipairs(front) do
    widest = math.max(widest, styles.columns(style:text(styles.clean(point.name or ""))))
  end
  widest = math.min(widest, style.width // 2)
  for index, point in ipairs(front) do
    local name = styles.pad(style:text(styles.clean(point.name or "")), widest)
    local text = ("%s  %s  %s, %s"):format(signs[index], name,
      ticks.value(point.x, chart.x, point.half_x), ticks.value(point.y, chart.y, point.half_y))
    lines[#lines + 1] = styles.cut(style:text(text), style.width)
  end
  return lines
end

return scatter
