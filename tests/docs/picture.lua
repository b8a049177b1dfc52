-- The README's picture: the report of the demo as a terminal shows it, drawn as SVG.
--
--   build/tandem lua tests/docs/picture.lua > scenarios/img/demo.svg
--
-- The same report gives the same bytes; tests/cli/readme.txt compares them. Blocks and lines are
-- drawn as shapes, and words stand at the columns where a terminal would put them, so that the
-- picture does not depend on the font of whoever looks at it.

local styles = require "tandem.plot.style"

local COLUMNS <const> = 88
local CELL <const> = 7.8    -- width of a column
local LINE <const> = 17     -- height of a line
local SIZE <const> = 13     -- of the type
local MARGIN <const> = 16
local HEAD <const> = 30     -- above the first line: the window's bar

local INK <const> = "#d0d7de"
local PAPER <const> = "#10151c"
local PAINT = {
  ["1"] = { fill = "#ffffff", weight = "bold" }, ["2"] = { fill = "#8b949e" },
  ["31"] = { fill = "#ff7b72" }, ["32"] = { fill = "#56d364" }, ["33"] = { fill = "#e3b341" },
  ["36"] = { fill = "#56d4dd" },
}

local out = {}
local function put(text, ...) out[#out + 1] = text:format(...) end

local function escape(text)
  return (text:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }))
end

local function number(x) return (("%.2f"):format(x):gsub("%.?0+$", "")) end

-- What a character is when it is no letter: x, y, width, height as shares of its cell, and opacity.
local SHAPES = { ["░"] = { 0, 0.15, 1, 0.75, 0.3 }, ["─"] = { 0, 0.5, 1, 0.06, 0.6 },
  ["│"] = { 0.45, 0, 0.12, 1, 0.6 } }
for eighths, block in ipairs { "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" } do
  SHAPES[block] = { 0, 0.15, eighths / 8, 0.75, 1 }
end
for eighths, block in ipairs { "▁", "▂", "▃", "▄", "▅", "▆", "▇" } do
  SHAPES[block] = { 0, 0.9 - 0.75 * eighths / 8, 1, 0.75 * eighths / 8, 1 }
end

-- The characters of a line with column and paint; escape sequences taken out.
local function cells_of(line)
  local cells, paint, column, at = {}, {}, 0, 1
  while at <= #line do
    local code, after = line:match("^\27%[(%d+)m()", at)
    if code then
      paint, at = PAINT[code] or {}, after
    else
      local character = line:match("^" .. utf8.charpattern, at)
      cells[#cells + 1] = { text = character, column = column, paint = paint }
      column, at = column + styles.columns(character), at + #character
    end
  end
  return cells
end

local function draw_shape(cell, count, top)
  local shape = SHAPES[cell.text]
  put('<rect x="%s" y="%s" width="%s" height="%s" fill="%s"%s/>',
    number(MARGIN + (cell.column + shape[1]) * CELL), number(top + shape[2] * LINE),
    number((count - 1 + shape[3]) * CELL), number(shape[4] * LINE), cell.paint.fill or INK,
    shape[5] < 1 and (' opacity="%s"'):format(number(shape[5])) or "")
end

local function draw_words(cell, text, top)
  put('<text x="%s" y="%s" textLength="%s"%s%s>%s</text>', number(MARGIN + cell.column * CELL),
    number(top + 0.74 * LINE), number(styles.columns(text) * CELL),
    cell.paint.fill and (' fill="%s"'):format(cell.paint.fill) or "",
    cell.paint.weight and (' font-weight="%s"'):format(cell.paint.weight) or "", escape(text))
end

-- One line: runs of one shape, and words of one paint with single spaces inside.
local function draw_line(line, top)
  local cells = cells_of(line)
  local i = 1
  while i <= #cells do
    local first, j = cells[i], i
    local function joins(next_cell)
      return next_cell ~= nil and next_cell.paint == first.paint
    end
    if SHAPES[first.text] then
      local stretches = SHAPES[first.text][3] == 1
      while stretches and joins(cells[j + 1]) and cells[j + 1].text == first.text do j = j + 1 end
      draw_shape(first, j - i + 1, top)
    elseif first.text ~= " " then
      local text = first.text
      while joins(cells[j + 1]) and not SHAPES[cells[j + 1].text] do
        local ahead = cells[j + 1].text
        if ahead == " " then
          local beyond = cells[j + 2]
          if not joins(beyond) or beyond.text == " " or SHAPES[beyond.text] then break end
        end
        text, j = text .. ahead, j + 1
      end
      draw_words(first, text, top)
    end
    i = j + 1
  end
end

local base = assert(require("tandem.sandbox").load_scenario "scenarios/01-demo.lua")
local result = assert(base:run {})
local style = styles.new { width = COLUMNS, unicode = true, color = true }
local report = result:report { style = style, file = "demo", advice = false }

local lines = { style:paint("$", "green") .. " tandem run demo", "" }
for line in (report .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
while lines[#lines] == "" do lines[#lines] = nil end

local width = 2 * MARGIN + COLUMNS * CELL
local height = HEAD + #lines * LINE + MARGIN
put('<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%s" height="%s" '
  .. 'viewBox="0 0 %s %s">',
  number(width), number(height), number(width), number(height))
put("<title>The report of tandem run demo</title>")
put('<rect width="100%%" height="100%%" rx="8" fill="%s"/>', PAPER)
for index, color in ipairs { "#ff5f57", "#febc2e", "#28c840" } do
  put('<circle cx="%d" cy="16" r="5" fill="%s"/>', MARGIN + 5 + (index - 1) * 18, color)
end
put('<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="%d" fill="%s" '
  .. 'shape-rendering="crispEdges">', SIZE, INK)
for index, line in ipairs(lines) do draw_line(line, HEAD + (index - 1) * LINE) end
put("</g>")
put("</svg>")
io.write(table.concat(out, "\n"), "\n")
