--- Spans of time on lanes: what ran where, and when.
--
-- Owns the layout of a Gantt chart: which spans of a lane lie below one another because they
-- overlap, and which colour or sign a kind has. In the SVG, spans too short to be seen are a hair
-- wide and those of one kind that fall into one pixel are drawn as one; in a terminal, what stands
-- in a cell is the kind that fills most of it.
local raster = require "tandem.plot.raster"
local styles = require "tandem.plot.style"
local axes = require "tandem.plot.svg.axes"
local canvas = require "tandem.plot.svg.canvas"
local theme = require "tandem.plot.svg.theme"
local ticks = require "tandem.plot.ticks"
local format = require "tandem.text.format"

local gantt = {}

---@class tandem.GanttSpan
---@field lane string
---@field from number
---@field to number
---@field name? string  written inside where it fits
---@field kind? string  has a colour (default: the name)

---@class tandem.GanttChart: tandem.SvgSpec
---@field x? tandem.AxisSpec
---@field spans tandem.GanttSpan[]
---@field lanes? string[]  their order (default: as they first appear)
---@field limits? tandem.SvgLimit[]  { x = … }

local ROW <const>, GAP <const> = 22, 10
-- Rows of one lane; what overlaps even more is drawn over the last.
local MOST_ROWS <const> = 8
local MOST_KINDS <const> = 16
local OTHER <const> = "other"

---@class tandem.GanttLane
---@field name string
---@field spans tandem.GanttSpan[]  by start
---@field row table<tandem.GanttSpan, integer>
---@field rows integer

local function usable(span, x)
  return ticks.drawable(span.from) and ticks.drawable(span.to) and span.to >= span.from
    and not (x and (x.min and span.to < x.min or x.max and span.from > x.max))
end

-- Each span into the first row that is free when it begins.
local function lay(lane)
  local order = {}
  for index, span in ipairs(lane.spans) do order[span] = index end
  table.sort(lane.spans, function(a, b)
    if a.from ~= b.from then return a.from < b.from end
    if a.to ~= b.to then return a.to > b.to end
    return order[a] < order[b]
  end)
  local ends = {}
  lane.row, lane.rows = {}, 1
  for _, span in ipairs(lane.spans) do
    local row = 1
    while ends[row] and ends[row] > span.from and row < MOST_ROWS do row = row + 1 end
    ends[row] = math.max(ends[row] or span.to, span.to)
    lane.row[span], lane.rows = row, math.max(lane.rows, row)
  end
end

