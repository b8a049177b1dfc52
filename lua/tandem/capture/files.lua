--- Where raw captures lie: in a directory beside the store, until they are read into it.
--
-- Owns its name and those of the files in it, whose order by name is that of their beginnings. What
-- a tandem that was killed has left there is named by the next one and read by `tandem import`.
-- Used by the commands capture and watch.
local files = {}

local function core() return require "tandem.core" end

--- The directory of a store.
---@param store string
---@return string
function files.directory(store) return store .. ".captures" end

--- The path of a new capture.
---@param store string
---@param program string
---@param utc_ns integer
---@return string|nil path
---@return string|nil message
function files.new(store, program, utc_ns)
  local above, wrong = core().files.list(store:match "^(.*/)[^/]*$" or ".")
  if not above then return nil, ("no store can be at %s: %s"):format(store, wrong) end
  local directory = files.directory(store)
  local made, message = core().files.make(directory)
  if not made then return nil, message end
  local name = (program:match "([^/]+)/*$" or program):gsub("[^%w._-]", "_"):sub(1, 40)
  local when = os.date("!%Y%m%d-%H%M%S", utc_ns // 1000000000)
  return ("%s/%s.%06d-%s.tdmc"):format(directory, when, utc_ns // 1000 % 1000000, name)
end

--- All captures of a store's directory, the oldest first.
---@param store string
---@return string[]
function files.all(store)
  local directory = files.directory(store)
  local found = {}
  for _, name in ipairs(core().files.list(directory) or {}) do
    if name:find "%.tdmc$" then found[#found + 1] = ("%s/%s"):format(directory, name) end
  end
  table.sort(found)
  return found
end

local HEADER_BYTES <const> = 4096

--- Captures that no tandem is waiting for any more. Those without a record are removed.
---@param store string
---@return string[]
function files.left(store)
  local left = {}
  for _, path in ipairs(files.all(store)) do
    local abandoned = core().capture.abandoned(path)
    if abandoned and core().files.size(path) <= HEADER_BYTES then
      files.remove(path)
    elseif abandoned then
      left[#left + 1] = path
    end
  end
  return left
end

--- Removes a capture, and the directory with the last one.
---@param path string
function files.remove(path)
  os.remove(path)
  local directory = path:match "^(.*%.captures)/[^/]*$"
  if directory then os.remove(directory) end -- only when it is empty
end

return files
