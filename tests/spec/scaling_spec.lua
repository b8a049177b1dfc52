--- Replicas that come and go, worked out by hand: what a policy sees each time it is asked, what
--- rules of each metric want, who is sent away first; and what fails when one of several does.
local td = require "tandem"

-- Functions that go to other threads must not carry the environment of busted.
local error = error

-- A function is drawn as it is: the first failure comes after so long, not somewhere within.
local function always(seconds) return td.sample(function() return seconds end) end

local function checked(body, rows)
  local step = { step = td.affine { step = "1s" }, engine = { max_seqs = 2, kv_blocks = 100,
    max_batched_tokens = 1000, prefix_caching = false } }
  for key, value in pairs(body) do step[key] = value end
  local s, problems = td.check { name = "scaling", pipeline = { td.generate "answer" (step) },
    workload = td.replay { rows = rows }, attrs = {} }
  assert(s, tostring(problems))
  return s
end

local function once(s, options)
  options = options or {}
  options.replications, options.warmup = 1, "none"
  return assert(s:run(options))
end

-- One token a second: a prompt and nine more take ten.
local function row(arrival, output, prompt)
  return { arrival = arrival, prompt_tokens = prompt or 16, output_tokens = output or 10 }
end

-- Request → replica that finished it.
local function homes(s)
  local path = os.tmpname()
  once(s, { trace = path })
  local file = assert(io.open(path))
  local trace = require("cjson").decode(file:read "a")
  file:close()
  os.remove(path)
  local tracks, out = {}, {}
  for _, event in ipairs(trace.traceEvents) do
    if event.name == "thread_name" then tracks[event.tid] = event.args.name end
  end
  for _, event in ipairs(trace.traceEvents) do
    if event.cat == "stage" then
      out[event.args.request] = tonumber(tracks[event.tid]:match "^answer#(%d+)")
    end
  end
  return out
end

-- What a policy is told at a time, by which it stops the run; until then it wants `first` replicas
-- when asked before `change` seconds, and one after.
local function told(body, rows, at, first, change)
  body.autoscale.down_after = 0
  body.autoscale.policy = function(v)
    if v.time == at then
      error(("<%s %d+%d-%d/%d %d..%d out %g wait %g kv %.4f busy %.4f>"):format(v.server,
        v.replicas, v.starting, v.draining, v.down, v.min, v.max, v.outstanding, v.waiting, v.kv,
        v.utilization))
    end
    return v.time < change and first or 1
  end
  local _, message = checked(body, rows):run { replications = 1, warmup = "none" }
  return tostring(message):match "<(.-)>"
end

describe("a policy", function()
  it("sees what is there, and what was done since it was asked last", function()
    -- Two of three run from 0 to 10 s, the third to 20; a fourth from 30.2 on. The second replica
    -- comes at 7 s, and nobody comes to it; of the first's 16 and 5 tokens each request has two
    -- blocks of a hundred.
    local function at(time)
      return told({ autoscale = { max = 3, every = "4s", provision = "3s" } },
        { row(0), row(0), row(0), row(30.2) }, time, 2, 6)
    end
    assert.equal("answer 1+0-0/0 1..3 out 3 wait 1 kv 0.0400 busy 1.0000", at(4))
    assert.equal("answer 2+0-0/0 1..3 out 3 wait 1 kv 0.0200 busy 0.5000", at(8))
    assert.equal("answer 1+0-0/0 1..3 out 1 wait 0 kv 0.0200 busy 1.0000", at(12))
    assert.equal("answer 1+0-0/0 1..3 out 0 wait 0 kv 0.0000 busy 0.0000", at(24))
    assert.equal("answer 1+0-0/0 1..3 out 1 wait 0 kv 0.0200 busy 0.4500", at(32))
  end)

  it("sees who is on its way", function()
    -- Wanted at 4 s, there at 10; the second request goes to the second. At 12 two are to go: the
    -- third is empty and off at once, the second or the first (of equals the last) when it is done.
    local function at(time)
      local text = told({ autoscale = { max = 3, every = "4s", provision = "6s" },
        route = "least_outstanding" }, { row(0, 30), row(11, 30) }, time, 3, 12)
      return text:match "^answer (%S+)"
    end
    assert.equal("1+0-0/0", at(4))
    assert.equal("1+2-0/0", at(8))
    assert.equal("3+0-0/0", at(12))
    assert.equal("1+0-1/0", at(16))
    assert.equal("1+0-1/0", at(40))
  end)
end)

