--- The pieces of a score by hand: comparisons, lanes over time, errors by request, gates.
local charts = require "tandem.score.charts"
local columns = require "tandem.score.columns"
local compare = require "tandem.score.compare"
local core = require "tandem.core"
local gate = require "tandem.score.gate"
local lanes = require "tandem.score.lanes"
local options = require "tandem.score.options"
local plot = require "tandem.plot"
local requests = require "tandem.score.requests"
local samples = require "tandem.score.samples"
local verdict = require "tandem.score.verdict"

local function near(wanted, got)
  assert.is_true(type(got) == "number" and math.abs(wanted - got) <= 1e-9 * math.max(1,
    math.abs(wanted)), ("%s, not %s"):format(got, wanted))
end

-- Numbers from 0 to 1 that look drawn.
local function drawn(count, seed)
  local out, state = {}, seed
  for i = 1, count do
    state = (state * 1103515245 + 12345) % 2 ^ 31
    out[i] = state / 2 ^ 31
  end
  return out
end

local function mean_of(values)
  local sum = 0
  for _, v in ipairs(values) do sum = sum + v end
  return sum / #values
end

local function mapped(values, fn)
  local out = {}
  for i, v in ipairs(values) do out[i] = fn(v, i) end
  return out
end

describe("a comparison of means", function()
  local real = mapped(drawn(400, 1), function(v) return 10 + v end)
  local other = mapped(drawn(400, 2), function(v) return 11 + 2 * v end)

  it("has the interval of a ratio of independent means", function()
    local made = compare.means(real, other, false, 0.9)
    local r, half_r = core.stats.batch_means(real, 0.9)
    local s, half_s = core.stats.batch_means(other, 0.9)
    near(r, made.real)
    near(s, made.simulated)
    near(s / r - 1, made.difference)
    -- The limits of s ÷ r are where the distance of s − ρ r from 0 is that of its parts' limits:
    -- (s − ρ r)² = half_s² + ρ² half_r².
    for _, limit in ipairs { made.low, made.high } do
      local ratio = limit + 1
      near((s - ratio * r) ^ 2, half_s ^ 2 + ratio ^ 2 * half_r ^ 2)
    end
    assert.is_true(made.low < made.difference and made.difference < made.high)
  end)

  it("has that of the differences where the requests are the same", function()
    local made = compare.means(real, other, true, 0.9)
    local r, s = mean_of(real), mean_of(other)
    local _, half = core.stats.batch_means(mapped(real, function(v, i)
      return other[i] - s / r * v
    end), 0.9)
    near(s / r - 1, made.difference)
    near(s / r - 1 - half / r, made.low)
    near(s / r - 1 + half / r, made.high)
    local exact = compare.means(real, mapped(real, function(v) return 2 * v end), true, 0.9)
    assert.same({ 1, 1, 1 }, { exact.difference, exact.low, exact.high })
  end)

  it("has none where there is nothing to divide by, or too few", function()
    assert.same({ real = 2, simulated = nil }, compare.means({ 1, 3 }, {}, false, 0.9))
    assert.same({ simulated = 2 }, compare.means({}, { 1, 3 }, false, 0.9))
    assert.same({}, compare.means({}, {}, false, 0.9))
    assert.same({ real = 0, simulated = 1 }, compare.means({ 0, 0 }, { 1, 1 }, false, 0.9))
    assert.same({ real = 0, simulated = 0, difference = 0, low = 0, high = 0 },
      compare.means({ 0, 0 }, { 0, 0 }, true, 0.9))
    assert.same({ real = 2, simulated = 3, difference = 0.5 },
      compare.means({ 1, 3 }, { 2, 4 }, false, 0.9))
    assert.same({ real = 2, simulated = 3, difference = 0.5 },
      compare.means({ 1, 3 }, { 1, 5 }, true, 0.9))
    assert.same({ real = 2, simulated = 3, difference = 0.5 },
      compare.means({ 1, 3 }, { 3 }, false, 0.9))
  end)

  it("says nothing where the real mean may be 0, or all of it be lost", function()
    local wild = mapped(drawn(400, 3), function(v) return v ^ 40 end)
    local r, half = core.stats.batch_means(wild, 1 - 1e-12)
    assert.is_true(half > r)
    assert.is_nil(compare.means(wild, real, false, 1 - 1e-12).low)
    assert.is_number(compare.means(wild, real, false, 0.5).low)
    local lost = mapped(drawn(400, 4), function(v) return 30 * v ^ 60 end)
    local made = compare.means(real, lost, true, 1 - 1e-13)
    assert.is_nil(made.low)
    assert.is_number(made.difference)
  end)

  it("is judged by all of its interval", function()
    for _, case in ipairs { { -0.05, 0.05, "within" }, { -0.051, 0.05, "cannot tell" },
      { -0.05, 0.051, "cannot tell" }, { 0.05, 0.06, "cannot tell" }, { 0.051, 0.06, "off" },
      { -0.06, -0.05, "cannot tell" }, { -0.06, -0.051, "off" }, { 0, 0, "within" } } do
      assert.equal(case[3], compare.verdict({ low = case[1], high = case[2] }, 0.05))
    end
    assert.equal("cannot tell", compare.verdict({ difference = 0 }, 0.05))
  end)
end)

