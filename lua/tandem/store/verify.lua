--- Whether a store is whole, and what of it can be kept: `tandem verify`.
--
-- Owns what is read (every page, every table of every run, every row of every chunk) and how a
-- damaged store is written anew. The checksums are src/trace/store/pages.h's. Called by
-- Store:verify.
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

-- Tables that belong to no run: outbox, upload and what others (the ledger of sweeps) add.
local function other_tables(db)
  local of_run = {}
  for _, name in ipairs(copy.TABLES) do of_run[name] = true end
  local rows, message, code = db:all("SELECT name, sql FROM main.sqlite_schema"
    .. " WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
  if not rows then return nil, message, code end
  local out = {}
  for _, row in ipairs(rows) do if not of_run[row.name] then out[#out + 1] = row end end
  return out
end

-- The numbers of all runs that anything tells of: the list of runs may be what is damaged.
local function numbers(db)
  local rows = db:all "SELECT number FROM run ORDER BY number"
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
  return out
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

-- Why a run cannot be read, or nil. Rows that fail after the first raise.
local function trouble_of(db, run)
  local ok, trouble = pcall(read_run, db, run)
  if not ok and not db:unread() then error(trouble, 0) end
  return trouble and bare(trouble)
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
  for _, number in ipairs(only and { only } or numbers(db)) do
    local run = { number = number }
    run.trouble = trouble_of(db, run)
    out.runs[#out.runs + 1] = run
  end
  local function wrong(text) out.trouble[#out.trouble + 1] = bare(text) end
  if not only then
    local listed, why = db:one "SELECT count(*) AS n FROM run"
    if not listed then wrong("the list of runs: " .. why) end
    local others
    others, why = other_tables(db)
    if not others then wrong("the list of tables: " .. why) end
    for _, row in ipairs(others or {}) do
      local read, failed = db:one(('SELECT count(*) AS n FROM "%s"'):format(row.name))
      if not read then wrong(("the table %s: %s"):format(row.name, failed)) end
    end
    local rows, failed = db:all "PRAGMA integrity_check(20)"
    if not rows then
      wrong("SQLite's own check: " .. failed)
    elseif rows[1].integrity_check ~= "ok" then
      wrong("SQLite's own check: " .. rows[1].integrity_check:gsub("\n", "; "))
    end
  end
  out.sound = #out.damaged == 0 and #out.unmarked == 0 and #out.trouble == 0
  for _, run in ipairs(out.runs) do out.sound = out.sound and not run.trouble end
  return out
end

-- ---- writing anew ----

-- Rows of one run, or of a table that belongs to none, into the attached store.
local function carry(db, run)
  for _, name in ipairs(copy.TABLES) do
    local where = name == "run" and "number = ?" or name == "chunk_data"
      and "id IN (SELECT id FROM main.chunk WHERE run = ?)" or "run = ?"
    local done, message, code = db:run(("INSERT INTO fresh.%s SELECT * FROM main.%s WHERE %s")
      :format(name, name, where), run.number)
    if not done then return nil, message, code end
  end
  return true
end

-- The first name beside `path` that no file has.
local function unused(path, ending)
  local name, n = path .. ending, 1
  while core.files.size(name) do
    n = n + 1
    name = ("%s%s%d"):format(path, ending, n)
  end
  return name
end

--- Writes the store anew from what can be read, beside it, and puts that in its place. The damaged
--- file stays, under another name.
---@param path string
---@param seen tandem.Verified
---@return { kept: integer, lost: tandem.VerifiedRun[], tables: string[], old: string }|nil
---@return string|nil message
---@return integer|nil code
function verify.repair(path, seen)
  local made, aside = unused(path, ".repaired"), unused(path, ".damaged")
  local function give_up(message, code)
    for _, ending in ipairs { "", "-wal", "-shm" } do os.remove(made .. ending) end
    return nil, message, code
  end
  local fresh, message, code = core.database(made, { store = true })
  if not fresh then return give_up(message, code) end
  fresh:close()
  local db <close>, unopened, failed = core.database(path, { store = true, trusting = true })
  if not db then return give_up(unopened, failed) end
  local out = { kept = 0, lost = {}, tables = {}, old = aside }
  local done
  done, message, code = db:run(("ATTACH '%s' AS fresh"):format((made:gsub("'", "''"))))
  if not done then return give_up(message, code) end
  for _, run in ipairs(seen.runs) do
    if not trouble_of(db, run) and db:transaction(function() return carry(db, run) end) then
      out.kept = out.kept + 1
    else
      out.lost[#out.lost + 1] = run
    end
  end
  for _, row in ipairs(other_tables(db) or {}) do
    local carried = db:transaction(function()
      local there = db:one("SELECT 1 AS yes FROM fresh.sqlite_schema WHERE name = ?", row.name)
      if not there then
        local laid, why, number = db:run((row.sql:gsub("^CREATE TABLE%s+", "CREATE TABLE fresh.")))
        if not laid then return nil, why, number end
      end
      local of_run = db:one("SELECT 1 AS yes FROM pragma_table_info(?, 'main') WHERE name = 'run'",
        row.name)
      return db:run(('INSERT INTO fresh."%s" SELECT * FROM main."%s"%s'):format(row.name, row.name,
        of_run and " WHERE run IN (SELECT number FROM fresh.run)" or ""))
    end)
    if not carried then out.tables[#out.tables + 1] = row.name end
  end
  db:run "PRAGMA fresh.wal_checkpoint(TRUNCATE)"
  db:close()
  for _, ending in ipairs { "-wal", "-shm", "" } do -- the file itself last
    if core.files.size(path .. ending) then
      local moved, why = os.rename(path .. ending, aside .. ending)
      if not moved then return give_up("cannot move " .. tostring(why), 4) end
    end
  end
  local moved, why = os.rename(made, path)
  if not moved then return nil, "cannot move " .. tostring(why), 4 end
  for _, ending in ipairs { "-wal", "-shm" } do os.remove(made .. ending) end
  return out
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
