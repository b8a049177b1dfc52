-- What is said of a scenario before it is run: moments, queueing formulas, offered load, words.
local explain = require "tandem.explain"
local arrivals = require "tandem.explain.arrivals"
local load = require "tandem.explain.load"
local moments = require "tandem.explain.moments"
local queueing = require "tandem.explain.queueing"
local styles = require "tandem.plot.style"

--- Closed-form moments against a sum over many quantiles of the same distribution.
local function by_quantiles(quantile)
  local count, sum, squares = 400000, 0, 0
  for index = 1, count do
    local value = quantile((index - 0.5) / count)
    sum, squares = sum + value, squares + value * value
  end
  return sum / count, squares / count - (sum / count) ^ 2
end

describe("moments", function()
  it("of distributions agree with their quantile functions", function()
    local cases = {
      { { dist = "uniform", min = 1, max = 4 }, function(u) return 1 + 3 * u end },
      { { dist = "exponential", mean = 2 }, function(u) return -2 * math.log(1 - u) end },
      { { dist = "weibull", shape = 1.5, scale = 2 },
        function(u) return 2 * (-math.log(1 - u)) ^ (1 / 1.5) end },
      { { dist = "pareto", min = 1, max = 50, alpha = 1.5 },
        function(u) return (1 - u * (1 - 50 ^ -1.5)) ^ (-1 / 1.5) end },
      { { dist = "pareto", min = 1, max = 50, alpha = 1 },
        function(u) return 1 / (1 - u * (1 - 1 / 50)) end },
      { { dist = "histogram", edges = { 0, 1, 3 }, counts = { 3, 1 } },
        function(u) return u < 0.75 and u / 0.75 or 1 + (u - 0.75) * 8 end },
      { { dist = "hyperexponential", weights = { 1 }, means = { 3 } },
        function(u) return -3 * math.log(1 - u) end },
    }
    for _, case in ipairs(cases) do
      local found = moments.of_distribution(case[1])
      local mean, var = by_quantiles(case[2])
      assert.near(1, found.mean / mean, 1e-4, case[1].dist)
      assert.near(1, found.var / var, 2e-3, case[1].dist)
      assert.is_nil(found.approximate)
    end
  end)

  it("of distributions given by their moments are those moments", function()
    for _, name in ipairs { "gamma", "lognormal", "weibull" } do
      local found = moments.of_distribution { dist = name, mean = 3, cv = 0.5 }
      assert.near(3, found.mean, 1e-12)
      assert.near(2.25, found.var, 1e-12)
    end
    local erlang = moments.of_distribution { dist = "erlang", k = 4, mean = 2 }
    assert.near(1, erlang.var, 1e-12)
    assert.equal(0, moments.of_distribution({ dist = "constant", value = 5 }).var)
  end)

  it("of a lognormal by percentiles", function()
    -- p50 = e^0 and p99 = e^2.3263: mu = 0, sigma = 1.
    local found = moments.of_distribution {
      dist = "lognormal", p50 = 1, p99 = math.exp(2.3263478740408408),
    }
    assert.near(math.exp(0.5), found.mean, 1e-5)
    assert.near(math.exp(2) - math.exp(1), found.var, 1e-3)
    local same = moments.of_distribution {
      dist = "lognormal", p90 = math.exp(1.2815515655446004), p999 = math.exp(3.090232306167813),
    }
    assert.near(found.mean, same.mean, 1e-5)
  end)

  it("of a normal cut at zero", function()
    -- The half-normal: mean sqrt(2/pi), variance 1 - 2/pi.
    local half = moments.of_distribution { dist = "normal", mean = 0, sd = 1 }
    assert.near(math.sqrt(2 / math.pi), half.mean, 1e-6)
    assert.near(1 - 2 / math.pi, half.var, 1e-6)
    local far = moments.of_distribution { dist = "normal", mean = 1, sd = 0.05, min = 0 }
    assert.near(1, far.mean, 1e-7)
    assert.near(0.0025, far.var, 1e-7)
    local both = moments.of_distribution { dist = "normal", mean = 0, sd = 1, min = -1, max = 1 }
    assert.near(0, both.mean, 1e-7)
    assert.near(0.2911, both.var, 1e-4)
  end)

  it("of values, ranks and mixtures", function()
    local empirical = moments.of_distribution {
      dist = "empirical", values = { 1, 3 }, weights = { 3, 1 },
    }
    assert.near(1.5, empirical.mean, 1e-12)
    assert.near(0.75, empirical.var, 1e-12)
    assert.near(4 / 3, moments.of_distribution({ dist = "zipf", n = 2, s = 1 }).mean, 1e-12)
    local mixture = moments.of_distribution { dist = "mixture", weights = { 1, 1 },
      parts = { { dist = "constant", value = 1 }, { dist = "exponential", mean = 3 } } }
    assert.near(2, mixture.mean, 1e-12)
    assert.near((1 + 18) / 2 - 4, mixture.var, 1e-12)
    local own = moments.of_distribution { dist = "lua", fn = function(u) return u end }
    assert.near(0.5, own.mean, 1e-9)
    assert.is_true(own.approximate)
    assert.is_nil(moments.of_distribution { dist = "lua", fn = function() error "no" end })
  end)

  it("pass through expressions, exact for sums and products", function()
    local known = { batch = 4, gpu = { rate = 10 }, attrs = {
      tokens = { mean = 100, var = 400 } } }
    local found = moments.of_cost({ "add", 1, { "div", { "attr", "tokens" }, { "gpu", "rate" } } },
      known)
    assert.near(11, found.mean, 1e-12)
    assert.near(4, found.var, 1e-12)
    assert.is_nil(found.approximate)
    assert.equal(400, moments.of_cost({ "sum", "tokens" }, known).mean)
    assert.equal(4, moments.of_cost({ "batch" }, known).mean)
    local drawn = moments.of_cost({ "mul", 2, { "draw", { dist = "exponential", mean = 3 } } },
      known)
    assert.equal(36, drawn.var)
    local most = moments.of_cost({ "max", { "attr", "tokens" }, 50 }, known)
    assert.equal(100, most.mean)
    assert.is_true(most.approximate)
    assert.equal(7, moments.of_cost({ "interp", { "batch" }, { 2, 5, 6, 9 } }, known).mean)
    assert.equal(2, moments.of_cost({ "select", { "lt", { "batch" }, 3 }, 1, 2 }, known).mean)
    assert.is_nil(moments.of_cost({ "attr", "unknown" }, known))
  end)

  it("ask a function at the means, and believe no failure", function()
    local known = { batch = 2, attrs = { tokens = { mean = 10, var = 0 } }, gpu = { flops = 5 } }
    local found = moments.of_cost(function(r) return r.tokens * r.batch / r.gpu.flops end, known)
    assert.equal(4, found.mean)
    assert.is_true(found.approximate)
    assert.is_nil(moments.of_cost(function(r) return r.missing + 1 end, known))
  end)
end)

