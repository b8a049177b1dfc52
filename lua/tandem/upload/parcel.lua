--- What is sent: a store that has the chosen runs only, scrubbed by default, packed with zstd.
--
-- Owns the temporary files and what of a run leaves in which form. The same runs give the same
-- bytes, so that a repeat has the same key: runs in the order of their ids, numbered from 1, in a
-- fresh file. SHA-256 is the key, since a receiver takes parcels of strangers. Called by
-- tandem.upload.
local core = require "tandem.core"
local copy = require "tandem.store.copy"
local notes = require "tandem.store.notes"
local store = require "tandem.store"

local parcel = {}

parcel.MEDIA_TYPE = "application/vnd.tandem.store+zstd"

-- Chunks are packed already: more than this finds little more.
local LEVEL <const> = 9

---@class tandem.ParcelRun
---@field id string
---@field name string
---@field kind string
---@field digest string

---@class tandem.Parcel
---@field runs tandem.ParcelRun[]
---@field removed tandem.Scrubbed[]|nil  by run; nil: as it is, nothing was removed
---@field tables { name: string, rows: integer, columns: string[] }[]
---@field store_path string   what is in it, as a store
---@field path string|nil     packed; form "json" has a body instead
---@field body string|nil
---@field bytes integer       that travel
---@field key string          SHA-256 of them
---@field private directory string
---@field private lock userdata   as long as it is held, the directory is in use
local Parcel = { __name = "tandem.Parcel" }
Parcel.__index = Parcel

local function quote(text) return "'" .. text:gsub("'", "''") .. "'" end

