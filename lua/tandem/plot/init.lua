--- Every plot of tandem: what a report, a result or td.plot makes of figures.
--
-- A table of contents: each kind has a file of its own (chart/), which reads the chart's table and
-- draws it in a terminal and as SVG. What is made is a tandem.Plot (value.lua), which prints itself
-- in the style of the terminal it is printed to and has the other forms. People use these through
-- td.plot, which takes their tables (public/).
local bar = require "tandem.plot.bar"
local histogram = require "tandem.plot.chart.histogram"
local spark = require "tandem.plot.spark"
local styles = require "tandem.plot.style"
local value = require "tandem.plot.value"

local plot = {}

local function chart_of(kind) return require("tandem.plot.chart." .. kind) end
local function svg(kind) return chart_of(kind).svg end
local function rows(kind) return require("tandem.plot.rows")[kind] end

-- A list that a chart must have, or an error in the name of the caller.
local function need(chart, name, field)
  if type(chart) ~= "table" or type(chart[field]) ~= "table" then
    error(("plot.%s wants a table with %s, a list"):format(name, field), 3)
  end
end

-- A chart drawn from one table in every form.
local function drawn(kind, chart, style)
  return value.new({ kind = kind, title = chart.title, notes = chart.notes,
    lines = function(where) return chart_of(kind).text(chart, where) end,
    picture = function() return svg(kind)(chart) end,
    rows = chart.rows_of or function(most) return rows(kind)(chart, most) end }, style)
end

