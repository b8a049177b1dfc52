--- The manual's chapters as sections of the page of `tandem doc`.
--
-- Owns how blocks (help/markdown.lua) look in HTML, and where links of chapters lead on that page:
-- #topic-NAME for chapters and sections by their first names; other names are anchors beside them.
local html = require "tandem.page.html"
local inserts = require "tandem.help.inserts"
local manual_of = require "tandem.help.manual"
local markdown = require "tandem.help.markdown"
local styles = require "tandem.plot.style"

local manual = {}

local STYLE <const> = styles.new { width = 96, unicode = true, color = false }

--- Code, line by line: escaping leaves no control character as it is.
---@param text string
---@return string
function manual.code_block(text)
  local lines = {}
  for line in (text:gsub("\t", "    ") .. "\n"):gmatch "(.-)\n" do
    lines[#lines + 1] = html.escape(line)
  end
  return '<pre class="source"><code>' .. table.concat(lines, "\n") .. "</code></pre>"
end

local function anchor_of(section) return "topic-" .. section.names[1] end

-- ---- links

local commands

-- Where a piece of code leads: `tandem help NAME`, `tandem run …`, `td.gpu`.
local function leads_to(text)
  if not commands then
    commands = {}
    for _, name in ipairs(require("tandem.cli").commands) do commands[name] = true end
  end
  local topic = text:match "^tandem help (%w[%w_.:-]*)$"
  if topic then
    local section = manual_of.section(topic)
    return commands[topic] and "command-" .. topic or section and anchor_of(section)
      or require("tandem.language.node").types[topic] and "keys-" .. topic or topic
  end
  local command = text:match "^tandem ([%l-]+)"
  if command and commands[command] then return "command-" .. command end
  local word = text:match "^td%.([%w_]+)$"
  local spec = word and require("tandem.language.node").types[word]
  return spec and spec.group ~= "record" and "td." .. word or nil
end

local writers = {}

function writers.text(part) return html.escape(part.text) end
function writers.strong(part) return "<strong>" .. html.escape(part.text) .. "</strong>" end
function writers.emphasis(part) return "<em>" .. html.escape(part.text) .. "</em>" end

function writers.code(part)
  local code, anchor = "<code>" .. html.escape(part.text) .. "</code>", leads_to(part.text)
  return anchor and ('<a href="#%s">%s</a>'):format(html.escape(anchor), code) or code
end

function writers.link(part)
  local section = manual_of.target(part.target)
  local target = section and "#" .. anchor_of(section)
    or part.target:find "^https?://" and part.target
  local text = html.escape(part.text)
  return target and ('<a href="%s">%s</a>'):format(html.escape(target), text) or text
end

local function inline(text)
  local parts = {}
  for i, part in ipairs(markdown.inline(text)) do parts[i] = writers[part.kind](part) end
  return table.concat(parts)
end

-- ---- blocks

local DIGITS <const> = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local function base64(bytes)
  local out = {}
  for at = 1, #bytes, 3 do
    local a, b, c = bytes:byte(at, at + 2)
    local word = a << 16 | (b or 0) << 8 | (c or 0)
    local text = ""
    for shift = 18, 0, -6 do
      local digit = (word >> shift & 63) + 1
      text = text .. DIGITS:sub(digit, digit)
    end
    out[#out + 1] = not b and text:sub(1, 2) .. "==" or not c and text:sub(1, 3) .. "=" or text
  end
  return table.concat(out)
end

local TYPES <const> = { svg = "image/svg+xml", png = "image/png" }

local blocks = {}

function blocks.paragraph(block) return "<p>" .. inline(block.text) .. "</p>" end

function blocks.code(block) return manual.code_block(table.concat(block.lines, "\n")) end

function blocks.list(block)
  local items = {}
  for i, item in ipairs(block.items) do items[i] = "<li>" .. inline(item) .. "</li>" end
  local tag = block.ordered and "ol" or "ul"
  return ("<%s>%s</%s>"):format(tag, table.concat(items, "\n"), tag)
end

blocks["table"] = function(block)
  local rows = {}
  for i, row in ipairs(block.rows) do
    local cells = {}
    for k, cell in ipairs(row) do
      cells[k] = (i == 1 and '<th scope="col">%s</th>' or "<td>%s</td>"):format(inline(cell))
    end
    rows[i] = "<tr>" .. table.concat(cells) .. "</tr>"
  end
  return ('<div class="table"><table><thead>%s</thead><tbody>%s</tbody></table></div>'):format(
    rows[1], table.concat(rows, "\n", 2))
end

function blocks.image(block)
  local name, ending = block.target:match "([%w_-]+)%.(%l+)$"
  local path = ("scenarios/img/%s.%s"):format(name, ending)
  local bytes = assert(require("tandem.embedded").read(path))
  return ('<figure class="figure"><img alt="%s" src="data:%s;base64,%s"></figure>'):format(
    html.escape(block.text), TYPES[ending], base64(bytes))
end

-- What has entries of its own on the page is only linked.
local ELSEWHERE <const> = { constructors = true, constructor = true, keys = true, fields = true }

local LINKS <const> = {
  constructors = function(group) return "constructors-" .. group end,
  constructor = function(word) return "td." .. word end,
  keys = function(names) return "keys-" .. names:match "%S+" end,
  fields = function() return "metrics" end,
}

function blocks.insert(block)
  local kind, argument = block.text:match "^(%S+)%s*(.-)$"
  if ELSEWHERE[kind] then
    return ('<p class="see"><a href="#%s">All of them, with their keys</a></p>'):format(
      html.escape(LINKS[kind](argument)))
  end
  return manual.code_block(inserts.text(block.text, STYLE))
end

-- The names of a section besides its first.
local function other_anchors(section)
  local others = {}
  for i = 2, #section.names do
    if manual_of.section(section.names[i]) == section then
      others[#others + 1] = ('<a id="topic-%s"></a>'):format(html.escape(section.names[i]))
    end
  end
  return table.concat(others)
end

local function heading(section, level)
  local id = anchor_of(section)
  return ('<h%d%s><a href="#%s">%s</a></h%d>%s'):format(level,
    level > 3 and (' id="%s"'):format(html.escape(id)) or "", html.escape(id),
    html.escape(markdown.plain(section.title)), level, other_anchors(section))
end

-- What stands under one heading, without the sections below it; the first sentence for the search.
local function body_of(chapter, section)
  local parts, words = {}, nil
  for at = section.from + 1, section.to do
    local block = chapter.blocks[at]
    if block.kind == "heading" then break end
    if block.kind == "paragraph" then words = words or markdown.plain(block.text) end
    parts[#parts + 1] = blocks[block.kind](block)
  end
  return table.concat(parts, "\n"), words or ""
end

local function chapter_body(chapter)
  local parts, open = {}, false
  for i, section in ipairs(chapter.sections) do
    local body, words = body_of(chapter, section)
    if i == 1 then
      parts[1] = '<div class="prose">' .. other_anchors(section) .. body .. "</div>"
    elseif section.level == 2 or not open then
      if open then parts[#parts + 1] = "</article>" end
      open = true
      parts[#parts + 1] = ('<article class="entry prose" id="%s" data-words="%s">'):format(
        html.escape(anchor_of(section)), html.escape(words)) .. heading(section, 3) .. body
    else
      parts[#parts + 1] = heading(section, 4) .. body
    end
  end
  if open then parts[#parts + 1] = "</article>" end
  return table.concat(parts, "\n")
end

--- One section of a page for each chapter.
---@return tandem.PageSection[]
function manual.sections()
  local sections = {}
  for i, chapter in ipairs(manual_of.chapters()) do
    sections[i] = { group = i == 1 and "Manual" or nil, title = chapter.title,
      id = anchor_of(chapter.sections[1]), body = chapter_body(chapter) }
  end
  return sections
end

return manual
