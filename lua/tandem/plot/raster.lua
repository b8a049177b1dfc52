--- What charts in a terminal share: a grid of characters with axes around it, fills, legends.
--
-- Owns dots and strokes (eight dots a character in Unicode, one in ASCII) and the frame: labels on
-- the left, ticks below. What is drawn is the charts' business.
local styles = require "tandem.plot.style"

local raster = {}

---@class tandem.Raster
---@field columns integer
---@field rows integer
---@field style tandem.Style
---@field dots table<integer, integer>    cell → bits of a braille character
---@field marks table<integer, string>    cell → a character instead
---@field paints table<integer, string>   cell → color
local Raster = {}
Raster.__index = Raster

raster.COLORS = { "cyan", "yellow", "green", "magenta", "blue", "red" }
raster.PLAIN = { "*", "+", "o", "x", "#", "%", "@", "&" }

-- The bit of each dot, by row and column within a character.
local BITS = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 } }

---@param columns integer
---@param rows integer
---@param style tandem.Style
---@return tandem.Raster
function raster.new(columns, rows, style)
  return setmetatable({ columns = columns, rows = rows, style = style, dots = {}, marks = {},
    paints = {} }, Raster)
end

local function clamp(value, most)
  return math.max(0, math.min(math.floor(value), most))
end

--- The cell at a share of the width and of the height (0 is the bottom).
---@param x number
---@param y number
---@return integer column  from 0
---@return integer row     from 0, the top
function Raster:cell(x, y)
  return clamp(x * self.columns, self.columns - 1), clamp((1 - y) * self.rows, self.rows - 1)
end

--- A character in a cell.
---@param column integer
---@param row integer
---@param text string
---@param color? string
function Raster:mark(column, row, text, color)
  local index = row * self.columns + column
  self.marks[index], self.paints[index] = text, color
end

--- Is anything in this cell?
---@param column integer
---@param row integer
---@return boolean
function Raster:taken(column, row)
  local index = row * self.columns + column
  return self.dots[index] ~= nil or self.marks[index] ~= nil
end

