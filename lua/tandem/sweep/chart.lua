--- Plots of a sweep: which columns go into which chart.
-- Owns what becomes a line, a point, a bar; drawing is plot/. Called by sweep/table and cli/sweep.
local metric = require "tandem.result.metric"
local plot = require "tandem.plot"

local chart = {}

-- More lines than this are a thicket.
local MOST_LINES <const> = 12

-- Largest over smallest, from which a scale is logarithmic.
local SPREAD <const> = 50

local DIMS = { ["s"] = "time", ["B"] = "bytes", ["req/s"] = "rate", ["s/tok"] = "time",
  ["B/s"] = "speed", ["FLOP/s"] = "flops" }

-- What an axis or a metric is called, and what it is measured in.
local function axis_spec(self, name)
  local axis = self:axis(name)
  if axis then return { label = name, unit = DIMS[axis.dim] } end
  local kind = metric.kind(name)
  return { label = metric.title(name), unit = kind ~= "count" and kind or nil }
end

chart.axis_spec = axis_spec

local function fail(text, ...) error(text:format(...), 0) end

-- How many different values an axis has in the rows.
local function distinct(self, name)
  local seen, count = {}, 0
  for _, row in ipairs(self.rows) do
    local v = row[name]
    if v ~= nil and not seen[v] then
      seen[v] = true
      count = count + 1
    end
  end
  return count
end

--- What x is when nobody says: the numeric axis with the most values.
---@param self tandem.Sweep
---@return string
local function usual_x(self)
  local best, most
  for _, axis in ipairs(self.axes) do
    local count = axis.numeric and distinct(self, axis.name) or 0
    if count > (most or 1) then best, most = axis.name, count end
  end
  return best or fail("no axis has numbers to plot over; say --plot x,y")
end

