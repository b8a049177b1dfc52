-- tandem gate's own path from stored runs to a verdict, where nothing changed: runs of one scenario
-- with different seeds, five a side, drawn anew for each comparison. A limit of no change at all is
-- where a gate errs most: at most 1 % of these may fail. With room of 3 % none does.
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local RUNS <const>, SIDE <const>, PAIRS <const> = 60, 5, 400

local state = 20261127
local function below(n)
  state = state * 6364136223846793005 + 1442695040888963407
  return (state >> 33) % n + 1
end

describe("a gate between runs that differ by luck alone #slow", function()
  local files, runs
  setup(function()
    files = store_fixture.new()
    local scenario = td.scenario "same" { workload = td.poisson { rps = 60, duration = "5s" },
      target = "L40", pipeline = { td.fixed "a" { time = "2ms", jitter = 0.2 },
        td.compute "b" { flops = td.lognormal { mean = 2e12, cv = 0.5 } } } }
    local store = assert(td.store(files:path "a.db"))
    for seed = 1, RUNS do
      scenario:run { seed = seed, replications = 1, store = files:path "a.db", spans = "none" }
    end
    runs = {}
    for i, row in ipairs(store:runs().rows) do runs[i] = assert(store:run(row.id)) end
  end)
  teardown(function() files:remove() end)

  it("fails at most once in a hundred times", function()
    assert.equal(RUNS, #runs)
    local seen = { at = { fails = 0, holds = 0, undecided = 0 },
      room = { fails = 0, holds = 0, undecided = 0 } }
    for _ = 1, PAIRS do
      local order = table.move(runs, 1, RUNS, 1, {})
      for i = 1, 2 * SIDE do
        local other = i - 1 + below(RUNS - i + 1)
        order[i], order[other] = order[other], order[i]
      end
      local made = assert(require("tandem.diff").between(table.move(order, 1, SIDE, 1, {}),
        table.move(order, SIDE + 1, 2 * SIDE, 1, {}), { gate = { "latency.mean<+0%",
          "latency.mean<+30%" } }))
      local rows = made:frame "gates".rows
      seen.at[rows[1].verdict] = seen.at[rows[1].verdict] + 1
      seen.room[rows[2].verdict] = seen.room[rows[2].verdict] + 1
    end
    print(("figure: of %d comparisons without a change %d fail at the limit, %d with room")
      :format(PAIRS, seen.at.fails, seen.room.fails))
    -- 1 % of 400 and three standard errors.
    assert.is_true(seen.at.fails <= 10, seen.at.fails)
    assert.equal(0, seen.room.fails)
    assert.is_true(seen.at.undecided > PAIRS // 2)
  end)
end)
