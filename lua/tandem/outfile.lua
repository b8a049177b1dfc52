--- A file that is there whole or not at all.
--
-- Owns the writing beside and the renaming. Used by charts, pages and answers.
local outfile = {}

local BLOCK <const> = 1 << 20

-- Lets `put` write into the file.
local function make(path, put)
  local beside = path .. ".tmp"
  local file, message = io.open(beside, "wb")
  if not file then
    return nil, ("cannot write %s: %s"):format(path, (message:gsub("^.*: ", ""))), 4
  end
  local written, why = put(file)
  local closed, late = file:close()
  if written and closed then
    local renamed, problem = os.rename(beside, path)
    if renamed then return true end
    why = problem
  end
  os.remove(beside)
  return nil, ("cannot write %s: %s"):format(path, (tostring(why or late):gsub("^.*: ", ""))), 4
end

--- Writes a text into a file.
---@param path string
---@param text string
---@return boolean? written
---@return string? message
---@return integer? code
function outfile.write(path, text)
  return make(path, function(file) return file:write(text) end)
end

--- Copies a file, however large.
---@param path string
---@param from string
---@return boolean? written
---@return string? message
---@return integer? code
function outfile.copy(path, from)
  local source <close>, message = io.open(from, "rb")
  if not source then return nil, message, 4 end
  return make(path, function(file)
    local done, why = true, nil
    for block in source:lines(BLOCK) do
      done, why = file:write(block)
      if not done then break end
    end
    return done, why
  end)
end

return outfile
