-- The model table as C reads it (src/bind/model): what ops and stages become when a scenario is
-- lowered, and that a wrong table is one line with a key path, never more.
local core = require "tandem.core"
local describe_model = core.model_describe

local function exponential(mean) return { dist = "exponential", mean = mean } end

-- A small table with a station, a GPU and one class; `route` and `changes` replace parts.
local function model(route, changes)
  local m = {
    name = "small", duration = 10.0, attrs = { "ctx", "tokens" },
    gpus = { { name = "G", kind = "G", params = { flops = 1e12, memory = 1e9 } } },
    stations = {
      { name = "cpu", lane = "CPU", servers = math.huge, discipline = "fifo" },
      { name = "G h2d", lane = "H2D", gpu = 1, servers = 1, discipline = "fifo" },
      { name = "G gpu", lane = "GPU", gpu = 1, servers = 2, discipline = "priority", queue = 5 },
    },
    links = {}, memories = { { name = "G memory", gpu = 1, bytes = 1e9 } },
    groups = { { name = "gpu", members = { 1 }, router = "round_robin" } },
    classes = { { name = "default", arrivals = { kind = "renewal", gap = exponential(0.5) },
      attrs = { tokens = 100 }, priority = 0, route = route } },
  }
  for k, v in pairs(changes or {}) do m[k] = v end
  return m
end

local function serve(name, cost, station)
  return { op = "serve", name = name, lane = "CPU", station = station or 1, cost = cost }
end

-- "serve:a branch(2,4) jump 3 …": the ops in one line.
local function line(d)
  local out = {}
  for i, op in ipairs(d.ops) do
    local text = op.op
    if op.name then text = text .. ":" .. op.name end
    if op.choices then
      local targets = {}
      for k, choice in ipairs(op.choices) do targets[k] = choice.target end
      text = ("%s(%s)"):format(text, table.concat(targets, ","))
    end
    if op.target then text = text .. ">" .. op.target end
    out[i] = text
  end
  return table.concat(out, " ")
end

local function ops(route) return line(assert(describe_model(model(route)))) end

local function refused(m)
  local d, message, status = describe_model(m)
  assert.is_nil(d)
  assert.is_nil(message:find("\n", 1, true))
  assert.equal(1, status)
  return message
end

