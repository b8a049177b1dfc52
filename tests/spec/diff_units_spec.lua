--- Diffs of what runs do over and over: a unit of work against another, whatever windows hold.
local analysis_fixture = require "tests.spec.support.analysis_fixture"
local cjson = require "cjson"
local core = require "tandem.core"
local small_trace = require "tests.spec.support.small_trace"

local function by(rows, key)
  local found = {}
  for _, row in ipairs(rows) do found[row[key]] = row end
  return found
end

local function moments(values)
  local sum, squares = 0, 0
  for _, value in ipairs(values) do sum = sum + value end
  for _, value in ipairs(values) do squares = squares + (value - sum / #values) ^ 2 end
  return sum / #values, squares / (#values - 1) / #values
end

describe("two windows of one training job", function()
  local data, a, b

  setup(function()
    data = analysis_fixture.new("nsys/mfu_2gpu_before.sqlite.gz", "nsys/mfu_2gpu_after.sqlite.gz")
    a, b = data:run "mfu_2gpu_before.sqlite.gz", data:run "mfu_2gpu_after.sqlite.gz"
  end)
  teardown(function() data:remove() end)

  -- Every fourth attention of a GPU has the grid 244 × 1 × 6 and begins a layer: by SQL alone.
  local ATTENTION <const> = "SELECT start_ns FROM span WHERE run = ? AND device = ? AND name LIKE"
    .. " '%flash_fwd_kernel%' AND json_extract(args, '$.grid_x') = 244"
    .. " AND json_extract(args, '$.grid_z') = 6 ORDER BY start_ns"
  local COMPUTE <const> = "SELECT sum(dur_ns) AS ns FROM span WHERE run = ? AND device = ? AND"
    .. " category = 'kernel' AND name NOT LIKE '%nccl%' AND start_ns >= ? AND start_ns < ?"

  -- Wall time and the computing of both GPUs, by unit.
  local function units_of(run)
    local walls, computes = {}, {}
    for device = 0, 1 do
      local starts = data.store.db:all(ATTENTION, run.number, device)
      for i = 1, #starts - 1 do
        local from, to = starts[i].start_ns, starts[i + 1].start_ns
        walls[i] = to - from
        computes[i] = (computes[i] or 0)
          + data.store.db:one(COMPUTE, run.number, device, from, to).ns
      end
    end
    return walls, computes
  end

  -- Units that follow each other are alike: (1 + r) / (1 - r) of the correlation of neighbours.
  local function drift(list, mean)
    local with_next, squares, n = 0, 0, #list
    for i, value in ipairs(list) do
      squares = squares + (value - mean) ^ 2
      if i > 1 then with_next = with_next + (value - mean) * (list[i - 1] - mean) end
    end
    local r = with_next / squares
    r = math.max(0, math.min(r + (1 + 3 * r) / n, 1 - 4 / n))
    return (1 + r) / (1 - r)
  end

  it("are compared by their units, as SQL on the source finds them", function()
    local rows = by(a:diff(b):frame("totals").rows, "figure")
    local walls_a, computes_a = units_of(a)
    local walls_b, computes_b = units_of(b)
    assert.same({ 16, 14 }, { #walls_a, #walls_b })
    for figure, lists in pairs { elapsed = { walls_a, walls_b },
      compute = { computes_a, computes_b } } do
      local mean_a, error_a = moments(lists[1])
      local mean_b, error_b = moments(lists[2])
      error_a, error_b = error_a * drift(lists[1], mean_a), error_b * drift(lists[2], mean_b)
      assert.near(mean_a, rows[figure].a, 1e-4 * mean_a, figure)
      assert.near(mean_b, rows[figure].b, 1e-4 * mean_b, figure)
      local se = math.sqrt(error_a + error_b)
      assert.is_true(rows[figure].half > 1.96 * se * 0.99 and rows[figure].half < 2.2 * se, figure)
    end
    assert.near(0.138, rows.elapsed.change, 0.001) -- slower, though its window holds less
    assert.near(0.004, rows.compute.change, 0.0005)
    assert.equal(rows.work.a, rows.work.b)
  end)

  it("say so first, in text, JSON and the title of the page", function()
    local made = assert(a:diff(b))
    assert.equal("units", made.alike.over)
    assert.matches("119 kernels a GPU, 16 times in A, 14 times in B", made:report(), 1, true)
    assert.matches("A unit of work\n", made:report(), 1, true)
    local decoded = cjson.decode(made:to_json()).compared
    assert.equal("units", decoded.over)
    assert.matches("14 ± 13 % more than A's", decoded.says[2], 1, true)
    assert.matches("<title>Diff: mfu_2gpu_before.sqlite.gz → mfu_2gpu_after.sqlite.gz",
      made:to_html(), 1, true)
  end)

  it("are judged by gates over units, and whole where that is asked", function()
    local function verdict(gate, whole)
      return a:diff(b, { gate = gate, whole = whole }):frame("gates").rows[1].verdict
    end
    assert.equal("fails", verdict "elapsed<-3%")
    assert.equal("undecided", verdict "elapsed<+3%") -- units that follow each other are alike
    assert.equal("holds", verdict "compute<+3%")
    assert.equal("undecided", verdict "total<+3%") -- communication waits
    assert.equal("holds", verdict("elapsed<+3%", true))
    assert.equal("holds", verdict "elapsed<310ms") -- a limit on B is one on all of it
    assert.matches("^299 ms in all, ", a:diff(b, { gate = "elapsed<310ms" }):frame "gates"
      .rows[1].says)
  end)

  it("are compared one by one, and what the noise explains is one line", function()
    local third = assert(a:diff(b, { iteration = 3 }))
    local walls_a, computes_a = units_of(a)
    local walls_b = units_of(b)
    local rows = by(third:frame("totals").rows, "figure")
    assert.near(walls_a[3], rows.elapsed.a, 1e-3 * walls_a[3])
    assert.near(walls_b[3], rows.elapsed.b, 1e-3 * walls_b[3])
    assert.near(computes_a[3], rows.compute.a, 1e-3 * computes_a[3])
    assert.is_nil(rows.elapsed.half)
    assert.matches("unit 3 of both", third.says[1], 1, true)
    local _, message = a:diff(b, { iteration = 17 })
    assert.equal("there is no unit of work 17: A has 16", message)
    _, message = a:diff(b, { iteration = 1, whole = true })
    assert.matches("nothing over and over", message, 1, true)
    local made = assert(a:diff(b, { by = "kernel" }))
    local same = 0
    for _, row in ipairs(made:frame("kernels").rows) do
      if row.state == "same" then same = same + 1 end
    end
    assert.matches(("%d more are within the noise"):format(same), made:report(), 1, true)
    assert.is_nil(made:report(nil, 0):find("more are within the noise", 1, true))
    assert.matches("+673 µs  within the noise", made:report(nil, 0), 1, true)
  end)

  it("tell how often what some units have only comes, by its time and its mean", function()
    local found = 0
    for _, row in ipairs(assert(a:diff(b, { by = "category" })):frame("categories").rows) do
      if row.category == "overhead" then
        found = found + 1
        assert.equal(0, row.a_count)
        local columns = require("tandem.diff.columns").frames_of("units").categories.columns
        for _, column in ipairs(columns) do
          if column.name == "a_count" then
            assert.equal(("%.2g"):format(row.a_ns / row.a_mean_ns), column.show(row.a_count, row))
            assert.equal("7", column.show(7, { a_ns = 70, a_mean_ns = 10 }))
            assert.equal("0", column.show(0, { a_ns = 0 }))
          end
        end
      end
    end
    assert.equal(1, found)
  end)

  -- What runs in some units only has none in the others, and they are repeats like any.
  it("vary in what they have none of", function()
    local row
    for _, one in ipairs(a:diff(b, { by = "category" }):frame("categories").rows) do
      if one.category == "overhead" then row = one end
    end
    local function halves(device)
      local error_, df = 0, 0
      for _, run in ipairs { a, b } do
        local starts = data.store.db:all(ATTENTION, run.number, device)
        local totals, some = {}, 0
        for i = 1, #starts - 1 do
          totals[i] = data.store.db:one("SELECT coalesce(sum(dur_ns), 0) AS ns FROM span WHERE run"
            .. " = ? AND category = 'overhead' AND start_ns >= ? AND start_ns < ?", run.number,
            starts[i].start_ns, starts[i + 1].start_ns).ns
          some = some + (totals[i] > 0 and 1 or 0)
        end
        assert.is_true(some > 0 and some < #totals)
        local mean, square = moments(totals)
        square = square * drift(totals, mean)
        error_, df = error_ + square, df + square ^ 2 / (#totals - 1)
      end
      return core.stats.student_quantile(0.975, error_ ^ 2 / df) * math.sqrt(error_)
    end
    local first, second = halves(0), halves(1)
    local near = math.min(math.abs(first / row.half_ns - 1), math.abs(second / row.half_ns - 1))
    assert.is_true(near < 1e-6, ("%g or %g, not %g"):format(first, second, row.half_ns))
  end)

  it("say how many units would decide a gate", function()
    local row = a:diff(b, { gate = "total<+3%" }):frame("gates").rows[1]
    assert.equal("undecided", row.verdict)
    -- Both errors at their quantiles: (2.326 + 1.645) standard errors are the distance.
    local distance, se = math.abs(row.value - row.limit), row.half / 1.96
    assert.near(2 / (1 / 16 + 1 / 14) * (3.971 * se / distance) ^ 2, row.needs, 0.05 * row.needs)
    assert.equal("units of work", row.of)
  end)

  it("take folded names of ranges as they tell them", function()
    local inside = a:kernels({ nvtx = "FlashAttnFunc" }):rows()
    assert.is_true(#inside > 0)
    assert.is_true(inside[1].count < a:kernels():rows()[1].count * 2)
    assert.is_true(a:diff(b, { within = "FlashAttnFunc" }):frame("totals").rows[1].a > 0)
    local _, message = a:diff(b, { within = "FlashAttnFnc" })
    assert.matches("did you mean 'FlashAttnFunc", message, 1, true)
  end)

  it("fold the names of ranges", function()
    local rows = a:diff(b, { by = "range" }):frame("ranges").rows
    assert.is_true(#rows < 100, #rows)
    local found = by(rows, "name")
    assert.is_true(found["aten::to"].a_ns > 0 and found["aten::to"].b_ns > 0)
    local ranges = by(a:ranges():rows(), "name")
    local sql = "SELECT count(*) AS count, count(DISTINCT name) AS names FROM span WHERE run = ?"
      .. " AND category = 'nvtx' AND (name = 'aten::to' OR name LIKE 'aten::to, %')"
    local counted = data.store.db:one(sql, a.number)
    assert.equal(counted.count, ranges["aten::to"].count)
    assert.equal(counted.names, ranges["aten::to"].names)
  end)
end)

-- Units of 40 kernels: 30 of their own and ten of "same", from `first` on, so that windows are cut
-- anywhere; the first unit is warm-up, three times as long.
local function job(data, name, about)
  local trace = small_trace.new()
  local stream, at, correlation = trace:stream(7), 1000, 0
  local total = 40 * about.units
  for i = about.first or 0, (about.first or 0) + total - 1 do
    local place = i % 40
    local kernel = place < 30 and ("k%d<%d>"):format(place, place) or "same"
    local us = place == 5 and about.slow or 10 + place
    local warm = about.warm and i - (about.first or 0) < 40 and 3 or 1
    us = us * warm * (1 + (about.noise and about.noise() or 0))
    correlation = correlation + 1
    local dur = math.floor(us * 1000 + 0.5)
    trace:add("kernel", stream, kernel, at, at + dur, { correlation = correlation, grid_x = place,
      grid_y = 1, grid_z = 1 })
    at = at + dur + 2000
  end
  return trace:import(data, name)
end

describe("units of work of made traces", function()
  local data
  setup(function() data = analysis_fixture.new() end)
  teardown(function() data:remove() end)

  it("show the one kernel that changed, whatever the windows hold", function()
    local a = job(data, "a.jsonl", { units = 12, slow = 20 })
    local b = job(data, "b.jsonl", { units = 7.5, slow = 21, first = 17 })
    local made = assert(a:diff(b, { by = "kernel" }))
    assert.equal("units", made.alike.over)
    for _, row in ipairs(made:frame("kernels").rows) do
      assert.equal(row.name == "k5<5>" and "changed" or "same", row.state, row.name)
      if row.name == "k5<5>" then assert.equal(1000, row.change_ns) end
    end
    local elapsed = by(made:frame("totals").rows, "figure").elapsed
    assert.equal(1000, elapsed.b - elapsed.a)
  end)

  it("leave a slow beginning out, and say so", function()
    local a = job(data, "cold.jsonl", { units = 12, slow = 20, warm = true })
    local b = job(data, "warm.jsonl", { units = 12, slow = 20 })
    local made = assert(a:diff(b, { by = "kernel" }))
    assert.equal(1, made.alike.row.a_warm_up)
    assert.equal(0, made.alike.row.b_warm_up)
    assert.matches("1 unit of warm-up left out", made.says[1], 1, true)
    assert.equal(0, by(made:frame("totals").rows, "figure").elapsed.change)
  end)

  it("take three units to be some, on either side", function()
    local many = job(data, "many.jsonl", { units = 12, slow = 20 })
    local three = job(data, "three.jsonl", { units = 4, slow = 20 })
    local two = job(data, "two.jsonl", { units = 3, slow = 20 })
    assert.equal(3, assert(many:diff(three)).alike.row.b_units) -- from one beginning to the next
    assert.equal("units", assert(many:diff(three)).alike.over)
    assert.equal("units", assert(three:diff(many)).alike.over)
    for _, made in ipairs { assert(many:diff(two)), assert(two:diff(many)) } do
      assert.is_false(made.alike.row.in_units)
      assert.not_equal("units", made.alike.over)
    end
  end)

  -- Twenty pairs without a change: of 31 names each at most 5 % of what is called a change is one,
  -- so that a pair with any has a chance of 5 %: six and more of twenty have one of 3 in 10,000.
  it("call noise noise", function()
    local state = 7
    local function noise() -- even, ± 2 %
      state = (state * 1103515245 + 12345) % 2147483648
      return (state / 2147483648 - 0.5) * 0.04
    end
    local runs, alarms = {}, 0
    for i = 1, 8 do
      runs[i] = job(data, ("n%d.jsonl"):format(i), { units = 12, slow = 20, noise = noise })
    end
    local pairs_of = 0
    for i = 1, 8 do
      for k = i + 1, 8 do
        pairs_of = pairs_of + 1
        if pairs_of <= 20 then
          for _, row in ipairs(runs[i]:diff(runs[k], { by = "kernel" }):frame("kernels").rows) do
            if row.state == "changed" then
              alarms = alarms + 1
              break
            end
          end
        end
      end
    end
    assert.is_true(alarms < 6, alarms)
  end)

  it("do not compare different work", function()
    local a = job(data, "one.jsonl", { units = 12, slow = 20 })
    local trace = small_trace.new()
    local stream = trace:stream(7)
    for i = 1, 400 do
      trace:add("kernel", stream, ("other%d"):format(i % 9), i * 10000, i * 10000 + 5000)
    end
    local b = trace:import(data, "other.jsonl")
    local made = assert(a:diff(b, { gate = "total<+3%" }))
    assert.equal("nothing", made.alike.over)
    assert.matches("These runs do different work: they have 0 %", made:report(), 1, true)
    assert.is_nil(made:frame("totals").rows[1].change)
    assert.equal("undecided", made:frame("gates").rows[1].verdict)
    assert.has_error(function() made:frame "kernels" end)
    local kernels = a:diff(b, { by = "kernel" }):frame("kernels").rows
    assert.equal("added", by(kernels, "name").other3.state)
    local whole = a:diff(b, { whole = true, gate = "work<-90%" })
    assert.equal("fails", whole:frame("gates").rows[1].verdict)
  end)
end)
