--- A grid of cells shaded by value, with the values written in where they fit.
--
-- Owns the layout of the grid and of its scale, as SVG and in a terminal: with its value in a cell
-- where all of them fit, else shades alone. Rows given as numbers grow upwards, like an axis; rows
-- given as words are listed from the top, like a table.
local styles = require "tandem.plot.style"
local axes = require "tandem.plot.svg.axes"
local canvas = require "tandem.plot.svg.canvas"
local theme = require "tandem.plot.svg.theme"
local ticks = require "tandem.plot.ticks"

local heatmap = {}

---@class tandem.HeatAxis: tandem.AxisSpec
---@field values (number|string)[]  of the columns or rows

---@class tandem.HeatChart: tandem.SvgSpec
---@field x tandem.HeatAxis
---@field y tandem.HeatAxis
---@field values number[][]  [row][column]; what is missing is hatched
---@field unit? string       of the values
---@field label? string      what the values are
---@field log? boolean       shades by magnitude
---@field min? number        where the scale begins
---@field max? number

--- Names of the columns or rows, and whether they are numbers.
---@param axis tandem.HeatAxis
---@param count integer
---@return string[] names
---@return boolean numeric
local function names_of(axis, count)
  local names, numeric = {}, true
  for index = 1, count do
    local value = axis.values and axis.values[index]
    if type(value) == "number" then
      names[index] = ticks.value(value, { unit = axis.unit })
    else
      numeric = false
      names[index] = value ~= nil and tostring(value) or tostring(index)
    end
  end
  return names, numeric
end

