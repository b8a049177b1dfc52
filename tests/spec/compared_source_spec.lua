--- Two captures beside one another, a diff and an overlay: against counts over the rows of their
--- own files (support/source_rows.lua), and Student's t from the integral that defines it.
local counted = require "tests.spec.support.counted"
local fixture = require "tests.spec.support.analysis_fixture"
local source_rows = require "tests.spec.support.source_rows"
local td = require "tandem"

local CONTROL <const> = "kineto/trace_diff__control__control.json.gz"
local TEST <const> = "kineto/trace_diff__test__test.json.gz"

local near, of_category, union, within = counted.near, counted.of_category, counted.union,
  counted.within

-- The chance of a t as far from 0 at least: the tail of cos^(df - 1) over an angle.
local function two_sided(t, df)
  local function area(from)
    local STEPS <const> = 2000
    local h, sum = (math.pi / 2 - from) / STEPS, 0
    for i = 0, STEPS do
      local weight = (i == 0 or i == STEPS) and 1 or i % 2 == 1 and 4 or 2
      sum = sum + weight * math.max(0, math.cos(from + i * h)) ^ (df - 1)
    end
    return sum * h / 3
  end
  return area(math.atan(math.abs(t) / df ^ 0.5)) / area(0)
end

local function moments(times)
  local n, sum, squares = #times, 0, 0
  for _, t in ipairs(times) do sum = sum + t end
  for _, t in ipairs(times) do squares = squares + (t - sum / n) ^ 2 end
  table.sort(times)
  return { n = n, sum = sum, mean = sum / n, p99 = times[math.ceil(0.99 * n)],
    of_mean = n > 1 and squares / (n - 1) / n or nil }
end

local function welch(a, b)
  local both = a.of_mean + b.of_mean
  local df = both ^ 2 / (a.of_mean ^ 2 / (a.n - 1) + b.of_mean ^ 2 / (b.n - 1))
  return two_sided((b.mean - a.mean) / both ^ 0.5, df)
end

