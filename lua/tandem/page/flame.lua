--- A flame graph as a page: zoom, search, from the leaves, another run beside it.
--
-- Owns the data that goes into the page and the markup around it; drawing is src/viewer/flame.js's.
-- Without scripts there is the picture of flame/svg.lua.
local answers = require "tandem.page.answer"
local columns = require "tandem.analysis.columns"
local flame = require "tandem.flame"
local html = require "tandem.page.html"
local rows_of = require "tandem.store.rows"
local tables = require "tandem.page.table"

local page = {}

-- ---- data ----

-- Numbers of texts, each said once.
local function numbering()
  local list, known = {}, {}
  return list, function(text)
    local number = known[text]
    if not number then
      list[#list + 1] = text
      number = #list - 1
      known[text] = number
    end
    return number
  end
end

local function joined(frames, field)
  local parts = {}
  for i, frame in ipairs(frames) do parts[i] = ("%d"):format(frame[field] or 0) end
  return "[" .. table.concat(parts, ",") .. "]"
end

local LONGEST <const> = 1000  -- characters of a name: a page has thousands of them

-- Columns rather than objects: a frame is some twenty bytes.
local function data_of(graph)
  local frames, clean = graph.frames, require("tandem.plot.svg.canvas").clean
  local names, name_number = numbering()
  local kinds, kind_number = numbering()
  local name, kind = {}, {}
  for i, frame in ipairs(frames) do
    name[i] = name_number(html.cut(clean(frame.name), LONGEST))
    kind[i] = kind_number(frame.category)
  end
  local colors = {}
  for i, category in ipairs(kinds) do colors[i] = flame.color(category) end
  local lists = { lists = { names = true, kinds = true, colors = true } }
  local head = html.json({ unit = graph.unit, names = names, kinds = kinds, colors = colors,
    other = graph.against and clean(graph.against.run.name) or nil }, lists)
  local parts = { head:sub(1, -2), ',"name":[', table.concat(name, ","), '],"kind":[',
    table.concat(kind, ","), '],"depth":', joined(frames, "depth"), ',"self":',
    joined(frames, "self"), ',"count":', joined(frames, "count") }
  if graph.against then
    parts[#parts + 1] = ',"was":'
    parts[#parts + 1] = joined(frames, "was_self")
  end
  parts[#parts + 1] = "}"
  return table.concat(parts)
end

-- ---- markup ----

local function button(id, text, title)
  return ('<button type="button" class="button" id="%s" title="%s">%s</button>'):format(id,
    html.escape(title), html.escape(text))
end

local function toggle(id, text, title)
  return (button(id, text, title):gsub("<button ", '<button aria-pressed="false" ', 1))
end

local function graph_body(graph)
  local tools = {
    '<input type="search" id="flame-search" placeholder="Search: text or /pattern/" '
      .. 'aria-label="Search frames">',
    '<output id="flame-found" aria-live="polite"></output>',
    toggle("flame-leaves", "From the leaves", "Callers under what they call, by own weight"),
    button("flame-reset", "Whole", "Zoom out (Escape)"),
  }
  if graph.against then
    table.insert(tools, 3, toggle("flame-other", "Widths of the other run",
      "Shows what is gone as well"))
    table.insert(tools, 4, toggle("flame-shares", "Compare shares",
      "Colours by the share of each run instead of time"))
  end
  local noscript = tostring(require("tandem.flame.svg").draw(graph, { least_pixels = 1,
    deepest = 60 })):gsub(' xmlns="[^"]*"', "", 1)
  return table.concat({
    '<div class="flame" id="flame" hidden><div class="tools">', table.concat(tools, "\n"),
    "</div>", '<div class="flame-view" id="flame-view" tabindex="0" role="application" '
      .. 'aria-label="Flame graph. Arrow keys move among frames, Enter zooms in, Escape out." '
      .. 'aria-describedby="flame-info">',
    '<canvas id="flame-canvas" aria-hidden="true"></canvas><div id="flame-room"></div></div>',
    '<p class="flame-info" id="flame-info" aria-live="polite"></p>',
    '<div class="flame-tip" id="flame-tip" aria-hidden="true" hidden></div></div>',
    '<div class="flame-legend" id="flame-legend"></div>',
    "<noscript>", html.figure(noscript), "</noscript>",
    '<script type="application/json" id="flame-data">', data_of(graph), "</script>",
  }, "\n")
end

-- Functions of both runs, what changed most first.
local function changes(graph)
  local unit = graph.unit
  local by, rows = {}, {}
  local function take(answer, prefix)
    for _, row in ipairs(answer:rows()) do
      local key = row.category .. "\0" .. row.name
      local one = by[key]
      if not one then
        one = { name = row.name, category = row.category, now = 0, was = 0 }
        by[key] = one
        rows[#rows + 1] = one
      end
      one[prefix] = row["self_" .. unit]
    end
  end
  take(graph.answer, "now")
  take(graph.against, "was")
  for _, row in ipairs(rows) do
    row.change = row.now - row.was
    if row.was > 0 then row.ratio = row.now / row.was end
  end
  table.sort(rows, function(a, b)
    local x, y = math.abs(a.change), math.abs(b.change)
    if x ~= y then return x > y end
    return a.category .. a.name < b.category .. b.name
  end)
  local function weight(name, title)
    return { name = name, title = title, align = "right", show = function(value)
      local text = flame.words(graph, value)
      if name ~= "change" then return text end
      return { text = value > 0 and "+" .. text or text,
        color = value > 0 and "red" or value < 0 and "green" or nil }
    end }
  end
  return rows_of.new({ weight("change", "change"), weight("now", "own, this run"),
    weight("was", "own, other run"), columns.number("ratio", "times", 2),
    columns.text("category", "kind", { show = flame.kind }),
    columns.text("name", "function") }, rows)
end

--- The page.
---@param graph tandem.FlameGraph
---@return string
function page.of(graph)
  local answer = graph.answer
  local sections = { { id = "stacks", body = graph_body(graph) } }
  if graph.against then
    sections[2] = { title = "What changed", body = tables.of(changes(graph),
      { caption = "Functions by the change of their own weight" }) }
  else
    local functions = answer:frame "functions"
    sections[2] = { title = "Functions", body = tables.of(functions,
      { caption = "Functions by their own weight" }) }
  end
  sections[2].body = sections[2].body .. html.list("notes", answer:notes())
    .. answers.cannot(answer)
  return require("tandem.page.document").of {
    title = graph.title, eyebrow = "Flame graph · " .. answers.whose(answer.run, answer.filter),
    subtitle = graph.against and ("Compared with %s: red has grown, blue has shrunk."):format(
      graph.against.run.name) or nil,
    sections = sections, contents = false, styles = { "flame.css" }, scripts = { "flame.js" } }
end

return page
