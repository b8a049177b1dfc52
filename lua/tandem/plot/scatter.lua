--- Points over two axes in a terminal: the twin of svg.scatter, from the same table.
--
-- Owns the numbers on the points of the front and the list below that names them.
local raster = require "tandem.plot.raster"
local style = require "tandem.plot.style"
local shared = require "tandem.plot.svg.scatter"
local ticks = require "tandem.plot.ticks"

local scatter = {}

local ROWS <const> = 16
local MARKS = { "•", "×", "+", "○", "■", "△", "◆", "□" }
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

-- The mark of a series.
local function sign_of(series, place)
  if not series then return place.unicode and "·" or ".", "cyan" end
  local marks = place.unicode and MARKS or raster.PLAIN
  return marks[(series - 1) % #marks + 1], raster.COLORS[(series - 1) % #raster.COLORS + 1]
end

--- Names of series with their marks, in as many lines as it takes.
---@param names string[]
---@param place tandem.Style
---@param sign fun(index: integer, place: tandem.Style): string, string
---@return string[]
function scatter.legend(names, place, sign)
  local lines, line, used = {}, {}, 0
  for index, name in ipairs(names) do
    local mark, color = sign(index, place)
    local text = style.cut(place:text(style.clean(name)), place.width - 4)
    local width = style.columns(text) + style.columns(mark) + 1
    if used > 0 and used + 3 + width > place.width then
      lines[#lines + 1] = table.concat(line, "   ")
      line, used = {}, 0
    end
    line[#line + 1] = place:paint(mark, color) .. " " .. text
    used = used + width + (used > 0 and 3 or 0)
  end
  if used > 0 then lines[#lines + 1] = table.concat(line, "   ") end
  return lines
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
    local text, color = sign_of(point.series, place)
    grid:mark(column, row, text, #front > 0 and "dim" or color)
  end
  local signs = {}
  for index, point in ipairs(front) do
    local sign = index <= #SIGNS and SIGNS:sub(index, index) or place:text "●"
    local column, row = grid:cell(x_axis:at(point.x), y_axis:at(point.y))
    signs[index] = sign
    grid:mark(column, row, sign, "bold")
  end
  local lines = raster.frame(grid, x_axis, y_axis, chart.title)
  for _, line in ipairs(scatter.legend(chart.series or {}, place, sign_of)) do
    lines[#lines + 1] = line
  end
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
