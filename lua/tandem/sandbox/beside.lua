--- Tables that stand in files beside a scenario: a load by the hour, a cost by batch size.
--
-- Owns which files a scenario may read without being trusted (CSV of its own folder and below,
-- through no link that leads out of it, no larger than a bound, for reading alone), and what their
-- cells become. CSV itself is io/csv_reader's. Called by td.csv and by td.curve { file = … }.
local nearest = require "tandem.text.nearest"
local units = require "tandem.units"

local beside = {}

beside.MOST_BYTES = 16 * 2 ^ 20

-- Data of shipped scenarios is part of the program.
local function shipped_text(file)
  local ok, embedded = pcall(require, "tandem.embedded")
  return ok and type(embedded) == "table" and embedded.read("scenarios/" .. file) or nil
end

local function too_large(file)
  return ("%s: is larger than %d MiB"):format(file, beside.MOST_BYTES // 2 ^ 20)
end

--- The text of a file in the folder, or nil and why not.
---@param file string
---@param directory string|nil  the scenario's
---@return string|nil text
---@return string|nil problem
local function read(file, directory)
  if type(file) ~= "string" or file == "" then return nil, "wants the name of a file" end
  local shipped = shipped_text(file)
  local inside, why = require("tandem.core").files.beneath(directory or ".", file)
  if not inside and shipped then return shipped end
  if not inside then return nil, ("%s: %s"):format(file, why) end
  inside = ("%s/%s"):format(directory or ".", file) -- a confined process knows it by this name
  local size = require("tandem.core").files.size(inside) or 0
  if size > beside.MOST_BYTES then return nil, too_large(file) end
  local content, message = require("tandem.io.infile").read(inside)
  if not content then return nil, message end
  local opened, damaged = require("tandem.io.text_file").open { text = content }
  local text = opened and opened:rest(beside.MOST_BYTES)
  damaged = damaged or opened.problem
  if damaged then return nil, ("%s: %s"):format(file, damaged) end
  if not text then return nil, too_large(file) end -- unpacked
  return text
end

beside.text = read

-- A cell: a number, a quantity as a number ("5 ms" is 0.005), else the text.
local function cell(text)
  local trimmed = text:match "^%s*(.-)%s*$"
  local value = tonumber(trimmed)
  if value then return value end
  local parsed = trimmed:find "^[-+.%d]" and units.parse(trimmed)
  return parsed or trimmed
end

-- Where each wanted column is in the header; nil and what is wrong.
local function positions(header, wanted, file)
  local at = {}
  for i, name in ipairs(header) do at[name:match "^%s*(.-)%s*$"] = i end
  local out = {}
  for i, name in ipairs(wanted) do
    out[i] = at[name]
    if not out[i] then
      return nil, ("%s: has no column '%s'; %s"):format(file, tostring(name),
        nearest.hint(tostring(name), nearest.sorted_keys(at)))
    end
  end
  return out
end

-- Rows as lists of the columns that are wanted, in their order.
local function picked(rows, lines, wanted, file)
  local at, wrong = positions(rows[1], wanted, file)
  if not at then return nil, wrong end
  local out = {}
  for i = 2, #rows do
    local row = {}
    for k, position in ipairs(at) do
      local text = rows[i][position]
      if not text or text:find "^%s*$" then
        return nil, ("%s:%d: '%s' is empty"):format(file, lines[i], wanted[k])
      end
      row[k] = cell(text)
    end
    out[i - 1] = row
  end
  return out
end

-- Rows as records by the names of their columns; empty cells are absent.
local function records(rows)
  local out = {}
  for i = 2, #rows do
    local row = {}
    for k, name in ipairs(rows[1]) do
      local text = rows[i][k]
      if text and not text:find "^%s*$" then row[name:match "^%s*(.-)%s*$"] = cell(text) end
    end
    out[i - 1] = row
  end
  return out
end

--- The rows of a CSV file with a header: records by column, or, where columns are named, lists of
--- these in their order.
---@param file string
---@param directory string|nil  the scenario's
---@param columns string[]|nil
---@return table[]|nil rows
---@return string|nil problem
---@return string[]|nil header
function beside.csv(file, directory, columns)
  local content, why = read(file, directory)
  if not content then return nil, why end
  local rows, lines = require("tandem.io.csv_reader").all(content)
  if not rows then return nil, ("%s: %s"):format(file, tostring(lines)) end
  if #rows < 2 then return nil, file .. ": has no rows below its header" end
  if columns and #columns > 0 then
    local out, wrong = picked(rows, lines, columns, file)
    return out, wrong, rows[1]
  end
  return records(rows), nil, rows[1]
end

--- td.csv: as above, raising what is wrong.
---@param file string
---@param columns string[]|nil
---@return table[]
function beside.word(file, columns)
  if columns ~= nil and type(columns) ~= "table" then
    error("td.csv wants a file and, perhaps, a list of columns: td.csv(\"day.csv\", { \"hour\", "
      .. "\"rps\" })", 3)
  end
  local rows, why = beside.csv(file, require("tandem.scenario").directory, columns)
  if not rows then error("td.csv: " .. why, 3) end
  return rows
end

return beside
