-- A result against the log of its requests: what came and went in each slice of time, latencies in
-- their bins, rates and shares, with a warm-up and without; and several replications together
-- against each by itself. Every figure is counted here once more.

local core = require "tandem.core"
local td = require "tandem"

local SLICES, DURATION, LIMIT = 64, 100, 0.5

-- A queue that turns requests away, who gives up in it or is out of time, and who never waits.
local function scenario()
  return td.scenario "counted" { cpu = { workers = 1, queue = 3 }, slo = { p90 = "500ms" },
    classes = {
      { name = "a", workload = td.poisson { rps = 4, duration = DURATION },
        pipeline = { td.fixed "work" { time = td.exponential "200ms" } } },
      { name = "b", workload = td.poisson { rps = 1, duration = DURATION },
        pipeline = { td.delay "think" { time = td.exponential "700ms" } } },
      { name = "c", workload = td.poisson { rps = 2, duration = DURATION }, timeout = "600ms",
        patience = td.exponential "300ms",
        pipeline = { td.fixed "work" { time = td.exponential "200ms" } } } } }
end

local function run(options)
  options.seed, options.warmup = 5, options.warmup or "none"
  return assert(scenario():run(options))
end

-- How long a request is inside between two times.
local function inside(request, from, to)
  local ends = request.arrival_s + request.latency_s
  return math.max(0, math.min(to, ends) - math.max(from, request.arrival_s))
end

local function same(expected, found, what)
  assert(math.abs(expected - found) <= 1e-9 * math.max(1, math.abs(expected)),
    ("%s: %.12g, not %.12g"):format(what, found, expected))
end