describe("a comparison of quantiles", function()
  local real = mapped(drawn(4000, 5), function(v) return -math.log(v) end)
  local other = mapped(drawn(4000, 6), function(v) return -1.5 * math.log(v) end)

  it("is that of the quantiles' limits where values are independent", function()
    local levels = { 0.25, 0.5, 0.95 }
    for i, made in ipairs(compare.quantiles(real, other, levels, false, 0.9)) do
      local a = core.estimate.quantiles(real, { levels[i] })[1].value
      local b = core.estimate.quantiles(other, { levels[i] })[1].value
      near(a, made.real)
      near(b, made.simulated)
      near(b / a - 1, made.difference)
      assert.is_true(made.low < 0.5 and made.high > 0.5, levels[i])
      -- By Bahadur a quantile's spread is √(q (1 − q) ÷ n) ÷ density, here of exponentials: as
      -- shares of the quantile the same for both.
      local share = math.sqrt(levels[i] / (1 - levels[i]) / 4000) / -math.log(1 - levels[i])
      local half = 1.645 * share * math.sqrt(2) * 1.5
      assert.near(1, (made.high - made.low) / 2 / half, 0.45, levels[i])
    end
  end)

  it("is narrower where the requests are the same", function()
    local same = mapped(real, function(v, i) return 1.5 * v + 0.01 * (i % 7) end)
    local apart = compare.quantiles(real, same, { 0.5 }, false, 0.9)[1]
    local paired = compare.quantiles(real, same, { 0.5 }, true, 0.9)[1]
    near(apart.difference, paired.difference)
    near(paired.difference, (paired.low + paired.high) / 2)
    assert.is_true(paired.high - paired.low < 0.3 * (apart.high - apart.low))
  end)

  it("is as wide where the requests are the same but their times have nothing in common", function()
    local levels = { 0.25, 0.5, 0.9 }
    local apart = compare.quantiles(real, other, levels, false, 0.9)
    for i, paired in ipairs(compare.quantiles(real, other, levels, true, 0.9)) do
      assert.near(1, (paired.high - paired.low) / (apart[i].high - apart[i].low), 0.3, levels[i])
    end
  end)

  it("is wider where neighbours are alike, as many times as their signs are", function()
    -- Two in three values are drawn anew, one is its neighbour's: worth half, √2 times as wide.
    local function alike(values)
      local out, draws = {}, drawn(#values, 9)
      for i, v in ipairs(values) do out[i] = i > 1 and draws[i] < 1 / 3 and out[i - 1] or v end
      return out
    end
    local a, b = alike(real), alike(other)
    local apart = compare.quantiles(real, other, { 0.5 }, false, 0.9)[1]
    local made = compare.quantiles(a, b, { 0.5 }, false, 0.9)[1]
    assert.near(2 ^ 0.5, (made.high - made.low) / (apart.high - apart.low), 0.25)
    local paired = compare.quantiles(a, b, { 0.5 }, true, 0.9)[1]
    assert.near(1, (paired.high - paired.low) / (made.high - made.low), 0.3)
  end)

  it("has no limits where values come in groups and few are beyond", function()
    -- Each value ten times: a sample of four hundred, of which 54 are far up.
    local grouped = {}
    for i = 1, 4000 do grouped[i] = real[1 + (i - 1) // 10] end
    local made = compare.quantiles(grouped, other, { 0.5, 0.99 }, false, 0.9)
    assert.is_number(made[1].low)
    assert.is_nil(made[2].low)
    assert.is_number(made[2].difference)
    local wide = made[1].high - made[1].low
    local narrow = compare.quantiles(real, other, { 0.5 }, false, 0.9)[1]
    -- Values in groups of ten are worth a tenth: √10 times as wide, on one of two sides.
    assert.near((11 / 2) ^ 0.5, wide / (narrow.high - narrow.low), 0.8)
    -- A hundred are too few, whatever is asked, and more in proportion would do.
    for i = 1, 4000 do grouped[i] = real[1 + (i - 1) // 40] end
    local few = compare.quantiles(grouped, other, { 0.5, 0.99 }, false, 0.9)
    assert.is_nil(few[1].low)
    assert.is_true(few[1].needs > 4000 and few[2].needs > few[1].needs)
    assert.is_nil(compare.quantiles(grouped, other, { 0.99 }, true, 0.9)[1].low)
  end)

  it("is as wide where each value comes twice", function()
    local function half(values) return table.move(values, 1, 2000, 1, {}) end
    local function twice(values)
      local out = {}
      for i = 1, 4000 do out[i] = values[(i + 1) // 2] end
      return out
    end
    for _, level in ipairs { 0.25, 0.5, 0.75 } do
      local once = compare.quantiles(half(real), half(other), { level }, false, 0.9)[1]
      local made = compare.quantiles(twice(real), twice(other), { level }, false, 0.9)[1]
      near(once.difference, made.difference)
      assert.near(1, (made.high - made.low) / (once.high - once.low), 0.15, level)
    end
  end)

  it("is empty of empty samples, and 0 of equal ones", function()
    assert.same({ {}, {} }, compare.quantiles({}, real, { 0.5, 0.9 }, false, 0.9))
    assert.same({ {} }, compare.quantiles(real, {}, { 0.5 }, false, 0.9))
    local made = compare.quantiles(real, real, { 0.5 }, false, 0.9)[1]
    assert.same({ 0, 0, 0 }, { made.difference, made.low, made.high })
    assert.is_true(compare.are_equal({ 1, 2 }, { 1, 2 }))
    assert.is_false(compare.are_equal({ 1, 2 }, { 1, 3 }))
    assert.is_false(compare.are_equal({ 1 }, { 1, 2 }))
    assert.is_false(compare.are_equal({ 1, 2 }, { 1 }))
  end)
end)

describe("a distance of distributions", function()
  it("is that of the samples, in shares of the real mean", function()
    assert.same({ ks = 1, ks_p = select(2, core.estimate.ks({ 1, 3 }, { 5, 7 })),
      wasserstein = 4, wasserstein_share = 2 },
      compare.distributions({ 1, 3 }, { 5, 7 }))
    assert.equal(0, compare.distributions({ 0, 0 }, { 0, 0 }).wasserstein_share)
    assert.is_nil(compare.distributions({ 0, 0 }, { 1, 1 }).wasserstein_share)
    assert.same({}, compare.distributions({}, { 1 }))
    assert.same({}, compare.distributions({ 1 }, {}))
  end)

  it("has no p where neighbours depend on each other", function()
    local free, rising = drawn(200, 7), {}
    for i = 1, 200 do rising[i] = i / 200 end
    assert.is_number(compare.distributions(free, drawn(200, 8)).ks_p)
    assert.is_nil(compare.distributions(free, rising).ks_p)
    assert.is_nil(compare.distributions(rising, free).ks_p)
    assert.is_nil(compare.distributions(mapped(free, function(v, i) return i % 2 + 0.1 * v end),
      free).ks_p)
  end)
end)

-- Visits from rows { request, start, end, busy, wait } of each stage, in ns.
local function visits_of(stages, fields)
  local made = { stages = {}, count = 0, first_ns = 0 }
  local by_name = {}
  for i, stage in ipairs(stages) do
    made.stages[i] = { name = stage.name, lane = stage.lane, capacity = stage.capacity }
    local of = { request = {}, start_ns = {}, end_ns = {}, busy_ns = {}, wait_ns = {}, own_ns = {},
      rest_ns = {} }
    for k, row in ipairs(stage) do
      of.request[k], of.start_ns[k], of.end_ns[k], of.busy_ns[k] = row[1], row[2], row[3], row[4]
      of.wait_ns[k], of.own_ns[k], of.rest_ns[k] = row[5] or 0, row[4], row[6] or 0
      made.count = math.max(made.count, row[1])
    end
    by_name[stage.name] = of
  end
  function made.of(_, name) return by_name[name] end
  function made.requests() return made.requests_of end
  made.requests_of = {}
  for key, value in pairs(fields or {}) do made[key] = value end
  return made
end

describe("lanes over time", function()
  local real = visits_of { { name = "k", lane = "GPU", capacity = 2, { 1, 0, 15, 15 },
    { 2, 10, 30, 10, 5 }, { 3, 35, 50, 15, 25 }, { 3, 20, 20, 0 } },
    { name = "q", lane = "QUEUE", { 1, 10, 20, 10 } } }
  -- The model has k elsewhere, its visits of one request lie over one another, and a stage more.
  local simulated = visits_of { { name = "k", lane = "OTHER", { 1, 5, 12, 4 }, { 1, 0, 10, 10 } },
    { name = "x", lane = "CPU", capacity = 3, { 1, -20, 5, 25 }, { 2, 25, 40, 15, 50 },
      { 3, 26, 30, 4, 3 } }, { name = "y", lane = "CPU", capacity = 4 } }
  local window = { from = 0, to = 40, slices = 4 }
  local list = lanes.of(real, simulated, function(ns) return ns + 10 end, window)

  local function is(wanted, got)
    assert.equal(#wanted, #got)
    for i, value in ipairs(wanted) do near(value, got[i]) end
  end

  it("are in their order, stages on the lane of the real run", function()
    local names = {}
    for i, pair in ipairs(list) do names[i] = pair.name end
    assert.same({ "CPU", "GPU", "QUEUE" }, names)
    assert.is_nil(list[1].real)
    assert.is_nil(list[3].simulated)
  end)

  it("have what was busy, served and waiting in each slice", function()
    local of = list[2].real
    is({ 1, 0.75, 0.5, 0.5 }, of.busy)
    is({ 1, 1, 0.5, 0.5 }, of.serving)
    is({ 0.5, 1, 1, 0.5 }, of.waiting)
    assert.same({ 1, 2 }, { of.most_waiting, of.servers })
    of = list[2].simulated
    is({ 0, 1, 0.2, 0 }, of.busy)
    is({ 0, 1 + 2 / 7, 0.8 / 7, 0 }, of.serving)
    assert.same({ 0, nil }, { of.most_waiting, of.servers })
    of = list[1].simulated
    is({ 1, 0.5, 0, 0.5 }, of.busy)
    is({ 1, 0.5, 0, 0.9 }, of.serving)
    is({ 1, 1, 1, 0.8 }, of.waiting)
    assert.same({ 2, 4 }, { of.most_waiting, of.servers })
  end)

  it("count no wait that ends before the window, or begins behind it", function()
    local edges = visits_of { { name = "k", lane = "GPU", { 1, 10, 20, 10, 10 },
      { 2, 60, 70, 10, 10 }, { 3, 30, 35, 5, 5 } } }
    local of = lanes.of(edges, edges, function(ns) return ns end, { from = 10, to = 50,
      slices = 4 })[1].real
    assert.equal(1, of.most_waiting)
    edges = visits_of { { name = "k", lane = "GPU", { 1, 10, 20, 10, 10 }, { 2, 60, 70, 10, 10 } } }
    of = lanes.of(edges, edges, function(ns) return ns end, { from = 10, to = 50, slices = 4 })[1]
      .real
    assert.equal(0, of.most_waiting)
  end)

  it("are rows of means, and of bins", function()
    local rows = lanes.rows(list)
    assert.same({ "GPU", 1, 2 }, { rows[2].lane, rows[2].real_queue_most, rows[2].real_servers })
    near(2.75 / 4, rows[2].real_busy)
    near(0.75, rows[2].real_in_service)
    near(0.75, rows[2].real_queue)
    near(0.3, rows[2].simulated_busy)
    assert.is_nil(rows[1].real_busy)
    local binned = lanes.over_time(list, window, 2)
    assert.equal(6, #binned)
    assert.same({ "GPU", "GPU", 0 }, { binned[3].lane, binned[4].lane, binned[3].at_s })
    near(20 / 1e9, binned[4].at_s)
    near(0.875, binned[3].real_busy)
    near(0.5, binned[4].real_busy)
    near(0.75, binned[3].real_queue)
    near(0.75, binned[4].real_queue)
    near(0.5, binned[3].simulated_busy)
    near(0.1, binned[4].simulated_busy)
  end)

  it("are compared slice by slice", function()
    local made = lanes.compare(list[2], "busy", true, 0.9)
    near(2.75 / 4, made.real)
    near(0.3, made.simulated)
    near(0.3 / 2.75 * 4 - 1, made.difference)
    assert.same({ simulated = 0.5 }, lanes.compare(list[1], "busy", true, 0.9))
    near(0.95, lanes.compare(list[1], "waiting", true, 0.9).simulated)
  end)
end)

-- Two samples of four requests, of which the third was not served in the simulation.
local function pair_of_samples()
  local function requests_of(outcome, late, sizes)
    return { id = { "a", "b", "c", "d" }, arrival_ns = { 0, 100, 200, 300 + late },
      end_ns = { 50, 180, 290, 400 }, tail_ns = { 1, 2, 3, 4 }, outcome = outcome, sizes = sizes }
  end
  local real = samples.of(visits_of({ { name = "k", lane = "GPU", { 1, 0, 40, 40, 4, 2 },
    { 2, 100, 170, 70, 6, 1 }, { 3, 200, 280, 80 }, { 4, 310, 390, 80 } },
    { name = "own", lane = "CPU", { 1, 0, 1, 1 } } },
    { requests_of = requests_of(nil, 0) }))
  local simulated = samples.of(visits_of({ { name = "k", lane = "GPU", { 1, 0, 50, 50, 4, 0 },
    { 2, 100, 160, 60, 26, 1 }, { 3, 200, 280, 80 }, { 4, 310, 390, 80 } } },
    { requests_of = { id = { 1, 2, 3, 4 }, arrival_ns = { 0, 100, 200, 300 },
      end_ns = { 60, 200, 290, 400 }, tail_ns = { 0, 0, 0, 14 },
      outcome = { "ok", "ok", "dropped", "ok" } } }))
  return real, simulated
end

describe("samples of a score", function()
  it("are of the requests that were served", function()
    local real, simulated = pair_of_samples()
    assert.same({ { 50, 80, 90, 100 }, { 4, 6, 0, 0 }, { 3, 3, 3, 4 }, 0 },
      { real.total, real.waiting, real.between, real.left_out })
    assert.same({ { 1, 2, 4 }, { 60, 100, 100 }, { 4, 26, 0 }, { 0, 1, 14 }, 1 },
      { simulated.request, simulated.total, simulated.waiting, simulated.between,
        simulated.left_out })
    assert.same({ { 1, 2, 4 }, { 50, 60, 80 } }, { simulated.by_name.k.request,
      simulated.by_name.k.own })
    assert.same({ 130, 110, 110 }, samples.between_ends(real))
    assert.same({ 140, 200 }, samples.between_ends(simulated))
    assert.is_false(samples.are_paired(real, simulated))
    assert.is_true(samples.are_paired(real, real))
  end)

  it("want more quick ones in a row where several servers are at work", function()
    -- Visits that each last from 100 to 200 ns, on so many servers, so many of them at once.
    local function smooth(count, capacity, at_once, last)
      local stage = { name = "k", lane = "GPU", capacity = capacity }
      for i = 1, count do stage[i] = { i, 100, last or 200, 1 } end
      local visits = visits_of({ stage }, { first_ns = 100 })
      visits.stages[1].concurrency = at_once
      return samples.smooth { visits = visits }
    end
    assert.equal(1, smooth(1, 1, 1))
    assert.equal(8 * 3, smooth(3, 3, 3))
    assert.equal(8 * 3, smooth(3, 5, 3)) -- by how many are at work, not by how many there are
    assert.equal(8 * 4, smooth(8, 4, 8)) -- pairs in one batch
    assert.equal(1, smooth(8, nil, 8)) -- all in one
    assert.equal(512, smooth(100, 100, 100))
    assert.equal(1, smooth(3, 3, 3, 100)) -- none takes time
  end)

  it("are of the same requests when these come and are alike", function()
    local function same(late, a, b, count)
      local function of(shift, size)
        return { visits = { count = size and #size or 3 }, requests = {
          arrival_ns = { shift, shift + 5000, shift + 9000 + (shift > 0 and late or 0) },
          sizes = size and { tokens = size } } }
      end
      local real, other = of(0, a), of(70, b)
      if count then other.visits.count = count end
      return { samples.have_same_requests(real, other) }
    end
    assert.same({ true }, same(1000))
    assert.same({ true }, same(-1000))
    assert.same({ false, "request 3 arrives 1 µs later in the simulation" }, same(1001))
    assert.matches("earlier in the simulation", same(-1001)[2])
    assert.same({ false, "3 real ones, 4 simulated" }, same(0, nil, nil, 4))
    assert.same({ true }, same(0, { 1, 2, 3 }, { 1, 2, 3 * (1 + 0.9e-9) }))
    assert.same({ false, "they differ in tokens" }, same(0, { 1, 2, 3 }, { 1, 2, 3 * (1 + 2e-9) }))
    assert.same({ true }, same(0, { 1, 2, 3 }))
    assert.same({ false, "there are none" }, same(0, {}, {}))
  end)
end)

describe("errors by request", function()
  it("are joined by request, with figures by hand", function()
    local real, simulated = pair_of_samples()
    local rows = requests.rows(real, simulated)
    assert.equal(2, #rows)
    -- Total: 10, 20 and 0 more than 50, 80 and 100.
    assert.same({ "total", 3, 10, 10, 20, 10 }, { rows[1].name, rows[1].count,
      rows[1].mean_abs_ns, rows[1].median_ns, rows[1].p95_ns, rows[1].bias_ns })
    near(10 / (230 / 3), rows[1].mean_abs_share)
    near(10 / (230 / 3), rows[1].bias_share)
    -- Own time of k: 10, −10 and 0 more than 40, 70 and 80.
    assert.same({ "k", 3, 10, 10, 0 }, { rows[2].name, rows[2].count, rows[2].median_ns,
      rows[2].p95_ns, rows[2].bias_ns })
    near(20 / 3, rows[2].mean_abs_ns)
    near(20 / 190, rows[2].mean_abs_share)
    local x, y, xy, xx, yy = { 40, 70, 80 }, { 50, 60, 80 }, 0, 0, 0
    for i = 1, 3 do
      local p, q = x[i] - 190 / 3, y[i] - 190 / 3
      xy, xx, yy = xy + p * q, xx + p * p, yy + q * q
    end
    near(xy / math.sqrt(xx * yy), rows[2].correlation)
  end)

  it("have no correlation where nothing changes", function()
    local one = { request = { 1, 2 }, total = { 5, 5 }, stages = {}, by_name = {} }
    local other = { request = { 1, 2 }, total = { 5, 6 }, stages = {}, by_name = {} }
    local nothing = { request = { 1, 2 }, total = { 0, 0 }, stages = {}, by_name = {} }
    assert.is_nil(requests.rows(one, other)[1].correlation)
    assert.is_nil(requests.rows(other, one)[1].correlation)
    assert.is_nil(requests.rows(nothing, one)[1].mean_abs_share)
    assert.same({}, requests.rows({ request = {}, total = {}, stages = {}, by_name = {} }, one))
  end)

  it("are led by the worst, with what they are mostly from", function()
    local real, simulated = pair_of_samples()
    assert.same({ { request = 2, id = "b", real_ns = 80, simulated_ns = 100, error_ns = 20,
      mostly = "waiting for k", mostly_ns = 20 }, { request = 1, id = "a", real_ns = 50,
      simulated_ns = 60, error_ns = 10, mostly = "k", mostly_ns = 10 } },
      requests.worst(real, simulated, 5))
    assert.equal(1, #requests.worst(real, simulated, 1))
    simulated.total[3] = 120
    local worst = requests.worst(real, simulated, 2)
    assert.same({ { 2, 20 }, { 4, 20 } }, { { worst[1].request, worst[1].error_ns },
      { worst[2].request, worst[2].error_ns } })
    assert.same({ "time between stages", 10 }, { worst[2].mostly, worst[2].mostly_ns })
  end)
end)

describe("gates of a score", function()
  local score = { by_name = { k = {
    mean = { real = 2e6, simulated = 2.2e6, difference = 0.1, low = 0.08, high = 0.12 },
    p50 = { real = 2e6, simulated = 1.8e6, difference = -0.1, low = -0.12, high = -0.08 },
    p95 = { real = 2e6, simulated = 2e6, difference = 0, low = -0.02, high = 0.01 },
    p99 = { real = 2e6, simulated = 2.4e6, difference = 0.2 },
    wait = { real = 0, simulated = 0 },
    distance = { ks = 0.05, wasserstein = 1e5, wasserstein_share = 0.05 } },
    total = { mean = { simulated = 3 }, distance = {} } },
    lanes_by_name = { GPU = { utilization = { real = 0.5, simulated = 0.6, difference = 0.2,
      low = 0.2, high = 0.2 } } },
    throughput = { real = 10, simulated = 9, difference = -0.1, low = -0.1, high = -0.1 },
    per_request = { { mean_abs_ns = 1000, mean_abs_share = 0.1, median_ns = 500, p95_ns = 3000,
      bias_ns = -200, bias_share = -0.02 } } }
  local function judged(text)
    local one = assert(gate.parse(text))
    local row, message = gate.judge(score, one)
    return row and row.verdict .. ": " .. row.says or message
  end

  it("hold, fail or are undecided by the interval", function()
    for _, case in ipairs {
      { "k<5%", "fails: 10 %, between 8 % and 12 %" },
      { "k.mean<12%", "undecided: 10 %, between 8 % and 12 %" },
      { "k.mean<=12%", "holds: 10 %, between 8 % and 12 %" },
      { "k.mean<11%", "undecided: 10 %, between 8 % and 12 %" },
      { "k.mean<8%", "fails: 10 %, between 8 % and 12 %" },
      { "k.mean>+7%", "holds: 10 %, between 8 % and 12 %" },
      { "k.mean<+5%", "fails: 10 %, between 8 % and 12 %" },
      { "k.mean<230us", "undecided: 200 µs, between 160 µs and 240 µs, limit 230 µs" },
      { "k.p50<13%", "holds: 10 %, between 8 % and 12 %" },
      { "k.p50<10%", "undecided: 10 %, between 8 % and 12 %" },
      { "k.p50<-5%", "holds: -10 %, between -12 % and -8 %" },
      { "k.p95<2%", "undecided: 0 %, between 0 % and 2 %" },
      { "k.p95<=2%", "holds: 0 %, between 0 % and 2 %" },
      { "k.p95<1.9%", "undecided: 0 %, between 0 % and 2 %" },
      { "k.p99<30%", "undecided: 20 %, no interval to judge it by" },
      { "k.wait<5%", "undecided: the real one is 0, of which nothing is a share" },
      { "k.ks<0.1", "holds: 0.0500, limit 0.100" },
      { "k.ks<5%", "fails: 5 %" },
      { "k.ks<=5%", "holds: 5 %" },
      { "k.wasserstein<90us", "fails: 100 µs, limit 90 µs" },
      { "k.wasserstein<6%", "holds: 5 %" },
      { "total<5%", "undecided: both runs do not have it" },
      { "total<5us", "undecided: both runs do not have it" },
      { "gpu.utilization<20%", "fails: 20 %" },
      { "gpu.utilization<=20%", "holds: 20 %" },
      { "throughput<11%", "holds: 10 %" },
      { "throughput>-11%", "holds: -10 %" },
      { "requests.mean<11%", "holds: 10 %" },
      { "requests.median<5%", "fails: 5 %" },
      { "requests.median<6%", "holds: 5 %" },
      { "requests.p95<2us", "fails: 3 µs, limit 2 µs" },
      { "requests.bias<1%", "fails: 2 %" },
      { "requests.bias<3%", "holds: 2 %" },
      { "requests.bias>-3%", "holds: -2 %" },
      { "j<5%", "j<5%: there is no 'j'; did you mean 'k'?" },
      { "k.mode<5%",
        "k.mode<5%: k has no 'mode'; one of ks, mean, p50, p95, p99, wait, wasserstein" },
      { "total.wait<5%",
        "total.wait<5%: total has no 'wait'; one of ks, mean, p50, p95, p99, wasserstein" },
      { "gpu.mean<1%", "gpu.mean<1%: gpu has no 'mean'; one of in_service, queue, utilization" },
    } do
      assert.equal(case[2], judged(case[1]), case[1])
    end
    assert.matches("^a gate is SUBJECT.MEASURE<LIMIT, .* not 'k'$", select(2, gate.parse "k"))
    score.per_request = nil
    assert.equal("requests<5%: the runs have not the same requests; run:replay makes them so",
      judged "requests<5%")
  end)
end)

describe("a verdict on paper", function()
  local function scorer(extra)
    local values = mapped(drawn(400, 9), function(v) return 10 + v end)
    local function sample(factor)
      local own = mapped(values, function(v) return factor * v end)
      local stage = { request = {}, own = own }
      for i = 1, #own do stage.request[i] = i end
      return { request = stage.request, total = own, by_name = { k = stage,
        few = { request = { 1, 2 }, own = { factor, 3 * factor } },
        zero = { request = stage.request, own = mapped(own, function() return 0 end) },
        none = { request = {}, own = {} } } }
    end
    local out = { own = { confidence = 0.9, within = 0.05 }, real = sample(1),
      simulated = sample(1.04), paired = true, both = { "k" }, only_real = {},
      only_simulated = {}, lane_pairs = {}, time = { window = { slices = 400 } },
      throughput = function()
        return { real = 4, simulated = 4, difference = 0, low = 0, high = 0 }, 399
      end }
    for key, value in pairs(extra or {}) do out[key] = value end
    return out
  end

  it("has a line for each figure, and one over all", function()
    local confidence
    local one = scorer { throughput = function(_, c)
      confidence = c
      return { real = 4, simulated = 4, difference = 0, low = 0, high = 0 }, 399
    end }
    local rows = verdict.rows(one)
    assert.equal(3, verdict.lines(one))
    near(1 - 0.1 / 3, confidence)
    assert.same({ "k", "total", "throughput", "overall" }, { rows[1].name, rows[2].name,
      rows[3].name, rows[4].name })
    near(0.04, rows[1].difference)
    assert.same({ "within", "within", "every line" }, { rows[1].verdict, rows[4].verdict,
      rows[4].says })
  end)

  it("says what is off, what cannot be told and what one run has only", function()
    local one = scorer { simulated = scorer().real, both = { "k", "few" }, only_real = { "none" },
      only_simulated = { "few" }, lane_pairs = { { name = "GPU", real = { busy = { 0.5, 0.7 } } },
        { name = "CPU", real = { busy = { 0.5 } }, simulated = { busy = { 0.6 } } } } }
    one.simulated.by_name.few = { request = { 1, 2 }, own = { 2, 7 } }
    one.simulated.by_name.k = scorer().simulated.by_name.k
    one.own.within = 0.03
    assert.equal(5, verdict.lines(one))
    local rows, by, names = verdict.rows(one), {}, {}
    for i, row in ipairs(rows) do names[i] = row.name end
    assert.same({ "k", "few", "none", "few", "total", "throughput", "GPU utilization",
      "CPU utilization", "overall" }, names)
    for _, row in ipairs(rows) do by[row.name .. row.kind] = row end
    assert.equal("2 values: too few", by.fewstage.says or rows[2].says)
    assert.same({ "only real", nil }, { by.nonestage.verdict, by.nonestage.real })
    assert.same({ "only real", 0.6 }, { by["GPU utilizationlane"].verdict,
      by["GPU utilizationlane"].real })
    assert.equal("cannot tell", by["CPU utilizationlane"].verdict)
    local overall = by.overalloverall
    assert.same({ "off", "k +4 %; cannot tell: few and CPU utilization; none is in the real run "
      .. "only, few is in the simulated run only, GPU utilization is in the real run only" },
      { overall.verdict, overall.says })
  end)

  it("says why there is no interval", function()
    local one = scorer { both = { "zero", "few" }, throughput = function()
      return { real = 4, simulated = 5, difference = 0.25 }, 8
    end }
    one.simulated.by_name.zero = one.simulated.by_name.k
    local rows = verdict.rows(one)
    assert.same({ "the real one is 0", "2 values: too few", "it drifts or varies too much" },
      { rows[1].says, rows[2].says, rows[4].says })
    assert.same({ "cannot tell", "zero, few and throughput" }, { rows[5].verdict, rows[5].says })
  end)
end)

describe("charts of a score", function()
  it("draw errors, distributions and lanes", function()
    local kept, found = { plot.bars, plot.lines }, {}
    plot.bars = function(spec) return spec end
    plot.lines = function(spec) return spec end
    local frames = { verdict = { rows = { { name = "k", difference = 0.1, low = 0.05, high = 0.2,
      verdict = "off" }, { name = "few", difference = 0.3, verdict = "cannot tell" },
      { name = "overall", verdict = "off" } } },
      over_time = { rows = { { lane = "GPU", at_s = 0, real_busy = 0.5, simulated_busy = 1,
        real_queue = 0, simulated_queue = 0 }, { lane = "GPU", at_s = 1, real_busy = 0.25,
        simulated_busy = 0, real_queue = 0, simulated_queue = 2 },
        { lane = "CPU", at_s = 0, real_busy = 0.5, real_queue = 0 } } } }
    local score = { within = 0.05, lanes = { "GPU", "CPU" }, distributions = {},
      frame = function(_, name) return frames[name] end }
    for i = 1, 10 do
      score.distributions[i] = { name = i == 1 and "total" or "s" .. i, real = { 1e9, 3e9 },
        simulated = { 2e9 } }
    end
    local ok, message = pcall(function() found = charts.of(score) end)
    plot.bars, plot.lines = table.unpack(kept)
    assert.is_true(ok, message)
    assert.equal(1 + 9 + 2 + 1, #found)
    local bars = found[1].chart
    assert.same({ { name = "k", value = 0.1, half = 0.1, front = true },
      { name = "few", value = 0.3, front = false } }, bars.rows)
    assert.same({ { x = -0.05 }, { x = 0.05, label = "within 5 %" } }, bars.limits)
    assert.same({ "Total time of requests", "Own time of s2" }, { found[2].title, found[3].title })
    local series = found[2].chart.series[1]
    assert.same({ "real", 101, 101, 0, 1, 1, 3 }, { series.name, #series.x, #series.y, series.y[1],
      series.y[101], series.x[1], series.x[101] })
    near(0.5, series.y[51])
    assert.same({ 2 }, { found[2].chart.series[2].x[50] })
    assert.same({ "GPU: busy", "GPU: requests that wait", "CPU: busy" }, { found[11].chart.title,
      found[12].chart.title, found[13].chart.title })
    assert.same({ { 0.5, 0.25 }, { 1, 0 }, { 0, 1 } }, { found[11].chart.series[1].y,
      found[11].chart.series[2].y, found[11].chart.series[1].x })
    assert.same({ { 0, 0 }, { 0, 2 } }, { found[12].chart.series[1].y,
      found[12].chart.series[2].y })
    local missing = found[13].chart.series[2].y[1]
    assert.is_true(missing ~= missing)
    score.distributions, score.lanes, frames.verdict.rows = {}, {}, { { name = "overall" } }
    assert.same({}, charts.of(score))
  end)
end)

describe("options of a score", function()
  it("are within their bounds", function()
    local usual = options.asked {}
    assert.same({ 0.05, 0.95, 64, 10 }, { usual.within, usual.confidence, usual.bins, usual.worst })
    assert.same({ 0.02, 4096, 1 }, { options.asked({ within = "2%" }).within,
      options.asked({ bins = 4096 }).bins, options.asked({ worst = 1 }).worst })
    for message, given in pairs {
      ["within is '0'; wanted a share between 0 and 1, such as \"5%\""] = { within = 0 },
      ["within is '1'; wanted a share between 0 and 1, such as \"5%\""] = { within = 1 },
      ["confidence is 'x'; wanted a share between 0 and 1, such as \"5%\""] = { confidence = "x" },
      ["bins is '0'; wanted a whole number from 1 to 4096"] = { bins = 0 },
      ["bins is '4097'; wanted a whole number from 1 to 4096"] = { bins = 4097 },
      ["worst is '1.5'; wanted a whole number from 1 to 1000000"] = { worst = 1.5 },
      ["score has no option 'wihtin'; did you mean 'within'?"] = { wihtin = 1 },
    } do
      assert.same({ nil, message }, { options.asked(given) })
    end
  end)
end)

describe("the verdict's columns", function()
  it("have an interval, or why there is none", function()
    local shown
    for _, column in ipairs(columns.frames(0.05).verdict.columns) do
      if column.title == "interval" then shown = column.show end
    end
    local function interval(row) return shown(row.low, row) end
    assert.equal("−5 % to +10 %", interval { low = -0.05, high = 0.1 })
    assert.equal("exactly", interval { low = 0.1, high = 0.1 })
    assert.equal("3 values: too few", interval { kind = "stage", says = "3 values: too few" })
    assert.equal("", interval { kind = "stage" })
    assert.equal("", interval { kind = "overall", says = "compute" })
  end)
end)
