--- Sweeps kept in a store file, so that a killed one goes on where it was.
--
-- Owns the tables `sweep` and `sweep_point`, which stand in the same file as the runs of
-- `--store` (src/trace/store/schema.c), whichever came first; and the rule when answers are
-- committed. What makes two sweeps the same is the caller's `key`: all that decides an answer
-- belongs into it. Joining files is merge.lua's. Called by sweep, the machines, the command line.
--
-- What can fail because of the disk, another process or the file returns nil, message, code.
local canonical = require "tandem.scenario.canonical"
local core = require "tandem.core"
local job = require "tandem.sweep.job"
local json = require "tandem.io.json"
local view = require "tandem.sweep.view"

local ledger = {}

---@class tandem.Ledger
---@field path string
---@field private db userdata
---@field private pending table[]   answers that are not committed yet
---@field private viewed table<string, true>  sweeps whose view is made
---@field private committed number  when the last commit was tried, by core.clock
local Ledger = {}
Ledger.__index = Ledger

---@class tandem.SweepRecord
---@field id string?            eight hexadecimal digits: made by the ledger
---@field key string            the same key is the same sweep, continued
---@field name string
---@field scenario string?      its text
---@field design table?         plain data
---@field seed integer?
---@field replications integer?
---@field metrics string[]?
---@field version string?       of the program
---@field points integer        how many it has when it is complete
---@field done integer?         points that have an answer; only from list and find
---@field failed integer?       of these, with `ok = false`

---@class tandem.SweepRow
---@field number integer
---@field point table
---@field ok boolean
---@field message string?
---@field answer tandem.Answer

-- A commit takes some 50 µs. Seldom enough to cost nothing, often enough to lose nothing.
local COMMIT_ANSWERS <const> = 256
local COMMIT_SECONDS <const> = 0.05

local CORRUPT <const> = 4 -- exit code: the file is at fault

