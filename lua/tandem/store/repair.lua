--- A damaged store written anew from what can be read: `tandem verify --repair`.
--
-- Owns the order of the steps: nobody else has the store open from before the first run is read
-- until the new file is in its place; a kill at any moment leaves the old file or the new one under
-- the store's name, and the old one under another. Called by the command; what can be read is
-- verify.lua's.
local core = require "tandem.core"
local copy = require "tandem.store.copy"
local verify = require "tandem.store.verify"

local repair = {}

---@class tandem.Repaired
---@field kept integer
---@field lost tandem.VerifiedRun[]
---@field tables string[]  that could not be read and are empty
---@field old string       where the old file is

local BESIDE <const> = { "", "-wal", "-shm", "-journal" }

-- The first name beside `path` that no file has, nor a log.
local function unused(path, ending)
  local function taken(name)
    for _, beside in ipairs(BESIDE) do
      if core.files.size(name .. beside) then return true end
    end
    return false
  end
  local name, n = path .. ending, 1
  while taken(name) do
    n = n + 1
    name = ("%s%s%d"):format(path, ending, n)
  end
  return name
end

-- Takes what can be read of a damaged log for the log; the old one is kept.
local function mend_log(path, log, aside)
  local outfile = require "tandem.io.outfile"
  for _, ending in ipairs { "-wal", "-shm" } do
    if core.files.size(path .. ending) then
      local done, message, code = outfile.copy(aside .. ending, path .. ending)
      if not done then return nil, message, code end
    end
  end
  local done, message = core.log.cut(path, log.keep)
  if not done then return nil, "cannot cut the log " .. message, 4 end
  return true
end

--- Opens the store so that nobody else can: its log is taken in, and who comes waits.
---@param path string
---@return userdata|nil db
---@return string|nil message
---@return integer|nil code
function repair.open_alone(path)
  local db, message, code = core.database(path, { store = true, trusting = true })
  if not db then return nil, message, code end
  local mode, why, failed = db:one "PRAGMA journal_mode=DELETE"
  local done = mode and mode.journal_mode == "delete"
  if done then
    done, why, failed = db:run "PRAGMA main.locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT"
  end
  if done then return db end
  db:close()
  if mode and mode.journal_mode ~= "delete" or tostring(why):find("is locked", 1, true) then
    why = path .. " is in use by another process: repair it when nobody has it open"
  end
  return nil, why, failed or 4
end

-- Rows of one run into the attached store.
local function carry_run(db, run)
  for _, name in ipairs(copy.TABLES) do
    local where = name == "run" and "number = ?" or name == "chunk_data"
      and "id IN (SELECT id FROM main.chunk WHERE run = ?)" or "run = ?"
    local done, message, code = db:run(("INSERT INTO fresh.%s SELECT * FROM main.%s WHERE %s")
      :format(name, name, where), run.number)
    if not done then return nil, message, code end
  end
  return true
end

-- A table that belongs to no run.
local function carry_table(db, row)
  local there, unread, failed = db:one("SELECT count(*) AS n FROM fresh.sqlite_schema "
    .. "WHERE name = ?", row.name)
  if not there then return nil, unread, failed end
  if there.n == 0 then
    local laid, why, number = db:run((row.sql:gsub("^CREATE TABLE%s+", "CREATE TABLE fresh.")))
    if not laid then return nil, why, number end
  end
  local of_run, untold, no = db:one("SELECT count(*) AS n FROM pragma_table_info(?, 'main') "
    .. "WHERE name = 'run'", row.name)
  if not of_run then return nil, untold, no end
  -- Its rows alone: without a condition SQLite copies its indexes as they are, damaged ones, too.
  return db:run(('INSERT INTO fresh."%s" SELECT * FROM main."%s" NOT INDEXED WHERE %s'):format(
    row.name, row.name, of_run.n > 0 and "run IN (SELECT number FROM fresh.run)" or "true"))
end

-- Whether every row of a table can be read, as far as memory goes.
local function readable(db, name)
  local ok, rows = pcall(function()
    local step, message, _, cursor = db:lists(('SELECT * FROM main."%s"'):format(name))
    if not step then error(message, 0) end
    local _ <close> = cursor
    local count = 0
    for _ in step do count = count + 1 end
    return count
  end)
  return ok or verify.is_short(rows)
