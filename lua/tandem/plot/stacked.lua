--- Stacked bars and areas in a terminal: the twins of svg.stacked and svg.area.
--
-- Owns the signs of the parts: shades in Unicode, letters of a kind in ASCII, with colours on top.
local raster = require "tandem.plot.raster"
local scatter = require "tandem.plot.scatter"
local shared = require "tandem.plot.svg.stacked"
local style = require "tandem.plot.style"
local ticks = require "tandem.plot.ticks"

local stacked = {}

local FILLS = { "█", "▒", "▓", "░", "■", "▚", "▤", "▦" }
local ROWS <const> = 12

local function fill_of(index, place)
  local fills = place.unicode and FILLS or raster.PLAIN
  return fills[(index - 1) % #fills + 1], raster.COLORS[(index - 1) % #raster.COLORS + 1]
end

local function title_of(chart, place, lines)
  if chart.title then
    lines[#lines + 1] = place:paint(style.cut(place:text(style.clean(chart.title)), place.width),
      "bold")
  end
end

--- Draws stacked bars.
---@param chart tandem.StackedChart
---@param place tandem.Style
---@return string[] lines
function stacked.draw(chart, place)
  local shown, sums, values = shared.parts(chart)
  local most, names, lines = 0, {}, {}
  for _, sum in ipairs(sums) do most = math.max(most, sum) end
  if #chart.bars == 0 or most <= 0 then return { "(empty)" } end
  for index, part in ipairs(shown) do names[index] = part.name end
  local widest, totals = 0, 0
  for index, one in ipairs(chart.bars) do
    widest = math.max(widest, style.columns(place:text(style.clean(one.name))))
    totals = math.max(totals,
      style.columns(place:text(one.note or ticks.value(sums[index], chart.x))))
  end
  widest, totals = math.min(widest, place.width // 3), math.min(totals, place.width // 4)
  local room = math.max(10, place.width - widest - totals - 4)
  title_of(chart, place, lines)
  for index, one in ipairs(chart.bars) do
    local parts, sum, used = {}, 0, 0
    for number, part in ipairs(shown) do
      sum = sum + (values[index][part.name] or 0)
      local to = math.floor(sum / most * room + 0.5)
      local sign, color = fill_of(number, place)
      parts[#parts + 1] = place:paint(sign:rep(to - used), color)
      used = to
    end
    lines[#lines + 1] = style.pad(place:text(style.clean(one.name)), widest) .. "  "
      .. table.concat(parts) .. (" "):rep(room - used) .. "  "
      .. style.pad(place:text(one.note or ticks.value(sums[index], chart.x)), totals, "right")
  end
  local title = ticks.axis(chart.x, 0, 1).title
  if title ~= "" then
    lines[#lines + 1] = place:paint(place:text(style.clean(title)), "dim")
  end
  return table.move(scatter.legend(names, place, fill_of), 1, #names, #lines + 1, lines)
end

-- The tops of the layers at a place; the last is the whole.
local function tops_at(chart, index)
  local tops, sum = {}, 0
  for number, series in ipairs(chart.series) do
    local value = series.y[index]
    sum = sum + (ticks.drawable(value) and math.max(value, 0) or 0)
    tops[number] = sum
  end
  return tops
end

--- Draws stacked areas: each column stands for the value at its middle.
---@param chart tandem.AreaChart
---@param place tandem.Style
---@return string[] lines
function stacked.area(chart, place)
  local at, most = chart.at, 0
  if #at == 0 or #chart.series == 0 then return { "(empty)" } end
  local layers = {}
  for index = 1, #at do
    layers[index] = tops_at(chart, index)
    most = math.max(most, layers[index][#chart.series])
  end
  local stop = chart.stop or (#at > 1 and 2 * at[#at] - at[#at - 1] or at[1] + 1)
  local y_axis = ticks.axis(chart.y, 0, most > 0 and most or 1,
    { nice = true, zero = true, count = 4 })
  local columns = math.max(12, place.width - raster.room(y_axis, place) - 2)
  local x_axis = ticks.axis(chart.x, at[1], stop, { count = columns // 12 })
  local grid, index = raster.new(columns, ROWS, place), 1
  for column = 0, columns - 1 do
    local x = x_axis.low + (x_axis.high - x_axis.low) * (column + 0.5) / columns
    while at[index + 1] and at[index + 1] <= x do index = index + 1 end
    for row = 0, ROWS - 1 do
      local level = (1 - (row + 0.5) / ROWS) * (y_axis.high - y_axis.low)
      for number, top in ipairs(layers[index]) do
        if level < top then
          local sign, color = fill_of(number, place)
          grid:mark(column, row, sign, color)
          break
        end
      end
    end
  end
  local names = {}
  for number, series in ipairs(chart.series) do names[number] = tostring(series.name) end
  local lines = raster.frame(grid, x_axis, y_axis, chart.title)
  return table.move(scatter.legend(names, place, fill_of), 1, #names, #lines + 1, lines)
end

return stacked
