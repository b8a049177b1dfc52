--- Joins the sweeps of several stores into one.
--
-- Owns the rule of what unites: a sweep's points by key and number. The same answer twice is one;
-- two different answers for one point cannot both be true, so that nothing is written then. A point
-- that failed in one place (a machine without memory) and was answered in another is answered.
-- Runs are not touched. Called as `ledger.merge`.
--
-- The sources are joined in a temporary database first: what they disagree about among themselves
-- is found before the target is opened. The target takes all of it in one transaction.
local core = require "tandem.core"
local ledger = require "tandem.sweep.ledger"
local view = require "tandem.sweep.view"

---@class tandem.MergeSummary
---@field stores integer
---@field sweeps integer     different sweeps in the sources
---@field points integer     different points in them
---@field new_sweeps integer of these, new to the target
---@field new_points integer
---@field runs integer       runs with traces in the sources: they were not copied

local INVALID <const> = 3
local PAGE <const> = 500 -- rows in memory at once

-- Which source a point of the temporary database is from.
local ORIGIN <const> = "CREATE TABLE origin(sweep TEXT NOT NULL, number INTEGER NOT NULL,"
  .. " path TEXT NOT NULL, PRIMARY KEY(sweep, number)) STRICT, WITHOUT ROWID"

-- Inside this file a failure travels as an error with a table, so that transactions roll back.
local function fail(message, code)
  error({ message = message, code = code }, 0)
end

local function must(value, message, code)
  if value == nil and message then fail(message, code) end
  return value
end

-- Runs fn; its result, or nil, message, code of what failed in it.
local function attempt(fn)
  local ok, result = pcall(fn)
  if ok then return result end
  if type(result) ~= "table" or not result.message then error(result, 0) end
  return nil, result.message, result.code
end

-- Calls fn(row) for each point of a sweep.
local function each_point(db, id, fn)
  local last = math.mininteger
  repeat
    local rows = must(db:all("SELECT number, point, ok, message, answer FROM sweep_point"
      .. " WHERE sweep = ? AND number > ? ORDER BY number LIMIT ?", id, last, PAGE))
    for _, row in ipairs(rows) do
      fn(row)
      last = row.number
    end
  until #rows < PAGE
end

-- What is wrong when both rows are right about one point, or nil.
local function conflict(a, b)
  if a.point ~= b.point then return "is two different points" end
  if a.ok == 1 and b.ok == 1 and a.answer ~= b.answer then return "has two different answers" end
  return nil
end

-- What one key must mean in both files. The rest is for people.
local FIELDS <const> = { "points", "seed", "replications", "metrics", "design" }

---@class tandem.Union
---@field from userdata     a database with the ledger's tables
---@field into userdata
---@field from_path fun(sweep: string, number: integer?): string by the sweep's id in `from`
---@field into_path fun(sweep: string, number: integer?): string by its id in `into`
---@field added fun(sweep: string, number: integer, from: string)? told of each point taken over

-- The sweep's row in `into`, which is new or the same.
local function unite_sweep(union, sweep)
  local row = must(ledger.insert_sweep(union.into, sweep))
  for _, name in ipairs(FIELDS) do
    if row[name] ~= sweep[name] then
      fail(("sweep '%s' (%s) is another one in %s than in %s: its %s differ%s"):format(sweep.name,
        sweep.id, union.from_path(sweep.id), union.into_path(row.id), name,
        name:find "s$" and "" or "s"), INVALID)
    end
  end
  return row.id
end

-- Takes all sweeps of one database over into the other; inside a transaction.
local function unite(union)
  local into = union.into
  for _, sweep in ipairs(must(union.from:all "SELECT * FROM sweep ORDER BY rowid")) do
    local id = unite_sweep(union, sweep)
    each_point(union.from, sweep.id, function(row)
      local here = must(into:one("SELECT point, ok, answer FROM sweep_point WHERE sweep = ?"
        .. " AND number = ?", id, row.number))
      local wrong = here and conflict(here, row)
      if wrong then
        fail(("point %d of sweep '%s' (%s) %s: one in %s, one in %s"):format(row.number,
          sweep.name, id, wrong, union.into_path(id, row.number),
          union.from_path(sweep.id, row.number)), INVALID)
      end
      if not here or (here.ok == 0 and row.ok == 1) then
        must(ledger.put_point(into, id, row))
        if union.added then union.added(id, row.number, union.from_path(sweep.id, row.number)) end
      end
    end)
    must(view.make(into, id))
  end
end

local function count(db, name)
  return must(db:one("SELECT count(*) AS n FROM " .. name)).n
end

local function has_sweeps(db)
  return must(db:one "SELECT count(*) AS n FROM sqlite_schema WHERE name = 'sweep_point'").n == 1
end

-- Joins the sources in the temporary database; the number of runs in them.
local function gather(scratch, from)
  local function origin(sweep, number)
    local row = number
      and must(scratch:one("SELECT path FROM origin WHERE sweep = ? AND number = ?", sweep, number))
      or must(scratch:one("SELECT path FROM origin WHERE sweep = ? LIMIT 1", sweep))
    return row and row.path or "an earlier file"
  end
  local runs = 0
  for _, path in ipairs(from) do
    local source <close> = must(core.database(path, { store = true, readonly = true }))
    runs = runs + count(source, "run")
    if has_sweeps(source) then
      unite {
        from = source, into = scratch, into_path = origin,
        from_path = function() return path end,
        added = function(sweep, number)
          must(scratch:run("INSERT OR REPLACE INTO origin VALUES(?, ?, ?)", sweep, number, path))
        end }
    end
  end
  return runs, origin
end

local function merge(into_path, from)
  local scratch <close> = must(core.database "")
  must(ledger.create_tables(scratch))
  must(scratch:run(ORIGIN))
  local runs, origin
  must(scratch:transaction(function()
    runs, origin = gather(scratch, from)
    return true
  end))
  local into <close> = must(core.database(into_path, { store = true }))
  must(ledger.create_tables(into))
  return must(into:transaction(function()
    local sweeps, points = count(into, "sweep"), count(into, "sweep_point")
    unite { from = scratch, into = into, from_path = origin,
      into_path = function() return into_path end }
    return {
      stores = #from, runs = runs,
      sweeps = count(scratch, "sweep"), points = count(scratch, "sweep_point"),
      new_sweeps = count(into, "sweep") - sweeps,
      new_points = count(into, "sweep_point") - points,
    }
  end))
end

---@param into string
---@param from string[]
---@return tandem.MergeSummary|nil summary, string? message, integer? code
return function(into, from)
  return attempt(function() return merge(into, from) end)
end