describe("a count over two captures", function()
  local data, a, b, sources
  setup(function()
    data = fixture.new(CONTROL, TEST)
    a, b = data:run(CONTROL), data:run(TEST)
    sources = { a = source_rows.kineto(CONTROL), b = source_rows.kineto(TEST) }
  end)
  teardown(function() data:remove() end)

  -- Times by name of rows of some categories, on either side.
  local function times_of(categories, key)
    local out = {}
    for side, rows in pairs(sources) do
      out[side] = {}
      for name, list in pairs(counted.by(of_category(rows, categories), key)) do
        local times = {}
        for i, row in ipairs(list) do times[i] = row.to - row.from end
        out[side][name] = times
      end
    end
    return out
  end

  local function check(rows, times, key)
    local seen, tested = 0, 0
    for _, row in ipairs(rows) do
      local ma, mb = times.a[row[key]] and moments(times.a[row[key]]),
        times.b[row[key]] and moments(times.b[row[key]])
      assert.is_truthy(ma or mb, row[key])
      assert.same({ ma and ma.n or 0, ma and ma.sum or 0, mb and mb.n or 0, mb and mb.sum or 0 },
        { row.a_count, row.a_ns, row.b_count, row.b_ns }, row[key])
      assert.same({ ma and ma.p99, mb and mb.p99 }, { row.a_p99_ns, row.b_p99_ns }, row[key])
      if ma then near(ma.mean, row.a_mean_ns, row[key]) end
      if mb then near(mb.mean, row.b_mean_ns, row[key]) end
      assert.equal(row.b_ns - row.a_ns, row.change_ns)
      if ma and mb then near(row.change_ns / row.a_ns, row.change, row[key]) end
      if ma and mb and row.p and ma.n > 2 and mb.n > 2 and ma.of_mean + mb.of_mean > 0 then
        assert.is_true(math.abs(welch(ma, mb) - row.p) < 1e-6, row[key])
        tested = tested + 1
      end
      seen = seen + 1
      times.a[row[key]], times.b[row[key]] = nil, nil
    end
    assert.is_nil(next(times.a) or next(times.b))
    return seen, tested
  end

  it("has the operators, kernels and categories of a diff, and how sure it is", function()
    local made = assert(a:diff(b, { whole = true }))
    local seen, tested = check(made:frame("operators").rows, times_of("cpu_op", "name"), "name")
    assert.is_true(seen > 100 and tested > 50)
    seen, tested = check(made:frame("kernels").rows,
      times_of("kernel memcpy memset", "name"), "name")
    assert.is_true(seen > 100 and tested > 50)
  end)

  -- Waiting for a GPU is no work of the CPU.
  local function lanes_of(rows)
    local WAITS <const> = { cudaDeviceSynchronize = true, cudaStreamSynchronize = true,
      cudaEventSynchronize = true }
    local WAYS <const> = { HtoD = "H2D #0", DtoH = "D2H #0" }
    local lanes = counted.by(rows, function(row)
      if row.category == "kernel" then return row.name:find "^nccl" and "COMM #0" or "GPU #0" end
      if row.category == "memcpy" then return WAYS[row.kind] or "GPU #0" end
      if row.category == "memset" then return "GPU #0" end
      local host = row.category == "cpu_op" or row.category == "runtime"
      return host and not WAITS[row.name] and "CPU" or nil
    end)
    local first, last = math.huge, 0
    for _, list in pairs(lanes) do
      for _, row in ipairs(list) do
        first, last = math.min(first, row.from), math.max(last, row.to)
      end
    end
    return lanes, first, last
  end

  it("has how long each and both are busy in an overlay, lane by lane", function()
    local made = assert(td.overlay(a, b, { align = "first", by = "device" }))
    local of_a, from, to = lanes_of(sources.a)
    local of_b, first = lanes_of(sources.b)
    assert.equal(from - first, made:frame("alignment").rows[1].offset_ns)
    local all = to - from
    local function moved(rows)
      local out = {}
      for i, row in ipairs(rows) do
        out[i] = { from = math.max(from, math.min(to, row.from + from - first)),
          to = math.max(from, math.min(to, row.to + from - first)) }
      end
      return out
    end
    local function at_once(rows)
      local sum = 0
      for _, row in ipairs(rows) do sum = sum + row.to - row.from end
      return sum / all
    end
    local seen = 0
    for _, row in ipairs(made:frame("lanes").rows) do
      local list = moved(of_b[row.lane])
      local ours, theirs = union(of_a[row.lane]), union(list)
      local real, other, both = within(ours), within(theirs), counted.both(ours, theirs)
      assert.same({ real, other, both, real - both, other - both, all - real - other + both },
        { row.real_ns, row.simulated_ns, row.both_ns, row.only_real_ns, row.only_simulated_ns,
          row.neither_ns }, row.lane)
      near(real / all, row.real_busy, row.lane)
      near(other / all, row.simulated_busy, row.lane)
      near(both / (real + other - both), row.alike, row.lane)
      near(at_once(of_a[row.lane]), row.real_mean, row.lane)
      near(at_once(list), row.simulated_mean, row.lane)
      seen = seen + 1
    end
    assert.equal(5, seen)
    -- The longest times in which one lane of one run alone is busy.
    for _, row in ipairs(made:frame("differences").rows) do
      local ours, theirs = union(of_a[row.lane]), union(moved(of_b[row.lane]))
      if row.busy ~= "real" then ours, theirs = theirs, ours end
      local begin, stop = row.from_ns + sources.a[1].from, row.to_ns + sources.a[1].from
      assert.same({ row.time_ns, row.time_ns, 0 }, { stop - begin, within(ours, begin, stop),
        within(theirs, begin, stop) }, row.lane)
    end
  end)
end)
