--- Distributions of td.plot: values, or the bins of a result, as histograms and cumulative shares.
--
-- Owns how values become bins (equal on the axis they are drawn on) and steps of shares.
local data = require "tandem.plot.public.data"
local format = require "tandem.text.format"
local plot = require "tandem.plot"
local series = require "tandem.plot.public.series"

local samples = {}

local MOST_BINS <const> = 400

local function fail(text, ...) error(text:format(...), 0) end

-- Ascending, without what is no number or (on a logarithmic axis) not above 0.
local function sorted(list, log)
  local made = {}
  for _, value in ipairs(list) do
    if value == value and math.abs(value) < 1e300 and not (log and value <= 0) then
      made[#made + 1] = value
    end
  end
  table.sort(made)
  return made
end

---@class tandem.PlotSample
---@field name? string
---@field values? number[]  ascending, SI
---@field bins? { edges: number[], counts: number[] }

-- The bins of a result's latency.
local function bins_of(result, path)
  local histogram = result.histogram
  if not histogram then fail("%s: this result has no histogram of latencies", path) end
  return { edges = histogram.edges_s, counts = histogram.counts }
end

--- Every distribution of a table.
---@param given table
---@param kind string
---@return tandem.PlotSample[]
---@return tandem.AxisSpec x
---@return string[]|nil notes
local function read(given, kind)
  local list, found = {}, { gaps = 0, huge = 0, log = 0, all = 0 }
  local log, x = (given.log or "") == "x", nil
  local function add(one, path)
    local whole = one.data == nil and given.data or one.data
    if one.x == nil and data.is_result(whole) then
      x = x or series.axis(given, "x", { unit = "s", label = "latency" })
      list[#list + 1] = { name = one.name, bins = bins_of(whole, path .. ".data") }
      return
    end
    if one.x == nil then fail("%s: wants x, the values", path) end
    local column
    if data.is_result(whole) and type(one.x) == "string" and (whole.recorded or {})[one.x] then
      column = { values = whole.recorded[one.x].values, label = one.x }
    else
      column = data.column(one.x, whole ~= nil and data.source(whole, path .. ".data") or nil,
        path .. ".x")
    end
    x = x or series.axis(given, "x", column)
    local numbers = data.numbers(column.values, #column.values, path .. ".x", x.factor,
      found, log)
    found.all = found.all + #numbers
    list[#list + 1] = { name = one.name, values = sorted(numbers, log) }
  end
  if given.series then
    if given.x ~= nil then fail("%s: wants x or series, not both", kind) end
    for index, one in ipairs(given.series) do add(one, ("%s.series[%d]"):format(kind, index)) end
  else
    add({ x = given.x }, kind)
  end
  return list, x or series.axis(given, "x"), series.notes(found)
end

-- Edges over all values: told, or so many that their widths are equal on the axis.
local function edges_of(given, list, x)
  if type(given.bins) == "table" then
    local edges = data.numbers(given.bins, #given.bins, "histogram.bins", x.factor)
    for index = 2, #edges do
      if not (edges[index] > edges[index - 1]) then
        fail("histogram.bins[%d]: edges must ascend", index)
      end
    end
    if #edges < 2 then fail "histogram.bins: wants at least two edges" end
    return edges
  end
  local low, high, count = math.huge, -math.huge, 0
  for _, one in ipairs(list) do
    if one.values and one.values[1] then
      low, high = math.min(low, one.values[1]), math.max(high, one.values[#one.values])
      count = math.max(count, #one.values)
    end
  end
  if low > high then return { 0, 1 } end
  local bins = given.bins or math.max(8, math.min(60, math.ceil(2 * count ^ (1 / 3))))
  if bins < 1 or bins > MOST_BINS then
    fail("histogram.bins: wants 1 to %d intervals, not %s", MOST_BINS, tostring(bins))
  end
  if low == high then
    local reach = low ~= 0 and math.abs(low) * 0.05 or 0.5
    low, high, bins = low - reach, high + reach, 1
  end
  local edges = {}
  for index = 0, bins do
    edges[index + 1] = x.log and low * (high / low) ^ (index / bins)
      or low + (high - low) * index / bins
  end
  edges[bins + 1] = high
  return edges
end

-- Each value into the bin that it lies in; the last edge belongs to the last bin.
local function counted(values, edges)
  local counts, bin, out = {}, 1, 0
  for index = 1, #edges - 1 do counts[index] = 0 end
  for _, value in ipairs(values) do
    while bin < #edges - 1 and value >= edges[bin + 1] do bin = bin + 1 end
    if value >= edges[1] and value <= edges[#edges] then
      counts[bin] = counts[bin] + 1
    else
      out = out + 1
    end
  end
  return counts, out
end

-- Several distributions over the same edges: steps, since columns would cover one another.
local function outlines(given, list, x, edges, notes)
  local made = {}
  for index, one in ipairs(list) do
    local counts = one.bins and one.bins.counts or counted(one.values, edges)
    local at = one.bins and one.bins.edges or edges
    local y = table.move(counts, 1, #counts, 1, {})
    y[#at] = 0
    made[index] = { name = one.name or ("series %d"):format(index),
      x = table.move(at, 1, #at, 1, {}), y = y }
  end
  return plot.lines(series.dress(given, { x = x, y = { label = "count", min = 0 }, step = "after",
    series = made, limits = series.limits(given, x), notes = notes }))
end

--- A histogram.
---@param given table
---@return tandem.Plot
function samples.histogram(given)
  local list, x, notes = read(given, "histogram")
  local edges = edges_of(given, list, x)
  if #list > 1 then return outlines(given, list, x, edges, notes) end
  local bins = list[1] and list[1].bins
  if not bins then
    local counts, out = counted(list[1] and list[1].values or {}, edges)
    bins = { edges = edges, counts = counts }
    if out > 0 then
      notes = notes or {}
      notes[#notes + 1] = ("%s values lie outside the edges"):format(format.integer(out))
    end
  end
  return plot.histogram(series.dress(given, { edges = bins.edges, counts = bins.counts, x = x,
    unit = x.unit or "count", notes = notes, limits = series.limits(given, x) }))
end

-- The share of values at or below each: a step at every value that there is.
local function steps_of(values)
  local x, y, count = {}, {}, #values
  for index, value in ipairs(values) do
    if value ~= values[index + 1] then
      x[#x + 1], y[#y + 1] = value, index / count
    end
  end
  if x[1] then
    table.insert(x, 1, x[1])
    table.insert(y, 1, 0)
  end
  return x, y
end

--- A cumulative distribution.
---@param given table
---@return tandem.Plot
function samples.cdf(given)
  local list, x, notes = read(given, "cdf")
  local made = {}
  for index, one in ipairs(list) do
    local entry = { name = one.name or #list > 1 and ("series %d"):format(index) or nil }
    if one.bins then
      local shares = plot.distribution(one.bins).series[1]
      entry.x, entry.y = shares.x, shares.y
    else
      entry.x, entry.y = steps_of(one.values)
      entry.step = "after"
    end
    made[index] = entry
  end
  return plot.lines(series.dress(given, { x = x, notes = notes,
    y = { label = "share at or below", unit = "%", min = 0, max = 1, called = "share" },
    series = made, limits = series.limits(given, x) }))
end

return samples
