--- A table of rows on a page: numbers to the right, shares with a bar, long names folded.
--
-- Owns the markup; sorting, searching and folding are src/viewer/page.js's. A page holds at most
-- MOST rows of a table and says how many it left out.
local html = require "tandem.page.html"
local format = require "tandem.text.format"
local rows_of = require "tandem.store.rows"

local tables = {}

--- Rows of one table on a page.
local MOST = 2000
--- Rows that are seen until more are asked for.
local FEW = 50

local LONG <const> = 72  -- characters of a text that is shown at once
local WHOLE <const> = 1000  -- and that is on the page at all: a page has thousands of them
local SHORT <const> = 28  -- texts up to here stay on one line

local COLORS <const> = { green = "good", red = "bad" }

local function is_numeric(rows, name)
  local any = false
  for _, row in ipairs(rows) do
    local value = row[name]
    if value ~= nil and type(value) ~= "number" then return false end
    any = any or value ~= nil
  end
  return any
end

-- What people read of a value, and the class of its colour.
local function shown(column, value, row)
  local cell = value ~= nil and column.show and column.show(value, row) or nil
  if type(cell) == "table" then return cell.text, COLORS[cell.color] end
  if type(cell) == "string" then return cell end
  return rows_of.text(value)
end

local function text_cell(text)
  text = require("tandem.plot.style").clean(text)
  local length = utf8.len(text) or #text
  if length <= LONG + 12 then return html.escape(text) end
  local whole = html.cut(text, WHOLE)
  if whole ~= text then
    whole = ("%s (the first %s of %s characters; CSV has all)"):format(whole,
      format.integer(WHOLE), format.integer(length))
  end
  return ('<details class="long"><summary>%s</summary><p>%s</p></details>'):format(
    html.escape(html.cut(text, LONG, "")), html.escape(whole))
end

local function is_share(column) return column.name == "share" or column.name:find "_share$" end

-- How a column is drawn: its class and whether its cells carry a number to sort by.
local function layout_of(column, rows)
  local numeric = is_numeric(rows, column.name)
  local right = column.align == "right" or (column.align == nil and numeric)
  local made = { column = column, right = right, numeric = numeric }
  if right then
    made.class = "right"
  else
    local longest = 0
    for _, row in ipairs(rows) do
      longest = math.max(longest, #shown(column, row[column.name], row))
    end
    made.class = longest <= SHORT and "short" or "text"
  end
  made.meter = numeric and right and is_share(column)
  return made
end

-- What a row is called comes last in a terminal, where it may be cut; on a page it comes first, as
-- the head of its row.
local function lead_with_names(layouts)
  local last = layouts[#layouts]
  if #layouts < 2 or last.right or not layouts[1].right then return end
  last.head = true
  table.insert(layouts, 1, table.remove(layouts))
end

local function number_of(value)
  if math.type(value) == "integer" then return ("%d"):format(value) end
  return (("%.17g"):format(value))
end

local function cell(layout, row)
  local value = row[layout.column.name]
  local text, color = shown(layout.column, value, row)
  local class, more = layout.class, ""
  if color then class = class .. " " .. color end
  if type(value) == "number" and value == value and math.abs(value) < math.huge then
    more = (' data-v="%s"'):format(number_of(value))
    if layout.meter then
      class = class .. " meter"
      more = more .. (' style="--w:%.1f%%"'):format(100 * math.max(0, math.min(value, 1)))
    end
  end
  local element = layout.head and 'th scope="row"' or "td"
  return ('<%s class="%s"%s>%s</%s>'):format(element, class, more,
    layout.right and html.escape(text) or text_cell(text), element:match "^%a+")
end

---@class tandem.PageTableOptions
---@field caption? string
---@field few? integer   rows that are seen until more are asked for (default: FEW)
---@field most? integer  rows on the page (default: MOST)
---@field all? integer   rows that there are, where the table has not all of them
---@field rest? string   where all rows are (default: "CSV has all")
---@field timeline_ns? integer  where the page has the run's timeline: added to at_ns, a place in it

-- Where a row's time lies in the timeline of its page: page.js makes a way there of it.
local function place_of(row, timeline_ns)
  if not timeline_ns or math.type(row.at_ns) ~= "integer" then return "" end
  local length = row.dur_ns or row.gap_ns or row.total_ns
    or row.from_ns and row.to_ns and row.to_ns - row.from_ns or 0
  local from = row.at_ns + timeline_ns
  return (' data-place="%d..%d"'):format(from, from + (math.tointeger(length) or 0))
end

--- A RowTable as HTML.
---@param rowtable tandem.RowTable
---@param options? tandem.PageTableOptions
---@return string
function tables.of(rowtable, options)
  options = options or {}
  local rows, all = rowtable.rows, options.all or #rowtable.rows
  local most = options.most or MOST
  if #rows > most then rows = rowtable:first(most).rows end
  local layouts, head = {}, {}
  for _, column in ipairs(rowtable.columns) do
    if not column.hidden then
      local layout = layout_of(column, rows)
      layouts[#layouts + 1] = layout
    end
  end
  lead_with_names(layouts)
  for i, layout in ipairs(layouts) do
    head[i] = ('<th scope="col"%s><span>%s</span></th>'):format(
      layout.right and ' class="right"' or layout.head and ' class="lead"' or "",
      html.escape(layout.column.head or layout.column.title or layout.column.name))
  end
  local body = {}
  for i, row in ipairs(rows) do
    local cells = {}
    for k, layout in ipairs(layouts) do cells[k] = cell(layout, row) end
    body[i] = ("<tr%s>%s</tr>"):format(place_of(row, options.timeline_ns), table.concat(cells))
  end
  local caption = options.caption
  local label = html.escape(caption or "table")
  local left_out = all > most and ('<ul class="notes"><li>%s</li></ul>'):format(html.escape(
    ("the first %s of %s rows; %s"):format(format.integer(most), format.integer(all),
      options.rest or "CSV has all"))) or ""
  return ('<div class="table" data-few="%d" aria-label="%s" role="group">'
    .. '<div class="scroll-rows" tabindex="0" role="region" aria-label="%s">\n<table>%s'
    .. "<thead><tr>%s</tr></thead>\n<tbody>\n%s\n</tbody></table></div></div>%s"):format(
    options.few or FEW, label, label,
    caption and ("<caption><span>%s</span></caption>"):format(html.escape(caption)) or "",
    table.concat(head), table.concat(body, "\n"), left_out)
end

return tables
