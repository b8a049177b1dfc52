-- Captures of many streams, a kernel and its launch each: what an import and analyses take by their
-- number. Called by lua_cases.lua; each size is a process of its own.
local core = require "tandem.core"
local line = require "tests.bench.line"

local tracks = {}

local COUNTS <const> = { 25000, 50000, 100000 }
local ANALYSES <const> = { "kernels", "idle", "categories", "critical_path", "advice" }

-- A trace of PyTorch's layout: one thread launches all.
local function write(path, count)
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write '{"traceEvents":[\n')
  for i = 1, count do
    assert(file:write(('%s{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,'
      .. '"ts":%d,"dur":2,"args":{"correlation":%d}},\n{"ph":"X","cat":"kernel","name":"k%d",'
      .. '"pid":0,"tid":%d,"ts":%d,"dur":5,"args":{"device":0,"stream":%d,"correlation":%d}}')
      :format(i > 1 and ",\n" or "", i * 7, i, i % 50, i, i * 7 + 9, i, i)))
  end
  assert(file:write "]}\n")
end

local function timed(work)
  local cpu = os.clock()
  assert(work())
  return os.clock() - cpu
end

--- A line of figures: processor seconds of the import, of each analysis, of the page of a timeline.
---@param words string  PATH COUNT
function tracks.one(words)
  local path, count = words:match "^(.*) (%d+)$"
  local trace, kept = path .. ".json", path .. ".db"
  write(trace, tonumber(count))
  local id
  local import = timed(function()
    id = assert(core.import { store = kept, files = { trace }, name = "tracks",
      version = core.version(), created_utc_ns = 0 })
    return id
  end)
  local store <close> = assert(require("tandem").store(kept))
  local run = assert(store:run(id))
  local parts = { ("import=%.9f"):format(import) }
  for _, name in ipairs(ANALYSES) do
    local cpu = timed(function() return run[name](run) end)
    parts[#parts + 1] = ("%s=%.9f"):format(name:gsub("_", ""), cpu)
  end
  local view = timed(function() return require("tandem.timeline").of(run) end)
  print(("spans=%d view=%.9f %s"):format(run.span_count, view, table.concat(parts, " ")))
end

--- All sizes: the import of the largest as the value, the lines through all as figures beside it.
function tracks.all()
  local x, by, last = line.sizes("tracks-one", COUNTS, 1e5)
  assert(last.spans == 2 * COUNTS[#COUNTS], "kernels are missing")
  by.spans = nil
  print(("amount=1 seconds=%.9f cpu=%.9f"):format(last.import, last.import))
  line.print(x, by)
end

return tracks
