--- How many values lie in each interval of a measured quantity, and the share below each edge.
--
-- Owns the bins and their drawings. As SVG, columns are as high as their counts; intervals that
-- differ in width (on a linear axis) are drawn by density, so that areas compare, and the axis says
-- so. In a terminal, a bar for each of a few bins.
local bar = require "tandem.plot.bar"
local axes = require "tandem.plot.svg.axes"
local canvas = require "tandem.plot.svg.canvas"
local ticks = require "tandem.plot.ticks"
local format = require "tandem.text.format"

local histogram = {}

---@class tandem.HistogramChart: tandem.SvgSpec
---@field edges number[]   one more than counts, ascending
---@field counts number[]
---@field x? tandem.AxisSpec  of the edges
---@field y? tandem.AxisSpec
---@field limits? tandem.SvgLimit[]  { x = … }

--- The columns worth drawing: empty ends are left out, and what a logarithmic axis cannot show.
---@param chart tandem.HistogramChart
---@return { low: number, high: number, count: number }[]
---@return number sum  of all counts
local function columns_of(chart)
  local found, first, last, sum = {}, nil, 0, 0
  for index, count in ipairs(chart.counts) do
    local low, high = chart.edges[index], chart.edges[index + 1]
    local x = chart.x or {}
    local outside = x.min and high <= x.min or x.max and low >= x.max
    if not outside and ticks.drawable(low) and ticks.drawable(high) and ticks.drawable(count)
      and high >= low then
      if (chart.x or {}).log and low <= 0 then low = high > 0 and high / 10 or low end
      if not ((chart.x or {}).log and low <= 0) then
        found[#found + 1] = { low = low, high = high, count = math.max(count, 0) }
        if count > 0 then first, last = first or #found, #found end
        sum = sum + math.max(count, 0)
      end
    end
  end
  return table.move(found, first or 1, last, 1, {}), sum
end

-- Are heights counts? They are where columns are equally wide on the axis.
local function is_even(columns, log)
  local function width(column)
    return log and math.log(column.high / column.low) or column.high - column.low
  end
  for _, column in ipairs(columns) do
    if math.abs(width(column) - width(columns[1])) > 1e-6 * width(columns[1]) then return false end
  end
  return true
end

-- Heights, and the axis they are on.
local function heights_of(columns, chart)
  local heights, y = {}, chart.y or {}
  local even = is_even(columns, (chart.x or {}).log)
  if even then
    for index, column in ipairs(columns) do heights[index] = column.count end
    return heights, { label = y.label or "count", unit = y.unit }, true
  end
  local most = 0
  for index, column in ipairs(columns) do
    heights[index] = column.high > column.low and column.count / ((chart.x or {}).log
      and math.log(column.high / column.low) or column.high - column.low) or 0
    most = math.max(most, heights[index])
  end
  for index in ipairs(heights) do heights[index] = most > 0 and heights[index] / most or 0 end
  return heights, { label = "density, of the highest", unit = "%" }, false
end

--- Draws a histogram.
---@param chart tandem.HistogramChart
---@return tandem.SvgChart
function histogram.svg(chart)
  axes.need({ columns = chart.counts and {} }, "histogram", "columns")
  local c = canvas.new(axes.width(chart.width, axes.WIDTH, 240), axes.size(chart.height, 360, 160))
  local columns, sum = columns_of(chart)
  local heights, y_spec, whole = heights_of(columns, chart)
  local most = 0
  for _, height in ipairs(heights) do most = math.max(most, height) end
  local top = axes.title(c, chart) + 34
  local bottom = math.max(top + 80, c.height - axes.below(chart.x))
  c.height = bottom + axes.below(chart.x)
  local y_axis = ticks.axis(y_spec, 0, most > 0 and most or 1, { nice = true, zero = true,
    whole = whole, count = math.max(2, math.floor((bottom - top) / 52)) })
  local box = { left = axes.MARGIN + axes.room(y_axis) + 8, top = top, bottom = bottom,
    right = c.width - axes.MARGIN }
  local low = columns[1] and columns[1].low or 1
  local high = columns[1] and columns[#columns].high or 0
  low, high = axes.with_limits(chart.limits, "x", low, high, (chart.x or {}).log)
  local x_axis = axes.across(chart.x, low, high,
    { room = box.right - box.left, each = 80 })
  axes.vertical(c, y_axis, box)
  axes.horizontal(c, x_axis, box)
  local function pixel(x)
    local share = x_axis:at(x) or 0
    return box.left + math.max(0, math.min(share, 1)) * (box.right - box.left)
  end
  for index, column in ipairs(columns) do
    local from, to = pixel(column.low), pixel(column.high)
    local gap = to - from > 5 and 1 or 0
    local height = math.min(y_axis:at(heights[index]) or 0, 1) * (box.bottom - box.top)
    if column.count > 0 and to >= from then
      c:rect(from + gap / 2, box.bottom - math.max(height, 1), math.max(to - from - gap, 1),
        math.max(height, 1), "bar f1", ("%s to %s: %s, %s"):format(
          ticks.value(column.low, chart.x), ticks.value(column.high, chart.x),
          format.quantity(column.count, "count"), format.percent(column.count / sum)))
    end
  end
  local boxes = chart.limits and require("tandem.plot.svg.labels").boxes(box.left, top - 20,
    box.right, bottom)
  axes.limits(c, chart.limits, x_axis, "x", box, boxes)()
  if sum <= 0 then axes.nothing(c, box) end
  return c:finish(tostring(chart.title or "Histogram"), ("%s values in %d intervals"):format(
    format.quantity(sum, "count"), #columns), chart.theme, chart.notes)
end

-- ---- in a terminal ----

---@class tandem.Histogram
---@field edges number[]   one more than counts, ascending
---@field counts number[]
---@field kind? tandem.QuantityKind  of the edges (default: "time")
---@field unit? string                … or as the axes of charts have it

local MOST_ROWS <const> = 16

--- Joins neighbouring bins until at most `most` are left, so that the picture fits a screen.
---@param bins tandem.Histogram
---@param most integer
---@return number[] edges
---@return number[] counts
local function coarsen(bins, most)
  local edges, counts = bins.edges, bins.counts
  local first, last = 1, #counts
  while first < last and counts[first] == 0 do
    first = first + 1
  end
  while last > first and counts[last] == 0 do
    last = last - 1
  end
  local step = math.max(1, math.ceil((last - first + 1) / most))
  local new_edges, new_counts = { edges[first] }, {}
  for index = first, last, step do
    local sum = 0
    for inner = index, math.min(index + step - 1, last) do
      sum = sum + counts[inner]
    end
    new_counts[#new_counts + 1] = sum
    new_edges[#new_edges + 1] = edges[math.min(index + step, last + 1)]
  end
  return new_edges, new_counts
end

-- An edge in words.
local function word_of(bins)
  if bins.unit then
    local spec = { unit = bins.unit }
    return function(edge) return ticks.value(edge, spec) end
  end
  local kind = bins.kind or "time"
  return function(edge) return format.quantity(edge, kind) end
end

local function total(counts)
  local sum = 0
  for _, count in ipairs(counts) do
    sum = sum + count
  end
  return sum
end

--- One bar per bin, with its share.
---@param bins tandem.Histogram
---@param style tandem.Style
---@return string[] lines
function histogram.lines(bins, style)
  local word = word_of(bins)
  local edges, counts = coarsen(bins, MOST_ROWS)
  local sum = total(counts)
  if sum <= 0 then
    return { "(empty)" }
  end
  local labels, notes = {}, {}
  for index, count in ipairs(counts) do
    labels[index] = word(edges[index]) .. " – " .. word(edges[index + 1])
    notes[index] = format.percent(count / sum)
  end
  return bar.chart({ labels = labels, values = counts, notes = notes }, style)
end

--- The share at or below each edge, as bars that grow to 100 %.
---@param bins tandem.Histogram
---@param style tandem.Style
---@return string[] lines
function histogram.cumulative(bins, style)
  local word = word_of(bins)
  local edges, counts = coarsen(bins, MOST_ROWS)
  local sum, below = total(counts), 0
  if sum <= 0 then
    return { "(empty)" }
  end
  local labels, values, notes = {}, {}, {}
  for index, count in ipairs(counts) do
    below = below + count
    labels[index] = "≤ " .. word(edges[index + 1])
    values[index] = below / sum
    notes[index] = format.percent(below / sum)
  end
  return bar.chart({ labels = labels, values = values, notes = notes, max = 1 }, style)
end

--- Bins of plain samples, equal in width, for what has no histogram yet.
---@param samples number[]
---@param count? integer  bins (default: 16)
---@param kind? tandem.QuantityKind
---@return tandem.Histogram
function histogram.of(samples, count, kind)
  count = count or MOST_ROWS
  local low, high = math.huge, -math.huge
  for _, value in ipairs(samples) do
    if value == value then
      low, high = math.min(low, value), math.max(high, value)
    end
  end
  if low > high then
    return { edges = { 0, 1 }, counts = { 0 }, kind = kind or "count" }
  elseif low == high then
    return { edges = { low, high }, counts = { #samples }, kind = kind or "count" }
  end
  local edges, counts = {}, {}
  for index = 0, count do
    edges[index + 1] = low + (high - low) * index / count
  end
  for index = 1, count do
    counts[index] = 0
  end
  for _, value in ipairs(samples) do
    if value == value then
      local bin = math.min(count, math.floor((value - low) / (high - low) * count) + 1)
      counts[bin] = counts[bin] + 1
    end
  end
  return { edges = edges, counts = counts, kind = kind or "count" }
end

return histogram
