--- A table of rows on a page: numbers to the right, shares with a bar, long names folded.
--
-- Owns the markup; sorting, searching and folding are src/viewer/page.js's. A page holds at most
-- MOST rows of a table and says how many it left out.
local canvas = require "tandem.plot.svg.canvas"
local html = require "tandem.page.html"
local format = require "tandem.text.format"
local places = require "tandem.page.place"
local rows_of = require "tandem.store.rows"
local styles = require "tandem.plot.style"

local tables = {}

--- So few columns, of short words, need not be as wide as the page.
local SLIGHT <const> = 4

--- Rows of one table on a page.
local MOST = 2000
--- Rows that are seen until more are asked for.
local FEW = 50

local LONG <const> = 72  -- characters of a text that is shown at once
local MORE <const> = 12  -- no text is cut for so few
local WHOLE <const> = 1000  -- and that is on the page at all: a page has thousands of them
local NARROW <const> = 6 -- columns that stand side by side on any screen but a telephone's
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

-- What is seen of the long texts of a column, by the text: cut by what tells one from the others.
local function seen_of(texts)
  local long, seen = {}, {}
  for _, text in ipairs(texts) do
    if (utf8.len(text) or #text) > LONG + MORE and not seen[text] then
      long[#long + 1] = html.cut(text, WHOLE, "")
      seen[text] = #long
    end
  end
  local cut = canvas.apart(long, LONG * canvas.text_width("n", 1), 1)
  for text, index in pairs(seen) do seen[text] = cut[index]:gsub("…$", "") end
  return seen
end

local function text_cell(text, seen, more)
  if more then
    return ('%s<p class="then">%s</p>'):format(html.escape(text),
      html.prose(html.without_options(more)))
  end
  if not seen[text] then return html.escape(text) end
  local whole = html.cut(text, WHOLE)
  if whole ~= text then
    whole = ("%s (the first %s of %s characters; CSV has all)"):format(whole,
      format.integer(WHOLE), format.integer(utf8.len(text) or #text))
  end
  return ('<details class="long"><summary>%s</summary><p>%s</p></details>'):format(
    html.escape(seen[text]), html.escape(whole))
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
    local longest, texts = 0, {}
    for i, row in ipairs(rows) do
      texts[i] = styles.clean((shown(column, row[column.name], row)))
      longest = math.max(longest, #texts[i])
    end
    made.class = longest <= SHORT and "short" or "text"
    made.seen = column.more and {} or seen_of(texts)
  end
  made.meter = numeric and right and is_share(column)
  return made
end

-- Columns that have a value in some row; all, where none has.
local function filled(layouts, rows)
  local kept = {}
  for _, layout in ipairs(layouts) do
    for _, row in ipairs(rows) do
      if row[layout.column.name] ~= nil then
        kept[#kept + 1] = layout
        break
      end
    end
  end
  return #kept > 0 and kept or layouts
end

-- What a row is called comes last in a terminal, where it may be cut; on a page it comes first, as
-- the head of its row, and a long one never stands beyond the edge of a wide table.
local function lead_with_names(layouts)
  local last = layouts[#layouts]
  if #layouts < 2 or last.right then return end
  if not layouts[1].right and (#layouts < NARROW or last.class ~= "text") then return end
  last.head = true
  table.insert(layouts, 1, table.remove(layouts))
end

-- What stands above a column. Where others are headed alike, a share says that it is one and the
-- rest what they are parts of: by their names.
local function heads_of(layouts)
  local heads, count, shares = {}, {}, {}
  for i, layout in ipairs(layouts) do
    local column = layout.column
    heads[i] = column.plain or column.head or column.title or column.name
    if heads[i] == "" then heads[i] = column.name:gsub("_", " ") end
    if is_share(column) then
      shares[heads[i]] = (shares[heads[i]] or 0) + 1
    end
    count[heads[i]] = (count[heads[i]] or 0) + 1
  end
  for i, layout in ipairs(layouts) do
    local head, name = heads[i], layout.column.name
    if count[head] > 1 then
      if shares[head] == 1 and is_share(layout.column) then
        heads[i] = head .. " share"
      elseif count[head] - (shares[head] or 0) > 1 or (shares[head] or 0) > 1 then
        heads[i] = name:gsub("_ns$", ""):gsub("_", " ")
      end
    end
  end
  return heads
end

local function number_of(value)
  if math.type(value) == "integer" then return ("%d"):format(value) end
  return (("%.17g"):format(value))
end

local function cell(layout, row, unknown)
  local value = row[layout.column.name]
  local text, color = shown(layout.column, value, row)
  if value == nil and layout.numeric then text = unknown or text end
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
  local inside = layout.right and html.escape(canvas.minus(text))
    or text_cell(styles.clean(text), layout.seen, row[layout.column.more])
  return ('<%s class="%s"%s>%s</%s>'):format(element, class, more, inside, element:match "^%a+")
end

---@class tandem.PageTableOptions
---@field caption? string
---@field few? integer   rows that are seen until more are asked for (default: FEW)
---@field most? integer  rows on the page (default: MOST)
---@field all? integer   rows that there are, where the table has not all of them
---@field unknown? string  stands where a row has no number (default: nothing)
---@field rest? string   where all rows are (default: "CSV has all")
---@field timeline_ns? integer  where the page has the run's timeline: added to times, places in it
---@field spans? string[]  fields of rows that name spans, which that timeline finds
---@field beside? tandem.AnswerFrame[]  all tables of the answer: rows that a row here may sum up
---@field of? tandem.RowTable  the table of these that is drawn
---@field categories? table<string, true>  of the run's spans
---@field tracks? boolean  rows are tracks

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
    if not column.hidden then layouts[#layouts + 1] = layout_of(column, rows) end
  end
  layouts = filled(layouts, rows)
  local slight = #layouts <= SLIGHT
  for _, layout in ipairs(layouts) do slight = slight and layout.class ~= "text" end
  lead_with_names(layouts)
  local heads = heads_of(layouts)
  for i, layout in ipairs(layouts) do
    head[i] = ('<th scope="col"%s><span>%s</span></th>'):format(
      layout.right and ' class="right"' or layout.head and ' class="lead"' or "",
      html.escape(heads[i]))
  end
  local body = {}
  for i, row in ipairs(rows) do
    local cells = {}
    for k, layout in ipairs(layouts) do cells[k] = cell(layout, row, options.unknown) end
    body[i] = ("<tr%s>%s</tr>"):format(places.attributes(row, options), table.concat(cells))
  end
  local caption = options.caption
  local label = html.escape(caption or "table")
  local left_out = all > most and ('<ul class="notes"><li>%s</li></ul>'):format(html.escape(
    ("the first %s of %s rows; %s"):format(format.integer(most), format.integer(all),
      options.rest or "CSV has all"))) or ""
  return ('<div class="table%s" data-few="%d" aria-label="%s" role="group">'
    .. '<div class="scroll-rows" tabindex="0" role="region" aria-label="%s">\n<table>%s'
    .. "<thead><tr>%s</tr></thead>\n<tbody>\n%s\n</tbody></table></div></div>%s"):format(
    slight and " slight" or "", options.few or FEW, label, label,
    caption and ("<caption><span>%s</span></caption>"):format(html.escape(caption)) or "",
    table.concat(head), table.concat(body, "\n"), left_out)
end

return tables
