--- Terminal plots with one call: plot.bar, plot.spark, plot.histogram, plot.cdf, plot.lanes; and
--- plot.lines, plot.tornado, plot.scatter, plot.heatmap, which take the tables of tandem.plot.svg.
--
-- A table of contents: each plot lives in its own file and returns lines. What is made here prints
-- itself, in the style of the place it is printed to (Unicode or ASCII, as wide as the terminal).
local bar = require "tandem.plot.bar"
local heatmap = require "tandem.plot.heatmap"
local histogram = require "tandem.plot.histogram"
local lanes = require "tandem.plot.lanes"
local line_chart = require "tandem.plot.lines"
local scatter = require "tandem.plot.scatter"
local spark = require "tandem.plot.spark"
local style = require "tandem.plot.style"
local tornado = require "tandem.plot.tornado"

local plot = {}

---@class tandem.Plot
---@field lines fun(place: tandem.Style): string[]
---@field style? tandem.Style
local Plot = { __name = "tandem.Plot" }
Plot.__index = Plot

Plot.__tostring = function(self)
  return table.concat(self.lines(self.style or style.detect(1)), "\n")
end

--- A plot from a function that draws it for a style.
---@param lines fun(place: tandem.Style): string[]
---@param place? tandem.Style
---@return tandem.Plot
function plot.new(lines, place)
  return setmetatable({ lines = lines, style = place }, Plot)
end

--- Is this a plot?
---@param value any
---@return boolean
function plot.is(value)
  return getmetatable(value) == Plot
end

--- Labelled horizontal bars: plot.bar { labels = { "a", "b" }, values = { 1, 2 } }.
---@param chart tandem.BarChart
---@param place? tandem.Style
---@return tandem.Plot
function plot.bar(chart, place)
  return plot.new(function(where) return bar.chart(chart, where) end, place)
end

--- A series in one line: plot.spark { 1, 4, 2, 8 }.
---@param values number[]
---@param place? tandem.Style
---@return tandem.Plot
function plot.spark(values, place)
  return plot.new(function(where)
    local most = 0
    for _, value in ipairs(values) do
      if value == value and value < math.huge then
        most = math.max(most, value)
      end
    end
    local shown = values
    if #values > where.width then
      shown = spark.resample(values, where.width)
    end
    return { spark.line(shown, most, where) }
  end, place)
end

--- A histogram of bins { edges =, counts = } or of plain samples.
---@param bins tandem.Histogram|number[]
---@param place? tandem.Style
---@return tandem.Plot
function plot.histogram(bins, place)
  local made = bins.edges and bins or histogram.of(bins --[[@as number[] ]])
  return plot.new(function(where) return histogram.lines(made, where) end, place)
end

--- The cumulative distribution of bins { edges =, counts = } or of plain samples.
---@param bins tandem.Histogram|number[]
---@param place? tandem.Style
---@return tandem.Plot
function plot.cdf(bins, place)
  local made = bins.edges and bins or histogram.of(bins --[[@as number[] ]])
  return plot.new(function(where) return histogram.cumulative(made, where) end, place)
end

--- Lanes over time: plot.lanes({ { label =, values =, note = } }, from_s, to_s).
---@param list tandem.Lane[]
---@param from_s number
---@param to_s number
---@param place? tandem.Style
---@return tandem.Plot
function plot.lanes(list, from_s, to_s, place)
  return plot.new(function(where) return lanes.lines(list, from_s, to_s, where) end, place)
end

-- A list that a chart must have, or an error in the name of the caller.
local function need(chart, name, field)
  if type(chart) ~= "table" or type(chart[field]) ~= "table" then
    error(("plot.%s wants a table with %s, a list"):format(name, field), 3)
  end
end

--- Lines over an axis, from the table that svg.lines takes.
---@param chart tandem.LineChart
---@param place? tandem.Style
---@return tandem.Plot
function plot.lines(chart, place)
  need(chart, "lines", "series")
  return plot.new(function(where) return line_chart.draw(chart, where) end, place)
end

--- How far each parameter moves a figure, from the table that svg.tornado takes.
---@param chart tandem.TornadoChart
---@param place? tandem.Style
---@return tandem.Plot
function plot.tornado(chart, place)
  need(chart, "tornado", "rows")
  return plot.new(function(where) return tornado.draw(chart, where) end, place)
end

--- Points over two axes, from the table that svg.scatter takes.
---@param chart tandem.ScatterChart
---@param place? tandem.Style
---@return tandem.Plot
function plot.scatter(chart, place)
  need(chart, "scatter", "points")
  return plot.new(function(where) return scatter.draw(chart, where) end, place)
end

--- Cells shaded by value, from the table that svg.heatmap takes.
---@param chart tandem.HeatChart
---@param place? tandem.Style
---@return tandem.Plot
function plot.heatmap(chart, place)
  need(chart, "heatmap", "values")
  return plot.new(function(where) return heatmap.draw(chart, where) end, place)
end

return plot