describe("a rule", function()
  -- Requests 0 … 7 come at once: one replica runs two of them, six wait.
  local rows = {}
  for i = 1, 8 do rows[i] = row(0) end
  local function peak(autoscale)
    autoscale.every, autoscale.provision, autoscale.tolerance = "3s", 0, autoscale.tolerance or 0
    local result = once(checked({ autoscale = autoscale, route = "least_outstanding" }, rows))
    return result:get "llm.answer.replicas_peak"
  end

  it("wants its metric's sum divided by its target, and no more than it may", function()
    assert.equal(4, peak { max = 9, metric = "outstanding", target = 2 })
    assert.equal(3, peak { max = 9, metric = "outstanding", target = 3 })
    assert.equal(2, peak { max = 9, metric = "queue", target = 3 })
    assert.equal(6, peak { max = 9, metric = "queue", target = 1 })
    assert.equal(5, peak { max = 5, metric = "queue", target = 1 })
    assert.equal(3, peak { min = 3, max = 5, metric = "queue", target = 6 })
    -- At 3 s two requests have 18 or 19 tokens, two blocks each: 0.04.
    assert.equal(2, peak { max = 9, metric = "kv", target = 0.02 })
    assert.equal(3, peak { max = 9, metric = "kv", target = 0.015 })
    assert.equal(2, peak { max = 9, metric = "utilization", target = 0.5 })
    assert.equal(4, peak { max = 9, metric = "utilization", target = 0.25 })
  end)

  it("leaves what is within its tolerance", function()
    assert.equal(1, peak { max = 9, metric = "outstanding", target = 6, tolerance = 0.4 })
    assert.equal(2, peak { max = 9, metric = "outstanding", target = 6, tolerance = 0.3 })
  end)
end)