-- The ids of the runs that people name, sorted, each once.
local function ids_of(from, texts)
  local ids, seen = {}, {}
  for _, text in ipairs(texts) do
    local found, message, code = from:run(text)
    if not found then return nil, message, code end
    if not seen[found.id] then
      ids[#ids + 1], seen[found.id] = { id = found.id, number = found.number }, true
    end
  end
  table.sort(ids, function(a, b) return a.id < b.id end)
  return ids
end

local function remove_directory(directory)
  for _, name in ipairs(core.files.list(directory) or {}) do
    core.files.discard(directory .. "/" .. name)
  end
  core.files.discard(directory)
end

-- What killed senders have left: directories whose lock nobody holds.
local function remove_forgotten(base)
  for _, name in ipairs(core.files.list(base) or {}) do
    local directory = name:match "^tandem%-upload%-%x+/$" and base .. "/" .. name:sub(1, -2)
    local lock <close> = directory and core.files.lock(directory .. "/lock") or nil
    if lock then remove_directory(directory) end
  end
end

-- Before its lock is held, another sender may take a new directory for forgotten.
local MOST_TRIES <const> = 20

-- A directory that nobody else can read (0700), and the lock that keeps it: into the parcel, which
-- knows of the first before it is there.
local function make_directory(self)
  local base = os.getenv "TMPDIR"
  base = base and base ~= "" and base or "/tmp"
  remove_forgotten(base)
  local lock, message
  for _ = 1, MOST_TRIES do
    local name = core.digest.sha256(("%d %s %s"):format(core.utc_ns(), tostring({}),
      tostring(math.random(0)))):sub(1, 16)
    self.directory = ("%s/tandem-upload-%s"):format(base, name)
    local path = self.directory .. "/lock"
    lock, message = core.files.append(path, "")
    if lock then lock, message = core.files.lock(path) end
    self.lock = lock
    if lock and core.files.size(path) then return true end
  end
  return nil, ("cannot prepare the upload: %s"):format(message or "it is in use"), 4
end

-- What is made anew after a crash need not be on the disk.
local HASTY <const> = "PRAGMA synchronous = OFF"

-- What cannot be read of two stores in one connection is the other's: the fresh one has no damage.
local function of_origin(message, path, origin)
  local first, last = message:find("cannot read " .. path, 1, true)
  if not first then return message end
  return ("%scannot read %s%s"):format(message:sub(1, first - 1), origin, message:sub(last + 1))
end

-- Copies the runs into a fresh store.
local function collect(from, ids, path)
  local db <close>, message, code = core.database(path, { store = true })
  if not db then return nil, message, code end
  local done
  done, message, code = db:run(HASTY .. "; ATTACH " .. quote(from.path) .. " AS origin")
  if not done then return nil, message, code end
  done, message, code = db:transaction(function()
    for _, run in ipairs(ids) do
      local number, why, failed = copy.run(db, "origin", run.number)
      if not number then return nil, why, failed end
      local noted
      noted, why, failed = notes.copy(db, "origin", run.number, number)
      if not noted then return nil, why, failed end
    end
    return true
  end)
  if not done then return nil, of_origin(message --[[@as string]], path, from.path), code end
  return db:run "DETACH origin"
end

-- Takes out what tells of machines and users.
local function scrub(path, ids)
  local made <close>, message, code = store.open(path)
  if not made then return nil, message, code end
  local removed = {}
  made.db:run(HASTY)
  for i, run in ipairs(ids) do
    removed[i], message, code = made:scrub(run.id, { all = true, keep_notes = true })
    if not removed[i] then return nil, message, code end
  end
  return removed
end

-- Written anew, so that the bytes do not depend on how they came about.
local function settle(path, final)
  local db <close>, message, code = core.database(path, { store = true })
  if not db then return nil, message, code end
  local done
  done, message, code = db:transaction(notes.pack)
  if done then done, message, code = db:run("VACUUM INTO " .. quote(final)) end
  if not done then return nil, message, code end
  return true
end

-- What is in the parcel, as its reader will find it.
local function describe(self)
  local db <close>, message, code = core.database(self.store_path, { store = true,
    readonly = true })
  if not db then return nil, message, code end
  local runs
  runs, message, code = db:all "SELECT number, id, name, kind FROM run ORDER BY number"
  if not runs then return nil, message, code end
  self.runs, self.tables = {}, {}
  for i, run in ipairs(runs) do
    local digest, why, failed = copy.digest(db, "main", run.number)
    if not digest then return nil, why, failed end
    self.runs[i] = { id = run.id, name = run.name, kind = run.kind, digest = digest }
  end
  for _, name in ipairs(copy.TABLES) do
    local row, why, failed = db:one("SELECT count(*) AS n FROM " .. name)
    if not row then return nil, why, failed end
    if row.n > 0 then
      self.tables[#self.tables + 1] = { name = name, rows = row.n,
        columns = db:columns("SELECT * FROM " .. name) }
    end
  end
  return true
end

-- The bytes that travel, and their key.
local function seal(self, form)
  local message, code
  if form == "json" then
    local text
    text, message, code = require("tandem.upload.summary").of(self)
    if not text then return nil, message, code end
    self.text, self.key = text, core.digest.sha256(text)
    self.body = core.digest.gzip(text)
    self.bytes = #self.body
    return true
  end
  self.path = self.directory .. "/parcel.zst"
  self.bytes, message, code = core.digest.pack(self.store_path, self.path, LEVEL)
  if not self.bytes then return nil, message, code end
  self.key, message, code = core.digest.sha256_file(self.path)
  if not self.key then return nil, message, code end
  return true
end

--- Makes a parcel of stored runs; its files go when it is closed.
---@param from tandem.Store
---@param texts string[]     runs as people name them
---@param options { raw?: boolean, form?: "store"|"json" }
---@return tandem.Parcel|nil
---@return string|nil message
---@return integer|nil code
function parcel.make(from, texts, options)
  local ids, message, code = ids_of(from, texts)
  if not ids then return nil, message, code end
  local self = setmetatable({}, Parcel)
  local done, unmade, exit = make_directory(self)
  if not done then return nil, unmade, exit end
  self.store_path = self.directory .. "/runs.db"
  local raw = self.directory .. "/raw.db"
  done, message, code = collect(from, ids, raw)
  if done and not options.raw then
    done, message, code = scrub(raw, ids)
    self.removed = done or nil
  end
  if done then done, message, code = settle(raw, self.store_path) end
  if done then done, message, code = describe(self) end
  if done then done, message, code = seal(self, options.form or "store") end
  if done then return self end
  self:close()
  return nil, message, code
end

--- Removes its files; twice is fine.
function Parcel:close()
  if self.directory then remove_directory(self.directory) end
  self.directory, self.lock = nil, nil
end

Parcel.__close = Parcel.close
Parcel.__gc = Parcel.close -- of one that Ctrl-C stopped while it was made

return parcel
