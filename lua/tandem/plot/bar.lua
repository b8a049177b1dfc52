--- Horizontal bars, one line each.
--
-- Owns how a fraction becomes a row of blocks: eighths of a column in Unicode, whole characters
-- in ASCII. Used by reports for shares and utilization, and by plot.bar for whole charts.
local styles = require "tandem.plot.style"

local bar = {}

local EIGHTHS = { "▏", "▎", "▍", "▌", "▋", "▊", "▉" }

local function clamp(fraction)
  if fraction ~= fraction then
    return 0
  end
  return math.max(0, math.min(fraction, 1))
end

--- A bar that fills a fraction of `columns`; a fraction above 0 always shows something.
---@param fraction number
---@param columns integer
---@param style tandem.Style
---@param track? boolean  draw the unfilled part too
---@return string  exactly `columns` wide
function bar.line(fraction, columns, style, track)
  fraction = clamp(fraction)
  local blank = track and (style.unicode and "░" or ".") or " "
  if not style.unicode then
    local filled = math.floor(fraction * columns + 0.5)
    if filled == 0 and fraction > 0 and columns > 0 then
      filled = 1
    end
    return string.rep("#", filled) .. string.rep(blank, columns - filled)
  end
  local eighths = math.floor(fraction * columns * 8 + 0.5)
  if eighths == 0 and fraction > 0 and columns > 0 then
    eighths = 1
  end
  local whole, rest = eighths // 8, eighths % 8
  local text = string.rep("█", whole)
  local used = whole
  if rest > 0 then
    text, used = text .. EIGHTHS[rest], used + 1
  end
  return text .. string.rep(blank, columns - used)
end

--- Two parts on one bar: first solid (service), then shaded (waiting), over a common scale.
---@param first number
---@param second number
---@param scale number  what the whole width stands for
---@param columns integer
---@param style tandem.Style
---@return string
function bar.split(first, second, scale, columns, style)
  if not (scale > 0) then
    return string.rep(" ", columns)
  end
  local end_first = math.floor(clamp(first / scale) * columns + 0.5)
  local end_second = math.floor(clamp((first + second) / scale) * columns + 0.5)
  if end_first == end_second and first >= second then
    return bar.line((first + second) / scale, columns, style)
  end
  end_second = math.max(end_second, 1)
  local solid, shade = "█", "░"
  if not style.unicode then
    solid, shade = "#", "."
  end
  return string.rep(solid, end_first) .. string.rep(shade, end_second - end_first)
    .. string.rep(" ", columns - end_second)
end

---@class tandem.BarChart
---@field labels string[]
---@field values number[]
---@field max? number      what a full bar stands for (default: the largest value)
---@field notes? string[]  printed after each bar
---@field unit? string      of the values, for the forms that have axes
---@field title? string

--- A chart of labelled bars.
---@param chart tandem.BarChart
---@param style tandem.Style
---@return string[] lines
function bar.chart(chart, style)
  local max, label_columns, note_columns = chart.max or 0, 0, 0
  for index, value in ipairs(chart.values) do
    if not chart.max and value == value and value < math.huge then
      max = math.max(max, value)
    end
    label_columns = math.max(label_columns,
      styles.columns(style:text(styles.clean(chart.labels[index] or ""))))
    note_columns = math.max(note_columns,
      styles.columns(style:text(chart.notes and chart.notes[index] or "")))
  end
  label_columns = math.min(label_columns, style.width // 3)
  local room = math.max(8, style.width - label_columns - note_columns - 4)
  local lines = {}
  for index, value in ipairs(chart.values) do
    local note = chart.notes and chart.notes[index] or ""
    local label = styles.pad(style:text(styles.clean(chart.labels[index] or "")), label_columns)
    local text = style:text(label)
      .. "  " .. bar.line(max > 0 and value / max or 0, room, style) .. "  "
      .. styles.pad(style:text(note), note_columns, "right")
    lines[index] = (text:gsub("%s+$", ""))
  end
  return lines
end

return bar
