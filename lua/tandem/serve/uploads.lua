--- The receiving end of uploads: begun, appended to, finished into the store.
--
-- Owns the unfinished files in STORE.uploads/ and the store's tables `upload` and `upload_run`; not
-- HTTP. How much has arrived is the length of the file, so neither a cut nor a killed server loses
-- more than the piece under way. Pieces are written where they belong, so two senders of the same
-- bytes do not disturb each other; one upload at a time is finished, by a lock: that may take long,
-- and holds one of the server's workers and no more. Nothing that a
-- sender says becomes a path: files have ids of ours. A parcel is a stranger's file: its hash, its
-- schema and its size when unpacked are checked before a row of it is read, and its runs come in
-- one transaction or not at all.
--
-- Failures are nil, message, code name: "bad_request", "not_found", "conflict", "too_large",
-- "too_many" (open already), "unsupported", "damaged", "unavailable", "working" (no failure: ask
-- again). Called by the routes of tandem.serve.
local cjson = require "cjson"
local core = require "tandem.core"
local copy = require "tandem.store.copy"
local json = require "tandem.io.json"
local date = require "tandem.io.date"
local notes = require "tandem.store.notes"
local verify = require "tandem.store.verify"

local uploads = {}

uploads.MEDIA_TYPE = "application/vnd.tandem.store+zstd"

--- The statuses that HTTP has for the failures.
uploads.STATUS = { bad_request = 400, not_found = 404, conflict = 409, too_large = 413,
  too_many = 429, unsupported = 415, damaged = 422, unavailable = 503, working = 202 }

local BLOCK <const> = 1 << 18

-- How long a merge waits for whoever writes to the store just now: another merge, an import.
local PATIENCE_MS <const> = 60000

---@class tandem.UploadSettings
---@field most_bytes? integer      of a parcel; 4 GiB
---@field most_expanded? integer   of what is in it; 32 GiB
---@field chunk_bytes? integer     what a sender shall send at once; 4 MiB
---@field most_open? integer       begun and not finished, at once; 64
---@field most_open_bytes? integer what these announce together; four parcels of most_bytes
---@field most_of_sender? integer  of most_open, of one sender; a quarter
---@field most_bytes_of_sender? integer  of most_open_bytes; a quarter, or one parcel of most_bytes

---@class tandem.Uploads
---@field db userdata        the store, opened with { store = true }
---@field directory string
---@field settings tandem.UploadSettings
local Uploads = { __name = "tandem.Uploads" }
Uploads.__index = Uploads

