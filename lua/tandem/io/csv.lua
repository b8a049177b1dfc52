--- CSV: the one writer (RFC 4180) of everything in Lua that tandem writes as a table.
--
-- Owns how a value becomes a cell and cells become lines. Cells with commas, quotes or line ends
-- are quoted; lines end with \n. Numbers are exact, in the fewest digits that read back; what is no
-- finite number is inf, -inf or nan, as in JSON. Nothing is an empty cell. Texts that a spreadsheet
-- would take for a formula get a "'" before them, and control characters become "?", unless all is
-- asked for as it is (--csv=raw). Which columns there are is the caller's affair.
local json = require "tandem.io.json"
local mend = require "tandem.io.utf8"
local safe = require "tandem.text.safe"

---@class tandem.Csv
---@field raw boolean  texts as they are, for programs; set by the command line
local csv = { raw = false }

--- A value as text: numbers exact, a list with spaces between, texts as UTF-8.
---@param value any
---@return string
function csv.text(value)
  if value == nil then return "" end
  local kind = type(value)
  if kind == "number" then return json.number(value) end
  if kind == "table" then return table.concat(value, " ") end
  return mend.text(tostring(value))
end

--- A value as a cell.
---@param value any
---@return string
function csv.cell(value)
  local text = csv.text(value)
  if type(value) == "string" and not csv.raw then text = safe.cell(safe.lines(text)) end
  if text:find '[",\r\n]' then return '"' .. text:gsub('"', '""') .. '"' end
  return text
end

--- Values as a line, without its end.
---@param values any[]
---@param count? integer  of values, where some may be nil
---@return string
function csv.line(values, count)
  local cells = {}
  for i = 1, count or #values do cells[i] = csv.cell(values[i]) end
  return table.concat(cells, ",")
end

return csv
