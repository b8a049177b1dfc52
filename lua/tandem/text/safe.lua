--- Texts of strangers (names in traces, what scenarios print) made safe for where they are shown.
--
-- Owns what drives a terminal and what a spreadsheet takes for a formula. Called by plot/style, for
-- all that is printed, and by io/csv.
local safe = {}

-- C1 controls, and those that turn the text of bidirectional scripts around.
local DRIVING <const> = { "\xc2[\x80-\x9f]", "\xd8\x9c", "\xe2\x80[\x8e\x8f\xaa-\xae]",
  "\xe2\x81[\xa6-\xa9]" }

--- Control characters, escape sequences with them, and what turns text around become "?".
---@param text string  UTF-8
---@return string
function safe.printed(text)
  if text:find "^[ -~]*$" then return text end -- as most are
  text = text:gsub("%c", "?")
  for _, driving in ipairs(DRIVING) do text = text:gsub(driving, "?") end
  return text
end

--- The same of several lines: ends of lines and tabs stay; a return alone would let what follows
--- overwrite its line.
---@param text string  UTF-8
---@return string
function safe.lines(text)
  return (text:gsub("\r\n", "\n"):gsub("[^\n\t]+", safe.printed))
end

--- The same as one line, for messages that quote what stands in a file.
---@param text string  UTF-8
---@return string
function safe.line(text)
  return safe.printed((text:gsub("[ \t]*[\r\n]+[ \t]*", " ")))
end

--- What a console prints, whoever made it: as lines, with broken UTF-8 mended. Where there are
--- colours, sequences that set them stay: they are a style's.
---@param text string
---@param coloured boolean
---@return string
function safe.screen(text, coloured)
  if text:find "^[\n -~]*$" then return text end
  if not utf8.len(text) then text = require("tandem.io.utf8").text(text) end
  if not coloured then return safe.lines(text) end
  text = text:gsub("\1", "?"):gsub("\27(%[[%d;]*m)", "\1%1"):gsub("\r\n", "\n")
  return (text:gsub("[^\n\t\1]+", safe.printed):gsub("\1", "\27"))
end

local function escaped(character) return ("\\u%04x"):format(utf8.codepoint(character)) end

--- JSON whose strings have such characters as escapes; it means the same.
---@param text string  UTF-8
---@return string
function safe.json(text)
  for _, driving in ipairs(DRIVING) do
    if text:find(driving:match "^[^[]+", 1, true) then text = text:gsub(driving, escaped) end
  end
  return text
end

--- A cell that a spreadsheet takes for a formula gets a "'" before it; a number is none.
---@param text string
---@return string
function safe.cell(text)
  if #text < 2 or not text:find "^[=+@\t\r-]" or tonumber(text) then return text end
  return "'" .. text
end

return safe
