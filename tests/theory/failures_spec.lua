-- GPUs that fail: who gets the requests of one that is down, what becomes of those that were there,
-- when the first failure comes.
local td = require "tandem"
local check = require "tests.theory.support.check"

-- Four GPUs that serve in 1 s at the mean; the second breaks at once and is never repaired.
local function fleet(router, weights)
  local sound = { time_per_token = "1ms" }
  local broken = { time_per_token = "1ms", mtbf = "1ns", mttr = "20d" }
  return td.scenario "one of four is down" {
    workload = td.poisson { rps = 1.8 },
    target = td.fleet "pool" { td.gpu "first" (sound), td.gpu "broken" (broken),
      td.gpu "third" (sound), td.gpu "fourth" (sound), router = router, weights = weights },
    pipeline = { td.stage "work" { on = "gpu", cost = td.exponential "1s" } },
  }
end

local function of(result, name)
  for _, one in ipairs(result.resources) do
    if one.name == name .. " gpu" then return one end
  end
end

-- Mean time in an M/M/1 queue at each of some rates, by the share that each gets.
local function separate(rates)
  local all, mean = 0, 0
  for _, rate in ipairs(rates) do all = all + rate end
  for _, rate in ipairs(rates) do mean = mean + rate / all / (1 - rate) end
  return mean
end

-- Every third of Poisson arrivals: the root of GI/M/1.
local function every_third(rate)
  local root = 0.5
  for _ = 1, 1000 do root = (rate / (rate + 1 - root)) ^ 3 end
  return 1 / (1 - root)
end

describe("requests of a GPU that is down are shared evenly", function()
  local long = { requests = 100000, warmup = 2000 }

  it("when they are routed at random", function()
    local r = check.run(fleet "random", long)
    check.agrees(r.latency.mean, separate { 0.6, 0.6, 0.6 }, 0.02, "latency")
    for _, name in ipairs { "first", "third", "fourth" } do
      check.agrees(of(r, name).utilization, 0.6, nil, name)
    end
  end)

  it("by weights", function()
    local r = check.run(fleet("weighted", { 5, 20, 5, 8 }), long)
    check.agrees(r.latency.mean, separate { 0.5, 0.5, 0.8 }, 0.05, "latency")
    check.agrees(of(r, "first").utilization, 0.5, nil, "first")
    check.agrees(of(r, "fourth").utilization, 0.8, nil, "fourth")
    local even = check.run(fleet("weighted", { 0, 1, 0, 0 }), long)
    check.agrees(even.latency.mean, separate { 0.6, 0.6, 0.6 }, 0.02, "those of weight 0 alone")
  end)

  it("in turn", function()
    local r = check.run(fleet "round_robin", long)
    check.agrees(r.latency.mean, every_third(1.8), 0.02, "latency")
  end)

  for _, router in ipairs { "least_outstanding", "shortest_queue", "power_of_two" } do
    it("by " .. router, function()
      local r = check.run(fleet(router), long)
      for _, name in ipairs { "first", "third", "fourth" } do
        check.agrees(of(r, name).utilization, 0.6, nil, name)
      end
    end)
  end
end)

-- ---- what becomes of those who are there, against a simulator of our own

local function exponential(mean) return -mean * math.log(1 - math.random()) end

