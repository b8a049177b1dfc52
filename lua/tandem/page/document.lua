--- A whole page: head, title, contents, sections. One file, nothing from outside.
--
-- Owns the frame; what stands in it comes as HTML. A policy in the head forbids the browser to
-- fetch anything. Called by answers, reports and flame graphs.
local html = require "tandem.page.html"
local theme = require "tandem.plot.svg.theme"

local document = {}

---@class tandem.PageSection
---@field title? string
---@field id? string     default: made from the title
---@field group? string  a heading over this section and those that follow, until the next
---@field body string    HTML

---@class tandem.Page
---@field title string
---@field told? boolean     the first section shows the title: the heading is not seen twice
---@field eyebrow? string   a few words over the title
---@field subtitle? string
---@field sections tandem.PageSection[]
---@field contents? boolean  a table of contents (default: with four sections or more)
---@field styles? string[]   more sources of src/viewer
---@field scripts? string[]
---@field foot? string

local POLICY <const> = "default-src 'none'; style-src 'unsafe-inline'; "
  .. "script-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"

local function head(page)
  local parts = {
    "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
    ('<meta http-equiv="Content-Security-Policy" content="%s">'):format(POLICY),
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="generator" content="tandem">', '<link rel="icon" href="data:,">',
    ("<title>%s</title>"):format(html.escape(page.title)),
    "<style>", theme.properties(), html.source "page.css",
  }
  for _, name in ipairs(page.styles or {}) do parts[#parts + 1] = html.source(name) end
  parts[#parts + 1] = "</style>"
  parts[#parts + 1] = "</head>"
  return table.concat(parts, "\n")
end

local function contents_of(sections)
  local parts, open = {}, false
  for _, section in ipairs(sections) do
    if section.group or not open then
      if open then parts[#parts + 1] = "</ul></div>" end
      parts[#parts + 1] = ("<div><h2>%s</h2><ul>"):format(html.escape(section.group or "Contents"))
      open = true
    end
    if section.title then
      parts[#parts + 1] = ('<li><a href="#%s">%s</a></li>'):format(section.id,
        html.escape(section.title))
    end
  end
  if open then parts[#parts + 1] = "</ul></div>" end
  return ('<nav class="contents" aria-label="Contents">%s</nav>'):format(table.concat(parts, "\n"))
end

local function section_of(section)
  local group = section.group and ('<p class="group">%s</p>'):format(html.escape(section.group))
    or ""
  local title = section.title and ('<h2>%s</h2>'):format(html.escape(section.title)) or ""
  return ('%s<section id="%s">%s\n%s</section>'):format(group, section.id, title, section.body)
end

--- The page as one text.
---@param page tandem.Page
---@return string
function document.of(page)
  local id_of, titled, bodies = html.ids(), 0, {}
  local sections = {}
  for i, section in ipairs(page.sections) do
    titled = titled + (section.title and 1 or 0)
    sections[i] = setmetatable({ id = section.id or id_of(section.title or "part") },
      { __index = section })
    bodies[i] = section_of(sections[i])
  end
  local contents = page.contents
  if contents == nil then contents = titled >= 4 end
  local scripts = { html.source "page.js" }
  for _, name in ipairs(page.scripts or {}) do scripts[#scripts + 1] = html.source(name) end
  return table.concat({
    head(page), "<body>", '<a class="skip" href="#main">Skip to the content</a>',
    '<header class="head">',
    page.eyebrow and ('<p class="eyebrow">%s</p>'):format(html.escape(page.eyebrow)) or "",
    ("<h1%s>%s</h1>"):format(page.told and ' class="unseen"' or "", html.escape(page.title)),
    page.subtitle and ('<p class="subtitle">%s</p>'):format(html.prose(page.subtitle)) or "",
    "</header>", ('<div class="body%s">'):format(contents and "" or " plain"),
    contents and contents_of(sections) or "",
    '<main id="main">', table.concat(bodies, "\n"), "</main>", "</div>",
    ('<footer class="foot"><p>%s</p></footer>'):format(html.escape(page.foot
      or "Made by tandem " .. require("tandem.core").version())),
    "<script>", table.concat(scripts, "\n"), "</script>", "</body>", "</html>", "",
  }, "\n")
end

return document
