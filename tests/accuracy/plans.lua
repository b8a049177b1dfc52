-- How often a plan names the right number of GPUs: fleets drawn at random, the truth from runs that
-- are far longer than a plan's. What is too low is what hurts; what is one too high is the safe
-- side of what could not be told.
--
-- Minutes. PLANS_SEED draws other problems, PLANS_COUNT so many (60), PLANS_MOST with up to so many
-- GPUs (24).

local fleets = require "tests.theory.support.fleets"

local accuracy = {}

local REQUESTS <const>, MOST <const> = 300000, tonumber(os.getenv "PLANS_MOST") or 24

-- Is the right number told as one that could not be decided?
local function is_told(row, answer)
  for _, number in ipairs(row.outcome and row.outcome.undecided or {}) do
    if number == answer then return true end
  end
  return false
end

--- Prints the table; false when more than 1 % are too low, or more than 3 % wrong in all but for
--- what is one too high and told as undecided.
---@return boolean
function accuracy.run()
  local seed = tonumber(os.getenv "PLANS_SEED") or os.time() % 100000 * 1000
  local count = tonumber(os.getenv "PLANS_COUNT") or 60
  print(("plans of random fleets from problem %d on: the right number, too low, one too high, more")
    :format(seed + 1))
  local tallies, seconds, slowest, done, n = {}, {}, { took = -1 }, 0, seed
  while done < count do
    n = n + 1
    local problem = fleets.problem(n, REQUESTS, MOST)
    if problem then
      done = done + 1
      local row, took = fleets.solve(problem, 2 * MOST)
      seconds[#seconds + 1] = took
      if took > slowest.took then slowest = { took = took, name = problem.name } end
      local off = (row.count or math.huge) - problem.answer
      local what = off == 0 and "exact" or off < 0 and "low" or off == 1 and "high" or "higher"
      local told = off > 0 and is_told(row, problem.answer)
      for _, name in ipairs { problem.kind, "all" } do
        tallies[name] = tallies[name] or { exact = 0, low = 0, high = 0, higher = 0, told = 0,
          all = 0 }
        tallies[name][what] = tallies[name][what] + 1
        tallies[name].told = tallies[name].told + (told and 1 or 0)
        tallies[name].all = tallies[name].all + 1
      end
      if off ~= 0 then
        print(("  %s: %s for %d%s; %s ≤ %.5g is %.5g there, %.5g with one fewer"):format(
          problem.name, row.count or "none", problem.answer, told and ", told as undecided" or "",
          problem.metric, problem.limit, problem.truth, problem.fewer))
      end
    end
  end
  print(("%-16s %8s %8s %8s %8s %8s %8s"):format("", "of", "exact", "too low", "one more",
    "more yet", "told"))
  local names = table.move(fleets.kinds, 1, #fleets.kinds, 1, {})
  names[#names + 1] = "all"
  for _, name in ipairs(names) do
    local t = tallies[name]
    if t then
      print(("%-16s %8d %8d %8d %8d %8d %8d"):format(name, t.all, t.exact, t.low, t.high, t.higher,
        t.told))
    end
  end
  table.sort(seconds)
  print(("seconds of processors a plan: median %.2f, worst %.2f (%s)"):format(
    seconds[#seconds // 2 + 1], slowest.took, slowest.name))
  local all = tallies.all
  return all.low <= math.max(1, 0.01 * count) and all.exact + all.told >= 0.97 * count
end

return accuracy
