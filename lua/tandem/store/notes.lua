--- Notes on moments of a run, as its timeline shows them, kept with the run.
--
-- Owns the table run_note of a store, which is there once a note was kept: one text a run, the
-- notes as JSON, times in nanoseconds from the timeline's origin. It goes with its run. Who writes
-- is tandem serve; timelines read. In a parcel they are an artifact, since receivers, also older
-- ones, take no table that not every store has.
local attempt = require("tandem.text.shortage").attempt
local json = require "tandem.io.json"

local notes = {}

local TABLE <const> = "CREATE TABLE IF NOT EXISTS run_note(run INTEGER PRIMARY KEY REFERENCES "
  .. "run(number) ON DELETE CASCADE, notes TEXT NOT NULL) STRICT"
local MOST <const>, LONGEST <const> = 1000, 2000
local ARTIFACT <const> = "timeline notes"
local OF_RUN <const> = "run = ? AND name = '" .. ARTIFACT .. "'"

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

local function is_there(db, schema)
  return db:one(("SELECT 1 AS yes FROM %s.sqlite_schema WHERE name = 'run_note'"):format(schema
    or "main")) ~= nil
end

local function read(db, number)
  local row = is_there(db) and db:one("SELECT notes FROM run_note WHERE run = ?", number)
  local list = row and json.decode(row.notes)
  return list and notes.check(list) or {}
end

--- The notes on a run.
---@param run tandem.Run
---@return tandem.Note[]
function notes.of(run) return read(run.store.db, run.number) end

local function write(db, number, list)
  local done, message, code = db:run("INSERT INTO run_note VALUES(?, ?) ON CONFLICT(run) DO UPDATE "
    .. "SET notes = excluded.notes", number, json.encode(list))
  if not done then return nil, message, code end
  return true
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
  return write(db, run.number, list)
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

--- Rewrites the texts of a run's notes.
---@param db userdata
---@param number integer  of the run
---@param rewrite fun(text: string): string
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function notes.rewrite(db, number, rewrite)
  local list = read(db, number)
  for _, note in ipairs(list) do
    local text = rewrite(note.text)
    -- a short host's name becomes a longer word; a character that is cut becomes U+FFFD, 3 bytes
    note.text = #text > 4 * LONGEST and text:sub(1, 4 * LONGEST - 8) or text
  end
  if #list == 0 then return true end
  return write(db, number, list)
end

-- ---- in parcels ----

--- Copies the notes on a run of the attached schema `from` into main.
---@param db userdata
---@param from string     the schema
---@param number integer  the run's number there
---@param target integer  and here
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function notes.copy(db, from, number, target)
  if not is_there(db, from) then return true end
  local done, message, code = db:run(TABLE)
  if done then
    done, message, code = db:run(("INSERT INTO main.run_note SELECT ?, notes FROM %s.run_note "
      .. "WHERE run = ?"):format(from), target, number)
  end
  if not done then return nil, message, code end
  return true
end

--- Makes the notes on every run of a parcel's store artifacts of theirs; the table goes.
---@param db userdata
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function notes.pack(db)
  if not is_there(db) then return true end
  local done, message, code = db:run("DELETE FROM artifact WHERE name = '" .. ARTIFACT
    .. "' AND run IN (SELECT run FROM run_note)")
  if done then
    done, message, code = db:run("INSERT INTO artifact SELECT run, (SELECT coalesce(max(id), -1)"
      .. " + 1 FROM artifact WHERE run = n.run), ?, 'application/json', length(data), data FROM"
      .. " (SELECT run, CAST(notes AS BLOB) AS data FROM run_note) AS n ORDER BY run", ARTIFACT)
  end
  if done then done, message, code = db:run "DROP TABLE run_note" end
  if not done then return nil, message, code end
  return true
end

--- The notes that a run of a parcel has with it.
---@param db userdata
---@param number integer  of the run
---@return tandem.Note[]|nil
---@return string|nil wrong
function notes.packed(db, number)
  local row, unread = db:one("SELECT CAST(data AS TEXT) AS notes FROM artifact WHERE " .. OF_RUN,
    number)
  if not row then
    if unread then return nil, unread end
    return {}
  end
  local ok, list = attempt(json.decode, row.notes)
  if not ok or type(list) ~= "table" then return nil, "its notes are no JSON" end
  return notes.check(list)
end

--- Keeps the notes that came with a run, which then is without their artifact.
---@param db userdata
---@param number integer  of the run
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function notes.unpack(db, number)
  local list, message = notes.packed(db, number)
  if not list then return nil, message end
  if #list == 0 then return true end
  local done, why, code = db:run(TABLE)
  if done then done, why, code = write(db, number, list) end
  if done then done, why, code = db:run("DELETE FROM artifact WHERE " .. OF_RUN, number) end
  if not done then return nil, why, code end
  return true
end

return notes
