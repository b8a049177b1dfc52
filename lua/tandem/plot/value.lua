--- A plot as a value: it prints itself in a terminal and has other forms (SVG, a page, CSV).
--
-- Owns `tandem.Plot`: which form a file's name asks for, and that a form is drawn when it is asked
-- for. How a plot is drawn and which rows it shows come from the maker (tandem.plot).
local outfile = require "tandem.io.outfile"
local styles = require "tandem.plot.style"

local value = {}

---@class tandem.Plot
---@field kind string       "lines", "bars", …
---@field title? string
---@field lines fun(style: tandem.Style): string[]
---@field style? tandem.Style  where it is printed, instead of the process's standard output
---@field parts tandem.PlotParts  internal
---@field drawn? tandem.SvgChart  internal
local Plot = { __name = "tandem.Plot" }
Plot.__index = Plot

---@class tandem.PlotParts
---@field kind string
---@field title? string
---@field lines fun(style: tandem.Style): string[]
---@field picture fun(): tandem.SvgChart
---@field rows fun(most?: integer): tandem.RowTable, integer?  all to be drawn, or the first
---                  rows; and how many there are
---@field notes? string[]  what is not as one would think: what was left out, and why

--- A plot from the functions that draw it.
---@param parts tandem.PlotParts
---@param style? tandem.Style
---@return tandem.Plot
function value.new(parts, style)
  local function lines(where)
    local drawn = parts.lines(where)
    for _, note in ipairs(parts.notes or {}) do
      for _, line in ipairs(styles.wrap(where:text(styles.clean(note)), where.width)) do
        drawn[#drawn + 1] = where:paint(line, "dim")
      end
    end
    return drawn
  end
  return setmetatable({ kind = parts.kind, title = parts.title, lines = lines, style = style,
    parts = parts }, Plot)
end

-- The text of a form, or what became of writing it.
local function give(text, path)
  if path == nil then return text end
  return outfile.write(path, text)
end

--- The plot as a terminal shows it: as wide as told (40 to 110 columns), in ASCII or Unicode.
---@param style? tandem.Style|{ width?: integer, unicode?: boolean, color?: boolean }
---@return string
function Plot:text(style)
  if style == nil then
    style = self.style or styles.detect(1)
  elseif not style.text then
    style = styles.new(style)
  end
  return table.concat(self.lines(style --[[@as tandem.Style]]), "\n")
end

Plot.__tostring = function(self) return self:text() end

--- The picture: its text, or with a file's name that file is written.
---@param path? string
---@return string|boolean|nil
---@return string|nil message
---@return integer|nil code
function Plot:svg(path)
  self.drawn = self.drawn or self.parts.picture()
  return give(self.drawn.text, path)
end

--- The picture for a narrow screen.
---@return string
function Plot:slim()
  local axes = require "tandem.plot.svg.axes"
  return axes.at(axes.SLIM, self.parts.picture).text
end

--- The picture for a room as wide as a page.
---@return string
function Plot:wide()
  local axes = require "tandem.plot.svg.axes"
  return axes.at(axes.WIDE, self.parts.picture).text
end

--- A page of its own: the picture, buttons that save it as PNG and SVG, its figures as a table.
---@param path? string
---@return string|boolean|nil
---@return string|nil message
---@return integer|nil code
function Plot:html(path)
  return give(require("tandem.page.plot").of(self), path)
end

--- What was to be drawn, as rows that sort, filter and print themselves.
---@return tandem.RowTable
function Plot:table() return (self.parts.rows()) end

--- Its first rows, and how many there are.
---@param most integer
---@return tandem.RowTable
---@return integer all
function Plot:head(most)
  local rows, all = self.parts.rows(most)
  return rows, all or #rows.rows
end

--- The rows as CSV.
---@param path? string
---@return string|boolean|nil
---@return string|nil message
---@return integer|nil code
function Plot:csv(path) return give(self:table():to_csv(), path) end

local FORMS <const> = {
  svg = Plot.svg, html = Plot.html, htm = Plot.html, csv = Plot.csv,
  txt = function(self, path)
    return give(self:text(styles.new { unicode = true }) .. "\n", path)
  end,
}
local ENDINGS <const> = ".svg, .html, .csv, .txt"

--- Writes the form that the file's name asks for: .svg, .html, .csv or .txt.
---@param path string
---@return boolean|nil saved
---@return string|nil message
---@return integer|nil code
function Plot:save(path)
  if type(path) ~= "string" then
    error(("save wants a file's name, not %s"):format(type(path)), 2)
  end
  local form = FORMS[(path:match "%.(%w+)$" or ""):lower()]
  if not form then
    return nil, ("cannot save a plot as %s: its ending is none of %s"):format(path, ENDINGS), 2
  end
  return form(self, path)
end

return value
