--- What a plot shows as rows, for a table below it and for CSV.
--
-- Owns which columns each kind of chart has. Values are in the unit that the caller gave them in
-- (an axis knows its `factor` to SI and what that unit is `called`), else in SI. All that was to be
-- drawn is here, also what the picture had no room for.
local rows_of = require "tandem.store.rows"
local ticks = require "tandem.plot.ticks"

local rows = {}

local SI = { time = "s", s = "s", rate = "/s", bytes = "B", B = "B", speed = "B/s",
  flops = "FLOP/s", percent = "share", ["%"] = "share", count = "", money = "$" }

-- The name of a column: its label, or the fallback, with its unit.
local function name_of(spec, fallback)
  spec = spec or {}
  local unit = spec.called or SI[spec.unit] or spec.unit or ""
  local label = spec.label and tostring(spec.label) or fallback
  return unit ~= "" and unit ~= label and ("%s (%s)"):format(label, unit) or label
end

-- A value in the caller's unit: the number that was given, not one a bit beside it.
local function given(value, spec)
  local factor = spec and spec.factor
  if not factor or factor == 1 or type(value) ~= "number" then return value end
  return tonumber(("%.15g"):format(value / factor))
end

-- `head`: what people read above it, where that is not its name. Beside values that tell their unit
-- it need not: `plain`.
local function column(name, spec, head)
  local plain = ticks.value(1, spec):find "[%a%%]" and (head or name):match "^(.+) %(%S+%)$"
  return { name = name, head = head, plain = plain, align = "right", show = function(value)
    if type(value) ~= "number" then return tostring(value) end
    return ticks.value(value * (spec and spec.factor or 1), spec)
  end }
end

-- Columns that have a value in some row.
local function table_of(columns, list)
  local used, kept = {}, {}
  for _, row in ipairs(list) do
    for name in next, row do used[name] = true end
  end
  for _, one in ipairs(columns) do
    if used[one.name] or #list == 0 then kept[#kept + 1] = one end
  end
  return rows_of.new(kept, list)
end

local function distinct(wanted, taken)
  while taken[wanted] do wanted = wanted .. "'" end
  taken[wanted] = true
  return wanted
end

