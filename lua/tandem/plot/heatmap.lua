--- A grid of shaded cells in a terminal: the twin of svg.heatmap, from the same table.
--
-- Owns the shades and how wide a cell is: with its value where all of them fit, else shades alone.
local style = require "tandem.plot.style"
local shared = require "tandem.plot.svg.heatmap"
local ticks = require "tandem.plot.ticks"

local heatmap = {}

local SHADES = { " ", "░", "▒", "▓", "█" }

local function shade(value, scale, place)
  local share = math.max(0, math.min(scale:at(value), 1))
  return place:text(SHADES[math.min(#SHADES, math.floor(share * #SHADES) + 1)])
end

-- Values as numbers in one unit, by cell; the width of the widest.
local function numbers_of(chart, values, place)
  local texts, unit = ticks.common(values, { unit = chart.unit })
  local widest = 0
  for _, text in ipairs(texts) do widest = math.max(widest, style.columns(place:text(text))) end
  return texts, unit, widest
end

-- Names of columns, each as wide as its cells; those without room are left out.
local function header(names, cell, indent, place)
  local parts, used = { string.rep(" ", indent) }, 0
  for column, name in ipairs(names) do
    local text = place:text(style.clean(name))
    local at = (column - 1) * cell
    local width = style.columns(text)
    if at >= used and (width < cell or column == 1 or at >= used + 1 or used == 0) then
      if width >= cell and place.width - indent - at < width then
        break
      end
      parts[#parts + 1] = string.rep(" ", at - used) .. text
      used = at + width + (width >= cell and 1 or 0)
      if width >= cell then parts[#parts + 1] = " " end
    end
  end
  return table.concat(parts)
end

--- Draws a heat map.
---@param chart tandem.HeatChart
---@param place tandem.Style
---@return string[] lines
function heatmap.draw(chart, place)
  local rows, columns = shared.shape(chart)
  local scale, values = shared.scale(chart, 4)
  if #values == 0 then
    return { "(empty)" }
  end
  local row_names, upwards = shared.names(chart.y or {}, rows)
  local column_names = shared.names(chart.x or {}, columns)
  local indent = 0
  for index, name in ipairs(row_names) do
    row_names[index] = place:text(style.clean(name))
    indent = math.max(indent, style.columns(row_names[index]))
  end
  indent = math.min(indent, place.width // 4)
  local texts, unit, widest = numbers_of(chart, values, place)
  local numbered = indent + 1 + columns * (widest + 4) <= place.width
  local cell = numbered and widest + 4
    or math.max(1, math.min(6, (place.width - indent - 1) // columns))

  local at, drawn = 0, {}
  for row = 1, rows do
    local parts = {}
    for column = 1, columns do
      local value = shared.cell(chart, row, column)
      local mark = value and shade(value, scale, place) or place:text "╱"
      if value then at = at + 1 end
      if numbered then
        parts[column] = place:paint(string.rep(mark, 2), value and "cyan" or "dim") .. " "
          .. style.pad(value and texts[at] or "", widest) .. " "
      else
        parts[column] = place:paint(string.rep(mark, cell), value and "cyan" or "dim")
      end
    end
    drawn[row] = (style.pad(row_names[row], indent, "right") .. " "
      .. table.concat(parts)):gsub("%s+$", "")
  end

  local lines = {}
  local function add(text) lines[#lines + 1] = (text:gsub("%s+$", "")) end
  if chart.title then
    add(place:paint(style.cut(place:text(style.clean(chart.title)), place.width), "bold"))
  end
  local y_label = chart.y and chart.y.label
  if y_label then
    add(place:paint(style.cut(place:text(style.clean(y_label)), place.width), "dim"))
  end
  for row = 1, rows do add(drawn[upwards and rows + 1 - row or row]) end
  add(place:paint(header(column_names, cell, indent + 1, place), "dim"))
  local x_label = chart.x and chart.x.label
  if x_label then
    add(place:paint(string.rep(" ", indent + 1)
      .. style.cut(place:text(style.clean(x_label)), place.width - indent - 1), "dim"))
  end
  local said = {}
  if chart.label then said[1] = style.clean(chart.label) .. (unit ~= "" and ", " .. unit or "") end
  if not chart.label and unit ~= "" then said[1] = unit end
  local steps = {}
  for _, one in ipairs(SHADES) do steps[#steps + 1] = place:text(one):rep(2) end
  said[#said + 1] = ticks.value(scale.low, { unit = chart.unit }) .. " " .. table.concat(steps)
    .. " " .. ticks.value(scale.high, { unit = chart.unit })
  add(place:text(table.concat(said, "  ")))
  return lines
end

return heatmap
