-- A stopping rule must not make intervals lie: of runs that go on until their figures are sure
-- enough, does the share of intervals that they say hold the truth? THEORY=show prints the counts.
local coverage = require "tests.theory.support.coverage"
local precision = require "tandem.scenario.precision"

local shown = os.getenv "THEORY" == "show"

-- System, what is wanted, runs; the first look is too short for most of them.
local ASKED <const> = {
  { "M/M/1 0.5", { p99 = "6%", mean = "2%" }, 80 }, { "M/M/1 0.8", { p90 = "6%" }, 60 },
  { "eight servers", { p99 = "4%", p50 = "2%" }, 60 }, { "turned away", { mean = "2%" }, 40 },
  { "MMPP", { mean = "8%" }, 40 }, { "batches", { p99 = "3%", mean = "2%" }, 20 },
}

local function system_of(name)
  for _, one in ipairs(coverage.systems) do
    if one.name == name then return one end
  end
end

describe("a precision", function()
  it("has intervals that hold as often as they say, and are as narrow as was asked for", function()
    local all = { printed = 0, hits = 0 }
    for _, one in ipairs(ASKED) do
      local system, group, looks = system_of(one[1]), { printed = 0, hits = 0 }, 0
      for seed = 1, one[3] do
        local r = assert(system.scenario:run { requests = 2000, seed = 40000 + seed,
          precision = one[2], brief = true })
        assert.is_true(r.precision.reached, one[1])
        looks = looks + r.precision.looks
        for _, figure in ipairs(r.precision.figures) do
          local estimate, truth = r:find(figure.path), system.truth[figure.path]
          assert.is_true(estimate.half <= figure.within * estimate.value * (1 + 1e-9))
          group.printed = group.printed + 1
          if math.abs(estimate.value - truth) <= estimate.half then group.hits = group.hits + 1 end
        end
      end
      local words = ("%s: %d of %d hold, %.1f looks"):format(one[1], group.hits, group.printed,
        looks / one[3])
      if shown then print("    " .. words) end
      assert.is_false(coverage.refutes(group, 0.93), words)
      all.printed, all.hits = all.printed + group.printed, all.hits + group.hits
    end
    assert.is_false(coverage.refutes(all, 0.94), all.hits .. " of " .. all.printed)
  end)

  -- The error that the looks may spend is that of one interval.
  it("spends no more on all looks together than one interval may", function()
    local r = assert(system_of "M/M/1 0.8".scenario:run { requests = 1000,
      precision = { p99 = "3%" }, seed = 1, brief = true })
    local looks, spent = r.precision.looks, 0
    assert.is_true(looks >= 3, looks)
    for k = 1, 40 do spent = spent + precision.share(k) end
    assert.is_true(spent <= 1 + 1e-12 and spent > 0.999)
  end)
end)
