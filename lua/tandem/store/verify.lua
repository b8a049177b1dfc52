--- Whether a store is whole, and what of it can be kept: `tandem verify`.
--
-- Owns what is read: every page, every table of every run, every row of every chunk, the log of a
-- killed writer. The checksums are src/trace/store/pages.h's, the log is log.h's; repair.lua writes
-- a damaged store anew. Called by Store:verify and the command.
local core = require "tandem.core"
local copy = require "tandem.store.copy"
local format = require "tandem.text.format"

local verify = {}

---@class tandem.VerifiedRun
---@field number integer
---@field id string|nil    nil where its row cannot be read
---@field name string|nil
---@field trouble string|nil  why it cannot be read; nil: it is whole

---@class tandem.Verified
---@field checked boolean      the file has checksums
---@field pages integer        how many were compared
---@field damaged integer[]    numbers of pages
---@field unmarked integer[]   pages that another program wrote
---@field runs tandem.VerifiedRun[]
---@field trouble string[]     what is wrong beside the runs
---@field sound boolean        nothing is wrong

--- Tables that belong to no run: outbox, upload and what others (the ledger of sweeps) add.
function verify.other_tables(db)
  local of_run = {}
  for _, name in ipairs(copy.TABLES) do of_run[name] = true end
  local rows, message, code = db:all("SELECT name, sql FROM main.sqlite_schema"
    .. " WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
  if not rows then return nil, message, code end
  local out = {}
  for _, row in ipairs(rows) do if not of_run[row.name] then out[#out + 1] = row end end
  return out
end

--- The numbers of all runs that anything tells of: the list of runs may be what is damaged.
---@return integer[]|nil
---@return string|nil message  why not; why the list could not be read
function verify.numbers(db)
  local rows, unlisted = db:all "SELECT number FROM run ORDER BY number"
  if verify.is_short(unlisted) then return nil, unlisted end
  local out, seen = {}, {}
  local function add(number)
    if not seen[number] then out[#out + 1] = number end
    seen[number] = true
  end
  for _, row in ipairs(rows or {}) do add(row.number) end
  if rows then return out end
  for _, name in ipairs { "chunk", "track", "source", "fact", "metric", "request" } do
    for _, row in ipairs(db:all(("SELECT DISTINCT run AS number FROM %s"):format(name)) or {}) do
      add(row.number)
    end
  end
  table.sort(out)
  return out, unlisted
end

local function read_run(db, run)
  local row, message = db:one("SELECT id, name, spans FROM run WHERE number = ?", run.number)
  if not row then return message or "its row is not there" end
  run.id, run.name = row.id, row.name
  for _, name in ipairs(copy.TABLES) do
    if name ~= "run" and name ~= "chunk_data" then
      local seen, why = db:one(("SELECT count(*) AS n FROM %s WHERE run = ?"):format(name),
        run.number)
      if not seen then return why end
    end
  end
  local digested, why = copy.digest(db, "main", run.number) -- every value of every row
  if not digested then return why end
  local rows
  rows, why = db:check_run(run.number)
  if not rows then return why end
  local told = db:one("SELECT count(*) AS n FROM span WHERE run = ?", run.number)
  if told and told.n ~= row.spans then
    return ("it has %s, of %s"):format(format.integer(told.n), format.plural(row.spans, "span"))
  end
  return nil
end

-- Messages advise to call what is running.
local function bare(text) return (text:gsub("; `tandem verify`.*", "")) end

--- Whether it is memory that lacks, for want of which nothing is damaged, nor lost.
---@param message any
---@return boolean
function verify.is_short(message)
  return type(message) == "string" and message:find("memory", 1, true) ~= nil
end

-- Rows that fail after the first raise.
local function trouble_once(db, run)
  local ok, trouble = pcall(read_run, db, run)
  if not ok and not db:unread() and not verify.is_short(trouble) then error(trouble, 0) end
  return trouble and bare(trouble)
end

--- Why a run cannot be read, or nil. What fails is tried again: a disk may do so once.
---@param db userdata
---@param run tandem.VerifiedRun
---@return string|nil
function verify.trouble_of(db, run) return trouble_once(db, run) and trouble_once(db, run) end

--- What a failing disk does not give now may be whole: it is neither damaged nor given up.
verify.UNREAD = "the disk fails: not all of the store could be read, and nothing was changed; "
  .. "copy the file to another disk and try there"

--- What SQLite itself finds, "ok" for nothing. A page that it had no memory for is among that, by
--- SQLITE_NOMEM: it could not look.
---@param db userdata
---@param pragma "integrity_check(20)"|"quick_check(1)"
---@return string|nil found
---@return string|nil message
---@return integer|nil code
function verify.own_check(db, pragma)
  local rows, message, code = db:all("PRAGMA " .. pragma) -- a page may fail behind the first row
  if not rows then return nil, message, code end
  local found = rows[1][pragma:match "^[%l_]+"]:gsub("\n", "; ")
  if found:find "error code=7%f[%D]" then return nil, "out of memory", 4 end
  return found
end

--- Reads everything.
---@param db userdata
---@param only? integer  the number of the run that is meant
---@return tandem.Verified|nil
---@return string|nil message
---@return integer|nil code
function verify.look(db, only)
  local pages, message, code = db:pages()
  if not pages then return nil, message, code end
  local out = { checked = pages.checked, pages = pages.count, damaged = pages.damaged,
    unmarked = pages.unmarked, runs = {}, trouble = {} }
  local failed_reads = db:failed_reads() -- a page that was asked for again is known
  local numbers, unlisted = { only }, nil
  if not only then numbers, unlisted = verify.numbers(db) end
  if not numbers then return nil, unlisted, 4 end
  for _, number in ipairs(numbers) do
    local run = { number = number }
    run.trouble = verify.trouble_of(db, run)
    if verify.is_short(run.trouble) then return nil, run.trouble, 4 end
    out.runs[#out.runs + 1] = run
  end
  local function wrong(text) out.trouble[#out.trouble + 1] = bare(text) end
  if not only then
    local listed, why = db:one "SELECT count(*) AS n FROM run"
    if not listed then wrong("the list of runs: " .. why) end
    local others
    others, why = verify.other_tables(db)
    if not others then wrong("the list of tables: " .. why) end
    for _, row in ipairs(others or {}) do
      local read, failed = db:one(('SELECT count(*) AS n FROM "%s"'):format(row.name))
      if not read then wrong(("the table %s: %s"):format(row.name, failed)) end
    end
    local found, failed
    for _ = 1, 2 do -- a disk may fail once
      if found ~= "ok" then found, failed = verify.own_check(db, "integrity_check(20)") end
    end
    if found ~= "ok" then wrong("SQLite's own check: " .. (found or failed)) end
  end
  for _, text in ipairs(out.trouble) do
    if verify.is_short(text) then return nil, text, 4 end
  end
  out.sound = #out.damaged == 0 and #out.unmarked == 0 and #out.trouble == 0
  for _, run in ipairs(out.runs) do out.sound = out.sound and not run.trouble end
  if not out.sound and db:failed_reads() > failed_reads then return nil, verify.UNREAD, 4 end
  return out
end

-- ---- a log that a killed writer left ----

--- What the log beside a store has lost, where that is known; nil: nothing. The store must not be
--- open.
---@param path string
---@return { text: string, keep: integer }|nil
---@return string|nil message  the log cannot be read
function verify.log(path)
  local found = core.log.look(path)
  if not found then return nil end
  if found.unread then return nil, ("cannot read the store %s: %s"):format(path, found.text) end
  found.text = ("%s: of %s committed to it %s can be read; what was kept last is lost"):format(
    found.text, format.plural(found.frames, "page"), format.integer(found.whole))
  return found
end

--- A copy of a store with as much of its log as can be read: looking at the store itself would take
--- that in and drop the rest.
---@param path string
---@param log { keep: integer }
---@return tandem.Scratch|nil
---@return string|nil message
---@return integer|nil code
function verify.copy(path, log)
  local outfile = require "tandem.io.outfile"
  local copied = require("tandem.io.scratch").new ".db"
  local done, message, code = outfile.copy(copied.path, path)
  if done and log.keep > 0 then
    done, message, code = outfile.copy(copied.path .. "-wal", path .. "-wal")
    if done then done, message = core.log.cut(copied.path, log.keep) end
  end
  if done then return copied end
  copied:close()
  return nil, message, code or 4
end

--- See Store:verify.
---@param store tandem.Store
---@param text? string  the run that is meant
---@return tandem.Verified|nil
---@return string|nil message
---@return integer|nil code
function verify.store(store, text)
  if not text then return verify.look(store.db) end
  local run, message, code = store:run(text)
  if not run then return nil, message, code end
  return verify.look(store.db, run.number)
end

return verify