describe("queueing formulas", function()
  local function station(rate, mean, cv2, servers, fields)
    local made = { rate = rate, servers = servers, arrival_cv2 = 1, poisson = true,
      service = { mean = mean, var = cv2 * mean * mean } }
    for key, value in pairs(fields or {}) do
      made[key] = value
    end
    return made
  end

  local function exponential(rate, mean, servers, fields)
    local made = station(rate, mean, 1, servers, fields)
    made.service.exponential = true
    return made
  end

  it("know Erlang's table", function()
    -- A load of 2 Erlang on 3 servers: 4/9 wait.
    assert.near(4 / 9, queueing.erlang_c(2, 3), 1e-12)
    assert.near(0.5, queueing.erlang_c(0.5, 1), 1e-12)
    assert.equal(1, queueing.erlang_c(3, 3))
    assert.is_true(queueing.erlang_c(900, 1000) < 1e-3)
  end)

  it("are exact for M/M/1, M/D/1, M/G/1 and M/M/c", function()
    local cases = {
      { station(0.9, 1, 1, 1), 9 }, { station(0.9, 1, 0, 1), 4.5 },
      { station(0.5, 1, 3, 1), 2 }, { exponential(2, 1, 3), 4 / 9 },
    }
    for _, case in ipairs(cases) do
      local wait, exact = queueing.wait(case[1])
      assert.near(case[2], wait, 1e-12)
      assert.is_true(exact)
    end
  end)

  it("say where they are not", function()
    -- A coefficient of variation of 1 alone does not make a service exponential.
    for _, other in ipairs { station(2, 1, 0, 3), station(2, 1, 1, 3),
      station(0.5, 1, 1, 1, { poisson = false }),
      station(0.5, 1, 1, 1, { discipline = "priority" }) } do
      local _, exact = queueing.wait(other)
      assert.is_false(exact)
    end
  end)

  it("have no wait without load, and no end beyond saturation", function()
    assert.equal(0, (queueing.wait(station(5, 1, 1, math.huge))))
    assert.equal(0, (queueing.wait(station(0, 1, 1, 1))))
    assert.equal(math.huge, (queueing.wait(station(3, 1, 1, 3))))
    assert.equal(math.huge, (queueing.wait(station(4, 1, 1, 3))))
  end)

  it("turn away whom a limited queue has no place for", function()
    -- M/M/1/3 at five times its capacity, and M/D/2/2, which is Erlang's loss whatever the service.
    local wait, exact, lost = queueing.wait(exponential(100, 0.05, 1, { queue = 2 }))
    assert.near(125 / 156, lost, 1e-12)
    assert.near((25 + 50 * 5) / 156 / (100 * 31 / 156), wait, 1e-12)
    assert.is_true(exact)
    wait, exact, lost = queueing.wait(station(1, 2, 0, 2, { queue = 0 }))
    assert.same({ 0, true }, { wait, exact })
    assert.near(0.4, lost, 1e-12)
    -- As many arrive as can be served: the sums' own limit, and its neighbours.
    local even = select(3, queueing.wait(exponential(20, 0.05, 1, { queue = 2 })))
    assert.near(1 / 4, even, 1e-12)
    assert.near(even, select(3, queueing.wait(exponential(20.001, 0.05, 1, { queue = 2 }))), 1e-4)
    assert.is_false(select(2, queueing.wait(station(15, 0.05, 0, 1, { queue = 2 }))))
    -- However much comes, the queue is full and no longer.
    local full = exponential(1e9, 1, 1, { queue = 1000 })
    assert.near(1000, (queueing.wait(full)), 1e-3)
    assert.near(1, select(3, queueing.wait(full)), 1e-8)
  end)

  it("smooth the share of a round robin", function()
    -- E3/M/1 at 5/6: σ = (1 + (1 - σ) / 2.5)^-3.
    local wait, exact = queueing.wait(exponential(50 / 3, 0.05, 1,
      { shape = 3, poisson = false, arrival_cv2 = 1 / 3 }))
    local sigma = wait / (wait + 0.05)
    assert.near(sigma, (1 + (1 - sigma) / 2.5) ^ -3, 1e-12)
    assert.is_true(exact)
    assert.is_false(select(2, queueing.wait(station(16, 0.05, 0, 1,
      { shape = 3, poisson = false, arrival_cv2 = 1 / 3 }))))
  end)

  it("let members of a group wait for each other", function()
    -- M^X/D/1, two at a time: the second waits for the first though nobody else is there.
    local wait, exact = queueing.wait(station(30, 1e-3, 0, 1, { group = 2, arrival_cv2 = 2 }))
    assert.near((0.03 * 1e-3 + 1e-3) / 2 / 0.97, wait, 1e-12)
    assert.is_true(exact)
  end)

  it("count the outages of White and Christie", function()
    local between = { mean = 50, var = 2500, exponential = true }
    local repair = { mean = 8, var = 64 }
    local broken = exponential(0.5, 1, 1, { outages = { between = between, repair = repair } })
    local wait, exact = queueing.wait(broken)
    local fail, mend = 1 / 50, 1 / 8
    local inside = 0.5 * ((fail + mend) ^ 2 + fail)
      / ((fail + mend) * (mend * (1 - 0.5) - fail * 0.5))
    assert.near(inside / 0.5 - 1, wait, 1e-12)
    assert.is_true(exact)
    between.exponential = nil
    assert.is_false(select(2, queueing.wait(broken)))
  end)

  it("give processor sharing one server's speed", function()
    local wait, exact = queueing.wait(station(0.5, 1, 4, math.huge, { discipline = "ps" }))
    assert.near(1, wait, 1e-12)
    assert.is_true(exact)
    assert.equal(math.huge, (queueing.wait(station(1.5, 1, 1, 4, { discipline = "ps" }))))
  end)
end)

