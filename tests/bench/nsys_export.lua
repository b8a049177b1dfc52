-- Makes a large Nsight Systems export out of a small real one:
--
--   build/tandem lua tests/bench/nsys_export.lua OUT.sqlite [--kernels N] [--base FILE.sqlite[.gz]]
--
-- Rows of the base (tests/data/nsys/h100_cut.sqlite.gz: 434 kernels of two H100) are repeated, each
-- time later and with correlation ids of their own, until there are N kernels (236,000) and, in the
-- proportions of a training capture, API calls, copies, memsets and NVTX ranges. Names repeat, as
-- they do in a capture of a loop.

local core = require "tandem.core"

-- For 236,000 kernels.
local wanted = {
  { table = "CUPTI_ACTIVITY_KIND_KERNEL", rows = 236000 },
  { table = "CUPTI_ACTIVITY_KIND_RUNTIME", rows = 440494 },
  { table = "CUPTI_ACTIVITY_KIND_MEMCPY", rows = 60180 },
  { table = "CUPTI_ACTIVITY_KIND_MEMSET", rows = 15871 },
  { table = "NVTX_EVENTS", rows = 1127962 },
}

local usage = "usage: nsys_export.lua OUT.sqlite [--kernels N] [--base FILE]"

local function options_of(words)
  local o = { kernels = 236000, base = "tests/data/nsys/h100_cut.sqlite.gz" }
  local i = 1
  while words[i] do
    local word, value = words[i], words[i + 1]
    if word == "--kernels" and math.tointeger(tonumber(value)) then
      o.kernels = math.tointeger(tonumber(value))
      i = i + 2
    elseif word == "--base" and value then
      o.base = value
      i = i + 2
    elseif not o.out then
      o.out = word
      i = i + 1
    else
      error(("unknown option %s; %s"):format(word, usage))
    end
  end
  return o.out and o or error(usage)
end

local function copy_of(base, out)
  local command = base:find "%.gz$" and "gzip -dc" or "cat"
  local quoted = function(text) return "'" .. text:gsub("'", "'\\''") .. "'" end
  assert(os.execute(("%s %s > %s"):format(command, quoted(base), quoted(out))))
end

-- The table's columns but the shifted ones, for SELECT.
local function shifted(db, name, period, ids)
  local list = {}
  for _, row in ipairs(assert(db:all("SELECT name FROM pragma_table_info('" .. name .. "')"))) do
    local column = row.name or row[1]
    local text = '"' .. column .. '"'
    if column == "start" or column == "end" then
      text = ("%s + copy.k * %d"):format(text, period)
    elseif column == "correlationId" then
      text = ("%s + copy.k * %d"):format(text, ids)
    end
    list[#list + 1] = text
  end
  return table.concat(list, ", ")
end

local function number(db, sql)
  local row = assert(db:one(sql))
  return math.tointeger(row.n or row[1])
end

local o = options_of { ... }
copy_of(o.base, o.out)
local db = assert(core.database(o.out))
local first = number(db, "SELECT min(start) AS n FROM CUPTI_ACTIVITY_KIND_RUNTIME")
local last = number(db, "SELECT max(end) AS n FROM CUPTI_ACTIVITY_KIND_KERNEL")
local ids = number(db, [[
  SELECT max(correlationId) - min(correlationId) + 1 AS n FROM CUPTI_ACTIVITY_KIND_RUNTIME]])
assert(db:run "BEGIN")
for _, want in ipairs(wanted) do
  local have = number(db, "SELECT count(*) AS n FROM " .. want.table)
  local rows = math.max(have, want.rows * o.kernels // 236000)
  assert(db:run(([[
    INSERT INTO %s SELECT %s FROM (
      WITH RECURSIVE copy(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM copy WHERE k <= %d)
      SELECT k FROM copy) AS copy CROSS JOIN %s AS base
    WHERE base.rowid <= %d LIMIT %d]]):format(want.table,
    shifted(db, want.table, last - first, ids), rows // have, want.table, have, rows - have)))
end
assert(db:run "COMMIT")
for _, want in ipairs(wanted) do
  print(("%-32s %d"):format(want.table, number(db, "SELECT count(*) AS n FROM " .. want.table)))
end
db:close()