-- TEXT columns whose comment says JSON hold exact JSON (io/json.lua). Points are no WITHOUT ROWID
-- table: such a tree puts rows of a kilobyte on overflow pages, and was half as fast.
local TABLES <const> = [[
CREATE TABLE IF NOT EXISTS sweep(
  id TEXT PRIMARY KEY NOT NULL, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  scenario TEXT, design TEXT /* JSON */, seed INTEGER, replications INTEGER,
  metrics TEXT /* JSON */, version TEXT, points INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS sweep_point(
  sweep TEXT NOT NULL REFERENCES sweep(id) ON DELETE CASCADE, number INTEGER NOT NULL,
  point TEXT NOT NULL /* JSON */, ok INTEGER NOT NULL CHECK(ok IN (0, 1)), message TEXT,
  answer TEXT NOT NULL /* JSON */, PRIMARY KEY(sweep, number)) STRICT;
]]

--- Adds the ledger's tables to a store (or to any database) that lacks them.
---@param db userdata
---@return boolean|nil done, string? message, integer? code
function ledger.create_tables(db)
  local row, message, code = db:one(
    "SELECT count(*) AS n FROM sqlite_schema WHERE type = 'table'"
    .. " AND name IN ('sweep', 'sweep_point')")
  if not row then return nil, message, code end
  if row.n == 2 then return true end
  return db:transaction(function()
    local changes, why, number = db:run(TABLES)
    if not changes then return nil, why, number end
    return true
  end)
end

--- Opens a store, which is created when the file is not there.
---@param path string
---@return tandem.Ledger|nil ledger, string? message, integer? code
function ledger.open(path)
  local db, message, code = core.database(path, { store = true })
  if not db then return nil, message, code end
  local made
  made, message, code = ledger.create_tables(db)
  if not made then
    db:close()
    return nil, message, code
  end
  return setmetatable({ path = path, db = db, pending = {}, viewed = {}, committed = -math.huge },
    Ledger)
end

-- ---- which sweep ----

local function optional_json(value)
  return value ~= nil and json.exact(value) or nil
end

--- Inserts a sweep of this key unless it is there; inside a transaction. `record` is a row: design
--- and metrics are JSON text.
---@param db userdata
---@param record table
---@return table|nil row, string? message, integer? code
function ledger.insert_sweep(db, record)
  local select <const> = "SELECT * FROM sweep WHERE key = ?"
  local row, message, code = db:one(select, record.key)
  if row or message then return row, message, code end
  -- The id is the key's digest, so that a sweep has the same one in every file; another one only
  -- where two keys share a digest.
  local id, attempt = canonical.hash(record.key):sub(1, 8), 0
  while true do
    row, message, code = db:one("SELECT id FROM sweep WHERE id = ?", id)
    if message then return nil, message, code end
    if not row then break end
    attempt = attempt + 1
    id = canonical.hash(("%s #%d"):format(record.key, attempt)):sub(1, 8)
  end
  local changes
  changes, message, code = db:run(
    "INSERT INTO sweep(id, key, name, scenario, design, seed, replications, metrics, version,"
    .. " points) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    id, record.key, record.name, record.scenario, record.design, record.seed, record.replications,
    record.metrics, record.version, record.points)
  if not changes then return nil, message, code end
  return db:one(select, record.key)
end

local function decoded(self, id, number, text)
  local value, message = json.read_exact(text)
  if value == nil then
    return nil, ("%s: point %d of sweep %s is damaged: %s"):format(self.path, number, id, message),
      CORRUPT
  end
  return value
end

local function answers(self, id)
  local rows, message, code = self.db:all(
    "SELECT number, answer FROM sweep_point WHERE sweep = ?", id)
  if not rows then return nil, message, code end
  local done = {}
  for _, row in ipairs(rows) do
    local answer
    answer, message, code = decoded(self, id, row.number, row.answer)
    if answer == nil then return nil, message, code end
    done[row.number] = answer
  end
  return done
end

--- Begins a sweep, or continues the one that has this key.
---@param record tandem.SweepRecord
---@return string|nil id
---@return table<integer, tandem.Answer>|string done  what is answered already, by number of point
---@return integer? code
function Ledger:sweep(record)
  local flushed, message, code = self:flush()
  if not flushed then return nil, message, code end
  local row
  row, message, code = self.db:transaction(function(db)
    return ledger.insert_sweep(db, {
      key = record.key, name = record.name, scenario = record.scenario, seed = record.seed,
      design = optional_json(record.design), replications = record.replications,
      metrics = optional_json(record.metrics), version = record.version, points = record.points })
  end)
  if not row then return nil, message, code end
  if row.points ~= record.points then
    return nil, ("%s: sweep %s has %d points, not %d: two sweeps under one key"):format(self.path,
      row.id, row.points, record.points), 3
  end
  local done
  done, message, code = answers(self, row.id)
  if not done then return nil, message, code end
  return row.id, done
end

-- ---- answers ----

local INSERT_POINT <const> = "INSERT OR REPLACE INTO sweep_point(sweep, number, point, ok, message,"
  .. " answer) VALUES(?, ?, ?, ?, ?, ?)"

--- Writes one point's row; inside a transaction. Its fields are those of the table.
---@param db userdata
---@param id string
---@param row table
---@return integer|nil changes, string? message, integer? code
function ledger.put_point(db, id, row)
  return db:run(INSERT_POINT, id, row.number, row.point, row.ok, row.message, row.answer)
end

--- Keeps an answer. It is committed now or with the next ones: with `tick` called now and then, a
--- killed program loses at most the answers of the last 0.2 s. One that was interrupted, or that
--- memory was short for, is not kept: its point is still to be done.
---@param id string
---@param number integer
---@param point table
---@param answer tandem.Answer
---@return boolean|nil kept, string? message, integer? code
function Ledger:add(id, number, point, answer)
  if answer.interrupted or job.starved(answer) then return true end
  self.pending[#self.pending + 1] = { sweep = id, number = number, point = json.exact(point),
    ok = answer.ok and 1 or 0, message = answer.message, answer = json.exact(answer) }
  return self:tick()
end

--- Commits when it is time. Called after each answer, and by those who wait for answers.
---@return boolean|nil done, string? message, integer? code
function Ledger:tick()
  if #self.pending < COMMIT_ANSWERS and core.clock() - self.committed < COMMIT_SECONDS then
    return true
  end
  return self:flush()
end

--- Commits all that was added. When that fails the answers are kept for another try.
---@return boolean|nil done, string? message, integer? code
function Ledger:flush()
  if #self.pending == 0 then return true end
  local done, message, code = self.db:transaction(function(db)
    for _, row in ipairs(self.pending) do
      local changes, why, number = ledger.put_point(db, row.sweep, row)
      if not changes then return nil, why, number end
      if not self.viewed[row.sweep] then
        changes, why, number = view.make(db, row.sweep)
        if not changes then return nil, why, number end
        self.viewed[row.sweep] = true
      end
    end
    return true
  end)
  self.committed = core.clock()
  if done then
    self.pending = {}
  elseif message and message:find("FOREIGN KEY", 1, true) then
    message = ("%s: the sweep was removed while its answers came in"):format(self.path)
  end
  return done, message, code
end

-- ---- reading ----

--- The points of a sweep in the order of their numbers, for a generic for. A row that cannot be
--- read raises its line of text.
---@param id string
---@return (fun(): tandem.SweepRow?)|nil iterator, string? message, integer? code
function Ledger:rows(id)
  local flushed, why, number = self:flush()
  if not flushed then return nil, why, number end
  local step, message, code, cursor = self.db:rows(
    "SELECT number, point, ok, message, answer FROM sweep_point WHERE sweep = ? ORDER BY number",
    id)
  if not step then return nil, message, code end
  local function field(row, name)
    local value, problem = decoded(self, id, row.number, row[name])
    if value == nil then error(problem, 0) end
    return value
  end
  return function()
    local row = step()
    if not row then return nil end
    return { number = row.number, point = field(row, "point"), ok = row.ok == 1,
      message = row.message, answer = field(row, "answer") }
  end, nil, nil, cursor
end

local LIST <const> = [[
SELECT s.id, s.key, s.name, s.scenario, s.design, s.seed, s.replications, s.metrics, s.version,
  s.points, count(p.number) AS done, count(CASE WHEN p.ok = 0 THEN 1 END) AS failed
FROM sweep AS s LEFT JOIN sweep_point AS p ON p.sweep = s.id %s
GROUP BY s.id ORDER BY s.rowid]]

local function records(self, condition, ...)
  local flushed, message, code = self:flush()
  if not flushed then return nil, message, code end
  local rows
  rows, message, code = self.db:all(LIST:format(condition), ...)
  if not rows then return nil, message, code end
  for _, row in ipairs(rows) do
    row.design = row.design and json.read_exact(row.design)
    row.metrics = row.metrics and json.read_exact(row.metrics)
  end
  return rows
end

--- All sweeps of the file, in the order in which they came.
---@return tandem.SweepRecord[]|nil list, string? message, integer? code
function Ledger:list()
  return records(self, "")
end

--- The sweep that a person names: by the beginning of its id, by its name, or "last".
---@param text string
---@return tandem.SweepRecord|nil record, string? message, integer? code
function Ledger:find(text)
  local found, message, code
  if text == "last" then
    found, message, code = records(self, "WHERE s.rowid = (SELECT max(rowid) FROM sweep)")
  else
    found, message, code = records(self,
      "WHERE (?1 <> '' AND substr(s.id, 1, length(?1)) = ?1) OR s.name = ?1", text)
  end
  if not found then return nil, message, code end
  if #found == 1 then return found[1] end
  if #found > 1 then
    return nil, ("'%s' names more than one sweep in %s: %s or %s"):format(text, self.path,
      found[1].id, found[2].id), 3
  end
  if text == "last" then return nil, ("%s has no sweeps yet"):format(self.path), 3 end
  return nil, ("no sweep '%s' in %s"):format(text, self.path), 3
end

--- Removes a sweep and its points.
---@param id string as the ledger gave it
---@return boolean|nil removed, string? message, integer? code
function Ledger:remove(id)
  local kept = {}
  for _, row in ipairs(self.pending) do
    if row.sweep ~= id then kept[#kept + 1] = row end
  end
  self.pending = kept
  local changes, message, code = self.db:run("DELETE FROM sweep WHERE id = ?", id)
  if not changes then return nil, message, code end
  if changes == 0 then return nil, ("no sweep '%s' in %s"):format(id, self.path), 3 end
  return true
end

--- Commits and closes; twice is fine.
---@return boolean|nil done, string? message, integer? code
function Ledger:close()
  local done, message, code = self:flush()
  self.pending = {}
  self.db:close()
  return done, message, code
end

Ledger.__close = Ledger.close

--- Joins the sweeps of several stores into one; see merge.lua.
---@param into string created when it is missing
---@param from string[]
---@return tandem.MergeSummary|nil summary, string? message, integer? code
function ledger.merge(into, from)
  return require "tandem.sweep.merge" (into, from)
end

return ledger
