--- Rows of a recording, one after the other: CSV, JSON Lines or conversations, known by their first
-- bytes and rows.
--
-- Owns what format a file has and which columns. Fields are cut by io/csv_reader and text.lua; what
-- columns mean is layouts.lua's. Called by tandem.replay.

local csv_reader = require "tandem.io.csv_reader"
local text = require "tandem.replay.text"

local rows = {}

-- The first rows of those that `next_row` gives; what gives them again and goes on behind them; why
-- there are no more.
local function looked_ahead(next_row, most)
  local first, lines, at, problem = {}, {}, 0, nil
  while #first < most do
    local row, line = next_row()
    if not row then
      problem = line
      break
    end
    first[#first + 1], lines[#lines + 1] = row, line
  end
  return first, function()
    at = at + 1
    if first[at] then return first[at], lines[at] end
    if problem then return nil, problem end
    return next_row()
  end, problem
end

local AHEAD <const> = 20 -- rows that say which columns there are

local function columns_of(first, format)
  local names, position, sample, seen = {}, {}, {}, {}
  if format == "csv" then
    for i, name in ipairs(first[1]) do
      names[i], position[name], sample[name] = name, i, first[2][i]
    end
    return names, position, sample
  end
  for _, row in ipairs(first) do
    for name in pairs(row) do
      if not seen[name] then names[#names + 1] = name end
      seen[name], position[name], sample[name] = true, name, first[1][name]
    end
  end
  table.sort(names)
  return names, position, sample
end

local function format_of(options, head)
  if options.format and options.format ~= "auto" then return options.format end
  return head:find "^[\239\187\191%s]*{" and "jsonl"
    or head:find "^[\239\187\191%s]*%[" and "conversations" or "csv"
end

---@class tandem.RecordedRows
---@field next fun(): table|nil, integer|string|nil  each row and its line; nil: the end, or why
---@field format "csv"|"jsonl"|"conversations"
---@field names string[]  of columns
---@field position table<string, any>  of each in a row
---@field sample table<string, any>    the first row's

--- Begins with the rows of a recording.
---@param options table  the keys of td.replay
---@param source tandem.TextSource
---@return tandem.RecordedRows|nil
---@return string|nil problem
function rows.read(options, source)
  local file, damaged = text.open(source, options.file)
  if not file then return nil, damaged end
  local format = format_of(options, file:head())
  local next_row = format == "csv" and csv_reader.rows(file)
    or format == "jsonl" and text.jsonl(file)
  local first, wrong
  if next_row then first, next_row, wrong = looked_ahead(next_row, AHEAD) end
  if not next_row or format == "jsonl" and first[1] and text.is_conversation(first[1]) then
    format = "conversations"
    first, next_row, wrong = looked_ahead(
      text.conversations(source, options.bytes_per_token or 4, options.limit), AHEAD)
  end
  if #first < (format == "csv" and 2 or 1) then
    return nil, ("%s: %s"):format(options.file, wrong or "holds no requests")
  end
  if format == "csv" then next_row() end -- the names
  local names, position, sample = columns_of(first, format)
  return { next = next_row, format = format, names = names, position = position, sample = sample }
end

return rows
