--- Rows that print themselves: an aligned table, CSV, JSON; sorted and filtered.
--
-- Owns `tandem.RowTable` and the forms of a single value. A column may say how people read its
-- values; CSV and JSON have the plain ones. It never changes: every method gives a new one. Used by
-- queries and by the commands that print runs, spans, problems.
local column_table = require "tandem.text.columns"
local csv = require "tandem.io.csv"
local json = require "tandem.io.json"
local nearest = require "tandem.text.nearest"
local styles = require "tandem.plot.style"

local rows_of = {}

---@class tandem.RowColumn
---@field name string     of the value in a row, and in CSV and JSON
---@field title? string   for people (default: the name)
---@field head? string    the same on a page, where "sim" or nothing beside the last would not do
---@field show? fun(value: any, row: table): tandem.Cell  for people (default: the plain value)
---@field align? "left"|"right"  default: right where all values are numbers
---@field optional? integer|true as column_table has it
---@field wrap? boolean
---@field under? boolean  on lines of its own under the row
---@field hidden? boolean in CSV and JSON only

---@class tandem.RowTable
---@field columns tandem.RowColumn[]
---@field rows table[]
local RowTable = { __name = "tandem.RowTable" }
RowTable.__index = RowTable

---@param columns tandem.RowColumn[]
---@param rows table[]
---@return tandem.RowTable
function rows_of.new(columns, rows)
  return setmetatable({ columns = columns, rows = rows }, RowTable)
end

-- ---- values ----

-- Bytes that are no text, as SQL writes them.
local function blob(text)
  if #text <= 32 then
    return "x'" .. text:gsub(".", function(c) return ("%02x"):format(c:byte()) end) .. "'"
  end
  return ("(%d bytes)"):format(#text)
end

--- A value as text, as CSV has it; bytes that are no text as SQL writes them.
---@param value any
---@return string
function rows_of.text(value)
  if type(value) == "string" then return utf8.len(value) and value or blob(value) end
  return csv.text(value)
end

--- A value as a cell of CSV.
---@param value any
---@return string
function rows_of.csv_cell(value) return csv.cell(rows_of.text(value)) end

local REMEMBERED <const> = 4096

--- The same for many values: short texts, which mostly repeat, are looked at once.
---@return fun(value: any): string|integer
function rows_of.csv_cells()
  local known, count = {}, 0
  return function(value)
    if value == nil then return "" end
    if math.type(value) == "integer" then return value end
    local cell = known[value]
    if cell then return cell end
    cell = rows_of.csv_cell(value)
    if type(value) == "string" and #value <= 64 then
      if count == REMEMBERED then known, count = {}, 0 end
      known[value], count = cell, count + 1
    end
    return cell
  end
end

-- ---- the table ----

local function named(self, name, level)
  local names = {}
  for i, column in ipairs(self.columns) do
    if column.name == name then return column end
    names[i] = column.name
  end
  error(("there is no column '%s'; %s"):format(tostring(name),
    nearest.hint(tostring(name), names)), level + 1)
end

--- Rows that a function likes, or that have these values: t:filter { kind = "measured" }.
---@param wanted (fun(row: table): boolean)|table<string, any>
---@return tandem.RowTable
function RowTable:filter(wanted)
  local keep = wanted
  if type(wanted) == "table" then
    for name in pairs(wanted) do named(self, name, 2) end
    keep = function(row)
      for name, value in pairs(wanted) do
        if row[name] ~= value then return false end
      end
      return true
    end
  elseif type(wanted) ~= "function" then
    error("filter wants a function of a row, or { column = value }", 2)
  end
  local rows = {}
  for _, row in ipairs(self.rows) do
    if keep(row) then rows[#rows + 1] = row end
  end
  return rows_of.new(self.columns, rows)
end

-- Numbers before texts; what is not there comes last, whichever way.
local function before(a, b)
  local x, y = type(a), type(b)
  if x ~= y then return x == "number" end
  return a < b
end

--- Rows in the order of a column; equal ones stay as they are.
---@param name string
---@param descending? boolean
---@return tandem.RowTable
function RowTable:sort(name, descending)
  named(self, name, 2)
  local rows, at = table.move(self.rows, 1, #self.rows, 1, {}), {}
  for i, row in ipairs(rows) do at[row] = i end
  table.sort(rows, function(p, q)
    local a, b = p[name], q[name]
    if a == nil or b == nil or a == b then
      if (a == nil) ~= (b == nil) then return b == nil end
      return at[p] < at[q]
    end
    if descending then a, b = b, a end
    return before(a, b)
  end)
  return rows_of.new(self.columns, rows)
end

--- The first rows.
---@param count integer
---@return tandem.RowTable
function RowTable:first(count)
  return rows_of.new(self.columns, table.move(self.rows, 1, math.min(count, #self.rows), 1, {}))
end

--- The values of a column as a list; false where a row has none.
---@param name string
---@return any[]
function RowTable:column(name)
  named(self, name, 2)
  local out = {}
  for i, row in ipairs(self.rows) do
    local value = row[name]
    if value == nil then value = false end
    out[i] = value
  end
  return out
end

local function is_numeric(self, name)
  local any = false
  for _, row in ipairs(self.rows) do
    local value = row[name]
    if value ~= nil and type(value) ~= "number" then return false end
    any = any or value ~= nil
  end
  return any
end

--- The table as lines in a style.
---@param style? tandem.Style
---@param indent? integer
---@return string[]
function RowTable:lines(style, indent)
  local titles, cells, shown = {}, {}, {}
  for _, column in ipairs(self.columns) do
    if not column.hidden then
      shown[#shown + 1] = column
      titles[#titles + 1] = { title = styles.clean(column.title or column.name),
        align = column.align or (is_numeric(self, column.name) and "right" or "left"),
        optional = column.optional, wrap = column.wrap, under = column.under }
    end
  end
  for i, row in ipairs(self.rows) do
    local line = {}
    for k, column in ipairs(shown) do
      local value = row[column.name]
      line[k] = column.show and column.show(value, row) or styles.clean(rows_of.text(value))
    end
    cells[i] = line
  end
  return column_table.lines(titles, cells, { style = style or styles.detect(1), indent = indent })
end

--- The same as one text.
---@param style? tandem.Style
---@return string
function RowTable:report(style) return table.concat(self:lines(style), "\n") end

--- As CSV, with a line of names; ends with a line end.
---@return string
function RowTable:to_csv()
  local lines, cells = {}, {}
  for i, column in ipairs(self.columns) do cells[i] = rows_of.csv_cell(column.name) end
  lines[1] = table.concat(cells, ",")
  for n, row in ipairs(self.rows) do
    for i, column in ipairs(self.columns) do cells[i] = rows_of.csv_cell(row[column.name]) end
    lines[n + 1] = table.concat(cells, ",")
  end
  return table.concat(lines, "\n") .. "\n"
end

--- As JSON: the schema's name, other fields, the rows; ends with a line end.
---@param schema string
---@param fields? table<string, any>
---@return string
function RowTable:to_json(schema, fields)
  local out = { schema = schema, rows = {} }
  for name, value in pairs(fields or {}) do out[name] = value end
  for i, row in ipairs(self.rows) do
    local one = {}
    for _, column in ipairs(self.columns) do
      local value = row[column.name]
      one[column.name] = type(value) == "string" and rows_of.text(value) or value
    end
    out.rows[i] = one
  end
  return json.encode(out, { indent = 2, lists = { rows = true, tags = true } }) .. "\n"
end

RowTable.__tostring = function(self) return self:report() end
RowTable.__len = function(self) return #self.rows end

return rows_of
