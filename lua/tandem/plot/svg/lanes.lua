--- Lanes over time: an area for each, one below the other above a common axis.
--
-- Owns the layout; each lane has its own height, which is said beside it.
local axes = require "tandem.plot.svg.axes"
local canvas = require "tandem.plot.svg.canvas"
local ticks = require "tandem.plot.ticks"

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
function lanes.draw(chart)
  axes.need(chart, "lanes", "lanes")
  local c = canvas.new(axes.size(chart.width, axes.WIDTH, 240), 0)
  local top, names, notes = axes.title(c, chart) + 8, 0, 0
  for _, lane in ipairs(chart.lanes) do
    names = math.max(names, canvas.text_width(lane.label) * 1.1)
    notes = math.max(notes, canvas.text_width(lane.note or ""))
  end
  names, notes = math.min(names, 0.25 * c.width), math.min(notes, 0.3 * c.width)
  local box = { left = axes.MARGIN + names + 10, right = c.width - axes.MARGIN - notes - 10,
    top = top, bottom = top + math.max(1, #chart.lanes) * (BAND + GAP) }
  c.height = box.bottom + axes.below(chart.x)
  local axis = ticks.axis(chart.x, chart.from, chart.to,
    { count = math.max(2, math.floor((box.right - box.left) / 90)) })
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

return lanes
