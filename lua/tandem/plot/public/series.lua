--- Series of td.plot: the tables of line, step, scatter, bar, stacked and area, brought to charts.
--
-- Owns how one series, several, several columns, or a column that tells series apart become the
-- same list of series in SI; and what is said of values that no axis can show.
local data = require "tandem.plot.public.data"
local format = require "tandem.text.format"
local units = require "tandem.plot.public.units"

local series = {}

local function fail(text, ...) error(text:format(...), 0) end

--- An axis of a chart, with the factor from the caller's unit.
---@param given table
---@param axis "x"|"y"|"z"
---@param column tandem.PlotColumn|nil  brings unit and label along
---@return tandem.AxisSpec
function series.axis(given, axis, column)
  local unit = units.of(given[axis .. "_unit"] or column and column.unit)
  local function si(value) return value and units.si(value, unit.factor) end
  local log = (given.log or ""):find(axis, 1, true) ~= nil
  for _, ending in ipairs { "_min", "_max" } do
    if log and given[axis .. ending] and given[axis .. ending] <= 0 then
      fail("%s%s: a logarithmic axis has only what is above 0, not %s", axis, ending,
        tostring(given[axis .. ending]))
    end
  end
  return { label = given[axis .. "_label"] or column and column.label, unit = unit.unit,
    factor = unit.factor, called = unit.called, log = log or nil,
    min = si(given[axis .. "_min"]), max = si(given[axis .. "_max"]) }
end

--- To SI on an axis.
---@param spec tandem.AxisSpec
---@return fun(value: number): number
function series.to_si(spec)
  local factor, si = spec.factor, units.si
  if factor == 1 then return function(value) return value end end
  return function(value) return si(value, factor) end
end

--- Limits in SI.
---@param given table
---@param x tandem.AxisSpec|nil
---@param y tandem.AxisSpec|nil
---@return tandem.SvgLimit[]|nil
function series.limits(given, x, y)
  if not given.limits then return nil end
  local made = {}
  for index, limit in ipairs(given.limits) do
    if (limit.x == nil) == (limit.y == nil) then
      fail("limits[%d]: wants x or y", index)
    elseif limit.x and not x or limit.y and not y then
      fail("limits[%d].%s: this plot has no such axis of numbers", index, limit.x and "x" or "y")
    end
    made[index] = { label = limit.label, x = limit.x and series.to_si(x)(limit.x),
      y = limit.y and series.to_si(y)(limit.y) }
  end
  return made
end

--- What is common to all plots.
---@param given table
---@param chart table
---@return table chart
function series.dress(given, chart)
  chart.title, chart.subtitle = given.title, given.subtitle
  chart.width, chart.height, chart.theme = given.width, given.height, given.theme
  return chart
end

