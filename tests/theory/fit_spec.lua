-- The whole way from a truth to its estimate: simulated with known parameters, written as a
-- profiler would have captured it, imported, mapped, fitted. Half of the seeds go through the
-- SQLite layout of Nsight Systems, half through Kineto's JSON.
--
-- Each parameter's 95 % interval must hold the truth in at least 88 of 100 seeds (fewer by chance
-- where it covers 95 %: 1 in 500), all parameters together in at least 93 %.
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local SEEDS <const> = 100

local truth = td.scenario "truth" {
  workload = td.poisson { rps = 40 }, requests = 240, replications = 1, warmup = "none",
  target = td.gpu "L40" { h2d = "20GB/s" }, cpu = { workers = 4 },
  attrs = { tokens = td.empirical { 50, 80, 120, 170, 230, 300, 400 } },
  pipeline = { td.fixed "parse" { time = "1ms", jitter = 0.1 },
    td.transfer "h2d" { bytes = "4e5 * r.tokens", latency = "500us", jitter = 0.02 },
    td.stage "compute" { cost = "0.002 + 2e-5 * r.tokens", jitter = td.gamma(1, 0.2) } },
}

local map = td.map {
  request = { range = "request *" }, sizes = { tokens = "/tokens=(\\d+)/" },
  stages = { { "parse", range = "parse" }, { "h2d", copy = "HtoD" }, { "compute", kernel = "*" } },
}

local TRUTH <const> = { ["pipeline.parse.cost"] = 1e-3, ["pipeline.parse.jitter"] = 0.1,
  ["target.h2d"] = 20e9, ["pipeline.h2d.latency"] = 500e-6, ["pipeline.h2d.jitter"] = 0.02,
  ["pipeline.compute.cost fixed"] = 2e-3, ["pipeline.compute.cost per tokens"] = 2e-5,
  ["pipeline.compute.jitter"] = 0.2, ["workload.rps"] = 40 }

describe("what was simulated, captured and fitted", function()
  local files
  setup(function() files = store_fixture.new() end)
  teardown(function() files:remove() end)

  local function captured(seed)
    local store, path = files:path "a.db", files:path(seed % 2 == 0 and "x.json" or "x.sqlite")
    os.execute(("rm -f '%s'*"):format(store))
    assert(truth:run { seed = seed, store = store, threads = 1 })
    local _, err, code = files:tandem("export", "last", "--as-captured", "-o", path)
    assert.equal(0, code, err)
    _, err, code = files:tandem("import", path)
    assert.equal(0, code, err)
    return assert(td.store(store))
  end

  it("comes back within the intervals that the fit states", function()
    local hit, seen, all_hit, all = {}, {}, 0, 0
    for seed = 1, SEEDS do
      local store = captured(seed)
      local made = assert(td.fit { real = assert(store:run "last"), map = map, hold = 0 })
      assert.equal("measured", made.real.kind)
      for _, p in ipairs(made.parameters) do
        local key = p.path .. (p.term and " " .. p.term or "")
        local wanted = TRUTH[key]
        if wanted then
          local inside = p.low <= wanted and wanted <= (p.high or math.huge) and 1 or 0
          hit[key], seen[key] = (hit[key] or 0) + inside, (seen[key] or 0) + 1
          all_hit, all = all_hit + inside, all + 1
        end
      end
      store:close()
    end
    for key in pairs(TRUTH) do
      assert.is_true((seen[key] or 0) >= 0.93 * SEEDS, ("%s: fitted in %d"):format(key,
        seen[key] or 0))
      assert.is_true(hit[key] / seen[key] >= 0.88, ("%s: %d of %d"):format(key, hit[key],
        seen[key]))
    end
    assert.is_true(all_hit / all >= 0.93, ("%d of %d"):format(all_hit, all))
  end)
end)