--- The receiver of a store.
---@param db userdata
---@param path string   of the store
---@param settings? tandem.UploadSettings
---@return tandem.Uploads
function uploads.new(db, path, settings)
  local given = settings or {}
  local most_bytes, most_open = given.most_bytes or 4 << 30, given.most_open or 64
  local most_open_bytes = given.most_open_bytes or 4 * most_bytes
  return setmetatable({ db = db, directory = path .. ".uploads", settings = {
    most_bytes = most_bytes, most_expanded = given.most_expanded or 32 << 30,
    most_open = most_open, most_open_bytes = most_open_bytes,
    most_of_sender = given.most_of_sender or math.max(1, most_open // 4),
    most_bytes_of_sender = given.most_bytes_of_sender or math.max(most_bytes, most_open_bytes // 4),
    chunk_bytes = given.chunk_bytes or 4 << 20 } }, Uploads)
end

local function unavailable(message) return nil, tostring(message), "unavailable" end

local function part_of(self, id) return self.directory .. "/" .. id .. ".part" end

-- Who began it: a text of ours, beside its bytes, since the store's tables have no place for it.
local function sender_of(self, id) return self.directory .. "/" .. id .. ".sender" end

local size_of = core.files.size

local function remove_files(self, id)
  for _, name in ipairs(core.files.list(self.directory) or {}) do
    if name:sub(1, #id + 1) == id .. "." then os.remove(self.directory .. "/" .. name) end
  end
end

-- An id as this house makes them; anything else never becomes part of a path.
local function is_id(id) return type(id) == "string" and id:find "^%x+$" ~= nil and #id == 32 end

local function find(self, id)
  if not is_id(id) then return nil, "there is no such upload", "not_found" end
  local row, message = self.db:one("SELECT * FROM upload WHERE id = ?", id)
  if row then return row end
  if message then return unavailable(message) end
  return nil, "there is no such upload", "not_found"
end

-- The runs of a finished upload, if all are still there.
local function arrived(self, row)
  if not row.runs then return nil end
  local ids = cjson.decode(row.runs)
  for _, id in ipairs(ids) do
    if not self.db:one("SELECT 1 AS here FROM run WHERE id = ?", id) then return nil end
  end
  return ids
end

-- What the request of a sender must say; a line that says what it does not.
local function wrong_request(request, settings)
  if type(request) ~= "table" then return "the body is not a JSON object" end
  for _, name in ipairs { "key", "sha256" } do
    if type(request[name]) ~= "string" or not request[name]:find "^[0-9a-f]+$"
      or #request[name] ~= 64 then
      return ("%s: 64 hexadecimal digits are wanted"):format(name)
    end
  end
  local bytes = math.tointeger(request.bytes)
  if not bytes or bytes < 1 then return "bytes: a positive whole number is wanted" end
  if request.media_type ~= uploads.MEDIA_TYPE then
    return ("media_type: only %s is taken"):format(uploads.MEDIA_TYPE), "unsupported"
  end
  if bytes > settings.most_bytes then
    return ("bytes: at most %d are taken"):format(settings.most_bytes), "too_large"
  end
  return nil
end

local QUOTA <const> = 429 -- as the transaction's code: the sender may come again later

-- Why no further upload may be begun now.
local function over_quota(open, request, settings)
  if open.n >= settings.most_open then
    return ("%d uploads are open, and no more are taken at once: come again later"):format(open.n)
  elseif open.bytes + request.bytes > settings.most_open_bytes then
    return ("the open uploads have announced %d bytes, and %d are taken at once: come again later")
      :format(open.bytes, settings.most_open_bytes)
  end
  return nil
end

-- Why this sender may begin no further one, though others may.
local function over_share(self, db, request, sender)
  local rows, message = db:all "SELECT id, bytes FROM upload WHERE runs IS NULL"
  if not rows then return nil, message end
  local count, bytes, settings = 0, request.bytes, self.settings
  for _, row in ipairs(rows) do
    local file <close> = io.open(sender_of(self, row.id), "rb")
    if file and file:read "a" == sender then count, bytes = count + 1, bytes + row.bytes end
  end
  if count >= settings.most_of_sender then
    return ("%d uploads from your address are open, and no more are taken of one: come again later")
      :format(count)
  elseif bytes > settings.most_bytes_of_sender then
    return ("the open uploads from your address have announced %d bytes, and %d are taken of one: "
      .. "come again later"):format(bytes - request.bytes, settings.most_bytes_of_sender)
  end
  return nil
end

---@class tandem.UploadState
---@field upload_id? string
---@field offset? integer
---@field chunk_bytes? integer
---@field created? boolean   it is new: 201
---@field done? boolean      it is here already
---@field run_ids? string[]

--- Begins an upload, or finds the one that has this key.
---@param request table  the JSON of POST /v1/uploads
---@param sender? string  whom what is open is counted for; nil: nobody in particular
---@return tandem.UploadState|nil
---@return string|nil message
---@return string|nil code
function Uploads:create(request, sender)
  local wrong, code = wrong_request(request, self.settings)
  if wrong then return nil, wrong, code or "bad_request" end
  local made, problem = core.files.make(self.directory)
  if not made then return unavailable(problem) end
  local row, message, refused = self.db:transaction(function(db)
    local known, why = db:one("SELECT * FROM upload WHERE key = ?", request.key)
    if known and known.bytes == request.bytes and known.sha256 == request.sha256
      and (not known.runs or arrived(self, known)) then
      return known
    end
    if why then return nil, why end
    if known then -- its runs were removed since, or it was another's
      remove_files(self, known.id)
      local gone, failed = db:run("DELETE FROM upload WHERE id = ?", known.id)
      if not gone then return nil, failed end
    end
    local open, uncounted = db:one("SELECT count(*) AS n, coalesce(sum(bytes), 0) AS bytes"
      .. " FROM upload WHERE runs IS NULL")
    if not open then return nil, uncounted end
    local full = over_quota(open, request, self.settings)
    if not full and sender then
      full, uncounted = over_share(self, db, request, sender)
      if uncounted then return nil, uncounted end
    end
    if full then return nil, full, QUOTA end
    local now_ns = core.utc_ns()
    local id = core.digest.sha256(("%s %d %s"):format(request.key, now_ns, tostring {})):sub(1, 32)
    local done, failed = db:run("INSERT INTO upload VALUES(?, ?, ?, ?, ?, ?, NULL)", id,
      request.key, math.tointeger(request.bytes), request.sha256, request.media_type,
      date.now_ns())
    if done and sender then done, failed = core.files.append(sender_of(self, id), sender) end
    if not done then return nil, failed end
    return { id = id, bytes = request.bytes, created = true }
  end)
  if not row and refused == QUOTA then return nil, message, "too_many" end
  if not row then return unavailable(message) end
  if row.runs then return { done = true, run_ids = arrived(self, row) } end
  return { upload_id = row.id, offset = size_of(part_of(self, row.id)) or 0,
    created = row.created or false, chunk_bytes = self.settings.chunk_bytes }
end

--- How much of an upload has arrived.
---@param id string
---@return integer|nil offset
---@return string|nil message
---@return string|nil code
function Uploads:offset(id)
  local row, message, code = find(self, id)
  if not row then return nil, message, code end
  if row.runs then return row.bytes end
  return size_of(part_of(self, id)) or 0
end

-- Writes bytes of a file into another one, from `at` on.
local function put_range(target, at, path, from, bytes)
  local source <close>, message = io.open(path, "rb")
  if not source then return nil, message end
  local reached, why = source:seek("set", from)
  if reached then reached, why = target:seek("set", at) end
  if not reached then return nil, why end
  while bytes > 0 do
    local block, unread = source:read(math.min(BLOCK, bytes))
    if not block then return nil, unread or "the body is shorter than it says" end
    local written, failed = target:write(block)
    if not written then return nil, failed end
    bytes = bytes - #block
  end
  return target:flush()
end

--- Adds a piece that arrived, whole or cut: a range of the file that it was streamed to.
---@param id string
---@param offset integer   where the sender says that it belongs
---@param piece { path: string, from?: integer, bytes: integer }
---@return integer|nil offset  of what is still wanted; for "conflict" in the fourth result
---@return string|nil message
---@return string|nil code
---@return integer|nil true_offset
function Uploads:append(id, offset, piece)
  local row, message, code = find(self, id)
  if not row then return nil, message, code end
  local has = row.runs and row.bytes or size_of(part_of(self, id)) or 0
  if offset ~= has then
    return nil, ("%d bytes are here, so that is where the next belong"):format(has), "conflict", has
  elseif has + piece.bytes > row.bytes then
    return nil, ("the upload has %d bytes, these are more"):format(row.bytes), "too_large"
  end
  local there, why = core.files.append(part_of(self, id), "")
  if not there then return unavailable(why) end
  local target <close>, unopened = io.open(part_of(self, id), "r+b")
  if not target then return unavailable(unopened) end
  local put, failed = put_range(target, has, piece.path, piece.from or 0, piece.bytes)
  if not put then return unavailable(failed) end
  return has + piece.bytes
end

-- ---- into the store ----

-- The tables, views and indices of a store, as text: a parcel must have just these, since a schema
-- of one's own can run code of its own.
local function schema_of(db, schema)
  local rows, message = db:all(("SELECT type, name, tbl_name, sql FROM %s.sqlite_schema"
    .. " ORDER BY type, name"):format(schema))
  if not rows then return nil, message end
  local lines = {}
  for i, row in ipairs(rows) do
    lines[i] = ("%s %s %s %s"):format(row.type, row.name, row.tbl_name, row.sql or "")
  end
  return table.concat(lines, "\n")
end

local UNCHECKED <const> = 3 -- the version whose tables are the same, without checksums

-- Tracks, names and layouts of a run are counted from 0, so that arrays of them are as long as they
-- are many; what is not makes every look at the run cost memory and time.
local SPARSE <const> = "SELECT max(id) AS id, count(*) AS n FROM main.%s WHERE run = ?"
local MOST_ABSENT <const> = 1024

local function sparse(db, run)
  for _, name in ipairs { "track", "name", "layout" } do
    local row, why = db:one(SPARSE:format(name), run)
    if not row then return why end
    if row.n > 0 and row.id >= 2 * row.n + MOST_ABSENT then
      return ("it has a %s number %d, of %d"):format(name, row.id, row.n)
    end
  end
  return nil
end

-- Is this a store as this program writes it, and whole? Why not; and that without a run's name.
local function wrong_in(db)
  local fresh <close>, unmade = core.database(":memory:", { store = true })
  if not fresh then return unmade end
  db:run "PRAGMA trusted_schema = OFF"
  for _, name in ipairs { "application_id", "user_version" } do
    local theirs, unread = db:one("PRAGMA " .. name)
    if not theirs then return unread end
    local ours, failed = fresh:one("PRAGMA " .. name)
    if not ours then return failed end
    local older = name == "user_version" and theirs[name] == UNCHECKED
    if theirs[name] ~= ours[name] and not older then
      return name == "application_id" and "it is not a tandem store"
        or ("it is a store of version %d, this tandem takes %d"):format(theirs[name], ours[name])
    end
  end
  local theirs, unread = schema_of(db, "main")
  if not theirs then return unread end
  local ours, failed = schema_of(fresh, "main")
  if not ours then return failed end
  if theirs ~= ours then return "its tables are not those of a tandem store" end
  local found, unlooked = verify.own_check(db, "quick_check(1)")
  if not found then return unlooked end
  if found ~= "ok" then return "it is a damaged store" end
  local runs, unlisted = db:all "SELECT number, id FROM run ORDER BY number"
  if not runs then return unlisted end
  for _, run in ipairs(runs) do
    local rows, why = db:check_run(run.number)
    why = not rows and why or sparse(db, run.number)
    if why then return ("run %s: %s"):format(run.id, why), why end
  end
  return nil
end

-- Why this file cannot be taken; whether that is this server's own: its memory, or its disk.
local function wrong_store(path)
  local db <close>, message = core.database(path, { readonly = true })
  if not db then return message, verify.is_short(message) end
  local wrong, why = wrong_in(db)
  if wrong and db:failed_reads() > 0 then return "the disk fails: try again", true end
  return wrong, verify.is_short(why or wrong)
end

-- The number of a run that has this digest already.
local function known_run(db, digest)
  local row, message = db:one("SELECT r.id FROM upload_run AS u JOIN run AS r ON r.number = u.run"
    .. " WHERE u.digest = ?", digest)
  if row then return row.id end
  return nil, message
end

-- An id that no run here has: its own, else parts of its digest.
local function free_id(db, id, digest)
  local wanted = id:find "^%x%x%x%x%x%x%x%x$" and id:lower() or digest:sub(1, 8)
  for at = 1, #digest, 8 do
    if not db:one("SELECT 1 AS here FROM run WHERE id = ?", wanted) then return wanted end
    wanted = digest:sub(at, at + 7)
  end
  return nil, "no id is free for one of its runs"
end

-- The runs of the attached parcel with their digests: before the transaction, since it takes long.
local function runs_of(db)
  local runs, message = db:all "SELECT number, id FROM parcel.run ORDER BY number"
  if not runs then return nil, message end
  if #runs == 0 then return nil, "it has no runs", "damaged" end
  for _, run in ipairs(runs) do
    run.digest, message = copy.digest(db, "parcel", run.number)
    if not run.digest then return nil, message, "damaged" end
  end
  return runs
end

-- The runs of the attached parcel into the store; their ids here.
local function merge(db, runs)
  local ids = {}
  for i, run in ipairs(runs) do
    local id, unknown = known_run(db, run.digest)
    if not id then
      local number, why
      if unknown then return nil, unknown end
      id, why = free_id(db, run.id, run.digest)
      if not id then return nil, why end
      number, why = copy.run(db, "parcel", run.number, id)
      if not number then return nil, why, "damaged" end
      local kept, unkept, broken = notes.unpack(db, number)
      if not kept then
        return nil, ("run %s: %s"):format(run.id, unkept), not broken and "damaged" or nil
      end
      local noted, failed = db:run("INSERT INTO upload_run VALUES(?, ?)", run.digest, number)
      if not noted then return nil, failed end
    end
    ids[i] = id
  end
  return ids
end

-- Attaches the store in a file, merges it, and notes that it is done.
local function take_over(self, row, path)
  local db = self.db
  local done, message = db:run("ATTACH '" .. path:gsub("'", "''") .. "' AS parcel")
  if not done then return unavailable(message) end
  local ids
  local runs, why, code = runs_of(db)
  if runs then
    db:run("PRAGMA busy_timeout = " .. PATIENCE_MS)
    ids, why, code = db:transaction(function()
      local made, unmade, kind = merge(db, runs)
      if not made then return nil, tostring(unmade), kind end
      local noted, failed = db:run("UPDATE upload SET runs = ? WHERE id = ?",
        json.encode(made, { lists = {} }), row.id)
      if not noted then return nil, failed end
      return made
    end)
  end
  db:run "DETACH parcel"
  if not ids then return nil, why, type(code) == "string" and code or "unavailable" end
  return ids
end

-- A parcel may be so much larger when it is unpacked: chunks are packed already, tables pack well.
local RATIO <const>, RATIO_FREE <const> = 50, 64 << 20

-- How large the store in a parcel says that it is, from its first bytes, before the rest is
-- unpacked; nil and a line where it is none, or too large for what was sent.
local function expanded_bytes(part, size, settings)
  local head, why = core.digest.peek(part, 100)
  if not head then return nil, why end
  if #head < 100 or head:sub(1, 16) ~= "SQLite format 3\0" or head:sub(69, 72) ~= "TDMS" then
    return nil, "it is not a tandem store"
  end
  local page = (">I2"):unpack(head, 17)
  local bytes = (page == 1 and 65536 or page) * (">I4"):unpack(head, 29)
  local most = math.min(settings.most_expanded, RATIO * size + RATIO_FREE)
  if bytes > most then
    return nil, ("it has more than %d bytes in it, too many for the %d that were sent"):format(most,
      size)
  end
  return bytes
end

-- Checks what arrived, and takes its runs over.
local function settle(self, row)
  local id = row.id
  local part, store_path = part_of(self, id), self.directory .. "/" .. id .. ".db"
  local size = size_of(part) or 0
  if size ~= row.bytes then
    return nil, ("%d of %d bytes are here"):format(size, row.bytes), "conflict"
  end
  local function damaged(why)
    remove_files(self, id)
    self.db:run("DELETE FROM upload WHERE id = ?", id)
    return nil, "the upload is damaged: " .. tostring(why):gsub(self.directory:gsub("%p", "%%%0")
      .. "/", ""), "damaged"
  end
  local sha256, unread = core.digest.sha256_file(part)
  if not sha256 then return unavailable(unread) end
  if sha256 ~= row.sha256 then return damaged "its hash is another one" end
  local expanded, unfit = expanded_bytes(part, size, self.settings)
  if not expanded then return damaged(unfit) end
  local bytes, why, exit = core.digest.expand(part, store_path, expanded)
  if not bytes then
    if exit == 4 then return unavailable(why) end
    return damaged(why)
  end
  local wrong, ours = wrong_store(store_path)
  if wrong and ours then return unavailable(wrong) end
  if wrong then return damaged(wrong) end
  local ids, message, code = take_over(self, row, store_path)
  if not ids and code == "damaged" then return damaged(message) end
  return ids, message, code
end

--- Finishes an upload: what arrived is checked, and its runs come in, all or none. Again: the
--- same answer; while any is being finished: "working". A damaged one is removed, so that it can be
--- sent anew.
---@param id string
---@return string[]|nil run_ids
---@return string|nil message
---@return string|nil code
function Uploads:finish(id)
  local row, message, code = find(self, id)
  if not row then return nil, message, code end
  local lock <close>, problem = core.files.lock(self.directory .. "/finishing.lock")
  if problem then return unavailable(problem) end
  if not lock then return nil, "it or another upload is being finished", "working" end
  row, message, code = find(self, id) -- as whoever had the lock has left it
  local ids = row and arrived(self, row)
  if row and not ids then ids, message, code = settle(self, row) end
  if ids or not row then remove_files(self, id) end
  return ids, message, code
end

--- Removes what was begun and not finished before a moment, its files and its row, and the files
--- that a killed server left of others.
---@param before_ns integer   since 1970
---@return integer|nil removed
---@return string|nil message
---@return string|nil code
function Uploads:sweep(before_ns)
  local rows, message = self.db:all("SELECT id FROM upload WHERE runs IS NULL AND begun_utc_ns < ?",
    before_ns)
  if not rows then return unavailable(message) end
  for _, row in ipairs(rows) do
    remove_files(self, row.id)
    self.db:run("DELETE FROM upload WHERE id = ?", row.id)
  end
  for _, name in ipairs(core.files.list(self.directory) or {}) do
    local id = name:match "^(%x+)%."
    if is_id(id) and not self.db:one("SELECT 1 AS wanted FROM upload WHERE id = ? AND runs IS NULL",
      id) then
      remove_files(self, id)
    end
  end
  return #rows
end

return uploads
