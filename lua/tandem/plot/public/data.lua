--- Where the figures of a plot come from: lists, columns of rows, of frames, of queries, of sweeps,
--- of plans, of results.
--
-- Owns how a column is found by its name in each of these, and which unit and half-widths it brings
-- along. A cell that is an estimate { value =, half = } is its value, with its half-width. Dots
-- reach into cells: "latency.p99".
local keys = require "tandem.plot.public.keys"
local nearest = require "tandem.text.nearest"

local math_type = math.type

local data = {}

---@class tandem.PlotColumn
---@field values any[]     as many as there are rows; false where a row has none
---@field halves? table<integer, number>
---@field unit? string     as td.plot takes it
---@field label? string

---@class tandem.PlotSource
---@field column fun(name: string): tandem.PlotColumn|nil
---@field names string[]
---@field unit? fun(name: string): string|nil

local function fail(text, ...) error(text:format(...), 0) end

-- A cell by name or by dots.
local function cell(row, name)
  local value = row[name]
  if value == nil and name:find(".", 1, true) then
    value = row
    for part in name:gmatch "[^.]+" do
      if type(value) ~= "table" then return nil end
      value = value[part]
    end
  end
  return value
end

-- The columns of a list of records.
local function of_rows(rows)
  local names, seen = {}, {}
  for index = 1, math.min(#rows, 50) do
    for _, name in ipairs(nearest.sorted_keys(rows[index])) do
      if type(name) == "string" and not seen[name] then
        seen[name], names[#names + 1] = true, name
      end
    end
  end
  return { names = names, column = function(name)
    local made, any = { values = {}, halves = {} }, false
    for index, row in ipairs(rows) do
      local value = cell(row, name)
      if type(value) == "table" and type(value.value) == "number" then
        made.halves[index], value = value.half, value.value
      end
      any = any or value ~= nil
      made.values[index] = value == nil and false or value
    end
    return (any or #rows == 0) and made or nil
  end }
end

-- Units by what the columns of stored runs and analyses are called.
local function unit_by_name(name)
  return name:match "_ns$" and "ns" or name:match "_s$" and "s" or name:match "_ms$" and "ms"
    or name:match "_us$" and "us" or name:match "bytes$" and "B" or name:match "_rps$" and "rps"
    or name:match "_share$" and "share" or name == "share" and "share" or nil
end

local SWEEP_UNITS <const> = { time = "s", bytes = "B", rate = "rps", speed = "B/s",
  flops = "FLOP/s", percent = "share" }

local function of_sweep(sweep)
  local names = {}
  for i, axis in ipairs(sweep.axes) do names[i] = axis.name end
  for _, metric in ipairs(sweep.metrics) do names[#names + 1] = metric end
  return { names = names, column = function(name)
    local full = sweep:named(name)
    local values, halves = sweep:column(full)
    local spec = require("tandem.sweep.chart").axis_spec(sweep, full)
    return { values = values, halves = halves, label = spec.label,
      unit = spec.unit and (SWEEP_UNITS[spec.unit] or spec.unit) }
  end }
end

-- A series of a result over time: "t", "in_system", "GPU.queue", "GPU.utilization".
local function of_result(result)
  local series = result.series
  if not series then fail "data: this result has no series over time" end
  local names = { "t" }
  for _, name in ipairs(nearest.sorted_keys(series)) do
    if type(series[name]) == "table" and type(series[name][1]) == "number" and name ~= "t" then
      names[#names + 1] = name
    end
  end
  for _, station in ipairs(series.stations or {}) do
    for _, field in ipairs(nearest.sorted_keys(station)) do
      if type(station[field]) == "table" then names[#names + 1] = station.name .. "." .. field end
    end
  end
  return { names = names, column = function(name)
    if name == "t" then return { values = series.t, unit = "s", label = "time" } end
    if type(series[name]) == "table" and name ~= "stations" then
      return { values = series[name], label = name:gsub("_", " ") }
    end
    for _, station in ipairs(series.stations or {}) do
      local field = name:sub(1, #station.name + 1) == station.name .. "."
        and name:sub(#station.name + 2)
      if field and type(station[field]) == "table" then
        return { values = station[field], label = name,
          unit = field == "utilization" and "share" or nil }
      end
    end
  end }
end

local function of_columns(columns)
  local names = {}
  for _, name in ipairs(nearest.sorted_keys(columns)) do
    if type(columns[name]) == "table" then names[#names + 1] = tostring(name) end
  end
  return { names = names, column = function(name)
    if type(columns[name]) ~= "table" then return nil end
    return { values = columns[name] }
  end }
end

local function named_units(source)
  local column = source.column
  source.column = function(name)
    local found = column(name)
    if found and not found.unit then found.unit = unit_by_name(name) end
    return found
  end
  return source
end

--- Is this a result of a run?
---@param value any
---@return boolean
function data.is_result(value) return require("tandem.result").is(value) end

--- The columns of what was given.
---@param given any
---@param path string  for messages
---@return tandem.PlotSource
function data.source(given, path)
  if type(given) ~= "table" then
    fail("%s: wants rows, columns, a frame, a query, a sweep or a result, not %s", path,
      keys.said(given))
  end
  local name = (getmetatable(given) or {}).__name
  if data.is_result(given) then return of_result(given) end
  if name == "tandem.Sweep" then return of_sweep(given) end
  if name == "tandem.Answer" then return named_units(of_rows(given:rows())) end
  if require("tandem.plan.answer").is(given) then return of_rows(given:records().rows) end
  if (getmetatable(given) or {}).__call and given.all then
    return named_units(of_rows(given:all()))
  end
  local rows = rawget(given, "rows")
  if type(rows) ~= "table" then rows = given end
  if type(rows[1]) == "table" and next(rows[1]) ~= nil then
    for index, row in ipairs(rows) do
      if type(row) ~= "table" then
        fail("%s[%d]: wants a row of named values, not %s", path, index, keys.said(row))
      end
    end
    return named_units(of_rows(rows))
  end
  if #given == 0 and next(given) ~= nil then return of_columns(given) end
  if #given == 0 then return of_rows {} end
  fail("%s: wants rows of named values, or lists by name", path)
end

--- The column that a key means: a list as it is, or a name in the data.
---@param wanted any
---@param source tandem.PlotSource|nil
---@param path string
---@return tandem.PlotColumn|nil
function data.column(wanted, source, path)
  if wanted == nil then return nil end
  if type(wanted) == "table" then return { values = wanted } end
  if not source then
    fail("%s: \"%s\" is the name of a column, and there is no data; give data = … or a list", path,
      tostring(wanted))
  end
  local found = source.column(wanted)
  if not found then
    fail("%s: the data have no column '%s'; %s", path, tostring(wanted),
      nearest.hint(wanted, source.names))
  end
  return found
end

--- Names of several columns, when that is what a list is.
---@param wanted any
---@param source tandem.PlotSource|nil
---@return string[]|nil
function data.names(wanted, source)
  return source and type(wanted) == "table" and type(wanted[1]) == "string" and wanted or nil
end

--- What was found in lists of numbers that cannot be drawn.
---@class tandem.PlotGaps
---@field gaps integer  no numbers
---@field huge integer  infinite, or so large that differences overflow
---@field log integer   not above 0, on a logarithmic axis

local MOST <const> = 1e300

--- Numbers in SI; gaps are NaN, what is neither raises. Counts what cannot be drawn.
---@param list any[]
---@param count integer
---@param path string
---@param factor number  to SI
---@param found? tandem.PlotGaps
---@param log? boolean
---@return number[]
function data.numbers(list, count, path, factor, found, log)
  local made, gaps, huge, low = {}, 0, 0, 0
  -- Dividing by the whole reciprocal rounds correctly: 3 ms is 0.003.
  local whole = factor < 1 and math.floor(1 / factor + 0.5) or nil
  if whole and math.abs(1 / factor - whole) > 1e-6 * whole then whole = nil end
  for index = 1, count do
    local value = list[index]
    if math_type(value) then
      if whole then value = value / whole elseif factor ~= 1 then value = value * factor end
      made[index] = value
      if value ~= value then
        gaps = gaps + 1
      elseif value >= MOST or value <= -MOST then
        huge = huge + 1
      elseif log and value <= 0 then
        low = low + 1
      end
    elseif not value then
      made[index], gaps = 0 / 0, gaps + 1
    else
      fail("%s[%d]: wants a number, not %s", path, index, keys.said(value))
    end
  end
  if found then
    found.gaps, found.huge, found.log = found.gaps + gaps, found.huge + huge, found.log + low
  end
  return made
end

return data
