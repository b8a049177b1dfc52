--- A Gantt chart in a terminal: the twin of svg.gantt, from the same table.
--
-- Owns what stands in a cell: the kind that fills most of it; a span too short for a cell is shown
-- where nothing else is.
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

-- Time of each kind in each cell of a row: cell → { kind number → time }.
local function fill_cells(lane, row, number, axis, columns)
  local cells = {}
  for _, span in ipairs(lane.spans) do
    if lane.row[span] == row then
      local from, to = axis:at(span.from) * columns, axis:at(span.to) * columns
      local kind = number[span.kind or span.name or ""]
      for cell = math.max(0, math.floor(from)), math.min(columns - 1, math.floor(to)) do
        local part = math.min(to, cell + 1) - math.max(from, cell)
        if part > 0 or from == to then
          cells[cell] = cells[cell] or {}
          cells[cell][kind] = (cells[cell][kind] or 0) + math.max(part, 1e-9)
        end
      end
    end
  end
  return cells
end

-- A row as text: in each cell the kind with most time, the smaller number when equal.
local function row_text(cells, columns, kinds, place)
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
    local best, most
    for kind = 1, kinds do
      local time = cells[cell] and cells[cell][kind]
      if time and (not most or time > most) then best, most = kind, time end
    end
    if best ~= last then
      flush()
      last = best
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
      local cells = fill_cells(lane, row, number, axis, columns)
      bodies[#bodies + 1] = style.pad(row == 1 and place:text(style.clean(lane.name)) or "", indent)
        .. " " .. place:text "│" .. row_text(cells, columns, #names, place)
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
