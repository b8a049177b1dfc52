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

local NO_DIRECTORY <const>, THERE_ALREADY <const> = 2, 17 -- errno
local TRIES <const> = 100

--- A new capture. Another tandem may begin one in this very microsecond, or remove the directory
--- with its last one: then it is tried again.
---@param store string
---@param program string
---@param utc_ns integer
---@param make fun(path: string): userdata|nil, string?, integer?, integer?  message, code, errno
---@return userdata|nil session
---@return string path  or what is wrong
---@return integer|nil code
function files.new(store, program, utc_ns, make)
  local above, wrong = core().files.list(store:match "^(.*/)[^/]*$" or ".")
  if not above then return nil, ("no store can be at %s: %s"):format(store, wrong), 4 end
  local directory = files.directory(store)
  local name = (program:match "([^/]+)/*$" or program):gsub("[^%w._-]", "_"):sub(1, 40)
  local message, code, errno
  for _ = 1, TRIES do
    local there, problem = core().files.make(directory)
    if not there then return nil, problem, 4 end
    local when = require("tandem.io.date").stamp(utc_ns)
    local path = ("%s/%s.%06d-%s.tdmc"):format(directory, when, utc_ns // 1000 % 1000000, name)
    local session
    session, message, code, errno = make(path)
    if session then return session, path end
    if errno ~= NO_DIRECTORY and errno ~= THERE_ALREADY then break end
    if errno == THERE_ALREADY then utc_ns = utc_ns + 1000 end
  end
  return nil, tostring(message), code
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

--- Captures that no tandem has any more. Those without a record are removed.
---@param store string
---@return string[]
function files.left(store)
  local left = {}
  for _, path in ipairs(files.all(store)) do
    if core().capture.left(path) then left[#left + 1] = path end
  end
  return left
end

--- Removes a capture that we have, and the directory with the last one.
---@param path string
function files.remove(path)
  os.remove(path)
  local directory = path:match "^(.*%.captures)/[^/]*$"
  if directory then os.remove(directory) end -- only when it is empty
end

return files
