--- Small fits with a truth that is known: what their gaps, parameters and draws are, and which
--- visits they are of.
local fit_visits = require "tests.spec.support.fit_visits"
local td = require "tandem"

local function near(wanted, got)
  assert.is_true(type(got) == "number" and math.abs(wanted - got) <= 1e-9 * math.max(1e-3,
    math.abs(wanted)), ("%s, not %s"):format(got, wanted))
end

local function list(count, fn)
  local out = {}
  for i = 1, count do out[i] = fn(i) end
  return out
end

describe("gaps that are fitted", function()
  it("have terms as stages have, named where there are several", function()
    local function terms_of(gap)
      local made = assert(td.fit { hold = 0, real = fit_visits.visits { count = 60, seed = 2,
        sizes = function(_, i) return { tokens = i } end, gap = function() return 1.0 end,
        stages = { { name = "a", lane = "CPU", time = function() return 1e-3 end },
          { name = "b", lane = "CPU", time = function() return 1e-3 end,
            gap = function(g, r) return gap(r.tokens) * g.lognormal(0.01) end } } } })
      local out = {}
      for _, one in ipairs(made.parameters) do
        if one.path == "pipeline.before b.time" then
          assert.equal("before b", one.stage)
          out[#out + 1] = ("%s: %.1g"):format(one.term or "-", one.value)
        end
      end
      return table.concat(out, ", ")
    end
    assert.equal("fixed: 0.01, per tokens: 0.001", terms_of(function(n) return 1e-2 + n * 1e-3 end))
    assert.equal("per tokens: 0.0001", terms_of(function(n) return n * 1e-4 end))
    assert.equal("-: 0.001", terms_of(function() return 1e-3 end))
  end)

  it("are fitted from ten visits on", function()
    local function kind(count)
      local made = assert(td.fit { hold = 0, real = fit_visits.visits { count = count, seed = 2,
        gap = function() return 1.0 end, stages = {
          { name = "a", lane = "CPU", time = function() return 1e-3 end },
          { name = "b", lane = "CPU", time = function() return 1e-3 end,
            gap = function(g) return 1e-3 * g.lognormal(0.1) end } } } })
      return made:parameter "pipeline.before b.time".kind
    end
    assert.same({ "fitted", "assumed" }, { kind(10), kind(9) })
  end)

  it("grow with the bytes of the copy that they come before", function()
    local made = assert(td.fit { hold = 0, real = fit_visits.visits { count = 60, seed = 2,
      sizes = function(_, i) return { n = i } end, gap = function() return 1.0 end,
      stages = { { name = "a", lane = "CPU", time = function() return 1e-3 end },
        { name = "b", lane = "H2D", time = function() return 1e-3 end,
          bytes = function(r) return r.n * 1000 end,
          gap = function(g, r) return r.n * 1e-4 * g.lognormal(0.01) end } } } })
    local slope = tostring(made.changes["pipeline.before b.time"]):match "^(%S+) %* r%.b_bytes$"
    assert.near(1e-7, tonumber(slope), 1e-9)
  end)
end)

describe("a fit", function()
  local function of_nothing()
    return assert(td.fit { hold = 0, real = fit_visits.visits { count = 40, seed = 2,
      sizes = function(_, i) return { tokens = i } end, gap = function() return 1.0 end,
      stages = { { name = "work", lane = "GPU", time = function(r, g)
        return (1 + 0.1 * r.tokens) * 1e-3 * g.lognormal(0.01)
      end } } } })
  end

  it("finds a parameter by its path and term", function()
    local made = of_nothing()
    assert.equal("fixed", made:parameter "pipeline.work.cost".term)
    assert.equal("fixed", made:parameter("pipeline.work.cost", "fixed").term)
    assert.equal("per tokens", made:parameter("pipeline.work.cost", "per tokens").term)
    assert.is_nil(made:parameter("pipeline.work.cost", "per images"))
    assert.is_nil(made:parameter "pipeline.work.time")
  end)

  it("draws coefficients together, and jitters that have an error", function()
    local made = of_nothing()
    local function changes(jitters, u)
      made.ctx.jitters = {}
      for i, one in ipairs(jitters) do
        made.ctx.jitters[i] = { path = one[1], jitter = { family = one[2], cv = one[3],
          error = one[4] } }
      end
      made.ctx.groups = { { fit = { draw = function(_, uniform) return { uniform(), 3 } end },
        apply = function(b) return { x = b[1], y = b[2] } end } }
      return made:draw(function() return u end)
    end
    local u = 0.8413447460685429 -- one standard deviation
    local out = changes({ { "a", "normal", 0.2, 0.05 }, { "b", "normal", 0.2, 0 },
      { "c", "normal", 0.2 }, { "d", "normal", 0, 0.1 }, { "e", "exponential", 1, 0.1 },
      { "f", "gamma", 0.4, 0.1 } }, u)
    assert.same({ u, 3 }, { out.x, out.y })
    near(0.2 * math.exp(0.25), out.a)
    assert.same({ "gamma", 1 }, { out.f.type, out.f.mean })
    near(0.4 * math.exp(0.25), out.f.cv)
    assert.same({}, { out.b, out.c, out.d, out.e })
    near(0.2, changes({ { "a", "normal", 0.2, 0.05 } }, 0.5).a)
  end)

  it("draws what it estimated where nothing is drawn away from it", function()
    local made = of_nothing()
    local out = made:draw(function() return 0.5 end)
    for _, path in ipairs { "pipeline.work.cost", "pipeline.work.jitter" } do
      assert.is_not_nil(out[path])
      assert.same(made.changes[path], out[path])
    end
  end)

  it("makes transfers of copies that all have bytes", function()
    local function kind(least, unit)
      local made = assert(td.fit { hold = 0, real = fit_visits.visits { count = 40, seed = 2,
        gap = function() return 1.0 end, sizes = function(_, i) return { n = i % 3 } end,
        stages = { { name = "copy", lane = "H2D",
          bytes = function(r) return (least + r.n) * unit // 1 | 0 end,
          time = function(r, g) return (1 + r.n) * 1e-3 * g.lognormal(0.01) end } } } })
      for _, step in ipairs(made.base.checked.resolved[1].pipeline) do
        if step.name == "copy" then return step.type end
      end
    end
    assert.equal("transfer", kind(1, 2 ^ 20))
    assert.equal("stage", kind(0, 2 ^ 20))
    assert.equal("stage", kind(1, 8)) -- of 8 to 24 B: all latency, which is no rate
  end)

  it("tells how much of a stage lies under others of its request", function()
    local function notes(early)
      return assert(td.fit { hold = 0, real = fit_visits.visits { count = 40, seed = 2,
        gap = function() return 1.0 end, stages = {
          { name = "a", lane = "CPU", time = function() return 1e-3 end },
          { name = "b", lane = "GPU", time = function() return 1e-3 end,
            gap = function() return -early end } } } }).notes
    end
    local text = table.concat(notes(0.4e-3), "; ")
    local total = 0
    for share in text:gmatch "(%d+) %% of its busy time lies under other stages" do
      total = total + tonumber(share)
    end
    assert.equal(40, total) -- of one, or of both together
    assert.same({}, notes(0))
  end)

  it("takes the requests that were served", function()
    local real = fit_visits.visits { count = 40, seed = 2, gap = function() return 1.0 end,
      stages = { { name = "work", lane = "GPU", time = function(_, _, i) return i end } } }
    local requests = real:requests()
    requests.outcome = list(40, function(i) return i % 4 == 0 and "dropped" or "ok" end)
    local made = assert(td.fit { real = real, hold = 0 })
    assert.equal(30, made.real.count)
    assert.same({ 1, 2, 3, 5 }, table.move(made.ctx.views.work.own, 1, 4, 1, {}))
  end)

  it("takes the mean of what the scenario has as a number or draws", function()
    local function told(time)
      local made = assert(td.fit { hold = 0, rest = false, real = fit_visits.visits { count = 40,
        seed = 2, gap = function() return 1.0 end, stages = { { name = "work", lane = "CPU",
          time = function(_, g) return 1e-3 * g.lognormal(0.1) end } } },
        scenario = td.scenario "mine" { workload = td.poisson { rps = 1, requests = 40 },
          pipeline = { td.fixed "work" { time = time } } } })
      local one = made:parameter "pipeline.work.time"
      return { one and one.kind, one and one.prior, made.refused[1] and made.refused[1].what }
    end
    assert.same({ "fitted", 5e-3 }, told "5ms")
    assert.same({ "fitted" }, told(td.exponential "5ms"))
    local formula = told(function(r) return r.id > 3 and 1 or 2 end)
    assert.same({ nil, nil, "pipeline.work.time" }, formula)
  end)

  it("has the capacities of pools", function()
    local real = fit_visits.visits { count = 40, seed = 2, gap = function() return 1.0 end,
      stages = { { name = "work", lane = "CPU", time = function() return 0.5 end } } }
    local made = assert(td.fit { real = real, hold = 0, scenario = td.scenario "pools" {
      workload = td.poisson { rps = 1, requests = 40 },
      resources = { td.pool "disk" { servers = 2 }, td.pool "net" { servers = 3 } },
      pipeline = { td.fixed "work" { time = "1s", on = "net" } } } })
    assert.equal(3, made:parameter "resources.net.servers".prior)
    assert.is_nil(made:parameter "resources.disk.servers")
  end)

  it("is of a run or its visits", function()
    local none = function() end
    for _, real in ipairs { 7, "run", {}, { of = none }, { slice = none }, { of = none, slice = 1 },
      { of = 1, slice = none }, { visits = 1 } } do
      assert.error_matches(function() td.fit { real = real } end, "real wants a run")
    end
    local none_of, message, code = td.fit { real = { visits = function(_, map)
      return nil, "no " .. map.name, 5
    end }, map = { name = "map" } }
    assert.same({ nil, "no map", 5 }, { none_of, message, code })
  end)
end)
