--- Colours and type of the SVG charts, as a style sheet.
--
-- Owns every colour, for light and for dark surroundings, and every class that a chart may use. The
-- eight series colours stay apart for the common kinds of colour blindness (least distance in OKLab
-- 0.12 under simulated protanopia, deuteranopia and tritanopia); the steps of the heat map are
-- equal in OKLab lightness. A sheet holds only the classes that a chart uses.
local theme = {}

theme.SERIES = 8
theme.STEPS = 16
-- How far a frame of two runs has grown or shrunk.
theme.LEVELS = 5

local FONT = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif'

local LIGHT = {
  paper = "#ffffff", ink = "#1f2328", muted = "#59636e", grid = "#e6eaef", axis = "#9aa4af",
  faded = "#8c959f", limit = "#cf222e", shrunk = "#2e70ef",
  series = { "#2e70ef", "#d44c06", "#267061", "#ad489c", "#cd8d16", "#0ba5e4", "#5b399b",
    "#882925" },
  words = { "#2563dd", "#bd4405", "#267061", "#a03f90", "#8a5c00", "#0573a6", "#5b399b",
    "#882925" },
  heat = { "#eaf5fc", "#d2eafa", "#bcdef6", "#a7d2f2", "#93c6ed", "#81b9e6", "#70acdf", "#619fd7",
    "#5491cd", "#4884c3", "#3e77b8", "#356aac", "#2d5e9f", "#275191", "#214683", "#1c3a73" },
  near = "#1f2328", far = "#ffffff",
}
local DARK = {
  paper = "#0d1117", ink = "#e6edf3", muted = "#9da7b3", grid = "#222932", axis = "#59636e",
  faded = "#7d8590", limit = "#ff7b72", shrunk = "#4b7afd",
  series = { "#4b7afd", "#ff8421", "#3ccf9e", "#cc97f1", "#f3cc60", "#a5dffe", "#9a7ac9",
    "#c75556" },
  words = { "#6f95ff", "#ff8421", "#3ccf9e", "#cc97f1", "#f3cc60", "#a5dffe", "#ab90d4",
    "#e07474" },
  heat = { "#1b2331", "#202e45", "#243a59", "#28466c", "#2c537e", "#30618f", "#366fa0", "#3d7db0",
    "#458cbe", "#509acb", "#5da9d8", "#6cb8e3", "#7dc7ed", "#91d5f7", "#a6e3ff", "#c9effe" },
  near = "#e6edf3", far = "#0d1117",
}
-- The first step of the heat map on which words are written in the other colour.
local FAR_FROM = { light = 11, dark = 9 }

