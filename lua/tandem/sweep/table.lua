--- The table of a sweep: one row a point, in the order of their numbers.
-- Owns `tandem.Sweep`: rows, filtering, sorting, grouping, the best. How it is printed is
-- sweep/print.lua's, files and SQL sweep/export.lua's, plots sweep/chart.lua's. It never changes:
-- every method gives a new one.
local judged = require "tandem.result.metric"
local nearest = require "tandem.text.nearest"
local study = require "tandem.sweep.study"

local table_of = {}

---@class tandem.SweepPoint  a row: values of axes and metrics stand under their names
---@field number integer     of the point, from 1
---@field ok boolean
---@field message string|nil why it failed
---@field half table<string, number>  half-widths of the intervals, by metric
---@field model table<string, { low: number, high: number|nil }>  what the model leaves open
---@field needs table<string, { requests: number, by: string }>  what runs lack for one
---@field [string] number|string|boolean

---@class tandem.SweepAxis
---@field name string
---@field dim string       of its numbers
---@field numeric boolean

---@class tandem.Sweep
---@field name string
---@field rows tandem.SweepPoint[]
---@field failed tandem.SweepPoint[]  rows of points that failed; they are not among `rows`
---@field axes tandem.SweepAxis[]
---@field metrics string[]   those that some point has
---@field seed integer|nil
---@field replications integer|nil
---@field points integer     how many the sweep has, answered or not
---@field reused integer     how many of them a store had already
---@field interrupted boolean|nil
---@field cautions string[]|nil  GPUs of LLM servers that nobody measured
---@field bursts string|nil  the axis that is the rate of a burst, not the mean
---@field chosen boolean|nil the metrics were asked for: all of them are printed
local Sweep = { __name = "tandem.Sweep" }
Sweep.__index = Sweep

local BOUNDS = { inf = math.huge, ["-inf"] = -math.huge, nan = 0 / 0 }

local function number_of(v)
  return type(v) == "string" and BOUNDS[v] or v
end

local function row_of(made, number, answer, names)
  local row = study.point(made, number)
  row.number, row.ok, row.message = number, answer.ok == true, answer.message
  local half, needs, model = {}, {}, {}
  row.half, row.needs, row.model = half, needs, model
  for _, path in ipairs(names) do
    local figure = answer.metrics and answer.metrics[path]
    if type(figure) == "table" then
      row[path], half[path] = number_of(figure.value), number_of(figure.half)
      needs[path], model[path] = figure.needs, figure.model
    else
      row[path] = figure
    end
  end
  return row
end

-- A copy with other rows.
local function like(self, rows, fields)
  local out = {}
  for k, v in pairs(self) do out[k] = v end
  for k, v in pairs(fields or {}) do out[k] = v end
  out.rows = rows
  return setmetatable(out, Sweep)
end

