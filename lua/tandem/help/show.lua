--- Chapters and sections of the manual as text for a terminal.
--
-- Owns how blocks look there: paragraphs and lists wrap to the style's width, code stays as it is.
-- Which blocks there are is help/markdown.lua's.
local column_table = require "tandem.text.columns"
local inserts = require "tandem.help.inserts"
local manual = require "tandem.help.manual"
local markdown = require "tandem.help.markdown"
local styles = require "tandem.plot.style"

local show = {}

local COLORS <const> = { code = "cyan", strong = "bold", link = "cyan" }

-- What a link says: a section by the command that shows it, an address by itself.
local function link_text(part)
  local section = manual.target(part.target)
  if section then
    if part.text:find("tandem help", 1, true) then return part.text end
    return ("%s (tandem help %s)"):format(part.text, section.names[1])
  elseif part.target:find "^%l+://" and part.target ~= part.text then
    return ("%s (%s)"):format(part.text, part.target)
  end
  return part.text
end

-- A text as words, each a list of pieces; what has no space between stays together.
local function words_of(text)
  local words, open = {}, false
  for _, part in ipairs(markdown.inline(text)) do
    local said = part.kind == "link" and link_text(part) or part.text
    for space, word in said:gmatch "(%s*)(%S*)" do
      if space ~= "" then open = false end
      if word ~= "" then
        if not open then words[#words + 1] = { columns = 0 } end
        local last = words[#words]
        last[#last + 1] = { word, COLORS[part.kind] }
        last.columns, open = last.columns + styles.columns(word), true
      end
    end
    if said:find "%s$" then open = false end
  end
  return words
end

-- The lines of a text of at most so many columns.
local function wrapped(text, columns, style)
  local lines, line, used = {}, {}, 0
  for _, word in ipairs(words_of(text)) do
    if used > 0 and used + 1 + word.columns > columns then
      lines[#lines + 1] = table.concat(line, " ")
      line, used = {}, 0
    end
    local pieces = {}
    for i, piece in ipairs(word) do pieces[i] = style:paint(piece[1], piece[2]) end
    line[#line + 1] = table.concat(pieces)
    used = used + word.columns + (used > 0 and 1 or 0)
  end
  lines[#lines + 1] = table.concat(line, " ")
  return lines
end

-- Whether a command goes on in the next line: after a backslash, in open quotes.
local function goes_on(command)
  if command:find "\\$" then return true end
  local bare = command:gsub("\\.", "")
  local _, single = bare:gsub("'", "")
  local _, double = bare:gsub('"', "")
  return single % 2 == 1 or single == 0 and double % 2 == 1
end

local writers = {}

function writers.heading(block, style, lines)
  local title = markdown.plain(block.text)
  lines[#lines + 1] = style:paint(title, "bold")
  if block.level < 3 then
    local rule = block.level == 1 and style.width or styles.columns(title)
    lines[#lines + 1] = ("─"):rep(rule)
  end
end

function writers.paragraph(block, style, lines)
  local made = wrapped(block.text, style.width, style)
  table.move(made, 1, #made, #lines + 1, lines)
end

function writers.image(block, style, lines)
  local made = wrapped("Picture: " .. block.text, style.width, style)
  for _, line in ipairs(made) do lines[#lines + 1] = style:paint(line, "dim") end
end

function writers.code(block, style, lines)
  local command = ""
  for _, line in ipairs(block.lines) do
    if block.language == "sh" then
      local first = command == ""
      command = first and line or command .. "\n" .. line
      lines[#lines + 1] = style:paint((first and "  $ " or "    ") .. line, "cyan")
      if not goes_on(command) then command = "" end
    elseif line == "" then
      lines[#lines + 1] = ""
    else
      local printed = block.language == "text" or block.language == "console"
      lines[#lines + 1] = "  " .. style:paint(line, not printed and "cyan" or nil)
    end
  end
end

function writers.list(block, style, lines)
  for i, item in ipairs(block.items) do
    local mark = block.ordered and i .. ". " or "- "
    for k, line in ipairs(wrapped(item, style.width - 2 - #mark, style)) do
      lines[#lines + 1] = "  " .. (k == 1 and mark or (" "):rep(#mark)) .. line
    end
  end
end

writers["table"] = function(block, style, lines)
  local columns, rows = {}, {}
  for i, title in ipairs(block.rows[1]) do
    columns[i] = { title = markdown.plain(title), wrap = true }
  end
  for i = 2, #block.rows do
    local row = {}
    for k, cell in ipairs(block.rows[i]) do row[k] = markdown.plain(cell) end
    rows[i - 1] = row
  end
  -- What stands in the first column is a name, which is not broken where it is short.
  local made = column_table.lines(columns, rows, { style = style, indent = 2 })
  table.move(made, 1, #made, #lines + 1, lines)
end

--- A section as text: its heading and all below it.
---@param section tandem.help.Section
---@param style tandem.Style
---@return string
function show.section(section, style)
  local lines, whole, below = {}, section.level == 1, false
  for at = section.from, section.to do
    local block = section.chapter.blocks[at]
    below = below or block.kind == "heading" and at > section.from
    if #lines > 0 then lines[#lines + 1] = "" end
    if block.kind ~= "insert" then
      writers[block.kind](block, style, lines)
    elseif whole or below then
      if block.fallback ~= "" then writers.paragraph({ text = block.fallback }, style, lines) end
    else
      lines[#lines + 1] = inserts.text(block.text, style)
    end
  end
  lines[#lines + 1] = ""
  if whole then
    local names = {}
    for i = 2, #section.chapter.sections do
      local one = section.chapter.sections[i]
      if one.given > 0 or one.level == 2 then names[#names + 1] = one.names[1] end
    end
    local made = wrapped("One section alone: `tandem help` " .. table.concat(names, ", "),
      style.width, style)
    table.move(made, 1, #made, #lines + 1, lines)
  else
    lines[#lines + 1] = ("This is a section of: tandem help %s"):format(section.chapter.name)
  end
  return table.concat(lines, "\n")
end

return show
