--- A tornado in a terminal: the twin of svg.tornado, from the same table.
--
-- Owns how a row is laid out: the name, what is left of the base, what is right of it.
local style = require "tandem.plot.style"
local shared = require "tandem.plot.svg.tornado"
local ticks = require "tandem.plot.ticks"

local tornado = {}

local LOW, HIGH = { "█", "#", "cyan" }, { "▒", "=", "yellow" }

local function paint(place, kind, count)
  return place:paint(string.rep(place.unicode and kind[1] or kind[2], count), kind[3])
end

-- What is on one side of the base: { reach in columns, kind, label } of each end, nearest first.
local function side_of(row, chart, base, scale, leftwards)
  local found = {}
  for _, side in ipairs { "low", "high" } do
    local value = row[side]
    if ticks.drawable(value) and ((value < base) == leftwards) then
      local label = row[side .. "_label"]
      local reach = math.floor(math.abs(value - base) * scale + 0.5)
      found[#found + 1] = { reach = value ~= base and math.max(1, reach) or 0,
        kind = side == "low" and LOW or HIGH,
        label = style.clean(label ~= nil and label or ticks.value(value, chart)) }
    end
  end
  if found[2] and found[1].reach > found[2].reach then
    found[1], found[2] = found[2], found[1]
  end
  return found
end

local function words(list, place, leftwards)
  local texts = {}
  for index, entry in ipairs(list) do
    texts[leftwards and #list + 1 - index or index] = place:text(entry.label)
  end
  return style.cut(table.concat(texts, ", "), 24)
end

local function bar(list, place, leftwards)
  local near, far = list[1], list[2]
  local first = near and paint(place, near.kind, near.reach) or ""
  local second = far and paint(place, far.kind, far.reach - near.reach) or ""
  return leftwards and second .. first or first .. second,
    math.max(near and near.reach or 0, far and far.reach or 0)
end

-- How far the rows reach to either side of the base, in the figure's own unit.
local function reaches(rows, base)
  local left, right = 0, 0
  for _, row in ipairs(rows) do
    for _, value in ipairs { ticks.drawable(row.low) and row.low or base,
      ticks.drawable(row.high) and row.high or base } do
      left, right = math.max(left, base - value), math.max(right, value - base)
    end
  end
  return left, right
end

--- Draws a tornado.
---@param chart tandem.TornadoChart
---@param place tandem.Style
---@return string[] lines
function tornado.draw(chart, place)
  local rows = shared.sorted(chart)
  if #rows == 0 then
    return { "(empty)" }
  end
  local base = chart.base
  if not ticks.drawable(base) then
    local values = { n = 0 }
    for _, row in ipairs(rows) do
      values[values.n + 1], values[values.n + 2] = row.low, row.high
      values.n = values.n + 2
    end
    local low, high = ticks.range(false, values)
    base = low <= high and low / 2 + high / 2 or 0
  end
  local left, right = reaches(rows, base)
  local names, left_words, right_words = 0, 0, 0
  for _, row in ipairs(rows) do
    names = math.max(names, style.columns(place:text(style.clean(row.name or ""))))
    left_words = math.max(left_words,
      style.columns(words(side_of(row, chart, base, 0, true), place, true)))
    right_words = math.max(right_words,
      style.columns(words(side_of(row, chart, base, 0, false), place, false)))
  end
  names = math.min(names, place.width // 3)
  local room = math.max(10, place.width - names - left_words - right_words - 5)
  local scale = left + right > 0 and room / (left + right) or 0
  local left_columns = left > 0 and math.max(1, math.floor(left * scale + 0.5)) or 0

  local lines = {}
  local function add(text) lines[#lines + 1] = (text:gsub("%s+$", "")) end
  if chart.title then
    add(place:paint(style.cut(place:text(style.clean(chart.title)), place.width), "bold"))
  end
  local indent = names + 2 + left_words + 1 + left_columns
  local said = place:text((ticks.drawable(chart.base) and "base " or "middle ")
    .. ticks.value(base, chart))
  local from = math.max(0, math.min(indent - style.columns(said) // 2,
    place.width - style.columns(said)))
  add(string.rep(" ", from) .. place:paint(said, "bold"))
  for _, row in ipairs(rows) do
    local less = side_of(row, chart, base, scale, true)
    local more = side_of(row, chart, base, scale, false)
    local less_bar, less_reach = bar(less, place, true)
    local more_bar = bar(more, place, false)
    add(style.pad(place:text(style.clean(row.name or "")), names) .. "  "
      .. string.rep(" ", math.max(0, left_columns - less_reach))
      .. style.pad(words(less, place, true), left_words, "right") .. " " .. less_bar
      .. place:text "│" .. more_bar .. " " .. words(more, place, false))
  end
  add(string.rep(" ", names + 2) .. paint(place, LOW, 2) .. " "
    .. place:text(style.clean(chart.low_name or "low end")) .. "  " .. paint(place, HIGH, 2) .. " "
    .. place:text(style.clean(chart.high_name or "high end")))
  return lines
end

return tornado
