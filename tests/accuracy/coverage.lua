-- How often the intervals that runs print hold the truth, on fresh seeds: the whole grid of
-- tests/theory/support/coverage.lua. Beside it what the rule before covers on the same runs, a t
-- interval about the mean of the replications' own values, always printed.
--
-- Minutes. COVERAGE_SEED draws other runs, COVERAGE_RUNS so many of them (200) in cells of up to
-- COVERAGE_COST requests (40,000) and fewer in larger ones, COVERAGE_SHARE of them (0.3) where the
-- event engine makes them. COVERAGE_CSV=FILE keeps the counts.

local coverage = require "tests.theory.support.coverage"

local accuracy = {}

local function percent(part, whole)
  return whole > 0 and ("%.1f"):format(100 * part / whole) or "–"
end

local function rows(cells, key)
  print(("%-34s %8s %8s %8s %8s"):format("", "before", "now", "printed", "above"))
  for _, group in ipairs(coverage.pool(cells, key)) do
    print(("%-34s %8s %8s %8s %8s"):format(group.name, percent(group.old.hits, group.old.printed),
      percent(group.hits, group.printed), percent(group.printed, group.runs),
      percent(group.above, group.printed)))
  end
  print ""
end

-- Every cell as a line.
local function keep(cells, path)
  local lines = { "system,requests,replications,path,runs,printed,hits,above" }
  for _, c in ipairs(cells) do
    lines[#lines + 1] = ("%s,%d,%d,%s,%d,%d,%d,%d"):format(c.system, c.requests, c.replications,
      c.path, c.runs, c.printed, c.hits, c.above)
  end
  local file = assert(io.open(path, "w"))
  file:write(table.concat(lines, "\n"), "\n")
  file:close()
end

--- Prints the tables; false when the counts refute that 93 % are held.
---@return boolean
function accuracy.run()
  local seed = tonumber(os.getenv "COVERAGE_SEED") or os.time() % 1000000 * 1000
  local runs = tonumber(os.getenv "COVERAGE_RUNS") or 200
  local dear = tonumber(os.getenv "COVERAGE_COST") or 4e4
  local share = tonumber(os.getenv "COVERAGE_SHARE") or 0.3
  local sizes = {}
  for _, replications in ipairs { 1, 5, 8, 32 } do
    for _, requests in ipairs { 1000, 10000, 100000 } do
      local cost = requests * replications
      sizes[#sizes + 1] = { requests, replications,
        math.max(4, math.ceil(runs * math.min(1, dear / cost))) }
    end
  end
  print(("intervals of runs from seed %d on; percent that hold the truth, that are printed, that"
    .. "\nlie below it"):format(seed))
  local cells = coverage.count(sizes, seed, share)
  local heavy = coverage.count_of(coverage.heavy, sizes, seed)
  table.move(heavy, 1, #heavy, #cells + 1, cells)
  if os.getenv "COVERAGE_CSV" then keep(cells, os.getenv "COVERAGE_CSV") end
  local function last(cell) return cell.path:match "[%w_]+$" end
  rows(cells, function(c) return ("%s, %d × %d"):format(c.system, c.replications, c.requests) end)
  rows(cells, function(c) return ("%s, %d replications"):format(last(c), c.replications) end)
  rows(cells, function(c) return c.system end)
  rows(cells, function(c) return ("%s, %s"):format(c.system, c.path) end)
  local good = true
  for _, group in ipairs(coverage.pool(cells, last)) do
    if group.printed >= 60 and coverage.refutes(group, 0.93) then
      print("  fewer than 93 %: " .. group.name)
      good = false
    end
  end
  return good
end

return accuracy