--- M/M/1 as a model table; fields of the class and the model can be replaced.
local function model(fields)
  local made = {
    name = "mm1", duration = 100, gpus = {}, links = {}, memories = {}, groups = {},
    stations = { { name = "cpu", lane = "CPU", servers = 1, discipline = "fifo" } },
    classes = { {
      name = "default", attrs = {}, slo = {},
      arrivals = { kind = "renewal", gap = { dist = "exponential", mean = 0.1 } },
      route = { { op = "serve", name = "work", lane = "CPU", station = 1,
        cost = { "draw", { dist = "exponential", mean = 0.08 } } } },
    } },
  }
  for key, value in pairs(fields or {}) do
    made[key] = value
  end
  return made
end

describe("the offered load", function()
  it("of M/M/1 is exact", function()
    local offered = load.of(model())
    local station = offered.stations[1]
    assert.near(0.8, station.utilization, 1e-12)
    assert.near(0.32, station.wait_s, 1e-12)
    assert.is_true(station.wait_exact)
    assert.near(0.08, offered.classes[1].unloaded_s, 1e-12)
    local bounds = explain.bounds(offered)
    assert.near(12.5, bounds.saturation_rps, 1e-9)
    assert.near(0.32, bounds.expected_wait_s, 1e-12)
    assert.is_true(bounds.exact)
  end)

  it("follows branches, loops and forks", function()
    local made = model()
    local function work(seconds)
      return { op = "serve", name = "work", lane = "CPU", station = 1, cost = seconds }
    end
    made.classes[1].route = {
      { op = "branch", choices = { { p = 0.25, steps = { work(0.01) } },
        { p = 0.75, steps = {} } } },
      { op = "loop", again = 0.5, max = 100, steps = { work(0.02) } },
      { op = "loop", times = 3, max = 100, steps = { work(0.001) } },
      { op = "fork", branches = { { work(0.004) }, { { op = "delay", cost = 0.01 } } } },
    }
    local offered = load.of(made)
    assert.near(10 * (0.25 + 2 + 3 + 1), offered.stations[1].rate, 1e-9)
    assert.near(0.0025 + 0.04 + 0.003 + 0.01, offered.classes[1].unloaded_s, 1e-9)
    assert.near(10 * (0.0025 + 0.04 + 0.003 + 0.004), offered.stations[1].utilization, 1e-9)
  end)

  it("takes transfers at the speed of link and engine", function()
    local made = model { links = { { name = "pcie", bandwidth = 10e9 } } }
    made.stations[1] = { name = "h2d", lane = "H2D", servers = 1, link = 1, rate = 5e9 }
    made.classes[1].route[1].cost = 1e8
    assert.near(0.2, load.of(made).stations[1].utilization, 1e-12)
  end)

  it("counts full batches", function()
    local made = model()
    made.classes[1].route[1].batch = { max = 8, wait = 0.01 }
    made.classes[1].route[1].cost = { "add", 0.1, { "mul", 0.01, { "batch" } } }
    local station = load.of(made).stations[1]
    assert.near(10 / 8 * 0.18, station.utilization, 1e-12)
    assert.is_true(station.mean_batch > 1 and station.mean_batch < 8)
    -- Nobody else comes: a batch of one.
    assert.near(0.11, load.of(made).classes[1].unloaded_s, 1e-12)
    assert.is_false(station.wait_exact)
  end)

  it("shares GPUs by the router", function()
    local function fleet(router, weights)
      local made = model {
        gpus = { { name = "a", params = { speed = 1 } }, { name = "b", params = { speed = 3 } } },
        groups = { { name = "pool", members = { 1, 2 }, router = router, weights = weights } },
        stations = {
          { name = "a gpu", lane = "GPU", gpu = 1, servers = 1, discipline = "fifo" },
          { name = "b gpu", lane = "GPU", gpu = 2, servers = 1, discipline = "fifo" },
        },
      }
      made.classes[1].route = { { op = "route", group = 1 },
        { op = "serve", name = "compute", lane = "GPU", role = "gpu", gpus = 1,
          cost = { "div", 0.1, { "gpu", "speed" } } } }
      local stations = load.of(made).stations
      return stations[1].rate, stations[2].rate, stations[1].utilization, stations[2].utilization
    end
    assert.same({ 5, 5 }, { (fleet "round_robin"), (select(2, fleet "round_robin")) })
    local first, second = fleet("weighted", { 1, 4 })
    assert.near(2, first, 1e-12)
    assert.near(8, second, 1e-12)
    -- All of a request's steps go where its computing goes, whatever their own speed.
    local _, _, busy_a, busy_b = fleet "least_outstanding"
    assert.near(busy_a, busy_b, 1e-12)
    assert.near(0.25, busy_a, 1e-12)
  end)

  it("loses the capacity that is being repaired", function()
    local made = model()
    made.stations[1].mtbf = { dist = "exponential", mean = 90 }
    made.stations[1].mttr = { dist = "exponential", mean = 10 }
    assert.near(0.8 / 0.9, load.of(made).stations[1].utilization, 1e-12)
  end)

  it("knows the rates of arrival processes", function()
    local cases = {
      { { kind = "constant", rps = 5 }, 5 },
      { { kind = "mmpp", states = { 10, 1, 0, 3 } }, 2.5 },
      { { kind = "curve", points = { 0, 0, 10, 20 } }, 10 },
      { { kind = "curve", points = { 0, 4, 5, 4 }, period = 10 }, 4 },
      { { kind = "list", times = { 0, 1, 2, 3, 4 } }, 1 },
      { { kind = "constant", rps = 5, batch = { dist = "constant", value = 3 } }, 15 },
    }
    for _, case in ipairs(cases) do
      assert.near(case[2], arrivals.rate(case[1]).rps, 1e-12)
    end
    assert.is_nil(arrivals.rate({ kind = "lua", fn = print }).rps)
  end)

  it("of a closed loop is what its users get through", function()
    local made = model()
    made.classes[1].arrivals = { kind = "closed", users = 2,
      think = { dist = "constant", value = 0.08 } }
    -- Two users and a mean as long as the service: idle, one and two there are as likely.
    local offered = load.of(made)
    local station, class = offered.stations[1], offered.classes[1]
    assert.near(0.8, station.busy, 1e-12)
    assert.near(10, class.rps, 1e-9)
    assert.near(0.04, station.wait_s, 1e-12)
    assert.is_true(station.wait_exact and class.rps_exact)
    assert.near(12.5, class.most_rps, 1e-9)
    -- Of a service that is not exponential, an estimate between the bounds.
    made.classes[1].route[1].cost = 0.08
    offered = load.of(made)
    assert.is_false(offered.stations[1].wait_exact)
    assert.is_true(offered.classes[1].rps > 10 and offered.classes[1].rps <= 12.5)
  end)

  it("of a loop never exceeds its bounds", function()
    for _, users in ipairs { 1, 3, 30, 1000000 } do
      for _, think in ipairs { 0, 0.1, 5 } do
        local made = model()
        made.classes[1].arrivals = { kind = "closed", users = users,
          think = { dist = "constant", value = think } }
        made.classes[1].route[1].cost = 0.08
        local class = load.of(made).classes[1]
        assert.is_true(class.rps <= class.most_rps * (1 + 1e-12), users .. " " .. think)
        assert.near(math.min(12.5, users / (think + 0.08)), class.most_rps, 1e-9)
        if users == 1 then assert.near(class.most_rps, class.rps, 1e-6) end
      end
    end
  end)

  it("knows the share of a round robin only where nobody else takes a turn", function()
    local made = model {
      gpus = { { name = "a", params = {} }, { name = "b", params = {} } },
      groups = { { name = "pool", members = { 1, 2 }, router = "round_robin" } },
      stations = {
        { name = "a gpu", lane = "GPU", gpu = 1, servers = 1, discipline = "fifo" },
        { name = "b gpu", lane = "GPU", gpu = 2, servers = 1, discipline = "fifo" },
      },
    }
    local class = made.classes[1]
    class.route = { { op = "route", group = 1 }, { op = "serve", name = "compute", lane = "GPU",
      role = "gpu", gpus = 1, cost = { "draw", { dist = "exponential", mean = 0.08 } } } }
    local station = load.of(made).stations[2]
    -- E2/M/1 at 0.4: σ = (1 + (1 - σ) / 0.8)^-2.
    local sigma = station.wait_s / (station.wait_s + 0.08)
    assert.near(sigma, (1 + (1 - sigma) / 0.8) ^ -2, 1e-9)
    assert.is_true(station.wait_exact)
    made.groups[1].router = "random"
    assert.is_true(load.of(made).stations[2].wait_s > station.wait_s)
    assert.is_true(load.of(made).stations[2].wait_exact)
    for _, router in ipairs { "least_outstanding", "shortest_queue", "power_of_two", "affinity" } do
      made.groups[1].router = router
      assert.is_false(load.of(made).stations[2].wait_exact, router)
    end
    made.groups[1].router = "round_robin"
    made.classes[2] = { name = "other", attrs = {}, slo = {}, arrivals = class.arrivals,
      route = { { op = "route", group = 1 }, { op = "delay", cost = 1 } } }
    assert.is_false(load.of(made).stations[2].wait_exact)
  end)

  it("is exact only where the stream that comes is known", function()
    local function exact_with(change)
      local made = model()
      change(made, made.classes[1])
      return load.of(made).stations[1].wait_exact
    end
    assert.is_true(exact_with(function() end))
    local distrust = {
      patience = function(_, class) class.patience = { dist = "constant", value = 9 } end,
      timeout = function(_, class) class.timeout = { dist = "constant", value = 9 } end,
      hooks = function(made) made.hooks = { admit = print } end,
      memory = function(_, class) table.insert(class.route, 1, { op = "seize", memory = 1 }) end,
      ["a step before"] = function(_, class)
        class.route[1].cost = 0.01
        table.insert(class.route, 1, class.route[1])
      end,
      batch = function(_, class) class.route[1].batch = { max = 2, wait = 0.01 } end,
      failures = function(made)
        made.stations[1].mtbf = { dist = "constant", value = 20 }
        made.stations[1].mttr = { dist = "constant", value = 2 }
      end,
      ["an attribute read twice"] = function(_, class)
        class.attrs = { n = { "draw", { dist = "exponential", mean = 0.04 } } }
        class.route[1].cost = { "add", { "attr", "n" }, { "attr", "n" } }
      end,
    }
    for name, change in pairs(distrust) do assert.is_false(exact_with(change), name) end
  end)

  it("says what it does not know", function()
    local made = model()
    made.classes[1].route[2] = { op = "process", fn = print }
    assert.is_false(load.of(made).complete)
    made = model()
    made.classes[1].arrivals = { kind = "lua", fn = print }
    assert.is_false(load.of(made).complete)
  end)
end)

