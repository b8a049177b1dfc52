--- CSV that other programs wrote, a row at a time: fields, quoted or not, of lines that end with LF
-- or CRLF.
--
-- Owns how fields are cut. Strict: a quote that never closes and text behind a closing one are
-- problems that name their line. Knows no column by name. Called by readers of tables.

local text_file = require "tandem.io.text_file"

local reader = {}

-- A quoted field, whose quote is at `at`: its text, where it ends, the line that it ends in, how
-- many lines it went on for.
local function quoted(file, line, at)
  local parts, from, more = {}, at + 1, 0
  while true do
    local stop = line:find('"', from, true)
    if stop and line:byte(stop + 1) ~= 34 then
      parts[#parts + 1] = line:sub(from, stop - 1)
      return table.concat(parts), stop + 1, line, more
    end
    parts[#parts + 1] = line:sub(from, stop or -1)
    from = stop and stop + 2
    if not stop then
      local next_line = file:line()
      if not next_line then return nil end
      parts[#parts + 1], line, from, more = "\n", next_line, 1, more + 1
    end
  end
end

-- The fields of a line without quotes.
local function simple(line)
  local row, count, from = {}, 1, 1
  local stop = line:find(",", 1, true)
  while stop do
    row[count], count, from = line:sub(from, stop - 1), count + 1, stop + 1
    stop = line:find(",", from, true)
  end
  row[count] = line:sub(from, line:byte(-1) == 13 and -2 or -1)
  return row
end

-- The fields of a row that begins with `line`, and how many lines more it has; nil and what is
-- wrong, so many lines on.
local function fields_of(file, line)
  local row, at, more = {}, 1, 0
  if not line:find('"', 1, true) then return simple(line), 0 end
  while true do
    if line:byte(at) == 34 then
      local value, stop, last, lines = quoted(file, line, at)
      if not value then return nil, 0, "a quoted field is not closed" end
      row[#row + 1], at, line, more = value, stop, last, more + lines
      if at <= #line and line:byte(at) ~= 44 and line:sub(at) ~= "\r" then
        return nil, more, "text after a closing quote"
      end
    else
      local stop = line:find(",", at, true)
      row[#row + 1] = stop and line:sub(at, stop - 1) or (line:sub(at):gsub("\r$", ""))
      at = stop or #line + 1
    end
    if line:byte(at) ~= 44 then return row, more end
    at = at + 1
  end
end

--- The rows of a file; empty lines are none.
---@param file tandem.TextFile
---@return fun(): string[]|nil, integer|string|nil  each row and its line; nil: the end, or why
function reader.rows(file)
  local number, begun, failed = 0, false, nil
  return function()
    while not failed do
      local line = file:line()
      if not line then return nil, file.problem end
      if not begun then line, begun = line:gsub("^\239\187\191", ""), true end
      number = number + 1
      local row, more, wrong = fields_of(file, line)
      if not row then
        failed = file.problem or ("line %d: %s"):format(number + more, wrong)
        break
      end
      local start = number
      number = number + more
      if #row > 1 or row[1] ~= "" then return row, start end
    end
    return nil, failed
  end
end

--- All rows of a text.
---@param content string
---@return string[][]|nil rows
---@return integer[]|string lines line number of each row, or the problem
function reader.all(content)
  local file, unreadable = text_file.open { text = content }
  if not file then return nil, unreadable end
  local rows, lines, next_row = {}, {}, reader.rows(file)
  while true do
    local row, line = next_row()
    if not row and line then return nil, line end
    if not row then return rows, lines end
    rows[#rows + 1], lines[#lines + 1] = row, line
  end
end

return reader
