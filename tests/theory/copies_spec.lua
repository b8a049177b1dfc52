-- Copies of one GPU share its rate, however many engines carry them.
local td = require "tandem"
local check = require "tests.theory.support.check"

local function copies(engines, link, bytes)
  return td.scenario "copies" {
    workload = td.poisson { rps = 0.8 },
    target = td.gpu "L40" { copy_engines = engines, h2d = "10GB/s", link = link },
    pipeline = { td.transfer "h2d" { bytes = bytes or td.exponential "10GB" } },
  }
end

local long = { requests = 200000, warmup = 2000 }

-- A brute-force simulator: at most `engines` copies share a rate of one, the others queue.
local function simulate(engines, rate, size, count)
  local now, arrival, queue, sum, done = 0, -math.log(1 - math.random()) / rate, {}, 0, 0
  while done < count do
    local served = math.min(engines, #queue)
    local first, least = nil, math.huge
    for i = 1, served do
      if queue[i].left < least then first, least = i, queue[i].left end
    end
    local finish = now + least * served
    local at = math.min(arrival, finish)
    for i = 1, served do queue[i].left = queue[i].left - (at - now) / served end
    now = at
    if finish <= arrival then
      sum, done = sum + now - queue[first].came, done + 1
      table.remove(queue, first)
    else
      queue[#queue + 1] = { came = now, left = size() }
      arrival = now - math.log(1 - math.random()) / rate
    end
  end
  return sum / count
end

describe("copies at the same time share the rate of their GPU", function()
  -- Whoever shares, the work is done at one rate: M/M/1.
  for name, scenario in pairs { ["by itself"] = copies(2),
    ["on a link that is fast enough"] = copies(2, td.link "pcie" { bandwidth = "100GB/s" }),
    ["one engine"] = copies(1) } do
    it("(" .. name .. ")", function()
      local r = check.run(scenario, long)
      check.agrees(r.latency.mean, 5, 0.03, "latency")
      local gpu = r.resources[1]
      if name == "by itself" then check.agrees(gpu.utilization, 0.8, nil, "in use") end
    end)
  end

  it("whatever their sizes", function()
    math.randomseed(99)
    local mean = simulate(3, 0.8, function() return 1 end, 1000000)
    local r = check.run(copies(3, nil, "10GB"), long)
    check.agrees({ value = r.latency.mean.value, half = r.latency.mean.half + 0.02 * mean }, mean,
      0.04, "latency")
  end)

  it("but what is told as a time takes as long on each engine", function()
    local r = check.run(td.scenario "times" { workload = td.poisson { rps = 0.8 },
      target = td.gpu "L40" { copy_engines = 2 },
      pipeline = { td.stage "upload" { on = "h2d", cost = td.exponential "1s" } } }, long)
    check.agrees(r.latency.mean, 1 / (1 - 0.4 ^ 2), nil, "latency") -- M/M/2
  end)

  it("and are not batched", function()
    local _, problem = td.check { workload = td.poisson { rps = 1 },
      target = td.gpu "L40" { copy_engines = 2 },
      pipeline = { td.transfer "h2d" { bytes = "1MB", batch = { max = 4 } } } }
    assert.truthy(tostring(problem):find("copy_engines", 1, true), tostring(problem))
  end)
end)
