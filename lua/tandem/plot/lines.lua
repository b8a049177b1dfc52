--- Lines over an axis in a terminal: the twin of svg.lines, from the same table.
--
-- Owns which strokes are drawn and where the names go. Bands are shaded; half-widths of intervals
-- are left to the SVG. Gaps stay gaps.
local raster = require "tandem.plot.raster"
local style = require "tandem.plot.style"
local ticks = require "tandem.plot.ticks"

local lines = {}

local ROWS <const> = 14

-- Points { x, y } of each series, false for gaps; the ranges; are all y (all x) whole numbers?
local function read(chart)
  local x_log, y_log = (chart.x or {}).log, (chart.y or {}).log
  local all, xs, ys = {}, {}, {}
  local whole_x, whole_y = true, true
  for number, series in ipairs(chart.series) do
    local points, last, values = {}, nil, series.y or {}
    local lows, highs = series.low or {}, series.high or {}
    for index = 1, series.x and #series.x or #values do
      local x, y = index, values[index]
      if series.x then x = series.x[index] end
      local good = ticks.drawable(x) and ticks.drawable(y) and not (x_log and x <= 0)
        and not (y_log and y <= 0)
      local low, high = lows[index], highs[index]
      if not (good and ticks.drawable(low) and ticks.drawable(high)) then low, high = nil, nil end
      points[index] = good and { x, y, low, high }
      if low then
        ys[#ys + 1] = not (y_log and low <= 0) and low or y
        ys[#ys + 1] = not (y_log and high <= 0) and high or y
        whole_y = false
      end
      if good then
        xs[#xs + 1], ys[#ys + 1], last = x, y, points[index]
        whole_x, whole_y = whole_x and x == math.floor(x), whole_y and y == math.floor(y)
      end
    end
    local step = series.step == nil and chart.step or series.step
    all[number] = { points = points, last = last, step = step,
      name = series.name and style.clean(series.name) }
  end
  for _, limit in ipairs(chart.limits or {}) do
    local _, high = ticks.range(y_log, ys)
    if ticks.drawable(limit.y) and limit.y <= 3 * high and not (y_log and limit.y <= 0) then
      ys[#ys + 1] = limit.y
    end
  end
  return all, xs, ys, whole_x, whole_y
end

local function draw_series(grid, entry, number, x_axis, y_axis)
  local before
  for _, point in ipairs(entry.points) do
    local x, y = point and x_axis:at(point[1]), point and y_axis:at(point[2])
    if x and y then
      if not before then
        grid:dot(x, y, number)
      elseif entry.step == "after" then
        grid:stroke(before[1], before[2], x, before[2], number)
        grid:stroke(x, before[2], x, y, number)
      elseif entry.step then
        grid:stroke(before[1], before[2], before[1], y, number)
        grid:stroke(before[1], y, x, y, number)
      else
        grid:stroke(before[1], before[2], x, y, number)
      end
      before = { x, y }
    else
      before = nil
    end
  end
end

-- Shades the cells between the ends of a band that hold nothing yet.
local function draw_band(grid, entry, x_axis, y_axis)
  local before
  local function edge(value) return math.max(0, math.min(y_axis:at(value) or 0, 1)) end
  for _, point in ipairs(entry.points) do
    local x = point and point[3] and x_axis:at(point[1])
    local now = x and { x, edge(point[3]), edge(point[4]) }
    if now and before and now[1] >= before[1] then
      local first = grid:cell(math.max(0, before[1]), 0)
      local last = grid:cell(math.min(1, now[1]), 0)
      for column = first, last do
        local part = ((column + 0.5) / grid.columns - before[1]) / math.max(now[1] - before[1],
          1e-12)
        part = entry.step and (entry.step == "after" and 0 or 1) or math.max(0, math.min(part, 1))
        local _, bottom = grid:cell(0, before[2] + (now[2] - before[2]) * part)
        local _, top = grid:cell(0, before[3] + (now[3] - before[3]) * part)
        for row = top, bottom do
          if not grid:taken(column, row) then
            grid:mark(column, row, grid.place.unicode and "░" or ":", "dim")
          end
        end
      end
    end
    before = now or nil
  end
end

local function draw_limits(grid, chart, y_axis)
  for _, limit in ipairs(chart.limits or {}) do
    local share = y_axis:at(limit.y)
    if share and share >= 0 and share <= 1 then
      local _, row = grid:cell(0, share)
      local label = limit.label and grid.place:text(style.clean(limit.label)) or ""
      label = style.cut(label, grid.columns // 2)
      local width, left, right = style.columns(label), 0, 0
      for column = 0, width + 1 do
        if grid:taken(column, row) then left = left + 1 end
        if grid:taken(grid.columns - 1 - column, row) then right = right + 1 end
      end
      for column = 0, grid.columns - 1 do
        if not grid:taken(column, row) then grid:mark(column, row, grid.place:text "┄", "red") end
      end
      if label ~= "" then
        grid:write(right < left and grid.columns - width - 2 or 0, row, " " .. label .. " ", "red")
      end
    end
  end
end

-- The names beside the rows where their lines end, moved to the nearest free row.
local function name_rows(grid, all, y_axis, room)
  local rows, left_over = {}, {}
  for number, entry in ipairs(all) do
    local share = entry.last and entry.name and y_axis:at(entry.last[2])
    if share then
      local place = grid.place
      local sign = place.unicode and "" or raster.PLAIN[(number - 1) % #raster.PLAIN + 1] .. " "
      local text = place:paint(style.cut(sign .. place:text(entry.name), room),
        raster.COLORS[(number - 1) % #raster.COLORS + 1])
      local _, wanted = grid:cell(0, math.max(0, math.min(share, 1)))
      local found
      for distance = 0, grid.rows - 1 do
        for _, row in ipairs { wanted - distance, wanted + distance } do
          if not found and row >= 0 and row < grid.rows and not rows[row] then found = row end
        end
        if found then break end
      end
      if found then
        rows[found] = text
      else
        left_over[#left_over + 1] = text
      end
    end
  end
  return rows, left_over
end

--- Draws a line chart.
---@param chart tandem.LineChart
---@param place tandem.Style
---@return string[] lines
function lines.draw(chart, place)
  local all, xs, ys, whole_x, whole_y = read(chart)
  if #xs == 0 then
    return { "(empty)" }
  end
  local low_y, high_y = ticks.range(false, ys)
  local low_x, high_x = ticks.range(false, xs)
  local y_axis = ticks.axis(chart.y, low_y, high_y,
    { nice = true, zero = "auto", count = 4, whole = whole_y })
  local names = 0
  for _, entry in ipairs(all) do
    if entry.name then
      names = math.max(names, style.columns(place:text(entry.name)) + (place.unicode and 0 or 2))
    end
  end
  names = math.min(names, place.width // 4)
  local columns = math.max(12,
    place.width - raster.room(y_axis, place) - 2 - (names > 0 and names + 1 or 0))
  local x_axis = ticks.axis(chart.x, low_x, high_x, { count = columns // 12, whole = whole_x })
  local grid = raster.new(columns, ROWS, place)
  for number, entry in ipairs(all) do draw_series(grid, entry, number, x_axis, y_axis) end
  for _, entry in ipairs(all) do draw_band(grid, entry, x_axis, y_axis) end
  draw_limits(grid, chart, y_axis)
  local beside, left_over = name_rows(grid, all, y_axis, names)
  local drawn = raster.frame(grid, x_axis, y_axis, chart.title, beside)
  for _, text in ipairs(left_over) do drawn[#drawn + 1] = text end
  return drawn
end

return lines
