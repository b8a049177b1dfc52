--- The table of a sweep as CSV, as JSON (schema tandem.sweep/1) and as an SQL table.
-- Owns the forms; the values are the table's, numbers in SI units. Called by sweep/table.
local columns = require "tandem.io.columns"
local json = require "tandem.io.json"

local export = {}

local SCHEMA = "tandem.sweep/1"

-- Metrics that have an interval of a kind somewhere.
local function with(self, kind)
  local has = {}
  for _, row in ipairs(self.rows) do
    for path in pairs(row[kind]) do has[path] = true end
  end
  return has
end

-- Rows and failed rows in the order of the table, the failed ones where their numbers put them
-- when the rows are in that order, else at the end.
local function all_rows(self)
  local out, k = {}, 1
  local ordered = true
  for i = 2, #self.rows do
    ordered = ordered and self.rows[i - 1].number < self.rows[i].number
  end
  for _, row in ipairs(self.rows) do
    while ordered and self.failed[k] and self.failed[k].number < row.number do
      out[#out + 1], k = self.failed[k], k + 1
    end
    out[#out + 1] = row
  end
  return table.move(self.failed, k, #self.failed, #out + 1, out)
end

-- Names and getters of the columns.
local function columns_of(self)
  local has, doubted, out = with(self, "half"), with(self, "model"), {}
  for _, axis in ipairs(self.axes) do
    out[#out + 1] = { name = axis.name, get = function(row) return row[axis.name] end }
  end
  for _, path in ipairs(self.metrics) do
    out[#out + 1] = { name = path, get = function(row) return row[path] end }
    if has[path] then
      out[#out + 1] = { name = path .. "_half", get = function(row) return row.half[path] end }
    end
    for _, side in ipairs(doubted[path] and { "low", "high" } or {}) do
      out[#out + 1] = { name = ("%s_model_%s"):format(path, side), get = function(row)
        return row.model[path] and row.model[path][side]
      end }
    end
  end
  if #self.failed > 0 then
    out[#out + 1] = { name = "failed", get = function(row) return row.message end }
  end
  return out
end

--- Every point a row, axes and metrics with their half-widths.
---@param self tandem.Sweep
---@return tandem.Column[] list
---@return integer rows
function export.columns(self)
  local rows, list = all_rows(self), {}
  for i, column in ipairs(columns_of(self)) do
    local cells = {}
    for r, row in ipairs(rows) do cells[r] = column.get(row) end
    list[i] = { name = column.name, cells = cells }
  end
  return list, #rows
end

---@param self tandem.Sweep
---@return string
function export.csv(self) return columns.csv(export.columns(self)) end

---@param self tandem.Sweep
---@return string
function export.json(self)
  local out = { schema = SCHEMA, name = self.name, seed = self.seed,
    replications = self.replications, points = self.points, interrupted = self.interrupted,
    cautions = self.cautions and #self.cautions > 0 and self.cautions or nil,
    axes = {}, metrics = self.metrics, rows = {} }
  for i, axis in ipairs(self.axes) do out.axes[i] = { name = axis.name, unit = axis.dim } end
  for i, row in ipairs(all_rows(self)) do
    local point, figures = {}, {}
    for _, axis in ipairs(self.axes) do point[axis.name] = row[axis.name] end
    for _, path in ipairs(self.metrics) do
      local v = row[path]
      if type(v) == "number" then
        v = { value = v, half = row.half[path], needs = row.needs[path], model = row.model[path] }
      end
      figures[path] = v
    end
    out.rows[i] = { number = row.number, point = point, metrics = row.ok and figures or nil,
      failed = row.message }
  end
  local lists = { axes = true, metrics = true, rows = true, cautions = true }
  return json.encode(out, { indent = 2, lists = lists }) .. "\n"
end

local function quoted(name) return '"' .. name:gsub('"', '""') .. '"' end

local function sql_value(v)
  if v == true then return 1 elseif v == false then return 0 end
  if v ~= v then return nil end
  return v
end

--- The rows of a query over the table in a database of its own, in memory.
---@param self tandem.Sweep
---@param query string
---@param ... any
---@return table[]|nil rows
---@return string|nil message
function export.sql(self, query, ...)
  local db <close>, message = require("tandem.core").database(":memory:")
  if not db then return nil, message end
  local shown, names, marks = columns_of(self), {}, {}
  for i, column in ipairs(shown) do names[i], marks[i] = quoted(column.name), "?" end
  local done
  done, message = db:run(("CREATE TABLE sweep(%s)"):format(table.concat(names, ", ")))
  if not done then return nil, message end
  local insert = ("INSERT INTO sweep VALUES(%s)"):format(table.concat(marks, ", "))
  done, message = db:transaction(function()
    local cells = {}
    for _, row in ipairs(self.rows) do
      for i, column in ipairs(shown) do cells[i] = sql_value(column.get(row)) end
      local ok, why = db:run(insert, table.unpack(cells, 1, #shown))
      if not ok then return nil, why end
    end
    return true
  end)
  if not done then return nil, message end
  return db:all(query, ...)
end

return export