local function with_note(chart, note)
  if not note then return chart end
  local notes = table.move(chart.notes or {}, 1, #(chart.notes or {}), 1, {})
  notes[#notes + 1] = note
  return setmetatable({ notes = notes }, { __index = chart })
end

--- Labelled horizontal bars: plot.bar { labels = { "a", "b" }, values = { 1, 2 } }.
---@param chart tandem.BarChart
---@param style? tandem.Style
---@return tandem.Plot
function plot.bar(chart, style)
  local made = { title = chart.title, rows = {}, x = { unit = chart.unit } }
  for index, label in ipairs(chart.labels) do
    made.rows[index] = { name = label, value = chart.values[index] }
  end
  return value.new({ kind = "bars", title = chart.title,
    lines = function(where) return bar.chart(chart, where) end,
    picture = function() return svg "bars"(made) end,
    rows = function() return rows "bars"(made) end }, style)
end

--- A series in one line: plot.spark { 1, 4, 2, 8 }.
---@param values number[]
---@param style? tandem.Style
---@return tandem.Plot
function plot.spark(values, style)
  local chart = { series = { { y = values } } }
  local function lines(where)
    local most = 0
    for _, one in ipairs(values) do
      if one == one and one < math.huge then most = math.max(most, one) end
    end
    local shown = values
    if #values > where.width then shown = spark.resample(values, where.width) end
    return { spark.line(shown, most, where) }
  end
  return value.new({ kind = "spark", lines = lines,
    picture = function() return svg "lines"(chart) end,
    rows = function() return rows "lines"(chart) end }, style)
end

-- Bins as a chart, whether bins or plain samples were given.
local function binned(bins)
  local made = bins.edges and bins or histogram.of(bins --[[@as number[] ]])
  return made, setmetatable({ x = bins.x or { unit = made.unit or made.kind or "time" } },
    { __index = made })
end

-- The title above, as the other plots have it.
local function titled(chart, lines, where)
  if chart.title then table.insert(lines, 1, where:title(chart.title)) end
  return lines
end

--- A histogram of bins { edges =, counts = } or of plain samples.
---@param bins tandem.Histogram|number[]
---@param style? tandem.Style
---@return tandem.Plot
function plot.histogram(bins, style)
  local made, chart = binned(bins)
  return value.new({ kind = "histogram", title = bins.title, notes = chart.notes,
    lines = function(where) return titled(bins, histogram.lines(made, where), where) end,
    picture = function() return svg "histogram"(chart) end,
    rows = function() return rows "histogram"(chart) end }, style)
end

--- The share at or below each edge of bins, as lines would show it.
---@param bins tandem.HistogramChart|tandem.Histogram
---@return tandem.LineChart
function plot.distribution(bins)
  local _, chart = binned(bins)
  local x, y, sum, total = { chart.edges[1] }, { 0 }, 0, 0
  for _, count in ipairs(chart.counts) do total = total + count end
  for index, count in ipairs(chart.counts) do
    sum = sum + count
    x[index + 1], y[index + 1] = chart.edges[index + 1], total > 0 and sum / total or 0 / 0
  end
  return setmetatable({ y = { unit = "%", min = 0, max = 1 }, series = { { x = x, y = y } } },
    { __index = chart })
end

--- The cumulative distribution of bins { edges =, counts = } or of plain samples.
---@param bins tandem.Histogram|number[]
---@param style? tandem.Style
---@return tandem.Plot
function plot.cdf(bins, style)
  local made = binned(bins)
  local chart = plot.distribution(made)
  return value.new({ kind = "cdf", title = bins.title, notes = bins.notes,
    lines = function(where) return titled(bins, histogram.cumulative(made, where), where) end,
    picture = function() return svg "lines"(chart) end,
    rows = function() return rows "lines"(chart) end }, style)
end

--- Lanes over time: plot.lanes({ { label =, values =, note = } }, from_s, to_s).
---@param list tandem.Lane[]
---@param from_s number
---@param to_s number
---@param style? tandem.Style
---@param title? string
---@return tandem.Plot
function plot.lanes(list, from_s, to_s, style, title)
  local chart = { title = title, lanes = list, from = from_s, to = to_s, x = { unit = "time" } }
  return drawn("lanes", chart, style)
end

--- Lines over an axis; of very long ones what a picture can show.
---@param chart tandem.LineChart
---@param style? tandem.Style
---@return tandem.Plot
function plot.lines(chart, style)
  need(chart, "lines", "series")
  local shown, note = require("tandem.plot.thin").chart(chart, math.floor(chart.width or 720))
  shown = with_note(shown, note)
  local made = drawn("lines", shown, style)
  made.parts.rows = function(most) return rows "lines"(chart, most) end
  return made
end

--- Horizontal bars with values and intervals; several series side by side.
---@param chart tandem.BarsChart
---@param style? tandem.Style
---@return tandem.Plot
function plot.bars(chart, style)
  need(chart, "bars", "rows")
  return drawn("bars", chart, style)
end

--- Bars of parts.
---@param chart tandem.StackedChart
---@param style? tandem.Style
---@return tandem.Plot
function plot.stacked(chart, style)
  need(chart, "stacked", "bars")
  return drawn("stacked", chart, style)
end

--- Areas on top of one another.
---@param chart tandem.AreaChart
---@param style? tandem.Style
---@return tandem.Plot
function plot.area(chart, style)
  need(chart, "area", "series")
  return drawn("area", chart, style)
end

--- How far each parameter moves a figure.
---@param chart tandem.TornadoChart
---@param style? tandem.Style
---@return tandem.Plot
function plot.tornado(chart, style)
  need(chart, "tornado", "rows")
  return drawn("tornado", chart, style)
end

--- Points over two axes.
---@param chart tandem.ScatterChart
---@param style? tandem.Style
---@return tandem.Plot
function plot.scatter(chart, style)
  need(chart, "scatter", "points")
  return drawn("scatter", chart, style)
end

-- Cells of a picture at most.
local HEAT_ROWS <const>, HEAT_COLUMNS <const> = 100, 200

--- Cells shaded by value; neighbours are pooled where there are too many.
---@param chart tandem.HeatChart
---@param style? tandem.Style
---@return tandem.Plot
function plot.heatmap(chart, style)
  need(chart, "heatmap", "values")
  local pool = require "tandem.plot.pool"
  local shown, note = pool.chart(chart, HEAT_ROWS, HEAT_COLUMNS)
  shown = with_note(shown, note)
  return value.new({ kind = "heatmap", title = chart.title, notes = chart.notes,
    lines = function(where)
      local small, said = pool.chart(chart, 60, where.width * 3 // 4 - 1)
      local lines = chart_of "heatmap".text(small, where)
      for _, line in ipairs(said and styles.wrap(where:text(said), where.width) or {}) do
        lines[#lines + 1] = where:paint(line, "dim")
      end
      return lines
    end,
    picture = function() return svg "heatmap"(shown) end,
    rows = function() return rows "heatmap"(chart) end }, style)
end

--- Spans of time on lanes.
---@param chart tandem.GanttChart
---@param style? tandem.Style
---@return tandem.Plot
function plot.gantt(chart, style)
  need(chart, "gantt", "spans")
  return drawn("gantt", chart, style)
end

--- A plot that is drawn in a way of its own.
---@param parts tandem.PlotParts
---@param style? tandem.Style
---@return tandem.Plot
function plot.of(parts, style) return value.new(parts, style) end

return plot
