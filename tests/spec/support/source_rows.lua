--- The rows of a capture as its file has them, for tests that count them apart from the program:
--- SQL on what Nsight Systems exported, JSON of torch's profiler and of tracers of CUDA calls.
--
-- Nothing of tandem reads here (the database is SQLite's, JSON cjson's). Times are nanoseconds on
-- the file's own clock. Numbers of more digits than a double has are read as text.
local cjson = require "cjson"
local core = require "tandem.core"

local source_rows = {}

---@class tests.SourceRow
---@field category string       kernel, memcpy, memset, runtime, driver, nvtx, sync; else Kineto's
---@field name string|nil       of copies and memsets of Nsight Systems, which have none: what it is
---@field from integer
---@field to integer
---@field device integer|nil
---@field stream integer|nil
---@field pid integer|nil
---@field tid integer|nil
---@field correlation integer|nil
---@field bytes integer|nil
---@field kind string|nil       of copies: HtoD …
---@field args table|nil        all that the row of a JSON says
---@field at integer            its place in the file
---@field track string          what ran on one stream, or on one thread, has the same
---@field cause string|nil      process and correlation: which call it is, or came from

local function unpacked(file)
  local pipe = assert(io.popen("gzip -dc tests/data/" .. file))
  local text = pipe:read "a"
  assert(pipe:close(), file)
  return text
end

-- "1234.567" microseconds → 1234567 nanoseconds, to the last digit.
local function nanoseconds(text)
  local whole, part = text:match "^(%-?%d+)%.?(%d*)$"
  return math.tointeger(tonumber(whole)) * 1000
    + math.tointeger(tonumber((part .. "000"):sub(1, 3)))
end

-- In order of time, each with its track and cause.
local function ordered(rows)
  for i, row in ipairs(rows) do
    row.at = i
    row.track = row.device and ("%d.%d"):format(row.device, row.stream or -1)
      or ("%s %s"):format(row.pid, row.tid)
    if row.correlation then row.cause = ("%s %d"):format(row.owner or "", row.correlation) end
  end
  table.sort(rows, function(a, b)
    if a.from ~= b.from then return a.from < b.from end
    return a.at < b.at
  end)
  return rows
end

local KINETO <const> = { gpu_memcpy = "memcpy", gpu_memset = "memset", cuda_runtime = "runtime",
  cuda_driver = "driver" }

--- Complete events of a trace of torch's profiler, in order of time.
---@param file string  "kineto/NAME.json.gz"
---@return tests.SourceRow[]
function source_rows.kineto(file)
  local text = unpacked(file):gsub('"(ts)": ?(%-?[%d.]+)', '"%1":"%2"')
    :gsub('"(dur)": ?([%d.]+)', '"%1":"%2"')
  local rows = {}
  for _, event in ipairs(cjson.decode(text).traceEvents) do
    if event.ph == "X" and type(event.dur) == "string" then
      local from, args = nanoseconds(event.ts), event.args or {}
      rows[#rows + 1] = { category = KINETO[event.cat] or event.cat, name = event.name, from = from,
        to = from + nanoseconds(event.dur), pid = event.pid, tid = event.tid, args = args,
        device = math.tointeger(args.device), stream = math.tointeger(args.stream),
        correlation = math.tointeger(args.correlation), bytes = math.tointeger(args.bytes),
        kind = event.cat == "gpu_memcpy" and event.name:match "Memcpy (%a+)" or nil }
    end
  end
  return ordered(rows)
end

-- ENUM_CUDA_MEMCPY_OPER has the words; these are its numbers.
local COPIES <const> = { [1] = "HtoD", [2] = "DtoH", [8] = "DtoD", [10] = "PtoP" }

local NSYS <const> = { {
  "kernel", [[SELECT start AS "from", "end" AS "to", deviceId AS device, streamId AS stream,
    globalPid AS process, correlationId AS correlation, value AS name
    FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName]] }, {
  "memcpy", [[SELECT start AS "from", "end" AS "to", deviceId AS device, streamId AS stream,
    globalPid AS process, correlationId AS correlation, bytes, copyKind
    FROM CUPTI_ACTIVITY_KIND_MEMCPY]] }, {
  "memset", [[SELECT start AS "from", "end" AS "to", deviceId AS device, streamId AS stream,
    globalPid AS process, correlationId AS correlation, bytes
    FROM CUPTI_ACTIVITY_KIND_MEMSET]] }, {
  "runtime", [[SELECT start AS "from", "end" AS "to", globalTid AS process,
    correlationId AS correlation, value AS name
    FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId]] }, {
  "nvtx", [[SELECT start AS "from", "end" AS "to", globalTid AS process,
    coalesce(text, value) AS name FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId
    WHERE eventType IN (59, 60) AND "end" IS NOT NULL]] }, {
  "sync", [[SELECT start AS "from", "end" AS "to", globalPid AS process, streamId AS stream,
    syncType FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION]] } }

--- Rows of the activity tables of an export of Nsight Systems, in order of time.
---@param file string  "nsys/NAME.sqlite.gz"
---@return tests.SourceRow[]
function source_rows.nsys(file)
  local path = os.tmpname()
  assert(os.execute(("gzip -dc 'tests/data/%s' >'%s'"):format(file, path)))
  local db = assert(core.database(path))
  local rows = {}
  for _, one in ipairs(NSYS) do
    for _, row in ipairs(assert(db:all(one[2]))) do
      -- A global identifier: hardware and machine, 24 bits of process, 24 of thread.
      row.category, row.kind = one[1], COPIES[row.copyKind]
      if row.bytes then row.name = row.kind and "Memcpy " .. row.kind or "Memset" end
      row.pid, row.tid = row.process >> 24 & 0xffffff, row.process & 0xffffff
      row.owner = row.pid
      rows[#rows + 1] = row
    end
  end
  db:close()
  os.remove(path)
  return ordered(rows)
end

--- Events of a tracer of CUDA calls with their durations, in order of time.
---@param file string  "cuda_api/NAME.ingero.jsonl.gz"
---@return table[]  as they stand in the file
function source_rows.lines(file)
  local rows = {}
  for line in unpacked(file):gmatch "[^\n]+" do
    local fine, row = pcall(cjson.decode, line)
    if fine and type(row) == "table" then rows[#rows + 1] = row end
  end
  return rows
end

return source_rows
