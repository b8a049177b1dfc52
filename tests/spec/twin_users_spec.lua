-- More users and busier ones: what a twin knows of them, and what a plan makes of it.

local grown = require "tandem.plan.grown"
local td = require "tandem"

local USERS <const>, PREFIX <const> = 100, 1200

local function served(fields)
  local answer = { model = td.llm "Llama-3.1-8B", prefix = PREFIX, group = "user",
    engine = { server = "vllm", kv_blocks = 12000 },
    step = td.roofline { factor = 1.15, request = "8ms" } }
  for key, value in pairs(fields or {}) do answer[key] = value end
  return td.scenario "served" { target = td.gpu "H100 SXM" { count = 1 },
    workload = td.poisson { rps = 8, duration = 300 },
    attrs = { prompt_tokens = td.lognormal { mean = 1500, cv = 0.5 },
      output_tokens = td.gamma { mean = 120, cv = 0.7 }, user = td.zipf { n = USERS, s = 0 } },
    pipeline = { td.generate "answer" (answer) } }
end

local function cached(scenario)
  return assert(scenario:run { replications = 4, doubt = false }).llm[1].cached.value
end

describe("users of a twin", function()
  local path

  setup(function()
    path = os.tmpname()
    assert(served():run { replications = 1, seed = 3, warmup = "none", metrics = path })
  end)
  teardown(function() os.remove(path) end)

  it("have the prefix that makes the hits right, and more of them find less", function()
    local answer = assert(td.twin { files = { path }, gpu = "H100 SXM", users = USERS })
    local by_name = {}
    for _, p in ipairs(answer.parameters) do by_name[p.name] = p end
    assert.equal(USERS, by_name.users.value)
    assert(math.abs(by_name.prefix.value / PREFIX - 1) < 0.1, by_name.prefix.value)
    local twin, real = answer.scenario, served()
    assert(math.abs(cached(twin) - cached(real)) < 0.06)
    -- The server itself, of which all is known, answers what twice the users would find.
    local more = { ["attrs.user.n"] = 2 * USERS }
    assert(math.abs(cached(twin:with(more)) - cached(real:with(more))) < 0.06)
    assert(cached(twin:with(more)) < cached(twin) - 0.1)
    assert.matches("user = td.zipf { n = 100, s = 0 }", (assert(answer:source())), 1, true)
    assert.matches("recorded", tostring(answer), 1, true)
  end)

  it("are not identifiable where nobody says how many they were", function()
    local answer = assert(td.twin { files = { path }, gpu = "H100 SXM" })
    local found
    for _, p in ipairs(answer.parameters) do
      found = found or p.name == "more users or busier ones" and p.why
    end
    assert.matches("do not say who found what", found, 1, true)
    assert.is_true(grown.users(answer.scenario).alike)
  end)

  it("are refused where they cannot find so much", function()
    local none, message, code = td.twin { files = { path }, gpu = "H100 SXM", users = 100000 }
    assert.is_nil(none)
    assert.equal(3, code)
    assert.matches("do not find", message, 1, true)
  end)

  it("are asked of td.twin with options that it has", function()
    assert.has_error(function() td.twin { files = { path }, gqu = "H100" } end)
    assert.has_error(function() td.twin { gpu = "H100" } end)
    local _, message, code = td.twin { files = { path }, gpu = "H1000" }
    assert.equal(2, code)
    assert.matches("unknown GPU", message, 1, true)
  end)
end)

describe("a plan for more traffic", function()
  local function plan(options)
    options.scenario = options.scenario or served()
    options.slo, options.replications, options.doubt = { ttft_p99 = "5s" }, 8, false
    options.sensitivity = false
    return td.plan.gpus(options)
  end

  it("has a row of more users and one of busier ones, which differ in the users", function()
    local users = grown.users(served())
    assert.same({ path = "attrs.user.n", count = USERS, alike = false }, users)
    assert.same({ ["attrs.user.n"] = 150 }, (grown.change(users, "users", 1.5)))
    assert.same({}, (grown.change(users, "busier", 1.5)))
    local answer = plan { users = "1.5x", busier = { 1.5 } }
    local rows = answer.rows
    assert.equal(2, #rows)
    for _, row in ipairs(rows) do assert(math.abs(row.load - 12) < 1e-9) end
    assert(rows[1].figures[1].value > 1.1 * rows[2].figures[1].value)
    assert.matches("attrs.user.n grows with the load", tostring(answer:report()), 1, true)
  end)

  it("says so where both are the same, and what cannot be asked together", function()
    local alone = served { group = 1 }
    assert.matches("nothing says how many users there are", grown.note(grown.users(alone)), 1, true)
    assert.matches("no request shares", grown.note(grown.users(td.scenario "plain" {
      workload = td.poisson { rps = 1, requests = 9 },
      pipeline = { td.delay "x" { time = 1 } } })), 1, true)
    for _, options in ipairs { { users = "2x", load = "9rps" }, { users = "twice" },
      { busier = 0 } } do
      assert.is_false((pcall(plan, options)))
    end
  end)
end)
