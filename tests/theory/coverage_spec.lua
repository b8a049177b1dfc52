-- "95 %" in what a run prints: of the intervals of many runs, does that share hold the truth? And
-- are they there where a run is long enough? The grid and its limits are in support/coverage.lua.
-- THEORY=show prints the counts.
local coverage = require "tests.theory.support.coverage"
local core = require "tandem.core"

local shown = os.getenv "THEORY" == "show"

local SIZES <const> = { { 1000, 1, 60 }, { 10000, 1, 60 }, { 1000, 5, 40 }, { 10000, 5, 40 },
  { 1000, 8, 40 }, { 10000, 8, 40 }, { 1000, 32, 15 }, { 10000, 32, 10 }, { 100000, 8, 4 } }
local SLOW_SHARE <const> = 0.35 -- of the runs, where the event engine makes them

local function last(path) return path:match "[%w_]+$" end

describe("intervals that runs print", function()
  local cells = coverage.count(SIZES, 10000, SLOW_SHARE)

  local function hold(key, share, least)
    for _, group in ipairs(coverage.pool(cells, key)) do
      local words = ("%s: %d of %d intervals hold the truth, of %d runs"):format(group.name,
        group.hits, group.printed, group.runs)
      if shown then print("    " .. words) end
      if group.printed >= least then
        assert.is_false(coverage.refutes(group, share), words)
      end
    end
  end

  it("hold the truth as often as they say, whatever the figure", function()
    hold(function(cell)
      return ("%d replications, %s"):format(cell.replications, last(cell.path))
    end, 0.93, 60)
  end)

  it("hold it for every system", function()
    hold(function(cell) return cell.system end, 0.93, 60)
  end)

  it("hold it for every length", function()
    hold(function(cell) return cell.requests .. " requests" end, 0.93, 60)
  end)

  it("miss on both sides", function()
    for _, group in ipairs(coverage.pool(cells, function(cell) return cell.system end)) do
      local misses = group.printed - group.hits
      assert.is_true(coverage.tail(group.above, group.printed, 0.06) > 0.001, group.name)
      assert.is_true(coverage.tail(misses - group.above, group.printed, 0.06) > 0.001, group.name)
    end
  end)

  -- Beyond the share q of N requests M/M/1 goes N q (1 - load)² times, and up by as much as its
  -- standard deviation in each replication n e⁻² (1 - load)² times.
  it("are there where theory says that a run tells enough", function()
    local tails = { p50 = math.exp(-2), p90 = 0.1, p95 = 0.05, p99 = 0.01, p999 = 0.001 }
    local seen = 0
    for _, cell in ipairs(cells) do
      local rho, tail = tonumber(cell.system:match "^M/M/1 (.*)$"), tails[last(cell.path)]
      local idle = rho and (1 - rho) ^ 2
      if rho and tail and cell.requests * cell.replications * idle * tail > 200
        and cell.requests * idle > 400 then
        seen = seen + 1
        assert.is_true(cell.printed >= 0.9 * cell.runs, cell.system .. " " .. cell.path)
      end
    end
    assert.is_true(seen >= 8, seen)
  end)
end)

describe("the test of intervals", function()
  local function counted(confidence, runs)
    local group = { printed = runs, hits = 0 }
    local state = 12345
    local function uniform() -- xorshift
      state = state ~ (state << 13); state = state ~ (state >> 7); state = state ~ (state << 17)
      return ((state >> 11) + 0.5) / (1 << 53)
    end
    for _ = 1, runs do
      local values = {}
      for i = 1, 8 do
        values[i] = math.sqrt(-2 * math.log(uniform())) * math.cos(2 * math.pi * uniform())
      end
      local value, half = core.stats.interval(values, confidence)
      if math.abs(value) <= half then group.hits = group.hits + 1 end
    end
    return group
  end

  it("notices intervals that cover 90 %, and no others", function()
    assert.is_true(coverage.refutes(counted(0.90, 2000), 0.93))
    assert.is_false(coverage.refutes(counted(0.95, 2000), 0.93))
    assert.is_false(coverage.refutes(counted(0.93, 2000), 0.93))
  end)

  it("has the binomial distribution right", function()
    assert.near(0.5 ^ 10, coverage.tail(10, 10, 0.5), 1e-12)
    assert.near(1 - 0.95 ^ 400, coverage.tail(1, 400, 0.05), 1e-12)
    assert.near(0.0038, coverage.tail(33, 400, 0.05), 0.0001)
  end)
end)

describe("verdicts", function()
  local FACTORS <const> = { 0.9, 0.97, 0.99, 1.01, 1.03, 1.1 }
  -- System, figure of the objective, requests of a replication.
  local CASES <const> = { { "M/M/1 0.5", "p99", 6000 }, { "M/M/1 0.8", "p99", 25000 },
    { "M/M/1 0.8", "p50", 4000 }, { "M/M/1 0.8", "p99", 3000 }, { "eight servers", "p95", 8000 },
    { "MMPP", "p90", 20000 }, { "lognormal 0.7", "p90", 30000 }, { "turned away", "mean", 2000 },
    { "M/M/1 0.5", "met", 3000 }, { "M/M/1 0.8", "met", 10000 }, { "batches", "p99", 3000 },
    { "JSQ 16", "p95", 3000 } }
  local function system_of(name)
    for _, one in ipairs(coverage.systems) do
      if one.name == name then return one end
    end
  end

  local function limited(system, figure, factor)
    local truth = system.truth[figure == "met" and "slo_met" or "latency." .. figure]
    if figure ~= "met" then
      local slo = { [figure] = ("%.9fs"):format(truth * factor) }
      return system.scenario:with { slo = slo }, factor > 1
    end
    local limit = 1 - (1 - truth) / factor -- so many times as many may be late
    return system.scenario:with { ["slo.met"] = limit }, limit < truth
  end

  it("are wrong in at most 5 %, near the limit and far from it", function()
    local wrong, decided, runs = 0, 0, 0
    for i, case in ipairs(CASES) do
      local system, own = system_of(case[1]), 0
      local slow = require("tandem.core").lowering(system.scenario:model()) ~= nil
      for k, factor in ipairs(FACTORS) do
        local scenario, meets = limited(system, case[2], factor)
        for seed = 1, slow and 3 or 7 do
          local r = assert(scenario:run { requests = case[3], replications = 8,
            seed = 5000 + 1000 * i + 100 * k + seed, brief = true })
          local verdict = nil
          for _, one in ipairs(r:verdicts()) do
            if one.metric == case[2] then verdict = one end
          end
          local met = verdict.met
          runs = runs + 1
          decided = decided + (met ~= nil and 1 or 0)
          if met ~= nil and met ~= meets then wrong, own = wrong + 1, own + 1 end
        end
      end
      if shown then print(("    %s %s: %d wrong"):format(case[1], case[2], own)) end
    end
    if shown then print(("    %d of %d wrong, %d decided"):format(wrong, runs, decided)) end
    -- At 5 % so many or more are seen once in 200 times; at 10 %, 19 times in 20.
    assert.is_true(coverage.tail(wrong, runs, 0.05) > 0.005, wrong .. " of " .. runs)
    assert.is_true(decided >= runs / 8, decided .. " of " .. runs)
  end)

  it("are there far from the limit, also where there is no interval", function()
    local system = system_of "M/M/1 0.8"
    for seed = 1, 20 do
      for factor, met in pairs { [2] = true, [0.3] = false } do
        local r = assert(limited(system, "p99", factor):run { requests = 25000, seed = seed,
          brief = true })
        assert.equal(met, r:verdicts()[1].met)
      end
    end
  end)
end)
