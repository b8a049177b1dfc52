--- Gives a store's unused bytes back: `tandem gc`.
--
-- Owns what nothing needs: runs that were stopped (when asked), rows whose run is gone, free pages,
-- the write-ahead log. Called by Store:gc; scrub.lua uses its compaction.
local files = require("tandem.core").files
local verify = require "tandem.store.verify"

local tidy = {}

---@class tandem.Tidied
---@field runs integer     runs removed
---@field orphans integer  rows removed whose run was gone
---@field before integer   bytes of the file and its log
---@field after integer

-- A connection without foreign keys (the plain sqlite3 shell) may leave these behind.
local ORPHANS <const> = { "run_tag", "source", "fact", "problem", "class", "track", "name",
  "layout", "layout_arg", "chunk", "request", "metric", "artifact" }

---@param path string
---@return integer bytes
local function size(path)
  local bytes = 0
  for _, ending in ipairs { "", "-wal" } do bytes = bytes + (files.size(path .. ending) or 0) end
  return bytes
end

--- Writes the file anew without its free pages, and empties the log. False when another process
--- reads the store just now: the old pages are then still in the log or the file.
---@param db userdata
---@return boolean|nil clean
---@return string|nil message
---@return integer|nil code
function tidy.compact(db)
  -- A writer takes a page of zeros for one that nobody has written yet, and VACUUM would give it a
  -- checksum: every page in use is read before, without a writer's locks.
  local found, message, code = verify.own_check(db, "quick_check(1)")
  if found and found ~= "ok" then message, code = db:unread(), 4 end
  if message then return nil, message, code end
  local done
  done, message, code = db:run "VACUUM"
  if not done then return nil, message, code end
  local row
  row, message, code = db:one "PRAGMA wal_checkpoint(TRUNCATE)"
  if not row then return nil, message, code end
  return row.busy == 0
end

local function remove_orphans(db)
  local count = 0
  for _, name in ipairs(ORPHANS) do
    local changes, message, code = db:run(
      ("DELETE FROM %s WHERE run NOT IN (SELECT number FROM run)"):format(name))
    if not changes then return nil, message, code end
    count = count + changes
  end
  local changes, message, code = db:run(
    "DELETE FROM chunk_data WHERE id NOT IN (SELECT id FROM chunk)")
  if not changes then return nil, message, code end
  return count + changes
end

--- Tidies a store.
---@param store tandem.Store
---@param options { interrupted?: boolean }
---@return tandem.Tidied|nil
---@return string|nil message
---@return integer|nil code
function tidy.gc(store, options)
  local db, out = store.db, { runs = 0, orphans = 0, before = size(store.path) }
  local done, message, code = db:transaction(function()
    local changes, why, failed
    if options.interrupted then
      changes, why, failed = db:run "DELETE FROM run WHERE state = 'interrupted'"
      if not changes then return nil, why, failed end
      out.runs = changes
    end
    changes, why, failed = remove_orphans(db)
    if not changes then return nil, why, failed end
    out.orphans = changes
    return true
  end)
  if done then done, message, code = tidy.compact(db) end
  if done == nil then return nil, message, code end
  out.after = size(store.path)
  return out
end

return tidy
