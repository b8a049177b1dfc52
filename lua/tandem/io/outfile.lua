--- A file that is there whole or not at all.
--
-- Owns the writing beside and the renaming. A device, a pipe or an open descriptor (/dev/stdout) is
-- written to as it is. Used by charts, pages and answers; src/trace/outfile.h is its like in C.
local files = require("tandem.core").files

local outfile = {}

local BLOCK <const> = 1 << 14
local ZEROES <const> = ("\0"):rep(BLOCK)

local function reason(message) return (tostring(message):gsub("^.*: ", "")) end

-- Lets `put` write into the file. A link stays, and who may read what was there may read the new.
local function make(path, put)
  local replaced = files.replaces(path)
  local beside, file, message, done
  local _ <close> = setmetatable({}, { __close = function() -- Ctrl-C, too
    if beside and not done then files.discard(beside) end
  end })
  if replaced then beside, message = files.beside(replaced) end
  if beside or not replaced then file, message = io.open(beside or path, "wb") end
  if not file then return nil, ("cannot write %s: %s"):format(path, reason(message)), 4 end
  local written, why = put(file)
  local closed, late = file:close()
  done = written and closed
  if done and beside then
    files.keep_mode(beside, replaced)
    done, why = os.rename(beside, replaced)
  end
  if done then return true end
  return nil, ("cannot write %s: %s"):format(path, reason(why or late)), 4
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

-- Writes what `source` has but for blocks of zeroes, which are left out as holes.
local function put_blocks(file, source)
  local skipped = 0
  for block in source:lines(BLOCK) do
    if block == ZEROES then
      skipped = skipped + BLOCK
    else
      local done, why = true, nil
      if skipped > 0 then done, why = file:seek("cur", skipped) end
      if done then done, why = file:write(block) end
      if not done then return nil, why end
      skipped = 0
    end
  end
  if skipped == 0 then return true end
  local done, why = file:seek("cur", skipped - 1) -- a file ends with a byte that was written
  if not done then return nil, why end
  return file:write "\0"
end

--- Copies a file, however large; the copy takes no disk for what is zero.
---@param path string
---@param from string
---@return boolean? written
---@return string? message
---@return integer? code
function outfile.copy(path, from)
  local source <close>, message = io.open(from, "rb")
  if not source then return nil, message, 4 end
  return make(path, function(file) return put_blocks(file, source) end)
end

return outfile