-- { class, declarations that never change, declarations of colours }: $name is a colour above.
local RULES = {
  { "title", "font-size:16px;font-weight:600", "fill:$ink" },
  { "subtitle", "font-size:13px", "fill:$muted" },
  { "name", "font-size:12px", "fill:$muted" },
  { "note", "font-size:11px;font-style:italic", "fill:$muted" },
  { "tick", "font-size:12px;font-variant-numeric:tabular-nums", "fill:$muted" },
  { "word", "font-size:12px", "fill:$ink" },
  { "strong", "font-weight:600" },
  { "small", "font-size:11px;font-variant-numeric:tabular-nums" },
  { "end", "text-anchor:end" },
  { "mid", "text-anchor:middle" },
  { "halo", "paint-order:stroke;stroke-width:4px;stroke-linejoin:round", "stroke:$paper" },
  { "paper", "", "fill:$paper" },
  { "grid", "stroke-width:1px;fill:none", "stroke:$grid" },
  { "axis", "stroke-width:1px;fill:none", "stroke:$axis" },
  { "line", "fill:none;stroke-width:2.25px;stroke-linejoin:round;stroke-linecap:round" },
  { "front", "fill:none;stroke-width:1.75px;stroke-linejoin:round;stroke-opacity:.75" },
  { "thin", "fill:none;stroke-width:1px;stroke-opacity:.6" },
  { "dash", "stroke-dasharray:7 4" },
  { "band", "fill-opacity:.16" },
  { "mark", "stroke-width:1.5px", "stroke:$paper" },
  { "open", "stroke-width:1.75px", "fill:$paper" },
  { "whisker", "fill:none;stroke-width:1.25px;stroke-opacity:.75", "stroke:$ink" },
  { "dot", "fill:none;stroke-width:5px;stroke-linecap:round;stroke-opacity:.7" },
  { "limit", "fill:none;stroke-width:1.5px;stroke-dasharray:5 4", "stroke:$limit" },
  { "limit-word", "font-size:12px;font-weight:600", "fill:$limit" },
  { "base", "fill:none;stroke-width:1.5px", "stroke:$ink" },
  { "faded", "fill-opacity:.4", "fill:$faded" },
  { "faint", "stroke-opacity:.35;stroke-width:1px;fill:none", "stroke:$faded" },
  { "pale", "fill-opacity:.45" },
  { "sheer", "fill-opacity:.58" },
  { "hatch", "fill:none;stroke-width:1.25px;stroke-opacity:.6", "stroke:$faded" },
  { "none", "", "fill:$grid" },
  { "label", "font-size:11px", "fill:$ink" },
}
for level = 1, theme.LEVELS do
  local opacity = ("fill-opacity:%.2f"):format(0.1 + 0.13 * level)
  RULES[#RULES + 1] = { "grown" .. level, opacity, "fill:$limit" }
  RULES[#RULES + 1] = { "shrunk" .. level, opacity, "fill:$shrunk" }
end
for index = 1, theme.SERIES do
  for _, rule in ipairs { { "s", "stroke:$series" }, { "f", "fill:$series" },
    { "t", "fill:$words" } } do
    RULES[#RULES + 1] = { rule[1] .. index, "", rule[2] .. index }
  end
end
for step = 1, theme.STEPS do
  RULES[#RULES + 1] = { "h" .. step, "", "fill:$heat" .. step }
  RULES[#RULES + 1] = { "o" .. step, "", "fill:$on" .. step }
end

local function color_of(colors, kind, name)
  local list, index = name:match "^(%a+)(%d+)$"
  if list == "on" then
    return tonumber(index) >= FAR_FROM[kind] and colors.far or colors.near
  elseif list then
    return colors[list][tonumber(index)]
  end
  return colors[name]
end

local function paint(colors, kind, declarations)
  return (declarations:gsub("%$(%w+)", function(name)
    return assert(color_of(colors, kind, name), name)
  end))
end

-- Many charts share a page and their sheets follow one another: what refines another class has the
-- greater weight, wherever its rule stands.
local function selector_of(class)
  local refines = class == "small" or class:find "^[to]%d+$"
  return refines and (".tdm .%s.%s"):format(class, class) or ".tdm ." .. class
end

--- The style sheet for the classes that a chart uses.
---@param used table<string, boolean>
---@param scheme? "auto"|"light"|"dark"  auto (the default) follows the reader's settings
---@return string
function theme.sheet(used, scheme)
  local first = scheme == "dark" and DARK or LIGHT
  local first_kind = scheme == "dark" and "dark" or "light"
  local lines, dark = { ".tdm{font-family:" .. FONT .. "}" }, {}
  for _, rule in ipairs(RULES) do
    local class, fixed, colors = rule[1], rule[2], rule[3]
    if used[class] then
      local parts = {}
      if fixed ~= "" then parts[#parts + 1] = fixed end
      if colors then
        parts[#parts + 1] = paint(first, first_kind, colors)
        dark[#dark + 1] = ("%s{%s}"):format(selector_of(class), paint(DARK, "dark", colors))
      end
      lines[#lines + 1] = ("%s{%s}"):format(selector_of(class), table.concat(parts, ";"))
    end
  end
  if scheme ~= "light" and scheme ~= "dark" and #dark > 0 then
    lines[#lines + 1] = "@media (prefers-color-scheme:dark){\n" .. table.concat(dark, "\n") .. "\n}"
  end
  return table.concat(lines, "\n")
end

-- Besides the charts': what lies behind a row in hand, and the bar under a share.
local PAGE = {
  light = { wash = "#f5f7fa", bar = "#a9c5f8" },
  dark = { wash = "#161c25", bar = "#2f55a6" },
}

local function properties_of(colors, page)
  local names, lines = {}, {}
  for name, value in pairs(colors) do
    if type(value) == "string" then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    lines[#lines + 1] = ("--%s:%s"):format(name, colors[name])
  end
  for _, list in ipairs { "series", "words" } do
    for index, value in ipairs(colors[list]) do
      lines[#lines + 1] = ("--%s%d:%s"):format(list, index, value)
    end
  end
  lines[#lines + 1] = "--wash:" .. page.wash
  lines[#lines + 1] = "--bar:" .. page.bar
  return table.concat(lines, ";")
end

--- The same colours and type as properties of a page's root: var(--ink), var(--series1) …
---@return string
function theme.properties()
  return (":root{--font:%s;%s}\n@media (prefers-color-scheme:dark){:root{%s}}"):format(FONT,
    properties_of(LIGHT, PAGE.light), properties_of(DARK, PAGE.dark))
end

-- $name as a property of the root.
local function painted(declarations) return (declarations:gsub("%$(%w+)", "var(--%1)")) end

local function heat_of(colors, kind)
  local lines = {}
  for step, value in ipairs(colors.heat) do
    lines[#lines + 1] = ("--heat%d:%s;--on%d:%s"):format(step, value, step,
      color_of(colors, kind, "on" .. step))
  end
  return table.concat(lines, ";")
end

--- A style sheet for a site: the properties, where data-theme="light" or "dark" at the root goes
--- before the reader's settings; and every class of the charts in these colours, so that charts
--- can stand on its pages without style sheets of their own.
---@return string
function theme.site()
  local light = properties_of(LIGHT, PAGE.light) .. ";" .. heat_of(LIGHT, "light")
  local dark = properties_of(DARK, PAGE.dark) .. ";" .. heat_of(DARK, "dark")
  local lines = { (":root{--font:%s;%s}"):format(FONT, light),
    ('@media (prefers-color-scheme:dark){:root:not([data-theme="light"]){%s}}'):format(dark),
    (':root[data-theme="dark"]{%s;color-scheme:dark}'):format(dark),
    ':root[data-theme="light"]{color-scheme:light}', ".tdm{font-family:var(--font)}" }
  for _, rule in ipairs(RULES) do
    lines[#lines + 1] = (".tdm .%s{%s}"):format(rule[1],
      (rule[2] .. ";" .. painted(rule[3] or "")):gsub("^;", ""):gsub(";$", ""))
  end
  return table.concat(lines, "\n") .. "\n"
end

return theme
