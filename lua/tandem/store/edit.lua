--- What people change of a stored run: tags, the note, whether it is there.
--
-- Owns these three; what recordings contain is scrub.lua's. Called by the store's methods.
local run = require "tandem.store.run"

local edit = {}

--- Changes the run that a person names: fn(db, number) in a transaction that begins before the run
--- is looked for. Numbers are taken anew once the last run is gone, so between a look and a write
--- another process could put another run under the number.
---@param store tandem.Store
---@param text string
---@param fn fun(db: userdata, number: integer): any, string|nil, integer|nil
---@return any|nil done  what fn returns
---@return string|nil message
---@return integer|nil code
function edit.run(store, text, fn)
  return store.db:transaction(function(db)
    local number, message, code = run.number(store, text)
    if not number then return nil, message, code end
    return fn(db, number)
  end)
end

--- Is this a tag? One word, so that lists of them can be read.
---@param tag string
---@return boolean
function edit.is_tag(tag) return type(tag) == "string" and tag:find "^[^%s%c]+$" ~= nil end

--- Adds tags to the run of a number, within the caller's transaction.
---@param db userdata
---@param number integer
---@param tags string[]
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function edit.add_tags(db, number, tags)
  for _, tag in ipairs(tags) do
    local changes, message, code = db:run("INSERT OR IGNORE INTO run_tag VALUES(?, ?)", number, tag)
    if not changes then return nil, message, code end
  end
  return true
end

-- Takes one tag away; that it is not there is a mistake worth telling.
local function remove_tag(db, number, tag)
  local changes, message, code = db:run("DELETE FROM run_tag WHERE run = ? AND tag = ?",
    number, tag)
  if changes ~= 0 then return changes, message, code end
  local rows
  rows, message, code = db:all("SELECT tag FROM run_tag WHERE run = ? ORDER BY tag", number)
  if not rows then return nil, message, code end
  local has = {}
  for i, row in ipairs(rows) do has[i] = row.tag end
  if #has == 0 then return nil, ("the run has no tag '%s', nor any other"):format(tag), 2 end
  return nil, ("the run has no tag '%s'; %s"):format(tag,
    require("tandem.text.nearest").hint(tag, has)), 2
end

--- Adds tags to a run and takes others away.
---@param store tandem.Store
---@param text string
---@param added string[]
---@param removed string[]|true  true: all that it has
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function edit.tag(store, text, added, removed)
  for _, tag in ipairs(added) do
    if not edit.is_tag(tag) then
      return nil, ("a tag is one word, not '%s'"):format(tostring(tag)), 2
    end
  end
  return edit.run(store, text, function(db, number)
    local changes, why, failed = true, nil, nil
    if removed == true then
      changes, why, failed = db:run("DELETE FROM run_tag WHERE run = ?", number)
    end
    for _, tag in ipairs(removed == true and {} or removed) do
      if changes then
        changes, why, failed = remove_tag(db, number, tag)
      end
    end
    if not changes then return nil, why, failed end
    return edit.add_tags(db, number, added)
  end)
end

--- Sets the note of a run.
---@param store tandem.Store
---@param text string
---@param note string
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function edit.note(store, text, note)
  local changes, message, code = edit.run(store, text, function(db, number)
    return db:run("UPDATE run SET note = ? WHERE number = ?", note, number)
  end)
  if not changes then return nil, message, code end
  return true
end

--- Removes a run; what belongs to it goes with it, by foreign keys.
---@param store tandem.Store
---@param text string
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function edit.remove(store, text)
  local changes, message, code = edit.run(store, text, function(db, number)
    return db:run("DELETE FROM run WHERE number = ?", number)
  end)
  if not changes then return nil, message, code end
  return true
end

return edit