-- Times of the requests that were served, of a class or of all, that came at `from` or later.
local function served(log, class, from)
  local times = {}
  for _, request in ipairs(log) do
    if request.outcome == "ok" and (not class or request.class == class)
      and request.arrival_s >= from then
      times[#times + 1] = request.latency_s
    end
  end
  table.sort(times)
  return times
end

local function came(log, class, from)
  local count = 0
  for _, request in ipairs(log) do
    if (not class or request.class == class) and request.arrival_s >= from then
      count = count + 1
    end
  end
  return count
end

-- Lost to a full queue, to impatience, and to a time-out.
local function lost(log, class, from)
  local count = { dropped = 0, abandoned = 0, ["timed out"] = 0 }
  for _, request in ipairs(log) do
    local out = count[request.outcome]
    if out and request.class == class and request.arrival_s >= from then
      count[request.outcome] = out + 1
    end
  end
  return count.dropped, count.abandoned, count["timed out"]
end

local function expect_times(times, latency, what)
  local sum, squares, n = 0, 0, #times
  for _, time in ipairs(times) do sum = sum + time end
  for _, time in ipairs(times) do squares = squares + (time - sum / n) ^ 2 end
  same(times[1], latency.min, what .. " min")
  same(times[n], latency.max, what .. " max")
  same(sum / n, latency.mean.value, what .. " mean")
  same(math.sqrt(squares / (n - 1)), latency.sd, what .. " sd")
  local middle = latency.p50.value
  assert.is_true(times[n // 2] <= middle and middle <= times[n // 2 + 2], what)
end

-- Offered, carried, within the limit: by the second, and of those that came.
local function expect_rates(of, log, class, from)
  local times, good = served(log, class, from), 0
  for _, time in ipairs(times) do good = good + (time <= LIMIT and 1 or 0) end
  local window, count, what = DURATION - from, came(log, class, from), class or "all"
  same(count / window, of.offered_rps.value, what .. " offered")
  same(#times / window, of.carried_rps.value, what .. " carried")
  same(good / window, of.goodput_rps.value, what .. " goodput")
  same(good / count, of.slo_met.value, what .. " met")
  expect_times(times, of.latency, what)
end

local function expect_counted(warmup)
  local result = run { replications = 1, requests_log = "all", warmup = warmup }
  local log, width = result.requests_log, DURATION / SLICES
  local from = math.ceil((warmup or 0) / width) * width
  same(from, result.warmup_s, "warm-up")
  same(DURATION - from, result.duration_s, "duration")
  assert.equal(#log - came(log, nil, from), result.warmup_requests)
  assert.equal(#served(log, nil, from), result.requests)
  expect_rates(result, log, nil, from)
  local done, number = 0, 0
  for _, request in ipairs(log) do
    local ends = request.arrival_s + request.latency_s
    if request.outcome == "ok" and ends >= from and ends < DURATION then done = done + 1 end
    number = number + inside(request, from, DURATION)
  end
  same(done / (DURATION - from), result.throughput_rps.value, "throughput")
  same(number / (DURATION - from), result.in_system.value, "in system")
  for _, class in ipairs(result.classes) do
    local count, times = came(log, class.name, from), served(log, class.name, from)
    assert.same({ count, #times, lost(log, class.name, from) }, { class.arrived, class.completed,
      class.dropped, class.abandoned, class.timed_out })
    assert.equal(count, #times + class.dropped + class.abandoned + class.timed_out)
    expect_rates(class, log, class.name, from)
  end
  local patient, hasty = result.classes[1], result.classes[3]
  assert.is_true(patient.dropped > 20 and hasty.abandoned > 20 and hasty.timed_out > 10)
  return result, log, width, from
end

describe("a result and the log of its requests", function()
  it("agree on counts, rates and latencies", function() expect_counted() end)

  it("agree behind a warm-up, which ends with a slice", function() expect_counted(20) end)

  it("agree slice by slice", function()
    local result, log, width = expect_counted()
    local series = result.series
    assert.equal(width, series.dt_s)
    for k = 1, SLICES do
      local from, to = (k - 1) * width, k * width
      local arrived, completed, number, sum, count = 0, 0, 0, 0, 0
      for _, request in ipairs(log) do
        local ok, ends = request.outcome == "ok", request.arrival_s + request.latency_s
        local comes = request.arrival_s >= from and request.arrival_s < to
        if comes then arrived = arrived + 1 end
        if ok and ends >= from and ends < to then completed = completed + 1 end
        if ok and comes then sum, count = sum + request.latency_s, count + 1 end
        number = number + inside(request, from, to)
      end
      assert.equal(from, series.t[k])
      assert.equal(arrived, series.arrived[k])
      assert.equal(completed, series.completed[k])
      same(number / width, series.in_system[k], "in system")
      same(count > 0 and sum / count or 0, series.latency_mean[k], "latency")
    end
    assert.equal(SLICES, #series.latency_p99)
  end)

  it("agree bin by bin", function()
    local result, log = expect_counted()
    local edges, counts = result.histogram.edges_s, result.histogram.counts
    local times, next_time = served(log, nil, 0), 1
    assert.equal(#counts + 1, #edges)
    assert.is_true(times[1] >= edges[1] and times[1] < edges[2])
    assert.is_true(times[#times] >= edges[#counts] and times[#times] < edges[#edges])
    for i, expected in ipairs(counts) do
      -- Eight an octave, evenly in each.
      local octave = 2 ^ math.floor(math.log(edges[i] * 1e9, 2) + 1e-9)
      same(octave / 8 * 1e-9, edges[i + 1] - edges[i], "width")
      local count = 0
      while times[next_time] and times[next_time] < edges[i + 1] do
        count, next_time = count + 1, next_time + 1
      end
      assert.equal(expected, count, ("bin %d"):format(i))
    end
    assert.equal(#times, next_time - 1)
  end)

  it("has the first requests as a table, where there is a log", function()
    local two = td.scenario "two" { workload = td.replay { rows = { { arrival = 1, x = 2 },
      { arrival = 1.5, x = 0.003 } } }, pipeline = { td.delay "a" { time = "r.x" } } }
    local function lines(log)
      local result = two:run { replications = 1, warmup = "none", requests_log = log }
      local out = {}
      for line in tostring(result:table "requests"):gmatch "[^\n]+" do
        out[#out + 1] = table.concat({ line:match "^%s*(%S+)%s+(%S+)%s+(.-)%s%s+(.-)%s*$" },
          "|")
      end
      return out
    end
    assert.same({ "request|class|arrived at|latency", "1|default|0 s|2 s",
      "2|default|500 ms|3 ms" }, lines "all")
    assert.same({ "request|class|arrived at|latency" }, lines())
  end)

  it("keep the order of requests that came together, or took as long", function()
    local rows = {}
    for i = 1, 9 do rows[i] = { arrival = (i - 1) // 3, x = i % 3 == 2 and 0.5 or 0.25 } end
    local function ids(log)
      local out = {}
      for i, one in ipairs(td.scenario "ties" { workload = td.replay { rows = rows },
        pipeline = { td.delay "a" { time = "r.x" } } }:run { replications = 1, warmup = "none",
        requests_log = log }.requests_log) do out[i] = one.id end
      return out
    end
    assert.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9 }, ids "all")
    assert.same({ 2, 5, 8, 1, 3 }, ids { slowest = 5 })
  end)

  it("have no empty bin at their ends, whatever part of one is taken", function()
    local octave <const> = 1 << 30 -- ns, where one begins
    for _, ns in ipairs { octave, octave - 1, octave + octave // 8, octave + octave // 8 - 1 } do
      local result = td.scenario "one time" { workload = td.replay { rows = {
        { arrival = 0, x = ns * 1e-9 }, { arrival = 9, x = ns * 1e-9 } } },
        pipeline = { td.delay "a" { time = "r.x" } } }:run { replications = 1, warmup = "none" }
      assert.same({ 2 }, result.histogram.counts)
      local edges = result.histogram.edges_s
      assert.equal(2, #edges)
      assert.is_true(edges[1] <= ns * 1e-9 and ns * 1e-9 < edges[2], ns)
    end
  end)

  it("count what takes no time with the quickest, once", function()
    local rows = {}
    for i = 1, 10 do rows[i] = { arrival = i, x = i <= 4 and 0 or i <= 7 and 1e-3 or 0.5 } end
    local result = td.scenario "none" { workload = td.replay { rows = rows },
      pipeline = { td.delay "a" { time = "r.x" } } }:run { replications = 1, warmup = "none" }
    local counts, edges = result.histogram.counts, result.histogram.edges_s
    local seen = {}
    for i, count in ipairs(counts) do
      if count > 0 then seen[#seen + 1] = { count, i } end
    end
    assert.same({ { 7, 1 }, { 3, #counts } }, seen)
    assert.is_true(edges[1] <= 1e-3 and 1e-3 < edges[2])
  end)
end)

describe("a resource", function()
  it("has the longest wait of the stages that it serves", function()
    local result = assert(td.scenario "waits" { workload = td.poisson { rps = 8, requests = 400 },
      target = td.fleet { td.gpu "A" { h2d = "1GB/s" }, td.gpu "B" { h2d = "1GB/s" } }, cpu = 1,
      pipeline = { td.transfer "load" { bytes = "60MB", on = "h2d" },
        td.fixed "work" { time = td.exponential "170ms", on = "gpu" },
        td.fixed "answer" { time = td.exponential "90ms" } } }
      :run { replications = 2 })
    local longest = {}
    for _, stage in ipairs(result.stages) do longest[stage.name] = stage.wait.max end
    assert.is_true(longest.load > 0 and longest.load < longest.answer)
    assert.is_true(longest.load < longest.work)
    local expected = { H2D = longest.load, GPU = longest.work, CPU = longest.answer }
    local count = 0
    for _, resource in ipairs(result.resources) do
      if expected[resource.lane] then
        assert.equal(expected[resource.lane], resource.max_wait)
        count = count + 1
      end
    end
    assert.equal(5, count)
  end)

  it("has no wait of another group's stages", function()
    local function class(name, rps, time)
      return { name = name, workload = td.poisson { rps = rps, requests = 400 },
        pipeline = { td.fixed(name) { time = td.exponential(time), on = "gpu" } } }
    end
    local model = assert(td.scenario "waits" { target = td.fleet { td.gpu "A" { h2d = "1GB/s" },
      td.gpu "B" { h2d = "1GB/s" } }, classes = { class("work", 8, "100ms"),
      class("rest", 1, "10ms") } }):model()
    model.groups = { { name = "first", router = "round_robin", members = { 1 } },
      { name = "other", router = "round_robin", members = { 2 } } }
    for i, one in ipairs(model.classes) do
      one.route[1].group, one.route[2].gpus = i, i
    end
    local result = assert(core.run(model, { replications = 1, seed = 1 }))
    for i, resource in ipairs(result.resources) do
      assert.equal(result.stages[i].wait.max, resource.max_wait)
    end
    assert.is_true(result.resources[2].max_wait < result.resources[1].max_wait)
  end)
end)

describe("replications together", function()
  local all, each = run { replications = 3, values = true }, {}
  for r = 1, 3 do each[r] = run { replications = 1, first = r - 1 } end

  local function figures(read)
    local out = {}
    for r = 1, 3 do out[r] = read(each[r]) end
    return out
  end
  local function sum(list) return list[1] + list[2] + list[3] end

  -- Student's t for 95 % and two degrees of freedom.
  local function interval(list)
    local mean, squares = sum(list) / 3, 0
    for _, value in ipairs(list) do squares = squares + (value - mean) ^ 2 end
    return mean, 4.302652729911275 * math.sqrt(squares / 2 / 3)
  end

  it("are the sums of what each counted", function()
    for c = 1, 3 do
      for _, key in ipairs { "arrived", "completed", "dropped", "abandoned", "timed_out" } do
        assert.equal(sum(figures(function(r) return r.classes[c][key] end)), all.classes[c][key])
      end
    end
    for _, key in ipairs { "requests", "events" } do
      assert.equal(sum(figures(function(r) return r[key] end)), all[key])
    end
    for s = 1, #all.stages do
      local visits = figures(function(r) return r.stages[s].visits end)
      local delayed = figures(function(r) return r.stages[s].delayed * r.stages[s].visits end)
      assert.equal(sum(visits), all.stages[s].visits)
      same(sum(delayed) / sum(visits), all.stages[s].delayed, "delayed")
      assert.equal(math.max(table.unpack(figures(function(r) return r.stages[s].wait.max end))),
        all.stages[s].wait.max)
    end
  end)

  it("have the least and the greatest latency of any", function()
    assert.equal(math.min(table.unpack(figures(function(r) return r.latency.min end))),
      all.latency.min)
    assert.equal(math.max(table.unpack(figures(function(r) return r.latency.max end))),
      all.latency.max)
  end)

  it("estimate by the mean of each one's figure, which they keep", function()
    local readings = {
      offered = function(r) return r.offered_rps end,
      carried = function(r) return r.classes[1].carried_rps end,
      goodput = function(r) return r.goodput_rps end,
      service = function(r) return r.stages[1].service.mean end,
    }
    for name, read in pairs(readings) do
      local list = figures(function(r) return read(r).value end)
      local value, half = interval(list)
      local found = read(all)
      same(value, found.value, name)
      -- Too few requests to say so: the interval stands apart.
      assert.equal(name == "goodput", found.half == nil and found.needs ~= nil, name)
      same(half, found.half or found.seen.half, name .. " half")
      for r = 1, 3 do same(list[r], found.values[r], name) end
    end
  end)

  it("average their series and add up their bins", function()
    for _, key in ipairs { "arrived", "completed", "in_system" } do
      for k = 1, SLICES do
        same(sum(figures(function(r) return r.series[key][k] end)) / 3, all.series[key][k], key)
      end
    end
    for k = 1, SLICES do
      local busy = figures(function(r) return r.series.stations[1].utilization[k] end)
      local queue = figures(function(r) return r.series.stations[1].queue[k] end)
      same(sum(busy) / 3, all.series.stations[1].utilization[k], "utilization")
      same(sum(queue) / 3, all.series.stations[1].queue[k], "queue")
    end
    local bins = {}
    for r = 1, 3 do
      local h = each[r].histogram
      for i, count in ipairs(h.counts) do bins[h.edges_s[i]] = (bins[h.edges_s[i]] or 0) + count end
    end
    for i, count in ipairs(all.histogram.counts) do
      assert.equal(bins[all.histogram.edges_s[i]] or 0, count)
    end
  end)
end)
