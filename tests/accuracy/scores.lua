-- How often the intervals of scores hold the truth: recorded runs against other runs of the same
-- system (tests/theory/support/scores.lua), with luck of their own and under the recorded load.
--
-- Minutes. SCORES_SEED draws other runs, SCORES_PAIRS so many pairs of each system (40; half as
-- many of 3,000 requests, a quarter of 10,000).

local coverage = require "tests.theory.support.coverage"
local scores = require "tests.theory.support.scores"

local accuracy = {}

local function percent(part, whole)
  return whole > 0 and ("%.1f"):format(100 * part / whole) or "–"
end

local function rows(cells, key)
  print(("%-34s %8s %8s %8s %8s"):format("", "scores", "printed", "hold", "above"))
  for _, group in ipairs(scores.pool(cells, key)) do
    print(("%-34s %8d %8s %8s %8s"):format(group.name, group.runs,
      percent(group.printed, group.runs), percent(group.hits, group.printed),
      percent(group.above, group.printed)))
  end
  print ""
end

--- Prints the tables; false when the counts refute that 93 % are held.
---@return boolean
function accuracy.run()
  local seed = tonumber(os.getenv "SCORES_SEED") or os.time() % 1000000 * 1000
  local pairs_of = tonumber(os.getenv "SCORES_PAIRS") or 40
  local sizes = { { 300, pairs_of }, { 1000, pairs_of }, { 3000, math.ceil(pairs_of / 2) },
    { 10000, math.ceil(pairs_of / 4) } }
  local good = true
  for _, paired in ipairs { false, true } do
    print(("intervals of scores, the other run %s, from seed %d on; percent that are printed, that"
      .. "\nhold the truth, that lie below it"):format(paired and "under the recorded load"
      or "with luck of its own", seed))
    local cells = scores.count(sizes, seed, paired)
    local function of_figure(cell) return cell.figure end
    rows(cells, of_figure)
    rows(cells, function(cell) return cell.system end)
    rows(cells, function(cell) return ("%d requests"):format(cell.size) end)
    for _, group in ipairs(scores.pool(cells, of_figure)) do
      if group.printed >= 60 and coverage.refutes(group, 0.93) then
        print("  fewer than 93 %: " .. group.name)
        good = false
      end
    end
  end
  return good
end

return accuracy
