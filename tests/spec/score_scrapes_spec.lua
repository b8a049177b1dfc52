--- A score of metrics on paper: two servers' scrapes written here, bin by bin, and every figure of
--- the answer out of the same lists.
local core = require "tandem.core"
local metrics = require "tandem.metrics"
local options_of = require("tandem.score.options").asked
local scraped = require "tandem.score.scraped"
local scrapes = require "tandem.score.scrapes"
local fixtures = require "tests.spec.support.store_fixture"
local td = require "tandem"

local BINS <const>, WIDTH <const> = 20, 5
local FIGURES <const> = 16 -- the lines that the verdict's intervals hold together over

local function near(wanted, got, what)
  assert.is_true(type(got) == "number" and math.abs(wanted - got) <= 1e-9 * math.max(1,
    math.abs(wanted)), ("%s: %s, not %s"):format(what, got, wanted))
end

local function total(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  return sum
end

-- So many requests in each bin, and the seconds that each takes.
local function served(count_of, time_of)
  local counts, times = {}, {}
  for k = 1, BINS do counts[k], times[k] = count_of(k), time_of(k) end
  return { counts = counts, times = times }
end

-- Scrapes of it: `inside` requests run all the time. The times of requests stand in a histogram
-- with a bound at two seconds; those in the queue in one that nobody ever came into.
local function written(one, inside)
  local lines, ended, short, took, timed = {}, 0, 0, 0, 0
  local function line(at, name, value)
    lines[#lines + 1] = ("vllm:%s %s %d"):format(name, value, (1700000000 + WIDTH * at) * 1000)
  end
  for k = 0, BINS do
    if k > 0 then
      local count, time = one.counts[k], one.times and one.times[k]
      ended = ended + count
      if time then
        timed, took = timed + count, took + count * time
        short = short + (time <= 2 and count or 0)
      end
    end
    line(k, 'request_success_total{model_name="m"}', ended)
    line(k, 'num_requests_running{model_name="m"}', inside)
    if one.times then
      line(k, 'e2e_request_latency_seconds_bucket{le="2.0",model_name="m"}', short)
      line(k, 'e2e_request_latency_seconds_bucket{le="+Inf",model_name="m"}', timed)
      line(k, 'e2e_request_latency_seconds_count{model_name="m"}', timed)
      line(k, 'e2e_request_latency_seconds_sum{model_name="m"}', took)
    end
    for _, ending in ipairs { '_bucket{le="+Inf",model_name="m"}', '_count{model_name="m"}',
      '_sum{model_name="m"}' } do
      line(k, "request_queue_time_seconds" .. ending, 0)
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

describe("a score of metrics", function()
  local store
  before_each(function() store = fixtures.new() end)
  after_each(function() store:remove() end)

  local function score(real, simulated, options, inside)
    local runs = {}
    for i, one in ipairs { real, simulated } do
      local name = ("side%d.prom"):format(i)
      local _, err, code = store:tandem("import", store:write(name, written(one, inside or 0)))
      assert.equal(0, code, err)
      runs[i] = td.store(store:path "a.db"):run "last"
    end
    return assert(td.score(runs[1], runs[2], options))
  end

  local function row(answer, name, of)
    for _, one in ipairs(answer:frame(name).rows) do if one.name == of then return one end end
  end

  local real = served(function(k) return 20 + 7 * k % 5 end,
    function(k) return k % 4 == 0 and 3 or 1.5 end)
  local other = served(function(k) return 22 + 3 * k % 7 end,
    function(k) return k % 3 == 0 and 2.5 or 1.75 end)

  -- Half the width of what bins add to an error, and the error: of sums over counts.
  local function paper(a, b, count_a, count_b)
    local r, s = total(a) / total(count_a), total(b) / total(count_b)
    local apart, difference = {}, s / r - 1
    for k = 1, #a do
      apart[k] = (b[k] - s * count_b[k]) / (total(count_b) / #b) / r
        - (1 + difference) * (a[k] - r * count_a[k]) / (total(count_a) / #a) / r
    end
    local _, half = core.stats.batch_means(apart, 1 - 0.05 / FIGURES)
    return r, s, difference, half, apart
  end

  local function times_of(one)
    local out = {}
    for k, count in ipairs(one.counts) do out[k] = count * one.times[k] * 1e9 end
    return out
  end

  it("has the errors of rates and of means, with what bins say of them", function()
    local answer = score(real, other)
    local ones, rates = {}, { {}, {} }
    for k = 1, BINS do
      ones[k], rates[1][k], rates[2][k] = 1, real.counts[k] / WIDTH, other.counts[k] / WIDTH
    end
    for name, lists in pairs { arrivals = { rates[1], rates[2], ones, ones },
      e2e = { times_of(real), times_of(other), real.counts, other.counts } } do
      local r, s, difference, half = paper(table.unpack(lists))
      local got = row(answer, "verdict", name)
      near(r, got.real, name)
      near(s, got.simulated, name)
      near(difference, got.difference, name)
      near(difference - half, got.low, name)
      near(difference + half, got.high, name)
      assert.equal(BINS, row(answer, "metrics", name).bins)
    end
    -- Nobody ran in either, and requests that take no time take none, however many there are.
    local none = score(served(function(k) return real.counts[k] end, function() return 0 end),
      served(function(k) return other.counts[k] end, function() return 0 end))
    local e2e = row(none, "verdict", "e2e")
    assert.same({ 0, 0, 0 }, { e2e.difference, e2e.low, e2e.high })
    local same = row(answer, "verdict", "running")
    assert.same({ 0, 0, 0, "within" }, { same.difference, same.low, same.high, same.verdict })
  end)

  it("has its interval by autocovariances where batches depend on each other", function()
    local flat = served(function() return 20 end, function() return 1 end)
    local slow = served(function(k) return 22 + 4 * (k % 10 < 5 and 1 or -1) + k % 3 end,
      function() return 1 end)
    local rates, ones = { {}, {} }, {}
    for k = 1, BINS do
      ones[k], rates[1][k], rates[2][k] = 1, flat.counts[k] / WIDTH, slow.counts[k] / WIDTH
    end
    local _, _, difference, batches, apart = paper(rates[1], rates[2], ones, ones)
    assert.is_nil(batches)
    -- Geyer: the autocovariances of all lags, in pairs, as long as a pair is above 0.
    local lags, mean = {}, total(apart) / BINS
    for lag = 0, BINS - 1 do
      lags[lag] = 0
      for k = lag + 1, BINS do
        lags[lag] = lags[lag] + (apart[k] - mean) * (apart[k - lag] - mean) / BINS
      end
    end
    local sum, lag = -lags[0], 0
    while lag < BINS and lags[lag] + lags[lag + 1] > 0 do
      sum, lag = sum + 2 * (lags[lag] + lags[lag + 1]), lag + 2
    end
    local worth = BINS * lags[0] / sum
    local got = row(score(flat, slow, { confidence = 0.5 }), "verdict", "arrivals")
    assert.is_true(worth - 1 >= 3)
    near(core.stats.student_quantile(1 - 0.25 / FIGURES, worth - 1)
      * math.sqrt(sum / (BINS - BINS / worth)), got.high - difference, "half")
  end)

  it("counts the bins that are near, and none where there is nothing in any", function()
    local answer = score(real, other, { within = 0.1 })
    local close = 0
    for k, count in ipairs(real.counts) do
      if math.abs(other.counts[k] - count) <= 0.1 * count then close = close + 1 end
    end
    assert.is_true(close > 0 and close < BINS)
    local arrivals, queue = row(answer, "metrics", "arrivals"), row(answer, "metrics", "queue")
    near(close / BINS, arrivals.within, "within")
    assert.is_nil(arrivals.inside) -- one run is no range
    assert.equal(0, queue.bins)
    assert.is_nil(queue.within)
    local at = row(answer, "bounds", "e2e")
    local function share(one)
      local short = 0
      for k, count in ipairs(one.counts) do short = short + (one.times[k] <= 2 and count or 0) end
      return short / total(one.counts)
    end
    near(share(real), at.real, "share")
    near(share(other), at.simulated, "share")
    near(math.abs(share(real) - share(other)), row(answer, "metrics", "e2e").apart, "apart")
    local seen = {}
    for _, one in ipairs(answer:frame "over_time".rows) do
      if one.name == "arrivals" then
        seen[#seen + 1] = one.at_s
        near(real.counts[#seen] / WIDTH, one.real, "over time")
        assert.is_nil(one.low)
      end
    end
    assert.same({ BINS, 0, WIDTH * (BINS - 1) }, { #seen, seen[1], seen[#seen] })
  end)

  it("leaves out three requests' time where some were inside at its begin", function()
    local function left(one, inside)
      local answer = score(one, one, nil, inside)
      local said = table.concat(answer.basis, "\n"):match "the first (%d+ bins?) left out"
      return row(answer, "metrics", "arrivals").bins, said
    end
    local even = served(function() return 20 end, function() return 4 end)
    assert.same({ BINS }, { left(even, 0) })
    assert.same({ BINS - 3, "3 bins" }, { left(even, 2) }) -- 3 × 4 s in bins of 5 s
    -- How long is not known: there is no histogram, or nobody in it.
    assert.same({ BINS }, { left({ counts = even.counts }, 2) })
    assert.same({ BINS }, { left({ counts = even.counts, times = {} }, 2) })
    -- Half of all at most.
    assert.same({ BINS // 2, "10 bins" }, { left(served(function() return 20 end,
      function() return 60 end), 2) })
  end)

  it("says which side has no such metric", function()
    local silent = { counts = real.counts }
    for _, pair in ipairs { { silent, real, "recording" }, { real, silent, "simulation" } } do
      local answer = score(pair[1], pair[2])
      assert.is_nil(row(answer, "verdict", "e2e"))
      assert.matches("\ne2e: the " .. pair[3] .. " has no such metric\n",
        "\n" .. table.concat(answer.cannot, "\n") .. "\n", 1, true)
    end
  end)

  it("has the range of several simulations", function()
    local third = served(function(k) return 17 + 5 * k % 11 end, function() return 2.25 end)
    local sides = {}
    for seed, one in ipairs { other, third } do
      local path = store:write("sim.prom", written(one, 0))
      sides[seed] = assert(scrapes.side(assert(metrics.read { path }), "it"))
    end
    store:tandem("import", store:write("real.prom", written(real, 0)))
    local whole = scrapes.simulated
    scrapes.simulated = function(_, seed) return sides[seed] end
    local answer = scraped.score(td.store(store:path "a.db"):run "last",
      { try_with = function() end, name = "s" }, assert(options_of { replications = 2 }))
    scrapes.simulated = whole
    local inside, over = 0, {}
    for _, one in ipairs(assert(answer):frame "over_time".rows) do
      if one.name == "arrivals" then over[#over + 1] = one end
    end
    for k, count in ipairs(real.counts) do
      local a, b = other.counts[k], third.counts[k]
      if math.min(a, b) <= count and count <= math.max(a, b) then inside = inside + 1 end
      near((a + b) / 2 / WIDTH, over[k].simulated, "mean")
      near(math.min(a, b) / WIDTH, over[k].low, "low")
      near(math.max(a, b) / WIDTH, over[k].high, "high")
    end
    assert.is_true(inside > 0 and inside < BINS)
    near(inside / BINS, row(answer, "metrics", "arrivals").inside, "inside")
    near((total(other.counts) + total(third.counts)) / 2 / total(real.counts) - 1,
      row(answer, "verdict", "arrivals").difference, "difference")
    local function took(one)
      local sum = 0
      for k, count in ipairs(one.counts) do sum = sum + count * one.times[k] end
      return sum
    end
    near((took(other) + took(third)) / (total(other.counts) + total(third.counts)) * 1e9,
      row(answer, "verdict", "e2e").simulated, "e2e")
    assert.matches("of 2 simulations: 33.3 % where", table.concat(answer.basis, "\n"), 1, true)
  end)

  it("has a table of gates where some are asked", function()
    local function names(options)
      local out = {}
      for i, frame in ipairs(score(real, other, options).frames) do out[i] = frame.name end
      return out
    end
    assert.same({ "verdict", "metrics", "bounds", "over_time" }, names())
    assert.same({ "verdict", "gates", "metrics", "bounds", "over_time" },
      names { gate = "arrivals.mean<50%" })
  end)
end)