--- At most so many rows, and how many there are.
---@param chart tandem.LineChart
---@param most? integer
---@return tandem.RowTable
---@return integer all
function rows.lines(chart, most)
  local all = 0
  local taken, list = { series = true, low = true, high = true }, {}
  local x_name = distinct(name_of(chart.x, "x"), taken)
  local y_name = distinct(name_of(chart.y, "y"), taken)
  for _, series in ipairs(chart.series) do
    local xs, ys, half = series.x, series.y or {}, series.half or {}
    local low, high = series.low or {}, series.high or {}
    local count = xs and #xs or #ys
    all = all + count
    for index = 1, math.min(count, most and most - #list or count) do
      local y, by = ys[index], ticks.drawable(half[index]) and half[index]
      local from, to = by and y and y - by or low[index], by and y and y + by or high[index]
      list[#list + 1] = { series = series.name and tostring(series.name),
        [x_name] = given(xs and xs[index] or index, chart.x), [y_name] = given(y, chart.y),
        low = given(from, chart.y), high = given(to, chart.y) }
    end
  end
  return table_of({ { name = "series" }, column(x_name, chart.x), column(y_name, chart.y),
    column("low", chart.y), column("high", chart.y) }, list), all
end

---@param chart tandem.ScatterChart
---@return tandem.RowTable
function rows.scatter(chart)
  local taken, list = { series = true, name = true }, {}
  local x_name = distinct(name_of(chart.x, "x"), taken)
  local y_name = distinct(name_of(chart.y, "y"), taken)
  for index, point in ipairs(chart.points) do
    list[index] = { series = chart.series and chart.series[point.series or 1],
      name = point.name and tostring(point.name), [x_name] = given(point.x, chart.x),
      [y_name] = given(point.y, chart.y), half_x = given(point.half_x, chart.x),
      half_y = given(point.half_y, chart.y) }
  end
  return table_of({ { name = "series" }, { name = "name" }, column(x_name, chart.x),
    column("half_x", chart.x, "± " .. x_name), column(y_name, chart.y),
    column("half_y", chart.y, "± " .. y_name) }, list)
end

---@param chart tandem.BarsChart
---@return tandem.RowTable
function rows.bars(chart)
  local list, last = {}, nil
  local value = name_of(chart.x, "value")
  for index, row in ipairs(chart.rows) do
    if row.name and row.name ~= "" then last = tostring(row.name) end
    list[index] = { name = last, series = chart.series and chart.series[row.series or 1],
      [value] = given(row.value, chart.x), half = given(row.half, chart.x),
      note = row.note and tostring(row.note) }
  end
  return table_of({ { name = "name" }, { name = "series" }, column(value, chart.x),
    column("half", chart.x, "±"), { name = "note" } }, list)
end

---@param chart tandem.StackedChart
---@return tandem.RowTable
function rows.stacked(chart)
  local list, value = {}, name_of(chart.x, "value")
  for _, one in ipairs(chart.bars) do
    for _, part in ipairs(one.parts) do
      list[#list + 1] = { name = tostring(one.name), part = tostring(part.name),
        [value] = given(part.value, chart.x) }
    end
  end
  return table_of({ { name = "name" }, { name = "part" }, column(value, chart.x) }, list)
end

---@param chart tandem.AreaChart
---@return tandem.RowTable
function rows.area(chart)
  local series = {}
  for index, one in ipairs(chart.series) do
    series[index] = { name = one.name, x = chart.at, y = one.y }
  end
  return rows.lines { x = chart.x, y = chart.y, series = series }
end

---@param chart tandem.TornadoChart
---@return tandem.RowTable
function rows.tornado(chart)
  local list, what = {}, chart.label and tostring(chart.label) or "figure"
  for index, row in ipairs(require("tandem.plot.chart.tornado").sorted(chart)) do
    local ends = chart.ends ~= false
    list[index] = { name = tostring(row.name), low = row.low,
      at_low = ends and row.low_label or nil, at_high = ends and row.high_label or nil,
      high = row.high }
  end
  local low, high = chart.low_name or "low end", chart.high_name or "high end"
  return table_of({ { name = "name" }, { name = "at_low", head = low },
    column("low", chart, what .. ", " .. low), { name = "at_high", head = high },
    column("high", chart, what .. ", " .. high) }, list)
end

---@param chart tandem.HeatChart
---@return tandem.RowTable
function rows.heatmap(chart)
  local list, taken = {}, {}
  local x, y = chart.x or {}, chart.y or {}
  local y_name = distinct(name_of(y, "row"), taken)
  local x_name = distinct(name_of(x, "column"), taken)
  local spec = { label = chart.label, unit = chart.unit, factor = chart.factor,
    called = chart.called }
  local value = distinct(name_of(spec, "value"), taken)
  local count, width = require("tandem.plot.chart.heatmap").shape(chart)
  for row = 1, count do
    for at = 1, width do
      list[#list + 1] = { [y_name] = given(y.values and y.values[row] or row, y),
        [x_name] = given(x.values and x.values[at] or at, x),
        [value] = given((chart.values[row] or {})[at], spec) }
    end
  end
  return table_of({ column(y_name, y), column(x_name, x), column(value, spec) }, list)
end

---@param chart tandem.HistogramChart
---@return tandem.RowTable
function rows.histogram(chart)
  local list = {}
  local from, to = name_of(chart.x, "from"), name_of(chart.x, "to")
  if from == to then from, to = from .. " from", to .. " to" end
  for index, count in ipairs(chart.counts) do
    list[index] = { [from] = given(chart.edges[index], chart.x),
      [to] = given(chart.edges[index + 1], chart.x), count = count }
  end
  return table_of({ column(from, chart.x), column(to, chart.x),
    { name = "count", align = "right" } }, list)
end

---@param chart tandem.GanttChart
---@return tandem.RowTable
function rows.gantt(chart)
  local list, x = {}, chart.x or {}
  local unit = { unit = x.unit, factor = x.factor, called = x.called }
  local from, to = name_of(unit, "from"), name_of(unit, "to")
  for index, span in ipairs(chart.spans) do
    list[index] = { lane = span.lane, name = span.name and tostring(span.name),
      kind = span.kind and tostring(span.kind), [from] = given(span.from, x),
      [to] = given(span.to, x) }
  end
  return table_of({ { name = "lane" }, { name = "name" }, { name = "kind" }, column(from, x),
    column(to, x) }, list)
end

---@param chart tandem.LanesChart
---@return tandem.RowTable
function rows.lanes(chart)
  local list = {}
  for _, lane in ipairs(chart.lanes) do
    local width = (chart.to - chart.from) / math.max(1, #lane.values)
    for index, value in ipairs(lane.values) do
      list[#list + 1] = { lane = lane.label, from = chart.from + (index - 1) * width,
        value = value }
    end
  end
  return table_of({ { name = "lane" }, column("from", chart.x), column("value") }, list)
end

return rows