-- The rows in lines: one for each combination of the other axes that vary, in the order of rows.
local function lines_of(self, x, series)
  local others = {}
  for _, axis in ipairs(self.axes) do
    if axis.name ~= x and axis.name ~= series and distinct(self, axis.name) > 1 then
      others[#others + 1] = axis
    end
  end
  local given = series and (self:axis(series) or { name = series, dim = "1" })
  if given then table.insert(others, 1, given) end
  local text = require("tandem.sweep.print").axis_text
  local out, by_name = {}, {}
  for _, row in ipairs(self.rows) do
    local words = {}
    for i, axis in ipairs(others) do
      local v = row[axis.name]
      local shown = text(axis, v)
      words[i] = type(v) == "number" and ("%s %s"):format(axis.name, shown) or shown
    end
    local name = table.concat(words, ", ")
    local line = by_name[name]
    if not line then
      line = { name = name ~= "" and name or nil, rows = {} }
      by_name[name], out[#out + 1] = line, line
    end
    line.rows[#line.rows + 1] = row
  end
  return out
end

-- A latency at its limit and one in overload fit on one scale only when it is logarithmic.
local function spread(self, y)
  local low, high = math.huge, 0
  for _, row in ipairs(self.rows) do
    local v = tonumber(row[y])
    if v and v == v then low, high = math.min(low, v), math.max(high, v) end
  end
  local spec = axis_spec(self, y)
  spec.log = low > 0 and high < math.huge and high / low > SPREAD or nil
  return spec
end

-- "demo: p99 over rps"
local function title_of(self, x, y)
  return ("%s: %s over %s"):format(self.name, axis_spec(self, y).label or y,
    axis_spec(self, x).label or x)
end

-- A point without a band is one whose interval the runs were too short for.
local function banded(self, y, subtitle)
  local with, without = false, false
  for _, row in ipairs(self.rows) do
    if tonumber(row.half[y]) then with = true else without = without or tonumber(row[y]) ~= nil end
  end
  local said = with and "band: confidence interval" .. (without and ", where it is known" or "")
  return said and (subtitle and subtitle .. "; " .. said or said) or subtitle
end

local function line_chart(self, x, y, lines, subtitle)
  local series = {}
  for i, line in ipairs(lines) do
    table.sort(line.rows, function(a, b) return a[x] < b[x] end)
    local one = { name = line.name, x = {}, y = {}, half = {} }
    for k, row in ipairs(line.rows) do
      one.x[k], one.y[k] = row[x], tonumber(row[y]) or 0 / 0
      one.half[k] = row.half[y] or 0 / 0
    end
    series[i] = one
  end
  return { title = title_of(self, x, y), subtitle = banded(self, y, subtitle),
    x = axis_spec(self, x), y = spread(self, y), series = series }
end

local function scatter_chart(self, x, y, subtitle)
  local points = {}
  for _, row in ipairs(self.rows) do
    if tonumber(row[x]) and tonumber(row[y]) then
      points[#points + 1] = { x = row[x], y = row[y], half_y = row.half[y] }
    end
  end
  return { title = title_of(self, x, y), subtitle = subtitle,
    x = axis_spec(self, x), y = spread(self, y),
    points = points }
end

-- { kind, table } of the chart: "lines", "scatter" or "heatmap".
local function make(self, x, y, series, value)
  if #self.rows == 0 then fail("there is nothing to plot: the sweep has no rows") end
  x = x and self:named(x) or usual_x(self)
  if value then
    local at = { x = {}, y = {} }
    local values, column, line = {}, {}, {}
    y, value = self:named(y), self:named(value)
    local function position(list, index, v)
      if not index[v] then
        list[#list + 1] = v
        index[v] = #list
      end
      return index[v]
    end
    for _, row in ipairs(self.rows) do
      local i, k = position(at.y, line, row[y]), position(at.x, column, row[x])
      values[i] = values[i] or {}
      values[i][k] = tonumber(row[value])
    end
    local across, up = axis_spec(self, x), axis_spec(self, y)
    across.values, up.values = at.x, at.y
    local shade = axis_spec(self, value)
    return "heatmap", { title = ("%s: %s"):format(self.name, shade.label or value),
      x = across, y = up, values = values, unit = shade.unit, label = shade.label }
  end
  if y == nil then
    for _, path in ipairs { "latency.p99", self.metrics[1] } do
      for _, one in ipairs(self.metrics) do
        if y == nil and one == path then y = path end
      end
    end
  end
  if y == nil then fail("the sweep has no metric to plot") end
  y = self:named(y)
  local with_numbers = 0
  for _, row in ipairs(self.rows) do
    if row[x] ~= nil and type(row[x]) ~= "number" then
      fail("%s is not a number; plot over a numeric column and take %s as the series", x, x)
    end
    if type(row[y]) == "number" then with_numbers = with_numbers + 1 end
  end
  if with_numbers == 0 then fail("%s has no numbers to plot", y) end
  series = series and self:named(series)
  local subtitle = ("%d points, %d replications"):format(#self.rows, self.replications or 1)
  if not self:axis(x) then return "scatter", scatter_chart(self, x, y, subtitle) end
  local lines = lines_of(self, x, series)
  if #lines > MOST_LINES then
    if #self.rows >= 2 * #lines then
      fail("%d lines are too many to tell apart; keep fewer points with filter or --where, or "
        .. "average an axis away with group", #lines)
    end
    return "scatter", scatter_chart(self, x, y, subtitle)
  end
  return "lines", line_chart(self, x, y, lines, subtitle)
end

--- A plot of two columns; with a file's name it is written, in the form that its ending says.
---@param self tandem.Sweep
---@param x string        a column, or a file: .svg, .html, .csv, .txt
---@param y string|table  a column; with a file { x =, y =, series = }, or { x =, y =, value = }
---@param series string|nil
---@return tandem.Plot
function chart.of(self, x, y, series)
  local file = type(x) == "string" and (x:find "%.svg$" or x:find "%.html$" or x:find "%.csv$"
    or x:find "%.txt$") and x
  if not file then
    local kind, data = make(self, x, y --[[@as string]], series)
    return plot[kind](data)
  end
  local wanted = type(y) == "table" and y or {}
  local kind, data = make(self, wanted.x, wanted.y, wanted.series, wanted.value)
  local drawn = plot[kind](data)
  local saved, message = drawn:save(file)
  if not saved then fail("%s", tostring(message)) end
  return drawn
end

--- The plot in a style.
---@param self tandem.Sweep
---@param x string
---@param y string|nil
---@param series string|nil
---@param style tandem.Style
---@return string[]
function chart.lines(self, x, y, series, style)
  local kind, data = make(self, x, y, series)
  return plot[kind](data).lines(style)
end

return chart