end

-- What can be read goes into the attached store. What can be read and not be written ends it, and
-- so does a failing disk: SQLite itself takes a page that it does not give for damage.
local function carry(db, out)
  local failed_reads = db:failed_reads()
  local numbers, unlisted = verify.numbers(db)
  if not numbers then return nil, unlisted, 4 end
  for _, number in ipairs(numbers) do
    local run = { number = number }
    run.trouble = verify.trouble_of(db, run)
    if verify.is_short(run.trouble) then return nil, run.trouble, 4 end
    if not run.trouble then
      local done, message, code = db:transaction(function() return carry_run(db, run) end)
      if not done and (verify.is_short(message) or not verify.trouble_of(db, run)) then
        return nil, message, code
      end
      if not done then run.trouble = message end
    end
    if run.trouble then
      out.lost[#out.lost + 1] = run
    else
      out.kept = out.kept + 1
    end
  end
  local others, message, code = verify.other_tables(db)
  if not others then return nil, message, code end
  for _, row in ipairs(others) do
    local done, why, failed = db:transaction(function() return carry_table(db, row) end)
    if not done and readable(db, row.name) then return nil, why, failed end
    if not done then out.tables[#out.tables + 1] = row.name end
  end
  local whole = #out.lost + #out.tables == 0 and not unlisted
  if not whole and db:failed_reads() > failed_reads then return nil, verify.UNREAD, 4 end
  return true
end

-- The new file, as a whole, on the disk.
local function write_anew(db, made, out)
  local fresh, message, code = core.database(made, { store = true })
  if not fresh then return nil, message, code end
  fresh:close()
  local done
  done, message, code = db:run(("ATTACH '%s' AS fresh"):format((made:gsub("'", "''"))))
  if done then done, message, code = carry(db, out) end
  if not done then return nil, message, code end
  local cut, why, failed = db:one "PRAGMA fresh.wal_checkpoint(TRUNCATE)"
  if not cut then return nil, why, failed end
  if cut.busy ~= 0 then return nil, made .. ": its log was not taken in", 4 end
  return db:run "DETACH fresh"
end

-- The old file gets another name, and the new one its name: there is no moment without a store.
local function put_in_place(path, made, aside)
  core.files.keep_mode(made, path)
  local linked = core.files.link(path, aside)
  local done, why = linked, nil
  if not linked then done, why = os.rename(path, aside) end -- file systems without links
  if done then done, why = os.rename(made, path) end
  if done then return true end
  if linked then os.remove(aside) elseif core.files.size(aside) then os.rename(aside, path) end
  return nil, "cannot move " .. tostring(why), 4
end

-- Where the file lies, when `path` is a link.
local function linked_to(path)
  local folder, name = path:match "^(.*/)([^/]*)$"
  local above, real = core.files.real(folder or "."), core.files.real(path)
  if not above or not real or real == ("%s/%s"):format(above, name or path) then return path end
  return real
end

--- Writes the store anew, beside it, and puts that in its place. The damaged file stays, under
--- another name.
---@param path string
---@param log? { keep: integer }  what verify.log found
---@return tandem.Repaired|nil
---@return string|nil message
---@return integer|nil code
function repair.store(path, log)
  path = linked_to(path)
  local made, aside = path .. ".repairing", unused(path, ".damaged")
  if log then
    local mended, message, code = mend_log(path, log, aside)
    if not mended then return nil, message, code end
  end
  local db <close>, unopened, failed = repair.open_alone(path)
  if not db then return nil, unopened, failed end
  local function clear()
    for _, ending in ipairs(BESIDE) do os.remove(made .. ending) end
  end
  local out = { kept = 0, lost = {}, tables = {}, old = aside }
  clear() -- of one that was killed: no other can be at work
  local done, message, code = write_anew(db, made, out)
  if done then done, message, code = put_in_place(path, made, aside) end
  db:close()
  clear()
  if not done then return nil, message, code end
  return out
end

return repair
