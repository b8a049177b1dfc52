--- The critical path across ranks, held by who came last to each collective as it was planted
-- (tests/bench/ranks_export.lua): the path comes to a collective from that rank and no other.
local core = require "tandem.core"
local store_fixture = require "tests.spec.support.store_fixture"

local RANKS <const> = 5

local function said(answer, pattern)
  for _, sentence in ipairs(answer.basis) do
    local found = sentence:match(pattern)
    if found then return found end
  end
end

describe("the critical path of several ranks", function()
  local stores, folder, planted, run

  setup(function()
    stores = store_fixture.new()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute(("'%s' lua tests/bench/ranks_export.lua '%s' --ranks %d --seed 7")
      :format(core.executable(), folder, RANKS)))
    planted = dofile(folder .. "/planted.lua")
    local files = {}
    for rank = 0, RANKS - 1 do files[rank + 1] = ("%s/rank-%05d.sqlite"):format(folder, rank) end
    local path = stores:path "ranks.db"
    local id = assert(core.import { store = path, files = files, name = "ranks",
      version = core.version(), created_utc_ns = 0, complete = function(db, number)
        return require("tandem.store.align").run(db, number)
      end })
    run = assert(assert(require("tandem").store(path)):run(id))
  end)

  teardown(function()
    run.store:close()
    stores:remove()
    os.execute("rm -r '" .. folder .. "'")
  end)

  it("comes to each collective from the rank that came last", function()
    local rows = run:critical_path({ steps = 0 }):frame("path").rows
    local before, looked, ranks = {}, 0, {}
    for _, row in ipairs(rows) do
      local rank = tonumber((row.process or ""):match "^rank (%d+):")
      before[row.at_ns + row.dur_ns] = rank
    end
    local collectives = run:ranks():frame("collectives").rows
    assert.equal(#planted.last, #collectives)
    for k, row in ipairs(collectives) do
      local from = before[row.at_ns + row.skew_ns]
      if from then
        assert.equal(planted.last[k], from)
        assert.equal(row.last_rank, from)
        looked, ranks[from] = looked + 1, true
      end
    end
    assert.is_true(looked >= 8)
    assert.is_true(ranks[planted.straggler])
    assert.is_truthy(next(ranks, next(ranks)), "more than one rank")
  end)

  it("has every nanosecond once, and says how much of it is whose", function()
    local answer, at = run:critical_path { steps = 0 }, 0
    local by_rank, told = {}, {}
    for _, row in ipairs(answer:frame("path").rows) do
      assert.equal(at, row.at_ns)
      at = at + row.dur_ns
      local rank = tonumber((row.process or ""):match "^rank (%d+):")
      if rank then by_rank[rank] = (by_rank[rank] or 0) + row.dur_ns end
    end
    local total = 0
    for _, row in ipairs(answer:frame("bound").rows) do total = total + row.total_ns end
    assert.equal(total, at)
    for _, row in ipairs(answer:frame("ranks").rows) do told[row.rank] = row.total_ns end
    assert.same(by_rank, told)
    assert.equal(planted.straggler, answer:frame("ranks").rows[1].rank)
    assert.is_truthy(said(answer, "across their ranks"))
  end)

  it("is of one rank where one is chosen", function()
    local answer = run:critical_path { rank = 2 }
    assert.has_error(function() answer:frame "ranks" end)
    assert.is_nil(said(answer, "across their ranks"))
    for _, row in ipairs(answer:frame("path").rows) do
      assert.is_nil((row.process or ""):find "^rank")
    end
  end)
end)
