--- The plots of a result by name, for result:plot().
--
-- Owns which figure of a result goes into which plot; drawing is plot/.
local columns = require "tandem.report.columns"
local format = require "tandem.text.format"
local plot = require "tandem.plot"
local timeline = require "tandem.report.timeline"

local plots = {}

local makers = {}

local function bins_of(result)
  local histogram = result.histogram
  if not histogram then
    error("this result has no histogram of latencies", 4)
  end
  return { edges = histogram.edges_s, counts = histogram.counts, kind = "time" }
end

function makers.latency(result, style)
  return plot.histogram(bins_of(result), style)
end

function makers.cdf(result, style)
  return plot.cdf(bins_of(result), style)
end

function makers.stages(result, style)
  local labels, values, notes = {}, {}, {}
  for index, stage in ipairs(result.stages) do
    local waiting, service = columns.time_per_request(result, stage)
    labels[index] = stage.name
    values[index] = waiting + service
    notes[index] = format.time(waiting + service)
  end
  return plot.bar({ labels = labels, values = values, notes = notes, unit = "time" }, style)
end

function makers.timeline(result, style)
  local list, from_s, to_s = timeline.lanes(result)
  return plot.lanes(list or {}, from_s, to_s, style)
end

--- The names that there are.
plots.names = { "cdf", "latency", "stages", "timeline" }

--- A plot by name; a name that is none raises.
---@param result tandem.Result
---@param name string
---@param style? tandem.Style
---@return tandem.Plot
function plots.of(result, name, style)
  local maker = makers[name]
  if not maker then
    error(("a result has no plot '%s'; %s"):format(tostring(name),
      require("tandem.text.nearest").hint(name, plots.names)), 3)
  end
  return maker(result, style)
end

return plots
