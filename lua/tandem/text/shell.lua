--- Words as a POSIX shell takes them: what commands that are run, written or suggested are made of.
local shell = {}

--- One word, whatever it holds. Plain ones stay as they are.
---@param text string
---@return string
function shell.word(text)
  if text:find "^[%w_@%%+=:,./-][%w_@%%+=:,./#-]*$" then return text end
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

return shell
