--- Lines of very many points, brought to what a picture can show.
--
-- Owns which points stay: of those that fall into one column of pixels, in order, the first, the
-- least, the greatest and the last; so no extreme is lost and every column is entered and left
-- where the line does. Bands keep the least and the greatest of each column.
local ticks = require "tandem.plot.ticks"

local thin = {}

-- Points a column.
local EACH <const> = 4
-- Lines that go back and forth in x have no columns; longer ones are scribbles.
local MOST_UNSORTED = 50000

local huge = 1e300

-- Whether x never falls, and what it reaches.
local function reach(xs, count, log)
  local low, high, before, sorted = math.huge, -math.huge, -math.huge, true
  if not xs then return 1, count, true end
  for i = 1, count do
    local x = xs[i]
    if type(x) == "number" and x > -huge and x < huge and not (log and x <= 0) then
      if x < before then sorted = false end
      before = x
      if x < low then low = x end
      if x > high then high = x end
    end
  end
  return low, high, sorted
end

-- The indices of a group in order, each once.
local function order(first, least, most, last)
  if least > most then least, most = most, least end
  local list = { first }
  for _, index in ipairs { least, most, last } do
    if index > list[#list] then list[#list + 1] = index end
  end
  return list
end

-- Adds a group's points; band values are the group's.
local function emit(out, series, group)
  for _, index in ipairs(order(group.first, group.least, group.most, group.last)) do
    local k = #out.y + 1
    out.x[k], out.y[k] = series.x and series.x[index] or index, series.y[index]
    if group.low then out.low[k], out.high[k] = group.low, group.high end
  end
end

-- Ends of the interval at a point, nil where there is none.
local function interval(series, index, y)
  local half = series.half and series.half[index]
  if half and half > 0 then return y - half, y + half end
  local low, high = series.low and series.low[index], series.high and series.high[index]
  if low and high and low == low and high == high then return low, high end
end

--- A series without the points that nobody could see.
---@param series tandem.Series
---@param columns integer
---@param x_log? boolean
---@param y_log? boolean
---@return tandem.Series
function thin.series(series, columns, x_log, y_log)
  local xs, ys = series.x, series.y
  local count = xs and #xs or #ys
  local low, high, sorted = reach(xs, count, x_log)
  if count <= EACH * columns or low >= high then return series end
  if not sorted and count > MOST_UNSORTED then
    error(("x: goes back and forth over %d points: sort them by x, or draw them as a scatter "
      .. "plot"):format(count), 0)
  elseif not sorted then
    return series
  end
  local out = setmetatable({ x = {}, y = {}, low = {}, high = {}, half = false },
    { __index = series })
  local banded = series.half or series.low
  local from = x_log and math.log(low) or low
  local scale = columns / ((x_log and math.log(high) or high) - from) * (1 - 1e-12)
  local column, gap, group
  for i = 1, count do
    local x, y = xs and xs[i] or i, ys[i]
    if type(x) == "number" and type(y) == "number" and y > -huge and y < huge and x > -huge
      and x < huge and not (x_log and x <= 0) and not (y_log and y <= 0) then
      local at = ((x_log and math.log(x) or x) - from) * scale // 1
      if at ~= column then
        if group then emit(out, series, group) end
        if gap and group then
          local k = #out.y + 1
          out.x[k], out.y[k], out.low[k], out.high[k] = x, 0 / 0, 0 / 0, 0 / 0
        end
        column, group = at, { first = i, least = i, most = i, last = i }
      else
        if y < ys[group.least] then group.least = i end
        if y > ys[group.most] then group.most = i end
        group.last = i
      end
      gap = false
      if banded then
        local down, up = interval(series, i, y)
        if down then
          group.low = math.min(group.low or down, down)
          group.high = math.max(group.high or up, up)
        end
      end
    else
      gap = true
    end
  end
  if group then emit(out, series, group) end
  return out
end

--- A line chart whose series are short enough; the same chart where they are.
---@param chart tandem.LineChart
---@param width integer  pixels
---@return tandem.LineChart
---@return string? note  how many points are drawn, where not all are
function thin.chart(chart, width)
  local x_log, y_log = (chart.x or {}).log, (chart.y or {}).log
  local made, all, drawn, any = {}, 0, 0, false
  for i, series in ipairs(chart.series) do
    local one = series.y and thin.series(series, width, x_log, y_log) or series
    made[i], any = one, any or one ~= series
    all = all + (series.y and #series.y or 0)
    for k = 1, one.y and #one.y or 0 do
      if ticks.drawable(one.y[k]) then drawn = drawn + 1 end
    end
  end
  if not any then return chart end
  local integer = require("tandem.text.format").integer
  return setmetatable({ series = made }, { __index = chart }),
    ("%s of %s points drawn: the first, least, greatest and last of each column of pixels"):format(
      integer(drawn), integer(all))
end

-- Points of a scatter plot up to which each is kept, and the cells of the others in pixels.
local FEW <const> = 2500
local CELL <const> = 3

-- A value's position among the cells of an axis.
local function scale_of(spec, low, high, pixels)
  local log = spec.log
  local from, to = log and math.log(low) or low, log and math.log(high) or high
  local scale = to > from and pixels / CELL / (to - from) or 0
  if log then return function(value) return (math.log(value) - from) * scale // 1 end end
  return function(value) return (value - from) * scale // 1 end
end

--- Which points of a scatter plot are drawn: of very many, the first in each cell of a few pixels.
---@param list tandem.Series[]
---@param x tandem.AxisSpec
---@param y tandem.AxisSpec
---@param width? number
---@param height? number
---@return integer[][]|nil kept  of each series; nil where all are
---@return string? note
function thin.points(list, x, y, width, height)
  local all, drawn = 0, 0
  for _, one in ipairs(list) do all = all + #one.y end
  if all <= FEW then return nil end
  local xs, ys = {}, {}
  for index, one in ipairs(list) do xs[index], ys[index] = one.x or { 1, #one.y }, one.y end
  local low_x, high_x = ticks.range(x.log, table.unpack(xs))
  local low_y, high_y = ticks.range(y.log, table.unpack(ys))
  local across = scale_of(x, low_x, high_x, width or 720)
  local up = scale_of(y, low_y, high_y, height or 440)
  local kept = {}
  for number, one in ipairs(list) do
    local taken, mine = {}, {}
    for index = 1, #one.y do
      local a, b = one.x and one.x[index] or index, one.y[index]
      if a > -huge and a < huge and b > -huge and b < huge and not (x.log and a <= 0)
        and not (y.log and b <= 0) then
        local key = across(a) * 65536 + up(b)
        if not taken[key] then
          taken[key] = true
          mine[#mine + 1] = index
        end
      end
    end
    kept[number], drawn = mine, drawn + #mine
  end
  local integer = require("tandem.text.format").integer
  return kept, ("%s of %s points drawn: the first in each %d pixels"):format(integer(drawn),
    integer(all), CELL)
end

return thin
