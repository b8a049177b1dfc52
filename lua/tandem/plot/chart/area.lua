--- Areas stacked over an axis: how parts make up a whole over time.
--
-- Owns the layout of a stacked chart. All series share their positions; what is missing or negative
-- counts as nothing. The first series lies at the bottom.
local raster = require "tandem.plot.raster"
local axes = require "tandem.plot.svg.axes"
local canvas = require "tandem.plot.svg.canvas"
local ticks = require "tandem.plot.ticks"

local area = {}

---@class tandem.AreaSeries
---@field name string
---@field y number[]

---@class tandem.AreaChart: tandem.SvgSpec
---@field x? tandem.AxisSpec
---@field y? tandem.AxisSpec
---@field at number[]      where the values stand, ascending
---@field stop? number     where the last one ends (default: as wide as the one before)
---@field series tandem.AreaSeries[]

-- The tops of each layer, by position; the last one is the whole.
local function layers_of(chart)
  local below, layers, most = {}, {}, 0
  for index = 1, #chart.at do below[index] = 0 end
  for number, series in ipairs(chart.series) do
    local tops = {}
    for index = 1, #chart.at do
      local value = series.y[index]
      tops[index] = below[index] + (ticks.drawable(value) and math.max(value, 0) or 0)
      most = math.max(most, tops[index])
    end
    layers[number] = { below = below, tops = tops }
    below = tops
  end
  return layers, most
end

local function stop_of(chart)
  local at = chart.at
  if chart.stop then return chart.stop end
  return #at > 1 and 2 * at[#at] - at[#at - 1] or (at[1] or 0) + 1
end

-- The staircase of a layer's edge as points on paper; from the right when `back`.
local function edge(values, across, up, back)
  local points = {}
  for index = 1, #values do
    local y = up(values[index])
    points[2 * index - 1] = { across[index], y }
    points[2 * index] = { across[index + 1], y }
  end
  if not back then return points end
  local turned = {}
  for index = #points, 1, -1 do turned[#turned + 1] = points[index] end
  return turned
end

local function about(chart, layers)
  local parts, last = {}, layers[#layers]
  for index, series in ipairs(chart.series) do
    parts[index] = tostring(series.name)
  end
  local most = 0
  for _, top in ipairs(last and last.tops or {}) do most = math.max(most, top) end
  return ("%s; at most %s"):format(table.concat(parts, ", "), ticks.value(most, chart.y))
end

local function legend(chart, c)
  local items = {}
  for number, series in ipairs(chart.series) do
    items[number] = { name = tostring(series.name), draw = function(x, y)
      c:rect(x, y - 5, 16, 10, axes.color("f", number), nil, 2)
    end }
  end
  return items
end

--- Draws stacked areas.
---@param chart tandem.AreaChart
---@return tandem.SvgChart
function area.svg(chart)
  axes.need(chart, "area", "series")
  local c = canvas.new(axes.width(chart.width, axes.WIDTH, 240), axes.size(chart.height, 360, 160))
  local layers, most = layers_of(chart)
  local top = axes.legend(c, legend(chart, c), axes.title(c, chart) + 4)
  top = top + ((chart.y and (chart.y.label or chart.y.unit)) and 34 or 16)
  local bottom = c.height - axes.below(chart.x)
  if bottom - top < 120 then
    c.height = c.height + 120 - (bottom - top)
    bottom = top + 120
  end
  local y_axis = ticks.axis(chart.y, 0, most > 0 and most or 1, { nice = true, zero = true,
    count = math.max(2, math.floor((bottom - top) / 52)) })
  local box = { left = axes.MARGIN + axes.room(y_axis) + 8, top = top, bottom = bottom,
    right = c.width - axes.MARGIN }
  local x_axis = axes.across(chart.x, chart.at[1] or 0, stop_of(chart),
    { room = box.right - box.left, each = 80 })
  axes.vertical(c, y_axis, box)
  axes.horizontal(c, x_axis, box)
  local across = {}
  for index, x in ipairs(chart.at) do
    across[index] = box.left + x_axis:at(x) * (box.right - box.left)
  end
  across[#across + 1] = box.left + x_axis:at(stop_of(chart)) * (box.right - box.left)
  local function up(value) return box.bottom - y_axis:at(value) * (box.bottom - box.top) end
  for number, layer in ipairs(layers) do
    if #chart.at > 0 then
      local outline = edge(layer.tops, across, up)
      table.move(edge(layer.below, across, up, true), 1, 2 * #chart.at, #outline + 1, outline)
      c:path(outline, axes.color("f", number), true, tostring(chart.series[number].name))
    end
  end
  if #layers == 0 or #chart.at == 0 then axes.nothing(c, box) end
  return c:finish(tostring(chart.title or "Areas"), about(chart, layers), chart.theme, chart.notes)
end

-- ---- in a terminal ----

local ROWS <const> = 12

--- Draws stacked areas: each column stands for the value at its middle.
---@param chart tandem.AreaChart
---@param style tandem.Style
---@return string[] lines
function area.text(chart, style)
  local at = chart.at
  if #at == 0 or #chart.series == 0 then return { "(empty)" } end
  local layers, most = layers_of(chart)
  local y_axis = ticks.axis(chart.y, 0, most > 0 and most or 1,
    { nice = true, zero = true, count = 4 })
  local columns = math.max(12, style.width - raster.room(y_axis, style) - 2)
  local x_axis = ticks.axis(chart.x, at[1], stop_of(chart), { count = columns // 12 })
  local grid, index = raster.new(columns, ROWS, style), 1
  for column = 0, columns - 1 do
    local x = x_axis.low + (x_axis.high - x_axis.low) * (column + 0.5) / columns
    while at[index + 1] and at[index + 1] <= x do index = index + 1 end
    for row = 0, ROWS - 1 do
      local level = (1 - (row + 0.5) / ROWS) * (y_axis.high - y_axis.low)
      for number, layer in ipairs(layers) do
        if level < layer.tops[index] then
          local sign, color = raster.fill(number, style)
          grid:mark(column, row, sign, color)
          break
        end
      end
    end
  end
  local names = {}
  for number, series in ipairs(chart.series) do names[number] = tostring(series.name) end
  local lines = raster.frame(grid, x_axis, y_axis, chart.title)
  return table.move(raster.legend(names, style), 1, #names, #lines + 1, lines)
end

return area