--- A dot of series `number`.
---@param x number  shares; what is outside is left out
---@param y number
---@param number integer
function Raster:dot(x, y, number)
  if not (x >= -1e-9 and x <= 1 + 1e-9 and y >= -1e-9 and y <= 1 + 1e-9) then
    return
  end
  local color = raster.COLORS[(number - 1) % #raster.COLORS + 1]
  if not self.style.unicode then
    local column, row = self:cell(x, y)
    self:mark(column, row, raster.PLAIN[(number - 1) % #raster.PLAIN + 1], color)
    return
  end
  local fine_x = clamp(x * self.columns * 2, self.columns * 2 - 1)
  local fine_y = clamp((1 - y) * self.rows * 4, self.rows * 4 - 1)
  local index = (fine_y // 4) * self.columns + fine_x // 2
  self.dots[index] = (self.dots[index] or 0) | BITS[fine_y % 4 + 1][fine_x % 2 + 1]
  self.paints[index] = color
end

--- A stroke of series `number` between two points.
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param number integer
function Raster:stroke(x1, y1, x2, y2, number)
  local scale_x = self.style.unicode and 2 * self.columns or self.columns
  local scale_y = self.style.unicode and 4 * self.rows or self.rows
  local count = math.ceil(math.max(math.abs(x2 - x1) * scale_x, math.abs(y2 - y1) * scale_y))
  count = math.max(1, math.min(count, 4000))
  for part = 0, count do
    self:dot(x1 + (x2 - x1) * part / count, y1 + (y2 - y1) * part / count, number)
  end
end

--- Writes a text into a row, from a column on.
---@param column integer
---@param row integer
---@param text string
---@param color? string
function Raster:write(column, row, text, color)
  for _, code in utf8.codes(text) do
    if column >= 0 and column < self.columns then
      self:mark(column, row, utf8.char(code), color)
    end
    column = column + 1
  end
end

--- One row as text, painted in runs.
---@param row integer
---@return string
function Raster:line(row)
  local parts, run, paint = {}, {}, nil
  local function finish()
    parts[#parts + 1] = self.style:paint(table.concat(run), paint)
    run = {}
  end
  for column = 0, self.columns - 1 do
    local index = row * self.columns + column
    local color = self.paints[index]
    if color ~= paint then
      finish()
      paint = color
    end
    run[#run + 1] = self.marks[index]
      or (self.dots[index] and utf8.char(0x2800 + self.dots[index])) or " "
  end
  finish()
  return table.concat(parts)
end

--- The width of the labels of a vertical axis.
---@param axis tandem.Axis
---@param style tandem.Style
---@return integer
function raster.room(axis, style)
  local most = 0
  for _, mark in ipairs(axis.marks) do
    most = math.max(most, styles.columns(style:text(mark.label)))
  end
  return most
end

-- The ticks and the labels below; labels that would touch are left out.
local function horizontal(axis, columns, indent, style)
  local line, words, used = {}, {}, 0
  for column = 1, columns do line[column] = style:text "─" end
  local ends = -1
  for _, mark in ipairs(axis.marks) do
    local at = clamp(axis:at(mark.value) * columns, columns - 1)
    line[at + 1] = style:text "┴"
    local text = style:text(mark.label)
    local width = styles.columns(text)
    local from = math.max(0, indent + 1 + at - width // 2)
    if from > ends + 1 and from + width <= style.width then
      words[#words + 1] = string.rep(" ", from - used) .. text
      used, ends = from + width, from + width
    end
  end
  return table.concat(line), table.concat(words)
end

--- The whole plot: title, labels, grid, axis; `beside` is written to the right of each row.
---@param grid tandem.Raster
---@param x_axis tandem.Axis
---@param y_axis tandem.Axis
---@param title? string
---@param beside? table<integer, string>  row, from 0 → text
---@return string[] lines
function raster.frame(grid, x_axis, y_axis, title, beside)
  local style, lines = grid.style, {}
  local indent = raster.room(y_axis, style)
  local at_row = {}
  for _, mark in ipairs(y_axis.marks) do
    local _, row = grid:cell(0, y_axis:at(mark.value))
    at_row[row] = mark.label
  end
  local function add(text) lines[#lines + 1] = (text:gsub("%s+$", "")) end
  if title then add(style:title(title)) end
  if y_axis.title ~= "" then add(style:title(y_axis.title, "dim")) end
  for row = 0, grid.rows - 1 do
    local label = at_row[row] or ""
    add(style:paint(styles.pad(style:text(label), indent, "right") .. " "
      .. style:text(at_row[row] and "┤" or "│"), "dim") .. grid:line(row)
      .. (beside and beside[row] and " " .. beside[row] or ""))
  end
  local line, words = horizontal(x_axis, grid.columns, indent + 1, style)
  add(style:paint(string.rep(" ", indent + 1) .. style:text "└" .. line, "dim"))
  add(style:paint(words, "dim"))
  if x_axis.title ~= "" then
    local text = styles.cut(style:text(styles.clean(x_axis.title)), style.width - indent - 2)
    local from = indent + 2 + math.max(0, (grid.columns - styles.columns(text)) // 2)
    add(style:paint(string.rep(" ", from) .. text, "dim"))
  end
  return lines
end

-- What fills areas: shades in Unicode, letters of a kind in ASCII, with colours on top.
local FILLS = { "█", "▒", "▓", "░", "■", "▚", "▤", "▦" }

--- The sign and the colour that fill the areas of series `index`.
---@param index integer
---@param style tandem.Style
---@return string sign
---@return string color
function raster.fill(index, style)
  local fills = style.unicode and FILLS or raster.PLAIN
  return fills[(index - 1) % #fills + 1], raster.COLORS[(index - 1) % #raster.COLORS + 1]
end

--- Names of series with their marks, in as many lines as it takes.
---@param names string[]
---@param style tandem.Style
---@param sign? fun(index: integer, style: tandem.Style): string, string  default: raster.fill
---@return string[]
function raster.legend(names, style, sign)
  sign = sign or raster.fill
  local lines, line, used = {}, {}, 0
  for index, name in ipairs(names) do
    local mark, color = sign(index, style)
    local text = styles.cut(style:text(styles.clean(name)), style.width - 4)
    local width = styles.columns(text) + styles.columns(mark) + 1
    if used > 0 and used + 3 + width > style.width then
      lines[#lines + 1] = table.concat(line, "   ")
      line, used = {}, 0
    end
    line[#line + 1] = style:paint(mark, color) .. " " .. text
    used = used + width + (used > 0 and 3 or 0)
  end
  if used > 0 then lines[#lines + 1] = table.concat(line, "   ") end
  return lines
end

return raster