--- Rows and columns of a chart, as many as its axes or its values have.
---@param chart tandem.HeatChart
---@return integer rows
---@return integer columns
function heatmap.shape(chart)
  local rows = chart.y and chart.y.values and #chart.y.values or #chart.values
  local columns = chart.x and chart.x.values and #chart.x.values or 0
  if columns == 0 then
    for row = 1, rows do
      columns = math.max(columns, type(chart.values[row]) == "table" and #chart.values[row] or 0)
    end
  end
  return rows, columns
end

--- The value of a cell, nil where it cannot be drawn.
---@param chart tandem.HeatChart
---@param row integer
---@param column integer
---@return number?
function heatmap.cell(chart, row, column)
  local line = chart.values[row]
  local value = type(line) == "table" and line[column] or nil
  return ticks.drawable(value) and not (chart.log and value <= 0) and value or nil
end

--- The scale of the shades as an axis without room to spare.
---@param chart tandem.HeatChart
---@param count integer  of ticks
---@return tandem.Axis
---@return number[] values  those that can be drawn
local function scale_of(chart, count)
  local values = {}
  local rows, columns = heatmap.shape(chart)
  for row = 1, rows do
    for column = 1, columns do values[#values + 1] = heatmap.cell(chart, row, column) end
  end
  local low, high = ticks.range(chart.log, values)
  return ticks.axis({ unit = chart.unit, label = chart.label, log = chart.log, min = chart.min,
    max = chart.max }, low, high, { count = count }), values
end

-- What is written in the cells: whole values, numbers in one unit, or nothing.
local function words_of(chart, values, width, height)
  if height < 15 then
    return nil, ""
  end
  local function fits(texts)
    for _, text in ipairs(texts) do
      if canvas.text_width(text, 11) > width - 6 then return false end
    end
    return true
  end
  local whole = {}
  for index, value in ipairs(values) do whole[index] = ticks.value(value, { unit = chart.unit }) end
  if fits(whole) then
    return whole, ""
  end
  local numbers, unit = ticks.common(values, { unit = chart.unit })
  if fits(numbers) then
    return numbers, unit
  end
  return nil, ""
end

local function draw_scale(c, axis, x, box)
  local height = math.min(box.bottom - box.top, 220)
  local step = height / theme.STEPS
  for index = 1, theme.STEPS do
    c:rect(x, box.top + height - index * step, 12, step + 0.3, "h" .. index)
  end
  for _, mark in ipairs(axis.marks) do
    c:text(x + 18, box.top + height - axis:at(mark.value) * height + 4, mark.label, "tick small")
  end
end

local function write_columns(c, names, box, width, turned)
  for column, name in ipairs(names) do
    local x = box.left + (column - 0.5) * width
    if turned then
      c:text(x + 4, box.bottom + 14, canvas.fit(name, 110), "tick end", -40)
    else
      c:text(x, box.bottom + 18, name, "tick mid")
    end
  end
end

-- Which names of columns are written: all of them turned, or every so many.
local function thin_out(names, numeric, width)
  local widest = 0
  for _, name in ipairs(names) do widest = math.max(widest, canvas.text_width(name)) end
  if widest + 6 <= width then
    return names, false, 24
  elseif not numeric and width >= 14 then
    return names, true, math.min(widest, 110) * 0.66 + 22
  end
  local every, shown = math.max(1, math.ceil((widest + 8) / width)), {}
  for column, name in ipairs(names) do
    shown[column] = (column - 1) % every == 0 and canvas.fit(name, 110) or ""
  end
  return shown, false, 24
end

-- More cells than this are shapes without words, neighbours of one shade joined.
local MOST_CELLS <const> = 2500
-- Between the names of rows.
local NAME_HEIGHT <const> = 14

-- Cells as one path for each shade.
local function draw_shapes(c, chart, scale, rows, columns, at)
  local paths = {}
  for row = 1, rows do
    local top, bottom = at.down(row)
    local from, last
    local function flush(column)
      if not last then return end
      local left, right = at.across(from), at.across(column)
      paths[last] = paths[last] or {}
      table.insert(paths[last], ("M%s %sh%sv%sh-%sz"):format(canvas.coordinate(left),
        canvas.coordinate(top), canvas.coordinate(right - left), canvas.coordinate(bottom - top),
        canvas.coordinate(right - left)))
    end
    for column = 1, columns do
      local value = heatmap.cell(chart, row, column)
      local step = value and math.min(theme.STEPS,
        math.floor(math.max(0, math.min(scale:at(value), 1)) * theme.STEPS) + 1) or 0
      if step ~= last then
        flush(column)
        from, last = column, step
      end
    end
    flush(columns + 1)
  end
  for step = 0, theme.STEPS do
    if paths[step] then
      c:element(('<path d="%s"%s'):format(table.concat(paths[step]),
        c:class(step == 0 and "none" or "h" .. step)))
    end
  end
end

--- Draws a heat map.
---@param chart tandem.HeatChart
---@return tandem.SvgChart
function heatmap.svg(chart)
  axes.need(chart, "heatmap", "values")
  local c = canvas.new(axes.width(chart.width, axes.WIDTH, 240), 0)
  local rows, columns = heatmap.shape(chart)
  local x_spec, y_spec = chart.x or {}, chart.y or {}
  local row_names, upwards = names_of(y_spec, rows)
  local column_names, x_numeric = names_of(x_spec, columns)
  local scale, values = scale_of(chart, 5)
  local room = 0
  for _, name in ipairs(row_names) do room = math.max(room, canvas.text_width(name)) end
  room = math.min(room, 0.3 * c.width)

  local y_title = ticks.axis({ label = y_spec.label }, 0, 1).title
  local top = axes.title(c, chart)
  local box = { left = axes.MARGIN + room + 10, top = top + 32,
    right = c.width - axes.MARGIN - axes.room(scale) - 44 }
  local width = (box.right - box.left) / math.max(1, columns)
  local height = math.max(4, math.min(44, axes.size(chart.height, 400, 160) / math.max(1, rows)))
  box.bottom = box.top + math.max(rows * height, 60)
  local words, unit = words_of(chart, values, width, height)
  local names, turned, below = thin_out(column_names, x_numeric, width)
  c.height = box.bottom + below + (x_spec.label and 28 or 12)

  local gap = width > 12 and height > 12 and 1 or 0
  local word = 0
  local every = math.max(1, math.ceil(NAME_HEIGHT / height))
  if rows * columns > MOST_CELLS then
    draw_shapes(c, chart, scale, rows, columns, {
      across = function(column) return math.floor(box.left + (column - 1) * width + 0.5) end,
      down = function(row)
        local y = upwards and box.bottom - row * height or box.top + (row - 1) * height
        return math.floor(y + 0.5), math.floor(y + height + 0.5)
      end })
  end
  for row = 1, rows do
    local y = upwards and box.bottom - row * height or box.top + (row - 1) * height
    local below_y = math.floor(y + height + 0.5)
    y = math.floor(y + 0.5)
    if (row - 1) % every == 0 then
      c:text(box.left - 8, y + height / 2 + 4, canvas.fit(row_names[row], room + 1), "tick end")
    end
    for column = 1, rows * columns > MOST_CELLS and 0 or columns do
      local value = heatmap.cell(chart, row, column)
      local x = math.floor(box.left + (column - 1) * width + 0.5)
      local across = math.floor(box.left + column * width + 0.5) - x - gap
      local down = below_y - y - gap
      local tip = ("%s, %s: %s"):format(column_names[column], row_names[row],
        ticks.value(value, { unit = chart.unit }))
      if value then
        word = word + 1
        local share = math.max(0, math.min(scale:at(value), 1))
        local step = math.min(theme.STEPS, math.floor(share * theme.STEPS) + 1)
        c:rect(x, y, across, down, "cell h" .. step, tip, gap * 2)
        if words then
          c:text(x + across / 2, y + height / 2 + 3.5, words[word], "small mid o" .. step)
        end
      else
        c:rect(x, y, across, down, "none cell", tip, gap * 2)
        c:hatch(x, y, across, down)
      end
    end
  end
  write_columns(c, names, box, width, turned)
  if x_spec.label then
    c:text((box.left + box.right) / 2, c.height - 14, canvas.fit(x_spec.label,
      c.width - 2 * axes.MARGIN), "name mid")
  end
  c:text(axes.MARGIN, box.top - 12, canvas.fit(y_title, c.width / 2), "name")
  local said = chart.label and tostring(chart.label) or ""
  if scale.title ~= "" then said = scale.title end
  if unit ~= "" and said == (chart.label and tostring(chart.label) or "") then
    said = said == "" and unit or said .. ", " .. unit
  end
  c:text(c.width - axes.MARGIN, box.top - 12, canvas.fit(said, c.width / 2), "name end")
  if #values > 0 then draw_scale(c, scale, box.right + 16, box) end
  if rows * columns == 0 then axes.nothing(c, box) end
  return c:finish(tostring(chart.title or "Heat map"), ("%d rows, %d columns"):format(rows,
    columns), chart.theme, chart.notes)
end

-- ---- in a terminal ----

local SHADES = { " ", "░", "▒", "▓", "█" }

local function shade(value, scale, style)
  local share = math.max(0, math.min(scale:at(value), 1))
  return style:text(SHADES[math.min(#SHADES, math.floor(share * #SHADES) + 1)])
end

-- Values as numbers in one unit, by cell; the width of the widest.
local function numbers_of(chart, values, style)
  local texts, unit = ticks.common(values, { unit = chart.unit })
  local widest = 0
  for _, text in ipairs(texts) do widest = math.max(widest, styles.columns(style:text(text))) end
  return texts, unit, widest
end

-- Names of columns, each as wide as its cells; those without room are left out.
local function header(names, cell, indent, style)
  local parts, used = { string.rep(" ", indent) }, 0
  for column, name in ipairs(names) do
    local text = style:text(styles.clean(name))
    local at = (column - 1) * cell
    local width = styles.columns(text)
    if at >= used and (width < cell or column == 1 or at >= used + 1 or used == 0) then
      if width >= cell and style.width - indent - at < width then
        break
      end
      parts[#parts + 1] = string.rep(" ", at - used) .. text
      used = at + width + (width >= cell and 1 or 0)
      if width >= cell then parts[#parts + 1] = " " end
    end
  end
  return table.concat(parts)
end

--- Draws a heat map.
---@param chart tandem.HeatChart
---@param style tandem.Style
---@return string[] lines
function heatmap.text(chart, style)
  local rows, columns = heatmap.shape(chart)
  local scale, values = scale_of(chart, 4)
  if #values == 0 then
    return { "(empty)" }
  end
  local row_names, upwards = names_of(chart.y or {}, rows)
  local column_names = names_of(chart.x or {}, columns)
  local indent = 0
  for index, name in ipairs(row_names) do
    row_names[index] = style:text(styles.clean(name))
    indent = math.max(indent, styles.columns(row_names[index]))
  end
  indent = math.min(indent, style.width // 4)
  local texts, unit, widest = numbers_of(chart, values, style)
  local numbered = indent + 1 + columns * (widest + 4) <= style.width
  local cell = numbered and widest + 4
    or math.max(1, math.min(6, (style.width - indent - 1) // columns))

  local at, drawn = 0, {}
  for row = 1, rows do
    local parts = {}
    for column = 1, columns do
      local value = heatmap.cell(chart, row, column)
      local mark = value and shade(value, scale, style) or style:text "╱"
      if value then at = at + 1 end
      if numbered then
        parts[column] = style:paint(string.rep(mark, 2), value and "cyan" or "dim") .. " "
          .. styles.pad(value and texts[at] or "", widest) .. " "
      else
        parts[column] = style:paint(string.rep(mark, cell), value and "cyan" or "dim")
      end
    end
    drawn[row] = (styles.pad(row_names[row], indent, "right") .. " "
      .. table.concat(parts)):gsub("%s+$", "")
  end

  local lines = {}
  local function add(text) lines[#lines + 1] = (text:gsub("%s+$", "")) end
  if chart.title then add(style:title(chart.title)) end
  local y_label = chart.y and chart.y.label
  if y_label then add(style:title(y_label, "dim")) end
  for row = 1, rows do add(drawn[upwards and rows + 1 - row or row]) end
  add(style:paint(header(column_names, cell, indent + 1, style), "dim"))
  local x_label = chart.x and chart.x.label
  if x_label then
    add(style:paint(string.rep(" ", indent + 1)
      .. styles.cut(style:text(styles.clean(x_label)), style.width - indent - 1), "dim"))
  end
  local said = {}
  if chart.label then said[1] = styles.clean(chart.label) .. (unit ~= "" and ", " .. unit or "") end
  if not chart.label and unit ~= "" then said[1] = unit end
  local steps = {}
  for _, one in ipairs(SHADES) do steps[#steps + 1] = style:text(one):rep(2) end
  said[#said + 1] = ticks.value(scale.low, { unit = chart.unit }) .. " " .. table.concat(steps)
    .. " " .. ticks.value(scale.high, { unit = chart.unit })
  add(style:text(table.concat(said, "  ")))
  return lines
end

return heatmap
