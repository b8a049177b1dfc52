--- Rows of machine.lua as `nsys export --type sqlite` has them: all ranks in one file, a process
--- and a GPU each; operators are NVTX ranges, as emit_nvtx makes them, with sizes in their names
--- where it records shapes.
local core = require "tandem.core"

local nsys = {}

local SCHEMA <const> = [[
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'),
  ('EXPORT_PRODUCT_VERSION', '2025.1.1'), ('EXPORT_SCHEMA_VERSION', '3.19.0');
CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL,
  totalMemory INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL,
  shortName INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL,
  gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL,
  blockZ INTEGER NOT NULL, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL,
  srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL,
  memKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
  eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL,
  returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
  rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER,
  endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
]]

local INSERT <const> = {
  kernel = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?,?,?,?,1,1,256,1,1,?)",
  gpu_memcpy = "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?,?,?,?,?,?,?,?,?,?,?)",
  gpu_memset = "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (?,?,?,?,?,?,?,0,?,4)",
  cuda_runtime = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,?,0,NULL)",
  cuda_sync = "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (?,?,0,?,?,?,?,?,0)",
  range = "INSERT INTO NVTX_EVENTS VALUES (?,?,59,NULL,NULL,NULL,?,?,NULL,NULL,0)" }

local MEMORY <const> = { Pageable = 0, Pinned = 1, Device = 2 }

local function strings_of(db)
  local known, count = {}, 0
  return function(text)
    if not known[text] then
      count = count + 1
      known[text] = count
      assert(db:run("INSERT INTO StringIds VALUES (?,?)", count, text))
    end
    return known[text]
  end
end

-- "aten::mm, op_id = 7, sizes = [[16, 64], [64, 8]]".
local function named(row, number)
  local sizes = {}
  for i, dims in ipairs(row.dims) do sizes[i] = "[" .. table.concat(dims, ", ") .. "]" end
  return ("%s, op_id = %d, sizes = [%s]"):format(row.name, number, table.concat(sizes, ", "))
end

local function put(db, row, rank, string, number)
  local pid = (100 + rank) << 24
  local from, to = row.from * 1000 // 1 | 0, row.to * 1000 // 1 | 0
  local tid = pid | (100 + rank + (row.thread or 1) - 1)
  local category = row.category
  if category == "kernel" then
    local name = string(row.name)
    assert(db:run(INSERT.kernel, from, to, rank, rank + 1, row.stream, row.correlation, pid, name,
      name, row.grid, row.node))
  elseif category == "gpu_memcpy" then
    local down = row.kind == "DtoH"
    assert(db:run(INSERT.gpu_memcpy, from, to, rank, rank + 1, row.stream, row.correlation, pid,
      row.bytes, down and 2 or 1, down and 2 or MEMORY[row.memory],
      down and MEMORY[row.memory] or 2))
  elseif category == "gpu_memset" then
    assert(db:run(INSERT.gpu_memset, from, to, rank, rank + 1, row.stream, row.correlation, pid,
      row.bytes))
  elseif category == "cuda_runtime" then
    assert(db:run(INSERT.cuda_runtime, from, to, tid, row.correlation,
      string(row.name .. "_v3020")))
  elseif category == "cuda_sync" then
    assert(db:run(INSERT.cuda_sync, from, to, rank + 1, row.stream or -1, row.correlation, pid,
      row.stream and 3 or 4))
  else
    assert(db:run(INSERT.range, from, to, number and row.dims and named(row, number) or row.name,
      tid))
  end
end

--- Writes a file.
---@param rows table[][]  by rank
---@param path string
---@param shapes? boolean  names of operators tell sizes
function nsys.write(rows, path, shapes)
  local db <close> = assert(core.database(path, {}))
  assert(db:run(SCHEMA))
  assert(db:run "BEGIN")
  local string = strings_of(db)
  for i, own in ipairs(rows) do
    assert(db:run("INSERT INTO TARGET_INFO_GPU VALUES (?,?,?)", i - 1, "NVIDIA H100 80GB HBM3",
      85029158912))
    for k, row in ipairs(own) do put(db, row, i - 1, string, shapes and k) end
  end
  assert(db:run "COMMIT")
end

return nsys