-- The rows of data that belong to each value of a column, in the order of their first rows.
local function groups_of(given, source, path)
  local by = data.column(given.series, source, path)
  local order, rows = {}, {}
  for index, value in ipairs(by.values) do
    local name = tostring(value)
    if type(value) == "number" then name = ("%s %.6g"):format(given.series, value) end
    if not rows[name] then rows[name], order[#order + 1] = {}, name end
    table.insert(rows[name], index)
  end
  return order, rows
end

local function picked(list, rows)
  if not list then return nil end
  local made = {}
  for at, index in ipairs(rows) do made[at] = list[index] == nil and false or list[index] end
  return made
end

-- Columns of a key that may be one name, a list of names, or a list of values.
local function columns_of(given, key, source, path)
  local names = data.names(given[key], source)
  if not names then
    local one = data.column(given[key], source, path)
    return one and { { column = one } } or {}
  end
  local made = {}
  for index, name in ipairs(names) do
    made[index] = { name = name,
      column = data.column(name, source, ("%s[%d]"):format(path, index)) }
  end
  return made
end

local function ends_of(band, source, path)
  if not band then return nil end
  local low, high = band.low or band[1], band.high or band[2]
  if low == nil or high == nil then fail("%s: wants both ends: { low, high }", path) end
  return data.column(low, source, path .. ".low").values,
    data.column(high, source, path .. ".high").values
end

---@class tandem.PlotRaw
---@field name? string
---@field x? any[]
---@field y any[]
---@field half? any[]
---@field low? any[]
---@field high? any[]
---@field names? any[]
---@field dash? boolean
---@field path string

-- What one table gives: a series for each column of y, and for each group.
local function read_one(given, source, path, made, groups)
  local x = data.column(given.x, source, path .. ".x")
  local names = data.column(given.names or given.notes, source, path .. ".names")
  for _, y in ipairs(columns_of(given, "y", source, path .. ".y")) do
    local half = data.column(given.half, source, path .. ".half")
    local halves = half and half.values or y.column.halves
    local low, high = ends_of(given.band, source, path .. ".band")
    local function add(name, rows)
      local function part(list) return rows and picked(list, rows) or list end
      made[#made + 1] = { name = name, x = x and part(x.values), y = part(y.column.values),
        half = part(halves), low = part(low), high = part(high), names = names
        and part(names.values), dash = given.dash, path = path }
    end
    if groups then
      for _, name in ipairs(groups.order) do
        add(y.name and name .. ", " .. y.name or name, groups.rows[name])
      end
    else
      add(given.name or y.name)
    end
    made.x_column, made.y_column = made.x_column or x, made.y_column or y.column
  end
end

--- Every series of a table, raw; x_column and y_column bring units along.
---@param given table
---@param kind string
---@return tandem.PlotRaw[]
function series.read(given, kind)
  local source = given.data ~= nil and data.source(given.data, kind .. ".data") or nil
  local made = {}
  if type(given.series) == "table" then
    if given.y ~= nil then fail("%s: wants y or series, not both", kind) end
    for index, one in ipairs(given.series) do
      local path = ("%s.series[%d]"):format(kind, index)
      local whole = { name = one.name, x = one.x == nil and given.x or one.x, y = one.y,
        half = one.half, band = one.band, names = one.names, dash = one.dash }
      if whole.y == nil then fail("%s: wants y", path) end
      read_one(whole, source, path, made)
    end
  else
    local groups
    if given.series ~= nil then
      local order, rows = groups_of(given, source, kind .. ".series")
      groups = { order = order, rows = rows }
    end
    if given.y == nil then fail("%s: wants y, or series; tandem help plots has examples", kind) end
    read_one(given, source, kind, made, groups)
    if not groups and #made == 1 and type(given.series) ~= "table" then made[1].name = nil end
  end
  return made
end

--- What was left out, in words.
---@param found tandem.PlotGaps|{ all: integer }
---@return string[]|nil notes
function series.notes(found)
  local parts = {}
  local function add(count, one, many)
    if count > 0 then
      parts[#parts + 1] = ("%s %s"):format(format.integer(count), count == 1 and one or many)
    end
  end
  add(found.gaps, "is not a number", "are not numbers")
  add(found.huge, "is infinite or beyond 1e300", "are infinite or beyond 1e300")
  add(found.log, "is not above 0, on a logarithmic axis", "are not above 0, on a logarithmic axis")
  if #parts == 0 then return nil end
  return { ("not drawn: %s, of %s values"):format(format.list(parts), format.integer(found.all)) }
end

--- Numbers of every series in SI, with the axes, and what cannot be drawn.
---@param given table
---@param kind string
---@return tandem.Series[]
---@return tandem.AxisSpec x
---@return tandem.AxisSpec y
---@return string[]|nil notes
function series.numbers(given, kind)
  local raw = series.read(given, kind)
  local x = series.axis(given, "x", raw.x_column)
  local y = series.axis(given, "y", raw.y_column)
  local made, found = {}, { gaps = 0, huge = 0, log = 0, all = 0 }
  for index, one in ipairs(raw) do
    local count = math.max(one.x and #one.x or 0, #one.y)
    if one.x and #one.x ~= #one.y and type(one.y[#one.y]) == "number"
      and type(one.x[#one.x]) == "number" then
      fail("%s: x has %d values and y has %d", one.path, #one.x, #one.y)
    end
    local function numbers(list, key, axis, gaps)
      return list and data.numbers(list, count, one.path .. "." .. key, axis.factor, gaps, axis.log)
    end
    made[index] = { name = one.name, dash = one.dash, names = one.names,
      x = numbers(one.x, "x", x, found), y = numbers(one.y, "y", y, found),
      half = one.half and next(one.half) and numbers(one.half, "half", y) or nil,
      low = numbers(one.low, "band.low", y), high = numbers(one.high, "band.high", y) }
    found.all = found.all + count
  end
  return made, x, y, series.notes(found)
end

--- A word that a caller gave for a point or a bar; nil where there is none.
---@param value any
---@return string|nil
function series.word(value)
  if value == nil or value == false or value ~= value then return nil end
  return tostring(value)
end

--- Names of bars as text, from the x of the first series.
---@param raw tandem.PlotRaw[]
---@param index integer
---@return string
function series.name_at(raw, index)
  local names = raw[1] and raw[1].x
  local name = names and names[index]
  if name == nil or name == false or name ~= name then return names and "–" or tostring(index) end
  if math.type(name) == "float" then return ("%.6g"):format(name) end
  return tostring(name)
end
return series
