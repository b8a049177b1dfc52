--- Lines over an axis, with bands for their intervals and their names at their ends.
--
-- Owns what is read from the chart's table, and its two drawings: as SVG, and in a terminal (where
-- bands are shaded, and half-widths of intervals are left to the SVG). What is missing leaves a
-- gap; in the SVG a single point between two gaps stays visible as a mark.
local raster = require "tandem.plot.raster"
local styles = require "tandem.plot.style"
local axes = require "tandem.plot.svg.axes"
local canvas = require "tandem.plot.svg.canvas"
local labels = require "tandem.plot.svg.labels"
local ticks = require "tandem.plot.ticks"

local lines = {}

---@class tandem.Series
---@field name? string
---@field x? number[]     default: 1, 2, …
---@field y number[]
---@field half? number[]  half-widths of the intervals
---@field low? number[]   … or both ends of a band
---@field high? number[]
---@field step? boolean|"before"|"after"
---@field color? integer  which of the colours (default: its own number)
---@field dash? boolean

---@class tandem.LineChart: tandem.SvgSpec
---@field x? tandem.AxisSpec
---@field y? tandem.AxisSpec
---@field series tandem.Series[]
---@field limits? tandem.SvgLimit[]
---@field step? boolean|"before"|"after"  y is reached before x ("before", true): counts over load

local GAP <const> = 16 -- between names at line ends
local MOST_MARKS <const> = 45
local NAME_ROOM <const> = 190
local NAME_GUTTER <const> = 26
local BOLD <const> = 1.1 -- how much wider strong words are

-- The points of each series, false for gaps; and what the axes must reach, with half-widths or
-- without: low, high, whether all are whole numbers.
local function read(chart, with_halves)
  local x_log, y_log = (chart.x or {}).log, (chart.y or {}).log
  local all, whole, whole_x = {}, true, true
  local xs, ys = { n = 0 }, { n = 0 }
  local function reach(list, value)
    list.n = list.n + 1
    list[list.n] = value
  end
  for number, series in ipairs(chart.series) do
    local x_values, y_values, halves = series.x, series.y or {}, series.half or {}
    local lows, highs = series.low or {}, series.high or {}
    local points, count, last = {}, 0, nil
    for index = 1, x_values and #x_values or #y_values do
      local x, y = index, y_values[index]
      if x_values then x = x_values[index] end
      local half, from, to = halves[index], lows[index], highs[index]
      local good = ticks.drawable(x) and ticks.drawable(y) and not (x_log and x <= 0)
        and not (y_log and y <= 0)
      if good then
        count = count + 1
        half = with_halves and ticks.drawable(half) and half > 0 and half or nil
        if half then
          from, to = y - half, y + half
        elseif not (ticks.drawable(from) and ticks.drawable(to)) then
          from, to = nil, nil
        end
        points[index] = { x = x, y = y, half = half, low = from, high = to }
        last = points[index]
        reach(xs, x)
        reach(ys, y)
        if from then
          reach(ys, to)
          reach(ys, from)
        end
        whole = whole and y == math.floor(y) and not from
        whole_x = whole_x and x == math.floor(x)
      else
        points[index] = false
      end
    end
    all[number] = { points = points, count = count, last = last, series = series,
      color = series.color or number, few = count <= MOST_MARKS,
      step = series.step == nil and chart.step or series.step }
  end
  local low_x, high_x = ticks.range(x_log, xs)
  local low_y, high_y = ticks.range(y_log, ys)
  return all, { low_x, high_x, whole_x and ys.n > 0 }, { low_y, high_y, whole and ys.n > 0 }
end

-- Stretches without gaps, as points { x, y } on paper with `up` and `down` of their bands.
local function stretches(entry, x_axis, y_axis, box)
  local found, run = {}, nil
  local width, height = box.right - box.left, box.bottom - box.top
  local function pixel(y)
    local share = y_axis:at(y) or 0 -- below 0 on a logarithmic axis: its low end
    return box.bottom - math.max(-20, math.min(share, 20)) * height
  end
  for _, point in ipairs(entry.points) do
    if point then
      run = run or {}
      run[#run + 1] = { box.left + math.max(-20, math.min(x_axis:at(point.x), 20)) * width,
        pixel(point.y), data = point,
        up = point.high and pixel(point.high), down = point.low and pixel(point.low) }
      if #run == 1 then found[#found + 1] = run end
    else
      run = nil
    end
  end
  return found
