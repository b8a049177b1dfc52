-- How often a plan of two counts names the cheapest pair: stations one after the other, the truth
-- from formulas. A pair that does not meet the limits is what hurts; a dearer one is the safe side,
-- where the plan says that a cheaper one could not be told.
--
-- A minute. PLANS_SEED draws other problems, PLANS_COUNT so many (60).

local problems = require "tests.theory.support.pairs"

local accuracy = {}

--- Prints the table; false when more than 1 % do not meet the limits, or a dearer one is not told.
---@return boolean
function accuracy.run()
  local seed = tonumber(os.getenv "PLANS_SEED") or os.time() % 100000 * 1000
  local count = tonumber(os.getenv "PLANS_COUNT") or 60
  print(("the cheapest pair of two counts, from problem %d on"):format(seed + 1))
  local tally, done, n = { exact = 0, low = 0, dearer = 0, none = 0, told = 0 }, 0, seed
  while done < count do
    n = n + 1
    local problem = problems.problem(n)
    if problem then
      done = done + 1
      local outcome = problems.solve(problem)
      local row = outcome.row
      tally[outcome.what] = tally[outcome.what] + 1
      if outcome.what ~= "exact" then
        tally.told = tally.told + (outcome.told and 1 or 0)
        print(("  %s: %s + %s for %d + %d (%.4g $/h); %s ≤ %.5g is %.5g there, %.5g in the answer; "
          .. "%d tested%s"):format(problem.name, row.count or "none", row.with or "",
          problem.answer[1], problem.answer[2], problem.cost, problem.metric, problem.limit,
          problem.exact(table.unpack(problem.answer)), row.count
            and problem.exact(row.count, row.with) or 0 / 0, #(row.pair and row.pair.tested or {}),
          outcome.told and "; told as undecided" or ""))
      end
    end
  end
  print(("of %d: %d exact, %d dearer (%d told undecided), %d too low, %d none"):format(count,
    tally.exact, tally.dearer, tally.told, tally.low, tally.none))
  return tally.low <= math.max(1, 0.01 * count) and tally.told >= tally.dearer
    and tally.none == 0 and tally.exact >= 0.7 * count
end

return accuracy
