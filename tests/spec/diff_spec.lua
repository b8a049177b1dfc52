--- Two runs beside one another: against HolisticTraceAnalysis, by closed results, and as gates.
local analysis_fixture = require "tests.spec.support.analysis_fixture"
local cjson = require "cjson"
local small_trace = require "tests.spec.support.small_trace"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local CONTROL <const> = "kineto/trace_diff__control__control.json.gz"
local TEST <const> = "kineto/trace_diff__test__test.json.gz"

local function by_name(rows)
  local out = {}
  for _, row in ipairs(rows) do out[row.name] = row end
  return out
end

describe("a diff of two traces", function()
  local data, a, b

  setup(function()
    data = analysis_fixture.new(CONTROL, TEST)
    a, b = data:run(CONTROL), data:run(TEST)
  end)
  teardown(function() data:remove() end)

  -- The lines are: name, then six numbers and the category of the change.
  local function expected_rows()
    local rows = {}
    for _, line in ipairs(analysis_fixture.expected_lines "kineto/hta_tracediff_gpu.txt") do
      local name, a_count, a_us, b_count, b_us, _, us, category = line:match
        "^(.-)%s%s+([%d.]+)%s+([%d.]+)%s+([%d.]+)%s+([%d.]+)%s+(%-?[%d.]+)%s+(%-?[%d.]+)%s+([=+-])"
      if name then
        rows[#rows + 1] = { name = name, a_count = tonumber(a_count), a_us = tonumber(a_us),
          b_count = tonumber(b_count), b_us = tonumber(b_us), us = tonumber(us),
          category = category }
      end
    end
    return rows
  end

  it("names the side that has no such range, and a near one", function()
    for side, options in pairs { A = { within = "ProfilerStep#10099" },
      B = { within = "ProfilerStep#1009", b_within = "ProfilerStep#10099" } } do
      local made, message, code = a:diff(b, options)
      assert.is_nil(made)
      assert.matches(("^%s, run %%x+, has no range 'ProfilerStep#10099'; did you mean 'Profiler")
        :format(side), message)
      assert.equal(3, code)
    end
  end)

  -- HTA compares the first iteration of each by default: what was launched in ProfilerStep#1009.
  it("has the counts, times and changes of HTA's TraceDiff, in its order", function()
    local made = assert(a:diff(b, { by = "kernel", within = "ProfilerStep#1009" }))
    local rows, wanted = made:frame("kernels").rows, expected_rows()
    assert.equal(15, #wanted)
    local ours = by_name(rows)
    for _, one in ipairs(wanted) do
      local row = assert(ours[one.name], one.name)
      assert.equal(one.a_count, row.a_count)
      assert.equal(one.b_count, row.b_count)
      assert.equal(one.a_us * 1000, row.a_ns)
      assert.equal(one.b_us * 1000, row.b_ns)
      assert.equal(one.us * 1000, row.change_ns)
      local sign = row.b_count > row.a_count and "+" or row.b_count < row.a_count and "-" or "="
      assert.equal(one.category, sign)
      assert.equal(row.a_count == 0, row.state == "added")
    end
    -- Theirs is sorted by the signed change; what grew most comes first in both.
    local grew = {}
    for _, row in ipairs(rows) do
      if row.change_ns > 0 and #grew < #wanted then grew[#grew + 1] = row.name end
    end
    for i, one in ipairs(wanted) do assert.equal(one.name, grew[i]) end
  end)

  it("finds nothing between a run and itself", function()
    local made = assert(a:diff(a, { gate = "busy<=+0%", whole = true }))
    assert.equal("holds", made:frame("gates").rows[1].verdict)
    for _, one in ipairs { "kernels", "operators", "ranges", "categories" } do
      for _, row in ipairs(made:frame(one).rows) do
        assert.equal("same", row.state)
        assert.equal(0, row.change_ns)
      end
    end
    assert.equal(1.0, made:frame("totals").rows[1].speedup)
  end)

  it("totals what ran, once a nanosecond and device where it is called busy", function()
    local rows = {}
    for _, row in ipairs(a:diff(b, { whole = true }):frame("totals").rows) do
      rows[row.figure] = row
    end
    local sql = "SELECT sum(dur_ns) AS ns, count(*) AS pieces FROM span WHERE run = ?"
      .. " AND category IN ('kernel', 'memcpy', 'memset')"
    local of_a = data.store.db:one(sql, a.number)
    assert.equal(of_a.ns, rows.total.a)
    assert.equal(of_a.pieces, rows.work.a)
    assert.is_true(rows.busy.a < rows.total.a and rows.busy.a <= rows.elapsed.a)
    assert.near(rows.elapsed.a / rows.elapsed.b, rows.elapsed.speedup, 1e-12)
    assert.is_nil(rows.memory)
  end)

  it("says what one of them lacks, and asks for no impossible range", function()
    local calls = assert(a:diff(b, { by = "stage" }))
    assert.same({ "stages: neither run has rows of category stage or wait" }, calls.cannot)
    local _, message = a:diff(b, { within = "no such range" })
    assert.matches("has no range 'no such range'; one of ## all2all", message, 1, true)
    local _, told, code = data.stores:tandem("diff", a.id, b.id, "--by", "stage")
    assert.equal(1, code)
    assert.matches("cannot answer: stages: neither run has rows of category stage", told, 1, true)
    local _, wrong = a:diff(b, { by = "kernels" })
    assert.equal("by cannot be 'kernels'; did you mean 'kernel'?", wrong)
  end)

  it("is a command whose gates leave with 1, a line each", function()
    local stores = data.stores
    local out, err, code = stores:tandem("diff", a.id, b.id, "--by", "kernel", "--whole",
      "--gate", "total<+3%", "--gate", "elapsed<900ms", "--gate", "total<+90%")
    assert.equal(1, code)
    assert.matches("Gates\n", out, 1, true)
    local lines = {}
    for line in err:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.equal(2, #lines)
    assert.matches("^gate failed: total<%+3%%: %+92.2 %% ± 21.6 %% %(502 ms → 964 ms%)", lines[1])
    assert.matches("^gate undecided: total<%+90%%", lines[2])
    local _, _, fine = stores:tandem("diff", a.id, b.id, "--whole", "--gate", "total<+90%")
    assert.equal(0, fine)
    local _, _, strict = stores:tandem("diff", a.id, b.id, "--whole", "--gate", "total<+90%",
      "--strict")
    assert.equal(1, strict)
    local _, complaint, usage = stores:tandem("diff", a.id, b.id, "--gate", "totl<3%")
    assert.equal(2, usage)
    assert.matches("did you mean 'total'?", complaint, 1, true)
  end)

  it("takes a limit without a unit as SI, as everything does, and says the limit", function()
    local total_s = 0.96445 -- B's 964 ms
    for _, one in ipairs { { "total<3", "holds" }, { "total<0.5", "fails", "500 ms" },
      { "total<500ms", "fails", "500 ms" }, { "total<500000µs", "fails", "500 ms" },
      { "total<+0.1", "fails", "+100 ms" }, { "kernel:Memset (Device)@mean<1", "holds" } } do
      local gate, verdict, limit = table.unpack(one)
      local row = assert(a:diff(b, { gate = gate, whole = true })):frame("gates").rows[1]
      assert.equal(verdict, row.verdict, gate)
      if limit then
        assert.matches(", limit " .. limit .. " (", row.says, 1, true)
        assert.near(gate:find("+", 1, true) and 0.1e9 or 0.5e9, row.limit, 1e-6)
        assert.is_true(gate:find("+", 1, true) ~= nil or math.abs(row.value - total_s * 1e9) < 1e6)
      end
    end
    local work = a:diff(b, { gate = "work<3" }):frame("gates").rows[1]
    assert.equal(3, work.limit) -- pieces
  end)

  it("has CSV and JSON with both runs", function()
    local out = data.stores:tandem("diff", a.id, b.id, "--by", "kernel", "--csv", "--gate",
      "total>-99%")
    assert.matches("^change_ns,change,a_ns,b_ns,a_count", out)
    local decoded = cjson.decode((data.stores:tandem("diff", a.id, b.id, "--json"))).result
    assert.equal("tandem.analysis/1", decoded.schema)
    assert.equal(a.id, decoded.compared.a[1].id)
    assert.equal(b.id, decoded.compared.b[1].id)
  end)
end)

-- ---- small traces whose answers can be counted by hand ----

-- Kineto traces of kernels with these durations in µs, a run each; "gemm" where no name is given.
local function traces(lists)
  local stores = store_fixture.new()
  local ids = {}
  for i, list in ipairs(lists) do
    local events, at = {}, 1000
    for k, one in ipairs(list) do
      local name, us = "gemm", one
      if type(one) == "table" then name, us = one[1], one[2] end
      events[k] = ('{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":%d,"dur":%d,'
        .. '"args":{"device":0,"stream":7}}'):format(name, at, us)
      at = at + us + 10
    end
    local path = stores:write(("t%d.json"):format(i), '{"schemaVersion":1,"traceEvents":['
      .. table.concat(events, ",") .. "]}")
    local _, err, code = stores:tandem("import", path)
    assert(code == 0, err)
    local out = stores:tandem("runs", "--csv")
    ids[i] = out:match "\n(%w+),"
  end
  return stores, ids
end

describe("significance", function()
  local stores, store
  local function open(lists)
    local ids
    stores, ids = traces(lists)
    store = assert(td.store(stores:path "a.db"))
    local runs = {}
    for i, id in ipairs(ids) do runs[i] = assert(store:run(id)) end
    return runs
  end
  after_each(function()
    store:close()
    stores:remove()
  end)

  -- Welch's example by hand: means 102 and 107, s² = 2.5 both, n = 5: t = 5, 8 degrees of freedom.
  it("is Welch's t test over the instances of a name", function()
    local runs = open { { 100, 101, 102, 103, 104 }, { 105, 106, 107, 108, 109 } }
    local row = runs[1]:diff(runs[2]):frame("kernels").rows[1]
    assert.near(0.001052826, row.p, 1e-8)
    assert.is_true(row.significant)
    assert.equal("changed", row.state)
    assert.equal(25000, row.change_ns)
    assert.near(2.306004135 * 1000 * 5, row.half_ns, 0.1)
  end)

  it("calls a change within the spread the same", function()
    local runs = open { { 100, 110, 90, 100 }, { 101, 111, 91, 100 } }
    local row = runs[1]:diff(runs[2]):frame("kernels").rows[1]
    assert.equal("same", row.state)
    assert.is_false(row.significant)
  end)

  -- s² = 50 µs² of two: the total varies by 100 on either side. What ran once, with 105 of 315 µs,
  -- has the relative spread of the rest: half as much again of n m², 11025 to 22050.
  it("gives the total the spread of all names", function()
    local runs = open { { 100, 110 }, { 110, 120 }, { 100, 110, { "once", 105 } } }
    local function total(a, b) return runs[a]:diff(runs[b]):frame("totals").rows[1] end
    assert.near(1.959963985 * math.sqrt(200) * 1000, total(1, 2).half, 0.1)
    assert.near(1.959963985 * math.sqrt(300) * 1000, total(3, 3).half, 0.1)
    assert.equal(20000, total(1, 2).b - total(1, 2).a)
  end)

  it("does not judge what happened once", function()
    local runs = open { { 100 }, { 130 } }
    local made = runs[1]:diff(runs[2], { gate = "kernel:gemm<+10%" })
    assert.equal("undecided", made:frame("kernels").rows[1].state)
    assert.equal("fails", made:frame("gates").rows[1].verdict)
    assert.matches("no interval to judge it by", made:frame("gates").rows[1].says, 1, true)
  end)

  it("judges the mean of a name as its total where counts are equal", function()
    local runs = open { { 90, 110, 100, 100 }, { 94, 114, 104, 104 }, { 90, 110, 100 } }
    local function gate(a, b, text) return runs[a]:diff(runs[b], { gate = text }):frame("gates") end
    local total, mean = gate(1, 2, "kernel:gemm<+1%").rows[1], gate(1, 2, "kernel:gemm@mean<+1%")
    assert.equal("undecided", mean.rows[1].verdict)
    assert.near(total.half, mean.rows[1].half, 1e-12)
    assert.is_nil(gate(1, 3, "kernel:gemm@mean<+1%").rows[1].half)
    -- Several runs a side have an interval of the change, not of B's own value.
    local made = runs[1]:diff({ runs[1], runs[2] }, { with = { runs[2] }, gate = "total<1s" })
    assert.matches("no interval to judge it by", made:frame("gates").rows[1].says, 1, true)
  end)

  it("of a name says why there is none", function()
    local runs = open { { 100 }, { 130 } }
    local made, message, code = runs[1]:diff(runs[2], { gate = "operator:aten::mm<+3%" })
    assert.is_nil(made)
    assert.equal("operator:aten::mm<+3%: neither run has rows of category cpu_op", message)
    assert.equal(3, code)
  end)

  it("is between runs where each side has several", function()
    local runs = open { { 100, 100 }, { 101, 101 }, { 102, 102 }, { 110, 110 }, { 111, 111 },
      { 112, 112 } }
    local made = assert(runs[1]:diff({ runs[4], runs[5], runs[6] },
      { with = { runs[2], runs[3] }, gate = { "total<+5%", "total<+11%" } }))
    local row = made:frame("kernels").rows[1]
    assert.equal(202000, row.a_ns)
    assert.equal(222000, row.b_ns)
    -- Totals 200, 202, 204 and 220, 222, 224: s² = 4, t = 20 / sqrt(8/3), 4 degrees of freedom.
    assert.near(0.000255, row.p, 1e-6)
    assert.same({ "fails", "undecided" }, made:frame("gates"):column "verdict")
  end)

  it("takes equal times as no change, and any change of constant ones as one", function()
    local runs = open { { 100, 100, 100 }, { 100, 100, 101 }, { 100, 100, 100 } }
    assert.equal("same", runs[1]:diff(runs[3]):frame("kernels").rows[1].state)
    assert.equal("same", runs[1]:diff(runs[2]):frame("kernels").rows[1].state)
  end)
end)

-- Numbers of ranges and operators count what repeats; those of a kernel say what it is.
describe("names in a diff", function()
  local NAMED <const> = { nvtx = "ranges", user_annotation = "ranges", cpu_op = "operators",
    kernel = "kernels" }

  it("are folded where their numbers only count", function()
    local data = analysis_fixture.new()
    local runs = {}
    for side = 1, 2 do
      local trace = small_trace.new()
      local host, gpu = trace:thread(7), trace:stream(1)
      for category in pairs(NAMED) do
        local track = category == "kernel" and gpu or host
        for i = 1, 3 do
          local number = 10 * side + i
          local name = ("%s step %d, seq = %d, op_id = %d"):format(category, number, 7 * number,
            9 * number)
          trace:add(category, track, name, 100 * i, 100 * i + side)
        end
      end
      runs[side] = trace:import(data, side .. ".jsonl")
    end
    for category, frame in pairs(NAMED) do
      local made, rows = assert(runs[1]:diff(runs[2], { by = frame:sub(1, -2) })), {}
      local titled = require("tandem.diff.columns").frames_of("nothing")[frame].title
      assert.equal(category ~= "kernel", titled:find("time on the host", 1, true) ~= nil)
      for _, row in ipairs(made:frame(frame).rows) do
        if row.name:find(category, 1, true) then rows[#rows + 1] = row end
      end
      assert.equal(category == "kernel" and 6 or 1, #rows, category)
      assert.equal(category == "kernel" and 0 or 3, math.min(rows[1].a_count, rows[1].b_count))
    end
    data:remove()
  end)
end)

describe("a diff of simulations", function()
  local files
  before_each(function() files = store_fixture.new() end)
  after_each(function() files:remove() end)

  it("puts figures and stages side by side, the largest change first", function()
    files:keep "a.db"
    files:keep("a.db", { scenario = td.scenario "slow" { requests = 50,
      workload = td.poisson { rps = 20 }, cpu = { workers = 1 },
      pipeline = { td.fixed "first" { time = "10ms" }, td.fixed "third" { time = "1ms" } } } })
    local s <close> = assert(td.store(files:path "a.db"))
    local rows = s:runs().rows
    local made = assert(assert(s:run(rows[2].id)):diff(rows[1].id, { gate = "p99<+1000%" }))
    local stages = made:frame("stages"):filter { category = "stage" }
    assert.same({ "second", "first", "third" }, stages:column "name")
    assert.same({ "removed", "changed", "added" }, stages:column "state")
    local first = stages.rows[2]
    assert.equal(250000000, first.a_ns)
    assert.equal(500000000, first.b_ns)
    assert.equal(1.0, first.change)
    local stage = made:frame("figures"):filter { scope = "stage", subject = "first",
      name = "service.mean" }.rows[1]
    assert.near(0.005, stage.a, 1e-12)
    assert.near(1.0, stage.change, 1e-9)
    assert.is_false(stage.noise)
    assert.equal("undecided", made:frame("gates").rows[1].verdict) -- of 50 requests
    local out, _, code = files:tandem("compare", rows[2].id, "last", "--limit", "1")
    assert.equal(0, code)
    assert.matches("Stages\n[^\n]+\n[^\n]+\n  and %d more rows %(%-%-limit 0 shows all%)", out)
  end)

  it("takes the mean over several runs of a side, with its own interval", function()
    for seed = 1, 4 do files:keep("a.db", { seed = seed }) end
    local s <close> = assert(td.store(files:path "a.db"))
    local ids = s:runs().rows
    local out, _, code = files:tandem("diff", ids[4].id .. "," .. ids[3].id,
      ids[2].id .. "," .. ids[1].id, "--gate", "p99<+1000%")
    assert.equal(0, code)
    assert.matches("Figures\n", out, 1, true)
    local runs = {}
    for i = 1, 4 do runs[i] = assert(s:run(ids[i].id)) end
    local row = runs[4]:diff({ runs[2], runs[1] }, { with = { runs[3] } }):frame("figures")
      :filter { scope = "run", name = "latency.p99" }.rows[1]
    local x, y = runs[4]:figure "latency.p99", runs[3]:figure "latency.p99"
    assert.near((x + y) / 2, row.a, 1e-12)
    -- Two values: half is t(0.975, 1) = 12.706 times half their difference.
    assert.near(12.706204736 * math.abs(x - y) / 2, row.a_half, 1e-6)
  end)

  it("says when a side names no run", function()
    files:keep "a.db"
    local _, err, code = files:tandem("diff", ",", "last")
    assert.matches("',' names no run", err, 1, true)
    assert.equal(2, code)
  end)

  it("says when spans were not kept", function()
    files:keep "a.db"
    files:keep("a.db", { seed = 2, spans = "none" })
    local s <close> = assert(td.store(files:path "a.db"))
    local out = files:tandem("diff", s:runs().rows[2].id, "last")
    assert.matches("by name: the spans of B were not kept", out, 1, true)
    -- Other luck is no difference.
    assert.matches("within the noise", out, 1, true)
  end)
end)

describe("peak memory", function()
  it("is compared where both have it", function()
    local file = "kineto/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"
    local data = analysis_fixture.new(file)
    local run = data:run(file)
    local row = run:diff(run):frame("totals"):filter { figure = "memory" }.rows[1]
    local peak = data.store.db:one([[SELECT max(json_extract(args, '$."Total Allocated"')) AS bytes
      FROM span WHERE run = ? AND category = 'memory'
      AND json_extract(args, '$."Device Type"') = 1]], run.number)
    assert.equal(peak.bytes, row.a)
    assert.equal(0.0, row.change)
    data:remove()
  end)

  it("of counters is told of whole runs alone", function()
    local file = "torch/snapshot.json"
    local data = analysis_fixture.new(file)
    local run = data:run(file)
    local function told(filter) return #run:diff(run, filter):frame("totals").rows end
    assert.same({ 1, 0 }, { told {}, told { device = 7 } })
    data:remove()
  end)
end)
