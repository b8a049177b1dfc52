--- What was typed in earlier sessions.
--
-- Owns the file, one entry a line, readable by its owner only, and its size. An entry of several
-- lines is kept as one ("\n" for a line end). Entries that start with a space are not kept.
local files = require("tandem.core").files

local history = {}

local MOST_ENTRIES <const> = 2000

--- $XDG_STATE_HOME/tandem/history, or ~/.local/state/tandem/history; nil when there is no home.
---@param getenv? fun(name: string): string|nil
---@return string|nil path
function history.path(getenv)
  getenv = getenv or os.getenv
  local state, home = getenv("XDG_STATE_HOME"), getenv("HOME")
  if state and state:sub(1, 1) == "/" then
    return state .. "/tandem/history"
  elseif home and home ~= "" then
    return home .. "/.local/state/tandem/history"
  end
end

local function encode(entry)
  return (entry:gsub("\\", "\\\\"):gsub("\n", "\\n"))
end

local function decode(line)
  return (line:gsub("\\(.)", function(letter) return letter == "n" and "\n" or letter end))
end

--- The entries kept, oldest first. A file twice too long is cut.
---@param path string
---@return string[]
function history.load(path)
  local file = io.open(path, "rb")
  if not file then
    return {}
  end
  local lines = {}
  for line in file:lines() do
    lines[#lines + 1] = line
  end
  file:close()
  local first = math.max(1, #lines - MOST_ENTRIES + 1)
  if #lines > 2 * MOST_ENTRIES then
    files.append(path, table.concat(lines, "\n", first) .. "\n", true)
  end
  local entries = {}
  for index = first, #lines do
    entries[#entries + 1] = decode(lines[index])
  end
  return entries
end

--- Keeps one entry.
---@param path string
---@param entry string
---@return true|nil
---@return string|nil message
function history.append(path, entry)
  return files.append(path, encode(entry) .. "\n")
end

--- Is this worth remembering?
---@param entry string
---@return boolean
function history.wanted(entry)
  return entry:find("%S") ~= nil and entry:sub(1, 1) ~= " "
end

return history
