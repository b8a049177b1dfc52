--- Texts that are UTF-8, whatever bytes they were made of: the rule of JSON, CSV and notebooks
-- (src/trace/utf8.h has it for C).
local mend = {}

--- The text with U+FFFD for each byte that is not UTF-8.
---@param text string
---@return string
function mend.text(text)
  if utf8.len(text) then return text end
  local parts, at = {}, 1
  while at <= #text do
    local length, wrong = utf8.len(text, at)
    parts[#parts + 1] = text:sub(at, (length and #text + 1 or wrong) - 1)
    if length then break end
    parts[#parts + 1] = "\u{FFFD}"
    at = wrong + 1
  end
  return table.concat(parts)
end

return mend
