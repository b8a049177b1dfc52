--- A Gantt chart in a terminal: the twin of svg.gantt, from the same table.
--
-- Owns the signs of the kinds; what stands in a cell is the kind that fills most of it.
local raster = require "tandem.plot.raster"
local scatter = require "tandem.plot.scatter"
local shared = require "tandem.plot.svg.gantt"
local style = require "tandem.plot.style"
local ticks = require "tandem.plot.ticks"

local gantt = {}

local FILLS = { "█", "▒", "▓", "░", "■", "▚", "▤", "▦" }

local function fill_of(index, place)
  local fills = place.unicode and FILLS or raster.PLAIN
  return fills[(index - 1) % #fills + 1], raster.COLORS[(index - 1) % #raster.COLORS + 1]
end

-- A row as text.
local function row_text(cells, columns, place)
  local parts, run, last = {}, 0, nil
  local function flush()
    if run == 0 then return end
    if last then
      local sign, color = fill_of(last, place)
      parts[#parts + 1] = place:paint(sign:rep(run), color)
    else
      parts[#parts + 1] = (" "):rep(run)
    end
    run = 0
  end
  for cell = 0, columns - 1 do
    if cells[cell] ~= last then
      flush()
      last = cells[cell]
    end
    run = run + 1
  end
  flush()
  return table.concat(parts)
end

--- Draws a Gantt chart.
---@param chart tandem.GanttChart
---@param place tandem.Style
---@return string[] lines
function gantt.draw(chart, place)
  local lanes, low, high = shared.lanes(chart)
  if low > high then return { "(empty)" } end
  local number, names = shared.kinds(chart)
  local indent = 0
  for _, lane in ipairs(lanes) do
    indent = math.max(indent, style.columns(place:text(style.clean(lane.name))))
  end
  indent = math.min(indent, place.width // 4)
  local columns = math.max(12, place.width - indent - 2)
  local axis = ticks.axis(chart.x, low, high, { count = columns // 12 })
  local grid = raster.new(columns, 0, place)
  local bodies = {}
  for _, lane in ipairs(lanes) do
    for row = 1, lane.rows do
      local cells = shared.cells(lane, row, number, function(value) return axis:at(value) end,
        columns)
      bodies[#bodies + 1] = style.pad(row == 1 and place:text(style.clean(lane.name)) or "", indent)
        .. " " .. place:text "│" .. row_text(cells, columns, place)
    end
  end
  local frame = raster.frame(grid, axis, { marks = { { value = 0, label = (" "):rep(indent) } },
    title = "", at = function() return 0 end }, chart.title)
  local lines = { chart.title and table.remove(frame, 1) }
  for _, body in ipairs(bodies) do lines[#lines + 1] = (body:gsub("%s+$", "")) end
  table.move(frame, 1, #frame, #lines + 1, lines)
  if #names > 1 then
    table.move(scatter.legend(names, place, fill_of), 1, #names, #lines + 1, lines)
  end
  return lines
end

return gantt
