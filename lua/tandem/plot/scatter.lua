--- Points over two axes in a terminal: the twin of svg.scatter, from the same table.
--
-- Owns the numbers on the points of the front and the list below that names them.
local raster = require "tandem.plot.raster"
local style = require "tandem.plot.style"
local shared = require "tandem.plot.svg.scatter"
local ticks = require "tandem.plot.ticks"

local scatter = {}

local ROWS <const> = 16
local SIGNS <const> = "123456789abcdefghijklmnopqrstuvwxyz"

local function axis_of(spec, key, lists, count)
  local values = {}
  for _, list in ipairs(lists) do
    for _, point in ipairs(list) do values[#values + 1] = point[key] end
  end
  local low, high = ticks.range(spec and spec.log, values)
  low, high = shared.padded(low, high, spec and spec.log)
  return ticks.axis(spec, low, high, { nice = true, zero = "auto", count = count })
end

local function draw_stairs(grid, front, x_axis, y_axis, better)
  local corners = {}
  for index, point in ipairs(front) do
    corners[index] = { x_axis:at(point.x), y_axis:at(point.y) }
  end
  corners = shared.stairs(corners, better)
  for index = 2, #corners do
    local a, b = corners[index - 1], corners[index]
    grid:stroke(a[1], a[2], b[1], b[2], 1)
  end
end

--- Draws a scatter chart.
---@param chart tandem.ScatterChart
---@param place tandem.Style
---@return string[] lines
function scatter.draw(chart, place)
  local others, front = shared.sorted(chart)
  if #others + #front == 0 then
    return { "(empty)" }
  end
  local y_axis = axis_of(chart.y, "y", { others, front }, 4)
  local columns = math.max(12, place.width - raster.room(y_axis, place) - 2)
  local x_axis = axis_of(chart.x, "x", { others, front }, columns // 12)
  local grid = raster.new(columns, ROWS, place)
  if #front > 1 and place.unicode then
    draw_stairs(grid, front, x_axis, y_axis, chart.x and chart.x.better)
  end
  for _, point in ipairs(others) do
    local column, row = grid:cell(x_axis:at(point.x), y_axis:at(point.y))
    grid:mark(column, row, place.unicode and "·" or ".", #front > 0 and "dim" or "cyan")
  end
  local signs = {}
  for index, point in ipairs(front) do
    local sign = index <= #SIGNS and SIGNS:sub(index, index) or place:text "●"
    local column, row = grid:cell(x_axis:at(point.x), y_axis:at(point.y))
    signs[index] = sign
    grid:mark(column, row, sign, "bold")
  end
  local lines = raster.frame(grid, x_axis, y_axis, chart.title)
  local widest = 0
  for _, point in ipairs(front) do
    widest = math.max(widest, style.columns(place:text(style.clean(point.name or ""))))
  end
  widest = math.min(widest, place.width // 2)
  for index, point in ipairs(front) do
    local name = style.pad(place:text(style.clean(point.name or "")), widest)
    local text = ("%s  %s  %s, %s"):format(signs[index], name,
      ticks.value(point.x, chart.x, point.half_x), ticks.value(point.y, chart.y, point.half_y))
    lines[#lines + 1] = style.cut(place:text(text), place.width)
  end
  return lines
end

return scatter
