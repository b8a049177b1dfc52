--- The Markdown of the manual's chapters as blocks: headings, paragraphs, lists, tables, code.
--
-- Owns which Markdown chapters may use; how blocks look is help/show.lua's (a terminal) and
-- page/manual.lua's (HTML). Comments are left out, but for three that stand on a line of their own:
--   <!-- topic: NAME, NAME -->   names of the heading that follows, for `tandem help NAME`
--   <!-- insert: WHAT -->        something that the program makes (help/inserts.lua); the paragraph
--                                that follows is for readers of the file alone
-- and the directives of tests/cli/readme.lua, which no reader sees.
local markdown = {}

---@class tandem.help.Block
---@field kind "heading"|"paragraph"|"code"|"list"|"table"|"image"|"insert"
---@field text? string       of a heading, a paragraph; the words for an image
---@field level? integer     of a heading
---@field names? string[]    of a heading
---@field language? string   of code; empty for a piece that stands four spaces in
---@field lines? string[]    of code
---@field items? string[]    of a list
---@field ordered? boolean
---@field rows? string[][]   of a table, its titles first
---@field target? string     of an image
---@field fallback? string   of an insert: the paragraph for readers of the file
---@field line integer       where it begins

-- "| a | b |" → { "a", "b" }; a bar inside is written \|.
local function cells(line)
  local row = {}
  for cell in line:gsub("\\|", "\0"):gsub("^%s*|", ""):gsub("|%s*$", ""):gmatch "[^|]+" do
    row[#row + 1] = cell:gsub("%z", "|"):match "^%s*(.-)%s*$"
  end
  return row
end

-- Where a line begins another block than a paragraph.
local function begins(line)
  return line == "" or line:find "^#+ " or line:find "^```" or line:find "^|" or line:find "^<!%-%-"
    or line:find "^!%[" or line:find "^%- " or line:find "^%d+%. "
end

-- The following lines up to a blank one, joined.
local function paragraph(lines, from)
  local words, at = {}, from
  while lines[at] and (at == from or not begins(lines[at])) and lines[at] ~= "" do
    words[#words + 1] = lines[at]:match "^%s*(.-)%s*$"
    at = at + 1
  end
  return table.concat(words, " "), at
end

local function code(lines, at)
  local block = { kind = "code", language = lines[at]:sub(4), lines = {}, line = at }
  at = at + 1
  while lines[at] and lines[at] ~= "```" do
    block.lines[#block.lines + 1] = lines[at]
    at = at + 1
  end
  return block, at + 1
end

-- Lines that stand four spaces in: code that is not run, a piece of something.
local function piece(lines, at)
  local block = { kind = "code", language = "", lines = {}, line = at }
  local function stands_in(number) return (lines[number] or ""):find "^    " end
  while stands_in(at) or lines[at] == "" and stands_in(at + 1) do
    block.lines[#block.lines + 1] = lines[at]:sub(5)
    at = at + 1
  end
  return block, at
end

local function list(lines, at)
  local block = { kind = "list", ordered = lines[at]:find "^%d" ~= nil, items = {}, line = at }
  local mark = block.ordered and "^%d+%. +" or "^%- +"
  while lines[at] and lines[at]:find(mark) do
    local words = { (lines[at]:gsub(mark, "")) }
    at = at + 1
    while lines[at] and lines[at]:find "^  +%S" do
      words[#words + 1] = lines[at]:match "^%s*(.-)%s*$"
      at = at + 1
    end
    block.items[#block.items + 1] = table.concat(words, " ")
    if lines[at] == "" and (lines[at + 1] or ""):find(mark) then at = at + 1 end
  end
  return block, at
end

local function rows(lines, at)
  local block = { kind = "table", rows = {}, line = at }
  while lines[at] and lines[at]:find "^|" do
    if not lines[at]:find "^|[%s:|-]+$" then block.rows[#block.rows + 1] = cells(lines[at]) end
    at = at + 1
  end
  return block, at
end

-- A comment: a block, or nothing but where it ends.
local function comment(lines, at, names)
  local key, value = lines[at]:match "^<!%-%- (%l+): (.+) %-%->$"
  if key == "topic" then
    for name in value:gmatch "[^,%s]+" do names[#names + 1] = name end
  elseif key == "insert" then
    local fallback, past = paragraph(lines, at + 1)
    return { kind = "insert", text = value, fallback = fallback, line = at }, past
  end
  while lines[at] and not lines[at]:find "%-%->%s*$" do at = at + 1 end
  return nil, at + 1
end

--- A text as blocks.
---@param text string
---@return tandem.help.Block[]
function markdown.blocks(text)
  local lines, blocks, names = {}, {}, {}
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  local at = 1
  while lines[at] do
    local line, block = lines[at], nil
    if line:find "^```" then
      block, at = code(lines, at)
    elseif line:find "^<!%-%-" then
      block, at = comment(lines, at, names)
    elseif line:find "^#+ " then
      block = { kind = "heading", level = #line:match "^#+", text = line:match "^#+ (.*)$",
        names = names, line = at }
      at, names = at + 1, {}
    elseif line:find "^|" then
      block, at = rows(lines, at)
    elseif line:find "^%- " or line:find "^%d+%. " then
      block, at = list(lines, at)
    elseif line:find "^    " then
      block, at = piece(lines, at)
    elseif line ~= "" then
      local first = at
      local words
      words, at = paragraph(lines, at)
      local alt, target = words:match "^!%[(.-)%]%((.-)%)$"
      block = alt and { kind = "image", text = alt, target = target, line = first }
        or { kind = "paragraph", text = words, line = first }
    else
      at = at + 1
    end
    blocks[#blocks + 1] = block
  end
  return blocks
end

---@class tandem.help.Inline
---@field kind "text"|"code"|"strong"|"emphasis"|"link"
---@field text string     without marks
---@field target? string  of a link

local PATTERNS <const> = {
  { "code", "^`([^`]+)`" }, { "strong", "^%*%*(.-)%*%*" }, { "emphasis", "^%*(%w[^*]*)%*" },
  { "link", "^%[([^%]]+)%]%(([^)]+)%)" }, { "link", "^<(%l+://[^>]+)>" },
}

--- What stands in a line: text, code, links.
---@param text string
---@return tandem.help.Inline[]
function markdown.inline(text)
  local parts, plain, at = {}, "", 1
  local function add(kind, words, target)
    if plain ~= "" then parts[#parts + 1] = { kind = "text", text = plain } end
    plain = ""
    parts[#parts + 1] = { kind = kind, text = words, target = target }
  end
  while at <= #text do
    local past
    for _, one in ipairs(PATTERNS) do
      local from, to, words, target = text:sub(at):find(one[2])
      if from then
        if one[1] == "link" then words, target = words:gsub("`", ""), target or words end
        add(one[1], words, target)
        past = at + to
        break
      end
    end
    if not past then
      local stop = text:find("[`*%[<]", at + 1) or #text + 1
      plain = plain .. text:sub(at, stop - 1)
      past = stop
    end
    at = past
  end
  if plain ~= "" then parts[#parts + 1] = { kind = "text", text = plain } end
  return parts
end

--- The same without marks.
---@param text string
---@return string
function markdown.plain(text)
  local words = {}
  for i, part in ipairs(markdown.inline(text)) do words[i] = part.text end
  return table.concat(words)
end

--- What a heading is called in links: "Read the result" → "read-the-result".
---@param heading string
---@return string
function markdown.slug(heading)
  return (markdown.plain(heading):lower():gsub("[^%w%- ]", ""):gsub(" ", "-"))
end

return markdown
