--- What was asked to be sent and has not arrived: the store's table `outbox`.
--
-- Owns its rows: the address, the runs, the form, how often it was tried and why it failed. The
-- bytes are made anew for each try, and are the same as long as the runs are; no tokens are kept.
-- Called by tandem.upload and `tandem outbox`.
local cjson = require "cjson"
local json = require "tandem.io.json"
local date = require "tandem.io.date"

local outbox = {}

local ABSENT <const> = "nothing in the outbox is number %d; `tandem outbox` lists it"

---@class tandem.OutboxRow
---@field id integer
---@field url string
---@field form "store"|"json"
---@field raw integer
---@field runs string[]
---@field key string|nil
---@field asked_utc_ns integer
---@field tries integer
---@field next_utc_ns integer|nil
---@field error string|nil

local function read(row)
  row.runs = cjson.decode(row.runs)
  return row
end

--- Notes what is to be sent; asked again it is the same row.
---@param store tandem.Store
---@param what { url: string, form: string, raw: integer, runs: string[] }
---@return integer|nil id
---@return string|nil message
---@return integer|nil code
function outbox.add(store, what)
  local runs = table.move(what.runs, 1, #what.runs, 1, {})
  table.sort(runs)
  local text = json.encode(runs)
  local row, message, code = store.db:transaction(function(db)
    local done, why, failed = db:run("INSERT INTO outbox(url, form, raw, runs, asked_utc_ns)"
      .. " VALUES(?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", what.url, what.form, what.raw,
      text, date.now_ns())
    if not done then return nil, why, failed end
    return db:one("SELECT id FROM outbox WHERE url = ? AND form = ? AND raw = ? AND runs = ?",
      what.url, what.form, what.raw, text)
  end)
  if not row then return nil, message, code end
  return row.id
end

--- All rows, the oldest first; or those whose time has come.
---@param store tandem.Store
---@param due_ns? integer
---@return tandem.OutboxRow[]|nil
---@return string|nil message
---@return integer|nil code
function outbox.rows(store, due_ns)
  local rows, message, code = store.db:all("SELECT * FROM outbox WHERE ?1 IS NULL"
    .. " OR next_utc_ns IS NULL OR next_utc_ns <= ?1 ORDER BY id", due_ns)
  if not rows then return nil, message, code end
  for _, row in ipairs(rows) do read(row) end
  return rows
end

---@param store tandem.Store
---@param id integer
---@return tandem.OutboxRow|nil
---@return string|nil message
---@return integer|nil code
function outbox.row(store, id)
  local row, message, code = store.db:one("SELECT * FROM outbox WHERE id = ?", id)
  if row then return read(row) end
  return nil, message or ABSENT:format(id), code or 3
end

--- It has arrived, or shall not be sent.
---@param store tandem.Store
---@param id integer
---@return boolean|nil done
---@return string|nil message
---@return integer|nil code
function outbox.remove(store, id)
  local changes, message, code = store.db:run("DELETE FROM outbox WHERE id = ?", id)
  if changes == 0 then
    return nil, ABSENT:format(id), 3
  end
  return changes and true, message, code
end

--- A try failed.
---@param store tandem.Store
---@param id integer
---@param key string|nil
---@param failure tandem.TransportFailure
---@return integer|nil changes
---@return string|nil message
---@return integer|nil code
function outbox.failed(store, id, key, failure)
  local after_ns = math.floor(math.min(failure.after_s or 60, 86400) * 1e9)
  return store.db:run("UPDATE outbox SET tries = tries + 1, key = coalesce(?, key), error = ?,"
    .. " next_utc_ns = ? WHERE id = ?", key, failure.message,
    failure.again and date.now_ns() + after_ns or nil, id)
end

return outbox