describe("a route", function()
  it("is a line of serves and delays, then the end", function()
    assert.equal("serve:a delay:b serve:c end", ops { serve("a", 1e-3),
      { op = "delay", name = "b", cost = 2 }, serve("c", 1) })
    assert.equal("end", ops {})
  end)

  it("branches with cumulative probabilities and a rest", function()
    local d = describe_model(model { { op = "branch", choices = {
      { p = 0.25, steps = { serve("a", 1) } }, { p = 0.5, steps = {} } } }, serve("z", 1) })
    assert.equal("branch(2,4,5) serve:a jump>5 jump>5 serve:z end", line(d))
    assert.same({ 0.25, 0.75, 1.0 }, { d.ops[1].choices[1].cumulative,
      d.ops[1].choices[2].cumulative, d.ops[1].choices[3].cumulative })
  end)

  it("has no rest when the probabilities sum to 1 but for rounding", function()
    local choices = {}
    for i = 1, 10 do choices[i] = { p = 0.1, steps = { serve("s" .. i, 1) } } end
    local d = describe_model(model { { op = "branch", choices = choices } })
    assert.equal(10, #d.ops[1].choices)
    assert.equal(1.0, d.ops[1].choices[10].cumulative)
    assert.matches("more than 1", refused(model { { op = "branch", choices = {
      { p = 0.7, steps = {} }, { p = 0.4, steps = {} } } } }))
  end)

  it("loops by probability and by number", function()
    local d = describe_model(model { { op = "loop", again = 0.5, max = 7, steps = {
      serve("a", 1), { op = "loop", times = { "attr", "tokens" }, max = 9,
        steps = { serve("b", 1) } } } } })
    assert.equal("enter>7 serve:a enter>6 serve:b loop>4 loop>2 end", line(d))
    local outer, inner = d.ops[1], d.ops[3]
    assert.equal(0.5, outer.again)
    assert.equal(7, d.ops[6].max)
    assert.is_nil(inner.again)
    assert.equal("expression", inner.times.kind)
    assert.same({ 3, 4, 4, 3 }, { outer.slot, inner.slot, d.ops[5].slot, d.ops[6].slot })
    assert.is_true(outer.draws ~= inner.draws)
    assert.equal(4, d.slots)
  end)

  it("loops with any probability, but not for ever, nor by both", function()
    local function loop(more)
      local op = { op = "loop", steps = { serve("a", 1) } }
      for k, v in pairs(more) do op[k] = v end
      return model { op }
    end
    for _, more in ipairs { { again = 0 }, { again = 1, max = 3 } } do
      assert.equal("enter>4 serve:a loop>2 end", line(assert(describe_model(loop(more)))))
    end
    for _, more in ipairs { {}, { again = 0, times = 2 }, { again = 1.5, max = 3 } } do
      assert.matches("wants times, or again from 0 to 1, not both", refused(loop(more)), 1, true)
    end
    assert.matches("would never end: wants max", refused(loop { again = 1 }), 1, true)
  end)

  it("forks to a continuation, each branch ending in a join", function()
    assert.equal("fork(2,6)>7 fork(3)>5 serve:a join join join serve:z end",
      ops { { op = "fork", branches = {
        { { op = "fork", branches = { { serve("a", 1) } } } }, {} } }, serve("z", 1) })
  end)

  it("pairs a release with the latest seize of the same memory", function()
    local seize = { op = "seize", memory = 1, bytes = { "attr", "ctx" } }
    local own = { op = "seize", role = "memory", bytes = 5 }
    local d = describe_model(model { seize, own, { op = "release", memory = 1 },
      { op = "release", role = "memory" } })
    assert.same({ 3, 4, 3, 4 }, { d.ops[1].slot, d.ops[2].slot, d.ops[3].slot, d.ops[4].slot })
    assert.equal(1, d.ops[1].memory)
    assert.is_nil(d.ops[2].memory)
    assert.matches("route%[1%]: releases a memory",
      refused(model { { op = "release", memory = 1 } }))
  end)

  it("gives a process a stage on every station", function()
    local function fn() end
    local d = describe_model(model { serve("a", 1), { op = "process", name = "p", fn = fn } })
    assert.equal(1, d.ops[2]["function"])
    assert.equal(2, d.ops[2].stage)
    assert.same({ "cpu", "G h2d", "G gpu" },
      { d.stages[2].name, d.stages[3].name, d.stages[4].name })
    assert.equal("given", d.stages[4].cost.kind)
    assert.equal(fn, d.functions[1])
  end)

  it("serves a role on the GPUs of a group", function()
    local d = describe_model(model { { op = "route", group = 1 },
      { op = "serve", name = "x", role = "gpu", lane = "GPU", cost = 1,
        batch = { max = 4, wait = 0.25 } },
      { op = "serve", name = "y", role = "h2d", gpus = 1, lane = "H2D", cost = 1,
        batch = { max = 4, static = true } },
      { op = "serve", name = "z", role = "h2d", gpus = 1, lane = "H2D", cost = 1,
        batch = { max = 4 } } })
    assert.equal("route serve:x serve:y serve:z end", line(d))
    assert.same({ "gpu", 1, nil, 0.25 },
      { d.stages[1].role, d.stages[1].group, d.stages[1].station, d.stages[1].batch_wait_s })
    assert.equal(math.huge, d.stages[2].batch_wait_s)
    assert.equal(0, d.stages[3].batch_wait_s)
    local d2h = { op = "serve", name = "y", role = "d2h", lane = "D2H", cost = 1 }
    local to_gpu = { op = "route", group = 1 }
    assert.matches("y: G has no such engine", refused(model { to_gpu, d2h }))
    assert.matches("%[1%]: a role before", refused(model { d2h }))
  end)

  it("asks for GPU parameters only where there is a GPU", function()
    local flops = { "gpu", "flops" }
    local to_gpu = { op = "route", group = 1 }
    assert.equal("serve:a end", ops { serve("a", flops, 3) })
    assert.equal("route delay:d end", ops { to_gpu, { op = "delay", name = "d", cost = flops } })
    assert.matches("%[1%]: cost asks for a GPU", refused(model { serve("a", flops) }))
    assert.matches("%[2%]: times asks for a GPU", refused(model {
      { op = "branch", choices = { { p = 0.5, steps = { to_gpu } } } },
      { op = "loop", times = flops, steps = {} } }))
    local m = model {}
    m.classes[1].attrs.ctx = flops
    assert.matches("classes%[1%].attrs: \"ctx\" is set at arrival", refused(m))
  end)
end)

describe("a cost", function()
  local function cost(c, jitter)
    local step = serve("s", c, 3)
    step.jitter = jitter
    return assert(describe_model(model { step })).stages[1].cost
  end

  it("takes its fast path where there is one", function()
    assert.same({ kind = "constant", value = 6.0 }, cost { "mul", 2, { "add", 1, 2 } })
    assert.same({ kind = "exponential", mean = 0.5 }, cost(exponential(0.5)))
    assert.same({ kind = "exponential", mean = 1.5 }, cost { "mul", 3,
      { "draw", exponential(0.5) } })
    assert.same({ kind = "exponential", mean = 2.0, jitter = "exponential, mean 1" },
      cost(2, exponential(1)))
    assert.equal("expression", cost { "div", { "attr", "tokens" }, { "gpu", "flops" } }.kind)
    assert.equal("expression", cost { "mul", exponential(1), { "attr", "ctx" } }.kind)
    assert.same({ kind = "constant", value = 1.5 }, cost { "interp", 5, { 0, 1, 10, 2 } })
  end)

  it("may be a function, numbered in order of meeting and once", function()
    local function f() end
    local function g() end
    local d = describe_model(model({ serve("a", g), serve("b", f), serve("c", { fn = g }),
      serve("d", { dist = "lua", fn = f }) }, { hooks = { tick = f, tick_s = 2, admit = g } }))
    assert.same({ 1, 2, 1 }, { d.stages[1].cost["function"], d.stages[2].cost["function"],
      d.stages[3].cost["function"] })
    assert.equal("expression", d.stages[4].cost.kind)
    assert.same({ g, f }, d.functions)
    assert.same({ tick = 2, admit = 1 }, d.hooks)
    assert.equal(2.0, d.tick_s)
    assert.is_nil(describe_model(model {}).tick_s)
  end)

  it("knows every distribution", function()
    local function lua_draw(u) return u end
    for _, dist in ipairs {
      { dist = "constant", value = 1 }, { dist = "uniform", min = 1, max = 2 }, exponential(1),
      { dist = "normal", mean = 1, sd = 0.1 }, { dist = "lognormal", mean = 1, cv = 1 },
      { dist = "lognormal", p50 = 0.02, p999 = 0.11 }, { dist = "gamma", mean = 1, cv = 2 },
      { dist = "erlang", k = 3, mean = 1 }, { dist = "weibull", mean = 1, cv = 0.5 },
      { dist = "hyperexponential", weights = { 1, 3 }, means = { 1, 2 } },
      { dist = "weibull", shape = 2, scale = 1 }, { dist = "pareto", min = 1, max = 9, alpha = 2 },
      { dist = "zipf", n = 10, s = 1.1 }, { dist = "empirical", values = { 1, 2, 5 } },
      { dist = "empirical", values = { 1, 2 }, weights = { 1, 9 } },
      { dist = "histogram", edges = { 0, 1, 2 }, counts = { 3, 4 } },
      { dist = "mixture", weights = { 1, 1 }, parts = { exponential(1), { dist = "mixture",
        weights = { 2 }, parts = { exponential(3) } } } },
      { dist = "lua", fn = lua_draw },
    } do
      assert.is_table(cost(1, dist), dist.dist)
    end
  end)

  it("may be nested as deep as anyone writes, and no deeper", function()
    local deep = { "attr", "tokens" }
    for _ = 1, 3000 do deep = { "add", deep, { "attr", "ctx" } } end
    assert.equal("expression", cost(deep).kind)
    for _ = 1, 3000 do deep = { "sqrt", deep } end
    assert.matches("nested more than", refused(model { serve("s", deep) }))
    local loop = {}
    loop[1], loop[2] = "neg", loop
    assert.matches("nested more than", refused(model { serve("s", loop) }))
  end)
end)

describe("the model", function()
  it("counts what it was given", function()
    local d = describe_model(model { serve("a", 1) })
    assert.same({ 1, 3, 0, 1, 1, 2 },
      { d.gpus, d.stations, d.links, d.memories, d.groups, d.slots })
    assert.same({ "ctx", "tokens" }, d.attrs)
    assert.same({ "flops", "memory" }, d.params)
    assert.equal(10.0, d.duration_s)
    assert.is_nil(d.requests)
    assert.same({ { name = "default", entry = 1, rps = 2.0 } }, d.classes)
  end)

  it("unites the parameters of all GPUs, sorted", function()
    local m = model({}, { stations = {}, memories = {} })
    m.gpus[2] = { name = "H", kind = "H", params = { zeta = 1, alpha = 2, flops = 3, word = "x" } }
    m.groups[1] = { name = "gpu", members = { 1, 2 }, router = "weighted", weights = { 1, 3 } }
    assert.same({ "alpha", "flops", "memory", "zeta" }, describe_model(m).params)
  end)

  it("knows every arrival process", function()
    local function gap() return 1 end
    for kind, more in pairs {
      constant = { rps = 4 }, renewal = { gap = 0.25, batch = exponential(2) },
      mmpp = { states = { 8, 1, 0, 1 } },
      curve = { points = { 0, 4, 10, 4 }, period = 10 }, closed = { users = 3, think = 1 },
      list = { times = { 0.25, 0.5, 0.75, 1 }, attrs = { tokens = { 1, 2, 3, 4 } } },
      lua = { fn = gap },
    } do
      more.kind = kind
      local m = model {}
      m.classes[1].arrivals = more
      local d, message = describe_model(m)
      assert.is_nil(message)
      local known = { constant = 4, renewal = 8, mmpp = 4, curve = 4, list = 4 }
      assert.near(known[kind] or 0, d.classes[1].rps, 1e-9, kind)
    end
  end)

  it("lasts until the last class ends", function()
    local m = model {}
    m.duration = nil
    m.classes[2] = { name = "b", arrivals = { kind = "constant", rps = 1, duration = 60 },
      route = {} }
    m.classes[1].arrivals.duration = 60
    assert.equal(60.0, describe_model(m).duration_s)
    m.classes[1].arrivals.duration = 50
    assert.equal(60.0, describe_model(m).duration_s)
  end)

  it("is what the lower of a scenario says", function()
    local td, lower = require "tandem", require "tandem.lower"
    local demo = td.scenario "demo" {
      workload = td.poisson { rps = 2, duration = "10s" },
      target = td.gpu "L40" { concurrency = 4 },
      pipeline = {
        td.fixed "preprocess" { time = "2ms", jitter = 0.05 },
        td.transfer "h2d" { bytes = "8MiB" },
        td.tokens "compute" { tokens = 128 },
        td.transfer "d2h" { bytes = "2MiB" },
        td.fixed "postprocess" { time = "1ms" },
      },
    }
    local d = assert(describe_model(lower.model(demo.checked)))
    assert.equal("serve:preprocess serve:h2d serve:compute serve:d2h serve:postprocess end",
      line(d))
    assert.same({ "CPU", "H2D", "GPU", "D2H", "CPU" }, { d.stages[1].lane, d.stages[2].lane,
      d.stages[3].lane, d.stages[4].lane, d.stages[5].lane })
    assert.equal("default/preprocess", d.stages[1].stream)
  end)
end)

describe("a wrong model", function()
  it("is named by its key path", function()
    local message = refused(model { serve("a", 1), serve("b", { "add", 1, { "attr", "tokns" } }) })
    assert.equal("model.classes[1].route[2].cost[3][2]: "
      .. "this model has no request attribute \"tokns\"", message)
    assert.equal("model.classes[1].route[1].cost: there is no operator \"plus\"",
      refused(model { serve("a", { "plus", 1, 2 }) }))
    assert.equal("model.classes[1].route[1].cost: is missing",
      refused(model { serve("a", nil) }))
    assert.equal("model.classes[1].route[1].jitter.parts[2]: there is no distribution \"normul\"",
      refused(model { { op = "serve", name = "a", station = 1, cost = 1, jitter = {
        dist = "mixture", weights = { 1, 1 },
        parts = { exponential(1), { dist = "normul" } } } } }))
    assert.equal("model.classes[1].route[1].station: number 9 does not exist, there are 3",
      refused(model { serve("a", 1, 9) }))
    assert.equal("model.classes: a table was expected, not a string",
      refused(model({}, { classes = "x" })))
    assert.matches("^model: a model needs a class", refused(model({}, { classes = {} })))
    assert.matches("^model.hooks.tick: a function", refused(model({}, { hooks = { tick = 1 } })))
    assert.equal("model: requests must be a whole number from 1, not 0.5",
      refused(model({}, { requests = 0.5 })))
  end)

  -- A field at the edge of what it may be, and the first value beyond.
  it("is refused at the first value that a field may not have", function()
    local S <const>, A <const> = "model.stations[1]", "model.classes[1].arrivals"
    local function station(key, value)
      local m = model { serve("a", 1) }
      m.stations[1][key] = value
      return m
    end
    local function arrivals(key, value, more)
      local m = model { serve("a", 1) }
      local a = { kind = "renewal", gap = exponential(0.5) }
      for k, v in pairs(more or {}) do a[k] = v end
      a[key] = value
      m.classes[1].arrivals = a
      return m
    end
    local function member(key, value, more)
      local m = model { serve("a", 1) }
      for k, v in pairs(more or {}) do m.groups[1][k] = v end
      m.groups[1][key] = value
      return m
    end
    local function count(value) return function(key) return station(key, value) end end
    local function list(key, value)
      return arrivals(key, value, { kind = "list", times = { 0 } })
    end
    local function rows(key, value)
      return arrivals("rows", { count = 2, attrs = { tokens = { 1, 2 } }, [key] = value })
    end
    local function link(value)
      return model({ serve("a", 1) }, { links = { { name = "l", bandwidth = value } } })
    end
    local function memory(value)
      return model({ serve("a", 1) }, { memories = { { name = "m", gpu = 1, bytes = value } } })
    end
    local function rule(key, value)
      local of = { metric = "queue", every_s = 1 }
      of[key] = value
      return member("scaling", of)
    end
    local function batch(preferred)
      local op = serve("a", 1)
      op.batch = { max = 8, preferred = preferred }
      return model { op }
    end
    local sizes <const> = "model.classes[1].route[1].batch: preferred sizes must rise, between 1 "
      .. "and max"
    local R <const> = "model.groups[1].scaling"
    local steps <const> = R .. ": steps: rising times from 0, and from 1 to 1 GPUs, are wanted"
    local below <const> = ": must be at least 0 seconds, not -1e-09"
    local whole <const> = "must be a whole number from 0 to 4294967294, not "
    local cases <const> = {
      { count(0) "queue" }, { count(4294967294) "servers" }, { count(math.huge) "servers" },
      { count(4294967295) "servers", S .. ".servers: " .. whole .. "4294967295" },
      { count(-1) "servers", S .. ".servers: " .. whole .. "-1" },
      { count(1.5) "queue", S .. ".queue: " .. whole .. "1.5" },
      { count(-math.huge) "queue", S .. ".queue: " .. whole .. "-inf" },
      { station("gpu", 0), S .. ".gpu: number 0 does not exist, there are 1" },
      { station("gpu", 2), S .. ".gpu: number 2 does not exist, there are 1" },
      { station("rate", 0) }, { station("rate", math.huge) },
      { station("rate", -1e-9), S .. ": rate must be at least 0 bytes/s" },
      { station("replica", 1), S .. ".replica: true or false was expected, not a number" },
      { station("discipline", "lifo") },
      { station("discipline", "fil"), S .. ": discipline: \"fil\" is unknown" },
      { link(1e-9) }, { link(0), "model.links[1]: bandwidth must be above 0 bytes/s" },
      { memory(1e-9) }, { memory(0), "model.memories[1]: bytes must be above 0" },
      { arrivals("start", 0) },
      { arrivals("start", -1e-9), A .. ".start: must be at least 0 seconds, not -1e-09" },
      { arrivals("requests", 1) }, { arrivals("requests", 2 ^ 53) },
      { arrivals("requests", 2 ^ 54), A .. ": requests must be a whole number from 1, not "
        .. "1.8014398509482e+16" },
      { arrivals("requests", -1), A .. ": requests must be a whole number from 1, not -1" },
      { arrivals("rps", 1e-9, { kind = "constant" }) },
      { arrivals("rps", 0, { kind = "constant" }), A .. ": rps must be above 0, not 0" },
      { arrivals("users", 3, { kind = "closed", think = exponential(1) }) },
      { arrivals("users", math.huge, { kind = "closed", think = exponential(1) }),
        A .. ": users must be finite" },
      { arrivals("points", { 0, 1, 2, 3 }, { kind = "curve" }) },
      { arrivals("points", { 0, 1, 2 }, { kind = "curve" }),
        A .. ": points wants pairs of numbers" },
      { arrivals("states", {}, { kind = "mmpp" }), A .. ".states: is empty" },
      { list("times", { 0, 0, 5 }) },
      { list("times", { 0, -1e-9 }), A .. ": time 2 is below 0" },
      { list("times", {}), A .. ".times: is empty" },
      { list("times", { 0, "x" }), A .. ".times: item 2 is not a number" },
      { rows("turns", { 0, 1 }) },
      { rows("turns", { 0, -1 }), A .. ".rows: turns: item 2 is not a whole number from 0" },
      { rows("turns", { 0.5 }), A .. ".rows: turns: item 1 is not a whole number from 0" },
      { rows("attrs", { tokens = { 1 } }), A .. ".rows.attrs: \"tokens\" has 1 values for 2 rows" },
      { rows("blocks", { tokens = 1, runs = { 0, 1, 7, 1 }, ends = { 0, 2 } }) },
      { rows("blocks", { tokens = 2 ^ 30, runs = { 0, 1, 7, 1 }, ends = { 1, 2 } }) },
      { rows("blocks", { tokens = 0.5, runs = { 0, 1 }, ends = { 0, 1 } }),
        A .. ".rows.blocks: tokens is not a number from 1" },
      { rows("blocks", { tokens = 2 ^ 31, runs = { 0, 1 }, ends = { 0, 1 } }),
        A .. ".rows.blocks: tokens is not a number from 1" },
      { rows("blocks", { tokens = 1, runs = { 0, 1, 7, 1 }, ends = { 1, 3 } }),
        A .. ".rows.blocks: end 2 is not an id" },
      { rows("blocks", { tokens = 1, runs = { 0, 1, 7, 1 }, ends = { -1, 2 } }),
        A .. ".rows.blocks: end 1 is not an id" },
      { rows("blocks", { tokens = 1, runs = { 0, 2 }, ends = { 0, 2 } }) },
      { rows("blocks", { tokens = 1, runs = { 0 }, ends = { 0, 1 } }),
        A .. ".rows.blocks: runs wants pairs of numbers" },
      { rows("blocks", { tokens = 1, runs = { 2 ^ 32 - 1, 2 }, ends = { 0, 1 } }),
        A .. ".rows.blocks: runs: too large an id" },
      { rows("blocks", { tokens = 1, runs = { 0, 1 }, ends = { 1 } }),
        A .. ".rows.blocks: 1 ends for 2 rows" },
      { member("members", { 2 }), "model.groups[1]: member 1 is not a GPU, there are 1" },
      { member("members", { 1, 0 }), "model.groups[1]: member 2 is not a GPU, there are 1" },
      { member("members", { 1.5 }), "model.groups[1]: member 1 is not a GPU, there are 1" },
      { member("weights", { 1 }, { router = "weighted" }) },
      { member("weights", { 1, 1 }, { router = "weighted" }),
        "model.groups[1]: 2 weights for 1 members" },
      { member("weights", { 0 }, { router = "weighted" }),
        "model.groups[1]: weights must not all be 0" },
      { member("weights", { -1 }, { router = "weighted" }),
        "model.groups[1]: weight 1 must be finite and at least 0" },
      { member("weights", { math.huge }, { router = "weighted" }),
        "model.groups[1]: weight 1 must be finite and at least 0" },
      { model { { op = "sreve" } }, 'model.classes[1].route[1]: there is no step "sreve"' },
      { model { {} }, 'model.classes[1].route[1]: there is no step ""' },
      { batch { 1 } }, { batch { 8 } }, { batch { 1, 2, 8 } }, { batch { 0 }, sizes },
      { batch { 9 }, sizes }, { batch { 2, 2 }, sizes }, { batch { 4, 2 }, sizes },
      { batch { 2, 9 }, sizes },
      { rule("steps", { 0, 1 }) }, { rule("steps", { 0, 1, 5, 1, 9, 1 }) },
      { rule("steps", { 1, 1 }), steps }, { rule("steps", { 0, 1, 0, 1 }), steps },
      { rule("steps", { 0, 1, 9, 1, 5, 1 }), steps }, { rule("steps", { 0, 2 }), steps },
      { rule("steps", { 0, 0 }), steps }, { rule("steps", {}), R .. ".steps: is empty" },
      { rule("steps", { 0 }), R .. ": steps are empty" },
      { rule("every_s", 1e-9) },
      { rule("every_s", 0), R .. ": every_s must be above 0" },
      { rule("up_after_s", 0) }, { rule("up_after_s", -1e-9), R .. ".up_after_s" .. below },
      { rule("down_after_s", 0) }, { rule("down_after_s", -1e-9), R .. ".down_after_s" .. below },
      { rule("delay_s", 0) }, { rule("delay_s", -1e-9), R .. ".delay_s" .. below },
      { rule("target", 1e-9) }, { rule("target", 0), R .. ": target must be above 0" },
      { rule("start", 1) }, { rule("start", 2), R .. ": wants min ≤ start ≤ the 1 replicas" },
      { rule("min", 2), R .. ": wants min ≤ start ≤ the 1 replicas" }, { rule("min", 0) },
      { model({ serve("a", 1) }, { hooks = { tick = print, tick_s = 0 } }),
        "model.hooks: tick_s must be above 0 seconds" },
      { model({ serve("a", 1) }, { hooks = { tick = print, tick_s = 1e-9 } }) },
    }
    for i, case in ipairs(cases) do
      local d, message = describe_model(case[1])
      assert.equal(case[2], message, "case " .. i)
      assert.equal(case[2] == nil, d ~= nil, "case " .. i)
    end
  end)

  -- Every leaf of a rich table replaced by everything it should not be: a description or one line,
  -- and (under the sanitizers) nothing lost.
  it("never does more harm than a message", function()
    local function fn() end
    local function rich()
      local m = model({
        { op = "route", group = 1 },
        { op = "serve", name = "a", lane = "GPU", role = "gpu", gpus = 1, jitter = exponential(1),
          cost = { "select", { "lt", { "batch" }, 3 }, { "sum", "ctx" }, { "interp", { "gpu",
            "flops" }, { 1, 2, 3, 4 } } }, batch = { max = 8, wait = 1, preferred = { 2, 4 } } },
        { op = "branch", choices = { { p = 0.5, steps = { serve("b", fn) } },
          { p = 0.25, steps = { { op = "delay", name = "d", cost = 1 } } } } },
        { op = "loop", again = 0.5, max = 10, steps = { serve("c", { "draw", { dist = "mixture",
          weights = { 1, 2 }, parts = { exponential(1), { dist = "empirical",
            values = { 1, 2 }, weights = { 1, 1 } } } } }) } },
        { op = "loop", times = { dist = "lua", fn = fn }, steps = {} },
        { op = "fork", branches = { { serve("e", 1) }, {} } },
        { op = "seize", memory = 1, bytes = { "attr", "ctx" } }, { op = "release", memory = 1 },
        { op = "process", fn = fn },
      }, { requests = 100, links = { { name = "pcie", bandwidth = 1e9 } },
        hooks = { tick = fn, tick_s = 1, admit = fn } })
      m.stations[2].link, m.stations[2].rate = 1, 1e9
      m.stations[1].mtbf, m.stations[1].mttr = exponential(10), 1
      m.gpus[1].mtbf, m.gpus[1].mttr = exponential(10), 1
      m.groups[1].weights, m.groups[1].key = { 1 }, "ctx"
      local c = m.classes[1]
      c.patience, c.timeout, c.slo_s = exponential(1), 5, 0.25
      c.retry = { max = 3, backoff = 0.1, factor = 2, jitter = 0.5 }
      for i, arrivals in ipairs { { kind = "list", times = { 1, 2 },
          rows = { count = 2, attrs = { ctx = { 1, 2 } }, turns = { 0, 1 },
            blocks = { tokens = 16, runs = { 7, 1 }, ends = { 1, 1 } } } },
        { kind = "mmpp", states = { 1, 1 } }, { kind = "closed", users = 2,
          think = exponential(1) }, { kind = "curve", points = { 0, 1, 1, 2 } },
        { kind = "lua", fn = fn, coroutine = true },
        { kind = "constant", rps = 1, start = 1, batch = 2 } } do
        m.classes[i + 1] = { name = "c" .. i, arrivals = arrivals, route = {} }
      end
      return m
    end
    assert.is_table(describe_model(rich()))

    -- Paths to every value of the table, tables too.
    local paths = {}
    local function walk(value, path)
      for k, v in pairs(value) do
        local here = table.move(path, 1, #path, 1, {})
        here[#here + 1] = k
        paths[#paths + 1] = here
        if type(v) == "table" then walk(v, here) end
      end
    end
    walk(rich(), {})
    assert.is_true(#paths > 200)
    local wrong = { false, true, "", "x", -1, 0, 0.5, 1e300, math.huge, -math.huge, 0 / 0, {},
      { 1 }, { "x" }, { false }, fn, io.stdout }
    local bad = 0
    for _, path in ipairs(paths) do
      for i = 0, #wrong do
        local m = rich()
        local at = m
        for k = 1, #path - 1 do at = at[path[k]] end
        if i == 0 then at[path[#path]] = nil else at[path[#path]] = wrong[i] end
        local d, message, status = describe_model(m)
        if not d then
          bad = bad + 1
          assert.matches("^model", message)
          assert.is_nil(message:find("\n", 1, true))
          assert.equal(1, status)
        end
      end
    end
    assert.is_true(bad > 2000)
  end)
end)
