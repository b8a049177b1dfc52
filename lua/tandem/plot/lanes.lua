--- Lanes over time: one sparkline per lane above a common time axis.
--
-- Owns the layout of the lanes and of the axis; what a lane is comes from the caller.
local format = require "tandem.format"
local spark = require "tandem.plot.spark"
local style = require "tandem.plot.style"

local lanes = {}

---@class tandem.Lane
---@field label string
---@field values number[]  equal slices of time
---@field note string      what the highest block stands for: "peak 12 %"
---@field max? number      what a full block stands for; the lane's own peak unless told

local function peak(values)
  local most = 0
  for _, value in ipairs(values) do
    if value == value and value < math.huge then
      most = math.max(most, value)
    end
  end
  return most
end

--- Draws lanes between two times.
---@param list tandem.Lane[]
---@param from_s number
---@param to_s number
---@param place tandem.Style
---@param indent? integer
---@return string[] lines
function lanes.lines(list, from_s, to_s, place, indent)
  local label_columns, note_columns, longest = 0, 0, 0
  for _, lane in ipairs(list) do
    label_columns = math.max(label_columns, style.columns(lane.label))
    note_columns = math.max(note_columns, style.columns(lane.note))
    longest = math.max(longest, #lane.values)
  end
  local blank = string.rep(" ", indent or 0)
  local room = place.width - #blank - label_columns - note_columns - 5
  room = math.max(16, math.min(room, 64))
  local edge, lines = place:text("│"), {}
  for index, lane in ipairs(list) do
    local values = spark.resample(lane.values, room)
    lines[index] = blank .. style.pad(lane.label, label_columns) .. " " .. edge
      .. place:paint(spark.line(values, lane.max or peak(values), place), "cyan") .. edge .. " "
      .. place:text(lane.note)
  end
  local left, right = format.time(from_s), format.time(to_s)
  lines[#lines + 1] = place:paint(string.rep(" ", #blank + label_columns + 2)
    .. place:text(style.pad(left, room - style.columns(right)) .. right), "dim")
  return lines
end

return lanes
