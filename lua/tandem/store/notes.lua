--- Notes on moments of a run, as its timeline shows them, kept with the run.
--
-- Owns the table run_note of a store, which is there once a note was kept: one text a run, the
-- notes as JSON, times in nanoseconds from the timeline's origin. It goes with its run. Who writes
-- is tandem serve; timelines read.
local json = require "tandem.io.json"

local notes = {}

local TABLE <const> = "CREATE TABLE IF NOT EXISTS run_note(run INTEGER PRIMARY KEY REFERENCES "
  .. "run(number) ON DELETE CASCADE, notes TEXT NOT NULL) STRICT"
local MOST <const>, LONGEST <const> = 1000, 2000

---@class tandem.Note
---@field from integer  nanoseconds from the timeline's origin
---@field to integer    the same: a moment
---@field text string   empty: a bookmark

local function whole(value) return type(value) == "number" and math.tointeger(value // 1) or nil end

--- Notes out of what somebody sent; what is wrong with it where it is none.
---@param list any
---@return tandem.Note[]|nil
---@return string|nil wrong
function notes.check(list)
  if type(list) ~= "table" or next(list) ~= nil and #list == 0 then
    return nil, "notes is a list"
  elseif #list > MOST then
    return nil, ("notes are at most %d"):format(MOST)
  end
  local out = {}
  for i, one in ipairs(list) do
    if type(one) ~= "table" then one = {} end
    local from, to = whole(one.from), whole(one.to)
    if not from or not to or to < from then
      return nil, ("note %d wants from and to, nanoseconds, in this order"):format(i)
    elseif type(one.text) ~= "string" or #one.text > 4 * LONGEST then
      return nil, ("note %d wants a text of at most %d characters"):format(i, LONGEST)
    end
    out[i] = { from = from, to = to, text = one.text }
  end
  return out
end

local function is_there(db)
  return db:one "SELECT 1 AS yes FROM sqlite_schema WHERE name = 'run_note'" ~= nil
end

--- The notes on a run.
---@param run tandem.Run
---@return tandem.Note[]
function notes.of(run)
  local db = run.store.db
  local row = is_there(db) and db:one("SELECT notes FROM run_note WHERE run = ?", run.number)
  local list = row and json.decode(row.notes)
  return list and notes.check(list) or {}
end

--- Keeps the notes on a run in place of those before.
---@param run tandem.Run
---@param list tandem.Note[]  checked
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function notes.keep(run, list)
  local db = run.store.db
  local done, message, code = db:run(TABLE)
  if not done then return nil, message, code end
  if #list == 0 then return notes.remove(db, run.number) end
  done, message, code = db:run("INSERT INTO run_note VALUES(?, ?) ON CONFLICT(run) DO UPDATE "
    .. "SET notes = excluded.notes", run.number, json.encode(list))
  if not done then return nil, message, code end
  return true
end

--- Removes what is kept of a run, as scrubbing does: whatever people wrote may name others.
---@param db userdata
---@param number integer  of the run
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function notes.remove(db, number)
  if not is_there(db) then return true end
  local done, message, code = db:run("DELETE FROM run_note WHERE run = ?", number)
  if not done then return nil, message, code end
  return true
end

return notes