-- First come, first served on each of some GPUs that fail and are repaired; requests are given one
-- at random of those that are up, or of all. Returns the mean time of those who were served and the
-- share that was lost.
local function simulate(gpus, rate, rule, count)
  local now, arrival, seen, lost, sum = 0, exponential(1 / rate), 0, 0, 0
  local servers = {}
  for i = 1, gpus do servers[i] = { up = true, change = exponential(5), queue = {} } end

  local function begin(s)
    local first = s.queue[1]
    s.done = s.up and first and now + first.left or math.huge
  end
  local function give(request)
    local up = {}
    for _, s in ipairs(servers) do if s.up then up[#up + 1] = s end end
    local among = #up > 0 and up or servers
    local s = among[math.random(#among)]
    s.queue[#s.queue + 1] = request
    if #s.queue == 1 then begin(s) end
  end
  local function fail(s)
    local there = s.queue
    if there[1] then there[1].left = s.done - now end
    s.up, s.change, s.done = false, now + exponential(1), math.huge
    if rule == "wait" then return end
    s.queue = {}
    for _, request in ipairs(there) do
      request.left = request.cost
      if rule == "restart" then
        give(request)
      else
        seen, lost = seen + 1, lost + 1
      end
    end
  end

  for _, s in ipairs(servers) do begin(s) end
  while seen < count do
    local which, at = nil, arrival
    for _, s in ipairs(servers) do
      if math.min(s.done, s.change) < at then which, at = s, math.min(s.done, s.change) end
    end
    now = at
    if not which then
      local cost = exponential(1)
      give { came = now, cost = cost, left = cost }
      arrival = now + exponential(1 / rate)
    elseif which.done <= which.change then
      seen, sum = seen + 1, sum + now - table.remove(which.queue, 1).came
      begin(which)
    elseif which.up then
      fail(which)
    else
      which.up, which.change = true, now + exponential(5)
      begin(which)
    end
  end
  return sum / (seen - lost), lost / seen
end

-- Several simulations, so that their own uncertainty is known: within three standard errors more
-- than ours.
local function compare(result, ...)
  local runs <const> = 16
  local latency, lost, square = 0, 0, 0
  math.randomseed(4711)
  for _ = 1, runs do
    local mean, share = simulate(...)
    latency, lost, square = latency + mean / runs, lost + share / runs, square + mean ^ 2 / runs
  end
  local half = 3 * math.sqrt((square - latency ^ 2) / (runs - 1))
  assert(half < 0.05 * latency, ("the simulator is not sure: %g +- %g"):format(latency, half))
  local here = result.latency.mean
  check.agrees({ value = here.value, half = here.half + half }, latency, 0.08, "latency")
  local dropped = result.classes[1].dropped / result.classes[1].arrived
  assert(math.abs(dropped - lost) < 0.005, ("lost %g, simulated %g"):format(dropped, lost))
end

local few = { requests = 40000, warmup = 2000 }
local failing = { mtbf = td.exponential "5s", mttr = td.exponential "1s" }

describe("a station that fails", function()
  for _, rule in ipairs { "wait", "restart", "lost" } do
    it("lets its requests " .. rule, function()
      local scenario = td.scenario "one" {
        workload = td.poisson { rps = 0.25 },
        resources = { td.pool "station" { mtbf = failing.mtbf, mttr = failing.mttr,
          on_failure = rule } },
        pipeline = { td.stage "work" { on = "station", cost = td.exponential "1s" } },
      }
      compare(check.run(scenario, few), 1, 0.25, rule, 20000)
    end)

    it("lets its requests " .. rule .. " on three GPUs", function()
      local scenario = td.scenario "three" {
        workload = td.poisson { rps = 0.75 },
        target = td.gpu "L40" { count = 3, mtbf = failing.mtbf, mttr = failing.mttr,
          on_failure = rule },
        router = "random",
        pipeline = { td.stage "work" { on = "gpu", cost = td.exponential "1s" } },
      }
      compare(check.run(scenario, few), 3, 0.75, rule, 20000)
    end)
  end
end)

-- The share of an hour that something is down which fails every two hours for five minutes: its
-- failure comes anywhere in these two hours, and the hour may end before the repair.
describe("the first failure", function()
  for words, mtbf in pairs { ["a constant time"] = "2h",
    ["a time that hardly varies"] = td.gamma { mean = "2h", cv = 0.05 } } do
    it("comes anywhere within " .. words, function()
      local r = check.run(td.scenario "fails somewhere" {
        workload = td.poisson { rps = 0.02, duration = "1h" },
        target = td.gpu "L40" { count = 3, mtbf = mtbf, mttr = "5min" },
        pipeline = { td.stage "work" { on = "gpu", cost = "1ms" } },
      }, { replications = 1500 })
      for _, resource in ipairs(r.resources) do
        local exact = (55 * 5 + 5 * 5 / 2) / 120 / 60
        assert(math.abs(resource.down / exact - 1) < 0.15, resource.name .. ": " .. resource.down)
        assert.equal(7200, resource.mtbf)
      end
    end)
  end

  it("that never comes is spoken of", function()
    local scenario = td.scenario "rare" {
      workload = td.poisson { rps = 1, duration = "1min" },
      target = td.gpu "L40" { count = 3, mtbf = td.exponential "1000h", mttr = "5min" },
      pipeline = { td.stage "work" { on = "gpu", cost = "1ms" } },
    }
    local result = check.run(scenario, { replications = 2 })
    local text = tostring(result)
    assert.truthy(text:find("L40 ×3 never failed in this run, of 120 s in all", 1, true), text)
    assert.truthy(text:find("0.0001 failures", 1, true), text)
    local often = check.run(scenario:with { ["target.mtbf"] = td.exponential "10s" },
      { replications = 2 })
    assert.falsy(tostring(often):find("never failed", 1, true))
  end)
end)