end

-- Corners of a staircase through points.
local function stepped(points, step)
  if not step then
    return points
  end
  local corners = { points[1] }
  for index = 2, #points do
    local a, b = points[index - 1], points[index]
    corners[#corners + 1] = step == "after" and { b[1], a[2] } or { a[1], b[2] }
    corners[#corners + 1] = b
  end
  return corners
end

-- Bands of the parts of a stretch that have intervals.
local function draw_bands(c, run, entry)
  local class = "band " .. axes.color("f", entry.color)
  local up, down = {}, {}
  local function finish()
    if #up > 1 then
      local outline, back = stepped(up, entry.step), stepped(down, entry.step)
      outline = table.move(outline, 1, #outline, 1, {})
      for index = #back, 1, -1 do outline[#outline + 1] = back[index] end
      c:path(outline, class, true)
    elseif #up == 1 then
      c:line(up[1][1], up[1][2], down[1][1], down[1][2], "thin " .. axes.color("s", entry.color))
    end
    up, down = {}, {}
  end
  for _, point in ipairs(run) do
    if point.up then
      up[#up + 1], down[#down + 1] = { point[1], point.up }, { point[1], point.down }
    else
      finish()
    end
  end
  finish()
end

local function tip_of(entry, point, chart)
  local name = entry.series.name and tostring(entry.series.name) .. ": " or ""
  return name .. ticks.value(point.y, chart.y, point.half) .. " at "
    .. ticks.value(point.x, chart.x)
end

local function draw_marks(c, entry, chart, box)
  for _, run in ipairs(entry.runs) do
    for _, point in ipairs(run) do
      local inside = point[1] >= box.left - 1 and point[1] <= box.right + 1
        and point[2] >= box.top - 1 and point[2] <= box.bottom + 1
      if inside and (entry.few or #run == 1) then
        c:mark(point[1], point[2], entry.color, tip_of(entry, point.data, chart))
      end
    end
  end
end

-- Do the names fit beside the ends? Where the widest of them needs how much.
local function beside(all, height)
  local widest, named = 0, 0
  for _, entry in ipairs(all) do
    if entry.series.name and entry.count > 0 then
      widest = math.max(widest, canvas.text_width(entry.series.name))
      named = named + 1
    end
  end
  return named > 0 and widest <= NAME_ROOM and named * GAP <= height, widest, named
end

-- Spots of a name beside the end of its line: right of it, above, below.
local HIGH <const> = 14
local SPOTS <const> = { { 8, -7 }, { 6, -21 }, { 8, 7 }, { 8, 21 } }

-- A line that ends early has its name at its end, where that covers nothing: the spot, or nil.
local function spot_at_end(entry, at, boxes, box)
  if box.right - at[1] < 40 then return nil end
  local width = canvas.text_width(tostring(entry.series.name)) * BOLD
  for _, by in ipairs(SPOTS) do
    local spot = { at[1] + by[1], at[2] + by[2] }
    local free, covered = boxes:place(width, HIGH, { spot })
    if free and covered == 0 then
      boxes:take(spot[1], spot[2], spot[1] + width, spot[2] + HIGH, 4)
      return spot
    end
  end
  return nil
end

-- Which names stand at the ends of their lines, by entry; the others have a line to the column at
-- the right, which no name may cover either, so that it is asked again until all agree.
local function names_at_ends(all, box, boxes)
  local far = {}
  while true do
    local tried, spots, more = boxes:copy(), {}, false
    for entry, at in pairs(far) do
      tried:take(at[1], at[2] - 2, box.right, at[2] + 2, 4)
      spots[entry] = false
    end
    for _, entry in ipairs(all) do
      local run = entry.runs[#entry.runs]
      if run and entry.series.name and spots[entry] == nil then
        spots[entry] = spot_at_end(entry, run[#run], tried, box) or false
        if not spots[entry] then far[entry], more = run[#run], true end
      end
    end
    if not more then return spots end
  end
end

-- The other names stand in a column at the right, with a thin line to each that had to move.
local function draw_names(c, all, box, boxes)
  local wanted, named, spots = {}, {}, names_at_ends(all, box, boxes)
  for _, entry in ipairs(all) do
    local run, spot = entry.runs[#entry.runs], spots[entry]
    if spot then
      c:text(spot[1], spot[2] + 11, tostring(entry.series.name),
        "word strong halo " .. axes.color("t", entry.color))
    elseif run and entry.series.name then
      named[#named + 1] = { entry = entry, at = run[#run] }
      wanted[#wanted + 1] = math.max(box.top, math.min(run[#run][2], box.bottom))
    end
  end
  local spread, moved = labels.spread(wanted, GAP, box.top, box.bottom), false
  for index, name in ipairs(named) do
    name.moved = math.abs(spread[index] - wanted[index]) > 4 or box.right - name.at[1] > 6
    moved = moved or name.moved
  end
  local right = box.right + (moved and NAME_GUTTER - 4 or 12)
  for index, name in ipairs(named) do
    local x, y, set = name.at[1], wanted[index], spread[index]
    if name.moved then
      c:path({ { x + 6, y }, { math.max(x + 6, box.right + 2), y }, { right - 6, set },
        { right - 2, set } }, "thin " .. axes.color("s", name.entry.color))
    end
    c:text(right, set + 4, name.entry.series.name,
      "word strong " .. axes.color("t", name.entry.color))
  end
end

local function legend_of(c, all)
  local items = {}
  for _, entry in ipairs(all) do
    if entry.series.name then
      items[#items + 1] = { name = tostring(entry.series.name), draw = function(x, y)
        c:line(x, y, x + 18, y, "line " .. axes.color("s", entry.color)
          .. (entry.series.dash and " dash" or ""))
        if entry.few then c:mark(x + 9, y, entry.color, nil, 3) end
      end }
    end
  end
  return items
end

local function about(chart, all)
  local parts = {}
  for _, entry in ipairs(all) do
    local _, first = next(entry.points)
    local last = entry.points[#entry.points]
    if first and last then
      parts[#parts + 1] = ("%s from %s to %s"):format(tostring(entry.series.name or "a line"),
        ticks.value(first.y, chart.y), ticks.value(last.y, chart.y))
    end
  end
  return table.concat(parts, "; ", 1, math.min(#parts, 12))
end

--- Draws a line chart.
---@param chart tandem.LineChart
---@return tandem.SvgChart
function lines.svg(chart)
  axes.need(chart, "lines", "series")
  local c = canvas.new(axes.width(chart.width, axes.WIDTH, 240), axes.size(chart.height, 400, 160))
  local all, x_range, y_range = read(chart, true)
  local low, high = axes.with_limits(chart.limits, "y", y_range[1], y_range[2],
    (chart.y or {}).log)
  local left_x, right_x = axes.with_limits(chart.limits, "x", x_range[1], x_range[2],
    (chart.x or {}).log)

  local top = axes.title(c, chart)
  local bottom = c.height - axes.below(chart.x)
  local direct, widest, named = beside(all, bottom - top - 60)
  if not direct and named > 0 then
    top = axes.legend(c, legend_of(c, all), top + 4)
  end
  top = top + ((chart.y and (chart.y.label or chart.y.unit)) and 34 or 16)
  if bottom - top < 80 then
    c.height = c.height + 80 - (bottom - top)
    bottom = top + 80
  end

  local y_axis = ticks.axis(chart.y, low, high, { nice = true, zero = "auto", whole = y_range[3],
    count = math.max(2, math.floor((bottom - top) / 52)) })
  local box = { left = axes.MARGIN + axes.room(y_axis) + 8, top = top, bottom = bottom,
    right = c.width - axes.MARGIN - (direct and widest * BOLD + NAME_GUTTER or 0) }
  local x_axis = axes.across(chart.x, left_x, right_x,
    { whole = x_range[3], room = box.right - box.left, each = 80 })

  axes.vertical(c, y_axis, box)
  axes.horizontal(c, x_axis, box)
  local boxes, some = labels.boxes(box.left, top - 22, box.right, bottom), false
  c:enter(box.left, box.top - 2, box.right, box.bottom + 2)
  for _, entry in ipairs(all) do
    entry.runs = stretches(entry, x_axis, y_axis, box)
    for _, run in ipairs(entry.runs) do draw_bands(c, run, entry) end
  end
  c:leave()
  local name_y = axes.limits(c, chart.limits, y_axis, "y", box, boxes)
  local name_x = axes.limits(c, chart.limits, x_axis, "x", box, boxes)
  c:enter(box.left, box.top - 2, box.right, box.bottom + 2)
  for _, entry in ipairs(all) do
    for _, run in ipairs(entry.runs) do
      local points = stepped(run, entry.step)
      some = true
      boxes:take_line(points)
      if #points > 1 then
        c:path(points, "line " .. axes.color("s", entry.color)
          .. (entry.series.dash and " dash" or ""))
      end
    end
  end
  c:leave()
  for _, entry in ipairs(all) do draw_marks(c, entry, chart, box) end
  if direct then draw_names(c, all, box, boxes) end
  name_y()
  name_x()
  if not some then axes.nothing(c, box) end
  return c:finish(tostring(chart.title or "Lines"), about(chart, all), chart.theme, chart.notes)
end

-- ---- in a terminal ----

local ROWS <const> = 14

local function draw_series(grid, entry, number, x_axis, y_axis)
  local before
  for _, point in ipairs(entry.points) do
    local x, y = point and x_axis:at(point.x), point and y_axis:at(point.y)
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
    local x = point and point.low and x_axis:at(point.x)
    local now = x and { x, edge(point.low), edge(point.high) }
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
            grid:mark(column, row, grid.style.unicode and "░" or ":", "dim")
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
      local label = limit.label and grid.style:text(styles.clean(limit.label)) or ""
      label = styles.cut(label, grid.columns // 2)
      local width, left, right = styles.columns(label), 0, 0
      for column = 0, width + 1 do
        if grid:taken(column, row) then left = left + 1 end
        if grid:taken(grid.columns - 1 - column, row) then right = right + 1 end
      end
      for column = 0, grid.columns - 1 do
        if not grid:taken(column, row) then grid:mark(column, row, grid.style:text "┄", "red") end
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
    local share = entry.last and entry.series.name and y_axis:at(entry.last.y)
    if share then
      local style = grid.style
      local sign = style.unicode and "" or raster.PLAIN[(number - 1) % #raster.PLAIN + 1] .. " "
      local name = sign .. style:text(styles.clean(entry.series.name))
      local text = style:paint(styles.cut(name, room),
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
---@param style tandem.Style
---@return string[] lines
function lines.text(chart, style)
  local all, x_range, y_range = read(chart, false)
  if x_range[1] > x_range[2] then return { "(empty)" } end
  local low_y, high_y = axes.with_limits(chart.limits, "y", y_range[1], y_range[2],
    (chart.y or {}).log)
  local y_axis = ticks.axis(chart.y, low_y, high_y,
    { nice = true, zero = "auto", count = 4, whole = y_range[3] })
  local names = 0
  for _, entry in ipairs(all) do
    if entry.series.name then
      names = math.max(names, styles.columns(style:text(styles.clean(entry.series.name)))
        + (style.unicode and 0 or 2))
    end
  end
  names = math.min(names, style.width // 4)
  local columns = math.max(12,
    style.width - raster.room(y_axis, style) - 2 - (names > 0 and names + 1 or 0))
  local x_axis = ticks.axis(chart.x, x_range[1], x_range[2],
    { count = columns // 12, whole = x_range[3] })
  local grid = raster.new(columns, ROWS, style)
  for number, entry in ipairs(all) do draw_series(grid, entry, number, x_axis, y_axis) end
  for _, entry in ipairs(all) do draw_band(grid, entry, x_axis, y_axis) end
  draw_limits(grid, chart, y_axis)
  local row_names, left_over = name_rows(grid, all, y_axis, names)
  local drawn = raster.frame(grid, x_axis, y_axis, chart.title, row_names)
  for _, text in ipairs(left_over) do drawn[#drawn + 1] = text end
  return drawn
end

return lines
