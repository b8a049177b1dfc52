--- HTML as text: escaping, elements, the files of src/viewer.
--
-- Owns the rule that nothing from a trace gets onto a page unescaped. Everything here returns HTML;
-- what a function calls `body` is HTML already, what it calls `text` is not.
local axes = require "tandem.plot.svg.axes"
local canvas = require "tandem.plot.svg.canvas"

local html = {}

--- Text for the inside of an element or of an attribute in double quotes.
html.escape = canvas.escape

--- The first characters of a text without broken UTF-8; the end that says so only where there are
--- more.
---@param text string
---@param count integer
---@param ending? string  default: "…"
---@return string
function html.cut(text, count, ending)
  local stop = #text > count and utf8.offset(text, count + 1)
  return stop and stop <= #text and text:sub(1, stop - 1) .. (ending or "…") or text
end

local OPTION <const> = "%-%-%l"

--- Text of the command line without what only it can do: sentences, clauses after a semicolon and
--- parentheses that name an option, and names of commands in parentheses.
---@param text string
---@return string
function html.without_options(text)
  text = text:gsub("%s*%(`?tandem [%l -]+`?%)", "")
  if not text:find(OPTION) then return text end
  text = text:gsub("%s*(%b())", function(inside) return inside:find(OPTION) and "" or nil end)
  local sentences = {}
  for sentence in (text .. " "):gmatch "(.-[.!?])%s+%f[%S\0]" do
    local clauses = {}
    for clause in (sentence:sub(1, -2) .. ";"):gmatch "%s*(.-);" do
      if not clause:find(OPTION) then clauses[#clauses + 1] = clause end
    end
    if #clauses > 0 then
      sentences[#sentences + 1] = table.concat(clauses, "; ") .. sentence:sub(-1)
    end
  end
  return table.concat(sentences, " ")
end

--- Prose of our own as HTML: `words` in backticks become code.
---@param text string
---@return string
function html.prose(text)
  return (html.escape(text):gsub("`([^`]+)`", "<code>%1</code>"))
end

--- A value as JSON inside a script element: nothing in it can end the element.
---@param value any
---@param options? table  of report.json
---@return string
function html.json(value, options)
  return html.json_inside(require("tandem.io.json").encode(value, options or {}))
end

--- JSON as it stands inside a script element: no markup, no characters that end lines or turn the
--- direction of text.
---@param text string
---@return string
function html.json_inside(text)
  return (text:gsub("[<>&]", function(c) return ("\\u%04x"):format(c:byte()) end)
    :gsub("\xE2\x80[\xA8-\xAE]", function(c)
      return ("\\u%04x"):format(utf8.codepoint(c))
    end))
end

--- A text as an id that no other text of this page has.
---@return fun(text: string): string
function html.ids()
  local taken = {}
  return function(text)
    local base = text:lower():gsub("[^%w]+", "-"):gsub("^%-+", ""):gsub("%-+$", "")
    if base == "" then base = "part" end
    local id, number = base, 1
    while taken[id] do
      number = number + 1
      id = base .. "-" .. number
    end
    taken[id] = true
    return id
  end
end

--- A source of src/viewer: "page.css".
---@param name string
---@return string
function html.source(name)
  return assert(require("tandem.embedded").read("src/viewer/" .. name))
end

-- Tiles in a line of a wide page, where one of them has a long text and where none has.
local MOST_LONG <const>, MOST_SHORT <const>, LONG <const> = 5, 6, 12

-- For so many tiles that they need several lines: how many to a line, so that none stands alone.
local function abreast(tiles)
  local longest = 0
  for _, tile in ipairs(tiles) do
    longest = math.max(longest, utf8.len(tile[2]) or #tile[2])
  end
  local lines = math.ceil(#tiles / (longest > LONG and MOST_LONG or MOST_SHORT))
  return lines > 1 and (' style="--abreast: %d"'):format(math.ceil(#tiles / lines)) or ""
end

--- Pairs { label, text } as a list of facts; `class` is "facts" or "tiles".
---@param class string
---@param pairs_ { [1]: string, [2]: string }[]
---@return string
function html.facts(class, pairs_)
  local parts = {}
  for i, pair in ipairs(pairs_) do
    local one = ("<dt>%s</dt><dd>%s</dd>"):format(html.escape(pair[1]),
      html.escape(canvas.minus(pair[2])))
    parts[i] = class == "tiles" and "<div>" .. one .. "</div>" or one
  end
  return ('<dl class="%s"%s>%s</dl>'):format(class, class == "tiles" and abreast(pairs_) or "",
    table.concat(parts, "\n"))
end

--- Sentences as a list.
---@param class string
---@param sentences string[]
---@return string  empty without sentences
function html.list(class, sentences)
  if #sentences == 0 then return "" end
  local parts = {}
  for i, sentence in ipairs(sentences) do
    parts[i] = "<li>" .. html.escape(canvas.minus(sentence)) .. "</li>"
  end
  return ('<ul class="%s">%s</ul>'):format(class, table.concat(parts, "\n"))
end

-- One drawing of a chart, which scrolls by itself where it does not fit.
local function drawing(svg, caption, class)
  svg = svg:gsub(' xmlns="[^"]*"', "", 1)
  local width = svg:match '^<svg[^>]- width="([%d.]+)"' or "0"
  return ('<div class="%s" style="--natural:%spx" tabindex="0" role="group" '
    .. 'aria-label="%s">%s</div>'):format(class, width, caption and html.escape(caption)
    or svg:match "<title>(.-)</title>" or "chart", svg)
end

-- The same chart at another width, unless it has a width of its own.
local function anew(draw, width, than, caption, class)
  local chart = axes.at(width, draw)
  return chart.width ~= than and drawing(chart.text, caption, "scroll " .. class) or ""
end

--- A chart inside a page; one that can be drawn anew also as narrow screens and wide rooms read it.
---@param chart tandem.SvgChart|tandem.Plot|string
---@param caption? string
---@return string
function html.figure(chart, caption)
  local others, again = "", type(chart) == "table" and (chart.parts and chart.parts.picture
    or chart.again)
  local text = tostring(chart.svg and chart:svg() or chart)
  if again then
    local width = tonumber(text:match '^<svg[^>]- width="([%d.]+)"')
    others = anew(again, axes.SLIM, width, caption, "slim")
    if width < axes.WIDE then others = others .. anew(again, axes.WIDE, width, caption, "wide") end
  end
  return ('<figure class="figure">%s%s%s</figure>'):format(drawing(text, caption, "scroll"),
    others, caption and "<figcaption>" .. html.escape(caption) .. "</figcaption>" or "")
end

return html
