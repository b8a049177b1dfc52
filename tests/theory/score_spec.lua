-- "95 %" in a score: of the intervals of differences between a recorded run and another run of the
-- same system, does that share hold 0? The pairs are in support/scores.lua. THEORY=show prints the
-- counts.
local coverage = require "tests.theory.support.coverage"
local scores = require "tests.theory.support.scores"

local shown = os.getenv "THEORY" == "show"

describe("intervals of a score", function()
  for _, paired in ipairs { false, true } do
    local which = paired and "under the recorded load" or "under a load of its own"
    local cells = scores.count({ { 300, 12 }, { 1000, 10 }, { 10000, 2 } }, 30000, paired)

    local function hold(key, least)
      for _, group in ipairs(scores.pool(cells, key)) do
        local words = ("%s: %d of %d intervals hold the truth, of %d scores"):format(group.name,
          group.hits, group.printed, group.runs)
        if shown then print("    " .. words) end
        if group.printed >= least then
          assert.is_false(coverage.refutes(group, 0.93), words)
        end
      end
    end

    it("hold no difference as often as they say, " .. which, function()
      hold(function(cell) return cell.figure end, 40)
      hold(function(cell) return cell.system end, 40)
      hold(function(cell) return cell.size .. " requests" end, 40)
    end)

    -- Service times and the gaps between ends need no ups and downs.
    it("are there where values come one by one, " .. which, function()
      for _, group in ipairs(scores.pool(cells, function(cell) return cell.figure end)) do
        if group.name == "own mean" or group.name == "throughput" then
          assert.is_true(group.printed >= 0.7 * group.runs, ("%s: %d of %d"):format(group.name,
            group.printed, group.runs))
        end
      end
    end)
  end
end)
