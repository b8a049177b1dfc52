--- Horizontal bars in a terminal: the twin of svg.bars, from the same table.
--
-- Owns where zero stands when values lie on both sides of it. Values stand behind their bars.
local bar = require "tandem.plot.bar"
local raster = require "tandem.plot.raster"
local scatter = require "tandem.plot.scatter"
local style = require "tandem.plot.style"
local ticks = require "tandem.plot.ticks"

local bars = {}

-- What fills the bars of series; the first as in charts of one.
local FILLS = { "█", "▓", "▒", "░" }
local PLAIN_FILLS = { "#", "=", "+", ":" }

local function fill_of(series, place)
  local fills = place.unicode and FILLS or PLAIN_FILLS
  return fills[(series - 1) % #fills + 1], raster.COLORS[(series - 1) % #raster.COLORS + 1]
end

local function words_of(row, chart)
  local text = ticks.value(row.value, chart.x, row.half)
  return row.note and text .. "  " .. style.clean(row.note) or text
end

-- What a whole bar on each side of zero stands for.
local function reach(chart)
  local low, high = 0, 0
  for _, row in ipairs(chart.rows) do
    if ticks.drawable(row.value) then
      low, high = math.min(low, row.value), math.max(high, row.value)
    end
  end
  local most = (chart.x or {}).max
  return low, ticks.drawable(most) and math.max(most, 0) or high
end

-- The bar of a row: blank, negative part, zero, positive part; exactly as wide as the room.
local function body(row, low, high, room, place)
  local fill, color = fill_of(row.series or 1, place)
  local left = low < 0 and math.floor(room * -low / (high - low) + 0.5) or 0
  if not ticks.drawable(row.value) or row.value >= 0 then
    local value = ticks.drawable(row.value) and row.value or 0
    local width = room - left - (left > 0 and 1 or 0)
    local text = bar.line(high > 0 and value / high or 0, width, place)
    if (row.series or 1) > 1 or not place.unicode then
      local filled = style.columns((text:gsub("%s+$", "")))
      text = fill:rep(filled) .. (" "):rep(width - filled)
    end
    return (" "):rep(left) .. (left > 0 and place:text "│" or "") .. place:paint(text, color)
  end
  local filled = math.max(1, math.floor(left * row.value / low + 0.5))
  return (" "):rep(left - filled) .. place:paint(fill:rep(filled), color) .. place:text "│"
    .. (" "):rep(room - left - 1)
end

--- Draws horizontal bars.
---@param chart tandem.BarsChart
---@param place tandem.Style
---@return string[] lines
function bars.draw(chart, place)
  if #chart.rows == 0 then return { "(empty)" } end
  local names, words, texts = 0, 0, {}
  for index, row in ipairs(chart.rows) do
    names = math.max(names, style.columns(place:text(style.clean(row.name or ""))))
    texts[index] = place:text(words_of(row, chart))
    words = math.max(words, style.columns(texts[index]))
  end
  names, words = math.min(names, place.width // 3), math.min(words, place.width // 3)
  local room = math.max(8, place.width - names - words - 4)
  local low, high = reach(chart)
  local lines = {}
  local function add(text) lines[#lines + 1] = (text:gsub("%s+$", "")) end
  if chart.title then
    add(place:paint(style.cut(place:text(style.clean(chart.title)), place.width), "bold"))
  end
  for index, row in ipairs(chart.rows) do
    local name = style.pad(place:text(style.clean(row.name or "")), names)
    add(name .. "  " .. body(row, low, high, room, place) .. "  "
      .. style.pad(texts[index], words, "right"))
  end
  for _, limit in ipairs(chart.limits or {}) do
    add(place:paint(place:text(style.clean(("%s%s"):format(limit.label and limit.label .. ": "
      or "limit ", ticks.value(limit.x, chart.x)))), "red"))
  end
  local title = ticks.axis(chart.x, 0, 1).title
  if title ~= "" then add(place:paint(place:text(style.clean(title)), "dim")) end
  for _, line in ipairs(scatter.legend(chart.series or {}, place, fill_of)) do add(line) end
  return lines
end

return bars
