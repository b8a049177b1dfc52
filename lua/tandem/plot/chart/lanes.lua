--- Lanes over time, one below the other above a common axis: an area for each, or a sparkline.
--
-- Owns the layout of the lanes and of the axis, as SVG and in a terminal; what a lane is comes from
-- the caller. Each lane has its own height, which is said beside it.
local spark = require "tandem.plot.spark"
local styles = require "tandem.plot.style"
local ticks = require "tandem.plot.ticks"
local format = require "tandem.text.format"

local lanes = {}

---@class tandem.LanesChart: tandem.SvgSpec
---@field x? tandem.AxisSpec
---@field lanes tandem.Lane[]
---@field from number
---@field to number

local BAND <const>, GAP <const> = 40, 12

-- The staircase of a lane as a closed outline.
local function outline(values, most, left, right, bottom)
  local points, width = { { left, bottom } }, (right - left) / #values
  for index, value in ipairs(values) do
    local height = ticks.drawable(value) and most > 0
      and math.max(0, math.min(value / most, 1)) * BAND or 0
    points[#points + 1] = { left + (index - 1) * width, bottom - height }
    points[#points + 1] = { left + index * width, bottom - height }
  end
  points[#points + 1] = { right, bottom }
  return points
end

--- Draws lanes.
---@param chart tandem.LanesChart
---@return tandem.SvgChart
function lanes.svg(chart)
  -- Every report draws lanes in a terminal; what only pictures need is loaded with the first.
  local axes, canvas = require "tandem.plot.svg.axes", require "tandem.plot.svg.canvas"
  axes.need(chart, "lanes", "lanes")
  local c = canvas.new(axes.width(chart.width, axes.WIDTH, 240), 0)
  local top, names, notes = axes.title(c, chart) + 8, 0, 0
  for _, lane in ipairs(chart.lanes) do
    names = math.max(names, canvas.text_width(lane.label) * 1.1)
    notes = math.max(notes, canvas.text_width(lane.note or ""))
  end
  names, notes = math.min(names, 0.25 * c.width), math.min(notes, 0.3 * c.width)
  local box = { left = axes.MARGIN + names + 10, right = c.width - axes.MARGIN - notes - 10,
    top = top, bottom = top + math.max(1, #chart.lanes) * (BAND + GAP) }
  c.height = box.bottom + axes.below(chart.x)
  local axis = axes.across(chart.x, chart.from, chart.to,
    { room = box.right - box.left, each = 90 })
  axes.horizontal(c, axis, box, { grid = true })
  for index, lane in ipairs(chart.lanes) do
    local bottom = top + index * (BAND + GAP)
    local values = #lane.values > 2 * (box.right - box.left)
      and require("tandem.plot.spark").resample(lane.values, math.floor(box.right - box.left))
      or lane.values
    local _, most = ticks.range(false, values)
    c:line(box.left, bottom, box.right, bottom, "axis")
    if #values > 0 then
      c:path(outline(values, lane.max or most, box.left, box.right, bottom),
        axes.color("f", index), true, lane.label .. ": " .. tostring(lane.note or ""))
    end
    c:text(axes.MARGIN, bottom - BAND / 2 + 4, canvas.fit(lane.label, names), "word strong")
    c:text(box.right + 10, bottom - BAND / 2 + 4, canvas.fit(lane.note or "", notes + 1), "tick")
  end
  if #chart.lanes == 0 then axes.nothing(c, box) end
  return c:finish(tostring(chart.title or "Lanes"), ("%d lanes"):format(#chart.lanes), chart.theme,
    chart.notes)
end

-- ---- in a terminal ----

---@class tandem.Lane
---@field label string
---@field values number[]  equal slices of time
---@field note string      what the highest block stands for: "peak 12 %"
---@field max? number      what a full block stands for (default: the lane's own peak)

local function peak(values)
  local most = 0
  for _, value in ipairs(values) do
    if value == value and value < math.huge then
      most = math.max(most, value)
    end
  end
  return most
end

--- Draws lanes in a terminal.
---@param chart tandem.LanesChart
---@param style tandem.Style
---@return string[] lines
function lanes.text(chart, style)
  if #chart.lanes == 0 then return { "(empty)" } end
  return lanes.lines(chart.lanes, chart.from, chart.to, style)
end

--- Draws lanes between two times.
---@param list tandem.Lane[]
---@param from_s number
---@param to_s number
---@param style tandem.Style
---@param indent? integer
---@return string[] lines
function lanes.lines(list, from_s, to_s, style, indent)
  local label_columns, note_columns, longest = 0, 0, 0
  for _, lane in ipairs(list) do
    label_columns = math.max(label_columns, styles.columns(lane.label))
    note_columns = math.max(note_columns, styles.columns(lane.note))
    longest = math.max(longest, #lane.values)
  end
  local blank = string.rep(" ", indent or 0)
  local room = style.width - #blank - label_columns - note_columns - 5
  room = math.max(16, math.min(room, 64))
  local edge, lines = style:text("│"), {}
  for index, lane in ipairs(list) do
    local values = spark.resample(lane.values, room)
    lines[index] = blank .. styles.pad(lane.label, label_columns) .. " " .. edge
      .. style:paint(spark.line(values, lane.max or peak(values), style), "cyan") .. edge .. " "
      .. style:text(lane.note)
  end
  local left, right = format.time(from_s), format.time(to_s)
  lines[#lines + 1] = style:paint(string.rep(" ", #blank + label_columns + 2)
    .. style:text(styles.pad(left, room - styles.columns(right)) .. right), "dim")
  return lines
end

return lanes