describe("explain", function()
  local style = styles.new { unicode = true }

  it("says everything in words", function()
    local text = explain.text(model(), { style = style, file = "x.lua",
      settings = { "rps=10" } }):gsub("\n +", " ")
    for _, part in ipairs {
      "Poisson, 10 /s for 100 s, about 1,000 requests", "work  CPU   cpu",
      "cpu saturates first; it will be busy 80 % of the time", "The most it can carry is 12.5 /s",
      "A request that meets nobody takes 80 ms", "its mean latency is 400 ms",
      "Now simulate it: tandem run x.lua --set rps=10",
    } do
      assert.is_true(text:find(part, 1, true) ~= nil, part .. "\n" .. text)
    end
  end)

  it("says overload", function()
    local made = model()
    made.classes[1].arrivals.gap.mean = 0.05
    local text = explain.text(made, { style = style })
    assert.is_true(text:find("cpu is offered 160 % of what it can serve", 1, true) ~= nil, text)
    assert.is_true(text:find("grows without end", 1, true) ~= nil)
  end)

  it("never says that a limited queue, or one of users, grows without end", function()
    local limited, loop, patient = model(), model(), model()
    limited.classes[1].arrivals.gap.mean, limited.stations[1].queue = 0.02, 2
    loop.classes[1].arrivals = { kind = "closed", users = 50,
      think = { dist = "constant", value = 0.1 } }
    patient.classes[1].arrivals.gap.mean = 0.02
    patient.classes[1].patience = { dist = "constant", value = 0.2 }
    local wanted = { "find it full and are turned away", "no queue grows without end",
      "requests that give up keep its queue" }
    for index, made in ipairs { limited, loop, patient } do
      local text = explain.text(made, { style = style }):gsub("\n +", " ")
      assert.is_nil(text:find("will grow", 1, true), text)
      assert.is_nil(text:find(" grows without end\n", 1, true), text)
      assert.is_true(text:find(wanted[index], 1, true) ~= nil, text)
    end
  end)

  it("bounds what users get only where none of them may leave without an answer", function()
    local function said(change)
      local made = model()
      made.classes[1].arrivals = { kind = "closed", users = 50,
        think = { dist = "constant", value = 0.1 } }
      change(made)
      return (explain.text(made, { style = style }):gsub("\n +", " "))
    end
    local function has(text, part) return text:find(part, 1, true) ~= nil end
    assert.is_true(has(said(function() end), "never more than 12.5 /s"))
    for word, change in pairs { about = function(made) made.stations[1].queue = 2 end,
      ["at least"] = function(made)
        made.classes[1].patience = { dist = "constant", value = 1 }
      end } do
      local text = said(change)
      assert.is_true(has(text, "The 50 users ask for " .. word), text)
      assert.is_false(has(text, "cannot be less than"), text)
    end
    -- A loop that takes no time has no rate, rather than an endless one.
    local text = said(function(made)
      made.classes[1].arrivals.think.value, made.classes[1].route[1].cost = 0, 0
    end)
    assert.is_false(has(text, "∞ through"), text)
  end)

  it("is called with a scenario, too", function()
    local scenario = { model = function() return model() end }
    assert.equal(explain.text(model(), { style = style }), explain(scenario, { style = style }))
  end)

  it("gives numbers as JSON", function()
    local numbers = explain.numbers(model())
    assert.equal("tandem.explain/1", numbers.schema)
    assert.equal("cpu", numbers.bounds.bottleneck)
    local json = require "tandem.io.json"
    local text = json.encode(numbers, { lists = explain.lists })
    assert.equal(text, json.encode(explain.numbers(model()), { lists = explain.lists }))
  end)
end)
