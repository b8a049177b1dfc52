--- A table of columns as a file for data frames: CSV, Arrow or Parquet, by the file's ending.
--
-- Owns which type a column has and the option --out; cells are the caller's, the binary forms
-- src/write's. A column of integers is one of 64-bit integers, as are true and false (1 and 0); of
-- numbers one of doubles, where NaN is not there; all else are texts. Used by sweeps and plans.
local core = require "tandem.core"
local csv = require "tandem.io.csv"

local columns = {}

---@class tandem.Column
---@field name string
---@field cells any[]  by row; nil: not there

local FORMS <const> = { csv = "csv", arrow = "arrow", feather = "arrow", parquet = "parquet" }

--- The option of commands whose answer is a table.
columns.OPTION = { "--out", value = "FILE", help = "Write the table into FILE as well, for data "
  .. "frames: FILE.parquet, FILE.arrow or FILE.csv." }

---@param path string
---@return "csv"|"arrow"|"parquet"|nil form
---@return string|nil message
function columns.form(path)
  local form = FORMS[(path:match "%.(%w+)$" or ""):lower()]
  if form then return form end
  return nil, ("--out %s: which form? FILE.parquet, FILE.arrow or FILE.csv"):format(path)
end

--- As CSV, with a line of names.
---@param list tandem.Column[]
---@param rows integer
---@return string
function columns.csv(list, rows)
  local cells, lines = {}, {}
  for i, column in ipairs(list) do cells[i] = column.name end
  lines[1] = csv.line(cells)
  for r = 1, rows do
    for i, column in ipairs(list) do cells[i] = column.cells[r] end
    lines[r + 1] = csv.line(cells, #list)
  end
  return table.concat(lines, "\n") .. "\n"
end

local function type_of(cells, rows)
  local kind = "int"
  for r = 1, rows do
    local v = cells[r]
    if v ~= nil and type(v) ~= "boolean" then
      if type(v) ~= "number" then return "text" end
      if math.type(v) == "float" then kind = "real" end
    end
  end
  return kind
end

local function typed(column, rows)
  local kind, cells = type_of(column.cells, rows), {}
  for r = 1, rows do
    local v = column.cells[r]
    if v ~= nil and kind == "text" then
      v = csv.text(v)
    elseif type(v) == "boolean" then
      v = v and 1 or 0
    end
    cells[r] = v
  end
  return { column.name, kind, cells }
end

--- Writes the file; it is there whole or not at all.
---@param path string
---@param list tandem.Column[]
---@param rows integer
---@return true|nil written
---@return string|nil message
---@return integer|nil code
function columns.write(path, list, rows)
  local form, message = columns.form(path)
  if not form then return nil, message, 2 end
  local text, code
  if form == "csv" then
    text = columns.csv(list, rows)
  else
    local out = {}
    for i, column in ipairs(list) do out[i] = typed(column, rows) end
    text, message, code = core.pack_columns(form, rows, out)
    if not text then return nil, message, code end
  end
  return require("tandem.io.outfile").write(path, text)
end

return columns
