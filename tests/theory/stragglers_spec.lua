-- Ranks whose clocks are up to a second apart, and stragglers among them, as ranks_export.lua
-- plants them into copies of a real capture: clocks, who came last at each collective and whom the
-- others waited for most must be what was planted, in all cases.
local core = require "tandem.core"
local td = require "tandem"

local CASES <const> = { { ranks = 2, seed = 11 }, { ranks = 3, seed = 12 },
  { ranks = 5, seed = 13 }, { ranks = 8, seed = 14 }, { ranks = 8, seed = 15 },
  { ranks = 13, seed = 16 }, { ranks = 16, seed = 17 }, { ranks = 24, seed = 18 },
  { ranks = 32, seed = 19 }, { ranks = 32, seed = 20 } }

-- The folder of a case, what is planted in it, and its run in a store.
local function made(case)
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute(("'%s' lua tests/bench/ranks_export.lua '%s' --ranks %d --seed %d")
    :format(core.executable(), folder, case.ranks, case.seed)))
  local planted = dofile(folder .. "/planted.lua")
  local path, files = folder .. "/runs.db", {}
  for rank = case.ranks - 1, 0, -1 do -- in another order than they count
    files[#files + 1] = ("%s/rank-%05d.sqlite"):format(folder, rank)
  end
  local id = assert(core.import { store = path, files = files, name = "ranks",
    version = core.version(), created_utc_ns = 0, complete = function(db, number)
      return require("tandem.store.align").run(db, number)
    end })
  local store = assert(td.store(path))
  return folder, planted, assert(store:run(id))
end

-- The row with the largest value of a column.
local function largest(rows, column)
  local best = rows[1]
  for _, row in ipairs(rows) do
    if row[column] > best[column] then best = row end
  end
  return best
end

describe("ranks", function()
  for _, case in ipairs(CASES) do
    it(("are on one clock, and the straggler of %d is named (seed %d)"):format(case.ranks,
      case.seed), function()
      local folder, planted, run = made(case)
      local first
      for source in run:sources() do
        first = first or planted.apart_ns[source.rank + 1]
        assert.equal("collectives", source.alignment)
        assert.equal(first - planted.apart_ns[source.rank + 1], source.offset_ns)
      end
      local answer = assert(run:ranks())
      local rows = answer:frame("ranks").rows
      assert.equal(case.ranks, #rows)
      assert.equal(planted.straggler, largest(rows, "held_up_ns").rank)
      assert.equal(planted.straggler, largest(rows, "last_count").rank)
      local collectives = answer:frame("collectives").rows
      assert.equal(#planted.last, #collectives)
      table.sort(collectives, function(a, b) return a.at_ns < b.at_ns end)
      for k, one in ipairs(collectives) do
        assert.equal(planted.last[k], one.last_rank)
        assert.equal(case.ranks, one.ranks)
        assert.equal(0, one.end_skew_ns)
      end
      assert(os.execute(("rm -r '%s'"):format(folder)))
    end)
  end
end)
