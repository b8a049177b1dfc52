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

--- The same of several lines: ends of lines and tabs stay.
---@param text string  UTF-8
---@return string
function safe.lines(text) return (text:gsub("[^\r\n\t]+", safe.printed)) end

--- A cell that a spreadsheet takes for a formula gets a "'" before it; a number is none.
---@param text string
---@return string
function safe.cell(text)
  if #text < 2 or not text:find "^[=+@\t\r-]" or tonumber(text) then return text end
  return "'" .. text
end

return safe
