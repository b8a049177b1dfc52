--- What `tandem help NAME` shows besides commands and names of Lua: the manual's chapters and their
--- sections.
--
-- Owns what a topic is; the index of the manual is help/manual.lua's. Used by cli/help.lua, the
-- shell and the page of `tandem doc`.
local manual = require "tandem.help.manual"

local help = {}

---@class tandem.Topic
---@field title string
---@field section tandem.help.Section
---@field text fun(style: tandem.Style): string  the whole topic, wrapped to the style's width

--- The chapter or section of that name, or nil.
---@param name string
---@return tandem.Topic|nil
function help.topic(name)
  local section = manual.section(name:find "^td%.plot%f[%W]" and "plots" or name)
  return section and { title = section.title, section = section,
    text = function(style) return require("tandem.help.show").section(section, style) end }
end

--- The names of all topics: chapters, and sections that were given one.
---@return string[]
function help.topics() return manual.names() end

--- The chapters: name and title.
---@return { [1]: string, [2]: string }[]
function help.chapters()
  local list = {}
  for i, chapter in ipairs(manual.chapters()) do list[i] = { chapter.name, chapter.title } end
  return list
end

return help
