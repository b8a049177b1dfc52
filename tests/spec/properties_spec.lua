-- What must hold of every scenario, tried on many random ones.

local core = require "tandem.core"
local json = require "tandem.io.json"
local random = require "tests.spec.support.random_scenarios"
local result = require "tandem.result"
local sandbox = require "tandem.sandbox"

local count = 200
local scenarios = {}
for n = 1, count do scenarios[n] = random.scenario(n) end

local function run(s, options)
  options = options or {}
  options.seed = options.seed or 11
  options.replications = options.replications or 2
  options.threads = options.threads or 1
  options.warmup = options.warmup or s.warmup or "auto"
  return assert(core.run(s:model(), options))
end

local function text(r) return json.encode(setmetatable(r, nil)) end

-- Where two runs that should be the same first differ.
local function assert_same(n, wanted, got, what)
  if wanted == got then return end
  local at = 1
  while wanted:byte(at) == got:byte(at) do at = at + 1 end
  error(("scenario %d, %s: %s ≠ %s"):format(n, what, wanted:sub(at - 60, at + 30),
    got:sub(at - 60, at + 30)), 2)
end

local function must(condition, n, message, ...)
  if not condition then error(("scenario %d: "):format(n) .. message:format(...), 2) end
end

-- One run of each, shared by the tests below that only look.
local runs, texts = {}, {}
for n, s in ipairs(scenarios) do
  runs[n] = run(s)
  texts[n] = text(runs[n])
end

describe("every run", function()
  it("conserves requests and keeps Little's law", function()
    local completed, lost = 0, 0
    for n, r in ipairs(runs) do
      must(r.checks.ok and r.checks.conservation, n, "checks: %s", json.encode(r.checks))
      for _, class in ipairs(r.classes) do
        completed = completed + class.completed
        lost = lost + class.dropped + class.abandoned + class.timed_out
        must(class.completed + class.dropped + class.abandoned + class.timed_out
          <= class.arrived, n, "class %s: more leave than came", class.name)
      end
    end
    -- The scenarios do try what they are made to try.
    assert.is_true(completed > 10000)
    assert.is_true(lost > 1000)
  end)

  it("uses no resource more than it is there", function()
    for n, r in ipairs(runs) do
      for _, resource in ipairs(r.resources) do
        local u = resource.utilization and resource.utilization.value
        must(not u or (u >= 0 and u <= 1 + 1e-12), n, "%s is used %s", resource.name, u)
        must(resource.queue.value >= 0, n, "%s: queue", resource.name)
      end
    end
  end)

  it("has latencies in order", function()
    for n, r in ipairs(runs) do
      local l = r.latency
      if l and l.mean then
        local last = l.min
        for _, q in ipairs { "p50", "p90", "p95", "p99", "p999" } do
          must(l[q].value >= last - 1e-12, n, "%s = %s is below %s", q, l[q].value, last)
          last = l[q].value
        end
        must(l.max >= last - 1e-12, n, "max %s is below p999 %s", l.max, last)
        must(l.mean.value >= l.min - 1e-12 and l.mean.value <= l.max + 1e-12, n, "mean %s",
          l.mean.value)
      end
    end
  end)
end)

describe("the same seed gives the same bytes", function()
  for what, options in pairs { ["again, on two threads"] = { threads = 2 },
    ["with a trace"] = { trace = true },
    ["with the ladder from the start"] = { heap_limit = 1 } } do
    it(what, function()
      for n, s in ipairs(scenarios) do
        assert_same(n, texts[n], text(run(s, options)), what)
      end
    end)
  end

  it("by the event engine and by the lowered one", function()
    local lowered = 0
    local function both(n, s)
      if core.lowering(s:model()) ~= nil then return end
      lowered = lowered + 1
      local a = run(s, { engine = "lowered", replications = 9 })
      local b = run(s, { engine = "event", replications = 9 })
      assert_same(n, text(b), text(a), "lowered")
    end
    for n, s in ipairs(scenarios) do both(n, s) end
    for n = 1, 40 do both(n, (random.chain(n))) end
    assert.is_true(lowered >= 40)
  end)

  it("and another seed gives others", function()
    local differ = 0
    for n = 1, 20 do
      if text(run(scenarios[n], { seed = 12 })) ~= texts[n]:gsub('"seed": 11', '"seed": 12') then
        differ = differ + 1
      end
    end
    assert.is_true(differ >= 18)
  end)
end)

describe("a scenario", function()
  it("is the same when written as JSON and read back", function()
    for n, s in ipairs(scenarios) do
      local written = s:to_json()
      local back, problems = sandbox.load_scenario("s.json", { text = written })
      must(back, n, "%s", tostring(problems))
      must(back:hash() == s:hash(), n, "the hash differs")
      assert_same(n, written, back:to_json(), "JSON")
      if n % 4 == 0 then assert_same(n, texts[n], text(run(back)), "run of the JSON form") end
    end
  end)

  it("keeps its hash, alone, made again, and varied by nothing", function()
    local seen, equal = {}, 0
    for n, s in ipairs(scenarios) do
      local hash = s:hash()
      must(hash == s:hash() and hash == random.scenario(n):hash(), n, "the hash differs")
      must(hash == s:with({}):hash(), n, "with {} differs")
      must(hash == s:with({ requests = s.requests }):hash(), n, "with { requests } differs")
      must(hash ~= s:with({ requests = s.requests + 1 }):hash(), n, "a variant has the same hash")
      equal = equal + (seen[hash] and 1 or 0)
      seen[hash] = true
      if n % 4 == 0 then assert_same(n, texts[n], text(run(s:with {})), "with {}") end
    end
    assert.equal(0, equal)
  end)
end)

describe("a chain of FIFO stations", function()
  local function mean(s, options) return run(s, options).latency.mean.value end

  it("is not slowed down by more servers", function()
    for n = 1, 60 do
      local base, stages = random.chain(n)
      local before = mean(base, { replications = 4 })
      for i = 1, stages do
        local after = mean((random.chain(n, 1, i)), { replications = 4 })
        -- One station: never, for any path. Behind it, requests overtake: noise.
        local limit = stages == 1 and before * (1 + 1e-12) or before * 1.02
        must(after <= limit, n, "stage %d: mean latency %s became %s", i, before, after)
      end
    end
  end)

  it("takes k times as long when every time is", function()
    for n = 1, 60 do
      local before = mean((random.chain(n)), { replications = 2 })
      for _, k in ipairs { 2, 1000 } do
        local after = mean((random.chain(n, k)), { replications = 2 })
        must(math.abs(after / (k * before) - 1) < 1e-5, n, "times %d: %s became %s", k, before,
          after)
      end
    end
  end)

  it("is reported like any other", function()
    local r = result.wrap(run((random.chain(1))))
    assert.matches('"latency"', r:to_json(), 1, true)
  end)
end)
