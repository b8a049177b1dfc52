--- Whole scores of visits whose truth is known, word for word: tests/data/scores_on_paper.txt has
--- each under the name of its case.
local fit_visits = require "tests.spec.support.fit_visits"
local infile = require "tandem.io.infile"
local styles = require "tandem.plot.style"
local td = require "tandem"
local visits = require "tandem.visits"

-- Requests through three stages; the last takes so many times as long as it should.
local function made(factor, options)
  options = options or {}
  local out = fit_visits.visits { count = options.count or 120, seed = options.seed or 3,
    tail = 20e-6, gap = function(g) return g.exponential(options.gap or 3e-3) end,
    sizes = function(g) return { tokens = math.floor(16 + 500 * g.uniform()) } end,
    stages = {
      { name = "pre", lane = "CPU", time = function(_, g) return 300e-6 * g.lognormal(0.2) end },
      { name = options.copy or "h2d", lane = "H2D", gap = function(g)
        return g.exponential(50e-6)
      end, time = function(r) return 12e-6 + r.tokens * 1e-7 end },
      { name = "compute", lane = "GPU", time = function(r, g)
        return factor * (1.2e-3 + 3.4e-6 * r.tokens) * g.lognormal(0.1)
      end } } }
  if options.lost then
    local outcome = {}
    for i = 1, out.count do outcome[i] = i % options.lost == 0 and "dropped" or "ok" end
    out:requests().outcome = outcome
  end
  return out
end

local CASES <const> = {
  { "the same requests", function()
    return made(1), made(1.1), { bins = 4, worst = 3, gate = { "compute<5%", "pre.p99<1%",
      "gpu.queue<5%" } }
  end },
  { "other requests, stages of one run only", function()
    return made(1), made(1.1, { seed = 4, count = 150, copy = "copy" }),
      { within = "20%", confidence = 0.9, bins = 2 }
  end },
  { "the same requests, of which some were lost", function()
    return made(1), made(1, { lost = 10 }), { bins = 1, worst = 1 }
  end },
  { "many requests under another load", function()
    return made(1, { count = 900, gap = 2e-3 }), made(1.02, { count = 900, gap = 2e-3, seed = 9,
      lost = 900 }), {}
  end },
}

local STYLE <const> = styles.new { width = 100, unicode = true }

local function words_of(case)
  local score = assert(td.score(case[2]()))
  return ("%s\nlanes of both: %s"):format(score:report(STYLE), table.concat(score.lanes, ", "))
end

describe("a score on paper of", function()
  local texts, name = {}, nil
  for line in assert(infile.read "tests/data/scores_on_paper.txt"):gmatch "([^\n]*)\n" do
    local begun = line:match "^== (.+)"
    if begun then name, texts[begun] = begun, {} else table.insert(texts[name], line) end
  end
  for _, case in ipairs(CASES) do
    it(case[1], function() assert.equal(table.concat(texts[case[1]], "\n"), words_of(case)) end)
  end

  it("two runs has gates where some were asked for", function()
    local score = assert(td.score(made(1), made(1.1), { gate = "total<9%" }))
    assert.same({ "holds" }, { score:frame "gates".rows[1].verdict })
    assert.is_false(pcall(function()
      return assert(td.score(made(1), made(1.1))):frame "gates".rows
    end))
    for _, value in ipairs { 3, {}, { stages = {} }, { of = print } } do
      local ok, message = pcall(td.score, value, made(1))
      assert.is_false(ok)
      assert.matches("score wants a run or its Visits as the real one$", message)
    end
    local none, message = td.score("no such file", made(1)) -- of a load generator's sums
    assert.is_nil(none)
    assert.matches("no such file", message)
  end)

  it("runs that have nothing in common is refused", function()
    local function of(names)
      local tables = { kind = "measured", stages = {}, visits = {}, requests = {
        arrival_ns = { 0, 10 }, end_ns = { 5, 15 } } }
      for i, stage in ipairs(names) do
        tables.stages[i] = { name = stage, lane = "CPU" }
        tables.visits[stage] = { request = { 1 }, start_ns = { 0 }, end_ns = { 5 } }
      end
      return visits.of(tables)
    end
    assert.same({ nil, "no stage of the real run (a, b) is one of the simulation's (c): give them "
      .. "the same names, in the map or in the scenario", 3 }, { td.score(of { "a", "b" },
      of { "c" }) })
    assert.same({ nil, "no stage of the real run (none) is one of the simulation's (c): give them "
      .. "the same names, in the map or in the scenario", 3 }, { td.score(of {}, of { "c" }) })
    local lost = of { "a" }
    lost:requests().outcome = { "dropped", "dropped" }
    assert.same({ nil, "the simulated run has no request that was served: nothing to score", 3 },
      { td.score(of { "a" }, lost) })
  end)
end)

return { cases = CASES, words_of = words_of }
