-- td.optimize: searches over simulated variants.
local search = require "tandem.search"
local td = require "tandem"

local function base()
  return td.scenario "base" {
    workload = td.poisson { rps = 8, requests = 2000 },
    cpu = { workers = 1 },
    pipeline = { td.fixed "work" { time = td.exponential "100ms" } },
  }
end

describe("optimize", function()
  it("finds the best of a cost of waiting and a cost of workers", function()
    -- M/M/c at load 0.8: one worker waits long, many are dear; two are best at this price.
    local function price(m) return m["latency.mean"] * 10 + 0.5 * m["workers"] end
    local found = td.optimize { scenario = base(), replications = 8,
      search = function(ask)
        local points = {}
        for workers = 1, 5 do points[workers] = { ["cpu.workers"] = workers } end
        return search.best(ask(points))
      end,
      metrics = { "latency.mean", "resources.cpu.servers" },
      objective = function(m) return price { ["latency.mean"] = m["latency.mean"],
        workers = m["resources.cpu.servers"] } end }
    assert.equal(2, found.point["cpu.workers"])
    assert.equal(5, found.evaluations)
    assert.equal(40, found.replications)
    assert.matches("lowest objective", tostring(found))
  end)

  it("turns more-is-better around, and keeps to what is allowed", function()
    local found = assert(td.optimize { scenario = base(), objective = "throughput_rps",
      search = search.golden { over = { rps = { 1, 20, integer = true } } },
      subject = function(m) return m.utilization < 0.95 end, budget = 20 })
    assert.is_true(found.maximize)
    assert.is_true(found.point.rps >= 8 and found.point.rps <= 10)
    assert.near(found.point.rps, found.best.value, 0.5)
  end)

  it("gives the same answer with any number of threads", function()
    local function run(threads)
      local found = td.optimize { scenario = base(), objective = "latency.p99", threads = threads,
        search = search.ocba { points = { { rps = 7 }, { rps = 8 }, { rps = 6.9 } }, n0 = 4,
          budget = 60 } }
      return { found.point, found.best.value, found.replications, found.details.probability }
    end
    assert.same(run(1), run(3))
  end)

  it("says what is wrong in one line", function()
    local function refused(pattern, spec)
      local ok, message = pcall(td.optimize, spec)
      if ok then message = select(2, td.optimize(spec)) end
      assert.matches(pattern, tostring(message))
    end
    local body = search.golden { over = { rps = { 1, 9 } } }
    refused("scenario is missing", { search = body, objective = "latency.p99" })
    refused("did you mean 'objective'", { scenario = base(), objectiv = 1 })
    refused("no 'latency.p98'", { scenario = base(), search = body, objective = "latency.p98" })
    refused("must be a number", { scenario = base(), search = body,
      objective = function() return "x" end })
    refused("rsp", { scenario = base(), objective = "latency.p99",
      search = search.golden { over = { rsp = { 1, 9 } } } })
  end)
end)
