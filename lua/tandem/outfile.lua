--- A file that is there whole or not at all.
--
-- Owns the writing beside and the renaming. Used by charts, pages and answers.
local outfile = {}

--- Writes a text into a file.
---@param path string
---@param text string
---@return boolean? written
---@return string? message
---@return integer? code
function outfile.write(path, text)
  local beside = path .. ".tmp"
  local file, message = io.open(beside, "wb")
  if not file then
    return nil, ("cannot write %s: %s"):format(path, (message:gsub("^.*: ", ""))), 4
  end
  local written, why = file:write(text)
  local closed, late = file:close()
  if written and closed then
    local renamed, problem = os.rename(beside, path)
    if renamed then return true end
    why = problem
  end
  os.remove(beside)
  return nil, ("cannot write %s: %s"):format(path, (tostring(why or late):gsub("^.*: ", ""))), 4
end

return outfile
