--- Rows of machine.lua as torch.profiler writes them: one file a rank.
local json = require "tandem.io.json"

local kineto = {}

local function number(ns) return ("%d.%03d"):format(ns // 1000, ns % 1000) end

local function escape(text) return (json.encode(text)) end

local START <const> = 1700000000000000000 -- ns

local function event(row, pid)
  local on_gpu = row.stream ~= nil or row.category == "gpu_memcpy" or row.category == "gpu_memset"
  local args, from, to = {}, row.from * 1000 // 1 | 0, row.to * 1000 // 1 | 0
  local function add(key, value) args[#args + 1] = ('"%s": %s'):format(key, value) end
  if row.correlation then add("correlation", row.correlation) end
  if on_gpu then
    add("device", 0)
    add("context", 1)
    add("stream", row.stream)
  end
  if row.bytes then add("bytes", row.bytes) end
  if row.grid then
    add("grid", ("[%d, 1, 1]"):format(row.grid))
    add("block", "[256, 1, 1]")
  end
  if row.node then add("graph node id", row.node) end
  if row.dims then
    add("Input Dims", json.encode(row.dims))
    add("Input type", json.encode(row.types))
  end
  local name = row.name
  if row.category == "gpu_memcpy" then
    local sides = row.kind == "HtoD" and { row.memory, "Device" } or { "Device", row.memory }
    name = ("Memcpy %s (%s -> %s)"):format(row.kind, sides[1], sides[2])
  elseif row.category == "gpu_memset" then
    name = ("Memset (%s)"):format(row.memory)
  elseif row.category == "cuda_sync" then
    add("cuda_sync_kind", escape(row.name))
    if not row.stream then
      add("stream", -1)
      add("device", 0)
    end
  end
  return ('{"ph": "X", "cat": "%s", "name": %s, "pid": %d, "tid": %d, "ts": %s, "dur": %s, '
    .. '"args": {%s}}'):format(row.category, escape(name),
    (on_gpu or row.category == "cuda_sync") and 0 or pid,
    row.stream or row.category == "cuda_sync" and -1 or pid + row.thread - 1,
    number(START + from), number(to - from),
    table.concat(args, ", "))
end

--- The files' texts.
---@param rows table[][]  by rank
---@return string[]
function kineto.texts(rows)
  local texts = {}
  for i, own in ipairs(rows) do
    local events = {}
    for k, row in ipairs(own) do events[k] = event(row, 100 * i) end
    local ranks = #rows > 1
      and ('"distributedInfo": {"rank": %d, "world_size": %d}, '):format(i - 1, #rows) or ""
    texts[i] = ('{"schemaVersion": 1, %s"deviceProperties": [{"id": 0, '
      .. '"name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85029158912, "computeMajor": 9, '
      .. '"computeMinor": 0, "numSms": 132}], "traceEvents": [\n%s\n]}\n'):format(ranks,
      table.concat(events, ",\n"))
  end
  return texts
end

return kineto
