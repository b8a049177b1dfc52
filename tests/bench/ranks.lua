-- Many ranks of one measurement: what an import with aligned clocks costs, and what analyses of it
-- do, by the number of files. Files are ranks_export.lua's; each import is a process of its own.
-- Called by lua_cases.lua.
local core = require "tandem.core"
local line = require "tests.bench.line"

local ranks = {}

local COUNTS <const> = { 16, 64, 128 }
local EVENTS <const> = 20000 -- of a rank

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function peak_bytes()
  local file <close> = assert(io.open "/proc/self/status")
  return tonumber(file:read("a"):match "VmHWM:%s*(%d+)") * 1024
end

local function files_of(folder, count)
  local files = {}
  for rank = 0, count - 1 do files[rank + 1] = ("%s/rank-%05d.sqlite"):format(folder, rank) end
  return files
end

local function timed(work)
  local cpu, from = os.clock(), core.clock()
  local value = assert(work())
  return value, core.clock() - from, os.clock() - cpu
end

--- The first files of a folder into a store that goes again: a line of figures.
---@param words string  FOLDER COUNT
function ranks.one(words)
  local folder, count = words:match "^(.*) (%d+)$"
  local path = folder .. "/ranks.db"
  local id, wall, cpu = timed(function()
    return core.import { store = path, files = files_of(folder, tonumber(count)), name = "ranks",
      version = core.version(), created_utc_ns = 0, complete = function(db, number)
        return require("tandem.store.align").run(db, number)
      end }
  end)
  local peak = peak_bytes()
  local store <close> = assert(require("tandem").store(path))
  local run = assert(store:run(id))
  local answer, _, asked = timed(function() return run:ranks() end)
  local _, _, broken = timed(function() return run:breakdown() end)
  local _, _, walked = timed(function() return run:critical_path() end)
  local latest = answer:frame("ranks").rows[1]
  for _, row in ipairs(answer:frame("ranks").rows) do
    if row.held_up_ns > latest.held_up_ns then latest = row end
  end
  print(("events=%d seconds=%.9f cpu=%.9f peak=%d ranks=%.9f breakdown=%.9f path=%.9f pathpeak=%d "
    .. "straggler=%d"):format(run.span_count, wall, cpu, peak, asked, broken, walked, peak_bytes(),
    latest.rank))
  store:close()
  for _, ending in ipairs { "", "-wal", "-shm" } do os.remove(path .. ending) end
end

--- 16, 64, 128 ranks: the largest as the value, the lines through all as figures beside it.
function ranks.all()
  local folder = os.tmpname()
  os.remove(folder)
  local program = quote(core.executable())
  assert(os.execute(("%s lua tests/bench/ranks_export.lua %s --ranks %d --events %d")
    :format(program, quote(folder), COUNTS[#COUNTS], EVENTS)))
  local planted = dofile(folder .. "/planted.lua")
  local x, by, last = {}, { cpu = {}, peak = {}, ranks = {}, breakdown = {}, path = {},
    pathpeak = {} }, nil
  for i, count in ipairs(COUNTS) do
    local pipe <close> = assert(io.popen(("%s lua tests/bench/lua_cases.lua ranks-one '%s %d'")
      :format(program, folder, count)))
    last = {}
    for key, value in pipe:read("a"):gmatch "(%w+)=(%S+)" do last[key] = tonumber(value) end
    x[i] = last.events / 1e6
    for key, list in pairs(by) do list[i] = last[key] end
  end
  assert(last.straggler == planted.straggler, "the straggler is another one")
  assert(os.execute("rm -r " .. quote(folder)))
  print(("amount=%d seconds=%.9f cpu=%.9f"):format(last.events, last.seconds, last.cpu))
  line.print(x, by)
end

return ranks