describe("who goes first", function()
  -- One is sent away at 20 s; who comes then goes to those that stay.
  local function stays(early, policy)
    local rows = { table.unpack(early) }
    for i = 1, 4 do rows[#rows + 1] = row(21 + 3 * i, 2) end
    local home = homes(checked({ route = "least_outstanding", autoscale = { min = 0, start = 3,
      max = 3, every = "20s", provision = "1s", down_after = 0, policy = policy } }, rows))
    local late = {}
    for i = #early + 1, #rows do late[home[i]] = true end
    return late
  end
  local function fewer(count) return function() return count end end

  it("is the last of those that are empty", function()
    assert.same({ [1] = true }, stays({ row(0, 2) }, fewer(1)))
    local late = stays({ row(0, 2) }, fewer(2))
    assert.is_nil(late[3])
    assert.is_true(late[1])
  end)

  it("is the emptiest", function()
    -- The first of three has ended by then; the others have not.
    local late = stays({ row(0, 2), row(0, 60), row(0, 60) }, fewer(2))
    assert.is_nil(late[1])
  end)
end)

describe("weights that say nothing", function()
  it("leave replicas their turn", function()
    local rows = {}
    for i = 1, 6 do rows[i] = row(5 * i, 2) end
    local home = homes(checked({ replicas = 3, route = "weighted",
      routing = { prefix_weight = 0, queue_weight = 1, kv_weight = 0 } }, rows))
    assert.same({ 1, 2, 3, 1, 2, 3 }, home)
  end)
end)

describe("a router's list", function()
  it("is whole and in order at every call, whatever the last one did to it", function()
    local s = assert(td.check { name = "sorted", target = td.fleet "pool" {
      td.gpu "L40S" { count = 3 }, router = function(_, gpus)
        if #gpus ~= 3 then error("there are " .. #gpus) end
        for i = 1, 3 do
          if gpus[i].name ~= "L40S#" .. i or gpus[i].index ~= i then error(gpus[i].name) end
        end
        table.sort(gpus, function(a, b) return a.name > b.name end)
        gpus[2], gpus[4] = nil, "more"
        return 3
      end }, workload = td.paced { rps = 10, duration = "2s" },
      pipeline = { td.stage "infer" { on = "gpu", cost = "20ms" } } })
    for _, one in ipairs(once(s).resources) do
      if one.name:find "gpu$" then
        assert.equal(one.name:find "#3" ~= nil, one.utilization.value > 0)
      end
    end
  end)
end)

describe("a failure", function()
  it("stops what it is of, and nothing beside it", function()
    -- The GPU is down from 10 to 15 s and from 25 to 30, the disk for each eighth second. Requests
    -- come every 100 ms from 0 on, the last at 31.9 s; each GPU has every other one.
    local s = assert(td.check { name = "failing",
      target = td.fleet "pool" { td.gpu "L40S" { count = 1, mtbf = always(10), mttr = "5s" },
        td.gpu "H100 SXM" { count = 1 }, router = "round_robin" },
      resources = { td.pool "disk" { mtbf = always(7), mttr = "1s" }, td.pool "net" {} },
      workload = td.paced { rps = 10, duration = "32s" },
      pipeline = { td.stage "read" { on = "disk", cost = "1ms" },
        td.stage "send" { on = "net", cost = "1ms" },
        td.stage "infer" { on = "gpu", cost = "20ms" } } })
    local result = once(s)
    local down, waits = {}, {}
    for _, one in ipairs(result.resources) do
      down[one.name], waits[one.name] = one.down, one.queue.value
    end
    assert.same({ ["L40S gpu"] = 10 / 32, disk = 4 / 32 }, down)
    -- Ten come at once when the disk is back; nobody waits for a GPU that is down.
    assert.is_true(waits["H100 SXM gpu"] < 0.05 and waits["L40S gpu"] < 0.05)
    assert.is_true(waits.disk > 0.5)
    assert.equal(0, waits.net)
  end)

  it("leaves what a weighted router has to the others, in proportion to their weights", function()
    -- 4000 requests of a millisecond each; the first GPU is gone for good from 1 s on.
    local function shares(weights)
      local s = assert(td.check { name = "failing",
        target = td.fleet "pool" { td.gpu "L40S" { mtbf = always(1), mttr = "10000s" },
          td.gpu "H100 SXM" {}, td.gpu "A10G" {}, router = "weighted", weights = weights },
        workload = td.paced { rps = 100, duration = "40s" },
        pipeline = { td.stage "infer" { on = "gpu", cost = "1ms" } } })
      local out = {}
      for _, one in ipairs(once(s).resources) do out[one.name] = 10 * one.utilization.value end
      return out["L40S gpu"], out["H100 SXM gpu"], out["A10G gpu"]
    end
    local function near(p, wanted) -- within four standard deviations
      assert.is_true(math.abs(p - wanted) < 4 * math.sqrt(wanted * (1 - wanted) / 4000), p)
    end
    local first, second, third = shares { 2, 5, 1 }
    near(first, 2 / 8 / 40)
    near(second, 5 / 8 / 40 + 5 / 6 * 39 / 40)
    near(third, 1 / 8 / 40 + 1 / 6 * 39 / 40)
    first, second, third = shares { 1, 0, 0 } -- the others have none: evenly
    near(first, 1 / 40)
    near(second, 0.5 * 39 / 40)
    near(third, 0.5 * 39 / 40)
  end)
end)