--- The lanes with their spans, and what they reach.
---@param chart tandem.GanttChart
---@return tandem.GanttLane[]
---@return number from
---@return number to  < from when there is nothing
local function lanes_of(chart)
  local lanes, by_name, low, high = {}, {}, math.huge, -math.huge
  local function lane_of(name)
    if not by_name[name] then
      by_name[name] = { name = name, spans = {} }
      lanes[#lanes + 1] = by_name[name]
    end
    return by_name[name]
  end
  for _, name in ipairs(chart.lanes or {}) do lane_of(name) end
  for _, span in ipairs(chart.spans) do
    if usable(span, chart.x) then
      local spans = lane_of(span.lane).spans
      spans[#spans + 1] = span
      low, high = math.min(low, span.from), math.max(high, span.to)
    end
  end
  for _, lane in ipairs(lanes) do lay(lane) end
  return lanes, low, high
end

--- The number of each kind, by the time it takes in all: the colours of the largest.
---@param chart tandem.GanttChart
---@return table<string, integer> number
---@return string[] names
local function kinds_of(chart)
  local sum, names = {}, {}
  for _, span in ipairs(chart.spans) do
    if usable(span, chart.x) then
      local kind = span.kind or span.name or ""
      if not sum[kind] then names[#names + 1] = kind end
      sum[kind] = (sum[kind] or 0) + span.to - span.from
    end
  end
  table.sort(names, function(a, b)
    if sum[a] ~= sum[b] then return sum[a] > sum[b] end
    return a < b
  end)
  local number = {}
  for index, name in ipairs(names) do number[name] = math.min(index, MOST_KINDS + 1) end
  if #names > MOST_KINDS then
    names = table.move(names, 1, MOST_KINDS, 1, {})
    names[#names + 1] = OTHER
  end
  return number, names
end

local function class_of(number)
  if number > MOST_KINDS then return "faded" end
  return axes.color("f", number) .. (number > theme.SERIES and " pale" or "")
end

--- What fills each of so many equal cells of a row: the kind with most time, the smaller number
--- when equal. Nil where nothing is.
---@param lane tandem.GanttLane
---@param row integer
---@param number table<string, integer>
---@param at fun(value: number): number  0 to 1 over the cells
---@param count integer
---@return integer[] kinds  by cell, from 0
local function cells_of(lane, row, number, at, count)
  local times, best = {}, {}
  for _, span in ipairs(lane.spans) do
    if lane.row[span] == row then
      local from, to = at(span.from) * count, at(span.to) * count
      local kind = number[span.kind or span.name or ""]
      for cell = math.max(0, math.floor(from)), math.min(count - 1, math.floor(to)) do
        local part = math.min(to, cell + 1) - math.max(from, cell)
        if part > 0 or from == to then
          local of_cell = times[cell] or {}
          times[cell], of_cell[kind] = of_cell, (of_cell[kind] or 0) + math.max(part, 1e-9)
          local before = best[cell]
          if not before or of_cell[kind] > of_cell[before]
            or of_cell[kind] == of_cell[before] and kind < before then
            best[cell] = kind
          end
        end
      end
    end
  end
  return best
end

-- Rows of more spans than this are drawn by columns of pixels.
local EXACT <const> = 1500

-- A lane of very many spans: in each column of pixels the kind that fills most of it.
local function draw_columns(c, lane, top, number, pixel, box)
  local count = math.floor(box.right - box.left)
  local function at(value) return (pixel(value) - box.left) / (box.right - box.left) end
  for row = 1, lane.rows do
    local kinds, y = cells_of(lane, row, number, at, count), top + (row - 1) * ROW
    local from = 0
    for cell = 1, count do
      if kinds[cell] ~= kinds[from] or cell == count then
        if kinds[from] then
          c:rect(box.left + from, y, cell - from, ROW - 3, class_of(kinds[from]))
        end
        from = cell
      end
    end
  end
end

-- A lane's rectangles; a run of the same kind within a pixel is one.
local function draw_lane(c, lane, top, number, pixel, chart)
  local last = {}
  local function flush(row)
    local one = last[row]
    if not one then return end
    last[row] = nil
    local span, y = one.span, top + (row - 1) * ROW
    local tip = one.count > 1 and ("%s: %d spans from %s to %s"):format(lane.name, one.count,
      ticks.value(span.from, chart.x), ticks.value(one.stop, chart.x))
      or ("%s%s: %s, from %s"):format(lane.name, span.name and ", " .. tostring(span.name) or "",
        ticks.value(span.to - span.from, chart.x), ticks.value(span.from, chart.x))
    c:rect(one.from, y, math.max(one.to - one.from, 0.75), ROW - 3, one.class, tip, 2)
    local name = span.name and tostring(span.name)
    if one.count == 1 and name and canvas.text_width(name, 11) + 8 <= one.to - one.from then
      c:text((one.from + one.to) / 2, y + 13.5, name, "label mid halo")
    end
  end
  for _, span in ipairs(lane.spans) do
    local row, class = lane.row[span], class_of(number[span.kind or span.name or ""])
    local from, to = pixel(span.from), pixel(span.to)
    local one = last[row]
    if one and one.class == class and from - one.to < 0.5 and to - one.from < 1 then
      one.to, one.stop, one.count = math.max(one.to, to), math.max(one.stop, span.to),
        one.count + 1
    else
      flush(row)
      last[row] = { span = span, from = from, to = to, stop = span.to, class = class, count = 1 }
    end
  end
  for row = 1, lane.rows do flush(row) end
end

-- What the colours mean, when there is more than one.
local function legend_of(c, names)
  local items = {}
  for index, name in ipairs(names) do
    items[index] = { name = name ~= "" and name or "unnamed", draw = function(x, y)
      c:rect(x, y - 6, 16, 12, class_of(index), nil, 2)
    end }
  end
  return items
end

--- Draws a Gantt chart.
---@param chart tandem.GanttChart
---@return tandem.SvgChart
function gantt.svg(chart)
  axes.need(chart, "gantt", "spans")
  local c = canvas.new(axes.width(chart.width, axes.WIDTH, 240), 0)
  local lanes, from, to = lanes_of(chart)
  local number, names = kinds_of(chart)
  local top = axes.title(c, chart) + 6
  if #names > 1 then top = axes.legend(c, legend_of(c, names), top) + 6 end
  top = top + 15 * #(chart.limits or {})
  local room, height = 0, 0
  for _, lane in ipairs(lanes) do
    room = math.max(room, canvas.text_width(lane.name))
    height = height + lane.rows * ROW + GAP
  end
  room = math.min(room, 0.28 * c.width)
  local box = { left = axes.MARGIN + room + 12, right = c.width - axes.MARGIN, top = top,
    bottom = top + math.max(height, 60) }
  c.height = box.bottom + axes.below(chart.x)
  local axis = axes.across(chart.x, from, to,
    { room = box.right - box.left, each = 90 })
  axes.horizontal(c, axis, box, { grid = true })
  c:line(box.left, box.bottom, box.right, box.bottom, "axis")
  local function pixel(value)
    return box.left + math.max(0, math.min(axis:at(value) or 0, 1)) * (box.right - box.left)
  end
  local lane_names = {}
  for index, lane in ipairs(lanes) do lane_names[index] = lane.name end
  lane_names = canvas.apart(lane_names, room + 1)
  local y, many, spans = top + GAP / 2, 0, 0
  for index, lane in ipairs(lanes) do
    if index > 1 then c:line(axes.MARGIN, y - GAP / 2, box.right, y - GAP / 2, "grid") end
    c:text(box.left - 10, y + lane.rows * ROW / 2 + 3, lane_names[index], "word end")
    if #lane.spans > EXACT then
      draw_columns(c, lane, y, number, pixel, box)
      many = many + 1
    else
      draw_lane(c, lane, y, number, pixel, chart)
    end
    spans = spans + #lane.spans
    y = y + lane.rows * ROW + GAP
  end
  axes.limits(c, chart.limits, axis, "x", box)()
  if spans == 0 then axes.nothing(c, box) end
  local notes = table.move(chart.notes or {}, 1, #(chart.notes or {}), 1, {})
  if many > 0 then
    notes[#notes + 1] = ("%s spans: on %s a column of pixels shows the kind that fills most of it")
      :format(format.integer(spans), format.plural(many, "lane"))
  end
  return c:finish(tostring(chart.title or "Gantt chart"), ("%d spans on %d lanes"):format(spans,
    #lanes), chart.theme, notes)
end

-- ---- in a terminal ----

-- A row as text.
local function row_text(cells, columns, style)
  local parts, run, last = {}, 0, nil
  local function flush()
    if run == 0 then return end
    if last then
      local sign, color = raster.fill(last, style)
      parts[#parts + 1] = style:paint(sign:rep(run), color)
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
---@param style tandem.Style
---@return string[] lines
function gantt.text(chart, style)
  local lanes, low, high = lanes_of(chart)
  if low > high then return { "(empty)" } end
  local number, names = kinds_of(chart)
  local indent = 0
  for _, lane in ipairs(lanes) do
    indent = math.max(indent, styles.columns(style:text(styles.clean(lane.name))))
  end
  indent = math.min(indent, style.width // 4)
  local columns = math.max(12, style.width - indent - 2)
  local axis = ticks.axis(chart.x, low, high, { count = columns // 12 })
  local grid = raster.new(columns, 0, style)
  local bodies = {}
  for _, lane in ipairs(lanes) do
    for row = 1, lane.rows do
      local cells = cells_of(lane, row, number, function(value) return axis:at(value) end,
        columns)
      local name = row == 1 and style:text(styles.clean(lane.name)) or ""
      bodies[#bodies + 1] = styles.pad(name, indent) .. " " .. style:text "│"
        .. row_text(cells, columns, style)
    end
  end
  local frame = raster.frame(grid, axis, { marks = { { value = 0, label = (" "):rep(indent) } },
    title = "", at = function() return 0 end }, chart.title)
  local lines = { chart.title and table.remove(frame, 1) }
  for _, body in ipairs(bodies) do lines[#lines + 1] = (body:gsub("%s+$", "")) end
  table.move(frame, 1, #frame, #lines + 1, lines)
  if #names > 1 then
    table.move(raster.legend(names, style), 1, #names, #lines + 1, lines)
  end
  return lines
end

return gantt
