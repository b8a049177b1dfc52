--- Aligned tables of text, cut to a width.
--
-- Owns the layout of columns; the cells come formatted (format.lua) and what is printed to is a
-- style (plot/style.lua). A table that does not fit first drops the columns marked `optional`, then
-- narrows the widest text column, whose cells are cut or wrapped, then drops the bars.
local styles = require "tandem.plot.style"

local column_table = {}

---@class tandem.Column
---@field title string
---@field align? "left"|"right"  numbers are set right, names left (the default)
---@field optional? integer|true may be left out where there is no room: the highest number first
---                               (true is 1), the last one first among equals
---@field wrap? boolean          long texts go on in the next line instead of being cut
---@field under? boolean         stands on lines of its own under its row, as wide as the style
---@field flexible? integer      takes the room that is left, up to so much (a bar); its cells are
---                               functions of their width

---@alias tandem.Cell string|{ text: string, color?: string }|fun(columns: integer): string

---@class tandem.TableOptions
---@field style? tandem.Style  default: plain
---@field indent? integer      spaces before each row (default: 0)
---@field gap? integer         spaces between columns (default: 2)

-- Texts are cut to the first before bars give way, then to the second.
local NARROW_CUT <const> = 14
local NARROWEST_CUT <const> = 6
local NARROWEST_FLEXIBLE <const> = 8

local UNDER_INDENT <const> = 4

local function cell_text(cell)
  if type(cell) == "table" then
    return cell.text, cell.color
  end
  return cell or "", nil
end

-- Without the spaces at its end. Looking for them from the front, as gsub does, takes the square of
-- the longest run of spaces.
local function without_end(text) return text:match "^.*%S" or "" end

local function measure(columns, rows, style)
  local widths = {}
  for index, column in ipairs(columns) do
    local width = styles.columns(style:text(column.title))
    for _, row in ipairs(rows) do
      if not column.flexible then
        width = math.max(width, styles.columns(style:text((cell_text(row[index])))))
      end
    end
    widths[index] = column.flexible and math.max(width, NARROWEST_FLEXIBLE) or width
  end
  return widths
end

local function total(columns, widths, shown, gap)
  local sum, count = 0, 0
  for index in ipairs(columns) do
    if shown[index] then
      sum, count = sum + widths[index], count + 1
    end
  end
  return sum + gap * math.max(0, count - 1)
end

--- Narrows the widest text column, again and again, until a row fits or none is wider than `least`.
local function cut(columns, widths, shown, gap, room, least)
  for index, column in ipairs(columns) do -- a name may have millions
    if shown[index] and column.align ~= "right" and not column.flexible then
      widths[index] = math.min(widths[index], math.max(room, least))
    end
  end
  while total(columns, widths, shown, gap) > room do
    local widest
    for index, column in ipairs(columns) do
      if shown[index] and column.align ~= "right" and not column.flexible
        and widths[index] > least and (not widest or widths[index] > widths[widest]) then
        widest = index
      end
    end
    if not widest then
      return
    end
    widths[widest] = widths[widest] - 1
  end
end

local function rank(column)
  return column.optional == true and 1 or column.optional
end

--- Decides which columns are shown and how wide, so that a row takes at most `room` columns.
local function fit(columns, widths, room, gap)
  local shown = {}
  for index, column in ipairs(columns) do
    shown[index] = not column.under
  end
  while total(columns, widths, shown, gap) > room do
    local least_wanted, highest = nil, 0
    for index, column in ipairs(columns) do
      if shown[index] and column.optional and rank(column) >= highest then
        least_wanted, highest = index, rank(column)
      end
    end
    if not least_wanted then
      break
    end
    shown[least_wanted] = false
  end
  cut(columns, widths, shown, gap, room, NARROW_CUT)
  for index, column in ipairs(columns) do
    if column.flexible and total(columns, widths, shown, gap) > room then
      shown[index] = false
    end
  end
  cut(columns, widths, shown, gap, room, NARROWEST_CUT)
  for index, column in ipairs(columns) do
    if column.flexible and shown[index] then
      local left = room - total(columns, widths, shown, gap)
      widths[index] = math.min(widths[index] + math.max(0, left), column.flexible)
    end
  end
  return shown
end

--- Lays out rows of cells under their titles; returns the lines, without line ends. The title
--- line is left out when every title is empty.
---@param columns tandem.Column[]
---@param rows tandem.Cell[][]
---@param options? tandem.TableOptions
---@return string[] lines
function column_table.lines(columns, rows, options)
  options = options or {}
  local style = options.style or styles.new()
  local indent, gap = string.rep(" ", options.indent or 0), options.gap or 2
  local widths = measure(columns, rows, style)
  local shown = fit(columns, widths, style.width - #indent, gap)

  -- One printed line from the texts of a row; a nil text is blank.
  local function join(texts, colors)
    local last, parts = 0, {}
    for index in ipairs(columns) do
      if shown[index] and texts[index] then
        last = index
      end
    end
    for index, column in ipairs(columns) do
      if shown[index] and index <= last then
        local text = style:text(styles.pad(texts[index] or "", widths[index], column.align))
        if index == last then
          text = without_end(text)
        end
        parts[#parts + 1] = style:paint(text, colors[index])
      end
    end
    return without_end(indent .. table.concat(parts, string.rep(" ", gap)))
  end

  -- The lines of a row: more than one when a cell is wrapped.
  local function layout(row, lines)
    local first, colors, rest, height = {}, {}, {}, 1
    for index, column in ipairs(columns) do
      local cell = row[index]
      if shown[index] and type(cell) == "function" then
        first[index] = style:text(cell(widths[index]))
      elseif shown[index] then
        local text, color = cell_text(cell)
        text = style:text(text)
        colors[index] = color
        if column.wrap and styles.columns(text) > widths[index] then
          rest[index] = styles.wrap(text, widths[index])
          height = math.max(height, #rest[index])
          text = rest[index][1]
        end
        first[index] = text
      end
    end
    lines[#lines + 1] = join(first, colors)
    for number = 2, height do
      local texts = {}
      for index, wrapped in pairs(rest) do
        texts[index] = wrapped[number]
      end
      lines[#lines + 1] = join(texts, colors)
    end
    for index, column in ipairs(columns) do
      local text, color = cell_text(column.under and row[index])
      for _, one in ipairs(column.under and text ~= ""
        and styles.wrap(style:text(text), style.width - #indent - UNDER_INDENT) or {}) do
        one = styles.pad(one, style.width - #indent - UNDER_INDENT)
        lines[#lines + 1] = indent .. (" "):rep(UNDER_INDENT)
          .. style:paint(without_end(one), color)
      end
    end
  end

  local titles, lines, any_title = {}, {}, false
  for index, column in ipairs(columns) do
    titles[index] = column.title
    any_title = any_title or column.title ~= ""
  end
  if any_title then
    for index, title in ipairs(titles) do
      titles[index] = { text = title, color = "dim" }
    end
    layout(titles, lines)
  end
  for _, row in ipairs(rows) do
    layout(row, lines)
  end
  return lines
end

--- The same as one text.
---@param columns tandem.Column[]
---@param rows tandem.Cell[][]
---@param options? tandem.TableOptions
---@return string
function column_table.format(columns, rows, options)
  return table.concat(column_table.lines(columns, rows, options), "\n")
end

return column_table
