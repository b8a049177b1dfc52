-- Scenarios of many stages, a time on a CPU worker each: what checking one, running it, keeping the
-- run and its report take by their number. Called by lua_cases.lua; each size is a process of its
-- own.
local line = require "tests.bench.line"

local stages = {}

local COUNTS <const> = { 25000, 50000, 100000 }

local function write(path, count)
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(([[
local td = require "tandem"
local steps = {}
for i = 1, %d do steps[i] = td.fixed("s" .. i) { time = "1us" } end
return td.scenario "stages" { workload = td.paced { rps = 100, requests = 2 },
  target = td.gpu "L40" {}, pipeline = steps, replications = 2 }
]]):format(count)))
end

-- The most memory that the process has had, in bytes.
local function peak()
  local file <close> = assert(io.open "/proc/self/status")
  return 1024 * tonumber(file:read("a"):match "VmHWM:%s*(%d+)")
end

--- A line of figures: processor seconds of each part, the most memory.
---@param words string  PATH COUNT
function stages.one(words)
  local path, count = words:match "^(.*) (%d+)$"
  local parts, td = {}, require "tandem"
  local function timed(key, work)
    local cpu = os.clock()
    local value = assert(work())
    parts[#parts + 1] = ("%s=%.9f"):format(key, os.clock() - cpu)
    return value
  end
  write(path .. ".lua", tonumber(count))
  local scenario = timed("check", function() return td.load(path .. ".lua") end)
  local result = timed("run", function() return scenario:run() end)
  timed("keep", function()
    return require("tandem.store.keep").run(path .. ".db", scenario, result, nil)
  end)
  timed("report", function() return result:report {} end)
  print(("count=%d peak=%d %s"):format(#result.stages, peak(), table.concat(parts, " ")))
end

--- All sizes: the run of the largest as the value, the lines through all as figures beside it.
function stages.all()
  local x, by, last = line.sizes("stages-one", COUNTS, 1e5)
  assert(last.count == COUNTS[#COUNTS], "stages are missing")
  by.count = nil
  print(("amount=1 seconds=%.9f cpu=%.9f"):format(last.run, last.run))
  line.print(x, by)
end

return stages