--- The table of a run: what it answered of the wanted points.
---@param run tandem.SweepRun
---@return tandem.Sweep
function table_of.of_run(run)
  local made = run.study
  local out = { name = made.name, rows = {}, failed = {}, axes = {}, metrics = {},
    seed = made.seed, replications = made.replications, points = made.count, reused = run.reused,
    interrupted = run.interrupted, chosen = not require("tandem.sweep.job").is_usual(made.metrics) }
  local is_axis, names, present = {}, {}, {}
  local written = rawget(made.base, "raw").workload
  local aliases = require("tandem.scenario.overrides").aliases
  written = type(written) == "table" and written or {}
  for i, axis in ipairs(made.axes) do
    is_axis[axis.name] = true
    if written.type == "bursts" and (aliases[axis.path] or axis.path) == "workload.rps" then
      out.bursts = axis.name
    end
    out.axes[i] = { name = axis.name, dim = axis.dim, numeric = axis.numeric }
  end
  for _, path in ipairs(made.metrics) do
    if not is_axis[path] then names[#names + 1] = path end
  end
  if #require("tandem.llm.pools").plan(rawget(made.base, "checked")) > 0 then
    out.cautions = require("tandem.report.doubt").cautions(study.kinds(made))
  end
  for n = 1, made.count do
    local number = study.number(made, n)
    local answer = run.answers[number]
    if answer then
      local row = row_of(made, number, answer, names)
      local list = row.ok and out.rows or out.failed
      list[#list + 1] = row
      for _, path in ipairs(names) do
        -- Of requests that were lost people want to hear where there are some.
        present[path] = present[path] or row[path] ~= nil
          and (path ~= "lost" or out.chosen or row.lost ~= 0)
      end
    end
  end
  for _, path in ipairs(names) do
    if present[path] then out.metrics[#out.metrics + 1] = path end
  end
  return setmetatable(out, Sweep)
end

-- The name of a column; raises with the nearest one.
local function column_named(self, name, level)
  local names = {}
  for _, axis in ipairs(self.axes) do names[#names + 1] = axis.name end
  table.move(self.metrics, 1, #self.metrics, #names + 1, names)
  names[#names + 1] = "number"
  for _, one in ipairs(names) do
    if one == name then return name end
  end
  for _, one in ipairs(names) do
    if "latency." .. tostring(name) == one then return one end
  end
  error(("the sweep has no column '%s'; %s"):format(tostring(name),
    nearest.hint(tostring(name), names)), (level or 1) + 2)
end

--- The axis of that name; nil when it is none.
---@param name string
---@return tandem.SweepAxis|nil
function Sweep:axis(name)
  for _, axis in ipairs(self.axes) do
    if axis.name == name then return axis end
  end
end

--- The full name of a column: "p99" is "latency.p99". Raises when there is none.
---@param name string
---@return string
function Sweep:named(name) return column_named(self, name) end

--- Rows that a function likes, or whose axes have these values: s:filter { gpus = 2 },
--- s:filter(function(row) return row.met end).
---@param wanted (fun(row: tandem.SweepPoint): boolean)|table<string, any>
---@return tandem.Sweep
function Sweep:filter(wanted)
  local keep = wanted
  if type(wanted) == "table" then
    local columns = {}
    for name, v in pairs(wanted) do columns[column_named(self, name)] = v end
    keep = function(row)
      for name, v in pairs(columns) do
        if row[name] ~= v then return false end
      end
      return true
    end
  elseif type(wanted) ~= "function" then
    error("filter wants a function of a row, or { axis = value }", 2)
  end
  local rows = {}
  for _, row in ipairs(self.rows) do
    if keep(row) then rows[#rows + 1] = row end
  end
  return like(self, rows)
end

-- Numbers before texts before booleans before nothing; NaN is nothing.
local RANKS = { number = 1, string = 2, boolean = 3 }

local function before(a, b)
  local ra = a == a and RANKS[type(a)] or 4
  local rb = b == b and RANKS[type(b)] or 4
  if ra ~= rb then return ra < rb end
  if ra == 3 then return a and not b end
  return ra < 3 and a < b
end

--- Rows in the order of a column; equal ones stay in the order of their points, and what has no
--- value comes last.
---@param by string
---@param descending? boolean
---@return tandem.Sweep
function Sweep:sort(by, descending)
  by = column_named(self, by)
  local rows, position = table.move(self.rows, 1, #self.rows, 1, {}), {}
  for i, row in ipairs(rows) do position[row] = i end
  table.sort(rows, function(a, b)
    local x, y = a[by], b[by]
    local flip = descending and type(x) == type(y) and x == x and y == y
    if flip then x, y = y, x end
    if before(x, y) then return true end
    if before(y, x) then return false end
    return position[a] < position[b]
  end)
  return like(self, rows)
end

local function mean(list)
  local sum = 0.0
  for _, v in ipairs(list) do sum = sum + v end
  return sum / #list
end

local function extreme(less)
  return function(list)
    local best = list[1]
    for _, v in ipairs(list) do
      if less(v, best) then best = v end
    end
    return best
  end
end

local folds = { mean = mean, min = extreme(function(a, b) return a < b end),
  max = extreme(function(a, b) return a > b end) }

--- One row for each value of an axis, numbers folded over the other axes: "mean" (the default),
--- "min", "max" or a function of the list of values. Intervals do not survive it: the points have
--- their luck in common.
---@param axis string
---@param how? "mean"|"min"|"max"|fun(values: number[]): number
---@return tandem.Sweep
function Sweep:group(axis, how)
  local kept = self:axis(axis)
  if not kept then
    local names = {}
    for i, one in ipairs(self.axes) do names[i] = one.name end
    error(("the sweep has no axis '%s'; %s"):format(tostring(axis),
      nearest.hint(tostring(axis), names)), 2)
  end
  local fold = type(how) == "function" and how or folds[how or "mean"]
  if not fold then
    error(("group wants mean, min, max or a function, not '%s'"):format(tostring(how)), 2)
  end
  local groups, by_value = {}, {}
  for _, row in ipairs(self.rows) do
    local value = row[axis]
    local key = value == nil and groups or value
    local group = by_value[key]
    if not group then
      group = { value = value, rows = {} }
      by_value[key], groups[#groups + 1] = group, group
    end
    group.rows[#group.rows + 1] = row
  end
  local rows, present = {}, {}
  for i, group in ipairs(groups) do
    local row = { number = i, ok = true, half = {}, needs = {}, model = {}, [axis] = group.value }
    for _, path in ipairs(self.metrics) do
      local list = {}
      for _, one in ipairs(group.rows) do
        if type(one[path]) == "number" then list[#list + 1] = one[path] end
      end
      if #list > 0 then row[path], present[path] = fold(list), true end
    end
    rows[i] = row
  end
  local names = {}
  for _, path in ipairs(self.metrics) do
    if present[path] then names[#names + 1] = path end
  end
  local out = like(self, rows, { axes = { kept }, metrics = names, failed = {} })
  return out:sort(axis)
end

--- The values of a column as a list; false where a row has none.
---@param name string
---@return any[] values
---@return (number|false)[] halves  of the intervals, in its unit
function Sweep:column(name)
  name = column_named(self, name)
  local values, halves = {}, {}
  for i, row in ipairs(self.rows) do
    local v = row[name]
    if v == nil then v = false end
    values[i], halves[i] = v, row.half[name] or false
  end
  return values, halves
end

--- The row with the best value of a metric: the lowest, of rates the highest; `way` decides when
--- told. Nil when no row has a number there.
---@param metric string
---@param way? "min"|"max"
---@return tandem.SweepPoint|nil
function Sweep:best(metric, way)
  metric = column_named(self, metric)
  if way ~= nil and way ~= "min" and way ~= "max" then
    error(("best wants \"min\" or \"max\", not '%s'"):format(tostring(way)), 2)
  end
  local most = way == "max" or way == nil and judged.more_is_better(metric)
  local best
  for _, row in ipairs(self.rows) do
    local v = row[metric]
    if type(v) == "number" and v == v then
      if not best or (most and v > best[metric]) or (not most and v < best[metric]) then
        best = row
      end
    end
  end
  return best
end

--- The point of a row in words: "gpus 2, rps 40".
---@param row tandem.SweepPoint
---@return string
function Sweep:describe(row)
  local print_of = require "tandem.sweep.print"
  local parts = {}
  for _, axis in ipairs(self.axes) do
    if row[axis.name] ~= nil then
      parts[#parts + 1] = axis.name .. " " .. print_of.axis_text(axis, row[axis.name])
    end
  end
  return table.concat(parts, ", ")
end

--- The table as text in a style; without one, for standard output.
---@param style? tandem.Style
---@param options? { rows?: integer }  how many rows at most
---@return string
function Sweep:report(style, options)
  return require("tandem.sweep.print").text(self, style, options)
end

--- As CSV: axes, metrics with their half-widths, the message of a failed point.
---@return string
function Sweep:to_csv() return require("tandem.sweep.export").csv(self) end

--- Into a file for data frames: FILE.parquet, FILE.arrow or FILE.csv, the columns of to_csv().
---@param path string
---@return true|nil written
---@return string|nil message
---@return integer|nil code
function Sweep:write(path)
  return require("tandem.io.columns").write(path, require("tandem.sweep.export").columns(self))
end

--- As JSON, schema tandem.sweep/1; ends with a line end.
---@return string
function Sweep:to_json() return require("tandem.sweep.export").json(self) end

--- Rows of a query over the table `sweep`: one column for each axis and metric, half-widths with
--- _half behind: s:sql "SELECT gpus, min(\"latency.p99\") AS best FROM sweep GROUP BY gpus".
---@param query string
---@param ... any  for the ? in it
---@return table[] rows
function Sweep:sql(query, ...)
  local rows, message = require("tandem.sweep.export").sql(self, query, ...)
  if not rows then error("sql: " .. message, 2) end
  return rows
end

--- A plot in the terminal, s:plot("rps", "p99", "gpus"), or as an SVG file,
--- s:plot("out.svg", { x = "rps", y = "p99", series = "gpus" }).
---@param x string
---@param y string|table
---@param series? string
---@return tandem.Plot|table
function Sweep:plot(x, y, series)
  return require("tandem.sweep.chart").of(self, x, y, series)
end

Sweep.__tostring = function(self) return self:report() end

return table_of
