--- Charts as self-contained SVG files: svg.lines, svg.bars, svg.stacked, svg.area, svg.tornado,
--- svg.scatter, svg.heatmap, svg.histogram, svg.gantt, svg.lanes.
--
-- A table of contents: each chart lives in its own file below svg/ and returns a chart object,
-- whose tostring is the file and whose `save` writes it. No scripts, no fonts, nothing from
-- outside; light and dark follow the reader's settings. The same tables are drawn in a terminal by
-- the functions of the same names in tandem.plot.
local svg = {}

--- Lines with intervals, limits and names at their ends.
svg.lines = require("tandem.plot.svg.lines").draw

--- Horizontal bars with their values and intervals.
svg.bars = require("tandem.plot.svg.bars").draw

--- Stacked bars: what each of several wholes is made of.
svg.stacked = require("tandem.plot.svg.stacked").draw

--- How far each parameter moves a figure, the strongest on top.
svg.tornado = require("tandem.plot.svg.tornado").draw

--- Points over two axes, the Pareto front joined and named.
svg.scatter = require("tandem.plot.svg.scatter").draw

--- Areas stacked over an axis.
svg.area = require("tandem.plot.svg.area").draw

--- Cells shaded by value.
svg.heatmap = require("tandem.plot.svg.heatmap").draw

--- Columns over the intervals of a measured quantity.
svg.histogram = require("tandem.plot.svg.histogram").draw

--- Spans of time on lanes.
svg.gantt = require("tandem.plot.svg.gantt").draw

--- An area for each of several lanes over time.
svg.lanes = require("tandem.plot.svg.lanes").draw

return svg
