--- The manual: chapters in lua/tandem/manual, one Markdown file each, read when asked for.
--
-- Owns the index: which chapters there are (by the numbers of their files), what their sections are
-- called. A name is a chapter's (its file's), one given to a heading by a topic comment, or the
-- heading as links spell it. Used by `tandem help`, the shell, the page of `tandem doc`.
local embedded = require "tandem.embedded"
local markdown = require "tandem.help.markdown"

local manual = {}

local FOLDER <const> = "lua/tandem/manual/"

---@class tandem.help.Section
---@field title string
---@field level integer      of its heading: 1 is the chapter itself
---@field names string[]     what it is called, the best first; the heading as links spell it too
---@field given integer      how many of these were given
---@field chapter tandem.help.Chapter
---@field from integer       its blocks among the chapter's
---@field to integer

---@class tandem.help.Chapter
---@field name string        "planning"
---@field file string        "05-planning.md"
---@field title string
---@field blocks tandem.help.Block[]
---@field sections tandem.help.Section[]  the chapter itself first

local function sections_of(chapter)
  local sections = {}
  for i, block in ipairs(chapter.blocks) do
    if block.kind == "heading" then
      for _, open in ipairs(sections) do
        if open.level >= block.level and open.to == #chapter.blocks then open.to = i - 1 end
      end
      local names, slug, spelt = {}, markdown.slug(block.text), false
      if block.level == 1 then names[1] = chapter.name end
      for _, name in ipairs(block.names) do
        names[#names + 1], spelt = name, spelt or name == slug
      end
      sections[#sections + 1] = { title = block.text, level = block.level, names = names,
        given = #names, chapter = chapter, from = i, to = #chapter.blocks }
      if not spelt and names[1] ~= slug then names[#names + 1] = slug end
    end
  end
  return sections
end

local function read(file)
  local chapter = { file = file, name = file:match "^%d+%-(.*)%.md$",
    blocks = markdown.blocks(assert(embedded.read(FOLDER .. file))) }
  chapter.sections = sections_of(chapter)
  chapter.title = chapter.sections[1].title
  return chapter
end

local chapters, by_name

--- All chapters, in order.
---@return tandem.help.Chapter[]
function manual.chapters()
  if chapters then return chapters end
  local files = {}
  for _, path in ipairs(embedded.list(FOLDER)) do
    local file = path:match "([^/]+)$"
    if file:find "^%d+%-.*%.md$" then files[#files + 1] = file end
  end
  table.sort(files)
  chapters, by_name = {}, {}
  for i, file in ipairs(files) do chapters[i] = read(file) end
  -- Names that were given come before those that are only a heading's.
  for _, slugs in ipairs { false, true } do
    for _, chapter in ipairs(chapters) do
      for _, section in ipairs(chapter.sections) do
        for i, name in ipairs(section.names) do
          if (i > section.given) == slugs then by_name[name] = by_name[name] or section end
        end
      end
    end
  end
  return chapters
end

--- The chapter or section of a name; nil where there is none.
---@param name string
---@return tandem.help.Section|nil
function manual.section(name)
  manual.chapters()
  return by_name[name]
end

--- Where a link of a chapter leads: "06-planning.md#prices", "#prices"; nil for other places.
---@param target string
---@return tandem.help.Section|nil
function manual.target(target)
  local file, anchor = target:match "^(%d+%-[%w-]+)%.md#?(.*)$"
  anchor = anchor or target:match "^#(.*)$"
  if not anchor then return nil end
  return manual.section(anchor ~= "" and anchor or file:match "^%d+%-(.*)$")
end

--- The names that were given: of chapters, and of sections without those of their headings.
---@return string[]
function manual.names()
  local names = {}
  for _, chapter in ipairs(manual.chapters()) do
    for _, section in ipairs(chapter.sections) do
      table.move(section.names, 1, section.given, #names + 1, names)
    end
  end
  return names
end

return manual
