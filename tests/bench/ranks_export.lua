-- Makes the files of many ranks out of one small real capture, with clocks apart and a straggler:
--
--   build/tandem lua tests/bench/ranks_export.lua FOLDER --ranks N [--events K] [--seed S]
--     [--base FILE.sqlite[.gz]]
--
-- Each file (rank-00000.sqlite …) has the first GPU of the base (by itself h100_cut.sqlite.gz),
-- repeated until it has K events (0: once). Every 20th kernel is a collective: it ends at one time
-- on all ranks, and where a rank comes late it is short there. The straggler comes last, but for
-- one collective in five, where another rank does; all come within what the kernel took. Then all
-- times of a rank are moved by up to a second, which its recorded start does not tell. What was
-- planted is FOLDER/planted.lua: { straggler, events, last = ranks by collective, apart_ns = by
-- rank + 1 }.

local core = require "tandem.core"

local EVERY <const> = 20 -- kernels to a collective
local TIMED <const> = { "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME",
  "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET", "NVTX_EVENTS",
  "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "CUPTI_ACTIVITY_KIND_OVERHEAD" }

local function options_of(words)
  local o = { ranks = 16, events = 0, seed = 1, base = "tests/data/nsys/h100_cut.sqlite.gz" }
  for i = 1, #words do
    local key = words[i]:match "^%-%-(%l+)$"
    if key then
      o[key] = key == "base" and words[i + 1] or math.tointeger(tonumber(words[i + 1]))
    elseif not (words[i - 1] or ""):find "^%-%-" then
      o.folder = words[i]
    end
  end
  return o.folder and o or error "usage: ranks_export.lua FOLDER --ranks N [--events K] [--seed S]"
end

local function number(db, sql)
  local row = assert(db:one(sql))
  return math.tointeger(row.n)
end

-- The base with one GPU, repeated: what all ranks share.
local function make_base(o, path)
  local unpack = o.base:find "%.gz$" and "gzip -dc" or "cat"
  assert(os.execute(("%s '%s' > '%s'"):format(unpack, o.base, path)))
  local db <close> = assert(core.database(path))
  assert(db:run "BEGIN")
  for _, name in ipairs { "KERNEL", "MEMCPY", "MEMSET" } do
    assert(db:run(("DELETE FROM CUPTI_ACTIVITY_KIND_%s WHERE deviceId <> 0"):format(name)))
  end
  local events = 0
  for _, name in ipairs(TIMED) do
    events = events + number(db, "SELECT count(*) AS n FROM " .. name)
  end
  local first = number(db, "SELECT min(start) AS n FROM CUPTI_ACTIVITY_KIND_RUNTIME")
  local period = number(db, "SELECT max(end) AS n FROM CUPTI_ACTIVITY_KIND_KERNEL") - first
  local ids = number(db, "SELECT max(correlationId) - min(correlationId) + 1 AS n"
    .. " FROM CUPTI_ACTIVITY_KIND_RUNTIME")
  local copies = math.max(0, o.events // events - 1)
  for _, name in ipairs(TIMED) do
    local list = {}
    for _, row in ipairs(assert(db:all("SELECT name FROM pragma_table_info('" .. name .. "')"))) do
      local column = '"' .. row.name .. '"'
      if row.name == "start" or row.name == "end" then
        column = ("%s + copy.k * %d"):format(column, period)
      elseif row.name == "correlationId" then
        column = ("%s + copy.k * %d"):format(column, ids)
      end
      list[#list + 1] = column
    end
    if copies > 0 then
      assert(db:run(([[INSERT INTO %s SELECT %s FROM (WITH RECURSIVE copy(k) AS (SELECT 1 UNION ALL
        SELECT k + 1 FROM copy WHERE k < %d) SELECT k FROM copy) AS copy CROSS JOIN
        (SELECT * FROM %s) AS base]]):format(name, table.concat(list, ", "), copies, name)))
    end
  end
  assert(db:run [[INSERT INTO StringIds(id, value) SELECT max(id) + 1,
    'ncclDevKernel_AllReduce_Sum_f32_RING_LL' FROM StringIds]])
  assert(db:run [[CREATE TABLE collective AS SELECT rowid AS kernel, start, end,
    row_number() OVER (ORDER BY start, rowid) AS place FROM CUPTI_ACTIVITY_KIND_KERNEL]])
  assert(db:run("DELETE FROM collective WHERE place % " .. EVERY .. " <> 0 OR end - start < 1000"))
  assert(db:run [[UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET (demangledName, shortName) = (SELECT
    max(id), max(id) FROM StringIds) WHERE rowid IN (SELECT kernel FROM collective)]])
  local collectives = db:all "SELECT kernel, start, end FROM collective ORDER BY place"
  assert(db:run "DROP TABLE collective")
  assert(db:run "DROP TABLE IF EXISTS MPI_RANKS")
  assert(db:run "CREATE TABLE MPI_RANKS(globalTid INTEGER, rank INTEGER)")
  assert(db:run "INSERT INTO MPI_RANKS SELECT min(globalTid), 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME")
  assert(db:run "COMMIT")
  return collectives, (copies + 1) * events
end

-- Numbers that depend on nothing but the seed and what they are for.
local function draw(seed, ...)
  local bits = seed * 0x9E3779B97F4A7C15
  for _, one in ipairs { ... } do
    bits = (bits ~ (one + 1)) * 0xBF58476D1CE4E5B9
    bits = bits ~ (bits >> 29)
  end
  return ((bits * 0x94D049BB133111EB) >> 11) * 2.0 ^ -53
end

-- The rank that comes last.
local function last_of(o, straggler, k)
  return k % 5 == 0 and math.floor(draw(o.seed, 4, k) * o.ranks) or straggler
end

-- When a rank comes, as a share of what the kernel takes at most.
local function lateness(o, straggler, rank, k)
  local last = last_of(o, straggler, k)
  return rank == last and 0.8 + 0.15 * draw(o.seed, 5, k) or 0.5 * draw(o.seed, 6, k, rank)
end

-- How far its clock is ahead.
local function apart_ns(o, rank) return math.floor((draw(o.seed, 2, rank) - 0.5) * 2e9) end

local function make_rank(o, straggler, collectives, path, rank)
  local db <close> = assert(core.database(path))
  local apart = apart_ns(o, rank)
  assert(db:run "PRAGMA journal_mode = OFF")
  assert(db:run "BEGIN")
  for k, one in ipairs(collectives) do
    local came = one.start + math.floor((one["end"] - one.start) * lateness(o, straggler, rank, k))
    assert(db:run("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = ? WHERE rowid = ?", came,
      one.kernel))
  end
  for _, name in ipairs(TIMED) do
    assert(db:run(('UPDATE %s SET start = start + ?1, "end" = "end" + ?1'):format(name), apart))
  end
  assert(db:run("UPDATE MPI_RANKS SET rank = ?", rank))
  assert(db:run "COMMIT")
end

local function write_planted(o, straggler, collectives, events)
  local last, apart = {}, {}
  for k in ipairs(collectives) do last[k] = last_of(o, straggler, k) end
  for rank = 0, o.ranks - 1 do apart[rank + 1] = apart_ns(o, rank) end
  local file <close> = assert(io.open(o.folder .. "/planted.lua", "wb"))
  assert(file:write(("return { straggler = %d, events = %d, last = { %s }, apart_ns = { %s } }\n")
    :format(straggler, events * o.ranks, table.concat(last, ", "), table.concat(apart, ", "))))
end

local o = options_of { ... }
assert(core.files.make(o.folder))
local base = o.folder .. "/base"
local collectives, events = make_base(o, base)
local straggler = math.floor(draw(o.seed, 1) * o.ranks)
for rank = 0, o.ranks - 1 do
  local path = ("%s/rank-%05d.sqlite"):format(o.folder, rank)
  assert(os.execute(("cp '%s' '%s'"):format(base, path)))
  make_rank(o, straggler, collectives, path, rank)
end
os.remove(base)
write_planted(o, straggler, collectives, events)
